//! Centerlines of tessellated cables, hoses and harnesses.
//!
//! [`extract`] takes a triangle mesh and returns a [`CenterlineGraph`]: ends and junctions, and between them branches
//! with a radius along them. Sections are tracked by plane cuts, refined by circles through the mesh's vertices, and
//! joined last; `docs/theory/centerline.md` tells how and why.

mod assemble;
mod beginnings;
mod bodies;
mod bvh;
mod cache;
mod circle;
mod contacts;
mod correct;
mod curve;
mod ends;
mod exact;
mod fans;
mod flat_ends;
mod graph;
mod hubs;
mod join;
mod line;
mod recenter;
mod refine;
mod rejection;
mod section;
mod seed;
mod shell;
mod slab;
mod sleeves;
mod slice;
mod support;
mod trace;
mod track;
mod verify;
mod walk;
mod wall_points;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::mesh::TriMesh;
use crate::parallel;

pub use cache::{extract_corrected, survey_corrected};
pub use correct::{Correction, CorrectionError, corrected};
pub use graph::{
    Branch, CenterlineGraph, ComponentInfo, ComponentKind, CurvePoint, GraphNode, NodeKind,
    NotATube, Projection, Projector, SurfaceOwner, Warning,
};
use shell::Shells;

/// How an extraction is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Widest gap across which pieces of one harness are joined, in radii of the thinner one.
    pub join_gap: f64,
    /// Whatever has sections is a cable, however short, thick or square: the user said so.
    pub insist: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            join_gap: 0.3,
            insist: false,
        }
    }
}

/// Why there is no result.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ExtractError {
    /// The caller asked to stop.
    #[error("the extraction was cancelled")]
    Cancelled,
    /// Nothing in the mesh is a cable.
    #[error("no cable found: {reason}")]
    NoCable {
        /// Why, for the largest piece.
        reason: NotATube,
        /// How many pieces there are.
        n_components: usize,
    },
}

/// Finds the centerlines in a mesh.
///
/// `progress` is called with the part that is done, 0 to 1, now and then and from any thread; it returns whether to go
/// on. The result does not depend on the order of triangles and vertices, nor on the number of threads.
pub fn extract(
    mesh: &TriMesh,
    settings: &Settings,
    progress: &(dyn Fn(f64) -> bool + Sync),
) -> Result<CenterlineGraph, ExtractError> {
    let graph = survey(mesh, settings, progress)?;
    correct::refuse_empty(&graph)?;
    Ok(graph)
}

/// As [`extract`], but a mesh without a cable gives a graph without branches: what its pieces are is known.
fn survey(
    mesh: &TriMesh,
    settings: &Settings,
    progress: &(dyn Fn(f64) -> bool + Sync),
) -> Result<CenterlineGraph, ExtractError> {
    if !progress(0.0) {
        return Err(ExtractError::Cancelled);
    }
    let shells = Shells::new(mesh);
    let n_triangles: usize = shells.list.iter().map(|s| s.triangles.len()).sum();
    let n_done = AtomicUsize::new(0);
    let part_done = || n_done.load(Ordering::Relaxed) as f64 / n_triangles.max(1) as f64;
    let is_cancelled = || !progress(0.2 + 0.7 * part_done());
    // The largest first: they would hold up the end.
    let mut order: Vec<usize> = (0..shells.list.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(shells.list[i].triangles.len()));
    let mut found = parallel::map(order, |i| {
        let shell = &shells.list[i];
        let trace = trace::trace(shell, shells.size, settings.insist, &is_cancelled);
        n_done.fetch_add(shell.triangles.len(), Ordering::Relaxed);
        (i, trace)
    });
    if is_cancelled() {
        return Err(ExtractError::Cancelled);
    }
    found.sort_by_key(|(i, _)| *i);
    let traces = found.into_iter().map(|(_, trace)| trace).collect();
    let mut graph = join::join(&shells, traces, settings);
    exact::settle(&mut graph, mesh.axes());
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::mesh::primitives;

    #[test]
    fn the_graph_is_the_same_to_the_last_bit_on_any_number_of_cores() {
        // Two bends that meet, of enough triangles to be shared out.
        let arc = |start: f64, turn: f64| -> Vec<Vec3> {
            let at = |i: i32| start + turn * f64::from(i) / 150.0;
            let point = |a: f64| Vec3::new(90.0 * a.sin(), 90.0 * a.cos(), 4.0 * a);
            (0..=150).map(at).map(point).collect()
        };
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for (start, turn) in [(0.0, 2.0), (2.0, 1.8)] {
            let tube = primitives::tube(&arc(start, turn), 5.0, 40);
            let first = vertices.len() as u32;
            vertices.extend_from_slice(tube.vertices());
            triangles.extend(tube.triangles().iter().map(|t| t.map(|v| v + first)));
        }
        let mesh = TriMesh::new(vertices, triangles).unwrap();
        let found = [1, 2, 5].map(|n| {
            parallel::pretend_cores(n);
            extract(&mesh, &Settings::default(), &|_| true).unwrap()
        });
        assert_eq!(found[0].branches.len(), 1);
        // Equal numbers print alike only when they are the same bits.
        let text = |k: usize| format!("{:?}", found[k]);
        assert!(text(0) == text(1) && text(0) == text(2));
    }
}
