//! Where the branches of the harness and the ground cable run, what they are plugged into and held by.

use super::super::shapes::through;
use super::unit::{POST, STUD, STUD_AT};
use crate::geom::Vec3;

/// What the harness is made of.
const BUNDLE: &str = "Signal bundle, taped";
/// What the ground cable is made of.
const WIRE: &str = "Single stranded wire";

/// One branch of the harness, or a cable beside it.
pub(super) struct Branch {
    pub name: &'static str,
    /// mm.
    pub radius: f64,
    pub material: &'static str,
    /// The nodes that it goes between.
    pub ends: [&'static str; 2],
    /// Points on its way.
    pub way: Vec<Vec3>,
}

/// A node at which branches meet.
pub(super) struct Meeting {
    pub name: &'static str,
    pub at: [f64; 3],
    /// Direction of the trunk there.
    pub direction: [f64; 3],
    /// Whether it follows its branches.
    pub free: bool,
}

/// All of them; the one beside the control unit goes along when the unit is taken out.
pub(super) const MEET: [Meeting; 3] = [
    Meeting {
        name: "J1",
        at: [20.0, 268.0, 540.0],
        direction: [-1.0, -0.35, 0.0],
        free: false,
    },
    Meeting {
        name: "J2",
        at: [-238.0, 132.0, 545.0],
        direction: [-0.55, -1.0, 0.0],
        free: false,
    },
    Meeting {
        name: "J3",
        at: [-300.0, -128.0, 535.0],
        direction: [-0.25, -1.0, -0.1],
        free: true,
    },
];

/// Connectors at the ends: name, node, size of the shell.
pub(super) const CONNECTORS: [(&str, &str, f64); 6] = [
    ("plug cabin", "cabin", 17.0),
    ("plug unit", "unit", 15.0),
    ("plug battery", "battery", 12.0),
    ("plug coils", "coils", 10.0),
    ("plug throttle", "throttle", 10.0),
    ("plug ground", "unit ground", 8.0),
];

/// Clips that hold the trunk: cable, share of its length.
pub(super) const CLIPS: [(&str, f64); 3] = [("trunk 2", 0.5), ("trunk 3", 0.5), ("throttle", 0.5)];

/// A branch of the harness along a smooth line.
fn branch(name: &'static str, radius: f64, ends: [&'static str; 2], points: &[[f64; 3]]) -> Branch {
    Branch {
        name,
        radius,
        material: BUNDLE,
        ends,
        way: through(points, 16),
    }
}

/// The harness: its trunk from the cabin to the control unit.
pub(super) fn branches() -> Vec<Branch> {
    let [j1, j2, j3] = MEET.map(|meeting| meeting.at);
    let trunk = [
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
                [-290.0, -192.0, 520.0],
                [-258.0, -250.0, 486.0],
                [-240.0, -282.0, 441.0],
                [-253.0, -290.0, 405.0],
                [-288.0, -290.0, 391.0],
                [-338.0, -290.0, 391.0],
            ],
        ),
    ];
    trunk.into_iter().chain(side_branches(j1, j2, j3)).collect()
}

/// What leaves the trunk.
fn side_branches(j1: [f64; 3], j2: [f64; 3], j3: [f64; 3]) -> [Branch; 3] {
    [
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
                [40.0, -214.0, 526.0],
                [110.0, -222.0, 520.0],
                [176.0, -240.0, 492.0],
            ],
        ),
    ]
}

/// The ground cable of the control unit: over the manifold to a stud on the cylinder head.
pub(super) fn ground() -> Branch {
    let [x, y, z] = STUD_AT;
    Branch {
        name: "GND",
        radius: 3.0,
        material: WIRE,
        ends: ["unit ground", STUD],
        way: through(
            &[
                [-356.0, -334.0, 391.0],
                [-310.0, -336.0, 391.0],
                [-240.0, -325.0, 420.0],
                [-165.0, -280.0, 489.0],
                [-110.0, -232.0, 507.0],
                [x, -172.0, 507.0],
                [x, y - 14.0, z + POST + 3.0],
            ],
            16,
        ),
    }
}
