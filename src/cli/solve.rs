//! `solve`: the equilibrium of a scene.

use std::sync::Arc;

use std::path::{Path, PathBuf};

use anyhow::bail;
use serde_json::{Value, json};

use super::console::{Console, OutFile};
use super::estimate;
use super::outputs::Files;
use super::report::{
    cable_document, clearance_document, clearance_words, islands_document, junctions_document,
    others_words, show_cable, status_key, worst,
};
use super::{Outcome, input};
use crate::scene::findings::{Finding, FindingKind, Severity, judge};
use crate::scene::refine::{self, Estimate};
use crate::scene::{
    Cable, CableReport, CableReports, Clearance, Command, Scene, Simulation, StartContact,
    StartReason, file,
};
use crate::solve::{CancelToken, ProblemError, Status};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// Save the solved scene; may be SCENE itself.
    #[arg(short, long, value_name = "SCENE")]
    output: Option<PathBuf>,
    /// Write points, lengths, forces, moments, twist and contacts of each cable as JSON.
    #[arg(long, value_name = "OUT.json")]
    result: Option<PathBuf>,
    /// Also solve on a finer grid, and bound the error of shape, forces and moments.
    #[arg(long)]
    verify: bool,
    /// As --verify, and another model solves each cable too: der for discrete elastic rods.
    #[arg(long, value_name = "MODEL", value_parser = ["der"])]
    model: Option<String>,
    /// Then solve without friction, and say how far each cable moved: its route without the way it was dragged.
    #[arg(long)]
    settle: bool,
    /// List the smallest clearance to each part and other cable; with a number those of at most so many mm.
    #[arg(
        long,
        value_name = "MM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "inf"
    )]
    clearance: Option<f64>,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        output,
        result,
        verify,
        model,
        settle,
        clearance,
    } = args;
    run(
        &scene,
        &Options {
            output: output.as_deref(),
            result: result.as_deref(),
            verify: verify || model.is_some(),
            second_model: model.is_some(),
            settle,
            clearance,
        },
        console,
    )
}

/// Steps after which a scene that does not converge is given up. A step stops at its own limit of iterations; a
/// further one goes on from there.
const MAX_STEPS: usize = 10;
/// Steps in which a cable is pushed out of a part at most: some 15 for a depth of one radius, two for each one more.
const PUSH_STEPS: usize = 300;

/// What is asked for.
pub struct Options<'a> {
    /// Where the solved scene is saved.
    pub output: Option<&'a Path>,
    /// Where the document goes.
    pub result: Option<&'a Path>,
    /// Whether the error is estimated.
    pub verify: bool,
    /// Whether discrete elastic rods solve each cable too, for the estimate.
    pub second_model: bool,
    /// Whether the cables settle without friction.
    pub settle: bool,
    /// Up to which distance clearances are listed, mm.
    pub clearance: Option<f64>,
}

/// Solves, prints, and writes what is asked for.
pub fn run(scene_path: &Path, options: &Options, console: &mut Console) -> anyhow::Result<Outcome> {
    let mut simulation = Simulation::new(read(scene_path, options, console)?)?;
    ensure_held(&simulation)?;
    list_starts(&mut simulation, console)?;
    let reports = solve_as_asked(&mut simulation, options, console)?;
    let clearances = options
        .clearance
        .map(|within| simulation.clearances(within));
    let scene = simulation.scene();
    let mut estimates = Vec::new();
    if options.verify {
        console.progress("solving on a finer grid");
        let cancel = CancelToken::default();
        estimates = refine::verify(scene, &reports, options.second_model, &cancel)?;
        console.end_progress();
    }
    let solved: Vec<Solved> = scene
        .cables
        .iter()
        .enumerate()
        .map(|(number, cable)| Solved {
            cable,
            found: reports.iter().find(|r| r.cable == cable.name).map(|r| &**r),
            estimate: estimates.iter().find(|e| e.cable == cable.name),
            // A pair of cables is listed with the first of them.
            clearances: clearances
                .as_ref()
                .map(|all| all.iter().filter(|c| c.cable == number).collect()),
        })
        .collect();
    if solved.is_empty() {
        console.line("the scene has no cables: nothing to solve")?;
    }
    for one in &solved {
        one.show(scene, console)?;
    }
    let status = worst(scene, &reports);
    let spoilt = spoilt(&simulation, &reports);
    tell(&spoilt, console);
    let is_good = status == Status::Converged && spoilt.is_empty();
    let document = json!({
        "status": status_key(status),
        "good": is_good,
        "findings": spoilt,
        "cables": solved.iter().map(|one| one.document(scene)).collect::<Vec<_>>(),
        "islands": islands_document(&reports),
        "junctions": junctions_document(&simulation),
    });
    if let Some(result) = options.result {
        let mut file = OutFile::create(result)?;
        file.json_line(&document)?;
        file.finish()?;
    }
    if let Some(output) = options.output {
        file::save(scene, output)?;
        console.line(format_args!("saved to {}", output.display()))?;
    }
    console.document(document)?;
    Ok(if is_good {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}

/// The scene, once it is known that no output takes the place of something else.
fn read(scene_path: &Path, options: &Options, console: &mut Console) -> anyhow::Result<Scene> {
    let scene = input::scene(scene_path, console)?;
    Files::default()
        .input("the scene", scene_path)
        .meshes(&scene)
        .output("the result", options.result)
        .check()?;
    // The scene may be saved over itself, but not over its meshes.
    Files::default()
        .meshes(&scene)
        .output("the result", options.result)
        .output("the solved scene", options.output)
        .check()?;
    Ok(scene)
}

/// The window lets a cable hang loose while its handles are changed; an equilibrium it has not.
fn ensure_held(simulation: &Simulation) -> anyhow::Result<()> {
    for (cable, solver) in simulation.scene().cables.iter().zip(simulation.solvers()) {
        if let Err(reason @ ProblemError::NotHeld) = solver.problem().check() {
            bail!("cable \"{}\" cannot be solved: {reason}", cable.name);
        }
        if !solver.is_held_somewhere() {
            bail!(
                "cable \"{}\" cannot be solved: neither it nor a cable that free junctions join to it is held; hold one of \
                 their ends or junctions",
                cable.name
            );
        }
    }
    Ok(())
}

/// The equilibrium, and where it is asked for the one without friction.
fn solve_as_asked(
    simulation: &mut Simulation,
    options: &Options,
    console: &mut Console,
) -> anyhow::Result<CableReports> {
    console.progress("solving");
    let mut reports = solve_to_rest(simulation);
    if options.settle {
        console.progress("settling without friction");
        simulation.apply(&Command::Settle)?;
        let settled = solve_to_rest(simulation);
        add_effort(&mut reports, settled);
    }
    console.end_progress();
    Ok(reports)
}

/// All that was found of one cable.
struct Solved<'a> {
    cable: &'a Cable,
    found: Option<&'a CableReport>,
    estimate: Option<&'a Estimate>,
    /// Where they are asked for.
    clearances: Option<Vec<&'a Clearance>>,
}

impl Solved<'_> {
    fn show(&self, scene: &Scene, console: &mut Console) -> anyhow::Result<()> {
        show_cable(scene, self.cable, self.found.map(|f| &f.report), console)?;
        if let Some(moved) = self.found.and_then(|f| f.settled) {
            console.line(format_args!(
                "  settled       moved by {moved:.3} mm at most, without friction"
            ))?;
        }
        let others = self.found.and_then(|f| f.other_shapes);
        if let Some(others) = others.filter(|o| o.count > 0) {
            console.line(format_args!("  also          {}", others_words(&others)))?;
        }
        for clearance in self.clearances.iter().flatten() {
            console.line(format_args!("  {}", clearance_words(scene, clearance)))?;
        }
        if let Some(estimate) = self.estimate {
            estimate::show(estimate, console)?;
        }
        let bend = self.found.map_or(0.0, |f| f.report.largest_bend);
        if bend > refine::COARSE {
            console.warn(format_args!(
                "cable \"{}\" bends by {:.0} degrees in one joint: {} edges are too few for its shape. \
                 The command refine_cable gives it more",
                self.cable.name,
                bend.to_degrees(),
                self.cable.n_edges
            ));
        }
        Ok(())
    }

    fn document(&self, scene: &Scene) -> Value {
        let mut document = cable_document(scene, self.cable, self.found.map(|f| &f.report));
        if let Some(estimate) = self.estimate {
            document["error"] = estimate::document(estimate);
        }
        if let Some(moved) = self.found.and_then(|f| f.settled) {
            document["settled"] = json!(moved);
        }
        if let Some(others) = self.found.and_then(|f| f.other_shapes) {
            document["other_shapes"] =
                json!({ "count": others.count, "farthest": others.farthest });
        }
        if let Some(clearances) = &self.clearances {
            let own = clearances.iter().map(|c| clearance_document(scene, c));
            document["clearances"] = own.collect::<Vec<_>>().into();
        }
        document
    }
}

/// What makes the solved shapes worth nothing, whatever their status; the rest is for `check`.
pub fn spoilt(simulation: &Simulation, reports: &[Arc<CableReport>]) -> Vec<Finding> {
    let mut found = judge(simulation, reports);
    found.retain(|f| f.severity == Severity::Error && f.kind.spoils_shape());
    found
}

/// Tells what of that the reports of the cables do not say.
pub fn tell(spoilt: &[Finding], console: &mut Console) {
    for finding in spoilt {
        let told = [FindingKind::NotConverged, FindingKind::HandleShort];
        if !told.contains(&finding.kind) {
            console.warn(format_args!("{}. {}", finding.what, finding.mend));
        }
    }
}

/// Steps until every cable is in equilibrium or held, or the limit is reached. Effort adds up over the steps.
pub fn solve_to_rest(simulation: &mut Simulation) -> CableReports {
    let cancel = CancelToken::default();
    let mut reports = simulation.solve_quietly(&cancel);
    for _ in 1..MAX_STEPS {
        let is_unfinished = |r: &Arc<CableReport>| r.report.status == Status::NotConverged;
        if !reports.iter().any(is_unfinished) {
            break;
        }
        add_effort(&mut reports, simulation.solve_quietly(&cancel));
    }
    for _ in 0..PUSH_STEPS {
        if !simulation.is_pushing() {
            break;
        }
        add_effort(&mut reports, simulation.solve_quietly(&cancel));
    }
    reports
}

/// Takes the later reports, with the effort of the earlier ones added.
fn add_effort(reports: &mut CableReports, later: CableReports) {
    let before = std::mem::replace(reports, later);
    for report in Arc::make_mut(reports) {
        if let Some(earlier) = before.iter().find(|r| r.cable == report.cable) {
            let report = Arc::make_mut(report);
            report.report.iterations += earlier.report.iterations;
            report.report.cpu_ms += earlier.report.cpu_ms;
            report.settled = match (earlier.settled, report.settled) {
                (Some(a), Some(b)) => Some(a.max(b)),
                (a, b) => a.or(b),
            };
        }
    }
}

/// Lets cables enter connectors, and lists which start too near to a part, part by part, with what is done about it.
pub fn list_starts(simulation: &mut Simulation, console: &mut Console) -> anyhow::Result<()> {
    simulation.apply(&Command::ExcludeEntries)?;
    let list = simulation.start_contacts();
    let same = |a: &StartContact, b: &StartContact| a.part == b.part && a.reason == b.reason;
    for group in list.chunk_by(same) {
        let (part, reason) = (&group[0].part, group[0].reason);
        if reason == StartReason::Excluded {
            continue;
        }
        let stretch =
            |c: &StartContact| format!("cable \"{}\" ({:.0} to {:.0} mm)", c.cable, c.from, c.to);
        let cables: Vec<String> = group.iter().map(stretch).collect();
        let cables = cables.join(", ");
        console.warn(match reason {
            StartReason::Crosses => format!(
                "part \"{part}\" cuts through {cables}: there it is held by nothing until it is clear. \
                 Move a handle or the part, or exclude the stretch"
            ),
            StartReason::Overlaps => format!(
                "inside part \"{part}\", or overlapping it, starts {cables}: it is pushed out by the shortest way"
            ),
            StartReason::Enclosed => format!(
                "wholly inside part \"{part}\", and touching nothing of it, starts {cables}: it stays in there. \
                 If that is wrong, move its handles or the part, or make the part a background"
            ),
            _ => format!(
                "within the margin of part \"{part}\" starts {cables}: it keeps what there is, and the whole margin \
                 once it has left"
            ),
        });
    }
    Ok(())
}
