//! V1 and V4: the planar elastica.

use std::f64::consts::PI;

use loomwright::geom::{Pose, Vec3, rotation_along};
use loomwright::rod::{Rod, RodState, Section};
use loomwright::solve::{CancelToken, Grip, Hold, Load, Place, Problem, Solver, Status};

use super::common::assert_agrees;

const L: f64 = 1000.0;
const EI: f64 = 1500.0;

fn section() -> Section {
    Section {
        bending: [EI; 2],
        torsion: 1100.0,
        axial: 1e6,
        shear: 1e6,
        mass_kg_m: 0.0,
    }
}

fn straight(n: usize) -> Vec<Vec3> {
    (0..=n)
        .map(|i| Vec3::x() * (L * i as f64 / n as f64))
        .collect()
}

/// Incomplete elliptic integrals of the first and second kind, F(phi, p) and E(phi, p), by Simpson's rule.
fn elliptic(phi: f64, p: f64) -> [f64; 2] {
    const N: usize = 4000;
    let mut sum = [0.0; 2];
    for i in 0..=N {
        let t = phi * i as f64 / N as f64;
        let root = (1.0 - (p * t.sin()).powi(2)).sqrt();
        let weight = match i {
            0 | N => 1.0,
            i if i % 2 == 1 => 4.0,
            _ => 2.0,
        };
        sum[0] += weight / root;
        sum[1] += weight * root;
    }
    sum.map(|s| s * phi / (3.0 * N as f64))
}

/// Where a growing function has a value.
fn solve(value: f64, range: [f64; 2], f: impl Fn(f64) -> f64) -> f64 {
    let [mut low, mut high] = range;
    for _ in 0..60 {
        let mid = 0.5 * (low + high);
        if f(mid) < value {
            low = mid;
        } else {
            high = mid;
        }
    }
    0.5 * (low + high)
}

/// V1: cantilever under a tip force across its start direction; (w/L, shortening/L, slope of the tip).
#[test]
fn v1_cantilever_with_tip_force() {
    let table = [
        (1.0, 0.301_721, 0.056_433, 0.461_352),
        (2.0, 0.493_457, 0.160_642, 0.781_750),
        (5.0, 0.713_792, 0.387_628, 1.215_368),
        (10.0, 0.810_609, 0.554_996, 1.430_286),
    ];
    let start = Pose {
        position: Vec3::zeros(),
        rotation: rotation_along(&Vec3::x()).unwrap(),
    };
    for (load, w, u, slope) in table {
        // The table by its own formulas, to all digits.
        let at = |slope: f64| {
            let p = (PI / 4.0 + slope / 2.0).sin();
            let phi = (1.0 / (p * 2_f64.sqrt())).asin();
            let (whole, part) = (elliptic(PI / 2.0, p), elliptic(phi, p));
            [whole[0] - part[0], whole[1] - part[1]]
        };
        let exact_slope = solve(f64::sqrt(load), [1e-3, 1.55], |slope| at(slope)[0]);
        let deflection = 1.0 - 2.0 * at(exact_slope)[1] / f64::sqrt(load);
        let shortening = 1.0 - (2.0 * exact_slope.sin() / load).sqrt();
        assert!((deflection - w).abs() < 6e-7 && (shortening - u).abs() < 6e-7);
        assert!((exact_slope - slope).abs() < 6e-7);
        let mut errors = Vec::new();
        for n in [50, 100, 200] {
            let rod = Rod::uniform(L, n, section()).unwrap();
            let tip_force = Vec3::new(0.0, 0.0, load * EI / (L * L));
            let state = RodState::along(straight(n), [Some(start.rotation), None]);
            let mut solver = Solver::new(
                Problem {
                    grips: vec![Grip::at_start(Hold::Frame)],
                    loads: vec![Load {
                        place: Place::Node(n),
                        force: tip_force,
                        moment: Vec3::zeros(),
                    }],
                    ..Problem::free(rod, 3.0)
                },
                state,
            );
            let report = solver.step(&[Some(start.into())], &CancelToken::default(), None);
            assert_eq!(report.status, Status::Converged);
            let tip = solver.state().positions[n];
            let tangent = solver.state().frames[n - 1] * Vec3::z();
            let e = (tip.z / L - deflection)
                .abs()
                .max((1.0 - tip.x / L - shortening).abs());
            // 0.1 % of L at 50 edges, order 2.
            assert!(
                e < 1e-3 * (50.0 / n as f64).powi(2),
                "load {load}, {n} edges: {e}"
            );
            // The last edge's frame stands half an edge before the tip, where the moment is still small.
            assert!((tangent.z.atan2(tangent.x) - slope).abs() < 5e-3 * 50.0 / n as f64);
            // The clamp carries the load.
            let handle = report.handles[0];
            assert!((handle.force + tip_force).norm() < 1e-4 * tip_force.norm());
            assert_agrees(&solver);
            errors.push(e);
        }
        println!("V1 load {load}: {errors:?}");
        let order = (errors[0] / errors[2]).log2() / 2.0;
        println!("V1 load {load}: order {order:.2}");
        assert!(order > 1.9, "{errors:?}");
    }
}

/// V4: clamped-clamped elastica after buckling; end shortening, mid deflection, load over critical load.
#[test]
fn v4_clamped_rod_after_buckling() {
    let table = [
        (0.030_269, 0.109_707, 1.015_40),
        (0.118_796, 0.211_120, 1.063_66),
        (0.258_980, 0.296_604, 1.151_72),
        (0.440_604, 0.359_749, 1.293_89),
    ];
    let critical = 4.0 * PI * PI * EI / (L * L);
    let mut errors = Vec::new();
    for n in [50, 100, 200] {
        let rotation = rotation_along(&Vec3::x()).unwrap();
        let rod = Rod::uniform(L, n, section()).unwrap();
        let state = RodState::along(straight(n), [Some(rotation); 2]);
        let mut solver = Solver::new(Problem::clamped(rod, 3.0), state);
        let start = Pose {
            position: Vec3::zeros(),
            rotation,
        };
        let pose = |shortening: f64| Pose {
            position: Vec3::x() * (L * (1.0 - shortening)),
            rotation,
        };
        // From dead straight: only the inertia check leaves the straight branch.
        let cancel = CancelToken::default();
        for (u, w, f) in table {
            // The table by its own formulas, to all digits.
            let p = solve(u, [1e-3, 0.9], |p| {
                let [k, e] = elliptic(PI / 2.0, p);
                2.0 * (1.0 - e / k)
            });
            let k = elliptic(PI / 2.0, p)[0];
            let (shortening, deflection, load) = (u, p / k, (2.0 * k / PI).powi(2));
            assert!((deflection - w).abs() < 3e-6 && (load - f).abs() < 6e-6);
            let report = solver.step(
                &[start, pose(shortening)].map(|p| Some(p.into())),
                &cancel,
                None,
            );
            assert_eq!(report.status, Status::Converged, "{shortening} {report:?}");
            assert!(report.stable);
            assert_agrees(&solver);
            let middle = solver.state().positions[n / 2];
            let sideways = middle.y.hypot(middle.z) / L;
            let force = report.handles[0].force.x / critical;
            println!(
                "V4 {n} edges, {shortening}: {:.2e} {:.2e}",
                sideways - deflection,
                force - load
            );
            let scale = (50.0 / n as f64).powi(2);
            errors.push((sideways - deflection).abs().max((force - load).abs()));
            assert!(
                (sideways - deflection).abs() < 1e-3 * scale,
                "{sideways} {deflection}"
            );
            // Forces within 1 % at 50 edges, order 2.
            assert!((force - load).abs() < 1e-2 * scale * load, "{force} {load}");
        }
    }
    for (k, (shortening, ..)) in table.iter().enumerate() {
        let order = (errors[k] / errors[8 + k]).log2() / 2.0;
        println!("V4 {shortening}: order {order:.2}");
        assert!(order > 1.9, "{shortening}: {order}");
    }
}
