//! A long walk of random edits: whatever is done to the topology, the scene stays one that can be saved, solved and undone.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::CableEnd;
use crate::geom::Vec3;
use crate::scene::demo::demo;
use crate::scene::history::History;
use crate::scene::{CableReport, CableReports, ClipPlace, Command, Kind, Scene, Simulation};
use crate::solve::{CancelToken, Report, Status};

/// Solves after which a scene must be at rest: as many as `solve` makes on the command line; the window makes twice as many.
const SOLVES: usize = 10;
/// Every so many states are saved and opened again.
const OPENED_EVERY: usize = 10;

/// A random edit of the topology; many are refused, as in life.
fn random_edit(rng: &mut fastrand::Rng, scene: &Scene) -> Command {
    let name = |rng: &mut fastrand::Rng| {
        let cable = rng.choice(&scene.cables);
        cable.map_or_else(String::new, |c| c.name.clone())
    };
    let (cable, other) = (name(rng), name(rng));
    let end = |rng: &mut fastrand::Rng| {
        if rng.bool() {
            CableEnd::Start
        } else {
            CableEnd::End
        }
    };
    let (first, second) = (end(rng), end(rng));
    // Now and then beyond the end.
    let place = |rng: &mut fastrand::Rng, name: &str| {
        let length = scene.cable(name).map_or(0.0, |c| c.length);
        (1.04 * rng.f64() - 0.02) * length
    };
    let at = place(rng, &cable);
    let there = place(rng, &other);
    let held = scene.junctions.iter().flat_map(|j| &j.ends);
    let held: Vec<_> = held.collect();
    let held = rng.choice(&held).copied();
    let crowded = scene.cables.len() > 6;
    match rng.u8(0..10) {
        0 | 1 if !crowded => Command::SplitCable {
            cable,
            at,
            name: None,
        },
        2 if !crowded => Command::BranchOff {
            cable,
            end: first,
            onto: other,
            at: there,
            name: None,
        },
        0 | 3 => match held {
            Some(end) => Command::Detach {
                cable: end.cable.clone(),
                handle: end.handle.clone(),
            },
            None => Command::Detach {
                cable,
                handle: "end".to_owned(),
            },
        },
        4 => Command::JoinEnds {
            cable,
            end: first,
            to: other,
            to_end: second,
        },
        5 => Command::SlideJunction {
            junction: rng
                .choice(&scene.junctions)
                .map_or_else(String::new, |j| j.name.clone()),
            towards: cable,
            by: rng.f64() * 40.0,
        },
        6 => Command::ExtendCable {
            cable,
            end: first,
            by: rng.f64() * 30.0 - 12.0,
        },
        1 | 7 => Command::MergeCables {
            first: cable,
            second: other,
        },
        8 => Command::ClipCables {
            name: None,
            places: vec![
                ClipPlace { cable, at },
                ClipPlace {
                    cable: other,
                    at: there,
                },
            ],
        },
        _ if scene.cables.len() > 2 => Command::Delete {
            kind: Kind::Cable,
            name: cable,
        },
        _ => match scene.junctions.first() {
            Some(junction) => Command::Delete {
                kind: Kind::Junction,
                name: junction.name.clone(),
            },
            None => Command::DeleteHandle {
                cable,
                handle: "handle".to_owned(),
            },
        },
    }
}

/// The name of an edit in a file of commands.
fn kind_of(command: &Command) -> String {
    let json = serde_json::to_value(command).unwrap();
    json["command"].as_str().unwrap().to_owned()
}

/// Two cables, one across the other, over a box; small, so that every state is solved.
fn small() -> Scene {
    let mut scene = demo("crossing").unwrap();
    scene.parts = demo("box").unwrap().parts;
    for cable in &mut scene.cables {
        cable.n_edges = 24;
        cable.spacing = None;
        cable.basis_spacing = None;
        cable.shape = None;
    }
    let mut simulation = Simulation::new(scene).unwrap();
    solve_to_rest(&mut simulation);
    simulation.scene().clone()
}

/// What became of the edits of a walk.
#[derive(Default)]
struct Tally {
    done: usize,
    refused: usize,
    /// Not at rest after the first solve, and after [`SOLVES`].
    early: usize,
    lost: usize,
    /// Opened again, and of these not found where they were.
    opened: usize,
    stirred: usize,
    /// Done, refused and lost by the name of the edit.
    kinds: BTreeMap<String, [usize; 3]>,
}

/// Has every number of a scene in order that an edit of its topology must keep in order.
fn assert_whole(before: &Scene, command: &Command, next: &Scene) {
    assert_eq!(crate::scene::file::check(next), Ok(()), "{command:?}");
    let sum = |scene: &Scene| scene.cables.iter().map(|c| c.length).sum::<f64>();
    let added = match command {
        Command::ExtendCable { by, .. } => *by,
        Command::Delete {
            kind: Kind::Cable,
            name,
        } => -before.cable(name).unwrap().length,
        _ => 0.0,
    };
    let lost = sum(before) + added - sum(next);
    assert!(
        lost.abs() < 1e-9 * sum(before),
        "{command:?}: {lost} mm are lost"
    );
    for cable in &next.cables {
        let edges = cable.edge_lengths();
        assert_eq!(edges.len(), cable.n_edges, "{command:?}");
        let off = edges.iter().sum::<f64>() - cable.length;
        assert!(off.abs() < 1e-9 * cable.length, "{command:?}: {off} mm");
        assert!(
            edges.iter().all(|&edge| edge > 0.0),
            "{command:?}: {edges:?}"
        );
        let shape = cable.shape.as_ref().unwrap();
        assert_eq!(shape.points.len(), cable.n_edges + 1, "{command:?}");
        for name in shape.rolls.keys() {
            assert!(cable.handle(name).is_some(), "{command:?}: roll of {name}");
        }
        // Poses that are found from each other once grew, edit by edit, until they were no numbers.
        for handle in &cable.handles {
            let norm = handle.pose.rotation.norm();
            assert!((norm - 1.0).abs() < 1e-9, "{command:?}: {norm}");
        }
    }
    for junction in &next.junctions {
        for end in &junction.ends {
            let cable = next.cable(&end.cable).unwrap();
            let handle = cable.handle(&end.handle).unwrap();
            let there = junction.pose.compose(&end.in_junction);
            let off = (there.position - handle.pose.position).norm();
            let turned = there.rotation.angle_to(&handle.pose.rotation);
            assert!(
                off < 1e-6 && turned < 1e-6,
                "{command:?}: {end:?} is {off} mm and {turned} off its junction"
            );
        }
    }
}

/// Node positions of all cables.
fn points(scene: &Scene) -> Vec<Vec<Vec3>> {
    let of = |c: &crate::scene::Cable| c.shape.as_ref().unwrap().points.clone();
    scene.cables.iter().map(of).collect()
}

/// Solves until all cables are at rest, [`SOLVES`] times at most; how many times it took, and what is said at the end.
fn solve_to_rest(simulation: &mut Simulation) -> (usize, CableReports) {
    let cancel = CancelToken::default();
    let mut reports = simulation.solve_quietly(&cancel);
    let mut solves = 1;
    while solves < SOLVES && reports.iter().any(|r| r.report.status.is_early()) {
        reports = simulation.solve_quietly(&cancel);
        solves += 1;
    }
    (solves, reports)
}

/// How far a node moves at most when a scene is saved, opened and solved again, mm.
fn moves_when_opened(scene: &Scene) -> f64 {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.json");
    crate::scene::file::save(scene, &path).unwrap();
    let (read, _) = crate::scene::file::load(&path).unwrap();
    let mut opened = Simulation::new(read).unwrap();
    opened.solve_quietly(&CancelToken::default());
    let (before, after) = (points(scene), points(opened.scene()));
    let both = before.iter().flatten().zip(after.iter().flatten());
    both.map(|(p, q)| (p - q).norm()).fold(0.0, f64::max)
}

/// Keeps the scenes around an edit that left a cable without an equilibrium, where `LOOMWRIGHT_EXPORT_DIR` says.
fn keep(before: &Scene, command: &Command, left: &Scene, edit: usize) {
    let Ok(folder) = std::env::var("LOOMWRIGHT_EXPORT_DIR") else {
        return;
    };
    let mut after = before.clone();
    command.apply(&mut after).unwrap();
    for (scene, what) in [(before, "before"), (&after, "after"), (left, "left")] {
        let name = format!("edit-{edit}-{what}.loom.json");
        let path = std::path::Path::new(&folder).join(name);
        crate::scene::file::save(scene, &path).unwrap();
    }
}

/// Undoes some edits, and redoes them or goes on from there; each state is exactly what it was.
fn undo_and_redo(
    rng: &mut fastrand::Rng,
    history: &mut History<Scene>,
    scene: &mut Scene,
    after: &mut Vec<Scene>,
) {
    let back = rng.usize(1..12).min(after.len() - 1);
    for k in 0..back {
        assert!(history.undo(|to| std::mem::replace(scene, to)));
        assert_eq!(*scene, after[after.len() - 2 - k]);
    }
    if rng.bool() {
        for k in 0..back {
            assert!(history.redo(|to| std::mem::replace(scene, to)));
            assert_eq!(*scene, after[after.len() - back + k]);
        }
    } else {
        after.truncate(after.len() - back);
    }
}

/// `LOOMWRIGHT_TOPOLOGY_EDITS` makes it longer, `LOOMWRIGHT_SEED` another one.
#[test]
fn random_edits_of_the_topology_leave_a_scene_that_can_be_saved_solved_and_undone() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse().ok());
    let wanted = number("LOOMWRIGHT_TOPOLOGY_EDITS").unwrap_or(2000) as usize;
    let mut rng = fastrand::Rng::with_seed(number("LOOMWRIGHT_SEED").unwrap_or(19));
    let fresh = small();
    let mut scene = fresh.clone();
    let mut history = History::default();
    let mut after = vec![scene.clone()];
    let mut tally = Tally::default();
    for _ in 0..100 * wanted {
        if tally.done == wanted {
            break;
        }
        let before = scene.clone();
        let command = random_edit(&mut rng, &scene);
        let mut next = scene.clone();
        let counts = tally.kinds.entry(kind_of(&command)).or_default();
        if let Err(reason) = command.apply(&mut next) {
            assert_eq!(next, before, "a refused edit changes nothing: {command:?}");
            if counts[1] < 3 {
                println!("refused: {reason}");
            }
            counts[1] += 1;
            tally.refused += 1;
            continue;
        }
        assert_whole(&before, &command, &next);
        let mut simulation = Simulation::new(next)
            .unwrap_or_else(|e| panic!("{command:?} leaves what cannot be solved: {e}"));
        let (solves, reports) = solve_to_rest(&mut simulation);
        tally.early += usize::from(solves > 1);
        tally.done += 1;
        if let Some(r) = reports.iter().find(|r| r.report.status.is_early()) {
            // Another sequence begins: what follows from such a state says nothing more.
            let Report {
                status,
                residual,
                tolerance,
                ..
            } = &r.report;
            println!(
                "{status:?} after edit {}: {command:?}: {}, {residual:.1e} of {tolerance:.1e}",
                tally.done, r.cable
            );
            keep(&before, &command, simulation.scene(), tally.done);
            counts[2] += 1;
            tally.lost += 1;
            scene = fresh.clone();
            history = History::default();
            after = vec![scene.clone()];
            continue;
        }
        scene = simulation.scene().clone();
        let finite = points(&scene)
            .iter()
            .flatten()
            .all(|p| p.iter().all(|x| x.is_finite()));
        assert!(finite, "{command:?}");
        // A handle that was stopped may be let go on by what has moved since.
        let converged = |r: &Arc<CableReport>| r.report.status == Status::Converged;
        if tally.done.is_multiple_of(OPENED_EVERY) && reports.iter().all(converged) {
            let moved = moves_when_opened(&scene);
            if moved > 1e-9 {
                println!("edit {} moves {moved} mm when opened again", tally.done);
                tally.stirred += 1;
            }
            tally.opened += 1;
        }
        counts[0] += 1;
        history.changed(before, command.title());
        after.push(scene.clone());
        if rng.u8(0..12) == 0 {
            undo_and_redo(&mut rng, &mut history, &mut scene, &mut after);
        }
    }
    println!(
        "{} edits, {} refused, {} not at rest after one solve, {} after {SOLVES}, {:?}",
        tally.done, tally.refused, tally.early, tally.lost, tally.kinds
    );
    println!(
        "{} of {} moved when opened again",
        tally.stirred, tally.opened
    );
    assert_eq!(tally.done, wanted);
    assert!(tally.kinds.len() > 4, "{:?}", tally.kinds);
    // In 0.02 % of edits: pieces of two or three edges, each of many radii, that are folded in one joint.
    assert!(
        tally.lost * 1000 <= tally.done,
        "{} of {} are lost",
        tally.lost,
        tally.done
    );
    // One in some thousands.
    assert!(tally.opened > tally.done / 50 && tally.stirred * 100 <= tally.opened);
}
