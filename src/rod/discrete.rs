//! The constant part of a rod: rest lengths, section, weight.

use super::bend_twist::{BendTwist, Joint};
use crate::geom::Vec3;

/// Stiffness and mass of a rod's cross-section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Bending stiffness EI about d1 and d2, N mm^2.
    pub bending: [f64; 2],
    /// Torsional stiffness GJ, N mm^2; 0 for a cable that does not resist twist.
    pub torsion: f64,
    /// Axial stiffness EA, N.
    pub axial: f64,
    /// Shear stiffness GA, N: stiff enough not to show.
    pub shear: f64,
    /// Mass per length, kg/m (the same number as g/mm).
    pub mass_kg_m: f64,
}

/// A rod cut into edges, with what it is at rest: lengths, curvature and twist.
#[derive(Clone, Debug, PartialEq)]
pub struct Rod {
    rest_lengths: Vec<f64>,
    /// kappa_1, kappa_2 and twist per mm of each joint, one more than edges; empty for a straight rod.
    rest_curvatures: Vec<Vec3>,
    section: Section,
    /// Of each edge; empty where all have the one above.
    sections: Vec<Section>,
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
    /// Sections that are not one for each edge.
    #[error("the rod has {expected} edges, but {found} sections along it")]
    BadSections {
        /// Edges of the rod.
        expected: usize,
        /// Sections given.
        found: usize,
    },
    /// Curvatures at rest that are not one for each joint, or not finite.
    #[error(
        "the rest shape has {found} curvatures, but a rod of {expected} joints needs one finite curvature for each"
    )]
    BadRestShape {
        /// Joints of the rod.
        expected: usize,
        /// Curvatures given.
        found: usize,
    },
}

impl Section {
    fn check(&self) -> Result<(), RodError> {
        for (what, value) in [
            ("bending stiffness EI", self.bending[0]),
            ("bending stiffness EI", self.bending[1]),
            ("axial stiffness EA", self.axial),
            ("shear stiffness GA", self.shear),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(RodError::NotPositive { what, value });
            }
        }
        for (what, value) in [
            ("torsional stiffness GJ", self.torsion),
            ("mass per length", self.mass_kg_m),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(RodError::NotPositive { what, value });
            }
        }
        Ok(())
    }
}

/// Stiffness of two pieces one behind the other, which share a moment: their compliances add up. `before` is the share of
/// the length that the first one has.
fn in_series(before: f64, first: f64, second: f64) -> f64 {
    if first == second {
        first
    } else if first == 0.0 || second == 0.0 {
        0.0
    } else {
        1.0 / (before / first + (1.0 - before) / second)
    }
}

impl Rod {
    /// A straight rod with the given rest length of each edge, mm.
    pub fn new(rest_lengths: Vec<f64>, section: Section) -> Result<Self, RodError> {
        if rest_lengths.len() < 2 {
            return Err(RodError::TooFewEdges(rest_lengths.len()));
        }
        section.check()?;
        for &value in &rest_lengths {
            if !(value.is_finite() && value > 0.0) {
                let what = "length";
                return Err(RodError::NotPositive { what, value });
            }
        }
        Ok(Self {
            rest_lengths,
            rest_curvatures: Vec::new(),
            section,
            sections: Vec::new(),
        })
    }

    /// The same rod with a section of its own for each edge, or none at all where all have the rod's.
    pub fn with_sections(self, sections: Vec<Section>) -> Result<Self, RodError> {
        let (expected, found) = (self.n_edges(), sections.len());
        if found != expected && found != 0 {
            return Err(RodError::BadSections { expected, found });
        }
        sections.iter().try_for_each(Section::check)?;
        Ok(Self { sections, ..self })
    }

    /// The same rod with another shape at rest: kappa_1, kappa_2 and twist per mm of each joint, clamps included.
    pub fn moulded(self, rest_curvatures: Vec<Vec3>) -> Result<Self, RodError> {
        let expected = self.n_nodes();
        let finite = |k: &Vec3| k.iter().all(|c| c.is_finite());
        if rest_curvatures.len() != expected || !rest_curvatures.iter().all(finite) {
            return Err(RodError::BadRestShape {
                expected,
                found: rest_curvatures.len(),
            });
        }
        Ok(Self {
            rest_curvatures,
            ..self
        })
    }

    /// The same rod with other rest lengths of its edges, mm: curvature per mm stays.
    pub fn with_lengths(&self, rest_lengths: Vec<f64>) -> Result<Self, RodError> {
        let rest_curvatures = self.rest_curvatures.clone();
        let rod = Self::new(rest_lengths, self.section)?;
        let rod = rod.with_sections(self.sections.clone())?;
        if rest_curvatures.is_empty() {
            Ok(rod)
        } else {
            rod.moulded(rest_curvatures)
        }
    }

    /// A straight rod of `n_edges` equal edges.
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

    /// Curvatures at rest of each joint, per mm; empty for a straight rod.
    pub fn rest_curvatures(&self) -> &[Vec3] {
        &self.rest_curvatures
    }

    /// Joint `j` with its stiffness, length and rest.
    pub fn joint(&self, j: usize) -> Joint {
        let length = self.joint_length(j);
        let rest = self
            .rest_curvatures
            .get(j)
            .map_or(BendTwist::STRAIGHT, |k| BendTwist {
                bend: [k.x * length, k.y * length],
                twist: k.z * length,
            });
        let [left, right] = self.halves(j);
        let mut joint = Joint {
            bending: left.bending,
            torsion: left.torsion,
            length,
            rest,
        };
        if left != right {
            let before = 0.5 * self.rest_lengths[j - 1] / length;
            let mean = |a: f64, b: f64| in_series(before, a, b);
            joint.bending = [0, 1].map(|k| mean(left.bending[k], right.bending[k]));
            joint.torsion = mean(left.torsion, right.torsion);
        }
        joint
    }

    /// Sections of the two halves of joint `j`; a clamp has one.
    fn halves(&self, j: usize) -> [&Section; 2] {
        let last = self.n_edges() - 1;
        [j.saturating_sub(1), j.min(last)].map(|i| self.section_of(i))
    }

    /// Arc length of node `i` at rest, mm.
    pub fn arc_length(&self, i: usize) -> f64 {
        self.rest_lengths[..i].iter().sum()
    }

    /// Stiffness and mass: of all of it, or of what has no section of its own. It sets the scales that a solve is stated in.
    pub fn section(&self) -> &Section {
        &self.section
    }

    /// Sections of the edges where they differ; empty where all have that of the rod.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Stiffness and mass of an edge.
    #[inline]
    pub fn section_of(&self, edge: usize) -> &Section {
        self.sections.get(edge).unwrap_or(&self.section)
    }

    /// Shear, shear and axial stiffness of an edge, N.
    #[inline]
    pub fn edge_stiffness(&self, edge: usize) -> Vec3 {
        let section = self.section_of(edge);
        Vec3::new(section.shear, section.shear, section.axial)
    }

    /// Stiffness and mass at an arc length.
    pub fn section_at(&self, arc_length: f64) -> &Section {
        let mut end = 0.0;
        let ends = self.rest_lengths.iter().map(|l| {
            end += l;
            end
        });
        let edge = ends.take_while(|end| *end <= arc_length).count();
        self.section_of(edge.min(self.n_edges() - 1))
    }

    /// Mean mass per length, kg/m.
    pub fn mean_mass(&self) -> f64 {
        if self.sections.is_empty() {
            return self.section.mass_kg_m;
        }
        let edges = self.rest_lengths.iter().zip(&self.sections);
        edges.map(|(l, s)| l * s.mass_kg_m).sum::<f64>() / self.length()
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
        gravity * self.node_mass(i)
    }

    /// Mass of node `i`, kg: half of each of its edges.
    pub fn node_mass(&self, i: usize) -> f64 {
        if self.sections.is_empty() {
            return 1e-3 * self.section.mass_kg_m * self.joint_length(i);
        }
        let half = |edge: usize| 0.5e-3 * self.rest_lengths[edge] * self.sections[edge].mass_kg_m;
        let left = if i > 0 { half(i - 1) } else { 0.0 };
        left + if i < self.n_edges() { half(i) } else { 0.0 }
    }

    /// The scale of forces in this rod: its weight and its bending stiffness over its length, N.
    ///
    /// Residuals, barrier stiffness and kicks are stated as multiples of it, so that no absolute constant is in
    /// the solver.
    pub fn force_scale(&self, gravity: &Vec3) -> f64 {
        let [a, b] = self.section.bending;
        self.force_scale_of(a.max(b), gravity)
    }

    /// The same of its softer direction: what a flat cable is solved to.
    pub fn soft_force_scale(&self, gravity: &Vec3) -> f64 {
        let [a, b] = self.section.bending;
        self.force_scale_of(a.min(b), gravity)
    }

    fn force_scale_of(&self, bending: f64, gravity: &Vec3) -> f64 {
        let length = self.length();
        let weight = 1e-3 * self.mean_mass() * gravity.norm() * length;
        weight + 40.0 * bending / (length * length)
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
    fn pieces_of_different_stiffness_bend_one_behind_the_other_and_weigh_their_own() {
        let stiff = Section {
            bending: [6000.0, 3000.0],
            torsion: 0.0,
            mass_kg_m: 0.2,
            ..SECTION
        };
        let rod = Rod::new(vec![10.0, 30.0, 5.0], SECTION).unwrap();
        let rod = rod.with_sections(vec![SECTION, stiff, stiff]).unwrap();
        // 5 mm of the soft one and 15 of the stiff one share the moment of their joint.
        let joint = rod.joint(1);
        let turn = |k: usize| 5.0 / SECTION.bending[k] + 15.0 / stiff.bending[k];
        for k in 0..2 {
            assert!((joint.bending[k] * turn(k) / 20.0 - 1.0).abs() < 1e-14);
        }
        assert_eq!(joint.torsion, 0.0);
        assert_eq!(rod.joint(0).bending, SECTION.bending);
        assert_eq!([2, 3].map(|j| rod.joint(j).bending), [stiff.bending; 2]);
        let down = Vec3::new(0.0, 0.0, -10.0);
        let weights = [0, 1, 2, 3].map(|i| -rod.node_weight(i, &down).z);
        let expected = [2.5e-3, 2.5e-3 + 30e-3, 30e-3 + 5e-3, 5e-3];
        for (weight, expected) in weights.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-15, "{weights:?}");
        }
        assert!((rod.mean_mass() * 45.0 - 7.5).abs() < 1e-14);
        // Pieces that are alike are the rod that has no pieces, to the last bit.
        let plain = Rod::new(vec![10.0, 30.0, 5.0], SECTION).unwrap();
        let alike = plain.clone().with_sections(vec![SECTION; 3]).unwrap();
        assert!((0..4).all(|j| alike.joint(j) == plain.joint(j)));
        assert!(plain.with_sections(vec![SECTION; 2]).is_err());
    }

    #[test]
    fn nonsense_is_refused() {
        assert_eq!(
            Rod::uniform(10.0, 1, SECTION),
            Err(RodError::TooFewEdges(1))
        );
        assert!(Rod::uniform(f64::NAN, 10, SECTION).is_err());
        let section = |torsion| Section { torsion, ..SECTION };
        assert!(Rod::uniform(10.0, 10, section(-1.0)).is_err());
        assert!(Rod::uniform(10.0, 10, section(0.0)).is_ok());
        let rod = Rod::uniform(10.0, 10, SECTION).unwrap();
        assert!(rod.clone().moulded(vec![Vec3::zeros(); 10]).is_err());
        assert!(
            rod.clone()
                .moulded(vec![Vec3::repeat(f64::NAN); 11])
                .is_err()
        );
        assert!(rod.moulded(vec![Vec3::x(); 11]).is_ok());
    }

    #[test]
    fn rest_curvature_is_per_length_whatever_the_edges() {
        let rod = Rod::new(vec![10.0, 20.0, 5.0], SECTION).unwrap();
        let rod = rod.moulded(vec![Vec3::new(0.01, 0.0, 0.02); 4]).unwrap();
        let total: f64 = (0..4).map(|j| rod.joint(j).rest.bend[0]).sum();
        assert!((total - 0.35).abs() < 1e-15);
        let longer = rod.with_lengths(vec![20.0, 40.0, 10.0]).unwrap();
        assert!((longer.joint(1).rest.twist - 0.6).abs() < 1e-15);
    }
}
