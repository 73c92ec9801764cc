//! Units, axes, splitting, welding, progress: the choices of an import.

use loomwright::geom::Vec3;
use loomwright::mesh::import::{
    ImportError, ImportOptions, ImportWarning, Importer, Unit, UpAxis, import_bytes,
};
use loomwright::progress::{CancelToken, Progress};

use crate::files;

fn with(options: ImportOptions) -> Importer {
    Importer {
        options,
        ..Importer::default()
    }
}

#[test]
fn the_user_may_choose_unit_and_axis() {
    let options = ImportOptions {
        units: Some(Unit::Inch),
        up: Some(UpAxis::Y),
        ..ImportOptions::default()
    };
    let file = with(options).bytes(&files::stl_binary(), "a.stl").unwrap();
    assert_eq!((file.space.unit, file.space.up), (Unit::Inch, UpAxis::Y));
    let aabb = file.parts[0].mesh.aabb();
    assert!((aabb.max - Vec3::new(2540.0, 0.0, 1524.0)).norm() < 1e-9);
    assert!((aabb.min - Vec3::new(0.0, -1016.0, 0.0)).norm() < 1e-9);
    // And back: what an export into the source's space does.
    let corner = file.space.from_ours(&aabb.max);
    assert!((corner - Vec3::new(100.0, 60.0, 0.0)).norm() < 1e-9);
}

#[test]
fn a_file_of_3_mm_or_3_km_is_wondered_at() {
    let scaled = |factor: f64| {
        let text = files::ply_text();
        let (header, rest) = text.split_once("end_header\n").unwrap();
        let lines: Vec<String> = rest
            .lines()
            .enumerate()
            .map(|(i, line)| {
                let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
                if i < 8 {
                    for word in &mut words[..3] {
                        *word = (word.parse::<f64>().unwrap() * factor).to_string();
                    }
                }
                words.join(" ")
            })
            .collect();
        format!("{header}end_header\n{}\n", lines.join("\n"))
    };
    // The diagonal of the box is 123.3 mm.
    for (factor, likely) in [
        (0.025, Some(Unit::Metre)),
        (25_000.0, Some(Unit::Micron)),
        (1.0, None),
    ] {
        let file = import_bytes(scaled(factor).as_bytes(), "a.ply").unwrap();
        match (&file.warnings[..], likely) {
            ([], None) => {}
            ([ImportWarning::DoubtfulSize { likely: found, .. }], Some(_)) => {
                assert_eq!(*found, likely);
                let text = file.warnings[0].to_string();
                assert!(text.contains("import it with units"), "{text}");
            }
            (warnings, _) => panic!("{factor}: {warnings:?}"),
        }
    }
    // Who chose a unit knows.
    let options = ImportOptions {
        units: Some(Unit::Millimetre),
        ..ImportOptions::default()
    };
    let file = with(options)
        .bytes(scaled(0.025).as_bytes(), "a.ply")
        .unwrap();
    assert!(file.warnings.is_empty());
}

#[test]
fn pieces_become_parts_on_request() {
    // Two boxes apart, as one body.
    let text = files::obj();
    let mut both: String = text
        .lines()
        .filter(|l| !l.starts_with('g') && !l.starts_with('o'))
        .fold(String::new(), |all, line| all + line + "\n");
    let second: String = both
        .lines()
        .filter(|l| l.starts_with("v "))
        .map(|l| {
            let mut words: Vec<&str> = l.split(' ').collect();
            let x = (words[1].parse::<f64>().unwrap() + 300.0).to_string();
            words[1] = &x;
            words.join(" ") + "\n"
        })
        .collect();
    both += &second;
    both +=
        "f 12 11 10 9\nf 9 10 14 13\nf 10 11 15 14\nf 11 12 16 15\nf 12 9 13 16\nf 13 14 15 16\n";
    let whole = import_bytes(both.as_bytes(), "pair.obj").unwrap();
    assert_eq!(whole.parts.len(), 1);
    assert_eq!(whole.parts[0].report.topology.components, 2);
    let options = ImportOptions {
        split_components: true,
        ..ImportOptions::default()
    };
    let split = with(options).bytes(both.as_bytes(), "pair.obj").unwrap();
    let names: Vec<&str> = split.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["pair", "pair 2"]);
    for part in &split.parts {
        assert_eq!(part.mesh.triangles().len(), 12);
        assert_eq!(part.report.topology.components, 1);
        assert!(part.report.topology.is_closed());
        // What cleaning did is told of the whole.
        assert_eq!(part.report.cleaning.triangles_read, 24);
    }
    assert_eq!(split.parts[1].mesh.aabb().min.x, 300.0);
}

#[test]
fn welding_can_be_made_exact() {
    // Two triangles whose common corners differ in the seventh digit.
    let text = "v 0 0 0\nv 100 0 0\nv 0 100 0\nv 100.00002 0 0\nv 0 100.00002 0\nv 100 100 0\nf 1 2 3\nf 4 6 5\n";
    let welded = import_bytes(text.as_bytes(), "a.obj").unwrap();
    assert_eq!(welded.parts[0].mesh.vertices().len(), 4);
    assert_eq!(welded.parts[0].report.topology.open_edges, 4);
    assert_eq!(welded.parts[0].report.cleaning.vertices_read, 6);
    let options = ImportOptions {
        weld_tolerance: 0.0,
        ..ImportOptions::default()
    };
    let exact = with(options).bytes(text.as_bytes(), "a.obj").unwrap();
    assert_eq!(exact.parts[0].mesh.vertices().len(), 6);
    assert_eq!(exact.parts[0].report.cleaning.weld_distance, 0.0);
}

#[test]
fn an_import_can_be_cancelled_and_says_when_it_is_done() {
    for (name, bytes) in files::all() {
        let cancel = CancelToken::default();
        let importer = Importer {
            progress: Progress::new(cancel.clone()),
            ..Importer::default()
        };
        importer.bytes(&bytes, name).unwrap();
        let standing = importer.progress.standing();
        assert_eq!((standing.phase, standing.fraction), ("done", 1.0));
        cancel.cancel();
        match importer.bytes(&bytes, name) {
            Err(ImportError::InFile { error, .. }) => assert_eq!(*error, ImportError::Cancelled),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn options_and_report_are_json() {
    let options = ImportOptions {
        units: Some(Unit::Foot),
        ..ImportOptions::default()
    };
    let text = serde_json::to_string(&options).unwrap();
    assert_eq!(
        serde_json::from_str::<ImportOptions>(&text).unwrap(),
        options
    );
    let file = import_bytes(&files::stl_binary(), "a.stl").unwrap();
    let report = serde_json::to_value(&file.parts[0].report).unwrap();
    assert_eq!(report["triangles_read"], 12);
    assert_eq!(report["components"], 1);
}
