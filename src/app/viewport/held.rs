//! The cable that keeps a part from where it is led: named at its place with the length that it lacks. A click adds that
//! length and sends the part on.

use egui::{Area, Button, Id, Order, RichText};

use super::View;
use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::geom::{Pose, Vec3};
use crate::scene::{Command, HeldPart, Scene};

/// What a label says, and the length that a click adds, mm.
fn words(document: &Document, held: &HeldPart, cable: &str) -> (String, Option<f64>) {
    match document.missing(held).map(|m| m.length) {
        None => (format!("{cable} too short"), None),
        Some(None) => (format!("{cable} holds {}", held.part), None),
        Some(Some(missing)) => {
            let missing = missing.ceil();
            (format!("{cable} {missing:.0} mm short"), Some(missing))
        }
    }
}

/// The edits that give a cable what it lacks and send the part on.
fn lengthened(scene: &Scene, held: &HeldPart, cable: &str, by: f64) -> Option<Vec<Command>> {
    let length = Command::SetLength {
        cable: cable.to_owned(),
        length: scene.cable(cable)?.length + by,
    };
    let part = scene.parts.iter().position(|p| p.name == held.part)?;
    let target: &Pose = &held.target;
    let on = Thing::Part(part).move_command(scene, target, true, true)?;
    Some(vec![length, on])
}

impl View {
    /// Shows the labels of cables that hold parts.
    pub(super) fn held_labels(
        &self,
        ctx: &egui::Context,
        document: &Document,
        actions: &mut Vec<Action>,
    ) {
        for held in document.held_parts() {
            let Some(cable) = held.cable.as_deref() else {
                continue;
            };
            let Some(at) = self.place_of(document.scene(), held, cable) else {
                continue;
            };
            let Some(pixel) = self.project(&at) else {
                continue;
            };
            let place = self.rect.min + egui::vec2(pixel.x as f32 + 14.0, pixel.y as f32 - 34.0);
            if !self.rect.contains(place) {
                continue;
            }
            let (words, missing) = words(document, held, cable);
            let palette = theme::palette(ctx);
            let text = RichText::new(words).color(palette.bad).strong();
            let button = Button::new(text)
                .wrap_mode(egui::TextWrapMode::Extend)
                .fill(palette.bad_fill)
                .stroke(egui::Stroke::new(1.0, palette.bad));
            let area = Area::new(Id::unique(("held", &held.part)))
                .order(Order::Middle)
                .fixed_pos(place)
                .constrain_to(self.rect);
            let pressed = area.show(ctx, |ui| {
                // Read as well while it cannot be pressed yet: no paler then.
                let free = missing.is_some() && !self.is_dragging();
                let sense = if free {
                    egui::Sense::click()
                } else {
                    egui::Sense::hover()
                };
                ui.add(button.sense(sense)).on_hover_text(
                    "Adds this length to the cable, and moves the part on to where it was led",
                )
            });
            if pressed.inner.clicked()
                && let Some(edits) =
                    missing.and_then(|by| lengthened(document.scene(), held, cable, by))
            {
                actions.push(Action::EditAll(edits));
            }
        }
    }

    /// The point of a cable that is nearest to the part that it holds.
    fn place_of(&self, scene: &Scene, held: &HeldPart, cable: &str) -> Option<Vec3> {
        let number = scene.cables.iter().position(|c| c.name == cable)?;
        let part = scene.parts.iter().position(|p| p.name == held.part)?;
        let middle = match self.content.lifted(part) {
            Some(lifted) => lifted.pose().position,
            None => scene.parts[part].mesh().aabb().center(),
        };
        let points = self.content.points(number).iter();
        let nearest =
            points.min_by(|a, b| (*a - middle).norm().total_cmp(&(*b - middle).norm()))?;
        Some(*nearest)
    }
}
