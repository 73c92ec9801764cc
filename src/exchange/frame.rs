//! Frames along a curve that turn about it as little as can be: what tubes are built on.

use super::bspline::BSpline;
use crate::geom::Vec3;

/// A place on a curve with the directions across it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurveFrame {
    /// Parameter on the curve.
    pub t: f64,
    /// Where it is.
    pub position: Vec3,
    /// Unit tangent.
    pub tangent: Vec3,
    /// Unit normal.
    pub normal: Vec3,
    /// tangent x normal.
    pub binormal: Vec3,
    /// Curvature vector dT/ds.
    pub bend: Vec3,
    /// How fast the frame turns about the tangent, radians per mm: 0 but for a ring.
    pub turn: f64,
}

impl CurveFrame {
    /// The direction at `angle` from the normal.
    pub fn across(&self, angle: f64) -> Vec3 {
        self.normal * angle.cos() + self.binormal * angle.sin()
    }
}

/// Frames at rising parameters, from the first normal by double reflection (Wang2008).
///
/// The last frame of a ring is the first one again: what is missing there is turned in evenly on the way.
/// `None` where the curve stands still.
pub fn frames(curve: &BSpline, at: &[f64], closed: bool) -> Option<Vec<CurveFrame>> {
    let mut frames: Vec<CurveFrame> = Vec::with_capacity(at.len());
    for &t in at {
        let place = curve.at(t);
        let tangent = place.tangent()?;
        let speed_sq = place.first.norm_squared();
        let bend = (place.second - tangent * place.second.dot(&tangent)) / speed_sq;
        let normal = match frames.last() {
            None => across(&tangent),
            Some(before) => {
                let step = place.position - before.position;
                let reflect = |v: &Vec3, mirror: &Vec3| {
                    let square = mirror.norm_squared();
                    if square > 0.0 {
                        v - mirror * (2.0 * mirror.dot(v) / square)
                    } else {
                        *v
                    }
                };
                let (normal, forward) = (
                    reflect(&before.normal, &step),
                    reflect(&before.tangent, &step),
                );
                reflect(&normal, &(tangent - forward))
            }
        };
        let normal = (normal - tangent * normal.dot(&tangent)).try_normalize(1e-9)?;
        frames.push(CurveFrame {
            t,
            position: place.position,
            tangent,
            normal,
            binormal: tangent.cross(&normal),
            bend,
            turn: 0.0,
        });
    }
    if closed && frames.len() > 2 {
        close(curve, &mut frames);
    }
    Some(frames)
}

fn close(curve: &BSpline, frames: &mut [CurveFrame]) {
    let (first, last) = (frames[0], frames[frames.len() - 1]);
    let missing = first
        .normal
        .dot(&last.binormal)
        .atan2(first.normal.dot(&last.normal));
    let length = curve.length_between(first.t, last.t);
    let mut s = 0.0;
    let mut before = first.t;
    let count = frames.len();
    for (i, frame) in frames.iter_mut().enumerate() {
        s += curve.length_between(before, frame.t);
        before = frame.t;
        let angle = missing * s / length;
        let normal = frame.across(angle);
        (frame.normal, frame.binormal) = (normal, frame.tangent.cross(&normal));
        frame.turn = missing / length;
        if i + 1 == count {
            (frame.normal, frame.binormal) = (first.normal, first.binormal);
            (frame.tangent, frame.position) = (first.tangent, first.position);
        }
    }
}

/// Some direction across `tangent`, the same for the same tangent.
fn across(tangent: &Vec3) -> Vec3 {
    let least = if tangent.z.abs() < 0.9 {
        Vec3::z()
    } else {
        Vec3::x()
    };
    least.cross(tangent)
}

#[cfg(test)]
mod tests {
    use super::super::bspline::tests::sample;
    use super::*;

    #[test]
    fn frames_are_orthonormal_and_do_not_turn() {
        let curve = sample();
        let at: Vec<f64> = (0..=100).map(|i| f64::from(i) * 0.02).collect();
        let frames = frames(&curve, &at, false).unwrap();
        for pair in frames.windows(2) {
            let f = pair[1];
            assert!((f.normal.norm() - 1.0).abs() < 1e-12);
            assert!(f.normal.dot(&f.tangent).abs() < 1e-12);
            // The change of the normal is along the tangent, but for the error of the method.
            let change = f.normal - pair[0].normal;
            let middle = (pair[0].binormal + f.binormal) * 0.5;
            assert!(change.dot(&middle).abs() < 1e-5);
        }
    }
}
