//! The state of the solver in words.

use crate::scene::{CableReport, HandlePlace, Scene};
use crate::solve::{Blocker, HandleReport, Report, Status};

/// How a message is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// All is well.
    Good,
    /// Just so you know.
    Neutral,
    /// Look at this.
    Warn,
}

/// What the window knows beside the reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Situation {
    /// A handle is being dragged.
    pub dragging: bool,
    /// The solver has answered all that was asked.
    pub at_rest: bool,
}

/// The state in a few words, the worst cable first.
pub fn state(scene: &Scene, reports: &[CableReport], situation: Situation) -> (String, Tone) {
    if scene.cables.is_empty() {
        return ("no cable in the scene".into(), Tone::Neutral);
    }
    let Some(worst) = reports.iter().max_by_key(|r| severity(&r.report)) else {
        let words = if situation.at_rest {
            "not solved"
        } else {
            "solving ..."
        };
        return (words.into(), Tone::Neutral);
    };
    let (mut words, mut tone) = in_words(scene, worst, situation);
    if tone == Tone::Good
        && let Some((radius, own)) = sharpest(scene, reports)
    {
        words =
            format!("{words}, but bent to {radius:.0} mm, sharper than its radius of {own:.0} mm");
        tone = Tone::Warn;
    }
    if scene.cables.len() > 1 && tone != Tone::Good {
        words = format!("{}: {words}", worst.cable);
    }
    (words, tone)
}

/// The figures beside it: time, contacts, gap, length.
pub fn figures(scene: &Scene, reports: &[CableReport]) -> Vec<String> {
    if reports.is_empty() {
        return Vec::new();
    }
    let all = || reports.iter().map(|r| &r.report);
    let n_contacts: usize = all().map(|r| r.contacts.len()).sum();
    let mut figures = vec![
        format!("{:.1} ms", all().map(|r| r.cpu_ms).sum::<f64>()),
        match n_contacts {
            0 => "no contact".into(),
            1 => "1 contact".into(),
            n => format!("{n} contacts"),
        },
    ];
    if let Some(gap) = all().filter_map(|r| r.smallest_gap).min_by(f64::total_cmp) {
        figures.push(format!("smallest gap {gap:.3} mm"));
    }
    if let [only] = reports {
        let rest = scene.cable(&only.cable).map_or(0.0, |c| c.length);
        figures.push(format!("length {:.1} of {rest:.1} mm", only.report.length));
        if only.report.smallest_bend_radius < 1e5 {
            let radius = only.report.smallest_bend_radius;
            figures.push(format!("bend radius {radius:.0} mm"));
        }
    }
    figures
}

fn severity(report: &Report) -> u8 {
    match report.status {
        Status::Converged if report.stable && !report.is_overstretched() => 0,
        Status::Converged => 1,
        Status::Cancelled | Status::OnTheWay => 2,
        Status::Blocked => 3,
        Status::NotConverged => 4,
    }
}

/// The smallest bend radius that is below the radius of its own cable, and that radius.
fn sharpest(scene: &Scene, reports: &[CableReport]) -> Option<(f64, f64)> {
    let radii = reports.iter().filter_map(|r| {
        let own = scene.cable(&r.cable)?.radius;
        Some((r.report.smallest_bend_radius, own))
    });
    radii
        .filter(|(radius, own)| radius < own)
        .min_by(|a, b| a.0.total_cmp(&b.0))
}

fn in_words(scene: &Scene, cable: &CableReport, situation: Situation) -> (String, Tone) {
    let report = &cable.report;
    match report.status {
        Status::Converged if report.is_overstretched() => (
            format!(
                "stretched by {:.1} %: too short for where its handles are",
                100.0 * report.largest_strain
            ),
            Tone::Warn,
        ),
        Status::Converged if report.stable => ("in equilibrium".into(), Tone::Good),
        Status::Converged => (
            "in balance, but not stable: a touch would move it".into(),
            Tone::Warn,
        ),
        Status::Cancelled | Status::OnTheWay => ("solving ...".into(), Tone::Neutral),
        Status::NotConverged if !situation.at_rest => ("solving ...".into(), Tone::Neutral),
        Status::NotConverged => (
            format!(
                "not converged: {:.1e} N out of balance, aim {:.1e} N",
                report.residual, report.tolerance
            ),
            Tone::Warn,
        ),
        Status::Blocked => {
            let now = |(k, handle): (usize, &HandleReport)| HandleReport {
                short_by: short_by(scene, &cable.cable, k).unwrap_or(handle.short_by),
                ..*handle
            };
            let short = report.handles.iter().enumerate().map(now);
            let short = short.filter(|h| h.blocker.is_some());
            let farthest = short.max_by(|a, b| {
                (a.short_by.total_cmp(&b.short_by))
                    .then(a.short_by_angle.total_cmp(&b.short_by_angle))
            });
            (
                farthest.map_or_else(
                    || "a handle is held short of its target".into(),
                    |h| held(scene, &h, situation),
                ),
                Tone::Warn,
            )
        }
    }
}

/// How far a handle is from where it is asked to be by now: the report may be of an older target.
fn short_by(scene: &Scene, cable: &str, handle: usize) -> Option<f64> {
    let cable = scene.cable(cable)?;
    let handle = cable.handles.get(handle)?;
    let end = match handle.place {
        HandlePlace::Start => 0,
        HandlePlace::End => 1,
        HandlePlace::At(_) => return None,
    };
    let clamp = cable.shape.as_ref()?.clamps[end]?;
    Some((handle.pose.position - clamp.position).norm())
}

fn held(scene: &Scene, handle: &HandleReport, situation: Situation) -> String {
    let by = match handle.blocker {
        Some(Blocker::Obstacle(part)) => match scene.parts.get(part) {
            Some(part) => format!("held by part {}", part.name),
            None => "held by a part".into(),
        },
        Some(Blocker::Rod(cable)) => match scene.cables.get(cable) {
            Some(cable) => format!("held by cable {}", cable.name),
            None => "held by another cable".into(),
        },
        Some(Blocker::Length { around }) => match around.and_then(|part| scene.parts.get(part)) {
            Some(part) => format!("the cable is taut around part {}", part.name),
            None => "the cable is taut".into(),
        },
        Some(Blocker::Solver) => "no equilibrium found further on".into(),
        None => "held".into(),
    };
    let target = if situation.dragging {
        "the cursor"
    } else {
        "its target"
    };
    // Below this the position has arrived, and only the turn is missing.
    let taut = matches!(handle.blocker, Some(Blocker::Length { .. }));
    if handle.short_by >= 0.05 && taut {
        format!(
            "{by}: too short by {:.1} mm to reach {target}",
            handle.short_by
        )
    } else if handle.short_by >= 0.05 {
        format!("{by}, {:.1} mm short of {target}", handle.short_by)
    } else {
        format!(
            "{by}, {:.1}° short of {target}",
            handle.short_by_angle.to_degrees()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::mesh::TriMesh;
    use crate::scene::{Cable, CableSection, Part};
    use crate::solve::Energies;

    fn scene() -> Scene {
        let section = CableSection {
            bending: 1.0,
            bending2: None,
            torsion: 1.0,
            axial: 1.0,
            mass_kg_m: 0.1,
        };
        let corners = vec![Vec3::zeros(), Vec3::x(), Vec3::y()];
        Scene {
            parts: vec![Part::new(
                "block",
                TriMesh::new(corners, vec![[0, 1, 2]]).unwrap(),
            )],
            cables: vec![Cable::new("hose", 4.0, 800.0, section)],
            ..Scene::default()
        }
    }

    fn report(status: Status, blocker: Option<Blocker>, short_by: f64) -> CableReport {
        CableReport {
            cable: "hose".into(),
            settled: None,
            report: Report {
                status,
                iterations: 3,
                residual: 2e-3,
                tolerance: 1e-6,
                cpu_ms: 1.26,
                energies: Energies::default(),
                stable: true,
                smallest_gap: Some(0.125),
                rod_contacts: Vec::new(),
                contacts: Vec::new(),
                handles: [(0.0, None), (short_by, blocker)]
                    .into_iter()
                    .map(|(short_by, blocker)| HandleReport {
                        force: Vec3::zeros(),
                        moment: Vec3::zeros(),
                        short_by,
                        short_by_angle: 0.2,
                        blocker,
                    })
                    .collect(),
                length: 799.96,
                largest_strain: 0.0,
                smallest_bend_radius: 84.0,
                largest_bend: 0.1,
            },
        }
    }

    fn words(report: CableReport, dragging: bool) -> String {
        let situation = Situation {
            dragging,
            at_rest: true,
        };
        state(&scene(), &[report], situation).0
    }

    #[test]
    fn each_state_has_its_words() {
        use Status::{Blocked, Converged, NotConverged};
        assert_eq!(words(report(Converged, None, 0.0), true), "in equilibrium");
        let by_part = || report(Blocked, Some(Blocker::Obstacle(0)), 14.24);
        assert_eq!(
            words(by_part(), true),
            "held by part block, 14.2 mm short of the cursor"
        );
        assert_eq!(
            words(by_part(), false),
            "held by part block, 14.2 mm short of its target"
        );
        assert_eq!(
            words(
                report(Blocked, Some(Blocker::Length { around: Some(0) }), 3.0),
                true
            ),
            "the cable is taut around part block: too short by 3.0 mm to reach the cursor"
        );
        assert_eq!(
            words(
                report(Blocked, Some(Blocker::Length { around: None }), 0.0),
                true
            ),
            "the cable is taut, 11.5° short of the cursor"
        );
        assert!(words(report(NotConverged, None, 0.0), false).starts_with("not converged"));
    }

    #[test]
    fn a_bend_sharper_than_the_cable_is_not_all_well() {
        let mut sharp = report(Status::Converged, None, 0.0);
        sharp.report.smallest_bend_radius = 2.0;
        assert_eq!(
            words(sharp, false),
            "in equilibrium, but bent to 2 mm, sharper than its radius of 4 mm"
        );
    }

    #[test]
    fn what_is_missing_is_counted_to_the_cursor_of_now() {
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let mut report = report(Status::Blocked, Some(Blocker::Obstacle(1)), 3.0);
        report.cable.clone_from(&scene.cables[0].name);
        scene.cables[0].handles[1].pose.position.x += 20.0;
        let situation = Situation {
            dragging: true,
            at_rest: false,
        };
        assert_eq!(
            state(&scene, &[report], situation).0,
            "held by part sheet, 20.0 mm short of the cursor"
        );
    }

    #[test]
    fn figures_are_short() {
        let figures = figures(&scene(), &[report(Status::Converged, None, 0.0)]);
        assert_eq!(
            figures,
            [
                "1.3 ms",
                "no contact",
                "smallest gap 0.125 mm",
                "length 800.0 of 800.0 mm",
                "bend radius 84 mm"
            ]
        );
    }
}
