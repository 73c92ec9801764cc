//! Memory that a solver reuses. Nothing in it has a meaning from one step to the next but the state that
//! [`super::State`] keeps: contacts that stick, margins, the last shift, and where the Hessian was taken.

use std::sync::Arc;

use super::assemble::System;
use super::banded::Banded;
use super::condensed::Border;
use super::kept::{Block, Factors};
use super::layout;
use super::look_ahead::Ahead;
use super::obstacle_step::ObstacleStep;
use crate::contact::friction::FrictionContact;
use crate::contact::{Candidates, Contact, Sticky};
use crate::geom::{Aabb, Pose, Vec3};
use crate::rod::RodState;

/// Scratch memory.
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that do not exclude each other"
)]
#[derive(Clone)]
pub(super) struct Scratch {
    pub system: System,
    pub factors: Banded,
    /// What they have beside them when they are condensed onto the rod's ends.
    pub border: Border,
    /// What `factors` hold.
    pub holds: Factors,
    /// The Hessian that is kept, where it was taken, and whether it is in `system` already.
    pub block: Block,
    pub taken_at: Arc<RodState>,
    pub has_matrix: bool,
    /// Where it was when its forces were computed, and whether others added theirs since.
    pub forces_at: RodState,
    pub pressed: bool,
    /// Whether its forces are those of the last iterate.
    pub same_forces: bool,
    pub delta: Vec<f64>,
    pub motion: Vec<Vec3>,
    /// Boxes that its nodes sweep, while that is asked for; empty otherwise.
    pub swept: Vec<Aabb>,
    /// Where the grips are to be at the end of a chunk.
    pub goals: Vec<Goal>,
    /// Entries and values that the next solve is to have, and the motion of springs' anchors.
    pub prescribed: Vec<(usize, f64)>,
    pub anchor_motion: Vec<Vec3>,
    pub candidates: Candidates,
    pub trial: RodState,
    pub trial_contacts: Vec<Contact>,
    /// The fraction of `delta` that led to `trial` and `trial_contacts`; `None` when they are of another step.
    pub tried: Option<f64>,
    /// Whether `delta` is curved; the step as it was when straight, and while its next correction is sought.
    pub curved: bool,
    pub straight: Vec<f64>,
    pub uncorrected: Vec<f64>,
    /// What was accepted last, and which part of it goes on.
    pub last_step: Vec<f64>,
    pub momentum: f64,
    pub sticky: Sticky,
    /// What the step would run into, as if it were there already.
    pub ahead: Vec<Ahead>,
    pub next_friction: Vec<FrictionContact>,
    /// Shift of the matrix, over what bending resists with, and whether it was positive with it.
    pub shift: f64,
    /// The last one that was not zero.
    pub last_shift: f64,
    pub positive: bool,
    /// Largest diagonal entry of a node, N/mm.
    pub stiffest_node: f64,
    /// Stiffness of the stiffest contact with another rod, N/mm.
    pub stiffest_pair: f64,
    /// The moving body whose push is in the right-hand side.
    pub obstacle_step: Option<ObstacleStep>,
}

impl Scratch {
    /// For a rod at `state`.
    pub fn new(state: &RodState, candidates: Candidates) -> Self {
        let n = state.frames.len();
        let unknowns = layout::n_unknowns(n);
        Self {
            system: System::new(n),
            factors: Banded::zeros(unknowns),
            border: Border::default(),
            holds: Factors::Other,
            block: Block::None,
            taken_at: Arc::new(state.clone()),
            has_matrix: false,
            forces_at: state.clone(),
            pressed: true,
            same_forces: false,
            delta: vec![0.0; unknowns],
            motion: vec![Vec3::zeros(); n + 1],
            swept: Vec::new(),
            goals: Vec::new(),
            prescribed: Vec::new(),
            anchor_motion: Vec::new(),
            candidates,
            trial: state.clone(),
            trial_contacts: Vec::new(),
            tried: None,
            curved: false,
            straight: vec![0.0; unknowns],
            uncorrected: vec![0.0; unknowns],
            last_step: vec![0.0; unknowns],
            momentum: 0.0,
            sticky: Sticky::default(),
            ahead: Vec::new(),
            next_friction: Vec::new(),
            shift: 0.0,
            last_shift: 0.0,
            positive: false,
            stiffest_node: 0.0,
            stiffest_pair: 0.0,
            obstacle_step: None,
        }
    }
}

/// Where a grip is to be at the end of a chunk of its way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub pose: Pose,
    pub roll: f64,
}
