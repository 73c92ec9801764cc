//! What must be refused, with a clear word, and nothing half written.

use loomwright::exchange::fit::FitTolerance;
use loomwright::exchange::{ExportError, Format, Route};
use loomwright::geom::Vec3;

use super::formats::{export, options};
use super::shapes::{along, cases, label};

fn stub() -> Vec<Route> {
    cases().remove(6).routes
}

fn files_in(directory: &std::path::Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(directory)
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn an_empty_selection_and_a_name_clash_write_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.stp");
    let error = export(&[], Format::Step, &path, &options()).unwrap_err();
    assert!(matches!(error, ExportError::Nothing));
    let twice = [stub(), stub()].concat();
    let error = export(&twice, Format::Step, &path, &options()).unwrap_err();
    assert!(error.to_string().contains("STUB"), "{error}");
    assert!(files_in(directory.path()).is_empty());
}

#[test]
fn a_target_that_cannot_be_written_is_named_and_untouched() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("no such directory").join("x.stp");
    let error = export(&stub(), Format::Step, &missing, &options()).unwrap_err();
    assert!(error.to_string().contains("no such directory"), "{error}");

    let kept = directory.path().join("kept.stp");
    std::fs::write(&kept, "old").unwrap();
    let mut permissions = std::fs::metadata(&kept).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&kept, permissions).unwrap();
    let error = export(&stub(), Format::Step, &kept, &options()).unwrap_err();
    assert!(error.to_string().contains("write-protected"), "{error}");
    assert_eq!(std::fs::read(&kept).unwrap(), b"old");
    let error = export(&stub(), Format::Step, directory.path(), &options()).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
    assert_eq!(files_in(directory.path()), ["kept.stp"]);
}

#[test]
fn an_existing_file_is_replaced_as_a_whole() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.csv");
    std::fs::write(&path, "old").unwrap();
    let report = export(&stub(), Format::Csv, &path, &options()).unwrap();
    assert!(report.is_good());
    assert!(
        std::fs::read_to_string(&path)
            .unwrap()
            .starts_with("route,s_mm")
    );
    assert_eq!(
        files_in(directory.path()),
        ["x.csv", "x.csv.certificate.json"]
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    // A file in the place of the directory stands for any disk that refuses.
    let error = export(&stub(), Format::Step, "/dev/full".as_ref(), &options()).unwrap_err();
    assert!(error.to_string().contains("/dev/full"), "{error}");
}

/// Bends in the middle far more sharply than it is thick.
fn tight() -> Route {
    let nodes = along(Vec3::zeros(), 100.0, 1000, |s| {
        let turn = 12.0 / (1.0 + (-(s - 50.0)).exp()) / 4.0;
        Vec3::new(turn.cos(), turn.sin(), 0.0)
    });
    Route::through(label("TIGHT", 8.0), &nodes, &FitTolerance::default()).unwrap()
}

#[test]
fn a_tube_that_would_fold_is_refused_with_the_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.stp");
    let error = export(&[tight()], Format::StepTube, &path, &options())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("TIGHT") && error.contains("mm from its start"),
        "{error}"
    );
    let at: f64 = error
        .split("mm at ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((at - 50.0).abs() < 1.0, "{error}");
    assert!(files_in(directory.path()).is_empty());
}

#[test]
fn a_mesh_that_folds_is_written_with_a_warning_that_names_the_place() {
    let directory = tempfile::tempdir().unwrap();
    for format in [Format::Stl, Format::Obj, Format::Glb] {
        let path = directory.path().join(format!("x.{}", format.extension()));
        let report = export(&[tight()], format, &path, &options()).unwrap();
        assert!(report.is_good(), "{report:#?}");
        let [warning] = &report.files[0].routes[0].warnings[..] else {
            panic!("{report:#?}")
        };
        for words in ["folds into itself", "mm from its start (x "] {
            assert!(warning.contains(words), "{warning}");
        }
        let report = export(&stub(), format, &path, &options()).unwrap();
        assert!(report.files[0].routes[0].warnings.is_empty());
    }
}

#[test]
fn an_export_that_fails_its_check_is_kept_aside() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("x.stp");
    std::fs::write(&path, "the last good one").unwrap();
    let mut wrong = stub();
    wrong[0].cable_length += 0.5;
    let report = export(&wrong, Format::Step, &path, &options()).unwrap();
    assert!(!report.is_good());
    assert!(report.files[0].routes[0].problems[0].contains("mm long"));
    assert_eq!(std::fs::read(&path).unwrap(), b"the last good one");
    let aside = [
        "x.failed-check.stp",
        "x.failed-check.stp.certificate.json",
        "x.stp",
    ];
    assert_eq!(files_in(directory.path()), aside);
}

#[test]
fn fixed_units_and_axes_are_refused() {
    use loomwright::exchange::{Axes, ExportOptions, LengthUnit};
    let path = std::path::Path::new("never-written");
    let inches = ExportOptions {
        unit: Some(LengthUnit::In),
        ..options()
    };
    let error = export(&stub(), Format::Vda, path, &inches).unwrap_err();
    assert!(error.to_string().contains("vda files are in mm"), "{error}");
    let z_up = ExportOptions {
        axes: Some(Axes::ZUp),
        ..options()
    };
    let error = export(&stub(), Format::Glb, path, &z_up).unwrap_err();
    assert!(error.to_string().contains("Y up"), "{error}");
}
