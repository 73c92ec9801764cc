//! `check`: what is wrong with a scene, or not known of it.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::console::Console;
use super::solve::{list_starts, solve_to_rest};
use super::{Outcome, input};
use crate::scene::Simulation;
use crate::scene::findings::{Finding, Severity, judge};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args { scene } = args;
    run(&scene, console)
}

/// Solves the scene, judges it, and prints what was found. Saves nothing.
pub fn run(scene_path: &Path, console: &mut Console) -> anyhow::Result<Outcome> {
    let scene = input::scene(scene_path, console)?;
    let mut simulation = Simulation::new(scene)?;
    list_starts(&mut simulation, console)?;
    console.progress("solving");
    let reports = solve_to_rest(&mut simulation);
    console.end_progress();
    let found = judge(&simulation, &reports);
    let count = |severity: Severity| found.iter().filter(|f| f.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    for finding in &found {
        show(finding, console)?;
    }
    let n = simulation.scene().cables.len();
    console.line(match (errors, warnings) {
        (0, 0) => format!("{n} cables checked: nothing found"),
        (errors, warnings) => format!("{n} cables checked: {errors} errors, {warnings} warnings"),
    })?;
    console.document(json!({
        "cables": n,
        "n_errors": errors,
        "n_warnings": warnings,
        "findings": found,
    }))?;
    Ok(if errors == 0 {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}

fn show(finding: &Finding, console: &Console) -> anyhow::Result<()> {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    console.line(format_args!("{severity:<8} {}", finding.what))?;
    console.line(format_args!("         -> {}", finding.mend))
}
