//! The window, opened by a verb or without one.

use std::path::PathBuf;

use super::Outcome;
use super::args::demo_name;

/// What can be typed behind the verb.
#[derive(Debug, Default, clap::Args)]
pub struct Args {
    /// Scene files or meshes.
    files: Vec<PathBuf>,
    /// Open this demo scene: engine-bay, drag, pocket, sheet, box or cylinder.
    #[arg(long, value_name = "NAME", conflicts_with = "files", value_parser = demo_name)]
    demo: Option<String>,
}

/// Opens it, and comes back when it is closed.
#[cfg(feature = "gui")]
pub fn verb(Args { files, demo }: Args) -> anyhow::Result<Outcome> {
    use crate::app::{FIRST_DEMO, Start};
    let demo = demo.or_else(|| files.is_empty().then(|| FIRST_DEMO.to_owned()));
    crate::app::run(demo.map_or(Start::Files(files), Start::Demo))?;
    Ok(Outcome::Good)
}

/// Says that there is none.
#[cfg(not(feature = "gui"))]
pub fn verb(args: Args) -> anyhow::Result<Outcome> {
    drop((args.files, args.demo));
    anyhow::bail!(
        "this program was built without the window (feature \"gui\"); \
         use its verbs instead: loomwright --help"
    )
}
