//! Edges that suit the places where a rod is held.

/// A place along a rod, by its arc length in mm, that the grid is to meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mark {
    /// By a node.
    Node(f64),
    /// By the middle of an edge.
    Middle(f64),
}

/// Distance of two breakpoints below which they are one, over the length.
const SAME: f64 = 1e-9;

/// Lengths of edges, about `n_edges` of them, such that every mark is met; equal between one mark and the next.
///
/// The edge around a middle mark is as long as the others, or shorter where the next mark or an end is near: at most
/// half of the way to it, so that an edge is left between two handles. Marks beyond the ends are left out.
pub fn grid(length: f64, n_edges: usize, marks: &[Mark]) -> Vec<f64> {
    let nominal = length / n_edges.max(2) as f64;
    let inside = |s: &f64| *s > SAME * length && *s < (1.0 - SAME) * length;
    let at = |mark: &Mark| match *mark {
        Mark::Node(s) | Mark::Middle(s) => s,
    };
    let mut marks: Vec<Mark> = marks.iter().copied().filter(|m| inside(&at(m))).collect();
    marks.sort_by(|a, b| at(a).total_cmp(&at(b)));
    let mut breaks = vec![0.0];
    for (k, mark) in marks.iter().enumerate() {
        let s = at(mark);
        let before = k.checked_sub(1).map_or(0.0, |k| at(&marks[k]));
        let after = marks.get(k + 1).map_or(length, at);
        match mark {
            Mark::Node(_) => breaks.push(s),
            Mark::Middle(_) => {
                let half = (0.5 * nominal).min((s - before).min(after - s) / 3.0);
                breaks.extend([s - half, s + half]);
            }
        }
    }
    breaks.push(length);
    breaks.dedup_by(|b, a| *b - *a <= SAME * length);
    let mut lengths = Vec::with_capacity(n_edges + 2 * marks.len());
    for pair in breaks.windows(2) {
        let span = pair[1] - pair[0];
        let n = (span / nominal - 1e-6).ceil().max(1.0);
        lengths.extend(std::iter::repeat_n(span / n, n as usize));
    }
    if lengths.len() < 2 {
        lengths = vec![0.5 * length; 2];
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_met() {
        let marks = [
            Mark::Middle(333.3),
            Mark::Node(500.0),
            Mark::Middle(505.0),
            Mark::Middle(7.0),
            Mark::Node(-3.0),
        ];
        let lengths = grid(1000.0, 100, &marks);
        assert!((lengths.iter().sum::<f64>() - 1000.0).abs() < 1e-9);
        assert!(lengths.iter().all(|l| *l > 1.0 && *l < 10.0 + 1e-9));
        let mut nodes = vec![0.0];
        for l in &lengths {
            nodes.push(nodes[nodes.len() - 1] + l);
        }
        for mark in &marks[..4] {
            let met = match *mark {
                Mark::Node(s) => nodes.iter().any(|x| (x - s).abs() < 1e-9),
                Mark::Middle(s) => nodes
                    .windows(2)
                    .any(|p| (0.5 * (p[0] + p[1]) - s).abs() < 1e-9),
            };
            assert!(met, "{mark:?}");
        }
        assert!(lengths.len() < 112, "{}", lengths.len());
    }

    #[test]
    fn without_marks_the_edges_are_equal() {
        assert_eq!(grid(100.0, 4, &[]), vec![25.0; 4]);
        assert_eq!(grid(100.0, 0, &[]), vec![50.0; 2]);
    }
}
