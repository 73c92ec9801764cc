//! `study path`: a part is taken along a path with its cables; what limits it and what they need.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::console::Console;
use super::outputs::Files;
use super::samples::{self, SampleFiles};
use super::{Outcome, input};
use crate::progress::Progress;
use crate::scene::study::{CableStudy, PoseStudy, Sample, Study, Worst, study};
use crate::scene::{Command, file};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is asked.
    #[command(subcommand)]
    what: What,
}

/// What can be studied.
#[derive(Debug, clap::Subcommand)]
enum What {
    /// Take parts along a path, or to the poses of a table, with their cables: what limits it, and what it needs.
    ///
    /// Exit code 1 when the path is not free.
    Path(PathArgs),
}

/// What can be typed behind `study path`.
#[derive(Debug, clap::Args)]
struct PathArgs {
    /// The scene file.
    scene: PathBuf,
    /// Key poses and steps as JSON, or key poses as CSV: see docs/cli.md.
    path: PathBuf,
    /// The part that moves; given several times they move as one. Those of the path when left out.
    #[arg(long = "part", value_name = "NAME")]
    parts: Vec<String>,
    /// Way between two samples, mm.
    #[arg(long, value_name = "MM", default_value_t = crate::scene::study::STEP, allow_hyphen_values = true)]
    step: f64,
    /// Write the values of every cable at every sample as CSV.
    #[arg(long, value_name = "OUT.csv")]
    table: Option<PathBuf>,
    /// Write the room that each cable sweeps: .stl or .glb.
    #[arg(long, value_name = "FILE")]
    envelope: Option<PathBuf>,
    /// Save the scene with the lengths that the path needs; may be SCENE itself.
    #[arg(short, long, value_name = "SCENE")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let What::Path(PathArgs {
        scene,
        path,
        parts,
        step,
        table,
        envelope,
        output,
    }) = args.what;
    let options = Options {
        parts: &parts,
        step,
        table: table.as_deref(),
        envelope: envelope.as_deref(),
        output: output.as_deref(),
    };
    run(&scene, &path, &options, console)
}

/// What is asked for beside the path.
pub struct Options<'a> {
    /// Parts that move; those of the file when there are none.
    pub parts: &'a [String],
    /// Way between two samples, mm.
    pub step: f64,
    /// A table of all samples.
    pub table: Option<&'a Path>,
    /// The swept envelopes.
    pub envelope: Option<&'a Path>,
    /// The scene with the lengths that the path needs.
    pub output: Option<&'a Path>,
}

/// Plays the path, says what limits it, and writes what is asked for.
pub fn run(
    scene_path: &Path,
    path: &Path,
    options: &Options,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let mut scene = input::scene(scene_path, console)?;
    Files::default()
        .input("the path", path)
        .meshes(&scene)
        .output("the scene with the new lengths", options.output)
        .output("the table", options.table)
        .output("the envelope", options.envelope)
        .check()?;
    if !(options.step.is_finite() && options.step > 0.0) {
        anyhow::bail!(
            "--step must be a positive number of mm, but is {}",
            options.step
        );
    }
    let files = SampleFiles::new(options.table, options.envelope)?;
    let wanted = input::path(path, options.parts)?.checked(&scene)?;
    let found = study(&scene, &wanted, options.step, &Progress::default())?;
    tell(&found, console)?;
    let first = |s: &Sample| format!("{:.3},{}", 100.0 * s.at, samples::quoted(&s.pose));
    files.write(&scene, &found.samples, "at_percent,pose", first, console)?;
    if let Some(output) = options.output {
        for cable in found.cables.iter().filter(|c| c.needed_is_played) {
            let set = Command::SetLength {
                cable: cable.cable.clone(),
                length: cable.needed,
            };
            set.apply(&mut scene)?;
        }
        file::save(&scene, output)?;
        console.line(format_args!("saved to {}", output.display()))?;
    }
    console.document(document(&found))?;
    Ok(if found.is_free() {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}

fn tell(found: &Study, console: &mut Console) -> anyhow::Result<()> {
    if found.is_free() {
        console.line("the path is free")?;
    }
    for limit in &found.limits {
        console.line(&limit.words)?;
    }
    if found.unsolved > 0 {
        let steps = found.unsolved;
        console.warn(format_args!(
            "{steps} steps of the path have no equilibrium: what they say is not certain"
        ));
    }
    for cable in &found.cables {
        console.line(words(cable))?;
    }
    for (when, errors) in [
        ("installed as it is", &found.installed),
        (
            "installed with the lengths that the path needs",
            &found.lengthened,
        ),
    ] {
        match errors.len() {
            0 => console.line(format_args!("{when}: nothing is wrong"))?,
            n => console.line(format_args!("{when}: {n} errors"))?,
        }
        for error in errors {
            console.line(format_args!("  {}", error.what))?;
        }
    }
    Ok(())
}

fn words(cable: &CableStudy) -> String {
    let mut text = format!("cable \"{}\": {:.1} mm long, ", cable.cable, cable.length);
    let _ = if cable.needed_is_played {
        write!(text, "the path needs {:.1} mm", cable.needed)
    } else {
        write!(text, "the path needs at least {:.1} mm", cable.needed)
    };
    let mut add = |what: &str, worst: &Option<Worst>, unit: &str| {
        if let Some(worst) = worst {
            let to = worst
                .to
                .as_ref()
                .map_or_else(String::new, |to| format!(" to \"{to}\""));
            let (value, percent) = (worst.value, 100.0 * worst.at);
            let _ = write!(
                text,
                "\n  {what} {value:.2} {unit}{to} at {percent:.0} % ({})",
                worst.pose
            );
        }
    };
    add("smallest bend radius", &cable.worst.bend_radius, "mm");
    add("largest tension", &cable.worst.tension, "N");
    add("largest side force", &cable.worst.side_force, "N");
    add("smallest clearance", &cable.worst.clearance, "mm");
    add("first contact", &cable.worst.first_contact, "mm");
    text
}

/// The worst of one pose, by cable.
fn of_pose(found: &Study, pose: &PoseStudy) -> Value {
    let cables = found.cables.iter().zip(&pose.cables);
    let cables = cables.map(|(cable, worst)| (cable.cable.clone(), json!(worst)));
    json!({ "pose": pose.pose, "cables": cables.collect::<Map<_, _>>() })
}

fn document(found: &Study) -> Value {
    let samples = found.samples.iter().map(|sample| {
        let cables = sample.cables.iter().map(samples::values);
        json!({ "at": sample.at, "pose": sample.pose, "cables": cables.collect::<Vec<_>>() })
    });
    json!({
        "free": found.is_free(),
        "limits": found.limits,
        "cables": found.cables,
        "poses": found.poses.iter().map(|pose| of_pose(found, pose)).collect::<Vec<_>>(),
        "unsolved": found.unsolved,
        "installed": found.installed,
        "lengthened": found.lengthened,
        "samples": samples.collect::<Vec<_>>(),
    })
}
