//! `export`: the routes of a scene to a CAD format, read back and checked.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context;
use serde_json::json;

use super::console::Console;
use super::outputs::Files;
use super::{Outcome, input};
use crate::exchange::check::counted;
use crate::exchange::{
    ArcLimits, Axes, ExportOptions, FileReport, Form, Format, LengthUnit, RouteOptions,
    SceneSource, Stamp, export, network_of, source_convention,
};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch that can be typed"
)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// What to write; by the ending of the file when left out (.stp and .dxf are curves).
    #[arg(long, value_name = "F", value_parser = clap::builder::PossibleValuesParser::new(Format::ALL.map(Format::key)))]
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
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        format,
        output,
        cables,
        unit,
        axes,
        chord_error,
        no_certificate,
        certificate: _,
        allow_findings,
        flexible_only,
        form,
        tolerance,
        min_radius,
    } = args;
    let switches = Switches {
        certificate: !no_certificate,
        flexible_only,
        allow_findings,
    };
    let choice = choice(
        format.as_deref(),
        &output,
        unit.as_deref(),
        axes.as_deref(),
        chord_error,
        &switches,
        self::form(&form, tolerance, min_radius)?,
    )?;
    run(&scene, &output, &cables, choice, console)
}

/// What is exported, and how.
pub struct Choice {
    format: Format,
    options: ExportOptions,
    routes: RouteOptions,
    allow_findings: bool,
}

/// What is switched on or off.
pub struct Switches {
    /// Write the check report beside the file.
    pub certificate: bool,
    /// Only the flexible stretches of a harness.
    pub flexible_only: bool,
    /// Open findings are no reason for exit code 1.
    pub allow_findings: bool,
}

/// The format and options that were typed.
pub fn choice(
    format: Option<&str>,
    output: &Path,
    unit: Option<&str>,
    axes: Option<&str>,
    chord_error: Option<f64>,
    switches: &Switches,
    form: Form,
) -> anyhow::Result<Choice> {
    let format = match format {
        Some(key) => {
            Format::of_key(key).with_context(|| format!("there is no format \"{key}\""))?
        }
        None => Format::of_path(output).with_context(|| {
            let known = Format::ALL.map(Format::key).join(", ");
            let name = output.display();
            format!("the name {name} does not tell the format: add --format with one of {known}")
        })?,
    };
    if let Some(error) = chord_error {
        anyhow::ensure!(
            error.is_finite() && error >= 1e-4,
            "the chord error must be at least 0.0001 mm, not {error}"
        );
    }
    let options = ExportOptions {
        unit: self::unit(unit),
        axes: self::axes(axes),
        chord_error,
        certificate: switches.certificate,
        form,
        ..ExportOptions::default()
    };
    Ok(Choice {
        format,
        options,
        routes: RouteOptions {
            flexible_only: switches.flexible_only,
            ..RouteOptions::default()
        },
        allow_findings: switches.allow_findings,
    })
}

/// The unit of that symbol.
pub fn unit(symbol: Option<&str>) -> Option<LengthUnit> {
    LengthUnit::ALL
        .into_iter()
        .find(|l| Some(l.symbol()) == symbol)
}

/// The axes of that word.
pub fn axes(word: Option<&str>) -> Option<Axes> {
    word.map(|a| if a == "y-up" { Axes::YUp } else { Axes::ZUp })
}

/// The form of curves that was typed; limits without lines and arcs make no sense.
pub fn form(
    word: &str,
    tolerance: Option<f64>,
    smallest_radius: Option<f64>,
) -> anyhow::Result<Form> {
    if word != "lines-arcs" {
        anyhow::ensure!(
            tolerance.is_none() && smallest_radius.is_none(),
            "--tolerance and --min-radius are for --form lines-arcs"
        );
        return Ok(Form::Spline);
    }
    let usual = ArcLimits::default();
    Ok(Form::LinesAndArcs(ArcLimits {
        tolerance: tolerance.unwrap_or(usual.tolerance),
        smallest_radius: smallest_radius.unwrap_or(usual.smallest_radius),
    }))
}

/// Solves, exports, prints what the check found.
pub fn run(
    scene_path: &Path,
    output: &Path,
    cables: &[String],
    Choice {
        format,
        mut options,
        routes,
        allow_findings,
    }: Choice,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let scene = input::scene(scene_path, console)?;
    Files::default()
        .input("the scene", scene_path)
        .meshes(&scene)
        .output("the export", Some(output))
        .check()?;
    options.source = source_convention(&scene);
    options.stamp = now();
    let flexible_only = routes.flexible_only;
    options.scene = Some(SceneSource::new(scene_path, true, flexible_only, output));
    console.progress("solving");
    let found = network_of(&scene, cables, &routes);
    console.end_progress();
    let report = export(&found?, format, output, &options)?;
    for file in &report.files {
        show(file, counted(format.carries(), options.form), console)?;
    }
    if report.is_good() {
        console.line(report.summary())?;
    } else {
        console.warn(report.summary());
    }
    let document = json!({
        "good": report.is_good(),
        "open_findings": report.n_findings(),
        "export": report,
    });
    console.document(document)?;
    let fine = report.is_good() || (allow_findings && report.is_geometry_good());
    Ok(if fine {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}

fn show(file: &FileReport, counted: &str, console: &mut Console) -> anyhow::Result<()> {
    for check in &file.routes {
        let name = match &check.name_in_file {
            Some(name) if *name != check.route => format!("{} (in the file {name})", check.route),
            _ => check.route.clone(),
        };
        let length = check
            .length_mm
            .map_or(String::new(), |l| format!("length {l:.4} mm, "));
        console.line(format_args!(
            "{name}: {length}cable {:.4} mm, deviation {:.4} mm, {} {counted}",
            check.cable_length_mm,
            check.deviation_mm + check.fit_deviation_mm,
            check.count,
        ))?;
        for problem in check.problems.iter().chain(&check.warnings) {
            console.warn(format_args!("{}: {problem}", check.route));
        }
    }
    for problem in &file.problems {
        console.warn(problem);
    }
    let size = file.bytes.div_ceil(1024);
    for open in &file.open_findings {
        console.warn(&open.message);
    }
    if file.geometry_good {
        console.line(format_args!(
            "File matches route, max. {:.3} mm: {} ({size} kB, {})",
            file.most_off_mm(),
            file.path.display(),
            file.convention.unit.symbol()
        ))?;
    } else {
        console.warn(format_args!(
            "check failed, kept as {}",
            file.path.display()
        ));
    }
    if let Some(certificate) = &file.certificate {
        console.line(format_args!("check report: {}", certificate.display()))?;
    }
    Ok(())
}

/// The time, or what SOURCE_DATE_EPOCH says for files that must be the same every time.
fn now() -> Stamp {
    let fixed = std::env::var("SOURCE_DATE_EPOCH")
        .ok()
        .and_then(|s| s.parse().ok());
    let clock = || {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |d| d.as_secs())
    };
    Stamp::from_unix(fixed.unwrap_or_else(clock))
}
