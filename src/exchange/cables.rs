//! Cables along routes that were read from files.

use std::collections::BTreeMap;

use super::import::ImportedRoute;
use crate::geom::{Pose, Rotation, Vec3, rotation_along};
use crate::rod::{Rod, RodState};
use crate::scene::flexibilise::DEFAULT_MATERIAL;
use crate::scene::{
    Cable, CableSection, Command, Handle, HandlePlace, Junction, JunctionEnd, Material, RestShape,
    Scene, Shape, free_name,
};

/// Diameter of cables where neither file nor user says one, mm.
pub const USUAL_DIAMETER: f64 = 8.0;

/// Fewest and most edges of a new cable. In between, edges are as long as the radius.
const N_EDGES: [f64; 2] = [24.0, 300.0];

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

/// The cable of a route, held at both ends in the route's directions, as long as the route.
pub fn cable_of(route: &ImportedRoute, choice: &CableChoice) -> Cable {
    let radius = route.radius.unwrap_or(choice.radius);
    let [fewest, most] = N_EDGES;
    let n_edges = (route.length / radius).round().clamp(fewest, most) as usize;
    let mut cable = cable_along(route, radius, choice.material.section(radius), n_edges);
    cable.material = Some(choice.material.name.clone());
    cable.bend_limit = choice.material.bend_limit();
    if choice.keep_shape {
        mould(&mut cable);
    }
    cable
}

/// The edits that add the routes of a file to a scene: a cable for each, then the junctions at which they meet, all by
/// names that are free in the scene. `choice` says what each cable is to be.
pub fn commands_of(
    scene: &Scene,
    routes: &[ImportedRoute],
    mut choice: impl FnMut(&ImportedRoute) -> CableChoice,
) -> Vec<Command> {
    let mut cables: Vec<Cable> = Vec::new();
    for route in routes {
        let mut cable = cable_of(route, &choice(route));
        let is_taken = |name: &str| {
            scene.cable(name).is_some() || cables.iter().any(|c: &Cable| c.name == name)
        };
        cable.name = free_name(&cable.name, is_taken);
        cables.push(cable);
    }
    let mut junctions = junctions_of(routes, &cables);
    for k in 0..junctions.len() {
        let is_taken = |name: &str| {
            let known = scene.junctions.iter().chain(&junctions[..k]);
            known.into_iter().any(|j| j.name == name)
        };
        junctions[k].name = free_name(&junctions[k].name, is_taken);
    }
    let cables = cables.into_iter().map(|cable| Command::AddCable {
        cable: Box::new(cable),
    });
    let junctions = (junctions.into_iter()).map(|junction| Command::AddJunction { junction });
    cables.chain(junctions).collect()
}

/// The nodes at which routes of one harness meet again: a junction for each that two or more of these cables end at.
///
/// The cables are those of the routes, in their order, with the names that they have in the scene.
pub fn junctions_of(routes: &[ImportedRoute], cables: &[Cable]) -> Vec<Junction> {
    let mut junctions: Vec<Junction> = Vec::new();
    for (route, cable) in routes.iter().zip(cables) {
        let places = [HandlePlace::Start, HandlePlace::End];
        for (node, place) in route.ends.iter().zip(places) {
            let (Some(node), Some(handle)) = (node, cable.handle_at(place)) else {
                continue;
            };
            let known = junctions.iter().position(|j| j.name == *node);
            let number = known.unwrap_or_else(|| {
                junctions.push(Junction {
                    name: node.clone(),
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

/// Makes the shape that a cable has the one it has without load.
fn mould(cable: &mut Cable) {
    let Some(shape) = &cable.shape else {
        return;
    };
    let state = RodState {
        positions: shape.points.clone(),
        frames: shape.frames.clone(),
        clamps: shape.clamps.map(|clamp| clamp.map(|pose| pose.rotation)),
        turns: shape.turns.clone(),
    };
    if let Ok(rod) = Rod::new(cable.edge_lengths(), cable.section.of_rod()) {
        cable.rest = RestShape::Moulded {
            curvatures: state.curvatures(&rod).into_iter().map(Into::into).collect(),
            share: 1.0,
            as_designed: None,
        };
    }
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
    let ends = [nodes.points[0], nodes.points[n_edges]];
    let poses = [0, 1].map(|end| {
        let rotation = nodes.tangents[end].and_then(|t| rotation_along(&t));
        rotation.map(|rotation| Pose {
            position: ends[end],
            rotation,
        })
    });
    let first = poses[0].map(|pose| pose.rotation);
    let mut state = RodState::along(nodes.points, [first, None]);
    // The end is held as it comes: no roll is asked for that the route does not have.
    let last = state.frames[n_edges - 1];
    let turn = nodes.tangents[1]
        .and_then(|tangent| Rotation::rotation_between(&(last * Vec3::z()), &tangent));
    state.clamps[1] = poses[1].map(|pose| turn.map_or(pose.rotation, |turn| turn * last));
    let clamps = [0, 1].map(|end| state.clamp_pose(end));
    let mut cable = Cable::new(route.name.clone(), radius, route.length, section);
    cable.n_edges = n_edges;
    for (place, pose) in [HandlePlace::Start, HandlePlace::End]
        .into_iter()
        .zip(clamps)
    {
        cable
            .handles
            .extend(pose.map(|pose| Handle::at_end(place, pose)));
    }
    cable.shape = Some(Shape {
        points: state.positions,
        frames: state.frames,
        turns: state.turns,
        clamps,
        rolls: BTreeMap::new(),
        memory: None,
    });
    cable
}
