//! Routes from files: the round trip, files of others, and broken ones.

use loomwright::exchange::{
    Axes, Carries, Convention, ExportOptions, Format, ImportRoutesError, LengthUnit, RouteOptions,
    cable_along, import_routes,
};
use loomwright::geom::Vec3;
use loomwright::scene::demo::demo;

use super::formats::{export, options, routes_of};
use super::shapes::cases;

#[test]
fn routes_make_the_round_trip_in_every_format_of_curves_and_points() {
    let directory = tempfile::tempdir().unwrap();
    let convention = Convention {
        unit: LengthUnit::Mm,
        axes: Axes::YUp,
    };
    for case in cases()
        .iter()
        .filter(|c| ["cable", "harness", "stub"].contains(&c.name))
    {
        for format in Format::ALL {
            if ![Carries::Curve, Carries::Points].contains(&format.carries()) {
                continue;
            }
            let options = ExportOptions {
                axes: Some(Axes::YUp),
                ..options()
            };
            let path = directory.path().join(format!("w.{}", format.extension()));
            let report = export(&case.routes, format, &path, &options).unwrap();
            let mut found = Vec::new();
            for file in &report.files {
                found.extend(
                    import_routes(&file.path, convention)
                        .unwrap()
                        .network
                        .into_routes(),
                );
            }
            assert_eq!(found.len(), case.routes.len());
            for (route, found) in case.routes.iter().zip(&found) {
                assert!(
                    (found.length - route.length).abs() < 0.01,
                    "{}",
                    format.key()
                );
                assert_eq!(found.curve.start().position, route.curve.start().position);
                if format.names().is_some() && format != Format::Vda {
                    assert_eq!(found.name, route.name);
                }
            }
        }
    }
}

#[test]
fn an_imported_route_becomes_a_cable_that_is_solved_and_exported_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("w.stp");
    let mut scene = demo("drag").unwrap();
    scene.parts.clear();
    let way = RouteOptions::default();
    let routes = routes_of(&scene, &[], &way).unwrap();
    export(&routes, Format::Step, &path, &options()).unwrap();
    let imported = import_routes(&path, Convention::default()).unwrap();
    let old = scene.cables.remove(0);
    scene.cables = vec![cable_along(
        &imported.network.segments[0].route,
        old.radius,
        old.section,
        120,
    )];
    let again = routes_of(&scene, &[], &way).unwrap();
    // The same cable between the same ends hangs in the same shape, the roundings of length aside.
    for i in 0..=50 {
        let (a, b) = routes[0].curve.domain();
        let place = routes[0]
            .curve
            .at(a + (b - a) * f64::from(i) / 50.0)
            .position;
        let distance = again[0].curve.nearest(&place).1;
        assert!(distance < 0.1, "{distance}");
    }
}

#[test]
fn placements_of_an_assembly_and_units_are_applied() {
    let text = "ISO-10303-21;\nHEADER;\nFILE_NAME('x','');\nENDSEC;\nDATA;\n\
        #1=(LENGTH_UNIT()NAMED_UNIT(*)SI_UNIT($,.METRE.));\n\
        #2=(GEOMETRIC_REPRESENTATION_CONTEXT(3)GLOBAL_UNIT_ASSIGNED_CONTEXT((#1))REPRESENTATION_CONTEXT('',''));\n\
        #3=CARTESIAN_POINT('',(0.,0.,0.));#4=CARTESIAN_POINT('',(1.,0.,0.));\n\
        #5=POLYLINE('',(#3,#4));#6=GEOMETRIC_CURVE_SET('',(#5));\n\
        #7=DIRECTION('',(0.,0.,1.));#8=DIRECTION('',(1.,0.,0.));#9=DIRECTION('',(0.,1.,0.));\n\
        #10=AXIS2_PLACEMENT_3D('',#3,#7,#8);#11=CARTESIAN_POINT('',(0.,0.,2.));\n\
        #12=AXIS2_PLACEMENT_3D('',#11,#7,#9);\n\
        #13=GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION('',(#10,#6),#2);\n\
        #14=SHAPE_REPRESENTATION('',(#10,#12),#2);\n\
        #15=ITEM_DEFINED_TRANSFORMATION('','',#10,#12);\n\
        #16=(REPRESENTATION_RELATIONSHIP('','',#13,#14)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#15)\
        SHAPE_REPRESENTATION_RELATIONSHIP());\n\
        #20=PRODUCT('p','W5','',());#21=PRODUCT_DEFINITION_FORMATION('','',#20);\n\
        #22=PRODUCT_DEFINITION('','',#21,$);#23=PRODUCT_DEFINITION_SHAPE('','',#22);\n\
        #24=SHAPE_DEFINITION_REPRESENTATION(#23,#13);\nENDSEC;\nEND-ISO-10303-21;\n";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.step");
    std::fs::write(&path, text).unwrap();
    let routes = import_routes(&path, Convention::default())
        .unwrap()
        .network
        .into_routes();
    assert_eq!((routes.len(), routes[0].name.as_str()), (1, "W5"));
    let (start, end) = (
        routes[0].curve.start().position,
        routes[0].curve.end().position,
    );
    assert!((start - Vec3::new(0.0, 0.0, 2000.0)).norm() < 1e-9);
    assert!((end - Vec3::new(0.0, 1000.0, 2000.0)).norm() < 1e-9);
}

#[test]
fn broken_files_never_panic() {
    let directory = tempfile::tempdir().unwrap();
    let routes = cases().remove(1).routes;
    let mut random = fastrand::Rng::with_seed(7);
    for format in Format::ALL {
        let path = directory.path().join(format!("x.{}", format.extension()));
        let report = export(&routes[..1], format, &path, &options()).unwrap();
        let whole = std::fs::read(&report.files[0].path).unwrap();
        for _ in 0..60 {
            let mut bytes = whole.clone();
            bytes.truncate(random.usize(0..=whole.len()));
            for _ in 0..random.usize(0..8) {
                if !bytes.is_empty() {
                    let at = random.usize(0..bytes.len());
                    bytes[at] = random.u8(..);
                }
            }
            let _ = format.read(&bytes);
            if Format::of_path(&path).is_some() {
                std::fs::write(&path, &bytes).unwrap();
                let _ = import_routes(&path, Convention::default());
            }
        }
    }
    let missing = import_routes("nowhere.csv".as_ref(), Convention::default());
    assert!(matches!(missing, Err(ImportRoutesError::Disk { .. })));
    let unknown = import_routes("x.doc".as_ref(), Convention::default()).unwrap_err();
    assert!(unknown.to_string().contains(".ibl"), "{unknown}");
}
