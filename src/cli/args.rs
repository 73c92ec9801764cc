//! What can be typed.

use clap::{Parser, Subcommand};

use super::{
    apply, bench, check, demo, export, extract, fit_length, flexibilise, import, import_routes,
    lengths, open, pack, replay, scene_picture, simulate, solve, study, update, verify,
};
use crate::mesh::import::{Unit, UpAxis};
use crate::scene::PartRole;

/// Routes cables, hoses and wiring harnesses. Without a verb it opens the window.
///
/// Exit codes: 0 good; 1 there is a result, but it is not good (not converged, handle blocked, open findings);
/// 2 bad input, or a file that cannot be read or written.
#[derive(Debug, Parser)]
#[command(name = "loomwright", version, max_term_width = 100)]
pub struct Args {
    /// Print one JSON document for machines instead of text.
    #[arg(long, global = true)]
    pub json: bool,
    /// What to do.
    #[command(subcommand)]
    pub verb: Option<Verb>,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Open the window with scenes or meshes; with a demo scene when there are none.
    Open(open::Args),
    /// Read parts (STEP, STL, OBJ, PLY, glTF, 3MF, VRML, Open Inventor), report them, and make a scene of them.
    Import(import::Args),
    /// Read curves and point lists (STEP, VDA-FS, IGES, DXF, .ibl, .sldcrv, .dat, CSV, JSON) and make cables of them.
    ImportRoutes(import_routes::Args),
    /// Find the centerlines of a tessellated cable, hose or harness.
    Extract(extract::Args),
    /// Make a part of a scene flexible: all of it, some of its branches, or the stretch between two points.
    Flexibilise(flexibilise::Args),
    /// Play edits of a scene, one JSON command a line, and save it. Solves nothing.
    Apply(apply::Args),
    /// Write a scene with all its meshes in one file, for mailing.
    Pack(pack::Args),
    /// Find the equilibrium of all cables of a scene.
    Solve(solve::Args),
    /// Judge a scene: bend radius, overlaps, what is not in equilibrium and so on. Solves it first, and saves nothing.
    ///
    /// Exit code 1 when there are errors; warnings alone are 0.
    Check(check::Args),
    /// Find the shortest length with which each cable meets its limits (bend radius, clearance, pull), rounded up.
    ///
    /// Exit code 1 when a cable has no such length.
    FitLength(fit_length::Args),
    /// Ask what a movement needs of the cables.
    Study(study::Args),
    /// Let a scene move over time, from rest: parts and handles by a path, cables and what hangs on them by inertia.
    ///
    /// Exit code 1 when something was held short of its path, or a time step did not converge.
    Simulate(simulate::Args),
    /// The book of lengths: of each branch and wire without load, under load, its allowances, and what is cut.
    Lengths(lengths::Args),
    /// Take a new revision of the parts of a scene: what moved takes its fixings along, what changed marks them.
    ///
    /// Says what is the same, moved, changed, new or gone, and what that does to lengths, bend radii and clearances.
    /// Exit code 1 when the updated scene has errors.
    Update(update::Args),
    /// Play commands frame by frame, and report each frame and a digest of all states.
    Replay(replay::Args),
    /// Export the routes of cables to CAD, read the file back and check it.
    Export(export::Args),
    /// Check an exported file against its check report and its scene: was anything changed since?
    Verify(verify::Args),
    /// Write a built-in scene and its meshes into a directory.
    Demo(demo::Args),
    /// Draw a scene into a PNG file, without a window or a display.
    Picture(scene_picture::Args),
    /// Time the solver on the standard scenes.
    Bench(bench::Args),
}

pub fn point(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
    let point: Option<[f64; 3]> = numbers.ok().and_then(|n| n.try_into().ok());
    point.ok_or_else(|| {
        "give three numbers with commas between them, such as 350,-600,300".to_owned()
    })
}

pub fn branch(text: &str) -> Result<usize, String> {
    crate::scene::branch_number(text)
}

pub fn role(text: &str) -> Result<PartRole, String> {
    let value = serde_json::Value::String(text.to_owned());
    serde_json::from_value(value)
        .map_err(|_| "give harness, obstacle, connector or background".to_owned())
}

pub fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text
        .parse()
        .ok()
        .filter(|s: &f64| *s > 0.0 && s.is_finite());
    seconds.ok_or_else(|| "give a number of seconds above 0".to_owned())
}

pub fn demo_name(word: &str) -> Result<String, String> {
    use crate::scene::demo;
    let known = [&demo::names()[..], &demo::figures()].concat();
    let found = known.contains(&word).then(|| word.to_owned());
    found.ok_or_else(|| format!("choose one of {}", known.join(", ")))
}

pub fn unit(word: &str) -> Result<Unit, String> {
    Unit::named(word).ok_or_else(|| "choose one of mm, cm, m, in, ft, um".to_owned())
}

pub fn chord_error(word: &str) -> Result<f64, String> {
    let value: Option<f64> = word.parse().ok();
    let value = value.filter(|e| (0.001..=100.0).contains(e));
    value.ok_or_else(|| "choose 0.001 to 100 mm".to_owned())
}

pub fn facet_angle(word: &str) -> Result<f64, String> {
    let value: Option<f64> = word.parse().ok();
    let value = value.filter(|a| (1.0..=60.0).contains(a));
    value.ok_or_else(|| "choose 1 to 60 degrees".to_owned())
}

pub fn up_axis(word: &str) -> Result<UpAxis, String> {
    match word {
        "y" | "Y" => Ok(UpAxis::Y),
        "z" | "Z" => Ok(UpAxis::Z),
        _ => Err("choose y or z".to_owned()),
    }
}
