//! A cable between two handles: made by code, solved, and asked what it is like.
//!
//! ```sh
//! cargo run --release --no-default-features --example solve
//! ```

use loomwright::scene::{Simulation, demo};
use loomwright::solve::CancelToken;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A scene is plain data: parts, cables, handles. Here one that the library makes.
    let mut scene = demo::demo("box").ok_or("no such demo")?;
    scene.friction = 0.3;

    // A simulation joins it with a solver for each cable.
    let mut simulation = Simulation::new(scene)?;
    for solved in simulation.solve_quietly(&CancelToken::default()).iter() {
        let report = &solved.report;
        println!(
            "{}: {:?} after {} iterations, {:.2} mm long, smallest bend radius {:.1} mm",
            solved.cable,
            report.status,
            report.iterations,
            report.length,
            report.smallest_bend_radius
        );
        for handle in &report.handles {
            println!("  a handle holds it with {:.3} N", handle.force.norm());
        }
    }
    Ok(())
}
