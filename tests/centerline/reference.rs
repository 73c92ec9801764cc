//! Harness meshes made by a CAD kernel, against the lines that they were made along.

use std::path::PathBuf;

use loomwright::centerline::{Branch, CenterlineGraph, NodeKind, Settings, extract};
use loomwright::geom::Vec3;
use loomwright::mesh::import::import_file;
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/harness")
        .join(name)
}

fn point(value: &Value) -> Vec3 {
    let c = |k: usize| value[k].as_f64().unwrap();
    Vec3::new(c(0), c(1), c(2))
}

/// Extracts a case and holds it to the limits of its truth file: deviation, length, ends and junctions.
fn assert_case(case: &str) -> CenterlineGraph {
    let file = import_file(&fixture(&format!("{case}.stl"))).unwrap();
    let graph = extract(&file.parts[0].mesh, &Settings::default(), &|_| true).unwrap();
    let text = std::fs::read_to_string(fixture(&format!("{case}.truth.json"))).unwrap();
    let truth: Value = serde_json::from_str(&text).unwrap();
    let limit = |name: &str| truth["policy"][name].as_f64().unwrap() / 100.0;
    let zones: Vec<(Vec3, f64)> = truth["zones"]
        .as_array()
        .unwrap()
        .iter()
        .map(|z| (point(&z["center"]), z["radius"].as_f64().unwrap()))
        .collect();

    let projector = graph.projector();
    for branch in truth["branches"].as_array().unwrap() {
        let points: Vec<Vec3> = branch["points"]
            .as_array()
            .unwrap()
            .iter()
            .map(point)
            .collect();
        let radius = branch["radii"][0].as_f64().unwrap();
        for w in points.windows(2) {
            for i in 0..=8 {
                let p = w[0] + (w[1] - w[0]) * (f64::from(i) / 8.0);
                let is_in_zone = zones.iter().any(|(c, r)| (p - c).norm() < *r);
                if is_in_zone {
                    continue;
                }
                let off = projector.project(&p).unwrap().distance / radius;
                assert!(off < limit("max_dev_pct"), "{case}: {off} radii at {p}");
            }
        }
    }
    let length: f64 = graph.branches.iter().map(Branch::length).sum();
    let wanted = truth["total_length"].as_f64().unwrap();
    // Junctions count here, where the scored length leaves them out.
    assert!(
        (length / wanted - 1.0).abs() < 2.0 * limit("length_pct"),
        "{case}: {length} for {wanted} mm"
    );
    let count = |kind: NodeKind| graph.nodes.iter().filter(|n| n.kind == kind).count() as u64;
    assert_eq!(Some(count(NodeKind::End)), truth["ends"].as_u64(), "{case}");
    assert_eq!(
        Some(count(NodeKind::Junction)),
        truth["junctions"].as_u64(),
        "{case}"
    );
    graph
}

#[test]
fn a_tee_of_one_solid_has_one_junction_on_the_trunk() {
    let graph = assert_case("tee_a");
    assert_eq!(graph.branches.len(), 3);
}

#[test]
fn an_oblique_branch_as_thick_as_the_trunk_does_not_turn_into_it() {
    // Half of the branch's circle is still there where it enters the trunk: it was followed round the corner.
    let graph = assert_case("tee_oblique");
    assert_eq!(graph.branches.len(), 3);
}

#[test]
fn four_branches_of_one_solid_meet_in_one_point() {
    let graph = assert_case("star4_a");
    assert_eq!(graph.branches.len(), 4);
}

#[test]
fn a_branch_of_a_union_begins_at_its_node_though_it_comes_out_of_the_trunk_far_from_there() {
    // Only a part of the branches' flat ends tells the node: the junction was 12 mm along the trunk.
    let graph = assert_case("united_a");
    let junction = (graph.nodes.iter()).find(|n| n.kind == NodeKind::Junction);
    let place = junction.unwrap().position;
    assert!((place - Vec3::new(90.0, 0.0, 0.0)).norm() < 0.1, "{place}");
    let mut lengths: Vec<f64> = graph.branches.iter().map(Branch::length).collect();
    lengths.sort_by(f64::total_cmp);
    for (length, wanted) in lengths.iter().zip([90.0, 90.396, 107.045]) {
        assert!(
            (length / wanted - 1.0).abs() < 1e-3,
            "{length} for {wanted} mm"
        );
    }
}

#[test]
fn a_tee_of_hoses_has_its_outer_radius() {
    let graph = assert_case("tee_hollow");
    assert_eq!(graph.branches.len(), 3);
    // The inner wall is whole nearer to the junction than the outer one, and must not be taken for it.
    for branch in &graph.branches {
        let wanted = if branch.tangent_at(60.0).x.abs() > 0.5 {
            9.0
        } else {
            5.0
        };
        for s in [40.0, 60.0, 80.0] {
            let radius = branch.at(s).radius;
            assert!(
                (radius - wanted).abs() < 0.03 * wanted,
                "{radius} mm for {wanted}"
            );
        }
    }
}

#[test]
fn a_flat_cable_has_its_line_in_the_middle() {
    let graph = assert_case("ribbon_a");
    // The circle of the area of 20 x 2 mm.
    let radius = graph.branches[0].at(100.0).radius;
    assert!(
        (radius - (40.0 / std::f64::consts::PI).sqrt()).abs() < 0.05,
        "{radius}"
    );
}

#[test]
fn six_sides_with_few_rings_still_give_arcs() {
    let graph = assert_case("coarse6_a");
    for point in &graph.branches[0].curve {
        assert!((point.radius - 6.0).abs() < 0.06, "{}", point.radius);
    }
}
