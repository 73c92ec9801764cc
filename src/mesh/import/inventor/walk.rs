//! From the top of the tree to its shapes, with what holds for them: place, colour, coordinates, name.

use std::collections::HashMap;
use std::rc::Rc;

use super::geometry;
use super::parse::{Node, NodeId, Nodes};
use crate::geom::{Mat3, Vec3};
use crate::mesh::import::error::Place;
use crate::mesh::import::load::Ignored;
use crate::mesh::import::raw::{RawPart, shown};
use crate::mesh::import::tree::{Affine, Budget, MAX_DEPTH, Shape, short_name, too_deep};
use crate::mesh::import::{Color, ImportError, Unit};
use crate::progress::Stretch;

/// The two ways in which nodes go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Fields hold all nodes; a `Transform` holds what it moves.
    Vrml,
    /// Nodes change what holds for those after them, up to the end of their `Separator`.
    Inventor,
}

/// Nodes that have nothing for us and are no loss.
const QUIET: [&[u8]; 38] = [
    b"Appearance",
    b"Background",
    b"Camera",
    b"ClipPlane",
    b"Color",
    b"Complexity",
    b"ComplexityHints",
    b"DirectionalLight",
    b"DrawStyle",
    b"Environment",
    b"Fog",
    b"Font",
    b"FontStyle",
    b"Info",
    b"Label",
    b"LightModel",
    b"MaterialBinding",
    b"NavigationInfo",
    b"Normal",
    b"NormalBinding",
    b"OrthographicCamera",
    b"PerspectiveCamera",
    b"PickStyle",
    b"PointLight",
    b"PolygonOffset",
    b"ShadowStyle",
    b"SpotLight",
    b"Texture2",
    b"Texture2Transform",
    b"TextureBinding",
    b"TextureCoordinate",
    b"TextureCoordinate2",
    b"TextureCoordinateBinding",
    b"TextureCoordinateDefault",
    b"TimeSensor",
    b"Title",
    b"Viewpoint",
    b"WorldInfo",
];

/// What holds at a place of the tree.
#[derive(Clone)]
struct State {
    world: Affine,
    color: Option<Color>,
    points: Rc<Vec<Vec3>>,
    is_clockwise: bool,
    unit: Option<Unit>,
    scope: usize,
}

/// A named node at one place of the tree. Its nameless shapes are one part.
struct Scope {
    /// What it is in, and the node that names it; none at the top.
    parent: Option<(usize, NodeId)>,
    part: Option<usize>,
}

/// The way through a tree.
pub struct Walk<'a> {
    nodes: &'a Nodes<'a>,
    dialect: Dialect,
    scopes: Vec<Scope>,
    /// What was found so far.
    pub parts: Vec<RawPart>,
    /// The unit of the first `Units` node.
    pub unit: Option<Unit>,
    /// Nodes that were left out.
    pub ignored: Ignored,
    budget: Budget,
    /// Points of nodes that were met, so that a node used often is read once.
    points: HashMap<NodeId, Rc<Vec<Vec3>>>,
    /// How much of the roots is done.
    done: f64,
}

impl<'a> Walk<'a> {
    /// Through the nodes of a file of that size.
    pub fn new(nodes: &'a Nodes<'a>, dialect: Dialect, n_file_bytes: usize) -> Self {
        Self {
            nodes,
            dialect,
            scopes: vec![Scope {
                parent: None,
                part: None,
            }],
            parts: Vec::new(),
            unit: None,
            ignored: Ignored::default(),
            budget: Budget::new(n_file_bytes),
            points: HashMap::new(),
            done: 0.0,
        }
    }

    /// Finds all parts.
    pub fn run(&mut self, stretch: &Stretch) -> Result<(), ImportError> {
        let mut state = State {
            world: Affine::identity(),
            color: None,
            points: Rc::default(),
            is_clockwise: false,
            unit: None,
            scope: 0,
        };
        let roots = &self.nodes.roots;
        for (k, &root) in roots.iter().enumerate() {
            self.done = k as f64 / roots.len() as f64;
            stretch.at(self.done)?;
            // In VRML nothing holds from one root to the next; in Open Inventor everything does.
            match self.dialect {
                Dialect::Vrml => self.visit(root, &mut state.clone(), 0, stretch)?,
                Dialect::Inventor => self.visit(root, &mut state, 0, stretch)?,
            }
        }
        Ok(())
    }

    fn visit(
        &mut self,
        id: NodeId,
        state: &mut State,
        depth: usize,
        stretch: &Stretch,
    ) -> Result<(), ImportError> {
        let node = &self.nodes.nodes[id];
        let place = || Place::Item(format!("node in line {}", node.line));
        if depth > MAX_DEPTH {
            return Err(too_deep(place()));
        }
        self.budget.take_node(place)?;
        let nodes = self.nodes;
        let mut inner = state.clone();
        match node.kind {
            b"Group"
            | b"Anchor"
            | b"Billboard"
            | b"Collision"
            | b"Separator"
            | b"Transform"
            | b"TransformSeparator"
            | b"Switch"
            | b"LOD"
            | b"LevelOfDetail"
            | b"Selection"
            | b"Annotation"
            | b"WWWAnchor"
            | b"StaticGroup"
                if !(self.dialect == Dialect::Inventor && node.kind == b"Transform") =>
            {
                if node.kind == b"Transform" {
                    inner.world = inner.world.of(&transform(node, b"scale"));
                }
                self.enter(id, &mut inner);
                for child in children(node) {
                    self.visit(child, &mut inner, depth + 1, stretch)?;
                    // How many nodes there will be is not known: only the roots count.
                    stretch.at(self.done)?;
                }
                // In Open Inventor a group passes on what its nodes have set.
                let passes_on = matches!(node.kind, b"Group" | b"Switch");
                if self.dialect == Dialect::Inventor && passes_on {
                    inner.scope = state.scope;
                    *state = inner;
                } else if node.kind == b"TransformSeparator" {
                    inner.scope = state.scope;
                    inner.world = state.world;
                    *state = inner;
                }
            }
            b"Shape" => {
                self.enter(id, &mut inner);
                for &appearance in node.nodes(b"appearance") {
                    for &material in nodes.nodes[appearance].nodes(b"material") {
                        inner.color = color(&nodes.nodes[material]).or(inner.color);
                    }
                }
                for &geometry in node.nodes(b"geometry") {
                    self.geometry(geometry, &inner)?;
                }
            }
            _ => self.property_or_geometry(id, state)?,
        }
        Ok(())
    }

    /// Nodes of Open Inventor that change what holds, and geometry.
    fn property_or_geometry(&mut self, id: NodeId, state: &mut State) -> Result<(), ImportError> {
        let node = &self.nodes.nodes[id];
        let vector = |name: &[u8], default: Vec3| vector(node, name).unwrap_or(default);
        let inner = match node.kind {
            b"Transform" => transform(node, b"scaleFactor"),
            b"Translation" => Affine::shift(vector(b"translation", Vec3::zeros())),
            b"Rotation" => rotation(node.numbers(b"rotation")),
            b"RotationXYZ" => {
                let axis = match node.word(b"axis") {
                    b"Y" => Vec3::y(),
                    b"Z" => Vec3::z(),
                    _ => Vec3::x(),
                };
                let angle = node.numbers(b"angle").first().copied().unwrap_or(0.0);
                Affine::turn(axis, angle)
            }
            b"Scale" => scale(&vector(b"scaleFactor", Vec3::repeat(1.0))),
            b"MatrixTransform" => matrix(node),
            b"Units" => {
                let Some(unit) = Unit::named(&shown(node.word(b"units"))) else {
                    return self.ignore(node);
                };
                let first = *self.unit.get_or_insert(unit);
                let before = state.unit.replace(unit).unwrap_or(first);
                scale(&Vec3::repeat(unit.in_mm() / before.in_mm()))
            }
            b"Coordinate3" | b"Coordinate" | b"VertexProperty" => {
                state.points = self.points_of(id)?;
                return Ok(());
            }
            b"Material" | b"BaseColor" => {
                state.color = color(node).or(state.color);
                return Ok(());
            }
            b"ShapeHints" => {
                state.is_clockwise = match node.word(b"vertexOrdering") {
                    b"" => state.is_clockwise,
                    order => order == b"CLOCKWISE",
                };
                return Ok(());
            }
            b"ResetTransform" => {
                state.world = Affine::identity();
                return Ok(());
            }
            _ if QUIET.contains(&node.kind) => return Ok(()),
            _ => return self.geometry(id, state),
        };
        state.world = state.world.of(&inner);
        Ok(())
    }

    /// Adds the triangles of a geometry node to the part of the place.
    fn geometry(&mut self, id: NodeId, state: &State) -> Result<(), ImportError> {
        let node = &self.nodes.nodes[id];
        let own = [&b"coord"[..], b"vertexProperty"]
            .iter()
            .find_map(|field| node.nodes(field).first());
        let points = match own {
            Some(&coordinates) => self.points_of(coordinates)?,
            None => Rc::clone(&state.points),
        };
        let is_clockwise = match node.word(b"ccw") {
            b"FALSE" => true,
            b"TRUE" => false,
            _ => state.is_clockwise,
        };
        let Some(mut shape) = geometry::shape(node, &points, is_clockwise)? else {
            return self.ignore(node);
        };
        let place = || Place::Item(format!("node in line {}", node.line));
        shape.color = state.color;
        self.add(&shape, state, place)
    }

    fn add(
        &mut self,
        shape: &Shape,
        state: &State,
        place: impl Fn() -> Place,
    ) -> Result<(), ImportError> {
        if shape.triangles.is_empty() {
            return Ok(());
        }
        let number = self.scopes[state.scope].part;
        let path = match number {
            None => self.path(state.scope),
            Some(_) => Vec::new(),
        };
        self.budget.take_shape(shape, &path, &place)?;
        let placed = shape.placed(&state.world, path, place)?;
        let Some(number) = number else {
            self.scopes[state.scope].part = Some(self.parts.len());
            self.parts.push(placed);
            return Ok(());
        };
        let part = &mut self.parts[number];
        let n = part.vertices.len() as u32;
        part.vertices.extend(placed.vertices);
        part.triangles
            .extend(placed.triangles.iter().map(|t| t.map(|v| v + n)));
        part.n_crossed += placed.n_crossed;
        if part.color != placed.color {
            part.color = None;
        }
        Ok(())
    }

    /// A named node begins a part of its own.
    fn enter(&mut self, id: NodeId, state: &mut State) {
        if self.nodes.nodes[id].name.is_empty() {
            return;
        }
        self.scopes.push(Scope {
            parent: Some((state.scope, id)),
            part: None,
        });
        state.scope = self.scopes.len() - 1;
    }

    /// The names of a scope, from the outside.
    fn path(&self, mut scope: usize) -> Vec<String> {
        let mut path = Vec::new();
        while let Some((parent, node)) = self.scopes[scope].parent {
            let name = String::from_utf8_lossy(self.nodes.nodes[node].name);
            path.push(short_name(&name));
            scope = parent;
        }
        path.reverse();
        path
    }

    fn points_of(&mut self, id: NodeId) -> Result<Rc<Vec<Vec3>>, ImportError> {
        if let Some(points) = self.points.get(&id) {
            return Ok(Rc::clone(points));
        }
        let node = &self.nodes.nodes[id];
        let field: &[u8] = if node.kind == b"VertexProperty" {
            b"vertex"
        } else {
            b"point"
        };
        let points = Rc::new(geometry::points(node.numbers(field), node.line)?);
        self.points.insert(id, Rc::clone(&points));
        Ok(points)
    }

    fn ignore(&mut self, node: &Node) -> Result<(), ImportError> {
        if self.ignored.note(shown(node.kind), node.line) {
            return Ok(());
        }
        Err(ImportError::UnexpectedWord {
            line: node.line,
            word: shown(node.kind),
        })
    }
}

/// The nodes inside a grouping node that are to be shown: of a switch its choice, of levels of detail the finest.
fn children(node: &Node) -> Vec<NodeId> {
    let all = [&b"children"[..], b"choice", b"level"]
        .into_iter()
        .flat_map(|field| node.nodes(field))
        .chain(&node.children);
    match node.kind {
        b"LOD" | b"LevelOfDetail" => all.take(1).copied().collect(),
        b"Switch" => {
            let choice = [&b"whichChoice"[..], b"whichChild"]
                .iter()
                .find_map(|field| node.numbers(field).first())
                .copied()
                .unwrap_or(-1.0);
            match choice {
                // All of them, as Open Inventor has it.
                -3.0 => all.copied().collect(),
                c if c >= 0.0 => all.skip(c as usize).take(1).copied().collect(),
                _ => Vec::new(),
            }
        }
        _ => all.copied().collect(),
    }
}

fn vector(node: &Node, name: &[u8]) -> Option<Vec3> {
    match node.numbers(name) {
        [x, y, z, ..] => Some(Vec3::new(*x, *y, *z)),
        _ => None,
    }
}

/// Axis and angle.
fn rotation(numbers: &[f64]) -> Affine {
    match numbers {
        [x, y, z, angle, ..] => Affine::turn(Vec3::new(*x, *y, *z), *angle),
        _ => Affine::identity(),
    }
}

fn scale(factors: &Vec3) -> Affine {
    Affine::linear(Mat3::from_diagonal(factors))
}

/// T C R SR S SR^-1 C^-1: translation, center, rotation, scale orientation and scale (VRML97, 6.52).
fn transform(node: &Node, scale_field: &[u8]) -> Affine {
    let translation = vector(node, b"translation").unwrap_or_else(Vec3::zeros);
    let center = vector(node, b"center").unwrap_or_else(Vec3::zeros);
    let factors = vector(node, scale_field).unwrap_or_else(|| Vec3::repeat(1.0));
    let orientation = rotation(node.numbers(b"scaleOrientation"));
    let back = Affine::linear(orientation.linear.transpose());
    Affine::shift(translation + center)
        .of(&rotation(node.numbers(b"rotation")))
        .of(&orientation)
        .of(&scale(&factors))
        .of(&back)
        .of(&Affine::shift(-center))
}

/// Sixteen numbers, row after row, of a matrix that rows are multiplied by from the left: the shift is the last row.
fn matrix(node: &Node) -> Affine {
    let m = node.numbers(b"matrix");
    if m.len() < 16 {
        return Affine::identity();
    }
    Affine {
        linear: Mat3::from_fn(|row, column| m[4 * column + row]),
        offset: Vec3::new(m[12], m[13], m[14]),
    }
}

/// The diffuse colour of a material, its first where there are many.
fn color(node: &Node) -> Option<Color> {
    let field: &[u8] = if node.kind == b"BaseColor" {
        b"rgb"
    } else {
        b"diffuseColor"
    };
    let [r, g, b, ..] = node.numbers(field) else {
        return None;
    };
    let transparency = node
        .numbers(b"transparency")
        .first()
        .copied()
        .unwrap_or(0.0);
    Some(Color::new([*r, *g, *b, 1.0 - transparency]))
}
