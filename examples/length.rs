//! Lengths: a cable made longer, and the shortest length with which it meets its bend limit.
//!
//! ```sh
//! cargo run --release --no-default-features --example length
//! ```

use loomwright::scene::{Command, Simulation, demo};
use loomwright::solve::CancelToken;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut simulation = Simulation::new(demo::demo("drag").ok_or("no such demo")?)?;
    let cancel = CancelToken::default();
    for length in [900.0, 950.0, 1000.0] {
        simulation.apply(&Command::SetLength {
            cable: "cable".to_owned(),
            length,
        })?;
        for solved in simulation.solve_quietly(&cancel).iter() {
            println!(
                "{length:.0} mm: smallest bend radius {:.1} mm, {:.3} N at its start",
                solved.report.smallest_bend_radius,
                solved.report.handles[0].force.norm()
            );
        }
    }
    // Commands also come from JSON, as in command files.
    for line in [
        r#"{"command":"change_cable","cable":"cable","min_bend_radius":60}"#,
        r#"{"command":"fit_length","cable":"cable","round_to":5}"#,
    ] {
        simulation.apply(&serde_json::from_str(line)?)?;
    }
    println!("fitted: {:.0} mm", simulation.scene().cables[0].length);
    Ok(())
}
