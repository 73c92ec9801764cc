//! What an edit is called in the list of what can be undone.

use super::Command;

impl Command {
    /// A few words for the user: "Move fixing end".
    pub fn title(&self) -> String {
        match self {
            Self::MoveHandle { handle, .. } => format!("Move fixing {handle}"),
            Self::AddHandle {
                name: Some(name),
                cable,
                ..
            } => format!("Add fixing {name} to {cable}"),
            Self::AddHandle { cable, .. } => format!("Add a fixing to {cable}"),
            Self::AddFixing(new) => format!("Add {} to {}", new.fixing.name(), new.cable),
            Self::ChangeHandle { handle, .. } => format!("Change fixing {handle}"),
            Self::ConfirmReference { handle, .. } => format!("Confirm fixing {handle}"),
            Self::DeleteHandle { handle, .. } => format!("Delete fixing {handle}"),
            Self::MoveJunction { junction, .. } => format!("Move junction {junction}"),
            Self::ChangeJunction {
                junction,
                free: Some(free),
                ..
            } => {
                let verb = if *free { "Free" } else { "Hold" };
                format!("{verb} junction {junction}")
            }
            Self::ChangeJunction { junction, .. } => format!("Change junction {junction}"),
            Self::HangBody { cable, .. } => format!("Hang a body on {cable}"),
            Self::SplitCable { cable, .. } => format!("Split {cable}"),
            Self::JoinEnds { cable, to, .. } => format!("Join {cable} to {to}"),
            Self::BranchOff { cable, onto, .. } => format!("Branch {cable} off {onto}"),
            Self::Detach { cable, .. } => format!("Detach {cable}"),
            Self::SlideJunction { junction, .. } => format!("Move {junction} along its trunk"),
            Self::ExtendCable { cable, end, .. } => {
                format!("Change length of {cable} at its {}", end.word())
            }
            Self::MergeCables { first, second } => format!("Merge {second} into {first}"),
            Self::ClipCables { places, .. } => format!("Clip {} cables together", places.len()),
            Self::SetLength { cable, .. } => format!("Change length of {cable}"),
            Self::FitLength { cable, .. } => format!("Fit length of {cable}"),
            Self::ZeroTwist { cable } => format!("Take the twist out of {cable}"),
            Self::SetSpanLength {
                cable, from, to, ..
            } => format!("Change length of {cable} from {from} to {to}"),
            Self::LockSpan {
                from, to, locked, ..
            } => {
                let verb = if *locked { "Keep" } else { "Release" };
                format!("{verb} length from {from} to {to}")
            }
            Self::RefineCable { cable } => format!("Refine {cable}"),
            Self::SetFreeLength {
                cable,
                straightness: Some(_),
            } => format!("Let {cable} find its length"),
            Self::SetFreeLength { cable, .. } => format!("Keep the length of {cable}"),
            Self::AddCable { cable } => format!("Add cable {}", cable.name),
            Self::AddJunction { junction } => format!("Add junction {}", junction.name),
            Self::AddHarness(harness) => match harness.source.as_str() {
                "" => "Add a harness".to_owned(),
                source => format!("Import {source}"),
            },
            Self::ChangeCable(change) => format!("Change {}", change.cable),
            Self::SetStretches { cable, stretches } if stretches.is_empty() => {
                format!("Give {cable} one diameter")
            }
            Self::SetStretches { cable, .. } => format!("Change diameters along {cable}"),
            Self::SetMaterial { cable, material } => format!("Make {cable} of {material}"),
            Self::Import { path, .. } => {
                let name = path.file_name().unwrap_or_default();
                format!("Import {}", name.to_string_lossy())
            }
            Self::ReplacePart { part, .. } => format!("Replace part {part}"),
            Self::UpdateParts { path, .. } => {
                let name = path.file_name().unwrap_or_default();
                format!("Update parts from {}", name.to_string_lossy())
            }
            Self::Duplicate {
                name,
                mirror: Some(_),
                ..
            } => format!("Mirror {name}"),
            Self::Duplicate { name, .. } => format!("Duplicate {name}"),
            Self::SetFinish { part, .. } => format!("Change finish of {part}"),
            Self::SetClearance { part, .. } => format!("Change required clearance of {part}"),
            Self::MovePart { part, .. } => format!("Move part {part}"),
            Self::ChangePart {
                part,
                visible: Some(visible),
                ..
            } => {
                let verb = if *visible { "Show" } else { "Hide" };
                format!("{verb} part {part}")
            }
            Self::ChangePart { part, .. } => format!("Change part {part}"),
            Self::CorrectCenterline { part, .. } => format!("Correct centerlines of {part}"),
            Self::ClearCorrections { part } => format!("Forget corrections of {part}"),
            Self::Flexibilise { part, with, .. } if !with.is_empty() => {
                format!("Make {part} and {} more flexible", with.len())
            }
            Self::Flexibilise { part, branches, .. } => match &branches[..] {
                [one] => format!("Make branch {} of {part} flexible", one + 1),
                _ => format!("Make {part} flexible"),
            },
            Self::Rigidify { cable } => format!("Make {cable} rigid"),
            Self::SetRestShare { cable, .. } => format!("Change unloaded shape of {cable}"),
            Self::Rename { from, to, .. } => format!("Rename {from} to {to}"),
            Self::Delete { kind, name } => format!("Delete {kind} {name}"),
            Self::SetFriction { .. } => "Change friction".to_owned(),
            Self::SetGravity { .. } => "Change gravity".to_owned(),
            Self::SetMargin { .. } => "Change clearance to parts".to_owned(),
            Self::SetRequiredClearances { .. } => "Change required clearances".to_owned(),
            Self::SetWire { wire } => format!("Change wire {}", wire.name),
            Self::SetSceneMaterial { material } => format!("Change material {}", material.name),
            Self::Exclude { exclusion, .. } => {
                format!(
                    "Ignore overlap of {} with {}",
                    exclusion.cable, exclusion.part
                )
            }
            Self::Include { cable, part } => format!("Let {cable} meet {part} again"),
            Self::ExcludeEntries => "Ignore overlaps at connectors".to_owned(),
            Self::Ghost { on: true } => "Switch collision detection off".to_owned(),
            Self::Ghost { on: false } => "Switch collision detection on".to_owned(),
            Self::Settle => "Solve without friction".to_owned(),
            Self::SaveView { view } => format!("Keep view {}", view.name),
            Self::SaveMeasurement { measurement } => {
                format!("Keep measurement {}", measurement.name)
            }
        }
    }
}
