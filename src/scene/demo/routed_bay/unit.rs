//! The control unit on its bracket, and the stud on the engine that its ground cable is bolted to.

use super::super::aabb;
use super::super::shapes::{Soup, along, at_all, bolt, turned};
use super::{BLACK, CAST, STEEL, bolts, boxed, made};
use crate::geom::Pose;
use crate::mesh::primitives;
use crate::scene::{Finish, Part, PartRole};

/// What is taken out as one body: name of the body, and its parts.
pub(super) const NAME: &str = "control unit";
pub(super) const CARRIED: [&str; 4] = [NAME, "header", "plug unit", "plug ground"];

/// Where the ground cable ends, and the part that it ends at.
pub(super) const STUD: &str = "ground stud";
pub(super) const STUD_AT: [f64; 3] = [-96.0, -112.0, 440.0];
/// How high the terminal is over the foot of the stud, mm.
pub(super) const POST: f64 = 48.0;

/// Housing, header and bracket, and the stud.
pub(super) fn control_unit() -> Vec<Part> {
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
        [-580.0, -386.0, 366.0],
        [-410.0, -194.0, 373.0],
        3.0,
    ));
    for y in [-370.0, -230.0] {
        let leg = boxed([-586.0, y, 296.0], [-578.0, y + 28.0, 373.0], 3.0);
        bracket.add(&leg, &Pose::identity());
    }
    let screws = [
        [-570.0, -378.0, 373.0],
        [-570.0, -202.0, 373.0],
        [-425.0, -378.0, 373.0],
        [-425.0, -202.0, 373.0],
    ];
    let screws = bolts(6.0, &screws);
    vec![
        made(NAME, NAME, unit.mesh(), CAST, Finish::Metal),
        made(NAME, "header", header, BLACK, Finish::Plastic),
        made(NAME, "unit bracket", bracket.mesh(), STEEL, Finish::Metal),
        made(NAME, "unit screws", screws, STEEL, Finish::Metal),
        ground_stud(),
    ]
}

/// A stud on a post on the ledge of the cylinder head, with the cable's terminal under its nut.
fn ground_stud() -> Part {
    let [x, y, z] = STUD_AT;
    let post = turned(
        &[
            [11.0, 0.0],
            [9.0, 4.0],
            [9.0, POST],
            [12.0, POST],
            [12.0, POST + 4.0],
        ],
        32,
    );
    let up = [0.0, 0.0, 1.0];
    let mut stud = Soup::default().with(&at_all(&post, &[along([x, y, z], up)]));
    stud.add(&bolt(7.0), &along([x, y, z + POST + 4.0], up));
    let mut stud = made("engine", STUD, stud.mesh(), STEEL, Finish::Metal);
    stud.role = PartRole::Connector;
    stud
}
