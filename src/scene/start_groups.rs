//! What starts in contact, as one line for each cable and part: how deep, where, what is done about it, what could be.

use std::ops::Range;

use super::start_contacts::{depth_of, window};
use super::{Cable, Command, Exclusion, Simulation, StartContact, StartReason};
use crate::contact::Obstacle;
use crate::geom::Vec3;

/// What is to happen where a cable and a part overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartChoice {
    /// The stretches that overlap now, and a little on both sides of each, do not see the part.
    ExcludeHere,
    /// The part holds the cable: it is pushed out, or where that cannot be, free until it is clear.
    Collide,
    /// The whole cable passes through the part.
    LetPass,
}

impl StartChoice {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::ExcludeHere, Self::Collide, Self::LetPass];
}

/// All that is too near between one cable and one part.
#[derive(Clone, Debug, PartialEq)]
pub struct StartGroup {
    /// Name of the cable.
    pub cable: String,
    /// Name of the part.
    pub part: String,
    /// The gravest reason of its stretches.
    pub reason: StartReason,
    /// Stretches of arc length that overlap, mm; those that are too near or excluded where none overlaps.
    pub stretches: Vec<[f64; 2]>,
    /// How deep the surface of the cable is inside the part, mm; 0 where it is clear.
    pub depth: f64,
    /// How deep its centerline is, mm; 0 where that is outside.
    pub centerline_depth: f64,
    /// The deepest place, on the centerline.
    pub at: Vec3,
    /// What is chosen now.
    pub choice: StartChoice,
}

impl StartGroup {
    /// Arc lengths of the first and the last place, mm.
    pub fn range(&self) -> [f64; 2] {
        let ends = |k: usize| self.stretches.iter().map(move |s| s[k]);
        [
            ends(0).fold(f64::INFINITY, f64::min),
            ends(1).fold(0.0, f64::max),
        ]
    }

    /// The edits that make another choice; one after the other.
    pub fn choose(&self, cable: &Cable, choice: StartChoice) -> Vec<Command> {
        let (name, part) = (&self.cable, &self.part);
        let exclusions = match choice {
            StartChoice::Collide => vec![Exclusion::nowhere(name, part)],
            StartChoice::LetPass => vec![Exclusion::everywhere(name, part)],
            StartChoice::ExcludeHere => {
                let all = self.stretches.iter();
                all.map(|stretch| window(cable, part, *stretch, self.centerline_depth))
                    .collect()
            }
        };
        let command = |(k, exclusion)| Command::Exclude {
            exclusion,
            only: k == 0,
        };
        exclusions.into_iter().enumerate().map(command).collect()
    }
}

impl Simulation {
    /// A list of [`Simulation::start_contacts`], grouped by cable and part: the gravest first, then the deepest.
    pub fn start_groups(&self, contacts: &[StartContact]) -> Vec<StartGroup> {
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for contact in contacts {
            let pair = (&contact.cable[..], &contact.part[..]);
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        let group = |&(cable, part): &(&str, &str)| {
            let own = |c: &&StartContact| c.cable == cable && c.part == part;
            let own: Vec<&StartContact> = contacts.iter().filter(own).collect();
            self.start_group(&own)
        };
        let mut groups: Vec<StartGroup> = pairs.iter().filter_map(group).collect();
        groups.sort_by(|a, b| {
            let graver = a.reason.cmp(&b.reason);
            graver.then(b.depth.total_cmp(&a.depth))
        });
        groups
    }

    /// The group of all contacts of one pair.
    fn start_group(&self, contacts: &[&StartContact]) -> Option<StartGroup> {
        let scene = self.scene();
        let first = contacts.first()?;
        let cable = scene.cable(&first.cable)?;
        let part = scene.parts.iter().position(|p| p.name == first.part)?;
        let points = &cable.shape.as_ref()?.points;
        let lengths = cable.edge_lengths();
        let starts: Vec<f64> = std::iter::once(0.0)
            .chain(lengths.iter().scan(0.0, |s, l| {
                *s += l;
                Some(*s)
            }))
            .collect();
        // All edges that one of the contacts reaches.
        let reached = |e: &usize| {
            (contacts.iter()).any(|c| starts[*e] < c.to - 1e-9 && starts[*e + 1] > c.from + 1e-9)
        };
        let n_edges = lengths.len().min(points.len().saturating_sub(1));
        let edges: Vec<usize> = (0..n_edges).filter(reached).collect();
        let found = inside(&self.obstacles()[part], cable.thickest(), points, &edges);
        let arc_lengths = |edges: &Range<usize>| [starts[edges.start], starts[edges.end]];
        let mut stretches: Vec<[f64; 2]> = found.stretches.iter().map(arc_lengths).collect();
        if stretches.is_empty() {
            let clipped = |c: &&StartContact| [c.from, c.to.min(cable.length)];
            stretches = contacts.iter().map(clipped).collect();
        }
        let obstacle = &self.obstacles()[part];
        let deepest = stretches.iter().map(|s| depth_of(cable, obstacle, *s));
        let centerline_depth = deepest.fold(0.0, f64::max);
        let reason = contacts.iter().map(|c| c.reason).min()?;
        let mut excluded = scene.exclusions_of(&first.cable, &first.part);
        let choice = if excluded.any(Exclusion::is_everywhere) {
            StartChoice::LetPass
        } else if reason == StartReason::Excluded {
            StartChoice::ExcludeHere
        } else {
            StartChoice::Collide
        };
        let somewhere = edges.first().map_or(points.first(), |e| points.get(*e));
        Some(StartGroup {
            cable: first.cable.clone(),
            part: first.part.clone(),
            reason,
            stretches,
            depth: found.depth,
            centerline_depth,
            at: found.at.or(somewhere.copied())?,
            choice,
        })
    }
}

/// What of a cable is inside a part.
#[derive(Default)]
struct Inside {
    stretches: Vec<Range<usize>>,
    depth: f64,
    at: Option<Vec3>,
}

/// What of these edges, whose numbers grow, is inside a part.
fn inside(part: &Obstacle, radius: f64, points: &[Vec3], edges: &[usize]) -> Inside {
    let mut found = Inside::default();
    for &e in edges {
        let (a, b) = (&points[e], &points[e + 1]);
        let middle = a.lerp(b, 0.5);
        let (depth, at) = if part.contains(&middle) {
            let to_surface = part.nearest(&middle, &middle, f64::INFINITY);
            (radius + to_surface.map_or(0.0, |n| n.distance), middle)
        } else {
            match part.nearest(a, b, radius) {
                Some(near) => (radius - near.distance, near.on_segment),
                None => continue,
            }
        };
        if depth > found.depth || found.at.is_none() {
            (found.depth, found.at) = (depth.max(0.0), Some(at));
        }
        match found.stretches.last_mut() {
            Some(last) if last.end == e => last.end = e + 1,
            _ => found.stretches.push(e..e + 1),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Aabb;
    use crate::mesh::primitives;
    use crate::scene::demo::demo;
    use crate::scene::{Part, PartRole, Scene};
    use crate::solve::CancelToken;

    /// The demo's cable at rest, and two boxes that it runs through: a connector about its end handle, and an obstacle
    /// from x = 300 to 500.
    fn scene() -> Scene {
        let mut simulation = Simulation::new(demo("box").unwrap()).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        let mut scene = simulation.scene().clone();
        let cuboid = |name: &str, min: [f64; 3], max: [f64; 3]| {
            let (min, max) = (min.into(), max.into());
            Part::new(name, primitives::cuboid(&Aabb { min, max }))
        };
        let points = &scene.cables[0].shape.as_ref().unwrap().points;
        let low = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        let mut plug = cuboid("plug", [770.0, -20.0, 380.0], [830.0, 20.0, 420.0]);
        plug.role = PartRole::Connector;
        let body = cuboid("body", [300.0, -100.0, 0.0], [500.0, 100.0, low + 20.0]);
        scene.parts = vec![plug, body];
        scene
    }

    fn groups(simulation: &Simulation) -> Vec<StartGroup> {
        simulation.start_groups(&simulation.start_contacts())
    }

    fn apply_all(simulation: &mut Simulation, commands: &[Command]) {
        for command in commands {
            simulation.apply(command).unwrap();
        }
    }

    #[test]
    fn a_group_says_where_how_deep_and_what_was_done() {
        let mut simulation = Simulation::new(scene()).unwrap();
        simulation.apply(&Command::ExcludeEntries).unwrap();
        let groups = groups(&simulation);
        let [body, plug] = &groups[..] else {
            panic!("{groups:?}");
        };
        assert_eq!((&body.part[..], &plug.part[..]), ("body", "plug"));
        assert_eq!(body.reason, StartReason::Overlaps);
        assert_eq!(body.choice, StartChoice::Collide);
        assert_eq!(plug.reason, StartReason::Excluded);
        assert_eq!(plug.choice, StartChoice::ExcludeHere);
        // The lowest point is 20 mm below the top: the surface one radius more.
        let radius = simulation.scene().cables[0].radius;
        assert!((body.depth - (20.0 + radius)).abs() < 0.5, "{body:?}");
        // It hangs from x = 0 to 800 and is longest in the middle.
        assert_eq!(body.stretches.len(), 1);
        let [from, to] = body.range();
        let length = simulation.scene().cables[0].length;
        assert!(from > 0.25 * length && to < 0.75 * length && to - from > 60.0);
        assert!((body.at.x - 400.0).abs() < 20.0);
        assert!(plug.range()[1] > length - 1e-6);
    }

    #[test]
    fn each_choice_does_what_it_says_and_lasts() {
        let mut simulation = Simulation::new(scene()).unwrap();
        simulation.apply(&Command::ExcludeEntries).unwrap();
        let cable = simulation.scene().cables[0].clone();
        let find = |simulation: &Simulation, part: &str| {
            let all = groups(simulation);
            all.into_iter().find(|g| g.part == part).unwrap()
        };
        for choice in [
            StartChoice::LetPass,
            StartChoice::ExcludeHere,
            StartChoice::Collide,
            StartChoice::ExcludeHere,
        ] {
            let before = find(&simulation, "body");
            apply_all(&mut simulation, &before.choose(&cable, choice));
            let after = find(&simulation, "body");
            assert_eq!(after.choice, choice);
            let excluded = after.reason == StartReason::Excluded;
            assert_eq!(excluded, choice != StartChoice::Collide);
            assert!((after.depth - before.depth).abs() < 1e-9);
            let ignored = &simulation.solvers()[0].problem().ignored;
            let body = ignored.iter().find(|i| i.obstacle == 1);
            let edges = body.map_or(0, |i| i.edges.len());
            match choice {
                StartChoice::LetPass => assert_eq!(edges, cable.n_edges),
                StartChoice::ExcludeHere => assert!(edges > 5 && edges < cable.n_edges / 2),
                StartChoice::Collide => assert_eq!(edges, 0),
            }
        }
        // A connector that is to collide is not let in again by the defaults.
        let plug = find(&simulation, "plug");
        apply_all(&mut simulation, &plug.choose(&cable, StartChoice::Collide));
        simulation.apply(&Command::ExcludeEntries).unwrap();
        assert_eq!(find(&simulation, "plug").choice, StartChoice::Collide);
        assert_eq!(simulation.entries(), []);
    }
}
