//! A cable whose fixings went along with a part: its shape goes too, so that it starts beside the part and not on the
//! other side of it.

use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::{Cable, HandlePlace};

/// Share of the way between two handles of different motions on which the cable goes as the nearer one does.
const RIGID: f64 = 0.25;

/// Takes the shape of a cable along with its handles, whose motions are in their order (`None` where one stays): beside a
/// handle as that goes, and from the one motion to the other between two. It is where the solver starts from, not an
/// equilibrium.
pub(super) fn follow(cable: &mut Cable, motions: &[Option<Pose>]) {
    if motions.iter().all(Option::is_none) {
        return;
    }
    let handles = || cable.handles.iter().zip(motions);
    let mut held: Vec<(f64, Pose)> = handles()
        .map(|(h, m)| (cable.arc_length(h), m.unwrap_or_else(Pose::identity)))
        .collect();
    held.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = [HandlePlace::Start, HandlePlace::End];
    let ends = ends.map(|place| handles().find(|(h, _)| h.place == place).and_then(|h| *h.1));
    let lengths = cable.edge_lengths();
    let Some(shape) = &mut cable.shape else {
        return;
    };
    let mut s = 0.0;
    for (i, p) in shape.points.iter_mut().enumerate() {
        *p = Between::at(&held, s).transform(p);
        if let (Some(frame), Some(length)) = (shape.frames.get_mut(i), lengths.get(i)) {
            *frame = Between::at(&held, s + 0.5 * length).rotation() * *frame;
            s += length;
        }
    }
    for (clamp, motion) in shape.clamps.iter_mut().zip(ends) {
        if let (Some(clamp), Some(motion)) = (clamp, motion) {
            *clamp = motion.compose(clamp);
        }
    }
    // What held it there does not hold it here.
    shape.memory = None;
}

/// A motion between two, and how much of the second.
struct Between {
    motions: [Pose; 2],
    share: f64,
}

impl Between {
    /// That of a place along the cable, between its handles in order: arc length and motion.
    fn at(held: &[(f64, Pose)], s: f64) -> Self {
        let next = held.partition_point(|h| h.0 < s);
        let before = next.checked_sub(1).and_then(|k| held.get(k));
        let (a, b) = match (before, held.get(next)) {
            (Some(a), Some(b)) => (a, b),
            (Some(only), None) | (None, Some(only)) => (only, only),
            (None, None) => return Self::still(),
        };
        let t = if b.0 > a.0 {
            (s - a.0) / (b.0 - a.0)
        } else {
            0.0
        };
        Self {
            motions: [a.1, b.1],
            share: ((t - RIGID) / (1.0 - 2.0 * RIGID)).clamp(0.0, 1.0),
        }
    }

    fn still() -> Self {
        Self {
            motions: [Pose::identity(); 2],
            share: 0.0,
        }
    }

    fn transform(&self, p: &Vec3) -> Vec3 {
        let [a, b] = self.motions.map(|motion| motion.transform(p));
        a + self.share * (b - a)
    }

    fn rotation(&self) -> Rotation {
        let [a, b] = self.motions.map(|motion| motion.rotation);
        // Half a turn has no middle: then as the nearer one.
        let nearer = if self.share < 0.5 { a } else { b };
        a.try_slerp(&b, self.share, 1e-9).unwrap_or(nearer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn motion() -> Pose {
        Pose {
            position: Vec3::new(3.0, -40.0, 7.0),
            rotation: Rotation::from_scaled_axis(Vec3::new(0.2, 0.1, -0.4)),
        }
    }

    #[test]
    fn it_goes_over_from_one_motion_to_the_other_between_the_fixings() {
        let still = Pose::identity();
        let held = [(0.0, motion()), (100.0, still), (200.0, motion())];
        for (s, share) in [
            (0.0, 1.0),
            (25.0, 1.0),
            (50.0, 0.5),
            (75.0, 0.0),
            (100.0, 0.0),
            (150.0, 0.5),
            (180.0, 1.0),
            (300.0, 1.0),
        ] {
            let p = Vec3::new(30.0, 20.0, -10.0);
            let whole = motion().transform(&p) - p;
            let moved = Between::at(&held, s).transform(&p) - p;
            assert!((moved - share * whole).norm() < 1e-9, "{s}");
            let turned = Between::at(&held, s).rotation().angle();
            assert!((turned - share * motion().rotation.angle()).abs() < 1e-9);
        }
        assert_eq!(Between::at(&[], 3.0).transform(&Vec3::x()), Vec3::x());
    }

    #[test]
    fn a_shape_whose_fixings_all_go_alike_goes_as_it_is() {
        let scene = crate::scene::demo::demo("box").unwrap();
        let solved = crate::scene::Simulation::new(scene).unwrap();
        let mut cable = solved.scene().cables[0].clone();
        let before = cable.shape.clone().unwrap();
        let motion = motion();
        let motions = vec![Some(motion); cable.handles.len()];
        follow(&mut cable, &motions);
        let after = cable.shape.unwrap();
        for (a, b) in before.points.iter().zip(&after.points) {
            assert!((motion.transform(a) - b).norm() < 1e-9);
        }
        for (a, b) in before.frames.iter().zip(&after.frames) {
            assert!((motion.rotation * a).angle_to(b) < 1e-7);
        }
        for (a, b) in before.clamps.iter().zip(&after.clamps) {
            let (a, b) = (a.unwrap(), b.unwrap());
            assert!((motion.transform(&a.position) - b.position).norm() < 1e-9);
        }
    }
}
