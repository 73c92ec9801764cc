//! Fittings: the rigid, straight ends of a cable, between the seat of a handle and where the cable begins to bend.
//!
//! A handle at an end of a cable stands on the seat: the face that meets the port. From there the fitting runs straight
//! along the direction of the handle, and the flexible cable begins where it ends. `length`, arc lengths and shapes are of
//! the flexible cable; what a supplier delivers and an engineer types is the length from seat to seat.

use serde::{Deserialize, Serialize};

use super::findings::{Finding, FindingKind, Severity};
use super::{Cable, Handle, HandlePlace, Junction, Scene, Simulation};
use crate::contact::distance::segment_segment;
use crate::geom::{Pose, Vec3};

/// Depth, over the cable's radius, up to which a fitting only touches another cable.
const TOUCHING: f64 = 1e-3;

/// A fitting, backshell or connector exit: rigid and straight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Fitting {
    /// From the seat to where the cable is flexible, mm; 0 for none.
    pub length: f64,
    /// Outer radius, mm; 0 for that of the cable.
    pub radius: f64,
}

impl Fitting {
    /// Whether there is one.
    pub fn is_there(&self) -> bool {
        self.length > 0.0
    }

    /// The first number that makes no sense.
    pub fn bad_number(&self) -> Option<(&'static str, f64)> {
        [
            ("fittings.length", self.length),
            ("fittings.radius", self.radius),
        ]
        .into_iter()
        .find(|(_, mm)| !(0.0..=1e5).contains(mm))
    }
}

impl Cable {
    /// Length of both fittings, mm.
    pub fn fitting_length(&self) -> f64 {
        self.fittings[0].length + self.fittings[1].length
    }

    /// Length from seat to seat, mm: the flexible cable and its fittings. What a supplier delivers.
    pub fn seat_to_seat(&self) -> f64 {
        self.length + self.fitting_length()
    }

    /// The length that it was imported or made with, from seat to seat, mm.
    pub fn basis_seat_to_seat(&self) -> f64 {
        self.basis_length + self.fitting_length()
    }

    /// Length of the fitting between a handle and the flexible cable, mm.
    pub fn fitting_of(&self, handle: &Handle) -> f64 {
        self.way_in(handle.place).abs()
    }

    /// Outer radius of the fitting at the start (0) or at the end (1), mm.
    pub fn fitting_radius(&self, end: usize) -> f64 {
        let own = self.fittings[end].radius;
        if own > 0.0 {
            return own;
        }
        self.radius_at(if end == 0 { 0.0 } else { self.length })
    }

    /// The way from the seat at a place to where the flexible cable is held, along d3, mm.
    fn way_in(&self, place: HandlePlace) -> f64 {
        match place {
            HandlePlace::Start => self.fittings[0].length,
            HandlePlace::End => -self.fittings[1].length,
            HandlePlace::At(_) => 0.0,
        }
    }

    /// Where the flexible cable is held when the seat of a handle is at `seat`.
    pub fn clamp_at(&self, place: HandlePlace, seat: &Pose) -> Pose {
        along(seat, self.way_in(place))
    }

    /// Where the seat of a handle is when the flexible cable is held at `clamp`.
    pub fn seat_at(&self, place: HandlePlace, clamp: &Pose) -> Pose {
        along(clamp, -self.way_in(place))
    }

    /// Where a handle is asked to hold the flexible cable: behind its fitting, where it has one.
    pub fn clamp_of(&self, handle: &Handle) -> Pose {
        self.clamp_at(handle.place, &handle.pose)
    }

    /// The axis of the fitting at the start (0) or at the end (1), from its seat to the flexible cable: in the last solved
    /// shape, or where its handle is asked to be.
    pub fn fitting_axis(&self, end: usize) -> Option<[Vec3; 2]> {
        if !self.fittings[end].is_there() {
            return None;
        }
        let place = [HandlePlace::Start, HandlePlace::End][end];
        let clamp = match &self.shape {
            Some(shape) => {
                let points = [shape.points.first(), shape.points.last()];
                let frames = [shape.frames.first(), shape.frames.last()];
                Pose {
                    position: *points[end]?,
                    rotation: match shape.clamps[end] {
                        Some(clamp) => clamp.rotation,
                        None => *frames[end]?,
                    },
                }
            }
            None => self.clamp_of(self.handle_at(place)?),
        };
        Some([self.seat_at(place, &clamp).position, clamp.position])
    }

    /// The moment that a handle at the seat bears, N mm, where the flexible cable takes this force and moment behind the
    /// fitting: the force has the fitting for a lever.
    pub fn moment_at_seat(&self, handle: &Handle, force: &Vec3, moment: &Vec3) -> Vec3 {
        let way = self.way_in(handle.place);
        if way == 0.0 {
            return *moment;
        }
        let rotation = self.held_pose(handle).unwrap_or(handle.pose).rotation;
        moment + (rotation * Vec3::z() * way).cross(force)
    }
}

fn along(pose: &Pose, by: f64) -> Pose {
    // To the last bit the same where there is no fitting.
    if by == 0.0 {
        return *pose;
    }
    Pose {
        position: pose.position + pose.rotation * Vec3::z() * by,
        rotation: pose.rotation,
    }
}

/// Fittings that run into parts or other cables, or are nearer to one than required. The part that the handle is attached
/// to is left out, and so are parts that the cable may overlap: there the fitting sits.
pub fn fitting_findings(simulation: &Simulation, number: usize) -> Vec<Finding> {
    let scene = simulation.scene();
    let cable = &scene.cables[number];
    let mut found = Vec::new();
    for (end, word) in ["start", "end"].into_iter().enumerate() {
        let Some([seat, exit]) = cable.fitting_axis(end) else {
            continue;
        };
        let place = [HandlePlace::Start, HandlePlace::End][end];
        let own = cable
            .handle_at(place)
            .and_then(|h| h.attached_to.as_deref());
        let radius = cable.fitting_radius(end);
        for (part, obstacle) in scene.parts.iter().zip(simulation.obstacles()) {
            let may_overlap = || {
                let mut exclusions = scene.exclusions_of(&cable.name, &part.name);
                let at = if end == 0 { 0.0 } else { cable.length };
                exclusions.any(|e| (e.from - 1e-6..=e.to + 1e-6).contains(&at))
            };
            if !part.role.collides() || own == Some(&part.name) || may_overlap() {
                continue;
            }
            let required = scene.required_clearance(part).unwrap_or(0.0);
            let Some(near) = obstacle.nearest(&seat, &exit, radius + required) else {
                continue;
            };
            let distance = near.distance - radius;
            if distance >= required {
                continue;
            }
            let (kind, what) = if distance < 0.0 {
                (
                    FindingKind::Overlap,
                    format!(
                        "the fitting at the {word} of cable \"{}\" runs into part \"{}\" by {:.2} mm",
                        cable.name, part.name, -distance
                    ),
                )
            } else {
                (
                    FindingKind::Clearance,
                    format!(
                        "the fitting at the {word} of cable \"{}\" is {distance:.2} mm from {}part \"{}\", required are {required:.1} mm",
                        cable.name,
                        part.hazard.adjective(),
                        part.name
                    ),
                )
            };
            let mut finding = Finding::of(kind, Severity::Error, cable, what)
                .measured(distance, Some(required), "mm")
                .mend("Turn or move the fixing at that end, attach it to the part that it sits on, or exclude the end from it");
            finding.at = Some(if end == 0 { 0.0 } else { cable.length });
            finding.position = Some(near.on_triangle);
            finding.other = Some(part.name.clone());
            found.push(finding);
        }
        for other in 0..scene.cables.len() {
            found.extend(near_cable(scene, (number, end), other));
        }
    }
    found
}

/// A fitting that runs into another cable or its fittings, or is nearer to them than cables must be. Cables that a
/// junction joins at that end are left out: they meet there.
fn near_cable(scene: &Scene, (number, end): (usize, usize), other: usize) -> Option<Finding> {
    let (cable, beside) = (&scene.cables[number], &scene.cables[other]);
    let place = [HandlePlace::Start, HandlePlace::End][end];
    let handle = cable.handle_at(place);
    let meets = |j: &&Junction| {
        handle.is_some_and(|h| j.holds(&cable.name, &h.name))
            && j.ends.iter().any(|e| e.cable == beside.name)
    };
    if number == other || scene.junctions.iter().any(|j| meets(&j)) {
        return None;
    }
    let [seat, exit] = cable.fitting_axis(end)?;
    let points = beside.shape.as_ref().map_or(&[][..], |s| &s.points);
    let edges = points.windows(2).map(|e| ([e[0], e[1]], beside.radius));
    // Two fittings are found once, from the first of the two cables.
    let fittings = (0..2).filter(|_| number < other);
    let fittings =
        fittings.filter_map(|k| Some((beside.fitting_axis(k)?, beside.fitting_radius(k))));
    let nearest = edges.chain(fittings).map(|([a, b], radius)| {
        let near = segment_segment(&seat, &exit, &a, &b);
        let (p, q) = (seat + near.s * (exit - seat), a + near.t * (b - a));
        ((p - q).norm() - radius - cable.fitting_radius(end), q)
    });
    let (distance, position) = nearest.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let required = scene.required.cables;
    // What touches is not inside.
    if distance >= required.max(-TOUCHING * cable.radius) {
        return None;
    }
    let word = ["start", "end"][end];
    let (kind, what) = if distance < 0.0 {
        let what = format!(
            "the fitting at the {word} of cable \"{}\" runs into cable \"{}\" by {:.2} mm",
            cable.name, beside.name, -distance
        );
        (FindingKind::Overlap, what)
    } else {
        let what = format!(
            "the fitting at the {word} of cable \"{}\" is {distance:.2} mm from cable \"{}\", required are {required:.1} mm",
            cable.name, beside.name
        );
        (FindingKind::Clearance, what)
    };
    let mut finding = Finding::of(kind, Severity::Error, cable, what)
        .measured(distance, Some(required), "mm")
        .mend("Turn or move the fixing at that end, or hold the other cable away from it");
    finding.at = Some(if end == 0 { 0.0 } else { cable.length });
    finding.position = Some(position);
    finding.other = Some(beside.name.clone());
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Aabb;
    use crate::mesh::primitives;
    use crate::scene::demo::demo;
    use crate::scene::findings::judge;

    use crate::scene::{CableChange, CableReports, Command, Part};
    use crate::solve::CancelToken;

    fn solved(scene: Scene) -> (Simulation, CableReports) {
        let mut simulation = Simulation::new(scene).unwrap();
        let reports = simulation.solve_quietly(&CancelToken::default());
        (simulation, reports)
    }

    /// The demo's cable, and the same behind fittings whose seats are so far back that it is held where it was.
    fn with_and_without() -> [Scene; 2] {
        let mut plain = demo("box").unwrap();
        plain.cables[0].shape = None;
        let mut fitted = plain.clone();
        let cable = &mut fitted.cables[0];
        cable.fittings = [
            Fitting {
                length: 40.0,
                radius: 9.0,
            },
            Fitting {
                length: 25.0,
                radius: 0.0,
            },
        ];
        for k in 0..cable.handles.len() {
            let handle = &cable.handles[k];
            cable.handles[k].pose = cable.seat_at(handle.place, &handle.pose);
        }
        [plain, fitted]
    }

    #[test]
    fn the_flexible_cable_begins_behind_its_fittings_and_the_seat_bears_their_lever() {
        let [(plain, before), (fitted, after)] = with_and_without().map(solved);
        let (bare, cable) = (&plain.scene().cables[0], &fitted.scene().cables[0]);
        let points = |cable: &Cable| cable.shape.as_ref().unwrap().points.clone();
        let pairs = points(bare).into_iter().zip(points(cable));
        let apart = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(apart < 1e-6, "{apart}");
        for (k, handle) in cable.handles.iter().enumerate() {
            // The handle stands on its seat, a fitting away from the cable.
            let held = cable.held_pose(handle).unwrap();
            assert!((held.position - handle.pose.position).norm() < 1e-9);
            let [seat, exit] = cable.fitting_axis(k).unwrap();
            assert!((seat - handle.pose.position).norm() < 1e-9);
            assert!(((exit - seat).norm() - cable.fittings[k].length).abs() < 1e-9);
            let (a, b) = (&before[0].report.handles[k], &after[0].report.handles[k]);
            assert!((a.force - b.force).norm() < 1e-3 * a.force.norm());
            let moment = a.moment + (exit - seat).cross(&a.force);
            assert!((moment - b.moment).norm() < 1e-3 * moment.norm(), "{k}");
            assert!((moment - a.moment).norm() > 1e-2 * moment.norm());
        }
    }

    #[test]
    fn lengths_that_are_typed_are_from_seat_to_seat() {
        let mut scene = demo("box").unwrap();
        let name = scene.cables[0].name.clone();
        let whole = scene.cables[0].length;
        let fittings = |length: f64| -> Command {
            let fitting = Fitting {
                length,
                radius: 10.0,
            };
            CableChange {
                fittings: Some([fitting; 2]),
                ..CableChange::of(&name)
            }
            .into()
        };
        // Fittings take their part of what there is.
        fittings(30.0).apply(&mut scene).unwrap();
        assert!((scene.cables[0].seat_to_seat() - whole).abs() < 1e-9);
        assert!((scene.cables[0].length - (whole - 60.0)).abs() < 1e-9);
        let set = Command::SetLength {
            cable: name.clone(),
            length: 600.0,
        };
        set.apply(&mut scene).unwrap();
        assert!((scene.cables[0].length - 540.0).abs() < 1e-9);
        let line = &crate::scene::lengths::lengths(&scene)[0];
        assert!((line.geometric - 600.0).abs() < 1e-9 && (line.fittings - 60.0).abs() < 1e-9);
        // The stretch from end to end is the whole.
        let span = Command::SetSpanLength {
            cable: name.clone(),
            from: "start".to_owned(),
            to: "end".to_owned(),
            length: 620.0,
        };
        span.apply(&mut scene).unwrap();
        assert!((scene.cables[0].seat_to_seat() - 620.0).abs() < 1e-9);
        // Nothing would be left to bend.
        let before = scene.clone();
        let error = fittings(320.0).apply(&mut scene).unwrap_err().to_string();
        assert!(
            error.contains("fittings") && error.contains(&name),
            "{error}"
        );
        assert_eq!(scene, before);
    }

    #[test]
    fn a_fitting_that_is_wider_than_its_cable_runs_into_what_the_cable_passes() {
        let [_, mut scene] = with_and_without();
        let [seat, exit] = scene.cables[0].fitting_axis(0).unwrap();
        // A block 6 mm beside the axis, in the middle of the fitting: the cable of 4 mm passes it.
        let middle = 0.5 * (seat + exit) + Vec3::new(0.0, 6.0, 0.0);
        let block = Aabb {
            min: middle - Vec3::new(2.0, 0.0, 2.0),
            max: middle + Vec3::new(2.0, 10.0, 2.0),
        };
        scene
            .parts
            .push(Part::new("block", primitives::cuboid(&block)));
        let found = |scene: &Scene, radius: f64| {
            let mut scene = scene.clone();
            scene.cables[0].fittings[0].radius = radius;
            let (simulation, reports) = solved(scene);
            let found = judge(&simulation, &reports);
            let of_block = |f: &&Finding| f.other.as_deref() == Some("block");
            found.iter().filter(of_block).cloned().collect::<Vec<_>>()
        };
        let wide = found(&scene, 9.0);
        assert_eq!(wide.len(), 1, "{wide:?}");
        assert_eq!(wide[0].kind, FindingKind::Overlap);
        assert!((wide[0].value.unwrap() + 3.0).abs() < 1e-6, "{wide:?}");
        assert!(found(&scene, 5.9).is_empty());
        // Near is judged by the required clearance, and a part that the fitting sits on is left out.
        scene.required.others = 1.0;
        assert_eq!(found(&scene, 5.5)[0].kind, FindingKind::Clearance);
        scene.cables[0].handles[0].attached_to = Some("block".to_owned());
        assert!(found(&scene, 5.5).is_empty());
    }

    /// Fittings were held against parts alone.
    #[test]
    fn a_fitting_that_runs_into_another_cable_is_found() {
        let [_, scene] = with_and_without();
        let [seat, exit] = scene.cables[0].fitting_axis(0).unwrap();
        let found = |aside: f64, required: f64| {
            let mut scene = scene.clone();
            scene.required.cables = required;
            // Across the fitting, so far beside its axis.
            let mut other = scene.cables[0].clone();
            other.name = "other".to_owned();
            other.fittings = [Fitting::default(); 2];
            other.radius = 2.0;
            other.shape = None;
            let middle = 0.5 * (seat + exit) + Vec3::new(0.0, aside, 0.0);
            let up = crate::geom::rotation_along(&Vec3::z()).unwrap();
            for (handle, z) in other.handles.iter_mut().zip([-60.0, 60.0]) {
                handle.pose = Pose {
                    position: middle + Vec3::new(0.0, 0.0, z),
                    rotation: up,
                };
            }
            (other.length, other.basis_length) = (120.0, 120.0);
            scene.parts.clear();
            scene.gravity = Vec3::zeros();
            scene.cables.push(other);
            let (simulation, reports) = solved(scene);
            let found = judge(&simulation, &reports);
            let of_other = |f: &&Finding| f.what.starts_with("the fitting");
            found.iter().filter(of_other).cloned().collect::<Vec<_>>()
        };
        // The fitting has 9 mm, the other cable 2 mm.
        let inside = found(8.0, 0.0);
        assert_eq!(inside.len(), 1, "{inside:?}");
        assert_eq!(inside[0].kind, FindingKind::Overlap);
        assert!((inside[0].value.unwrap() + 3.0).abs() < 0.01, "{inside:?}");
        assert_eq!(inside[0].other.as_deref(), Some("other"));
        assert!(found(12.0, 0.0).is_empty());
        assert_eq!(found(12.0, 2.0)[0].kind, FindingKind::Clearance);
        assert!(found(14.0, 2.0).is_empty());
    }

    /// The cable ended before the wall, and its fitting went through it.
    #[test]
    fn a_fitting_does_not_go_through_a_wall_that_its_handle_is_dragged_to() {
        let [_, mut scene] = with_and_without();
        let cable = scene.cables[0].name.clone();
        let [seat, _] = scene.cables[0].fitting_axis(1).unwrap();
        let wall = Aabb {
            min: seat + Vec3::new(30.0, -300.0, -300.0),
            max: seat + Vec3::new(31.0, 300.0, 300.0),
        };
        scene
            .parts
            .push(Part::new("wall", primitives::cuboid(&wall)));
        scene.cables[0].fittings[1].radius = 9.0;
        let dragged = |scene: &Scene, by: f64| {
            let (mut simulation, _) = solved(scene.clone());
            let drag = Command::MoveHandle {
                cable: cable.clone(),
                handle: "end".to_owned(),
                position: Some((seat + Vec3::new(by, 0.0, 0.0)).into()),
                rotation: None,
            };
            simulation.apply(&drag).unwrap();
            let reports = simulation.solve_quietly(&CancelToken::default());
            let [seat, _] = simulation.scene().cables[0].fitting_axis(1).unwrap();
            (wall.min.x - seat.x, reports[0].report.clone())
        };
        let number = scene.parts.len() - 1;
        for by in [25.0, 60.0, 400.0] {
            let (left, report) = dragged(&scene, by);
            assert!(left >= 9.0, "{left} mm from the wall after {by}");
            assert!(left < 9.0 + 2.0, "{left} mm from the wall after {by}");
            let blocker = report.handles[1].blocker;
            assert_eq!(blocker, Some(crate::solve::Blocker::Obstacle(number)));
        }
        // On its own part it is plugged in.
        scene.cables[0].handles[1].attached_to = Some("wall".to_owned());
        assert!(dragged(&scene, 25.0).0 < 6.0);
    }

    #[test]
    fn a_part_that_is_moved_stops_at_a_fitting() {
        let [_, mut scene] = with_and_without();
        scene.cables[0].fittings[1].radius = 9.0;
        let [seat, exit] = scene.cables[0].fitting_axis(1).unwrap();
        let middle = 0.5 * (seat + exit) + Vec3::new(0.0, 40.0, 0.0);
        let block = Aabb {
            min: middle - Vec3::new(1.0, 5.0, 1.0),
            max: middle + Vec3::new(1.0, 5.0, 1.0),
        };
        let mut part = Part::new("block", primitives::cuboid(&block));
        part.margin = None;
        scene.parts.push(part);
        let (mut simulation, _) = solved(scene);
        let push = Command::MovePart {
            part: "block".to_owned(),
            position: Some([0.0, -60.0, 0.0]),
            rotation: None,
        };
        simulation.apply(&push).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        let moved = simulation
            .scene()
            .part("block")
            .unwrap()
            .placement()
            .position
            .y;
        // 35 mm to the axis, less its radius.
        assert!((-26.0 - 1e-9..=-25.0).contains(&moved), "{moved}");
    }
}
