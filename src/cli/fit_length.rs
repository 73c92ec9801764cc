//! `fit-length`: the shortest length with which a cable meets its limits.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::console::Console;
use super::outputs::Files;
use super::{Outcome, input};
use crate::scene::shortest::{LengthRow, shortest_length};
use crate::scene::{Command, file};
use crate::solve::CancelToken;

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// Only this cable.
    #[arg(long, value_name = "NAME")]
    cable: Option<String>,
    /// Round up to multiples of so many mm.
    #[arg(long, value_name = "MM", default_value_t = crate::scene::shortest::ROUND_TO, allow_hyphen_values = true)]
    round: f64,
    /// Save the scene with the proposed lengths; may be SCENE itself.
    #[arg(short, long, value_name = "SCENE")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        cable,
        round,
        output,
    } = args;
    run(&scene, cable.as_deref(), round, output.as_deref(), console)
}

/// Finds and prints the lengths; with `output` the cable gets the proposed one.
pub fn run(
    scene_path: &Path,
    cable: Option<&str>,
    round_to: f64,
    output: Option<&Path>,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let mut scene = input::scene(scene_path, console)?;
    Files::default()
        .meshes(&scene)
        .output("the fitted scene", output)
        .check()?;
    if !(round_to.is_finite() && round_to > 0.0) {
        anyhow::bail!("--round must be a positive number of mm, but is {round_to}");
    }
    let names: Vec<String> = scene.cables.iter().map(|c| c.name.clone()).collect();
    if let Some(cable) = cable.filter(|c| !names.iter().any(|n| n == c)) {
        let known = names.join(", ");
        anyhow::bail!("there is no cable \"{cable}\"; the scene has: {known}");
    }
    let wanted = names.iter().filter(|n| cable.is_none_or(|c| c == *n));
    let mut documents = Vec::new();
    let mut outcome = Outcome::Good;
    for name in wanted {
        console.line(format_args!("cable \"{name}\""))?;
        match shortest_length(&scene, name, round_to, &CancelToken::default()) {
            Ok(found) => {
                let rows = [
                    ("now", &found.now),
                    ("shortest", &found.shortest),
                    ("proposed", &found.proposed),
                ];
                for (word, row) in rows {
                    console.line(format_args!("  {word:<9} {}", words(row)))?;
                }
                let proposed = found.proposed.length;
                documents.push(json!({
                    "cable": name,
                    "now": document(&found.now),
                    "shortest": document(&found.shortest),
                    "proposed": document(&found.proposed),
                }));
                if output.is_some() {
                    let set = Command::SetLength {
                        cable: name.clone(),
                        length: proposed,
                    };
                    set.apply(&mut scene)?;
                }
            }
            Err(error) => {
                console.line(format_args!("  {error}"))?;
                documents.push(json!({ "cable": name, "error": error.to_string() }));
                outcome = Outcome::NotGood;
            }
        }
    }
    if let Some(output) = output {
        file::save(&scene, output)?;
        console.line(format_args!("saved to {}", output.display()))?;
    }
    console.document(json!({ "cables": documents }))?;
    Ok(outcome)
}

fn words(row: &LengthRow) -> String {
    let or_none = |value: Option<f64>, unit: &str| {
        value.map_or_else(|| "none".to_owned(), |v| format!("{v:.2} {unit}"))
    };
    let [start, end] = row.end_forces;
    let radius = if row.radius.is_finite() {
        format!("{:.1} mm", row.radius)
    } else {
        "straight".to_owned()
    };
    let why = row
        .errors
        .first()
        .map_or_else(String::new, |f| format!("; {}", f.what));
    format!(
        "{:.1} mm: bend radius {radius}, clearance {}, forces at the ends {} and {}{why}",
        row.length,
        or_none(row.clearance, "mm"),
        or_none(start, "N"),
        or_none(end, "N"),
    )
}

fn document(row: &LengthRow) -> Value {
    json!({
        "length": row.length,
        "bend_radius": row.radius.is_finite().then_some(row.radius),
        "clearance": row.clearance,
        "end_forces": row.end_forces,
        "findings": row.errors,
    })
}
