//! Whether a body that was stopped fits through the opening before it.
//!
//! What is free of the obstacle is looked at along the body's way, ahead of it: from a place inside the opening its rim is
//! searched in all directions. Through an opening that is narrower than the body across any side of the rim it does not
//! go, however it is shifted. It is not turned: as it stands it fits or it does not.

use std::f64::consts::TAU;

use nalgebra::Vector2;

use super::Obstacle;
use super::body_sweep::STOP;
use crate::geom::{Aabb, Vec3};

/// Places across the body's outline, each way, at which an opening is looked for.
const PLACES: usize = 24;
/// Directions in which the rim is searched.
const DIRECTIONS: usize = 120;
/// Steps to the rim, and halvings of the last of them.
const STEPS: usize = 24;
/// See [`STEPS`].
const HALVINGS: usize = 20;
/// Turn from one piece of the rim to the next up to which they are of one side; at a corner it is more, radians.
const ONE_SIDE: f64 = 0.12;
/// An opening that is narrower than this part of the body is a hole for something else, unless a cable of the body goes
/// through it.
const OWN: f64 = 1.0 / 3.0;

/// A place seen along the way.
type Flat = Vector2<f64>;

/// How a body fits an opening that it is not led through.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TightFit {
    /// Room between it and the opening where that is narrowest, both sides together, mm; negative where it is too wide.
    pub spare: f64,
    /// The room that it would need, mm: what its shell protrudes.
    pub needed: f64,
}

/// How the parts of a body fit the opening of an obstacle that keeps them from going on along `way`; `None` where there is
/// no opening ahead, or one that is wide enough. `cables` are points of the cables that hang on the body.
pub fn tight_fit<'a>(
    body: &[&Obstacle],
    other: &Obstacle,
    way: &Vec3,
    cables: impl Iterator<Item = &'a Vec3>,
) -> Option<TightFit> {
    let along = way.try_normalize(1e-9)?;
    let across = along.cross(&Vec3::ith(along.iamin(), 1.0)).normalize();
    let axes = [across, along.cross(&across)];
    let flat = |p: &Vec3| Flat::new(axes[0].dot(p), axes[1].dot(p));
    let corners = || body.iter().flat_map(|o| o.all_corners());
    let outline = Outline::around(corners().map(|p| flat(&p)).collect());
    let widest = outline.widest();
    let (mut rear, mut front) = (f64::INFINITY, f64::NEG_INFINITY);
    for p in corners() {
        rear = rear.min(along.dot(&p));
        front = front.max(along.dot(&p));
    }
    let view = View {
        other,
        axes,
        along,
        // As far ahead as the rim of an opening that lies askew may be.
        depth: [rear, front + widest],
    };
    let ahead = |p: &&Vec3| (front..front + widest).contains(&along.dot(p));
    let by_cable = cables.filter(ahead).map(flat).find(|p| view.is_free(p));
    let middle = by_cable.or_else(|| view.middle_of_opening(&outline))?;
    let covers: Vec<_> = body
        .iter()
        .filter_map(|o| Some((o.cover()?, o.pose())))
        .collect();
    let reach = covers.iter().map(|(c, _)| (1.0 + STOP) * c.radius);
    let reach = reach.fold(0.0, f64::max);
    let middles = covers.iter().flat_map(|(cover, pose)| {
        let nodes = cover.strands.iter().flatten();
        nodes.map(|p| flat(&pose.transform(p)))
    });
    let shell = Outline::around(middles.collect());
    let rim = view.rim(&middle, 1.05 * (widest + 2.0 * reach));
    let mut fit = TightFit {
        spare: f64::INFINITY,
        needed: 0.0,
    };
    let (mut least, mut narrowest) = (0.0, f64::INFINITY);
    for normal in sides(&rim) {
        let opening = width(&rim, &normal);
        let own = width(&outline.0, &normal);
        let with_shell = width(&shell.0, &normal) + 2.0 * reach;
        fit.spare = fit.spare.min(opening - own);
        narrowest = narrowest.min(opening / own);
        if opening - with_shell < least {
            least = opening - with_shell;
            fit.needed = with_shell - own;
        }
    }
    let is_own = by_cable.is_some() || narrowest > OWN;
    (least < 0.0 && is_own).then_some(fit)
}

/// A convex outline, counter-clockwise.
struct Outline(Vec<Flat>);

impl Outline {
    /// The convex hull (Andrew's monotone chain).
    fn around(mut points: Vec<Flat>) -> Self {
        points.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        points.dedup();
        let mut hull: Vec<Flat> = Vec::new();
        let back: Vec<Flat> = points.iter().rev().copied().collect();
        for chain in [points, back] {
            let from = hull.len();
            for p in chain {
                while let [.., a, b] = &hull[from..]
                    && (b - a).perp(&(p - b)) <= 0.0
                {
                    hull.pop();
                }
                hull.push(p);
            }
            hull.pop();
        }
        Self(hull)
    }

    fn widest(&self) -> f64 {
        let all = (0..DIRECTIONS).map(|k| width(&self.0, &direction(k)));
        all.fold(0.0, f64::max)
    }

    fn holds(&self, p: &Flat) -> bool {
        let sides = self.0.iter().zip(self.0.iter().cycle().skip(1));
        sides
            .into_iter()
            .all(|(a, b)| (b - a).perp(&(p - a)) >= 0.0)
    }
}

fn direction(k: usize) -> Flat {
    let (sin, cos) = (TAU * k as f64 / DIRECTIONS as f64).sin_cos();
    Flat::new(cos, sin)
}

/// How wide points are in a direction.
fn width(points: &[Flat], direction: &Flat) -> f64 {
    let along = points.iter().map(|p| p.dot(direction));
    let low = along.clone().fold(f64::INFINITY, f64::min);
    along.fold(f64::NEG_INFINITY, f64::max) - low
}

/// Normals of the sides of a rim. A piece of it that cuts a corner is none.
fn sides(rim: &[Flat]) -> Vec<Flat> {
    let n = rim.len();
    let piece = |k: usize| rim[(k + 1) % n] - rim[k % n];
    let goes_on = |a: Flat, b: Flat| a.perp(&b).abs() <= ONE_SIDE * a.dot(&b);
    let is_side =
        |&k: &usize| goes_on(piece(k + n - 1), piece(k)) || goes_on(piece(k), piece(k + 1));
    let normal = |k: usize| Flat::new(piece(k).y, -piece(k).x).try_normalize(1e-12);
    (0..n).filter(is_side).filter_map(normal).collect()
}

/// An obstacle seen along the way of a body.
struct View<'a> {
    other: &'a Obstacle,
    axes: [Vec3; 2],
    along: Vec3,
    /// From where to where it is in the way.
    depth: [f64; 2],
}

impl View<'_> {
    /// Whether the obstacle leaves that place free.
    fn is_free(&self, p: &Flat) -> bool {
        let place = self.axes[0] * p.x + self.axes[1] * p.y;
        let ends = self.depth.map(|d| place + self.along * d);
        let mut free = true;
        self.other.visit_triangles(&Aabb::of_points(&ends), |t| {
            free = free && !crosses(&ends, &self.other.corners(t));
        });
        free
    }

    /// A place in the middle of the largest opening within an outline.
    fn middle_of_opening(&self, outline: &Outline) -> Option<Flat> {
        let (low, high) = (outline.0.iter()).fold(
            (Flat::repeat(f64::INFINITY), Flat::repeat(f64::NEG_INFINITY)),
            |(low, high), p| (low.inf(p), high.sup(p)),
        );
        let at = |k: usize| {
            let share = |i: usize| (i as f64 + 0.5) / PLACES as f64;
            let share = Flat::new(share(k % PLACES), share(k / PLACES));
            low + (high - low).component_mul(&share)
        };
        let all = 0..PLACES * PLACES;
        let mut left: Vec<bool> = all
            .map(|k| outline.holds(&at(k)) && self.is_free(&at(k)))
            .collect();
        let mut largest: Vec<usize> = Vec::new();
        for first in 0..left.len() {
            if !std::mem::take(&mut left[first]) {
                continue;
            }
            let mut together = vec![first];
            let mut next = 0;
            while let Some(&k) = together.get(next) {
                next += 1;
                let (i, j) = (k % PLACES, k / PLACES);
                let beside = [
                    (i > 0).then(|| k - 1),
                    (i + 1 < PLACES).then_some(k + 1),
                    (j > 0).then(|| k - PLACES),
                    (j + 1 < PLACES).then_some(k + PLACES),
                ];
                let new = beside.into_iter().flatten();
                together.extend(new.filter(|&k| std::mem::take(&mut left[k])));
            }
            if together.len() > largest.len() {
                largest = together;
            }
        }
        let places = || largest.iter().map(|&k| at(k));
        let mean = places().sum::<Flat>() / largest.len().max(1) as f64;
        let off = |p: &Flat| (p - mean).norm_squared();
        places().min_by(|a, b| off(a).total_cmp(&off(b)))
    }

    /// The rim around a free place, no farther than `most`.
    fn rim(&self, middle: &Flat, most: f64) -> Vec<Flat> {
        let reached = |k: usize| {
            let at = |way: f64| middle + direction(k) * way;
            let step = most / STEPS as f64;
            let blocked = (1..=STEPS).find(|&i| !self.is_free(&at(i as f64 * step)));
            let Some(i) = blocked else {
                return at(most);
            };
            let (mut free, mut held) = ((i - 1) as f64 * step, i as f64 * step);
            for _ in 0..HALVINGS {
                let half = 0.5 * (free + held);
                if self.is_free(&at(half)) {
                    free = half;
                } else {
                    held = half;
                }
            }
            at(free)
        };
        (0..DIRECTIONS).map(reached).collect()
    }
}

/// Whether a segment goes through a triangle, from either side (Möller and Trumbore).
fn crosses(ends: &[Vec3; 2], [a, b, c]: &[Vec3; 3]) -> bool {
    let way = ends[1] - ends[0];
    let (ab, ac) = (b - a, c - a);
    let p = way.cross(&ac);
    let volume = ab.dot(&p);
    if volume.abs() < 1e-12 * way.norm() * ab.norm() * ac.norm() {
        return false;
    }
    let from = ends[0] - a;
    let u = from.dot(&p) / volume;
    let q = from.cross(&ab);
    let v = way.dot(&q) / volume;
    let t = ac.dot(&q) / volume;
    let slack = 1e-9;
    u >= -slack && v >= -slack && u + v <= 1.0 + slack && (0.0..=1.0).contains(&t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geom::{Pose, Rotation};
    use crate::mesh::primitives;

    /// A plug of 14 x 10 x 30 mm before a plate with a round hole, both turned and shifted with `pose`; it goes along z.
    fn fit(hole: f64, aside: f64, pose: &Pose) -> Option<TightFit> {
        let plug = primitives::cuboid(&Aabb {
            min: Vec3::new(-7.0 + aside, -5.0, -40.0),
            max: Vec3::new(7.0 + aside, 5.0, -10.0),
        });
        let sheet = primitives::sheet_with_hole(
            &Vec3::new(-60.0, -60.0, 0.0),
            &(Vec3::x() * 120.0),
            &(Vec3::y() * 120.0),
            [60.0, 60.0],
            hole,
            180,
        );
        let plate = primitives::thickened(&sheet, &(Vec3::z() * -2.0));
        let plug = Obstacle::new(&plug).placed(pose);
        let plate = Obstacle::new(&plate).placed(pose);
        let way = pose.rotation * Vec3::z() * 50.0;
        tight_fit(&[&plug], &plate, &way, std::iter::empty())
    }

    fn poses() -> [Pose; 2] {
        [
            Pose::identity(),
            Pose {
                position: Vec3::new(30.0, -200.0, 7.0),
                rotation: Rotation::from_scaled_axis(Vec3::new(0.4, -0.9, 0.3)),
            },
        ]
    }

    #[test]
    fn how_much_too_wide_a_plug_is_for_a_hole_is_its_diagonal_less_the_hole() {
        let diagonal = 14.0_f64.hypot(10.0);
        for pose in poses() {
            for (radius, aside) in [(8.0, 0.0), (5.0, 2.0), (8.59, 0.0)] {
                let fit = fit(radius, aside, &pose).unwrap();
                let spare = 2.0 * radius - diagonal;
                assert!((fit.spare - spare).abs() < 0.02, "{fit:?}, {spare}");
            }
            // It would go through, but its shell does not.
            let narrow = fit(8.8, 0.0, &pose).unwrap();
            assert!(narrow.spare > 0.35 && narrow.spare < 0.4, "{narrow:?}");
            assert!(narrow.needed > narrow.spare, "{narrow:?}");
            assert_eq!(fit(12.0, 0.0, &pose), None);
        }
    }

    #[test]
    fn a_wall_an_edge_and_a_hole_for_a_screw_are_no_openings() {
        let here = Pose::identity();
        assert_eq!(fit(1.5, 0.0, &here), None);
        // Beside the hole there is only the plate, and at its edge the plug could go round it.
        assert_eq!(fit(8.0, 30.0, &here), None);
        assert_eq!(fit(8.0, 60.0, &here), None);
    }

    #[test]
    fn a_slot_is_too_narrow_on_two_sides() {
        let side = |x: [f64; 2]| Aabb {
            min: Vec3::new(x[0], -100.0, 0.0),
            max: Vec3::new(x[1], 100.0, 2.0),
        };
        let mut corners = primitives::cuboid(&side([-50.0, -5.8])).vertices().to_vec();
        let right = primitives::cuboid(&side([5.0, 50.0]));
        let n = corners.len() as u32;
        corners.extend(right.vertices());
        let shifted = right.triangles().iter().map(|t| t.map(|v| v + n));
        let triangles = right.triangles().iter().copied().chain(shifted).collect();
        let slot = crate::mesh::TriMesh::new(corners, triangles).unwrap();
        let plug = primitives::cuboid(&Aabb {
            min: Vec3::new(-7.0, -5.0, -40.0),
            max: Vec3::new(7.0, 5.0, -10.0),
        });
        let [plug, slot] = [&plug, &slot].map(Obstacle::new);
        let fit = tight_fit(&[&plug], &slot, &Vec3::z(), std::iter::empty()).unwrap();
        assert!((fit.spare + 3.2).abs() < 1e-3, "{fit:?}");
    }

    #[test]
    fn a_cable_of_the_plug_shows_the_hole_that_it_goes_through() {
        let points = [Vec3::new(0.3, 0.2, 1.0)];
        let plug = Obstacle::new(&primitives::cuboid(&Aabb {
            min: Vec3::new(-7.0, -5.0, -40.0),
            max: Vec3::new(7.0, 5.0, -0.5),
        }));
        let sheet = primitives::sheet_with_hole(
            &Vec3::new(-60.0, -60.0, 0.0),
            &(Vec3::x() * 120.0),
            &(Vec3::y() * 120.0),
            [60.0, 60.0],
            1.5,
            180,
        );
        let plate = Obstacle::new(&sheet);
        let fit = tight_fit(&[&plug], &plate, &Vec3::z(), points.iter()).unwrap();
        assert!(
            (fit.spare - (3.0 - 14.0_f64.hypot(10.0))).abs() < 0.02,
            "{fit:?}"
        );
    }
}
