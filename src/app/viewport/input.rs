//! The mouse in the view: which press begins what, and what follows from moving on.

use egui::{CursorIcon, Key, PointerButton};

use super::camera::Pixel;
use super::gizmo::{self, Grip};
use super::navigate::{Motion, Navigation, zoom_factor};
use super::{Drag, View, handles};
use crate::app::action::{Action, HandleId};
use crate::app::document::Document;
use crate::geom::{Pose, Vec3};
use crate::scene::Command;

/// A press becomes a drag after this many points.
const DRAG_FROM: f64 = 2.5;

impl View {
    pub(super) fn handle_input(
        &mut self,
        ui: &egui::Ui,
        response: &egui::Response,
        document: &Document,
        actions: &mut Vec<Action>,
    ) {
        let input = ui.input(Clone::clone);
        let last = self.cursor;
        self.cursor = input.pointer.latest_pos().map(|p| {
            let p = p - response.rect.min.to_vec2();
            Pixel::new(f64::from(p.x), f64::from(p.y))
        });
        let Some(cursor) = self.cursor else {
            self.hovered = None;
            return;
        };
        let last = last.unwrap_or(cursor);
        let inside = response.contains_pointer();

        if self.drag.is_none() {
            self.hovered = self.grip_under(document, &cursor).filter(|_| inside);
        }
        if inside {
            self.begin(&input, document, &cursor);
            if let Some(factor) = zoom_factor(&input) {
                let anchor = self.anchor(document, &cursor);
                self.camera.zoom(&anchor, factor);
            }
        }
        self.go_on(&input, document, &last, &cursor, actions);
        self.end(&input, actions);
        self.set_cursor_icon(ui, inside);
    }

    /// Button presses.
    fn begin(&mut self, input: &egui::InputState, document: &Document, cursor: &Pixel) {
        let pressed = input.pointer.button_pressed(PointerButton::Primary);
        if let Some((handle, grip)) = self.hovered.filter(|_| pressed)
            && let Some(target) = self.shown_pose(document, handle)
        {
            let turns = grip == Grip::Disc && input.modifiers.shift;
            self.drag = Some(Drag {
                handle,
                grip: if turns { Grip::View } else { grip },
                target,
                pressed_at: *cursor,
                moved: false,
            });
        }
        let on_nothing = self.drag.is_none() && self.hovered.is_none();
        if self.navigation.is_none()
            && let Some((motion, button)) = Navigation::begins(input, on_nothing)
        {
            let anchor = match motion {
                Motion::Orbit => self.pivot(document, cursor),
                Motion::Pan => self.anchor(document, cursor),
            };
            self.navigation = Some(Navigation {
                motion,
                button,
                anchor,
            });
        }
    }

    /// Motion with a button down.
    fn go_on(
        &mut self,
        input: &egui::InputState,
        document: &Document,
        last: &Pixel,
        cursor: &Pixel,
        actions: &mut Vec<Action>,
    ) {
        if self.drag.is_some() && input.key_pressed(Key::Escape) {
            self.drag = None;
            actions.push(Action::CancelGesture);
        }
        if let Some(navigation) = &self.navigation {
            // A handle in hand keeps its target meanwhile: later motion adds to it.
            navigation.step(&mut self.camera, self.viewport, last, cursor);
            return;
        }
        let Some(mut drag) = self.drag else { return };
        let mut from = *last;
        if !drag.moved {
            if (cursor - drag.pressed_at).norm() < DRAG_FROM {
                return;
            }
            drag.moved = true;
            from = drag.pressed_at;
            actions.push(Action::BeginGesture);
            actions.push(Action::Select(Some(drag.handle)));
        }
        if from != *cursor {
            let to = gizmo::drag(
                &self.camera,
                self.viewport,
                &drag.target,
                drag.grip,
                &from,
                cursor,
            );
            let finite = to.position.iter().chain(to.rotation.coords.iter());
            if finite.into_iter().all(|c| c.is_finite()) {
                drag.target = to;
                actions.extend(move_handle(document, drag.handle, drag.grip, &to));
            }
        }
        self.drag = Some(drag);
    }

    /// Button releases.
    fn end(&mut self, input: &egui::InputState, actions: &mut Vec<Action>) {
        if let Some(navigation) = self.navigation
            && !input.pointer.button_down(navigation.button)
        {
            self.navigation = None;
            let clicked = navigation.button == PointerButton::Primary
                && input.pointer.button_clicked(PointerButton::Primary);
            if clicked {
                actions.push(Action::Select(None));
            }
        }
        if let Some(drag) = self.drag
            && !input.pointer.button_down(PointerButton::Primary)
        {
            self.drag = None;
            actions.push(if drag.moved {
                Action::EndGesture
            } else {
                Action::Select(Some(drag.handle))
            });
        }
    }

    /// The point to pan or zoom about: what is under the cursor, or else the cursor at the depth of the scene's middle.
    fn anchor(&self, document: &Document, cursor: &Pixel) -> Vec3 {
        self.under_cursor(document, cursor).unwrap_or_else(|| {
            let middle = self.middle(document);
            self.camera.on_view_plane(cursor, self.viewport, &middle)
        })
    }

    /// The point to turn about: what is under the cursor, or else the scene's middle.
    fn pivot(&self, document: &Document, cursor: &Pixel) -> Vec3 {
        self.under_cursor(document, cursor)
            .unwrap_or_else(|| self.middle(document))
    }

    /// The handle in hand or under the cursor, or the first visible thing there.
    fn under_cursor(&self, document: &Document, cursor: &Pixel) -> Option<Vec3> {
        if let Some(drag) = &self.drag {
            return Some(drag.target.position);
        }
        if let Some((id, _)) = self.hovered {
            return self.shown_pose(document, id).map(|pose| pose.position);
        }
        let ray = self.camera.ray(cursor, self.viewport);
        self.content.hit(document.scene(), &ray)
    }

    fn middle(&self, document: &Document) -> Vec3 {
        let aabb = self.content.aabb(document.scene());
        if aabb.is_empty() {
            self.camera.focus
        } else {
            aabb.center()
        }
    }

    /// The gizmo under the cursor; the selected handle first, as its arrows may lie over another's ball.
    fn grip_under(&self, document: &Document, cursor: &Pixel) -> Option<(HandleId, Grip)> {
        let mut ids = handles(document.scene());
        ids.sort_by_key(|id| self.selected != Some(*id));
        ids.into_iter().find_map(|id| {
            let pose = self.shown_pose(document, id)?;
            let selected = self.selected == Some(id);
            let grip = gizmo::hit(&self.camera, self.viewport, &pose, cursor, selected)?;
            Some((id, grip))
        })
    }

    fn set_cursor_icon(&self, ui: &egui::Ui, inside: bool) {
        let icon = match (&self.navigation, &self.drag, &self.hovered) {
            (Some(_), _, _) => CursorIcon::Move,
            (None, Some(_), _) => CursorIcon::Grabbing,
            (None, None, Some(_)) if inside => CursorIcon::Grab,
            _ => return,
        };
        ui.ctx().set_cursor_icon(icon);
    }
}

/// The command that asks a handle to follow; only what the grip changes.
fn move_handle(document: &Document, id: HandleId, grip: Grip, to: &Pose) -> Option<Action> {
    let cable = document.scene().cables.get(id.cable)?;
    let turns = matches!(grip, Grip::Ring(_) | Grip::View);
    let q = to.rotation.quaternion();
    Some(Action::Edit(Command::MoveHandle {
        cable: cable.name.clone(),
        handle: id.place,
        position: (!turns).then(|| to.position.into()),
        rotation: turns.then(|| [q.w, q.i, q.j, q.k]),
    }))
}
