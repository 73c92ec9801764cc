//! From the items of a product to its triangles.

use std::collections::HashMap;

use super::super::report::BrepReport;
use super::super::tree::Shape;
use super::super::{Color, ImportError, ImportWarning};
use super::entities::Entities;
use super::geometry::Geometry;
use super::product::Item;
use super::style::colors;
use super::tessellated::Facets;
use super::topology::{Builder, Built};
use super::units::Units;
use crate::geom::Vec3;
use crate::mesh::Axis;
use crate::mesh::tessellate::{Fineness, Tessellation, tessellate};
use crate::progress::Stretch;

/// What a product looks like, in its own coordinates.
pub struct Made {
    /// Its triangles.
    pub shape: Shape,
    /// What it was made of and what failed.
    pub report: BrepReport,
}

/// Makes products.
pub struct Maker<'a> {
    entities: &'a Entities<'a>,
    scale: &'a dyn Fn(&Units) -> f64,
    fineness: Fineness,
    colors: HashMap<u64, Color>,
}

/// Areas by colour, in the order in which they came.
#[derive(Default)]
struct Areas(Vec<(Option<Color>, f64)>);

impl Areas {
    fn add(&mut self, color: Option<Color>, area: f64) {
        match self.0.iter_mut().find(|(c, _)| *c == color) {
            Some((_, sum)) => *sum += area,
            None => self.0.push((color, area)),
        }
    }

    /// The colour of most of it.
    fn largest(&self) -> Option<Color> {
        let mut best = (None, -1.0);
        for (color, area) in &self.0 {
            if *area > best.1 {
                best = (*color, *area);
            }
        }
        best.0
    }
}

impl<'a> Maker<'a> {
    /// Reads the colours of the file.
    pub fn new(
        entities: &'a Entities<'a>,
        scale: &'a dyn Fn(&Units) -> f64,
        fineness: Fineness,
    ) -> Self {
        Self {
            entities,
            scale,
            fineness,
            colors: colors(entities),
        }
    }

    /// The product of these items; none where no body is among them.
    pub fn make(
        &self,
        items: &[Item],
        name: &str,
        warnings: &mut Vec<ImportWarning>,
        stretch: &Stretch,
    ) -> Result<Option<Made>, ImportError> {
        let mut made = Made {
            shape: Shape::default(),
            report: BrepReport::default(),
        };
        let mut areas = Areas::default();
        let mut facets = Vec::new();
        for item in items {
            let scale = (self.scale)(&item.units);
            let geometry = Geometry {
                entities: self.entities,
                scale,
                angle: item.units.angle,
            };
            let mut builder = Builder::new(geometry);
            if builder.add(item.number) {
                let built = builder.finish();
                let tessellation = tessellate(&built.body, &self.fineness, stretch)?;
                self.add(
                    item,
                    &built,
                    &tessellation,
                    &mut made,
                    &mut areas,
                    (name, warnings),
                );
                continue;
            }
            let mut triangles = Facets::default();
            if triangles.add(self.entities, item.number, scale) {
                facets.push((item, triangles));
            } else if !is_no_body(&self.entities.kind(item.number)) {
                warnings.push(ImportWarning::LeftOut {
                    number: item.number,
                    reason: format!(
                        "{} is no body that is read",
                        self.entities.kind(item.number)
                    ),
                });
            }
        }
        // Where exact bodies stand beside their triangles, the exact ones count.
        if made.report.faces == 0 {
            for (item, triangles) in facets {
                self.add_facets(item, triangles, &mut made, &mut areas, warnings);
            }
        }
        made.shape.color = areas.largest();
        let is_empty = made.shape.triangles.is_empty()
            && made.report.faces == 0
            && made.report.failed_faces.is_empty();
        Ok((!is_empty).then_some(made))
    }

    fn add(
        &self,
        item: &Item,
        built: &Built,
        tessellation: &Tessellation,
        made: &mut Made,
        areas: &mut Areas,
        (name, warnings): (&str, &mut Vec<ImportWarning>),
    ) {
        let part = || name.to_owned();
        made.report.faces += built.body.faces.len();
        for (number, reason) in &built.lost {
            made.report.failed_faces.push(*number);
            warnings.push(ImportWarning::LeftOut {
                number: *number,
                reason: reason.clone(),
            });
        }
        for defect in &tessellation.defects {
            let list = if defect.is_patched {
                &mut made.report.failed_faces
            } else {
                &mut made.report.doubtful_faces
            };
            list.push(defect.face);
            warnings.push(ImportWarning::Face {
                part: part(),
                face: defect.face,
                reason: defect.reason.clone(),
                is_patched: defect.is_patched,
            });
        }
        if tessellation.open_shells > 0 {
            made.report.open_solids += tessellation.open_shells;
            warnings.push(ImportWarning::OpenSolid {
                part: part(),
                number: item.number,
            });
        }
        let whole = self.colors.get(&item.number).copied();
        let mut first = 0;
        for (face, n) in built.body.faces.iter().zip(&tessellation.per_face) {
            let color = self.colors.get(&face.number).copied().or(whole);
            let corners = tessellation.triangles[first..first + n]
                .iter()
                .map(|t| t.map(|v| tessellation.vertices[v as usize]));
            first += n;
            let area = |[a, b, c]: [Vec3; 3]| 0.5 * (b - a).cross(&(c - a)).norm();
            areas.add(color, corners.clone().map(area).sum());
            if let Ok(surface) = &face.surface {
                let corners: Vec<Vec3> = corners.flatten().collect();
                let axis = Axis::of(surface, &corners)
                    .and_then(|axis| axis.mapped(&item.place.linear, &item.place.offset));
                made.shape.axes.extend(axis);
            }
        }
        append(
            &mut made.shape,
            item,
            &tessellation.vertices,
            &tessellation.triangles,
        );
    }

    fn add_facets(
        &self,
        item: &Item,
        facets: Facets,
        made: &mut Made,
        areas: &mut Areas,
        warnings: &mut Vec<ImportWarning>,
    ) {
        for (number, reason) in facets.lost {
            made.report.failed_faces.push(number);
            warnings.push(ImportWarning::LeftOut { number, reason });
        }
        areas.add(
            self.colors.get(&item.number).copied(),
            facets.triangles.len() as f64,
        );
        append(&mut made.shape, item, &facets.vertices, &facets.triangles);
    }
}

/// Puts triangles into a shape, at the item's place; vertices that no triangle uses are left out.
fn append(shape: &mut Shape, item: &Item, vertices: &[Vec3], triangles: &[[u32; 3]]) {
    let mut new_number = vec![u32::MAX; vertices.len()];
    let is_mirror = item.place.is_mirror();
    for t in triangles {
        let mut t = t.map(|v| {
            let number = &mut new_number[v as usize];
            if *number == u32::MAX {
                *number = shape.vertices.len() as u32;
                let p = vertices[v as usize];
                shape
                    .vertices
                    .push(item.place.linear * p + item.place.offset);
            }
            *number
        });
        if is_mirror {
            t.swap(1, 2);
        }
        shape.triangles.push(t);
    }
}

/// Items that show no body: axes, curves, points, notes.
fn is_no_body(kind: &str) -> bool {
    const WORDS: [&str; 12] = [
        "PLACEMENT",
        "CURVE",
        "POINT",
        "ANNOTATION",
        "DRAUGHTING",
        "PLANAR_EXTENT",
        "CAMERA",
        "TEXT",
        "LINE",
        "PLANE",
        "DIRECTION",
        "AXIS",
    ];
    kind.split(' ')
        .any(|word| WORDS.iter().any(|w| word.contains(w)) || word == "GEOMETRIC_SET")
}
