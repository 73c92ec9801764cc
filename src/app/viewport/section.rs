//! A plane that cuts parts away, so that one can look inside. Cables stay whole.

use super::camera::{Camera, Ray};
use crate::app::choices::Section;
use crate::geom::{Aabb, Vec3};

impl Section {
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

    /// Whether a point is cut away.
    pub fn cuts(&self, point: &Vec3) -> bool {
        let (normal, d) = self.plane();
        normal.dot(point) > d
    }

    /// From where to where along a ray parts are left; `None` for nowhere.
    pub fn span(&self, ray: &Ray) -> Option<(f64, f64)> {
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
        let section = Section {
            axis: 2,
            offset: 50.0,
            flipped: false,
        };
        let down = section.span(&ray([0.0, 0.0, 80.0], [0.0, 0.0, -1.0]));
        assert_eq!(down, Some((30.0, f64::INFINITY)));
        let up = section.span(&ray([0.0, 0.0, 20.0], [0.0, 0.0, 1.0]));
        assert_eq!(up, Some((0.0, 30.0)));
        assert_eq!(section.span(&ray([0.0, 0.0, 80.0], [1.0, 0.0, 0.0])), None);
        assert!(section.cuts(&Vec3::new(0.0, 0.0, 51.0)));
        let flipped = Section {
            flipped: true,
            ..section
        };
        assert!(flipped.cuts(&Vec3::new(0.0, 0.0, 49.0)));
        assert_eq!(
            flipped.span(&ray([0.0, 0.0, 20.0], [0.0, 0.0, 1.0])),
            Some((30.0, f64::INFINITY))
        );
    }

    #[test]
    fn the_half_before_the_eye_goes() {
        let mut camera = Camera::default();
        camera.look_along(&Vec3::new(0.2, -1.0, 0.3));
        let aabb = Aabb {
            min: Vec3::zeros(),
            max: Vec3::new(10.0, 30.0, 10.0),
        };
        let section = Section::facing(&camera, &aabb);
        assert_eq!((section.axis, section.offset), (1, 15.0));
        assert!(section.cuts(&Vec3::new(5.0, 3.0, 5.0)), "the near half");
        assert!(!section.cuts(&Vec3::new(5.0, 20.0, 5.0)));
    }
}
