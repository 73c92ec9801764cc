//! Parts that are moved push cables along. Every accepted iterate is judged as the part sees it: there the part is at
//! rest, and it is the cable that moves.

use std::collections::VecDeque;

use loomwright::check::{Checker, Iterate, TraceChecker};
use loomwright::geom::{Pose, Rotation, Vec3};
use loomwright::scene::{CableReport, Command, PartStop, Scene, Simulation, demo};
use loomwright::solve::{CancelToken, Status};

use crate::drag::move_end;

/// A scene with one part, and the judge of all that happens in it.
struct Pushed<'c> {
    simulation: Simulation,
    judge: TraceChecker<'c>,
    part: String,
    /// Where the part stands in the judge's eyes.
    stands: Pose,
    iterate: u64,
    frame: u64,
}

fn send(part: &str, pose: &Pose) -> Command {
    let q = pose.rotation.quaternion();
    Command::MovePart {
        part: part.to_owned(),
        position: Some(pose.position.into()),
        rotation: Some([q.w, q.i, q.j, q.k]),
    }
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose {
        position: Vec3::new(x, y, z),
        rotation: Rotation::identity(),
    }
}

/// The part's surface in its own axes.
fn checker_of(scene: &Scene) -> Checker {
    let part = &scene.parts[0];
    Checker::new([(part.name.as_str(), &**part.base())])
}

impl<'c> Pushed<'c> {
    fn new(scene: Scene, checker: &'c Checker) -> Self {
        let radius = scene.cables[0].radius;
        let stands = *scene.parts[0].placement();
        let part = scene.parts[0].name.clone();
        let mut simulation = Simulation::new(scene).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        let mut pushed = Self {
            simulation,
            judge: TraceChecker::new(checker, 2.0 * radius),
            part,
            stands,
            iterate: 0,
            frame: 0,
        };
        let nodes = pushed.nodes();
        pushed.show(&nodes);
        pushed
    }

    fn nodes(&self) -> Vec<Vec3> {
        self.simulation.solvers()[0].state().positions.clone()
    }

    /// Gives the judge an iterate as the part sees it.
    fn show(&mut self, nodes: &[Vec3]) {
        let back = self.stands.inverse();
        let points: Vec<Vec3> = nodes.iter().map(|p| back.transform(p)).collect();
        self.iterate += 1;
        self.judge.push(&Iterate {
            frame: self.frame,
            iterate: self.iterate,
            cable: "cable",
            radius: self.simulation.scene().cables[0].radius,
            radii: &[],
            points: &points,
            restart: self.iterate == 1,
        });
    }

    /// Carries out an edit and solves; the trace is judged.
    fn solve(&mut self, command: &Command) -> CableReport {
        self.simulation.apply(command).unwrap();
        let mut iterates: Vec<Vec<Vec3>> = Vec::new();
        let mut listen = |_: usize, nodes: &[Vec3]| iterates.push(nodes.to_vec());
        let reports = (self.simulation).solve(&CancelToken::default(), &mut listen);
        let report = CableReport::clone(&reports[0]);
        self.frame += 1;
        let mut stops: VecDeque<PartStop> = self.simulation.part_stops().iter().copied().collect();
        for (k, nodes) in iterates.iter().enumerate() {
            if let Some(stop) = stops.pop_front_if(|stop| stop.after == k) {
                assert_eq!(stop.from, self.stands, "the way of a part has no gaps");
                self.stands = stop.to;
            }
            self.show(nodes);
        }
        assert!(stops.is_empty());
        // What the document says, the judge has seen.
        let part = self.simulation.scene().part(&self.part).unwrap();
        let placed = part.placement();
        assert!((placed.position - self.stands.position).norm() < 1e-9);
        assert!(placed.rotation.angle_to(&self.stands.rotation) < 1e-9);
        let last = iterates.last().cloned().unwrap_or_else(|| self.nodes());
        assert_eq!(last, self.nodes(), "the trace ends where the cable is");
        report
    }

    fn send(&mut self, pose: &Pose) -> CableReport {
        let command = send(&self.part, pose);
        self.solve(&command)
    }

    /// The smallest gap of all; there must be no crossing.
    fn finish(self) -> f64 {
        let summary = self.judge.finish();
        assert_eq!(summary.n_crossings, 0, "{:?}", summary.crossings.first());
        summary
            .smallest_gap
            .map_or(f64::INFINITY, |gap| gap.gap.gap)
    }
}

#[test]
fn a_part_lifts_a_cable_in_a_few_steps() {
    for name in ["box", "cylinder", "sheet"] {
        let scene = demo::demo(name).unwrap();
        let checker = checker_of(&scene);
        let mut pushed = Pushed::new(scene, &checker);
        pushed.send(&at(0.0, 0.0, 27.0));
        let report = pushed.send(&at(0.0, 0.0, 127.0)).report;
        assert_eq!(report.status, Status::Converged, "{name}");
        assert!(!report.contacts.is_empty(), "{name}");
        // In steps of a part of the barrier distance it was some 3000.
        assert!(
            report.iterations < 150,
            "{name}: {} iterations",
            report.iterations
        );
        let stops = pushed.simulation.part_stops().len();
        println!(
            "{name}, 100 mm: {} iterations, {stops} pieces, {:.1} ms",
            report.iterations, report.cpu_ms
        );
        let gap = pushed.finish();
        assert!(gap > 0.0, "{name}: {gap}");
    }
}

#[test]
fn long_steps_end_where_short_ones_do() {
    // With friction: without it a cable on top of something slips off to either side, by chance.
    let scene = demo::demo("box").unwrap();
    let checker = checker_of(&scene);
    let mut long = Pushed::new(scene.clone(), &checker);
    let mut short = Pushed::new(scene, &checker);
    // It holds only what has touched before.
    for pushed in [&mut long, &mut short] {
        for k in 1..=13 {
            pushed.send(&at(0.0, 0.0, 27.0 + f64::from(k)));
        }
    }
    let turned = Pose {
        position: Vec3::new(0.0, 0.0, 80.0),
        rotation: Rotation::from_scaled_axis(Vec3::new(0.15, 0.0, 0.0)),
    };
    let mut from = at(0.0, 0.0, 40.0);
    for to in [at(0.0, 0.0, 90.0), turned] {
        long.send(&to);
        let n = 100;
        for k in 1..=n {
            let t = f64::from(k) / f64::from(n);
            let way = (from.rotation.inverse() * to.rotation).scaled_axis();
            short.send(&Pose {
                position: from.position.lerp(&to.position, t),
                rotation: from.rotation * Rotation::from_scaled_axis(way * t),
            });
        }
        from = to;
        let (a, b) = (long.nodes(), short.nodes());
        let apart = a.iter().zip(&b).map(|(a, b)| (a - b).norm());
        let apart = apart.fold(0.0, f64::max);
        println!("{apart:.1e} mm apart");
        // Friction remembers the way: a twentieth of the radius.
        assert!(apart < 0.05 * 4.0, "{apart}");
    }
    long.finish();
    short.finish();
}

#[test]
fn a_taut_cable_stops_a_part_wherever_it_comes_from() {
    let scene = demo::demo("box").unwrap();
    let checker = checker_of(&scene);
    for (k, way) in [Vec3::new(0.0, 0.0, 600.0), Vec3::new(60.0, 0.0, 700.0)]
        .into_iter()
        .enumerate()
    {
        let mut pushed = Pushed::new(scene.clone(), &checker);
        pushed.solve(&move_end(Vec3::new(960.0, 0.0, 400.0)));
        pushed.send(&at(way.x, way.y, way.z));
        let [held] = pushed.simulation.held_parts() else {
            panic!("{k}: {:?}", pushed.simulation.held_parts());
        };
        assert_eq!(held.cable.as_deref(), Some("cable"), "{k}");
        let solver = &pushed.simulation.solvers()[0];
        // As far as it goes, and not much farther.
        assert!(solver.strain() < 0.0051, "{k}: {}", solver.strain());
        assert!(solver.strain() > 0.003, "{k}: {}", solver.strain());
        // Back again.
        pushed.send(&Pose::identity());
        assert_eq!(pushed.simulation.held_parts(), [], "{k}");
        assert!(pushed.finish() > 0.0, "{k}");
    }
}

#[test]
fn a_push_that_is_cancelled_goes_on_in_the_next_solve() {
    let scene = demo::demo("box").unwrap();
    let mut whole = Simulation::new(scene.clone()).unwrap();
    let mut cut = Simulation::new(scene).unwrap();
    let target = at(5.0, 10.0, 70.0);
    for simulation in [&mut whole, &mut cut] {
        simulation.solve_quietly(&CancelToken::default());
        simulation.apply(&send("box", &target)).unwrap();
    }
    whole.solve_quietly(&CancelToken::default());
    let cancelled = CancelToken::default();
    let mut iterates = 0;
    cut.solve(&cancelled, &mut |_, _| {
        iterates += 1;
        if iterates > 3 {
            cancelled.cancel();
        }
    });
    assert!(cut.held_parts().is_empty());
    let stopped = cut.part_stops().last().expect("it was on its way").to;
    assert_ne!(stopped.position, target.position, "nothing was cut");
    cut.solve_quietly(&CancelToken::default());
    for simulation in [&whole, &cut] {
        assert_eq!(simulation.held_parts(), []);
        let placed = simulation.scene().parts[0].placement();
        assert_eq!(placed.position, target.position);
    }
    let [a, b] = [&whole, &cut].map(|s| s.solvers()[0].state().positions.clone());
    let apart = a.iter().zip(&b).map(|(a, b)| (a - b).norm());
    let apart = apart.fold(0.0, f64::max);
    assert!(apart < 4.0, "{apart} mm apart");
}

#[test]
fn a_cable_that_is_fixed_to_the_part_goes_along_as_it_is() {
    let mut simulation = Simulation::new(demo::demo("box").unwrap()).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    simulation.apply(&send("box", &at(0.0, 0.0, 60.0))).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let mut scene = simulation.scene().clone();
    for handle in &mut scene.cables[0].handles {
        handle.attached_to = Some("box".to_owned());
    }
    let checker = checker_of(&scene);
    let mut pushed = Pushed::new(scene, &checker);
    let before = pushed.nodes();
    let way = Vec3::new(70.0, -50.0, 30.0);
    let report = pushed.send(&at(way.x, way.y, 60.0 + way.z)).report;
    assert_eq!(report.status, Status::Converged);
    assert!(!report.contacts.is_empty());
    // The prediction is exact: nothing is left to iterate.
    assert!(report.iterations < 10, "{}", report.iterations);
    let after = pushed.nodes();
    let off = before.iter().zip(&after).map(|(a, b)| (a + way - b).norm());
    let off = off.fold(0.0, f64::max);
    assert!(off < 1e-3 * 4.0, "{off} mm");
    assert!(pushed.finish() > 0.0);
}

#[test]
fn handles_far_from_the_part_that_they_are_fixed_to_turn_with_it() {
    let mut scene = demo::demo("box").unwrap();
    scene.cables[0].handles[1].attached_to = Some("box".to_owned());
    let checker = checker_of(&scene);
    let mut pushed = Pushed::new(scene, &checker);
    let handle = |p: &Pushed| p.simulation.scene().cables[0].handles[1].pose.position;
    let before = handle(&pushed);
    // About the middle of the box, and back; the handle is some 400 mm from it.
    for angle in [0.25_f64, -0.2, 0.0] {
        let rotation = Rotation::from_scaled_axis(Vec3::y() * angle);
        let middle = Vec3::new(400.0, 0.0, 50.0);
        let pose = Pose {
            position: middle - rotation * middle,
            rotation,
        };
        let report = pushed.send(&pose).report;
        assert_eq!(report.status, Status::Converged, "{angle}: {report:?}");
        assert_eq!(pushed.simulation.held_parts(), []);
        let nodes = pushed.nodes();
        let off = (nodes[nodes.len() - 1] - pose.transform(&before)).norm();
        assert!(off < 1e-6, "{angle}: {off} mm");
    }
    assert!(pushed.finish() > 0.0);
}

/// Parts are sent to random places and turned at random under, into and over the cable.
#[test]
fn parts_that_are_sent_about_at_random_never_pass_through() {
    let moves: usize =
        std::env::var("LOOMWRIGHT_PUSH_MOVES").map_or(12, |n| n.parse().expect("a number"));
    let seed: u64 = std::env::var("LOOMWRIGHT_PUSH_SEED").map_or(7, |n| n.parse().unwrap());
    for name in ["box", "cylinder", "sheet", "pocket"] {
        let scene = demo::demo(name).unwrap();
        let checker = checker_of(&scene);
        let mut rng = fastrand::Rng::with_seed(seed);
        let (mut held, mut in_contact, mut iterations, mut cpu_ms, mut worst) = (0, 0, 0, 0.0, 0);
        let mut smallest = f64::INFINITY;
        let mut left = moves;
        while left > 0 {
            let mut pushed = Pushed::new(scene.clone(), &checker);
            let series = left.min(40);
            left -= series;
            for _ in 0..series {
                let mut u = |size: f64| size * (2.0 * rng.f64() - 1.0);
                let position = Vec3::new(u(150.0), u(150.0), 60.0 + u(160.0));
                let turn = Vec3::new(u(0.5), u(0.3), u(0.8));
                // About its middle, not about the origin of its file.
                let rotation = Rotation::from_scaled_axis(turn);
                let middle = Vec3::new(400.0, 0.0, 50.0);
                let pose = Pose {
                    position: position + middle - rotation * middle,
                    rotation,
                };
                let report = pushed.send(&pose).report;
                assert_ne!(report.status, Status::NotConverged, "{name}: {report:?}");
                held += usize::from(!pushed.simulation.held_parts().is_empty());
                in_contact += usize::from(!report.contacts.is_empty());
                iterations += report.iterations;
                worst = worst.max(report.iterations);
                cpu_ms += report.cpu_ms;
            }
            smallest = smallest.min(pushed.finish());
        }
        println!(
            "{name}: {moves} moves, {held} held, {in_contact} in contact, {iterations} iterations \
             ({worst} at most), {cpu_ms:.0} ms, smallest gap {smallest:.1e} mm"
        );
        assert!(smallest > 0.0, "{name}: {smallest}");
        assert!(6 * in_contact > moves, "{in_contact} of {moves} in contact");
    }
}
