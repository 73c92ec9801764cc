//! Materials of cables, bundles and hoses, and the library they come from (`assets/materials.toml`).

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::part::is_default;
use super::{BendLimit, BendMeasure, BendRadius};
use crate::disk::read_bounded;
use crate::text::shortened;

/// Largest library that is read, bytes.
const MAX_LIBRARY: u64 = 16 << 20;

/// Damping of a material that states none, s: a loss of a fifth at 3 Hz. A guess.
pub const DAMPING: f64 = 0.01;

/// What a cable can be made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Material {
    /// Unique in its library.
    pub name: String,
    /// What it is for.
    pub kind: MaterialKind,
    /// Stiffness and mass.
    #[serde(flatten)]
    pub stiffness: Stiffness,
    /// Smallest bend radius at rest, in outer diameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_bend_static: Option<f64>,
    /// Where thicker cables have another: rows of an outer diameter in mm, rising, and the smallest bend radius at rest above
    /// it, in outer diameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub min_bend_static_above: Vec<[f64; 2]>,
    /// Smallest bend radius in motion, in outer diameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_bend_dynamic: Option<f64>,
    /// Smallest bend radius at rest, mm; goes before the one in diameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_bend_static_mm: Option<f64>,
    /// Smallest bend radius in motion, mm; goes before the one in diameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_bend_dynamic_mm: Option<f64>,
    /// Where these radii are measured.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bend_measured: BendMeasure,
    /// Largest pull, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_pull_n: Option<f64>,
    /// Largest side force, N.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_side_n: Option<f64>,
    /// Change of length of a hose under pressure: rows of bar and percent, the pressure rising.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub length_change: Vec<[f64; 2]>,
    /// Moment against the rate of bending and twist over stiffness and rate, s: how fast a motion dies away.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damping_s: Option<f64>,
    /// Measured, and not a guess.
    pub calibrated: bool,
    /// Its limits are from memory: nobody has looked them up in the table of a maker or a standard.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits_uncalibrated: bool,
    /// Where the numbers come from.
    pub source: String,
}

/// What a material is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaterialKind {
    /// One cable.
    Cable,
    /// Several, taped or sleeved.
    Bundle,
    /// A pipe.
    Hose,
}

/// Stiffness and mass of a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Stiffness {
    /// Follows the radius.
    Scaled {
        /// Effective modulus of bending, MPa.
        bending_modulus_mpa: f64,
        /// GJ over EI.
        torsion_ratio: f64,
        /// Effective modulus of pulling, MPa.
        axial_modulus_mpa: f64,
        /// kg/m^3.
        density_kg_m3: f64,
        /// Inner over outer diameter; 0 for solid.
        #[serde(default)]
        inner_ratio: f64,
    },
    /// One product.
    Fixed {
        /// Outer radius, mm.
        radius_mm: f64,
        /// EI, N mm^2.
        bending_n_mm2: f64,
        /// GJ, N mm^2.
        torsion_n_mm2: f64,
        /// EA, N.
        axial_n: f64,
        /// Mass per length, kg/m.
        mass_kg_m: f64,
    },
}

/// Why a library could not be read. The path comes last.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LibraryError {
    /// The operating system refused.
    #[error("cannot read the materials ({reason}); check name and permissions: {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// Not TOML, or not of materials.
    #[error("{reason}: {}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where.
        reason: String,
    },
    /// A number makes no sense.
    #[error("material \"{material}\": {field} must be {must}, but is {value}: {}", path.display())]
    BadNumber {
        /// The file.
        path: PathBuf,
        /// The material.
        material: String,
        /// Which number.
        field: &'static str,
        /// What it must be.
        must: &'static str,
        /// What it is.
        value: f64,
    },
    /// Two materials share a name.
    #[error("material \"{name}\" is there twice; rename one: {}", path.display())]
    Twice {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
}

impl Material {
    /// How sharply a cable of it with that outer diameter, mm, may be bent.
    pub fn bend_limit(&self, diameter: f64) -> BendLimit {
        let radius = |mm: Option<f64>, diameters: Option<f64>| {
            mm.map(BendRadius::Mm)
                .or(diameters.map(BendRadius::Diameters))
        };
        let rows = self.min_bend_static_above.iter();
        let row = rows.rev().find(|[above, _]| diameter > *above);
        let at_rest = row.map(|row| row[1]).or(self.min_bend_static);
        BendLimit {
            at_rest: radius(self.min_bend_static_mm, at_rest),
            in_motion: radius(self.min_bend_dynamic_mm, self.min_bend_dynamic),
            measured: self.bend_measured,
            moves: false,
        }
    }

    /// The first number that makes no sense: field, what it must be, what it is.
    pub fn bad_number(&self) -> Option<(&'static str, &'static str, f64)> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        let must = "a positive number";
        let all: Vec<(&'static str, f64)> = match self.stiffness {
            Stiffness::Scaled {
                bending_modulus_mpa,
                torsion_ratio,
                axial_modulus_mpa,
                density_kg_m3,
                inner_ratio,
            } => {
                if !(0.0..1.0).contains(&inner_ratio) {
                    return Some(("inner_ratio", "at least 0 and below 1", inner_ratio));
                }
                vec![
                    ("bending_modulus_mpa", bending_modulus_mpa),
                    ("torsion_ratio", torsion_ratio),
                    ("axial_modulus_mpa", axial_modulus_mpa),
                    ("density_kg_m3", density_kg_m3),
                ]
            }
            Stiffness::Fixed {
                radius_mm,
                bending_n_mm2,
                torsion_n_mm2,
                axial_n,
                mass_kg_m,
            } => vec![
                ("radius_mm", radius_mm),
                ("bending_n_mm2", bending_n_mm2),
                ("torsion_n_mm2", torsion_n_mm2),
                ("axial_n", axial_n),
                ("mass_kg_m", mass_kg_m),
            ],
        };
        let limits = [
            ("min_bend_static", self.min_bend_static),
            ("min_bend_dynamic", self.min_bend_dynamic),
            ("min_bend_static_mm", self.min_bend_static_mm),
            ("min_bend_dynamic_mm", self.min_bend_dynamic_mm),
            ("max_pull_n", self.max_pull_n),
            ("max_side_n", self.max_side_n),
            ("damping_s", self.damping_s),
        ];
        let limits = limits
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
        let mut last = 0.0;
        for [above, diameters] in &self.min_bend_static_above {
            let field = "min_bend_static_above";
            if !(above.is_finite() && *above > last) {
                return Some((field, "rows of rising diameters in mm", *above));
            }
            if !positive(*diameters) {
                return Some((field, must, *diameters));
            }
            last = *above;
        }
        let mut last = 0.0;
        for [bar, percent] in &self.length_change {
            if !(bar.is_finite() && *bar > last) {
                return Some(("length_change", "rows of rising pressure in bar", *bar));
            }
            if !(-50.0..=50.0).contains(percent) {
                return Some(("length_change", "between -50 and 50 percent", *percent));
            }
            last = *bar;
        }
        all.into_iter()
            .chain(limits)
            .find(|(_, value)| !positive(*value))
            .map(|(name, value)| (name, must, value))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LibraryFile {
    #[serde(default)]
    material: Vec<Material>,
}

/// The materials that come with the program.
pub fn built_in() -> Vec<Material> {
    library().to_vec()
}

/// The same, read once.
pub fn library() -> &'static [Material] {
    const TEXT: &str = include_str!("../../assets/materials.toml");
    static LIBRARY: LazyLock<Vec<Material>> =
        LazyLock::new(|| parse(TEXT, Path::new("assets/materials.toml")).unwrap_or_default());
    &LIBRARY
}

/// The materials of a user's file, checked.
pub fn load(path: &Path) -> Result<Vec<Material>, LibraryError> {
    let unreadable = |reason: String| LibraryError::Unreadable {
        path: path.to_owned(),
        reason,
    };
    let bytes = read_bounded(path, MAX_LIBRARY).map_err(|e| unreadable(e.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|e| unreadable(e.to_string()))?;
    parse(&text, path)
}

/// `own` over `base`: entries of the same name replace.
pub fn merged(mut base: Vec<Material>, own: Vec<Material>) -> Vec<Material> {
    for material in own {
        match base.iter_mut().find(|m| m.name == material.name) {
            Some(known) => *known = material,
            None => base.push(material),
        }
    }
    base
}

fn parse(text: &str, path: &Path) -> Result<Vec<Material>, LibraryError> {
    let path = path.to_owned();
    let file: LibraryFile = toml::from_str(text).map_err(|e| LibraryError::Syntax {
        path: path.clone(),
        reason: shortened(e.to_string().trim()),
    })?;
    for (k, material) in file.material.iter().enumerate() {
        if let Some((field, must, value)) = material.bad_number() {
            return Err(LibraryError::BadNumber {
                path,
                material: material.name.clone(),
                field,
                must,
                value,
            });
        }
        if file.material[..k].iter().any(|m| m.name == material.name) {
            return Err(LibraryError::Twice {
                path,
                name: material.name.clone(),
            });
        }
    }
    Ok(file.material)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_library_is_whole_and_honest() {
        let text = include_str!("../../assets/materials.toml");
        let materials = parse(text, Path::new("materials.toml")).unwrap();
        assert!(materials.len() >= 10);
        for material in &materials {
            assert!(!material.source.is_empty());
            let section = material.section(4.0);
            assert!(section.bending > 0.0 && section.mass_kg_m > 0.0);
            // A limit has a source, or is said to have none.
            let limit = material.bend_limit(8.0);
            let has_limit = limit.at_rest.is_some() || limit.in_motion.is_some();
            let sourced = ["IEC", "AS50881", "coax harness"];
            let is_sourced = sourced.iter().any(|s| material.source.contains(s));
            assert!(
                !has_limit || is_sourced || material.limits_uncalibrated,
                "{}",
                material.name
            );
        }
        assert_eq!(built_in(), materials);
    }

    /// The numbers are those of the sources that the library names, not of the library.
    #[test]
    fn presets_at_three_diameters_have_the_values_of_their_sources() {
        let all = built_in();
        let of = |name: &str| all.iter().find(|m| m.name == name).unwrap();
        let limits = |name: &str, diameter: f64| {
            let limit = of(name).bend_limit(diameter);
            let moved = BendLimit {
                moves: true,
                ..limit
            };
            [limit, moved].map(|l| l.mm(diameter).unwrap() / diameter)
        };
        // IEC 62440, fixed installation: 4 D up to 8 mm, 5 D up to 12 mm, 6 D above.
        for (diameter, fixed) in [
            (6.0, 4.0),
            (8.0, 4.0),
            (10.0, 5.0),
            (12.0, 5.0),
            (20.0, 6.0),
        ] {
            let [at_rest, _] = limits("Signal bundle, taped", diameter);
            assert_eq!(at_rest, fixed, "{diameter}");
        }
        // Flexible PVC 3 to 4 D and 5 to 6 D, rubber 3 to 4 D and 4 to 6 D; coax at least 6 D, optimum 10 D; wires
        // 10 D, 3 D where fully supported. Each the safe end of its range.
        for diameter in [4.0, 9.0, 15.0] {
            for (name, expected) in [
                ("PVC cable, multi-core", [4.0, 6.0]),
                ("Rubber cable", [4.0, 6.0]),
                ("Coaxial cable", [6.0, 10.0]),
            ] {
                assert_eq!(limits(name, diameter), expected, "{name} {diameter}");
            }
        }
        // Effective moduli of bending, MPa, whatever the diameter: EI over that of the ring.
        for (name, [least, most]) in [
            ("Signal bundle, taped", [5.0, 50.0]),
            ("PVC cable, multi-core", [50.0, 300.0]),
            ("Single stranded wire", [300.0, 2000.0]),
            ("EPDM coolant hose", [5.0, 15.0]),
            ("Silicone hose", [2.0, 8.0]),
            ("PA12 tube", [300.0, 1500.0]),
        ] {
            for outer in [4.0_f64, 10.0, 24.0] {
                let inner = of(name).inner_diameter(outer);
                let ring = std::f64::consts::PI / 64.0 * (outer.powi(4) - inner.powi(4));
                let modulus = of(name).section(0.5 * outer).bending / ring;
                assert!((least..=most).contains(&modulus), "{name} {outer}");
            }
        }
        // EI of 35 to 50 mm2 cables of 12 to 15 mm: 0.05 to 0.3 N m2.
        for outer in [12.0, 13.5, 15.0] {
            let ei = 1e-6 * of("High-voltage cable 35 mm2").section(0.5 * outer).bending;
            assert!((0.05..=0.3).contains(&ei), "{outer}: {ei} N m2");
        }
        // Of the hydraulic hose the source has one size.
        let hydraulic = of("Hydraulic hose DN12, two wire braids");
        assert!((5.0..=15.0).contains(&(1e-6 * hydraulic.section(11.5).bending)));
        let limit = hydraulic.bend_limit(23.0);
        assert_eq!(limit.words(23.0), "180 mm inside");
    }

    #[test]
    fn own_materials_replace_and_add_and_mistakes_are_named() {
        let own = r#"
            [[material]]
            name = "Rubber cable"
            kind = "cable"
            radius_mm = 5.0
            bending_n_mm2 = 1e4
            torsion_n_mm2 = 1e4
            axial_n = 1e4
            mass_kg_m = 0.1
            calibrated = true
            source = "measured"
        "#;
        let parsed = parse(own, Path::new("own.toml")).unwrap();
        let all = merged(built_in(), parsed);
        assert_eq!(all.len(), built_in().len());
        assert!(all.iter().any(|m| m.name == "Rubber cable" && m.calibrated));
        let bad = own.replace("bending_n_mm2 = 1e4", "bending_n_mm2 = -1.0");
        let error = parse(&bad, Path::new("own.toml")).unwrap_err().to_string();
        assert!(error.contains("Rubber cable") && error.contains("bending_n_mm2"));
        let bad = own.replace(
            "calibrated",
            "min_bend_static_above = [[8, 5], [8, 6]]\ncalibrated",
        );
        let error = parse(&bad, Path::new("own.toml")).unwrap_err().to_string();
        assert!(error.contains("min_bend_static_above") && error.contains("rising"));
        assert!(parse(&format!("{own}{own}"), Path::new("own.toml")).is_err());
        assert!(parse("[[material]]\nname = 1", Path::new("own.toml")).is_err());
    }
}
