//! Rigid bodies that find their own place: junctions of rods, and what hangs on their ends.
//!
//! A body has six unknowns: its position c and its rotation R, which a step turns to R exp(theta). The end of a rod that is
//! fixed to it has none of its own: its node is at x = c + R p and its clamp's frame is C = R F. So what the rod's system
//! has for them goes to the body by the chain rule, dx = dc - R [p] theta and dC = F^T theta (both frames turn about their
//! own axes, and the second is exact), and the node's force f = dE/dx adds the second derivative of R exp(theta) p,
//! (g p^T + p g^T)/2 - (g.p) 1 with g = R^T f. A body that is held has no unknowns and is not here: its rods have clamps.

mod energy;
mod held;
mod inertia;
mod link;
mod shell;
mod spans;
mod split;
mod stability;
#[cfg(test)]
mod tests;

pub(super) use link::Link;
pub use shell::{Among, strand_rod};
use smallvec::SmallVec;

use super::grip::{Hold, Place};
use super::{Solver, layout};
use crate::geom::{Pose, Rotation, Vec3};

/// A rigid body that ends of rods are fixed to.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Where it is.
    pub pose: Pose,
    /// Its mass, kg: 0 for a junction that is nothing but its branches.
    pub mass_kg: f64,
    /// Its center of mass in its own axes, mm.
    pub center: Vec3,
    /// The ends of rods that it takes along.
    pub ends: Vec<BodyEnd>,
    /// How far it turns in one iteration at most, radians: its nodes go straight, and those of a shell that others meet
    /// are to stay near their arcs.
    pub most_turn: f64,
}

/// A handle of a rod that is fixed to a body: at an end, or one that holds a position at any node. Full ones and those that
/// hold a direction keep their angles to the body; one that holds a position turns freely about its node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyEnd {
    /// Number of the rod.
    pub rod: usize,
    /// Number of its grip.
    pub grip: usize,
    /// Where the end is in the body's axes.
    pub in_body: Pose,
}

impl BodyEnd {
    /// The node of the rod that it takes along; `None` when the grip is not at a node, or is a spring.
    fn node(&self, rod: &Solver) -> Option<usize> {
        let grip = rod.problem.grips.get(self.grip)?;
        match (grip.hold, grip.place) {
            (Hold::Spring(_), _) => None,
            (_, Place::Node(i)) => Some(i),
            _ => None,
        }
    }
}

/// Ends that are nearer than this to where their body has them, mm and radians, are put there; others are fixed where they
/// are found.
const TOGETHER: f64 = 1e-6;

/// A body with what its iterations need.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Its number among those that were asked for.
    pub number: usize,
    pub pose: Pose,
    /// Where it was at the last equilibrium.
    rest: Pose,
    mass_kg: f64,
    center: Vec3,
    gravity: Vec3,
    /// Its own among the links.
    links: std::ops::Range<usize>,
    most_turn: f64,
    /// Whether it turns; one that no end holds to an angle has no reason to.
    pub turns: bool,
    /// Its step, or the right-hand side that leads to it: way, and turn about its own axes.
    pub delta: [Vec3; 2],
    straight: [Vec3; 2],
    uncorrected: [Vec3; 2],
    last_turn: Vec3,
    /// Mass-like shift of its rotation.
    pub inertia: f64,
    /// Residual and tolerance at the last iterate.
    pub measured: [f64; 2],
    /// What it has beside its pose in motion over time.
    motion: Option<inertia::BodyInertia>,
}

/// The bodies of some rods.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    pub all: Vec<Member>,
    pub links: Vec<Link>,
}

impl Member {
    /// Its weight, N.
    fn weight(&self) -> Vec3 {
        self.gravity * self.mass_kg
    }

    /// Where it is after a fraction of its step.
    pub fn pose_after(&self, fraction: f64) -> Pose {
        let turn = Rotation::from_scaled_axis(self.delta[1] * fraction);
        Pose {
            position: self.pose.position + self.delta[0] * fraction,
            rotation: Rotation::new_normalize((self.pose.rotation * turn).into_inner()),
        }
    }
}

impl Bodies {
    /// Fixes ends of rods to bodies. Ends that were fixed to others before are let go.
    pub fn new(bodies: &[Body], rods: &mut [Solver]) -> Self {
        let mut all = Self::default();
        let adrift = held::adrift(bodies, rods);
        for (rod, &adrift) in rods.iter_mut().zip(&adrift) {
            rod.set_carried(&[], adrift);
            rod.span = None;
        }
        for (number, body) in bodies.iter().enumerate() {
            if body.ends.iter().any(|end| adrift[end.rod]) {
                // It would fall for ever.
                continue;
            }
            let first = all.links.len();
            for end in &body.ends {
                all.links
                    .extend(take_end(&mut rods[end.rod], end, &body.pose));
            }
            if all.links.len() == first {
                continue;
            }
            let links = &all.links[first..];
            let gravity = rods[links[0].rod].problem.gravity;
            let turns = links
                .iter()
                .any(|l| l.frame.is_some() || l.arm != Vec3::zeros())
                || body.mass_kg > 0.0 && body.center != Vec3::zeros();
            all.all.push(Member {
                number,
                pose: body.pose,
                rest: body.pose,
                mass_kg: body.mass_kg,
                center: body.center,
                gravity,
                links: first..all.links.len(),
                most_turn: body.most_turn,
                turns,
                delta: [Vec3::zeros(); 2],
                straight: [Vec3::zeros(); 2],
                uncorrected: [Vec3::zeros(); 2],
                last_turn: Vec3::zeros(),
                inertia: 0.0,
                measured: [0.0; 2],
                motion: None,
            });
        }
        all
    }

    /// Takes gravity and lengths from the rods, which may have changed.
    pub fn refresh(&mut self, rods: &mut [Solver]) {
        for body in &mut self.all {
            body.gravity = rods[self.links[body.links.start].rod].problem.gravity;
        }
        if !self.all.is_empty() {
            spans::find(self, rods);
        }
    }

    /// Numbers of the bodies whose rods are awake.
    pub fn awake(&self, rods: &[Solver]) -> impl Iterator<Item = usize> {
        let awake = |b: &usize| self.is_awake(*b, rods);
        (0..self.all.len()).filter(awake)
    }

    fn is_awake(&self, body: usize, rods: &[Solver]) -> bool {
        self.links_of(body).iter().any(|l| rods[l.rod].awake)
    }

    /// The ends that go with a body.
    pub fn links_of(&self, body: usize) -> &[Link] {
        &self.links[self.all[body].links.clone()]
    }

    /// Pairs of rods that are fixed to the same body: they move and rest together.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.all.iter().flat_map(|body| {
            let links = &self.links[body.links.clone()];
            links.windows(2).map(|pair| [pair[0].rod, pair[1].rod])
        })
    }

    /// Does something to every body whose rods are awake.
    fn each(&mut self, rods: &[Solver], mut f: impl FnMut(&mut Member)) {
        for b in 0..self.all.len() {
            if self.is_awake(b, rods) {
                f(&mut self.all[b]);
            }
        }
    }

    /// Takes the steps to where they lead after a fraction of them; the ends follow exactly.
    pub fn accept(&mut self, rods: &mut [Solver], fraction: f64) {
        self.each(rods, |body| {
            body.last_turn = body.delta[1] * fraction;
            body.pose = body.pose_after(fraction);
        });
        self.follow(rods);
    }

    /// Puts the ends where the bodies have them.
    fn follow(&self, rods: &mut [Solver]) {
        for b in self.awake(rods).collect::<SmallVec<[usize; 16]>>() {
            let pose = &self.all[b].pose;
            for link in self.links_of(b) {
                let rod = &mut rods[link.rod];
                rod.state.positions[link.node] = pose.transform(&link.arm);
                if let (Some(frame), Some(end)) = (&link.frame, link.clamp(rod)) {
                    rod.state.clamps[end] = Some(pose.rotation * frame);
                }
            }
        }
    }

    /// Keeps where the bodies are as the last equilibrium.
    pub fn commit(&mut self, rods: &[Solver]) {
        self.each(rods, |body| body.rest = body.pose);
    }

    /// Back to the last equilibrium.
    pub fn go_back(&mut self, rods: &[Solver]) {
        self.each(rods, |body| body.pose = body.rest);
    }

    /// Changes places with the last equilibrium.
    pub fn swap_rest(&mut self, rods: &[Solver]) {
        self.each(rods, |body| std::mem::swap(&mut body.pose, &mut body.rest));
    }

    /// The fraction of the steps within which no body turns farther than it may.
    pub fn turn_limit(&self, rods: &[Solver]) -> f64 {
        let limit = |b: usize| self.all[b].most_turn / self.all[b].delta[1].norm();
        self.awake(rods).map(limit).fold(1.0, f64::min)
    }

    /// Whether a step makes ends go along arcs.
    pub fn bends(&self, rods: &[Solver]) -> bool {
        let bent = |b: usize| {
            let arms = self.links_of(b).iter();
            self.all[b].delta[1] != Vec3::zeros()
                && arms.into_iter().any(|l| l.arm != Vec3::zeros())
        };
        self.awake(rods).any(bent)
    }

    /// Has the nodes of ends go straight to where a fraction of the step takes their bodies, instead of along the tangent
    /// of the arc.
    pub fn straighten(&self, rods: &mut [Solver], fraction: f64) {
        if fraction == 0.0 {
            return;
        }
        for (b, body) in self.all.iter().enumerate() {
            if body.delta[1] == Vec3::zeros() || !self.is_awake(b, rods) {
                continue;
            }
            let there = body.pose_after(fraction);
            for link in self.links_of(b).iter().filter(|l| l.arm != Vec3::zeros()) {
                let rod = &mut rods[link.rod];
                let way = (there.transform(&link.arm) - rod.state.positions[link.node]) / fraction;
                rod.work.delta[layout::node(link.node)..][..3].copy_from_slice(way.as_slice());
            }
        }
    }

    /// Takes no step.
    pub fn stay(&mut self, rods: &[Solver]) {
        self.each(rods, |body| body.delta = [Vec3::zeros(); 2]);
    }

    /// Keeps the straight steps, and takes a fraction of them.
    pub fn begin_curve(&mut self, rods: &[Solver], fraction: f64) {
        self.each(rods, |body| {
            body.straight = body.delta;
            body.delta = body.delta.map(|d| d * fraction);
        });
    }

    /// Back to the straight steps.
    pub fn end_curve(&mut self, rods: &[Solver]) {
        self.each(rods, |body| body.delta = body.straight);
    }

    /// Makes room for a correction: nothing acts on the bodies but their rods.
    pub fn push_back(&mut self, rods: &[Solver]) {
        self.each(rods, |body| {
            body.uncorrected = body.delta;
            body.delta = [Vec3::zeros(); 2];
        });
    }

    /// The steps with their correction.
    pub fn add_correction(&mut self, rods: &[Solver]) {
        self.each(rods, |body| {
            for k in 0..2 {
                body.delta[k] += body.uncorrected[k];
            }
        });
    }
}

/// Fixes a handle of a rod to a body there; `None` when the grip is not at a node, or is a spring.
fn take_end(rod: &mut Solver, end: &BodyEnd, body: &Pose) -> Option<Link> {
    let n = rod.problem.rod.n_edges();
    let node = end.node(rod)?;
    let grip = rod.problem.grips[end.grip];
    let mut carried = rod.carried.clone();
    if let Err(place) = carried.binary_search(&node) {
        carried.insert(place, node);
    }
    rod.set_carried(&carried, false);
    let found = rod.state.positions[node];
    let there = body.compose(&end.in_body);
    let side = grip.clamp(n);
    let clamped = side.and_then(|side| rod.state.clamps[side]);
    let near = (found - there.position).norm() < TOGETHER
        && clamped.is_none_or(|c| c.angle_to(&there.rotation) < TOGETHER);
    let mut link = Link {
        rod: end.rod,
        node,
        arm: end.in_body.position,
        frame: clamped.map(|_| end.in_body.rotation),
    };
    if near {
        rod.state.positions[node] = body.transform(&link.arm);
        if let (Some(side), Some(frame)) = (side, link.frame) {
            rod.state.clamps[side] = Some(body.rotation * frame);
        }
        rod.rest.copy_from(&rod.state);
    } else {
        link.arm = body.inverse().transform(&found);
        link.frame = clamped.map(|clamp| body.rotation.inverse() * clamp);
    }
    Some(link)
}
