//! What every scene on disk must be; checked before writing and after reading.

use std::collections::HashSet;

use super::fields::Invalid;
use crate::geom::{MAX_COORDINATE, Pose, Vec3};
use crate::scene::fixing::Fixing;
use crate::scene::harness::is_mass;
use crate::scene::stretch;
use crate::scene::{Cable, Fitting, Handle, HandlePlace, RestShape, Scene, Shape};

/// More edges than any cable needs; a wrong number here must not fill the memory.
const MAX_EDGES: usize = 100_000;

/// As the command that sets gravity: a hundred times the earth's, m/s^2.
const MAX_GRAVITY: f64 = 1000.0;
/// A handle at the very end may stand a rounding error beyond it, over the length.
const ROUNDING: f64 = 1e-9;

/// The first thing that is wrong with the scene.
pub fn check(scene: &Scene) -> Result<(), Invalid> {
    finite("the scene", "gravity", &scene.gravity)?;
    if scene.gravity.amax() > MAX_GRAVITY {
        let problem = format!("must be at most {MAX_GRAVITY} m/s^2 along each axis");
        return Err(Invalid::new("the scene", "gravity", problem));
    }
    if !(0.0..=2.0).contains(&scene.friction) {
        let problem = format!("must be between 0 and 2, but is {}", scene.friction);
        return Err(Invalid::new("the scene", "friction", problem));
    }
    if let Some((field, mm)) = scene.required.bad_number() {
        let problem = format!("must be between 0 and 10000 mm, but is {mm}");
        let field = format!("required_clearances.{field}");
        return Err(Invalid::new("the scene", field, problem));
    }
    for part in &scene.parts {
        let place = format!("part \"{}\"", part.name);
        check_position(&place, "placement", &part.placement().position)?;
        for (field, mm, max) in [
            ("required_clearance", part.required_clearance, 1e4),
            ("margin", part.margin, 1e3),
        ] {
            if let Some(mm) = mm
                && !(0.0..=max).contains(&mm)
            {
                let problem = format!("must be between 0 and {max} mm, but is {mm}");
                return Err(Invalid::new(place, field, problem));
            }
        }
    }
    if !(0.0..=1000.0).contains(&scene.margin) {
        let problem = format!("must be between 0 and 1000 mm, but is {}", scene.margin);
        return Err(Invalid::new("the scene", "margin", problem));
    }
    let missing = scene.missing.iter().map(|p| p.name.as_str());
    let parts = scene.parts.iter().map(|p| p.name.as_str());
    unique("parts", parts.chain(missing))?;
    unique("cables", scene.cables.iter().map(|c| c.name.as_str()))?;
    unique("junctions", scene.junctions.iter().map(|j| j.name.as_str()))?;
    unique("harnesses", scene.harnesses.iter().map(|h| h.name.as_str()))?;
    unique("materials", scene.materials.iter().map(|m| m.name.as_str()))?;
    unique("wires", scene.wires.iter().map(|w| w.name.as_str()))?;
    for wire in &scene.wires {
        if let Some((field, mm)) = wire.cut.bad_number() {
            let problem = format!("must be between 0 and 100000 mm, but is {mm}");
            let place = format!("wire \"{}\"", wire.name);
            return Err(Invalid::new(place, field, problem));
        }
    }
    unique("views", scene.views.iter().map(|v| v.name.as_str()))?;
    unique(
        "measurements",
        scene.measurements.iter().map(|m| m.name.as_str()),
    )?;
    for measurement in &scene.measurements {
        if let Some((must, value)) = measurement.bad_number() {
            let problem = format!("must be {must}, but is {value}");
            let place = format!("measurement \"{}\"", measurement.name);
            return Err(Invalid::new(place, "measurements", problem));
        }
    }
    check_references(scene)?;
    scene.cables.iter().try_for_each(check_cable)
}

/// Names that one thing has of another must be those of something.
fn check_references(scene: &Scene) -> Result<(), Invalid> {
    let missing = |field: &str, what: &str, name: &str| {
        let problem = format!("names {what} \"{name}\", which the scene has not");
        Err(Invalid::new("the scene", field, problem))
    };
    unique("fixings", scene.fixings.iter().map(|f| f.name.as_str()))?;
    if let Some(problem) = scene.fixings.iter().find_map(Fixing::problem) {
        return Err(Invalid::new("the scene", "fixings", problem));
    }
    for exclusion in &scene.exclusions {
        if let Some((must, value)) = exclusion.bad_number() {
            let problem = format!("must be {must}, but one is {value}");
            return Err(Invalid::new("the scene", "exclusions", problem));
        }
        if scene.cable(&exclusion.cable).is_none() {
            return missing("exclusions", "cable", &exclusion.cable);
        }
        if !scene.has_part(&exclusion.part) {
            return missing("exclusions", "part", &exclusion.part);
        }
    }
    for cable in &scene.cables {
        let attached = cable.handles.iter().filter_map(|h| h.attached_to.as_ref());
        if let Some(part) = attached.into_iter().find(|part| !scene.has_part(part)) {
            return missing("cables", "part", part);
        }
        let mut locked = cable.locked_spans.iter().flatten();
        if let Some(name) = locked.find(|name| cable.handle(name).is_none()) {
            let name = format!("{}, {name}", cable.name);
            return missing("cables", "the handle", &name);
        }
    }
    check_junctions(scene)?;
    for harness in &scene.harnesses {
        for segment in &harness.segments {
            if segment.start.max(segment.end) >= harness.nodes.len() {
                return missing("harnesses", "a node of segment", &segment.name);
            }
        }
    }
    for material in &scene.materials {
        if let Some((field, must, value)) = material.bad_number() {
            let problem = format!(
                "\"{}\": {field} must be {must}, but is {value}",
                material.name
            );
            return Err(Invalid::new("the scene", "materials", problem));
        }
    }
    Ok(())
}

/// Each junction has what it names, its own alone, and may be as free as it is.
fn check_junctions(scene: &Scene) -> Result<(), Invalid> {
    let mut held = HashSet::new();
    let mut carried = HashSet::new();
    for junction in &scene.junctions {
        let place = format!("junction \"{}\"", junction.name);
        check_pose(&place, "pose", &junction.pose)?;
        if !is_mass(junction.mass_kg) {
            let problem = format!(
                "must be 0 or a positive number of kg, but is {}",
                junction.mass_kg
            );
            return Err(Invalid::new(place, "mass_kg", problem));
        }
        for end in &junction.ends {
            check_pose(&place, "in_junction", &end.in_junction)?;
            let name = format!("\"{}, {}\"", end.cable, end.handle);
            let cable = scene.cable(&end.cable);
            if cable.is_none_or(|c| c.handle(&end.handle).is_none()) {
                let problem = format!("names the handle {name}, which the scene has not");
                return Err(Invalid::new(place, "ends", problem));
            }
            if !held.insert((&end.cable, &end.handle)) {
                let problem = format!("names the handle {name}, which is in a junction already");
                return Err(Invalid::new(place, "ends", problem));
            }
        }
        for part in &junction.carries {
            let problem = if !scene.has_part(part) {
                format!("names part \"{part}\", which the scene has not")
            } else if !carried.insert(part) {
                format!("names part \"{part}\", which goes with a junction already")
            } else {
                continue;
            };
            return Err(Invalid::new(place, "carries", problem));
        }
        let reason = junction
            .free
            .then(|| scene.why_not_free(junction))
            .flatten();
        if let Some(reason) = reason {
            return Err(Invalid::new(place, "free", format!("cannot be: {reason}")));
        }
    }
    Ok(())
}

/// What a cable is called in messages.
pub fn cable_place(name: &str) -> String {
    format!("cable \"{name}\"")
}

fn unique<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Invalid> {
    let mut seen = HashSet::new();
    for name in names {
        if name.trim().is_empty() {
            let problem = "has one without a name; give it a \"name\"";
            return Err(Invalid::new("the scene", field, problem));
        }
        if !seen.insert(name) {
            let problem = format!("has two called \"{name}\"; rename one");
            return Err(Invalid::new("the scene", field, problem));
        }
    }
    Ok(())
}

pub fn check_cable(cable: &Cable) -> Result<(), Invalid> {
    let place = cable_place(&cable.name);
    let section = &cable.section;
    for (field, must, value) in [
        ("radius", "a positive number of mm", cable.radius),
        ("length", "a positive number of mm", cable.length),
        (
            "basis_length",
            "a positive number of mm",
            cable.basis_length,
        ),
        ("bending", "a positive number of N mm^2", section.bending),
        (
            "bending2",
            "a positive number of N mm^2",
            section.bending2.unwrap_or(1.0),
        ),
        ("torsion", "a positive number of N mm^2", section.torsion),
        ("axial", "a positive number of N", section.axial),
    ] {
        if !(value.is_finite() && value > 0.0) {
            let problem = format!("must be {must}, but is {value}");
            return Err(Invalid::new(place, field, problem));
        }
    }
    if !(section.mass_kg_m.is_finite() && section.mass_kg_m >= 0.0) {
        let problem = format!(
            "must be a number of kg/m, not negative, but is {}",
            section.mass_kg_m
        );
        return Err(Invalid::new(place, "mass_kg_m", problem));
    }
    if let Some(inner) = cable.inner_diameter
        && !(0.0..cable.diameter()).contains(&inner)
    {
        let must = format!(
            "at least 0 and below the outer diameter of {}",
            cable.diameter()
        );
        let problem = format!("must be {must} mm, but is {inner}");
        return Err(Invalid::new(place, "inner_diameter", problem));
    }
    if let Some(flat) = cable.flat
        && !flat.iter().all(|side| side.is_finite() && *side > 0.0)
    {
        let problem = format!("must be a positive width and height in mm, but is {flat:?}");
        return Err(Invalid::new(place, "flat", problem));
    }
    let bore = cable.inner_diameter.unwrap_or(0.0);
    if let Some(problem) = stretch::problem(&cable.stretches, cable.length, bore) {
        return Err(Invalid::new(place, "stretches", problem));
    }
    check_use(&place, cable)?;
    if let Some((field, value)) = cable.bend_limit.bad_number() {
        let problem = format!("must be a positive number, but is {value}");
        return Err(Invalid::new(place, field, problem));
    }
    if let Some(straightness) = cable.free_length
        && !(straightness.is_finite() && straightness > 0.0)
    {
        let problem = format!("must be a positive number, but is {straightness}");
        return Err(Invalid::new(place, "free_length", problem));
    }
    if !(2..=MAX_EDGES).contains(&cable.n_edges) {
        let problem = format!(
            "must be between 2 and {MAX_EDGES}, but is {}",
            cable.n_edges
        );
        return Err(Invalid::new(place, "n_edges", problem));
    }
    check_spacing(&place, cable)?;
    check_handles(&place, &cable.handles, cable.length)?;
    match &cable.shape {
        Some(shape) => check_shape(&place, cable.n_edges, shape),
        None => Ok(()),
    }
}

/// What is in a hose, behind its fittings, and added when it is cut.
fn check_use(place: &str, cable: &Cable) -> Result<(), Invalid> {
    if let Some(density) = cable.fluid_kg_m3
        && !(0.0..=1e5).contains(&density)
    {
        let problem = format!("must be a density in kg/m^3, but is {density}");
        return Err(Invalid::new(place, "fluid_kg_m3", problem));
    }
    if let Some(mm) = cable
        .straight_ends
        .iter()
        .find(|mm| !(0.0..=1e5).contains(*mm))
    {
        let problem = format!("must be two lengths in mm, not negative, but one is {mm}");
        return Err(Invalid::new(place, "straight_ends", problem));
    }
    if let Some((field, mm)) = cable.fittings.iter().find_map(Fitting::bad_number) {
        let problem = format!("must be between 0 and 100000 mm, but is {mm}");
        return Err(Invalid::new(place, field, problem));
    }
    if let Some((field, must, value)) = cable.pressure.and_then(|p| p.bad_number()) {
        let problem = format!("must be {must}, but is {value}");
        return Err(Invalid::new(place, field, problem));
    }
    match cable.cut.bad_number() {
        Some((field, mm)) => {
            let problem = format!("must be between 0 and 100000 mm, but is {mm}");
            Err(Invalid::new(place, field, problem))
        }
        None => Ok(()),
    }
}

/// Shares of the edges and curvatures of the rest shape: as many as there must be, and usable.
fn check_spacing(place: &str, cable: &Cable) -> Result<(), Invalid> {
    for (field, shares) in [
        ("spacing", &cable.spacing),
        ("basis_spacing", &cable.basis_spacing),
    ] {
        let Some(shares) = shares else { continue };
        let usable = shares.iter().all(|s| s.is_finite() && *s > 0.0);
        if shares.len() != cable.n_edges || !usable {
            let problem = format!("must be {} positive numbers", cable.n_edges);
            return Err(Invalid::new(place, field, problem));
        }
    }
    if let RestShape::Moulded {
        curvatures, share, ..
    } = &cable.rest
    {
        let usable = curvatures.iter().flatten().all(|k| k.is_finite());
        if curvatures.len() != cable.n_edges + 1 || !usable || !(0.0..=1.0).contains(share) {
            let problem = format!(
                "must have {} curvatures of three finite numbers and a share between 0 and 1",
                cable.n_edges + 1
            );
            return Err(Invalid::new(place, "rest", problem));
        }
    }
    if let Some(skin) = &cable.skin {
        let n_vertices = skin.vertices.len();
        let in_range = |t: &[u32; 3]| t.iter().all(|&v| (v as usize) < n_vertices);
        let bound = |v: &crate::scene::SkinVertex| {
            (v.edge as usize) < cable.n_edges
                && v.along.is_finite()
                && v.offset.iter().all(|c| c.is_finite())
        };
        if !skin.vertices.iter().all(bound) || !skin.triangles.iter().all(in_range) {
            let problem = "has a vertex or triangle that is out of range";
            return Err(Invalid::new(place, "skin", problem));
        }
    }
    Ok(())
}

fn check_handles(place: &str, handles: &[Handle], length: f64) -> Result<(), Invalid> {
    for (k, handle) in handles.iter().enumerate() {
        check_pose(place, "handles", &handle.pose)?;
        let before = &handles[..k];
        let (name, at) = (&handle.name, handle.place);
        if let Some((what, must, value)) = handle.kind.bad_number() {
            let problem = format!("\"{name}\": {what} must be {must}, but is {value}");
            return Err(Invalid::new(place, "handles", problem));
        }
        let problem = if !matches!(at, HandlePlace::At(_)) && before.iter().any(|h| h.place == at) {
            let word = if at == HandlePlace::Start {
                "start"
            } else {
                "end"
            };
            format!("has two at the {word}; remove one")
        } else if name.trim().is_empty() || before.iter().any(|h| h.name == *name) {
            format!("has two called \"{name}\", or one without a name; rename one")
        } else if matches!(at, HandlePlace::At(s) if !(s.is_finite() && s > 0.0)) {
            format!("\"{name}\" must sit at a positive arc length")
        } else if matches!(at, HandlePlace::At(s) if s > length * (1.0 + ROUNDING)) {
            format!("\"{name}\" sits beyond the cable's length of {length} mm")
        } else {
            continue;
        };
        return Err(Invalid::new(place, "handles", problem));
    }
    Ok(())
}

fn check_shape(place: &str, n_edges: usize, shape: &Shape) -> Result<(), Invalid> {
    for (field, n, must) in [
        ("shape.points", shape.points.len(), n_edges + 1),
        ("shape.frames", shape.frames.len(), n_edges),
        ("shape.turns", shape.turns.len(), n_edges + 1),
    ] {
        if n != must {
            let problem = format!("must have {must} entries for {n_edges} edges, but has {n}");
            return Err(Invalid::new(place, field, problem));
        }
    }
    for point in &shape.points {
        check_position(place, "shape.points", point)?;
    }
    for frame in &shape.frames {
        if !frame.coords.iter().all(|c| c.is_finite()) {
            let problem = "has a number that is not finite";
            return Err(Invalid::new(place, "shape.frames", problem));
        }
    }
    let mut clamps = shape.clamps.iter().flatten();
    clamps.try_for_each(|pose| check_pose(place, "shape.clamps", pose))
}

fn check_pose(place: &str, field: &str, pose: &Pose) -> Result<(), Invalid> {
    check_position(place, field, &pose.position)?;
    if pose.rotation.coords.iter().all(|c| c.is_finite()) {
        return Ok(());
    }
    let problem = "has a rotation that is not finite";
    Err(Invalid::new(place, field, problem))
}

fn check_position(place: &str, field: &str, p: &Vec3) -> Result<(), Invalid> {
    if p.iter().all(|c| c.abs() <= MAX_COORDINATE) {
        return Ok(());
    }
    let problem = format!(
        "must be three numbers of at most {MAX_COORDINATE:e} mm, but is {:?}",
        p.as_slice()
    );
    Err(Invalid::new(place, field, problem))
}

fn finite(place: &str, field: &str, v: &Vec3) -> Result<(), Invalid> {
    if v.iter().all(|c| c.is_finite()) {
        return Ok(());
    }
    let problem = "has a number that is not finite";
    Err(Invalid::new(place, field, problem))
}
