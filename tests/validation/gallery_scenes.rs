//! Figures of the papers as scenes of the program (`demo NAME`). docs/gallery.md shows them side by side.
//!
//! `LOOMWRIGHT_GALLERY_LONG` plays them to their ends.

use std::f64::consts::{PI, TAU};

use loomwright::geom::{Rotation, Vec3};
use loomwright::scene::{Cable, Command, Simulation, demo, refine};
use loomwright::solve::{Budget, CancelToken, Report, Status, TimeRule};

fn is_long() -> bool {
    std::env::var_os("LOOMWRIGHT_GALLERY_LONG").is_some()
}

fn opened(name: &str) -> Simulation {
    let simulation = Simulation::new(demo::demo(name).unwrap()).unwrap();
    assert_eq!(simulation.overlaps(), [], "{name}");
    simulation
}

/// Solves all cables; the report of the first.
fn solve(simulation: &mut Simulation) -> Report {
    let reports = simulation.solve_quietly(&CancelToken::default());
    for report in reports.iter() {
        assert_eq!(report.report.status, Status::Converged, "{}", report.cable);
    }
    reports[0].report.clone()
}

fn nodes(simulation: &Simulation) -> Vec<Vec3> {
    simulation.solvers()[0].state().positions.clone()
}

/// Turns a handle of the first cable about its own direction.
fn roll(simulation: &mut Simulation, handle: usize, angle: f64) {
    let cable = &simulation.scene().cables[0];
    let held = &cable.handles[handle];
    let turn = Rotation::from_axis_angle(&Vec3::z_axis(), angle);
    let q = (held.pose.rotation * turn).into_inner();
    let command = Command::MoveHandle {
        cable: cable.name.clone(),
        handle: held.name.clone(),
        position: None,
        rotation: Some([q.w, q.i, q.j, q.k]),
    };
    simulation.apply(&command).unwrap();
}

/// Twist of the first cable, turns.
fn twist(simulation: &Simulation) -> f64 {
    let state = simulation.solvers()[0].state();
    let joints = 0..state.turns.len();
    joints.map(|j| state.joint_twist(j)).sum::<f64>() / TAU
}

/// Writhe of an open curve: how often it crosses itself, with its sign, seen from all sides.
fn writhe(x: &[Vec3]) -> f64 {
    let unit = |v: Vec3| v.try_normalize(1e-12).unwrap_or_else(Vec3::zeros);
    let mut sum = 0.0;
    for i in 0..x.len() - 1 {
        for j in i + 2..x.len() - 1 {
            // The solid angle that the two edges span.
            let to = [
                x[j] - x[i],
                x[j + 1] - x[i],
                x[j + 1] - x[i + 1],
                x[j] - x[i + 1],
            ];
            let sides = [0, 1, 2, 3].map(|k| unit(to[k].cross(&to[(k + 1) % 4])));
            let angles = (0..4).map(|k| sides[k].dot(&sides[(k + 1) % 4]).clamp(-1.0, 1.0).asin());
            let side = (x[j + 1] - x[j]).cross(&(x[i + 1] - x[i])).dot(&to[0]);
            sum += side.signum() * angles.sum::<f64>() / TAU;
        }
    }
    sum
}

/// Tension over that of a loop without thickness, EI/(2 R^2), with the mean curvature of the loop where it is farthest from
/// the braid.
fn loop_share(simulation: &Simulation, report: &Report) -> f64 {
    let solver = &simulation.solvers()[0];
    let (rod, state) = (&solver.problem().rod, solver.state());
    let middle = state.positions.len() / 2;
    let curvature = |j: usize| {
        let [a, b] = [j - 1, j].map(|k| state.frames[k] * Vec3::z());
        a.angle(&b) / rod.joint_length(j)
    };
    let mean = (middle - 12..=middle + 12).map(curvature).sum::<f64>() / 25.0;
    2.0 * report.handles[1].force.x / (rod.section().bending[0] * mean * mean)
}

/// Rolls an end until the twist falls by itself: the turns by which it was rolled, and the twist and writhe after that.
///
/// What is rolled in is twist or writhe (White's theorem, but for the ends being open); a rope that goes through itself
/// changes their sum by two turns.
fn roll_until_it_jumps(mut simulation: Simulation, way: f64) -> Option<[f64; 3]> {
    let link = twist(&simulation) + writhe(&nodes(&simulation));
    let mut before = twist(&simulation);
    for k in 1..=60 {
        roll(&mut simulation, 1, way * PI / 3.0);
        solve(&mut simulation);
        let turns = way * f64::from(k) / 6.0;
        let (twist, writhe) = (twist(&simulation), writhe(&nodes(&simulation)));
        let off = twist + writhe - link - turns;
        assert!(off.abs() < 0.15, "{turns} turns: {off}");
        if (twist - before) * way < -0.4 {
            return Some([turns, twist, writhe]);
        }
        before = twist;
    }
    None
}

/// Bergou2008, figure 1: the simple knot keeps its shape for a while when an end is rolled, and then jumps, whichever way.
#[test]
fn bergou_figure_1() {
    let mut simulation = opened("trefoil");
    let report = solve(&mut simulation);
    let share = loop_share(&simulation, &report);
    println!("Bergou figure 1: tension {share:.3} of EI/(2 R^2)");
    // A loose knot is a circle of the radius at which its tails can pull. That is for a rope without thickness; the braid
    // takes a share that grows with the root of the rope's radius over that of the loop, here 0.2.
    assert!((1.0..1.4).contains(&share), "{share}");
    let jump = roll_until_it_jumps(simulation.clone(), -1.0);
    println!("Bergou figure 1: turns, twist and writhe after the jump {jump:.2?}");
    assert!(jump.is_some_and(|j| j[0] < -2.0), "{jump:?}");
    if is_long() {
        let mut thin = demo::demo("trefoil").unwrap();
        thin.cables[0].radius = 0.75;
        let mut thin = Simulation::new(thin).unwrap();
        let report = solve(&mut thin);
        let thinner = loop_share(&thin, &report);
        let jump = roll_until_it_jumps(simulation, 1.0);
        println!(
            "Bergou figure 1: a quarter as thick {thinner:.3}; rolled the other way {jump:.2?}"
        );
        assert!(1.0 < thinner && thinner < share, "{thinner}");
        assert!(jump.is_some_and(|j| j[0] > 2.0), "{jump:?}");
    }
}

/// Bergou2008, figure 2: a coil pulled straight loses its straightness where theory says, and its halves wind opposite ways.
#[test]
fn bergou_figure_2() {
    let mut simulation = opened("perversion");
    let report = solve(&mut simulation);
    let section = *simulation.solvers()[0].problem().rod.section();
    // The straight coil is stable above B^2 k^2/C (Goriely and Tabor 1998), clamped ends 4 pi^2 B/L^2 lower.
    let [b, c] = [section.bending[0], section.torsion];
    let expected = b * b / (25.0 * 25.0 * c) - 4.0 * PI * PI * b / 1e6;
    let tension = report.handles[1].force.x;
    println!("Bergou figure 2: {tension:.4} N when it begins to wind, theory {expected:.4}");
    // Held at its full length it has given way by what it can stretch: 120 edges, and 3e-5 of stretch.
    assert!(
        (tension / expected - 1.0).abs() < 0.01,
        "{tension} {expected}"
    );
    for x in [985.0, 900.0, 800.0, 700.0] {
        let command = Command::MoveHandle {
            cable: "ribbon".to_owned(),
            handle: "end".to_owned(),
            position: Some([x, 0.0, 0.0]),
            rotation: None,
        };
        simulation.apply(&command).unwrap();
        solve(&mut simulation);
    }
    let x = nodes(&simulation);
    let middle = x.len() / 2;
    let [left, right] = [writhe(&x[..=middle]), writhe(&x[middle..])];
    println!(
        "Bergou figure 2: writhe of the halves {left:.3} and {right:.3}, twist {:.1e}",
        twist(&simulation)
    );
    assert!(left.abs() > 0.3, "no helix");
    assert!((left + right).abs() < 0.02 * left.abs(), "{left} {right}");
}

/// Bergou2008, figure 9: a hanging rope that is rolled takes up twist, until it winds round itself.
#[test]
fn bergou_figure_9() {
    let mut simulation = opened("plectonemes");
    solve(&mut simulation);
    let link = twist(&simulation) + writhe(&nodes(&simulation));
    let mut most = 0.0_f64;
    let mut contacts = 0;
    for k in 1..=30 {
        roll(&mut simulation, 1, PI / 3.0);
        contacts = solve(&mut simulation).rod_contacts.len();
        let (twist, writhe) = (twist(&simulation), writhe(&nodes(&simulation)));
        most = most.max(twist);
        let off = twist + writhe - link - f64::from(k) / 6.0;
        // The ends are open: the curve that closes the rope has a share too.
        assert!(off.abs() < 0.15, "{k}: {off}");
    }
    let (twist, writhe) = (twist(&simulation), writhe(&nodes(&simulation)));
    println!(
        "Bergou figure 9: {most:.2} turns of twist at most, {twist:.2} after 5 turns, writhe {writhe:.2}, {contacts} contacts with itself"
    );
    assert!(
        most - twist > 0.3 && writhe > 1.5,
        "{most} {twist} {writhe}"
    );
    assert!(contacts > 20, "{contacts}");
}

/// A weight on a rope, whose upper end is rolled by so many turns in 0.3 s: height and turn rate of the weight over time.
fn pendulum(turns: f64, seconds: f64, step: f64, rule: TimeRule) -> Vec<[f64; 2]> {
    let mut simulation = opened("pendulum");
    solve(&mut simulation);
    // A little aside, so that the rope knows which way to give.
    let aside = Command::SetGravity {
        gravity: [0.1, 0.0, -9.81],
    };
    simulation.apply(&aside).unwrap();
    simulation.set_in_motion(0.0, Some(0.0));
    let budget = Budget::of_iterations(400);
    let mut rolled = 0.0;
    let mut found = Vec::new();
    for k in 0..(seconds / step) as usize {
        let mut plan = |simulation: &mut Simulation, at: f64| {
            let now = (k as f64 * step + at) / 0.3;
            let goal = TAU * turns * now.min(1.0);
            roll(simulation, 0, goal - rolled);
            rolled = goal;
            Ok(())
        };
        let reports = simulation
            .advance(rule, step, &budget, None, &mut plan)
            .unwrap();
        assert_eq!(reports[0].report.status, Status::Converged, "step {k}");
        let solver = &simulation.solvers()[0];
        let last = solver.state().frames.len() - 1;
        found.push([solver.state().positions[last + 1].z, solver.spins()[last].z]);
    }
    found
}

/// Kirsch2012, the pendulum: the weight turns as a torsion pendulum; twisted too far the rope buckles, lifts the weight and lets it down again.
#[test]
fn kirsch_pendulum() {
    let found = pendulum(0.05, 1.3, 0.006, TimeRule::SecondOrder);
    let rates: Vec<f64> = found.iter().map(|s| s[1]).collect();
    let zeros: Vec<f64> = (51..rates.len())
        .filter(|&k| rates[k - 1] * rates[k] < 0.0)
        .map(|k| k as f64 + rates[k - 1] / (rates[k - 1] - rates[k]) - 1.0)
        .collect();
    let period = 0.006 * 2.0 * (zeros[zeros.len() - 1] - zeros[0]) / (zeros.len() - 1) as f64;
    // A ball of 0.1 kg and 2000 kg/m^3 on GJ/L.
    let radius = (0.75 * 0.1 / (2000.0 * PI)).cbrt();
    let moment = 0.4 * 0.1 * radius * radius * 1e3;
    let expected = TAU * (moment / (1100.0 / 500.0)).sqrt();
    println!("Kirsch pendulum: period {period:.4} s, theory {expected:.4} s");
    assert!(
        (period / expected - 1.0).abs() < 0.01,
        "{period} {expected}"
    );
    // 17 turns in 0.3 s store three times what it takes to lift the weight to where the rope is held.
    let seconds = if is_long() { 0.8 } else { 0.36 };
    let found = pendulum(17.0, seconds, 0.005, TimeRule::Euler);
    let rise = |s: &[f64; 2]| s[0] - found[0][0];
    let highest = found.iter().map(rise).fold(0.0, f64::max);
    let fastest = found.iter().map(|s| s[1]).fold(0.0, f64::max);
    let slowest = found.iter().skip_while(|s| s[1] < fastest).map(|s| s[1]);
    let slowest = slowest.fold(fastest, f64::min);
    let last = found.last().map_or(0.0, rise);
    println!(
        "Kirsch pendulum: {fastest:.0} rad/s, then {slowest:.0}; lifted by {highest:.0} mm, {last:.0} mm at the end"
    );
    assert!(highest > 100.0 && slowest < 0.5 * fastest);
    assert!(!is_long() || last < 0.2 * highest, "not let down: {last}");
}

/// Bergou2008, figure 12: a tree of 2158 vertices in wind.
#[test]
fn bergou_figure_12() {
    let mut simulation = opened("tree");
    let edges: usize = simulation.scene().cables.iter().map(|c| c.n_edges).sum();
    assert_eq!(edges + 1, 2158);
    simulation.set_in_motion(0.5, None);
    let budget = Budget::of_iterations(400);
    let wind = Command::SetGravity {
        gravity: [0.0, 6.0, -9.81],
    };
    simulation.apply(&wind).unwrap();
    let before: Vec<Vec3> = simulation
        .solvers()
        .iter()
        .map(|s| s.state().positions[26])
        .collect();
    let mut plan = |_: &mut Simulation, _: f64| Ok(());
    for k in 0..3 {
        let reports = simulation
            .advance(TimeRule::Euler, 0.01, &budget, None, &mut plan)
            .unwrap();
        assert!(
            reports.iter().all(|r| r.report.status == Status::Converged),
            "step {k}"
        );
    }
    // Branches stay where they have grown: at the fork, and at their angle.
    let mut off = 0.0_f64;
    let scene = simulation.scene();
    for fork in &scene.junctions {
        for end in &fork.ends {
            let named = |c: &Cable| c.name == end.cable;
            let k = scene.cables.iter().position(named).unwrap();
            let state = simulation.solvers()[k].state();
            let held = state.clamp_pose(usize::from(end.handle == "end"));
            let (held, there) = (held.unwrap(), fork.pose.compose(&end.in_junction));
            off = off.max((held.position - there.position).norm());
            off = off.max(held.rotation.angle_to(&there.rotation));
        }
    }
    let after = simulation.solvers().iter().map(|s| s.state().positions[26]);
    let moved: Vec<Vec3> = after.zip(before).map(|(a, b)| a - b).collect();
    let mean = moved.iter().sum::<Vec3>() / moved.len() as f64;
    println!(
        "Bergou figure 12: forks off by {off:.1e}, branches moved by {mean:.3?} mm in the mean"
    );
    assert!(off < 1e-6, "{off}");
    assert!(mean.y > 1.0 && mean.z < -1.0, "{mean}");
}

/// Gregoire2007, figure 1.17: between the same ends, the thicker of equal cables is the rounder; the second model agrees.
#[test]
fn gregoire_figure_1_17() {
    let mut simulation = opened("radii");
    let cancel = CancelToken::default();
    let reports = simulation.solve_quietly(&cancel);
    let estimates = refine::verify(simulation.scene(), &reports, true, &cancel).unwrap();
    let curvatures: Vec<f64> = reports
        .iter()
        .map(|r| r.report.largest_bend / 7.0)
        .collect();
    let shape = |k: usize| &simulation.solvers()[k].state().positions;
    let across = Vec3::y() * 120.0;
    let pairs = shape(0).iter().zip(shape(2));
    let apart = pairs
        .map(|(a, b)| (b - a - across).norm())
        .fold(0.0, f64::max);
    println!(
        "Gregoire figure 1.17: largest curvature {curvatures:.5?} 1/mm, shapes up to {apart:.1} mm apart"
    );
    for estimate in &estimates {
        let other = estimate.second_opinion.unwrap();
        println!(
            "{}: +- {:.3} mm, other model {:.1e} mm",
            estimate.cable, estimate.shape, other.shape
        );
        // What is between them is the shear of the default rod, which grows with the square of the radius.
        assert!(estimate.holds(), "{estimate:?}");
        assert!(other.shape < 2e-4 * 700.0, "{}", other.shape);
    }
    assert!(curvatures[0] > 1.2 * curvatures[1] && curvatures[1] > curvatures[2]);
    assert!(apart > 10.0, "{apart}");
}
