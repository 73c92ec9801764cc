//! `solve`: the equilibrium of a scene.

use std::path::Path;

use anyhow::bail;
use serde_json::json;

use super::Outcome;
use super::console::{Console, OutFile};
use super::report::{cable_document, show_cable, status_key, worst};
use crate::scene::{Cable, CableReport, Simulation, file, refine};
use crate::solve::{CancelToken, ProblemError, Status};

/// Steps after which a scene that does not converge is given up. A step stops at its own limit of iterations; a
/// further one goes on from there.
const MAX_STEPS: usize = 10;

/// Solves, prints, and writes what is asked for.
pub fn run(
    scene_path: &Path,
    output: Option<&Path>,
    result: Option<&Path>,
    verify: bool,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let (scene, warnings) = file::load(scene_path)?;
    for warning in warnings {
        console.warn(warning);
    }
    let mut simulation = Simulation::new(scene)?;
    // The window lets a cable hang loose while its handles are changed; an equilibrium it has not.
    for (cable, solver) in simulation.scene().cables.iter().zip(simulation.solvers()) {
        if let Err(reason @ ProblemError::NotHeld) = solver.problem().check() {
            bail!("cable \"{}\" cannot be solved: {reason}", cable.name);
        }
    }
    warn_of_overlaps(&simulation, console);
    console.progress("solving");
    let reports = solve_to_rest(&mut simulation);
    console.end_progress();

    let scene = simulation.scene();
    let cables: Vec<_> = scene
        .cables
        .iter()
        .map(|cable| {
            let report = reports.iter().find(|r| r.cable == cable.name);
            (cable, report.map(|r| &r.report))
        })
        .collect();
    if cables.is_empty() {
        console.line("the scene has no cables: nothing to solve")?;
    }
    let estimates = if verify {
        console.progress("solving on a finer grid");
        let estimates = refine::verify(scene, &reports, &CancelToken::default())?;
        console.end_progress();
        estimates
    } else {
        Vec::new()
    };
    let estimate_of = |cable: &Cable| estimates.iter().find(|e| e.cable == cable.name);
    for (cable, report) in &cables {
        show_cable(scene, cable, *report, console)?;
        if let Some(e) = estimate_of(cable) {
            console.line(format_args!(
                "  error         shape {:.4} mm, forces {:.3} % (estimated with {} edges{})",
                e.shape,
                e.force_percent,
                e.n_edges,
                if e.status == Status::Converged {
                    ""
                } else {
                    ", which did not converge"
                }
            ))?;
        }
        if let Some(report) = report.filter(|r| r.largest_bend > refine::COARSE) {
            console.warn(format_args!(
                "cable \"{}\" bends by {:.0} degrees in one joint: {} edges are too few for its shape. \
                 The command refine_cable gives it more",
                cable.name,
                report.largest_bend.to_degrees(),
                cable.n_edges
            ));
        }
    }
    let documents: Vec<_> = cables
        .iter()
        .map(|(cable, report)| {
            let mut document = cable_document(scene, cable, *report);
            if let Some(e) = estimate_of(cable) {
                document["error"] = json!({
                    "n_edges": e.n_edges,
                    "shape": e.shape,
                    "force_percent": e.force_percent,
                    "status": status_key(e.status),
                });
            }
            document
        })
        .collect();
    let status = worst(scene, &reports);
    let document = json!({ "status": status_key(status), "cables": documents });
    if let Some(result) = result {
        let mut file = OutFile::create(result)?;
        file.json_line(&document)?;
        file.finish()?;
    }
    if let Some(output) = output {
        file::save(scene, output)?;
        console.line(format_args!("saved to {}", output.display()))?;
    }
    console.document(document)?;
    Ok(match status {
        Status::Converged => Outcome::Good,
        Status::Blocked | Status::NotConverged | Status::Cancelled => Outcome::NotGood,
    })
}

/// Steps until every cable is in equilibrium or held, or the limit is reached. Effort adds up over the steps.
fn solve_to_rest(simulation: &mut Simulation) -> Vec<CableReport> {
    let cancel = CancelToken::default();
    let mut reports = simulation.solve_quietly(&cancel);
    for _ in 1..MAX_STEPS {
        let is_unfinished = |r: &CableReport| r.report.status == Status::NotConverged;
        if !reports.iter().any(is_unfinished) {
            break;
        }
        let before = std::mem::replace(&mut reports, simulation.solve_quietly(&cancel));
        for report in &mut reports {
            if let Some(earlier) = before.iter().find(|r| r.cable == report.cable) {
                report.report.iterations += earlier.report.iterations;
                report.report.cpu_ms += earlier.report.cpu_ms;
            }
        }
    }
    reports
}

/// Says which cables touch or penetrate a part before anything is solved: no contact holds them there.
pub fn warn_of_overlaps(simulation: &Simulation, console: &mut Console) {
    for (cable, part) in simulation.overlaps() {
        console.warn(format_args!(
            "cable \"{cable}\" starts touching or inside part \"{part}\": there it is held by nothing until it is \
             clear of it. Move a handle or the part"
        ));
    }
    for inside in simulation.inside_margins() {
        console.warn(format_args!(
            "cable \"{}\" starts inside the margin of {} mm of part \"{}\", {:.2} mm of it left: there it keeps \
             what there is, and the whole margin once it has left",
            inside.cable, inside.margin, inside.part, inside.kept
        ));
    }
}
