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
    /// How sharply a cable of it may be bent.
    pub fn bend_limit(&self) -> BendLimit {
        let radius = |mm: Option<f64>, diameters: Option<f64>| {
            mm.map(BendRadius::Mm)
                .or(diameters.map(BendRadius::Diameters))
        };
        BendLimit {
            at_rest: radius(self.min_bend_static_mm, self.min_bend_static),
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
        ];
        let limits = limits
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)));
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
            let limit = material.bend_limit();
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
        assert!(parse(&format!("{own}{own}"), Path::new("own.toml")).is_err());
        assert!(parse("[[material]]\nname = 1", Path::new("own.toml")).is_err());
    }
}
