//! Finer grids: more edges for a cable, and what that says about the error of the coarse one.

use std::sync::Arc;

use super::{Cable, CableReport, HandleKind, HandlePlace, RestShape, Scene, Shape, Simulation};
use super::{SimulationError, Skin};
use crate::geom::Vec3;
use crate::solve::{CancelToken, Status};

/// Bend of the cable in one joint above which its grid is too coarse, radians: there the shape is off by some 0.1 % of
/// the length.
pub const COARSE: f64 = 0.35;

/// How far a solution is from what ever finer grids would give.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Name of the cable.
    pub cable: String,
    /// Edges of the finer grid it was compared with.
    pub n_edges: usize,
    /// Largest error of a node, mm.
    pub shape: f64,
    /// Error of the handle forces, percent of the largest.
    pub force_percent: f64,
    /// How the finer solve ended.
    pub status: Status,
}

/// The cable with every edge cut in two, or in three where a handle sits in the middle of one: there it stays.
///
/// Shape, rest shape and surface are carried over; the shape is no equilibrium of the finer rod until it is solved.
pub fn refined(cable: &Cable) -> Cable {
    let in_middles = cable.handles.iter().any(|h| {
        matches!(h.place, HandlePlace::At(_))
            && !matches!(h.kind, HandleKind::Position | HandleKind::Spring { .. })
    });
    let parts = if in_middles { 3 } else { 2 };
    let mut fine = cable.clone();
    fine.n_edges = parts * cable.n_edges;
    let cut = |lengths: Vec<f64>| -> Vec<f64> {
        let cut = |l: f64| std::iter::repeat_n(l / parts as f64, parts);
        lengths.into_iter().flat_map(cut).collect()
    };
    if cable.spacing.is_some() {
        fine.spacing = Some(cut(cable.edge_lengths()));
    }
    fine.basis_spacing = cable.basis_spacing.clone().map(cut);
    if let RestShape::Moulded { curvatures, .. } = &mut fine.rest {
        let coarse = std::mem::take(curvatures);
        for pair in coarse.windows(2) {
            let (a, b) = (Vec3::from(pair[0]), Vec3::from(pair[1]));
            let at = |k: usize| -> [f64; 3] { a.lerp(&b, k as f64 / parts as f64).into() };
            curvatures.extend((0..parts).map(at));
        }
        curvatures.extend(coarse.last());
    }
    if let Some(shape) = &cable.shape {
        let finer = refined_shape(shape, parts);
        fine.skin = cable.skin.as_ref().map(|skin| {
            let vertices: Vec<Vec3> = skin.positions(shape).collect();
            let place = |i: usize| {
                let v = &skin.vertices[i];
                let along = v.along * parts as f64;
                let part = along.floor().clamp(0.0, parts as f64 - 1.0);
                (v.edge as usize * parts + part as usize, along - part)
            };
            Arc::new(Skin::bind(&finer, &vertices, skin.triangles.clone(), place))
        });
        fine.shape = Some(finer);
    }
    fine
}

fn refined_shape(shape: &Shape, parts: usize) -> Shape {
    let n = shape.frames.len();
    let share = |k: usize| k as f64 / parts as f64;
    let mut fine = Shape {
        points: Vec::with_capacity(parts * n + 1),
        frames: Vec::with_capacity(parts * n),
        turns: vec![0; parts * n + 1],
        ..shape.clone()
    };
    for edge in 0..n {
        for k in 0..parts {
            // A node stays where it is; the others are on the smooth curve.
            fine.points.push(match k {
                0 => shape.points[edge],
                _ => shape.place_on_edge(edge, share(k)).0,
            });
            let middle = share(k) + 0.5 / parts as f64;
            fine.frames.push(shape.place_on_edge(edge, middle).1);
        }
    }
    fine.points.extend(shape.points.last());
    // Whole turns stay at the joints that had them; the solver spreads them.
    for (j, &turns) in shape.turns.iter().enumerate() {
        fine.turns[parts * j] = turns;
    }
    fine
}

/// Solves every cable on a finer grid and estimates by Richardson's rule how far the solution is off.
///
/// With r times as many edges and errors that fall with the square of the edge, the coarse solution is off by
/// r^2 / (r^2 - 1) times the difference of the two.
pub fn verify(
    scene: &Scene,
    reports: &[CableReport],
    cancel: &CancelToken,
) -> Result<Vec<Estimate>, SimulationError> {
    let mut fine = scene.clone();
    for cable in &mut fine.cables {
        cable.skin = None;
        *cable = refined(cable);
    }
    let mut simulation = Simulation::new(fine)?;
    let found = simulation.solve_quietly(cancel);
    let mut estimates = Vec::new();
    for (k, coarse) in scene.cables.iter().enumerate() {
        let fine = &simulation.scene().cables[k];
        let (Some(a), Some(b)) = (&coarse.shape, &fine.shape) else {
            continue;
        };
        let ratio = fine.n_edges / coarse.n_edges;
        let squared = (ratio * ratio) as f64;
        let factor = squared / (squared - 1.0);
        let apart = a.points.iter().enumerate();
        let shape = apart
            .map(|(i, p)| (p - b.points[ratio * i]).norm())
            .fold(0.0, f64::max);
        let report = reports.iter().find(|r| r.cable == coarse.name);
        let forces = report.map_or(0.0, |report| {
            let pairs = report.report.handles.iter().zip(&found[k].report.handles);
            let largest = (found[k].report.handles.iter())
                .map(|h| h.force.norm())
                .fold(f64::MIN_POSITIVE, f64::max);
            let apart = pairs.map(|(a, b)| (a.force - b.force).norm());
            apart.fold(0.0, f64::max) / largest
        });
        estimates.push(Estimate {
            cable: coarse.name.clone(),
            n_edges: fine.n_edges,
            shape: factor * shape,
            force_percent: 100.0 * factor * forces,
            status: found[k].report.status,
        });
    }
    Ok(estimates)
}
