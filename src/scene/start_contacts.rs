//! Where cables are too near to parts: inside a margin, touching, running into each other, or excluded.

use std::borrow::Borrow;

use super::{Cable, Exclusion, PartRole, Scene, Simulation};
use crate::contact::Obstacle;

/// Arc length on both sides of where a cable overlaps a part that is excluded too, over radius: it leaves freely.
const WINDOW: f64 = 2.0;

/// Why a stretch of a cable is in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StartReason {
    /// The part cuts through its centerline, and cannot push it out: an open sheet has no inside, or a handle holds the
    /// cable there. Nothing holds it until it is clear.
    Crosses,
    /// All of it is inside the closed part, and touches nothing of it: it stays in there, and the part keeps it in.
    Enclosed,
    /// It is inside the part, or its surface is: it is pushed out by the shortest way, a little in each step.
    Overlaps,
    /// It is nearer than the margin: it keeps what there is, and the whole margin once it has left.
    InsideMargin,
    /// It may overlap the part, by an exclusion of the scene.
    Excluded,
}

impl StartReason {
    /// Whether something of the cable is inside the part that should not be.
    pub fn is_inside(self) -> bool {
        matches!(self, Self::Crosses | Self::Enclosed | Self::Overlaps)
    }
}

/// A stretch of a cable that is too near to a part.
#[derive(Clone, Debug, PartialEq)]
pub struct StartContact {
    /// Name of the part.
    pub part: String,
    /// Why, and so what is done about it.
    pub reason: StartReason,
    /// Name of the cable.
    pub cable: String,
    /// Arc length from the cable's start at which it begins, mm.
    pub from: f64,
    /// Arc length at which it ends, mm.
    pub to: f64,
}

impl Simulation {
    /// The stretches of cables that are too near to parts now, grouped: by part, then by reason, then by cable.
    ///
    /// To change what is done about one: exclude the stretch ([`super::Command::Exclude`]), take an exclusion back
    /// ([`super::Command::Include`]), change the margin of the part, or make it a background.
    pub fn start_contacts(&self) -> Vec<StartContact> {
        let scene = self.scene();
        let mut list = Vec::new();
        for (cable, solver) in scene.cables.iter().zip(self.solvers()) {
            let margins = solver.margins();
            let mut edges: Vec<(usize, StartReason, u32)> = Vec::new();
            for stretch in solver.released() {
                let part = stretch.obstacle as usize;
                let reason = if solver.pushes_out(&stretch.edges) {
                    StartReason::Overlaps
                } else {
                    StartReason::Crosses
                };
                let all = stretch.edges.clone();
                edges.extend(all.map(|e| (part, reason, e)));
            }
            edges.extend(margins.reduced().iter().map(|r| {
                let reason = if r.margin < 0.0 {
                    StartReason::Overlaps
                } else {
                    StartReason::InsideMargin
                };
                (r.obstacle as usize, reason, r.edge)
            }));
            for (part, obstacle) in self.obstacles().iter().enumerate() {
                let known = edges.iter().any(|e| e.0 == part);
                let mut exclusions = scene.exclusions_of(&cable.name, &scene.parts[part].name);
                let nodes = &solver.state().positions;
                // Where it is excluded it may be inside, by right.
                if !known
                    && exclusions.next().is_none()
                    && nodes.iter().all(|p| obstacle.contains(p))
                {
                    let all = 0..solver.problem().rod.n_edges() as u32;
                    edges.extend(all.map(|e| (part, StartReason::Enclosed, e)));
                }
            }
            edges.sort_unstable();
            // Stretches that are let go may overlap.
            edges.dedup();
            let lengths = cable.edge_lengths();
            let at = |e: u32| lengths[..e as usize].iter().fold(0.0, |s, l| s + l);
            for stretch in edges.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1 && a.2 + 1 == b.2) {
                let (part, reason, first) = stretch[0];
                list.push(StartContact {
                    part: scene.parts[part].name.clone(),
                    reason,
                    cable: cable.name.clone(),
                    from: at(first),
                    to: at(first + stretch.len() as u32),
                });
            }
        }
        let exclusions = scene.exclusions.iter().filter(|e| !e.is_nowhere());
        list.extend(exclusions.map(|e| StartContact {
            part: e.part.clone(),
            reason: StartReason::Excluded,
            cable: e.cable.clone(),
            from: e.from,
            to: e.to,
        }));
        let order = |k: &StartContact| {
            let part = scene.parts.iter().position(|p| p.name == k.part);
            let cable = scene.cables.iter().position(|c| c.name == k.cable);
            (part, k.reason, cable)
        };
        list.sort_by(|a, b| order(a).cmp(&order(b)).then(a.from.total_cmp(&b.from)));
        list
    }

    /// The stretches that [`super::Command::ExcludeEntries`] would exclude now.
    pub fn entries(&self) -> Vec<Exclusion> {
        entries(self.scene(), |part| &self.obstacles()[part])
    }

    /// Whether a cable that started with its surface inside a part is still being pushed out: another step moves it on.
    pub fn is_pushing(&self) -> bool {
        self.solvers().iter().any(crate::solve::Solver::is_pushing)
    }
}

/// Excludes the stretches of cables that overlap a connector or clip, or the rigid rest of their harness, and a little
/// on both sides: there a cable enters what holds it. Returns how many were added.
pub fn exclude_entries(scene: &mut Scene) -> usize {
    let added = entries(scene, |part| Obstacle::new(scene.parts[part].mesh()));
    let n = added.len();
    scene.exclusions.extend(added);
    n
}

/// The stretch of a cable with what is excluded on both sides of it, as deep as the cable is inside now.
pub(super) fn window(cable: &Cable, part: &str, [from, to]: [f64; 2], depth: f64) -> Exclusion {
    let room = WINDOW * cable.thickest();
    Exclusion {
        cable: cable.name.clone(),
        part: part.to_owned(),
        from: (from - room).max(0.0),
        to: to + room,
        depth: Some(depth),
    }
}

/// How deep the nodes of a cable from one arc length to another are inside a part, at most, mm.
pub(super) fn depth_of(cable: &Cable, obstacle: &Obstacle, [from, to]: [f64; 2]) -> f64 {
    let points = cable.shape.as_ref().map_or(&[][..], |s| &s.points);
    let mut s = 0.0;
    let mut arc_lengths = vec![0.0];
    arc_lengths.extend(cable.edge_lengths().iter().map(|l| {
        s += l;
        s
    }));
    let slack = 1e-9 * s;
    let within = |s: f64| (from - slack..=to + slack).contains(&s);
    let nodes = points.iter().zip(arc_lengths).filter(|(_, s)| within(*s));
    nodes.map(|(p, _)| obstacle.depth(p)).fold(0.0, f64::max)
}

/// Where cables enter what holds them and may not yet; `obstacle` is asked for the parts that a cable is near to.
fn entries<O: Borrow<Obstacle>>(scene: &Scene, obstacle: impl Fn(usize) -> O) -> Vec<Exclusion> {
    let mut found = Vec::new();
    for (number, part) in scene.parts.iter().enumerate() {
        if part.role != PartRole::Connector {
            continue;
        }
        let bounds = part.mesh().aabb();
        let known = |cable: &Cable, is: &dyn Fn(&Exclusion) -> bool| {
            scene.exclusions_of(&cable.name, &part.name).any(is)
        };
        let near = |cable: &&Cable| {
            let shape = cable.shape.as_ref();
            let points = shape.map_or(&[][..], |s| &s.points);
            let is_near = crate::geom::Aabb::of_points(points)
                .inflated(cable.thickest())
                .intersects(&bounds);
            is_near && !known(cable, &Exclusion::is_nowhere)
        };
        let cables: Vec<&Cable> = scene.cables.iter().filter(near).collect();
        if cables.is_empty() {
            continue;
        }
        let obstacle = obstacle(number);
        for cable in cables {
            let stretches = overlapping(cable, obstacle.borrow()).into_iter();
            let fresh =
                stretches.filter(|[from, to]| !known(cable, &|e| e.from <= *from && *to <= e.to));
            found.extend(fresh.map(|stretch| {
                let depth = depth_of(cable, obstacle.borrow(), stretch);
                window(cable, &part.name, stretch, depth)
            }));
        }
    }
    found
}

/// Stretches of a cable that are within its radius of an obstacle, or inside of it, mm along it.
fn overlapping(cable: &Cable, obstacle: &Obstacle) -> Vec<[f64; 2]> {
    let Some(shape) = &cable.shape else {
        return Vec::new();
    };
    let n_edges = shape.points.len().saturating_sub(1);
    let lengths = cable.edge_lengths();
    if n_edges == 0 || lengths.len() != n_edges {
        return Vec::new();
    }
    let radii = cable.edge_radii();
    let overlaps = |e: &u32| {
        let edge = *e as usize;
        let (a, b) = (&shape.points[edge], &shape.points[edge + 1]);
        obstacle.nearest(a, b, radii[edge]).is_some() || obstacle.contains(a)
    };
    let edges: Vec<u32> = (0..n_edges as u32).filter(overlaps).collect();
    let at = |e: u32| lengths[..e as usize].iter().fold(0.0, |s, l| s + l);
    let stretches = edges.chunk_by(|a, b| a + 1 == *b);
    let ends = stretches.map(|s| [at(s[0]), at(s[0] + s.len() as u32)]);
    ends.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Aabb, Vec3};
    use crate::mesh::{TriMesh, primitives};
    use crate::scene::demo::demo;
    use crate::scene::{Command, Part};
    use crate::solve::{CancelToken, Status};

    /// The demo's hanging cable, and a box with these corners.
    fn with_box(min: [f64; 3], max: [f64; 3]) -> Scene {
        let mut scene = hanging();
        let aabb = Aabb {
            min: min.into(),
            max: max.into(),
        };
        scene.parts[0] = Part::new("box", primitives::cuboid(&aabb));
        scene
    }

    /// The demo with its cable at rest.
    fn hanging() -> Scene {
        let mut simulation = Simulation::new(demo("box").unwrap()).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        simulation.scene().clone()
    }

    /// Height of the lowest point of the cable at rest.
    fn lowest() -> f64 {
        let scene = hanging();
        let points = &scene.cables[0].shape.as_ref().unwrap().points;
        points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_cable_that_is_shut_in_without_touching_is_listed() {
        let scene = with_box([-100.0, -200.0, 0.0], [900.0, 200.0, 500.0]);
        let mut simulation = Simulation::new(scene).unwrap();
        let list = simulation.start_contacts();
        assert_eq!(list.len(), 1);
        assert_eq!(list[0].reason, StartReason::Enclosed);
        assert_eq!((list[0].from, list[0].to.round()), (0.0, 1000.0));
        assert!(!simulation.is_pushing(), "it stays");
        // Let pass, it is listed as what it is.
        let exclusion = Exclusion::everywhere("cable", "box");
        let only = true;
        let exclude = Command::Exclude { exclusion, only };
        simulation.apply(&exclude).unwrap();
        let list = simulation.start_contacts();
        assert!(list.iter().all(|c| c.reason == StartReason::Excluded));
        // A hollow body has room inside.
        let walls = with_box([-100.0, -200.0, 0.0], [900.0, 200.0, 500.0]);
        let outside = with_box([-110.0, -210.0, -10.0], [910.0, 210.0, 510.0]);
        let mut hollow = walls.clone();
        let mut vertices = walls.parts[0].mesh().vertices().to_vec();
        let mut triangles = walls.parts[0].mesh().triangles().to_vec();
        let n = vertices.len() as u32;
        vertices.extend_from_slice(outside.parts[0].mesh().vertices());
        let more = outside.parts[0].mesh().triangles().iter();
        triangles.extend(more.map(|t| t.map(|v| v + n)));
        hollow.parts[0] = Part::new("box", TriMesh::new(vertices, triangles).unwrap());
        let list = Simulation::new(hollow).unwrap().start_contacts();
        assert_eq!(list, []);
    }

    #[test]
    fn a_cable_that_dips_its_surface_into_a_part_is_pushed_out_in_steps() {
        let z = lowest();
        // The centerline passes 1 mm above the top, the surface 3 mm below it.
        let scene = with_box([300.0, -100.0, 0.0], [500.0, 100.0, z - 1.0]);
        let mut simulation = Simulation::new(scene).unwrap();
        let list = simulation.start_contacts();
        assert!(!list.is_empty() && list.iter().all(|c| c.reason == StartReason::Overlaps));
        assert!(simulation.is_pushing());
        let cancel = CancelToken::default();
        let mut steps = 0;
        let mut lowest_before = z;
        while simulation.is_pushing() && steps < 200 {
            let report = simulation.solve_quietly(&cancel)[0].report.clone();
            assert_eq!(report.status, Status::Converged);
            let nodes = &simulation.solvers()[0].state().positions;
            let low = nodes.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
            assert!(
                low < lowest_before + 0.5,
                "gently: {lowest_before} to {low}"
            );
            lowest_before = low;
            steps += 1;
        }
        assert!((4..60).contains(&steps), "{steps}");
        assert_eq!(simulation.start_contacts(), []);
        let clearance = simulation.clearances(10.0)[0];
        assert!(clearance.distance > 0.0, "{clearance:?}");
    }

    #[test]
    fn what_a_part_cuts_through_is_listed_and_pushed_out_where_the_part_has_an_inside() {
        let z = lowest();
        let scene = with_box([300.0, -100.0, 0.0], [500.0, 100.0, z + 20.0]);
        let mut simulation = Simulation::new(scene).unwrap();
        let list = simulation.start_contacts();
        assert!(!list.is_empty() && list.iter().all(|c| c.reason == StartReason::Overlaps));
        let cancel = CancelToken::default();
        let mut steps = 0;
        while simulation.is_pushing() && steps < 200 {
            let report = simulation.solve_quietly(&cancel)[0].report.clone();
            assert_eq!(report.status, Status::Converged);
            steps += 1;
        }
        assert!((10..60).contains(&steps), "{steps}");
        assert_eq!(simulation.start_contacts(), []);
        assert!(simulation.clearances(10.0)[0].distance > 0.0);
    }

    #[test]
    fn what_a_sheet_cuts_through_is_listed_and_let_go() {
        let z = lowest();
        let mut scene = hanging();
        // Off the middle, where a node lies.
        let corner = crate::geom::Vec3::new(403.0, -100.0, z - 100.0);
        let (y, up) = (
            crate::geom::Vec3::y() * 200.0,
            crate::geom::Vec3::z() * 200.0,
        );
        let sheet = primitives::sheet_with_hole(&corner, &y, &up, [150.0, 150.0], 10.0, 24);
        scene.parts[0] = Part::new("sheet", sheet);
        let mut simulation = Simulation::new(scene).unwrap();
        let list = simulation.start_contacts();
        assert!(
            list.iter().any(|c| c.reason == StartReason::Crosses),
            "{list:?}"
        );
        assert!(!simulation.is_pushing());
        let report = simulation.solve_quietly(&CancelToken::default())[0].clone();
        assert_eq!(report.report.status, Status::Converged);
    }

    #[test]
    fn two_cuts_that_are_near_are_one_stretch() {
        // It used to be listed as one stretch for each edge.
        let z = lowest();
        let wall = |x: f64| {
            let (min, max) = (
                Vec3::new(x, -100.0, 0.0),
                Vec3::new(x + 5.0, 100.0, z + 20.0),
            );
            primitives::cuboid(&Aabb { min, max })
        };
        let (a, b) = (wall(370.0), wall(425.0));
        let n = a.vertices().len() as u32;
        let vertices = [a.vertices(), b.vertices()].concat();
        let second = b.triangles().iter().map(|t| t.map(|v| v + n));
        let triangles = a.triangles().iter().copied().chain(second).collect();
        let mut scene = hanging();
        scene.parts[0] = Part::new("walls", TriMesh::new(vertices, triangles).unwrap());
        let simulation = Simulation::new(scene).unwrap();
        let list = simulation.start_contacts();
        assert_eq!(list.len(), 1, "{list:?}");
    }

    #[test]
    fn where_a_cable_enters_a_connector_it_is_excluded_and_that_can_be_taken_back() {
        // Around the end handle.
        let mut scene = with_box([770.0, -20.0, 380.0], [830.0, 20.0, 420.0]);
        scene.parts[0].role = PartRole::Connector;
        let mut simulation = Simulation::new(scene).unwrap();
        assert!(!simulation.start_contacts().is_empty());
        simulation.apply(&Command::ExcludeEntries).unwrap();
        let list = simulation.start_contacts();
        assert!(!list.is_empty());
        assert!(
            list.iter().all(|c| c.reason == StartReason::Excluded),
            "{list:?}"
        );
        let length = simulation.scene().cables[0].length;
        let [entry] = &simulation.scene().exclusions[..] else {
            panic!("{list:?}");
        };
        assert!(
            entry.from < length - 25.0 && entry.from > length - 60.0,
            "{entry:?}"
        );
        // Nothing more to do, and an obstacle is no connector.
        let mut again = simulation.scene().clone();
        assert_eq!(exclude_entries(&mut again), 0);
        let include = Command::Include {
            cable: "cable".to_owned(),
            part: "box".to_owned(),
        };
        simulation.apply(&include).unwrap();
        assert!(
            simulation
                .start_contacts()
                .iter()
                .any(|c| c.reason == StartReason::Crosses)
        );
        let mut obstacle = simulation.scene().clone();
        obstacle.parts[0].role = PartRole::Obstacle;
        assert_eq!(exclude_entries(&mut obstacle), 0);
    }
}
