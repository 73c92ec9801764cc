use super::*;
use crate::geom::{Pose, Rotation};
use crate::parallel::pretend_cores;
use crate::rod::{Rod, RodState};
use crate::solve::tests::{GRAVITY, section};
use crate::solve::{
    Body, BodyEnd, CancelToken, Problem, Reports, Status, Target, first_state, step_coupled,
};

/// A cable of so many edges and 1 m between two clamps, that hangs upwards: it has not been solved yet.
fn upside_down(n: usize, ends: [Vec3; 2]) -> (Solver, [Option<Target>; 2]) {
    let rod = Rod::new(vec![1000.0 / n as f64; n], section()).unwrap();
    let mut problem = Problem {
        gravity: -GRAVITY,
        ..Problem::clamped(rod, 4.0)
    };
    let along = Rotation::rotation_between(&Vec3::z(), &(ends[1] - ends[0])).unwrap();
    let targets = ends.map(|position| {
        let rotation = along;
        Some(Target::from(Pose { position, rotation }))
    });
    let state = first_state(&problem, &targets, &|_| true);
    problem.gravity = GRAVITY;
    (Solver::new(problem, state), targets)
}

/// Rods that are solved together, with what is between them.
#[derive(Clone)]
struct Net {
    rods: Vec<Solver>,
    pairs: Pairs,
    targets: Vec<[Option<Target>; 2]>,
}

impl Net {
    fn new(ends: &[[Vec3; 2]]) -> Self {
        let cables = ends.iter().map(|&ends| upside_down(40, ends));
        let (rods, targets) = cables.unzip();
        Self {
            rods,
            pairs: Pairs::default(),
            targets,
        }
    }

    /// Joins the ends of two cables to a body that finds its own place.
    fn join(&mut self, cables: [usize; 2], grips: [usize; 2]) {
        let at = |k: usize| self.rods[cables[k]].grip_pose(grips[k]);
        let pose = Pose {
            position: 0.5 * (at(0).position + at(1).position),
            rotation: Rotation::identity(),
        };
        let ends = [0, 1].map(|k| BodyEnd {
            rod: cables[k],
            grip: grips[k],
            in_body: pose.inverse().compose(&at(k)),
        });
        let body = Body {
            pose,
            mass_kg: 0.02,
            center: Vec3::zeros(),
            ends: ends.to_vec(),
            most_turn: 0.5,
        };
        for k in 0..2 {
            self.targets[cables[k]][grips[k]] = None;
        }
        self.pairs.set_bodies(&[body], &mut self.rods);
    }

    fn step(&mut self) -> Reports {
        let targets: Vec<&[Option<Target>]> = self.targets.iter().map(|t| &t[..]).collect();
        let cancel = CancelToken::default();
        let Self { rods, pairs, .. } = self;
        step_coupled(rods, pairs, &[], &targets, &cancel, None)
    }

    /// How many clusters are shared out, and the rods that are left to take their turns then.
    fn shared_out(&self) -> (usize, Vec<usize>) {
        let targets: Vec<&[Option<Target>]> = self.targets.iter().map(|t| &t[..]).collect();
        let Self {
            mut rods,
            mut pairs,
            ..
        } = self.clone();
        let mut together = Coupled::new(&mut rods, &mut pairs, &[]);
        let clusters = together
            .clusters(Targets::Lent(&targets))
            .map_or(0, |c| c.len());
        together.step_clusters(
            Targets::Lent(&targets),
            &Budget::of_iterations(usize::MAX),
            &mut None,
        );
        (clusters, together.awake.to_vec())
    }

    fn states(&self) -> Vec<RodState> {
        self.rods.iter().map(|rod| rod.state().clone()).collect()
    }
}

/// From x = 0 to 800 at that place.
fn across(y: f64, z: f64) -> [Vec3; 2] {
    [0.0, 800.0].map(|x| Vec3::new(x, y, z))
}

/// Lone cables, two that lie on each other, and two that a body joins.
fn harness() -> Net {
    let mut ends: Vec<[Vec3; 2]> = (0..12)
        .map(|k| across(1000.0 * f64::from(k), 0.0))
        .collect();
    ends.push(across(0.0, 3000.0));
    ends.push([0.0, 800.0].map(|x| Vec3::new(x, 0.2 * (x - 400.0), 3010.0)));
    ends.push(across(0.0, 6000.0));
    ends.push([800.0, 1600.0].map(|x| Vec3::new(x, 0.0, 6000.0)));
    let mut net = Net::new(&ends);
    net.join([14, 15], [1, 0]);
    net
}

#[test]
fn clusters_come_to_rest_as_if_each_were_alone_on_any_number_of_cores() {
    let mut together = [1, 2, 5].map(|n| {
        pretend_cores(n);
        let mut net = harness();
        assert_eq!(net.shared_out(), (14, vec![]));
        let reports = net.step();
        assert_eq!(
            reports.iter().map(|r| r.status).collect::<Vec<_>>(),
            [Status::Converged].repeat(reports.len())
        );
        let touching = reports.iter().map(|r| r.rod_contacts.len());
        (net.states(), touching.collect::<Vec<_>>(), net)
    });
    assert!(together[0].0 == together[1].0 && together[0].0 == together[2].0);
    // The two that touch know each other by their numbers among all.
    let contacts = together[0].2.pairs.contacts();
    assert!(
        !contacts.is_empty()
            && contacts
                .iter()
                .all(|c| c.rods.iter().all(|r| [12, 13].contains(r)))
    );
    assert!(together[0].1[12] > 0 && together[0].1[13] > 0);
    // Few enough that they take turns.
    let start = harness();
    for rods in [0..12, 12..14, 14..16] {
        let mut net = Net {
            rods: start.rods[rods.clone()].to_vec(),
            pairs: Pairs::default(),
            targets: start.targets[rods.clone()].to_vec(),
        };
        if rods.start == 14 {
            net = Net::new(&[
                across(0.0, 6000.0),
                [800.0, 1600.0].map(|x| Vec3::new(x, 0.0, 6000.0)),
            ]);
            net.join([0, 1], [1, 0]);
        }
        net.step();
        assert!(net.states()[..] == together[0].0[rods]);
    }
    // And they go on from there.
    let again = together[0].2.step();
    assert!(again.iter().all(|r| r.iterations == 0));
}

/// What falls onto another on its way is held by it, although both were far from each other.
#[test]
fn what_meets_on_the_way_takes_its_turn() {
    let mut ends: Vec<[Vec3; 2]> = (0..14)
        .map(|k| across(1000.0 * f64::from(k), 0.0))
        .collect();
    // Under the middle of the first, in the way of where it will hang.
    ends.push([
        Vec3::new(400.0, -495.0, -60.0),
        Vec3::new(400.0, 495.0, -60.0),
    ]);
    let mut net = Net::new(&ends);
    let middle = |net: &Net, r: usize| net.rods[r].state().positions[20].z;
    let [above, below] = [middle(&net, 0), middle(&net, 14)];
    assert!(above > below + 100.0, "{above} {below}");
    pretend_cores(2);
    assert_eq!(net.shared_out(), (15, vec![0, 14]));
    let reports = net.step();
    assert_eq!(
        reports.iter().map(|r| r.status).collect::<Vec<_>>(),
        [Status::Converged].repeat(reports.len())
    );
    let [above, below] = [middle(&net, 0), middle(&net, 14)];
    assert!(above > below, "{above} {below}");
    assert!(!reports[14].rod_contacts.is_empty());
    assert!(
        reports
            .iter()
            .flat_map(|r| &r.rod_contacts)
            .all(|c| c.gap > 0.0)
    );
}

#[test]
fn an_order_is_undone_by_its_inverse() {
    let order = [3, 0, 4, 1, 2, 5];
    let mut letters = ["a", "b", "c", "d", "e", "f"];
    permute(&mut letters, &order);
    assert_eq!(letters, ["d", "a", "e", "b", "c", "f"]);
    permute(&mut letters, &inverse(&order));
    assert_eq!(letters, ["a", "b", "c", "d", "e", "f"]);
}
