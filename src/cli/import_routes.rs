//! `import-routes`: curves and point lists of CAD files become cables of a scene.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::console::Console;
use super::export;
use super::outputs::Files;
use super::{Outcome, input};
use crate::exchange::{
    CableChoice, Convention, ImportedRoutes, USUAL_DIAMETER, added, import_routes,
};
use crate::scene::flexibilise::DEFAULT_MATERIAL;
use crate::scene::{Command, Scene, file, material};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
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
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        files,
        scene,
        unit,
        axes,
        diameter,
        material,
        keep_shape,
        output,
    } = args;
    let wanted = Wanted {
        scene,
        convention: Convention {
            unit: export::unit(unit.as_deref()).unwrap_or_default(),
            axes: export::axes(axes.as_deref()).unwrap_or_default(),
        },
        diameter,
        material,
        keep_shape,
    };
    run(&files, &wanted, &output, console)
}

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
        Some(path) => input::scene(path, console)?,
    };
    let read = files.iter().fold(Files::default(), |read, path| {
        read.input("a file that is read", path)
    });
    read.meshes(&scene)
        .output("the scene", Some(output))
        .check()?;
    let choice = choice(&scene, wanted)?;
    let mut documents = Vec::new();
    let mut lost = Vec::new();
    for path in files {
        let found = import_routes(path, wanted.convention)?;
        lost.extend(
            found
                .lost
                .iter()
                .map(|why| json!({ "file": path, "what": why })),
        );
        warn_of(&found, path, &scene, wanted, &choice, console);
        documents.extend(add(&found, path, &mut scene, wanted, &choice, console)?);
    }
    ensure!(
        !documents.is_empty(),
        "none of the curves could be read; nothing was saved"
    );
    file::save(&scene, output)?;
    console.line(format_args!(
        "scene of {} cables saved to {}",
        scene.cables.len(),
        output.display()
    ))?;
    let good = lost.is_empty();
    console.document(json!({
        "good": good, "cables": documents, "not_read": lost, "scene": output,
    }))?;
    // What is there is saved, but it is not all that the files hold.
    Ok(if good {
        Outcome::Good
    } else {
        Outcome::NotGood
    })
}

/// What routes become of which the file says nothing.
fn choice(scene: &Scene, wanted: &Wanted) -> anyhow::Result<CableChoice> {
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
    Ok(CableChoice {
        material,
        radius: 0.5 * diameter,
        keep_shape: wanted.keep_shape,
    })
}

/// Warns of what a file does not say, or says in a way that is not understood.
fn warn_of(
    found: &ImportedRoutes,
    path: &Path,
    scene: &Scene,
    wanted: &Wanted,
    choice: &CableChoice,
    console: &mut Console,
) {
    for note in &found.notes {
        console.warn(format_args!("{note}: {}", path.display()));
    }
    for why in &found.lost {
        console.warn(format_args!("not read: {why}: {}", path.display()));
    }
    let unsaid = found.network.routes().any(|r| r.radius.is_none());
    if unsaid && wanted.diameter.is_none() {
        console.warn(format_args!(
            "the file states no diameter: {} mm was taken, --diameter sets another: {}",
            2.0 * choice.radius,
            path.display()
        ));
    }
    let mut unknown: BTreeSet<&str> = BTreeSet::new();
    for name in found.network.routes().filter_map(|r| r.material.as_deref()) {
        if wanted.material.is_none() && scene.material(name).is_none() && unknown.insert(name) {
            console.warn(format_args!(
                "the file's material \"{name}\" is not known here: {} was taken",
                choice.material.name
            ));
        }
    }
}

/// Adds what one file holds, says so, and returns the documents of its cables.
fn add(
    found: &ImportedRoutes,
    path: &Path,
    scene: &mut Scene,
    wanted: &Wanted,
    choice: &CableChoice,
    console: &mut Console,
) -> anyhow::Result<Vec<Value>> {
    let (mut addition, missing) = added(&found.network, scene, |route| match wanted.material {
        Some(_) => choice.clone(),
        None => choice.with_material_of(route, scene),
    });
    for words in missing {
        console.warn(format_args!("{words}: {}", path.display()));
    }
    let name = path.file_name().unwrap_or_default();
    addition.source = name.to_string_lossy().into_owned();
    let first = [scene.cables.len(), scene.junctions.len()];
    Command::AddHarness(Box::new(addition)).apply(scene)?;
    let cables = &scene.cables[first[0]..];
    let mut documents = Vec::with_capacity(cables.len());
    for (cable, segment) in cables.iter().zip(&found.network.segments) {
        console.line(format_args!(
            "cable {}: {:.4} mm long, diameter {:.2} mm, {} edges, {}",
            cable.name,
            cable.length,
            2.0 * cable.radius,
            cable.n_edges,
            cable.material.as_deref().unwrap_or("no material"),
        ))?;
        documents.push(json!({
            "file": path, "name": cable.name, "length": cable.length,
            "radius": cable.radius, "n_edges": cable.n_edges,
            "material": cable.material, "ends": segment.label.ends(),
            "harness": segment.label.harness, "fixings": cable.handles.len(),
        }));
    }
    for junction in &scene.junctions[first[1]..] {
        console.line(format_args!(
            "junction {}: {} cables meet",
            junction.name,
            junction.ends.len()
        ))?;
    }
    Ok(documents)
}
