//! Edits of cables.

use serde::{Deserialize, Serialize};

use super::names::{known, listed, no_such};
use super::{Command, CommandError, Kind, bad, find_cable, positive};
use crate::scene::file::check_cable;
use crate::scene::refine::refined;
use crate::scene::{
    BendLimit, Cable, CableSection, CableStretch, CutRule, Fitting, HandlePlace, Material,
    MaterialKind, Pressure, RestShape, Scene, SectionNumber,
};
use crate::scene::{hose, shortest};
use crate::solve::CancelToken;

/// New values of a cable; what is left out stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CableChange {
    /// Name of the cable.
    pub cable: String,
    /// New outer radius, mm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// New inner diameter, mm; negative for that of the material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inner_diameter: Option<f64>,
    /// New width and height of a flat cable, mm; two zeros for a round one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flat: Option<[f64; 2]>,
    /// New stiffness and mass. What differs from the material's is typed over, and stays when the diameter changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<CableSection>,
    /// Numbers of the section that go back to those of the material.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reset: Vec<SectionNumber>,
    /// New smallest bend radius of the centerline, mm; 0 for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_bend_radius: Option<f64>,
    /// How sharply it may be bent, in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend_limit: Option<BendLimit>,
    /// Density of what is in the hose, kg/m^3; negative for nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fluid_kg_m3: Option<f64>,
    /// Pressure in the hose, bar; negative for none. Its change of length follows the material's table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure_bar: Option<f64>,
    /// Change of length under that pressure, percent, in place of the material's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length_change_percent: Option<f64>,
    /// Rigid, straight ends at the start and at the end. The length from seat to seat stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fittings: Option<[Fitting; 2]>,
    /// Length that must be straight behind the fittings at start and end, mm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub straight_ends: Option<[f64; 2]>,
    /// What is added to its length before it is cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<CutRule>,
    /// Whether the length is a supplier's, which nothing changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length_locked: Option<bool>,
    /// Drawn or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible: Option<bool>,
    /// New colour, red, green, blue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<[u8; 3]>,
}

impl From<CableChange> for Command {
    fn from(change: CableChange) -> Self {
        Self::ChangeCable(Box::new(change))
    }
}

impl CableChange {
    /// A change of that cable, to be filled in.
    pub fn of(cable: &str) -> Self {
        Self {
            cable: cable.to_owned(),
            ..Self::default()
        }
    }

    /// Whether the solver must know.
    pub(super) fn concerns_solver(&self) -> bool {
        self.radius.is_some()
            || self.inner_diameter.is_some()
            || self.flat.is_some()
            || self.section.is_some()
            || self.fluid_kg_m3.is_some()
            || self.pressure_bar.is_some()
            || self.length_change_percent.is_some()
            || self.fittings.is_some()
            || !self.reset.is_empty()
    }
}

pub fn set_length(scene: &mut Scene, cable: &str, length: f64) -> Result<(), CommandError> {
    let cable = find_cable(scene, cable)?;
    not_locked(cable)?;
    let length = positive("length", "a positive number of mm", length)?;
    set_flexible_length(cable, length - cable.fitting_length())
}

/// Sets the length of what is between the fittings.
fn set_flexible_length(cable: &mut Cable, length: f64) -> Result<(), CommandError> {
    if !(length > 0.0) {
        return Err(CommandError::BadCable(format!(
            "the fittings of cable \"{}\" are {:.1} mm and would be all of its length; make it longer or them shorter",
            cable.name,
            cable.fitting_length()
        )));
    }
    if !cable.locked_spans.is_empty() {
        return set_unlocked_length(cable, length);
    }
    // Handles keep their piece of the cable.
    for handle in &mut cable.handles {
        if let HandlePlace::At(s) = &mut handle.place {
            *s *= length / cable.length;
        }
    }
    let longer = length / cable.length;
    cable.map_stretches(|s| s * longer);
    cable.length = length;
    Ok(())
}

/// A length that a supplier delivers is not changed by the way.
pub fn not_locked(cable: &Cable) -> Result<(), CommandError> {
    if !cable.length_locked {
        return Ok(());
    }
    Err(CommandError::BadCable(format!(
        "the length of cable \"{}\" is its supplier's, {:.1} mm, and locked; unlock it first",
        cable.name,
        cable.seat_to_seat()
    )))
}

pub fn fit_length(
    scene: &mut Scene,
    cable: &str,
    round_to: Option<f64>,
) -> Result<(), CommandError> {
    not_locked(find_cable(scene, cable)?)?;
    let round_to = round_to.unwrap_or(shortest::ROUND_TO);
    positive("rounding", "a positive number of mm", round_to)?;
    let found = shortest::shortest_length(scene, cable, round_to, &CancelToken::default());
    let found = found.map_err(|e| CommandError::Impossible(e.to_string()))?;
    find_cable(scene, cable)?.free_length = None;
    set_length(scene, cable, found.proposed.length)
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
    not_locked(cable)?;
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
    // From handle to handle: at an end the fitting belongs to it.
    let fittings = [from, to].map(|name| cable.handle(name).map_or(0.0, |h| cable.fitting_of(h)));
    let length = length - fittings[0] - fittings[1];
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
    if straightness.is_some() {
        not_locked(cable)?;
    }
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

pub fn change(scene: &mut Scene, change: &CableChange) -> Result<(), CommandError> {
    let mut changed = find_cable(scene, &change.cable)?.clone();
    change_section(scene, &mut changed, change)?;
    match change.min_bend_radius {
        None => {}
        Some(0.0) => changed.bend_limit = BendLimit::default(),
        Some(r) if r.is_finite() && r > 0.0 => changed.bend_limit = BendLimit::centerline(r),
        Some(r) => return Err(bad("minimum bend radius", "a positive number of mm", r)),
    }
    changed.bend_limit = change.bend_limit.unwrap_or(changed.bend_limit);
    if let Some(density) = change.fluid_kg_m3 {
        changed.fluid_kg_m3 = (density >= 0.0).then_some(density);
    }
    change_pressure(scene, &mut changed, change)?;
    if let Some(fittings) = change.fittings {
        change_fittings(&mut changed, fittings)?;
    }
    changed.straight_ends = change.straight_ends.unwrap_or(changed.straight_ends);
    changed.cut = change.cut.unwrap_or(changed.cut);
    changed.length_locked = change.length_locked.unwrap_or(changed.length_locked);
    changed.visible = change.visible.unwrap_or(changed.visible);
    changed.color = change.color.or(changed.color);
    check_cable(&changed).map_err(|invalid| CommandError::BadCable(invalid.to_string()))?;
    replace(find_cable(scene, &change.cable)?, changed);
    Ok(())
}

/// The diameters and what follows from them: numbers that are the material's stay the material's.
fn change_section(
    scene: &Scene,
    cable: &mut Cable,
    change: &CableChange,
) -> Result<(), CommandError> {
    let material = cable.material.as_deref().and_then(|m| scene.material(m));
    let typed = material
        .as_ref()
        .map(|m| cable.section.typed_over(&m.section_of(cable)));
    let limit_of = |m: &Material, cable: &Cable| BendLimit {
        moves: cable.bend_limit.moves,
        ..m.bend_limit(cable.diameter())
    };
    // A limit that was typed over is the user's.
    let limiting = material.as_ref();
    let limiting = limiting.filter(|m| cable.bend_limit == limit_of(m, cable));
    cable.radius = change.radius.unwrap_or(cable.radius);
    if let Some(inner) = change.inner_diameter {
        cable.inner_diameter = (inner >= 0.0).then_some(inner);
    }
    if let Some(flat) = change.flat {
        cable.flat = (flat != [0.0, 0.0]).then_some(flat);
    }
    cable.section = change.section.unwrap_or(cable.section);
    if let Some(material) = limiting {
        cable.bend_limit = limit_of(material, cable);
    }
    if let (Some(material), Some(typed)) = (&material, typed) {
        let of_material = material.section_of(cable);
        for number in SectionNumber::ALL {
            let follows = change.section.is_none() && !typed.contains(&number);
            if follows || change.reset.contains(&number) {
                cable.section.take(number, &of_material);
            }
        }
    } else if !change.reset.is_empty() {
        return Err(CommandError::BadCable(format!(
            "cable \"{}\" has no material that its numbers could go back to; choose one first",
            cable.name
        )));
    }
    Ok(())
}

/// Other fittings; the length from seat to seat stays.
fn change_fittings(cable: &mut Cable, fittings: [Fitting; 2]) -> Result<(), CommandError> {
    let whole = cable.seat_to_seat();
    let more = fittings[0].length + fittings[1].length - cable.fitting_length();
    cable.fittings = fittings;
    if more != 0.0 {
        set_flexible_length(cable, whole - cable.fitting_length())?;
        // What differences are counted from has the same fittings.
        let basis = cable.basis_length - more;
        cable.basis_length = if basis > 0.0 { basis } else { cable.length };
    }
    Ok(())
}

/// The pressure and what it does to the length: the material's, unless another was typed.
fn change_pressure(
    scene: &Scene,
    cable: &mut Cable,
    change: &CableChange,
) -> Result<(), CommandError> {
    if let Some(bar) = change.pressure_bar {
        cable.pressure = if bar < 0.0 {
            None
        } else {
            Some(scene.pressure_of(cable, bar))
        };
    }
    match (change.length_change_percent, &mut cable.pressure) {
        (None, _) => Ok(()),
        (Some(percent), Some(pressure)) => {
            pressure.length_change = percent;
            Ok(())
        }
        (Some(_), None) => Err(CommandError::BadCable(format!(
            "cable \"{}\" has no pressure that could change its length; set pressure_bar first",
            cable.name
        ))),
    }
}

/// Turns the handle at the end of a cable so that the cable is not twisted.
pub fn zero_twist(scene: &mut Scene, cable: &str) -> Result<(), CommandError> {
    find_cable(scene, cable)?;
    let at_end = |end: &crate::scene::JunctionEnd| {
        let found = scene.cable(cable).and_then(|c| c.handle(&end.handle));
        end.cable == cable && found.is_some_and(|h| h.place == HandlePlace::End)
    };
    let junction = scene.junctions.iter().find(|j| j.ends.iter().any(at_end));
    if let Some(junction) = junction {
        return Err(CommandError::BadCable(format!(
            "the end of cable \"{cable}\" is in junction \"{}\", which cannot be turned for it alone",
            junction.name
        )));
    }
    let pose = hose::untwisted_end(scene, cable, &CancelToken::default())
        .map_err(|e| CommandError::Impossible(e.to_string()))?;
    let cable = find_cable(scene, cable)?;
    if let Some(handle) = cable
        .handles
        .iter_mut()
        .find(|h| h.place == HandlePlace::End)
    {
        (handle.pose, handle.turns) = (pose, 0);
    }
    Ok(())
}

/// The material of that name, the scene's own or of the library.
fn find_material(scene: &Scene, name: &str) -> Result<Material, CommandError> {
    scene.material(name).ok_or_else(|| {
        let mut names = known(scene, Kind::Material);
        let library = crate::scene::material::built_in();
        names.extend(library.into_iter().map(|m| m.name));
        no_such(Kind::Material, name, &names)
    })
}

/// Gives a cable other stretches; one with a material alone takes its stiffness and mass.
pub fn set_stretches(
    scene: &mut Scene,
    cable: &str,
    stretches: &[CableStretch],
) -> Result<(), CommandError> {
    let mut changed = find_cable(scene, cable)?.clone();
    changed.stretches = stretches.to_vec();
    for stretch in &mut changed.stretches {
        if let Some(name) = &stretch.material {
            let material = find_material(scene, name)?;
            let of_material = material.section(stretch.radius);
            stretch.section.get_or_insert(of_material);
        }
    }
    check_cable(&changed).map_err(|invalid| CommandError::BadCable(invalid.to_string()))?;
    replace(find_cable(scene, cable)?, changed);
    Ok(())
}

/// Puts a changed cable in the place of what it was. With other radii its original surface is not what collides any more,
/// and it is drawn as the tube that it is.
fn replace(cable: &mut Cable, mut changed: Cable) {
    if changed.edge_radii() != cable.edge_radii() {
        changed.skin = None;
    }
    *cable = changed;
}

pub fn set_material(scene: &mut Scene, cable: &str, material: &str) -> Result<(), CommandError> {
    let found = find_material(scene, material)?;
    let cable = find_cable(scene, cable)?;
    if let Some(Pressure { bar, length_change }) = &mut cable.pressure {
        *length_change = found.length_change_at(*bar);
    }
    if found.kind != MaterialKind::Hose {
        cable.inner_diameter = None;
    }
    cable.section = found.section_of(cable);
    // Whether it is moved is a matter of its use, not of its material.
    cable.bend_limit = BendLimit {
        moves: cable.bend_limit.moves,
        ..found.bend_limit(cable.diameter())
    };
    cable.material = Some(found.name);
    Ok(())
}

pub fn set_rest_share(scene: &mut Scene, cable: &str, new: f64) -> Result<(), CommandError> {
    super::within("share", "between 0 and 1", new, 0.0, 1.0)?;
    let cable = find_cable(scene, cable)?;
    match &mut cable.rest {
        RestShape::Moulded {
            share, as_designed, ..
        } => {
            *share = new;
            // Another share of it is not what was solved for.
            *as_designed = as_designed.filter(|_| new == 1.0);
            Ok(())
        }
        RestShape::Straight => Err(CommandError::BadCable(format!(
            "cable \"{}\" was not made from an imported shape, so it is straight without load",
            cable.name
        ))),
    }
}
