//! Where each unknown stands in the system.
//!
//! Start clamp's frame, then for each node its position and the frame of the edge that it starts, then the last
//! node and the end clamp's frame: `tc0 | x0 t0 | x1 t1 | ... | xN | tcN`. Neighbours couple within nine entries.

/// Unknowns of a rod with `n_edges`.
pub fn n_unknowns(n_edges: usize) -> usize {
    6 * n_edges + 9
}

/// First entry of node `i`.
pub fn node(i: usize) -> usize {
    3 + 6 * i
}

/// First entry of the frame of edge `i`.
pub fn frame(i: usize) -> usize {
    6 + 6 * i
}

/// First entry of the clamp frame at the start (0) or end (1).
pub fn clamp(end: usize, n_edges: usize) -> usize {
    if end == 0 { 0 } else { 6 + 6 * n_edges }
}

/// Whether entry `k` is one of a position (and not of a frame).
pub fn is_position(k: usize) -> bool {
    k % 6 >= 3
}
