//! The unit and the axes a file is written in, and the conversion to and from ours: mm, Z up.

use serde::{Deserialize, Serialize};

use crate::geom::Vec3;

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unit {
    /// A thousandth of a millimetre.
    #[serde(rename = "um")]
    Micron,
    /// The unit of everything here.
    #[serde(rename = "mm")]
    Millimetre,
    /// Ten millimetres.
    #[serde(rename = "cm")]
    Centimetre,
    /// A thousand millimetres.
    #[serde(rename = "m")]
    Metre,
    /// 25.4 mm.
    #[serde(rename = "in")]
    Inch,
    /// 304.8 mm.
    #[serde(rename = "ft")]
    Foot,
}

impl Unit {
    /// All of them, those that users mean most often first.
    pub const ALL: [Self; 6] = [
        Self::Millimetre,
        Self::Metre,
        Self::Inch,
        Self::Centimetre,
        Self::Foot,
        Self::Micron,
    ];

    /// How many mm one of it has.
    pub fn in_mm(self) -> f64 {
        match self {
            Self::Micron => 1e-3,
            Self::Millimetre => 1.0,
            Self::Centimetre => 10.0,
            Self::Metre => 1e3,
            Self::Inch => 25.4,
            Self::Foot => 304.8,
        }
    }

    /// Its sign, as it is typed.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Micron => "um",
            Self::Millimetre => "mm",
            Self::Centimetre => "cm",
            Self::Metre => "m",
            Self::Inch => "in",
            Self::Foot => "ft",
        }
    }

    /// The unit of that sign or English name, in any case, one or many.
    pub fn named(word: &str) -> Option<Self> {
        let word = word.to_ascii_lowercase();
        Some(match word.as_str() {
            "um" | "micron" | "microns" | "micrometer" | "micrometers" => Self::Micron,
            "mm" | "millimeter" | "millimeters" | "millimetre" | "millimetres" => Self::Millimetre,
            "cm" | "centimeter" | "centimeters" | "centimetre" | "centimetres" => Self::Centimetre,
            "m" | "meter" | "meters" | "metre" | "metres" => Self::Metre,
            "in" | "inch" | "inches" => Self::Inch,
            "ft" | "foot" | "feet" => Self::Foot,
            _ => return None,
        })
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.symbol())
    }
}

/// Which axis of a file points up; both kinds are right-handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// As in glTF and VRML: x stays, y becomes z, z becomes -y.
    Y,
    /// As here, and in most CAD systems.
    Z,
}

/// The space a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceSpace {
    /// Its unit of length.
    pub unit: Unit,
    /// Its way up.
    pub up: UpAxis,
}

impl Default for SourceSpace {
    /// Ours: mm, Z up.
    fn default() -> Self {
        Self {
            unit: Unit::Millimetre,
            up: UpAxis::Z,
        }
    }
}

impl SourceSpace {
    /// What glTF and VRML prescribe.
    pub const METRE_Y_UP: Self = Self {
        unit: Unit::Metre,
        up: UpAxis::Y,
    };

    /// A point of the file in our space, mm and Z up.
    pub fn to_ours(&self, point_in_file: &Vec3) -> Vec3 {
        self.direction_to_ours(point_in_file) * self.unit.in_mm()
    }

    /// A point of our space as the file has it.
    pub fn from_ours(&self, point: &Vec3) -> Vec3 {
        // Divided, not multiplied by the inverse: 1 mm is 0.001 m then, to the last digit.
        self.direction_from_ours(point) / self.unit.in_mm()
    }

    /// A direction of the file in our axes; its length stays.
    pub fn direction_to_ours(&self, direction_in_file: &Vec3) -> Vec3 {
        let d = direction_in_file;
        match self.up {
            UpAxis::Y => Vec3::new(d.x, -d.z, d.y),
            UpAxis::Z => *d,
        }
    }

    /// A direction of our space in the file's axes; its length stays.
    pub fn direction_from_ours(&self, direction: &Vec3) -> Vec3 {
        let d = direction;
        match self.up {
            UpAxis::Y => Vec3::new(d.x, d.z, -d.y),
            UpAxis::Z => *d,
        }
    }
}

/// Sizes of a whole file between which nobody wonders, mm.
const PLAUSIBLE: std::ops::RangeInclusive<f64> = 5.0..=100_000.0;
/// Sizes that a unit must give to be offered instead, mm.
const LIKELY: std::ops::RangeInclusive<f64> = 50.0..=20_000.0;

/// Whether the unit assumed makes a file of that size (mm) too small or too large.
pub fn is_doubtful(size: f64) -> bool {
    !PLAUSIBLE.contains(&size)
}

/// The unit that a file was probably written in, when it is so large (mm) in the unit assumed.
pub fn likely_unit(size: f64, assumed: Unit) -> Option<Unit> {
    let number = size / assumed.in_mm();
    Unit::ALL
        .into_iter()
        .find(|unit| LIKELY.contains(&(number * unit.in_mm())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_go_there_and_back() {
        let space = SourceSpace::METRE_Y_UP;
        // As docs of glTF have it: y is up, z towards the viewer, which is -y here.
        assert_eq!(
            space.to_ours(&Vec3::new(1.0, 2.0, 3.0)),
            Vec3::new(1000.0, -3000.0, 2000.0)
        );
        let p = Vec3::new(1.5, -2.25, 7.125);
        for up in [UpAxis::Y, UpAxis::Z] {
            for unit in Unit::ALL {
                let space = SourceSpace { unit, up };
                assert!((space.to_ours(&space.from_ours(&p)) - p).norm() < 1e-12);
                let turned = space.direction_to_ours(&space.direction_from_ours(&p));
                assert_eq!(turned, p);
                // Right-handed in both.
                let [x, y, z] =
                    [Vec3::x(), Vec3::y(), Vec3::z()].map(|d| space.direction_to_ours(&d));
                assert_eq!(x.cross(&y), z);
            }
        }
        assert_eq!(space.from_ours(&Vec3::x()).x, 0.001);
    }

    #[test]
    fn units_have_names() {
        for unit in Unit::ALL {
            assert_eq!(Unit::named(unit.symbol()), Some(unit));
            let text = serde_json::to_string(&unit).unwrap();
            assert_eq!(text, format!("\"{unit}\""));
        }
        assert_eq!(Unit::named("INCHES"), Some(Unit::Inch));
        assert_eq!(Unit::named("parsec"), None);
    }

    #[test]
    fn doubtful_sizes_offer_a_unit() {
        assert!(is_doubtful(3.0) && is_doubtful(3e6) && !is_doubtful(300.0));
        // A harness of 3 m, written in m and read as mm.
        assert_eq!(likely_unit(3.0, Unit::Millimetre), Some(Unit::Metre));
        // One of 3 m, written in mm and read as m.
        assert_eq!(likely_unit(3e6, Unit::Metre), Some(Unit::Millimetre));
        assert_eq!(likely_unit(3e6, Unit::Millimetre), Some(Unit::Micron));
        assert_eq!(likely_unit(1e-12, Unit::Millimetre), None);
    }
}
