//! Fittings in swept collision: a rigid, straight piece before an end of the rod, which goes where the clamp takes it.

use smallvec::SmallVec;

use super::sweep::Swept;
use super::{Candidates, Sweep, SweepLimit};
use crate::geom::{Aabb, Rotation, Vec3};

/// A rigid, straight piece before an end of a rod, with its own radius.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RigidEnd {
    /// mm; 0 for none.
    pub length: f64,
    /// Outer radius, mm.
    pub radius: f64,
    /// The obstacle that it sits on, which does not stop it.
    pub on: Option<usize>,
}

/// Both fittings of a rod in a step, if there are any.
pub type RigidEnds = SmallVec<[RigidMotion; 2]>;

/// A fitting in a step: its axis, and how its ends move.
#[derive(Clone, Copy, Debug)]
pub struct RigidMotion {
    /// At the start (0) or at the end (1) of the rod.
    pub end: usize,
    /// What it is.
    pub what: RigidEnd,
    /// Its seat, and where the flexible rod begins.
    pub axis: [Vec3; 2],
    /// Motion of both over the whole step; straight.
    pub own: [Vec3; 2],
    /// The same as obstacles see it that move meanwhile.
    pub seen: [Vec3; 2],
    /// How far the seat is off its straight path where it turns, at most, mm.
    pub bulge: f64,
}

impl RigidMotion {
    /// The fitting before a clamp at `exit` with that frame, where the clamp moves by `way` and turns by `turn` (in its own
    /// axes, radians).
    pub fn new(
        end: usize,
        what: RigidEnd,
        exit: Vec3,
        frame: &Rotation,
        way: Vec3,
        turn: &Vec3,
    ) -> Self {
        // From the clamp to the seat: against d3 at the start, along it at the end.
        let out = Vec3::z() * if end == 0 { -what.length } else { what.length };
        let before = frame * out;
        let after = frame * Rotation::from_scaled_axis(*turn) * out;
        let own = [way + after - before, way];
        Self {
            end,
            what,
            axis: [exit + before, exit],
            own,
            seen: own,
            bulge: what.length * turn.norm_squared() / 8.0,
        }
    }
}

impl Sweep<'_> {
    /// The largest fraction of the step that is safe for the fittings, and that the rod itself has left.
    pub(super) fn limit_rigid(&self, candidates: &Candidates, mut limit: SweepLimit) -> SweepLimit {
        let last_edge = self.points.len() - 2;
        for rigid in self.rigid {
            let [seat, exit] = &rigid.axis;
            let still = |ways: &[Vec3; 2]| ways.iter().all(|w| *w == Vec3::zeros());
            if still(&rigid.own) && still(&rigid.seen) {
                continue;
            }
            let moved = [rigid.own, rigid.seen].map(|w| [seat + w[0], exit + w[1]]);
            let reach = rigid.what.radius + self.settings.barrier_distance + rigid.bulge;
            let region = Aabb::of_points(moved.iter().flatten().chain([seat, exit]));
            let region = region.inflated(reach);
            let edge = if rigid.end == 0 { 0 } else { last_edge };
            for (o, obstacle) in self.obstacles.iter().enumerate() {
                let passes = rigid.what.on == Some(o) || candidates.ignores(edge, o);
                if passes || !obstacle.aabb().intersects(&region) {
                    continue;
                }
                let moves = self.moving.is_some_and(|m| m.numbers.contains(&o));
                let [va, vb] = if moves { &rigid.seen } else { &rigid.own };
                obstacle.visit_triangles(&region, |t| {
                    let swept = Swept {
                        a: seat,
                        b: exit,
                        va,
                        vb,
                    };
                    let corners = obstacle.corners(t);
                    let (fraction, normal) =
                        self.rigid_pair(rigid, &swept, &corners, limit.fraction);
                    if fraction < limit.fraction {
                        limit = SweepLimit {
                            fraction,
                            obstacle: Some(o),
                            held: true,
                            normal,
                        };
                    }
                });
            }
        }
        limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactSettings, Obstacle};
    use crate::geom::rotation_along;
    use crate::mesh::TriMesh;

    /// A rod along x that ends at x = 0, with a fitting of 40 mm and 9 mm radius before it, and a wall.
    fn limit(wall_x: f64, way: Vec3, turn: Vec3, on: Option<usize>) -> SweepLimit {
        let corner = |y: f64, z: f64| Vec3::new(wall_x, y, z);
        let vertices = vec![
            corner(-200.0, -200.0),
            corner(200.0, -200.0),
            corner(200.0, 200.0),
            corner(-200.0, 200.0),
        ];
        let wall = TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let obstacles = [Obstacle::new(&wall)];
        let settings = ContactSettings::new(4.0, 0.01, 0.2);
        let points = [Vec3::new(-10.0, 0.0, 0.0), Vec3::zeros()];
        let what = RigidEnd {
            length: 40.0,
            radius: 9.0,
            on,
        };
        let frame = rotation_along(&Vec3::x()).unwrap();
        let rigid = [RigidMotion::new(1, what, points[1], &frame, way, &turn)];
        let sweep = Sweep {
            obstacles: &obstacles,
            points: &points,
            motion: &[way, way],
            held: &[false, true],
            settings: &settings,
            rigid: &rigid,
            moving: None,
        };
        sweep.limit(&mut Candidates::new(1))
    }

    #[test]
    fn a_fitting_stops_before_a_wall_by_its_own_length_and_radius() {
        let way = Vec3::x() * 100.0;
        let stopped = limit(70.0, way, Vec3::zeros(), None);
        assert!(stopped.held && stopped.obstacle == Some(0));
        // 70 mm to the wall, less 40 of the fitting, its radius and what a handle keeps.
        assert!((100.0 * stopped.fraction - (21.0 - 0.12)).abs() < 1e-9);
        assert!((stopped.normal + Vec3::x()).norm() < 1e-9);
        // On the part that it sits on it goes on until the rod itself is stopped.
        let on = limit(70.0, way, Vec3::zeros(), Some(0));
        assert!(100.0 * on.fraction > 60.0, "{on:?}");
        // Away from it nothing holds it.
        assert_eq!(
            limit(70.0, -way, Vec3::zeros(), None).fraction,
            1.0,
            "away from the wall"
        );
    }

    #[test]
    fn a_fitting_that_is_turned_stops_before_its_seat_is_in_the_wall() {
        let frame = rotation_along(&Vec3::x()).unwrap();
        // A wall behind it: the seat comes to it only by the turn, half a turn about the vertical.
        for parts in 1..=8 {
            let turn = frame.inverse() * Vec3::z() * (3.0 / f64::from(parts));
            let limit = limit(-30.0, Vec3::zeros(), turn, None);
            let seat = frame * Rotation::from_scaled_axis(turn * limit.fraction) * Vec3::z() * 40.0;
            assert!(seat.x + 30.0 >= 9.0, "{parts}: {seat:?}");
        }
    }
}
