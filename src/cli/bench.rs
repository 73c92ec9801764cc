//! `bench`: the standard scenes, timed.

use std::path::PathBuf;

use anyhow::bail;
use serde_json::{Value, json};

use super::Outcome;
use super::console::Console;
use crate::scene::bench::{self, Case, Cost, Kernel};
use crate::solve::Status;

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only the scene of that name.
    #[arg(long, value_name = "NAME")]
    scene: Option<String>,
    /// Rounds through the scenes; of each step the least time counts.
    #[arg(long, value_name = "N", default_value = "5")]
    repeat: std::num::NonZeroUsize,
    /// Measure the window instead: redraws while the view turns and while a handle is dragged.
    #[arg(long, conflicts_with = "scene")]
    window: bool,
    /// With --window: drag for so many minutes, and say what that does to the memory.
    #[arg(long, value_name = "N", requires = "window")]
    minutes: Option<f64>,
    /// With --window: the scene or mesh to show; the engine bay when there is none.
    #[arg(requires = "window")]
    file: Option<PathBuf>,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        repeat,
        window,
        minutes,
        file,
    } = args;
    if window {
        return super::bench_window::run(file.as_deref(), minutes.unwrap_or(0.0), console);
    }
    run(scene.as_deref(), repeat.get(), console)
}

/// Measures one scene, or all of them.
pub fn run(scene: Option<&str>, repeat: usize, console: &mut Console) -> anyhow::Result<Outcome> {
    let names: Vec<_> = bench::names()
        .filter(|name| scene.is_none_or(|wanted| wanted == *name))
        .collect();
    if let (Some(wanted), true) = (scene, names.is_empty()) {
        let known: Vec<_> = bench::names().collect();
        bail!(
            "there is no scene \"{wanted}\" in the benchmark; there are: {}",
            known.join(", ")
        );
    }
    let mut measured = Vec::new();
    let mut kernel = Kernel::new();
    let mut kernel_ms = f64::INFINITY;
    for &name in &names {
        console.progress(format_args!("{name}, round 1 of {repeat}"));
        let Some(case) = bench::case(name) else {
            bail!("the scene {name} of the benchmark cannot be simulated");
        };
        let cost = case.measure();
        kernel_ms = kernel_ms.min(kernel.cpu_ms());
        measured.push((case, cost));
    }
    // Round by round, and not scene by scene: a slow minute of the machine then spoils no scene alone.
    for round in 2..=repeat {
        for (case, cost) in &mut measured {
            console.progress(format_args!("{}, round {round} of {repeat}", case.name));
            cost.keep_least(&case.measure());
            kernel_ms = kernel_ms.min(kernel.cpu_ms());
        }
    }
    console.end_progress();

    show(&measured, kernel_ms, repeat, console)?;
    let scenes: Vec<_> = measured
        .iter()
        .map(|(case, cost)| document(case, cost, kernel_ms))
        .collect();
    console.document(json!({ "kernel_ms": kernel_ms, "repeat": repeat, "scenes": scenes }))?;
    let all_converged = measured
        .iter()
        .all(|(_, cost)| cost.count(Status::NotConverged) == 0);
    Ok(if all_converged {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}

fn show(
    measured: &[(Case, Cost)],
    kernel_ms: f64,
    repeat: usize,
    console: &Console,
) -> anyhow::Result<()> {
    console.line(format_args!(
        "CPU ms a step, and the median on the clock, least of {repeat} rounds; in brackets over the kernel (banded LDL^T, 100 edges: \
         {:.2} us)",
        1e3 * kernel_ms
    ))?;
    console.line(format_args!(
        "{:<15} {:>5} {:>5} {:>17} {:>17} {:>17} {:>17} {:>9}  {:<16} {:>8}  not converged",
        "scene",
        "edges",
        "steps",
        "median",
        "p95",
        "p99",
        "worst",
        "clock",
        "iterations",
        "contacts"
    ))?;
    for (case, cost) in measured {
        let time = |q| {
            let ms = cost.cpu_ms(q);
            format!("{ms:.3} [{:.1}]", ms / kernel_ms)
        };
        let iterations = [0.5, 0.95, 1.0].map(|q| cost.iterations(q).to_string());
        console.line(format_args!(
            "{:<15} {:>5} {:>5} {:>17} {:>17} {:>17} {:>17} {:>9}  {:<16} {:>8}  {}",
            case.name,
            case.n_edges(),
            cost.steps.len(),
            time(0.5),
            time(0.95),
            time(0.99),
            time(1.0),
            format!("{:.3}", cost.clock_ms(0.5)),
            iterations.join(" / "),
            cost.most_contacts(),
            cost.count(Status::NotConverged),
        ))?;
    }
    Ok(())
}

fn document(case: &Case, cost: &Cost, kernel_ms: f64) -> Value {
    let quantiles = |of: &dyn Fn(f64) -> Value| json!({ "median": of(0.5), "p95": of(0.95), "p99": of(0.99), "worst": of(1.0) });
    let mut iterations = quantiles(&|q| cost.iterations(q).into());
    iterations["mean"] = cost.mean_iterations().into();
    json!({
        "name": case.name,
        "description": case.description,
        "edges": case.n_edges(),
        "triangles": case.n_triangles(),
        "steps": cost.steps.len(),
        "cpu_ms": quantiles(&|q| cost.cpu_ms(q).into()),
        "clock_ms": quantiles(&|q| cost.clock_ms(q).into()),
        "kernels": quantiles(&|q| (cost.cpu_ms(q) / kernel_ms).into()),
        "iterations": iterations,
        "contacts_most": cost.most_contacts(),
        "steps_in_contact": cost.steps_in_contact(),
        "steps_blocked": cost.count(Status::Blocked),
        "steps_not_converged": cost.count(Status::NotConverged),
    })
}
