//! Small files that unfold to very many parts take little memory, and lose no triangle.

use std::fmt::Write as _;

use loomwright::mesh::import::{
    ImportOptions, ImportWarning, ImportedFile, Importer, import_bytes,
};

use crate::counting::peak;
use crate::files;

/// Parts that are kept apart at most.
const MAX_PARTS: usize = 20_000;
/// Bytes that one of the small parts may take while the file is read.
const BYTES_EACH: usize = 2_000;

fn n_triangles(file: &ImportedFile) -> usize {
    file.parts.iter().map(|p| p.mesh.triangles().len()).sum()
}

fn check(file: &ImportedFile, count: usize, n_bytes: usize) {
    assert_eq!(file.parts.len(), MAX_PARTS);
    assert_eq!(n_triangles(file), count);
    let limit = MAX_PARTS;
    let said = ImportWarning::TooManyParts { count, limit };
    assert!(file.warnings.contains(&said), "{:?}", file.warnings);
    println!("{count} parts: {} bytes each", n_bytes / count);
    assert!(n_bytes < BYTES_EACH * count, "{n_bytes} bytes");
}

#[test]
fn components_of_a_3mf_unfold_within_bounds() {
    // 240 times 240 copies of one triangle.
    let side = 240;
    let component = |object: usize| format!("<component objectid=\"{object}\"/>").repeat(side);
    let model = format!(
        "<model unit=\"millimeter\"><resources><object id=\"1\" name=\"t\"><mesh><vertices>\
         <vertex x=\"0\" y=\"0\" z=\"0\"/><vertex x=\"9\" y=\"0\" z=\"0\"/><vertex x=\"0\" y=\"9\" z=\"0\"/>\
         </vertices><triangles><triangle v1=\"0\" v2=\"1\" v3=\"2\"/></triangles></mesh></object>\
         <object id=\"2\"><components>{}</components></object>\
         <object id=\"3\"><components>{}</components></object></resources>\
         <build><item objectid=\"3\"/></build></model>",
        component(1),
        component(2)
    );
    let bytes = files::three_mf(&model);
    assert!(bytes.len() < 10_000);
    let (file, n_bytes) = peak(|| import_bytes(&bytes, "a.3mf").unwrap());
    // Copies at one place are told from each other only as parts; what became one part keeps one of them.
    assert_eq!(file.parts.len(), MAX_PARTS);
    let count = side * side;
    let limit = MAX_PARTS;
    let said = ImportWarning::TooManyParts { count, limit };
    assert!(file.warnings.contains(&said), "{:?}", file.warnings);
    println!("{count} parts: {} bytes each", n_bytes / count);
    assert!(n_bytes < BYTES_EACH * count, "{n_bytes} bytes");
}

#[test]
fn many_groups_of_one_triangle_stay_within_bounds() {
    let count = 50_000;
    let mut text = String::new();
    for i in 0..count {
        let _ = writeln!(text, "g g{i}\nv {i} 0 0\nv {i} 1 0\nv {i} 0 1\nf -3 -2 -1");
    }
    let (file, n_bytes) = peak(|| import_bytes(text.as_bytes(), "a.obj").unwrap());
    check(&file, count, n_bytes);
    assert_eq!(file.parts[MAX_PARTS - 1].name, "all other parts");
}

#[test]
fn a_body_of_very_many_pieces_is_not_split() {
    let count = MAX_PARTS + 1;
    let mut text = String::new();
    for i in 0..count {
        let _ = writeln!(text, "v {i} 0 0\nv {i} 1 0\nv {i} 0 1\nf -3 -2 -1");
    }
    let importer = Importer {
        options: ImportOptions {
            split_components: true,
            ..ImportOptions::default()
        },
        ..Importer::default()
    };
    let file = importer.bytes(text.as_bytes(), "a.obj").unwrap();
    assert_eq!((file.parts.len(), n_triangles(&file)), (1, count));
    let said = |w: &ImportWarning| matches!(w, ImportWarning::TooManyParts { .. });
    assert!(file.warnings.iter().any(said), "{:?}", file.warnings);
}
