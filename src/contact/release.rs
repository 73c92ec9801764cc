//! Stretches of a rod that an obstacle cuts through: let go until they are clear.

use std::ops::Range;

use super::margin::Close;
use super::{Candidates, ContactSettings, Ignored, Obstacle};
use crate::geom::Vec3;

/// Length of cable on both sides of where an obstacle cuts it that is let go with it, over radius.
const SLIDE: f64 = 10.0;
/// Distance of the centerline from an obstacle at which it counts as clear of it, over radius.
const CLEAR: f64 = 0.25;

impl Candidates {
    /// Lets stretches go that an obstacle cuts through: they have no side to be pushed to. Of a closed body also what is
    /// inside of it: its walls would keep it there.
    pub(super) fn release_what_is_cut(
        &mut self,
        close: &[Close],
        obstacles: &[Obstacle],
        points: &[Vec3],
        settings: &ContactSettings,
    ) {
        let n_edges = points.len() as u32 - 1;
        let together = |a: &Close, b: &Close| {
            a.obstacle == b.obstacle && a.edge + 1 == b.edge && a.room <= 0.0 && b.room <= 0.0
        };
        for stretch in close.chunk_by(together) {
            if !stretch.iter().any(|c| c.is_cut) {
                continue;
            }
            let obstacle = stretch[0].obstacle;
            let body = &obstacles[obstacle as usize];
            let (mut from, mut to) = (stretch[0].edge, stretch[stretch.len() - 1].edge + 1);
            let last = self.released.last_mut().filter(|l| l.obstacle == obstacle);
            if let Some(last) = last
                && body.contains(&points[last.edges.end.midpoint(from) as usize])
            {
                last.edges.end = to;
                continue;
            }
            if body.contains(&points[0]) && !self.released.iter().any(|l| l.obstacle == obstacle) {
                from = 0;
            }
            let is_last = !close
                .iter()
                .any(|c| c.obstacle == obstacle && c.edge >= to && c.is_cut);
            if is_last && body.contains(&points[n_edges as usize]) {
                to = n_edges;
            }
            self.released.push(Ignored::through(obstacle, from..to));
        }
        // Room to slide: what is cut next is let go with it.
        for stretch in &mut self.released {
            let edges = &mut stretch.edges;
            let room = SLIDE * settings.radius;
            *edges = widened(edges, points, room);
        }
        if !self.released.is_empty() {
            self.forget();
        }
    }

    /// Holds stretches again that are clear of what cut them, and widens those that slide. Whether there were any.
    pub(super) fn follow_what_is_cut(
        &mut self,
        obstacles: &[Obstacle],
        points: &[Vec3],
        settings: &ContactSettings,
    ) -> bool {
        let n = self.released.len();
        self.released.retain(|stretch| {
            let body = &obstacles[stretch.obstacle as usize];
            let mut edges = stretch.edges.clone().map(|e| e as usize);
            // Once its centerline is clear it is on one side, and contact can push the rest of it out.
            let touches = |e: usize| {
                let (a, b) = (&points[e], &points[e + 1]);
                body.nearest(a, b, CLEAR * settings.radius).is_some()
            };
            let middle = stretch.edges.start.midpoint(stretch.edges.end) as usize;
            edges.any(touches) || body.contains(&points[middle])
        });
        let mut changed = self.released.len() < n;
        // What has slid to the end of its stretch gets room to slide on.
        let margins = &self.margins;
        for stretch in &mut self.released {
            let Range { start, end } = stretch.edges;
            let body = &obstacles[stretch.obstacle as usize];
            let near = |e: u32| {
                let (a, b) = (&points[e as usize], &points[e as usize + 1]);
                let within = margins.radius(e as usize, settings) + settings.barrier_distance;
                body.nearest(a, b, within).is_some()
            };
            if near(start) || near(end - 1) {
                let wide = widened(&stretch.edges, points, SLIDE * settings.radius);
                changed |= wide != stretch.edges;
                stretch.edges = wide;
            }
        }
        changed
    }
}

/// The edges with those within `room` mm on both sides.
fn widened(edges: &Range<u32>, points: &[Vec3], room: f64) -> Range<u32> {
    let length = |e: u32| (points[e as usize + 1] - points[e as usize]).norm();
    let (mut start, mut end) = (edges.start, edges.end);
    let mut left = room;
    while start > 0 && left > 0.0 {
        start -= 1;
        left -= length(start);
    }
    left = room;
    while (end as usize) < points.len() - 1 && left > 0.0 {
        left -= length(end);
        end += 1;
    }
    start..end
}
