//! Units of length and angle of a representation.

use super::entities::{Entities, number, reference, references};
use crate::part21::Value;

/// The units that a representation is written in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    /// One of its lengths in mm; none where it does not say.
    pub length: Option<f64>,
    /// One of its angles in radians.
    pub angle: f64,
}

/// The units of a representation context.
pub fn units(entities: &Entities, context: u64) -> Units {
    let mut units = Units {
        length: None,
        angle: 1.0,
    };
    let record = entities.record(context, "GLOBAL_UNIT_ASSIGNED_CONTEXT");
    for unit in record.map(|r| references(r, 0)).unwrap_or_default() {
        if entities.record(unit, "LENGTH_UNIT").is_some() {
            units.length = units
                .length
                .or_else(|| in_base(entities, unit, 0).map(|metres| 1e3 * metres));
        } else if entities.record(unit, "PLANE_ANGLE_UNIT").is_some()
            && let Some(angle) = in_base(entities, unit, 0)
        {
            units.angle = angle;
        }
    }
    units
}

/// The first length unit of the file's contexts, in mm; none where no context says one, the number of a unit where
/// none is understood.
pub fn first_length(entities: &Entities) -> Result<Option<f64>, u64> {
    let mut not_understood = None;
    for &context in entities.all("GLOBAL_UNIT_ASSIGNED_CONTEXT") {
        if let Some(length) = units(entities, context).length {
            return Ok(Some(length));
        }
        let record = entities.record(context, "GLOBAL_UNIT_ASSIGNED_CONTEXT");
        let listed = record.map(|r| references(r, 0)).unwrap_or_default();
        let mut lengths = listed.into_iter();
        let length = lengths.find(|u| entities.record(*u, "LENGTH_UNIT").is_some());
        not_understood = not_understood.or(length);
    }
    not_understood.map_or(Ok(None), Err)
}

/// One of a unit in metres or radians.
fn in_base(entities: &Entities, unit: u64, depth: usize) -> Option<f64> {
    if let Some(si) = entities.record(unit, "SI_UNIT") {
        // Stands alone with its dimensions first, or as a record of a complex instance.
        let prefix = si.iter().find_map(Value::enumeration);
        return prefix.map_or(Some(1.0), prefix_factor);
    }
    let conversion = entities.record(unit, "CONVERSION_BASED_UNIT")?;
    let measure = entities.get(reference(conversion, 1)?)?;
    let values = measure
        .records
        .iter()
        .map(|(_, v)| v)
        .find(|v| v.len() == 2)?;
    if depth > 4 {
        return None;
    }
    let factor = number(values, 0)? * in_base(entities, reference(values, 1)?, depth + 1)?;
    (factor > 0.0 && factor < 1e12).then_some(factor)
}

/// The factor of a prefix; the name of the unit itself where there is none.
fn prefix_factor(prefix: &str) -> Option<f64> {
    Some(match prefix {
        "METRE" | "RADIAN" => 1.0,
        "KILO" => 1e3,
        "HECTO" => 1e2,
        "DECA" => 1e1,
        "DECI" => 1e-1,
        "CENTI" => 1e-2,
        "MILLI" => 1e-3,
        "MICRO" => 1e-6,
        "NANO" => 1e-9,
        _ => return None,
    })
}
