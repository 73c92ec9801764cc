//! The formats: what each is called, carries and allows, and which file of this module writes and reads it.

use super::file::{Contents, Entry, ReadError, Target, WriteError};
use super::names::NameRule;
use super::sample::Fineness;
use super::unit::{Axes, Convention, LengthUnit};
use super::{csv, dxf, glb, ibl, iges, json, nx, obj, sldcrv, step, step_tube, stl, vda};

/// Chord error of meshes, mm, where none is asked for: a fifth of the triangles that points would make.
const MESH_CHORD_ERROR: f64 = 0.05;

/// A format of exported routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// STEP AP214 curves.
    Step,
    /// STEP AP214 tube solids.
    StepTube,
    /// IGES 5.3 curves.
    Iges,
    /// VDA-FS 2.0 curves.
    Vda,
    /// DXF R2000 splines.
    Dxf,
    /// DXF R12 3D polylines.
    DxfPolyline,
    /// Creo points (.ibl).
    Ibl,
    /// SolidWorks points (.sldcrv).
    Sldcrv,
    /// NX points (.dat).
    Nx,
    /// CSV points.
    Csv,
    /// JSON curves.
    Json,
    /// STL tubes.
    Stl,
    /// OBJ tubes.
    Obj,
    /// glTF tubes (.glb).
    Glb,
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
    pub const ALL: [Self; 14] = [
        Self::Step,
        Self::StepTube,
        Self::Iges,
        Self::Vda,
        Self::Dxf,
        Self::DxfPolyline,
        Self::Ibl,
        Self::Sldcrv,
        Self::Nx,
        Self::Csv,
        Self::Json,
        Self::Stl,
        Self::Obj,
        Self::Glb,
    ];

    /// The word for it on the command line.
    pub fn key(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::StepTube => "step-tube",
            Self::Iges => "iges",
            Self::Vda => "vda",
            Self::Dxf => "dxf",
            Self::DxfPolyline => "dxf-polyline",
            Self::Ibl => "ibl",
            Self::Sldcrv => "sldcrv",
            Self::Nx => "nx",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Stl => "stl",
            Self::Obj => "obj",
            Self::Glb => "glb",
        }
    }

    /// The format of that word.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.key() == key)
    }

    /// The format that files of that name usually have; of several the first, which holds curves.
    pub fn of_path(path: &std::path::Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let ending = match ending.as_str() {
            "step" => "stp",
            "iges" => "igs",
            other => other,
        };
        Self::ALL.into_iter().find(|f| f.extension() == ending)
    }

    /// What it is, for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Step => "STEP AP214 curves",
            Self::StepTube => "STEP AP214 tube solids",
            Self::Iges => "IGES 5.3 curves",
            Self::Vda => "VDA-FS 2.0 curves",
            Self::Dxf => "DXF R2000 splines",
            Self::DxfPolyline => "DXF R12 3D polylines",
            Self::Ibl => "Creo points (.ibl)",
            Self::Sldcrv => "SolidWorks points (.sldcrv)",
            Self::Nx => "NX points (.dat)",
            Self::Csv => "CSV points",
            Self::Json => "JSON curves",
            Self::Stl => "STL tubes",
            Self::Obj => "OBJ tubes",
            Self::Glb => "glTF tubes (.glb)",
        }
    }

    /// The usual ending of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Step | Self::StepTube => "stp",
            Self::Iges => "igs",
            Self::Dxf | Self::DxfPolyline => "dxf",
            Self::Nx => "dat",
            other => other.key(),
        }
    }

    /// What it holds of a route.
    pub fn carries(self) -> Carries {
        match self {
            Self::Step | Self::Iges | Self::Vda | Self::Dxf | Self::Json => Carries::Curve,
            Self::DxfPolyline | Self::Ibl | Self::Sldcrv | Self::Nx | Self::Csv => Carries::Points,
            Self::StepTube => Carries::Solid,
            Self::Stl | Self::Obj | Self::Glb => Carries::Mesh,
        }
    }

    /// Whether it may hold a route as lines and arcs.
    pub fn holds_arcs(self) -> bool {
        matches!(self, Self::Step | Self::Iges | Self::Json)
    }

    /// Whether a file holds one route only.
    pub fn one_per_file(self) -> bool {
        matches!(self, Self::Sldcrv | Self::Nx)
    }

    /// How it names routes; `None` where it has no place for a name.
    pub fn names(self) -> Option<&'static NameRule> {
        match self {
            Self::Step | Self::StepTube => Some(&step::NAMES),
            Self::Iges => Some(&iges::NAMES),
            Self::Vda => Some(&vda::NAMES),
            Self::Dxf => Some(&dxf::NAMES),
            Self::DxfPolyline => Some(&dxf::R12_NAMES),
            Self::Ibl => Some(&ibl::NAMES),
            Self::Csv => Some(&csv::NAMES),
            Self::Json => Some(&json::NAMES),
            Self::Obj => Some(&obj::NAMES),
            Self::Glb => Some(&glb::NAMES),
            Self::Sldcrv | Self::Nx | Self::Stl => None,
        }
    }

    /// How finely its points or triangles follow the curve, with the chord error that was asked for.
    pub fn fineness(self, chord_error: Option<f64>) -> Fineness {
        let usual = Fineness::default();
        let chord_error = chord_error.unwrap_or(match self.carries() {
            Carries::Mesh => MESH_CHORD_ERROR,
            _ => usual.chord_error,
        });
        Fineness {
            chord_error,
            ..usual
        }
    }

    /// Unit and axes of a file: what the format's standard fixes, else as asked for, else as the source has them.
    pub fn convention(
        self,
        unit: Option<LengthUnit>,
        axes: Option<Axes>,
        source: Convention,
    ) -> Result<Convention, WriteError> {
        let fixed_unit = match self {
            Self::Vda => Some(LengthUnit::Mm),
            Self::Glb => Some(LengthUnit::M),
            _ => None,
        };
        if let (Some(fixed), Some(asked)) = (fixed_unit, unit)
            && fixed != asked
        {
            return Err(WriteError::Unit {
                format: self.key(),
                unit: fixed.symbol(),
            });
        }
        if self == Self::Glb && axes == Some(Axes::ZUp) {
            return Err(WriteError::Axes { format: self.key() });
        }
        let fixed_axes = (self == Self::Glb).then_some(Axes::YUp);
        Ok(Convention {
            unit: fixed_unit.or(unit).unwrap_or(source.unit),
            axes: fixed_axes.or(axes).unwrap_or(source.axes),
        })
    }

    /// The bytes of a file with these routes.
    pub fn write(self, entries: &[Entry], target: &Target) -> Result<Vec<u8>, WriteError> {
        match self {
            Self::Step => Ok(step::write(entries, target)),
            Self::StepTube => step_tube::write(entries, target),
            Self::Iges => Ok(iges::write(entries, target)),
            Self::Vda => vda::write(entries, target),
            Self::Dxf => Ok(dxf::write(entries, target)),
            Self::DxfPolyline => Ok(dxf::write_polyline(entries, target)),
            Self::Ibl => Ok(ibl::write(entries, target)),
            Self::Sldcrv => Ok(sldcrv::write(entries, target)),
            Self::Nx => Ok(nx::write(entries, target)),
            Self::Csv => Ok(csv::write(entries, target)),
            Self::Json => json::write(entries, target),
            Self::Stl => stl::write(entries, target),
            Self::Obj => obj::write(entries, target),
            Self::Glb => glb::write(entries, target),
        }
    }

    /// The routes of a file.
    pub fn read(self, bytes: &[u8]) -> Result<Contents, ReadError> {
        match self {
            Self::Step => step::read(bytes),
            Self::StepTube => step_tube::read(bytes),
            Self::Iges => iges::read(bytes),
            Self::Vda => vda::read(bytes),
            Self::Dxf | Self::DxfPolyline => dxf::read(bytes),
            Self::Ibl => ibl::read(bytes),
            Self::Sldcrv => sldcrv::read(bytes),
            Self::Nx => nx::read(bytes),
            Self::Csv => csv::read(bytes),
            Self::Json => json::read(bytes),
            Self::Stl => stl::read(bytes),
            Self::Obj => obj::read(bytes),
            Self::Glb => glb::read(bytes),
        }
    }
}
