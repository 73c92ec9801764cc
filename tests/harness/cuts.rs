//! A long rod, cut into pieces that junctions join again, has the shape of the long one.

use loomwright::geom::{Pose, Vec3};
use loomwright::rod::Rod;
use loomwright::solve::{Body, BodyEnd, CancelToken, Problem, Solver, Target, first_state};

use crate::net::{GRAVITY, Net, along, section, slice};

/// A cable that sags between two ends that look elsewhere.
fn long(n: usize) -> (Solver, [Option<Target>; 2]) {
    let rod = Rod::uniform(1000.0, n, section()).unwrap();
    let problem = Problem {
        gravity: GRAVITY,
        ..Problem::clamped(rod, 4.0)
    };
    let ends = [
        along(Vec3::zeros(), Vec3::new(1.0, 0.8, 0.3)),
        along(Vec3::new(700.0, 100.0, 50.0), Vec3::new(0.6, -1.0, 0.2)),
    ];
    let targets = ends.map(|pose| Some(Target::from(pose)));
    let state = first_state(&problem, &targets, &|_| true);
    (Solver::new(problem, state), targets)
}

/// The same cable in pieces, from the same first shape.
fn in_pieces(whole: &Solver, cuts: &[usize]) -> Net {
    let state = whole.state();
    let n = state.frames.len();
    let mut rods: Vec<Solver> = Vec::new();
    let mut bodies: Vec<Body> = Vec::new();
    let places: Vec<usize> = [0]
        .into_iter()
        .chain(cuts.iter().copied())
        .chain([n])
        .collect();
    for (k, span) in places.windows(2).enumerate() {
        let [from, to] = [span[0], span[1]];
        let clamp = |at: usize| match at {
            0 => state.clamps[0].unwrap(),
            at if at == n => state.clamps[1].unwrap(),
            at => state.frames[at].slerp(&state.frames[at - 1], 0.5),
        };
        let lengths = whole.problem().rod.rest_lengths()[from..to].to_vec();
        let problem = Problem {
            gravity: GRAVITY,
            ..Problem::clamped(Rod::new(lengths, section()).unwrap(), 4.0)
        };
        rods.push(Solver::new(
            problem,
            slice(state, from, to, [clamp(from), clamp(to)]),
        ));
        if k > 0 {
            let pose = Pose {
                position: state.positions[from],
                rotation: clamp(from),
            };
            let end = |rod: usize, grip: usize| BodyEnd {
                rod,
                grip,
                in_body: Pose::identity(),
            };
            bodies.push(Body {
                pose,
                mass_kg: 0.0,
                center: Vec3::zeros(),
                ends: vec![end(k - 1, 1), end(k, 0)],
                most_turn: f64::INFINITY,
            });
        }
    }
    Net::new(rods, bodies)
}

/// How far the nodes of the cable in pieces are from those of the whole one, at most, mm.
fn difference(n: usize, cuts: &[usize]) -> f64 {
    let (mut whole, targets) = long(n);
    let mut pieces = in_pieces(&whole, cuts);
    whole.step(&targets, &CancelToken::default(), None);
    pieces.rest();
    let nodes = pieces.rods.iter().enumerate().flat_map(|(k, rod)| {
        let skip = usize::from(k > 0);
        rod.state().positions.iter().skip(skip)
    });
    let both = nodes.zip(&whole.state().positions);
    both.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

#[test]
fn junctions_between_the_pieces_of_a_cable_do_not_show() {
    let coarse = difference(100, &[40, 70]);
    assert!(coarse < 2.0 * 0.005, "{coarse} mm with two cuts");
    let fine = difference(200, &[80, 140]);
    assert!(fine < 0.25 * coarse, "{fine} mm after {coarse} mm");
}

#[test]
fn a_chain_of_nine_junctions_does_not_show() {
    let cuts: Vec<usize> = (1..10).map(|k| 10 * k).collect();
    let off = difference(100, &cuts);
    assert!(off < 9.0 * 0.005, "{off} mm with nine cuts");
}
