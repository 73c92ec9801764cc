//! Harnesses against references that were made another way: `scripts/reference-harness.py`, a minimiser in Python.

use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::rod::Section;
use loomwright::solve::{Body, BodyEnd};

use crate::net::{Net, along, rod_between};

/// Where the minimiser has the junction, mm, and its turn about -y, radians: two grids extrapolated. From one pair of grids
/// to the next they differ by 0.0001 mm.
const PLACE: [f64; 2] = [1.47625, -7.17385];
const TURN: f64 = -0.018_936;

/// Three rods in the plane of x and z that meet in a free junction.
fn planar(n: usize) -> Net {
    let section = Section {
        bending: [5e3; 2],
        torsion: 4e3,
        // The minimiser's rods do not stretch.
        axial: 3e7,
        shear: 3e7,
        mass_kg_m: 1.0,
    };
    let anchors = [[-250.0, 80.0], [240.0, 120.0], [30.0, 230.0]];
    let mut rods = Vec::new();
    let mut ends = Vec::new();
    for (rod, [x, z]) in anchors.into_iter().enumerate() {
        let way = Vec3::new(x, 0.0, z);
        let here = along(Vec3::zeros(), way);
        let poses = [here, along(way, way)];
        rods.push(rod_between(poses, 1.03 * way.norm(), n, section));
        ends.push(BodyEnd {
            rod,
            grip: 0,
            in_body: here,
        });
    }
    let body = Body {
        pose: Pose::identity(),
        mass_kg: 0.0,
        center: Vec3::zeros(),
        ends,
        most_turn: f64::INFINITY,
    };
    Net::new(rods, vec![body])
}

fn solved(n: usize) -> Pose {
    let mut net = planar(n);
    let reports = net.rest();
    assert!(reports.iter().all(|r| r.stable));
    net.pose(0)
}

#[test]
fn a_junction_of_three_is_where_a_minimiser_in_another_language_has_it() {
    let reference = Pose {
        position: Vec3::new(PLACE[0], 0.0, PLACE[1]),
        rotation: Rotation::from_scaled_axis(Vec3::y() * -TURN),
    };
    let (coarse, fine) = (solved(24), solved(48));
    let off = |pose: &Pose| (pose.position - reference.position).norm();
    let turned = |pose: &Pose| pose.rotation.angle_to(&reference.rotation);
    // The error of a grid is a third of what it differs from the one with half as many edges.
    let estimate = (fine.position - coarse.position).norm() / 3.0;
    let angle = fine.rotation.angle_to(&coarse.rotation) / 3.0;
    println!(
        "{} mm for {estimate}, {} for {angle}",
        off(&fine),
        turned(&fine)
    );
    assert!(estimate < 0.05, "{estimate} mm says little");
    assert!(
        off(&fine) < 1.2 * estimate,
        "{} mm, not {estimate}",
        off(&fine)
    );
    assert!(
        turned(&fine) < 1.2 * angle,
        "{}, not {angle}",
        turned(&fine)
    );
    assert!(
        off(&coarse) > 2.0 * off(&fine),
        "it converges to the reference"
    );
}
