//! What is under the cursor, and its name.

use crate::app::action::HandleId;
use crate::scene::Scene;

/// Something in the view that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A handle of a cable.
    Handle(HandleId),
    /// The cable of that number.
    Cable(usize),
    /// The part of that number.
    Part(usize),
}

impl Thing {
    /// Its name, for the status line; `None` if the scene has no such thing.
    pub fn name(self, scene: &Scene) -> Option<String> {
        match self {
            Self::Handle(id) => {
                let cable = scene.cables.get(id.cable)?;
                let handle = cable.handles.get(id.handle)?;
                Some(format!("handle {} of cable {}", handle.name, cable.name))
            }
            Self::Cable(number) => {
                let cable = scene.cables.get(number)?;
                let (name, diameter) = (&cable.name, 2.0 * cable.radius);
                Some(format!("cable {name}, diameter {diameter:.1} mm"))
            }
            Self::Part(number) => {
                let part = scene.parts.get(number)?;
                Some(format!("part {}", part.name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_in_the_demo_has_a_name() {
        let scene = crate::scene::demo::demo("drag").unwrap();
        let handle = |cable| Thing::Handle(HandleId { cable, handle: 1 });
        for (thing, name) in [
            (handle(0), Some("handle end of cable cable")),
            (Thing::Cable(0), Some("cable cable, diameter 8.0 mm")),
            (Thing::Part(1), Some("part sheet")),
            (Thing::Part(9), None),
            (handle(1), None),
        ] {
            assert_eq!(thing.name(&scene).as_deref(), name);
        }
    }
}
