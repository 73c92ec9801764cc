//! Cables that are in each other's way.

use std::f64::consts::TAU;

use loomwright::geom::Vec3;
use loomwright::rod::{Rod, RodState};
use loomwright::solve::{Problem, Solver};

use super::crossing::{RADIUS, cable, section};

/// Two that cross, one above the other.
pub fn crossing() -> Vec<Solver> {
    let x = Vec3::x() * 200.0;
    let y = Vec3::y() * 200.0;
    let up = Vec3::z() * 25.0;
    vec![
        cable(-x, x, 620.0, 60, 0.2),
        cable(-y + up, y + up, 560.0, 60, 0.2),
    ]
}

/// Three side by side.
pub fn beside() -> Vec<Solver> {
    let x = Vec3::x() * 200.0;
    [0.0, 20.0, 40.0]
        .map(|y| cable(-x + Vec3::y() * y, x + Vec3::y() * y, 560.0, 50, 0.2))
        .into()
}

/// So many side by side in two layers, half a millimetre between them.
pub fn bundle(n: usize) -> Vec<Solver> {
    let pitch = 2.0 * RADIUS + 0.5;
    let x = Vec3::x() * 200.0;
    let place = |k: usize| Vec3::new(0.0, (k / 2) as f64, (k % 2) as f64) * pitch;
    (0..n)
        .map(|k| cable(place(k) - x, place(k) + x, 410.0, 40, 0.2))
        .collect()
}

/// One that makes three turns.
pub fn looped() -> Vec<Solver> {
    let n = 120;
    let rod = Rod::uniform(900.0, n, section()).unwrap();
    let nodes = (0..=n)
        .map(|i| {
            let s = i as f64 / n as f64;
            let angle = 3.0 * TAU * s;
            let r = 900.0 / (3.0 * TAU);
            Vec3::new(r * angle.sin(), -r * angle.cos(), 42.0 * (0.5 - s))
        })
        .collect();
    let mut state = RodState::along(nodes, [None; 2]);
    state.clamps = [state.frames.first().copied(), state.frames.last().copied()];
    let problem = Problem {
        friction: 0.2,
        gravity: Vec3::new(0.0, 0.0, -9.81),
        self_contact: true,
        ..Problem::clamped(rod, RADIUS)
    };
    vec![Solver::new(problem, state)]
}
