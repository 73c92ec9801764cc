//! Axis-aligned boxes.

use super::Vec3;

/// An axis-aligned box; empty while `min > max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest corner.
    pub min: Vec3,
    /// Largest corner.
    pub max: Vec3,
}

impl Aabb {
    /// The box that holds nothing.
    pub fn empty() -> Self {
        Self {
            min: Vec3::repeat(f64::INFINITY),
            max: Vec3::repeat(f64::NEG_INFINITY),
        }
    }

    /// The smallest box that holds `points`.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Vec3>) -> Self {
        let mut aabb = Self::empty();
        for p in points {
            aabb.grow(p);
        }
        aabb
    }

    /// Makes room for `p`.
    pub fn grow(&mut self, p: &Vec3) {
        self.min = self.min.inf(p);
        self.max = self.max.sup(p);
    }

    /// Makes room for another box.
    pub fn merge(&mut self, other: &Self) {
        self.min = self.min.inf(&other.min);
        self.max = self.max.sup(&other.max);
    }

    /// The box with `margin` added on every side.
    #[must_use]
    pub fn inflated(&self, margin: f64) -> Self {
        Self {
            min: self.min - Vec3::repeat(margin),
            max: self.max + Vec3::repeat(margin),
        }
    }

    /// Whether the two boxes share a point.
    pub fn intersects(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// From one box to the other; 0 where they share a point.
    pub fn distance(&self, other: &Self) -> f64 {
        let apart = (other.min - self.max).sup(&(self.min - other.max));
        apart.sup(&Vec3::zeros()).norm()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        (0..3).any(|k| self.min[k] > self.max[k])
    }

    /// Its middle.
    pub fn center(&self) -> Vec3 {
        (self.min + self.max) * 0.5
    }

    /// Length of its space diagonal; 0 when empty.
    pub fn diagonal(&self) -> f64 {
        if self.is_empty() {
            0.0
        } else {
            (self.max - self.min).norm()
        }
    }
}
