//! The shortest length with which a cable meets its limits: bend radius, clearance, pull.

use super::findings::{Finding, FindingKind, Severity, judge};
use super::slack::StretchEnd;
use super::{Command, Scene, Simulation};
use crate::solve::CancelToken;

/// Lengths that can be ordered are multiples of this, mm.
pub const ROUND_TO: f64 = 5.0;
/// The shortest length is found to so many mm.
const FINE: f64 = 0.5;
/// Times that the length is made longer, or shorter, before giving up.
const MOST_STEPS: usize = 24;
/// The longest length that is tried, over that which there is or which is needed to reach.
const LONGEST: f64 = 5.0;
/// Steps of the solver for one length.
const SOLVES: usize = 4;

/// A length, and what the cable is like with it.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthRow {
    /// Rest length from seat to seat, mm.
    pub length: f64,
    /// Smallest bend radius, measured as the cable's limit is, mm; infinite where it is straight.
    pub radius: f64,
    /// Smallest distance to a part, mm.
    pub clearance: Option<f64>,
    /// Force of the handles at the start and at the end, N.
    pub end_forces: [Option<f64>; 2],
    /// What is wrong with it.
    pub errors: Vec<Finding>,
}

/// What was found for a cable.
#[derive(Clone, Debug, PartialEq)]
pub struct LengthProposal {
    /// As it is.
    pub now: LengthRow,
    /// The shortest that meets the limits, to half a mm.
    pub shortest: LengthRow,
    /// That rounded up to what can be ordered.
    pub proposed: LengthRow,
}

/// Why no length could be proposed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LengthError {
    /// There is no such cable, or it is not held at two places.
    #[error("cable \"{0}\" is not there, or not held in two places: its length cannot be found")]
    NotHeld(String),
    /// The scene cannot be solved.
    #[error("{0}")]
    Unsolvable(String),
    /// No length was good.
    #[error("no length of cable \"{cable}\" up to {longest:.0} mm meets its limits: {why}")]
    None {
        /// The cable.
        cable: String,
        /// The longest that was tried, mm.
        longest: f64,
        /// What was wrong with it.
        why: String,
    },
}

/// The search: the cable alone among the parts, without friction, so that the way it was dragged does not count.
struct Search<'a> {
    cable: String,
    /// From handle to handle in straight lines, mm: shorter, it would only be stretched.
    least: f64,
    cancel: &'a CancelToken,
}

impl Search<'_> {
    fn too_short(&self, simulation: &Simulation) -> Finding {
        let cable = &simulation.scene().cables[0];
        let what = format!(
            "cable \"{}\" of {:.1} mm is shorter than the straight distance of {:.1} mm",
            cable.name,
            cable.seat_to_seat(),
            self.least
        );
        Finding::of(FindingKind::Overstretched, Severity::Error, cable, what)
    }

    /// Another length, from the state of `from`.
    fn at(&self, from: &Simulation, length: f64) -> Result<(Simulation, LengthRow), LengthError> {
        let mut simulation = from.clone();
        let set = Command::SetLength {
            cable: self.cable.clone(),
            length,
        };
        let refused = |e: &dyn std::fmt::Display| LengthError::Unsolvable(e.to_string());
        simulation.apply(&set).map_err(|e| refused(&e))?;
        let mut row = self.solved(&mut simulation);
        if length < self.least {
            row.errors.push(self.too_short(&simulation));
        }
        Ok((simulation, row))
    }

    fn solved(&self, simulation: &mut Simulation) -> LengthRow {
        let mut reports = simulation.solve_quietly(self.cancel);
        for _ in 1..SOLVES {
            let status = reports[0].report.status;
            if status != crate::solve::Status::NotConverged {
                break;
            }
            reports = simulation.solve_quietly(self.cancel);
        }
        let mut errors = judge(simulation, &reports);
        errors.retain(|f| f.severity == Severity::Error && is_of_length(f.kind));
        let cable = &simulation.scene().cables[0];
        let force = |place| {
            let k = cable.handles.iter().position(|h| h.place == place)?;
            Some(reports[0].report.handles.get(k)?.force.norm())
        };
        let near = simulation.clearances(f64::INFINITY);
        LengthRow {
            length: cable.seat_to_seat(),
            radius: cable
                .worst_bend()
                .map_or(f64::INFINITY, |bend| bend.measured),
            clearance: near.iter().map(|c| c.distance).min_by(f64::total_cmp),
            end_forces: [
                force(super::HandlePlace::Start),
                force(super::HandlePlace::End),
            ],
            errors,
        }
    }
}

/// Whether another length may mend it: twist comes from how the ends are turned, and a fixing to be looked at stays one.
fn is_of_length(kind: FindingKind) -> bool {
    !matches!(
        kind,
        FindingKind::Twist | FindingKind::ReferenceChanged | FindingKind::MissingPart
    )
}

/// The shortest length of a cable that meets its limits where its handles are, and that rounded up to `round_to` mm.
///
/// Other cables are left out of account, and so is friction. One mm less than `shortest` does not meet the limits.
pub fn shortest_length(
    scene: &Scene,
    cable: &str,
    round_to: f64,
    cancel: &CancelToken,
) -> Result<LengthProposal, LengthError> {
    let alone = alone(scene, cable).ok_or_else(|| LengthError::NotHeld(cable.to_owned()))?;
    let least = straight_way(&alone);
    let search = Search {
        cable: cable.to_owned(),
        least,
        cancel,
    };
    let unsolvable = |e: &dyn std::fmt::Display| LengthError::Unsolvable(e.to_string());
    let mut first = Simulation::new(alone).map_err(|e| unsolvable(&e))?;
    first
        .apply(&Command::ExcludeEntries)
        .map_err(|e| unsolvable(&e))?;
    let now = search.solved(&mut first);
    let (mut good, mut best, mut bad) = if now.errors.is_empty() {
        shorter(&search, first, now.clone(), least)?
    } else {
        longer(&search, first, &now, least)?
    };
    let own = &good.scene().cables[0];
    let limit = own.worst_bend().and_then(|bend| bend.limit);
    for step in 0..MOST_STEPS {
        if best.length - bad.length > FINE {
            let next = between(&bad, &best, limit, step);
            let (simulation, row) = search.at(&good, next)?;
            if row.errors.is_empty() {
                (good, best) = (simulation, row);
            } else {
                bad = Bad::of(&row);
            }
            continue;
        }
        // What is good and bad may take turns: one mm less must be bad.
        let less = best.length - 1.0;
        let (simulation, row) = search.at(&good, less)?;
        if !row.errors.is_empty() {
            break;
        }
        (good, best, bad) = (simulation, row, Bad::at(least));
    }
    let mut proposed = best.clone();
    let mut length = (best.length / round_to).ceil() * round_to;
    for _ in 0..MOST_STEPS {
        (good, proposed) = search.at(&good, length)?;
        if proposed.errors.is_empty() {
            break;
        }
        length += round_to;
    }
    if !proposed.errors.is_empty() {
        return Err(none(cable, &proposed));
    }
    Ok(LengthProposal {
        now,
        shortest: best,
        proposed,
    })
}

/// A length that is too short, and its bend radius where that alone is what is wrong.
#[derive(Clone, Copy)]
struct Bad {
    length: f64,
    radius: Option<f64>,
}

impl Bad {
    fn at(length: f64) -> Self {
        Self {
            length,
            radius: None,
        }
    }

    fn of(row: &LengthRow) -> Self {
        let bends = |f: &Finding| f.kind == FindingKind::BendRadius;
        Self {
            length: row.length,
            radius: row.errors.iter().all(bends).then_some(row.radius),
        }
    }
}

/// The length to try next between a bad and a good one. Where the bend radius decides, a straight line between the two
/// meets the limit nearly; a little more than that is probably good, and then a little less than the good one bad. Every
/// third time it is the middle, whatever the line says.
fn between(bad: &Bad, good: &LengthRow, limit: Option<f64>, step: usize) -> f64 {
    let width = good.length - bad.length;
    let middle = bad.length + 0.5 * width;
    let (Some(radius), Some(limit)) = (bad.radius, limit) else {
        return middle;
    };
    let share = (limit - radius) / (good.radius - radius);
    if step % 3 == 2 || width < 1.5 * FINE || !(0.0..=1.0).contains(&share) {
        return middle;
    }
    let met = bad.length + share * width + 0.3 * FINE;
    met.clamp(bad.length + 0.3 * FINE, good.length - 0.9 * FINE)
}

/// Made longer until it is good: the good state, its row, and the longest length that was bad.
fn longer(
    search: &Search,
    first: Simulation,
    now: &LengthRow,
    least: f64,
) -> Result<(Simulation, LengthRow, Bad), LengthError> {
    let (mut from, mut bad) = (first, Bad::of(now));
    let mut row = now.clone();
    let mut step = 0.01 * now.length.max(least);
    for _ in 0..MOST_STEPS {
        let length = bad.length.max(least) + step;
        if length > LONGEST * now.length.max(least) {
            break;
        }
        (from, row) = search.at(&from, length)?;
        if row.errors.is_empty() {
            return Ok((from, row, bad));
        }
        (bad, step) = (Bad::of(&row), 1.6 * step);
        if search.cancel.is_cancelled() {
            break;
        }
    }
    // What was wrong at the outset and still is, is why; a cable far too long has other faults as well.
    let stays = |f: &Finding| now.errors.iter().any(|n| n.kind == f.kind);
    row.errors.sort_by_key(|f| !stays(f));
    Err(none(&search.cable, &row))
}

/// Made shorter until it is bad: the last good state, its row, and the length that was bad.
fn shorter(
    search: &Search,
    first: Simulation,
    now: LengthRow,
    least: f64,
) -> Result<(Simulation, LengthRow, Bad), LengthError> {
    let (mut good, mut best) = (first, now);
    let mut step = 0.01 * best.length;
    for _ in 0..MOST_STEPS {
        let length = best.length - step;
        if length <= least {
            break;
        }
        let (simulation, row) = search.at(&good, length)?;
        if !row.errors.is_empty() {
            return Ok((good, best, Bad::of(&row)));
        }
        (good, best, step) = (simulation, row, 1.6 * step);
    }
    Ok((good, best, Bad::at(least)))
}

fn none(cable: &str, row: &LengthRow) -> LengthError {
    let why = row.errors.first().map(|f| f.what.clone());
    LengthError::None {
        cable: cable.to_owned(),
        longest: row.length,
        why: why.unwrap_or_default(),
    }
}

/// The scene with that cable alone, without friction and with a length that can be set.
pub(super) fn alone(scene: &Scene, cable: &str) -> Option<Scene> {
    let mut found = scene.cable(cable).filter(|c| c.handles.len() > 1)?.clone();
    found.free_length = None;
    found.length_locked = false;
    let mut alone = scene.clone();
    alone.cables = vec![found];
    alone.junctions.clear();
    alone.harnesses.clear();
    alone.exclusions.retain(|e| e.cable == cable);
    alone.friction = 0.0;
    Some(alone)
}

/// From handle to handle in straight lines, with the fittings: no cable is shorter, from seat to seat.
fn straight_way(alone: &Scene) -> f64 {
    let cable = &alone.cables[0];
    let mut held: Vec<_> = cable.handles.iter().collect();
    held.sort_by(|a, b| cable.arc_length(a).total_cmp(&cable.arc_length(b)));
    let at = |handle| StretchEnd::of(cable, handle).position;
    let way = held.windows(2).map(|h| (at(h[1]) - at(h[0])).norm());
    way.sum::<f64>() / cable.growth() + cable.fitting_length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Aabb, Pose, Vec3, rotation_along};
    use crate::mesh::primitives;
    use crate::scene::{BendLimit, Cable, CableSection, Handle, HandlePlace, Part};

    fn cable(ends: [([f64; 3], [f64; 3]); 2], length: f64, limit: f64) -> Cable {
        let section = CableSection {
            bending: 2000.0,
            bending2: None,
            torsion: 1500.0,
            axial: 20_000.0,
            mass_kg_m: 0.05,
        };
        let mut cable = Cable::new("hose", 4.0, length, section);
        cable.n_edges = 80;
        cable.bend_limit = BendLimit::centerline(limit);
        let pose = |(at, along): ([f64; 3], [f64; 3])| Pose {
            position: at.into(),
            rotation: rotation_along(&along.into()).unwrap(),
        };
        cable.handles = vec![
            Handle::at_end(HandlePlace::Start, pose(ends[0])),
            Handle::at_end(HandlePlace::End, pose(ends[1])),
        ];
        cable
    }

    /// Ten places for a cable: free, round a post, through a hole.
    fn scenes() -> Vec<Scene> {
        let up = [0.0, 0.0, 1.0];
        let down = [0.0, 0.0, -1.0];
        let along = [1.0, 0.0, 0.0];
        let mut scenes = Vec::new();
        // Up and down again, from too long, from too short, and with other limits.
        for (span, length, limit) in [
            (300.0, 700.0, 40.0),
            (300.0, 340.0, 40.0),
            (200.0, 500.0, 60.0),
            (400.0, 600.0, 25.0),
        ] {
            let ends = [([0.0, 0.0, 0.0], up), ([span, 0.0, 0.0], down)];
            scenes.push(Scene {
                cables: vec![cable(ends, length, limit)],
                ..Scene::default()
            });
        }
        // Straight on, with an offset.
        for (offset, limit) in [(80.0, 50.0), (150.0, 70.0)] {
            let ends = [([0.0, 0.0, 0.0], along), ([400.0, offset, 0.0], along)];
            scenes.push(Scene {
                cables: vec![cable(ends, 520.0, limit)],
                ..Scene::default()
            });
        }
        // Over a post that lies across, near enough to be touched by a short cable.
        for height in [20.0, 45.0] {
            let ends = [([0.0, 0.0, 0.0], along), ([400.0, 0.0, 0.0], along)];
            let mut scene = Scene {
                cables: vec![cable(ends, 520.0, 30.0)],
                ..Scene::default()
            };
            scene.cables[0].shape = None;
            let post = primitives::cylinder(
                &Vec3::new(200.0, -100.0, -60.0 + height - 45.0),
                &Vec3::new(0.0, 200.0, 0.0),
                20.0,
                32,
                1,
            );
            scene.parts.push(Part::new("post", post));
            scene.required.others = 3.0;
            scenes.push(scene);
        }
        // Through a hole in a wall.
        for limit in [30.0, 50.0] {
            let ends = [([0.0, 0.0, 0.0], along), ([400.0, 60.0, 0.0], along)];
            let mut scene = Scene {
                cables: vec![cable(ends, 480.0, limit)],
                ..Scene::default()
            };
            let wall = primitives::sheet_with_hole(
                &Vec3::new(200.0, -170.0, -200.0),
                &Vec3::new(0.0, 400.0, 0.0),
                &Vec3::new(0.0, 0.0, 400.0),
                [200.0, 200.0],
                60.0,
                48,
            );
            scene.parts.push(Part::new("wall", wall));
            scenes.push(scene);
        }
        scenes
    }

    #[test]
    fn the_shortest_length_meets_the_limits_and_one_mm_less_does_not() {
        let scenes = scenes();
        assert_eq!(scenes.len(), 10);
        for (k, scene) in scenes.iter().enumerate() {
            let started = std::time::Instant::now();
            let found = shortest_length(scene, "hose", ROUND_TO, &CancelToken::default());
            // To be read with --nocapture; a busy machine takes longer.
            println!("scene {k}: {:.3} s", started.elapsed().as_secs_f64());
            let found = found.unwrap_or_else(|e| panic!("scene {k}: {e}"));
            let (shortest, proposed) = (&found.shortest, &found.proposed);
            assert!(shortest.errors.is_empty() && proposed.errors.is_empty());
            assert!(proposed.length >= shortest.length);
            assert!((proposed.length / ROUND_TO).fract().abs() < 1e-9);
            // Solved by itself, the proposed one is good; one mm less than the shortest is not, or cannot be.
            let errors = |length: f64| {
                let mut alone = super::alone(scene, "hose").unwrap();
                alone.cables[0].length = found.now.length - alone.cables[0].fitting_length();
                let search = Search {
                    cable: "hose".to_owned(),
                    least: straight_way(&alone),
                    cancel: &CancelToken::default(),
                };
                let mut simulation = Simulation::new(alone).unwrap();
                search.solved(&mut simulation);
                search.at(&simulation, length).unwrap().1.errors
            };
            let bad = errors(shortest.length - 1.0);
            assert!(
                !bad.is_empty(),
                "scene {k}: {:.2} is good too",
                shortest.length - 1.0
            );
            let good = errors(proposed.length);
            assert!(good.is_empty(), "scene {k}: {good:?}");
        }
    }

    /// "No length up to 2349 mm meets its limits": the hose was twisted, which no length mends.
    #[test]
    fn what_no_length_mends_does_not_keep_one_from_being_found() {
        let scene = scenes().remove(0);
        let found = |scene: &Scene| {
            let found = shortest_length(scene, "hose", ROUND_TO, &CancelToken::default());
            found.unwrap().proposed.length
        };
        let mut twisted = scene.clone();
        let cable = &mut twisted.cables[0];
        cable.material = Some("EPDM coolant hose".to_owned());
        cable.handles[1].reference_changed = true;
        let turn = crate::geom::Rotation::from_scaled_axis(Vec3::z() * 0.3);
        cable.handles[1].pose.rotation *= turn;
        assert!((found(&twisted) - found(&scene)).abs() <= 2.0 * ROUND_TO);
    }

    #[test]
    fn a_limit_that_no_length_meets_is_said() {
        let mut scene = scenes().remove(0);
        // In a wall that is nearer than required, however long.
        let wall = Aabb {
            min: Vec3::new(-50.0, -100.0, -20.0),
            max: Vec3::new(350.0, 100.0, -5.0),
        };
        scene
            .parts
            .push(Part::new("floor", primitives::cuboid(&wall)));
        scene.required.others = 500.0;
        let error = shortest_length(&scene, "hose", 5.0, &CancelToken::default()).unwrap_err();
        assert!(error.to_string().contains("floor"), "{error}");
        assert!(matches!(
            shortest_length(&scene, "nothing", 5.0, &CancelToken::default()),
            Err(LengthError::NotHeld(_))
        ));
    }
}
