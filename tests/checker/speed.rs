//! How long a long trace takes. Run by hand: `cargo test --release --test checker -- --ignored --nocapture`.

use crate::{bumpy_sheet, v};
use loomwright::check::{Checker, Iterate, TraceChecker};
use loomwright::geom::Vec3;
use std::time::Instant;

#[test]
#[ignore = "measures time; run by hand"]
fn a_long_trace_in_contact() {
    const N_ITERATES: u32 = 30_000;
    let height = |x: f64, y: f64| 8.0 * (x / 25.0).sin() * (y / 31.0).cos();
    // 2 x 162 x 162 = 52 488 triangles of about 2.5 mm.
    let mesh = bumpy_sheet(200.0, 162, height);
    let started = Instant::now();
    let checker = Checker::new([("bumps", &mesh)]);
    println!(
        "{} triangles taken in {:?}",
        mesh.triangles().len(),
        started.elapsed()
    );

    // 100 edges of 3.5 mm lie on the bumps and are dragged over them, now fast, now slowly, never at rest.
    let radius = 4.0;
    let state = |k: u32| -> Vec<Vec3> {
        let phase = f64::from(k) / f64::from(N_ITERATES) * 60.0;
        (0..=100)
            .map(|i| {
                let x = f64::from(i) * 3.5 - 175.0;
                let y = 150.0 * phase.sin() + 20.0 * (x / 40.0 + phase).sin();
                v(x, y, height(x, y) + 1.1 * radius)
            })
            .collect()
    };
    let started = Instant::now();
    let mut judge = TraceChecker::new(&checker, 3.0 * radius);
    let mut full = std::time::Duration::ZERO;
    for k in 0..N_ITERATES {
        let points = state(k);
        judge.push(&Iterate {
            frame: u64::from(k / 5),
            iterate: u64::from(k % 5),
            cable: "w1",
            radius,
            points: &points,
            restart: false,
        });
        if k % 100 == 0 {
            let started = Instant::now();
            let gap = checker.smallest_gap(&points, radius, 3.0 * radius);
            assert!(matches!(gap, Ok(Some(_))));
            full += started.elapsed();
        }
    }
    let summary = judge.finish();
    println!(
        "{} iterates, {} edges in {:?}; one full gap query in {:?}; smallest gap {:?}",
        summary.iterates,
        summary.edge_motions,
        started.elapsed(),
        full / (N_ITERATES / 100),
        summary.smallest_gap.as_ref().map(|g| g.gap.gap),
    );
    assert!(summary.is_clear());
}
