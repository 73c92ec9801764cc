//! A drag of the end handle over a demo's part: lowered on it, sideways over it, towards taut, and back.

use std::sync::Arc;

use loomwright::geom::Vec3;
use loomwright::scene::{CableReport, Command, Scene, Simulation};
use loomwright::solve::CancelToken;

/// Corners of the end handle's way, and their share of the frames.
const WAY: [(Vec3, f64); 5] = [
    (Vec3::new(800.0, -60.0, 300.0), 0.2),
    (Vec3::new(800.0, -60.0, 150.0), 0.2),
    (Vec3::new(800.0, 60.0, 150.0), 0.2),
    (Vec3::new(880.0, 60.0, 150.0), 0.2),
    (Vec3::new(800.0, 0.0, 400.0), 0.2),
];

pub fn move_handle(handle: &str, position: Vec3) -> Command {
    Command::MoveHandle {
        cable: "cable".to_owned(),
        handle: handle.to_owned(),
        position: Some(position.into()),
        rotation: None,
    }
}

pub fn move_end(position: Vec3) -> Command {
    move_handle("end", position)
}

/// Where the end handle is in each of `n` frames.
pub fn way(n: usize) -> Vec<Vec3> {
    let mut positions = Vec::new();
    let mut from = Vec3::new(800.0, 0.0, 400.0);
    for (to, share) in WAY {
        let frames = (share * n as f64).round() as usize;
        positions.extend((1..=frames).map(|k| from.lerp(&to, k as f64 / frames as f64)));
        from = to;
    }
    positions
}

/// Drags, and shows each frame to `look`.
pub fn drag(
    scene: Scene,
    n: usize,
    mut look: impl FnMut(usize, &Simulation, &[Arc<CableReport>]),
) -> Simulation {
    let mut simulation = Simulation::new(scene).unwrap();
    let cancel = CancelToken::default();
    simulation.solve_quietly(&cancel);
    for (frame, position) in way(n).into_iter().enumerate() {
        simulation.apply(&move_end(position)).unwrap();
        let reports = simulation.solve_quietly(&cancel);
        look(frame, &simulation, &reports);
    }
    simulation
}
