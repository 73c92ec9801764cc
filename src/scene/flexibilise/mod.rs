//! From a tessellated harness to cables, and back.
//!
//! 1. `choose`: which stretches of the centerline graph become flexible.
//! 2. `cut`: the mesh is cut exactly at their ends and divided among them; what is left stays rigid.
//! 3. `rests` and `fittings`: what stays rigid, and how clips and connectors of it sit on the cables.
//! 4. `build`: each stretch becomes a cable that stands where the mesh had it, with its own triangles as skin, held where
//!    a clip goes round it.
//! 5. `as_designed`: if so asked, the rest shape for which nothing moves under gravity.
//! 6. Ends that met keep meeting: one junction holds them. What the harness was is remembered for the export.

pub mod as_designed;
mod attachments;
mod build;
mod choose;
mod cut;
mod fittings;
mod rests;
mod rigidify;
mod source;
#[cfg(test)]
mod tests;
mod unloaded;

use serde::{Deserialize, Serialize};

pub use choose::{Choice, Stretch, stretches};
use fittings::Fitting;
use rests::Rest;
pub use rigidify::rigidify;
pub use source::{Source, belongs_with};

use crate::centerline::{CenterlineGraph, ExtractError, NodeKind};
use crate::geom::{Pose, Vec3};
use crate::mesh::{DisjointSets, TriMesh};

use super::{
    Cable, Exclusion, Handle, Harness, HarnessNode, Junction, JunctionEnd, Material, Part,
    PartRole, Piece, RestShape, Scene, Segment, free_name,
};

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

/// What a cable is like without any load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RestChoice {
    /// Moulded to the imported shape: it sags from there.
    #[default]
    Preformed,
    /// Such that the imported shape is the equilibrium under gravity: nothing moves.
    AsDesigned,
    /// Straight: it springs from the imported shape as a cable would that was bent into it.
    Straight,
}

/// How stretches are made flexible.
#[derive(Clone, Debug, PartialEq)]
pub struct Order<'a> {
    /// Which.
    pub choice: Choice,
    /// Name of the material; a taped bundle where there is none.
    pub material: Option<&'a str>,
    /// What they are like without load.
    pub rest: RestChoice,
}

/// Makes stretches of parts flexible, as one harness. `graph` is that of the source's mesh.
pub fn flexibilise(
    scene: &mut Scene,
    source: &Source,
    graph: &CenterlineGraph,
    order: &Order,
) -> Result<(), FlexibiliseError> {
    let name = source.name.as_str();
    let chosen = stretches(graph, &order.choice, name)?;
    let material = order.material.unwrap_or(DEFAULT_MATERIAL);
    let Some(material) = scene.material(material) else {
        let problem = format!("there is no material \"{material}\"");
        return Err(FlexibiliseError::Other(problem));
    };
    let sides = choose::sides(graph, &chosen);
    let mut divided = cut::divide(&source.mesh, graph, &chosen, &sides);
    let skins = std::mem::take(&mut divided.skins);
    let rests = rests::rests(scene, source, graph, &chosen, divided, sides)?;

    let mut next = scene.clone();
    let is_own = |name: &str| source.parts.iter().any(|p| p.name == name);
    let stays = |name: &str| rests.iter().any(|r| r.part.name == name && !r.goes_on);
    next.exclusions
        .retain(|e| !is_own(&e.part) || stays(&e.part));
    next.parts.retain(|p| !is_own(&p.name));

    let mut cables = built(scene, source, graph, &chosen, skins, &material, &rests)?;
    if order.rest == RestChoice::Straight {
        for cable in &mut cables {
            cable.rest = RestShape::Straight;
        }
    }
    for (k, (cable, stretch)) in cables.iter_mut().zip(&chosen).enumerate() {
        let exclusions = attach(k, cable, stretch, graph, &chosen, &rests);
        next.exclusions.extend(exclusions);
    }
    let connectors = connectors(&next, graph, &rests);
    let mut made = junctions(&next, graph, &chosen, &cables, name, &rests, &connectors);
    if order.rest == RestChoice::AsDesigned {
        // What it carries as it is designed is unknown, and with it what would balance a junction.
        for junction in &mut made {
            junction.free = false;
        }
    }
    hold_rings(&mut made, &cables);
    next.junctions.extend(made);
    next.harnesses
        .push(harness(&next, graph, &chosen, &cables, source, &rests));
    let gone = |name: &String| is_own(name) && !rests.iter().any(|r| r.part.name == *name);
    for handle in next.cables.iter_mut().flat_map(|c| &mut c.handles) {
        handle.attached_to.take_if(|name| gone(name));
    }
    // The rest keeps the place in the list; handles that hung on a part hang on what is left of it.
    let place = source.numbers[0].min(next.parts.len());
    let rests = rests.into_iter().map(|r| r.part);
    next.parts.splice(place..place, rests);
    let names: Vec<String> = cables.iter().map(|c| c.name.clone()).collect();
    next.cables.extend(cables);
    if order.rest == RestChoice::AsDesigned {
        as_designed::hold(&mut next, &names);
    }
    *scene = next;
    Ok(())
}

/// The cables of the stretches, with their skins, and a handle where something rigid goes round them.
fn built(
    scene: &Scene,
    source: &Source,
    graph: &CenterlineGraph,
    chosen: &[Stretch],
    skins: Vec<cut::Pieces>,
    material: &Material,
    rests: &[Rest],
) -> Result<Vec<Cable>, FlexibiliseError> {
    let mut cables: Vec<Cable> = Vec::new();
    for (k, (stretch, pieces)) in chosen.iter().zip(skins).enumerate() {
        let from = most_of(source, &pieces);
        let part = source.name.as_str();
        let wanted = match (chosen.len(), graph.branches.len()) {
            // Of several parts, each cable is called as the part that it was.
            _ if source.parts.len() > 1 => source.parts[from].name.clone(),
            (1, 1) => part.to_owned(),
            (2.., _) if chosen[..k].iter().any(|s| s.branch == stretch.branch) => {
                format!("{part} B{}b", stretch.branch + 1)
            }
            _ => format!("{part} B{}", stretch.branch + 1),
        };
        let is_taken =
            |name: &str| scene.cable(name).is_some() || cables.iter().any(|c| c.name == name);
        let name = free_name(&wanted, is_taken);
        let slides = fittings::is_corrugated(&pieces, graph, stretch);
        let guides: Vec<build::Guide> = rests
            .iter()
            .flat_map(|rest| rest.fittings.iter().map(move |f| (rest, f)))
            .filter_map(|(rest, (of, fitting))| match fitting {
                Fitting::Round([from, to]) if *of == k => Some(build::Guide {
                    part: rest.part.name.clone(),
                    arc_length: 0.5 * (from + to),
                    slides,
                }),
                _ => None,
            })
            .collect();
        let guides = build::apart(guides, stretch, graph);
        let mut cable = build::cable(&name, graph, stretch, material, &guides)?;
        build::bind_skin(&mut cable, pieces);
        cable.color = source.parts[from].color;
        cables.push(cable);
    }
    Ok(cables)
}

/// The part that most triangles of a skin are of.
fn most_of(source: &Source, pieces: &cut::Pieces) -> usize {
    let mut counts = vec![0_usize; source.parts.len()];
    for &parent in &pieces.parents {
        counts[source.part_of(parent)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(0);
    counts.iter().position(|n| *n == most).unwrap_or(0)
}

/// Hangs the ends of a cable on what stays rigid there, and says where the cable may overlap what is rigid.
fn attach(
    k: usize,
    cable: &mut Cable,
    stretch: &Stretch,
    graph: &CenterlineGraph,
    chosen: &[Stretch],
    rests: &[Rest],
) -> Vec<Exclusion> {
    let meets = [0, 1].map(|end| {
        let start = end == 0;
        let node = stretch.node_at(graph, start);
        let side = rests.iter().position(|r| r.is_at(node));
        let sits = |r: &Rest| r.fittings.contains(&(k, Fitting::AtEnd(end)));
        let held = stretch.meets_rest(graph, chosen, start);
        let point = cable.handles[end].pose.position;
        let on = || rests::goes_on_at(rests, &point).filter(|_| held);
        side.or_else(|| rests.iter().position(sits)).or_else(on)
    });
    for (handle, rest) in cable.handles.iter_mut().zip(meets) {
        // Ends that sit on what stays rigid move with it.
        handle.attached_to = rest.map(|k| rests[k].part.name.clone());
    }
    let mut exclusions = Vec::new();
    for (number, rest) in rests.iter().enumerate() {
        let meets = meets.map(|met| met == Some(number));
        let round = rest
            .fittings
            .iter()
            .filter_map(|(of, fitting)| match fitting {
                Fitting::Round(range) if *of == k => Some(*range),
                _ => None,
            });
        let round: Vec<[f64; 2]> = round.collect();
        exclusions.extend(build::overlaps(cable, &rest.part, meets, &round));
    }
    exclusions
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
        let ends: Vec<JunctionEnd> = ends.collect();
        let mut carries = Vec::new();
        if let Some(k) = rests.iter().position(|r| r.is_at(Some(node))) {
            let own = connectors.iter().filter(|(_, on)| *on == k);
            carries.push(rests[k].part.name.clone());
            carries.extend(own.map(|(name, _)| name.clone()));
        }
        // One that nothing rigid hangs on follows when a branch is pulled; the outer ends hold the harness.
        let is_fixed = |end: &JunctionEnd| is_on_part(cables, end);
        let free = carries.is_empty() && !ends.iter().any(is_fixed);
        made.push(Junction {
            name,
            pose,
            ends,
            carries,
            free,
            mass_kg: 0.0,
        });
    }
    made
}

/// Holds one junction of what has no end that holds it, as a ring: it would fall for ever.
fn hold_rings(junctions: &mut [Junction], cables: &[Cable]) {
    let number = |name: &str| cables.iter().position(|c| c.name == name);
    loop {
        let mut groups = DisjointSets::new(cables.len());
        let free = junctions.iter().filter(|j| j.free);
        for junction in free.clone() {
            let mut own = junction.ends.iter().filter_map(|end| number(&end.cable));
            let first = own.next();
            for other in own {
                groups.join(first.unwrap_or(other) as u32, other as u32);
            }
        }
        let holds = |cable: &Cable, handle: &Handle| {
            !(free.clone()).any(|j| j.holds(&cable.name, &handle.name))
        };
        let mut held = vec![false; cables.len()];
        for (k, cable) in cables.iter().enumerate() {
            if cable.handles.iter().any(|handle| holds(cable, handle)) {
                held[groups.root(k as u32) as usize] = true;
            }
        }
        let mut is_adrift = |junction: &Junction| {
            let mut own = junction.ends.iter().filter_map(|end| number(&end.cable));
            own.any(|k| !held[groups.root(k as u32) as usize])
        };
        let Some(adrift) = junctions.iter().position(|j| j.free && is_adrift(j)) else {
            return;
        };
        junctions[adrift].free = false;
    }
}

/// Whether that end of a new cable is fixed to a part.
fn is_on_part(cables: &[Cable], end: &JunctionEnd) -> bool {
    let cable = cables.iter().find(|c| c.name == end.cable);
    let handle = cable.and_then(|c| c.handle(&end.handle));
    handle.is_some_and(|h| h.attached_to.is_some())
}

/// What the harness was, with what is flexible of it now.
fn harness(
    scene: &Scene,
    graph: &CenterlineGraph,
    chosen: &[Stretch],
    cables: &[Cable],
    source: &Source,
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
        let middle = branch.at(0.5 * branch.length()).position;
        let whole = || rests::goes_on_at(rests, &middle).map(|k| &rests[k]);
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
        name: free_name(&source.name, is_taken),
        space: source.space(),
        nodes: nodes.collect(),
        segments: segments.collect(),
    }
}
