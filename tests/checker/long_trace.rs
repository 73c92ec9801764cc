//! A long trace of a cable dragged over a bumpy sheet, never at rest and never through it.

use crate::{bumpy_sheet, v};
use loomwright::check::{Checker, Iterate, TraceChecker};
use loomwright::geom::Vec3;

#[test]
fn a_long_trace_in_contact_is_clear() {
    const N_ITERATES: u32 = 1000;
    let height = |x: f64, y: f64| 8.0 * (x / 25.0).sin() * (y / 31.0).cos();
    // 2 x 162 x 162 = 52 488 triangles of about 2.5 mm.
    let mesh = bumpy_sheet(200.0, 162, height);
    let checker = Checker::new([("bumps", &mesh)]);

    // 100 edges of 3.5 mm lie on the bumps and are dragged over them, now fast, now slowly.
    let radius = 4.0;
    let state = |k: u32| -> Vec<Vec3> {
        let phase = f64::from(k) / f64::from(N_ITERATES) * 2.0;
        (0..=100)
            .map(|i| {
                let x = f64::from(i) * 3.5 - 175.0;
                let y = 150.0 * phase.sin() + 20.0 * (x / 40.0 + phase).sin();
                v(x, y, height(x, y) + 1.1 * radius)
            })
            .collect()
    };
    let mut judge = TraceChecker::new(&checker, 3.0 * radius);
    for k in 0..N_ITERATES {
        judge.push(&Iterate {
            frame: u64::from(k / 5),
            iterate: u64::from(k % 5),
            cable: "w1",
            radius,
            radii: &[],
            points: &state(k),
            restart: false,
        });
    }
    let summary = judge.finish();
    assert!(summary.is_clear());
    assert_eq!(summary.iterates, u64::from(N_ITERATES));
    let gap = summary.smallest_gap.unwrap().gap.gap;
    // 1.1 r straight above a slope is nearer than 1.1 r, and a chord cuts into the bumps a little.
    assert!(gap > -0.5 * radius && gap < 0.1 * radius, "{gap}");
}
