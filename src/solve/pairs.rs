//! Contact between the rods that are solved together.

use super::body::{Bodies, Body};
use super::coupling::{Column, Coupling};
use super::settings as set;
use super::{BodyReport, Solver, layout};
use crate::contact::Thickness;
use crate::contact::pair::{
    Apart, Chain, Chains, Dyad, EdgePair, NearPairs, PairContact, PairFriction, PairLimit,
    PairSettings, PairSweep, PairTerm, Vector12, anchor_pairs, find_pair_contacts,
    overlaps_at_fixings, pair_term,
};
use crate::geom::{Pose, Vec3};

/// Contacts between rods, and the memory to find them and to solve with them.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    pub(super) near: NearPairs,
    pub(super) contacts: Vec<PairContact>,
    /// How many places touch or penetrate already: they are no contacts.
    penetrating: usize,
    /// Normal force of each, N.
    pub(super) forces: Vec<f64>,
    trial: Vec<PairContact>,
    /// What the step would run into; it is among the columns of the coupling as if it were there already.
    ahead: Vec<PairContact>,
    /// Friction of the last equilibrium.
    pub(super) friction: Vec<PairFriction>,
    /// Whether that was tied anew since the last equilibrium was kept; the friction before is in `next_friction` then.
    tied: bool,
    next_friction: Vec<PairFriction>,
    /// Whether the matrix has what makes contacts give way (else it is never too soft).
    pub(super) softening: bool,
    pub(super) coupling: Coupling,
    /// Bodies that ends of rods are fixed to, and the matrix for the inertia of the rods that they join.
    pub(super) bodies: Bodies,
    pub(super) inertia: Coupling,
}

/// The rods as their partners see them.
struct AsChains<'a> {
    rods: &'a [Solver],
    awake: &'a [usize],
    seen: Seen,
}

/// Which state of the rods that are awake is looked at.
#[derive(Clone, Copy, PartialEq)]
enum Seen {
    /// That which they are in.
    Now,
    /// The same, with their step.
    Moving,
    /// That which is tried.
    Tried,
}

impl Chains for AsChains<'_> {
    fn n_chains(&self) -> usize {
        self.rods.len()
    }

    fn awake(&self) -> impl Iterator<Item = usize> {
        self.awake.iter().copied()
    }

    fn chain(&self, r: usize) -> Chain<'_> {
        let rod = &self.rods[r];
        Chain {
            points: match self.seen {
                Seen::Now | Seen::Moving => &rod.state.positions,
                Seen::Tried => tried(rod),
            },
            motion: if self.seen == Seen::Moving && rod.awake {
                &rod.work.motion
            } else {
                &[]
            },
            held: &rod.held,
            lengths: rod.problem.rod.rest_lengths(),
            settings: &rod.settings,
            thickness: Thickness::new(&rod.problem.thickness),
            sees_itself: rod.problem.self_contact,
            awake: rod.awake,
        }
    }
}

impl Pairs {
    /// For rods of which some stretches pass through each other.
    pub fn new(apart: &[Apart]) -> Self {
        let mut pairs = Self::default();
        pairs.near.reset(apart);
        pairs
    }

    /// For rods of a cluster.
    pub(super) fn with(near: NearPairs, bodies: Bodies) -> Self {
        Self {
            near,
            bodies,
            ..Self::default()
        }
    }

    /// Takes other stretches that pass through each other. Of rods beyond the first `kept` all is forgotten.
    pub fn set_apart(&mut self, apart: &[Apart], kept: usize) {
        self.near.reset(apart);
        self.friction
            .retain(|f| f.rods.iter().all(|&r| (r as usize) < kept));
        self.contacts.clear();
        self.forces.clear();
    }

    /// Fixes ends of rods to bodies that find their own place, in place of those before.
    pub fn set_bodies(&mut self, bodies: &[Body], rods: &mut [Solver]) {
        self.bodies = Bodies::new(bodies, rods);
    }

    /// Where each body is that has an end of a rod, with its number among those that were set.
    pub fn body_poses(&self) -> impl Iterator<Item = (usize, Pose)> {
        self.bodies.all.iter().map(|body| (body.number, body.pose))
    }

    /// How far each body that has an end of a rod is from balance.
    pub fn body_reports(&self, rods: &[Solver]) -> Vec<BodyReport> {
        let report = |(b, body): (usize, &super::body::Member)| {
            let [residual, tolerance] = self.bodies.balance(b, rods);
            BodyReport {
                body: body.number,
                pose: body.pose,
                residual,
                tolerance,
            }
        };
        self.bodies.all.iter().enumerate().map(report).collect()
    }

    /// The contacts at the end of the last step.
    pub fn contacts(&self) -> &[PairContact] {
        &self.contacts
    }

    /// The two rods of each contact, of friction that outlasts one, and of each body that joins them.
    pub(super) fn links(&self) -> impl Iterator<Item = [usize; 2]> {
        let contacts = self.contacts.iter().map(|c| c.rods);
        let rods = contacts.chain(self.friction.iter().map(|f| f.rods));
        let touching = rods.map(|pair| pair.map(|r| r as usize));
        touching.chain(self.bodies.pairs())
    }

    /// Whether there is nothing to look for.
    fn idle(rods: &[Solver]) -> bool {
        rods.len() == 1 && !rods[0].problem.self_contact
    }

    /// Finds the contacts at the state of the rods.
    pub(super) fn find(&mut self, rods: &[Solver], awake: &[usize]) {
        if Self::idle(rods) {
            return;
        }
        let seen = Seen::Now;
        let chains = AsChains { rods, awake, seen };
        self.penetrating = find_pair_contacts(&chains, &mut self.near, &mut self.contacts);
    }

    /// Lets edges pass through each other that overlap at fixings where the rods are now, and no others; whether these are
    /// others than before.
    pub(super) fn pass_overlaps(&mut self, rods: &[Solver], awake: &[usize]) -> bool {
        if self.penetrating == 0 && self.near.passing().is_empty() {
            return false;
        }
        let seen = Seen::Now;
        let passing = overlaps_at_fixings(&AsChains { rods, awake, seen }, &mut self.near);
        self.near.pass(passing)
    }

    /// Rods that are near each other, some pairs several times.
    pub(super) fn near_rods(
        &mut self,
        rods: &[Solver],
        awake: &[usize],
    ) -> impl Iterator<Item = [usize; 2]> {
        let seen = Seen::Now;
        let near = self.near.now(&AsChains { rods, awake, seen });
        near.iter().map(|pair| pair.map(|(r, _)| r as usize))
    }

    /// Pairs of edges that came near each other on the ways that were noted.
    pub(super) fn near_ways(&mut self, rods: &[Solver]) -> &[EdgePair] {
        let seen = Seen::Now;
        let awake = &[];
        let swept = |r: usize| &rods[r].work.swept[..];
        (self.near).ways(&AsChains { rods, awake, seen }, swept)
    }

    /// Energy of the contacts at the states tried, N mm.
    pub(super) fn trial_energy(&mut self, rods: &[Solver], awake: &[usize]) -> f64 {
        if Self::idle(rods) {
            return 0.0;
        }
        self.find_tried(rods, awake);
        let tried = |r: usize| tried(&rods[r]);
        let energy =
            |c: &PairContact| pair_term(c, &nodes(c, tried), &settings(c.rods, rods), false).energy;
        let contacts: f64 = self.trial.iter().map(energy).sum();
        contacts + self.friction_energy(rods, tried)
    }

    /// Finds the contacts at the states tried.
    fn find_tried(&mut self, rods: &[Solver], awake: &[usize]) {
        let seen = Seen::Tried;
        let chains = AsChains { rods, awake, seen };
        self.trial.clear();
        find_pair_contacts(&chains, &mut self.near, &mut self.trial);
    }

    /// Energy of the contacts of rods that are awake and of the friction between them, N mm.
    pub(super) fn energy(&self, rods: &[Solver]) -> f64 {
        let awake = self.contacts.iter().filter(|c| is_awake(c.rods, rods));
        let contacts: f64 = awake.map(|c| term(c, rods, false).energy).sum();
        contacts + self.friction_energy(rods, |r| &rods[r].state.positions)
    }

    /// Energy of the friction between rods that are awake, their nodes there, N mm.
    fn friction_energy<'p>(&self, rods: &[Solver], points: impl Fn(usize) -> &'p [Vec3]) -> f64 {
        let awake = self.friction.iter().filter(|f| is_awake(f.rods, rods));
        awake
            .map(|f| f.term(&f.nodes(&points), &settings(f.rods, rods)).energy)
            .sum()
    }

    /// Friction that the rods rest in.
    pub fn friction(&self) -> &[PairFriction] {
        &self.friction
    }

    /// Goes on with friction that was kept, and finds what touches.
    pub fn restore(&mut self, friction: Vec<PairFriction>, rods: &[Solver]) {
        self.friction = friction;
        self.friction.sort_unstable_by(PairFriction::order);
        let awake: Vec<usize> = (0..rods.len()).filter(|&r| rods[r].awake).collect();
        self.find(rods, &awake);
    }

    /// Ties friction to the contacts of an equilibrium.
    pub(super) fn anchor(&mut self, rods: &[Solver], awake: &[usize]) {
        self.forces.clear();
        let force = |c: &PairContact| term(c, rods, false).force;
        self.forces.extend(self.contacts.iter().map(force));
        let seen = Seen::Now;
        let chains = AsChains { rods, awake, seen };
        anchor_pairs(
            &self.contacts,
            &self.forces,
            &chains,
            &self.friction,
            &mut self.next_friction,
        );
        std::mem::swap(&mut self.friction, &mut self.next_friction);
        self.tied = true;
    }

    /// Back to the friction that the last equilibrium rests in, if it was tied anew since.
    pub(super) fn untie(&mut self) {
        if std::mem::take(&mut self.tied) {
            std::mem::swap(&mut self.friction, &mut self.next_friction);
        }
    }

    /// The friction as it is belongs to what is kept.
    pub(super) fn keep_friction(&mut self) {
        self.tied = false;
    }

    /// How far the rods may go along `work.motion`.
    pub(super) fn limit(&mut self, rods: &[Solver], awake: &[usize]) -> PairLimit {
        if Self::idle(rods) {
            return PairLimit::NONE;
        }
        let seen = Seen::Moving;
        let chains = AsChains { rods, awake, seen };
        PairSweep { chains: &chains }.limit(&mut self.near)
    }

    /// Looks for contacts at the states tried, which are `fraction` of the step, and couples the rods by those that the rest
    /// of it would press, as [`ahead`](super::look_ahead) has it; how many are new.
    pub(super) fn look_ahead(&mut self, rods: &[Solver], awake: &[usize], fraction: f64) -> usize {
        if Self::idle(rods) {
            return 0;
        }
        self.find_tried(rods, awake);
        let before = self.ahead.len();
        for contact in &self.trial {
            let both_awake = contact.rods.iter().all(|&r| rods[r as usize].awake);
            if !both_awake || self.ahead.iter().any(|a| is_same(a, contact)) {
                continue;
            }
            let settings = settings(contact.rods, rods);
            let landing = set::LANDING * settings.barrier_distance;
            let landed = PairContact {
                distance: contact.radii + landing,
                ..*contact
            };
            let points = nodes(contact, |r| &rods[r].work.trial.positions[..]);
            let there = pair_term(&landed, &points, &settings, false);
            let mut column = column((contact.rods, contact.edges), &there.normal);
            let approach = column.dot(|r| &rods[r].work.delta);
            let gap = contact.gap();
            if gap + (1.0 - fraction) * approach >= landing {
                continue;
            }
            let here = gap - fraction * approach;
            column.slope = column.stiffness * (here - landing) - there.force;
            // One that is felt already, if weakly, is in the system as it is now.
            if let Some(felt) = self.contacts.iter().find(|c| is_same(c, contact)) {
                let now = term(felt, rods, false);
                column.slope += now.force;
                column.stiffness -= now.normal.stiffness;
            }
            if column.stiffness > 0.0 {
                self.ahead.push(*contact);
                self.coupling.columns.push(column);
            }
        }
        self.ahead.len() - before
    }

    /// Forgets what is ahead.
    pub(super) fn forget_ahead(&mut self) {
        self.ahead.clear();
        self.coupling.columns.retain(|c| c.slope == 0.0);
    }

    /// Adds the contacts to the systems of the rods, and gathers what couples them.
    pub(super) fn assemble(&mut self, rods: &mut [Solver]) {
        // What was switched off has let go for good.
        self.friction
            .retain(|f| settings(f.rods, rods).friction > 0.0);
        self.forces.clear();
        self.coupling.columns.clear();
        self.ahead.clear();
        for contact in &self.contacts {
            if !is_awake(contact.rods, rods) {
                self.forces.push(term(contact, rods, false).force);
                continue;
            }
            let term = term(contact, rods, true);
            self.forces.push(term.force);
            let at = (contact.rods, contact.edges);
            add_gradient(rods, at, &term.gradient, term.normal.stiffness);
            for rod in contact.rods {
                let energies = &mut rods[rod as usize].work.system.energies;
                energies.contact += 0.5 * term.energy;
            }
            for dyad in &term.hessian {
                if dyad.stiffness > 0.0 || self.softening {
                    self.coupling.columns.push(column(at, dyad));
                }
            }
        }
        for friction in &self.friction {
            if !is_awake(friction.rods, rods) {
                continue;
            }
            let settings = settings(friction.rods, rods);
            let term = friction.term(&friction.nodes(|r| &rods[r].state.positions), &settings);
            let at = (friction.rods, friction.edges);
            add_gradient(rods, at, &term.gradient, term.dyads[1].stiffness);
            for rod in friction.rods {
                let energies = &mut rods[rod as usize].work.system.energies;
                energies.friction += 0.5 * term.energy;
            }
            // What slides resists no further motion along its way.
            let stiff = term.dyads.iter().filter(|d| d.stiffness > 0.0);
            self.coupling.columns.extend(stiff.map(|d| column(at, d)));
        }
    }

    /// The heaviest load per length that another rod puts on rod `r`, N/mm, and the smallest gap over barrier distance.
    pub(super) fn load_on(&self, r: usize, rods: &[Solver]) -> (f64, f64) {
        let mut heaviest = 0.0_f64;
        let mut tightest = f64::INFINITY;
        for contact in &self.contacts {
            // Between two handles the gap is theirs.
            let given = (0..2).all(|side| {
                let rod = &rods[contact.rods[side] as usize];
                let (edge, at) = (contact.edges[side], contact.at[side]);
                rod.is_held(edge, at, set::BETWEEN_HANDLES)
            });
            if given || !contact.rods.contains(&(r as u32)) {
                continue;
            }
            let settings = settings(contact.rods, rods);
            let gap = contact.gap();
            let slope = -crate::contact::barrier::barrier_gradient(gap, settings.barrier_distance);
            heaviest = heaviest.max(settings.stiffness * slope);
            tightest = tightest.min(gap / settings.barrier_distance);
        }
        (heaviest, tightest)
    }
}

/// Nodes of a rod in the state that is tried, or where it sleeps.
fn tried(rod: &Solver) -> &[Vec3] {
    if rod.awake {
        &rod.work.trial.positions
    } else {
        &rod.state.positions
    }
}

/// Whether two contacts are between the same places of the same rods.
fn is_same(a: &PairContact, b: &PairContact) -> bool {
    let same_kind = a.crossing == b.crossing && (a.crossing || a.at[0] == b.at[0]);
    a.rods == b.rods && a.edges == b.edges && same_kind
}

/// Whether one of the rods of a contact is awake: then both are.
fn is_awake(pair: [u32; 2], rods: &[Solver]) -> bool {
    pair.iter().any(|&r| rods[r as usize].awake)
}

fn settings(pair: [u32; 2], rods: &[Solver]) -> PairSettings {
    let [a, b] = pair.map(|r| &rods[r as usize].settings);
    PairSettings::new(a, b)
}

/// Two rods, and an edge of each.
type At = ([u32; 2], [u32; 2]);

/// Adds a gradient in the four nodes to the systems of the rods, and notes how stiff that is.
fn add_gradient(rods: &mut [Solver], at: At, gradient: &Vector12, stiffness: f64) {
    for side in 0..2 {
        let work = &mut rods[at.0[side] as usize].work;
        work.pressed = true;
        let begin = layout::node(at.1[side] as usize);
        for k in 0..6 {
            work.system.gradient[begin + 6 * (k / 3) + k % 3] += gradient[6 * side + k];
        }
        work.stiffest_pair = work.stiffest_pair.max(stiffness);
    }
}

fn column(at: At, dyad: &Dyad) -> Column {
    Column {
        rods: at.0.map(|r| r as usize),
        edges: at.1.map(|i| i as usize),
        value: dyad.direction,
        free: dyad.direction,
        stiffness: dyad.stiffness,
        slope: 0.0,
    }
}

fn nodes<'a>(contact: &PairContact, points: impl Fn(usize) -> &'a [Vec3]) -> [&'a Vec3; 4] {
    let [(a, i), (b, j)] =
        [0, 1].map(|side| (contact.rods[side] as usize, contact.edges[side] as usize));
    let (a, b) = (points(a), points(b));
    [&a[i], &a[i + 1], &b[j], &b[j + 1]]
}

fn term(contact: &PairContact, rods: &[Solver], wants_hessian: bool) -> PairTerm {
    let points = nodes(contact, |r| &rods[r].state.positions);
    pair_term(
        contact,
        &points,
        &settings(contact.rods, rods),
        wants_hessian,
    )
}
