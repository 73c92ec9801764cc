//! Volume and center of what a mesh encloses.

use super::TriMesh;
use crate::geom::{Aabb, Vec3};

impl TriMesh {
    /// The volume that it encloses, mm^3, and the center of that, mm. An open mesh, whose volume means nothing, has that of
    /// the box around it.
    pub fn volume_and_center(&self) -> (f64, Vec3) {
        let aabb = Aabb::of_points(self.vertices());
        let size = aabb.max - aabb.min;
        let whole = size.x * size.y * size.z;
        let middle = aabb.center();
        let (mut volume, mut moment) = (0.0, Vec3::zeros());
        for triangle in self.triangles() {
            let [a, b, c] = triangle.map(|v| self.vertices()[v as usize] - middle);
            let part = a.dot(&b.cross(&c)) / 6.0;
            volume += part;
            moment += (a + b + c) * (0.25 * part);
        }
        let center = middle + moment / volume;
        let inside = center.inf(&aabb.max) == center && center.sup(&aabb.min) == center;
        // A volume below a thousandth of the box is that of a sheet, or of sides that cancel.
        if volume.abs() > 1e-3 * whole && volume.abs() <= whole && inside {
            (volume.abs(), center)
        } else {
            (whole, middle)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::primitives;

    #[test]
    fn a_block_has_its_volume_and_middle_and_a_sheet_those_of_its_box() {
        let (min, max) = (Vec3::new(1.0, 2.0, 3.0), Vec3::new(5.0, 12.0, 6.0));
        let block = primitives::cuboid(&Aabb { min, max });
        let (volume, center) = block.volume_and_center();
        assert!((volume - 120.0).abs() < 1e-9);
        assert!((center - Vec3::new(3.0, 7.0, 4.5)).norm() < 1e-9);
        let axis = Vec3::new(0.0, 0.0, 90.0);
        let cone = primitives::cylinder(&Vec3::zeros(), &axis, 10.0, 64, 3);
        let (volume, center) = cone.volume_and_center();
        let ideal = std::f64::consts::PI * 100.0 * 90.0;
        assert!((volume / ideal - 1.0).abs() < 0.01);
        assert!((center - Vec3::z() * 45.0).norm() < 1e-6);
        let sheet = TriMesh::new(block.vertices().to_vec(), block.triangles()[..1].to_vec());
        let (volume, _) = sheet.unwrap().volume_and_center();
        assert!(volume > 0.0);
    }
}
