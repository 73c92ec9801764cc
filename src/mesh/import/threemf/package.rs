//! The archive of a 3MF and its parts.

use std::io::{BufReader, Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::Event;
use zip::ZipArchive;

use super::model::{self, Model, attribute};
use crate::mesh::import::ImportError;
use crate::mesh::import::error::Place;
use crate::mesh::import::raw::shown;
use crate::progress::Stretch;

/// Bytes that any archive may unpack to.
const MAX_UNPACKED: u64 = 256 << 20;
/// Bytes that an archive may unpack to beside that, by its size; text like this packs about ten to one.
const MAX_RATIO: u64 = 30;
/// Ends of the kind of relation that leads to the model, in all editions.
const MODEL_RELATION: &str = "/3dmodel";

/// An open archive.
pub struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    /// Bytes that may still be unpacked.
    left: u64,
}

impl<'a> Package<'a> {
    /// Opens the archive.
    pub fn open(bytes: &'a [u8]) -> Result<Self, ImportError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| ImportError::Damaged {
            place: Place::Item("archive".to_owned()),
            reason: format!("the ZIP archive cannot be opened ({e})"),
        })?;
        Ok(Self {
            archive,
            left: MAX_UNPACKED + MAX_RATIO * bytes.len() as u64,
        })
    }

    /// Where the model is: as the relations of the package say, or at its usual place.
    pub fn main_model(&mut self) -> Result<String, ImportError> {
        const USUAL: &str = "3D/3dmodel.model";
        const RELATIONS: &str = "_rels/.rels";
        let mut found = None;
        if self.archive.index_for_name(RELATIONS).is_some() {
            let mut xml = self.entry(RELATIONS)?;
            let mut buffer = Vec::new();
            loop {
                let event = xml.read_event_into(&mut buffer);
                match event.map_err(|e| xml_error(RELATIONS, xml.error_position(), &e))? {
                    Event::Eof => break,
                    Event::Start(e) | Event::Empty(e)
                        if e.local_name().as_ref() == "Relationship"
                            && attribute(&e, "Type")
                                .is_some_and(|kind| kind.ends_with(MODEL_RELATION)) =>
                    {
                        let target = attribute(&e, "Target").unwrap_or_default();
                        found = Some(target.into_owned());
                    }
                    _ => {}
                }
                buffer.clear();
            }
        }
        let path = found.unwrap_or_else(|| USUAL.to_owned());
        let path = path.trim_start_matches('/').to_owned();
        if self.archive.index_for_name(&path).is_none() {
            return Err(ImportError::NotSupported {
                place: Place::Item("archive".to_owned()),
                what: format!("no model \"{}\" in it", shown(path.as_bytes())),
                advice: "only 3MF is read of ZIP archives; unpack others first",
            });
        }
        Ok(path)
    }

    /// Reads a model.
    pub fn model(&mut self, path: &str, stretch: &Stretch) -> Result<Model, ImportError> {
        let path = path.trim_start_matches('/');
        model::read(&mut self.entry(path)?, path, stretch)
    }

    fn entry(
        &mut self,
        path: &str,
    ) -> Result<Reader<impl std::io::BufRead + use<'_, 'a>>, ImportError> {
        let entry = self
            .archive
            .by_name(path)
            .map_err(|e| ImportError::Damaged {
                place: Place::Item(format!("\"{}\" in the archive", shown(path.as_bytes()))),
                reason: format!("it cannot be unpacked ({e})"),
            })?;
        let limited = Limited {
            inner: entry,
            left: &mut self.left,
        };
        Ok(Reader::from_reader(BufReader::new(limited)))
    }
}

/// Fails after so many bytes, where `Read::take` would make it look like the end.
struct Limited<'a, R> {
    inner: R,
    left: &'a mut u64,
}

impl<R: Read> Read for Limited<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.inner.read(buffer)?;
        *self.left = self.left.checked_sub(n as u64).ok_or_else(|| {
            std::io::Error::other("the archive unpacks to far more than its size")
        })?;
        Ok(n)
    }
}

/// The error of XML that is none.
pub fn xml_error(path: &str, at: u64, error: &dyn std::fmt::Display) -> ImportError {
    ImportError::Damaged {
        place: Place::Item(format!("byte {at} of {}", shown(path.as_bytes()))),
        reason: error.to_string(),
    }
}
