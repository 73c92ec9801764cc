//! The data of a glTF: in the file, in its text, or in files beside it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gltf_json::Root;

use super::no_such;
use crate::disk::read_bounded;
use crate::mesh::import::ImportError;
use crate::mesh::import::error::Place;
use crate::mesh::import::raw::shown;

/// Largest buffer that is read; keeps vertex numbers within 32 bits.
const MAX_BUFFER: u64 = 8 << 30;

/// Buffers that were looked at.
pub struct Buffers<'a> {
    /// The data of a GLB.
    own: Option<&'a [u8]>,
    /// Where files are looked for.
    folder: Option<PathBuf>,
    read: HashMap<usize, Rc<Cow<'a, [u8]>>>,
}

impl<'a> Buffers<'a> {
    /// Buffers of a file with this data in it, and in this folder.
    pub fn new(own: Option<&'a [u8]>, folder: Option<&Path>) -> Self {
        Self {
            own,
            folder: folder.map(Path::to_owned),
            read: HashMap::new(),
        }
    }

    /// The bytes of a buffer.
    pub fn get(&mut self, root: &Root, number: usize) -> Result<Rc<Cow<'a, [u8]>>, ImportError> {
        if let Some(bytes) = self.read.get(&number) {
            return Ok(Rc::clone(bytes));
        }
        let n_buffers = root.buffers.len();
        let buffer = root
            .buffers
            .get(number)
            .ok_or_else(|| no_such("buffer", number, n_buffers))?;
        let damaged = |reason: String| ImportError::Damaged {
            place: Place::Item(format!("buffer {number}")),
            reason,
        };
        let bytes = match &buffer.uri {
            None => match self.own {
                Some(own) if number == 0 => Cow::Borrowed(own),
                _ => return Err(damaged("it has no data".to_owned())),
            },
            Some(uri) => match uri.strip_prefix("data:") {
                Some(data) => {
                    let text = data.split_once(";base64,").map(|(_, text)| text);
                    let text = text.ok_or_else(|| damaged("its data is not base64".to_owned()))?;
                    let bytes = STANDARD.decode(text);
                    Cow::Owned(bytes.map_err(|e| damaged(format!("its base64 is wrong ({e})")))?)
                }
                None => Cow::Owned(self.read_beside(uri, number)?),
            },
        };
        let n_announced = buffer.byte_length.0;
        if n_announced > bytes.len() as u64 {
            return Err(damaged(format!(
                "it announces {n_announced} bytes, but only {} are there",
                bytes.len()
            )));
        }
        let bytes = Rc::new(bytes);
        self.read.insert(number, Rc::clone(&bytes));
        Ok(bytes)
    }

    /// A file of the folder, or of one in it.
    fn read_beside(&self, uri: &str, number: usize) -> Result<Vec<u8>, ImportError> {
        let trouble = |what: String| ImportError::NotSupported {
            place: Place::Item(format!("buffer {number}")),
            what,
            advice: "keep the files of the glTF together, or export it as one file (GLB)",
        };
        let name = percent_decoded(uri);
        let path = Path::new(&name);
        let is_inside = path.components().all(|c| matches!(c, Component::Normal(_)));
        let Some(folder) = self
            .folder
            .as_ref()
            .filter(|_| is_inside && !name.contains(':'))
        else {
            let name = shown(name.as_bytes());
            return Err(trouble(format!("its data is elsewhere, in \"{name}\"")));
        };
        let unreadable = |e: std::io::Error| {
            let name = shown(name.as_bytes());
            trouble(format!("its data in \"{name}\" cannot be read ({e})"))
        };
        // A link may lead out of the folder, whatever the name says.
        let path = folder.join(path).canonicalize().map_err(unreadable)?;
        let home = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        if !path.starts_with(home.canonicalize().map_err(unreadable)?) {
            let name = shown(name.as_bytes());
            return Err(trouble(format!(
                "its data is elsewhere: \"{name}\" is a link out of the folder"
            )));
        }
        read_bounded(&path, MAX_BUFFER).map_err(unreadable)
    }
}

/// `a%20b` to `a b`.
fn percent_decoded(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let hex = bytes
            .get(i + 1..i + 3)
            .and_then(|h| std::str::from_utf8(h).ok());
        let byte = hex.and_then(|h| u8::from_str_radix(h, 16).ok());
        match byte {
            Some(byte) if bytes[i] == b'%' => {
                decoded.push(byte);
                i += 3;
            }
            _ => {
                decoded.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_decoded() {
        assert_eq!(percent_decoded("a%20b%2Fc%"), "a b/c%");
        assert_eq!(percent_decoded("%c3%a9%zz"), "\u{e9}%zz");
    }
}
