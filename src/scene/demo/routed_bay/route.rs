//! Lays the harness and the ground cable of the control unit, with their connectors and clips.

use super::super::shapes::along;
use super::branches::{Branch, CLIPS, CONNECTORS, MEET, branches, ground};
use super::fittings::{clip, plug};
use super::unit::{self, STUD};
use super::{GROUND, LOOM};
use crate::geom::{Pose, Vec3};
use crate::rod::RodState;
use crate::scene::{
    Cable, HandlePlace, Harness, HarnessNode, Junction, JunctionEnd, Piece, RestShape, Scene,
    Segment,
};

/// An end of a cable: the node that it is at, its handle, and where that is.
type End = (&'static str, JunctionEnd, Pose);

/// Lays all of it.
pub(super) fn route(scene: &mut Scene) {
    let mut nodes: Vec<HarnessNode> = Vec::new();
    let mut segments = Vec::new();
    let mut ends: Vec<End> = Vec::new();
    for branch in branches() {
        let mut number = |name: &str, at: &Vec3| {
            let known = nodes.iter().position(|n| n.name == name);
            known.unwrap_or_else(|| {
                nodes.push(HarnessNode {
                    name: name.to_owned(),
                    position: *at,
                });
                nodes.len() - 1
            })
        };
        let last = branch.way[branch.way.len() - 1];
        segments.push(Segment {
            name: branch.name.to_owned(),
            start: number(branch.ends[0], &branch.way[0]),
            end: number(branch.ends[1], &last),
            pieces: vec![Piece::Flexible {
                cable: branch.name.to_owned(),
            }],
        });
        let mut cable = cable_along(scene, &branch);
        cable.color = Some(LOOM);
        ends.extend(fasten(scene, &branch, cable));
    }
    scene.harnesses.push(Harness {
        name: "engine harness".to_owned(),
        space: crate::mesh::import::SourceSpace::default(),
        nodes,
        segments,
    });
    let branch = ground();
    let mut cable = cable_along(scene, &branch);
    cable.color = Some(GROUND);
    cable.rest = RestShape::Straight;
    ends.extend(fasten(scene, &branch, cable));

    for meeting in MEET {
        let pose = along(meeting.at, meeting.direction);
        let mut junction = junction(meeting.name, pose, &ends, &[meeting.name]);
        junction.free = meeting.free;
        scene.junctions.push(junction);
    }
    // Its ball is between the plugs, clear of the arrows of the unit.
    let pose = along([-376.0, -312.0, 391.0], [0.0, 0.0, 1.0]);
    let mut body = junction(unit::NAME, pose, &ends, &["unit", "unit ground"]);
    body.carries = unit::CARRIED.map(str::to_owned).to_vec();
    scene.junctions.push(body);
}

/// The junction of the ends at some nodes.
fn junction(name: &str, pose: Pose, ends: &[End], nodes: &[&str]) -> Junction {
    let own = ends.iter().filter(|(node, ..)| nodes.contains(node));
    Junction {
        name: name.to_owned(),
        pose,
        ends: own
            .map(|(_, end, held)| JunctionEnd {
                in_junction: pose.inverse().compose(held),
                ..end.clone()
            })
            .collect(),
        carries: Vec::new(),
        free: false,
        mass_kg: 0.0,
    }
}

/// Adds a cable with the connectors at its ends and its clips.
fn fasten(scene: &mut Scene, branch: &Branch, mut cable: Cable) -> Vec<End> {
    let mut ends = Vec::new();
    for (node, handle) in branch.ends.iter().zip(&mut cable.handles) {
        if let Some((name, _, size)) = CONNECTORS.iter().find(|c| c.1 == *node) {
            handle.attached_to = Some((*name).to_owned());
            let out = if handle.place == HandlePlace::Start {
                -1.0
            } else {
                1.0
            };
            scene.parts.push(plug(name, &handle.pose, out, *size));
        } else if *node == STUD {
            handle.attached_to = Some(STUD.to_owned());
        }
        let end = JunctionEnd {
            cable: branch.name.to_owned(),
            handle: handle.name.clone(),
            in_junction: Pose::identity(),
        };
        ends.push((*node, end, handle.pose));
    }
    for (k, (_, share)) in CLIPS.iter().enumerate().filter(|(_, c)| c.0 == branch.name) {
        clip(scene, &mut cable, k + 1, *share);
    }
    scene.cables.push(cable);
    ends
}

/// A cable that lies along a line and keeps its form.
fn cable_along(scene: &Scene, branch: &Branch) -> Cable {
    let (way, radius) = (&branch.way, branch.radius);
    let steps = way.windows(2).map(|w| (w[1] - w[0]).norm());
    let length: f64 = steps.clone().sum();
    let n = (length / radius).round().clamp(24.0, 120.0) as usize;
    let at = |s: f64| {
        let mut left = s;
        for w in way.windows(2) {
            let step = (w[1] - w[0]).norm();
            if left <= step {
                return w[0] + (w[1] - w[0]) * (left / step);
            }
            left -= step;
        }
        way[way.len() - 1]
    };
    let points: Vec<Vec3> = (0..=n).map(|i| at(length * i as f64 / n as f64)).collect();
    let edges: Vec<f64> = points.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
    let out = [way[1] - way[0], way[way.len() - 1] - way[way.len() - 2]];
    let state = RodState::between(points, out.map(Some));
    let found = scene
        .material(branch.material)
        .expect("a built-in material");
    let length = edges.iter().sum();
    let section = found.section(radius);
    let mut cable = Cable::standing(branch.name, radius, length, section, state);
    cable.spacing = Some(edges);
    cable.material = Some(found.name.clone());
    cable.mould().expect("a rod made by code is valid");
    cable
}
