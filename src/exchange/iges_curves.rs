//! Curves of IGES files: entities 100, 102, 104, 106, 110, 112 and 126, and the transformations (124) that place them.

use std::f64::consts::TAU;

use super::curve::{Basis, Curve, Cut, Nurbs, OFF_CURVE, Path, off_curve};
use super::iges_read::{IgesFile, Record};
use super::vda::polynomials;
use crate::geom::{Mat3, Vec3};

/// Transformations of transformations that are followed.
const DEEPEST: usize = 8;

/// A transformation: p to axes p + origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    axes: Mat3,
    origin: Vec3,
}

impl Motion {
    pub const IDENTITY: Self = Self {
        axes: Mat3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        origin: Vec3::new(0.0, 0.0, 0.0),
    };

    /// A scale, then a shift.
    pub fn placed(origin: Vec3, scale: f64) -> Self {
        let axes = Mat3::identity() * scale;
        Self { axes, origin }
    }

    /// The place of a point.
    pub fn apply(&self, p: &Vec3) -> Vec3 {
        // Not a bit changes without a motion.
        if *self == Self::IDENTITY {
            *p
        } else {
            self.axes * p + self.origin
        }
    }

    /// This one after another.
    pub fn after(&self, first: &Self) -> Self {
        Self {
            axes: self.axes * first.axes,
            origin: self.apply(&first.origin),
        }
    }
}

impl IgesFile {
    /// The transformation of an entity.
    pub(super) fn motion_of(&self, record: &Record) -> Result<Motion, String> {
        let mut motion = Motion::IDENTITY;
        let mut matrix = record.matrix;
        for _ in 0..DEEPEST {
            if matrix == 0 {
                return Ok(motion);
            }
            let found = &self.records[self.entity(matrix as f64)?];
            if found.kind != 124 {
                break;
            }
            let at = |i: usize| found.value(i);
            let axes = Mat3::new(
                at(1)?,
                at(2)?,
                at(3)?,
                at(5)?,
                at(6)?,
                at(7)?,
                at(9)?,
                at(10)?,
                at(11)?,
            );
            let origin = Vec3::new(at(4)?, at(8)?, at(12)?);
            motion = Motion { axes, origin }.after(&motion);
            matrix = found.matrix;
        }
        Err("its transformation is not understood".into())
    }

    /// The path of a curve before its transformation.
    pub(super) fn plain_curve(&self, record: &Record, depth: usize) -> Result<Path, String> {
        let at = |i: usize| record.value(i);
        let point =
            |i: usize| -> Result<Vec3, String> { Ok(Vec3::new(at(i)?, at(i + 1)?, at(i + 2)?)) };
        match record.kind {
            100 => arc(record),
            102 => {
                let mut path = Path::new();
                for i in 0..record.count(1)? {
                    let piece = self.entity(at(2 + i)?)?;
                    // Points stand between the pieces of some files.
                    if !matches!(self.records[piece].kind, 116 | 132) {
                        path.extend(self.curve(piece, depth + 1)?);
                    }
                }
                Ok(path)
            }
            104 => conic(record, self.unit_in_mm),
            106 => copious(record),
            110 if record.form != 0 => {
                Err("a line without ends: trim it, then export again".into())
            }
            110 => Ok(Curve::polyline(&[point(1)?, point(4)?])),
            112 => parametric(record),
            126 => spline(record),
            _ => Err("curves of this kind are not read".into()),
        }
    }
}

/// An arc about an axis along z, counter-clockwise; the whole circle where it ends where it starts.
fn arc(record: &Record) -> Result<Path, String> {
    let at = |i: usize| record.value(i);
    let z = at(1)?;
    let (cx, cy) = (at(2)?, at(3)?);
    let (sx, sy) = (at(4)? - cx, at(5)? - cy);
    let (ex, ey) = (at(6)? - cx, at(7)? - cy);
    let mut angle = (sx * ey - sy * ex).atan2(sx * ex + sy * ey);
    let radius = sx.hypot(sy);
    if angle <= 1e-9 * TAU {
        angle += TAU;
    }
    if (sx - ex).hypot(sy - ey) <= 1e-9 * radius {
        angle = TAU;
    }
    if radius <= 0.0 {
        return Err("its radius is 0".into());
    }
    let off = (ex.hypot(ey) - radius).abs();
    if off > OFF_CURVE * radius * angle {
        return Err(off_curve(off / (radius * angle)));
    }
    Ok(vec![Curve {
        basis: Basis::Ellipse {
            center: Vec3::new(cx, cy, z),
            x: Vec3::new(sx, sy, 0.0),
            y: Vec3::new(-sy, sx, 0.0),
        },
        from: 0.0,
        to: angle,
    }])
}

/// A to F of A x^2 + B x y + C y^2 + D x + E y + F = 0, for lengths in the unit of the file.
///
/// OpenCASCADE writes those of parabolas for mm in files of any unit: where both ends are off the conic, and on it when
/// they are counted in mm, the coefficients are taken so.
fn coefficients(
    record: &Record,
    unit_in_mm: f64,
    start: &Vec3,
    end: &Vec3,
) -> Result<[f64; 6], String> {
    const ON_CONIC: f64 = 1e-6;
    let mut own = [0.0; 6];
    for (i, value) in own.iter_mut().enumerate() {
        *value = record.value(i + 1)?;
    }
    let [a, b, c, d, e, f] = own;
    let square = unit_in_mm * unit_in_mm;
    let in_mm = [
        a * square,
        b * square,
        c * square,
        d * unit_in_mm,
        e * unit_in_mm,
        f,
    ];
    let is_on = |[a, b, c, d, e, f]: [f64; 6], p: &Vec3| {
        let terms = [
            a * p.x * p.x,
            b * p.x * p.y,
            c * p.y * p.y,
            d * p.x,
            e * p.y,
            f,
        ];
        let size: f64 = terms.iter().map(|t| t.abs()).sum();
        terms.iter().sum::<f64>().abs() <= ON_CONIC * size
    };
    let both_on = |coefficients| is_on(coefficients, start) && is_on(coefficients, end);
    Ok(if !both_on(own) && both_on(in_mm) {
        in_mm
    } else {
        own
    })
}

/// A conic by its coefficients in the plane z = ZT, counter-clockwise from start to end.
fn conic(record: &Record, unit_in_mm: f64) -> Result<Path, String> {
    let at = |i: usize| record.value(i);
    let z = at(7)?;
    let start = Vec3::new(at(8)?, at(9)?, z);
    let end = Vec3::new(at(10)?, at(11)?, z);
    let [a, b, c, d, e, f] = coefficients(record, unit_in_mm, &start, &end)?;
    let determinant = 4.0 * a * c - b * b;
    let size = a.abs().max(b.abs()).max(c.abs());
    // The axes: the turn that takes the mixed term away.
    let turn = 0.5 * b.atan2(a - c);
    let (sine, cosine) = turn.sin_cos();
    let (u, v) = (Vec3::new(cosine, sine, 0.0), Vec3::new(-sine, cosine, 0.0));
    let (p, q) = (
        a * cosine * cosine + b * cosine * sine + c * sine * sine,
        a * sine * sine - b * cosine * sine + c * cosine * cosine,
    );
    let basis = if determinant.abs() > 1e-12 * size * size {
        let center = Vec3::new(
            (b * e - 2.0 * c * d) / determinant,
            (b * d - 2.0 * a * e) / determinant,
            z,
        );
        let rest = -(f + 0.5 * (d * center.x + e * center.y));
        let (pp, qq) = (rest / p, rest / q);
        match (pp > 0.0, qq > 0.0) {
            (true, true) => Basis::Ellipse {
                center,
                x: u * pp.sqrt(),
                y: v * qq.sqrt(),
            },
            (true, false) => branch(center, u * pp.sqrt(), v * (-qq).sqrt(), &start),
            (false, true) => branch(center, v * qq.sqrt(), u * (-pp).sqrt(), &start),
            (false, false) => return Err("its conic has no points".into()),
        }
    } else {
        // A parabola: the axis is where the square is not.
        let (axis, across, square) = if p.abs() > q.abs() {
            (v, u, p)
        } else {
            (u, v, q)
        };
        let linear = Vec3::new(d, e, 0.0);
        let (along, aside) = (linear.dot(&axis), linear.dot(&across));
        if along == 0.0 || square == 0.0 {
            return Err("its conic is a pair of lines".into());
        }
        // square s^2 + aside s + along r + f = 0, with s across and r along the axis.
        let s = -aside / (2.0 * square);
        let r = (square * s * s - f) / along;
        Basis::Parabola {
            apex: axis * r + across * s + Vec3::z() * z,
            x: axis * (-square / along),
            y: across,
        }
    };
    let cut = |point: Vec3| Cut {
        point: Some(point),
        parameter: None,
    };
    // Ellipses run counter-clockwise, the others from start to end whichever way that is.
    Curve::between(&basis, [cut(start), cut(end)], true, true)
}

/// The branch of a hyperbola on which a point is.
fn branch(center: Vec3, x: Vec3, y: Vec3, on: &Vec3) -> Basis {
    let side = if (on - center).dot(&x) < 0.0 {
        -1.0
    } else {
        1.0
    };
    Basis::Hyperbola {
        center,
        x: x * side,
        y,
    }
}

/// Points of a path: pairs in a plane, triples, or sextuples of which the first three count.
fn copious(record: &Record) -> Result<Path, String> {
    let at = |i: usize| record.value(i);
    let n = record.count(2)?;
    let (first, width) = match at(1)? as i64 {
        1 => (4, 2),
        2 => (3, 3),
        3 => (3, 6),
        other => return Err(format!("points of the kind {other} are not understood")),
    };
    let plane = if width == 2 { at(3)? } else { 0.0 };
    let points: Result<Vec<Vec3>, String> = (0..n)
        .map(|i| {
            let k = first + width * i;
            let z = if width == 2 { plane } else { at(k + 2)? };
            Ok(Vec3::new(at(k)?, at(k + 1)?, z))
        })
        .collect();
    Ok(Curve::polyline(&points?))
}

/// A parametric spline: cubic polynomials in s = t - T(i).
fn parametric(record: &Record) -> Result<Path, String> {
    let at = |i: usize| record.value(i);
    let n = record.count(4)?;
    let breaks = (0..=n).map(|i| at(5 + i)).collect::<Result<Vec<_>, _>>()?;
    let first = 6 + n;
    let mut segments = Vec::with_capacity(n);
    for (i, pair) in breaks.windows(2).enumerate() {
        let step = pair[1] - pair[0];
        let mut powers = vec![Vec3::zeros(); 4];
        for axis in 0..3 {
            let mut scale = 1.0;
            for (k, power) in powers.iter_mut().enumerate() {
                // Coefficients are of s; those of s over the step are wanted.
                power[axis] = at(first + 12 * i + 4 * axis + k)? * scale;
                scale *= step;
            }
        }
        segments.push(powers);
    }
    let spline = polynomials(&breaks, &segments).map_err(|e| e.to_string())?;
    Ok(vec![Curve::whole(Basis::Spline(Nurbs::polynomial(spline)))])
}

/// `K, M, planar, closed, polynomial, periodic, knots, weights, points, V0, V1`.
fn spline(record: &Record) -> Result<Path, String> {
    let at = |i: usize| record.value(i);
    let (n, degree) = (record.count(1)? + 1, record.count(2)?);
    let weights_at = 7 + n + degree + 1;
    let points_at = weights_at + n;
    let numbers = |from: usize, to: usize| (from..to).map(at).collect::<Result<Vec<_>, _>>();
    let knots = numbers(7, weights_at)?;
    let weights = numbers(weights_at, points_at)?;
    let points: Result<Vec<Vec3>, String> = (0..n)
        .map(|i| points_at + 3 * i)
        .map(|k| Ok(Vec3::new(at(k)?, at(k + 1)?, at(k + 2)?)))
        .collect();
    let spline = Nurbs::new(degree, knots, points?, Some(weights)).map_err(|e| e.to_string())?;
    let (a, b) = spline.domain();
    let range = points_at + 3 * n;
    let (from, to) = (at(range).unwrap_or(a), at(range + 1).unwrap_or(b));
    let basis = Basis::Spline(spline);
    if to <= from || (from <= a && to >= b) {
        return Ok(vec![Curve::whole(basis)]);
    }
    let (from, to) = (from.max(a), to.min(b));
    Ok(vec![Curve { basis, from, to }])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::bspline::BSpline;

    fn record(kind: usize, numbers: &[f64]) -> Record {
        let mut fields = vec![kind.to_string()];
        fields.extend(numbers.iter().map(f64::to_string));
        Record::of_fields(kind, fields)
    }

    fn length(path: &[Curve]) -> f64 {
        path.iter().map(Curve::length).sum()
    }

    #[test]
    fn conics_of_coefficients_are_those_of_their_axes() {
        // x^2 / 4 + y^2 = 1, counter-clockwise from (2, 0) to (0, 1): a quarter.
        let quarter = conic(
            &record(
                104,
                &[0.25, 0.0, 1.0, 0.0, 0.0, -1.0, 7.0, 2.0, 0.0, 0.0, 1.0],
            ),
            1.0,
        );
        let quarter = quarter.unwrap();
        assert!((length(&quarter) - 9.688_448_220_547_675 / 4.0).abs() < 1e-9);
        assert!((quarter[0].start() - Vec3::new(2.0, 0.0, 7.0)).norm() < 1e-9);
        // The same turned by 30 degrees and moved.
        let (s, c) = (30.0_f64.to_radians()).sin_cos();
        let (a, b, cc) = (
            c * c / 4.0 + s * s,
            2.0 * s * c * (0.25 - 1.0),
            s * s / 4.0 + c * c,
        );
        let (x0, y0) = (3.0, -2.0);
        let (d, e) = (-2.0 * a * x0 - b * y0, -2.0 * cc * y0 - b * x0);
        let f = a * x0 * x0 + b * x0 * y0 + cc * y0 * y0 - 1.0;
        let (sx, sy) = (x0 + 2.0 * c, y0 + 2.0 * s);
        let (ex, ey) = (x0 - s, y0 + c);
        let turned = conic(&record(104, &[a, b, cc, d, e, f, 0.0, sx, sy, ex, ey]), 1.0).unwrap();
        assert!((length(&turned) - 9.688_448_220_547_675 / 4.0).abs() < 1e-8);
        // y^2 = 4 x from (0, 0) to (1, 2), and upside down.
        let expected = 2.0_f64.sqrt() + 1.0_f64.asinh();
        let up = conic(
            &record(
                104,
                &[0.0, 0.0, 1.0, -4.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 2.0],
            ),
            1.0,
        );
        assert!((length(&up.unwrap()) - expected).abs() < 1e-9);
        let side = conic(
            &record(
                104,
                &[1.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0, 2.0, -1.0],
            ),
            1.0,
        );
        assert!((length(&side.unwrap()) - expected).abs() < 1e-9);
        // x^2 - y^2 = 1 on its left branch.
        let t: f64 = 0.8;
        let left = [
            1.0,
            0.0,
            -1.0,
            0.0,
            0.0,
            -1.0,
            0.0,
            -1.0,
            0.0,
            -t.cosh(),
            t.sinh(),
        ];
        let left = conic(&record(104, &left), 1.0).unwrap();
        assert!((left[0].end() - Vec3::new(-t.cosh(), t.sinh(), 0.0)).norm() < 1e-9);
        assert!(left[0].start().x < 0.0);
    }

    #[test]
    fn parabolas_with_coefficients_for_mm_are_as_long_as_in_mm() {
        // y^2 = 48 x, all in mm, and with its ends alone in inches or metres.
        let [x0, y0, x1, y1] = [400.0 / 48.0, -20.0, 1089.0 / 48.0, 33.0];
        let ends = |unit: f64| [x0 / unit, y0 / unit, x1 / unit, y1 / unit];
        let in_mm = [&[0.0, 0.0, 1.0, -48.0, 0.0, 0.0, 0.0][..], &ends(1.0)].concat();
        let true_length = length(&conic(&record(104, &in_mm), 1.0).unwrap());
        for unit in [25.4, 1000.0, 0.001] {
            let mixed = [&[0.0, 0.0, 1.0, -48.0, 0.0, 0.0, 0.0][..], &ends(unit)].concat();
            let found = unit * length(&conic(&record(104, &mixed), unit).unwrap());
            assert!((found / true_length - 1.0).abs() < 1e-9, "{unit} {found}");
            let own = [&[0.0, 0.0, unit, -48.0, 0.0, 0.0, 0.0][..], &ends(unit)].concat();
            let found = unit * length(&conic(&record(104, &own), unit).unwrap());
            assert!((found / true_length - 1.0).abs() < 1e-9, "{unit} {found}");
        }
        // Neither: not a curve of that length, and no other.
        let off = [&[0.0, 0.0, 1.0, -48.0, 0.0, 0.0, 0.0][..], &ends(3.0)].concat();
        let why = conic(&record(104, &off), 25.4).unwrap_err();
        assert!(why.contains("off it"), "{why}");
    }

    #[test]
    fn arcs_run_counter_clockwise() {
        let three_quarters = arc(&record(100, &[0.0, 1.0, 1.0, 11.0, 1.0, 1.0, -9.0])).unwrap();
        assert!((length(&three_quarters) - 7.5 * TAU).abs() < 1e-9);
        let full = arc(&record(100, &[0.0, 1.0, 1.0, 11.0, 1.0, 11.0, 1.0])).unwrap();
        assert!((length(&full) - 10.0 * TAU).abs() < 1e-9);
    }

    #[test]
    fn parametric_splines_are_polynomials() {
        // One segment of length 2: x = s, y = s^2.
        let numbers = [
            3.0, 0.0, 3.0, 1.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0,
            0.0,
        ];
        let path = parametric(&record(112, &numbers)).unwrap();
        assert!((path[0].end() - Vec3::new(2.0, 4.0, 0.0)).norm() < 1e-12);
        let spline: &BSpline = match &path[0].basis {
            Basis::Spline(spline) => spline.as_polynomial().unwrap(),
            _ => panic!(),
        };
        assert!((spline.at(1.0).position - Vec3::new(1.0, 1.0, 0.0)).norm() < 1e-12);
    }
}
