//! An end of a rod that goes with a body: its unknowns as maps of the body's.

use smallvec::SmallVec;

use crate::geom::{Mat3, Rotation, Vec3, skew};
use crate::solve::newton::entry;
use crate::solve::{Solver, layout};

/// An end of a rod that goes with a body.
#[derive(Clone, Debug)]
pub(in crate::solve) struct Link {
    pub rod: usize,
    /// Number of its node.
    pub node: usize,
    /// Its node in the body's axes, mm.
    pub arm: Vec3,
    /// Its clamp's frame in the body's axes, if it has one.
    pub frame: Option<Rotation>,
}

/// Unknowns of a link (first entry in its rod) as a linear map of the body's way (first matrix) and turn (second).
pub(in crate::solve) struct Slaved {
    pub at: usize,
    pub of_way: Option<Mat3>,
    pub of_turn: Option<Mat3>,
}

impl Link {
    /// The clamp of its rod that goes along: 0 at the start of the rod, 1 at its end.
    pub(super) fn clamp(&self, rod: &Solver) -> Option<usize> {
        let n = rod.problem.rod.n_edges();
        self.frame.is_some().then_some(self.node / n)
    }

    /// The rod's unknowns that are the body's.
    pub fn slaved(&self, rod: &Solver, rotation: &Rotation) -> SmallVec<[Slaved; 2]> {
        let n = rod.problem.rod.n_edges();
        let mut slaved = SmallVec::new();
        slaved.push(Slaved {
            at: layout::node(self.node),
            of_way: Some(Mat3::identity()),
            of_turn: (self.arm != Vec3::zeros())
                .then(|| -(rotation.to_rotation_matrix().matrix() * skew(&self.arm))),
        });
        if let (Some(frame), Some(end)) = (&self.frame, self.clamp(rod)) {
            slaved.push(Slaved {
                at: layout::clamp(end, n),
                of_way: None,
                of_turn: Some(frame.to_rotation_matrix().matrix().transpose()),
            });
        }
        slaved
    }

    /// Force (in the world's axes) and moment (in the clamp's) that pull the end back, from the assembled system.
    pub(super) fn gradient(&self, rod: &Solver) -> [Vec3; 2] {
        let g = &rod.work.system.gradient;
        let n = rod.problem.rod.n_edges();
        let moment = |end: usize| entry(g, layout::clamp(end, n));
        [
            entry(g, layout::node(self.node)),
            self.clamp(rod).map_or_else(Vec3::zeros, moment),
        ]
    }
}
