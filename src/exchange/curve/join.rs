//! Paths that go on in each other's direction become one.

use super::{Curve, Path, reversed};
use crate::geom::Vec3;

/// Ends of paths that meet, mm: CAD systems write 7 to 15 digits, and model to 0.001 mm at best.
const GAP: f64 = 0.01;

/// Paths go on in each other where their directions differ by no more than this, radians: a degree.
const KINK: f64 = 0.018;

/// One end of a path: where, and the direction in which a cable would leave the path there.
struct End {
    path: usize,
    /// Whether it is the end, not the start.
    last: bool,
    place: Vec3,
    outward: Vec3,
}

/// Joins paths where exactly two ends meet in one direction. Of each row: the numbers of the paths in it, as they
/// come, and the path. The first of a row keeps its direction.
pub fn chains(paths: &[Path]) -> Vec<(Vec<usize>, Path)> {
    let ends = ends_of(paths);
    let mut next: Vec<[Option<(usize, bool)>; 2]> = vec![[None; 2]; paths.len()];
    for (i, end) in ends.iter().enumerate() {
        let here = |other: &&End| (other.place - end.place).norm() <= GAP;
        let meeting: Vec<&End> = ends.iter().filter(here).collect();
        let others = ends.iter().enumerate().filter(|(k, e)| *k != i && here(e));
        let mut others = others.map(|(_, e)| e);
        if let (2, Some(other)) = (meeting.len(), others.next())
            && other.path != end.path
            && end.outward.angle(&-other.outward) <= KINK
        {
            next[end.path][usize::from(end.last)] = Some((other.path, other.last));
        }
    }
    let mut taken = vec![false; paths.len()];
    let mut rows = Vec::new();
    for first in 0..paths.len() {
        if taken[first] {
            continue;
        }
        taken[first] = true;
        let mut numbers = vec![first];
        let mut row = paths[first].clone();
        // On from the end, then back from the start.
        for at_end in [true, false] {
            let mut here = (first, at_end);
            while let Some((path, last)) = next[here.0][usize::from(here.1)] {
                if taken[path] {
                    break;
                }
                taken[path] = true;
                // Met at its end: it is run the other way, and goes on from its start.
                let turned = last == at_end;
                let more = if turned {
                    reversed(&paths[path])
                } else {
                    paths[path].clone()
                };
                if at_end {
                    numbers.push(path);
                    row.extend(more);
                } else {
                    numbers.insert(0, path);
                    row.splice(0..0, more);
                }
                here = (path, !last);
            }
        }
        rows.push((numbers, row));
    }
    rows
}

fn ends_of(paths: &[Path]) -> Vec<End> {
    let mut ends = Vec::with_capacity(2 * paths.len());
    for (path, curves) in paths.iter().enumerate() {
        let (Some(first), Some(last)) = (curves.first(), curves.last()) else {
            continue;
        };
        let both: [(&Curve, bool); 2] = [(first, false), (last, true)];
        for (curve, is_last) in both {
            let directions = curve.directions();
            ends.push(End {
                path,
                last: is_last,
                place: if is_last { curve.end() } else { curve.start() },
                outward: if is_last {
                    directions[1]
                } else {
                    -directions[0]
                },
            });
        }
    }
    ends
}
