//! How sharply a cable may be bent: at rest and in motion, in diameters or mm, on its centerline or inside the bend.

use serde::{Deserialize, Serialize};

/// A bend radius as engineers write it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BendRadius {
    /// So many outer diameters: it follows the diameter.
    Diameters(f64),
    /// mm.
    Mm(f64),
}

impl BendRadius {
    /// In mm, for a cable of that outer diameter.
    pub fn mm(self, diameter: f64) -> f64 {
        match self {
            Self::Diameters(n) => n * diameter,
            Self::Mm(mm) => mm,
        }
    }

    /// The number alone, whatever it counts.
    pub fn number(self) -> f64 {
        match self {
            Self::Diameters(n) | Self::Mm(n) => n,
        }
    }

    /// `4 x D = 96 mm`, or `96 mm`.
    pub fn words(self, diameter: f64) -> String {
        let mm = digits(self.mm(diameter));
        match self {
            Self::Diameters(n) => format!("{} x D = {mm} mm", digits(n)),
            Self::Mm(_) => format!("{mm} mm"),
        }
    }
}

/// A number with at most two digits behind the point.
fn digits(x: f64) -> String {
    let text = format!("{x:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Where a bend radius is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BendMeasure {
    /// On the centerline, as for cables.
    #[default]
    Centerline,
    /// On the inside of the bend, as hose standards do: the radius of the centerline less the outer radius.
    Inside,
}

impl BendMeasure {
    /// What stands behind a radius that is measured so: nothing, or ` inside`.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Centerline => "",
            Self::Inside => " inside",
        }
    }

    /// The radius as it is measured, of a bend whose centerline has `centerline`, mm.
    pub fn measured(self, centerline: f64, outer_radius: f64) -> f64 {
        match self {
            Self::Centerline => centerline,
            Self::Inside => centerline - outer_radius,
        }
    }

    /// The radius of the centerline, of a bend that is measured as `measured`, mm.
    pub fn of_centerline(self, measured: f64, outer_radius: f64) -> f64 {
        match self {
            Self::Centerline => measured,
            Self::Inside => measured + outer_radius,
        }
    }
}

/// How sharply a cable may be bent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BendLimit {
    /// Smallest radius where it lies still.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_rest: Option<BendRadius>,
    /// Smallest radius where it is moved again and again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_motion: Option<BendRadius>,
    /// Where both are measured.
    pub measured: BendMeasure,
    /// Whether the cable is moved in use, so that it is judged by the limit of motion.
    pub moves: bool,
}

impl BendLimit {
    /// A limit at rest alone, mm of the centerline.
    pub fn centerline(mm: f64) -> Self {
        Self {
            at_rest: Some(BendRadius::Mm(mm)),
            ..Self::default()
        }
    }

    /// The limit that counts: of a cable that is moved the larger one.
    pub fn applied(&self, diameter: f64) -> Option<BendRadius> {
        match (self.at_rest, self.in_motion.filter(|_| self.moves)) {
            (Some(a), Some(b)) if b.mm(diameter) >= a.mm(diameter) => Some(b),
            (Some(a), _) => Some(a),
            (None, b) => b,
        }
    }

    /// The limit that counts in mm, as it is measured.
    pub fn mm(&self, diameter: f64) -> Option<f64> {
        Some(self.applied(diameter)?.mm(diameter))
    }

    /// Whether the limit that the cable should be judged by is not known.
    pub fn is_missing(&self) -> bool {
        if self.moves {
            self.in_motion.is_none()
        } else {
            self.at_rest.is_none()
        }
    }

    /// `4 x D = 96 mm inside`, or `no limit set`.
    pub fn words(&self, diameter: f64) -> String {
        match self.applied(diameter) {
            Some(limit) => limit.words(diameter) + self.measured.suffix(),
            None => "no limit set".to_owned(),
        }
    }

    /// The first number that makes no sense: its name and what it is.
    pub fn bad_number(&self) -> Option<(&'static str, f64)> {
        [
            ("bend_limit.at_rest", self.at_rest),
            ("bend_limit.in_motion", self.in_motion),
        ]
        .into_iter()
        .filter_map(|(name, radius)| Some((name, radius?.number())))
        .find(|(_, value)| !(value.is_finite() && *value > 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_in_diameters_follows_the_diameter_and_motion_counts_where_it_moves() {
        let mut limit = BendLimit {
            at_rest: Some(BendRadius::Diameters(4.0)),
            in_motion: Some(BendRadius::Mm(120.0)),
            measured: BendMeasure::Inside,
            moves: false,
        };
        assert_eq!(limit.mm(24.0), Some(96.0));
        assert_eq!(limit.mm(8.0), Some(32.0));
        assert_eq!(limit.words(24.0), "4 x D = 96 mm inside");
        limit.moves = true;
        assert_eq!(limit.mm(24.0), Some(120.0));
        // At 40 mm diameter the limit at rest is the larger one.
        assert_eq!(limit.mm(40.0), Some(160.0));
        assert!(!limit.is_missing());
        limit.in_motion = None;
        assert!(limit.is_missing() && limit.mm(24.0) == Some(96.0));
        assert_eq!(BendLimit::default().words(8.0), "no limit set");
        assert_eq!(BendMeasure::Inside.measured(100.0, 12.0), 88.0);
    }
}
