//! Length by pulling: a cable, or the span between two of its handles, follows the mouse with its length.

use egui::Modifiers;

use super::camera::Pixel;
use super::{Press, View};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::geom::Vec3;
use crate::scene::{Cable, Command};

/// A stretch shorter than this share of what it was, nobody means.
const LEAST: f64 = 0.05;
/// So near to the middle of its ends, in points, a cable is pulled down to become longer: that is where it hangs.
const NEAR: f64 = 12.0;

/// A cable that is pulled longer or shorter.
#[derive(Clone, Debug)]
pub struct Pull {
    cable: String,
    /// Names of the handles of the span; the whole cable without.
    span: Option<[String; 2]>,
    /// Length when it was taken, mm.
    start: f64,
    /// Length now, mm.
    length: f64,
    /// Where it was taken, in the view and in the world.
    pressed_at: Pixel,
    point: Vec3,
    /// The way on the screen that makes it longer.
    longer: Pixel,
    news: bool,
}

impl Pull {
    /// The text beside the cursor.
    pub fn words(&self) -> String {
        let what = match &self.span {
            Some([from, to]) => format!("{from} to {to}: "),
            None => String::new(),
        };
        let by = self.length - self.start;
        format!("{what}{:.1} mm ({by:+.1})", self.length)
    }

    fn command(&self) -> Command {
        match self.span.clone() {
            Some([from, to]) => Command::SetSpanLength {
                cable: self.cable.clone(),
                from,
                to,
                length: self.length,
            },
            None => Command::SetLength {
                cable: self.cable.clone(),
                length: self.length,
            },
        }
    }
}

impl View {
    /// What is pulled longer or shorter now.
    pub fn pull(&self) -> Option<&Pull> {
        self.pull.as_ref()
    }

    /// Where the cursor is in the world, at the depth of what is pulled.
    pub fn pulled_to(&self) -> Option<Vec3> {
        let (pull, cursor) = (self.pull.as_ref()?, self.cursor?);
        let (camera, viewport) = (&self.camera, self.viewport);
        Some(camera.on_view_plane(&cursor, viewport, &pull.point))
    }

    /// A cable is taken with the length tool.
    pub(super) fn begin_pull(&self, document: &Document, press: &Press) -> Option<Pull> {
        let pick = self.pick_at(document, &press.at, Modifiers::NONE)?;
        let (Thing::Cable(k), Some(at)) = (pick.thing, pick.arc_length) else {
            return None;
        };
        // A supplier's length is not changed by the way; the tool says so.
        let cable = document
            .scene()
            .cables
            .get(k)
            .filter(|c| !c.length_locked)?;
        let (span, start, ends) = stretch_at(cable, at);
        let pixel = |p: &Vec3| self.camera.project(p, self.viewport);
        let middle = match (pixel(&ends[0]), pixel(&ends[1])) {
            (Some(a), Some(b)) => (a + b) * 0.5,
            _ => press.at,
        };
        let away = press.at - middle;
        let longer = if away.norm() > NEAR {
            away.normalize()
        } else {
            Pixel::new(0.0, 1.0)
        };
        Some(Pull {
            cable: cable.name.clone(),
            span,
            start,
            length: start,
            pressed_at: press.at,
            point: pick.point,
            longer,
            news: false,
        })
    }

    /// The cursor moves while a cable is pulled.
    pub(super) fn pull_to(&mut self, cursor: &Pixel) {
        let (camera, viewport) = (&self.camera, self.viewport);
        let Some(pull) = &mut self.pull else { return };
        let mm = camera.mm_per_point(&pull.point, viewport);
        let way = (cursor - pull.pressed_at).dot(&pull.longer);
        let length = (pull.start + mm * way).max(LEAST * pull.start);
        if length.is_finite() && length != pull.length {
            pull.length = length;
            pull.news = true;
        }
    }

    /// Asks for the length that the mouse has led to since the last time.
    pub(super) fn follow_pull(&mut self, actions: &mut Vec<Action>) {
        if let Some(pull) = &mut self.pull
            && std::mem::take(&mut pull.news)
        {
            actions.push(Action::Edit(pull.command()));
        }
    }
}

/// The span between the handles on both sides of a place, or the whole cable where there are none between its ends; its
/// length and the places of its ends.
fn stretch_at(cable: &Cable, at: f64) -> (Option<[String; 2]>, f64, [Vec3; 2]) {
    let mut held: Vec<(f64, &str, Vec3)> = (cable.handles.iter())
        .map(|h| (cable.arc_length(h), h.name.as_str(), h.pose.position))
        .collect();
    held.sort_by(|a, b| a.0.total_cmp(&b.0));
    let points = cable.shape.as_ref().map_or(&[][..], |s| &s.points);
    let ends = [points.first(), points.last()].map(|p| p.copied().unwrap_or_default());
    let span = held.windows(2).find(|w| w[0].0 <= at && at <= w[1].0);
    match span {
        Some([a, b]) if held.len() > 2 => {
            let names = [a.1.to_owned(), b.1.to_owned()];
            (Some(names), b.0 - a.0, [a.2, b.2])
        }
        _ => (None, cable.length, ends),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;

    #[test]
    fn a_place_is_in_the_span_between_its_handles_or_in_the_whole_cable() {
        let mut scene = demo("drag").unwrap();
        let (span, length, _) = stretch_at(&scene.cables[0], 100.0);
        assert_eq!((span, length), (None, scene.cables[0].length));
        let clip = r#"{"command":"add_handle","cable":"cable","name":"clip","place":{"at":360}}"#;
        let command: Command = serde_json::from_str(clip).unwrap();
        command.apply(&mut scene).unwrap();
        let cable = &scene.cables[0];
        let at = cable.arc_length(cable.handle("clip").unwrap());
        let of = |s: f64| stretch_at(cable, s);
        let names = |[a, b]: [&str; 2]| Some([a.to_owned(), b.to_owned()]);
        assert_eq!((of(100.0).0, of(100.0).1), (names(["start", "clip"]), at));
        assert_eq!(of(500.0).0, names(["clip", "end"]));
        assert!((of(500.0).1 - (cable.length - at)).abs() < 1e-9);
    }
}
