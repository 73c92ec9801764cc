//! Curves as other programs write them: every kind, trimmed, in degrees, in assemblies and blocks, some of them broken.

use std::f64::consts::{PI, TAU};
use std::path::Path;

use loomwright::exchange::{Convention, ImportedRoutes, import_routes};
use loomwright::geom::Vec3;

/// Reads a file of that name and text.
fn import(name: &str, text: &str) -> ImportedRoutes {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    import_routes(&path, Convention::default()).unwrap()
}

fn lengths(found: &ImportedRoutes) -> Vec<f64> {
    found.network.routes().map(|r| r.length).collect()
}

fn near(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= 1e-6 * b, "{found:?} {expected:?}");
    }
}

/// A STEP file of one product with these items in a set of curves, in mm and that unit of angles.
fn step(items: &str, numbers: &str, degrees: bool) -> String {
    let angle = if degrees {
        "#9=(CONVERSION_BASED_UNIT('DEGREE',#10) NAMED_UNIT(#11) PLANE_ANGLE_UNIT());
         #10=PLANE_ANGLE_MEASURE_WITH_UNIT(PLANE_ANGLE_MEASURE(0.0174532925199433),#12);
         #11=DIMENSIONAL_EXPONENTS(0.,0.,0.,0.,0.,0.,0.);
         #12=(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.));"
    } else {
        "#9=(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.));"
    };
    format!(
        "ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;
         #1=SHAPE_DEFINITION_REPRESENTATION(#2,#7);
         #2=PRODUCT_DEFINITION_SHAPE('','',#3);
         #3=PRODUCT_DEFINITION('','',#4,$);
         #4=PRODUCT_DEFINITION_FORMATION('','',#5);
         #5=PRODUCT('W1','W1','',());
         #6=GEOMETRIC_CURVE_SET('',({numbers}));
         #7=GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION('',(#6),#8);
         #8=(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT((#9,#13)) REPRESENTATION_CONTEXT('',''));
         {angle}
         #13=(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.));
         #20=CARTESIAN_POINT('',(0.,0.,0.));
         #21=DIRECTION('',(0.,0.,1.));
         #22=DIRECTION('',(1.,0.,0.));
         #23=AXIS2_PLACEMENT_3D('',#20,#21,#22);
         #24=CIRCLE('',#23,100.);
         #25=ELLIPSE('',#23,20.,10.);
         #30=CARTESIAN_POINT('',(0.,0.,0.));
         #31=CARTESIAN_POINT('',(40.,0.,0.));
         #32=CARTESIAN_POINT('',(60.,20.,10.));
         #33=CARTESIAN_POINT('',(100.,20.,10.));
         {items}
         ENDSEC;\nEND-ISO-10303-21;\n"
    )
}

/// Length of the cubic Bezier curve of the points 30 to 33, by many chords and extrapolation.
fn bezier_length(from: f64, to: f64) -> f64 {
    let points = [
        [0.0, 0.0, 0.0],
        [40.0, 0.0, 0.0],
        [60.0, 20.0, 10.0],
        [100.0, 20.0, 10.0],
    ];
    let at = |t: f64| {
        let s = 1.0 - t;
        let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
        let sum = points.iter().zip(weights).map(|(p, w)| Vec3::from(*p) * w);
        sum.sum::<Vec3>()
    };
    let chords = |n: usize| -> f64 {
        let place = |i: usize| at(from + (to - from) * i as f64 / n as f64);
        (0..n).map(|i| (place(i + 1) - place(i)).norm()).sum()
    };
    (4.0 * chords(4000) - chords(2000)) / 3.0
}

#[test]
fn step_curves_are_trimmed_by_parameters_in_the_unit_of_the_file() {
    let items =
        "#40=TRIMMED_CURVE('',#24,(PARAMETER_VALUE(30.)),(PARAMETER_VALUE(120.)),.T.,.PARAMETER.);
        #41=TRIMMED_CURVE('',#24,(PARAMETER_VALUE(30.)),(PARAMETER_VALUE(120.)),.F.,.PARAMETER.);";
    let found = import("a.stp", &step(items, "#40", true));
    near(&lengths(&found), &[50.0 * PI]);
    let found = import("a.stp", &step(items, "#41", true));
    near(&lengths(&found), &[150.0 * PI]);
    let found = import("a.stp", &step("", "#24,#25", false));
    near(&lengths(&found), &[100.0 * TAU, 96.884_482_205_476_75]);
}

#[test]
fn step_splines_of_every_kind_are_read() {
    let spline = "#40=B_SPLINE_CURVE_WITH_KNOTS('',3,(#30,#31,#32,#33),.UNSPECIFIED.,.F.,.F.,(4,4),(0.,1.),.UNSPECIFIED.);
        #41=TRIMMED_CURVE('',#40,(PARAMETER_VALUE(0.2)),(PARAMETER_VALUE(0.9)),.T.,.PARAMETER.);
        #42=TRIMMED_CURVE('',#40,(PARAMETER_VALUE(0.9)),(PARAMETER_VALUE(0.2)),.F.,.PARAMETER.);
        #43=BEZIER_CURVE('',3,(#30,#31,#32,#33),.UNSPECIFIED.,.F.,.F.);
        #44=QUASI_UNIFORM_CURVE('',3,(#30,#31,#32,#33),.UNSPECIFIED.,.F.,.F.);
        #45=(BOUNDED_CURVE() B_SPLINE_CURVE(3,(#30,#31,#32,#33),.UNSPECIFIED.,.F.,.F.) B_SPLINE_CURVE_WITH_KNOTS((4,4),(0.,1.),.UNSPECIFIED.) CURVE() GEOMETRIC_REPRESENTATION_ITEM() RATIONAL_B_SPLINE_CURVE((1.,1.,1.,1.)) REPRESENTATION_ITEM(''));
        #46=POLYLINE('',(#30,#31,#33));
        #50=CARTESIAN_POINT('',(50.,0.,0.));
        #51=CARTESIAN_POINT('',(50.,50.,0.));
        #52=CARTESIAN_POINT('',(0.,50.,0.));
        #53=(BOUNDED_CURVE() B_SPLINE_CURVE(2,(#50,#51,#52),.UNSPECIFIED.,.F.,.F.) B_SPLINE_CURVE_WITH_KNOTS((3,3),(0.,1.),.UNSPECIFIED.) CURVE() GEOMETRIC_REPRESENTATION_ITEM() RATIONAL_B_SPLINE_CURVE((1.,0.707106781186548,1.)) REPRESENTATION_ITEM(''));";
    let one = |number: &str| {
        let found = import("a.stp", &step(spline, number, false));
        assert!(found.lost.is_empty(), "{:?}", found.lost);
        assert_eq!(found.network.segments[0].route.name, "W1");
        found
    };
    let whole = bezier_length(0.0, 1.0);
    for number in ["#40", "#43", "#44", "#45"] {
        near(&lengths(&one(number)), &[whole]);
    }
    let cut = bezier_length(0.2, 0.9);
    near(&lengths(&one("#41")), &[cut]);
    let back = one("#42");
    near(&lengths(&back), &[cut]);
    let ahead = one("#41");
    let ends = |r: &ImportedRoutes| {
        let curve = &r.network.segments[0].route.curve;
        [curve.start().position, curve.end().position]
    };
    assert!((ends(&ahead)[0] - ends(&back)[1]).norm() < 1e-9);
    // A polyline has corners, and they stay.
    near(&lengths(&one("#46")), &[40.0 + 4100.0_f64.sqrt()]);
    near(&lengths(&one("#53")), &[25.0 * PI]);
}

#[test]
fn tangent_pieces_of_a_step_wire_become_one_route() {
    let items = "#40=CARTESIAN_POINT('',(100.,0.,0.));
        #41=CARTESIAN_POINT('',(100.,-50.,0.));
        #42=DIRECTION('',(0.,-1.,0.));
        #43=VECTOR('',#42,1.);
        #44=LINE('',#40,#43);
        #45=TRIMMED_CURVE('',#44,(#40,PARAMETER_VALUE(0.)),(#41,PARAMETER_VALUE(50.)),.T.,.PARAMETER.);
        #46=TRIMMED_CURVE('',#24,(PARAMETER_VALUE(0.)),(PARAMETER_VALUE(1.)),.T.,.PARAMETER.);
        #47=TRIMMED_CURVE('',#24,(PARAMETER_VALUE(3.)),(PARAMETER_VALUE(4.)),.T.,.PARAMETER.);";
    let found = import("a.stp", &step(items, "#45,#46,#47", false));
    near(&lengths(&found), &[150.0, 100.0]);
}

#[test]
fn a_step_curve_that_cannot_be_read_is_named_and_loses_no_other() {
    let items = "#40=OFFSET_CURVE_3D('my offset',#24,3.,.F.,#22);
        #41=LINE('',#20,#99);
        #42=CARTESIAN_POINT('',(1.,2.,3.));";
    let found = import("a.stp", &step(items, "#24,#40,#41,#42", false));
    near(&lengths(&found), &[100.0 * TAU]);
    assert_eq!(found.lost.len(), 2, "{:?}", found.lost);
    assert!(found.lost[0].contains("#40") && found.lost[0].contains("my offset"));
    // On the command line that is no success.
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(
        directory.path().join("a.stp"),
        step(items, "#24,#40", false),
    )
    .unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_loomwright"))
        .current_dir(directory.path())
        .args(["import-routes", "a.stp", "-o", "r.scene.json", "--json"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["good"], false);
    assert_eq!(document["cables"].as_array().unwrap().len(), 1);
    assert!(Path::new(&directory.path().join("r.scene.json")).exists());
}

#[test]
fn step_curves_are_enlarged_and_mirrored_by_operators_wherever_these_stand() {
    let line = "#40=POLYLINE('',(#30,#31));#41=CARTESIAN_POINT('',(5.,6.,7.));#42=DIRECTION('',(-1.,0.,0.));\
                #43=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',#42,$,#41,3.,$);";
    // A copy of a curve.
    let text = step(
        &format!("{line}#44=CURVE_REPLICA('',#40,#43);"),
        "#44",
        false,
    );
    near(&lengths(&import("a.stp", &text)), &[120.0]);
    // A map of a representation, and a use in an assembly.
    let inner = "#50=GEOMETRIC_CURVE_SET('',(#40));\
                 #51=GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION('',(#50,#23),#8);";
    let mapped =
        format!("{line}{inner}#52=REPRESENTATION_MAP(#23,#51);#53=MAPPED_ITEM('',#52,#43);");
    let text = step(&mapped, "", false).replace("('',(#6),#8)", "('',(#53),#8)");
    let found = import("a.stp", &text);
    near(&lengths(&found), &[120.0]);
    let used = format!(
        "{line}{inner}#60=SHAPE_DEFINITION_REPRESENTATION(#61,#51);#61=PRODUCT_DEFINITION_SHAPE('','',#62);\
         #62=PRODUCT_DEFINITION('','',#63,$);#63=PRODUCT_DEFINITION_FORMATION('','',#64);#64=PRODUCT('W2','W2','',());\
         #65=NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','','',#3,#62,$);#66=PRODUCT_DEFINITION_SHAPE('','',#65);\
         #67=(REPRESENTATION_RELATIONSHIP('','',#51,#7)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#43)\
         SHAPE_REPRESENTATION_RELATIONSHIP());#68=CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(#67,#66);"
    );
    let found = import("a.stp", &step(&used, "", false));
    near(&lengths(&found), &[120.0]);
    let curve = &found.network.segments[0].route.curve;
    assert!((curve.start().position - Vec3::new(5.0, 6.0, 7.0)).norm() < 1e-9);
    assert!((curve.end().position - Vec3::new(-115.0, 6.0, 7.0)).norm() < 1e-9);
}

#[test]
fn step_curves_stand_where_relationships_without_a_use_put_them() {
    let inner = "#40=POLYLINE('',(#30,#31));#50=GEOMETRIC_CURVE_SET('',(#40));\
                 #51=GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION('',(#50,#23),#8);\
                 #52=CARTESIAN_POINT('',(5.,6.,7.));#53=AXIS2_PLACEMENT_3D('',#52,#21,#22);\
                 #54=ITEM_DEFINED_TRANSFORMATION('','',#23,#53);\
                 #55=(REPRESENTATION_RELATIONSHIP('','',#51,#7)REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(#54)\
                 SHAPE_REPRESENTATION_RELATIONSHIP());";
    let product = "#60=SHAPE_DEFINITION_REPRESENTATION(#61,#51);#61=PRODUCT_DEFINITION_SHAPE('','',#62);\
                   #62=PRODUCT_DEFINITION('','',#63,$);#63=PRODUCT_DEFINITION_FORMATION('','',#64);\
                   #64=PRODUCT('W2','W2','',());";
    let usage = "#65=NEXT_ASSEMBLY_USAGE_OCCURRENCE('1','','',#3,#62,$);";
    let starts = |items: &str| {
        let found = import("a.stp", &step(items, "", false));
        near(&lengths(&found), &[40.0]);
        let route = &found.network.segments[0].route;
        (route.name.clone(), route.curve.start().position)
    };
    let moved = Vec3::new(5.0, 6.0, 7.0);
    // In the product itself, as a product in it, and as a use without a place of its own.
    assert_eq!(starts(inner), ("W1".to_owned(), moved));
    assert_eq!(
        starts(&format!("{inner}{product}")),
        ("W2".to_owned(), moved)
    );
    assert_eq!(
        starts(&format!("{inner}{product}{usage}")),
        ("W2".to_owned(), moved)
    );
}

#[test]
fn a_step_curve_without_a_place_is_named() {
    let inner = "#40=POLYLINE('',(#30,#31));#50=GEOMETRIC_CURVE_SET('',(#40));\
                 #51=GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION('',(#50,#23),#8);\
                 #52=REPRESENTATION_MAP(#23,#51);#53=MAPPED_ITEM('',#52,#99);#41=POLYLINE('',(#30,#32));";
    let text = step(inner, "#41", false).replace("('',(#6),#8)", "('',(#6,#53),#8)");
    let found = import("a.stp", &text);
    assert_eq!(lengths(&found).len(), 1);
    assert_eq!(found.lost.len(), 1, "{:?}", found.lost);
    assert!(found.lost[0].contains("#40"), "{:?}", found.lost);
}

#[test]
fn boundaries_of_solids_are_no_routes() {
    let items = "#40=VERTEX_POINT('',#30);
        #41=EDGE_CURVE('',#40,#40,#24,.T.);
        #42=ORIENTED_EDGE('',*,*,#41,.T.);
        #43=EDGE_LOOP('',(#42));
        #44=FACE_BOUND('',#43,.T.);
        #45=PLANE('',#23);
        #46=ADVANCED_FACE('',(#44),#45,.T.);
        #47=OPEN_SHELL('',(#46));
        #48=SHELL_BASED_SURFACE_MODEL('',(#47));";
    let found = import("a.stp", &step(items, "#25,#48", false));
    near(&lengths(&found), &[96.884_482_205_476_75]);
    assert!(found.lost.is_empty() && found.notes.is_empty(), "{found:?}");
}

/// A DXF file of these entities, in mm, with a block "B" that holds a line of 10.
fn dxf(entities: &str) -> String {
    let text = format!(
        "0 SECTION 2 HEADER 9 $INSUNITS 70 4 0 ENDSEC \
         0 SECTION 2 BLOCKS 0 BLOCK 8 0 2 B 10 1 20 0 30 0 0 LINE 8 K 10 1 20 0 30 0 11 11 21 0 31 0 0 ENDBLK \
         0 BLOCK 8 0 2 STRETCHED 10 0 20 0 30 0 0 ARC 8 K 10 1 20 2 30 3 40 10 50 300 51 60 0 ENDBLK 0 ENDSEC \
         0 SECTION 2 ENTITIES {entities} 0 ENDSEC 0 EOF"
    );
    text.split_whitespace()
        .fold(String::new(), |all, word| all + word + "\n")
}

#[test]
fn dxf_entities_of_every_kind_are_read() {
    let ellipse = 96.884_482_205_476_75;
    for (entity, expected) in [
        ("0 LINE 8 W 10 0 20 0 30 0 11 3 21 4 31 12", 13.0),
        ("0 ARC 8 W 10 5 20 5 30 5 40 10 50 350 51 80", 5.0 * PI),
        (
            "0 CIRCLE 8 W 10 5 20 5 30 5 40 10 210 0 220 1 230 0",
            20.0 * PI,
        ),
        (
            "0 ELLIPSE 8 W 10 0 20 0 30 0 11 20 21 0 31 0 40 0.5 41 0 42 6.283185307179586",
            ellipse,
        ),
        (
            "0 LWPOLYLINE 8 W 90 3 70 0 10 0 20 0 10 100 20 0 42 1 10 100 20 20",
            100.0 + 10.0 * PI,
        ),
        (
            "0 LWPOLYLINE 8 W 90 4 70 1 10 0 20 0 10 10 20 0 10 10 20 10 10 0 20 10",
            40.0,
        ),
        (
            "0 POLYLINE 8 W 66 1 70 8 0 VERTEX 8 W 10 0 20 0 30 0 0 VERTEX 8 W 10 3 20 4 30 0 0 VERTEX 8 W 10 3 20 4 30 5 0 SEQEND",
            10.0,
        ),
        (
            "0 SPLINE 8 W 70 8 71 3 72 8 73 4 40 0 40 0 40 0 40 0 40 1 40 1 40 1 40 1 \
             10 0 20 0 30 0 10 40 20 0 30 0 10 60 20 20 30 10 10 100 20 20 30 10",
            bezier_length(0.0, 1.0),
        ),
        (
            "0 SPLINE 8 W 70 12 71 2 72 6 73 3 40 0 40 0 40 0 40 1 40 1 40 1 \
             41 1 41 0.7071067811865476 41 1 10 50 20 0 30 0 10 50 20 50 30 0 10 0 20 50 30 0",
            25.0 * PI,
        ),
        // Through points on a line the spline is the line.
        (
            "0 SPLINE 8 W 70 8 71 3 72 0 73 0 74 3 11 0 21 0 31 0 11 10 21 0 31 0 11 35 21 0 31 0",
            35.0,
        ),
        ("0 INSERT 8 W 2 B 10 5 20 5 30 5 41 2 42 2 43 2 50 30", 20.0),
        // An arc that is stretched more one way than the other is one of an ellipse.
        (
            "0 INSERT 8 W 2 STRETCHED 10 5 20 5 30 5 41 2 42 3",
            57.299_588_924_761_64,
        ),
    ] {
        let found = import("a.dxf", &dxf(entity));
        assert!(found.lost.is_empty(), "{entity}: {:?}", found.lost);
        near(&lengths(&found), &[expected]);
    }
    let insert = import("a.dxf", &dxf("0 INSERT 8 W 2 B 10 5 20 6 30 7 50 90"));
    let curve = &insert.network.segments[0].route.curve;
    assert!((curve.start().position - Vec3::new(5.0, 6.0, 7.0)).norm() < 1e-9);
    assert!((curve.end().position - Vec3::new(5.0, 16.0, 7.0)).norm() < 1e-9);
    let circle = import(
        "a.dxf",
        &dxf("0 ARC 8 W 10 5 20 6 30 7 40 10 50 0 51 90 210 0 220 0 230 -1"),
    );
    let start = circle.network.segments[0].route.curve.start().position;
    assert!(
        (start - Vec3::new(-15.0, 6.0, -7.0)).norm() < 1e-9,
        "{start}"
    );
}

#[test]
fn a_dxf_entity_that_cannot_be_read_is_named_and_loses_no_other() {
    let broken = "0 ARC 8 W2 10 5 20 5 30 5 50 350 51 80 0 LINE 8 W 10 0 20 0 30 0 11 3 21 4 31 12";
    let found = import("a.dxf", &dxf(broken));
    near(&lengths(&found), &[13.0]);
    assert!(
        found.lost[0].contains("ARC on layer \"W2\""),
        "{:?}",
        found.lost
    );
}

#[test]
fn vda_circles_and_points_are_read() {
    let text = "F = HEADER / 0\nC1 = CIRCLE / 0.,0.,0.,10.,1.,0.,0.,0.,1.,0.,0.,90.\n\
                P1 = PSET / 2,0.,0.,0.,3.,4.,0.\nF = END\n";
    let found = import("a.vda", text);
    near(&lengths(&found), &[5.0 * PI, 5.0]);
}

#[test]
fn arcs_that_are_mirrored_turn_the_other_way() {
    // An arc of 120 and one of 240 degrees about (1, 2, 3), mirrored at x = 0, in a block and in a map of STEP.
    for (block, from, turn) in [("STRETCHED", 300.0_f64, 120.0), ("LONG", 60.0, 240.0)] {
        let long = "0 BLOCK 8 0 2 LONG 10 0 20 0 30 0 0 ARC 8 K 10 1 20 2 30 3 40 10 50 60 51 300 0 ENDBLK 0 BLOCK";
        let long = long.split_whitespace().collect::<Vec<_>>().join("\n");
        let text = dxf(&format!("0 INSERT 8 W 2 {block} 10 0 20 0 30 0 41 -1"))
            .replacen("0\nBLOCK", &long, 1);
        let arc = format!(
            "#40=TRIMMED_CURVE('',#42,(PARAMETER_VALUE({from:?})),(PARAMETER_VALUE({:?})),.T.,.PARAMETER.);\
             #41=CARTESIAN_POINT('',(1.,2.,3.));#42=CIRCLE('',#43,10.);#43=AXIS2_PLACEMENT_3D('',#41,#21,#22);\
             #44=GEOMETRIC_CURVE_SET('',(#40));\
             #45=GEOMETRICALLY_BOUNDED_WIREFRAME_SHAPE_REPRESENTATION('',(#44,#23),#8);\
             #46=REPRESENTATION_MAP(#23,#45);#47=DIRECTION('',(-1.,0.,0.));#48=DIRECTION('',(0.,1.,0.));\
             #49=CARTESIAN_TRANSFORMATION_OPERATOR_3D('','',#47,#48,#20,1.,#21);#50=MAPPED_ITEM('',#46,#49);",
            from + turn
        );
        let mapped = step(&arc, "", true).replace("('',(#6),#8)", "('',(#50),#8)");
        for (name, text) in [("a.dxf", text), ("a.stp", mapped)] {
            let found = import(name, &text);
            near(&lengths(&found), &[10.0 * turn.to_radians()]);
            let curve = &found.network.segments[0].route.curve;
            let on_arc = |degrees: f64| {
                let (sine, cosine) = degrees.to_radians().sin_cos();
                Vec3::new(-(1.0 + 10.0 * cosine), 2.0 + 10.0 * sine, 3.0)
            };
            for part in [0.0, 0.3, 0.7, 1.0] {
                let off = curve.nearest(&on_arc(from + part * turn)).1;
                assert!(off < 1e-5, "{block} {name} {part} {off}");
            }
            assert!(
                (curve.start().position - on_arc(from)).norm() < 1e-9,
                "{block} {name}"
            );
        }
    }
}
