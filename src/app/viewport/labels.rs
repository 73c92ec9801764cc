//! Measurements in the view: smallest bend radius, smallest clearance and length of a cable, each at its place.

use egui::Stroke;

use super::content::Content;
use super::overlay::Overlay;
use super::picking::point_at;
use super::{Drag, View};
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::geom::Vec3;
use crate::scene::{Cable, Part, Scene};
use crate::text::three_digits;

/// Clearances beyond this are not worth a label, mm.
const ROOMY: f64 = 50.0;
/// A bend of a larger radius is called straight, mm.
const STRAIGHT: f64 = 1e4;

/// What is said of the tightest bend of a cable: its place, the words, and whether it is over the limit.
fn bend(cable: &Cable, points: &[Vec3]) -> Option<(Vec3, String, bool)> {
    let bend = cable.worst_bend()?;
    let radius = bend.measured;
    if radius > STRAIGHT {
        return None;
    }
    let place = point_at(cable, points, bend.at)?;
    let inside = cable.bend_limit.measured.suffix();
    let words = format!("R {} mm{inside}", three_digits(radius));
    Some(match bend.limit.filter(|limit| radius < *limit) {
        Some(limit) => {
            let words = format!("{words}, minimum {} mm", three_digits(limit));
            (place, words, true)
        }
        None => (place, words, false),
    })
}

/// The nearest place of a part to a cable.
struct Nearest {
    /// On the surface of the cable, and on that of the part.
    ends: [Vec3; 2],
    /// The room between the two, mm.
    gap: f64,
    /// What that part must have, mm.
    required: Option<f64>,
}

fn nearest(scene: &Scene, cable: &Cable, points: &[Vec3], content: &Content) -> Option<Nearest> {
    let mut found: Option<(Vec3, Vec3, f64, &Part)> = None;
    let radii = cable.node_radii();
    for part in scene.parts.iter().filter(|p| p.role.collides()) {
        let Some(model) = content.model(part.mesh()) else {
            continue;
        };
        let Some(pick) = &model.pick else { continue };
        for (p, radius) in points.iter().zip(&radii) {
            let reach = found.map_or(ROOMY + radius, |f| f.2 + radius);
            let (low, high) = (model.aabb.min, model.aabb.max);
            let to_box = (low - p).sup(&(p - high)).sup(&Vec3::zeros()).norm();
            if to_box >= reach {
                continue;
            }
            let on_part = pick.nearest(p);
            let gap = (on_part - p).norm() - radius;
            if gap < reach - radius {
                found = Some((*p, on_part, gap, part));
            }
        }
    }
    let (middle, on_part, gap, part) = found?;
    let way = (on_part - middle).try_normalize(f64::MIN_POSITIVE);
    let on_cable = on_part - way.unwrap_or_default() * gap;
    Some(Nearest {
        ends: [on_cable, on_part],
        gap: gap.max(0.0),
        required: scene.required_clearance(part),
    })
}

impl View {
    /// The cables that are measured now: those in hand, and the selected ones where labels are pinned.
    fn measured(&self, scene: &Scene) -> Vec<usize> {
        let cable_named = |name: &str| scene.cables.iter().position(|c| c.name == name);
        let of = |thing: Thing| match thing {
            Thing::Handle(id) => vec![id.cable],
            Thing::Cable(k) => vec![k],
            Thing::Junction(k) => {
                let ends = scene.junctions.get(k).map_or(&[][..], |j| &j.ends);
                ends.iter().filter_map(|e| cable_named(&e.cable)).collect()
            }
            Thing::Part(_) | Thing::Harness(_) => Vec::new(),
        };
        let in_hand = self
            .drag
            .as_ref()
            .filter(|d| d.moved)
            .map(|d: &Drag| d.thing);
        let pinned = self.selection.things().iter().filter(|_| self.pin_labels);
        let mut cables: Vec<usize> = in_hand
            .into_iter()
            .chain(pinned.copied())
            .flat_map(of)
            .collect();
        cables.sort_unstable();
        cables.dedup();
        cables.retain(|k| scene.cables.get(*k).is_some_and(|c| c.visible));
        cables
    }

    /// The place along a cable that the mouse points at: its number and arc length, mm.
    pub fn pointed(&self, document: &Document) -> Option<(usize, f64)> {
        let Some(Thing::Cable(cable)) = self.under_the_cursor() else {
            return None;
        };
        let pick = self.pick(document)?;
        Some((
            cable,
            pick.arc_length
                .filter(|_| pick.thing == Thing::Cable(cable))?,
        ))
    }

    /// The room between a cable, by its number, and the parts, at each node, mm; no more than 50.
    pub fn clearance(&self, document: &Document, cable: usize) -> Vec<f64> {
        let scene = document.scene();
        let Some(found) = scene.cables.get(cable) else {
            return Vec::new();
        };
        let points = self.content.points(cable);
        super::heat::clearance(scene, found, (points, ROOMY), &self.content)
    }

    /// Where cables are bent more sharply than they may be, in red, and the labels of those that are measured.
    pub(super) fn paint_labels(&self, overlay: &Overlay<'_>, document: &Document) {
        let scene = document.scene();
        for (k, cable) in scene.cables.iter().enumerate().filter(|(_, c)| c.visible) {
            let over = over_limit(document, cable, self.content.points(k));
            for stretch in over {
                overlay.path(&stretch, Stroke::new(3.5, overlay.palette.bad));
            }
        }
        let said = &mut Vec::new();
        if let Some((k, at)) = self.mark
            && let Some(cable) = scene.cables.get(k)
            && let Some(place) = point_at(cable, self.content.points(k), at)
        {
            overlay.cross(&place, overlay.palette.accent);
            let ink = overlay.palette.ink;
            overlay.label_among(&place, &format!("{at:.0} mm"), ink, said);
        }
        self.paint_measurements(overlay, scene, said);
        for k in self.measured(scene) {
            let (cable, points) = (&scene.cables[k], self.content.points(k));
            if let Some((place, words, is_over)) = bend(cable, points) {
                let ink = if is_over {
                    overlay.palette.bad
                } else {
                    overlay.palette.ink
                };
                overlay.label_among(&place, &words, ink, said);
            }
            let contact = document
                .report(&cable.name)
                .and_then(|r| r.contacts.first());
            if let Some(contact) = contact {
                let ink = overlay.palette.ink;
                overlay.label_among(&contact.position, "in contact", ink, said);
            } else if let Some(near) = nearest(scene, cable, points, &self.content) {
                let limit = near.required.filter(|limit| near.gap < *limit);
                let mut words = format!("{} mm", three_digits(near.gap));
                let mut ink = overlay.palette.ink;
                if let Some(limit) = limit {
                    words = format!("{words}, minimum {} mm", three_digits(limit));
                    ink = overlay.palette.bad;
                }
                let [from, to] = near.ends;
                overlay.dimension(&from, &to, Stroke::new(1.5, ink));
                overlay.label_among(&from.lerp(&to, 0.5), &words, ink, said);
            }
            if let Some(middle) = point_at(cable, points, 0.5 * cable.length) {
                let words = format!("{}: {:.1} mm", cable.name, cable.seat_to_seat());
                overlay.label_among(&middle, &words, overlay.palette.ink, said);
            }
        }
    }
}

/// The stretches of a cable that are bent more sharply than it may be.
fn over_limit(document: &Document, cable: &Cable, points: &[Vec3]) -> Vec<Vec<Vec3>> {
    let Some(limits) = cable.smallest_centerline_radii() else {
        return Vec::new();
    };
    let Some(profile) = document.profile(&cable.name) else {
        return Vec::new();
    };
    if profile.curvature.len() != points.len() || limits.len() != points.len() {
        return Vec::new();
    }
    let is_over = |k: usize| profile.curvature[k] * limits[k] > 1.0;
    let nodes: Vec<usize> = (0..points.len()).filter(|k| is_over(*k)).collect();
    (nodes.chunk_by(|a, b| a + 1 == *b))
        .map(|run| {
            let first = run[0].saturating_sub(1);
            let last = (run[run.len() - 1] + 1).min(points.len() - 1);
            points[first..=last].to_vec()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BendMeasure, BendRadius};

    #[test]
    fn numbers_have_three_digits() {
        for (x, words) in [
            (0.0, "0"),
            (0.18312, "0.183"),
            (1.0, "1.00"),
            (12.345, "12.3"),
            (145.6, "146"),
            (22_200.0, "22200"),
        ] {
            assert_eq!(three_digits(x), words);
        }
    }

    #[test]
    fn the_tightest_bend_is_named_and_over_its_limit_it_says_so() {
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let points = scene.cables[0].shape.as_ref().unwrap().points.clone();
        let (place, words, is_over) = bend(&scene.cables[0], &points).unwrap();
        assert!(words.starts_with("R ") && !is_over, "{words}");
        assert!(points.iter().any(|p| (p - place).norm() < 1e-6));
        let limit = crate::scene::Command::ChangeCable(Box::new(crate::scene::CableChange {
            min_bend_radius: Some(5000.0),
            ..crate::scene::CableChange::of(&scene.cables[0].name)
        }));
        limit.apply(&mut scene).unwrap();
        let (_, words, is_over) = bend(&scene.cables[0], &points).unwrap();
        assert!(words.ends_with(", minimum 5000 mm") && is_over, "{words}");
    }

    #[test]
    fn the_clearance_goes_from_surface_to_surface_and_knows_what_is_required() {
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let mut content = Content::default();
        content.show(&scene, &egui::Context::default());
        let block = scene.parts.iter().position(|p| p.name == "block").unwrap();
        let aabb = scene.parts[block].mesh().aabb();
        let cable = scene.cables[0].clone();
        // Over a corner of the block, clear of its pocket.
        let over = aabb.min + Vec3::new(8.0, 8.0, aabb.max.z - aabb.min.z + cable.radius + 12.0);
        let find = |scene: &Scene| nearest(scene, &cable, &[over], &content).unwrap();
        let near = find(&scene);
        assert!((near.gap - 12.0).abs() < 1e-6, "{}", near.gap);
        assert!(((near.ends[1] - near.ends[0]).norm() - near.gap).abs() < 1e-6);
        assert!((near.ends[1].z - aabb.max.z).abs() < 1e-6);
        assert_eq!(near.required, None);
        scene.parts[block].required_clearance = Some(20.0);
        assert_eq!(find(&scene).required, Some(20.0));
    }

    #[test]
    fn a_limit_on_the_inside_labels_the_centerline_less_the_outer_radius() {
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let cable = &mut scene.cables[0];
        let points = cable.shape.as_ref().unwrap().points.clone();
        let centerline = cable.worst_bend().unwrap().centerline;
        for measured in [BendMeasure::Centerline, BendMeasure::Inside] {
            cable.bend_limit.measured = measured;
            let radius = match measured {
                BendMeasure::Centerline => centerline,
                BendMeasure::Inside => centerline - cable.radius,
            };
            for (factor, expected) in [(0.999, false), (1.001, true)] {
                let limit = BendRadius::Mm(factor * radius);
                cable.bend_limit.at_rest = Some(limit);
                let (_, words, is_over) = bend(cable, &points).unwrap();
                assert_eq!(is_over, expected, "{words}");
                let number = format!("R {} mm", three_digits(radius));
                assert!(words.starts_with(&number), "{words}, not {number}");
                let is_inside = measured == BendMeasure::Inside;
                assert_eq!(words.contains("mm inside"), is_inside, "{words}");
            }
        }
    }
}
