//! The battery on its tray.

use super::super::shapes::{Soup, along, ring, turned};
use super::{BLACK, GREY, STEEL, bolts, boxed, made};
use crate::geom::Pose;
use crate::scene::{Finish, Part};

/// Battery on its tray, held by a bracket with bolts.
pub(super) fn battery() -> Vec<Part> {
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
