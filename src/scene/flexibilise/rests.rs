//! What stays rigid of parts that are made flexible, as parts.

use std::collections::HashMap;

use crate::centerline::CenterlineGraph;
use crate::geom::Vec3;
use crate::mesh::{DisjointSets, TriMesh};
use crate::scene::{Part, PartRole, Scene, free_name};

use super::choose::Side;
use super::cut::{Divided, Pieces, touch_distance};
use super::fittings::{Fitting, fittings};
use super::source::Source;
use super::{FlexibiliseError, Stretch};

/// What stays rigid.
pub struct Rest {
    pub part: Part,
    /// The side that it is, which goes with its junction.
    pub side: Option<Side>,
    /// Branches go on in it; otherwise it only sits on cables.
    pub goes_on: bool,
    /// Where it sits on which of the stretches.
    pub fittings: Vec<(usize, Fitting)>,
}

impl Rest {
    /// Whether it is the side at that node.
    pub fn is_at(&self, node: Option<usize>) -> bool {
        self.side.as_ref().is_some_and(|s| Some(s.node) == node)
    }
}

/// The rigid parts that are left of a source, where `divided` gave each stretch its own.
pub fn rests(
    scene: &Scene,
    source: &Source,
    graph: &CenterlineGraph,
    chosen: &[Stretch],
    divided: Divided,
    sides: Vec<Side>,
) -> Result<Vec<Rest>, FlexibiliseError> {
    let whole = graph.branches.iter().enumerate().all(|(b, branch)| {
        let of = |s: &&Stretch| s.branch == b;
        let covers = |s: &Stretch| s.from <= 0.0 && s.to >= branch.length();
        chosen.iter().find(of).is_some_and(covers)
    });
    let mut made: Vec<Rest> = Vec::new();
    let is_taken = |made: &[Rest], name: &str| {
        source.parts.iter().any(|p| p.name == name)
            || scene.has_part(name)
            || made.iter().any(|r| r.part.name == name)
    };
    for (k, original) in source.parts.iter().enumerate() {
        let own = of_part(&divided.rest, source, k);
        if own.triangles.is_empty() {
            continue;
        }
        if own.triangles.len() == source.n_triangles(k) && source.parts.len() > 1 {
            // Not one of its triangles is a cable's: it stays what it is.
            let mut part = original.clone();
            if part.role == PartRole::Harness {
                part.role = PartRole::Connector;
            }
            let fittings = fittings(part.mesh(), graph, chosen);
            made.push(Rest {
                part,
                side: None,
                goes_on: false,
                fittings,
            });
            continue;
        }
        let bodies = if whole {
            bodies(own, touch_distance(graph))
        } else {
            vec![own]
        };
        let several = bodies.len() > 1;
        for body in bodies {
            let mesh = TriMesh::new(body.vertices, body.triangles)
                .map_err(|e| FlexibiliseError::Other(format!("part \"{}\": {e}", original.name)))?;
            let fittings = if whole {
                fittings(&mesh, graph, chosen)
            } else {
                Vec::new()
            };
            let name = if several {
                let kind = match fittings.first() {
                    Some((_, Fitting::Round(_))) => "clip",
                    Some((_, Fitting::AtEnd(_))) => "connector",
                    None => "body",
                };
                // The first is "loom clip", the next "loom clip 2".
                free_name(&format!("{} {kind}", original.name), |name| {
                    is_taken(&made, name)
                })
            } else {
                original.name.clone()
            };
            made.push(Rest {
                part: rigid(original, &name, mesh),
                side: None,
                goes_on: !whole,
                fittings,
            });
        }
    }
    let first = &source.parts[0];
    for (side, mesh) in sides.into_iter().zip(divided.sides) {
        let Some(mesh) = mesh else { continue };
        let wanted = format!("{} at J{}", source.name, side.node + 1);
        let name = free_name(&wanted, |name| is_taken(&made, name));
        made.push(Rest {
            part: rigid(first, &name, mesh),
            side: Some(side),
            goes_on: true,
            fittings: Vec::new(),
        });
    }
    Ok(made)
}

/// A rigid part that was cut from another.
fn rigid(original: &Part, name: &str, mesh: TriMesh) -> Part {
    let mut rest = Part::new(name, mesh);
    rest.role = PartRole::Connector;
    (rest.visible, rest.color, rest.margin) = (original.visible, original.color, original.margin);
    (rest.group, rest.extra) = (original.group.clone(), original.extra.clone());
    rest
}

/// Those triangles of `pieces` that were the part's.
fn of_part(pieces: &Pieces, source: &Source, part: usize) -> Pieces {
    let is_own = |t: usize| source.part_of(pieces.parents[t]) == part;
    taken(pieces, (0..pieces.triangles.len()).filter(|&t| is_own(t)))
}

/// Some of the triangles, with the vertices that they use.
fn taken(pieces: &Pieces, triangles: impl Iterator<Item = usize>) -> Pieces {
    let mut own = Pieces::default();
    let mut known: HashMap<u32, u32> = HashMap::new();
    for t in triangles {
        let corners = pieces.triangles[t].map(|v| {
            *known.entry(v).or_insert_with(|| {
                own.vertices.push(pieces.vertices[v as usize]);
                own.vertices.len() as u32 - 1
            })
        });
        own.triangles.push(corners);
        own.parents.push(pieces.parents[t]);
    }
    own
}

/// What hangs together, in the order of the triangles. Vertices that are nearer to each other than a thousandth of `reach`
/// are one: many files have none that triangles share.
fn bodies(pieces: Pieces, reach: f64) -> Vec<Pieces> {
    let mut sets = DisjointSets::new(pieces.vertices.len());
    let cell = (1e-3 * reach).max(1e-9);
    // Two grids, half a cell apart: what a border of the one divides is together in the other.
    for shift in [0.0, 0.5] {
        let mut first: HashMap<[i64; 3], u32> = HashMap::new();
        for (v, p) in (0_u32..).zip(&pieces.vertices) {
            let key = |c: f64| (c / cell + shift).floor() as i64;
            let known = *first.entry([key(p.x), key(p.y), key(p.z)]).or_insert(v);
            sets.join(v, known);
        }
    }
    for corners in &pieces.triangles {
        sets.join(corners[0], corners[1]);
        sets.join(corners[0], corners[2]);
    }
    let mut order: Vec<u32> = Vec::new();
    let mut number: HashMap<u32, usize> = HashMap::new();
    let roots: Vec<u32> = pieces.triangles.iter().map(|t| sets.root(t[0])).collect();
    for &root in &roots {
        number.entry(root).or_insert_with(|| {
            order.push(root);
            order.len() - 1
        });
    }
    if order.len() < 2 {
        return vec![pieces];
    }
    let mut own: Vec<Vec<usize>> = vec![Vec::new(); order.len()];
    for (t, root) in roots.iter().enumerate() {
        own[number[root]].push(t);
    }
    own.into_iter()
        .map(|triangles| taken(&pieces, triangles.into_iter()))
        .collect()
}

/// The rest in which a branch goes on at a point: that which comes nearest to it.
pub fn goes_on_at(rests: &[Rest], point: &Vec3) -> Option<usize> {
    let candidates = rests.iter().enumerate();
    let mut candidates: Vec<usize> = candidates
        .filter(|(_, r)| r.goes_on && r.side.is_none())
        .map(|(k, _)| k)
        .collect();
    if candidates.len() > 1 {
        let distance = |k: usize| {
            let vertices = rests[k].part.mesh().vertices().iter();
            vertices
                .map(|v| (v - point).norm_squared())
                .fold(f64::INFINITY, f64::min)
        };
        candidates.sort_by(|a, b| distance(*a).total_cmp(&distance(*b)));
    }
    candidates.first().copied()
}
