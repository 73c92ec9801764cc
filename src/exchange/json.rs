//! JSON for scripts: the whole curve with its numbers.

use serde::{Deserialize, Serialize};

use super::arcs::Element;
use super::bspline::BSpline;
use super::file::{Contents, Entries, FoundRoute, FoundShape, ReadError, Target, WriteError};
use super::lengths::RouteLengths;
use super::names::NameRule;
use super::network::{Network, Segment, SegmentLabel, Surroundings};
use super::remark::Facts;
use super::unit::{Axes, LengthUnit};
use crate::geom::Vec3;

/// Any text.
pub const NAMES: NameRule = NameRule {
    longest: 1000,
    upper_case: false,
    allows: |_| true,
    instead: None,
    letter_first: false,
    ascii: false,
};

#[derive(Serialize, Deserialize)]
struct File {
    format: String,
    version: u32,
    program: String,
    unit: LengthUnit,
    axes: Axes,
    routes: Vec<JsonRoute>,
    /// Nodes, fixings and connectors.
    #[serde(flatten)]
    around: Surroundings,
}

#[derive(Serialize, Deserialize)]
struct JsonRoute {
    name: String,
    colour: [u8; 3],
    closed: bool,
    length: f64,
    cable_length: f64,
    /// (arc length, radius) places, linear between.
    radius: Vec<[f64; 2]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    material: Option<String>,
    /// What is cut for it, mm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lengths: Option<RouteLengths>,
    /// What it is in its harness, and the nodes where it starts and ends.
    #[serde(flatten)]
    label: SegmentLabel,
    start_tangent: Option<[f64; 3]>,
    end_tangent: Option<[f64; 3]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    degree: Option<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    knots: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    control_points: Vec<[f64; 3]>,
    /// In the place of degree, knots and control points.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    lines_and_arcs: Vec<JsonElement>,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum JsonElement {
    Line {
        start: [f64; 3],
        end: [f64; 3],
    },
    /// Counter-clockwise about the axis, radians.
    Arc {
        start: [f64; 3],
        end: [f64; 3],
        center: [f64; 3],
        axis: [f64; 3],
        radius: f64,
        angle: f64,
    },
}

impl JsonElement {
    fn new(element: &Element) -> Self {
        match element {
            Element::Line { start, end } => Self::Line {
                start: (*start).into(),
                end: (*end).into(),
            },
            Element::Arc {
                start,
                end,
                center,
                axis,
                angle,
            } => Self::Arc {
                start: (*start).into(),
                end: (*end).into(),
                center: (*center).into(),
                axis: (*axis).into(),
                radius: element.radius(),
                angle: *angle,
            },
        }
    }

    fn element(&self) -> Element {
        match *self {
            Self::Line { start, end } => Element::Line {
                start: start.into(),
                end: end.into(),
            },
            Self::Arc {
                start,
                end,
                center,
                axis,
                angle,
                ..
            } => Element::Arc {
                start: start.into(),
                end: end.into(),
                center: center.into(),
                axis: axis.into(),
                angle,
            },
        }
    }
}

const FORMAT: &str = "loomwright-routes";

/// The routes as curves.
pub fn write(entries: &Entries, target: &Target) -> Result<Vec<u8>, WriteError> {
    let out = target.convention;
    let routes = entries
        .segments
        .iter()
        .map(|segment| {
            let entry = &segment.route;
            let route = entry.route;
            let curve = route.curve.mapped(|p| out.outside(p));
            JsonRoute {
                name: entry.name.to_owned(),
                colour: route.colour,
                closed: route.closed,
                length: out.length_outside(route.length),
                cable_length: out.length_outside(route.cable_length),
                radius: route
                    .radius
                    .places()
                    .iter()
                    .map(|&(s, r)| [out.length_outside(s), out.length_outside(r)])
                    .collect(),
                material: route.material.clone(),
                label: segment.label.clone(),
                lengths: route.lengths.clone(),
                start_tangent: curve.start().tangent().map(Into::into),
                end_tangent: curve.end().tangent().map(Into::into),
                degree: entry.arcs.is_none().then(|| curve.degree()),
                knots: if entry.arcs.is_none() {
                    curve.knots().to_vec()
                } else {
                    Vec::new()
                },
                control_points: if entry.arcs.is_none() {
                    curve.points().iter().map(|p| (*p).into()).collect()
                } else {
                    Vec::new()
                },
                lines_and_arcs: entry.arcs.map_or(Vec::new(), |arcs| {
                    let outside = |e: &Element| JsonElement::new(&e.mapped(|p| out.outside(p)));
                    arcs.elements.iter().map(outside).collect()
                }),
            }
        })
        .collect();
    let file = File {
        format: FORMAT.into(),
        version: 1,
        program: format!("Loomwright {}", env!("CARGO_PKG_VERSION")),
        unit: out.unit,
        axes: out.axes,
        routes,
        around: entries.surroundings().mapped(|p| out.outside(p)),
    };
    let mut bytes = serde_json::to_vec_pretty(&file).map_err(|error| WriteError::Shape {
        name: target.title.to_owned(),
        reason: error.to_string(),
    })?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The routes of such a file.
pub fn read(bytes: &[u8]) -> Result<Contents, ReadError> {
    let file: File =
        serde_json::from_slice(bytes).map_err(|error| ReadError::whole(error.to_string()))?;
    if file.format != FORMAT || file.version != 1 {
        return Err(ReadError::whole(format!(
            "this is no {FORMAT} file of version 1"
        )));
    }
    let segments = file
        .routes
        .into_iter()
        .enumerate()
        .map(|(i, route)| {
            let radius = route.radius.first().map(|r| r[1]);
            let largest = route.radius.iter().map(|r| r[1]).reduce(f64::max);
            let facts = Facts {
                name: route.name.clone(),
                diameter_mm: largest.map(|r| 2.0 * r * file.unit.in_mm()),
                material: route.material.clone(),
                lengths: route.lengths.clone().map(Box::new),
            };
            let mut label = route.label;
            if label.id.is_empty() {
                label.id = (i + 1).to_string();
            }
            let named = |name, shape| Segment {
                label,
                route: FoundRoute {
                    name: Some(name),
                    shape,
                    radius,
                    facts: Some(facts),
                },
            };
            if !route.lines_and_arcs.is_empty() {
                let elements = route.lines_and_arcs.iter().map(JsonElement::element);
                let shape = FoundShape::Elements(elements.collect());
                return Ok(named(route.name, shape));
            }
            let points = route
                .control_points
                .iter()
                .map(|p| Vec3::from(*p))
                .collect();
            let degree = route.degree.unwrap_or(3);
            let curve =
                BSpline::new(degree, route.knots, points).map_err(|reason| ReadError::Curve {
                    name: route.name.clone(),
                    reason,
                })?;
            Ok(named(route.name, FoundShape::Spline(curve)))
        })
        .collect::<Result<_, ReadError>>()?;
    let mut contents = Contents::new(Some(file.unit.in_mm()));
    contents.network = Network {
        segments,
        ..Network::default()
    };
    contents.network.surround(file.around);
    let network = &mut contents.network;
    network.add_missing_nodes(|route, which| route.shape.end(which));
    network.drop_strays();
    Ok(contents)
}
