//! Energy of one contact with its derivatives in the two nodes of its edge.

use nalgebra::{SMatrix, SVector};

use super::barrier::{barrier, barrier_gradient, barrier_hessian, mollifier};
use super::{Contact, ContactSettings, Feature, Place};
use crate::geom::{Mat3, Vec3};

type Vector6 = SVector<f64, 6>;
type Matrix6 = SMatrix<f64, 6, 6>;

/// Energy of a contact, its gradient and Hessian in (left node, right node).
#[derive(Clone, Copy, Debug)]
pub struct ContactTerm {
    /// N mm.
    pub energy: f64,
    /// N.
    pub gradient: Vector6,
    /// N/mm.
    pub hessian: Matrix6,
    /// Normal force on the cable, N.
    pub force: f64,
}

/// E = w kappa m(c) b(d - r - margin): weight, stiffness, parallel mollifier, barrier.
///
/// With `curvature` the Hessian is exact; without it only the positive part b'' grad d grad d^T stays
/// (Gauss-Newton), for where the exact one is not positive.
pub fn contact_term(
    contact: &Contact,
    left: &Vec3,
    right: &Vec3,
    settings: &ContactSettings,
    curvature: bool,
) -> ContactTerm {
    let scale = contact.weight * settings.barrier_stiffness;
    let gap = contact.gap();
    let d = settings.barrier_distance;
    let b = scale * barrier(gap, d);
    let b1 = scale * barrier_gradient(gap, d);
    let b2 = scale * barrier_hessian(gap, d);

    let weights = [1.0 - contact.s, contact.s];
    let gradient_d = stack(
        &(contact.normal * weights[0]),
        &(contact.normal * weights[1]),
    );
    let mut energy = b;
    let mut gradient = gradient_d * b1;
    let mut hessian = gradient_d * gradient_d.transpose() * b2;
    let mut force = -b1;
    if curvature {
        hessian += distance_hessian(contact, left, right) * b1;
    }

    if let Place::Crossing { along, .. } = contact.place {
        let (c, dc, hc) = squared_sine(&(right - left), &along);
        let (m, m1, m2) = mollifier(c);
        if m1 != 0.0 {
            let gradient_c = stack(&-dc, &dc);
            hessian *= m;
            if curvature {
                let cross = gradient_c * gradient.transpose() * m1;
                hessian += cross + cross.transpose();
                hessian += gradient_c * gradient_c.transpose() * (b * m2);
                add_blocks(&mut hessian, &(hc * (b * m1)), &[-1.0, 1.0]);
            }
            gradient = gradient * m + gradient_c * (b * m1);
            energy *= m;
            force *= m;
        }
    }
    ContactTerm {
        energy,
        gradient,
        hessian,
        force,
    }
}

/// What is left of a contact where the rod's edge is nearly parallel to what it crosses, in [0, 1].
pub fn mollified(contact: &Contact, left: &Vec3, right: &Vec3) -> f64 {
    match contact.place {
        Place::Crossing { along, .. } => mollifier(squared_sine(&(right - left), &along).0).0,
        Place::Sample { .. } => 1.0,
    }
}

/// Second derivative of the distance in the two nodes.
///
/// d(x) = min over y of f(x, y) = |p(x, s) - q(t)|, where y holds the free parameters: s where the contact may
/// slide along the rod, t along a line of the mesh. Then d_xx = f_xx - f_xy f_yy^-1 f_yx. Along a face both
/// directions are free, and nothing is left for a fixed point of the rod.
fn distance_hessian(contact: &Contact, left: &Vec3, right: &Vec3) -> Matrix6 {
    let (n, d, s) = (contact.normal, contact.distance, contact.s);
    let weights = [1.0 - s, s];
    let slides = matches!(contact.place, Place::Crossing { inside: true, .. });
    let mut hessian = Matrix6::zeros();
    if contact.feature == Feature::Face {
        return hessian;
    }
    let across = Mat3::identity() - n * n.transpose();
    add_blocks(&mut hessian, &(across / d), &weights);
    let edge = right - left;
    let column_s = stack(
        &(edge * (weights[0] / d) - n),
        &(edge * (weights[1] / d) + n),
    );
    let f_ss = edge.norm_squared() / d;
    match (slides, contact.feature) {
        (false, Feature::Line(u)) => {
            let column_t = stack(&(u * (-weights[0] / d)), &(u * (-weights[1] / d)));
            hessian -= column_t * column_t.transpose() * d;
        }
        (true, Feature::Line(u)) => {
            let column_t = stack(&(u * (-weights[0] / d)), &(u * (-weights[1] / d)));
            let (f_st, f_tt) = (-edge.dot(&u) / d, 1.0 / d);
            let determinant = f_ss * f_tt - f_st * f_st;
            // Nearly parallel: the mollifier has taken the contact out, and the inverse has no meaning.
            if determinant > 1e-9 * f_ss * f_tt {
                let (i_ss, i_st, i_tt) =
                    (f_tt / determinant, -f_st / determinant, f_ss / determinant);
                let mixed = column_s * column_t.transpose() * i_st;
                hessian -= column_s * column_s.transpose() * i_ss
                    + column_t * column_t.transpose() * i_tt
                    + mixed
                    + mixed.transpose();
            }
        }
        (true, _) => hessian -= column_s * column_s.transpose() / f_ss,
        (false, _) => {}
    }
    hessian
}

/// c = 1 - (e . u)^2 / e . e for a unit vector u, with gradient and Hessian in e.
fn squared_sine(e: &Vec3, u: &Vec3) -> (f64, Vec3, Mat3) {
    let (a, l) = (e.dot(u), e.norm_squared());
    let gradient = u * (-2.0 * a / l) + e * (2.0 * a * a / (l * l));
    let mixed = u * e.transpose();
    let hessian = u * u.transpose() * (-2.0 / l)
        + (mixed + mixed.transpose()) * (4.0 * a / (l * l))
        + Mat3::identity() * (2.0 * a * a / (l * l))
        - e * e.transpose() * (8.0 * a * a / (l * l * l));
    (1.0 - a * a / l, gradient, hessian)
}

fn stack(a: &Vec3, b: &Vec3) -> Vector6 {
    Vector6::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

/// Adds w_i w_j `block` to the four blocks.
fn add_blocks(matrix: &mut Matrix6, block: &Mat3, weights: &[f64; 2]) {
    for i in 0..2 {
        for j in 0..2 {
            let mut view = matrix.fixed_view_mut::<3, 3>(3 * i, 3 * j);
            view += block * (weights[i] * weights[j]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Candidates, Obstacle, Sticky, find_contacts};
    use crate::mesh::TriMesh;

    /// A tetrahedron-like wedge with sharp edges and corners.
    fn wedge() -> Obstacle {
        let vertices = vec![
            Vec3::new(0.0, 0.0, 0.0),
            Vec3::new(60.0, 0.0, 0.0),
            Vec3::new(30.0, 40.0, -20.0),
            Vec3::new(30.0, -40.0, -25.0),
        ];
        Obstacle::new(
            &TriMesh::new(vertices, vec![[0, 1, 2], [1, 0, 3], [0, 2, 3], [1, 3, 2]]).unwrap(),
        )
    }

    fn energy_of(
        obstacle: &[Obstacle],
        points: &[Vec3],
        settings: &ContactSettings,
    ) -> (f64, Vec<Contact>) {
        let mut contacts = Vec::new();
        let penetrating = find_contacts(
            obstacle,
            &mut Candidates::new(1),
            points,
            &[10.0],
            settings,
            &Sticky::default(),
            &mut contacts,
        );
        let e = contacts
            .iter()
            .map(|c| contact_term(c, &points[0], &points[1], settings, true).energy)
            .sum();
        (if penetrating > 0 { f64::INFINITY } else { e }, contacts)
    }

    #[test]
    fn gradient_and_hessian_match_finite_differences_of_the_whole_search() {
        let obstacles = [wedge()];
        let settings = ContactSettings {
            barrier_distance: 3.0,
            ..ContactSettings::new(4.0, 0.01, 0.2)
        };
        let mut rng = fastrand::Rng::with_seed(11);
        let (mut tested, mut kinds) = (0, std::collections::BTreeSet::new());
        while tested < 300 {
            let mut u = |lo: f64, hi: f64| lo + (hi - lo) * rng.f64();
            // Some pairs nearly parallel to the ridge along x, so that the mollifier is at work.
            let parallel = tested % 3 == 0;
            let a = Vec3::new(u(-5.0, 60.0), u(-20.0, 20.0), u(-10.0, 8.0));
            let across = if parallel { 0.4 } else { 10.0 };
            let b = a + Vec3::new(u(4.0, 10.0), u(-across, across), u(-across, across));
            let points = [a, b];
            let (e0, contacts) = energy_of(&obstacles, &points, &settings);
            let mut g = Vector6::zeros();
            let mut h = Matrix6::zeros();
            for c in &contacts {
                let term = contact_term(c, &a, &b, &settings, true);
                g += term.gradient;
                h += term.hessian;
            }
            // The visibility of an edge from beyond its end is taken as constant.
            let partly_seen = contacts.iter().any(|c| {
                matches!(c.place, Place::Crossing { .. })
                    && c.weight < settings.edge_weight * (1.0 - 1e-9)
            });
            if partly_seen
                || !(e0 > 1e-3 && e0 < 50.0)
                || contacts.iter().any(|c| c.distance - settings.radius < 0.2)
            {
                continue;
            }
            let step = 1e-5;
            let at = |w: Vector6| {
                let points = [a + w.fixed_rows::<3>(0), b + w.fixed_rows::<3>(3)];
                energy_of(&obstacles, &points, &settings)
            };
            // Only where the set of contacts stays the same around the point: the energy is C1, not C2, between.
            let same = |other: &[Contact]| {
                other.len() == contacts.len()
                    && other.iter().zip(&contacts).all(|(x, y)| {
                        std::mem::discriminant(&x.feature) == std::mem::discriminant(&y.feature)
                            && matches!(
                                (x.place, y.place),
                                (Place::Sample { .. }, Place::Sample { .. })
                                    | (
                                        Place::Crossing { inside: true, .. },
                                        Place::Crossing { inside: true, .. }
                                    )
                                    | (
                                        Place::Crossing { inside: false, .. },
                                        Place::Crossing { inside: false, .. }
                                    )
                            )
                    })
            };
            if (0..6).any(|i| {
                !same(&at(Vector6::ith(i, 3.0 * step)).1)
                    || !same(&at(Vector6::ith(i, -3.0 * step)).1)
            }) {
                continue;
            }
            for i in 0..6 {
                let w = Vector6::ith(i, step);
                let slope = (at(w).0 - at(-w).0) / (2.0 * step);
                assert!(
                    (slope - g[i]).abs() < 1e-6 * (1.0 + g.norm()),
                    "gradient {slope} {}",
                    g[i]
                );
                for j in 0..6 {
                    let v = Vector6::ith(j, step);
                    let gradient = |w: Vector6| {
                        let points = [a + w.fixed_rows::<3>(0), b + w.fixed_rows::<3>(3)];
                        let (_, contacts) = energy_of(&obstacles, &points, &settings);
                        contacts
                            .iter()
                            .map(|c| {
                                contact_term(c, &points[0], &points[1], &settings, true).gradient[i]
                            })
                            .sum::<f64>()
                    };
                    let second = (gradient(v) - gradient(-v)) / (2.0 * step);
                    assert!(
                        (second - h[(i, j)]).abs() < 1e-5 * (1.0 + h.norm()),
                        "hessian {second} {}",
                        h[(i, j)]
                    );
                }
            }
            for c in &contacts {
                kinds.insert(match (c.place, c.feature) {
                    (Place::Sample { .. }, Feature::Face) => "point-face",
                    (Place::Sample { .. }, Feature::Line(_)) => "point-edge",
                    (Place::Sample { .. }, Feature::Point) => "point-corner",
                    (Place::Crossing { inside: true, .. }, Feature::Line(_)) => "edge-edge",
                    (Place::Crossing { inside: true, .. }, _) => "edge-corner",
                    (Place::Crossing { .. }, Feature::Line(_)) => "node-edge",
                    (Place::Crossing { .. }, _) => "node-corner",
                });
            }
            tested += 1;
        }
        assert_eq!(kinds.len(), 7, "every kind of contact is met: {kinds:?}");
    }

    #[test]
    fn the_energy_has_no_jump_when_a_cable_slides_over_edges() {
        let obstacles = [wedge()];
        let settings = ContactSettings {
            barrier_distance: 3.0,
            ..ContactSettings::new(4.0, 0.01, 0.2)
        };
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..200 {
            let mut u = |lo: f64, hi: f64| lo + (hi - lo) * rng.f64();
            let a = Vec3::new(u(-5.0, 60.0), u(-30.0, 30.0), u(-10.0, 9.0));
            let b = a + Vec3::new(u(-8.0, 8.0), u(-8.0, 8.0), u(-2.0, 2.0));
            let way = Vec3::new(u(-1.0, 1.0), u(-1.0, 1.0), u(-0.2, 0.2)) * 20.0;
            let at = |t: f64| energy_of(&obstacles, &[a + way * t, b + way * t], &settings);
            let steps = 4000;
            let motion = way.norm() / f64::from(steps);
            let slope = |contacts: &[Contact]| {
                contacts
                    .iter()
                    .map(|c| contact_term(c, &a, &(a + (b - a)), &settings, true).force)
                    .sum::<f64>()
            };
            let mut last = at(0.0);
            for k in 1..=steps {
                let now = at(f64::from(k) / f64::from(steps));
                let close = |c: &[Contact]| c.iter().any(|c| c.distance - settings.radius < 0.3);
                if !close(&last.1) && !close(&now.1) && last.0.is_finite() && now.0.is_finite() {
                    // The energy may change by force times way; a contact that vanishes leaves a jump.
                    let bound = 1.5 * slope(&last.1).max(slope(&now.1)) * motion + 1e-4;
                    assert!(
                        (now.0 - last.0).abs() < bound,
                        "jump {} -> {} at {k}: {:?} {:?}",
                        last.0,
                        now.0,
                        last.1,
                        now.1
                    );
                }
                last = now;
            }
        }
    }
}
