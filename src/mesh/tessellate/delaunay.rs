//! The constrained Delaunay triangulation of loops in a plane, and its refinement.

use std::collections::{HashMap, HashSet};

use spade::handles::{FixedFaceHandle, FixedVertexHandle, InnerTag};
use spade::{ConstrainedDelaunayTriangulation, Point2, PositionInTriangulation, Triangulation};

use super::Fineness;
use super::chart::Chart;
use super::layout::Corner;
use super::surface::Surface;
use crate::geom::Vec3;

/// Most vertices of one face; beyond it the surface is damaged.
const MOST: usize = 200_000;
/// Rounds of refinement; each halves what is too long.
const ROUNDS: usize = 14;

/// Triangles of a face.
pub struct Flat {
    cdt: ConstrainedDelaunayTriangulation<Point2<f64>>,
    /// By vertex of the triangulation.
    nodes: Vec<Node>,
    /// 1 where the face is inside its loops, -1 where the loops run the wrong way round.
    pub side: i32,
    kept: Vec<FixedFaceHandle<InnerTag>>,
    weights: HashMap<(usize, usize), i32>,
    /// Points that were added inside.
    pub inner: Vec<Vec3>,
    n_points: u32,
}

/// A vertex of the triangulation.
#[derive(Clone, Copy)]
struct Node {
    id: u32,
    point: Vec3,
    /// Of length one, unless the surface has none there.
    normal: Vec3,
}

fn plane_point(place: [f64; 2]) -> Result<Point2<f64>, String> {
    // Numbers nearer to zero are refused by the predicates.
    let clean = |x: f64| if x.abs() < 1e-30 { 0.0 } else { x };
    let place = place.map(clean);
    if place.iter().all(|x| x.abs() < 1e30) {
        Ok(Point2::new(place[0], place[1]))
    } else {
        Err("its border is beyond all measure".to_owned())
    }
}

impl Flat {
    /// Triangulates the inside of the loops.
    pub fn new(
        surface: &Surface,
        chart: &Chart,
        loops: &[Vec<Corner>],
        points: &[Vec3],
    ) -> Result<Self, String> {
        let mut flat = Self {
            cdt: ConstrainedDelaunayTriangulation::new(),
            nodes: Vec::new(),
            side: 1,
            kept: Vec::new(),
            weights: HashMap::new(),
            inner: Vec::new(),
            n_points: points.len() as u32,
        };
        for corners in loops {
            let mut handles = Vec::with_capacity(corners.len());
            for corner in corners {
                let node = Node {
                    id: corner.id,
                    point: points[corner.id as usize],
                    normal: surface.normal(corner.uv[0], corner.uv[1]),
                };
                handles.push(flat.add(plane_point(chart.place(corner.uv))?, node)?);
            }
            for (i, &a) in handles.iter().enumerate() {
                let b = handles[(i + 1) % handles.len()];
                if a == b {
                    continue;
                }
                if !flat.cdt.can_add_constraint(a, b) {
                    return Err("its borders cross".to_owned());
                }
                flat.cdt.add_constraint(a, b);
                if !flat.cdt.exists_constraint(a, b) {
                    return Err("its borders touch".to_owned());
                }
                *flat.weights.entry((a.index(), b.index())).or_default() += 1;
            }
        }
        flat.fill()?;
        Ok(flat)
    }

    fn add(&mut self, place: Point2<f64>, node: Node) -> Result<FixedVertexHandle, String> {
        let handle = self.cdt.insert(place).map_err(|e| e.to_string())?;
        if handle.index() == self.nodes.len() {
            self.nodes.push(node);
        } else if self.nodes[handle.index()].id != node.id {
            return Err("its border touches itself".to_owned());
        }
        Ok(handle)
    }

    fn weight(&self, a: usize, b: usize) -> i32 {
        let of = |a, b| self.weights.get(&(a, b)).copied().unwrap_or(0);
        of(a, b) - of(b, a)
    }

    /// Finds the triangles inside: the loops run round them once.
    fn fill(&mut self) -> Result<(), String> {
        let n_faces = self.cdt.num_all_faces();
        let mut winding: Vec<Option<i32>> = vec![None; n_faces];
        let mut stack = Vec::new();
        winding[self.cdt.outer_face().fix().index()] = Some(0);
        for edge in self.cdt.convex_hull() {
            // The hull's edges have the outside on their left.
            let inner = edge.rev();
            let [a, b] = [inner.from().index(), inner.to().index()];
            if let Some(face) = inner.face().as_inner() {
                let index = face.fix().index();
                if winding[index].is_none() {
                    winding[index] = Some(self.weight(a, b));
                    stack.push(face.fix());
                }
            }
        }
        while let Some(face) = stack.pop() {
            let own = winding[face.index()].unwrap_or(0);
            for edge in self.cdt.face(face).adjacent_edges() {
                let other = edge.rev();
                let Some(neighbour) = other.face().as_inner() else {
                    continue;
                };
                let index = neighbour.fix().index();
                if winding[index].is_none() {
                    let [a, b] = [edge.from().index(), edge.to().index()];
                    winding[index] = Some(own - self.weight(a, b));
                    stack.push(neighbour.fix());
                }
            }
        }
        let found = |w: i32| winding.contains(&Some(w));
        self.side = match (found(1), found(-1)) {
            (true, false) => 1,
            (false, true) => -1,
            (true, true) => return Err("its borders run both ways round".to_owned()),
            (false, false) => return Err("its border encloses nothing".to_owned()),
        };
        if winding.iter().flatten().any(|w| w.abs() > 1) {
            return Err("its borders overlap".to_owned());
        }
        self.kept = self
            .cdt
            .inner_faces()
            .map(|f| f.fix())
            .filter(|f| winding[f.index()] == Some(self.side))
            .collect();
        Ok(())
    }

    /// Adds points inside at these places of the plane, where they keep the distance from what is there.
    pub fn seed(
        &mut self,
        surface: &Surface,
        chart: &Chart,
        places: &[([f64; 2], f64)],
    ) -> Result<(), String> {
        let kept: HashSet<usize> = self.kept.iter().map(FixedFaceHandle::index).collect();
        let mut wanted = Vec::new();
        let mut hint = None;
        for (uv, distance) in places {
            let place = plane_point(chart.place(*uv))?;
            let found = match hint {
                Some(hint) => self.cdt.locate_with_hint(place, hint),
                None => self.cdt.locate(place),
            };
            if let PositionInTriangulation::OnFace(face) = found {
                let face = self.cdt.face(face);
                hint = Some(face.vertices()[0].fix());
                if !kept.contains(&face.fix().index()) {
                    continue;
                }
                let point = surface.point(uv[0], uv[1]);
                let is_free = face.adjacent_edges().into_iter().all(|edge| {
                    let [a, b] = [edge.from(), edge.to()].map(|v| self.nodes[v.index()].point);
                    !edge.is_constraint_edge() || off_segment(&point, &a, &b) > *distance
                });
                if is_free {
                    wanted.push((place, point, surface.normal(uv[0], uv[1]), *distance));
                }
            }
        }
        for (place, point, normal, distance) in wanted {
            self.insert_inner(place, point, normal, distance)?;
        }
        self.fill()
    }

    /// Inserts a point inside, unless it is on a border or nearer than `distance` to the corners of its triangle.
    fn insert_inner(
        &mut self,
        place: Point2<f64>,
        point: Vec3,
        normal: Vec3,
        distance: f64,
    ) -> Result<bool, String> {
        let hint = self
            .nodes
            .len()
            .checked_sub(1)
            .map(FixedVertexHandle::from_index);
        let found = match hint {
            Some(hint) => self.cdt.locate_with_hint(place, hint),
            None => self.cdt.locate(place),
        };
        let is_free = match found {
            PositionInTriangulation::OnFace(face) => self
                .cdt
                .face(face)
                .vertices()
                .iter()
                .all(|v| (self.nodes[v.index()].point - point).norm() > distance),
            PositionInTriangulation::OnEdge(edge) => {
                !self.cdt.is_constraint_edge(edge.as_undirected())
            }
            _ => false,
        };
        let is_finite = point.iter().all(|c| c.is_finite());
        if !is_free || !is_finite || self.nodes.len() >= MOST {
            return Ok(false);
        }
        let id = self.n_points + self.inner.len() as u32;
        let before = self.nodes.len();
        self.add(place, Node { id, point, normal })?;
        if self.nodes.len() > before {
            self.inner.push(point);
        }
        Ok(true)
    }

    /// Adds points inside until chords and triangles are near enough to the surface.
    pub fn refine(
        &mut self,
        surface: &Surface,
        chart: &Chart,
        fineness: &Fineness,
    ) -> Result<(), String> {
        let mut good: HashSet<(usize, usize)> = HashSet::new();
        let size = self
            .nodes
            .iter()
            .map(|n| (n.point - self.nodes[0].point).norm())
            .fold(0.0, f64::max);
        let shortest = (1e-4 * size).max(1e-3 * fineness.chord_error.min(size));
        let turn = fineness.turn() * 1.25;
        for _ in 0..ROUNDS {
            let mut wanted: Vec<Point2<f64>> = Vec::new();
            for face in &self.kept {
                let face = self.cdt.face(*face);
                let mut is_split = false;
                for edge in face.adjacent_edges() {
                    let [a, b] = [edge.from().index(), edge.to().index()];
                    let key = (a.min(b), a.max(b));
                    if edge.is_constraint_edge() || good.contains(&key) {
                        continue;
                    }
                    let [p, q] = [edge.from().position(), edge.to().position()];
                    let middle = Point2::new(0.5 * (p.x + q.x), 0.5 * (p.y + q.y));
                    if self.is_bad_chord(
                        surface,
                        chart,
                        [a, b],
                        middle,
                        fineness.chord_error,
                        turn,
                        shortest,
                    ) {
                        is_split = true;
                        wanted.push(middle);
                    } else {
                        good.insert(key);
                    }
                }
                if !is_split && !surface_is_ruled(surface) {
                    let corners = face
                        .vertices()
                        .map(|v| (v.position(), self.nodes[v.index()].point));
                    let middle = Point2::new(
                        corners.iter().map(|c| c.0.x).sum::<f64>() / 3.0,
                        corners.iter().map(|c| c.0.y).sum::<f64>() / 3.0,
                    );
                    let [u, v] = chart.parameters([middle.x, middle.y]);
                    let [a, b, c] = corners.map(|c| c.1);
                    let normal = (b - a).cross(&(c - a));
                    let off = (surface.point(u, v) - a).dot(&normal).abs();
                    let is_large = normal.norm() > shortest * shortest;
                    if is_large && off > fineness.chord_error * normal.norm() {
                        wanted.push(middle);
                    }
                }
            }
            if wanted.is_empty() {
                return Ok(());
            }
            // Each inner edge was seen from both sides.
            wanted.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
            wanted.dedup();
            let mut n_added = 0;
            for place in wanted {
                let [u, v] = chart.parameters([place.x, place.y]);
                let (point, normal) = (surface.point(u, v), surface.normal(u, v));
                n_added += usize::from(self.insert_inner(place, point, normal, 0.1 * shortest)?);
            }
            if n_added == 0 {
                return Ok(());
            }
            self.fill()?;
        }
        Ok(())
    }

    #[allow(
        clippy::too_many_arguments,
        reason = "one test of one chord, called in one place"
    )]
    fn is_bad_chord(
        &self,
        surface: &Surface,
        chart: &Chart,
        [a, b]: [usize; 2],
        middle: Point2<f64>,
        chord_error: f64,
        turn: f64,
        shortest: f64,
    ) -> bool {
        let (a, b) = (&self.nodes[a], &self.nodes[b]);
        let length = (b.point - a.point).norm();
        if a.id == b.id || length < shortest {
            return false;
        }
        let [u, v] = chart.parameters([middle.x, middle.y]);
        if off_segment(&surface.point(u, v), &a.point, &b.point) > chord_error {
            return true;
        }
        let angle = a
            .normal
            .cross(&b.normal)
            .norm()
            .atan2(a.normal.dot(&b.normal));
        a.normal != Vec3::zeros() && b.normal != Vec3::zeros() && angle > turn
    }

    /// The triangles by vertex number, those that have shrunk to a line at a pole or seam left out; and how much of
    /// their area faces the wrong way.
    pub fn triangles(&self, surface: &Surface, chart: &Chart) -> (Vec<[u32; 3]>, f64) {
        let mut triangles = Vec::with_capacity(self.kept.len());
        let (mut folded, mut total) = (0.0, 0.0);
        for face in &self.kept {
            let face = self.cdt.face(*face);
            let corners = face
                .vertices()
                .map(|v| (v.position(), self.nodes[v.index()]));
            let [a, b, c] = corners.map(|c| c.1.id);
            if a == b || b == c || c == a {
                continue;
            }
            let [p, q, r] = corners.map(|c| c.1.point);
            let normal = (q - p).cross(&(r - p));
            let middle = [
                corners.iter().map(|c| c.0.x).sum::<f64>() / 3.0,
                corners.iter().map(|c| c.0.y).sum::<f64>() / 3.0,
            ];
            let [u, v] = chart.parameters(middle);
            total += normal.norm();
            if normal.dot(&surface.normal(u, v)) < 0.0 {
                folded += normal.norm();
            }
            triangles.push(if self.side > 0 { [a, b, c] } else { [a, c, b] });
        }
        (triangles, if total > 0.0 { folded / total } else { 0.0 })
    }
}

fn surface_is_ruled(surface: &Surface) -> bool {
    surface.straight().is_some()
}

fn off_segment(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let along = b - a;
    let share = ((p - a).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    (p - (a + along * share)).norm()
}
