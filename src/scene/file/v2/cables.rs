//! Cables, handles and shapes of version 2.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::super::bulk::{read_skin, write_skin};
use super::super::check::cable_place;
use super::super::fields::{Fields, Invalid, point, rotation, wrong};
use super::memory::{read_memory, write_memory};
use super::{write_point, write_pose, write_rotation};
use crate::geom::{Pose, Rotation, Vec3};
use crate::scene::{
    BendLimit, Cable, CableSection, CableStretch, CutRule, Fitting, Handle, HandleKind,
    HandlePlace, Shape,
};

/// The cable that stood at `field` of `place`.
pub fn read_cable(place: &str, field: &str, value: Value) -> Result<Cable, Invalid> {
    let mut fields = Fields::of(place, field, value)?;
    field.clone_into(&mut fields.place);
    let name = fields.text("name")?;
    fields.place = cable_place(&name);
    let place = fields.place.clone();

    let section = fields.required("section")?;
    let section = read_section(Fields::of(&place, "section", section)?)?;
    let radius = fields.number("radius")?;
    let length = fields.number("length")?;
    let mut cable = Cable::new(name, radius, length, section);
    cable.n_edges = fields.count("n_edges")?;
    let basis: Option<f64> = fields.parsed("basis_length")?;
    cable.basis_length = basis.unwrap_or(length);
    cable.free_length = fields.parsed("free_length")?;
    cable.length_locked = fields.parsed("length_locked")?;
    cable.locked_spans = fields.parsed("locked_spans")?;
    cable.spacing = fields.parsed("spacing")?;
    cable.basis_spacing = fields.parsed("basis_spacing")?;
    cable.inner_diameter = fields.parsed("inner_diameter")?;
    cable.flat = fields.parsed("flat")?;
    cable.material = fields.parsed("material")?;
    let stretches: Option<Vec<CableStretch>> = fields.parsed("stretches")?;
    cable.stretches = stretches.unwrap_or_default();
    cable.rest = fields.parsed("rest")?;
    cable.bend_limit = read_bend_limit(&mut fields)?;
    cable.fluid_kg_m3 = fields.parsed("fluid_kg_m3")?;
    cable.pressure = fields.parsed("pressure")?;
    cable.fittings = fields.parsed("fittings")?;
    cable.straight_ends = fields.parsed("straight_ends")?;
    cable.cut = fields.parsed("cut")?;
    cable.visible = fields.parsed::<Option<bool>>("visible")?.unwrap_or(true);
    cable.color = fields.parsed("color")?;
    let skin = fields.optional("skin");
    let skin = skin.map(|skin| read_skin(&place, skin)).transpose()?;
    cable.skin = skin.map(Arc::new);
    for handle in fields.list("handles")? {
        let handle = read_handle(&place, handle)?;
        cable.handles.push(handle);
    }
    let shape = fields.optional("shape");
    cable.shape = shape.map(|shape| read_shape(&place, shape)).transpose()?;
    cable.extra = fields.rest();
    Ok(cable)
}

/// The limit as it is written today, or as the plain number of mm that version 1 has.
fn read_bend_limit(fields: &mut Fields) -> Result<BendLimit, Invalid> {
    let plain: Option<f64> = fields.parsed("min_bend_radius")?;
    let limit: Option<BendLimit> = fields.parsed("bend_limit")?;
    Ok(limit.unwrap_or_else(|| plain.map(BendLimit::centerline).unwrap_or_default()))
}

fn read_section(mut fields: Fields) -> Result<CableSection, Invalid> {
    let section = CableSection {
        bending: fields.number("bending")?,
        bending2: fields.parsed("bending2")?,
        torsion: fields.number("torsion")?,
        axial: fields.number("axial")?,
        mass_kg_m: fields.number("mass_kg_m")?,
    };
    fields.finish()?;
    Ok(section)
}

fn read_handle(cable: &str, value: Value) -> Result<Handle, Invalid> {
    let mut fields = Fields::of(cable, "handles", value)?;
    fields.place = format!("{cable}, handle");
    let name: Option<String> = fields.parsed("name")?;
    if let Some(name) = &name {
        fields.place = format!("{cable}, handle \"{name}\"");
    }
    let value = fields.required("place")?;
    let must = "must be \"start\", \"end\" or {\"at\": arc length in mm}";
    let place: HandlePlace = serde_json::from_value(value.clone())
        .map_err(|_| wrong(&fields.place, "place", must, &value))?;
    let kind: Option<HandleKind> = fields.parsed("kind")?;
    let pose = fields.pose()?;
    let mut handle = Handle::at_end(place, pose);
    handle.kind = kind.unwrap_or_default();
    handle.turns = fields.parsed("turns")?;
    handle.attached_to = fields.parsed("attached_to")?;
    handle.reference_changed = fields.parsed("reference_changed")?;
    if let Some(name) = name {
        handle.name = name;
    }
    fields.finish()?;
    Ok(handle)
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
    let rolls: Option<BTreeMap<String, f64>> = fields.parsed("rolls")?;
    let memory = fields.optional("memory").map(read_memory).transpose();
    let memory = memory.map_err(|problem| {
        let problem = format!("is not usable: {problem}; without it the shape is solved anew");
        Invalid::new(&fields.place, "memory", problem)
    })?;
    fields.finish()?;
    Ok(Shape {
        points: points?,
        frames: frames?,
        turns: turns?,
        clamps: both,
        rolls: rolls.unwrap_or_default(),
        memory: memory.map(Arc::new),
    })
}

/// The JSON of a cable.
pub fn write_cable(cable: &Cable) -> Value {
    let mut value = Value::Object(cable.extra.clone());
    value["name"] = json!(cable.name);
    value["radius"] = json!(cable.radius);
    value["length"] = json!(cable.length);
    value["basis_length"] = json!(cable.basis_length);
    value["n_edges"] = json!(cable.n_edges);
    value["section"] = json!(cable.section);
    value["rest"] = json!(cable.rest);
    value["visible"] = json!(cable.visible);
    if cable.length_locked {
        value["length_locked"] = json!(true);
    }
    if !cable.locked_spans.is_empty() {
        value["locked_spans"] = json!(cable.locked_spans);
    }
    if !cable.stretches.is_empty() {
        value["stretches"] = json!(cable.stretches);
    }
    if cable.fittings != [Fitting::default(); 2] {
        value["fittings"] = json!(cable.fittings);
    }
    if cable.straight_ends != [0.0; 2] {
        value["straight_ends"] = json!(cable.straight_ends);
    }
    if cable.cut != CutRule::default() {
        value["cut"] = json!(cable.cut);
    }
    if cable.bend_limit != BendLimit::default() {
        value["bend_limit"] = json!(cable.bend_limit);
    }
    for (key, own) in [
        ("free_length", json!(cable.free_length)),
        ("spacing", json!(cable.spacing)),
        ("basis_spacing", json!(cable.basis_spacing)),
        ("inner_diameter", json!(cable.inner_diameter)),
        ("flat", json!(cable.flat)),
        ("fluid_kg_m3", json!(cable.fluid_kg_m3)),
        ("pressure", json!(cable.pressure)),
        ("material", json!(cable.material)),
        ("color", json!(cable.color)),
        (
            "skin",
            cable.skin.as_deref().map_or(Value::Null, write_skin),
        ),
    ] {
        if !own.is_null() {
            value[key] = own;
        }
    }
    value["handles"] = cable.handles.iter().map(write_handle).collect();
    if let Some(shape) = &cable.shape {
        value["shape"] = write_shape(shape);
    }
    value
}

fn write_handle(handle: &Handle) -> Value {
    let mut value = write_pose(&handle.pose);
    value["name"] = json!(handle.name);
    value["place"] = json!(handle.place);
    value["kind"] = json!(handle.kind);
    if handle.turns != 0 {
        value["turns"] = json!(handle.turns);
    }
    if let Some(part) = &handle.attached_to {
        value["attached_to"] = json!(part);
    }
    if handle.reference_changed {
        value["reference_changed"] = json!(true);
    }
    value
}

fn write_shape(shape: &Shape) -> Value {
    let clamps = shape
        .clamps
        .map(|clamp| clamp.map(|pose| write_pose(&pose)));
    let mut value = json!({
        "points": shape.points.iter().map(write_point).collect::<Vec<_>>(),
        "frames": shape.frames.iter().map(write_rotation).collect::<Vec<_>>(),
        "turns": shape.turns,
        "clamps": { "start": clamps[0], "end": clamps[1] },
    });
    if !shape.rolls.is_empty() {
        value["rolls"] = json!(shape.rolls);
    }
    if let Some(memory) = &shape.memory {
        value["memory"] = write_memory(memory);
    }
    value
}

impl serde::Serialize for Cable {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        write_cable(self).serialize(to)
    }
}

impl<'de> serde::Deserialize<'de> for Cable {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        read_cable("the command", "cable", value).map_err(serde::de::Error::custom)
    }
}
