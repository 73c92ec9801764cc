//! Whether rods that bodies join rest in a minimum: the inertia of all of them together, so that no junction is left on a
//! saddle.

use std::f64::consts::PI;

use crate::solve::coupled::Coupled;
use crate::solve::kept::Factors;
use crate::solve::settings as set;

impl Coupled<'_> {
    /// Inertia of the rods that bodies join, with the exact Hessian, which is assembled. `false` when their rest is unstable;
    /// the direction in which it is worst is then in the steps of rods and bodies.
    pub(in crate::solve) fn is_joined_stable(&mut self) -> bool {
        let joined = self.joined();
        for &r in &joined {
            let rod = &mut self.rods[r];
            rod.no_motion();
            let columns = || (self.pairs.coupling.columns.iter()).filter(|c| c.rods.contains(&r));
            if columns().next().is_none() && rod.keeps_factors(0.0) {
                continue;
            }
            let work = &mut rod.work;
            work.factors.copy_from(&work.system.matrix);
            work.holds = if columns().next().is_none() {
                Factors::Fresh
            } else {
                Factors::Other
            };
            columns().for_each(|column| column.support(r, &mut work.factors));
            rod.prescribe();
        }
        let (inertia, bodies) = (&mut self.pairs.inertia, &mut self.pairs.bodies);
        bodies.drop_shift();
        inertia.prescribe(self.rods, bodies);
        if inertia.factor_fully(self.rods, bodies) == 0 {
            return true;
        }
        let longest = joined.iter().map(|&r| self.rods[r].span());
        let longest = longest.fold(0.0, f64::max);
        let softest = joined.iter().map(|&r| {
            let [a, b] = self.rods[r].problem.rod.section().bending;
            a.min(b)
        });
        let softest = softest.fold(f64::INFINITY, f64::min);
        let mut worst = (-set::UNSTABLE * softest * (PI / longest).powi(4), None);
        for (pivot, value) in inertia.bad_pivots(self.rods) {
            inertia.direction_of(pivot, self.rods, bodies);
            let mass: f64 = joined.iter().map(|&r| self.rods[r].mass_moved()).sum();
            let curvature = value / mass.max(f64::MIN_POSITIVE);
            if curvature < worst.0 {
                worst = (curvature, Some(pivot));
            }
        }
        let Some(pivot) = worst.1 else {
            return true;
        };
        inertia.direction_of(pivot, self.rods, bodies);
        false
    }

    /// Makes the direction in the steps of joined rods and their bodies a push of a fixed size, downhill; or none.
    pub(in crate::solve) fn scale_joined_push(&mut self, pushed: bool) {
        let joined = self.joined();
        let factor = if pushed {
            let slope: f64 = joined.iter().map(|&r| self.rods[r].slope()).sum();
            let slope = slope + self.pairs.bodies.slope(self.rods);
            let sign = if slope > 0.0 { -1.0 } else { 1.0 };
            let ways = joined.iter().map(|&r| self.rods[r].largest_motion());
            let lengths = joined.iter().map(|&r| self.rods[r].problem.rod.length());
            sign * set::KICK * lengths.fold(0.0, f64::max) / ways.fold(f64::MIN_POSITIVE, f64::max)
        } else {
            0.0
        };
        for &r in &joined {
            let work = &mut self.rods[r].work;
            work.tried = None;
            work.delta.iter_mut().for_each(|d| *d *= factor);
        }
        let bodies = &mut self.pairs.bodies;
        bodies.each(self.rods, |body| {
            body.delta = body.delta.map(|d| d * factor);
        });
    }

    /// Rods that are awake and joined by bodies.
    fn joined(&self) -> Vec<usize> {
        let awake = self.awake.iter().copied();
        awake.filter(|&r| self.rods[r].is_joined()).collect()
    }
}
