//! How far a body goes among obstacles that stand still, by its shell.

use std::sync::Arc;

use super::cover::{Cover, most_turn};
use super::distance::segment_triangle;
use super::sweep::{Swept, advance};
use super::{Obstacle, SweepLimit};
use crate::geom::{Aabb, Pose, Vec3};

/// Distance over the shell's radius at which a body stops before an obstacle.
pub(super) const STOP: f64 = 0.01;
/// What a body that is nearer than its shell allows keeps of its distance: all but rounding.
const NEARLY: f64 = 1.0 - 1e-6;
/// Stretches of a way on each of which nodes go straight, at most: where it turns by more, the way is cut.
const STRETCHES: usize = 4096;
/// By what a stretch is made shorter each time, so that the next sweep does not end just where the last did.
const SHORTER: f64 = 0.999;
/// Rounds in which the last stretch is swept to exactly where the body is put.
const ROUNDS: usize = 12;
/// Obstacles that a body slides along at once, at most, and turns that it gives up.
const SLIDES: usize = 4;

/// Parts that move as one body, with the obstacles that they may meet.
///
/// An obstacle that a shell overlaps from the start is kept as far away as it is then: a housing on its bracket slides along
/// it. One that is within the shell's core, as a socket is around its plug, stops nothing.
pub struct BodySweep<'a> {
    obstacles: &'a [Obstacle],
    base: Pose,
    /// In the world, with the body at `base`.
    shells: Vec<Shell>,
}

/// The shell of one part of the body.
struct Shell {
    cover: Cover,
    /// Numbers of obstacles, and how near the middles of the capsules may come to each.
    keeps: Vec<(usize, f64)>,
}

impl<'a> BodySweep<'a> {
    /// The body of those parts at a pose, and the numbers of the obstacles that may stop it. Where it is led back to its
    /// place in the design, `designed`, it may come as near to what stands as designed, too, as it is there.
    pub fn new(
        obstacles: &'a [Obstacle],
        body: &[usize],
        base: Pose,
        others: &[usize],
        designed: Option<&Pose>,
    ) -> Self {
        let shell = |&part: &usize| {
            let obstacle = &obstacles[part];
            let unplaced: Arc<Cover> = obstacle.cover()?;
            let cover = unplaced.placed(&obstacle.pose());
            let home = designed.map(|designed| {
                let way = designed.compose(&base.inverse());
                unplaced.placed(&way.compose(&obstacle.pose()))
            });
            let keeps = others.iter().filter_map(|&o| {
                let keep_of =
                    |cover: &Cover| keep_from(nearest(cover, &obstacles[o]), cover.radius);
                let stands_as_designed = obstacles[o].pose() == Pose::identity();
                let home = home.as_ref().filter(|_| stands_as_designed);
                let keep = home.map_or(f64::INFINITY, keep_of).min(keep_of(&cover));
                (keep > 0.0).then_some((o, keep))
            });
            let keeps = keeps.collect();
            Some(Shell { cover, keeps })
        };
        Self {
            obstacles,
            base,
            shells: body.iter().filter_map(shell).collect(),
        }
    }

    /// Where the body comes when it is led from where it is to `goal`, straight or along what it meets; and the obstacle
    /// that it has met.
    pub fn slide(&self, goal: &Pose) -> (Pose, Option<usize>) {
        let now = &self.base;
        let least = self.shells.iter().map(|s| STOP * s.cover.radius);
        let least = least.fold(f64::INFINITY, f64::min);
        let mut aim = *goal;
        let mut met = None;
        let mut last: Option<Vec3> = None;
        for _ in 0..SLIDES {
            let limit = self.limit(now, &aim);
            if limit.fraction == 1.0 {
                return (aim, met);
            }
            met = limit.obstacle;
            let way = aim.position - now.position;
            let turn = aim.rotation.angle_to(&now.rotation);
            let reached = now.lerp(&aim, limit.fraction);
            if limit.fraction * (way.norm() + turn * self.reach()) > least {
                return (reached, met);
            }
            let normal = limit.normal;
            if normal.dot(&way) >= -1e-9 * way.norm() {
                // It is the turn that takes it there.
                aim.rotation = now.rotation;
                if turn == 0.0 {
                    break;
                }
                continue;
            }
            let mut along = way - normal * normal.dot(&way);
            if let Some(other) = last.filter(|other| other.dot(&along) < 0.0) {
                // Between two faces there is only the way along both.
                let crease = normal.cross(&other);
                along = crease
                    .try_normalize(1e-9)
                    .map_or_else(Vec3::zeros, |c| c * c.dot(&way));
            }
            last = Some(normal);
            aim.position = now.position + along;
        }
        (*now, met)
    }

    /// The part of a way that is free. The way starts where the body is or on a way from there that is.
    fn limit(&self, from: &Pose, to: &Pose) -> SweepLimit {
        let turn = to.rotation.angle_to(&from.rotation);
        let nodes = self.nodes().map(|(cover, p)| {
            let arm = (p - self.base.position).norm();
            most_turn(cover.room, arm)
        });
        let allowed = nodes.fold(f64::INFINITY, f64::min);
        let n = ((turn / allowed).ceil() as usize).max(1);
        let piece = 1.0 / n as f64;
        for k in 0..n {
            let at = |share: f64| from.lerp(to, (k as f64 + share) * piece);
            let start = if k == 0 { *from } else { at(0.0) };
            let end = if k + 1 == n { *to } else { at(1.0) };
            let mut limit = self.straight(&start, &end);
            if limit.fraction == 1.0 && k < STRETCHES {
                continue;
            }
            // The chord to where a turning body is cut is another one.
            let mut is_free = turn == 0.0;
            for _ in 0..ROUNDS {
                if is_free {
                    break;
                }
                let again = self.straight(&start, &at(limit.fraction)).fraction;
                is_free = again == 1.0;
                if !is_free {
                    limit.fraction *= SHORTER * again;
                }
            }
            let made = if is_free { limit.fraction } else { 0.0 };
            limit.fraction = (k as f64 + made) * piece;
            return limit;
        }
        SweepLimit::NONE
    }

    /// The part of the way that is free when all nodes go straight.
    fn straight(&self, start: &Pose, end: &Pose) -> SweepLimit {
        let [before, after] = [start, end].map(|pose| pose.compose(&self.base.inverse()));
        let mut limit = SweepLimit::NONE;
        for shell in &self.shells {
            let reach = (1.0 + STOP) * shell.cover.radius;
            let nodes = || shell.cover.strands.iter().flatten();
            let all = nodes().flat_map(|p| [before.transform(p), after.transform(p)]);
            let mut around = Aabb::empty();
            all.for_each(|p| around.grow(&p));
            let around = around.inflated(reach);
            let near = |o: usize| self.obstacles[o].aabb().intersects(&around);
            for &(o, keep) in shell.keeps.iter().filter(|(o, _)| near(*o)) {
                for edge in shell.cover.strands.iter().flat_map(|s| s.windows(2)) {
                    let [a, b] = [&edge[0], &edge[1]].map(|p| before.transform(p));
                    let [c, d] = [&edge[0], &edge[1]].map(|p| after.transform(p));
                    let (va, vb) = (c - a, d - b);
                    let swept = Swept {
                        a: &a,
                        b: &b,
                        va: &va,
                        vb: &vb,
                    };
                    let region = Aabb::of_points([&a, &b, &c, &d]).inflated(reach);
                    let obstacle = &self.obstacles[o];
                    if !obstacle.aabb().intersects(&region) {
                        continue;
                    }
                    obstacle.visit_triangles(&region, |t| {
                        let corners = obstacle.corners(t);
                        let (fraction, normal) =
                            advance(&swept, &corners, limit.fraction, |_| keep);
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
        }
        limit
    }

    /// Distance of the farthest node from what the body turns about, mm.
    fn reach(&self) -> f64 {
        let reach = self.nodes().map(|(_, p)| (p - self.base.position).norm());
        reach.fold(0.0, f64::max)
    }

    /// The nodes of all shells with the body at its base.
    fn nodes(&self) -> impl Iterator<Item = (&Cover, &Vec3)> {
        let covers = self.shells.iter().map(|s| &s.cover);
        covers.flat_map(|cover| cover.strands.iter().flatten().map(move |p| (cover, p)))
    }
}

/// How near the middles of capsules of that radius may come to an obstacle that is that far from them now. The same for all
/// of them: a body that slides along a face comes to triangles that were farther away, and is to them as near as it was to
/// the first.
fn keep_from(nearest: f64, radius: f64) -> f64 {
    let stop = STOP * radius;
    if nearest > radius {
        radius + stop.min(NEARLY * (nearest - radius))
    } else {
        NEARLY * nearest
    }
}

/// Distance of the middles of a shell's capsules from an obstacle, as far as it could stop them; infinite beyond.
fn nearest(cover: &Cover, obstacle: &Obstacle) -> f64 {
    let reach = (1.0 + STOP) * cover.radius;
    let mut least = f64::INFINITY;
    let all = Aabb::of_points(cover.strands.iter().flatten()).inflated(reach);
    if !obstacle.aabb().intersects(&all) {
        return least;
    }
    for edge in cover.strands.iter().flat_map(|s| s.windows(2)) {
        let region = Aabb::of_points(edge).inflated(reach);
        if !obstacle.aabb().intersects(&region) {
            continue;
        }
        obstacle.visit_triangles(&region, |t| {
            let (p, q) = segment_triangle(&edge[0], &edge[1], &obstacle.corners(t));
            least = least.min((p - q).norm());
        });
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Checker;
    use crate::geom::Rotation;
    use crate::mesh::{TriMesh, primitives};

    fn block(min: [f64; 3], max: [f64; 3]) -> TriMesh {
        let (min, max) = (min.into(), max.into());
        primitives::cuboid(&Aabb { min, max })
    }

    fn at(position: Vec3, turn: Vec3) -> Pose {
        Pose {
            position,
            rotation: Rotation::from_scaled_axis(turn),
        }
    }

    /// A box of 40 x 20 x 10 mm that is led from `from` to `goal` among other blocks.
    fn led(others: &[TriMesh], from: Pose, goal: Pose) -> (Pose, Option<usize>) {
        let body = block([-20.0, -10.0, -5.0], [20.0, 10.0, 5.0]);
        let mut obstacles = vec![Obstacle::new(&body).placed(&from)];
        obstacles.extend(others.iter().map(Obstacle::new));
        let others: Vec<usize> = (1..obstacles.len()).collect();
        BodySweep::new(&obstacles, &[0], from, &others, None).slide(&goal)
    }

    #[test]
    fn a_body_stops_before_a_wall_and_slides_along_it() {
        let wall = block([60.0, -500.0, -500.0], [62.0, 500.0, 500.0]);
        let here = Pose::identity();
        let goal = at(Vec3::new(200.0, 30.0, 0.0), Vec3::zeros());
        let (stopped, met) = led(std::slice::from_ref(&wall), here, goal);
        assert_eq!(met, Some(1));
        let gap = 60.0 - 20.0 - stopped.position.x;
        assert!(gap > 0.0 && gap < 2.0, "{gap}");
        // From there on along it.
        let (slid, met) = led(std::slice::from_ref(&wall), stopped, goal);
        assert_eq!(met, Some(1));
        assert!((slid.position.y - 30.0).abs() < 1e-6, "{slid:?}");
        assert!((slid.position.x - stopped.position.x).abs() < 1e-3);
        // In a corner of two walls it comes no further; away from it all is free.
        let side = block([-500.0, 20.0, -500.0], [500.0, 22.0, 500.0]);
        let mut now = here;
        let walls = [wall, side];
        for _ in 0..6 {
            now = led(&walls, now, goal).0;
        }
        assert!((now.position.x - stopped.position.x).abs() < 0.1, "{now:?}");
        assert!(now.position.y > 8.0 && now.position.y < 10.0, "{now:?}");
        let back = at(Vec3::new(-50.0, -30.0, 10.0), Vec3::zeros());
        assert_eq!(led(&walls, now, back), (back, None));
    }

    #[test]
    fn a_body_that_touches_stays_outside_and_what_it_is_in_lets_it_out() {
        // On a table without a gap: along it, up, but not into it.
        let table = block([-100.0, -100.0, -30.0], [100.0, 100.0, -5.0]);
        let table = std::slice::from_ref(&table);
        let here = Pose::identity();
        for way in [Vec3::x() * 50.0, Vec3::z() * 50.0] {
            let goal = at(way, Vec3::zeros());
            assert_eq!(led(table, here, goal), (goal, None));
        }
        let mut now = here;
        for _ in 0..200 {
            now = led(table, now, at(Vec3::z() * -100.0, Vec3::zeros())).0;
        }
        assert!(now.position.z > -1e-2, "{now:?}");
        // In a socket of which it fills the middle.
        let socket = block([0.0, -12.0, -8.0], [60.0, 12.0, 8.0]);
        let out = at(Vec3::x() * -80.0, Vec3::zeros());
        assert_eq!(led(std::slice::from_ref(&socket), here, out), (out, None));
    }

    #[test]
    fn random_ways_among_blocks_cross_nothing() {
        let mut rng = fastrand::Rng::with_seed(5);
        let others = [
            block([60.0, -80.0, -80.0], [70.0, 80.0, 80.0]),
            block([-80.0, 40.0, -80.0], [80.0, 46.0, 80.0]),
            block([-40.0, -60.0, -40.0], [10.0, -50.0, 40.0]),
        ];
        let body = block([-20.0, -10.0, -5.0], [20.0, 10.0, 5.0]);
        let checker = Checker::new(others.iter().map(|mesh| ("block", mesh)));
        let edges = [[0, 1], [1, 2], [2, 0]];
        let mut random = |size: f64| Vec3::from_fn(|_, _| size * (2.0 * rng.f64() - 1.0));
        let mut now = Pose::identity();
        let (mut n_met, mut n_turned) = (0, 0);
        for _ in 0..400 {
            let goal = at(now.position * 0.5 + random(90.0), random(1.0));
            let (next, met) = led(&others, now, goal);
            n_met += usize::from(met.is_some());
            n_turned += usize::from(next.rotation.angle_to(&now.rotation) > 0.1);
            // The way in short straight pieces, as it was swept.
            for k in 0..40 {
                let [a, b] = [k, k + 1].map(|k| now.lerp(&next, f64::from(k) / 40.0));
                for triangle in body.triangles() {
                    for edge in edges {
                        let ends = edge.map(|c: usize| body.vertices()[triangle[c] as usize]);
                        let [from, to] = [a, b].map(|pose| ends.map(|p| pose.transform(&p)));
                        assert_eq!(checker.check_motion(&from, &to), None);
                    }
                }
            }
            now = next;
        }
        assert!(n_met > 100 && n_turned > 100, "{n_met} {n_turned}");
    }
}
