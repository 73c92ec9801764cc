//! Blocks that are kept: what keeps a drag in a large harness local.
//!
//! A rod that bodies join, and that touches nothing, is condensed onto its ends. While its nodes and frames are within
//! [`KEPT`](set::KEPT) of where its Hessian was taken, it keeps that, its factors and its complement: only its forces are
//! computed anew. They are always those of the state, and rest is judged by them: a kept block can cost an iteration,
//! never accuracy.
//!
//! What is taken on the way to a rest is forgotten at its end. The exact Hessian of an equilibrium outlasts it: the next
//! ways begin with it, until the rod leaves that place. Where that was is part of the state ([`super::State`]), so that the
//! next iterate depends on the state and on nothing else; the Hessian is assembled there again after it was opened.

use std::sync::Arc;

use super::Solver;
use super::grip::Hold;
use super::newton::ARM;
use super::settings as set;
use crate::geom::{Rotation, Vec3};
use crate::rod::RodState;

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

/// The Hessian that a rod keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// None.
    None,
    /// That of an iterate, by the tension that it had: for one way to a rest.
    OfIterate,
    /// The exact one of a state: it outlasts the way there.
    Exact,
}

impl Solver {
    /// Whether the Hessian may stay as it is, or is to be `exact` and is.
    pub(super) fn keeps_block(&self, exact: bool) -> bool {
        let serves = match self.work.block {
            Block::None => false,
            Block::OfIterate => !exact,
            Block::Exact => true,
        };
        serves && self.has_block() && self.is_near_block()
    }

    /// Whether it is one that keeps its Hessian.
    fn has_block(&self) -> bool {
        self.is_joined() && self.is_untouched()
    }

    /// Whether no node and no frame has left where the Hessian was taken.
    fn is_near_block(&self) -> bool {
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

    /// Notes that the Hessian is taken at the state; whether by the tension of the iterate, as is asked for (`mixed`). Where
    /// the rod rests it is the exact one.
    pub(super) fn note_block(&mut self, mixed: bool) -> bool {
        self.work.holds = Factors::Other;
        self.work.has_matrix = true;
        if !self.has_block() {
            self.work.block = Block::None;
            return mixed;
        }
        let exact = !mixed || self.is_equilibrium() && self.state == self.rest;
        self.work.block = if exact {
            Block::Exact
        } else {
            Block::OfIterate
        };
        Arc::make_mut(&mut self.work.taken_at).copy_from(&self.state);
        !exact
    }

    /// Assembles the exact Hessian where it was taken, if that is still to be done.
    pub(super) fn retake_block(&mut self) {
        if self.work.has_matrix {
            return;
        }
        let mut system = std::mem::take(&mut self.work.system);
        system.assemble(
            &self.terms(&self.work.taken_at, &[], None, true),
            &mut Vec::new(),
        );
        self.work.stiffest_node = system.stiffest_node();
        self.work.system = system;
        self.work.has_matrix = true;
        self.work.holds = Factors::Other;
    }

    /// Before a way to a rest: what was taken on another is forgotten, and so is all of a rod that does not rest.
    pub(super) fn begin_blocks(&mut self) {
        if self.work.block != Block::Exact || !self.is_equilibrium() {
            self.drop_block();
        }
    }

    /// Forgets the Hessian that was taken before.
    pub(super) fn drop_block(&mut self) {
        self.work.block = Block::None;
        self.work.holds = Factors::Other;
    }

    /// Where the Hessian was taken with which the next way begins, if that is another state than it has.
    pub(super) fn kept_at(&self) -> Option<Arc<RodState>> {
        let is_kept = self.work.block == Block::Exact && self.is_equilibrium();
        let at = Some(&self.work.taken_at).filter(|at| is_kept && ***at != self.state);
        at.cloned()
    }

    /// Goes on with the exact Hessian of that state.
    pub(super) fn keep_at(&mut self, at: Arc<RodState>) {
        let ends = |state: &RodState| state.clamps.map(|clamp| clamp.is_some());
        let fits = at.positions.len() == self.state.positions.len()
            && at.frames.len() == self.state.frames.len()
            && at.turns.len() == self.state.turns.len()
            && ends(&at) == ends(&self.state);
        if fits {
            self.work.taken_at = at;
            self.work.block = Block::Exact;
            self.work.has_matrix = false;
        }
    }

    /// Whether what it last came to rest in is an equilibrium, found or kept.
    fn is_equilibrium(&self) -> bool {
        self.at_rest || self.resumed
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
                .filter(|r| r.keeps_block(true) && *r.work.taken_at != r.state)
                .count();
            // Everything taken anew at the same place.
            let (mut anew, mut pairs_anew) = (rods.clone(), pairs.clone());
            for rod in &mut anew {
                rod.drop_block();
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
