//! The formats: what each is called, carries and allows, and which file of this module writes and reads it.
//!
//! A new format is a file with its writer and its reader, a name in [`Format`], and a row of [`FORMATS`].

use super::file::{Contents, Entries, ReadError, Target, WriteError};
use super::names::NameRule;
use super::sample::Fineness;
use super::unit::{Axes, Convention, LengthUnit};
use super::{
    csv, dxf, dxf_read, glb, ibl, iges, iges_read, json, nx, obj, sldcrv, step, step_read,
    step_tube, stl, vda,
};

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

/// Everything that the program knows of a format.
struct Row {
    format: Format,
    /// The word for it on the command line.
    key: &'static str,
    /// What it is, for people.
    title: &'static str,
    /// Endings of its files, the usual one first.
    extensions: &'static [&'static str],
    carries: Carries,
    /// Whether it may hold a route as lines and arcs.
    arcs: bool,
    /// Whether a file holds one route only.
    one_per_file: bool,
    /// How it names routes; `None` where it has no place for a name.
    names: Option<&'static NameRule>,
    /// Whether a harness comes back from it as a harness: nodes, fixings and connectors.
    harness: bool,
    /// What its standard fixes.
    unit: Option<LengthUnit>,
    axes: Option<Axes>,
    write: fn(&Entries, &Target) -> Result<Vec<u8>, WriteError>,
    read: fn(&[u8]) -> Result<Contents, ReadError>,
}

/// Curves with names in the unit and axes of the source: most rows differ from this by little.
const CURVES: Row = Row {
    format: Format::Step,
    key: "step",
    title: "STEP AP214 curves",
    extensions: &["stp", "step", "p21"],
    carries: Carries::Curve,
    arcs: true,
    one_per_file: false,
    names: Some(&step::NAMES),
    harness: true,
    unit: None,
    axes: None,
    write: |entries, target| Ok(step::write(entries, target)),
    read: step_read::read,
};

/// All formats, in the order in which they are shown. Of an ending the first row is meant that has it.
const FORMATS: [Row; 14] = [
    CURVES,
    Row {
        format: Format::StepTube,
        key: "step-tube",
        title: "STEP AP214 tube solids",
        carries: Carries::Solid,
        harness: false,
        arcs: false,
        write: step_tube::write,
        read: step_tube::read,
        ..CURVES
    },
    Row {
        format: Format::Iges,
        key: "iges",
        title: "IGES 5.3 curves",
        extensions: &["igs", "iges"],
        names: Some(&iges::NAMES),
        write: |entries, target| Ok(iges::write(entries, target)),
        read: iges_read::read,
        ..CURVES
    },
    Row {
        format: Format::Vda,
        key: "vda",
        title: "VDA-FS 2.0 curves",
        extensions: &["vda", "vdafs"],
        arcs: false,
        names: Some(&vda::NAMES),
        unit: Some(LengthUnit::Mm),
        write: vda::write,
        read: vda::read,
        ..CURVES
    },
    Row {
        format: Format::Dxf,
        key: "dxf",
        title: "DXF R2000 splines",
        extensions: &["dxf"],
        arcs: false,
        names: Some(&dxf::NAMES),
        write: |entries, target| Ok(dxf::write(entries, target)),
        read: dxf_read::read,
        ..CURVES
    },
    Row {
        format: Format::DxfPolyline,
        key: "dxf-polyline",
        title: "DXF R12 3D polylines",
        extensions: &["dxf"],
        carries: Carries::Points,
        arcs: false,
        names: Some(&dxf::R12_NAMES),
        write: |entries, target| Ok(dxf::write_polyline(entries, target)),
        read: dxf_read::read,
        ..CURVES
    },
    Row {
        format: Format::Ibl,
        key: "ibl",
        title: "Creo points (.ibl)",
        extensions: &["ibl"],
        carries: Carries::Points,
        arcs: false,
        names: Some(&ibl::NAMES),
        write: |entries, target| Ok(ibl::write(entries, target)),
        read: ibl::read,
        ..CURVES
    },
    Row {
        format: Format::Sldcrv,
        key: "sldcrv",
        title: "SolidWorks points (.sldcrv)",
        extensions: &["sldcrv"],
        carries: Carries::Points,
        arcs: false,
        one_per_file: true,
        names: None,
        harness: false,
        write: |entries, target| Ok(sldcrv::write(entries, target)),
        read: sldcrv::read,
        ..CURVES
    },
    Row {
        format: Format::Nx,
        key: "nx",
        title: "NX points (.dat)",
        extensions: &["dat"],
        carries: Carries::Points,
        arcs: false,
        one_per_file: true,
        names: None,
        harness: false,
        write: |entries, target| Ok(nx::write(entries, target)),
        read: nx::read,
        ..CURVES
    },
    Row {
        format: Format::Csv,
        key: "csv",
        title: "CSV points",
        extensions: &["csv"],
        carries: Carries::Points,
        arcs: false,
        names: Some(&csv::NAMES),
        write: |entries, target| Ok(csv::write(entries, target)),
        read: csv::read,
        ..CURVES
    },
    Row {
        format: Format::Json,
        key: "json",
        title: "JSON curves",
        extensions: &["json"],
        names: Some(&json::NAMES),
        write: json::write,
        read: json::read,
        ..CURVES
    },
    Row {
        format: Format::Stl,
        key: "stl",
        title: "STL tubes",
        extensions: &["stl"],
        carries: Carries::Mesh,
        arcs: false,
        names: None,
        harness: false,
        write: stl::write,
        read: stl::read,
        ..CURVES
    },
    Row {
        format: Format::Obj,
        key: "obj",
        title: "OBJ tubes",
        extensions: &["obj"],
        carries: Carries::Mesh,
        arcs: false,
        names: Some(&obj::NAMES),
        harness: false,
        write: obj::write,
        read: obj::read,
        ..CURVES
    },
    Row {
        format: Format::Glb,
        key: "glb",
        title: "glTF tubes (.glb)",
        extensions: &["glb"],
        carries: Carries::Mesh,
        arcs: false,
        names: Some(&glb::NAMES),
        harness: false,
        unit: Some(LengthUnit::M),
        axes: Some(Axes::YUp),
        write: glb::write,
        read: glb::read,
        ..CURVES
    },
];

impl Format {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; FORMATS.len()] = {
        let mut all = [Self::Step; FORMATS.len()];
        let mut i = 0;
        while i < FORMATS.len() {
            all[i] = FORMATS[i].format;
            i += 1;
        }
        all
    };

    fn row(self) -> &'static Row {
        static ROWS: [Row; FORMATS.len()] = FORMATS;
        let found = ROWS.iter().find(|row| row.format == self);
        found.unwrap_or(&ROWS[0])
    }

    /// The word for it on the command line.
    pub fn key(self) -> &'static str {
        self.row().key
    }

    /// The format of that word.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|f| f.key() == key)
    }

    /// The format that files of that name usually have; of several the first, which holds curves.
    pub fn of_path(path: &std::path::Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ALL
            .into_iter()
            .find(|f| f.row().extensions.contains(&ending.as_str()))
    }

    /// What it is, for people.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// The usual ending of its files.
    pub fn extension(self) -> &'static str {
        self.row().extensions[0]
    }

    /// All endings of its files.
    pub fn extensions(self) -> &'static [&'static str] {
        self.row().extensions
    }

    /// What it holds of a route.
    pub fn carries(self) -> Carries {
        self.row().carries
    }

    /// Whether it may hold a route as lines and arcs.
    pub fn holds_arcs(self) -> bool {
        self.row().arcs
    }

    /// Whether a file holds one route only.
    pub fn one_per_file(self) -> bool {
        self.row().one_per_file
    }

    /// How it names routes; `None` where it has no place for a name.
    pub fn names(self) -> Option<&'static NameRule> {
        self.row().names
    }

    /// Whether a harness comes back from it as a harness: with its nodes, fixings and connectors.
    pub fn holds_harness(self) -> bool {
        self.row().harness
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
        let row = self.row();
        if let (Some(fixed), Some(asked)) = (row.unit, unit)
            && fixed != asked
        {
            return Err(WriteError::Unit {
                format: self.key(),
                unit: fixed.symbol(),
            });
        }
        if let (Some(fixed), Some(asked)) = (row.axes, axes)
            && fixed != asked
        {
            return Err(WriteError::Axes { format: self.key() });
        }
        Ok(Convention {
            unit: row.unit.or(unit).unwrap_or(source.unit),
            axes: row.axes.or(axes).unwrap_or(source.axes),
        })
    }

    /// The bytes of a file with these routes.
    pub fn write(self, entries: &Entries, target: &Target) -> Result<Vec<u8>, WriteError> {
        (self.row().write)(entries, target)
    }

    /// The routes of a file.
    pub fn read(self, bytes: &[u8]) -> Result<Contents, ReadError> {
        (self.row().read)(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_has_its_own_row_and_word() {
        for (i, format) in Format::ALL.into_iter().enumerate() {
            assert_eq!(format.row().format, format);
            assert!(!Format::ALL[..i].contains(&format), "{}", format.key());
            assert_eq!(Format::of_key(format.key()), Some(format));
        }
    }
}
