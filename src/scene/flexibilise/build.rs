//! A stretch of centerline becomes a cable that stands where the mesh had it.

use std::ops::Range;
use std::sync::Arc;

use crate::centerline::{Branch, CenterlineGraph};
use crate::contact::Obstacle;
use crate::contact::distance::segment_triangle;
use crate::geom::{Aabb, Pose, Vec3};
use crate::rod::{Mark, RodState, grid};
use crate::scene::start_contacts::depth_of;
use crate::scene::{
    Cable, CableStretch, Exclusion, Handle, HandleKind, HandlePlace, Material, Part, Piece, Skin,
};

use super::cut::Pieces;
use super::{FlexibiliseError, Stretch};

/// A place within a cable where something goes round it and holds it.
#[derive(Clone, Debug, PartialEq)]
pub struct Guide {
    /// Name of the part that does.
    pub part: String,
    /// From the start of the cable, mm.
    pub arc_length: f64,
    /// The cable slides through it.
    pub slides: bool,
}

/// Fewest and most edges of a new cable. In between, edges are as long as the radius.
const N_EDGES: [f64; 2] = [24.0, 300.0];
/// Most that a point is moved outwards in a bend, as a part of the second difference: four times what an arc needs.
const MOST_OUTWARDS: f64 = 1.0 / 6.0;
/// Near an end that meets something rigid, the cable may overlap it for so many radii.
const CUT_WINDOW: f64 = 4.0;
/// Nearer than this many radii, a cable overlaps: the surface itself and the reach of the barrier.
const OVERLAP: f64 = 1.12;

/// Differences of the radius up to this share are how a mesh and its centerline are.
const EVEN: f64 = 0.05;
/// Edges of a stretch of its own radius, at least; they are about as long as the radius.
const LEAST_RUN: usize = 3;

/// The cable of a stretch, with its shape, the same shape as rest shape, a full handle at each end, and one in each guide.
pub fn cable(
    name: &str,
    graph: &CenterlineGraph,
    stretch: &Stretch,
    material: &Material,
    guides: &[Guide],
) -> Result<Cable, FlexibiliseError> {
    let branch = &graph.branches[stretch.branch];
    let length = stretch.to - stretch.from;
    let radius = median_radius(branch, stretch);
    let [fewest, most] = N_EDGES;
    let n = (length / radius).round().clamp(fewest, most) as usize;
    let marks: Vec<Mark> = guides.iter().map(|g| Mark::Middle(g.arc_length)).collect();
    let spans = grid(length, n, &marks);
    let n = spans.len();
    let mut points = vec![branch.at(stretch.from).position];
    let mut s = stretch.from;
    for (i, span) in spans.iter().enumerate() {
        s = if i + 1 == n { stretch.to } else { s + span };
        points.push(branch.at(s).position);
    }
    let points = as_long_as(&points, length);

    let edges: Vec<f64> = points.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
    let rest_length: f64 = edges.iter().sum();
    // Frames without twist from the start's direction to the end's.
    let ends = [stretch.from, stretch.to].map(|s| Some(branch.tangent_at(s)));
    let state = RodState::between(points, ends);
    let section = material.section(radius);
    let mut cable = Cable::standing(name, radius, rest_length, section, state.clone());
    cable.spacing = Some(edges.clone());
    cable.material = Some(material.name.clone());
    cable.bend_limit = material.bend_limit(2.0 * radius);
    cable.stretches = thicker_and_thinner(branch, stretch, &edges, radius);
    cable
        .mould()
        .map_err(|e| FlexibiliseError::Other(format!("cable \"{name}\": {e}")))?;
    for guide in guides {
        let handle = guide_handle(guide, &cable, &edges, &state);
        cable.handles.push(handle);
    }
    Ok(cable)
}

/// The guides in order along the cable, without those that crowd another or an end: two holds need some cable between.
pub fn apart(mut guides: Vec<Guide>, stretch: &Stretch, graph: &CenterlineGraph) -> Vec<Guide> {
    let radius = median_radius(&graph.branches[stretch.branch], stretch);
    let length = stretch.to - stretch.from;
    guides.sort_by(|a, b| a.arc_length.total_cmp(&b.arc_length));
    guides.retain(|g| g.arc_length > 2.0 * radius && g.arc_length < length - 2.0 * radius);
    guides.dedup_by(|b, a| b.arc_length - a.arc_length < 3.0 * radius);
    guides
}

/// The handle of a guide: in the middle of the edge that was made for it, so that nothing moves when it takes hold.
fn guide_handle(guide: &Guide, cable: &Cable, edges: &[f64], state: &RodState) -> Handle {
    let (mut edge, mut before) = (0, 0.0);
    while edge + 1 < edges.len() && before + edges[edge] < guide.arc_length {
        before += edges[edge];
        edge += 1;
    }
    let pose = Pose {
        position: state.positions[edge].lerp(&state.positions[edge + 1], 0.5),
        rotation: state.frames[edge],
    };
    let mut handle = Handle::at_end(HandlePlace::At(before + 0.5 * edges[edge]), pose);
    let is_taken = |name: &str| cable.handle(name).is_some();
    handle.name = crate::scene::free_name(&guide.part, is_taken);
    handle.kind = if guide.slides {
        HandleKind::Sliding {
            min: 0.0,
            max: cable.length,
        }
    } else {
        HandleKind::Direction
    };
    handle.attached_to = Some(guide.part.clone());
    handle
}

/// The points moved outwards in bends, so that their chords are together as long as the smooth line that they are of.
///
/// Chords of length h on a circle of radius R are short by h²/24R²; standing h²/24R farther out they are not. The ends
/// stay.
fn as_long_as(points: &[Vec3], length: f64) -> Vec<Vec3> {
    let moved = |share: f64| -> Vec<Vec3> {
        let mut out = points.to_vec();
        for (i, w) in points.windows(3).enumerate() {
            // Curvature times the product of the two edges: the second difference where they are equal.
            let (a, b) = (w[1] - w[0], w[2] - w[1]);
            let (la, lb) = (a.norm(), b.norm());
            if la > 0.0 && lb > 0.0 {
                out[i + 1] -= (b / lb - a / la) * (2.0 * la * lb / (la + lb) * share);
            }
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

/// Where the radius that was found differs from that of the cable, as stretches between nodes of the cable.
fn thicker_and_thinner(
    branch: &Branch,
    stretch: &Stretch,
    edges: &[f64],
    radius: f64,
) -> Vec<CableStretch> {
    // Edges are a little longer than the line that they stand for, all by the same share.
    let scale = (stretch.to - stretch.from) / edges.iter().sum::<f64>();
    let mut places = vec![0.0];
    for (i, length) in edges.iter().enumerate() {
        places.push(places[i] + length);
    }
    let middle = |p: &[f64]| stretch.from + 0.5 * scale * (p[0] + p[1]);
    let radii: Vec<f64> = (places.windows(2))
        .map(|p| branch.at(middle(p)).radius)
        .collect();
    (even_runs(&radii, radius).into_iter())
        .filter(|(_, own)| (own - radius).abs() > EVEN * radius)
        .map(|(run, own)| CableStretch::of_radius(places[run.start], places[run.end], own))
        .collect()
}

/// Runs of edges whose measured radii are nearly the same, each with its median. What is too short for a run is the way
/// from one to the next, and goes to the thicker of the two.
fn even_runs(radii: &[f64], radius: f64) -> Vec<(Range<usize>, f64)> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut sum = 0.0;
    for (i, r) in radii.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if (r - sum / run.len() as f64).abs() <= EVEN * radius => {
                run.end = i + 1;
                sum += r;
            }
            _ => {
                runs.push(i..i + 1);
                sum = *r;
            }
        }
    }
    let median = |run: &Range<usize>| {
        let mut own = radii[run.clone()].to_vec();
        own.sort_by(f64::total_cmp);
        own[own.len() / 2]
    };
    let long = runs.iter().filter(|run| run.len() >= LEAST_RUN);
    let mut kept: Vec<(Range<usize>, f64)> = Vec::new();
    for (run, own) in long.map(|run| (run.clone(), median(run))) {
        let Some((last, before)) = kept.last_mut() else {
            kept.push((0..run.end, own));
            continue;
        };
        let border = if own > *before { last.end } else { run.start };
        last.end = border;
        kept.push((border..run.end, own));
    }
    match kept.last_mut() {
        Some((last, _)) => last.end = radii.len(),
        None => kept.push((0..radii.len(), radius)),
    }
    kept
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

/// Where the cable, as it stands, overlaps a part, and where its ends meet it: as deep as it is inside, but for what is
/// in a guide, which it is pulled out of.
pub fn overlaps(
    cable: &Cable,
    part: &Part,
    meets: [bool; 2],
    guided: &[[f64; 2]],
) -> Vec<Exclusion> {
    let Some(shape) = &cable.shape else {
        return Vec::new();
    };
    let obstacle = Obstacle::new(part.mesh());
    let radii = cable.edge_radii();
    let lengths = cable.edge_lengths();
    let ends = [0.0, cable.length].map(|s| CUT_WINDOW * cable.radius_at(s));
    let mut windows: Vec<[f64; 2]> = Vec::new();
    let mut add = |from: f64, to: f64| windows.push([from.max(0.0), to.min(cable.length)]);
    if meets[0] {
        add(0.0, ends[0]);
    }
    // What runs through a clip may lean on its rims.
    for [from, to] in guided {
        let radius = cable.radius_at(0.5 * (from + to));
        add(from - 2.0 * radius, to + 2.0 * radius);
    }
    let mut s = 0.0;
    for ((w, length), radius) in shape.points.windows(2).zip(&lengths).zip(&radii) {
        let reach = OVERLAP * radius;
        let region = Aabb::of_points(w).inflated(reach);
        let mut overlaps = false;
        if obstacle.aabb().intersects(&region) {
            obstacle.visit_triangles(&region, |t| {
                let (p, q) = segment_triangle(&w[0], &w[1], &obstacle.corners(t));
                overlaps |= (p - q).norm() < reach;
            });
        }
        if overlaps {
            add(s - radius, s + length + radius);
        }
        s += length;
    }
    if meets[1] {
        add(cable.length - ends[1], cable.length);
    }
    windows.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let mut apart: Vec<[f64; 2]> = Vec::new();
    for [from, to] in windows {
        match apart.last_mut() {
            Some(last) if from <= last[1] => last[1] = last[1].max(to),
            _ => apart.push([from, to]),
        }
    }
    let exclusion = |[from, to]: [f64; 2]| {
        let is_guided = guided.iter().any(|g| g[0] < to && g[1] > from);
        Exclusion {
            cable: cable.name.clone(),
            part: part.name.clone(),
            from,
            to,
            depth: (!is_guided).then(|| depth_of(cable, &obstacle, [from, to])),
        }
    };
    apart.into_iter().map(exclusion).collect()
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
