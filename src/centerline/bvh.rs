//! A bounding volume tree over boxes: what a plane cuts near a point, and what lies nearest.

use crate::geom::{Aabb, Vec3};
use crate::parallel;

/// Boxes in a leaf at most.
const LEAF_SIZE: usize = 6;
/// Deeper than a tree of halves over numbers of 32 bits can be.
const MAX_DEPTH: usize = 64;
/// Items for which a thread is worth its while.
const PER_THREAD: usize = 30_000;

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
        let mut nodes = Vec::new();
        if !items.is_empty() {
            nodes = subtree(boxes, &centers, &mut items, 0);
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

    /// The least value of `cost` over all items, where it is below `limit`, with its item; `cost` is never less than the
    /// distance from `point` to the item's box times `scale`. Equal costs: the item found first in the tree's order.
    pub fn nearest(
        &self,
        point: &Vec3,
        limit: f64,
        mut cost: impl FnMut(u32) -> f64,
        scale: f64,
    ) -> Option<(f64, u32)> {
        let bound = |i: usize| scale * distance_sq(&self.nodes[i].aabb, point).sqrt();
        let mut least = limit;
        let mut best: Option<u32> = None;
        let mut stack = [(0.0, 0_usize); MAX_DEPTH];
        let mut depth = 0;
        if !self.nodes.is_empty() {
            stack[0] = (bound(0), 0);
            depth = 1;
        }
        while depth > 0 {
            depth -= 1;
            let (lower, i) = stack[depth];
            if lower >= least {
                continue;
            }
            let node = &self.nodes[i];
            if node.n_items > 0 {
                let first = node.link as usize;
                for &item in &self.items[first..first + node.n_items as usize] {
                    let c = cost(item);
                    if c < least {
                        least = c;
                        best = Some(item);
                    }
                }
            } else {
                let near = (bound(i + 1), i + 1);
                let far = (bound(node.link as usize), node.link as usize);
                let is_first_nearer = near.0 <= far.0;
                (stack[depth], stack[depth + 1]) = if is_first_nearer {
                    (far, near)
                } else {
                    (near, far)
                };
                depth += 2;
            }
        }
        best.map(|item| (least, item))
    }

    /// Visits the items of the leaves to keep, in the tree's order.
    fn walk(&self, keep: impl Fn(&Aabb) -> bool, visit: &mut impl FnMut(u32)) {
        let mut stack = [0_u32; MAX_DEPTH];
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

/// The tree over `items`, which stand from `first` on, its links as if it stood alone.
fn subtree(boxes: &[Aabb], centers: &[Vec3], items: &mut [u32], first: usize) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(2 * items.len() / LEAF_SIZE + 1);
    if items.len() < PER_THREAD {
        split(&mut nodes, boxes, centers, items, first);
        return nodes;
    }
    let Some(middle) = halve(&mut nodes, boxes, centers, items, first) else {
        return nodes;
    };
    let (left, right) = items.split_at_mut(middle);
    let (left, right) = parallel::both(
        || subtree(boxes, centers, left, first),
        || subtree(boxes, centers, right, first + middle),
    );
    for half in [left, right] {
        let shift = nodes.len() as u32;
        nodes[0].link = shift;
        nodes.extend(half.into_iter().map(|mut node| {
            if node.n_items == 0 {
                node.link += shift;
            }
            node
        }));
    }
    nodes
}

fn split(nodes: &mut Vec<Node>, boxes: &[Aabb], centers: &[Vec3], items: &mut [u32], first: usize) {
    let me = nodes.len();
    let Some(middle) = halve(nodes, boxes, centers, items, first) else {
        return;
    };
    let (left, right) = items.split_at_mut(middle);
    split(nodes, boxes, centers, left, first);
    nodes[me].link = nodes.len() as u32;
    split(nodes, boxes, centers, right, first + middle);
}

/// Adds the node of `items`. Too many for a leaf are sorted into two halves; returns where the second begins.
fn halve(
    nodes: &mut Vec<Node>,
    boxes: &[Aabb],
    centers: &[Vec3],
    items: &mut [u32],
    first: usize,
) -> Option<usize> {
    let mut aabb = Aabb::empty();
    let mut spread = Aabb::empty();
    for &i in items.iter() {
        aabb.merge(&boxes[i as usize]);
        spread.grow(&centers[i as usize]);
    }
    let is_leaf = items.len() <= LEAF_SIZE;
    nodes.push(Node {
        aabb,
        link: first as u32,
        n_items: if is_leaf { items.len() as u32 } else { 0 },
    });
    if is_leaf {
        return None;
    }
    let axis = (spread.max - spread.min).imax();
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |&a, &b| {
        centers[a as usize][axis]
            .total_cmp(&centers[b as usize][axis])
            .then(a.cmp(&b))
    });
    Some(middle)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Small boxes strewn over a cube of 100.
    fn boxes(n: usize) -> Vec<Aabb> {
        let mut random = fastrand::Rng::with_seed(3);
        let mut coordinate = || 100.0 * random.f64();
        (0..n)
            .map(|_| {
                let p = Vec3::new(coordinate(), coordinate(), coordinate());
                Aabb::of_points([&p, &(p + Vec3::repeat(0.5))])
            })
            .collect()
    }

    #[test]
    fn the_tree_is_the_same_on_any_number_of_cores() {
        let boxes = boxes(3 * PER_THREAD);
        let trees = [1, 2, 5].map(|n| {
            parallel::pretend_cores(n);
            Bvh::new(&boxes)
        });
        for tree in &trees[1..] {
            assert_eq!(tree.items, trees[0].items);
            assert_eq!(tree.nodes.len(), trees[0].nodes.len());
            let is_same =
                |(a, b): (&Node, &Node)| (a.aabb, a.link, a.n_items) == (b.aabb, b.link, b.n_items);
            assert!(tree.nodes.iter().zip(&trees[0].nodes).all(is_same));
        }
        // Every item is found by its own box.
        let mut n_found = 0;
        for (i, aabb) in boxes.iter().enumerate().step_by(97) {
            trees[0].visit_ball(&aabb.center(), 1e-3, |item| {
                n_found += usize::from(item as usize == i);
            });
        }
        assert_eq!(n_found, boxes.len().div_ceil(97));
    }

    #[test]
    fn the_nearest_item_is_found_below_the_limit_only() {
        let boxes = boxes(2000);
        let tree = Bvh::new(&boxes);
        let point = Vec3::new(40.0, 50.0, 60.0);
        let cost = |i: u32| (boxes[i as usize].center() - point).norm();
        let all = (0..2000).map(cost).fold(f64::INFINITY, f64::min);
        let nearest = |limit: f64| tree.nearest(&point, limit, cost, 1.0).map(|found| found.0);
        assert_eq!(nearest(f64::INFINITY), Some(all));
        assert_eq!(nearest(1.001 * all), Some(all));
        assert_eq!(nearest(all), None);
    }
}
