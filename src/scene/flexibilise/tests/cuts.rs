//! Stretches between any two points: all pieces together are the mesh, and cables stand where it had them.

use super::*;

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
            history.changed(before.clone(), "");
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
    // In bends the points stand a little outside, so that their chords are as long as the line.
    let (first, last) = (&shape.points[0], &shape.points[shape.points.len() - 1]);
    for w in shape.points.windows(3) {
        let outside = (w[0] - w[1] * 2.0 + w[2]).norm() / 6.0;
        assert!(branch.project(&w[1]).1 < 0.01 + outside);
    }
    assert!(branch.project(first).1 < 0.01 && branch.project(last).1 < 0.01);
    let length = stretch.to - stretch.from;
    assert!(
        (cable.length / length - 1.0).abs() < 1e-4,
        "{} of {length}",
        cable.length
    );
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
