//! One step: to rest, along the handles' way, and what is to be said of it.

use super::journey::{Listener, Stopped};
use super::newton::{HandleMotion, Rest, Run, entry};
use super::{Blocker, CancelToken, ContactReport, HandleReport, Report, Solver, Status, layout};
use crate::contact::friction::anchor;
use crate::geom::Pose;
use crate::rod::bend_twist;

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
        on_iterate: Listener,
    ) -> Report {
        let started = cpu_time::ThreadTime::now();
        let mut listener = on_iterate;
        self.tracing = listener.is_some();
        let mut last = self.rest_run;
        let mut iterations = 0;
        let mut stopped: Stopped = [None; 2];

        // First to rest where it is: a new problem, or a cold start.
        if !self.at_rest {
            last = self.run_to_rest(&HandleMotion::default(), cancel);
            iterations += last.iterations;
            match last.rest {
                Rest::Found { .. } => self.commit(&last, &mut listener),
                _ if !self.state.is_finite() => self.go_back(),
                // What there is, is free of collisions: the next step goes on from it.
                _ => self.leave_unrested(&mut listener),
            }
        }
        if self.at_rest {
            let journey = self.travel(targets, cancel, &mut listener);
            iterations += journey.iterations;
            stopped = journey.stopped;
            if self.at_rest {
                last = self.rest_run;
            }
            if journey.cancelled {
                last.rest = Rest::Cancelled;
            }
        }
        if self.stale {
            self.refresh();
        }
        let mut report = self.report(targets, &last, &stopped);
        report.iterations = iterations;
        report.cpu_ms = started.elapsed().as_secs_f64() * 1e3;
        report
    }

    /// Takes the state as the new equilibrium: friction is tied to it, and the way to it is published.
    pub(super) fn commit(&mut self, run: &Run, listener: &mut Listener) {
        self.rest.copy_from(&self.state);
        self.rest_tension.copy_from_slice(&self.tension);
        self.rest_run = *run;
        self.remember_contact();
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

    /// Keeps a state that is not in equilibrium; the way to it is published.
    pub(super) fn leave_unrested(&mut self, listener: &mut Listener) {
        self.rest.copy_from(&self.state);
        self.rest_tension.copy_from_slice(&self.tension);
        self.remember_contact();
        self.at_rest = false;
        self.publish(listener);
    }

    fn remember_contact(&mut self) {
        self.rest_stiffness = self.settings.barrier_stiffness;
        self.rest_sticky.copy_from(&self.work.sticky);
    }

    fn publish(&mut self, listener: &mut Listener) {
        if let Some(listener) = listener {
            for nodes in self.trace.chunks_exact(self.state.positions.len()) {
                listener(nodes);
            }
        }
        self.trace.clear();
    }

    /// Back to the last equilibrium; the way from it is forgotten.
    pub(super) fn go_back(&mut self) {
        self.state.copy_from(&self.rest);
        self.tension.copy_from_slice(&self.rest_tension);
        self.settings.barrier_stiffness = self.rest_stiffness;
        self.work.sticky.copy_from(&self.rest_sticky);
        self.trace.clear();
        self.find_contacts();
        self.stale = true;
    }

    /// How far a handle is from its target: mm and radians.
    pub(super) fn short_of(&self, targets: &[Option<Pose>; 2], end: usize) -> Option<(f64, f64)> {
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

    /// Where the length holds a handle: what the cable is taut around.
    fn named(&self, blocker: Blocker) -> Blocker {
        if !matches!(blocker, Blocker::Length { .. }) {
            return blocker;
        }
        let loads = self.contacts.iter().zip(&self.contact_forces);
        let heaviest = loads.max_by(|a, b| a.1.total_cmp(b.1));
        Blocker::Length {
            around: heaviest.map(|(contact, _)| contact.obstacle as usize),
        }
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
                blocker: stopped[end]
                    .filter(|_| short_by > 0.0 || short_by_angle > 0.0)
                    .map(|blocker| self.named(blocker)),
            })
        });
        let held =
            |blocker: Option<Blocker>| handles.iter().flatten().any(|h| h.blocker == blocker);
        let short = handles
            .iter()
            .flatten()
            .any(|h| h.short_by > 0.0 || h.short_by_angle > 0.0);
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
            largest_strain: self.largest_strain(),
            length: self.state.length(),
            smallest_bend_radius: 1.0 / curvature,
        }
    }
}
