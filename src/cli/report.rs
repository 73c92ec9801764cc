//! A cable's report in words and as JSON.

use std::sync::Arc;

use serde_json::{Value, json};

use super::console::Console;
use crate::geom::Vec3;
use crate::scene::findings::{held_by, part_name};
use crate::scene::{
    Cable, CableReport, Clearance, Handle, HandlePlace, IslandReport, Junction, JunctionReport,
    Neighbour, Scene, Shape, Simulation, flexibilise,
};
use crate::solve::{HandleReport, OtherShapes, Report, Status};

/// The name of a status in JSON.
pub fn status_key(status: Status) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::Blocked => "blocked",
        Status::NotConverged => "not_converged",
        Status::OnTheWay => "on_the_way",
        Status::Cancelled => "cancelled",
        Status::NotHeld => "not_held",
    }
}

/// The name of a status in text.
pub fn status_words(status: Status) -> String {
    status_key(status).replace('_', " ")
}

/// The worst status among the cables; a cable without a report was not solved.
pub fn worst(scene: &Scene, reports: &[Arc<CableReport>]) -> Status {
    let status_of = |cable: &Cable| {
        let report = reports.iter().find(|r| r.cable == cable.name);
        report.map_or(Status::NotConverged, |r| r.report.status)
    };
    let statuses = scene.cables.iter().map(status_of);
    let worst = statuses.max_by_key(|status| status.rank());
    worst.unwrap_or(Status::Converged)
}

/// Prints what a solve found for one cable.
pub fn show_cable(
    scene: &Scene,
    cable: &Cable,
    report: Option<&Report>,
    console: &Console,
) -> anyhow::Result<()> {
    let Some(report) = report else {
        return console.line(format_args!("cable \"{}\": not solved", cable.name));
    };
    let stability = if report.stable { "" } else { ", not a minimum" };
    console.line(format_args!(
        "cable \"{}\": {}{stability}",
        cable.name,
        status_words(report.status)
    ))?;
    console.line(format_args!(
        "  length        {:.3} mm (rest {:.3} mm)",
        report.length + cable.fitting_length(),
        cable.seat_to_seat()
    ))?;
    if report.is_overstretched() {
        console.line(format_args!(
            "  stretch       {:.1} %: the cable is too short for where its handles are; make it longer",
            100.0 * report.largest_strain
        ))?;
    }
    let bend = cable.worst_bend();
    console.line(format_args!(
        "  bend radius   {:.2} mm{} at the tightest place ({})",
        bend.map_or(f64::INFINITY, |b| b.measured),
        cable.bend_limit.measured.suffix(),
        match bend.filter(|b| b.limit.is_some()) {
            Some(b) => format!("allowed {}", cable.bend_limit.words(b.diameter)),
            None => "no limit set".to_owned(),
        }
    ))?;
    if let Some(shape) = &cable.shape {
        let degrees = shape.total_twist().to_degrees();
        console.line(format_args!("  twist         {degrees:.2} degrees"))?;
    }
    console.line(match report.smallest_gap {
        Some(gap) => format!("  clearance     {gap:.4} mm at the closest contact"),
        None => "  clearance     no part in contact range".to_owned(),
    })?;
    for (part, n, force) in contacts_by_part(scene, report) {
        console.line(format_args!(
            "  contact       part \"{part}\": {n} contacts, {force:.4} N"
        ))?;
    }
    for (other, n, force) in contacts_by_cable(scene, &cable.name, report) {
        let other = if other == cable.name {
            "itself".to_owned()
        } else {
            format!("cable \"{other}\"")
        };
        console.line(format_args!(
            "  contact       {other}: {n} contacts, {force:.4} N"
        ))?;
    }
    for (held, handle) in cable.handles.iter().zip(&report.handles) {
        let end = &held.name;
        console.line(format_args!(
            "  {end:<5} handle  force {} N, moment {} N mm",
            vector(&handle.force),
            vector(&handle.moment)
        ))?;
        if let Some(reason) = held_by(scene, handle) {
            console.line(format_args!("  {end:<5} handle  {reason}"))?;
        }
    }
    if let Some(remark) = flexibilise::as_designed::remark(cable) {
        console.line(format_args!("  {remark}"))?;
    }
    console.line(format_args!(
        "  residual      {:.2e} N (tolerance {:.2e} N)",
        report.residual, report.tolerance
    ))?;
    console.line(format_args!(
        "  effort        {} iterations, {:.2} ms",
        report.iterations, report.cpu_ms
    ))
}

/// The cables that moved together, island by island; those that slept are in none.
pub fn islands_document(reports: &[Arc<CableReport>]) -> Value {
    let island = |island: IslandReport| {
        json!({
            "cables": island.cables,
            "status": status_key(island.status),
            "iterations": island.iterations,
        })
    };
    let all = IslandReport::all(reports).into_iter();
    all.map(island).collect::<Vec<_>>().into()
}

/// The junctions: held ones, and free ones with what is left of the forces on them.
pub fn junctions_document(simulation: &Simulation) -> Value {
    let junctions = simulation.scene().junctions.iter();
    let junction = |(junction, report): (&Junction, JunctionReport)| {
        let [residual, tolerance] = [0, 1].map(|k| report.balance.map(|b| b[k]));
        json!({
            "name": report.junction,
            "free": report.balance.is_some(),
            "position": junction.pose.position.as_slice(),
            "in_balance": report.is_good(),
            "residual": residual,
            "tolerance": tolerance,
        })
    };
    let all = junctions.zip(simulation.junction_reports());
    all.map(junction).collect::<Vec<_>>().into()
}

/// What other shapes a cable could have, in words.
pub fn others_words(others: &OtherShapes) -> String {
    let plural = if others.count == 1 { "" } else { "s" };
    let (count, farthest) = (others.count, others.farthest);
    format!(
        "{count} other stable shape{plural}, up to {farthest:.0} mm away; this is the lowest found"
    )
}

/// Everything a solve found for one cable.
pub fn cable_document(scene: &Scene, cable: &Cable, report: Option<&Report>) -> Value {
    let mut document = json!({
        "name": cable.name,
        "radius": cable.radius,
        "stretches": cable.stretches,
        "rest_length": cable.length,
        "seat_to_seat": cable.seat_to_seat(),
        "points": cable.shape.as_ref().map(|shape| points(&shape.points)),
        "twist": cable.shape.as_ref().map(Shape::total_twist),
    });
    let Some(report) = report else {
        document["status"] = json!("not_solved");
        return document;
    };
    let handle = |held: &Handle, handle: &HandleReport| {
        json!({
            "name": held.name,
            "force": handle.force.as_slice(),
            "moment": handle.moment.as_slice(),
            "force_known": cable.as_designed().is_none(),
            "short_by": handle.short_by,
            "short_by_angle": handle.short_by_angle,
            "held_by": held_by(scene, handle),
        })
    };
    let handle_at = |place: HandlePlace| {
        let k = cable.handles.iter().position(|h| h.place == place)?;
        Some(handle(&cable.handles[k], report.handles.get(k)?))
    };
    let handles = cable.handles.iter().zip(&report.handles);
    let handles: Vec<Value> = handles.map(|(held, found)| handle(held, found)).collect();
    let energies = json!({
        "stretch": report.energies.stretch,
        "bend": report.energies.bend,
        "twist": report.energies.twist,
        "load": report.energies.load,
        "spring": report.energies.spring,
        "contact": report.energies.contact,
        "friction": report.energies.friction,
    });
    let contacts: Vec<Value> = report
        .contacts
        .iter()
        .map(|c| {
            json!({
                "part": part_name(scene, c.obstacle),
                "position": c.position.as_slice(),
                "force": c.force.as_slice(),
                "gap": c.gap,
            })
        })
        .collect();
    let cable_contacts: Vec<Value> = report
        .rod_contacts
        .iter()
        .map(|c| {
            json!({
                "cable": scene.cables.get(c.rod).map(|cable| &cable.name),
                "position": c.position.as_slice(),
                "force": c.force.as_slice(),
                "gap": c.gap,
            })
        })
        .collect();
    let bend = cable.worst_bend();
    for (key, value) in [
        ("status", json!(status_key(report.status))),
        ("stable", json!(report.stable)),
        ("length", json!(report.length)),
        // Null for a straight cable.
        ("largest_strain", json!(report.largest_strain)),
        ("smallest_bend_radius", json!(report.smallest_bend_radius)),
        // As the limit of the cable is measured.
        (
            "measured_bend_radius",
            json!(bend.map_or(f64::INFINITY, |b| b.measured)),
        ),
        ("bend_measured", json!(cable.bend_limit.measured)),
        ("bend_limit", json!(bend.and_then(|b| b.limit))),
        ("smallest_gap", json!(report.smallest_gap)),
        ("start_handle", json!(handle_at(HandlePlace::Start))),
        ("end_handle", json!(handle_at(HandlePlace::End))),
        ("handles", json!(handles)),
        ("contacts", json!(contacts)),
        ("cable_contacts", json!(cable_contacts)),
        ("energies", energies),
        ("energy", json!(report.energies.total())),
        ("residual", json!(report.residual)),
        ("tolerance", json!(report.tolerance)),
        ("iterations", json!(report.iterations)),
        ("cpu_ms", json!(report.cpu_ms)),
    ] {
        document[key] = value;
    }
    document
}

/// A clearance in words: `clearance 12.345 mm to part "block", 310.0 mm along the cable`.
pub fn clearance_words(scene: &Scene, clearance: &Clearance) -> String {
    let to = match clearance.to {
        Neighbour::Part(k) => format!("part \"{}\"", part_name(scene, k)),
        Neighbour::Cable(k) => format!("cable \"{}\"", scene.cables[k].name),
    };
    let distance = match clearance {
        c if c.touching && c.distance > 0.0 => format!("touching, {:.4} mm,", c.distance),
        c if c.touching => format!("running into each other by {:.4} mm,", -c.distance),
        c => format!("{:.3} mm", c.distance),
    };
    let error = match clearance.chord_error {
        Some(error) => format!(" (its triangles are within {error:.3} mm of its surface)"),
        None => String::new(),
    };
    let at = clearance.at;
    format!("clearance     {distance} to {to}{error}, {at:.1} mm along the cable")
}

/// A clearance for machines.
pub fn clearance_document(scene: &Scene, clearance: &Clearance) -> Value {
    let (kind, name) = match clearance.to {
        Neighbour::Part(k) => ("part", part_name(scene, k)),
        Neighbour::Cable(k) => ("cable", scene.cables[k].name.clone()),
    };
    json!({
        kind: name,
        "distance": clearance.distance,
        "touching": clearance.touching,
        "at": clearance.at,
        "position": clearance.position.as_slice(),
        "chord_error": clearance.chord_error,
    })
}

/// Points as rows of three numbers.
pub fn points(points: &[Vec3]) -> Value {
    points
        .iter()
        .map(|p| json!([p.x, p.y, p.z]))
        .collect::<Vec<_>>()
        .into()
}

/// Part, number of contacts and sum of their forces' magnitudes, in the order of the parts.
fn contacts_by_part(scene: &Scene, report: &Report) -> Vec<(String, usize, f64)> {
    (0..scene.parts.len())
        .filter_map(|k| {
            let on_part = || report.contacts.iter().filter(|c| c.obstacle == k);
            let force = on_part().map(|c| c.force.norm()).sum();
            let n = on_part().count();
            (n > 0).then(|| (part_name(scene, k), n, force))
        })
        .collect()
}

/// Other cable (or `own` itself), number of contacts and sum of their forces' magnitudes, in the order of the cables.
fn contacts_by_cable(scene: &Scene, own: &str, report: &Report) -> Vec<(String, usize, f64)> {
    (0..scene.cables.len())
        .filter_map(|k| {
            let name = scene.cables[k].name.clone();
            // A contact of a cable with itself is told from both of its sides.
            let sides = if name == own { 2 } else { 1 };
            let with = || report.rod_contacts.iter().filter(|c| c.rod == k);
            let force = with().map(|c| c.force.norm()).sum::<f64>() / sides as f64;
            let n = with().count() / sides;
            (n > 0).then_some((name, n, force))
        })
        .collect()
}

fn vector(v: &Vec3) -> String {
    format!("({:.4}, {:.4}, {:.4})", v.x, v.y, v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;
    use crate::solve::{ContactReport, RodContactReport};

    #[test]
    fn cables_without_a_report_are_not_good() {
        let scene = demo("drag").unwrap();
        assert_eq!(worst(&scene, &[]), Status::NotConverged);
        assert_eq!(worst(&Scene::default(), &[]), Status::Converged);
    }

    #[test]
    fn forces_that_cancel_are_still_forces() {
        let scene = demo("box").unwrap();
        let mut simulation = Simulation::new(scene.clone()).unwrap();
        let cancel = crate::solve::CancelToken::default();
        let mut report = simulation.solve_quietly(&cancel)[0].report.clone();
        let force = Vec3::new(0.0, 3.0, 4.0);
        // A contact of a cable with itself, from both of its sides, and two contacts on either side of a part.
        let with_itself = |force| RodContactReport {
            rod: 0,
            position: Vec3::zeros(),
            force,
            gap: 0.1,
        };
        let with_part = |force| ContactReport {
            obstacle: 0,
            position: Vec3::zeros(),
            force,
            gap: 0.1,
        };
        report.rod_contacts = vec![with_itself(force), with_itself(-force)];
        report.contacts = vec![with_part(force), with_part(-force)];
        let name = &scene.cables[0].name;
        assert_eq!(
            contacts_by_cable(&scene, name, &report),
            [(name.clone(), 1, 5.0)]
        );
        let part = scene.parts[0].name.clone();
        assert_eq!(contacts_by_part(&scene, &report), [(part, 2, 10.0)]);
    }
}
