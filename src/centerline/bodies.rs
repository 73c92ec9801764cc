//! Bodies in the course of a cable, such as that of a resistor between its leads: short, and far thicker than the cable
//! on both sides.

use super::assemble::Stretch;
use super::graph::{CurvePoint, Warning};
use super::shell::Shells;
use super::verify;
use crate::geom::Vec3;

/// A body is so many times as thick as the cable on each side,
const THICKER: f64 = 3.0;
/// and where it is thicker than this part of its greatest radius
const CORE: f64 = 0.5;
/// it is no longer than so many of these: what is longer is a sleeve or a conduit.
const SHORT: f64 = 8.0;
/// The cable on each side is so many of its radii long,
const LEAD: f64 = 8.0;
/// and nowhere there so many times as thick.
const STEADY: f64 = 1.3;
/// The face of the body is looked for in steps of so many radii of the cable.
const STEP: f64 = 0.05;
/// Points that stay of a part at least.
const LEAST: usize = 2;
/// Steps at most.
const MOST_STEPS: usize = 1000;

/// Leaves bodies out: the cable ends at each of their faces, with a word about it.
pub fn leave_out(
    shells: &Shells,
    stretches: Vec<Stretch>,
    positions: &mut Vec<Vec3>,
    warnings: &mut Vec<Warning>,
) -> Vec<Stretch> {
    let mut done = Vec::new();
    let mut open = stretches;
    open.reverse();
    while let Some(mut stretch) = open.pop() {
        let Some(body) = body_in(&stretch) else {
            done.push(stretch);
            continue;
        };
        let mut after = stretch.curve.split_off(body[1]);
        after.reverse();
        let gone = stretch.curve.split_off(body[0] + 1);
        to_face(shells, &stretch.shells, &mut stretch.curve, &gone);
        let backwards: Vec<CurvePoint> = gone.into_iter().rev().collect();
        to_face(shells, &stretch.shells, &mut after, &backwards);
        after.reverse();
        let faces = [stretch.curve.last(), after.first()].map(|p| p.map(|p| p.position));
        let [Some(first), Some(second)] = faces else {
            continue;
        };
        // What was bridged lies in the body.
        let is_in = |p: &Vec3| (p - (first + second) * 0.5).norm() < (first - second).norm();
        warnings.retain(|warning| {
            !matches!(warning, Warning::Bridged { position, .. } if is_in(&(position - shells.origin)))
        });
        let mut numbers = [0; 2];
        for (number, face) in numbers.iter_mut().zip([first, second]) {
            *number = positions.len();
            positions.push(face);
            warnings.push(Warning::EndsAtBody {
                position: face + shells.origin,
            });
        }
        let [start, end] = stretch.nodes;
        open.push(Stretch {
            nodes: [numbers[1], end],
            curve: after,
            shells: stretch.shells.clone(),
            ..stretch
        });
        open.push(Stretch {
            nodes: [start, numbers[0]],
            ..stretch
        });
    }
    done
}

/// The last point before the thickest body of a stretch and the first behind it.
fn body_in(stretch: &Stretch) -> Option<[usize; 2]> {
    let curve = &stretch.curve;
    if stretch.closed {
        return None;
    }
    let middle = (0..curve.len()).max_by(|&a, &b| curve[a].radius.total_cmp(&curve[b].radius))?;
    let thick = curve[middle].radius;
    let is_thin = |p: &CurvePoint| p.radius * THICKER < thick;
    let last = curve[..middle].iter().rposition(is_thin)?;
    let first = middle + curve[middle..].iter().position(is_thin)?;
    let core: Vec<&CurvePoint> = (curve[last..first].iter())
        .filter(|p| p.radius > CORE * thick)
        .collect();
    let length: f64 = core
        .windows(2)
        .map(|w| (w[1].position - w[0].position).norm())
        .sum();
    // The radius goes over from that of the cable to that of the body between two places: back to where it is steady.
    let before = lead(curve[..=last].iter().rev())?;
    let behind = lead(curve[first..].iter())?;
    (length < SHORT * thick).then_some([last - before, first + behind])
}

/// How many points from the body the cable has its radius, if it goes on long enough.
fn lead<'a>(mut outwards: impl Iterator<Item = &'a CurvePoint> + Clone) -> Option<usize> {
    let radii = outwards.clone().map(|p| p.radius);
    let thin = radii.fold(f64::INFINITY, f64::min);
    let first = outwards.clone().position(|p| p.radius < STEADY * thin)?;
    let mut last = outwards.nth(first)?;
    let mut length = 0.0;
    for p in outwards {
        if length > LEAD * thin {
            break;
        }
        if p.radius > STEADY * thin {
            return None;
        }
        length += (p.position - last.position).norm();
        last = p;
    }
    (length > LEAD * thin).then_some(first)
}

/// Lets a part end at the face of a body: takes off what lies in it already, and takes the cable on along what was taken
/// off, as far as the surface is that of the cable.
fn to_face(shells: &Shells, own: &[usize], part: &mut Vec<CurvePoint>, gone: &[CurvePoint]) {
    let own: Vec<_> = own.iter().map(|&i| &shells.list[i]).collect();
    let is_cable =
        |p: &Vec3, along: &Vec3, radius: f64| verify::is_tube_round(&own, p, along, radius);
    let mut ahead: Vec<Vec3> = gone.iter().rev().map(|p| p.position).collect();
    while let [.., before, last] = part[..] {
        let along = (last.position - before.position).try_normalize(0.0);
        if part.len() <= LEAST || along.is_some_and(|t| is_cable(&last.position, &t, last.radius)) {
            break;
        }
        ahead.push(last.position);
        part.pop();
    }
    let Some(&last) = part.last() else {
        return;
    };
    let step = STEP * last.radius;
    let mut face = None;
    let mut n_steps = 0;
    let mut from = last.position;
    'pieces: for to in ahead.into_iter().rev() {
        let Some(along) = (to - from).try_normalize(0.0) else {
            continue;
        };
        let length = (to - from).norm();
        let n = (length / step).ceil();
        for k in 1..=n as usize {
            let at = from + along * (length * k as f64 / n);
            n_steps += 1;
            if n_steps > MOST_STEPS || !is_cable(&at, &along, last.radius) {
                break 'pieces;
            }
            face = Some(at);
        }
        from = to;
    }
    part.extend(face.map(|position| CurvePoint { position, ..last }));
}

#[cfg(test)]
mod tests {
    use super::super::{CenterlineGraph, NodeKind, Settings, Warning, extract};
    use crate::geom::Vec3;
    use crate::mesh::TriMesh;

    /// A straight cable of radius 1 from -60 to 60 with a swelling in its middle, turned round the x axis.
    fn swollen(radius: f64, half_length: f64) -> CenterlineGraph {
        let profile = [
            (-60.0, 0.0),
            (-60.0, 1.0),
            (-half_length, 1.0),
            (-half_length, radius),
            (half_length, radius),
            (half_length, 1.0),
            (60.0, 1.0),
            (60.0, 0.0),
        ];
        let n = 24_u32;
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for (i, (x, r)) in (0_u32..).zip(profile) {
            for k in 0..n {
                let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(n)).sin_cos();
                vertices.push(Vec3::new(x, r * cos, r * sin));
                if i + 1 < profile.len() as u32 {
                    let at = |ring: u32, k: u32| (i + ring) * n + k % n;
                    triangles.push([at(0, k), at(1, k), at(1, k + 1)]);
                    triangles.push([at(0, k), at(1, k + 1), at(0, k + 1)]);
                }
            }
        }
        let mesh = TriMesh::new(vertices, triangles).unwrap();
        extract(&mesh, &Settings::default(), &|_| true).unwrap()
    }

    #[test]
    fn a_cable_ends_at_the_faces_of_a_body_in_its_course() {
        let graph = swollen(4.5, 9.0);
        assert_eq!(graph.branches.len(), 2, "{:?}", graph.warnings);
        assert!(graph.nodes.iter().all(|node| node.kind == NodeKind::End));
        let mut ends: Vec<f64> = graph.nodes.iter().map(|node| node.position.x).collect();
        ends.sort_by(f64::total_cmp);
        for (end, truth) in ends.iter().zip([-60.0, -9.0, 9.0, 60.0]) {
            assert!((end - truth).abs() < 0.1, "{ends:?}");
        }
        let points = graph.branches.iter().flat_map(|b| &b.curve);
        assert!(points.clone().all(|p| (p.radius - 1.0).abs() < 0.02));
        let codes: Vec<&str> = graph.warnings.iter().map(Warning::code).collect();
        assert_eq!(codes, ["ends-at-body"; 2]);
    }

    #[test]
    fn a_sleeve_stays_with_its_cable() {
        // Less than three times as thick; and long for its thickness.
        for (radius, half_length) in [(2.5, 6.0), (4.5, 25.0)] {
            let graph = swollen(radius, half_length);
            assert_eq!(graph.branches.len(), 1, "{radius} {:?}", graph.warnings);
        }
    }
}
