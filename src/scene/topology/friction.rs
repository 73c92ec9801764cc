//! Friction of cables that are cut, joined or turned round: what holds them holds them still.

use std::ops::Range;
use std::sync::Arc;

use crate::contact::pair::PairFriction;
use crate::contact::{Place, friction::FrictionContact};
use crate::scene::simulation::memory::empty_rod;
use crate::scene::{Memory, Scene};
use crate::solve::State;

/// A place where two cables, or two stretches of one, rub against each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// Names of the two.
    pub cables: [String; 2],
    /// What friction holds; its rods are those of `cables`.
    pub friction: PairFriction,
}

impl Touch {
    /// Gives both sides another cable, edge and place along it.
    #[must_use]
    pub fn mapped(mut self, map: impl Fn(&str, u32, f64) -> (String, u32, f64)) -> Self {
        for side in 0..2 {
            let (edge, at) = (self.friction.edges[side], self.friction.at[side]);
            let (cable, edge, at) = map(&self.cables[side], edge, at);
            self.cables[side] = cable;
            (self.friction.edges[side], self.friction.at[side]) = (edge, at);
        }
        self
    }

    /// The same, told from the other side.
    fn swapped(mut self) -> Self {
        self.cables.swap(0, 1);
        let f = &mut self.friction;
        f.edges.swap(0, 1);
        f.at.swap(0, 1);
        (f.normal, f.base, f.slip) = (-f.normal, -f.base, -f.slip);
        self
    }
}

/// Takes the friction among the cables out of what they remember, with the cables by their names.
pub fn take_touches(scene: &mut Scene) -> Vec<Touch> {
    let mut touches = Vec::new();
    for cable in &mut scene.cables {
        let name = cable.name.clone();
        let memory = cable.shape.as_mut().and_then(|s| s.memory.as_mut());
        let Some(memory) = memory.filter(|m| !m.between.is_empty()).map(Arc::make_mut) else {
            continue;
        };
        let others = std::mem::take(&mut memory.cables);
        for friction in std::mem::take(&mut memory.between) {
            let other = match friction.rods[1] {
                0 => Some(&name),
                k => others.get(k as usize - 1),
            };
            touches.extend(other.map(|other| Touch {
                cables: [name.clone(), other.clone()],
                friction,
            }));
        }
    }
    touches
}

/// Gives it back: each place is kept by the cable that comes first in the scene.
pub fn put_touches(scene: &mut Scene, touches: Vec<Touch>) {
    for touch in touches {
        let number = |k: usize| scene.cables.iter().position(|c| c.name == touch.cables[k]);
        let (Some(a), Some(b)) = (number(0), number(1)) else {
            continue;
        };
        let edges = touch.friction.edges;
        let touch = if (a, edges[0]) > (b, edges[1]) {
            touch.swapped()
        } else {
            touch
        };
        let own = &mut scene.cables[a.min(b)];
        let memory = own.shape.as_mut().and_then(|s| s.memory.as_mut());
        let Some(memory) = memory.map(Arc::make_mut) else {
            continue;
        };
        let other = if a == b {
            0
        } else {
            let known = memory
                .cables
                .iter()
                .position(|name| *name == touch.cables[1]);
            1 + known.unwrap_or_else(|| {
                memory.cables.push(touch.cables[1].clone());
                memory.cables.len() - 1
            })
        };
        memory.between.push(PairFriction {
            rods: [0, other as u32],
            ..touch.friction
        });
    }
}

impl Memory {
    /// What outlasts a change of the rod: friction with parts. The rest is found anew.
    fn with_friction(&self, friction: Vec<FrictionContact>) -> Self {
        Self {
            problem: 0,
            parts: self.parts.clone(),
            cables: Vec::new(),
            between: Vec::new(),
            state: State {
                rod: empty_rod(),
                grips: Vec::new(),
                tension: Vec::new(),
                friction,
                // It holds what it held until something moves.
                friction_due: false,
                sticky: Vec::new(),
                margins: Vec::new(),
                released: Vec::new(),
                pulls: Vec::new(),
                flow_slopes: Vec::new(),
                stopped: None,
                kept_at: None,
                at_rest: false,
                ..self.state.clone()
            },
        }
    }

    /// Of some edges alone, which are counted from 0 then.
    #[must_use]
    pub fn stretch(&self, edges: &Range<usize>) -> Self {
        let inside = |f: &&FrictionContact| edges.contains(&(f.edge as usize));
        let shifted = |f: &FrictionContact| moved(f, -(edges.start as i64));
        let friction = self.state.friction.iter().filter(inside).map(shifted);
        self.with_friction(friction.collect())
    }

    /// Of this cable and, behind its `n_edges` edges, another.
    #[must_use]
    pub fn followed_by(&self, other: &Self, n_edges: usize) -> Self {
        let mut both = self.with_friction(self.state.friction.clone());
        let names = &mut both.parts;
        let number = |name: &String, names: &mut Vec<String>| {
            names.iter().position(|n| n == name).unwrap_or_else(|| {
                names.push(name.clone());
                names.len() - 1
            })
        };
        let numbers: Vec<usize> = other.parts.iter().map(|n| number(n, names)).collect();
        for f in &other.state.friction {
            let mut f = moved(f, n_edges as i64);
            let Some(&obstacle) = numbers.get(f.obstacle as usize) else {
                continue;
            };
            f.obstacle = obstacle as u32;
            both.state.friction.push(f);
        }
        let stiffness = &mut both.state.barrier_stiffness;
        *stiffness = stiffness.max(other.state.barrier_stiffness);
        both
    }

    /// Of the same cable of so many edges, running the other way.
    #[must_use]
    pub fn reversed(&self, n_edges: usize) -> Self {
        let n = n_edges as u32;
        let turned = |f: &FrictionContact| FrictionContact {
            edge: n.saturating_sub(1 + f.edge),
            s: 1.0 - f.s,
            place: match f.place {
                Place::Sample { number, triangle } => Place::Sample {
                    number: (2 * n).saturating_sub(number),
                    triangle,
                },
                crossing @ Place::Crossing { .. } => crossing,
            },
            ..*f
        };
        self.with_friction(self.state.friction.iter().map(turned).collect())
    }
}

/// A contact of an edge that has another number now.
fn moved(f: &FrictionContact, by: i64) -> FrictionContact {
    let shift = |number: u32, by: i64| u32::try_from(i64::from(number) + by).unwrap_or(0);
    FrictionContact {
        edge: shift(f.edge, by),
        place: match f.place {
            Place::Sample { number, triangle } => Place::Sample {
                number: shift(number, 2 * by),
                triangle,
            },
            crossing @ Place::Crossing { .. } => crossing,
        },
        ..*f
    }
}
