//! Round things in a mesh that something can be centred on: rims of holes and pins, and walls of cylinders.
//!
//! The vertices of a tessellated rim lie on the true circle, so a circle through them is as exact as the model.

use super::{EdgeTable, TriMesh};
use crate::geom::Vec3;

/// A rim has at least this many corners: a hexagon is a nut, not a circle.
const MIN_CORNERS: usize = 8;
/// How far the corners of a rim may be off their circle, over its radius.
const OFF_CIRCLE: f64 = 0.01;
/// Two rims belong to one hole or pin when they differ by less than this, over their radius.
const SAME_ROUND: f64 = 0.02;
/// Two rims this many radii apart or nearer are one short hole, as in a sheet; its middle is between them.
const SHORT_HOLE: f64 = 2.0;
/// Faces that meet at less than this angle are one wall (cosine of 30 degrees).
const SMOOTH: f64 = 0.866;
/// A wall is followed over at most this many triangles.
const MAX_WALL: usize = 20_000;
/// How much of the normals of a cylinder's wall may lie along its axis: mean square.
const ALONG_AXIS: f64 = 1e-3;

/// How far the corners of a triangle may be off the exact cylinder that it was made of, over its radius.
const SAME_WALL: f64 = 1e-4;

/// A circle in space, or the middle of a short hole with two rims.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rim {
    /// Its middle, mm.
    pub center: Vec3,
    /// Unit direction through it; its sign means nothing.
    pub axis: Vec3,
    /// mm.
    pub radius: f64,
    /// Distance between the two rims of a short hole, mm; 0 for a single rim.
    pub depth: f64,
}

/// The wall of a cylinder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cylinder {
    /// A point on its axis, mm.
    pub point: Vec3,
    /// Unit direction; its sign means nothing.
    pub axis: Vec3,
    /// mm.
    pub radius: f64,
}

/// The round rims among the feature edges of a mesh; the two rims of a short hole count as one.
pub fn rims(mesh: &TriMesh, edges: &[[u32; 2]]) -> Vec<Rim> {
    let vertices = mesh.vertices();
    let circles = closed_loops(edges).into_iter().filter_map(|ring| {
        let points: Vec<Vec3> = ring.iter().map(|v| vertices[*v as usize]).collect();
        circle_through(&points)
    });
    paired(circles.collect())
}

/// Loops of edges none of whose vertices has a third edge.
fn closed_loops(edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    let mut ends: Vec<(u32, u32)> = (edges.iter())
        .flat_map(|&[a, b]| [(a, b), (b, a)])
        .collect();
    ends.sort_unstable();
    ends.dedup();
    let around = |v: u32| {
        let first = ends.partition_point(|e| e.0 < v);
        let last = ends.partition_point(|e| e.0 <= v);
        &ends[first..last]
    };
    let Some(highest) = ends.last().map(|e| e.0) else {
        return Vec::new();
    };
    let mut seen = vec![false; highest as usize + 1];
    let mut loops = Vec::new();
    for &(start, _) in &ends {
        if seen[start as usize] || around(start).len() != 2 {
            continue;
        }
        let mut ring = vec![start];
        seen[start as usize] = true;
        let (mut before, mut at) = (start, around(start)[0].1);
        while at != start && !seen[at as usize] && around(at).len() == 2 {
            seen[at as usize] = true;
            ring.push(at);
            let [a, b] = [around(at)[0].1, around(at)[1].1];
            (before, at) = (at, if a == before { b } else { a });
        }
        if at == start && ring.len() >= MIN_CORNERS {
            loops.push(ring);
        }
    }
    loops
}

/// The circle that all points lie on; `None` where there is none.
pub(super) fn circle_through(points: &[Vec3]) -> Option<Rim> {
    let middle = points.iter().sum::<Vec3>() / points.len() as f64;
    // The axis by Newell's sum over the polygon: exact for a flat one, wherever its corners are.
    let turns = points.iter().zip(points.iter().cycle().skip(1));
    let normal: Vec3 = turns.map(|(a, b)| (a - middle).cross(&(b - middle))).sum();
    let axis = normal.try_normalize(f64::MIN_POSITIVE)?;
    let (center, radius) = fit_circle(points, &middle, &axis)?;
    let off = OFF_CIRCLE * radius;
    let fits = points.iter().all(|p| {
        let from = p - center;
        let height = from.dot(&axis);
        height.abs() < off && ((from - axis * height).norm() - radius).abs() < off
    });
    fits.then_some(Rim {
        center,
        axis,
        radius,
        depth: 0.0,
    })
}

/// Centre and radius of the circle about `axis` that fits points best, by least squares in
/// `x^2 + y^2 = 2 a x + 2 b y + c` (Kasa): linear, and exact for points on a circle.
fn fit_circle(points: &[Vec3], middle: &Vec3, axis: &Vec3) -> Option<(Vec3, f64)> {
    let u = axis.cross(&across(axis)).try_normalize(1e-9)?;
    let v = axis.cross(&u);
    let mut normal = nalgebra::Matrix3::zeros();
    let mut right = nalgebra::Vector3::zeros();
    for p in points {
        let from = p - middle;
        let row = nalgebra::Vector3::new(from.dot(&u), from.dot(&v), 1.0);
        let square = row.x * row.x + row.y * row.y;
        normal += row * row.transpose();
        right += row * square;
    }
    let solved = normal.lu().solve(&right)?;
    let (a, b) = (0.5 * solved.x, 0.5 * solved.y);
    let radius_sq = solved.z + a * a + b * b;
    (radius_sq > 0.0 && radius_sq.is_finite()).then(|| (middle + u * a + v * b, radius_sq.sqrt()))
}

/// A coordinate direction well off `axis`.
fn across(axis: &Vec3) -> Vec3 {
    let mut direction = Vec3::zeros();
    direction[axis.iamin()] = 1.0;
    direction
}

/// Joins the two rims of each short hole.
fn paired(mut circles: Vec<Rim>) -> Vec<Rim> {
    let mut rims = Vec::new();
    while let Some(one) = circles.pop() {
        let other = (circles.iter().enumerate())
            .filter(|(_, other)| are_one_hole(&one, other))
            .map(|(k, other)| (k, (other.center - one.center).norm()))
            .min_by(|a, b| a.1.total_cmp(&b.1));
        rims.push(match other {
            None => one,
            Some((k, depth)) => {
                let other = circles.swap_remove(k);
                let along = (other.center - one.center).try_normalize(1e-9 * one.radius);
                Rim {
                    center: 0.5 * (one.center + other.center),
                    axis: along.filter(|_| depth > one.radius).unwrap_or(one.axis),
                    radius: 0.5 * (one.radius + other.radius),
                    depth,
                }
            }
        });
    }
    rims
}

fn are_one_hole(a: &Rim, b: &Rim) -> bool {
    let apart = b.center - a.center;
    let aside = apart - a.axis * apart.dot(&a.axis);
    let small = SAME_ROUND * a.radius;
    a.axis.cross(&b.axis).norm() < SAME_ROUND
        && (a.radius - b.radius).abs() < small
        && aside.norm() < small
        && apart.norm() < SHORT_HOLE * a.radius
}

/// The cylinder whose wall triangle `from` belongs to; `None` where the wall is flat or bent in another way.
pub fn cylinder_at(mesh: &TriMesh, table: &EdgeTable, from: usize) -> Option<Cylinder> {
    // A mesh that was made of exact surfaces knows.
    if let Some(known) = known_cylinder(mesh, from) {
        return Some(known);
    }
    let wall = wall(mesh, table, from);
    let mut spread = nalgebra::Matrix3::zeros();
    let mut area = 0.0;
    for &t in &wall {
        let twice = area_normal(mesh, t);
        let size = twice.norm();
        if size > 0.0 {
            spread += twice * twice.transpose() / size;
            area += size;
        }
    }
    if area <= 0.0 {
        return None;
    }
    // Normals of a cylinder fill the plane across its axis, of a flat wall a line, of anything else all space.
    let eigen = nalgebra::SymmetricEigen::new(spread / area);
    let least = eigen.eigenvalues.imin();
    let axis: Vec3 = eigen.eigenvectors.column(least).into();
    let middle_value = eigen.eigenvalues.sum() - eigen.eigenvalues.max() - eigen.eigenvalues[least];
    if eigen.eigenvalues[least] > ALONG_AXIS || middle_value < 0.02 {
        return None;
    }
    let corners = |t: &usize| mesh.triangles()[*t].map(|v| mesh.vertices()[v as usize]);
    let points: Vec<Vec3> = wall.iter().flat_map(corners).collect();
    let middle = points.iter().sum::<Vec3>() / points.len() as f64;
    let (point, radius) = fit_circle(&points, &middle, &axis)?;
    let rough = Cylinder {
        point,
        axis,
        radius,
    };
    let Cylinder {
        point,
        axis,
        radius,
    } = refined(&points, rough).unwrap_or(rough);
    let off = OFF_CIRCLE * radius;
    let fits = points.iter().all(|p| {
        let from = p - point;
        ((from - axis * from.dot(&axis)).norm() - radius).abs() < off
    });
    fits.then_some(Cylinder {
        point,
        axis,
        radius,
    })
}

/// The exact cylinder that a triangle was made of, where the mesh remembers it.
fn known_cylinder(mesh: &TriMesh, triangle: usize) -> Option<Cylinder> {
    let corners = mesh.corners(triangle);
    let middle = corners.iter().sum::<Vec3>() / 3.0;
    let normal = area_normal(mesh, triangle).try_normalize(f64::MIN_POSITIVE)?;
    mesh.axes()
        .iter()
        .filter(|a| a.is_straight())
        .find_map(|axis| {
            let on = axis.nearest(&middle)?;
            let is_on_wall = corners.iter().all(|p| {
                let from = p - on.point;
                let out = from - on.along * from.dot(&on.along);
                (out.norm() - on.radius).abs() < SAME_WALL * on.radius
            });
            // A lid has its corners on the wall, too.
            (is_on_wall && normal.dot(&on.along).abs() < 0.1).then_some(Cylinder {
                point: on.point,
                axis: on.along,
                radius: on.radius,
            })
        })
}

/// The cylinder through points on its wall, from one near it, by least squares (Gauss-Newton). Normals of triangles
/// give the axis to some millionths only; vertices lie on the wall itself.
fn refined(points: &[Vec3], rough: Cylinder) -> Option<Cylinder> {
    let mut found = rough;
    for _ in 0..4 {
        let Cylinder {
            point,
            axis,
            radius,
        } = found;
        let u = axis.cross(&across(&axis)).try_normalize(1e-9)?;
        let v = axis.cross(&u);
        let mut normal = nalgebra::Matrix5::<f64>::zeros();
        let mut right = nalgebra::Vector5::<f64>::zeros();
        for p in points {
            let from = p - point;
            let height = from.dot(&axis);
            let out = from - axis * height;
            let distance = out.norm();
            if distance <= 0.0 {
                continue;
            }
            let (a, b) = (out.dot(&u) / distance, out.dot(&v) / distance);
            let row = nalgebra::Vector5::new(a, b, height * a, height * b, 1.0);
            normal += row * row.transpose();
            right += row * (distance - radius);
        }
        let step = normal.lu().solve(&right)?;
        found = Cylinder {
            point: point + u * step[0] + v * step[1],
            axis: (axis + u * step[2] + v * step[3]).try_normalize(1e-9)?,
            radius: radius + step[4],
        };
    }
    found.radius.is_finite().then_some(found)
}

/// The triangles that are joined to one without a sharp edge.
fn wall(mesh: &TriMesh, table: &EdgeTable, from: usize) -> Vec<usize> {
    let unit = |t: usize| area_normal(mesh, t).try_normalize(f64::MIN_POSITIVE);
    let mut seen = std::collections::BTreeSet::from([from]);
    let mut wall = vec![from];
    let mut next = 0;
    while next < wall.len() && wall.len() < MAX_WALL {
        let t = wall[next];
        next += 1;
        let Some(here) = unit(t) else { continue };
        let [a, b, c] = mesh.triangles()[t];
        for (v, w) in [(a, b), (b, c), (c, a)] {
            let Some(edge) = table.edge(v, w) else {
                continue;
            };
            if edge.n_sides() != 2 {
                continue;
            }
            for side in edge.sides() {
                let other = side.triangle();
                // Neighbours of opposite winding have opposite normals on a smooth wall.
                let smooth = unit(other).is_none_or(|n| n.dot(&here).abs() > SMOOTH);
                if smooth && seen.insert(other) {
                    wall.push(other);
                }
            }
        }
    }
    wall
}

/// Twice the area along the normal.
fn area_normal(mesh: &TriMesh, t: usize) -> Vec3 {
    let [a, b, c] = mesh.corners(t);
    (b - a).cross(&(c - a))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Pose, Rotation};
    use crate::mesh::primitives;

    /// Far from the origin and turned, as parts of a car are.
    fn placed(mesh: &TriMesh) -> (TriMesh, Pose) {
        let pose = Pose {
            position: Vec3::new(5000.0, -700.0, 310.0),
            rotation: Rotation::from_euler_angles(0.4, -0.7, 1.1),
        };
        (mesh.transformed(&pose), pose)
    }

    /// Edges with one triangle, or between faces at 30 degrees and more.
    fn sharp(mesh: &TriMesh) -> Vec<[u32; 2]> {
        let table = EdgeTable::new(mesh);
        let edges = table.edges().filter(|edge| {
            let faces: Vec<Vec3> = (edge.sides())
                .map(|s| area_normal(mesh, s.triangle()).normalize())
                .collect();
            faces.len() != 2 || faces[0].dot(&faces[1]).abs() < SMOOTH
        });
        edges.map(|edge| edge.vertices).collect()
    }

    fn angle(a: &Vec3, b: &Vec3) -> f64 {
        a.cross(b).norm().atan2(a.dot(b).abs())
    }

    #[test]
    fn the_hole_of_a_sheet_is_found_and_its_outline_is_not() {
        let sheet = primitives::sheet_with_hole(
            &Vec3::zeros(),
            &Vec3::new(200.0, 0.0, 0.0),
            &Vec3::new(0.0, 90.0, 0.0),
            [70.0, 40.0],
            12.0,
            15,
        );
        let (sheet, pose) = placed(&sheet);
        let rims = rims(&sheet, &sharp(&sheet));
        let [hole] = rims[..] else { panic!("{rims:?}") };
        let center = pose.transform(&Vec3::new(70.0, 40.0, 0.0));
        assert!((hole.center - center).norm() < 1e-9);
        assert!(angle(&hole.axis, &(pose.rotation * Vec3::z())) < 1e-9);
        assert!((hole.radius - 12.0).abs() < 1e-9 && hole.depth == 0.0);
    }

    #[test]
    fn two_near_rims_are_one_and_two_far_ones_are_two() {
        let axis = Vec3::new(0.0, 3.0, 0.0);
        let (disc, pose) = placed(&primitives::cylinder(&Vec3::zeros(), &axis, 20.0, 24, 1));
        let found = rims(&disc, &sharp(&disc));
        let [one] = found[..] else {
            panic!("{found:?}")
        };
        assert!((one.center - pose.transform(&(0.5 * axis))).norm() < 1e-9);
        assert!((one.depth - 3.0).abs() < 1e-9);
        let long = primitives::cylinder(&Vec3::zeros(), &(30.0 * axis), 20.0, 24, 3);
        let mut ends: Vec<f64> = rims(&long, &sharp(&long))
            .iter()
            .map(|r| r.center.y)
            .collect();
        ends.sort_by(f64::total_cmp);
        assert!((ends[0]).abs() < 1e-9 && (ends[1] - 90.0).abs() < 1e-9);
    }

    #[test]
    fn corners_are_no_circle() {
        // A hexagon's corners lie on a circle too.
        for n in [4, 6] {
            let nut = primitives::cylinder(&Vec3::zeros(), &Vec3::z(), 8.0, n, 1);
            assert_eq!(rims(&nut, &sharp(&nut)), [], "{n} sides");
        }
        let oval: Vec<Vec3> = (0..24)
            .map(|i| {
                let (sin, cos) = (f64::from(i) / 24.0 * std::f64::consts::TAU).sin_cos();
                Vec3::new(10.0 * cos, 11.0 * sin, 0.0)
            })
            .collect();
        assert_eq!(circle_through(&oval), None);
        assert_eq!(rims(&primitives::cuboid(&cube()), &[]), []);
    }

    fn cube() -> crate::geom::Aabb {
        crate::geom::Aabb {
            min: Vec3::zeros(),
            max: Vec3::repeat(10.0),
        }
    }

    #[test]
    fn a_wall_tells_its_axis_from_any_of_its_triangles() {
        let post = primitives::cylinder(
            &Vec3::new(10.0, 20.0, 0.0),
            &Vec3::new(0.0, 0.0, 80.0),
            28.0,
            40,
            4,
        );
        let (post, pose) = placed(&post);
        let table = EdgeTable::new(&post);
        let axis = pose.rotation * Vec3::z();
        let on_axis = pose.transform(&Vec3::new(10.0, 20.0, 0.0));
        let (mut walls, mut caps) = (0, 0);
        for t in 0..post.triangles().len() {
            match cylinder_at(&post, &table, t) {
                Some(found) => {
                    assert!(angle(&found.axis, &axis) < 1e-9);
                    let off = found.point - on_axis;
                    assert!((off - axis * off.dot(&axis)).norm() < 1e-8);
                    assert!((found.radius - 28.0).abs() < 1e-8);
                    walls += 1;
                }
                None => caps += 1,
            }
        }
        assert!(walls == 2 * 40 * 4 && caps > 0, "{walls} and {caps}");
    }

    #[test]
    fn a_bent_pipe_and_a_flat_wall_have_no_axis() {
        let bow: Vec<Vec3> = (0..=30)
            .map(|i| {
                let (sin, cos) = (f64::from(i) / 30.0 * 1.5).sin_cos();
                Vec3::new(90.0 * cos, 90.0 * sin, 0.0)
            })
            .collect();
        let pipe = primitives::tube(&bow, 12.0, 24);
        assert_eq!(cylinder_at(&pipe, &EdgeTable::new(&pipe), 40), None);
        let block = primitives::cuboid(&cube());
        assert_eq!(cylinder_at(&block, &EdgeTable::new(&block), 3), None);
    }
}
