//! Extractions that were done already, kept with their mesh: a part is followed once, however often it is asked for.

use std::sync::Arc;

use super::correct::{Correction, corrected, refuse_empty};
use super::graph::CenterlineGraph;
use super::{ExtractError, Settings, survey};
use crate::mesh::TriMesh;

/// The centerlines of a part's mesh with the user's corrections; followed at the first call, remembered after.
///
/// The same mesh is the same allocation: a part that is moved or read anew is followed anew.
pub fn extract_corrected(
    mesh: &Arc<TriMesh>,
    corrections: &[Correction],
    progress: &(dyn Fn(f64) -> bool + Sync),
) -> Result<Arc<CenterlineGraph>, ExtractError> {
    let graph = surveyed(mesh, progress)?;
    let graph = if corrections.is_empty() {
        graph
    } else {
        Arc::new(corrected(&graph, mesh, corrections))
    };
    refuse_empty(&graph)?;
    Ok(graph)
}

/// As [`extract_corrected`], for more corrections: a mesh without a cable gives a graph without branches.
pub fn survey_corrected(
    mesh: &Arc<TriMesh>,
    corrections: &[Correction],
    progress: &(dyn Fn(f64) -> bool + Sync),
) -> Result<CenterlineGraph, ExtractError> {
    Ok(corrected(&*surveyed(mesh, progress)?, mesh, corrections))
}

fn surveyed(
    mesh: &Arc<TriMesh>,
    progress: &(dyn Fn(f64) -> bool + Sync),
) -> Result<Arc<CenterlineGraph>, ExtractError> {
    if let Some(graph) = mesh.memo().get() {
        return Ok(graph);
    }
    let graph = Arc::new(survey(mesh, &Settings::default(), progress)?);
    mesh.memo().keep(&graph);
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::mesh::primitives;

    #[test]
    fn a_mesh_is_followed_once() {
        let points: Vec<Vec3> = (0..=10)
            .map(|i| Vec3::x() * (10.0 * f64::from(i)))
            .collect();
        let mesh = Arc::new(primitives::tube(&points, 4.0, 12));
        let first = extract_corrected(&mesh, &[], &|_| true).unwrap();
        let again = extract_corrected(&mesh, &[], &|_| panic!("followed again")).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        // Corrections do not follow it again either, and do not change what is remembered.
        let split = Correction::Split {
            at: [50.0, 0.0, 0.0],
        };
        let two = extract_corrected(&mesh, &[split], &|_| panic!("followed again")).unwrap();
        assert_eq!((first.branches.len(), two.branches.len()), (1, 2));
        let copy = Arc::new(TriMesh::clone(&mesh));
        let other = extract_corrected(&copy, &[], &|_| true).unwrap();
        assert!(!Arc::ptr_eq(&first, &other));
        assert_eq!(first, other);
        // What was cancelled is not remembered.
        let copy = Arc::new(TriMesh::clone(&mesh));
        let stopped = extract_corrected(&copy, &[], &|_| false);
        assert_eq!(stopped, Err(ExtractError::Cancelled));
        assert!(extract_corrected(&copy, &[], &|_| true).is_ok());
    }
}
