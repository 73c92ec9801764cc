//! What holds a cable in the shape that it was solved to: kept with the shape, so that a scene goes on as it was left.

use crate::contact::pair::PairFriction;
use crate::contact::{Place, friction::FrictionContact};
use crate::solve::State;

/// What holds a cable in its shape beside its handles and its own stiffness.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// Fingerprint of the problem that the shape belongs to ([`crate::solve::Problem::fingerprint`]).
    pub problem: u64,
    /// Names of the parts that are meant below, by number.
    pub parts: Vec<String>,
    /// Names of the other cables that are meant below, by number.
    pub cables: Vec<String>,
    /// The solver's state, without the nodes and frames that the shape has; obstacles by their number in `parts`.
    pub state: State,
    /// Friction with other cables and with itself: of the two rods the first is 0, this one; 0 again is itself, and `k + 1`
    /// is number `k` of `cables`.
    pub between: Vec<PairFriction>,
}

impl Memory {
    /// Of the same cable with every edge cut into `factor`. Only friction outlasts that: the rest is found anew.
    #[must_use]
    pub fn refined(&self, factor: usize) -> Self {
        let cut = |edge: u32, s: f64| {
            let along = s * factor as f64;
            let piece = (along as usize).min(factor - 1);
            (edge * factor as u32 + piece as u32, along - piece as f64)
        };
        let friction = |f: &FrictionContact| {
            let (edge, s) = cut(f.edge, f.s);
            let place = match f.place {
                // Samples are numbered node, middle, node, ...
                Place::Sample { triangle, .. } => Place::Sample {
                    number: (2.0 * (f64::from(edge) + s)).round() as u32,
                    triangle,
                },
                crossing @ Place::Crossing { .. } => crossing,
            };
            FrictionContact {
                edge,
                s,
                place,
                ..*f
            }
        };
        // Cables that touch are cut alike, or their friction is of another grid: the edge says.
        let between = |f: &PairFriction| {
            let (first, second) = (cut(f.edges[0], f.at[0]), cut(f.edges[1], f.at[1]));
            let itself = f.rods[1] == 0;
            itself.then_some(PairFriction {
                edges: [first.0, second.0],
                at: [first.1, second.1],
                ..*f
            })
        };
        Self {
            problem: 0,
            between: self.between.iter().filter_map(between).collect(),
            state: State {
                grips: Vec::new(),
                tension: Vec::new(),
                friction: self.state.friction.iter().map(friction).collect(),
                // It holds what it held until something moves.
                friction_due: false,
                sticky: Vec::new(),
                margins: Vec::new(),
                released: Vec::new(),
                pulls: Vec::new(),
                kept_at: None,
                at_rest: false,
                ..self.state.clone()
            },
            ..self.clone()
        }
    }

    /// Follows the new name of a part.
    pub fn rename_part(&mut self, from: &str, to: &str) {
        rename(&mut self.parts, from, to);
    }

    /// Follows the new name of a cable.
    pub fn rename_cable(&mut self, from: &str, to: &str) {
        rename(&mut self.cables, from, to);
    }
}

fn rename(names: &mut [String], from: &str, to: &str) {
    for name in names.iter_mut().filter(|name| *name == from) {
        to.clone_into(name);
    }
}
