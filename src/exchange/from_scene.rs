//! Routes of a scene: the one place where export meets the document.
//!
//! Each cable is solved, then solved again with more edges until the smooth curve through its nodes is as long as
//! the cable. The curve is longer than the chain of edges by sum(h^3 k^2 / 24), which falls with the square of h.

mod surroundings;

use std::sync::Arc;

use std::collections::HashMap;

use super::bspline::BSpline;
use super::finding::{OFF_SHOWN, Solved, findings_of};
use super::fit::FitTolerance;
use super::lengths::RouteLengths;
use super::network::{Network, Segment, SegmentLabel};
use super::route::{
    ErrorBars, Label, Nodes, Piece, RadiusProfile, Route, RouteError, SolveFacts, curve_through,
};
use super::unit::{Axes, Convention, LengthUnit};
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::import::{Unit, UpAxis};
use crate::progress::{Cancelled, Progress};
use crate::rod::RodState;
use crate::scene::findings::{Finding, judge};
use crate::scene::lengths::{LengthLine, lengths, of_cable_alone};
use crate::scene::refine;
use crate::scene::{
    Cable, CableReport, CableReports, Piece as ScenePiece, RestShape, Scene, Shape, Simulation,
    SimulationError, free_name,
};
use crate::solve::{CancelToken, Status};

/// Difference between curve and chain at which a cable has edges enough, mm: the fit has the rest of 0.01.
const LENGTH_SHARE: f64 = 0.005;

/// Edges at most: beyond, the difference is stated.
const MOST_EDGES: usize = 6000;

/// Solves with ever more edges at most.
const ROUNDS: usize = 4;

/// Ends of routes at one node differ by no more than rounding, mm.
const ROUNDING: f64 = 1e-6;

/// Share of a fitting over which the radius of a route goes over to that of the cable: a tube has no steps.
const STEP: f64 = 0.3;

/// Steps after which a solve that does not converge is given up.
const STEPS: usize = 10;

/// Colours of cables that have none, told apart on light and dark.
pub(super) const COLOURS: [[u8; 3]; 6] = [
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
    /// A selected cable or segment is not there.
    #[error("there is no route \"{name}\" in the scene; it has {known}")]
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
    /// The user stopped it.
    #[error("stopped; nothing was written")]
    Cancelled(#[from] Cancelled),
}

/// How routes of a scene are made.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RouteOptions {
    /// How near the curves must come.
    pub tolerance: FitTolerance,
    /// Only the flexible stretches of a harness, each by itself, instead of whole segments from node to node.
    pub flexible_only: bool,
}

/// The unit and axes in which the scene's harness came, or its first part from a file; mm and Z up for none.
pub fn source_convention(scene: &Scene) -> Convention {
    let harness = scene.harnesses.first().map(|h| h.space);
    let mut sources = scene.parts.iter().filter_map(|p| p.source.as_ref());
    let space = harness.or_else(|| sources.next().map(|s| s.space));
    let space = space.unwrap_or_default();
    Convention {
        unit: match space.unit {
            Unit::Metre => LengthUnit::M,
            Unit::Inch => LengthUnit::In,
            // Receivers know these three; the others are written in mm.
            _ => LengthUnit::Mm,
        },
        axes: match space.up {
            UpAxis::Y => Axes::YUp,
            UpAxis::Z => Axes::ZUp,
        },
    }
}

/// A route to be made: its name, its pieces, and how it looks.
struct Plan<'a> {
    name: String,
    /// Rigid points with radii, or a cable by its number.
    pieces: Vec<PlanPiece<'a>>,
    /// Where it starts and ends: (harness, node), shared with other routes.
    ends: Option<[(usize, usize); 2]>,
    /// What it is in its harness, with the ids of the nodes there.
    label: SegmentLabel,
}

enum PlanPiece<'a> {
    Rigid(Vec<Vec3>, &'a [f64]),
    Cable(usize),
}

/// The routes of the named cables or segments, or of all when none is named, in the order of the scene, with the
/// nodes, fixings and connectors of the harnesses they are.
///
/// A segment of a harness is one route from node to node, rigid and flexible pieces joined; a cable of no harness
/// is a route by itself.
pub fn network_of(
    scene: &Scene,
    selection: &[String],
    options: &RouteOptions,
) -> Result<Network<Route>, SceneRoutesError> {
    network_with_progress(scene, selection, options, &Progress::default())
}

/// As [`network_of`], which can be cancelled.
pub fn network_with_progress(
    scene: &Scene,
    selection: &[String],
    options: &RouteOptions,
    progress: &Progress,
) -> Result<Network<Route>, SceneRoutesError> {
    let plans = plans_of(scene, options.flexible_only);
    if plans.is_empty() {
        return Err(SceneRoutesError::NoCables);
    }
    let is_of = |plan: &Plan, name: &str| {
        let has = |p: &PlanPiece| matches!(p, PlanPiece::Cable(i) if scene.cables[*i].name == name);
        plan.name == name
            || plan.label.segment.as_deref() == Some(name)
            || plan.pieces.iter().any(has)
    };
    let unknown = |name: &&String| !plans.iter().any(|plan| is_of(plan, name));
    if let Some(unknown) = selection.iter().find(unknown) {
        let known: Vec<_> = plans.iter().map(|p| format!("\"{}\"", p.name)).collect();
        return Err(SceneRoutesError::UnknownCable {
            name: unknown.clone(),
            known: known.join(", "),
        });
    }
    let is_selected =
        |plan: &&Plan| selection.is_empty() || selection.iter().any(|name| is_of(plan, name));
    let plans: Vec<&Plan> = plans.iter().filter(is_selected).collect();
    let needed: Vec<bool> = (0..scene.cables.len())
        .map(|i| {
            let uses = |p: &PlanPiece| matches!(p, PlanPiece::Cable(k) if *k == i);
            plans.iter().any(|plan| plan.pieces.iter().any(uses))
        })
        .collect();
    let solved = solve_finely(scene, &needed, progress)?;
    let book = lengths(&solved.scene);
    let mut nodes: HashMap<(usize, usize), Vec3> = HashMap::new();
    let mut network = Network::default();
    for (i, plan) in plans.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        progress.at("fitting curves", 0.7 + 0.2 * i as f64 / plans.len() as f64)?;
        let mut route = route_of(plan, &solved, colour, &mut nodes, options)?;
        route.lengths = lengths_of(plan, &solved.scene, &book);
        network.segments.push(Segment {
            label: plan.label.clone(),
            route,
        });
    }
    for (i, plan) in plans.iter().enumerate() {
        surroundings::add(&solved.scene, plan, i, &mut network);
    }
    Ok(network)
}

/// All routes of a scene: segments of harnesses, then cables that belong to none.
fn plans_of(scene: &Scene, flexible_only: bool) -> Vec<Plan<'_>> {
    let number = |name: &str| scene.cables.iter().position(|c| c.name == name);
    let mut plans: Vec<Plan> = Vec::new();
    let mut taken = vec![false; scene.cables.len()];
    for (h, harness) in scene.harnesses.iter().enumerate() {
        for segment in harness.segments.iter().filter(|_| !flexible_only) {
            let pieces: Option<Vec<PlanPiece>> = segment
                .pieces
                .iter()
                .map(|piece| match piece {
                    ScenePiece::Rigid {
                        part,
                        points,
                        radii,
                    } => Some(PlanPiece::Rigid(
                        placed(scene, part.as_deref(), points),
                        radii,
                    )),
                    ScenePiece::Flexible { cable } => number(cable).map(PlanPiece::Cable),
                })
                .collect();
            // A segment whose cable was deleted is no route any more.
            let Some(pieces) = pieces.filter(|p| !p.is_empty()) else {
                continue;
            };
            for piece in &pieces {
                if let PlanPiece::Cable(i) = piece {
                    taken[*i] = true;
                }
            }
            // The name of its one cable, which the user may have given; else that of the segment in its harness.
            // Neither changes with what else is in the scene.
            let mut own = pieces.iter().filter_map(|piece| match piece {
                PlanPiece::Cable(i) => Some(&scene.cables[*i].name),
                PlanPiece::Rigid(..) => None,
            });
            let name = match (own.next(), own.next()) {
                (Some(name), None) => name.clone(),
                _ => format!("{} {}", harness.name, segment.name),
            };
            let node = |i: usize| {
                let node = harness.nodes.get(i);
                node.map(|node| format!("{} {}", harness.name, node.name))
            };
            plans.push(Plan {
                name: free_name(&name, |n| plans.iter().any(|p| p.name == n)),
                label: SegmentLabel {
                    id: format!("{} {}", harness.name, segment.name),
                    segment: Some(segment.name.clone()),
                    harness: Some(harness.name.clone()),
                    from: node(segment.start),
                    to: node(segment.end),
                },
                pieces,
                ends: Some([(h, segment.start), (h, segment.end)]),
            });
        }
    }
    for (i, cable) in scene.cables.iter().enumerate().filter(|(i, _)| !taken[*i]) {
        let name = free_name(&cable.name, |n| plans.iter().any(|p| p.name == n));
        let [from, to] = surroundings::ends_of(scene, cable);
        plans.push(Plan {
            label: SegmentLabel {
                from,
                to,
                ..SegmentLabel::loose(free_name(&name, |n| plans.iter().any(|p| p.label.id == n)))
            },
            name,
            pieces: vec![PlanPiece::Cable(i)],
            ends: None,
        });
    }
    plans
}

/// The points of a rigid piece where its part is now.
fn placed(scene: &Scene, part: Option<&str>, points: &[Vec3]) -> Vec<Vec3> {
    match part.and_then(|name| scene.part(name)) {
        Some(part) if *part.placement() != Pose::identity() => {
            let placement = part.placement();
            points.iter().map(|p| placement.transform(p)).collect()
        }
        _ => points.to_vec(),
    }
}

fn route_of(
    plan: &Plan,
    solved: &FinelySolved,
    mut colour: [u8; 3],
    shared: &mut HashMap<(usize, usize), Vec3>,
    options: &RouteOptions,
) -> Result<Route, SceneRoutesError> {
    let mut pieces = Vec::new();
    let mut profile: Vec<(f64, f64)> = Vec::new();
    let mut solve: Option<SolveFacts> = None;
    let mut findings = Vec::new();
    let mut materials: Vec<Option<String>> = Vec::new();
    let mut length = 0.0;
    // Radii that somebody has set are not smoothed as measured ones are.
    let mut is_exact = false;
    for piece in &plan.pieces {
        match piece {
            PlanPiece::Rigid(points, radii) => {
                for (k, radius) in radii.iter().enumerate().take(points.len()) {
                    length += k
                        .checked_sub(1)
                        .map_or(0.0, |j| (points[k] - points[j]).norm());
                    profile.push((length, *radius));
                }
                pieces.push(Piece::Rigid(points.clone()));
            }
            PlanPiece::Cable(i) => {
                let (cable, fact) = (&solved.scene.cables[*i], &solved.facts[*i]);
                findings.extend_from_slice(&solved.findings[*i]);
                materials.push(cable.material.clone());
                colour = cable.color.unwrap_or(colour);
                let nodes =
                    nodes_of(cable).ok_or_else(|| RouteError::NoExtent(cable.name.clone()))?;
                if let Some([seat, exit]) = cable.fitting_axis(0) {
                    let own = (exit - seat).norm();
                    let radius = cable.fitting_radius(0);
                    profile.push((length, radius));
                    profile.push((length + (1.0 - STEP) * own, radius));
                    length += own;
                    pieces.push(Piece::Rigid(vec![seat, exit]));
                }
                is_exact |= !cable.stretches.is_empty();
                let places = places_of(&nodes.points, length);
                profile.extend(stepped(cable, &places));
                length = places[places.len() - 1];
                pieces.push(Piece::Flexible(nodes));
                if let Some([seat, exit]) = cable.fitting_axis(1) {
                    let own = (exit - seat).norm();
                    let radius = cable.fitting_radius(1);
                    profile.push((length + STEP * own, radius));
                    length += own;
                    profile.push((length, radius));
                    pieces.push(Piece::Rigid(vec![exit, seat]));
                }
                solve = Some(solve.map_or(*fact, |so_far| so_far.with(fact)));
            }
        }
    }
    if let Some(ends) = plan.ends {
        share_ends(&mut pieces, ends, shared);
    }
    let label = Label {
        name: plan.name.clone(),
        colour,
        radius: RadiusProfile::simplified(&profile, is_exact)
            .ok_or_else(|| RouteError::NoExtent(plan.name.clone()))?,
    };
    let mut route = Route::joined(label, &pieces, &options.tolerance)?;
    route.solve = solve;
    route.findings = findings;
    materials.dedup();
    if let [material] = &mut materials[..] {
        route.material = material.take();
    }
    Ok(route)
}

/// Arc lengths of a chain of points, of which the first is at `from`, mm.
fn places_of(points: &[Vec3], from: f64) -> Vec<f64> {
    let mut places = vec![from];
    for (i, pair) in points.windows(2).enumerate() {
        places.push(places[i] + (pair[1] - pair[0]).norm());
    }
    places
}

/// Radii along a cable whose nodes are at these arc lengths of the route. A step would be no surface: beside a thicker
/// stretch the tube goes over to the thinner one within the difference of their radii, inside the round end that the
/// thicker one has in contact.
fn stepped(cable: &Cable, places: &[f64]) -> Vec<(f64, f64)> {
    let runs = cable.radius_runs();
    let mut profile = Vec::with_capacity(2 * runs.len());
    for (k, (edges, radius)) in runs.iter().enumerate() {
        let (start, end) = (places[edges.start], places[edges.end]);
        let ramp = |other: Option<&(std::ops::Range<usize>, f64)>| {
            let more = other.map_or(0.0, |(_, thick)| thick - radius).max(0.0);
            more.min(STEP * (end - start))
        };
        let before = k.checked_sub(1).and_then(|k| runs.get(k));
        profile.push((start + ramp(before), *radius));
        profile.push((end - ramp(runs.get(k + 1)), *radius));
    }
    profile
}

/// The line of the book for a route: of its segment, or of its one cable.
fn lengths_of(plan: &Plan, scene: &Scene, book: &[LengthLine]) -> Option<RouteLengths> {
    let cables: Vec<&Cable> = (plan.pieces.iter())
        .filter_map(|piece| match piece {
            PlanPiece::Cable(i) => scene.cables.get(*i),
            PlanPiece::Rigid(..) => None,
        })
        .collect();
    let of_segment = |name| book.iter().find(|l| l.kind == "branch" && l.name == name);
    let line = match (plan.label.segment.as_deref(), &cables[..]) {
        (Some(segment), _) => of_segment(segment)?.clone(),
        (None, [cable]) => of_cable_alone(cable),
        (None, _) => return None,
    };
    Some(RouteLengths::of(&line, &cables))
}

/// Gives both ends of a route the very bits of the nodes they share with others, where they differ by rounding.
fn share_ends(
    pieces: &mut [Piece],
    ends: [(usize, usize); 2],
    shared: &mut HashMap<(usize, usize), Vec3>,
) {
    let last = pieces.len() - 1;
    for (piece, at_end, node) in [(0, false, ends[0]), (last, true, ends[1])] {
        let points = match &mut pieces[piece] {
            Piece::Flexible(nodes) => &mut nodes.points,
            Piece::Rigid(points) => points,
        };
        let end = if at_end {
            points.last_mut()
        } else {
            points.first_mut()
        };
        if let Some(end) = end {
            let place = *shared.entry(node).or_insert(*end);
            if (place - *end).norm() <= ROUNDING {
                *end = place;
            }
        }
    }
}

/// A scene solved with the edges of the export; facts and findings by the number of the cable.
struct FinelySolved {
    scene: Scene,
    facts: Vec<SolveFacts>,
    findings: Vec<Vec<Finding>>,
}

/// Solves the scene, and the selected cables with as many edges as their curves need.
fn solve_finely(
    scene: &Scene,
    needed: &[bool],
    progress: &Progress,
) -> Result<FinelySolved, SceneRoutesError> {
    progress.at("solving", 0.05)?;
    let mut simulation = Simulation::new(scene.clone())?;
    let first = solve_to_rest(&mut simulation, progress.token());
    progress.at("solving finely", 0.2)?;
    let open = judge(&simulation, &first);
    let shown = simulation.scene().clone();
    let mut reports = first;
    let mut estimates = vec![None; scene.cables.len()];
    for round in 0..ROUNDS {
        progress.at("solving finely", 0.2 + 0.5 * round as f64 / ROUNDS as f64)?;
        let coarse = simulation.scene().clone();
        let curves: Vec<Option<BSpline>> = coarse.cables.iter().map(curve_of).collect();
        let counts: Vec<usize> = coarse
            .cables
            .iter()
            .zip(&curves)
            .zip(needed)
            .zip(&estimates)
            .map(|(((cable, curve), needed), estimate)| match curve {
                Some(curve) if *needed => edges_needed(cable, curve, *estimate),
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
        reports = solve_to_rest(&mut simulation, progress.token());
        for (i, cable) in simulation.scene().cables.iter().enumerate() {
            let ratio = counts[i] as f64 / coarse.cables[i].n_edges as f64;
            if let (Some(old), Some(new), true) = (&curves[i], curve_of(cable), ratio > 1.0) {
                // Second order: the error left is what changed, over the gain in squares.
                estimates[i] = Some(apart(old, &new) / (ratio * ratio - 1.0));
            }
        }
    }
    let scene = simulation.scene().clone();
    progress.at("estimating errors", 0.7)?;
    // A cable that no finer solve can be made of has no bars.
    let bars = refine::verify(&scene, &reports, true, progress.token()).unwrap_or_default();
    let bars_of = |cable: &str| {
        let own = bars.iter().find(|e| e.cable == cable);
        own.map(ErrorBars::of)
    };
    let facts: Vec<SolveFacts> = scene
        .cables
        .iter()
        .zip(&shown.cables)
        .zip(estimates)
        .map(|((cable, shown), error_estimate)| SolveFacts {
            n_edges: cable.n_edges,
            off_shown: curve_of(shown)
                .zip(curve_of(cable))
                .map(|(shown, exported)| apart(&shown, &exported)),
            converged: reports.iter().any(|r| {
                r.cable == cable.name
                    && matches!(r.report.status, Status::Converged | Status::Blocked)
            }),
            error_estimate,
            bars: bars_of(&cable.name),
        })
        .collect();
    let solved = Solved {
        first: &open,
        last: &simulation,
        reports: &reports,
    };
    Ok(FinelySolved {
        findings: findings_of(&solved, &facts),
        scene,
        facts,
    })
}

/// Steps until every cable is in equilibrium or held, or the limit is reached.
fn solve_to_rest(simulation: &mut Simulation, cancel: &CancelToken) -> CableReports {
    let mut reports = simulation.solve_quietly(cancel);
    for _ in 1..STEPS {
        let is_unfinished = |r: &Arc<CableReport>| r.report.status == Status::NotConverged;
        if !reports.iter().any(is_unfinished) {
            break;
        }
        reports = simulation.solve_quietly(cancel);
    }
    reports
}

/// Nodes of a solved cable, with the directions of its handles.
fn nodes_of(cable: &Cable) -> Option<Nodes> {
    let shape = cable.shape.as_ref()?;
    let n_edges = shape.points.len().checked_sub(1)?;
    let mut at = vec![0.0];
    for (i, edge) in cable.edge_lengths().iter().enumerate() {
        at.push(at[i] + edge);
    }
    if at.len() != n_edges + 1 {
        return None;
    }
    Some(Nodes {
        at,
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
    knots.push(nodes.at[nodes.at.len() - 1]);
    BSpline::new(1, knots, nodes.points).ok()
}

/// The edges at which the curve through the nodes is as long as the chain, to our share of the tolerance, and at which the
/// error of the shape, as far as it is known, is small: the ends of a cable at a free junction move with all its branches.
fn edges_needed(cable: &Cable, curve: &BSpline, estimate: Option<f64>) -> usize {
    let n = cable.n_edges;
    let chain = chain_of(cable).map_or(0.0, |chain| chain.length());
    let excess = curve.length() - chain;
    // Both fall with the square; a fifth less is asked for, so that one round does.
    // Every edge is cut into the same number, so that handles along the cable keep their nodes.
    let over = (excess / LENGTH_SHARE).max(estimate.unwrap_or(0.0) / OFF_SHOWN);
    if over <= 1.0 {
        return n;
    }
    let factor = (over / 0.8).sqrt().ceil() as usize;
    n * factor.min(MOST_EDGES / n).max(1)
}

/// The scene with cables of that many edges, in shapes along the curves; handles stay where they really are.
fn refined(scene: &Scene, curves: &[Option<BSpline>], counts: &[usize]) -> Scene {
    let mut scene = scene.clone();
    for ((cable, curve), &n) in scene.cables.iter_mut().zip(curves).zip(counts) {
        if n == cable.n_edges {
            continue;
        }
        let Some(curve) = curve else {
            continue;
        };
        for k in 0..cable.handles.len() {
            if let Some(pose) = cable.held_pose(&cable.handles[k]) {
                cable.handles[k].pose = pose;
            }
        }
        let Some(shape) = cable.shape.take() else {
            continue;
        };
        let lengths = cable.edge_lengths();
        let factor = n / cable.n_edges;
        let finer: Vec<f64> = lengths
            .iter()
            .flat_map(|l| std::iter::repeat_n(l / factor as f64, factor))
            .collect();
        cable.shape = Some(resampled(&shape, curve, &lengths, &finer));
        if let RestShape::Moulded { curvatures, .. } = &mut cable.rest {
            *curvatures = finer_curvatures(curvatures, factor);
        }
        if cable.spacing.is_some() {
            cable.spacing = Some(finer);
        }
        // Nobody asks this copy for what was imported.
        cable.basis_spacing = None;
        cable.n_edges = n;
    }
    scene
}

/// Rest curvatures of joints, with every edge cut into `factor`: linear between the old joints.
fn finer_curvatures(joints: &[[f64; 3]], factor: usize) -> Vec<[f64; 3]> {
    let mut finer = Vec::with_capacity(joints.len() * factor);
    for pair in joints.windows(2) {
        for k in 0..factor {
            let part = k as f64 / factor as f64;
            finer.push([0, 1, 2].map(|c| pair[0][c] + (pair[1][c] - pair[0][c]) * part));
        }
    }
    finer.extend(joints.last());
    finer
}

/// Arc lengths of the middles of edges.
fn middles(lengths: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    lengths
        .iter()
        .map(|l| {
            sum += l;
            sum - 0.5 * l
        })
        .collect()
}

/// A shape with edges of `finer` rest lengths along `curve`, with the twist of the old one, whole turns included.
fn resampled(shape: &Shape, curve: &BSpline, lengths: &[f64], finer: &[f64]) -> Shape {
    let n = finer.len();
    let mut points = vec![shape.points[0]];
    let mut s = 0.0;
    for length in &finer[..n - 1] {
        s += length;
        points.push(curve.at(s).position);
    }
    points.push(shape.points[shape.points.len() - 1]);
    let old = shape.rod_state();
    let clamps = old.clamps;
    // Twist so far, at the middle of each old edge, and at the end.
    let n_old = old.frames.len();
    let mut sum = 0.0;
    let mut twists = Vec::with_capacity(n_old + 1);
    for j in 0..=n_old {
        sum += old.joint_twist(j);
        twists.push(sum);
    }
    let (old_middles, new_middles) = (middles(lengths), middles(finer));
    let twist_at = |s: f64| {
        let after = old_middles.partition_point(|m| *m < s);
        if after == 0 || after >= n_old {
            return twists[after.min(n_old - 1)];
        }
        let (a, b) = (old_middles[after - 1], old_middles[after]);
        twists[after - 1] + (twists[after] - twists[after - 1]) * (s - a) / (b - a)
    };
    let first = clamps[0].or_else(|| shape.frames.first().copied());
    let mut state = RodState::along(points, [first, None]);
    state.clamps = clamps;
    for (i, frame) in state.frames.iter_mut().enumerate() {
        *frame *= Rotation::from_scaled_axis(Vec3::z() * twist_at(new_middles[i]));
    }
    for j in 0..=n {
        let before = if j == 0 {
            0.0
        } else {
            twist_at(new_middles[j - 1])
        };
        let after = if j == n {
            twists[n_old]
        } else {
            twist_at(new_middles[j])
        };
        state.keep_turns(j, after - before);
    }
    Shape {
        clamps: shape.clamps,
        rolls: shape.rolls.clone(),
        memory: shape.memory.as_ref().map(|memory| {
            let factor = finer.len() / lengths.len();
            std::sync::Arc::new(memory.refined(factor))
        }),
        ..Shape::of_rod(state)
    }
}

/// Largest distance between two curves of the same parameter.
fn apart(a: &BSpline, b: &BSpline) -> f64 {
    // An end that a free junction has moves too.
    a.spans()
        .flat_map(|(from, to)| [from, to])
        .map(|at| b.nearest_from(&a.at(at).position, at).1)
        .fold(0.0, f64::max)
}
