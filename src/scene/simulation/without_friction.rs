//! The route as it is without friction: it does not depend on the way the cable was dragged.

use std::sync::Arc;

use super::{CableReports, OnIterate, Simulation};
use crate::geom::Vec3;
use crate::solve::Budget;

/// Solves once without friction, and says in each report how far the cable moved by it. From the next solve on friction
/// acts again, from the shape that was found: at an equilibrium without friction it has nothing to hold.
pub fn solve_without_friction(
    simulation: &mut Simulation,
    budget: &Budget,
    on_iterate: Option<OnIterate>,
) -> CableReports {
    let nodes = |simulation: &Simulation| -> Vec<Vec<Vec3>> {
        let states = simulation.solvers().iter().map(crate::solve::Solver::state);
        states.map(|state| state.positions.clone()).collect()
    };
    let before = nodes(simulation);
    // A barrier that suited the load of the way would leave its own trace, tenths of the barrier distance.
    for solver in &mut simulation.solvers {
        solver.relax_barrier();
    }
    let friction = std::mem::replace(&mut simulation.scene.friction, 0.0);
    simulation.edited = true;
    let mut reports = simulation.solve_once(budget, on_iterate);
    simulation.scene.friction = friction;
    simulation.edited = true;
    let cables = before.iter().zip(nodes(simulation));
    for (report, (before, after)) in Arc::make_mut(&mut reports).iter_mut().zip(cables) {
        let ways = before.iter().zip(&after).map(|(a, b)| (a - b).norm());
        Arc::make_mut(report).settled = Some(ways.fold(0.0, f64::max));
    }
    reports
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;
    use crate::scene::{Command, HandlePlace};
    use crate::solve::CancelToken;
    use crate::solve::Status;

    /// The demo's cable draped over the cylinder, having come from one side or the other.
    fn draped(side: f64) -> Simulation {
        let mut simulation = Simulation::new(demo("cylinder").unwrap()).unwrap();
        let cancel = CancelToken::default();
        simulation.solve_quietly(&cancel);
        for (y, z) in [(0.0, 200.0), (side, 200.0), (0.0, 200.0)] {
            for k in 1..=6 {
                let end = simulation.scene().cables[0].handles[1].pose.position;
                let target = Vec3::new(800.0, y, z);
                let position = end.lerp(&target, f64::from(k) / 6.0);
                let command = Command::MoveHandle {
                    cable: "cable".to_owned(),
                    handle: "end".to_owned(),
                    position: Some(position.into()),
                    rotation: None,
                };
                assert_eq!(
                    simulation.scene().cables[0].handles[1].place,
                    HandlePlace::End
                );
                simulation.apply(&command).unwrap();
                simulation.solve_quietly(&cancel);
            }
        }
        simulation
    }

    fn apart(a: &Simulation, b: &Simulation) -> f64 {
        let nodes = |s: &Simulation| s.solvers()[0].state().positions.clone();
        let pairs = nodes(a).into_iter().zip(nodes(b));
        pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
    }

    #[test]
    fn a_settled_route_does_not_depend_on_the_way_it_came() {
        let cancel = CancelToken::default();
        let mut routes = [draped(120.0), draped(-120.0)];
        assert!(
            apart(&routes[0], &routes[1]) > 2.0,
            "friction keeps them apart"
        );
        for simulation in &mut routes {
            let before = simulation.clone();
            simulation.apply(&Command::Settle).unwrap();
            let report = simulation.solve_quietly(&cancel)[0].clone();
            assert_eq!(report.report.status, Status::Converged);
            assert_eq!(report.settled, Some(apart(&before, simulation)));
            assert!(report.settled > Some(1.0));
            assert_eq!(simulation.scene().friction, 0.2);
            // Friction is back, and holds what is there.
            let settled = simulation.clone();
            let report = simulation.solve_quietly(&cancel)[0].clone();
            assert_eq!(report.settled, None);
            assert!(
                apart(&settled, simulation) < 1e-3,
                "{}",
                apart(&settled, simulation)
            );
            assert_eq!(simulation.solvers()[0].problem().friction, 0.2);
        }
        let apart = apart(&routes[0], &routes[1]);
        assert!(apart < 0.05, "{apart} mm");
    }
}
