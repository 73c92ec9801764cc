use super::*;
use crate::geom::Vec3;
use crate::progress::{Progress, Stretch};
use crate::scene::demo::demo;
use crate::scene::{Command, Scene};

const OUT: &str = r#"{"parts":["control unit"],"steps":[
    {"step":"move","name":"lifted","by":[0,0,40]},
    {"step":"move","name":"out","by":[-20,0,90]}]}"#;

fn out(scene: &Scene) -> StudyPath {
    StudyPath::parse(OUT).unwrap().checked(scene).unwrap()
}

#[test]
fn the_ground_cable_is_named_with_what_it_lacks_and_one_mm_less_does_not_do() {
    let scene = demo("control-unit").unwrap();
    let path = out(&scene);
    let found = study(&scene, &path, 20.0, &Progress::default()).unwrap();
    let [limit] = &found.limits[..] else {
        panic!("{:?}", found.limits)
    };
    println!("{}", limit.words);
    assert_eq!(limit.stop.cable.as_deref(), Some("GND"));
    let missing = limit.missing.unwrap();
    assert!(missing > 10.0 && missing < 100.0, "{missing}");
    assert!(
        limit.words.contains(&format!("{missing:.0} mm too short")),
        "{}",
        limit.words
    );
    assert!(found.samples.last().unwrap().at > 0.999);
    // Lengthened in the scene, as a user would.
    let with = |mm: f64| {
        let mut scene = scene.clone();
        let length = scene.cable("GND").unwrap().length + mm;
        let command = Command::SetLength {
            cable: "GND".to_owned(),
            length,
        };
        command.apply(&mut scene).unwrap();
        let base = play::installed(&scene, &path).unwrap();
        let progress = Progress::default();
        let stretch = Stretch::new(&progress, "", 0.0, 1.0);
        play::play(&base, &path, 20.0, false, &stretch)
            .unwrap()
            .stop
    };
    assert_eq!(with(missing), None);
    assert!(with(missing - 1.0).is_some());
    let ground = &found.cables[0];
    assert_eq!(ground.needed, ground.length + missing);
    assert!(ground.needed_is_played && !found.cables[1].needed_is_played);
    for cable in &found.cables {
        assert!(
            cable.worst.bend_radius.is_some()
                && cable.worst.tension.is_some()
                && cable.worst.clearance.is_some()
        );
    }
    // It is taut where it ends, and nothing else is.
    let tension = |k: usize| found.cables[k].worst.tension.clone().unwrap();
    assert!(tension(0).value > tension(1).value && tension(0).at > 0.9);
}

#[test]
fn cases_start_from_the_installed_state_each_and_steps_release_and_unplug() {
    let scene = demo("control-unit").unwrap();
    let cases = "case,dx,dy,dz\nleft,0,-15,0\nright,0,15,0\nup,0,0,20\n";
    let mut path = StudyPath::parse(cases).unwrap();
    assert_eq!(path.clone().checked(&scene), Err(PathError::NoPart));
    path.parts = vec!["control unit".to_owned()];
    let path = path.checked(&scene).unwrap();
    let found = study(&scene, &path, 50.0, &Progress::default()).unwrap();
    assert!(found.is_free(), "{:?}", found.limits);
    let poses: Vec<&str> = found.samples.iter().map(|s| s.pose.as_str()).collect();
    assert_eq!(poses, ["installed", "left", "right", "up"]);
    let start = |k: usize| found.samples[k].cables[0].points[0];
    assert!((start(1) - start(0) - Vec3::new(0.0, -15.0, 0.0)).norm() < 1e-6);
    assert!((start(2) - start(0) - Vec3::new(0.0, 15.0, 0.0)).norm() < 1e-6);
    // Without its ground cable in the bulkhead the unit comes out.
    let released = OUT.replace(
        r#""steps":["#,
        r#""steps":[{"step":"release","cable":"GND","handle":"end"},"#,
    );
    let path = StudyPath::parse(&released)
        .unwrap()
        .checked(&scene)
        .unwrap();
    let found = study(&scene, &path, 50.0, &Progress::default()).unwrap();
    assert!(found.is_free(), "{:?}", found.limits);
    let refused = released.replace("\"end\"", "\"clip\"");
    let path = StudyPath::parse(&refused).unwrap().checked(&scene).unwrap();
    let error = study(&scene, &path, 50.0, &Progress::default())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("step 1") && error.contains("clip"),
        "{error}"
    );
    for (text, why) in [
        ("{\"parts\":[\"x\"],\"steps\":[]}", "\"x\""),
        ("{\"parts\":[\"tray\"]}", "neither steps nor cases"),
        ("name,x,y\na,1,2\n", "dx, dy, dz"),
        ("name,x,y,z\na,1,2,up\n", "line 2"),
        ("{\"parts\":[\"tray\"],\"stops\":[]}", "stops"),
    ] {
        let read = StudyPath::parse(text).and_then(|path| path.checked(&scene));
        let error = read.unwrap_err().to_string();
        assert!(error.contains(why), "{text}: {error}");
    }
}

#[test]
fn the_envelope_of_a_cable_that_stands_still_is_its_tube_and_one_that_moves_sweeps_more() {
    let cable = |z: f64| play::CableSample {
        points: (0..=10)
            .map(|i| Vec3::new(f64::from(i) * 10.0, 0.0, z))
            .collect(),
        frames: Vec::new(),
        bend_radius: 1.0,
        tension: 0.0,
        side_force: 0.0,
        clearance: None,
        touches: Vec::new(),
        shortest: None,
    };
    let sample = |z: f64| Sample {
        at: 0.0,
        pose: String::new(),
        cables: vec![cable(z)],
        parts: Vec::new(),
    };
    let volume = |e: &Envelope| -> f64 {
        let of = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| e.vertices[v as usize]);
            a.dot(&b.cross(&c)) / 6.0
        };
        e.triangles.iter().map(of).sum()
    };
    let r = 4.0_f64;
    let tube = envelope(&[sample(0.0)], 0, "c", &[r]).unwrap();
    let capsule = std::f64::consts::PI * r * r * (100.0 + 4.0 / 3.0 * r);
    assert!(
        (volume(&tube) / capsule - 1.0).abs() < 0.05,
        "{} {capsule}",
        volume(&tube)
    );
    let swept = envelope(&[sample(0.0), sample(30.0)], 0, "c", &[r]).unwrap();
    let more = capsule + 30.0 * 2.0 * r * 100.0 + 30.0 * std::f64::consts::PI * r * r;
    assert!(
        (volume(&swept) / more - 1.0).abs() < 0.05,
        "{} {more}",
        volume(&swept)
    );
    // Closed: every side has its counterpart.
    let mut sides = std::collections::HashMap::new();
    for t in &swept.triangles {
        for k in 0..3 {
            *sides.entry((t[k], t[(k + 1) % 3])).or_insert(0) += 1;
        }
    }
    assert!(
        sides
            .iter()
            .all(|(&(a, b), n)| *n == 1 && sides.get(&(b, a)) == Some(&1))
    );
    // No corner is farther out than the cable and a cell.
    for v in &swept.vertices {
        let z = v.z.clamp(0.0, 30.0);
        let x = v.x.clamp(0.0, 100.0);
        let d = (v - Vec3::new(x, 0.0, z)).norm();
        assert!((d - r).abs() < swept.cell, "{d}");
    }
}

#[test]
fn a_study_that_is_stopped_says_so_and_finds_nothing() {
    let scene = demo("control-unit").unwrap();
    let progress = Progress::default();
    progress.cancel();
    let found = study(&scene, &out(&scene), 20.0, &progress);
    assert!(matches!(found, Err(StudyError::Stopped(_))), "{found:?}");
}

#[test]
fn a_sample_has_all_that_shows_the_state() {
    let scene = demo("control-unit").unwrap();
    let path = out(&scene);
    let found = study(&scene, &path, 40.0, &Progress::default()).unwrap();
    let unit = scene
        .parts
        .iter()
        .position(|p| p.name == "control unit")
        .unwrap();
    let home = scene.parts[unit].placement().position;
    let rise = |k: usize| found.samples[k].parts[unit].position - home;
    assert_eq!(rise(0), Vec3::zeros());
    assert!((rise(found.samples.len() - 1) - Vec3::new(-20.0, 0.0, 90.0)).norm() < 1e-6);
    for (cable, sample) in scene.cables.iter().zip(&found.samples[1].cables) {
        assert_eq!(sample.points.len(), cable.n_edges + 1);
        assert_eq!(sample.frames.len(), cable.n_edges);
    }
}
