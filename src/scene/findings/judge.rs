//! Judging a whole scene.

use std::sync::Arc;

use super::{
    Finding, FindingKind, Severity, missing_parts, near_handle, no_bend_limit, not_at_rest,
    references_changed, too_much_pull, too_much_side_force, too_sharp, uncalibrated,
};
use crate::scene::fitting::fitting_findings;
use crate::scene::hose::{beyond_table, not_straight, twisted};
use crate::scene::{CableReport, Clearance, Neighbour, Scene, Simulation, StartReason};

/// Everything that is wrong with a scene or not known of it, the worst first, then in the order of the cables.
pub fn judge(simulation: &Simulation, reports: &[Arc<CableReport>]) -> Vec<Finding> {
    let scene = simulation.scene();
    let mut found = Vec::new();
    for (k, cable) in scene.cables.iter().enumerate() {
        let report = reports.iter().find(|r| r.cable == cable.name);
        found.extend(not_at_rest(scene, cable, report.map(|r| &r.report)));
        found.extend(too_sharp(cable));
        found.extend(no_bend_limit(cable));
        found.extend(references_changed(cable));
        found.extend(twisted(scene, cable));
        found.extend(not_straight(cable));
        found.extend(beyond_table(scene, cable));
        found.extend(fitting_findings(simulation, k));
        found.extend(uncalibrated(scene, cable));
        let material = cable.material.as_deref().and_then(|m| scene.material(m));
        if let (Some(material), Some(report)) = (material, report) {
            if material.max_pull_n.is_some() {
                let tension = simulation.solvers()[k].profile().tension;
                found.extend(too_much_pull(cable, &material, &tension));
            }
            let side = too_much_side_force(scene, cable, &material, &report.report);
            found.extend(side);
        }
    }
    found.extend(overlaps(simulation));
    found.extend(missing_parts(scene));
    found.extend(too_near(simulation));
    sort(scene, &mut found);
    found
}

/// The worst first, then cable by cable.
fn sort(scene: &Scene, found: &mut [Finding]) {
    let number = |f: &Finding| {
        let cable = f.cable.as_ref();
        scene.cables.iter().position(|c| Some(&c.name) == cable)
    };
    found.sort_by_key(|f| (f.severity, number(f), f.kind));
}

/// Cables that are nearer to parts, or to each other, than required; what overlaps is listed as such.
fn too_near(simulation: &Simulation) -> Vec<Finding> {
    let scene = simulation.scene();
    let mut found = Vec::new();
    for (k, part) in scene.parts.iter().enumerate() {
        let Some(required) = scene.required_clearance(part) else {
            continue;
        };
        let near = (0..scene.cables.len())
            .filter_map(|cable| simulation.clearance_to(cable, k, required, required));
        let kind = format!("{}part", part.hazard.adjective());
        found.extend(near.filter_map(|c| near_finding(scene, &c, &kind, &part.name, required)));
    }
    if scene.required.cables > 0.0 {
        let required = scene.required.cables;
        for clearance in simulation.clearances(required) {
            if let Neighbour::Cable(other) = clearance.to {
                let name = &scene.cables[other].name;
                found.extend(near_finding(scene, &clearance, "cable", name, required));
            }
        }
    }
    found
}

fn near_finding(
    scene: &Scene,
    clearance: &Clearance,
    kind: &str,
    other: &str,
    required: f64,
) -> Option<Finding> {
    if clearance.distance < 0.0 || clearance.distance >= required {
        return None;
    }
    let cable = &scene.cables[clearance.cable];
    let what = format!(
        "cable \"{}\" is {:.2} mm from {kind} \"{other}\", required are {required:.1} mm ({})",
        cable.name,
        clearance.distance,
        near_handle(cable, clearance.at),
    );
    let mut finding = Finding::of(FindingKind::Clearance, Severity::Error, cable, what)
        .measured(clearance.distance, Some(required), "mm")
        .mend("Move a fixing or add one that holds the cable away, or change its length");
    finding.at = Some(clearance.at);
    finding.position = Some(clearance.position);
    finding.other = Some(other.to_owned());
    Some(finding)
}

/// Cables that run into parts or into each other, or that are wholly inside a part.
fn overlaps(simulation: &Simulation) -> Vec<Finding> {
    let scene = simulation.scene();
    let mut found = Vec::new();
    for clearance in simulation.clearances(0.0) {
        if clearance.distance >= 0.0 {
            continue;
        }
        let cable = &scene.cables[clearance.cable];
        let (kind, other) = match clearance.to {
            Neighbour::Part(k) => ("part", &scene.parts[k].name),
            Neighbour::Cable(k) => ("cable", &scene.cables[k].name),
        };
        let what = format!(
            "cable \"{}\" runs into {kind} \"{other}\" by {:.2} mm ({})",
            cable.name,
            -clearance.distance,
            near_handle(cable, clearance.at),
        );
        let mut finding = Finding::of(FindingKind::Overlap, Severity::Error, cable, what)
            .measured(clearance.distance, Some(0.0), "mm")
            .mend("Move a fixing or the part; where the cable enters it by right, exclude the stretch");
        finding.at = Some(clearance.at);
        finding.position = Some(clearance.position);
        finding.other = Some(other.clone());
        found.push(finding);
    }
    for start in simulation.start_contacts() {
        let known = |f: &Finding| {
            f.cable.as_ref() == Some(&start.cable) && f.other.as_ref() == Some(&start.part)
        };
        let Some(cable) = scene.cable(&start.cable) else {
            continue;
        };
        if start.reason != StartReason::Enclosed || found.iter().any(known) {
            continue;
        }
        let what = format!(
            "cable \"{}\" is wholly inside part \"{}\"",
            start.cable, start.part
        );
        let mut finding = Finding::of(FindingKind::Overlap, Severity::Error, cable, what)
            .at(cable, start.from)
            .mend("Move its fixings or the part, or make the part a background");
        finding.other = Some(start.part);
        found.push(finding);
    }
    found
}
