//! One step: the handles go towards their targets in chunks, each ending in an equilibrium.

use super::newton::{HandleMotion, Mode, Rest, Run, entry};
use super::settings as set;
use super::{Blocker, CancelToken, ContactReport, HandleReport, Report, Solver, Status, layout};
use crate::contact::friction::anchor;
use crate::geom::{Pose, Vec3};
use crate::rod::bend_twist;

/// What stopped the handles, if anything.
type Stopped = [Option<Blocker>; 2];

impl Solver {
    /// Moves the handles towards `targets` and finds the equilibrium there, or as near as collisions, the cable's
    /// length and the solver allow. A `None` target leaves that handle where it is.
    ///
    /// Every state on the way is free of collisions. The state at the end is an equilibrium unless the report says
    /// otherwise. `on_iterate` gets the nodes of every accepted iterate, in order, of one continuous motion.
    pub fn step(
        &mut self,
        targets: &[Option<Pose>; 2],
        cancel: &CancelToken,
        on_iterate: Option<&mut dyn FnMut(&[Vec3])>,
    ) -> Report {
        let started = cpu_time::ThreadTime::now();
        let mut listener = on_iterate;
        self.tracing = listener.is_some();
        let mut last = self.rest_run;
        let mut iterations = 0;
        let mut stopped: Stopped = [None; 2];

        // First to rest where it is: a new problem, or a cold start.
        if !self.at_rest {
            last = self.run(
                &HandleMotion::default(),
                Mode::Fast,
                set::COLD_ITERATIONS,
                cancel,
            );
            iterations += last.iterations;
            if last.rest == Rest::NotFound {
                self.state.copy_from(&self.rest);
                self.trace.clear();
                last = self.run(
                    &HandleMotion::default(),
                    Mode::Damped,
                    set::COLD_ITERATIONS,
                    cancel,
                );
                iterations += last.iterations;
            }
            match last.rest {
                Rest::Found { .. } => self.commit(&last, &mut listener),
                // No equilibrium to go back to: what there is, is free of collisions.
                _ => self.publish(&mut listener),
            }
        }
        if self.at_rest {
            self.move_handles(
                targets,
                cancel,
                &mut listener,
                &mut last,
                &mut iterations,
                &mut stopped,
            );
        }
        let mut report = self.report(targets, &last, &stopped);
        report.iterations = iterations;
        report.cpu_ms = started.elapsed().as_secs_f64() * 1e3;
        report
    }

    fn move_handles(
        &mut self,
        targets: &[Option<Pose>; 2],
        cancel: &CancelToken,
        listener: &mut Option<&mut dyn FnMut(&[Vec3])>,
        last: &mut Run,
        iterations: &mut usize,
        stopped: &mut Stopped,
    ) {
        // All together first; where that is stopped, each on its own.
        let mut moving = [true, true];
        let mut alone = false;
        let mut size = 1.0;
        let mut stuck = 0;
        for _ in 0..set::CHUNKS {
            let (motion, whole) = self.next_motion(targets, &moving, size);
            if motion.is_zero() {
                if alone && moving == [true, false] {
                    moving = [false, true];
                    (size, stuck) = (1.0, 0);
                    continue;
                }
                return;
            }
            let strain = self.largest_strain();
            let mut run = self.run(&motion, Mode::Fast, set::ITERATIONS, cancel);
            *iterations += run.iterations;
            if run.rest == Rest::NotFound {
                self.go_back();
                run = self.run(&motion, Mode::Damped, set::DAMPED_ITERATIONS, cancel);
                *iterations += run.iterations;
            }
            let taut = self.largest_strain();
            let too_taut = taut > set::TAUT && taut > strain + 1e-6;
            let found = matches!(run.rest, Rest::Found { .. });
            let blocker = if found && !too_taut && self.state.is_finite() {
                *last = run;
                if whole && run.made == 1.0 {
                    self.settle_clamps(targets, &moving);
                }
                self.commit(&run, listener);
                size = (2.0 * size).min(1.0);
                stuck = if run.made < set::STUCK { stuck + 1 } else { 0 };
                (stuck >= 2).then(|| run.cut_by.map_or(Blocker::Solver, Blocker::Obstacle))
            } else {
                self.go_back();
                if run.rest == Rest::Cancelled {
                    last.rest = Rest::Cancelled;
                    return;
                }
                size *= 0.25;
                let blocker = match (found && too_taut, run.cut_by) {
                    (true, _) => Blocker::Length,
                    (false, Some(obstacle)) => Blocker::Obstacle(obstacle),
                    (false, None) => Blocker::Solver,
                };
                (size < set::SMALLEST_CHUNK).then_some(blocker)
            };
            let Some(blocker) = blocker else { continue };
            let both = (0..2).all(|end| {
                self.short_of(targets, end)
                    .is_some_and(|(way, angle)| way > 0.0 || angle > 0.0)
            });
            if moving == [true, true] && both {
                (moving, alone) = ([true, false], true);
            } else {
                for end in 0..2 {
                    if moving[end] {
                        stopped[end] = Some(blocker);
                    }
                }
                if !(alone && moving == [true, false]) {
                    return;
                }
                moving = [false, true];
            }
            (size, stuck) = (1.0, 0);
        }
        for end in 0..2 {
            stopped[end].get_or_insert(Blocker::Solver);
        }
    }

    /// The next chunk of the handles' way, and whether it reaches the targets.
    fn next_motion(
        &self,
        targets: &[Option<Pose>; 2],
        moving: &[bool; 2],
        size: f64,
    ) -> (HandleMotion, bool) {
        let mut motion = HandleMotion::default();
        let mut chunks = 0.0_f64;
        let length = self.problem.rod.length();
        for end in 0..2 {
            let (Some(target), Some(now)) = (targets[end], self.state.clamp_pose(end)) else {
                continue;
            };
            if !moving[end] {
                continue;
            }
            motion.way[end] = target.position - now.position;
            motion.turn[end] = (now.rotation.inverse() * target.rotation).scaled_axis();
            // Below the noise of a coordinate there is nothing left to do.
            if motion.way[end].norm() <= 1e-12 * length {
                motion.way[end] = Vec3::zeros();
            }
            if motion.turn[end].norm() <= 1e-12 {
                motion.turn[end] = Vec3::zeros();
            }
            chunks = chunks
                .max(motion.way[end].norm() / (set::CHUNK * length))
                .max(motion.turn[end].norm() / set::CHUNK_ANGLE);
        }
        let factor = if chunks > 1.0 { size / chunks } else { size };
        (motion.scaled(factor), factor == 1.0)
    }

    /// Puts clamps that have arrived exactly on their targets: sums of increments end a rounding error beside them.
    fn settle_clamps(&mut self, targets: &[Option<Pose>; 2], moving: &[bool; 2]) {
        let n = self.state.positions.len();
        for end in 0..2 {
            let (Some(target), true, true) =
                (targets[end], moving[end], self.state.clamps[end].is_some())
            else {
                continue;
            };
            let joint = end * (n - 1);
            let twist = self.state.joint_twist(joint);
            self.state.positions[end * (n - 1)] = target.position;
            self.state.clamps[end] = Some(target.rotation);
            self.state.keep_turns(joint, twist);
        }
    }

    /// Takes the state as the new equilibrium: friction is tied to it, and the way to it is published.
    fn commit(&mut self, run: &Run, listener: &mut Option<&mut dyn FnMut(&[Vec3])>) {
        self.rest.copy_from(&self.state);
        self.rest_tension.copy_from_slice(&self.tension);
        self.rest_run = *run;
        self.at_rest = true;
        anchor(
            &self.contacts,
            &self.contact_forces,
            &self.state.positions,
            self.settings.friction,
            self.settings.slip,
            &self.friction,
            &mut self.work.next_friction,
        );
        std::mem::swap(&mut self.friction, &mut self.work.next_friction);
        self.publish(listener);
    }

    fn publish(&mut self, listener: &mut Option<&mut dyn FnMut(&[Vec3])>) {
        if let Some(listener) = listener {
            for nodes in self.trace.chunks_exact(self.state.positions.len()) {
                listener(nodes);
            }
        }
        self.trace.clear();
    }

    /// Back to the last equilibrium; the way from it is forgotten.
    fn go_back(&mut self) {
        self.state.copy_from(&self.rest);
        self.tension.copy_from_slice(&self.rest_tension);
        self.trace.clear();
        self.find_contacts();
    }

    fn largest_strain(&self) -> f64 {
        let edges = self
            .state
            .positions
            .windows(2)
            .map(|p| (p[1] - p[0]).norm());
        edges
            .zip(self.problem.rod.rest_lengths())
            .map(|(now, rest)| now / rest - 1.0)
            .fold(0.0, f64::max)
    }

    /// How far a handle is from its target: mm and radians.
    fn short_of(&self, targets: &[Option<Pose>; 2], end: usize) -> Option<(f64, f64)> {
        let now = self.state.clamp_pose(end)?;
        let target = targets[end].unwrap_or(now);
        let way = (target.position - now.position).norm();
        let angle = (now.rotation.inverse() * target.rotation).angle();
        let length = self.problem.rod.length();
        Some((
            if way <= 1e-9 * length { 0.0 } else { way },
            if angle <= 1e-9 { 0.0 } else { angle },
        ))
    }

    fn report(&self, targets: &[Option<Pose>; 2], last: &Run, stopped: &Stopped) -> Report {
        let n = self.problem.rod.n_edges();
        let g = &self.work.system.gradient;
        let nodes = [layout::node(0), layout::node(n)];
        let handles = [0, 1].map(|end| {
            let (short_by, short_by_angle) = self.short_of(targets, end)?;
            let clamp = self.state.clamps[end]?;
            Some(HandleReport {
                force: entry(g, nodes[end]),
                moment: clamp * entry(g, layout::clamp(end, n)),
                short_by,
                short_by_angle,
                blocker: stopped[end].filter(|_| short_by > 0.0 || short_by_angle > 0.0),
            })
        });
        let held =
            |blocker: Option<Blocker>| handles.iter().flatten().any(|h| h.blocker == blocker);
        let short = handles.iter().flatten().any(|h| h.blocker.is_some());
        let status = match last.rest {
            Rest::Cancelled => Status::Cancelled,
            Rest::NotFound => Status::NotConverged,
            Rest::Found { .. } if held(Some(Blocker::Solver)) => Status::NotConverged,
            Rest::Found { .. } if short => Status::Blocked,
            Rest::Found { .. } => Status::Converged,
        };
        let contacts = self
            .contacts
            .iter()
            .zip(&self.contact_forces)
            .map(|(c, &force)| ContactReport {
                obstacle: c.obstacle as usize,
                position: c.position(&self.state.positions),
                force: c.normal * force,
                gap: c.distance - self.settings.radius,
            })
            .collect::<Vec<_>>();
        let curvature = (0..=n)
            .filter_map(|j| {
                let (a, b) = self.state.joint(j)?;
                let m = bend_twist(a, b, self.state.turns[j]);
                Some(m.bend[0].hypot(m.bend[1]) / self.problem.rod.joint_length(j))
            })
            .fold(0.0, f64::max);
        Report {
            status,
            iterations: 0,
            residual: last.residual,
            tolerance: last.tolerance,
            cpu_ms: 0.0,
            energy: self.work.system.energy,
            stable: last.rest == Rest::Found { stable: true },
            smallest_gap: contacts.iter().map(|c| c.gap).reduce(f64::min),
            contacts,
            handles,
            length: self.state.length(),
            smallest_bend_radius: 1.0 / curvature,
        }
    }
}
