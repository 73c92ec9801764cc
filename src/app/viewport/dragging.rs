//! What is in the user's hand: how a drag begins, what it asks for, how it ends.

use egui::Modifiers;

use super::camera::Pixel;
use super::gizmo::Grip;
use super::snap::SnapQuery;
use super::{Drag, Grabbed, Press, View};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::selection::{HandleId, Thing};
use crate::geom::Pose;
use crate::scene::{Cable, Command, HandleKind, HandlePlace};

impl View {
    pub(super) fn begin_drag(
        &self,
        document: &Document,
        thing: Thing,
        grip: Grip,
        pose: Pose,
        modifiers: Modifiers,
    ) -> Drag {
        let turns = grip == Grip::Disc && modifiers.shift;
        let others = if self.selection.contains(thing) {
            let others = self.selection.things().iter();
            others
                .filter(|t| **t != thing && !matches!(t, Thing::Cable(_)))
                .filter_map(|t| Some((*t, self.pose_of(document, *t)?)))
                .collect()
        } else {
            Vec::new()
        };
        Drag {
            thing,
            grip: if turns { Grip::View } else { grip },
            start: pose,
            target: pose,
            free: pose,
            snap: None,
            turned: false,
            others,
            placed: Vec::new(),
            frame: self.frame(&pose).rotation,
            pressed_at: Pixel::zeros(),
            moved: false,
            news: false,
            grabbed: None,
        }
    }

    /// A selected cable is grabbed anywhere: a soft handle that lasts as long as the button is down.
    pub(super) fn grab_cable(&self, document: &Document, press: &Press) -> Option<Drag> {
        let Some(Thing::Cable(cable)) = press.thing else {
            return None;
        };
        let whole = Thing::Cable(cable);
        if !self.selection.contains(whole) || press.modifiers.any() || !press.may_grab {
            return None;
        }
        let pick = self.pick_at(document, &press.at, Modifiers::NONE)?;
        if pick.thing != whole {
            return None;
        }
        let handle = document.scene().cables.get(cable)?.handles.len();
        let pose = Pose {
            position: pick.point,
            rotation: crate::geom::Rotation::identity(),
        };
        let mut drag = self.begin_drag(
            document,
            Thing::Handle(HandleId { cable, handle }),
            Grip::Disc,
            pose,
            Modifiers::NONE,
        );
        drag.grabbed = pick.arc_length.map(|arc_length| Grabbed {
            arc_length,
            kept: false,
        });
        drag.pressed_at = press.at;
        drag.moved = true;
        Some(drag)
    }

    /// The command that gives a grabbed cable its soft handle.
    pub(super) fn hold_grabbed(document: &Document, drag: &Drag) -> Option<Action> {
        let Thing::Handle(id) = drag.thing else {
            return None;
        };
        let cable = document.scene().cables.get(id.cable)?;
        let gravity = document.scene().gravity.norm();
        Some(Action::Edit(Command::AddHandle {
            cable: cable.name.clone(),
            name: None,
            place: HandlePlace::At(inside(drag.grabbed?.arc_length, cable.length)),
            kind: HandleKind::Spring {
                stiffness: soft(cable, gravity),
            },
            pose: None,
        }))
    }

    /// Enter: the handle of a grabbed cable stays where it is when it is let go, or does not after all.
    ///
    /// Says whether there is one.
    pub fn keep_grabbed(&mut self) -> bool {
        let grabbed = self.drag.as_mut().and_then(|d| d.grabbed.as_mut());
        grabbed
            .map(|grabbed| grabbed.kept = !grabbed.kept)
            .is_some()
    }

    /// The edits that let a grabbed cable go, or hold it for good where it is now: not where the mouse pulls it to; or that
    /// attach a handle to what it was snapped to.
    pub(super) fn release_drag(document: &Document, drag: &Drag) -> Vec<Action> {
        let edits = Self::edits_of_release(document, drag)
            .or_else(|| Some(vec![Self::attach_where_snapped(document, drag)?]));
        (edits.into_iter().flatten()).map(Action::Edit).collect()
    }

    /// A handle that was snapped to a part goes with it from now on.
    fn attach_where_snapped(document: &Document, drag: &Drag) -> Option<Command> {
        let Thing::Handle(id) = drag.thing else {
            return None;
        };
        let scene = document.scene();
        let part = &scene.parts.get(drag.snap?.part)?.name;
        let cable = scene.cables.get(id.cable)?;
        let handle = cable.handles.get(id.handle)?;
        (handle.attached_to.as_ref() != Some(part)).then(|| Command::ChangeHandle {
            cable: cable.name.clone(),
            handle: handle.name.clone(),
            name: None,
            place: None,
            kind: None,
            turns: None,
            attached_to: Some(part.clone()),
            pose: None,
        })
    }

    fn edits_of_release(document: &Document, drag: &Drag) -> Option<Vec<Command>> {
        let grabbed = drag.grabbed?;
        let Thing::Handle(id) = drag.thing else {
            return None;
        };
        let scene = document.scene();
        let cable = scene.cables.get(id.cable)?;
        if id.handle + 1 != cable.handles.len() {
            return None;
        }
        if !grabbed.kept {
            return Some(drag.thing.delete_command(scene).into_iter().collect());
        }
        let handle = cable.handles.get(id.handle)?;
        let kind = HandleKind::Position;
        let (place, pose) = cable.place_to_hold(cable.arc_length(handle), kind)?;
        let hold = Command::ChangeHandle {
            cable: cable.name.clone(),
            handle: handle.name.clone(),
            name: None,
            place: Some(place),
            kind: Some(kind),
            turns: None,
            attached_to: None,
            // In the same edit: between two of them the solver would let the cable spring back.
            pose: Some(pose),
        };
        Some(vec![hold])
    }

    /// Puts what is dragged freely onto what the cursor points at, where that is wanted.
    pub(super) fn snap_drag(&mut self, document: &Document, cursor: &Pixel) {
        let Some(drag) = &mut self.drag else { return };
        drag.target = drag.free;
        drag.snap = None;
        let free = drag.grip == Grip::Disc && !matches!(drag.thing, Thing::Part(_));
        if !self.snapping.drags || !free || drag.grabbed.is_some() {
            return;
        }
        let scene = document.scene();
        let aim = SnapQuery {
            camera: &self.camera,
            viewport: self.viewport,
            cursor: *cursor,
            axes: self.snapping.axes,
        };
        let Some(snap) = self.content.snap(scene, &aim) else {
            return;
        };
        let radius = match drag.thing {
            Thing::Handle(id) => scene.cables.get(id.cable).map_or(0.0, |c| c.radius),
            _ => 0.0,
        };
        drag.target = snap.pose(&drag.free, radius);
        drag.turned |= drag.target.rotation != drag.free.rotation;
        drag.snap = Some(snap);
    }

    /// Takes the parts in hand up, and those that are one body with what is in hand: from now on they are shown where the
    /// solver has them.
    pub(super) fn lift_parts(&mut self, document: &Document) {
        let Some(drag) = &mut self.drag else { return };
        let scene = document.scene();
        let own = std::iter::once(&drag.thing);
        let all = own.chain(drag.others.iter().map(|(thing, _)| thing));
        for thing in all {
            let along = match *thing {
                Thing::Part(k) => {
                    let placed = self.content.lift(scene, k);
                    drag.placed.extend(placed.map(|placed| (*thing, placed)));
                    scene.parts.get(k).map(|part| scene.body_of(&part.name))
                }
                Thing::Junction(k) => scene.junctions.get(k).map(|j| j.carries.clone()),
                _ => None,
            };
            for name in along.unwrap_or_default() {
                if let Some(other) = scene.parts.iter().position(|p| p.name == name) {
                    self.content.lift(scene, other);
                }
            }
        }
    }

    /// Asks what is in hand to go where the mouse has led it since the last time.
    pub(super) fn follow_drag(&mut self, document: &Document, actions: &mut Vec<Action>) {
        let Some(drag) = &mut self.drag else { return };
        if !std::mem::take(&mut drag.news) {
            return;
        }
        let scene = document.scene();
        let by = drag.target.compose(&drag.start.inverse());
        for (part, placed) in &drag.placed {
            let moved = part.move_command(scene, &by.compose(placed), true, true);
            actions.extend(moved.map(Action::Edit));
        }
        let turns = matches!(drag.grip, Grip::Ring(_) | Grip::View) || drag.turned;
        let moves = !matches!(drag.grip, Grip::Ring(_) | Grip::View);
        if !matches!(drag.thing, Thing::Part(_)) {
            let own = (drag.thing).move_command(scene, &drag.target, moves, turns);
            actions.extend(own.map(Action::Edit));
        }
        for (thing, start) in &drag.others {
            if matches!(thing, Thing::Part(_)) {
                continue;
            }
            let moved = thing.move_command(scene, &by.compose(start), true, turns);
            actions.extend(moved.map(Action::Edit));
        }
    }
}

/// An arc length off the ends of a cable.
fn inside(arc_length: f64, length: f64) -> f64 {
    arc_length.clamp(1e-3 * length, (1.0 - 1e-3) * length)
}

/// N/mm that move a cable without bending it hard: its weight over a few of its diameters, or its stiffness against
/// bending, whichever is more.
fn soft(cable: &Cable, gravity: f64) -> f64 {
    let weight = cable.section.mass_kg_m * 1e-3 * cable.length * gravity;
    let bending = 200.0 * cable.section.bending / cable.length.powi(3);
    (weight / (4.0 * cable.radius)).max(bending).max(1e-6)
}
