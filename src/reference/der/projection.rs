//! Fast manifold projection (Bergou2008, section 8; Kirsch2012, section 6.4): after a time step without regard to the
//! length of its edges, the rod is brought to the nearest state in which every edge has its rest length.
//!
//! "Nearest" is in the metric of the masses. With C_i = |e_i|^2 - l_i^2 each iteration solves
//! (dC M^-1 dC^T) lambda = -C and moves by M^-1 dC^T lambda. An edge shares its nodes with two others, so that the matrix
//! is tridiagonal. A node that a body carries has the mobility of that point of the body.

use super::body::Body;
use crate::geom::{Mat3, Rotation, Vec3};

/// Largest |C|/l^2 that counts as zero.
pub(super) const TOLERANCE: f64 = 1e-8;
/// Iterations after which it is given up; 3 to 5 are usual.
const MOST: usize = 30;

/// The nodes of a rod, what they weigh, and the bodies that carry some of them.
pub(super) struct Projection<'a> {
    pub rest_lengths: &'a [f64],
    pub nodes: &'a mut [Vec3],
    /// 1/m of each node; 0 for one that is held or that a body carries.
    pub inverse_masses: &'a [f64],
    pub bodies: &'a mut [Body],
    /// Body and place in its axes, of a node that a body carries.
    pub carried: &'a [Option<(usize, Vec3)>],
    /// Time step: impulses are moves over it.
    pub step: f64,
}

impl Projection<'_> {
    /// Projects; the number of iterations, or `None` where it does not converge.
    pub fn run(&mut self) -> Option<usize> {
        for iteration in 0..=MOST {
            let edges: Vec<Vec3> = self.nodes.windows(2).map(|p| p[1] - p[0]).collect();
            let off: Vec<f64> = edges
                .iter()
                .zip(self.rest_lengths)
                .map(|(e, l)| e.norm_squared() - l * l)
                .collect();
            let worst = off
                .iter()
                .zip(self.rest_lengths)
                .map(|(c, l)| c.abs() / (l * l))
                .fold(0.0, f64::max);
            if !worst.is_finite() {
                return None;
            }
            if worst < TOLERANCE {
                return Some(iteration);
            }
            let lambda = self.multipliers(&edges, &off);
            self.apply(&edges, &lambda);
        }
        None
    }

    fn mobility(&self, node: usize) -> Mat3 {
        match self.carried[node] {
            Some((body, place)) => {
                let body = &self.bodies[body];
                body.point_mobility(&(body.pose.rotation * place))
            }
            None => Mat3::identity() * self.inverse_masses[node],
        }
    }

    /// Solves the tridiagonal system by elimination. The gradient of C_i is 2 e_i at its second node, -2 e_i at its first.
    fn multipliers(&self, edges: &[Vec3], off: &[f64]) -> Vec<f64> {
        let n = edges.len();
        let mobility: Vec<Mat3> = (0..=n).map(|node| self.mobility(node)).collect();
        let diagonal = |i: usize| 4.0 * edges[i].dot(&((mobility[i] + mobility[i + 1]) * edges[i]));
        let beside = |i: usize| -4.0 * edges[i].dot(&(mobility[i + 1] * edges[i + 1]));
        let (mut pivots, mut right) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..n {
            (pivots[i], right[i]) = (diagonal(i), -off[i]);
            if i > 0 && pivots[i - 1] > 0.0 {
                let factor = beside(i - 1) / pivots[i - 1];
                pivots[i] -= factor * beside(i - 1);
                right[i] -= factor * right[i - 1];
            }
        }
        let mut lambda = vec![0.0; n];
        for i in (0..n).rev() {
            let next = if i + 1 < n {
                beside(i) * lambda[i + 1]
            } else {
                0.0
            };
            // An edge whose nodes are both held can do nothing.
            lambda[i] = if pivots[i] > 0.0 {
                (right[i] - next) / pivots[i]
            } else {
                0.0
            };
        }
        lambda
    }

    fn apply(&mut self, edges: &[Vec3], lambda: &[f64]) {
        for node in 0..self.nodes.len() {
            let mut pull = Vec3::zeros();
            if node > 0 {
                pull += edges[node - 1] * (2.0 * lambda[node - 1]);
            }
            if node < edges.len() {
                pull -= edges[node] * (2.0 * lambda[node]);
            }
            let Some((body, place)) = self.carried[node] else {
                self.nodes[node] += pull * self.inverse_masses[node];
                continue;
            };
            let body = &mut self.bodies[body];
            let arm = body.pose.rotation * place;
            let turning = arm.cross(&pull);
            let turn = Rotation::from_scaled_axis(body.mobility() * turning);
            body.push(&(pull / self.step), &(turning / self.step));
            body.pose.position += pull / body.mass;
            body.pose.rotation = turn * body.pose.rotation;
            self.nodes[node] = body.pose.transform(&place);
        }
    }
}
