//! Triangles of AP242 (ISO 10303-42, tessellated shapes).

use std::collections::HashMap;

use super::entities::{Entities, number, reference, references};
use crate::geom::Vec3;
use crate::part21::Value;

/// Triangles that are gathered; items of one coordinates list share its vertices.
#[derive(Default)]
pub struct Facets {
    /// Vertices.
    pub vertices: Vec<Vec3>,
    /// Triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Where the vertices of each coordinates list begin.
    lists: HashMap<u64, u32>,
    /// What could not be read, by number.
    pub lost: Vec<(u64, String)>,
}

impl Facets {
    /// Adds a tessellated item; false where it is none.
    pub fn add(&mut self, entities: &Entities, item: u64, scale: f64) -> bool {
        let Some((keyword, values)) = entities.first(item) else {
            return false;
        };
        let read = match keyword {
            "TESSELLATED_SOLID" | "TESSELLATED_SHELL" | "TESSELLATED_GEOMETRIC_SET" => {
                for child in references(values, 1) {
                    // Edges and vertices stand beside the faces.
                    let kind = entities.first(child).map_or("", |(k, _)| k);
                    let is_line = matches!(
                        kind,
                        "TESSELLATED_EDGE"
                            | "TESSELLATED_VERTEX"
                            | "TESSELLATED_CURVE_SET"
                            | "TESSELLATED_POINT_SET"
                            | "TESSELLATED_CONNECTING_EDGE"
                    );
                    if !is_line && !self.add(entities, child, scale) {
                        self.lost
                            .push((child, format!("{} is not read", entities.kind(child))));
                    }
                }
                return true;
            }
            "TRIANGULATED_FACE" => self.plain(entities, values, scale, 5),
            "TRIANGULATED_SURFACE_SET" => self.plain(entities, values, scale, 4),
            "COMPLEX_TRIANGULATED_FACE" => self.strips(entities, values, scale, 5),
            "COMPLEX_TRIANGULATED_SURFACE_SET" => self.strips(entities, values, scale, 4),
            _ => return false,
        };
        if read.is_none() {
            self.lost.push((item, format!("{keyword} cannot be read")));
        }
        true
    }

    /// Vertex numbers of the points that an item counts from 1.
    fn points(
        &mut self,
        entities: &Entities,
        values: &[Value],
        scale: f64,
        pnindex: usize,
    ) -> Option<Vec<u32>> {
        let list = reference(values, 1)?;
        let record = entities.record(list, "COORDINATES_LIST")?;
        let rows = record.get(2)?.list()?;
        let start = if let Some(&start) = self.lists.get(&list) {
            start
        } else {
            let start = self.vertices.len() as u32;
            for row in rows {
                let at = row.numbers()?;
                let [x, y, z] = at[..] else { return None };
                let p = Vec3::new(x, y, z) * scale;
                if p.iter().any(|c| c.abs() > 1e9) {
                    return None;
                }
                self.vertices.push(p);
            }
            self.lists.insert(list, start);
            start
        };
        let index = values.get(pnindex)?.numbers().unwrap_or_default();
        let of = |n: f64| {
            let n = n as usize;
            (1..=rows.len()).contains(&n).then(|| start + n as u32 - 1)
        };
        if index.is_empty() {
            return Some((0..rows.len() as u32).map(|i| start + i).collect());
        }
        index.into_iter().map(of).collect()
    }

    fn plain(
        &mut self,
        entities: &Entities,
        values: &[Value],
        scale: f64,
        pnindex: usize,
    ) -> Option<()> {
        let points = self.points(entities, values, scale, pnindex)?;
        let mut triangles = Vec::new();
        for row in values.get(pnindex + 1)?.list()? {
            let corners = corners(row, &points)?;
            let [a, b, c] = corners[..] else { return None };
            triangles.push([a, b, c]);
        }
        self.push(triangles);
        Some(())
    }

    fn strips(
        &mut self,
        entities: &Entities,
        values: &[Value],
        scale: f64,
        pnindex: usize,
    ) -> Option<()> {
        let points = self.points(entities, values, scale, pnindex)?;
        let mut triangles = Vec::new();
        for row in values.get(pnindex + 1)?.list()? {
            let strip = corners(row, &points)?;
            for (i, t) in strip.windows(3).enumerate() {
                triangles.push(if i % 2 == 0 {
                    [t[0], t[1], t[2]]
                } else {
                    [t[1], t[0], t[2]]
                });
            }
        }
        for row in values.get(pnindex + 2)?.list()? {
            let fan = corners(row, &points)?;
            let Some((first, rest)) = fan.split_first() else {
                continue;
            };
            triangles.extend(rest.windows(2).map(|t| [*first, t[0], t[1]]));
        }
        self.push(triangles);
        Some(())
    }

    fn push(&mut self, triangles: Vec<[u32; 3]>) {
        let is_one = |t: &[u32; 3]| t[0] != t[1] && t[1] != t[2] && t[2] != t[0];
        self.triangles.extend(triangles.into_iter().filter(is_one));
    }
}

fn corners(row: &Value, points: &[u32]) -> Option<Vec<u32>> {
    let list = row.list()?;
    (0..list.len())
        .map(|i| {
            points
                .get((number(list, i)? as usize).checked_sub(1)?)
                .copied()
        })
        .collect()
}
