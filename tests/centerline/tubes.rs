//! Swept tubes: the line comes back, and what is no tube is refused.

use std::sync::atomic::{AtomicUsize, Ordering};

use loomwright::centerline::{Branch, ComponentKind, ExtractError, NodeKind, Settings, extract};
use loomwright::geom::{Aabb, Vec3};
use loomwright::mesh::{TriMesh, primitives};

use crate::sweep::{Soup, Station, ball, bent_path, tube};

fn straight(from: Vec3, to: Vec3) -> Vec<Station> {
    let tangent = (to - from).normalize();
    vec![(from, tangent), (to, tangent)]
}

fn refusal(mesh: &TriMesh) -> String {
    match extract(mesh, &Settings::default(), &|_| true) {
        Err(error @ ExtractError::NoCable { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_bent_pipe_stays_lines_and_an_arc() {
    let (run, bend, radius) = (80.0, 40.0, 5.0);
    let mesh = tube(&bent_path(run, bend, 15.0), |_| radius, 16).mesh();
    let graph = extract(&mesh, &Settings::default(), &|_| true).unwrap();
    let [branch] = &graph.branches[..] else {
        panic!("{} branches", graph.branches.len())
    };
    assert!(graph.warnings.is_empty(), "{:?}", graph.warnings);
    let length = 2.0 * run + std::f64::consts::FRAC_PI_2 * bend;
    assert!((branch.length() - length).abs() < 1e-3 * length);
    for point in &branch.curve {
        // Through the vertices of the rings, not the facets between them, which are 1.9 % inside: 2e-6 was found.
        assert!((point.radius - radius).abs() < 1e-5 * radius);
    }
    // On the arc between two rings, where the chord is 0.34 mm inside.
    let center = Vec3::new(run, bend, 0.0);
    for i in 0..=30 {
        let arc = run + bend * std::f64::consts::FRAC_PI_2 * f64::from(i) / 30.0;
        let from_start = (branch.curve[0].position - Vec3::zeros()).norm() < 1.0;
        let at = branch.at(if from_start {
            arc
        } else {
            branch.length() - arc
        });
        let off = ((at.position - center).norm() - bend).abs();
        assert!(off < 0.01 * radius, "{off} at {arc}");
    }
}

#[test]
fn ends_stand_at_the_caps_and_point_outwards() {
    let mesh = tube(&bent_path(50.0, 30.0, 10.0), |_| 4.0, 12).mesh();
    let graph = extract(&mesh, &Settings::default(), &|_| true).unwrap();
    let branch = &graph.branches[0];
    let ends = [Vec3::zeros(), Vec3::new(80.0, 80.0, 0.0)];
    for node in &graph.nodes {
        assert_eq!(node.kind, NodeKind::End);
        let off = ends.iter().map(|e| (node.position - e).norm());
        assert!(off.fold(f64::INFINITY, f64::min) < 1e-6);
    }
    let tangents = [branch.tangent_at(0.0), branch.tangent_at(branch.length())];
    for t in tangents {
        assert!(t.x.abs().max(t.y.abs()) > 1.0 - 1e-6, "{t}");
    }
}

#[test]
fn the_surface_knows_its_branch_and_place() {
    let mut soup = tube(&bent_path(60.0, 30.0, 10.0), |_| 4.0, 12);
    let far = Vec3::new(0.0, 0.0, 50.0);
    soup.add(tube(&straight(far, far + Vec3::x() * 90.0), |_| 3.0, 12));
    let mesh = soup.mesh();
    let graph = extract(&mesh, &Settings::default(), &|_| true).unwrap();
    let owners = graph.surface(&mesh);
    for (t, owner) in owners.iter().enumerate() {
        let owner = owner.unwrap();
        let corners = mesh.corners(t);
        let centroid = (corners[0] + corners[1] + corners[2]) / 3.0;
        let branch = &graph.branches[owner.branch];
        let at = branch.at(owner.arc_length);
        assert!((at.position - centroid).norm() < 1.01 * at.radius);
    }
}

#[test]
fn shells_that_meet_become_one_harness() {
    let o = Vec3::zeros();
    let mut soup = tube(&straight(Vec3::x() * -90.0, o), |_| 6.0, 16);
    soup.add(tube(&straight(o, Vec3::x() * 110.0), |_| 6.0, 16));
    // Stands on the side of the trunk, 0.2 mm off.
    let foot = Vec3::new(0.0, 6.2, 0.0);
    soup.add(tube(&straight(foot, Vec3::y() * 100.0), |_| 4.0, 16));
    let graph = extract(&soup.mesh(), &Settings::default(), &|_| true).unwrap();
    let junctions: Vec<_> = graph
        .nodes
        .iter()
        .filter(|n| n.kind == NodeKind::Junction)
        .collect();
    assert_eq!((graph.branches.len(), junctions.len()), (3, 1));
    assert!(junctions[0].position.norm() < 1e-6);
}

#[test]
fn shells_that_share_one_vertex_are_followed_one_by_one() {
    // Five arms that end in one point, each with that point as the middle of its cap.
    let arms = [
        ([1.0, 0.0, 0.2], 6.0),
        ([0.2, 1.0, 0.0], 5.0),
        ([-0.5, -0.8, 0.3], 7.0),
        ([-0.9, 0.4, -0.3], 4.0),
        ([0.3, -0.4, -1.0], 5.5),
    ];
    let mut soup = Soup::default();
    for (direction, radius) in arms {
        let direction = Vec3::from(direction).normalize();
        let points = [0.0, 60.0, 120.0].map(|s| direction * s);
        let arm = primitives::tube(&points, radius, 16);
        let (mut vertices, mut triangles) = (arm.vertices().to_vec(), Vec::new());
        vertices.push(Vec3::zeros());
        for t in arm.triangles() {
            if !t
                .iter()
                .all(|&v| vertices[v as usize].dot(&direction).abs() < 1e-9)
            {
                triangles.push(*t);
            }
        }
        let apex = vertices.len() as u32 - 1;
        let rim: Vec<u32> = (0..apex)
            .filter(|&v| {
                let p = vertices[v as usize];
                p.dot(&direction).abs() < 1e-9 && p.norm() > 0.9 * radius
            })
            .collect();
        for k in 0..rim.len() {
            triangles.push([apex, rim[(k + 1) % rim.len()], rim[k]]);
        }
        soup.add(Soup {
            vertices,
            triangles,
        });
    }
    let graph = extract(&soup.mesh(), &Settings::default(), &|_| true).unwrap();
    let junctions: Vec<_> = (graph.nodes.iter())
        .filter(|n| n.kind == NodeKind::Junction)
        .collect();
    assert_eq!((graph.branches.len(), junctions.len()), (5, 1));
    assert!(
        junctions[0].position.norm() < 0.5,
        "{}",
        junctions[0].position
    );
    for branch in &graph.branches {
        for point in branch.curve.iter().filter(|p| p.position.norm() > 20.0) {
            let off = |(direction, _): &([f64; 3], f64)| {
                let along = Vec3::from(*direction).normalize();
                (point.position - along * point.position.dot(&along)).norm()
            };
            let (arm, radius) = arms
                .iter()
                .map(|arm| (off(arm), arm.1))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap();
            assert!(arm < 0.05 * radius && (point.radius / radius - 1.0).abs() < 0.03);
        }
    }
}

#[test]
fn cables_side_by_side_stay_apart() {
    let mut soup = tube(&straight(Vec3::zeros(), Vec3::x() * 150.0), |_| 5.0, 16);
    // They touch along their whole length, and share the vertices there.
    let side = Vec3::z() * 10.0;
    soup.add(tube(&straight(side, side + Vec3::x() * 150.0), |_| 5.0, 16));
    let graph = extract(&soup.mesh(), &Settings::default(), &|_| true).unwrap();
    assert_eq!((graph.branches.len(), graph.nodes.len()), (2, 4));
}

#[test]
fn a_sleeve_widens_its_cable_and_a_clip_does_not() {
    let mut soup = tube(&straight(Vec3::zeros(), Vec3::x() * 200.0), |_| 5.0, 16);
    soup.add(tube(
        &straight(Vec3::x() * 50.0, Vec3::x() * 110.0),
        |_| 6.5,
        16,
    ));
    soup.add(tube(
        &straight(Vec3::x() * 150.0, Vec3::x() * 156.0),
        |_| 8.0,
        16,
    ));
    let graph = extract(&soup.mesh(), &Settings::default(), &|_| true).unwrap();
    let [branch] = &graph.branches[..] else {
        panic!("{} branches", graph.branches.len())
    };
    let radius_at = |x: f64| {
        let (arc, _) = branch.project(&(Vec3::x() * x));
        branch.at(arc).radius
    };
    for (x, radius) in [
        (20.0, 5.0),
        (48.0, 5.0),
        (52.0, 6.5),
        (108.0, 6.5),
        (153.0, 5.0),
    ] {
        assert!(
            (radius_at(x) - radius).abs() < 0.01,
            "{} at {x}",
            radius_at(x)
        );
    }
    let is_sleeve = |k: &ComponentKind| *k == ComponentKind::Sleeve;
    assert_eq!(
        graph
            .components
            .iter()
            .filter(|c| is_sleeve(&c.kind))
            .count(),
        1
    );
}

#[test]
fn a_ribbed_hose_keeps_a_smooth_line() {
    let bend = 60.0;
    let path: Vec<Station> = (0..=160)
        .map(|i| {
            let (sin, cos) = (f64::from(i) * 0.01).sin_cos();
            let position = Vec3::new(bend * sin, bend * (1.0 - cos), 0.0);
            (position, Vec3::new(cos, sin, 0.0))
        })
        .collect();
    // Ribs of 3 mm height, 4.8 mm apart, with flanks of 68 degrees.
    let rib = |i: usize| if i % 8 < 4 { 10.0 } else { 13.0 };
    let graph = extract(&tube(&path, rib, 24).mesh(), &Settings::default(), &|_| {
        true
    })
    .unwrap();
    let [branch] = &graph.branches[..] else {
        panic!("{} branches", graph.branches.len())
    };
    assert!((branch.length() / (1.6 * bend) - 1.0).abs() < 0.005);
    let center = Vec3::new(0.0, bend, 0.0);
    for point in &branch.curve {
        let off = ((point.position - center).norm() - bend).abs();
        // A tenth of the radius, as for every tube.
        assert!(off < 1.0, "{off} at {}", point.position);
        assert!((10.0..=13.0).contains(&point.radius), "{}", point.radius);
    }
}

#[test]
fn a_hose_with_a_rib_like_a_thread_keeps_a_smooth_line() {
    // A straight run, a bend of 10 radii, a straight run; the rib is 2 mm high and 6 mm apart, and shifts every cut by
    // a ninth of the radius.
    let (run, bend, radius) = (100.0, 90.0, 9.0);
    let quarter = std::f64::consts::FRAC_PI_2;
    let length = 2.0 * run + bend * quarter;
    let at = |s: f64| -> Station {
        let angle = ((s - run) / bend).clamp(0.0, quarter);
        let (sin, cos) = angle.sin_cos();
        let after = (s - run - bend * quarter).max(0.0);
        let corner = Vec3::new(s.min(run) + bend * sin, bend * (1.0 - cos) + after, 0.0);
        (corner, Vec3::new(cos, sin, 0.0))
    };
    let n = 340_u32;
    let place = |i: u32| length * f64::from(i) / f64::from(n);
    let path: Vec<Station> = (0..=n).map(|i| at(place(i))).collect();
    let n_sides = 36;
    let mut soup = tube(&path, |_| radius, n_sides);
    for (i, ring) in soup.vertices.chunks_mut(n_sides).enumerate() {
        let turn = std::f64::consts::TAU * place(i as u32) / 6.0;
        for (k, v) in ring.iter_mut().enumerate() {
            let angle = std::f64::consts::TAU * k as f64 / n_sides as f64;
            let rib = (1.6 * (angle - turn).cos()).clamp(-1.0, 1.0);
            *v += (*v - path[i].0) * (rib / radius);
        }
    }
    let graph = extract(&soup.mesh(), &Settings::default(), &|_| true).unwrap();
    let [branch] = &graph.branches[..] else {
        panic!("{} branches", graph.branches.len())
    };
    assert!((branch.length() / length - 1.0).abs() < 0.005);
    for i in 0..=100 {
        let (p, _) = at(length * f64::from(i) / 100.0);
        let (arc, _) = branch.project(&p);
        let off = (branch.at(arc).position - p).norm();
        // A tenth of the radius, as for every tube.
        assert!(off < 0.1 * radius, "{off} at {p}");
    }
}

#[test]
fn what_is_no_tube_is_refused_with_a_reason() {
    let cube = Aabb {
        min: Vec3::zeros(),
        max: Vec3::repeat(30.0),
    };
    assert!(refusal(&primitives::cuboid(&cube)).contains("no cable found"));
    assert!(refusal(&ball(20.0)).contains("no cable found"));
    let sheet = TriMesh::new(
        vec![
            Vec3::zeros(),
            Vec3::x() * 100.0,
            Vec3::y() * 100.0,
            Vec3::new(100.0, 100.0, 0.0),
        ],
        vec![[0, 1, 2], [1, 3, 2]],
    )
    .unwrap();
    assert!(refusal(&sheet).contains("sheet"));
    // A mesh of triangles without area.
    let nothing = TriMesh::new(vec![Vec3::zeros(), Vec3::x()], vec![[0, 1, 1]]).unwrap();
    assert!(refusal(&nothing).contains("no cable found"));
    // A bolt with its head.
    let bolt = [0.0, 18.0, 18.0, 25.0].map(|x| (Vec3::x() * x, Vec3::x()));
    let wide = |i: usize| if i < 2 { 4.0 } else { 7.0 };
    assert!(refusal(&tube(&bolt, wide, 24).mesh()).contains("no cable found"));
}

#[test]
fn an_extraction_can_be_cancelled() {
    let mesh = Soup::mesh(tube(&bent_path(60.0, 30.0, 10.0), |_| 4.0, 12));
    let result = extract(&mesh, &Settings::default(), &|done| done < 0.1);
    assert_eq!(result, Err(ExtractError::Cancelled));
}

#[test]
fn the_radius_of_a_ribbed_hose_is_the_same_as_far_as_its_ends() {
    let bend = 60.0;
    let path: Vec<Station> = (0..=160)
        .map(|i| {
            let (sin, cos) = (f64::from(i) * 0.01).sin_cos();
            let position = Vec3::new(bend * sin, bend * (1.0 - cos), 0.0);
            (position, Vec3::new(cos, sin, 0.0))
        })
        .collect();
    for (high, period) in [(10.5, 8), (11.0, 8), (11.0, 4), (12.0, 16)] {
        let rib = |i: usize| if i % period < period / 2 { 10.0 } else { high };
        let mesh = tube(&path, rib, 24).mesh();
        let graph = extract(&mesh, &Settings::default(), &|_| true).unwrap();
        let mean = 0.5 * (10.0 + high);
        for point in &graph.branches[0].curve {
            let off = point.radius / mean - 1.0;
            assert!(off.abs() < 0.01, "{high} mm, {period}: {} mm", point.radius);
        }
    }
    // A hose whose last 40 mm are a smooth cuff keeps the radius of the cuff.
    let cuff = |i: usize| match i {
        0..=66 => 12.0,
        i if i % 8 < 4 => 10.0,
        _ => 12.0,
    };
    let graph = extract(&tube(&path, cuff, 24).mesh(), &Settings::default(), &|_| {
        true
    })
    .unwrap();
    let branch = &graph.branches[0];
    let (arc, _) = branch.project(&path[10].0);
    assert!((branch.at(arc).radius - 12.0).abs() < 0.3, "{branch:?}");
}

#[test]
fn a_section_that_is_not_round_is_told_with_both_radii() {
    for (n_sides, is_told) in [(3, true), (4, true), (5, false), (6, false)] {
        let mesh = tube(&bent_path(80.0, 40.0, 15.0), |_| 5.0, n_sides).mesh();
        let graph = extract(&mesh, &Settings::default(), &|_| true).unwrap();
        let told: Vec<String> = graph.warnings.iter().map(ToString::to_string).collect();
        assert_eq!(told.len(), usize::from(is_told), "{n_sides}: {told:?}");
        if is_told {
            assert!(
                told[0].contains("not round") && told[0].contains("5.00 mm"),
                "{told:?}"
            );
            // The one warning stands for the whole tube, and takes the confidence that few sides cost.
            let places = graph.places(&graph.warnings[0]);
            for point in &graph.branches[0].curve {
                let is_near = |p: &Vec3| (p - point.position).norm() < 3.0 * point.radius;
                assert!(places.iter().any(is_near), "{n_sides}: {}", point.position);
            }
            assert!(graph.branches[0].at(100.0).confidence < 0.5);
        } else {
            assert!((graph.branches[0].at(100.0).radius - 5.0).abs() < 1e-4);
        }
    }
}

/// A torus round the z axis.
fn ring(radius: f64, thick: f64) -> Soup {
    let n = 96_u32;
    let around: Vec<Station> = (0..=n)
        .map(|i| {
            let angle = std::f64::consts::TAU * f64::from(i % n) / f64::from(n);
            let (sin, cos) = angle.sin_cos();
            (
                Vec3::new(radius * cos, radius * sin, 0.0),
                Vec3::new(-sin, cos, 0.0),
            )
        })
        .collect();
    // The side of a tube whose last ring is its first.
    let mut ring = tube(&around, |_| thick, 16);
    ring.triangles.truncate(96 * 16 * 2);
    ring
}

#[test]
fn what_was_refused_once_is_not_followed_again() {
    // Progress is told before each attempt, and twice besides. There was one for each of the 3072 triangles, up to 120.
    let n_told = AtomicUsize::new(0);
    let progress = |_: f64| {
        n_told.fetch_add(1, Ordering::Relaxed);
        true
    };
    let found = extract(&ring(10.0, 2.5).mesh(), &Settings::default(), &progress);
    assert!(matches!(found, Err(ExtractError::NoCable { .. })));
    let n_told = n_told.into_inner();
    assert!(n_told < 10, "{n_told} attempts");
}

#[test]
fn a_ring_in_a_hole_is_a_grommet_and_a_free_one_a_cable() {
    let free = extract(&ring(30.0, 2.0).mesh(), &Settings::default(), &|_| true).unwrap();
    assert!(free.branches[0].closed);
    // A plate of 1 mm with a hole of 30 mm radius, in whose rim the ring sits.
    let mut soup = ring(30.0, 2.0);
    soup.add(plate_with_hole(30.0, 90.0));
    let text = refusal(&soup.mesh());
    assert!(text.contains("no cable found"), "{text}");
    // Beside the plate it is a ring of cable again.
    let mut soup = ring(30.0, 2.0);
    let mut plate = plate_with_hole(30.0, 90.0);
    plate.vertices.iter_mut().for_each(|v| v.z += 20.0);
    soup.add(plate);
    let graph = extract(&soup.mesh(), &Settings::default(), &|_| true).unwrap();
    assert_eq!(graph.branches.len(), 1);
}

/// A square plate, 1 mm thick, with a round hole in its middle.
fn plate_with_hole(hole: f64, half: f64) -> Soup {
    let mut soup = Soup::default();
    let n = 64_u32;
    for i in 0..n {
        let angle = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        let (sin, cos) = angle.sin_cos();
        let reach = half / cos.abs().max(sin.abs());
        for z in [-0.5, 0.5] {
            soup.vertices.push(Vec3::new(hole * cos, hole * sin, z));
            soup.vertices.push(Vec3::new(reach * cos, reach * sin, z));
        }
    }
    for i in 0..n {
        let (a, b) = (4 * i, 4 * ((i + 1) % n));
        // Bottom, top, rim of the hole, outer rim; of each the corners here and at the next angle.
        for [p, q] in [[0, 1], [3, 2], [2, 0], [1, 3]] {
            soup.triangles.push([a + p, a + q, b + q]);
            soup.triangles.push([a + p, b + q, b + p]);
        }
    }
    soup
}

#[test]
fn branches_that_run_in_each_other_before_they_part_begin_at_one_place() {
    // Three tubes of one radius leave one cap in nearly the same direction: their first rings are one.
    let bent_by = |rise: f64| -> Vec<Station> {
        let step = |i: usize| {
            let x = 5.0 * i as f64;
            let y = rise * (x / 100.0).powi(2);
            let tangent = Vec3::new(1.0, 2.0 * rise * x / 1e4, 0.0).normalize();
            (Vec3::new(x, y, 0.0), tangent)
        };
        (0..=24).map(step).collect()
    };
    let mut soup = tube(
        &straight(Vec3::new(-150.0, 0.0, 0.0), Vec3::zeros()),
        |_| 4.0,
        16,
    );
    let mut lengths = Vec::new();
    for rise in [40.0, 0.0, -30.0] {
        let path = bent_by(rise);
        let steps = path.windows(2).map(|w| (w[1].0 - w[0].0).norm());
        lengths.push(steps.sum::<f64>());
        soup.add(tube(&path, |_| 1.5, 12));
    }
    let graph = extract(&soup.mesh(), &Settings::default(), &|_| true).unwrap();
    assert_eq!((graph.branches.len(), graph.nodes.len()), (4, 5));
    let junction = graph.nodes.iter().find(|n| n.kind == NodeKind::Junction);
    assert!(junction.unwrap().position.norm() < 0.1, "{junction:?}");
    for length in lengths {
        let off = |b: &Branch| (b.length() / length - 1.0).abs();
        assert!(graph.branches.iter().any(|b| off(b) < 0.01), "{length}");
    }
}

#[test]
fn a_thin_branch_that_ends_inside_its_trunk_is_no_loop() {
    let mut soup = tube(
        &straight(Vec3::zeros(), Vec3::new(200.0, 0.0, 0.0)),
        |_| 10.0,
        24,
    );
    soup.add(tube(
        &straight(Vec3::zeros(), Vec3::new(-120.0, 0.0, 0.0)),
        |_| 6.0,
        20,
    ));
    soup.add(tube(
        &straight(Vec3::zeros(), Vec3::new(40.0, 6.0, 0.0)),
        |_| 0.5,
        12,
    ));
    let graph = extract(&soup.mesh(), &Settings::default(), &|_| true).unwrap();
    assert_eq!((graph.branches.len(), graph.nodes.len()), (3, 4));
    let kinds = graph.nodes.iter().filter(|n| n.kind == NodeKind::End);
    assert_eq!(kinds.count(), 3);
}
