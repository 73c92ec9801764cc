//! The mouse in the view: which press begins what, and what follows from moving on.

use egui::{CursorIcon, Event, Key, Modifiers, PointerButton, Pos2};

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

/// Presses this near to the view's border belong to the border, in points.
const BORDER: f32 = 4.0;

impl View {
    /// Plays the mouse's events in their order: under a slow redraw, press, motion and release may arrive together.
    pub(super) fn handle_input(
        &mut self,
        ui: &egui::Ui,
        response: &egui::Response,
        document: &Document,
        actions: &mut Vec<Action>,
    ) {
        let rect = response.rect;
        let pixel = |p: Pos2| Pixel::new(f64::from(p.x - rect.min.x), f64::from(p.y - rect.min.y));
        let input = ui.input(Clone::clone);
        for event in &input.events {
            match event {
                Event::PointerMoved(to) => self.move_to(&pixel(*to), actions),
                Event::PointerButton {
                    pos,
                    button,
                    pressed,
                    modifiers,
                } => {
                    self.move_to(&pixel(*pos), actions);
                    let in_view = rect.shrink(BORDER).contains(*pos)
                        && ui.ctx().layer_id_at(*pos) == Some(ui.layer_id());
                    if *pressed && in_view {
                        self.press(*button, *modifiers, document, &pixel(*pos));
                    } else if !pressed {
                        self.release(*button, document, actions);
                    }
                }
                Event::Key {
                    key: Key::Escape,
                    pressed: true,
                    ..
                } if self.drag.take().is_some() => actions.push(Action::CancelGesture),
                _ => {}
            }
        }
        if !input.pointer.any_down() {
            // A release that was lost, to another window perhaps.
            self.navigation = None;
            self.release(PointerButton::Primary, document, actions);
        }
        self.follow_drag(document, actions);

        let inside = response.contains_pointer();
        let free = inside && self.drag.is_none() && !input.pointer.any_down();
        let cursor = self.cursor.filter(|_| free);
        self.hovered = cursor.and_then(|cursor| self.grip_under(document, &cursor));
        self.lit = cursor
            .filter(|_| self.hovered.is_none())
            .and_then(|cursor| {
                let ray = self.camera.ray(&cursor, self.viewport);
                let (thing, _) = self.content.hit(document.scene(), &ray)?;
                Some(thing)
            });
        if let (true, Some(cursor), Some(factor)) = (inside, self.cursor, zoom_factor(&input)) {
            let anchor = self.anchor(document, &cursor);
            self.camera.zoom(&anchor, factor);
        }
        self.set_cursor_icon(ui);
    }

    /// A button goes down in the view.
    fn press(
        &mut self,
        button: PointerButton,
        modifiers: Modifiers,
        document: &Document,
        cursor: &Pixel,
    ) {
        if self.drag.is_none() {
            self.hovered = self.grip_under(document, cursor);
        }
        if let (PointerButton::Primary, Some((handle, grip))) = (button, self.hovered)
            && let Some(target) = self.shown_pose(document, handle)
        {
            let turns = grip == Grip::Disc && modifiers.shift;
            self.drag = Some(Drag {
                handle,
                grip: if turns { Grip::View } else { grip },
                target,
                frame: self.frame(&target).rotation,
                pressed_at: *cursor,
                moved: false,
                news: false,
            });
            return;
        }
        let Some(motion) = Motion::begun_by(button, modifiers.shift) else {
            return;
        };
        if self.navigation.is_none() {
            let anchor = match motion {
                Motion::Orbit => self.pivot(document, cursor),
                Motion::Pan => self.anchor(document, cursor),
            };
            self.navigation = Some(Navigation {
                motion,
                button,
                anchor,
                pressed_at: *cursor,
            });
        }
    }

    /// The cursor moves, in or out of the view.
    fn move_to(&mut self, cursor: &Pixel, actions: &mut Vec<Action>) {
        let last = self.cursor.replace(*cursor).unwrap_or(*cursor);
        if let Some(navigation) = &self.navigation {
            // A handle in hand keeps its target meanwhile: later motion adds to it.
            navigation.step(&mut self.camera, self.viewport, &last, cursor);
            return;
        }
        let Some(drag) = &mut self.drag else { return };
        let mut from = last;
        if !drag.moved {
            if (cursor - drag.pressed_at).norm() < DRAG_FROM {
                return;
            }
            drag.moved = true;
            from = drag.pressed_at;
            actions.push(Action::BeginGesture);
            actions.push(Action::Select(Some(drag.handle)));
        }
        let (camera, viewport) = (&self.camera, self.viewport);
        let frame = Pose {
            rotation: drag.frame,
            ..drag.target
        };
        let mut to = gizmo::drag(camera, viewport, &frame, drag.grip, &from, cursor);
        if self.own_axes {
            drag.frame = to.rotation;
        }
        // The turn of the frame is the turn of the handle.
        to.rotation = to.rotation * frame.rotation.inverse() * drag.target.rotation;
        to.rotation.renormalize();
        let mut numbers = to.position.iter().chain(to.rotation.coords.iter());
        if numbers.all(|c| c.is_finite()) {
            drag.target = to;
            drag.news = true;
        }
    }

    /// A button goes up, wherever.
    fn release(&mut self, button: PointerButton, document: &Document, actions: &mut Vec<Action>) {
        if let Some(navigation) = self.navigation.take_if(|n| n.button == button) {
            let still =
                (self.cursor).is_some_and(|c| (c - navigation.pressed_at).norm() < DRAG_FROM);
            if button == PointerButton::Primary && still {
                actions.push(Action::Select(None));
            }
        }
        if button == PointerButton::Primary {
            self.follow_drag(document, actions);
            if let Some(drag) = self.drag.take() {
                actions.push(if drag.moved {
                    Action::EndGesture
                } else {
                    Action::Select(Some(drag.handle))
                });
            }
        }
    }

    /// Asks the handle in hand to go where the mouse has led it since the last time.
    fn follow_drag(&mut self, document: &Document, actions: &mut Vec<Action>) {
        if let Some(drag) = &mut self.drag
            && std::mem::take(&mut drag.news)
        {
            actions.extend(move_handle(document, drag));
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
        self.content.hit(document.scene(), &ray).map(|(_, at)| at)
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
            let frame = self.frame(&pose);
            let grip = gizmo::hit(&self.camera, self.viewport, &frame, cursor, selected)?;
            Some((id, grip))
        })
    }

    fn set_cursor_icon(&self, ui: &egui::Ui) {
        let icon = match (&self.navigation, &self.drag, &self.hovered) {
            (Some(_), _, _) => CursorIcon::Move,
            (None, Some(_), _) => CursorIcon::Grabbing,
            (None, None, Some(_)) => CursorIcon::Grab,
            (None, None, None) => return,
        };
        ui.ctx().set_cursor_icon(icon);
    }
}

/// The command that asks a handle to follow; only what the grip changes.
fn move_handle(document: &Document, drag: &Drag) -> Option<Action> {
    let cable = document.scene().cables.get(drag.handle.cable)?;
    let handle = cable.handles.get(drag.handle.handle)?;
    let turns = matches!(drag.grip, Grip::Ring(_) | Grip::View);
    let q = drag.target.rotation.quaternion();
    Some(Action::Edit(Command::MoveHandle {
        cable: cable.name.clone(),
        handle: handle.name.clone(),
        position: (!turns).then(|| drag.target.position.into()),
        rotation: turns.then_some([q.w, q.i, q.j, q.k]),
    }))
}
