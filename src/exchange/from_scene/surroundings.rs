//! What is around the routes of a scene: nodes, fixings, connectors.

use super::{Plan, PlanPiece, curve_of};
use crate::exchange::Route;
use crate::exchange::network::{Connector, Fixing, Network, Node};
use crate::scene::{Cable, Handle, HandleKind, HandlePlace, PartRole, Scene, free_name};

/// Ids of the nodes at the ends of a cable that is in no harness: its junctions, or places of their own where it
/// ends in a connector.
pub fn ends_of(scene: &Scene, cable: &Cable) -> [Option<String>; 2] {
    [HandlePlace::Start, HandlePlace::End].map(|place| {
        let handle = cable.handle_at(place)?;
        let mut junctions = scene.junctions.iter();
        match junctions.find(|j| j.holds(&cable.name, &handle.name)) {
            Some(junction) => Some(junction.name.clone()),
            None => connector_at(scene, handle).map(|_| format!("{} {}", cable.name, handle.name)),
        }
    })
}

/// The name of the connector that a handle is in.
fn connector_at<'a>(scene: &Scene, handle: &'a Handle) -> Option<&'a str> {
    let name = handle.attached_to.as_deref()?;
    let is_connector = scene.part(name)?.role == PartRole::Connector;
    is_connector.then_some(name)
}

/// Adds the nodes at the ends of segment `number`, the connectors there and the fixings along it.
pub fn add(scene: &Scene, plan: &Plan, number: usize, network: &mut Network<Route>) {
    let segment = &network.segments[number];
    let (label, curve) = (segment.label.clone(), &segment.route.curve);
    let places = [curve.start().position, curve.end().position];
    let length = segment.route.length;
    for (which, id) in label.ends().into_iter().enumerate() {
        let Some(id) = id else { continue };
        if network.node(id).is_none() {
            let prefix = label.harness.as_ref().map(|h| format!("{h} "));
            let name = prefix.and_then(|prefix| id.strip_prefix(&prefix));
            network.nodes.push(Node {
                id: id.to_owned(),
                name: name.unwrap_or(id).to_owned(),
                harness: label.harness.clone(),
                position: places[which],
            });
            // What a junction carries hangs at its node.
            let junction = scene.junctions.iter().find(|j| j.name == id);
            for part in junction.into_iter().flat_map(|j| &j.carries) {
                add_connector(scene, part, id, network);
            }
        }
    }
    let mut from = 0.0;
    for (i, piece) in plan.pieces.iter().enumerate() {
        let cable = match piece {
            PlanPiece::Rigid(points, _) => {
                from += points.windows(2).map(|p| (p[1] - p[0]).norm()).sum::<f64>();
                continue;
            }
            PlanPiece::Cable(cable) => &scene.cables[*cable],
        };
        let to = from + curve_of(cable).map_or(cable.length, |curve| curve.length());
        let is_outer = [i == 0, i + 1 == plan.pieces.len()];
        for handle in &cable.handles {
            let (at, end) = match handle.place {
                HandlePlace::Start => (from, is_outer[0].then_some(0)),
                HandlePlace::End => (to, is_outer[1].then_some(1)),
                HandlePlace::At(s) => (from + (to - from) * s / cable.length, None),
            };
            if let Some(end) = end {
                let node = label.ends()[end];
                if let (Some(part), Some(node)) = (connector_at(scene, handle), node) {
                    add_connector(scene, part, node, network);
                    continue;
                }
                let follows = (scene.junctions.iter()).any(|j| j.holds(&cable.name, &handle.name));
                // The route itself says where a plain end is.
                if follows || handle.kind == HandleKind::Full && handle.attached_to.is_none() {
                    continue;
                }
            }
            add_fixing(handle, &label.id, at.min(length), from, network);
        }
        from = to;
    }
}

fn add_fixing(handle: &Handle, segment: &str, at: f64, from: f64, network: &mut Network<Route>) {
    let wanted = format!("{segment} {}", handle.name);
    let is_taken = |id: &str| network.fixings.iter().any(|f| f.id == id);
    network.fixings.push(Fixing {
        id: free_name(&wanted, is_taken),
        name: handle.name.clone(),
        segment: segment.to_owned(),
        at,
        kind: match handle.kind {
            HandleKind::Sliding { min, max } => HandleKind::Sliding {
                min: min + from,
                max: max + from,
            },
            kind => kind,
        },
        pose: handle.pose,
        turns: handle.turns,
        part: handle.attached_to.clone(),
    });
}

fn add_connector(scene: &Scene, name: &str, node: &str, network: &mut Network<Route>) {
    let Some(part) = scene.part(name) else { return };
    let is_there = |c: &Connector| c.name == name && c.node == node;
    if part.role != PartRole::Connector || network.connectors.iter().any(is_there) {
        return;
    }
    // One with several cables is at several nodes.
    let is_taken = |id: &str| network.connectors.iter().any(|c| c.id == id);
    network.connectors.push(Connector {
        id: free_name(name, is_taken),
        name: name.to_owned(),
        node: node.to_owned(),
        pose: *part.placement(),
    });
}
