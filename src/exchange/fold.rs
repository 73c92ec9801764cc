//! Tubes that are thicker than their bend: they would fold into themselves.

use super::route::Route;
use crate::geom::Vec3;

/// Places for each span of the curve that are looked at.
const PLACES: usize = 16;

/// Where a tube folds, at its worst.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    /// Bend radius of the centerline, mm.
    pub bend: f64,
    /// Outer radius of the tube there, mm.
    pub radius: f64,
    /// Arc length from the start, mm.
    pub at: f64,
    /// Where that is, mm.
    pub place: Vec3,
}

impl Fold {
    /// The place where the tube is thickest against its bend; `None` if it folds nowhere.
    pub fn sharpest(route: &Route) -> Option<Self> {
        let curve = &route.curve;
        let largest = route.radius.largest();
        let mut sharpest: Option<Self> = None;
        for (a, b) in curve.spans() {
            for i in 0..=PLACES {
                let t = a + (b - a) * i as f64 / PLACES as f64;
                let place = curve.at(t);
                let bend = 1.0 / place.curvature();
                if bend > largest {
                    continue;
                }
                let at = curve.length_between(curve.domain().0, t);
                let radius = route.radius.at(at);
                let is_worse = |so_far: &Self| bend / radius < so_far.bend / so_far.radius;
                if bend <= radius && sharpest.as_ref().is_none_or(is_worse) {
                    sharpest = Some(Self {
                        bend,
                        radius,
                        at,
                        place: place.position,
                    });
                }
            }
        }
        sharpest
    }
}

impl std::fmt::Display for Fold {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            bend,
            radius,
            at,
            place,
        } = self;
        write!(
            f,
            "it bends with a radius of {bend:.2} mm at {at:.1} mm from its start (x {:.1}, y {:.1}, z {:.1}), but is \
             {radius:.2} mm thick from its middle",
            place.x, place.y, place.z
        )
    }
}
