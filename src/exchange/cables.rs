//! Cables along routes that were read from files.

use std::collections::{BTreeSet, HashMap};

use super::import::ImportedRoute;
use super::network::{Fixing, Network};
use crate::geom::{Pose, Rotation};
use crate::mesh::import::SourceSpace;
use crate::rod::RodState;
use crate::scene::flexibilise::DEFAULT_MATERIAL;
use crate::scene::{
    Addition, Cable, CableSection, Handle, HandlePlace, Harness, HarnessNode, Junction,
    JunctionEnd, Material, Piece, Scene, Segment, free_name,
};

/// Diameter of cables where neither file nor user says one, mm.
pub const USUAL_DIAMETER: f64 = 8.0;

/// Fewest and most edges of a new cable. In between, edges are as long as the radius.
const N_EDGES: [f64; 2] = [24.0, 300.0];

/// A fixing within this share of the length from an end holds the end.
const END_SHARE: f64 = 1e-6;

/// What cables along routes are to be.
#[derive(Clone, Debug, PartialEq)]
pub struct CableChoice {
    /// Stiffness, mass, smallest bend radius.
    pub material: Material,
    /// Outer radius where the file states none, mm.
    pub radius: f64,
    /// The route is the shape without load, as of a moulded hose; else the cable is straight without load.
    pub keep_shape: bool,
}

impl CableChoice {
    /// A taped bundle of the usual diameter, straight without load.
    pub fn usual(scene: &Scene) -> Option<Self> {
        Some(Self {
            material: scene.material(DEFAULT_MATERIAL)?,
            radius: 0.5 * USUAL_DIAMETER,
            keep_shape: false,
        })
    }
}

impl CableChoice {
    /// What the cable of a route is to be: of the material that the file says, where the scene or the library has it.
    #[must_use]
    pub fn with_material_of(&self, route: &ImportedRoute, scene: &Scene) -> Self {
        let own = route.material.as_deref();
        Self {
            material: (own.and_then(|name| scene.material(name)))
                .unwrap_or_else(|| self.material.clone()),
            ..self.clone()
        }
    }
}

/// The cable of a route, held at both ends in the route's directions, as long as the route.
pub fn cable_of(route: &ImportedRoute, choice: &CableChoice) -> Cable {
    let radius = route.radius.unwrap_or(choice.radius);
    let [fewest, most] = N_EDGES;
    let n_edges = (route.length / radius).round().clamp(fewest, most) as usize;
    let mut cable = cable_along(route, radius, choice.material.section(radius), n_edges);
    cable.material = Some(choice.material.name.clone());
    cable.bend_limit = choice.material.bend_limit(2.0 * radius);
    if choice.keep_shape {
        // A route that makes no rod is straight without load.
        let _ = cable.mould();
    }
    cable
}

/// The cables of a network that was read, with its fixings, junctions and harnesses, ready to be added to a scene; and
/// what of it cannot be: parts that the scene does not have.
///
/// `choice` says what the cable of each route is to be.
pub fn added(
    network: &Network<ImportedRoute>,
    scene: &Scene,
    mut choice: impl FnMut(&ImportedRoute) -> CableChoice,
) -> (Addition, Vec<String>) {
    let mut addition = Addition::default();
    let mut missing: BTreeSet<String> = BTreeSet::new();
    let mut part = |name: &str| {
        if scene.part(name).is_some() {
            return Some(name.to_owned());
        }
        missing.insert(name.to_owned());
        None
    };
    let mut fixings: HashMap<&str, Vec<&Fixing>> = HashMap::new();
    for fixing in &network.fixings {
        fixings.entry(&fixing.segment).or_default().push(fixing);
    }
    for segment in &network.segments {
        let mut cable = cable_of(&segment.route, &choice(&segment.route));
        for fixing in fixings
            .remove(segment.label.id.as_str())
            .unwrap_or_default()
        {
            let on = fixing.part.as_deref().and_then(&mut part);
            hold(&mut cable, fixing, on);
        }
        for (node, place) in segment.label.ends().into_iter().zip(ENDS) {
            let mut there = network.connectors.iter();
            let connector = node.and_then(|node| there.find(|c| c.node == node));
            let on = connector.and_then(|c| part(&c.name));
            if let Some(handle) = cable.handles.iter_mut().find(|h| h.place == place)
                && on.is_some()
            {
                handle.attached_to = on;
            }
        }
        addition.cables.push(cable);
    }
    addition.junctions = junctions_of(network, &addition.cables);
    addition.harnesses = harnesses_of(network, &addition.cables);
    let words = |name: String| {
        format!(
            "the file names the part \"{name}\", which is not in the scene: import it first, and what it holds is \
             attached to it"
        )
    };
    let missing = missing.into_iter().map(words).collect();
    (addition, missing)
}

/// Places of the handles at the ends.
const ENDS: [HandlePlace; 2] = [HandlePlace::Start, HandlePlace::End];

/// Holds a cable along its route by a fixing; one at an end is that end's handle.
fn hold(cable: &mut Cable, fixing: &Fixing, part: Option<String>) {
    let near = END_SHARE * cable.length;
    let place = if fixing.at <= near {
        HandlePlace::Start
    } else if fixing.at < cable.length - near {
        HandlePlace::At(fixing.at)
    } else {
        HandlePlace::End
    };
    cable.handles.retain(|h| h.place != place);
    let is_taken = |name: &str| cable.handles.iter().any(|h| h.name == name);
    cable.handles.push(Handle {
        name: free_name(&fixing.name, is_taken),
        kind: fixing.kind,
        turns: fixing.turns,
        attached_to: part,
        ..Handle::at_end(place, fixing.pose)
    });
}

/// The nodes at which routes of one harness meet again: a junction for each that two or more of these cables end at.
fn junctions_of(network: &Network<ImportedRoute>, cables: &[Cable]) -> Vec<Junction> {
    let mut junctions: Vec<Junction> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    for (segment, cable) in network.segments.iter().zip(cables) {
        for (node, place) in segment.label.ends().into_iter().zip(ENDS) {
            let (Some(node), Some(handle)) = (node, cable.handle_at(place)) else {
                continue;
            };
            let number = *numbers.entry(node).or_insert_with(|| {
                junctions.push(Junction {
                    name: node.to_owned(),
                    pose: Pose {
                        position: handle.pose.position,
                        rotation: Rotation::identity(),
                    },
                    ends: Vec::new(),
                    carries: Vec::new(),
                    free: false,
                    mass_kg: 0.0,
                });
                junctions.len() - 1
            });
            let junction = &mut junctions[number];
            junction.ends.push(JunctionEnd {
                cable: cable.name.clone(),
                handle: handle.name.clone(),
                in_junction: Pose {
                    position: handle.pose.position - junction.pose.position,
                    rotation: handle.pose.rotation,
                },
            });
        }
    }
    junctions.retain(|j| j.ends.len() > 1);
    junctions
}

/// The harnesses that the segments say they belong to, each segment one cable.
fn harnesses_of(network: &Network<ImportedRoute>, cables: &[Cable]) -> Vec<Harness> {
    let mut harnesses: Vec<Harness> = Vec::new();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut node_numbers: HashMap<(usize, &str), usize> = HashMap::new();
    for (segment, cable) in network.segments.iter().zip(cables) {
        let label = &segment.label;
        let (Some(name), Some(from), Some(to)) = (&label.harness, &label.from, &label.to) else {
            continue;
        };
        let number = *numbers.entry(name).or_insert_with(|| {
            harnesses.push(Harness {
                name: name.clone(),
                space: SourceSpace::default(),
                nodes: Vec::new(),
                segments: Vec::new(),
            });
            harnesses.len() - 1
        });
        let harness = &mut harnesses[number];
        let mut node = |id: &'_ str| -> Option<usize> {
            let node = network.node(id)?;
            let known = node_numbers.get(&(number, node.id.as_str())).copied();
            Some(known.unwrap_or_else(|| {
                harness.nodes.push(HarnessNode {
                    name: node.name.clone(),
                    position: node.position,
                });
                node_numbers.insert((number, &node.id), harness.nodes.len() - 1);
                harness.nodes.len() - 1
            }))
        };
        let (Some(start), Some(end)) = (node(from), node(to)) else {
            continue;
        };
        harness.segments.push(Segment {
            name: label.segment.clone().unwrap_or_else(|| cable.name.clone()),
            start,
            end,
            pieces: vec![Piece::Flexible {
                cable: cable.name.clone(),
            }],
        });
    }
    harnesses
}

/// A cable along an imported route, held at both ends in the route's directions, as long as the route.
///
/// Its first shape is the route; the next solve bends it as its stiffness wants.
pub fn cable_along(
    route: &ImportedRoute,
    radius: f64,
    section: CableSection,
    n_edges: usize,
) -> Cable {
    let nodes = route.nodes(n_edges);
    // The end is held as it comes: no roll is asked for that the route does not have.
    let state = RodState::between(nodes.points, nodes.tangents);
    Cable::standing(route.name.clone(), radius, route.length, section, state)
}
