//! What a handle in hand, or the end of a new cable, can be centred on or laid on.

use super::camera::{Camera, Pixel, Ray, Viewport};
use super::content::Content;
use super::model::PartModel;
use super::pick::FaceHit;
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::{Rim, cylinder_at};
use crate::scene::Scene;

/// A rim is meant when the cursor is this near to it, in points.
const REACH: f64 = 8.0;
/// The middle of a pin's end is meant within this share of its radius.
const MIDDLE: f64 = 0.4;
/// A hole seen flatter than this (cosine between axis and view) is not meant.
const EDGE_ON: f64 = 0.15;
/// What lies before a hole by more than this share of its radius hides it; a grommet in it does not.
const BEFORE: f64 = 1.0;
/// A cable on a surface has its axis this many radii above it: its wall, and the room that contact keeps.
pub const ON_SURFACE: f64 = 1.15;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapKind {
    /// The middle of a hole, along its axis.
    Hole,
    /// The middle of a round end.
    Rim,
    /// The axis of a cylinder, beside the cursor.
    Axis,
    /// The surface.
    Surface,
}

/// A place to snap to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snap {
    /// What it is.
    pub kind: SnapKind,
    /// Number of the part.
    pub part: usize,
    /// The place: on the axis, or on the surface.
    pub point: Vec3,
    /// Unit direction towards the viewer: of the axis, or of the surface's normal.
    pub direction: Vec3,
    /// Radius of what is round, mm; 0 of a surface.
    pub radius: f64,
}

/// Where the cursor points.
#[derive(Clone, Copy, Debug)]
pub struct SnapQuery<'a> {
    /// The camera.
    pub camera: &'a Camera,
    /// Size of the view.
    pub viewport: Viewport,
    /// The cursor.
    pub cursor: Pixel,
    /// The axis of a cylinder is meant, not its surface.
    pub axes: bool,
}

impl Snap {
    /// The pose of a handle that is put here: turned as little as possible. `radius` is that of its cable.
    pub fn pose(&self, from: &Pose, radius: f64) -> Pose {
        if self.kind == SnapKind::Surface {
            return Pose {
                position: self.point + self.direction * (ON_SURFACE * radius),
                ..*from
            };
        }
        let along = from.rotation * Vec3::z();
        let to = self.direction * along.dot(&self.direction).signum();
        let turn = Rotation::rotation_between(&along, &to).unwrap_or_default();
        let mut rotation = turn * from.rotation;
        rotation.renormalize();
        Pose {
            position: self.point,
            rotation,
        }
    }

    /// What it is, in words.
    pub fn words(&self, scene: &Scene) -> String {
        let part = scene.parts.get(self.part).map_or("a part", |p| &p.name);
        let diameter = 2.0 * self.radius;
        match self.kind {
            SnapKind::Hole => format!("hole {diameter:.1} mm in {part}"),
            SnapKind::Rim => format!("end {diameter:.1} mm of {part}"),
            SnapKind::Axis => format!("axis {diameter:.1} mm of {part}"),
            SnapKind::Surface => format!("on {part}"),
        }
    }
}

impl Content {
    /// The place that the cursor means: a hole, a round end, the inside of a cylinder, or else the surface.
    pub fn snap(&self, scene: &Scene, aim: &SnapQuery<'_>) -> Option<Snap> {
        let ray = aim.camera.ray(&aim.cursor, aim.viewport);
        let first = self.hit_part(scene, &ray);
        let before = first.map_or(f64::INFINITY, |(_, along)| along);
        let models = (scene.parts.iter().enumerate())
            .filter(|(_, part)| part.visible)
            .filter_map(|(k, part)| Some((k, self.model(part.mesh())?)));
        let round = models
            .flat_map(|(k, model)| model.rims.iter().map(move |(rim, open)| (k, rim, *open)))
            .filter(|(_, rim, _)| self.section.is_none_or(|s| !s.cuts(&rim.center)))
            .filter(|(_, rim, open)| is_meant(rim, *open, aim, &ray, before))
            .min_by(|a, b| a.1.radius.total_cmp(&b.1.radius));
        if let Some((part, rim, open)) = round {
            let towards = -ray.direction.dot(&rim.axis);
            return Some(Snap {
                kind: if open { SnapKind::Hole } else { SnapKind::Rim },
                part,
                point: rim.center,
                direction: rim.axis * if towards < 0.0 { -1.0 } else { 1.0 },
                radius: rim.radius,
            });
        }
        let (thing, _) = first?;
        let crate::app::selection::Thing::Part(part) = thing else {
            return None;
        };
        let model = self.model(scene.parts.get(part)?.mesh())?;
        let hit = self.face(&model.mesh, &ray)?;
        let point = ray.origin + ray.direction * hit.along;
        let cylinder = on_axis(model, &hit, &point, aim.axes);
        Some(cylinder.map_or(
            Snap {
                kind: SnapKind::Surface,
                part,
                point,
                direction: hit.normal,
                radius: 0.0,
            },
            |(point, axis, radius)| Snap {
                kind: SnapKind::Axis,
                part,
                point,
                direction: axis
                    * if axis.dot(&ray.direction) > 0.0 {
                        -1.0
                    } else {
                        1.0
                    },
                radius,
            },
        ))
    }
}

/// Whether the cursor points at a rim, or through it where it is open.
fn is_meant(rim: &Rim, open: bool, aim: &SnapQuery<'_>, ray: &Ray, before: f64) -> bool {
    let facing = ray.direction.dot(&rim.axis);
    if facing.abs() < EDGE_ON {
        return false;
    }
    let along = (rim.center - ray.origin).dot(&rim.axis) / facing;
    if along <= 0.0 || before < along - (BEFORE * rim.radius).max(rim.depth) {
        return false;
    }
    let off = (ray.origin + ray.direction * along - rim.center).norm();
    let reach = REACH * aim.camera.mm_per_point(&rim.center, aim.viewport);
    if open {
        off < rim.radius + reach
    } else {
        off < (MIDDLE * rim.radius).max(reach) || (off - rim.radius).abs() < reach
    }
}

/// The foot of a hit on the axis of its cylinder, the axis and the radius; of an outer wall only when asked for.
fn on_axis(
    model: &PartModel,
    hit: &FaceHit,
    point: &Vec3,
    outer_too: bool,
) -> Option<(Vec3, Vec3, f64)> {
    let cylinder = cylinder_at(&model.mesh, model.edge_table(), hit.triangle)?;
    let foot = cylinder.point + cylinder.axis * (point - cylinder.point).dot(&cylinder.axis);
    let inner = hit.normal.dot(&(foot - point)) > 0.0;
    (inner || outer_too).then_some((foot, cylinder.axis, cylinder.radius))
}
