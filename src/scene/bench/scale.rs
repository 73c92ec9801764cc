//! Scenes of many cables: bundles, cables that sleep, harnesses, trees of free junctions.

use std::f64::consts::FRAC_PI_2;

use super::Script;
use crate::geom::{Pose, Rotation, Vec3, rotation_along};
use crate::mesh::TriMesh;
use crate::scene::flexibilise::RestChoice;
use crate::scene::{
    Cable, CableSection, Command, Handle, HandlePlace, Junction, JunctionEnd, Part, Scene,
    Simulation,
};
use crate::solve::CancelToken;

/// How far a dragged handle goes in a frame, mm.
const STEP: f64 = 5.0;

/// The section of all cables here.
const SECTION: CableSection = CableSection {
    bending: 1500.0,
    bending2: None,
    torsion: 1100.0,
    axial: 1e4,
    mass_kg_m: 0.05,
};

/// A cable held at both ends.
fn clamped(name: String, radius: f64, length: f64, n_edges: usize, ends: [Pose; 2]) -> Cable {
    let mut cable = Cable::new(name, radius, length, SECTION);
    cable.n_edges = n_edges;
    cable.handles = vec![
        Handle::at_end(HandlePlace::Start, ends[0]),
        Handle::at_end(HandlePlace::End, ends[1]),
    ];
    cable
}

/// A cable of 100 edges whose handles are level and 800 mm apart.
fn level(k: usize, length: f64, pitch: f64) -> Cable {
    let ends = [0.0, 800.0].map(|x| Pose {
        position: Vec3::new(x, pitch * k as f64, 0.0),
        rotation: Rotation::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2),
    });
    clamped(format!("c{k}"), 4.0, length, 100, ends)
}

/// One command a frame: a handle goes along corners, each given from where it starts, mm, in steps of [`STEP`].
fn drag(cable: &str, handle: &str, start: Vec3, corners: &[Vec3]) -> Vec<Vec<Command>> {
    let mut frames = Vec::new();
    let mut from = Vec3::zeros();
    for to in corners {
        let n = ((to - from).norm() / STEP).round().max(1.0) as usize;
        frames.extend((1..=n).map(|k| {
            let position = start + from.lerp(to, k as f64 / n as f64);
            vec![Command::MoveHandle {
                cable: cable.to_owned(),
                handle: handle.to_owned(),
                position: Some(position.into()),
                rotation: None,
            }]
        }));
        from = *to;
    }
    frames
}

/// A scene brought to rest, and the frames that are measured from there; cold, one frame without a command.
fn script(scene: Scene, is_cold: bool, frames: Vec<Vec<Command>>) -> Option<Script> {
    let cold = is_cold.then(|| scene.clone());
    let mut simulation = Simulation::new(scene).ok()?;
    if !is_cold {
        simulation.solve_quietly(&CancelToken::default());
    }
    Some(Script {
        simulation,
        frames: if is_cold { vec![Vec::new()] } else { frames },
        cold,
    })
}

/// The engine bay, its handles sent to random places by 0.1 to 200 mm a frame, evenly on a log scale.
pub(super) fn random_bay() -> Option<Script> {
    const FRAMES: usize = 1000;
    const REACH: f64 = 100.0;
    let scene = super::scenes::bay(1)?;
    let cable = scene.cables.first()?.clone();
    let home: Vec<Vec3> = cable.handles.iter().map(|h| h.pose.position).collect();
    let mut now = home.clone();
    let mut rng = fastrand::Rng::with_seed(11);
    let frames = (0..FRAMES).map(|_| {
        let k = rng.usize(0..home.len());
        let way = unit(&mut rng) * (0.1 * 2000.0_f64.powf(rng.f64()));
        let off = now[k] + way - home[k];
        now[k] = home[k] + off * (REACH / off.norm()).min(1.0);
        vec![Command::MoveHandle {
            cable: cable.name.clone(),
            handle: cable.handles[k].name.clone(),
            position: Some(now[k].into()),
            rotation: None,
        }]
    });
    let frames = frames.collect();
    script(scene, false, frames)
}

/// The engine bay with its harness flexible, all junctions free: each end that no junction has is dragged out along the axes
/// and back, one after the other, into parts and beyond the length of its cable, too.
pub(super) fn bay_harness() -> Option<Script> {
    const OUT: f64 = 200.0;
    let mut scene = super::demo::demo("engine-bay")?;
    let flexible = Command::Flexibilise {
        part: "harness".to_owned(),
        with: Vec::new(),
        branches: Vec::new(),
        from: None,
        to: None,
        material: None,
        rest: RestChoice::default(),
        graph: None,
    };
    flexible.apply(&mut scene).ok()?;
    let mut frames = Vec::new();
    for (cable, handle) in open_ends(&scene) {
        let start = scene.cable(cable)?.handle(handle)?.pose.position;
        for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
            for way in [axis * OUT, axis * -OUT] {
                frames.extend(drag(cable, handle, start, &[way, Vec3::zeros()]));
            }
        }
    }
    script(scene, false, frames)
}

/// Cables and handles of the ends that no junction has.
fn open_ends(scene: &Scene) -> Vec<(&str, &str)> {
    let joined = scene.junctions.iter().flat_map(|j| &j.ends);
    let mut ends = Vec::new();
    for cable in &scene.cables {
        let at_end = |h: &&Handle| !matches!(h.place, HandlePlace::At(_));
        for handle in cable.handles.iter().filter(at_end) {
            let is_this = |e: &JunctionEnd| e.cable == cable.name && e.handle == handle.name;
            if !joined.clone().any(is_this) {
                ends.push((cable.name.as_str(), handle.name.as_str()));
            }
        }
    }
    ends
}

/// Cables side by side, half a millimetre between them, that sag onto a plate. The end of the first one is lifted, taken
/// across the others and back.
pub(super) fn bundle(n: usize, cold: bool) -> Option<Script> {
    const PITCH: f64 = 8.5;
    let corner = |x: f64, y: f64| Vec3::new(x, y, -30.0);
    let plate = TriMesh::new(
        vec![
            corner(-500.0, -500.0),
            corner(1500.0, -500.0),
            corner(1500.0, 1000.0),
            corner(-500.0, 1000.0),
        ],
        vec![[0, 1, 2], [0, 2, 3]],
    )
    .ok()?;
    let scene = Scene {
        parts: vec![Part::new("plate", plate)],
        cables: (0..n).map(|k| level(k, 810.0, PITCH)).collect(),
        ..Scene::default()
    };
    let up = Vec3::z() * 60.0;
    let over = up + Vec3::y() * 60.0;
    let way = [up, over, up, Vec3::zeros()];
    let start = Vec3::x() * 800.0;
    script(scene, cold, drag("c0", "end", start, &way))
}

/// So many cables beside each other, far apart, of which one in the middle is dragged; the first may be sent farther than
/// its length allows.
pub(super) fn beside(n: usize, blocked: bool) -> Option<Script> {
    const PITCH: f64 = 50.0;
    let scene = Scene {
        cables: (0..n).map(|k| level(k, 1000.0, PITCH)).collect(),
        ..Scene::default()
    };
    let middle = n / 2;
    let start = Vec3::new(800.0, PITCH * middle as f64, 0.0);
    let out = Vec3::new(-2.0, 1.0, 2.0) * (100.0 / 3.0);
    let frames = drag(&format!("c{middle}"), "end", start, &[out, Vec3::zeros()]);
    let mut script = script(scene, false, frames)?;
    if blocked {
        let far = drag("c0", "end", Vec3::new(1100.0, 0.0, 0.0), &[Vec3::zeros()]);
        for command in far.iter().flatten() {
            script.simulation.apply(command).ok()?;
        }
        script.simulation.solve_quietly(&CancelToken::default());
    }
    Some(script)
}

/// How many ends meet in the junctions of a harness of a car, largest first: with the branches that end in the open they
/// make 180 cables.
const HARNESS: [(usize, usize); 9] = [
    (16, 1),
    (13, 1),
    (12, 1),
    (10, 1),
    (7, 2),
    (6, 5),
    (5, 5),
    (4, 10),
    (3, 20),
];
/// Junctions that only join two cables.
const COUPLINGS: usize = 5;
/// Edges of its cables by rank, from the shortest to the longest.
const EDGES: [f64; 10] = [5.0, 9.0, 13.0, 20.0, 24.0, 29.0, 37.0, 59.0, 101.0, 160.0];
/// Length of an edge, mm.
const EDGE: f64 = 5.0;

/// A harness of 180 cables, about 7,700 edges and 51 junctions that stay where they are, some of them clipped in their
/// middle; one clip is dragged back and forth. Thin cables meet nothing.
pub(super) fn harness(thin: bool, cold: bool) -> Option<Script> {
    let mut degrees: Vec<usize> = (HARNESS.iter())
        .flat_map(|&(ends, n)| std::iter::repeat_n(ends, n))
        .chain(std::iter::repeat_n(2, COUPLINGS))
        .collect();
    let mut rng = fastrand::Rng::with_seed(7);
    rng.shuffle(&mut degrees[4..]);
    let net = Net::grow(&degrees, &mut rng, |rng| {
        let at = rng.f64() * (EDGES.len() - 1) as f64;
        let (k, part) = (at as usize, at.fract());
        (EDGES[k] + part * (EDGES[k + 1] - EDGES[k])).round() as usize
    });
    let mut scene = net.scene(|twigs| {
        if thin {
            0.5
        } else {
            1.2 + 0.4 * (twigs as f64).sqrt()
        }
    });
    for cable in scene.cables.iter_mut().filter(|c| c.n_edges >= 80) {
        let [start, end] = [0, 1].map(|k| cable.handles[k].pose);
        cable.handles.push(Handle {
            name: "clip".to_owned(),
            ..Handle::at_end(
                HandlePlace::At(0.5 * cable.length),
                Pose {
                    position: start.position.lerp(&end.position, 0.5),
                    rotation: start.rotation,
                },
            )
        });
    }
    let clipped = scene.cables.iter().find(|c| c.handles.len() > 2)?;
    let clip = clipped.handles[2].pose.position;
    let out = Vec3::z() * 100.0;
    let frames = drag(&clipped.name, "clip", clip, &[out, Vec3::zeros()]);
    script(scene, cold, frames)
}

/// A tree of about so many cables of 50 edges that free junctions join; one of its free ends is dragged back and forth.
pub(super) fn tree(n_cables: usize) -> Option<Script> {
    let mut degrees = vec![3; (n_cables / 2).max(2) - 1];
    degrees[0] = 4;
    let mut rng = fastrand::Rng::with_seed(3);
    let net = Net::grow(&degrees, &mut rng, |_| 50);
    let mut scene = net.scene(|_| 1.0);
    for junction in &mut scene.junctions {
        junction.free = true;
    }
    let outermost = scene.cables.last()?;
    let end = outermost.handle("end")?.pose;
    let inwards = end.rotation * Vec3::z() * -20.0;
    let out = inwards + Vec3::z() * 60.0;
    let frames = drag(&outermost.name, "end", end.position, &[out, Vec3::zeros()]);
    script(scene, false, frames)
}

/// Straight branches between places.
struct Net {
    /// Start and end of each branch (places), and its edges.
    branches: Vec<([usize; 2], usize)>,
    places: Vec<Vec3>,
}

/// Directions that are tried for a branch.
const TRIES: usize = 24;
/// Length over distance of its ends.
const SLACK: f64 = 1.08;

impl Net {
    /// Joins junctions of those numbers of ends to a tree, first to last; ends that are left lead out into the open.
    /// Branches keep out of each other's way as well as a few tries let them.
    fn grow(
        degrees: &[usize],
        rng: &mut fastrand::Rng,
        edges: impl Fn(&mut fastrand::Rng) -> usize,
    ) -> Self {
        let mut net = Self {
            branches: Vec::new(),
            places: vec![Vec3::zeros()],
        };
        // Places that still have ends, as many times: the oldest junction gets its neighbours first.
        let mut open: std::collections::VecDeque<usize> =
            std::iter::repeat_n(0, degrees[0]).collect();
        for &degree in &degrees[1..] {
            let Some(from) = open.pop_front() else {
                break;
            };
            let place = net.branch_off(from, edges(rng).max(30), rng);
            open.extend(std::iter::repeat_n(place, degree - 1));
        }
        for from in open {
            let n = edges(rng);
            net.branch_off(from, n, rng);
        }
        net
    }

    fn branch_off(&mut self, from: usize, n_edges: usize, rng: &mut fastrand::Rng) -> usize {
        let way = n_edges as f64 * EDGE / SLACK;
        let start = self.places[from];
        let tried = (0..TRIES).map(|_| start + unit(rng) * way);
        let room = |to: &Vec3| {
            let distances = self.branches.iter().map(|&([a, b], _)| {
                let (a, b) = (self.places[a], self.places[b]);
                // A branch of the same junction begins at the same point: a little way out it must be apart.
                let near = start.lerp(to, 0.3);
                segments_apart([&near, to], [&a.lerp(&b, 0.1), &a.lerp(&b, 0.9)])
            });
            distances.fold(f64::INFINITY, f64::min)
        };
        let best = tried.max_by(|a, b| room(a).total_cmp(&room(b)));
        self.places.push(best.unwrap_or(start));
        let to = self.places.len() - 1;
        self.branches.push(([from, to], n_edges));
        to
    }

    /// As cables with that radius for the number of open ends behind them.
    fn scene(&self, radius: impl Fn(usize) -> f64) -> Scene {
        let mut twigs = vec![0; self.places.len()];
        for &([from, to], _) in self.branches.iter().rev() {
            twigs[to] = twigs[to].max(1);
            twigs[from] += twigs[to];
        }
        let mut scene = Scene::default();
        let mut ends: Vec<Vec<JunctionEnd>> = vec![Vec::new(); self.places.len()];
        for (k, &([from, to], n_edges)) in self.branches.iter().enumerate() {
            let (a, b) = (self.places[from], self.places[to]);
            let rotation = rotation_along(&(b - a)).unwrap_or_default();
            let poses = [a, b].map(|position| Pose { position, rotation });
            let length = n_edges as f64 * EDGE;
            let name = format!("branch {k}");
            for (place, handle) in [(from, "start"), (to, "end")] {
                ends[place].push(JunctionEnd {
                    cable: name.clone(),
                    handle: handle.to_owned(),
                    in_junction: Pose {
                        position: Vec3::zeros(),
                        rotation,
                    },
                });
            }
            let cable = clamped(name, radius(twigs[to]), length, n_edges, poses);
            scene.cables.push(cable);
        }
        for (k, ends) in ends.into_iter().enumerate().filter(|(_, e)| e.len() > 1) {
            scene.junctions.push(Junction {
                name: format!("node {k}"),
                pose: Pose {
                    position: self.places[k],
                    rotation: Rotation::identity(),
                },
                ends,
                carries: Vec::new(),
                free: false,
                mass_kg: 0.0,
            });
        }
        scene
    }
}

/// About how far two segments are apart: the least distance of points along them.
fn segments_apart(a: [&Vec3; 2], b: [&Vec3; 2]) -> f64 {
    let nearest = crate::contact::distance::segment_segment(a[0], a[1], b[0], b[1]);
    (a[0].lerp(a[1], nearest.s) - b[0].lerp(b[1], nearest.t)).norm()
}

fn unit(rng: &mut fastrand::Rng) -> Vec3 {
    loop {
        let v = Vec3::from_fn(|_, _| 2.0 * rng.f64() - 1.0);
        if v.norm() > 0.1 && v.norm() < 1.0 {
            return v.normalize();
        }
    }
}
