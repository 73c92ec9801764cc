//! One model of a 3MF: its objects and what is to be built of them, read as a stream.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::package::xml_error;
use crate::geom::{Mat3, Vec3};
use crate::mesh::import::error::Place;
use crate::mesh::import::raw::{checked_point, shown};
use crate::mesh::import::tree::{Affine, Shape};
use crate::mesh::import::{Color, ImportError, Unit};
use crate::progress::Stretch;

/// A model.
pub struct Model {
    /// Unit of its lengths.
    pub unit: Unit,
    /// Its objects by number.
    pub objects: HashMap<u32, Object>,
    /// What is to be built.
    pub build: Vec<Placement>,
    /// Colours by group.
    colors: HashMap<u32, Vec<Option<Color>>>,
}

/// An object: triangles, or others put together.
#[derive(Default)]
pub struct Object {
    /// As the file has it; may be empty.
    pub name: String,
    /// Its triangles.
    pub shape: Shape,
    /// What it is put together of.
    pub components: Vec<Placement>,
}

/// An object at a place.
pub struct Placement {
    /// Its number.
    pub object: u32,
    /// The model it is in, when that is another one.
    pub path: Option<String>,
    /// Where it goes.
    pub map: Affine,
}

impl Placement {
    /// The object where it is.
    pub fn of(object: u32) -> Self {
        Self {
            object,
            path: None,
            map: Affine::identity(),
        }
    }
}

impl Model {
    /// All objects, by number.
    pub fn objects_in_order(&self) -> Vec<u32> {
        let mut ids: Vec<u32> = self.objects.keys().copied().collect();
        ids.sort_unstable();
        ids
    }
}

/// The value of an attribute, by its name without prefix.
pub fn attribute<'a>(element: &'a BytesStart, name: &str) -> Option<Cow<'a, str>> {
    let mut attributes = element.attributes();
    attributes
        .with_checks(false)
        .flatten()
        .find(|a| a.key.local_name().as_ref() == name)
        .map(|a| a.value)
}

/// Reads a model from its XML.
pub fn read(
    xml: &mut Reader<impl BufRead>,
    path: &str,
    stretch: &Stretch,
) -> Result<Model, ImportError> {
    let mut reading = Reading {
        model: Model {
            unit: Unit::Millimetre,
            objects: HashMap::new(),
            build: Vec::new(),
            colors: HashMap::new(),
        },
        object: None,
        group: 0,
        path,
        at: 0,
    };
    let mut buffer = Vec::new();
    let mut n_events = 0_usize;
    let mut has_model = false;
    loop {
        n_events += 1;
        // The end is not known: nearer and nearer to it.
        let done = n_events as f64 / (n_events as f64 + 1e6);
        if n_events.is_multiple_of(1 << 14) {
            stretch.at(done)?;
        }
        reading.at = xml.buffer_position();
        let event = xml.read_event_into(&mut buffer);
        match event.map_err(|e| xml_error(path, xml.error_position(), &e))? {
            Event::Start(e) => {
                has_model |= e.local_name().as_ref() == "model";
                reading.start(&e)?;
            }
            Event::Empty(e) => {
                reading.start(&e)?;
                reading.end(e.local_name().as_ref());
            }
            Event::End(e) => reading.end(e.local_name().as_ref()),
            Event::Eof if has_model => break,
            Event::Eof => return Err(reading.damaged("there is no <model> in it")),
            _ => {}
        }
        buffer.clear();
    }
    Ok(reading.model)
}

struct Reading<'p> {
    model: Model,
    /// The object that is being read.
    object: Option<(u32, Object)>,
    /// The group of colours that is being read.
    group: u32,
    path: &'p str,
    at: u64,
}

impl Reading<'_> {
    fn start(&mut self, e: &BytesStart) -> Result<(), ImportError> {
        match e.local_name().as_ref() {
            "vertex" => {
                let p = self.numbers(e, ["x", "y", "z"])?;
                let p = checked_point(p, || self.place())?;
                if let Some((_, object)) = &mut self.object {
                    object.shape.vertices.push(p);
                }
            }
            "triangle" => {
                let corners = self.numbers(e, ["v1", "v2", "v3"])?;
                let n = match &self.object {
                    Some((_, object)) => object.shape.vertices.len(),
                    None => 0,
                };
                let is_good = |c: &f64| *c >= 0.0 && *c < n as f64 && c.fract() == 0.0;
                if let Some(corner) = corners.iter().find(|c| !is_good(c)) {
                    let reason = format!("it uses vertex {corner}, but there are {n}");
                    return Err(self.damaged(&reason));
                }
                if let Some((_, object)) = &mut self.object {
                    object.shape.triangles.push(corners.map(|c| c as u32));
                }
            }
            "object" => {
                let id = self.id(e, "id")?;
                let name = attribute(e, "name").unwrap_or_default();
                let mut object = Object {
                    name: unescaped(&name),
                    ..Object::default()
                };
                object.shape.color = self.color(e);
                self.object = Some((id, object));
            }
            "component" => {
                let placement = self.placement(e)?;
                if let Some((_, object)) = &mut self.object {
                    object.components.push(placement);
                }
            }
            "item" => {
                let placement = self.placement(e)?;
                self.model.build.push(placement);
            }
            "model" => {
                if let Some(unit) = attribute(e, "unit") {
                    let named = Unit::named(&unit);
                    self.model.unit = named.ok_or_else(|| {
                        self.damaged(&format!("\"{}\" is no unit", shown(unit.as_bytes())))
                    })?;
                }
            }
            "basematerials" | "colorgroup" => self.group = self.id(e, "id")?,
            "base" | "color" => {
                let text = attribute(e, "displaycolor").or_else(|| attribute(e, "color"));
                let color = text.and_then(|text| hex_color(&text));
                self.model.colors.entry(self.group).or_default().push(color);
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, name: &str) {
        if name == "object"
            && let Some((id, object)) = self.object.take()
        {
            self.model.objects.insert(id, object);
        }
    }

    fn place(&self) -> Place {
        Place::Item(format!(
            "byte {} of {}",
            self.at,
            shown(self.path.as_bytes())
        ))
    }

    fn damaged(&self, reason: &str) -> ImportError {
        ImportError::Damaged {
            place: self.place(),
            reason: reason.to_owned(),
        }
    }

    /// Three numbers by the names of their attributes.
    fn numbers(&self, e: &BytesStart, names: [&str; 3]) -> Result<[f64; 3], ImportError> {
        let mut found = [None; 3];
        for attribute in e.attributes().with_checks(false).flatten() {
            let key = attribute.key.local_name();
            if let Some(k) = names.iter().position(|n| *n == key.as_ref()) {
                found[k] = number(&attribute.value);
            }
        }
        match found {
            [Some(a), Some(b), Some(c)] => Ok([a, b, c]),
            _ => Err(self.damaged(&format!(
                "<{}> lacks one of its three numbers",
                shown(e.local_name().as_ref().as_bytes())
            ))),
        }
    }

    fn id(&self, e: &BytesStart, name: &str) -> Result<u32, ImportError> {
        attribute(e, name)
            .and_then(|text| text.trim().parse().ok())
            .ok_or_else(|| {
                let element = shown(e.local_name().as_ref().as_bytes());
                self.damaged(&format!("<{element}> has no number {name}"))
            })
    }

    fn placement(&self, e: &BytesStart) -> Result<Placement, ImportError> {
        let mut placement = Placement::of(self.id(e, "objectid")?);
        if let Some(path) = attribute(e, "path") {
            let path = unescaped(&path);
            placement.path = Some(path.trim_start_matches('/').to_owned());
        }
        if let Some(text) = attribute(e, "transform") {
            placement.map =
                affine(&text).ok_or_else(|| self.damaged("a transform is not twelve numbers"))?;
        }
        Ok(placement)
    }

    /// The colour that an object's properties point to.
    fn color(&self, e: &BytesStart) -> Option<Color> {
        let group = self.id(e, "pid").ok()?;
        let index = self.id(e, "pindex").unwrap_or(0);
        *self.model.colors.get(&group)?.get(index as usize)?
    }
}

fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok()
}

/// Twelve numbers, row after row, of a matrix that rows are multiplied by from the left: the shift is the last row.
fn affine(text: &str) -> Option<Affine> {
    let m: Option<Vec<f64>> = text.split_whitespace().take(13).map(number).collect();
    let m = m.filter(|m| m.len() == 12)?;
    Some(Affine {
        linear: Mat3::from_fn(|row, column| m[3 * column + row]),
        offset: Vec3::new(m[9], m[10], m[11]),
    })
}

/// `#RRGGBB` or `#RRGGBBAA`.
fn hex_color(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#')?;
    if !digits.is_ascii() || !matches!(digits.len(), 6 | 8) {
        return None;
    }
    let mut channels = [1.0; 4];
    for (k, channel) in channels.iter_mut().enumerate().take(digits.len() / 2) {
        let byte = u8::from_str_radix(&digits[2 * k..2 * k + 2], 16).ok()?;
        *channel = f64::from(byte) / 255.0;
    }
    Some(Color::new(channels))
}

/// A text with `&amp;` and the like made plain.
fn unescaped(text: &str) -> String {
    quick_xml::escape::unescape(text).map_or_else(|_| text.to_owned(), Cow::into_owned)
}
