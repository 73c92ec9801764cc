//! Contact against closed forms: a rod lifted off a floor, a belt round a drum, a cable on a slope.

use std::f64::consts::PI;
use std::sync::Arc;

use loomwright::contact::Obstacle;
use loomwright::geom::{Aabb, Pose, Rotation, Vec3, rotation_along};
use loomwright::mesh::primitives;
use loomwright::rod::{Rod, RodState, Section};
use loomwright::scene::second_opinion::second_opinion;
use loomwright::solve::{CancelToken, Grip, Hold, Load, Place, Problem, Report, Solver, Status};

use super::common::{EI, along_x, distance, step, straight};

/// A floor whose top is z = 0.
fn floor() -> Arc<Vec<Obstacle>> {
    let aabb = Aabb {
        min: Vec3::new(-200.0, -200.0, -50.0),
        max: Vec3::new(1200.0, 200.0, 0.0),
    };
    Arc::new(vec![Obstacle::new(&primitives::cuboid(&aabb))])
}

/// A cable along x on the floor, its start held by a frame.
fn lying(n_edges: usize, length: f64, radius: f64, gravity: Vec3, friction: f64) -> Solver {
    let section = Section {
        bending: [EI; 2],
        torsion: 1100.0,
        axial: 1e4,
        shear: 1e4,
        mass_kg_m: 0.05,
    };
    let rod = Rod::uniform(length, n_edges, section).unwrap();
    // About where its weight has it within the barrier distance of a tenth of the radius.
    let height = Vec3::z() * (1.093 * radius);
    let nodes: Vec<Vec3> = (straight(rod.rest_lengths()).into_iter())
        .map(|p| p + height)
        .collect();
    let start = along_x(0.0).rotation;
    let problem = Problem {
        gravity,
        grips: vec![Grip::at_start(Hold::Frame)],
        friction,
        obstacles: floor(),
        ..Problem::free(rod, radius)
    };
    Solver::new(problem, RodState::along(nodes, [Some(start), None]))
}

fn rest(solver: &mut Solver) -> Report {
    solver.step(&[None], &CancelToken::default(), None)
}

/// V13. A force lifts the end of a heavy rod by h: lifted length l = (24 EI h/w)^(1/4), force w l/2.
///
/// The rod leaves the floor by w (2 l s^3 - s^4)/(24 EI), so gently that its last contact says little of l. Where it has
/// risen by 1 % of h, 0.8237 l from the end, it is well clear of the barrier.
#[test]
fn v13_a_rod_is_lifted_off_a_floor() {
    let (length, radius) = (500.0, 1.0);
    let weight = 0.05 * 9.81e-3;
    for expected in [120.0, 180.0] {
        let force = 0.5 * weight * expected;
        let gravity = Vec3::z() * -9.81;
        let mut solver = lying(400, length, radius, gravity, 0.0);
        rest(&mut solver);
        let resting = solver.state().positions[100].z;
        let mut problem = solver.problem().clone();
        problem.loads.push(Load {
            place: Place::Node(400),
            force: Vec3::z() * force,
            moment: Vec3::zeros(),
        });
        solver.set_problem(problem);
        let report = rest(&mut solver);
        assert_eq!(report.status, Status::Converged);
        let nodes = &solver.state().positions;
        let h = nodes[400].z - resting;
        let lifted = (24.0 * EI * h / weight).powf(0.25);
        let risen = resting + 0.01 * h;
        let k = nodes.iter().rposition(|p| p.z < risen).unwrap();
        let t = (risen - nodes[k].z) / (nodes[k + 1].z - nodes[k].z);
        let free = (nodes[400] - nodes[k].lerp(&nodes[k + 1], t)).x / 0.823_66;
        let errors = [free / lifted - 1.0, force / (0.5 * weight * lifted) - 1.0];
        println!(
            "lifted by {h:.3} mm: {free:.1} mm long, {lifted:.1} mm expected; errors {:.2} and {:.2} %",
            100.0 * errors[0],
            100.0 * errors[1]
        );
        assert!(errors.iter().all(|e| e.abs() < 0.03), "{errors:?}");
    }
}

/// Slope and intercept of the line of least squares, and the largest distance from it.
fn line_through(points: &[[f64; 2]]) -> (f64, f64) {
    let n = points.len() as f64;
    let mean = [0, 1].map(|k| points.iter().map(|p| p[k]).sum::<f64>() / n);
    let sum = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>();
    let slope = sum(&|p| (p[0] - mean[0]) * (p[1] - mean[1])) / sum(&|p| (p[0] - mean[0]).powi(2));
    let off = points
        .iter()
        .map(|p| (p[1] - mean[1] - slope * (p[0] - mean[0])).abs());
    (slope, off.fold(0.0, f64::max))
}

/// A belt half round a drum without friction: wrap angle, and normal force T/(R + r + gap) per length.
#[test]
fn a_belt_presses_evenly_on_a_drum() {
    let (drum, radius, run, n_edges) = (40.0, 2.0, 100.0, 300);
    let ride = drum + 1.05 * radius;
    let length = 2.0 * run + PI * ride;
    let nodes: Vec<Vec3> = (0..=n_edges)
        .map(|i| {
            let s = length * f64::from(i) / f64::from(n_edges);
            let angle = PI - ((s - run) / ride).clamp(0.0, PI);
            let down = (run - s).max(s - run - PI * ride).max(0.0);
            Vec3::new(ride * angle.cos(), 0.0, ride * angle.sin() - down)
        })
        .collect();
    let axis = Vec3::y() * 100.0;
    let mesh = primitives::cylinder(&(-0.5 * axis), &axis, drum, 360, 1);
    let section = Section {
        bending: [5.0; 2],
        torsion: 5.0,
        axial: 1e4,
        shear: 1e4,
        mass_kg_m: 0.0,
    };
    let chords: f64 = nodes.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
    let rod = Rod::uniform(chords, n_edges as usize, section).unwrap();
    let up: Rotation = rotation_along(&Vec3::z()).unwrap();
    let down = up * Rotation::from_scaled_axis(Vec3::y() * PI);
    let ends = [nodes[0], nodes[n_edges as usize]];
    let problem = Problem {
        obstacles: Arc::new(vec![Obstacle::new(&mesh)]),
        ..Problem::clamped(rod, radius)
    };
    let mut solver = Solver::new(problem, RodState::along(nodes, [Some(up), Some(down)]));
    let mut report = None;
    for k in 1..=10 {
        let by = -Vec3::z() * (0.03 * f64::from(k));
        let poses = [(ends[0], up), (ends[1], down)].map(|(p, rotation)| Pose {
            position: p + by,
            rotation,
        });
        report = Some(step(&mut solver, &poses));
    }
    let report = report.unwrap();
    assert_eq!(report.status, Status::Converged);
    let tension = -report.handles[0].force.z;
    assert!(tension > 1.0, "taut: {tension}");
    assert!((tension / -report.handles[1].force.z - 1.0).abs() < 1e-3);
    // Under the contact forces that were found, the other model lies in the same place.
    let opinion = second_opinion(&solver).unwrap();
    println!("belt by the second model: {opinion:?}");
    assert!(opinion.converged && opinion.shape < 0.01, "{opinion:?}");
    assert!(opinion.force < 1e-3 * tension, "{opinion:?}");

    // Force up to each angle round the drum.
    let mut loads: Vec<(f64, f64)> = (report.contacts.iter())
        .map(|c| (c.position.x.atan2(c.position.z), c.force.norm()))
        .collect();
    loads.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut sum = 0.0;
    let inner: Vec<[f64; 2]> = (loads.iter())
        .map(|&(angle, force)| {
            sum += force;
            [angle, sum - 0.5 * force]
        })
        .filter(|p| p[0].abs() < 0.4 * PI)
        .collect();
    let (per_radian, off) = line_through(&inner);
    // The angle over which the belt presses as it does in the middle: beyond it contacts fade.
    let wrap = sum / per_radian;
    let gap = report.contacts.iter().map(|c| c.gap).sum::<f64>() / loads.len() as f64;
    let found = per_radian / (drum + radius + gap);
    let expected = tension / (drum + radius + gap);
    println!(
        "belt at {tension:.2} N: wrap {:.2} degrees, {found:.5} N/mm, expected {expected:.5}; off the line by {:.2} % of T",
        wrap.to_degrees(),
        100.0 * off / tension
    );
    assert!((wrap / PI - 1.0).abs() < 0.02, "{wrap}");
    assert!((found / expected - 1.0).abs() < 0.02);
    assert!(off < 0.03 * tension, "evenly: {off}");
}

/// A heavy cable on a slope, its upper handle moved down 1 mm a step.
#[test]
fn a_cable_on_a_slope_is_held_by_friction_up_to_its_angle() {
    let (length, radius, friction) = (500.0, 4.0, 0.3);
    let weight = 0.05 * 9.81e-3 * length;
    for (degrees, steps) in [(5.0_f64, 12), (15.0, 12), (20.0, 12), (35.0, 12)] {
        let slope = degrees.to_radians();
        // Seen along the slope: it is gravity that is turned.
        let gravity = Vec3::new(slope.sin(), 0.0, -slope.cos()) * 9.81;
        let mut solver = lying(100, length, radius, gravity, friction);
        rest(&mut solver);
        // The handle carries no weight: it goes along at the height of the rest.
        let mut start = solver.grip_pose(0);
        start.position.z = solver.state().positions[50].z;
        let mut tension = f64::NAN;
        let mut largest = f64::NEG_INFINITY;
        for k in 1..=steps {
            let position = start.position + Vec3::x() * f64::from(k);
            let report = step(&mut solver, &[Pose { position, ..start }]);
            assert_eq!(
                report.status,
                Status::Converged,
                "{degrees} degrees, step {k}"
            );
            tension = solver.profile().tension[0];
            // The first steps let go of the tension it was laid down with.
            if k > 3 {
                largest = largest.max(tension);
            }
        }
        let expected = weight * (slope.sin() - friction * slope.cos());
        let mut creep = 0.0_f64;
        for _ in 0..5 {
            let before = solver.state().positions.clone();
            // Found anew, and not only said to be still there.
            solver.set_problem(solver.problem().clone());
            rest(&mut solver);
            creep = creep.max(distance(&before, &solver.state().positions));
        }
        println!(
            "{degrees} degrees: tension {tension:.5} N (largest {largest:.5}), w L (sin a - mu cos a) = {expected:.5} N, \
             weight {weight:.4} N; creeps {:.1e} r a step",
            creep / radius
        );
        if expected < 0.0 {
            assert!(largest < 0.01 * weight, "{degrees} degrees: {largest} N");
        } else {
            assert!(
                (tension / expected - 1.0).abs() < 0.05,
                "{degrees} degrees: {tension} N"
            );
        }
        assert!(creep < 1e-3 * radius, "{degrees} degrees: {creep} mm");
    }
}
