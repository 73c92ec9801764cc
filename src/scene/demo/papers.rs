//! Scenes of figures of the papers (docs/gallery.md).

use std::f64::consts::{FRAC_PI_2, PI};

use crate::geom::{Pose, Rotation, Vec3};
use crate::rod::RodState;
use crate::scene::{
    Cable, CableSection, Handle, HandlePlace, Junction, JunctionEnd, RestShape, Scene, Shape,
};

/// The section of a rubber cable.
const RUBBER: CableSection = CableSection {
    bending: 1500.0,
    bending2: None,
    torsion: 1100.0,
    axial: 1e4,
    mass_kg_m: 0.05,
};

/// d3 along x.
fn along_x() -> Rotation {
    Rotation::from_axis_angle(&Vec3::y_axis(), FRAC_PI_2)
}

/// A full round section of a material, by Young's modulus and shear modulus, N/mm^2, and kg/m^3.
fn full(radius: f64, [young, shear]: [f64; 2], density: f64) -> CableSection {
    let area = PI * radius * radius;
    let moment = 0.25 * area * radius * radius;
    CableSection {
        bending: young * moment,
        bending2: None,
        torsion: 2.0 * shear * moment,
        axial: young * area,
        mass_kg_m: 1e-6 * density * area,
    }
}

/// A cable in that shape, held at its ends where they have a direction.
fn shaped(name: &str, radius: f64, section: CableSection, state: RodState) -> Cable {
    let edges = state.positions.windows(2).map(|p| (p[1] - p[0]).norm());
    let mut cable = Cable::new(name, radius, edges.sum(), section);
    cable.n_edges = state.frames.len();
    let shape = Shape::of_rod(state);
    let held = [HandlePlace::Start, HandlePlace::End]
        .into_iter()
        .zip(shape.clamps);
    cable.handles = held
        .filter_map(|(place, pose)| Some(Handle::at_end(place, pose?)))
        .collect();
    cable.shape = Some(shape);
    cable
}

/// Points of a curve in equal steps along it.
fn equal_steps(curve: &[Vec3], n: usize) -> Vec<Vec3> {
    let mut along = vec![0.0];
    for p in curve.windows(2) {
        along.push(along[along.len() - 1] + (p[1] - p[0]).norm());
    }
    let length = along[along.len() - 1];
    (0..=n)
        .map(|i| {
            let s = length * i as f64 / n as f64;
            let k = along.partition_point(|&x| x < s).clamp(1, curve.len() - 1);
            let share = (s - along[k - 1]) / (along[k] - along[k - 1]);
            curve[k - 1].lerp(&curve[k], share)
        })
        .collect()
}

/// Bergou2008, figure 1: a simple knot, tied loosely in a rope whose ends are held.
pub fn trefoil() -> Scene {
    const N: usize = 140;
    /// Where the curve begins to run out along x, and where it ends.
    const OUT: [f64; 2] = [1.8, 2.35];
    // The trefoil as a polynomial.
    let at = |t: f64| {
        let out = ((t.abs() - OUT[0]) / (OUT[1] - OUT[0])).clamp(0.0, 1.0);
        let left = 1.0 - out * out * (3.0 - 2.0 * out);
        let x = 9.0 * (t.powi(5) - 10.0 * t);
        let across = Vec3::new(0.0, t.powi(4) - 4.0 * t * t, t.powi(3) - 3.0 * t);
        Vec3::x() * x + across * (20.0 * left)
    };
    let curve: Vec<Vec3> = (-2000..=2000)
        .map(|i| at(OUT[1] * f64::from(i) / 2000.0))
        .collect();
    let state = RodState::along(equal_steps(&curve, N), [Some(along_x()); 2]);
    Scene {
        gravity: Vec3::zeros(),
        friction: 0.0,
        cables: vec![shaped("rope", 3.0, RUBBER, state)],
        ..Scene::default()
    }
}

/// Bergou2008, figure 2: a ribbon that is a coil at rest, pulled straight without twist.
pub fn perversion() -> Scene {
    const N: usize = 120;
    /// Radius of the coil at rest, mm.
    const COIL: f64 = 25.0;
    let nodes = (0..=N).map(|i| Vec3::x() * (1000.0 * i as f64 / N as f64));
    let state = RodState::along(nodes.collect(), [Some(along_x()); 2]);
    let stiff = CableSection {
        axial: 1e5,
        ..RUBBER
    };
    let mut cable = shaped("ribbon", 1.5, stiff, state);
    cable.rest = RestShape::Moulded {
        curvatures: vec![[1.0 / COIL, 0.0, 0.0]; N + 1],
        share: 1.0,
        as_designed: None,
    };
    Scene {
        gravity: Vec3::zeros(),
        cables: vec![cable],
        ..Scene::default()
    }
}

/// Bergou2008, figure 9: a rope that hangs between its ends.
pub fn plectonemes() -> Scene {
    const N: usize = 160;
    let edge = 800.0 / N as f64;
    let mut nodes = vec![Vec3::new(0.0, 0.0, 500.0)];
    for i in 0..N {
        let angle = 1.2 * (2.0 * PI * (i as f64 + 0.5) / N as f64).sin();
        nodes.push(nodes[i] + Vec3::new(angle.cos(), 0.0, -angle.sin()) * edge);
    }
    let state = RodState::along(nodes, [Some(along_x()); 2]);
    Scene {
        cables: vec![shaped("rope", 4.0, RUBBER, state)],
        ..Scene::default()
    }
}

/// Kirsch2012, the pendulum: a weight on an upright rope, that turns and twists it.
pub fn pendulum() -> Scene {
    const N: usize = 60;
    let down = Rotation::from_axis_angle(&Vec3::x_axis(), PI);
    let nodes = (0..=N).map(|i| Vec3::z() * (600.0 - 500.0 * i as f64 / N as f64));
    let state = RodState::along(nodes.collect(), [Some(down); 2]);
    let rope = shaped("rope", 2.0, RUBBER, state);
    let pose = rope.handles[1].pose;
    let ends = vec![JunctionEnd {
        cable: rope.name.clone(),
        handle: rope.handles[1].name.clone(),
        in_junction: Pose::identity(),
    }];
    let weight = Junction {
        name: "weight".to_owned(),
        pose,
        ends,
        carries: Vec::new(),
        free: true,
        mass_kg: 0.1,
    };
    Scene {
        cables: vec![rope],
        junctions: vec![weight],
        ..Scene::default()
    }
}

/// Gregoire2007, figure 1.17: the same cable in three radii.
pub fn radii() -> Scene {
    let cable = |(k, (radius, name)): (usize, (f64, &str))| {
        // Rubber, which cannot be compressed.
        let section = full(radius, [20.0, 20.0 / 3.0], 1200.0);
        let mut cable = Cable::new(name, radius, 700.0, section);
        cable.n_edges = 100;
        let ends = [(HandlePlace::Start, 0.0), (HandlePlace::End, 400.0)];
        cable.handles = ends
            .into_iter()
            .map(|(place, x)| {
                let pose = Pose {
                    position: Vec3::new(x, 60.0 * k as f64, 400.0),
                    rotation: along_x(),
                };
                Handle::at_end(place, pose)
            })
            .collect();
        cable
    };
    let radii = [(2.0, "thin"), (4.0, "middle"), (8.0, "thick")];
    Scene {
        cables: radii.into_iter().enumerate().map(cable).collect(),
        ..Scene::default()
    }
}

/// Bergou2008, figure 12: a tree of 2158 vertices, its branches joined by rigid bodies. Wind is an acceleration across,
/// `set_gravity`.
pub fn tree() -> Scene {
    let mut scene = Scene::default();
    grow(&mut scene, &Pose::identity(), LEVELS.len() - 1);
    scene
}

/// Of twigs first, the trunk last: size over that of the trunk, edges, and branches that grow out of the end.
const LEVELS: [(f64, usize, usize); 5] = [
    (0.3, 26, 0),
    (0.42, 26, 3),
    (0.6, 26, 3),
    (0.8, 26, 3),
    (1.0, 77, 2),
];

/// Grows a branch from there along z, and those at its end.
fn grow(scene: &mut Scene, base: &Pose, level: usize) {
    let (size, n_edges, branches) = LEVELS[level];
    let (length, radius) = (400.0 * size, 10.0 * size * size);
    let at = |s: f64| base.transform(&(Vec3::z() * (length * s)));
    let nodes = (0..=n_edges).map(|i| at(i as f64 / n_edges as f64));
    let last = (branches > 0).then_some(base.rotation);
    let state = RodState::along(nodes.collect(), [Some(base.rotation), last]);
    let number = scene.cables.len();
    let name = |number: usize| format!("branch {number}");
    let wood = full(radius, [500.0, 175.0], 800.0);
    let branch = shaped(&name(number), radius, wood, state);
    scene.cables.push(branch);
    if branches == 0 {
        return;
    }
    let fork = Pose {
        position: at(1.0),
        rotation: base.rotation,
    };
    let end = |cable: String, handle: &str, in_junction: Pose| JunctionEnd {
        cable,
        handle: handle.to_owned(),
        in_junction,
    };
    let mut ends = vec![end(name(number), "end", Pose::identity())];
    for k in 0..branches {
        let around = 2.0 * PI * k as f64 / branches as f64 + 0.7 * level as f64;
        let around = Rotation::from_axis_angle(&Vec3::z_axis(), around);
        let aside = Pose {
            position: Vec3::zeros(),
            rotation: around * Rotation::from_axis_angle(&Vec3::x_axis(), 0.6),
        };
        ends.push(end(name(scene.cables.len()), "start", aside));
        grow(scene, &fork.compose(&aside), level - 1);
    }
    scene.junctions.push(Junction {
        name: format!("fork {number}"),
        pose: fork,
        ends,
        carries: Vec::new(),
        free: true,
        mass_kg: 1e-3,
    });
}
