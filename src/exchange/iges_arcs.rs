//! Lines and arcs in IGES: entities 110 and 100 under one composite curve (102).
//!
//! An arc lies in a plane z = ZT of its own axes, which a transformation (124) puts in place.

use super::arcs::Element;
use super::iges::{Entity, next_entry};
use super::number::Real;

/// Adds the entities of lines and arcs; returns `102,N,..` for the composite curve of them.
pub fn add_elements(
    entities: &mut Vec<Entity>,
    elements: &[Element],
    colour: usize,
) -> Vec<String> {
    let mut parameters = vec!["102,".to_owned(), format!("{},", elements.len())];
    for element in elements {
        let mut matrix = None;
        let (kind, numbers) = match element {
            Element::Line { start, end } => (110, [start.as_slice(), end.as_slice()].concat()),
            Element::Arc {
                start,
                end,
                center,
                axis,
                ..
            } => {
                let x = (start - center).normalize();
                let y = axis.cross(&x);
                matrix = Some(next_entry(entities));
                let rows: Vec<f64> = (0..3)
                    .flat_map(|i| [x[i], y[i], axis[i], center[i]])
                    .collect();
                entities.push(Entity::part_of(124, real_parameters(124, &rows)));
                let to = end - center;
                let radius = element.radius();
                let plane = vec![0.0, 0.0, 0.0, radius, 0.0, to.dot(&x), to.dot(&y)];
                (100, plane)
            }
        };
        parameters.push(format!("{},", next_entry(entities)));
        entities.push(Entity {
            colour: Some(colour),
            matrix,
            ..Entity::part_of(kind, real_parameters(kind, &numbers))
        });
    }
    parameters
}

fn real_parameters(kind: usize, numbers: &[f64]) -> Vec<String> {
    let last = numbers.len();
    let mut parameters = vec![format!("{kind},")];
    for (i, x) in numbers.iter().enumerate() {
        let end = if i + 1 == last { ';' } else { ',' };
        parameters.push(format!("{}{end}", Real(*x)));
    }
    parameters
}
