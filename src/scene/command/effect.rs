//! What an edit touches, and which edits a newer one makes void: for those who carry the edit on.

use super::{Command, Kind};
use crate::scene::Scene;

/// What an edit touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect<'a> {
    /// What the solvers must do about it.
    pub solver: SolverEffect,
    /// Whether a cable may run through a part after it that it did not run through before.
    pub contact: bool,
    /// Whether more is drawn differently than the shapes of cables.
    pub view: bool,
    /// What is sent somewhere, and may push cables on its way.
    pub sends: Option<Sent<'a>>,
}

/// What the solvers must do about an edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolverEffect {
    /// Nothing: it changes neither where cables are nor what they meet.
    None,
    /// Follow it: targets, lengths and loads.
    Follow,
    /// Be made anew.
    Rebuild,
}

/// Something that is sent somewhere, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent<'a> {
    /// A part.
    Part(&'a str),
    /// A junction.
    Junction(&'a str),
    /// The handle of a cable.
    Handle {
        /// Name of the cable.
        cable: &'a str,
        /// Name of the handle.
        handle: &'a str,
    },
}

impl<'a> Sent<'a> {
    /// Name of the part that goes along: the part itself, or what the junction carries.
    pub fn part(self, scene: &'a Scene) -> Option<&'a str> {
        let mut junctions = scene.junctions.iter();
        let junction = match self {
            Self::Part(part) => return Some(part),
            Self::Junction(name) => junctions.find(|j| j.name == name),
            Self::Handle { cable, handle } => junctions.find(|j| j.holds(cable, handle)),
        };
        junction?.carries.first().map(String::as_str)
    }
}

impl Effect<'_> {
    /// Only what is kept beside the geometry.
    const NOTED: Self = Self {
        solver: SolverEffect::None,
        contact: false,
        view: true,
        sends: None,
    };
    /// A number that solvers follow and that nothing but cables shows.
    const FOLLOWED: Self = Self {
        solver: SolverEffect::Follow,
        view: false,
        ..Self::NOTED
    };
    /// What there is has changed, but not what cables may run through.
    const REBUILT: Self = Self {
        solver: SolverEffect::Rebuild,
        ..Self::NOTED
    };
    /// Cables and parts may have come together.
    const TOGETHER: Self = Self {
        contact: true,
        ..Self::REBUILT
    };

    fn rebuilt_if(rebuilds: bool) -> Self {
        if rebuilds { Self::REBUILT } else { Self::NOTED }
    }
}

impl Command {
    /// What the edit touches.
    pub fn effect(&self) -> Effect<'_> {
        match self {
            Self::MoveHandle { cable, handle, .. } => Effect {
                sends: Some(Sent::Handle { cable, handle }),
                ..Effect::FOLLOWED
            },
            Self::MoveJunction { junction, .. } => Effect {
                sends: Some(Sent::Junction(junction)),
                ..Effect::FOLLOWED
            },
            Self::MovePart { part, .. } => Effect {
                sends: Some(Sent::Part(part)),
                ..Effect::TOGETHER
            },
            Self::SetLength { .. }
            | Self::SetFriction { .. }
            | Self::SetGravity { .. }
            | Self::Settle => Effect::FOLLOWED,
            Self::Ghost { on } => Effect {
                contact: !on,
                ..Effect::FOLLOWED
            },
            // They move handles along the cable.
            Self::SetSpanLength { .. } | Self::ExtendCable { .. } | Self::LockSpan { .. } => {
                Effect {
                    view: true,
                    ..Effect::FOLLOWED
                }
            }
            Self::AddHandle { .. }
            | Self::AddJunction { .. }
            | Self::ChangeHandle { .. }
            | Self::DeleteHandle { .. }
            | Self::RefineCable { .. }
            | Self::SplitCable { .. }
            | Self::JoinEnds { .. }
            | Self::BranchOff { .. }
            | Self::Detach { .. }
            | Self::SlideJunction { .. }
            | Self::MergeCables { .. }
            | Self::ClipCables { .. }
            | Self::SetFreeLength { .. }
            | Self::FitLength { .. }
            | Self::ZeroTwist { .. }
            | Self::SetStretches { .. }
            | Self::SetMaterial { .. }
            | Self::Rigidify { .. }
            | Self::SetRestShare { .. }
            | Self::SetMargin { .. }
            | Self::Exclude { .. }
            | Self::Include { .. }
            | Self::ExcludeEntries
            | Self::ChangeJunction { .. }
            | Self::HangBody { .. } => Effect::REBUILT,
            Self::AddCable { .. }
            | Self::AddHarness(_)
            | Self::AddFixing(_)
            | Self::Import { .. }
            | Self::ReplacePart { .. }
            | Self::UpdateParts { .. }
            | Self::Flexibilise { .. }
            | Self::Duplicate { .. }
            | Self::ChangePart { role: Some(_), .. } => Effect::TOGETHER,
            Self::ChangePart { margin, .. } => Effect::rebuilt_if(margin.is_some()),
            Self::ChangeCable(change) => Effect::rebuilt_if(change.concerns_solver()),
            Self::Rename { kind, .. } | Self::Delete { kind, .. } => Effect::rebuilt_if(!matches!(
                kind,
                Kind::View | Kind::Measurement | Kind::Material
            )),
            Self::SaveView { .. }
            | Self::SaveMeasurement { .. }
            | Self::SetWire { .. }
            | Self::ConfirmReference { .. }
            | Self::SetFinish { .. }
            | Self::SetClearance { .. }
            | Self::SetRequiredClearances { .. }
            | Self::SetSceneMaterial { .. }
            | Self::CorrectCenterline { .. }
            | Self::ClearCorrections { .. } => Effect::NOTED,
        }
    }

    /// Takes over what a newer edit asks of the same thing, so that nothing is left to do for the newer one; says
    /// whether it could. Of many targets on one way only the last counts.
    #[must_use]
    pub fn merge(&mut self, newer: &Self) -> bool {
        let sent = self.effect().sends;
        if sent.is_none() || sent != newer.effect().sends {
            return false;
        }
        let mut newer = newer.clone();
        let (Some((position, rotation)), Some((p, r))) = (self.target_mut(), newer.target_mut())
        else {
            return false;
        };
        *position = p.or(*position);
        *rotation = r.or(*rotation);
        true
    }

    /// Whether it makes no difference which of the two comes first, as far as can be said without the scene.
    ///
    /// A new handle may have the name of one that was deleted, and a part takes its handles along.
    pub fn commutes_with(&self, other: &Self) -> bool {
        let rebuilds = |command: &Self| command.effect().solver == SolverEffect::Rebuild;
        !rebuilds(self) && !rebuilds(other)
    }

    /// Where something is sent, as far as it is given.
    #[expect(
        clippy::type_complexity,
        reason = "the fields as they are in the commands"
    )]
    fn target_mut(&mut self) -> Option<(&mut Option<[f64; 3]>, &mut Option<[f64; 4]>)> {
        match self {
            Self::MoveHandle {
                position, rotation, ..
            }
            | Self::MoveJunction {
                position, rotation, ..
            }
            | Self::MovePart {
                position, rotation, ..
            } => Some((position, rotation)),
            Self::AddHandle { .. }
            | Self::AddFixing(_)
            | Self::ChangeHandle { .. }
            | Self::DeleteHandle { .. }
            | Self::ConfirmReference { .. }
            | Self::ChangeJunction { .. }
            | Self::HangBody { .. }
            | Self::SetLength { .. }
            | Self::FitLength { .. }
            | Self::ZeroTwist { .. }
            | Self::SetSpanLength { .. }
            | Self::LockSpan { .. }
            | Self::RefineCable { .. }
            | Self::SplitCable { .. }
            | Self::JoinEnds { .. }
            | Self::BranchOff { .. }
            | Self::Detach { .. }
            | Self::SlideJunction { .. }
            | Self::ExtendCable { .. }
            | Self::MergeCables { .. }
            | Self::ClipCables { .. }
            | Self::SetFreeLength { .. }
            | Self::AddCable { .. }
            | Self::AddJunction { .. }
            | Self::AddHarness(_)
            | Self::ChangeCable(_)
            | Self::SetStretches { .. }
            | Self::SetMaterial { .. }
            | Self::Import { .. }
            | Self::ReplacePart { .. }
            | Self::UpdateParts { .. }
            | Self::SetFinish { .. }
            | Self::SetClearance { .. }
            | Self::SetRequiredClearances { .. }
            | Self::SetWire { .. }
            | Self::ChangePart { .. }
            | Self::CorrectCenterline { .. }
            | Self::ClearCorrections { .. }
            | Self::Flexibilise { .. }
            | Self::Rigidify { .. }
            | Self::SetRestShare { .. }
            | Self::Rename { .. }
            | Self::Duplicate { .. }
            | Self::Delete { .. }
            | Self::SetFriction { .. }
            | Self::SetGravity { .. }
            | Self::SetMargin { .. }
            | Self::SetSceneMaterial { .. }
            | Self::Exclude { .. }
            | Self::Include { .. }
            | Self::ExcludeEntries
            | Self::Ghost { .. }
            | Self::Settle
            | Self::SaveView { .. }
            | Self::SaveMeasurement { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(part: &str, x: f64) -> Command {
        Command::MovePart {
            part: part.to_owned(),
            position: Some([x, 0.0, 0.0]),
            rotation: None,
        }
    }

    #[test]
    fn only_targets_of_the_same_thing_merge() {
        let mut older = moved("block", 1.0);
        assert!(older.merge(&moved("block", 2.0)));
        assert_eq!(older, moved("block", 2.0));
        assert!(!older.merge(&moved("plate", 3.0)));
        let friction = Command::SetFriction { friction: 0.1 };
        assert!(!older.merge(&friction) && !friction.clone().merge(&friction));
        assert_eq!(older, moved("block", 2.0));
    }

    #[test]
    fn a_target_does_not_go_past_what_makes_or_removes_its_handle() {
        let target = Command::MoveHandle {
            cable: "cable".to_owned(),
            handle: "end".to_owned(),
            position: Some([1.0, 0.0, 0.0]),
            rotation: None,
        };
        let delete = Command::DeleteHandle {
            cable: "cable".to_owned(),
            handle: "end".to_owned(),
        };
        let length = Command::SetLength {
            cable: "cable".to_owned(),
            length: 1.0,
        };
        assert!(!target.commutes_with(&delete) && !target.commutes_with(&moved("block", 1.0)));
        assert!(target.commutes_with(&length) && target.commutes_with(&target));
    }
}
