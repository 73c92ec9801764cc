//! The last check: each line lies in the middle of its own surface, with a radius that fits, or a warning says where not.

use super::assemble::{PLACES_APART, spread};
use super::circle;
use super::graph::{Branch, CenterlineGraph, ComponentKind, CurvePoint, NodeKind, Warning};
use super::parallel;
use super::shell::{Shell, Shells};
use super::slice::{Loop, Plane, Vec2, slice};
use crate::geom::Vec3;

/// Places that are looked at are so many radii apart.
const SPACING: f64 = 1.5;
/// So many radii of the thickest branch round a junction tubes overlap, and sections tell nothing.
const JUNCTION: f64 = 3.0;
/// So near to an end the cap may be cut, in radii.
const END: f64 = 0.6;
/// How far round the line the surface is cut, in radii: at first, and where nothing was found, for flat cables.
const REACH: [f64; 2] = [2.2, 6.0];
/// The line is in the middle within this part of the radius: a bend of few rings has its cuts a quarter off the arc.
const OFF: f64 = 0.3;
/// The circle of a section's area is so many times as wide as the line says: polygons are narrower than their circle.
const FITS: [f64; 2] = [0.72, 1.2];
/// The surface within this part of the radius of the circle is the tube's where no loop closes,
const BAND: f64 = 0.25;
/// and this part of the turn must be covered by it.
const COVERED: f64 = 0.28;
/// A section whose sides come nearer to its middle than this part of its corners' distance tells little: a hexagon has
/// 0.87, a square 0.71.
const COARSE: f64 = 0.8;
/// A tube is told as not round at places no more than so many radii from each of its own; the radius may vary a little.
const TOLD: f64 = 1.2 * PLACES_APART;
/// A flat cable is less than so many times as thick as it is wide.
const FLAT: f64 = 0.4;
/// Branches for which a thread is worth its while.
const PER_THREAD: usize = 2;
/// Points of the curve beside the first and the last wrong place that count as wrong.
const BESIDE: usize = 2;
/// What is left of the confidence where the line, or only its radius, is wrong.
const CONFIDENCE: [f64; 2] = [0.1, 0.4];

/// What is found at a place of a line.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Good,
    /// In the middle of a section of so few sides that the middle is not well known.
    Coarse,
    /// The radius that the surface has.
    Radius(f64),
    Off,
}

/// Looks at all branches, warns of what is wrong and takes its confidence away.
pub fn verify(shells: &Shells, graph: &mut CenterlineGraph) {
    let found = {
        let graph = &*graph;
        parallel::map_range(graph.branches.len(), PER_THREAD, |i| {
            let own = shells_of(shells, graph, i);
            look_along(&shells.origin, &own, graph, &graph.branches[i])
        })
    };
    let not_round: Vec<Vec3> = (graph.warnings.iter())
        .filter(|warning| matches!(warning, Warning::NotRound { .. }))
        .flat_map(|warning| graph.places(warning))
        .collect();
    for (number, looks) in found.into_iter().enumerate() {
        let curve = &mut graph.branches[number].curve;
        for run in looks.chunk_by(|a, b| is_alike(a.1, b.1)) {
            let (Some(&(first, look)), Some(&(last, _))) = (run.first(), run.last()) else {
                continue;
            };
            let (from, to) = (
                first.saturating_sub(BESIDE),
                (last + 1 + BESIDE).min(curve.len()),
            );
            let is_not_round = |(i, _): &(usize, Look)| {
                let at = &curve[*i];
                let is_near = |p: &Vec3| (p - at.position).norm() < TOLD * at.radius;
                not_round.iter().any(is_near)
            };
            // That the section has few sides was told of the tube: one cause, one warning.
            let is_told = look == Look::Coarse && run.iter().all(is_not_round);
            let stretch = &mut curve[from..to];
            let places = spread(stretch);
            let (warning, limit) = match look {
                Look::Good => continue,
                // One section askew is no wrong radius.
                Look::Radius(_) if run.len() < 2 => continue,
                Look::Radius(surface) => (
                    Warning::RadiusOff {
                        branch: number,
                        places,
                        radius: stretch[0].radius,
                        surface,
                    },
                    CONFIDENCE[1],
                ),
                Look::Coarse => (
                    Warning::Uncertain {
                        branch: number,
                        places,
                        length: length(stretch),
                    },
                    CONFIDENCE[1],
                ),
                Look::Off => (
                    Warning::OffSurface {
                        branch: number,
                        places,
                        length: length(stretch),
                    },
                    CONFIDENCE[0],
                ),
            };
            for point in stretch {
                point.confidence = point.confidence.min(limit);
            }
            if !is_told {
                graph.warnings.push(warning);
            }
        }
    }
}

fn is_alike(a: Look, b: Look) -> bool {
    matches!(
        (a, b),
        (Look::Good, Look::Good)
            | (Look::Coarse, Look::Coarse)
            | (Look::Off, Look::Off)
            | (Look::Radius(_), Look::Radius(_))
    )
}

fn length(curve: &[CurvePoint]) -> f64 {
    let steps = curve.windows(2);
    steps.map(|w| (w[1].position - w[0].position).norm()).sum()
}

/// The shells that a branch may lie in: its own, and those of sleeves.
fn shells_of<'a>(shells: &'a Shells, graph: &CenterlineGraph, branch: usize) -> Vec<&'a Shell> {
    let components = graph.components.iter().zip(&shells.list);
    components
        .filter(|(component, _)| match &component.kind {
            ComponentKind::Cable { branches } => branches.contains(&branch),
            ComponentKind::Sleeve => true,
            ComponentKind::Rejected(_) => false,
        })
        .map(|(_, shell)| shell)
        .collect()
}

/// Looks at places of a branch, away from its nodes; with the number of the curve's point.
fn look_along(
    origin: &Vec3,
    own: &[&Shell],
    graph: &CenterlineGraph,
    branch: &Branch,
) -> Vec<(usize, Look)> {
    let room = |node: usize| {
        let reach = |b: usize| {
            let other = &graph.branches[b];
            let end = if other.start == node {
                0
            } else {
                other.curve.len() - 1
            };
            other.curve[end].radius
        };
        match graph.nodes[node].kind {
            NodeKind::End => None,
            NodeKind::Through => Some(0.0),
            NodeKind::Junction => {
                Some(JUNCTION * graph.branches_at(node).map(reach).fold(0.0, f64::max))
            }
        }
    };
    let nodes = [branch.start, branch.end].map(|n| (graph.nodes[n].position, room(n)));
    let curve = &branch.curve;
    let mut looks = Vec::new();
    let mut walked = f64::INFINITY;
    for i in 1..curve.len() - 1 {
        let p = &curve[i];
        walked += (p.position - curve[i - 1].position).norm();
        let is_at_node = nodes
            .iter()
            .any(|(node, room)| (p.position - node).norm() < room.unwrap_or(END * p.radius));
        let along = curve[i + 1].position - curve[i - 1].position;
        let Some(tangent) = along.try_normalize(1e-9 * p.radius) else {
            continue;
        };
        // Both points of a step have the radius of one side only.
        let is_step = [i - 1, i + 1].map(|k| curve[k].position == p.position);
        if is_at_node || walked < SPACING * p.radius || is_step[0] || is_step[1] {
            continue;
        }
        walked = 0.0;
        let at = p.position - origin;
        let near = look(own, &at, &tangent, p.radius, REACH[0]);
        let found = match near {
            Look::Off => look(own, &at, &tangent, p.radius, REACH[1]),
            _ => near,
        };
        looks.push((i, found));
    }
    looks
}

/// Whether the nearest and the farthest of a loop are such that its middle is known: a hexagon, but not a square.
fn roundness(l: &Loop, center: &Vec2) -> Look {
    let (mut near, mut far) = (f64::INFINITY, 0.0_f64);
    for [a, b] in &l.pieces {
        let along = b - a;
        let t = ((center - a).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE))
            .clamp(0.0, 1.0);
        near = near.min((a + along * t - center).norm());
        far = far.max((a - center).norm()).max((b - center).norm());
    }
    // What is much flatter is a flat cable, of which another warning tells.
    if (FLAT * far..COARSE * far).contains(&near) {
        Look::Coarse
    } else {
        Look::Good
    }
}

/// What the surface round a place says.
fn look(own: &[&Shell], p: &Vec3, tangent: &Vec3, radius: f64, reach: f64) -> Look {
    let plane = Plane::new(*p, *tangent);
    let mut best = Look::Off;
    let mut is_hit = [false; circle::SECTORS];
    for shell in own {
        let loops = slice(shell, &plane, p, reach * radius);
        for l in &loops {
            for (q, _) in circle::samples(l, 0.12 * radius) {
                if (q.norm() / radius - 1.0).abs() < BAND {
                    is_hit[circle::sector(&q)] = true;
                }
            }
        }
        let round = loops
            .iter()
            .filter(|l| l.is_closed && l.encloses(&Vec2::zeros()));
        for l in round {
            let equivalent = (l.area / std::f64::consts::PI).sqrt();
            let points = circle::samples(l, l.perimeter / 48.0);
            let fitted = circle::fit(&points).filter(|c| c.misfit < 0.1);
            let center = fitted.map_or(l.centroid, |c| c.center);
            if center.norm() > OFF * radius.max(equivalent) {
                continue;
            }
            if (FITS[0]..FITS[1]).contains(&(equivalent / radius)) {
                return roundness(l, &center);
            }
            best = Look::Radius(equivalent);
        }
    }
    let covered = is_hit.iter().filter(|&&hit| hit).count() as f64 / circle::SECTORS as f64;
    match best {
        Look::Off if covered > COVERED => Look::Good,
        Look::Radius(_) if covered > 0.8 => Look::Good,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Settings, extract};
    use super::*;
    use crate::mesh::{TriMesh, primitives};

    fn bend() -> TriMesh {
        let points: Vec<Vec3> = (0..=60)
            .map(|i| {
                let (sin, cos) = (0.03 * f64::from(i)).sin_cos();
                Vec3::new(90.0 * sin, 90.0 * (1.0 - cos), 0.0)
            })
            .collect();
        primitives::tube(&points, 5.0, 16)
    }

    /// The warnings after the points of the middle third are changed.
    fn warned(change: impl Fn(&mut CurvePoint)) -> (CenterlineGraph, Vec3) {
        let mesh = bend();
        let mut graph = extract(&mesh, &Settings::default(), &|_| true).unwrap();
        assert_eq!(graph.warnings, []);
        let curve = &mut graph.branches[0].curve;
        let n = curve.len();
        for point in &mut curve[n / 3..2 * n / 3] {
            change(point);
        }
        let place = curve[n / 2].position;
        verify(&Shells::new(&mesh), &mut graph);
        (graph, place)
    }

    #[test]
    fn a_line_beside_its_surface_is_told_where_it_is() {
        let (graph, place) = warned(|p| p.position += Vec3::z() * 4.0);
        let [warning, others @ ..] = &graph.warnings[..] else {
            panic!("no warning");
        };
        assert_eq!(warning.code(), "off-surface");
        assert_eq!(graph.branch_of(warning), Some(0));
        // Where the line leaves the middle and comes back, its radius may be doubted beside.
        let doubted = |w: &Warning| matches!(w, Warning::Uncertain { .. });
        assert!(others.iter().all(doubted), "{others:?}");
        let near = |p: &Vec3| (p - place).norm() < 15.0;
        assert!(graph.places(warning).iter().any(near));
        let curve = &graph.branches[0].curve;
        assert!(curve[curve.len() / 2].confidence < 0.2 && curve[1].confidence > 0.9);
    }

    #[test]
    fn a_radius_that_is_not_the_surface_s_is_told() {
        let (graph, _) = warned(|p| p.radius *= 1.6);
        let codes: Vec<&str> = graph.warnings.iter().map(Warning::code).collect();
        assert_eq!(codes, ["radius-off"]);
        assert!(graph.warnings[0].to_string().contains("8.00 mm"));
    }
}
