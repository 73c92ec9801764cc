//! `update`: a new revision of the parts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use super::console::Console;
use super::outputs::Files;
use super::solve::solve_to_rest;
use super::{Outcome, input};
use crate::mesh::import::{ImportOptions, Importer};
use crate::scene::findings::{Severity, judge};
use crate::scene::update::{CableNumbers, PartFate, PartUpdate, numbers, plan};
use crate::scene::{Command, Scene, Simulation, file};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// The mesh file with the new revision.
    mesh: PathBuf,
    /// Leave parts out that are new in the file.
    #[arg(long)]
    ignore_new: bool,
    /// Delete parts that are gone from the file.
    #[arg(long)]
    delete_gone: bool,
    /// Save the updated and solved scene; may be SCENE itself.
    #[arg(short, long, value_name = "SCENE")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        mesh,
        ignore_new,
        delete_gone,
        output,
    } = args;
    run(
        &scene,
        &mesh,
        [ignore_new, delete_gone],
        output.as_deref(),
        console,
    )
}

/// Says what became of each part, takes the revision into the scene, and says what that does to the cables.
pub fn run(
    scene_path: &Path,
    mesh: &Path,
    [ignore_new, delete_gone]: [bool; 2],
    output: Option<&Path>,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let scene = input::scene(scene_path, console)?;
    Files::default()
        .input("the new revision", mesh)
        .meshes(&scene)
        .output("the updated scene", output)
        .check()?;
    let options = ImportOptions::default();
    let revision = Importer::default().file(mesh)?;
    let updates = plan(&scene, mesh, &revision);
    for update in updates
        .iter()
        .filter(|u| u.fate != PartFate::Same || u.is_renamed(&scene))
    {
        console.line(update.words(&scene))?;
    }
    let same = updates.iter().filter(|u| u.fate == PartFate::Same).count();
    console.line(format_args!(
        "{same} of {} parts are the same",
        updates.len()
    ))?;
    let documents: Vec<Value> = updates.iter().map(|u| document(u, &scene)).collect();
    let mut simulation = Simulation::new(scene)?;
    simulation.apply(&Command::ExcludeEntries)?;
    solve_to_rest(&mut simulation);
    let before = numbers(&simulation);
    simulation.apply(&Command::UpdateParts {
        path: mesh.to_owned(),
        options,
        ignore_new,
        delete_gone,
        loaded: Some(Arc::new(revision)),
    })?;
    let reports = solve_to_rest(&mut simulation);
    let after = numbers(&simulation);
    for (old, new) in before.iter().zip(&after) {
        console.line(format_args!("cable \"{}\"", new.cable))?;
        let mm = |value: Option<f64>| value.map_or("none".to_owned(), |v| format!("{v:.2} mm"));
        let line = |name: &str, a: Option<f64>, b: Option<f64>| {
            console.line(format_args!("  {name:<12} {} -> {}", mm(a), mm(b)))
        };
        line("length", Some(old.length), Some(new.length))?;
        line("bend radius", old.bend_radius, new.bend_radius)?;
        line("clearance", old.clearance, new.clearance)?;
    }
    let found = judge(&simulation, &reports);
    let errors: Vec<_> = found
        .iter()
        .filter(|f| f.severity == Severity::Error)
        .collect();
    for finding in &errors {
        console.line(format_args!("error    {}", finding.what))?;
    }
    if let Some(output) = output {
        file::save(simulation.scene(), output)?;
        console.line(format_args!("saved to {}", output.display()))?;
    }
    let row = |(a, b): (&CableNumbers, &CableNumbers)| json!({ "before": a, "after": b });
    console.document(json!({
        "parts": documents,
        "cables": before.iter().zip(&after).map(row).collect::<Vec<_>>(),
        "findings": errors,
    }))?;
    Ok(if errors.is_empty() {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}

fn document(update: &PartUpdate, scene: &Scene) -> Value {
    let motion = match &update.fate {
        PartFate::Moved(motion) => Some(json!(motion)),
        _ => None,
    };
    json!({
        "part": update.part,
        "in_file": update.in_file,
        "fate": update.fate.word(),
        "renamed": update.is_renamed(scene),
        "motion": motion,
    })
}
