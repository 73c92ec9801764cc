//! Free junctions of three and of sixteen branches: balance, and following.

use loomwright::geom::Vec3;

use crate::net::{Net, star};

fn three() -> Net {
    let outer = [
        Vec3::new(-300.0, 0.0, 0.0),
        Vec3::new(280.0, 150.0, 30.0),
        Vec3::new(250.0, -200.0, -20.0),
    ];
    star(Vec3::zeros(), &outer, 1.05, 30)
}

fn assert_balanced(net: &Net, reports: &loomwright::solve::Reports) {
    for b in 0..net.bodies.len() {
        let [force, moment] = net.imbalance(b, reports);
        assert!(force < 1e-6, "force out of balance by {force:e}");
        assert!(moment < 1e-6, "moment out of balance by {moment:e}");
    }
    for report in reports {
        assert!(report.stable);
    }
}

#[test]
fn a_junction_of_three_is_in_balance_and_follows_what_pulls() {
    let mut net = three();
    let reports = net.rest();
    assert_balanced(&net, &reports);
    let before = net.pose(0).position;
    for _ in 0..3 {
        net.shift(1, 1, Vec3::new(8.0, 4.0, 0.0));
        let reports = net.rest();
        assert_balanced(&net, &reports);
    }
    let way = net.pose(0).position - before;
    assert!(way.x > 2.0, "{way:?}: it does not follow");
}

#[test]
fn a_star_of_sixteen_is_in_balance_and_comes_back() {
    let outer: Vec<Vec3> = (0..16)
        .map(|k| {
            let a = f64::from(k) * std::f64::consts::TAU / 16.0;
            Vec3::new(300.0 * a.cos(), 300.0 * a.sin(), 40.0 * (3.0 * a).cos())
        })
        .collect();
    let mut net = star(Vec3::zeros(), &outer, 1.03, 12);
    let reports = net.rest();
    assert_balanced(&net, &reports);
    let before = net.pose(0).position;
    let pull = Vec3::new(15.0, 0.0, 10.0);
    for by in [pull, -pull] {
        net.shift(3, 1, by);
        let reports = net.rest();
        assert_balanced(&net, &reports);
    }
    // Whatever way it went, it is an equilibrium of the same ends.
    assert!((net.pose(0).position - before).norm() < 1e-3);
}

#[test]
fn what_is_joined_rests_and_sleeps_together() {
    let mut net = three();
    net.rest();
    let reports = net.rest();
    assert!(reports.iter().all(|r| r.iterations == 0));
    net.shift(0, 1, Vec3::new(0.0, 3.0, 0.0));
    let reports = net.rest();
    assert!(reports.iter().all(|r| r.iterations > 0));
}
