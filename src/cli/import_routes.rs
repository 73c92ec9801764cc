//! `import-routes`: curves and point lists of CAD files become cables of a scene.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::json;

use super::Outcome;
use super::console::Console;
use crate::exchange::{CableChoice, Convention, USUAL_DIAMETER, cable_of, import_routes};
use crate::scene::flexibilise::DEFAULT_MATERIAL;
use crate::scene::{Command, Scene, file, material};

/// What the cables are to be.
pub struct Wanted {
    pub scene: Option<PathBuf>,
    pub convention: Convention,
    pub diameter: Option<f64>,
    pub material: Option<String>,
    pub keep_shape: bool,
}

/// Reads all files, adds a cable for each route, and saves the scene.
pub fn run(
    files: &[PathBuf],
    wanted: &Wanted,
    output: &Path,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    let mut scene = match &wanted.scene {
        None => Scene::default(),
        Some(path) => {
            let (scene, warnings) = file::load(path)?;
            for warning in warnings {
                console.warn(warning);
            }
            scene
        }
    };
    let name = wanted.material.as_deref().unwrap_or(DEFAULT_MATERIAL);
    let material = scene.material(name).with_context(|| {
        let known: Vec<_> = material::built_in().into_iter().map(|m| m.name).collect();
        format!(
            "there is no material \"{name}\"; there are: {}",
            known.join(", ")
        )
    })?;
    let diameter = wanted.diameter.unwrap_or(USUAL_DIAMETER);
    ensure!(
        diameter > 0.0 && diameter.is_finite(),
        "the diameter must be a positive number of mm, not {diameter}"
    );
    let choice = CableChoice {
        material,
        radius: 0.5 * diameter,
        keep_shape: wanted.keep_shape,
    };
    let mut documents = Vec::new();
    for path in files {
        let found = import_routes(path, wanted.convention)?;
        for note in &found.notes {
            console.warn(format_args!("{note}: {}", path.display()));
        }
        let unsaid = found.routes.iter().any(|r| r.radius.is_none());
        if unsaid && wanted.diameter.is_none() {
            console.warn(format_args!(
                "the file states no diameter: {diameter} mm was taken, --diameter sets another: {}",
                path.display()
            ));
        }
        for route in &found.routes {
            let mut cable = cable_of(route, &choice);
            cable.name = scene.free_cable_name(&cable.name);
            console.line(format_args!(
                "cable {}: {:.4} mm long, diameter {:.2} mm, {} edges, {}",
                cable.name,
                cable.length,
                2.0 * cable.radius,
                cable.n_edges,
                choice.material.name,
            ))?;
            documents.push(json!({
                "file": path, "name": cable.name, "length": cable.length,
                "radius": cable.radius, "n_edges": cable.n_edges,
            }));
            let cable = Box::new(cable);
            Command::AddCable { cable }.apply(&mut scene)?;
        }
    }
    file::save(&scene, output)?;
    console.line(format_args!(
        "scene of {} cables saved to {}",
        scene.cables.len(),
        output.display()
    ))?;
    console.document(json!({ "cables": documents, "scene": output }))?;
    Ok(Outcome::Good)
}
