//! Which format a file has: by its content first, by its extension second.

use super::ImportError;

/// A format with a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// 80 bytes of header, a count, 50 bytes a triangle.
    StlBinary,
    /// `solid`, `facet normal`, `vertex` ...
    StlText,
    /// Wavefront OBJ.
    Obj,
}

/// Beginnings of formats that users try, and what to call them.
const OTHERS: [(&[u8], &str); 9] = [
    (b"glTF", "a binary glTF file"),
    (b"ply\n", "a PLY file"),
    (b"ply\r", "a PLY file"),
    (b"PK\x03\x04", "a ZIP archive (3MF or the like)"),
    (b"ISO-10303-21", "a STEP file"),
    (b"#VRML", "a VRML file"),
    (b"#Inventor", "an Open Inventor file"),
    (b"<?xml", "an XML file"),
    (b"\xff\xfe", "a text in UTF-16"),
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
    if let Some((_, format)) = OTHERS.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(ImportError::OtherFormat { format });
    }
    let text = text_of(bytes);
    if begins_stl_text(text) {
        return Ok(Format::StlText);
    }
    if begins_obj(text) {
        return Ok(Format::Obj);
    }
    let is_binary = bytes[..bytes.len().min(1024)].contains(&0);
    match extension(file_name).as_str() {
        "stl" if is_binary || bytes.len() >= 84 && !starts_with_word(text, b"solid") => {
            Ok(Format::StlBinary)
        }
        "stl" => Ok(Format::StlText),
        "obj" if !is_binary => Ok(Format::Obj),
        _ => Err(ImportError::UnknownFormat),
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
