//! `extract`: the centerline graph of a harness mesh.

use std::path::Path;

use anyhow::Context;
use serde_json::{Value, json};

use super::Outcome;
use super::console::Console;
use super::picture;
use crate::centerline::{CenterlineGraph, ComponentKind, ExtractError, Settings, Warning, extract};
use crate::geom::Vec3;
use crate::mesh::TriMesh;
use crate::mesh::import::{ImportOptions, Importer, NamedMesh, Unit};

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
    written: &Written,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
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
        console.warn(format_args!("{warning}: {}", path.display()));
    }
    let parts = imported.parts;
    let mesh = merged(&parts).with_context(|| format!("cannot use {}", path.display()))?;
    let shown = &*console;
    let progress = |done: f64| {
        shown.progress(format_args!("extracting, {:.0} %", 100.0 * done));
        true
    };
    let extracted = extract(&mesh, &Settings::default(), &progress);
    console.end_progress();
    let graph = match extracted {
        Ok(graph) => graph,
        Err(ExtractError::NoCable {
            reason,
            n_components,
        }) => return no_cable(path, &parts, reason, n_components, console),
        Err(error) => return Err(error.into()),
    };
    for text in told(&graph, &mesh, &parts) {
        console.warn(text);
    }
    let output = written.graph;
    if let Some(picture) = written.picture {
        std::fs::write(picture, picture::svg(&graph, &mesh))
            .with_context(|| format!("cannot write to {}", picture.display()))?;
    }
    if let Some(output) = output {
        let mut document = document(&graph);
        document["warnings"] = told(&graph, &mesh, &parts).into();
        let text = format!("{document}\n");
        std::fs::write(output, text)
            .with_context(|| format!("cannot write to {}", output.display()))?;
    }
    let share = cable_share(&graph);
    if share < MOSTLY_CABLE {
        console.warn(format_args!(
            "only {:.0} % of the surface is of cables: most of {} is something else",
            100.0 * share,
            path.display()
        ));
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
    console.warn(text);
    console.document(json!({ "units": "mm", "nodes": [], "branches": [] }))?;
    Ok(Outcome::NotGood)
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
    TriMesh::new(vertices, triangles)
}

/// The warnings in words; pieces without a cable by the name of their part.
fn told(graph: &CenterlineGraph, mesh: &TriMesh, parts: &[NamedMesh]) -> Vec<String> {
    let mut texts = Vec::new();
    let mut n_no_cable = 0;
    let names = part_of_component(graph, mesh, parts);
    for warning in &graph.warnings {
        if let Warning::NoCable { component, reason } = warning {
            n_no_cable += 1;
            if n_no_cable <= MOST_TOLD {
                texts.push(match names.get(*component).copied().flatten() {
                    Some(name) => format!("no cable found in part \"{name}\": {reason}"),
                    None => warning.to_string(),
                });
            }
        } else {
            texts.push(warning.to_string());
        }
    }
    if n_no_cable > MOST_TOLD {
        texts.push(format!(
            "no cable found in {} further pieces",
            n_no_cable - MOST_TOLD
        ));
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
            "  branch {i}: node {} to {}, {:.2} mm long, radius {low:.2} to {high:.2} mm, {} points{kind}{part}",
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
        .map(|b| {
            let points: Vec<&[f64]> = b.curve.iter().map(|p| p.position.as_slice()).collect();
            json!({
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
