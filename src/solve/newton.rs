//! Newton iterations of the mixed method: one step, its globalisation, and the way to rest.

use std::f64::consts::PI;

use super::assemble::{System, Terms, merit, stiffness};
use super::motion::Motion;
use super::settings as set;
use super::{CancelToken, Solver, layout};
use crate::contact::{Contact, Sweep, SweepLimit, find_contacts};
use crate::geom::{Rotation, Vec3};
use crate::rod::{RodState, axial_shear_force};

/// How to iterate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The mixed method, undamped at first: a few iterations where all goes well.
    Fast,
    /// Newton's method on the energy with its exact Hessian, and a line search on every step: slower, for snaps.
    Damped,
}

/// How a run of iterations ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rest {
    /// In equilibrium; `true` when the inertia check found a minimum.
    Found { stable: bool },
    /// Not within the iterations allowed.
    NotFound,
    /// Stopped from outside.
    Cancelled,
}

/// Outcome of one run, with what the handles did meanwhile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    pub rest: Rest,
    /// Fraction of the handle motion that was made.
    pub made: f64,
    /// What cut the handle motion, last.
    pub cut_by: Option<usize>,
    /// Where it was the handle itself that met it: the unit vector from the obstacle to the handle.
    pub cut_at_handle: Option<Vec3>,
    pub iterations: usize,
    pub residual: f64,
    pub tolerance: f64,
}

impl Run {
    /// A run that has not begun.
    pub(super) const NONE: Self = Self {
        rest: Rest::NotFound,
        made: 0.0,
        cut_by: None,
        cut_at_handle: None,
        iterations: 0,
        residual: f64::INFINITY,
        tolerance: 0.0,
    };
}

impl Solver {
    /// Moves the grips to their goals and iterates to rest, the fast way first.
    ///
    /// Where that does not arrive, the damped way goes on from there if the energy has fallen (a snap on its way),
    /// and starts over if it has not.
    pub(super) fn run_to_rest(&mut self, cancel: &CancelToken) -> Run {
        self.work.sticky.clear();
        let fast = self.run(Mode::Fast, set::ITERATIONS, cancel);
        if fast.rest != Rest::NotFound {
            return fast;
        }
        let on_its_way = self.state.is_finite() && self.energy() < self.energy_at_rest();
        if on_its_way {
            self.stay();
        } else {
            self.go_back();
        }
        let mut damped = self.run(Mode::Damped, set::DAMPED_ITERATIONS, cancel);
        damped.iterations += fast.iterations;
        if on_its_way {
            (damped.made, damped.cut_by, damped.cut_at_handle) =
                (fast.made, fast.cut_by, fast.cut_at_handle);
        }
        damped
    }

    /// Energy of the state that was kept last, by the same barrier and contacts as [`Self::energy`].
    fn energy_at_rest(&mut self) -> f64 {
        std::mem::swap(&mut self.state, &mut self.rest);
        let energy = self.energy();
        std::mem::swap(&mut self.state, &mut self.rest);
        self.find_contacts();
        energy
    }

    /// Energy at the state, N mm.
    fn energy(&mut self) -> f64 {
        self.find_contacts();
        let terms = Terms {
            problem: &self.problem,
            state: &self.state,
            grips: &self.grips,
            tension: None,
            contacts: &self.contacts,
            friction: &self.friction,
            settings: &self.settings,
            contact_curvature: false,
        };
        merit(&terms, f64::INFINITY)
    }

    /// Moves the grips to their goals as far as collisions allow, and iterates to rest.
    fn run(&mut self, mode: Mode, most: usize, cancel: &CancelToken) -> Run {
        let mut run = Run::NONE;
        let motion = self.remaining_motion();
        let mut predictors = if motion.is_zero() { 0 } else { set::PREDICTORS };
        let mut kicks = 0;
        let mut since_kick = 0;
        let mixed = mode == Mode::Fast;
        let mut stalled = 0;
        let length = self.problem.rod.length();
        let mut trust = set::TRUST * length;
        // A correction goes no farther than the prediction might: a draped cable is not thrown off what it lies on.
        let correction = if motion.is_zero() {
            set::WAY_CAP * length
        } else {
            motion.bound(length).clamp(trust, set::WAY_CAP * length)
        };
        self.find_contacts();
        loop {
            self.assemble(mixed, true);
            let carries = predictors > 0 && run.made < 1.0;
            run.residual = self.residual();
            run.tolerance = self.tolerance();
            if !carries && run.residual <= run.tolerance {
                let (stable, kicked) = self.check_stability(kicks);
                if !kicked {
                    run.rest = Rest::Found { stable };
                    return run;
                }
                kicks += 1;
                since_kick = 0;
                run.iterations += 1;
                continue;
            }
            if run.iterations >= most || stalled >= set::STALLED || !run.residual.is_finite() {
                return run;
            }
            if cancel.is_cancelled() {
                run.rest = Rest::Cancelled;
                return run;
            }
            run.iterations += 1;
            since_kick += 1;
            let carried = if carries {
                self.remaining_motion()
            } else {
                self.no_motion();
                Motion::default()
            };
            let damped = !mixed || since_kick > set::UNDAMPED;
            let bound = if carries {
                carried.bound(length)
            } else if damped {
                trust
            } else {
                correction
            };
            let largest = self.find_direction(bound, mixed);
            let limit = self.limit_step();
            let mut alpha = limit.fraction;
            stalled = if alpha < 0.05 && mixed {
                stalled + 1
            } else {
                0
            };
            if carries {
                predictors -= 1;
                run.made += (1.0 - run.made) * alpha;
                if alpha < 1.0 {
                    run.cut_by = limit.obstacle.or(run.cut_by);
                    run.cut_at_handle = limit.held.then_some(limit.normal);
                }
                if 1.0 - run.made < 1e-12 {
                    run.made = 1.0;
                }
            } else if damped {
                alpha = self.line_search(alpha, mixed);
                // A step that had to be cut was too bold; one that went through may be longer next time.
                if alpha < 0.5 * limit.fraction {
                    trust = (0.5 * trust).min(largest).max(set::SMALLEST_TRUST * length);
                } else if alpha == limit.fraction {
                    trust = (2.0 * trust).min(set::WAY_CAP * length);
                }
            }
            self.accept(alpha);
            if run.iterations.is_multiple_of(set::ADAPT_EVERY) && self.tightest() < set::TIGHT {
                self.adapt_barrier();
            }
            if run.iterations >= set::STICK_AFTER {
                self.work.sticky.hold(&self.contacts);
            }
        }
    }

    pub(super) fn find_contacts(&mut self) {
        find_contacts(
            &self.problem.obstacles,
            &mut self.work.candidates,
            &self.state.positions,
            self.problem.rod.rest_lengths(),
            &self.settings,
            &self.work.sticky,
            &mut self.contacts,
        );
    }

    /// Assembles the system at the state, for the report.
    pub(super) fn refresh(&mut self) {
        self.assemble(false, true);
    }

    fn assemble(&mut self, mixed: bool, contact_curvature: bool) {
        let terms = Terms {
            problem: &self.problem,
            state: &self.state,
            grips: &self.grips,
            tension: mixed.then_some(&self.tension[..]),
            contacts: &self.contacts,
            friction: &self.friction,
            settings: &self.settings,
            contact_curvature,
        };
        self.work.system.assemble(&terms, &mut self.contact_forces);
        self.stale = false;
    }

    /// Whether the barrier's stiffness matters for a contact: at a held node the gap is the handle's.
    fn gives_way(&self, contact: &Contact) -> bool {
        let i = contact.edge as usize;
        let near_left = self.held[i] && contact.s < set::AT_HANDLE;
        let near_right = self.held[i + 1] && contact.s > 1.0 - set::AT_HANDLE;
        !(near_left || near_right || self.held[i] && self.held[i + 1])
    }

    /// Smallest gap of the contacts that can give way, over the barrier distance.
    fn tightest(&self) -> f64 {
        let contacts = self.contacts.iter().filter(|c| self.gives_way(c));
        let gaps = contacts.map(|c| c.gap(self.settings.radius));
        gaps.fold(f64::INFINITY, f64::min) / self.settings.barrier_distance
    }

    /// Suits the barrier to the heaviest contact.
    pub(super) fn adapt_barrier(&mut self) {
        let contacts = self.contacts.iter().filter(|c| self.gives_way(c));
        let loads = contacts.map(|c| self.settings.load_at(c.gap(self.settings.radius)));
        let heaviest = loads.fold(0.0, f64::max);
        self.settings.adapt_to(heaviest);
    }

    /// Norm of the forces on the free unknowns, moments divided by the length.
    fn residual(&mut self) -> f64 {
        let over_length = 1.0 / self.problem.rod.length();
        let g = self.work.system.gradient.iter().zip(&self.fixed);
        let mut sum = 0.0;
        for (k, (g, fixed)) in g.enumerate() {
            if !fixed {
                let force = if layout::is_position(k) {
                    *g
                } else {
                    g * over_length
                };
                sum += force * force;
            }
        }
        sum.sqrt()
    }

    /// The residual that counts as rest: relative to the forces at work, and never below their noise.
    fn tolerance(&self) -> f64 {
        let scale = self.problem.rod.force_scale(&self.problem.gravity);
        let tension = self.tension.iter().map(Vec3::norm).fold(0.0, f64::max);
        let n = self.problem.rod.n_edges();
        let mut stiffest = 0.0_f64;
        let mut farthest = 0.0_f64;
        for i in 0..=n {
            let at = layout::node(i);
            for k in 0..3 {
                stiffest = stiffest.max(self.work.system.matrix.diagonal(at + k));
            }
            farthest = farthest.max(self.state.positions[i].amax());
        }
        let noise = set::NOISE * f64::EPSILON * (n as f64).sqrt() * stiffest * farthest;
        let wanted = (set::TOLERANCE * scale).max(set::TOLERANCE_OF_TENSION * tension);
        // Noise is no licence: an equilibrium whose forces are not known to a thousandth is none.
        wanted.max(noise.min(1e-3 * (scale + 1e-2 * tension)))
    }

    /// Solves for the step with the prescribed motion of the grips; leaves it in `work.delta`.
    ///
    /// A matrix that is not positive, and a step that would move a node by more than `bound`, are cured by a
    /// mass-like shift. Returns the largest motion of a node.
    fn find_direction(&mut self, bound: f64, mixed: bool) -> f64 {
        let section = self.problem.rod.section();
        let length = self.problem.rod.length();
        let base = section.bending[0].max(section.bending[1]) * (PI / length).powi(4);
        let arm = ARM * length;
        let mut largest = 0.0;
        let mut sigma = 0.0;
        let mut curvature = true;
        for _ in 0..30 {
            let work = &mut self.work;
            work.factors.copy_from(&work.system.matrix);
            if sigma > 0.0 {
                System::add_shift(&mut work.factors, &self.problem, sigma, arm);
            }
            for (d, g) in work.delta.iter_mut().zip(&work.system.gradient) {
                *d = -g;
            }
            self.prescribe();
            let inertia = self.work.factors.factor();
            if inertia.not_positive == 0 {
                let work = &mut self.work;
                work.factors.solve(&mut work.delta);
                largest = (0..=self.problem.rod.n_edges())
                    .map(|i| entry(&self.work.delta, layout::node(i)).norm())
                    .fold(0.0, f64::max);
                if largest <= bound {
                    break;
                }
            } else if curvature && !self.contacts.is_empty() {
                curvature = false;
                self.assemble(mixed, false);
                continue;
            }
            sigma = if sigma == 0.0 { base } else { 4.0 * sigma };
        }
        largest
    }

    /// The fraction of `work.delta` that may be taken: by the rotation cap and by swept collision.
    fn limit_step(&mut self) -> SweepLimit {
        let n = self.problem.rod.n_edges();
        let turns = (0..n)
            .map(layout::frame)
            .chain([layout::clamp(0, n), layout::clamp(1, n)]);
        let largest = turns
            .map(|at| entry(&self.work.delta, at).norm())
            .fold(0.0, f64::max);
        let cap = if largest > set::ROTATION_CAP {
            set::ROTATION_CAP / largest
        } else {
            1.0
        };
        for i in 0..=n {
            self.work.motion[i] = entry(&self.work.delta, layout::node(i)) * cap;
        }
        if self.problem.obstacles.is_empty() {
            return SweepLimit {
                fraction: cap,
                ..SweepLimit::NONE
            };
        }
        let sweep = Sweep {
            obstacles: &self.problem.obstacles,
            points: &self.state.positions,
            motion: &self.work.motion,
            held: &self.held,
            settings: &self.settings,
        };
        let limit = sweep.limit(&mut self.work.candidates);
        SweepLimit {
            fraction: limit.fraction * cap,
            ..limit
        }
    }

    /// Halves the step until the merit decreases enough; takes the smallest tried when it never does.
    fn line_search(&mut self, from: f64, mixed: bool) -> f64 {
        let most = if mixed {
            2.0 * self.tension.iter().map(Vec3::amax).fold(0.0, f64::max)
                + self.problem.rod.force_scale(&self.problem.gravity)
        } else {
            f64::INFINITY
        };
        let work = &mut self.work;
        let slope: f64 = work
            .system
            .gradient
            .iter()
            .zip(&work.delta)
            .map(|(g, d)| g * d)
            .sum();
        let value = |state: &RodState, contacts: &[crate::contact::Contact]| {
            let terms = Terms {
                problem: &self.problem,
                state,
                grips: &self.grips,
                tension: None,
                contacts,
                friction: &self.friction,
                settings: &self.settings,
                contact_curvature: false,
            };
            merit(&terms, most)
        };
        let moment_work: f64 = (self.problem.loads.iter())
            .map(|load| {
                let edge = load.place.span(self.problem.rod.n_edges()).0;
                let moment = self.state.frames[edge].inverse_transform_vector(&load.moment);
                moment.dot(&entry(&work.delta, layout::frame(edge)))
            })
            .sum();
        let now = value(&self.state, &self.contacts);
        let mut alpha = from;
        for _ in 0..10 {
            moved(&self.state, &work.delta, alpha, &mut work.trial);
            find_contacts(
                &self.problem.obstacles,
                &mut work.candidates,
                &work.trial.positions,
                self.problem.rod.rest_lengths(),
                &self.settings,
                &work.sticky,
                &mut work.trial_contacts,
            );
            // Dead moments have no energy; what they do along the step is their work.
            let then = value(&work.trial, &work.trial_contacts) - alpha * moment_work;
            // Differences below the noise of the sum say nothing: take the step.
            if then <= now + 1e-4 * alpha * slope.min(0.0) + 1e-13 * now.abs() {
                break;
            }
            alpha *= 0.5;
        }
        alpha
    }

    /// Takes `alpha` of `work.delta`: state, independent tensions, contacts.
    fn accept(&mut self, alpha: f64) {
        let stiffness = stiffness(&self.problem);
        for (i, &length) in self.problem.rod.rest_lengths().iter().enumerate() {
            let (x0, x1) = (&self.state.positions[i], &self.state.positions[i + 1]);
            let frame = &self.state.frames[i];
            let gamma = frame.inverse_transform_vector(&(x1 - x0));
            let delta = &self.work.delta;
            let stretch = entry(delta, layout::node(i + 1)) - entry(delta, layout::node(i));
            let change = frame.inverse_transform_vector(&stretch)
                + gamma.cross(&entry(delta, layout::frame(i)));
            let linear = axial_shear_force(x0, frame, x1, &stiffness, length)
                + stiffness.component_mul(&change) / length;
            self.tension[i] = self.tension[i].lerp(&linear, alpha);
        }
        moved(&self.state, &self.work.delta, alpha, &mut self.work.trial);
        std::mem::swap(&mut self.state, &mut self.work.trial);
        for (memory, motion) in self.grips.iter_mut().zip(&self.work.anchor_motion) {
            memory.anchor += motion * alpha;
        }
        if self.tracing {
            self.trace.extend_from_slice(&self.state.positions);
        }
        self.find_contacts();
    }

    /// Inertia with the exact Hessian. An unstable rest is pushed along its worst direction: (stable, pushed).
    fn check_stability(&mut self, kicks: usize) -> (bool, bool) {
        self.assemble(false, true);
        let work = &mut self.work;
        work.factors.copy_from(&work.system.matrix);
        self.no_motion();
        self.prescribe();
        let inertia = self.work.factors.factor();
        if inertia.not_positive == 0 {
            return (true, false);
        }
        // Of all bad pivots the direction that is worst by its mass: frames count as in the shift.
        let section = self.problem.rod.section();
        let length = self.problem.rod.length();
        let arm = ARM * length;
        let n = self.problem.rod.n_edges();
        let scale = section.bending[0].min(section.bending[1]) * (PI / length).powi(4);
        let mut worst = (-set::UNSTABLE * scale, None);
        for pivot in 0..self.work.factors.order() {
            let value = self.work.factors.diagonal(pivot);
            if value > 0.0 {
                continue;
            }
            self.unstable_direction(pivot);
            let mass: f64 = (0..=n)
                .map(|i| {
                    self.problem.rod.joint_length(i)
                        * self
                            .motion_at(i, arm)
                            .iter()
                            .map(Vec3::norm_squared)
                            .sum::<f64>()
                })
                .sum();
            let curvature = value / mass.max(f64::MIN_POSITIVE);
            if curvature < worst.0 {
                worst = (curvature, Some(pivot));
            }
        }
        let Some(pivot) = worst.1 else {
            return (true, false);
        };
        // A dead moment is not the gradient of an energy: which way it would go cannot be told.
        let moments = self.problem.loads.iter().any(|l| l.moment != Vec3::zeros());
        if moments || kicks >= set::KICKS {
            return (false, false);
        }
        self.unstable_direction(pivot);
        let largest = (0..=n)
            .flat_map(|i| self.motion_at(i, arm))
            .map(|v| v.norm())
            .fold(f64::MIN_POSITIVE, f64::max);
        let work = &mut self.work;
        let sign = if work
            .system
            .gradient
            .iter()
            .zip(&work.delta)
            .map(|(g, d)| g * d)
            .sum::<f64>()
            > 0.0
        {
            -1.0
        } else {
            1.0
        };
        let factor = sign * set::KICK * length / largest;
        for d in &mut work.delta {
            *d *= factor;
        }
        let limit = self.limit_step();
        self.accept(limit.fraction);
        (false, true)
    }

    /// Puts the direction whose curvature is that pivot into `work.delta`.
    fn unstable_direction(&mut self, pivot: usize) {
        let work = &mut self.work;
        work.delta.fill(0.0);
        work.delta[pivot] = 1.0;
        work.factors.solve_transposed(&mut work.delta);
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

/// Distance from the centerline at which the mass of the shift sits, over the length: what turns weighs as much as
/// what moves by this much.
const ARM: f64 = 0.1;

/// Three entries of a vector of unknowns.
pub(super) fn entry(v: &[f64], at: usize) -> Vec3 {
    Vec3::new(v[at], v[at + 1], v[at + 2])
}

/// `from` moved by `alpha` times `delta`; turn counts follow the twist.
fn moved(from: &RodState, delta: &[f64], alpha: f64, to: &mut RodState) {
    to.copy_from(from);
    let n = from.frames.len();
    for i in 0..=n {
        to.positions[i] += entry(delta, layout::node(i)) * alpha;
    }
    for i in 0..n {
        to.frames[i] = turned(&from.frames[i], &(entry(delta, layout::frame(i)) * alpha));
    }
    for end in 0..2 {
        if let Some(clamp) = &from.clamps[end] {
            to.clamps[end] = Some(turned(
                clamp,
                &(entry(delta, layout::clamp(end, n)) * alpha),
            ));
        }
    }
    for j in 0..=n {
        let twist = from.joint_twist(j);
        to.keep_turns(j, twist);
    }
}

/// q exp(theta), normalised.
fn turned(q: &Rotation, theta: &Vec3) -> Rotation {
    Rotation::new_normalize((q * Rotation::from_scaled_axis(*theta)).into_inner())
}
