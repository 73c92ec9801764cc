//! Swept collision of rods with each other: how far they may move along a step.

use super::near::EdgePair;
use super::{Chain, Chains, NearPairs, PairSettings, Partners, radii_of};
use crate::contact::distance::segment_segment;
use crate::contact::settings::{AT_HANDLE, BESIDE_HANDLE};
use crate::contact::sweep::{ROUNDS, SHRINK};
use crate::geom::Vec3;

/// A held node and what is beside it stop at this fraction of the barrier distance from an edge of another rod, which may
/// give way.
const HELD_STOP: f64 = 0.05;
/// Two held nodes stop at this fraction of it from each other: neither gives way. So does the whole edge at a moving handle
/// and a held node: its free end gives way hardly more, and the handle would squeeze the barrier as stiff as it gets.
const BOTH_HELD_STOP: f64 = 0.3;

/// Where a held node is nearer already it comes no nearer; the last digits are left to rounding.
const NO_NEARER: f64 = 1.0 - 1e-6;

/// How far a step may go before two rods come too near.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairLimit {
    /// In [0, 1].
    pub fraction: f64,
    /// The two rods that stop it there.
    pub rods: Option<[usize; 2]>,
    /// Where a moving handle is stopped: the unit vector to it from the other rod.
    pub at_handle: Option<Vec3>,
}

impl PairLimit {
    /// Nothing in the way.
    pub const NONE: Self = Self {
        fraction: 1.0,
        rods: None,
        at_handle: None,
    };
}

/// A moving point: where it is and its motion over the step.
type Moving = (Vec3, Vec3);

/// A step of several rods to be checked.
pub struct PairSweep<'a, C> {
    /// The rods with their motion.
    pub chains: &'a C,
}

impl<C: Chains> PairSweep<'_, C> {
    /// The largest fraction of the step that is safe for every pair of edges.
    pub fn limit(&self, near: &mut NearPairs) -> PairLimit {
        let mut limit = PairLimit::NONE;
        let mut partners = Partners::new(self.chains);
        for pair in near.swept(self.chains) {
            let (both, settings) = partners.of(pair);
            Self::check(both, settings, pair, &mut limit);
        }
        limit
    }

    fn check(both: &[Chain; 2], settings: &PairSettings, pair: &EdgePair, limit: &mut PairLimit) {
        let [a, b] = both;
        if a.motion.is_empty() && b.motion.is_empty() {
            return;
        }
        let node = |chain: &Chain, k: usize| -> Moving {
            let motion = chain.motion.get(k).copied().unwrap_or_default();
            (chain.points[k], motion)
        };
        let edges = [(a, pair[0].1 as usize), (b, pair[1].1 as usize)];
        let ends = edges.map(|(chain, i)| [node(chain, i), node(chain, i + 1)]);
        let radii = radii_of(both, pair);
        if cannot_meet(&ends, radii + settings.barrier_distance) {
            return;
        }
        let rods = Some(pair.map(|(r, _)| r as usize));
        let fraction = advance(
            &ends[0],
            &ends[1],
            limit.fraction,
            |gap| radii + SHRINK * gap.min(settings.barrier_distance),
            radii,
        );
        if let Some((fraction, _)) = fraction {
            *limit = PairLimit {
                fraction,
                rods,
                at_handle: None,
            };
        }
        // Held nodes are checked as points of their own, and so is what goes along with one that moves.
        let held = edges.map(|(chain, i)| [chain.held[i], chain.held[i + 1]]);
        let mut stop = |first: &[Moving; 2], second: &[Moving; 2], at: f64, shrink: f64| {
            let keep = |gap: f64| {
                let stop = at * settings.barrier_distance;
                radii + if gap > stop { stop } else { shrink * gap }
            };
            if let Some((fraction, normal)) = advance(first, second, limit.fraction, keep, radii) {
                let moves = first[0].1 != Vec3::zeros();
                *limit = PairLimit {
                    fraction,
                    rods,
                    at_handle: Some(if moves { normal } else { -normal }),
                };
            }
        };
        // One that stays where it is stops nothing: what comes near it is held back by the barrier.
        let moves = |side: usize, k: usize| ends[side][k].1 != Vec3::zeros();
        for k in (0..2).filter(|&k| held[0][k]) {
            let own = [ends[0][k]; 2];
            if moves(0, k) {
                stop(&own, &ends[1], HELD_STOP, NO_NEARER);
            }
            for l in (0..2).filter(|&l| held[1][l] && (moves(0, k) || moves(1, l))) {
                stop(&own, &[ends[1][l]; 2], BOTH_HELD_STOP, NO_NEARER);
            }
        }
        for l in (0..2).filter(|&l| held[1][l] && moves(1, l)) {
            stop(&[ends[1][l]; 2], &ends[0], HELD_STOP, NO_NEARER);
        }
        for side in 0..2 {
            for k in (0..2).filter(|&k| held[side][k] && moves(side, k)) {
                let [(p, v), (q, w)] = [ends[side][k], ends[side][1 - k]];
                let beside = [(p, v), (p.lerp(&q, AT_HANDLE), v.lerp(&w, AT_HANDLE))];
                stop(&beside, &ends[1 - side], HELD_STOP, BESIDE_HANDLE);
                // Between two handles the other end of the edge cannot give way either.
                for l in (0..2).filter(|&l| held[1 - side][l]) {
                    let still = [ends[1 - side][l]; 2];
                    stop(&[(p, v), (q, w)], &still, BOTH_HELD_STOP, BESIDE_HANDLE);
                }
            }
        }
    }
}

/// Whether two moving segments stay more than `within` apart, by the balls round them: cheap, and true for most pairs.
fn cannot_meet(ends: &[[Moving; 2]; 2], within: f64) -> bool {
    let middle = |[(a, _), (b, _)]: &[Moving; 2]| (a + b) * 0.5;
    let reach = |[(a, v), (b, w)]: &[Moving; 2]| {
        0.5 * (a - b).norm() + v.norm_squared().max(w.norm_squared()).sqrt()
    };
    let far = within + reach(&ends[0]) + reach(&ends[1]);
    (middle(&ends[0]) - middle(&ends[1])).norm_squared() > far * far
}

/// Fraction up to which two moving segments keep their distance, and the normal there from the second to the first, by
/// advancing from one separating plane to the next. `None` when nothing stops them before `best`.
fn advance(
    first: &[Moving; 2],
    second: &[Moving; 2],
    best: f64,
    keep_at: impl Fn(f64) -> f64,
    radii: f64,
) -> Option<(f64, Vec3)> {
    let place = |ends: &[Moving; 2], t: f64| ends.map(|(x, v)| x + v * t);
    let mut t = 0.0;
    let mut keep = 0.0;
    let mut n = Vec3::zeros();
    for round in 0..ROUNDS {
        let ([a0, a1], [b0, b1]) = (place(first, t), place(second, t));
        let nearest = segment_segment(&a0, &a1, &b0, &b1);
        let away = a0.lerp(&a1, nearest.s) - b0.lerp(&b1, nearest.t);
        let distance = away.norm();
        if round == 0 {
            // Too near from the start (imported so): they may part, and come nearer by half at most.
            if distance == 0.0 {
                return None;
            }
            let gap = distance - radii;
            keep = if gap > 0.0 {
                keep_at(gap)
            } else {
                0.5 * distance
            };
        } else if distance <= keep * (1.0 + 1e-12) {
            return Some((t, n));
        }
        n = away / distance;
        let mut advance = f64::INFINITY;
        for (x, (_, v)) in [a0, a1].iter().zip(first) {
            for (y, (_, w)) in [b0, b1].iter().zip(second) {
                let speed = n.dot(&(v - w));
                if speed < 0.0 {
                    advance = advance.min((n.dot(&(x - y)) - keep) / -speed);
                }
            }
        }
        if t + advance >= best {
            return None;
        }
        // Stuck within rounding.
        if advance < 1e-9 {
            return Some((t, n));
        }
        t += advance;
    }
    Some((t, n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::{ContactSettings, Thickness};

    const RADIUS: f64 = 4.0;

    fn limit(first: [Vec3; 2], motion: [Vec3; 2], second: [Vec3; 2]) -> PairLimit {
        let settings = ContactSettings::new(RADIUS, 0.01, 0.2);
        let lengths = [(first[1] - first[0]).norm()];
        let chain = |points, motion| Chain {
            points,
            motion,
            held: &[false; 2],
            lengths: &lengths,
            settings: &settings,
            thickness: Thickness::default(),
            sees_itself: false,
            awake: true,
        };
        let chains = [chain(&first, &motion), chain(&second, &[])];
        PairSweep { chains: &chains }.limit(&mut NearPairs::default())
    }

    #[test]
    fn a_jump_across_another_rod_stops_in_front_of_it() {
        let first = [Vec3::new(-50.0, 0.0, 30.0), Vec3::new(50.0, 0.0, 30.0)];
        let second = [Vec3::new(0.0, -50.0, 0.0), Vec3::new(0.0, 50.0, 0.0)];
        for way in [60.0, 600.0, 6000.0] {
            let stop = limit(first, [Vec3::z() * -way; 2], second);
            assert_eq!(stop.rods, Some([0, 1]));
            // At the sum of the radii and a tenth of the barrier distance.
            assert!((30.0 - way * stop.fraction - 8.04).abs() < 1e-6);
        }
    }

    #[test]
    fn a_turn_that_ends_clear_on_the_other_side_is_stopped() {
        let first = [Vec3::new(-50.0, 0.0, 20.0), Vec3::new(50.0, 0.0, 20.0)];
        let second = [Vec3::new(30.0, -50.0, 0.0), Vec3::new(30.0, 50.0, 0.0)];
        let stop = limit(first, [Vec3::zeros(), Vec3::z() * -60.0], second);
        assert!(stop.fraction < 1.0);
    }

    #[test]
    fn gliding_past_is_free() {
        let first = [Vec3::new(-50.0, 0.0, 8.5), Vec3::new(50.0, 0.0, 8.5)];
        let second = [Vec3::new(0.0, -50.0, 0.0), Vec3::new(0.0, 50.0, 0.0)];
        let stop = limit(first, [Vec3::new(30.0, 40.0, 0.0); 2], second);
        assert_eq!(stop, PairLimit::NONE);
    }

    /// One edge of 10 mm.
    fn chain<'a>(
        points: &'a [Vec3; 2],
        motion: &'a [Vec3],
        held: &'a [bool; 2],
        settings: &'a ContactSettings,
    ) -> Chain<'a> {
        Chain {
            points,
            motion,
            held,
            lengths: &[10.0],
            settings,
            thickness: Thickness::default(),
            sees_itself: false,
            awake: true,
        }
    }

    #[test]
    fn the_whole_edge_at_a_moving_handle_stops_at_a_held_node_and_not_at_a_free_one() {
        let settings = ContactSettings::new(RADIUS, 0.01, 0.2);
        // The far end of the first comes down onto the near end of the second.
        let first = [0.0, 10.0].map(|x| Vec3::new(x, 0.0, 10.0));
        let second = [10.0, 20.0].map(|x| Vec3::x() * x);
        let down = [Vec3::z() * -10.0; 2];
        let gap = |held: &[bool; 2]| {
            let chains = [
                chain(&first, &down, &[true, false], &settings),
                chain(&second, &[], held, &settings),
            ];
            let limit = PairSweep { chains: &chains }.limit(&mut NearPairs::default());
            let gap = 10.0 * (1.0 - limit.fraction) - 2.0 * RADIUS;
            (gap / settings.barrier_distance, limit.at_handle)
        };
        let (stopped, at_handle) = gap(&[true, false]);
        assert!((stopped - BOTH_HELD_STOP).abs() < 1e-6, "{stopped}");
        assert!((at_handle.unwrap() - Vec3::z()).norm() < 1e-9);
        let (free, at_handle) = gap(&[false, false]);
        assert!((free - SHRINK).abs() < 1e-6, "{free}");
        assert_eq!(at_handle, None);
    }

    #[test]
    fn a_handle_that_stays_holds_back_no_more_than_an_edge_does() {
        let settings = ContactSettings::new(RADIUS, 0.01, 0.2);
        // Nearer than a handle may come: 0.02 of the barrier distance.
        let apart = 2.0 * RADIUS + 0.02 * settings.barrier_distance;
        let still = [Vec3::zeros(), Vec3::x() * 10.0];
        let above = still.map(|p| p + Vec3::z() * apart);
        let down = [Vec3::z() * -1e-3; 2];
        let fraction = |held: &[bool; 2], motion: &[Vec3]| {
            let free = [false; 2];
            let chains = [
                chain(&still, motion, held, &settings),
                chain(&above, &down, &free, &settings),
            ];
            let limit = PairSweep { chains: &chains }.limit(&mut NearPairs::default());
            limit.fraction
        };
        let zero = [Vec3::zeros(); 2];
        assert_eq!(fraction(&[true, false], &zero), 1.0);
        // It comes no nearer by its own motion.
        let up = [Vec3::z() * 1e-3; 2];
        assert!(fraction(&[true, false], &up) < 1e-3);
    }
}
