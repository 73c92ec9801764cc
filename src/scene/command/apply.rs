//! What each command does: which function carries it out.

use super::{
    Command, CommandError, Kind, MARGIN, addition, bad, cables, duplicate, find_cable, find_part,
    finite_point, fixings, handles, junctions, names, parts, topology, within,
};
use crate::geom::Vec3;
use crate::scene::flexibilise::{Choice, Order, rigidify};
use crate::scene::start_contacts::exclude_entries;
use crate::scene::{Material, MeasuredPlace, Measurement, Scene, update};

const FROM_AND_TO: &str =
    "give branches, or the two points \"from\" and \"to\", or neither for all of it";

impl Command {
    /// Carries the edit out on `scene`, or leaves it unchanged and says why.
    pub fn apply(&self, scene: &mut Scene) -> Result<(), CommandError> {
        match self {
            Self::MoveHandle {
                cable,
                handle,
                position,
                rotation,
            } => handles::move_handle(scene, cable, handle, *position, *rotation),
            Self::AddHandle {
                cable,
                name,
                place,
                kind,
                pose,
            } => handles::add(scene, cable, name.as_deref(), *place, *kind, *pose),
            Self::AddFixing(new) => fixings::add(scene, new),
            Self::ChangeHandle {
                cable,
                handle,
                name,
                place,
                kind,
                turns,
                attached_to,
                pose,
            } => handles::change(
                scene,
                (cable, handle),
                name.as_deref(),
                (*place, *pose),
                *kind,
                *turns,
                attached_to.as_deref(),
            ),
            Self::ConfirmReference { cable, handle } => handles::confirm(scene, cable, handle),
            Self::DeleteHandle { cable, handle } => handles::delete(scene, cable, handle),
            Self::MoveJunction {
                junction,
                position,
                rotation,
            } => handles::move_junction(scene, junction, *position, *rotation),
            Self::ChangeJunction {
                junction,
                free,
                branches_turn,
                mass_kg,
            } => junctions::change(scene, junction, *free, *branches_turn, *mass_kg),
            Self::HangBody {
                cable,
                handle,
                mass_kg,
                name,
                parts,
                density_kg_m3,
            } => {
                let body = junctions::NewBody {
                    mass_kg: *mass_kg,
                    density_kg_m3: *density_kg_m3,
                    parts,
                };
                junctions::hang(scene, cable, handle, &body, name.as_deref())
            }
            Self::SplitCable { cable, at, name } => {
                topology::split(scene, cable, *at, name.as_deref())
            }
            Self::JoinEnds {
                cable,
                end,
                to,
                to_end,
            } => topology::join(scene, (cable, *end), (to, *to_end)),
            Self::BranchOff {
                cable,
                end,
                onto,
                at,
                name,
            } => topology::branch_off(scene, (cable, *end), (onto, *at), name.as_deref()),
            Self::Detach { cable, handle } => topology::detach(scene, cable, handle),
            Self::SlideJunction {
                junction,
                towards,
                by,
            } => topology::move_along(scene, junction, towards, *by),
            Self::ExtendCable { cable, end, by } => topology::extend(scene, cable, *end, *by),
            Self::MergeCables { first, second } => topology::merge(scene, first, second),
            Self::ClipCables { name, places } => topology::clip(scene, name.as_deref(), places),
            Self::SetLength { cable, length } => cables::set_length(scene, cable, *length),
            Self::ZeroTwist { cable } => cables::zero_twist(scene, cable),
            Self::FitLength { cable, round_to } => cables::fit_length(scene, cable, *round_to),
            Self::SetSpanLength {
                cable,
                from,
                to,
                length,
            } => cables::set_span_length(scene, cable, [from, to], *length),
            Self::LockSpan {
                cable,
                from,
                to,
                locked,
            } => cables::lock_span(scene, cable, [from, to], *locked),
            Self::RefineCable { cable } => cables::refine(scene, cable),
            Self::SetFreeLength {
                cable,
                straightness,
            } => cables::set_free_length(scene, cable, *straightness),
            Self::AddCable { cable } => cables::add(scene, cable),
            Self::AddJunction { junction } => handles::add_junction(scene, junction),
            Self::AddHarness(harness) => addition::add(scene, harness),
            Self::ChangeCable(change) => cables::change(scene, change),
            Self::SetStretches { cable, stretches } => {
                cables::set_stretches(scene, cable, stretches)
            }
            Self::SetMaterial { cable, material } => cables::set_material(scene, cable, material),
            Self::Import {
                path,
                role,
                options,
                loaded,
            } => parts::import(scene, path, *role, options, loaded.as_deref()),
            Self::ReplacePart { part, path, loaded } => {
                parts::replace(scene, part, path.as_deref(), loaded.as_deref())
            }
            Self::UpdateParts {
                path,
                options,
                ignore_new,
                delete_gone,
                loaded,
            } => {
                let choice = update::Choice {
                    add_new: !ignore_new,
                    delete_gone: *delete_gone,
                };
                parts::update(scene, path, options, loaded.as_deref(), choice)
            }
            Self::SetFinish { part, finish } => {
                find_part(scene, part)?.finish = *finish;
                Ok(())
            }
            Self::SetClearance {
                part,
                hazard,
                required,
            } => parts::set_clearance(scene, part, *hazard, *required),
            Self::MovePart {
                part,
                position,
                rotation,
            } => parts::move_part(scene, part, *position, *rotation),
            Self::ChangePart {
                part,
                visible,
                role,
                color,
                margin,
                group,
            } => {
                let margin = margin.map(optional_margin).transpose()?;
                let part = find_part(scene, part)?;
                part.visible = visible.unwrap_or(part.visible);
                part.role = role.unwrap_or(part.role);
                part.color = color.or(part.color);
                part.margin = margin.unwrap_or(part.margin);
                if let Some(group) = group {
                    part.group.clone_from(group);
                }
                Ok(())
            }
            Self::CorrectCenterline { part, correction } => parts::correct(scene, part, correction),
            Self::ClearCorrections { part } => {
                find_part(scene, part)?.corrections.clear();
                Ok(())
            }
            Self::Flexibilise {
                part,
                with,
                branches,
                from,
                to,
                material,
                rest,
                graph,
            } => {
                let choice = match (from, to, &branches[..]) {
                    (Some(from), Some(to), []) => {
                        Choice::Between(finite_point("from", *from)?, finite_point("to", *to)?)
                    }
                    (None, None, []) => Choice::All,
                    (None, None, branches) => Choice::Branches(branches.to_vec()),
                    _ => return Err(CommandError::Impossible(FROM_AND_TO.to_owned())),
                };
                let order = Order {
                    choice,
                    material: material.as_deref(),
                    rest: *rest,
                };
                parts::flexibilise(scene, part, with, graph.as_deref(), &order)
            }
            Self::Rigidify { cable } => {
                find_cable(scene, cable)?;
                Ok(rigidify(scene, cable)?)
            }
            Self::SetRestShare { cable, share } => cables::set_rest_share(scene, cable, *share),
            Self::Rename { kind, from, to } => names::rename(scene, *kind, from, to),
            Self::Duplicate {
                kind,
                name,
                by,
                mirror,
            } => duplicate::duplicate(scene, *kind, name, Vec3::from(*by), *mirror),
            Self::Delete { kind, name } => names::delete(scene, *kind, name),
            Self::SetFriction { friction } => {
                scene.friction = within("friction", "between 0 and 2", *friction, 0.0, 2.0)?;
                Ok(())
            }
            Self::SetGravity { gravity } => {
                for g in gravity {
                    within("gravity", "at most 1000 m/s^2", g.abs(), 0.0, 1000.0)?;
                }
                scene.gravity = Vec3::from(*gravity);
                Ok(())
            }
            Self::SetMargin { margin } => {
                scene.margin = within("margin", MARGIN, *margin, 0.0, 1000.0)?;
                Ok(())
            }
            Self::SetRequiredClearances { required } => {
                if let Some((what, value)) = required.bad_number() {
                    return Err(bad(what, "between 0 and 10000 mm", value));
                }
                scene.required = *required;
                Ok(())
            }
            Self::SetSceneMaterial { material } => {
                if let Some((what, must, value)) = material.bad_number() {
                    return Err(bad(what, must, value));
                }
                names::set(&mut scene.materials, Material::clone(material), |m| &m.name);
                Ok(())
            }
            Self::Exclude { exclusion, only } => parts::exclude(scene, exclusion, *only),
            Self::Include { cable, part } => {
                scene
                    .exclusions
                    .retain(|e| !(e.cable == *cable && e.part == *part));
                Ok(())
            }
            Self::ExcludeEntries => {
                exclude_entries(scene);
                Ok(())
            }
            // The next solve does it.
            Self::Settle | Self::Ghost { .. } => Ok(()),
            Self::SetWire { wire } => {
                if let Some((what, value)) = wire.cut.bad_number() {
                    return Err(bad(what, "between 0 and 100000 mm", value));
                }
                names::set(&mut scene.wires, wire.clone(), |w| &w.name);
                scene.wires.retain(|w| !w.branches.is_empty());
                Ok(())
            }
            Self::SaveView { view } => {
                names::set(&mut scene.views, view.clone(), |v| &v.name);
                Ok(())
            }
            Self::SaveMeasurement { measurement } => keep_measurement(scene, measurement),
        }
    }
}

/// Keeps a measurement under its name; both places must be on something.
fn keep_measurement(scene: &mut Scene, new: &Measurement) -> Result<(), CommandError> {
    let kind = Kind::Measurement;
    if new.name.trim().is_empty() {
        return Err(CommandError::NoName { kind });
    }
    if let Some((must, value)) = new.bad_number() {
        return Err(bad("place of the measurement", must, value));
    }
    for place in [&new.from, &new.to] {
        let (kind, name) = match place {
            MeasuredPlace::Cable { cable, .. } => (Kind::Cable, cable),
            MeasuredPlace::Part { part, .. } => (Kind::Part, part),
        };
        let known = names::known(scene, kind);
        if !known.contains(name) {
            return Err(names::no_such(kind, name, &known));
        }
    }
    names::set(&mut scene.measurements, new.clone(), |m| &m.name);
    Ok(())
}

/// A part's own margin; a negative one means the scene's.
fn optional_margin(margin: f64) -> Result<Option<f64>, CommandError> {
    if margin < 0.0 {
        return Ok(None);
    }
    within("margin", MARGIN, margin, 0.0, 1000.0).map(Some)
}
