//! The step of a Newton iteration: its direction, and how far collisions let it go.

use super::Solver;
use super::coupled::Coupled;
use super::run::Cut;
use super::settings as set;
use crate::geom::Vec3;

/// How far a step of all may go, and what stops it.
#[derive(Clone, Copy)]
pub(super) struct Limit {
    pub fraction: f64,
    pub cut: Option<Cut>,
    /// Unit vector from an obstacle to the handle that it stops.
    pub at_handle: Option<Vec3>,
}

impl Limit {
    const NONE: Self = Self {
        fraction: 1.0,
        cut: None,
        at_handle: None,
    };
}

impl Coupled<'_> {
    /// The step of a Newton iteration with the prescribed motion of the grips, in `work.delta` of each rod, and with that
    /// share of the last step's momentum, if that goes downhill: the largest motion of a node.
    pub(super) fn find_direction(&mut self, bound: f64, momentum: f64) -> f64 {
        self.each(|rod| rod.work.momentum = momentum);
        let found = self.find_shifted(bound);
        if momentum == 0.0 || self.slope() < 0.0 {
            return found;
        }
        self.each(|rod| rod.work.momentum = 0.0);
        self.find_shifted(bound)
    }

    /// Solves for the step with the prescribed motion of the grips; leaves it in `work.delta` of each rod.
    ///
    /// A matrix that is not positive is tried without the curvature of contacts, if it still has it, and of rods that are
    /// coupled so is that of the next iteration at once. What does not help then, and a step that would move a node by more
    /// than `bound`, are cured by a mass-like shift. Returns the largest motion of a node.
    fn find_shifted(&mut self, bound: f64) -> f64 {
        let mut largest = 0.0;
        self.each(|rod| rod.work.shift = 0.0);
        let coupling = &mut self.pairs.coupling;
        if coupling.curved && std::mem::take(&mut coupling.indefinite) {
            self.drop_contact_curvature();
        }
        for _ in 0..30 {
            let way = self.solve_shifted();
            let coupled = self.pairs.coupling.is_coupled();
            if let Some(way) = way {
                largest = way;
                if way <= bound {
                    break;
                }
                self.each(|rod| {
                    if coupled || rod.largest_way() > bound {
                        rod.raise_shift();
                    }
                });
            } else if self.pairs.coupling.curved && self.touches() {
                self.drop_contact_curvature();
                self.pairs.coupling.indefinite = coupled;
            } else {
                self.each(|rod| {
                    if coupled || !rod.work.positive {
                        rod.raise_shift();
                    }
                });
            }
        }
        largest
    }

    /// Whether there are contacts in the systems.
    fn touches(&self) -> bool {
        !self.pairs.coupling.columns.is_empty() || self.awake_rods().any(Solver::touches)
    }

    /// Takes the curvature of contacts out of the systems: of those between rods what makes them give way.
    fn drop_contact_curvature(&mut self) {
        self.pairs.coupling.curved = false;
        self.each(Solver::drop_contact_curvature);
        self.pairs.coupling.columns.retain(|c| c.stiffness > 0.0);
    }

    /// Solves for the step with the shifts as they are: the largest motion of a node, or `None` when the matrix is not
    /// positive.
    fn solve_shifted(&mut self) -> Option<f64> {
        self.each(|rod| rod.prepare(rod.work.shift));
        self.pairs.bodies.prepare(self.rods);
        self.pairs.coupling.prescribe(self.rods, &self.pairs.bodies);
        let mut positive = true;
        for &r in &self.awake {
            if !self.pairs.coupling.has(r) {
                let rod = &mut self.rods[r];
                rod.work.positive = rod.work.factors.factor_until(1).not_positive == 0;
                positive &= rod.work.positive;
            }
        }
        if positive && self.pairs.coupling.is_coupled() {
            positive = self.pairs.coupling.factor(self.rods, &self.pairs.bodies);
        }
        if !positive {
            return None;
        }
        self.back_substitute();
        Some(self.most(Solver::largest_way))
    }

    /// Solves for `work.delta` with what is factored.
    pub(super) fn back_substitute(&mut self) {
        for &r in &self.awake {
            if !self.pairs.coupling.has(r) {
                let rod = &mut self.rods[r];
                rod.work.factors.solve(&mut rod.work.delta);
            }
        }
        if self.pairs.coupling.is_coupled() {
            self.pairs.coupling.solve(self.rods, &mut self.pairs.bodies);
        }
    }

    /// The fraction of `work.delta` that may be taken: by the rotation cap and by swept collision.
    pub(super) fn limit_step(&mut self) -> Limit {
        let turn = self.most(Solver::largest_turn);
        let cap = if turn > set::ROTATION_CAP {
            set::ROTATION_CAP / turn
        } else {
            1.0
        };
        self.limit_within(cap.min(self.pairs.bodies.turn_limit(self.rods)))
    }

    /// The fraction of `work.delta`, at most `cap`, that swept collision lets be taken.
    ///
    /// Ends that go round with their body are swept along the chords to exactly where they are put: one that is cut is swept
    /// again along the chord to there.
    pub(super) fn limit_within(&mut self, cap: f64) -> Limit {
        if !self.pairs.bodies.bends(self.rods) {
            return self.limit_straight(cap);
        }
        let mut met = None;
        let mut cap = cap;
        for _ in 0..set::CHORDS {
            self.pairs.bodies.straighten(self.rods, cap);
            let limit = self.limit_straight(cap);
            let whole = limit.fraction == cap;
            let Limit { fraction, .. } = *met.insert(Limit {
                fraction: limit.fraction,
                ..met.filter(|_| whole).unwrap_or(limit)
            });
            if whole || fraction == 0.0 {
                break;
            }
            cap = fraction;
        }
        let mut limit = met.unwrap_or(Limit::NONE);
        if limit.fraction != cap {
            limit.fraction = 0.0;
        }
        limit
    }

    fn limit_straight(&mut self, cap: f64) -> Limit {
        let mut limit = Limit::NONE;
        self.each(|rod| {
            let own = rod.limit_step(cap);
            if own.fraction < limit.fraction {
                limit = Limit {
                    fraction: own.fraction,
                    cut: own.obstacle.map(Cut::Obstacle),
                    at_handle: own.held.then_some(own.normal),
                };
            }
        });
        let pairs = self.pairs.limit(self.rods, &self.awake);
        if pairs.fraction < limit.fraction {
            limit = Limit {
                fraction: pairs.fraction,
                cut: pairs.rods.map(Cut::Rods),
                at_handle: pairs.at_handle,
            };
        }
        limit.fraction *= cap;
        limit
    }
}
