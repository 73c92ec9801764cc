//! Ends of harnesses with free junctions, sent to random places.
//!
//! The long run: `LOOMWRIGHT_DRAG_STEPS=4000 cargo test --release --test harness drag -- --nocapture`.

use std::sync::Arc;

use loomwright::check::{CableChecker, Checker};
use loomwright::contact::Obstacle;
use loomwright::contact::pair::OWN_WINDOW;
use loomwright::geom::{Aabb, Pose, Rotation, Vec3};
use loomwright::mesh::{TriMesh, primitives};
use loomwright::solve::{
    Blocker, Body, BodyEnd, Budget, Problem, Report, Solver, Status, Target, step_coupled,
};

use crate::net::{Net, along, apart, is_strand, rod_between, section, star};
use crate::shells::{BodyJudge, with_blocks};

/// Iterations of a frame, as in the window.
const ITERATIONS: usize = 200;
/// Frames after which the harness starts again from its first shape.
const SERIES: usize = 100;
/// How far an end goes from where it starts, mm.
const REACH: f64 = 100.0;

fn frames() -> usize {
    let long = std::env::var("LOOMWRIGHT_DRAG_STEPS").ok();
    long.and_then(|n| n.parse().ok()).unwrap_or(24)
}

/// What became of the frames.
#[derive(Debug, Default)]
struct Tally {
    frames: usize,
    reached: usize,
    taut: usize,
    blocked: usize,
    late: usize,
    not_converged: usize,
    on_the_way: usize,
    touching: usize,
    /// Frames at whose end a body touches the part, and a cable.
    bodies_on_part: usize,
    bodies_on_cable: usize,
    part_crossings: usize,
    cable_crossings: usize,
    body_part_crossings: usize,
    body_cable_crossings: usize,
    body_iterates: usize,
    smallest_gap: f64,
    worst_imbalance: f64,
    worst_ms: f64,
    iterations: usize,
}

/// The judge of one series.
struct Judge<'c> {
    cables: CableChecker,
    parts: &'c Checker,
    bodies: BodyJudge<'c>,
    last: Vec<Vec<Vec3>>,
    crossings: usize,
}

impl<'c> Judge<'c> {
    fn new(net: &Net, parts: &'c Checker, part: &TriMesh) -> Self {
        let mut cables = CableChecker::new();
        for rod in net.rods.iter().filter(|rod| !is_strand(rod)) {
            let radius = rod.problem().radius;
            cables.add(radius, OWN_WINDOW * radius, &rod.state().positions);
        }
        for apart in apart(&net.rods, &net.bodies) {
            if apart.rods.iter().any(|&r| is_strand(&net.rods[r as usize])) {
                continue;
            }
            let range = |k: usize| apart.edges[k].start as usize..apart.edges[k].end as usize;
            cables.meet(apart.rods.map(|r| r as usize), [range(0), range(1)]);
        }
        let last = net.rods.iter().map(|rod| rod.state().positions.clone());
        Self {
            cables,
            parts,
            bodies: BodyJudge::new(net, parts, part),
            last: last.collect(),
            crossings: 0,
        }
    }

    fn push(&mut self, rod: usize, nodes: &[Vec3], strand: bool) {
        self.bodies.push(rod, nodes);
        if strand {
            return;
        }
        self.cables.push(rod, nodes);
        let found = self.parts.check_motion(&self.last[rod], nodes);
        self.crossings += usize::from(found.is_some());
        self.last[rod].copy_from_slice(nodes);
    }

    fn close(mut self, tally: &mut Tally) {
        self.bodies.judge();
        tally.body_part_crossings += self.bodies.part_crossings;
        tally.body_cable_crossings += self.bodies.cable_crossings;
        tally.body_iterates += self.bodies.iterates;
        let summary = self.cables.finish();
        tally.part_crossings += self.crossings;
        tally.cable_crossings += summary.n_crossings;
        tally.smallest_gap = tally.smallest_gap.min(summary.smallest_gap);
    }
}

fn step(net: &mut Net, budget: &Budget, judge: &mut Judge) -> Vec<Report> {
    let targets: Vec<&[Option<Target>]> = net.targets.iter().map(Vec::as_slice).collect();
    let strands: Vec<bool> = net.rods.iter().map(is_strand).collect();
    let mut on_iterate = |rod: usize, nodes: &[Vec3]| judge.push(rod, nodes, strands[rod]);
    step_coupled(
        &mut net.rods,
        &mut net.pairs,
        &[],
        &targets,
        budget,
        Some(&mut on_iterate),
    )
    .into_vec()
}

fn unit(rng: &mut fastrand::Rng) -> Vec3 {
    loop {
        let v = Vec3::from_fn(|_, _| 2.0 * rng.f64() - 1.0);
        if v.norm() > 0.1 && v.norm() < 1.0 {
            return v.normalize();
        }
    }
}

/// Gives the rods of a harness friction, a part, and eyes for each other.
fn among(mut net: Net, part: &TriMesh) -> Net {
    let obstacles = Arc::new(vec![Obstacle::new(part)]);
    for rod in &mut net.rods {
        rod.set_problem(Problem {
            obstacles: Arc::clone(&obstacles),
            friction: 0.2,
            self_contact: !is_strand(rod),
            ..rod.problem().clone()
        });
    }
    net
}

fn drive(name: &str, mut net: Net, seed: u64) -> Tally {
    net.rest();
    let part = block_below(&net);
    let course = Course {
        seed,
        series: SERIES,
        reach: REACH,
        first_ways: &[],
    };
    drive_over(name, &part, net, &course)
}

/// How the ends of a harness are dragged.
struct Course<'a> {
    seed: u64,
    /// Frames after which it starts again, and how far ends go from there, mm.
    series: usize,
    reach: f64,
    /// Ways of ends (rod, grip) before that, one after the other.
    first_ways: &'a [(usize, usize, Vec3)],
}

/// Drags the ends of a harness at rest over a part.
fn drive_over(name: &str, part: &TriMesh, net: Net, course: &Course) -> Tally {
    let mut rng = fastrand::Rng::with_seed(course.seed);
    let parts = Checker::new([("part", part)]);
    let whole = Budget::of_iterations(usize::MAX);
    let budget = Budget::of_iterations(ITERATIONS);
    let mut fresh = among(net, part);
    let mut first = Judge::new(&fresh, &parts, part);
    step(&mut fresh, &whole, &mut first);
    for &(r, k, way) in course.first_ways {
        fresh.shift(r, k, way);
        step(&mut fresh, &whole, &mut first);
    }
    let mut tally = Tally {
        smallest_gap: f64::INFINITY,
        ..Tally::default()
    };
    first.close(&mut tally);
    let home = fresh.targets.clone();
    let ends: Vec<(usize, usize)> = (home.iter().enumerate())
        .flat_map(|(r, own)| (0..own.len()).map(move |k| (r, k)))
        .filter(|&(r, k)| home[r][k].is_some())
        .collect();
    let mut net = fresh.clone();
    let mut judge = Judge::new(&net, &parts, part);
    for frame in 0..frames() {
        if frame % course.series == 0 && frame > 0 {
            net = fresh.clone();
            std::mem::replace(&mut judge, Judge::new(&net, &parts, part)).close(&mut tally);
        }
        let (r, k) = ends[rng.usize(0..ends.len())];
        // From 0.1 to 200 mm, evenly on a log scale, and not too far from home.
        let way = unit(&mut rng) * (0.1 * 2000.0_f64.powf(rng.f64()));
        let at_home = home[r][k].unwrap().pose.position;
        let mut to = net.targets[r][k].unwrap();
        to.pose.position += way;
        let off = to.pose.position - at_home;
        if off.norm() > course.reach {
            to.pose.position = at_home + off * (course.reach / off.norm());
        }
        let turn = unit(&mut rng) * (rng.f64() * 60.0_f64.to_radians());
        if rng.usize(0..3) == 0 {
            to.pose.rotation *= Rotation::from_scaled_axis(turn);
        }
        net.targets[r][k] = Some(to);
        let mut reports = step(&mut net, &budget, &mut judge);
        let any = |status: Status| reports.iter().any(|r| r.status == status);
        let (late, on_the_way) = (any(Status::NotConverged), any(Status::OnTheWay));
        if late || on_the_way {
            tally.late += usize::from(late);
            tally.on_the_way += usize::from(!late);
            reports = step(&mut net, &whole, &mut judge);
        }
        tally.count(name, frame, &net, &reports, (r, k));
        // Let go: what was stopped stays where it is.
        let roll = net.rods[r].grip_roll(k);
        let mut pose = net.rods[r].grip_pose(k);
        pose.rotation *= Rotation::from_scaled_axis(Vec3::z() * -roll);
        net.targets[r][k] = Some(Target { pose, roll });
    }
    judge.close(&mut tally);
    println!("{name}: {tally:?}");
    tally.check();
    tally
}

impl Tally {
    fn count(
        &mut self,
        name: &str,
        frame: usize,
        net: &Net,
        reports: &[Report],
        (r, k): (usize, usize),
    ) {
        self.frames += 1;
        let touches = |r: &Report| !r.contacts.is_empty() || !r.rod_contacts.is_empty();
        self.touching += usize::from(reports.iter().any(touches));
        let n_cables = net.rods.iter().filter(|rod| !is_strand(rod)).count();
        let (cables, shells) = reports.split_at(n_cables);
        let on_part = shells.iter().any(|r| !r.contacts.is_empty());
        let on_shell = |r: &Report| r.rod_contacts.iter().any(|c| c.rod >= n_cables);
        self.bodies_on_part += usize::from(on_part);
        self.bodies_on_cable += usize::from(cables.iter().any(on_shell));
        let cpu: f64 = reports.iter().map(|r| r.cpu_ms).sum();
        self.worst_ms = self.worst_ms.max(cpu);
        self.iterations += reports.iter().map(|r| r.iterations).max().unwrap();
        for rod in &net.rods {
            assert!(rod.state().is_finite());
        }
        let any = |status: Status| reports.iter().any(|r| r.status == status);
        let handle = &reports[r].handles[k];
        if any(Status::NotConverged) {
            self.not_converged += 1;
            println!("{name} {frame}: not converged, {handle:?}");
            return;
        }
        let all = reports.to_vec().into();
        for b in 0..net.bodies.len() {
            let [force, moment] = net.imbalance(b, &all);
            self.worst_imbalance = self.worst_imbalance.max(force).max(moment);
        }
        match handle.blocker {
            None => self.reached += 1,
            Some(Blocker::Length { .. }) => self.taut += 1,
            Some(_) => self.blocked += 1,
        }
    }

    fn check(&self) {
        assert_eq!(self.part_crossings, 0, "a cable went through a part");
        assert_eq!(self.cable_crossings, 0, "a cable went through a cable");
        assert_eq!(self.body_part_crossings, 0, "a body went through a part");
        assert_eq!(self.body_cable_crossings, 0, "a cable went through a body");
        assert!(self.smallest_gap >= -0.01, "{self:?}");
        assert!(self.touching > 0, "a drag without contact proves nothing");
        assert!(
            self.not_converged * 1000 <= self.frames.max(1000),
            "{self:?}"
        );
        assert!(self.late * 1000 <= self.frames.max(1000), "{self:?}");
        assert!(self.worst_imbalance < 1e-4, "{self:?}");
    }
}

/// A block in the middle, its top just below what hangs above it.
fn block_below(net: &Net) -> TriMesh {
    block_under(net.rods.iter(), 0.0, 80.0)
}

/// A block of that half width about x, its top just below those rods.
fn block_under<'a>(rods: impl Iterator<Item = &'a Solver>, x: f64, half: f64) -> TriMesh {
    let undersides = rods.flat_map(|rod| {
        let above = (rod.state().positions.iter())
            .filter(|p| (p.x - x).abs() < half + 20.0 && p.y.abs() < 120.0);
        above.map(|p| p.z - rod.problem().radius)
    });
    let lowest = undersides.fold(f64::INFINITY, f64::min);
    primitives::cuboid(&Aabb {
        min: Vec3::new(x - half, -100.0, -300.0),
        max: Vec3::new(x + half, 100.0, lowest - 0.3),
    })
}

#[test]
fn drag_of_a_junction_of_three_over_a_block() {
    let outer = [
        Vec3::new(-300.0, 0.0, 0.0),
        Vec3::new(280.0, 150.0, 30.0),
        Vec3::new(250.0, -200.0, -20.0),
    ];
    drive("three", star(Vec3::zeros(), &outer, 1.06, 24), 1);
}

#[test]
fn drag_of_a_star_of_six_over_a_block() {
    let outer: Vec<Vec3> = (0..6)
        .map(|k| {
            let a = f64::from(k) * std::f64::consts::TAU / 6.0;
            Vec3::new(260.0 * a.cos(), 260.0 * a.sin(), 30.0)
        })
        .collect();
    drive("six", star(Vec3::zeros(), &outer, 1.08, 16), 2);
}

/// Two junctions, two branches on each side, and a trunk between them over the block.
fn trunk(mass_kg: f64, aside: f64) -> Net {
    let places = [-90.0, 90.0].map(|x| Vec3::new(x, 0.0, 5.0));
    let bodies = places.map(|p| along(p, Vec3::x()));
    let outer = [
        Vec3::new(-330.0, 120.0, 20.0),
        Vec3::new(-310.0, -140.0, 0.0),
        Vec3::new(320.0, 130.0, 10.0),
        Vec3::new(330.0, -110.0, 40.0),
    ];
    let mut rods = Vec::new();
    let mut ends = [Vec::new(), Vec::new()];
    for (r, place) in outer.iter().enumerate() {
        let body = &bodies[r / 2];
        let way = (place - body.position).normalize();
        let here = along(body.position + way * aside, way);
        let there = along(*place, way);
        let length = 1.06 * (place - here.position).norm();
        rods.push(rod_between([here, there], length, 18, section()));
        ends[r / 2].push(BodyEnd {
            rod: r,
            grip: 0,
            in_body: body.inverse().compose(&here),
        });
    }
    let inner = [aside, -aside].map(|x| Vec3::x() * x);
    let trunk_ends: [Pose; 2] =
        std::array::from_fn(|k| along(bodies[k].position + inner[k], Vec3::x()));
    let length = 1.04 * (trunk_ends[1].position - trunk_ends[0].position).norm();
    rods.push(rod_between(trunk_ends, length, 14, section()));
    for k in 0..2 {
        ends[k].push(BodyEnd {
            rod: 4,
            grip: k,
            in_body: bodies[k].inverse().compose(&trunk_ends[k]),
        });
    }
    let bodies = bodies.into_iter().zip(ends).map(|(pose, ends)| Body {
        pose,
        mass_kg,
        center: Vec3::new(0.0, 0.0, -0.5 * aside),
        ends,
        most_turn: f64::INFINITY,
    });
    Net::new(rods, bodies.collect())
}

#[test]
fn drag_of_a_trunk_with_two_junctions_over_a_block() {
    drive("trunk", trunk(0.0, 0.0), 3);
}

#[test]
fn drag_of_a_trunk_with_two_heavy_blocks_whose_cables_leave_them_aside() {
    drive("heavy", trunk(0.05, 12.0), 4);
}

/// The trunk with a block at each junction, and a cable that crosses over the first of them.
fn blocks() -> Net {
    let mut net = trunk(0.05, 12.0);
    net.rest();
    let mut bodies = net.bodies.clone();
    for (b, body) in bodies.iter_mut().enumerate() {
        body.pose = net.pose(b);
    }
    let shells = with_blocks(&Net::new(net.rods.clone(), bodies.clone()));
    let middle = bodies[0].pose.position;
    let own = (shells.rods.iter()).filter(|rod| is_strand(rod));
    let tops = own.flat_map(|rod| {
        let nodes = rod.state().positions.iter();
        let near = nodes.filter(|p| (*p - middle).norm() < 40.0);
        near.map(|p| p.z + rod.problem().radius)
    });
    let top = tops.fold(f64::NEG_INFINITY, f64::max);
    let ends = |z: f64| [-180.0, 180.0].map(|y| along(Vec3::new(middle.x, y, z), Vec3::y()));
    let crossing = |z: f64| rod_between(ends(z), 380.0, 20, section());
    let mut alone = Net::new(vec![crossing(0.0)], Vec::new());
    alone.rest();
    let nodes = alone.rods[0].state().positions.iter();
    let lowest = nodes.map(|p| p.z).fold(f64::INFINITY, f64::min);
    let mut rods = net.rods.clone();
    rods.push(crossing(top + 4.0 + 0.8 - lowest));
    with_blocks(&Net::new(rods, bodies))
}

#[test]
fn drag_of_a_trunk_with_two_blocks_that_meet_things_themselves() {
    let mut net = blocks();
    net.rest();
    // Under the first block alone: cables leave it on both sides of what it stands over.
    let shells = net.rods.iter().filter(|rod| is_strand(rod));
    let part = block_under(shells, net.pose(0).position.x, 9.0);
    // The first block is set down on it, and the crossing cable on the block.
    let down = |r: usize, k: usize, by: f64| (r, k, Vec3::new(0.0, 0.0, -by));
    let ways = [
        down(0, 1, 50.0),
        down(1, 1, 50.0),
        down(5, 0, 30.0),
        down(5, 1, 30.0),
    ];
    // A long drag lifts the block off, so that it is set down again every few frames.
    let course = Course {
        seed: 5,
        series: 4,
        reach: REACH,
        first_ways: &ways,
    };
    let tally = drive_over("blocks", &part, net, &course);
    assert!(tally.bodies_on_part * 10 >= tally.frames, "{tally:?}");
    assert!(tally.bodies_on_cable * 10 >= tally.frames, "{tally:?}");
    assert!(tally.body_iterates > tally.frames, "{tally:?}");
}
