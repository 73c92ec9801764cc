//! Patches of triangles that run against their neighbours.

use super::TriMesh;
use super::components::DisjointSets;
use super::edges::EdgeTable;

/// How the triangles of a mesh are oriented to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patches {
    /// Edges with two triangles that run through them in the same direction.
    pub inconsistent_edges: usize,
    /// Patches that would have to be flipped so that neighbours agree; of two ways the one with fewer triangles.
    pub flipped_patches: usize,
    /// Triangles in those patches.
    pub flipped_triangles: usize,
    /// Surfaces that have no orientation, such as a Moebius strip; their patches are not counted as flipped.
    pub one_sided: usize,
}

/// Compares the triangles on both sides of every edge of two triangles.
pub fn patches(mesh: &TriMesh, edges: &EdgeTable) -> Patches {
    of(mesh.triangles(), edges)
}

/// The two triangles of every edge that has exactly two, and whether they agree.
fn pairs<'a>(
    triangles: &'a [[u32; 3]],
    edges: &'a EdgeTable,
) -> impl Iterator<Item = (u32, u32, bool)> + 'a {
    edges.edges().filter(|e| e.n_sides() == 2).filter_map(|e| {
        let mut sides = e.sides();
        let (a, b) = (sides.next()?, sides.next()?);
        let agree = a.vertices(triangles) != b.vertices(triangles);
        Some((a.triangle() as u32, b.triangle() as u32, agree))
    })
}

pub(super) fn of(triangles: &[[u32; 3]], edges: &EdgeTable) -> Patches {
    let inconsistent_edges = pairs(triangles, edges).filter(|p| !p.2).count();
    if inconsistent_edges == 0 {
        return Patches::default();
    }
    // A patch is what agreeing edges join.
    let mut sets = DisjointSets::new(triangles.len());
    for (a, b, agree) in pairs(triangles, edges) {
        if agree {
            sets.join(a, b);
        }
    }
    let mut number_of_root = vec![u32::MAX; triangles.len()];
    let mut sizes: Vec<usize> = Vec::new();
    let mut patch_of = |t: u32| {
        let known = &mut number_of_root[sets.root(t) as usize];
        if *known == u32::MAX {
            *known = sizes.len() as u32;
            sizes.push(0);
        }
        *known
    };
    let patch_of_triangle: Vec<u32> = (0..triangles.len() as u32).map(&mut patch_of).collect();
    for &patch in &patch_of_triangle {
        sizes[patch as usize] += 1;
    }
    let mut against: Vec<Vec<u32>> = vec![Vec::new(); sizes.len()];
    for (a, b, agree) in pairs(triangles, edges) {
        if !agree {
            let [a, b] = [a, b].map(|t| patch_of_triangle[t as usize]);
            against[a as usize].push(b);
            against[b as usize].push(a);
        }
    }
    let mut found = Patches {
        inconsistent_edges,
        ..Patches::default()
    };
    two_colour(&against, &sizes, &mut found);
    found
}

/// Gives neighbours in `against` two colours, surface by surface, and counts the smaller colour as flipped.
fn two_colour(against: &[Vec<u32>], sizes: &[usize], found: &mut Patches) {
    let mut colour: Vec<Option<bool>> = vec![None; sizes.len()];
    let mut waiting = Vec::new();
    for first in 0..sizes.len() {
        if colour[first].is_some() || against[first].is_empty() {
            continue;
        }
        colour[first] = Some(false);
        waiting.push(first);
        let mut is_one_sided = false;
        // Patches and triangles of either colour.
        let mut counts = [[0, 0]; 2];
        while let Some(patch) = waiting.pop() {
            let own = colour[patch] == Some(true);
            counts[usize::from(own)][0] += 1;
            counts[usize::from(own)][1] += sizes[patch];
            for &other in &against[patch] {
                match colour[other as usize] {
                    None => {
                        colour[other as usize] = Some(!own);
                        waiting.push(other as usize);
                    }
                    Some(known) => is_one_sided |= known == own,
                }
            }
        }
        if is_one_sided {
            found.one_sided += 1;
            continue;
        }
        let [patches, triangles] = *counts.iter().min_by_key(|c| c[1]).unwrap_or(&[0, 0]);
        found.flipped_patches += patches;
        found.flipped_triangles += triangles;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Vec3;
    use crate::mesh::primitives::cylinder;

    fn count(triangles: &[[u32; 3]]) -> Patches {
        let n = triangles.iter().flatten().max().unwrap() + 1;
        of(triangles, &EdgeTable::of(triangles, n as usize))
    }

    #[test]
    fn flipped_triangles_of_a_rod_are_counted() {
        let rod = cylinder(&Vec3::zeros(), &Vec3::new(0.0, 0.0, 9.0), 2.0, 12, 3);
        let mut triangles = rod.triangles().to_vec();
        assert_eq!(count(&triangles), Patches::default());
        // Two neighbours of one quad, and a single one far away.
        for t in [0, 1, 50] {
            triangles[t].swap(0, 1);
        }
        let found = count(&triangles);
        assert_eq!(found.flipped_patches, 2);
        assert_eq!(found.flipped_triangles, 3);
        assert_eq!(found.inconsistent_edges, 4 + 3);
        assert_eq!(found.one_sided, 0);
    }

    #[test]
    fn a_moebius_strip_has_no_sides() {
        // Five triangles in a ring with a half turn.
        let strip = [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 0], [4, 0, 1]];
        let found = count(&strip);
        assert_eq!(found.one_sided, 1);
        assert_eq!(found.flipped_patches, 0);
    }
}
