//! The checker against dense sampling, brute force over all triangles, and its own symmetries.

use crate::{checker_of, crossing, reference, soup, v};
use loomwright::check::{Checker, Finding};
use loomwright::geom::{Rotation, Vec3};
use loomwright::mesh::TriMesh;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;

/// States looked at by the sampling, per motion.
const SAMPLES: u32 = 400;

#[derive(Clone, Debug)]
struct Case {
    triangles: Vec<[Vec3; 3]>,
    before: Vec<Vec3>,
    after: Vec<Vec3>,
}

fn point(reach: f64) -> impl Strategy<Value = Vec3> {
    let coordinate = -reach..reach;
    [coordinate.clone(), coordinate.clone(), coordinate].prop_map(Vec3::from)
}

/// A point whose coordinates are small whole numbers: contacts of measure zero become common.
fn lattice_point() -> impl Strategy<Value = Vec3> {
    [-2..=2i32, -2..=2, -2..=2].prop_map(|c| Vec3::from(c.map(f64::from)))
}

fn case() -> impl Strategy<Value = Case> {
    let triangle = (point(5.0), point(2.0), point(2.0)).prop_map(|(a, b, c)| [a, a + b, a + c]);
    let node = (point(5.0), point(2.0));
    (
        prop::collection::vec(triangle, 1..8),
        prop::collection::vec(node, 2..5),
    )
        .prop_map(|(triangles, nodes)| Case {
            triangles,
            before: nodes.iter().map(|(start, _)| *start).collect(),
            after: nodes.iter().map(|(start, way)| start + way).collect(),
        })
}

fn lattice_case() -> impl Strategy<Value = Case> {
    let triangle = [lattice_point(), lattice_point(), lattice_point()];
    let state = || prop::collection::vec(lattice_point(), 2);
    (triangle, state(), state()).prop_map(|(triangle, before, after)| Case {
        triangles: vec![triangle],
        before,
        after,
    })
}

fn state_at(case: &Case, t: f64) -> Vec<Vec3> {
    case.before
        .iter()
        .zip(&case.after)
        .map(|(a, b)| a.lerp(b, t))
        .collect()
}

fn any_pair(case: &Case, state: &[Vec3], test: impl Fn(&Vec3, &Vec3, &[Vec3; 3]) -> bool) -> bool {
    state
        .windows(2)
        .any(|edge| case.triangles.iter().any(|t| test(&edge[0], &edge[1], t)))
}

fn mapped(case: &Case, map: impl Fn(&Vec3) -> Vec3) -> Case {
    Case {
        triangles: case.triangles.iter().map(|t| t.map(|c| map(&c))).collect(),
        before: case.before.iter().map(&map).collect(),
        after: case.after.iter().map(&map).collect(),
    }
}

/// Runs a property and returns how often it said "crossing" and "clear": a test that sees only one kind proves little.
fn tally<S: Strategy>(
    cases: u32,
    strategy: S,
    property: impl Fn(S::Value) -> Result<bool, TestCaseError>,
) -> (u32, u32) {
    let (yes, no) = (Cell::new(0), Cell::new(0));
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    // The same cases in every run: a new build is judged by the code, not by luck.
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng)
        .run(&strategy, |value| {
            let count = if property(value)? { &yes } else { &no };
            count.set(count.get() + 1);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    (yes.get(), no.get())
}

#[test]
fn motions_agree_with_dense_sampling() {
    let (crossings, clears) = tally(3000, case(), |case| {
        let found = crossing(&checker_of(&case.triangles), &case.before, &case.after);
        match found {
            // The place named is a contact: time, edge and triangle are right.
            Some(found) => {
                let state = state_at(&case, found.time);
                let (p, q) = (state[found.edge], state[found.edge + 1]);
                let corners = &case.triangles[found.triangle];
                prop_assert!(reference::segment_triangle(&p, &q, corners) < 1e-6);
                prop_assert!(reference::point_triangle(&found.position, corners) < 1e-6);
                // And nothing touches earlier.
                for k in 0..SAMPLES {
                    let t = f64::from(k) / f64::from(SAMPLES) * found.time;
                    if t < found.time - 1e-9 {
                        let state = state_at(&case, t);
                        prop_assert!(!any_pair(&case, &state, reference::pierces), "at {}", t);
                    }
                }
            }
            None => {
                for k in 0..=SAMPLES {
                    let t = f64::from(k) / f64::from(SAMPLES);
                    let state = state_at(&case, t);
                    prop_assert!(!any_pair(&case, &state, reference::pierces), "at {}", t);
                }
            }
        }
        Ok(found.is_some())
    });
    assert!(crossings > 300 && clears > 300, "{crossings} and {clears}");
}

/// Segments and triangles with whole coordinates up to 2 that do not meet are at least 0.01 apart: the distance is a
/// whole number over the length of a cross product. So a distance found by floating point decides exactly.
#[test]
fn lattice_states_are_decided_exactly() {
    let (hits, misses) = tally(20_000, lattice_case(), |case| {
        let checker = checker_of(&case.triangles);
        let found = crossing(&checker, &case.before, &case.before).is_some();
        let (p, q) = (case.before[0], case.before[1]);
        let distance = reference::segment_triangle(&p, &q, &case.triangles[0]);
        prop_assert!(!(1e-6..1e-2).contains(&distance), "{}", distance);
        prop_assert_eq!(found, distance < 1e-6);
        let gap = checker.smallest_gap(&case.before, 0.25, f64::INFINITY);
        let gap = gap.expect("finite").expect("in reach").gap;
        prop_assert!((gap + 0.25 - distance).abs() < 1e-6);
        if found {
            prop_assert_eq!(gap, -0.25);
        }
        Ok(found)
    });
    assert!(hits > 2000 && misses > 2000, "{hits} and {misses}");
}

/// Motions between lattice states: grazing corners, sliding in planes, edges and triangles of no extent.
#[test]
fn lattice_motions_agree_with_sampling() {
    let (crossings, clears) = tally(4000, lattice_case(), |case| {
        let found = crossing(&checker_of(&case.triangles), &case.before, &case.after);
        let distance_at = |t: f64| {
            let state = state_at(&case, t);
            reference::segment_triangle(&state[0], &state[1], &case.triangles[0])
        };
        if let Some(found) = found {
            prop_assert!(distance_at(found.time) < 1e-6);
        }
        // Sampled at times that hold the contacts of whole-number motions: multiples of 1/2, 1/3, 1/4, ...
        for denominator in [16, 24, 20] {
            for k in 0..=denominator {
                let t = f64::from(k) / f64::from(denominator);
                if found.is_none_or(|found| t < found.time - 1e-6) {
                    // A distance that is not 0 may be small here, but not that small.
                    prop_assert!(distance_at(t) > 1e-7, "touches at {}", t);
                }
            }
        }
        Ok(found.is_some())
    });
    assert!(crossings > 500 && clears > 500, "{crossings} and {clears}");
}

#[test]
fn leaving_a_closed_box_is_always_seen() {
    let corner = |k: usize| v((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2 & 1) as f64) * 6.0;
    let quads = [
        [0, 1, 3, 2],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 3, 7, 6],
        [0, 2, 6, 4],
        [1, 3, 7, 5],
    ];
    let triangles: Vec<[Vec3; 3]> = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]])
        .map(|t| t.map(|k| corner(k) - v(3.0, 3.0, 3.0)))
        .collect();
    let checker = checker_of(&triangles);
    let inside = |p: &Vec3| p.amax() < 3.0;
    let states = prop::collection::vec((point(4.0), point(4.0)), 2..4);
    let (changed, _) = tally(3000, states, |nodes| {
        let (before, after): (Vec<Vec3>, Vec<Vec3>) = nodes.into_iter().unzip();
        let mut sides = before.iter().chain(&after).map(inside);
        let first = sides.next();
        let mixed = sides.any(|side| Some(side) != first);
        let found = crossing(&checker, &before, &after);
        if mixed {
            prop_assert!(found.is_some());
        }
        // The inside is convex: what stays inside stays clear.
        if !mixed && first == Some(true) {
            prop_assert_eq!(found, None);
        }
        Ok(mixed)
    });
    assert!(changed > 300);
}

#[test]
fn broad_phase_changes_nothing() {
    let triangle = (point(20.0), point(2.0), point(2.0)).prop_map(|(a, b, c)| [a, a + b, a + c]);
    let strategy = (
        prop::collection::vec(triangle, 1..200),
        prop::collection::vec((point(20.0), point(3.0)), 2..6),
    );
    let (crossings, clears) = tally(300, strategy, |(triangles, nodes)| {
        let before: Vec<Vec3> = nodes.iter().map(|(start, _)| *start).collect();
        let after: Vec<Vec3> = nodes.iter().map(|(start, way)| start + way).collect();
        let all = checker_of(&triangles);
        // One checker per triangle and one query per edge: nothing is left out by a tree of one leaf and no limit.
        let mut first = f64::INFINITY;
        let mut smallest = f64::INFINITY;
        for t in &triangles {
            let one = checker_of(&[*t]);
            if let Some(found) = crossing(&one, &before, &after) {
                first = first.min(found.time);
            }
            for edge in before.windows(2) {
                let gap = one.smallest_gap(edge, 1.5, f64::INFINITY);
                smallest = smallest.min(gap.expect("finite").expect("in reach").gap);
            }
        }
        let found = crossing(&all, &before, &after);
        prop_assert_eq!(found.map_or(f64::INFINITY, |found| found.time), first);
        for search in [f64::INFINITY, smallest + 1.5 + 1e-9, 4.0] {
            let gap = all.smallest_gap(&before, 1.5, search).expect("finite");
            let expected = (smallest + 1.5 <= search).then_some(smallest);
            prop_assert_eq!(gap.map(|gap| gap.gap), expected);
        }
        Ok(found.is_some())
    });
    assert!(crossings > 50 && clears > 20, "{crossings} and {clears}");
}

#[test]
fn gaps_agree_with_sampling() {
    let (touching, apart) = tally(1000, case(), |case| {
        let radius = 0.5;
        let checker = checker_of(&case.triangles);
        let gap = checker.smallest_gap(&case.before, radius, f64::INFINITY);
        let gap = gap.expect("finite").expect("in reach");
        let mut sampled = f64::INFINITY;
        let mut spacing: f64 = 0.0;
        for edge in case.before.windows(2) {
            spacing = spacing.max((edge[1] - edge[0]).norm() / f64::from(SAMPLES));
            for k in 0..=SAMPLES {
                let x = edge[0].lerp(&edge[1], f64::from(k) / f64::from(SAMPLES));
                for t in &case.triangles {
                    sampled = sampled.min(reference::point_triangle(&x, t) - radius);
                }
            }
        }
        prop_assert!(gap.gap <= sampled + 1e-9, "{} over {}", gap.gap, sampled);
        prop_assert!(
            gap.gap >= sampled - spacing,
            "{} below {}",
            gap.gap,
            sampled
        );
        // Edge and triangle named are those of the gap.
        let (p, q) = (case.before[gap.edge], case.before[gap.edge + 1]);
        let named = reference::segment_triangle(&p, &q, &case.triangles[gap.triangle]);
        prop_assert!((named - radius - gap.gap).abs() < 1e-6);
        Ok(gap.gap < 0.0)
    });
    assert!(touching > 100 && apart > 100, "{touching} and {apart}");
}

#[test]
fn rigid_motion_changes_nothing() {
    let strategy = (case(), point(3.0), point(1e5));
    let (crossings, clears) = tally(1000, strategy, |(case, turn, shift)| {
        let rotation = Rotation::from_scaled_axis(turn);
        let moved = mapped(&case, |x| rotation * x + shift);
        let (here, there) = (checker_of(&case.triangles), checker_of(&moved.triangles));
        let found = crossing(&here, &case.before, &case.after);
        let found_there = crossing(&there, &moved.before, &moved.after);
        prop_assert_eq!(found.is_some(), found_there.is_some());
        if let (Some(a), Some(b)) = (found, found_there) {
            prop_assert!((a.time - b.time).abs() < 1e-6);
            prop_assert!((rotation * a.position + shift - b.position).norm() < 1e-5);
        }
        let gap = |checker: &Checker, points: &[Vec3]| {
            let gap = checker.smallest_gap(points, 0.5, f64::INFINITY);
            gap.expect("finite").expect("in reach").gap
        };
        let difference = gap(&here, &case.before) - gap(&there, &moved.before);
        prop_assert!(difference.abs() < 1e-8, "{}", difference);
        Ok(found.is_some())
    });
    assert!(crossings > 100 && clears > 100, "{crossings} and {clears}");
}

#[test]
fn order_changes_nothing() {
    let strategy = (case(), any::<prop::sample::Index>());
    let (crossings, clears) = tally(1000, strategy, |(case, cut)| {
        let one = checker_of(&case.triangles);
        let found = crossing(&one, &case.before, &case.after);

        // Other order of triangles and corners, and split over two parts.
        let mut shuffled: Vec<[Vec3; 3]> = case.triangles.iter().rev().copied().collect();
        for t in &mut shuffled {
            t.swap(0, 2);
        }
        let (left, right) = shuffled.split_at(cut.index(shuffled.len()));
        let meshes: Vec<TriMesh> = [left, right]
            .iter()
            .filter(|part| !part.is_empty())
            .map(|part| soup(part))
            .collect();
        let two = Checker::new(meshes.iter().map(|mesh| ("part", mesh)));
        let found_in_two = crossing(&two, &case.before, &case.after);
        prop_assert_eq!(found.is_some(), found_in_two.is_some());
        if let (Some(a), Some(b)) = (found, found_in_two) {
            prop_assert!((a.time - b.time).abs() < 1e-6);
            // At the start several may touch, and the lowest number is given; later two at once is chance.
            if a.time > 0.0 {
                let corners = case.triangles[a.triangle];
                let [x, y, z] = meshes[b.part].corners(b.triangle);
                prop_assert_eq!(corners, [z, y, x]);
            }
        }

        // The cable the other way round, and the motion backwards.
        let back = |points: &[Vec3]| points.iter().rev().copied().collect::<Vec<_>>();
        let reversed = crossing(&one, &back(&case.before), &back(&case.after));
        prop_assert_eq!(found.is_some(), reversed.is_some());
        let returned = crossing(&one, &case.after, &case.before);
        prop_assert_eq!(found.is_some(), returned.is_some());
        Ok(found.is_some())
    });
    assert!(crossings > 100 && clears > 100, "{crossings} and {clears}");
}

proptest! {
    #![proptest_config(Config { cases: 500, failure_persistence: None, ..Config::default() })]

    #[test]
    fn any_bad_number_is_a_finding(
        mut case in case(),
        node in any::<prop::sample::Index>(),
        axis in 0..3usize,
        bad in prop::sample::select(vec![f64::NAN, f64::INFINITY, -f64::INFINITY, f64::MAX]),
    ) {
        let node = node.index(case.after.len());
        case.after[node][axis] = bad;
        let finding = checker_of(&case.triangles).check_motion(&case.before, &case.after);
        prop_assert!(matches!(finding, Some(Finding::NotFinite(fault)) if fault.node == node));
    }
}
