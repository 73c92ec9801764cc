use super::*;
use crate::centerline::extract;
use crate::mesh::primitives;

/// A trunk of 400 mm and a branch that stands on its middle, as separate shells.
fn tee() -> TriMesh {
    let trunk: Vec<Vec3> = (0..=20)
        .map(|i| Vec3::x() * (20.0 * f64::from(i)))
        .collect();
    let branch: Vec<Vec3> = (0..=10)
        .map(|i| Vec3::new(200.0, 4.0 + 15.0 * f64::from(i), 0.0))
        .collect();
    joined(&[
        primitives::tube(&trunk, 5.0, 20),
        primitives::tube(&branch, 3.0, 16),
    ])
}

fn joined(pieces: &[TriMesh]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for piece in pieces {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(piece.vertices());
        triangles.extend(piece.triangles().iter().map(|t| t.map(|i| i + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

fn straight(from: Vec3, to: Vec3, radius: f64) -> TriMesh {
    let points: Vec<Vec3> = (0..=10)
        .map(|i| from + (to - from) * (f64::from(i) / 10.0))
        .collect();
    primitives::tube(&points, radius, 16)
}

fn graph_of(mesh: &TriMesh) -> CenterlineGraph {
    extract(mesh, &Settings::default(), &|_| true).unwrap()
}

/// Every number points at something, every node has branches, every kind is true.
fn assert_sound(graph: &CenterlineGraph) {
    for (i, node) in graph.nodes.iter().enumerate() {
        let ends: usize = graph
            .branches
            .iter()
            .map(|b| usize::from(b.start == i) + usize::from(b.end == i))
            .sum();
        let kind = match ends {
            1 => NodeKind::End,
            2 => NodeKind::Through,
            3.. => NodeKind::Junction,
            0 => panic!("node {i} has no branch"),
        };
        assert_eq!(node.kind, kind, "node {i}");
    }
    let mut carried = vec![false; graph.branches.len()];
    for component in &graph.components {
        if let ComponentKind::Cable { branches } = &component.kind {
            assert!(!branches.is_empty());
            assert!(branches.windows(2).all(|w| w[0] < w[1]), "{branches:?}");
            for &b in branches {
                carried[b] = true;
            }
        }
    }
    assert!(carried.iter().all(|c| *c));
    for branch in &graph.branches {
        assert!(branch.curve.len() >= 2);
        let ends = [branch.curve[0], branch.curve[branch.curve.len() - 1]];
        for (end, node) in ends.iter().zip([branch.start, branch.end]) {
            assert!((end.position - graph.nodes[node].position).norm() < 1e-6);
        }
    }
}

#[test]
fn a_spur_goes_and_the_trunk_is_one_again() {
    let mesh = tee();
    let before = graph_of(&mesh);
    assert_eq!(before.branches.len(), 3);
    let spur = Correction::DeleteBranch {
        at: [200.0, 103.0, 0.0],
    };
    let after = corrected(&before, &mesh, &[spur]);
    assert_sound(&after);
    assert_eq!((after.branches.len(), after.nodes.len()), (1, 2));
    assert!((after.branches[0].length() - 400.0).abs() < 0.5);
    let kinds: Vec<_> = after.components.iter().map(|c| &c.kind).collect();
    assert!(kinds.contains(&&ComponentKind::Rejected(NotATube::Marked)));
}

#[test]
fn ends_are_joined_across_a_gap() {
    let mesh = joined(&[
        straight(Vec3::zeros(), Vec3::x() * 150.0, 4.0),
        straight(Vec3::x() * 190.0, Vec3::x() * 300.0, 4.0),
    ]);
    let before = graph_of(&mesh);
    assert_eq!(before.branches.len(), 2);
    let join = Correction::JoinEnds {
        from: [149.0, 4.0, 0.0],
        to: [191.0, -4.0, 0.0],
    };
    let after = corrected(&before, &mesh, &[join]);
    assert_sound(&after);
    assert_eq!(after.branches.len(), 1);
    assert!((after.branches[0].length() - 300.0).abs() < 0.5);
    assert_eq!(after.components.len(), 2);
    let same = Correction::JoinEnds {
        from: [149.0, 4.0, 0.0],
        to: [150.0, 4.0, 0.0],
    };
    let mut graph = before.clone();
    assert_eq!(same.apply(&mut graph, &mesh), Err(CorrectionError::SameEnd));
    assert_eq!(graph, before);
}

#[test]
fn a_branch_is_split_in_two_that_meet() {
    let mesh = straight(Vec3::zeros(), Vec3::x() * 150.0, 4.0);
    let before = graph_of(&mesh);
    let split = Correction::Split {
        at: [61.0, 4.0, 0.0],
    };
    let after = corrected(&before, &mesh, &[split]);
    assert_sound(&after);
    assert_eq!((after.branches.len(), after.nodes.len()), (2, 3));
    let mut lengths: Vec<f64> = after.branches.iter().map(Branch::length).collect();
    lengths.sort_by(f64::total_cmp);
    assert!((lengths[0] - 61.0).abs() < 0.1 && (lengths[1] - 89.0).abs() < 0.1);
    // And joined again by taking nothing away: both halves meet, so no end is free there.
    let join = Correction::JoinEnds {
        from: [61.0, 0.0, 0.0],
        to: [61.0, 1.0, 0.0],
    };
    let again = corrected(&after, &mesh, &[join]);
    let is_lost = |w: &Warning| matches!(w, Warning::CorrectionLost { number: 1, .. });
    assert!(again.warnings.iter().any(is_lost), "{:?}", again.warnings);
    let near = Correction::Split {
        at: [1.0, 4.0, 0.0],
    };
    let error = near.apply(&mut before.clone(), &mesh).unwrap_err();
    assert!(error.to_string().contains("farther away"), "{error}");
}

#[test]
fn a_radius_is_overruled_and_nonsense_refused() {
    let mesh = tee();
    let before = graph_of(&mesh);
    let at = [200.0, 103.0, 0.0];
    let set = Correction::SetRadius { at, radius: 7.5 };
    let after = corrected(&before, &mesh, &[set]);
    assert_sound(&after);
    let (branch, _) = branch_at(&after, &Vec3::from(at)).unwrap();
    assert!(after.branches[branch].curve.iter().all(|p| p.radius == 7.5));
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut graph = before.clone();
        let set = Correction::SetRadius { at, radius };
        assert!(set.apply(&mut graph, &mesh).is_err());
        assert_eq!(graph, before);
    }
    let far = Correction::DeleteBranch {
        at: [0.0, 900.0, 0.0],
    };
    let error = far.apply(&mut before.clone(), &mesh).unwrap_err();
    assert!(error.to_string().contains("no branch at"), "{error}");
}

#[test]
fn pieces_are_marked_as_connector_and_as_cable() {
    // A bolt of 2 diameters is refused; the user knows better.
    let mesh = joined(&[
        straight(Vec3::zeros(), Vec3::x() * 150.0, 4.0),
        straight(Vec3::new(0.0, 50.0, 0.0), Vec3::new(20.0, 50.0, 0.0), 5.0),
    ]);
    let before = graph_of(&mesh);
    assert_eq!(before.branches.len(), 1);
    let on_bolt = [10.0, 55.0, 0.0];
    let cable = Correction::MarkCable { at: on_bolt };
    let both = corrected(&before, &mesh, &[cable]);
    assert_sound(&both);
    assert_eq!(both.branches.len(), 2, "{:?}", both.warnings);
    let (bolt, _) = branch_at(&both, &Vec3::from(on_bolt)).unwrap();
    assert!((both.branches[bolt].length() - 20.0).abs() < 1.0);
    let connector = Correction::MarkConnector {
        at: [75.0, 4.0, 0.0],
    };
    let only = corrected(&before, &mesh, &[cable, connector]);
    assert_sound(&only);
    assert_eq!(only.branches.len(), 1);
    assert!((only.branches[0].length() - 20.0).abs() < 1.0);
    // In the other order too, and each is refused when it says nothing new.
    assert_eq!(
        corrected(&before, &mesh, &[connector, cable]).branches,
        only.branches
    );
    let error = cable.apply(&mut only.clone(), &mesh).unwrap_err();
    assert!(error.to_string().contains("cable already"), "{error}");
    let error = connector.apply(&mut only.clone(), &mesh).unwrap_err();
    assert!(error.to_string().contains("no cable already"), "{error}");
}
