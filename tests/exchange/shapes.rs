//! The routes that every format must carry.

use std::f64::consts::TAU;
use std::sync::LazyLock;

use loomwright::exchange::Route;
use loomwright::exchange::fit::FitTolerance;
use loomwright::exchange::route::{Label, Nodes, Piece, RadiusProfile};
use loomwright::geom::Vec3;

/// A name and the routes of one file.
#[derive(Clone)]
pub struct Case {
    pub name: &'static str,
    pub routes: Vec<Route>,
}

/// One cable, a harness with junctions, a partly flexible branch, many bends, long names, a ring, a stub, a taper.
pub fn cases() -> Vec<Case> {
    static CASES: LazyLock<Vec<Case>> = LazyLock::new(make_cases);
    CASES.clone()
}

fn make_cases() -> Vec<Case> {
    let case = |name, routes| Case { name, routes };
    vec![
        case("cable", vec![sagging("W17", 800.0)]),
        case("harness", harness()),
        case("partly", vec![partly_flexible()]),
        case("bends", vec![forty_bends()]),
        case("names", long_names()),
        case("ring", vec![ring()]),
        case("stub", vec![stub()]),
    ]
}

pub fn label(name: &str, radius: f64) -> Label {
    Label {
        name: name.to_owned(),
        colour: [204, 51, 36],
        radius: RadiusProfile::constant(radius),
    }
}

/// Nodes along a curve whose direction is known at each arc length: the midpoint rule, so that every edge has the
/// same length, as those of a cable that does not stretch.
pub fn along(start: Vec3, length: f64, n: usize, direction: impl Fn(f64) -> Vec3) -> Nodes {
    let step = length / n as f64;
    let mut points = vec![start];
    for i in 0..n {
        let tangent = direction((i as f64 + 0.5) * step).normalize();
        points.push(points[i] + tangent * step);
    }
    Nodes {
        at: (0..=n).map(|i| i as f64 * step).collect(),
        points,
        tangents: [0.0, length].map(|s| Some(direction(s).normalize())),
    }
}

fn through(name: &str, radius: f64, nodes: &Nodes) -> Route {
    Route::through(label(name, radius), nodes, &FitTolerance::default()).unwrap()
}

fn bow(a: f64, b: f64, length: f64) -> impl Fn(f64) -> Vec3 {
    move |s: f64| {
        let x = s / length;
        Vec3::new(1.0, a * (TAU * x).sin(), b * (TAU * 0.5 * x).cos() - 0.2)
    }
}

fn sagging(name: &str, length: f64) -> Route {
    let nodes = along(
        Vec3::new(10.0, -4.0, 300.0),
        length,
        3000,
        bow(0.8, -1.2, length),
    );
    through(name, 3.0, &nodes)
}

/// Three branches that leave one node.
fn harness() -> Vec<Route> {
    let node = Vec3::new(123.456, -7.89, 55.5);
    let directions = [
        Vec3::x(),
        Vec3::new(-0.5, 0.8, 0.1),
        Vec3::new(-0.4, -0.7, 0.6),
    ];
    directions
        .iter()
        .enumerate()
        .map(|(i, out)| {
            let length = 150.0 + 40.0 * i as f64;
            let side = Vec3::new(0.1, 0.3, 1.0).cross(out).normalize();
            let nodes = along(node, length, 1500, |s| {
                out.normalize() + side * (0.9 * (s / length * 2.5).sin())
            });
            through(&format!("SEG-{}", i + 1), 4.0 - i as f64, &nodes)
        })
        .collect()
}

/// A straight rigid piece, a solved one, and a rigid bend.
fn partly_flexible() -> Route {
    let (tolerance, length) = (FitTolerance::default(), 240.0);
    let start = Vec3::new(100.0, 0.0, 0.0);
    let flexible = along(start, length, 2400, |s| {
        let turn = 0.9 * (TAU * s / length).sin();
        Vec3::new(turn.cos(), turn.sin(), 0.2 * (TAU * s / length).cos() - 0.2)
    });
    let first: Vec<Vec3> = (0..=10)
        .map(|i| Vec3::x() * (10.0 * f64::from(i)))
        .collect();
    let end = flexible.points[flexible.points.len() - 1];
    // A quarter circle of 60 mm that leaves along the flexible piece's end, which points along x.
    let last: Vec<Vec3> = (0..=12)
        .map(|i| {
            let angle = TAU / 4.0 * f64::from(i) / 12.0;
            end + Vec3::new(60.0 * angle.sin(), 0.0, 60.0 * (1.0 - angle.cos()))
        })
        .collect();
    let pieces = [
        Piece::Rigid(first),
        Piece::Flexible(flexible),
        Piece::Rigid(last),
    ];
    Route::joined(label("BRANCH", 3.0), &pieces, &tolerance).unwrap()
}

fn forty_bends() -> Route {
    let length = 3000.0;
    let nodes = along(Vec3::zeros(), length, 24_000, |s| {
        let turn = 1.1 * (TAU * 20.0 * s / length).sin();
        Vec3::new(turn.cos(), turn.sin(), 0.3 * (TAU * 7.0 * s / length).sin())
    });
    through("LONG", 4.0, &nodes)
}

fn long_names() -> Vec<Route> {
    let long = "Kabelbaum Türe vorn links, Abzweig zum Außenspiegel mit Heizung und Blinker Nr. 7";
    assert!(long.chars().count() >= 80);
    [
        long,
        "Türöffner Ä/ß",
        "name with spaces",
        "Kabelbaum Türe vorn rechts",
        "線 1",
    ]
    .iter()
    .enumerate()
    .map(|(i, name)| {
        let start = Vec3::new(0.0, 50.0 * i as f64, 0.0);
        through(name, 2.5, &along(start, 200.0, 1000, bow(0.3, 0.4, 200.0)))
    })
    .collect()
}

fn ring() -> Route {
    let n = 2000;
    let place = |i: usize| {
        let a = TAU * (i % n) as f64 / n as f64;
        Vec3::new(80.0 * a.cos(), 60.0 * a.sin(), 15.0 * (2.0 * a).sin())
    };
    let points: Vec<Vec3> = (0..=n).map(place).collect();
    let mut at = vec![0.0];
    for pair in points.windows(2) {
        at.push(at[at.len() - 1] + (pair[1] - pair[0]).norm());
    }
    let nodes = Nodes {
        at,
        points,
        tangents: [None, None],
    };
    Route::ring(label("RING", 5.0), &nodes, &FitTolerance::default()).unwrap()
}

fn stub() -> Route {
    let nodes = along(Vec3::new(0.1, 0.2, 0.3), 20.0, 100, |s| {
        Vec3::new(1.0, 0.02 * s, 0.0)
    });
    through("STUB", 1.5, &nodes)
}

/// A route of a big harness, as solved with 400 edges.
pub fn numbered(i: usize) -> Route {
    let start = Vec3::new(0.0, 12.0 * i as f64, 0.0);
    let length = 300.0 + 3.0 * i as f64;
    through(
        &format!("W{i}"),
        3.0,
        &along(start, length, 700, bow(0.3, 0.4, length)),
    )
}
