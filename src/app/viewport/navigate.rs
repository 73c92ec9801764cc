//! Orbit, pan and zoom by the mouse.

use egui::{InputState, PointerButton};

use super::camera::{Camera, Pixel, Viewport};
use crate::geom::Vec3;

/// Radians per point of mouse motion: half a turn over about 500 points.
const ORBIT_SPEED: f64 = 0.0063;
/// Zoom per point of scrolling; a notch of a usual wheel is 40 points.
const ZOOM_SPEED: f64 = 0.003;

/// What the mouse does with the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Turns about the point under the cursor.
    Orbit,
    /// Moves in the view plane.
    Pan,
}

/// A camera motion while a button is down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Navigation {
    /// What it does.
    pub motion: Motion,
    /// The button that keeps it going.
    pub button: PointerButton,
    /// The point that stays under the cursor (pan) or on its pixel (orbit).
    pub anchor: Vec3,
    /// Where the button went down.
    pub pressed_at: Pixel,
}

impl Motion {
    /// The motion that a button begins; the left one does where it hits no gizmo.
    pub fn begun_by(button: PointerButton, shift: bool) -> Option<Self> {
        match button {
            PointerButton::Middle if shift => Some(Self::Pan),
            PointerButton::Middle | PointerButton::Primary => Some(Self::Orbit),
            PointerButton::Secondary => Some(Self::Pan),
            _ => None,
        }
    }
}

impl Navigation {
    /// Moves the camera along with the cursor.
    pub fn step(&self, camera: &mut Camera, viewport: Viewport, from: &Pixel, to: &Pixel) {
        match self.motion {
            Motion::Orbit => {
                let by = (to - from) * ORBIT_SPEED;
                camera.orbit(&self.anchor, -by.x, by.y);
            }
            Motion::Pan => camera.pan(&self.anchor, from, to, viewport),
        }
    }
}

/// The factor by which the view's height changes for what was scrolled or pinched; `None` for nothing.
pub fn zoom_factor(input: &InputState) -> Option<f64> {
    let scrolled = f64::from(input.smooth_scroll_delta().y);
    let pinched = f64::from(input.zoom_delta());
    let factor = (-scrolled * ZOOM_SPEED).exp() / pinched.max(0.1);
    ((factor - 1.0).abs() > 1e-9).then_some(factor)
}
