//! Access to the instances of a STEP file by what they mean.

use std::collections::{BTreeMap, HashMap};

use super::super::tree::Affine;
use crate::geom::Vec3;
use crate::mesh::tessellate::Frame;
use crate::part21::{Instance, Value};

/// Instances by number and by keyword.
pub struct Entities<'a> {
    instances: &'a BTreeMap<u64, Instance>,
    by_keyword: HashMap<&'a str, Vec<u64>>,
}

/// Entities of which there are many and which are reached by reference only: not worth a list.
const PLAIN: [&str; 10] = [
    "CARTESIAN_POINT",
    "DIRECTION",
    "VECTOR",
    "LINE",
    "VERTEX_POINT",
    "ORIENTED_EDGE",
    "EDGE_CURVE",
    "AXIS2_PLACEMENT_3D",
    "AXIS2_PLACEMENT_2D",
    "PCURVE",
];

impl<'a> Entities<'a> {
    /// Sorts the instances of a file.
    pub fn new(instances: &'a BTreeMap<u64, Instance>) -> Self {
        let mut by_keyword: HashMap<&str, Vec<u64>> = HashMap::new();
        for (number, instance) in instances {
            for (keyword, _) in &instance.records {
                if !PLAIN.contains(&&**keyword) {
                    by_keyword.entry(keyword).or_default().push(*number);
                }
            }
        }
        Self {
            instances,
            by_keyword,
        }
    }

    /// The numbers of all instances that are so, ascending.
    pub fn where_all(&self, is_so: impl Fn(&Instance) -> bool) -> Vec<u64> {
        let found = self.instances.iter().filter(|(_, i)| is_so(i));
        found.map(|(number, _)| *number).collect()
    }

    /// The numbers of all instances of that keyword, ascending.
    pub fn all(&self, keyword: &str) -> &[u64] {
        self.by_keyword.get(keyword).map_or(&[], Vec::as_slice)
    }

    /// An instance.
    pub fn get(&self, number: u64) -> Option<&'a Instance> {
        self.instances.get(&number)
    }

    /// The record of that keyword of an instance.
    pub fn record(&self, number: u64, keyword: &str) -> Option<&'a [Value]> {
        self.instances.get(&number)?.record(keyword)
    }

    /// Keyword and parameters of the first record.
    pub fn first(&self, number: u64) -> Option<(&'a str, &'a [Value])> {
        let (keyword, values) = self.instances.get(&number)?.records.first()?;
        Some((keyword, values))
    }

    /// What an instance is called in a message.
    pub fn kind(&self, number: u64) -> String {
        match self.instances.get(&number) {
            Some(instance) => {
                let words: Vec<&str> = instance.records.iter().map(|(k, _)| &**k).collect();
                words.join(" ")
            }
            None => "missing".to_owned(),
        }
    }

    /// A point, in the file's own unit.
    pub fn point(&self, number: u64) -> Option<Vec3> {
        triple(self.record(number, "CARTESIAN_POINT")?)
    }

    /// A direction.
    pub fn direction(&self, number: u64) -> Option<Vec3> {
        triple(self.record(number, "DIRECTION")?)
    }

    /// An axis placement, lengths times `scale`.
    pub fn placement(&self, number: u64, scale: f64) -> Option<Frame> {
        let (keyword, values) = self.first(number)?;
        let at = |i: usize| values.get(i).and_then(Value::reference);
        let origin = self.point(at(1)?)? * scale;
        let axis = at(2)
            .and_then(|n| self.direction(n))
            .unwrap_or_else(Vec3::z);
        match keyword {
            "AXIS2_PLACEMENT_3D" => Frame::new(origin, axis, at(3).and_then(|n| self.direction(n))),
            "AXIS1_PLACEMENT" => Frame::new(origin, axis, None),
            _ => None,
        }
    }

    /// A transformation operator: axes, origin and scale.
    pub fn operator(&self, number_of: u64, scale: f64) -> Option<Affine> {
        let (keyword, values) = self.first(number_of)?;
        if !keyword.starts_with("CARTESIAN_TRANSFORMATION_OPERATOR") {
            return None;
        }
        let instance = self.get(number_of)?;
        // Axes 1 and 2, origin, scale, axis 3; a text stands before them, or two as in the schema.
        let values = instance
            .record("CARTESIAN_TRANSFORMATION_OPERATOR_3D")
            .unwrap_or(values);
        let skip = values.iter().take_while(|v| v.text().is_some()).count();
        let values = &values[skip..];
        let direction = |i: usize| reference(values, i).and_then(|n| self.direction(n));
        let origin = self.point(reference(values, 2)?)? * scale;
        let x = direction(0);
        let y = direction(1);
        let z = direction(4)
            .or_else(|| Some(x?.cross(&y?)))
            .unwrap_or_else(Vec3::z);
        let frame = Frame::new(origin, z, x)?;
        let mut axes = frame.axes();
        // A second axis on the other side is a mirror.
        if y.is_some_and(|y| frame.y.dot(&y) < 0.0) {
            axes.set_column(1, &(-frame.y));
        }
        let factor = number(values, 3).unwrap_or(1.0);
        Some(Affine {
            linear: axes * factor,
            offset: frame.origin,
        })
    }
}

/// Three coordinates, or two.
fn triple(values: &[Value]) -> Option<Vec3> {
    let list = values.get(1)?.list()?;
    let at = |i: usize| list.get(i).map_or(Some(0.0), Value::number);
    Some(Vec3::new(at(0)?, at(1)?, at(2)?))
}

/// `.T.` or `.F.`; true where it is neither.
pub fn is_true(value: Option<&Value>) -> bool {
    value.and_then(Value::enumeration) != Some("F")
}

/// Parameter `i` as a reference.
pub fn reference(values: &[Value], i: usize) -> Option<u64> {
    values.get(i)?.reference()
}

/// Parameter `i` as a number.
pub fn number(values: &[Value], i: usize) -> Option<f64> {
    values.get(i)?.number()
}

/// Parameter `i` as a list of references; what is none is left out.
pub fn references(values: &[Value], i: usize) -> Vec<u64> {
    let list = values.get(i).and_then(Value::list).unwrap_or_default();
    list.iter().filter_map(Value::reference).collect()
}
