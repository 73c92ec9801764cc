//! Chains of iterates, and the trace file.

use crate::{sheet, v};
use loomwright::check::{Checker, Iterate, TraceChecker, TraceError, TraceSummary, check_trace};
use loomwright::geom::Vec3;
use std::fmt::Write;

fn floor() -> Checker {
    Checker::new([("floor", &sheet(50.0, 9, 0.0))])
}

fn cable_at(z: f64) -> Vec<Vec3> {
    (0..=8).map(|k| v(f64::from(k) * 3.0, 1.0, z)).collect()
}

fn push(judge: &mut TraceChecker, cable: &str, points: &[Vec3], restart: bool) {
    let iterate = judge.summary().iterates;
    judge.push(&Iterate {
        frame: iterate / 10,
        iterate: iterate % 10,
        cable,
        radius: 1.0,
        radii: &[],
        points,
        restart,
    });
}

fn line(cable: &str, z: f64, more: &str) -> String {
    format!(
        r#"{{"frame":1,"iterate":2,"cable":"{cable}","radius":1.5,"points":[[0,0,{z}],[5.0,0,{z}]]{more}}}"#
    )
}

fn check(text: &str) -> Result<TraceSummary, TraceError> {
    check_trace(&floor(), text.as_bytes(), 20.0)
}

#[test]
fn a_planted_crossing_among_many_iterates() {
    let checker = floor();
    let mut judge = TraceChecker::new(&checker, 20.0);
    for k in 0..500 {
        // One iterate, number 321, has the cable on the other side. It goes through twice, there and back.
        let z = if k == 321 {
            -2.0
        } else {
            2.0 + 0.5 * f64::from(k).sin()
        };
        push(&mut judge, "w1", &cable_at(z), false);
    }
    let summary = judge.finish();
    assert_eq!((summary.iterates, summary.chains), (500, 1));
    assert_eq!(summary.n_crossings, 2);
    let places: Vec<u64> = summary.crossings.iter().map(|c| c.place.index).collect();
    assert_eq!(places, [321, 322]);
    assert_eq!(
        (
            summary.crossings[0].place.frame,
            summary.crossings[0].place.iterate
        ),
        (32, 1)
    );
    assert!(!summary.is_clear());
}

#[test]
fn smallest_gap_and_its_place() {
    let checker = floor();
    let mut judge = TraceChecker::new(&checker, 20.0);
    for k in 0..200 {
        let z = 1.25 + (f64::from(k) - 117.0).abs() * 0.01;
        let mut points = cable_at(5.0);
        points[4].z = z;
        push(&mut judge, "w1", &points, false);
    }
    let summary = judge.finish();
    assert!(summary.is_clear());
    let smallest = summary.smallest_gap.expect("near the floor");
    assert!((smallest.gap.gap - 0.25).abs() < 1e-12);
    assert_eq!(smallest.place.index, 117);
    assert!(smallest.gap.edge == 3 || smallest.gap.edge == 4);
    // Two edges move from the second iterate on.
    assert_eq!(summary.edge_motions, 8 + 199 * 2);
}

#[test]
fn resting_edges_keep_their_result() {
    let checker = floor();
    let mut judge = TraceChecker::new(&checker, 20.0);
    let mut points = cable_at(3.0);
    push(&mut judge, "w1", &points, false);
    push(&mut judge, "w1", &points, false);
    assert_eq!(judge.summary().edge_motions, 8);
    // A cable that rests inside a part is found in every iterate, not only in the first.
    points[8].z = -3.0;
    for _ in 0..3 {
        push(&mut judge, "w1", &points, false);
    }
    points[0].z += 1.0;
    push(&mut judge, "w1", &points, false);
    assert_eq!(judge.summary().n_crossings, 4);
    assert_eq!(
        judge.summary().smallest_gap.as_ref().map(|g| g.gap.gap),
        Some(-1.0)
    );
}

#[test]
fn a_cable_that_grows_at_rest_has_a_smaller_gap() {
    let text = line("a", 3.0, "");
    let grown = text.replace("1.5", "2.5");
    let summary = check(&format!("{text}\n{grown}\n")).expect("readable");
    let smallest = summary.smallest_gap.expect("near");
    assert!((smallest.gap.gap - 0.5).abs() < 1e-12);
}

#[test]
fn a_restart_is_not_judged_as_a_motion_but_is_counted() {
    let checker = floor();
    let mut judge = TraceChecker::new(&checker, 20.0);
    push(&mut judge, "w1", &cable_at(3.0), false);
    push(&mut judge, "w1", &cable_at(-3.0), true);
    push(&mut judge, "w1", &cable_at(-4.0), false);
    assert!(judge.summary().is_clear());
    assert_eq!(judge.summary().chains, 2);
    // The state it starts in is judged.
    push(&mut judge, "w1", &cable_at(0.0), true);
    assert_eq!(judge.summary().n_crossings, 1);
}

#[test]
fn crossings_are_capped_but_counted() {
    let checker = floor();
    let mut judge = TraceChecker::new(&checker, 20.0);
    for k in 0..301 {
        push(
            &mut judge,
            "w1",
            &cable_at(if k % 2 == 0 { 1.0 } else { -1.0 }),
            false,
        );
    }
    assert_eq!(judge.summary().n_crossings, 300);
    assert_eq!(judge.summary().crossings.len(), 100);
}

#[test]
fn bad_states_are_counted_and_the_way_goes_on_from_the_last_good_one() {
    let checker = floor();
    let mut judge = TraceChecker::new(&checker, 20.0);
    push(&mut judge, "w1", &cable_at(2.0), false);
    let mut bad = cable_at(2.0);
    bad[5].y = f64::NAN;
    push(&mut judge, "w1", &bad, false);
    push(&mut judge, "w1", &cable_at(-2.0), false);
    let summary = judge.summary();
    assert_eq!(summary.n_not_finite, 1);
    let (place, fault) = summary.not_finite.as_ref().expect("kept");
    assert_eq!((place.index, fault.node), (1, 5));
    assert_eq!(summary.n_crossings, 1);
    push(&mut judge, "w1", &cable_at(-2.0)[..5], false);
    assert_eq!(judge.summary().n_node_count_changes, 1);

    let mut only_bad = TraceChecker::new(&checker, 20.0);
    push(&mut only_bad, "w1", &bad, false);
    assert!(!only_bad.finish().is_clear());
    assert!(
        !TraceChecker::new(&checker, 20.0).finish().is_clear(),
        "empty"
    );
}

#[test]
fn file_with_interleaved_cables() {
    // Each cable stays on its side; taken for one cable they would cross at every line.
    let mut text = String::new();
    for k in 0..20 {
        let z = 3.0 + f64::from(k) * 0.1;
        writeln!(text, "{}\n{}", line("above", z, ""), line("below", -z, "")).expect("a string");
    }
    let summary = check(&text).expect("readable");
    assert!(summary.is_clear());
    assert_eq!((summary.iterates, summary.chains), (40, 2));
    let smallest = summary.smallest_gap.expect("near");
    assert!((smallest.gap.gap - 1.5).abs() < 1e-12);

    let summary = check(&text.replace("above", "below")).expect("readable");
    assert_eq!(summary.n_crossings, 39);
    assert_eq!(summary.crossings[0].place.cable, "below");
    assert_eq!(
        (
            summary.crossings[0].place.frame,
            summary.crossings[0].place.iterate
        ),
        (1, 2)
    );
}

#[test]
fn file_with_restart_empty_lines_and_no_last_newline() {
    let restart = line("a", -3.0, r#","restart":true"#);
    let text = format!("{}\n\n{restart}", line("a", 3.0, ""));
    let summary = check(&text).expect("readable");
    assert!(summary.is_clear());
    assert_eq!((summary.iterates, summary.chains), (2, 2));
    assert!(
        !check(&text.replace("true", "false"))
            .expect("readable")
            .is_clear()
    );
}

#[test]
fn nan_arrives_as_null() {
    let text = line("a", 3.0, "").replace("5.0", "null");
    let summary = check(&text).expect("readable");
    assert_eq!(summary.n_not_finite, 1);
    assert!(!summary.is_clear());
}

#[test]
fn bad_lines_are_named() {
    let good = line("a", 3.0, "");
    let bad = [
        ("{", "trace line 2 is not an iterate"),
        (
            r#"{"frame":1}"#,
            "trace line 2 is not an iterate: missing field",
        ),
        (&good[..good.len() - 9], "trace line 2 is not an iterate"),
        (&good.replace(",0,", ","), "trace line 2 is not an iterate"),
        (
            &good.replace("5.0", "1e999"),
            "trace line 2 is not an iterate: number out of range",
        ),
        (
            &good.replace("1.5", "-1.5"),
            "trace line 2 has the radius -1.5",
        ),
        (&good.replace(",[5.0,0,3]", ""), "trace line 2 has 1 points"),
    ];
    for (line, message) in bad {
        let error = check(&format!("{good}\n{line}\n{good}\n")).expect_err(line);
        assert!(error.to_string().starts_with(message), "{error}");
    }
}
