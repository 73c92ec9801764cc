//! `replay`: plays commands frame by frame.

use std::sync::Arc;

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::console::{Console, OutFile};
use super::outputs::Files;
use super::report::{islands_document, points, status_key, status_words, worst};
use super::script::{Action, read_script};
use super::{Outcome, input};
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::import::hex;
use crate::scene::findings::FindingKind;
use crate::scene::findings::held_by;
use crate::scene::{Cable, CableReport, CableReports, Command, HeldPart, Scene, Shape, Simulation};
use crate::solve::{CancelToken, Status};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// The lines of apply, and marks {"frame":1}: each mark solves one step.
    script: PathBuf,
    /// Write every accepted iterate, one JSON line each.
    #[arg(long, value_name = "FILE.jsonl")]
    trace: Option<PathBuf>,
    /// Write the state at the end of each frame, one JSON line each.
    #[arg(long, value_name = "FILE.jsonl")]
    states: Option<PathBuf>,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        script,
        trace,
        states,
    } = args;
    run(
        &scene,
        &script,
        trace.as_deref(),
        states.as_deref(),
        console,
    )
}

/// Plays the script; writes trace and states when asked for.
pub fn run(
    scene_path: &Path,
    script_path: &Path,
    trace: Option<&Path>,
    states: Option<&Path>,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let scene = input::scene(scene_path, console)?;
    Files::default()
        .input("the scene", scene_path)
        .input("the script", script_path)
        .meshes(&scene)
        .output("the trace", trace)
        .output("the states", states)
        .check()?;
    let script = read_script(script_path)?;
    let mut simulation = Simulation::new(scene)?;
    super::solve::list_starts(&mut simulation, console)?;
    let mut player = Player {
        simulation,
        trace: trace.map(OutFile::create).transpose()?,
        states: states.map(OutFile::create).transpose()?,
        digest: Sha256::new(),
        frames: Vec::new(),
        last_number: 0,
        last_reports: CableReports::default(),
    };
    player.trace_start()?;

    let n_marks = script
        .iter()
        .filter(|step| matches!(step.action, Action::Frame(_)))
        .count();
    let mut is_pending = false;
    for step in &script {
        match &step.action {
            Action::Command(command) => {
                let place = || format!("line {} of {}", step.line, script_path.display());
                player.simulation.apply(command).with_context(place)?;
                if *command == (Command::Ghost { on: false }) {
                    super::solve::list_starts(&mut player.simulation, console)?;
                }
                is_pending = true;
            }
            Action::Frame(number) => {
                console.progress(format_args!(
                    "frame {} of {n_marks}",
                    player.frames.len() + 1
                ));
                player.frame(*number, console)?;
                is_pending = false;
            }
        }
    }
    // Commands after the last mark get their frame too.
    if is_pending {
        player.frame(None, console)?;
    }
    console.end_progress();
    player.finish(console)
}

/// One frame in numbers.
struct Frame {
    number: u64,
    status: Status,
    iterations: usize,
    cpu_ms: f64,
    smallest_gap: Option<f64>,
    /// Cables that moved together.
    islands: Value,
    /// Why handles are short of their targets, one sentence each.
    held: Vec<String>,
    /// Why parts are short of where they were sent, one sentence each.
    held_parts: Vec<String>,
    /// How far cables moved that settled, one sentence each.
    settled: Vec<String>,
}

struct Player {
    simulation: Simulation,
    trace: Option<OutFile>,
    states: Option<OutFile>,
    digest: Sha256,
    frames: Vec<Frame>,
    last_number: u64,
    last_reports: CableReports,
}

impl Player {
    /// The first line of each cable in the trace: where it starts.
    fn trace_start(&mut self) -> anyhow::Result<()> {
        let Some(trace) = &mut self.trace else {
            return Ok(());
        };
        for cable in &self.simulation.scene().cables {
            if let Some(shape) = &cable.shape {
                let line = trace_line(0, 0, &Traced::of(cable), &shape.points);
                trace.json_line(&line)?;
            }
        }
        Ok(())
    }

    /// Solves one step and tells of it.
    fn frame(&mut self, number: Option<u64>, console: &Console) -> anyhow::Result<()> {
        let number = number.unwrap_or(self.last_number + 1);
        self.last_number = number;
        let reports = self.solve(number)?;
        let scene = self.simulation.scene();
        let mut frame = Frame::new(number, scene, &reports);
        frame.held_parts = held_parts(self.simulation.held_parts());
        digest_state(&mut self.digest, number, scene);
        if let Some(states) = &mut self.states {
            states.json_line(&state_line(&frame, scene))?;
        }
        console.end_progress();
        let gap = match frame.smallest_gap {
            Some(gap) => format!("gap {gap:.4} mm"),
            None => "no contact".to_owned(),
        };
        console.line(format_args!(
            "frame {number}: {}, {} iterations, {:.3} ms, {gap}",
            status_words(frame.status),
            frame.iterations,
            frame.cpu_ms
        ))?;
        let told = frame.held.iter().chain(&frame.held_parts);
        for reason in told.chain(&frame.settled) {
            console.line(format_args!("  {reason}"))?;
        }
        self.frames.push(frame);
        self.last_reports = reports;
        Ok(())
    }

    /// One step, with its accepted iterates in the trace. A trace that cannot be written stops the step.
    fn solve(&mut self, number: u64) -> anyhow::Result<CableReports> {
        let cancel = CancelToken::default();
        let Some(trace) = &mut self.trace else {
            return Ok(self.simulation.solve_quietly(&cancel));
        };
        let cables = &self.simulation.scene().cables;
        let cables: Vec<Traced> = cables.iter().map(Traced::of).collect();
        let mut n_iterates = vec![0; cables.len()];
        let mut written = Ok(());
        let reports = self.simulation.solve(&cancel, &mut |k, nodes| {
            if written.is_err() {
                return;
            }
            n_iterates[k] += 1;
            written = trace.json_line(&trace_line(number, n_iterates[k], &cables[k], nodes));
            if written.is_err() {
                cancel.cancel();
            }
        });
        written.map(|()| reports)
    }

    /// The summary; the files are complete after it.
    fn finish(self, console: &mut Console) -> anyhow::Result<Outcome> {
        // Frames on the way may be what they are; the last one is the result.
        let spoilt = match &self.last_reports[..] {
            [] => Vec::new(),
            reports => super::solve::spoilt(&self.simulation, reports),
        };
        // Blocked handles are told frame by frame, and stop nothing.
        let spoilt: Vec<_> = (spoilt.into_iter())
            .filter(|f| f.kind != FindingKind::HandleShort)
            .collect();
        super::solve::tell(&spoilt, console);
        for file in [self.trace, self.states].into_iter().flatten() {
            file.finish()?;
        }
        let digest = hex(&self.digest.finalize());
        let frames = &self.frames;
        let count = |status| frames.iter().filter(|f| f.status == status).count();
        let [n_converged, n_blocked] = [Status::Converged, Status::Blocked].map(count);
        let n_bad = frames.len() - n_converged - n_blocked;
        let gaps = frames.iter().filter_map(|f| f.smallest_gap);
        let smallest_gap = gaps.min_by(f64::total_cmp);
        let iterations = Quantiles::of(frames.iter().map(|f| f.iterations as f64).collect());
        let cpu_ms = Quantiles::of(frames.iter().map(|f| f.cpu_ms).collect());

        console.line(format_args!(
            "{} frames: {n_converged} converged, {n_blocked} blocked, {n_bad} not converged",
            frames.len()
        ))?;
        if let (Some(iterations), Some(cpu_ms)) = (&iterations, &cpu_ms) {
            console.line(format_args!("iterations: {}", iterations.text(0)))?;
            console.line(format_args!("CPU ms: {}", cpu_ms.text(3)))?;
        }
        if let Some(gap) = smallest_gap {
            console.line(format_args!("smallest gap: {gap:.4} mm"))?;
        }
        console.line(format_args!("digest: {digest}"))?;
        console.document(json!({
            "frames": frames.iter().map(Frame::document).collect::<Vec<_>>(),
            "converged": n_converged,
            "blocked": n_blocked,
            "not_converged": n_bad,
            "smallest_gap": smallest_gap,
            "digest": digest,
            "findings": spoilt,
        }))?;
        Ok(if n_bad == 0 && spoilt.is_empty() {
            Outcome::Good
        } else {
            Outcome::NotGood
        })
    }
}

impl Frame {
    /// Adds up the cables.
    fn new(number: u64, scene: &Scene, reports: &[Arc<CableReport>]) -> Self {
        let gaps = reports.iter().filter_map(|r| r.report.smallest_gap);
        Self {
            number,
            status: worst(scene, reports),
            iterations: reports.iter().map(|r| r.report.iterations).sum(),
            cpu_ms: reports.iter().map(|r| r.report.cpu_ms).sum(),
            smallest_gap: gaps.min_by(f64::total_cmp),
            islands: islands_document(reports),
            held: held(scene, reports),
            held_parts: Vec::new(),
            settled: settled(reports),
        }
    }

    fn document(&self) -> Value {
        json!({
            "frame": self.number,
            "status": status_key(self.status),
            "iterations": self.iterations,
            "cpu_ms": self.cpu_ms,
            "smallest_gap": self.smallest_gap,
            "islands": self.islands,
            "held": self.held,
            "held_parts": self.held_parts,
            "settled": self.settled,
        })
    }
}

/// Which parts were kept from where they were sent.
fn held_parts(held: &[HeldPart]) -> Vec<String> {
    let words = held.iter().map(|h| {
        let by = match (&h.cable, &h.against) {
            (Some(cable), _) => format!("held by cable \"{cable}\", which cannot yield"),
            (None, Some(other)) => {
                (h.fit_in_words()).unwrap_or_else(|| format!("blocked by part \"{other}\""))
            }
            (None, None) => "held".to_owned(),
        };
        format!("part \"{}\" {by}, {:.1} mm short", h.part, h.short_by)
    });
    words.collect()
}

/// How far cables moved that settled without friction.
fn settled(reports: &[Arc<CableReport>]) -> Vec<String> {
    let moved = reports.iter().filter_map(|r| Some((&r.cable, r.settled?)));
    moved
        .map(|(cable, moved)| {
            format!("\"{cable}\" settled without friction, moved by {moved:.3} mm")
        })
        .collect()
}

/// Which handles are short of their targets, and what holds them.
fn held(scene: &Scene, reports: &[Arc<CableReport>]) -> Vec<String> {
    let mut reasons = Vec::new();
    for cable in reports {
        let handles = scene.cable(&cable.cable).map_or(&[][..], |c| &c.handles);
        for (held, handle) in handles.iter().zip(&cable.report.handles) {
            let end = &held.name;
            if let Some(reason) = held_by(scene, handle) {
                reasons.push(format!("{end} handle of \"{}\" {reason}", cable.cable));
            }
        }
    }
    reasons
}

/// What a trace says of a cable beside its nodes.
struct Traced {
    name: String,
    radius: f64,
    /// Of its edges; none where all have the one above.
    radii: Vec<f64>,
}

impl Traced {
    fn of(cable: &Cable) -> Self {
        let radii = if cable.stretches.is_empty() {
            Vec::new()
        } else {
            cable.edge_radii()
        };
        Self {
            name: cable.name.clone(),
            radius: cable.radius,
            radii,
        }
    }
}

fn trace_line(frame: u64, iterate: u64, cable: &Traced, nodes: &[Vec3]) -> Value {
    let mut line = json!({
        "frame": frame,
        "iterate": iterate,
        "cable": cable.name,
        "radius": cable.radius,
        "points": points(nodes),
    });
    if !cable.radii.is_empty() {
        line["radii"] = json!(cable.radii);
    }
    line
}

fn state_line(frame: &Frame, scene: &Scene) -> Value {
    let cables: Vec<Value> = scene
        .cables
        .iter()
        .map(|cable| {
            let shape = cable.shape.as_ref();
            json!({
                "name": cable.name,
                "radius": cable.radius,
                "points": shape.map(|shape| points(&shape.points)),
            })
        })
        .collect();
    json!({ "frame": frame.number, "status": status_key(frame.status), "cables": cables })
}

/// Adds the bits of all shapes: two runs with equal digests had equal states.
fn digest_state(digest: &mut Sha256, number: u64, scene: &Scene) {
    digest.update(number.to_le_bytes());
    for cable in &scene.cables {
        digest.update((cable.name.len() as u64).to_le_bytes());
        digest.update(cable.name.as_bytes());
        digest.update([u8::from(cable.shape.is_some())]);
        if let Some(shape) = &cable.shape {
            digest_shape(digest, shape);
        }
    }
}

fn digest_shape(digest: &mut Sha256, shape: &Shape) {
    let mut number = |x: f64| digest.update(x.to_bits().to_le_bytes());
    let mut vector = |v: &Vec3| v.iter().for_each(|&x| number(x));
    shape.points.iter().for_each(&mut vector);
    let mut rotation = |r: &Rotation| r.coords.iter().for_each(|&x| number(x));
    shape.frames.iter().for_each(&mut rotation);
    for Pose { position, rotation } in shape.clamps.iter().flatten() {
        position
            .iter()
            .chain(rotation.coords.iter())
            .for_each(|&x| number(x));
    }
    for turns in &shape.turns {
        digest.update(turns.to_le_bytes());
    }
}

/// Median, 95 % and largest.
struct Quantiles([f64; 3]);

impl Quantiles {
    /// `None` when there is nothing to take them of.
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let last = values.len().checked_sub(1)?;
        Some(Self(
            [0.5, 0.95, 1.0].map(|q| values[(q * last as f64).round() as usize]),
        ))
    }

    fn text(&self, digits: usize) -> String {
        let [median, high, max] = self.0;
        format!("median {median:.digits$}, 95 % {high:.digits$}, largest {max:.digits$}")
    }
}
