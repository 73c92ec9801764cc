//! Friction between rods, lagged as in [`crate::contact::friction`] and by the same law.
//!
//! The contacts of one edge with another rod are one here: where two rods lie side by side there are half a dozen to an
//! edge, and what holds them back does not ask where on the edge it sits.

use super::term::{Dyad, Vector12, stack};
use super::{Chain, Chains, PairContact, PairSettings};
use crate::contact::friction::slip_function;
use crate::geom::Vec3;

/// Contacts whose normals are farther apart than the angle of this cosine (about 25 degrees) hold each for itself.
const ALIKE: f64 = 0.9;

/// Normal force below which a contact holds nothing back, over what loads one radius of the cable by itself. The
/// barrier's last tenth has such contacts by the dozen.
const LIGHT: f64 = 0.01;

/// Edges that a place may have gone along one of the rods while it counts as the same.
const SAME_PLACE: f64 = 1.5;

/// A place where friction holds two rods to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairFriction {
    /// The two rods.
    pub rods: [u32; 2],
    /// Edge of each.
    pub edges: [u32; 2],
    /// Where along each edge; fixed during a step.
    pub at: [f64; 2],
    /// From the second rod to the first.
    pub normal: Vec3,
    /// From the place on the second centerline to that on the first at the last equilibrium.
    pub base: Vec3,
    /// Slip that the last equilibrium already had, across the normal.
    pub slip: Vec3,
    /// Normal force, N.
    pub force: f64,
}

/// Energy and gradient of friction in the four nodes, and its Hessian as a sum of dyads.
#[derive(Clone, Copy, Debug)]
pub struct PairFrictionTerm {
    /// N mm.
    pub energy: f64,
    /// N.
    pub gradient: Vector12,
    /// Along the slip and across it; neither is negative.
    pub dyads: [Dyad; 2],
}

impl PairFriction {
    /// By rods, edges and places.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let at = |k: usize| self.at[k].total_cmp(&other.at[k]);
        ((self.rods, self.edges).cmp(&(other.rods, other.edges)))
            .then(at(0))
            .then(at(1))
            .then(self.force.total_cmp(&other.force))
    }

    /// From the place on the second centerline to that on the first.
    fn between(&self, points: &[&Vec3; 4]) -> Vec3 {
        let [a0, a1, b0, b1] = *points;
        a0.lerp(a1, self.at[0]) - b0.lerp(b1, self.at[1])
    }

    /// A vector at the place, on the four nodes.
    fn spread(&self, v: &Vec3) -> Vector12 {
        let [s, t] = self.at;
        stack([&(v * (1.0 - s)), &(v * s), &(v * (t - 1.0)), &(v * -t)])
    }

    /// How far the second rod's place has been left behind, across the normal.
    fn slip_at(&self, points: &[&Vec3; 4]) -> Vec3 {
        let moved = self.between(points) - self.base;
        across(&moved, &self.normal) + self.slip
    }

    /// The term with its four nodes there: mu lambda f0(|u|) of the slip u.
    pub fn term(&self, points: &[&Vec3; 4], settings: &PairSettings) -> PairFrictionTerm {
        let load = settings.friction * self.force;
        let u = self.slip_at(points);
        let y = u.norm();
        let (f0, f1, f2) = slip_function(y, settings.slip);
        // Without a slip all directions are alike.
        let (along, secant) = if y > 1e-12 * settings.slip {
            (u / y, f1 / y)
        } else {
            (any_across(&self.normal), 2.0 / settings.slip)
        };
        let [first, second] = [along, self.normal.cross(&along)].map(|v| self.spread(&v));
        let dyad = |direction, stiffness: f64| Dyad {
            direction,
            stiffness: load * stiffness,
        };
        PairFrictionTerm {
            energy: load * f0,
            gradient: first * (load * f1),
            dyads: [dyad(first, f2), dyad(second, secant)],
        }
    }

    /// The nodes of both edges.
    pub fn nodes<'p>(&self, points: impl Fn(usize) -> &'p [Vec3]) -> [&'p Vec3; 4] {
        let [a, b] = self.rods.map(|r| points(r as usize));
        let [i, j] = self.edges.map(|i| i as usize);
        [&a[i], &a[i + 1], &b[j], &b[j + 1]]
    }

    /// How far the place of `other` is along each rod, in edges; `None` when it is between other rods or on another side.
    fn apart(&self, other: &Self) -> Option<[f64; 2]> {
        let near = self.rods == other.rods && self.normal.dot(&other.normal) > 0.0;
        let place = |f: &Self, k: usize| f64::from(f.edges[k]) + f.at[k];
        near.then(|| [0, 1].map(|k| (place(self, k) - place(other, k)).abs()))
    }
}

/// What of `v` is across a unit vector.
fn across(v: &Vec3, normal: &Vec3) -> Vec3 {
    v - normal * normal.dot(v)
}

/// Some unit vector across another.
fn any_across(normal: &Vec3) -> Vec3 {
    across(&Vec3::ith(normal.iamin(), 1.0), normal).normalize()
}

/// Contacts of one edge with another rod, while they are put together.
struct Gathered {
    rods: [u32; 2],
    edge: u32,
    /// The first edge of the other rod.
    other: u32,
    /// Sums, weighted by the force.
    force: f64,
    at: f64,
    other_at: f64,
    normal: Vec3,
}

impl Gathered {
    fn new(contact: &PairContact, force: f64) -> Self {
        // Of two rods the one with the smaller number first, of two edges of one rod the same.
        let [a, b] = [0, 1].map(|k| (contact.rods[k], contact.edges[k]));
        let (first, second, sign) = if a <= b { (0, 1, 1.0) } else { (1, 0, -1.0) };
        Self {
            rods: [contact.rods[first], contact.rods[second]],
            edge: contact.edges[first],
            other: contact.edges[second],
            force,
            at: force * contact.at[first],
            other_at: force * (f64::from(contact.edges[second]) + contact.at[second]),
            normal: contact.normal * (sign * force),
        }
    }

    /// Takes another in, if it is of the same edge and looks the same way.
    fn take(&mut self, new: &Self) -> bool {
        let alike = self.rods == new.rods
            && self.edge == new.edge
            && self.other.abs_diff(new.other) <= 1
            && self.normal.dot(&new.normal) > ALIKE * self.normal.norm() * new.normal.norm();
        if alike {
            self.force += new.force;
            self.at += new.at;
            self.other_at += new.other_at;
            self.normal += new.normal;
        }
        alike
    }

    /// Friction there, tied to where the rods are, with the slip of the one of `last` that was there before.
    fn tie(&self, chains: &impl Chains, last: &[PairFriction]) -> Option<PairFriction> {
        let [a, b] = &self.rods.map(|r| chains.chain(r as usize));
        let settings = PairSettings::new(a.settings, b.settings);
        let own = |c: &Chain| c.settings.own_load() * c.settings.radius;
        if settings.friction <= 0.0 || self.force <= LIGHT * own(a).min(own(b)) {
            return None;
        }
        let place = self.other_at / self.force;
        let other = (place as u32).min(b.lengths.len() as u32 - 1);
        let normal = self.normal.normalize();
        let mut friction = PairFriction {
            rods: self.rods,
            edges: [self.edge, other],
            at: [self.at / self.force, place - f64::from(other)],
            normal,
            base: Vec3::zeros(),
            slip: Vec3::zeros(),
            force: self.force,
        };
        let points = friction.nodes(|r| chains.chain(r).points);
        friction.base = friction.between(&points);
        // Sliding along one rod, the place on the other stays.
        let before = last.iter().filter_map(|f| {
            let [a, b] = friction.apart(f)?;
            (a.min(b) <= SAME_PLACE).then_some((a + b, f))
        });
        let before = before.min_by(|x, y| x.0.total_cmp(&y.0));
        if let Some((_, before)) = before {
            let slip = before.slip_at(&before.nodes(|r| chains.chain(r).points));
            let slip = across(&slip, &normal);
            friction.slip = slip * (settings.slip / slip.norm()).min(1.0);
        }
        Some(friction)
    }
}

/// Ties friction to the contacts of an equilibrium of the chains that are awake, `forces` being their normal forces.
/// `last` gives the slip of what was there before, new ones start without; between two that sleep it stays as it was.
pub fn anchor_pairs(
    contacts: &[PairContact],
    forces: &[f64],
    chains: &impl Chains,
    last: &[PairFriction],
    out: &mut Vec<PairFriction>,
) {
    let awake = |rods: &[u32; 2]| rods.iter().any(|&r| chains.chain(r as usize).awake);
    out.clear();
    out.extend(last.iter().filter(|f| !awake(&f.rods)));
    let mut open: Option<Gathered> = None;
    // Those of one edge stand one after the other.
    for (contact, &force) in contacts.iter().zip(forces) {
        if force <= 0.0 || !awake(&contact.rods) {
            continue;
        }
        let new = Gathered::new(contact, force);
        if !open.as_mut().is_some_and(|gathered| gathered.take(&new)) {
            out.extend(open.replace(new).and_then(|g| g.tie(chains, last)));
        }
    }
    out.extend(open.and_then(|g| g.tie(chains, last)));
    // An order that does not depend on who sleeps.
    out.sort_unstable_by(PairFriction::order);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::pair::{NearPairs, find_pair_contacts};
    use crate::contact::{ContactSettings, Thickness};

    const FRICTION: f64 = 0.2;

    fn settings() -> [ContactSettings; 2] {
        [4.0, 3.0].map(|radius| ContactSettings::new(radius, 0.01, FRICTION))
    }

    /// Two edges, one lying on the other, that cross at an angle.
    fn crossed(angle: f64) -> [Vec3; 4] {
        let along = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let up = Vec3::new(0.3, -0.2, 7.1);
        [
            up - along * 9.0,
            up + along * 9.0,
            Vec3::x() * -6.0,
            Vec3::x() * 4.0,
        ]
    }

    /// Friction between the two edges, tied where they are, and the sum of the normal forces: one for each contact.
    fn tied(points: &[Vec3; 4], last: &[PairFriction]) -> (Vec<PairFriction>, f64) {
        let settings = settings();
        let lengths = [10.0];
        let chain = |k: usize| Chain {
            points: &points[2 * k..2 * k + 2],
            motion: &[],
            held: &[false; 2],
            lengths: &lengths,
            settings: &settings[k],
            thickness: Thickness::default(),
            sees_itself: false,
            awake: true,
        };
        let chains = [chain(0), chain(1)];
        let mut contacts = Vec::new();
        find_pair_contacts(&chains, &mut NearPairs::default(), &mut contacts);
        let forces: Vec<f64> = (1..=contacts.len()).map(|k| k as f64).collect();
        let mut out = Vec::new();
        anchor_pairs(&contacts, &forces, &chains, last, &mut out);
        (out, forces.iter().sum())
    }

    fn term(friction: &PairFriction, points: &[Vec3; 4]) -> PairFrictionTerm {
        let [a, b] = settings();
        let points = [0, 1, 2, 3].map(|k| &points[k]);
        friction.term(&points, &PairSettings::new(&a, &b))
    }

    #[test]
    fn gradient_and_hessian_match_finite_differences() {
        let mut rng = fastrand::Rng::with_seed(5);
        let (mut sticks, mut slides) = (0, 0);
        for round in 0..60 {
            let start = crossed(0.3 + 1.2 * rng.f64());
            let friction = tied(&start, &[]).0[0];
            // Ways around the full slip of 0.06 mm.
            let way = if round % 2 == 0 { 0.02 } else { 0.3 };
            let moved = start.map(|p| p + Vec3::from_fn(|_, _| way * (rng.f64() - 0.5)));
            let here = term(&friction, &moved);
            assert!(here.gradient.norm() > 1e-2);
            sticks += usize::from(here.dyads[0].stiffness > 0.0);
            slides += usize::from(here.dyads[0].stiffness == 0.0);
            let step = 1e-6;
            let at = |k: usize, by: f64| {
                let mut p = moved;
                p[k / 3][k % 3] += by;
                term(&friction, &p)
            };
            for k in 0..12 {
                let (plus, minus) = (at(k, step), at(k, -step));
                let slope = (plus.energy - minus.energy) / (2.0 * step);
                assert!((slope - here.gradient[k]).abs() < 1e-6 * here.gradient.norm());
                let second = (plus.gradient - minus.gradient) / (2.0 * step);
                let column = |d: &Dyad| d.direction * (d.stiffness * d.direction[k]);
                let hessian = column(&here.dyads[0]) + column(&here.dyads[1]);
                let scale = here.dyads[1].stiffness;
                assert!((second - hessian).norm() < 1e-3 * scale, "entry {k}");
            }
        }
        assert!(sticks > 10 && slides > 10, "{sticks} stick, {slides} slide");
    }

    #[test]
    fn the_contacts_of_an_edge_hold_as_one_with_all_of_their_force() {
        // Along each other: the crossing and the samples of both.
        let (friction, force) = tied(&crossed(0.0), &[]);
        assert!(force > 5.0, "several contacts");
        assert_eq!(friction.len(), 1);
        let slid = crossed(0.0).map(|p| if p.z > 1.0 { p + Vec3::x() } else { p });
        let term = term(&friction[0], &slid);
        let on_first = term.gradient.fixed_rows::<3>(0) + term.gradient.fixed_rows::<3>(3);
        let on_second = term.gradient.fixed_rows::<3>(6) + term.gradient.fixed_rows::<3>(9);
        assert!((on_first.norm() - FRICTION * force).abs() < 1e-9 * force);
        assert!(on_first.x > 0.99 * on_first.norm());
        assert!((on_first + on_second).norm() < 1e-12 * force);
    }

    #[test]
    fn a_slide_is_kept_as_one_full_slip_and_a_rest_as_it_is() {
        let start = crossed(1.2);
        let slid = |way: f64| start.map(|p| if p.z > 1.0 { p + Vec3::x() * way } else { p });
        // Force on the first edge, over the most that there can be.
        let pull = |tied: &(Vec<PairFriction>, f64), way: f64| {
            let gradient = term(&tied.0[0], &slid(way)).gradient;
            let force = gradient.fixed_rows::<3>(0) + gradient.fixed_rows::<3>(3);
            force.norm() / (FRICTION * tied.1)
        };
        let first = tied(&start, &[]);
        assert!((pull(&first, 1.0) - 1.0).abs() < 1e-9);
        // Tied anew it still pulls with all it has, and again where nothing moved.
        let second = tied(&slid(1.0), &first.0);
        assert!((pull(&second, 1.0) - 1.0).abs() < 1e-9);
        let third = tied(&slid(1.0), &second.0);
        assert!((pull(&third, 1.0) - 1.0).abs() < 1e-9);
        // Going back it relaxes first: half of the full slip leaves three quarters.
        assert!((pull(&third, 1.0 - 0.03) - 0.75).abs() < 0.01);
        // What sticks is kept as it is.
        let little = tied(&slid(0.015), &first.0);
        let (before, after) = (pull(&first, 0.015), pull(&little, 0.015));
        assert!(before > 0.1 && before < 0.6, "{before}");
        assert!((after / before - 1.0).abs() < 1e-3, "{after} of {before}");
    }
}
