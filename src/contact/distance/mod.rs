//! Closest points of primitive pairs.

mod point_triangle;
mod segment_segment;
mod segment_triangle;

pub use point_triangle::{TriangleFeature, point_triangle};
pub use segment_segment::{SegmentPair, segment_segment};
pub use segment_triangle::segment_triangle;
