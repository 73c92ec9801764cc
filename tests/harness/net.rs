//! Rods that bodies join, and their targets.

use loomwright::contact::pair::{Apart, JUNCTION_WINDOW};
use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::rod::{Rod, RodState, Section};
use loomwright::solve::{
    Body, BodyEnd, CancelToken, Pairs, Problem, Reports, Solver, Status, Target, first_state,
    step_coupled,
};

pub const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

pub fn section() -> Section {
    Section {
        bending: [2e4; 2],
        torsion: 1.6e4,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.1,
    }
}

/// Rods with the bodies at their ends.
#[derive(Clone)]
pub struct Net {
    pub rods: Vec<Solver>,
    pub pairs: Pairs,
    pub bodies: Vec<Body>,
    pub targets: Vec<Vec<Option<Target>>>,
}

impl Net {
    /// Every handle of the rods stays where it is, but those that are fixed to a body.
    pub fn new(mut rods: Vec<Solver>, bodies: Vec<Body>) -> Self {
        let mut targets: Vec<Vec<Option<Target>>> = (rods.iter())
            .map(|rod| {
                let grips = 0..rod.problem().grips.len();
                grips.map(|k| Some(rod.grip_pose(k).into())).collect()
            })
            .collect();
        for end in bodies.iter().flat_map(|b| &b.ends) {
            targets[end.rod][end.grip] = None;
        }
        let mut pairs = Pairs::new(&apart(&rods, &bodies));
        pairs.set_bodies(&bodies, &mut rods);
        Self {
            rods,
            pairs,
            bodies,
            targets,
        }
    }

    pub fn step(&mut self) -> Reports {
        let targets: Vec<&[Option<Target>]> = self.targets.iter().map(Vec::as_slice).collect();
        step_coupled(
            &mut self.rods,
            &mut self.pairs,
            &[],
            &targets,
            &CancelToken::default(),
            None,
        )
    }

    /// A step that must end in equilibrium.
    pub fn rest(&mut self) -> Reports {
        let reports = self.step();
        for (r, report) in reports.iter().enumerate() {
            assert!(
                matches!(report.status, Status::Converged),
                "rod {r}: {:?} after {} iterations, residual {:e} of {:e}",
                report.status,
                report.iterations,
                report.residual,
                report.tolerance,
            );
        }
        reports
    }

    pub fn shift(&mut self, rod: usize, grip: usize, by: Vec3) {
        self.targets[rod][grip].as_mut().unwrap().pose.position += by;
    }

    pub fn pose(&self, body: usize) -> Pose {
        self.pairs.body_poses().nth(body).unwrap().1
    }

    /// Force and moment out of balance at a body over the largest of each among what acts on it.
    pub fn imbalance(&self, body: usize, reports: &Reports) -> [f64; 2] {
        let (pose, known) = (self.pose(body), &self.bodies[body]);
        let weight = GRAVITY * known.mass_kg;
        let mut force = weight;
        let mut moment = (pose.rotation * known.center).cross(&weight);
        let mut largest = [weight.norm(), 1e-9];
        for end in &known.ends {
            let handle = &reports[end.rod].handles[end.grip];
            let arm = self.rods[end.rod].grip_pose(end.grip).position - pose.position;
            let turn = handle.moment + arm.cross(&handle.force);
            force -= handle.force;
            moment -= turn;
            largest[0] = largest[0].max(handle.force.norm());
            largest[1] = largest[1].max(turn.norm()).max(handle.moment.norm());
        }
        [force.norm() / largest[0], moment.norm() / largest[1]]
    }
}

/// Whether a rod is a strand of a shell: all of its nodes are held.
pub fn is_strand(rod: &Solver) -> bool {
    rod.problem().grips.len() > 2
}

/// Edges of rods that meet in the same body and do not see each other, next to it.
pub fn apart(rods: &[Solver], bodies: &[Body]) -> Vec<Apart> {
    let stretch = |end: &BodyEnd, window: f64| {
        let rod = &rods[end.rod].problem().rod;
        let n = rod.n_edges() as u32;
        let within = (window / rod.rest_lengths()[0]).ceil() as u32;
        if is_strand(&rods[end.rod]) {
            0..n
        } else if end.grip == 0 {
            0..within.min(n)
        } else {
            n - within.min(n)..n
        }
    };
    let mut apart = Vec::new();
    for body in bodies {
        // A strand counts by its first node.
        let ends = body
            .ends
            .iter()
            .filter(|e| !is_strand(&rods[e.rod]) || e.grip == 0);
        let ends: Vec<&BodyEnd> = ends.collect();
        for (k, a) in ends.iter().enumerate() {
            for b in &ends[k + 1..] {
                let radii = rods[a.rod].problem().radius + rods[b.rod].problem().radius;
                let mut window = JUNCTION_WINDOW * radii;
                if is_strand(&rods[a.rod]) != is_strand(&rods[b.rod]) {
                    window += IN_SHELL;
                }
                apart.push(Apart {
                    rods: [a.rod as u32, b.rod as u32],
                    edges: [stretch(a, window), stretch(b, window)],
                });
            }
        }
    }
    apart
}

/// How far from the middle of a body its own cables are in its shell, at most, mm.
pub const IN_SHELL: f64 = 20.0;

/// A rod of equal edges with full handles between two poses.
pub fn rod_between(ends: [Pose; 2], length: f64, n: usize, section: Section) -> Solver {
    let rod = Rod::uniform(length, n, section).unwrap();
    let problem = Problem {
        gravity: GRAVITY,
        ..Problem::clamped(rod, 4.0)
    };
    let targets = ends.map(|pose| Some(Target::from(pose)));
    let state = first_state(&problem, &targets, &|_| true);
    Solver::new(problem, state)
}

/// A pose that looks along a direction.
pub fn along(position: Vec3, direction: Vec3) -> Pose {
    Pose {
        position,
        rotation: loomwright::geom::rotation_along(&direction).unwrap(),
    }
}

/// A junction at a place, from which rods lead to other places; each end leaves it straight towards them.
pub fn star(center: Vec3, outer: &[Vec3], slack: f64, n: usize) -> Net {
    let body = Pose {
        position: center,
        rotation: Rotation::from_scaled_axis(Vec3::new(0.3, -0.2, 0.1)),
    };
    let mut rods = Vec::new();
    let mut ends = Vec::new();
    for (r, place) in outer.iter().enumerate() {
        let way = place - center;
        let here = along(center, way);
        let there = along(*place, way);
        rods.push(rod_between([here, there], slack * way.norm(), n, section()));
        ends.push(BodyEnd {
            rod: r,
            grip: 0,
            in_body: body.inverse().compose(&here),
        });
    }
    let body = Body {
        pose: body,
        mass_kg: 0.0,
        center: Vec3::zeros(),
        ends,
        most_turn: f64::INFINITY,
    };
    Net::new(rods, vec![body])
}

/// A piece of a rod's state.
pub fn slice(state: &RodState, from: usize, to: usize, clamps: [Rotation; 2]) -> RodState {
    RodState {
        positions: state.positions[from..=to].to_vec(),
        frames: state.frames[from..to].to_vec(),
        clamps: clamps.map(Some),
        turns: {
            let mut turns = state.turns[from..=to].to_vec();
            for k in [0, to - from] {
                turns[k] = 0;
            }
            turns
        },
    }
}
