//! `study path`: a part is taken along a path with its cables; what limits it and what they need.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};

use super::Outcome;
use super::console::Console;
use super::outputs::Files;
use crate::disk::write_atomically;
use crate::exchange::{EnvelopeFormat, envelope_file};
use crate::progress::Progress;
use crate::scene::study::{CableStudy, Study, StudyPath, Worst, envelope, study};
use crate::scene::{Command, Scene, file};

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
    let (mut scene, warnings) = file::load(scene_path)?;
    Files::default()
        .input("the path", path)
        .meshes(&scene)
        .output("the scene with the new lengths", options.output)
        .output("the table", options.table)
        .output("the envelope", options.envelope)
        .check()?;
    for warning in warnings {
        console.warn(warning);
    }
    if !(options.step.is_finite() && options.step > 0.0) {
        anyhow::bail!(
            "--step must be a positive number of mm, but is {}",
            options.step
        );
    }
    let format = match options.envelope {
        Some(file) => Some(EnvelopeFormat::of(file).with_context(|| {
            let file = file.display();
            format!("an envelope is written as .stl or .glb, not as {file}")
        })?),
        None => None,
    };
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("cannot read the path {}", path.display()))?;
    let mut wanted = StudyPath::parse(&text)?;
    if !options.parts.is_empty() {
        wanted.parts = options.parts.to_vec();
    }
    let wanted = wanted.checked(&scene)?;
    let found = study(&scene, &wanted, options.step, &Progress::default())?;
    tell(&found, console)?;
    if let Some(file) = options.table {
        let table = table(&scene, &found);
        write_atomically(file, |out| out.write_all(table.as_bytes()))
            .with_context(|| format!("cannot write {}", file.display()))?;
        console.line(format_args!("table written to {}", file.display()))?;
    }
    if let (Some(file), Some(format)) = (options.envelope, format) {
        let cables = scene.cables.iter().enumerate();
        let swept = cables.filter_map(|(k, c)| envelope(&found.samples, k, &c.name, c.radius));
        let swept: Vec<_> = swept.collect();
        let bytes = envelope_file(&swept, format);
        write_atomically(file, |out| out.write_all(&bytes))
            .with_context(|| format!("cannot write {}", file.display()))?;
        console.line(format_args!("envelopes written to {}", file.display()))?;
    }
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

fn document(found: &Study) -> Value {
    let samples = found.samples.iter().map(|sample| {
        let cables = sample.cables.iter().map(|c| {
            json!({
                "bend_radius": c.bend_radius.is_finite().then_some(c.bend_radius),
                "tension": c.tension,
                "side_force": c.side_force,
                "clearance": c.clearance.as_ref().map(|(mm, _)| mm),
                "nearest": c.clearance.as_ref().map(|(_, to)| to),
            })
        });
        json!({ "at": sample.at, "pose": sample.pose, "cables": cables.collect::<Vec<_>>() })
    });
    json!({
        "free": found.is_free(),
        "limits": found.limits,
        "cables": found.cables,
        "unsolved": found.unsolved,
        "installed": found.installed,
        "lengthened": found.lengthened,
        "samples": samples.collect::<Vec<_>>(),
    })
}

/// One line for each sample and cable.
fn table(scene: &Scene, found: &Study) -> String {
    let mut text =
        "at_percent,pose,cable,bend_radius_mm,tension_n,side_force_n,clearance_mm,nearest\n"
            .to_owned();
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    for sample in &found.samples {
        for (cable, c) in scene.cables.iter().zip(&sample.cables) {
            let radius = if c.bend_radius.is_finite() {
                format!("{:.3}", c.bend_radius)
            } else {
                String::new()
            };
            let (clearance, nearest) = match &c.clearance {
                Some((mm, to)) => (format!("{mm:.3}"), quoted(to)),
                None => (String::new(), String::new()),
            };
            let _ = writeln!(
                text,
                "{:.3},{},{},{radius},{:.4},{:.4},{clearance},{nearest}",
                100.0 * sample.at,
                quoted(&sample.pose),
                quoted(&cable.name),
                c.tension,
                c.side_force,
            );
        }
    }
    text
}
