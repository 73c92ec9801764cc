//! Firewall, rails, strut towers and the front beam.

use std::f64::consts::TAU;

use super::super::shapes::{Soup, along, at_all, ring, turned};
use super::{BLACK, BODY, STEEL, bolts, boxed, made};
use crate::geom::{Pose, Vec3};
use crate::mesh::primitives;
use crate::scene::{Finish, Part};

/// Firewall with grommets, side rails, strut towers.
pub(super) fn body() -> Vec<Part> {
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
