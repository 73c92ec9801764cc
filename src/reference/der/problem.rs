//! The rod, what holds it and what pulls at it: all that the rest of the crate has to say to this model.

use crate::geom::{Pose, Rotation, Vec3};

/// A discrete elastic rod with supports and loads. Units are free, as long as they fit each other.
#[derive(Clone, Debug)]
pub struct DerProblem {
    /// Rest length of each edge, at least two.
    pub rest_lengths: Vec<f64>,
    /// How stiff it is.
    pub stiffness: Stiffness,
    /// kappa_1, kappa_2 and twist per length of each joint at rest, clamps included (one more than edges); empty for a
    /// straight rod.
    pub rest: Vec<Vec3>,
    /// Force per length, all along: the weight.
    pub line_load: Vec3,
    /// What holds it.
    pub supports: Vec<Support>,
    /// Dead forces and moments.
    pub loads: Vec<PointLoad>,
    /// Springs to fixed points.
    pub springs: Vec<Spring>,
}

/// Stiffnesses of the section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stiffness {
    /// EA.
    pub stretch: f64,
    /// EI about d1 and about d2.
    pub bend: [f64; 2],
    /// GJ.
    pub twist: f64,
}

/// Where a support sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At a node; a frame or direction only at the first and last.
    Node(usize),
    /// In the middle of an edge.
    Edge(usize),
}

/// What a support holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Position, direction and roll.
    Frame,
    /// Position and direction.
    Direction,
    /// Position, at a node.
    Position,
}

/// A support and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Support {
    /// Which piece of the rod it holds.
    pub place: Place,
    /// What of it.
    pub hold: Hold,
    /// Where it is; d3 is the direction of the rod.
    pub pose: Pose,
    /// Roll about d3 beside the pose, radians: any number of turns.
    pub roll: f64,
}

impl Support {
    /// A clamp at a node.
    pub fn clamp(node: usize, pose: Pose, roll: f64) -> Self {
        Self {
            place: Place::Node(node),
            hold: Hold::Frame,
            pose,
            roll,
        }
    }

    /// The material frame that it imposes.
    pub fn frame(&self) -> Rotation {
        self.pose.rotation * Rotation::from_scaled_axis(Vec3::z() * self.roll)
    }
}

/// A force and a moment that keep their direction in space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointLoad {
    /// The edge that carries it.
    pub edge: usize,
    /// Where on the edge, in [0, 1].
    pub t: f64,
    /// The force.
    pub force: Vec3,
    /// The moment.
    pub moment: Vec3,
}

/// A spring from a point of the rod to a fixed point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The edge that it pulls at.
    pub edge: usize,
    /// Where on the edge, in [0, 1].
    pub t: f64,
    /// Force per length.
    pub stiffness: f64,
    /// The fixed point.
    pub anchor: Vec3,
}

/// Why a problem cannot be posed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DerError {
    /// Fewer than two edges.
    #[error("a discrete elastic rod needs at least 2 edges, not {0}")]
    TooFewEdges(usize),
    /// A number that is not finite, or not positive where it must be.
    #[error("the {0} of the discrete elastic rod is not a usable number")]
    BadNumber(&'static str),
    /// A list of the wrong length.
    #[error("the discrete elastic rod needs {expected} {what}, not {found}")]
    WrongCount {
        /// Of what.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A support where it cannot be.
    #[error("support {0} of the discrete elastic rod is at no place where it can hold")]
    BadSupport(usize),
}

impl DerProblem {
    /// A straight rod without supports or loads.
    pub fn free(rest_lengths: Vec<f64>, stiffness: Stiffness) -> Self {
        Self {
            rest_lengths,
            stiffness,
            rest: Vec::new(),
            line_load: Vec3::zeros(),
            supports: Vec::new(),
            loads: Vec::new(),
            springs: Vec::new(),
        }
    }

    /// Rest length of the whole.
    pub fn length(&self) -> f64 {
        self.rest_lengths.iter().sum()
    }

    /// Rest length of joint `j`: half of each edge that meets there, so that a clamp at an end has half an edge.
    pub fn joint_length(&self, j: usize) -> f64 {
        let left = j.checked_sub(1).map_or(0.0, |k| self.rest_lengths[k]);
        let right = self.rest_lengths.get(j).copied().unwrap_or(0.0);
        0.5 * (left + right)
    }

    /// The scale of forces: weight, and bending stiffness over the length.
    pub fn force_scale(&self) -> f64 {
        let length = self.length();
        let stiffest = self.stiffness.bend[0].max(self.stiffness.bend[1]);
        self.line_load.norm() * length + 40.0 * stiffest / (length * length)
    }

    /// Whether it can be solved.
    pub fn check(&self) -> Result<(), DerError> {
        let n = self.rest_lengths.len();
        if n < 2 {
            return Err(DerError::TooFewEdges(n));
        }
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let finite = |v: &Vec3| v.iter().all(|c| c.is_finite());
        let within = |edge: usize, t: f64| edge < n && (0.0..=1.0).contains(&t);
        let k = &self.stiffness;
        for (good, what) in [
            (self.rest_lengths.iter().all(|l| positive(*l)), "length"),
            (
                positive(k.stretch) && k.bend.iter().all(|b| positive(*b)),
                "stiffness",
            ),
            (k.twist.is_finite() && k.twist >= 0.0, "torsional stiffness"),
            (finite(&self.line_load), "weight"),
            (self.rest.iter().all(finite), "rest shape"),
            (
                self.loads
                    .iter()
                    .all(|l| within(l.edge, l.t) && finite(&l.force) && finite(&l.moment)),
                "load",
            ),
            (
                self.springs
                    .iter()
                    .all(|s| within(s.edge, s.t) && positive(s.stiffness) && finite(&s.anchor)),
                "spring",
            ),
        ] {
            if !good {
                return Err(DerError::BadNumber(what));
            }
        }
        if !self.rest.is_empty() && self.rest.len() != n + 1 {
            return Err(DerError::WrongCount {
                what: "rest curvatures",
                expected: n + 1,
                found: self.rest.len(),
            });
        }
        for (k, support) in self.supports.iter().enumerate() {
            let good = match (support.place, support.hold) {
                (Place::Node(i), Hold::Position) => i <= n,
                (Place::Node(i), _) => i == 0 || i == n,
                (Place::Edge(j), hold) => j < n && hold != Hold::Position,
            };
            if !good || !finite(&support.pose.position) || !support.roll.is_finite() {
                return Err(DerError::BadSupport(k));
            }
        }
        Ok(())
    }
}
