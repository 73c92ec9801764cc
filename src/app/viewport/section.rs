//! Planes that cut parts away, so that one can look inside: one of them, or the six of a box. Cables stay whole.

use super::camera::{Camera, Ray};
use crate::app::choices::{CutPlane, Section};
use crate::geom::{Aabb, Vec3};

/// Planes of a box.
pub const MOST_PLANES: usize = 6;
/// A box around something goes beyond it by this share of its diagonal: of a cable, what it passes is seen.
const ROOM: f64 = 0.08;

impl CutPlane {
    /// Through the middle of a box, across the axis that points most towards the eye; the near half goes.
    pub fn facing(camera: &Camera, aabb: &Aabb) -> Self {
        let back = camera.back();
        let axis = back.iamax();
        Self {
            axis,
            offset: if aabb.is_empty() {
                0.0
            } else {
                aabb.center()[axis]
            },
            flipped: back[axis] < 0.0,
        }
    }

    /// The normal towards what is cut away, and how far along it the plane is: n . p > d is gone.
    pub fn plane(&self) -> (Vec3, f64) {
        let sign = if self.flipped { -1.0 } else { 1.0 };
        let mut normal = Vec3::zeros();
        normal[self.axis] = sign;
        (normal, sign * self.offset)
    }

    /// From where to where along a ray something is left; `None` for nowhere.
    fn span(&self, ray: &Ray) -> Option<(f64, f64)> {
        let (normal, d) = self.plane();
        let (above, climbs) = (normal.dot(&ray.origin) - d, normal.dot(&ray.direction));
        let crossing = -above / climbs;
        match (above > 0.0, climbs) {
            (true, c) if c >= 0.0 => None,
            (true, _) => Some((crossing, f64::INFINITY)),
            (false, c) if c > 0.0 => Some((0.0, crossing)),
            (false, _) => Some((0.0, f64::INFINITY)),
        }
    }
}

impl Section {
    /// The inside of a box, with a little room.
    pub fn around(aabb: &Aabb) -> Self {
        Self::Box(aabb.inflated(ROOM * (aabb.max - aabb.min).norm()))
    }

    /// Its planes, at most [`MOST_PLANES`]; of a box the lower and the upper one of each axis.
    pub fn planes(self) -> impl Iterator<Item = CutPlane> {
        let n = match self {
            Self::Plane(_) => 1,
            Self::Box(_) => MOST_PLANES,
        };
        (0..n).map(move |k| match self {
            Self::Plane(plane) => plane,
            Self::Box(aabb) => {
                let (axis, flipped) = (k / 2, k % 2 == 0);
                let side = if flipped { aabb.min } else { aabb.max };
                CutPlane {
                    axis,
                    offset: side[axis],
                    flipped,
                }
            }
        })
    }

    /// The same with one of its planes elsewhere; sides of a box stop at each other.
    #[must_use]
    pub fn with_plane_at(self, number: usize, offset: f64) -> Self {
        match self {
            Self::Plane(plane) => Self::Plane(CutPlane { offset, ..plane }),
            Self::Box(mut aabb) => {
                let axis = number / 2;
                if number.is_multiple_of(2) {
                    aabb.min[axis] = offset.min(aabb.max[axis]);
                } else {
                    aabb.max[axis] = offset.max(aabb.min[axis]);
                }
                Self::Box(aabb)
            }
        }
    }

    /// Whether a point is cut away.
    pub fn cuts(self, point: &Vec3) -> bool {
        self.planes().any(|plane| {
            let (normal, d) = plane.plane();
            normal.dot(point) > d
        })
    }

    /// From where to where along a ray parts are left; `None` for nowhere.
    pub fn span(self, ray: &Ray) -> Option<(f64, f64)> {
        let mut left = (0.0_f64, f64::INFINITY);
        for plane in self.planes() {
            let (from, to) = plane.span(ray)?;
            left = (left.0.max(from), left.1.min(to));
        }
        (left.0 <= left.1).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ray(origin: [f64; 3], direction: [f64; 3]) -> Ray {
        Ray {
            origin: origin.into(),
            direction: Vec3::from(direction).normalize(),
        }
    }

    #[test]
    fn a_ray_meets_only_what_is_left() {
        let plane = CutPlane {
            axis: 2,
            offset: 50.0,
            flipped: false,
        };
        let section = Section::Plane(plane);
        let down = section.span(&ray([0.0, 0.0, 80.0], [0.0, 0.0, -1.0]));
        assert_eq!(down, Some((30.0, f64::INFINITY)));
        let up = section.span(&ray([0.0, 0.0, 20.0], [0.0, 0.0, 1.0]));
        assert_eq!(up, Some((0.0, 30.0)));
        assert_eq!(section.span(&ray([0.0, 0.0, 80.0], [1.0, 0.0, 0.0])), None);
        assert!(section.cuts(&Vec3::new(0.0, 0.0, 51.0)));
        let flipped = Section::Plane(CutPlane {
            flipped: true,
            ..plane
        });
        assert!(flipped.cuts(&Vec3::new(0.0, 0.0, 49.0)));
        assert_eq!(
            flipped.span(&ray([0.0, 0.0, 20.0], [0.0, 0.0, 1.0])),
            Some((30.0, f64::INFINITY))
        );
    }

    #[test]
    fn a_ray_through_a_box_meets_what_is_in_it() {
        let section = Section::Box(Aabb {
            min: Vec3::new(0.0, 0.0, 10.0),
            max: Vec3::new(20.0, 30.0, 40.0),
        });
        let down = section.span(&ray([5.0, 5.0, 100.0], [0.0, 0.0, -1.0]));
        assert_eq!(down, Some((60.0, 90.0)));
        let beside = section.span(&ray([25.0, 5.0, 100.0], [0.0, 0.0, -1.0]));
        assert_eq!(beside, None);
        // Over an edge: out of the one side before it is in the other.
        let over = section.span(&ray([-10.0, 5.0, 45.0], [1.0, 0.0, 0.1]));
        assert_eq!(over, None);
        assert!(section.cuts(&Vec3::new(5.0, 31.0, 20.0)));
        assert!(!section.cuts(&Vec3::new(5.0, 29.0, 20.0)));
    }

    #[test]
    fn sides_of_a_box_stop_at_each_other() {
        let aabb = Aabb {
            min: Vec3::zeros(),
            max: Vec3::repeat(10.0),
        };
        for (k, plane) in Section::Box(aabb).planes().enumerate() {
            for offset in [-50.0, 4.0, 60.0] {
                let Section::Box(moved) = Section::Box(aabb).with_plane_at(k, offset) else {
                    panic!("still a box");
                };
                assert!(!moved.is_empty(), "{moved:?}");
                let now = Section::Box(moved).planes().nth(k).unwrap();
                assert_eq!((now.axis, now.flipped), (plane.axis, plane.flipped));
                let least = if plane.flipped { -50.0 } else { 0.0 };
                let most = if plane.flipped { 10.0 } else { 60.0 };
                assert_eq!(now.offset, offset.clamp(least, most));
            }
        }
    }

    #[test]
    fn the_half_before_the_eye_goes() {
        let mut camera = Camera::default();
        camera.look_along(&Vec3::new(0.2, -1.0, 0.3));
        let aabb = Aabb {
            min: Vec3::zeros(),
            max: Vec3::new(10.0, 30.0, 10.0),
        };
        let plane = CutPlane::facing(&camera, &aabb);
        assert_eq!((plane.axis, plane.offset), (1, 15.0));
        let section = Section::Plane(plane);
        assert!(section.cuts(&Vec3::new(5.0, 3.0, 5.0)), "the near half");
        assert!(!section.cuts(&Vec3::new(5.0, 20.0, 5.0)));
    }
}
