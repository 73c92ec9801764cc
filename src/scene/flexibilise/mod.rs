//! From a tessellated harness to cables, and back.
//!
//! 1. `choose`: which stretches of the centerline graph become flexible.
//! 2. `cut`: the mesh is cut exactly at their ends and divided among them; what is left stays rigid.
//! 3. `build`: each stretch becomes a cable that stands where the mesh had it, with its own triangles as skin.
//! 4. Ends that met keep meeting: one junction holds them. What the harness was is remembered for the export.

mod attachments;
mod build;
mod choose;
mod cut;
mod rigidify;
#[cfg(test)]
mod tests;

use choose::Side;
pub use choose::{Choice, Stretch, stretches};
pub use rigidify::rigidify;

use crate::centerline::{CenterlineGraph, ExtractError, NodeKind};
use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::import::SourceSpace;

use super::{
    Cable, Exclusion, Harness, HarnessNode, Junction, JunctionEnd, Part, PartRole, Piece, Scene,
    Segment, free_name,
};
use crate::geom::Pose;

/// Material of a new cable when none is named.
pub const DEFAULT_MATERIAL: &str = "Signal bundle, taped";

/// Why a part was not made flexible; the scene is then unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FlexibiliseError {
    /// The extraction found nothing, or was stopped.
    #[error("part \"{part}\": {reason}")]
    NoCenterline {
        /// The part.
        part: String,
        /// What the extraction says.
        reason: ExtractError,
    },
    /// A branch that is not there.
    #[error("part \"{part}\" has {n_branches} branches, so there is no branch {branch}")]
    NoBranch {
        /// The part.
        part: String,
        /// The number asked for, from 1.
        branch: usize,
        /// How many there are.
        n_branches: usize,
    },
    /// A picked point is not on the harness.
    #[error(
        "the point ({:.1}, {:.1}, {:.1}) is {distance:.1} mm from the nearest centerline of part \"{part}\"; pick a point on its surface",
        point.x, point.y, point.z
    )]
    NotOnSurface {
        /// The part.
        part: String,
        /// The point.
        point: Vec3,
        /// How far the nearest centerline is, mm.
        distance: f64,
    },
    /// The two points are on pieces that do not hang together.
    #[error(
        "no branch of part \"{part}\" leads from one point to the other; make the two pieces flexible one by one"
    )]
    NoWay {
        /// The part.
        part: String,
    },
    /// The points are nearer to each other than a cable can be long.
    #[error(
        "the stretch is {length:.2} mm long, less than the cable's radius of {radius:.2} mm; pick points farther apart"
    )]
    TooShort {
        /// Its length, mm.
        length: f64,
        /// Radius of the cable, mm.
        radius: f64,
    },
    /// A solved cable or part is needed and not there.
    #[error("{0}")]
    Other(String),
}

/// Makes stretches of a part flexible. `graph` is that of the part's mesh in the world.
pub fn flexibilise(
    scene: &mut Scene,
    part: &str,
    graph: &CenterlineGraph,
    choice: &Choice,
    material: Option<&str>,
) -> Result<(), FlexibiliseError> {
    let Some(number) = scene.parts.iter().position(|p| p.name == part) else {
        return Err(FlexibiliseError::Other(format!(
            "there is no part \"{part}\""
        )));
    };
    let chosen = stretches(graph, choice, part)?;
    let material = material.unwrap_or(DEFAULT_MATERIAL);
    let Some(material) = scene.material(material) else {
        let problem = format!("there is no material \"{material}\"");
        return Err(FlexibiliseError::Other(problem));
    };
    let mesh = scene.parts[number].mesh().clone();
    let sides = choose::sides(graph, &chosen);
    let divided = cut::divide(&mesh, graph, &chosen, &sides);

    let mut next = scene.clone();
    let original = next.parts.remove(number);
    next.exclusions.retain(|e| e.part != part);
    // The rest keeps the place in the list; handles that hung on the part hang on what is left of it.
    let rigid = |name: &str, mesh: TriMesh| {
        let mut rest = Part::new(name, mesh);
        rest.role = PartRole::Connector;
        (rest.visible, rest.color, rest.margin) =
            (original.visible, original.color, original.margin);
        (rest.group, rest.extra) = (original.group.clone(), original.extra.clone());
        rest
    };
    let mut rests: Vec<Rest> = Vec::new();
    if let Some(mesh) = divided.rest {
        rests.push(Rest {
            part: rigid(part, mesh),
            side: None,
        });
    }
    for (side, mesh) in sides.into_iter().zip(divided.sides) {
        let Some(mesh) = mesh else { continue };
        let is_taken = |name: &str| {
            name == part || next.has_part(name) || rests.iter().any(|r| r.part.name == name)
        };
        let name = free_name(&format!("{part} at J{}", side.node + 1), is_taken);
        rests.push(Rest {
            part: rigid(&name, mesh),
            side: Some(side),
        });
    }

    let space = original
        .source
        .as_ref()
        .map(|s| s.space)
        .unwrap_or_default();
    let several = chosen.len() > 1;
    let mut cables: Vec<Cable> = Vec::new();
    for (k, (stretch, pieces)) in chosen.iter().zip(divided.skins).enumerate() {
        let wanted = match (several, graph.branches.len()) {
            (false, 1) => part.to_owned(),
            (true, _) if chosen[..k].iter().any(|s| s.branch == stretch.branch) => {
                format!("{part} B{}b", stretch.branch + 1)
            }
            _ => format!("{part} B{}", stretch.branch + 1),
        };
        let is_taken =
            |name: &str| scene.cable(name).is_some() || cables.iter().any(|c| c.name == name);
        let name = free_name(&wanted, is_taken);
        let mut cable = build::cable(&name, graph, stretch, &material)?;
        build::bind_skin(&mut cable, pieces);
        cable.color = original.color;
        cables.push(cable);
    }

    for (cable, stretch) in cables.iter_mut().zip(&chosen) {
        let meets = [true, false].map(|start| {
            let node = stretch.node_at(graph, start);
            let side = rests.iter().position(|r| r.is_at(node));
            let held = stretch.meets_rest(graph, &chosen, start);
            side.or_else(|| rests.iter().position(|r| held && r.side.is_none()))
        });
        for (handle, rest) in cable.handles.iter_mut().zip(meets) {
            // Ends that sit on what stays rigid move with it.
            handle.attached_to = rest.map(|k| rests[k].part.name.clone());
        }
        for (k, rest) in rests.iter().enumerate() {
            let meets = meets.map(|met| met == Some(k));
            let windows = build::overlap_windows(cable, rest.part.mesh(), meets);
            next.exclusions
                .extend(windows.into_iter().map(|[from, to]| Exclusion {
                    cable: cable.name.clone(),
                    part: rest.part.name.clone(),
                    from,
                    to,
                }));
        }
    }
    let connectors = connectors(&next, graph, &rests);
    next.junctions.extend(junctions(
        &next,
        graph,
        &chosen,
        &cables,
        part,
        &rests,
        &connectors,
    ));
    next.harnesses
        .push(harness(&next, graph, &chosen, &cables, part, space, &rests));
    if !rests.iter().any(|r| r.side.is_none()) {
        for handle in next.cables.iter_mut().flat_map(|c| &mut c.handles) {
            handle.attached_to.take_if(|name| name == part);
        }
    }
    let rests = rests.into_iter().map(|r| r.part);
    next.parts.splice(number..number, rests);
    next.cables.extend(cables);
    *scene = next;
    Ok(())
}

/// What stays rigid: a side that goes with its junction, or all that does not.
struct Rest {
    part: Part,
    side: Option<Side>,
}

impl Rest {
    /// Whether it is the side at that node.
    fn is_at(&self, node: Option<usize>) -> bool {
        self.side.as_ref().is_some_and(|s| Some(s.node) == node)
    }
}

/// Parts of their own that hang on a side, and on nothing else of the harness: for each its name and the number of the
/// rest. Only connectors do; an engine that a branch is plugged into stays where it is.
fn connectors(scene: &Scene, graph: &CenterlineGraph, rests: &[Rest]) -> Vec<(String, usize)> {
    if rests.iter().all(|r| r.side.is_none()) {
        return Vec::new();
    }
    let pieces = (scene.harnesses.iter())
        .flat_map(|h| &h.segments)
        .flat_map(|s| &s.pieces);
    let is_bound = |name: &str| {
        let is_of = |p: &Piece| matches!(p, Piece::Rigid { part: Some(part), .. } if part == name);
        pieces.clone().any(is_of)
            || scene.junctions.iter().any(|j| j.carries(name))
            || (scene.cables.iter().flat_map(|c| &c.handles))
                .any(|h| h.attached_to.as_deref() == Some(name))
    };
    let is_free = |p: &&Part| p.role == PartRole::Connector && !is_bound(&p.name);
    let loose: Vec<&Part> = scene.parts.iter().filter(is_free).collect();
    let meshes: Vec<&TriMesh> = loose.iter().map(|p| &**p.mesh()).collect();
    let bodies: Vec<&TriMesh> = rests.iter().map(|r| &**r.part.mesh()).collect();
    let reach = cut::touch_distance(graph);
    let held = attachments::hangs_on(&bodies, &meshes, reach);
    (loose.iter().zip(held))
        .filter_map(|(part, k)| Some((part.name.clone(), k?)))
        .filter(|(_, k)| rests[*k].side.is_some())
        .collect()
}

/// What the user should know of the shared handles of a scene: where something rigid sits, and whether it moves along.
pub fn remarks(scene: &Scene) -> Vec<String> {
    let rigid = |junction: &Junction| {
        junction.ends.iter().find_map(|end| {
            let handle = scene.cable(&end.cable)?.handle(&end.handle)?;
            handle.attached_to.clone()
        })
    };
    let remark = |junction: &Junction| {
        let part = rigid(junction)?;
        if junction.carries(&part) {
            let with = match &junction.carries[1..] {
                [] => String::new(),
                others => format!(" with \"{}\"", others.join("\", \"")),
            };
            return Some(format!(
                "junction \"{}\": the branches that stay rigid there move with it, as part \"{part}\"{with}; where \
                 one of them is plugged in or clipped on, make it flexible too, or its connector is pulled off",
                junction.name
            ));
        }
        Some(format!(
            "junction \"{}\": branches of part \"{part}\" that meet there stay rigid, and do not move when the \
             junction does; make them flexible too, or move the part, which takes the junction along",
            junction.name
        ))
    };
    scene.junctions.iter().filter_map(remark).collect()
}

/// One junction for each node of the graph where ends of several chosen stretches meet.
fn junctions(
    scene: &Scene,
    graph: &CenterlineGraph,
    chosen: &[Stretch],
    cables: &[Cable],
    part: &str,
    rests: &[Rest],
    connectors: &[(String, usize)],
) -> Vec<Junction> {
    let mut made: Vec<Junction> = Vec::new();
    for (node, place) in graph.nodes.iter().enumerate() {
        let mut ends = Vec::new();
        for (stretch, cable) in chosen.iter().zip(cables) {
            for (k, start) in [true, false].into_iter().enumerate() {
                if stretch.node_at(graph, start) == Some(node) {
                    ends.push((cable, &cable.handles[k]));
                }
            }
        }
        if ends.len() < 2 {
            continue;
        }
        let pose = Pose {
            position: place.position,
            ..Pose::identity()
        };
        let wanted = format!("{part} J{}", node + 1);
        let is_taken = |name: &str| {
            let mut all = scene.junctions.iter().chain(&made);
            all.any(|j| j.name == name)
        };
        let name = free_name(&wanted, is_taken);
        let ends = ends.into_iter().map(|(cable, handle)| JunctionEnd {
            cable: cable.name.clone(),
            handle: handle.name.clone(),
            in_junction: pose.inverse().compose(&handle.pose),
        });
        let ends = ends.collect();
        let mut carries = Vec::new();
        if let Some(k) = rests.iter().position(|r| r.is_at(Some(node))) {
            let own = connectors.iter().filter(|(_, on)| *on == k);
            carries.push(rests[k].part.name.clone());
            carries.extend(own.map(|(name, _)| name.clone()));
        }
        made.push(Junction {
            name,
            pose,
            ends,
            carries,
        });
    }
    made
}

/// What the harness was, with what is flexible of it now.
fn harness(
    scene: &Scene,
    graph: &CenterlineGraph,
    chosen: &[Stretch],
    cables: &[Cable],
    part: &str,
    space: SourceSpace,
    rests: &[Rest],
) -> Harness {
    let is_taken = |name: &str| scene.harnesses.iter().any(|h| h.name == name);
    let nodes = graph.nodes.iter().enumerate().map(|(k, node)| {
        let letter = match node.kind {
            NodeKind::Junction => "J",
            NodeKind::End | NodeKind::Through => "N",
        };
        HarnessNode {
            name: format!("{letter}{}", k + 1),
            position: node.position,
        }
    });
    let segments = graph.branches.iter().enumerate().map(|(b, branch)| {
        let mut own: Vec<(&Stretch, &Cable)> = chosen.iter().zip(cables).collect();
        own.retain(|(stretch, _)| stretch.branch == b);
        own.sort_by(|(a, _), (b, _)| a.from.total_cmp(&b.from));
        let is_of = |r: &&Rest| r.side.as_ref().is_some_and(|s| s.branches.contains(&b));
        let whole = || rests.iter().find(|r| r.side.is_none());
        let rest = rests.iter().find(is_of).or_else(whole);
        let on = rest.map(|r| r.part.name.as_str());
        let mut pieces = Vec::new();
        let mut done = 0.0;
        for (stretch, cable) in own {
            pieces.extend(build::rigid_piece(branch, done, stretch.from, on));
            pieces.push(Piece::Flexible {
                cable: cable.name.clone(),
            });
            done = stretch.to;
        }
        pieces.extend(build::rigid_piece(branch, done, branch.length(), on));
        Segment {
            name: format!("B{}", b + 1),
            start: branch.start,
            end: branch.end,
            pieces,
        }
    });
    Harness {
        name: free_name(part, is_taken),
        space,
        nodes: nodes.collect(),
        segments: segments.collect(),
    }
}
