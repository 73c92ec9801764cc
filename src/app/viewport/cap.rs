//! What a solid shows where the section plane cuts it: its cut face and the outline of that.

use std::collections::{BTreeMap, HashMap};

use spade::handles::{DirectedEdgeHandle, FixedVertexHandle};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};

use crate::geom::Vec3;
use crate::mesh::{DisjointSets, TriMesh};

/// Most points of one outline; beyond it the part stays open, as a sheet does.
const MOST: usize = 50_000;

/// The cut face of a solid.
#[derive(Debug, Default, PartialEq)]
pub struct Cap {
    /// Points of the outline.
    pub points: Vec<Vec3>,
    /// Triangles that fill it.
    pub triangles: Vec<[u32; 3]>,
    /// Its outline.
    pub outline: Vec<[Vec3; 2]>,
}

impl Cap {
    /// Where the plane `normal . p = d` cuts a mesh; `None` where it does not, or where the outline is not closed, since a
    /// sheet has no inside. Inside is what outlines wind round: an inner one that runs the other way bounds a hole, solids
    /// that overlap are one. Where triangles are not all turned the same way, it is what is inside an odd number of them.
    pub fn new(mesh: &TriMesh, normal: &Vec3, d: f64) -> Option<Self> {
        let (points, segments) = outline(mesh, normal, d)?;
        // Outlines that cross, as solids that overlap have, are filled each for itself.
        let triangles = filled(&points, &segments, normal).or_else(|| {
            let each = rings(points.len(), &segments);
            let each = each.iter().map(|ring| filled(&points, ring, normal));
            Some(each.collect::<Option<Vec<_>>>()?.concat())
        })?;
        let outline = segments.iter().map(|s| s.map(|k| points[k as usize]));
        Some(Self {
            outline: outline.collect(),
            points,
            triangles,
        })
    }
}

/// Where the plane meets the sides of triangles, and the segments between these points, each with what is inside on its left.
/// A vertex on the plane counts as below it, so that every triangle that is cut gives one segment.
fn outline(mesh: &TriMesh, normal: &Vec3, d: f64) -> Option<(Vec<Vec3>, Vec<[u32; 2]>)> {
    let heights = mesh.vertices().iter().map(|p| normal.dot(p) - d);
    let heights: Vec<f64> = heights.collect();
    let mut numbers: HashMap<[u32; 2], u32> = HashMap::new();
    let (mut points, mut segments, mut n_segments_at) = (Vec::new(), Vec::new(), Vec::new());
    for &[a, b, c] in mesh.triangles() {
        let mut ends = [None; 2];
        for [p, q] in [[a, b], [b, c], [c, a]] {
            let [from, to] = [p, q].map(|v| heights[v as usize] > 0.0);
            if from == to {
                continue;
            }
            let side = [p.min(q), p.max(q)];
            let end = *numbers.entry(side).or_insert_with(|| {
                let [low, high] = side.map(|v| heights[v as usize]);
                let [p, q] = side.map(|v| mesh.vertices()[v as usize]);
                points.push(p + (q - p) * (low / (low - high)));
                n_segments_at.push(0_u32);
                points.len() as u32 - 1
            });
            n_segments_at[end as usize] += 1;
            ends[usize::from(from)] = Some(end);
        }
        if let [Some(up), Some(down)] = ends {
            segments.push([up, down]);
        }
    }
    let is_closed = n_segments_at.iter().all(|n| n % 2 == 0);
    let is_some = !points.is_empty() && points.len() <= MOST;
    (is_some && is_closed).then_some((points, segments))
}

/// The outlines that do not touch each other.
fn rings(n_points: usize, segments: &[[u32; 2]]) -> Vec<Vec<[u32; 2]>> {
    let mut sets = DisjointSets::new(n_points);
    for [a, b] in segments {
        sets.join(*a, *b);
    }
    let mut rings: BTreeMap<u32, Vec<[u32; 2]>> = BTreeMap::new();
    for segment in segments {
        let ring = sets.root(segment[0]);
        rings.entry(ring).or_default().push(*segment);
    }
    rings.into_values().collect()
}

/// Triangles of what lies inside the outlines; `None` where they cross.
fn filled(points: &[Vec3], segments: &[[u32; 2]], normal: &Vec3) -> Option<Vec<[u32; 3]>> {
    let across = Vec3::ith(normal.iamin(), 1.0).cross(normal).normalize();
    let up = normal.cross(&across);
    let mut cdt = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut numbers: Vec<u32> = Vec::new();
    let mut handles: HashMap<u32, FixedVertexHandle> = HashMap::new();
    let mut balance = vec![0_i32; points.len()];
    for &[from, to] in segments {
        balance[from as usize] += 1;
        balance[to as usize] -= 1;
        for k in [from, to] {
            if handles.contains_key(&k) {
                continue;
            }
            // Numbers nearer to zero are refused by the predicates.
            let place = [across, up].map(|axis| axis.dot(&points[k as usize]));
            let [u, v] = place.map(|x| if x.abs() < 1e-30 { 0.0 } else { x });
            let handle = cdt.insert(Point2::new(u, v)).ok()?;
            if handle.index() == numbers.len() {
                numbers.push(k);
            }
            handles.insert(k, handle);
        }
    }
    // Segments from one vertex to another less those back; all count alike where they do not run round.
    let runs_round = balance.iter().all(|b| *b == 0);
    let mut weights: HashMap<[usize; 2], i32> = HashMap::new();
    for segment in segments {
        let [a, b] = segment.map(|k| handles[&k]);
        if a == b {
            continue;
        }
        if !cdt.can_add_constraint(a, b) {
            return None;
        }
        cdt.add_constraint(a, b);
        let [a, b] = [a.index(), b.index()];
        *weights.entry([a, b]).or_default() += 1;
        *weights.entry([b, a]).or_default() -= if runs_round { 1 } else { -1 };
    }
    let is_inside = |winding: i32| winding != 0 && (runs_round || winding % 2 != 0);
    // From the outside in, over one side after the other.
    let outside = cdt.outer_face().fix();
    let mut windings: Vec<Option<i32>> = vec![None; cdt.num_all_faces()];
    windings[outside.index()] = Some(0);
    let mut queue = vec![outside];
    let mut triangles = Vec::new();
    while let Some(face) = queue.pop() {
        let own = windings[face.index()].unwrap_or(0);
        let inner = cdt.face(face).as_inner();
        if let Some(inner) = inner.filter(|_| is_inside(own)) {
            triangles.push(inner.vertices().map(|v| numbers[v.index()]));
        }
        let sides: Vec<_> = match inner {
            Some(inner) => inner
                .adjacent_edges()
                .iter()
                .map(DirectedEdgeHandle::rev)
                .collect(),
            None => cdt.convex_hull().map(|e| e.rev()).collect(),
        };
        for side in sides {
            let next = side.face().fix();
            if windings[next.index()].is_none() {
                let ends = [side.from().index(), side.to().index()];
                let weight = weights.get(&ends).copied().unwrap_or(0);
                windings[next.index()] = Some(own + weight);
                queue.push(next);
            }
        }
    }
    Some(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Aabb;
    use crate::mesh::primitives;

    fn area(cap: &Cap) -> f64 {
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|k| cap.points[k as usize]);
            0.5 * (b - a).cross(&(c - a)).norm()
        };
        cap.triangles.iter().map(of).sum()
    }

    fn block(min: [f64; 3], max: [f64; 3]) -> TriMesh {
        let [min, max] = [min, max].map(Vec3::from);
        primitives::cuboid(&Aabb { min, max })
    }

    fn both(a: &TriMesh, b: &TriMesh) -> TriMesh {
        let n = a.vertices().len() as u32;
        let vertices = [a.vertices(), b.vertices()].concat();
        let shifted = b.triangles().iter().map(|t| t.map(|v| v + n));
        let triangles = a.triangles().iter().copied().chain(shifted).collect();
        TriMesh::new(vertices, triangles).unwrap()
    }

    #[test]
    fn a_cut_block_shows_its_face() {
        let mesh = block([1.0, 2.0, 3.0], [5.0, 12.0, 6.0]);
        for (normal, d, face) in [
            (Vec3::x(), 2.5, 30.0),
            (-Vec3::y(), -5.0, 12.0),
            (Vec3::z(), 4.0, 40.0),
            // Through vertices of one side, which lie in the plane.
            (Vec3::z(), 3.0, 40.0),
        ] {
            let cap = Cap::new(&mesh, &normal, d).unwrap();
            assert!((area(&cap) - face).abs() < 1e-9, "{normal}: {}", area(&cap));
            assert!(cap.points.iter().all(|p| (normal.dot(p) - d).abs() < 1e-9));
        }
        let slope = Vec3::new(1.0, 0.0, 1.0).normalize();
        let cap = Cap::new(&mesh, &slope, slope.dot(&Vec3::new(3.0, 7.0, 4.5))).unwrap();
        assert!((area(&cap) - 10.0 * 3.0 * 2.0_f64.sqrt()).abs() < 1e-9);
        assert_eq!(Cap::new(&mesh, &Vec3::z(), 7.0), None, "beside it");
    }

    /// The same surface seen from its inside.
    fn turned(mesh: &TriMesh) -> TriMesh {
        let triangles = mesh.triangles().iter().map(|[a, b, c]| [*a, *c, *b]);
        TriMesh::new(mesh.vertices().to_vec(), triangles.collect()).unwrap()
    }

    #[test]
    fn a_hole_stays_open_and_what_stands_in_it_is_full() {
        let hole = block([2.0, 2.0, -1.0], [8.0, 8.0, 11.0]);
        let tube = both(&block([0.0; 3], [10.0; 3]), &turned(&hole));
        let core = block([4.0, 4.0, 0.0], [6.0, 6.0, 10.0]);
        for (mesh, face, n_sides) in [
            (tube.clone(), 64.0, 16),
            (both(&tube, &core), 68.0, 24),
            // Inside out.
            (turned(&both(&tube, &core)), 68.0, 24),
        ] {
            let cap = Cap::new(&mesh, &Vec3::z(), 5.0).unwrap();
            assert!((area(&cap) - face).abs() < 1e-9, "{}", area(&cap));
            assert_eq!(cap.outline.len(), n_sides);
        }
    }

    #[test]
    fn solids_that_overlap_are_filled() {
        let big = block([0.0; 3], [10.0; 3]);
        let within = both(&big, &block([2.0; 3], [8.0; 3]));
        let cap = Cap::new(&within, &Vec3::z(), 5.0).unwrap();
        assert!((area(&cap) - 100.0).abs() < 1e-9, "{}", area(&cap));
        // Where the outlines meet in points of their own; and each for itself where they cross between them.
        for (from, face) in [(5.0, 175.0), (4.0, 200.0)] {
            let to = from + 10.0;
            let across = both(&big, &block([from, from, 0.0], [to, to, 10.0]));
            let cap = Cap::new(&across, &Vec3::z(), 5.0).unwrap();
            assert!((area(&cap) - face).abs() < 1e-9, "{}", area(&cap));
        }
    }

    #[test]
    fn triangles_that_are_turned_at_random_are_cut_alike() {
        let tube = both(
            &block([0.0; 3], [10.0; 3]),
            &block([2.0, 2.0, -1.0], [8.0, 8.0, 11.0]),
        );
        let mixed = tube.triangles().iter().enumerate();
        let mixed = mixed.map(|(k, &[a, b, c])| if k % 3 == 0 { [a, c, b] } else { [a, b, c] });
        let mixed = TriMesh::new(tube.vertices().to_vec(), mixed.collect()).unwrap();
        let cap = Cap::new(&mixed, &Vec3::z(), 5.0).unwrap();
        assert!((area(&cap) - 64.0).abs() < 1e-9, "{}", area(&cap));
    }

    #[test]
    fn a_sheet_has_no_inside() {
        let mesh = block([0.0; 3], [10.0; 3]);
        let open = TriMesh::new(mesh.vertices().to_vec(), mesh.triangles()[2..].to_vec()).unwrap();
        let caps: Vec<_> = (0..3)
            .map(|k| Cap::new(&open, &Vec3::ith(k, 1.0), 5.0))
            .collect();
        assert!(
            caps.iter().any(Option::is_none),
            "the border is cut somewhere"
        );
    }
}
