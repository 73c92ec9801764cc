//! From the rod's own grid to a coarse one, on which guesses are brought to rest, and back.

use crate::geom::{Rotation, Vec3};
use crate::rod::{Mark, Rod, RodState, grid, turned_to};
use crate::solve::start::Stops;
use crate::solve::{Grip, Hold, Load, Place, Problem};

/// Edges of the coarse grid.
const COARSE: usize = 14;

/// The problem without anything to touch, and with fixed rest lengths.
pub fn bare(problem: &Problem) -> Problem {
    Problem {
        rod: problem.rod.clone(),
        grips: problem.grips.clone(),
        loads: problem.loads.clone(),
        gravity: problem.gravity,
        ..Problem::free(problem.rod.clone(), problem.radius)
    }
}

/// The bare problem on a coarse grid that meets the handles.
pub fn coarsened(problem: &Problem) -> Problem {
    let bare = bare(problem);
    let lengths = problem.rod.rest_lengths();
    let marks: Vec<Mark> = (problem.grips.iter())
        .filter_map(|grip| match (grip.hold, grip.place) {
            (Hold::Spring(_), _) => None,
            (_, Place::Node(_)) => Some(Mark::Node(grip.place.arc_length_of(lengths))),
            _ => Some(Mark::Middle(grip.place.arc_length_of(lengths))),
        })
        .collect();
    let coarse = grid(problem.rod.length(), COARSE, &marks);
    if coarse.len() >= problem.rod.n_edges() {
        return bare;
    }
    let Some(rod) = coarse_rod(&problem.rod, &coarse) else {
        return bare;
    };
    let n = (problem.rod.n_edges(), rod.n_edges());
    let place = |place: Place, hold: Hold| match place {
        Place::Node(0) => Place::Node(0),
        Place::Node(i) if i == n.0 => Place::Node(n.1),
        _ => Grip::nearest(&rod, place.arc_length_of(lengths), hold).place,
    };
    let grips = problem.grips.iter().map(|grip| Grip {
        place: place(grip.place, grip.hold),
        hold: grip.hold,
    });
    let loads = problem.loads.iter().map(|load| Load {
        place: place(load.place, Hold::Spring(1.0)),
        ..*load
    });
    let coarse = Problem {
        grips: grips.collect(),
        loads: loads.collect(),
        rod: rod.clone(),
        ..bare.clone()
    };
    if coarse.check().is_ok() { coarse } else { bare }
}

/// A rod of these edges with the section of another, and its rest shape: of each joint the mean curvature of what it owns.
fn coarse_rod(fine: &Rod, lengths: &[f64]) -> Option<Rod> {
    let middles = lengths.iter().scan(0.0, |end, l| {
        *end += l;
        Some(*end - 0.5 * l)
    });
    // Of what has its own stiffness along it: that in the middle of each coarse edge.
    let sections = if fine.sections().is_empty() {
        Vec::new()
    } else {
        middles.map(|s| *fine.section_at(s)).collect()
    };
    let rod = Rod::new(lengths.to_vec(), *fine.section()).ok()?;
    let rod = rod.with_sections(sections).ok()?;
    if fine.rest_curvatures().is_empty() {
        return Some(rod);
    }
    let cells = |rod: &Rod| -> Vec<f64> {
        let mut end = 0.0;
        (0..=rod.n_edges())
            .map(|j| {
                end += rod.joint_length(j);
                end
            })
            .collect()
    };
    let (ends, fine_ends) = (cells(&rod), cells(fine));
    let (mut begin, mut k) = (0.0, 0);
    let means = ends.iter().map(|&end| {
        let (mut sum, mut from): (Vec3, f64) = (Vec3::zeros(), begin);
        loop {
            let to = fine_ends[k].min(end);
            sum += fine.rest_curvatures()[k] * (to - from).max(0.0);
            from = to;
            if fine_ends[k] >= end || k + 1 == fine_ends.len() {
                break;
            }
            k += 1;
        }
        let mean = sum / (end - begin);
        begin = end;
        mean
    });
    let means = means.collect();
    rod.moulded(means).ok()
}

/// The smooth curve through the nodes of a rod, along the frames between them.
struct Smooth<'r> {
    lengths: &'r [f64],
    state: &'r RodState,
}

impl Smooth<'_> {
    /// Direction at node `k`: that of its clamp, or the mean of its edges'.
    fn tangent(&self, k: usize) -> Vec3 {
        let (n, state) = (self.lengths.len(), self.state);
        let axis = |frame: &Rotation| frame * Vec3::z();
        let left = if k > 0 {
            Some(&state.frames[k - 1])
        } else {
            state.clamps[0].as_ref()
        };
        let right = if k < n {
            Some(&state.frames[k])
        } else {
            state.clamps[1].as_ref()
        };
        match (left, right) {
            _ if k == 0 && left.is_some() => left.map(axis),
            _ if k == n && right.is_some() => right.map(axis),
            (Some(a), Some(b)) => (axis(a) + axis(b)).try_normalize(1e-9),
            (one, other) => one.or(other).map(axis),
        }
        .unwrap_or_else(Vec3::zeros)
    }

    /// The point a part `t` along edge `k`.
    fn point(&self, k: usize, t: f64) -> Vec3 {
        let (h, u) = (self.lengths[k], 1.0 - t);
        self.state.positions[k] * ((1.0 + 2.0 * t) * u * u)
            + self.tangent(k) * (h * t * u * u)
            + self.state.positions[k + 1] * (t * t * (3.0 - 2.0 * t))
            - self.tangent(k + 1) * (h * t * t * u)
    }

    /// The frame there: between those in the middles of the edges around it.
    fn frame(&self, k: usize, t: f64) -> Rotation {
        let (lengths, state) = (self.lengths, self.state);
        let other = if t < 0.5 {
            k.checked_sub(1)
        } else {
            Some(k + 1).filter(|&o| o < lengths.len())
        };
        let (frame, reach) = match other {
            Some(o) => (Some(&state.frames[o]), 0.5 * (lengths[k] + lengths[o])),
            None => (
                state.clamps[usize::from(t >= 0.5)].as_ref(),
                0.5 * lengths[k],
            ),
        };
        let away = (t - 0.5).abs() * lengths[k] / reach;
        let own = state.frames[k];
        frame.map_or(own, |f| own.try_slerp(f, away, 1e-9).unwrap_or(own))
    }
}

/// A state of a coarse rod on the grid of a finer one: on the smooth curve through its nodes, with every handle where it is
/// to be.
pub fn on_grid(coarse: &Rod, state: &RodState, problem: &Problem, held: &Stops) -> RodState {
    let (n, fine) = (coarse.n_edges(), problem.rod.rest_lengths());
    if n == fine.len() {
        return state.clone();
    }
    let lengths = coarse.rest_lengths();
    let smooth = Smooth { lengths, state };
    let mut positions = vec![state.positions[0]];
    let mut frames = Vec::with_capacity(fine.len());
    let (mut k, mut begin, mut s) = (0, 0.0, 0.0);
    let mut seek = |s: f64| {
        while k + 1 < n && begin + lengths[k] < s {
            begin += lengths[k];
            k += 1;
        }
        (k, ((s - begin) / lengths[k]).clamp(0.0, 1.0))
    };
    for l in fine {
        let (k, t) = seek(s + 0.5 * l);
        frames.push(smooth.frame(k, t));
        s += l;
        let (k, t) = seek(s);
        positions.push(smooth.point(k, t));
    }
    for stop in &held.nodes {
        positions[stop.node] = stop.position;
    }
    for (frame, pair) in frames.iter_mut().zip(positions.windows(2)) {
        *frame = turned_to(frame, &(pair[1] - pair[0]));
    }
    for (edge, rotation) in &held.frames {
        frames[*edge] = *rotation;
    }
    RodState {
        positions,
        clamps: state.clamps,
        turns: vec![0; frames.len() + 1],
        frames,
    }
}
