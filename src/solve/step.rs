//! One step: to rest, along the handles' way, and what is to be said of it.

use smallvec::SmallVec;

use super::assemble::stiffness;
use super::grip::{Hold, Place, Target};
use super::journey::{Journey, Listener};
use super::newton::entry;
use super::together::{Rest, Run, Together};
use super::{
    Blocker, CancelToken, ContactReport, HandleReport, HandleReports, Pairs, Profile, Report,
    RodContactReport, Solver, Status, layout,
};
use crate::contact::friction::anchor;
use crate::contact::pair::PairContact;
use crate::geom::Vec3;
use crate::rod::{axial_shear_force, bend_twist};

/// Where the handles of each rod are to go, in the order of its problem's grips; a handle without a target stays where it
/// is, and so do all of a rod without a list.
pub type Targets<'t> = &'t [&'t [Option<Target>]];

/// Handles that move as one: (rod, grip) of each.
pub type Party = Vec<(usize, usize)>;

/// One report for each rod.
pub type Reports = SmallVec<[Report; 1]>;

/// Who gets (rod, nodes) of every accepted iterate: rod by rod, iterate by iterate.
pub type GroupListener<'a> = Option<&'a mut dyn FnMut(usize, &[Vec3])>;

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
        let mut pairs = std::mem::take(&mut self.own_pairs);
        let mut together = Together {
            rods: std::slice::from_mut(self),
            pairs: &mut pairs,
            parties: &[],
        };
        let mut reports = match on_iterate {
            Some(listener) => {
                let mut of_rod = |_: usize, nodes: &[Vec3]| listener(nodes);
                together.step(&[targets], cancel, Some(&mut of_rod))
            }
            None => together.step(&[targets], cancel, None),
        };
        self.own_pairs = pairs;
        reports.remove(0)
    }
}

/// As [`Solver::step`] for several rods that may touch each other: contacts between them are part of the equilibrium.
/// Rods that rest, and that nothing touches, cost next to nothing.
pub fn step_together(
    rods: &mut [Solver],
    pairs: &mut Pairs,
    parties: &[Party],
    targets: Targets,
    cancel: &CancelToken,
    on_iterate: GroupListener,
) -> Reports {
    let mut together = Together {
        rods,
        pairs,
        parties,
    };
    together.step(targets, cancel, on_iterate)
}

impl Together<'_> {
    fn step(
        &mut self,
        targets: Targets,
        cancel: &CancelToken,
        on_iterate: GroupListener,
    ) -> Reports {
        let started = cpu_time::ThreadTime::now();
        let mut listener = on_iterate;
        let mut journey = Journey::default();
        self.wake_moving(targets, listener.is_some());

        // First to rest where they are: a new problem, or a cold start.
        if !self.at_rest() {
            self.each(Solver::stay);
            let run = self.run_to_rest(usize::MAX, cancel);
            journey.iterations += run.iterations;
            match run.rest {
                Rest::Found { .. } => {
                    self.commit(&run, &mut listener);
                    journey.kept = true;
                }
                _ if !self.is_finite() => self.go_back(),
                // What there is, is free of collisions: the next step goes on from it.
                _ => self.leave_unrested(&run, &mut listener),
            }
        }
        if self.at_rest() {
            journey.iterations += self.relax_flows(cancel, &mut listener);
        }
        if self.at_rest() {
            self.travel(targets, cancel, &mut listener, &mut journey);
        }
        if self.rods.iter().any(|rod| rod.stale) {
            self.refresh();
        }
        // The next step goes on pushing.
        self.each(|rod| rod.at_rest &= !rod.is_pushing());
        let cpu_ms = started.elapsed().as_secs_f64() * 1e3;
        let n_awake = self.awake().len().max(1);
        let report = |r: usize| {
            let rod = &self.rods[r];
            let mut last = rod.rest_run;
            if journey.cancelled && rod.awake {
                last.rest = Rest::Cancelled;
            }
            let own: SmallVec<[Option<Blocker>; 4]> = (journey.stopped.iter())
                .filter(|s| s.0 == r)
                .map(|s| s.2)
                .collect();
            let mut report = rod.report(targets.get(r).copied().unwrap_or_default(), &last, &own);
            if journey.on_the_way && rod.awake && report.is_short() {
                report.status = if journey.kept {
                    Status::OnTheWay
                } else {
                    Status::NotConverged
                };
            }
            self.add_rod_contacts(r, &mut report);
            if rod.awake {
                report.iterations = journey.iterations;
                report.cpu_ms = cpu_ms / n_awake as f64;
            }
            report
        };
        (0..self.rods.len()).map(report).collect()
    }

    /// Wakes the rods that have something to do, and those that touch them.
    fn wake_moving(&mut self, targets: Targets, tracing: bool) {
        for (r, rod) in self.rods.iter_mut().enumerate() {
            let own = targets.get(r).copied().unwrap_or_default();
            let short = (0..rod.grips.len()).any(|k| rod.is_short(own, k));
            rod.awake = !rod.at_rest || short;
            rod.tracing = tracing;
            rod.trace.clear();
        }
        self.wake_touched();
    }

    fn at_rest(&self) -> bool {
        self.rods.iter().all(|rod| rod.at_rest || !rod.awake)
    }

    /// Takes the states as the new equilibrium: friction is tied to them, and the way to them is published.
    pub(super) fn commit(&mut self, run: &Run, listener: &mut GroupListener) {
        self.each(|rod| rod.commit(run));
        self.pairs.anchor(self.rods);
        self.publish(listener);
    }

    /// Keeps states that are not in equilibrium; the way to them is published.
    pub(super) fn leave_unrested(&mut self, run: &Run, listener: &mut GroupListener) {
        self.each(|rod| rod.leave_unrested(run));
        self.publish(listener);
    }

    fn publish(&mut self, listener: &mut GroupListener) {
        if let Some(listener) = listener {
            let awake = self.awake();
            let iterates = awake.iter().map(|&r| self.rods[r].traced()).max();
            for k in 0..iterates.unwrap_or(0) {
                for &r in &awake {
                    let rod = &self.rods[r];
                    let n = rod.state.positions.len();
                    if let Some(nodes) = rod.trace.get(k * n..(k + 1) * n) {
                        listener(r, nodes);
                    }
                }
            }
        }
        self.each(|rod| rod.trace.clear());
    }

    /// Assembles the systems at the states, for the reports.
    fn refresh(&mut self) {
        self.assemble(false);
    }

    /// What touches rod `r`, with the forces.
    fn add_rod_contacts(&self, r: usize, report: &mut Report) {
        let sides = |c: &PairContact| c.rods.iter().filter(|&&rod| rod as usize == r).count();
        let n_contacts = self.pairs.contacts.iter().map(sides).sum();
        report.rod_contacts.reserve_exact(n_contacts);
        for (contact, &force) in self.pairs.contacts.iter().zip(&self.pairs.forces) {
            for side in (0..2).filter(|&side| contact.rods[side] as usize == r) {
                let other = &self.rods[contact.rods[1 - side] as usize];
                let own = &self.rods[r];
                let sign = if side == 0 { 1.0 } else { -1.0 };
                let at = contact.point(side, &own.state.positions);
                let there = contact.point(1 - side, &other.state.positions);
                let share = own.settings.radius / (own.settings.radius + other.settings.radius);
                report.rod_contacts.push(RodContactReport {
                    rod: contact.rods[1 - side] as usize,
                    position: at.lerp(&there, share),
                    force: contact.normal * (sign * force),
                    gap: contact.distance - own.settings.radius - other.settings.radius,
                });
            }
        }
    }
}

impl Solver {
    /// Takes the state as the new equilibrium: friction is tied to it.
    fn commit(&mut self, run: &Run) {
        self.rest.copy_from(&self.state);
        self.rest_grips.copy_from_slice(&self.grips);
        self.rest_tension.copy_from_slice(&self.tension);
        self.note(run);
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
        self.push_on();
    }

    /// Keeps a state that is not in equilibrium.
    fn leave_unrested(&mut self, run: &Run) {
        self.note(run);
        self.rest.copy_from(&self.state);
        self.rest_grips.copy_from_slice(&self.grips);
        self.rest_tension.copy_from_slice(&self.tension);
        self.remember_contact();
        self.at_rest = false;
    }

    /// Notes a run with what is this rod's own of it.
    fn note(&mut self, run: &Run) {
        self.rest_run = *run;
        [self.rest_run.residual, self.rest_run.tolerance] = self.measured;
        if let Rest::Found { stable } = &mut self.rest_run.rest {
            *stable = self.stable;
        }
    }

    fn remember_contact(&mut self) {
        self.rest_stiffness = self.settings.barrier_stiffness;
        self.rest_sticky.copy_from(&self.work.sticky);
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

    fn report(
        &self,
        targets: &[Option<Target>],
        last: &Run,
        stopped: &[Option<Blocker>],
    ) -> Report {
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
        let short = handles.iter().any(HandleReport::is_short);
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
            rod_contacts: Vec::new(),
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
