//! From a solver's state to what is kept with the shape of its cable, and back.

use super::Simulation;
use super::problem::begin_as_long_as;
use crate::contact::pair::PairFriction;
use crate::rod::RodState;
use crate::scene::{Cable, Memory, Scene, Shape};
use crate::solve::{Blocker, Problem, Solver, State};

/// Numbers of a few things among those that a memory has names of.
#[derive(Default)]
struct Named {
    numbers: Vec<u32>,
}

impl Named {
    fn number(&mut self, of: u32) -> u32 {
        let known = self.numbers.iter().position(|&n| n == of);
        known.unwrap_or_else(|| {
            self.numbers.push(of);
            self.numbers.len() - 1
        }) as u32
    }

    fn names<T>(&self, all: &[T], name: impl Fn(&T) -> &String) -> Vec<String> {
        let names = self.numbers.iter().filter_map(|&n| all.get(n as usize));
        names.map(|thing| name(thing).clone()).collect()
    }
}

/// What is to be kept with the shape of a cable.
pub(super) fn memory_of(simulation: &Simulation, cable: usize) -> Memory {
    let Simulation { scene, pairs, .. } = simulation;
    let solver = &simulation.solvers[cable];
    // The shape has the rod.
    let mut state = solver.save_beside(empty_rod());
    let mut parts = Named::default();
    for_obstacles(&mut state, |obstacle| Some(parts.number(obstacle)));
    let mut cables = Named::default();
    let own = pairs.friction().iter();
    // The shell of a part is made anew.
    let own =
        own.filter(|f| f.rods[0] as usize == cable && (f.rods[1] as usize) < scene.cables.len());
    let between = own.map(|f| PairFriction {
        rods: [
            0,
            match f.rods[1] {
                other if other as usize == cable => 0,
                other => cables.number(other) + 1,
            },
        ],
        ..*f
    });
    let between = between.collect();
    for_rods(&mut state, |rod| match rod {
        own if own == cable => Some(0),
        other => Some(cables.number(other as u32) as usize + 1),
    });
    Memory {
        problem: fingerprint(solver.problem(), simulation.free_ends(cable)),
        parts: parts.names(&scene.parts, |part| &part.name),
        cables: cables.names(&scene.cables, |cable| &cable.name),
        state,
        between,
    }
}

/// The solver that goes on from a shape and what was kept with it.
///
/// Whether it was kept for this very problem.
pub(super) fn resumed(
    scene: &Scene,
    cable: &Cable,
    mut problem: Problem,
    shape: &Shape,
    memory: &Memory,
) -> (Solver, bool) {
    let mut state = memory.state.clone();
    state.rod = shape.rod_state();
    let numbers: Vec<Option<u32>> = (memory.parts.iter())
        .map(|name| scene.parts.iter().position(|p| p.name == *name))
        .map(|number| number.map(|n| n as u32))
        .collect();
    for_obstacles(&mut state, |k| numbers.get(k as usize).copied().flatten());
    for_rods(&mut state, |rod| {
        let name = rod
            .checked_sub(1)
            .map_or(Some(&cable.name), |k| memory.cables.get(k))?;
        scene.cables.iter().position(|c| c.name == *name)
    });
    let same = memory.problem == fingerprint(&problem, free_ends(scene, cable));
    if !same {
        state.grips.clear();
        begin_as_long_as(&mut problem, shape);
    }
    (Solver::restore(problem, state, same), same)
}

/// The fingerprint of a cable's problem, in which an end that goes with a free junction differs from one that is held:
/// `ends` are those that go with one, by the number of their handle, with its mass.
fn fingerprint(problem: &Problem, ends: impl Iterator<Item = (usize, f64)>) -> u64 {
    ends.fold(problem.fingerprint(), |print, (handle, mass)| {
        let end = handle as u64 + 1;
        (print.rotate_left(23) ^ end ^ mass.to_bits()).wrapping_mul(0xd6e8_feb8_6659_fd93)
    })
}

/// The ends of a cable that go with free junctions, found by their names.
fn free_ends<'a>(scene: &'a Scene, cable: &'a Cable) -> impl Iterator<Item = (usize, f64)> + 'a {
    let free = scene.junctions.iter().filter(|j| j.free);
    free.flat_map(|j| j.ends.iter().map(move |end| (end, j.mass_kg)))
        .filter(|(end, _)| end.cable == cable.name)
        .filter_map(|(end, mass)| {
            let mut handles = cable.handles.iter();
            Some((handles.position(|h| h.name == end.handle)?, mass))
        })
}

impl Simulation {
    /// As [`free_ends`], for a cable of the scene, found by numbers: this is done for every cable that moves.
    fn free_ends(&self, cable: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let all = self.scene.junctions.iter().zip(&self.parties);
        all.filter(|(junction, _)| junction.free)
            .flat_map(|(junction, party)| party.iter().map(|end| (end, junction.mass_kg)))
            .filter(move |(end, _)| end.0 == cable)
            .map(|(end, mass)| (end.1, mass))
    }
}

/// Friction between the cables of a scene, as it was kept.
pub(super) fn friction_between(scene: &Scene, solvers: &[Solver]) -> Vec<PairFriction> {
    let mut all = Vec::new();
    for (own, cable) in scene.cables.iter().enumerate() {
        let Some(memory) = cable.shape.as_ref().and_then(|s| s.memory.as_ref()) else {
            continue;
        };
        for friction in &memory.between {
            let other = match friction.rods[1] {
                0 => Some(own),
                k => (memory.cables.get(k as usize - 1))
                    .and_then(|name| scene.cables.iter().position(|c| c.name == *name)),
            };
            let Some(other) = other.filter(|&other| other >= own) else {
                continue;
            };
            let rods = [own, other];
            let there = |side: usize| {
                let n_edges = solvers[rods[side]].problem().rod.n_edges();
                (friction.edges[side] as usize) < n_edges
            };
            if there(0) && there(1) {
                all.push(PairFriction {
                    rods: rods.map(|r| r as u32),
                    ..*friction
                });
            }
        }
    }
    all
}

/// A rod without nodes.
pub(in crate::scene) fn empty_rod() -> RodState {
    RodState {
        positions: Vec::new(),
        frames: Vec::new(),
        clamps: [None; 2],
        turns: Vec::new(),
    }
}

/// Gives the obstacles of a state other numbers; what belongs to one without is dropped.
fn for_obstacles(state: &mut State, mut number: impl FnMut(u32) -> Option<u32>) {
    let mut to = |obstacle: &mut u32| match number(*obstacle) {
        Some(new) => {
            *obstacle = new;
            true
        }
        None => false,
    };
    state.friction.retain_mut(|f| to(&mut f.obstacle));
    state.sticky.retain_mut(|s| to(&mut s[1]));
    state.margins.retain_mut(|m| to(&mut m.obstacle));
    state.released.retain_mut(|r| to(&mut r.obstacle));
    let mut known = true;
    for blocker in state.stopped.iter_mut().flat_map(|s| &mut s.blockers) {
        if let Some(Blocker::Obstacle(k) | Blocker::Length { around: Some(k) }) = blocker {
            let mut obstacle = *k as u32;
            known &= to(&mut obstacle);
            *k = obstacle as usize;
        }
    }
    if !known {
        state.stopped = None;
    }
}

/// Gives the rods that stopped a state's handles other numbers; where one has none, the handles are sent again.
fn for_rods(state: &mut State, mut number: impl FnMut(usize) -> Option<usize>) {
    let mut known = true;
    for blocker in state.stopped.iter_mut().flat_map(|s| &mut s.blockers) {
        if let Some(Blocker::Rod(rod)) = blocker {
            let new = number(*rod);
            known &= new.is_some();
            *rod = new.unwrap_or(0);
        }
    }
    if !known {
        state.stopped = None;
    }
}
