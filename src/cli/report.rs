//! A cable's report in words and as JSON.

use serde_json::{Value, json};

use super::console::Console;
use crate::geom::Vec3;
use crate::rod::bend_twist;
use crate::scene::{Cable, CableReport, Clearance, Handle, HandlePlace, Neighbour, Scene, Shape};
use crate::solve::{Blocker, HandleReport, Report, Status};

/// The name of a status in JSON.
pub fn status_key(status: Status) -> &'static str {
    match status {
        Status::Converged => "converged",
        Status::Blocked => "blocked",
        Status::NotConverged => "not_converged",
        Status::OnTheWay => "on_the_way",
        Status::Cancelled => "cancelled",
    }
}

/// The name of a status in text.
pub fn status_words(status: Status) -> String {
    status_key(status).replace('_', " ")
}

/// The worst status among the cables; a cable without a report was not solved.
pub fn worst(scene: &Scene, reports: &[CableReport]) -> Status {
    let rank = |status: &Status| match status {
        Status::Converged => 0,
        Status::Blocked => 1,
        Status::NotConverged => 2,
        Status::OnTheWay => 3,
        Status::Cancelled => 4,
    };
    let status_of = |cable: &Cable| {
        let report = reports.iter().find(|r| r.cable == cable.name);
        report.map_or(Status::NotConverged, |r| r.report.status)
    };
    let statuses = scene.cables.iter().map(status_of);
    statuses.max_by_key(rank).unwrap_or(Status::Converged)
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
        report.length, cable.length
    ))?;
    if report.is_overstretched() {
        console.line(format_args!(
            "  stretch       {:.1} %: the cable is too short for where its handles are; make it longer",
            100.0 * report.largest_strain
        ))?;
    }
    console.line(format_args!(
        "  bend radius   {:.2} mm at the tightest place",
        report.smallest_bend_radius
    ))?;
    if let Some(shape) = &cable.shape {
        let degrees = total_twist(shape).to_degrees();
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
    for (other, n, force) in contacts_by_cable(scene, report) {
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
    console.line(format_args!(
        "  residual      {:.2e} N (tolerance {:.2e} N)",
        report.residual, report.tolerance
    ))?;
    console.line(format_args!(
        "  effort        {} iterations, {:.2} ms",
        report.iterations, report.cpu_ms
    ))
}

/// Everything a solve found for one cable.
pub fn cable_document(scene: &Scene, cable: &Cable, report: Option<&Report>) -> Value {
    let mut document = json!({
        "name": cable.name,
        "radius": cable.radius,
        "rest_length": cable.length,
        "points": cable.shape.as_ref().map(|shape| points(&shape.points)),
        "twist": cable.shape.as_ref().map(total_twist),
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
    for (key, value) in [
        ("status", json!(status_key(report.status))),
        ("stable", json!(report.stable)),
        ("length", json!(report.length)),
        // Null for a straight cable.
        ("largest_strain", json!(report.largest_strain)),
        ("smallest_bend_radius", json!(report.smallest_bend_radius)),
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

/// Why a handle is not where it is asked to be.
pub fn held_by(scene: &Scene, handle: &HandleReport) -> Option<String> {
    let holder = match handle.blocker? {
        Blocker::Obstacle(number) => format!("held by part {}", part_name(scene, number)),
        Blocker::Rod(number) => match scene.cables.get(number) {
            Some(cable) => format!("held by cable {}", cable.name),
            None => format!("held by cable number {number}"),
        },
        Blocker::Length { around: None } => "the cable is taut".to_owned(),
        Blocker::Length {
            around: Some(number),
        } => format!("the cable is taut around part {}", part_name(scene, number)),
        Blocker::Solver => "held where the solver found no equilibrium further on".to_owned(),
    };
    let degrees = handle.short_by_angle.to_degrees();
    let turned = if degrees >= 0.05 {
        format!(" and turned {degrees:.1} degrees from it")
    } else {
        String::new()
    };
    let short_by = handle.short_by;
    Some(match handle.blocker {
        Some(Blocker::Length { .. }) => {
            format!("{holder}: too short by {short_by:.1} mm to reach its target{turned}")
        }
        _ => format!("{holder}, {short_by:.1} mm short of its target{turned}"),
    })
}

fn part_name(scene: &Scene, obstacle: usize) -> String {
    let part = scene.parts.get(obstacle);
    part.map_or_else(|| format!("number {obstacle}"), |p| p.name.clone())
}

/// Part, number of contacts and sum of their forces, in the order of the parts.
fn contacts_by_part(scene: &Scene, report: &Report) -> Vec<(String, usize, f64)> {
    (0..scene.parts.len())
        .filter_map(|k| {
            let on_part = || report.contacts.iter().filter(|c| c.obstacle == k);
            let force = on_part().map(|c| c.force).sum::<Vec3>().norm();
            let n = on_part().count();
            (n > 0).then(|| (part_name(scene, k), n, force))
        })
        .collect()
}

/// Other cable (or the cable itself), number of contacts and sum of their forces, in the order of the cables.
fn contacts_by_cable(scene: &Scene, report: &Report) -> Vec<(String, usize, f64)> {
    (0..scene.cables.len())
        .filter_map(|k| {
            let with = || report.rod_contacts.iter().filter(|c| c.rod == k);
            let force = with().map(|c| c.force).sum::<Vec3>().norm();
            let n = with().count();
            (n > 0).then(|| (scene.cables[k].name.clone(), n, force))
        })
        .collect()
}

/// Twist from clamp to clamp, radians; only along the edges where an end is free.
fn total_twist(shape: &Shape) -> f64 {
    let [start, end] = shape.clamps.map(|clamp| clamp.map(|pose| pose.rotation));
    let frames = &shape.frames;
    let mut joints = Vec::new();
    joints.extend(start.zip(frames.first().copied()).map(|pair| (0, pair)));
    for (i, pair) in frames.windows(2).enumerate() {
        joints.push((i + 1, (pair[0], pair[1])));
    }
    let last = frames.last().copied();
    joints.extend(last.zip(end).map(|pair| (frames.len(), pair)));
    joints
        .into_iter()
        .map(|(j, (left, right))| {
            let turns = shape.turns.get(j).copied().unwrap_or(0);
            bend_twist(&left, &right, turns).twist
        })
        .sum()
}

fn vector(v: &Vec3) -> String {
    format!("({:.4}, {:.4}, {:.4})", v.x, v.y, v.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Rotation;
    use crate::scene::demo::demo;

    fn handle(short_by: f64, blocker: Option<Blocker>) -> HandleReport {
        HandleReport {
            force: Vec3::zeros(),
            moment: Vec3::zeros(),
            short_by,
            short_by_angle: 0.0,
            blocker,
        }
    }

    #[test]
    fn a_held_handle_says_by_what() {
        let scene = demo("drag").unwrap();
        let text = |blocker| held_by(&scene, &handle(14.0, Some(blocker))).unwrap();
        assert_eq!(
            text(Blocker::Obstacle(1)),
            "held by part sheet, 14.0 mm short of its target"
        );
        assert!(text(Blocker::Length { around: None }).contains("taut: too short by 14.0 mm"));
        let around = Blocker::Length { around: Some(0) };
        assert!(text(around).contains("taut around part block: too short by 14.0 mm"));
        assert!(text(Blocker::Solver).contains("no equilibrium"));
        assert_eq!(held_by(&scene, &handle(0.0, None)), None);
    }

    #[test]
    fn twist_is_counted_over_joints_and_turns() {
        let mut shape = demo("box").unwrap().cables[0].shape.clone().unwrap();
        assert!(total_twist(&shape).abs() < 1e-12);
        // Roll each frame a little more than the last, and the end clamp by the same again.
        let n = shape.frames.len();
        let roll = |k: usize| Rotation::from_axis_angle(&Vec3::z_axis(), 0.01 * k as f64);
        for (k, frame) in shape.frames.iter_mut().enumerate() {
            *frame *= roll(k + 1);
        }
        let end = shape.clamps[1].as_mut().unwrap();
        end.rotation *= roll(n + 1);
        let expected = 0.01 * (n + 1) as f64;
        assert!((total_twist(&shape) - expected).abs() < 1e-9);
        shape.turns[3] = 2;
        assert!((total_twist(&shape) - expected - 2.0 * std::f64::consts::TAU).abs() < 1e-9);
    }

    #[test]
    fn cables_without_a_report_are_not_good() {
        let scene = demo("drag").unwrap();
        assert_eq!(worst(&scene, &[]), Status::NotConverged);
        assert_eq!(worst(&Scene::default(), &[]), Status::Converged);
    }
}
