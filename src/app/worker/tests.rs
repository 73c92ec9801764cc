//! The solver thread with a double in the solver's place.

use std::sync::Arc;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::*;
use crate::app::engine::Engine;
use crate::geom::{Pose, Rotation};
use crate::scene::{
    Cable, CableSection, CommandError, Handle, HandlePlace, Shape, SimulationError, StartChoice,
    StartContact, StartReason,
};
use crate::solve::{Budget, Report, Status};

/// How long a test waits for the thread before it fails.
const WAIT: Duration = Duration::from_secs(10);

/// Puts the end node at the target of the handle. A target at x = 13 panics, at x = 666 it gives NaN. When it may not
/// take long, it comes half the way to x = 200 and finds nothing on the way to x = 300.
struct Double {
    scene: Scene,
    /// Each solve takes one token from here first.
    gate: Option<Arc<Mutex<mpsc::Receiver<()>>>>,
}

impl Engine for Double {
    fn scene(&self) -> &Scene {
        &self.scene
    }

    fn apply(&mut self, command: &Command) -> Result<(), CommandError> {
        command.apply(&mut self.scene)
    }

    fn replace_scene(&mut self, scene: Scene) -> Result<(), SimulationError> {
        self.scene = scene;
        Ok(())
    }

    /// Cables but the first run through a block, until they are let in.
    fn start_contacts(&self) -> Vec<StartContact> {
        let reason = |cable: &str| {
            let mut known = self.scene.exclusions_of(cable, "block");
            known
                .next()
                .map_or(StartReason::Crosses, |_| StartReason::Excluded)
        };
        let added = self.scene.cables.iter().skip(1);
        added
            .map(|c| StartContact {
                part: "block".into(),
                reason: reason(&c.name),
                cable: c.name.clone(),
                from: 10.0,
                to: 20.0,
            })
            .collect()
    }

    fn start_groups(&self, contacts: &[StartContact]) -> Vec<StartGroup> {
        let group = |c: &StartContact| StartGroup {
            centerline_depth: 0.0,
            cable: c.cable.clone(),
            part: c.part.clone(),
            reason: c.reason,
            stretches: vec![[c.from, c.to]],
            depth: 3.0,
            at: Vec3::zeros(),
            choice: StartChoice::Collide,
        };
        contacts.iter().map(group).collect()
    }

    /// One named `plugged` enters it.
    fn entries(&self) -> Vec<Exclusion> {
        let plugged = self.scene.cable("plugged");
        let of = |c: &Cable| Exclusion::everywhere(&c.name, "block");
        plugged.map(of).into_iter().collect()
    }

    fn solve(
        &mut self,
        budget: &Budget,
        on_iterate: &mut dyn FnMut(usize, &[Vec3]),
    ) -> Vec<Arc<CableReport>> {
        if let Some(gate) = &self.gate {
            gate.lock().unwrap().recv_timeout(WAIT).unwrap();
        }
        let cable = &mut self.scene.cables[0];
        let mut end = cable.handles[0].pose.position;
        assert!(end.x.to_bits() != 13f64.to_bits(), "unlucky");
        if end.x.to_bits() == 666f64.to_bits() {
            end.x = f64::NAN;
        }
        let limited = budget.iterations() < usize::MAX;
        let status = match end.x as i64 {
            200 if limited => Status::OnTheWay,
            300 if limited => Status::NotConverged,
            _ => Status::Converged,
        };
        match status {
            Status::OnTheWay => end.x *= 0.5,
            Status::NotConverged => end.x = 0.0,
            _ => {}
        }
        let points = vec![Vec3::zeros(), end];
        on_iterate(0, &points);
        cable.shape = Some(Shape {
            points,
            frames: vec![Rotation::identity()],
            turns: vec![0; 2],
            clamps: [None, None],
            rolls: std::collections::BTreeMap::new(),
            memory: None,
        });
        vec![Arc::new(CableReport {
            cable: cable.name.clone(),
            report: Report { status, ..report() },
            settled: None,
            other_shapes: None,
        })]
    }
}

fn report() -> Report {
    Report {
        status: Status::Converged,
        island: Some(0),
        iterations: 1,
        residual: 0.0,
        tolerance: 1e-6,
        cpu_ms: 0.1,
        energies: crate::solve::Energies::default(),
        stable: true,
        smallest_gap: None,
        rod_contacts: Vec::new(),
        contacts: Vec::new(),
        handles: crate::solve::HandleReports::new(),
        length: 100.0,
        largest_strain: 0.0,
        taut_strain: 0.005,
        smallest_bend_radius: f64::INFINITY,
        largest_bend: 0.1,
    }
}

fn scene() -> Scene {
    let section = CableSection {
        bending: 1.0,
        bending2: None,
        torsion: 1.0,
        axial: 1.0,
        mass_kg_m: 0.1,
    };
    let mut cable = Cable::new("cable", 2.0, 100.0, section);
    cable.n_edges = 1;
    cable.handles.push(Handle::at_end(
        HandlePlace::End,
        Pose {
            position: Vec3::x(),
            rotation: Rotation::identity(),
        },
    ));
    Scene {
        cables: vec![cable],
        ..Scene::default()
    }
}

fn move_to(x: f64) -> Command {
    Command::MoveHandle {
        cable: "cable".into(),
        handle: "end".into(),
        position: Some([x, 0.0, 0.0]),
        rotation: None,
    }
}

fn start(gate: Option<mpsc::Receiver<()>>) -> Worker {
    let gate = gate.map(|g| Arc::new(Mutex::new(g)));
    let factory: EngineFactory = Box::new(move |scene| {
        Ok(Box::new(Double {
            scene,
            gate: gate.clone(),
        }))
    });
    let mut worker = Worker::start(factory, || {});
    worker.replace(scene(), false);
    worker
}

/// Polls until the thread has answered everything; all solutions seen on the way, and all errors.
fn settle(worker: &mut Worker) -> (Vec<Solution>, Vec<String>) {
    let (mut solutions, mut errors) = (Vec::new(), Vec::new());
    let started = Instant::now();
    while !worker.is_at_rest() {
        assert!(started.elapsed() < WAIT, "the solver thread hangs");
        let news = worker.poll();
        solutions.extend(news.solution);
        errors.extend(news.errors);
        std::thread::sleep(Duration::from_millis(1));
    }
    (solutions, errors)
}

fn end_x(solution: &Solution) -> f64 {
    solution.scene.cables[0].shape.as_ref().unwrap().points[1].x
}

#[test]
fn a_long_way_is_shown_half_way_and_then_to_its_end() {
    let (open_gate, gate) = mpsc::channel();
    let mut worker = start(Some(gate));
    let next = |worker: &mut Worker| {
        open_gate.send(()).unwrap();
        let started = Instant::now();
        loop {
            assert!(started.elapsed() < WAIT, "the solver thread hangs");
            if let Some(solution) = worker.poll().solution {
                return (end_x(&solution), solution.reports[0].report.status);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    next(&mut worker);
    worker.edit(move_to(200.0));
    assert_eq!(next(&mut worker), (100.0, Status::OnTheWay));
    assert_eq!(next(&mut worker), (200.0, Status::Converged));
    // Newer input, which comes while it is solving, does not make it give up once more.
    worker.edit(move_to(300.0));
    std::thread::sleep(Duration::from_millis(50));
    worker.edit(move_to(300.5));
    assert_eq!(next(&mut worker).1, Status::NotConverged);
    assert_eq!(next(&mut worker), (300.5, Status::Converged));
}

#[test]
fn the_last_target_is_what_comes_out() {
    let (open_gate, gate) = mpsc::channel();
    let mut worker = start(Some(gate));
    for x in [2.0, 3.0, 4.0, 5.0] {
        worker.edit(move_to(x));
    }
    for _ in 0..6 {
        open_gate.send(()).unwrap();
    }
    let (solutions, errors) = settle(&mut worker);
    assert_eq!(errors, [""; 0]);
    assert!((end_x(solutions.last().unwrap()) - 5.0).abs() < 1e-12);
    // Four targets arrived during at most one solve: no queue of four was worked off.
    assert!(solutions.len() <= 3, "{} solutions", solutions.len());
}

#[test]
fn a_settled_scene_is_left_alone_until_it_is_edited() {
    // An undo used to be solved again, and a cable that friction held slid to another place.
    let mut worker = start(None);
    settle(&mut worker);
    worker.replace(scene(), true);
    let (solutions, errors) = settle(&mut worker);
    assert_eq!((solutions.len(), errors.len()), (0, 0));
    worker.edit(move_to(9.0));
    let (solutions, _) = settle(&mut worker);
    assert!((end_x(solutions.last().unwrap()) - 9.0).abs() < 1e-12);
    worker.replace(scene(), true);
    worker.edit(move_to(13.0));
    let (solutions, errors) = settle(&mut worker);
    assert!(solutions.last().unwrap().rolled_back && errors.len() == 1);
    worker.edit(move_to(4.0));
    let (solutions, _) = settle(&mut worker);
    assert!((end_x(solutions.last().unwrap()) - 4.0).abs() < 1e-12);
}

#[test]
fn a_panic_is_reported_and_the_last_good_scene_comes_back() {
    let mut worker = start(None);
    worker.edit(move_to(7.0));
    settle(&mut worker);
    worker.edit(move_to(13.0));
    let (solutions, errors) = settle(&mut worker);
    assert!(errors[0].contains("unlucky"), "{errors:?}");
    let last = solutions.last().unwrap();
    assert!(last.rolled_back);
    assert!((last.scene.cables[0].handles[0].pose.position.x - 7.0).abs() < 1e-12);
    worker.edit(move_to(8.0));
    let (solutions, _) = settle(&mut worker);
    assert!((end_x(solutions.last().unwrap()) - 8.0).abs() < 1e-12);
}

#[test]
fn a_state_that_is_not_finite_never_comes_out() {
    let mut worker = start(None);
    worker.edit(move_to(7.0));
    settle(&mut worker);
    worker.edit(move_to(666.0));
    let (solutions, errors) = settle(&mut worker);
    assert!(errors[0].contains("not finite"), "{errors:?}");
    assert!(solutions.iter().all(|s| end_x(s).is_finite()));
    assert!(solutions.last().unwrap().rolled_back);
}

#[test]
fn results_of_a_replaced_scene_are_dropped() {
    let (open_gate, gate) = mpsc::channel();
    let mut worker = start(Some(gate));
    worker.edit(move_to(50.0));
    worker.replace(scene(), false);
    for _ in 0..4 {
        open_gate.send(()).unwrap();
    }
    let (solutions, _) = settle(&mut worker);
    for solution in solutions.iter().filter(|s| !s.reports.is_empty()) {
        assert!((end_x(solution) - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_scene_that_makes_no_engine_is_reported() {
    let factory: EngineFactory = Box::new(|_| {
        Err(SimulationError::BadShape {
            cable: "cable".into(),
            n_edges: 5,
            n_points: 7,
        })
    });
    let mut worker = Worker::start(factory, || {});
    worker.replace(scene(), false);
    let started = Instant::now();
    loop {
        let errors = worker.poll().errors;
        if let Some(error) = errors.first() {
            assert!(error.contains("7 points"));
            break;
        }
        assert!(started.elapsed() < WAIT);
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Adds a second cable.
fn add(worker: &mut Worker, name: &str) {
    let mut cable = scene().cables.remove(0);
    cable.name = name.into();
    cable.n_edges = 2;
    let cable = Box::new(cable);
    worker.edit(Command::AddCable { cable });
}

#[test]
fn a_cable_that_comes_inside_a_part_is_told() {
    let mut worker = start(None);
    let (_, errors) = settle(&mut worker);
    assert_eq!(errors, [""; 0]);
    add(&mut worker, "second");
    let (_, errors) = settle(&mut worker);
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].contains("\"second\" runs through part \"block\""),
        "{errors:?}"
    );
}

#[test]
fn what_starts_in_contact_is_listed_anew_only_when_it_changes_and_entries_are_told() {
    let mut worker = start(None);
    let mut lists = Vec::new();
    let mut let_in = Vec::new();
    let mut rest = |worker: &mut Worker| {
        let started = Instant::now();
        loop {
            assert!(started.elapsed() < WAIT, "the solver thread hangs");
            let news = worker.poll();
            lists.extend(news.starts.map(|list| list.len()));
            let_in.extend(news.let_in.into_iter().map(|e| e.cable));
            if worker.is_at_rest() {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    rest(&mut worker);
    add(&mut worker, "second");
    rest(&mut worker);
    for x in [2.0, 3.0] {
        worker.edit(move_to(x));
        rest(&mut worker);
    }
    add(&mut worker, "plugged");
    rest(&mut worker);
    // An undo is taken as it is, but listed.
    worker.replace(scene(), true);
    rest(&mut worker);
    assert_eq!(lists, [0, 1, 2, 0]);
    assert_eq!(let_in, ["plugged"]);
}
