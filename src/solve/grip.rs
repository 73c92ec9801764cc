//! What holds a rod: handles on its grid of nodes and edges.

use super::layout;
use super::settings as set;
use crate::geom::{Pose, Rotation, Vec3};
use crate::rod::{Rod, RodState, turned_to};

/// Where on a rod a handle sits or a load acts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A node: 0 is the start of the rod, `n_edges` its end.
    Node(usize),
    /// The middle of an edge, where its material frame stands.
    Edge(usize),
    /// Anywhere in an edge: fraction `t` from its first node. For springs and loads.
    Within {
        /// The edge.
        edge: usize,
        /// In [0, 1].
        t: f64,
    },
}

/// What a handle holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Hold {
    /// Position, direction and roll: at an end node (a clamp) or in the middle of an edge.
    Frame,
    /// Position and direction; the cable may turn about itself. At an end node or in the middle of an edge.
    Direction,
    /// Position only, at any node.
    Position,
    /// Pulls to its position with that many N/mm, anywhere.
    Spring(f64),
}

/// A handle as the solver sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Where it sits.
    pub place: Place,
    /// What it holds.
    pub hold: Hold,
}

/// Where a handle is asked to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// Position and frame, without the roll below.
    pub pose: Pose,
    /// Roll about d3 beside the frame, radians: any number of turns.
    pub roll: f64,
}

impl Target {
    /// Whether another is the same but for rounding, for a rod of that length.
    pub(super) fn is_near(&self, other: &Self, length: f64) -> bool {
        let way = (self.pose.position - other.pose.position).norm();
        way <= set::SAME_TARGET * length && self.is_turned_like(other)
    }

    /// Whether another has the same frame and roll but for rounding.
    pub(super) fn is_turned_like(&self, other: &Self) -> bool {
        // The angle by its sine: the cosine of a small one is 1.
        let turn = self.pose.rotation.inverse() * other.pose.rotation;
        2.0 * turn.imag().norm() <= set::SAME_TARGET
            && (self.roll - other.roll).abs() <= set::SAME_TARGET
    }
}

impl From<Pose> for Target {
    fn from(pose: Pose) -> Self {
        Self { pose, roll: 0.0 }
    }
}

impl Target {
    /// The frame with its roll.
    pub fn rotation(&self) -> Rotation {
        self.pose.rotation * Rotation::from_scaled_axis(Vec3::z() * self.roll)
    }
}

/// What a grip remembers beside the rod's state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GripState {
    /// Where a spring pulls to, mm.
    pub anchor: Vec3,
    /// Roll that the frame has beside its target's rotation, radians.
    pub roll: f64,
    /// From one node of a gripped edge to the other in the axes of the grip's frame, mm: along d3 but for what shear
    /// there was when it was gripped.
    pub reach: Vec3,
}

impl Place {
    /// Nodes on both sides and the fraction between them.
    pub(super) fn span(&self, n_edges: usize) -> (usize, f64) {
        match *self {
            Self::Node(i) if i == n_edges => (i - 1, 1.0),
            Self::Node(i) => (i, 0.0),
            Self::Edge(edge) => (edge, 0.5),
            Self::Within { edge, t } => (edge, t),
        }
    }

    /// The point of the rod there, mm.
    pub fn point(&self, state: &RodState) -> Vec3 {
        let (edge, t) = self.span(state.frames.len());
        match self {
            Self::Node(i) => state.positions[*i],
            _ => state.positions[edge].lerp(&state.positions[edge + 1], t),
        }
    }

    /// Arc length at rest, mm.
    pub fn arc_length(&self, rod: &Rod) -> f64 {
        self.arc_length_of(rod.rest_lengths())
    }

    /// Arc length of this place in a rod whose edges have these lengths, mm.
    pub fn arc_length_of(&self, lengths: &[f64]) -> f64 {
        let (edge, t) = self.span(lengths.len());
        lengths[..edge].iter().sum::<f64>() + t * lengths[edge]
    }
}

impl Grip {
    /// A full-frame handle at each end.
    pub fn both_ends(n_edges: usize) -> Vec<Self> {
        vec![
            Self::at_start(Hold::Frame),
            Self::at_end(n_edges, Hold::Frame),
        ]
    }

    /// A handle at the first node.
    pub fn at_start(hold: Hold) -> Self {
        Self {
            place: Place::Node(0),
            hold,
        }
    }

    /// A handle at the last node.
    pub fn at_end(n_edges: usize, hold: Hold) -> Self {
        Self {
            place: Place::Node(n_edges),
            hold,
        }
    }

    /// The place of the rod's grid that is nearest to an arc length (mm at rest) and can have such a hold: positions
    /// sit on nodes, frames and directions on ends or in the middle of edges, springs anywhere.
    pub fn nearest(rod: &Rod, arc_length: f64, hold: Hold) -> Self {
        let lengths = rod.rest_lengths();
        let n = lengths.len();
        let (mut edge, mut before) = (0, 0.0);
        while edge + 1 < n && before + lengths[edge] < arc_length {
            before += lengths[edge];
            edge += 1;
        }
        let t = ((arc_length - before) / lengths[edge]).clamp(0.0, 1.0);
        let place = match hold {
            Hold::Spring(_) => Place::Within { edge, t },
            Hold::Position => Place::Node(edge + usize::from(t > 0.5)),
            Hold::Frame | Hold::Direction if edge == 0 && t < 0.25 => Place::Node(0),
            Hold::Frame | Hold::Direction if edge + 1 == n && t > 0.75 => Place::Node(n),
            Hold::Frame | Hold::Direction => Place::Edge(edge),
        };
        Self { place, hold }
    }

    /// Nodes that it holds.
    pub fn nodes(&self) -> impl Iterator<Item = usize> + use<> {
        let (from, n) = match (self.hold, self.place) {
            (Hold::Spring(_), _) | (_, Place::Within { .. }) => (0, 0),
            (_, Place::Node(i)) => (i, 1),
            (_, Place::Edge(j)) => (j, 2),
        };
        from..from + n
    }

    /// Whether it holds a direction.
    pub(super) fn holds_direction(&self) -> bool {
        matches!(self.hold, Hold::Frame | Hold::Direction)
    }

    /// Which end's clamp it is, if one.
    pub(super) fn clamp(&self, n_edges: usize) -> Option<usize> {
        match self.place {
            Place::Node(0) if self.holds_direction() => Some(0),
            Place::Node(i) if i == n_edges && self.holds_direction() => Some(1),
            _ => None,
        }
    }

    /// Entries of the frame that it holds: first entry and how many of the three.
    pub(super) fn frame_entries(&self, n_edges: usize) -> Option<(usize, usize)> {
        let whole = match self.hold {
            Hold::Frame => 3,
            Hold::Direction => 2,
            Hold::Position | Hold::Spring(_) => return None,
        };
        match (self.place, self.clamp(n_edges)) {
            (_, Some(end)) => Some((layout::clamp(end, n_edges), whole)),
            // The nodes of a gripped edge hold its direction already.
            (Place::Edge(j), _) if self.hold == Hold::Frame => Some((layout::frame(j), 3)),
            _ => None,
        }
    }

    /// Where it is now: its point, and the frame there.
    pub fn pose(&self, state: &RodState) -> Pose {
        let n = state.frames.len();
        let edge = self.place.span(n).0;
        let rotation = match self.clamp(n) {
            Some(end) => state.clamps[end].unwrap_or(state.frames[edge]),
            None if self.hold == Hold::Direction => {
                let along = state.positions[edge + 1] - state.positions[edge];
                turned_to(&state.frames[edge], &along)
            }
            None => state.frames[edge],
        };
        Pose {
            position: self.place.point(state),
            rotation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rod::Section;

    #[test]
    fn places_are_found_on_the_grid() {
        let section = Section {
            bending: [1500.0; 2],
            torsion: 1100.0,
            axial: 1e4,
            shear: 1e4,
            mass_kg_m: 0.05,
        };
        let rod = Rod::new(vec![10.0, 20.0, 10.0], section).unwrap();
        let place = |arc, hold| Grip::nearest(&rod, arc, hold).place;
        assert_eq!(place(13.0, Hold::Position), Place::Node(1));
        assert_eq!(place(1.0, Hold::Frame), Place::Node(0));
        assert_eq!(place(4.0, Hold::Frame), Place::Edge(0));
        assert_eq!(place(29.0, Hold::Direction), Place::Edge(1));
        assert_eq!(place(400.0, Hold::Frame), Place::Node(3));
        let spring = place(25.0, Hold::Spring(1.0));
        assert_eq!(spring, Place::Within { edge: 1, t: 0.75 });
        for arc in [0.0, 10.0, 15.0, 25.0, 40.0] {
            let grip = Grip::nearest(&rod, arc, Hold::Spring(1.0));
            assert!((grip.place.arc_length(&rod) - arc).abs() < 1e-12);
        }
    }
}
