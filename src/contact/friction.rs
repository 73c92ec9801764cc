//! Coulomb friction, lagged: normal forces and directions are those of the last equilibrium.
//!
//! Each contact is tied to where it stuck by a short spring that gives way: the tangential slip u since then costs
//! mu lambda f0(|u|), whose slope grows to mu lambda at |u| = slip and stays there. When a step ends, the anchor of a contact
//! that slid is pulled along, so that it is again one slip behind: a cable at rest keeps the friction that
//! holds it, and does not creep.

use super::{Contact, Place};
use crate::geom::{Mat3, Pose, Vec3};

/// One contact that friction acts on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionContact {
    /// Edge of the rod.
    pub edge: u32,
    /// Where along it; fixed during a step.
    pub s: f64,
    /// What of the rod and the obstacle touch.
    pub place: Place,
    /// Number of the obstacle.
    pub obstacle: u32,
    /// Unit vector from the obstacle to the rod.
    pub normal: Vec3,
    /// Centerline point at the last equilibrium.
    pub base: Vec3,
    /// Slip that the last equilibrium already had, across the normal.
    pub slip: Vec3,
    /// mu lambda, N.
    pub load: f64,
}

/// Energy, force and stiffness of friction at a centerline point.
#[derive(Clone, Copy, Debug)]
pub struct FrictionTerm {
    /// N mm.
    pub energy: f64,
    /// Derivative in the centerline point, N.
    pub gradient: Vec3,
    /// Second derivative; positive semi-definite.
    pub hessian: Mat3,
}

/// f0, f1 = f0', f1' for slip y and full slip e: f1 = 2 y/e - (y/e)^2 up to e, 1 beyond (Li2020).
pub(super) fn slip_function(y: f64, e: f64) -> (f64, f64, f64) {
    if y >= e {
        (y, 1.0, 0.0)
    } else {
        let x = y / e;
        (
            e * (x * x - x * x * x / 3.0 + 1.0 / 3.0),
            x * (2.0 - x),
            2.0 * (1.0 - x) / e,
        )
    }
}

impl FrictionContact {
    /// Moves the anchor with an obstacle, if the contact is with that one.
    pub fn carry(&mut self, obstacle: usize, motion: &Pose) {
        if self.obstacle as usize == obstacle {
            self.base = motion.transform(&self.base);
            self.normal = motion.rotation * self.normal;
            self.slip = motion.rotation * self.slip;
        }
    }

    /// Multiplies the largest force: the coefficient has changed.
    pub fn scale_load(&mut self, ratio: f64) {
        self.load *= ratio;
    }

    /// Slip at centerline point `p`, across the normal.
    fn slip_at(&self, p: &Vec3) -> Vec3 {
        let moved = p - self.base;
        moved - self.normal * self.normal.dot(&moved) + self.slip
    }

    /// The term at centerline point `p`; `full_slip` from the settings.
    pub fn term(&self, p: &Vec3, full_slip: f64) -> FrictionTerm {
        let u = self.slip_at(p);
        let y = u.norm();
        let (f0, f1, f2) = slip_function(y, full_slip);
        let tangential = Mat3::identity() - self.normal * self.normal.transpose();
        let (gradient, hessian) = if y > 1e-12 * full_slip {
            let direction = u / y;
            let along = direction * direction.transpose();
            (direction * f1, (tangential - along) * (f1 / y) + along * f2)
        } else {
            (Vec3::zeros(), tangential * (2.0 / full_slip))
        };
        FrictionTerm {
            energy: self.load * f0,
            gradient: gradient * self.load,
            hessian: hessian * self.load,
        }
    }
}

/// Ties friction to the contacts of an equilibrium.
///
/// `forces` are the normal forces of `contacts` and `points` the nodes. `last` gives the slip of contacts that were
/// there before; new ones start without.
pub fn anchor(
    contacts: &[Contact],
    forces: &[f64],
    points: &[Vec3],
    coefficient: f64,
    full_slip: f64,
    last: &[FrictionContact],
    out: &mut Vec<FrictionContact>,
) {
    out.clear();
    if coefficient <= 0.0 {
        return;
    }
    for (contact, &force) in contacts.iter().zip(forces) {
        if force <= 0.0 {
            continue;
        }
        let i = contact.edge as usize;
        let base = points[i].lerp(&points[i + 1], contact.s);
        let slip = last
            .iter()
            .filter(|f| {
                f.obstacle == contact.obstacle
                    && same_place(&f.place, &contact.place, f.edge, contact.edge)
            })
            .max_by(|a, b| {
                a.normal
                    .dot(&contact.normal)
                    .total_cmp(&b.normal.dot(&contact.normal))
            })
            .map_or_else(Vec3::zeros, |f| {
                let p = points[f.edge as usize].lerp(&points[f.edge as usize + 1], f.s);
                f.slip_at(&p)
            });
        let slip = slip - contact.normal * contact.normal.dot(&slip);
        let length = slip.norm();
        out.push(FrictionContact {
            edge: contact.edge,
            s: contact.s,
            place: contact.place,
            obstacle: contact.obstacle,
            normal: contact.normal,
            base,
            slip: if length > full_slip {
                slip * (full_slip / length)
            } else {
                slip
            },
            load: coefficient * force,
        });
    }
}

/// The same sample; or the same edge of the obstacle, crossed by the same edge of the rod or the next one (the
/// cable has slid along itself).
fn same_place(a: &Place, b: &Place, edge_a: u32, edge_b: u32) -> bool {
    match (a, b) {
        (Place::Sample { number: i, .. }, Place::Sample { number: j, .. }) => i == j,
        (Place::Crossing { mesh_edge: i, .. }, Place::Crossing { mesh_edge: j, .. }) => {
            i == j && edge_a.abs_diff(edge_b) <= 1
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::Feature;

    const SLIP: f64 = 0.1;

    fn contact() -> Contact {
        Contact {
            edge: 0,
            s: 0.5,
            place: Place::Sample {
                number: 1,
                triangle: 0,
            },
            obstacle: 0,
            feature: Feature::Face,
            normal: Vec3::z(),
            distance: 4.0,
            radius: 3.9,
            margin: 0.0,
            weight: 10.0,
        }
    }

    fn anchored(points: &[Vec3; 2], last: &[FrictionContact]) -> FrictionContact {
        let mut out = Vec::new();
        anchor(&[contact()], &[3.0], points, 0.2, SLIP, last, &mut out);
        out[0]
    }

    #[test]
    fn gradient_and_hessian_match_finite_differences() {
        let points = [Vec3::zeros(), Vec3::x() * 10.0];
        let friction = anchored(&points, &[]);
        let base = Vec3::x() * 5.0;
        for offset in [
            Vec3::new(0.03, 0.02, 0.4),
            Vec3::new(0.2, -0.3, 0.0),
            Vec3::new(-0.01, 0.0, 0.0),
        ] {
            let p = base + offset;
            let t = friction.term(&p, SLIP);
            assert!(t.gradient.norm() > 1e-3);
            for a in 0..3 {
                let h = Vec3::ith(a, 1e-6);
                let (plus, minus) = (friction.term(&(p + h), SLIP), friction.term(&(p - h), SLIP));
                assert!(((plus.energy - minus.energy) / 2e-6 - t.gradient[a]).abs() < 1e-7);
                let second = (plus.gradient - minus.gradient) / 2e-6;
                assert!((second - t.hessian.column(a)).norm() < 1e-4);
            }
        }
    }

    #[test]
    fn the_force_never_exceeds_the_cone_and_stays_when_the_cable_rests() {
        let points = [Vec3::zeros(), Vec3::x() * 10.0];
        let first = anchored(&points, &[]);
        // Slides 3 mm: the force is full, and full again at rest in the new place.
        let moved = points.map(|p| p + Vec3::y() * 3.0);
        let middle = (moved[0] + moved[1]) * 0.5;
        assert!((first.term(&middle, SLIP).gradient.norm() - 0.6).abs() < 1e-12);
        let second = anchored(&moved, &[first]);
        assert!((second.term(&middle, SLIP).gradient.norm() - 0.6).abs() < 1e-9);
        let third = anchored(&moved, &[second]);
        assert!((third.term(&middle, SLIP).gradient.norm() - 0.6).abs() < 1e-9);
        // Going back, the spring relaxes first.
        assert!(
            second
                .term(&(middle - Vec3::y() * 0.05), SLIP)
                .gradient
                .norm()
                < 0.5
        );
    }
}
