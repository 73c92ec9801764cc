//! The inertia of bodies over time: their center of mass and the tips of their axes, as points with mass.

use super::{Bodies, Member};
use crate::geom::{Mat3, Pose, Vec3, skew};
use crate::solve::inertia::{Damping, MASS_UNIT, Points, Stage, curvature};

/// Density of what hangs on cables, kg/m^3: plastic around metal. A body is as hard to turn as a ball of it.
const DENSITY: f64 = 2000.0;

/// What a body in motion has beside its pose.
#[derive(Clone, Debug)]
pub(in crate::solve) struct BodyInertia {
    drag: f64,
    /// The center of mass, then the tips of the three axes.
    points: Points,
    /// Mass, and mean square of its distance from the center along any axis times it: N s^2/mm and N s^2 mm.
    mass: f64,
    moment: f64,
}

/// The blocks of a body's Hessian: way-way, turn-way, turn-turn.
pub(in crate::solve) type Blocks = [Mat3; 3];

impl BodyInertia {
    fn new(mass_kg: f64, drag: f64) -> Self {
        // kg over kg/m^3, in mm^3.
        let volume = 1e9 * mass_kg / DENSITY;
        let radius = (0.75 * volume / std::f64::consts::PI).cbrt();
        let mass = mass_kg * MASS_UNIT;
        Self {
            drag,
            points: Points::at_rest(4),
            mass,
            moment: 0.2 * mass * radius * radius,
        }
    }

    /// The points of a body there.
    fn places(pose: &Pose, center: &Vec3) -> [Vec3; 4] {
        let axis = |e: Vec3| pose.rotation * e;
        [
            pose.transform(center),
            axis(Vec3::x()),
            axis(Vec3::y()),
            axis(Vec3::z()),
        ]
    }

    fn begin(&mut self, stage: &Stage, pose: &Pose, center: &Vec3) {
        let places = Self::places(pose, center);
        for (k, place) in places.into_iter().enumerate() {
            self.points.note(k, place);
        }
        self.points.begin(stage, self.drag);
    }

    fn end(&mut self, stage: &Stage, pose: &Pose, center: &Vec3) {
        let places = Self::places(pose, center);
        for (k, place) in places.iter().enumerate() {
            self.points.end(stage, k, place);
        }
    }

    /// First derivative of its term in the body's way and turn.
    fn gradient(&self, pose: &Pose, center: &Vec3) -> [Vec3; 2] {
        let (pull, _) = self.points.pull(0, self.mass, &pose.transform(center));
        let to_local = |v: &Vec3| pose.rotation.inverse_transform_vector(v);
        let (turning, _) = self.points.turning(1, [self.moment; 3], to_local);
        [pull, center.cross(&to_local(&pull)) + turning]
    }

    /// Second derivative of its term, but for what the force at the center adds to that in the turn.
    fn blocks(&self, pose: &Pose, center: &Vec3) -> Blocks {
        let (pull, stiffness) = self.points.pull(0, self.mass, &pose.transform(center));
        let to_local = |v: &Vec3| pose.rotation.inverse_transform_vector(v);
        let (_, turning) = self.points.turning(1, [self.moment; 3], to_local);
        let arm = skew(center);
        let back = pose.rotation.to_rotation_matrix().matrix().transpose();
        [
            Mat3::identity() * stiffness,
            arm * back * stiffness,
            turning + arm * arm.transpose() * stiffness + curvature(&to_local(&pull), center),
        ]
    }

    /// Its term, N mm.
    fn energy(&self, pose: &Pose, center: &Vec3) -> f64 {
        let places = Self::places(pose, center);
        let masses = [self.mass, self.moment, self.moment, self.moment];
        let terms = (0..4).map(|k| self.points.energy(k, masses[k], &places[k]));
        terms.sum()
    }

    fn kinetic(&self) -> f64 {
        let v = &self.points.velocities;
        let tips: f64 = v[1..].iter().map(Vec3::norm_squared).sum();
        0.5 * (self.mass * v[0].norm_squared() + self.moment * tips)
    }
}

impl Member {
    /// First derivative of its inertia in its way and turn.
    pub(super) fn inertia_gradient(&self) -> [Vec3; 2] {
        let inertia = self.motion.as_ref();
        inertia.map_or([Vec3::zeros(); 2], |i| i.gradient(&self.pose, &self.center))
    }

    /// Second derivative of its inertia; `None` when it has none.
    pub(in crate::solve) fn inertia_blocks(&self) -> Option<Blocks> {
        let inertia = self.motion.as_ref();
        inertia.map(|i| i.blocks(&self.pose, &self.center))
    }

    /// The term of its inertia where it is, or would be, N mm.
    pub(super) fn inertia_energy(&self, pose: &Pose) -> f64 {
        let inertia = self.motion.as_ref();
        inertia.map_or(0.0, |i| i.energy(pose, &self.center))
    }
}

impl Bodies {
    /// Lets them move over time, from where they are and at rest; or stops them.
    pub fn set_in_motion(&mut self, damping: Option<Damping>) {
        for body in &mut self.all {
            match (&mut body.motion, damping) {
                (Some(motion), Some(damping)) => motion.drag = damping.drag,
                (_, damping) => {
                    let damping = damping.filter(|_| body.mass_kg > 0.0);
                    let mass_kg = body.mass_kg;
                    body.motion = damping.map(|d| BodyInertia::new(mass_kg, d.drag));
                }
            }
        }
    }

    /// Begins a stage of a step of time.
    pub fn begin_stage(&mut self, stage: &Stage) {
        for body in &mut self.all {
            if let Some(motion) = &mut body.motion {
                motion.begin(stage, &body.pose, &body.center);
            }
        }
    }

    /// Ends a stage: takes velocities from where they have come to.
    pub fn end_stage(&mut self, stage: &Stage) {
        for body in &mut self.all {
            if let Some(motion) = &mut body.motion {
                motion.end(stage, &body.pose, &body.center);
            }
        }
    }

    /// Energy of their motion and of their weight, N mm.
    pub fn kinetic_and_potential(&self) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for body in &self.all {
            sum[0] += body.motion.as_ref().map_or(0.0, BodyInertia::kinetic);
            sum[1] -= body.weight().dot(&body.pose.transform(&body.center));
        }
        sum
    }
}
