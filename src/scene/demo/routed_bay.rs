//! An engine bay with its harness routed: the scene of the first start.
//!
//! x to the left side of the car, y to the back (firewall at y = 380), z up, mm.

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use super::aabb;
use super::shapes::{Soup, along, at_all, bolt, ring, rounded_box, swept, through, turned};
use crate::geom::{Pose, Rotation, Vec3, rotation_along};
use crate::mesh::{TriMesh, primitives};
use crate::rod::{Rod, RodState};
use crate::scene::{
    Cable, Finish, Handle, HandleKind, HandlePlace, Harness, HarnessNode, Junction, JunctionEnd,
    NamedView, Part, PartRole, Piece, RestShape, Scene, Segment, Shape,
};

/// Colours by what a thing is made of.
const CAST: [u8; 3] = [163, 168, 174];
const DARK_CAST: [u8; 3] = [104, 110, 118];
const STEEL: [u8; 3] = [186, 189, 193];
const BODY: [u8; 3] = [126, 150, 172];
const BLACK: [u8; 3] = [52, 55, 60];
const GREY: [u8; 3] = [88, 92, 98];
const WHITE: [u8; 3] = [226, 226, 214];
const LOOM: [u8; 3] = [34, 36, 41];

/// What the harness is made of.
const BUNDLE: &str = "Signal bundle, taped";

/// The scene.
pub fn routed_bay() -> Scene {
    let mut scene = Scene {
        parts: body(),
        ..Scene::default()
    };
    scene.parts.extend(engine());
    scene.parts.extend(intake());
    scene.parts.extend(cooling());
    scene.parts.extend(battery());
    scene.parts.extend(control_unit());
    route(&mut scene);
    scene.views.push(NamedView {
        name: "overview".to_owned(),
        focus: Vec3::new(-20.0, -90.0, 320.0),
        to_eye: Vec3::new(-0.62, -1.0, 0.95).normalize() * 2620.0,
        up: Vec3::z(),
        orthographic: false,
    });
    scene
}

/// A part of a group with its colour and finish.
fn made(group: &str, name: &str, mesh: TriMesh, color: [u8; 3], finish: Finish) -> Part {
    let mut part = Part::new(name, mesh);
    part.group = vec![group.to_owned()];
    part.color = Some(color);
    part.finish = finish;
    part
}

fn boxed(min: [f64; 3], max: [f64; 3], radius: f64) -> TriMesh {
    rounded_box(&aabb(min, max), radius, 2)
}

/// Bolts that stand on a level face.
fn bolts(diameter: f64, at: &[[f64; 3]]) -> TriMesh {
    let poses: Vec<Pose> = at.iter().map(|p| along(*p, [0.0, 0.0, 1.0])).collect();
    at_all(&bolt(diameter), &poses)
}

/// Firewall with grommets, side rails, strut towers.
fn body() -> Vec<Part> {
    let mut parts = Vec::new();
    let sheet = |x: [f64; 2], hole: [f64; 2], radius: f64| {
        let sheet = primitives::sheet_with_hole(
            &Vec3::new(x[0], 380.0, 120.0),
            &Vec3::new(x[1] - x[0], 0.0, 0.0),
            &Vec3::new(0.0, 0.0, 520.0),
            [hole[0] - x[0], hole[1] - 120.0],
            radius,
            64,
        );
        primitives::thickened(&sheet, &(Vec3::y() * 3.0))
    };
    let firewall = Soup::default()
        .with(&sheet([-640.0, 0.0], [-300.0, 470.0], 17.0))
        .with(&sheet([0.0, 640.0], [60.0, 510.0], 19.0));
    let mut ribs = Soup::default();
    for x in [-520.0, -180.0, 190.0, 430.0] {
        let rib = boxed([x - 16.0, 366.0, 140.0], [x + 16.0, 381.0, 400.0], 7.0);
        ribs.add(&rib, &Pose::identity());
    }
    let ledge = boxed([-630.0, 330.0, 612.0], [630.0, 384.0, 640.0], 10.0);
    let firewall = firewall.with(&ribs.mesh()).with(&ledge).mesh();
    parts.push(made("body", "firewall", firewall, BODY, Finish::Paint));
    for (name, at, radius) in [
        ("grommet main", [60.0, 381.5, 510.0], 14.5),
        ("grommet side", [-300.0, 381.5, 470.0], 12.5),
    ] {
        let lip = ring(radius + 2.5, 4.0, 48, 14);
        let lip = at_all(&lip, &[along(at, [0.0, 1.0, 0.0])]);
        parts.push(made("body", name, lip, BLACK, Finish::Rubber));
    }
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let [low, high] = if sign > 0.0 {
            [560.0, 650.0]
        } else {
            [-650.0, -560.0]
        };
        let rail = boxed([low, -560.0, 170.0], [high, 380.0, 262.0], 14.0);
        let apron = boxed([low.max(-650.0), -500.0, 262.0], [high, 380.0, 300.0], 12.0);
        let rail = Soup::default().with(&rail).with(&apron).mesh();
        let name = format!("rail {side}");
        parts.push(made("body", &name, rail, BODY, Finish::Paint));
        let dome = turned(
            &[
                [138.0, 180.0],
                [132.0, 300.0],
                [120.0, 420.0],
                [112.0, 462.0],
                [100.0, 482.0],
                [84.0, 490.0],
                [62.0, 491.0],
                [58.0, 496.0],
                [40.0, 500.0],
                [26.0, 512.0],
                [12.0, 516.0],
            ],
            72,
        );
        let center = [sign * 490.0, 165.0, 0.0];
        let nuts: Vec<[f64; 3]> = (0..3)
            .map(|k| {
                let (sin, cos) = (TAU * (f64::from(k) / 3.0 + 0.1)).sin_cos();
                [center[0] + 72.0 * cos, center[1] + 72.0 * sin, 490.5]
            })
            .collect();
        let tower = at_all(&dome, &[along(center, [0.0, 0.0, 1.0])]);
        let name = format!("strut tower {side}");
        parts.push(made("body", &name, tower, BODY, Finish::Paint));
        let name = format!("strut bolts {side}");
        parts.push(made(
            "body",
            &name,
            bolts(11.0, &nuts),
            STEEL,
            Finish::Metal,
        ));
    }
    let beam = boxed([-560.0, -580.0, 130.0], [560.0, -540.0, 200.0], 12.0);
    parts.push(made("body", "front beam", beam, BODY, Finish::Paint));
    parts
}

/// Block, head, cover, coils, alternator and what is driven with it.
fn engine() -> Vec<Part> {
    let mut block =
        Soup::default().with(&boxed([-215.0, -150.0, 110.0], [195.0, 190.0, 372.0], 22.0));
    for k in 0..6 {
        let x = -170.0 + 64.0 * f64::from(k);
        let rib = boxed([x - 5.0, -162.0, 150.0], [x + 5.0, -140.0, 340.0], 4.5);
        block.add(&rib, &Pose::identity());
    }
    let flange = boxed([-222.0, -158.0, 364.0], [202.0, 198.0, 382.0], 7.0);
    let head = boxed([-208.0, -138.0, 380.0], [190.0, 178.0, 440.0], 16.0);
    let head = Soup::default().with(&flange).with(&head).mesh();
    let mut cover =
        Soup::default().with(&boxed([-196.0, -92.0, 440.0], [176.0, 132.0, 486.0], 22.0));
    for k in 0..5 {
        let x = -160.0 + 75.0 * f64::from(k);
        let rib = boxed([x - 4.0, -70.0, 480.0], [x + 4.0, 110.0, 491.0], 3.5);
        cover.add(&rib, &Pose::identity());
    }
    let mut coils = Soup::default();
    for k in 0..4 {
        let x = -126.0 + 75.0 * f64::from(k);
        let coil = boxed([x - 17.0, -8.0, 486.0], [x + 17.0, 52.0, 510.0], 6.0);
        coils.add(&coil, &Pose::identity());
        let neck = turned(&[[15.0, 478.0], [15.0, 492.0]], 28);
        coils.add(&neck, &along([x, -22.0, 0.0], [0.0, 0.0, 1.0]));
    }
    let cap = turned(
        &[
            [27.0, 486.0],
            [27.0, 492.0],
            [33.0, 496.0],
            [33.0, 512.0],
            [26.0, 517.0],
        ],
        40,
    );
    let cap = at_all(&cap, &[along([140.0, -58.0, 0.0], [0.0, 0.0, 1.0])]);
    let edge = [
        [-184.0, -82.0],
        [-60.0, -84.0],
        [60.0, -84.0],
        [166.0, -20.0],
        [166.0, 90.0],
        [60.0, 122.0],
        [-60.0, 122.0],
        [-184.0, 100.0],
    ];
    let edge: Vec<[f64; 3]> = edge.iter().map(|[x, y]| [*x, *y, 468.0]).collect();
    let mut parts = vec![
        made("engine", "block", block.mesh(), DARK_CAST, Finish::Metal),
        made("engine", "cylinder head", head, CAST, Finish::Metal),
        made(
            "engine",
            "valve cover",
            cover.mesh(),
            BLACK,
            Finish::Plastic,
        ),
        made(
            "engine",
            "ignition coils",
            coils.mesh(),
            GREY,
            Finish::Plastic,
        ),
        made("engine", "oil cap", cap, [196, 150, 40], Finish::Plastic),
        made(
            "engine",
            "cover bolts",
            bolts(7.0, &edge),
            STEEL,
            Finish::Metal,
        ),
    ];
    parts.extend(belt_drive());
    parts
}

/// The alternator with its cooling slots, pulleys and the belt round them.
fn belt_drive() -> Vec<Part> {
    let drum = turned(
        &[
            [30.0, 0.0],
            [58.0, 6.0],
            [64.0, 22.0],
            [62.0, 28.0],
            [64.0, 34.0],
            [64.0, 78.0],
            [62.0, 84.0],
            [64.0, 90.0],
            [58.0, 108.0],
            [28.0, 116.0],
        ],
        56,
    );
    let mut alternator = Soup::default();
    alternator.add(&drum, &along([196.0, -95.0, 255.0], [1.0, 0.0, 0.0]));
    for k in 0..14 {
        let (sin, cos) = (TAU * f64::from(k) / 14.0).sin_cos();
        let at = [300.0, -95.0 + 50.0 * cos, 255.0 + 50.0 * sin];
        let slot = primitives::cuboid(&aabb([-6.0, -3.5, -3.5], [10.0, 3.5, 3.5]));
        alternator.add(&slot, &along_x(at));
    }
    let pulley = |r: f64| {
        turned(
            &[
                [r, 0.0],
                [r, 4.0],
                [r - 5.0, 6.0],
                [r - 5.0, 22.0],
                [r, 24.0],
                [r, 28.0],
                [0.45 * r, 28.0],
                [0.4 * r, 20.0],
            ],
            56,
        )
    };
    let wheels = [
        ([-215.0, -95.0, 255.0], 36.0),
        ([-215.0, 40.0, 200.0], 72.0),
        ([-215.0, 60.0, 350.0], 48.0),
    ];
    let mut pulleys = Soup::default();
    let mut loops = Vec::new();
    for (at, radius) in wheels {
        pulleys.add(&pulley(radius), &along(at, [-1.0, 0.0, 0.0]));
        loops.push((Vec3::from(at), radius - 3.0));
    }
    vec![
        made(
            "engine",
            "alternator",
            alternator.mesh(),
            CAST,
            Finish::Metal,
        ),
        made("engine", "pulleys", pulleys.mesh(), STEEL, Finish::Metal),
        made("engine", "belt", belt(&loops), BLACK, Finish::Rubber),
    ]
}

fn along_x(at: [f64; 3]) -> Pose {
    Pose {
        position: at.into(),
        rotation: Rotation::identity(),
    }
}

/// A belt round wheels in a plane of constant x: the outline of all of them.
fn belt(wheels: &[(Vec3, f64)]) -> TriMesh {
    let n = 160;
    let outline: Vec<[f64; 2]> = (0..n)
        .filter_map(|k| {
            let (sin, cos) = (TAU * f64::from(k) / f64::from(n)).sin_cos();
            let reach = |(c, r): &(Vec3, f64)| c.y * cos + c.z * sin + r;
            let far = wheels.iter().max_by(|a, b| reach(a).total_cmp(&reach(b)))?;
            Some([far.0.y + far.1 * cos, far.0.z + far.1 * sin])
        })
        .collect();
    let (near, far) = (-238.0, -222.0);
    let mut soup = Soup::default();
    let shrunk = |k: usize, by: f64| {
        let before = outline[(k + outline.len() - 1) % outline.len()];
        let after = outline[(k + 1) % outline.len()];
        let along = [after[0] - before[0], after[1] - before[1]];
        let length = along[0].hypot(along[1]).max(1e-9);
        let [y, z] = outline[k];
        [y - by * along[1] / length, z + by * along[0] / length]
    };
    for k in 0..outline.len() {
        let j = (k + 1) % outline.len();
        let at = |x: f64, [y, z]: [f64; 2]| Vec3::new(x, y, z);
        let (a, b) = (outline[k], outline[j]);
        let (c, d) = (shrunk(k, 4.0), shrunk(j, 4.0));
        soup.quad([at(far, a), at(far, b), at(near, b), at(near, a)]);
        soup.quad([at(near, c), at(near, d), at(far, d), at(far, c)]);
        soup.quad([at(near, a), at(near, b), at(near, d), at(near, c)]);
        soup.quad([at(far, c), at(far, d), at(far, b), at(far, a)]);
    }
    soup.mesh()
}

/// Manifold, throttle, air hose and filter box.
fn intake() -> Vec<Part> {
    let plenum = turned(
        &[
            [12.0, 0.0],
            [32.0, 6.0],
            [44.0, 18.0],
            [48.0, 36.0],
            [48.0, 330.0],
            [44.0, 348.0],
            [34.0, 360.0],
        ],
        56,
    );
    let mut manifold = Soup::default();
    manifold.add(&plenum, &along([-190.0, -275.0, 430.0], [1.0, 0.0, 0.0]));
    for k in 0..4 {
        let x = -138.0 + 84.0 * f64::from(k);
        let line = through(
            &[
                [x, -262.0, 445.0],
                [x, -232.0, 482.0],
                [x, -180.0, 470.0],
                [x, -134.0, 418.0],
            ],
            14,
        );
        let runner = swept(&line, |i| if i > 38 { 27.0 } else { 22.0 }, 26);
        manifold.add(&runner, &Pose::identity());
    }
    let rail = swept(
        &through(&[[-160.0, -160.0, 486.0], [140.0, -160.0, 486.0]], 4),
        |_| 9.0,
        24,
    );
    let mut fuel = Soup::default().with(&rail);
    for k in 0..4 {
        let x = -138.0 + 84.0 * f64::from(k);
        let injector = turned(&[[7.0, 0.0], [7.0, 16.0], [10.0, 18.0], [10.0, 34.0]], 24);
        fuel.add(&injector, &along([x, -150.0, 448.0], [0.0, -0.25, 1.0]));
    }
    let throttle = turned(
        &[
            [52.0, 0.0],
            [52.0, 9.0],
            [40.0, 12.0],
            [40.0, 52.0],
            [46.0, 55.0],
            [46.0, 64.0],
        ],
        48,
    );
    let throttle = at_all(&throttle, &[along([168.0, -275.0, 430.0], [1.0, 0.0, 0.0])]);
    let motor = boxed([184.0, -262.0, 466.0], [232.0, -226.0, 506.0], 7.0);
    let throttle = Soup::default().with(&throttle).with(&motor).mesh();
    let hose = through(
        &[
            [228.0, -275.0, 430.0],
            [290.0, -278.0, 428.0],
            [350.0, -310.0, 420.0],
            [410.0, -330.0, 410.0],
        ],
        22,
    );
    // Corrugated.
    let hose = swept(&hose, |i| if i % 4 < 2 { 42.0 } else { 37.0 }, 40);
    let mut filter =
        Soup::default().with(&boxed([380.0, -440.0, 260.0], [560.0, -220.0, 395.0], 20.0));
    filter.add(
        &boxed([372.0, -448.0, 388.0], [568.0, -212.0, 402.0], 6.0),
        &Pose::identity(),
    );
    let lid = boxed([384.0, -436.0, 396.0], [556.0, -224.0, 452.0], 24.0);
    filter.add(&lid, &Pose::identity());
    for k in 0..5 {
        let x = 410.0 + 30.0 * f64::from(k);
        let rib = boxed([x - 3.0, -420.0, 448.0], [x + 3.0, -240.0, 457.0], 2.5);
        filter.add(&rib, &Pose::identity());
    }
    vec![
        made("intake", "manifold", manifold.mesh(), CAST, Finish::Metal),
        made("intake", "fuel rail", fuel.mesh(), STEEL, Finish::Metal),
        made(
            "intake",
            "throttle body",
            throttle,
            DARK_CAST,
            Finish::Metal,
        ),
        made("intake", "air hose", hose, BLACK, Finish::Rubber),
        made("intake", "filter box", filter.mesh(), GREY, Finish::Plastic),
    ]
}

/// Radiator with fins, fan and expansion tank.
fn cooling() -> Vec<Part> {
    let mut core =
        Soup::default().with(&boxed([-400.0, -522.0, 215.0], [400.0, -492.0, 545.0], 4.0));
    for k in 0..40 {
        let z = 222.0 + 8.0 * f64::from(k);
        let tube = primitives::cuboid(&aabb([-398.0, -527.0, z], [398.0, -487.0, z + 2.5]));
        core.add(&tube, &Pose::identity());
    }
    let mut tanks = Soup::default();
    for x in [-462.0, 396.0] {
        tanks.add(
            &boxed([x, -536.0, 205.0], [x + 66.0, -478.0, 556.0], 22.0),
            &Pose::identity(),
        );
    }
    let neck = turned(&[[21.0, 0.0], [21.0, 34.0], [23.0, 36.0], [23.0, 44.0]], 32);
    tanks.add(&neck, &along([-430.0, -482.0, 505.0], [0.0, 1.0, 0.0]));
    let filler = turned(&[[26.0, 0.0], [26.0, 12.0], [30.0, 14.0], [30.0, 26.0]], 40);
    tanks.add(&filler, &along([430.0, -507.0, 552.0], [0.0, 0.0, 1.0]));
    let mut fan = Soup::default();
    fan.add(
        &ring(150.0, 9.0, 72, 12),
        &along([-30.0, -468.0, 375.0], [0.0, 1.0, 0.0]),
    );
    let hub = turned(&[[46.0, 0.0], [46.0, 26.0], [38.0, 34.0]], 40);
    fan.add(&hub, &along([-30.0, -484.0, 375.0], [0.0, 1.0, 0.0]));
    for k in 0..7 {
        let angle = TAU * f64::from(k) / 7.0;
        let blade = primitives::cuboid(&aabb([38.0, -22.0, -2.0], [146.0, 22.0, 2.0]));
        let turn = Rotation::from_axis_angle(&Vec3::y_axis(), angle)
            * Rotation::from_axis_angle(&Vec3::x_axis(), 0.9);
        fan.add(
            &blade,
            &Pose {
                position: Vec3::new(-30.0, -470.0, 375.0),
                rotation: turn,
            },
        );
    }
    let tank = turned(
        &[
            [36.0, 330.0],
            [60.0, 336.0],
            [70.0, 352.0],
            [72.0, 396.0],
            [74.0, 400.0],
            [72.0, 404.0],
            [70.0, 446.0],
            [56.0, 466.0],
            [30.0, 474.0],
            [26.0, 476.0],
            [26.0, 486.0],
        ],
        56,
    );
    let place = along([-478.0, -45.0, 0.0], [0.0, 0.0, 1.0]);
    let tank = at_all(&tank, &[place]);
    let spout = turned(&[[15.0, 0.0], [15.0, 22.0], [17.0, 24.0], [17.0, 34.0]], 28);
    let spout = at_all(&spout, &[along([-412.0, -45.0, 420.0], [1.0, 0.0, 0.0])]);
    let tank = Soup::default().with(&tank).with(&spout).mesh();
    let cap = turned(&[[34.0, 484.0], [34.0, 508.0], [28.0, 514.0]], 36);
    let cap = at_all(&cap, &[place]);
    let outlet = turned(
        &[
            [22.0, 0.0],
            [15.0, 18.0],
            [15.0, 36.0],
            [17.0, 38.0],
            [17.0, 46.0],
        ],
        32,
    );
    let outlet = at_all(&outlet, &[along([-204.0, 110.0, 410.0], [-1.0, 0.0, 0.15])]);
    vec![
        made("cooling", "radiator core", core.mesh(), CAST, Finish::Metal),
        made(
            "cooling",
            "radiator tanks",
            tanks.mesh(),
            BLACK,
            Finish::Plastic,
        ),
        made("cooling", "fan", fan.mesh(), GREY, Finish::Plastic),
        made("cooling", "expansion tank", tank, WHITE, Finish::Plastic),
        made("cooling", "tank cap", cap, [44, 92, 150], Finish::Plastic),
        made("cooling", "coolant outlet", outlet, CAST, Finish::Metal),
    ]
}

/// Battery on its tray, held by a bracket with bolts.
fn battery() -> Vec<Part> {
    let mut tray = Soup::default().with(&boxed([288.0, -172.0, 232.0], [512.0, 22.0, 242.0], 4.0));
    for (min, max) in [
        ([288.0, -172.0, 236.0], [296.0, 22.0, 262.0]),
        ([504.0, -172.0, 236.0], [512.0, 22.0, 262.0]),
        ([288.0, -172.0, 236.0], [512.0, -164.0, 262.0]),
        ([288.0, 14.0, 236.0], [512.0, 22.0, 262.0]),
        ([512.0, -130.0, 236.0], [600.0, -40.0, 246.0]),
    ] {
        tray.add(&boxed(min, max, 3.0), &Pose::identity());
    }
    let mut case = Soup::default().with(&boxed([302.0, -158.0, 243.0], [498.0, 8.0, 400.0], 8.0));
    let lid = boxed([298.0, -162.0, 396.0], [502.0, 12.0, 424.0], 9.0);
    case.add(&lid, &Pose::identity());
    for k in 0..6 {
        let cap = turned(&[[9.0, 0.0], [9.0, 3.0], [7.0, 4.0]], 24);
        let x = 330.0 + 28.0 * f64::from(k);
        case.add(&cap, &along([x, -75.0, 423.0], [0.0, 0.0, 1.0]));
    }
    let mut poles = Soup::default();
    for x in [334.0, 466.0] {
        let pole = turned(&[[11.0, 0.0], [9.0, 20.0]], 28);
        poles.add(&pole, &along([x, -22.0, 422.0], [0.0, 0.0, 1.0]));
        let clamp = ring(14.0, 5.0, 32, 12);
        poles.add(&clamp, &along([x, -22.0, 434.0], [0.0, 0.0, 1.0]));
    }
    let mut hold = Soup::default();
    for (min, max) in [
        ([294.0, -132.0, 424.0], [506.0, -106.0, 430.0]),
        ([292.0, -132.0, 240.0], [298.0, -106.0, 430.0]),
        ([502.0, -132.0, 240.0], [508.0, -106.0, 430.0]),
    ] {
        hold.add(&boxed(min, max, 2.5), &Pose::identity());
    }
    let nuts = [
        [310.0, -119.0, 430.0],
        [490.0, -119.0, 430.0],
        [575.0, -85.0, 246.0],
    ];
    vec![
        made("battery", "battery tray", tray.mesh(), GREY, Finish::Paint),
        made(
            "battery",
            "battery case",
            case.mesh(),
            BLACK,
            Finish::Plastic,
        ),
        made(
            "battery",
            "battery poles",
            poles.mesh(),
            STEEL,
            Finish::Metal,
        ),
        made("battery", "hold-down", hold.mesh(), STEEL, Finish::Metal),
        made(
            "battery",
            "hold-down bolts",
            bolts(8.0, &nuts),
            STEEL,
            Finish::Metal,
        ),
    ]
}

/// The control unit on its bracket.
fn control_unit() -> Vec<Part> {
    let mut unit = Soup::default().with(&boxed(
        [-560.0, -370.0, 380.0],
        [-400.0, -210.0, 402.0],
        6.0,
    ));
    for k in 0..12 {
        let y = -356.0 + 12.0 * f64::from(k);
        let fin = primitives::cuboid(&aabb([-550.0, y, 398.0], [-430.0, y + 4.0, 414.0]));
        unit.add(&fin, &Pose::identity());
    }
    let header = boxed([-404.0, -350.0, 376.0], [-376.0, -230.0, 406.0], 4.0);
    let mut bracket = Soup::default().with(&boxed(
        [-580.0, -386.0, 370.0],
        [-410.0, -194.0, 377.0],
        3.0,
    ));
    for y in [-370.0, -230.0] {
        let leg = boxed([-586.0, y, 296.0], [-578.0, y + 28.0, 377.0], 3.0);
        bracket.add(&leg, &Pose::identity());
    }
    let screws = [
        [-570.0, -378.0, 377.0],
        [-570.0, -202.0, 377.0],
        [-425.0, -378.0, 377.0],
        [-425.0, -202.0, 377.0],
    ];
    vec![
        made(
            "control unit",
            "control unit",
            unit.mesh(),
            CAST,
            Finish::Metal,
        ),
        made("control unit", "header", header, BLACK, Finish::Plastic),
        made(
            "control unit",
            "unit bracket",
            bracket.mesh(),
            STEEL,
            Finish::Metal,
        ),
        made(
            "control unit",
            "unit screws",
            bolts(6.0, &screws),
            STEEL,
            Finish::Metal,
        ),
    ]
}

/// One branch of the harness: name, radius, nodes it goes between, points on its way.
struct Branch {
    name: &'static str,
    radius: f64,
    ends: [&'static str; 2],
    way: Vec<Vec3>,
}

/// The nodes at which branches meet, with the direction of the trunk there.
const MEET: [(&str, [f64; 3], [f64; 3]); 3] = [
    ("J1", [20.0, 268.0, 540.0], [-1.0, -0.35, 0.0]),
    ("J2", [-238.0, 132.0, 545.0], [-0.55, -1.0, 0.0]),
    ("J3", [-300.0, -128.0, 535.0], [-0.25, -1.0, -0.1]),
];

fn branches() -> Vec<Branch> {
    let branch = |name, radius, ends, points: &[[f64; 3]]| Branch {
        name,
        radius,
        ends,
        way: through(points, 16),
    };
    let [j1, j2, j3] = MEET.map(|(_, at, _)| at);
    vec![
        branch(
            "trunk 1",
            10.0,
            ["cabin", "J1"],
            &[
                [60.0, 440.0, 510.0],
                [60.0, 381.0, 510.0],
                [52.0, 320.0, 522.0],
                j1,
            ],
        ),
        branch(
            "trunk 2",
            9.0,
            ["J1", "J2"],
            &[j1, [-80.0, 226.0, 548.0], [-176.0, 190.0, 552.0], j2],
        ),
        branch(
            "trunk 3",
            8.0,
            ["J2", "J3"],
            &[j2, [-284.0, 48.0, 548.0], [-302.0, -50.0, 545.0], j3],
        ),
        branch(
            "trunk 4",
            7.0,
            ["J3", "unit"],
            &[
                j3,
                [-304.0, -206.0, 500.0],
                [-296.0, -266.0, 430.0],
                [-308.0, -289.0, 396.0],
                [-338.0, -290.0, 391.0],
            ],
        ),
        branch(
            "battery",
            6.0,
            ["J1", "battery"],
            &[
                j1,
                [120.0, 236.0, 545.0],
                [246.0, 150.0, 532.0],
                [318.0, 50.0, 480.0],
                [334.0, 22.0, 452.0],
            ],
        ),
        branch(
            "coils",
            5.0,
            ["J2", "coils"],
            &[
                j2,
                [-214.0, 78.0, 540.0],
                [-176.0, 44.0, 532.0],
                [-110.0, 34.0, 529.0],
            ],
        ),
        branch(
            "throttle",
            5.0,
            ["J3", "throttle"],
            &[
                j3,
                [-262.0, -190.0, 528.0],
                [-150.0, -216.0, 524.0],
                [40.0, -214.0, 524.0],
                [160.0, -230.0, 512.0],
                [176.0, -236.0, 498.0],
            ],
        ),
    ]
}

/// Connectors at the ends: name, node, size of the shell.
const CONNECTORS: [(&str, &str, f64); 5] = [
    ("plug cabin", "cabin", 17.0),
    ("plug unit", "unit", 15.0),
    ("plug battery", "battery", 12.0),
    ("plug coils", "coils", 10.0),
    ("plug throttle", "throttle", 10.0),
];

/// Clips that hold the trunk: cable, share of its length.
const CLIPS: [(&str, f64); 3] = [("trunk 2", 0.5), ("trunk 3", 0.5), ("throttle", 0.5)];

/// Lays the harness with its connectors and clips; the coolant hose is a rigid part.
fn route(scene: &mut Scene) {
    let mut nodes: Vec<HarnessNode> = Vec::new();
    let mut segments = Vec::new();
    let mut ends: Vec<(&str, JunctionEnd, Pose)> = Vec::new();
    for branch in branches() {
        let mut cable = cable_along(scene, branch.name, &branch.way, branch.radius, BUNDLE);
        cable.color = Some(LOOM);
        let mut number = |name: &str, at: &Vec3| {
            let known = nodes.iter().position(|n| n.name == name);
            known.unwrap_or_else(|| {
                nodes.push(HarnessNode {
                    name: name.to_owned(),
                    position: *at,
                });
                nodes.len() - 1
            })
        };
        let last = branch.way[branch.way.len() - 1];
        let (start, end) = (
            number(branch.ends[0], &branch.way[0]),
            number(branch.ends[1], &last),
        );
        segments.push(Segment {
            name: branch.name.to_owned(),
            start,
            end,
            pieces: vec![Piece::Flexible {
                cable: branch.name.to_owned(),
            }],
        });
        for (node, handle) in branch.ends.iter().zip(&mut cable.handles) {
            let held = JunctionEnd {
                cable: branch.name.to_owned(),
                handle: handle.name.clone(),
                in_junction: Pose::identity(),
            };
            if let Some((name, _, size)) = CONNECTORS.iter().find(|c| c.1 == *node) {
                handle.attached_to = Some((*name).to_owned());
                let out = if handle.place == HandlePlace::Start {
                    -1.0
                } else {
                    1.0
                };
                scene.parts.push(plug(name, &handle.pose, out, *size));
            }
            ends.push((node, held, handle.pose));
        }
        for (k, (_, share)) in CLIPS.iter().enumerate().filter(|(_, c)| c.0 == branch.name) {
            clip(scene, &mut cable, k + 1, *share);
        }
        scene.cables.push(cable);
    }
    for (name, at, direction) in MEET {
        let pose = along(at, direction);
        let own = ends.iter().filter(|(node, ..)| *node == name);
        scene.junctions.push(Junction {
            name: name.to_owned(),
            pose,
            ends: own
                .map(|(_, end, held)| JunctionEnd {
                    in_junction: pose.inverse().compose(held),
                    ..end.clone()
                })
                .collect(),
            carries: Vec::new(),
            free: false,
            mass_kg: 0.0,
        });
    }
    scene.harnesses.push(Harness {
        name: "engine harness".to_owned(),
        space: crate::mesh::import::SourceSpace::default(),
        nodes,
        segments,
    });
    let way = through(
        &[
            [-252.0, 110.0, 417.0],
            [-300.0, 108.0, 424.0],
            [-346.0, 52.0, 432.0],
            [-350.0, -20.0, 430.0],
            [-378.0, -45.0, 420.0],
        ],
        16,
    );
    let hose = swept(&way, |_| 14.0, 32);
    let hose = made(
        "cooling",
        "coolant hose",
        hose,
        [58, 60, 62],
        Finish::Rubber,
    );
    scene.parts.push(hose);
}

/// A cable that lies along a line and keeps its form.
fn cable_along(scene: &Scene, name: &str, way: &[Vec3], radius: f64, material: &str) -> Cable {
    let steps = way.windows(2).map(|w| (w[1] - w[0]).norm());
    let length: f64 = steps.clone().sum();
    let n = (length / radius).round().clamp(24.0, 120.0) as usize;
    let at = |s: f64| {
        let mut left = s;
        for w in way.windows(2) {
            let step = (w[1] - w[0]).norm();
            if left <= step {
                return w[0] + (w[1] - w[0]) * (left / step);
            }
            left -= step;
        }
        way[way.len() - 1]
    };
    let points: Vec<Vec3> = (0..=n).map(|i| at(length * i as f64 / n as f64)).collect();
    let edges: Vec<f64> = points.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
    let first = rotation_along(&(way[1] - way[0]));
    let mut state = RodState::along(points, [first, None]);
    let last = state.frames[n - 1];
    let out = way[way.len() - 1] - way[way.len() - 2];
    let turn = Rotation::rotation_between(&(last * Vec3::z()), &out);
    state.clamps[1] = Some(turn.unwrap_or_else(Rotation::identity) * last);
    let found = scene.material(material).expect("a built-in material");
    let mut cable = Cable::new(name, radius, edges.iter().sum(), found.section(radius));
    cable.n_edges = n;
    cable.spacing = Some(edges.clone());
    cable.material = Some(found.name.clone());
    let rod = Rod::new(edges, cable.section.of_rod()).expect("a rod made by code is valid");
    cable.rest = RestShape::Moulded {
        curvatures: state.curvatures(&rod).into_iter().map(Into::into).collect(),
        share: 1.0,
        as_designed: None,
    };
    let clamps = [0, 1].map(|end| state.clamp_pose(end));
    for (place, clamp) in [HandlePlace::Start, HandlePlace::End]
        .into_iter()
        .zip(clamps)
    {
        let pose = clamp.unwrap_or_else(Pose::identity);
        cable.handles.push(Handle::at_end(place, pose));
    }
    cable.shape = Some(Shape {
        points: state.positions,
        frames: state.frames,
        turns: state.turns,
        clamps,
        rolls: BTreeMap::new(),
        memory: None,
    });
    cable
}

/// The shell of a connector at the end of a branch; `out` is 1 at its end and -1 at its start.
fn plug(name: &str, end: &Pose, out: f64, size: f64) -> Part {
    let mut soup = Soup::default();
    let body = boxed(
        [-1.3 * size, -size, 0.5],
        [1.3 * size, size, 2.4 * size],
        3.0,
    );
    soup.add(&body, &Pose::identity());
    let collar = boxed(
        [-1.45 * size, -1.15 * size, 1.5 * size],
        [1.45 * size, 1.15 * size, 1.8 * size],
        2.0,
    );
    soup.add(&collar, &Pose::identity());
    let latch = boxed(
        [-0.4 * size, size, 0.6 * size],
        [0.4 * size, 1.35 * size, 2.2 * size],
        2.0,
    );
    soup.add(&latch, &Pose::identity());
    let turn = if out > 0.0 {
        Rotation::identity()
    } else {
        Rotation::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI)
    };
    let place = Pose {
        position: end.position,
        rotation: end.rotation * turn,
    };
    let mut part = made(
        "harness",
        name,
        at_all(&soup.mesh(), &[place]),
        GREY,
        Finish::Plastic,
    );
    part.role = PartRole::Connector;
    part
}

/// A clip round a cable, and the fixing that it is.
fn clip(scene: &mut Scene, cable: &mut Cable, number: usize, share: f64) {
    let arc = share * cable.length;
    let Some((place, pose)) = cable.place_to_hold(arc, HandleKind::Direction) else {
        return;
    };
    let name = format!("clip {number}");
    let band = ring(cable.radius + 5.0, 2.6, 36, 12);
    let mut soup = Soup::default();
    for z in [-4.0, 0.0, 4.0] {
        soup.add(
            &band,
            &pose.compose(&Pose {
                position: Vec3::new(0.0, 0.0, z),
                rotation: Rotation::identity(),
            }),
        );
    }
    let at = pose.position;
    let below = at.z - cable.radius - 6.0;
    let foot = boxed(
        [at.x - 6.0, at.y - 6.0, below - 26.0],
        [at.x + 6.0, at.y + 6.0, below],
        3.0,
    );
    let mut part = made(
        "harness",
        &name,
        soup.with(&foot).mesh(),
        [200, 150, 44],
        Finish::Plastic,
    );
    part.role = PartRole::Connector;
    scene.parts.push(part);
    cable.handles.push(Handle {
        name: name.clone(),
        place,
        kind: HandleKind::Direction,
        pose,
        turns: 0,
        attached_to: Some(name),
        reference_changed: false,
    });
}
