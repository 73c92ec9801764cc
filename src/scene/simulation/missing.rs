//! What a cable lacks that holds a part: the length with which the part comes where it was sent.

use super::Simulation;
use super::push::HeldPart;
use crate::scene::Command;
use crate::solve::{CancelToken, Status};

/// Lengths that are tried, at most.
const TRIES: usize = 16;
/// How exactly the length is found: mm, or this share of it, whichever is more.
const EXACTLY: (f64, f64) = (0.5, 0.02);
/// More than so many times its own length is not worth trying.
const FAR_TOO_SHORT: f64 = 3.0;
/// A length that brings the part less than this share nearer does not help it.
const HELPS: f64 = 0.02;

/// What became of a part that was sent on with a longer cable.
enum Trial {
    /// It came where it was sent, and all is like this.
    Arrives(Box<Simulation>),
    /// It came there, with the cable stretched by that share of its length: it is still too short.
    Taut(f64),
    /// It is still held.
    Held(HeldPart),
    /// The length cannot be changed, or somebody stopped it.
    Failed,
}

impl Simulation {
    /// How much longer, mm, the cable must be that holds a part, so that the part comes where it was sent and the cable is
    /// not taut there. Found by trying, on a copy; a little more than it must be.
    ///
    /// `None` where length does not help or is locked, and as soon as `stop` says so.
    pub fn missing_length(&self, held: &HeldPart, stop: &dyn Fn() -> bool) -> Option<f64> {
        let length = self.scene.cable(held.cable.as_deref()?)?.length;
        let reach = self.scene.part(&held.part)?.mesh().aabb();
        let reach = 0.5 * (reach.max - reach.min).norm();
        let short_of = |held: &HeldPart| held.short_by + reach * held.short_by_angle;
        let (mut low, mut high) = (0.0, None);
        let mut short = short_of(held);
        let mut next = short;
        let mut in_vain = 0;
        for _ in 0..TRIES {
            let mut guess = None;
            match self.with_longer(held, length + next, stop) {
                Trial::Failed => return None,
                Trial::Arrives(there) => {
                    // With a length at which the cable is taut there the part does not come there.
                    if high.is_none() {
                        let known = there.taut_below(held, length, [low, next], stop);
                        (low, guess) = (known[0], Some(known[1]));
                    }
                    high = Some(next);
                }
                Trial::Taut(strain) => {
                    low = next;
                    next += (strain * (length + next)).max(EXACTLY.0);
                }
                Trial::Held(still) => {
                    let still = short_of(&still);
                    let gain = short - still;
                    in_vain = if gain < HELPS * short { in_vain + 1 } else { 0 };
                    if in_vain > 1 && high.is_none() {
                        return None;
                    }
                    let slope = (next - low) / gain.max(HELPS * short);
                    (low, short) = (next, still);
                    next += (1.05 * slope * still).max(EXACTLY.0);
                }
            }
            if let Some(high) = high {
                if high - low <= exactly(high) {
                    break;
                }
                next = guess.unwrap_or(0.5 * (low + high));
            } else if next > FAR_TOO_SHORT * length {
                return None;
            }
        }
        high
    }

    /// Where a part has come to its target with the cable longer by the larger of two lengths: narrows them down to one at
    /// which the cable is taut there and one at which it is not.
    fn taut_below(
        mut self,
        held: &HeldPart,
        length: f64,
        [mut low, mut high]: [f64; 2],
        stop: &dyn Fn() -> bool,
    ) -> [f64; 2] {
        let name = held.cable.clone().unwrap_or_default();
        let Some(number) = self.scene.cables.iter().position(|c| c.name == name) else {
            return [low, high];
        };
        for _ in 0..TRIES {
            if high - low <= 0.5 * exactly(high) || stop() {
                break;
            }
            let middle = 0.5 * (low + high);
            let before = self.clone();
            let shorter = Command::SetLength {
                cable: name.clone(),
                length: length + middle,
            };
            let reports = match self.apply(&shorter) {
                Ok(()) => self.solve_quietly(&CancelToken::default()),
                Err(_) => break,
            };
            let lost = reports
                .iter()
                .any(|r| r.report.status == Status::NotConverged);
            if lost || reports[number].report.is_taut() {
                low = middle;
                self = before;
            } else {
                high = middle;
            }
        }
        [low, high]
    }

    /// Sends the part on with a cable of that length.
    fn with_longer(&self, held: &HeldPart, length: f64, stop: &dyn Fn() -> bool) -> Trial {
        let Some(cable) = held.cable.clone() else {
            return Trial::Failed;
        };
        let mut trial = self.clone();
        let token = CancelToken::default();
        let q = held.target.rotation.quaternion();
        let longer = Command::SetLength { cable, length };
        let on = Command::MovePart {
            part: held.part.clone(),
            position: Some(held.target.position.into()),
            rotation: Some([q.w, q.i, q.j, q.k]),
        };
        let mut strain = 0.0;
        for command in [longer, on] {
            if trial.apply(&command).is_err() {
                return Trial::Failed;
            }
            let reports = trial.solve(&token, &mut |_, _| {
                if stop() {
                    token.cancel();
                }
            });
            let own = reports
                .iter()
                .find(|r| Some(&r.cable) == held.cable.as_ref());
            let taut = own.filter(|r| r.report.is_taut());
            strain = taut.map_or(0.0, |r| r.report.largest_strain);
            if token.is_cancelled() || stop() {
                return Trial::Failed;
            }
        }
        let still = trial.held_parts.iter().find(|h| h.part == held.part);
        match still.cloned() {
            Some(held) => Trial::Held(held),
            None if strain > 0.0 => Trial::Taut(strain),
            None => Trial::Arrives(Box::new(trial)),
        }
    }
}

/// How exactly a length is found, mm.
fn exactly(length: f64) -> f64 {
    EXACTLY.0.max(EXACTLY.1 * length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;

    /// The cable of the demo pulled nearly straight, and the box sent up through it.
    fn held() -> (Simulation, HeldPart) {
        let mut simulation = Simulation::new(demo("box").unwrap()).unwrap();
        let cancel = CancelToken::default();
        let apart = Command::MoveHandle {
            cable: "cable".to_owned(),
            handle: "end".to_owned(),
            position: Some([980.0, 0.0, 400.0]),
            rotation: None,
        };
        simulation.apply(&apart).unwrap();
        simulation.solve_quietly(&cancel);
        let up = Command::MovePart {
            part: "box".to_owned(),
            position: Some([0.0, 0.0, 450.0]),
            rotation: None,
        };
        simulation.apply(&up).unwrap();
        simulation.solve_quietly(&cancel);
        let [held] = simulation.held_parts() else {
            panic!("{:?}", simulation.held_parts());
        };
        let held = held.clone();
        (simulation, held)
    }

    #[test]
    fn with_the_missing_length_the_part_arrives_and_with_less_it_does_not() {
        let (mut simulation, held) = held();
        let missing = simulation.missing_length(&held, &|| false).unwrap();
        // Over the box's two upper edges, 100 mm apart, the straight way is this long.
        let height = 100.0 + 450.0 - 400.0_f64;
        let straight = 350.0_f64.hypot(height) + 100.0 + 530.0_f64.hypot(height);
        // Taut it is stretched by half a percent.
        let least = straight - 1000.0;
        assert!(
            missing > least - 8.0 && missing < least + 20.0,
            "{missing} mm, the straight way lacks {least} mm"
        );
        let arrives = |length: f64| {
            let tried = simulation.with_longer(&held, 1000.0 + length, &|| false);
            matches!(tried, Trial::Arrives(_))
        };
        assert!(arrives(missing));
        assert!(!arrives(0.9 * missing - 2.0));
        // Both edits at once, as the window sends them.
        let q = held.target.rotation.quaternion();
        let longer = Command::SetLength {
            cable: "cable".to_owned(),
            length: 1000.0 + missing.ceil(),
        };
        let on = Command::MovePart {
            part: "box".to_owned(),
            position: Some(held.target.position.into()),
            rotation: Some([q.w, q.i, q.j, q.k]),
        };
        simulation.apply(&longer).unwrap();
        simulation.apply(&on).unwrap();
        let reports = simulation.solve_quietly(&CancelToken::default());
        assert_eq!(simulation.held_parts(), []);
        // Nor is it taut there: the next thing that the user saw was a warning.
        assert!(!reports[0].report.is_taut());
        assert_eq!(simulation.part_poses()[0], held.target);
    }

    #[test]
    fn a_locked_length_and_a_stop_give_nothing() {
        let (mut simulation, held) = held();
        assert_eq!(simulation.missing_length(&held, &|| true), None);
        simulation.scene.cables[0].length_locked = true;
        assert_eq!(simulation.missing_length(&held, &|| false), None);
    }
}
