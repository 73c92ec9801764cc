//! The graph does not depend on how the mesh is written or where it stands.

use loomwright::centerline::{CenterlineGraph, Settings, extract};
use loomwright::geom::{Rotation, Vec3};
use loomwright::mesh::TriMesh;
use proptest::prelude::*;

use crate::sweep::{Soup, Station, bent_path, tube};

/// A bent trunk and a branch on its side, in two shells.
fn harness() -> Soup {
    let mut soup = tube(&bent_path(60.0, 35.0, 15.0), |_| 5.0, 14);
    let foot = Vec3::new(25.0, -5.0, 0.0);
    let branch: Vec<Station> = vec![(foot, -Vec3::y()), (foot - Vec3::y() * 70.0, -Vec3::y())];
    soup.add(tube(&branch, |_| 3.0, 12));
    soup
}

fn graph_of(mesh: &TriMesh) -> CenterlineGraph {
    extract(mesh, &Settings::default(), &|_| true).unwrap()
}

/// Largest distance from the points of `a`, moved by `place`, to the curves of `b`.
fn deviation(a: &CenterlineGraph, b: &CenterlineGraph, place: impl Fn(&Vec3) -> Vec3) -> f64 {
    let projector = b.projector();
    let curves = a.branches.iter().flat_map(|branch| &branch.curve);
    curves
        .map(|p| projector.project(&place(&p.position)).unwrap().distance)
        .fold(0.0, f64::max)
}

fn assert_same_topology(a: &CenterlineGraph, b: &CenterlineGraph) {
    let ends = |g: &CenterlineGraph| {
        let mut kinds: Vec<_> = g.nodes.iter().map(|n| format!("{:?}", n.kind)).collect();
        kinds.sort();
        kinds
    };
    assert_eq!(ends(a), ends(b));
    assert_eq!(a.branches.len(), b.branches.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn order_and_copies_do_not_matter(seed in any::<u64>()) {
        let soup = harness();
        let mut rng = fastrand::Rng::with_seed(seed);
        // Every triangle with its own vertices, in any order and from any corner.
        let mut triangles: Vec<[Vec3; 3]> = soup
            .triangles
            .iter()
            .map(|t| {
                let mut corners = t.map(|v| soup.vertices[v as usize]);
                corners.rotate_left(rng.usize(..3));
                corners
            })
            .collect();
        rng.shuffle(&mut triangles);
        let vertices: Vec<Vec3> = triangles.iter().flatten().copied().collect();
        let faces = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let a = graph_of(&soup.mesh());
        let b = graph_of(&TriMesh::new(vertices, faces).unwrap());
        prop_assert_eq!(a.nodes, b.nodes);
        prop_assert_eq!(a.branches, b.branches);
    }

    #[test]
    fn place_turn_and_unit_do_not_matter(
        axis in prop::array::uniform3(-1.0_f64..1.0),
        shift in prop::array::uniform3(-5000.0_f64..5000.0),
        in_metres in any::<bool>(),
    ) {
        let soup = harness();
        let a = graph_of(&soup.clone().mesh());
        let rotation = Rotation::from_scaled_axis(Vec3::from(axis) * 3.0);
        let scale = if in_metres { 1e-3 } else { 1.0 };
        let place = |p: &Vec3| (rotation * p + Vec3::from(shift)) * scale;
        let moved = Soup { vertices: soup.vertices.iter().map(place).collect(), ..soup };
        let b = graph_of(&moved.mesh());
        assert_same_topology(&a, &b);
        let off = deviation(&a, &b, place);
        prop_assert!(off < 0.01 * 3.0 * scale, "{}", off / scale);
    }
}
