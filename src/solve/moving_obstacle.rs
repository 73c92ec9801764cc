//! Obstacles that move carry the rods along that touch them: the way of both is predicted, swept and made at once.
//!
//! A contact depends on where the rod is, seen from the obstacle. When the obstacle moves rigidly, its points x by u(x),
//! and turns by w, the gradient g of a contact changes by -H_c u + w x g, with H_c its Hessian and u taken at the nodes.
//! So the rods follow by H dx = -g + sum over contacts with the obstacle (H_c u - w x g_c): a Newton step in which the
//! obstacle's motion is prescribed, as that of handles is. Friction holds the rod to the obstacle and enters alike.

use std::sync::Arc;

use smallvec::SmallVec;

use super::coupled::Coupled;
use super::obstacle_step::ObstacleStep;
use super::settings as set;
use super::step::GripGroup;
use super::{Pairs, Solver, layout};
use crate::contact::Obstacle;
use crate::geom::Pose;

/// How far the arc of a turning obstacle may be from the straight way that is swept, over radius: a fifth of the
/// barrier distance.
const ARC: f64 = 0.02;
/// Way over radius below which predictions count as having led nowhere: a tenth of the barrier distance.
const ALONE: f64 = 0.01;
/// Rounds in which a turning obstacle is swept to exactly where it is put.
const ROUNDS: usize = 12;

/// A way that obstacles go as one body, with the handles that are fixed to them.
#[derive(Clone, Copy, Debug)]
pub struct Carrier<'a> {
    /// Numbers of the obstacles.
    pub obstacles: &'a [usize],
    /// Handles that go along: rod, grip.
    pub grips: &'a [(usize, usize)],
    /// Where the body is, and where it is to be; it turns about the position.
    pub way: [Pose; 2],
    /// Distance of its farthest point from the position, mm.
    pub reach: f64,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Carried {
    /// Which part of the way was made.
    pub made: f64,
    /// Where the body is now.
    pub pose: Pose,
    /// The rod that cut the way short, last.
    pub cut_by: Option<usize>,
    /// Rods that went along.
    pub rods: SmallVec<[usize; 16]>,
    /// Iterations it took.
    pub iterations: usize,
    /// CPU time it took, ms.
    pub cpu_ms: f64,
}

/// Gets where the body is, and the rods, after each piece of the way. All of it was swept: the nodes go straight, as
/// seen from the body.
pub type OnCarried<'a> = &'a mut dyn FnMut(&Pose, &[Solver]);

/// Takes obstacles along their way, and the rods that touch them or are fixed to them with them, as far as can be
/// predicted and as nothing comes too near. The rods are not at rest afterwards.
pub fn move_obstacle(
    rods: &mut [Solver],
    pairs: &mut Pairs,
    parties: &[GripGroup],
    carrier: &Carrier,
    on_carried: OnCarried,
) -> Carried {
    let started = cpu_time::ThreadTime::now();
    let mut together = Coupled::new(rods, pairs, parties);
    let mut carried = together.carry(carrier, on_carried);
    carried.cpu_ms = started.elapsed().as_secs_f64() * 1e3;
    carried
}

impl Coupled<'_> {
    fn carry(&mut self, carrier: &Carrier, on_carried: OnCarried) -> Carried {
        let [from, to] = &carrier.way;
        let mut carried = Carried {
            made: 0.0,
            pose: *from,
            cut_by: None,
            rods: SmallVec::new(),
            iterations: 0,
            cpu_ms: 0.0,
        };
        self.wake_carried(carrier);
        let was_alone = self.awake.is_empty();
        let length = |way: &[Pose; 2]| {
            (way[1].position - way[0].position).norm()
                + carrier.reach * way[1].rotation.angle_to(&way[0].rotation)
        };
        let radii = self.rods.iter().map(|rod| rod.settings.radius);
        let least = ALONE * radii.fold(f64::INFINITY, f64::min);
        while carried.made < 1.0 && carried.iterations <= set::PREDICTORS {
            // Where predictions lead nowhere the body goes alone, as near as it may.
            let alone = carried.iterations == set::PREDICTORS;
            if alone && (length(&[*from, carried.pose]) > least || !carrier.grips.is_empty()) {
                break;
            }
            carried.iterations += 1;
            for (r, rod) in self.rods.iter_mut().enumerate() {
                if !rod.awake && rod.goes_along(r, carrier) {
                    rod.wake(0, false);
                    self.awake.insert(self.awake.partition_point(|&a| a < r), r);
                }
            }
            self.wake_touched();
            let now = carried.pose;
            let piece = self.piece(carrier, &now, to);
            let goal = if piece < 1.0 {
                now.lerp(to, piece)
            } else {
                *to
            };
            self.predict(carrier, &now, &goal);
            if alone {
                self.each(|rod| rod.work.delta.fill(0.0));
                self.pairs.bodies.stay(self.rods);
            }
            let (fraction, cut_by) = self.limit_carried(carrier, &now, &goal);
            carried.cut_by = cut_by.or(carried.cut_by);
            carried.made += (1.0 - carried.made) * piece * fraction;
            // There to the last bit, if it is free.
            carried.pose = if fraction < 1.0 {
                now.lerp(&goal, fraction)
            } else {
                goal
            };
            if piece * fraction == 1.0 {
                carried.made = 1.0;
            }
            self.follow(carrier, &now, &carried.pose, fraction);
            self.place(carrier, &now, &carried.pose);
            self.accept(fraction);
            for rod in self.rods.iter_mut().filter(|rod| !rod.awake) {
                rod.find_contacts();
            }
            on_carried(&carried.pose, self.rods);
            let mut rods = self.rods.iter().enumerate();
            if was_alone && rods.any(|(r, rod)| rod.goes_along(r, carrier)) {
                // What it has met now finds its rest before it is carried.
                break;
            }
        }
        self.each(|rod| {
            rod.work.obstacle_step = None;
            rod.stay();
        });
        carried.rods.clone_from(&self.awake);
        carried
    }

    /// Wakes the rods that touch the body or are fixed to it, at rest in their own friction.
    fn wake_carried(&mut self, carrier: &Carrier) {
        for rod in self.rods.iter_mut() {
            rod.tracing = false;
            rod.drop_block();
            rod.renew_friction();
            rod.work.sticky.clear();
            rod.find_contacts();
            rod.fresh = true;
        }
        self.set_awake(|r, rod| rod.goes_along(r, carrier));
        self.find_pairs();
        self.wake_touched();
        self.pairs.anchor(self.rods, &self.awake);
        self.adapt_barriers();
    }

    /// Finds the step of the rods when the body goes from `now` to `to`.
    fn predict(&mut self, carrier: &Carrier, now: &Pose, to: &Pose) {
        let motion = to.compose(&now.inverse());
        self.each(|rod| {
            rod.stay();
            rod.work.obstacle_step = Some(ObstacleStep {
                obstacles: carrier.obstacles.into(),
                motion,
                contact_curvature: true,
            });
        });
        for &(r, k) in carrier.grips {
            let goal = &mut self.rods[r].work.goals[k].pose;
            *goal = motion.compose(goal);
        }
        self.remaining_motion();
        self.pairs.softening = true;
        self.assemble(true);
        let way = (to.position - now.position).norm();
        let turn = to.rotation.angle_to(&now.rotation);
        self.find_direction(set::PREDICTOR_BOUND * (way + carrier.reach * turn), 0.0);
    }

    /// The part of the way from `now` to `to` that is nearly straight, as the body sees it.
    fn piece(&self, carrier: &Carrier, now: &Pose, to: &Pose) -> f64 {
        let way = (to.position - now.position).norm();
        let turn = to.rotation.angle_to(&now.rotation);
        let radii = self.rods.iter().map(|rod| rod.settings.radius);
        let off = ARC * radii.fold(f64::INFINITY, f64::min);
        // Seen from a body that turns by w and moves by v, a point at rest is w^2 reach/8 + w v/4 off its chord.
        let arc = turn * (turn * carrier.reach / 8.0 + way / 4.0);
        if arc > off { (off / arc).sqrt() } else { 1.0 }
    }

    /// How much of the step and of the way from `now` to `to` is safe, and which rod cuts it.
    fn limit_carried(&mut self, carrier: &Carrier, now: &Pose, to: &Pose) -> (f64, Option<usize>) {
        let turned = self.most(Solver::largest_turn);
        let turn = to.rotation.angle_to(&now.rotation);
        let mut fraction = 1.0_f64;
        if turned > set::ROTATION_CAP {
            fraction = set::ROTATION_CAP / turned;
        }
        fraction = fraction.min(self.pairs.bodies.turn_limit(self.rods));
        let mut by = None;
        for _ in 0..ROUNDS {
            self.pairs.bodies.straighten(self.rods, fraction);
            let (free, cut) = self.sweep_carried(carrier, now, &now.lerp(to, fraction), fraction);
            if let Some(cut) = cut {
                by = Some(cut);
            }
            fraction *= free;
            // The chord to where a turning body is cut is another one.
            if free == 1.0 || turn == 0.0 && !self.pairs.bodies.bends(self.rods) {
                return (fraction, by);
            }
        }
        (0.0, by)
    }

    /// How much of `fraction` of the step and of the body's way to `next` is safe.
    fn sweep_carried(
        &mut self,
        carrier: &Carrier,
        now: &Pose,
        next: &Pose,
        fraction: f64,
    ) -> (f64, Option<usize>) {
        // Seen from the body, what is at rest moves the other way.
        let backwards = now.compose(&next.inverse());
        let mut least = (1.0, None);
        for (r, rod) in self.rods.iter_mut().enumerate() {
            let free = rod.sweep_carried(r, carrier, &backwards, fraction);
            if free < least.0 {
                least = (free, Some(r));
            }
        }
        let pairs = self.pairs.limit(self.rods, &self.awake);
        if pairs.fraction < least.0 {
            least = (pairs.fraction, pairs.rods.map(|rods| rods[0]));
        }
        least
    }

    /// Has the nodes of handles that are fixed to the body go with it to where it is put, exactly: the straight way of a
    /// step that is cut leaves the arc of a turn.
    fn follow(&mut self, carrier: &Carrier, now: &Pose, next: &Pose, fraction: f64) {
        if fraction == 0.0 {
            return;
        }
        let motion = next.compose(&now.inverse());
        for &(r, k) in carrier.grips {
            let rod = &mut self.rods[r];
            for i in rod.problem.grips[k].nodes() {
                let p = rod.state.positions[i];
                let way = (motion.transform(&p) - p) / fraction;
                rod.work.delta[layout::node(i)..][..3].copy_from_slice(way.as_slice());
            }
        }
    }

    /// Puts the body somewhere else, for all rods.
    fn place(&mut self, carrier: &Carrier, now: &Pose, next: &Pose) {
        let motion = next.compose(&now.inverse());
        let Some(rod) = self.rods.first() else {
            return;
        };
        let mut obstacles: Vec<Obstacle> = rod.problem.obstacles.to_vec();
        for &k in carrier.obstacles {
            obstacles[k] = obstacles[k].placed(&motion.compose(&obstacles[k].pose()));
        }
        let obstacles = Arc::new(obstacles);
        for rod in self.rods.iter_mut() {
            rod.take_moved(&obstacles, carrier.obstacles);
            for &k in carrier.obstacles {
                rod.carry_friction(k, &motion);
            }
        }
    }
}
