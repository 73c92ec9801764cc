//! A control unit on a tray with its harness plugged in: what is taken out again when it is serviced.

use std::f64::consts::FRAC_PI_2;

use super::{aabb, part};
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::primitives;
use crate::scene::{Cable, CableSection, Exclusion, Handle, HandlePlace, PartRole, Scene};

/// Length of a cable that is inside its connector, mm.
const PLUGGED: f64 = 12.0;

/// The unit on its tray, a manifold that the cables run over, a bulkhead behind it; the ground cable is too short to lift
/// the unit out.
pub fn control_unit() -> Scene {
    let mut unit = part(
        "control unit",
        primitives::cuboid(&aabb([-120.0, -50.0, 0.0], [0.0, 50.0, 30.0])),
    );
    unit.role = PartRole::Connector;
    let parts = vec![
        unit,
        part(
            "tray",
            primitives::cuboid(&aabb([-140.0, -70.0, -12.0], [20.0, 70.0, -2.0])),
        ),
        part(
            "manifold",
            primitives::cuboid(&aabb([70.0, -80.0, -120.0], [150.0, 80.0, -60.0])),
        ),
        part(
            "bulkhead",
            primitives::cuboid(&aabb([220.0, -90.0, -120.0], [226.0, 90.0, 90.0])),
        ),
    ];
    let cables = vec![
        cable("GND", -30.0, 226.0),
        cable("CAN", 0.0, 275.0),
        cable("supply", 30.0, 275.0),
    ];
    let mut exclusions = Vec::new();
    for cable in &cables {
        let plugged = |part: &str, from: f64, to: f64| Exclusion {
            cable: cable.name.clone(),
            part: part.to_owned(),
            from,
            to,
            depth: None,
        };
        exclusions.push(plugged("control unit", 0.0, PLUGGED));
        exclusions.push(plugged("bulkhead", cable.length - PLUGGED, 1e9));
    }
    Scene {
        parts,
        cables,
        exclusions,
        ..Scene::default()
    }
}

/// From the front of the unit to the bulkhead.
fn cable(name: &str, y: f64, length: f64) -> Cable {
    let section = CableSection {
        bending: 400.0,
        bending2: None,
        torsion: 300.0,
        axial: 8e3,
        mass_kg_m: 0.03,
    };
    let mut cable = Cable::new(name, 2.5, length, section);
    cable.n_edges = 40;
    // d3 along x.
    let rotation = Rotation::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2);
    let held = [(HandlePlace::Start, 0.0), (HandlePlace::End, 220.0)];
    cable.handles = held
        .into_iter()
        .map(|(place, x)| {
            let position = Vec3::new(x, y, 15.0);
            Handle::at_end(place, Pose { position, rotation })
        })
        .collect();
    cable.handles[0].attached_to = Some("control unit".to_owned());
    cable
}
