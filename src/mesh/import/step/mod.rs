//! STEP (AP203, AP214, AP242): solids and surfaces of products, tessellated; assemblies, names, colours, units.

mod entities;
mod geometry;
mod links;
mod part;
mod product;
mod style;
mod tessellated;
mod topology;
mod units;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

pub use self::entities::Entities;
use self::entities::references;
use self::part::{Made, Maker};
pub use self::product::{Child, Item, Products};
pub use self::units::{Units, first_length};
use super::error::Place;
use super::format::Row;
use super::load::RawFile;
use super::raw::RawPart;
use super::sniff::{is_text, text_of};
pub use super::tree::Affine;
use super::tree::{Budget, MAX_DEPTH, short_name, too_deep};
use super::{ImportError, ImportOptions, ImportWarning, Unit};
use crate::mesh::tessellate::Fineness;
use crate::part21::Structure;
use crate::progress::Stretch;

/// Kinds of items that are bodies.
const BODIES: [&str; 6] = [
    "MANIFOLD_SOLID_BREP",
    "BREP_WITH_VOIDS",
    "FACETED_BREP",
    "SHELL_BASED_SURFACE_MODEL",
    "FACE_BASED_SURFACE_MODEL",
    "TESSELLATED_SOLID",
];

/// STEP: AP203, AP214, AP242.
pub const FORMAT: Row = Row {
    key: "step",
    extensions: &["step", "stp"],
    begins: |bytes| {
        text_of(bytes)
            .trim_ascii_start()
            .starts_with(b"ISO-10303-21")
    },
    may_be: is_text,
    read: |source, warnings, stretch| read(source.bytes, source.options, warnings, stretch),
};

/// Reads a STEP file.
fn read(
    bytes: &[u8],
    options: &ImportOptions,
    warnings: &mut Vec<ImportWarning>,
    stretch: &Stretch,
) -> Result<RawFile, ImportError> {
    let structure = Structure::parse(bytes).map_err(|e| ImportError::Damaged {
        place: Place::Line(e.line),
        reason: e.what,
    })?;
    stretch.at(0.15)?;
    let entities = Entities::new(&structure.instances);
    let unit = file_unit(&entities);
    let own = unit.map_or(1.0, Unit::in_mm);
    let scale = move |units: &Units| units.length.unwrap_or(own) / own;
    let in_mm = options.units.map_or(own, Unit::in_mm);
    let maker = Maker::new(
        &entities,
        &scale,
        Fineness {
            chord_error: held(options.chord_error, 1e-3, 100.0, 0.2) / in_mm,
            angle: held(options.angle, 1.0, 60.0, 15.0).to_radians(),
        },
    );
    let products = Products::new(&entities, &scale);
    let mut walk = Walk {
        products: &products,
        maker,
        made: HashMap::new(),
        parts: Vec::new(),
        warnings,
        budget: Budget::new(bytes.len()),
        reached: HashSet::new(),
        stretch: stretch.part("tessellating", 0.3, 1.0),
        n_definitions: products.with_shape().count().max(1),
    };
    for root in products.roots() {
        let place = walk.place_of(&root);
        walk.visit(root.definition, &place, &mut Vec::new())?;
    }
    walk.rest(&entities)?;
    let parts = walk.parts;
    if parts.is_empty() {
        return Err(ImportError::NotSupported {
            place: Place::Item("the file".to_owned()),
            what: "it holds no solid or surface; its curves can be read as routes".to_owned(),
            advice: "export the part as a solid, or use import-routes",
        });
    }
    if unit.is_none() && options.units.is_none() {
        warnings.push(ImportWarning::NoUnit);
    }
    Ok(RawFile {
        parts,
        unit,
        up: None,
    })
}

/// A choice inside its bounds: a scene file may say anything, and a chord of nothing would fill the memory.
fn held(value: f64, low: f64, high: f64, usual: f64) -> f64 {
    if value.is_finite() {
        value.clamp(low, high)
    } else {
        usual
    }
}

/// The unit of the first representation that says one; mm where it is none that has a name here.
fn file_unit(entities: &Entities) -> Option<Unit> {
    let length = first_length(entities).ok().flatten()?;
    let same = |unit: &Unit| (unit.in_mm() - length).abs() < 1e-6 * length;
    Some(Unit::ALL.into_iter().find(same).unwrap_or(Unit::Millimetre))
}

/// The way through the assembly.
struct Walk<'a, 'w> {
    products: &'a Products<'a>,
    maker: Maker<'a>,
    /// What each product looks like; made once, however often it is used.
    made: HashMap<u64, Option<Rc<Made>>>,
    parts: Vec<RawPart>,
    warnings: &'w mut Vec<ImportWarning>,
    budget: Budget,
    reached: HashSet<u64>,
    stretch: Stretch<'a>,
    n_definitions: usize,
}

impl Walk<'_, '_> {
    fn visit(
        &mut self,
        definition: u64,
        place: &Affine,
        path: &mut Vec<String>,
    ) -> Result<(), ImportError> {
        let at = || Place::Item(format!("product #{definition}"));
        if path.len() >= MAX_DEPTH {
            return Err(too_deep(at()));
        }
        self.budget.take_node(at)?;
        path.push(short_name(&self.products.name(definition)));
        if let Some(made) = self.made(definition, path)? {
            self.budget.take_shape(&made.shape, path, at)?;
            let mut part = made.shape.placed(place, path.clone(), at)?;
            part.n_vertices_read = Some(part.vertices.len());
            part.brep = Some(made.report.clone());
            self.parts.push(part);
        }
        for child in self.products.children(definition) {
            let inner = self.place_of(&child);
            self.visit(child.definition, &place.of(&inner), path)?;
        }
        path.pop();
        Ok(())
    }

    /// Where a use stands; one without a place is named, and stands at the origin of what it is in.
    fn place_of(&mut self, child: &Child) -> Affine {
        child.place.unwrap_or_else(|| {
            self.warnings.push(ImportWarning::NotPlaced {
                part: self.products.name(child.definition),
            });
            Affine::identity()
        })
    }

    fn made(&mut self, definition: u64, path: &[String]) -> Result<Option<Rc<Made>>, ImportError> {
        if let Some(made) = self.made.get(&definition) {
            return Ok(made.clone());
        }
        let from = self.made.len() as f64 / self.n_definitions as f64;
        let to = (self.made.len() + 1) as f64 / self.n_definitions as f64;
        let stretch = self
            .stretch
            .part("tessellating", from.min(1.0), to.min(1.0));
        let items = self.products.items(definition);
        let name = path.last().map_or("", String::as_str);
        let made = self.make(&items, name, &stretch)?;
        self.made.insert(definition, made.clone());
        Ok(made)
    }

    fn make(
        &mut self,
        items: &[Item],
        name: &str,
        stretch: &Stretch,
    ) -> Result<Option<Rc<Made>>, ImportError> {
        self.reached.extend(items.iter().map(|i| i.number));
        let made = self.maker.make(items, name, self.warnings, stretch)?;
        Ok(made.map(Rc::new))
    }

    /// Bodies that belong to no product: read where there is nothing else, named otherwise.
    fn rest(&mut self, entities: &Entities) -> Result<(), ImportError> {
        let mut left: Vec<u64> = BODIES
            .iter()
            .flat_map(|kind| entities.all(kind))
            .copied()
            .filter(|n| !self.reached.contains(n))
            .collect();
        left.sort_unstable();
        left.dedup();
        if left.is_empty() {
            return Ok(());
        }
        if !self.parts.is_empty() {
            self.warnings
                .extend(left.into_iter().map(|number| ImportWarning::LeftOut {
                    number,
                    reason: "it belongs to no product".to_owned(),
                }));
            return Ok(());
        }
        for number in left {
            let units = entities.representation_of(number).map_or(
                Units {
                    length: None,
                    angle: 1.0,
                },
                |r| self.products.units_of(r),
            );
            let item = Item {
                number,
                units,
                place: Affine::identity(),
            };
            let stretch = self.stretch;
            let name = entities.name(number);
            if let Some(made) = self.make(&[item], &name, &stretch)? {
                let at = || Place::Item(format!("#{number}"));
                let mut part = made.shape.placed(&Affine::identity(), vec![name], at)?;
                part.n_vertices_read = Some(part.vertices.len());
                part.brep = Some(made.report.clone());
                self.parts.push(part);
            }
        }
        Ok(())
    }
}

impl Entities<'_> {
    /// A representation that holds an item.
    fn representation_of(&self, item: u64) -> Option<u64> {
        let kinds = [
            "ADVANCED_BREP_SHAPE_REPRESENTATION",
            "MANIFOLD_SURFACE_SHAPE_REPRESENTATION",
            "FACETED_BREP_SHAPE_REPRESENTATION",
            "TESSELLATED_SHAPE_REPRESENTATION",
            "SHAPE_REPRESENTATION",
        ];
        kinds
            .iter()
            .flat_map(|kind| self.all(kind))
            .copied()
            .find(|r| {
                self.first(*r)
                    .is_some_and(|(_, values)| references(values, 1).contains(&item))
            })
    }

    /// The name that an instance has itself.
    fn name(&self, number: u64) -> String {
        let name = self
            .first(number)
            .and_then(|(_, values)| values.first()?.text());
        short_name(name.unwrap_or_default())
    }
}
