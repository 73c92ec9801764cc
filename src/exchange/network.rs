//! A harness as files exchange it: nodes, segments with their ways between them, fixings and connectors.
//!
//! Every writer takes a [`Network`] and every reader gives one; a list of loose curves is its simplest case. What a
//! segment's way is differs on the way from a scene to a file and back: [`Route`](super::Route),
//! [`Entry`](super::Entry), [`FoundRoute`](super::FoundRoute), [`ImportedRoute`](super::ImportedRoute).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::geom::{Mat3, Pose, Rotation, Vec3, plain};
use crate::scene::HandleKind;

/// Nodes, segments, fixings and connectors. They refer to each other by ids, which are unique among their kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Network<R> {
    /// Where segments end; a node at which several do is a junction.
    pub nodes: Vec<Node>,
    /// The segments, in order.
    pub segments: Vec<Segment<R>>,
    /// Where segments are held.
    pub fixings: Vec<Fixing>,
    /// What is at their ends.
    pub connectors: Vec<Connector>,
}

/// An end or junction of a harness.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Unique; never changed by what else is exported.
    pub id: String,
    /// What the user calls it.
    pub name: String,
    /// The harness it belongs to, if to any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    /// Where it is.
    #[serde(with = "plain::point")]
    pub position: Vec3,
}

/// One way between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment<R> {
    /// What it is in its harness.
    pub label: SegmentLabel,
    /// Its way.
    pub route: R,
}

/// What a segment is in its harness, and where it ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SegmentLabel {
    /// Unique.
    #[serde(default)]
    pub id: String,
    /// What it is called in its harness, if it is in one; the route's name is the user's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<String>,
    /// The harness it belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    /// Id of the node where it starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Id of the node where it ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

impl SegmentLabel {
    /// A curve that belongs to nothing.
    pub fn loose(id: String) -> Self {
        Self {
            id,
            ..Self::default()
        }
    }

    /// Ids of the nodes at both ends.
    pub fn ends(&self) -> [Option<&str>; 2] {
        [self.from.as_deref(), self.to.as_deref()]
    }
}

/// A place where a segment is held: a clip, a grommet, a handle of a cable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fixing {
    /// Unique.
    pub id: String,
    /// What the user calls it.
    pub name: String,
    /// Id of the segment.
    pub segment: String,
    /// Arc length from the segment's start.
    pub at: f64,
    /// What it holds; lengths in it are mm.
    #[serde(default)]
    pub kind: HandleKind,
    /// Where it is; its third axis runs along the segment.
    pub pose: Pose,
    /// Whole turns about that axis beyond the pose.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub turns: i32,
    /// Name of the part that it is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(turns: &i32) -> bool {
    *turns == 0
}

/// A connector or another rigid end of the harness at a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Connector {
    /// Unique.
    pub id: String,
    /// What the user calls it: the name of its part.
    pub name: String,
    /// Id of the node.
    pub node: String,
    /// Where its part is placed.
    pub pose: Pose,
}

/// All of a network but its segments, as it stands in files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surroundings {
    /// The nodes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<Node>,
    /// The fixings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixings: Vec<Fixing>,
    /// The connectors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connectors: Vec<Connector>,
}

impl Surroundings {
    /// Whether there is nothing: the segments are loose curves.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty() && self.fixings.is_empty() && self.connectors.is_empty()
    }

    /// Everything put through an affine map without shift: another unit, other axes. Arc lengths are scaled.
    #[must_use]
    pub fn mapped(&self, place: impl Fn(&Vec3) -> Vec3) -> Self {
        let scale = place(&Vec3::x()).norm();
        let pose = |pose: &Pose| {
            let axes = pose.rotation.to_rotation_matrix();
            let axis = |k: usize| place(&axes.matrix().column(k).into_owned()) / scale;
            let turned = Mat3::from_columns(&[axis(0), axis(1), axis(2)]);
            Pose {
                position: place(&pose.position),
                rotation: Rotation::from_matrix(&turned),
            }
        };
        let mut all = self.clone();
        for node in &mut all.nodes {
            node.position = place(&node.position);
        }
        for fixing in &mut all.fixings {
            fixing.at *= scale;
            fixing.pose = pose(&fixing.pose);
        }
        for connector in &mut all.connectors {
            connector.pose = pose(&connector.pose);
        }
        all
    }
}

impl<R> Default for Network<R> {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            segments: Vec::new(),
            fixings: Vec::new(),
            connectors: Vec::new(),
        }
    }
}

impl<R> Network<R> {
    /// Curves that belong to nothing, numbered from 1.
    pub fn loose(routes: Vec<R>) -> Self {
        let mut network = Self::default();
        for route in routes {
            network.push(route);
        }
        network
    }

    /// Adds a curve that belongs to nothing.
    pub fn push(&mut self, route: R) {
        self.segments.push(Segment {
            label: SegmentLabel::loose((self.segments.len() + 1).to_string()),
            route,
        });
    }

    /// How many segments it has.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Whether it has no segment.
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// The ways of its segments.
    pub fn routes(&self) -> impl Iterator<Item = &R> {
        self.segments.iter().map(|segment| &segment.route)
    }

    /// The ways of its segments, and nothing else.
    pub fn into_routes(self) -> Vec<R> {
        self.segments.into_iter().map(|s| s.route).collect()
    }

    /// The node of that id.
    pub fn node(&self, id: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The fixings of a segment, by its id.
    pub fn fixings_of<'a>(&'a self, segment: &'a str) -> impl Iterator<Item = &'a Fixing> {
        self.fixings.iter().filter(move |f| f.segment == segment)
    }

    /// All but the segments.
    pub fn surroundings(&self) -> Surroundings {
        Surroundings {
            nodes: self.nodes.clone(),
            fixings: self.fixings.clone(),
            connectors: self.connectors.clone(),
        }
    }

    /// Takes what is around the segments.
    pub fn surround(&mut self, with: Surroundings) {
        self.nodes = with.nodes;
        self.fixings = with.fixings;
        self.connectors = with.connectors;
    }

    /// The same network with other ways, made by number and old way.
    pub fn with_routes<'a, S>(&'a self, mut route: impl FnMut(usize, &'a R) -> S) -> Network<S> {
        let segments = self.segments.iter().enumerate();
        Network {
            nodes: self.nodes.clone(),
            segments: segments
                .map(|(i, segment)| Segment {
                    label: segment.label.clone(),
                    route: route(i, &segment.route),
                })
                .collect(),
            fixings: self.fixings.clone(),
            connectors: self.connectors.clone(),
        }
    }

    /// Some of the segments, by number, and what is at and on them.
    #[must_use]
    pub fn only(&self, which: &[usize]) -> Self
    where
        R: Clone,
    {
        let chosen = which.iter().filter_map(|i| self.segments.get(*i));
        let mut network = Self {
            segments: chosen.cloned().collect(),
            ..Self::default()
        };
        network.surround(self.surroundings());
        network.drop_strays();
        network
    }

    /// Removes what refers to nothing: nodes without a segment, fixings and connectors of what is not there.
    pub fn drop_strays(&mut self) {
        let used: HashSet<&str> = (self.segments.iter())
            .flat_map(|s| s.label.ends().into_iter().flatten())
            .collect();
        self.nodes.retain(|node| used.contains(node.id.as_str()));
        self.connectors.retain(|c| used.contains(c.node.as_str()));
        let ids: HashSet<&str> = self.segments.iter().map(|s| s.label.id.as_str()).collect();
        self.fixings.retain(|f| ids.contains(f.segment.as_str()));
    }

    /// Makes a node for every id at an end of a segment that has none yet, where `end` says that this end is.
    pub fn add_missing_nodes(&mut self, end: impl Fn(&R, usize) -> Option<Vec3>) {
        let mut known: HashSet<String> = self.nodes.iter().map(|n| n.id.clone()).collect();
        for segment in &self.segments {
            for (which, id) in segment.label.ends().into_iter().enumerate() {
                let Some(id) = id.filter(|id| !known.contains(*id)) else {
                    continue;
                };
                if let Some(position) = end(&segment.route, which) {
                    known.insert(id.to_owned());
                    self.nodes.push(Node {
                        id: id.to_owned(),
                        name: id.to_owned(),
                        harness: segment.label.harness.clone(),
                        position,
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(id: &str, from: &str, to: &str) -> SegmentLabel {
        SegmentLabel {
            id: id.into(),
            from: Some(from.into()),
            to: Some(to.into()),
            ..SegmentLabel::default()
        }
    }

    #[test]
    fn some_segments_keep_what_is_at_and_on_them_alone() {
        let mut network = Network::loose(vec![[0.0, 1.0], [1.0, 2.0]]);
        network.segments[0].label = label("a", "A", "B");
        network.segments[1].label = label("b", "B", "C");
        network.add_missing_nodes(|ends, which| Some(Vec3::x() * ends[which]));
        assert_eq!(network.nodes.len(), 3);
        assert_eq!(network.node("C").unwrap().position, Vec3::x() * 2.0);
        for (id, node) in [("P", "A"), ("Q", "C")] {
            network.connectors.push(Connector {
                id: id.into(),
                name: id.into(),
                node: node.into(),
                pose: Pose::identity(),
            });
        }
        let one = network.only(&[1]);
        assert_eq!(one.nodes.len(), 2);
        assert_eq!(one.connectors.len(), 1);
        assert_eq!(one.connectors[0].id, "Q");
    }

    #[test]
    fn other_axes_and_units_turn_poses_along() {
        let fixing = Fixing {
            id: "f".into(),
            name: "f".into(),
            segment: "1".into(),
            at: 2.0,
            kind: HandleKind::Full,
            pose: Pose {
                position: Vec3::new(1.0, 2.0, 3.0),
                rotation: Rotation::from_scaled_axis(Vec3::new(0.3, -0.2, 0.9)),
            },
            turns: 0,
            part: None,
        };
        let all = Surroundings {
            fixings: vec![fixing],
            ..Surroundings::default()
        };
        // Inches with Y up.
        let out = |p: &Vec3| Vec3::new(p.x, p.z, -p.y) / 25.4;
        let back = |p: &Vec3| Vec3::new(p.x, -p.z, p.y) * 25.4;
        let there = all.mapped(out);
        let (old, new) = (&all.fixings[0].pose, &there.fixings[0].pose);
        let along = out(&(old.rotation * Vec3::z())) * 25.4;
        assert!((new.rotation * Vec3::z() - along).norm() < 1e-12);
        let again = there.mapped(back).fixings.remove(0);
        assert!(again.pose.rotation.angle_to(&old.rotation) < 1e-12);
        assert!((again.pose.position - old.position).norm() < 1e-12);
        assert!((again.at - 2.0).abs() < 1e-12);
    }
}
