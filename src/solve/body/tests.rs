use super::*;
use crate::rod::{Rod, Section};
use crate::solve::coupled::Coupled;
use crate::solve::{
    Damping, Pairs, Problem, Stage, Target, TimeRule, begin_stage, end_stage, first_state,
    kinetic_and_potential, set_bodies_in_motion,
};

/// Three rods that leave a heavy body aside of its middle, one of them turning freely, and none of them at rest.
fn three() -> (Vec<Solver>, Pairs) {
    let section = Section {
        bending: [2e4, 1.5e4],
        torsion: 1.6e4,
        axial: 1e4,
        shear: 1e4,
        mass_kg_m: 0.1,
    };
    let body = Pose {
        position: Vec3::new(10.0, 5.0, -20.0),
        rotation: Rotation::from_scaled_axis(Vec3::new(0.4, -0.3, 0.2)),
    };
    let mut rods = Vec::new();
    let mut ends = Vec::new();
    let outer = [
        Vec3::new(-200.0, 30.0, 0.0),
        Vec3::new(150.0, 120.0, 40.0),
        Vec3::new(170.0, -90.0, -30.0),
    ];
    for (r, place) in outer.iter().enumerate() {
        let way = (place - body.position).normalize();
        let here = Pose {
            position: body.position + way * 15.0,
            rotation: crate::geom::rotation_along(&way).unwrap(),
        };
        let there = Pose {
            position: *place,
            rotation: crate::geom::rotation_along(&Vec3::new(way.x, 0.3, 0.2)).unwrap(),
        };
        let rod = Rod::uniform(1.03 * (place - here.position).norm(), 9, section).unwrap();
        let mut problem = Problem {
            gravity: Vec3::new(1.0, 2.0, -9.81),
            ..Problem::clamped(rod, 3.0)
        };
        if r == 2 {
            problem.grips[0].hold = Hold::Position;
        }
        let targets = [here, there].map(|pose| Some(Target::from(pose)));
        let state = first_state(&problem, &targets, &|_| true);
        rods.push(Solver::new(problem, state));
        ends.push(BodyEnd {
            rod: r,
            grip: 0,
            in_body: body.inverse().compose(&here),
        });
    }
    let mut pairs = Pairs::default();
    let body = Body {
        pose: body,
        mass_kg: 0.3,
        center: Vec3::new(4.0, -7.0, 11.0),
        ends,
        most_turn: f64::INFINITY,
    };
    pairs.set_bodies(&[body], &mut rods);
    (rods, pairs)
}

fn together<'a>(rods: &'a mut [Solver], pairs: &'a mut Pairs) -> Coupled<'a> {
    Coupled::new(rods, pairs, &[])
}

/// Energy after that much of the step in `rods` and `pairs`.
fn energy_after(rods: &[Solver], pairs: &Pairs, fraction: f64) -> f64 {
    let (mut rods, mut pairs) = (rods.to_vec(), pairs.clone());
    let mut all = together(&mut rods, &mut pairs);
    all.accept(fraction);
    all.energy()
}

#[test]
fn gradient_and_hessian_are_those_of_the_energy() {
    let (rods, pairs) = three();
    compare_with_differences(rods, pairs);
}

#[test]
fn inertia_and_damping_are_in_gradient_and_hessian() {
    let (mut rods, mut pairs) = three();
    let damping = Some(Damping {
        drag: 30.0,
        material: 2e-3,
    });
    for rod in &mut rods {
        rod.set_in_motion(damping);
    }
    set_bodies_in_motion(&mut pairs, damping);
    // What the stage at the start leaves behind is in the next.
    let stages: Vec<Stage> = TimeRule::SecondOrder.stages(1e-3, true).collect();
    begin_stage(&mut rods, &mut pairs, &stages[0]);
    let mut all = together(&mut rods, &mut pairs);
    all.each(|rod| {
        rod.stay();
        rod.no_motion();
    });
    all.find_contacts();
    all.assemble(true);
    all.find_direction(1e-3, 0.0);
    all.accept(1.0);
    end_stage(&mut rods, &mut pairs, &stages[0]);
    begin_stage(&mut rods, &mut pairs, &stages[1]);
    let [kinetic, _] = kinetic_and_potential(&rods, &pairs);
    assert!(kinetic > 0.0);
    // Away from where the stage begins, so that nothing is small by chance.
    let mut all = together(&mut rods, &mut pairs);
    all.assemble(true);
    all.find_direction(2.0, 0.0);
    all.accept(1.0);
    compare_with_differences(rods, pairs);
}

fn compare_with_differences(mut rods: Vec<Solver>, mut pairs: Pairs) {
    let mut rng = fastrand::Rng::with_seed(3);
    let mut random = move || rng.f64() - 0.5;
    for _ in 0..4 {
        let mut all = together(&mut rods, &mut pairs);
        all.each(|rod| {
            rod.stay();
            rod.no_motion();
            rod.work.shift = 0.0;
        });
        all.find_contacts();
        all.assemble(false);
        all.each(|rod| rod.prepare(0.0));
        let Pairs {
            coupling, bodies, ..
        } = &mut *all.pairs;
        bodies.prepare(all.rods);
        coupling.prescribe(all.rods, bodies);
        coupling.factor_fully(all.rods, bodies);
        // Any forces; what answers to them is the direction.
        for rod in all.rods.iter_mut() {
            for k in 0..rod.work.delta.len() {
                let free = !rod.fixed[k] && !rod.is_slaved(k);
                rod.work.delta[k] = if free { random() } else { 0.0 };
            }
        }
        bodies.all[0].delta = [0.0; 2].map(|_| Vec3::new(random(), random(), random()) * 10.0);
        let forces: Vec<Vec<f64>> = all.rods.iter().map(|r| r.work.delta.clone()).collect();
        let on_body = bodies.all[0].delta;
        coupling.solve(all.rods, bodies);
        let mut curvature: f64 = (0..2)
            .map(|k| on_body[k].dot(&bodies.all[0].delta[k]))
            .sum();
        let gradient = bodies.gradient(0, all.rods);
        let mut slope: f64 = (0..2)
            .map(|k| gradient[k].dot(&bodies.all[0].delta[k]))
            .sum();
        for (rod, forces) in all.rods.iter().zip(&forces) {
            for k in 0..forces.len() {
                curvature += forces[k] * rod.work.delta[k];
                if !rod.is_slaved(k) && !rod.fixed[k] {
                    slope += rod.work.system.gradient[k] * rod.work.delta[k];
                }
            }
        }
        let size = all
            .most(Solver::largest_way)
            .max(50.0 * all.most(Solver::largest_turn));
        let e = 0.02 / size;
        let [before, now, after] = [-e, 0.0, e].map(|f| energy_after(&rods, &pairs, f));
        let by_differences = (after - before) / (2.0 * e);
        assert!(
            (by_differences - slope).abs() < 1e-5 * slope.abs(),
            "slope {slope}, by differences {by_differences}"
        );
        let by_differences = (after - 2.0 * now + before) / (e * e);
        assert!(
            (by_differences - curvature).abs() < 1e-3 * curvature.abs(),
            "curvature {curvature}, by differences {by_differences}"
        );
    }
}

#[test]
fn ends_stay_where_the_body_has_them() {
    let (mut rods, mut pairs) = three();
    let mut all = together(&mut rods, &mut pairs);
    all.each(|rod| {
        rod.stay();
        rod.no_motion();
    });
    all.find_contacts();
    all.assemble(true);
    all.find_direction(20.0, 0.0);
    all.accept(0.7);
    let bodies = &all.pairs.bodies;
    for link in bodies.links_of(0) {
        let there = bodies.all[0].pose.transform(&link.arm);
        assert!((all.rods[link.rod].state.positions[0] - there).norm() < 1e-12);
    }
    // What is given up is given up by all.
    let before = all.pairs.bodies.all[0].rest;
    all.go_back();
    assert_eq!(all.pairs.bodies.all[0].pose, before);
}
