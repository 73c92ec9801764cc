//! The camera of the view and its motions, in f64 and free of the GPU.
//!
//! Pixels are egui points from the view's top left corner, y down.

use nalgebra::Matrix4;

use crate::app::choices::StandardView;
use crate::geom::{Aabb, Rotation, Vec3};
use crate::scene::NamedView;

/// A place in the view: points from its top left corner, y down.
pub type Pixel = nalgebra::Vector2<f64>;

/// Half the vertical opening angle of the perspective view: a long lens, calm like a CAD view.
const HALF_FOV: f64 = 0.26;
/// The smallest and largest height of the view, mm.
const HEIGHT_RANGE: std::ops::RangeInclusive<f64> = 1e-3..=1e9;

/// The size of the view in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Width in points, at least 1.
    pub width: f64,
    /// Height in points, at least 1.
    pub height: f64,
}

/// A half line: all that is seen in one pixel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vec3,
    /// Where it goes, length 1.
    pub direction: Vec3,
}

/// How depth becomes a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Projection {
    /// Far things look smaller.
    Perspective,
    /// Parallel lines stay parallel.
    Orthographic,
}

/// Where the view is taken from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The point in the middle of the view.
    pub focus: Vec3,
    /// Takes e1, e2, e3 to right, up and back (towards the eye).
    pub rotation: Rotation,
    /// What is seen from the top to the bottom of the view at the focus, mm.
    pub height: f64,
    /// Perspective or orthographic.
    pub projection: Projection,
}

impl Default for Camera {
    fn default() -> Self {
        let mut camera = Self {
            focus: Vec3::zeros(),
            rotation: Rotation::identity(),
            height: 500.0,
            projection: Projection::Orthographic,
        };
        camera.look_from(StandardView::Isometric);
        camera
    }
}

impl Camera {
    /// Where a kept view is taken from.
    pub fn of_view(view: &NamedView) -> Self {
        let mut camera = Self {
            focus: view.focus,
            rotation: Rotation::face_towards(&view.to_eye, &view.up),
            projection: if view.orthographic {
                Projection::Orthographic
            } else {
                Projection::Perspective
            },
            ..Self::default()
        };
        camera.set_distance(view.to_eye.norm());
        camera
    }

    /// Direction from left to right.
    pub fn right(&self) -> Vec3 {
        self.rotation * Vec3::x()
    }

    /// Direction from bottom to top.
    pub fn up(&self) -> Vec3 {
        self.rotation * Vec3::y()
    }

    /// Direction from the focus to the eye.
    pub fn back(&self) -> Vec3 {
        self.rotation * Vec3::z()
    }

    /// Distance from eye to focus, mm. Means nothing to an orthographic picture but gives it a place to start.
    pub fn distance(&self) -> f64 {
        0.5 * self.height / HALF_FOV.tan()
    }

    /// Puts the eye that far from the focus.
    pub fn set_distance(&mut self, distance: f64) {
        let height = 2.0 * distance * HALF_FOV.tan();
        self.height = height.clamp(*HEIGHT_RANGE.start(), *HEIGHT_RANGE.end());
    }

    /// Where the eye is.
    pub fn eye(&self) -> Vec3 {
        self.focus + self.back() * self.distance()
    }

    /// The place of a point in the view; `None` when it is behind the eye.
    pub fn project(&self, point: &Vec3, viewport: Viewport) -> Option<Pixel> {
        let local = self.rotation.inverse() * (point - self.focus);
        let scale = match self.projection {
            Projection::Orthographic => 1.0,
            Projection::Perspective => {
                let distance = self.distance();
                let depth = distance - local.z;
                if depth <= distance * 1e-6 {
                    return None;
                }
                distance / depth
            }
        } * viewport.height
            / self.height;
        Some(Pixel::new(
            0.5 * viewport.width + local.x * scale,
            0.5 * viewport.height - local.y * scale,
        ))
    }

    /// Everything that is seen at a place of the view.
    pub fn ray(&self, pixel: &Pixel, viewport: Viewport) -> Ray {
        let at_focus = self.focus + self.on_screen(pixel, viewport);
        let origin = match self.projection {
            // Far enough back that nothing in reach lies behind the start.
            Projection::Orthographic => at_focus + self.back() * self.distance() * 1e3,
            Projection::Perspective => self.eye(),
        };
        Ray {
            origin,
            direction: (at_focus - origin).normalize(),
        }
    }

    /// The point seen at `pixel` on the plane through `through` that faces the viewer.
    ///
    /// This is how a handle moves in the view plane: it stays under the cursor.
    pub fn on_view_plane(&self, pixel: &Pixel, viewport: Viewport, through: &Vec3) -> Vec3 {
        let ray = self.ray(pixel, viewport);
        let back = self.back();
        let t = (through - ray.origin).dot(&back) / ray.direction.dot(&back);
        ray.origin + ray.direction * t
    }

    /// How many mm one point of the view spans at the depth of `point`.
    pub fn mm_per_point(&self, point: &Vec3, viewport: Viewport) -> f64 {
        let at_focus = self.height / viewport.height;
        match self.projection {
            Projection::Orthographic => at_focus,
            Projection::Perspective => {
                let depth = (self.eye() - point).dot(&self.back());
                at_focus * (depth / self.distance()).max(1e-6)
            }
        }
    }

    /// Turns the view about `pivot`, which stays on its pixel: `yaw` about world Z, `pitch` about the view's right.
    ///
    /// The pitch stops at straight from above and straight from below, so that up stays up.
    pub fn orbit(&mut self, pivot: &Vec3, yaw: f64, pitch: f64) {
        let elevation = self.back().z.clamp(-1.0, 1.0).asin();
        let limit = std::f64::consts::FRAC_PI_2;
        let pitch = (elevation + pitch).clamp(-limit, limit) - elevation;
        let turn = Rotation::from_axis_angle(&Vec3::z_axis(), yaw)
            * Rotation::from_scaled_axis(self.right() * -pitch);
        self.focus = pivot + turn * (self.focus - pivot);
        self.rotation = turn * self.rotation;
        self.rotation.renormalize();
    }

    /// Moves the view so that `point`, seen at `from`, is seen at `to`.
    pub fn pan(&mut self, point: &Vec3, from: &Pixel, to: &Pixel, viewport: Viewport) {
        let a = self.on_view_plane(from, viewport, point);
        let b = self.on_view_plane(to, viewport, point);
        self.focus += a - b;
    }

    /// Scales the view by `factor` about `point`, which stays on its pixel; below 1 it comes nearer.
    pub fn zoom(&mut self, point: &Vec3, factor: f64) {
        let height = (self.height * factor).clamp(*HEIGHT_RANGE.start(), *HEIGHT_RANGE.end());
        let factor = height / self.height;
        self.focus = point + (self.focus - point) * factor;
        self.height = height;
    }

    /// Looks from one of the standard directions at the same focus.
    pub fn look_from(&mut self, view: StandardView) {
        let (back, up) = view.back_and_up();
        self.rotation = Rotation::face_towards(&back, &up);
    }

    /// Looks at the same focus from direction `back`, which is not vertical, with Z up.
    pub fn look_along(&mut self, back: &Vec3) {
        self.rotation = Rotation::face_towards(back, &Vec3::z());
    }

    /// Shows all of `aabb` with a margin, from the same direction. Does nothing with an empty box.
    pub fn fit(&mut self, aabb: &Aabb, viewport: Viewport) {
        if aabb.is_empty() {
            return;
        }
        let aspect = viewport.width / viewport.height;
        let center = aabb.center();
        let to_view = self.rotation.inverse();
        let half = (aabb.max - aabb.min) * 0.5;
        let tan = HALF_FOV.tan();
        let mut needed: f64 = 0.0;
        for corner in 0..8 {
            let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let corner = Vec3::new(half.x * sign(0), half.y * sign(1), half.z * sign(2));
            let local = to_view * corner;
            let extent = local.y.abs().max(local.x.abs() / aspect);
            let depth = match self.projection {
                Projection::Perspective => local.z * tan,
                Projection::Orthographic => 0.0,
            };
            needed = needed.max(extent + depth);
        }
        let margin = 1.15;
        self.focus = center;
        self.height = (2.0 * needed * margin).clamp(1.0, *HEIGHT_RANGE.end());
    }

    /// The matrix from world mm, relative to `origin`, to OpenGL clip space, with depth just around `aabb`.
    pub fn clip_from_world(
        &self,
        viewport: Viewport,
        aabb: &Aabb,
        origin: &Vec3,
    ) -> nalgebra::Matrix4<f64> {
        let eye = self.eye();
        let view =
            self.rotation.inverse().to_homogeneous() * Matrix4::new_translation(&(origin - eye));
        let (near, far) = self.depth_range(aabb);
        let aspect = viewport.width / viewport.height;
        let projection = match self.projection {
            Projection::Perspective => Matrix4::new_perspective(aspect, 2.0 * HALF_FOV, near, far),
            Projection::Orthographic => {
                let (w, h) = (0.5 * self.height * aspect, 0.5 * self.height);
                Matrix4::new_orthographic(-w, w, -h, h, near, far)
            }
        };
        projection * view
    }

    /// Nearest and farthest depth of a box, before the eye.
    pub fn depth_range(&self, aabb: &Aabb) -> (f64, f64) {
        let distance = self.distance();
        if aabb.is_empty() {
            return (distance * 0.1, distance * 10.0);
        }
        let center = (self.eye() - aabb.center()).dot(&self.back());
        let radius = 0.5 * aabb.diagonal() * 1.02 + self.height * 1e-3;
        match self.projection {
            Projection::Perspective => {
                let far = (center + radius).max(distance * 1e-2);
                ((center - radius).max(far * 1e-4), far * 1.001)
            }
            Projection::Orthographic => (center - radius, center + radius),
        }
    }

    /// From the focus to what is seen at `pixel` at the focus' depth.
    fn on_screen(&self, pixel: &Pixel, viewport: Viewport) -> Vec3 {
        let mm = self.height / viewport.height;
        self.right() * ((pixel.x - 0.5 * viewport.width) * mm)
            + self.up() * ((0.5 * viewport.height - pixel.y) * mm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: Viewport = Viewport {
        width: 900.0,
        height: 600.0,
    };
    /// Points of the view: far below what an eye sees.
    const SAME_PIXEL: f64 = 1e-7;

    fn cameras() -> Vec<Camera> {
        [Projection::Perspective, Projection::Orthographic]
            .into_iter()
            .map(|projection| Camera {
                focus: Vec3::new(12.0, -40.0, 7.0),
                height: 350.0,
                projection,
                ..Camera::default()
            })
            .collect()
    }

    #[test]
    fn orbit_keeps_the_pivot_on_its_pixel() {
        for mut camera in cameras() {
            let pivot = Vec3::new(60.0, 10.0, -30.0);
            let before = camera.project(&pivot, VIEW).unwrap();
            let eye = camera.eye();
            camera.orbit(&pivot, 0.7, 0.2);
            camera.orbit(&pivot, -0.1, -0.5);
            let after = camera.project(&pivot, VIEW).unwrap();
            assert!((after - before).norm() < SAME_PIXEL);
            assert!((camera.eye() - eye).norm() > 10.0, "the view did turn");
            assert!(camera.right().z.abs() < 1e-9, "the horizon stays level");
        }
    }

    #[test]
    fn orbit_stops_at_straight_from_above() {
        let mut camera = Camera::default();
        camera.orbit(&Vec3::zeros(), 0.0, 10.0);
        assert!((camera.back() - Vec3::z()).norm() < 1e-6);
        assert!(camera.up().z > -1e-6);
    }

    #[test]
    fn zoom_keeps_the_point_under_the_cursor() {
        for mut camera in cameras() {
            let cursor = Pixel::new(700.0, 130.0);
            let point = camera.on_view_plane(&cursor, VIEW, &Vec3::new(50.0, 80.0, 20.0));
            camera.zoom(&point, 0.4);
            let after = camera.project(&point, VIEW).unwrap();
            assert!((after - cursor).norm() < SAME_PIXEL);
            assert!((camera.height - 140.0).abs() < 1e-9);
        }
    }

    #[test]
    fn pan_takes_the_point_along_with_the_cursor() {
        for mut camera in cameras() {
            let point = Vec3::new(-20.0, 33.0, 60.0);
            let from = camera.project(&point, VIEW).unwrap();
            let to = from + Pixel::new(-90.0, 45.0);
            camera.pan(&point, &from, &to, VIEW);
            let after = camera.project(&point, VIEW).unwrap();
            assert!((after - to).norm() < SAME_PIXEL);
        }
    }

    #[test]
    fn the_view_plane_drag_stays_under_the_cursor_and_in_the_plane() {
        for camera in cameras() {
            let handle = Vec3::new(80.0, -10.0, 25.0);
            let cursor = Pixel::new(222.0, 411.0);
            let moved = camera.on_view_plane(&cursor, VIEW, &handle);
            assert!((camera.project(&moved, VIEW).unwrap() - cursor).norm() < SAME_PIXEL);
            assert!((moved - handle).dot(&camera.back()).abs() < 1e-9);
        }
    }

    #[test]
    fn a_ray_passes_through_what_is_seen_there() {
        for camera in cameras() {
            let point = Vec3::new(5.0, 6.0, 7.0);
            let ray = camera.ray(&camera.project(&point, VIEW).unwrap(), VIEW);
            let off = (point - ray.origin).cross(&ray.direction).norm();
            assert!(off < 1e-6);
        }
    }

    #[test]
    fn fit_shows_the_whole_box_from_every_side() {
        let aabb = Aabb {
            min: Vec3::new(-10.0, 200.0, 0.0),
            max: Vec3::new(490.0, 260.0, 80.0),
        };
        for mut camera in cameras() {
            for view in StandardView::ALL {
                camera.look_from(view);
                camera.fit(&aabb, VIEW);
                for corner in [aabb.min, aabb.max] {
                    let p = camera.project(&corner, VIEW).unwrap();
                    assert!((0.0..=VIEW.width).contains(&p.x), "{view:?} {p}");
                    assert!((0.0..=VIEW.height).contains(&p.y), "{view:?} {p}");
                }
            }
        }
    }

    #[test]
    fn the_matrix_agrees_with_project() {
        let aabb = Aabb {
            min: Vec3::repeat(-100.0),
            max: Vec3::repeat(100.0),
        };
        let origin = Vec3::new(30.0, 20.0, 10.0);
        for camera in cameras() {
            let point = Vec3::new(40.0, -60.0, 55.0);
            let clip = camera.clip_from_world(VIEW, &aabb, &origin) * (point - origin).push(1.0);
            let pixel = Pixel::new(
                (clip.x / clip.w + 1.0) * 0.5 * VIEW.width,
                (1.0 - clip.y / clip.w) * 0.5 * VIEW.height,
            );
            assert!((pixel - camera.project(&point, VIEW).unwrap()).norm() < 1e-6);
            assert!((clip.z / clip.w).abs() < 1.0);
        }
    }
}
