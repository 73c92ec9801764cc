//! Version 2 of the scene file. Version 1 is the same with fewer fields: whatever version 2 added is optional.

mod cables;
mod memory;
pub(super) mod parts;

use std::path::Path;

use serde_json::{Map, Value, json};

pub use self::cables::{read_cable, write_cable};
pub use self::parts::part_with;
use self::parts::{MeshFiles, directory_of, write_missing, write_part};
use super::check::check;
use super::fields::{Fields, Invalid};
use super::{FORMAT, SceneFileError, SceneWarning, VERSION};
use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::{RequiredClearances, Scene};

/// Builds the scene from the fields of a file at `path`.
pub fn read(
    fields: Map<String, Value>,
    path: &Path,
) -> Result<(Scene, Vec<SceneWarning>), SceneFileError> {
    let invalid = |invalid| SceneFileError::Invalid {
        path: path.to_owned(),
        invalid,
    };
    let mut fields = Fields::new("the scene", fields);
    let _ = (fields.optional("format"), fields.optional("version"));
    let mut scene = Scene {
        gravity: fields.point("gravity").map_err(invalid)?,
        friction: fields.number("friction").map_err(invalid)?,
        margin: fields.parsed("margin").map_err(invalid)?,
        required: fields.parsed("required_clearances").map_err(invalid)?,
        junctions: fields.parsed("junctions").map_err(invalid)?,
        harnesses: fields.parsed("harnesses").map_err(invalid)?,
        materials: fields.parsed("materials").map_err(invalid)?,
        fixings: fields.parsed("fixings").map_err(invalid)?,
        exclusions: fields.parsed("exclusions").map_err(invalid)?,
        wires: fields.parsed("wires").map_err(invalid)?,
        views: fields.parsed("views").map_err(invalid)?,
        measurements: fields.parsed("measurements").map_err(invalid)?,
        ..Scene::default()
    };
    for (k, value) in fields
        .list("cables")
        .map_err(invalid)?
        .into_iter()
        .enumerate()
    {
        let field = format!("cables[{k}]");
        scene
            .cables
            .push(read_cable("the scene", &field, value).map_err(invalid)?);
    }
    let mut meshes = MeshFiles::beside(path);
    for (k, value) in fields
        .list("parts")
        .map_err(invalid)?
        .into_iter()
        .enumerate()
    {
        meshes.read_part(k, value, &mut scene)?;
    }
    scene.extra = fields.rest();
    check(&scene).map_err(invalid)?;
    Ok((scene, meshes.warnings))
}

/// The JSON of a scene that will stand at `path`.
pub fn write(scene: &Scene, path: &Path) -> Result<Value, Invalid> {
    let directory = directory_of(path);
    let parts: Result<Vec<Value>, Invalid> = scene
        .parts
        .iter()
        .map(|part| write_part(part, &directory))
        .chain(scene.missing.iter().map(|p| write_missing(p, &directory)))
        .collect();
    let cables: Vec<Value> = scene.cables.iter().map(write_cable).collect();
    let mut fields = scene.extra.clone();
    for (key, value) in [
        ("format", json!(FORMAT)),
        ("version", json!(VERSION)),
        ("gravity", write_point(&scene.gravity)),
        ("friction", json!(scene.friction)),
        ("parts", json!(parts?)),
        ("cables", json!(cables)),
    ] {
        fields.insert(key.to_owned(), value);
    }
    // What a scene does not have is not written, so that small files stay small.
    for (key, value, is_empty) in [
        ("margin", json!(scene.margin), scene.margin == 0.0),
        (
            "required_clearances",
            json!(scene.required),
            scene.required == RequiredClearances::default(),
        ),
        (
            "junctions",
            json!(scene.junctions),
            scene.junctions.is_empty(),
        ),
        (
            "harnesses",
            json!(scene.harnesses),
            scene.harnesses.is_empty(),
        ),
        (
            "materials",
            json!(scene.materials),
            scene.materials.is_empty(),
        ),
        ("fixings", json!(scene.fixings), scene.fixings.is_empty()),
        (
            "exclusions",
            json!(scene.exclusions),
            scene.exclusions.is_empty(),
        ),
        ("wires", json!(scene.wires), scene.wires.is_empty()),
        ("views", json!(scene.views), scene.views.is_empty()),
        (
            "measurements",
            json!(scene.measurements),
            scene.measurements.is_empty(),
        ),
    ] {
        if !is_empty {
            fields.insert(key.to_owned(), value);
        }
    }
    Ok(Value::Object(fields))
}

fn write_point(p: &Vec3) -> Value {
    json!([p.x, p.y, p.z])
}

fn write_rotation(r: &Rotation) -> Value {
    json!([r.w, r.i, r.j, r.k])
}

fn write_pose(pose: &Pose) -> Value {
    json!({ "position": write_point(&pose.position), "rotation": write_rotation(&pose.rotation) })
}
