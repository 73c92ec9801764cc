//! A static tree of boxes over all triangles: which ones can a box touch, which ones can be near it.

use crate::geom::{Aabb, Vec3};

/// Triangles in a leaf. Below about four, the boxes cost more than the triangles they save.
const LEAF_SIZE: usize = 4;

/// Room for the way down: splitting at the median halves the count, and there are at most 2^32 triangles.
const MAX_DEPTH: usize = 40;

/// One triangle of a part, with what the tests ask first.
#[derive(Clone, Debug)]
pub(super) struct Triangle {
    /// Corners, mm.
    pub corners: [Vec3; 3],
    /// Unit normal; zero for a triangle of no area.
    pub normal: Vec3,
    /// Number of the part.
    pub part: u32,
    /// Number of the triangle in its part.
    pub index: u32,
}

impl Triangle {
    pub(super) fn new(corners: [Vec3; 3], part: u32, index: u32) -> Self {
        let [a, b, c] = corners;
        let normal = (b - a)
            .cross(&(c - a))
            .try_normalize(f64::MIN_POSITIVE)
            .unwrap_or_default();
        Self {
            corners,
            normal,
            part,
            index,
        }
    }

    pub(super) fn aabb(&self) -> Aabb {
        Aabb::of_points(&self.corners)
    }
}

/// The tree; triangles of a leaf lie side by side.
#[derive(Clone, Debug)]
pub(super) struct Bvh {
    nodes: Vec<Node>,
    triangles: Vec<Triangle>,
}

/// A leaf when `count > 0`; else its children are the next node and node `link`.
#[derive(Clone, Debug)]
struct Node {
    aabb: Aabb,
    /// First triangle of a leaf, or second child.
    link: u32,
    count: u32,
}

impl Bvh {
    pub(super) fn new(mut triangles: Vec<Triangle>) -> Self {
        assert!(u32::try_from(triangles.len()).is_ok(), "too many triangles");
        let mut nodes = Vec::with_capacity(2 * triangles.len() / LEAF_SIZE + 1);
        if !triangles.is_empty() {
            build(&mut nodes, &mut triangles, 0);
        }
        Self { nodes, triangles }
    }

    /// Visits every triangle whose box shares a point with `aabb`.
    pub(super) fn visit_overlapping(&self, aabb: &Aabb, mut visit: impl FnMut(&Triangle)) {
        let mut stack = Stack::new();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if !node.aabb.intersects(aabb) {
                continue;
            }
            if node.count == 0 {
                stack.push(node.link);
                stack.push(at + 1);
            } else {
                for triangle in self.leaf(node) {
                    if triangle.aabb().intersects(aabb) {
                        visit(triangle);
                    }
                }
            }
        }
    }

    /// Visits every triangle whose box is within √`limit_sq` of `aabb`, nearer branches first.
    ///
    /// `visit` returns the new squared limit, so a find makes the rest of the search smaller.
    pub(super) fn visit_near(
        &self,
        aabb: &Aabb,
        mut limit_sq: f64,
        mut visit: impl FnMut(&Triangle) -> f64,
    ) {
        let mut stack = Stack::new();
        if !self.nodes.is_empty() {
            stack.push(0);
        }
        while let Some(at) = stack.pop() {
            let node = &self.nodes[at as usize];
            if distance_sq(&node.aabb, aabb) > limit_sq {
                continue;
            }
            if node.count == 0 {
                let (left, right) = (at + 1, node.link);
                let to = |child: u32| distance_sq(&self.nodes[child as usize].aabb, aabb);
                if to(left) <= to(right) {
                    stack.push(right);
                    stack.push(left);
                } else {
                    stack.push(left);
                    stack.push(right);
                }
            } else {
                for triangle in self.leaf(node) {
                    if distance_sq(&triangle.aabb(), aabb) <= limit_sq {
                        limit_sq = visit(triangle);
                    }
                }
            }
        }
    }

    fn leaf(&self, node: &Node) -> &[Triangle] {
        &self.triangles[node.link as usize..(node.link + node.count) as usize]
    }
}

/// Appends the tree over `triangles`, the first of which is number `first` of all.
fn build(nodes: &mut Vec<Node>, triangles: &mut [Triangle], first: u32) {
    let mut aabb = Aabb::empty();
    let mut centers = Aabb::empty();
    for triangle in triangles.iter() {
        let own = triangle.aabb();
        aabb.merge(&own);
        centers.grow(&own.center());
    }
    let at = nodes.len();
    nodes.push(Node {
        aabb,
        link: first,
        count: triangles.len() as u32,
    });
    if triangles.len() <= LEAF_SIZE {
        return;
    }
    let axis = (centers.max - centers.min).imax();
    let half = triangles.len() / 2;
    triangles.select_nth_unstable_by(half, |a, b| {
        let key = |t: &Triangle| t.aabb().center()[axis];
        key(a)
            .total_cmp(&key(b))
            .then((a.part, a.index).cmp(&(b.part, b.index)))
    });
    let (left, right) = triangles.split_at_mut(half);
    build(nodes, left, first);
    nodes[at].link = nodes.len() as u32;
    nodes[at].count = 0;
    build(nodes, right, first + half as u32);
}

/// Squared distance between two boxes; 0 when they share a point.
fn distance_sq(a: &Aabb, b: &Aabb) -> f64 {
    (0..3)
        .map(|k| {
            (a.min[k] - b.max[k])
                .max(b.min[k] - a.max[k])
                .max(0.0)
                .powi(2)
        })
        .sum()
}

/// Nodes still to visit, without allocation.
struct Stack {
    nodes: [u32; MAX_DEPTH],
    len: usize,
}

impl Stack {
    fn new() -> Self {
        Self {
            nodes: [0; MAX_DEPTH],
            len: 0,
        }
    }

    fn push(&mut self, node: u32) {
        self.nodes[self.len] = node;
        self.len += 1;
    }

    fn pop(&mut self) -> Option<u32> {
        self.len = self.len.checked_sub(1)?;
        Some(self.nodes[self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn point() -> impl Strategy<Value = Vec3> {
        // Quarter steps: boxes that touch exactly, and many equal centers.
        [-40..40i32, -40..40, -40..40].prop_map(|c| Vec3::from(c.map(|k| f64::from(k) / 4.0)))
    }

    fn soup() -> impl Strategy<Value = Vec<Triangle>> {
        let small = (point(), point(), point()).prop_map(|(a, b, c)| [a, a + b * 0.2, a + c * 0.2]);
        prop::collection::vec(small, 0..120).prop_map(|corners| {
            (0..)
                .zip(corners)
                .map(|(index, corners)| Triangle::new(corners, 0, index))
                .collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn overlap_search_loses_and_adds_nothing(soup in soup(), a in point(), b in point()) {
            let aabb = Aabb::of_points([&a, &b]);
            let mut expected = vec![];
            for t in &soup {
                if t.aabb().intersects(&aabb) {
                    expected.push(t.index);
                }
            }
            let mut found = vec![];
            Bvh::new(soup).visit_overlapping(&aabb, |t| found.push(t.index));
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn near_search_loses_nothing(soup in soup(), a in point(), b in point(), limit in 0.0..9.0f64) {
            let aabb = Aabb::of_points([&a, &b]);
            let limit_sq = limit * limit;
            let mut expected = vec![];
            for t in &soup {
                if distance_sq(&t.aabb(), &aabb) <= limit_sq {
                    expected.push(t.index);
                }
            }
            let mut found = vec![];
            Bvh::new(soup).visit_near(&aabb, limit_sq, |t| { found.push(t.index); limit_sq });
            found.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn many_equal_triangles_stay_within_the_stack() {
        let corners = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let bvh = Bvh::new((0..5000).map(|k| Triangle::new(corners, 0, k)).collect());
        let mut count = 0;
        bvh.visit_overlapping(&Aabb::of_points(&corners), |_| count += 1);
        assert_eq!(count, 5000);
    }
}
