//! The loops of a face laid out in a plane chart of its surface.

use std::collections::HashMap;
use std::f64::consts::TAU;

use super::chart::{Chart, Globe, Growth, Ring};
use super::curve::Frame;
use super::invert::Inverter;
use super::surface::{Pole, Surface};
use crate::geom::Vec3;

/// A vertex of a loop in the plane. One vertex may have several places: at seams and poles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    /// Its parameters.
    pub uv: [f64; 2],
    /// Its number.
    pub id: u32,
}

/// How a face is laid out.
pub enum Layout {
    /// Loops in a plane.
    Planar {
        /// The map to the plane.
        chart: Box<Chart>,
        /// The loops, the face on their left.
        loops: Vec<Vec<Corner>>,
    },
    /// The whole of a closed surface: no border is left.
    Whole,
}

/// A loop with its parameters following each other without jumps.
struct Unwrapped {
    corners: Vec<Corner>,
    /// How often it goes round in each direction.
    winding: [i32; 2],
}

/// What the layout of one face needs.
pub struct Layouter<'a> {
    /// The surface.
    pub surface: &'a Surface,
    /// Its inverse.
    pub inverter: &'a Inverter<'a>,
    /// Places of the vertices by number.
    pub points: &'a [Vec3],
    /// What is nearer to a pole is the pole.
    pub at_pole: f64,
    /// Whether a single point bounds the face: it is the whole of a surface with two poles but for its loops.
    pub is_whole_but_loops: bool,
}

impl Layouter<'_> {
    /// Lays out loops of vertex numbers that run as the surface's own direction demands.
    pub fn layout(&self, loops: &[Vec<u32>]) -> Result<Layout, String> {
        if matches!(self.surface, Surface::Sphere { .. }) {
            return self.on_globe(Globe::SPHERE, &without_seams(loops));
        }
        if loops.is_empty() {
            return self.whole();
        }
        let unwrapped = self.unwrap_all(loops)?;
        if unwrapped.iter().all(|l| l.winding == [0, 0]) {
            if self.is_whole_but_loops
                && let Some(globe) = self.surface.globe()
            {
                return self.on_globe(globe, &without_seams(loops));
            }
            return Ok(self.in_plane(unwrapped));
        }
        let loops = without_seams(loops);
        if loops.is_empty() {
            return self.whole();
        }
        self.in_ring(&loops)
    }

    fn whole(&self) -> Result<Layout, String> {
        let periods = self.surface.periods();
        let n_poles = self.surface.poles().len();
        let is_closed = periods.iter().flatten().count() == 2
            || (periods.iter().flatten().count() == 1 && n_poles == 2);
        if is_closed {
            Ok(Layout::Whole)
        } else {
            Err("it has no border, and its surface is not closed".to_owned())
        }
    }

    fn unwrap_all(&self, loops: &[Vec<u32>]) -> Result<Vec<Unwrapped>, String> {
        let poles = self.surface.poles();
        loops.iter().map(|ids| self.unwrap(ids, &poles)).collect()
    }

    fn pole_of<'p>(&self, p: &Vec3, poles: &'p [Pole]) -> Option<&'p Pole> {
        poles
            .iter()
            .find(|pole| (pole.point - p).norm() <= self.at_pole)
    }

    fn unwrap(&self, ids: &[u32], poles: &[Pole]) -> Result<Unwrapped, String> {
        let periods = self.surface.periods();
        let n = ids.len();
        let at = |k: usize| &self.points[ids[k % n] as usize];
        let first = (0..n)
            .find(|&k| self.pole_of(at(k), poles).is_none())
            .ok_or("its border has shrunk to a point")?;
        let mut corners: Vec<Corner> = Vec::with_capacity(n + 2);
        let mut before: Option<[f64; 2]> = None;
        let mut pole_between: Option<(Pole, u32)> = None;
        let mut closing = [0.0; 2];
        for k in first..=first + n {
            let id = ids[k % n];
            let p = at(k);
            if let Some(pole) = self.pole_of(p, poles) {
                pole_between = Some((pole.clone(), id));
                continue;
            }
            let mut uv = self.inverter.parameters(p, before);
            if !(uv[0].is_finite() && uv[1].is_finite()) {
                return Err("its border cannot be found on its surface".to_owned());
            }
            if let Some(last) = before {
                for axis in 0..2 {
                    if let Some(period) = periods[axis] {
                        uv[axis] += period * ((last[axis] - uv[axis]) / period).round();
                    }
                }
                if let Some((mut pole, pole_id)) = pole_between.take() {
                    if let Some(period) = periods[pole.fixed] {
                        pole.value += period * ((last[pole.fixed] - pole.value) / period).round();
                    }
                    across_pole(&pole, last, &mut uv, periods);
                    let free = 1 - pole.fixed;
                    corners.push(Corner {
                        uv: pole.near(last[free]),
                        id: pole_id,
                    });
                    corners.push(Corner {
                        uv: pole.near(uv[free]),
                        id: pole_id,
                    });
                }
            }
            before = Some(uv);
            if k < first + n {
                corners.push(Corner { uv, id });
            } else {
                closing = uv;
            }
        }
        let start = corners[0].uv;
        let winding = [0, 1].map(|axis| match periods[axis] {
            Some(period) => ((closing[axis] - start[axis]) / period).round() as i32,
            None => 0,
        });
        Ok(Unwrapped { corners, winding })
    }

    /// Loops that close in the plane of the parameters.
    fn in_plane(&self, loops: Vec<Unwrapped>) -> Layout {
        let mut loops: Vec<Vec<Corner>> = loops.into_iter().map(|l| l.corners).collect();
        self.gather(&mut loops);
        let mut scale = self.scales(&loops);
        if let Some(straight) = self.surface.straight() {
            // Triangles should run along the straight lines: make these short.
            let range = span(&loops, straight);
            let steps = typical_step(&loops, 1 - straight) * scale[1 - straight];
            if range > 0.0 && steps > 0.0 {
                scale[straight] = scale[straight].min(2.0 * steps / range);
            }
        }
        Layout::Planar {
            chart: Box::new(Chart::Plane { scale }),
            loops,
        }
    }

    /// Brings holes into the same period as the outer loop.
    fn gather(&self, loops: &mut [Vec<Corner>]) {
        let periods = self.surface.periods();
        if loops.len() < 2 || periods == [None, None] {
            return;
        }
        let area = |l: &Vec<Corner>| doubled_area(l.iter().map(|c| c.uv)).abs();
        let Some(outer) =
            (0..loops.len()).max_by(|a, b| area(&loops[*a]).total_cmp(&area(&loops[*b])))
        else {
            return;
        };
        let outer_loop = loops[outer].clone();
        let bounds = |axis: usize| {
            outer_loop
                .iter()
                .fold([f64::INFINITY, f64::NEG_INFINITY], |b, c| {
                    [b[0].min(c.uv[axis]), b[1].max(c.uv[axis])]
                })
        };
        let boxes = [bounds(0), bounds(1)];
        for (i, hole) in loops.iter_mut().enumerate() {
            if i == outer {
                continue;
            }
            let shifts = [0, 1].map(|axis| {
                let Some(period) = periods[axis] else {
                    return vec![0.0];
                };
                let mean = hole.iter().map(|c| c.uv[axis]).sum::<f64>() / hole.len() as f64;
                let [low, high] = boxes[axis];
                let nearest = ((0.5 * (low + high) - mean) / period).round();
                let reach = ((high - low) / period).clamp(0.0, 20.0).ceil() as i32;
                let mut shifts = vec![nearest * period];
                for k in 1..=reach {
                    shifts.extend(
                        [nearest + f64::from(k), nearest - f64::from(k)].map(|s| s * period),
                    );
                }
                shifts
            });
            let inside = |shift: &[f64; 2]| {
                let n_inside = hole
                    .iter()
                    .filter(|c| contains(&outer_loop, [c.uv[0] + shift[0], c.uv[1] + shift[1]]))
                    .count();
                2 * n_inside > hole.len()
            };
            let all = shifts[0]
                .iter()
                .flat_map(|a| shifts[1].iter().map(move |b| [*a, *b]));
            let shift = all
                .clone()
                .find(|s| inside(s))
                .or_else(|| all.clone().next());
            if let Some(shift) = shift {
                for corner in hole {
                    corner.uv = [corner.uv[0] + shift[0], corner.uv[1] + shift[1]];
                }
            }
        }
    }

    /// Mean lengths of the derivatives along the loops.
    fn scales(&self, loops: &[Vec<Corner>]) -> [f64; 2] {
        if self.surface.is_plane() {
            return [1.0, 1.0];
        }
        let (mut sum, mut n) = ([0.0; 2], 0.0);
        for corner in loops.iter().flatten() {
            let (_, du, dv) = self.surface.at(corner.uv[0], corner.uv[1]);
            sum = [sum[0] + du.norm(), sum[1] + dv.norm()];
            n += 1.0;
        }
        sum.map(|s| {
            let mean: f64 = s / n;
            if mean.is_finite() && mean > 1e-12 {
                mean
            } else {
                1.0
            }
        })
    }

    /// Loops that go round in one direction.
    fn in_ring(&self, loops: &[Vec<u32>]) -> Result<Layout, String> {
        let mut loops = self.unwrap_all(loops)?;
        let goes_round = |axis: usize| loops.iter().any(|l| l.winding[axis] != 0);
        let round = match (goes_round(0), goes_round(1)) {
            (true, false) => 0,
            (false, true) => 1,
            (false, false) => return Ok(self.in_plane(loops)),
            (true, true) => return Err("its borders go round in two directions".to_owned()),
        };
        if loops.iter().any(|l| l.winding[round].abs() > 1) {
            return Err("its border goes round more than once".to_owned());
        }
        let other = 1 - round;
        let period = self.surface.periods()[round].ok_or("its surface has no period")?;
        if let Some(period) = self.surface.periods()[other] {
            stack(&mut loops, round, period);
        }
        let total: i32 = loops.iter().map(|l| l.winding[round]).sum();
        let [low, high] = bounds(loops.iter().flat_map(|l| &l.corners).map(|c| c.uv[other]));
        let pole = self.pole_inside(total, round, [low, high])?;
        // In the plane of u to the right and v up the face is above a loop that goes to the right; seen as a ring
        // with the radius growing downwards that loop is the outer one.
        let mut outward = if round == 0 { -1.0 } else { 1.0 };
        if let Some(pole) = &pole {
            outward = if pole.value > 0.5 * (low + high) {
                -1.0
            } else {
                1.0
            };
        }
        let turn = if round == 0 { -outward } else { outward };
        let (start, growth) = if let Some(pole) = &pole {
            let reach = (pole.value - low).abs().max((pole.value - high).abs());
            (pole.value, Growth::FromPole(1.0 / reach))
        } else {
            let all: Vec<Vec<Corner>> = loops.iter().map(|l| l.corners.clone()).collect();
            let scales = self.scales(&all);
            let length = (high - low).max(1e-9 * scales[round] * period / scales[other]);
            let conformal = scales[other] / scales[round] * TAU / period;
            let rate = conformal.clamp(2.0_f64.ln() / length, 8.0_f64.ln() / length);
            (
                if outward > 0.0 { low } else { high },
                Growth::Exponential(rate),
            )
        };
        let ring = Ring {
            round,
            period,
            turn,
            outward,
            start,
            growth,
        };
        let loops = loops
            .into_iter()
            .map(|l| one_place_at_poles(l.corners))
            .collect();
        Ok(Layout::Planar {
            chart: Box::new(Chart::Ring(ring)),
            loops,
        })
    }

    /// The pole that a face holds whose loops go round `total` times.
    fn pole_inside(
        &self,
        total: i32,
        round: usize,
        [low, high]: [f64; 2],
    ) -> Result<Option<Pole>, String> {
        if total == 0 {
            return Ok(None);
        }
        let middle = 0.5 * (low + high);
        let poles: Vec<Pole> = self
            .surface
            .poles()
            .into_iter()
            .filter(|p| p.fixed != round)
            .collect();
        // To the left of a loop that runs along +u is +v; of one along +v it is -u.
        let wants_high = (total > 0) == (round == 0);
        let on_side = poles.iter().find(|p| (p.value > middle) == wants_high);
        match (on_side, poles.as_slice()) {
            // A cone has one pole only, whatever the loop says.
            (Some(pole), _) | (None, [pole]) => Ok(Some(pole.clone())),
            _ => Err("its borders do not close a band round its surface".to_owned()),
        }
    }

    fn on_globe(&self, globe: Globe, loops: &[Vec<u32>]) -> Result<Layout, String> {
        if loops.is_empty() {
            return Ok(Layout::Whole);
        }
        let corners: Vec<Vec<Corner>> = loops
            .iter()
            .map(|l| {
                l.iter()
                    .map(|id| Corner {
                        uv: self.inverter.parameters(&self.points[*id as usize], None),
                        id: *id,
                    })
                    .collect()
            })
            .collect();
        let directions: Vec<Vec<Vec3>> = corners
            .iter()
            .map(|l| l.iter().map(|c| globe.direction(c.uv)).collect())
            .collect();
        let mut best: Option<(f64, Chart)> = None;
        for candidate in view_points(&directions) {
            let nearest = directions
                .iter()
                .flatten()
                .map(|d| (d - candidate).norm_squared())
                .fold(f64::INFINITY, f64::min);
            if best
                .as_ref()
                .is_some_and(|(distance, _)| *distance >= nearest)
            {
                continue;
            }
            let Some(view) = Frame::new(Vec3::zeros(), candidate, None) else {
                continue;
            };
            let chart = Chart::Sphere { globe, view };
            let areas = corners
                .iter()
                .map(|l| doubled_area(l.iter().map(|c| chart.place(c.uv))));
            let outermost = areas
                .max_by(|a, b| a.abs().total_cmp(&b.abs()))
                .unwrap_or(0.0);
            if outermost > 0.0 {
                best = Some((nearest, chart));
            }
        }
        let (_, chart) = best.ok_or("no point of its sphere is outside of it")?;
        let chart = Box::new(chart);
        Ok(Layout::Planar {
            chart,
            loops: corners,
        })
    }
}

/// Parameters after a pole: the row of the pole is passed with the face on the left.
fn across_pole(pole: &Pole, before: [f64; 2], after: &mut [f64; 2], periods: [Option<f64>; 2]) {
    let free = 1 - pole.fixed;
    let Some(period) = periods[free] else {
        return;
    };
    let is_high = pole.value > before[pole.fixed];
    // At the upper end of v, u falls; at the upper end of u, v grows.
    let grows = is_high == (pole.fixed == 0);
    let ahead = after[free] - before[free];
    let ahead = if grows {
        ahead.rem_euclid(period)
    } else {
        -(-ahead).rem_euclid(period)
    };
    let ahead = if ahead.abs() < 1e-6 * period || ahead.abs() > (1.0 - 1e-6) * period {
        if grows { period } else { -period }
    } else {
        ahead
    };
    after[free] = before[free] + ahead;
}

/// Puts loops of a surface that goes round in both directions one above the other.
fn stack(loops: &mut [Unwrapped], round: usize, period: f64) {
    let other = 1 - round;
    let mean =
        |l: &Unwrapped| l.corners.iter().map(|c| c.uv[other]).sum::<f64>() / l.corners.len() as f64;
    // The loop with the face above it is the lowest.
    let sign = if round == 0 { 1 } else { -1 };
    let Some(base) = loops.iter().position(|l| l.winding[round] == sign) else {
        return;
    };
    let low = mean(&loops[base]);
    for (i, l) in loops.iter_mut().enumerate() {
        if i == base {
            continue;
        }
        let ahead = (mean(l) - low).rem_euclid(period);
        let ahead = if ahead < 1e-9 * period { period } else { ahead };
        let shift = low + ahead - mean(l);
        for corner in &mut l.corners {
            corner.uv[other] += shift;
        }
    }
}

/// In a disc the pole is one place: the centre.
fn one_place_at_poles(mut corners: Vec<Corner>) -> Vec<Corner> {
    corners.dedup_by_key(|c| c.id);
    corners
}

fn bounds(values: impl Iterator<Item = f64>) -> [f64; 2] {
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| {
        [a.min(x), b.max(x)]
    })
}

fn span(loops: &[Vec<Corner>], axis: usize) -> f64 {
    let [low, high] = bounds(loops.iter().flatten().map(|c| c.uv[axis]));
    high - low
}

/// The middle one of the steps along the loops that move this parameter.
fn typical_step(loops: &[Vec<Corner>], axis: usize) -> f64 {
    let range = span(loops, axis);
    let mut steps: Vec<f64> = loops
        .iter()
        .flat_map(|l| l.windows(2))
        .map(|pair| (pair[1].uv[axis] - pair[0].uv[axis]).abs())
        .filter(|step| *step > 1e-3 * range)
        .collect();
    if steps.is_empty() {
        return range;
    }
    let middle = steps.len() / 2;
    *steps.select_nth_unstable_by(middle, f64::total_cmp).1
}

/// Twice the area inside a loop, positive when it runs counter-clockwise.
pub fn doubled_area(places: impl Iterator<Item = [f64; 2]> + Clone) -> f64 {
    let Some(origin) = places.clone().next() else {
        return 0.0;
    };
    let shifted = places.map(|p| [p[0] - origin[0], p[1] - origin[1]]);
    let next = shifted.clone().cycle().skip(1);
    shifted
        .zip(next)
        .map(|(a, b)| a[0] * b[1] - a[1] * b[0])
        .sum()
}

fn contains(polygon: &[Corner], p: [f64; 2]) -> bool {
    let mut inside = false;
    for (i, a) in polygon.iter().enumerate() {
        let b = &polygon[(i + 1) % polygon.len()];
        if (a.uv[1] > p[1]) != (b.uv[1] > p[1]) {
            let x = a.uv[0] + (b.uv[0] - a.uv[0]) * (p[1] - a.uv[1]) / (b.uv[1] - a.uv[1]);
            inside ^= p[0] < x;
        }
    }
    inside
}

/// The loops without what they pass both ways: seams and slits.
pub fn without_seams(loops: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut count: HashMap<(u32, u32), i32> = HashMap::new();
    let sides = |l: &Vec<u32>| -> Vec<(u32, u32)> {
        (0..l.len()).map(|i| (l[i], l[(i + 1) % l.len()])).collect()
    };
    for (a, b) in loops.iter().flat_map(sides) {
        *count.entry((a, b)).or_default() += 1;
    }
    if loops
        .iter()
        .flat_map(sides)
        .all(|(a, b)| !count.contains_key(&(b, a)))
    {
        return loops.to_vec();
    }
    // What is left, in the order of the loops.
    let mut left: Vec<(u32, u32)> = Vec::new();
    for (a, b) in loops.iter().flat_map(sides) {
        let back = count.get(&(b, a)).copied().unwrap_or(0);
        let here = count.get_mut(&(a, b));
        if let Some(here) = here
            && *here > back
        {
            left.push((a, b));
            *here -= 1;
        }
    }
    let mut by_start: HashMap<u32, Vec<usize>> = HashMap::new();
    for (i, (a, _)) in left.iter().enumerate().rev() {
        by_start.entry(*a).or_default().push(i);
    }
    let mut is_used = vec![false; left.len()];
    let mut chains = Vec::new();
    for i in 0..left.len() {
        if is_used[i] {
            continue;
        }
        let mut chain = Vec::new();
        let mut next = Some(i);
        while let Some(k) = next {
            is_used[k] = true;
            chain.push(left[k].0);
            next = if left[k].1 == left[i].0 {
                None
            } else {
                let starts = by_start.get_mut(&left[k].1);
                starts.and_then(|s| {
                    while let Some(k) = s.pop() {
                        if !is_used[k] {
                            return Some(k);
                        }
                    }
                    None
                })
            };
        }
        if chain.len() > 2 {
            chains.push(chain);
        }
    }
    chains
}

/// Directions from which a face of a sphere may be seen whole.
fn view_points(loops: &[Vec<Vec3>]) -> Vec<Vec3> {
    let mut candidates = Vec::new();
    for x in [-1.0, 0.0, 1.0] {
        for y in [-1.0, 0.0, 1.0] {
            for z in [-1.0, 0.0, 1.0] {
                candidates.extend(Vec3::new(x, y, z).try_normalize(0.5));
            }
        }
    }
    // And what is on the right of the loops, which is outside.
    for l in loops {
        let stride = (l.len() / 8).max(1);
        for i in (0..l.len()).step_by(stride) {
            let (a, b) = (l[i], l[(i + 1) % l.len()]);
            let right = (b - a).cross(&(a + b));
            for far in [0.05, 0.3, 1.0, 3.0] {
                let Some(right) = right.try_normalize(0.0) else {
                    continue;
                };
                candidates.extend(((a + b) * 0.5 + right * far).try_normalize(0.0));
            }
        }
    }
    candidates
}
