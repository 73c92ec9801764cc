//! What hangs on cables.

use loomwright::geom::{Pose, Vec3};
use loomwright::rod::Section;
use loomwright::solve::{Body, BodyEnd};

use crate::net::{GRAVITY, Net, along, rod_between, section};

/// A cable without weight that is stiff enough for the formula of small bends.
fn stiff() -> Section {
    Section {
        bending: [2e6; 2],
        torsion: 1.6e6,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.0,
    }
}

fn at(pose: Pose, mass_kg: f64, center: Vec3, ends: &[(usize, usize)]) -> Body {
    Body {
        pose,
        mass_kg,
        center,
        ends: (ends.iter())
            .map(|&(rod, grip)| BodyEnd {
                rod,
                grip,
                in_body: Pose::identity(),
            })
            .collect(),
        most_turn: f64::INFINITY,
    }
}

#[test]
fn a_connector_of_fifty_grams_hangs_as_the_cantilever_with_a_tip_load() {
    let (length, mass) = (200.0, 0.05);
    let ends = [0.0, length].map(|x| along(Vec3::x() * x, Vec3::x()));
    let rod = rod_between(ends, length, 60, stiff());
    let mut net = Net::new(vec![rod], vec![at(ends[1], mass, Vec3::zeros(), &[(0, 1)])]);
    let reports = net.rest();
    let load = mass * GRAVITY.norm();
    // P L^3 / 3 EI, and what shear adds.
    let expected = load * length.powi(3) / (3.0 * 2e6) + load * length / 1e6;
    let sag = -net.pose(0).position.z;
    assert!(
        (sag / expected - 1.0).abs() < 1e-3,
        "{sag} mm, not {expected}"
    );
    let [force, moment] = net.imbalance(0, &reports);
    assert!(force < 1e-6, "{force:e}");
    // There is no moment at the tip but noise.
    assert!(moment.is_finite());
    // Its far center of mass is a moment at the tip: M L^2 / 2 EI more.
    let center = ends[1].rotation.inverse() * Vec3::x() * 30.0;
    let rod = rod_between(ends, length, 60, stiff());
    let mut net = Net::new(vec![rod], vec![at(ends[1], mass, center, &[(0, 1)])]);
    net.rest();
    let expected = expected + load * 30.0 * length * length / (2.0 * 2e6);
    let sag = -net.pose(0).position.z;
    assert!(
        (sag / expected - 1.0).abs() < 1e-3,
        "{sag} mm, not {expected}"
    );
}

#[test]
fn a_connector_on_two_cables_balances() {
    let middle = along(Vec3::new(0.0, 0.0, -80.0), Vec3::x());
    let outer = [-250.0, 250.0].map(|x| along(Vec3::x() * x, Vec3::x()));
    let rods = vec![
        rod_between([outer[0], middle], 280.0, 30, section()),
        rod_between([middle, outer[1]], 280.0, 30, section()),
    ];
    let center = Vec3::new(0.0, 6.0, -10.0);
    let mut net = Net::new(rods, vec![at(middle, 0.2, center, &[(0, 1), (1, 0)])]);
    for by in [0.0, 20.0, -35.0] {
        net.shift(1, 1, Vec3::new(0.0, by, 0.5 * by));
        let reports = net.rest();
        let [force, moment] = net.imbalance(0, &reports);
        assert!(force < 1e-6 && moment < 1e-6, "{force:e} {moment:e}");
        assert!(reports.iter().all(|r| r.stable));
    }
}

#[test]
fn a_body_whose_cables_leave_it_aside_turns_with_them() {
    // Two cables that leave a block on both sides, 20 mm from its middle.
    let pose = along(Vec3::new(0.0, 0.0, -60.0), Vec3::x());
    let outer = [-250.0, 250.0].map(|x| along(Vec3::x() * x, Vec3::x()));
    let aside = |x: f64| Pose {
        position: pose.position + Vec3::x() * x,
        ..pose
    };
    let rods = vec![
        rod_between([outer[0], aside(-20.0)], 260.0, 30, section()),
        rod_between([aside(20.0), outer[1]], 260.0, 30, section()),
    ];
    let mut body = at(pose, 0.1, Vec3::zeros(), &[(0, 1), (1, 0)]);
    for (end, x) in body.ends.iter_mut().zip([-20.0, 20.0]) {
        end.in_body = pose.inverse().compose(&aside(x));
    }
    let mut net = Net::new(rods, vec![body]);
    net.rest();
    let before = net.pose(0).rotation;
    for _ in 0..4 {
        net.shift(1, 1, Vec3::new(0.0, 25.0, 15.0));
        let reports = net.rest();
        let [force, moment] = net.imbalance(0, &reports);
        assert!(force < 1e-6 && moment < 1e-6, "{force:e} {moment:e}");
    }
    assert!(net.pose(0).rotation.angle_to(&before) > 0.05);
    // The ends are where the body has them.
    for end in &net.bodies[0].ends {
        let there = net.pose(0).compose(&end.in_body);
        let here = net.rods[end.rod].grip_pose(end.grip);
        assert!((there.position - here.position).norm() < 1e-9);
        assert!(there.rotation.angle_to(&here.rotation) < 1e-9);
    }
}
