//! One cable whose unloaded shape is looked for: forces and moments are the unknowns, positions are given.

use crate::geom::{Rotation, Vec3};
use crate::rod::{BendTwist, Joint, Rod, RodState, edge_term, joint_term};
use crate::scene::{AsDesigned, Cable, HandleKind, HandlePlace, RestShape};
use crate::solve::banded::Banded;
use crate::solve::{Grip, Hold, Place};

/// Motion of the held end of a rod with a body: entries of the unknowns.
type Motion = Vec<(usize, f64)>;

/// A body that is free to move, and to which ends of rods are fixed.
pub struct Body {
    /// Where its axes stand, mm.
    pub center: Vec3,
    /// N.
    pub weight: Vec3,
    /// Number of the rod, and 0 for its start or 1 for its end.
    pub ends: Vec<(usize, usize)>,
}

impl Body {
    /// How the end of a rod moves when the body moves along (0 to 2) or turns about (3 to 5) an axis by one.
    pub fn motion(&self, axis: usize, rod: &Unloaded, end: usize) -> Motion {
        let n = rod.rod.n_edges();
        let (node, clamp) = if end == 0 {
            (0, at_clamp(0, n))
        } else {
            (n, at_clamp(1, n))
        };
        let unit = Vec3::ith(axis % 3, 1.0);
        let mut motion = Vec::new();
        if axis < 3 {
            motion.extend((0..3).map(|k| (at_node(node) + k, unit[k])));
            return motion;
        }
        let moved = unit.cross(&(rod.state.positions[node] - self.center));
        motion.extend((0..3).map(|k| (at_node(node) + k, moved[k])));
        if let Some(frame) = rod.state.clamps[end] {
            let turned = frame.inverse_transform_vector(&unit);
            motion.extend((0..3).map(|k| (clamp + k, turned[k])));
        }
        motion
    }
}

/// A cable in the shape that it is to keep, and the forces that keep it there.
pub struct Unloaded {
    rod: Rod,
    state: RodState,
    /// Frames that stand along their edges: without shear.
    aligned: Vec<Rotation>,
    gravity: Vec3,
    held: Vec<bool>,
    /// Of each edge, in its own axes, N.
    forces: Vec<Vec3>,
    /// Of each joint about d1, d2 and d3, N mm.
    moments: Vec<Vec3>,
}

// The unknowns stand as in the solver: `tc0 | x0 t0 | x1 t1 | ... | xN | tcN`.
fn at_node(i: usize) -> usize {
    3 + 6 * i
}

fn at_frame(i: usize) -> usize {
    6 + 6 * i
}

fn at_clamp(end: usize, n: usize) -> usize {
    if end == 0 { 0 } else { 6 + 6 * n }
}

impl Unloaded {
    /// `None` where the cable has no shape, or nothing to hold it.
    pub fn new(rod: Rod, cable: &Cable, gravity: &Vec3) -> Option<Self> {
        let shape = cable.shape.as_ref()?;
        let n = rod.n_edges();
        if shape.points.len() != n + 1 || shape.frames.len() != n || cable.handles.is_empty() {
            return None;
        }
        let state = shape.rod_state();
        let along = |(w, frame): (&[Vec3], &Rotation)| {
            let edge = w[1] - w[0];
            let turn = Rotation::rotation_between(&(frame * Vec3::z()), &edge);
            turn.unwrap_or_else(Rotation::identity) * frame
        };
        let aligned = state.positions.windows(2).zip(&state.frames).map(along);
        let mut unloaded = Self {
            aligned: aligned.collect(),
            held: held(&rod, cable, &state),
            forces: vec![Vec3::zeros(); n],
            moments: vec![Vec3::zeros(); n + 1],
            gravity: *gravity,
            rod,
            state,
        };
        unloaded.take_geometry();
        Some(unloaded)
    }

    /// Frames and rest lengths that carry the forces with the nodes where they are.
    ///
    /// n = C (R^T e / l - e3) asks that R^T e / l = e3 + n / C.
    fn take_geometry(&mut self) {
        let section = *self.rod.section();
        let mut lengths = Vec::with_capacity(self.forces.len());
        for (i, n) in self.forces.iter().enumerate() {
            let strain = Vec3::new(
                n.x / section.shear,
                n.y / section.shear,
                1.0 + n.z / section.axial,
            );
            let edge = self.state.positions[i + 1] - self.state.positions[i];
            let tilt = Rotation::rotation_between(&strain, &Vec3::z());
            self.state.frames[i] = self.aligned[i] * tilt.unwrap_or_else(Rotation::identity);
            lengths.push(edge.norm() / strain.norm());
        }
        if let Ok(rod) = Rod::new(lengths, section) {
            self.rod = rod;
        }
    }

    /// Carries a tension over the weight of the whole, and nothing else yet.
    pub fn tighten(&mut self, over_weight: f64) {
        let weight = 1e-3 * self.rod.section().mass_kg_m * self.gravity.norm() * self.rod.length();
        self.forces.fill(Vec3::z() * (over_weight * weight));
        self.moments.fill(Vec3::zeros());
        self.take_geometry();
    }

    /// The derivatives of bend and twist of a joint in the increments of its frames: a row for each.
    fn rows(&self, j: usize) -> Option<[[Vec3; 2]; 3]> {
        let (left, right) = self.state.joint(j)?;
        let turns = self.state.turns[j];
        let now = crate::rod::bend_twist(left, right, turns);
        let row = |a: usize| {
            // The gradient of half the square of a strain that is one.
            let mut rest = now;
            if a < 2 {
                rest.bend[a] -= 1.0;
            } else {
                rest.twist -= 1.0;
            }
            let unit = Joint {
                bending: [1.0; 2],
                torsion: 1.0,
                length: 1.0,
                rest,
            };
            joint_term(left, right, turns, &unit).gradient
        };
        Some([row(0), row(1), row(2)])
    }

    /// First entries of the two frames of a joint.
    fn joint_entries(&self, j: usize) -> (usize, usize) {
        let n = self.rod.n_edges();
        let left = if j == 0 {
            at_clamp(0, n)
        } else {
            at_frame(j - 1)
        };
        let right = if j == n { at_clamp(1, n) } else { at_frame(j) };
        (left, right)
    }

    /// Stiffness of a joint over its length, N mm.
    fn joint_stiffness(&self, j: usize) -> Vec3 {
        let section = self.rod.section();
        let [a, b] = section.bending;
        Vec3::new(a, b, section.torsion) / self.rod.joint_length(j)
    }

    /// The gradient of the energy for given forces and moments, without the weight.
    fn internal(&self, forces: &[Vec3], moments: &[Vec3]) -> Vec<f64> {
        let n = self.rod.n_edges();
        let mut gradient = vec![0.0; 6 * n + 9];
        let mut add = |at: usize, value: Vec3| (0..3).for_each(|k| gradient[at + k] += value[k]);
        for (i, force) in forces.iter().enumerate() {
            let frame = &self.state.frames[i];
            let edge = self.state.positions[i + 1] - self.state.positions[i];
            let world = frame * force;
            add(at_node(i), -world);
            add(at_node(i + 1), world);
            add(
                at_frame(i),
                force.cross(&frame.inverse_transform_vector(&edge)),
            );
        }
        for (j, moment) in moments.iter().enumerate() {
            let Some(rows) = self.rows(j) else { continue };
            let (left, right) = self.joint_entries(j);
            for (row, m) in rows.iter().zip(moment.iter()) {
                add(left, row[0] * *m);
                add(right, row[1] * *m);
            }
        }
        gradient
    }

    /// The gradient with the weight.
    fn gradient(&self) -> Vec<f64> {
        let mut gradient = self.internal(&self.forces, &self.moments);
        for i in 0..self.rod.n_nodes() {
            let weight = self.rod.node_weight(i, &self.gravity);
            (0..3).for_each(|k| gradient[at_node(i) + k] -= weight[k]);
        }
        gradient
    }

    /// Largest force that nothing balances, over the cable's scale of forces; moments over a radius-like length.
    pub fn residual(&self) -> f64 {
        let scale = self.rod.force_scale(&self.gravity);
        let arm = self.rod.length() / self.rod.n_edges() as f64;
        let gradient = self.gradient();
        let own = gradient.iter().zip(&self.held).enumerate();
        let left = own.filter(|(_, (_, held))| !**held).map(|(k, (g, _))| {
            let is_position = k % 6 >= 3;
            g.abs() / if is_position { scale } else { scale * arm }
        });
        left.fold(0.0, f64::max)
    }

    /// The stiffness of the moulded rod in this shape, with what is held taken out, factored.
    pub fn factored(&self) -> Banded {
        let mut matrix = self.stiffness(false);
        let mut nothing = vec![0.0; matrix.order()];
        for k in (0..matrix.order()).filter(|&k| self.held[k]) {
            matrix.prescribe(k, 0.0, &mut nothing);
        }
        matrix.factor();
        matrix
    }

    /// Second derivative of the energy: of the rod that carries nothing here, or with its forces.
    fn stiffness(&self, loaded: bool) -> Banded {
        let n = self.rod.n_edges();
        let mut matrix = Banded::zeros(6 * n + 9);
        let section = self.rod.section();
        let stiffness = Vec3::new(section.shear, section.shear, section.axial);
        for (i, &length) in self.rod.rest_lengths().iter().enumerate() {
            let (a, b) = (&self.state.positions[i], &self.state.positions[i + 1]);
            let geometric = if loaded {
                self.forces[i]
            } else {
                Vec3::zeros()
            };
            let frame = &self.state.frames[i];
            let term = edge_term(a, frame, b, &stiffness, length, Some(&geometric));
            let (left, at, right) = (at_node(i), at_frame(i), at_node(i + 1));
            matrix.add_block(left, left, &term.node_node);
            matrix.add_block(at, left, &-term.node_frame.transpose());
            matrix.add_block(at, at, &term.frame_frame);
            matrix.add_block(right, left, &-term.node_node);
            matrix.add_block(right, at, &term.node_frame);
            matrix.add_block(right, right, &term.node_node);
        }
        for j in 0..=n {
            let Some((a, b)) = self.state.joint(j) else {
                continue;
            };
            let joint = Joint {
                bending: section.bending,
                torsion: section.torsion,
                length: self.rod.joint_length(j),
                rest: self.rest_of(j, loaded),
            };
            let term = joint_term(a, b, self.state.turns[j], &joint);
            let (left, right) = self.joint_entries(j);
            matrix.add_block(left, left, &term.hessian[0]);
            matrix.add_block(right, left, &term.hessian[1].transpose());
            matrix.add_block(right, right, &term.hessian[2]);
        }
        matrix
    }

    /// Bend and twist at rest of a joint: as it is now, or what its moment asks for.
    fn rest_of(&self, j: usize, loaded: bool) -> BendTwist {
        let Some((left, right)) = self.state.joint(j) else {
            return BendTwist::STRAIGHT;
        };
        let mut rest = crate::rod::bend_twist(left, right, self.state.turns[j]);
        if loaded {
            let stiffness = self.joint_stiffness(j);
            let strain = |a: usize| {
                if stiffness[a] > 0.0 {
                    self.moments[j][a] / stiffness[a]
                } else {
                    0.0
                }
            };
            rest.bend[0] -= strain(0);
            rest.bend[1] -= strain(1);
            rest.twist -= strain(2);
        }
        rest
    }

    /// Whether the shape is a minimum of the energy and not a saddle from which it would fall.
    pub fn is_stable(&self) -> bool {
        let mut matrix = self.stiffness(true);
        let mut nothing = vec![0.0; matrix.order()];
        for k in (0..matrix.order()).filter(|&k| self.held[k]) {
            matrix.prescribe(k, 0.0, &mut nothing);
        }
        matrix.factor_until(1).not_positive == 0
    }

    /// How the unknowns change at first order: under what is not balanced yet, or with a motion of what is held.
    pub fn yields(&self, factored: &Banded, motion: Option<&Motion>) -> Vec<f64> {
        let mut moved = vec![0.0; self.held.len()];
        let mut rhs = match motion {
            None => self.gradient(),
            Some(motion) => {
                for (k, v) in motion {
                    moved[*k] = *v;
                }
                self.stiffness_times(&moved)
            }
        };
        for (value, held) in rhs.iter_mut().zip(&self.held) {
            *value = if *held { 0.0 } else { -*value };
        }
        factored.solve(&mut rhs);
        rhs.iter_mut().zip(&moved).for_each(|(x, y)| *x += y);
        rhs
    }

    /// Forces and moments that a motion of the unknowns brings, at first order.
    fn answer(&self, motion: &[f64]) -> (Vec<Vec3>, Vec<Vec3>) {
        let section = self.rod.section();
        let stiffness = Vec3::new(section.shear, section.shear, section.axial);
        let part = |at: usize| Vec3::new(motion[at], motion[at + 1], motion[at + 2]);
        let edge = |(i, length): (usize, &f64)| {
            let frame = &self.state.frames[i];
            let along = self.state.positions[i + 1] - self.state.positions[i];
            let stretched = part(at_node(i + 1)) - part(at_node(i));
            let gamma = frame.inverse_transform_vector(&along);
            let change =
                frame.inverse_transform_vector(&stretched) + gamma.cross(&part(at_frame(i)));
            stiffness.component_mul(&(change / *length))
        };
        let joint = |j: usize| {
            let Some(rows) = self.rows(j) else {
                return Vec3::zeros();
            };
            let (left, right) = self.joint_entries(j);
            let strain = rows.map(|row| row[0].dot(&part(left)) + row[1].dot(&part(right)));
            self.joint_stiffness(j).component_mul(&Vec3::from(strain))
        };
        let forces = self.rod.rest_lengths().iter().enumerate().map(edge);
        (
            forces.collect(),
            (0..self.rod.n_nodes()).map(joint).collect(),
        )
    }

    /// The moulded rod's stiffness times a motion.
    pub fn stiffness_times(&self, motion: &[f64]) -> Vec<f64> {
        let (forces, moments) = self.answer(motion);
        self.internal(&forces, &moments)
    }

    /// The gradient once a motion's forces are there.
    pub fn gradient_after(&self, motion: &[f64]) -> Vec<f64> {
        let more = self.stiffness_times(motion);
        let now = self.gradient();
        now.iter().zip(&more).map(|(a, b)| a + b).collect()
    }

    /// Takes on the forces that a motion would bring; nothing moves.
    pub fn load(&mut self, motion: &[f64]) {
        let (forces, moments) = self.answer(motion);
        for (force, more) in self.forces.iter_mut().zip(forces) {
            *force += more;
        }
        for (moment, more) in self.moments.iter_mut().zip(moments) {
            *moment += more;
        }
        self.take_geometry();
    }

    /// Gives the cable the rest shape, and the lengths and frames that go with it.
    pub fn give_to(self, cable: &mut Cable, straight_moves_mm: Option<f64>) {
        let curvature = |j: usize| {
            let rest = self.rest_of(j, true);
            let length = self.rod.joint_length(j);
            [rest.bend[0], rest.bend[1], rest.twist].map(|k| k / length)
        };
        cable.rest = RestShape::Moulded {
            curvatures: (0..self.rod.n_nodes()).map(curvature).collect(),
            share: 1.0,
            as_designed: Some(AsDesigned { straight_moves_mm }),
        };
        // Places along the cable keep their share of their edge.
        cable.set_edge_lengths(self.rod.rest_lengths());
        cable.basis_spacing = None;
        cable.basis_length = cable.length;
        if let Some(shape) = &mut cable.shape {
            shape.frames = self.state.frames;
            shape.memory = None;
        }
        let grips: Vec<Grip> = cable
            .handles
            .iter()
            .map(|h| grip(h.kind, h.place, &self.rod))
            .collect();
        for (handle, grip) in cable.handles.iter_mut().zip(grips) {
            let (Place::Edge(j), Some(shape)) = (grip.place, &cable.shape) else {
                continue;
            };
            handle.pose.rotation = shape.frames[j];
        }
    }
}

fn grip(kind: HandleKind, place: HandlePlace, rod: &Rod) -> Grip {
    let hold = match kind {
        HandleKind::Full | HandleKind::Sliding { .. } => Hold::Frame,
        HandleKind::Direction => Hold::Direction,
        HandleKind::Position => Hold::Position,
        HandleKind::Spring { stiffness } => Hold::Spring(stiffness),
    };
    match place {
        HandlePlace::Start => Grip::at_start(hold),
        HandlePlace::End => Grip::at_end(rod.n_edges(), hold),
        HandlePlace::At(s) => Grip::nearest(rod, s, hold),
    }
}

/// Which unknowns handles hold. A clamp that is not there is no unknown either.
fn held(rod: &Rod, cable: &Cable, state: &RodState) -> Vec<bool> {
    let n = rod.n_edges();
    let mut held = vec![false; 6 * n + 9];
    for end in [0, 1] {
        if state.clamps[end].is_none() {
            held[at_clamp(end, n)..][..3].fill(true);
        }
    }
    for handle in &cable.handles {
        let grip = grip(handle.kind, handle.place, rod);
        for node in grip.nodes() {
            held[at_node(node)..][..3].fill(true);
        }
        let entries = match grip.hold {
            Hold::Frame => 3,
            Hold::Direction => 2,
            Hold::Position | Hold::Spring(_) => continue,
        };
        match grip.place {
            Place::Node(0) => held[at_clamp(0, n)..][..entries].fill(true),
            Place::Node(_) => held[at_clamp(1, n)..][..entries].fill(true),
            // The nodes of a gripped edge hold its direction already.
            Place::Edge(j) if grip.hold == Hold::Frame => held[at_frame(j)..][..3].fill(true),
            _ => {}
        }
    }
    held
}
