//! The state of the rod, and its energy assembled.
//!
//! Unknowns are interleaved (Jawed2018, module 21): x_0, theta_0, x_1, theta_1, ..., x_n, four for each node but the last.
//! A clamp at an end is one more edge before it, of no length of its own: its direction, its roll and the node that
//! it ends in are given, and the joint between it and the first edge owns half an edge (half cell, order 2).

use super::band::Band;
use super::bend::{Bend, Bent};
use super::frames::{bishop, cleaned, frame_angle, reference_twist, signed_angle, transport};
use super::problem::{DerError, DerProblem, Hold, Place, Support};
use super::stencil::{Gradient, Hessian};
use super::stretch::Stretch;
use super::twist::Twist;
use crate::geom::{Pose, Rotation, Vec3};

/// Energy by term.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    /// Stretching.
    pub stretch: f64,
    /// Bending.
    pub bend: f64,
    /// Twisting.
    pub twist: f64,
    /// Weight, dead forces (moments have none) and springs.
    pub load: f64,
    /// Of a time step, while it is solved.
    pub inertia: f64,
}

impl Energies {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.stretch + self.bend + self.twist + self.load + self.inertia
    }
}

/// A rod in a state: centerline, angles and the reference frames that they are measured from.
#[derive(Clone, Debug)]
pub struct Chain {
    pub(super) problem: DerProblem,
    /// Nodes, with those of the ghost edges of end clamps.
    pub(super) x: Vec<Vec3>,
    /// Angle of the material frame of each edge against its reference frame.
    pub(super) theta: Vec<f64>,
    tangents: Vec<Vec3>,
    /// First axis of each edge's reference frame.
    a1: Vec<Vec3>,
    /// Reference twist of the joint before each edge; 0 for the first.
    twists: Vec<f64>,
    /// 1 where the first edge is the ghost of a clamp, else 0.
    pub(super) first: usize,
    /// Unknowns that supports hold.
    pub(super) fixed: Vec<bool>,
    /// In motion: the nodes' inertia over one time step, and edges that are kept at their length by projection instead of
    /// by stiffness.
    pub(super) inertia: Option<Inertia>,
}

/// The inertia of implicit Euler as an energy: sum of m/(2 h^2) |x - (x_0 + h v_0)|^2. The angles have none, so that the
/// material frame is quasistatic.
#[derive(Clone, Debug)]
pub(super) struct Inertia {
    /// m / h^2 of each node; 0 where it is held.
    pub stiffness: Vec<f64>,
    /// Where each node would go without forces.
    pub coasting: Vec<Vec3>,
}

/// Number of the unknown: coordinate `c` of node `i`; the angle of edge `i` for `c` = 3.
pub(super) fn unknown(i: usize, c: usize) -> usize {
    4 * i + c
}

impl Chain {
    /// A rod along `nodes`, with material frames that do not twist between its supports but at the last one.
    pub fn along(problem: DerProblem, nodes: &[Vec3]) -> Result<Self, DerError> {
        let mut chain = Self::bare(problem, nodes)?;
        let any = chain.tangents[0].cross(&Vec3::ith(chain.tangents[0].iamin(), 1.0));
        let first = match chain.support_of_edge(0) {
            Some(support) => support.frame() * Vec3::x(),
            None => any,
        };
        chain.a1 = bishop(&chain.tangents, &cleaned(&first, &chain.tangents[0]));
        for edge in 0..chain.theta.len() {
            if let Some(support) = chain.support_of_edge(edge) {
                chain.theta[edge] = frame_angle(&support.frame(), &chain.a1[edge], support.roll);
            }
        }
        Ok(chain)
    }

    /// A rod along `nodes` with the material frame of each edge, and the twist of each joint (clamps included) to within
    /// half a turn: it says how many turns there are.
    pub fn with_frames(
        problem: DerProblem,
        nodes: &[Vec3],
        frames: &[Rotation],
        twists: &[f64],
    ) -> Result<Self, DerError> {
        let n = problem.rest_lengths.len();
        for (what, expected, found) in
            [("frames", n, frames.len()), ("twists", n + 1, twists.len())]
        {
            if expected != found {
                return Err(DerError::WrongCount {
                    what,
                    expected,
                    found,
                });
            }
        }
        let mut chain = Self::bare(problem, nodes)?;
        for edge in 0..chain.theta.len() {
            let frame = match chain.support_of_edge(edge) {
                Some(support) => support.frame(),
                None => frames[(edge.saturating_sub(chain.first)).min(n - 1)],
            };
            chain.a1[edge] = cleaned(&(frame * Vec3::x()), &chain.tangents[edge]);
            if edge > 0 {
                let near = twists[edge - chain.first];
                chain.twists[edge] = chain.twist_near(edge, near);
            }
        }
        Ok(chain)
    }

    fn bare(problem: DerProblem, nodes: &[Vec3]) -> Result<Self, DerError> {
        problem.check()?;
        let n = problem.rest_lengths.len();
        if nodes.len() != n + 1 {
            return Err(DerError::WrongCount {
                what: "nodes",
                expected: n + 1,
                found: nodes.len(),
            });
        }
        let clamp = |node: usize| {
            let mut all = problem.supports.iter();
            all.find(|s| s.place == Place::Node(node) && s.hold != Hold::Position)
        };
        let (start, end) = (clamp(0).copied(), clamp(n).copied());
        let mut x = nodes.to_vec();
        if let Some(s) = start {
            x.insert(0, s.pose.position);
        }
        if let Some(s) = end {
            x.push(s.pose.position);
        }
        let n_edges = x.len() - 1;
        let mut chain = Self {
            first: usize::from(start.is_some()),
            theta: vec![0.0; n_edges],
            tangents: vec![Vec3::zeros(); n_edges],
            a1: vec![Vec3::zeros(); n_edges],
            twists: vec![0.0; n_edges],
            fixed: vec![false; 4 * x.len() - 1],
            inertia: None,
            x,
            problem,
        };
        for k in 0..chain.problem.supports.len() {
            let support = chain.problem.supports[k];
            for (node, position) in chain.held_nodes(&support) {
                chain.x[node] = position;
                for c in 0..3 {
                    chain.fixed[unknown(node, c)] = true;
                }
            }
            if let (Some(edge), Hold::Frame) = (chain.held_edge(&support), support.hold) {
                chain.fixed[unknown(edge, 3)] = true;
            }
        }
        for (edge, pair) in chain.x.windows(2).enumerate() {
            chain.tangents[edge] = (pair[1] - pair[0])
                .try_normalize(0.0)
                .ok_or(DerError::BadNumber("first shape"))?;
        }
        Ok(chain)
    }

    /// The edge whose direction (and roll) a support holds.
    fn held_edge(&self, support: &Support) -> Option<usize> {
        match (support.place, support.hold) {
            (_, Hold::Position) => None,
            (Place::Node(0), _) => Some(0),
            (Place::Node(_), _) => Some(self.theta.len() - 1),
            (Place::Edge(j), _) => Some(j + self.first),
        }
    }

    /// The nodes that a support holds, and where it wants them.
    pub(super) fn held_nodes(&self, support: &Support) -> Vec<(usize, Vec3)> {
        let n = self.problem.rest_lengths.len();
        let at = support.pose.position;
        let reach = |length: f64| support.pose.rotation * Vec3::z() * length;
        match (support.place, support.hold) {
            (Place::Node(i), Hold::Position) => vec![(i + self.first, at)],
            (Place::Node(0), _) => {
                let ghost = self.problem.rest_lengths[0];
                vec![(0, at - reach(ghost)), (1, at)]
            }
            (Place::Node(_), _) => {
                let (last, ghost) = (n + self.first, self.problem.rest_lengths[n - 1]);
                vec![(last, at), (last + 1, at + reach(ghost))]
            }
            (Place::Edge(j), _) => {
                let half = reach(0.5 * self.problem.rest_lengths[j]);
                let node = j + self.first;
                vec![(node, at - half), (node + 1, at + half)]
            }
        }
    }

    fn support_of_edge(&self, edge: usize) -> Option<&Support> {
        let holds = |s: &&Support| s.hold == Hold::Frame && self.held_edge(s) == Some(edge);
        self.problem.supports.iter().find(holds)
    }

    /// The change of each held unknown that takes supports to new poses and rolls, in their order.
    pub(super) fn move_supports(&mut self, targets: &[(Pose, f64)]) -> Vec<(usize, f64)> {
        let mut changes = Vec::new();
        for (k, &(pose, roll)) in targets.iter().enumerate() {
            let before = self.problem.supports[k];
            let support = Support {
                pose,
                roll,
                ..before
            };
            self.problem.supports[k] = support;
            for (node, position) in self.held_nodes(&support) {
                let by = position - self.x[node];
                changes.extend((0..3).map(|c| (unknown(node, c), by[c])));
            }
            if let (Some(edge), Hold::Frame) = (self.held_edge(&support), support.hold) {
                let tangent = support.pose.rotation * Vec3::z();
                let a1 = transport(&self.a1[edge], &self.tangents[edge], &tangent);
                let near = self.theta[edge] + roll - before.roll;
                let theta = frame_angle(&support.frame(), &a1, near);
                changes.push((unknown(edge, 3), theta - self.theta[edge]));
            }
        }
        changes
    }

    fn twist_near(&self, edge: usize, near: f64) -> f64 {
        reference_twist(
            [&self.tangents[edge - 1], &self.tangents[edge]],
            [&self.a1[edge - 1], &self.a1[edge]],
            near,
        )
    }

    /// Adds `share` of a step to the unknowns and carries the reference frames along in time.
    pub(super) fn advance(&mut self, step: &[f64], share: f64) {
        for (i, x) in self.x.iter_mut().enumerate() {
            *x += Vec3::from_fn(|c, _| share * step[unknown(i, c)]);
        }
        for (edge, theta) in self.theta.iter_mut().enumerate() {
            *theta += share * step[unknown(edge, 3)];
        }
        self.carry_frames();
    }

    /// Carries the reference frames to the edges as they are now, and follows the reference twist.
    pub(super) fn carry_frames(&mut self) {
        for edge in 0..self.theta.len() {
            let t = (self.x[edge + 1] - self.x[edge]).normalize();
            let carried = transport(&self.a1[edge], &self.tangents[edge], &t);
            self.a1[edge] = cleaned(&carried, &t);
            self.tangents[edge] = t;
        }
        for edge in 1..self.theta.len() {
            self.twists[edge] = self.twist_near(edge, self.twists[edge]);
        }
    }

    /// Twist of the joint before internal edge `edge`.
    fn twist_at(&self, edge: usize) -> f64 {
        self.theta[edge] - self.theta[edge - 1] + self.twists[edge]
    }

    fn edge(&self, edge: usize) -> Vec3 {
        self.x[edge + 1] - self.x[edge]
    }

    /// The stretching term of an edge; the ghosts of clamps have none.
    pub(super) fn stretch(&self, edge: usize) -> Option<Stretch> {
        let own = edge.checked_sub(self.first)?;
        if self.inertia.is_some() {
            return None;
        }
        Some(Stretch {
            stiffness: self.problem.stiffness.stretch,
            length: *self.problem.rest_lengths.get(own)?,
        })
    }

    fn rest(&self, joint: usize) -> Vec3 {
        let rest = self.problem.rest.get(joint).copied().unwrap_or_default();
        rest * self.problem.joint_length(joint)
    }

    fn bend(&self, edge: usize) -> (Bend, Vec3, Vec3, f64) {
        let joint = edge - self.first;
        let rest = self.rest(joint);
        let term = Bend {
            stiffness: self.problem.stiffness.bend,
            length: self.problem.joint_length(joint),
            rest: [rest.x, rest.y],
        };
        let phi = self.theta[edge - 1] + 0.5 * self.twist_at(edge);
        (term, self.edge(edge - 1), self.edge(edge), phi)
    }

    fn twist(&self, edge: usize) -> Twist {
        let joint = edge - self.first;
        Twist {
            stiffness: self.problem.stiffness.twist,
            length: self.problem.joint_length(joint),
            rest: self.rest(joint).z,
        }
    }

    /// Tension of each edge as the nodes are; 0 for ghosts.
    pub(super) fn tensions(&self) -> Vec<f64> {
        let tension = |k: usize| self.stretch(k).map_or(0.0, |s| s.tension(&self.edge(k)));
        (0..self.theta.len()).map(tension).collect()
    }

    /// The energy, term by term.
    pub fn energies(&self) -> Energies {
        let mut sum = Energies::default();
        for edge in 0..self.theta.len() {
            if let Some(stretch) = self.stretch(edge) {
                sum.stretch += stretch.energy(&self.edge(edge));
            }
            if edge > 0 {
                let (bend, e, f, phi) = self.bend(edge);
                let a1 = &self.a1[edge - 1];
                sum.bend += bend.energy(&Bent {
                    e: &e,
                    f: &f,
                    a1,
                    phi,
                });
                sum.twist += self.twist(edge).energy(self.twist_at(edge));
            }
        }
        for (i, x) in self.nodes().iter().enumerate() {
            sum.load -= self.node_load(i).dot(x);
        }
        for load in &self.problem.loads {
            sum.load -= load.force.dot(&self.point(load.edge, load.t));
        }
        for spring in &self.problem.springs {
            let pull = self.point(spring.edge, spring.t) - spring.anchor;
            sum.load += 0.5 * spring.stiffness * pull.norm_squared();
        }
        if let Some(inertia) = &self.inertia {
            for (i, x) in self.x.iter().enumerate() {
                let off = (x - inertia.coasting[i]).norm_squared();
                sum.inertia += 0.5 * inertia.stiffness[i] * off;
            }
        }
        sum
    }

    fn node_load(&self, i: usize) -> Vec3 {
        self.problem.line_load * self.problem.joint_length(i)
    }

    fn point(&self, edge: usize, t: f64) -> Vec3 {
        self.x[edge + self.first].lerp(&self.x[edge + self.first + 1], t)
    }

    /// Gradient of the energy; loads included, supports not.
    pub(super) fn gradient(&self) -> Vec<f64> {
        let mut gradient = vec![0.0; self.fixed.len()];
        self.assemble(&mut gradient, None, &[]);
        gradient
    }

    /// Adds gradient and Hessian. `tensions` are assumed in the Hessian of the stretch, where there are any.
    pub(super) fn assemble(
        &self,
        gradient: &mut [f64],
        mut hessian: Option<&mut Band>,
        tensions: &[f64],
    ) {
        for edge in 0..self.theta.len() {
            if let Some(stretch) = self.stretch(edge) {
                let assumed = tensions.get(edge).copied();
                let (g, h) = stretch.derivatives(&self.edge(edge), assumed);
                let at = |k: usize| unknown(edge + k / 3, k % 3);
                scatter(
                    gradient,
                    hessian.as_deref_mut(),
                    6,
                    at,
                    |i| g[i],
                    |i, j| h[(i, j)],
                );
            }
            if edge > 0 {
                let (bend, e, f, phi) = self.bend(edge);
                let a1 = &self.a1[edge - 1];
                let mut sum: (Gradient, Hessian) = bend.derivatives(&Bent {
                    e: &e,
                    f: &f,
                    a1,
                    phi,
                });
                let (g, h) = self.twist(edge).derivatives(&e, &f, self.twist_at(edge));
                sum.0 += g;
                sum.1 += h;
                let at = |k: usize| unknown(edge - 1, k);
                let (g, h) = sum;
                scatter(
                    gradient,
                    hessian.as_deref_mut(),
                    11,
                    at,
                    |i| g[i],
                    |i, j| h[(i, j)],
                );
            }
        }
        if let Some(inertia) = &self.inertia {
            for (i, x) in self.x.iter().enumerate() {
                let (k, off) = (inertia.stiffness[i], x - inertia.coasting[i]);
                let at = |c: usize| unknown(i, c);
                scatter(
                    gradient,
                    hessian.as_deref_mut(),
                    3,
                    at,
                    |c| k * off[c],
                    |a, b| {
                        if a == b { k } else { 0.0 }
                    },
                );
            }
        }
        self.assemble_loads(gradient, hessian);
    }

    fn assemble_loads(&self, gradient: &mut [f64], mut hessian: Option<&mut Band>) {
        for i in 0..=self.problem.rest_lengths.len() {
            let force = self.node_load(i);
            for c in 0..3 {
                gradient[unknown(i + self.first, c)] -= force[c];
            }
        }
        for load in &self.problem.loads {
            let edge = load.edge + self.first;
            let e = self.edge(edge);
            let (t, length) = (e.normalize(), e.norm());
            // A couple of forces does the work of the moment across the edge, the angle that of the moment along it.
            let couple = load.moment.cross(&t) / length;
            for c in 0..3 {
                gradient[unknown(edge, c)] -= load.force[c] * (1.0 - load.t) - couple[c];
                gradient[unknown(edge + 1, c)] -= load.force[c] * load.t + couple[c];
            }
            gradient[unknown(edge, 3)] -= load.moment.dot(&t);
            // The moment has no energy; this is the symmetric part of how the couple turns with the edge.
            let k = (couple * t.transpose() + t * couple.transpose()) / length;
            let sign = |i: usize, j: usize| if i / 3 == j / 3 { 1.0 } else { -1.0 };
            let at = |i: usize| unknown(edge + i / 3, i % 3);
            scatter(
                gradient,
                hessian.as_deref_mut(),
                6,
                at,
                |_| 0.0,
                |i, j| sign(i, j) * k[(i % 3, j % 3)],
            );
        }
        for spring in &self.problem.springs {
            let edge = spring.edge + self.first;
            let pull = (self.point(spring.edge, spring.t) - spring.anchor) * spring.stiffness;
            let share = [1.0 - spring.t, spring.t];
            let at = |i: usize| unknown(edge + i / 3, i % 3);
            let k = spring.stiffness;
            scatter(
                gradient,
                hessian.as_deref_mut(),
                6,
                at,
                |i| share[i / 3] * pull[i % 3],
                |i, j| {
                    if i % 3 == j % 3 {
                        k * share[i / 3] * share[j / 3]
                    } else {
                        0.0
                    }
                },
            );
        }
    }

    /// Changes the dead loads.
    pub fn set_loads(&mut self, loads: Vec<super::PointLoad>) -> Result<(), DerError> {
        self.problem.loads = loads;
        self.problem.check()
    }

    /// The rod, its supports where they are now, and its loads.
    pub fn problem(&self) -> &DerProblem {
        &self.problem
    }

    /// The nodes of the rod itself.
    pub fn nodes(&self) -> &[Vec3] {
        &self.x[self.first..=self.first + self.problem.rest_lengths.len()]
    }

    /// Unit tangent of each edge of the rod itself.
    pub fn tangents(&self) -> &[Vec3] {
        &self.tangents[self.first..self.first + self.problem.rest_lengths.len()]
    }

    /// Material axis d1 of edge `edge` of the rod itself.
    pub fn material_axis(&self, edge: usize) -> Vec3 {
        let k = edge + self.first;
        super::frames::turned(&self.a1[k], &self.tangents[k], self.theta[k])
    }

    /// Twist of each joint, clamps included, radians; 0 at a free end.
    pub fn joint_twists(&self) -> Vec<f64> {
        let n = self.problem.rest_lengths.len();
        (0..=n)
            .map(|joint| match joint + self.first {
                edge if edge > 0 && edge < self.theta.len() => self.twist_at(edge),
                _ => 0.0,
            })
            .collect()
    }

    /// How far the material frame is turned from `other`'s in each edge, radians in (-pi, pi].
    pub fn turned_from(&self, other: &[Rotation]) -> Vec<f64> {
        (0..self.problem.rest_lengths.len())
            .zip(other)
            .map(|(edge, frame)| {
                let t = self.tangents[edge + self.first];
                let theirs = transport(&(frame * Vec3::x()), &(frame * Vec3::z()), &t);
                signed_angle(&theirs, &self.material_axis(edge), &t)
            })
            .collect()
    }

    /// Force and moment of a support on the rod: the gradient by a motion of the support, turning about its own place.
    ///
    /// Turned by w, a held node at r moves by w x r, and the angle of a held edge grows by w.t (frames carried along take
    /// the rest of w).
    pub(super) fn reaction(&self, support: &Support, gradient: &[f64]) -> (Vec3, Vec3) {
        let (mut force, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for (node, _) in self.held_nodes(support) {
            let g = Vec3::from_fn(|c, _| gradient[unknown(node, c)]);
            force += g;
            if support.hold != Hold::Position {
                moment += (self.x[node] - support.pose.position).cross(&g);
            }
        }
        if let (Some(edge), Hold::Frame) = (self.held_edge(support), support.hold) {
            moment += self.tangents[edge] * gradient[unknown(edge, 3)];
        }
        (force, moment)
    }
}

/// Adds a term of `n` unknowns to the whole.
fn scatter(
    gradient: &mut [f64],
    hessian: Option<&mut Band>,
    n: usize,
    at: impl Fn(usize) -> usize,
    g: impl Fn(usize) -> f64,
    h: impl Fn(usize, usize) -> f64,
) {
    for i in 0..n {
        gradient[at(i)] += g(i);
    }
    if let Some(hessian) = hessian {
        for i in 0..n {
            for j in 0..n {
                hessian.add(at(i), at(j), h(i, j));
            }
        }
    }
}
