//! Where a cable without a stored shape starts: the lowest of its stable shapes that several guesses lead to.
//!
//! A cable between two clamps often has more than one stable shape: it hangs or stands up, passes on one side or the
//! other, holds a turn more or less. Newton's method finds the one next to its guess. So guesses of different kinds are
//! brought to rest on a coarse grid and without parts, which takes some tenth of a millisecond each; of the shapes found the
//! lowest that is clear of parts goes on to the rod's own grid.

mod coarse;

use std::f64::consts::TAU;

use coarse::{bare, coarsened, on_grid};

use super::coupled::Coupled;
use super::run::Rest;
use super::settings::TAUT;
use super::start::{held_by, state_through};
use super::{Budget, Hold, Load, Pairs, Place, Problem, Solver, Target};
use crate::geom::{Rotation, Vec3};
use crate::rod::{RodState, Stop, turned_to};

/// Shapes nearer than this over the length, and with energies as near over the elastic one, are the same.
const SAME: f64 = 5e-3;
/// Shapes whose elastic energy is within this of the lowest's are compared on the rod's own grid: that is more than the
/// coarse grid is off.
const NEAR: f64 = 0.05;
/// How many of those at most.
const MOST_NEAR: usize = 2;
/// Sides to which guesses are bent: down, to both sides, up.
const SIDES: [usize; 4] = [0, 3, 4, 5];
/// Iterations after which a guess that has not come to rest is given up: most take 10 to 20.
const ITERATIONS: usize = 30;

/// The stable shapes beside the one that was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OtherShapes {
    /// How many were found; there may be more.
    pub count: usize,
    /// Largest distance of a point of one of them from the same point of the shape taken, mm.
    pub farthest: f64,
}

/// Where to start, and what else there is.
#[derive(Clone, Debug)]
pub struct Start {
    /// Next to rest, every handle at its target.
    pub state: RodState,
    /// The other shapes.
    pub others: OtherShapes,
}

/// A shape at rest on the coarse grid.
struct Found {
    state: RodState,
    energy: f64,
    elastic: f64,
}

/// The lowest stable shape that the guesses lead to, on the rod's own grid; parts only refuse shapes, by `clear`. When
/// none is clear, or nothing is to be searched, the first guess that is.
pub fn lowest_start(
    problem: &Problem,
    targets: &[Option<Target>],
    clear: &dyn Fn(&[Vec3]) -> bool,
) -> Start {
    let others = OtherShapes::default();
    let plain = || state_through(problem, targets, None, clear);
    if !is_searchable(problem, targets) {
        let state = plain();
        return Start { state, others };
    }
    let coarse = coarsened(problem);
    let mut search = Search::new(&coarse, targets);
    search.run();
    let mut found = search.found;
    found.sort_by(|a, b| a.energy.total_cmp(&b.energy));
    let held = held_by(problem, targets);
    let refined = |shape: &Found| on_grid(&coarse.rod, &shape.state, problem, &held);
    let mut fine: Vec<(RodState, &Found)> = found.iter().map(|f| (refined(f), f)).collect();
    fine.retain(|(state, _)| clear(&state.positions));
    let Some((_, first)) = fine.first() else {
        let state = plain();
        return Start { state, others };
    };
    let near = |f: &Found| f.energy - first.energy <= NEAR * first.elastic;
    let n_near = fine
        .iter()
        .take_while(|(_, f)| near(f))
        .count()
        .min(MOST_NEAR);
    let best = if n_near > 1 && coarse.rod.n_edges() < problem.rod.n_edges() {
        lowest_of(&bare(problem), targets, &mut fine[..n_near])
    } else {
        0
    };
    let taken = &fine[best].1.state.positions;
    let farthest = (fine.iter())
        .map(|(_, f)| distance(taken, &f.state.positions))
        .fold(0.0, f64::max);
    let others = OtherShapes {
        count: fine.len() - 1,
        farthest,
    };
    let state = fine.swap_remove(best).0;
    Start { state, others }
}

/// Brings shapes that are nearly as low as each other to rest on the rod's own grid: which is the lowest.
fn lowest_of(
    problem: &Problem,
    targets: &[Option<Target>],
    shapes: &mut [(RodState, &Found)],
) -> usize {
    let mut lowest = (f64::INFINITY, 0);
    for (k, (state, _)) in shapes.iter_mut().enumerate() {
        if let Some(found) = at_rest(problem, targets, state.clone()) {
            if found.energy < lowest.0 {
                lowest = (found.energy, k);
            }
            *state = found.state;
        }
    }
    lowest.1
}

/// Whether a cable has several shapes to choose from, and an energy to choose by.
fn is_searchable(problem: &Problem, targets: &[Option<Target>]) -> bool {
    let held =
        (problem.grips.iter().zip(targets)).filter(|(g, t)| g.nodes().count() > 0 && t.is_some());
    let moulded = !problem.rod.rest_curvatures().is_empty();
    let moment = |load: &Load| load.moment != Vec3::zeros();
    let reaches = |held: &[Stop]| {
        held.windows(2).all(|pair| {
            let span: f64 = problem.rod.rest_lengths()[pair[0].node..pair[1].node]
                .iter()
                .sum();
            (pair[1].position - pair[0].position).norm() < span
        })
    };
    held.count() >= if moulded { 1 } else { 2 }
        && !problem.loads.iter().any(moment)
        && problem.check().is_ok()
        && reaches(&held_by(problem, targets).nodes)
}

/// Guesses that are brought to rest one after the other.
struct Search<'p> {
    problem: &'p Problem,
    targets: Vec<Option<Target>>,
    found: Vec<Found>,
}

impl<'p> Search<'p> {
    fn new(problem: &'p Problem, targets: &[Option<Target>]) -> Self {
        // Turns that a handle is asked for beside its frame count from the lowest shape.
        let unrolled = |t: &Option<Target>| t.map(|t| Target { roll: 0.0, ..t });
        Self {
            problem,
            targets: targets.iter().map(unrolled).collect(),
            found: Vec::new(),
        }
    }

    fn run(&mut self) {
        for long in [false, true] {
            if let Some(state) = self.warped(long) {
                self.solve(state);
            }
        }
        for side in SIDES {
            self.solve(state_through(
                self.problem,
                &self.targets,
                Some(side),
                &|_| true,
            ));
        }
        let Some(span) = self.twisted_span() else {
            return;
        };
        let lowest = (self.found.iter()).min_by(|a, b| a.energy.total_cmp(&b.energy));
        let Some(lowest) = lowest.map(|found| found.state.clone()) else {
            return;
        };
        for turn in [-TAU, TAU] {
            let mut state = lowest.clone();
            add_twist(&mut state, self.problem.rod.rest_lengths(), &span, turn);
            self.solve(state);
        }
    }

    /// Brings a guess to rest, and keeps it if it is stable and new.
    fn solve(&mut self, state: RodState) {
        let Some(found) = at_rest(self.problem, &self.targets, state) else {
            return;
        };
        let length = self.problem.rod.length();
        let is_same = |other: &Found| {
            let energy = (other.energy - found.energy).abs();
            energy <= SAME * found.elastic.max(other.elastic)
                && distance(&other.state.positions, &found.state.positions) <= SAME * length
        };
        if !self.found.iter().any(is_same) {
            self.found.push(found);
        }
    }

    /// The rest shape from the start clamp on, turned ever more along its length so that it meets the end clamp: by the
    /// shorter way round, or the longer.
    fn warped(&self, long: bool) -> Option<RodState> {
        let (rod, n) = (&self.problem.rod, self.problem.rod.n_edges());
        let [start, end] = [0, n].map(|node| {
            let clamps = self.problem.grips.iter().zip(&self.targets);
            let mut here =
                clamps.filter(|(g, _)| g.place == Place::Node(node) && g.holds_direction());
            here.next().and_then(|(_, target)| *target)
        });
        let (start, end) = (start?.pose, end?.pose);
        if self.problem.grips.iter().any(|g| g.clamp(n).is_none()) {
            return None;
        }
        let mut frames = Vec::with_capacity(n);
        let mut frame = start.rotation;
        for j in 0..n {
            frame *= rod.joint(j).rest.rotation();
            frames.push(frame);
        }
        let turn = end.rotation * (frame * rod.joint(n).rest.rotation()).inverse();
        let (axis, angle) = (turn.axis_angle()).map_or_else(
            || (end.rotation * Vec3::z(), 0.0),
            |(axis, angle)| (axis.into_inner(), angle),
        );
        let angle = if long { angle - TAU } else { angle };
        let (length, mut s) = (rod.length(), 0.0);
        let mut positions = vec![start.position];
        for (frame, l) in frames.iter_mut().zip(rod.rest_lengths()) {
            let share = (s + 0.5 * l) / length;
            *frame = Rotation::from_scaled_axis(axis * (angle * share)) * *frame;
            positions.push(positions[positions.len() - 1] + *frame * Vec3::z() * *l);
            s += l;
        }
        let gap = (end.position - positions[n]) / length;
        let mut s = 0.0;
        for (p, l) in positions[1..].iter_mut().zip(rod.rest_lengths()) {
            s += l;
            *p += gap * s;
        }
        for (frame, pair) in frames.iter_mut().zip(positions.windows(2)) {
            *frame = turned_to(frame, &(pair[1] - pair[0]));
        }
        Some(RodState {
            positions,
            frames,
            clamps: [Some(start.rotation), Some(end.rotation)],
            turns: vec![0; n + 1],
        })
    }

    /// The edges of the longest span between two frames that are held, if it resists twist and none is asked for.
    fn twisted_span(&self) -> Option<std::ops::Range<usize>> {
        let n = self.problem.rod.n_edges();
        if self.problem.rod.section().torsion == 0.0 {
            return None;
        }
        let mut held: Vec<(usize, usize)> = (self.problem.grips.iter())
            .filter(|grip| grip.hold == Hold::Frame)
            .filter_map(|grip| match grip.place {
                Place::Node(0) => Some((0, 0)),
                Place::Node(i) if i == n => Some((n, n)),
                Place::Edge(j) => Some((j, j + 1)),
                _ => None,
            })
            .collect();
        held.sort_unstable();
        let spans = held.windows(2).map(|pair| pair[0].1..pair[1].0);
        spans
            .max_by_key(ExactSizeIterator::len)
            .filter(|s| s.len() > 1)
    }
}

/// The equilibrium next to a state, if it is stable and soon found.
fn at_rest(problem: &Problem, targets: &[Option<Target>], state: RodState) -> Option<Found> {
    let mut solver = Solver::new(problem.clone(), state);
    for (k, target) in targets.iter().enumerate() {
        if let Some(target) = target {
            solver.set_grip_anchor(k, target.pose.position);
        }
    }
    let mut pairs = Pairs::default();
    let mut together = Coupled::new(std::slice::from_mut(&mut solver), &mut pairs, &[]);
    together.each(Solver::stay);
    let run = together.run_to_rest(ITERATIONS, &Budget::of_iterations(ITERATIONS));
    let good = run.rest == Rest::Found { stable: true } && solver.strain() < 2.0 * TAUT;
    good.then(|| {
        // The check of stability has assembled the exact system.
        let e = solver.work.system.energies;
        Found {
            energy: e.total(),
            elastic: e.stretch + e.bend + e.twist,
            state: solver.state,
        }
    })
}

/// Adds a twist to a span, each place by its share.
fn add_twist(state: &mut RodState, lengths: &[f64], span: &std::ops::Range<usize>, twist: f64) {
    let before: Vec<f64> = (0..=lengths.len()).map(|j| state.joint_twist(j)).collect();
    let total: f64 = lengths[span.clone()].iter().sum();
    let (mut s, mut last) = (0.0, 0.0);
    let mut added = vec![0.0; lengths.len() + 1];
    for i in span.clone() {
        let share = twist * (s + 0.5 * lengths[i]) / total;
        state.frames[i] *= Rotation::from_scaled_axis(Vec3::z() * share);
        added[i] = share - last;
        (s, last) = (s + lengths[i], share);
    }
    added[span.end] = twist - last;
    for j in span.start..=span.end {
        state.keep_turns(j, before[j] + added[j]);
    }
}

fn distance(a: &[Vec3], b: &[Vec3]) -> f64 {
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).norm());
    apart.fold(0.0, f64::max)
}
