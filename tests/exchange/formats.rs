//! Every shape through every format, by our own readers; and for other software on request.

use std::path::{Path, PathBuf};

use loomwright::exchange::{
    Axes, Carries, ExportError, ExportOptions, ExportReport, Form, Format, LengthUnit, Network,
    Route, RouteOptions, SceneRoutesError, Stamp, network_of,
};
use loomwright::scene::Scene;
use serde_json::json;

use super::shapes::cases;

pub fn options() -> ExportOptions {
    ExportOptions {
        stamp: Stamp::from_unix(1_700_000_000),
        certificate: true,
        ..ExportOptions::default()
    }
}

/// Writes loose routes.
pub fn export(
    routes: &[Route],
    format: Format,
    path: &Path,
    options: &ExportOptions,
) -> Result<ExportReport, ExportError> {
    let network = Network::loose(routes.to_vec());
    loomwright::exchange::export(&network, format, path, options)
}

/// The routes of a scene alone.
pub fn routes_of(
    scene: &Scene,
    selection: &[String],
    options: &RouteOptions,
) -> Result<Vec<Route>, SceneRoutesError> {
    network_of(scene, selection, options).map(Network::into_routes)
}

#[test]
fn every_shape_passes_the_check_of_every_format() {
    let directory = tempfile::tempdir().unwrap();
    for case in cases() {
        for format in Format::ALL {
            let name = format!("{}-{}.{}", case.name, format.key(), format.extension());
            let path = directory.path().join(name);
            let report = export(&case.routes, format, &path, &options()).unwrap();
            assert!(
                report.is_good(),
                "{} as {}: {report:#?}",
                case.name,
                format.key()
            );
            let routes: usize = report.files.iter().map(|f| f.routes.len()).sum();
            assert_eq!(routes, case.routes.len());
            for file in &report.files {
                let certificate = std::fs::read(file.certificate.as_ref().unwrap()).unwrap();
                let certificate: serde_json::Value = serde_json::from_slice(&certificate).unwrap();
                assert_eq!(certificate["good"], true);
                assert_eq!(certificate["sha256"], file.sha256.as_str());
            }
        }
    }
}

#[test]
fn units_and_axes_come_back_to_the_same_place() {
    let directory = tempfile::tempdir().unwrap();
    let routes = cases().remove(1).routes;
    for format in Format::ALL {
        for unit in LengthUnit::ALL {
            for axes in [Axes::ZUp, Axes::YUp] {
                let path = directory.path().join("x");
                let options = ExportOptions {
                    unit: Some(unit),
                    axes: Some(axes),
                    ..options()
                };
                match export(&routes, format, &path, &options) {
                    Ok(report) => assert!(report.is_good(), "{report:#?}"),
                    Err(error) => {
                        let fixed = [Format::Vda, Format::Glb].contains(&format);
                        assert!(fixed, "{error}");
                    }
                }
            }
        }
    }
}

#[test]
fn exact_formats_keep_every_bit_of_the_ends() {
    let directory = tempfile::tempdir().unwrap();
    for case in cases() {
        for format in Format::ALL {
            if [Carries::Solid, Carries::Mesh].contains(&format.carries()) {
                continue;
            }
            let path = directory.path().join("x");
            let report = export(&case.routes, format, &path, &options()).unwrap();
            for check in report.files.iter().flat_map(|f| &f.routes) {
                let [start, end] = check.end_gaps_mm.unwrap();
                assert_eq!(start, 0.0, "{} {}", case.name, format.key());
                // The end of a polynomial in powers of u is a sum: equal but for rounding.
                let limit = if format == Format::Vda { 1e-11 } else { 0.0 };
                assert!(end <= limit, "{} {}: {end}", case.name, format.key());
            }
        }
    }
}

#[test]
fn the_same_routes_give_the_same_bytes() {
    let directory = tempfile::tempdir().unwrap();
    let routes = cases().remove(4).routes;
    for format in Format::ALL {
        let path = directory.path().join(format!("x.{}", format.extension()));
        let hash = || {
            let report = export(&routes, format, &path, &options()).unwrap();
            report
                .files
                .iter()
                .map(|f| f.sha256.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(hash(), hash());
    }
}

/// Writes every shape in every format for `scripts/cad-check.sh`, with a list of what to expect of each file.
#[test]
fn files_for_other_software() {
    let Some(directory) = std::env::var_os("LOOMWRIGHT_EXPORT_DIR").map(PathBuf::from) else {
        return;
    };
    std::fs::create_dir_all(&directory).unwrap();
    let mut expected = Vec::new();
    for case in cases() {
        for format in Format::ALL {
            let path = format!("{}-{}.{}", case.name, format.key(), format.extension());
            let path = directory.join(path);
            expect(&case.routes, format, &path, &options(), &mut expected);
        }
        for format in super::arcs::ARC_FORMATS {
            let path = format!("{}-{}-arcs.{}", case.name, format.key(), format.extension());
            let arcs = super::arcs::as_arcs(0.1, 5.0);
            let path = directory.join(path);
            expect(&case.routes, format, &path, &arcs, &mut expected);
        }
    }
    let list = serde_json::to_vec_pretty(&expected).unwrap();
    std::fs::write(directory.join("expected.json"), list).unwrap();
}

fn expect(
    routes: &[Route],
    format: Format,
    path: &Path,
    options: &ExportOptions,
    expected: &mut Vec<serde_json::Value>,
) {
    let report = export(routes, format, path, options).unwrap();
    assert!(report.is_good());
    for file in &report.files {
        let of = |name: &str| routes.iter().find(|r| r.name == name).unwrap();
        let volume: f64 = file
            .routes
            .iter()
            .map(|c| of(&c.route))
            .map(|r| std::f64::consts::PI * r.radius.largest().powi(2) * r.cable_length)
            .sum();
        expected.push(json!({
            "file": file.path.file_name().unwrap().to_string_lossy(),
            "format": format.key(),
            "carries": format!("{:?}", format.carries()),
            "routes": file.routes.len(),
            // Lines and arcs have the length that our own check found; curves that of the cable.
            "length": file.routes.iter().map(|c| match options.form {
                Form::Spline => c.cable_length_mm,
                Form::LinesAndArcs(_) => c.length_mm.unwrap(),
            }).sum::<f64>(),
            "arcs": (options.form != Form::Spline)
                .then(|| file.routes.iter().map(|c| c.count).sum::<usize>()),
            "volume": volume,
            "names": file.routes.iter().filter_map(|c| c.name_in_file.clone()).collect::<Vec<_>>(),
        }));
    }
}

#[test]
fn two_hundred_routes_make_a_small_step_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("harness.stp");
    let started = std::time::Instant::now();
    let routes: Vec<Route> = (0..200).map(super::shapes::numbered).collect();
    let fitted = started.elapsed();
    let report = export(&routes, Format::Step, &path, &options()).unwrap();
    // Seen with --nocapture; times are no assertions.
    println!(
        "200 routes: fitted {fitted:?}, all {:?}, {} kB",
        started.elapsed(),
        report.files[0].bytes / 1024
    );
    assert!(report.is_good());
    assert!(report.files[0].bytes <= 3_000_000);
}

/// Sides of triangles that more than two of them have, corners at one place of single precision being one.
fn crowded_sides(triangles: &[[[f32; 3]; 3]]) -> usize {
    let mut counts = std::collections::HashMap::new();
    for t in triangles {
        let bits = t.map(|p| p.map(|c| (c + 0.0).to_bits()));
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            let side = (bits[a].min(bits[b]), bits[a].max(bits[b]));
            *counts.entry(side).or_insert(0) += 1;
        }
    }
    counts.values().filter(|n| **n > 2).count()
}

#[test]
fn tubes_that_meet_at_a_node_share_no_sides() {
    let nodes = |from: f64| {
        super::shapes::along(loomwright::geom::Vec3::x() * from, 100.0, 50, |_| {
            loomwright::geom::Vec3::x()
        })
    };
    let route = |name: &str, from: f64| {
        let tolerance = loomwright::exchange::fit::FitTolerance::default();
        let label = super::shapes::label(name, 4.0);
        loomwright::exchange::Route::through(label, &nodes(from), &tolerance).unwrap()
    };
    let routes = [route("A", 0.0), route("B", 100.0), route("C", 200.0)];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.stl");
    let report = export(&routes, Format::Stl, &path, &options()).unwrap();
    assert!(report.is_good(), "{report:?}");
    let mut file = std::fs::File::open(&path).unwrap();
    let triangles: Vec<[[f32; 3]; 3]> = stl_io::create_stl_reader(&mut file)
        .unwrap()
        .map(|t| t.unwrap().vertices.map(|v| [v[0], v[1], v[2]]))
        .collect();
    assert_eq!(crowded_sides(&triangles), 0);
}
