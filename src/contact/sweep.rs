//! Swept collision: how far the rod may move along a step before anything comes too near.

use super::candidates::NearTriangle;
use super::distance::segment_triangle;
use super::settings::{AT_HANDLE, BESIDE_HANDLE};
use super::{Candidates, ContactSettings, Kept, Margins, Obstacle, RigidMotion};
use crate::geom::{Aabb, Vec3};

/// A step may shrink a gap to this fraction of it, and no further than to this fraction of the barrier distance:
/// the barrier of the next iterate then has something to hold.
pub(super) const SHRINK: f64 = 0.1;
/// A held node (of a handle) and what is beside it stop at this fraction of the barrier distance; no barrier would hold
/// them back.
const HELD_STOP: f64 = 0.3;
/// Rounds of advancing to the next separating plane.
pub(super) const ROUNDS: usize = 48;

/// How far a step may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepLimit {
    /// In [0, 1].
    pub fraction: f64,
    /// The obstacle that stops it there.
    pub obstacle: Option<usize>,
    /// Whether it is a held node that is stopped, or what is beside one.
    pub held: bool,
    /// Unit vector from the obstacle to the rod where it is stopped.
    pub normal: Vec3,
}

impl SweepLimit {
    /// Nothing in the way.
    pub const NONE: Self = Self {
        fraction: 1.0,
        obstacle: None,
        held: false,
        normal: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// Whether a moving segment goes where a handle takes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    No,
    /// A held node.
    Node,
    /// What is beside one, on an edge.
    Beside,
}

/// A moving segment: its ends and their motion.
pub(super) struct Swept<'a> {
    pub a: &'a Vec3,
    pub b: &'a Vec3,
    pub va: &'a Vec3,
    pub vb: &'a Vec3,
}

/// A step of the rod to be checked.
pub struct Sweep<'a> {
    /// The bodies.
    pub obstacles: &'a [Obstacle],
    /// Nodes before the step.
    pub points: &'a [Vec3],
    /// Motion of the nodes over the whole step; the path of each is straight.
    pub motion: &'a [Vec3],
    /// Whether each node is held by a handle.
    pub held: &'a [bool],
    /// Radius and distances.
    pub settings: &'a ContactSettings,
    /// The fittings before its ends.
    pub rigid: &'a [RigidMotion],
    /// Obstacles that move meanwhile, if any do.
    pub moving: Option<MovingObstacles<'a>>,
}

/// Obstacles that move as one body while the rod does.
#[derive(Clone, Copy, Debug)]
pub struct MovingObstacles<'a> {
    /// Their numbers.
    pub numbers: &'a [usize],
    /// Motion of the nodes as the body sees it, in the axes and from the place that it has before the step; straight.
    pub relative: &'a [Vec3],
}

impl Sweep<'_> {
    /// The largest fraction of the step that is safe for every edge against every triangle.
    pub fn limit(&self, candidates: &mut Candidates) -> SweepLimit {
        let mut limit = SweepLimit::NONE;
        let n_edges = self.points.len() - 1;
        for i in 0..n_edges {
            let own = self.motion;
            let met = self
                .moving
                .filter(|moving| self.comes_near(i, moving, candidates.margins()));
            let seen = met.map_or(own, |moving| moving.relative);
            let ways = [&own[i], &own[i + 1], &seen[i], &seen[i + 1]];
            let reach = ways.map(Vec3::norm).into_iter().fold(0.0, f64::max);
            if reach == 0.0 {
                continue;
            }
            let (a, b) = (&self.points[i], &self.points[i + 1]);
            let mut check = |margins: &Margins, triangle: &NearTriangle| {
                let o = triangle.obstacle;
                let moves = |m: MovingObstacles| m.numbers.contains(&(o as usize));
                let is_moving = self.moving.is_some_and(moves);
                if is_moving && met.is_none() {
                    return;
                }
                let motion = if is_moving { seen } else { own };
                let (va, vb) = (&motion[i], &motion[i + 1]);
                // Held nodes are checked as points of their own, and so is what goes along with one that moves.
                let held = [
                    self.held[i].then_some((i, a, va)),
                    (i + 1 == n_edges && self.held[n_edges]).then_some((n_edges, b, vb)),
                ];
                let beside = [(i, a, va, b, vb), (i + 1, b, vb, a, va)];
                let beside = beside.map(|e| (self.held[e.0] && *e.2 != Vec3::zeros()).then_some(e));
                let (corners, normal) = (&triangle.corners, &triangle.normal);
                let mut stop = |swept: Swept, held: Held, kept: Kept| {
                    let (fraction, normal) =
                        self.pair(&swept, corners, normal, limit.fraction, held, kept);
                    if fraction < limit.fraction {
                        limit = SweepLimit {
                            fraction,
                            obstacle: Some(o as usize),
                            held: held != Held::No,
                            normal,
                        };
                    }
                };
                stop(
                    Swept { a, b, va, vb },
                    Held::No,
                    margins.of_edge(o as usize, i),
                );
                for &(node, p, v) in held.iter().flatten() {
                    stop(
                        Swept {
                            a: p,
                            b: p,
                            va: v,
                            vb: v,
                        },
                        Held::Node,
                        margins.of_node(o as usize, node, n_edges),
                    );
                }
                for &(node, p, v, q, w) in beside.iter().flatten() {
                    stop(
                        Swept {
                            a: p,
                            b: &p.lerp(q, AT_HANDLE),
                            va: v,
                            vb: &v.lerp(w, AT_HANDLE),
                        },
                        Held::Beside,
                        // It is of this edge, whatever the other one's radius.
                        Kept {
                            thicker: margins.thickness().of_edge(i),
                            ..margins.of_node(o as usize, node, n_edges)
                        },
                    );
                }
            };
            let thickest = candidates.margins().thickness().around(i);
            let outer = self.settings.radius + thickest + self.settings.barrier_distance;
            let distance = outer + reach;
            if reach <= self.settings.radius {
                let slack = 0.5 * self.settings.radius;
                let (near, margins) = candidates.near(self.obstacles, i, a, b, distance, slack);
                for triangle in &near.triangles {
                    check(margins, triangle);
                }
            } else {
                // A long way: only what the swept edge's box meets.
                let [va, vb, wa, wb] = ways;
                let bounds = Aabb::of_points([a, b, &(a + va), &(b + vb), &(a + wa), &(b + wb)])
                    .inflated(outer);
                let margins = candidates.margins();
                for (o, obstacle) in self.obstacles.iter().enumerate() {
                    let region = bounds.inflated(margins.full(o));
                    if obstacle.aabb().intersects(&region) && !candidates.ignores(i, o) {
                        obstacle.visit_triangles(&region, |t| {
                            check(margins, &NearTriangle::new(self.obstacles, o as u32, t));
                        });
                    }
                }
            }
        }
        self.limit_rigid(candidates, limit)
    }

    /// Whether an edge may come near obstacles that move meanwhile: their boxes, where they start, meet all that it sweeps
    /// as they see it.
    fn comes_near(&self, i: usize, moving: &MovingObstacles, margins: &Margins) -> bool {
        let (a, b) = (&self.points[i], &self.points[i + 1]);
        let (va, vb) = (&moving.relative[i], &moving.relative[i + 1]);
        let outer = self.settings.radius + margins.thickness().around(i);
        let swept = Aabb::of_points([a, b, &(a + va), &(b + vb)])
            .inflated(outer + self.settings.barrier_distance);
        let mut numbers = moving.numbers.iter();
        numbers.any(|&o| {
            let region = swept.inflated(margins.full(o));
            self.obstacles[o].aabb().intersects(&region)
        })
    }

    /// The gap that must be left where `gap` is now.
    fn smallest(&self, gap: f64, held: Held) -> f64 {
        let stop = HELD_STOP * self.settings.barrier_distance;
        match held {
            Held::No => SHRINK * gap.min(self.settings.barrier_distance),
            Held::Node | Held::Beside if gap > stop => stop,
            // Not any nearer; the last digits are left to rounding.
            Held::Node => (1.0 - 1e-6) * gap,
            Held::Beside => BESIDE_HANDLE * gap,
        }
    }

    /// Fraction up to which the moving segment keeps its distance from a triangle, by advancing from one
    /// separating plane to the next: while both end points stay beyond a plane, so does all between them.
    /// What lies beyond `best` does not matter.
    fn pair(
        &self,
        swept: &Swept,
        corners: &[Vec3; 3],
        normal: &Vec3,
        best: f64,
        held: Held,
        kept: Kept,
    ) -> (f64, Vec3) {
        let &Swept { a, b, va, vb } = swept;
        let own = self.settings.radius + kept.thicker;
        let radius = own + kept.margin;
        // Cheap and common: the triangle's own plane separates all the way.
        let heights = [a, b, &(a + va), &(b + vb)].map(|p| (p - corners[0]).dot(normal));
        let keep = radius + self.settings.barrier_distance;
        if heights.iter().all(|h| *h > keep) || heights.iter().all(|h| *h < -keep) {
            return (1.0, Vec3::zeros());
        }
        let keep_at = |distance: f64| {
            let gap = distance - radius;
            let clear = distance - own;
            if gap > 0.0 {
                radius + self.smallest(gap, held)
            } else if clear > 0.0 {
                own + 0.5 * clear
            } else {
                0.5 * distance
            }
        };
        advance(swept, corners, best, keep_at)
    }

    /// The same for a fitting, which has its own radius and stops as a handle does; where it turns, it also keeps as far
    /// away as it is off its straight path.
    pub(super) fn rigid_pair(
        &self,
        rigid: &RigidMotion,
        swept: &Swept,
        corners: &[Vec3; 3],
        best: f64,
    ) -> (f64, Vec3) {
        let keep_at = |distance: f64| {
            let gap = distance - rigid.what.radius;
            if gap > 0.0 {
                let beside = rigid.bulge.min(0.9 * gap);
                rigid.what.radius + self.smallest(gap, Held::Node).max(beside)
            } else {
                0.5 * distance
            }
        };
        advance(swept, corners, best, keep_at)
    }
}

/// Advances a moving segment from one separating plane to the next, until it is as near to a triangle as `keep_at` allows
/// for the distance that it has at first.
pub(super) fn advance(
    swept: &Swept,
    corners: &[Vec3; 3],
    best: f64,
    keep_at: impl Fn(f64) -> f64,
) -> (f64, Vec3) {
    let &Swept { a, b, va, vb } = swept;
    let mut t = 0.0;
    let mut n = Vec3::zeros();
    let mut keep = 0.0;
    for round in 0..ROUNDS {
        let (at, bt) = (a + va * t, b + vb * t);
        let (p, q) = segment_triangle(&at, &bt, corners);
        let away = p - q;
        let distance = away.norm();
        if round == 0 {
            // Too near from the start (imported so): it may leave, and come nearer by half at most; what
            // crosses already cannot be crossed.
            if distance == 0.0 {
                return (1.0, Vec3::zeros());
            }
            keep = keep_at(distance);
        } else if distance <= keep * (1.0 + 1e-12) {
            return (t, n);
        }
        n = away / distance;
        let top = corners
            .iter()
            .map(|c| n.dot(c))
            .fold(f64::NEG_INFINITY, f64::max);
        let mut advance = f64::INFINITY;
        for (x, v) in [(&at, va), (&bt, vb)] {
            let speed = n.dot(v);
            if speed < 0.0 {
                advance = advance.min((n.dot(x) - top - keep) / -speed);
            }
        }
        if t + advance >= best {
            return (1.0, Vec3::zeros());
        }
        // Stuck within rounding.
        if advance < 1e-9 {
            return (t, n);
        }
        t += advance;
    }
    (t, n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;

    fn sheet() -> Obstacle {
        let v = [(-50.0, -50.0), (50.0, -50.0), (50.0, 50.0), (-50.0, 50.0)];
        let vertices = v.iter().map(|&(x, y)| Vec3::new(x, y, 0.0)).collect();
        Obstacle::new(&TriMesh::new(vertices, vec![[0, 1, 2], [0, 2, 3]]).unwrap())
    }

    fn limit(points: &[Vec3], motion: &[Vec3], held: &[bool]) -> SweepLimit {
        let obstacles = [sheet()];
        let settings = ContactSettings::new(4.0, 0.01, 0.2);
        let sweep = Sweep {
            obstacles: &obstacles,
            points,
            motion,
            held,
            settings: &settings,
            rigid: &[],
            moving: None,
        };
        sweep.limit(&mut Candidates::new(points.len() - 1))
    }

    #[test]
    fn a_jump_through_a_sheet_stops_above_it_from_either_side() {
        for sign in [1.0, -1.0] {
            let points = [
                Vec3::new(-5.0, 0.0, 20.0 * sign),
                Vec3::new(5.0, 0.0, 20.0 * sign),
            ];
            let motion = [Vec3::z() * -300.0 * sign; 2];
            let l = limit(&points, &motion, &[false; 2]);
            assert_eq!(l.obstacle, Some(0));
            // Centerline left at radius plus a tenth of the barrier distance.
            assert!((20.0 - 300.0 * l.fraction - 4.04).abs() < 1e-9);
        }
    }

    #[test]
    fn sliding_beside_the_sheet_is_free() {
        let points = [Vec3::new(-5.0, 0.0, 4.2), Vec3::new(5.0, 0.0, 4.2)];
        let l = limit(&points, &[Vec3::x() * 200.0; 2], &[false; 2]);
        assert_eq!(l, SweepLimit::NONE);
    }

    #[test]
    fn a_turning_edge_that_is_clear_at_both_ends_of_its_motion_is_stopped_between() {
        // Before: beyond the rim, upright; after: on the other side, the ends having swapped sides of the plane.
        let points = [Vec3::new(0.0, 0.0, 30.0), Vec3::new(0.0, 80.0, 30.0)];
        let motion = [Vec3::new(0.0, 0.0, -60.0), Vec3::zeros()];
        let l = limit(&points, &motion, &[false; 2]);
        assert!(l.fraction < 1.0);
    }

    #[test]
    fn a_body_that_comes_is_as_good_as_an_edge_that_goes() {
        let obstacles = [sheet()];
        let settings = ContactSettings::new(4.0, 0.01, 0.2);
        let points = [Vec3::new(-5.0, 0.0, 20.0), Vec3::new(5.0, 0.0, 20.0)];
        // The sheet rises by 300 mm; the edge stays, goes along, or goes half as far.
        for (own, safe) in [(0.0, 15.96 / 300.0), (300.0, 1.0), (150.0, 15.96 / 150.0)] {
            let sweep = Sweep {
                obstacles: &obstacles,
                points: &points,
                motion: &[Vec3::z() * own; 2],
                held: &[false; 2],
                settings: &settings,
                rigid: &[],
                moving: Some(MovingObstacles {
                    numbers: &[0],
                    relative: &[Vec3::z() * (own - 300.0); 2],
                }),
            };
            let limit = sweep.limit(&mut Candidates::new(1));
            assert!((limit.fraction - safe).abs() < 1e-9, "{own}: {limit:?}");
        }
    }

    #[test]
    fn what_is_beside_a_held_node_stops_with_it_and_yields_a_little() {
        // The held end is beyond the rim of the sheet; a tenth along the edge would meet the rim first.
        let along = Vec3::new(-10.0, 0.0, 2.0);
        let from_rim = |a: &Vec3| (a - Vec3::x() * 50.0).cross(&along).norm() / along.norm();
        let held_end = |gap: f64| {
            let at = Vec3::x() * 52.0;
            let rise = along.x.abs() / along.norm();
            at + Vec3::z() * ((4.0 + gap - from_rim(&at)) / rise)
        };
        for (gap, left) in [(15.0, 0.12), (0.1, 0.07)] {
            let a = held_end(gap);
            let points = [a, a + along];
            let motion = [Vec3::z() * -100.0; 2];
            let held = limit(&points, &motion, &[true, false]);
            assert!(held.held, "{held:?}");
            let there = from_rim(&(a + motion[0] * held.fraction)) - 4.0;
            assert!((there - left).abs() < 1e-6, "{there} for {left}");
            // The barrier holds what no handle takes along, and what goes along with one that stays.
            assert!(!limit(&points, &motion, &[false; 2]).held);
            let turning = [Vec3::zeros(), motion[1]];
            assert!(!limit(&points, &turning, &[true, false]).held);
        }
    }

    #[test]
    fn a_held_node_stops_earlier_than_a_free_one() {
        let points = [Vec3::new(0.0, 0.0, 20.0), Vec3::new(0.0, 0.0, 30.0)];
        let motion = [Vec3::z() * -100.0; 2];
        let (free, held) = (
            limit(&points, &motion, &[false; 2]),
            limit(&points, &motion, &[true, false]),
        );
        assert!((20.0 - 100.0 * free.fraction - 4.04).abs() < 1e-9);
        assert!((20.0 - 100.0 * held.fraction - 4.12).abs() < 1e-9);
    }
}
