//! Fewer triangles by collapsing edges, the cheapest first by quadrics (Garland and Heckbert 1997).

use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

use loomwright::geom::Vec3;
use nalgebra::{Matrix4, Vector4};

use super::make::Soup;

struct Collapse {
    cost: f64,
    edge: [u32; 2],
    stamp: [u32; 2],
    to: Vec3,
}

impl PartialEq for Collapse {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Collapse {}
impl PartialOrd for Collapse {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Collapse {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_cost = other.cost.total_cmp(&self.cost);
        by_cost.then(other.edge.cmp(&self.edge))
    }
}

/// Collapses edges until so many triangles are left, or none can go without folding the surface.
pub fn decimate(mesh: &mut Soup, target: usize, scale: f64) {
    let n = mesh.vertices.len();
    let mut quadrics = vec![Matrix4::zeros(); n];
    let mut fans: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); n];
    for (t, corners) in mesh.triangles.iter().enumerate() {
        let [a, b, c] = corners.map(|v| mesh.vertices[v as usize]);
        let doubled = (b - a).cross(&(c - a));
        let Some(normal) = doubled.try_normalize(1e-12) else {
            continue;
        };
        let plane = Vector4::new(normal.x, normal.y, normal.z, -normal.dot(&a));
        for &v in corners {
            quadrics[v as usize] += plane * plane.transpose() * (0.5 * doubled.norm());
            fans[v as usize].insert(t);
        }
    }
    hold_rims(mesh, &fans, &mut quadrics);
    let mut stamps = vec![0_u32; n];
    let mut is_gone = vec![false; mesh.triangles.len()];
    let mut n_left = mesh.triangles.len();
    let mut heap = BinaryHeap::new();
    let collapse = |mesh: &Soup, quadrics: &[Matrix4<f64>], stamps: &[u32], a: u32, b: u32| {
        let q = quadrics[a as usize] + quadrics[b as usize];
        let (p, r) = (mesh.vertices[a as usize], mesh.vertices[b as usize]);
        // The best place where it is well told, else the better of the ends and the middle.
        let mut places = vec![p, r, (p + r) * 0.5];
        let normal = q.fixed_view::<3, 3>(0, 0).into_owned();
        let right = -q.fixed_view::<3, 1>(0, 3).into_owned();
        if let Some(best) = normal.lu().solve(&right)
            && (best - (p + r) * 0.5).norm() < (p - r).norm()
        {
            places.push(best);
        }
        let cost = |p: &Vec3| {
            let v = Vector4::new(p.x, p.y, p.z, 1.0);
            (v.transpose() * q * v)[0] + 1e-9 * (p - r).norm_squared()
        };
        let to = places
            .into_iter()
            .min_by(|a, b| cost(a).total_cmp(&cost(b)));
        let to = to.unwrap_or(p);
        Collapse {
            cost: cost(&to) / (scale * scale),
            edge: [a, b],
            stamp: [stamps[a as usize], stamps[b as usize]],
            to,
        }
    };
    for corners in &mesh.triangles {
        for k in 0..3 {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            if a < b {
                heap.push(collapse(mesh, &quadrics, &stamps, a, b));
            }
        }
    }
    while n_left > target {
        let Some(Collapse {
            edge: [a, b],
            stamp,
            to,
            ..
        }) = heap.pop()
        else {
            return keep(mesh, &is_gone);
        };
        let (i, j) = (a as usize, b as usize);
        if stamp != [stamps[i], stamps[j]] || !may_collapse(mesh, &fans, a, b, &to) {
            continue;
        }
        mesh.vertices[i] = to;
        let moved: Vec<usize> = fans[j].iter().copied().collect();
        for t in moved {
            if mesh.triangles[t].contains(&a) {
                is_gone[t] = true;
                n_left -= 1;
                for v in mesh.triangles[t] {
                    fans[v as usize].remove(&t);
                }
            } else {
                for v in &mut mesh.triangles[t] {
                    if *v == b {
                        *v = a;
                    }
                }
                fans[i].insert(t);
            }
        }
        fans[j].clear();
        quadrics[i] = quadrics[i] + quadrics[j];
        stamps[j] += 1;
        stamps[i] += 1;
        let around: BTreeSet<u32> = neighbours(mesh, &fans, a);
        for v in around {
            heap.push(collapse(mesh, &quadrics, &stamps, a.min(v), a.max(v)));
        }
    }
    keep(mesh, &is_gone);
}

/// Rims stay where they are: planes through them, across the surface.
fn hold_rims(mesh: &Soup, fans: &[BTreeSet<usize>], quadrics: &mut [Matrix4<f64>]) {
    for corners in &mesh.triangles {
        for k in 0..3 {
            let (a, b) = (corners[k] as usize, corners[(k + 1) % 3] as usize);
            if fans[a].intersection(&fans[b]).count() > 1 {
                continue;
            }
            let [p, q, r] = [a, b, corners[(k + 2) % 3] as usize].map(|v| mesh.vertices[v]);
            let across = (q - p).cross(&(r - p)).cross(&(q - p));
            let Some(normal) = across.try_normalize(1e-12) else {
                continue;
            };
            let plane = Vector4::new(normal.x, normal.y, normal.z, -normal.dot(&p));
            for v in [a, b] {
                quadrics[v] += plane * plane.transpose() * (10.0 * (q - p).norm_squared());
            }
        }
    }
}

fn neighbours(mesh: &Soup, fans: &[BTreeSet<usize>], v: u32) -> BTreeSet<u32> {
    let all = fans[v as usize].iter().flat_map(|&t| mesh.triangles[t]);
    all.filter(|&w| w != v).collect()
}

/// Whether the surface stays one sheet and no triangle turns over.
fn may_collapse(mesh: &Soup, fans: &[BTreeSet<usize>], a: u32, b: u32, to: &Vec3) -> bool {
    let shared = fans[a as usize].intersection(&fans[b as usize]).count();
    let common = neighbours(mesh, fans, a)
        .intersection(&neighbours(mesh, fans, b))
        .count();
    if shared == 0 || common != shared {
        return false;
    }
    let keeps = |v: u32, other: u32| {
        fans[v as usize].iter().all(|&t| {
            let corners = mesh.triangles[t];
            if corners.contains(&other) {
                return true;
            }
            let at = |w: u32, moved: bool| {
                if moved && w == v {
                    *to
                } else {
                    mesh.vertices[w as usize]
                }
            };
            let normal = |moved: bool| {
                let [p, q, r] = corners.map(|w| at(w, moved));
                (q - p).cross(&(r - p))
            };
            let (before, after) = (normal(false), normal(true));
            before.dot(&after) > 0.2 * before.norm() * after.norm() && after.norm() > 0.0
        })
    };
    keeps(a, b) && keeps(b, a)
}

fn keep(mesh: &mut Soup, is_gone: &[bool]) {
    let left = mesh
        .triangles
        .iter()
        .zip(is_gone)
        .filter(|(_, gone)| !**gone);
    mesh.triangles = left.map(|(t, _)| *t).collect();
}
