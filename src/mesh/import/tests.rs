//! Good files, odd files and broken files, all written here.

use std::fmt::Write as _;

use super::*;
use crate::geom::Vec3;

/// Reads in mm, so that the size of the small bodies here is not wondered at; the error without the file's name.
fn import_bytes(bytes: &[u8], file_name: &str) -> Result<ImportedFile, ImportError> {
    let options = ImportOptions {
        units: Some(Unit::Millimetre),
        ..ImportOptions::default()
    };
    let importer = Importer {
        options,
        ..Importer::default()
    };
    importer.bytes(bytes, file_name).map_err(|e| match e {
        ImportError::InFile { path, error } => {
            assert_eq!(path, Path::new(file_name));
            *error
        }
        other => panic!("{other} has no file name"),
    })
}

/// A tetrahedron of four triangles, by corner coordinates.
fn tetrahedron(at: f32) -> Vec<[[f32; 3]; 3]> {
    let p = [
        [at, 0.0, 0.0],
        [at + 1.0, 0.0, 0.0],
        [at, 1.0, 0.0],
        [at, 0.0, 1.0],
    ];
    [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]
        .map(|t| t.map(|i: usize| p[i]))
        .to_vec()
}

fn stl_binary(header: &str, triangles: &[[[f32; 3]; 3]]) -> Vec<u8> {
    let mut bytes = header.as_bytes().to_vec();
    bytes.resize(80, b' ');
    bytes.extend((triangles.len() as u32).to_le_bytes());
    for t in triangles {
        bytes.extend([0; 12]);
        for c in t.iter().flatten() {
            bytes.extend(c.to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

fn stl_text(name: &str, triangles: &[[[f32; 3]; 3]]) -> String {
    let mut text = format!("solid{name}\n");
    for t in triangles {
        text += "  facet normal nan 0 0\n    outer loop\n";
        for [x, y, z] in t {
            let _ = writeln!(text, "      vertex {x} {y} {z:e}");
        }
        text += "    endloop\n  endfacet\n";
    }
    text + &format!("endsolid{name}\n")
}

const OBJ: &str = "# a cube's lid and a dart\r\nmtllib a.mtl\r\no lid\r\nv 0 0 0 0.5 0.5 0.5\r\nv 1 0 0\r\nv 1 1 0\r\n\
    v 0 1 0\r\nvn 0 0 1\r\nusemtl red\r\ns off\r\nf 1//1 2//1 \\\r\n  3//1 4//1\r\ng dart#1\r\nv 0 0 5\r\nv 4 3 5\r\n\
    v 0 1 5\r\nv -4 3 5\r\nf -4/1 -3 -2 -1\r\nl 1 2\r\np 1\r\n";

fn n_triangles(file: &ImportedFile) -> Vec<(&str, usize)> {
    file.parts
        .iter()
        .map(|p| (p.name.as_str(), p.mesh.triangles().len()))
        .collect()
}

fn area(mesh: &TriMesh) -> f64 {
    (0..mesh.triangles().len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            0.5 * (b - a).cross(&(c - a)).norm()
        })
        .sum()
}

#[test]
fn binary_stl_is_welded_and_named_after_its_file() {
    for header in ["", "solid cast\nfacet", "solid "] {
        let bytes = stl_binary(header, &tetrahedron(0.0));
        let file = import_bytes(&bytes, "dir/bracket.STL").unwrap();
        assert_eq!(n_triangles(&file), [("bracket", 4)]);
        assert_eq!(file.parts[0].mesh.vertices().len(), 4);
        assert!(file.warnings.is_empty());
        assert_eq!(file.sha256.len(), 64);
    }
}

#[test]
fn content_beats_the_extension() {
    let bytes = stl_binary("", &tetrahedron(0.0));
    assert!(import_bytes(&bytes, "a.obj").is_ok());
    assert!(import_bytes(OBJ.as_bytes(), "a.stl").is_ok());
    assert!(import_bytes(stl_text(" x", &tetrahedron(0.0)).as_bytes(), "a").is_ok());
}

#[test]
fn binary_stl_that_is_cut_off_says_how_much_is_there() {
    let bytes = stl_binary("", &tetrahedron(0.0));
    let error = import_bytes(&bytes[..84 + 120], "a.stl").unwrap_err();
    let expected = ImportError::Truncated {
        announced: 4,
        present: 2,
    };
    assert_eq!(error, expected);
    assert!(
        error
            .to_string()
            .contains("announces 4 triangles, but only 2")
    );
}

#[test]
fn a_count_of_four_billion_allocates_nothing() {
    let mut bytes = stl_binary("", &tetrahedron(0.0));
    bytes[80..84].copy_from_slice(&4_000_000_000_u32.to_le_bytes());
    assert!(matches!(
        import_bytes(&bytes, "a.stl"),
        Err(ImportError::Truncated { present: 4, .. })
    ));
}

#[test]
fn trailing_bytes_are_reported() {
    let mut bytes = stl_binary("", &tetrahedron(0.0));
    bytes.extend([7; 9]);
    let file = import_bytes(&bytes, "a.stl").unwrap();
    assert_eq!(file.warnings, [ImportWarning::TrailingBytes { count: 9 }]);
}

#[test]
fn text_stl_nameless_upper_case_blank_lines_and_several_solids() {
    let text = format!(
        "\n  \r\n{}{}{}{}",
        stl_text("", &tetrahedron(0.0)),
        stl_text(" lid", &tetrahedron(2.0)).to_uppercase(),
        stl_text(" LID", &tetrahedron(4.0)).replace('\n', "\r\n"),
        stl_text(" left over", &tetrahedron(6.0)).replace("endsolid left over\n", ""),
    );
    let file = import_bytes(text.as_bytes(), "all.stl").unwrap();
    let expected = [("all", 4), ("LID", 4), ("LID 2", 4), ("left over", 4)];
    assert_eq!(n_triangles(&file), expected);
    assert_eq!(
        file.warnings,
        [ImportWarning::MissingEnd {
            solid: "left over".to_owned()
        }]
    );
}

#[test]
fn text_stl_errors_name_the_line() {
    let text = stl_text(" a", &tetrahedron(0.0));
    let comma = text.replacen("vertex 1 0 ", "vertex 1,5 0 ", 1);
    let error = import_bytes(comma.as_bytes(), "a.stl")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 6") && error.contains("decimal points"),
        "{error}"
    );
    let nan = text.replacen("vertex 1 0 ", "vertex NaN 0 ", 1);
    let error = import_bytes(nan.as_bytes(), "a.stl")
        .unwrap_err()
        .to_string();
    assert!(error.contains("line 6") && error.contains("NaN"), "{error}");
    let two = text.replacen("      vertex 0 0 0e0\n", "", 1);
    let error = import_bytes(two.as_bytes(), "a.stl")
        .unwrap_err()
        .to_string();
    assert!(error.contains("2 vertices instead of 3"), "{error}");
    let cut = &text[..text.len() - 60];
    let error = import_bytes(cut.as_bytes(), "a.stl")
        .unwrap_err()
        .to_string();
    assert!(error.contains("cut off"), "{error}");
}

#[test]
fn degenerate_and_duplicate_triangles_are_dropped_and_counted() {
    let mut triangles = tetrahedron(0.0);
    let [a, b, c] = triangles[0];
    triangles.push([b, a, c]);
    triangles.push([a, a, b]);
    triangles.push([[0.0, 0.0, 0.0], [0.1, 0.1, 0.1], [0.3, 0.3, 0.3]]);
    triangles.push([[-0.0, 0.0, 0.0], b, c]);
    let file = import_bytes(&stl_binary("", &triangles), "a.stl").unwrap();
    assert_eq!(n_triangles(&file), [("a", 4)]);
    let part = "a".to_owned();
    assert_eq!(
        file.warnings,
        [
            ImportWarning::Degenerate {
                part: part.clone(),
                count: 2
            },
            ImportWarning::Duplicate { part, count: 2 },
        ]
    );
}

#[test]
fn nan_in_a_binary_stl_names_triangle_and_byte() {
    let mut triangles = tetrahedron(0.0);
    triangles[2][1][1] = f32::NAN;
    let error = import_bytes(&stl_binary("", &triangles), "a.stl").unwrap_err();
    assert!(
        error.to_string().starts_with("triangle 3 (byte 184)"),
        "{error}"
    );
}

#[test]
fn obj_groups_polygons_and_odd_lines() {
    let mut bytes = OBJ.as_bytes().to_vec();
    bytes.extend(b"# caf\xe9\r\ncurv 0 1 1 2\r\ncurv 0 1 2 3\r\nf 1 2\r\n");
    let file = import_bytes(&bytes, "a.obj").unwrap();
    assert_eq!(n_triangles(&file), [("lid", 2), ("lid/dart#1", 2)]);
    assert!((area(&file.parts[0].mesh) - 1.0).abs() < 1e-15);
    assert!((area(&file.parts[1].mesh) - 4.0).abs() < 1e-15);
    let ignored = |keyword: &str, count, line| ImportWarning::Ignored {
        keyword: keyword.to_owned(),
        count,
        line,
    };
    assert_eq!(
        file.warnings,
        [
            ignored("l", 1, 19),
            ignored("p", 1, 20),
            ignored("curv", 2, 22),
            ImportWarning::ShortFaces { count: 1, line: 24 },
        ]
    );
}

#[test]
fn obj_keeps_all_digits() {
    let text = "v 1234.123456789012 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
    let file = import_bytes(text.as_bytes(), "a.obj").unwrap();
    assert_eq!(
        file.parts[0].mesh.vertices()[0],
        Vec3::new(1_234.123_456_789_012, 0.0, 0.0)
    );
}

#[test]
fn obj_group_that_comes_back_is_one_part() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng a\nf 1 2 3\ng b\nf 1 2 4\ng a\nf 2 3 4\n";
    let file = import_bytes(text.as_bytes(), "x.obj").unwrap();
    assert_eq!(n_triangles(&file), [("a", 2), ("b", 1)]);
}

#[test]
fn obj_errors_name_the_line() {
    for (face, words) in [
        ("f 1 2 9", "out of range"),
        ("f 1 2 0", "out of range"),
        ("f 1 2 -4", "out of range"),
        ("f 1 2 99999999999999999999999", "whole number"),
        ("f 1 2 x", "whole number"),
        ("f 1 2 \u{e9}", "whole number"),
        ("v 1 2", "not a number"),
        ("v 1 2 inf", "finite"),
        ("v 1 2 1e300", "units"),
    ] {
        let text = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n\n{face}\n");
        let error = import_bytes(text.as_bytes(), "a.obj")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("line 5") && error.contains(words),
            "{error}"
        );
    }
}

#[test]
fn other_formats_are_called_by_name() {
    for (start, name, advice) in [
        ("Version 9.5 JT  DM 7.3", "JT", "STEP"),
        ("V5_CFV2\0\0CATPrtCont", "CATPart", "stp"),
        ("V5_CFV2\0\0CATCGRCont", "CGR", "stp"),
        ("\u{1}", "SolidWorks", "STEP"),
        (
            "**ABCDEFGHIJKLMNOPQRSTUVWXYZ\n**PARASOLID !\"#$",
            "Parasolid",
            "STEP",
        ),
        ("#Inventor V2.1 binary\n", "Inventor", "text"),
        ("<?xml version", "XML", "export"),
    ] {
        let file_name = if name == "SolidWorks" {
            "a.SLDPRT"
        } else {
            "a.stl"
        };
        let Err(error) = import_bytes(start.as_bytes(), file_name) else {
            panic!("{name} was read");
        };
        let error = error.to_string();
        assert!(error.contains(name) && error.contains(advice), "{error}");
    }
    let iges = format!("{:<72}S      1\n{:<72}G      1\n", "", "1H,,1H;");
    let error = import_bytes(iges.as_bytes(), "a").unwrap_err().to_string();
    assert!(
        error.contains("IGES") && error.contains("import-routes"),
        "{error}"
    );
    let compound = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1  SolidWorks  ";
    let error = import_bytes(compound, "a").unwrap_err().to_string();
    assert!(
        error.contains("SolidWorks") && error.contains("AP214"),
        "{error}"
    );
    assert_eq!(import_bytes(b"", "a.stl"), Err(ImportError::EmptyFile));
    assert_eq!(
        import_bytes(b"hello", "a.txt"),
        Err(ImportError::UnknownFormat)
    );
    assert!(import_bytes(&[0; 84], "a.stl").is_err());
}

#[test]
fn no_prefix_and_no_noise_panics() {
    let two = [tetrahedron(0.0), tetrahedron(3.0)].concat();
    let files = [
        stl_binary("solid x", &two),
        stl_text(" x", &two).into_bytes(),
        OBJ.as_bytes().to_vec(),
    ];
    let mut random = fastrand::Rng::with_seed(7);
    for name in ["a.stl", "a.obj", "a", ""] {
        for file in &files {
            for k in 0..=50 {
                let _ = import_bytes(&file[..file.len() * k / 50], name);
            }
            // One byte changed at a time.
            for _ in 0..2000 {
                let mut damaged = file.clone();
                let at = random.usize(..damaged.len());
                damaged[at] = random.u8(..);
                let _ = import_bytes(&damaged, name);
            }
        }
        for n in 0..400 {
            let noise: Vec<u8> = (0..n).map(|_| random.u8(..)).collect();
            let _ = import_bytes(&noise, name);
            let _ = import_bytes(&[b"solid ", &noise[..]].concat(), name);
            let _ = import_bytes(&[b"v 0 0 0\nf ", &noise[..]].concat(), name);
            let mut sized = stl_binary("", &vec![[[0.0; 3]; 3]; n / 50]);
            for byte in &mut sized[84..] {
                *byte = random.u8(..);
            }
            let _ = import_bytes(&sized, name);
        }
    }
}

#[test]
fn paths_that_are_no_files_are_named_last() {
    let dir = tempfile::tempdir().unwrap();
    let error = import_file(dir.path()).unwrap_err().to_string();
    assert!(error.starts_with("not a regular file"), "{error}");
    assert!(
        error.ends_with(&dir.path().display().to_string()),
        "{error}"
    );
    let missing = dir.path().join("missing.stl");
    let error = import_file(&missing).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot read") && error.ends_with("missing.stl"),
        "{error}"
    );
    let good = dir.path().join("good.stl");
    std::fs::write(&good, stl_binary("", &tetrahedron(0.0))).unwrap();
    assert_eq!(n_triangles(&import_file(&good).unwrap()), [("good", 4)]);
}

#[test]
fn names_are_given_once() {
    let mut names = UniqueNames::default();
    let given = ["a", "a 2", "a", "a", "b", "a 2"].map(|n| names.claim(n));
    assert_eq!(given, ["a", "a 2", "a 3", "a 4", "b", "a 2 2"]);
}
