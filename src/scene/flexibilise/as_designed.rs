//! As designed: the rest shape for which the shape that a cable has is its equilibrium under gravity.
//!
//! Forces n of the edges and moments m of the joints are in equilibrium with the weight where the gradient of the energy,
//! which is linear in them, vanishes. Of all such forces those of least elastic energy are taken, (n^2 / C + m^2 / B):
//! they are C J u with K u = w, where J is the derivative of the strains, K = J^T C J and w the weight; u is how the
//! moulded cable would sag at first order. The rest shape is what the material law then asks for: kappa_0 = kappa - m / B
//! for each joint, a rest length for each edge, and frames that stand across by the shear n / GA.
//! docs/theory/rod.md has the derivation.

use nalgebra::{DMatrix, DVector};

use super::unloaded::{Body, Unloaded};
use crate::geom::Vec3;
use crate::rod::Rod;
use crate::scene::{Cable, HandlePlace, JunctionEnd, RestShape, Scene, Simulation};
use crate::solve::CancelToken;

/// Rounds of correction: what the tilt of the frames changes is of second order, so that few are needed.
const ROUNDS: usize = 12;
/// Forces that are left over, at most, over the scale of forces of the cable. The solver asks for about 1e-8.
const BALANCED: f64 = 1e-11;
/// Tensions that are tried where a cable would buckle under its weight, over that weight.
const TENSIONS: [f64; 7] = [0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0];

/// Gives cables the rest shape with which they stay as they are under the scene's gravity. Returns the names of those that
/// do not: they are too soft to be held in that shape by any rest shape that was tried, and keep theirs.
pub fn hold(scene: &mut Scene, names: &[String]) -> Vec<String> {
    let mut found: Vec<(usize, Unloaded)> = Vec::new();
    let mut lost = Vec::new();
    for name in names {
        let Some(k) = scene.cables.iter().position(|c| c.name == *name) else {
            continue;
        };
        match rod_of(scene, k).and_then(|rod| Unloaded::new(rod, &scene.cables[k], &scene.gravity))
        {
            Some(unloaded) => found.push((k, unloaded)),
            None => lost.push(name.clone()),
        }
    }
    let bodies = free_bodies(scene, &found);
    let (numbers, mut rods): (Vec<usize>, Vec<Unloaded>) = found.into_iter().unzip();
    let mut tension = vec![0; rods.len()];
    // One that buckles is tightened; a tension of its own changes what its neighbours at a free junction carry.
    for _ in 0..TENSIONS.len() {
        balance(&mut rods, &bodies);
        let mut tightened = false;
        for (rod, level) in rods.iter_mut().zip(&mut tension) {
            if *level + 1 < TENSIONS.len() && !rod.is_stable() {
                *level += 1;
                rod.tighten(TENSIONS[*level]);
                tightened = true;
            }
        }
        if !tightened {
            break;
        }
    }
    for (k, rod) in numbers.into_iter().zip(rods) {
        if rod.residual() <= BALANCED && rod.is_stable() {
            let moves = straight_moves(scene, k);
            rod.give_to(&mut scene.cables[k], moves);
        } else {
            lost.push(scene.cables[k].name.clone());
        }
    }
    lost
}

/// The rod of a cable with all that weighs.
fn rod_of(scene: &Scene, k: usize) -> Option<Rod> {
    let cable = &scene.cables[k];
    let mut section = cable.section.of_rod();
    section.mass_kg_m += scene.fluid_mass_kg_m(cable);
    Rod::new(cable.edge_lengths(), section).ok()
}

/// Junctions that find their own place, with the ends of rods that they join; those that join others too count as held.
fn free_bodies(scene: &Scene, rods: &[(usize, Unloaded)]) -> Vec<Body> {
    let free = scene.junctions.iter().filter(|j| j.free);
    free.filter_map(|junction| {
        let end_of = |end: &JunctionEnd| {
            let of = |(k, _): &(usize, Unloaded)| scene.cables[*k].name == end.cable;
            let rod = rods.iter().position(of)?;
            let handle = scene.cables[rods[rod].0].handle(&end.handle)?;
            match handle.place {
                HandlePlace::Start => Some((rod, 0)),
                HandlePlace::End => Some((rod, 1)),
                HandlePlace::At(_) => None,
            }
        };
        Some(Body {
            center: junction.pose.transform(&scene.center_of(junction)),
            weight: scene.gravity * junction.mass_kg,
            ends: junction.ends.iter().map(end_of).collect::<Option<_>>()?,
        })
    })
    .collect()
}

/// Brings all rods into balance, and free bodies between them.
fn balance(rods: &mut [Unloaded], bodies: &[Body]) {
    for _ in 0..ROUNDS {
        let worst = rods.iter().map(Unloaded::residual).fold(0.0, f64::max);
        let n = 6 * bodies.len();
        if worst <= BALANCED && n == 0 {
            return;
        }
        // How each rod yields by itself, and with each motion of a body that it hangs on.
        let mut stiffness = DMatrix::<f64>::zeros(n, n);
        let mut force = DVector::<f64>::zeros(n);
        for (b, body) in bodies.iter().enumerate() {
            force.rows_mut(6 * b, 3).copy_from(&body.weight);
        }
        let mut answers = Vec::with_capacity(rods.len());
        for (r, rod) in rods.iter().enumerate() {
            let matrix = rod.factored();
            let own = rod.yields(&matrix, None);
            let mut modes = Vec::new();
            for (b, body) in bodies.iter().enumerate() {
                for (_, end) in body.ends.iter().filter(|(of, _)| *of == r) {
                    for axis in 0..6 {
                        let mode = body.motion(axis, rod, *end);
                        modes.push((6 * b + axis, rod.yields(&matrix, Some(&mode))));
                    }
                }
            }
            let left = rod.gradient_after(&own);
            for (b, body) in bodies.iter().enumerate() {
                for (_, end) in body.ends.iter().filter(|(of, _)| *of == r) {
                    for axis in 0..6 {
                        let mode = body.motion(axis, rod, *end);
                        let work = |g: &[f64]| mode.iter().map(|(k, v)| g[*k] * v).sum::<f64>();
                        force[6 * b + axis] -= work(&left);
                        for (column, answer) in &modes {
                            stiffness[(6 * b + axis, *column)] +=
                                work(&rod.stiffness_times(answer));
                        }
                    }
                }
            }
            answers.push((own, modes));
        }
        let motion = match stiffness.clone().cholesky() {
            Some(factors) => factors.solve(&force),
            None => DVector::zeros(n),
        };
        for (rod, (mut own, modes)) in rods.iter_mut().zip(answers) {
            for (column, mode) in &modes {
                let share = motion[*column];
                own.iter_mut().zip(mode).for_each(|(x, y)| *x += share * y);
            }
            rod.load(&own);
        }
    }
}

/// How far the cable would move if it were straight at rest, mm: alone, with its handles where they are.
fn straight_moves(scene: &Scene, k: usize) -> Option<f64> {
    let mut cable = scene.cables[k].clone();
    let before = cable.shape.as_ref()?.points.clone();
    cable.rest = RestShape::Straight;
    cable.skin = None;
    let alone = Scene {
        gravity: scene.gravity,
        materials: scene.materials.clone(),
        cables: vec![cable],
        ..Scene::default()
    };
    let mut simulation = Simulation::new(alone).ok()?;
    let reports = simulation.solve_quietly(&CancelToken::default());
    let solved = matches!(
        reports.first()?.report.status,
        crate::solve::Status::Converged
    );
    let after = &simulation.scene().cables[0].shape.as_ref()?.points;
    let moved = |(a, b): (&Vec3, &Vec3)| (a - b).norm();
    let most = before.iter().zip(after).map(moved).fold(0.0, f64::max);
    solved.then_some(most)
}

/// What to say of a cable that no rest shape keeps in its imported shape.
pub fn too_soft(cable: &str) -> String {
    format!(
        "cable \"{cable}\" is too soft, or its shape too slack, to stay in the imported shape under gravity, whatever it is \
         like without load: it stays preformed and will sag; give it a stiffer material or more clips"
    )
}

/// What is shown beside the forces of a cable that is held as designed.
pub fn remark(cable: &Cable) -> Option<String> {
    let as_designed = cable.as_designed()?;
    let instead = match as_designed.straight_moves_mm {
        Some(mm) => format!("straight instead would move it {mm:.2} mm"),
        None => "straight instead it would find no equilibrium".to_owned(),
    };
    Some(format!(
        "as designed: the imported shape is the equilibrium, so its preload and the forces of its handles are unknown; {instead}"
    ))
}
