//! The formats: what each is called, carries and allows, and which file of this module writes and reads it.

use super::file::{Contents, Entry, ReadError, Target, WriteError};
use super::names::NameRule;
use super::unit::{Axes, Convention, LengthUnit};
use super::{csv, step};

/// A format of exported routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// STEP AP214 curves.
    Step,
    /// Points as CSV.
    Csv,
}

/// What a file of a format holds of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// The curve itself.
    Curve,
    /// Points on the curve.
    Points,
    /// The tube around it as a solid.
    Solid,
    /// The tube around it as triangles.
    Mesh,
}

impl Format {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Step, Self::Csv];

    /// The word for it on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Csv => "csv",
        }
    }

    /// The format of that word.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.key() == key)
    }

    /// What it is, for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Step => "STEP AP214 curves",
            Self::Csv => "CSV points",
        }
    }

    /// The usual ending of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Step => "stp",
            Self::Csv => "csv",
        }
    }

    /// What it holds of a route.
    pub fn carries(self) -> Carries {
        match self {
            Self::Step => Carries::Curve,
            Self::Csv => Carries::Points,
        }
    }

    /// Whether a file holds one route only.
    pub fn one_per_file(self) -> bool {
        false
    }

    /// How it names routes; `None` where it has no place for a name.
    pub fn names(self) -> Option<&'static NameRule> {
        match self {
            Self::Step => Some(&step::NAMES),
            Self::Csv => Some(&csv::NAMES),
        }
    }

    /// Unit and axes of a file: as asked for, else as the source has them, else what the format's standard fixes.
    pub fn convention(
        self,
        unit: Option<LengthUnit>,
        axes: Option<Axes>,
        source: Convention,
    ) -> Result<Convention, WriteError> {
        let _ = self.title();
        Ok(Convention {
            unit: unit.unwrap_or(source.unit),
            axes: axes.unwrap_or(source.axes),
        })
    }

    /// The bytes of a file with these routes.
    pub fn write(self, entries: &[Entry], target: &Target) -> Result<Vec<u8>, WriteError> {
        match self {
            Self::Step => step::write(entries, target),
            Self::Csv => csv::write(entries, target),
        }
    }

    /// The routes of a file.
    pub fn read(self, bytes: &[u8]) -> Result<Contents, ReadError> {
        match self {
            Self::Step => step::read(bytes),
            Self::Csv => csv::read(bytes),
        }
    }
}
