//! Routes to CAD: one STEP file and one point list, each read back and checked, with a report beside it.
//!
//! ```sh
//! cargo run --release --no-default-features --example export [FOLDER]
//! ```

use std::path::PathBuf;

use loomwright::exchange::{ExportOptions, Format, RouteOptions, export, network_of};
use loomwright::scene::demo;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1);
    let folder = folder.map_or_else(std::env::temp_dir, PathBuf::from);
    std::fs::create_dir_all(&folder)?;
    let scene = demo::demo("box").ok_or("no such demo")?;
    // Solves finely first.
    let routes = network_of(&scene, &[], &RouteOptions::default())?;
    for format in [Format::Step, Format::Csv] {
        let path = folder.join(format!("example.{}", format.extension()));
        let report = export(&routes, format, &path, &ExportOptions::default())?;
        println!("{}", report.summary());
        for file in &report.files {
            println!("  {} ({} bytes)", file.path.display(), file.bytes);
            for open in &file.open_findings {
                println!("  open: {}", open.message);
            }
        }
    }
    Ok(())
}
