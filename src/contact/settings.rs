//! The constants of contact, in one place.

use super::barrier::barrier_gradient;

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

/// Part of an edge next to a held node that goes where the handle takes it.
pub(super) const AT_HANDLE: f64 = 0.25;
/// What goes there gives way a little: where it is nearer than where handles stop, its gap may shrink to this fraction
/// in a step.
pub(super) const BESIDE_HANDLE: f64 = 0.7;

/// Distances, stiffness and friction of one cable's contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// Radius of the cable, mm; where it is thinnest, if that changes along it.
    pub radius: f64,
    /// Surface distance below which the barrier acts, mm.
    pub barrier_distance: f64,
    /// Barrier stiffness per length now, N/mm^2: adapted to the load.
    pub barrier_stiffness: f64,
    /// The stiffness that suits the cable's own load: the base, and the least.
    pub least_stiffness: f64,
    /// Length that a contact with a sharp edge stands for, mm.
    pub edge_weight: f64,
    /// Coulomb friction coefficient; 0 for none.
    pub friction: f64,
    /// Slip at which friction is fully developed, mm.
    pub slip: f64,
}

/// Gap over barrier distance that the stiffness is adapted to keep under the heaviest load.
const WANTED_GAP: f64 = 0.3;
/// Factor of the wanted stiffness, up and down, within which the stiffness stays as it is: the gap is then between 0.09
/// and 0.56 of the barrier distance.
const SUITED: f64 = 4.0;
/// Stiffening at most, over the stiffness that the cable's own load asks for.
const MOST_STIFFENING: f64 = 1e4;

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
            least_stiffness: LOAD_FACTOR * load_per_length / barrier_distance,
        }
    }

    /// The cable's own load per length, N/mm.
    pub fn own_load(&self) -> f64 {
        self.least_stiffness * self.barrier_distance / LOAD_FACTOR
    }

    /// Load per length that the barrier carries at that gap, N/mm.
    pub fn load_at(&self, gap: f64) -> f64 {
        -self.barrier_stiffness * barrier_gradient(gap, self.barrier_distance)
    }

    /// Adapts the stiffness to the heaviest contact load per length, N/mm, by a factor of two at most.
    ///
    /// A taut cable presses on an edge a thousand times harder than its weight. The barrier would hold it, but at a gap so
    /// small that every step along the surface is cut to almost nothing.
    ///
    /// One that suits it within a factor of four stays: another stiffness is another equilibrium. Where handles squeeze a cable
    /// the load follows the stiffness and the gap does not, so that each chunk of a drag stiffened it further.
    pub fn adapt_to(&mut self, load_per_length: f64) {
        let slope = -barrier_gradient(WANTED_GAP * self.barrier_distance, self.barrier_distance);
        let wanted = (load_per_length / slope)
            .clamp(self.least_stiffness, MOST_STIFFENING * self.least_stiffness);
        let now = self.barrier_stiffness;
        let suits = wanted > now / SUITED && wanted < now * SUITED;
        if suits && wanted > self.least_stiffness {
            return;
        }
        self.barrier_stiffness = wanted.clamp(0.5 * now, 2.0 * now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings at that multiple of their least stiffness, and what it becomes when a contact stands at that gap over the
    /// barrier distance.
    fn adapted(stiffening: f64, gap: f64) -> f64 {
        let mut settings = ContactSettings::new(4.0, 0.01, 0.2);
        settings.barrier_stiffness = stiffening * settings.least_stiffness;
        settings.adapt_to(settings.load_at(gap * settings.barrier_distance));
        settings.barrier_stiffness / settings.least_stiffness
    }

    #[test]
    fn a_stiffness_that_suits_the_load_stays() {
        for gap in [0.1, 0.3, 0.55] {
            assert_eq!(adapted(100.0, gap), 100.0, "{gap}");
        }
    }

    #[test]
    fn one_far_from_what_the_load_wants_doubles_or_halves() {
        assert_eq!(adapted(100.0, 0.08), 200.0);
        assert_eq!(adapted(100.0, 0.6), 50.0);
    }

    #[test]
    fn without_a_load_it_goes_back_to_its_least() {
        assert_eq!(adapted(3.0, 1.0), 1.5);
        assert_eq!(adapted(1.5, 1.0), 1.0);
        assert_eq!(adapted(1.0, 1.0), 1.0);
    }
}
