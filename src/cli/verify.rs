//! `verify`: an exported file against its check report and its scene.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::Outcome;
use super::console::Console;
use crate::exchange::verify;

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The exported file; its report FILE.certificate.json is beside it.
    file: PathBuf,
    /// The scene it was made of; the one that the report names when left out.
    #[arg(long, value_name = "SCENE")]
    scene: Option<PathBuf>,
    /// Check against the report alone.
    #[arg(long, conflicts_with = "scene")]
    report_only: bool,
    /// Exit with 0 although something was open about the routes when they were exported.
    #[arg(long)]
    allow_findings: bool,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        file,
        scene,
        report_only,
        allow_findings,
    } = args;
    run(
        &file,
        scene.as_deref(),
        report_only,
        allow_findings,
        console,
    )
}

/// Compares, and says what does not fit.
pub fn run(
    file: &Path,
    scene: Option<&Path>,
    report_only: bool,
    allow_findings: bool,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    console.progress("comparing");
    let found = verify(file, scene, report_only);
    console.end_progress();
    let found = found?;
    for note in &found.notes {
        console.warn(note);
    }
    for problem in &found.problems {
        console.warn(problem);
    }
    for open in &found.open_findings {
        console.warn(format_args!("open when it was exported: {}", open.message));
    }
    let with = match (&found.scene, report_only) {
        (Some(scene), _) => format!("its check report and {}", scene.display()),
        (None, _) => "its check report".to_owned(),
    };
    console.line(if found.genuine {
        format!("{} fits {with}", file.display())
    } else {
        format!("{} does not fit {with}", file.display())
    })?;
    let good = found.genuine && found.open_findings.is_empty();
    let fine = good || (found.genuine && allow_findings);
    console.document(json!({ "good": good, "verify": found }))?;
    Ok(if fine {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}
