//! One plane cut, followed from triangle to triangle.

use super::fans::Across;
use super::shell::Shell;
use super::slice::{Loop, Plane, cut_triangle};

/// What a walk along a cut comes to.
pub enum Walk {
    /// Back to where it began.
    Round(Loop),
    /// Farther from the plane's origin than it was to go.
    Away,
    /// A rim, or an edge at which several surfaces meet: only [`super::slice::slice`] can tell how it goes on.
    Torn,
}

/// Follows the cut through triangle `t` from neighbour to neighbour: much less work than cutting all there is in reach.
pub fn walk(shell: &Shell, plane: &Plane, t: u32, reach: f64) -> Walk {
    let mut pieces = Vec::new();
    let mut triangles = Vec::new();
    let mut at = t;
    let mut from = None;
    // No triangle is passed twice.
    for _ in 0..shell.triangles.len() {
        let Some(cut) = cut_triangle(shell, plane, at) else {
            return Walk::Torn;
        };
        // The end by which it came in.
        let entry = match from {
            None => 0,
            Some(from) if cut.across(shell, 0) == Across::One(from) => 0,
            Some(_) => 1,
        };
        let exit = cut.ends[1 - entry];
        pieces.push([cut.ends[entry], exit]);
        triangles.push(at);
        match cut.across(shell, 1 - entry) {
            Across::One(next) if next == t => {
                return Walk::Round(Loop::new(pieces, triangles, true));
            }
            _ if exit.norm_squared() > reach * reach => return Walk::Away,
            Across::One(next) => {
                from = Some(at);
                at = next;
            }
            Across::Nothing | Across::Several => return Walk::Torn,
        }
    }
    Walk::Torn
}

#[cfg(test)]
mod tests {
    use super::super::shell::Shells;
    use super::super::slice::slice;
    use super::*;
    use crate::geom::Vec3;
    use crate::mesh::{TriMesh, primitives};

    /// A bent tube of 12 sides.
    fn bend() -> TriMesh {
        let points: Vec<Vec3> = (0..=20)
            .map(|i| {
                let (sin, cos) = (0.08 * f64::from(i)).sin_cos();
                Vec3::new(60.0 * sin, 60.0 * (1.0 - cos), 0.0)
            })
            .collect();
        primitives::tube(&points, 5.0, 12)
    }

    fn plane_through(shell: &Shell, t: u32, turn: f64) -> Plane {
        let [a, b, c] = shell.corners(t);
        let along = (b - a).normalize();
        let across = shell.normals[t as usize].cross(&along);
        Plane::new((a + b + c) / 3.0, along * turn.cos() + across * turn.sin())
    }

    #[test]
    fn a_walk_goes_round_the_loop_that_a_slice_finds() {
        let shells = Shells::new(&bend());
        let shell = &shells.list[0];
        let mut n_away = 0;
        for t in (0..shell.triangles.len() as u32).step_by(7) {
            for turn in [0.0, 0.4, 1.1, 1.9, 2.6] {
                let plane = plane_through(shell, t, turn);
                let all = slice(shell, &plane, &plane.origin, 1000.0);
                let same = all.iter().find(|l| l.triangles.contains(&t)).unwrap();
                let Walk::Round(found) = walk(shell, &plane, t, 1000.0) else {
                    panic!("triangle {t}, turn {turn}: no way round");
                };
                assert!(same.is_closed);
                assert_eq!(found.triangles.len(), same.triangles.len());
                assert!((found.perimeter - same.perimeter).abs() < 1e-9);
                assert!((found.area - same.area).abs() < 1e-9);
                let extent = found.extent(&super::super::slice::Vec2::zeros());
                let near = walk(shell, &plane, t, 0.5 * extent);
                n_away += usize::from(matches!(near, Walk::Away));
                assert!(!matches!(near, Walk::Torn));
            }
        }
        assert!(n_away > 100);
    }

    #[test]
    fn a_walk_stops_at_a_hole() {
        let whole = bend();
        let holed = TriMesh::new(whole.vertices().to_vec(), whole.triangles()[1..].to_vec());
        let shells = Shells::new(&holed.unwrap());
        let shell = &shells.list[0];
        let ends = |t: u32| match walk(shell, &plane_through(shell, t, 0.7), t, 1000.0) {
            Walk::Torn => 1,
            Walk::Round(_) | Walk::Away => 0,
        };
        let n_torn: usize = (0..shell.triangles.len() as u32).map(ends).sum();
        assert!(n_torn > 0 && n_torn < shell.triangles.len());
    }
}
