//! A drawing of an extraction as SVG: the mesh from the side that shows most of it, and the lines that were found.

use std::fmt::Write;

use crate::centerline::{CenterlineGraph, NodeKind};
use crate::geom::Vec3;
use crate::mesh::TriMesh;

/// Width of the drawing, points.
const WIDTH: f64 = 900.0;
/// Room round it, points.
const MARGIN: f64 = 24.0;
/// Triangles that are drawn at most; of more, every so many.
const MOST_TRIANGLES: usize = 20_000;

/// The drawing as the text of an SVG file.
pub fn svg(graph: &CenterlineGraph, mesh: &TriMesh) -> String {
    let aabb = mesh.aabb();
    let size = aabb.max - aabb.min;
    // Across the smallest extent of the box; the largest goes to the right.
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| size[b].total_cmp(&size[a]).then(a.cmp(&b)));
    let [right, up, _] = axes;
    let scale = (WIDTH - 2.0 * MARGIN) / size[right].max(f64::MIN_POSITIVE);
    let height = size[up] * scale + 2.0 * MARGIN;
    let place = |p: &Vec3| {
        (
            MARGIN + (p[right] - aabb.min[right]) * scale,
            MARGIN + (aabb.max[up] - p[up]) * scale,
        )
    };
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <path fill=\"#dfe6ee\" fill-opacity=\"0.6\" stroke=\"#9fb0c3\" stroke-width=\"0.4\" d=\""
    );
    let every = mesh.triangles().len().div_ceil(MOST_TRIANGLES).max(1);
    // Writing to a string cannot fail.
    for t in (0..mesh.triangles().len()).step_by(every) {
        let [a, b, c] = mesh.corners(t).map(|p| place(&p));
        let _ = write!(
            text,
            "M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z",
            a.0, a.1, b.0, b.1, c.0, c.1
        );
    }
    text.push_str("\"/>\n");
    for (number, branch) in graph.branches.iter().enumerate() {
        text.push_str("<polyline fill=\"none\" stroke=\"#c8321e\" stroke-width=\"2\" points=\"");
        for point in &branch.curve {
            let (x, y) = place(&point.position);
            let _ = write!(text, "{x:.1},{y:.1} ");
        }
        text.push_str("\"/>\n");
        let (x, y) = place(&branch.at(0.5 * branch.length()).position);
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-family=\"sans-serif\" font-size=\"14\" fill=\"#7a1c10\">{number}</text>",
            x + 6.0,
            y - 6.0
        );
    }
    for node in &graph.nodes {
        let (x, y) = place(&node.position);
        let fill = match node.kind {
            NodeKind::Junction => "#1f6fb4",
            NodeKind::End | NodeKind::Through => "#ffffff",
        };
        let _ = writeln!(
            text,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{fill}\" stroke=\"#1f6fb4\" stroke-width=\"2\"/>"
        );
    }
    text.push_str("</svg>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::centerline::{Settings, extract};
    use crate::mesh::primitives;

    #[test]
    fn the_drawing_shows_every_triangle_branch_and_node() {
        let points: Vec<Vec3> = (0..=10)
            .map(|i| Vec3::x() * (10.0 * f64::from(i)))
            .collect();
        let mesh = primitives::tube(&points, 4.0, 12);
        let graph = extract(&mesh, &Settings::default(), &|_| true).unwrap();
        let text = svg(&graph, &mesh);
        assert_eq!(text.matches('Z').count(), mesh.triangles().len());
        assert_eq!(text.matches("<polyline").count(), 1);
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(text.ends_with("</svg>\n") && !text.contains("NaN"));
    }
}
