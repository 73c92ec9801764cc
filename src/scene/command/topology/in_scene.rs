//! Cables of a scene that are cut, welded, turned round: what refers to them and to their handles follows.

use super::super::names::{known, no_such};
use super::super::{CommandError, Kind, find_cable};
use super::slide::turned_pose;
use crate::scene::topology::{cut, put_touches, reversed, take_touches, weld};
use crate::scene::{Exclusion, HandlePlace, Scene};

/// Cuts a cable; the second piece comes behind the first in the scene.
pub fn cut_in_scene(
    scene: &mut Scene,
    cable: &str,
    node: usize,
    second: &str,
) -> Result<(), CommandError> {
    let touches = take_touches(scene);
    let k = scene.cables.iter().position(|c| c.name == cable);
    let pieces = k.and_then(|k| cut(&scene.cables[k], node, second));
    let (Some(k), Some([first, last])) = (k, pieces) else {
        return Err(CommandError::NoShape {
            cable: cable.to_owned(),
        });
    };
    let at = first.length;
    for end in scene.junctions.iter_mut().flat_map(|j| &mut j.ends) {
        let goes_along = first
            .handle(&end.handle)
            .is_none_or(|h| h.place == HandlePlace::End)
            && last.handle(&end.handle).is_some();
        if end.cable == cable && goes_along {
            second.clone_into(&mut end.cable);
        }
    }
    let mut exclusions = Vec::new();
    for e in std::mem::take(&mut scene.exclusions) {
        if e.cable != cable {
            exclusions.push(e);
        } else if e.is_everywhere() || e.is_nowhere() {
            exclusions.push(e.clone());
            exclusions.push(Exclusion {
                cable: second.to_owned(),
                ..e
            });
        } else {
            if e.from < at {
                exclusions.push(e.clone());
            }
            if e.to > at {
                exclusions.push(Exclusion {
                    cable: second.to_owned(),
                    from: (e.from - at).max(0.0),
                    to: if e.to >= Exclusion::BEYOND {
                        e.to
                    } else {
                        e.to - at
                    },
                    ..e
                });
            }
        }
    }
    scene.exclusions = exclusions;
    scene.cables[k] = first;
    scene.cables.insert(k + 1, last);
    let touches = touches.into_iter().map(|touch| {
        touch.mapped(|name, edge, s| match edge.checked_sub(node as u32) {
            Some(edge) if name == cable => (second.to_owned(), edge, s),
            _ => (name.to_owned(), edge, s),
        })
    });
    put_touches(scene, touches.collect());
    Ok(())
}

/// Makes one cable of two, the end of the first to the start of the second, under the first name. Old and new names of the
/// second's handles.
pub fn weld_in_scene(
    scene: &mut Scene,
    front: &str,
    back: &str,
) -> Result<Vec<(String, String)>, CommandError> {
    let touches = take_touches(scene);
    let number = |name: &str| scene.cables.iter().position(|c| c.name == name);
    let (Some(a), Some(b)) = (number(front), number(back)) else {
        return Err(no_such(Kind::Cable, back, &known(scene, Kind::Cable)));
    };
    let (first, second) = (&scene.cables[a], &scene.cables[b]);
    let (one, names) =
        weld(first, second).map_err(|misfit| CommandError::BadCable(misfit.to_string()))?;
    let (at, n) = (first.length, first.n_edges as u32);
    let end = first.handle_at(HandlePlace::End).map(|h| h.name.clone());
    for junction in &mut scene.junctions {
        junction.ends.retain_mut(|held| {
            if held.cable == front {
                return Some(&held.handle) != end.as_ref();
            }
            if held.cable != back {
                return true;
            }
            front.clone_into(&mut held.cable);
            let new = names.iter().find(|(old, _)| *old == held.handle);
            new.inspect(|(_, new)| new.clone_into(&mut held.handle))
                .is_some()
        });
    }
    for e in scene.exclusions.iter_mut().filter(|e| e.cable == back) {
        front.clone_into(&mut e.cable);
        if !e.is_nowhere() {
            e.from += at;
            e.to += at;
        }
    }
    tidy_exclusions(scene, front, at);
    scene.cables[a] = one;
    scene.cables.remove(b);
    let touches = touches.into_iter().map(|touch| {
        touch.mapped(|name, edge, s| {
            if name == back {
                (front.to_owned(), edge + n, s)
            } else {
                (name.to_owned(), edge, s)
            }
        })
    });
    put_touches(scene, touches.collect());
    Ok(names)
}

/// Makes stretches that meet at arc length `at` one again, and gives those of the front that were of all of it an end.
fn tidy_exclusions(scene: &mut Scene, cable: &str, at: f64) {
    let mut tidy: Vec<Exclusion> = Vec::new();
    for e in std::mem::take(&mut scene.exclusions) {
        let slack = 1e-9 * at;
        let before = (tidy.iter_mut()).find(|b| e.cable == cable && b.is_of(cable, &e.part));
        match before {
            Some(b) if b.is_nowhere() && e.is_nowhere() => {}
            Some(b) if b.is_nowhere() => *b = e,
            Some(_) if e.is_nowhere() => {}
            Some(b) if b.to >= at - slack && e.from <= at + slack && e.from >= at - slack => {
                b.to = e.to;
                b.depth = Exclusion::deeper(b.depth, e.depth);
            }
            _ => tidy.push(e),
        }
    }
    scene.exclusions = tidy;
}

/// Lets a cable run the other way.
pub fn reverse_in_scene(scene: &mut Scene, name: &str) -> Result<(), CommandError> {
    let touches = take_touches(scene);
    let cable = find_cable(scene, name)?;
    *cable = reversed(cable);
    let (length, n) = (cable.length, cable.n_edges as u32);
    let ends = scene.junctions.iter_mut().flat_map(|j| &mut j.ends);
    for end in ends.filter(|end| end.cable == name) {
        end.in_junction = turned_pose(&end.in_junction);
    }
    for e in scene.exclusions.iter_mut().filter(|e| e.cable == name) {
        if e.is_everywhere() || e.is_nowhere() {
            continue;
        }
        let to = if e.from <= 0.0 {
            Exclusion::BEYOND
        } else {
            length - e.from
        };
        (e.from, e.to) = ((length - e.to).max(0.0), to);
    }
    let touches = touches.into_iter().map(|touch| {
        touch.mapped(|cable, edge, s| {
            if cable == name {
                (cable.to_owned(), n.saturating_sub(1 + edge), 1.0 - s)
            } else {
                (cable.to_owned(), edge, s)
            }
        })
    });
    put_touches(scene, touches.collect());
    Ok(())
}

/// Gives a handle another name; what refers to it follows.
pub fn rename_handle(scene: &mut Scene, cable: &str, from: &str, to: &str) {
    if from == to {
        return;
    }
    if let Some(cable) = scene.cable_mut(cable) {
        if let Some(found) = cable.handles.iter_mut().find(|h| h.name == from) {
            to.clone_into(&mut found.name);
        }
        let locks = cable.locked_spans.iter_mut().flatten();
        locks
            .filter(|end| *end == from)
            .for_each(|end| to.clone_into(end));
        let rolls = cable.shape.as_mut().map(|s| &mut s.rolls);
        if let Some(rolls) = rolls
            && let Some(roll) = rolls.remove(from)
        {
            rolls.insert(to.to_owned(), roll);
        }
    }
    let ends = scene.junctions.iter_mut().flat_map(|j| &mut j.ends);
    for end in ends.filter(|end| end.cable == cable && end.handle == from) {
        to.clone_into(&mut end.handle);
    }
}
