//! Radiator, fan, expansion tank and the hose to it.

use std::f64::consts::TAU;

use super::super::aabb;
use super::super::shapes::{Soup, along, at_all, ring, swept, through, turned};
use super::{BLACK, CAST, GREY, WHITE, boxed, made};
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::primitives;
use crate::scene::{Finish, Part};

/// Radiator with fins, fan and expansion tank.
pub(super) fn cooling() -> Vec<Part> {
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
        coolant_hose(),
    ]
}

/// The hose between the engine's outlet and the expansion tank.
fn coolant_hose() -> Part {
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
    made(
        "cooling",
        "coolant hose",
        hose,
        [58, 60, 62],
        Finish::Rubber,
    )
}
