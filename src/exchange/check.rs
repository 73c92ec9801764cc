//! The read-back check: what a file really holds, against the routes it should hold.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::arcs::{Element, LinesAndArcs};
use super::bspline::BSpline;
use super::export::Form;
use super::file::{Contents, Entries, Entry, FoundRoute, FoundShape, Target};
use super::fold::Fold;
use super::format::{Carries, Format};
use super::lengths::RouteLengths;
use super::remark::Facts;
use super::route::{ErrorBars, Route};
use crate::geom::{Pose, Vec3};

/// A curve in a file may be this far from the C2 cubic through all nodes, mm: the fit's share included.
const CURVE_DEVIATION: f64 = 0.01;
/// Points must be on the curve to this, mm.
const POINT_DEVIATION: f64 = 1e-6;
/// A chain of points may be shorter than its curve by this part.
const CHAIN_LENGTH: f64 = 5e-4;
/// Skin of a solid, mm.
const SKIN_DEVIATION: f64 = 0.002;
/// Volume of a mesh against that of the tube.
const VOLUME: f64 = 5e-3;
/// Corners of a mesh that are measured.
const MESH_PLACES: usize = 600;
/// Rounding of coordinates to single precision, over the largest of them.
const SINGLE: f64 = 1e-7;
/// Directions at the ends, degrees.
const DIRECTION: f64 = 0.01;
/// Ends where the unit makes a change of bits unavoidable, mm.
const END: f64 = 1e-9;
/// Places along a curve at which it is compared, for each span.
const PLACES: usize = 8;

/// Places along a curve at which lines and arcs are compared, for each span.
const ARC_PLACES: usize = 40;

/// What the check found for one route.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RouteCheck {
    /// Name of the route.
    pub route: String,
    /// Its name in the file; `null` where the format has none.
    pub name_in_file: Option<String>,
    /// Length of the cable: rest length plus stretch, mm.
    pub cable_length_mm: f64,
    /// Length of what is in the file, mm: of the curve, or of the chain of points; `null` for tubes.
    pub length_mm: Option<f64>,
    /// Largest distance of what is in the file from the exported curve, mm (of a tube: of its skin).
    pub deviation_mm: f64,
    /// Largest distance of the exported curve from the C2 cubic through all nodes, mm.
    pub fit_deviation_mm: f64,
    /// Distance of both ends from the route's ends, mm; 0 when the same to the last bit.
    pub end_gaps_mm: Option<[f64; 2]>,
    /// Angles between the directions at both ends and the route's, degrees.
    pub end_angles_deg: Option<[f64; 2]>,
    /// Smallest bend radius, mm; `null` for a straight one.
    pub smallest_radius_mm: Option<f64>,
    /// Where that is, mm from the start.
    pub smallest_radius_at_mm: Option<f64>,
    /// Control points, points or triangles in the file.
    pub count: usize,
    /// Volume of a mesh over that of the exact tube.
    pub volume_ratio: Option<f64>,
    /// What is cut for it, as in the book of lengths.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lengths: Option<RouteLengths>,
    /// Edges of the solve.
    pub solve_edges: Option<usize>,
    /// Estimated distance of the solved shape from the exact one, mm.
    pub solve_error_estimate_mm: Option<f64>,
    /// How far shape and forces may be off, by a finer grid and the second model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_bars: Option<ErrorBars>,
    /// Distance of the exported shape from the one that is shown, mm.
    pub off_shown_mm: Option<f64>,
    /// What is wrong; empty for a good one.
    pub problems: Vec<String>,
    /// What the user should know though nothing is wrong with the file.
    pub warnings: Vec<String>,
}

/// Compares what was read with what should have been written.
pub fn check(
    entries: &Entries,
    contents: &Contents,
    target: &Target,
    format: Format,
    length_tolerance: f64,
) -> Vec<RouteCheck> {
    let unit = target.convention.unit;
    let wrong_unit = contents
        .unit_in_mm
        .filter(|found| *found != unit.in_mm())
        .map(|found| {
            format!(
                "the file says its unit is {found} mm, not {}",
                unit.symbol()
            )
        });
    let wrong_count = (contents.network.len() != entries.len()).then(|| {
        format!(
            "the file holds {} routes, not {}",
            contents.network.len(),
            entries.len()
        )
    });
    let mut found = contents.network.routes();
    entries
        .routes()
        .map(|entry| {
            let mut check = blank(entry, format);
            check.problems.extend(wrong_unit.clone());
            check.problems.extend(wrong_count.clone());
            match found.next() {
                Some(found) => {
                    if format.names().is_some() && found.name.as_deref() != Some(entry.name) {
                        check.problems.push(format!(
                            "its name in the file is \"{}\", not \"{}\"",
                            found.name.as_deref().unwrap_or(""),
                            entry.name
                        ));
                    }
                    check.problems.extend(other_facts(entry.route, found));
                    let shape = found.shape.mapped(|p| target.convention.inside(p));
                    compare(&mut check, entry, &shape, target, length_tolerance);
                }
                None => check.problems.push("it is not in the file".into()),
            }
            check
        })
        .collect()
}

/// The harness of a file against what should have been written, where the format holds one.
pub fn check_harness(
    entries: &Entries,
    contents: &Contents,
    target: &Target,
    format: Format,
) -> Vec<String> {
    if !format.holds_harness() {
        return Vec::new();
    }
    let written = entries.surroundings();
    let read = contents.network.surroundings();
    let read = read.mapped(|p| target.convention.inside(p));
    if written.is_empty() && read.is_empty() {
        return Vec::new();
    }
    let mut problems = Vec::new();
    let mut differs = |is_same: bool, what: &str| {
        if !is_same {
            problems.push(format!(
                "the {what} of the harness are not those that were written"
            ));
        }
    };
    let same_labels = entries.len() == contents.network.len()
        && (entries.segments.iter())
            .zip(&contents.network.segments)
            .all(|(a, b)| a.label == b.label);
    differs(same_labels, "segments");
    let near = |a: &Vec3, b: &Vec3| (a - b).norm() <= END * (1.0 + a.norm());
    let same = |a: &Pose, b: &Pose| {
        near(&a.position, &b.position) && a.rotation.angle_to(&b.rotation) <= 1e-9
    };
    differs(
        all(&written.nodes, &read.nodes, |a, b| {
            (&a.id, &a.name, &a.harness) == (&b.id, &b.name, &b.harness)
                && near(&a.position, &b.position)
        }),
        "nodes",
    );
    differs(
        all(&written.fixings, &read.fixings, |a, b| {
            (&a.id, &a.name, &a.segment, a.kind, a.turns, &a.part)
                == (&b.id, &b.name, &b.segment, b.kind, b.turns, &b.part)
                && (a.at - b.at).abs() <= END * (1.0 + a.at)
                && same(&a.pose, &b.pose)
        }),
        "fixings",
    );
    differs(
        all(&written.connectors, &read.connectors, |a, b| {
            (&a.id, &a.name, &a.node) == (&b.id, &b.name, &b.node) && same(&a.pose, &b.pose)
        }),
        "connectors",
    );
    problems
}

/// Whether two lists are the same, thing by thing.
fn all<T>(a: &[T], b: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
}

/// What a file says of a route besides its curve, where that is not what the route is.
fn other_facts(route: &Route, found: &FoundRoute) -> Option<String> {
    let (written, read) = (Facts::of(route), found.facts.as_ref()?);
    let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs(),
        (a, b) => a == b,
    };
    let same = near(written.diameter_mm, read.diameter_mm)
        && written.material == read.material
        && (read.lengths.is_none() || written.lengths == read.lengths);
    (!same).then(|| format!("the file says {read:?} of it, not {written:?}"))
}

fn blank(entry: &Entry, format: Format) -> RouteCheck {
    let route = entry.route;
    let (radius, at) = route.curve.smallest_radius();
    let bends = radius.is_finite();
    RouteCheck {
        route: route.name.clone(),
        name_in_file: format.names().map(|_| entry.name.to_owned()),
        cable_length_mm: route.cable_length,
        length_mm: None,
        deviation_mm: 0.0,
        fit_deviation_mm: route.deviation,
        end_gaps_mm: None,
        end_angles_deg: None,
        smallest_radius_mm: bends.then_some(radius),
        smallest_radius_at_mm: bends
            .then(|| route.curve.length_between(route.curve.domain().0, at)),
        count: 0,
        volume_ratio: None,
        lengths: route.lengths.clone(),
        solve_edges: route.solve.map(|s| s.n_edges),
        solve_error_estimate_mm: route.solve.and_then(|s| s.error_estimate),
        error_bars: route.solve.and_then(|s| s.bars),
        off_shown_mm: route.solve.and_then(|s| s.off_shown),
        problems: Vec::new(),
        warnings: Vec::new(),
    }
}

fn compare(
    check: &mut RouteCheck,
    entry: &Entry,
    shape: &FoundShape,
    target: &Target,
    length_tolerance: f64,
) {
    let route = entry.route;
    match (shape, entry.arcs) {
        (FoundShape::Elements(elements), Some(arcs)) => {
            compare_elements(check, route, elements, arcs, length_tolerance);
        }
        (FoundShape::Elements(_), None) => check
            .problems
            .push("it is lines and arcs, not a curve".into()),
        (_, Some(_)) => check.problems.push("it is not lines and arcs".into()),
        (FoundShape::Path(_), None) => check
            .problems
            .push("it is pieces of other curves, not one spline".into()),
        (FoundShape::Spline(curve), None) => {
            compare_curve(check, route, curve);
            let length = curve.length();
            check.length_mm = Some(length);
            let off = length - route.cable_length;
            if !(off.abs() <= length_tolerance) {
                check.problems.push(format!(
                    "the curve is {length:.4} mm long, the cable {:.4} mm: {off:+.4} mm; solve it with more edges",
                    route.cable_length
                ));
            }
        }
        (FoundShape::Points(points), None) => compare_points(check, route, points, target),
        (FoundShape::Skin(points), None) => {
            check.count = points.len();
            check.deviation_mm = skin_deviation(route, points);
            limit(
                check,
                check.deviation_mm,
                SKIN_DEVIATION,
                "the skin is",
                "mm off the tube's",
            );
        }
        (
            FoundShape::Mesh {
                vertices,
                triangles,
            },
            None,
        ) => {
            compare_mesh(check, route, vertices, triangles);
            let some: Vec<Vec3> = vertices
                .iter()
                .step_by(vertices.len().div_ceil(MESH_PLACES).max(1))
                .copied()
                .collect();
            check.deviation_mm = skin_deviation(route, &some);
            if let Some(fold) = Fold::sharpest(route) {
                // The skin there is inside the tube, whatever its corners: that is said, not measured.
                check
                    .warnings
                    .push(format!("the tube folds into itself: {fold}"));
                return;
            }
            let allowed = target.fineness.chord_error + SINGLE * extent(vertices);
            limit(
                check,
                check.deviation_mm,
                allowed,
                "corners are",
                "mm off the tube",
            );
        }
    }
    if check.problems.is_empty() && !check.deviation_mm.is_finite() {
        check
            .problems
            .push("it has numbers that are not finite".into());
    }
}

fn limit(check: &mut RouteCheck, value: f64, limit: f64, before: &str, after: &str) {
    if !(value <= limit) {
        check.problems.push(format!(
            "{before} {value:.3e} {after} (at most {limit:.0e})"
        ));
    }
}

fn compare_curve(check: &mut RouteCheck, route: &Route, curve: &BSpline) {
    check.count = curve.points().len();
    let same = *curve == route.curve;
    if !same {
        check.deviation_mm = distance(&route.curve, curve).max(distance(curve, &route.curve));
    }
    let all = check.deviation_mm + route.deviation;
    limit(check, all, CURVE_DEVIATION, "the curve is", "mm off");
    let ends = [
        (route.curve.start(), curve.start()),
        (route.curve.end(), curve.end()),
    ];
    check.end_gaps_mm = Some(ends.map(|(a, b)| (a.position - b.position).norm()));
    check.end_angles_deg = Some(ends.map(|(a, b)| angle_deg(&a.first, &b.first)));
    for (gap, which) in ends
        .map(|(a, b)| (a.position - b.position).norm())
        .into_iter()
        .zip(ENDS)
    {
        limit(check, gap, END, &format!("the {which} is"), "mm off");
    }
    for (angle, which) in ends
        .map(|(a, b)| angle_deg(&a.first, &b.first))
        .into_iter()
        .zip(ENDS)
    {
        limit(
            check,
            angle,
            DIRECTION,
            &format!("the direction at the {which} is"),
            "degrees off",
        );
    }
}

/// Lines and arcs: near the curve on the whole way, one after the other without gap or kink, none too sharp.
fn compare_elements(
    check: &mut RouteCheck,
    route: &Route,
    elements: &[Element],
    arcs: &LinesAndArcs,
    length_tolerance: f64,
) {
    check.count = elements.len();
    let (Some(first), Some(last)) = (elements.first(), elements.last()) else {
        check.problems.push("it has no lines and no arcs".into());
        return;
    };
    let curve = &route.curve;
    // Both run along the route: the element that is near a place is never behind the last one that was.
    let mut reached = 0;
    for (a, b) in curve.spans() {
        for i in 0..ARC_PLACES {
            let place = curve
                .at(a + (b - a) * i as f64 / ARC_PLACES as f64)
                .position;
            let mut near = elements[reached].distance(&place);
            for (k, element) in elements.iter().enumerate().skip(reached + 1) {
                let distance = element.distance(&place);
                if distance > near {
                    break;
                }
                (reached, near) = (k, distance);
            }
            check.deviation_mm = check.deviation_mm.max(near);
        }
    }
    let tolerance = arcs.limits.tolerance;
    let whole: f64 = elements.iter().map(Element::length).sum();
    let (a, b) = curve.domain();
    let mut before = 0.0;
    for element in elements {
        for part in [0.25, 0.5, 0.75] {
            let place = element.at(part);
            let guess = a + (b - a) * (before + part * element.length()) / whole;
            let mut near = curve.nearest_from(&place, guess).1;
            if !(near <= tolerance) {
                near = curve.nearest(&place).1;
            }
            check.deviation_mm = check.deviation_mm.max(near);
        }
        before += element.length();
    }
    let deviation = check.deviation_mm;
    limit(check, deviation, tolerance, "lines and arcs are", "mm off");
    let sharpest = elements
        .iter()
        .map(Element::radius)
        .fold(f64::INFINITY, f64::min);
    check.smallest_radius_mm = sharpest.is_finite().then_some(sharpest);
    check.smallest_radius_at_mm = sharpest.is_finite().then(|| {
        let before = elements.iter().take_while(|e| e.radius() > sharpest);
        before.map(Element::length).sum()
    });
    if sharpest < arcs.limits.smallest_radius * (1.0 - 1e-9) {
        check.problems.push(format!(
            "an arc has a radius of {sharpest:.4} mm, the smallest allowed is {:.4} mm",
            arcs.limits.smallest_radius
        ));
    }
    let ends = [
        (curve.start(), first.start(), first.directions()[0]),
        (curve.end(), last.end(), last.directions()[1]),
    ];
    let gaps = ends.map(|(at, place, _)| (at.position - place).norm());
    let angles = ends.map(|(at, _, direction)| angle_deg(&at.first, &direction));
    check.end_gaps_mm = Some(gaps);
    check.end_angles_deg = Some(angles);
    for i in 0..2 {
        limit(
            check,
            gaps[i],
            END,
            &format!("the {} is", ENDS[i]),
            "mm off",
        );
        let before = format!("the direction at the {} is", ENDS[i]);
        limit(check, angles[i], DIRECTION, &before, "degrees off");
    }
    let mut gap = 0.0_f64;
    let mut kink = 0.0_f64;
    for pair in elements.windows(2) {
        gap = gap.max((pair[1].start() - pair[0].end()).norm());
        kink = kink.max(angle_deg(
            &pair[0].directions()[1],
            &pair[1].directions()[0],
        ));
    }
    limit(check, gap, END, "there is a gap of", "mm");
    limit(check, kink, DIRECTION, "there is a kink of", "degrees");
    check.length_mm = Some(whole);
    // A curve that runs beside another by d has another length by d for each radian of turning.
    let turning: f64 = elements.iter().map(|e| e.length() / e.radius()).sum();
    limit(
        check,
        (whole - route.cable_length).abs(),
        length_tolerance + tolerance * turning,
        "the length is",
        "mm off",
    );
}

const ENDS: [&str; 2] = ["start", "end"];

/// The angle between two directions, degrees.
fn angle_deg(a: &Vec3, b: &Vec3) -> f64 {
    a.cross(b).norm().atan2(a.dot(b)).to_degrees()
}

/// Largest distance of places on `from` to `to`, followed along both.
fn distance(from: &BSpline, to: &BSpline) -> f64 {
    let ((a, b), (c, d)) = (from.domain(), to.domain());
    let mut largest = 0.0_f64;
    for (u, v) in from.spans() {
        for i in 0..PLACES {
            let t = u + (v - u) * (i as f64 + 0.5) / PLACES as f64;
            let place = from.at(t).position;
            let near = c + (t - a) / (b - a) * (d - c);
            let mut off = to.nearest_from(&place, near).1;
            if off > POINT_DEVIATION {
                off = off.min(to.nearest(&place).1);
            }
            largest = largest.max(off);
        }
    }
    largest
}

fn compare_points(check: &mut RouteCheck, route: &Route, points: &[Vec3], target: &Target) {
    check.count = points.len();
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        check.problems.push("it has no points".into());
        return;
    };
    let curve = &route.curve;
    let chain: f64 = points.windows(2).map(|p| (p[1] - p[0]).norm()).sum();
    check.length_mm = Some(chain);
    let mut at = curve.domain().0;
    let mut s = 0.0;
    let mut largest_chord = 0.0_f64;
    for (i, p) in points.iter().enumerate() {
        let before = at;
        if i > 0 {
            let step = (p - points[i - 1]).norm();
            s += step;
            let speed = curve.at(at).first.norm();
            let (t, mut off) = curve.nearest_from(p, at + step / speed.max(f64::MIN_POSITIVE));
            at = t;
            if off > POINT_DEVIATION {
                (at, off) = curve.nearest(p);
            }
            check.deviation_mm = check.deviation_mm.max(off);
            let middle = curve.at(0.5 * (before + at)).position;
            let along = (p - points[i - 1]).try_normalize(0.0);
            let sag = middle - p;
            let aside = along.map_or(sag, |a| sag - a * sag.dot(&a)).norm();
            largest_chord = largest_chord.max(aside);
            if at <= before {
                check
                    .problems
                    .push(format!("point {} goes back along the route", i + 1));
            }
        }
    }
    limit(
        check,
        check.deviation_mm,
        POINT_DEVIATION,
        "points are",
        "mm off the curve",
    );
    // The step follows the curvature at places: between them the chord may err a little more. Where points may
    // come no nearer, the chord is what it is.
    let chord = target
        .fineness
        .chord_error
        .max(largest_chord_allowed(route, target));
    limit(
        check,
        largest_chord,
        1.2 * chord,
        "chords are",
        "mm off the curve",
    );
    let shorter = (route.cable_length - s) / route.cable_length;
    limit(
        check,
        shorter.abs(),
        CHAIN_LENGTH,
        "the chain of points is",
        "of the length off",
    );
    let ends = [first - curve.start().position, last - curve.end().position].map(|d| d.norm());
    check.end_gaps_mm = Some(ends);
    for (gap, which) in ends.into_iter().zip(ENDS) {
        limit(check, gap, END, &format!("the {which} is"), "mm off");
    }
}

/// The chord error where the smallest step is all there is: h^2 / (8 R).
fn largest_chord_allowed(route: &Route, target: &Target) -> f64 {
    let h = target.fineness.smallest_step;
    let radius = route.curve.smallest_radius().0;
    h * h / (8.0 * radius)
}

/// Largest difference of points' distances from the centerline to its radius.
fn skin_deviation(route: &Route, points: &[Vec3]) -> f64 {
    let curve = &route.curve;
    points
        .iter()
        .map(|p| {
            let (t, distance) = curve.nearest(p);
            let s = curve.length_between(curve.domain().0, t);
            (distance - route.radius.at(s)).abs()
        })
        .fold(0.0, f64::max)
}

/// The largest coordinate.
fn extent(vertices: &[Vec3]) -> f64 {
    vertices.iter().fold(0.0, |a, v| a.max(v.amax()))
}

fn compare_mesh(check: &mut RouteCheck, route: &Route, vertices: &[Vec3], triangles: &[[u32; 3]]) {
    check.count = triangles.len();
    if triangles
        .iter()
        .flatten()
        .any(|&i| i as usize >= vertices.len())
    {
        check.problems.push("triangles without vertices".into());
        return;
    }
    // Vertices at the same place are one; each side of a triangle is met once the other way round.
    let mut numbers: HashMap<[u64; 3], usize> = HashMap::new();
    let welded: Vec<usize> = vertices
        .iter()
        .map(|v| {
            let next = numbers.len();
            *numbers
                .entry([v.x, v.y, v.z].map(|c| (c + 0.0).to_bits()))
                .or_insert(next)
        })
        .collect();
    let mut sides: HashMap<(usize, usize), i32> = HashMap::new();
    let mut volume = 0.0;
    let origin = vertices.first().copied().unwrap_or_default();
    for t in triangles {
        let [a, b, c] = t.map(|i| welded[i as usize]);
        for (from, to) in [(a, b), (b, c), (c, a)] {
            *sides.entry((from, to)).or_default() += 1;
        }
        let [a, b, c] = t.map(|i| vertices[i as usize] - origin);
        volume += a.dot(&b.cross(&c)) / 6.0;
    }
    let open = sides
        .iter()
        .filter(|((a, b), n)| **n != 1 || sides.get(&(*b, *a)) != Some(&1))
        .count();
    if open > 0 {
        check
            .problems
            .push(format!("the mesh is not closed: {open} open sides"));
    }
    let exact = tube_volume(route);
    check.volume_ratio = Some(volume / exact);
    limit(
        check,
        (volume / exact - 1.0).abs(),
        VOLUME,
        "the volume is",
        "of itself off",
    );
}

/// Volume of the tube, mm^3: the integral of pi r^2 along it (Pappus: bends take nothing away).
fn tube_volume(route: &Route) -> f64 {
    let places = 2000;
    let step = route.length / f64::from(places);
    let squares = (0..places).map(|i| route.radius.at((f64::from(i) + 0.5) * step).powi(2));
    std::f64::consts::PI * step * squares.sum::<f64>()
}

/// What a format's file must show of a route, for the user's table.
pub fn counted(carries: Carries, form: Form) -> &'static str {
    match carries {
        Carries::Curve if form != Form::Spline => "lines and arcs",
        Carries::Curve => "control points",
        Carries::Points => "points",
        Carries::Solid => "skin points",
        Carries::Mesh => "triangles",
    }
}
