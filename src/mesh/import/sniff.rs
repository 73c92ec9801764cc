//! Which format a file has: by its content first, by its extension second.

use serde::{Deserialize, Serialize};

use super::{ImportError, foreign};

/// A format with a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// 80 bytes of header, a count, 50 bytes a triangle.
    StlBinary,
    /// `solid`, `facet normal`, `vertex` ...
    StlText,
    /// Wavefront OBJ.
    Obj,
    /// Stanford PLY, text or binary.
    Ply,
    /// glTF 2 as text; buffers inside or in files beside it.
    Gltf,
    /// glTF 2 in one binary file.
    Glb,
    /// 3D Manufacturing Format: XML in a ZIP archive.
    ThreeMf,
    /// VRML 2 (VRML97).
    Vrml,
    /// STEP: AP203, AP214, AP242.
    Step,
    /// Open Inventor 2 in text, and VRML 1, which is a part of it.
    Inventor,
}

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

/// First words of OBJ statements that may open a file.
const OBJ_WORDS: [&[u8]; 12] = [
    b"v", b"vn", b"vt", b"vp", b"f", b"g", b"o", b"s", b"mtllib", b"usemtl", b"l", b"p",
];

/// The format of `bytes`.
pub fn sniff(bytes: &[u8], file_name: &str) -> Result<Format, ImportError> {
    if bytes.is_empty() {
        return Err(ImportError::EmptyFile);
    }
    // The size tells a binary STL even when its header begins with "solid".
    if let Some(announced) = announced_triangles(bytes)
        && bytes.len() as u64 == 84 + 50 * u64::from(announced)
    {
        return Ok(Format::StlBinary);
    }
    let text = text_of(bytes);
    if let Some(format) = by_content(text) {
        return Ok(format);
    }
    if let Some((_, format, advice)) = OTHERS.iter().find(|(magic, ..)| text.starts_with(magic)) {
        return Err(ImportError::OtherFormat { format, advice });
    }
    if let Some((format, advice)) = foreign::by_content(bytes) {
        return Err(ImportError::OtherFormat { format, advice });
    }
    let extension = extension(file_name);
    if let Some(format) = by_extension(bytes, &extension) {
        return Ok(format);
    }
    Err(match foreign::by_extension(&extension) {
        Some((format, advice)) => ImportError::OtherFormat { format, advice },
        None => ImportError::UnknownFormat,
    })
}

fn by_content(text: &[u8]) -> Option<Format> {
    let first_line = first_line(text);
    let has_words = |words: [&[u8]; 2]| {
        first_line.starts_with(words[0])
            && first_line
                .windows(words[1].len())
                .any(|w| w.eq_ignore_ascii_case(words[1]))
    };
    if text.starts_with(b"glTF") {
        Some(Format::Glb)
    } else if text.starts_with(b"ply") && first_line.trim_ascii() == b"ply" {
        Some(Format::Ply)
    } else if text.trim_ascii_start().starts_with(b"ISO-10303-21") {
        Some(Format::Step)
    } else if text.starts_with(b"PK\x03\x04") {
        Some(Format::ThreeMf)
    } else if has_words([b"#VRML", b"V2.0"]) {
        Some(Format::Vrml)
    } else if has_words([b"#VRML", b"V1.0"]) || has_words([b"#Inventor", b"ascii"]) {
        Some(Format::Inventor)
    } else if text.trim_ascii_start().starts_with(b"{") {
        Some(Format::Gltf)
    } else if begins_stl_text(text) {
        Some(Format::StlText)
    } else if begins_obj(text) {
        Some(Format::Obj)
    } else {
        None
    }
}

fn by_extension(bytes: &[u8], extension: &str) -> Option<Format> {
    let is_binary = bytes[..bytes.len().min(1024)].contains(&0);
    match extension {
        "stl" if is_binary || bytes.len() >= 84 && !starts_with_word(text_of(bytes), b"solid") => {
            Some(Format::StlBinary)
        }
        "stl" => Some(Format::StlText),
        "obj" if !is_binary => Some(Format::Obj),
        "ply" => Some(Format::Ply),
        "gltf" if !is_binary => Some(Format::Gltf),
        "glb" => Some(Format::Glb),
        "3mf" => Some(Format::ThreeMf),
        "wrl" | "vrml" if !is_binary => Some(Format::Vrml),
        "iv" if !is_binary => Some(Format::Inventor),
        "step" | "stp" if !is_binary => Some(Format::Step),
        _ => None,
    }
}

/// The triangle count of a binary STL header; `None` when the file is too short for one.
pub fn announced_triangles(bytes: &[u8]) -> Option<u32> {
    let count = bytes.get(80..84)?;
    Some(u32::from_le_bytes(count.try_into().ok()?))
}

/// The bytes without a UTF-8 byte order mark.
pub fn text_of(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn first_line(text: &[u8]) -> &[u8] {
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

fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

/// `solid`, any name, and then a line that begins with `facet` or `endsolid`; or `facet normal` at once.
fn begins_stl_text(text: &[u8]) -> bool {
    if starts_with_word(text, b"facet") {
        return true;
    }
    if !starts_with_word(text, b"solid") {
        return false;
    }
    let mut lines = text
        .trim_ascii_start()
        .split(|&b| b == b'\n' || b == b'\r')
        .skip(1)
        .filter(|line| !line.trim_ascii().is_empty());
    lines.next().is_some_and(|line| {
        [&b"facet"[..], b"endsolid", b"solid", b"color"]
            .iter()
            .any(|word| starts_with_word(line, word))
    })
}

/// The first line that is no comment begins with a statement of OBJ and holds no zero byte.
fn begins_obj(text: &[u8]) -> bool {
    text.split(|&b| b == b'\n' || b == b'\r')
        .map(<[u8]>::trim_ascii)
        .find(|line| !line.is_empty() && !line.starts_with(b"#"))
        .is_some_and(|line| {
            let word = line
                .split(u8::is_ascii_whitespace)
                .next()
                .unwrap_or_default();
            OBJ_WORDS.contains(&word) && !line.contains(&0)
        })
}
