//! What is to be solved.

use std::sync::Arc;

use crate::contact::{Ignored, Obstacle};
use crate::geom::Vec3;
use crate::rod::Rod;

/// One cable, its loads, and the bodies around it.
#[derive(Clone)]
pub struct Problem {
    /// The rod.
    pub rod: Rod,
    /// Outer radius for contact, mm.
    pub radius: f64,
    /// Gravity, m/s^2.
    pub gravity: Vec3,
    /// Dead force on the last node (felt where that end is free), N.
    pub tip_force: Vec3,
    /// Coulomb friction coefficient; 0 for none.
    pub friction: f64,
    /// The bodies.
    pub obstacles: Arc<Vec<Obstacle>>,
    /// Where the rod passes through bodies as if they were not there.
    pub ignored: Vec<Ignored>,
}

impl Problem {
    /// A rod in empty space without loads.
    pub fn free(rod: Rod, radius: f64) -> Self {
        Self {
            rod,
            radius,
            gravity: Vec3::zeros(),
            tip_force: Vec3::zeros(),
            friction: 0.0,
            obstacles: Arc::default(),
            ignored: Vec::new(),
        }
    }
}
