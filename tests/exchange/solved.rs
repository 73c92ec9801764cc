//! Routes of solved scenes: curve and cable are equally long.

use loomwright::exchange::fit::FitTolerance;
use loomwright::exchange::{SceneRoutesError, routes_of};
use loomwright::scene::demo::{demo, names};

#[test]
fn curves_are_as_long_as_their_cables_in_every_demo() {
    for name in names() {
        let scene = demo(name).unwrap();
        let routes = routes_of(&scene, &[], &FitTolerance::default()).unwrap();
        for route in routes {
            let solve = route.solve.unwrap();
            assert!(solve.converged, "{name}");
            assert!(solve.n_edges > 100, "{name}: {}", solve.n_edges);
            assert!(
                (route.length - route.cable_length).abs() <= 0.01,
                "{name}: {route:?}"
            );
            assert!(route.deviation <= 0.01);
            assert!(solve.error_estimate.unwrap() < 0.05, "{name}: {solve:?}");
        }
    }
}

#[test]
fn an_unknown_cable_and_an_empty_scene_are_refused() {
    let mut scene = demo("drag").unwrap();
    let error = routes_of(&scene, &["W9".into()], &FitTolerance::default()).unwrap_err();
    assert!(
        error.to_string().contains("\"W9\"") && error.to_string().contains("\"cable\""),
        "{error}"
    );
    scene.cables.clear();
    let error = routes_of(&scene, &[], &FitTolerance::default()).unwrap_err();
    assert!(matches!(error, SceneRoutesError::NoCables));
}
