//! Blocks that are kept: what keeps a drag in a large harness local.
//!
//! A rod that bodies join, and that touches nothing, is condensed onto its ends. While its nodes and frames are within
//! [`KEPT`](set::KEPT) of where its Hessian was taken, it keeps that, its factors and its complement: only its forces are
//! computed anew. They are always those of the state, and rest is judged by them: a kept block can cost an iteration,
//! never accuracy. A run to rest begins without any: it depends on its state and on nothing else.

use super::Solver;
use super::grip::Hold;
use super::newton::ARM;
use super::settings as set;
use crate::geom::{Rotation, Vec3};

/// What `work.factors` of a rod hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factors {
    /// The matrix of the system without a shift or anything ahead, the handles' entries taken out.
    Fresh,
    /// The same, condensed onto the rod's ends.
    Condensed,
    /// Anything else.
    Other,
}

impl Solver {
    /// Whether the Hessian and its factors may stay as they are.
    pub(super) fn keeps_block(&self) -> bool {
        if self.work.holds != Factors::Condensed || !self.work.untouched || !self.is_untouched() {
            return false;
        }
        let (now, then) = (&self.state, &self.work.taken_at);
        let way = set::KEPT * self.problem.rod.length();
        let is_near = |(a, b): (&Vec3, &Vec3)| (a - b).norm_squared() <= way * way;
        // Of quaternions half the angle.
        let turn = 0.5 * set::KEPT / ARM;
        let is_turned =
            |(a, b): (&Rotation, &Rotation)| (a.coords - b.coords).norm_squared() > turn * turn;
        let frames = now.frames.iter().zip(&then.frames);
        let clamps = now
            .clamps
            .iter()
            .flatten()
            .zip(then.clamps.iter().flatten());
        now.turns == then.turns
            && now.positions.iter().zip(&then.positions).all(is_near)
            && !frames.chain(clamps).any(is_turned)
    }

    /// Whether the forces of the system are those of the state.
    pub(super) fn knows_forces(&self) -> bool {
        let (now, then) = (&self.state, &self.work.forces_at);
        !self.work.pressed && now == then
    }

    /// Notes where the Hessian is taken.
    pub(super) fn note_block(&mut self) {
        self.work.holds = Factors::Other;
        self.work.untouched = self.is_untouched();
        if self.work.untouched && self.is_joined() {
            self.work.taken_at.copy_from(&self.state);
        }
    }

    /// Forgets the Hessian that was taken before: a run to rest depends on the state that it starts from, and on nothing else.
    pub(super) fn forget_block(&mut self) {
        self.work.holds = Factors::Other;
    }

    /// Whether nothing acts on it but its own elasticity, its loads, and what holds it.
    fn is_untouched(&self) -> bool {
        let springs = |g: &super::Grip| matches!(g.hold, Hold::Spring(_));
        self.contacts.is_empty()
            && self.friction.is_empty()
            && self.push.pulls.is_empty()
            && self.inertia.is_none()
            && self.flows.is_empty()
            && !self.problem.grips.iter().any(springs)
    }

    /// Whether the factors serve for the step that is sought: only the right-hand side is new then.
    pub(super) fn keeps_factors(&self, sigma: f64) -> bool {
        let work = &self.work;
        work.holds == Factors::Condensed
            && sigma == 0.0
            && work.ahead.is_empty()
            && work.obstacle_step.is_none()
            && work.prescribed.iter().all(|(_, value)| *value == 0.0)
            && work.anchor_motion.iter().all(|way| *way == Vec3::zeros())
    }

    /// Puts the matrix in place of its condensed factors: it is coupled by contacts now.
    pub(super) fn thaw(&mut self) {
        if self.work.holds == Factors::Condensed {
            self.work.factors.copy_from(&self.work.system.matrix);
            self.work.holds = Factors::Fresh;
            self.prescribe();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Pose;
    use crate::rod::{Rod, Section};
    use crate::solve::{
        Body, BodyEnd, CancelToken, Pairs, Problem, Status, Target, first_state, step_coupled,
    };

    const RODS: usize = 6;
    const WAY: f64 = 180.0;

    /// Rods that bodies join to a chain, held at its two ends, with where its last end is.
    fn chain() -> (Vec<Solver>, Pairs, Target) {
        let section = Section {
            bending: [1500.0; 2],
            torsion: 1100.0,
            axial: 1e4,
            shear: 1e4,
            mass_kg_m: 0.05,
        };
        let rotation = crate::geom::rotation_along(&Vec3::x()).unwrap();
        let place = |k: usize| Pose {
            position: Vec3::x() * (WAY * k as f64),
            rotation,
        };
        let rods = (0..RODS).map(|r| {
            let rod = Rod::uniform(1.05 * WAY, 30, section).unwrap();
            let problem = Problem {
                gravity: Vec3::z() * -9.81,
                ..Problem::clamped(rod, 1.0)
            };
            let ends = [place(r), place(r + 1)].map(|pose| Some(Target::from(pose)));
            let state = first_state(&problem, &ends, &|_| true);
            Solver::new(problem, state)
        });
        let mut rods: Vec<Solver> = rods.collect();
        let bodies = (1..RODS).map(|k| {
            let end = |rod: usize, grip: usize| BodyEnd {
                rod,
                grip,
                in_body: Pose {
                    position: Vec3::zeros(),
                    rotation: Rotation::identity(),
                },
            };
            Body {
                pose: place(k),
                mass_kg: 0.0,
                center: Vec3::zeros(),
                ends: vec![end(k - 1, 1), end(k, 0)],
                most_turn: f64::INFINITY,
            }
        });
        let bodies: Vec<Body> = bodies.collect();
        let mut pairs = Pairs::default();
        pairs.set_bodies(&bodies, &mut rods);
        (rods, pairs, Target::from(place(RODS)))
    }

    /// Sends the last end there; whether all rest, and after how many iterations.
    fn send(rods: &mut [Solver], pairs: &mut Pairs, end: Target) -> (bool, usize) {
        let goals = [None, Some(end)];
        let mut targets: Vec<&[Option<Target>]> = vec![&[]; rods.len()];
        targets[RODS - 1] = &goals;
        let reports = step_coupled(rods, pairs, &[], &targets, &CancelToken::default(), None);
        let good = reports
            .iter()
            .all(|r| r.status == Status::Converged && r.stable);
        (good, reports[0].iterations)
    }

    #[test]
    fn what_rests_by_kept_blocks_rests_by_new_ones() {
        let (mut rods, mut pairs, mut end) = chain();
        assert!(send(&mut rods, &mut pairs, end).0);
        let mut kept = 0;
        for k in 0..24 {
            // Most steps are little, some are not.
            end.pose.position.z += if k % 6 == 5 { 3.0 } else { 2e-3 };
            assert!(send(&mut rods, &mut pairs, end).0, "frame {k}");
            kept += rods
                .iter()
                .filter(|r| r.keeps_block() && r.work.taken_at != r.state)
                .count();
            // Everything taken anew at the same place.
            let (mut anew, mut pairs_anew) = (rods.clone(), pairs.clone());
            for rod in &mut anew {
                rod.work.holds = Factors::Other;
                rod.work.pressed = true;
                rod.at_rest = false;
            }
            let (good, iterations) = send(&mut anew, &mut pairs_anew, end);
            assert!(good && iterations == 0, "frame {k}: {iterations}");
            for (a, b) in rods.iter().zip(&anew) {
                let both = a.state.positions.iter().zip(&b.state.positions);
                let off = both.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                assert!(off < 1e-6, "frame {k}: {off} mm");
            }
        }
        assert!(kept > 50, "{kept} kept blocks prove nothing");
    }

    #[test]
    fn kept_blocks_give_the_same_bits_in_every_run() {
        let run = || {
            let (mut rods, mut pairs, mut end) = chain();
            send(&mut rods, &mut pairs, end);
            for _ in 0..8 {
                end.pose.position.z += 0.05;
                send(&mut rods, &mut pairs, end);
            }
            rods.iter().map(|r| r.state.clone()).collect::<Vec<_>>()
        };
        assert_eq!(run(), run());
    }
}
