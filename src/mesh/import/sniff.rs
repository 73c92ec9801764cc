//! Which format a file has: by its content first, by its extension second.

use super::format::{FORMATS, Format, Row};
use super::{ImportError, foreign, step};

/// What to do with a file that is not read.
const EXPORT: &str = "export the part as STEP, STL, OBJ, PLY, glTF or 3MF";

/// Beginnings of formats that users try, what to call them and what to do.
const OTHERS: [(&[u8], &str, &str); 7] = [
    (
        b"#Inventor",
        "a binary Open Inventor file",
        "save it as text",
    ),
    (b"<?xml", "an XML file", EXPORT),
    (b"<X3D", "an X3D file", "save it as VRML 2"),
    (b"\xff\xfe", "a text in UTF-16", "save it in UTF-8"),
    (b"\x1f\x8b", "a gzip archive", "unpack it first"),
    (b"\xfd7zXZ", "an xz archive", "unpack it first"),
    (b"Kaydara FBX", "an FBX file", EXPORT),
];

/// The format of `bytes`: by their content first, by the extension second.
pub fn sniff(bytes: &[u8], file_name: &str) -> Result<Format, ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::EmptyFile);
    }
    if let Some(row) = FORMATS.iter().find(|row| (row.begins)(bytes)) {
        return Ok(row.format());
    }
    let text = text_of(bytes);
    if let Some((_, format, advice)) = OTHERS.iter().find(|(magic, ..)| text.starts_with(magic)) {
        return Err(ImportError::OtherFormat { format, advice });
    }
    if let Some((format, advice)) = foreign::by_content(bytes) {
        return Err(ImportError::OtherFormat { format, advice });
    }
    let extension = extension(file_name);
    let named = |row: &&&Row| row.extensions.contains(&extension.as_str()) && (row.may_be)(bytes);
    if let Some(row) = FORMATS.iter().find(named) {
        return Ok(row.format());
    }
    Err(match foreign::by_extension(&extension) {
        Some((format, advice)) => ImportError::OtherFormat { format, advice },
        None => ImportError::UnknownFormat,
    })
}

/// How much of a file is looked through for bodies; beyond, it is taken to hold some.
const MAX_LOOK: u64 = 16 << 20;

/// What stands in every STEP file with solids, surfaces or triangles.
const BODY_WORDS: [&[u8]; 3] = [b"_BREP", b"SURFACE_MODEL", b"TESSELLATED_"];

/// Whether a file is STEP and holds nothing that has a surface: curves at most. False where it cannot be read.
pub fn holds_curves_alone(path: &std::path::Path) -> bool {
    let Ok(bytes) = crate::disk::read_bounded(path, MAX_LOOK) else {
        return false;
    };
    (step::FORMAT.begins)(&bytes) && !BODY_WORDS.iter().any(|w| foreign::contains(&bytes, w))
}

/// Whether the first line begins with one word and has another in it.
pub fn first_line_has(bytes: &[u8], words: [&[u8]; 2]) -> bool {
    let line = first_line(text_of(bytes));
    let has = |word: &[u8]| {
        line.windows(word.len())
            .any(|w| w.eq_ignore_ascii_case(word))
    };
    line.starts_with(words[0]) && has(words[1])
}

/// Whether it may be a text: no zero byte near its beginning.
pub fn is_text(bytes: &[u8]) -> bool {
    !bytes[..bytes.len().min(1024)].contains(&0)
}

/// The bytes without a UTF-8 byte order mark.
pub fn text_of(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

pub fn first_line(text: &[u8]) -> &[u8] {
    let start = &text[..text.len().min(200)];
    let end = start.iter().position(|&b| b == b'\n' || b == b'\r');
    &start[..end.unwrap_or(start.len())]
}

fn extension(file_name: &str) -> String {
    std::path::Path::new(file_name)
        .extension()
        .map(|e| e.to_string_lossy().to_ascii_lowercase())
        .unwrap_or_default()
}

/// Whether a text begins with a word, whatever its case.
pub fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}
