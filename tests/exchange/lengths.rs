//! What is cut of a route goes with it into every file that can carry it.

use loomwright::exchange::{Format, RouteOptions};
use loomwright::scene::demo::demo;
use loomwright::scene::{BendLimit, BendMeasure, BendRadius, CutRule, Fitting, Scene};

use super::formats::{export, options, routes_of};

/// The demo's cable as a hose: fittings, a limit on the inside of the bend, and a rule for cutting.
fn hose() -> Scene {
    let mut scene = demo("box").unwrap();
    let cable = &mut scene.cables[0];
    cable.fittings = [Fitting {
        length: 30.0,
        radius: 7.0,
    }; 2];
    for k in 0..cable.handles.len() {
        cable.handles[k].pose = cable.seat_at(cable.handles[k].place, &cable.handles[k].pose);
    }
    cable.bend_limit = BendLimit {
        at_rest: Some(BendRadius::Diameters(4.0)),
        measured: BendMeasure::Inside,
        ..BendLimit::default()
    };
    cable.cut = CutRule {
        allowances: [12.0, 8.0],
        service_loop: 30.0,
        round_to: 5.0,
    };
    scene
}

#[test]
fn a_route_has_its_lengths_and_its_radius_as_the_limit_measures_it() {
    let scene = hose();
    let route = routes_of(&scene, &[], &RouteOptions::default())
        .unwrap()
        .remove(0);
    let lengths = route.lengths.clone().unwrap();
    let whole = scene.cables[0].seat_to_seat();
    assert_eq!(lengths.geometric_mm, whole);
    assert_eq!(lengths.fittings_mm, 60.0);
    assert_eq!(lengths.cut_mm, scene.cables[0].cut.cut(whole));
    // The route runs from seat to seat.
    assert!((route.cable_length - lengths.under_load_mm.unwrap()).abs() < 0.01);
    let seats = [0, 1].map(|k| scene.cables[0].handles[k].pose.position);
    assert!((route.curve.start().position - seats[0]).norm() < 1e-6);
    assert!((route.curve.end().position - seats[1]).norm() < 1e-6);
    assert!((route.radius.at(1.0) - 7.0).abs() < 0.2);
    assert!((route.radius.at(0.5 * route.length) - scene.cables[0].radius).abs() < 0.2);
    // Inside is the centerline less the outer radius.
    let centerline = {
        let mut other = scene.clone();
        other.cables[0].bend_limit.measured = BendMeasure::Centerline;
        let routes = routes_of(&other, &[], &RouteOptions::default()).unwrap();
        routes[0].lengths.as_ref().unwrap().bend_radius_mm.unwrap()
    };
    let inside = lengths.bend_radius_mm.unwrap();
    assert!((centerline - inside - scene.cables[0].radius).abs() < 1e-9);
    assert_eq!(lengths.bend_measured, Some(BendMeasure::Inside));
    assert_eq!(
        lengths.bend_limit_mm,
        Some(4.0 * scene.cables[0].diameter())
    );
}

#[test]
fn every_file_that_can_carry_the_lengths_gives_them_back() {
    let routes = routes_of(&hose(), &[], &RouteOptions::default()).unwrap();
    let lengths = routes[0].lengths.clone();
    assert!(lengths.is_some());
    let folder = tempfile::tempdir().unwrap();
    for format in Format::ALL {
        let path = folder
            .path()
            .join(format!("{}.{}", format.key(), format.extension()));
        let report = export(&routes, format, &path, &options()).unwrap();
        let file = &report.files[0];
        assert!(
            file.geometry_good,
            "{}: {:?} {:?}",
            format.key(),
            file.problems,
            file.routes
        );
        // The check report has it for all of them.
        assert_eq!(file.routes[0].lengths, lengths, "{}", format.key());
        let found = format.read(&std::fs::read(&file.path).unwrap()).unwrap();
        let read = found.network.routes().next().unwrap().facts.clone();
        let read = read.and_then(|facts| facts.lengths).map(|lengths| *lengths);
        // The others have no place for it but the report.
        let carry = [
            "step",
            "iges",
            "vda",
            "dxf",
            "dxf-polyline",
            "ibl",
            "json",
            "csv",
            "obj",
            "glb",
        ];
        let expected = lengths.clone().filter(|_| carry.contains(&format.key()));
        assert_eq!(read, expected, "{}", format.key());
    }
}
