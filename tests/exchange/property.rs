//! Random smooth routes: out and back.

use loomwright::exchange::fit::FitTolerance;
use loomwright::exchange::{ExportOptions, Format, Route, export};
use loomwright::geom::Vec3;
use proptest::prelude::*;

use super::formats::options;
use super::shapes::{along, label};

/// A route whose direction wanders as a sum of few waves.
pub fn random_route(seed: u64) -> Route {
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
    let nodes = along(start, length, 2000, direction);
    Route::through(label("R", 1.0), &nodes, &FitTolerance::default()).unwrap()
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
            prop_assert!(check.deviation_mm + check.fit_deviation_mm <= 0.01);
            if let Some(angles) = check.end_angles_deg {
                prop_assert!(angles.iter().all(|a| *a <= 0.01), "{angles:?}");
            }
        }
    }
}
