//! The active contacts between rods.

use super::near::{EdgePair, may_touch};
use super::{Chain, Chains, NearPairs, PairSettings, Partners, radii_of};
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
