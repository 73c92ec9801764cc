//! The 3D view: camera, picking and gizmos as plain functions in f64, drawing by three-d, and the panel that joins them.

mod buffers;
pub mod camera;
mod content;
mod draw;
pub mod gizmo;
pub mod hover;
mod input;
mod model;
mod models;
mod navigate;
mod overlay;
mod pick;
mod picture;
mod shaders;
pub mod standard_view;
pub mod tube;

use std::sync::{Arc, Mutex};

use egui::{Role, Sense, WidgetInfo};

use camera::{Camera, Pixel, Viewport};
use draw::Renderer;
use gizmo::Grip;
use hover::Thing;
use navigate::Navigation;
use overlay::{GizmoLook, Overlay};
use picture::Look;
use standard_view::StandardView;

use super::action::{Action, HandleId};
use super::document::Document;
use super::theme;
use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::{HandlePlace, Scene};

/// The name of the view for screen readers and tests.
pub const VIEW_LABEL: &str = "3D view";
/// How long nothing must move before the picture is drawn at its best, seconds.
const STILL_AFTER: f64 = 0.25;
/// A handle this far from its target on the screen, in points, shows where the target is.
const GHOST_FROM: f64 = 4.0;

/// The view and what the mouse does in it.
pub struct View {
    /// Where it is seen from.
    pub camera: Camera,
    /// The handle with the full gizmo.
    pub selected: Option<HandleId>,
    /// Parts let the cables behind them shine through.
    pub see_through: bool,
    /// Arrows and rings lie along the handle's own directions, not along X, Y and Z.
    pub own_axes: bool,
    content: content::Content,
    renderer: Option<Arc<Mutex<Renderer>>>,
    viewport: Viewport,
    hovered: Option<(HandleId, Grip)>,
    /// What is under the cursor when no grip is.
    lit: Option<Thing>,
    drag: Option<Drag>,
    navigation: Option<Navigation>,
    cursor: Option<Pixel>,
    fit_pending: bool,
    last_seen: (Camera, u64),
    last_change: f64,
}

/// A handle in the user's hand.
#[derive(Clone, Copy, Debug)]
struct Drag {
    handle: HandleId,
    grip: Grip,
    /// Where the handle is asked to be.
    target: Pose,
    /// Directions of the arrows and rings.
    frame: Rotation,
    /// Where the button went down.
    pressed_at: Pixel,
    /// The cursor left that place: it is a drag, not a click.
    moved: bool,
    /// The target moved since it was last told.
    news: bool,
}

impl View {
    /// A view that shows nothing yet. Without a GL context it works but draws no 3D picture.
    pub fn new(gl: Option<Arc<eframe::glow::Context>>) -> Result<Self, String> {
        let renderer = gl.map(Renderer::new).transpose();
        let renderer = renderer.map_err(|e| format!("The graphics driver is too old: {e}"))?;
        Ok(Self {
            camera: Camera::default(),
            selected: None,
            see_through: false,
            own_axes: false,
            content: content::Content::default(),
            renderer: renderer.map(|r| Arc::new(Mutex::new(r))),
            viewport: Viewport {
                width: 800.0,
                height: 600.0,
            },
            hovered: None,
            lit: None,
            drag: None,
            navigation: None,
            cursor: None,
            fit_pending: true,
            last_seen: (Camera::default(), 0),
            last_change: 0.0,
        })
    }

    /// Takes over a scene: parts and shapes.
    pub fn show(&mut self, scene: &Scene, ctx: &egui::Context) {
        self.content.show(scene, ctx);
        self.selected = self
            .selected
            .filter(|id| (scene.cables.get(id.cable)).is_some_and(|c| c.handles.len() > id.handle));
    }

    /// Takes over solved shapes.
    pub fn show_shapes(&mut self, scene: &Scene) {
        self.content.show_shapes(scene);
    }

    /// Shows a solve on its way.
    pub fn show_iterates(&mut self, scene: &Scene, iterates: Vec<(usize, Vec<Vec3>)>) {
        if !iterates.is_empty() {
            self.content.show_iterates(scene, iterates);
        }
    }

    /// Shows the whole scene at the next redraw.
    pub fn fit(&mut self) {
        self.fit_pending = true;
    }

    /// Looks from a standard direction at the whole scene.
    pub fn look_from(&mut self, view: StandardView) {
        self.camera.look_from(view);
        self.fit_pending = true;
    }

    /// Looks from the direction `back`, which is not vertical, at the whole scene.
    pub fn look_along(&mut self, back: &Vec3) {
        self.camera.look_along(back);
        self.fit_pending = true;
    }

    /// What is under the cursor; nothing while a handle is dragged or the view turns.
    pub fn under_the_cursor(&self) -> Option<Thing> {
        self.hovered.map(|(id, _)| Thing::Handle(id)).or(self.lit)
    }

    /// Whether a handle is being dragged.
    pub fn is_dragging(&self) -> bool {
        self.drag.is_some_and(|d| d.moved)
    }

    /// Lets go of the handle in hand without a word: the gesture was ended elsewhere.
    pub fn drop_drag(&mut self) {
        self.drag = None;
    }

    /// Where a handle is shown: its clamp, moved along with an iterate on its way.
    pub fn shown_pose(&self, document: &Document, id: HandleId) -> Option<Pose> {
        let mut pose = document.handle_pose(id.cable, id.handle)?;
        let points = self.content.points(id.cable);
        let handle = document
            .scene()
            .cables
            .get(id.cable)?
            .handles
            .get(id.handle)?;
        let end = match handle.place {
            HandlePlace::Start => points.first(),
            HandlePlace::End => points.last(),
            HandlePlace::At(_) => None,
        };
        pose.position = end.copied().unwrap_or(pose.position);
        Some(pose)
    }

    /// The place of a point in the view, in points from its top left corner.
    pub fn project(&self, point: &Vec3) -> Option<Pixel> {
        self.camera.project(point, self.viewport)
    }

    /// What the mouse can do now, in words.
    pub fn hint(&self) -> &'static str {
        match (self.drag.filter(|d| d.moved), self.hovered) {
            (Some(_), _) => {
                "Release to place   |   Esc cancels   |   wheel zooms, middle button orbits meanwhile"
            }
            (None, Some((_, Grip::Disc | Grip::View))) => {
                "Drag moves in the view plane   |   Shift+drag turns about the view axis   |   click shows arrows and rings"
            }
            (None, Some((_, Grip::Arrow(_)))) => {
                "Drag moves along the arrow   |   G switches between X, Y, Z and the handle's own directions"
            }
            (None, Some((_, Grip::Ring(_)))) => {
                "Drag turns about the ring's axis   |   G switches between X, Y, Z and the handle's own directions"
            }
            (None, None) => {
                "Drag a handle   |   middle or left drag orbits   |   right drag pans   |   wheel zooms   |   F fits   |   1-7 views   |   T sees through parts"
            }
        }
    }

    /// Takes parts that have become ready to be drawn; says how many are not yet.
    pub fn poll(&mut self) -> usize {
        self.content.poll();
        self.content.n_pending()
    }

    /// The panel: handles the mouse, then paints. `notice` is shown while the scene is empty.
    pub fn ui(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        notice: &str,
        actions: &mut Vec<Action>,
    ) {
        let size = ui.available_size().max(egui::Vec2::splat(1.0));
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, VIEW_LABEL));
        self.viewport = Viewport {
            width: f64::from(rect.width()),
            height: f64::from(rect.height()),
        };
        if std::mem::take(&mut self.fit_pending) {
            let aabb = self.content.aabb(document.scene());
            self.camera.fit(&aabb, self.viewport);
        }
        self.handle_input(ui, &response, document, actions);
        self.paint_scene(ui, rect, document);
        let overlay = Overlay {
            painter: ui.painter_at(rect),
            rect,
            camera: &self.camera,
            viewport: self.viewport,
            palette: theme::palette(ui.ctx()),
        };
        self.paint_overlay(&overlay, document);
        let scene = document.scene();
        if scene.parts.is_empty() && scene.cables.is_empty() {
            overlay.notice(notice);
        }
    }

    fn paint_scene(&mut self, ui: &egui::Ui, rect: egui::Rect, document: &Document) {
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
            see_through: self.see_through,
            lit: self.lit,
            palette: theme::palette(ui.ctx()),
        };
        let picture = (self.content).picture(document.scene(), &self.camera, self.viewport, look);
        ui.painter().add(egui::PaintCallback {
            rect,
            callback: Arc::new(draw::callback(renderer, picture)),
        });
    }

    fn paint_overlay(&self, overlay: &Overlay<'_>, document: &Document) {
        overlay.triad();
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
        for id in handles(scene) {
            let Some(shown) = self.shown_pose(document, id) else {
                continue;
            };
            if let Some(target) = target(scene, id) {
                let apart = self.project(&shown.position).zip(self.project(&target));
                if apart.is_some_and(|(a, b)| (a - b).norm() > GHOST_FROM) {
                    overlay.ghost(&shown.position, &target);
                }
            }
            let in_hand = self.drag.map(|d| (d.handle, d.grip));
            let active = in_hand.or(self.hovered).filter(|(h, _)| *h == id);
            let in_hand = self.drag.is_some_and(|d| d.moved && d.handle == id);
            if in_hand && let Some(foot) = self.below(scene, &shown.position) {
                overlay.plumb(&shown.position, &foot);
            }
            overlay.gizmo(
                &shown,
                &self.frame(&shown),
                GizmoLook {
                    color: theme::cable(id.cable),
                    selected: self.selected == Some(id),
                    active: active.map(|(_, grip)| grip),
                    in_hand,
                    hidden: self.is_hidden(scene, &shown.position, scene.cables[id.cable].radius),
                },
            );
        }
    }

    /// The pose whose directions the arrows and rings of a handle have.
    fn frame(&self, pose: &Pose) -> Pose {
        let own = self.own_axes;
        Pose {
            rotation: if own {
                pose.rotation
            } else {
                Rotation::identity()
            },
            ..*pose
        }
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
}

/// Where a handle is asked to be.
fn target(scene: &Scene, id: HandleId) -> Option<Vec3> {
    let cable = scene.cables.get(id.cable)?;
    Some(cable.handles.get(id.handle)?.pose.position)
}

/// All handles of the scene.
pub fn handles(scene: &Scene) -> Vec<HandleId> {
    (scene.cables.iter().enumerate())
        .flat_map(|(cable, c)| (0..c.handles.len()).map(move |handle| HandleId { cable, handle }))
        .collect()
}
