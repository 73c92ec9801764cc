//! Random cables: a path of straight runs and arcs, a section swept along it, and what is done to the mesh afterwards.

use std::f64::consts::TAU;

use fastrand::Rng;
use loomwright::geom::Vec3;
use loomwright::mesh::TriMesh;

use super::decimate::decimate;

/// A place on the true line.
#[derive(Clone, Copy)]
pub struct Place {
    pub position: Vec3,
    pub tangent: Vec3,
    pub radius: f64,
}

/// A mesh with the lines that it was made of.
pub struct Case {
    pub what: String,
    pub mesh: TriMesh,
    pub lines: Vec<Vec<Place>>,
    /// Largest deviation that is right, in radii: a coarse or rough mesh tells less.
    pub limit: f64,
}

/// Between two numbers.
fn between(rng: &mut Rng, low: f64, high: f64) -> f64 {
    low + (high - low) * rng.f64()
}

fn unit(rng: &mut Rng) -> Vec3 {
    loop {
        let v = Vec3::new(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        if v.norm() > 0.1 && v.norm() < 0.5 {
            return v.normalize();
        }
    }
}

/// A path of straight runs and tangent arcs that keeps clear of itself, in steps; with where rings are needed.
fn path(rng: &mut Rng, radius: f64, start: Vec3, first: Vec3) -> (Vec<Place>, Vec<bool>) {
    loop {
        let mut position = start;
        let mut tangent = first;
        let mut places = Vec::new();
        let mut is_ring = Vec::new();
        let mut push = |position: Vec3, tangent: Vec3, ring: bool| {
            places.push(Place {
                position,
                tangent,
                radius,
            });
            is_ring.push(ring);
        };
        push(position, tangent, true);
        let step = 0.25 * radius;
        for piece in 0..rng.usize(2..6) {
            let length = between(rng, 3.0, 25.0) * radius;
            let n = (length / step).ceil();
            for i in 1..=n as usize {
                push(
                    position + tangent * (length * i as f64 / n),
                    tangent,
                    i as f64 == n,
                );
            }
            position += tangent * length;
            let bend = between(rng, 1.6, 8.0) * radius;
            let turn = between(rng, 0.3, 2.4);
            let side = loop {
                let side = tangent.cross(&unit(rng));
                if side.norm() > 0.3 {
                    break side.normalize();
                }
            };
            if piece == 0 && rng.u8(0..6) == 0 {
                continue;
            }
            let n = (bend * turn / step).ceil();
            let every = (between(rng, 0.1, 0.45) * bend / step).ceil() as usize;
            let center = position + side * bend;
            let on_arc = |angle: f64| {
                let (sin, cos) = angle.sin_cos();
                let at = center - side * (bend * cos) + tangent * (bend * sin);
                (at, tangent * cos + side * sin)
            };
            for i in 1..=n as usize {
                let (at, along) = on_arc(turn * i as f64 / n);
                push(at, along, i % every.max(1) == 0 || i as f64 == n);
            }
            (position, tangent) = on_arc(turn);
        }
        if keeps_clear(&places, radius) {
            return (places, is_ring);
        }
    }
}

/// Whether stretches that are far apart along the path are so in space.
fn keeps_clear(places: &[Place], radius: f64) -> bool {
    let far = 24;
    places.iter().enumerate().step_by(4).all(|(i, a)| {
        let later = places.iter().skip(i + far).step_by(4);
        later
            .into_iter()
            .all(|b| (a.position - b.position).norm() > 3.2 * radius)
    })
}

/// Sweeps a regular section along the path, rings where they are asked for; closed by caps or open.
fn sweep(places: &[Place], is_ring: &[bool], n_sides: usize, capped: bool, mesh: &mut Soup) {
    let mut u = places[0]
        .tangent
        .cross(&Vec3::new(0.31, 0.57, 0.76))
        .normalize();
    let first = mesh.vertices.len() as u32;
    let mut n_rings = 0;
    for (place, _) in places.iter().zip(is_ring).filter(|(_, ring)| **ring) {
        u = (u - place.tangent * u.dot(&place.tangent)).normalize();
        let v = place.tangent.cross(&u);
        for k in 0..n_sides {
            let (sin, cos) = (TAU * k as f64 / n_sides as f64).sin_cos();
            mesh.vertices
                .push(place.position + (u * cos + v * sin) * place.radius);
        }
        n_rings += 1;
    }
    let n = n_sides as u32;
    let at = |ring: u32, k: u32| first + ring * n + k % n;
    for ring in 0..n_rings - 1 {
        for k in 0..n {
            mesh.triangles
                .push([at(ring, k), at(ring, k + 1), at(ring + 1, k + 1)]);
            mesh.triangles
                .push([at(ring, k), at(ring + 1, k + 1), at(ring + 1, k)]);
        }
    }
    if capped {
        for (ring, place) in [(0, places[0]), (n_rings - 1, places[places.len() - 1])] {
            let middle = mesh.vertices.len() as u32;
            mesh.vertices.push(place.position);
            for k in 0..n {
                mesh.triangles.push([middle, at(ring, k), at(ring, k + 1)]);
            }
        }
    }
}

#[derive(Default)]
pub struct Soup {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// The case of a seed.
pub fn case(seed: u64) -> Case {
    let mut rng = Rng::with_seed(seed);
    let rng = &mut rng;
    let radius = between(rng, 1.0, 12.0);
    let (mut places, mut is_ring) = path(rng, radius, Vec3::zeros(), Vec3::x());
    let mut what = vec![format!("r {radius:.2}")];
    let n_sides = *rng
        .choice(&[6, 7, 8, 10, 12, 16, 20, 24, 32, 40])
        .unwrap_or(&12);
    what.push(format!("{n_sides} sides"));
    let mut limit: f64 = if n_sides < 8 { 0.25 } else { 0.1 };
    if rng.u8(0..4) == 0 {
        // A ring everywhere, and a radius that grows.
        let grown = between(rng, 1.1, 2.0);
        let n = places.len() as f64;
        for (i, place) in places.iter_mut().enumerate() {
            place.radius *= 1.0 + (grown - 1.0) * i as f64 / n;
        }
        for (i, ring) in is_ring.iter_mut().enumerate() {
            *ring |= i % 4 == 0;
        }
        // A tight bend of a wide end would cut itself.
        for place in &mut places {
            place.radius /= grown;
        }
        what.push(format!("taper to {grown:.2}"));
    }
    let mut mesh = Soup::default();
    let mut lines = vec![places.clone()];
    let capped = rng.u8(0..4) > 0;
    let gap = (rng.u8(0..8) == 0).then(|| between(rng, 0.5, 3.0) * radius);
    if let Some(gap) = gap {
        // Cut in two: two cables, or one with a word about it.
        let skip = (gap / (0.25 * radius)).ceil() as usize;
        let middle = rng.usize(places.len() / 4..places.len() / 2);
        let (a, b) = (0..middle, middle + skip..places.len());
        lines.clear();
        for part in [a, b] {
            let mut rings = is_ring[part.clone()].to_vec();
            let n = rings.len();
            (rings[0], rings[n - 1]) = (true, true);
            sweep(&places[part.clone()], &rings, n_sides, true, &mut mesh);
            lines.push(places[part].to_vec());
        }
        what.push(format!("gap {gap:.2}"));
    } else {
        sweep(&places, &is_ring, n_sides, capped, &mut mesh);
    }
    damage(rng, &mut mesh, radius, &mut what, &mut limit);
    let (vertices, triangles) = (mesh.vertices, mesh.triangles);
    Case {
        what: what.join(", "),
        mesh: TriMesh::new(vertices, triangles).unwrap(),
        lines,
        limit,
    }
}

/// Noise, holes, fewer triangles.
fn damage(rng: &mut Rng, mesh: &mut Soup, radius: f64, what: &mut Vec<String>, limit: &mut f64) {
    if rng.u8(0..3) == 0 {
        let noise = between(rng, 0.002, 0.02);
        for v in &mut mesh.vertices {
            *v += unit(rng) * (noise * radius * rng.f64());
        }
        if noise > 0.01 {
            *limit = limit.max(0.15);
        }
        what.push(format!("noise {noise:.3}"));
    }
    if rng.u8(0..6) == 0 {
        let n = mesh.triangles.len();
        let n_holes = (n / 200).clamp(1, 6);
        for _ in 0..n_holes {
            let at = rng.usize(0..mesh.triangles.len());
            mesh.triangles.swap_remove(at);
        }
        what.push(format!("{n_holes} holes"));
    }
    if rng.u8(0..2) == 0 {
        let share = between(rng, 0.1, 0.7);
        let before = mesh.triangles.len();
        decimate(mesh, (share * before as f64) as usize, radius);
        *limit = limit.max(0.25);
        what.push(format!("{} of {before} triangles", mesh.triangles.len()));
    }
}
