//! Energy of one contact between rods with its derivatives in the four nodes of its edges.

use nalgebra::SVector;

use super::{PairContact, PairSettings};
use crate::contact::barrier::{barrier, barrier_gradient, barrier_hessian, mollifier};
use crate::geom::Vec3;

/// A vector in (left, right) of the first edge and (left, right) of the second.
pub type Vector12 = SVector<f64, 12>;

/// Energy of a contact and its gradient, and its Hessian as a sum of dyads.
#[derive(Clone, Copy, Debug)]
pub struct PairTerm {
    /// N mm.
    pub energy: f64,
    /// N.
    pub gradient: Vector12,
    /// Normal force, N.
    pub force: f64,
    /// Direction of the stiff dyad: the derivative of the distance.
    pub along: Vector12,
    /// Stiffness in it, N/mm; positive.
    pub stiffness: f64,
    /// Direction across the contact in which the sample may roll off the other rod, and the stiffness in it (negative);
    /// 0 for a crossing, which slides both ways.
    pub across: Vector12,
    /// See `across`, N/mm.
    pub rolling: f64,
}

/// E = w kappa m(c) b(d - r1 - r2), as [`contact_term`](crate::contact::contact_term); `points` are the four nodes.
///
/// The Hessian is kept as the dyads that matter: b'' grad d grad d^T, and -|b'| / d where a sample rolls round the other rod.
/// What is left out is the turning of edges against each other, which their own bending outweighs by far.
pub fn pair_term(contact: &PairContact, points: &[&Vec3; 4], settings: &PairSettings) -> PairTerm {
    let scale = contact.weight * settings.stiffness;
    let gap = contact.distance - settings.radii;
    let d = settings.barrier_distance;
    let mut term = PairTerm {
        energy: scale * barrier(gap, d),
        gradient: Vector12::zeros(),
        force: -scale * barrier_gradient(gap, d),
        along: spread(contact, &contact.normal),
        stiffness: scale * barrier_hessian(gap, d),
        across: Vector12::zeros(),
        rolling: 0.0,
    };
    term.gradient = term.along * -term.force;
    let (ea, eb) = (points[1] - points[0], points[3] - points[2]);
    if contact.crossing {
        let (c, [ca, cb]) = squared_sine(&ea, &eb);
        let (m, m1, _) = mollifier(c);
        if m < 1.0 {
            let of_c = stack([&-ca, &ca, &-cb, &cb]);
            term.gradient = term.gradient * m + of_c * (term.energy * m1);
            term.energy *= m;
            term.force *= m;
            term.stiffness *= m;
        }
    } else if contact.slides[1] {
        let across = contact.normal.cross(&eb.normalize());
        term.across = spread(contact, &across);
        term.rolling = -term.force / contact.distance;
    }
    term
}

/// A vector at the contact, on the four nodes.
fn spread(contact: &PairContact, v: &Vec3) -> Vector12 {
    let w = contact.weights();
    stack([&(v * w[0]), &(v * w[1]), &(v * w[2]), &(v * w[3])])
}

fn stack(parts: [&Vec3; 4]) -> Vector12 {
    Vector12::from_fn(|k, _| parts[k / 3][k % 3])
}

/// c = 1 - q^2 with q the cosine of the angle between two edges, and its gradient in each.
fn squared_sine(ea: &Vec3, eb: &Vec3) -> (f64, [Vec3; 2]) {
    let (la, lb) = (ea.norm(), eb.norm());
    let (u, v) = (ea / la, eb / lb);
    let q = u.dot(&v);
    let slope = -2.0 * q;
    (
        1.0 - q * q,
        [(v - u * q) * (slope / la), (u - v * q) * (slope / lb)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactSettings;
    use crate::contact::pair::{Chain, NearPairs, find_pair_contacts};

    /// Energy, gradient and number of contacts between two edges, by the whole search.
    fn energy_of(points: &[Vec3; 4], settings: &[ContactSettings; 2]) -> (f64, Vector12, usize) {
        let lengths = [10.0];
        let chain = |k: usize| Chain {
            points: &points[2 * k..2 * k + 2],
            motion: &[],
            held: &[false; 2],
            lengths: &lengths,
            settings: &settings[k],
            sees_itself: false,
            awake: true,
        };
        let mut contacts = Vec::new();
        let touching = find_pair_contacts(
            &[chain(0), chain(1)],
            &mut NearPairs::default(),
            &mut contacts,
        );
        let pair = PairSettings::new(&settings[0], &settings[1]);
        let mut sum = (0.0, Vector12::zeros(), contacts.len());
        for contact in &contacts {
            // Nodes and gradient in the order of the contact's own rods.
            let order = contact.rods.map(|r| 2 * r as usize);
            let at = [order[0], order[0] + 1, order[1], order[1] + 1];
            let term = pair_term(contact, &at.map(|k| &points[k]), &pair);
            sum.0 += term.energy;
            for (k, &node) in at.iter().enumerate() {
                for c in 0..3 {
                    sum.1[3 * node + c] += term.gradient[3 * k + c];
                }
            }
        }
        (
            if touching > 0 { f64::INFINITY } else { sum.0 },
            sum.1,
            sum.2,
        )
    }

    fn random_pair(rng: &mut fastrand::Rng, parallel: bool) -> [Vec3; 4] {
        let mut u = |lo: f64, hi: f64| lo + (hi - lo) * rng.f64();
        let across = if parallel { 0.4 } else { 6.0 };
        let a = Vec3::new(u(-3.0, 3.0), u(-3.0, 3.0), 0.0);
        let b = a + Vec3::new(u(7.0, 11.0), u(-across, across), u(-1.0, 1.0));
        let c = Vec3::new(u(-6.0, 6.0), u(-6.0, 6.0), u(6.5, 9.5));
        let d = c + Vec3::new(u(7.0, 11.0), u(-across, across), u(-1.0, 1.0));
        [a, b, c, d]
    }

    fn settings() -> [ContactSettings; 2] {
        [4.0, 3.0].map(|radius| ContactSettings {
            barrier_distance: 1.5,
            ..ContactSettings::new(radius, 0.01, 0.2)
        })
    }

    #[test]
    fn the_gradient_matches_finite_differences_of_the_whole_search() {
        let settings = settings();
        let mut rng = fastrand::Rng::with_seed(3);
        let (mut tested, mut kinds) = (0, std::collections::BTreeSet::new());
        while tested < 300 {
            let points = random_pair(&mut rng, tested % 3 == 0);
            let (energy, gradient, n) = energy_of(&points, &settings);
            if !(energy > 1e-3 && energy < 50.0) {
                continue;
            }
            kinds.insert(n);
            let step = 1e-6;
            for k in 0..12 {
                let mut moved = [points, points];
                moved[0][k / 3][k % 3] += step;
                moved[1][k / 3][k % 3] -= step;
                let [plus, minus] = moved.map(|p| energy_of(&p, &settings).0);
                let slope = (plus - minus) / (2.0 * step);
                assert!(
                    (slope - gradient[k]).abs() < 1e-5 * (1.0 + gradient.norm()),
                    "entry {k}: {slope} against {}",
                    gradient[k]
                );
            }
            tested += 1;
        }
        assert!(kinds.len() > 3, "few and many contacts are met: {kinds:?}");
    }

    #[test]
    fn the_dyads_are_the_hessian_but_for_the_turning_of_edges() {
        // A sample above the middle of the other edge: pushing it in, and rolling it off sideways.
        let contact = PairContact {
            rods: [0, 1],
            edges: [0, 0],
            at: [0.0, 0.5],
            slides: [false, true],
            crossing: false,
            normal: Vec3::z(),
            distance: 7.5,
            weight: 5.0,
        };
        let [a, b] = settings();
        let pair = PairSettings::new(&a, &b);
        let points = [
            Vec3::new(0.0, 0.0, 7.5),
            Vec3::new(10.0, 0.0, 8.5),
            Vec3::new(-5.0, 0.0, 0.0),
            Vec3::new(5.0, 0.0, 0.0),
        ];
        let force = |moved: Vec3| {
            let p = points[0] + moved;
            let distance = p.y.hypot(p.z);
            let normal = Vec3::new(0.0, p.y, p.z) / distance;
            let here = PairContact {
                normal,
                distance,
                ..contact
            };
            let at = [&p, &points[1], &points[2], &points[3]];
            let gradient = pair_term(&here, &at, &pair).gradient;
            Vec3::new(gradient[0], gradient[1], gradient[2])
        };
        let at = [&points[0], &points[1], &points[2], &points[3]];
        let term = pair_term(&contact, &at, &pair);
        let step = 1e-6;
        for (axis, expected) in [(1, term.rolling), (2, term.stiffness)] {
            let h = Vec3::ith(axis, step);
            let second = (force(h) - force(-h))[axis] / (2.0 * step);
            assert!((second - expected).abs() < 1e-6 * term.stiffness);
            assert!(expected != 0.0);
        }
    }

    #[test]
    fn the_energy_has_no_jump_when_one_edge_slides_along_the_other() {
        let settings = settings();
        let mut rng = fastrand::Rng::with_seed(9);
        for k in 0..100 {
            let points = random_pair(&mut rng, k % 2 == 0);
            let way = Vec3::new(rng.f64() - 0.5, rng.f64() - 0.5, 0.1 * (rng.f64() - 0.5)) * 30.0;
            let n = 3000;
            let at = |t: f64| {
                let mut p = points;
                p[2] += way * t;
                p[3] += way * t;
                energy_of(&p, &settings)
            };
            let mut last = at(0.0);
            for k in 1..=n {
                let now = at(f64::from(k) / f64::from(n));
                let both = last.0.is_finite() && now.0.is_finite() && last.0.max(now.0) < 20.0;
                if both {
                    let change = (now.0 - last.0).abs();
                    let bound = 1.5 * last.1.norm().max(now.1.norm()) * way.norm() / f64::from(n);
                    assert!(change < bound + 1e-4, "{change} above {bound}");
                }
                last = now;
            }
        }
    }
}
