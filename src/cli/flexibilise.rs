//! `flexibilise`: a stretch of a tessellated harness becomes cables.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::Outcome;
use super::console::Console;
use super::extract::{entries, is_in_time, out_of_time};
use super::outputs::Files;
use crate::centerline::{ExtractError, extract_corrected};
use crate::scene::{Command, Part, Scene, file, flexibilise, material};

/// What is to become flexible.
pub struct Wanted {
    pub part: Option<String>,
    pub branches: Vec<usize>,
    pub from: Option<[f64; 3]>,
    pub to: Option<[f64; 3]>,
    pub materials: Option<PathBuf>,
    pub material: Option<String>,
    /// Seconds.
    pub time_limit: Option<f64>,
}

/// Extracts the part's centerlines, makes the stretch flexible, and saves the scene.
pub fn run(
    scene_path: &Path,
    wanted: Wanted,
    output: &Path,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let (mut scene, warnings) = file::load(scene_path)?;
    for warning in warnings {
        console.warn(warning);
    }
    let mut files = Files::default()
        .meshes(&scene)
        .output("the scene", Some(output));
    if let Some(path) = &wanted.materials {
        files = files.input("the materials", path);
    }
    files.check()?;
    if let Some(path) = &wanted.materials {
        for material in material::load(path)? {
            Command::SetSceneMaterial { material }.apply(&mut scene)?;
        }
    }
    let part = match wanted.part {
        Some(part) => part,
        None => match &scene.parts[..] {
            [only] => only.name.clone(),
            several => {
                let names: Vec<&str> = several.iter().map(|p| p.name.as_str()).take(12).collect();
                bail!(
                    "the scene has {} parts; say with --part which one: {}",
                    several.len(),
                    names.join(", ")
                )
            }
        },
    };
    let found = scene.part(&part).with_context(|| {
        let names: Vec<&str> = scene
            .parts
            .iter()
            .map(|p| p.name.as_str())
            .take(12)
            .collect();
        format!(
            "there is no part \"{part}\"; the scene has: {}",
            names.join(", ")
        )
    })?;
    let (mesh, corrections) = (found.mesh().clone(), found.corrections_in_world());
    let shown = &*console;
    let started = Instant::now();
    let progress = |done: f64| {
        shown.progress(format_args!("extracting, {:.0} %", 100.0 * done));
        is_in_time(started, wanted.time_limit)
    };
    let extracted = extract_corrected(&mesh, &corrections, &progress);
    console.end_progress();
    let graph = match extracted {
        Ok(graph) => graph,
        Err(error @ ExtractError::NoCable { .. }) => {
            console.warn(format_args!("part \"{part}\": {error}"));
            console.document(json!({ "part": part, "cables": [] }))?;
            return Ok(Outcome::NotGood);
        }
        Err(ExtractError::Cancelled) => {
            console.warn(format_args!(
                "part \"{part}\": {}",
                out_of_time(wanted.time_limit)
            ));
            console.document(json!({ "part": part, "cables": [] }))?;
            return Ok(Outcome::NotGood);
        }
    };
    for warning in &graph.warnings {
        let text = format!("part \"{part}\": {warning}");
        console.warn_at(&text, entries(&graph, warning, &text));
    }
    let n_before = scene.cables.len();
    let command = Command::Flexibilise {
        part: part.clone(),
        branches: wanted.branches,
        from: wanted.from,
        to: wanted.to,
        material: wanted.material,
        graph: Some(graph),
    };
    command.apply(&mut scene)?;
    file::save(&scene, output)?;
    for remark in flexibilise::remarks(&scene) {
        console.warn(remark);
    }
    show(&scene, n_before, &part, output, console)?;
    Ok(Outcome::Good)
}

fn show(
    scene: &Scene,
    n_before: usize,
    part: &str,
    output: &Path,
    console: &mut Console,
) -> anyhow::Result<()> {
    let cables = &scene.cables[n_before..];
    for cable in cables {
        console.line(format_args!(
            "cable {}: {:.2} mm long, diameter {:.2} mm, {} edges, {}",
            cable.name,
            cable.length,
            2.0 * cable.radius,
            cable.n_edges,
            cable.material.as_deref().unwrap_or("no material"),
        ))?;
    }
    let uncalibrated = cables.iter().any(|cable| {
        let material = cable.material.as_deref().and_then(|m| scene.material(m));
        material.is_some_and(|m| !m.calibrated)
    });
    if uncalibrated {
        console.warn("the material is uncalibrated: its stiffness is a guess of the right order");
    }
    let is_new = |name: &str| cables.iter().any(|c| c.name == name);
    let carried: Vec<(&str, &Part)> = (scene.junctions.iter())
        .filter(|j| j.ends.iter().any(|end| is_new(&end.cable)))
        .flat_map(|j| j.carries.iter().map(move |part| (j.name.as_str(), part)))
        .filter_map(|(junction, part)| Some((junction, scene.part(part)?)))
        .collect();
    if let Some(rest) = scene.part(part) {
        let n = rest.mesh().triangles().len();
        console.line(format_args!("part {part}: {n} triangles stay rigid"))?;
    } else if carried.is_empty() {
        console.line(format_args!("nothing of part {part} stays rigid"))?;
    }
    for (junction, part) in carried {
        console.line(format_args!(
            "part {}: {} triangles stay rigid and move with junction {junction}",
            part.name,
            part.mesh().triangles().len()
        ))?;
    }
    let documents: Vec<Value> = cables
        .iter()
        .map(|c| json!({ "name": c.name, "length": c.length, "radius": c.radius, "n_edges": c.n_edges }))
        .collect();
    console.document(json!({ "part": part, "cables": documents, "scene": output }))?;
    Ok(())
}
