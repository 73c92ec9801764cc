//! Units and axes of a file. Inside everything is mm, Z up.

use serde::{Deserialize, Serialize};

use crate::geom::Vec3;

/// A unit of length in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// Millimetre.
    #[default]
    Mm,
    /// Metre.
    M,
    /// Inch.
    In,
}

impl LengthUnit {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Mm, Self::M, Self::In];

    /// How many mm one of it is.
    pub fn in_mm(self) -> f64 {
        match self {
            Self::Mm => 1.0,
            Self::M => 1000.0,
            Self::In => 25.4,
        }
    }

    /// Its short name: mm, m, in.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Mm => "mm",
            Self::M => "m",
            Self::In => "in",
        }
    }
}

/// Which axis of a file points up. Files are right-handed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axes {
    /// Z up, as inside.
    #[default]
    ZUp,
    /// Y up: (x, y, z) inside is (x, z, -y) in the file.
    YUp,
}

/// How a file counts lengths and which way is up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Convention {
    /// The unit of length.
    pub unit: LengthUnit,
    /// The axes.
    pub axes: Axes,
}

impl Convention {
    /// A point inside, as the file has it. With mm and Z up no bit changes.
    pub fn outside(&self, p: &Vec3) -> Vec3 {
        let turned = match self.axes {
            Axes::ZUp => *p,
            Axes::YUp => Vec3::new(p.x, p.z, -p.y),
        };
        if self.unit == LengthUnit::Mm {
            turned
        } else {
            turned / self.unit.in_mm()
        }
    }

    /// A point of the file, as it is inside.
    pub fn inside(&self, p: &Vec3) -> Vec3 {
        let scaled = if self.unit == LengthUnit::Mm {
            *p
        } else {
            p * self.unit.in_mm()
        };
        match self.axes {
            Axes::ZUp => scaled,
            Axes::YUp => Vec3::new(scaled.x, -scaled.z, scaled.y),
        }
    }

    /// A length inside, as the file has it.
    pub fn length_outside(&self, mm: f64) -> f64 {
        if self.unit == LengthUnit::Mm {
            mm
        } else {
            mm / self.unit.in_mm()
        }
    }

    /// A length of the file, in mm.
    pub fn length_inside(&self, length: f64) -> f64 {
        if self.unit == LengthUnit::Mm {
            length
        } else {
            length * self.unit.in_mm()
        }
    }

    /// Whether coordinates go out as they are, to the last bit (a sign apart).
    pub fn is_exact(&self) -> bool {
        self.unit == LengthUnit::Mm
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn out_and_in_again_is_the_same_place() {
        let p = Vec3::new(1.25, -17.3, 400.001);
        for unit in LengthUnit::ALL {
            for axes in [Axes::ZUp, Axes::YUp] {
                let convention = Convention { unit, axes };
                let back = convention.inside(&convention.outside(&p));
                assert!((back - p).norm() < 1e-12);
                assert!(!convention.is_exact() || back == p);
            }
        }
        let y_up = Convention {
            unit: LengthUnit::M,
            axes: Axes::YUp,
        };
        assert_eq!(y_up.outside(&Vec3::new(0.0, 0.0, 1000.0)), Vec3::y());
    }
}
