//! Energy of one contact between rods with its derivatives in the four nodes of its edges.

use nalgebra::SVector;
use smallvec::SmallVec;

use super::parallel::add_faded;
use super::{PairContact, PairSettings};
use crate::contact::barrier::{barrier, barrier_gradient, barrier_hessian, mollifier};
use crate::geom::Vec3;

/// A vector in (left, right) of the first edge and (left, right) of the second.
pub type Vector12 = SVector<f64, 12>;

/// A part of a Hessian: stiffness times `direction` `direction`^T.
#[derive(Clone, Copy, Debug)]
pub struct Dyad {
    /// Derivative of what is resisted, in the four nodes.
    pub direction: Vector12,
    /// N/mm; negative where the contact gives way faster and faster.
    pub stiffness: f64,
}

/// Energy of a contact and its gradient, and its Hessian as a sum of dyads.
#[derive(Clone, Debug)]
pub struct PairTerm {
    /// N mm.
    pub energy: f64,
    /// N.
    pub gradient: Vector12,
    /// Normal force, N.
    pub force: f64,
    /// Stiffness against coming nearer, N/mm, in the direction of the derivative of the distance.
    pub normal: Dyad,
    /// The whole Hessian, that stiffness included, where it is asked for.
    pub hessian: SmallVec<[Dyad; 8]>,
}

/// E = w kappa m(c) b(d - r1 - r2), as [`contact_term`](crate::contact::contact_term); `points` are the four nodes. The
/// Hessian is only worked out on demand.
///
/// With u the relative motion of the two touching points, q1 and q2 across the normal, and phi the turning of the edges
/// towards it, the Hessian is b'' (n.u)^2 - |b'|/d (q.u)^2 summed over both q, and for each direction in which the contact
/// slides + |b'|/d (q.u + d q.P phi)^2, where P phi is how far it slides; where the edges are nearly parallel, with what
/// `add_faded` says of the mollifier. What a direction gives and takes comes as two dyads across each other: left with the
/// positive one alone, a matrix would be too stiff along a strand that slides over another.
pub fn pair_term(
    contact: &PairContact,
    points: &[&Vec3; 4],
    settings: &PairSettings,
    wants_hessian: bool,
) -> PairTerm {
    let scale = contact.weight * settings.stiffness;
    let gap = contact.gap();
    let d = settings.barrier_distance;
    let along = spread(contact, &contact.normal);
    let of_distance = [barrier, barrier_gradient, barrier_hessian].map(|b| scale * b(gap, d));
    let [mut energy, slope, mut stiffness] = of_distance;
    let mut force = -slope;
    let mut gradient = along * -force;
    let (ea, eb) = (points[1] - points[0], points[3] - points[2]);
    let mut hessian = SmallVec::new();
    if contact.crossing {
        let (c, [ca, cb]) = squared_sine(&ea, &eb);
        let (m, m1, m2) = mollifier(c);
        if m < 1.0 {
            if wants_hessian {
                add_faded(&mut hessian, [&ea, &eb], &along, of_distance, [m, m1, m2]);
            }
            let of_c = stack([&-ca, &ca, &-cb, &cb]);
            gradient = gradient * m + of_c * (energy * m1);
            energy *= m;
            force *= m;
            stiffness *= m;
        }
    }
    let normal = Dyad {
        direction: along,
        stiffness,
    };
    if wants_hessian {
        if hessian.is_empty() {
            hessian.push(normal);
        }
        add_curvature(&mut hessian, contact, &ea, &eb, force);
    }
    PairTerm {
        energy,
        gradient,
        force,
        normal,
        hessian,
    }
}

/// Squared sine below which two edges are too parallel for their crossing to slide anywhere in particular. What slides
/// fades by the mollifier, but its stiffness does not: the normal turns faster and faster.
const NO_CROSSING: f64 = 1e-10;

/// Adds what the curvature of the distance does to the Hessian, by the normal force.
fn add_curvature(
    dyads: &mut SmallVec<[Dyad; 8]>,
    contact: &PairContact,
    ea: &Vec3,
    eb: &Vec3,
    force: f64,
) {
    let (n, d) = (contact.normal, contact.distance);
    let stiffness = force / d;
    // How edge a or b turns towards the normal.
    let turning = [
        stack([&-n, &n, &Vec3::zeros(), &Vec3::zeros()]),
        stack([&Vec3::zeros(), &Vec3::zeros(), &-n, &n]),
    ];
    let q1 = (if contact.slides[0] { ea } else { eb }).normalize();
    let q1 = (q1 - n * n.dot(&q1)).normalize();
    let q2 = n.cross(&q1);
    // How far the contact slides along each of them.
    let slides = match contact.slides {
        [true, true] => {
            let (across_b, across_a) = (n.cross(eb), n.cross(ea));
            let sine = across_b.dot(ea);
            if sine * sine <= NO_CROSSING * ea.norm_squared() * eb.norm_squared() {
                // As if it did not give way at all.
                return;
            }
            let (pa, pb) = (across_b / sine, across_a / across_a.dot(eb));
            [q1, q2].map(|q| Some(turning[0] * q.dot(&pa) + turning[1] * q.dot(&pb)))
        }
        [true, false] => [Some(turning[0] / ea.norm()), None],
        [false, true] => [Some(turning[1] / eb.norm()), None],
        [false, false] => [None, None],
    };
    for (q, slide) in [q1, q2].iter().zip(slides) {
        let across = spread(contact, q);
        match slide {
            Some(slide) => dyads.extend(difference(&across, &(slide * d), stiffness)),
            None => dyads.push(Dyad {
                direction: across,
                stiffness: -stiffness,
            }),
        }
    }
}

/// k (a + b) (a + b)^T - k a a^T as two dyads across each other, one that is not negative and one that is not positive:
/// without the latter the nearest matrix is left that is not negative. With v = 2 a + b it is k (b v^T + v b^T) / 2, and its
/// eigenvectors halve the angles between b and v.
fn difference(a: &Vector12, b: &Vector12, k: f64) -> [Dyad; 2] {
    let v = a * 2.0 + b;
    let (lb, lv) = (b.norm(), v.norm());
    let (b, v) = (b / lb.max(f64::MIN_POSITIVE), v / lv.max(f64::MIN_POSITIVE));
    let stiffness = 0.25 * k * lb * lv;
    [(v + b, stiffness), (v - b, -stiffness)].map(|(direction, stiffness)| Dyad {
        direction,
        stiffness,
    })
}

/// A vector at the contact, on the four nodes.
fn spread(contact: &PairContact, v: &Vec3) -> Vector12 {
    let w = contact.weights();
    stack([&(v * w[0]), &(v * w[1]), &(v * w[2]), &(v * w[3])])
}

pub(super) fn stack(parts: [&Vec3; 4]) -> Vector12 {
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
    use std::f64::consts::FRAC_1_SQRT_2;

    use nalgebra::SMatrix;

    use super::*;
    use crate::contact::pair::{Chain, NearPairs, find_pair_contacts};
    use crate::contact::{ContactSettings, Thickness};

    /// Whether a contact is a crossing, and along which edges it slides.
    type Kind = (bool, [bool; 2]);

    /// Energy, gradient, Hessian and kinds of the contacts between two edges, by the whole search.
    fn energy_of(
        points: &[Vec3; 4],
        settings: &[ContactSettings; 2],
    ) -> (f64, Vector12, SMatrix<f64, 12, 12>, Vec<Kind>) {
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
        let mut contacts = Vec::new();
        let touching = find_pair_contacts(
            &[chain(0), chain(1)],
            &mut NearPairs::default(),
            &mut contacts,
        );
        let pair = PairSettings::new(&settings[0], &settings[1]);
        let kinds = contacts.iter().map(|c| (c.crossing, c.slides)).collect();
        let mut sum = (0.0, Vector12::zeros(), SMatrix::zeros(), kinds);
        for contact in &contacts {
            // Nodes and derivatives in the order of the contact's own rods.
            let order = contact.rods.map(|r| 2 * r as usize);
            let at = [order[0], order[0] + 1, order[1], order[1] + 1];
            let term = pair_term(contact, &at.map(|k| &points[k]), &pair, true);
            let place = |v: &Vector12| {
                let mut out = Vector12::zeros();
                for k in 0..12 {
                    out[3 * at[k / 3] + k % 3] = v[k];
                }
                out
            };
            sum.0 += term.energy;
            sum.1 += place(&term.gradient);
            for dyad in &term.hessian {
                let v = place(&dyad.direction);
                sum.2 += v * v.transpose() * dyad.stiffness;
            }
        }
        if touching > 0 {
            sum.0 = f64::INFINITY;
        }
        sum
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
            let (energy, gradient, _, found) = energy_of(&points, &settings);
            if !(energy > 1e-3 && energy < 50.0) {
                continue;
            }
            kinds.insert(found.len());
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
    fn the_dyads_are_the_hessian() {
        let settings = settings();
        let mut rng = fastrand::Rng::with_seed(7);
        let (mut tested, mut n_faded) = (0, 0);
        let mut kinds = std::collections::BTreeSet::new();
        while tested < 200 {
            let points = random_pair(&mut rng, tested % 2 == 0);
            let here = energy_of(&points, &settings);
            let edges = [0, 2].map(|k| (points[k + 1] - points[k]).normalize());
            let crossed = edges[0].cross(&edges[1]).norm_squared();
            // Smooth over the steps that are taken.
            if !(here.0 > 1e-3 && here.0 < 20.0) || crossed < 1e-4 || (crossed - 0.01).abs() < 1e-4
            {
                continue;
            }
            // What the mollifier does to a stretch is left out.
            let without_stretch = |v: &Vector12| {
                let mut out = *v;
                for (edge, along) in edges.iter().enumerate() {
                    let along = along * FRAC_1_SQRT_2;
                    let zero = Vec3::zeros();
                    let parts = [-along, along];
                    let stretch = match edge {
                        0 => stack([&parts[0], &parts[1], &zero, &zero]),
                        _ => stack([&zero, &zero, &parts[0], &parts[1]]),
                    };
                    out -= stretch * stretch.dot(&out);
                }
                out
            };
            let step = 1e-6;
            let moved = |k: usize, by: f64| {
                let mut p = points;
                p[k / 3][k % 3] += by;
                energy_of(&p, &settings)
            };
            // Only where nothing begins or ends to slide around the point.
            if (0..12)
                .any(|k| moved(k, 3.0 * step).3 != here.3 || moved(k, -3.0 * step).3 != here.3)
            {
                continue;
            }
            let second = SMatrix::from_columns(&std::array::from_fn::<_, 12, _>(|k| {
                (moved(k, step).1 - moved(k, -step).1) / (2.0 * step)
            }));
            for k in 0..12 {
                let way = without_stretch(&Vector12::ith(k, 1.0));
                let error = without_stretch(&((second - here.2) * way)).norm();
                assert!(error < 1e-4 * (1.0 + here.2.norm()), "column {k}: {error}");
            }
            n_faded += usize::from(crossed < 0.01);
            kinds.extend(here.3);
            tested += 1;
        }
        assert!(kinds.len() > 5, "all kinds are met: {kinds:?}");
        assert!(n_faded > 50, "nearly parallel ones: {n_faded}");
    }

    #[test]
    fn what_is_left_of_a_difference_is_the_nearest_that_is_not_negative() {
        let mut rng = fastrand::Rng::with_seed(5);
        for k in 0..100 {
            let mut random = || Vector12::from_fn(|_, _| rng.f64() - 0.5);
            // From much that slides to nearly nothing.
            let (a, b) = (random(), random() * 0.1_f64.powi(k % 8));
            let [more, less] = difference(&a, &b, 2.0);
            assert!(more.stiffness >= 0.0 && less.stiffness <= 0.0);
            let matrix = |d: &Dyad| d.direction * d.direction.transpose() * d.stiffness;
            let both = a + b;
            let wanted = (both * both.transpose() - a * a.transpose()) * 2.0;
            let error = (matrix(&more) + matrix(&less) - wanted).norm();
            assert!(error < 1e-12, "{error}");
            let positive = wanted.symmetric_eigen();
            let clipped = positive.eigenvalues.map(|value| value.max(0.0));
            let nearest = SMatrix::<f64, 12, 12>::from_diagonal(&clipped);
            let nearest = positive.eigenvectors * nearest * positive.eigenvectors.transpose();
            let error = (matrix(&more) - nearest).norm();
            assert!(error < 1e-12, "{error}");
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
