//! Two cables become one.

use std::sync::Arc;

use super::basis_shares;
use super::cut::whole_turns;
use crate::geom::Vec3;
use crate::rod::bend_twist;
use crate::scene::{Cable, HandleKind, HandlePlace, RestShape, Shape, Skin, free_name};

/// Why two cables do not become one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Misfit {
    /// One of them was never solved.
    #[error("cable \"{0}\" has no shape yet; solve the scene first")]
    NoShape(String),
    /// They are not of one kind.
    #[error(
        "cables \"{0}\" and \"{1}\" have different {2}; one cable has the same all along: change one of them first"
    )]
    Different(String, String, &'static str),
    /// Their ends are not in one place.
    #[error("the ends of \"{0}\" and \"{1}\" are {2:.2} mm apart; join them first")]
    Apart(String, String, f64),
    /// They meet at a corner.
    #[error(
        "\"{0}\" and \"{1}\" meet at an angle of {2:.0} degrees; turn one end until they run on into each other"
    )]
    Corner(String, String, f64),
}

/// Joins the end of one cable to the start of another: one cable under the name of the first. The handles that held
/// them there are gone; those of the second that have the name of one of the first get a number.
///
/// Also says what the handles of the second are called now.
pub fn weld(first: &Cable, second: &Cable) -> Result<(Cable, Vec<(String, String)>), Misfit> {
    let shape = weld_shapes(first, second)?;
    check_alike(first, second)?;
    let (n, at) = (first.n_edges, first.length);
    let mut one = first.clone();
    one.n_edges = n + second.n_edges;
    let lengths = [first.edge_lengths(), second.edge_lengths()].concat();
    one.length = lengths.iter().sum();
    one.basis_length = first.basis_length + second.basis_length;
    let basis = [basis_shares(first), basis_shares(second)].concat();
    let edge = lengths[0];
    let even = lengths.iter().all(|l| (l - edge).abs() < 1e-12 * edge);
    let same_basis = first.basis_spacing.is_none() && second.basis_spacing.is_none();
    one.spacing = (!even).then_some(lengths);
    let unchanged = first.basis_length == first.length && second.basis_length == second.length;
    one.basis_spacing = (!(same_basis && unchanged)).then_some(basis);
    one.free_length = None;
    one.stretches = first.stretches_with(second);
    one.rest = weld_rests(first, second);
    one.straight_ends[1] = second.straight_ends[1];
    one.fittings[1] = second.fittings[1];
    one.cut.allowances[1] = second.cut.allowances[1];
    one.cut.service_loop += second.cut.service_loop;
    one.cut.round_to = one.cut.round_to.max(second.cut.round_to);
    let names = weld_handles(&mut one, second, at);
    weld_spans(&mut one, first, second, &names);
    one.skin = weld_skins(first, second, &shape);
    let mut shape = shape;
    for (name, roll) in second.shape.iter().flat_map(|s| &s.rolls) {
        if let Some((_, new)) = names.iter().find(|(old, _)| old == name) {
            shape.rolls.insert(new.clone(), *roll);
        }
    }
    shape.rolls.retain(|name, _| one.handle(name).is_some());
    one.shape = Some(shape);
    Ok((one, names))
}

fn check_alike(first: &Cable, second: &Cable) -> Result<(), Misfit> {
    for (same, what) in [
        (first.radius == second.radius, "diameters"),
        (
            first.inner_diameter == second.inner_diameter,
            "inner diameters",
        ),
        (first.flat == second.flat, "widths or heights"),
        (first.section == second.section, "stiffness or mass"),
        (first.fluid_kg_m3 == second.fluid_kg_m3, "fluids in them"),
    ] {
        if !same {
            let [a, b] = [first, second].map(|c| c.name.clone());
            return Err(Misfit::Different(a, b, what));
        }
    }
    Ok(())
}

fn weld_shapes(first: &Cable, second: &Cable) -> Result<Shape, Misfit> {
    let shape_of = |cable: &Cable| {
        let shape = cable.shape.clone();
        shape.ok_or_else(|| Misfit::NoShape(cable.name.clone()))
    };
    let (a, b) = (shape_of(first)?, shape_of(second)?);
    let n = a.frames.len();
    let names = || (first.name.clone(), second.name.clone());
    let (end, start) = (a.points[n], b.points[0]);
    let gap = (end - start).norm();
    // Branches of an imported harness end on the surface of its node.
    if gap > first.radius.min(second.radius) {
        let (one, other) = names();
        return Err(Misfit::Apart(one, other, gap));
    }
    let (left, right) = (a.frames[n - 1], b.frames[0]);
    let angle = (left * Vec3::z()).angle(&(right * Vec3::z()));
    if angle > std::f64::consts::FRAC_PI_2 {
        let (one, other) = names();
        return Err(Misfit::Corner(one, other, angle.to_degrees()));
    }
    let mut shape = a.clone();
    shape.points[n] = end.lerp(&start, 0.5);
    shape.points.extend(&b.points[1..]);
    shape.frames.extend(&b.frames);
    // What the two clamps had of twist the one joint has.
    let at_end = (a.clamps[1]).map_or(0.0, |c| bend_twist(&left, &c.rotation, a.turns[n]).twist);
    let at_start = (b.clamps[0]).map_or(0.0, |c| bend_twist(&c.rotation, &right, b.turns[0]).twist);
    let rolled = a.clamps[1].zip(b.clamps[0]).map_or(0.0, |(end, start)| {
        bend_twist(&end.rotation, &start.rotation, 0).twist
    });
    shape.turns[n] = whole_turns(&left, &right, at_end + rolled + at_start);
    shape.turns.extend(&b.turns[1..]);
    shape.clamps[1] = b.clamps[1];
    shape.memory = match (&a.memory, &b.memory) {
        (Some(a), Some(b)) => Some(Arc::new(a.followed_by(b, n))),
        _ => None,
    };
    Ok(shape)
}

/// Curvatures of a rest shape, and the share that is taken of it.
fn curvatures_of(cable: &Cable) -> (Vec<[f64; 3]>, f64) {
    match &cable.rest {
        RestShape::Straight => (vec![[0.0; 3]; cable.n_edges + 1], 1.0),
        RestShape::Moulded {
            curvatures, share, ..
        } => (curvatures.clone(), *share),
    }
}

fn weld_rests(first: &Cable, second: &Cable) -> RestShape {
    if first.rest == RestShape::Straight && second.rest == RestShape::Straight {
        return RestShape::Straight;
    }
    let ((mut a, of_a), (mut b, of_b)) = (curvatures_of(first), curvatures_of(second));
    let moulded = |cable: &Cable| cable.rest != RestShape::Straight;
    // A straight one is straight at any share.
    let share = match (moulded(first), moulded(second)) {
        (true, false) => of_a,
        (false, true) => of_b,
        _ if of_a == of_b => of_a,
        _ => {
            a.iter_mut().flatten().for_each(|k| *k *= of_a);
            b.iter_mut().flatten().for_each(|k| *k *= of_b);
            1.0
        }
    };
    let middle = a.len() - 1;
    let (end, start) = (Vec3::from(a[middle]), Vec3::from(b[0]));
    a[middle] = end.lerp(&start, 0.5).into();
    a.extend(&b[1..]);
    let designed = first.as_designed().zip(second.as_designed());
    RestShape::Moulded {
        curvatures: a,
        share,
        as_designed: designed.map(|(first, _)| first),
    }
}

/// Gives `one` the handles of the second cable, which begins at arc length `at`; old and new name of each.
fn weld_handles(one: &mut Cable, second: &Cable, at: f64) -> Vec<(String, String)> {
    one.handles.retain(|h| h.place != HandlePlace::End);
    let mut names = Vec::new();
    for handle in &second.handles {
        let mut handle = handle.clone();
        match &mut handle.place {
            HandlePlace::Start => continue,
            HandlePlace::At(s) => *s += at,
            HandlePlace::End => {}
        }
        if let HandleKind::Sliding { min, max } = &mut handle.kind {
            *min += at;
            *max += at;
        }
        let name = free_name(&handle.name, |name| one.handle(name).is_some());
        names.push((handle.name.clone(), name.clone()));
        handle.name = name;
        one.handles.push(handle);
    }
    names
}

/// Locked stretches of both; two that met at the joint are one.
fn weld_spans(one: &mut Cable, first: &Cable, second: &Cable, names: &[(String, String)]) {
    let name_at = |cable: &Cable, place| cable.handle_at(place).map(|h| h.name.clone());
    let (end, start) = (
        name_at(first, HandlePlace::End),
        name_at(second, HandlePlace::Start),
    );
    let mut before = None;
    one.locked_spans.clear();
    for [a, b] in &first.locked_spans {
        match (Some(a) == end.as_ref(), Some(b) == end.as_ref()) {
            (false, false) => one.locked_spans.push([a.clone(), b.clone()]),
            (true, _) => before = Some(b.clone()),
            (_, true) => before = Some(a.clone()),
        }
    }
    let renamed = |name: &String| {
        let found = names.iter().find(|(old, _)| old == name);
        found.map(|(_, new)| new.clone())
    };
    for [a, b] in &second.locked_spans {
        match (renamed(a), renamed(b)) {
            (Some(a), Some(b)) => one.locked_spans.push([a, b]),
            (Some(other), None) | (None, Some(other)) => {
                let at_start = [a, b].into_iter().any(|name| Some(name) == start.as_ref());
                if let (true, Some(before)) = (at_start, before.clone()) {
                    one.locked_spans.push([before, other]);
                }
            }
            (None, None) => {}
        }
    }
}

fn weld_skins(first: &Cable, second: &Cable, shape: &Shape) -> Option<Arc<Skin>> {
    let (a, b) = (first.shape.as_ref()?, second.shape.as_ref()?);
    if first.skin.is_none() && second.skin.is_none() {
        return None;
    }
    let mut vertices = Vec::new();
    let mut places = Vec::new();
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for (skin, own, before) in [(&first.skin, a, 0), (&second.skin, b, first.n_edges)] {
        // A cable without a skin of its own is drawn as a tube; beside one with a skin it would have none.
        let skin = skin.as_ref()?;
        let shift = vertices.len() as u32;
        vertices.extend(skin.positions(own));
        places.extend((skin.vertices.iter()).map(|v| (v.edge as usize + before, v.along)));
        triangles.extend(skin.triangles.iter().map(|t| t.map(|v| v + shift)));
    }
    let bound = Skin::bind(shape, &vertices, triangles, |i| places[i]);
    Some(Arc::new(bound))
}
