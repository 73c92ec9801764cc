//! A stretch of centerline becomes a cable that stands where the mesh had it.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::centerline::{Branch, CenterlineGraph};
use crate::contact::Obstacle;
use crate::contact::distance::segment_triangle;
use crate::geom::{Aabb, Pose, Rotation, Vec3, rotation_along};
use crate::mesh::TriMesh;
use crate::rod::{Rod, RodState};
use crate::scene::{Cable, Handle, HandlePlace, Material, Piece, RestShape, Shape, Skin};

use super::cut::Pieces;
use super::{FlexibiliseError, Stretch};

/// Fewest and most edges of a new cable. In between, edges are as long as the radius.
const N_EDGES: [f64; 2] = [24.0, 300.0];
/// Most that a point is moved outwards in a bend, as a part of the second difference: four times what an arc needs.
const MOST_OUTWARDS: f64 = 1.0 / 6.0;
/// Near an end that meets something rigid, the cable may overlap it for so many radii.
const CUT_WINDOW: f64 = 4.0;
/// Nearer than this many radii, a cable overlaps: the surface itself and the reach of the barrier.
const OVERLAP: f64 = 1.12;

/// The cable of a stretch, with its shape, the same shape as rest shape, and a full handle at each end.
pub fn cable(
    name: &str,
    graph: &CenterlineGraph,
    stretch: &Stretch,
    material: &Material,
) -> Result<Cable, FlexibiliseError> {
    let branch = &graph.branches[stretch.branch];
    let length = stretch.to - stretch.from;
    let radius = median_radius(branch, stretch);
    let [fewest, most] = N_EDGES;
    let n = (length / radius).round().clamp(fewest, most) as usize;
    let at = |i: usize| stretch.from + length * i as f64 / n as f64;
    let points: Vec<Vec3> = (0..=n).map(|i| branch.at(at(i)).position).collect();
    let points = as_long_as(&points, length);

    let edges: Vec<f64> = points.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
    let rest_length: f64 = edges.iter().sum();
    let mut cable = Cable::new(name, radius, rest_length, material.section(radius));
    cable.n_edges = n;
    cable.spacing = Some(edges.clone());
    cable.material = Some(material.name.clone());
    cable.bend_limit = material.bend_limit();

    // Frames without twist from the start's direction to the end's.
    let direction = |s: f64| {
        let along = rotation_along(&branch.tangent_at(s));
        along.unwrap_or_else(Rotation::identity)
    };
    let start = direction(stretch.from);
    let mut state = RodState::along(points, [Some(start), None]);
    let last = state.frames[n - 1];
    let tangent = branch.tangent_at(stretch.to);
    let turn = Rotation::rotation_between(&(last * Vec3::z()), &tangent);
    state.clamps[1] = Some(turn.unwrap_or_else(Rotation::identity) * last);
    let rod = Rod::new(edges, cable.section.of_rod())
        .map_err(|e| FlexibiliseError::Other(format!("cable \"{name}\": {e}")))?;
    cable.rest = RestShape::Moulded {
        curvatures: state.curvatures(&rod).into_iter().map(Into::into).collect(),
        share: 1.0,
    };

    let clamps = [0, 1].map(|end| state.clamp_pose(end));
    for (place, clamp) in [HandlePlace::Start, HandlePlace::End]
        .into_iter()
        .zip(clamps)
    {
        let pose = clamp.unwrap_or_else(Pose::identity);
        cable.handles.push(Handle::at_end(place, pose));
    }
    cable.shape = Some(Shape {
        points: state.positions,
        frames: state.frames,
        turns: state.turns,
        clamps,
        rolls: BTreeMap::new(),
        memory: None,
    });
    Ok(cable)
}

/// The points moved outwards in bends, so that their chords are together as long as the smooth line that they are of.
///
/// Chords of length h on a circle of radius R are short by h²/24R²; standing h²/24R farther out they are not. The ends
/// stay.
fn as_long_as(points: &[Vec3], length: f64) -> Vec<Vec3> {
    let moved = |share: f64| -> Vec<Vec3> {
        let mut out = points.to_vec();
        for (i, w) in points.windows(3).enumerate() {
            out[i + 1] -= (w[0] - w[1] * 2.0 + w[2]) * share;
        }
        out
    };
    let short_of = |share: f64| {
        let points = moved(share);
        let chords = points.windows(2).map(|w| (w[1] - w[0]).norm());
        length - chords.sum::<f64>()
    };
    // Bisection: the length grows with the share, which is 1/24 on an arc.
    let (mut low, mut high) = (0.0, MOST_OUTWARDS);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if short_of(middle) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    moved(0.5 * (low + high))
}

/// The radius that half of the stretch is thinner than.
fn median_radius(branch: &Branch, stretch: &Stretch) -> f64 {
    const N: usize = 200;
    let at = |i: usize| {
        let t = (i as f64 + 0.5) / N as f64;
        branch
            .at(stretch.from + t * (stretch.to - stretch.from))
            .radius
    };
    let mut radii: Vec<f64> = (0..N).map(at).collect();
    radii.sort_by(f64::total_cmp);
    radii[N / 2]
}

/// Binds the stretch's own triangles to the cable.
pub fn bind_skin(cable: &mut Cable, pieces: Pieces) {
    let Some(shape) = &cable.shape else {
        return;
    };
    if pieces.triangles.is_empty() {
        return;
    }
    let places = places(&shape.points, &pieces.vertices);
    let skin = Skin::bind(shape, &pieces.vertices, pieces.triangles, |i| places[i]);
    cable.skin = Some(Arc::new(skin));
}

/// For each vertex the edge of the polyline that it is nearest to, and where along it.
fn places(points: &[Vec3], vertices: &[Vec3]) -> Vec<(usize, f64)> {
    let nearest = |v: &Vec3| {
        let mut best = (f64::INFINITY, 0, 0.0);
        for (i, w) in points.windows(2).enumerate() {
            let along = w[1] - w[0];
            let t = ((v - w[0]).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
            let d = (v - w[0] - along * t).norm_squared();
            if d < best.0 {
                best = (d, i, t);
            }
        }
        (best.1, best.2)
    };
    vertices.iter().map(nearest).collect()
}

/// Stretches of arc length in which the cable, as it stands, overlaps a part, and those at ends that meet it.
pub fn overlap_windows(cable: &Cable, part: &TriMesh, meets: [bool; 2]) -> Vec<[f64; 2]> {
    let Some(shape) = &cable.shape else {
        return Vec::new();
    };
    let obstacle = Obstacle::new(part);
    let reach = OVERLAP * cable.radius;
    let lengths = cable.edge_lengths();
    let window = CUT_WINDOW * cable.radius;
    let mut windows: Vec<[f64; 2]> = Vec::new();
    let mut add = |from: f64, to: f64| match windows.last_mut() {
        Some(last) if from <= last[1] => last[1] = last[1].max(to),
        _ => windows.push([from, to]),
    };
    if meets[0] {
        add(0.0, window.min(cable.length));
    }
    let mut s = 0.0;
    for (w, length) in shape.points.windows(2).zip(&lengths) {
        let region = Aabb::of_points(w).inflated(reach);
        let mut overlaps = false;
        if obstacle.aabb().intersects(&region) {
            obstacle.visit_triangles(&region, |t| {
                let (p, q) = segment_triangle(&w[0], &w[1], &obstacle.corners(t));
                overlaps |= (p - q).norm() < reach;
            });
        }
        if overlaps {
            add(
                (s - cable.radius).max(0.0),
                (s + length + cable.radius).min(cable.length),
            );
        }
        s += length;
    }
    if meets[1] {
        add((cable.length - window).max(0.0), cable.length);
    }
    windows
}

/// The centerline between two arc lengths, as it stays on a part; `None` where there is nothing between them.
pub fn rigid_piece(branch: &Branch, from: f64, to: f64, part: Option<&str>) -> Option<Piece> {
    if !(to - from > 1e-9 * branch.length()) {
        return None;
    }
    let first = branch.at(from);
    let mut points = vec![first.position];
    let mut radii = vec![first.radius];
    let mut s = 0.0;
    for w in branch.curve.windows(2) {
        if s > from && s < to {
            points.push(w[0].position);
            radii.push(w[0].radius);
        }
        s += (w[1].position - w[0].position).norm();
    }
    let last = branch.at(to);
    points.push(last.position);
    radii.push(last.radius);
    Some(Piece::Rigid {
        part: part.map(str::to_owned),
        points,
        radii,
    })
}
