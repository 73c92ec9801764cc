//! Handles where the rod may overlap a body: they take it no deeper inside than was found there.

use super::Solver;
use super::grip::Hold;
use super::settings as set;
use crate::contact::Ignored;
use crate::geom::Vec3;

/// Steps along the way of a handle beside a body, over radius.
const STEP: f64 = 0.05;
/// How much deeper than allowed, over radius: the surface of a body is made of facets, and a handle slides along them.
const SLACK: f64 = 0.02;
/// Faces that a handle slides along in one chunk: three meet in a corner.
const FACES: usize = 3;

impl Solver {
    /// Where a body that the rod may overlap only so deep stops handle `k` on its way to its goal: which part of the way
    /// it can go, the body, and the way out of it.
    pub(super) fn entry_stop(&self, k: usize) -> Option<(f64, usize, Vec3)> {
        let from = self.grip_pose(k).position;
        let way = self.work.goals[k].pose.position - from;
        self.way_in(k, &from, &way)
    }

    /// Keeps the goal of handle `k` out of what it may not enter deeper: it goes as far as it can, and then along the
    /// surface. The body that did, if any.
    pub(super) fn turn_goal_aside(&mut self, k: usize) -> Option<usize> {
        let start = self.grip_pose(k).position;
        let (mut from, mut way) = (start, self.work.goals[k].pose.position - start);
        let mut by = None;
        for _ in 0..FACES {
            let Some((fraction, obstacle, out)) = self.way_in(k, &from, &way) else {
                from += way;
                break;
            };
            by = Some(obstacle);
            from += way * fraction;
            way *= 1.0 - fraction;
            way -= out * out.dot(&way).min(0.0);
        }
        if by.is_some() {
            let least = set::SMALLEST_SLIDE * self.settings.radius;
            let made = (from - start).norm();
            self.work.goals[k].pose.position = if made < least { start } else { from };
        }
        by
    }

    fn way_in(&self, k: usize, from: &Vec3, way: &Vec3) -> Option<(f64, usize, Vec3)> {
        let grip = &self.problem.grips[k];
        if matches!(grip.hold, Hold::Spring(_)) || *way == Vec3::zeros() {
            return None;
        }
        let n = self.problem.rod.n_edges();
        let (edge, _) = grip.place.span(n);
        let radius = self.settings.radius;
        let own = |i: &&Ignored| i.depth.is_finite() && i.edges.contains(&(edge as u32));
        let stops = self.problem.ignored.iter().filter(own).filter_map(|i| {
            let body = &self.problem.obstacles[i.obstacle as usize];
            let stop = body.way_in(from, way, i.depth + SLACK * radius, STEP * radius)?;
            Some((stop.fraction, i.obstacle as usize, stop.out))
        });
        stops.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}
