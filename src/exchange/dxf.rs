//! DXF: splines in a complete R2000 file, or 3D polylines in R12, each route on a layer of its name.

use std::fmt::Display;
use std::fmt::Write;

use super::file::{Entries, Target};
use super::names::NameRule;
use super::remark;
use super::sample::cut;
use super::unit::LengthUnit;
use crate::geom::Vec3;

/// Layers of R2000: any text but a few signs.
pub const NAMES: NameRule = NameRule {
    longest: 200,
    upper_case: false,
    allows: |c| !c.is_control() && !r#"<>/\":;?*|=`,"#.contains(c),
    instead: Some('_'),
    letter_first: false,
    ascii: false,
};

/// Layers of R12: 31 letters, digits, `$`, `-` and `_`.
pub const R12_NAMES: NameRule = NameRule {
    longest: 31,
    upper_case: true,
    allows: |c| c.is_ascii_uppercase() || c.is_ascii_digit() || "$-_".contains(c),
    instead: Some('_'),
    letter_first: false,
    ascii: true,
};

/// A comment that says who wrote the file.
pub(super) const MARK: &str = "Loomwright routes";

/// The seven colours that every receiver has: number and sRGB.
const COLOURS: [(u8, [u8; 3]); 8] = [
    (1, [255, 0, 0]),
    (2, [255, 255, 0]),
    (3, [0, 255, 0]),
    (4, [0, 255, 255]),
    (5, [0, 0, 255]),
    (6, [255, 0, 255]),
    (8, [128, 128, 128]),
    (30, [255, 127, 0]),
];

/// Group codes and values, two lines each.
#[derive(Default)]
struct Tags {
    text: String,
}

impl Tags {
    fn add(&mut self, code: u16, value: impl Display) -> &mut Self {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{code:>3}\n{value}\n");
        self
    }

    fn all(&mut self, tags: &[(u16, &str)]) -> &mut Self {
        for (code, value) in tags {
            self.add(*code, value);
        }
        self
    }

    fn point(&mut self, p: &Vec3) -> &mut Self {
        self.add(10, p.x).add(20, p.y).add(30, p.z)
    }
}

/// The routes as splines: AC1015 with every table that AutoCAD asks for.
pub fn write(entries: &Entries, target: &Target) -> Vec<u8> {
    let mut tags = Tags::default();
    let unit = match target.convention.unit {
        LengthUnit::Mm => 4,
        LengthUnit::M => 6,
        LengthUnit::In => 1,
    };
    let first_entity = 0x100 + entries.len();
    tags.all(&[
        (0, "SECTION"),
        (2, "HEADER"),
        (999, MARK),
        (9, "$ACADVER"),
        (1, "AC1015"),
    ]);
    tags.all(&[(9, "$DWGCODEPAGE"), (3, "ANSI_1252"), (9, "$INSUNITS")]);
    tags.add(70, unit);
    tags.add(9, "$MEASUREMENT").add(70, u8::from(unit != 1));
    tags.add(9, "$HANDSEED")
        .add(5, format_args!("{:X}", first_entity + entries.len() + 1));
    tags.all(&[(0, "ENDSEC"), (0, "SECTION"), (2, "CLASSES"), (0, "ENDSEC")]);
    tables(&mut tags, entries);
    blocks(&mut tags);
    tags.all(&[(0, "SECTION"), (2, "ENTITIES")]);
    remarks(&mut tags, entries, target);
    for (i, entry) in entries.routes().enumerate() {
        let curve = entry.route.curve.mapped(|p| target.convention.outside(p));
        tags.add(0, "SPLINE")
            .add(5, format_args!("{:X}", first_entity + i));
        tags.all(&[(330, "1F"), (100, "AcDbEntity")]);
        tags.add(8, layer(entry.name));
        tags.all(&[
            (100, "AcDbSpline"),
            (210, "0.0"),
            (220, "0.0"),
            (230, "1.0"),
        ]);
        tags.add(70, 0).add(71, curve.degree());
        tags.add(72, curve.knots().len())
            .add(73, curve.points().len());
        tags.all(&[(74, "0"), (42, "0.0000001"), (43, "0.0000001")]);
        for knot in curve.knots() {
            tags.add(40, knot);
        }
        for p in curve.points() {
            tags.point(p);
        }
    }
    tags.add(0, "ENDSEC");
    tags.all(&[(0, "SECTION"), (2, "OBJECTS")]);
    tags.all(&[
        (0, "DICTIONARY"),
        (5, "C"),
        (330, "0"),
        (100, "AcDbDictionary"),
        (281, "1"),
    ]);
    tags.all(&[(3, "ACAD_GROUP"), (350, "D")]);
    tags.all(&[
        (0, "DICTIONARY"),
        (5, "D"),
        (330, "C"),
        (100, "AcDbDictionary"),
        (281, "1"),
    ]);
    tags.all(&[(0, "ENDSEC"), (0, "EOF")]);
    in_code_page(&tags.text)
}

/// What layers do not say, as comments.
fn remarks(tags: &mut Tags, entries: &Entries, target: &Target) {
    for remark in remark::lines(entries, target, 200) {
        tags.add(999, remark);
    }
}

fn tables(tags: &mut Tags, entries: &Entries) {
    let table = |tags: &mut Tags, name: &str, handle: &str, count: usize| {
        tags.all(&[
            (0, "TABLE"),
            (2, name),
            (5, handle),
            (330, "0"),
            (100, "AcDbSymbolTable"),
        ]);
        tags.add(70, count);
    };
    let record = |tags: &mut Tags, kind: &str, handle: &str, owner: &str, class: &str| {
        tags.all(&[(0, kind)]);
        tags.add(if kind == "DIMSTYLE" { 105 } else { 5 }, handle);
        tags.all(&[(330, owner), (100, "AcDbSymbolTableRecord"), (100, class)]);
    };
    tags.all(&[(0, "SECTION"), (2, "TABLES")]);
    table(tags, "VPORT", "8", 1);
    record(tags, "VPORT", "29", "8", "AcDbViewportTableRecord");
    tags.all(&[
        (2, "*ACTIVE"),
        (70, "0"),
        (10, "0.0"),
        (20, "0.0"),
        (11, "1.0"),
        (21, "1.0"),
    ]);
    tags.all(&[
        (12, "0.0"),
        (22, "0.0"),
        (13, "0.0"),
        (23, "0.0"),
        (14, "10.0"),
        (24, "10.0"),
    ]);
    tags.all(&[
        (15, "10.0"),
        (25, "10.0"),
        (16, "0.0"),
        (26, "0.0"),
        (36, "1.0"),
        (17, "0.0"),
    ]);
    tags.all(&[
        (27, "0.0"),
        (37, "0.0"),
        (40, "1000.0"),
        (41, "1.5"),
        (42, "50.0"),
        (43, "0.0"),
    ]);
    tags.all(&[
        (44, "0.0"),
        (50, "0.0"),
        (51, "0.0"),
        (71, "0"),
        (72, "100"),
        (73, "1"),
    ]);
    tags.all(&[
        (74, "3"),
        (75, "0"),
        (76, "0"),
        (77, "0"),
        (78, "0"),
        (0, "ENDTAB"),
    ]);
    table(tags, "LTYPE", "5", 3);
    for (handle, name) in [("14", "ByBlock"), ("15", "ByLayer"), ("16", "Continuous")] {
        record(tags, "LTYPE", handle, "5", "AcDbLinetypeTableRecord");
        tags.all(&[
            (2, name),
            (70, "0"),
            (3, ""),
            (72, "65"),
            (73, "0"),
            (40, "0.0"),
        ]);
    }
    tags.add(0, "ENDTAB");
    table(tags, "LAYER", "2", entries.len() + 1);
    record(tags, "LAYER", "10", "2", "AcDbLayerTableRecord");
    tags.all(&[
        (2, "0"),
        (70, "0"),
        (62, "7"),
        (6, "Continuous"),
        (370, "-3"),
        (390, "F"),
    ]);
    for (i, entry) in entries.routes().enumerate() {
        let handle = format!("{:X}", 0x100 + i);
        record(tags, "LAYER", &handle, "2", "AcDbLayerTableRecord");
        tags.add(2, layer(entry.name)).add(70, 0);
        tags.add(62, nearest_colour(entry.route.colour));
        tags.all(&[(6, "Continuous"), (370, "-3"), (390, "F")]);
    }
    tags.add(0, "ENDTAB");
    table(tags, "STYLE", "3", 1);
    record(tags, "STYLE", "11", "3", "AcDbTextStyleTableRecord");
    tags.all(&[
        (2, "Standard"),
        (70, "0"),
        (40, "0.0"),
        (41, "1.0"),
        (50, "0.0"),
        (71, "0"),
    ]);
    tags.all(&[(42, "2.5"), (3, "txt"), (4, ""), (0, "ENDTAB")]);
    table(tags, "VIEW", "6", 0);
    tags.add(0, "ENDTAB");
    table(tags, "UCS", "7", 0);
    tags.add(0, "ENDTAB");
    table(tags, "APPID", "9", 1);
    record(tags, "APPID", "12", "9", "AcDbRegAppTableRecord");
    tags.all(&[(2, "ACAD"), (70, "0"), (0, "ENDTAB")]);
    table(tags, "DIMSTYLE", "A", 1);
    tags.all(&[(100, "AcDbDimStyleTable"), (71, "0")]);
    record(tags, "DIMSTYLE", "27", "A", "AcDbDimStyleTableRecord");
    tags.all(&[(2, "Standard"), (70, "0"), (340, "11"), (0, "ENDTAB")]);
    table(tags, "BLOCK_RECORD", "1", 2);
    for (handle, name) in [("1F", "*Model_Space"), ("1B", "*Paper_Space")] {
        record(tags, "BLOCK_RECORD", handle, "1", "AcDbBlockTableRecord");
        tags.add(2, name);
    }
    tags.all(&[(0, "ENDTAB"), (0, "ENDSEC")]);
}

fn blocks(tags: &mut Tags) {
    tags.all(&[(0, "SECTION"), (2, "BLOCKS")]);
    for (begin, end, owner, name) in [
        ("20", "21", "1F", "*Model_Space"),
        ("1C", "1D", "1B", "*Paper_Space"),
    ] {
        tags.all(&[
            (0, "BLOCK"),
            (5, begin),
            (330, owner),
            (100, "AcDbEntity"),
            (8, "0"),
        ]);
        tags.all(&[(100, "AcDbBlockBegin"), (2, name), (70, "0")]);
        tags.all(&[(10, "0.0"), (20, "0.0"), (30, "0.0"), (3, name), (1, "")]);
        tags.all(&[
            (0, "ENDBLK"),
            (5, end),
            (330, owner),
            (100, "AcDbEntity"),
            (8, "0"),
        ]);
        tags.add(100, "AcDbBlockEnd");
    }
    tags.add(0, "ENDSEC");
}

/// The routes as 3D polylines: AC1009, the safest form.
pub fn write_polyline(entries: &Entries, target: &Target) -> Vec<u8> {
    let mut tags = Tags::default();
    tags.all(&[
        (0, "SECTION"),
        (2, "HEADER"),
        (999, MARK),
        (9, "$ACADVER"),
        (1, "AC1009"),
        (0, "ENDSEC"),
    ]);
    tags.all(&[
        (0, "SECTION"),
        (2, "TABLES"),
        (0, "TABLE"),
        (2, "LTYPE"),
        (70, "1"),
    ]);
    tags.all(&[
        (0, "LTYPE"),
        (2, "CONTINUOUS"),
        (70, "0"),
        (3, "Solid line"),
        (72, "65"),
    ]);
    tags.all(&[
        (73, "0"),
        (40, "0.0"),
        (0, "ENDTAB"),
        (0, "TABLE"),
        (2, "LAYER"),
    ]);
    tags.add(70, entries.len());
    for entry in entries.routes() {
        tags.all(&[(0, "LAYER"), (2, entry.name), (70, "0")]);
        tags.add(62, nearest_colour(entry.route.colour));
        tags.add(6, "CONTINUOUS");
    }
    tags.all(&[
        (0, "ENDTAB"),
        (0, "ENDSEC"),
        (0, "SECTION"),
        (2, "ENTITIES"),
    ]);
    remarks(&mut tags, entries, target);
    for entry in entries.routes() {
        tags.all(&[(0, "POLYLINE"), (8, entry.name), (66, "1")]);
        tags.all(&[(10, "0.0"), (20, "0.0"), (30, "0.0"), (70, "8")]);
        for sample in cut(&entry.route.curve, &target.fineness) {
            tags.all(&[(0, "VERTEX"), (8, entry.name)]);
            tags.point(&target.convention.outside(&sample.position));
            tags.add(70, 32);
        }
        tags.all(&[(0, "SEQEND"), (8, entry.name)]);
    }
    tags.all(&[(0, "ENDSEC"), (0, "EOF")]);
    in_code_page(&tags.text)
}

/// The bytes of a file in its code page, ANSI_1252, of which Latin-1 letters are used.
fn in_code_page(text: &str) -> Vec<u8> {
    // What is left is in Latin-1: the layers are coded.
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'_'))
        .collect()
}

/// A layer's name in the code page of the file: what is not a letter of it as `\U+7DDA`.
fn layer(name: &str) -> String {
    let mut coded = String::new();
    for c in name.chars() {
        if c.is_ascii() || ('\u{a0}'..='\u{ff}').contains(&c) {
            coded.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(coded, "\\U+{unit:04X}");
            }
        }
    }
    coded
}

pub(super) fn decoded_layer(coded: &str) -> String {
    let mut units: Vec<u16> = Vec::new();
    let mut rest = coded;
    while let Some(at) = rest.find("\\U+") {
        units.extend(rest[..at].encode_utf16());
        let code = rest.get(at + 3..at + 7);
        let unit = code.and_then(|hex| u16::from_str_radix(hex, 16).ok());
        let Some(unit) = unit else {
            units.extend("\\U+".encode_utf16());
            rest = &rest[at + 3..];
            continue;
        };
        units.push(unit);
        rest = &rest[at + 7..];
    }
    units.extend(rest.encode_utf16());
    String::from_utf16_lossy(&units)
}

fn nearest_colour(rgb: [u8; 3]) -> u8 {
    let distance = |other: &[u8; 3]| -> i32 {
        let squares = rgb.iter().zip(other).map(|(a, b)| {
            let d = i32::from(*a) - i32::from(*b);
            d * d
        });
        squares.sum()
    };
    COLOURS
        .iter()
        .min_by_key(|(_, other)| distance(other))
        .map_or(7, |(number, _)| *number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_come_back() {
        for name in ["W17", "Kabel Ä", "線😀", "a\\U+x"] {
            assert_eq!(decoded_layer(&layer(name)), name);
        }
    }
}
