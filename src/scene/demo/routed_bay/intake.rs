//! The way of the air.

use super::super::shapes::{Soup, along, at_all, swept, through, turned};
use super::{BLACK, CAST, DARK_CAST, GREY, STEEL, boxed, made};
use crate::geom::Pose;
use crate::scene::{Finish, Part};

/// Manifold, throttle, air hose and filter box.
pub(super) fn intake() -> Vec<Part> {
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
