//! What a section cuts away, and the faces that it shows of solids.

use std::sync::Arc;

use three_d::Vec4;
use three_d::core::Program;

use super::super::buffers::{CapBuffers, to_f32};
use super::super::cap::Cap;
use super::super::model::PartModel;
use super::super::picture::Picture;
use super::super::section::MOST_PLANES;
use super::Renderer;
use crate::app::choices::{CutPlane, Section};
use crate::geom::{Pose, Vec3};

/// What a section shows of a part.
pub(super) struct CutPart {
    model: Arc<PartModel>,
    faces: Vec<CutFace>,
}

/// What a plane of the section shows of a part, and the plane as the part sees it.
struct CutFace {
    plane: (Vec3, f64),
    /// Nothing where the plane misses the part, or where that has no inside.
    cap: Option<CapBuffers>,
}

impl CutPart {
    /// The cut faces, each with the number of its plane.
    pub(super) fn caps(&self) -> impl Iterator<Item = (usize, &CapBuffers)> {
        let faces = self.faces.iter().enumerate();
        faces.filter_map(|(k, face)| Some((k, face.cap.as_ref()?)))
    }
}

/// What of something is cut away, and how it is moved.
#[derive(Clone, Copy, Default)]
pub(super) struct Cut {
    pub section: Option<Section>,
    /// The plane that it lies in, by its number: that one does not cut it.
    pub own: Option<usize>,
    pub moved: Option<Pose>,
}

impl Cut {
    /// Tells a program what is cut away, as seen from `origin`: beyond `p.xyz . x = p.w` of any of the planes.
    pub(super) fn tell(self, program: &Program, origin: &Vec3) {
        let mut planes = [Vec4::new(0.0, 0.0, 0.0, 1.0); MOST_PLANES];
        let mut n_planes = 0;
        let all = self.section.into_iter().flat_map(Section::planes);
        for (_, plane) in all.enumerate().filter(|(k, _)| self.own != Some(*k)) {
            let (normal, d) = seen_by(plane, self.moved);
            planes[n_planes] = to_f32(&normal).extend((d - normal.dot(origin)) as f32);
            n_planes += 1;
        }
        program.use_uniform("n_planes", n_planes as i32);
        program.use_uniform_array("planes", &planes);
    }
}

/// A section plane as a part sees it that is moved by a hand: beyond `normal . p = d` it is cut away.
fn seen_by(plane: CutPlane, moved: Option<Pose>) -> (Vec3, f64) {
    let moved = moved.unwrap_or_else(Pose::identity);
    let (normal, d) = plane.plane();
    let local = moved.rotation.inverse() * normal;
    (local, d - normal.dot(&moved.position))
}

impl Renderer {
    /// Finds the cut faces of the parts, those of the last picture where they are still right.
    pub(super) fn find_caps(&mut self, picture: &Picture) {
        let mut old = std::mem::take(&mut self.cut_parts);
        let Some(section) = picture.look.section else {
            return;
        };
        for part in &picture.parts {
            let model = &part.model;
            let known = old.iter().position(|s| Arc::ptr_eq(&s.model, model));
            let mut known = known.map_or_else(Vec::new, |known| old.swap_remove(known).faces);
            let faces = section.planes().map(|plane| {
                let plane = seen_by(plane, part.moved);
                let same = known.iter().position(|face| face.plane == plane);
                same.map_or_else(
                    || CutFace {
                        plane,
                        cap: self.cap_of(model, plane),
                    },
                    |same| known.swap_remove(same),
                )
            });
            let faces = faces.collect();
            self.cut_parts.push(CutPart {
                model: model.clone(),
                faces,
            });
        }
    }

    /// The cut face of a part; `None` where the plane misses it, or where it has no inside.
    fn cap_of(&self, model: &PartModel, (normal, d): (Vec3, f64)) -> Option<CapBuffers> {
        let half = 0.5 * (model.aabb.max - model.aabb.min);
        let middle = model.aabb.center();
        if (normal.dot(&middle) - d).abs() > normal.abs().dot(&half) {
            return None;
        }
        let cap = Cap::new(&model.mesh, &normal, d)?;
        Some(CapBuffers::new(&self.context, &cap, &middle))
    }
}
