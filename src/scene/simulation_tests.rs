//! Taking over changed scenes.

use super::*;
use crate::mesh::primitives;
use crate::scene::demo::demo;

fn moved_end(x: f64) -> Command {
    Command::MoveHandle {
        cable: "cable".to_owned(),
        handle: "end".to_owned(),
        position: Some([x, 0.0, 430.0]),
        rotation: None,
    }
}

/// Where the triangles of an obstacle are in memory.
fn place(simulation: &Simulation, part: usize) -> *const Obstacle {
    &raw const simulation.obstacles[part]
}

#[test]
fn an_undo_keeps_every_obstacle_and_solves_as_a_fresh_start() {
    let mut simulation = Simulation::new(demo("drag").unwrap()).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let before = simulation.scene().clone();
    let kept = place(&simulation, 0);
    simulation.apply(&moved_end(540.0)).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    assert_ne!(simulation.scene(), &before);

    simulation.replace_scene(before.clone()).unwrap();
    assert_eq!(simulation.scene(), &before);
    assert_eq!(place(&simulation, 0), kept, "built again");
    let mut fresh = Simulation::new(before).unwrap();
    for s in [&mut simulation, &mut fresh] {
        s.apply(&moved_end(550.0)).unwrap();
        s.solve_quietly(&CancelToken::default());
    }
    assert_eq!(simulation.scene(), fresh.scene());
}

#[test]
fn parts_that_come_go_and_change_places_keep_their_own_obstacles() {
    let mut simulation = Simulation::new(demo("drag").unwrap()).unwrap();
    let mut scene = simulation.scene().clone();
    let aabb = scene.parts[2].mesh().aabb();
    scene.parts.remove(1);
    scene.parts.swap(0, 1);
    scene
        .parts
        .push(Part::new("crate", primitives::cuboid(&aabb)));
    simulation.replace_scene(scene.clone()).unwrap();
    let of_parts = scene.parts.iter().map(|p| p.mesh().triangles().len());
    let of_obstacles = simulation.obstacles.iter().map(Obstacle::n_triangles);
    assert!(of_parts.eq(of_obstacles));
    assert!(Arc::ptr_eq(
        &simulation.obstacles,
        &simulation.solvers[0].problem().obstacles
    ));
}

#[test]
fn a_scene_that_cannot_be_taken_over_leaves_all_as_it_was() {
    let mut simulation = Simulation::new(demo("drag").unwrap()).unwrap();
    let before = simulation.scene().clone();
    let mut bad = before.clone();
    bad.cables[0].n_edges += 1;
    assert!(simulation.replace_scene(bad).is_err());
    assert_eq!(simulation.scene(), &before);
}
