//! STEP files made by hand: bodies, assemblies, units, colours, and what damage is noticed.

use std::f64::consts::PI;

use loomwright::centerline::{Settings, extract};
use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::mesh::import::{Color, ImportWarning, ImportedFile, Unit, import_bytes};
use loomwright::mesh::tessellate::{Measure, measure};
use loomwright::mesh::{EdgeTable, TriMesh, cylinder_at, rims};

/// Two pins of radius 0.5 and height 1, in inches.
pub const PINS: &str = include_str!("../fixtures/step/pins.stp");

const INCH: f64 = 25.4;

fn read(text: &str) -> ImportedFile {
    import_bytes(text.as_bytes(), "pins.stp").unwrap()
}

fn measures(file: &ImportedFile) -> Vec<Measure> {
    let one =
        |p: &loomwright::mesh::import::NamedMesh| measure(p.mesh.vertices(), p.mesh.triangles());
    file.parts.iter().map(one).collect()
}

fn is_near(found: f64, expected: f64, share: f64) -> bool {
    (found - expected).abs() <= share * expected.abs()
}

#[test]
fn an_assembly_in_inches_is_placed_named_and_closed() {
    let file = read(PINS);
    assert_eq!(file.warnings, []);
    assert_eq!(file.space.unit, Unit::Inch);
    let names: Vec<&str> = file.parts.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["pin", "pin 2"]);
    assert_eq!(file.parts[0].path, ["rack", "pin"]);
    for (part, found) in file.parts.iter().zip(measures(&file)) {
        assert_eq!(part.color, Some(Color::new([1.0, 0.5, 0.0, 1.0])));
        assert_eq!(found.open_sides, 0);
        assert!(
            is_near(found.volume, PI / 4.0 * INCH.powi(3), 0.01),
            "{found:?}"
        );
        assert!(
            is_near(found.area, 1.5 * PI * INCH.powi(2), 0.005),
            "{found:?}"
        );
        let brep = part.report.brep.as_ref().unwrap();
        assert!(brep.faces == 3 && brep.is_good());
    }
    // The second lies along x from 0 to 1 inch, at a height of 2.
    let lying = file.parts[1].mesh.aabb();
    assert!(lying.min.x.abs() < 1e-9 && (lying.max.x - INCH).abs() < 1e-9);
    assert!((0.5 * (lying.min.z + lying.max.z) - 2.0 * INCH).abs() < 0.1);
}

#[test]
fn a_missing_face_leaves_an_open_solid() {
    let file = read(&PINS.replace("(#34,#39,#47)", "(#34,#47)"));
    assert!(measures(&file)[0].open_sides > 0);
    let is_open = |w: &ImportWarning| matches!(w, ImportWarning::OpenSolid { number: 49, .. });
    assert!(file.warnings.iter().any(is_open), "{:?}", file.warnings);
    assert_eq!(file.parts[0].report.brep.as_ref().unwrap().open_solids, 1);
}

#[test]
fn another_radius_is_noticed() {
    for (old, new) in [
        (
            "CYLINDRICAL_SURFACE('',#14,0.5)",
            "CYLINDRICAL_SURFACE('',#14,0.53)",
        ),
        ("CIRCLE('',#14,0.5)", "CIRCLE('',#14,0.53)"),
    ] {
        let file = read(&PINS.replace(old, new));
        let is_named = |w: &ImportWarning| matches!(w, ImportWarning::Face { face: 34 | 47, .. });
        assert!(
            file.warnings.iter().any(is_named),
            "{old}: {:?}",
            file.warnings
        );
        assert!(!file.parts[0].report.brep.as_ref().unwrap().is_good());
    }
}

#[test]
fn a_flipped_face_keeps_its_wall_and_is_named() {
    for (old, new) in [
        ("'skin',(#42,#45),#46,.T.", "'skin',(#42,#45),#46,.F."),
        ("'top',(#37),#38,.T.", "'top',(#37),#38,.F."),
    ] {
        let file = read(&PINS.replace(old, new));
        let found = measures(&file)[0];
        assert!(found.open_sides == 0 && is_near(found.volume, PI / 4.0 * INCH.powi(3), 0.01));
        assert!(!file.warnings.is_empty(), "{old}");
    }
}

#[test]
fn a_dome_that_is_turned_inside_is_named() {
    // The lid becomes half a ball that goes over into the skin.
    let dome = PINS.replace("=PLANE('',#15)", "=SPHERICAL_SURFACE('',#15,0.5)");
    let file = read(&dome);
    assert_eq!(file.warnings, []);
    let volume = (PI / 4.0 + PI / 12.0) * INCH.powi(3);
    assert!(is_near(measures(&file)[0].volume, volume, 0.01));
    // Turned round it is a hollow of the same border: as closed, but its edge is as thin as nothing.
    let file = read(&dome.replace("'top',(#37),#38,.T.", "'top',(#37),#38,.F."));
    assert_eq!(measures(&file)[0].open_sides, 0);
    let brep = file.parts[0].report.brep.as_ref().unwrap();
    assert_eq!(brep.doubtful_faces, [39]);
    let is_named = |w: &ImportWarning| matches!(w, ImportWarning::Face { face: 39, .. });
    assert!(file.warnings.iter().any(is_named), "{:?}", file.warnings);
}

/// A quarter of a ring of 5 inches in the place of the pin.
fn elbow() -> String {
    let mut text = PINS.to_owned();
    for (old, new) in [
        (
            "#11=CARTESIAN_POINT('',(0.,0.,1.))",
            "#11=CARTESIAN_POINT('',(5.,0.,5.))",
        ),
        (
            "#15=AXIS2_PLACEMENT_3D('',#11,#12,#13)",
            "#15=AXIS2_PLACEMENT_3D('',#11,#13,#12)",
        ),
        (
            "#21=CARTESIAN_POINT('',(0.5,0.,1.))",
            "#21=CARTESIAN_POINT('',(5.,0.,5.5))",
        ),
        (
            "#46=CYLINDRICAL_SURFACE('',#14,0.5);",
            "#16=AXIS2_PLACEMENT_3D('',#17,#18,#13);#17=CARTESIAN_POINT('',(5.,0.,0.));\
             #18=DIRECTION('',(0.,1.,0.));#46=TOROIDAL_SURFACE('',#16,5.,0.5);",
        ),
    ] {
        assert!(text.contains(old), "{old}");
        text = text.replace(old, new);
    }
    text
}

/// How far the centerline of a mesh is off a circle of 5 inches, mm.
fn off_circle(mesh: &TriMesh, center: Vec3, normal: Vec3) -> f64 {
    let graph = extract(mesh, &Settings::default(), &|_| true).unwrap();
    assert_eq!(graph.branches.len(), 1);
    let off = |p: &Vec3| {
        let from = p - center * INCH;
        let height = from.dot(&normal);
        let out = (from - normal * height).norm() - 5.0 * INCH;
        out.hypot(height)
    };
    let points = graph.branches[0].curve.iter();
    points.map(|p| off(&p.position)).fold(0.0, f64::max)
}

#[test]
fn a_bend_gives_its_centerline_as_the_file_has_it() {
    let file = read(&elbow());
    assert_eq!(file.warnings, []);
    let places = [
        (Vec3::new(5.0, 0.0, 0.0), Vec3::y()),
        (Vec3::new(0.0, 5.0, 2.0), Vec3::z()),
    ];
    for (part, (center, normal)) in file.parts.iter().zip(places) {
        let mesh = &*part.mesh;
        let exact = off_circle(mesh, center, normal);
        assert!(exact < 1e-6, "{exact}");
        // By its triangles alone it is what triangles allow.
        let plain = TriMesh::new(mesh.vertices().to_vec(), mesh.triangles().to_vec()).unwrap();
        let plain = off_circle(&plain, center, normal);
        assert!(plain > 1e-4, "{plain}");
        // It stays exact when the part is moved.
        let pose = Pose {
            position: Vec3::new(100.0, -50.0, 20.0),
            rotation: Rotation::from_euler_angles(0.3, -0.8, 1.9),
        };
        let center = pose.transform(&(center * INCH)) / INCH;
        let moved = off_circle(&mesh.transformed(&pose), center, pose.rotation * normal);
        assert!(moved < 1e-6, "{moved}");
    }
}

#[test]
fn a_surface_that_is_not_read_is_drawn_by_its_border_and_named() {
    let file = read(&PINS.replace("=PLANE('',#15)", "=ODD_SURFACE('',#15)"));
    let brep = file.parts[0].report.brep.as_ref().unwrap();
    assert_eq!(brep.failed_faces, [39]);
    // The wall is there: the lid is flat, so its border says all.
    assert_eq!(measures(&file)[0].open_sides, 0);
}

#[test]
fn a_ball_and_a_ring_without_borders_are_closed() {
    let ball = "#46=SPHERICAL_SURFACE('',#14,0.5);#31=VERTEX_LOOP('',#22);#32=FACE_BOUND('',#31,.T.);\
                #47=ADVANCED_FACE('',(#32),#46,.T.);#48=CLOSED_SHELL('',(#47));";
    let found = measures(&read(&with_faces(ball)))[0];
    assert!(
        found.open_sides == 0 && is_near(found.volume, PI / 6.0 * INCH.powi(3), 0.015),
        "{found:?}"
    );
    let ring = ball.replace(
        "SPHERICAL_SURFACE('',#14,0.5)",
        "TOROIDAL_SURFACE('',#14,2.,0.5)",
    );
    let found = measures(&read(&with_faces(&ring)))[0];
    assert!(
        found.open_sides == 0 && is_near(found.volume, PI * PI * INCH.powi(3), 0.015),
        "{found:?}"
    );
}

/// The pins with other faces.
fn with_faces(faces: &str) -> String {
    let start = PINS.find("#30=").unwrap();
    let end = PINS.find("#49=").unwrap();
    format!("{}{faces}{}", &PINS[..start], &PINS[end..])
}

#[test]
fn a_face_between_its_seams_fits_its_neighbours_whichever_way_its_border_runs() {
    // As some programs write mirrored bodies: the border of a face runs the wrong way round, that of the others does not.
    let start = PINS.find("#40=").unwrap();
    let end = PINS.find("#46=").unwrap();
    let seam = "#28=VECTOR('',#12,1.);#29=LINE('',#20,#28);#200=EDGE_CURVE('',#22,#23,#29,.T.);\
                #40=ORIENTED_EDGE('',*,*,#26,.T.);#41=ORIENTED_EDGE('',*,*,#200,.T.);\
                #43=ORIENTED_EDGE('',*,*,#27,.F.);#44=ORIENTED_EDGE('',*,*,#200,.F.);\
                #45=EDGE_LOOP('',(#40,#41,#43,#44));#42=FACE_BOUND('',#45,.T.);";
    let right = format!("{}{seam}{}", &PINS[..start], &PINS[end..]);
    let right = right.replace("'skin',(#42,#45)", "'skin',(#42)");
    let turned = right.replace("FACE_BOUND('',#45,.T.)", "FACE_BOUND('',#45,.F.)");
    assert_ne!(right, turned);
    for text in [right, turned] {
        let file = read(&text);
        assert_eq!(file.warnings, []);
        let found = measures(&file)[0];
        assert!(
            found.open_sides == 0 && is_near(found.volume, PI / 4.0 * INCH.powi(3), 0.01),
            "{found:?}"
        );
    }
}

/// A ball of radius 0.5 as a rational B-spline surface, #300.
fn spline_ball() -> String {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let round = [
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
    let profile = [[0.0, -1.0], [1.0, -1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
    let (mut points, mut net, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (i, [x, y]) in round.iter().enumerate() {
        let (mut row, mut row_weights) = (Vec::new(), Vec::new());
        for (j, [r, z]) in profile.iter().enumerate() {
            let number = 301 + 5 * i + j;
            let place = [0.5 * r * x, 0.5 * r * y, 0.5 * z].map(|c| format!("{c:?}"));
            points.push(format!(
                "#{number}=CARTESIAN_POINT('',({}));",
                place.join(",")
            ));
            row.push(format!("#{number}"));
            let weight = half.powi(i as i32 % 2) * half.powi(j as i32 % 2);
            row_weights.push(format!("{weight:?}"));
        }
        net.push(format!("({})", row.join(",")));
        weights.push(format!("({})", row_weights.join(",")));
    }
    let (points, net, weights) = (points.concat(), net.join(","), weights.join(","));
    format!(
        "{points}#300=(BOUNDED_SURFACE()B_SPLINE_SURFACE(2,2,({net}),.UNSPECIFIED.,.F.,.F.,.F.)\
         B_SPLINE_SURFACE_WITH_KNOTS((3,2,2,2,3),(3,2,3),(0.,1.,2.,3.,4.),(0.,1.,2.),.UNSPECIFIED.)\
         GEOMETRIC_REPRESENTATION_ITEM()RATIONAL_B_SPLINE_SURFACE(({weights}))\
         REPRESENTATION_ITEM('')SURFACE());#400=VERTEX_LOOP('',#22);#401=FACE_BOUND('',#400,.T.);"
    )
}

#[test]
fn a_ball_of_splines_is_whole_but_for_its_holes() {
    let whole = format!(
        "{}#47=ADVANCED_FACE('',(#401),#300,.T.);#48=CLOSED_SHELL('',(#47));",
        spline_ball()
    );
    // A cap of height 0.2 is cut off, across the seam; the flat face has its circle.
    let cut = format!(
        "{}#30=CARTESIAN_POINT('',(0.3,0.,0.));#31=AXIS2_PLACEMENT_3D('',#30,#13,#12);\
         #32=CIRCLE('',#31,0.4);#33=CARTESIAN_POINT('',(0.3,0.,0.4));#34=VERTEX_POINT('',#33);\
         #35=EDGE_CURVE('',#34,#34,#32,.T.);#36=ORIENTED_EDGE('',*,*,#35,.T.);#37=EDGE_LOOP('',(#36));\
         #38=FACE_BOUND('',#37,.T.);#39=PLANE('',#31);#40=ADVANCED_FACE('',(#38),#39,.T.);\
         #41=ORIENTED_EDGE('',*,*,#35,.F.);#42=EDGE_LOOP('',(#41));#43=FACE_BOUND('',#42,.T.);\
         #47=ADVANCED_FACE('',(#401,#43),#300,.T.);#48=CLOSED_SHELL('',(#47,#40));",
        spline_ball()
    );
    let ball = PI / 6.0;
    let cap = PI * 0.04 * (3.0 * 0.5 - 0.2) / 3.0;
    for (faces, volume) in [(whole, ball), (cut, ball - cap)] {
        let file = read(&with_faces(&faces));
        assert_eq!(file.warnings, []);
        let found = measures(&file)[0];
        assert!(
            found.open_sides == 0 && is_near(found.volume, volume * INCH.powi(3), 0.015),
            "{found:?} for {}",
            volume * INCH.powi(3)
        );
    }
}

#[test]
fn a_file_without_a_unit_is_read_in_mm_and_says_so() {
    let file = read(&PINS.replace(
        "GLOBAL_UNIT_ASSIGNED_CONTEXT((#4,#5))",
        "GLOBAL_UNIT_ASSIGNED_CONTEXT((#5))",
    ));
    assert!(
        file.warnings.contains(&ImportWarning::NoUnit),
        "{:?}",
        file.warnings
    );
    assert!(is_near(measures(&file)[0].volume, PI / 4.0, 0.01));
}

#[test]
fn a_smaller_chord_error_makes_more_triangles_up_to_a_bound() {
    let count = |chord_error: f64| {
        let mut importer = loomwright::mesh::import::Importer::default();
        importer.options.chord_error = chord_error;
        let file = importer.bytes(PINS.as_bytes(), "pins.stp").unwrap();
        file.parts[0].mesh.triangles().len()
    };
    assert!(count(0.01) > 2 * count(0.2));
    // What a scene file may say by mistake is held to what is sensible.
    assert_eq!(count(0.0), count(0.001));
    assert_eq!(count(f64::NAN), count(0.2));
}

#[test]
fn damaged_copies_are_refused_or_read_in_little_memory() {
    let mut random = fastrand::Rng::with_seed(23);
    let (mut n_read, mut n_told, mut most) = (0, 0, 0);
    for _ in 0..1500 {
        let bytes = crate::mutate::damaged(PINS.as_bytes(), &mut random);
        let (result, n_bytes) = crate::counting::peak(|| import_bytes(&bytes, "pins.stp"));
        most = most.max(n_bytes);
        if let Ok(file) = result {
            n_read += 1;
            n_told += usize::from(!file.warnings.is_empty());
        }
    }
    println!("{n_read} read, {n_told} with a warning, at most {most} bytes");
    assert!(most < 256 << 20, "{most} bytes");
    // Damage that is always noticed, or never, would be no test.
    assert!(n_read > 100 && n_read < 1450 && n_told > 20);
}

#[test]
fn cylinders_and_rims_of_a_body_are_those_of_the_file() {
    // Vertices lie on the exact curves, so that snapping finds the numbers of the file again.
    let file = read(PINS);
    let mesh = &file.parts[0].mesh;
    let table = EdgeTable::new(mesh);
    let normal = |t: usize| {
        let [a, b, c] = mesh.corners(t);
        (b - a).cross(&(c - a)).normalize()
    };
    let sharp = table.edges().filter_map(|edge| {
        let sides: Vec<_> = edge.sides().collect();
        let turn = normal(sides[0].triangle()).dot(&normal(sides[1].triangle()));
        (turn < 0.5).then(|| sides[0].vertices(mesh.triangles()))
    });
    let found = rims(mesh, &sharp.collect::<Vec<_>>());
    assert!(!found.is_empty());
    for rim in &found {
        assert!((rim.radius - 0.5 * INCH).abs() < 1e-9, "{rim:?}");
        assert!(rim.center.xy().norm() < 1e-9, "{rim:?}");
        assert!(rim.axis.xy().norm() < 1e-9, "{rim:?}");
    }
    let wall = (0..mesh.triangles().len()).find(|t| normal(*t).z.abs() < 0.5);
    let cylinder = cylinder_at(mesh, &table, wall.unwrap()).unwrap();
    assert!((cylinder.radius - 0.5 * INCH).abs() < 1e-9, "{cylinder:?}");
    assert!(cylinder.axis.xy().norm() < 1e-9, "{cylinder:?}");
    assert!(cylinder.point.xy().norm() < 1e-9, "{cylinder:?}");
}
