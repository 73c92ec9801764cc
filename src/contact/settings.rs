//! The constants of contact, in one place.

/// Barrier distance over radius. Between 0.05 and 0.5 all work; smaller ones hover less and cost iterations.
const BARRIER_DISTANCE: f64 = 0.1;
/// Line load at which the barrier stands at about half its distance, over the cable's own load per length.
/// Two decades around it converge alike.
const LOAD_FACTOR: f64 = 70.0;
/// Weight of a contact with a sharp edge, over radius: such a contact stands for the stretch of cable that bends
/// over the edge, whatever the spacing of the nodes.
const EDGE_WEIGHT: f64 = 2.5;
/// Tangential slip at which friction is fully developed, over radius.
const SLIP: f64 = 0.02;

/// Distances, stiffness and friction of one cable's contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Radius of the cable, mm.
    pub radius: f64,
    /// Surface distance below which the barrier acts, mm.
    pub barrier_distance: f64,
    /// Barrier stiffness per length, N/mm^2.
    pub barrier_stiffness: f64,
    /// Length that a contact with a sharp edge stands for, mm.
    pub edge_weight: f64,
    /// Coulomb friction coefficient; 0 for none.
    pub friction: f64,
    /// Slip at which friction is fully developed, mm.
    pub slip: f64,
}

impl ContactSettings {
    /// Settings from the cable's radius (mm), its typical load per length (N/mm) and the friction coefficient.
    pub fn new(radius: f64, load_per_length: f64, friction: f64) -> Self {
        let barrier_distance = BARRIER_DISTANCE * radius;
        Self {
            radius,
            barrier_distance,
            barrier_stiffness: LOAD_FACTOR * load_per_length / barrier_distance,
            edge_weight: EDGE_WEIGHT * radius,
            friction,
            slip: SLIP * radius,
        }
    }
}
