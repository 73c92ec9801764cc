//! `apply`: plays edits of the document.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::json;

use super::console::Console;
use super::outputs::Files;
use super::script::{Action, read_script};
use super::{Outcome, input};
use crate::scene::file;

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// Commands, such as {"command":"set_length","cable":"cable","length":950}.
    #[arg(value_name = "COMMANDS.jsonl")]
    commands: PathBuf,
    /// Where to save the edited scene; may be SCENE itself.
    #[arg(short, long, value_name = "SCENE")]
    output: PathBuf,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        commands,
        output,
    } = args;
    run(&scene, &commands, &output, console)
}

/// Applies all commands or, when one of them fails, none.
pub fn run(
    scene_path: &Path,
    commands: &Path,
    output: &Path,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let mut scene = input::scene(scene_path, console)?;
    Files::default()
        .input("the commands", commands)
        .meshes(&scene)
        .output("the edited scene", Some(output))
        .check()?;
    let script = read_script(commands)?;
    for step in &script {
        let place = || format!("line {} of {}", step.line, commands.display());
        match &step.action {
            Action::Command(command) => command.apply(&mut scene).with_context(place)?,
            Action::Frame(_) => {
                bail!(
                    "{}: a frame mark solves a step; that is for replay",
                    place()
                )
            }
        }
    }
    file::save(&scene, output)?;
    let n = script.len();
    console.line(format_args!(
        "{n} commands applied, saved to {}",
        output.display()
    ))?;
    console.document(json!({ "commands": n, "scene": output }))?;
    Ok(Outcome::Good)
}
