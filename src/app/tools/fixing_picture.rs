//! The picture of a fixing on its button: its small mesh, seen along the cable and a little from the side.

use egui::{Color32, Mesh, Painter, Pos2, Rect, pos2};

use crate::geom::Vec3;
use crate::scene::fixing::Fixing;

/// How far the end of the cable that looks away is shifted to the right and up, per mm of its distance.
const SHIFT: [f64; 2] = [0.42, 0.3];
/// The light comes over the viewer's left shoulder.
const LIGHT: [f64; 3] = [-0.5, 0.75, -0.6];
/// How light faces are that look away from it, and what is added for those that look into it.
const SHADES: [f64; 2] = [0.42, 0.62];
/// Most triangles of a picture: a mesh of the user's that is finer has none.
const MOST: usize = 4000;

/// Triangles in a square of one by one, those in front last, each with how light it is.
#[derive(Debug, Default)]
pub struct FixingPicture {
    triangles: Vec<([[f32; 2]; 3], f32)>,
}

impl FixingPicture {
    /// Of a fixing as large as its text has it; nothing where it has no mesh.
    pub fn new(fixing: &Fixing) -> Self {
        let mesh = fixing.mesh_for(fixing.diameter);
        let Some(mesh) = mesh.ok().filter(|m| m.triangles().len() <= MOST) else {
            return Self::default();
        };
        let eye = Vec3::new(SHIFT[0], SHIFT[1], -1.0).normalize();
        let light = Vec3::from(LIGHT).normalize();
        let on_paper = |p: &Vec3| [p.x + SHIFT[0] * p.z, -p.y - SHIFT[1] * p.z];
        let mut faces: Vec<(f64, [Vec3; 3], f64)> = (0..mesh.triangles().len())
            .filter_map(|t| {
                let corners = mesh.corners(t);
                let [a, b, c] = corners;
                let normal = (b - a).cross(&(c - a)).try_normalize(f64::MIN_POSITIVE)?;
                let depth = (a + b + c).dot(&eye) / 3.0;
                let lit = SHADES[0] + SHADES[1] * normal.dot(&light).max(0.0);
                (normal.dot(&eye) > 0.0).then_some((depth, corners, lit))
            })
            .collect();
        faces.sort_by(|a, b| a.0.total_cmp(&b.0));
        let places = || faces.iter().flat_map(|f| f.1.iter().map(on_paper));
        let ends = |k: usize| {
            let of = places().map(move |p| p[k]);
            let (low, high) = (
                of.clone().fold(f64::MAX, f64::min),
                of.fold(f64::MIN, f64::max),
            );
            (0.5 * (low + high), high - low)
        };
        let ((x, width), (y, height)) = (ends(0), ends(1));
        let size = width.max(height).max(1e-6);
        let in_square = |p: &Vec3| {
            let [u, v] = on_paper(p);
            [(u - x) / size + 0.5, (v - y) / size + 0.5].map(|c| c as f32)
        };
        let triangles = faces.iter();
        let triangles =
            triangles.map(|(_, corners, lit)| (corners.map(|p| in_square(&p)), *lit as f32));
        Self {
            triangles: triangles.collect(),
        }
    }

    /// Draws it into a square.
    pub fn paint(&self, painter: &Painter, rect: Rect, color: Color32) {
        let side = rect.width().min(rect.height());
        let corner = rect.center() - egui::Vec2::splat(0.5 * side);
        let at = |[u, v]: [f32; 2]| -> Pos2 { pos2(corner.x + u * side, corner.y + v * side) };
        let mut mesh = Mesh::default();
        for (corners, lit) in &self.triangles {
            let [r, g, b, _] = color
                .to_array()
                .map(|c| (f32::from(c) * lit).min(255.0) as u8);
            let first = mesh.vertices.len() as u32;
            for corner in corners {
                mesh.colored_vertex(at(*corner), Color32::from_rgb(r, g, b));
            }
            mesh.add_triangle(first, first + 1, first + 2);
        }
        painter.add(mesh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::fixing::built_in;

    #[test]
    fn pictures_of_the_library_fill_their_square_and_have_light_and_dark_faces() {
        for fixing in built_in() {
            let picture = FixingPicture::new(fixing);
            let corners = || picture.triangles.iter().flat_map(|t| t.0.iter().flatten());
            assert!(
                corners().all(|c| (-1e-3..=1.001).contains(c)),
                "{}",
                fixing.name
            );
            let low = corners().fold(f32::MAX, |a, b| a.min(*b));
            let high = corners().fold(f32::MIN, |a, b| a.max(*b));
            assert!(
                low < 1e-3 && high > 0.999,
                "{}: {low} to {high}",
                fixing.name
            );
            let shades = || picture.triangles.iter().map(|t| t.1);
            let range = shades().fold(f32::MIN, f32::max) - shades().fold(f32::MAX, f32::min);
            assert!(range > 0.2, "{}: {range}", fixing.name);
        }
    }
}
