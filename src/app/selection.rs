//! The things of a scene that can be pointed at, and those that are selected.

use crate::geom::{Aabb, Pose, Vec3};
use crate::scene::{CableChange, Command, Kind, Scene};

/// One handle of one cable, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HandleId {
    /// Number of the cable in the scene.
    pub cable: usize,
    /// Number of the handle in the cable.
    pub handle: usize,
}

/// Something in the scene that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A handle of a cable.
    Handle(HandleId),
    /// The junction of that number.
    Junction(usize),
    /// The cable of that number.
    Cable(usize),
    /// The part of that number.
    Part(usize),
    /// The harness of that number: its branches, junctions and connectors as one.
    Harness(usize),
}

/// A place that was clicked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pick {
    /// What is there.
    pub thing: Thing,
    /// Where, mm.
    pub point: Vec3,
    /// Of a part: the direction of its surface, towards the viewer.
    pub normal: Option<Vec3>,
    /// Of a cable: arc length of the unstretched cable from its start, mm.
    pub arc_length: Option<f64>,
    /// Ctrl was down.
    pub adds: bool,
}

impl Thing {
    /// Its own name; `None` if the scene has no such thing.
    pub fn name(self, scene: &Scene) -> Option<&str> {
        match self {
            Self::Handle(id) => Some(&scene.cables.get(id.cable)?.handles.get(id.handle)?.name),
            Self::Junction(k) => Some(&scene.junctions.get(k)?.name),
            Self::Cable(k) => Some(&scene.cables.get(k)?.name),
            Self::Part(k) => Some(&scene.parts.get(k)?.name),
            Self::Harness(k) => Some(&scene.harnesses.get(k)?.name),
        }
    }

    /// What it is, in words for the status line.
    pub fn description(self, scene: &Scene) -> Option<String> {
        let name = self.name(scene)?;
        Some(match self {
            Self::Handle(id) => format!("fixing {name} of cable {}", scene.cables[id.cable].name),
            Self::Junction(_) => format!("junction {name}"),
            Self::Cable(k) => {
                let diameter = 2.0 * scene.cables[k].radius;
                format!("cable {name}, diameter {diameter:.1} mm")
            }
            Self::Part(_) => format!("part {name}"),
            Self::Harness(k) => match scene.harnesses[k].segments.len() {
                1 => format!("harness {name}, 1 branch"),
                n => format!("harness {name}, {n} branches"),
            },
        })
    }

    /// Whether it is drawn.
    pub fn is_visible(self, scene: &Scene) -> bool {
        match self {
            Self::Handle(id) => scene.cables.get(id.cable).is_some_and(|c| c.visible),
            Self::Junction(k) => scene.junctions.get(k).is_some_and(|j| {
                let cables = j.ends.iter().filter_map(|end| scene.cable(&end.cable));
                cables.into_iter().any(|c| c.visible)
            }),
            Self::Cable(k) => scene.cables.get(k).is_some_and(|c| c.visible),
            Self::Part(k) => scene.parts.get(k).is_some_and(|p| p.visible),
            Self::Harness(k) => {
                let mut own = scene.harness_members(k).cables.into_iter();
                own.any(|k| scene.cables[k].visible)
            }
        }
    }

    /// The command that shows or hides it; handles and junctions go with their cables.
    pub fn show_command(self, scene: &Scene, visible: bool) -> Option<Command> {
        match self {
            Self::Cable(k) => Some(
                CableChange {
                    visible: Some(visible),
                    ..CableChange::of(&scene.cables.get(k)?.name)
                }
                .into(),
            ),
            Self::Part(k) => Some(Command::ChangePart {
                part: scene.parts.get(k)?.name.clone(),
                visible: Some(visible),
                role: None,
                color: None,
                margin: None,
                group: None,
            }),
            Self::Handle(_) | Self::Junction(_) | Self::Harness(_) => None,
        }
    }

    /// The commands that show or hide it, with all that belongs to it.
    pub fn show_commands(self, scene: &Scene, visible: bool) -> Vec<Command> {
        let Self::Harness(k) = self else {
            return self.show_command(scene, visible).into_iter().collect();
        };
        let members = scene.harness_members(k);
        let cables = members.cables.into_iter().map(Self::Cable);
        let all = cables.chain(members.connectors.into_iter().map(Self::Part));
        all.filter_map(|thing| thing.show_command(scene, visible))
            .collect()
    }

    /// The command that removes it.
    pub fn delete_command(self, scene: &Scene) -> Option<Command> {
        let name = self.name(scene)?.to_owned();
        let kind = match self {
            Self::Handle(id) => {
                return Some(Command::DeleteHandle {
                    cable: scene.cables[id.cable].name.clone(),
                    handle: name,
                });
            }
            Self::Junction(_) => Kind::Junction,
            Self::Cable(_) => Kind::Cable,
            Self::Part(_) => Kind::Part,
            // Its branches are deleted one by one.
            Self::Harness(_) => return None,
        };
        Some(Command::Delete { kind, name })
    }

    /// The command that gives it another name.
    pub fn rename_command(self, scene: &Scene, to: &str) -> Option<Command> {
        let (from, to) = (self.name(scene)?.to_owned(), to.trim().to_owned());
        let kind = match self {
            Self::Handle(id) => {
                return Some(Command::ChangeHandle {
                    cable: scene.cables[id.cable].name.clone(),
                    handle: from,
                    name: Some(to),
                    place: None,
                    kind: None,
                    turns: None,
                    attached_to: None,
                    pose: None,
                });
            }
            Self::Junction(_) => Kind::Junction,
            Self::Cable(_) => Kind::Cable,
            Self::Part(_) => Kind::Part,
            Self::Harness(_) => Kind::Harness,
        };
        Some(Command::Rename { kind, from, to })
    }

    /// The command that puts it somewhere else; `position` and `rotation` say what of `pose` is meant.
    ///
    /// `None` for a cable, which goes where its handles are.
    pub fn move_command(
        self,
        scene: &Scene,
        pose: &Pose,
        position: bool,
        rotation: bool,
    ) -> Option<Command> {
        let name = self.name(scene)?.to_owned();
        let q = pose.rotation.quaternion();
        let position = position.then(|| pose.position.into());
        let rotation = rotation.then_some([q.w, q.i, q.j, q.k]);
        match self {
            Self::Handle(id) => Some(Command::MoveHandle {
                cable: scene.cables[id.cable].name.clone(),
                handle: name,
                position,
                rotation,
            }),
            Self::Junction(_) => Some(Command::MoveJunction {
                junction: name,
                position,
                rotation,
            }),
            Self::Part(_) => Some(Command::MovePart {
                part: name,
                position,
                rotation,
            }),
            Self::Cable(_) | Self::Harness(_) => None,
        }
    }

    /// The box around it, as the document has it.
    pub fn aabb(self, scene: &Scene) -> Aabb {
        match self {
            Self::Part(k) => (scene.parts.get(k)).map_or_else(Aabb::empty, |p| p.mesh().aabb()),
            Self::Cable(k) => {
                let shape = scene.cables.get(k).and_then(|c| c.shape.as_ref());
                shape.map_or_else(Aabb::empty, |s| Aabb::of_points(&s.points))
            }
            Self::Handle(id) => {
                let cable = scene.cables.get(id.cable);
                let handle = cable.and_then(|c| Some((c, c.handles.get(id.handle)?)));
                handle.map_or_else(Aabb::empty, |(cable, handle)| {
                    Aabb::of_points([&handle.pose.position]).inflated(10.0 * cable.radius)
                })
            }
            Self::Harness(k) => {
                let mut all = Aabb::empty();
                for cable in scene.harness_members(k).cables {
                    all.merge(&Self::Cable(cable).aabb(scene));
                }
                all
            }
            Self::Junction(k) => (scene.junctions.get(k)).map_or_else(Aabb::empty, |j| {
                Aabb::of_points([&j.pose.position]).inflated(50.0)
            }),
        }
    }
}

/// What is selected, in the order it was chosen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Selection(Vec<Thing>);

impl Selection {
    /// All of it.
    pub fn things(&self) -> &[Thing] {
        &self.0
    }

    /// Whether it is among them.
    pub fn contains(&self, thing: Thing) -> bool {
        self.0.contains(&thing)
    }

    /// The last one chosen.
    pub fn last(&self) -> Option<Thing> {
        self.0.last().copied()
    }

    /// Whether nothing is selected.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether something of it can be hidden: handles and junctions go with their cables.
    pub fn can_hide(&self) -> bool {
        let mut things = self.0.iter();
        things.any(|t| matches!(t, Thing::Cable(_) | Thing::Part(_) | Thing::Harness(_)))
    }

    /// The cable that is selected, itself or by one of its handles.
    pub fn cable(&self) -> Option<usize> {
        self.0.iter().rev().find_map(|thing| match thing {
            Thing::Handle(id) => Some(id.cable),
            Thing::Cable(k) => Some(*k),
            Thing::Junction(_) | Thing::Part(_) | Thing::Harness(_) => None,
        })
    }

    /// Selects these and nothing else.
    pub fn set(&mut self, things: Vec<Thing>) {
        self.0 = things;
    }

    /// Adds it, or takes it out.
    pub fn toggle(&mut self, thing: Thing) {
        if self.contains(thing) {
            self.0.retain(|t| *t != thing);
        } else {
            self.0.push(thing);
        }
    }

    /// The scene was changed or exchanged: what is selected is found again by its name, or by its number where only
    /// the name was changed; what is gone is no longer selected.
    pub fn follow(&mut self, before: &Scene, now: &Scene) {
        let found = self.0.iter().filter_map(|thing| again(*thing, before, now));
        self.0 = found.collect();
    }
}

fn again(thing: Thing, before: &Scene, now: &Scene) -> Option<Thing> {
    let name = thing.name(before)?;
    if thing.name(now) == Some(name) && cable_of(thing, before) == cable_of(thing, now) {
        return Some(thing);
    }
    let place = |all: &mut dyn Iterator<Item = &str>| {
        let mut all = all;
        Iterator::position(&mut all, |n| n == name)
    };
    let kept = |old: usize, new: usize| (old == new).then_some(thing);
    match thing {
        Thing::Handle(id) => {
            let again = again(Thing::Cable(id.cable), before, now)?;
            let Thing::Cable(cable) = again else {
                return None;
            };
            let (old, new) = (&before.cables[id.cable].handles, &now.cables[cable].handles);
            let handle = place(&mut new.iter().map(|h| h.name.as_str()))
                .or((old.len() == new.len()).then_some(id.handle))?;
            Some(Thing::Handle(HandleId { cable, handle }))
        }
        Thing::Junction(_) => place(&mut now.junctions.iter().map(|x| x.name.as_str()))
            .map(Thing::Junction)
            .or(kept(before.junctions.len(), now.junctions.len())),
        Thing::Cable(_) => place(&mut now.cables.iter().map(|x| x.name.as_str()))
            .map(Thing::Cable)
            .or(kept(before.cables.len(), now.cables.len())),
        Thing::Part(_) => place(&mut now.parts.iter().map(|x| x.name.as_str()))
            .map(Thing::Part)
            .or(kept(before.parts.len(), now.parts.len())),
        Thing::Harness(_) => place(&mut now.harnesses.iter().map(|x| x.name.as_str()))
            .map(Thing::Harness)
            .or(kept(before.harnesses.len(), now.harnesses.len())),
    }
}

/// The cable that a handle belongs to.
fn cable_of(thing: Thing, scene: &Scene) -> Option<&str> {
    match thing {
        Thing::Handle(id) => Some(&scene.cables.get(id.cable)?.name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn demo() -> Scene {
        crate::scene::demo::demo("drag").unwrap()
    }

    #[test]
    fn everything_in_the_demo_has_a_description() {
        let scene = demo();
        let handle = |cable| Thing::Handle(HandleId { cable, handle: 1 });
        for (thing, words) in [
            (handle(0), Some("fixing end of cable cable")),
            (Thing::Cable(0), Some("cable cable, diameter 8.0 mm")),
            (Thing::Part(1), Some("part sheet")),
            (Thing::Part(9), None),
            (handle(1), None),
        ] {
            assert_eq!(thing.description(&scene).as_deref(), words);
        }
    }

    #[test]
    fn a_selection_follows_names_through_deletes_and_numbers_through_renames() {
        let before = demo();
        let mut now = before.clone();
        let first = Thing::Part(0).delete_command(&before).unwrap();
        first.apply(&mut now).unwrap();
        let mut selection = Selection(vec![Thing::Part(0), Thing::Part(1), Thing::Cable(0)]);
        selection.follow(&before, &now);
        assert_eq!(selection.things(), [Thing::Part(0), Thing::Cable(0)]);
        assert_eq!(Thing::Part(0).name(&now), Some("sheet"));
        let mut renamed = now.clone();
        let rename = Thing::Part(0).rename_command(&now, " wall ").unwrap();
        rename.apply(&mut renamed).unwrap();
        selection.follow(&now, &renamed);
        assert_eq!(Thing::Part(0).name(&renamed), Some("wall"));
        assert_eq!(selection.things(), [Thing::Part(0), Thing::Cable(0)]);
    }

    #[test]
    fn a_handle_is_renamed_by_command() {
        let mut scene = demo();
        let end = Thing::Handle(HandleId {
            cable: 0,
            handle: 1,
        });
        let command = end.rename_command(&scene, "plug").unwrap();
        command.apply(&mut scene).unwrap();
        assert_eq!(end.name(&scene), Some("plug"));
    }
}
