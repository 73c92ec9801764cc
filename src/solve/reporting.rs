//! What is to be said of a rod after a step.

use smallvec::SmallVec;

use super::coupled::Coupled;
use super::grip::{Hold, Place, Target};
use super::island::Outcome;
use super::newton::entry;
use super::run::{Rest, Run};
use super::step::Targets;
use super::{
    Blocker, ContactReport, HandleReport, HandleReports, Profile, Report, RodContactReport, Solver,
    Status, layout,
};
use crate::contact::pair::PairContact;
use crate::geom::Vec3;
use crate::rod::{axial_shear_force, bend_twist};

impl Coupled<'_> {
    /// What is to be said of a rod.
    pub(super) fn report(&self, r: usize, targets: Targets, outcome: Option<&Outcome>) -> Report {
        let rod = &self.rods[r];
        let own = targets.of(r);
        let mut last = rod.rest_run;
        let Some(Outcome {
            island,
            continuation,
            cpu_ms,
        }) = outcome
        else {
            let blockers = rod.stopped.as_ref().map_or(&[][..], |s| &s.blockers);
            let mut report = rod.report(own, &last, blockers);
            self.add_rod_contacts(r, &mut report);
            return report;
        };
        if continuation.cancelled {
            last.rest = Rest::Cancelled;
        }
        let blockers: SmallVec<[Option<Blocker>; 4]> = (continuation.stopped.iter())
            .filter(|s| s.0 == r)
            .map(|s| s.2)
            .collect();
        let mut report = rod.report(own, &last, &blockers);
        if continuation.on_the_way && report.is_short() {
            report.status = if continuation.kept {
                Status::OnTheWay
            } else {
                Status::NotConverged
            };
        }
        self.add_rod_contacts(r, &mut report);
        report.island = Some(*island);
        report.iterations = continuation.iterations;
        report.cpu_ms = *cpu_ms;
        report
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
                let radius = own.work.candidates.margins();
                let radius =
                    own.settings.radius + radius.thickness().of_edge(contact.edges[side] as usize);
                let share = radius / contact.radii;
                report.rod_contacts.push(RodContactReport {
                    rod: contact.rods[1 - side] as usize,
                    position: at.lerp(&there, share),
                    force: contact.normal * (sign * force),
                    gap: contact.gap(),
                });
            }
        }
    }
}

impl Solver {
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
            _ if self.adrift => Status::NotHeld,
            Rest::NotFound => Status::NotConverged,
            Rest::Found { .. } if held(Some(Blocker::Solver)) => Status::NotConverged,
            Rest::Found { .. } if self.flows.iter().any(|f| !f.balanced) => Status::NotConverged,
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
                gap: c.distance - c.radius,
            })
            .collect::<Vec<_>>();
        let measures = if self.awake {
            self.measure_shape()
        } else {
            self.measures
        };
        Report {
            status,
            island: None,
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
            largest_strain: measures.strain,
            taut_strain: self.taut_strain(),
            length: measures.length,
            smallest_bend_radius: measures.bend_radius,
            largest_bend: measures.bend,
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
        let forces = rod.rest_lengths().iter().enumerate().map(|(i, &length)| {
            let (x0, x1) = (&state.positions[i], &state.positions[i + 1]);
            axial_shear_force(x0, &state.frames[i], x1, &rod.edge_stiffness(i), length)
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
