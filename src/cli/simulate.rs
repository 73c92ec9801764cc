//! `simulate`: a scene over time.

use std::sync::Arc;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::console::{Console, OutFile};
use super::outputs::Files;
use super::report::points;
use super::samples::{self, SampleFiles};
use super::script::{Action, read_script};
use super::{Outcome, input};
use crate::geom::Vec3;
use crate::scene::motion::{MotionOptions, MotionPath, Player, StepLength};
use crate::scene::study::Sample;
use crate::scene::{Scene, Simulation, file};
use crate::solve::{CancelToken, Status, TimeRule};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file; it is brought to rest first.
    scene: PathBuf,
    /// How long, s.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    seconds: f64,
    /// Time between two samples, s.
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0.02,
        allow_hyphen_values = true
    )]
    every: f64,
    /// Length of a step of time, s; with --adaptive of the longest one.
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0.005,
        allow_hyphen_values = true
    )]
    step: f64,
    /// Shorter steps where velocities change: by so many mm over a step.
    #[arg(long, value_name = "MM", allow_hyphen_values = true)]
    adaptive: Option<f64>,
    /// Order of the time steps: 1 damps what is too fast for them, 2 keeps energy.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
    order: u8,
    /// Drag on all mass, over mass and velocity, 1/s.
    #[arg(
        long,
        value_name = "X",
        default_value_t = 0.5,
        allow_hyphen_values = true
    )]
    drag: f64,
    /// Damping of bending and twist, s; that of the materials when left out.
    #[arg(long, value_name = "S", allow_hyphen_values = true)]
    damping: Option<f64>,
    /// Key poses with times, and sines, of parts and handles: see docs/cli.md.
    #[arg(long, value_name = "FILE")]
    path: Option<PathBuf>,
    /// The part that the path moves; given several times they move alike. Those of the path when left out.
    #[arg(long = "part", value_name = "NAME", requires = "path")]
    parts: Vec<String>,
    /// Edits that set the scene in motion, the lines of apply: a handle deleted, a body hung on.
    #[arg(long, value_name = "COMMANDS.jsonl")]
    commands: Option<PathBuf>,
    /// Write every sample, one JSON line each.
    #[arg(long, value_name = "OUT.jsonl")]
    states: Option<PathBuf>,
    /// Write the values of every cable at every sample as CSV.
    #[arg(long, value_name = "OUT.csv")]
    table: Option<PathBuf>,
    /// Write the room that each cable sweeps: .stl or .glb.
    #[arg(long, value_name = "FILE")]
    envelope: Option<PathBuf>,
    /// Save the scene as it is at the end, not at rest.
    #[arg(short, long, value_name = "SCENE")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        seconds,
        every,
        step,
        adaptive,
        order,
        drag,
        damping,
        path,
        parts,
        commands,
        states,
        table,
        envelope,
        output,
    } = args;
    let options = Options {
        seconds,
        every,
        motion: self::motion(step, adaptive, order, drag, damping),
        path: path.as_deref(),
        parts: &parts,
        commands: commands.as_deref(),
        states: states.as_deref(),
        table: table.as_deref(),
        envelope: envelope.as_deref(),
        output: output.as_deref(),
    };
    run(&scene, &options, console)
}

/// Samples of one motion, at most.
const MOST_SAMPLES: f64 = 100_000.0;

/// What is asked for beside the scene.
pub struct Options<'a> {
    /// How long, s.
    pub seconds: f64,
    /// Time between two samples, s.
    pub every: f64,
    /// How time goes on.
    pub motion: MotionOptions,
    /// What moves by a plan.
    pub path: Option<&'a Path>,
    /// Parts that it moves; those of the file when there are none.
    pub parts: &'a [String],
    /// Edits that are made when the scene has come to rest, and the motion begins.
    pub commands: Option<&'a Path>,
    /// Every sample as a JSON line.
    pub states: Option<&'a Path>,
    /// A table of all samples.
    pub table: Option<&'a Path>,
    /// The swept envelopes.
    pub envelope: Option<&'a Path>,
    /// The scene as it is at the end.
    pub output: Option<&'a Path>,
}

/// How time goes on, by what was typed.
pub fn motion(
    step: f64,
    adaptive: Option<f64>,
    order: u8,
    drag: f64,
    damping: Option<f64>,
) -> MotionOptions {
    let longest = step;
    MotionOptions {
        length: match adaptive {
            Some(error) => StepLength::Fitting { error, longest },
            None => StepLength::Fixed(step),
        },
        rule: if order == 2 {
            TimeRule::SecondOrder
        } else {
            TimeRule::Euler
        },
        drag,
        damping,
    }
}

/// Moves the scene, says what was seen, and writes what is asked for.
pub fn run(scene_path: &Path, options: &Options, console: &mut Console) -> anyhow::Result<Outcome> {
    for (what, value) in [("--seconds", options.seconds), ("--every", options.every)] {
        if !(value.is_finite() && value > 0.0) {
            bail!("{what} must be a positive number of seconds, but is {value}");
        }
    }
    if options.seconds / options.every > MOST_SAMPLES {
        bail!("that is more than {MOST_SAMPLES} samples; give a longer --every");
    }
    let scene = input::scene(scene_path, console)?;
    let mut files = Files::default()
        .input("the scene", scene_path)
        .meshes(&scene);
    for (what, path) in [
        ("the path", options.path),
        ("the commands", options.commands),
    ] {
        if let Some(path) = path {
            files = files.input(what, path);
        }
    }
    files
        .output("the states", options.states)
        .output("the table", options.table)
        .output("the envelope", options.envelope)
        .output("the scene at the end", options.output)
        .check()?;
    let sample_files = SampleFiles::new(options.table, options.envelope)?;
    let simulation = at_rest(scene, options, console)?;
    let path = path_of(simulation.scene(), options)?;
    let player = Player::new(simulation, options.motion, path)?;
    let seen = play(player, options, console)?;
    tell(&seen, console)?;
    write_files(&seen, options, sample_files, console)?;
    console.document(document(&seen))?;
    Ok(if seen.is_good() {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}

/// The scene at rest, with the edits that set it in motion.
fn at_rest(scene: Scene, options: &Options, console: &mut Console) -> anyhow::Result<Simulation> {
    let mut simulation = Simulation::new(scene)?;
    super::solve::list_starts(&mut simulation, console)?;
    let reports = simulation.solve_quietly(&CancelToken::default());
    for report in reports.iter() {
        if !matches!(report.report.status, Status::Converged | Status::NotHeld) {
            let cable = &report.cable;
            console.warn(format_args!(
                "cable \"{cable}\" is not at rest where its handles are to be: it moves from the start"
            ));
        }
    }
    if let Some(commands) = options.commands {
        for line in read_script(commands)? {
            let place = || format!("line {} of {}", line.line, commands.display());
            match &line.action {
                Action::Command(command) => simulation.apply(command).with_context(place)?,
                Action::Frame(_) => bail!("{}: a motion has no frames", place()),
            }
        }
    }
    Ok(simulation)
}

fn path_of(scene: &Scene, options: &Options) -> anyhow::Result<Option<MotionPath>> {
    let Some(path) = options.path else {
        return Ok(None);
    };
    let wanted = input::path(path, options.parts)?;
    Ok(Some(MotionPath::new(&wanted, scene)?))
}

/// What was seen.
struct Seen {
    player: Player,
    samples: Vec<Sample>,
    /// Parts and handles that were held short of their path, one sentence each, with the time.
    held: Vec<String>,
    /// CPU time of all steps, s.
    cpu: f64,
    /// When everything had come to rest for good, s.
    still: Option<f64>,
}

impl Seen {
    fn is_good(&self) -> bool {
        self.player.steps()[1] == 0 && self.held.is_empty()
    }
}

fn play(mut player: Player, options: &Options, console: &Console) -> anyhow::Result<Seen> {
    let mut states = options.states.map(OutFile::create).transpose()?;
    let budget = (&CancelToken::default()).into();
    let n = (options.seconds / options.every).ceil().max(1.0) as usize;
    let (mut samples, mut held): (Vec<Sample>, Vec<String>) = (Vec::new(), Vec::new());
    let mut still = None;
    let started = cpu_time::ThreadTime::now();
    for k in 1..=n {
        let until = (options.every * k as f64).min(options.seconds);
        let mut moved = player.step(until, &budget)?;
        while player.time() < until {
            moved = player.step(until, &budget)?;
        }
        let sample = player.sample(&moved.reports);
        note_held(&player, &moved.reports, &mut held);
        still = player
            .simulation()
            .is_still()
            .then(|| still.unwrap_or(player.time()));
        if let Some(states) = &mut states {
            states.json_line(&state(&player, &sample, moved.converged))?;
        }
        samples.push(sample);
        console.progress(format_args!("{until:.3} of {} s", options.seconds));
    }
    console.end_progress();
    if let Some(states) = states {
        states.finish()?;
    }
    Ok(Seen {
        player,
        samples,
        held,
        cpu: started.elapsed().as_secs_f64(),
        still,
    })
}

/// Notes what is short of its path, once each.
fn note_held(player: &Player, reports: &[Arc<crate::scene::CableReport>], held: &mut Vec<String>) {
    let mut add = |who: String, short: f64| {
        if !held.iter().any(|h| h.starts_with(&who)) {
            let time = player.time();
            held.push(format!(
                "{who} is {short:.2} mm short of its path at {time:.3} s"
            ));
        }
    };
    for part in player.simulation().held_parts() {
        add(format!("part \"{}\"", part.part), part.short_by);
    }
    let cables = &player.simulation().scene().cables;
    for (cable, report) in cables.iter().zip(reports) {
        for (handle, own) in cable.handles.iter().zip(&report.report.handles) {
            if own.is_short() {
                let who = format!("handle \"{}\" of cable \"{}\"", handle.name, cable.name);
                add(who, own.short_by);
            }
        }
    }
}

/// One sample for machines.
fn state(player: &Player, sample: &Sample, converged: bool) -> Value {
    let simulation = player.simulation();
    let scene = simulation.scene();
    let cables = scene.cables.iter().zip(simulation.solvers());
    let cables = cables.zip(&sample.cables).map(|((cable, solver), seen)| {
        let fastest = solver.velocities().unwrap_or_default().iter();
        let fastest = fastest.map(Vec3::norm).fold(0.0, f64::max);
        let mut own = samples::values(seen);
        own["name"] = cable.name.clone().into();
        own["radius"] = cable.radius.into();
        own["points"] = points(&seen.points);
        own["velocities"] = points(solver.velocities().unwrap_or_default());
        own["fastest"] = fastest.into();
        own["touches"] = seen.touches.clone().into();
        own
    });
    let cables: Vec<Value> = cables.collect();
    let poses = simulation.part_poses();
    let parts = scene.parts.iter().zip(poses).map(|(part, pose)| {
        let q = pose.rotation;
        let position: [f64; 3] = pose.position.into();
        json!({ "name": part.name, "position": position, "rotation": [q.w, q.i, q.j, q.k] })
    });
    let [kinetic, potential] = simulation.kinetic_and_potential();
    json!({
        "time": player.time(),
        "converged": converged,
        "kinetic_energy": kinetic,
        "potential_energy": potential,
        "cables": cables,
        "parts": parts.collect::<Vec<_>>(),
    })
}

/// The worst that a cable came to: the value, and when.
fn worst(
    seen: &Seen,
    k: usize,
    value: impl Fn(&crate::scene::study::CableSample) -> Option<f64>,
    sign: f64,
) -> Option<(f64, f64)> {
    let all = seen.samples.iter();
    let all = all.filter_map(|s| value(&s.cables[k]).map(|v| (v, s.at)));
    all.min_by(|a, b| (sign * a.0).total_cmp(&(sign * b.0)))
}

/// Name and unit of a value, and the worst of it with its time.
type Worst = (&'static str, &'static str, Option<(f64, f64)>);

/// The worst values of a cable.
fn worsts(seen: &Seen, k: usize) -> [Worst; 3] {
    let finite = |x: f64| x.is_finite().then_some(x);
    [
        (
            "smallest bend radius",
            "mm",
            worst(seen, k, |c| finite(c.bend_radius), 1.0),
        ),
        (
            "largest tension",
            "N",
            worst(seen, k, |c| Some(c.tension), -1.0),
        ),
        (
            "smallest clearance",
            "mm",
            worst(seen, k, |c| c.clearance.as_ref().map(|(mm, _)| *mm), 1.0),
        ),
    ]
}

fn tell(seen: &Seen, console: &mut Console) -> anyhow::Result<()> {
    let scene = seen.player.simulation().scene();
    for (k, cable) in scene.cables.iter().enumerate() {
        let mut text = format!("cable \"{}\":", cable.name);
        for (what, unit, worst) in worsts(seen, k) {
            if let Some((value, time)) = worst {
                let _ = write!(text, "\n  {what} {value:.2} {unit} at {time:.3} s");
            }
        }
        for hit in seen.player.hits().iter().filter(|h| h.cable == k) {
            let _ = write!(
                text,
                "\n  touches \"{}\" first at {:.3} s",
                hit.to, hit.time
            );
        }
        console.line(text)?;
    }
    for held in &seen.held {
        console.line(held)?;
    }
    match seen.still {
        Some(time) => console.line(format_args!("cables at rest from {time:.3} s on"))?,
        None => console.line("cables still in motion at the end")?,
    }
    let [steps, unsolved] = seen.player.steps();
    if unsolved > 0 {
        console.warn(format_args!(
            "{unsolved} of {steps} steps did not come to where inertia and forces balance: shorter steps may help"
        ));
    }
    let times = seen.player.time() / seen.cpu.max(1e-9);
    console.line(format_args!(
        "{steps} steps, {:.2} s of CPU time: {times:.2} times real time",
        seen.cpu
    ))
}

fn document(seen: &Seen) -> Value {
    let scene = seen.player.simulation().scene();
    let cables = scene.cables.iter().enumerate().map(|(k, cable)| {
        let mut own = json!({ "cable": cable.name });
        for (key, (_, _, worst)) in ["bend_radius", "tension", "clearance"]
            .into_iter()
            .zip(worsts(seen, k))
        {
            own[key] = worst.map_or(
                Value::Null,
                |(value, at)| json!({ "value": value, "at": at }),
            );
        }
        let hits = seen.player.hits().iter().filter(|h| h.cable == k);
        let hits = hits.map(|h| json!({ "to": h.to, "at": h.time }));
        own["first_hits"] = hits.collect();
        own
    });
    let [steps, unsolved] = seen.player.steps();
    json!({
        "seconds": seen.player.time(),
        "steps": steps,
        "unsolved": unsolved,
        "cpu_s": seen.cpu,
        "still_from": seen.still,
        "held": seen.held,
        "cables": cables.collect::<Vec<_>>(),
    })
}

fn write_files(
    seen: &Seen,
    options: &Options,
    sample_files: SampleFiles,
    console: &Console,
) -> anyhow::Result<()> {
    let scene = seen.player.simulation().scene();
    let first = |s: &Sample| format!("{:.6}", s.at);
    sample_files.write(scene, &seen.samples, "time_s", first, console)?;
    if let Some(output) = options.output {
        file::save(scene, output)?;
        console.line(format_args!("saved to {}", output.display()))?;
    }
    Ok(())
}
