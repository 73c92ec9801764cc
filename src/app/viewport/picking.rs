//! What the mouse points at: grips, things under the cursor in the order they are meant, things in a box.

use egui::Modifiers;

use super::camera::{Pixel, Ray};
use super::gizmo::{self, Grip};
use super::snap::{Snap, SnapKind, SnapQuery};
use super::{View, handles};
use crate::app::document::Document;
use crate::app::selection::{HandleId, Pick, Thing};
use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::{Cable, HandlePlace, Scene};

/// A cable is hit this far beside it too, in points: a thin one is hard to hit.
const CABLE_REACH: f64 = 4.0;

impl View {
    /// Where a handle, a junction or a part has its gizmo; `None` for a cable.
    pub fn pose_of(&self, document: &Document, thing: Thing) -> Option<Pose> {
        match thing {
            Thing::Handle(id) => self.shown_pose(document, id),
            Thing::Junction(k) => {
                let scene = document.scene();
                let junction = scene.junctions.get(k)?;
                let mut pose = junction.pose;
                // Where its cables really are.
                let end = junction.ends.first()?;
                let cable = scene.cables.iter().position(|c| c.name == end.cable)?;
                let handles = &scene.cables[cable].handles;
                let handle = handles.iter().position(|h| h.name == end.handle)?;
                if let Some(held) = self.shown_pose(document, HandleId { cable, handle }) {
                    pose = held.compose(&end.in_junction.inverse());
                }
                Some(pose)
            }
            Thing::Part(k) => {
                if let Some(lifted) = self.content.lifted(k) {
                    return Some(lifted.pose());
                }
                let part = document.scene().parts.get(k)?;
                Some(Pose {
                    position: part.mesh().aabb().center(),
                    rotation: part.placement().rotation,
                })
            }
            Thing::Cable(_) | Thing::Harness(_) => None,
        }
    }

    /// Where a handle is shown: its clamp, moved along with an iterate on its way.
    pub fn shown_pose(&self, document: &Document, id: HandleId) -> Option<Pose> {
        let mut pose = document.handle_pose(id.cable, id.handle)?;
        let points = self.content.points(id.cable);
        let cable = document.scene().cables.get(id.cable)?;
        let handle = cable.handles.get(id.handle)?;
        let shown = match handle.place {
            HandlePlace::Start => points.first().copied(),
            HandlePlace::End => points.last().copied(),
            HandlePlace::At(s) => point_at(cable, points, s),
        };
        if let Some(shown) = shown {
            pose.position = shown;
            pose = cable.seat_at(handle.place, &pose);
        }
        Some(pose)
    }

    /// The gizmo under the cursor; those of what is selected first, as their arrows may lie over another's ball.
    pub(super) fn grip_under(&self, document: &Document, cursor: &Pixel) -> Option<(Thing, Grip)> {
        let mut things = grabbable(document.scene());
        things.extend(self.part_with_gizmo(document.scene()));
        things.sort_by_key(|thing| !self.selection.contains(*thing));
        things.into_iter().find_map(|thing| {
            let pose = self.pose_of(document, thing)?;
            let selected = self.has_gizmo(thing);
            let frame = self.frame(&pose);
            let grip = gizmo::hit(&self.camera, self.viewport, &frame, cursor, selected)?;
            Some((thing, grip))
        })
    }

    /// The part that can be moved by its gizmo: the last thing selected, if it is one.
    pub(super) fn part_with_gizmo(&self, scene: &Scene) -> Option<Thing> {
        let last = self.selection.last();
        last.filter(|thing| matches!(thing, Thing::Part(_)) && thing.is_visible(scene))
    }

    /// Whether the full gizmo is shown: on the last one selected.
    pub(super) fn has_gizmo(&self, thing: Thing) -> bool {
        self.selection.last() == Some(thing)
    }

    /// Everything under the cursor as it is meant: handles, junctions, then cables and parts, nearest first.
    pub(super) fn things_under(&self, document: &Document, cursor: &Pixel) -> Vec<(Thing, Vec3)> {
        let scene = document.scene();
        let mut balls: Vec<(Thing, Vec3, f64)> = (grabbable(scene).into_iter())
            .filter_map(|thing| {
                let at = self.pose_of(document, thing)?.position;
                let off = (self.project(&at)? - cursor).norm();
                (off <= gizmo::DISC + 2.0).then_some((thing, at, off))
            })
            .collect();
        balls.sort_by(|a, b| a.2.total_cmp(&b.2));
        let ray = self.camera.ray(cursor, self.viewport);
        let mut hits = self.content.hits(scene, &ray, self.cable_reach(&ray));
        hits.sort_by(|a, b| a.1.total_cmp(&b.1));
        let on_ray = |along: f64| ray.origin + ray.direction * along;
        let balls = balls.into_iter().map(|(thing, at, _)| (thing, at));
        balls
            .chain(
                hits.into_iter()
                    .map(|(thing, along)| (thing, on_ray(along))),
            )
            .collect()
    }

    /// How far beside it a cable is still meant, mm at the depth of the view's focus.
    fn cable_reach(&self, _ray: &Ray) -> f64 {
        CABLE_REACH * self.camera.mm_per_point(&self.camera.focus, self.viewport)
    }

    /// Handles, junctions, cables and parts that lie in a box on the screen with all that can be seen of them.
    pub(super) fn things_within(&self, document: &Document, a: &Pixel, b: &Pixel) -> Vec<Thing> {
        let (low, high) = (a.inf(b), a.sup(b));
        let inside = |p: &Vec3| {
            let pixel = self.project(p);
            pixel.is_some_and(|p| p >= low && p <= high)
        };
        let scene = document.scene();
        let mut things: Vec<Thing> = (scene.parts.iter().enumerate())
            .filter(|(_, p)| p.visible && p.mesh().vertices().iter().all(inside))
            .map(|(k, _)| Thing::Part(k))
            .collect();
        let cables = scene.cables.iter().enumerate().filter(|(_, c)| c.visible);
        things.extend(cables.filter_map(|(k, _)| {
            let points = self.content.points(k);
            (!points.is_empty() && points.iter().all(inside)).then_some(Thing::Cable(k))
        }));
        things.extend(grabbable(scene).into_iter().filter(|thing| {
            (self.pose_of(document, *thing)).is_some_and(|pose| inside(&pose.position))
        }));
        things
    }

    /// The hole, axis or surface that a cursor means.
    pub fn snap_at(&self, document: &Document, cursor: &Pixel) -> Option<Snap> {
        let aim = SnapQuery {
            camera: &self.camera,
            viewport: self.viewport,
            cursor: *cursor,
            axes: self.snapping.axes,
        };
        self.content.snap(document.scene(), &aim)
    }

    /// The place that a click means.
    pub(super) fn pick_at(
        &self,
        document: &Document,
        cursor: &Pixel,
        modifiers: Modifiers,
    ) -> Option<Pick> {
        if let Some(snap) = self
            .snap_at(document, cursor)
            .filter(|_| self.snapping.picks)
            && snap.kind != SnapKind::Surface
        {
            return Some(Pick {
                thing: Thing::Part(snap.part),
                point: snap.point,
                normal: Some(snap.direction),
                arc_length: None,
                adds: modifiers.command,
            });
        }
        let under = self.things_under(document, cursor);
        let (thing, point) = *under.get(self.cycle % under.len().max(1))?;
        let ray = self.camera.ray(cursor, self.viewport);
        let mut pick = Pick {
            thing,
            point,
            normal: None,
            arc_length: None,
            adds: modifiers.command,
        };
        match thing {
            Thing::Cable(k) => {
                let cable = document.scene().cables.get(k)?;
                let reach = cable.thickest() + self.cable_reach(&ray);
                let hit = super::pick::hit_cable(&ray, self.content.points(k), reach)?;
                let lengths = cable.edge_lengths();
                let before: f64 = lengths[..hit.edge].iter().sum();
                pick.arc_length = Some(before + hit.share * lengths[hit.edge]);
                let ends = &self.content.points(k)[hit.edge..];
                pick.point = ends[0] + (ends[1] - ends[0]) * hit.share;
            }
            Thing::Part(k) => {
                let part = document.scene().parts.get(k)?;
                pick.normal = self.content.normal(part.mesh(), &ray);
            }
            Thing::Handle(_) | Thing::Junction(_) | Thing::Harness(_) => {}
        }
        Some(pick)
    }

    /// The place that a tool would take now: under a cursor that does nothing else.
    pub fn pick(&self, document: &Document) -> Option<Pick> {
        let idle = self.drag.is_none() && self.navigation.is_none() && !self.under.is_empty();
        let cursor = self.cursor.filter(|_| idle)?;
        self.pick_at(document, &cursor, Modifiers::NONE)
    }

    /// The pose whose directions the arrows and rings of a gizmo have.
    pub(super) fn frame(&self, pose: &Pose) -> Pose {
        Pose {
            rotation: if self.own_axes {
                pose.rotation
            } else {
                Rotation::identity()
            },
            ..*pose
        }
    }
}

/// Visible handles and junctions; a handle of a junction is moved by the junction.
pub fn grabbable(scene: &Scene) -> Vec<Thing> {
    let junctions = (0..scene.junctions.len()).map(Thing::Junction);
    let handles = handles(scene).into_iter();
    let free = handles.filter(|id| !in_junction(scene, *id));
    junctions
        .chain(free.map(Thing::Handle))
        .filter(|thing| thing.is_visible(scene))
        .collect()
}

fn in_junction(scene: &Scene, id: HandleId) -> bool {
    let cable = &scene.cables[id.cable];
    let handle = &cable.handles[id.handle].name;
    let mut ends = scene.junctions.iter().flat_map(|j| &j.ends);
    ends.any(|end| end.cable == cable.name && end.handle == *handle)
}

/// The point at an arc length of the unstretched cable.
pub fn point_at(cable: &Cable, points: &[Vec3], arc_length: f64) -> Option<Vec3> {
    let mut left = arc_length;
    for (length, ends) in cable.edge_lengths().iter().zip(points.windows(2)) {
        if left <= *length {
            return Some(ends[0] + (ends[1] - ends[0]) * (left / length));
        }
        left -= length;
    }
    points.last().copied()
}
