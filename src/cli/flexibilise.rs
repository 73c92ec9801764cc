//! `flexibilise`: a stretch of a tessellated harness becomes cables.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::bail;
use serde_json::{Value, json};

use super::args;
use super::console::Console;
use super::extract::{entries, is_in_time, out_of_time};
use super::outputs::Files;
use super::{Outcome, input};
use crate::centerline::{ExtractError, extract_corrected};
use crate::scene::flexibilise::{RestChoice, Source};
use crate::scene::{Command, Handle, Part, PartRole, Scene, file, flexibilise, material};

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// A part; may be left out when the scene has only one, and given several times for a harness in several parts.
    #[arg(long, value_name = "NAME")]
    part: Vec<String>,
    /// All parts of a group of the tree, by its name or the names from the outermost, with slashes.
    #[arg(long, value_name = "NAME")]
    group: Vec<String>,
    /// All parts of a role.
    #[arg(long, value_name = "ROLE", value_parser = args::role)]
    role: Option<PartRole>,
    /// All parts of the scene.
    #[arg(long, conflicts_with_all = ["part", "group", "role"])]
    all: bool,
    /// What the cables are like without load: moulded to the imported shape, such that it is the equilibrium, or
    /// straight.
    #[arg(long, value_parser = ["preformed", "as-designed", "straight"], default_value = "preformed")]
    rest: String,
    /// A branch as extract counts them, from 1, or its name, such as B1; may be given several times.
    #[arg(long, value_name = "N", value_parser = args::branch, conflicts_with_all = ["from", "to"])]
    branch: Vec<usize>,
    /// A point on the surface where the flexible stretch begins, mm.
    #[arg(long, value_name = "X,Y,Z", value_parser = args::point, requires = "to", allow_hyphen_values = true)]
    from: Option<[f64; 3]>,
    /// A point on the surface where it ends, mm.
    #[arg(long, value_name = "X,Y,Z", value_parser = args::point, requires = "from", allow_hyphen_values = true)]
    to: Option<[f64; 3]>,
    /// A file of materials in the form of assets/materials.toml; they are kept in the scene.
    #[arg(long, value_name = "FILE.toml")]
    materials: Option<PathBuf>,
    /// Material of the new cables, from the scene or the library.
    #[arg(long, value_name = "NAME")]
    material: Option<String>,
    /// Give up looking for centerlines after that many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = args::seconds)]
    time_limit: Option<f64>,
    /// Where to save the scene; may be SCENE itself.
    #[arg(short, long, value_name = "SCENE")]
    output: PathBuf,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        part,
        group,
        role,
        all,
        rest,
        branch,
        from,
        to,
        materials,
        material,
        time_limit,
        output,
    } = args;
    let wanted = Wanted {
        parts: part,
        groups: group,
        role,
        all,
        rest: match rest.as_str() {
            "as-designed" => RestChoice::AsDesigned,
            "straight" => RestChoice::Straight,
            _ => RestChoice::Preformed,
        },
        branches: branch,
        from,
        to,
        materials,
        material,
        time_limit,
    };
    run(&scene, wanted, &output, console)
}

/// What is to become flexible.
pub struct Wanted {
    pub parts: Vec<String>,
    pub groups: Vec<String>,
    pub role: Option<PartRole>,
    pub all: bool,
    pub rest: RestChoice,
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
    let mut scene = input::scene(scene_path, console)?;
    let mut files = Files::default()
        .meshes(&scene)
        .output("the scene", Some(output));
    if let Some(path) = &wanted.materials {
        files = files.input("the materials", path);
    }
    files.check()?;
    if let Some(path) = &wanted.materials {
        for material in material::load(path)? {
            let material = Box::new(material);
            Command::SetSceneMaterial { material }.apply(&mut scene)?;
        }
    }
    let names = chosen(&scene, &wanted)?;
    let source = Source::new(&scene, &names)?;
    let part = source.name.clone();
    let corrections = source.corrections();
    let shown = &*console;
    let started = Instant::now();
    let progress = |done: f64| {
        shown.progress(format_args!("extracting, {:.0} %", 100.0 * done));
        is_in_time(started, wanted.time_limit)
    };
    let extracted = extract_corrected(&source.mesh, &corrections, &progress);
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
    let all = scene.parts.iter().map(|p| p.name.clone());
    let others: Vec<String> = all.filter(|name| !names.contains(name)).collect();
    let command = Command::Flexibilise {
        part: names[0].clone(),
        with: names[1..].to_vec(),
        branches: wanted.branches,
        from: wanted.from,
        to: wanted.to,
        material: wanted.material,
        rest: wanted.rest,
        graph: Some(graph),
    };
    command.apply(&mut scene)?;
    file::save(&scene, output)?;
    for remark in flexibilise::remarks(&scene) {
        console.warn(remark);
    }
    let mut outcome = Outcome::Good;
    if wanted.rest == RestChoice::AsDesigned {
        for cable in &scene.cables[n_before..] {
            if cable.as_designed().is_none() {
                console.warn(flexibilise::as_designed::too_soft(&cable.name));
                outcome = Outcome::NotGood;
            }
        }
    }
    show(&scene, n_before, &part, &others, output, console)?;
    Ok(outcome)
}

/// Names of the parts that were asked for, in the scene's order.
fn chosen(scene: &Scene, wanted: &Wanted) -> anyhow::Result<Vec<String>> {
    let known = || {
        let names = scene.parts.iter().map(|p| p.name.as_str());
        names.take(12).collect::<Vec<_>>().join(", ")
    };
    if let Some(name) = wanted.parts.iter().find(|name| scene.part(name).is_none()) {
        bail!("there is no part \"{name}\"; the scene has: {}", known());
    }
    let in_group = |p: &Part, group: &String| {
        p.group.contains(group)
            || format!("{}/", p.group.join("/")).starts_with(&format!("{group}/"))
    };
    for group in &wanted.groups {
        if !scene.parts.iter().any(|p| in_group(p, group)) {
            bail!("no part is in a group \"{group}\"");
        }
    }
    let is_asked = wanted.all
        || wanted.role.is_some()
        || !wanted.groups.is_empty()
        || !wanted.parts.is_empty();
    let is_wanted = |p: &&Part| {
        let of_role = wanted.role.is_some_and(|role| p.role == role);
        let grouped = wanted.groups.iter().any(|g| in_group(p, g));
        wanted.all || of_role || grouped || wanted.parts.contains(&p.name)
    };
    let names: Vec<String> = match &scene.parts[..] {
        [only] if !is_asked => vec![only.name.clone()],
        several if !is_asked => bail!(
            "the scene has {} parts; say with --part, --group or --role which, or --all for one harness of all: {}",
            several.len(),
            known()
        ),
        all => all
            .iter()
            .filter(is_wanted)
            .map(|p| p.name.clone())
            .collect(),
    };
    if names.is_empty() {
        bail!("the scene has no such part; it has: {}", known());
    }
    Ok(names)
}

fn show(
    scene: &Scene,
    n_before: usize,
    part: &str,
    others: &[String],
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
        for handle in &cable.handles {
            if let Some(part) = &handle.attached_to {
                console.line(format_args!("  {} is held by {part}", handle.name))?;
            }
        }
        if let Some(remark) = flexibilise::as_designed::remark(cable) {
            console.line(format_args!("  {remark}"))?;
        }
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
    let is_carried = |p: &Part| carried.iter().any(|(_, c)| c.name == p.name);
    let rigid = (scene.parts.iter()).filter(|p| !others.contains(&p.name) && !is_carried(p));
    let mut is_whole = carried.is_empty();
    for rest in rigid {
        let n = rest.mesh().triangles().len();
        console.line(format_args!("part {}: {n} triangles stay rigid", rest.name))?;
        is_whole = false;
    }
    if is_whole {
        console.line(format_args!("nothing of {part} stays rigid"))?;
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
        .map(|c| {
            let held = |h: &Handle| json!({ "name": h.name, "attached_to": h.attached_to });
            json!({
                "name": c.name, "length": c.length, "radius": c.radius, "n_edges": c.n_edges,
                "stretches": c.stretches,
                "handles": c.handles.iter().map(held).collect::<Vec<_>>(),
                "as_designed": c.as_designed(),
            })
        })
        .collect();
    let junctions: Vec<&str> = (scene.junctions.iter())
        .filter(|j| j.ends.iter().any(|end| is_new(&end.cable)))
        .map(|j| j.name.as_str())
        .collect();
    console.document(json!({
        "part": part, "cables": documents, "junctions": junctions, "scene": output,
    }))?;
    Ok(())
}
