//! Access to the instances of a STEP file by what they mean.

use std::collections::{BTreeMap, HashMap};

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
