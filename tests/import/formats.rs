//! Every format gives the box it holds, where it is, in mm and Z up.

use loomwright::geom::{Aabb, Vec3};
use loomwright::mesh::TriMesh;
use loomwright::mesh::import::{
    ImportWarning, ImportedFile, NamedMesh, SourceSpace, Unit, UpAxis, import_bytes,
};

use crate::files;

/// Volume of a closed mesh, positive when its normals point outwards (divergence theorem).
fn volume(mesh: &TriMesh) -> f64 {
    (0..mesh.triangles().len())
        .map(|t| {
            let [a, b, c] = mesh.corners(t);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum()
}

/// A closed box of the right volume, normals outwards, with these corners.
fn assert_box(part: &NamedMesh, min: [f64; 3], max: [f64; 3]) {
    let name = &part.name;
    let report = &part.report;
    assert_eq!(part.mesh.vertices().len(), 8, "{name}");
    assert_eq!(part.mesh.triangles().len(), 12, "{name}");
    assert_eq!(report.topology.components, 1, "{name}");
    assert!(report.topology.is_closed(), "{name}: {report:?}");
    let volume = volume(&part.mesh);
    assert!((volume - 240_000.0).abs() < 1.0, "{name}: volume {volume}");
    let aabb = part.mesh.aabb();
    let expected = Aabb {
        min: Vec3::from(min),
        max: Vec3::from(max),
    };
    let error = (aabb.min - expected.min).norm() + (aabb.max - expected.max).norm();
    // What rounding to 32 bits makes of a metre.
    assert!(error < 2e-4, "{name}: {aabb:?} instead of {expected:?}");
}

fn names(file: &ImportedFile) -> Vec<&str> {
    file.parts.iter().map(|p| p.name.as_str()).collect()
}

fn paths(file: &ImportedFile) -> Vec<String> {
    file.parts.iter().map(|p| p.path.join(" > ")).collect()
}

const HERE: ([f64; 3], [f64; 3]) = ([0.0; 3], [100.0, 60.0, 40.0]);

#[test]
fn stl_and_ply_give_the_box() {
    for (name, bytes) in files::all() {
        if !(name.ends_with("stl") || name.ends_with("ply")) {
            continue;
        }
        let file = import_bytes(&bytes, name).unwrap();
        for part in &file.parts {
            assert_box(part, HERE.0, HERE.1);
            assert_eq!(part.report.cleaning.triangles_read, 12);
            let n_read = if name.ends_with("stl") { 36 } else { 8 };
            assert_eq!(part.report.cleaning.vertices_read, n_read);
        }
        assert_eq!(file.space, SourceSpace::default());
        assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    }
    let text = import_bytes(files::stl_text().as_bytes(), "text.stl").unwrap();
    assert_eq!(names(&text), ["text", "lid"]);
}

#[test]
fn ply_takes_its_unit_from_a_comment_and_reads_strips() {
    let text = files::ply_text().replace("comment made here", "comment units cm");
    let file = import_bytes(text.as_bytes(), "a.ply").unwrap();
    assert_eq!(file.space.unit, Unit::Centimetre);
    assert_eq!(file.parts[0].mesh.aabb().max, Vec3::new(1e3, 600.0, 400.0));
    let strips = "ply\nformat ascii 1.0\nelement vertex 4\nproperty int x\nproperty int y\nproperty int z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
        0 0 0\n100 0 0\n0 100 0\n100 100 0\n8 0 1 2 3 -1 0 1 2\n";
    let file = import_bytes(strips.as_bytes(), "a.ply").unwrap();
    assert_eq!(file.parts[0].report.cleaning.triangles_read, 3);
    assert_eq!(file.parts[0].report.cleaning.duplicate, 1);
    assert_eq!(file.parts[0].report.topology.open_loops, 1);
    assert_eq!(file.parts[0].report.topology.flipped_patches, 0);
}

#[test]
fn obj_gives_the_groups_of_the_box() {
    let file = import_bytes(files::obj().as_bytes(), "a.obj").unwrap();
    assert_eq!(names(&file), ["box/bottom", "box/walls", "box/top"]);
    assert_eq!(paths(&file), ["box > bottom", "box > walls", "box > top"]);
    let n: Vec<usize> = file
        .parts
        .iter()
        .map(|p| p.mesh.triangles().len())
        .collect();
    assert_eq!(n, [2, 8, 2]);
    assert_eq!(file.parts[1].report.topology.open_loops, 2);
}

#[test]
fn gltf_places_instances_and_turns_mirrored_ones_round() {
    for (name, bytes) in [
        ("a.gltf", files::gltf_text().into_bytes()),
        (
            "a.glb",
            files::glb(&files::gltf_json(None), &files::gltf_data()),
        ),
    ] {
        let file = import_bytes(&bytes, name).unwrap();
        assert_eq!(names(&file), ["box", "mirrored", "turned"]);
        assert_eq!(paths(&file)[1], "assembly > mirrored");
        assert_eq!(file.space, SourceSpace::METRE_Y_UP);
        let up = 1000.0;
        assert_box(&file.parts[0], [0.0, 0.0, up], [100.0, 60.0, up + 40.0]);
        assert_box(&file.parts[1], [-100.0, 0.0, up], [0.0, 60.0, up + 40.0]);
        // Half a turn about x.
        assert_box(&file.parts[2], [0.0, -60.0, up - 40.0], [100.0, 0.0, up]);
        let color = file.parts[0].color.unwrap().0;
        // Linear light of 0.21404 is half of what a screen shows.
        let expected = [1.0, 0.0, 0.5, 1.0];
        for (found, expected) in color.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-3, "{color:?}");
        }
        assert!(file.warnings.is_empty(), "{:?}", file.warnings);
    }
}

#[test]
fn gltf_finds_its_data_beside_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.gltf");
    std::fs::write(&path, files::gltf_json(Some("the%20data.bin"))).unwrap();
    let error = loomwright::mesh::import::import_file(&path).unwrap_err();
    let error = error.to_string();
    assert!(
        error.starts_with("buffer 0: its data in \"the data.bin\""),
        "{error}"
    );
    std::fs::write(dir.path().join("the data.bin"), files::gltf_data()).unwrap();
    let file = loomwright::mesh::import::import_file(&path).unwrap();
    assert_eq!(file.parts.len(), 3);
    // Nothing outside of the folder is read.
    for uri in ["../the%20data.bin", "/etc/passwd", "https://host/a.bin"] {
        let json = files::gltf_json(Some(uri));
        let error = import_bytes(json.as_bytes(), "a.gltf").unwrap_err();
        assert!(error.to_string().contains("elsewhere"), "{error}");
    }
}

#[test]
fn gltf_sparse_positions_strips_and_fans() {
    let numbers = |values: &[f32]| {
        values
            .iter()
            .flat_map(|v| v.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    // Four corners of a square of 1 m, all in the origin but those that are given: a strip and a fan over them.
    let mut data = numbers(&[1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    data.extend([1, 2, 3, 0]);
    data.extend([0, 1, 3, 2, 0, 1, 2, 3]);
    let json = r#"{"asset":{"version":"2.0"},"nodes":[{"mesh":0}],"meshes":[{"name":"square","primitives":[
        {"attributes":{"POSITION":0},"indices":1,"mode":5},{"attributes":{"POSITION":0},"indices":2,"mode":6},
        {"attributes":{"POSITION":0},"mode":1}]}],
        "accessors":[{"componentType":5126,"count":4,"type":"VEC3","sparse":{"count":3,
        "indices":{"bufferView":1,"byteOffset":0,"componentType":5121},"values":{"bufferView":0,"byteOffset":0}}},
        {"bufferView":2,"componentType":5121,"count":4,"type":"SCALAR"},
        {"bufferView":2,"byteOffset":4,"componentType":5121,"count":4,"type":"SCALAR"}],
        "bufferViews":[{"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":3},
        {"buffer":0,"byteOffset":40,"byteLength":8}],"buffers":[{"byteLength":48}]}"#;
    let file = import_bytes(&files::glb(json, &data), "a.glb").unwrap();
    assert_eq!(names(&file), ["square"]);
    let part = &file.parts[0];
    assert_eq!(part.report.cleaning.triangles_read, 4);
    assert_eq!(part.mesh.vertices().len(), 4);
    assert_eq!(part.mesh.aabb().max, Vec3::new(1000.0, 0.0, 1000.0));
    // The square twice, each triangle facing the same way: its front is towards -y here.
    for t in 0..4 {
        let [a, b, c] = part.mesh.corners(t);
        assert!(((b - a).cross(&(c - a)) + Vec3::y() * 1e6).norm() < 1.0);
    }
    assert_eq!(file.warnings, [ImportWarning::NoSurface { count: 1 }]);
}

#[test]
fn three_mf_has_units_components_and_build_transforms() {
    let bytes = files::three_mf(&files::model_xml());
    let file = import_bytes(&bytes, "a.3mf").unwrap();
    assert_eq!(file.format.key(), "three_mf");
    assert_eq!(file.space.unit, Unit::Inch);
    assert_eq!(names(&file), ["box & lid", "box & lid 2"]);
    assert_eq!(paths(&file), ["pair > box & lid"; 2]);
    let x = 254.0;
    assert_box(&file.parts[0], [x, 0.0, 0.0], [x + 100.0, 60.0, 40.0]);
    let up = 50.8;
    assert_box(&file.parts[1], [x - 100.0, 0.0, up], [x, 60.0, up + 40.0]);
    let color = file.parts[0].color.unwrap().0;
    assert_eq!(color[..3], [1.0, 0.0, 0.0]);
    assert!((color[3] - 0.5).abs() < 0.01);
}

#[test]
fn vrml_uses_its_nodes_again_and_names_what_it_leaves_out() {
    let file = import_bytes(files::vrml().as_bytes(), "a.wrl").unwrap();
    assert_eq!(file.space, SourceSpace::METRE_Y_UP);
    assert_eq!(names(&file), ["box", "box 2", "turned"]);
    assert_eq!(paths(&file)[2], "assembly > turned");
    let up = 1000.0;
    assert_box(&file.parts[0], [0.0, 0.0, up], [100.0, 60.0, up + 40.0]);
    // Mirrored about x = 10 mm.
    assert_box(&file.parts[1], [-80.0, 0.0, up], [20.0, 60.0, up + 40.0]);
    assert_eq!(file.parts[0].color.unwrap().0, [1.0, 0.5, 0.0, 0.5]);
    // A quarter turn about the axis that points up here: x to y. Its faces run clockwise: inside out.
    let turned = &file.parts[2];
    assert!((volume(&turned.mesh) + 240_000.0).abs() < 1.0);
    let aabb = turned.mesh.aabb();
    assert!(
        (aabb.min - Vec3::new(-60.0, 0.0, up)).norm() < 1e-9,
        "{aabb:?}"
    );
    assert!((aabb.max - Vec3::new(0.0, 100.0, up + 40.0)).norm() < 1e-9);
    let ignored = ImportWarning::Ignored {
        keyword: "Sphere".to_owned(),
        count: 1,
        line: 11,
    };
    assert_eq!(file.warnings, [ignored]);
}

#[test]
fn inventor_keeps_state_reads_strips_and_units() {
    let file = import_bytes(files::inventor().as_bytes(), "a.iv").unwrap();
    let expected = SourceSpace {
        unit: Unit::Centimetre,
        up: UpAxis::Z,
    };
    assert_eq!(file.space, expected);
    assert_eq!(names(&file), ["strips", "faces"]);
    assert_box(&file.parts[0], HERE.0, HERE.1);
    // Moved 50 mm along x, turned from x to y, moved 70 mm up.
    assert_box(&file.parts[1], [-60.0, 50.0, 70.0], [0.0, 150.0, 110.0]);
    assert_eq!(file.parts[1].color.unwrap().0, [0.0, 1.0, 0.0, 1.0]);
    assert!(
        matches!(&file.warnings[..], [ImportWarning::Ignored { keyword, .. }] if keyword == "Cone")
    );
}

#[test]
fn the_content_says_what_it_is() {
    for (name, bytes) in files::all() {
        let right = import_bytes(&bytes, name).unwrap();
        for other in ["x.stl", "x.obj", "x.glb", "x.3mf", "x.wrl", "x", "x.jpg"] {
            let file = import_bytes(&bytes, other);
            let file = file.unwrap_or_else(|e| panic!("{name} as {other}: {e}"));
            assert_eq!(file.format, right.format, "{name} as {other}");
        }
    }
}
