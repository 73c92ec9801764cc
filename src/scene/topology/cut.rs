//! One cable becomes two.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::sync::Arc;

use super::basis_shares;
use crate::geom::{Pose, Rotation, Vec3};
use crate::rod::{BendTwist, Rod, bend_twist};
use crate::scene::simulation::grip_of;
use crate::scene::{
    Cable, Fitting, Handle, HandleKind, HandlePlace, RestShape, Shape, Skin, free_name,
};

/// Edges that each piece has at least: a rod with fewer does not bend.
const LEAST_EDGES: usize = 2;

/// The node nearest to an arc length at which the cable can be cut: one that no handle holds.
pub fn cut_node(cable: &Cable, at: f64) -> Option<usize> {
    let lengths = cable.edge_lengths();
    let n = lengths.len();
    let rod = Rod::new(lengths.clone(), cable.section.of_rod()).ok()?;
    let mut held = vec![false; n + 1];
    for handle in &cable.handles {
        for node in grip_of(cable, handle, &rod).nodes() {
            held[node] = true;
        }
    }
    let free = (LEAST_EDGES..=n.checked_sub(LEAST_EDGES)?).filter(|&node| !held[node]);
    let away = |node: &usize| (rod.arc_length(*node) - at).abs();
    free.min_by(|a, b| away(a).total_cmp(&away(b)))
}

/// Cuts a cable at a node of its rod. Each piece is held by a new handle at the cut, in the frame in which its last joint
/// has the moment that the whole joint had. `None` without a shape.
pub fn cut(cable: &Cable, node: usize, second_name: &str) -> Option<[Cable; 2]> {
    let shape = cable.shape.as_ref()?;
    let lengths = cable.edge_lengths();
    let at: f64 = lengths[..node].iter().sum();
    let (shapes, clamps) = cut_shape(shape, node, [lengths[node - 1], lengths[node]]);
    let basis = basis_shares(cable);
    let n = cable.n_edges;
    let mut pieces = [cable.clone(), cable.clone()];
    for (k, (piece, shape)) in pieces.iter_mut().zip(shapes).enumerate() {
        let edges = if k == 0 { 0..node } else { node..n };
        piece.n_edges = edges.len();
        piece.length = lengths[edges.clone()].iter().sum();
        piece.basis_length = basis[edges.clone()].iter().sum();
        piece.spacing = (cable.spacing.as_ref()).map(|_| lengths[edges.clone()].to_vec());
        piece.basis_spacing = (cable.basis_spacing.as_ref()).map(|_| basis[edges.clone()].to_vec());
        // It has found its length: a piece that went on looking would move.
        piece.free_length = None;
        let (from, to) = if k == 0 {
            (0.0, at)
        } else {
            (at, cable.length)
        };
        piece.stretches = cable.stretches_between(from, to);
        if let RestShape::Moulded { curvatures, .. } = &mut piece.rest {
            *curvatures = curvatures[edges.start..=edges.end].to_vec();
        }
        piece.straight_ends[1 - k] = 0.0;
        piece.fittings[1 - k] = Fitting::default();
        piece.cut.allowances[1 - k] = 0.0;
        piece.handles = handles_of(cable, k, at, clamps[k]);
        piece.locked_spans = spans_of(cable, k, at, &piece.handles);
        // The new handle may have the name that one has on the other side of the cut: it has made no roll.
        let rolls = (cable.shape.iter()).flat_map(|s| &s.rolls);
        let own = |name: &str| cable.handle(name).map(|h| cable.arc_length(h) < at);
        let rolls: BTreeMap<String, f64> = rolls
            .filter(|(name, _)| own(name) == Some(k == 0))
            .map(|(name, roll)| (name.clone(), *roll))
            .collect();
        piece.shape = Some(Shape { rolls, ..shape });
    }
    second_name.clone_into(&mut pieces[1].name);
    pieces[1].cut.service_loop = 0.0;
    if let Some(skin) = &cable.skin {
        for (k, piece) in pieces.iter_mut().enumerate() {
            let edges = if k == 0 { 0..node } else { node..n };
            let of_piece = piece.shape.as_ref()?;
            piece.skin = Some(Arc::new(cut_skin(skin, shape, of_piece, edges)));
        }
    }
    Some(pieces)
}

/// The two shapes, and where the cut holds each.
fn cut_shape(shape: &Shape, node: usize, around: [f64; 2]) -> ([Shape; 2], [Pose; 2]) {
    let position = shape.points[node];
    let (left, right) = (shape.frames[node - 1], shape.frames[node]);
    let whole = bend_twist(&left, &right, shape.turns[node]);
    let (before, to_clamp) = share_of(&whole, around[0] / (around[0] + around[1]));
    let (after, from_clamp) = share_of(&whole, around[1] / (around[0] + around[1]));
    let clamps =
        [left * before, right * after.inverse()].map(|rotation| Pose { position, rotation });
    let n = shape.frames.len();
    let piece = |edges: std::ops::Range<usize>| Shape {
        points: shape.points[edges.start..=edges.end].to_vec(),
        frames: shape.frames[edges.clone()].to_vec(),
        turns: shape.turns[edges.start..=edges.end].to_vec(),
        clamps: shape.clamps,
        rolls: BTreeMap::new(),
        memory: (shape.memory.as_ref()).map(|memory| Arc::new(memory.stretch(&edges))),
    };
    let (mut first, mut second) = (piece(0..node), piece(node..n));
    (first.clamps[1], second.clamps[0]) = (Some(clamps[0]), Some(clamps[1]));
    first.turns[node] = whole_turns(&left, &clamps[0].rotation, to_clamp);
    second.turns[0] = whole_turns(&clamps[1].rotation, &right, from_clamp);
    ([first, second], clamps)
}

/// The rotation over a share of a joint, in which the shorter joint has the moment of the whole one, and its twist.
///
/// The moment of a joint of length l is EI/l kappa (1 + kappa^2/4), with kappa = 2 tan(beta/2): not linear in the angle, so
/// that half the angle would be too little.
fn share_of(whole: &BendTwist, share: f64) -> (Rotation, f64) {
    let quarter = 0.25 * (whole.bend[0].powi(2) + whole.bend[1].powi(2));
    let wanted = share * (1.0 + quarter);
    let mut q = share;
    for _ in 0..8 {
        let (value, slope) = (q * (1.0 + q * q * quarter), 1.0 + 3.0 * q * q * quarter);
        q -= (value - wanted) / slope;
    }
    let twist = share * whole.twist;
    let part = BendTwist {
        bend: whole.bend.map(|kappa| q * kappa),
        twist,
    };
    (part.rotation(), twist)
}

/// The turn count of a joint that has a twist.
pub(super) fn whole_turns(left: &Rotation, right: &Rotation, twist: f64) -> i32 {
    ((twist - bend_twist(left, right, 0).twist) / TAU).round() as i32
}

/// Handles of a piece: its own ones, and that at the cut.
fn handles_of(cable: &Cable, piece: usize, at: f64, clamp: Pose) -> Vec<Handle> {
    let first = piece == 0;
    let own = cable
        .handles
        .iter()
        .filter(|h| (cable.arc_length(h) < at) == first);
    let mut handles: Vec<Handle> = own.cloned().collect();
    let (from, to) = if first { (0.0, at) } else { (at, cable.length) };
    for handle in &mut handles {
        if let HandlePlace::At(s) = &mut handle.place {
            *s -= from;
        }
        if let HandleKind::Sliding { min, max } = &mut handle.kind {
            *min = min.clamp(from, to) - from;
            *max = max.clamp(from, to) - from;
        }
    }
    let place = if first {
        HandlePlace::End
    } else {
        HandlePlace::Start
    };
    let mut new = Handle::at_end(place, clamp);
    new.name = free_name(&new.name, |name| handles.iter().any(|h| h.name == name));
    if first {
        handles.push(new);
    } else {
        handles.insert(0, new);
    }
    handles
}

/// Locked stretches of a piece; one across the cut goes up to it on both sides.
fn spans_of(cable: &Cable, piece: usize, at: f64, handles: &[Handle]) -> Vec<[String; 2]> {
    let first = piece == 0;
    let new = if first {
        handles.last()
    } else {
        handles.first()
    };
    let Some(new) = new else { return Vec::new() };
    let inside = |name: &String| {
        let handle = cable.handle(name);
        handle.is_some_and(|h| (cable.arc_length(h) < at) == first)
    };
    let spans = cable
        .locked_spans
        .iter()
        .filter_map(|[a, b]| match (inside(a), inside(b)) {
            (true, true) => Some([a.clone(), b.clone()]),
            (true, false) => Some([a.clone(), new.name.clone()]),
            (false, true) => Some([new.name.clone(), b.clone()]),
            (false, false) => None,
        });
    spans.collect()
}

/// The surface of a piece: the triangles that begin in it. What lies beyond the cut is bound to its last edge.
fn cut_skin(skin: &Skin, shape: &Shape, piece: &Shape, edges: std::ops::Range<usize>) -> Skin {
    let places: Vec<Vec3> = skin.positions(shape).collect();
    let mut number = BTreeMap::new();
    let mut taken = Vec::new();
    let mut triangles = Vec::new();
    for triangle in &skin.triangles {
        let first = skin.vertices[triangle[0] as usize].edge as usize;
        if !edges.contains(&first) {
            continue;
        }
        triangles.push(triangle.map(|v| {
            *number.entry(v).or_insert_with(|| {
                taken.push(v as usize);
                taken.len() as u32 - 1
            })
        }));
    }
    let vertices: Vec<Vec3> = taken.iter().map(|&v| places[v]).collect();
    let place = |i: usize| {
        let v = &skin.vertices[taken[i]];
        let edge = (v.edge as usize).clamp(edges.start, edges.end - 1);
        (
            edge - edges.start,
            v.along + f64::from(v.edge) - edge as f64,
        )
    };
    Skin::bind(piece, &vertices, triangles, place)
}
