//! Pushing a rod out of closed bodies that it starts inside of: by the shortest way, a little at each equilibrium.
//!
//! What a body cuts through is let go ([`crate::contact::Candidates::released`]): the barrier cannot tell which side it
//! belongs to. A closed body has an outside, so its stretch is drawn there by springs that move on with it; once its
//! centerline is clear, contact pushes the rest of it out.

use super::Solver;
use crate::contact::Obstacle;
use crate::geom::Vec3;

/// Way of a node from one equilibrium to the next, over radius.
const STEP: f64 = 0.5;
/// Room from the centerline to the body up to which nodes are drawn, over radius; where contact takes over there is a
/// little less.
const ROOM: f64 = 0.3;
/// Force of all springs of a stretch, over the rod's force scale. It is a gentle push: what resists it stays inside.
const FORCE: f64 = 40.0;
/// Equilibria in a row without progress after which it is given up.
const IDLE: usize = 10;
/// Equilibria in which springs that are not needed any more fade away.
const FADES: usize = 6;
/// Ways out that are compared look at so many nodes at most.
const SAMPLES: usize = 12;
/// A way out is across the rod: the cosine of its angle to the stretch is at most this.
const ALONG: f64 = 0.7;

/// A node that is drawn to a place by a spring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Number of the node.
    pub node: usize,
    /// Where it is drawn to.
    pub target: Vec3,
    /// N/mm.
    pub stiffness: f64,
    /// Equilibria since it was last needed.
    pub faded: usize,
}

impl Pull {
    /// What is left of it when it is not needed any more: it holds the node where it is, ever less, while friction takes
    /// over. All at once, the cable would slip off what it was laid on.
    fn fading(self, points: &[Vec3]) -> Option<Self> {
        (self.faded < FADES).then(|| Self {
            target: points[self.node],
            stiffness: 0.3 * self.stiffness,
            faded: self.faded + 1,
            ..self
        })
    }
}

/// What draws a rod out of bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Depenetration {
    pub pulls: Vec<Pull>,
    /// Way that was left to all nodes, mm, and how often it has not become less.
    pub left: f64,
    pub idle: usize,
}

impl Solver {
    /// Whether the rod is still being pushed out of what it starts inside of: another step moves it on.
    pub fn is_pushing(&self) -> bool {
        self.margins().is_pushing() || !self.push.pulls.is_empty()
    }

    /// Whether the stretch of these edges, which an obstacle cuts through, is being pushed out of it.
    pub fn pushes_out(&self, edges: &std::ops::Range<u32>) -> bool {
        let nodes = edges.start as usize..=edges.end as usize;
        let needed = self.push.pulls.iter().filter(|p| p.faded == 0);
        needed.into_iter().any(|p| nodes.contains(&p.node))
    }

    /// Looks anew for what is inside of bodies, as after a change of the problem.
    pub(super) fn start_pushing(&mut self) {
        self.push = Depenetration {
            left: f64::INFINITY,
            ..Depenetration::default()
        };
        self.push_on();
    }

    /// Draws what is inside of bodies a little farther out of them.
    pub(super) fn push_on(&mut self) {
        if self.work.candidates.released().is_empty() && self.push.pulls.is_empty() {
            return;
        }
        let before = std::mem::take(&mut self.push.pulls);
        let mut left = 0.0;
        for stretch in self.work.candidates.released() {
            let body = &self.problem.obstacles[stretch.obstacle as usize];
            let nodes = stretch.edges.start as usize..=stretch.edges.end as usize;
            left += draw_out(
                body,
                &self.state.positions,
                nodes,
                &self.held,
                self.settings.radius,
                self.problem.rod.force_scale(&self.problem.gravity),
                &mut self.push.pulls,
            );
        }
        let fading = before
            .into_iter()
            .filter(|old| !self.push.pulls.iter().any(|new| new.node == old.node))
            .filter_map(|old| old.fading(&self.state.positions))
            .collect::<Vec<_>>();
        self.push.pulls.extend(fading);
        let step = STEP * self.settings.radius;
        if left > 0.0 && left > self.push.left - 0.02 * step {
            self.push.idle += 1;
        } else {
            self.push.idle = 0;
        }
        self.push.left = left;
        if self.push.idle >= IDLE {
            self.push.pulls.clear();
        }
    }
}

/// Adds springs that draw what is inside of a body towards its outside; the way that is left to all of them, mm.
///
/// None where the body has no inside, or a handle holds a node there.
fn draw_out(
    body: &Obstacle,
    points: &[Vec3],
    nodes: std::ops::RangeInclusive<usize>,
    held: &[bool],
    radius: f64,
    force_scale: f64,
    pulls: &mut Vec<Pull>,
) -> f64 {
    let (first, last) = (*nodes.start(), *nodes.end());
    if !body.is_closed() {
        return 0.0;
    }
    let inside = |i: usize| body.contains(&points[i]);
    let cut = |i: usize| {
        let near = body.nearest(&points[i], &points[i + 1], ROOM * radius);
        near.is_some()
    };
    let drawn: Vec<usize> = nodes
        .filter(|&i| inside(i) || i > first && cut(i - 1) || i < last && cut(i))
        .collect();
    let within: Vec<usize> = drawn.iter().copied().filter(|&i| inside(i)).collect();
    if drawn.iter().any(|&i| held[i]) {
        return 0.0;
    }
    // Where all nodes are outside already, what is still cut or too near says which way.
    let judged = if within.is_empty() { &drawn } else { &within };
    let (Some(&from), Some(&to)) = (judged.first(), judged.last()) else {
        return 0.0;
    };
    // From where it enters to where it leaves.
    let chord = points[(to + 1).min(last)] - points[from.saturating_sub(1).max(first)];
    let Some(way) = shortest_way(body, points, judged, &chord) else {
        return 0.0;
    };
    let step = STEP * radius;
    let stiffness = FORCE * force_scale / (step * drawn.len() as f64);
    let mut left = 0.0;
    for &node in &drawn {
        let out = body.way_out(&points[node], &way) + radius;
        left += out;
        pulls.push(Pull {
            node,
            target: points[node] + way * out.min(step),
            stiffness,
            faded: 0,
        });
    }
    left
}

/// The direction in which all of the nodes leave the body soonest, across the stretch; a unit vector.
fn shortest_way(body: &Obstacle, points: &[Vec3], nodes: &[usize], chord: &Vec3) -> Option<Vec3> {
    let along = chord.try_normalize(f64::MIN_POSITIVE)?;
    let stride = nodes.len().div_ceil(SAMPLES);
    let samples = || nodes.iter().step_by(stride).map(|&i| &points[i]);
    let nearest = samples().filter_map(|p| {
        let place = body.nearest(p, p, f64::INFINITY)?;
        let towards = (place.on_triangle - p).try_normalize(f64::MIN_POSITIVE)?;
        Some(if body.contains(p) { towards } else { -towards })
    });
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let axes = axes.into_iter().flat_map(|axis| [axis, -axis]);
    // Straight across where a way leans along the stretch.
    let across = |d: Vec3| match d.dot(&along).abs() {
        lean if lean <= ALONG => Some(d),
        _ => (d - along * d.dot(&along)).try_normalize(1e-3),
    };
    let ways = nearest.chain(axes).filter_map(across);
    let cost = |d: &Vec3| samples().map(|p| body.way_out(p, d)).fold(0.0, f64::max);
    let costed = ways.map(|d| (cost(&d), d));
    // The first of equals: the same way from one equilibrium to the next.
    costed
        .reduce(|a, b| if b.0 < a.0 { b } else { a })
        .map(|(_, d)| d)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_2;
    use std::sync::Arc;

    use super::*;
    use crate::geom::{Aabb, Pose, Rotation};
    use crate::mesh::primitives;
    use crate::rod::{Rod, RodState, Section, first_guess};
    use crate::solve::{CancelToken, Problem, Status, Target};

    const RADIUS: f64 = 4.0;

    /// A cable that hangs between its handles, at rest, and the targets that keep it there.
    fn hanging() -> (Solver, [Option<Target>; 2]) {
        let section = Section {
            bending: [1500.0; 2],
            torsion: 1100.0,
            axial: 1e4,
            shear: 1e4,
            mass_kg_m: 0.05,
        };
        let rod = Rod::uniform(1000.0, 100, section).unwrap();
        let rotation = Rotation::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2);
        let ends = [0.0, 800.0].map(|x| Pose {
            position: Vec3::new(x, 0.0, 0.0),
            rotation,
        });
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        let [start, end] = &ends;
        let lengths = rod.rest_lengths();
        let nodes = first_guess(lengths, Some(start), Some(end), &gravity, &|_| true);
        let state = RodState::along(nodes, ends.map(|pose| Some(pose.rotation)));
        let problem = Problem {
            gravity,
            friction: 0.2,
            ..Problem::clamped(rod, RADIUS)
        };
        let mut solver = Solver::new(problem, state);
        let targets = ends.map(|pose| Some(pose.into()));
        solver.step(&targets, &CancelToken::default(), None);
        (solver, targets)
    }

    /// The cable with an obstacle that is given from its lowest point.
    fn with(mesh: impl Fn(Vec3) -> crate::mesh::TriMesh) -> (Solver, [Option<Target>; 2]) {
        let (mut solver, targets) = hanging();
        let lowest = |a: &&Vec3, b: &&Vec3| a.z.total_cmp(&b.z);
        let at = *solver.state().positions.iter().min_by(lowest).unwrap();
        let obstacle = Obstacle::new(&mesh(at));
        let problem = Problem {
            obstacles: Arc::new(vec![obstacle]),
            ..solver.problem().clone()
        };
        solver.set_problem(problem);
        (solver, targets)
    }

    fn cuboid(at: Vec3, min: [f64; 3], max: [f64; 3]) -> crate::mesh::TriMesh {
        primitives::cuboid(&Aabb {
            min: at + Vec3::from(min),
            max: at + Vec3::from(max),
        })
    }

    #[test]
    fn what_is_inside_a_body_leaves_it_gently_by_the_shortest_way() {
        // How far the top is above the cable, and the side; where the middle of the cable goes.
        let boxes = [
            ("up", [-100.0, -100.0, -300.0], [100.0, 100.0, 60.0], 2),
            ("aside", [-100.0, -100.0, -300.0], [100.0, 10.0, 60.0], 1),
            ("aside, far", [-50.0, -60.0, -200.0], [50.0, 50.0, 200.0], 1),
        ];
        for (name, min, max, axis) in boxes {
            let (mut solver, targets) = with(|at| cuboid(at, min, max));
            assert!(solver.is_pushing(), "{name}");
            assert!(solver.pushes_out(&solver.released()[0].edges), "{name}");
            let start = solver.state().positions[50];
            let mut steps = 0;
            while solver.is_pushing() {
                let before = solver.state().positions.clone();
                let report = solver.step(&targets, &CancelToken::default(), None);
                assert_eq!(report.status, Status::Converged, "{name} {steps}");
                let ways = before.iter().zip(&solver.state().positions);
                let way = ways.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
                assert!(way < RADIUS, "{name} {steps}: {way}");
                steps += 1;
                assert!(steps < 100, "{name}");
            }
            assert_eq!(solver.released(), []);
            let went = solver.state().positions[50] - start;
            let out = max[axis] + RADIUS;
            assert!(went[axis] > out && went[axis] < out + 5.0, "{name}: {went}");
            let body = &solver.problem().obstacles[0];
            let edges = solver.state().positions.windows(2);
            let near = |e: &[Vec3]| body.nearest(&e[0], &e[1], RADIUS).is_some();
            assert!(!edges.clone().any(near), "{name}");
            assert!(!edges.clone().any(|e| body.contains(&e[0])), "{name}");
        }
    }

    #[test]
    fn what_cannot_be_pushed_out_is_let_be() {
        let inside = |at| cuboid(at, [300.0, -100.0, -300.0], [500.0, 100.0, 300.0]);
        let (around_a_handle, _) = with(inside);
        let across = |at: Vec3| {
            let corner = at - Vec3::new(0.0, 100.0, 100.0);
            let (y, z) = (Vec3::y() * 200.0, Vec3::z() * 200.0);
            primitives::sheet_with_hole(&corner, &y, &z, [150.0, 150.0], 10.0, 24)
        };
        let (cut_by_a_sheet, _) = with(across);
        for solver in [around_a_handle, cut_by_a_sheet] {
            assert!(!solver.released().is_empty());
            assert!(!solver.is_pushing());
            assert!(!solver.pushes_out(&solver.released()[0].edges));
        }
    }
}
