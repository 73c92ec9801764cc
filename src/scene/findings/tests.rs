use super::*;
use crate::scene::demo::demo;
use crate::scene::{BendLimit, BendMeasure, BendRadius, Part, Simulation};
use crate::solve::CancelToken;

fn handle(short_by: f64, blocker: Option<Blocker>) -> HandleReport {
    HandleReport {
        force: Vec3::zeros(),
        moment: Vec3::zeros(),
        short_by,
        short_by_angle: 0.0,
        blocker,
    }
}

#[test]
fn a_held_handle_says_by_what() {
    let scene = demo("drag").unwrap();
    let text = |blocker| held_by(&scene, &handle(14.0, Some(blocker))).unwrap();
    assert_eq!(
        text(Blocker::Obstacle(1)),
        "blocked by part sheet, 14.0 mm from its target"
    );
    assert!(text(Blocker::Length { around: None }).contains("taut: too short by 14.0 mm"));
    let around = Blocker::Length { around: Some(0) };
    assert!(text(around).contains("taut around part block: too short by 14.0 mm"));
    assert!(text(Blocker::Solver).contains("no equilibrium"));
    assert_eq!(held_by(&scene, &handle(0.0, None)), None);
}

/// A scene solved to rest, and what is found in it.
fn judged(scene: Scene) -> (Simulation, Vec<Finding>) {
    let mut simulation = Simulation::new(scene).unwrap();
    let reports = simulation.solve_quietly(&CancelToken::default());
    let found = judge(&simulation, &reports);
    (simulation, found)
}

fn of_kind(found: &[Finding], kind: FindingKind) -> Option<&Finding> {
    found.iter().find(|f| f.kind == kind)
}

#[test]
fn the_inside_of_a_bend_is_the_centerline_less_the_outer_radius_just_inside_and_just_outside() {
    let (simulation, _) = judged(demo("box").unwrap());
    let mut scene = simulation.scene().clone();
    let reports = {
        let mut again = Simulation::new(scene.clone()).unwrap();
        again.solve_quietly(&CancelToken::default())
    };
    let told = reports[0].report.smallest_bend_radius;
    let cable = &mut scene.cables[0];
    let centerline = cable.worst_bend().unwrap().centerline;
    assert!(
        (centerline / told - 1.0).abs() < 1e-6,
        "{centerline} {told}"
    );
    for measured in [BendMeasure::Centerline, BendMeasure::Inside] {
        let value = measured.measured(centerline, cable.radius);
        let off = if measured == BendMeasure::Inside {
            cable.radius
        } else {
            0.0
        };
        assert!((value - (centerline - off)).abs() < 1e-12);
        for (factor, is_bad) in [(1.0 - 1e-9, false), (1.0 + 1e-9, true)] {
            for radius in [
                BendRadius::Mm(value * factor),
                BendRadius::Diameters(value * factor / cable.diameter()),
            ] {
                cable.bend_limit = BendLimit {
                    at_rest: Some(radius),
                    measured,
                    ..BendLimit::default()
                };
                let finding = too_sharp(cable);
                assert_eq!(finding.is_some(), is_bad, "{radius:?} {measured:?}");
                if let Some(finding) = finding {
                    assert!((finding.value.unwrap() - value).abs() < 1e-12);
                    assert_eq!(finding.what.contains("mm inside"), off > 0.0);
                    assert!(finding.position.is_some() && finding.at.is_some());
                }
            }
        }
    }
}

#[test]
fn a_limit_that_nobody_set_is_never_good() {
    let mut scene = demo("box").unwrap();
    scene.cables[0].bend_limit = BendLimit::default();
    let (_, found) = judged(scene.clone());
    let none = of_kind(&found, FindingKind::NoBendLimit).unwrap();
    assert_eq!(none.severity, Severity::Warning);
    // A limit at rest says nothing of a cable that is moved.
    scene.cables[0].bend_limit = BendLimit {
        moves: true,
        ..BendLimit::centerline(1.0)
    };
    let (_, found) = judged(scene);
    assert!(
        of_kind(&found, FindingKind::NoBendLimit)
            .unwrap()
            .what
            .contains("motion")
    );
}

#[test]
fn what_is_not_solved_or_held_short_or_overlaps_is_an_error_with_its_place() {
    let scene = demo("box").unwrap();
    let simulation = Simulation::new(scene.clone()).unwrap();
    let found = judge(&simulation, &[]);
    assert_eq!(found[0].kind, FindingKind::NotConverged);
    // Taut: the handle cannot get there.
    let mut far = scene.clone();
    far.cables[0].handles[1].pose.position.x += 1e4;
    let (_, found) = judged(far);
    let short = of_kind(&found, FindingKind::HandleShort).unwrap();
    assert_eq!(short.severity, Severity::Error);
    assert!(short.value.unwrap() > 1e3 && short.handle.is_some() && short.what.contains("taut"));
    // A sheet through the middle of the cable.
    let mut crossed = scene;
    let points = &crossed.cables[0].shape.as_ref().unwrap().points;
    let middle = points[points.len() / 2];
    let sheet = crate::geom::Aabb {
        min: middle - Vec3::new(1.0, 50.0, 50.0),
        max: middle + Vec3::new(1.0, 50.0, 50.0),
    };
    crossed
        .parts
        .push(Part::new("wall", crate::mesh::primitives::cuboid(&sheet)));
    let simulation = Simulation::new(crossed).unwrap();
    let found = judge(&simulation, &[]);
    let overlap = of_kind(&found, FindingKind::Overlap).unwrap();
    assert_eq!(overlap.other.as_deref(), Some("wall"));
    assert!((overlap.position.unwrap() - middle).norm() < 60.0);
}

#[test]
fn a_required_clearance_judges_by_what_the_part_is_and_pushes_nothing() {
    let scene = demo("drag").unwrap();
    let (simulation, _) = judged(scene.clone());
    let near = simulation.clearances(f64::INFINITY);
    let nearest = near
        .iter()
        .min_by(|a, b| a.distance.total_cmp(&b.distance))
        .unwrap();
    let crate::scene::Neighbour::Part(k) = nearest.to else {
        panic!("a part is nearest")
    };
    let shape = simulation.scene().cables[0].shape.clone();
    for (required, is_bad) in [
        (nearest.distance * 0.999, false),
        (nearest.distance * 1.001, true),
    ] {
        let mut hot = scene.clone();
        hot.parts[k].hazard = crate::scene::Hazard::Hot;
        hot.required.hot = required;
        let (judged_hot, found) = judged(hot);
        let near = of_kind(&found, FindingKind::Clearance);
        assert_eq!(near.is_some(), is_bad, "{found:?}");
        if let Some(near) = near {
            assert!(near.what.contains("hot part"), "{}", near.what);
            assert_eq!(near.limit, Some(required));
        }
        assert_eq!(judged_hot.scene().cables[0].shape, shape, "it only judges");
        // One of its own goes before.
        let mut own = scene.clone();
        own.required.others = 1e3;
        own.parts[k].required_clearance = Some(required);
        let (_, found) = judged(own);
        let of_part = |f: &&Finding| {
            f.kind == FindingKind::Clearance && f.other == Some(scene.parts[k].name.clone())
        };
        assert_eq!(found.iter().any(|f| of_part(&f)), is_bad);
    }
}

#[test]
fn forces_are_judged_by_the_limits_of_the_material_file() {
    let mut scene = demo("box").unwrap();
    let mut material = crate::scene::material::built_in().remove(0);
    "mine".clone_into(&mut material.name);
    material.max_pull_n = Some(1e-4);
    material.max_side_n = Some(1e-4);
    scene.cables[0].material = Some("mine".to_owned());
    // Down on the box.
    scene.cables[0].handles[1].pose.position.z = 150.0;
    scene.materials = vec![material];
    let (_, found) = judged(scene.clone());
    let side = of_kind(&found, FindingKind::SideForce).unwrap();
    assert!(side.value.unwrap() > 1e-4 && side.position.is_some());
    let pull = of_kind(&found, FindingKind::Pull).unwrap();
    assert!(pull.value.unwrap() > 1e-4 && pull.at.is_some());
    assert!(of_kind(&found, FindingKind::Uncalibrated).is_some());
    scene.materials[0].max_pull_n = Some(pull.value.unwrap() * 1.001);
    scene.materials[0].max_side_n = Some(side.value.unwrap() * 1.001);
    let (_, found) = judged(scene);
    assert!(of_kind(&found, FindingKind::SideForce).is_none());
    assert!(of_kind(&found, FindingKind::Pull).is_none());
}
