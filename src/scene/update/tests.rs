use super::*;
use crate::geom::{Aabb, Rotation, Vec3};
use crate::mesh::import::Importer;
use crate::scene::demo::demo;
use crate::scene::{Command, HandlePlace, PartRole};

fn write_obj(parts: &[(String, TriMesh)]) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let mut first = 1;
    for (name, mesh) in parts {
        writeln!(text, "o {name}").unwrap();
        for p in mesh.vertices() {
            writeln!(text, "v {} {} {}", p.x, p.y, p.z).unwrap();
        }
        for [a, b, c] in mesh.triangles() {
            writeln!(text, "f {} {} {}", first + a, first + b, first + c).unwrap();
        }
        first += mesh.vertices().len() as u32;
    }
    text
}

fn motion(k: usize) -> Pose {
    let k = k as f64;
    Pose {
        position: Vec3::new(40.0 + k, -3.0 * k, 0.5 * k),
        rotation: Rotation::from_scaled_axis(Vec3::new(0.01 * k, 0.0, 0.02 * k)),
    }
}

/// The engine bay with what an engineer does to it: every sixth part moved, and so on.
struct Revised {
    scene: Scene,
    file: std::path::PathBuf,
    expected: Vec<(String, &'static str)>,
    _dir: tempfile::TempDir,
}

fn revised() -> Revised {
    let dir = tempfile::tempdir().unwrap();
    let bay = demo("engine-bay").unwrap();
    // Every connected piece is a part of its own, as in an assembly.
    let mut parts: Vec<(String, TriMesh)> = Vec::new();
    for part in &bay.parts {
        let pieces = crate::mesh::components(part.mesh()).split(part.mesh());
        // In three sizes, 4 m apart: 81 parts.
        for (row, size) in [1.0, 1.13, 0.87].into_iter().enumerate() {
            for (k, piece) in pieces.iter().enumerate() {
                let place = |p: &Vec3| p * size + Vec3::new(0.0, 4000.0 * row as f64, 0.0);
                let vertices = piece.vertices().iter().map(place).collect();
                let piece = TriMesh::new(vertices, piece.triangles().to_vec()).unwrap();
                parts.push((format!("{} {}{row}", part.name, k + 1), piece));
            }
        }
    }
    let old = dir.path().join("bay.obj");
    std::fs::write(&old, write_obj(&parts)).unwrap();
    let mut scene = Scene::default();
    Command::Import {
        path: old,
        role: PartRole::Obstacle,
        options: ImportOptions::default(),
        loaded: None,
    }
    .apply(&mut scene)
    .unwrap();
    assert!(scene.parts.len() >= 60, "{} parts", scene.parts.len());
    let mut expected = Vec::new();
    let mut new = Vec::new();
    for (k, part) in scene.parts.iter().enumerate() {
        let (name, mesh) = (part.name.clone(), TriMesh::clone(part.mesh()));
        // Of two parts of one shape nobody can say which moved once its name is lost.
        let twin = |p: &Part| p.name != name && same_shape(&mesh, p.mesh()).is_some();
        let what = match k % 6 {
            5 if scene.parts.iter().any(twin) => 1,
            what => what,
        };
        let (fate, entry) = match what {
            1 => ("moved", Some((name.clone(), mesh.transformed(&motion(k))))),
            2 => ("gone", None),
            3 => ("same", Some((format!("renamed {k}"), mesh))),
            4 => {
                let mut vertices = mesh.vertices().to_vec();
                let size = mesh.aabb().max - mesh.aabb().min;
                vertices[0] += 0.1 * size + Vec3::new(1.0, 0.0, 0.0);
                let mesh = TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
                ("changed", Some((name.clone(), mesh)))
            }
            5 => {
                let moved = mesh.transformed(&motion(k));
                ("moved", Some((format!("renamed {k}"), moved)))
            }
            _ => ("same", Some((name.clone(), mesh))),
        };
        expected.push((name, fate));
        new.extend(entry);
    }
    let added = primitives_block();
    new.push(("added bracket".to_owned(), added));
    expected.push(("added bracket".to_owned(), "new"));
    // In another order than before.
    new.reverse();
    let file = dir.path().join("bay revision B.obj");
    std::fs::write(&file, write_obj(&new)).unwrap();
    Revised {
        scene,
        file,
        expected,
        _dir: dir,
    }
}

fn primitives_block() -> TriMesh {
    crate::mesh::primitives::cuboid(&Aabb {
        min: Vec3::new(-31.0, -17.0, 700.0),
        max: Vec3::new(31.5, 17.25, 733.0),
    })
}

#[test]
fn a_revised_engine_bay_is_recognised_part_by_part() {
    let revised = revised();
    let file = Importer::default().file(&revised.file).unwrap();
    let plan = plan(&revised.scene, &revised.file, &file);
    let mut wrong = Vec::new();
    for (name, fate) in &revised.expected {
        let found = plan.iter().find(|u| u.part == *name);
        let found_fate = found.map_or("missing", |u| u.fate.word());
        if found_fate != *fate {
            wrong.push(format!("{name}: {found_fate}, not {fate}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(plan.len(), revised.expected.len());
    assert_eq!(plan.len(), 82);
    let all = ["same", "moved", "changed", "new", "gone"];
    let is_there = |word: &&str| revised.expected.iter().any(|e| e.1 == *word);
    assert!(all.iter().all(is_there));
    // A name that changed is that of the same part.
    for update in &plan {
        if let Some(number) = update
            .in_file
            .as_ref()
            .and_then(|n| n.strip_prefix("renamed "))
        {
            let k: usize = number.parse().unwrap();
            assert_eq!(update.part, revised.scene.parts[k].name);
        }
    }
}

#[test]
fn fixings_follow_moved_parts_and_are_marked_on_changed_ones() {
    let mut revised = revised();
    let mut cable = demo("box").unwrap().cables.remove(0);
    cable.shape = None;
    for (k, handle) in cable.handles.iter_mut().enumerate() {
        handle.attached_to = Some(revised.scene.parts[[1, 4][k]].name.clone());
    }
    let before = cable.handles.clone();
    assert_eq!(before[0].place, HandlePlace::Start);
    revised.scene.cables = vec![cable];
    let update = Command::UpdateParts {
        path: revised.file.clone(),
        options: ImportOptions::default(),
        ignore_new: false,
        delete_gone: true,
        loaded: None,
    };
    let mut scene = revised.scene.clone();
    update.apply(&mut scene).unwrap();
    let handles = &scene.cables[0].handles;
    let expected = motion(1).compose(&before[0].pose);
    let off = (handles[0].pose.position - expected.position).norm();
    assert!(off < 0.001, "{off}");
    assert!(handles[0].pose.rotation.angle_to(&expected.rotation) < 1e-6);
    assert!(!handles[0].reference_changed);
    assert_eq!(handles[1].pose, before[1].pose);
    assert!(handles[1].reference_changed);
    assert!(scene.part("added bracket").is_some());
    let gone = revised.expected.iter().filter(|e| e.1 == "gone");
    assert!(gone.clone().count() > 1 && gone.clone().all(|e| scene.part(&e.0).is_none()));
    // Its mesh is where the file has it, and a second time nothing is left to do.
    let file = Importer::default().file(&revised.file).unwrap();
    assert!(
        plan(&scene, &revised.file, &file)
            .iter()
            .all(|u| u.fate == PartFate::Same)
    );
    // The list to go through, and its end.
    let marked = crate::scene::findings::references_changed(&scene.cables[0]);
    assert_eq!(marked.len(), 1);
    Command::ConfirmReference {
        cable: scene.cables[0].name.clone(),
        handle: scene.cables[0].handles[1].name.clone(),
    }
    .apply(&mut scene)
    .unwrap();
    assert!(crate::scene::findings::references_changed(&scene.cables[0]).is_empty());
}

/// A fixing on each of the parts, off its middle: it goes where its part went.
#[test]
fn every_fixing_of_a_revised_bay_follows_its_part() {
    let mut revised = revised();
    let template = demo("box").unwrap().cables.remove(0);
    let parts = revised.scene.parts.iter().enumerate();
    let cables = parts.map(|(k, part)| {
        let mut cable = template.clone();
        cable.name = format!("cable {k}");
        cable.shape = None;
        for handle in &mut cable.handles {
            handle.attached_to = Some(part.name.clone());
            handle.pose.position = part.mesh().aabb().max + Vec3::new(3.0, -7.0, 11.0);
        }
        cable
    });
    revised.scene.cables = cables.collect();
    let mut scene = revised.scene.clone();
    let update = Command::UpdateParts {
        path: revised.file.clone(),
        options: ImportOptions::default(),
        ignore_new: false,
        delete_gone: false,
        loaded: None,
    };
    update.apply(&mut scene).unwrap();
    let mut worst = 0.0_f64;
    for (k, (old, new)) in revised.scene.cables.iter().zip(&scene.cables).enumerate() {
        let fate = revised.expected[k].1;
        for (before, after) in old.handles.iter().zip(&new.handles) {
            let pose = match fate {
                "moved" => motion(k).compose(&before.pose),
                _ => before.pose,
            };
            let off = (after.pose.position - pose.position).norm();
            worst = worst.max(off);
            let marked = matches!(fate, "changed" | "gone");
            assert_eq!(after.reference_changed, marked, "{k} {fate}");
            assert!(after.pose.rotation.angle_to(&pose.rotation) < 1e-6, "{k}");
        }
    }
    assert!(worst < 0.001, "{worst} mm off");
}

/// The sheet of the bracket came between the fixing and where it was to go: the fixing stayed below it, 18 mm short.
#[test]
fn a_cable_follows_a_sheet_that_moves_through_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bracket.obj");
    let sheet = crate::mesh::primitives::cuboid(&Aabb {
        min: Vec3::new(-60.0, -60.0, 389.0),
        max: Vec3::new(60.0, 60.0, 390.0),
    });
    let write = |mesh: &TriMesh| {
        let parts = [("bracket".to_owned(), mesh.clone())];
        std::fs::write(&path, write_obj(&parts)).unwrap();
    };
    write(&sheet);
    let mut scene = demo("box").unwrap();
    scene.parts.clear();
    Command::Import {
        path: path.clone(),
        role: PartRole::Obstacle,
        options: ImportOptions::default(),
        loaded: None,
    }
    .apply(&mut scene)
    .unwrap();
    let cable = &mut scene.cables[0];
    (cable.length, cable.shape) = (430.0, None);
    cable.handles[0].pose = Pose {
        position: Vec3::new(0.0, 0.0, 396.0),
        rotation: Rotation::identity(),
    };
    cable.handles[1].pose = Pose {
        position: Vec3::new(105.0, 210.0, 326.0),
        rotation: Rotation::from_scaled_axis(Vec3::x() * std::f64::consts::PI),
    };
    cable.handles[0].attached_to = Some("bracket".to_owned());
    let mut simulation = crate::scene::Simulation::new(scene).unwrap();
    let token = crate::solve::CancelToken::default();
    simulation.solve_quietly(&token);
    let by = Pose {
        position: Vec3::new(-60.0, 0.0, 40.0),
        rotation: Rotation::identity(),
    };
    write(&sheet.transformed(&by));
    let update = Command::UpdateParts {
        path: path.clone(),
        options: ImportOptions::default(),
        ignore_new: false,
        delete_gone: false,
        loaded: None,
    };
    simulation.apply(&update).unwrap();
    let reports = simulation.solve_quietly(&token);
    let report = &reports[0].report;
    assert_eq!(report.status, crate::solve::Status::Converged);
    assert_eq!(report.handles[0].short_by, 0.0);
    let start = simulation.scene().cables[0].shape.as_ref().unwrap().points[0];
    assert!((start - Vec3::new(-60.0, 0.0, 436.0)).norm() < 0.001);
    assert!(report.smallest_bend_radius > 30.0);
}

/// A mesh that came back 40 mm further on left the handle in the air, and the scene was good.
#[test]
fn a_replaced_part_takes_its_handles_along() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("clip.obj");
    let block = primitives_block();
    std::fs::write(&path, write_obj(&[("clip".to_owned(), block.clone())])).unwrap();
    let mut scene = demo("box").unwrap();
    Command::Import {
        path: path.clone(),
        role: PartRole::Obstacle,
        options: ImportOptions::default(),
        loaded: None,
    }
    .apply(&mut scene)
    .unwrap();
    scene.cables[0].handles[1].attached_to = Some("clip".to_owned());
    let before = scene.cables[0].handles[1].pose.position;
    let moved = block.transformed(&Pose {
        position: Vec3::new(40.0, 0.0, 0.0),
        rotation: Rotation::identity(),
    });
    std::fs::write(&path, write_obj(&[("clip".to_owned(), moved)])).unwrap();
    Command::ReplacePart {
        part: "clip".to_owned(),
        path: None,
        loaded: None,
    }
    .apply(&mut scene)
    .unwrap();
    let now = scene.cables[0].handles[1].pose.position;
    assert!((now - before - Vec3::new(40.0, 0.0, 0.0)).norm() < 1e-6);
}
