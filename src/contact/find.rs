//! The active contacts of a rod: where its samples and edges are within the barrier distance.

use super::distance::{TriangleFeature, point_triangle, segment_segment};
use super::{Candidates, ContactSettings, Obstacle};
use crate::geom::Vec3;

/// Extra distance that candidate lists cover, over radius: larger lists, fewer refreshes.
const SLACK: f64 = 0.5;
/// Two contacts of one sample nearer than this, over radius, are the same point seen from two triangles.
const SAME: f64 = 1e-4;

/// What of the mesh is touched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feature {
    /// The inside of a triangle: moving along it changes nothing.
    Face,
    /// A line with this unit direction.
    Line(Vec3),
    /// A single point.
    Point,
}

/// What of the rod touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    /// A fixed material point.
    Sample {
        /// Node i is number 2 i, the middle of edge i is 2 i + 1.
        number: u32,
        /// The triangle that is touched.
        triangle: u32,
    },
    /// Wherever the rod's edge is nearest to that convex edge of the obstacle; `inside` when that is not a node.
    Crossing {
        /// Number of the obstacle's edge.
        mesh_edge: u32,
        /// Unit direction of the obstacle's edge.
        along: Vec3,
        /// Whether the nearest point lies between the nodes.
        inside: bool,
    },
}

/// One active contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Edge of the rod.
    pub edge: u32,
    /// Where along it, in [0, 1].
    pub s: f64,
    /// What of the rod touches.
    pub place: Place,
    /// Number of the obstacle.
    pub obstacle: u32,
    /// What of the mesh is touched.
    pub feature: Feature,
    /// Unit vector from the obstacle to the rod's centerline.
    pub normal: Vec3,
    /// From the centerline to the obstacle, mm.
    pub distance: f64,
    /// Radius of the rod there, mm.
    pub radius: f64,
    /// Distance that is kept beyond touching, mm.
    pub margin: f64,
    /// Length that the contact stands for, mm.
    pub weight: f64,
}

impl Contact {
    /// What is left for the barrier, mm: between the rod's surface and the margin.
    #[inline]
    pub fn gap(&self) -> f64 {
        self.distance - self.radius - self.margin
    }

    /// Place on the obstacle.
    pub fn position(&self, points: &[Vec3]) -> Vec3 {
        let i = self.edge as usize;
        points[i].lerp(&points[i + 1], self.s) - self.normal * self.distance
    }
}

/// Contacts of samples that stay while they are near, whatever the rule of `Obstacle::is_own_contact` says.
///
/// That rule drops a contact all at once where a sample goes round the end of an edge that turns inwards (the rim
/// of a hole): the energy jumps, and an iteration can oscillate over the jump for ever. When it seems to, contacts
/// are made to stick: each then appears once and fades with its distance only, and the iteration comes to rest.
#[derive(Clone, Debug, Default)]
pub struct Sticky(Vec<(u32, u32, u32)>);

impl Sticky {
    /// Those that stay: sample, obstacle, triangle.
    pub fn of(keys: &[[u32; 3]]) -> Self {
        let mut keys: Vec<_> = keys.iter().map(|&[n, o, t]| (n, o, t)).collect();
        keys.sort_unstable();
        keys.dedup();
        Self(keys)
    }

    /// Sample, obstacle and triangle of each.
    pub fn keys(&self) -> impl Iterator<Item = [u32; 3]> {
        self.0.iter().map(|&(n, o, t)| [n, o, t])
    }

    /// Lets all go.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Copies another without allocating, where there is room.
    pub fn copy_from(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }

    /// Makes the samples among `contacts` stay.
    pub fn hold(&mut self, contacts: &[Contact]) {
        for contact in contacts {
            if let Place::Sample { number, triangle } = contact.place {
                let key = (number, contact.obstacle, triangle);
                if let Err(at) = self.0.binary_search(&key) {
                    self.0.insert(at, key);
                }
            }
        }
    }

    fn holds(&self, number: u32, obstacle: u32, triangle: u32) -> bool {
        self.0.binary_search(&(number, obstacle, triangle)).is_ok()
    }
}

/// Finds the active contacts of the rod with nodes `points` and rest lengths `lengths`.
///
/// Returns how many places touch or penetrate already; those are left out, since a barrier cannot hold them.
pub fn find_contacts(
    obstacles: &[Obstacle],
    candidates: &mut Candidates,
    points: &[Vec3],
    lengths: &[f64],
    settings: &ContactSettings,
    sticky: &Sticky,
    out: &mut Vec<Contact>,
) -> usize {
    out.clear();
    if obstacles.is_empty() {
        return 0;
    }
    let same_sq = (SAME * settings.radius).powi(2);
    let mut penetrating = 0;
    let mut push = |out: &mut Vec<Contact>, contact: Contact| {
        if contact.gap() > 0.0 {
            out.push(contact);
        } else {
            penetrating += 1;
        }
    };
    let n_edges = points.len() - 1;
    for i in 0..n_edges {
        let (a, b) = (&points[i], &points[i + 1]);
        let thickest = candidates.margins().thickness().around(i);
        let reach = settings.radius + thickest + settings.barrier_distance;
        let (near, margins) = candidates.near(obstacles, i, a, b, reach, SLACK * settings.radius);
        if near.triangles.is_empty() {
            continue;
        }
        let before = if i > 0 { lengths[i - 1] } else { 0.0 };
        let after = if i + 1 < n_edges { lengths[i + 1] } else { 0.0 };
        let samples = [
            (0.0, 2 * i as u32, *a, 0.5 * (before + lengths[i])),
            (0.5, 2 * i as u32 + 1, (a + b) * 0.5, lengths[i]),
            (1.0, 2 * i as u32 + 2, *b, 0.5 * (lengths[i] + after)),
        ];
        // A node belongs to the edge that it starts; the last one to the last edge.
        let n_samples = if i + 1 == n_edges { 3 } else { 2 };
        for &(s, number, p, weight) in &samples[..n_samples] {
            let first = out.len();
            for triangle in &near.triangles {
                let (o, t) = (triangle.obstacle, triangle.number);
                let kept = match number % 2 {
                    0 => margins.of_node(o as usize, number as usize / 2, n_edges),
                    _ => margins.of_edge(o as usize, i),
                };
                let radius = settings.radius + kept.thicker;
                let within = radius + settings.barrier_distance + kept.margin;
                let corners = &triangle.corners;
                if (p - corners[0]).dot(&triangle.normal).abs() > within {
                    continue;
                }
                let (q, feature) = point_triangle(&p, corners);
                let away = p - q;
                if away.norm_squared() >= within * within
                    || !(obstacles[o as usize].is_own_contact(t, feature, &away)
                        || sticky.holds(number, o, t))
                {
                    continue;
                }
                let distance = away.norm();
                let here = |c: &Contact| (p - c.normal * c.distance - q).norm_squared() < same_sq;
                if out[first..].iter().any(here) {
                    continue;
                }
                push(
                    out,
                    Contact {
                        edge: i as u32,
                        s,
                        place: Place::Sample {
                            number,
                            triangle: t,
                        },
                        obstacle: o,
                        feature: match feature {
                            TriangleFeature::Face => Feature::Face,
                            TriangleFeature::Side(k) => {
                                Feature::Line((corners[(k + 1) % 3] - corners[k]).normalize())
                            }
                            TriangleFeature::Corner(_) => Feature::Point,
                        },
                        normal: away / distance,
                        distance,
                        radius,
                        margin: kept.margin,
                        weight,
                    },
                );
            }
        }
        for near_edge in &near.edges {
            let (o, e, edge) = (near_edge.obstacle, near_edge.number, &near_edge.edge);
            let pair = segment_segment(a, b, &edge.a, &edge.b);
            let away = a.lerp(b, pair.s) - edge.a.lerp(&edge.b, pair.t);
            let kept = margins.of_edge(o as usize, i);
            let radius = settings.radius + kept.thicker;
            let within = radius + settings.barrier_distance + kept.margin;
            if away.norm_squared() >= within * within {
                continue;
            }
            let visibility = edge.visibility(&away);
            if visibility == 0.0 {
                continue;
            }
            let distance = away.norm();
            let along = (edge.b - edge.a).normalize();
            push(
                out,
                Contact {
                    edge: i as u32,
                    s: pair.s,
                    place: Place::Crossing {
                        mesh_edge: e,
                        along,
                        inside: pair.s > 0.0 && pair.s < 1.0,
                    },
                    obstacle: o,
                    feature: if pair.t > 0.0 && pair.t < 1.0 {
                        Feature::Line(along)
                    } else {
                        Feature::Point
                    },
                    normal: away / distance,
                    distance,
                    radius,
                    margin: kept.margin,
                    weight: visibility * edge.weight * settings.edge_weight,
                },
            );
        }
    }
    penetrating
}
