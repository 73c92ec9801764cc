//! A harness survives the round trip through each format that claims it: names, diameters, materials, junctions.

use loomwright::exchange::fit::FitTolerance;
use loomwright::exchange::{
    CableChoice, Convention, Format, Route, cable_of, export, import_routes, junctions_of,
};
use loomwright::geom::Vec3;
use loomwright::scene::Scene;

use super::formats::options;
use super::shapes::{along, label};

/// Three branches that meet at one node; names and materials that no format likes.
fn harness() -> Vec<Route> {
    let branch = |name: &str, radius: f64, direction: Vec3, to: &str| {
        let nodes = along(Vec3::new(10.0, 20.0, 30.0), 120.0, 60, |s| {
            direction + Vec3::new(0.0, 0.0, 0.004 * s)
        });
        let mut route =
            Route::through(label(name, radius), &nodes, &FitTolerance::default()).unwrap();
        route.material = Some("PVC wire, 85 °C */".into());
        route.ends = [Some("Türe links J1".into()), Some(to.into())];
        route
    };
    vec![
        branch("Kabelbaum Türe \"links\" B1", 3.25, Vec3::x(), "E1"),
        branch(
            "B2, lang und breit, mit vielen Wörtern im Namen",
            4.0,
            Vec3::y(),
            "E2",
        ),
        branch("線 3", 1.0 / 3.0, -Vec3::x(), "E3"),
    ]
}

#[test]
fn names_diameters_materials_and_junctions_come_back() {
    let directory = tempfile::tempdir().unwrap();
    let choice = CableChoice::usual(&Scene::default()).unwrap();
    for format in [
        Format::Step,
        Format::Iges,
        Format::Vda,
        Format::Dxf,
        Format::DxfPolyline,
        Format::Ibl,
        Format::Csv,
        Format::Json,
    ] {
        let key = format.key();
        let path = directory
            .path()
            .join(format!("{key}.{}", format.extension()));
        let routes = harness();
        let report = export(&routes, format, &path, &options()).unwrap();
        assert!(report.is_good(), "{key}: {report:#?}");
        let found = import_routes(&path, Convention::default()).unwrap();
        assert_eq!(found.routes.len(), 3, "{key}");
        for (route, found) in routes.iter().zip(&found.routes) {
            assert_eq!(found.name, route.name, "{key}");
            assert_eq!(found.material, route.material, "{key}");
            assert_eq!(found.ends, route.ends, "{key}");
            let radius = found.radius.unwrap();
            assert!((radius - route.radius.largest()).abs() < 1e-9, "{key}");
        }
        let cables: Vec<_> = found.routes.iter().map(|r| cable_of(r, &choice)).collect();
        let junctions = junctions_of(&found.routes, &cables);
        assert_eq!(junctions.len(), 1, "{key}");
        assert_eq!(junctions[0].name, "Türe links J1");
        assert_eq!(junctions[0].ends.len(), 3);
        let place = junctions[0].pose.position - Vec3::new(10.0, 20.0, 30.0);
        assert!(place.norm() < 1e-6, "{key}");
    }
}

#[test]
fn a_file_of_others_says_nothing_of_the_kind() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.csv");
    std::fs::write(&path, "x_mm,y_mm,z_mm\n0,0,0\n10,0,0\n").unwrap();
    let found = import_routes(&path, Convention::default()).unwrap();
    assert_eq!(found.routes[0].ends, [None, None]);
    assert_eq!(
        (found.routes[0].radius, &found.routes[0].material),
        (None, &None)
    );
    assert_eq!(found.routes[0].name, "x");
}
