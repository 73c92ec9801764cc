//! A bounding volume tree over boxes: what a plane cuts near a point, and what lies nearest.

use crate::geom::{Aabb, Vec3};

/// Boxes in a leaf at most.
const LEAF_SIZE: usize = 6;

/// A tree over numbered boxes.
pub struct Bvh {
    nodes: Vec<Node>,
    items: Vec<u32>,
}

struct Node {
    aabb: Aabb,
    /// First item of a leaf, or the second child of an inner node; the first child follows its parent.
    link: u32,
    /// Items of a leaf; 0 for an inner node.
    n_items: u32,
}

impl Bvh {
    /// Builds the tree by median splits along the longest side.
    pub fn new(boxes: &[Aabb]) -> Self {
        let mut items: Vec<u32> = (0..boxes.len() as u32).collect();
        let centers: Vec<Vec3> = boxes.iter().map(Aabb::center).collect();
        let mut nodes = Vec::with_capacity(2 * boxes.len() / LEAF_SIZE.max(1) + 1);
        if !items.is_empty() {
            let n = items.len();
            split(&mut nodes, boxes, &centers, &mut items, 0, n);
        }
        Self { nodes, items }
    }

    /// Gives the items new numbers, in the order in which the tree visits them; returns the old number of each.
    pub fn renumber(&mut self) -> Vec<u32> {
        let n = self.items.len() as u32;
        std::mem::replace(&mut self.items, (0..n).collect())
    }

    /// Calls `visit` for each item whose box meets the ball and the plane through `origin` with unit `normal`.
    pub fn visit_slice(
        &self,
        origin: &Vec3,
        normal: &Vec3,
        ball: &Vec3,
        reach: f64,
        mut visit: impl FnMut(u32),
    ) {
        let steep = normal.abs();
        self.walk(
            |aabb| {
                let half = (aabb.max - aabb.min) * 0.5;
                let center = aabb.center();
                (center - origin).dot(normal).abs() <= half.dot(&steep)
                    && distance_sq(aabb, ball) <= reach * reach
            },
            &mut visit,
        );
    }

    /// Calls `visit` for each item whose box a ray meets.
    pub fn visit_ray(&self, from: &Vec3, direction: &Vec3, mut visit: impl FnMut(u32)) {
        self.walk(|aabb| ray_meets_box(aabb, from, direction), &mut visit);
    }

    /// Calls `visit` for each item whose box meets the ball.
    pub fn visit_ball(&self, ball: &Vec3, reach: f64, mut visit: impl FnMut(u32)) {
        self.walk(|aabb| distance_sq(aabb, ball) <= reach * reach, &mut visit);
    }

    /// The least value of `cost` over all items, with its item; `cost` is never less than the distance from `point`
    /// to the item's box times `scale`. Equal costs: the item found first in the tree's order.
    pub fn nearest(
        &self,
        point: &Vec3,
        mut cost: impl FnMut(u32) -> f64,
        scale: f64,
    ) -> Option<(f64, u32)> {
        if self.nodes.is_empty() {
            return None;
        }
        let bound = |i: usize| scale * distance_sq(&self.nodes[i].aabb, point).sqrt();
        let mut best: Option<(f64, u32)> = None;
        let mut stack = vec![(bound(0), 0_usize)];
        while let Some((lower, i)) = stack.pop() {
            if best.is_some_and(|(b, _)| lower >= b) {
                continue;
            }
            let node = &self.nodes[i];
            if node.n_items > 0 {
                let first = node.link as usize;
                for &item in &self.items[first..first + node.n_items as usize] {
                    let c = cost(item);
                    if best.is_none_or(|(b, _)| c < b) {
                        best = Some((c, item));
                    }
                }
            } else {
                let (near, far) = (i + 1, node.link as usize);
                let (a, b) = (bound(near), bound(far));
                if a <= b {
                    stack.push((b, far));
                    stack.push((a, near));
                } else {
                    stack.push((a, near));
                    stack.push((b, far));
                }
            }
        }
        best
    }

    /// Visits the items of the leaves to keep, in the tree's order.
    fn walk(&self, keep: impl Fn(&Aabb) -> bool, visit: &mut impl FnMut(u32)) {
        let mut stack = [0_u32; 64];
        let mut depth = 0;
        if self.nodes.is_empty() {
            return;
        }
        depth += 1;
        while depth > 0 {
            depth -= 1;
            let i = stack[depth] as usize;
            let node = &self.nodes[i];
            if !keep(&node.aabb) {
                continue;
            }
            if node.n_items > 0 {
                let first = node.link as usize;
                for &item in &self.items[first..first + node.n_items as usize] {
                    visit(item);
                }
            } else {
                stack[depth] = node.link;
                stack[depth + 1] = i as u32 + 1;
                depth += 2;
            }
        }
    }
}

fn split(
    nodes: &mut Vec<Node>,
    boxes: &[Aabb],
    centers: &[Vec3],
    items: &mut [u32],
    first: usize,
    n: usize,
) {
    let mut aabb = Aabb::empty();
    let mut spread = Aabb::empty();
    for &i in items.iter() {
        aabb.merge(&boxes[i as usize]);
        spread.grow(&centers[i as usize]);
    }
    let me = nodes.len();
    nodes.push(Node {
        aabb,
        link: first as u32,
        n_items: n as u32,
    });
    if n <= LEAF_SIZE {
        return;
    }
    let axis = (spread.max - spread.min).imax();
    let middle = n / 2;
    items.select_nth_unstable_by(middle, |&a, &b| {
        centers[a as usize][axis]
            .total_cmp(&centers[b as usize][axis])
            .then(a.cmp(&b))
    });
    let (left, right) = items.split_at_mut(middle);
    split(nodes, boxes, centers, left, first, middle);
    let second = nodes.len() as u32;
    split(nodes, boxes, centers, right, first + middle, n - middle);
    nodes[me].link = second;
    nodes[me].n_items = 0;
}

fn distance_sq(aabb: &Aabb, p: &Vec3) -> f64 {
    let outside = (aabb.min - p).sup(&(p - aabb.max)).sup(&Vec3::zeros());
    outside.norm_squared()
}

fn ray_meets_box(aabb: &Aabb, from: &Vec3, direction: &Vec3) -> bool {
    let (mut enter, mut leave) = (0.0_f64, f64::INFINITY);
    for k in 0..3 {
        if direction[k] == 0.0 {
            if from[k] < aabb.min[k] || from[k] > aabb.max[k] {
                return false;
            }
            continue;
        }
        let a = (aabb.min[k] - from[k]) / direction[k];
        let b = (aabb.max[k] - from[k]) / direction[k];
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    enter <= leave
}
