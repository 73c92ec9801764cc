//! The active contacts between rods.

use super::near::{EdgePair, may_touch};
use super::{Chain, Chains, JUNCTION_WINDOW, NearPairs, PairSettings, Partners, radii_of};
use crate::contact::distance::segment_segment;
use crate::geom::Vec3;

/// One active contact between two rods, or between two stretches of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairContact {
    /// The two rods; the sample, where there is one, is on the first.
    pub rods: [u32; 2],
    /// Edge of each.
    pub edges: [u32; 2],
    /// Where along each edge, in [0, 1].
    pub at: [f64; 2],
    /// Whether the closest point slides along each edge when the rods move.
    pub slides: [bool; 2],
    /// Whether it is where two edges cross (and not a sample of the first rod).
    pub crossing: bool,
    /// Unit vector from the second rod to the first.
    pub normal: Vec3,
    /// Distance of the centerlines, mm.
    pub distance: f64,
    /// Sum of the radii of the two edges, mm.
    pub radii: f64,
    /// Length that the contact stands for, mm.
    pub weight: f64,
}

impl PairContact {
    /// Distance of the surfaces, mm.
    #[inline]
    pub fn gap(&self) -> f64 {
        self.distance - self.radii
    }

    /// Weights of the four nodes in the vector from the second rod to the first.
    pub fn weights(&self) -> [f64; 4] {
        let [s, t] = self.at;
        [1.0 - s, s, t - 1.0, -t]
    }

    /// The point of the centerline of rod 0 or 1 of the pair that touches.
    pub fn point(&self, which: usize, points: &[Vec3]) -> Vec3 {
        let i = self.edges[which] as usize;
        points[i].lerp(&points[i + 1], self.at[which])
    }
}

/// Finds the active contacts between the chains. Those between two that sleep are left as they are.
///
/// Returns how many places touch or penetrate already; those are left out, since a barrier cannot hold them.
pub fn find_pair_contacts(
    chains: &impl Chains,
    near: &mut NearPairs,
    out: &mut Vec<PairContact>,
) -> usize {
    out.retain(|c| c.rods.iter().all(|&r| !chains.chain(r as usize).awake));
    let mut penetrating = 0;
    let mut partners = Partners::new(chains);
    for pair in near.now(chains) {
        let (both, settings) = partners.of(pair);
        if both.iter().any(|chain| chain.awake) && may_touch(both, pair, settings) {
            penetrating += add_contacts(both, pair, settings, out);
        }
    }
    penetrating
}

/// Pairs of edges, sorted, that overlap where a fixing holds one rod inside the other: an end that was taken out of a
/// junction stays where it was. No barrier could take them apart there, and at the rim of such an overlap the energy would
/// jump.
///
/// All that overlaps within [`JUNCTION_WINDOW`] of such a fixing counts, as at a junction; what overlaps elsewhere does not.
pub fn overlaps_at_fixings(chains: &impl Chains, near: &mut NearPairs) -> Vec<EdgePair> {
    let mut partners = Partners::new(chains);
    let mut overlaps: Vec<(EdgePair, Vec3)> = Vec::new();
    // Held nodes inside another rod, and how far from them overlaps are theirs.
    let mut inside: Vec<(Vec3, f64)> = Vec::new();
    // Those that pass already are not in the list.
    let passing = near.passing().to_vec();
    for pair in near.now(chains).iter().chain(&passing) {
        let (both, _) = partners.of(pair);
        let radii = radii_of(both, pair);
        let edges = [0, 1].map(|side| {
            let (points, i) = (both[side].points, pair[side].1 as usize);
            [points[i], points[i + 1]]
        });
        let [[a0, a1], [b0, b1]] = &edges;
        let nearest = segment_segment(a0, a1, b0, b1);
        let at = a0.lerp(a1, nearest.s);
        if (at - b0.lerp(b1, nearest.t)).norm() > radii {
            continue;
        }
        overlaps.push((*pair, at));
        for side in 0..2 {
            let [q0, q1] = &edges[1 - side];
            for (k, p) in edges[side].iter().enumerate() {
                let held = both[side].held[pair[side].1 as usize + k];
                if held && distance_to_segment(p, q0, q1) <= radii {
                    inside.push((*p, JUNCTION_WINDOW * radii));
                }
            }
        }
    }
    overlaps.retain(|(_, at)| inside.iter().any(|(p, window)| (at - p).norm() <= *window));
    let mut pairs: Vec<EdgePair> = overlaps.into_iter().map(|(pair, _)| pair).collect();
    pairs.sort_unstable();
    pairs
}

fn distance_to_segment(p: &Vec3, q0: &Vec3, q1: &Vec3) -> f64 {
    let along = q1 - q0;
    let t = ((p - q0).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    (p - q0.lerp(q1, t)).norm()
}

/// `chains` are those of the pair.
fn add_contacts(
    chains: &[Chain; 2],
    pair: &EdgePair,
    settings: &PairSettings,
    out: &mut Vec<PairContact>,
) -> usize {
    let radii = radii_of(chains, pair);
    let within = radii + settings.barrier_distance;
    let mut penetrating = 0;
    let mut push = |contact: PairContact| {
        if contact.distance > radii {
            out.push(contact);
        } else {
            penetrating += 1;
        }
    };
    let ends = |side: usize| {
        let (points, i) = (chains[side].points, pair[side].1 as usize);
        (&points[i], &points[i + 1])
    };
    let ((a0, a1), (b0, b1)) = (ends(0), ends(1));
    let nearest = segment_segment(a0, a1, b0, b1);
    let away = a0.lerp(a1, nearest.s) - b0.lerp(b1, nearest.t);
    let distance = away.norm();
    if distance >= within {
        return 0;
    }
    let inside = |x: f64| x > 0.0 && x < 1.0;
    push(PairContact {
        rods: pair.map(|e| e.0),
        edges: pair.map(|e| e.1),
        at: [nearest.s, nearest.t],
        slides: [inside(nearest.s), inside(nearest.t)],
        crossing: true,
        normal: away / distance,
        distance,
        radii,
        weight: settings.edge_weight,
    });
    for (own, other) in [(0, 1), (1, 0)] {
        let lengths = chains[own].lengths;
        let (p0, p1) = ends(own);
        let (q0, q1) = ends(other);
        let along = q1 - q0;
        let i = pair[own].1 as usize;
        let before = if i > 0 { lengths[i - 1] } else { 0.0 };
        let after = lengths.get(i + 1).copied().unwrap_or(0.0);
        let samples = [
            (0.0, 0.5 * (before + lengths[i])),
            (0.5, lengths[i]),
            (1.0, 0.5 * (lengths[i] + after)),
        ];
        let [first, last] = chains[own].thickness.owns_ends(i, lengths.len());
        let samples = &samples[usize::from(!first)..2 + usize::from(last)];
        for &(s, length) in samples {
            let p = p0.lerp(p1, s);
            let t = ((p - q0).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
            let away = p - q0.lerp(q1, t);
            let distance = away.norm();
            if distance < within {
                push(PairContact {
                    rods: [pair[own].0, pair[other].0],
                    edges: [pair[own].1, pair[other].1],
                    at: [s, t],
                    slides: [false, inside(t)],
                    crossing: false,
                    normal: away / distance,
                    distance,
                    radii,
                    // Each of the two rods has samples of its own.
                    weight: 0.5 * length,
                });
            }
        }
    }
    penetrating
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactSettings, Thickness};

    const EDGE: f64 = 10.0;

    /// What passes of a rod along x and one of four edges that starts at `start` and goes along `way`, of which the first
    /// node is held or none.
    fn passing(start: Vec3, way: Vec3, held: bool) -> Vec<EdgePair> {
        let settings = ContactSettings::new(4.0, 0.01, 0.2);
        let lengths = [EDGE; 4];
        let nodes = |from: Vec3, way: Vec3| [0.0, 1.0, 2.0, 3.0, 4.0].map(|k| from + way * k);
        let (trunk, other) = (nodes(Vec3::zeros(), Vec3::x() * EDGE), nodes(start, way));
        let (free, first) = ([false; 5], [held, false, false, false, false]);
        let chain = |points, held| Chain {
            points,
            motion: &[],
            held,
            lengths: &lengths,
            settings: &settings,
            thickness: Thickness::default(),
            sees_itself: false,
            awake: true,
        };
        let chains = [chain(&trunk[..], &free[..]), chain(&other[..], &first[..])];
        let mut near = NearPairs::default();
        let found = overlaps_at_fixings(&chains, &mut near);
        near.pass(found.clone());
        let mut contacts = Vec::new();
        find_pair_contacts(&chains, &mut near, &mut contacts);
        for contact in contacts {
            let pair = [0, 1].map(|side| (contact.rods[side], contact.edges[side]));
            assert!(!found.contains(&pair), "{contact:?}");
        }
        assert_eq!(
            overlaps_at_fixings(&chains, &mut near),
            found,
            "they still overlap"
        );
        found
    }

    #[test]
    fn what_overlaps_at_an_end_that_is_held_inside_passes_and_nothing_else_does() {
        let (start, up) = (Vec3::new(15.0, 1.0, 0.0), Vec3::z() * EDGE);
        // The middle of an edge, and its neighbours, whose ends are 5 mm away.
        let around = [0, 1, 2].map(|edge| [(0, edge), (1, 0)]);
        assert_eq!(passing(start, up, true), around);
        // Made thicker where it lies on another, say: no end of it is in there.
        assert!(passing(start, up, false).is_empty());
        assert!(passing(start - up * 2.0, up, true).is_empty());
        // Beside it.
        assert!(passing(start + Vec3::y() * 7.5, up, true).is_empty());
    }
}
