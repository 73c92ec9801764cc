//! A cable that lies on a cylinder of 5040 triangles: one step, and the two searches of every iteration.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use loomwright::contact::{Candidates, Sticky, Sweep, find_contacts};
use loomwright::geom::Vec3;
use loomwright::scene::bench::{Targets, case};
use loomwright::solve::{CancelToken, Solver};

/// Steps of the drag after which the cable lies on the cylinder, in the middle of its way across.
const DRAPED: usize = 60;

/// The cable on the cylinder, and where its handles go next: 5 mm sideways.
fn draped() -> (Solver, Targets) {
    let case = case("cylinder-100").expect("a known scene");
    let mut solver = case.solver;
    let cancel = CancelToken::default();
    for targets in &case.targets[..DRAPED] {
        let report = solver.step(targets, &cancel, None);
        assert!(!report.contacts.is_empty());
    }
    (solver, case.targets[DRAPED])
}

fn step(c: &mut Criterion) {
    let (solver, targets) = draped();
    let cancel = CancelToken::default();
    c.bench_function("step of 5 mm over a cylinder, 100 edges", |b| {
        b.iter_batched_ref(
            || solver.clone(),
            |solver| black_box(solver.step(&targets, &cancel, None)),
            BatchSize::SmallInput,
        );
    });
}

fn search(c: &mut Criterion) {
    let (solver, _) = draped();
    let (problem, settings) = (solver.problem(), solver.contact_settings());
    let (nodes, lengths) = (&solver.state().positions, problem.rod.rest_lengths());
    let mut candidates = Candidates::new(problem.rod.n_edges());
    let mut contacts = Vec::new();
    for (what, is_fresh) in [
        ("contact search, lists kept", false),
        ("contact search, lists made anew", true),
    ] {
        c.bench_function(what, |b| {
            b.iter(|| {
                if is_fresh {
                    candidates.reset(&[]);
                }
                let nodes = black_box(nodes);
                find_contacts(
                    &problem.obstacles,
                    &mut candidates,
                    nodes,
                    lengths,
                    settings,
                    &Sticky::default(),
                    &mut contacts,
                )
            });
        });
    }
    assert!(!contacts.is_empty());
}

fn sweep(c: &mut Criterion) {
    let (solver, _) = draped();
    let problem = solver.problem();
    let nodes = &solver.state().positions;
    let mut candidates = Candidates::new(problem.rod.n_edges());
    // Up to the radius the kept lists serve; beyond, the tree is asked.
    for (what, way) in [("sweep of 1 mm", 1.0), ("sweep of 5 mm", 5.0)] {
        let motion = vec![Vec3::y() * way; nodes.len()];
        let mut held = vec![false; nodes.len()];
        (held[0], held[nodes.len() - 1]) = (true, true);
        let sweep = Sweep {
            obstacles: &problem.obstacles,
            points: nodes,
            motion: &motion,
            held: &held,
            settings: solver.contact_settings(),
            rigid: &[],
            moving: None,
        };
        c.bench_function(what, |b| b.iter(|| black_box(sweep.limit(&mut candidates))));
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4));
    targets = step, search, sweep
}
criterion_main!(benches);
