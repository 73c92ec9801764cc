//! Random dragging in real geometry: nothing is passed through, and handles arrive.
//!
//! `LOOMWRIGHT_DRAG_STEPS` sets the number of steps of each scene (the default keeps the suite short),
//! `LOOMWRIGHT_DRAG_SEED` another series of them; `LOOMWRIGHT_DRAG_MESH` adds a scene around a mesh file, and
//! `LOOMWRIGHT_DRAG_VERBOSE` names the steps that missed their target.

mod drive;
mod moving;

use drive::{Limits, drive};
use loomwright::scene::{Scene, demo};

fn steps() -> usize {
    std::env::var("LOOMWRIGHT_DRAG_STEPS")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(150)
}

fn seed(scene: u64) -> u64 {
    let series: u64 = std::env::var("LOOMWRIGHT_DRAG_SEED")
        .ok()
        .and_then(|v| v.parse().ok())
        .unwrap_or(0);
    1000 * series + scene
}

fn demo_scene(name: &str, scene_number: u64) {
    run(name, demo::demo(name).unwrap(), scene_number);
}

fn run(name: &str, scene: Scene, scene_number: u64) {
    let limits = Limits::around(&scene, 60.0);
    let tally = drive(scene, &limits, steps(), seed(scene_number));
    println!("{name}: {tally}");
    tally.check();
}

#[test]
fn concave_pocket() {
    demo_scene("pocket", 1);
}

#[test]
fn thin_open_sheet() {
    demo_scene("sheet", 2);
}

#[test]
fn sharp_box_edges() {
    demo_scene("box", 3);
}

#[test]
fn cylinder() {
    demo_scene("cylinder", 4);
}

/// Through a hole with 1 mm of room.
#[test]
fn hole() {
    run("hole", drive::threaded(), 6);
}

/// A real assembly of many parts, sheets among them: a mesh file named by the environment.
#[test]
fn mesh_file() {
    let Some(path) = std::env::var_os("LOOMWRIGHT_DRAG_MESH") else {
        return;
    };
    let scene = drive::scene_around(std::path::Path::new(&path));
    let limits = Limits::around(&scene, 0.0);
    let tally = drive(scene, &limits, steps(), seed(5));
    println!("{}: {tally}", path.display());
    tally.check();
}
