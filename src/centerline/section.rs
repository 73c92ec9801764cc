//! One cross-section of a tube: where its middle is, how wide it is, and which way the tube goes.

use super::circle::{self, Sample};
use super::shell::Shell;
use super::slice::{Loop, Plane, Vec2, slice};
use crate::geom::{Mat3, Vec3};

/// Misfit of a circle, over its radius, up to which a section is round. A regular hexagon has 0.044, a square 0.10.
const ROUND_MISFIT: f64 = 0.07;
/// Least part of the turn that must lie on the circle for a section to be followed through a junction.
const LEAST_COVERAGE: f64 = 0.42;
/// A whole loop this much narrower than the last is a step, or another wall.
const NARROWER: f64 = 0.93;
/// How far around the last center the surface is cut, in extents of the last section.
const REACH: f64 = 2.2;
/// Ratio of the two smaller eigenvalues of the normals' second moment, up to which the smallest gives the axis.
const AXIS_RATIO: f64 = 0.2;

/// A cross-section.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    pub center: Vec3,
    /// Normal of the cutting plane, along the tube.
    pub direction: Vec3,
    /// Of the fitted circle; of the circle of the same area where the section is not round.
    pub radius: f64,
    /// Largest distance of the surface from the center.
    pub extent: f64,
    pub perimeter: f64,
    pub area: f64,
    pub is_round: bool,
    /// The part of the circle that the surface covers; 1 for a whole loop.
    pub coverage: f64,
    /// Which way the tube goes by its normals, where they tell.
    pub axis: Option<Vec3>,
    /// Whether center, axis and radius are those of a thick slice, since ribs hide them in a thin one.
    pub is_ribbed: bool,
}

impl Section {
    /// The section that a closed loop bounds.
    pub fn of_loop(shell: &Shell, plane: &Plane, l: &Loop) -> Option<Self> {
        let equivalent = (l.area / std::f64::consts::PI).sqrt();
        if !(equivalent > 0.0) {
            return None;
        }
        let points = circle::samples(l, l.perimeter / 48.0);
        let round = circle::fit(&points).filter(|c| c.misfit < ROUND_MISFIT);
        let is_cut = points.len() >= 3;
        if !is_cut {
            return None;
        }
        let (center, radius) = match round {
            Some(c) => (c.center, c.radius),
            None => (l.centroid, equivalent),
        };
        Some(Self {
            center: plane.to_space(&center),
            direction: plane.normal,
            radius,
            extent: l.extent(&center),
            perimeter: l.perimeter,
            area: l.area,
            is_round: round.is_some(),
            coverage: 1.0,
            axis: axis_by_normals(shell, [l], |_| true),
            is_ribbed: false,
        })
    }
}

/// The section near `guess` that goes on from `last`: the whole loop, or what is left of its circle in a junction.
pub fn follow(shell: &Shell, guess: Vec3, direction: Vec3, last: &Section) -> Option<Section> {
    let plane = Plane::new(guess, direction);
    let reach = REACH * last.extent;
    let loops = slice(shell, &plane, &guess, reach);
    let middle = Vec2::zeros();
    let whole = loops
        .iter()
        .filter(|l| l.is_closed && l.encloses(&middle))
        .min_by(|a, b| {
            let off = |l: &Loop| (l.perimeter - last.perimeter).abs();
            off(a).total_cmp(&off(b))
        })
        .and_then(|l| Section::of_loop(shell, &plane, l));
    let whole = whole.filter(|s| goes_on(s, last, &guess));
    let is_inner = |s: &Section| last.is_round && s.radius < NARROWER * last.radius;
    match whole {
        Some(section) if !is_inner(&section) => Some(section),
        // A step down; or, in a junction of hoses, the inner wall, which is whole where the outer one is not.
        _ => left_of_circle(shell, &plane, &loops, last).or(whole),
    }
}

/// The section where enough is left of the last one's circle.
fn left_of_circle(shell: &Shell, plane: &Plane, loops: &[Loop], last: &Section) -> Option<Section> {
    if !last.is_round {
        return None;
    }
    let points: Vec<Sample> = loops
        .iter()
        .flat_map(|l| circle::samples(l, 0.12 * last.radius))
        .collect();
    let (circle, coverage) = circle::fit_known_radius(&points, Vec2::zeros(), last.radius)?;
    if coverage < LEAST_COVERAGE || circle.center.norm() > 0.35 * last.radius {
        return None;
    }
    let on_circle =
        |q: &Vec2| ((q - circle.center).norm() - circle.radius).abs() < 0.08 * circle.radius;
    Some(Section {
        center: plane.to_space(&circle.center),
        direction: plane.normal,
        coverage,
        axis: axis_by_normals(shell, loops.iter(), on_circle),
        ..*last
    })
}

/// The triangles that the section's plane cuts round it.
pub fn cut_triangles(shell: &Shell, section: &Section) -> Vec<u32> {
    let plane = Plane::new(section.center, section.direction);
    let reach = 1.3 * section.extent;
    slice(shell, &plane, &section.center, reach)
        .iter()
        .flat_map(|l| l.pieces.iter().zip(&l.triangles))
        .filter(|([a, b], _)| a.norm() < reach && b.norm() < reach)
        .map(|(_, &t)| t)
        .collect()
}

fn goes_on(section: &Section, last: &Section, guess: &Vec3) -> bool {
    let shift = (section.center - guess).norm();
    if last.is_round {
        let ratio = section.radius / last.radius;
        // A sudden step (tape, a sleeve, a rib) stays concentric.
        section.is_round
            && (0.45..2.2).contains(&ratio)
            && shift < 0.35 * last.radius.max(section.radius)
    } else {
        let about_same = |a: f64, b: f64| (a / b - 1.0).abs() < 0.3;
        !section.is_round
            && about_same(section.perimeter, last.perimeter)
            && about_same(section.area, last.area)
            && shift < 0.35 * last.extent
    }
}

/// The direction that is most across all normals of the cut: the eigenvector to the least eigenvalue of Σ l n nᵀ.
fn axis_by_normals<'a>(
    shell: &Shell,
    loops: impl IntoIterator<Item = &'a Loop>,
    counts: impl Fn(&Vec2) -> bool,
) -> Option<Vec3> {
    let mut moment = Mat3::zeros();
    for l in loops {
        for ([a, b], &t) in l.pieces.iter().zip(&l.triangles) {
            if counts(&((a + b) * 0.5)) {
                let n = shell.normals[t as usize];
                moment += n * n.transpose() * (b - a).norm();
            }
        }
    }
    let eigen = moment.symmetric_eigen();
    let mut order = [0, 1, 2];
    order.sort_by(|&i, &j| eigen.eigenvalues[i].total_cmp(&eigen.eigenvalues[j]));
    let [low, middle, _] = order.map(|i| eigen.eigenvalues[i]);
    (low < AXIS_RATIO * middle)
        .then(|| eigen.eigenvectors.column(order[0]).into_owned())
        .and_then(|axis| axis.try_normalize(1e-9))
}
