//! A drag: the end of a cable is lowered in steps, and what it meets stops it.
//!
//! ```sh
//! cargo run --release --no-default-features --example drag
//! ```

use loomwright::scene::{Command, Simulation, demo, findings};
use loomwright::solve::CancelToken;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let scene = demo::demo("drag").ok_or("no such demo")?;
    let mut simulation = Simulation::new(scene)?;
    let cancel = CancelToken::default();
    simulation.solve_quietly(&cancel);
    for step in 0..5 {
        // Every edit is a command, here as in the window and in command files.
        simulation.apply(&Command::MoveHandle {
            cable: "cable".to_owned(),
            handle: "end".to_owned(),
            position: Some([
                560.0 - 40.0 * f64::from(step),
                0.0,
                400.0 - 80.0 * f64::from(step),
            ]),
            rotation: None,
        })?;
        for solved in simulation.solve_quietly(&cancel).iter() {
            let report = &solved.report;
            let mut held = report.handles.iter();
            let held = held.find_map(|h| findings::held_by(simulation.scene(), h));
            println!(
                "step {step}: {:?}, {} contacts, {}",
                report.status,
                report.contacts.len(),
                held.unwrap_or_else(|| "every handle at its target".to_owned())
            );
        }
    }
    Ok(())
}
