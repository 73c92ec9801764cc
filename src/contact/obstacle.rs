//! A body to keep clear of: a surface, and where it is.

use std::sync::Arc;

use super::cover::{Cover, cover};
use super::distance::TriangleFeature;
use super::surface::{ConvexEdge, NONE, Surface};
use crate::geom::{Aabb, Pose, Vec3};
use crate::mesh::TriMesh;

/// A mesh prepared for contact, somewhere in the world. A copy costs nothing, and so does one in another place.
#[derive(Clone)]
pub struct Obstacle {
    pub(super) surface: Arc<Surface>,
    /// Takes the surface to the world; `None` where it is as it is.
    pose: Option<Pose>,
    aabb: Aabb,
}

impl Obstacle {
    /// Prepares a mesh that is where it should be.
    pub fn new(mesh: &TriMesh) -> Self {
        let surface = Surface::new(mesh);
        Self {
            aabb: surface.aabb,
            surface: Arc::new(surface),
            pose: None,
        }
    }

    /// The same body somewhere else: `pose` takes points of the mesh to the world.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        let moved = (*pose != Pose::identity()).then_some(*pose);
        let surface = &self.surface;
        Self {
            surface: Arc::clone(surface),
            pose: moved,
            aabb: moved.map_or(surface.aabb, |pose| moved_box(&surface.aabb, &pose)),
        }
    }

    /// Where it is.
    pub fn pose(&self) -> Pose {
        self.pose.unwrap_or_else(Pose::identity)
    }

    /// How many triangles.
    pub fn n_triangles(&self) -> usize {
        self.surface.triangles.len()
    }

    /// A shell of capsules around the mesh, in its own axes, made the first time; `None` where it has no triangles.
    pub fn cover(&self) -> Option<Arc<Cover>> {
        let cover = self.surface.cover.get_or_init(|| {
            let all = 0..self.n_triangles() as u32;
            let corners: Vec<[Vec3; 3]> = all.map(|t| self.surface.corners(t)).collect();
            cover(&corners).map(Arc::new)
        });
        cover.clone()
    }

    /// The three corners of triangle `t`.
    #[inline]
    pub fn corners(&self, t: u32) -> [Vec3; 3] {
        let corners = self.surface.corners(t);
        match &self.pose {
            None => corners,
            Some(pose) => corners.map(|c| pose.transform(&c)),
        }
    }

    /// The corners of all triangles.
    pub fn all_corners(&self) -> impl Iterator<Item = Vec3> {
        (0..self.n_triangles() as u32).flat_map(|t| self.corners(t))
    }

    /// Unit normal of triangle `t`, to either side; zero when it is degenerate.
    #[inline]
    pub fn normal(&self, t: u32) -> Vec3 {
        let normal = self.surface.normals[t as usize];
        self.pose.map_or(normal, |pose| pose.rotation * normal)
    }

    /// The convex edge of that number; collinear ones are merged.
    #[inline]
    pub fn edge(&self, e: u32) -> ConvexEdge {
        let edge = self.surface.edges[e as usize];
        match &self.pose {
            None => edge,
            Some(pose) => ConvexEdge {
                a: pose.transform(&edge.a),
                b: pose.transform(&edge.b),
                fold: pose.rotation * edge.fold,
                ..edge
            },
        }
    }

    /// Numbers of the convex edges along the sides of triangle `t`.
    pub fn edges_of(&self, t: u32) -> impl Iterator<Item = u32> {
        let edges = self.surface.edge_of_side[t as usize];
        edges.into_iter().filter(|&e| e != NONE)
    }

    /// A box around it.
    pub fn aabb(&self) -> &Aabb {
        &self.aabb
    }

    /// Calls `visit` for each triangle whose box touches `region`, and possibly for some more near it.
    pub fn visit_triangles(&self, region: &Aabb, visit: impl FnMut(u32)) {
        match &self.pose {
            None => self.surface.visit_triangles(region, visit),
            Some(pose) => {
                let there = moved_box(region, &pose.inverse());
                self.surface.visit_triangles(&there, visit);
            }
        }
    }

    /// See [`Surface::is_own_contact`].
    pub(super) fn is_own_contact(&self, t: u32, feature: TriangleFeature, away: &Vec3) -> bool {
        let away = match &self.pose {
            None => *away,
            Some(pose) => pose.rotation.inverse_transform_vector(away),
        };
        self.surface.is_own_contact(t, feature, &away)
    }
}

/// The box around a box that was moved.
fn moved_box(aabb: &Aabb, pose: &Pose) -> Aabb {
    if aabb.is_empty() {
        return *aabb;
    }
    let half = (aabb.max - aabb.min) * 0.5;
    let matrix = pose.rotation.to_rotation_matrix();
    let reach = matrix.matrix().abs() * half;
    let center = pose.transform(&aabb.center());
    Aabb {
        min: center - reach,
        max: center + reach,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{Candidates, ContactSettings, Sticky, find_contacts};
    use crate::geom::Rotation;
    use crate::mesh::primitives;

    #[test]
    fn a_placed_obstacle_is_one_of_the_placed_mesh() {
        let axis = Vec3::new(0.0, 0.0, 60.0);
        let mesh = primitives::cylinder(&Vec3::zeros(), &axis, 30.0, 24, 3);
        let mut rng = fastrand::Rng::with_seed(11);
        let mut random = |size: f64| Vec3::from_fn(|_, _| size * (2.0 * rng.f64() - 1.0));
        let settings = ContactSettings::new(4.0, 0.01, 0.2);
        let mut n_contacts = 0;
        for _ in 0..60 {
            let pose = Pose {
                position: random(40.0),
                rotation: Rotation::from_scaled_axis(random(2.0)),
            };
            let placed = [Obstacle::new(&mesh).placed(&pose)];
            let moved = mesh.vertices().iter().map(|v| pose.transform(v)).collect();
            let moved = TriMesh::new(moved, mesh.triangles().to_vec()).unwrap();
            let fresh = [Obstacle::new(&moved)];
            // A short edge near the surface.
            let out = pose.rotation * Vec3::new(0.3, 0.954, 0.0) * 34.2;
            let a = pose.transform(&Vec3::new(0.0, 0.0, 20.0)) + out;
            let points = [a, a + random(4.0)];
            let mut found = [Vec::new(), Vec::new()];
            for (obstacles, out) in [(&placed, 0), (&fresh, 1)] {
                find_contacts(
                    obstacles,
                    &mut Candidates::new(1),
                    &points,
                    &[8.0],
                    &settings,
                    &Sticky::default(),
                    &mut found[out],
                );
            }
            let mut distances =
                found.map(|contacts| contacts.iter().map(|c| c.distance).collect::<Vec<f64>>());
            for sorted in &mut distances {
                sorted.sort_by(f64::total_cmp);
            }
            assert_eq!(distances[0].len(), distances[1].len());
            n_contacts += distances[0].len();
            for (a, b) in distances[0].iter().zip(&distances[1]) {
                assert!((a - b).abs() < 1e-9);
            }
            let [a, b] =
                [&placed, &fresh].map(|o| o[0].nearest(&points[0], &points[1], 1e3).unwrap());
            assert!((a.distance - b.distance).abs() < 1e-9);
            assert!((a.on_triangle - b.on_triangle).norm() < 1e-6);
        }
        assert!(n_contacts > 60, "{n_contacts}");
    }
}
