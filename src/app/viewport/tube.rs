//! The picture of a cable: a smooth tube through its nodes, with a stripe that shows roll and twist.

use crate::geom::{Rotation, Vec3};

/// Vertices around the tube; the first is there twice, so that the stripe has a seam.
const SIDES: usize = 16;
/// Rings per edge of a coarse rod; a fine one needs fewer.
const RINGS_PER_EDGE: usize = 4;
/// About how many rings a long cable gets.
const ENOUGH_RINGS: usize = 800;

/// Triangles of a tube. Its sizes depend on the number of nodes only.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TubeMesh {
    /// Vertex positions, mm.
    pub positions: Vec<Vec3>,
    /// Unit normals.
    pub normals: Vec<Vec3>,
    /// Where around the tube each vertex is: 0 to 1 from the first material direction; 0.5 on the caps.
    pub around: Vec<f64>,
    /// Where along the cable each vertex is: number of the edge, and the share of it.
    pub along: Vec<f64>,
    /// Three vertex numbers per triangle.
    pub indices: Vec<u32>,
}

impl TubeMesh {
    /// Any triangles, with smooth normals and without a stripe; `along` says where along the cable vertices are.
    pub fn of_triangles(positions: Vec<Vec3>, along: Vec<f64>, triangles: &[[u32; 3]]) -> Self {
        let mut normals = vec![Vec3::zeros(); positions.len()];
        for corners in triangles {
            let [a, b, c] = corners.map(|v| positions[v as usize]);
            let normal = (b - a).cross(&(c - a));
            for &v in corners {
                normals[v as usize] += normal;
            }
        }
        for normal in &mut normals {
            *normal = normal.try_normalize(1e-12).unwrap_or_else(Vec3::z);
        }
        Self {
            around: vec![0.5; positions.len()],
            along,
            indices: triangles.as_flattened().to_vec(),
            positions,
            normals,
        }
    }
}

impl TubeMesh {
    /// A straight piece without a stripe, such as a fitting; `along` says to which place of the cable it belongs.
    pub fn add_plain(&mut self, axis: &[Vec3; 2], radius: f64, along: f64) {
        let piece = tube(axis, &[], &[radius]);
        let first = self.positions.len() as u32;
        let n = piece.positions.len();
        self.positions.extend(piece.positions);
        self.normals.extend(piece.normals);
        self.around.extend(std::iter::repeat_n(0.5, n));
        self.along.extend(std::iter::repeat_n(along, n));
        self.indices.extend(piece.indices.iter().map(|i| i + first));
    }
}

/// One cross-section of the tube.
#[derive(Clone, Copy)]
struct Ring {
    center: Vec3,
    tangent: Vec3,
    /// Towards the stripe, a unit vector across the tangent.
    d1: Vec3,
    /// Number of the edge, and the share of it.
    along: f64,
}

/// The tube around `points`; `frames` are the material frames of the edges, as many as there are, and `radii` those of
/// the edges: where they change, the tube has a step.
///
/// Fewer than two points give an empty mesh.
pub fn tube(points: &[Vec3], frames: &[Rotation], radii: &[f64]) -> TubeMesh {
    let mut mesh = TubeMesh::default();
    let rings = stepped(rings(points, frames), radii);
    for (ring, radius) in &rings {
        let d2 = ring.tangent.cross(&ring.d1);
        for side in 0..=SIDES {
            let around = side as f64 / SIDES as f64;
            let (sin, cos) = (around * std::f64::consts::TAU).sin_cos();
            let normal = ring.d1 * cos + d2 * sin;
            mesh.positions.push(ring.center + normal * *radius);
            mesh.normals.push(normal);
            mesh.around.push(around);
            mesh.along.push(ring.along);
        }
    }
    let stride = SIDES as u32 + 1;
    for r in 1..rings.len() as u32 {
        let (low, high) = ((r - 1) * stride, r * stride);
        for s in 0..SIDES as u32 {
            mesh.indices.extend([low + s, low + s + 1, high + s]);
            mesh.indices.extend([high + s, low + s + 1, high + s + 1]);
        }
    }
    if let (Some((first, start)), Some((last, end))) = (rings.first(), rings.last()) {
        cap(&mut mesh, first, -first.tangent, *start);
        cap(&mut mesh, last, last.tangent, *end);
    }
    mesh
}

/// Rings with their radii; two at a node where the radius changes.
fn stepped(rings: Vec<Ring>, radii: &[f64]) -> Vec<(Ring, f64)> {
    let of_edge = |edge: usize| radii.get(edge).or(radii.last()).copied().unwrap_or(0.0);
    let mut all: Vec<(Ring, f64)> = Vec::with_capacity(rings.len());
    for ring in rings {
        let edge = ring.along as usize;
        let after = of_edge(edge);
        let before = if ring.along.fract() == 0.0 {
            of_edge(edge.saturating_sub(1))
        } else {
            after
        };
        if before != after {
            all.push((ring, before));
        }
        all.push((ring, after));
    }
    all
}

/// A smooth curve through the nodes, as many points per edge as the tube has rings.
pub fn smooth(points: &[Vec3]) -> Vec<Vec3> {
    rings(points, &[]).into_iter().map(|r| r.center).collect()
}

fn rings(points: &[Vec3], frames: &[Rotation]) -> Vec<Ring> {
    let n_edges = points.len().saturating_sub(1);
    if n_edges == 0 {
        return Vec::new();
    }
    let per_edge = (ENOUGH_RINGS / n_edges).clamp(1, RINGS_PER_EDGE);
    let slopes = slopes(points);
    let mut rings: Vec<Ring> = Vec::with_capacity(n_edges * per_edge + 1);
    let mut d1 = Vec3::x();
    for k in 0..=n_edges * per_edge {
        let i = (k / per_edge).min(n_edges - 1);
        let t = (k - i * per_edge) as f64 / per_edge as f64;
        let (center, slope) = hermite(
            t,
            [&points[i], &points[i + 1]],
            [&slopes[i], &slopes[i + 1]],
        );
        let tangent = slope
            .try_normalize(1e-12)
            .or_else(|| rings.last().map(|r| r.tangent))
            .unwrap_or_else(Vec3::z);
        // Without a frame the last direction is carried along, which turns the least.
        let wanted = material_d1(frames, i, t).unwrap_or(d1);
        d1 = across(&wanted, &tangent);
        rings.push(Ring {
            center,
            tangent,
            d1,
            along: i as f64 + t,
        });
    }
    rings
}

/// Slopes at the nodes (Catmull-Rom), per edge; at the ends those of the parabola through the last edge.
fn slopes(points: &[Vec3]) -> Vec<Vec3> {
    let n = points.len();
    let mut slopes: Vec<Vec3> = (0..n)
        .map(|i| {
            let (a, b) = (i.saturating_sub(1), (i + 1).min(n - 1));
            (points[b] - points[a]) / (b - a) as f64
        })
        .collect();
    if n > 2 {
        slopes[0] = (points[1] - points[0]) * 2.0 - slopes[1];
        slopes[n - 1] = (points[n - 1] - points[n - 2]) * 2.0 - slopes[n - 2];
    }
    slopes
}

/// Point and slope of the cubic with the given ends.
fn hermite(t: f64, [a, b]: [&Vec3; 2], [da, db]: [&Vec3; 2]) -> (Vec3, Vec3) {
    let (t2, t3) = (t * t, t * t * t);
    let point = a * (2.0 * t3 - 3.0 * t2 + 1.0)
        + da * (t3 - 2.0 * t2 + t)
        + b * (3.0 * t2 - 2.0 * t3)
        + db * (t3 - t2);
    let slope =
        (b - a) * (6.0 * (t - t2)) + da * (3.0 * t2 - 4.0 * t + 1.0) + db * (3.0 * t2 - 2.0 * t);
    (point, slope)
}

/// The first material direction at `t` of edge `i`, blended between the middles of the edges.
fn material_d1(frames: &[Rotation], i: usize, t: f64) -> Option<Vec3> {
    let here = frames.get(i)?;
    let (other, weight) = if t < 0.5 {
        (i.checked_sub(1).and_then(|j| frames.get(j)), 0.5 - t)
    } else {
        (frames.get(i + 1), t - 0.5)
    };
    let blended = match other {
        Some(other) => here.try_slerp(other, weight, 1e-9).unwrap_or(*here),
        None => *here,
    };
    Some(blended * Vec3::x())
}

/// The unit vector nearest to `wanted` that is square to `tangent`.
fn across(wanted: &Vec3, tangent: &Vec3) -> Vec3 {
    let square = |v: &Vec3| (v - tangent * v.dot(tangent)).try_normalize(1e-6);
    square(wanted)
        .or_else(|| square(&Vec3::x()))
        .or_else(|| square(&Vec3::y()))
        .unwrap_or_else(Vec3::z)
}

fn cap(mesh: &mut TubeMesh, ring: &Ring, normal: Vec3, radius: f64) {
    let d2 = ring.tangent.cross(&ring.d1);
    let middle = mesh.positions.len() as u32;
    mesh.positions.push(ring.center);
    for side in 0..SIDES {
        let (sin, cos) = (side as f64 / SIDES as f64 * std::f64::consts::TAU).sin_cos();
        mesh.positions
            .push(ring.center + (ring.d1 * cos + d2 * sin) * radius);
    }
    mesh.normals.extend(std::iter::repeat_n(normal, SIDES + 1));
    mesh.around.extend(std::iter::repeat_n(0.5, SIDES + 1));
    mesh.along
        .extend(std::iter::repeat_n(ring.along, SIDES + 1));
    for side in 0..SIDES as u32 {
        let next = (side + 1) % SIDES as u32;
        mesh.indices
            .extend([middle, middle + 1 + side, middle + 1 + next]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arc(n: usize) -> Vec<Vec3> {
        (0..=n)
            .map(|i| {
                let a = i as f64 / n as f64 * std::f64::consts::PI;
                Vec3::new(100.0 * a.cos(), 100.0 * a.sin(), 0.0)
            })
            .collect()
    }

    #[test]
    fn the_curve_passes_through_the_nodes_and_is_round_between_them() {
        let points = arc(20);
        let curve = smooth(&points);
        for p in &points {
            assert!(curve.iter().any(|c| (c - p).norm() < 1e-9));
        }
        // The chord's sagitta is 0.31 mm here; the smooth curve must be far nearer to the circle.
        for c in &curve {
            assert!((c.norm() - 100.0).abs() < 0.02, "{}", c.norm());
        }
    }

    #[test]
    fn sizes_depend_on_the_number_of_nodes_only() {
        let a = tube(&arc(30), &[], &[4.0]);
        let mut moved = arc(30);
        moved[7] += Vec3::new(3.0, 2.0, 9.0);
        let b = tube(&moved, &[Rotation::identity(); 30], &[2.0]);
        assert_eq!(a.positions.len(), b.positions.len());
        assert_eq!(a.indices, b.indices);
        let n = a.positions.len();
        assert!(a.normals.len() == n && a.around.len() == n && a.along.len() == n);
        assert!(a.indices.iter().all(|&i| (i as usize) < n));
    }

    #[test]
    fn every_side_vertex_is_one_radius_from_the_curve() {
        let points = arc(30);
        let curve = smooth(&points);
        let mesh = tube(&points, &[], &[4.0]);
        let on_side = curve.len() * (SIDES + 1);
        for (k, p) in mesh.positions[..on_side].iter().enumerate() {
            let center = curve[k / (SIDES + 1)];
            assert!(((p - center).norm() - 4.0).abs() < 1e-9);
        }
    }

    #[test]
    fn where_the_radius_changes_the_tube_has_a_step_and_each_edge_its_radius() {
        let points: Vec<_> = (0..=4).map(|i| Vec3::z() * (10.0 * f64::from(i))).collect();
        let mesh = tube(&points, &[], &[2.0, 5.0, 5.0, 2.0]);
        let rings = smooth(&points).len() + 2;
        assert!(mesh.positions.len() > rings * (SIDES + 1));
        for p in &mesh.positions[..rings * (SIDES + 1)] {
            let (from_axis, at_step) = (p.xy().norm(), [10.0, 30.0].contains(&p.z));
            let own = if (10.0..=30.0).contains(&p.z) {
                5.0
            } else {
                2.0
            };
            let fits = |r: f64| (from_axis - r).abs() < 1e-9;
            assert!(fits(own) || at_step && fits(2.0), "{p}");
        }
    }

    #[test]
    fn the_stripe_follows_the_material_frames() {
        let points: Vec<_> = (0..=10)
            .map(|i| Vec3::z() * (10.0 * f64::from(i)))
            .collect();
        let frames: Vec<_> = (0..10)
            .map(|i| Rotation::from_axis_angle(&Vec3::z_axis(), 0.3 * f64::from(i)))
            .collect();
        let mesh = tube(&points, &frames, &[1.0]);
        let last_ring = smooth(&points).len() - 1;
        let expected = frames[9] * Vec3::x();
        assert!((mesh.normals[last_ring * (SIDES + 1)] - expected).norm() < 1e-9);
    }

    #[test]
    fn nothing_and_folded_chains_give_finite_meshes() {
        assert_eq!(tube(&[], &[], &[1.0]), TubeMesh::default());
        assert_eq!(tube(&[Vec3::zeros()], &[], &[1.0]), TubeMesh::default());
        let folded = [Vec3::zeros(), Vec3::x(), Vec3::zeros(), Vec3::zeros()];
        let mesh = tube(&folded, &[], &[1.0]);
        let finite = |v: &Vec3| v.iter().all(|c| c.is_finite());
        assert!(mesh.positions.iter().all(finite) && mesh.normals.iter().all(finite));
    }
}
