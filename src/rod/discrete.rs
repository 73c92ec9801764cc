//! The constant part of a rod: rest lengths, section, weight.

use crate::geom::Vec3;

/// Stiffness and mass of a rod's cross-section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Bending stiffness EI about d1 and d2, N mm^2.
    pub bending: [f64; 2],
    /// Torsional stiffness GJ, N mm^2.
    pub torsion: f64,
    /// Axial stiffness EA, N.
    pub axial: f64,
    /// Shear stiffness GA, N: stiff enough not to show.
    pub shear: f64,
    /// Mass per length, kg/m (the same number as g/mm).
    pub mass_kg_m: f64,
}

/// A straight, untwisted rod at rest, cut into edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Rod {
    rest_lengths: Vec<f64>,
    section: Section,
}

/// Why numbers make no rod.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RodError {
    /// Too few edges to bend.
    #[error("a rod needs at least 2 edges, not {0}")]
    TooFewEdges(usize),
    /// A quantity that must be positive is not.
    #[error("the {what} must be a positive number, but is {value}")]
    NotPositive {
        /// Which quantity.
        what: &'static str,
        /// Its value.
        value: f64,
    },
}

impl Rod {
    /// A rod with the given rest length of each edge, mm.
    pub fn new(rest_lengths: Vec<f64>, section: Section) -> Result<Self, RodError> {
        if rest_lengths.len() < 2 {
            return Err(RodError::TooFewEdges(rest_lengths.len()));
        }
        let quantities = [
            ("bending stiffness EI", section.bending[0]),
            ("bending stiffness EI", section.bending[1]),
            ("torsional stiffness GJ", section.torsion),
            ("axial stiffness EA", section.axial),
            ("shear stiffness GA", section.shear),
        ];
        let lengths = rest_lengths.iter().map(|&l| ("length", l));
        for (what, value) in quantities.into_iter().chain(lengths) {
            if !(value.is_finite() && value > 0.0) {
                return Err(RodError::NotPositive { what, value });
            }
        }
        if !(section.mass_kg_m.is_finite() && section.mass_kg_m >= 0.0) {
            return Err(RodError::NotPositive {
                what: "mass per length",
                value: section.mass_kg_m,
            });
        }
        Ok(Self {
            rest_lengths,
            section,
        })
    }

    /// A rod of `n_edges` equal edges.
    pub fn uniform(length: f64, n_edges: usize, section: Section) -> Result<Self, RodError> {
        Self::new(vec![length / n_edges.max(1) as f64; n_edges], section)
    }

    /// How many edges.
    pub fn n_edges(&self) -> usize {
        self.rest_lengths.len()
    }

    /// How many nodes: one more than edges.
    pub fn n_nodes(&self) -> usize {
        self.rest_lengths.len() + 1
    }

    /// Rest length of each edge, mm.
    pub fn rest_lengths(&self) -> &[f64] {
        &self.rest_lengths
    }

    /// Stiffness and mass.
    pub fn section(&self) -> &Section {
        &self.section
    }

    /// Rest length of the whole, mm.
    pub fn length(&self) -> f64 {
        self.rest_lengths.iter().sum()
    }

    /// Rest length of joint `j` (0 and `n_edges` are the half-cell clamps), mm.
    ///
    /// Joint `j` joins edges `j - 1` and `j`; it owns half of each. A clamp stands at the end node itself, so that
    /// its joint owns half an edge only: this is what makes the clamp second-order accurate.
    pub fn joint_length(&self, j: usize) -> f64 {
        let left = if j > 0 { self.rest_lengths[j - 1] } else { 0.0 };
        let right = self.rest_lengths.get(j).copied().unwrap_or(0.0);
        0.5 * (left + right)
    }

    /// Weight of node `i` under `gravity` in m/s^2, N.
    ///
    /// w = 1e-3 (kg/m)(m/s^2) N/mm; a node carries half of each of its edges.
    pub fn node_weight(&self, i: usize, gravity: &Vec3) -> Vec3 {
        gravity * (1e-3 * self.section.mass_kg_m * self.joint_length(i))
    }

    /// The scale of forces in this rod: its weight and its bending stiffness over its length, N.
    ///
    /// Residuals, barrier stiffness and kicks are stated as multiples of it, so that no absolute constant is in
    /// the solver.
    pub fn force_scale(&self, gravity: &Vec3) -> f64 {
        let length = self.length();
        let weight = 1e-3 * self.section.mass_kg_m * gravity.norm() * length;
        weight + 40.0 * self.section.bending[0].max(self.section.bending[1]) / (length * length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTION: Section = Section {
        bending: [1500.0; 2],
        torsion: 1100.0,
        axial: 1e4,
        shear: 1e4,
        mass_kg_m: 0.05,
    };

    #[test]
    fn node_weights_sum_to_the_weight() {
        let rod = Rod::new(vec![10.0, 20.0, 5.0], SECTION).unwrap();
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        let sum: Vec3 = (0..4).map(|i| rod.node_weight(i, &gravity)).sum();
        assert!((sum.z + 1e-3 * 0.05 * 9.81 * 35.0).abs() < 1e-15);
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(
            Rod::uniform(10.0, 1, SECTION),
            Err(RodError::TooFewEdges(1))
        );
        assert!(Rod::uniform(f64::NAN, 10, SECTION).is_err());
        assert!(
            Rod::uniform(
                10.0,
                10,
                Section {
                    torsion: 0.0,
                    ..SECTION
                }
            )
            .is_err()
        );
    }
}
