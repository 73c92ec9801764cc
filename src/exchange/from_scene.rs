//! Routes of a scene: the one place where export meets the document.
//!
//! Each cable is solved, then solved again with more edges until the smooth curve through its nodes is as long as
//! the cable. The curve is longer than the chain of edges by sum(h^3 k^2 / 24), which falls with the square of h.

use super::bspline::BSpline;
use super::fit::FitTolerance;
use super::import::ImportedRoute;
use super::route::{Label, Nodes, RadiusProfile, Route, RouteError, SolveFacts, curve_through};
use super::unit::Convention;
use crate::geom::{Pose, Rotation, Vec3, rotation_along};
use crate::rod::RodState;
use crate::scene::{
    Cable, CableReport, CableSection, Handle, HandlePlace, Scene, Shape, Simulation,
    SimulationError,
};
use crate::solve::{CancelToken, Status};

/// Difference between curve and chain at which a cable has edges enough, mm: the fit has the rest of 0.01.
const LENGTH_SHARE: f64 = 0.005;

/// Edges at most: beyond, the difference is stated.
const MOST_EDGES: usize = 6000;

/// Solves with ever more edges at most.
const ROUNDS: usize = 4;

/// Steps after which a solve that does not converge is given up.
const STEPS: usize = 10;

/// Colours of cables that have none, told apart on light and dark.
const COLOURS: [[u8; 3]; 6] = [
    [204, 51, 36],
    [31, 119, 180],
    [44, 140, 60],
    [214, 140, 20],
    [140, 86, 170],
    [110, 110, 110],
];

/// Why a scene gives no routes.
#[derive(Debug, thiserror::Error)]
pub enum SceneRoutesError {
    /// There are no cables.
    #[error("the scene has no cables: there is nothing to export")]
    NoCables,
    /// A selected cable is not there.
    #[error("there is no cable \"{name}\" in the scene; it has {known}")]
    UnknownCable {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// A cable cannot be solved at all.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A cable's shape makes no curve.
    #[error(transparent)]
    Route(#[from] RouteError),
}

/// The unit and axes in which the scene's parts came.
pub fn source_convention(_scene: &Scene) -> Convention {
    // Meshes say no unit yet: all of them are taken as mm, Z up.
    Convention::default()
}

/// The routes of the named cables, or of all when none is named, in the order of the scene.
pub fn routes_of(
    scene: &Scene,
    selection: &[String],
    tolerance: &FitTolerance,
) -> Result<Vec<Route>, SceneRoutesError> {
    if scene.cables.is_empty() {
        return Err(SceneRoutesError::NoCables);
    }
    if let Some(unknown) = selection.iter().find(|name| scene.cable(name).is_none()) {
        let known: Vec<_> = scene
            .cables
            .iter()
            .map(|c| format!("\"{}\"", c.name))
            .collect();
        return Err(SceneRoutesError::UnknownCable {
            name: unknown.clone(),
            known: known.join(", "),
        });
    }
    let is_selected = |cable: &Cable| selection.is_empty() || selection.contains(&cable.name);
    let (scene, facts) = solve_finely(scene, &is_selected)?;
    let mut routes = Vec::new();
    for (i, cable) in scene
        .cables
        .iter()
        .enumerate()
        .filter(|(_, c)| is_selected(c))
    {
        let label = Label {
            name: cable.name.clone(),
            colour: COLOURS[i % COLOURS.len()],
            radius: RadiusProfile::constant(cable.radius),
        };
        let nodes = nodes_of(cable).ok_or_else(|| RouteError::NoExtent(cable.name.clone()))?;
        let mut route = Route::through(label, &nodes, tolerance)?;
        route.solve = Some(facts[i]);
        routes.push(route);
    }
    Ok(routes)
}

/// A cable along an imported route, held at both ends in the route's directions, as long as the route.
///
/// Its first shape is the route; the next solve bends it as its stiffness wants.
pub fn cable_along(
    route: &ImportedRoute,
    radius: f64,
    section: CableSection,
    n_edges: usize,
) -> Cable {
    let nodes = route.nodes(n_edges);
    let ends = [nodes.points[0], nodes.points[n_edges]];
    let poses = [0, 1].map(|end| {
        let rotation = nodes.tangents[end].and_then(|t| rotation_along(&t));
        rotation.map(|rotation| Pose {
            position: ends[end],
            rotation,
        })
    });
    let handles = [HandlePlace::Start, HandlePlace::End]
        .into_iter()
        .zip(poses)
        .filter_map(|(place, pose)| pose.map(|pose| Handle { place, pose }))
        .collect();
    let state = RodState::along(nodes.points, poses.map(|p| p.map(|pose| pose.rotation)));
    Cable {
        name: route.name.clone(),
        radius,
        length: route.length,
        n_edges,
        section,
        handles,
        shape: Some(Shape {
            points: state.positions,
            frames: state.frames,
            turns: state.turns,
            clamps: poses,
        }),
    }
}

/// Solves the scene, and the selected cables with as many edges as their curves need.
fn solve_finely(
    scene: &Scene,
    is_selected: &dyn Fn(&Cable) -> bool,
) -> Result<(Scene, Vec<SolveFacts>), SceneRoutesError> {
    let mut simulation = Simulation::new(scene.clone())?;
    let mut reports = solve_to_rest(&mut simulation);
    let mut estimates = vec![None; scene.cables.len()];
    for _ in 0..ROUNDS {
        let coarse = simulation.scene().clone();
        let curves: Vec<Option<BSpline>> = coarse.cables.iter().map(curve_of).collect();
        let counts: Vec<usize> = coarse
            .cables
            .iter()
            .zip(&curves)
            .map(|(cable, curve)| match curve {
                Some(curve) if is_selected(cable) => edges_needed(cable, curve),
                _ => cable.n_edges,
            })
            .collect();
        if coarse
            .cables
            .iter()
            .zip(&counts)
            .all(|(c, n)| c.n_edges == *n)
        {
            break;
        }
        let touching = simulation.overlaps();
        simulation.replace_scene(refined(&coarse, &curves, &counts))?;
        if simulation.overlaps().iter().any(|o| !touching.contains(o)) {
            // The smooth curve bulges out of the chain of edges: where that touches a part, start from the chain.
            let chains: Vec<_> = coarse.cables.iter().map(chain_of).collect();
            simulation.replace_scene(refined(&coarse, &chains, &counts))?;
        }
        reports = solve_to_rest(&mut simulation);
        for (i, cable) in simulation.scene().cables.iter().enumerate() {
            let ratio = counts[i] as f64 / coarse.cables[i].n_edges as f64;
            if let (Some(old), Some(new), true) = (&curves[i], curve_of(cable), ratio > 1.0) {
                // Second order: the error left is what changed, over the gain in squares.
                estimates[i] = Some(apart(old, &new) / (ratio * ratio - 1.0));
            }
        }
    }
    let solved = simulation.scene().clone();
    let facts = solved
        .cables
        .iter()
        .zip(estimates)
        .map(|(cable, error_estimate)| SolveFacts {
            n_edges: cable.n_edges,
            converged: reports.iter().any(|r| {
                r.cable == cable.name
                    && matches!(r.report.status, Status::Converged | Status::Blocked)
            }),
            error_estimate,
        })
        .collect();
    Ok((solved, facts))
}

/// Steps until every cable is in equilibrium or held, or the limit is reached.
fn solve_to_rest(simulation: &mut Simulation) -> Vec<CableReport> {
    let cancel = CancelToken::default();
    let mut reports = simulation.solve_quietly(&cancel);
    for _ in 1..STEPS {
        let is_unfinished = |r: &CableReport| r.report.status == Status::NotConverged;
        if !reports.iter().any(is_unfinished) {
            break;
        }
        reports = simulation.solve_quietly(&cancel);
    }
    reports
}

/// Nodes of a solved cable, with the directions of its handles.
fn nodes_of(cable: &Cable) -> Option<Nodes> {
    let shape = cable.shape.as_ref()?;
    let n_edges = shape.points.len().checked_sub(1)?;
    let at = (0..=n_edges).map(|i| cable.length * i as f64 / n_edges as f64);
    Some(Nodes {
        at: at.collect(),
        points: shape.points.clone(),
        tangents: shape
            .clamps
            .map(|clamp| clamp.map(|pose| pose.rotation * Vec3::z())),
    })
}

/// The smooth curve through a cable's nodes, its parameter the rest arc length.
fn curve_of(cable: &Cable) -> Option<BSpline> {
    curve_through(&nodes_of(cable)?)
}

/// The chain of a cable's edges as a curve, its parameter the rest arc length.
fn chain_of(cable: &Cable) -> Option<BSpline> {
    let nodes = nodes_of(cable)?;
    let mut knots = vec![nodes.at[0]];
    knots.extend_from_slice(&nodes.at);
    knots.push(cable.length);
    BSpline::new(1, knots, nodes.points).ok()
}

/// The edges at which the curve through the nodes is as long as the chain, to our share of the tolerance.
fn edges_needed(cable: &Cable, curve: &BSpline) -> usize {
    let n = cable.n_edges;
    let chain = chain_of(cable).map_or(0.0, |chain| chain.length());
    let excess = curve.length() - chain;
    if excess <= LENGTH_SHARE {
        return n;
    }
    // The excess falls with the square; a fifth less is asked for, so that one round does.
    let factor = (excess / (0.8 * LENGTH_SHARE)).sqrt();
    ((n as f64 * factor).ceil() as usize).min(MOST_EDGES).max(n)
}

/// The scene with cables of that many edges, in shapes along the curves; handles stay where they really are.
fn refined(scene: &Scene, curves: &[Option<BSpline>], counts: &[usize]) -> Scene {
    let mut scene = scene.clone();
    for ((cable, curve), &n) in scene.cables.iter_mut().zip(curves).zip(counts) {
        if n == cable.n_edges {
            continue;
        }
        let (Some(curve), Some(shape)) = (curve, cable.shape.take()) else {
            continue;
        };
        for (handle, clamp) in [HandlePlace::Start, HandlePlace::End]
            .iter()
            .zip(&shape.clamps)
        {
            let handle = cable.handles.iter_mut().find(|h| h.place == *handle);
            if let (Some(handle), Some(clamp)) = (handle, clamp) {
                handle.pose = *clamp;
            }
        }
        cable.shape = Some(resampled(&shape, curve, n));
        cable.n_edges = n;
    }
    scene
}

/// A shape of `n` edges along `curve`, with the twist of the old one, whole turns included.
fn resampled(shape: &Shape, curve: &BSpline, n: usize) -> Shape {
    let (a, b) = curve.domain();
    let points: Vec<Vec3> = (0..=n)
        .map(|i| match i {
            0 => shape.points[0],
            _ if i == n => shape.points[shape.points.len() - 1],
            _ => curve.at(a + (b - a) * i as f64 / n as f64).position,
        })
        .collect();
    let clamps = shape.clamps.map(|clamp| clamp.map(|pose| pose.rotation));
    let old = RodState {
        positions: shape.points.clone(),
        frames: shape.frames.clone(),
        clamps,
        turns: shape.turns.clone(),
    };
    // Twist so far, at the middle of each old edge, and at the end.
    let n_old = old.frames.len();
    let mut sum = 0.0;
    let mut twists = Vec::with_capacity(n_old + 1);
    for j in 0..=n_old {
        sum += old.joint_twist(j);
        twists.push(sum);
    }
    let twist_at = |part: f64| {
        let place = (part * n_old as f64 - 0.5).clamp(0.0, n_old as f64 - 1.0);
        let i = (place as usize).min(n_old.saturating_sub(2));
        let next = twists[(i + 1).min(n_old - 1)];
        twists[i] + (next - twists[i]) * (place - i as f64)
    };
    let first = clamps[0].or_else(|| shape.frames.first().copied());
    let mut state = RodState::along(points, [first, None]);
    state.clamps = clamps;
    let middle = |i: usize| (i as f64 + 0.5) / n as f64;
    for (i, frame) in state.frames.iter_mut().enumerate() {
        *frame *= Rotation::from_scaled_axis(Vec3::z() * twist_at(middle(i)));
    }
    for j in 0..=n {
        let before = if j == 0 { 0.0 } else { twist_at(middle(j - 1)) };
        let after = if j == n {
            twists[n_old]
        } else {
            twist_at(middle(j))
        };
        state.keep_turns(j, after - before);
    }
    Shape {
        points: state.positions,
        frames: state.frames,
        turns: state.turns,
        clamps: shape.clamps,
        rolls: shape.rolls.clone(),
    }
}

/// Largest distance between two curves of the same parameter.
fn apart(a: &BSpline, b: &BSpline) -> f64 {
    a.spans()
        .map(|(from, _)| b.nearest_from(&a.at(from).position, from).1)
        .fold(0.0, f64::max)
}
