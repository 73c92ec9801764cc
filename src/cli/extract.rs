//! `extract`: the centerline graph of a harness mesh.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;
use serde_json::{Value, json};

use super::Outcome;
use super::args;
use super::console::Console;
use super::outputs::Files;
use super::picture;
use crate::centerline::{CenterlineGraph, ComponentKind, ExtractError, Settings, Warning, extract};
use crate::geom::Vec3;
use crate::mesh::import::{ImportOptions, Importer, NamedMesh, Unit};
use crate::mesh::{Axis, TriMesh};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The mesh file; all its parts are taken together.
    mesh: PathBuf,
    /// Unit of the file, whatever it says itself: mm, cm, m, in, ft or um.
    #[arg(long, value_parser = args::unit, value_name = "U")]
    units: Option<Unit>,
    /// Write nodes and branches as JSON.
    #[arg(short, long, value_name = "OUT.json")]
    output: Option<PathBuf>,
    /// Draw the mesh and the lines that were found.
    #[arg(long, value_name = "OUT.svg")]
    picture: Option<PathBuf>,
    /// Give up after that many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = args::seconds)]
    time_limit: Option<f64>,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        mesh,
        units,
        output,
        picture,
        time_limit,
    } = args;
    let written = Written {
        graph: output.as_deref(),
        picture: picture.as_deref(),
    };
    run(&mesh, units, time_limit, &written, console)
}

/// With a smaller part of the surface the mesh as a whole is no harness.
const MOSTLY_CABLE: f64 = 0.5;
/// Pieces without a cable that are told one by one.
const MOST_TOLD: usize = 12;

/// Where results go, besides the console.
pub struct Written<'a> {
    pub graph: Option<&'a Path>,
    pub picture: Option<&'a Path>,
}

/// Reads the mesh, extracts, reports, and writes the graph and the picture when they are asked for.
pub fn run(
    path: &Path,
    units: Option<Unit>,
    time_limit: Option<f64>,
    written: &Written,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    Files::default()
        .input("the mesh", path)
        .output("the graph", written.graph)
        .output("the picture", written.picture)
        .check()?;
    console.progress(format_args!("reading {}", path.display()));
    let options = ImportOptions {
        units,
        ..ImportOptions::default()
    };
    let read = Importer {
        options,
        ..Importer::default()
    }
    .file(path);
    console.end_progress();
    let imported = read?;
    for warning in &imported.warnings {
        let text = format!("{warning}: {}", path.display());
        console.warn_at(&text, vec![entry("import", None, None, &text)]);
    }
    let parts = imported.parts;
    let mesh = merged(&parts).with_context(|| format!("cannot use {}", path.display()))?;
    let shown = &*console;
    let started = Instant::now();
    let progress = |done: f64| {
        shown.progress(format_args!("extracting, {:.0} %", 100.0 * done));
        is_in_time(started, time_limit)
    };
    let extracted = extract(&mesh, &Settings::default(), &progress);
    console.end_progress();
    let graph = match extracted {
        Ok(graph) => graph,
        Err(ExtractError::NoCable {
            reason,
            n_components,
        }) => return no_cable(path, &parts, reason, n_components, console),
        Err(ExtractError::Cancelled) => {
            let text = out_of_time(time_limit);
            console.line(format_args!("{text}: {}", path.display()))?;
            console.warn_at(&text, vec![entry("time-limit", None, None, &text)]);
            console.document(json!({ "units": "mm", "nodes": [], "branches": [] }))?;
            return Ok(Outcome::NotGood);
        }
    };
    let told = told(&graph, &mesh, &parts);
    let all: Vec<Value> = told
        .iter()
        .flat_map(|(_, entries)| entries.clone())
        .collect();
    for (text, entries) in told {
        console.warn_at(text, entries);
    }
    let output = written.graph;
    if let Some(picture) = written.picture {
        std::fs::write(picture, picture::svg(&graph, &mesh))
            .with_context(|| format!("cannot write to {}", picture.display()))?;
    }
    if let Some(output) = output {
        let mut document = document(&graph);
        document["warnings"] = all.into();
        let text = format!("{document}\n");
        std::fs::write(output, text)
            .with_context(|| format!("cannot write to {}", output.display()))?;
    }
    let share = cable_share(&graph);
    if share < MOSTLY_CABLE {
        let text = format!(
            "only {:.0} % of the surface is of cables: most of {} is something else",
            100.0 * share,
            path.display()
        );
        console.warn_at(&text, vec![entry("mostly-other", None, None, &text)]);
    }
    let names = part_of_component(&graph, &mesh, &parts);
    show(path, &graph, &names, output, console)?;
    console.document(document(&graph))?;
    if share < MOSTLY_CABLE {
        return Ok(Outcome::NotGood);
    }
    Ok(Outcome::Good)
}

fn no_cable(
    path: &Path,
    parts: &[NamedMesh],
    reason: impl std::fmt::Display,
    n_components: usize,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let what = match parts {
        [only] => format!("part \"{}\"", only.name),
        several => format!("any of {} parts", several.len()),
    };
    let pieces = match n_components {
        1 => String::new(),
        n => format!(" (largest of {n} pieces)"),
    };
    let text = format!("no cable found in {what}: {reason}{pieces}");
    console.line(format_args!("{text}: {}", path.display()))?;
    console.warn_at(&text, vec![entry("no-cable", None, None, &text)]);
    console.document(json!({ "units": "mm", "nodes": [], "branches": [] }))?;
    Ok(Outcome::NotGood)
}

/// Whether there is time left.
pub fn is_in_time(started: Instant, limit: Option<f64>) -> bool {
    limit.is_none_or(|limit| started.elapsed().as_secs_f64() < limit)
}

/// What is said when there is none.
pub fn out_of_time(limit: Option<f64>) -> String {
    match limit {
        Some(limit) => format!("given up after {limit} s, as --time-limit asks for"),
        None => ExtractError::Cancelled.to_string(),
    }
}

/// A warning as programs read it: once for each of its places, so that every wrong place has one near.
pub fn entries(graph: &CenterlineGraph, warning: &Warning, message: &str) -> Vec<Value> {
    let places = graph.places(warning);
    if places.is_empty() {
        return vec![entry(warning.code(), None, None, message)];
    }
    let at = |p: &Vec3| {
        let branch = graph.branch_at(warning, p);
        entry(warning.code(), Some(p), branch, message)
    };
    places.iter().map(at).collect()
}

/// Branches are counted from 1.
fn entry(code: &str, position: Option<&Vec3>, branch: Option<usize>, message: &str) -> Value {
    json!({
        "code": code,
        "position": position.map(Vec3::as_slice),
        "branch": branch.map(|b| b + 1),
        "message": message,
    })
}

/// The part of the surface that is of cables.
fn cable_share(graph: &CenterlineGraph) -> f64 {
    let is_cable = |k: &ComponentKind| !matches!(k, ComponentKind::Rejected(_));
    let area = |only_cables: bool| -> f64 {
        let counted = graph.components.iter();
        counted
            .filter(|c| !only_cables || is_cable(&c.kind))
            .map(|c| c.area)
            .sum()
    };
    area(true) / area(false)
}

/// One mesh of all parts: a harness may be in several bodies.
fn merged(parts: &[NamedMesh]) -> Result<TriMesh, crate::mesh::MeshError> {
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut triangles = Vec::new();
    for part in parts {
        let first = vertices.len() as u32;
        vertices.extend(part.mesh.vertices());
        let moved = part.mesh.triangles().iter().map(|t| t.map(|v| v + first));
        triangles.extend(moved);
    }
    let axes: Vec<Axis> = parts.iter().flat_map(|p| p.mesh.axes().to_vec()).collect();
    Ok(TriMesh::new(vertices, triangles)?.with_axes(axes))
}

/// The warnings in words, with their entries; pieces without a cable by the name of their part.
fn told(graph: &CenterlineGraph, mesh: &TriMesh, parts: &[NamedMesh]) -> Vec<(String, Vec<Value>)> {
    let mut texts = Vec::new();
    let mut n_no_cable = 0;
    let names = part_of_component(graph, mesh, parts);
    for warning in &graph.warnings {
        let text = match warning {
            Warning::NoCable { component, reason } => {
                n_no_cable += 1;
                if n_no_cable > MOST_TOLD {
                    continue;
                }
                match names.get(*component).copied().flatten() {
                    Some(name) => format!("no cable found in part \"{name}\": {reason}"),
                    None => warning.to_string(),
                }
            }
            _ => warning.to_string(),
        };
        let entries = entries(graph, warning, &text);
        texts.push((text, entries));
    }
    if n_no_cable > MOST_TOLD {
        let text = format!(
            "no cable found in {} further pieces",
            n_no_cable - MOST_TOLD
        );
        let entries = vec![entry("no-cable", None, None, &text)];
        texts.push((text, entries));
    }
    texts
}

/// The name of the part in which each component lies; none when the file has only one.
fn part_of_component<'a>(
    graph: &CenterlineGraph,
    mesh: &TriMesh,
    parts: &'a [NamedMesh],
) -> Vec<Option<&'a str>> {
    let mut names = vec![None; graph.components.len()];
    if parts.len() < 2 {
        return names;
    }
    let mut triangle = 0;
    for part in parts {
        for _ in part.mesh.triangles() {
            if let Some(component) = graph.component_of_triangle[triangle] {
                names[component as usize].get_or_insert(part.name.as_str());
            }
            triangle += 1;
        }
    }
    debug_assert_eq!(triangle, mesh.triangles().len());
    names
}

fn show(
    path: &Path,
    graph: &CenterlineGraph,
    names: &[Option<&str>],
    output: Option<&Path>,
    console: &Console,
) -> anyhow::Result<()> {
    let is_cable = |k: &ComponentKind| matches!(k, ComponentKind::Cable { .. });
    let n_cables = graph
        .components
        .iter()
        .filter(|c| is_cable(&c.kind))
        .count();
    console.line(format_args!(
        "{}: {} branches, {} nodes, in {n_cables} of {} pieces",
        path.display(),
        graph.branches.len(),
        graph.nodes.len(),
        graph.components.len(),
    ))?;
    for (i, branch) in graph.branches.iter().enumerate() {
        let radii = branch.curve.iter().map(|p| p.radius);
        let low = radii.clone().fold(f64::INFINITY, f64::min);
        let high = radii.fold(0.0, f64::max);
        let kind = if branch.closed { ", closed" } else { "" };
        let mut of: Vec<&str> = graph
            .components
            .iter()
            .zip(names)
            .filter(|(c, _)| matches!(&c.kind, ComponentKind::Cable { branches } if branches.contains(&i)))
            .filter_map(|(_, name)| *name)
            .collect();
        of.dedup();
        let part = match of[..] {
            [] => String::new(),
            _ => format!(", in {}", of.join(" and ")),
        };
        console.line(format_args!(
            "  branch {}: node {} to {}, {:.2} mm long, radius {low:.2} to {high:.2} mm, {} points{kind}{part}",
            i + 1,
            branch.start,
            branch.end,
            branch.length(),
            branch.curve.len(),
        ))?;
    }
    if let Some(output) = output {
        console.line(format_args!("graph saved to {}", output.display()))?;
    }
    Ok(())
}

fn document(graph: &CenterlineGraph) -> Value {
    let nodes: Vec<Value> = graph
        .nodes
        .iter()
        .enumerate()
        .map(|(id, node)| json!({ "id": id, "position": node.position.as_slice() }))
        .collect();
    let branches: Vec<Value> = graph
        .branches
        .iter()
        .enumerate()
        .map(|(i, b)| {
            let points: Vec<&[f64]> = b.curve.iter().map(|p| p.position.as_slice()).collect();
            json!({
                "name": format!("B{}", i + 1),
                "start": b.start,
                "end": b.end,
                "closed": b.closed,
                "length": b.length(),
                "points": points,
                "radii": b.curve.iter().map(|p| p.radius).collect::<Vec<_>>(),
                "confidence": b.curve.iter().map(|p| p.confidence).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({ "units": "mm", "nodes": nodes, "branches": branches })
}
