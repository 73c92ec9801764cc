//! Stretches of a cable that differ from the rest of it: sleeves, tape, thicker and thinner pieces.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Cable, CableSection};

/// Shorter than this over the length of the cable, a stretch is nothing but rounding.
const NOTHING: f64 = 1e-9;
/// Two ways along an edge that differ by less than this share of it are the same.
const TIE: f64 = 1e-6;

/// A stretch of a cable with a radius of its own, and its own stiffness and mass where those are known.
///
/// A rod has one radius for each edge, so a stretch begins and ends at the nodes next to its arc lengths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CableStretch {
    /// Arc length of the unstretched cable at which it begins, mm.
    pub from: f64,
    /// Where it ends, mm.
    pub to: f64,
    /// Outer radius, mm.
    pub radius: f64,
    /// Stiffness and mass of all that is there; those of the cable where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<CableSection>,
    /// Name of the material that the section came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
}

impl CableStretch {
    /// A stretch of that radius, as stiff and heavy as its cable.
    pub fn of_radius(from: f64, to: f64, radius: f64) -> Self {
        Self {
            from,
            to,
            radius,
            section: None,
            material: None,
        }
    }

    /// The same, shifted along the cable.
    #[must_use]
    pub fn shifted(&self, by: f64) -> Self {
        Self {
            from: self.from + by,
            to: self.to + by,
            ..self.clone()
        }
    }

    /// Whether another one differs in nothing but where it is.
    fn is_like(&self, other: &Self) -> bool {
        self.radius == other.radius
            && self.section == other.section
            && self.material == other.material
    }
}

/// What is wrong with stretches of a cable of that length: the field, and the problem in words. In order, apart from each
/// other, within the cable, and of usable numbers they must be.
pub fn problem(stretches: &[CableStretch], length: f64, bore: f64) -> Option<String> {
    let slack = 1e-6 * length;
    let mut before = 0.0;
    for stretch in stretches {
        let CableStretch {
            from, to, radius, ..
        } = *stretch;
        let named = format!("has one from {from} to {to} mm");
        if !(from.is_finite() && to.is_finite() && from < to) {
            return Some(format!("{named}; it must begin before it ends"));
        }
        if from < before - slack {
            return Some(format!(
                "{named} that begins before {before} mm; they must be in order and not overlap"
            ));
        }
        if to > length + slack {
            return Some(format!("{named}, beyond the cable's length of {length} mm"));
        }
        if !(radius.is_finite() && radius > 0.0 && 2.0 * radius > bore) {
            let must = if bore > 0.0 {
                format!("more than half of the inner diameter of {bore} mm")
            } else {
                "a positive number of mm".to_owned()
            };
            return Some(format!(
                "{named} whose radius must be {must}, but is {radius}"
            ));
        }
        let numbers = |s: &CableSection| {
            let stiff = [s.bending, s.bending2.unwrap_or(1.0), s.torsion, s.axial];
            stiff.iter().all(|x| x.is_finite() && *x > 0.0)
                && s.mass_kg_m.is_finite()
                && s.mass_kg_m >= 0.0
        };
        if !stretch.section.as_ref().is_none_or(numbers) {
            return Some(format!(
                "{named} whose section must have positive stiffness, and a mass that is not negative"
            ));
        }
        before = to;
    }
    None
}

impl Cable {
    /// Arc lengths of the nodes, mm.
    fn node_places(&self) -> Vec<f64> {
        let mut places = vec![0.0];
        for (i, length) in self.edge_lengths().iter().enumerate() {
            places.push(places[i] + length);
        }
        places
    }

    /// The edges of each stretch: between the nodes that are nearest to its ends, one at least.
    fn stretch_edges(&self) -> Vec<Range<usize>> {
        if self.stretches.is_empty() {
            return Vec::new();
        }
        let places = self.node_places();
        let n = places.len() - 1;
        let nearest = |s: f64| {
            let after = places.partition_point(|p| *p < s).min(n);
            let before = after.saturating_sub(1);
            // In the middle of an edge rounding must not decide.
            let slack = TIE * (places[after] - places[before]);
            if s - places[before] < places[after] - s + slack {
                before
            } else {
                after
            }
        };
        let edges = |stretch: &CableStretch| {
            let (first, end) = (nearest(stretch.from), nearest(stretch.to));
            if first < end {
                return first..end;
            }
            let middle = 0.5 * (stretch.from + stretch.to);
            let edge = places[1..n].partition_point(|p| *p <= middle);
            edge..edge + 1
        };
        self.stretches.iter().map(edges).collect()
    }

    /// Outer radius of each edge, mm: the one that collides. Where two stretches have but one edge the thicker counts.
    pub fn edge_radii(&self) -> Vec<f64> {
        let mut radii = vec![self.radius; self.n_edges];
        let mut taken = vec![false; self.n_edges];
        for (stretch, edges) in self.stretches.iter().zip(self.stretch_edges()) {
            for edge in edges {
                let more = !taken[edge] || stretch.radius > radii[edge];
                taken[edge] = true;
                if more {
                    radii[edge] = stretch.radius;
                }
            }
        }
        radii
    }

    /// Outer radius of each node, mm: the larger one of its edges.
    pub fn node_radii(&self) -> Vec<f64> {
        let edges = self.edge_radii();
        let of = |i: Option<usize>| i.and_then(|i| edges.get(i)).copied().unwrap_or(0.0);
        (0..=edges.len())
            .map(|i| of(i.checked_sub(1)).max(of(Some(i))))
            .collect()
    }

    /// Stiffness and mass of each edge; empty where all have those of the cable.
    pub fn edge_sections(&self) -> Vec<CableSection> {
        if self.stretches.iter().all(|s| s.section.is_none()) {
            return Vec::new();
        }
        let mut sections = vec![self.section; self.n_edges];
        for (stretch, edges) in self.stretches.iter().zip(self.stretch_edges()) {
            if let Some(section) = stretch.section {
                sections[edges].fill(section);
            }
        }
        sections
    }

    /// Runs of edges of one radius, from start to end.
    pub fn radius_runs(&self) -> Vec<(Range<usize>, f64)> {
        let mut runs: Vec<(Range<usize>, f64)> = Vec::new();
        for (edge, radius) in self.edge_radii().into_iter().enumerate() {
            match runs.last_mut() {
                Some((edges, same)) if *same == radius => edges.end = edge + 1,
                _ => runs.push((edge..edge + 1, radius)),
            }
        }
        runs
    }

    /// Outer radius at an arc length, mm; where two meet the larger one.
    pub fn radius_at(&self, arc_length: f64) -> f64 {
        if self.stretches.is_empty() {
            return self.radius;
        }
        let places = self.node_places();
        let slack = NOTHING * self.length;
        let radii = self.edge_radii();
        let n = radii.len();
        let reaches = |i: &usize| {
            let before = *i == 0 || places[*i] <= arc_length + slack;
            let after = i + 1 == n || places[i + 1] >= arc_length - slack;
            before && after
        };
        let at = (0..n).filter(reaches).map(|i| radii[i]);
        at.reduce(f64::max).unwrap_or(self.radius)
    }

    /// Outer radius where it is thickest, mm.
    pub fn thickest(&self) -> f64 {
        if self.stretches.is_empty() {
            return self.radius;
        }
        self.edge_radii().into_iter().fold(0.0, f64::max)
    }

    /// Outer radius where it is thinnest, mm.
    pub fn thinnest(&self) -> f64 {
        if self.stretches.is_empty() {
            return self.radius;
        }
        self.edge_radii().into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Takes the ends of all stretches to other arc lengths.
    pub(super) fn map_stretches(&mut self, map: impl Fn(f64) -> f64) {
        for stretch in &mut self.stretches {
            (stretch.from, stretch.to) = (map(stretch.from), map(stretch.to));
        }
    }

    /// The stretches between two arc lengths, counted from the first.
    pub(super) fn stretches_between(&self, from: f64, to: f64) -> Vec<CableStretch> {
        let slack = NOTHING * self.length;
        let inside = |stretch: &CableStretch| {
            let (a, b) = (stretch.from.max(from), stretch.to.min(to));
            (b - a > slack).then(|| CableStretch {
                from: a - from,
                to: b - from,
                ..stretch.clone()
            })
        };
        self.stretches.iter().filter_map(inside).collect()
    }

    /// The stretches of this cable and, behind it, another; those that run on into each other are one.
    pub(super) fn stretches_with(&self, behind: &Self) -> Vec<CableStretch> {
        let mut all = self.stretches.clone();
        for next in &behind.stretches {
            let next = next.shifted(self.length);
            match all.last_mut() {
                Some(last)
                    if last.is_like(&next) && (next.from - last.to).abs() <= 1e-6 * self.length =>
                {
                    last.to = next.to;
                }
                _ => all.push(next),
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(bending: f64) -> CableSection {
        CableSection {
            bending,
            bending2: None,
            torsion: bending,
            axial: 1e5,
            mass_kg_m: 0.1,
        }
    }

    fn cable(stretches: &[CableStretch]) -> Cable {
        let mut cable = Cable::new("c", 3.0, 100.0, section(1e3));
        cable.n_edges = 10;
        cable.stretches = stretches.to_vec();
        cable
    }

    #[test]
    fn a_stretch_is_the_edges_between_the_nodes_next_to_its_ends() {
        let sleeve = CableStretch::of_radius(18.0, 52.0, 5.0);
        let thin = CableStretch {
            section: Some(section(1e2)),
            ..CableStretch::of_radius(71.0, 74.0, 2.0)
        };
        let cable = cable(&[sleeve, thin]);
        let expected = [3.0, 3.0, 5.0, 5.0, 5.0, 3.0, 3.0, 2.0, 3.0, 3.0];
        assert_eq!(cable.edge_radii(), expected);
        assert_eq!((cable.thinnest(), cable.thickest()), (2.0, 5.0));
        let at = [0.0, 19.0, 20.0, 35.0, 50.0, 51.0, 75.0, 100.0].map(|s| cable.radius_at(s));
        assert_eq!(at, [3.0, 3.0, 5.0, 5.0, 5.0, 3.0, 2.0, 3.0]);
        assert_eq!(cable.node_radii()[1..4], [3.0, 5.0, 5.0]);
        assert_eq!(cable.radius_runs().len(), 5);
        let soft = |s: &CableSection| s.bending == 1e2;
        let sections = cable.edge_sections();
        assert!(soft(&sections[7]) && sections.iter().filter(|s| soft(s)).count() == 1);
    }

    #[test]
    fn pieces_of_a_cable_have_its_stretches_and_together_they_are_the_cable() {
        let whole = cable(&[
            CableStretch::of_radius(20.0, 50.0, 5.0),
            CableStretch::of_radius(70.0, 80.0, 2.0),
        ]);
        let piece = |from: f64, to: f64| {
            let mut piece = cable(&whole.stretches_between(from, to));
            piece.length = to - from;
            piece
        };
        let (first, second) = (piece(0.0, 40.0), piece(40.0, 100.0));
        assert_eq!(first.stretches, [CableStretch::of_radius(20.0, 40.0, 5.0)]);
        assert_eq!(second.stretches[0], CableStretch::of_radius(0.0, 10.0, 5.0));
        assert_eq!(first.stretches_with(&second), whole.stretches);
    }

    #[test]
    fn stretches_without_sense_are_refused() {
        let good = CableStretch::of_radius(20.0, 50.0, 5.0);
        let of = |change: &dyn Fn(&mut CableStretch)| {
            let mut stretch = good.clone();
            change(&mut stretch);
            stretch
        };
        assert_eq!(problem(std::slice::from_ref(&good), 100.0, 0.0), None);
        for bad in [
            vec![of(&|s| s.from = 50.0)],
            vec![of(&|s| s.from = f64::NAN)],
            vec![of(&|s| s.from = -1.0)],
            vec![of(&|s| s.to = 101.0)],
            vec![of(&|s| s.radius = 0.0)],
            vec![of(&|s| s.radius = f64::INFINITY)],
            vec![of(&|s| s.section = Some(section(0.0)))],
            vec![good.clone(), of(&|s| (s.from, s.to) = (40.0, 60.0))],
        ] {
            assert!(problem(&bad, 100.0, 0.0).is_some(), "{bad:?}");
        }
        assert!(
            problem(&[good], 100.0, 10.0).is_some(),
            "thinner than its bore"
        );
    }
}
