//! Finer grids: more edges for a cable, and what that says about the error of the coarse one.

use std::f64::consts::PI;
use std::sync::Arc;

use super::second_opinion::{SecondOpinion, second_opinion};
use super::{Cable, CableReport, HandleKind, HandlePlace, RestShape, Scene, Shape, Simulation};
use super::{SimulationError, Skin};
use crate::geom::Vec3;
use crate::solve::{CancelToken, HandleReport, Report, Status};

/// Bend of the cable in one joint above which its grid is too coarse, radians: there the shape is off by some 0.1 % of
/// the length.
pub const COARSE: f64 = 0.35;

/// What the Richardson estimate is multiplied by, so that it bounds the error instead of meeting it. Of 150 random rods with
/// known truth the bare estimate is 0.6 to 1.4 times the error (docs/validation.md).
const SAFETY: f64 = 1.5;
/// Difference of two grids, over the length, above which they are not on the same branch; and over the length and the
/// square of the bend of a joint, with which the error of a grid grows (0.016 is usual).
const BRANCH: f64 = 0.02;
const BRANCH_BY_BEND: f64 = 0.2;

/// How far a solution may be from what ever finer grids would give: the bars of shape, forces and moments.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Name of the cable.
    pub cable: String,
    /// Edges of the finer grid it was compared with.
    pub n_edges: usize,
    /// Largest error of a node, mm.
    pub shape: f64,
    /// Largest error of the force of a handle, N.
    pub force: f64,
    /// The same in percent of the largest force of a handle.
    pub force_percent: f64,
    /// Largest error of the moment of a handle, N mm.
    pub moment: f64,
    /// The same in percent of the largest moment of a handle.
    pub moment_percent: f64,
    /// How the finer solve ended.
    pub status: Status,
    /// The finer grid ended in another shape than the coarse one, too far away for an error of the grid.
    pub other_branch: bool,
    /// What discrete elastic rods say of the same cable, if they were asked; the difference is in the bars.
    pub second_opinion: Option<SecondOpinion>,
}

impl Estimate {
    /// Whether the bars can be relied on: the finer grid is in equilibrium near the coarse one, and so is the other model
    /// where it was asked.
    pub fn holds(&self) -> bool {
        matches!(self.status, Status::Converged | Status::Blocked)
            && !self.other_branch
            && self.second_opinion.is_none_or(|o| o.converged)
    }
}

/// The cable with every edge cut in two, or in three where a handle sits in the middle of one: there it stays.
///
/// Shape, rest shape and surface are carried over; the shape is no equilibrium of the finer rod until it is solved.
pub fn refined(cable: &Cable) -> Cable {
    let in_middles = cable.handles.iter().any(|h| {
        matches!(h.place, HandlePlace::At(_))
            && !matches!(h.kind, HandleKind::Position | HandleKind::Spring { .. })
    });
    let parts = if in_middles { 3 } else { 2 };
    let mut fine = cable.clone();
    fine.n_edges = parts * cable.n_edges;
    let cut = |lengths: Vec<f64>| -> Vec<f64> {
        let cut = |l: f64| std::iter::repeat_n(l / parts as f64, parts);
        lengths.into_iter().flat_map(cut).collect()
    };
    if cable.spacing.is_some() {
        fine.spacing = Some(cut(cable.edge_lengths()));
    }
    fine.basis_spacing = cable.basis_spacing.clone().map(cut);
    if let RestShape::Moulded { curvatures, .. } = &mut fine.rest {
        let coarse = std::mem::take(curvatures);
        for pair in coarse.windows(2) {
            let (a, b) = (Vec3::from(pair[0]), Vec3::from(pair[1]));
            let at = |k: usize| -> [f64; 3] { a.lerp(&b, k as f64 / parts as f64).into() };
            curvatures.extend((0..parts).map(at));
        }
        curvatures.extend(coarse.last());
    }
    if let Some(shape) = &cable.shape {
        let finer = refined_shape(shape, parts);
        fine.skin = cable.skin.as_ref().map(|skin| {
            let vertices: Vec<Vec3> = skin.positions(shape).collect();
            let place = |i: usize| {
                let v = &skin.vertices[i];
                let along = v.along * parts as f64;
                let part = along.floor().clamp(0.0, parts as f64 - 1.0);
                (v.edge as usize * parts + part as usize, along - part)
            };
            Arc::new(Skin::bind(&finer, &vertices, skin.triangles.clone(), place))
        });
        fine.shape = Some(finer);
    }
    fine
}

fn refined_shape(shape: &Shape, parts: usize) -> Shape {
    let n = shape.frames.len();
    let share = |k: usize| k as f64 / parts as f64;
    let mut fine = Shape {
        points: Vec::with_capacity(parts * n + 1),
        frames: Vec::with_capacity(parts * n),
        turns: vec![0; parts * n + 1],
        memory: (shape.memory.as_ref()).map(|memory| Arc::new(memory.refined(parts))),
        ..shape.clone()
    };
    for edge in 0..n {
        for k in 0..parts {
            // A node stays where it is; the others are on the smooth curve.
            fine.points.push(match k {
                0 => shape.points[edge],
                _ => shape.place_on_edge(edge, share(k)).0,
            });
            let middle = share(k) + 0.5 / parts as f64;
            fine.frames.push(shape.place_on_edge(edge, middle).1);
        }
    }
    fine.points.extend(shape.points.last());
    // Whole turns stay at the joints that had them; the solver spreads them.
    for (j, &turns) in shape.turns.iter().enumerate() {
        fine.turns[parts * j] = turns;
    }
    fine
}

/// Solves every cable on a finer grid, and bounds how far the solution is off: the error bars of shape, forces and moments.
///
/// `scene` holds the solved shapes and `reports` what the solve said. With r times as many edges and errors that fall with
/// the square of the edge, the coarse solution is off by r^2 / (r^2 - 1) times the difference of the two; in contact,
/// where kinks and gaps spoil the second order, by r / (r - 1) times. Bars are 1.5 times that. With `second_model`
/// discrete elastic rods solve each cable too, and the difference is added.
///
/// A caller that has a solved scene alone, such as the report of an export, takes [`verify_solved`].
pub fn verify(
    scene: &Scene,
    reports: &[Arc<CableReport>],
    second_model: bool,
    cancel: &CancelToken,
) -> Result<Vec<Estimate>, SimulationError> {
    let mut fine = scene.clone();
    for cable in &mut fine.cables {
        cable.skin = None;
        *cable = refined(cable);
    }
    let mut simulation = Simulation::new(fine)?;
    let found = simulation.solve_quietly(cancel);
    let asked = if second_model {
        Some(Simulation::new(scene.clone())?)
    } else {
        None
    };
    let mut estimates = Vec::new();
    for (k, coarse) in scene.cables.iter().enumerate() {
        let fine = &simulation.scene().cables[k];
        let report = reports.iter().find(|r| r.cable == coarse.name);
        let (Some(a), Some(b), Some(report)) = (&coarse.shape, &fine.shape, report) else {
            continue;
        };
        let opinion = asked.as_ref().map(|simulation| {
            second_opinion(&simulation.solvers()[k]).unwrap_or(SecondOpinion::NONE)
        });
        let ratio = fine.n_edges / coarse.n_edges;
        let reports = [&report.report, &found[k].report];
        let difference = Difference::between(a, b, ratio, reports);
        let largest = report.report.largest_bend;
        let limit = coarse.length * BRANCH.max(BRANCH_BY_BEND * largest * largest);
        let touches = |r: &Report| !r.contacts.is_empty() || !r.rod_contacts.is_empty();
        let order = if reports.iter().any(|r| touches(r)) {
            1
        } else {
            2
        };
        let power = (ratio as f64).powi(order);
        let factor = SAFETY * power / (power - 1.0);
        let added = opinion.unwrap_or(SecondOpinion::SAME);
        let bar = |difference: f64, added: f64| factor * difference + added;
        let (force, moment) = (
            bar(difference.force, added.force),
            bar(difference.moment, added.moment),
        );
        let percent = |value: f64, of: f64| if of > 0.0 { 100.0 * value / of } else { 0.0 };
        estimates.push(Estimate {
            cable: coarse.name.clone(),
            n_edges: fine.n_edges,
            shape: bar(difference.shape, added.shape),
            force,
            force_percent: percent(force, difference.largest_force),
            moment,
            moment_percent: percent(moment, difference.largest_moment),
            status: found[k].report.status,
            other_branch: difference.shape > limit || difference.twist > PI,
            second_opinion: opinion,
        });
    }
    Ok(estimates)
}

/// As [`verify`] for a scene that was solved before: the forces of its shapes are found by a solve from where they are.
pub fn verify_solved(
    scene: &Scene,
    second_model: bool,
    cancel: &CancelToken,
) -> Result<Vec<Estimate>, SimulationError> {
    let mut simulation = Simulation::new(scene.clone())?;
    let reports = simulation.solve_quietly(cancel);
    verify(simulation.scene(), &reports, second_model, cancel)
}

/// How two grids differ, and what forces there are to compare with.
struct Difference {
    shape: f64,
    twist: f64,
    force: f64,
    moment: f64,
    largest_force: f64,
    largest_moment: f64,
}

impl Difference {
    fn between(a: &Shape, b: &Shape, ratio: usize, [coarse, fine]: [&Report; 2]) -> Self {
        let largest = |of: &dyn Fn(&HandleReport) -> Vec3| {
            let all = fine.handles.iter().map(|h| of(h).norm());
            all.fold(0.0, f64::max)
        };
        let apart = |of: &dyn Fn(&HandleReport) -> Vec3| {
            let pairs = coarse.handles.iter().zip(&fine.handles);
            pairs
                .map(|(a, b)| (of(a) - of(b)).norm())
                .fold(0.0, f64::max)
        };
        let nodes = a.points.iter().enumerate();
        Self {
            shape: nodes
                .map(|(i, p)| (p - b.points[ratio * i]).norm())
                .fold(0.0, f64::max),
            twist: (twist_of(a) - twist_of(b)).abs(),
            force: apart(&|h| h.force),
            moment: apart(&|h| h.moment),
            largest_force: largest(&|h| h.force),
            largest_moment: largest(&|h| h.moment),
        }
    }
}

/// Twist of a whole cable, turns included, radians.
fn twist_of(shape: &Shape) -> f64 {
    let state = shape.rod_state();
    (0..shape.turns.len()).map(|j| state.joint_twist(j)).sum()
}
