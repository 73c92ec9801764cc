//! The last check: each line lies in the middle of its own surface, with a radius that fits, or a warning says where not.

use super::assemble::{PLACES_APART, spread};
use super::circle;
use super::graph::{Branch, CenterlineGraph, ComponentKind, CurvePoint, NodeKind, Warning};
use super::shell::{Shell, Shells};
use super::slice::{Loop, Plane, Vec2, slice};
use super::track::median;
use crate::geom::Vec3;
use crate::parallel;

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
/// The radius is wrong by more than this part of it where three sections in a row tell: by the farthest corner of the
/// section when it is too large, by the mean distance of the section's sides when it is too small. Corners of few
/// sides stand out, so that a right radius is anywhere between.
const MISFITS: f64 = 0.1;
/// Cuts to each side, over a radius, of which the size is the mean before it counts as wrong.
const AROUND: i32 = 4;
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

/// A place that was looked at.
struct Seen {
    /// Number of the curve's point.
    point: usize,
    look: Look,
    /// Where a loop closes round the line.
    size: Option<Size>,
}

/// How large a section is, in radii of the line.
#[derive(Clone, Copy)]
struct Size {
    /// Mean distance of its sides from its middle, by their length: of the surface, by its area.
    mean: f64,
    /// Distance of the farthest corner.
    farthest: f64,
}

impl Size {
    fn of(l: &Loop, points: &[circle::Sample], center: &Vec2, radius: f64) -> Self {
        let length: f64 = points.iter().map(|(_, w)| w).sum();
        let sum: f64 = points.iter().map(|(q, w)| (q - center).norm() * w).sum();
        let corners = l.pieces.iter().flatten().map(|q| (q - center).norm());
        Self {
            mean: sum / length / radius,
            farthest: corners.fold(0.0, f64::max) / radius,
        }
    }

    fn is_wrong(&self) -> bool {
        self.farthest * (1.0 + MISFITS) < 1.0 || self.mean > 1.0 + MISFITS
    }

    /// The mean over cuts beside a place, so that ribs are evened out.
    fn around(own: &[&Shell], p: &Vec3, tangent: &Vec3, radius: f64) -> Option<Self> {
        let mut sum = Self {
            mean: 0.0,
            farthest: 0.0,
        };
        let mut n = 0.0;
        for k in -AROUND..=AROUND {
            let at = p + tangent * (radius * f64::from(k) / f64::from(AROUND));
            if let Some(size) = look(own, &at, tangent, radius, REACH[0]).1 {
                sum.mean += size.mean;
                sum.farthest += size.farthest;
                n += 1.0;
            }
        }
        (n > f64::from(AROUND)).then(|| Self {
            mean: sum.mean / n,
            farthest: sum.farthest / n,
        })
    }
}

/// Looks at all branches, warns of what is wrong and takes its confidence away.
pub fn verify(shells: &Shells, graph: &mut CenterlineGraph) {
    let found = {
        let graph = &*graph;
        parallel::map_range(graph.branches.len(), PER_THREAD, |i| {
            let own = shells_of(shells, graph, i);
            let mut seen = look_along(&shells.origin, &own, graph, &graph.branches[i]);
            compare_sizes(&mut seen, &graph.branches[i].curve);
            seen
        })
    };
    let not_round: Vec<Vec3> = (graph.warnings.iter())
        .filter(|warning| matches!(warning, Warning::NotRound { .. }))
        .flat_map(|warning| graph.places(warning))
        .collect();
    for (number, seen) in found.into_iter().enumerate() {
        let curve = &mut graph.branches[number].curve;
        for run in seen.chunk_by(|a, b| is_alike(a.look, b.look)) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else {
                continue;
            };
            let look = first.look;
            let (from, to) = (
                first.point.saturating_sub(BESIDE),
                (last.point + 1 + BESIDE).min(curve.len()),
            );
            let is_not_round = |seen: &Seen| {
                let at = &curve[seen.point];
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
                        radius: stretch[BESIDE.min(first.point)].radius,
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

/// Marks places whose radius is not that of the surface there and on both sides of it: one cut alone may run along the
/// crest of a rib, or across an edge.
fn compare_sizes(seen: &mut [Seen], curve: &[CurvePoint]) {
    let typical = |near: &[Seen], what: fn(&Size) -> f64| {
        median(near.iter().filter_map(|s| s.size.as_ref().map(what)))
    };
    let wrong: Vec<Option<f64>> = (0..seen.len())
        .map(|i| {
            let near = &seen[i.saturating_sub(1)..(i + 2).min(seen.len())];
            let is_known = seen[i].look == Look::Good && near.iter().all(|s| s.size.is_some());
            let mean = typical(near, |size| size.mean);
            let farthest = typical(near, |size| size.farthest);
            let radius = curve[seen[i].point].radius;
            let is_wrong = Size { mean, farthest }.is_wrong();
            (near.len() > 2 && is_known && is_wrong).then_some(mean * radius)
        })
        .collect();
    for (seen, surface) in seen.iter_mut().zip(wrong) {
        if let Some(surface) = surface {
            seen.look = Look::Radius(surface);
        }
    }
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

/// Looks at places of a branch, away from its nodes.
fn look_along(
    origin: &Vec3,
    own: &[&Shell],
    graph: &CenterlineGraph,
    branch: &Branch,
) -> Vec<Seen> {
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
    let mut seen = Vec::new();
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
        let mut found = look(own, &at, &tangent, p.radius, REACH[0]);
        if found.0 == Look::Off {
            found = look(own, &at, &tangent, p.radius, REACH[1]);
        }
        let (look, mut size) = found;
        if size.is_some_and(|size| size.is_wrong()) {
            size = Size::around(own, &at, &tangent, p.radius);
        }
        seen.push(Seen {
            point: i,
            look,
            size,
        });
    }
    seen
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

/// Whether there is a tube of that radius round a place.
pub fn is_tube_round(own: &[&Shell], p: &Vec3, tangent: &Vec3, radius: f64) -> bool {
    look(own, p, tangent, radius, REACH[0]).0 == Look::Good
}

/// What the surface round a place says, and how large its section is.
fn look(own: &[&Shell], p: &Vec3, tangent: &Vec3, radius: f64, reach: f64) -> (Look, Option<Size>) {
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
                // The sides of a flat cable are at all distances.
                let size = fitted.map(|_| Size::of(l, &points, &center, radius));
                return (roundness(l, &center), size);
            }
            best = Look::Radius(equivalent);
        }
    }
    let covered = is_hit.iter().filter(|&&hit| hit).count() as f64 / circle::SECTORS as f64;
    let look = match best {
        Look::Off if covered > COVERED => Look::Good,
        Look::Radius(_) if covered > 0.8 => Look::Good,
        other => other,
    };
    (look, None)
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
        for (factor, told) in [
            (0.75, "3.75 mm"),
            (0.88, "4.40 mm"),
            (1.15, "5.75 mm"),
            (1.6, "8.00 mm"),
        ] {
            let (graph, place) = warned(|p| p.radius *= factor);
            let codes: Vec<&str> = graph.warnings.iter().map(Warning::code).collect();
            assert_eq!(codes, ["radius-off"], "{factor}");
            assert!(graph.warnings[0].to_string().contains(told), "{factor}");
            let near = |p: &Vec3| (p - place).norm() < 15.0;
            assert!(graph.places(&graph.warnings[0]).iter().any(near));
            let curve = &graph.branches[0].curve;
            assert!(curve[curve.len() / 2].confidence < 0.5 && curve[1].confidence > 0.9);
        }
        // Sixteen sides stand inside of the circle through their corners, by two parts in a hundred.
        for factor in [0.95, 1.05] {
            let (graph, _) = warned(|p| p.radius *= factor);
            assert_eq!(graph.warnings, [], "{factor}");
        }
    }
}
