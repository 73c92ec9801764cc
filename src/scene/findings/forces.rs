//! Forces against what the material of a cable bears.

use super::{Finding, FindingKind, Severity, near_handle, part_name};
use crate::geom::Vec3;
use crate::scene::{Cable, Material, Scene};
use crate::solve::Report;

/// The largest tension along a cable is more than its material bears.
pub fn too_much_pull(cable: &Cable, material: &Material, tension: &[f64]) -> Option<Finding> {
    let limit = material.max_pull_n?;
    let most = (0..tension.len()).max_by(|a, b| tension[*a].total_cmp(&tension[*b]))?;
    let pull = tension[most];
    if pull <= limit {
        return None;
    }
    let lengths = cable.edge_lengths();
    let at: f64 = lengths.iter().take(most).sum::<f64>() + 0.5 * lengths.get(most)?;
    let what = format!(
        "cable \"{}\" is pulled with {pull:.1} N, limit {limit:.1} N ({})",
        cable.name,
        near_handle(cable, at)
    );
    let finding = Finding::of(FindingKind::Pull, Severity::Error, cable, what);
    Some(
        finding
            .at(cable, at)
            .measured(pull, Some(limit), "N")
            .mend("Make the cable longer, or hold it in more places"),
    )
}

/// The largest force with which something presses on a place of the cable is more than its material bears.
///
/// A place is one outer diameter wide: contacts that are nearer to each other count together, so that the force does not
/// depend on how finely the cable is divided.
pub fn too_much_side_force(
    scene: &Scene,
    cable: &Cable,
    material: &Material,
    report: &Report,
) -> Option<Finding> {
    let limit = material.max_side_n?;
    let contacts = &report.contacts;
    let pressed = |k: usize| {
        let near = |p: &Vec3| (p - contacts[k].position).norm() <= cable.thickest();
        let same = contacts
            .iter()
            .filter(|c| c.obstacle == contacts[k].obstacle && near(&c.position));
        same.map(|c| c.force).sum::<Vec3>().norm()
    };
    let forces: Vec<f64> = (0..contacts.len()).map(pressed).collect();
    let most = (0..forces.len()).max_by(|a, b| forces[*a].total_cmp(&forces[*b]))?;
    let force = forces[most];
    if force <= limit {
        return None;
    }
    let part = part_name(scene, contacts[most].obstacle);
    let what = format!(
        "part \"{part}\" presses on cable \"{}\" with {force:.1} N, limit {limit:.1} N",
        cable.name
    );
    let finding = Finding::of(FindingKind::SideForce, Severity::Error, cable, what);
    let mut finding = finding.measured(force, Some(limit), "N").mend(
        "Move the part or a fixing so that the cable is clear of it, or make the cable longer",
    );
    finding.position = Some(contacts[most].position);
    finding.other = Some(part);
    Some(finding)
}
