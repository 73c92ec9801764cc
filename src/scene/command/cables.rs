//! Edits of cables.

use super::names::{known, listed, no_such};
use super::{CommandError, Kind, bad, find_cable, positive};
use crate::scene::file::check_cable;
use crate::scene::refine::refined;
use crate::scene::{Cable, CableSection, HandlePlace, RestShape, Scene};

/// New values of a cable; what is `None` stays.
pub struct Change {
    pub radius: Option<f64>,
    pub section: Option<CableSection>,
    pub min_bend_radius: Option<f64>,
    pub visible: Option<bool>,
    pub color: Option<[u8; 3]>,
}

pub fn set_length(scene: &mut Scene, cable: &str, length: f64) -> Result<(), CommandError> {
    let cable = find_cable(scene, cable)?;
    let length = positive("length", "a positive number of mm", length)?;
    if !cable.locked_spans.is_empty() {
        return set_unlocked_length(cable, length);
    }
    // Handles keep their piece of the cable.
    for handle in &mut cable.handles {
        if let HandlePlace::At(s) = &mut handle.place {
            *s *= length / cable.length;
        }
    }
    cable.length = length;
    Ok(())
}

/// Scales the edges that no locked stretch holds, so that the whole is `length` mm.
fn set_unlocked_length(cable: &mut Cable, length: f64) -> Result<(), CommandError> {
    let mut lengths = cable.edge_lengths();
    let locked = cable.locked_edges();
    let sum = |wanted: bool| -> f64 {
        let edges = lengths.iter().zip(&locked);
        edges.filter(|(_, l)| **l == wanted).map(|(l, _)| l).sum()
    };
    let (kept, free) = (sum(true), sum(false));
    if free <= 0.0 || length <= kept {
        return Err(CommandError::BadCable(format!(
            "the locked stretches of cable \"{}\" are {kept:.2} mm, so it cannot become {length:.2} mm; unlock one first",
            cable.name
        )));
    }
    for (l, locked) in lengths.iter_mut().zip(&locked) {
        if !locked {
            *l *= (length - kept) / free;
        }
    }
    cable.set_edge_lengths(&lengths);
    Ok(())
}

/// Keeps the stretch between two handles as long as it is, or lets it follow the length of the cable again.
pub fn lock_span(
    scene: &mut Scene,
    cable: &str,
    [from, to]: [&str; 2],
    locked: bool,
) -> Result<(), CommandError> {
    let cable = find_cable(scene, cable)?;
    for name in [from, to] {
        if cable.handle(name).is_none() {
            return Err(CommandError::NoHandle {
                cable: cable.name.clone(),
                name: name.to_owned(),
                known: listed(cable.handles.iter().map(|h| h.name.as_str())),
            });
        }
    }
    let same = |span: &[String; 2]| *span == [from, to] || *span == [to, from];
    cable.locked_spans.retain(|span| !same(span));
    if locked {
        let span = [from.to_owned(), to.to_owned()];
        cable.locked_spans.push(span);
    }
    Ok(())
}

/// Scales the edges between two handles so that the way from the one to the other is `length` mm. The edge that a
/// handle grips stays as it is.
pub fn set_span_length(
    scene: &mut Scene,
    cable: &str,
    [from, to]: [&str; 2],
    length: f64,
) -> Result<(), CommandError> {
    let cable = find_cable(scene, cable)?;
    let length = positive("length of the span", "a positive number of mm", length)?;
    let place = |name: &str| {
        let handle = cable.handle(name).ok_or_else(|| CommandError::NoHandle {
            cable: cable.name.clone(),
            name: name.to_owned(),
            known: listed(cable.handles.iter().map(|h| h.name.as_str())),
        })?;
        Ok::<f64, CommandError>(cable.arc_length(handle))
    };
    let (a, b) = (place(from)?, place(to)?);
    let (a, b) = (a.min(b), a.max(b));
    let mut lengths = cable.edge_lengths();
    let slack = 1e-9 * cable.length;
    let mut start = 0.0;
    let between: Vec<bool> = lengths
        .iter()
        .map(|l| {
            start += l;
            start - l >= a - slack && start <= b + slack
        })
        .collect();
    let scaled: f64 = (lengths.iter().zip(&between))
        .filter_map(|(l, between)| between.then_some(l))
        .sum();
    let kept = b - a - scaled;
    if scaled <= 0.0 || length <= kept {
        let must = "longer than the edges that its handles grip";
        return Err(bad("length of the span", must, length));
    }
    let locked = cable.locked_edges();
    if between.iter().zip(&locked).any(|(a, b)| *a && *b) {
        return Err(CommandError::BadCable(format!(
            "the stretch from \"{from}\" to \"{to}\" of cable \"{}\" is locked; unlock it first",
            cable.name
        )));
    }
    for (l, between) in lengths.iter_mut().zip(between) {
        if between {
            *l *= (length - kept) / scaled;
        }
    }
    cable.set_edge_lengths(&lengths);
    Ok(())
}

pub fn refine(scene: &mut Scene, cable: &str) -> Result<(), CommandError> {
    let cable = find_cable(scene, cable)?;
    let finer = refined(cable);
    check_cable(&finer).map_err(|invalid| CommandError::BadCable(invalid.to_string()))?;
    *cable = finer;
    Ok(())
}

pub fn set_free_length(
    scene: &mut Scene,
    cable: &str,
    straightness: Option<f64>,
) -> Result<(), CommandError> {
    let cable = find_cable(scene, cable)?;
    cable.free_length = straightness
        .map(|s| positive("straightness", "a positive number", s))
        .transpose()?;
    Ok(())
}

pub fn add(scene: &mut Scene, cable: &Cable) -> Result<(), CommandError> {
    if cable.name.trim().is_empty() {
        return Err(CommandError::NoName { kind: Kind::Cable });
    }
    if scene.cable(&cable.name).is_some() {
        return Err(CommandError::NameTaken {
            kind: Kind::Cable,
            name: cable.name.clone(),
        });
    }
    check_cable(cable).map_err(|invalid| CommandError::BadCable(invalid.to_string()))?;
    scene.cables.push(cable.clone());
    Ok(())
}

pub fn change(scene: &mut Scene, name: &str, change: &Change) -> Result<(), CommandError> {
    let mut changed = find_cable(scene, name)?.clone();
    changed.radius = change.radius.unwrap_or(changed.radius);
    if let Some(section) = change.section {
        changed.section = section;
        changed.material = None;
    }
    match change.min_bend_radius {
        None => {}
        Some(0.0) => changed.min_bend_radius = None,
        Some(r) if r.is_finite() && r > 0.0 => changed.min_bend_radius = Some(r),
        Some(r) => return Err(bad("minimum bend radius", "a positive number of mm", r)),
    }
    changed.visible = change.visible.unwrap_or(changed.visible);
    changed.color = change.color.or(changed.color);
    check_cable(&changed).map_err(|invalid| CommandError::BadCable(invalid.to_string()))?;
    *find_cable(scene, name)? = changed;
    Ok(())
}

pub fn set_material(scene: &mut Scene, cable: &str, material: &str) -> Result<(), CommandError> {
    let Some(found) = scene.material(material) else {
        let mut names = known(scene, Kind::Material);
        names.extend(
            crate::scene::material::built_in()
                .into_iter()
                .map(|m| m.name),
        );
        return Err(no_such(Kind::Material, material, &names));
    };
    let cable = find_cable(scene, cable)?;
    cable.section = found.section(cable.radius);
    cable.min_bend_radius = found.min_bend_radius(cable.radius);
    cable.material = Some(found.name);
    Ok(())
}

pub fn set_rest_share(scene: &mut Scene, cable: &str, new: f64) -> Result<(), CommandError> {
    super::within("share", "between 0 and 1", new, 0.0, 1.0)?;
    let cable = find_cable(scene, cable)?;
    match &mut cable.rest {
        RestShape::Moulded { share, .. } => {
            *share = new;
            Ok(())
        }
        RestShape::Straight => Err(CommandError::BadCable(format!(
            "cable \"{}\" was not made from an imported shape, so it is straight without load",
            cable.name
        ))),
    }
}
