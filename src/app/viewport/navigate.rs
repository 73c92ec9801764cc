//! Orbit, pan and zoom by the mouse, as different CAD programs have it.

use egui::{InputState, Modifiers};

use super::camera::{Camera, Pixel, Viewport};
use crate::app::choices::Preset;
use crate::geom::Vec3;

/// Radians per point of mouse motion: half a turn over about 500 points.
const ORBIT_SPEED: f64 = 0.0063;
/// Zoom per point of scrolling; a notch of a usual wheel is 40 points.
const ZOOM_SPEED: f64 = 0.003;
/// Zoom per point of mouse motion with the zoom button down.
const DRAG_ZOOM_SPEED: f64 = 0.006;

impl Preset {
    /// What the buttons that are down do with the camera.
    pub fn motion(self, held: Held, modifiers: Modifiers) -> Option<Motion> {
        use Motion::{Orbit, Pan, Zoom};
        let Modifiers { shift, ctrl, .. } = modifiers;
        if self == Self::Loomwright {
            return match held {
                Held { middle: true, .. } if shift => Some(Pan),
                Held { middle: true, .. } if ctrl => Some(Zoom),
                Held { middle: true, .. } | Held { left: true, .. } => Some(Orbit),
                Held { right: true, .. } => Some(Pan),
                _ => None,
            };
        }
        if !held.middle {
            return None;
        }
        let with = held.left || held.right;
        Some(match self {
            Self::Catia if with => Orbit,
            Self::Catia if held.had_second || ctrl => Zoom,
            Self::Catia => Pan,
            Self::Nx if shift || held.right => Pan,
            Self::Nx if ctrl || held.left => Zoom,
            Self::SolidWorks if ctrl => Pan,
            Self::SolidWorks if shift => Zoom,
            Self::Creo | Self::Blender if shift => Pan,
            Self::Creo | Self::Blender if ctrl => Zoom,
            _ => Orbit,
        })
    }

    /// Whether a left drag that begins on nothing draws a box to select in; else it orbits.
    pub fn box_by_left(self, modifiers: Modifiers) -> bool {
        self != Self::Loomwright || modifiers.shift
    }
}

/// The buttons that are down for the camera: not the one that holds a handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Held {
    /// The left one.
    pub left: bool,
    /// The middle one.
    pub middle: bool,
    /// The right one.
    pub right: bool,
    /// Another one was down since the middle one went down.
    pub had_second: bool,
}

/// What the mouse does with the camera.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Turns about the point under the cursor.
    Orbit,
    /// Moves in the view plane.
    Pan,
    /// Comes nearer or goes away.
    Zoom,
}

/// A camera motion while buttons are down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Navigation {
    /// What it does.
    pub motion: Motion,
    /// The point that stays under the cursor (pan) or on its pixel (orbit, zoom).
    pub anchor: Vec3,
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
            Motion::Zoom => {
                let factor = ((to.y - from.y) * DRAG_ZOOM_SPEED).exp();
                camera.zoom(&self.anchor, factor);
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preset_has_its_buttons() {
        use Motion::{Orbit, Pan, Zoom};
        let middle = Held {
            middle: true,
            ..Held::default()
        };
        let both = Held {
            left: true,
            had_second: true,
            ..middle
        };
        let after = Held {
            had_second: true,
            ..middle
        };
        let (none, shift, ctrl) = (Modifiers::NONE, Modifiers::SHIFT, Modifiers::CTRL);
        for (preset, held, keys, motion) in [
            (Preset::Catia, middle, none, Pan),
            (Preset::Catia, both, none, Orbit),
            (Preset::Catia, after, none, Zoom),
            (Preset::Nx, middle, none, Orbit),
            (Preset::Nx, middle, shift, Pan),
            (Preset::Nx, both, none, Zoom),
            (Preset::SolidWorks, middle, none, Orbit),
            (Preset::SolidWorks, middle, ctrl, Pan),
            (Preset::SolidWorks, middle, shift, Zoom),
            (Preset::Creo, middle, shift, Pan),
            (Preset::Creo, middle, ctrl, Zoom),
            (Preset::Blender, middle, none, Orbit),
            (Preset::Blender, middle, shift, Pan),
            (Preset::Loomwright, middle, ctrl, Zoom),
        ] {
            assert_eq!(preset.motion(held, keys), Some(motion), "{preset:?}");
        }
        let left = Held {
            left: true,
            ..Held::default()
        };
        for preset in Preset::ALL {
            let orbits = preset.motion(left, none).is_some();
            assert_eq!(orbits, preset == Preset::Loomwright);
            assert_ne!(orbits, preset.box_by_left(none));
        }
    }
}
