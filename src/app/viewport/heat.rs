//! Cables coloured by what happens along them, with the legend's scale.

use std::sync::Arc;

use egui::Color32;

use super::content::Content;
use crate::app::choices::Coloring;
use crate::app::document::Document;
use crate::geom::Vec3;
use crate::scene::{Cable, Scene};

/// Clearance from which on all is well, mm.
const ROOMY: f64 = 20.0;

/// Colours along the cables.
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// What they mean.
    pub coloring: Coloring,
    /// Of each cable the value at each node; none where it is not known.
    pub values: Vec<Vec<f64>>,
    /// The values at the cold and the hot end of the scale.
    pub range: [f64; 2],
}

impl Heat {
    /// Looks at every cable; `None` where cables keep their own colour.
    pub fn of(coloring: Coloring, document: &Document, content: &Content) -> Option<Self> {
        let scene = document.scene();
        let values: Vec<Vec<f64>> = (scene.cables.iter().enumerate())
            .map(|(k, cable)| match coloring {
                Coloring::Own => Vec::new(),
                Coloring::Clearance => clearance(scene, cable, (content.points(k), ROOMY), content),
                other => along(other, document, cable),
            })
            .collect();
        let largest = |least: f64| {
            let all = values.iter().flatten().map(|v| v.abs());
            all.fold(least, f64::max)
        };
        let range = match coloring {
            Coloring::Own => return None,
            Coloring::Bend => [0.0, 1.0],
            Coloring::Tension | Coloring::Twist => [0.0, largest(1e-9)],
            Coloring::Clearance => [ROOMY, 0.0],
        };
        Some(Self {
            coloring,
            values,
            range,
        })
    }

    /// Colours of the vertices of a tube, by where along the cable they are; `None` where nothing is known.
    pub fn tints(&self, cable: usize, along: &[f64]) -> Option<Arc<Vec<[f32; 3]>>> {
        let values = self.values.get(cable).filter(|v| v.len() > 1)?;
        let last = values.len() - 1;
        let tint = |at: &f64| {
            let at = at.clamp(0.0, last as f64);
            let k = (at as usize).min(last - 1);
            let t = at - k as f64;
            let value = values[k] * (1.0 - t) + values[k + 1] * t;
            let [r, g, b, _] = self.color(value).to_array();
            [r, g, b].map(|c| f32::from(c) / 255.0)
        };
        Some(Arc::new(along.iter().map(tint).collect()))
    }

    /// The colour of a value.
    pub fn color(&self, value: f64) -> Color32 {
        let [cold, hot] = self.range;
        ramp((value.abs() - cold) / (hot - cold))
    }

    /// What the ends and the middle of the scale mean, hot first.
    pub fn marks(&self) -> [String; 3] {
        let [cold, hot] = self.range;
        [hot, 0.5 * (hot + cold), cold].map(|value| match self.coloring {
            Coloring::Own => String::new(),
            Coloring::Bend => format!("{:.0} % of the limit", 100.0 * value),
            Coloring::Tension => format!("{value:.3} N"),
            Coloring::Twist => format!("{:.0}°/m", (1000.0 * value).to_degrees()),
            Coloring::Clearance if value >= ROOMY => format!("{value:.0} mm and more"),
            Coloring::Clearance => format!("{value:.0} mm"),
        })
    }
}

/// From blue over green and yellow to red; magenta beyond the scale.
pub fn ramp(share: f64) -> Color32 {
    const STOPS: [Color32; 4] = [
        Color32::from_rgb(0x2f, 0x74, 0xc0),
        Color32::from_rgb(0x33, 0xa0, 0x5a),
        Color32::from_rgb(0xe8, 0xb8, 0x2c),
        Color32::from_rgb(0xd0, 0x32, 0x2e),
    ];
    if share > 1.0 + 1e-9 {
        return Color32::from_rgb(0xc2, 0x1f, 0xa8);
    }
    let at = share.clamp(0.0, 1.0) * 3.0;
    let k = (at as usize).min(2);
    STOPS[k].lerp_to_gamma(STOPS[k + 1], (at - k as f64) as f32)
}

/// The solver's value at each node.
fn along(coloring: Coloring, document: &Document, cable: &Cable) -> Vec<f64> {
    let Some(profile) = document.profile(&cable.name) else {
        return Vec::new();
    };
    match coloring {
        Coloring::Bend => {
            let Some(limits) = cable.smallest_centerline_radii() else {
                return Vec::new();
            };
            let limits = limits.iter();
            limits.zip(&profile.curvature).map(|(l, k)| l * k).collect()
        }
        Coloring::Twist => profile.twist_rate.clone(),
        // Of edges: a node has the mean of its two.
        _ => {
            let edges = &profile.tension;
            let n = edges.len();
            let node = |i: usize| {
                let (a, b) = (i.saturating_sub(1), i.min(n.saturating_sub(1)));
                edges.get(a).zip(edges.get(b)).map(|(a, b)| 0.5 * (a + b))
            };
            (0..=n).filter_map(node).collect()
        }
    }
}

/// The room around each node, mm; no more than `roomy`.
pub fn clearance(
    scene: &Scene,
    cable: &Cable,
    (points, roomy): (&[Vec3], f64),
    content: &Content,
) -> Vec<f64> {
    let parts = scene.parts.iter().filter(|p| p.role.collides());
    let parts: Vec<_> = parts.filter_map(|p| content.model(p.mesh())).collect();
    (points.iter().zip(cable.node_radii()))
        .map(|(p, radius)| {
            let mut nearest = roomy + radius;
            for model in &parts {
                let (low, high) = (model.aabb.min, model.aabb.max);
                let to_box = (low - p).sup(&(p - high)).sup(&Vec3::zeros()).norm();
                if to_box < nearest
                    && let Some(pick) = &model.pick
                {
                    nearest = nearest.min((pick.nearest(p) - p).norm());
                }
            }
            (nearest - radius).max(0.0)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heat(range: [f64; 2]) -> Heat {
        Heat {
            coloring: Coloring::Bend,
            values: vec![vec![0.0, 0.5, 2.0], vec![]],
            range,
        }
    }

    #[test]
    fn colours_follow_the_values_between_the_nodes() {
        let heat = heat([0.0, 1.0]);
        let tints = heat.tints(0, &[0.0, 1.0, 1.2, 2.0, 9.0]).unwrap();
        let color = |value: f64| {
            let [r, g, b, _] = heat.color(value).to_array();
            [r, g, b].map(|c| f32::from(c) / 255.0)
        };
        assert_eq!(tints[0], color(0.0));
        assert_eq!(tints[1], color(0.5));
        assert_eq!(tints[2], color(0.8));
        assert_eq!(tints[3], color(2.0), "beyond the limit");
        assert_eq!(tints[4], tints[3], "beyond the end");
        assert_ne!(color(1.0), color(2.0));
        assert_eq!(heat.tints(1, &[0.0]), None, "nothing is known");
    }

    #[test]
    fn less_room_is_hotter() {
        let heat = Heat {
            coloring: Coloring::Clearance,
            ..heat([ROOMY, 0.0])
        };
        assert_eq!(heat.color(0.0), ramp(1.0));
        assert_eq!(heat.color(ROOMY), ramp(0.0));
        assert_eq!(heat.marks()[0], "0 mm");
    }
}
