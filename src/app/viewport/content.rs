//! What there is to see: shapes of the cables as they are shown now, the box around everything, the ground grid.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::camera::{Camera, Ray, Viewport};
use super::heat::Heat;
use super::model::PartModel;
use super::models::Models;
use super::pick::{self, FaceHit};
use super::picture::{DrawnPart, Look, Picture, Tube};
use super::tube::{TubeMesh, tube};
use crate::app::choices::Section;

use crate::app::selection::{Selection, Thing};
use crate::app::theme;
use crate::geom::{Aabb, Pose, Rotation, Vec3};
use crate::mesh::TriMesh;
use crate::scene::study::{Envelope, Sample};
use crate::scene::{Cable, CableStretch, Finish, Fitting, Scene, Shape, Skin};

/// The scene as the view shows it.
#[derive(Default)]
pub struct Content {
    models: Models,
    /// Node positions of each cable: the last solution, or an iterate on the way to the next.
    points: Vec<Vec<Vec3>>,
    tubes: Vec<Drawn>,
    /// The route that each cable had when it came, by name.
    first: BTreeMap<String, Vec<Vec3>>,
    grid: Arc<Vec<[Vec3; 2]>>,
    /// The box around the parts; `None` before the first scene.
    parts_box: Option<Aabb>,
    /// Parts in hand.
    lifted: Vec<Lifted>,
    /// The room that each cable sweeps, by its name.
    swept: Vec<(String, Arc<TriMesh>)>,
    /// What of the parts is cut away.
    pub section: Option<Section>,
    revision: u64,
    backdrop: u64,
}

/// What is to be told from the rest.
pub struct Marks<'a> {
    /// What is selected.
    pub selection: &'a Selection,
    /// Colours along the cables.
    pub heat: Option<&'a Heat>,
}

/// A part in hand: drawn from the mesh that it had, where the solver has it by now. A new mesh for every motion of the
/// mouse would have to be made ready each time.
pub struct Lifted {
    part: usize,
    mesh: Arc<TriMesh>,
    /// Where its gizmo was.
    middle: Pose,
    /// Where it was placed, and is by now.
    from: Pose,
    now: Pose,
}

impl Lifted {
    /// Where its gizmo is.
    pub fn pose(&self) -> Pose {
        self.moved().compose(&self.middle)
    }

    /// How it is moved by now.
    pub fn moved(&self) -> Pose {
        self.now.compose(&self.from.inverse())
    }
}

/// The surface of a cable, and what it was made from.
struct Drawn {
    points: Vec<Vec3>,
    frames: Vec<Rotation>,
    radius: f64,
    stretches: Vec<CableStretch>,
    fittings: [Fitting; 2],
    skin: Option<Arc<Skin>>,
    mesh: Arc<TubeMesh>,
}

impl Drawn {
    fn new(cable: &Cable, points: &[Vec3]) -> Self {
        let frames = cable.shape.as_ref().map_or(&[][..], |s| &s.frames);
        let skin = cable.skin.clone();
        let worn = (skin.as_ref().zip(cable.shape.as_ref()))
            .and_then(|(skin, shape)| skin_mesh(skin, shape, points));
        let mut mesh = worn.unwrap_or_else(|| tube(points, frames, &cable.edge_radii()));
        for end in 0..2 {
            let shown = [points.first(), points.last()][end];
            if let (Some([seat, exit]), Some(shown)) = (cable.fitting_axis(end), shown) {
                let along = if end == 0 { 0.0 } else { frames.len() as f64 };
                mesh.add_plain(
                    &[seat + shown - exit, *shown],
                    cable.fitting_radius(end),
                    along,
                );
            }
        }
        Self {
            points: points.to_vec(),
            frames: frames.to_vec(),
            radius: cable.radius,
            stretches: cable.stretches.clone(),
            fittings: cable.fittings,
            mesh: Arc::new(mesh),
            skin,
        }
    }

    /// Whether it is still the surface of that cable.
    fn is_of(&self, cable: &Cable, points: &[Vec3]) -> bool {
        let frames = cable.shape.as_ref().map_or(&[][..], |s| &s.frames);
        let same_skin = match (&self.skin, &cable.skin) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        };
        let same_size = self.radius == cable.radius
            && self.stretches == cable.stretches
            && self.fittings == cable.fittings;
        same_skin && same_size && self.points == points && self.frames == frames
    }
}

/// The original surface of a cable in its shape; `None` where the shape is not of that cable.
fn skin_mesh(skin: &Skin, shape: &Shape, points: &[Vec3]) -> Option<TubeMesh> {
    if points.len() != shape.points.len() {
        return None;
    }
    let n_edges = shape.frames.len();
    if skin.vertices.iter().any(|v| v.edge as usize >= n_edges) {
        return None;
    }
    let shape = Shape {
        points: points.to_vec(),
        ..shape.clone()
    };
    let positions: Vec<Vec3> = skin.positions(&shape).collect();
    let along = (skin.vertices.iter()).map(|v| f64::from(v.edge) + v.along);
    Some(TubeMesh::of_triangles(
        positions,
        along.collect(),
        &skin.triangles,
    ))
}

impl Content {
    /// Takes over the scene: its parts and solved shapes.
    pub fn show(&mut self, scene: &Scene, ctx: &egui::Context) {
        let held: Vec<_> = (self.lifted.iter()).map(|l| (l.part, &l.mesh)).collect();
        self.models.follow(scene, &held, &self.swept, ctx);
        let mut parts_box = Aabb::empty();
        for part in &scene.parts {
            match self.models.get(part.mesh()) {
                Some(model) => parts_box.merge(&model.aabb),
                None => parts_box.merge(&part.mesh().aabb()),
            }
        }
        self.parts_box = Some(parts_box);
        self.points = nodes(scene);
        self.tubes.truncate(scene.cables.len());
        self.grid = Arc::new(grid(&self.aabb(scene)));
        self.backdrop += 1;
        self.changed(scene);
    }

    /// Takes over the solved shapes; the parts are as before.
    pub fn show_shapes(&mut self, scene: &Scene) {
        self.points = nodes(scene);
        self.changed(scene);
    }

    /// Shows a solve on its way; the frames stay those of the last solution.
    pub fn show_iterates(&mut self, scene: &Scene, iterates: Vec<(usize, Vec<Vec3>)>) {
        for (cable, points) in iterates {
            if let Some(shown) = self.points.get_mut(cable) {
                *shown = points;
            }
        }
        self.changed(scene);
    }

    /// Takes a part up; says where it is placed.
    pub fn lift(&mut self, scene: &Scene, part: usize) -> Option<Pose> {
        if let Some(known) = self.lifted(part) {
            return Some(known.now);
        }
        let own = scene.parts.get(part)?;
        let from = *own.placement();
        self.lifted.push(Lifted {
            part,
            mesh: own.mesh().clone(),
            middle: Pose {
                position: own.mesh().aabb().center(),
                rotation: from.rotation,
            },
            from,
            now: from,
        });
        Some(from)
    }

    /// A part in hand.
    pub fn lifted(&self, part: usize) -> Option<&Lifted> {
        self.lifted.iter().find(|l| l.part == part)
    }

    /// How the first part in hand is moved by now.
    pub fn carried(&self) -> Option<Pose> {
        self.lifted.first().map(Lifted::moved)
    }

    /// The solver has the parts at these places by now.
    pub fn carry(&mut self, poses: &[Pose]) {
        for lifted in &mut self.lifted {
            lifted.now = poses.get(lifted.part).copied().unwrap_or(lifted.now);
        }
        if !self.lifted.is_empty() {
            self.touch();
        }
    }

    /// Shows a recorded state: parts are moved from where the scene has them, cables have the shapes of the state.
    pub fn show_state(&mut self, scene: &Scene, state: &Sample) {
        for (k, (part, pose)) in scene.parts.iter().zip(&state.parts).enumerate() {
            if part.placement() != pose {
                self.lift(scene, k);
            }
        }
        self.carry(&state.parts);
        let mut shown = scene.clone();
        for (cable, at) in shown.cables.iter_mut().zip(&state.cables) {
            if let Some(shape) = &mut cable.shape {
                shape.points.clone_from(&at.points);
                shape.frames.clone_from(&at.frames);
            }
        }
        self.show_shapes(&shown);
    }

    /// Where a part is that is moved from where the scene has it.
    pub fn placement(&self, part: usize) -> Option<Pose> {
        self.lifted(part).map(|l| l.now)
    }

    /// Shows the room that cables sweep.
    pub fn show_swept(&mut self, envelopes: &[Envelope], ctx: &egui::Context) {
        let meshes = envelopes.iter().filter_map(|e| {
            let mesh = TriMesh::new(e.vertices.clone(), e.triangles.clone()).ok()?;
            Some((e.cable.clone(), Arc::new(mesh)))
        });
        self.swept = meshes.collect();
        self.models.keep(&self.swept, ctx);
        self.touch();
    }

    /// Shows it no longer.
    pub fn forget_swept(&mut self) {
        self.swept.clear();
        self.touch();
    }

    /// Whether it is shown.
    pub fn shows_swept(&self) -> bool {
        !self.swept.is_empty()
    }

    /// No part is in hand any more.
    pub fn put_down(&mut self) {
        self.lifted.clear();
    }

    /// Takes parts that have become ready.
    pub fn poll(&mut self) {
        if self.models.poll() {
            self.touch();
        }
    }

    /// How many parts are not ready to be drawn yet.
    pub fn n_pending(&self) -> usize {
        self.models.n_pending()
    }

    /// The nodes of a cable as shown; empty before the first solve.
    pub fn points(&self, cable: usize) -> &[Vec3] {
        self.points.get(cable).map_or(&[], Vec::as_slice)
    }

    /// Grows with every change of what is to be seen.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The box around parts, cables and handles.
    pub fn aabb(&self, scene: &Scene) -> Aabb {
        let mut aabb = self.parts_box.unwrap_or_else(Aabb::empty);
        for (cable, points) in scene.cables.iter().zip(&self.points) {
            for handle in &cable.handles {
                aabb.grow(&handle.pose.position);
            }
            if !points.is_empty() {
                aabb.merge(&Aabb::of_points(points).inflated(cable.thickest()));
            }
        }
        aabb
    }

    /// Grows the revision: something is to be drawn in another colour.
    pub fn touch(&mut self) {
        self.backdrop += 1;
        self.revision += 1;
    }

    /// The first visible thing that a ray meets, and where.
    pub fn hit(&self, scene: &Scene, ray: &Ray) -> Option<(Thing, Vec3)> {
        let hits = self.hits(scene, ray, 0.0).into_iter();
        let (thing, along) = hits.min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((thing, ray.origin + ray.direction * along))
    }

    /// All visible things that a ray meets, with how far along the ray; cables also when it passes them by `reach`.
    pub fn hits(&self, scene: &Scene, ray: &Ray, reach: f64) -> Vec<(Thing, f64)> {
        let cables = scene.cables.iter().zip(&self.points).enumerate();
        let cables =
            cables
                .filter(|(_, (cable, _))| cable.visible)
                .filter_map(|(i, (cable, points))| {
                    let hit = pick::hit_cable(ray, points, cable.thickest() + reach)?;
                    // Its near side, so that a cable on a surface lies before it.
                    Some((Thing::Cable(i), hit.along - cable.thickest()))
                });
        let parts = scene.parts.iter().enumerate().filter(|(_, p)| p.visible);
        let parts = parts.filter_map(|(i, p)| {
            let along = self.face(p.mesh(), ray)?.along;
            Some((Thing::Part(i), along))
        });
        cables.chain(parts).collect()
    }

    /// The first visible part that a ray meets, and how far along the ray.
    pub fn hit_part(&self, scene: &Scene, ray: &Ray) -> Option<(Thing, f64)> {
        (scene.parts.iter().enumerate().filter(|(_, p)| p.visible))
            .filter_map(|(i, p)| {
                let along = self.face(p.mesh(), ray)?.along;
                Some((Thing::Part(i), along))
            })
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The direction of a mesh's surface where a ray meets it first, towards the ray's origin.
    pub fn normal(&self, mesh: &Arc<TriMesh>, ray: &Ray) -> Option<Vec3> {
        Some(self.face(mesh, ray)?.normal)
    }

    /// Where a ray meets a mesh first; what is cut away is not met.
    pub(super) fn face(&self, mesh: &Arc<TriMesh>, ray: &Ray) -> Option<FaceHit> {
        let pick = self.models.get(mesh)?.pick.as_ref()?;
        let Some(section) = &self.section else {
            return pick.face(ray);
        };
        let (from, to) = section.span(ray)?;
        let left = Ray {
            origin: ray.origin + ray.direction * from,
            ..*ray
        };
        let hit = pick.face(&left)?;
        let along = from + hit.along;
        (along <= to).then_some(FaceHit { along, ..hit })
    }

    /// What the view knows of a mesh, once it is ready.
    pub(super) fn model(&self, mesh: &Arc<TriMesh>) -> Option<&Arc<PartModel>> {
        self.models.get(mesh)
    }

    /// The point of a mesh nearest to another.
    pub fn nearest(&self, mesh: &Arc<TriMesh>, to: &Vec3) -> Option<Vec3> {
        Some(self.models.get(mesh)?.pick.as_ref()?.nearest(to))
    }

    /// Height of the ground grid; `None` for an empty scene.
    pub fn ground(&self) -> Option<f64> {
        self.grid.first().map(|line| line[0].z)
    }

    /// All that the renderer needs.
    pub fn picture(
        &self,
        scene: &Scene,
        (camera, viewport): (&Camera, Viewport),
        look: Look,
        marks: &Marks<'_>,
    ) -> Picture {
        let Marks { selection, heat } = marks;
        let harnesses = (selection.things().iter()).filter_map(|t| match t {
            Thing::Harness(k) => Some(scene.harness_members(*k).cables),
            _ => None,
        });
        let in_harness: Vec<usize> = harnesses.flatten().collect();
        let is_marked =
            |cable: usize| selection.contains(Thing::Cable(cable)) || in_harness.contains(&cable);
        let solid = self.aabb(scene);
        let mut aabb = solid;
        aabb.merge(&Aabb::of_points(self.grid.iter().flatten()));
        Picture {
            camera: *camera,
            viewport,
            aabb,
            solid,
            parts: (scene.parts.iter().enumerate())
                .filter(|(_, part)| part.visible)
                .filter_map(|(i, part)| {
                    let (thing, color) = (Thing::Part(i), theme::part_color(scene, i));
                    let color = look.shade(thing, color, selection.contains(thing));
                    let lifted = self.lifted(i);
                    let mesh = lifted.map_or(part.mesh(), |l| &l.mesh);
                    Some(DrawnPart {
                        model: self.models.get(mesh)?.clone(),
                        color,
                        finish: part.finish,
                        moved: lifted.map(Lifted::moved),
                    })
                })
                .collect(),
            tubes: (scene.cables.iter().zip(&self.tubes).enumerate())
                .filter(|(_, (cable, _))| cable.visible)
                .map(|(i, (_, drawn))| Tube {
                    cable: i,
                    mesh: drawn.mesh.clone(),
                    color: theme::cable_color(scene, i),
                    selected: is_marked(i),
                    tints: heat.and_then(|h| h.tints(i, &drawn.mesh.along)),
                })
                .collect(),
            swept: (self.swept.iter())
                .filter_map(|(cable, mesh)| {
                    let k = scene.cables.iter().position(|c| c.name == *cable)?;
                    Some(DrawnPart {
                        model: self.models.get(mesh)?.clone(),
                        color: theme::cable_color(scene, k),
                        finish: Finish::Rubber,
                        moved: None,
                    })
                })
                .collect(),
            grid: self.grid.clone(),
            revision: self.revision,
            backdrop: self.backdrop,
            look,
        }
    }

    /// The route that a cable had when it came.
    pub fn first_route(&self, cable: &str) -> Option<&[Vec3]> {
        self.first.get(cable).map(Vec::as_slice)
    }

    /// Another document: where its cables come from is not known yet.
    pub fn forget_routes(&mut self) {
        self.first.clear();
    }

    /// The solver rests: a cable that is new lies where it came.
    pub fn keep_routes(&mut self, scene: &Scene) {
        for (cable, points) in scene.cables.iter().zip(&self.points) {
            if !points.is_empty() && !self.first.contains_key(&cable.name) {
                self.first.insert(cable.name.clone(), points.clone());
            }
        }
        self.first.retain(|name, _| scene.cable(name).is_some());
    }

    /// Cables that have another name than before keep their first route.
    pub fn follow_names(&mut self, before: &Scene, now: &Scene) {
        if before.cables.len() != now.cables.len() {
            return;
        }
        let renamed = (before.cables.iter().zip(&now.cables)).filter(|(a, b)| a.name != b.name);
        let moved: Vec<_> = renamed
            .filter_map(|(a, b)| Some((b.name.clone(), self.first.remove(&a.name)?)))
            .collect();
        self.first.extend(moved);
    }

    fn changed(&mut self, scene: &Scene) {
        for (i, (cable, points)) in scene.cables.iter().zip(&self.points).enumerate() {
            match self.tubes.get_mut(i) {
                Some(drawn) if drawn.is_of(cable, points) => {}
                Some(drawn) => *drawn = Drawn::new(cable, points),
                None => self.tubes.push(Drawn::new(cable, points)),
            }
        }
        self.revision += 1;
    }
}

/// The solved nodes of each cable; none before its first solve.
fn nodes(scene: &Scene) -> Vec<Vec<Vec3>> {
    let shapes = scene.cables.iter().map(|c| c.shape.as_ref());
    shapes
        .map(|shape| shape.map_or_else(Vec::new, |s| s.points.clone()))
        .collect()
}

/// Lines on the ground below the scene, at a round distance (1, 2 or 5 times a power of ten).
fn grid(aabb: &Aabb) -> Vec<[Vec3; 2]> {
    if aabb.is_empty() {
        return Vec::new();
    }
    let size = (aabb.max - aabb.min).xy().amax().max(10.0);
    let step = round_step(size / 8.0);
    let z = aabb.min.z;
    let low = aabb.min.map(|c| ((c / step).floor() - 1.0) * step);
    let high = aabb.max.map(|c| ((c / step).ceil() + 1.0) * step);
    let count = |k: usize| ((high[k] - low[k]) / step).round() as usize;
    let at = |k: usize, i: usize| low[k] + step * i as f64;
    let mut lines = Vec::new();
    for i in 0..=count(0) {
        let x = at(0, i);
        lines.push([Vec3::new(x, low.y, z), Vec3::new(x, high.y, z)]);
    }
    for i in 0..=count(1) {
        let y = at(1, i);
        lines.push([Vec3::new(low.x, y, z), Vec3::new(high.x, y, z)]);
    }
    lines
}

fn round_step(about: f64) -> f64 {
    let power = 10_f64.powf(about.log10().floor());
    let round = [1.0, 2.0, 5.0, 10.0].map(|m| m * power);
    round.into_iter().find(|s| *s >= about).unwrap_or(about)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_steps_are_round() {
        for (about, step) in [(1.0, 1.0), (1.1, 2.0), (37.0, 50.0), (0.06, 0.1)] {
            assert!((round_step(about) / step - 1.0).abs() < 1e-9, "{about}");
        }
    }

    #[test]
    fn the_grid_covers_the_box_with_few_lines() {
        let aabb = Aabb {
            min: Vec3::new(-130.0, 0.0, 5.0),
            max: Vec3::new(412.0, 90.0, 300.0),
        };
        let lines = grid(&aabb);
        assert!((8..40).contains(&lines.len()), "{}", lines.len());
        let around = Aabb::of_points(lines.iter().flatten());
        assert!(around.min.x <= aabb.min.x && around.max.y >= aabb.max.y);
        assert!(grid(&Aabb::empty()).is_empty());
    }
}
