//! Cuts a harness mesh at the ends of its flexible stretches, and divides its triangles among them.

use std::collections::{BTreeMap, HashMap};

use crate::centerline::{CenterlineGraph, Warning};
use crate::geom::Vec3;
use crate::mesh::{DisjointSets, TriMesh};

use super::Stretch;
use super::attachments::hangs_on;
use super::choose::Side;

/// A cut reaches this many radii from the centerline: the whole tube, but not what lies beside it.
const CUT_RADII: f64 = 2.0;
/// Nearer to a cut than this many radii, the side of the cut decides, not the nearest point of the curve.
const NEAR_RADII: f64 = 3.0;

/// The face of a connector stands in the plane of the cable's end within this part of the radius.
const ON_FACE: f64 = 1e-3;

/// A copy of a triangle farther from the centerline than this many radii is not the cable's.
const COPY_RADII: f64 = 1.3;

/// A plane across a branch.
#[derive(Clone, Copy, Debug)]
struct Cut {
    branch: usize,
    arc_length: f64,
    point: Vec3,
    normal: Vec3,
    radius: f64,
    /// The branch goes on beyond it, or a body does; at a junction it does not, and the nearest branch decides.
    decides: bool,
    /// What is no farther from the plane than this is on it, and not the stretch's, mm.
    slack: f64,
}

/// The triangles of one stretch, or of the rest.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    /// For each triangle that of the mesh which it was, or was cut from.
    pub parents: Vec<u32>,
}

/// A harness mesh after the cut.
pub struct Divided {
    /// For each stretch its triangles.
    pub skins: Vec<Pieces>,
    /// For each side its triangles; `None` where it has none.
    pub sides: Vec<Option<TriMesh>>,
    /// What is left.
    pub rest: Pieces,
}

/// Divides `mesh`, from which `graph` was extracted. All pieces together are the mesh: no triangle is lost, moved or
/// turned; those that a cut crosses are split on it.
pub fn divide(
    mesh: &TriMesh,
    graph: &CenterlineGraph,
    chosen: &[Stretch],
    sides: &[Side],
) -> Divided {
    let cuts = cuts(graph, chosen);
    let mut split = Split::new(mesh);
    for cut in &cuts {
        split.cut(cut);
    }
    let owners = split.owners(graph);
    // The stretches, the sides, the rest.
    let n = chosen.len() + sides.len() + 1;
    let mut all = vec![Pieces::default(); n];
    let mut known: Vec<HashMap<u32, u32>> = vec![HashMap::new(); n];
    let rest = n - 1;
    let piece_of = |(corners, owner): (&[u32; 3], &Option<(usize, f64)>)| {
        let (branch, arc_length) = (*owner)?;
        let centroid = corners.map(|v| split.vertices[v as usize]);
        let centroid = (centroid[0] + centroid[1] + centroid[2]) / 3.0;
        let is_in = |s: &Stretch| {
            let cuts = cuts.iter().filter(|c| c.decides && c.branch == branch);
            s.branch == branch && contains(s, arc_length, &centroid, cuts)
        };
        let side = || sides.iter().position(|s| s.branches.contains(&branch));
        let stretch = chosen.iter().position(is_in);
        Some(
            stretch
                .or_else(|| side().map(|k| chosen.len() + k))
                .unwrap_or(rest),
        )
    };
    let mut piece: Vec<Option<usize>> = split.triangles.iter().zip(&owners).map(piece_of).collect();
    if !sides.is_empty() {
        give_to_sides(
            &split,
            touch_distance(graph),
            chosen.len()..rest,
            &mut piece,
        );
    }
    for ((corners, parent), piece) in split.triangles.iter().zip(&split.parents).zip(&piece) {
        let k = piece.unwrap_or(rest);
        let (pieces, numbers) = (&mut all[k], &mut known[k]);
        let triangle = corners.map(|v| {
            *numbers.entry(v).or_insert_with(|| {
                pieces.vertices.push(split.vertices[v as usize]);
                pieces.vertices.len() as u32 - 1
            })
        });
        pieces.triangles.push(triangle);
        pieces.parents.push(*parent);
    }
    let rest = all.pop().unwrap_or_default();
    let mesh_of = |pieces: Pieces| TriMesh::new(pieces.vertices, pieces.triangles).ok();
    let sides = all.drain(chosen.len()..).map(mesh_of).collect();
    Divided {
        skins: all,
        sides,
        rest,
    }
}

/// Surfaces at most so far apart touch: as far as the extraction joins pieces, at the thinnest branch, mm.
pub fn touch_distance(graph: &CenterlineGraph) -> f64 {
    let points = graph.branches.iter().flat_map(|b| &b.curve);
    let thinnest = points.map(|p| p.radius).fold(f64::INFINITY, f64::min);
    crate::centerline::Settings::default().join_gap * thinnest
}

/// What lies round no branch (a connector, the flank of a junction) and hangs on one of the sides, and on nothing else
/// that stays rigid, goes with that side.
fn give_to_sides(
    split: &Split,
    reach: f64,
    sides: std::ops::Range<usize>,
    piece: &mut [Option<usize>],
) {
    let n = split.vertices.len();
    let mut sets = DisjointSets::new(n);
    for (corners, _) in split
        .triangles
        .iter()
        .zip(&*piece)
        .filter(|(_, k)| k.is_none())
    {
        sets.join(corners[0], corners[1]);
        sets.join(corners[0], corners[2]);
    }
    // What each set touches: nothing rigid yet, one piece, or several.
    let mut touched: Vec<Option<Option<usize>>> = vec![None; n];
    for (corners, k) in split.triangles.iter().zip(&*piece) {
        // Flexible stretches hold nothing.
        let Some(k) = k.filter(|k| *k >= sides.start) else {
            continue;
        };
        for &v in corners {
            let slot = &mut touched[sets.root(v) as usize];
            *slot = match *slot {
                None => Some(Some(k)),
                Some(other) => Some(other.filter(|o| *o == k)),
            };
        }
    }
    // Loose bodies of their own, which only touch.
    let mut bodies: Vec<Pieces> = vec![Pieces::default(); sides.end + 1 - sides.start];
    let mut loose: BTreeMap<u32, Pieces> = BTreeMap::new();
    for (corners, k) in split.triangles.iter().zip(&*piece) {
        let root = sets.root(corners[0]);
        let into = match k {
            Some(k) if *k >= sides.start => &mut bodies[k - sides.start],
            None if touched[root as usize].is_none() => loose.entry(root).or_default(),
            _ => continue,
        };
        let first = into.vertices.len() as u32;
        into.vertices
            .extend(corners.map(|v| split.vertices[v as usize]));
        into.triangles.push([first, first + 1, first + 2]);
    }
    if !loose.is_empty() {
        let mesh_of = |p: Pieces| TriMesh::new(p.vertices, p.triangles).ok();
        let bodies: Vec<(usize, TriMesh)> = (bodies.into_iter().enumerate())
            .filter_map(|(k, p)| Some((k + sides.start, mesh_of(p)?)))
            .collect();
        let loose: Vec<(u32, TriMesh)> = (loose.into_iter())
            .filter_map(|(root, p)| Some((root, mesh_of(p)?)))
            .collect();
        let held = hangs_on(
            &bodies.iter().map(|b| &b.1).collect::<Vec<_>>(),
            &loose.iter().map(|l| &l.1).collect::<Vec<_>>(),
            reach,
        );
        for ((root, _), k) in loose.iter().zip(held) {
            touched[*root as usize] = k.map(|k| Some(bodies[k].0));
        }
    }
    for (corners, k) in split.triangles.iter().zip(piece) {
        if k.is_none() {
            let only = touched[sets.root(corners[0]) as usize].flatten();
            *k = only.filter(|k| sides.contains(k));
        }
    }
}

/// Whether a place on the branch is in the stretch; near one of the cuts its plane decides.
fn contains<'a>(
    stretch: &Stretch,
    arc_length: f64,
    point: &Vec3,
    cuts: impl Iterator<Item = &'a Cut>,
) -> bool {
    let mut inside = stretch.from <= arc_length && arc_length <= stretch.to;
    for cut in cuts {
        if (arc_length - cut.arc_length).abs() > NEAR_RADII * cut.radius {
            continue;
        }
        let height = (point - cut.point).dot(&cut.normal);
        if cut.arc_length == stretch.from {
            inside = height > cut.slack && arc_length <= stretch.to;
        } else if cut.arc_length == stretch.to {
            inside = height <= -cut.slack && stretch.from <= arc_length;
        }
    }
    inside
}

/// The planes: one at each end of each stretch that is not an end of the harness, or goes over into a connector there.
fn cuts(graph: &CenterlineGraph, chosen: &[Stretch]) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for stretch in chosen {
        let branch = &graph.branches[stretch.branch];
        for start in [true, false] {
            let node = stretch.node_at(graph, start);
            let arc_length = if start { stretch.from } else { stretch.to };
            let at = branch.at(arc_length);
            let is_end = node.is_some_and(|node| graph.branches_at(node).count() < 2);
            let is_at_body = is_end && ends_at_body(graph, &at.position, at.radius);
            if is_end && !is_at_body {
                continue;
            }
            cuts.push(Cut {
                branch: stretch.branch,
                arc_length,
                point: at.position,
                normal: branch.tangent_at(arc_length),
                radius: at.radius,
                decides: node.is_none() || is_at_body,
                slack: if is_at_body { ON_FACE * at.radius } else { 0.0 },
            });
        }
    }
    cuts
}

/// Whether the surface goes on beyond an end as something else, such as a connector that is one solid with the cable.
fn ends_at_body(graph: &CenterlineGraph, end: &Vec3, radius: f64) -> bool {
    graph.warnings.iter().any(|warning| match warning {
        Warning::EndsAtBody { position } => (position - end).norm() < radius,
        _ => false,
    })
}

/// A mesh that is being split; triangles remember the one they were cut from.
struct Split<'a> {
    mesh: &'a TriMesh,
    vertices: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    parents: Vec<u32>,
}

impl<'a> Split<'a> {
    fn new(mesh: &'a TriMesh) -> Self {
        Self {
            mesh,
            vertices: mesh.vertices().to_vec(),
            triangles: mesh.triangles().to_vec(),
            parents: (0..mesh.triangles().len() as u32).collect(),
        }
    }

    /// Splits the triangles that the plane crosses near its point.
    fn cut(&mut self, cut: &Cut) {
        let reach = CUT_RADII * cut.radius;
        // A vertex this close to the plane is on it: no slivers.
        let on_plane = (1e-9 * (cut.radius + cut.point.norm())).max(cut.slack);
        let height = |v: &Vec3| {
            let h = (v - cut.point).dot(&cut.normal);
            if h.abs() <= on_plane { 0.0 } else { h }
        };
        let mut on_edge: HashMap<(u32, u32), u32> = HashMap::new();
        for t in 0..self.triangles.len() {
            let corners = self.triangles[t];
            let h = corners.map(|v| height(&self.vertices[v as usize]));
            let crosses = h.iter().any(|h| *h > 0.0) && h.iter().any(|h| *h < 0.0);
            if !crosses || !self.is_near(&corners, &h, cut, reach) {
                continue;
            }
            self.split_triangle(t, &h, &mut on_edge);
        }
    }

    /// Whether the line in which the plane crosses the triangle comes within `reach` of the cut's point.
    fn is_near(&self, corners: &[u32; 3], h: &[f64; 3], cut: &Cut, reach: f64) -> bool {
        let mut ends = Vec::with_capacity(3);
        for k in 0..3 {
            let (i, j) = (k, (k + 1) % 3);
            let (a, b) = (
                self.vertices[corners[i] as usize],
                self.vertices[corners[j] as usize],
            );
            if h[i] == 0.0 {
                ends.push(a);
            } else if h[i] * h[j] < 0.0 {
                ends.push(a.lerp(&b, h[i] / (h[i] - h[j])));
            }
        }
        let (Some(a), Some(b)) = (ends.first(), ends.last()) else {
            return false;
        };
        let along = b - a;
        let t = if along.norm_squared() > 0.0 {
            ((cut.point - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0)
        } else {
            0.0
        };
        (a + along * t - cut.point).norm() <= reach
    }

    /// Replaces a triangle by those on both sides of the plane; `h` are the heights of its corners.
    fn split_triangle(&mut self, t: usize, h: &[f64; 3], on_edge: &mut HashMap<(u32, u32), u32>) {
        let corners = self.triangles[t];
        let parent = self.parents[t];
        let mut sides: [Vec<u32>; 2] = [Vec::with_capacity(4), Vec::with_capacity(4)];
        for k in 0..3 {
            let (i, j) = (k, (k + 1) % 3);
            let (a, b) = (corners[i], corners[j]);
            if h[i] >= 0.0 {
                sides[0].push(a);
            }
            if h[i] <= 0.0 {
                sides[1].push(a);
            }
            if h[i] * h[j] < 0.0 {
                let key = (a.min(b), a.max(b));
                let vertices = &mut self.vertices;
                let v = *on_edge.entry(key).or_insert_with(|| {
                    // The same point from both triangles of the edge.
                    let (from, to, hf, ht) = if a < b {
                        (a, b, h[i], h[j])
                    } else {
                        (b, a, h[j], h[i])
                    };
                    let p = vertices[from as usize].lerp(&vertices[to as usize], hf / (hf - ht));
                    vertices.push(p);
                    vertices.len() as u32 - 1
                });
                sides[0].push(v);
                sides[1].push(v);
            }
        }
        let fans = sides
            .iter()
            .flat_map(|side| (2..side.len()).map(move |k| [side[0], side[k - 1], side[k]]));
        for (k, triangle) in fans.enumerate() {
            if k == 0 {
                self.triangles[t] = triangle;
            } else {
                self.triangles.push(triangle);
                self.parents.push(parent);
            }
        }
    }

    /// The branch round which each triangle lies, and where along it.
    fn owners(&self, graph: &CenterlineGraph) -> Vec<Option<(usize, f64)>> {
        let of_parent = &graph.component_of_triangle;
        let graph = CenterlineGraph {
            component_of_triangle: (self.parents.iter())
                .map(|&p| of_parent.get(p as usize).copied().flatten())
                .collect(),
            ..graph.clone()
        };
        let Ok(split) = TriMesh::new(self.vertices.clone(), self.triangles.clone()) else {
            return vec![None; self.mesh.triangles().len()];
        };
        let projector = graph.projector();
        let owners = graph.surface(&split).into_iter().enumerate();
        owners
            .map(|(t, owner)| {
                if let Some(owner) = owner {
                    return Some((owner.branch, owner.arc_length));
                }
                // Copies and triangles without area were left out of the extraction: they go with what they lie on.
                if graph.component_of_triangle[t].is_some() {
                    return None;
                }
                let [a, b, c] = split.corners(t);
                let place = projector.project(&((a + b + c) / 3.0))?;
                let radius = graph.branches[place.branch].at(place.arc_length).radius;
                let is_on = place.distance < COPY_RADII * radius;
                is_on.then_some((place.branch, place.arc_length))
            })
            .collect()
    }
}
