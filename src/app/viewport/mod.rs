//! The 3D view: camera, picking and gizmos as plain functions in f64, drawing by three-d, and the panel that joins them.

mod buffers;
pub mod camera;
mod cap;
mod coarse;
mod content;
mod cube;
mod dragging;
mod draw;
pub mod gizmo;
pub mod heat;
mod held;
mod input;
mod labels;
pub mod measurements;
mod model;
mod models;
pub mod navigate;
pub mod offscreen;
mod overlay;
mod paint;
mod pick;
pub mod picking;
mod picture;
mod plane;
pub mod pulling;
pub mod section;
mod shaders;
pub mod snap;
mod tool;
pub mod tube;

use std::sync::{Arc, Mutex};

use egui::{Role, Sense, WidgetInfo};

use camera::{Camera, Pixel, Viewport};
use draw::Renderer;
use gizmo::Grip;
use heat::Heat;
use navigate::{Held, Navigation};
pub use overlay::Overlay;
pub use tool::Tool;

use super::action::Action;
use super::choices::{Coloring, CutPlane, Preset, Section, StandardView};
use super::document::Document;
use super::selection::{HandleId, Selection, Thing};
use super::theme;
use crate::geom::{Aabb, Pose, Rotation, Vec3};
use crate::scene::Scene;
use crate::scene::study::{Envelope, Sample};

/// The name of the view for screen readers and tests.
pub const VIEW_LABEL: &str = "3D view";
/// The view and what the mouse does in it.
#[expect(
    clippy::struct_excessive_bools,
    reason = "switches that do not exclude each other"
)]
pub struct View {
    /// Where it is seen from.
    pub camera: Camera,
    /// What is selected.
    pub selection: Selection,
    /// Whose mouse it has.
    pub preset: Preset,
    /// Parts are see-through where cables are behind them.
    pub see_through: bool,
    /// Arrows and rings lie along the handle's own directions, not along X, Y and Z.
    pub own_axes: bool,
    /// What cables are coloured by.
    pub coloring: Coloring,
    /// What is dragged freely snaps to surfaces, holes and axes; Ctrl turns it round.
    pub snap: bool,
    /// Labels stay on selected cables.
    pub pin_labels: bool,
    /// A place along a cable that is pointed at elsewhere: its number and arc length, mm.
    pub mark: Option<(usize, f64)>,
    /// Cables pass through parts for now.
    pub ghost: bool,
    /// A recorded state is shown instead of the document: it is looked at, not edited.
    watching: bool,
    content: content::Content,
    renderer: Option<Arc<Mutex<Renderer>>>,
    viewport: Viewport,
    rect: egui::Rect,
    hovered: Option<(Thing, Grip)>,
    /// What is under the cursor, as it is meant: Tab goes through it.
    under: Vec<(Thing, Vec3)>,
    cycle: usize,
    cycled_at: Option<Pixel>,
    lit: Option<Thing>,
    drag: Option<Drag>,
    pull: Option<pulling::Pull>,
    press: Option<Press>,
    box_select: Option<BoxSelect>,
    /// The colours along the cables, and what they were made from.
    heat: Option<((u64, Coloring), Heat)>,
    snapping: Snapping,
    /// Whether snapping was wanted at the last redraw, and the time of the last one that found it wanted or just
    /// released, seconds.
    snap_wanted: bool,
    snapped_at: f64,
    held: Held,
    navigation: Option<Navigation>,
    /// The plane of the section whose arrow the cursor is on.
    on_plane: Option<usize>,
    /// The section before one of its planes was taken in hand, and which.
    section_before: Option<(Section, usize)>,
    cursor: Option<Pixel>,
    fit_pending: Option<Fit>,
    /// The view turns to a face of the cube.
    turning: Option<cube::Turning>,
    /// The face of the cube that the left button went down on.
    cube_press: Option<StandardView>,
    last_seen: (Camera, u64),
    last_change: f64,
}

/// What is to be fitted into the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fit {
    All,
    Selection,
}

/// The left button is down on nothing that can be dragged: a click, as long as it does not move.
#[derive(Clone, Copy, Debug)]
struct Press {
    at: Pixel,
    modifiers: egui::Modifiers,
    /// What was under it then.
    thing: Option<Thing>,
    /// A selected cable may be grabbed.
    may_grab: bool,
    /// A cable is pulled longer or shorter.
    pulls: bool,
}

/// A box is being drawn to select what is in it.
#[derive(Clone, Copy, Debug)]
struct BoxSelect {
    from: Pixel,
    adds: bool,
}

/// Whether things snap now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Snapping {
    /// What is dragged snaps.
    drags: bool,
    /// To the axes of cylinders, not to their surfaces.
    axes: bool,
    /// The tool in use snaps where it picks.
    picks: bool,
}

/// Something in the user's hand.
#[derive(Clone, Debug)]
struct Drag {
    thing: Thing,
    grip: Grip,
    /// Where it was.
    start: Pose,
    /// Its target.
    target: Pose,
    /// Where the mouse alone leads it.
    free: Pose,
    /// What it has snapped to.
    snap: Option<snap::Snap>,
    /// It was turned by snapping once.
    turned: bool,
    /// What is selected with it and goes along, and where it was.
    others: Vec<(Thing, Pose)>,
    /// Where the parts in hand were placed, once it is a drag.
    placed: Vec<(Thing, Pose)>,
    /// Directions of the arrows and rings.
    frame: Rotation,
    /// Where the button went down.
    pressed_at: Pixel,
    /// The cursor left that place: it is a drag, not a click.
    moved: bool,
    /// The target moved since it was last told.
    news: bool,
    /// It is a cable that was grabbed anywhere.
    grabbed: Option<Grabbed>,
}

/// A cable in hand: its handle is soft, and goes when it is let go.
#[derive(Clone, Copy, Debug)]
struct Grabbed {
    arc_length: f64,
    /// The handle stays after all.
    kept: bool,
}

impl View {
    /// A view that shows nothing yet. Without a GL context it works but draws no 3D picture.
    pub fn new(gl: Option<Arc<eframe::glow::Context>>) -> Result<Self, String> {
        let renderer = gl.map(Renderer::new).transpose();
        let renderer = renderer.map_err(|e| format!("The graphics driver is too old: {e}"))?;
        Ok(Self {
            camera: Camera::default(),
            selection: Selection::default(),
            preset: Preset::default(),
            see_through: false,
            own_axes: false,
            coloring: Coloring::default(),
            heat: None,
            snap: false,
            pin_labels: false,
            mark: None,
            ghost: false,
            watching: false,
            snapping: Snapping::default(),
            snap_wanted: false,
            snapped_at: f64::NEG_INFINITY,
            content: content::Content::default(),
            renderer: renderer.map(|r| Arc::new(Mutex::new(r))),
            viewport: Viewport {
                width: 800.0,
                height: 600.0,
            },
            rect: egui::Rect::NOTHING,
            hovered: None,
            under: Vec::new(),
            cycle: 0,
            cycled_at: None,
            lit: None,
            drag: None,
            pull: None,
            press: None,
            box_select: None,
            held: Held::default(),
            navigation: None,
            on_plane: None,
            section_before: None,
            cursor: None,
            fit_pending: Some(Fit::All),
            turning: None,
            cube_press: None,
            last_seen: (Camera::default(), 0),
            last_change: 0.0,
        })
    }

    /// Takes over a scene: parts and shapes.
    pub fn show(&mut self, scene: &Scene, ctx: &egui::Context) {
        self.content.show(scene, ctx);
    }

    /// Another document.
    pub fn forget_routes(&mut self) {
        self.content.forget_routes();
    }

    /// The document has changed from one scene to another: what is kept by name follows.
    pub fn follow(&mut self, before: &Scene, now: &Scene) {
        self.selection.follow(before, now);
        self.content.follow_names(before, now);
    }

    /// The solver rests, or does not run: new cables lie where they came.
    pub fn keep_routes(&mut self, scene: &Scene) {
        self.content.keep_routes(scene);
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

    /// Shows a recorded state instead of the document.
    pub fn show_state(&mut self, scene: &Scene, state: &Sample, ctx: &egui::Context) {
        if !std::mem::replace(&mut self.watching, true) {
            self.drag = None;
            self.content.put_down();
            // Whatever a hand or the solver has moved: recorded places count from where the document has the parts.
            self.content.show(scene, ctx);
        }
        self.content.show_state(scene, state);
    }

    /// The document is to be shown again.
    pub fn leave_state(&mut self) {
        self.watching = false;
        self.content.put_down();
    }

    /// Whether a recorded state is shown.
    pub fn is_watching(&self) -> bool {
        self.watching
    }

    /// Where a part is as it is shown.
    pub fn shown_placement(&self, scene: &Scene, part: usize) -> Option<Pose> {
        let own = scene.parts.get(part).map(|p| *p.placement());
        self.content.placement(part).or(own)
    }

    /// The nodes of a cable as they are shown.
    pub fn shown_points(&self, cable: usize) -> &[Vec3] {
        self.content.points(cable)
    }

    /// Grows with every change of what is to be seen.
    pub fn revision(&self) -> u64 {
        self.content.revision()
    }

    /// Shows the room that cables sweep.
    pub fn show_swept(&mut self, envelopes: &[Envelope], ctx: &egui::Context) {
        self.content.show_swept(envelopes, ctx);
    }

    /// Shows it no longer.
    pub fn forget_swept(&mut self) {
        self.content.forget_swept();
    }

    /// Whether it is shown.
    pub fn shows_swept(&self) -> bool {
        self.content.shows_swept()
    }

    /// Shows the whole scene at the next redraw.
    pub fn fit(&mut self) {
        self.fit_pending = Some(Fit::All);
    }

    /// Shows what is selected at the next redraw; everything when nothing is.
    pub fn fit_selection(&mut self) {
        self.fit_pending = Some(Fit::Selection);
    }

    /// Looks at a point from the same direction, with so many mm from top to bottom if they are given.
    pub fn go_to(&mut self, point: &Vec3, height: Option<f64>) {
        self.camera.focus = *point;
        self.camera.height = height.unwrap_or(self.camera.height);
        self.fit_pending = None;
    }

    /// What of the parts is cut away.
    pub fn section(&self) -> Option<Section> {
        self.content.section
    }

    /// Cuts parts away beyond a plane, or shows them whole.
    pub fn set_section(&mut self, section: Option<Section>) {
        self.content.section = section;
        self.content.touch();
    }

    /// A plane through the middle of the scene that takes away what is before the eye.
    pub fn facing_section(&self, scene: &Scene) -> Section {
        Section::Plane(CutPlane::facing(&self.camera, &self.content.aabb(scene)))
    }

    /// A box around what is selected, or around everything.
    pub fn section_box(&self, scene: &Scene) -> Section {
        Section::around(&self.selected_box(scene))
    }

    /// Colours cables by what happens along them.
    pub fn color_by(&mut self, coloring: Coloring) {
        self.coloring = coloring;
        self.content.touch();
    }

    /// The colours along the cables; `None` where they have their own.
    pub fn heat(&self) -> Option<&Heat> {
        self.heat.as_ref().map(|(_, heat)| heat)
    }

    /// The selection changed: what is selected is drawn in another colour.
    pub fn selection_changed(&mut self) {
        self.content.touch();
    }

    /// Looks from a standard direction at the whole scene.
    pub fn look_from(&mut self, view: StandardView) {
        self.camera.look_from(view);
        self.fit_pending = Some(Fit::All);
    }

    /// Looks from the direction `back`, which is not vertical, at the whole scene.
    pub fn look_along(&mut self, back: &Vec3) {
        self.camera.look_along(back);
        self.fit_pending = Some(Fit::All);
    }

    /// Looks at a point from the direction `back`, which is not vertical, with so many mm from top to bottom.
    pub fn look_at(&mut self, point: &Vec3, back: &Vec3, height: f64) {
        self.camera.look_along(back);
        self.camera.focus = *point;
        self.camera.height = height;
        self.fit_pending = None;
    }

    /// What is under the cursor; nothing while a handle is dragged or the view turns.
    pub fn under_the_cursor(&self) -> Option<Thing> {
        self.hovered.map(|(thing, _)| thing).or(self.lit)
    }

    /// How many things lie one behind the other under the cursor.
    pub fn n_under_the_cursor(&self) -> usize {
        self.under.len()
    }

    /// Whether a handle is being dragged.
    pub fn is_dragging(&self) -> bool {
        self.drag.as_ref().is_some_and(|d| d.moved)
    }

    /// How the first of the parts in hand is moved by now; `None` when none is.
    pub fn carried(&self) -> Option<Pose> {
        self.content.carried()
    }

    /// Whether parts are in hand, or on their way from it.
    pub fn is_carrying(&self) -> bool {
        self.content.carried().is_some()
    }

    /// The solver has the parts at these places by now.
    pub fn carry(&mut self, poses: &[Pose]) {
        self.content.carry(poses);
    }

    /// The parts that were in hand are where the document has them.
    pub fn put_down(&mut self) {
        self.content.put_down();
    }

    /// Ends the drag without a command: something else has ended the gesture.
    pub fn drop_drag(&mut self) {
        self.drag = None;
        self.content.put_down();
    }

    /// The place of a point in the view, in points from its top left corner.
    pub fn project(&self, point: &Vec3) -> Option<Pixel> {
        self.camera.project(point, self.viewport)
    }

    /// Where the cursor is in the plane of the view through a point; `None` while it is not over the view.
    pub fn cursor_beside(&self, point: &Vec3) -> Option<Vec3> {
        let cursor = self.cursor?;
        Some((self.camera).on_view_plane(&cursor, self.viewport, point))
    }

    /// How many mm one point of the view spans at the depth of `point`.
    pub fn mm_per_point(&self, point: &Vec3) -> f64 {
        self.camera.mm_per_point(point, self.viewport)
    }

    /// The point of a part nearest to another, and how far that is; `None` until the part is ready.
    pub fn nearest_on_part(
        &self,
        document: &Document,
        part: usize,
        to: &Vec3,
    ) -> Option<(Vec3, f64)> {
        let mesh = document.scene().parts.get(part)?.mesh();
        let near = self.content.nearest(mesh, to)?;
        Some((near, (near - to).norm()))
    }

    /// What the mouse can do now, in words.
    pub fn hint(&self) -> String {
        let dragging = self.drag.as_ref().filter(|d| d.moved);
        let axes = "G switches between X, Y, Z and its own directions";
        match (dragging, self.hovered) {
            (Some(Drag { grabbed: Some(grabbed), .. }), _) => if grabbed.kept {
                "Release: the cable stays held here   |   Enter: let it go after all   |   Esc cancels".into()
            } else {
                "Release: the cable springs back   |   Enter keeps a fixing here   |   Esc cancels".into()
            },
            (Some(_), _) => {
                let snap = if self.snap { "Ctrl: do not snap" } else { "Ctrl: snap to surfaces and holes, with Shift to axes" };
                format!("Release to place   |   Esc cancels   |   {snap}   |   wheel zooms, middle button orbits meanwhile")
            }
            (None, Some((_, Grip::Disc | Grip::View))) => {
                "Drag moves in the view plane   |   Shift+drag turns about the view axis   |   click shows arrows and rings".into()
            }
            (None, Some((_, Grip::Arrow(_)))) => format!("Drag moves along the arrow   |   {axes}"),
            (None, Some((_, Grip::Ring(_)))) => format!("Drag turns about the ring's axis   |   {axes}"),
            (None, None) if self.on_plane.is_some() => "Drag moves the section plane   |   Esc cancels".into(),
            (None, None) => {
                let tab = if self.under.len() > 1 {
                    "Tab: what lies behind   |   "
                } else {
                    ""
                };
                format!("{tab}click selects, drag a fixing   |   {}   |   wheel zooms   |   F fits", self.preset.hint())
            }
        }
    }

    /// Takes parts that have become ready to be drawn; says how many are not yet.
    pub fn poll(&mut self) -> usize {
        self.content.poll();
        self.content.n_pending()
    }

    /// How many parts are not ready to be drawn yet.
    pub fn n_pending(&self) -> usize {
        self.content.n_pending()
    }

    /// The size of the view, in points, and where it is in the window.
    pub fn rect(&self) -> egui::Rect {
        self.rect
    }

    /// The panel: handles the mouse, then paints. `notice` is shown while the scene is empty.
    pub fn ui(
        &mut self,
        ui: &mut egui::Ui,
        document: &Document,
        tool: &dyn Tool,
        notice: &str,
        actions: &mut Vec<Action>,
    ) -> egui::Response {
        let size = ui.available_size().max(egui::Vec2::splat(1.0));
        let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, VIEW_LABEL));
        self.rect = rect;
        self.viewport = Viewport {
            width: f64::from(rect.width()),
            height: f64::from(rect.height()),
        };
        if let Some(fit) = self.fit_pending.take() {
            self.fit_now(document.scene(), fit);
        }
        self.go_on_turning(ui.ctx());
        self.handle_input(ui, &response, document, tool, actions);
        self.warm_up(document);
        self.paint_scene(ui, rect, document);
        let overlay = Overlay {
            painter: ui.painter_at(rect),
            rect,
            camera: &self.camera,
            viewport: self.viewport,
            palette: theme::palette(ui.ctx()),
        };
        self.paint_overlay(&overlay, document, tool);
        tool.paint(&overlay, document, self);
        let idle = response.contains_pointer() && self.drag.is_none();
        self.paint_cube(
            &overlay,
            ui.input(|i| i.pointer.hover_pos()).filter(|_| idle),
        );
        if !self.watching {
            self.held_labels(ui.ctx(), document, actions);
        }
        let scene = document.scene();
        if scene.parts.is_empty() && scene.cables.is_empty() {
            overlay.notice(notice);
        }
        response
    }

    /// How far the selected cable has moved since it came, and how much longer it is: for the status line.
    pub fn moved(&self, scene: &Scene) -> Option<String> {
        let number = self.selection.cable()?;
        let cable = scene.cables.get(number)?;
        let first = self.content.first_route(&cable.name)?;
        let moved = farthest(first, self.content.points(number));
        let longer = cable.length - cable.basis_length;
        let same = moved < 0.05 && longer.abs() < 5e-3;
        (!same).then(|| format!("moved {moved:.1} mm, L {longer:+.1} mm"))
    }

    fn fit_now(&mut self, scene: &Scene, fit: Fit) {
        let aabb = match fit {
            Fit::All => self.content.aabb(scene),
            Fit::Selection => self.selected_box(scene),
        };
        self.camera.fit(&aabb, self.viewport);
    }

    /// The box around what is selected, or around everything.
    fn selected_box(&self, scene: &Scene) -> Aabb {
        let mut aabb = Aabb::empty();
        for thing in self.selection.things() {
            aabb.merge(&thing.aabb(scene));
        }
        if aabb.is_empty() {
            aabb = self.content.aabb(scene);
        }
        aabb
    }
}

/// The largest distance between points of the same share of two routes.
fn farthest(a: &[Vec3], b: &[Vec3]) -> f64 {
    if a.len() != b.len() {
        return 0.0;
    }
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).norm());
    apart.fold(0.0, f64::max)
}

/// All handles of the scene.
pub fn handles(scene: &Scene) -> Vec<HandleId> {
    (scene.cables.iter().enumerate())
        .flat_map(|(cable, c)| (0..c.handles.len()).map(move |handle| HandleId { cable, handle }))
        .collect()
}
