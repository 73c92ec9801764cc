//! Polygons to triangles by ear clipping (Meisters 1975), with exact orientation tests.

use robust::{Coord, orient2d};

use crate::geom::Vec3;

/// Corners above which a polygon is cut as a fan: ear clipping takes at least quadratic time.
const MAX_CORNERS: usize = 4096;

/// How a polygon is cut.
#[derive(Default)]
pub struct Cut {
    /// Triangles by corner number, wound like the polygon.
    pub triangles: Vec<[usize; 3]>,
    /// The polygon crosses itself (or is too large): the triangles overlap or stick out somewhere.
    pub is_crossed: bool,
    flat: Vec<Coord<f64>>,
    ring: Vec<usize>,
}

/// Cuts the polygon with these corners, convex or not, flat or nearly so.
pub fn triangulate(corners: &[Vec3], cut: &mut Cut) {
    cut.triangles.clear();
    cut.is_crossed = corners.len() > MAX_CORNERS;
    let n = corners.len();
    if !flatten(corners, &mut cut.flat) || cut.is_crossed {
        cut.triangles.extend((2..n).map(|i| [0, i - 1, i]));
        return;
    }
    cut.ring.clear();
    cut.ring.extend(0..n);
    let flat = &cut.flat;
    // Where to look first: beyond the last ear, so that the triangles do not all meet in one corner.
    let mut start = 0;
    while cut.ring.len() > 3 {
        let m = cut.ring.len();
        let ear = (0..m)
            .map(|k| (start + k) % m)
            .find(|&i| is_ear(&cut.ring, i, flat));
        let i = ear.unwrap_or_else(|| {
            // No ear: all that is left has no area, or crosses itself. Take the first convex corner, or any.
            let convex = (0..m).find(|&i| turn(&cut.ring, i, flat) > 0.0);
            cut.is_crossed |= convex.is_some();
            convex.unwrap_or(0)
        });
        let corner = |k: usize| cut.ring[(i + k) % m];
        cut.triangles.push([corner(m - 1), corner(0), corner(1)]);
        cut.ring.remove(i);
        start = (i + 1) % (m - 1);
    }
    if let [a, b, c] = cut.ring[..] {
        cut.is_crossed |= orient2d(flat[a], flat[b], flat[c]) < 0.0;
        cut.triangles.push([a, b, c]);
    }
}

/// Drops the axis in which the polygon is thinnest, so that it turns to the left; false when it has no area.
fn flatten(corners: &[Vec3], flat: &mut Vec<Coord<f64>>) -> bool {
    let Some(origin) = corners.first() else {
        return false;
    };
    // Newell's normal, about the first corner against cancellation.
    let mut normal = Vec3::zeros();
    for (i, p) in corners.iter().enumerate() {
        let q = &corners[(i + 1) % corners.len()];
        normal += (p - origin).cross(&(q - origin));
    }
    let axis = normal.iamax();
    if normal[axis] == 0.0 {
        return false;
    }
    let (mut u, mut v) = ((axis + 1) % 3, (axis + 2) % 3);
    if normal[axis] < 0.0 {
        std::mem::swap(&mut u, &mut v);
    }
    flat.clear();
    flat.extend(corners.iter().map(|p| Coord { x: p[u], y: p[v] }));
    true
}

/// Positive where the ring turns left at its place `i`.
fn turn(ring: &[usize], i: usize, flat: &[Coord<f64>]) -> f64 {
    let m = ring.len();
    let [a, b, c] = [(i + m - 1) % m, i, (i + 1) % m].map(|k| flat[ring[k]]);
    orient2d(a, b, c)
}

/// Whether the corner at place `i` can be cut off: convex, and no other corner in or on its triangle.
fn is_ear(ring: &[usize], i: usize, flat: &[Coord<f64>]) -> bool {
    if turn(ring, i, flat) <= 0.0 {
        return false;
    }
    let m = ring.len();
    let [a, b, c] = [(i + m - 1) % m, i, (i + 1) % m].map(|k| flat[ring[k]]);
    ring.iter().all(|&j| {
        let p = flat[j];
        // A bridge to a hole passes the same corner twice.
        let is_corner = [a, b, c].iter().any(|q| (q.x, q.y) == (p.x, p.y));
        is_corner || orient2d(a, b, p) < 0.0 || orient2d(b, c, p) < 0.0 || orient2d(c, a, p) < 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(triangle: [Vec3; 3]) -> f64 {
        let [a, b, c] = triangle;
        0.5 * (b - a).cross(&(c - a)).norm()
    }

    fn cut_area(corners: &[Vec3]) -> (f64, Cut) {
        let mut cut = Cut::default();
        triangulate(corners, &mut cut);
        let sum = cut
            .triangles
            .iter()
            .map(|t| area(t.map(|i| corners[i])))
            .sum();
        (sum, cut)
    }

    fn in_plane(points: &[[f64; 2]]) -> Vec<Vec3> {
        points
            .iter()
            .map(|&[x, y]| Vec3::new(x, 2.0 * y - x, y))
            .collect()
    }

    /// Area in the tilted plane over area in its projection on x, z.
    fn tilt() -> f64 {
        Vec3::new(1.0, -1.0, 0.0)
            .cross(&Vec3::new(0.0, 2.0, 1.0))
            .norm()
    }

    #[test]
    fn concave_polygons_keep_their_area_in_both_windings() {
        let mut l_shape = vec![
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 1.0],
            [1.0, 1.0],
            [1.0, 4.0],
            [0.0, 4.0],
        ];
        for _ in 0..2 {
            let (sum, cut) = cut_area(&in_plane(&l_shape));
            assert!((sum - 7.0 * tilt()).abs() < 1e-12, "{sum}");
            assert_eq!(cut.triangles.len(), 4);
            assert!(!cut.is_crossed);
            l_shape.reverse();
        }
    }

    #[test]
    fn a_dart_is_cut_at_its_notch() {
        // A fan from the first corner would cover the notch.
        let dart = [[0.0, 0.0], [4.0, 3.0], [0.0, 1.0], [-4.0, 3.0]];
        let (sum, cut) = cut_area(&in_plane(&dart));
        assert!((sum - 4.0 * tilt()).abs() < 1e-12, "{sum}");
        assert!(!cut.is_crossed);
    }

    #[test]
    fn a_ring_with_a_bridge_keeps_its_hole() {
        let ring = [
            [0.0, 0.0],
            [6.0, 0.0],
            [6.0, 6.0],
            [0.0, 6.0],
            [0.0, 0.0],
            [2.0, 2.0],
            [2.0, 4.0],
            [4.0, 4.0],
            [4.0, 2.0],
            [2.0, 2.0],
        ];
        let (sum, cut) = cut_area(&in_plane(&ring));
        assert!((sum - 32.0 * tilt()).abs() < 1e-12, "{sum}");
        assert!(!cut.is_crossed);
    }

    #[test]
    fn corners_on_an_edge_are_kept() {
        let square = [
            [0.0, 0.0],
            [1.0, 0.0],
            [2.0, 0.0],
            [2.0, 2.0],
            [1.0, 2.0],
            [0.0, 2.0],
        ];
        let (sum, cut) = cut_area(&in_plane(&square));
        assert!((sum - 4.0 * tilt()).abs() < 1e-12);
        let mut used = [false; 6];
        cut.triangles.iter().flatten().for_each(|&i| used[i] = true);
        assert_eq!(used, [true; 6]);
    }

    #[test]
    fn a_bow_tie_is_reported_and_a_line_is_not() {
        let bow_tie = [[0.0, 0.0], [2.0, 2.0], [2.0, 0.0], [0.0, 1.0]];
        assert!(cut_area(&in_plane(&bow_tie)).1.is_crossed);
        let line = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]];
        let (sum, cut) = cut_area(&in_plane(&line));
        assert!(sum < 1e-12 && !cut.is_crossed);
    }
}
