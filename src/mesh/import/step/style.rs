//! Colours of a STEP file (ISO 10303-46).

use std::collections::HashMap;

use super::super::Color;
use super::entities::{Entities, number, reference, references};
use crate::part21::Value;

/// References that are followed from a style to its colour.
const DEEPEST: usize = 8;

/// The colour of each styled item, by its number.
pub fn colors(entities: &Entities) -> HashMap<u64, Color> {
    let mut colors = HashMap::new();
    for keyword in ["STYLED_ITEM", "OVER_RIDING_STYLED_ITEM"] {
        for &styled in entities.all(keyword) {
            let Some(instance) = entities.get(styled) else {
                continue;
            };
            // A complex instance leaves the name out.
            let record = instance
                .record("STYLED_ITEM")
                .or_else(|| instance.record(keyword));
            let Some(record) = record else { continue };
            let shift = usize::from(record.first().is_some_and(|v| v.text().is_some()));
            let styles = references(record, shift);
            let color = styles
                .into_iter()
                .find_map(|style| surface_color(entities, style, 0));
            if let (Some(item), Some(color)) = (reference(record, shift + 1), color) {
                // A style that overrides another comes later.
                colors.insert(item, color);
            }
        }
    }
    colors
}

/// The colour of a style of surfaces; those of curves and points are passed over.
fn surface_color(entities: &Entities, style: u64, depth: usize) -> Option<Color> {
    let (keyword, values) = entities.first(style)?;
    match keyword {
        "CURVE_STYLE"
        | "POINT_STYLE"
        | "SURFACE_STYLE_BOUNDARY"
        | "SURFACE_STYLE_SILHOUETTE"
        | "SURFACE_STYLE_PARAMETER_LINE"
        | "SURFACE_STYLE_CONTROL_GRID" => None,
        "COLOUR_RGB" => {
            let channel = |i: usize| number(values, i);
            Some(Color::new([channel(1)?, channel(2)?, channel(3)?, 1.0]))
        }
        "DRAUGHTING_PRE_DEFINED_COLOUR" | "PRE_DEFINED_COLOUR" => named(values.first()?.text()?),
        _ if depth < DEEPEST => {
            let color = children(values).find_map(|n| surface_color(entities, n, depth + 1))?;
            let opacity = children(values).find_map(|n| {
                let clear = number(entities.record(n, "SURFACE_STYLE_TRANSPARENT")?, 0)?;
                Some(1.0 - clear)
            });
            let [r, g, b, a] = color.0.map(f64::from);
            Some(Color::new([r, g, b, opacity.unwrap_or(a)]))
        }
        _ => None,
    }
}

fn children(values: &[Value]) -> impl Iterator<Item = u64> + '_ {
    values.iter().flat_map(|value| match value {
        Value::List(list) => list.iter().filter_map(Value::reference).collect(),
        other => other.reference().into_iter().collect::<Vec<u64>>(),
    })
}

fn named(name: &str) -> Option<Color> {
    let rgb = match name {
        "red" => [1.0, 0.0, 0.0],
        "green" => [0.0, 1.0, 0.0],
        "blue" => [0.0, 0.0, 1.0],
        "yellow" => [1.0, 1.0, 0.0],
        "magenta" => [1.0, 0.0, 1.0],
        "cyan" => [0.0, 1.0, 1.0],
        "black" => [0.0, 0.0, 0.0],
        "white" => [1.0, 1.0, 1.0],
        _ => return None,
    };
    Some(Color::new([rgb[0], rgb[1], rgb[2], 1.0]))
}
