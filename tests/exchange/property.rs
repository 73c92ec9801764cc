//! Random smooth routes: out and back.

use loomwright::exchange::fit::FitTolerance;
use loomwright::exchange::route::Nodes;
use loomwright::exchange::{Carries, ExportOptions, Format, Route};
use loomwright::geom::Vec3;
use proptest::prelude::*;

use super::formats::{export, options};
use super::shapes::{along, label};

/// A route whose direction wanders as a sum of few waves.
fn random_route(seed: u64) -> Route {
    Route::through(
        label("R", 1.0),
        &random_nodes(seed),
        &FitTolerance::default(),
    )
    .unwrap()
}

fn random_nodes(seed: u64) -> Nodes {
    let mut random = fastrand::Rng::with_seed(seed);
    let length = 30.0 * 40.0_f64.powf(random.f64());
    let mut signed = || 2.0 * random.f64() - 1.0;
    let base = Vec3::new(signed(), signed(), signed());
    let start = Vec3::new(signed(), signed(), signed()) * 1500.0;
    let waves: Vec<(Vec3, f64, f64)> = (1..=5)
        .map(|k| {
            let amplitude = Vec3::new(signed(), signed(), signed()) * (1.2 / f64::from(k));
            (amplitude, f64::from(k), 3.0 * signed())
        })
        .collect();
    let direction = |s: f64| {
        let turn = |(a, k, phase): &(Vec3, f64, f64)| a * (k * 3.0 * s / length + phase).sin();
        // Never far from the base, so that it never stands still.
        base.normalize() * 2.2 + waves.iter().map(turn).sum::<Vec3>() * 0.7
    };
    along(start, length, 2000, direction)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_routes_come_back(seed in any::<u64>(), format in 0..Format::ALL.len()) {
        let route = random_route(seed);
        let format = Format::ALL[format];
        let directory = tempfile::tempdir().unwrap();
        // The curve formats every time, one of the others.
        let curves = [Format::Step, Format::Iges, Format::Vda, Format::Dxf, Format::Json];
        for format in curves.into_iter().chain([format]) {
            let path = directory.path().join("route");
            let options = ExportOptions { certificate: false, ..options() };
            let report = export(std::slice::from_ref(&route), format, &path, &options).unwrap();
            let check = &report.files[0].routes[0];
            prop_assert!(report.is_good(), "seed {seed} {}: {:?}", format.key(), check.problems);
            if ![Carries::Solid, Carries::Mesh].contains(&format.carries()) {
                prop_assert!(check.deviation_mm + check.fit_deviation_mm <= 0.01);
            }
            if let Some(angles) = check.end_angles_deg {
                prop_assert!(angles.iter().all(|a| *a <= 0.01), "{angles:?}");
            }
        }
    }
}

/// Writes random routes for `scripts/fit_check.py`, which counts the control points of other software.
#[test]
fn random_routes_for_other_software() {
    let Some(directory) = std::env::var_os("LOOMWRIGHT_EXPORT_DIR") else {
        return;
    };
    let routes: Vec<_> = (0..300)
        .map(|seed| {
            let (nodes, route) = (random_nodes(seed), random_route(seed));
            let lists =
                |points: &[Vec3]| -> Vec<[f64; 3]> { points.iter().map(|p| (*p).into()).collect() };
            // Every fourth node is enough for the other software, and it is slow with more.
            let thin: Vec<Vec3> = nodes.points.iter().step_by(4).copied().collect();
            serde_json::json!({
                "at": nodes.at.iter().step_by(4).collect::<Vec<_>>(),
                "nodes": lists(&thin),
                "knots": route.curve.knots(),
                "control_points": lists(route.curve.points()),
            })
        })
        .collect();
    let directory = std::path::PathBuf::from(directory);
    std::fs::create_dir_all(&directory).unwrap();
    let list = serde_json::to_vec(&routes).unwrap();
    std::fs::write(directory.join("random-routes.json"), list).unwrap();
}
