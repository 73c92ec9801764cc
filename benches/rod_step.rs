//! One step of a free cable, and the linear algebra under it.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use loomwright::scene::bench::{Kernel, case};
use loomwright::solve::CancelToken;

fn step(c: &mut Criterion) {
    for (name, what) in [
        ("p1-1mm", "free 1 mm, 100 edges"),
        ("p1-5mm", "free 5 mm, 100 edges"),
        ("p1-cold", "cold start, 100 edges"),
        ("free-1000", "free 5 mm, 1000 edges"),
    ] {
        let case = case(name).expect("a known scene");
        let cancel = CancelToken::default();
        c.bench_function(what, |b| {
            b.iter_batched_ref(
                || case.solver.clone(),
                |solver| black_box(solver.step(&case.targets[0], &cancel, None)),
                BatchSize::SmallInput,
            );
        });
    }
}

fn kernel(c: &mut Criterion) {
    let mut kernel = Kernel::new();
    c.bench_function("banded factor and solve, 100 edges", |b| {
        b.iter(|| kernel.run());
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(4));
    targets = step, kernel
}
criterion_main!(benches);
