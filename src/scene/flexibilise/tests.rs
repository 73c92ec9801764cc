//! Harnesses made by code: cut anywhere, nothing is lost and nothing moves.

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
fn any_stretch_can_be_cut_out_and_both_parts_are_the_whole() {
    let mut rng = fastrand::Rng::with_seed(5);
    let mut n_across = 0;
    for (before, n_pairs) in [hose(), tee(), tree()].into_iter().zip(N_PAIRS) {
        let graph = graph(&before);
        let surface = Surface::new(before.parts[0].mesh());
        let mut done = 0;
        while done < n_pairs {
            let choice = Choice::Between(surface.random(&mut rng), surface.random(&mut rng));
            let mut scene = before.clone();
            match flexibilise(&mut scene, "loom", &graph, &choice, None) {
                Ok(()) => done += 1,
                Err(FlexibiliseError::TooShort { .. }) => {
                    assert_eq!(scene, before);
                    continue;
                }
                Err(error) => panic!("{error}"),
            }
            assert_same_surface(&before, &scene);
            surface.assert_holds(&scene);
            assert_eq!(crate::scene::file::check(&scene), Ok(()));
            let chosen = stretches(&graph, &choice, "loom").unwrap();
            assert_eq!(scene.cables.len(), chosen.len());
            n_across += usize::from(chosen.len() > 1);
            for (cable, stretch) in scene.cables.iter().zip(&chosen) {
                assert_stands_on(cable, stretch, &graph);
            }
            assert_junctions_hold(&scene, &chosen, &graph);
            // Undo is exact, to the very mesh.
            let mut history = crate::scene::history::History::default();
            history.changed(before.clone());
            let mut undone = scene.clone();
            assert!(history.undo(|was| std::mem::replace(&mut undone, was)));
            assert_eq!(undone, before);
            assert!(Arc::ptr_eq(undone.parts[0].mesh(), before.parts[0].mesh()));

            let mut solved = Simulation::new(scene.clone()).unwrap();
            assert_eq!(solved.overlaps(), []);
            solved.solve_quietly(&CancelToken::default());
            for (a, b) in scene.cables.iter().zip(&solved.scene().cables) {
                let points = |c: &Cable| c.shape.as_ref().unwrap().points.clone();
                for (p, q) in points(a).iter().zip(&points(b)) {
                    assert!((p - q).norm() < 0.01, "moved by {}", (p - q).norm());
                }
            }
        }
    }
    assert!(
        n_across > 50,
        "only {n_across} stretches went across a junction"
    );
}

/// A cable stands on its stretch of the line, is held in its frame, and its skin ends at the cuts.
fn assert_stands_on(cable: &Cable, stretch: &Stretch, graph: &CenterlineGraph) {
    let branch = &graph.branches[stretch.branch];
    let shape = cable.shape.as_ref().unwrap();
    for point in &shape.points {
        assert!(branch.project(point).1 < 0.01);
    }
    for (handle, s) in cable.handles.iter().zip([stretch.from, stretch.to]) {
        assert!((handle.pose.position - branch.at(s).position).norm() < 0.01);
        let off = (handle.pose.rotation * Vec3::z()).angle(&branch.tangent_at(s));
        assert!(off.to_degrees() < 0.1);
    }
    // The cut itself: no vertex of the skin is beyond the planes of its ends.
    let skin = cable.skin.as_ref().unwrap();
    for (start, s, sign) in [(true, stretch.from, 1.0), (false, stretch.to, -1.0)] {
        if stretch.node_at(graph, start).is_some() {
            continue;
        }
        let (at, normal) = (branch.at(s).position, branch.tangent_at(s));
        for v in skin.positions(shape) {
            let near = (v - at).norm() < 2.0 * cable.radius;
            let height = (v - at).dot(&normal) * sign;
            assert!(!near || height > -1e-6, "{height} mm beyond the cut");
        }
    }
}

/// Where chosen stretches meet there is one shared handle of exactly their ends.
fn assert_junctions_hold(scene: &Scene, chosen: &[Stretch], graph: &CenterlineGraph) {
    let mut n_shared = 0;
    for node in 0..graph.nodes.len() {
        let mut meeting: Vec<&str> = Vec::new();
        for (stretch, cable) in chosen.iter().zip(&scene.cables) {
            for start in [true, false] {
                if stretch.node_at(graph, start) == Some(node) {
                    meeting.push(&cable.name);
                }
            }
        }
        if meeting.len() < 2 {
            continue;
        }
        n_shared += 1;
        let place = graph.nodes[node].position;
        let is_here = |j: &&Junction| (j.pose.position - place).norm() < 1e-9;
        let junction = scene.junctions.iter().find(is_here).unwrap();
        let held: Vec<&str> = junction.ends.iter().map(|e| e.cable.as_str()).collect();
        assert_eq!(held, meeting);
        for end in &junction.ends {
            let handle = scene
                .cable(&end.cable)
                .unwrap()
                .handle(&end.handle)
                .unwrap();
            let pose = junction.pose.compose(&end.in_junction);
            assert!((pose.position - handle.pose.position).norm() < 1e-9);
            assert!(pose.rotation.angle_to(&handle.pose.rotation) < 1e-7);
        }
    }
    assert_eq!(scene.junctions.len(), n_shared);
    // One cable on each side: a way through n nodes has n + 1 cables.
    assert_eq!(n_shared + 1, chosen.len());
}

/// The surface of the original mesh, to pick points on and to compare with.
struct Surface {
    mesh: Arc<TriMesh>,
    /// 1e-6 of its size, mm.
    tolerance: f64,
    /// Its vertices by x.
    sorted: Vec<Vec3>,
}

impl Surface {
    fn new(mesh: &Arc<TriMesh>) -> Self {
        let mut sorted = mesh.vertices().to_vec();
        sorted.sort_by(|a, b| a.x.total_cmp(&b.x));
        Self {
            mesh: mesh.clone(),
            tolerance: 1e-6 * mesh.aabb().diagonal(),
            sorted,
        }
    }

    fn random(&self, rng: &mut fastrand::Rng) -> Vec3 {
        let [a, b, c] = self.mesh.corners(rng.usize(0..self.mesh.triangles().len()));
        let (u, v) = (rng.f64(), rng.f64());
        let (u, v) = if u + v > 1.0 {
            (1.0 - u, 1.0 - v)
        } else {
            (u, v)
        };
        a + (b - a) * u + (c - a) * v
    }

    /// Every vertex of rest and skins at rest is on the surface; with the same area, nothing is missing.
    fn assert_holds(&self, scene: &Scene) {
        let of_parts = scene
            .parts
            .iter()
            .flat_map(|p| p.mesh().vertices().iter().copied());
        let mut all: Vec<Vec3> = of_parts.collect();
        for cable in &scene.cables {
            let shape = cable.shape.as_ref().unwrap();
            all.extend(cable.skin.as_ref().unwrap().positions(shape));
        }
        for v in all {
            let from = self.sorted.partition_point(|p| p.x < v.x - self.tolerance);
            let near = self.sorted[from..]
                .iter()
                .take_while(|p| p.x <= v.x + self.tolerance);
            let is_vertex = near.into_iter().any(|p| (p - v).norm() <= self.tolerance);
            assert!(
                is_vertex || self.distance(&v) <= self.tolerance,
                "{v} is off"
            );
        }
    }

    fn distance(&self, p: &Vec3) -> f64 {
        let to = |t: usize| {
            let (a, b) = segment_triangle(p, p, &self.mesh.corners(t));
            (a - b).norm()
        };
        let all = 0..self.mesh.triangles().len();
        all.map(to).fold(f64::INFINITY, f64::min)
    }
}

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
    let blocked = |r: &crate::scene::CableReport| r.report.status == crate::solve::Status::Blocked;
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
    history.changed(before.clone());
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

/// Two straight trunks of two branches each, and a branch from the middle of one to that of the other.
fn two_trunks_with_a_bridge() -> CenterlineGraph {
    use crate::centerline::{Branch, CurvePoint, GraphNode};
    let positions: Vec<Vec3> = [
        [0., 0.],
        [100., 0.],
        [200., 0.],
        [0., 90.],
        [100., 90.],
        [200., 90.],
    ]
    .map(|[x, y]| Vec3::new(x, y, 0.0))
    .to_vec();
    let point = |node: usize| CurvePoint {
        position: positions[node],
        radius: RADIUS,
        confidence: 1.0,
    };
    let branch = |[start, end]: [usize; 2]| Branch {
        start,
        end,
        curve: vec![point(start), point(end)],
        closed: false,
    };
    let node = |&position: &Vec3| GraphNode {
        position,
        kind: NodeKind::Through,
    };
    CenterlineGraph {
        nodes: positions.iter().map(node).collect(),
        branches: [[0, 1], [1, 2], [3, 4], [4, 5], [1, 4]]
            .map(branch)
            .to_vec(),
        components: Vec::new(),
        warnings: Vec::new(),
        component_of_triangle: Vec::new(),
    }
}

/// A tee of which the trunk is flexible across the junction, and the side branch rigid.
fn tee_with_rigid_side() -> Scene {
    let mut scene = tee();
    let graph = graph(&scene);
    let across = Choice::Between(Vec3::new(100.0, 5.0, 0.0), Vec3::new(300.0, 5.0, 0.0));
    flexibilise(&mut scene, "loom", &graph, &across, None).unwrap();
    assert_eq!((scene.cables.len(), scene.junctions.len()), (2, 1));
    scene
}

#[test]
fn a_rigid_side_branch_moves_with_its_junction() {
    let mut scene = tee_with_rigid_side();
    assert_same_surface(&tee(), &scene);
    let names: Vec<&str> = scene.parts.iter().map(|p| p.name.as_str()).collect();
    let side = scene.junctions[0].carries.clone().unwrap();
    assert_eq!(names, ["loom", side.as_str()]);
    let told = remarks(&scene);
    assert_eq!(told.len(), 1);
    assert!(
        told[0].contains("stay rigid") && told[0].contains(&side),
        "{told:?}"
    );
    // The side branch and nothing else: it leaves the trunk, whose outer pieces are the rest.
    let aabb =
        |scene: &Scene, k: usize| crate::geom::Aabb::of_points(scene.parts[k].mesh().vertices());
    assert!(aabb(&scene, 1).max.y > 100.0 && aabb(&scene, 0).max.y < 20.0);

    // By the junction, by one of its handles, and by the part: all go the same way.
    let before = scene.clone();
    let turn = Rotation::from_scaled_axis(Vec3::z() * 0.1);
    let way = Vec3::new(0.0, -12.0, 7.0);
    let node = before.junctions[0].pose;
    let goal = Pose {
        position: node.position + way,
        rotation: turn * node.rotation,
    };
    let at = |pose: &Pose| {
        let q = pose.rotation;
        (Some(pose.position.into()), Some([q.w, q.i, q.j, q.k]))
    };
    let end = before.junctions[0].ends[0].clone();
    let (position, rotation) = at(&goal);
    let by_junction = Command::MoveJunction {
        junction: before.junctions[0].name.clone(),
        position,
        rotation,
    };
    let (position, rotation) = at(&goal.compose(&end.in_junction));
    let by_handle = Command::MoveHandle {
        cable: end.cable.clone(),
        handle: end.handle.clone(),
        position,
        rotation,
    };
    let motion = goal.compose(&node.inverse());
    let (position, rotation) = at(&motion);
    let by_part = Command::MovePart {
        part: side.clone(),
        position,
        rotation,
    };
    for command in [by_junction, by_handle, by_part] {
        scene = before.clone();
        command.apply(&mut scene).unwrap();
        let moved = scene.junctions[0].pose;
        assert!(
            (moved.position - goal.position).norm() < 1e-9,
            "{command:?}"
        );
        assert!(moved.rotation.angle_to(&goal.rotation) < 1e-9);
        for (p, q) in
            (before.parts[1].mesh().vertices().iter()).zip(scene.parts[1].mesh().vertices())
        {
            assert!((motion.transform(p) - q).norm() < 1e-9, "{command:?}");
        }
        assert_eq!(before.parts[0], scene.parts[0], "the rest stays");
        for end in &scene.junctions[0].ends {
            let handle = scene
                .cable(&end.cable)
                .unwrap()
                .handle(&end.handle)
                .unwrap();
            let should = goal.compose(&end.in_junction);
            assert!((handle.pose.position - should.position).norm() < 1e-9);
            assert_eq!(handle.attached_to.as_ref(), Some(&side));
        }
    }

    // Saved and loaded it is the same, and its centerline is exported where it is now.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.scene.json");
    crate::scene::file::save(&scene, &path).unwrap();
    let (loaded, _) = crate::scene::file::load(&path).unwrap();
    assert_eq!(loaded.junctions, scene.junctions);
    assert_eq!(loaded.harnesses, scene.harnesses);
    assert_eq!(
        loaded.parts[1].mesh().vertices(),
        scene.parts[1].mesh().vertices()
    );

    // Names are followed; without its part the junction carries nothing, and the export does not move.
    let rename = format!(r#"{{"command":"rename","kind":"part","from":"{side}","to":"drop"}}"#);
    let rename: Command = serde_json::from_str(&rename).unwrap();
    rename.apply(&mut scene).unwrap();
    assert_eq!(scene.junctions[0].carries.as_deref(), Some("drop"));
    let delete: Command =
        serde_json::from_str(r#"{"command":"delete","kind":"part","name":"drop"}"#).unwrap();
    delete.apply(&mut scene).unwrap();
    assert_eq!(scene.junctions[0].carries, None);
    let points = |scene: &Scene| -> Vec<Vec3> {
        let mut pieces = scene.harnesses[0].segments.iter().flat_map(|s| &s.pieces);
        let side = pieces.find_map(|p| match p {
            Piece::Rigid { points, .. } if points.iter().any(|p| p.y > 100.0) => {
                Some(points.clone())
            }
            _ => None,
        });
        side.unwrap()
    };
    for (p, q) in points(&before).iter().zip(points(&scene)) {
        assert!((motion.transform(p) - q).norm() < 1e-9);
    }

    // All of it flexible: nothing rigid is left to tell of.
    let mut all = tee();
    let graph = graph(&all);
    flexibilise(&mut all, "loom", &graph, &Choice::All, None).unwrap();
    assert_eq!(remarks(&all), Vec::<String>::new());
    assert!(all.parts.is_empty() && all.junctions[0].carries.is_none());
}

#[test]
fn a_side_branch_goes_along_when_its_junction_is_dragged() {
    let mut scene = tee_with_rigid_side();
    for cable in &mut scene.cables {
        cable.length *= 1.01;
    }
    let mut simulation = Simulation::new(scene).unwrap();
    simulation.solve_quietly(&CancelToken::default());
    let drag = |simulation: &mut Simulation, way: f64| {
        let junction = &simulation.scene().junctions[0];
        let command = Command::MoveJunction {
            junction: junction.name.clone(),
            position: Some((junction.pose.position + Vec3::z() * way).into()),
            rotation: None,
        };
        simulation.apply(&command).unwrap();
        simulation.solve_quietly(&CancelToken::default())
    };
    let stand = |simulation: &Simulation| {
        // Where the two ends hold the junction, and where the part has it.
        let scene = simulation.scene();
        let junction = &scene.junctions[0];
        let held = junction.ends.iter().map(|end| {
            let cable = scene.cable(&end.cable).unwrap();
            let held = cable.held_pose(cable.handle(&end.handle).unwrap()).unwrap();
            held.compose(&end.in_junction.inverse()).position
        });
        let mut all: Vec<Vec3> = held.collect();
        let part = scene.part(junction.carries.as_ref().unwrap()).unwrap();
        all.push(part.placement().transform(&Vec3::new(200.0, 0.0, 0.0)));
        all.push(junction.pose.position);
        all
    };
    let start = stand(&simulation)[0];
    drag(&mut simulation, 5.0);
    for p in stand(&simulation) {
        assert!((p - start - Vec3::z() * 5.0).norm() < 1e-3, "{p}");
    }
    // Farther than the trunk is long: all stop together, and it is said.
    drag(&mut simulation, 300.0);
    assert_eq!(simulation.held_parts().len(), 1);
    let all = stand(&simulation);
    assert!(all[0].z > 5.0 && all[0].z < 100.0, "{all:?}");
    for p in &all {
        assert!((p - all[0]).norm() < 1e-3, "{all:?}");
    }
}

#[test]
fn what_hangs_between_two_junctions_stays_and_is_told() {
    use crate::scene::flexibilise::choose::{Side, sides};
    let graph = two_trunks_with_a_bridge();
    let whole = |branch: usize| Stretch {
        branch,
        from: 0.0,
        to: graph.branches[branch].length(),
    };
    // Both trunks flexible: the bridge between them hangs on both.
    let trunks: Vec<Stretch> = [0, 1, 2, 3].map(whole).to_vec();
    assert_eq!(sides(&graph, &trunks), []);
    // One trunk: bridge and other trunk are one body, at one junction.
    let one = sides(&graph, &trunks[..2]);
    assert_eq!(
        one,
        [Side {
            node: 1,
            branches: vec![2, 3, 4]
        }]
    );
    // Cut somewhere on the bridge: the stub is held by what is behind the cut.
    let mut cut = trunks[..2].to_vec();
    cut.push(Stretch {
        branch: 4,
        from: 30.0,
        to: 60.0,
    });
    assert_eq!(sides(&graph, &cut), []);
}
