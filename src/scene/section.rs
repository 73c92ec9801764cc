//! Stiffness and mass of a cable's cross-section, and the outline that joins them with a material.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::{Cable, Material, Stiffness};
use crate::rod::Section;

/// Relative difference from which a number is not the material's: far above rounding, far below what anybody types.
const TYPED: f64 = 1e-9;

/// Stiffness and mass of a cable, first-class inputs because real cables are not homogeneous.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CableSection {
    /// Bending stiffness EI, N mm^2; of a flat cable, about d1 of its frames.
    pub bending: f64,
    /// Bending stiffness about d2, N mm^2, where it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bending2: Option<f64>,
    /// Torsional stiffness GJ, N mm^2.
    pub torsion: f64,
    /// Axial stiffness EA, N.
    pub axial: f64,
    /// Mass per length, kg/m (the same number as g/mm).
    pub mass_kg_m: f64,
}

/// One number of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionNumber {
    /// EI, of a flat cable both.
    Bending,
    /// GJ.
    Torsion,
    /// EA.
    Axial,
    /// Mass per length.
    Mass,
}

impl SectionNumber {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Bending, Self::Torsion, Self::Axial, Self::Mass];

    /// Its name in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Bending => "EI",
            Self::Torsion => "GJ",
            Self::Axial => "EA",
            Self::Mass => "mass",
        }
    }
}

impl CableSection {
    /// As the rod takes it.
    pub fn of_rod(&self) -> Section {
        Section {
            bending: [self.bending, self.bending2.unwrap_or(self.bending)],
            torsion: self.torsion,
            axial: self.axial,
            // Stiff enough not to show; the mixed method does not mind.
            shear: self.axial,
            mass_kg_m: self.mass_kg_m,
        }
    }

    /// The numbers that differ from those of `material`: they were typed over.
    pub fn typed_over(&self, material: &Self) -> Vec<SectionNumber> {
        let differs = |a: f64, b: f64| (a - b).abs() > TYPED * b.abs();
        let second = |s: &Self| s.bending2.unwrap_or(s.bending);
        let is_typed = |number: &SectionNumber| match number {
            SectionNumber::Bending => {
                differs(self.bending, material.bending) || differs(second(self), second(material))
            }
            SectionNumber::Torsion => differs(self.torsion, material.torsion),
            SectionNumber::Axial => differs(self.axial, material.axial),
            SectionNumber::Mass => differs(self.mass_kg_m, material.mass_kg_m),
        };
        SectionNumber::ALL.into_iter().filter(is_typed).collect()
    }

    /// Takes one number of another section.
    pub fn take(&mut self, number: SectionNumber, from: &Self) {
        match number {
            SectionNumber::Bending => {
                (self.bending, self.bending2) = (from.bending, from.bending2);
            }
            SectionNumber::Torsion => self.torsion = from.torsion,
            SectionNumber::Axial => self.axial = from.axial,
            SectionNumber::Mass => self.mass_kg_m = from.mass_kg_m,
        }
    }
}

/// The outline of a cross-section, mm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outline {
    /// A rod or a tube.
    Round {
        /// Outer diameter.
        outer: f64,
        /// Inner diameter; 0 for solid.
        inner: f64,
    },
    /// A flat cable: the width along d1 of its frames, the height along d2.
    Flat {
        /// The longer side.
        width: f64,
        /// The shorter side.
        height: f64,
    },
}

impl Outline {
    /// Area, mm^2: pi (D^2 - d^2) / 4, or w h.
    pub fn area(&self) -> f64 {
        match *self {
            Self::Round { outer, inner } => PI / 4.0 * (outer.powi(2) - inner.powi(2)),
            Self::Flat { width, height } => width * height,
        }
    }

    /// Second moments of area about d1 and d2, mm^4: pi (D^4 - d^4) / 64 for both, or w h^3 / 12 and h w^3 / 12.
    pub fn second_moments(&self) -> [f64; 2] {
        match *self {
            Self::Round { outer, inner } => [PI / 64.0 * (outer.powi(4) - inner.powi(4)); 2],
            Self::Flat { width, height } => {
                [width * height.powi(3) / 12.0, height * width.powi(3) / 12.0]
            }
        }
    }

    /// Torsion constant, mm^4: pi (D^4 - d^4) / 32, or that of a rectangle.
    pub fn torsion_constant(&self) -> f64 {
        match *self {
            Self::Round { .. } => 2.0 * self.second_moments()[0],
            Self::Flat { width, height } => {
                torsion_of_rectangle(width.max(height), width.min(height))
            }
        }
    }
}

/// J = a b^3 (1/3 - 64/pi^5 (b/a) sum over odd n of tanh(n pi a / 2 b) / n^5), a >= b (Timoshenko and Goodier, par. 109).
///
/// With tanh x = 1 - 2 / (e^2x + 1) the ones add up to 31/32 zeta(5), and the rest is gone after some terms.
fn torsion_of_rectangle(a: f64, b: f64) -> f64 {
    const ODD_ZETA_5: f64 = 1.004_523_762_795_139_6;
    let rest: f64 = (0..8)
        .map(|k| {
            let n = f64::from(2 * k + 1);
            2.0 / (((n * PI * a / b).exp() + 1.0) * n.powi(5))
        })
        .sum();
    a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * (b / a) * (ODD_ZETA_5 - rest))
}

/// What a homogeneous rod would be made of to be as stiff and heavy: numbers of a material that do not depend on the
/// section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moduli {
    /// E of bending, MPa.
    pub bending: f64,
    /// GJ over EI of a round section: 1 / (1 + nu).
    pub torsion_ratio: f64,
    /// E of pulling, MPa.
    pub axial: f64,
    /// kg/m^3.
    pub density: f64,
}

impl Moduli {
    /// Poisson's ratio that the torsion stands for: GJ / EI = 1 / (1 + nu).
    pub fn poisson(&self) -> f64 {
        1.0 / self.torsion_ratio - 1.0
    }

    /// EI = E I, GJ = G J with G = E / 2 (1 + nu), EA = E A, mass = density A.
    pub fn section(&self, outline: &Outline) -> CableSection {
        let [i1, i2] = outline.second_moments();
        CableSection {
            bending: self.bending * i1,
            bending2: matches!(outline, Outline::Flat { .. }).then_some(self.bending * i2),
            torsion: 0.5 * self.torsion_ratio * self.bending * outline.torsion_constant(),
            axial: self.axial * outline.area(),
            // kg/m^3 times mm^2 is 1e-6 kg/m.
            mass_kg_m: self.density * outline.area() * 1e-6,
        }
    }
}

impl Material {
    /// Its moduli; of one product those of a solid round rod of its diameter.
    pub fn moduli(&self) -> Moduli {
        match self.stiffness {
            Stiffness::Scaled {
                bending_modulus_mpa,
                torsion_ratio,
                axial_modulus_mpa,
                density_kg_m3,
                ..
            } => Moduli {
                bending: bending_modulus_mpa,
                torsion_ratio,
                axial: axial_modulus_mpa,
                density: density_kg_m3,
            },
            Stiffness::Fixed {
                radius_mm,
                bending_n_mm2,
                torsion_n_mm2,
                axial_n,
                mass_kg_m,
            } => {
                let own = solid(2.0 * radius_mm);
                Moduli {
                    bending: bending_n_mm2 / own.second_moments()[0],
                    torsion_ratio: torsion_n_mm2 / bending_n_mm2,
                    axial: axial_n / own.area(),
                    density: mass_kg_m / own.area() * 1e6,
                }
            }
        }
    }

    /// Stiffness and mass of a round cable of that outer radius, mm.
    pub fn section(&self, radius: f64) -> CableSection {
        self.moduli()
            .section(&self.outline(2.0 * radius, None, None))
    }

    /// Stiffness and mass of a cable with its own diameters, or width and height.
    pub fn section_of(&self, cable: &Cable) -> CableSection {
        self.moduli().section(&self.outline_of(cable))
    }

    /// The outline that a cable of it has.
    pub fn outline_of(&self, cable: &Cable) -> Outline {
        self.outline(cable.diameter(), cable.inner_diameter, cable.flat)
    }

    /// Inner diameter of a round cable of that outer diameter, mm; 0 where it is solid or nobody knows.
    pub fn inner_diameter(&self, outer: f64) -> f64 {
        match self.stiffness {
            Stiffness::Scaled { inner_ratio, .. } => inner_ratio * outer,
            Stiffness::Fixed { .. } => 0.0,
        }
    }

    /// The outer diameter of the one product that its numbers are of, mm.
    pub fn product_diameter(&self) -> Option<f64> {
        match self.stiffness {
            Stiffness::Scaled { .. } => None,
            Stiffness::Fixed { radius_mm, .. } => Some(2.0 * radius_mm),
        }
    }

    fn outline(&self, outer: f64, inner: Option<f64>, flat: Option<[f64; 2]>) -> Outline {
        match (flat, self.stiffness.clone()) {
            (Some([width, height]), _) => Outline::Flat { width, height },
            // The numbers of one product have its bore in them.
            (None, Stiffness::Fixed { .. }) => solid(outer),
            (None, Stiffness::Scaled { .. }) => Outline::Round {
                outer,
                inner: inner.unwrap_or_else(|| self.inner_diameter(outer)),
            },
        }
    }
}

fn solid(outer: f64) -> Outline {
    Outline::Round { outer, inner: 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::material::built_in;

    fn close(a: f64, b: f64) {
        assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
    }

    #[test]
    fn tubes_and_rods_have_the_stiffness_and_mass_of_their_formulas() {
        let epdm = built_in()
            .into_iter()
            .find(|m| m.name == "EPDM coolant hose");
        let epdm = epdm.unwrap();
        let e = 10.0;
        for (outer, inner) in [
            (8.0, None),
            (24.0, None),
            (32.0, Some(19.0)),
            (16.0, Some(0.0)),
        ] {
            let mut cable = Cable::new("hose", 0.5 * outer, 100.0, epdm.section(1.0));
            cable.inner_diameter = inner;
            let section = epdm.section_of(&cable);
            let (big, small): (f64, f64) = (outer, inner.unwrap_or(0.7 * outer));
            let quartic = big * big * big * big - small * small * small * small;
            close(section.bending, e * PI * quartic / 64.0);
            close(section.torsion, 0.6667 * e * PI * quartic / 64.0);
            close(section.axial, e * PI * (big * big - small * small) / 4.0);
            let grams = 1200.0 * PI * (big * big - small * small) / 4.0 / 1000.0;
            close(1e3 * section.mass_kg_m, grams);
        }
        // From 8 to 24 mm: 81 times as stiff, 9 times as heavy.
        let (thin, thick) = (epdm.section(4.0), epdm.section(12.0));
        close(thick.bending, 81.0 * thin.bending);
        close(thick.mass_kg_m, 9.0 * thin.mass_kg_m);
    }

    #[test]
    fn a_flat_cable_bends_easily_about_its_width_and_twists_like_a_rectangle() {
        let moduli = Moduli {
            bending: 100.0,
            torsion_ratio: 2.0 / 3.0,
            axial: 300.0,
            density: 1500.0,
        };
        let section = moduli.section(&Outline::Flat {
            width: 20.0,
            height: 2.0,
        });
        close(section.bending, 100.0 * 20.0 * 8.0 / 12.0);
        close(section.bending2.unwrap(), 100.0 * 2.0 * 8000.0 / 12.0);
        close(section.axial, 300.0 * 40.0);
        close(section.mass_kg_m, 1500.0 * 40e-6);
        // Table of Timoshenko and Goodier: J / (a b^3) = 0.1406 for a square, 0.229 for 2, 0.312 for 10.
        for (ratio, factor) in [(1.0, 0.1406), (2.0, 0.229), (10.0, 0.312)] {
            let found = torsion_of_rectangle(ratio, 1.0) / ratio;
            assert!((found - factor).abs() < 6e-4, "{ratio} {found}");
        }
        // G = E / 2 (1 + nu) with nu = 0.5.
        let j = torsion_of_rectangle(20.0, 2.0);
        close(section.torsion, 100.0 / 3.0 * j);
        assert!((moduli.poisson() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn one_product_has_its_own_numbers_and_is_scaled_to_other_diameters() {
        let all = built_in();
        let high = all
            .iter()
            .find(|m| m.name == "High-voltage cable 35 mm2")
            .unwrap();
        let own = high.section(6.75);
        close(own.bending, 100_000.0);
        close(own.torsion, 67_000.0);
        close(own.axial, 300_000.0);
        close(own.mass_kg_m, 0.5);
        let double = high.section(13.5);
        close(double.bending, 1_600_000.0);
        close(double.mass_kg_m, 2.0);
        assert_eq!(high.product_diameter(), Some(13.5));
    }

    #[test]
    fn a_number_that_is_not_the_materials_was_typed_over() {
        let epdm = &built_in()[6];
        let of_material = epdm.section(4.0);
        let mut section = of_material;
        assert!(section.typed_over(&of_material).is_empty());
        section.torsion *= 1.01;
        section.bending2 = Some(2.0 * section.bending);
        let typed = [SectionNumber::Bending, SectionNumber::Torsion];
        assert_eq!(section.typed_over(&of_material), typed);
        for number in typed {
            section.take(number, &of_material);
        }
        assert_eq!(section, of_material);
    }
}
