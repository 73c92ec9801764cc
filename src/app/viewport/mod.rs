//! The 3D view: camera, picking and gizmos as plain functions in f64, drawing by three-d, and the panel that joins them.

mod buffers;
pub mod camera;
mod content;
mod draw;
pub mod gizmo;
mod input;
mod model;
mod models;
mod navigate;
mod overlay;
mod pick;
mod shaders;
pub mod standard_view;
pub mod tube;

use std::sync::{Arc, Mutex};

use egui::{Role, Sense, WidgetInfo};

use camera::{Camera, Pixel, Viewport};
use draw::Renderer;
use gizmo::Grip;
use navigate::Navigation;
use overlay::{GizmoLook, Overlay};
use standard_view::StandardView;

use super::action::{Action, HandleId};
use super::document::{Document, index};
use super::theme;
use crate::geom::{Pose, Vec3};
use crate::scene::Scene;

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
    content: content::Content,
    renderer: Option<Arc<Mutex<Renderer>>>,
    viewport: Viewport,
    hovered: Option<(HandleId, Grip)>,
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
            content: content::Content::default(),
            renderer: renderer.map(|r| Arc::new(Mutex::new(r))),
            viewport: Viewport {
                width: 800.0,
                height: 600.0,
            },
            hovered: None,
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
        self.selected = self.selected.filter(|id| {
            (scene.cables.get(id.cable)).is_some_and(|c| c.handle(id.place).is_some())
        });
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
        let mut pose = document.handle_pose(id.cable, id.place)?;
        let points = self.content.points(id.cable);
        let end = if index(id.place) == 0 {
            points.first()
        } else {
            points.last()
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
            (None, Some((_, Grip::Arrow(_)))) => "Drag moves along the arrow",
            (None, Some((_, Grip::Ring(_)))) => "Drag turns about the ring's axis",
            (None, None) => {
                "Drag a handle   |   middle or left drag orbits   |   right drag pans   |   wheel zooms   |   F fits   |   1-7 views"
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
        let picture = (self.content).picture(document.scene(), &self.camera, self.viewport, moving);
        ui.painter().add(egui::PaintCallback {
            rect,
            callback: Arc::new(draw::callback(renderer, picture)),
        });
    }

    fn paint_overlay(&self, overlay: &Overlay<'_>, document: &Document) {
        overlay.triad();
        for contact in document.reports().iter().flat_map(|r| &r.report.contacts) {
            overlay.contact(&contact.position);
        }
        if let Some(navigation) = &self.navigation
            && navigation.motion == navigate::Motion::Orbit
        {
            overlay.pivot(&navigation.anchor);
        }
        for id in handles(document.scene()) {
            let Some(shown) = self.shown_pose(document, id) else {
                continue;
            };
            if let Some(target) = target(document.scene(), id) {
                let apart = self.project(&shown.position).zip(self.project(&target));
                if apart.is_some_and(|(a, b)| (a - b).norm() > GHOST_FROM) {
                    overlay.ghost(&shown.position, &target);
                }
            }
            let in_hand = self.drag.map(|d| (d.handle, d.grip));
            let active = in_hand.or(self.hovered).filter(|(h, _)| *h == id);
            overlay.gizmo(
                &shown,
                GizmoLook {
                    color: theme::cable(id.cable),
                    selected: self.selected == Some(id),
                    active: active.map(|(_, grip)| grip),
                    in_hand: self.drag.is_some_and(|d| d.moved && d.handle == id),
                },
            );
        }
    }
}

/// Where a handle is asked to be.
fn target(scene: &Scene, id: HandleId) -> Option<Vec3> {
    let cable = scene.cables.get(id.cable)?;
    Some(cable.handle(id.place)?.pose.position)
}

/// All handles of the scene.
pub fn handles(scene: &Scene) -> Vec<HandleId> {
    (scene.cables.iter().enumerate())
        .flat_map(|(cable, c)| {
            let places = c.handles.iter().map(|h| h.place);
            places.map(move |place| HandleId { cable, place })
        })
        .collect()
}
