//! What is wrong with a scene, or not known: each finding with its place, the value, its limit and what would mend it.
//!
//! One judge for all: the verb `check`, the window's list and the reports of exports ask here.

mod forces;
mod judge;

use serde::{Deserialize, Serialize};

use super::{Bend, BendLimit, Cable, Handle, HandleKind, Scene};
use crate::geom::Vec3;
use crate::solve::{Blocker, HandleReport, Report, Status, TAUT};

pub use forces::{too_much_pull, too_much_side_force};
pub use judge::judge;

/// What a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// There is no equilibrium to judge.
    NotConverged,
    /// A handle is not where it was asked to be.
    HandleShort,
    /// The cable is stretched far beyond what a real one would bear: too short for where it is held.
    Overstretched,
    /// Two neighbouring handles are farther apart than the cable between them is long.
    ContradictoryHandles,
    /// In balance, but a touch would move it.
    Unstable,
    /// It runs into a part or another cable.
    Overlap,
    /// The mesh of a part is not there: nothing collides with it.
    MissingPart,
    /// Bent more sharply than allowed.
    BendRadius,
    /// Nobody said how sharply it may be bent.
    NoBendLimit,
    /// An exported route is not the one on the screen.
    OffShown,
    /// Nearer to a part or another cable than required.
    Clearance,
    /// Pulled harder than its material bears.
    Pull,
    /// Pressed harder than its material bears.
    SideForce,
    /// A hose is twisted.
    Twist,
    /// It bends nearer to a fitting than it may.
    StraightLength,
    /// A hose has more pressure than its maker's table goes to.
    Pressure,
    /// A handle is attached to a part that changed.
    ReferenceChanged,
    /// Its stiffness is a guess.
    Uncalibrated,
}

impl FindingKind {
    /// Whether it spoils the solved shape itself: there is none, it is not the one that was asked for, or nothing real
    /// looks like it. The others judge a shape that is right.
    pub fn spoils_shape(self) -> bool {
        match self {
            Self::NotConverged
            | Self::HandleShort
            | Self::Overstretched
            | Self::ContradictoryHandles
            | Self::Overlap
            | Self::ReferenceChanged
            | Self::MissingPart => true,
            Self::Unstable
            | Self::BendRadius
            | Self::NoBendLimit
            | Self::OffShown
            | Self::Clearance
            | Self::Pull
            | Self::SideForce
            | Self::Twist
            | Self::StraightLength
            | Self::Pressure
            | Self::Uncalibrated => false,
        }
    }
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Must be mended.
    Error,
    /// Must be looked at.
    Warning,
    /// Good to know.
    Note,
}

/// One thing that is wrong or not known.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What it is about.
    pub kind: FindingKind,
    /// How bad it is.
    pub severity: Severity,
    /// Name of the cable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cable: Option<String>,
    /// Name of the handle, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Name of the part or of the other cable, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<String>,
    /// Arc length from the cable's start, mm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// Place in the world, mm.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_row")]
    pub position: Option<Vec3>,
    /// What was found, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// What is allowed, in `unit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<f64>,
    /// Unit of both.
    pub unit: &'static str,
    /// All of it in one sentence.
    pub what: String,
    /// What would mend it.
    pub mend: String,
}

#[expect(
    clippy::ref_option,
    reason = "serde calls it with a reference to the field"
)]
fn as_row<S: serde::Serializer>(point: &Option<Vec3>, to: S) -> Result<S::Ok, S::Error> {
    point.map(|p| [p.x, p.y, p.z]).serialize(to)
}

impl Finding {
    /// A finding about a cable, to be filled in.
    pub fn of(kind: FindingKind, severity: Severity, cable: &Cable, what: String) -> Self {
        Self {
            kind,
            severity,
            cable: Some(cable.name.clone()),
            handle: None,
            other: None,
            at: None,
            position: None,
            value: None,
            limit: None,
            unit: "",
            what,
            mend: String::new(),
        }
    }

    /// With a place along its cable.
    #[must_use]
    pub(super) fn at(mut self, cable: &Cable, arc_length: f64) -> Self {
        self.at = Some(arc_length);
        self.position = position_at(cable, arc_length);
        self
    }

    /// With what was found and what is allowed.
    #[must_use]
    pub(super) fn measured(mut self, value: f64, limit: Option<f64>, unit: &'static str) -> Self {
        (self.value, self.limit, self.unit) = (Some(value), limit, unit);
        self
    }

    /// With what would mend it.
    #[must_use]
    pub(super) fn mend(mut self, mend: impl Into<String>) -> Self {
        self.mend = mend.into();
        self
    }
}

/// Where an arc length of the unstretched cable is in its last solved shape.
pub(in crate::scene) fn position_at(cable: &Cable, arc_length: f64) -> Option<Vec3> {
    let points = &cable.shape.as_ref()?.points;
    let mut before = 0.0;
    for (length, ends) in cable.edge_lengths().iter().zip(points.windows(2)) {
        if arc_length <= before + length {
            return Some(ends[0].lerp(&ends[1], ((arc_length - before) / length).max(0.0)));
        }
        before += length;
    }
    points.last().copied()
}

/// `, 12.0 mm from fixing "end"`: where along a cable people will look for a place.
fn near_handle(cable: &Cable, at: f64) -> String {
    let distance = |s: f64| (s - at).abs();
    let near = cable.handles.iter().min_by(|a, b| {
        let (a, b) = (cable.arc_length(a), cable.arc_length(b));
        distance(a).total_cmp(&distance(b))
    });
    let place = format!("at {at:.0} mm of {:.0} mm", cable.length);
    near.map_or(place.clone(), |handle| {
        let mm = distance(cable.arc_length(handle));
        format!("{place}, {mm:.0} mm from fixing \"{}\"", handle.name)
    })
}

/// The cable is bent more sharply than it may be: its tightest place, measured as its limit is.
pub fn too_sharp(cable: &Cable) -> Option<Finding> {
    let bend = cable.worst_bend().filter(Bend::is_too_sharp)?;
    let (at, radius) = (bend.at, bend.measured);
    let what = format!(
        "Bend radius {radius:.1} mm{}, below minimum {}: {}, {}",
        cable.bend_limit.measured.suffix(),
        cable.bend_limit.words(bend.diameter),
        cable.name,
        near_handle(cable, at),
    );
    let finding = Finding::of(FindingKind::BendRadius, Severity::Error, cable, what);
    Some(
        finding
            .at(cable, at)
            .measured(radius, bend.limit, "mm")
            .mend("Make the cable longer, turn the nearest fixing, or move it away from the other"),
    )
}

/// Nobody said how sharply the cable may be bent, so that it is neither good nor bad.
pub fn no_bend_limit(cable: &Cable) -> Option<Finding> {
    if !cable.bend_limit.is_missing() {
        return None;
    }
    let (which, mend) = if cable.bend_limit.moves {
        (" for motion", "Set its smallest bend radius in motion")
    } else {
        ("", "Set its smallest bend radius")
    };
    let what = format!(
        "cable \"{}\" has no limit of its bend radius set{which}",
        cable.name
    );
    let finding = Finding::of(FindingKind::NoBendLimit, Severity::Warning, cable, what);
    let found = cable.worst_bend().map(|bend| bend.measured);
    let finding = match found.filter(|r| r.is_finite()) {
        Some(radius) => finding.measured(radius, None, "mm"),
        None => finding,
    };
    Some(finding.mend(format!(
        "{mend}, from the maker's table or a rule such as 4 x D"
    )))
}

/// Handles whose part is not what it was when they were attached to it.
pub fn references_changed(cable: &Cable) -> Vec<Finding> {
    let changed = cable.handles.iter().filter(|h| h.reference_changed);
    changed
        .map(|handle| {
            let part = handle.attached_to.as_deref().unwrap_or("that it was on");
            let what = format!(
                "cable \"{}\", fixing \"{}\": part \"{part}\" changed or is gone since it was attached",
                cable.name, handle.name
            );
            let kind = FindingKind::ReferenceChanged;
            let mut finding = Finding::of(kind, Severity::Error, cable, what)
                .mend("Move the fixing to where it belongs, and confirm it or attach it again");
            finding.handle = Some(handle.name.clone());
            finding.other.clone_from(&handle.attached_to);
            finding.at = Some(cable.arc_length(handle));
            finding.position = Some(handle.pose.position);
            finding
        })
        .collect()
}

/// The stiffness of the cable, or its bend limit, is a guess of the right order.
pub fn uncalibrated(scene: &Scene, cable: &Cable) -> Option<Finding> {
    let material = scene.material(cable.material.as_deref()?)?;
    // A limit that was typed over is the user's.
    let limit = BendLimit {
        moves: cable.bend_limit.moves,
        ..material.bend_limit(cable.diameter())
    };
    let guessed_limit = material.limits_uncalibrated && cable.bend_limit == limit;
    let (what, mend) = match (material.calibrated, guessed_limit) {
        (true, false) => return None,
        (false, false) => (
            "the stiffness of",
            "Measure the stiffness, and type it in or make a material of it",
        ),
        (true, true) => (
            "the bend limit of",
            "Type the limit of the maker's table in",
        ),
        (false, true) => (
            "stiffness and bend limit of",
            "Measure the stiffness and take the limit of the maker's table; type them in or make a material of them",
        ),
    };
    let verb = if !material.calibrated && guessed_limit {
        "are"
    } else {
        "is"
    };
    let what = format!(
        "cable \"{}\": {what} material \"{}\" {verb} uncalibrated, a guess of the right order",
        cable.name, material.name
    );
    let finding = Finding::of(FindingKind::Uncalibrated, Severity::Note, cable, what);
    Some(finding.mend(mend))
}

/// What the solver says of a cable that is not good; a cable without a report was not solved.
pub fn not_at_rest(scene: &Scene, cable: &Cable, report: Option<&Report>) -> Vec<Finding> {
    let Some(report) = report else {
        let what = format!("cable \"{}\" is not solved", cable.name);
        let finding = Finding::of(FindingKind::NotConverged, Severity::Error, cable, what);
        return vec![finding.mend("Solve the scene")];
    };
    let mut found = Vec::new();
    if report.status == Status::NotHeld {
        let what = format!("cable \"{}\" is held by nothing", cable.name);
        let finding = Finding::of(FindingKind::NotConverged, Severity::Error, cable, what);
        found.push(finding.mend(
            "Give it at least one fixing; where free junctions join cables, hold one of their ends or junctions",
        ));
    } else if !matches!(report.status, Status::Converged | Status::Blocked) {
        let what = format!(
            "cable \"{}\" is not in equilibrium: {:.1e} N out of balance, aim {:.1e} N",
            cable.name, report.residual, report.tolerance
        );
        let finding = Finding::of(FindingKind::NotConverged, Severity::Error, cable, what);
        let finding = finding.measured(report.residual, Some(report.tolerance), "N");
        found.push(finding.mend(
            "Solve on; where that does not help, refine the cable or take the last change back",
        ));
    }
    for (handle, told) in cable.handles.iter().zip(&report.handles) {
        if told.is_short() {
            found.push(short_handle(scene, cable, &handle.name, told));
        }
    }
    found.extend(contradictory_handles(cable, report));
    // Handles that contradict each other stretch what is between them, which the solver takes as given.
    let strain = (report.largest_strain).max(report.length / (cable.length * cable.growth()) - 1.0);
    if report.is_overstretched() || strain > 2.0 * TAUT {
        let percent = 100.0 * strain;
        let what = format!(
            "cable \"{}\" is stretched by {percent:.1} %: too short for where its fixings are",
            cable.name
        );
        let finding = Finding::of(FindingKind::Overstretched, Severity::Error, cable, what);
        let finding = finding.measured(percent, None, "%");
        found.push(finding.mend("Make the cable longer, or move its fixings together"));
    }
    if !report.stable && report.status == Status::Converged {
        let what = format!(
            "cable \"{}\" is in balance, but not stable: a touch would move it",
            cable.name
        );
        let finding = Finding::of(FindingKind::Unstable, Severity::Warning, cable, what);
        found.push(finding.mend("Move a fixing a little and back, and solve again"));
    }
    found
}

/// Neighbouring handles that are where they were asked to be, but farther apart than the cable between them reaches.
fn contradictory_handles(cable: &Cable, report: &Report) -> Vec<Finding> {
    let mut held: Vec<(f64, &Handle)> = (cable.handles.iter().zip(&report.handles))
        .filter(|(_, told)| !told.is_short())
        .map(|(handle, _)| (cable.arc_length(handle), handle))
        .collect();
    held.sort_by(|a, b| a.0.total_cmp(&b.0));
    let gives = |h: &Handle| {
        matches!(
            h.kind,
            HandleKind::Spring { .. } | HandleKind::Sliding { .. }
        )
    };
    let mut found = Vec::new();
    for pair in held.windows(2) {
        let [(from, a), (to, b)] = [pair[0], pair[1]];
        // Behind their fittings, and under pressure as long as the hose is then.
        let apart = (cable.clamp_of(b).position - cable.clamp_of(a).position).norm();
        let between = cable.growth() * (to - from);
        if gives(a) || gives(b) || apart <= (1.0 + 2.0 * TAUT) * between {
            continue;
        }
        let what = format!(
            "cable \"{}\": fixings \"{}\" and \"{}\" are {apart:.1} mm apart, but only {between:.1} mm of cable are between them",
            cable.name, a.name, b.name
        );
        let kind = FindingKind::ContradictoryHandles;
        let mut finding = Finding::of(kind, Severity::Error, cable, what);
        finding.handle = Some(b.name.clone());
        let finding = finding.at(cable, to);
        let finding = finding.measured(apart, Some(between), "mm");
        found.push(
            finding.mend("Move the two together, or give the cable between them more length"),
        );
    }
    found
}

fn short_handle(scene: &Scene, cable: &Cable, handle: &str, told: &HandleReport) -> Finding {
    let why =
        held_by(scene, told).unwrap_or_else(|| format!("{:.1} mm from its target", told.short_by));
    let what = format!("cable \"{}\", fixing \"{handle}\": {why}", cable.name);
    let mut finding = Finding::of(FindingKind::HandleShort, Severity::Error, cable, what);
    finding.handle = Some(handle.to_owned());
    let at = cable.handle(handle).map(|h| cable.arc_length(h));
    let finding = match at {
        Some(at) => finding.at(cable, at),
        None => finding,
    };
    finding
        .measured(told.short_by, Some(0.0), "mm")
        .mend("Move the fixing or what holds it, or make the cable longer")
}

/// Parts whose mesh is not there: cables pass through where they were.
pub fn missing_parts(scene: &Scene) -> impl Iterator<Item = Finding> {
    scene.missing.iter().map(|part| Finding {
        kind: FindingKind::MissingPart,
        severity: Severity::Error,
        cable: None,
        handle: None,
        other: Some(part.name.clone()),
        at: None,
        position: None,
        value: None,
        limit: None,
        unit: "",
        what: format!(
            "part \"{}\" has no mesh: nothing collides with it",
            part.name
        ),
        mend: format!(
            "Put its file back, replace the part or delete it: {}",
            part.source.path.display()
        ),
    })
}

/// Why a handle is not where it is asked to be.
pub fn held_by(scene: &Scene, handle: &HandleReport) -> Option<String> {
    let holder = match handle.blocker? {
        Blocker::Obstacle(number) => format!("blocked by part {}", part_name(scene, number)),
        Blocker::Rod(number) => match scene.cables.get(number) {
            Some(cable) => format!("blocked by cable {}", cable.name),
            None => format!("blocked by cable number {number}"),
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
        _ => format!("{holder}, {short_by:.1} mm from its target{turned}"),
    })
}

/// The name of a part by its number.
pub fn part_name(scene: &Scene, obstacle: usize) -> String {
    let part = scene.parts.get(obstacle);
    part.map_or_else(|| format!("number {obstacle}"), |p| p.name.clone())
}

#[cfg(test)]
mod tests;
