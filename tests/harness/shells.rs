//! Bodies with a shell: what they meet, judged by the independent checker with the mesh that the shell covers.

use std::sync::Arc;

use loomwright::check::Checker;
use loomwright::contact::Obstacle;
use loomwright::contact::pair::JUNCTION_WINDOW;
use loomwright::geom::{Aabb, Pose, Rotation, Vec3};
use loomwright::mesh::{TriMesh, primitives};
use loomwright::solve::{Among, Solver, strand_rod};

use crate::net::{GRAVITY, IN_SHELL, Net, is_strand};

/// Half the sides of the block that each body is, along its own axes, mm.
const HALF: Vec3 = Vec3::new(7.0, 6.0, 9.0);

fn block() -> TriMesh {
    let (min, max) = (-HALF, HALF);
    primitives::cuboid(&Aabb { min, max })
}

/// Gives every body of a harness a block and its shell.
pub fn with_blocks(net: &Net) -> Net {
    let cover = Obstacle::new(&block()).cover().unwrap();
    let (mut rods, mut bodies) = (net.rods.clone(), net.bodies.clone());
    let nothing = Arc::new(Vec::new());
    for body in &mut bodies {
        let weight = (body.mass_kg * GRAVITY.norm()).max(0.05);
        for strand in &cover.placed(&body.pose).strands {
            let among = Among {
                gravity: GRAVITY,
                friction: 0.2,
                obstacles: &nothing,
                ignored: &[],
            };
            body.take_strand(rods.len(), strand, cover.room);
            rods.push(strand_rod(strand, cover.radius, weight, &among).unwrap());
        }
    }
    Net::new(rods, bodies)
}

/// Watches bodies with blocks from iterate to iterate.
pub struct BodyJudge<'c> {
    parts: &'c Checker,
    /// Corners of the edges of the parts.
    part_edges: Vec<[Vec3; 2]>,
    block: Checker,
    bodies: Vec<Watched>,
    /// Nodes of every rod at the last iterate, and at this one.
    last: Vec<Vec<Vec3>>,
    now: Vec<Vec<Vec3>>,
    n_cables: usize,
    newest: usize,
    pub iterates: usize,
    pub part_crossings: usize,
    pub cable_crossings: usize,
}

struct Watched {
    rod: usize,
    /// Nodes of the strand that tell where the body is, with their places in its axes.
    marks: [(usize, Vec3); 3],
    pose: Pose,
    /// Nodes of each cable that may not come into the block.
    outside: Vec<std::ops::Range<usize>>,
}

fn frame([a, b, c]: [Vec3; 3]) -> Rotation {
    let x = (b - a).normalize();
    let z = x.cross(&(c - a)).normalize();
    Rotation::from_basis_unchecked(&[x, z.cross(&x), z])
}

impl Watched {
    fn pose_of(&self, nodes: &[Vec3]) -> Pose {
        let here = self.marks.map(|(k, _)| nodes[k]);
        let arms = self.marks.map(|(_, arm)| arm);
        let rotation = frame(here) * frame(arms).inverse();
        Pose {
            position: here[0] - rotation * arms[0],
            rotation,
        }
    }
}

fn edges_of(mesh: &TriMesh) -> Vec<[Vec3; 2]> {
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for [a, b, c] in mesh.triangles() {
        edges.extend([[a, b], [b, c], [c, a]].map(|[x, y]| [*x.min(y), *x.max(y)]));
    }
    edges.sort_unstable();
    edges.dedup();
    let point = |v: u32| mesh.vertices()[v as usize];
    edges.into_iter().map(|e| e.map(point)).collect()
}

impl<'c> BodyJudge<'c> {
    pub fn new(net: &Net, parts: &'c Checker, part: &TriMesh) -> Self {
        let nodes = |rod: &Solver| rod.state().positions.clone();
        let last: Vec<Vec<Vec3>> = net.rods.iter().map(nodes).collect();
        let n_cables = net.rods.iter().filter(|r| !is_strand(r)).count();
        let watched = net.bodies.iter().filter_map(|body| {
            let first = body.ends.iter().find(|end| end.rod >= n_cables)?.rod;
            let own = body.ends.iter().filter(|end| end.rod == first);
            let arms: Vec<(usize, Vec3)> = own.map(|e| (e.grip, e.in_body.position)).collect();
            let mut marks = None;
            let mut largest = 0.0;
            for i in 0..arms.len() {
                for j in i + 1..arms.len() {
                    let side = arms[j].1 - arms[i].1;
                    let height = |k: &usize| side.cross(&(arms[*k].1 - arms[i].1)).norm();
                    let k = (0..arms.len()).max_by(|a, b| height(a).total_cmp(&height(b)))?;
                    if height(&k) > largest {
                        largest = height(&k);
                        marks = Some([arms[i], arms[j], arms[k]]);
                    }
                }
            }
            let outside = (0..n_cables).map(|r| {
                let all = 0..last[r].len();
                let rod = &net.rods[r].problem().rod;
                let radii = net.rods[r].problem().radius + 4.0;
                let window = JUNCTION_WINDOW * radii + IN_SHELL;
                let skip = (window / rod.rest_lengths()[0]).ceil() as usize + 1;
                let mut own = all.clone();
                for end in body.ends.iter().filter(|end| end.rod == r) {
                    if end.grip == 0 {
                        own.start = skip.min(all.end - 2);
                    } else {
                        own.end = (all.end - skip.min(all.end - 2)).max(own.start + 2);
                    }
                }
                own
            });
            Some(Watched {
                rod: first,
                marks: marks?,
                pose: body.pose,
                outside: outside.collect(),
            })
        });
        let mut judge = Self {
            parts,
            part_edges: edges_of(part),
            block: Checker::new([("block", &block())]),
            bodies: watched.collect(),
            now: last.clone(),
            last,
            n_cables,
            newest: 0,
            iterates: 0,
            part_crossings: 0,
            cable_crossings: 0,
        };
        for body in &mut judge.bodies {
            body.pose = body.pose_of(&judge.last[body.rod]);
        }
        judge
    }

    /// Takes the nodes of a rod; those of one iterate come in the order of their rods.
    pub fn push(&mut self, rod: usize, nodes: &[Vec3]) {
        if rod <= self.newest {
            self.judge();
        }
        self.newest = rod;
        self.now[rod].copy_from_slice(nodes);
    }

    /// Judges the way from the last iterate to this one: seen from a body, nodes go straight.
    pub fn judge(&mut self) {
        self.iterates += 1;
        let edges = edges_of(&block());
        for body in &mut self.bodies {
            let (before, after) = (body.pose, body.pose_of(&self.now[body.rod]));
            body.pose = after;
            let seen = |pose: &Pose, points: &[Vec3]| -> Vec<Vec3> {
                points.iter().map(|p| pose.inverse().transform(p)).collect()
            };
            for r in 0..self.n_cables {
                let range = body.outside[r].clone();
                let from = seen(&before, &self.last[r][range.clone()]);
                let to = seen(&after, &self.now[r][range]);
                let crossed = self.block.check_motion(&from, &to).is_some();
                self.cable_crossings += usize::from(crossed);
            }
            for edge in &edges {
                let [from, to] = [before, after].map(|pose| edge.map(|p| pose.transform(&p)));
                let crossed = self.parts.check_motion(&from, &to).is_some();
                self.part_crossings += usize::from(crossed);
            }
            for edge in &self.part_edges {
                let [from, to] = [before, after].map(|pose| seen(&pose, edge));
                let crossed = self.block.check_motion(&from, &to).is_some();
                self.part_crossings += usize::from(crossed);
            }
        }
        for (last, now) in self.last.iter_mut().zip(&self.now) {
            last.copy_from_slice(now);
        }
    }
}
