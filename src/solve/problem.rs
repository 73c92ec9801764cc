//! What is to be solved.

use std::sync::Arc;

use super::flow::Flow;
use super::grip::{Grip, Hold, Place};
use crate::contact::{Ignored, Obstacle, RigidEnd};
use crate::geom::Vec3;
use crate::rod::Rod;

/// One cable, what holds it, its loads, and the bodies around it.
#[derive(Clone)]
pub struct Problem {
    /// The rod.
    pub rod: Rod,
    /// Outer radius for contact, mm; where the rod is thinnest, if that changes along it.
    pub radius: f64,
    /// How much thicker each edge is, mm; empty for one radius.
    pub thickness: Vec<f64>,
    /// Gravity, m/s^2.
    pub gravity: Vec3,
    /// The handles.
    pub grips: Vec<Grip>,
    /// Dead forces and moments.
    pub loads: Vec<Load>,
    /// Ways for material to run along the rod. Its rest lengths change as it runs.
    pub flows: Vec<Flow>,
    /// Coulomb friction coefficient; 0 for none.
    pub friction: f64,
    /// The bodies.
    pub obstacles: Arc<Vec<Obstacle>>,
    /// Distance that the rod keeps from each body beyond touching, mm; empty for none.
    pub margins: Vec<f64>,
    /// Where the rod passes through bodies as if they were not there.
    pub ignored: Vec<Ignored>,
    /// Whether the rod may touch itself.
    pub self_contact: bool,
    /// Fittings before its ends: no obstacle is passed through by them where a clamp moves.
    pub fittings: [RigidEnd; 2],
}

/// A force and a moment that keep their direction in space while the rod moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Where it acts.
    pub place: Place,
    /// N.
    pub force: Vec3,
    /// N mm. It acts on the frame of the edge there, and is not the gradient of an energy: where it matters much the
    /// solver's line search cannot follow it.
    pub moment: Vec3,
}

/// Why a problem has no solution to look for. Handles are numbered in the order of [`Problem::grips`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProblemError {
    /// Nothing holds the rod.
    #[error("nothing holds it: give it at least one handle")]
    NotHeld,
    /// A handle sits where it cannot.
    #[error("{reason}")]
    BadGrip {
        /// Which handle.
        grip: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Two handles hold the same piece.
    #[error(
        "two handles hold the same piece of it: move one of them along the cable, or give the cable more edges"
    )]
    Contradiction {
        /// The two handles.
        grips: [usize; 2],
    },
    /// A load, gravity, radius or friction that is not a usable number.
    #[error("the {0} is not a usable number")]
    BadNumber(&'static str),
}

impl Problem {
    /// Outer radius where the rod is thickest, mm.
    pub fn largest_radius(&self) -> f64 {
        self.radius + self.thickness.iter().copied().fold(0.0, f64::max)
    }

    /// A rod in empty space that nothing holds, without loads.
    pub fn free(rod: Rod, radius: f64) -> Self {
        Self {
            rod,
            radius,
            thickness: Vec::new(),
            gravity: Vec3::zeros(),
            grips: Vec::new(),
            loads: Vec::new(),
            flows: Vec::new(),
            friction: 0.0,
            obstacles: Arc::default(),
            margins: Vec::new(),
            ignored: Vec::new(),
            self_contact: false,
            fittings: [RigidEnd::default(); 2],
        }
    }

    /// A rod in empty space with a full-frame handle at each end, without loads.
    pub fn clamped(rod: Rod, radius: f64) -> Self {
        Self {
            grips: Grip::both_ends(rod.n_edges()),
            ..Self::free(rod, radius)
        }
    }

    /// Whether it can be solved at all.
    pub fn check(&self) -> Result<(), ProblemError> {
        let n = self.rod.n_edges();
        let finite = |v: &Vec3| v.iter().all(|c| c.is_finite());
        let fine = |place: &Place| match *place {
            Place::Node(i) => i <= n,
            Place::Edge(j) => j < n,
            Place::Within { edge, t } => edge < n && (0.0..=1.0).contains(&t),
        };
        for (good, what) in [
            (finite(&self.gravity), "gravity"),
            (self.radius.is_finite() && self.radius > 0.0, "radius"),
            (
                (self.thickness.is_empty() || self.thickness.len() == n)
                    && self.thickness.iter().all(|t| t.is_finite() && *t >= 0.0),
                "radius along it",
            ),
            (
                self.friction.is_finite() && self.friction >= 0.0,
                "friction",
            ),
            (
                self.margins.iter().all(|m| m.is_finite() && *m >= 0.0),
                "margin",
            ),
            (
                self.loads
                    .iter()
                    .all(|l| fine(&l.place) && finite(&l.force) && finite(&l.moment)),
                "load",
            ),
        ] {
            if !good {
                return Err(ProblemError::BadNumber(what));
            }
        }
        for flow in &self.flows {
            let (gain, loss) = (&flow.gain, &flow.loss);
            let inside = !gain.is_empty() && gain.end <= n && loss.end <= n;
            let numbers = [flow.pull, flow.limits[0], flow.limits[1]];
            let usable = numbers.iter().all(|x| x.is_finite()) && flow.limits[0] <= flow.limits[1];
            if !(inside && usable) {
                return Err(ProblemError::BadNumber("range of a sliding handle"));
            }
        }
        if self.grips.is_empty() {
            return Err(ProblemError::NotHeld);
        }
        for (k, grip) in self.grips.iter().enumerate() {
            let reason = match (grip.hold, grip.place) {
                (_, place) if !fine(&place) => "it is beyond the cable's end",
                (Hold::Spring(stiffness), _) => {
                    if stiffness.is_finite() && stiffness > 0.0 {
                        continue;
                    }
                    "its stiffness must be a positive number"
                }
                (Hold::Position, Place::Node(_)) => continue,
                (Hold::Position, _) => "a position is held at a node",
                (_, Place::Node(i)) if i == 0 || i == n => continue,
                (_, Place::Edge(_)) => continue,
                _ => "a direction is held at an end or in the middle of an edge",
            };
            return Err(ProblemError::BadGrip {
                grip: k,
                reason: reason.to_owned(),
            });
        }
        let mut holder = vec![None; n + 1];
        for (k, grip) in self.grips.iter().enumerate() {
            for i in grip.nodes() {
                if let Some(other) = holder[i].replace(k) {
                    return Err(ProblemError::Contradiction { grips: [other, k] });
                }
            }
        }
        Ok(())
    }
}
