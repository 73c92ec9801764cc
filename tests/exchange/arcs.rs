//! Routes as straight lines and circular arcs.

use loomwright::exchange::{
    ArcLimits, Convention, ExportOptions, Form, Format, Route, import_routes,
};

use super::formats::{export, options};
use super::shapes::cases;

pub const ARC_FORMATS: [Format; 3] = [Format::Step, Format::Iges, Format::Json];

pub fn as_arcs(tolerance: f64, smallest_radius: f64) -> ExportOptions {
    ExportOptions {
        form: Form::LinesAndArcs(ArcLimits {
            tolerance,
            smallest_radius,
        }),
        ..options()
    }
}

#[test]
fn every_shape_passes_the_check_as_lines_and_arcs() {
    let directory = tempfile::tempdir().unwrap();
    for case in cases() {
        for format in ARC_FORMATS {
            for tolerance in [0.01, 0.5] {
                let name = format!("{}.{}", case.name, format.extension());
                let path = directory.path().join(name);
                let report = export(&case.routes, format, &path, &as_arcs(tolerance, 5.0)).unwrap();
                assert!(report.is_good(), "{}: {report:#?}", case.name);
                for check in &report.files[0].routes {
                    assert!(check.deviation_mm <= tolerance);
                    assert!(check.deviation_mm > 0.0 || case.name == "stub", "{check:?}");
                    assert!(check.smallest_radius_mm.is_none_or(|r| r >= 5.0));
                    let [start, end] = check.end_gaps_mm.unwrap();
                    assert!(start <= 1e-11 && end <= 1e-11, "{start} {end}");
                }
            }
        }
    }
}

#[test]
fn a_wider_tolerance_takes_fewer_arcs() {
    let directory = tempfile::tempdir().unwrap();
    let routes = cases().remove(0).routes;
    let count = |tolerance: f64| {
        let path = directory.path().join("x.stp");
        let report = export(&routes, Format::Step, &path, &as_arcs(tolerance, 0.0)).unwrap();
        report.files[0].routes[0].count
    };
    let (fine, coarse) = (count(0.01), count(1.0));
    assert!(2 * coarse < fine, "{coarse} and {fine}");
    assert!(coarse >= 2);
}

#[test]
fn lines_and_arcs_open_again_as_routes_of_the_same_length() {
    let directory = tempfile::tempdir().unwrap();
    for case in cases() {
        for format in ARC_FORMATS {
            let path = directory
                .path()
                .join(format!("{}.{}", case.name, format.extension()));
            let report = export(&case.routes, format, &path, &as_arcs(0.1, 0.0)).unwrap();
            let found = import_routes(&path, Convention::default()).unwrap();
            let found = found.network.into_routes();
            assert_eq!(found.len(), case.routes.len());
            for (route, check) in found.iter().zip(&report.files[0].routes) {
                let written = check.length_mm.unwrap();
                assert!(
                    (route.length - written).abs() < 0.01,
                    "{} as {}: {} of {written}",
                    case.name,
                    format.key(),
                    route.length
                );
            }
        }
    }
}

#[test]
fn what_cannot_be_lines_and_arcs_is_refused_with_the_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x");
    let bends: Vec<Route> = cases().remove(3).routes;
    let error = export(&bends, Format::Step, &path, &as_arcs(0.1, 60.0)).unwrap_err();
    let said = error.to_string();
    for words in ["\"LONG\"", "mm from its start (x ", "allowed is 60.00 mm"] {
        assert!(said.contains(words), "{said}");
    }
    for format in Format::ALL {
        if !ARC_FORMATS.contains(&format) {
            let error = export(&bends, format, &path, &as_arcs(0.1, 0.0)).unwrap_err();
            let said = error.to_string();
            assert!(said.contains("hold no lines and arcs"), "{said}");
        }
    }
    let error = export(&bends, Format::Step, &path, &as_arcs(0.0, 0.0)).unwrap_err();
    assert!(error.to_string().contains("tolerance"), "{error}");
    assert!(!path.exists());
}

#[test]
fn a_composite_curve_of_another_program_is_read() {
    // A line, a half circle run backwards, and a circle of a whole turn, as trimmed curves.
    let text = "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n\
        #1=CARTESIAN_POINT('',(0.,0.,0.));\n#2=CARTESIAN_POINT('',(10.,0.,0.));\n\
        #3=CARTESIAN_POINT('',(10.,20.,0.));\n#4=CARTESIAN_POINT('',(10.,10.,0.));\n\
        #5=DIRECTION('',(0.,0.,-1.));\n#6=DIRECTION('',(1.,0.,0.));\n\
        #7=VECTOR('',#6,1.);\n#8=LINE('',#1,#7);\n\
        #9=TRIMMED_CURVE('',#8,(#1),(#2),.T.,.CARTESIAN.);\n\
        #10=AXIS2_PLACEMENT_3D('',#4,#5,#6);\n#11=CIRCLE('',#10,10.);\n\
        #12=TRIMMED_CURVE('',#11,(#3),(#2),.T.,.CARTESIAN.);\n\
        #13=COMPOSITE_CURVE_SEGMENT(.CONTINUOUS.,.T.,#9);\n\
        #14=COMPOSITE_CURVE_SEGMENT(.DISCONTINUOUS.,.F.,#12);\n\
        #15=COMPOSITE_CURVE('pipe',(#13,#14),.F.);\n\
        #16=GEOMETRIC_CURVE_SET('',(#15));\n\
        #17=GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION('',(#16),$);\n\
        ENDSEC;\nEND-ISO-10303-21;\n";
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("pipe.stp");
    std::fs::write(&path, text).unwrap();
    let found = import_routes(&path, Convention::default()).unwrap();
    let found = found.network.into_routes();
    let [pipe] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!(pipe.name, "pipe");
    let length = 10.0 + 10.0 * std::f64::consts::PI;
    assert!((pipe.length - length).abs() < 0.01, "{}", pipe.length);
    // The half circle bulges away from the origin.
    let middle = pipe.curve.at(pipe.curve.domain().1 * 0.622).position;
    assert!((middle.x - 20.0).abs() < 0.1, "{middle}");
}
