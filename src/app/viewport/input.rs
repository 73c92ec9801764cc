//! The mouse in the view: which press begins what, and what follows from moving on.

use egui::{CursorIcon, Event, Key, Modifiers, PointerButton, Pos2};

use super::camera::Pixel;
use super::gizmo;
use super::navigate::{Held, Navigation, zoom_factor};
use super::{BoxSelect, Press, Snapping, Tool, View};
use crate::app::action::{Action, Select};
use crate::app::document::Document;
use crate::geom::{Pose, Vec3};

/// A press becomes a drag after this many points.
const DRAG_FROM: f64 = 2.5;
/// A selected cable is grabbed after this many points: a click on it must not shake it.
const GRAB_FROM: f64 = 4.0;
/// Presses this near to the view's border belong to the border, in points.
const BORDER: f32 = 4.0;
/// A key that is released this many seconds before the button is released with it.
const RELEASED_TOGETHER: f64 = 0.15;
/// The cursor may move this far, in points, and Tab still goes through the same things.
const CYCLE_WITHIN: f64 = 4.0;

impl View {
    /// Plays the mouse's events in their order: under a slow redraw, press, motion and release may arrive together.
    pub(super) fn handle_input(
        &mut self,
        ui: &egui::Ui,
        response: &egui::Response,
        document: &Document,
        tool: &dyn Tool,
        actions: &mut Vec<Action>,
    ) {
        let rect = response.rect;
        let pixel = |p: Pos2| Pixel::new(f64::from(p.x - rect.min.x), f64::from(p.y - rect.min.y));
        let input = ui.input(Clone::clone);
        let keys_are_ours = !ui.ctx().text_edit_focused()
            && !egui::Popup::is_any_open(ui.ctx())
            && ui.memory(|m| m.top_modal_layer().is_none());
        let wanted = self.snap != input.modifiers.command;
        if std::mem::replace(&mut self.snap_wanted, wanted) || wanted {
            self.snapped_at = input.time;
        }
        self.snapping = Snapping {
            // Key and button are never released at the very same time.
            drags: wanted || (!self.snap && input.time - self.snapped_at < RELEASED_TOGETHER),
            axes: input.modifiers.shift,
            picks: tool.snaps(),
        };
        for event in &input.events {
            match event {
                Event::PointerMoved(to) => self.move_to(&pixel(*to), document, actions),
                Event::PointerButton {
                    pos,
                    button,
                    pressed,
                    modifiers,
                } => {
                    self.move_to(&pixel(*pos), document, actions);
                    let in_view = rect.shrink(BORDER).contains(*pos)
                        && ui.ctx().layer_id_at(*pos) == Some(ui.layer_id());
                    let cube = self.cube_face(*pos).filter(|_| in_view);
                    if *pressed && *button == PointerButton::Primary && cube.is_some() {
                        self.cube_press = cube;
                    } else if *pressed && in_view {
                        self.press(*button, *modifiers, document, tool, &pixel(*pos));
                    } else if !pressed {
                        let pressed_on = self.cube_press.take();
                        if let Some(face) = cube.filter(|face| pressed_on == Some(*face)) {
                            self.turn_to(face, document.scene());
                        }
                        self.release(*button, document, tool, actions);
                    }
                }
                Event::Key {
                    key: Key::Escape,
                    pressed: true,
                    ..
                } if keys_are_ours => self.escape(actions),
                Event::Key {
                    key: Key::Tab,
                    pressed: true,
                    ..
                } if keys_are_ours && response.contains_pointer() => self.next_under_cursor(),
                _ => {}
            }
        }
        if !input.pointer.any_down() {
            // A release that was lost, to another window perhaps.
            self.held = Held::default();
            self.navigation = None;
            self.release(PointerButton::Primary, document, tool, actions);
        }
        self.follow_drag(document, actions);
        self.follow_pull(actions);

        let inside = response.contains_pointer();
        keep_tab(ui, response, inside && keys_are_ours);
        let free =
            inside && self.drag.is_none() && self.pull.is_none() && !input.pointer.any_down();
        self.on_plane = self.on_plane.filter(|_| free);
        self.look_under_cursor(document, tool, self.cursor.filter(|_| free));
        if let (true, Some(cursor), Some(factor)) = (inside, self.cursor, zoom_factor(&input)) {
            let anchor = self.anchor(document, &cursor);
            self.camera.zoom(&anchor, factor);
        }
        self.set_cursor_icon(ui);
    }

    /// Finds what is under a cursor that does nothing else.
    fn look_under_cursor(&mut self, document: &Document, tool: &dyn Tool, cursor: Option<Pixel>) {
        self.hovered = None;
        let Some(cursor) = cursor else {
            self.under = Vec::new();
            self.lit = None;
            return;
        };
        if tool.is_select() && !self.watching {
            self.hovered = self.grip_under(document, &cursor);
        }
        let may_cut = self.hovered.is_none() && tool.is_select();
        self.on_plane = self
            .plane_under(document.scene(), &cursor)
            .filter(|_| may_cut);
        if (self.cycled_at).is_none_or(|at| (at - cursor).norm() > CYCLE_WITHIN) {
            self.cycled_at = None;
            self.cycle = 0;
        }
        self.under = self.things_under(document, &cursor);
        let lit = self.under.get(self.cycle % self.under.len().max(1));
        self.lit = lit.map(|(thing, _)| *thing);
        if self.cycle > 0 && self.lit != self.hovered.map(|(thing, _)| thing) {
            // Tab went past the handle: a click means what is lit now.
            self.hovered = None;
        }
    }

    /// Tab: the next thing under the cursor.
    fn next_under_cursor(&mut self) {
        self.cycled_at = self.cursor;
        self.cycle += 1;
    }

    fn escape(&mut self, actions: &mut Vec<Action>) {
        if self.box_select.take().is_some() {
            return;
        }
        if self.pull.take().is_some() {
            actions.push(Action::CancelGesture);
            return;
        }
        if let Some((before, _)) = self.section_before.take() {
            self.set_section(Some(before));
            return;
        }
        if let Some(drag) = self.drag.take() {
            if drag.moved {
                actions.push(Action::CancelGesture);
            }
        } else {
            actions.push(Action::Back);
        }
    }

    /// A button goes down in the view.
    fn press(
        &mut self,
        button: PointerButton,
        modifiers: Modifiers,
        document: &Document,
        tool: &dyn Tool,
        cursor: &Pixel,
    ) {
        if self.drag.is_none() {
            let cycled = self.cycle > 0;
            self.look_under_cursor(document, tool, Some(*cursor));
            if cycled && self.cycle == 0 {
                self.look_under_cursor(document, tool, Some(*cursor));
            }
        }
        match button {
            PointerButton::Primary if !self.held.middle && !self.held.right => {
                let grips = !modifiers.command && !self.watching;
                if let Some((thing, grip)) = self.hovered.filter(|_| grips)
                    && let Some(pose) = self.pose_of(document, thing)
                {
                    self.drag = Some(self.begin_drag(document, thing, grip, pose, modifiers));
                    if let Some(drag) = &mut self.drag {
                        drag.pressed_at = *cursor;
                    }
                    return;
                }
                if let Some(number) = self.on_plane {
                    self.section_before = self.section().map(|before| (before, number));
                    return;
                }
                self.press = Some(Press {
                    at: *cursor,
                    modifiers,
                    thing: self.lit,
                    may_grab: tool.is_select() && !self.watching,
                    pulls: tool.pulls() && !self.watching,
                });
            }
            PointerButton::Primary => {
                self.held.left = true;
                self.held.had_second = true;
            }
            PointerButton::Middle => {
                self.held.middle = true;
                self.held.had_second = false;
            }
            PointerButton::Secondary => {
                self.held.right = true;
                self.held.had_second |= self.held.middle;
            }
            _ => return,
        }
        self.navigate(document, modifiers, cursor);
    }

    /// The buttons changed: begins or ends a motion of the camera.
    fn navigate(&mut self, document: &Document, modifiers: Modifiers, cursor: &Pixel) {
        let motion = self.preset.motion(self.held, modifiers);
        if self.navigation.map(|n| n.motion) == motion {
            return;
        }
        self.navigation = motion.map(|motion| Navigation {
            motion,
            anchor: match motion {
                super::navigate::Motion::Orbit => self.pivot(document, cursor),
                _ => self.anchor(document, cursor),
            },
        });
    }

    /// The cursor moves, in or out of the view.
    fn move_to(&mut self, cursor: &Pixel, document: &Document, actions: &mut Vec<Action>) {
        let mut last = self.cursor.replace(*cursor).unwrap_or(*cursor);
        let selection = &self.selection;
        let moved = |p: &mut Press| {
            let grabs = p.may_grab && p.thing.is_some_and(|t| selection.contains(t));
            (cursor - p.at).norm() >= if grabs { GRAB_FROM } else { DRAG_FROM }
        };
        if let Some(press) = self.press.take_if(moved) {
            last = press.at;
            let pull = press.pulls.then(|| self.begin_pull(document, &press));
            if let Some(pull) = pull.flatten() {
                actions.push(Action::BeginGesture);
                self.pull = Some(pull);
            } else if let Some(drag) = self.grab_cable(document, &press) {
                actions.push(Action::BeginGesture);
                actions.extend(Self::hold_grabbed(document, &drag));
                self.drag = Some(drag);
            } else if self.preset.box_by_left(press.modifiers) {
                self.box_select = Some(BoxSelect {
                    from: press.at,
                    adds: press.modifiers.command,
                });
            } else {
                self.held.left = true;
                self.navigate(document, Modifiers::NONE, &press.at);
            }
        }
        if let Some(navigation) = &self.navigation {
            // A handle in hand keeps its target meanwhile: later motion adds to it.
            navigation.step(&mut self.camera, self.viewport, &last, cursor);
            return;
        }
        if let Some((_, number)) = self.section_before {
            self.drag_section(document.scene(), number, &last, cursor);
            return;
        }
        self.pull_to(cursor);
        let Some(drag) = &mut self.drag else { return };
        if drag.moved && last == *cursor {
            // A release by itself moves nothing, whatever keys are released with it.
            return;
        }
        let mut from = last;
        if !drag.moved {
            if (cursor - drag.pressed_at).norm() < DRAG_FROM {
                return;
            }
            drag.moved = true;
            from = drag.pressed_at;
            actions.push(Action::BeginGesture);
            if !self.selection.contains(drag.thing) {
                actions.push(Action::Select(Select::Only(vec![drag.thing])));
            }
            self.lift_parts(document);
        }
        let Some(drag) = &mut self.drag else { return };
        let (camera, viewport) = (&self.camera, self.viewport);
        let frame = Pose {
            rotation: drag.frame,
            ..drag.free
        };
        let mut to = gizmo::drag(camera, viewport, &frame, drag.grip, &from, cursor);
        if self.own_axes {
            drag.frame = to.rotation;
        }
        // The turn of the frame is the turn of the handle.
        to.rotation = to.rotation * frame.rotation.inverse() * drag.free.rotation;
        to.rotation.renormalize();
        let mut numbers = to.position.iter().chain(to.rotation.coords.iter());
        if numbers.all(|c| c.is_finite()) {
            drag.free = to;
            drag.news = true;
            self.snap_drag(document, cursor);
        }
    }

    /// A button goes up, wherever.
    fn release(
        &mut self,
        button: PointerButton,
        document: &Document,
        tool: &dyn Tool,
        actions: &mut Vec<Action>,
    ) {
        match button {
            PointerButton::Primary => {
                self.held.left = false;
                self.release_left(document, tool, actions);
            }
            PointerButton::Middle => self.held.middle = false,
            PointerButton::Secondary => self.held.right = false,
            _ => {}
        }
        if let Some(cursor) = self.cursor {
            self.navigate(document, Modifiers::NONE, &cursor);
        }
    }

    fn release_left(&mut self, document: &Document, tool: &dyn Tool, actions: &mut Vec<Action>) {
        self.follow_drag(document, actions);
        self.follow_pull(actions);
        self.section_before = None;
        if self.pull.take().is_some() {
            actions.push(Action::EndGesture);
        }
        if let Some(press) = self.press.take() {
            self.click(document, tool, press, actions);
        }
        if let (Some(from), Some(to)) = (self.box_select.take(), self.cursor) {
            let mut things = self.things_within(document, &from.from, &to);
            if from.adds {
                things.extend(self.selection.things());
                things.dedup();
            }
            actions.push(Action::Select(Select::Only(things)));
        }
        let Some(drag) = self.drag.take() else { return };
        if drag.moved {
            actions.extend(Self::release_drag(document, &drag));
            actions.push(Action::EndGesture);
        } else if tool.is_select() {
            actions.push(Action::Select(Select::Only(vec![drag.thing])));
        } else if let Some(pick) = self.pick_at(document, &drag.pressed_at, Modifiers::NONE) {
            actions.push(Action::Pick(pick));
        }
    }

    /// A click that hit no grip.
    fn click(
        &mut self,
        document: &Document,
        tool: &dyn Tool,
        press: Press,
        actions: &mut Vec<Action>,
    ) {
        if !tool.is_select() {
            let pick = self.pick_at(document, &press.at, press.modifiers);
            actions.extend(pick.map(Action::Pick));
            return;
        }
        let select = match press.thing {
            Some(thing) if press.modifiers.command => Select::Toggle(thing),
            Some(thing) => Select::Only(vec![thing]),
            None if press.modifiers.command => return,
            None => Select::Only(Vec::new()),
        };
        actions.push(Action::Select(select));
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

    /// What is in hand or under the cursor, or the first visible thing there.
    fn under_cursor(&self, document: &Document, cursor: &Pixel) -> Option<Vec3> {
        if let Some(drag) = &self.drag {
            return Some(drag.target.position);
        }
        if let Some((thing, _)) = self.hovered {
            return self.pose_of(document, thing).map(|pose| pose.position);
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

    fn set_cursor_icon(&self, ui: &egui::Ui) {
        let icon = match (&self.navigation, &self.drag, &self.hovered) {
            (Some(_), _, _) => CursorIcon::Move,
            (None, Some(_), _) => CursorIcon::Grabbing,
            (None, None, Some(_)) => CursorIcon::Grab,
            (None, None, None) if self.box_select.is_some() => CursorIcon::Crosshair,
            (None, None, None) => return,
        };
        ui.ctx().set_cursor_icon(icon);
    }
}

/// While the mouse is over the view, Tab is for the view and does not move the focus.
fn keep_tab(ui: &egui::Ui, response: &egui::Response, ours: bool) {
    if !ours {
        return;
    }
    let focused = ui.memory(egui::Memory::focused);
    if focused.is_none() {
        response.request_focus();
    }
    let filter = egui::EventFilter {
        tab: true,
        ..egui::EventFilter::default()
    };
    ui.memory_mut(|m| m.set_focus_lock_filter(response.id, filter));
}
