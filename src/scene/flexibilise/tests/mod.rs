//! Harnesses made by code: cut anywhere, nothing is lost and nothing moves.

mod cuts;
mod parts;
mod sides;

use std::sync::Arc;

use super::*;
use crate::centerline::{Settings, extract};
use crate::contact::distance::segment_triangle;
use crate::geom::Rotation;
use crate::mesh::{TriMesh, primitives};
use crate::scene::{Command, Simulation};
use crate::solve::CancelToken;

const RADIUS: f64 = 4.0;

/// A round tube with flat ends along `line`, of `n_sides`, as a CAD kernel would leave it.
fn tube(line: impl Fn(f64) -> Vec3, n: usize, radius: f64, n_sides: usize) -> TriMesh {
    let points: Vec<Vec3> = (0..=n).map(|i| line(i as f64 / n as f64)).collect();
    primitives::tube(&points, radius, n_sides)
}

fn joined(pieces: &[TriMesh]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for piece in pieces {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(piece.vertices());
        triangles.extend(piece.triangles().iter().map(|t| t.map(|i| i + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// As a user does it: one part, moulded to its shape.
fn flexibilise(
    scene: &mut Scene,
    part: &str,
    graph: &CenterlineGraph,
    choice: &Choice,
    material: Option<&str>,
) -> Result<(), FlexibiliseError> {
    let source = Source::new(scene, &[part.to_owned()])?;
    let order = Order {
        choice: choice.clone(),
        material,
        rest: RestChoice::Preformed,
    };
    super::flexibilise(scene, &source, graph, &order)
}

/// A hose with a bend between two straight ends.
fn bent(t: f64) -> Vec3 {
    let s = 400.0 * t;
    let (straight, radius) = (120.0, 160.0 / std::f64::consts::FRAC_PI_2);
    let bend = ((s - straight) / radius).clamp(0.0, std::f64::consts::FRAC_PI_2);
    let corner = Vec3::new(
        s.min(straight) + radius * bend.sin(),
        radius * (1.0 - bend.cos()),
        0.0,
    );
    corner + Vec3::y() * (s - 280.0).max(0.0)
}

fn scene_of(mesh: TriMesh) -> Scene {
    let mut part = Part::new("loom", mesh);
    part.role = PartRole::Harness;
    Scene {
        gravity: Vec3::zeros(),
        parts: vec![part],
        ..Scene::default()
    }
}

fn hose() -> Scene {
    scene_of(tube(bent, 40, RADIUS, 16))
}

/// A trunk and a branch that stands on it, as separate shells.
fn tee() -> Scene {
    let trunk = |t: f64| Vec3::new(400.0 * t, 0.0, 0.0);
    let branch = |t: f64| Vec3::new(200.0, 4.0 + 150.0 * t, 0.0);
    scene_of(joined(&[
        tube(trunk, 20, 5.0, 20),
        tube(branch, 10, 3.0, 16),
    ]))
}

/// A trunk with three branches, one of which has a branch of its own: separate shells that touch, or nearly do.
fn tree() -> Scene {
    let trunk = |t: f64| Vec3::new(500.0 * t, 20.0 * (4.0 * t).sin(), 0.0);
    let on = |t: f64| trunk(t);
    let first = move |t: f64| on(0.3) + Vec3::new(0.0, 5.0 + 160.0 * t, 30.0 * t * t);
    let second = move |t: f64| on(0.6) + Vec3::new(0.0, 10.0 * t * t, 5.1 + 140.0 * t);
    let third = move |t: f64| on(0.8) - Vec3::new(0.0, 5.0 + 120.0 * t, 0.0);
    let twig = move |t: f64| first(0.5) + Vec3::new(3.6 + 90.0 * t, 0.0, 10.0 * t * t);
    scene_of(joined(&[
        tube(trunk, 40, 6.0, 16),
        tube(first, 16, 3.5, 12),
        tube(second, 16, 4.0, 12),
        tube(third, 12, 3.0, 12),
        tube(twig, 12, 2.5, 12),
    ]))
}

fn graph(scene: &Scene) -> Arc<CenterlineGraph> {
    Arc::new(extract(scene.parts[0].mesh(), &Settings::default(), &|_| true).unwrap())
}

/// Area and first moment of all triangles of a scene's parts and skins at rest.
fn measure(scene: &Scene) -> (f64, Vec3) {
    let mut sum = (0.0, Vec3::zeros());
    let mut add = |corners: [Vec3; 3]| {
        let area = 0.5
            * (corners[1] - corners[0])
                .cross(&(corners[2] - corners[0]))
                .norm();
        sum.0 += area;
        sum.1 += (corners[0] + corners[1] + corners[2]) * (area / 3.0);
    };
    for part in &scene.parts {
        (0..part.mesh().triangles().len()).for_each(|t| add(part.mesh().corners(t)));
    }
    for cable in &scene.cables {
        let (Some(skin), Some(shape)) = (&cable.skin, &cable.shape) else {
            continue;
        };
        let vertices: Vec<Vec3> = skin.positions(shape).collect();
        skin.triangles
            .iter()
            .for_each(|t| add(t.map(|v| vertices[v as usize])));
    }
    sum
}

fn assert_same_surface(before: &Scene, after: &Scene) {
    let (a, b) = (measure(before), measure(after));
    assert!((a.0 - b.0).abs() < 1e-6 * a.0, "area {} and {}", a.0, b.0);
    assert!((a.1 - b.1).norm() < 1e-6 * a.0 * 400.0);
}

#[test]
fn a_whole_hose_stands_where_it_was_and_stays_there() {
    let before = hose();
    let mut scene = before.clone();
    let graph = graph(&scene);
    flexibilise(&mut scene, "loom", &graph, &Choice::All, None).unwrap();
    assert!(scene.parts.is_empty(), "nothing is left");
    assert_same_surface(&before, &scene);
    let cable = &scene.cables[0];
    assert!((cable.length - 400.0).abs() < 0.5, "{}", cable.length);
    let points = cable.shape.as_ref().unwrap().points.clone();
    let mut simulation = Simulation::new(scene).unwrap();
    let reports = simulation.solve_quietly(&CancelToken::default());
    assert_eq!(reports[0].report.status, crate::solve::Status::Converged);
    let solved = simulation.scene().cables[0].shape.as_ref().unwrap();
    for (a, b) in points.iter().zip(&solved.points) {
        assert!((a - b).norm() < 0.01, "moved by {}", (a - b).norm());
    }
}

/// Pairs of random points on each of the three harnesses: 200 in all.
const N_PAIRS: [usize; 3] = [67, 67, 66];

#[test]
fn branches_that_met_keep_meeting() {
    let mut scene = tee();
    let graph = graph(&scene);
    assert_eq!(graph.branches.len(), 3, "{:?}", graph.warnings);
    flexibilise(&mut scene, "loom", &graph, &Choice::All, None).unwrap();
    assert_eq!((scene.cables.len(), scene.junctions.len()), (3, 1));
    let junction = scene.junctions[0].clone();
    assert_eq!(junction.ends.len(), 3);
    let command = Command::MoveJunction {
        junction: junction.name.clone(),
        position: Some((junction.pose.position + Vec3::new(0.0, -20.0, 10.0)).into()),
        rotation: Some({
            let q = Rotation::from_scaled_axis(Vec3::z() * 0.2);
            [q.w, q.i, q.j, q.k]
        }),
    };
    // Some slack, but not enough for all of the way: then all stop where the first gets taut.
    for cable in &mut scene.cables {
        cable.length *= 1.001;
    }
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.apply(&command).unwrap();
    let reports = simulation.solve_quietly(&CancelToken::default());
    let blocked = |r: &std::sync::Arc<crate::scene::CableReport>| {
        r.report.status == crate::solve::Status::Blocked
    };
    assert!(reports.iter().all(blocked));
    let solved = simulation.scene();
    let poses = junction.ends.iter().map(|end| {
        let cable = solved.cable(&end.cable).unwrap();
        let held = cable.held_pose(cable.handle(&end.handle).unwrap()).unwrap();
        held.compose(&end.in_junction.inverse())
    });
    let poses: Vec<Pose> = poses.collect();
    for pose in &poses {
        assert!((pose.position - poses[0].position).norm() < 1e-6);
        assert!(pose.rotation.angle_to(&poses[0].rotation) < 1e-6);
        assert!((pose.position - junction.pose.position).norm() > 1.0);
    }
    assert_eq!(solved.harnesses[0].segments.len(), 3);
}

#[test]
fn rigidify_is_the_way_back() {
    let before = hose();
    let mut scene = before.clone();
    let graph = graph(&scene);
    let choice = Choice::Between(bent(0.3), bent(0.7));
    flexibilise(&mut scene, "loom", &graph, &choice, None).unwrap();
    let name = scene.cables[0].name.clone();
    rigidify(&mut scene, &name).unwrap();
    assert!(scene.cables.is_empty() && scene.exclusions.is_empty());
    assert_same_surface(&before, &scene);
    let rigid = |piece: &Piece| matches!(piece, Piece::Rigid { .. });
    assert!(scene.harnesses[0].segments[0].pieces.iter().all(rigid));
}

#[test]
fn nonsense_is_refused_and_changes_nothing() {
    let before = hose();
    let mut scene = before.clone();
    let graph = graph(&scene);
    let far = Choice::Between(bent(0.3), Vec3::new(0.0, 900.0, 0.0));
    let near = Choice::Between(bent(0.3), bent(0.305));
    for (choice, words) in [
        (far, "pick a point on its surface"),
        (near, "pick points farther apart"),
        (Choice::Branches(vec![4]), "no branch 5"),
    ] {
        let error = flexibilise(&mut scene, "loom", &graph, &choice, None).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(scene, before);
    }
    let error = flexibilise(&mut scene, "loom", &graph, &Choice::All, Some("wool"));
    assert!(error.unwrap_err().to_string().contains("wool"));
    let ball = crate::mesh::primitives::cuboid(&crate::geom::Aabb {
        min: Vec3::zeros(),
        max: Vec3::new(10.0, 10.0, 10.0),
    });
    let mut scene = scene_of(ball);
    let command: Command =
        serde_json::from_str(r#"{"command":"flexibilise","part":"loom"}"#).unwrap();
    let error = command.apply(&mut scene).unwrap_err().to_string();
    assert!(
        error.contains("loom") && error.contains("no cable"),
        "{error}"
    );
}

#[test]
fn corrections_are_kept_move_with_the_part_and_are_undone() {
    let before = tee();
    let mut history = crate::scene::history::History::default();
    let mut scene = before.clone();
    let correct = |line: &str| -> Command { serde_json::from_str(line).unwrap() };
    let spur = correct(
        r#"{"command":"correct_centerline","part":"loom","correction":{"kind":"delete_branch","at":[200,100,3]}}"#,
    );
    spur.apply(&mut scene).unwrap();
    history.changed(before.clone(), "");
    assert_eq!(scene.parts[0].corrections.len(), 1);
    // Saved, and there after loading.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("c.scene.json");
    crate::scene::file::save(&scene, &path).unwrap();
    let (loaded, _) = crate::scene::file::load(&path).unwrap();
    assert_eq!(loaded.parts[0].corrections, scene.parts[0].corrections);
    // The part moves: its corrections go along, and only the trunk becomes flexible.
    let mut moved = loaded;
    let away = correct(r#"{"command":"move_part","part":"loom","position":[0,500,70]}"#);
    away.apply(&mut moved).unwrap();
    let all = correct(r#"{"command":"flexibilise","part":"loom"}"#);
    all.apply(&mut moved).unwrap();
    assert_eq!(moved.cables.len(), 1);
    assert!((moved.cables[0].length - 400.0).abs() < 0.5);
    assert_eq!(moved.parts.len(), 1, "the spur stays as a rigid part");
    // A second one that does not fit is refused, and changes nothing.
    let kept = scene.clone();
    let error = spur.apply(&mut scene).unwrap_err().to_string();
    assert!(error.contains("no branch at"), "{error}");
    assert_eq!(scene, kept);
    let clear = correct(r#"{"command":"clear_corrections","part":"loom"}"#);
    clear.apply(&mut scene).unwrap();
    assert_eq!(scene, before);
    let mut three = kept;
    assert!(history.undo(|was| std::mem::replace(&mut three, was)));
    assert_eq!(three, before);
    all.apply(&mut three).unwrap();
    assert_eq!(three.cables.len(), 3);
}

#[test]
fn on_a_ring_the_way_is_the_short_one_also_across_its_seam() {
    // A ring of cable: its line begins somewhere, and points on both sides of that are near each other.
    let ring = |t: f64| {
        let (sin, cos) = (std::f64::consts::TAU * t).sin_cos();
        Vec3::new(80.0 * cos, 80.0 * sin, 0.0)
    };
    let n = 60;
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..n {
        let middle = ring(f64::from(i) / f64::from(n));
        let out = middle.normalize();
        for k in 0..12 {
            let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / 12.0).sin_cos();
            vertices.push(middle + (out * cos + Vec3::z() * sin) * RADIUS);
        }
        for k in 0..12 {
            let at = |i: i32, k: i32| ((i % n) * 12 + k % 12) as u32;
            triangles.push([at(i, k), at(i + 1, k), at(i + 1, k + 1)]);
            triangles.push([at(i, k), at(i + 1, k + 1), at(i, k + 1)]);
        }
    }
    let scene = scene_of(TriMesh::new(vertices, triangles).unwrap());
    let graph = graph(&scene);
    assert!(graph.branches[0].closed);
    let length = graph.branches[0].length();
    for (from, to) in [
        (-0.03, 0.05),
        (0.02, 0.4),
        (0.3, -0.1),
        (0.0, 0.5),
        (-0.02, 0.01),
    ] {
        // Arc lengths from the seam, as parts of the ring.
        let at = |part: f64| graph.branches[0].at(length * part.rem_euclid(1.0)).position;
        let choice = Choice::Between(at(from), at(to));
        let way = stretches(&graph, &choice, "loom").unwrap();
        let found: f64 = way.iter().map(|s| s.to - s.from).sum();
        let around = f64::abs(to - from);
        let shortest = around.min(1.0 - around) * length;
        // Ends within a radius of the seam are taken as the seam.
        assert!(
            (found - shortest).abs() < 2.1 * RADIUS,
            "{from} to {to}: {found:.1} for {shortest:.1} mm"
        );
    }
}
