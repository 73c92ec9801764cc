//! Random sequences of edits, as a user might make them: every frame ends, within a stated number of iterations.

use loomwright::geom::Vec3;
use loomwright::scene::{Command, HandleKind, HandlePlace, Kind, Scene, Simulation, demo};
use loomwright::solve::{CancelToken, STEP_ITERATIONS};

/// Iterations of one cable in a frame, at most: those of a step and of its stages of length, once for each of the rounds in
/// which a junction or a part is followed.
const MOST: usize = 12 * STEP_ITERATIONS;
/// What nearly all frames take at most.
const USUAL: usize = 1000;

struct Random(fastrand::Rng);

impl Random {
    fn between(&mut self, a: f64, b: f64) -> f64 {
        a + (b - a) * self.0.f64()
    }

    fn pick<'t, T>(&mut self, all: &'t [T]) -> Option<&'t T> {
        (!all.is_empty()).then(|| &all[self.0.usize(..all.len())])
    }

    fn kind(&mut self, length: f64) -> HandleKind {
        match self.0.u8(..5) {
            0 => HandleKind::Full,
            1 => HandleKind::Direction,
            2 => HandleKind::Position,
            3 => HandleKind::Sliding {
                min: 0.1 * length,
                max: 0.9 * length,
            },
            _ => HandleKind::Spring {
                stiffness: self.between(0.001, 1.0),
            },
        }
    }

    /// An edit of the scene; it may be refused.
    fn command(&mut self, scene: &Scene) -> Option<Command> {
        let cable = self.pick(&scene.cables)?.clone();
        let name = cable.name.clone();
        let jump = Vec3::from_fn(|_, _| self.between(-60.0, 60.0));
        Some(match self.0.u8(..16) {
            0..=4 => {
                let handle = self.pick(&cable.handles)?;
                Command::MoveHandle {
                    cable: name,
                    handle: handle.name.clone(),
                    position: Some((handle.pose.position + jump).into()),
                    rotation: None,
                }
            }
            5 => Command::AddHandle {
                cable: name,
                name: None,
                place: HandlePlace::At(self.between(0.1, 0.9) * cable.length),
                kind: self.kind(cable.length),
                pose: None,
            },
            6 => Command::DeleteHandle {
                cable: name,
                handle: self.pick(&cable.handles)?.name.clone(),
            },
            7 => Command::SetLength {
                cable: name,
                length: cable.length * self.between(0.9, 1.12),
            },
            8 => Command::SetFreeLength {
                cable: name,
                straightness: self.0.bool().then(|| self.between(1.0, 4.0)),
            },
            9 => Command::SetFriction {
                friction: self.between(-0.2, 0.8).max(0.0),
            },
            10 => Command::SetGravity {
                gravity: [0.0, self.between(-3.0, 3.0), self.between(-12.0, 0.0)],
            },
            11 => Command::SetMargin {
                margin: self.between(-2.0, 3.0).max(0.0),
            },
            12 => {
                let part = self.pick(&scene.parts)?;
                Command::MovePart {
                    part: part.name.clone(),
                    position: Some((part.placement().position + jump * 0.5).into()),
                    rotation: None,
                }
            }
            13 => Command::Settle,
            14 => Command::Ghost { on: self.0.bool() },
            _ => Command::Rename {
                kind: Kind::Cable,
                from: name.clone(),
                to: format!("{name}'"),
            },
        })
    }
}

/// Sequences of 20 edits on the demos in turn, a frame after each. `LOOMWRIGHT_COMMANDS=300` makes the long series,
/// `LOOMWRIGHT_LONG` tells of the frames that take long.
#[test]
fn every_frame_of_random_edits_ends() {
    let mut random = Random(fastrand::Rng::with_seed(5));
    let all = std::env::var("LOOMWRIGHT_COMMANDS").map_or(4, |n| n.parse().unwrap());
    let (mut done, mut most, mut long) = (0, 0, 0);
    let tells = std::env::var_os("LOOMWRIGHT_LONG").is_some();
    for sequence in 0..all {
        let names = demo::names();
        let name = names[sequence % names.len()];
        let mut scene = demo::demo(name).unwrap();
        // The harness of the engine bay is large and beside the matter.
        scene.harnesses.clear();
        let mut simulation = Simulation::new(scene).unwrap();
        for edit in 0..20 {
            let Some(command) = random.command(simulation.scene()) else {
                continue;
            };
            if simulation.apply(&command).is_err() {
                continue;
            }
            done += 1;
            let reports = simulation.solve_quietly(&CancelToken::default());
            let longest = reports.iter().map(|r| r.report.iterations).max();
            long += usize::from(longest > Some(USUAL));
            for report in reports.iter() {
                let report = &report.report;
                most = most.max(report.iterations);
                if tells && report.iterations > 300 {
                    println!(
                        "{sequence} ({name}), edit {edit}, {command:?}: {} iterations, {:?}, {:.1e} N of {:.1e}, {} flows",
                        report.iterations,
                        report.status,
                        report.residual,
                        report.tolerance,
                        simulation.solvers()[0].problem().flows.len()
                    );
                }
                assert!(
                    report.iterations <= MOST,
                    "sequence {sequence} ({name}), edit {edit}, {command:?}: {} iterations",
                    report.iterations
                );
                assert!(report.length.is_finite() && report.residual >= 0.0);
            }
        }
    }
    println!("{done} edits, {most} iterations in a frame at most, of {MOST}; {long} above {USUAL}");
    assert!(done > 12 * all, "{done} edits were made");
}
