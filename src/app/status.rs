//! The state of the solver in words.

use std::sync::Arc;

use crate::scene::findings::{self, Finding, FindingKind, Severity};
use crate::scene::refine::Estimate;
use crate::scene::{Cable, CableReport, HeldPart, IslandReport, Scene, StartGroup, StartReason};
use crate::solve::{Blocker, HandleReport, Report, Status};
use crate::text::three_digits;

/// How a message is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// All is well.
    Good,
    /// Just so you know.
    Neutral,
    /// Look at this.
    Warn,
    /// This is wrong.
    Bad,
}

/// What the window knows beside the reports.
#[derive(Clone, Copy, Debug, Default)]
pub struct Situation<'a> {
    /// Something is being dragged.
    pub dragging: bool,
    /// The solver has answered all that was asked.
    pub at_rest: bool,
    /// Cables pass through parts.
    pub collisions_off: bool,
    /// A part that a cable keeps from where it was sent.
    pub held: Option<&'a HeldPart>,
    /// The simulation is paused.
    pub paused: Option<Paused<'a>>,
}

/// A pause of the simulation.
#[derive(Clone, Copy, Debug)]
pub struct Paused<'a> {
    /// Why, in words.
    pub reason: &'a str,
    /// What is shown is the solver's last word on the scene as it is.
    pub up_to_date: bool,
}

/// What is wrong with the shapes that are shown, whatever the solver says of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    /// What must not be: cables inside parts, bends below the minimum.
    pub grave: usize,
    /// What should not be: cables within the margin of a part.
    pub slight: usize,
}

impl Violations {
    /// All violations of a scene.
    pub fn of(scene: &Scene, reports: &[Arc<CableReport>], starts: &[StartGroup]) -> Self {
        let sharp = sharp_bends(scene, reports);
        let inside = starts.iter().filter(|s| s.reason.is_inside());
        let near = (starts.iter()).filter(|s| s.reason == StartReason::InsideMargin);
        Self {
            grave: sharp.len() + inside.count(),
            slight: near.count(),
        }
    }

    /// In words, with their tone; `None` where there are none.
    pub fn in_words(self) -> Option<(String, Tone)> {
        let tone = if self.grave > 0 {
            Tone::Bad
        } else {
            Tone::Warn
        };
        match self.grave + self.slight {
            0 => None,
            1 => Some(("1 violation".into(), tone)),
            n => Some((format!("{n} violations"), tone)),
        }
    }
}

/// Cables that are bent more sharply than they may be, or so sharply that they would be inside themselves.
pub fn sharp_bends(scene: &Scene, reports: &[Arc<CableReport>]) -> Vec<Finding> {
    let folded = |cable: &Cable| {
        let report = reports.iter().find(|r| r.cable == cable.name)?;
        let radius = report.report.smallest_bend_radius;
        let bend = cable.worst_bend();
        let own = bend.map_or(cable.radius, |bend| 0.5 * bend.diameter);
        if radius >= own {
            return None;
        }
        let what = format!(
            "{}: bend radius {radius:.1} mm, below its own radius of {own:.1} mm",
            cable.name
        );
        Some(Finding::of(
            FindingKind::BendRadius,
            Severity::Error,
            cable,
            what,
        ))
    };
    (scene.cables.iter())
        .filter_map(|cable| findings::too_sharp(cable).or_else(|| folded(cable)))
        .collect()
}

/// The state in a few words, the worst cable first. Good only where every cable is in equilibrium, nothing is on its
/// way, and nothing is violated.
pub fn state(
    scene: &Scene,
    reports: &[Arc<CableReport>],
    violations: Violations,
    situation: Situation,
) -> (String, Tone) {
    if scene.cables.is_empty() {
        return ("no cable in the scene".into(), Tone::Neutral);
    }
    if let Some(Paused { reason, up_to_date }) = situation.paused {
        let words = if up_to_date {
            format!("paused {reason}")
        } else {
            format!("out of date: paused {reason}")
        };
        return (words, Tone::Warn);
    }
    let worst = reports.iter().max_by_key(|r| severity(&r.report));
    let unsolved = || scene.cables.len() > reports.len();
    let (mut words, mut tone) = match worst {
        None if situation.at_rest => ("not solved".into(), Tone::Warn),
        None => ("solving ...".into(), Tone::Neutral),
        Some(worst) => {
            let (mut words, tone) = in_words(scene, worst, situation);
            if scene.cables.len() > 1 && !matches!(tone, Tone::Good | Tone::Neutral) {
                words = format!("{}: {words}", worst.cable);
            }
            match tone {
                Tone::Good if !situation.at_rest => ("solving ...".into(), Tone::Neutral),
                Tone::Good if unsolved() => ("not all cables are solved".into(), Tone::Warn),
                tone => (words, tone),
            }
        }
    };
    // The cable that holds a part is taut: the part says more.
    if let Some(held) = situation.held.filter(|_| tone != Tone::Neutral) {
        words = held_part(held, situation.dragging);
        tone = Tone::Warn;
    }
    if tone == Tone::Good {
        tone = violations.in_words().map_or(tone, |(_, tone)| tone);
    }
    if situation.collisions_off {
        words = format!("collisions off, {words}");
        if tone != Tone::Bad {
            tone = Tone::Warn;
        }
    }
    (words, tone)
}

/// The figures beside it: time, contacts, gap, length.
pub fn figures(scene: &Scene, reports: &[Arc<CableReport>]) -> Vec<String> {
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
    let islands = IslandReport::all(reports);
    let moved: usize = islands.iter().map(|island| island.cables.len()).sum();
    if reports.len() > 1 && moved > 0 {
        let groups = match islands.len() {
            1 if moved == 1 => String::new(),
            1 => ", together".into(),
            n => format!(", in {n} groups"),
        };
        figures.push(format!("{moved} of {} cables moved{groups}", reports.len()));
    }
    if let Some(gap) = all().filter_map(|r| r.smallest_gap).min_by(f64::total_cmp) {
        figures.push(format!("smallest gap {gap:.3} mm"));
    }
    let hidden = (scene.parts.iter()).filter(|p| !p.visible && p.role.collides());
    match hidden.count() {
        0 => {}
        1 => figures.push("1 hidden part collides".into()),
        n => figures.push(format!("{n} hidden parts collide")),
    }
    if let [only] = reports {
        let cable = scene.cable(&only.cable);
        let (rest, fittings) = cable.map_or((0.0, 0.0), |c| (c.seat_to_seat(), c.fitting_length()));
        let length = only.report.length + fittings;
        figures.push(format!("length {length:.1} of {rest:.1} mm"));
        if only.report.smallest_bend_radius < 1e5 {
            let radius = only.report.smallest_bend_radius;
            figures.push(format!("bend radius {radius:.0} mm"));
        }
    }
    figures
}

fn severity(report: &Report) -> u8 {
    match report.status {
        Status::Converged if report.stable && !report.is_taut() => 0,
        Status::Converged => 1,
        Status::Cancelled | Status::OnTheWay => 2,
        Status::Blocked => 3,
        Status::NotHeld => 4,
        Status::NotConverged => 5,
    }
}

fn in_words(scene: &Scene, cable: &CableReport, situation: Situation) -> (String, Tone) {
    let report = &cable.report;
    match report.status {
        Status::Converged if report.is_overstretched() => (
            format!(
                "stretched by {:.1} %: too short for where it is held",
                100.0 * report.largest_strain
            ),
            Tone::Warn,
        ),
        Status::Converged if report.is_taut() => (
            format!("taut: stretched by {:.2} %", 100.0 * report.largest_strain),
            Tone::Warn,
        ),
        Status::Converged if report.stable => ("in equilibrium".into(), Tone::Good),
        Status::Converged => (
            "in balance, but not stable: a touch would move it".into(),
            Tone::Warn,
        ),
        Status::Cancelled | Status::OnTheWay => ("solving ...".into(), Tone::Neutral),
        Status::NotHeld => (
            "nothing holds it: give it, or what free junctions join to it, at least one fixing"
                .into(),
            Tone::Warn,
        ),
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
                    || "a fixing does not reach its target".into(),
                    |h| held(scene, &h, situation),
                ),
                Tone::Warn,
            )
        }
    }
}

/// How far a handle is from its present target: the report may be of an older one.
fn short_by(scene: &Scene, cable: &str, handle: usize) -> Option<f64> {
    let cable = scene.cable(cable)?;
    let handle = cable.handles.get(handle)?;
    let held = cable.held_pose(handle)?;
    Some((handle.pose.position - held.position).norm())
}

/// What keeps a part from where it was sent.
fn held_part(held: &HeldPart, dragging: bool) -> String {
    let part = &held.part;
    let by = match (&held.cable, &held.against, held.fit_in_words()) {
        (Some(cable), ..) => format!("Part {part} blocked by cable {cable}"),
        (None, _, Some(fit)) => format!("Part {part} {fit}"),
        (None, Some(other), None) => format!("Part {part} blocked by {other}"),
        (None, None, None) => format!("Part {part} blocked"),
    };
    let target = if dragging { "cursor" } else { "its target" };
    if held.short_by >= 0.05 {
        format!("{by}, {:.1} mm from {target}", held.short_by)
    } else {
        let angle = held.short_by_angle.to_degrees();
        format!("{by}, {angle:.1}° from {target}")
    }
}

fn held(scene: &Scene, handle: &HandleReport, situation: Situation) -> String {
    let by = match handle.blocker {
        Some(Blocker::Obstacle(part)) => match scene.parts.get(part) {
            Some(part) => format!("Blocked by {}", part.name),
            None => "Blocked by a part".into(),
        },
        Some(Blocker::Rod(cable)) => match scene.cables.get(cable) {
            Some(cable) => format!("Blocked by cable {}", cable.name),
            None => "Blocked by another cable".into(),
        },
        Some(Blocker::Length { around }) => match around.and_then(|part| scene.parts.get(part)) {
            Some(part) => format!("the cable is taut around part {}", part.name),
            None => "the cable is taut".into(),
        },
        Some(Blocker::Solver) => "no equilibrium found further on".into(),
        None => "Blocked".into(),
    };
    let target = if situation.dragging {
        "cursor"
    } else {
        "its target"
    };
    let the = if situation.dragging { "the " } else { "" };
    // Below this the position has arrived, and only the turn is missing.
    let taut = matches!(handle.blocker, Some(Blocker::Length { .. }));
    if handle.short_by >= 0.05 && taut {
        format!(
            "{by}: too short by {:.1} mm to reach {the}{target}",
            handle.short_by
        )
    } else if handle.short_by >= 0.05 {
        format!("{by}, {:.1} mm from {target}", handle.short_by)
    } else {
        format!(
            "{by}, {:.1}° from {target}",
            handle.short_by_angle.to_degrees()
        )
    }
}

/// How exact a shape is, in words.
pub fn error_bar(estimate: &Estimate) -> String {
    if estimate.holds() {
        format!("\u{b1}{} mm", three_digits(estimate.shape))
    } else {
        "another grid or model ends in another shape: no error bar".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::TightFit;
    use crate::geom::Vec3;
    use crate::mesh::TriMesh;
    use crate::scene::{Cable, CableChange, CableSection, Command, Part};
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
            other_shapes: None,
            report: Report {
                status,
                island: Some(0),
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
                taut_strain: 0.005,
                smallest_bend_radius: 84.0,
                largest_bend: 0.1,
            },
        }
    }

    fn words(report: CableReport, dragging: bool) -> String {
        let situation = Situation { dragging, ..REST };
        state(
            &scene(),
            &[Arc::new(report)],
            Violations::default(),
            situation,
        )
        .0
    }

    const REST: Situation = Situation {
        held: None,
        dragging: false,
        at_rest: true,
        collisions_off: false,
        paused: None,
    };

    #[test]
    fn only_an_equilibrium_without_a_fault_is_good() {
        let tone = |report: &CableReport, violations: Violations, situation: Situation| {
            state(&scene(), &[Arc::new(report.clone())], violations, situation)
        };
        let fine = report(Status::Converged, None, 0.0);
        let none = Violations::default();
        assert_eq!(
            tone(&fine, none, REST),
            ("in equilibrium".into(), Tone::Good)
        );
        // While the solver is at work nothing is good yet: it used to be green for minutes.
        let busy = Situation {
            at_rest: false,
            ..REST
        };
        assert_eq!(
            tone(&fine, none, busy),
            ("solving ...".into(), Tone::Neutral)
        );
        let paused = Situation {
            paused: Some(Paused {
                reason: "by you",
                up_to_date: false,
            }),
            ..REST
        };
        let words = "out of date: paused by you";
        assert_eq!(tone(&fine, none, paused), (words.into(), Tone::Warn));
        let off = Situation {
            collisions_off: true,
            ..REST
        };
        let words = "collisions off, in equilibrium";
        assert_eq!(tone(&fine, none, off), (words.into(), Tone::Warn));
        let grave = Violations {
            grave: 2,
            slight: 1,
        };
        assert_eq!(
            tone(&fine, grave, REST),
            ("in equilibrium".into(), Tone::Bad)
        );
        assert_eq!(grave.in_words(), Some(("3 violations".into(), Tone::Bad)));
        let slight = Violations {
            grave: 0,
            slight: 1,
        };
        assert_eq!(tone(&fine, slight, REST).1, Tone::Warn);
        let mut taut = report(Status::Converged, None, 0.0);
        taut.report.largest_strain = crate::solve::TAUT;
        let words = format!("taut: stretched by {:.2} %", 100.0 * crate::solve::TAUT);
        assert_eq!(tone(&taut, none, REST), (words, Tone::Warn));
        let (words, tone) = state(&scene(), &[], none, REST);
        assert_eq!((&words[..], tone), ("not solved", Tone::Warn));
    }

    #[test]
    fn each_state_has_its_words() {
        use Status::{Blocked, Converged, NotConverged};
        assert_eq!(words(report(Converged, None, 0.0), true), "in equilibrium");
        let by_part = || report(Blocked, Some(Blocker::Obstacle(0)), 14.24);
        assert_eq!(
            words(by_part(), true),
            "Blocked by block, 14.2 mm from cursor"
        );
        assert_eq!(
            words(by_part(), false),
            "Blocked by block, 14.2 mm from its target"
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
            "the cable is taut, 11.5° from cursor"
        );
        assert!(words(report(NotConverged, None, 0.0), false).starts_with("not converged"));
    }

    #[test]
    fn a_plug_says_that_it_does_not_fit_the_hole() {
        let held = |fit: Option<TightFit>| HeldPart {
            part: "plug".into(),
            cable: None,
            against: Some("plate".into()),
            fit,
            short_by: 12.0,
            short_by_angle: 0.0,
            target: crate::geom::Pose::identity(),
        };
        let words = |fit: Option<TightFit>| {
            let held = held(fit);
            let situation = Situation {
                held: Some(&held),
                ..REST
            };
            let fine = [Arc::new(report(Status::Converged, None, 0.0))];
            state(&scene(), &fine, Violations::default(), situation)
        };
        for (fit, expected) in [
            (None, "Part plug blocked by plate, 12.0 mm from its target"),
            (
                Some([-3.2, 1.6]),
                "Part plug does not go through the opening of \"plate\": it is 3.2 mm too wide, \
                 12.0 mm from its target",
            ),
            (
                Some([0.4, 1.6]),
                "Part plug does not go through the opening of \"plate\": it has 0.4 mm to spare and needs 1.6 mm, \
                 12.0 mm from its target",
            ),
        ] {
            let fit = fit.map(|[spare, needed]| TightFit { spare, needed });
            assert_eq!(words(fit), (expected.to_owned(), Tone::Warn));
        }
    }

    #[test]
    fn a_sharp_bend_and_a_cable_inside_a_part_are_violations() {
        let of = |scene: &Scene, report: &CableReport, starts: &[StartGroup]| {
            Violations::of(scene, &[Arc::new(report.clone())], starts)
        };
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let mut sharp = report(Status::Converged, None, 0.0);
        sharp.cable.clone_from(&scene.cables[0].name);
        assert_eq!(of(&scene, &sharp, &[]), Violations::default());
        let limit = |mm: f64| {
            Command::ChangeCable(Box::new(CableChange {
                min_bend_radius: Some(mm),
                ..CableChange::of(&sharp.cable)
            }))
        };
        limit(1e5).apply(&mut scene).unwrap();
        assert_eq!(of(&scene, &sharp, &[]).grave, 1);
        // Sharper than its own radius is a fault without any limit.
        limit(0.0).apply(&mut scene).unwrap();
        assert_eq!(of(&scene, &sharp, &[]).grave, 0);
        sharp.report.smallest_bend_radius = 0.5 * scene.cables[0].radius;
        assert_eq!(of(&scene, &sharp, &[]).grave, 1);
        let start = |reason: StartReason| StartGroup {
            centerline_depth: 0.0,
            cable: "hose".into(),
            part: "block".into(),
            reason,
            stretches: vec![[0.0, 10.0]],
            depth: 53.0,
            at: Vec3::zeros(),
            choice: crate::scene::StartChoice::Collide,
        };
        let starts = [
            start(StartReason::Crosses),
            start(StartReason::InsideMargin),
            start(StartReason::Excluded),
        ];
        let expected = Violations {
            grave: 2,
            slight: 1,
        };
        assert_eq!(of(&scene, &sharp, &starts), expected);
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
            ..REST
        };
        assert_eq!(
            state(
                &scene,
                &[Arc::new(report)],
                Violations::default(),
                situation
            )
            .0,
            "Blocked by sheet, 20.0 mm from cursor"
        );
    }

    #[test]
    fn hidden_parts_that_collide_are_counted() {
        let mut scene = scene();
        scene.parts.push(scene.parts[0].clone());
        for part in &mut scene.parts {
            part.visible = false;
        }
        let report = [Arc::new(report(Status::Converged, None, 0.0))];
        let has = |scene: &Scene, words: &str| figures(scene, &report).iter().any(|f| f == words);
        assert!(has(&scene, "2 hidden parts collide"));
        scene.parts[0].role = crate::scene::PartRole::Background;
        assert!(has(&scene, "1 hidden part collides"));
        scene.parts[1].visible = true;
        assert!(
            !figures(&scene, &report)
                .iter()
                .any(|f| f.contains("hidden"))
        );
    }

    #[test]
    fn figures_are_short() {
        let figures = figures(&scene(), &[Arc::new(report(Status::Converged, None, 0.0))]);
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
