//! A whole body: edges sampled once, faces in parallel, what fails done again with finer edges.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::edge::sample;
use super::face::{FaceMesh, extent, triangulate};
use super::measure::measure;
use super::patch::patch;
use super::tangent::folded_back;
use super::{Body, Curve, Defect, Face, Fineness, ShellKind, Surface, Tessellation};
use crate::geom::Vec3;
use crate::progress::{Cancelled, Stretch};

/// Times that failed faces are done again with edges cut finer.
const ROUNDS: u32 = 4;
/// Share of a face that may be turned over: slivers at its border.
const FOLDED: f64 = 1e-3;
/// What is said of a face whose borders run against its direction.
const CONTRADICTS: &str = "its direction contradicts its border";

/// Triangulates a body.
pub fn tessellate(
    body: &Body,
    fineness: &Fineness,
    stretch: &Stretch,
) -> Result<Tessellation, Cancelled> {
    let mut work = Work::new(body, fineness);
    let mut todo: Vec<usize> = (0..body.faces.len()).collect();
    for round in 0..=ROUNDS {
        work.triangulate(&todo, stretch)?;
        if round == ROUNDS {
            break;
        }
        todo = work.refine_failed(&todo, round);
        if todo.is_empty() {
            break;
        }
    }
    Ok(work.finish())
}

struct Work<'a> {
    body: &'a Body,
    fineness: &'a Fineness,
    /// Vertices of the body, then samples of edges.
    points: Vec<Vec3>,
    /// Numbers of the points of each edge, ends included.
    edges: Vec<Vec<u32>>,
    levels: Vec<u32>,
    /// How far the ends of each edge are from its curve.
    gaps: Vec<f64>,
    results: Vec<Result<FaceMesh, String>>,
}

impl<'a> Work<'a> {
    fn new(body: &'a Body, fineness: &'a Fineness) -> Self {
        let mut work = Self {
            body,
            fineness,
            points: body.vertices.clone(),
            edges: vec![Vec::new(); body.edges.len()],
            levels: vec![0; body.edges.len()],
            gaps: vec![0.0; body.edges.len()],
            results: vec![Err(String::new()); body.faces.len()],
        };
        for edge in 0..body.edges.len() {
            work.sample(edge);
        }
        work
    }

    fn sample(&mut self, edge: usize) {
        let e = &self.body.edges[edge];
        let [a, b] = e.ends;
        let samples = sample(
            e,
            &self.body.vertices[a],
            &self.body.vertices[b],
            self.fineness,
            self.levels[edge],
        );
        let mut ids = vec![a as u32];
        for point in samples.points {
            ids.push(self.points.len() as u32);
            self.points.push(point);
        }
        ids.push(b as u32);
        self.edges[edge] = ids;
        self.gaps[edge] = samples.gap;
    }

    /// The loops of a face by point numbers; an error where they do not hang together.
    fn loops(&self, face: &Face) -> Result<Vec<Vec<u32>>, String> {
        let mut loops = Vec::with_capacity(face.loops.len());
        for coedges in &face.loops {
            let mut ids: Vec<u32> = Vec::new();
            let mut start = None;
            for (k, coedge) in coedges.iter().enumerate() {
                let mut forward = coedge.forward;
                let ends = |forward: bool| {
                    let [a, b] = self.body.edges[coedge.edge].ends;
                    if forward { [a, b] } else { [b, a] }
                };
                // The first edge fits the second; every other one goes on where the last ended.
                let at = match (k, start) {
                    (0, _) => coedges.get(1).map_or(ends(forward)[0], |next| {
                        let next = self.body.edges[next.edge].ends;
                        let here = ends(forward);
                        if next.contains(&here[1]) || !next.contains(&here[0]) {
                            here[0]
                        } else {
                            here[1]
                        }
                    }),
                    (_, Some(at)) => at,
                    _ => ends(forward)[0],
                };
                if ends(forward)[0] != at && ends(!forward)[0] == at {
                    forward = !forward;
                }
                if ends(forward)[0] != at {
                    return Err(format!(
                        "its border is interrupted at edge #{}",
                        self.body.edges[coedge.edge].number
                    ));
                }
                let points = &self.edges[coedge.edge];
                let n = points.len() - 1;
                if forward {
                    ids.extend(&points[..n]);
                } else {
                    ids.extend(points[1..].iter().rev());
                }
                start = Some(ends(forward)[1]);
            }
            let Some(end) = start else { continue };
            if ids.first() != Some(&(end as u32)) {
                return Err("its border is not closed".to_owned());
            }
            loops.push(ids);
        }
        Ok(loops)
    }

    fn triangulate(&mut self, todo: &[usize], stretch: &Stretch) -> Result<(), Cancelled> {
        let done: Vec<Mutex<Option<Result<FaceMesh, String>>>> =
            todo.iter().map(|_| Mutex::new(None)).collect();
        let next = AtomicUsize::new(0);
        let this = &*self;
        let run = || {
            loop {
                let k = next.fetch_add(1, Ordering::Relaxed);
                let Some(&face) = todo.get(k) else {
                    return Ok(());
                };
                stretch.at(k as f64 / todo.len() as f64)?;
                let face = &this.body.faces[face];
                let result = this
                    .loops(face)
                    .and_then(|loops| triangulate(face, &loops, &this.points, this.fineness));
                *done[k].lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }
        };
        // Small bodies are done before a second thread has begun.
        let n_threads = std::thread::available_parallelism()
            .map_or(1, usize::from)
            .min(todo.len() / 16 + 1)
            .min(8);
        let outcomes: Vec<Result<(), Cancelled>> = std::thread::scope(|scope| {
            let others: Vec<_> = (1..n_threads).map(|_| scope.spawn(run)).collect();
            let mut outcomes = vec![run()];
            // A panic of a thread goes on here: it is our bug, and the caller of the import reports it.
            outcomes.extend(
                others
                    .into_iter()
                    .map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e))),
            );
            outcomes
        });
        outcomes
            .into_iter()
            .collect::<Result<Vec<()>, Cancelled>>()?;
        for (face, result) in todo.iter().zip(done) {
            let result = result.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.results[*face] = result.unwrap_or_else(|| Err("it was not reached".to_owned()));
        }
        Ok(())
    }

    /// Cuts the edges of failed faces finer; returns the faces that must be done again.
    fn refine_failed(&mut self, todo: &[usize], round: u32) -> Vec<usize> {
        let mut is_cut = vec![false; self.body.edges.len()];
        for &f in todo {
            let has_failed = match &self.results[f] {
                Ok(mesh) => mesh.folded > FOLDED,
                Err(_) => true,
            };
            let face = &self.body.faces[f];
            if !has_failed || face.surface.is_err() {
                continue;
            }
            let coedges = || face.loops.iter().flatten();
            let radius = |edge: usize| match &self.body.edges[edge].curve {
                Ok(Curve::Ellipse { a, b, .. }) => Some(a.max(*b)),
                _ => None,
            };
            let smallest = coedges()
                .filter_map(|c| radius(c.edge))
                .fold(f64::INFINITY, f64::min);
            let is_larger = |edge: usize| radius(edge).is_some_and(|r| r > 1.0001 * smallest);
            // Tangent arcs of equal steps have chords on one line: only the larger ones are cut, at first.
            let is_plane = matches!(&face.surface, Ok(Surface::Plane(_)));
            let only_larger = is_plane && round < 2 && coedges().any(|c| is_larger(c.edge));
            for coedge in coedges() {
                if !only_larger || is_larger(coedge.edge) {
                    is_cut[coedge.edge] = true;
                }
            }
        }
        for edge in 0..is_cut.len() {
            if is_cut[edge] {
                self.levels[edge] += 1;
                self.sample(edge);
            }
        }
        let touches = |face: &Face| face.loops.iter().flatten().any(|c| is_cut[c.edge]);
        (0..self.body.faces.len())
            .filter(|f| touches(&self.body.faces[*f]))
            .collect()
    }

    fn finish(self) -> Tessellation {
        let mut out = Tessellation {
            vertices: self.points.clone(),
            ..Tessellation::default()
        };
        for shell in &self.body.shells {
            let first = out.triangles.len();
            let mut doubted = Vec::new();
            for f in shell.faces.clone() {
                let before = out.triangles.len();
                self.add_face(f, &mut out);
                out.per_face.push(out.triangles.len() - before);
                if matches!(&self.results[f], Ok(mesh) if mesh.is_inverted) {
                    doubted.push(before..out.triangles.len());
                }
            }
            self.add_folded_back(shell.faces.clone(), &mut out);
            turn_to_fit(&mut out.triangles, first, &doubted);
            let found = measure(&out.vertices, &out.triangles[first..]);
            if !doubted.is_empty() && found.open_sides == 0 {
                // Between its seams there is one face only, and the neighbours have told its direction.
                let known: Vec<u64> = self.body.faces[shell.faces.clone()]
                    .iter()
                    .filter(|f| has_seam(f))
                    .map(|f| f.number)
                    .collect();
                out.defects
                    .retain(|d| d.reason != CONTRADICTS || !known.contains(&d.face));
            }
            if shell.kind != ShellKind::Sheet && found.open_sides > 0 {
                out.open_shells += 1;
            }
            let is_turned = match shell.kind {
                ShellKind::Sheet => false,
                ShellKind::Outer => found.volume < 0.0,
                ShellKind::Void => found.volume > 0.0,
            };
            if is_turned && found.open_sides == 0 {
                for t in &mut out.triangles[first..] {
                    t.swap(1, 2);
                }
            }
        }
        out
    }

    fn add_folded_back(&self, faces: std::ops::Range<usize>, out: &mut Tessellation) {
        let middle = |edge: usize| {
            let points = &self.edges[edge];
            self.points[points[points.len() / 2] as usize]
        };
        for f in folded_back(self.body, faces, middle) {
            let face = self.body.faces[f].number;
            if out.defects.iter().all(|d| d.face != face) {
                out.defects.push(Defect {
                    face,
                    reason: "it folds back on its neighbour: its direction may be wrong".to_owned(),
                    is_patched: false,
                });
            }
        }
    }

    fn add_face(&self, f: usize, out: &mut Tessellation) {
        let face = &self.body.faces[f];
        match &self.results[f] {
            Ok(mesh) => {
                let first = mesh.first_inner;
                let shift = out.vertices.len() as u32 - first;
                out.vertices.extend(&mesh.inner);
                out.triangles.extend(
                    mesh.triangles
                        .iter()
                        .map(|t| t.map(|v| if v < first { v } else { v + shift })),
                );
                let loops = self.loops(face).unwrap_or_default();
                let size = extent(&loops, &self.points);
                let gap = face
                    .loops
                    .iter()
                    .flatten()
                    .map(|c| self.gaps[c.edge])
                    .fold(0.0, f64::max);
                out.defects.extend(self.defects(face, mesh, size, gap));
            }
            Err(reason) => {
                let loops = self.loops(face).unwrap_or_else(|_| self.rough_loops(face));
                out.triangles.extend(patch(&loops, &self.points));
                out.defects.push(Defect {
                    face: face.number,
                    reason: reason.clone(),
                    is_patched: true,
                });
            }
        }
    }

    fn defects(&self, face: &Face, mesh: &FaceMesh, size: f64, gap: f64) -> Option<Defect> {
        // Files are exact to some micrometres; what is far beyond that is another radius or another place.
        let chord = self.fineness.chord_error;
        let allowed = (0.25 * chord)
            .min(0.02 * size)
            .max(1e-3 * size)
            .max(0.05 * chord);
        let reason = if mesh.off_surface > allowed {
            format!("its border is {:.3} off its surface", mesh.off_surface)
        } else if gap > allowed.max(0.5 * chord) {
            format!("the ends of an edge are {gap:.3} off its curve")
        } else if let Some(edge) = face
            .loops
            .iter()
            .flatten()
            .find(|c| self.body.edges[c.edge].curve.is_err())
        {
            let edge = &self.body.edges[edge.edge];
            let why = edge.curve.as_ref().err().map_or("", String::as_str);
            format!("edge #{} is drawn straight: {why}", edge.number)
        } else if mesh.folded > FOLDED {
            format!("{:.1} % of it is folded", 100.0 * mesh.folded)
        } else if mesh.is_inverted {
            CONTRADICTS.to_owned()
        } else {
            return None;
        };
        Some(Defect {
            face: face.number,
            reason,
            is_patched: false,
        })
    }

    /// The points of loops that do not hang together.
    fn rough_loops(&self, face: &Face) -> Vec<Vec<u32>> {
        face.loops
            .iter()
            .map(|coedges| {
                let mut ids = Vec::new();
                for coedge in coedges {
                    let points = &self.edges[coedge.edge];
                    if coedge.forward {
                        ids.extend(points);
                    } else {
                        ids.extend(points.iter().rev());
                    }
                }
                ids.dedup();
                ids
            })
            .collect()
    }
}

/// Whether it passes an edge both ways.
fn has_seam(face: &Face) -> bool {
    let mut passed: Vec<(usize, bool)> = face
        .loops
        .iter()
        .flatten()
        .map(|c| (c.edge, c.forward))
        .collect();
    passed.sort_unstable();
    passed
        .windows(2)
        .any(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1)
}

/// Turns those faces of a shell round that fit their neighbours so: `doubted` are their triangles, those of the shell
/// begin at `first`. Some programs write mirrored faces with their borders the wrong way round.
fn turn_to_fit(triangles: &mut [[u32; 3]], first: usize, doubted: &[Range<usize>]) {
    if doubted.is_empty() {
        return;
    }
    let sides = |[a, b, c]: [u32; 3]| [(a, b), (b, c), (c, a)];
    let key = |(a, b): (u32, u32)| ((a.min(b), a.max(b)), if a < b { 1 } else { -1 });
    // How much more often a side is passed one way than the other.
    let balance = |triangles: &[[u32; 3]]| {
        let mut balance: HashMap<(u32, u32), i32> = HashMap::new();
        for (side, way) in triangles.iter().flat_map(|t| sides(*t)).map(key) {
            *balance.entry(side).or_default() += way;
        }
        balance
    };
    let mut whole = balance(&triangles[first..]);
    for face in doubted {
        let own = balance(&triangles[face.clone()]);
        let at = |side: &(u32, u32)| whole.get(side).copied().unwrap_or(0);
        let open: i32 = own.keys().map(|side| at(side).abs()).sum();
        let turned: i32 = own.iter().map(|(side, n)| (at(side) - 2 * n).abs()).sum();
        if turned < open {
            for (side, n) in own {
                *whole.entry(side).or_default() -= 2 * n;
            }
            for t in &mut triangles[face.clone()] {
                t.swap(1, 2);
            }
        }
    }
}
