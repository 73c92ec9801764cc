//! What lies under the cursor, on the CPU: parts by parry's tree, cables as chains of capsules.

use parry3d_f64::math::Vector;
use parry3d_f64::query::{PointQuery as _, Ray as ParryRay, RayCast as _};
use parry3d_f64::shape::{FeatureId, TriMesh as ParryMesh};

use super::camera::Ray;
use crate::geom::Vec3;
use crate::mesh::TriMesh;

/// A part that rays can hit.
pub struct PickMesh(ParryMesh);

impl PickMesh {
    /// Builds the tree; `None` when parry refuses the mesh (the part is then drawn but not picked).
    pub fn new(mesh: &TriMesh) -> Option<Self> {
        let vertices = mesh.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z));
        ParryMesh::new(vertices.collect(), mesh.triangles().to_vec())
            .ok()
            .map(Self)
    }

    /// Distance along the ray to the first triangle it hits, mm.
    pub fn hit(&self, ray: &Ray) -> Option<f64> {
        self.0.cast_local_ray(&parry_ray(ray), f64::MAX, false)
    }

    /// The point of the surface nearest to another.
    pub fn nearest(&self, to: &Vec3) -> Vec3 {
        let near = self
            .0
            .project_local_point(Vector::new(to.x, to.y, to.z), false);
        Vec3::new(near.point.x, near.point.y, near.point.z)
    }

    /// The first triangle that the ray hits.
    pub fn face(&self, ray: &Ray) -> Option<FaceHit> {
        let hit = self
            .0
            .cast_local_ray_and_get_normal(&parry_ray(ray), f64::MAX, false)?;
        let n = Vec3::new(hit.normal.x, hit.normal.y, hit.normal.z).try_normalize(1e-12)?;
        let n_faces = self.0.indices().len();
        let FeatureId::Face(face) = hit.feature else {
            return None;
        };
        Some(FaceHit {
            along: hit.time_of_impact,
            // Parry counts the backs of the triangles after their fronts.
            triangle: face as usize % n_faces,
            normal: if n.dot(&ray.direction) > 0.0 { -n } else { n },
        })
    }
}

/// Where a ray meets a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaceHit {
    /// Distance along the ray, mm.
    pub along: f64,
    /// Number of the triangle.
    pub triangle: usize,
    /// Its unit normal, towards where the ray comes from.
    pub normal: Vec3,
}

fn parry_ray(ray: &Ray) -> ParryRay {
    let (o, d) = (ray.origin, ray.direction);
    ParryRay::new(Vector::new(o.x, o.y, o.z), Vector::new(d.x, d.y, d.z))
}

/// A place on a cable that a ray passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableHit {
    /// Distance along the ray, mm.
    pub along: f64,
    /// How far the ray passes the centerline, mm.
    pub off: f64,
    /// Edge of the rod, and where along it: 0 to 1.
    pub edge: usize,
    /// See [`Self::edge`].
    pub share: f64,
}

/// Where the ray passes a chain of points nearest, if that is within `radius` of it: the first along the ray.
pub fn hit_cable(ray: &Ray, points: &[Vec3], radius: f64) -> Option<CableHit> {
    (points.windows(2).enumerate())
        .filter_map(|(edge, ends)| {
            let (along, off, share) = ray_to_segment(ray, &ends[0], &ends[1]);
            (along > 0.0 && off <= radius).then_some(CableHit {
                along,
                off,
                edge,
                share,
            })
        })
        .min_by(|a, b| (a.along + a.off).total_cmp(&(b.along + b.off)))
}

/// Where ray and segment come nearest: distance along the ray, how far apart they are there, share of the segment.
fn ray_to_segment(ray: &Ray, a: &Vec3, b: &Vec3) -> (f64, f64, f64) {
    let (u, v, w) = (ray.direction, b - a, ray.origin - a);
    let (uv, vv, uw, vw) = (u.dot(&v), v.dot(&v), u.dot(&w), v.dot(&w));
    // |u| = 1, so the normal equations have the determinant vv - uv^2; it vanishes for parallel lines.
    let det = vv - uv * uv;
    let on_segment = if det > 1e-12 * vv {
        ((vw - uv * uw) / det).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let near = a + v * on_segment;
    let along = (near - ray.origin).dot(&u).max(0.0);
    (along, (ray.origin + u * along - near).norm(), on_segment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn down_at(x: f64, y: f64) -> Ray {
        Ray {
            origin: Vec3::new(x, y, 100.0),
            direction: -Vec3::z(),
        }
    }

    #[test]
    fn a_ray_hits_the_nearer_of_two_sheets() {
        let sheet = |z: f64| {
            [
                Vec3::new(0.0, 0.0, z),
                Vec3::new(10.0, 0.0, z),
                Vec3::new(0.0, 10.0, z),
            ]
        };
        let vertices = [sheet(0.0), sheet(40.0)].concat();
        let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [3, 5, 4]]).unwrap();
        let pick = PickMesh::new(&mesh).unwrap();
        assert!((pick.hit(&down_at(1.0, 1.0)).unwrap() - 60.0).abs() < 1e-9);
        assert_eq!(pick.hit(&down_at(9.0, 9.0)), None);
    }

    #[test]
    fn a_cable_is_hit_within_its_radius_only() {
        let points = [
            Vec3::new(0.0, 0.0, 0.0),
            Vec3::new(50.0, 0.0, 0.0),
            Vec3::new(50.0, 50.0, 20.0),
        ];
        let hit = hit_cable(&down_at(25.0, 2.0), &points, 3.0).unwrap();
        assert!((hit.along - 100.0).abs() < 1e-9);
        assert_eq!(hit.edge, 0);
        assert!((hit.share - 0.5).abs() < 1e-9);
        assert_eq!(hit_cable(&down_at(25.0, 4.0), &points, 3.0), None);
        let slanted = hit_cable(&down_at(50.0, 25.0), &points, 3.0).unwrap();
        assert!((slanted.along - 90.0).abs() < 1e-9);
        assert_eq!(hit_cable(&down_at(25.0, 0.0), &[], 3.0), None);
    }
}
