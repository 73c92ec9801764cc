//! Version 1 of the scene file.

mod parts;

use std::path::Path;

use serde_json::{Map, Value, json};

use self::parts::{MeshFiles, directory_of, write_part};
use super::check::{cable_place, check};
use super::fields::{Fields, Invalid, point, rotation, wrong};
use super::{FORMAT, SceneFileError, SceneWarning, VERSION};
use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::{Cable, CableSection, Handle, HandlePlace, Scene, Shape};

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
        ..Scene::default()
    };
    for (k, value) in fields
        .list("cables")
        .map_err(invalid)?
        .into_iter()
        .enumerate()
    {
        scene.cables.push(read_cable(k, value).map_err(invalid)?);
    }
    let mut meshes = MeshFiles::beside(path);
    for (k, value) in fields
        .list("parts")
        .map_err(invalid)?
        .into_iter()
        .enumerate()
    {
        scene.parts.push(meshes.read_part(k, value)?);
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
    Ok(Value::Object(fields))
}

/// The word of the file for an end.
pub fn place_word(place: HandlePlace) -> &'static str {
    match place {
        HandlePlace::Start => "start",
        HandlePlace::End => "end",
    }
}

fn read_cable(k: usize, value: Value) -> Result<Cable, Invalid> {
    let mut fields = Fields::of("the scene", &format!("cables[{k}]"), value)?;
    fields.place = format!("cables[{k}]");
    let name = fields.text("name")?;
    fields.place = cable_place(&name);
    let place = fields.place.clone();

    let section = fields.required("section")?;
    let mut section = Fields::of(&place, "section", section)?;
    let handles: Result<Vec<Handle>, Invalid> = fields
        .list("handles")?
        .into_iter()
        .map(|handle| read_handle(&place, handle))
        .collect();
    let shape = fields.optional("shape");
    let cable = Cable {
        radius: fields.number("radius")?,
        length: fields.number("length")?,
        n_edges: fields.count("n_edges")?,
        section: CableSection {
            bending: section.number("bending")?,
            torsion: section.number("torsion")?,
            axial: section.number("axial")?,
            mass_kg_m: section.number("mass_kg_m")?,
        },
        handles: handles?,
        shape: shape.map(|shape| read_shape(&place, shape)).transpose()?,
        name,
    };
    section.finish()?;
    fields.finish()?;
    Ok(cable)
}

fn read_handle(cable: &str, value: Value) -> Result<Handle, Invalid> {
    let mut fields = Fields::of(cable, "handles", value)?;
    fields.place = format!("{cable}, handle");
    let place = match fields.text("place")?.as_str() {
        "start" => HandlePlace::Start,
        "end" => HandlePlace::End,
        other => {
            return Err(wrong(
                &fields.place,
                "place",
                "must be \"start\" or \"end\"",
                &json!(other),
            ));
        }
    };
    fields.place = format!("{cable}, {} handle", place_word(place));
    let kind = fields.text("kind")?;
    if kind != "full" {
        return Err(wrong(
            &fields.place,
            "kind",
            "must be \"full\"",
            &json!(kind),
        ));
    }
    let pose = fields.pose()?;
    fields.finish()?;
    Ok(Handle { place, pose })
}

fn read_shape(place: &str, value: Value) -> Result<Shape, Invalid> {
    let mut fields = Fields::of(place, "shape", value)?;
    fields.place = format!("{place}, shape");
    let points: Result<Vec<Vec3>, Invalid> = fields
        .list("points")?
        .iter()
        .map(|v| point(place, "shape.points", v))
        .collect();
    let frames: Result<Vec<Rotation>, Invalid> = fields
        .list("frames")?
        .iter()
        .map(|v| rotation(place, "shape.frames", v))
        .collect();
    let turns: Result<Vec<i32>, Invalid> = fields
        .list("turns")?
        .iter()
        .map(|v| {
            let turns = v.as_i64().and_then(|n| i32::try_from(n).ok());
            turns.ok_or_else(|| wrong(place, "shape.turns", "must be whole numbers", v))
        })
        .collect();
    let clamps = fields.required("clamps")?;
    let mut clamps = Fields::of(place, "shape.clamps", clamps)?;
    clamps.place = format!("{place}, shape.clamps");
    let mut clamp = |end: &str| -> Result<Option<Pose>, Invalid> {
        let Some(value) = clamps.optional(end) else {
            return Ok(None);
        };
        let mut pose = Fields::of(place, "shape.clamps", value)?;
        pose.place = format!("{place}, shape.clamps.{end}");
        let read = pose.pose()?;
        pose.finish()?;
        Ok(Some(read))
    };
    let both = [clamp("start")?, clamp("end")?];
    clamps.finish()?;
    fields.finish()?;
    Ok(Shape {
        points: points?,
        frames: frames?,
        turns: turns?,
        clamps: both,
    })
}

fn write_cable(cable: &Cable) -> Value {
    let handles: Vec<Value> = cable
        .handles
        .iter()
        .map(|handle| {
            let mut value = write_pose(&handle.pose);
            value["place"] = json!(place_word(handle.place));
            value["kind"] = json!("full");
            value
        })
        .collect();
    let mut value = json!({
        "name": cable.name,
        "radius": cable.radius,
        "length": cable.length,
        "n_edges": cable.n_edges,
        "section": cable.section,
        "handles": handles,
    });
    if let Some(shape) = &cable.shape {
        let clamps = shape
            .clamps
            .map(|clamp| clamp.map(|pose| write_pose(&pose)));
        value["shape"] = json!({
            "points": shape.points.iter().map(write_point).collect::<Vec<_>>(),
            "frames": shape.frames.iter().map(write_rotation).collect::<Vec<_>>(),
            "turns": shape.turns,
            "clamps": { "start": clamps[0], "end": clamps[1] },
        });
    }
    value
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
