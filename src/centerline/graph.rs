//! The result of an extraction: nodes, branches between them, and what was found of each piece of the mesh.

use crate::geom::{Aabb, Vec3};
use crate::mesh::TriMesh;

use super::bvh::Bvh;
use super::correct::CorrectionError;
use super::line::distance_to_segment;

/// The centerlines of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct CenterlineGraph {
    /// Ends and junctions.
    pub nodes: Vec<GraphNode>,
    /// Curves between nodes.
    pub branches: Vec<Branch>,
    /// The pieces of the mesh that hang together, in a fixed order that does not depend on that of the triangles.
    pub components: Vec<ComponentInfo>,
    /// Where the extraction guessed, or what it left out.
    pub warnings: Vec<Warning>,
    /// The component of each triangle of the mesh; `None` where the triangle has no area.
    pub component_of_triangle: Vec<Option<u32>>,
}

/// Where branches end or meet.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphNode {
    /// mm.
    pub position: Vec3,
    /// What it is.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// One branch stops here: a cap, an open end or a connector.
    End,
    /// Three branches or more meet here.
    Junction,
    /// A closed ring starts and ends here, or a branch was split here.
    Through,
}

/// A piece of centerline between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Node of the first point.
    pub start: usize,
    /// Node of the last point; `start` again when closed.
    pub end: usize,
    /// At least two points, in order; the first and the last stand at the nodes. Two points at one place: a step of
    /// the radius.
    pub curve: Vec<CurvePoint>,
    /// Whether it is a ring without ends.
    pub closed: bool,
}

/// A point of a centerline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// mm.
    pub position: Vec3,
    /// Of the tube there, mm; of the circle of the same area where the section is not round.
    pub radius: f64,
    /// From 0 (a guess) to 1 (measured all round).
    pub confidence: f64,
}

/// What was found of one connected piece of the mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentInfo {
    /// Triangles that are used; copies and those without area do not count.
    pub n_triangles: usize,
    /// Its surface, mm².
    pub area: f64,
    /// The box around it, mm.
    pub aabb: Aabb,
    /// What it is.
    pub kind: ComponentKind,
}

/// What a piece of the mesh is.
#[derive(Clone, Debug, PartialEq)]
pub enum ComponentKind {
    /// It carries these branches.
    Cable {
        /// Numbers of the branches, ascending. A branch that goes on through several pieces is listed with each.
        branches: Vec<usize>,
    },
    /// A tube round a cable, or the inner wall of one: it changes the radius there at most.
    Sleeve,
    /// No cable.
    Rejected(NotATube),
}

/// Why a piece of the mesh is no cable.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum NotATube {
    /// No plane cuts a closed loop from it.
    #[error("no cut through it closes: it is a sheet, not a tube")]
    NoLoop,
    /// No two neighbouring cuts are alike.
    #[error("its sections change from cut to cut: it is a body, not a tube")]
    NoSteadySection,
    /// It has sections, but is not longer than it is wide.
    #[error("it is {length:.3} mm long and {width:.3} mm wide: too short for a cable")]
    TooShort {
        /// Length of the longest stretch with a steady section, mm.
        length: f64,
        /// Its diameter, mm.
        width: f64,
    },
    /// A ring of a flat profile, or one too thick for a cable: a clip, a washer, a grommet.
    #[error(
        "it is a ring of {ring:.3} mm with a section of {width:.3} mm: a clip or a seal, not a cable"
    )]
    Ring {
        /// Diameter of the ring, mm.
        ring: f64,
        /// Diameter of its section, mm.
        width: f64,
    },
    /// Tubes are only a small part of it: bosses of a housing, runners of a manifold.
    #[error("only {percent:.0} % of its surface lies round a line")]
    MostlyOther {
        /// The part that does, percent.
        percent: f64,
    },
    /// A prism with edges: straight, so that nothing tells it from a bar or a housing.
    #[error("it is a straight bar with edges, not a cable")]
    Bar,
    /// A ring that sits in a hole of another body all round.
    #[error(
        "it is a ring of {ring:.3} mm that sits in a hole of another body: a grommet or a seal, not a cable"
    )]
    Grommet {
        /// Diameter of the ring, mm.
        ring: f64,
    },
    /// The user said so.
    #[error("it was marked as no cable")]
    Marked,
}

/// Something the user should know of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// The tube stops at something that is no tube.
    EndsAtBody {
        /// Where, mm.
        position: Vec3,
    },
    /// A piece was bridged in which the surface could not be followed.
    Bridged {
        /// Where, mm.
        position: Vec3,
        /// How long the bridge is, mm.
        length: f64,
    },
    /// Pieces that do not touch were joined.
    JoinedAcrossGap {
        /// Where, mm.
        position: Vec3,
        /// Width of the gap, mm.
        gap: f64,
    },
    /// Two ends face each other across a gap that is too wide to be joined unasked.
    GapLeft {
        /// The middle of the gap, mm.
        position: Vec3,
        /// Its width, mm.
        gap: f64,
    },
    /// Some of the surface belongs to no branch.
    Unexplained {
        /// The component.
        component: usize,
        /// Part of its area, percent.
        percent: f64,
        /// Places of it, the largest first, mm.
        places: Vec<Vec3>,
    },
    /// The line is uncertain there.
    Uncertain {
        /// The branch.
        branch: usize,
        /// Places along the stretch, mm.
        places: Vec<Vec3>,
        /// Length of the stretch, mm.
        length: f64,
    },
    /// The line does not run in the middle of the surface that it is of.
    OffSurface {
        /// The branch.
        branch: usize,
        /// Places along the stretch, mm.
        places: Vec<Vec3>,
        /// Length of the stretch, mm.
        length: f64,
    },
    /// The radius is not that of the surface round the line.
    RadiusOff {
        /// The branch.
        branch: usize,
        /// Places along the stretch, mm.
        places: Vec<Vec3>,
        /// Of the line, mm.
        radius: f64,
        /// Of the surface, mm.
        surface: f64,
    },
    /// The section is not round: a flat cable, or a round one of three or four sides.
    NotRound {
        /// Places along the tube, the middle first, mm.
        places: Vec<Vec3>,
        /// Radius of the circle of the same area, mm.
        radius: f64,
        /// How far the section reaches from its middle, mm.
        reach: f64,
    },
    /// Pieces of the mesh are no cables; they are left as they are.
    NoCable {
        /// The component.
        component: usize,
        /// Why.
        reason: NotATube,
    },
    /// A correction of the user does not fit any more.
    CorrectionLost {
        /// Which one, from 1.
        number: usize,
        /// Why.
        reason: CorrectionError,
    },
}

/// The place that stands for all: the first of those that are sorted by size, which is the middle of a stretch.
fn middle(places: &[Vec3]) -> Vec3 {
    places.first().copied().unwrap_or_else(Vec3::zeros)
}

impl Warning {
    /// A word for programs, which stays the same.
    pub fn code(&self) -> &'static str {
        match self {
            Self::EndsAtBody { .. } => "ends-at-body",
            Self::Bridged { .. } => "bridged",
            Self::JoinedAcrossGap { .. } => "joined-across-gap",
            Self::GapLeft { .. } => "gap-left",
            Self::Unexplained { .. } => "unexplained-surface",
            Self::Uncertain { .. } => "uncertain",
            Self::OffSurface { .. } => "off-surface",
            Self::RadiusOff { .. } => "radius-off",
            Self::NotRound { .. } => "not-round",
            Self::NoCable { .. } => "no-cable",
            Self::CorrectionLost { .. } => "correction-lost",
        }
    }
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let at = |p: &Vec3| format!("({:.2}, {:.2}, {:.2}) mm", p.x, p.y, p.z);
        match self {
            Self::EndsAtBody { position } => write!(
                f,
                "the cable ends at {} where its surface goes on as something else, such as a connector; check the end",
                at(position)
            ),
            Self::Bridged { position, length } => write!(
                f,
                "{length:.2} mm of the cable at {} could not be followed and were bridged; check that stretch",
                at(position)
            ),
            Self::JoinedAcrossGap { position, gap } => write!(
                f,
                "pieces {gap:.3} mm apart were joined at {}; check that they belong together",
                at(position)
            ),
            Self::GapLeft { position, gap } => write!(
                f,
                "two ends face each other across {gap:.2} mm at {}; join them if they are one cable",
                at(position)
            ),
            Self::Unexplained {
                component,
                percent,
                places,
            } => write!(
                f,
                "{percent:.1} % of the surface of piece {} lies round no branch, for example at {}; \
                 check for missing branches",
                component + 1,
                at(&middle(places))
            ),
            Self::Uncertain {
                branch,
                places,
                length,
            } => write!(
                f,
                "{length:.2} mm of branch {} at {} are uncertain: the surface is too coarse there, or too little of it, to measure",
                branch + 1,
                at(&middle(places))
            ),
            Self::OffSurface {
                branch,
                places,
                length,
            } => write!(
                f,
                "{length:.2} mm of branch {} at {} do not run in the middle of a surface; check that stretch",
                branch + 1,
                at(&middle(places))
            ),
            Self::RadiusOff {
                branch,
                places,
                radius,
                surface,
            } => write!(
                f,
                "branch {} has a radius of {radius:.2} mm at {}, where the surface has {surface:.2} mm; check the radius",
                branch + 1,
                at(&middle(places))
            ),
            Self::NotRound {
                places,
                radius,
                reach,
            } => write!(
                f,
                "the section at {} is not round: its radius of {radius:.2} mm is that of a circle of the same area, \
                 and it reaches {reach:.2} mm from its middle, which is the radius if this is a round cable of three \
                 or four sides; check the radius",
                at(&middle(places))
            ),
            Self::NoCable { component, reason } => {
                write!(f, "no cable found in piece {}: {reason}", component + 1)
            }
            Self::CorrectionLost { number, reason } => {
                write!(f, "correction {number} was left out: {reason}")
            }
        }
    }
}

/// Where a point is on a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// The branch.
    pub branch: usize,
    /// Arc length of the nearest point of its curve, mm.
    pub arc_length: f64,
    /// Distance to it, mm.
    pub distance: f64,
}

/// The branch round which a triangle lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceOwner {
    /// The branch.
    pub branch: usize,
    /// The component of the triangle.
    pub component: usize,
    /// Arc length of the triangle's centroid on the branch, mm.
    pub arc_length: f64,
}

impl Branch {
    /// Length of the curve, mm.
    pub fn length(&self) -> f64 {
        self.curve
            .windows(2)
            .map(|w| (w[1].position - w[0].position).norm())
            .sum()
    }

    /// Position, radius and confidence at an arc length from the start; the end point's beyond an end.
    pub fn at(&self, arc_length: f64) -> CurvePoint {
        let (i, t) = self.locate(arc_length);
        let (a, b) = (&self.curve[i], &self.curve[i + 1]);
        CurvePoint {
            position: a.position + (b.position - a.position) * t,
            radius: a.radius + (b.radius - a.radius) * t,
            confidence: a.confidence + (b.confidence - a.confidence) * t,
        }
    }

    /// Unit tangent at an arc length, from the start to the end.
    ///
    /// Turns steadily between the middles of the pieces, so that it is that of the curve and not of its pieces.
    pub fn tangent_at(&self, arc_length: f64) -> Vec3 {
        let (i, t) = self.locate(arc_length);
        let along = |i: usize| {
            let d = self.curve[i + 1].position - self.curve[i].position;
            d.try_normalize(f64::MIN_POSITIVE)
        };
        let here = along(i).unwrap_or_else(Vec3::zeros);
        // A ring goes on at its seam.
        let n = self.curve.len() - 1;
        let round = if self.closed { n } else { 0 };
        let beside = if t < 0.5 {
            let mut back = (0..i).rev().chain((n - round..n).rev());
            back.find_map(|k| Some((k, along(k)?)))
        } else {
            let mut on = (i + 1..n).chain(0..round);
            on.find_map(|k| Some((k, along(k)?)))
        };
        let Some((k, other)) = beside else {
            return here;
        };
        let length = |k: usize| (self.curve[k + 1].position - self.curve[k].position).norm();
        let way = (t - 0.5).abs() * length(i);
        let whole = 0.5 * (length(i) + length(k));
        (here + (other - here) * (way / whole))
            .try_normalize(f64::MIN_POSITIVE)
            .unwrap_or(here)
    }

    /// The nearest point of the curve: arc length and distance, mm.
    pub fn project(&self, point: &Vec3) -> (f64, f64) {
        let mut best = (0.0, f64::INFINITY);
        let mut arc = 0.0;
        for w in self.curve.windows(2) {
            let (s, d) = project_on(point, &w[0].position, &w[1].position);
            if d < best.1 {
                best = (arc + s, d);
            }
            arc += (w[1].position - w[0].position).norm();
        }
        best
    }

    /// The piece of the curve at an arc length, and how far along it, from 0 to 1.
    fn locate(&self, arc_length: f64) -> (usize, f64) {
        let mut rest = arc_length.max(0.0);
        let n = self.curve.len();
        for i in 0..n - 1 {
            let length = (self.curve[i + 1].position - self.curve[i].position).norm();
            if rest <= length && length > 0.0 {
                return (i, rest / length);
            }
            rest -= length;
        }
        (n - 2, 1.0)
    }
}

/// Arc length on the segment of the point nearest to `p`, and its distance.
fn project_on(p: &Vec3, a: &Vec3, b: &Vec3) -> (f64, f64) {
    let along = b - a;
    let length = along.norm();
    if !(length > 0.0) {
        return (0.0, (p - a).norm());
    }
    let s = ((p - a).dot(&along) / length).clamp(0.0, length);
    (s, (p - a - along * (s / length)).norm())
}

impl CenterlineGraph {
    /// The branch nearest to a point, measured in radii; `None` when there are no branches.
    ///
    /// Many points: [`Self::projector`] is faster.
    pub fn project(&self, point: &Vec3) -> Option<Projection> {
        self.projector().project(point)
    }

    /// Prepares for many projections.
    pub fn projector(&self) -> Projector<'_> {
        Projector::new(self, |_| true)
    }

    /// Where a warning is of, mm: every wrong place is near one of these. None for a correction that was lost.
    pub fn places(&self, warning: &Warning) -> Vec<Vec3> {
        match warning {
            Warning::EndsAtBody { position }
            | Warning::Bridged { position, .. }
            | Warning::JoinedAcrossGap { position, .. }
            | Warning::GapLeft { position, .. } => vec![*position],
            Warning::Unexplained { places, .. }
            | Warning::NotRound { places, .. }
            | Warning::Uncertain { places, .. }
            | Warning::OffSurface { places, .. }
            | Warning::RadiusOff { places, .. } => places.clone(),
            Warning::NoCable { component, .. } => {
                let piece = self.components.get(*component);
                piece.map(|c| c.aabb.center()).into_iter().collect()
            }
            Warning::CorrectionLost { .. } => Vec::new(),
        }
    }

    /// The branch that a warning is of: its own, or that on which its first place is.
    pub fn branch_of(&self, warning: &Warning) -> Option<usize> {
        let place = *self.places(warning).first()?;
        self.branch_at(warning, &place)
    }

    /// The branch that a warning is of at one of its places: its own, or that on which the place is.
    pub fn branch_at(&self, warning: &Warning, place: &Vec3) -> Option<usize> {
        match warning {
            Warning::Uncertain { branch, .. }
            | Warning::OffSurface { branch, .. }
            | Warning::RadiusOff { branch, .. } => Some(*branch),
            Warning::NoCable { .. } | Warning::CorrectionLost { .. } => None,
            _ => {
                let found = self.project(place)?;
                let radius = self.branches[found.branch].at(found.arc_length).radius;
                (found.distance < OWN_RADII * radius).then_some(found.branch)
            }
        }
    }

    /// Branches that start or end at a node.
    pub fn branches_at(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let meets = move |b: &Branch| b.start == node || b.end == node;
        (0..self.branches.len()).filter(move |&i| meets(&self.branches[i]))
    }

    /// For each triangle of the extracted mesh the branch round which it lies, with the arc length of its centroid.
    ///
    /// `None` for connectors, clips and whatever else lies round no branch.
    pub fn surface(&self, mesh: &TriMesh) -> Vec<Option<SurfaceOwner>> {
        let projectors: Vec<Option<Projector>> = self
            .components
            .iter()
            .map(|c| match &c.kind {
                ComponentKind::Cable { branches } => {
                    Some(Projector::new(self, |b| branches.binary_search(&b).is_ok()))
                }
                ComponentKind::Sleeve => Some(self.projector()),
                ComponentKind::Rejected(_) => None,
            })
            .collect();
        let owner = |t: usize| {
            let component = (*self.component_of_triangle.get(t)?)? as usize;
            let corners = mesh.corners(t);
            let centroid = (corners[0] + corners[1] + corners[2]) / 3.0;
            let place = projectors[component].as_ref()?.project(&centroid)?;
            let branch = &self.branches[place.branch];
            let radius = branch.at(place.arc_length).radius;
            (place.distance < OWN_RADII * radius).then_some(SurfaceOwner {
                branch: place.branch,
                component,
                arc_length: place.arc_length,
            })
        };
        (0..mesh.triangles().len()).map(owner).collect()
    }
}

/// Triangles farther from a line than so many of its radii are of something else.
const OWN_RADII: f64 = 3.2;

/// Projects points on a graph's branches.
pub struct Projector<'a> {
    graph: &'a CenterlineGraph,
    /// Branch, piece of its curve, arc length at its start.
    pieces: Vec<(usize, usize, f64)>,
    bvh: Bvh,
    largest_radius: f64,
}

impl<'a> Projector<'a> {
    fn new(graph: &'a CenterlineGraph, counts: impl Fn(usize) -> bool) -> Self {
        let mut pieces = Vec::new();
        let mut boxes = Vec::new();
        let mut largest_radius: f64 = 0.0;
        for (b, branch) in graph
            .branches
            .iter()
            .enumerate()
            .filter(|(b, _)| counts(*b))
        {
            let mut arc = 0.0;
            for (i, w) in branch.curve.windows(2).enumerate() {
                pieces.push((b, i, arc));
                boxes.push(Aabb::of_points([&w[0].position, &w[1].position]));
                arc += (w[1].position - w[0].position).norm();
                largest_radius = largest_radius.max(w[0].radius).max(w[1].radius);
            }
        }
        Self {
            graph,
            pieces,
            bvh: Bvh::new(&boxes),
            largest_radius,
        }
    }

    /// The branch nearest to a point, measured in radii.
    pub fn project(&self, point: &Vec3) -> Option<Projection> {
        let ends = |i: u32| {
            let (b, k, _) = self.pieces[i as usize];
            let curve = &self.graph.branches[b].curve;
            (&curve[k], &curve[k + 1])
        };
        let cost = |i: u32| {
            let (a, b) = ends(i);
            let radius = a.radius.max(b.radius).max(f64::MIN_POSITIVE);
            distance_to_segment(point, &a.position, &b.position) / radius
        };
        let scale = 1.0 / self.largest_radius.max(f64::MIN_POSITIVE);
        let (_, i) = self.bvh.nearest(point, f64::INFINITY, cost, scale)?;
        let (branch, _, arc) = self.pieces[i as usize];
        let (a, b) = ends(i);
        let (s, distance) = project_on(point, &a.position, &b.position);
        Some(Projection {
            branch,
            arc_length: arc + s,
            distance,
        })
    }
}
