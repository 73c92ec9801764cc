//! Copy and paste of cables, parts and fixings.

use super::LoomApp;
use super::editing::{beside, copied_kind};
use crate::app::panels::messages::Level;
use crate::app::panels::shortcuts::COPIED;
use crate::app::selection::Thing;
use crate::scene::{Cable, Command, HandleKind, HandlePlace, Kind, Scene};

/// A pasted fixing comes so far behind the one it is a copy of, as a share of its cable, and keeps half of that from
/// others.
const BEHIND: f64 = 0.1;

/// What was copied, and how often it was pasted.
#[derive(Default)]
pub(super) struct Copied {
    things: Vec<CopiedThing>,
    beside: f64,
    times: u32,
}

enum CopiedThing {
    /// A cable or a part, by its name.
    Named(Kind, String),
    /// A fixing: where it was, and what it holds.
    Fixing {
        cable: String,
        at: f64,
        kind: HandleKind,
    },
}

impl LoomApp {
    /// Remembers what is selected.
    pub(super) fn copy_selected(&mut self, ctx: &egui::Context) {
        let scene = self.document.scene();
        let selected = self.view.selection.things();
        let things: Vec<_> = selected.iter().filter_map(|t| copied(scene, *t)).collect();
        if things.is_empty() {
            return;
        }
        let names = selected.iter().filter_map(|t| t.description(scene));
        ctx.copy_text(format!("{COPIED}{}", names.collect::<Vec<_>>().join(", ")));
        self.copied = Copied {
            things,
            beside: beside(scene, selected),
            times: 0,
        };
    }

    /// Adds what was copied: cables and parts beside the last ones, fixings to the cable under the cursor or the selected
    /// one.
    pub(super) fn paste(&mut self, ctx: &egui::Context) {
        if self.copied.things.is_empty() {
            let words = "Nothing is copied yet: select cables, parts or fixings and press Ctrl+C.";
            self.messages.push(Level::Error, words.to_owned());
            return;
        }
        self.copied.times += 1;
        let scene = self.document.scene();
        let pointed = self.view.pointed(&self.document);
        let by = [f64::from(self.copied.times) * self.copied.beside, 0.0, 0.0];
        let paste = |thing: &CopiedThing| match thing {
            CopiedThing::Named(kind, name) => Some(Command::Duplicate {
                kind: *kind,
                name: name.clone(),
                by,
                mirror: None,
            }),
            CopiedThing::Fixing { cable, at, kind } => {
                let own = || scene.cables.iter().position(|c| c.name == *cable);
                let selected = || self.view.selection.cable();
                let (k, s) = match pointed {
                    Some((k, s)) => (k, s),
                    None => (selected().or_else(own)?, *at),
                };
                let onto = scene.cables.get(k)?;
                let s = if pointed.is_some() {
                    s
                } else {
                    free_place(onto, s)
                };
                Some(Command::AddHandle {
                    cable: onto.name.clone(),
                    name: None,
                    place: HandlePlace::At(s),
                    kind: *kind,
                    pose: None,
                })
            }
        };
        let commands: Vec<_> = self.copied.things.iter().filter_map(paste).collect();
        self.edit_all(&commands, ctx);
    }
}

fn copied(scene: &Scene, thing: Thing) -> Option<CopiedThing> {
    if let Thing::Handle(id) = thing {
        let cable = scene.cables.get(id.cable)?;
        let handle = cable.handles.get(id.handle)?;
        return Some(CopiedThing::Fixing {
            cable: cable.name.clone(),
            at: cable.arc_length(handle),
            kind: handle.kind,
        });
    }
    let name = thing.name(scene)?.to_owned();
    Some(CopiedThing::Named(copied_kind(thing)?, name))
}

/// The first place from `at` on that no fixing is near, or behind the last one; from the start again at the end.
fn free_place(cable: &Cable, at: f64) -> f64 {
    let step = BEHIND * cable.length;
    let is_free = |s: f64| {
        let mut taken = cable.handles.iter().map(|h| cable.arc_length(h));
        taken.all(|t| (t - s).abs() >= 0.5 * step)
    };
    let steps = (1.0 / BEHIND) as u32 * 2;
    let place = |k: u32| (at + 0.5 * step * f64::from(k)).rem_euclid(cable.length);
    (0..steps)
        .map(place)
        .find(|s| is_free(*s))
        .unwrap_or(0.5 * cable.length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pasted_fixing_keeps_off_the_others() {
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let cable = scene.cables[0].name.clone();
        for _ in 0..6 {
            let onto = &scene.cables[0];
            let place = HandlePlace::At(free_place(onto, onto.length));
            let add = Command::AddHandle {
                cable: cable.clone(),
                name: None,
                place,
                kind: HandleKind::Full,
                pose: None,
            };
            add.apply(&mut scene).unwrap();
        }
        let cable = &scene.cables[0];
        let mut at: Vec<f64> = cable.handles.iter().map(|h| cable.arc_length(h)).collect();
        at.sort_by(f64::total_cmp);
        let nearest = at
            .windows(2)
            .map(|w| w[1] - w[0])
            .fold(f64::INFINITY, f64::min);
        // A fixing is put in the middle of an edge.
        let edge = cable.length / cable.n_edges as f64;
        assert!(nearest >= 0.5 * BEHIND * cable.length - edge, "{at:?}");
    }
}
