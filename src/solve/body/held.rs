//! Whether anything holds the rods that bodies join: what nothing holds would fall for ever, and stays where it is.

use super::Body;
use crate::mesh::DisjointSets;
use crate::solve::Solver;

/// Of each rod whether nothing holds it: no handle of its own beside those that go with bodies, and none of the rods that
/// bodies join to it.
pub(super) fn adrift(bodies: &[Body], rods: &[Solver]) -> Vec<bool> {
    let mut groups = DisjointSets::new(rods.len());
    let mut carried: Vec<(usize, usize)> = Vec::new();
    for body in bodies {
        let mut ends = (body.ends.iter()).filter(|end| end.node(&rods[end.rod]).is_some());
        let Some(first) = ends.next() else {
            continue;
        };
        carried.push((first.rod, first.grip));
        for end in ends {
            carried.push((end.rod, end.grip));
            groups.join(first.rod as u32, end.rod as u32);
        }
    }
    let mut held = vec![false; rods.len()];
    for (r, rod) in rods.iter().enumerate() {
        let grips = 0..rod.problem.grips.len();
        if grips.into_iter().any(|k| !carried.contains(&(r, k))) {
            held[groups.root(r as u32) as usize] = true;
        }
    }
    (0..rods.len())
        .map(|r| !held[groups.root(r as u32) as usize])
        .collect()
}
