//! A scene and a double of the solver for the window's tests: a hanging curve between the handles.

use std::sync::Arc;

use loomwright::geom::{Aabb, Pose, Rotation, Vec3, rotation_along};
use loomwright::mesh::TriMesh;
use loomwright::scene::{
    Cable, CableReport, CableSection, Command, CommandError, Handle, HandlePlace, Part, Scene,
    Shape, SimulationError,
};
use loomwright::solve::{
    Blocker, Budget, ContactReport, Energies, HandleReport, HandleReports, Report, Status,
};
use loomwright::window::engine::{Engine, EngineFactory};

/// A cable over a block.
pub fn scene() -> Scene {
    let along = rotation_along(&Vec3::x()).expect("x has a length");
    let handle = |place, x| {
        let position = Vec3::new(x, 0.0, 120.0);
        let rotation = along;
        Handle::at_end(place, Pose { position, rotation })
    };
    let section = CableSection {
        bending: 2e4,
        bending2: None,
        torsion: 2e4,
        axial: 1e5,
        mass_kg_m: 0.2,
    };
    let mut cable = Cable::new("cable", 6.0, 520.0, section);
    cable.n_edges = 60;
    cable.handles = vec![
        handle(HandlePlace::Start, -220.0),
        handle(HandlePlace::End, 220.0),
    ];
    Scene {
        parts: vec![
            cuboid(
                "block",
                Vec3::new(-60.0, -80.0, 0.0),
                Vec3::new(60.0, 80.0, 60.0),
            ),
            cuboid(
                "plate",
                Vec3::new(-300.0, -150.0, -20.0),
                Vec3::new(300.0, 150.0, 0.0),
            ),
            cylinder("post", Vec3::new(170.0, 70.0, 0.0), 28.0, 130.0),
        ],
        cables: vec![cable],
        ..Scene::default()
    }
}

/// Makes doubles.
pub fn factory() -> EngineFactory {
    Box::new(|scene| Ok(Box::new(Double { scene })))
}

/// Handles stop at the boxes of the parts; the curve does not.
struct Double {
    scene: Scene,
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

    fn solve(
        &mut self,
        _budget: &Budget,
        on_iterate: &mut dyn FnMut(usize, &[Vec3]),
    ) -> Vec<Arc<CableReport>> {
        let boxes: Vec<Aabb> = self.scene.parts.iter().map(|p| p.mesh().aabb()).collect();
        let mut reports = Vec::new();
        for (number, cable) in self.scene.cables.iter_mut().enumerate() {
            let report = solve_cable(cable, &boxes);
            if let Some(shape) = &cable.shape {
                on_iterate(number, &shape.points);
            }
            reports.push(Arc::new(CableReport {
                cable: cable.name.clone(),
                report,
                settled: None,
                other_shapes: None,
            }));
        }
        reports
    }
}

fn solve_cable(cable: &mut Cable, boxes: &[Aabb]) -> Report {
    let mut clamps = [None, None];
    let mut handles = HandleReports::new();
    let mut blocked = false;
    for handle in &cable.handles {
        let k = usize::from(handle.place == HandlePlace::End);
        let from = cable.shape.as_ref().and_then(|s| s.clamps[k]);
        let (position, by) = reach(
            from.map(|p| p.position),
            handle.pose.position,
            cable.radius,
            boxes,
        );
        let short_by = (position - handle.pose.position).norm();
        blocked |= by.is_some();
        clamps[k] = Some(Pose {
            position,
            rotation: handle.pose.rotation,
        });
        handles.push(HandleReport {
            force: Vec3::zeros(),
            moment: Vec3::zeros(),
            short_by,
            short_by_angle: 0.0,
            blocker: by.map(Blocker::Obstacle),
        });
    }
    let shape = hanging(cable, &clamps);
    let contacts = boxes
        .iter()
        .enumerate()
        .flat_map(|(obstacle, b)| {
            let near = b.inflated(cable.radius + 0.5);
            shape
                .points
                .iter()
                .filter(move |p| near.intersects(&Aabb::of_points([*p])))
                .map(move |p| ContactReport {
                    obstacle,
                    position: p - Vec3::z() * 6.0,
                    force: Vec3::z(),
                    gap: 0.05,
                })
        })
        .collect::<Vec<_>>();
    let length = shape.points.windows(2).map(|e| (e[1] - e[0]).norm()).sum();
    cable.shape = Some(shape);
    Report {
        status: if blocked {
            Status::Blocked
        } else {
            Status::Converged
        },
        island: Some(0),
        iterations: 4,
        residual: 1e-9,
        tolerance: 1e-6,
        cpu_ms: 0.4,
        energies: Energies::default(),
        stable: true,
        smallest_gap: (!contacts.is_empty()).then_some(0.05),
        contacts,
        rod_contacts: Vec::new(),
        handles,
        length,
        largest_strain: 0.0,
        taut_strain: 0.005,
        smallest_bend_radius: 60.0,
        largest_bend: 0.1,
    }
}

/// How far a handle gets on its straight way, and the part that stops it.
fn reach(from: Option<Vec3>, to: Vec3, radius: f64, boxes: &[Aabb]) -> (Vec3, Option<usize>) {
    let Some(from) = from else { return (to, None) };
    let inside = |p: &Vec3| {
        boxes
            .iter()
            .position(|b| b.inflated(radius).intersects(&Aabb::of_points([p])))
    };
    let mut at = from;
    for step in 1..=200 {
        let next = from + (to - from) * (f64::from(step) / 200.0);
        if let Some(part) = inside(&next) {
            return (at, Some(part));
        }
        at = next;
    }
    (to, None)
}

fn hanging(cable: &Cable, clamps: &[Option<Pose>; 2]) -> Shape {
    let pose = |k: usize| {
        clamps[k].unwrap_or(Pose {
            position: Vec3::zeros(),
            rotation: Rotation::identity(),
        })
    };
    let (a, b) = (pose(0), pose(1));
    let (da, db) = (a.rotation * Vec3::z(), b.rotation * Vec3::z());
    let slack = (cable.length - (b.position - a.position).norm()).max(0.0);
    let pull = cable.length * 0.9;
    let point = |t: f64| {
        let (t2, t3) = (t * t, t * t * t);
        a.position * (2.0 * t3 - 3.0 * t2 + 1.0)
            + da * (pull * (t3 - 2.0 * t2 + t))
            + b.position * (3.0 * t2 - 2.0 * t3)
            + db * (pull * (t3 - t2))
            - Vec3::z() * (slack * 8.0 * t2 * (1.0 - t) * (1.0 - t))
    };
    let n = cable.n_edges;
    let points: Vec<Vec3> = (0..=n).map(|i| point(i as f64 / n as f64)).collect();
    let mut frames: Vec<Rotation> = Vec::new();
    let mut frame = a.rotation;
    for edge in points.windows(2) {
        let now = frame * Vec3::z();
        let turn = Rotation::rotation_between(&now, &(edge[1] - edge[0])).unwrap_or_default();
        frame = turn * frame;
        frames.push(frame);
    }
    Shape {
        turns: vec![0; n + 1],
        points,
        frames,
        clamps: *clamps,
        rolls: std::collections::BTreeMap::new(),
        memory: None,
    }
}

fn cuboid(name: &str, min: Vec3, max: Vec3) -> Part {
    let corner = |i: u32, k: usize| if i >> k & 1 == 0 { min[k] } else { max[k] };
    let vertices = (0..8)
        .map(|i| Vec3::new(corner(i, 0), corner(i, 1), corner(i, 2)))
        .collect();
    let faces: [[u32; 4]; 6] = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    part(name, vertices, &faces)
}

fn cylinder(name: &str, base: Vec3, radius: f64, height: f64) -> Part {
    let n = 32;
    let vertices = (0..n)
        .flat_map(|i| {
            let (sin, cos) = (f64::from(i) / f64::from(n) * std::f64::consts::TAU).sin_cos();
            let foot = base + Vec3::new(cos, sin, 0.0) * radius;
            [foot, foot + Vec3::z() * height]
        })
        .collect();
    let mut faces: Vec<[u32; 4]> = (0..n as u32)
        .map(|i| {
            let (a, b) = (2 * i, 2 * ((i + 1) % n as u32));
            [a, b, b + 1, a + 1]
        })
        .collect();
    faces.extend((1..n as u32 / 2).map(|i| {
        let m = n as u32;
        [
            2 * (i - 1) + 1,
            2 * i + 1,
            2 * (m - 1 - i) + 1,
            2 * (m - i) % (2 * m) + 1,
        ]
    }));
    part(name, vertices, &faces)
}

fn part(name: &str, vertices: Vec<Vec3>, faces: &[[u32; 4]]) -> Part {
    let triangles = faces
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    let mesh = TriMesh::new(vertices, triangles.collect()).expect("a sound mesh");
    Part::new(name, mesh)
}
