//! Friction between cables: a cable dragged across another, and one that hangs over another.

use std::f64::consts::PI;

use loomwright::geom::{Pose, Rotation, Vec3, rotation_along};
use loomwright::rod::{Rod, RodState, Section};
use loomwright::solve::{CancelToken, Problem, Reports, Solver, Status, Target, step_coupled};

use super::crossing::{RADIUS, Two, cable};

/// A straight cable without weight between two points.
fn straight(from: Vec3, to: Vec3, friction: f64) -> Solver {
    let length = (to - from).norm();
    let solver = cable(from, to, length, 40, friction);
    let problem = Problem {
        gravity: Vec3::zeros(),
        ..solver.problem().clone()
    };
    Solver::new(problem, solver.state().clone())
}

/// A cable along x, and one across it that is pressed down on it.
fn pressed(friction: [f64; 2]) -> Two {
    let (x, y) = (Vec3::x() * 200.0, Vec3::y() * 200.0);
    let above = Vec3::new(-12.0, 0.0, 2.2 * RADIUS);
    let mut two = Two::new([
        straight(-x, x, friction[0]),
        straight(above - y, above + y, friction[1]),
    ]);
    two.step();
    for _ in 0..12 {
        two.shift(1, Vec3::z() * -0.4);
        all_converged(&two.step());
    }
    two
}

fn all_converged(reports: &Reports) {
    for report in reports {
        assert_eq!(
            report.status,
            Status::Converged,
            "{:?} {:?}",
            report.handles,
            report.largest_strain
        );
    }
}

/// Normal force of the others on a cable, and what else its handles have to hold: friction on it.
fn forces_on(rod: usize, reports: &Reports) -> (Vec3, Vec3) {
    let contacts = reports[rod].rod_contacts.iter();
    let normal: Vec3 = contacts.map(|c| c.force).sum();
    let handles: Vec3 = reports[rod].handles.iter().map(|h| h.force).sum();
    (normal, -(handles + normal))
}

/// Drags the upper cable along the lower one; friction over normal force, and friction on both.
fn dragged(friction: [f64; 2]) -> (f64, [Vec3; 2]) {
    let mut two = pressed(friction);
    let mut reports = two.step();
    for _ in 0..24 {
        two.shift(1, Vec3::x() * 0.5);
        reports = two.step();
        all_converged(&reports);
    }
    let (normal, on_upper) = forces_on(1, &reports);
    let (_, on_lower) = forces_on(0, &reports);
    assert!(normal.z > 1.0, "{normal}");
    (on_upper.norm() / normal.norm(), [on_upper, on_lower])
}

#[test]
fn a_cable_dragged_across_another_is_held_back_by_friction() {
    let (ratio, [on_upper, on_lower]) = dragged([0.2; 2]);
    println!("friction over normal force: {ratio:.4}, expected 0.2");
    assert!((ratio / 0.2 - 1.0).abs() < 0.05, "{ratio}");
    assert!(on_upper.x < -0.99 * on_upper.norm(), "{on_upper}");
    assert!((on_upper + on_lower).norm() < 1e-3 * on_upper.norm());
}

#[test]
fn without_friction_nothing_holds_it_back() {
    let (ratio, _) = dragged([0.0; 2]);
    assert!(ratio < 1e-4, "{ratio}");
}

#[test]
fn of_two_coefficients_the_smaller_one_counts() {
    let (ratio, _) = dragged([0.3, 0.1]);
    assert!((ratio / 0.1 - 1.0).abs() < 0.05, "{ratio}");
}

/// Where the middle of the upper cable is along the lower one.
fn middle(two: &Two) -> f64 {
    two.rods[1].state().positions[20].x
}

/// Finds the equilibrium anew.
fn find_anew(two: &mut Two) -> Reports {
    for rod in &mut two.rods {
        let problem = rod.problem().clone();
        rod.set_problem(problem);
    }
    two.step()
}

#[test]
fn what_sticks_stays_and_what_rests_does_not_creep() {
    let mut two = pressed([0.2; 2]);
    let reports = two.step();
    let (normal, before) = forces_on(1, &reports);
    assert!(before.norm() < 0.01 * normal.norm(), "{before}");
    // A little: the handles go, the middle stays.
    let at = middle(&two);
    two.shift(1, Vec3::x() * 0.3);
    let reports = two.step();
    all_converged(&reports);
    let (normal, held) = forces_on(1, &reports);
    let ratio = held.norm() / normal.norm();
    assert!((0.01..0.15).contains(&ratio), "{ratio}");
    let crept = middle(&two) - at;
    assert!(crept < 0.02 * RADIUS, "{crept}");
    // Far: it slides, and at rest it is held where it came to.
    for _ in 0..20 {
        two.shift(1, Vec3::x() * 0.5);
        all_converged(&two.step());
    }
    assert!(middle(&two) > at + 1.0);
    let (at, mut last) = (middle(&two), Vec3::zeros());
    for _ in 0..10 {
        let reports = find_anew(&mut two);
        all_converged(&reports);
        last = forces_on(1, &reports).1;
    }
    let crept = (middle(&two) - at).abs();
    assert!(crept < 1e-3 * RADIUS, "{crept}");
    assert!(last.x < -0.15 * normal.norm(), "{last}");
}

#[test]
fn cables_that_sleep_keep_their_friction() {
    let mut two = pressed([0.2; 2]);
    for _ in 0..20 {
        two.shift(1, Vec3::x() * 0.5);
        two.step();
    }
    let (normal, held) = forces_on(1, &two.step());
    // A third one far away moves, then all find their equilibrium anew.
    let far = Vec3::z() * 500.0;
    let third = straight(far - Vec3::x() * 200.0, far + Vec3::x() * 200.0, 0.2);
    two.rods.push(third);
    let mut elsewhere = [0, 1].map(|k| Some(Target::from(two.rods[2].grip_pose(k))));
    let mut step = |rods: &mut Vec<Solver>| {
        let target = elsewhere[1].as_mut().unwrap();
        target.pose.position += Vec3::y() * 5.0;
        let targets = [&two.targets[0][..], &two.targets[1][..], &elsewhere[..]];
        let cancel = CancelToken::default();
        step_coupled(rods, &mut two.pairs, &[], &targets, &cancel, None)
    };
    step(&mut two.rods);
    let asleep = step(&mut two.rods);
    assert_eq!(asleep[1].iterations, 0, "it sleeps");
    for rod in &mut two.rods {
        let problem = rod.problem().clone();
        rod.set_problem(problem);
    }
    let awake = step(&mut two.rods);
    for reports in [asleep, awake] {
        all_converged(&reports);
        let (normal_now, held_now) = forces_on(1, &reports);
        assert!((normal_now - normal).norm() < 0.01 * normal.norm());
        assert!((held_now - held).norm() < 0.01 * held.norm());
    }
}

#[test]
fn friction_follows_its_coefficient_and_goes_with_it() {
    let mut two = pressed([0.2; 2]);
    for _ in 0..24 {
        two.shift(1, Vec3::x() * 0.5);
        two.step();
    }
    for friction in [0.1, 0.0] {
        for rod in &mut two.rods {
            let problem = Problem {
                friction,
                ..rod.problem().clone()
            };
            rod.set_problem(problem);
        }
        let reports = two.step();
        all_converged(&reports);
        let (normal, held) = forces_on(1, &reports);
        let ratio = held.norm() / normal.norm();
        assert!((ratio - friction).abs() < 0.005, "{ratio}, not {friction}");
    }
}

/// Radius of the thick cable and of the limp one that hangs over it, mm.
const THICK: f64 = 30.0;
const LIMP: f64 = 2.0;
/// Straight run from the thick cable to each handle.
const RUN: f64 = 300.0;
const RIDE: f64 = THICK + 1.05 * LIMP;

/// A stiff thick cable along y, and a limp one half round it, both ends down; the limp one is the first of the two or
/// the second.
fn hung_over(friction: f64, limp_first: bool) -> Two {
    let solver = |nodes: Vec<Vec3>, ends: [Rotation; 2], radius: f64, bending: f64, axial: f64| {
        let section = Section {
            bending: [bending; 2],
            torsion: bending,
            axial,
            shear: axial,
            mass_kg_m: 0.0,
        };
        let length = nodes.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
        let rod = Rod::uniform(length, nodes.len() - 1, section).unwrap();
        let problem = Problem {
            friction,
            ..Problem::clamped(rod, radius)
        };
        Solver::new(problem, RodState::along(nodes, ends.map(Some)))
    };
    let along_y = rotation_along(&Vec3::y()).unwrap();
    let place = |i: u32| Vec3::y() * (10.0 * f64::from(i) - 103.0);
    let thick = solver((0..=20).map(place).collect(), [along_y; 2], THICK, 1e9, 1e8);
    let up = rotation_along(&Vec3::z()).unwrap();
    let down = up * Rotation::from_scaled_axis(Vec3::y() * PI);
    let (n, length) = (140, 2.0 * RUN + PI * RIDE);
    let at = |i: usize| {
        let s = length * i as f64 / n as f64;
        let angle = PI - ((s - RUN) / RIDE).clamp(0.0, PI);
        let down = (RUN - s).max(s - RUN - PI * RIDE).max(0.0);
        Vec3::new(RIDE * angle.cos(), 0.0, RIDE * angle.sin() - down)
    };
    let limp = solver((0..=n).map(at).collect(), [up, down], LIMP, 20.0, 1e4);
    Two::new(if limp_first {
        [limp, thick]
    } else {
        [thick, limp]
    })
}

/// Tensions at start and end of the limp cable after its end was pulled down far enough to slip all along.
fn pulled(friction: f64, limp_first: bool) -> [f64; 2] {
    let mut two = hung_over(friction, limp_first);
    let limp = usize::from(!limp_first);
    let n_steps = 40_u32;
    let start = two.targets[limp];
    let lower = |target: Option<Target>, by: f64| {
        let mut target = target?;
        let Pose { position, .. } = &mut target.pose;
        *position -= Vec3::z() * by;
        Some(target)
    };
    let mut tensions = [0.0; 2];
    for k in 1..=10 + n_steps {
        let both = 0.02 * f64::from(k.min(10));
        let more = 0.9 * f64::from(k.saturating_sub(10)) / f64::from(n_steps);
        two.targets[limp] = [lower(start[0], both), lower(start[1], both + more)];
        let reports = two.step();
        all_converged(&reports);
        tensions = [0, 1].map(|k| -reports[limp].handles[k].force.z);
    }
    tensions
}

#[test]
fn a_limp_cable_slips_over_another_by_the_capstan_equation() {
    for limp_first in [true, false] {
        let [held, end] = pulled(0.2, limp_first);
        assert!(held > 1.0, "taut: {held} N");
        let (ratio, expected) = (end / held, (0.2 * PI).exp());
        println!("cable over cable: {ratio:.4}, expected {expected:.4}");
        assert!((ratio / expected - 1.0).abs() < 0.02, "{ratio}");
    }
    let [held, end] = pulled(0.0, true);
    assert!((end / held - 1.0).abs() < 0.01, "{held} {end}");
}
