//! What the view paints: the 3D picture, and gizmos and marks over it.

use std::sync::Arc;

use super::content::Marks;
use super::heat::Heat;
use super::overlay::{Ball, GizmoLook, Overlay};
use super::picture::Look;
use super::{Tool, View, camera, draw, farthest, gizmo, navigate, picking, tube};
use crate::app::choices::Coloring;
use crate::app::document::Document;
use crate::app::selection::{HandleId, Thing};
use crate::app::theme;
use crate::geom::Vec3;
use crate::scene::Scene;

/// How long nothing must move before the picture is drawn at its best, seconds.
const STILL_AFTER: f64 = 0.25;
/// A handle this far from its target on the screen, in points, shows where the target is.
const GHOST_FROM: f64 = 4.0;
/// Radius of the ball of a handle that is far away, points.
const SMALLEST_BALL: f64 = 5.0;

impl View {
    pub(super) fn paint_scene(&mut self, ui: &egui::Ui, rect: egui::Rect, document: &Document) {
        let Some(renderer) = &self.renderer else {
            return;
        };
        let now = ui.input(|i| i.time);
        let seen = (self.camera, self.content.revision());
        if seen != self.last_seen {
            self.last_seen = seen;
            self.last_change = now;
        }
        let still_in = self.last_change + STILL_AFTER - now;
        let moving = still_in > 0.0;
        if moving {
            let wait = std::time::Duration::from_secs_f64(still_in);
            ui.ctx().request_repaint_after(wait);
        }
        let look = Look {
            moving,
            carrying: self.is_carrying(),
            see_through: self.see_through,
            lit: self.lit,
            section: self.content.section,
            palette: theme::palette(ui.ctx()),
        };
        let picture = (self.content).picture(
            document.scene(),
            (&self.camera, self.viewport),
            look,
            &Marks {
                selection: &self.selection,
                heat: self.heat.as_ref().map(|(_, heat)| heat),
            },
        );
        ui.painter().add(egui::PaintCallback {
            rect,
            callback: Arc::new(draw::callback(renderer, picture)),
        });
    }

    /// The colours along the cables follow what is shown.
    pub(super) fn warm_up(&mut self, document: &Document) {
        // Forces are known of the document, not of what is played.
        let coloring = if self.watching {
            Coloring::Own
        } else {
            self.coloring
        };
        let key = (self.content.revision(), coloring);
        if self.heat.as_ref().is_none_or(|(made, _)| *made != key) {
            let heat = Heat::of(coloring, document, &self.content);
            self.heat = heat.map(|heat| (key, heat));
        }
    }

    pub(super) fn paint_overlay(
        &self,
        overlay: &Overlay<'_>,
        document: &Document,
        tool: &dyn Tool,
    ) {
        if self.has_room() {
            overlay.triad();
        }
        if let Some(heat) = self.heat() {
            overlay.legend(heat);
        }
        if self.watching {
            // Contacts, fixings and labels are those of the document.
            return;
        }
        let scene = document.scene();
        for contact in document.reports().iter().flat_map(|r| &r.report.contacts) {
            let hidden = self.is_hidden(scene, &contact.position, contact.gap.max(0.0));
            overlay.contact(&contact.position, hidden);
        }
        if let Some(navigation) = &self.navigation
            && navigation.motion == navigate::Motion::Orbit
        {
            overlay.pivot(&navigation.anchor);
        }
        let mut things = picking::grabbable(scene);
        if tool.is_select() {
            things.extend(self.part_with_gizmo(scene));
        }
        self.paint_ghosts(overlay, scene);
        self.paint_section(overlay, scene);
        for thing in things {
            self.paint_gizmo(overlay, document, thing);
        }
        self.paint_labels(overlay, document);
        if let Some(snap) = self.drag.as_ref().and_then(|d| d.snap.as_ref()) {
            overlay.snapped(snap, &snap.words(scene));
        }
        if let (Some(select), Some(cursor)) = (&self.box_select, &self.cursor) {
            overlay.select_box(&select.from, cursor);
        }
    }

    fn paint_gizmo(&self, overlay: &Overlay<'_>, document: &Document, thing: Thing) {
        let scene = document.scene();
        let Some(shown) = self.pose_of(document, thing) else {
            return;
        };
        let drag = self.drag.as_ref().filter(|d| d.thing == thing);
        let in_hand = drag.is_some_and(|d| d.moved);
        let led = drag.filter(|d| d.moved).map(|d| d.target.position);
        if let Some(target) = target(scene, thing).or(led) {
            let apart = self.project(&shown.position).zip(self.project(&target));
            if apart.is_some_and(|(a, b)| (a - b).norm() > GHOST_FROM) {
                overlay.ghost(&shown.position, &target);
            }
        }
        let active = match drag {
            Some(drag) => Some(drag.grip),
            None if self.drag.is_some() => None,
            None => self.hovered.filter(|(t, _)| *t == thing).map(|(_, g)| g),
        };
        if in_hand && let Some(foot) = self.below(scene, &shown.position) {
            overlay.plumb(&shown.position, &foot);
        }
        let (color, radius, ball) = match thing {
            Thing::Handle(id) => {
                let cable = &scene.cables[id.cable];
                (
                    theme::cable_color(scene, id.cable),
                    cable.radius_at(cable.arc_length(&cable.handles[id.handle])),
                    Ball::Handle(cable.handles[id.handle].kind),
                )
            }
            Thing::Junction(_) => (theme::JUNCTION, 10.0, Ball::Junction),
            Thing::Part(_) | Thing::Cable(_) | Thing::Harness(_) => {
                (theme::HOT, f64::INFINITY, Ball::Part)
            }
        };
        let near = 2.6 * radius / self.mm_per_point(&shown.position);
        let full = in_hand || active.is_some() || self.selection.contains(thing);
        let size = if full {
            gizmo::DISC
        } else {
            near.clamp(SMALLEST_BALL, gizmo::DISC)
        };
        let look = GizmoLook {
            size: size as f32,
            color,
            ball,
            selected: self.has_gizmo(thing),
            marked: self.selection.contains(thing),
            active,
            in_hand,
            hidden: self.is_hidden(scene, &shown.position, radius),
        };
        overlay.gizmo(&shown, &self.frame(&shown), look);
    }

    /// Whether a part covers a point by more than `depth`.
    fn is_hidden(&self, scene: &Scene, point: &Vec3, depth: f64) -> bool {
        let Some(pixel) = self.project(point).filter(|_| !self.see_through) else {
            return false;
        };
        let ray = self.camera.ray(&pixel, self.viewport);
        // A point on a surface is seen, as exactly as the picture shows it.
        let depth = depth + self.camera.mm_per_point(point, self.viewport);
        let reach = (point - ray.origin).dot(&ray.direction) - depth;
        let hit = self.content.hit_part(scene, &ray);
        hit.is_some_and(|(_, along)| along < reach)
    }

    /// The part or the ground straight below a point.
    fn below(&self, scene: &Scene, point: &Vec3) -> Option<Vec3> {
        let down = camera::Ray {
            origin: *point,
            direction: -Vec3::z(),
        };
        let part = self
            .content
            .hit_part(scene, &down)
            .map(|(_, along)| point.z - along);
        let z = part.or(self.content.ground().filter(|z| *z < point.z))?;
        Some(Vec3::new(point.x, point.y, z))
    }

    /// The routes that the selected cables had when they came, where they are elsewhere now.
    fn paint_ghosts(&self, overlay: &Overlay<'_>, scene: &Scene) {
        let cables = scene.cables.iter().enumerate().filter(|(k, c)| {
            let handles = (0..c.handles.len()).map(|handle| HandleId { cable: *k, handle });
            let mut own = handles.map(Thing::Handle).chain([Thing::Cable(*k)]);
            c.visible && own.any(|thing| self.selection.contains(thing))
        });
        for (k, cable) in cables {
            let Some(first) = self.content.first_route(&cable.name) else {
                continue;
            };
            if farthest(first, self.content.points(k)) > 0.5 {
                let ink = overlay.palette.ink.gamma_multiply(0.45);
                overlay.dashed(&tube::smooth(first), egui::Stroke::new(1.3, ink));
            }
        }
    }
}

/// The target of something.
fn target(scene: &Scene, thing: Thing) -> Option<Vec3> {
    match thing {
        Thing::Handle(id) => {
            let cable = scene.cables.get(id.cable)?;
            Some(cable.handles.get(id.handle)?.pose.position)
        }
        Thing::Junction(k) => Some(scene.junctions.get(k)?.pose.position),
        Thing::Cable(_) | Thing::Part(_) | Thing::Harness(_) => None,
    }
}
