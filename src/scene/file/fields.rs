//! Typed access to JSON fields, with errors that name the place and the field.

use serde_json::{Map, Value};

use crate::geom::{Pose, Rotation, Vec3, plain};

/// A field that is missing, of the wrong kind, or out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: \"{field}\" {problem}")]
pub struct Invalid {
    /// The cable or part it belongs to, in words.
    pub place: String,
    /// Its name in the file.
    pub field: String,
    /// What it must be, and what it is.
    pub problem: String,
}

impl Invalid {
    /// Puts the three together.
    pub fn new(
        place: impl Into<String>,
        field: impl Into<String>,
        problem: impl Into<String>,
    ) -> Self {
        Self {
            place: place.into(),
            field: field.into(),
            problem: problem.into(),
        }
    }
}

/// A JSON object that is read field by field.
pub struct Fields {
    /// What the object is, for messages.
    pub place: String,
    map: Map<String, Value>,
}

impl Fields {
    /// The fields of an object called `place` in messages.
    pub fn new(place: impl Into<String>, map: Map<String, Value>) -> Self {
        Self {
            place: place.into(),
            map,
        }
    }

    /// Takes `value` when it is an object; `field` says where it stood.
    pub fn of(place: &str, field: &str, value: Value) -> Result<Self, Invalid> {
        match value {
            Value::Object(map) => Ok(Self::new(place, map)),
            other => Err(wrong(place, field, "must be an object", &other)),
        }
    }

    /// The field, when it is there and not null.
    pub fn optional(&mut self, field: &str) -> Option<Value> {
        self.map.remove(field).filter(|v| !v.is_null())
    }

    /// The field.
    pub fn required(&mut self, field: &str) -> Result<Value, Invalid> {
        let found = self.map.remove(field);
        found.ok_or_else(|| Invalid::new(&self.place, field, "is missing"))
    }

    /// A text.
    pub fn text(&mut self, field: &str) -> Result<String, Invalid> {
        match self.required(field)? {
            Value::String(text) => Ok(text),
            other => Err(wrong(&self.place, field, "must be a text", &other)),
        }
    }

    /// A number.
    pub fn number(&mut self, field: &str) -> Result<f64, Invalid> {
        let value = self.required(field)?;
        number(&self.place, field, &value)
    }

    /// A number of things.
    pub fn count(&mut self, field: &str) -> Result<usize, Invalid> {
        let value = self.required(field)?;
        let count = value.as_u64().and_then(|n| usize::try_from(n).ok());
        count.ok_or_else(|| {
            wrong(
                &self.place,
                field,
                "must be a whole number, not negative",
                &value,
            )
        })
    }

    /// A list of anything.
    pub fn list(&mut self, field: &str) -> Result<Vec<Value>, Invalid> {
        match self.required(field)? {
            Value::Array(items) => Ok(items),
            other => Err(wrong(&self.place, field, "must be a list", &other)),
        }
    }

    /// A point: three numbers.
    pub fn point(&mut self, field: &str) -> Result<Vec3, Invalid> {
        let value = self.required(field)?;
        point(&self.place, field, &value)
    }

    /// Position and rotation.
    pub fn pose(&mut self) -> Result<Pose, Invalid> {
        let position = self.point("position")?;
        let value = self.required("rotation")?;
        Ok(Pose {
            position,
            rotation: rotation(&self.place, "rotation", &value)?,
        })
    }

    /// The field as `T`; the default when it is left out.
    pub fn parsed<T: serde::de::DeserializeOwned + Default>(
        &mut self,
        field: &str,
    ) -> Result<T, Invalid> {
        match self.optional(field) {
            None => Ok(T::default()),
            Some(value) => serde_json::from_value(value)
                .map_err(|e| Invalid::new(&self.place, field, format!("is not usable: {e}"))),
        }
    }

    /// An error when fields are left: this version does not know them, and would lose them.
    pub fn finish(self) -> Result<(), Invalid> {
        match self.map.keys().next() {
            Some(field) => Err(Invalid::new(
                self.place,
                field,
                "is not a field of this version of the format; remove it or update Loomwright",
            )),
            None => Ok(()),
        }
    }

    /// The fields that were not read.
    pub fn rest(self) -> Map<String, Value> {
        self.map
    }
}

/// The error for a value that is not what it must be.
pub fn wrong(place: &str, field: &str, must: &str, value: &Value) -> Invalid {
    let mut shown: String = value.to_string().chars().take(60).collect();
    if shown.chars().count() == 60 {
        shown.push('…');
    }
    Invalid::new(place, field, format!("{must}, but is {shown}"))
}

/// A number of a list.
pub fn number(place: &str, field: &str, value: &Value) -> Result<f64, Invalid> {
    value
        .as_f64()
        .filter(|x| x.is_finite())
        .ok_or_else(|| wrong(place, field, "must be a finite number", value))
}

fn numbers<const N: usize>(value: &Value) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
    let numbers: [f64; N] = numbers?.try_into().ok()?;
    numbers.iter().all(|x| x.is_finite()).then_some(numbers)
}

/// Three numbers.
pub fn point(place: &str, field: &str, value: &Value) -> Result<Vec3, Invalid> {
    numbers::<3>(value)
        .map(Vec3::from)
        .ok_or_else(|| wrong(place, field, "must be three finite numbers", value))
}

/// A rotation as w, x, y, z.
pub fn rotation(place: &str, field: &str, value: &Value) -> Result<Rotation, Invalid> {
    let must = "must be four numbers w, x, y, z of a quaternion that is not zero";
    let [w, x, y, z] = numbers::<4>(value).ok_or_else(|| wrong(place, field, must, value))?;
    plain::rotation_from([w, x, y, z]).ok_or_else(|| wrong(place, field, must, value))
}
