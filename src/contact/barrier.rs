//! The log barrier on the surface distance, and the mollifier of nearly parallel edges.

/// Squared sine of the angle below which a pair of edges counts as nearly parallel (about 6 degrees). Such a pair
/// has no definite closest points; the samples along the cable cover it.
const PARALLEL: f64 = 0.01;

/// b(g) = -(g - d)^2 ln(g / d) for 0 < g < d, 0 beyond, infinite for g <= 0 (Li2020).
pub fn barrier(g: f64, d: f64) -> f64 {
    if g >= d {
        0.0
    } else if g <= 0.0 {
        f64::INFINITY
    } else {
        -(g - d).powi(2) * (g / d).ln()
    }
}

/// First derivative of [`barrier`]; negative inside.
pub fn barrier_gradient(g: f64, d: f64) -> f64 {
    if g >= d {
        0.0
    } else {
        -2.0 * (g - d) * (g / d).ln() - (g - d).powi(2) / g
    }
}

/// Second derivative of [`barrier`]; positive inside.
pub fn barrier_hessian(g: f64, d: f64) -> f64 {
    if g >= d {
        0.0
    } else {
        -2.0 * (g / d).ln() - 4.0 * (g - d) / g + ((g - d) / g).powi(2)
    }
}

/// Weight of an edge pair by its squared sine c: 0 when parallel, 1 from about 6 degrees on, smooth between.
/// Returns the value, the first and the second derivative.
pub fn mollifier(c: f64) -> (f64, f64, f64) {
    if c >= PARALLEL {
        (1.0, 0.0, 0.0)
    } else {
        let x = c / PARALLEL;
        (
            x * (2.0 - x),
            2.0 * (1.0 - x) / PARALLEL,
            -2.0 / (PARALLEL * PARALLEL),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_match_finite_differences() {
        let d = 0.4;
        for g in [0.001, 0.01, 0.1, 0.2, 0.39] {
            let h = 1e-5 * g;
            let first = (barrier(g + h, d) - barrier(g - h, d)) / (2.0 * h);
            let second = (barrier_gradient(g + h, d) - barrier_gradient(g - h, d)) / (2.0 * h);
            assert!((first - barrier_gradient(g, d)).abs() < 1e-6 * first.abs());
            assert!((second - barrier_hessian(g, d)).abs() < 1e-6 * second.abs());
        }
        for c in [1e-4, 0.003, 0.009] {
            let h = 1e-7;
            let (value, first, second) = mollifier(c);
            assert!(value > 0.0 && value < 1.0);
            assert!(
                ((mollifier(c + h).0 - mollifier(c - h).0) / (2.0 * h) - first).abs()
                    < 1e-5 * first.abs()
            );
            assert!(
                ((mollifier(c + h).1 - mollifier(c - h).1) / (2.0 * h) - second).abs()
                    < 1e-5 * second.abs()
            );
        }
    }

    #[test]
    fn the_barrier_ends_smoothly_and_never_yields() {
        assert!(barrier(0.3999, 0.4) < 1e-10 && barrier(0.4, 0.4) == 0.0);
        assert!(barrier_gradient(1e-9, 0.4) < -1e6);
        assert!(barrier(0.0, 0.4).is_infinite());
    }
}
