//! The same cable by the other model: discrete elastic rods.
//!
//! The rod, its grid, rest shape, weight and handles are those of the solver, the handles where they are. Everything else
//! that acts on it in the equilibrium that was found (contacts, friction, springs, loads) is what its nodes and frames
//! lack for balance; it is put on the other model as dead forces. So the question is: under these forces, is the other
//! model in the same shape, with the same forces at its handles?

use crate::geom::Vec3;
use crate::reference::der::{
    Chain, DerError, DerProblem, Hold, Place, PointLoad, Statics, Stiffness, Support,
};
use crate::rod::{edge_term, joint_term};
use crate::solve::{self, Grip, Solver};

/// Forces that are all below this are rounding and what is left of a residual, over the scale of forces in the rod: then
/// nothing acts from outside.
const BALANCED: f64 = 1e-4;

/// How far the other model is from the solver's equilibrium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondOpinion {
    /// Largest distance of a node, mm.
    pub shape: f64,
    /// Largest difference of the force of a handle, N.
    pub force: f64,
    /// Largest difference of the moment of a handle, N mm.
    pub moment: f64,
    /// Whether the other model found an equilibrium. If not, the numbers say nothing.
    pub converged: bool,
}

impl SecondOpinion {
    /// In full agreement.
    pub const SAME: Self = Self {
        shape: 0.0,
        force: 0.0,
        moment: 0.0,
        converged: true,
    };
    /// No answer.
    pub const NONE: Self = Self {
        converged: false,
        ..Self::SAME
    };
}

/// What the elastic rod and its weight ask for in balance, from outside: N on nodes, N mm on frames and end clamps, in the
/// world.
struct Outside {
    nodes: Vec<Vec3>,
    frames: Vec<Vec3>,
    clamps: [Vec3; 2],
}

impl Outside {
    fn of(solver: &Solver) -> Self {
        let (problem, state) = (solver.problem(), solver.state());
        let (rod, n) = (&problem.rod, problem.rod.n_edges());
        let section = rod.section();
        let stiffness = Vec3::new(section.shear, section.shear, section.axial);
        let mut outside = Self {
            nodes: (0..=n)
                .map(|i| -rod.node_weight(i, &problem.gravity))
                .collect(),
            frames: vec![Vec3::zeros(); n],
            clamps: [Vec3::zeros(); 2],
        };
        for (i, &length) in rod.rest_lengths().iter().enumerate() {
            let (frame, x) = (&state.frames[i], &state.positions);
            let term = edge_term(&x[i], frame, &x[i + 1], &stiffness, length, None);
            outside.nodes[i] -= term.force;
            outside.nodes[i + 1] += term.force;
            outside.frames[i] += frame * term.moment;
        }
        for j in 0..=n {
            let Some((left, right)) = state.joint(j) else {
                continue;
            };
            let [on_left, on_right] =
                joint_term(left, right, state.turns[j], &rod.joint(j)).gradient;
            match j.checked_sub(1) {
                Some(edge) => outside.frames[edge] += left * on_left,
                None => outside.clamps[0] += left * on_left,
            }
            match outside.frames.get_mut(j) {
                Some(frame) => *frame += right * on_right,
                None => outside.clamps[1] += right * on_right,
            }
        }
        outside
    }

    /// Force and moment of a handle on the elastic rod.
    fn at(&self, grip: &Grip, solver: &Solver, at: &Vec3) -> (Vec3, Vec3) {
        let last = self.nodes.len() - 1;
        match grip.place {
            solve::Place::Node(i) => {
                let moment = match grip.hold {
                    solve::Hold::Position => Vec3::zeros(),
                    _ if i == 0 => self.clamps[0],
                    _ if i == last => self.clamps[1],
                    _ => Vec3::zeros(),
                };
                (self.nodes[i], moment)
            }
            solve::Place::Edge(j) | solve::Place::Within { edge: j, .. } => {
                let x = &solver.state().positions;
                let turning =
                    (x[j] - at).cross(&self.nodes[j]) + (x[j + 1] - at).cross(&self.nodes[j + 1]);
                (self.nodes[j] + self.nodes[j + 1], turning + self.frames[j])
            }
        }
    }
}

/// Asks the other model about an equilibrium that a solver has found. For one that it has not found, or a cable that
/// nothing holds, the answer says nothing.
pub fn second_opinion(solver: &Solver) -> Result<SecondOpinion, DerError> {
    let (problem, state) = (solver.problem(), solver.state());
    let (rod, n) = (&problem.rod, problem.rod.n_edges());
    let section = rod.section();
    let outside = Outside::of(solver);
    let mut other = DerProblem::free(
        rod.rest_lengths().to_vec(),
        Stiffness {
            stretch: section.axial,
            bend: section.bending,
            twist: section.torsion,
        },
    );
    other.rest = rod.rest_curvatures().to_vec();
    other.line_load = problem.gravity * (1e-3 * section.mass_kg_m);

    let (mut held_nodes, mut held_frames) = (vec![false; n + 1], vec![false; n]);
    let mut reactions = Vec::new();
    for (k, grip) in problem.grips.iter().enumerate() {
        let (Some(place), Some(hold)) = (place_of(grip), hold_of(grip)) else {
            continue;
        };
        let pose = solver.grip_pose(k);
        match place {
            Place::Node(i) => held_nodes[i] = true,
            Place::Edge(j) => {
                held_nodes[j] = true;
                held_nodes[j + 1] = true;
                held_frames[j] = true;
            }
        }
        reactions.push(outside.at(grip, solver, &pose.position));
        other.supports.push(Support {
            place,
            hold,
            pose,
            roll: 0.0,
        });
    }
    let scale = BALANCED * rod.force_scale(&problem.gravity);
    let free_nodes = || (0..=n).filter(|&i| !held_nodes[i]);
    let free_frames = || (0..n).filter(|&j| !held_frames[j]);
    if free_nodes().any(|i| outside.nodes[i].norm() > scale) {
        other.loads.extend(free_nodes().map(|i| PointLoad {
            edge: i.min(n - 1),
            t: if i == n { 1.0 } else { 0.0 },
            force: outside.nodes[i],
            moment: Vec3::zeros(),
        }));
    }
    if free_frames().any(|j| outside.frames[j].norm() > scale * rod.length()) {
        other.loads.extend(free_frames().map(|j| PointLoad {
            edge: j,
            t: 0.5,
            force: Vec3::zeros(),
            moment: outside.frames[j],
        }));
    }

    let twists: Vec<f64> = (0..=n).map(|j| state.joint_twist(j)).collect();
    let chain = Chain::with_frames(other, &state.positions, &state.frames, &twists)?;
    let mut statics = Statics::new(chain);
    let solution = statics.solve_nearby();
    let apart = statics.chain.nodes().iter().zip(&state.positions);
    let shape = apart.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let (mut force, mut moment) = (0.0_f64, 0.0_f64);
    for (theirs, ours) in solution.reactions.iter().zip(&reactions) {
        force = force.max((theirs.force - ours.0).norm());
        moment = moment.max((theirs.moment - ours.1).norm());
    }
    Ok(SecondOpinion {
        shape,
        force,
        moment,
        converged: solution.converged && shape.is_finite(),
    })
}

fn place_of(grip: &Grip) -> Option<Place> {
    match grip.place {
        solve::Place::Node(i) => Some(Place::Node(i)),
        solve::Place::Edge(j) => Some(Place::Edge(j)),
        solve::Place::Within { .. } => None,
    }
}

fn hold_of(grip: &Grip) -> Option<Hold> {
    match grip.hold {
        solve::Hold::Frame => Some(Hold::Frame),
        solve::Hold::Direction => Some(Hold::Direction),
        solve::Hold::Position => Some(Hold::Position),
        solve::Hold::Spring(_) => None,
    }
}
