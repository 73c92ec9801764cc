//! Contact between the rods that are solved together.

use smallvec::SmallVec;

use super::coupling::{Column, Coupling};
use super::{Solver, layout};
use crate::contact::pair::{
    Apart, Chain, NearPairs, PairContact, PairLimit, PairSettings, PairSweep, PairTerm,
    find_pair_contacts, pair_term,
};
use crate::geom::Vec3;

/// Contacts between rods, and the memory to find them and to solve with them.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    near: NearPairs,
    pub(super) contacts: Vec<PairContact>,
    /// Normal force of each, N.
    pub(super) forces: Vec<f64>,
    trial: Vec<PairContact>,
    /// Whether the matrix has what makes contacts give way (else it is never too soft).
    pub(super) softening: bool,
    /// Whether the equilibrium has not taken many iterations yet.
    pub(super) patient: bool,
    pub(super) coupling: Coupling,
}

/// Contacts between rods up to which the curvature of their distances is in the matrix at first: with more, a few
/// iterations more cost less.
const MOST_CURVED: usize = 60;
/// And up to which it is when an equilibrium takes long: strands that lie along each other then take ten times the
/// iterations without it. With even more contacts it would cost too much.
const MOST_CURVED_LATER: usize = 200;

/// A few rods without asking for memory.
type Chains<'a> = SmallVec<[Chain<'a>; 16]>;

/// The rods as their partners see them.
fn chains_of<'a>(
    rods: &'a [Solver],
    points: impl Fn(&'a Solver) -> &'a [Vec3],
    moving: bool,
) -> Chains<'a> {
    let chain = |rod: &'a Solver| Chain {
        points: points(rod),
        motion: if moving && rod.awake {
            &rod.work.motion
        } else {
            &[]
        },
        held: &rod.held,
        lengths: rod.problem.rod.rest_lengths(),
        settings: &rod.settings,
        sees_itself: rod.problem.self_contact,
        awake: rod.awake,
    };
    rods.iter().map(chain).collect()
}

impl Pairs {
    /// For rods of which some stretches pass through each other.
    pub fn new(apart: &[Apart]) -> Self {
        let mut pairs = Self::default();
        pairs.near.reset(apart);
        pairs
    }

    /// The contacts at the end of the last step.
    pub fn contacts(&self) -> &[PairContact] {
        &self.contacts
    }

    /// Whether there is nothing to look for.
    fn idle(rods: &[Solver]) -> bool {
        rods.len() == 1 && !rods[0].problem.self_contact
    }

    /// Finds the contacts at the state of the rods; how many places touch or penetrate already.
    pub(super) fn find(&mut self, rods: &[Solver]) -> usize {
        if Self::idle(rods) {
            return 0;
        }
        let chains = chains_of(rods, |rod| &rod.state.positions, false);
        find_pair_contacts(&chains, &mut self.near, &mut self.contacts)
    }

    /// Energy of the contacts at the states tried, N mm.
    pub(super) fn trial_energy(&mut self, rods: &[Solver]) -> f64 {
        if Self::idle(rods) {
            return 0.0;
        }
        let chains = chains_of(
            rods,
            |rod| {
                if rod.awake {
                    &rod.work.trial.positions
                } else {
                    &rod.state.positions
                }
            },
            false,
        );
        self.trial.clear();
        find_pair_contacts(&chains, &mut self.near, &mut self.trial);
        let energy = |c: &PairContact| {
            let points = nodes(c, |r| chains[r].points);
            pair_term(c, &points, &settings(c, rods), false).energy
        };
        self.trial.iter().map(energy).sum()
    }

    /// Energy of the contacts of rods that are awake, N mm.
    pub(super) fn energy(&self, rods: &[Solver]) -> f64 {
        let awake = self.contacts.iter().filter(|c| is_awake(c, rods));
        awake.map(|c| term(c, rods, false).energy).sum()
    }

    /// How far the rods may go along `work.motion`.
    pub(super) fn limit(&mut self, rods: &[Solver]) -> PairLimit {
        if Self::idle(rods) {
            return PairLimit::NONE;
        }
        let chains = chains_of(rods, |rod| &rod.state.positions, true);
        PairSweep { chains: &chains }.limit(&mut self.near)
    }

    /// Adds the contacts to the systems of the rods, and gathers what couples them.
    pub(super) fn assemble(&mut self, rods: &mut [Solver], softening: bool) {
        let softening = softening && self.softening;
        self.forces.clear();
        self.coupling.columns.clear();
        let most_curved = if self.patient {
            MOST_CURVED
        } else {
            MOST_CURVED_LATER
        };
        let curvature = self.contacts.len() <= most_curved;
        for contact in &self.contacts {
            if !is_awake(contact, rods) {
                self.forces.push(0.0);
                continue;
            }
            let term = term(contact, rods, curvature);
            self.forces.push(term.force);
            for side in 0..2 {
                let rod = &mut rods[contact.rods[side] as usize];
                let at = layout::node(contact.edges[side] as usize);
                for k in 0..6 {
                    rod.work.system.gradient[at + 6 * (k / 3) + k % 3] +=
                        term.gradient[6 * side + k];
                }
                rod.work.system.energies.contact += 0.5 * term.energy;
                rod.work.stiffest_pair = rod.work.stiffest_pair.max(term.normal.stiffness);
            }
            for dyad in term.curvature.iter().chain([&term.normal]) {
                if dyad.stiffness > 0.0 || softening {
                    self.coupling.columns.push(Column {
                        rods: contact.rods.map(|r| r as usize),
                        edges: contact.edges.map(|i| i as usize),
                        value: dyad.direction,
                        free: dyad.direction,
                        stiffness: dyad.stiffness,
                    });
                }
            }
        }
    }

    /// The heaviest load per length that another rod puts on rod `r`, N/mm, and the smallest gap over barrier distance.
    pub(super) fn load_on(&self, r: usize, rods: &[Solver]) -> (f64, f64) {
        let mut heaviest = 0.0_f64;
        let mut tightest = f64::INFINITY;
        for contact in &self.contacts {
            // Between two handles the gap is theirs.
            let given = (0..2).all(|side| {
                rods[contact.rods[side] as usize].is_held(contact.edges[side], contact.at[side])
            });
            if given || !contact.rods.contains(&(r as u32)) {
                continue;
            }
            let settings = settings(contact, rods);
            let gap = contact.distance - settings.radii;
            let slope = -crate::contact::barrier::barrier_gradient(gap, settings.barrier_distance);
            heaviest = heaviest.max(settings.stiffness * slope);
            tightest = tightest.min(gap / settings.barrier_distance);
        }
        (heaviest, tightest)
    }
}

/// Whether one of the rods of a contact is awake: then both are.
fn is_awake(contact: &PairContact, rods: &[Solver]) -> bool {
    contact.rods.iter().any(|&r| rods[r as usize].awake)
}

fn settings(contact: &PairContact, rods: &[Solver]) -> PairSettings {
    let [a, b] = contact.rods.map(|r| &rods[r as usize].settings);
    PairSettings::new(a, b)
}

fn nodes<'a>(contact: &PairContact, points: impl Fn(usize) -> &'a [Vec3]) -> [&'a Vec3; 4] {
    let [(a, i), (b, j)] =
        [0, 1].map(|side| (contact.rods[side] as usize, contact.edges[side] as usize));
    let (a, b) = (points(a), points(b));
    [&a[i], &a[i + 1], &b[j], &b[j + 1]]
}

fn term(contact: &PairContact, rods: &[Solver], curvature: bool) -> PairTerm {
    let points = nodes(contact, |r| &rods[r].state.positions);
    pair_term(contact, &points, &settings(contact, rods), curvature)
}
