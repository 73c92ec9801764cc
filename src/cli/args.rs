//! What can be typed.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Parser, Subcommand};

use crate::exchange::Format;
use crate::mesh::import::{Unit, UpAxis};
use crate::scene::{PartRole, demo};

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
    Open {
        /// Scene files or meshes.
        files: Vec<PathBuf>,
        /// Open this demo scene: engine-bay, drag, pocket, sheet, box or cylinder.
        #[arg(long, value_name = "NAME", conflicts_with = "files", value_parser = demo_name)]
        demo: Option<String>,
    },
    /// Read parts (STEP, STL, OBJ, PLY, glTF, 3MF, VRML, Open Inventor), report them, and make a scene of them.
    Import {
        /// The mesh files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Unit of the files, whatever they say: mm, cm, m, in, ft or um.
        #[arg(long, value_name = "UNIT", value_parser = unit)]
        units: Option<Unit>,
        /// Axis of the files that points up, whatever they say: y or z.
        #[arg(long, value_name = "AXIS", value_parser = up_axis)]
        up: Option<UpAxis>,
        /// Make a part of every connected piece.
        #[arg(long)]
        split: bool,
        /// Largest distance between an exact surface (STEP) and its triangles, mm; 0.2 when left out.
        #[arg(long, value_name = "MM", value_parser = chord_error)]
        chord_error: Option<f64>,
        /// Largest angle between neighbouring triangles of an exact surface (STEP), degrees; 15 when left out.
        #[arg(long, value_name = "DEGREES", value_parser = facet_angle)]
        angle: Option<f64>,
        /// Write the parts as a scene.
        #[arg(short, long, value_name = "SCENE")]
        output: Option<PathBuf>,
    },
    /// Read curves and point lists (STEP, VDA-FS, IGES, DXF, .ibl, .sldcrv, .dat, CSV, JSON) and make cables of them.
    ImportRoutes {
        /// The files.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Add the cables to this scene; to an empty one when left out.
        #[arg(long, value_name = "SCENE")]
        scene: Option<PathBuf>,
        /// Unit of files that state none; mm when left out.
        #[arg(long, value_parser = ["mm", "m", "in"])]
        unit: Option<String>,
        /// Which axis of the files points up; z when left out.
        #[arg(long, value_parser = ["z-up", "y-up"])]
        axes: Option<String>,
        /// Outer diameter of routes whose file states none, mm; 8 when left out.
        #[arg(long, value_name = "MM", allow_hyphen_values = true)]
        diameter: Option<f64>,
        /// Material of the cables, from the scene or the library.
        #[arg(long, value_name = "NAME")]
        material: Option<String>,
        /// The route is the shape without load, as of a moulded hose; else cables are straight without load.
        #[arg(long)]
        keep_shape: bool,
        /// Where to save the scene; may be SCENE itself.
        #[arg(short, long, value_name = "SCENE")]
        output: PathBuf,
    },
    /// Find the centerlines of a tessellated cable, hose or harness.
    Extract {
        /// The mesh file; all its parts are taken together.
        mesh: PathBuf,
        /// Unit of the file, whatever it says itself: mm, cm, m, in, ft or um.
        #[arg(long, value_parser = unit, value_name = "U")]
        units: Option<Unit>,
        /// Write nodes and branches as JSON.
        #[arg(short, long, value_name = "OUT.json")]
        output: Option<PathBuf>,
        /// Draw the mesh and the lines that were found.
        #[arg(long, value_name = "OUT.svg")]
        picture: Option<PathBuf>,
        /// Give up after that many seconds.
        #[arg(long, value_name = "SECONDS", value_parser = seconds)]
        time_limit: Option<f64>,
    },
    /// Make a part of a scene flexible: all of it, some of its branches, or the stretch between two points.
    Flexibilise {
        /// The scene file.
        scene: PathBuf,
        /// A part; may be left out when the scene has only one, and given several times for a harness in several parts.
        #[arg(long, value_name = "NAME")]
        part: Vec<String>,
        /// All parts of a group of the tree, by its name or the names from the outermost, with slashes.
        #[arg(long, value_name = "NAME")]
        group: Vec<String>,
        /// All parts of a role.
        #[arg(long, value_name = "ROLE", value_parser = role)]
        role: Option<PartRole>,
        /// All parts of the scene.
        #[arg(long, conflicts_with_all = ["part", "group", "role"])]
        all: bool,
        /// What the cables are like without load: moulded to the imported shape, such that it is the equilibrium, or
        /// straight.
        #[arg(long, value_parser = ["preformed", "as-designed", "straight"], default_value = "preformed")]
        rest: String,
        /// A branch as extract counts them, from 1, or its name, such as B1; may be given several times.
        #[arg(long, value_name = "N", value_parser = branch, conflicts_with_all = ["from", "to"])]
        branch: Vec<usize>,
        /// A point on the surface where the flexible stretch begins, mm.
        #[arg(long, value_name = "X,Y,Z", value_parser = point, requires = "to", allow_hyphen_values = true)]
        from: Option<[f64; 3]>,
        /// A point on the surface where it ends, mm.
        #[arg(long, value_name = "X,Y,Z", value_parser = point, requires = "from", allow_hyphen_values = true)]
        to: Option<[f64; 3]>,
        /// A file of materials in the form of assets/materials.toml; they are kept in the scene.
        #[arg(long, value_name = "FILE.toml")]
        materials: Option<PathBuf>,
        /// Material of the new cables, from the scene or the library.
        #[arg(long, value_name = "NAME")]
        material: Option<String>,
        /// Give up looking for centerlines after that many seconds.
        #[arg(long, value_name = "SECONDS", value_parser = seconds)]
        time_limit: Option<f64>,
        /// Where to save the scene; may be SCENE itself.
        #[arg(short, long, value_name = "SCENE")]
        output: PathBuf,
    },
    /// Play edits of a scene, one JSON command a line, and save it. Solves nothing.
    Apply {
        /// The scene file.
        scene: PathBuf,
        /// Commands, such as {"command":"set_length","cable":"cable","length":950}.
        #[arg(value_name = "COMMANDS.jsonl")]
        commands: PathBuf,
        /// Where to save the edited scene; may be SCENE itself.
        #[arg(short, long, value_name = "SCENE")]
        output: PathBuf,
    },
    /// Write a scene with all its meshes in one file, for mailing.
    Pack {
        /// The scene file.
        scene: PathBuf,
        /// The file to write.
        #[arg(short, long, value_name = "SCENE")]
        output: PathBuf,
    },
    /// Find the equilibrium of all cables of a scene.
    Solve {
        /// The scene file.
        scene: PathBuf,
        /// Save the solved scene; may be SCENE itself.
        #[arg(short, long, value_name = "SCENE")]
        output: Option<PathBuf>,
        /// Write points, lengths, forces, moments, twist and contacts of each cable as JSON.
        #[arg(long, value_name = "OUT.json")]
        result: Option<PathBuf>,
        /// Also solve on a finer grid, and bound the error of shape, forces and moments.
        #[arg(long)]
        verify: bool,
        /// As --verify, and another model solves each cable too: der for discrete elastic rods.
        #[arg(long, value_name = "MODEL", value_parser = ["der"])]
        model: Option<String>,
        /// Then solve without friction, and say how far each cable moved: its route without the way it was dragged.
        #[arg(long)]
        settle: bool,
        /// List the smallest clearance to each part and other cable; with a number those of at most so many mm.
        #[arg(
            long,
            value_name = "MM",
            num_args = 0..=1,
            require_equals = true,
            default_missing_value = "inf"
        )]
        clearance: Option<f64>,
    },
    /// Judge a scene: bend radius, overlaps, what is not in equilibrium and so on. Solves it first, and saves nothing.
    ///
    /// Exit code 1 when there are errors; warnings alone are 0.
    Check {
        /// The scene file.
        scene: PathBuf,
    },
    /// Find the shortest length with which each cable meets its limits (bend radius, clearance, pull), rounded up.
    ///
    /// Exit code 1 when a cable has no such length.
    FitLength {
        /// The scene file.
        scene: PathBuf,
        /// Only this cable.
        #[arg(long, value_name = "NAME")]
        cable: Option<String>,
        /// Round up to multiples of so many mm.
        #[arg(long, value_name = "MM", default_value_t = crate::scene::shortest::ROUND_TO, allow_hyphen_values = true)]
        round: f64,
        /// Save the scene with the proposed lengths; may be SCENE itself.
        #[arg(short, long, value_name = "SCENE")]
        output: Option<PathBuf>,
    },
    /// Ask what a movement needs of the cables.
    Study {
        /// What is studied.
        #[command(subcommand)]
        what: StudyVerb,
    },
    /// Let a scene move over time, from rest: parts and handles by a path, cables and what hangs on them by inertia.
    ///
    /// Exit code 1 when something was held short of its way, or a step of time did not converge.
    Simulate {
        /// The scene file; it is brought to rest first.
        scene: PathBuf,
        /// How long, s.
        #[arg(long, value_name = "S", allow_hyphen_values = true)]
        seconds: f64,
        /// Time between two samples, s.
        #[arg(
            long,
            value_name = "S",
            default_value_t = 0.02,
            allow_hyphen_values = true
        )]
        every: f64,
        /// Length of a step of time, s; with --adaptive of the longest one.
        #[arg(
            long,
            value_name = "S",
            default_value_t = 0.005,
            allow_hyphen_values = true
        )]
        step: f64,
        /// Shorter steps where velocities change: by so many mm over a step.
        #[arg(long, value_name = "MM", allow_hyphen_values = true)]
        adaptive: Option<f64>,
        /// Order of the time steps: 1 damps what is too fast for them, 2 keeps energy.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=2))]
        order: u8,
        /// Drag on all mass, over mass and velocity, 1/s.
        #[arg(
            long,
            value_name = "X",
            default_value_t = 0.5,
            allow_hyphen_values = true
        )]
        drag: f64,
        /// Damping of bending and twist, s; that of the materials when left out.
        #[arg(long, value_name = "S", allow_hyphen_values = true)]
        damping: Option<f64>,
        /// Key poses with times, and sines, of parts and handles: see docs/cli.md.
        #[arg(long, value_name = "FILE")]
        path: Option<PathBuf>,
        /// The part that the path moves; given several times they move alike. Those of the path when left out.
        #[arg(long = "part", value_name = "NAME", requires = "path")]
        parts: Vec<String>,
        /// Edits that set the scene in motion, the lines of apply: a handle deleted, a body hung on.
        #[arg(long, value_name = "COMMANDS.jsonl")]
        commands: Option<PathBuf>,
        /// Write every sample, one JSON line each.
        #[arg(long, value_name = "OUT.jsonl")]
        states: Option<PathBuf>,
        /// Write the values of every cable at every sample as CSV.
        #[arg(long, value_name = "OUT.csv")]
        table: Option<PathBuf>,
        /// Write the room that each cable sweeps: .stl or .glb.
        #[arg(long, value_name = "FILE")]
        envelope: Option<PathBuf>,
        /// Save the scene as it is at the end, not at rest.
        #[arg(short, long, value_name = "SCENE")]
        output: Option<PathBuf>,
    },
    /// The book of lengths: of each branch and wire without load, under load, its allowances, and what is cut.
    Lengths {
        /// The scene file.
        scene: PathBuf,
        /// As a table for spreadsheets.
        #[arg(long)]
        csv: bool,
    },
    /// Take a new revision of the parts of a scene: what moved takes its fixings along, what changed marks them.
    ///
    /// Says what is the same, moved, changed, new or gone, and what that does to lengths, bend radii and clearances.
    /// Exit code 1 when the updated scene has errors.
    Update {
        /// The scene file.
        scene: PathBuf,
        /// The mesh file with the new revision.
        mesh: PathBuf,
        /// Leave parts out that are new in the file.
        #[arg(long)]
        ignore_new: bool,
        /// Delete parts that are gone from the file.
        #[arg(long)]
        delete_gone: bool,
        /// Save the updated and solved scene; may be SCENE itself.
        #[arg(short, long, value_name = "SCENE")]
        output: Option<PathBuf>,
    },
    /// Play commands frame by frame, and report each frame and a digest of all states.
    Replay {
        /// The scene file.
        scene: PathBuf,
        /// The lines of apply, and marks {"frame":1}: each mark solves one step.
        script: PathBuf,
        /// Write every accepted iterate, one JSON line each.
        #[arg(long, value_name = "FILE.jsonl")]
        trace: Option<PathBuf>,
        /// Write the state at the end of each frame, one JSON line each.
        #[arg(long, value_name = "FILE.jsonl")]
        states: Option<PathBuf>,
    },
    /// Export the routes of cables to CAD, read the file back and check it.
    Export {
        /// The scene file.
        scene: PathBuf,
        /// What to write; by the ending of the file when left out (.stp and .dxf are curves).
        #[arg(long, value_name = "F", value_parser = PossibleValuesParser::new(Format::ALL.map(Format::key)))]
        format: Option<String>,
        /// The file; formats that hold one curve write one file per route beside it.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Only the cable or segment of that name; may be given several times.
        #[arg(long = "cable", value_name = "NAME")]
        cables: Vec<String>,
        /// Unit of the file; that of the imported parts when left out.
        #[arg(long, value_parser = ["mm", "m", "in"])]
        unit: Option<String>,
        /// Which axis of the file points up; as the imported parts have it when left out.
        #[arg(long, value_parser = ["z-up", "y-up"])]
        axes: Option<String>,
        /// Largest distance of chords and facets from the curve, mm; 0.01 for points and 0.05 for meshes when left out.
        #[arg(long, value_name = "MM")]
        chord_error: Option<f64>,
        /// Write no check report (FILE.certificate.json) beside the file.
        #[arg(long)]
        no_certificate: bool,
        /// The report is always written: taken for the sake of older scripts.
        #[arg(long, hide = true, conflicts_with = "no_certificate")]
        certificate: bool,
        /// Exit with 0 although something is open about the routes (too short, inside a part, bent too sharply).
        #[arg(long)]
        allow_findings: bool,
        /// The flexible stretches of a harness alone, not whole segments from node to node.
        #[arg(long)]
        flexible_only: bool,
        /// What curves are made of: one smooth spline, or straight lines and circular arcs (step, iges, json).
        #[arg(long, value_parser = ["spline", "lines-arcs"], default_value = "spline")]
        form: String,
        /// With --form lines-arcs: largest distance from the curve, mm; 0.1 when left out.
        #[arg(long, value_name = "MM", allow_hyphen_values = true)]
        tolerance: Option<f64>,
        /// With --form lines-arcs: smallest radius of an arc, mm; any when left out.
        #[arg(long, value_name = "MM", allow_hyphen_values = true)]
        min_radius: Option<f64>,
    },
    /// Check an exported file against its check report and its scene: was anything changed since?
    Verify {
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
    },
    /// Write a built-in scene and its meshes into a directory.
    Demo {
        /// Which one.
        #[arg(value_parser = PossibleValuesParser::new(demo::names()))]
        name: String,
        /// The directory; made when it is not there.
        #[arg(short = 'o', long = "output", value_name = "DIR")]
        directory: PathBuf,
    },
    /// Draw a scene into a PNG file, without a window or a display.
    Picture {
        /// The scene file.
        scene: PathBuf,
        /// The picture.
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Its size in pixels.
        #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1920x1080", value_parser = super::scene_picture::size)]
        size: [u32; 2],
        /// A view that is kept in the scene, or front, top and so on; the first kept one, or isometric, when left out.
        #[arg(long, value_name = "NAME")]
        view: Option<String>,
        /// On a dark background.
        #[arg(long)]
        dark: bool,
    },
    /// Time the solver on the standard scenes.
    Bench {
        /// Only the scene of that name.
        #[arg(long, value_name = "NAME")]
        scene: Option<String>,
        /// Rounds through the scenes; of each step the least time counts.
        #[arg(long, value_name = "N", default_value = "5")]
        repeat: NonZeroUsize,
        /// Measure the window instead: redraws while the view turns and while a handle is dragged.
        #[arg(long, conflicts_with = "scene")]
        window: bool,
        /// With --window: drag for so many minutes, and say what that does to the memory.
        #[arg(long, value_name = "N", requires = "window")]
        minutes: Option<f64>,
        /// With --window: the scene or mesh to show; the engine bay when there is none.
        #[arg(requires = "window")]
        file: Option<PathBuf>,
    },
}

/// What can be studied.
#[derive(Debug, Subcommand)]
pub enum StudyVerb {
    /// Take parts along a path, or to the poses of a table, with their cables: what limits it, and what it needs.
    ///
    /// Exit code 1 when the path is not free.
    Path {
        /// The scene file.
        scene: PathBuf,
        /// Key poses and steps as JSON, or key poses as CSV: see docs/cli.md.
        path: PathBuf,
        /// The part that moves; given several times they move as one. Those of the path when left out.
        #[arg(long = "part", value_name = "NAME")]
        parts: Vec<String>,
        /// Way between two samples, mm.
        #[arg(long, value_name = "MM", default_value_t = crate::scene::study::STEP, allow_hyphen_values = true)]
        step: f64,
        /// Write the values of every cable at every sample as CSV.
        #[arg(long, value_name = "OUT.csv")]
        table: Option<PathBuf>,
        /// Write the room that each cable sweeps: .stl or .glb.
        #[arg(long, value_name = "FILE")]
        envelope: Option<PathBuf>,
        /// Save the scene with the lengths that the path needs; may be SCENE itself.
        #[arg(short, long, value_name = "SCENE")]
        output: Option<PathBuf>,
    },
}

fn point(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|n| n.trim().parse()).collect();
    let point: Option<[f64; 3]> = numbers.ok().and_then(|n| n.try_into().ok());
    point.ok_or_else(|| {
        "give three numbers with commas between them, such as 350,-600,300".to_owned()
    })
}

fn branch(text: &str) -> Result<usize, String> {
    crate::scene::branch_number(text)
}

fn role(text: &str) -> Result<PartRole, String> {
    let value = serde_json::Value::String(text.to_owned());
    serde_json::from_value(value)
        .map_err(|_| "give harness, obstacle, connector or background".to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text
        .parse()
        .ok()
        .filter(|s: &f64| *s > 0.0 && s.is_finite());
    seconds.ok_or_else(|| "give a number of seconds above 0".to_owned())
}

fn demo_name(word: &str) -> Result<String, String> {
    let known = crate::scene::demo::names();
    let found = known.contains(&word).then(|| word.to_owned());
    found.ok_or_else(|| format!("choose one of {}", known.join(", ")))
}

fn unit(word: &str) -> Result<Unit, String> {
    Unit::named(word).ok_or_else(|| "choose one of mm, cm, m, in, ft, um".to_owned())
}

fn chord_error(word: &str) -> Result<f64, String> {
    let value: Option<f64> = word.parse().ok();
    let value = value.filter(|e| (0.001..=100.0).contains(e));
    value.ok_or_else(|| "choose 0.001 to 100 mm".to_owned())
}

fn facet_angle(word: &str) -> Result<f64, String> {
    let value: Option<f64> = word.parse().ok();
    let value = value.filter(|a| (1.0..=60.0).contains(a));
    value.ok_or_else(|| "choose 1 to 60 degrees".to_owned())
}

fn up_axis(word: &str) -> Result<UpAxis, String> {
    match word {
        "y" | "Y" => Ok(UpAxis::Y),
        "z" | "Z" => Ok(UpAxis::Z),
        _ => Err("choose y or z".to_owned()),
    }
}
