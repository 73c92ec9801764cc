//! Bodies of a STEP file: shells, faces, loops, edges, vertices.

use std::collections::HashMap;

use super::entities::{is_true, reference, references};
use super::geometry::Geometry;
use crate::geom::Vec3;
use crate::mesh::tessellate::{Body, Coedge, Curve, Edge, Face, Shell, ShellKind};

/// Builds one body.
pub struct Builder<'a> {
    geometry: Geometry<'a>,
    body: Body,
    vertices: HashMap<u64, usize>,
    edges: HashMap<u64, Option<usize>>,
    /// Straight edges of loops of points, by their two vertices.
    sides: HashMap<(usize, usize), usize>,
    /// What could not be read at all, for the report.
    lost: Vec<(u64, String)>,
}

/// A body and what could not be read of it, by number.
pub struct Built {
    /// The body.
    pub body: Body,
    /// Faces and shells that are missing in it.
    pub lost: Vec<(u64, String)>,
}

impl<'a> Builder<'a> {
    /// Starts without a face.
    pub fn new(geometry: Geometry<'a>) -> Self {
        Self {
            geometry,
            body: Body::default(),
            vertices: HashMap::new(),
            edges: HashMap::new(),
            sides: HashMap::new(),
            lost: Vec::new(),
        }
    }

    /// What was built.
    pub fn finish(self) -> Built {
        Built {
            body: self.body,
            lost: self.lost,
        }
    }

    /// Adds a solid, a surface model, a shell or a face; false where it is none.
    pub fn add(&mut self, item: u64) -> bool {
        let Some((keyword, values)) = self.geometry.entities.first(item) else {
            return false;
        };
        match keyword {
            "MANIFOLD_SOLID_BREP" | "FACETED_BREP" => {
                self.shells([reference(values, 1)], ShellKind::Outer, item);
            }
            "BREP_WITH_VOIDS" => {
                self.shells([reference(values, 1)], ShellKind::Outer, item);
                self.shells(
                    references(values, 2).into_iter().map(Some),
                    ShellKind::Void,
                    item,
                );
            }
            "SHELL_BASED_SURFACE_MODEL" | "FACE_BASED_SURFACE_MODEL" => {
                self.shells(
                    references(values, 1).into_iter().map(Some),
                    ShellKind::Sheet,
                    item,
                );
            }
            "OPEN_SHELL"
            | "CLOSED_SHELL"
            | "CONNECTED_FACE_SET"
            | "ORIENTED_CLOSED_SHELL"
            | "ORIENTED_OPEN_SHELL" => {
                self.shells([Some(item)], ShellKind::Sheet, item);
            }
            "ADVANCED_FACE" | "FACE_SURFACE" | "ORIENTED_FACE" => {
                let first = self.body.faces.len();
                self.face(item, true);
                self.body.shells.push(Shell {
                    faces: first..self.body.faces.len(),
                    kind: ShellKind::Sheet,
                });
            }
            _ => {
                // Of a complex instance the record with the shell.
                let Some(instance) = self.geometry.entities.get(item) else {
                    return false;
                };
                if let Some(record) = instance.record("MANIFOLD_SOLID_BREP") {
                    let outer = record.iter().find_map(crate::part21::Value::reference);
                    self.shells([outer], ShellKind::Outer, item);
                    let voids = instance.record("BREP_WITH_VOIDS").map(|r| references(r, 0));
                    let voids = voids.unwrap_or_default().into_iter().map(Some);
                    self.shells(voids, ShellKind::Void, item);
                    return true;
                }
                return false;
            }
        }
        true
    }

    fn lose(&mut self, number: u64, reason: impl Into<String>) {
        self.lost.push((number, reason.into()));
    }

    fn shells(
        &mut self,
        shells: impl IntoIterator<Item = Option<u64>>,
        kind: ShellKind,
        item: u64,
    ) {
        for shell in shells {
            match shell {
                Some(shell) => self.shell(shell, kind, true, 0),
                None => self.lose(item, "its shell is missing"),
            }
        }
    }

    fn shell(&mut self, shell: u64, kind: ShellKind, outside: bool, depth: usize) {
        let Some((keyword, values)) = self.geometry.entities.first(shell) else {
            return self.lose(shell, "the shell is missing");
        };
        if keyword.starts_with("ORIENTED_") && depth < 4 {
            match reference(values, 2) {
                Some(inner) => {
                    self.shell(inner, kind, outside == is_true(values.get(3)), depth + 1);
                }
                None => self.lose(shell, "the shell is missing"),
            }
            return;
        }
        let listed = values
            .get(1)
            .and_then(crate::part21::Value::list)
            .map_or(0, <[_]>::len);
        let faces = references(values, 1);
        if faces.is_empty() || faces.len() < listed {
            self.lose(shell, "the shell lacks faces");
        }
        let first = self.body.faces.len();
        for face in faces {
            self.face(face, outside);
        }
        self.body.shells.push(Shell {
            faces: first..self.body.faces.len(),
            kind,
        });
    }

    fn face(&mut self, number: u64, outside: bool) {
        self.face_at(number, outside, 0);
    }

    fn face_at(&mut self, number: u64, outside: bool, depth: usize) {
        let Some((keyword, values)) = self.geometry.entities.first(number) else {
            return self.lose(number, "the face is missing");
        };
        match keyword {
            "ORIENTED_FACE" if depth < 4 => {
                match reference(values, 2) {
                    Some(inner) => {
                        self.face_at(inner, outside == is_true(values.get(3)), depth + 1);
                    }
                    None => self.lose(number, "the face is missing"),
                }
                return;
            }
            "ADVANCED_FACE" | "FACE_SURFACE" => {}
            _ => return self.lose(number, format!("{keyword} is no face that is read")),
        }
        let surface = match reference(values, 2) {
            Some(surface) => self.geometry.surface(surface),
            None => Err("its surface is missing".to_owned()),
        };
        let mut surface = surface;
        let mut loops = Vec::new();
        let mut has_point_loop = false;
        for bound in references(values, 1) {
            match self.bound(bound) {
                Ok(Some(coedges)) => loops.push(coedges),
                Ok(None) => has_point_loop = true,
                Err(reason) => surface = Err(reason),
            }
        }
        let mut same_sense = is_true(values.get(3));
        if !outside {
            same_sense = !same_sense;
            loops.iter_mut().for_each(turn_round);
        }
        self.body.faces.push(Face {
            number,
            surface,
            same_sense,
            loops,
            has_point_loop,
        });
    }

    /// The edges of a bound; none for a single vertex.
    fn bound(&mut self, bound: u64) -> Result<Option<Vec<Coedge>>, String> {
        let bad = || format!("its bound #{bound} cannot be read");
        let (_, values) = self.geometry.entities.first(bound).ok_or_else(bad)?;
        let path = reference(values, 1).ok_or_else(bad)?;
        let (keyword, path_values) = self.geometry.entities.first(path).ok_or_else(bad)?;
        let mut coedges = match keyword {
            "EDGE_LOOP" => {
                let mut coedges = Vec::new();
                for oriented in references(path_values, 1) {
                    coedges.push(
                        self.oriented_edge(oriented)
                            .ok_or_else(|| format!("its edge #{oriented} cannot be read"))?,
                    );
                }
                coedges
            }
            "POLY_LOOP" => self.sides(&references(path_values, 1)).ok_or_else(bad)?,
            "VERTEX_LOOP" => return Ok(None),
            _ => return Err(bad()),
        };
        if coedges.is_empty() {
            return Err(bad());
        }
        if !is_true(values.get(2)) {
            turn_round(&mut coedges);
        }
        Ok(Some(coedges))
    }

    fn oriented_edge(&mut self, oriented: u64) -> Option<Coedge> {
        let entities = self.geometry.entities;
        let (edge, forward) = match entities.record(oriented, "ORIENTED_EDGE") {
            Some(record) => (reference(record, 3)?, is_true(record.get(4))),
            None => (oriented, true),
        };
        if let Some(known) = self.edges.get(&edge) {
            return known.map(|edge| Coedge { edge, forward });
        }
        let made = self.edge_curve(edge);
        self.edges.insert(edge, made);
        made.map(|edge| Coedge { edge, forward })
    }

    fn edge_curve(&mut self, number: u64) -> Option<usize> {
        let entities = self.geometry.entities;
        let record = entities.record(number, "EDGE_CURVE")?;
        let ends = [
            self.vertex(reference(record, 1)?)?,
            self.vertex(reference(record, 2)?)?,
        ];
        let curve = match reference(record, 3) {
            Some(curve) => self.geometry.curve(curve),
            None => Err("its curve is missing".to_owned()),
        };
        self.body.edges.push(Edge {
            number,
            curve,
            ends,
            same_sense: is_true(record.get(4)),
        });
        Some(self.body.edges.len() - 1)
    }

    fn vertex(&mut self, number: u64) -> Option<usize> {
        if let Some(&known) = self.vertices.get(&number) {
            return Some(known);
        }
        let record = self.geometry.entities.record(number, "VERTEX_POINT")?;
        let point = self.geometry.point(reference(record, 1)?)?;
        Some(self.new_vertex(number, point))
    }

    fn new_vertex(&mut self, number: u64, point: Vec3) -> usize {
        self.body.vertices.push(point);
        self.vertices.insert(number, self.body.vertices.len() - 1);
        self.body.vertices.len() - 1
    }

    /// Straight edges from point to point.
    fn sides(&mut self, points: &[u64]) -> Option<Vec<Coedge>> {
        let mut corners = Vec::with_capacity(points.len());
        for &number in points {
            let vertex = if let Some(&known) = self.vertices.get(&number) {
                known
            } else {
                let point = self.geometry.point(number)?;
                self.new_vertex(number, point)
            };
            corners.push(vertex);
        }
        corners.dedup();
        if corners.len() > 1 && corners.first() == corners.last() {
            corners.pop();
        }
        if corners.len() < 3 {
            return None;
        }
        let n = corners.len();
        Some(
            (0..n)
                .map(|i| self.side(corners[i], corners[(i + 1) % n]))
                .collect(),
        )
    }

    fn side(&mut self, a: usize, b: usize) -> Coedge {
        let key = (a.min(b), a.max(b));
        let edge = if let Some(&known) = self.sides.get(&key) {
            known
        } else {
            let [p, q] = [key.0, key.1].map(|v| self.body.vertices[v]);
            self.body.edges.push(Edge {
                number: 0,
                curve: Ok(Curve::Line {
                    origin: p,
                    direction: q - p,
                }),
                ends: [key.0, key.1],
                same_sense: true,
            });
            let edge = self.body.edges.len() - 1;
            self.sides.insert(key, edge);
            edge
        };
        Coedge {
            edge,
            forward: a < b,
        }
    }
}

fn turn_round(coedges: &mut Vec<Coedge>) {
    coedges.reverse();
    for coedge in coedges {
        coedge.forward = !coedge.forward;
    }
}
