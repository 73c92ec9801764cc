//! The centerlines of a tessellated harness.
//!
//! ```sh
//! cargo run --release --no-default-features --example centerline [MESH]
//! ```

use std::path::PathBuf;

use loomwright::centerline::{Settings, extract};
use loomwright::mesh::import::import_file;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1);
    let path = path.map_or_else(|| "samples/harness/harness.obj".into(), PathBuf::from);
    let file = import_file(&path)?;
    for part in &file.parts {
        let graph = extract(&part.mesh, &Settings::default(), &|_done| true)?;
        println!("{}: {} branches", part.name, graph.branches.len());
        for (k, branch) in graph.branches.iter().enumerate() {
            let steps = branch.curve.windows(2);
            let length: f64 = steps.map(|p| (p[1].position - p[0].position).norm()).sum();
            let middle = branch.curve[branch.curve.len() / 2];
            println!(
                "  B{}: about {length:.1} mm, radius {:.2} mm",
                k + 1,
                middle.radius
            );
        }
        for warning in &graph.warnings {
            println!("  {warning}");
        }
    }
    Ok(())
}
