//! One step: to rest, along the handles' way, and what is to be said of it.

use super::assemble::stiffness;
use super::grip::{Hold, Place, Target};
use super::journey::{Listener, Stopped};
use super::newton::{Rest, Run, entry};
use super::{
    Blocker, CancelToken, ContactReport, HandleReport, HandleReports, Profile, Report, Solver,
    Status, layout,
};
use crate::contact::friction::anchor;
use crate::geom::Vec3;
use crate::rod::{axial_shear_force, bend_twist};

impl Solver {
    /// Moves the handles towards `targets` and finds the equilibrium there, or as near as collisions, the cable's
    /// length and the solver allow. Targets are in the order of the problem's grips; a handle without one stays where
    /// it is.
    ///
    /// Every state on the way is free of collisions. The state at the end is an equilibrium unless the report says
    /// otherwise. `on_iterate` gets the nodes of every accepted iterate, in order, of one continuous motion.
    pub fn step(
        &mut self,
        targets: &[Option<Target>],
        cancel: &CancelToken,
        on_iterate: Listener,
    ) -> Report {
        let started = cpu_time::ThreadTime::now();
        let mut listener = on_iterate;
        self.tracing = listener.is_some();
        let mut last = self.rest_run;
        let mut iterations = 0;
        let mut stopped = Stopped::new();

        // First to rest where it is: a new problem, or a cold start.
        if !self.at_rest {
            self.stay();
            last = self.run_to_rest(cancel);
            iterations += last.iterations;
            match last.rest {
                Rest::Found { .. } => self.commit(&last, &mut listener),
                _ if !self.state.is_finite() => self.go_back(),
                // What there is, is free of collisions: the next step goes on from it.
                _ => self.leave_unrested(&mut listener),
            }
        }
        if self.at_rest && !self.problem.flows.is_empty() {
            iterations += self.relax_flows(cancel, &mut listener);
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
        // The next step goes on pushing.
        self.at_rest &= !self.margins().is_pushing();
        let mut report = self.report(targets, &last, &stopped);
        report.iterations = iterations;
        report.cpu_ms = started.elapsed().as_secs_f64() * 1e3;
        report
    }

    /// Takes the state as the new equilibrium: friction is tied to it, and the way to it is published.
    pub(super) fn commit(&mut self, run: &Run, listener: &mut Listener) {
        self.rest.copy_from(&self.state);
        self.rest_grips.copy_from_slice(&self.grips);
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
        self.work.candidates.grow_margins(
            &self.problem.obstacles,
            &self.state.positions,
            &self.settings,
        );
        self.publish(listener);
    }

    /// Keeps a state that is not in equilibrium; the way to it is published.
    pub(super) fn leave_unrested(&mut self, listener: &mut Listener) {
        self.rest.copy_from(&self.state);
        self.rest_grips.copy_from_slice(&self.grips);
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
        self.grips.copy_from_slice(&self.rest_grips);
        self.tension.copy_from_slice(&self.rest_tension);
        self.settings.barrier_stiffness = self.rest_stiffness;
        self.work.sticky.copy_from(&self.rest_sticky);
        self.trace.clear();
        self.find_contacts();
        self.stale = true;
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

    fn report(&self, targets: &[Option<Target>], last: &Run, stopped: &Stopped) -> Report {
        let n = self.problem.rod.n_edges();
        let handles: HandleReports = (0..self.grips.len())
            .map(|k| {
                let (short_by, short_by_angle) = self.short_of(targets, k);
                let (force, moment) = self.grip_force(k);
                HandleReport {
                    force,
                    moment,
                    short_by,
                    short_by_angle,
                    blocker: (stopped.get(k).copied().flatten())
                        .filter(|_| short_by > 0.0 || short_by_angle > 0.0)
                        .map(|blocker| self.named(blocker)),
                }
            })
            .collect();
        let held = |blocker: Option<Blocker>| handles.iter().any(|h| h.blocker == blocker);
        let short = handles
            .iter()
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
        let (mut curvature, mut largest_bend) = (0.0_f64, 0.0_f64);
        for j in 0..=n {
            let Some((a, b)) = self.state.joint(j) else {
                continue;
            };
            let m = bend_twist(a, b, self.state.turns[j]);
            let bend = m.bend[0].hypot(m.bend[1]);
            curvature = curvature.max(bend / self.problem.rod.joint_length(j));
            largest_bend = largest_bend.max(2.0 * (0.5 * bend).atan());
        }
        Report {
            status,
            iterations: 0,
            residual: last.residual,
            tolerance: last.tolerance,
            cpu_ms: 0.0,
            energies: self.work.system.energies,
            stable: last.rest == Rest::Found { stable: true },
            smallest_gap: contacts.iter().map(|c| c.gap).reduce(f64::min),
            contacts,
            handles,
            largest_strain: self.largest_strain(),
            length: self.state.length(),
            smallest_bend_radius: 1.0 / curvature,
            largest_bend,
        }
    }

    /// Force and moment of a handle on the cable: the derivative of the energy in what it holds.
    fn grip_force(&self, k: usize) -> (Vec3, Vec3) {
        let n = self.problem.rod.n_edges();
        let g = &self.work.system.gradient;
        let grip = &self.problem.grips[k];
        let at = grip.place.point(&self.state);
        match (grip.hold, grip.place) {
            (Hold::Spring(stiffness), _) => {
                ((self.grips[k].anchor - at) * stiffness, Vec3::zeros())
            }
            (_, Place::Node(i)) => {
                let moment = grip.clamp(n).and_then(|end| {
                    let clamp = self.state.clamps[end]?;
                    Some(clamp * entry(g, layout::clamp(end, n)))
                });
                (entry(g, layout::node(i)), moment.unwrap_or_default())
            }
            (_, Place::Edge(j) | Place::Within { edge: j, .. }) => {
                let mut force = Vec3::zeros();
                let mut moment = Vec3::zeros();
                for i in [j, j + 1] {
                    let part = entry(g, layout::node(i));
                    force += part;
                    moment += (self.state.positions[i] - at).cross(&part);
                }
                if grip.hold == Hold::Frame {
                    moment += self.state.frames[j] * entry(g, layout::frame(j));
                }
                (force, moment)
            }
        }
    }

    /// Forces, moments and curvature along the cable at the state.
    pub fn profile(&self) -> Profile {
        let (rod, state) = (&self.problem.rod, &self.state);
        let stiffness = stiffness(&self.problem);
        let forces = rod.rest_lengths().iter().enumerate().map(|(i, &length)| {
            let (x0, x1) = (&state.positions[i], &state.positions[i + 1]);
            axial_shear_force(x0, &state.frames[i], x1, &stiffness, length)
        });
        let forces: Vec<Vec3> = forces.collect();
        let joints = 0..=rod.n_edges();
        let bends: Vec<_> = joints
            .clone()
            .map(|j| {
                let (a, b) = state.joint(j)?;
                Some(bend_twist(a, b, state.turns[j]))
            })
            .collect();
        let over_length = |value: f64, j: usize| value / rod.joint_length(j);
        Profile {
            tension: forces.iter().map(|n| n.z).collect(),
            shear: forces.iter().map(|n| [n.x, n.y]).collect(),
            moments: joints
                .map(|j| {
                    state.joint(j).map_or_else(Vec3::zeros, |(a, b)| {
                        rod.joint(j).moments(a, b, state.turns[j])
                    })
                })
                .collect(),
            curvature: (bends.iter().enumerate())
                .map(|(j, m)| m.map_or(0.0, |m| over_length(m.bend[0].hypot(m.bend[1]), j)))
                .collect(),
            twist_rate: (bends.iter().enumerate())
                .map(|(j, m)| m.map_or(0.0, |m| over_length(m.twist, j)))
                .collect(),
        }
    }
}
