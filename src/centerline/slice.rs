//! Plane cuts of a shell, linked into loops.

use std::sync::atomic::Ordering;

use super::fans::Across;
use super::shell::Shell;
use crate::geom::Vec3;

/// A point in a cutting plane.
pub type Vec2 = nalgebra::Vector2<f64>;

/// Ends that nothing shares a mesh edge with are one place when nearer than this part of the reach: cracks beside
/// vertices that stand on a neighbour's edge.
const CRACK_RATIO: f64 = 0.004;
/// Widest hole that is bridged, as a part of the reach.
const HOLE_RATIO: f64 = 0.4;

/// Work of a cut that meets nothing, in triangles.
const PER_SLICE: usize = 16;

/// A plane with coordinates in it.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    pub origin: Vec3,
    pub normal: Vec3,
    u: Vec3,
    v: Vec3,
}

impl Plane {
    /// The plane through `origin` across the unit vector `normal`.
    pub fn new(origin: Vec3, normal: Vec3) -> Self {
        let helper = Vec3::ith(normal.iamin(), 1.0);
        let u = normal.cross(&helper).normalize();
        let v = normal.cross(&u);
        Self {
            origin,
            normal,
            u,
            v,
        }
    }

    /// The normal turned by `angle` towards one of four sides.
    pub fn tilted(self, side: usize, angle: f64) -> Vec3 {
        let towards = [self.u, self.v, -self.u, -self.v][side % 4];
        self.normal * angle.cos() + towards * angle.sin()
    }

    pub fn to_plane(self, p: &Vec3) -> Vec2 {
        let d = p - self.origin;
        Vec2::new(d.dot(&self.u), d.dot(&self.v))
    }

    pub fn to_space(self, q: &Vec2) -> Vec3 {
        self.origin + self.u * q.x + self.v * q.y
    }
}

/// A chain of cuts through neighbouring triangles.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Pieces of the surface, one after the other; there may be gaps between them.
    pub pieces: Vec<[Vec2; 2]>,
    /// The triangle of each piece.
    pub triangles: Vec<u32>,
    /// Whether the last piece meets the first, across bridged holes if need be.
    pub is_closed: bool,
    /// Length of the surface cut.
    pub perimeter: f64,
    /// Area inside, where closed.
    pub area: f64,
    /// Centroid of that area; the mean of the cut where open.
    pub centroid: Vec2,
}

impl Loop {
    /// The chain of these cuts, with its measures.
    pub fn new(pieces: Vec<[Vec2; 2]>, triangles: Vec<u32>, is_closed: bool) -> Self {
        let mut l = Self {
            pieces,
            triangles,
            is_closed,
            perimeter: 0.0,
            area: 0.0,
            centroid: Vec2::zeros(),
        };
        l.measure();
        l
    }

    /// Whether the point is inside; only for closed loops.
    pub fn encloses(&self, q: &Vec2) -> bool {
        let mut inside = false;
        self.for_each_side(|a, b| {
            if (a.y > q.y) != (b.y > q.y) {
                let x = a.x + (q.y - a.y) / (b.y - a.y) * (b.x - a.x);
                inside ^= x > q.x;
            }
        });
        inside
    }

    /// Largest distance of the loop from `q`.
    pub fn extent(&self, q: &Vec2) -> f64 {
        let far = |p: &Vec2| (p - q).norm();
        self.pieces
            .iter()
            .map(|[a, b]| far(a).max(far(b)))
            .fold(0.0, f64::max)
    }

    /// The pieces and the bridges between them.
    fn for_each_side(&self, mut side: impl FnMut(&Vec2, &Vec2)) {
        for (i, [a, b]) in self.pieces.iter().enumerate() {
            side(a, b);
            let next = &self.pieces[(i + 1) % self.pieces.len()][0];
            if next != b {
                side(b, next);
            }
        }
    }

    fn measure(&mut self) {
        let mut doubled = 0.0;
        let mut moment = Vec2::zeros();
        // About a point of the loop: far from the origin the products would lose digits.
        let base = self.pieces[0][0];
        self.for_each_side(|a, b| {
            let (a, b) = (a - base, b - base);
            let cross = a.perp(&b);
            doubled += cross;
            moment += (a + b) * cross;
        });
        let mut length = 0.0;
        let mut mean = Vec2::zeros();
        for [a, b] in &self.pieces {
            let l = (b - a).norm();
            length += l;
            mean += (a + b) * (0.5 * l);
        }
        self.perimeter = length;
        self.area = 0.5 * doubled.abs();
        self.centroid = if self.is_closed && self.area > 1e-6 * length * length {
            base + moment / (3.0 * doubled)
        } else if length > 0.0 {
            mean / length
        } else {
            base
        };
    }
}

/// The cut through one triangle.
pub struct Cut {
    pub ends: [Vec2; 2],
    /// The sides of the triangle on which they stand.
    sides: [u8; 2],
    triangle: u32,
}

impl Cut {
    /// What lies across the side of end `k`.
    pub fn across(&self, shell: &Shell, k: usize) -> Across {
        shell.fans.across(self.triangle, self.sides[k].into())
    }

    /// The vertices of the side of end `k`: the same number for all triangles at that edge.
    fn edge(&self, shell: &Shell, k: usize) -> u64 {
        let corners = shell.triangles[self.triangle as usize];
        let side = usize::from(self.sides[k]);
        let (a, b) = (corners[side], corners[(side + 1) % 3]);
        u64::from(a.min(b)) << 32 | u64::from(a.max(b))
    }
}

/// The loops that the plane cuts from the shell within `reach` of `around`.
pub fn slice(shell: &Shell, plane: &Plane, around: &Vec3, reach: f64) -> Vec<Loop> {
    let mut cuts: Vec<Cut> = Vec::new();
    let found = |t: u32| cuts.extend(cut_triangle(shell, plane, t));
    shell
        .bvh
        .visit_slice(&plane.origin, &plane.normal, around, reach, found);
    shell
        .effort
        .fetch_add(cuts.len() + PER_SLICE, Ordering::Relaxed);
    let partner = link(shell, &cuts, &plane.to_plane(around), reach);
    chains(&cuts, &partner)
}

/// A vertex exactly in the plane counts as above it: so each triangle is cut in no or in two of its edges.
pub fn cut_triangle(shell: &Shell, plane: &Plane, t: u32) -> Option<Cut> {
    let numbers = shell.triangles[t as usize];
    let height = |v: u32| (shell.vertices[v as usize] - plane.origin).dot(&plane.normal);
    let height = [height(numbers[0]), height(numbers[1]), height(numbers[2])];
    let above = [height[0] >= 0.0, height[1] >= 0.0, height[2] >= 0.0];
    if above[0] == above[1] && above[1] == above[2] {
        return None;
    }
    let mut ends = [Vec2::zeros(); 2];
    let mut sides = [0; 2];
    let mut n = 0;
    for k in 0..3 {
        let j = (k + 1) % 3;
        if above[k] != above[j] {
            // From the lower vertex number to the higher: the same rounding in both triangles of an edge.
            let (a, b) = if numbers[k] < numbers[j] {
                (k, j)
            } else {
                (j, k)
            };
            let s = height[a] / (height[a] - height[b]);
            let (p, q) = (
                &shell.vertices[numbers[a] as usize],
                &shell.vertices[numbers[b] as usize],
            );
            ends[n] = plane.to_plane(&(p + (q - p) * s));
            sides[n] = k as u8;
            n += 1;
        }
    }
    Some(Cut {
        ends,
        sides,
        triangle: t,
    })
}

const NONE: usize = usize::MAX;

/// For each end `2 i + k` of cut `i`, the end that goes on from there. The cuts are in the order of their triangles.
fn link(shell: &Shell, cuts: &[Cut], around: &Vec2, reach: f64) -> Vec<usize> {
    let end = |e: usize| cuts[e / 2].ends[e % 2];
    let away = |e: usize| cuts[e / 2].ends[1 - e % 2] - cuts[e / 2].ends[e % 2];
    let mut partner = vec![NONE; 2 * cuts.len()];
    // Ends at no edge, or at one of several triangles, by edge.
    let mut open: Vec<(u64, usize)> = Vec::new();
    let mut shared: Vec<(u64, usize)> = Vec::new();
    for (i, cut) in cuts.iter().enumerate() {
        for k in 0..2 {
            let e = 2 * i + k;
            let other = match cut.across(shell, k) {
                Across::One(other) if partner[e] == NONE => other,
                Across::One(_) => continue,
                Across::Nothing => {
                    open.push((cut.edge(shell, k), e));
                    continue;
                }
                Across::Several => {
                    shared.push((cut.edge(shell, k), e));
                    continue;
                }
            };
            match cuts.binary_search_by_key(&other, |c| c.triangle) {
                Ok(j) => {
                    let back = Across::One(cut.triangle);
                    let f = 2 * j + usize::from(cuts[j].across(shell, 0) != back);
                    (partner[e], partner[f]) = (f, e);
                }
                // Out of reach.
                Err(_) => open.push((cut.edge(shell, k), e)),
            }
        }
    }
    shared.sort_unstable();
    for group in shared.chunk_by(|a, b| a.0 == b.0) {
        match *group {
            [alone] => open.push(alone),
            [(_, a), (_, b)] => (partner[a], partner[b]) = (b, a),
            [(edge, _), ..] => {
                let group: Vec<usize> = group.iter().map(|(_, e)| *e).collect();
                let alone = pair_at_crossing(&group, away, &mut partner);
                open.extend(alone.into_iter().map(|e| (edge, e)));
            }
            [] => {}
        }
    }
    open.sort_unstable();
    // What is left: cracks, then the rims of holes.
    let is_near = |e: &usize| (end(*e) - around).norm() < reach;
    let mut open: Vec<usize> = open.into_iter().map(|(_, e)| e).filter(is_near).collect();
    if open.len() > MAX_OPEN_ENDS {
        open.truncate(MAX_OPEN_ENDS);
    }
    let mut pairs = Vec::new();
    for (i, &a) in open.iter().enumerate() {
        for &b in &open[..i] {
            let gap = (end(a) - end(b)).norm();
            if a / 2 != b / 2 && gap < CRACK_RATIO * reach {
                pairs.push((gap, b, a));
            }
        }
    }
    take_nearest(pairs, &mut partner);
    open.retain(|&e| partner[e] == NONE);
    bridge_holes(cuts, &open, HOLE_RATIO * reach, &mut partner);
    partner
}

/// More loose ends than a tube with holes has: a ragged mesh, of which only a part is linked.
const MAX_OPEN_ENDS: usize = 400;

/// Joins the ends of chains to each other, nearest first. A chain may be closed onto itself only when that gap is
/// small beside its length.
fn bridge_holes(cuts: &[Cut], open: &[usize], widest: f64, partner: &mut [usize]) {
    if open.len() < 2 {
        return;
    }
    let end = |e: usize| cuts[e / 2].ends[e % 2];
    let mut pairs = Vec::new();
    for (i, &a) in open.iter().enumerate() {
        let (other, length) = far_end(cuts, partner, a);
        for &b in &open[..i] {
            let gap = (end(a) - end(b)).norm();
            if gap < widest && (other != b || gap < 0.6 * length) {
                pairs.push((gap, b, a));
            }
        }
    }
    take_nearest(pairs, partner);
}

/// Where a chain that starts at the open end `e` stops, and its length.
fn far_end(cuts: &[Cut], partner: &[usize], mut e: usize) -> (usize, f64) {
    let mut length = 0.0;
    for _ in 0..cuts.len() {
        let [a, b] = cuts[e / 2].ends;
        length += (b - a).norm();
        let out = e ^ 1;
        if partner[out] == NONE {
            return (out, length);
        }
        e = partner[out];
    }
    (e, length)
}

fn take_nearest(mut pairs: Vec<(f64, usize, usize)>, partner: &mut [usize]) {
    pairs.sort_unstable_by(|p, q| p.0.total_cmp(&q.0).then((p.1, p.2).cmp(&(q.1, q.2))));
    for (_, a, b) in pairs {
        if partner[a] == NONE && partner[b] == NONE {
            (partner[a], partner[b]) = (b, a);
        }
    }
}

/// More than two triangles at one edge: two surfaces that touch there. They do not cross: of the pairings of
/// neighbours round the point, the one that goes on straightest. Returns the ends that stay alone.
fn pair_at_crossing(
    group: &[usize],
    away: impl Fn(usize) -> Vec2,
    partner: &mut [usize],
) -> Vec<usize> {
    let angle = |e: &usize| {
        let d = away(*e);
        d.y.atan2(d.x)
    };
    let cosine = |a: usize, b: usize| {
        let (p, q) = (away(a), away(b));
        p.dot(&q) / (p.norm() * q.norm()).max(f64::MIN_POSITIVE)
    };
    let mut round: Vec<usize> = group.to_vec();
    round.sort_by(|a, b| angle(a).total_cmp(&angle(b)).then(a.cmp(b)));
    let n = round.len();
    if n.is_multiple_of(2) {
        let pairing = |shift: usize| {
            let round = &round;
            (0..n / 2).map(move |i| (round[(2 * i + shift) % n], round[(2 * i + 1 + shift) % n]))
        };
        let bend = |shift| pairing(shift).map(|(a, b)| cosine(a, b)).sum::<f64>();
        let shift = usize::from(bend(1) < bend(0));
        for (a, b) in pairing(shift) {
            (partner[a], partner[b]) = (b, a);
        }
        return Vec::new();
    }
    let mut pairs = Vec::new();
    for i in 0..n {
        for j in 0..i {
            pairs.push((cosine(round[i], round[j]), round[j], round[i]));
        }
    }
    take_nearest(pairs, partner);
    round.retain(|&e| partner[e] == NONE);
    round
}

fn chains(cuts: &[Cut], partner: &[usize]) -> Vec<Loop> {
    let mut is_done = vec![false; cuts.len()];
    let mut loops = Vec::new();
    // Open chains from their ends, then what is left: closed ones.
    let starts = (0..2 * cuts.len())
        .filter(|&e| partner[e] == NONE)
        .chain((0..cuts.len()).map(|i| 2 * i));
    for start in starts {
        if is_done[start / 2] {
            continue;
        }
        let (mut pieces, mut triangles) = (Vec::new(), Vec::new());
        let mut is_closed = false;
        let mut e = start;
        loop {
            let cut = &cuts[e / 2];
            is_done[e / 2] = true;
            pieces.push([cut.ends[e % 2], cut.ends[1 - e % 2]]);
            triangles.push(cut.triangle);
            let next = partner[e ^ 1];
            if next == NONE {
                break;
            }
            if is_done[next / 2] {
                is_closed = next == start;
                break;
            }
            e = next;
        }
        loops.push(Loop::new(pieces, triangles, is_closed));
    }
    loops
}
