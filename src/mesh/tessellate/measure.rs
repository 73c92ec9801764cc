//! Area, volume and closedness of triangles.

use crate::geom::Vec3;

/// What triangles enclose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measure {
    /// Sum of the areas.
    pub area: f64,
    /// What they enclose; right where they are closed.
    pub volume: f64,
    /// Sides of triangles that have no opposite.
    pub open_sides: usize,
}

/// Measures triangles.
pub fn measure(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Measure {
    let Some(first) = triangles.first() else {
        return Measure::default();
    };
    // Near the body, so that nothing is lost far from the origin.
    let origin = vertices[first[0] as usize];
    let (mut area, mut volume) = (0.0, 0.0);
    for t in triangles {
        let [a, b, c] = t.map(|v| vertices[v as usize] - origin);
        area += 0.5 * (b - a).cross(&(c - a)).norm();
        volume += a.dot(&b.cross(&c)) / 6.0;
    }
    Measure {
        area,
        volume,
        open_sides: open_sides(triangles),
    }
}

/// How many sides have no opposite.
fn open_sides(triangles: &[[u32; 3]]) -> usize {
    let mut sides: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * triangles.len());
    for [a, b, c] in triangles {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            sides.push((*p.min(q), *p.max(q), p < q));
        }
    }
    sides.sort_unstable();
    sides
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .map(|same| {
            let n_forward = same.iter().filter(|s| s.2).count();
            n_forward.abs_diff(same.len() - n_forward)
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::Aabb;
    use crate::mesh::primitives::cuboid;

    #[test]
    fn a_box_is_measured_and_a_hole_is_seen() {
        let mesh = cuboid(&Aabb {
            min: Vec3::repeat(5.0),
            max: Vec3::new(6.0, 7.0, 8.0),
        });
        let found = measure(mesh.vertices(), mesh.triangles());
        assert!((found.area - 22.0).abs() < 1e-12 && (found.volume - 6.0).abs() < 1e-12);
        assert_eq!(found.open_sides, 0);
        let open = measure(mesh.vertices(), &mesh.triangles()[1..]);
        assert_eq!(open.open_sides, 3);
        let mut turned = mesh.triangles().to_vec();
        turned[0].swap(1, 2);
        assert_eq!(measure(mesh.vertices(), &turned).open_sides, 6);
    }
}
