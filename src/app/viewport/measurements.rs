//! Measurements that are kept, at the places that they are of.

use std::fmt::Write as _;

use egui::{Rect, Stroke};

use super::View;
use super::overlay::Overlay;
use super::picking::point_at;
use crate::geom::Vec3;
use crate::scene::{MeasuredPlace, Measurement, Scene};

/// What is said of the distance between two places of a measurement.
pub fn words(measurement: &Measurement, distance: f64) -> String {
    let mut words = format!("{}: {distance:.2} mm", measurement.name);
    if let Some(along) = measurement.along() {
        let _ = write!(words, "\nalong the cable {along:.2} mm");
    }
    words
}

impl View {
    /// Where a place is in the view now: on a shape on its way, on a part in hand; `None` on what is hidden or gone.
    fn measured_place(&self, scene: &Scene, place: &MeasuredPlace) -> Option<Vec3> {
        let at_rest = place.in_world(scene)?;
        match place {
            MeasuredPlace::Cable { cable, at } => {
                let k = scene.cables.iter().position(|c| c.name == *cable)?;
                let cable = &scene.cables[k];
                let shown = point_at(cable, self.content.points(k), *at);
                shown.filter(|_| cable.visible)
            }
            MeasuredPlace::Part { part, .. } => {
                let k = scene.parts.iter().position(|p| p.name == *part)?;
                let moved = self.content.lifted(k).map(super::content::Lifted::moved);
                let shown = moved.map_or(at_rest, |moved| moved.transform(&at_rest));
                scene.parts[k].visible.then_some(shown)
            }
        }
    }

    /// Every measurement that is kept as a line with its length.
    pub(super) fn paint_measurements(
        &self,
        overlay: &Overlay<'_>,
        scene: &Scene,
        said: &mut Vec<Rect>,
    ) {
        let color = overlay.palette.accent;
        for measurement in &scene.measurements {
            let place = |place| self.measured_place(scene, place);
            let (Some(from), Some(to)) = (place(&measurement.from), place(&measurement.to)) else {
                continue;
            };
            overlay.path(&[from, to], Stroke::new(1.5, color));
            overlay.cross(&from, color);
            overlay.cross(&to, color);
            let words = words(measurement, (to - from).norm());
            overlay.label_among(&from.lerp(&to, 0.5), &words, overlay.palette.ink, said);
        }
    }
}
