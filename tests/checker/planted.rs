//! Crossings and near misses planted by hand.

use crate::{checker_of, crossing, sheet, soup, v};
use loomwright::check::{Checker, Finding, NotFinite};
use loomwright::geom::Vec3;
use loomwright::mesh::TriMesh;

/// A straight cable along x at the given y and z.
fn straight(y: f64, z: f64) -> Vec<Vec3> {
    (0..=10)
        .map(|k| v(f64::from(k) * 4.0 - 20.0, y, z))
        .collect()
}

/// A square sheet of half width 10 in z = 0 with a square hole of half width 2, 12 triangles round it.
fn sheet_with_hole() -> TriMesh {
    let ring = |r: f64| [v(-r, -r, 0.0), v(r, -r, 0.0), v(r, r, 0.0), v(-r, r, 0.0)];
    let vertices: Vec<Vec3> = ring(10.0).into_iter().chain(ring(2.0)).collect();
    let triangles = (0..4)
        .flat_map(|k| {
            let next = (k + 1) % 4;
            [[k, next, 4 + next], [k, 4 + next, 4 + k]]
        })
        .collect();
    TriMesh::new(vertices, triangles).expect("a mesh")
}

#[test]
fn jump_through_a_sheet_in_one_iterate() {
    let floor = sheet(50.0, 7, 0.0);
    let wall = sheet(50.0, 7, -30.0);
    let checker = Checker::new([("lower wall", &wall), ("floor", &floor)]);
    // Before and after, the whole cable is far from the sheet.
    let hit = crossing(&checker, &straight(1.3, 7.0), &straight(1.3, -21.0)).expect("a crossing");
    assert_eq!(checker.part_name(hit.part), "floor");
    assert!((hit.time - 0.25).abs() < 1e-9);
    assert!(hit.position.z.abs() < 1e-9);
    let corners = floor.corners(hit.triangle);
    assert!(crate::reference::point_triangle(&hit.position, &corners) < 1e-9);
    // The way to the sheet, and along it, is free.
    assert_eq!(
        crossing(&checker, &straight(1.3, 7.0), &straight(9.0, 0.1)),
        None
    );
    // Both sheets on the way: the first is named, whichever the order.
    let hit = crossing(&checker, &straight(0.0, -50.0), &straight(0.0, 50.0)).expect("two");
    assert_eq!(checker.part_name(hit.part), "lower wall");
}

#[test]
fn one_node_pulled_through() {
    let checker = Checker::new([("floor", &sheet(50.0, 7, 0.0))]);
    let before = straight(0.5, 2.0);
    let mut after = before.clone();
    after[6].z = -0.01;
    let hit = crossing(&checker, &before, &after).expect("a crossing");
    assert!(hit.edge == 5 || hit.edge == 6);
    after[6].z = 0.01;
    assert_eq!(crossing(&checker, &before, &after), None);
}

#[test]
fn turn_that_crosses_only_half_way() {
    // The edge swaps its ends, passing upright in between. A small flag above its middle is hit only then.
    let checker = checker_of(&[[v(-0.1, 0.1, 3.0), v(0.1, 0.1, 3.0), v(0.0, -0.1, 3.2)]]);
    let before = [v(-5.0, 0.0, 0.0), v(5.0, 0.0, 0.0)];
    let mid = [v(0.0, 0.0, -5.0), v(0.0, 0.0, 5.0)];
    let after = [v(5.0, 0.0, -10.0), v(-5.0, 0.0, 10.0)];
    for state in [before, mid, after] {
        let clear = crossing(&checker, &state, &state).is_none();
        assert_eq!(clear, state != mid);
    }
    let hit = crossing(&checker, &before, &after).expect("a crossing");
    assert!((hit.time - 0.5).abs() < 0.05, "{}", hit.time);
}

#[test]
fn sweep_over_a_thin_post_between_the_ends() {
    // Neither end comes near the post; only the middle of the edge sweeps over it.
    let post = [v(0.0, 0.0, -1.0), v(0.0, 0.001, -1.0), v(0.0, 0.0, 1.0)];
    let checker = checker_of(&[post]);
    let before = [v(-1.0, -9.0, 0.0), v(-1.0, 9.0, 0.0)];
    let after = [v(2.0, -9.0, 0.5), v(2.0, 9.0, -0.5)];
    assert!(crossing(&checker, &before, &after).is_some());
    let over = [before, after].map(|ends| ends.map(|x| x + Vec3::z() * 1.2));
    assert_eq!(crossing(&checker, &over[0], &over[1]), None);
}

#[test]
fn through_a_hole_and_slightly_beside_it() {
    let checker = Checker::new([("plate", &sheet_with_hole())]);
    let edge = |x: f64, z: f64| [v(x - 0.9, 0.3, z), v(x + 0.9, 0.3, z)];
    assert_eq!(crossing(&checker, &edge(0.0, 5.0), &edge(0.0, -5.0)), None);
    assert_eq!(
        crossing(&checker, &edge(1.099, 5.0), &edge(1.099, -5.0)),
        None
    );
    assert!(crossing(&checker, &edge(1.101, 5.0), &edge(1.101, -5.0)).is_some());
    // Along its own direction, the way a cable is pulled in.
    let along = |x: f64, z: f64| [v(x, 0.0, z), v(x, 0.0, z + 3.0)];
    assert_eq!(
        crossing(&checker, &along(1.999, 1.0), &along(1.999, -9.0)),
        None
    );
    assert!(crossing(&checker, &along(2.001, 1.0), &along(2.001, -9.0)).is_some());
}

#[test]
fn node_through_a_vertex_and_through_a_side_of_the_mesh() {
    // Vertices at multiples of 10; each is shared by six triangles, and none may leave it to the others.
    let checker = Checker::new([("floor", &sheet(30.0, 6, 0.0))]);
    for (x, y) in [
        (0.0, 0.0),
        (10.0, -20.0),
        (5.0, 0.0),
        (5.0, 5.0),
        (-30.0, 30.0),
        (30.0, 3.0),
    ] {
        let at = |z: f64| [v(x, y, z), v(x, y, z)];
        let hit = crossing(&checker, &at(2.0), &at(-2.0)).expect("a point falls through");
        assert!((hit.time - 0.5).abs() < 1e-10);
        let upright = |z: f64| [v(x, y, z), v(x, y, z + 1.0)];
        assert!(crossing(&checker, &upright(0.5), &upright(-3.0)).is_some());
    }
    let beside = |z: f64| [v(30.001, 3.0, z), v(30.001, 3.0, z)];
    assert_eq!(crossing(&checker, &beside(2.0), &beside(-2.0)), None);
    // A polyline of one node is that point.
    assert!(crossing(&checker, &[v(1.0, 2.0, 3.0)], &[v(1.0, 2.0, -3.0)]).is_some());
}

#[test]
fn touching_a_corner_counts_and_missing_it_does_not() {
    let checker = checker_of(&[[v(0.0, 0.0, 0.0), v(-5.0, 3.0, 0.0), v(-5.0, -3.0, 0.0)]]);
    let edge = |x: f64| [v(x, -1.0, -1.0), v(x, 1.0, 1.0)];
    assert!(crossing(&checker, &edge(2.0), &edge(0.0)).is_some());
    assert!(crossing(&checker, &edge(0.0), &edge(2.0)).is_some());
    assert_eq!(crossing(&checker, &edge(2.0), &edge(1e-9)), None);
    // Passing by the corner along y.
    let by = |y: f64, x: f64| [v(x, y, -1.0), v(x, y, 1.0)];
    assert!(crossing(&checker, &by(-4.0, 0.0), &by(4.0, 0.0)).is_some());
    assert_eq!(crossing(&checker, &by(-4.0, 1e-9), &by(4.0, 1e-9)), None);
}

#[test]
fn sliding_along_a_plane_at_the_radius_is_clear() {
    let checker = Checker::new([("floor", &sheet(50.0, 9, 0.0))]);
    let radius = 4.0;
    let (before, after) = (straight(-7.0, radius), straight(7.0, radius));
    assert_eq!(crossing(&checker, &before, &after), None);
    let gap = checker.smallest_gap(&after, radius, 10.0).expect("finite");
    let gap = gap.expect("near the floor");
    assert!(gap.gap.abs() < 1e-14, "{}", gap.gap);
    assert!(gap.position.z.abs() < 1e-14);
    // Even on a hair, the axis itself does not touch.
    assert_eq!(
        crossing(&checker, &straight(-7.0, 1e-9), &straight(7.0, 1e-9)),
        None
    );
    assert!(crossing(&checker, &straight(-7.0, 0.0), &straight(7.0, 0.0)).is_some());
}

#[test]
fn moving_within_the_plane_of_a_triangle() {
    let checker = checker_of(&[[v(0.0, 0.0, 0.0), v(4.0, 0.0, 0.0), v(0.0, 4.0, 0.0)]]);
    let edge = |x: f64| [v(x, -1.0, 0.0), v(x, 1.0, 0.0)];
    let hit = crossing(&checker, &edge(8.0), &edge(2.0)).expect("slides into it");
    assert!((hit.time - 2.0 / 3.0).abs() < 1e-9);
    assert_eq!(crossing(&checker, &edge(8.0), &edge(4.001)), None);
    assert_eq!(crossing(&checker, &edge(-8.0), &edge(-0.001)), None);
    // Jumping over it in its plane, and starting inside it.
    assert!(crossing(&checker, &edge(8.0), &edge(-8.0)).is_some());
    let inside = [v(0.5, 0.5, 0.0), v(1.0, 1.0, 0.0)];
    assert_eq!(
        crossing(&checker, &inside, &inside).map(|c| c.time),
        Some(0.0)
    );
}

#[test]
fn needle_triangles_stop_a_cable() {
    for thickness in [1e-3, 1e-7, 1e-11, 1e-15, 1e-300, 0.0] {
        let needle = [
            v(-40.0, 0.0, 0.0),
            v(40.0, 0.0, 0.0),
            v(10.0, thickness, 0.0),
        ];
        let checker = checker_of(&[needle]);
        let edge = |y: f64, z: f64| [v(3.0, y - 1.0, z), v(5.0, y + 1.0, z)];
        assert!(
            crossing(&checker, &edge(0.0, 2.0), &edge(0.0, -2.0)).is_some(),
            "{thickness}"
        );
        assert_eq!(
            crossing(&checker, &edge(1.1, 2.0), &edge(1.1, -2.0)),
            None,
            "{thickness}"
        );
        let gap = checker.smallest_gap(&edge(0.0, 2.0), 0.5, 9.0);
        let gap = gap.expect("finite").expect("near").gap;
        assert!((gap - 1.5).abs() < 1e-12, "{thickness}: {gap}");
    }
}

#[test]
fn degenerate_triangles_and_edges() {
    let line = [v(-5.0, 0.0, 0.0), v(0.0, 0.0, 0.0), v(5.0, 0.0, 0.0)];
    let dot = [v(20.0, 0.0, 0.0); 3];
    let checker = checker_of(&[line, dot]);
    let edge = |x: f64, z: f64| [v(x, -1.0, z), v(x, 1.0, z)];
    assert!(crossing(&checker, &edge(2.0, 1.0), &edge(2.0, -1.0)).is_some());
    assert_eq!(crossing(&checker, &edge(5.1, 1.0), &edge(5.1, -1.0)), None);
    let hit = crossing(&checker, &edge(20.0, 1.0), &edge(20.0, -1.0)).expect("the dot");
    assert_eq!(hit.triangle, 1);
    assert_eq!(
        crossing(&checker, &edge(20.1, 1.0), &edge(20.1, -1.0)),
        None
    );
    // An edge of no length against both.
    let node = |x: f64, z: f64| [v(x, 0.0, z), v(x, 0.0, z)];
    assert!(crossing(&checker, &node(2.0, 1.0), &node(2.0, -1.0)).is_some());
    assert!(crossing(&checker, &node(20.0, 1.0), &node(20.0, -1.0)).is_some());
    assert_eq!(crossing(&checker, &node(6.0, 1.0), &node(6.0, -1.0)), None);
}

#[test]
fn far_from_the_origin() {
    for far in [1e6, 1e9, 1e12] {
        let offset = v(far, -2.0 * far, 3.0 * far);
        let triangle = [v(-8.0, -8.0, 0.0), v(8.0, -8.0, 0.0), v(0.0, 8.0, 0.0)];
        let checker = checker_of(&[triangle.map(|c| c + offset)]);
        let edge = |z: f64| [v(-1.0, 0.0, z) + offset, v(1.0, 0.0, z) + offset];
        assert!(
            crossing(&checker, &edge(2.0), &edge(-2.0)).is_some(),
            "{far}"
        );
        // A quarter is still a number at 1e12, and clear.
        assert_eq!(crossing(&checker, &edge(2.0), &edge(0.25)), None, "{far}");
        let gap = checker.smallest_gap(&edge(0.25), 0.125, 9.0);
        assert_eq!(gap.expect("finite").expect("near").gap, 0.125);
    }
}

#[test]
fn numbers_that_are_none_never_pass() {
    let checker = checker_of(&[[v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)]]);
    let good = [v(50.0, 0.0, 0.0), v(51.0, 0.0, 0.0), v(52.0, 0.0, 0.0)];
    assert_eq!(checker.check_motion(&good, &good), None);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e101] {
        for k in 0..3 {
            let mut broken = good;
            broken[2][k] = bad;
            let fault = NotFinite { node: 2 };
            let finding = Some(Finding::NotFinite(fault));
            assert_eq!(checker.check_motion(&good, &broken), finding);
            assert_eq!(checker.check_motion(&broken, &good), finding);
            assert_eq!(checker.smallest_gap(&broken, 1.0, 9.0), Err(fault));
        }
    }
    assert_eq!(
        checker.check_motion(&good, &good[..2]),
        Some(Finding::NodeCount {
            before: 3,
            after: 2
        })
    );
}

#[test]
fn gap_of_an_axis_inside_a_part_is_minus_the_radius() {
    let checker = Checker::new([("floor", &sheet(50.0, 9, 0.0))]);
    let points = [v(1.0, 1.0, 3.0), v(1.5, 1.0, 0.5), v(2.0, 1.0, -0.5)];
    let gap = checker.smallest_gap(&points, 4.0, 10.0).expect("finite");
    let gap = gap.expect("near");
    assert_eq!((gap.gap, gap.edge), (-4.0, 1));
    assert!((gap.position - v(1.75, 1.0, 0.0)).norm() < 1e-12);
    // Out of the search distance there is no gap to speak of.
    assert_eq!(checker.smallest_gap(&points[..1], 4.0, 2.9), Ok(None));
    assert!(matches!(
        checker.smallest_gap(&points[..1], 4.0, 3.1),
        Ok(Some(_))
    ));
}

#[test]
fn nothing_to_hit() {
    let none: [(&str, &TriMesh); 0] = [];
    let checker = Checker::new(none);
    assert_eq!(
        crossing(&checker, &straight(0.0, 1.0), &straight(0.0, -1.0)),
        None
    );
    assert_eq!(
        checker.smallest_gap(&straight(0.0, 1.0), 1.0, 9.0),
        Ok(None)
    );
    let part = Checker::new([("part", &soup(&[[v(0.0, 0.0, 0.0); 3]]))]);
    assert_eq!(crossing(&part, &[], &[]), None);
}
