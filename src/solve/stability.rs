//! Whether a rest is a minimum: the inertia of the exact Hessian, and the push away from a saddle.

use std::f64::consts::PI;

use super::coupled::Coupled;
use super::coupling::Column;
use super::kept::Factors;
use super::newton::{ARM, entry};
use super::settings as set;
use super::{Solver, layout};
use crate::geom::Vec3;

/// Pushes out of rests that are no minimum, in one run: a few, each followed by undamped iterations.
#[derive(Debug, Default)]
pub(super) struct Snap {
    pushes: usize,
    /// Iterations since the last push, or since the run began.
    pub since: usize,
}

impl Coupled<'_> {
    /// Inertia with the exact Hessian. An unstable rest is pushed along its worst direction: (stable, pushed).
    pub(super) fn check_stability(&mut self, snap: &mut Snap) -> (bool, bool) {
        self.assemble(false);
        let mut push = false;
        for &r in &self.awake {
            let rod = &mut self.rods[r];
            if !rod.is_joined() {
                rod.stable = rod.is_stable(r, &self.pairs.coupling.columns);
                // What was kept like that has been pushed before.
                push |= !rod.stable && rod.is_conservative() && !rod.resumed;
            }
        }
        let joined = self.pairs.bodies.awake(self.rods).next().is_some();
        let joined_stable = !joined || self.is_joined_stable();
        let mut push_joined = !joined_stable;
        for &r in &self.awake {
            let rod = &mut self.rods[r];
            if joined && rod.is_joined() {
                rod.stable = joined_stable;
                push_joined &= rod.is_conservative() && !rod.resumed;
            }
        }
        push |= push_joined;
        let stable = self.awake_rods().all(|rod| rod.stable);
        if !push || snap.pushes >= set::KICKS {
            return (stable, false);
        }
        for &r in &self.awake {
            let rod = &mut self.rods[r];
            if rod.is_joined() {
                continue;
            }
            if rod.stable || !rod.is_conservative() {
                rod.work.delta.fill(0.0);
            } else {
                rod.scale_push();
            }
        }
        if joined {
            self.scale_joined_push(push_joined);
        }
        let limit = self.limit_step();
        self.accept(limit.fraction);
        snap.pushes += 1;
        snap.since = 0;
        (false, true)
    }
}

impl Solver {
    /// Inertia with the exact Hessian, which is assembled, and with the support of other rods as if they stood still.
    /// `false` when the rest is unstable; the direction in which it is worst is then in `work.delta`.
    pub(super) fn is_stable(&mut self, own: usize, support: &[Column]) -> bool {
        let work = &mut self.work;
        work.factors.copy_from(&work.system.matrix);
        work.holds = Factors::Other;
        for column in support {
            column.support(own, &mut work.factors);
        }
        self.no_motion();
        self.prescribe();
        let inertia = self.work.factors.factor();
        if inertia.not_positive == 0 {
            return true;
        }
        // Of all bad pivots the direction that is worst by its mass: frames count as in the shift.
        let section = self.problem.rod.section();
        let length = self.problem.rod.length();
        let scale = section.bending[0].min(section.bending[1]) * (PI / length).powi(4);
        let mut worst = (-set::UNSTABLE * scale, None);
        for pivot in 0..self.work.factors.order() {
            let value = self.work.factors.diagonal(pivot);
            if value > 0.0 {
                continue;
            }
            self.unstable_direction(pivot);
            let curvature = value / self.mass_moved().max(f64::MIN_POSITIVE);
            if curvature < worst.0 {
                worst = (curvature, Some(pivot));
            }
        }
        let Some(pivot) = worst.1 else {
            return true;
        };
        self.unstable_direction(pivot);
        false
    }

    /// Whether all forces are the gradient of an energy. A dead moment's is not: which way an unstable rest would go, or
    /// whether a step goes downhill, cannot be told from it.
    pub(super) fn is_conservative(&self) -> bool {
        !(self.problem.loads.iter()).any(|l| l.moment != Vec3::zeros())
    }

    /// Makes the direction in `work.delta` a push of a fixed size, downhill.
    pub(super) fn scale_push(&mut self) {
        self.work.tried = None;
        let length = self.problem.rod.length();
        let largest = self.largest_motion().max(f64::MIN_POSITIVE);
        let sign = if self.slope() > 0.0 { -1.0 } else { 1.0 };
        let factor = sign * set::KICK * length / largest;
        for d in &mut self.work.delta {
            *d *= factor;
        }
    }

    /// Puts the direction whose curvature is that pivot into `work.delta`.
    fn unstable_direction(&mut self, pivot: usize) {
        let work = &mut self.work;
        work.delta.fill(0.0);
        work.delta[pivot] = 1.0;
        work.factors.solve_transposed(&mut work.delta);
    }

    /// Sum of what moves by its mass in `work.delta`: frames count as in the shift.
    pub(super) fn mass_moved(&self) -> f64 {
        let arm = ARM * self.problem.rod.length();
        let moved = |i: usize| {
            let ways = self.motion_at(i, arm);
            self.problem.rod.joint_length(i) * ways.iter().map(Vec3::norm_squared).sum::<f64>()
        };
        (0..=self.problem.rod.n_edges()).map(moved).sum()
    }

    /// Largest way of a node in `work.delta`, or of an arm's end.
    pub(super) fn largest_motion(&self) -> f64 {
        let arm = ARM * self.problem.rod.length();
        (0..=self.problem.rod.n_edges())
            .flat_map(|i| self.motion_at(i, arm))
            .map(|v| v.norm())
            .fold(0.0, f64::max)
    }

    /// Way of node `i` in `work.delta`, and the way at the arm's end of the frame that it starts.
    fn motion_at(&self, i: usize, arm: f64) -> [Vec3; 2] {
        let n = self.problem.rod.n_edges();
        let turn = if i < n {
            entry(&self.work.delta, layout::frame(i)) * arm
        } else {
            Vec3::zeros()
        };
        [entry(&self.work.delta, layout::node(i)), turn]
    }
}
