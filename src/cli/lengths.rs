//! `lengths`: what is cut of each branch and wire.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::console::Console;
use super::report::{status_key, worst};
use super::solve::solve_to_rest;
use super::{Outcome, input};
use crate::scene::lengths::{csv, lengths};
use crate::scene::{Command, Simulation};
use crate::solve::Status;

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// As a table for spreadsheets.
    #[arg(long)]
    csv: bool,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args { scene, csv } = args;
    run(&scene, csv, console)
}

/// Solves the scene and prints the book of lengths. Saves nothing.
pub fn run(scene_path: &Path, as_csv: bool, console: &mut Console) -> anyhow::Result<Outcome> {
    let scene = input::scene(scene_path, console)?;
    let mut simulation = Simulation::new(scene)?;
    simulation.apply(&Command::ExcludeEntries)?;
    console.progress("solving");
    let reports = solve_to_rest(&mut simulation);
    console.end_progress();
    let scene = simulation.scene();
    let lines = lengths(scene);
    let status = worst(scene, &reports);
    if status != Status::Converged {
        console.warn("not every cable is in equilibrium where it should be: lengths under load are not final");
    }
    for line in lines.iter().filter(|l| !l.missing.is_empty()) {
        let missing = line.missing.join(", ");
        console.warn(format_args!(
            "wire \"{}\" runs through {missing}, which the scene has not: its length is too short",
            line.name
        ));
    }
    if as_csv {
        console.line(csv(&lines).trim_end())?;
    } else {
        for line in &lines {
            let mm = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.1}"));
            let slack = line
                .slack
                .map_or("-".to_owned(), |s| format!("{:.1} %", 100.0 * s));
            let [start, end] = line.rule.allowances;
            console.line(format_args!(
                "{} \"{}\": {:.1} mm, under load {} mm, slack {slack}, allowances {start:.1} + {end:.1} mm, \
                 loop {:.1} mm, cut {:.1} mm",
                line.kind,
                line.name,
                line.geometric,
                mm(line.under_load),
                line.rule.service_loop,
                line.cut,
            ))?;
        }
    }
    console.document(json!({ "status": status_key(status), "lengths": lines }))?;
    let is_whole = lines.iter().all(|l| l.missing.is_empty());
    Ok(if is_whole && status == Status::Converged {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}
