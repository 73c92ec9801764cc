//! Round trips, bit for bit, and everything that can be wrong with a file.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::geom::{MAX_COORDINATE, Pose, Rotation, Vec3};
use crate::mesh::TriMesh;
use crate::mesh::import::import_file;
use crate::scene::{Cable, CableSection, Handle, HandlePlace, MeshSource, Part, Shape};

fn finite() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE
}

fn positive() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NORMAL, POSITIVE};
    NORMAL | POSITIVE
}

fn point_any() -> impl Strategy<Value = Vec3> {
    let coordinate = || finite().prop_map(|x| x % MAX_COORDINATE);
    [coordinate(), coordinate(), coordinate()].prop_map(Vec3::from)
}

fn rotation_any() -> impl Strategy<Value = Rotation> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64]
        .prop_map(|v| Rotation::from_scaled_axis(Vec3::from(v) * 6.0))
}

fn pose_any() -> impl Strategy<Value = Pose> {
    (point_any(), rotation_any()).prop_map(|(position, rotation)| Pose { position, rotation })
}

fn handles_any() -> impl Strategy<Value = Vec<Handle>> {
    let at = |place| prop::option::of(pose_any().prop_map(move |pose| Handle::at_end(place, pose)));
    (at(HandlePlace::Start), at(HandlePlace::End))
        .prop_map(|(start, end)| end.into_iter().chain(start).collect())
}

fn shape_any(n_edges: usize) -> impl Strategy<Value = Shape> {
    let clamp = || prop::option::of(pose_any());
    (
        prop::collection::vec(point_any(), n_edges + 1),
        prop::collection::vec(rotation_any(), n_edges),
        prop::collection::vec(any::<i32>(), n_edges + 1),
        [clamp(), clamp()],
        prop::collection::btree_map("[a-z]{1,4}", -1e3..1e3_f64, 0..3),
    )
        .prop_map(|(points, frames, turns, clamps, rolls)| Shape {
            points,
            frames,
            turns,
            clamps,
            rolls,
            memory: None,
        })
}

fn cable_any() -> impl Strategy<Value = Cable> {
    (2_usize..6).prop_flat_map(|n_edges| {
        let section = [positive(), positive(), positive(), positive()];
        let section = section.prop_map(|[bending, torsion, axial, mass_kg_m]| CableSection {
            bending,
            bending2: None,
            torsion,
            axial,
            mass_kg_m,
        });
        (
            positive(),
            positive(),
            section,
            handles_any(),
            prop::option::of(shape_any(n_edges)),
        )
            .prop_map(move |(radius, length, section, handles, shape)| {
                let mut cable = Cable::new("", radius, length, section);
                (cable.n_edges, cable.handles, cable.shape) = (n_edges, handles, shape);
                cable
            })
    })
}

fn part_any() -> impl Strategy<Value = Part> {
    let triangle = [0_u32..5, 0_u32..5, 0_u32..5];
    (
        prop::collection::vec(point_any(), 5),
        prop::collection::vec(triangle, 1..8),
        any::<bool>(),
    )
        .prop_map(|(vertices, triangles, visible)| {
            let mut part = Part::new("", TriMesh::new(vertices, triangles).unwrap());
            part.visible = visible;
            part
        })
}

fn scene_any() -> impl Strategy<Value = Scene> {
    // More gravity is refused.
    let strength = || -1000.0..=1000.0_f64;
    (
        [strength(), strength(), strength()].prop_map(Vec3::from),
        0.0..=2.0_f64,
        prop::collection::vec((any::<String>(), part_any()), 0..3),
        prop::collection::vec((any::<String>(), cable_any()), 0..3),
        any::<Option<String>>(),
    )
        .prop_map(|(gravity, friction, parts, cables, extra)| {
            let mut scene = Scene {
                gravity,
                friction,
                ..Scene::default()
            };
            for (k, (name, part)) in parts.into_iter().enumerate() {
                let name = format!("{name}{k}");
                let mut part = part;
                part.name = name;
                scene.parts.push(part);
            }
            for (k, (name, cable)) in cables.into_iter().enumerate() {
                let name = format!("{name}{k}");
                scene.cables.push(Cable { name, ..cable });
            }
            if let Some(text) = extra {
                let value = json!({ "note": text, "list": [1, 2.5, null] });
                scene.extra.insert("later".to_owned(), value);
            }
            scene
        })
}

proptest! {
    // Each case syncs two files to disk.
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_scene_comes_back_bit_for_bit(scene in scene_any()) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("any.scene.json");
        save(&scene, &path).unwrap();
        let (loaded, warnings) = load(&path).unwrap();
        prop_assert!(warnings.is_empty());
        prop_assert_eq!(&loaded, &scene);
        // Equality takes -0 for 0; the text does not.
        let again = dir.path().join("again.scene.json");
        save(&loaded, &again).unwrap();
        prop_assert_eq!(std::fs::read(&again).unwrap(), std::fs::read(&path).unwrap());
    }
}

/// A valid file with one cable and an embedded part.
fn good() -> Value {
    let pose = json!({ "position": [0, 0, 0], "rotation": [1, 0, 0, 0] });
    json!({
        "format": "loomwright-scene", "version": 1, "gravity": [0, 0, -9.81], "friction": 0.2,
        "parts": [{ "name": "lid", "mesh": { "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [[0, 1, 2]] } }],
        "cables": [{
            "name": "hose", "radius": 4, "length": 100, "n_edges": 2,
            "section": { "bending": 1500, "torsion": 1100, "axial": 1e4, "mass_kg_m": 0.05 },
            "handles": [{ "place": "start", "kind": "full", "position": [0, 0, 0], "rotation": [1, 0, 0, 0] }],
            "shape": {
                "points": [[0, 0, 0], [0, 0, 50], [0, 0, 100]],
                "frames": [[1, 0, 0, 0], [1, 0, 0, 0]], "turns": [0, 0, 0], "clamps": { "start": pose },
            },
        }],
    })
}

fn load_text(text: &str) -> Result<(Scene, Vec<SceneWarning>), SceneFileError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.scene.json");
    std::fs::write(&path, text).unwrap();
    load(&path)
}

/// The error of the good file after one change, which must hold all `words`.
fn assert_refused(change: impl Fn(&mut Value), words: &[&str]) {
    let mut value = good();
    change(&mut value);
    let error = load_text(&value.to_string()).unwrap_err().to_string();
    for word in words {
        assert!(error.contains(word), "{word} is not in: {error}");
    }
    assert!(error.ends_with("a.scene.json"), "{error}");
}

#[test]
fn each_wrong_field_is_named_with_its_cable() {
    assert_eq!(load_text(&good().to_string()).unwrap().0.cables.len(), 1);
    let in_cable = |field: &'static str, value: Value, words: &[&str]| {
        let words = [&["cable \"hose\""], words].concat();
        assert_refused(
            |v| *v["cables"][0].pointer_mut(field).unwrap() = value.clone(),
            &words,
        );
    };
    in_cable("/radius", json!(-3), &["\"radius\"", "positive", "-3"]);
    in_cable("/radius", json!(null), &["\"radius\"", "null"]);
    in_cable("/radius", json!("4"), &["\"radius\"", "number"]);
    in_cable("/length", json!(0), &["\"length\"", "positive"]);
    in_cable("/n_edges", json!(2.5), &["\"n_edges\"", "whole"]);
    in_cable(
        "/n_edges",
        json!(4_000_000_000_u64),
        &["\"n_edges\"", "100000"],
    );
    in_cable(
        "/n_edges",
        json!(3),
        &["\"shape.points\"", "must have 4", "has 3"],
    );
    in_cable("/section/bending", json!(0), &["\"bending\"", "N mm^2"]);
    in_cable("/section/mass_kg_m", json!(-1), &["\"mass_kg_m\"", "kg/m"]);
    in_cable("/handles/0/place", json!("middle"), &["\"place\"", "start"]);
    in_cable(
        "/handles/0/kind",
        json!("slide"),
        &["handle", "\"kind\"", "full"],
    );
    in_cable(
        "/handles/0/rotation",
        json!([0, 0, 0, 0]),
        &["\"rotation\"", "w, x, y, z"],
    );
    in_cable(
        "/handles/0/position",
        json!([1, 2]),
        &["\"position\"", "three"],
    );
    in_cable(
        "/shape/turns",
        json!([0, 0]),
        &["\"shape.turns\"", "must have 3", "has 2"],
    );
    in_cable(
        "/shape/frames",
        json!([]),
        &["\"shape.frames\"", "must have 2"],
    );
    in_cable(
        "/shape/turns",
        json!([0, 0.5, 0]),
        &["\"shape.turns\"", "whole"],
    );
    in_cable(
        "/shape/clamps",
        json!({ "middle": null }),
        &["shape.clamps", "middle"],
    );
}

#[test]
fn doubles_missing_and_unknown_fields_are_refused() {
    let twice = |list: &mut Value| {
        let copy = list[0].clone();
        list.as_array_mut().unwrap().push(copy);
    };
    assert_refused(
        |v| twice(&mut v["cables"]),
        &["\"cables\"", "two called \"hose\""],
    );
    assert_refused(
        |v| twice(&mut v["parts"]),
        &["\"parts\"", "two called \"lid\""],
    );
    assert_refused(
        |v| twice(&mut v["cables"][0]["handles"]),
        &["cable \"hose\"", "two at the start"],
    );
    assert_refused(
        |v| drop(v.as_object_mut().unwrap().remove("gravity")),
        &["\"gravity\" is missing"],
    );
    assert_refused(
        |v| v["friction"] = json!(-0.1),
        &["\"friction\"", "between 0 and 2"],
    );
    assert_refused(
        |v| v["parts"][0]["mesh"]["triangles"][0][2] = json!(7),
        &["part \"lid\"", "vertex 7", "only 3"],
    );
    assert_refused(
        |v| v["parts"][0]["mesh"] = json!(null),
        &["part \"lid\"", "mesh_file"],
    );
}

/// The schema for other programs.
fn schema() -> jsonschema::Validator {
    let text = include_str!("../../../docs/scene.schema.json");
    jsonschema::validator_for(&serde_json::from_str(text).unwrap()).unwrap()
}

fn first_error(schema: &jsonschema::Validator, value: &Value) -> Option<String> {
    let error = schema.iter_errors(value).next()?;
    Some(format!("{}: {error}", error.instance_path()))
}

#[test]
fn a_scene_with_everything_comes_back_and_unknown_fields_are_kept() {
    let mut value = good();
    value["cables"][0]["later"] = json!({ "x": [1, 2] });
    value["parts"][0]["later"] = json!(true);
    value["parts"][0]["role"] = json!("connector");
    value["parts"][0]["placement"] = json!({ "position": [1, 2, 3], "rotation": [0, 0, 0, 1] });
    value["parts"][0]["group"] = json!(["car", "door"]);
    value["parts"][0]["corrections"] = json!([
        { "kind": "delete_branch", "at": [1, 2, 3] },
        { "kind": "join_ends", "from": [1, 2, 3], "to": [4, 5, 6] },
        { "kind": "set_radius", "at": [1, 2, 3], "radius": 4.5 },
        { "kind": "mark_cable", "at": [0, 0, 0] },
    ]);
    value["cables"][0]["rest"] = json!({ "kind": "moulded", "curvatures": [[0.1, 0, 0], [0, 0.2, 0], [0, 0, 0.3]], "share": 0.5 });
    value["required_clearances"] =
        json!({ "hot": 25.0, "moving": 20.0, "sharp": 6.0, "others": 3.0, "cables": 0.0 });
    value["parts"][0]["hazard"] = json!("hot");
    value["parts"][0]["required_clearance"] = json!(12.5);
    value["cables"][0]["fluid_kg_m3"] = json!(1050.0);
    value["cables"][0]["straight_ends"] = json!([30.0, 0.0]);
    value["cables"][0]["pressure"] = json!({ "bar": 120.0, "length_change": -2.0 });
    value["cables"][0]["fittings"] =
        json!([{ "length": 25.0, "radius": 14.0 }, { "length": 0.0, "radius": 0.0 }]);
    value["cables"][0]["cut"] =
        json!({ "allowances": [12.0, 8.0], "service_loop": 50.0, "round_to": 5.0 });
    value["wires"] = json!([{ "name": "W1", "branches": ["hose"], "cut": { "allowances": [3.0, 3.0], "service_loop": 0.0, "round_to": 1.0 } }]);
    value["cables"][0]["length_locked"] = json!(true);
    value["cables"][0]["handles"][0]["reference_changed"] = json!(true);
    value["cables"][0]["inner_diameter"] = json!(0.5);
    value["cables"][0]["flat"] = json!([20.0, 2.0]);
    value["cables"][0]["bend_limit"] = json!({
        "at_rest": { "diameters": 4.0 }, "in_motion": { "mm": 96.0 }, "measured": "inside", "moves": true
    });
    value["cables"][0]["spacing"] = json!([1.0, 2.5]);
    value["cables"][0]["basis_spacing"] = json!([2.0, 2.5]);
    value["cables"][0]["skin"] = json!({
        "vertices": [{ "edge": 1, "along": 0.25, "offset": [1, 2, 3] }], "triangles": [[0, 0, 0]]
    });
    value["margin"] = json!(6.5);
    value["junctions"] = json!([{
        "name": "J1",
        "pose": { "position": [0, 0, 1], "rotation": [1, 0, 0, 0] },
        "ends": [{
            "cable": "hose", "handle": "start",
            "in_junction": { "position": [0, 0, 0], "rotation": [1, 0, 0, 0] }
        }]
    }]);
    value["harnesses"] = json!([{
        "name": "loom",
        "nodes": [{ "name": "N1", "position": [0, 0, 0] }, { "name": "N2", "position": [9, 0, 0] }],
        "segments": [{ "name": "B1", "start": 0, "end": 1, "pieces": [
            { "kind": "rigid", "points": [[0, 0, 0], [1, 0, 0]], "radii": [2, 2] },
            { "kind": "flexible", "cable": "hose" }
        ] }]
    }]);
    value["exclusions"] = json!([{ "cable": "hose", "part": "lid", "from": 0, "to": 12.5 }]);
    value["views"] =
        json!([{ "name": "front", "focus": [0, 0, 0], "to_eye": [0, -1, 0], "up": [0, 0, 1] }]);
    value["materials"] = json!([crate::scene::material::built_in()[0]]);
    let (scene, _) = load_text(&value.to_string()).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("all.scene.json");
    save(&scene, &path).unwrap();
    assert_eq!(load(&path), Ok((scene.clone(), vec![])));
    let written: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let schema = schema();
    assert_eq!(first_error(&schema, &written), None);
    for name in crate::scene::demo::names() {
        let demo = crate::scene::demo::demo(name).unwrap();
        save(&demo, &path).unwrap();
        let written = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(first_error(&schema, &written), None, "{name}");
    }
    assert_eq!(written["cables"][0]["later"], json!({ "x": [1, 2] }));
    assert_eq!(written["parts"][0]["later"], json!(true));
    assert_eq!(scene.harnesses[0].segments[0].pieces.len(), 2);

    let refused = |pointer: &str, wrong: Value, words: &[&str]| {
        let mut value = value.clone();
        *value.pointer_mut(pointer).unwrap() = wrong;
        let error = load_text(&value.to_string()).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{word} is not in: {error}");
        }
        // What names and counts say is beyond a schema; kinds and ranges are not.
        let is_range = ["/margin", "/cables/0/rest/share"].contains(&pointer);
        assert!(!is_range || first_error(&schema, &value).is_some());
    };
    refused("/exclusions/0/part", json!("lif"), &["exclusions", "lif"]);
    refused(
        "/junctions/0/ends/0/handle",
        json!("x"),
        &["\"J1\"", "hose, x"],
    );
    refused(
        "/harnesses/0/segments/0/end",
        json!(2),
        &["harnesses", "B1"],
    );
    refused("/cables/0/spacing", json!([1.0]), &["hose", "spacing"]);
    refused(
        "/cables/0/basis_spacing",
        json!([1.0, 0.0]),
        &["hose", "basis_spacing"],
    );
    refused("/cables/0/rest/share", json!(2.0), &["hose", "rest"]);
    refused(
        "/cables/0/skin/triangles",
        json!([[0, 0, 1]]),
        &["hose", "skin"],
    );
    refused("/margin", json!(-1), &["margin"]);
}

#[test]
fn a_mesh_in_the_place_of_a_scene_is_told_how_to_become_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hose.OBJ");
    std::fs::write(&path, "v 0 0 0\n").unwrap();
    let said = load(&path).unwrap_err().to_string();
    assert!(
        said.contains("loomwright import") && said.contains("hose.OBJ"),
        "{said}"
    );
}

#[test]
fn other_formats_versions_and_broken_json() {
    assert_refused(
        |v| v["format"] = json!("other"),
        &["not a Loomwright scene"],
    );
    assert_refused(
        |v| v["version"] = json!(7),
        &["version 7", "reads up to 2", "update"],
    );
    assert_refused(|v| v["version"] = json!("1"), &["\"version\""]);
    assert!(matches!(
        load_text("[1]"),
        Err(SceneFileError::NotAScene { .. })
    ));
    let text = serde_json::to_string_pretty(&good()).unwrap();
    for k in 0..50 {
        assert!(load_text(&text[..text.len() * k / 50]).is_err());
    }
    let error = load_text(&text[..text.len() / 2]).unwrap_err().to_string();
    assert!(error.contains("cut off"), "{error}");
    for bad in ["NaN", "nan", "-Infinity"] {
        let error = load_text(&text.replace("\"radius\": 4", &format!("\"radius\": {bad}")));
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("at \"radius\"") && error.contains("NaN and infinity"),
            "{error}"
        );
    }
    assert!(load_text(&"[".repeat(100_000)).is_err());
    let mut random = fastrand::Rng::with_seed(3);
    for n in 0..200 {
        let noise: String = (0..n).map(|_| random.char('\0'..'\u{3ff}')).collect();
        assert!(load_text(&noise).is_err());
    }
    assert!(
        load(Path::new("/"))
            .unwrap_err()
            .to_string()
            .contains("directory")
    );
}

#[test]
fn mesh_files_by_relative_path_hash_and_name() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("meshes")).unwrap();
    std::fs::create_dir_all(root.join("scenes")).unwrap();
    let mesh_path = root.join("meshes/two parts.obj");
    let text = "v 0 0 0\nv 10 0 0\nv 0 10 0\nv 0 0 10\ng a\nf 1 2 3\ng b\nf 1 2 4\n";
    std::fs::write(&mesh_path, text).unwrap();
    let file = import_file(&mesh_path).unwrap();
    let mut scene = Scene::default();
    for named in &file.parts {
        let mut part = Part::new(format!("my {}", named.name), named.mesh.clone());
        let options = crate::mesh::import::ImportOptions::default();
        part.source = Some(MeshSource::new(&mesh_path, &named.name, &options, &file));
        part.visible = false;
        scene.parts.push(part);
    }
    let path = root.join("scenes/a.scene.json");
    save(&scene, &path).unwrap();
    let saved = std::fs::read_to_string(&path).unwrap();
    assert!(saved.contains("\"../meshes/two parts.obj\""), "{saved}");
    assert_eq!(load(&path), Ok((scene.clone(), vec![])));

    // Changed: a warning, and the new content counts.
    std::fs::write(&mesh_path, text.replace("v 10 0 0", "v 20 0 0")).unwrap();
    let (changed, warnings) = load(&path).unwrap();
    assert_eq!(warnings.len(), 2);
    assert!(
        warnings[0]
            .to_string()
            .contains("part \"my a\" has changed")
    );
    assert_eq!(
        changed.parts[0].mesh().vertices()[1].x.to_bits(),
        20.0_f64.to_bits()
    );

    std::fs::write(&mesh_path, text.replace("g b", "g c")).unwrap();
    let (opened, warnings) = load(&path).unwrap();
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    let warnings = warnings.join("; ");
    assert!(
        warnings.contains("no part \"b\", it has: a, c"),
        "{warnings}"
    );
    assert_eq!((opened.parts.len(), opened.missing.len()), (1, 1));
    std::fs::write(&mesh_path, "nonsense").unwrap();
    assert_eq!(load(&path).unwrap().0.missing.len(), 2);
    std::fs::remove_file(&mesh_path).unwrap();
    let (opened, warnings) = load(&path).unwrap();
    let warning = warnings[0].to_string();
    assert!(
        warning.contains("\"my a\"") && warning.contains("Looked for it at"),
        "{warning}"
    );

    // Saved somewhere else without its meshes, and opened again when they are back: nothing is lost.
    let elsewhere = root.join("b.scene.json");
    save(&opened, &elsewhere).unwrap();
    std::fs::write(&mesh_path, text).unwrap();
    assert_eq!(load(&elsewhere), Ok((scene.clone(), vec![])));
    let mut restored = opened;
    for part in ["my a", "my b"] {
        let command = crate::scene::Command::ReplacePart {
            part: part.to_owned(),
            path: None,
            loaded: None,
        };
        command.apply(&mut restored).unwrap();
    }
    for part in &mut restored.parts {
        part.source.as_mut().unwrap().path.clone_from(&mesh_path);
    }
    assert_eq!(restored, scene);

    // Packed, it needs no other file, and stays packed.
    let packed = root.join("packed.scene.json");
    save(&scene.packed(), &packed).unwrap();
    std::fs::remove_file(&mesh_path).unwrap();
    let (opened, warnings) = load(&packed).unwrap();
    assert_eq!(warnings, []);
    assert_eq!(opened.parts[1].mesh(), scene.parts[1].mesh());
    save(&opened, &packed).unwrap();
    assert_eq!(load(&packed).unwrap().0, opened);
}

#[test]
fn a_failed_save_leaves_the_last_good_file_and_no_litter() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.scene.json");
    save(&Scene::default(), &path).unwrap();
    let before = std::fs::read(&path).unwrap();

    let full = write_atomically(&path, |file| {
        file.write_all(&vec![0; 100_000])?;
        Err(std::io::Error::from(std::io::ErrorKind::StorageFull))
    });
    assert!(full.is_err());
    let mut bad = Scene::default();
    bad.gravity.x = f64::NAN;
    let error = save(&bad, &path).unwrap_err().to_string();
    assert!(error.contains("\"gravity\""), "{error}");
    let mut read_only = std::fs::metadata(&path).unwrap().permissions();
    read_only.set_readonly(true);
    std::fs::set_permissions(&path, read_only).unwrap();
    let error = save(&Scene::default(), &path).unwrap_err().to_string();
    assert!(error.contains("write-protected"), "{error}");

    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    assert!(save(&Scene::default(), dir.path()).is_err());
    let nowhere = dir.path().join("no/such/dir/a.json");
    assert!(
        save(&Scene::default(), &nowhere)
            .unwrap_err()
            .to_string()
            .contains("cannot save")
    );
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_permissions_stay() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let (path, link) = (dir.path().join("a.json"), dir.path().join("link.json"));
    save(&Scene::default(), &path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    save(&Scene::default(), &link).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
}

#[test]
fn rows_of_numbers_stay_on_one_line() {
    let mut text = Vec::new();
    let value = json!({ "a": [[1, 2], [3]], "b": 1, "c": {}, "d": [] });
    pretty::write_pretty(&value, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert_eq!(
        text,
        "{\n \"b\": 1,\n \"a\": [\n  [1,2],\n  [3]\n ],\n \"c\": {},\n \"d\": []\n}"
    );
}

/// A surface of that many triangles, every number of it different.
fn bellows(n_triangles: u32) -> crate::scene::Skin {
    let vertex = |k: u32| crate::scene::SkinVertex {
        edge: k % 2,
        along: f64::from(k) / 7.0,
        offset: [
            f64::from(k).sqrt(),
            -f64::from(k).exp2().recip(),
            0.1 * f64::from(k),
        ],
    };
    crate::scene::Skin {
        vertices: (0..n_triangles + 2).map(vertex).collect(),
        triangles: (0..n_triangles).map(|k| [k, k + 1, k + 2]).collect(),
    }
}

#[test]
fn large_surfaces_are_bulk_and_come_back_to_the_last_bit() {
    let mut value = good();
    let mut scene = load_text(&value.to_string()).unwrap().0;
    scene.cables[0].skin = Some(bellows(1000).into());
    let block = crate::mesh::primitives::cuboid(&crate::geom::Aabb {
        min: crate::geom::Vec3::zeros(),
        max: crate::geom::Vec3::new(1.0, 2.0, 3.0),
    });
    let block = crate::mesh::primitives::subdivided(&block, 9);
    let raw = 1002 * 36 + 1000 * 12 + block.vertices().len() * 24 + block.triangles().len() * 12;
    let fine = crate::scene::Part::new("fine", block);
    scene.parts.push(fine);
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bulk.scene.json");
    save(&scene, &path).unwrap();
    assert_eq!(load(&path).unwrap().0, scene);
    let written = std::fs::read(&path).unwrap();
    assert!(written.len() < 3 * raw / 2, "{} for {raw}", written.len());
    value = serde_json::from_slice(&written).unwrap();
    assert_eq!(first_error(&schema(), &value), None);
    // Lists, as earlier versions wrote them, say the same.
    let mut lists = value.clone();
    lists["cables"][0]["skin"] = json!(scene.cables[0].skin);
    assert_eq!(load_text(&lists.to_string()).unwrap().0, scene);

    let refused = |field: &str, wrong: Value, word: &str| {
        let mut value = value.clone();
        value["cables"][0]["skin"][field] = wrong;
        let error = load_text(&value.to_string()).unwrap_err().to_string();
        assert!(error.contains("skin") && error.contains(word), "{error}");
    };
    let data = value["cables"][0]["skin"]["data"].as_str().unwrap();
    refused("layout", json!(2), "update");
    refused("n_vertices", json!(1003), "damaged");
    refused("n_vertices", json!(u64::MAX / 2), "damaged");
    refused("data", json!(data[4..]), "damaged");
    refused("data", json!(format!("BBBB{}", &data[4..])), "damaged");
    refused("data", json!("no base64"), "damaged");
    refused("data", json!([1, 2]), "damaged");
}

/// Axes of a cylinder, a bend and a swept tube.
fn axes() -> Vec<crate::mesh::Axis> {
    use crate::mesh::tessellate::{Frame, Knots, NurbsSurface, Surface};
    let frame = Frame::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(0.2, -0.3, 1.0), None).unwrap();
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let corners = [
        [1.0, 0.0],
        [1.0, 1.0],
        [0.0, 1.0],
        [-1.0, 1.0],
        [-1.0, 0.0],
        [-1.0, -1.0],
        [0.0, -1.0],
        [1.0, -1.0],
        [1.0, 0.0],
    ];
    let round = vec![0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0, 4.0];
    let along = vec![0.0, 0.0, 1.0, 2.0, 2.0];
    let at = |x: f64, y: f64, z: f64| frame.point(4.0 * x, 4.0 * y, 20.0 * z);
    let net: Vec<Vec3> = (corners.iter())
        .flat_map(|[x, y]| [0.0, 1.0, 2.0].map(|z| at(*x, *y, z)))
        .collect();
    let weights: Vec<f64> = (0..27).map(|i| half.powi(i / 3 % 2)).collect();
    let (u, v) = (Knots::new(2, round, 9), Knots::new(1, along, 3));
    let swept = NurbsSurface::new(u.unwrap(), v.unwrap(), &net, Some(&weights)).unwrap();
    let ends = [frame.point(4.0, 0.0, 21.0), frame.point(0.0, 4.0, 39.0)];
    let bend = Surface::Torus {
        frame,
        major: 50.0,
        minor: 4.0,
    };
    let surfaces = [
        Surface::Cylinder { frame, radius: 4.0 },
        bend,
        Surface::Nurbs(swept),
    ];
    let axes = surfaces.iter().map(|s| crate::mesh::Axis::of(s, &ends));
    let mirror = nalgebra::Matrix3::from_diagonal(&Vec3::new(2.0, -2.0, 2.0));
    let place = Vec3::new(7.0, 8.0, 9.0);
    axes.map(|a| a.unwrap().mapped(&mirror, &place).unwrap())
        .collect()
}

#[test]
fn axes_of_round_faces_stay_exact_where_a_part_is_moved_and_packed() {
    let root = tempfile::tempdir().unwrap();
    let mesh = |n: usize| {
        let solid = crate::mesh::primitives::cuboid(&crate::geom::Aabb {
            min: Vec3::zeros(),
            max: Vec3::repeat(4.0),
        });
        let triangles = solid.triangles().repeat(n);
        crate::mesh::TriMesh::new(solid.vertices().to_vec(), triangles).unwrap()
    };
    for n in [1, 100] {
        let mut part = Part::new("tube", mesh(n).with_axes(axes()));
        part.place(Pose {
            position: Vec3::new(100.0, 0.0, 0.0),
            rotation: Rotation::identity(),
        })
        .unwrap();
        assert_eq!(part.mesh().axes().len(), 3);
        assert_ne!(part.mesh().axes(), part.base().axes());
        let scene = Scene {
            parts: vec![part],
            ..Scene::default()
        };
        let path = root.path().join("a.scene.json");
        save(&scene, &path).unwrap();
        let value: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(first_error(&schema(), &value), None);
        let (opened, warnings) = load(&path).unwrap();
        assert_eq!(warnings, []);
        assert_eq!(opened.parts[0].base().axes(), scene.parts[0].base().axes());
        assert_eq!(opened, scene);
        // What is no axis is refused, with the part's name.
        for (field, wrong) in [("radius", json!(-1.0)), ("offset", json!([0.0, 1.0]))] {
            let mut value = value.clone();
            value["parts"][0]["mesh"]["axes"][2][field] = wrong;
            std::fs::write(&path, value.to_string()).unwrap();
            let error = load(&path).unwrap_err().to_string();
            assert!(error.contains("tube") && error.contains("axes"), "{error}");
        }
        let mut value = value.clone();
        value["parts"][0]["mesh"]["axes"][2]["line"]["swept"]["sections"] = json!([3, 400]);
        std::fs::write(&path, value.to_string()).unwrap();
        assert!(load(&path).is_err());
    }
}
