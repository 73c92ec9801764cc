//! Two cables that meet become one.

use super::super::names::{known, no_such};
use super::super::{CommandError, Kind, find_cable};
use super::in_scene::{reverse_in_scene, weld_in_scene};
use super::{carefully, dissolve, junction_of};
use crate::scene::topology::CableEnd;
use crate::scene::{Cable, JunctionEnd, Piece, Scene};

pub fn merge(scene: &mut Scene, first: &str, second: &str) -> Result<(), CommandError> {
    for cable in [first, second] {
        super::super::cables::not_locked(find_cable(scene, cable)?)?;
    }
    if first == second {
        let same = format!("cable \"{first}\" cannot be merged with itself; name two cables");
        return Err(CommandError::BadCable(same));
    }
    carefully(scene, |scene| {
        let (end, of_second) = meeting_ends(scene, first, second)?;
        if of_second == end {
            reverse_in_harness(scene, second)?;
            reverse_in_scene(scene, second)?;
        }
        // It runs as the first did.
        let [front, back] = match end {
            CableEnd::End => [first, second],
            CableEnd::Start => [second, first],
        };
        merge_in_harness(scene, [front, back], first)?;
        weld_in_scene(scene, front, back)?;
        dissolve(scene);
        if front != first {
            super::super::rename_named(scene, Kind::Cable, front, first)?;
        }
        for branches in scene.wires.iter_mut().map(|w| &mut w.branches) {
            branches
                .iter_mut()
                .filter(|b| *b == second)
                .for_each(|b| first.clone_into(b));
            branches.dedup();
        }
        Ok(())
    })
}

/// The ends at which two cables meet: those that one junction holds, or else the nearest.
fn meeting_ends(
    scene: &Scene,
    first: &str,
    second: &str,
) -> Result<(CableEnd, CableEnd), CommandError> {
    let (Some(a), Some(b)) = (scene.cable(first), scene.cable(second)) else {
        return Err(no_such(Kind::Cable, second, &known(scene, Kind::Cable)));
    };
    let point = |cable: &Cable, end: CableEnd| {
        let shape = cable.shape.as_ref()?;
        match end {
            CableEnd::Start => shape.points.first().copied(),
            CableEnd::End => shape.points.last().copied(),
        }
    };
    let held = |cable: &Cable, end: CableEnd| {
        let handle = cable.handle_at(end.place())?;
        junction_of(scene, &cable.name, &handle.name)
    };
    let both = [CableEnd::End, CableEnd::Start];
    let pairs = both.into_iter().flat_map(|x| both.map(|y| (x, y)));
    let rank = |(x, y): &(CableEnd, CableEnd)| {
        let together = held(a, *x).is_some() && held(a, *x) == held(b, *y);
        let apart = point(a, *x).zip(point(b, *y)).map(|(p, q)| (p - q).norm());
        (!together, apart.unwrap_or(f64::INFINITY))
    };
    let order = |a: &(bool, f64), b: &(bool, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    let nearest = pairs.min_by(|p, q| order(&rank(p), &rank(q)));
    let (x, y) = nearest.unwrap_or((CableEnd::End, CableEnd::Start));
    for junction in [held(a, x), held(b, y)].into_iter().flatten() {
        let junction = &scene.junctions[junction];
        let ours = |end: &JunctionEnd| end.cable == first || end.cable == second;
        let alone = junction.carries.is_empty() && junction.mass_kg == 0.0;
        if !alone || !junction.ends.iter().all(ours) {
            return Err(CommandError::BadCable(format!(
                "junction \"{}\" holds more than \"{first}\" and \"{second}\"; detach the rest first",
                junction.name
            )));
        }
    }
    Ok((x, y))
}

/// Where a cable is a piece of a harness: harness, segment, piece.
fn piece_of(scene: &Scene, name: &str) -> Option<(usize, usize, usize)> {
    let own = |piece: &Piece| matches!(piece, Piece::Flexible { cable } if cable == name);
    (scene.harnesses.iter().enumerate()).find_map(|(h, harness)| {
        (harness.segments.iter().enumerate()).find_map(|(s, segment)| {
            let piece = segment.pieces.iter().position(own)?;
            Some((h, s, piece))
        })
    })
}

/// Turns the segment of a cable round that is to run the other way.
fn reverse_in_harness(scene: &mut Scene, cable: &str) -> Result<(), CommandError> {
    let Some((h, s, _)) = piece_of(scene, cable) else {
        return Ok(());
    };
    let segment = &mut scene.harnesses[h].segments[s];
    if segment.pieces.len() > 1 {
        return Err(CommandError::BadCable(format!(
            "cable \"{cable}\" would have to run the other way, but it is a piece of segment \"{}\"; merge the pieces of that first",
            segment.name
        )));
    }
    std::mem::swap(&mut segment.start, &mut segment.end);
    Ok(())
}

/// Makes the pieces of two cables one, under the name `keep`.
fn merge_in_harness(
    scene: &mut Scene,
    [front, back]: [&str; 2],
    keep: &str,
) -> Result<(), CommandError> {
    let places = (piece_of(scene, front), piece_of(scene, back));
    let merged = Piece::Flexible {
        cable: keep.to_owned(),
    };
    match places {
        (None, None) => {}
        (Some((h, s, p)), None) | (None, Some((h, s, p))) => {
            scene.harnesses[h].segments[s].pieces[p] = merged;
        }
        (Some((h, s, p)), Some((h2, s2, p2))) => {
            let segments = &mut scene.harnesses[h].segments;
            let follows = (h, s, p + 1) == (h2, s2, p2);
            let at_node = h == h2
                && s != s2
                && p + 1 == segments[s].pieces.len()
                && p2 == 0
                && segments[s].end == segments[s2].start;
            if follows {
                segments[s].pieces.remove(p2);
                segments[s].pieces[p] = merged;
            } else if at_node {
                let gone = segments[s2].clone();
                segments[s].pieces[p] = merged;
                segments[s].pieces.extend_from_slice(&gone.pieces[1..]);
                segments[s].end = gone.end;
                segments.remove(s2);
            } else {
                return Err(CommandError::BadCable(format!(
                    "\"{front}\" and \"{back}\" belong to segments of harnesses that do not run on into each other"
                )));
            }
        }
    }
    Ok(())
}
