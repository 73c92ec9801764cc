//! How sharply a cable is bent, and where that is worst against its limit.

use super::Cable;

/// A bend of a cable, mm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Arc length.
    pub at: f64,
    /// Radius of the centerline; infinite where it is straight.
    pub centerline: f64,
    /// Radius as the limit of the cable measures it: of a hose often on the inside.
    pub measured: f64,
    /// What is allowed at that place, measured so; `None` where nobody set a limit.
    pub limit: Option<f64>,
    /// Outer diameter of the cable there.
    pub diameter: f64,
    /// The radius over what is allowed, both of the centerline; the radius itself without a limit.
    share: f64,
}

impl Bend {
    /// Whether it is sharper than allowed.
    pub fn is_too_sharp(&self) -> bool {
        self.limit.is_some_and(|limit| self.measured < limit)
    }
}

impl Cable {
    /// The bend of its last solved shape that comes nearest to its limit, or goes farthest below it; where nobody set a
    /// limit the tightest.
    pub fn worst_bend(&self) -> Option<Bend> {
        self.worst_bend_between(0.0, self.length)
    }

    /// The same between two arc lengths, mm.
    ///
    /// Curvature of a joint = bend over the half edges on both sides, as the solver has it.
    pub fn worst_bend_between(&self, from: f64, to: f64) -> Option<Bend> {
        let slack = 1e-9 * self.length;
        let inside = from - slack..=to + slack;
        let shape = self.shape.as_ref()?;
        let lengths = self.edge_lengths();
        let growth = self.growth();
        let edge =
            |j: Option<usize>| growth * j.and_then(|j| lengths.get(j)).copied().unwrap_or(0.0);
        let mut before = vec![0.0];
        for l in &lengths {
            before.push(before[before.len() - 1] + l);
        }
        let thick = self.node_radii();
        let bends = shape.joints().map(|(j, joint)| {
            let length = 0.5 * (edge(j.checked_sub(1)) + edge(Some(j)));
            let centerline = length / joint.bend[0].hypot(joint.bend[1]);
            self.bend_of(before[j], centerline, thick[j])
        });
        bends
            .filter(|bend| inside.contains(&bend.at))
            .min_by(|a, b| a.share.total_cmp(&b.share))
    }

    /// A bend of the centerline where the cable has that outer radius, mm, judged by the limit of that place.
    fn bend_of(&self, at: f64, centerline: f64, outer: f64) -> Bend {
        let (limit, measured) = (&self.bend_limit, self.bend_limit.measured);
        let allowed = limit.mm(2.0 * outer);
        let of_centerline = allowed.map(|mm| measured.of_centerline(mm, outer));
        Bend {
            at,
            centerline,
            measured: measured.measured(centerline, outer),
            limit: allowed,
            diameter: 2.0 * outer,
            share: centerline / of_centerline.unwrap_or(1.0),
        }
    }

    /// Smallest bend radius that its centerline may have, mm, where it is thickest.
    pub fn smallest_centerline_radius(&self) -> Option<f64> {
        self.smallest_centerline_radius_of(self.thickest())
    }

    /// The same at each node.
    pub fn smallest_centerline_radii(&self) -> Option<Vec<f64>> {
        let radii = self.node_radii().into_iter();
        radii
            .map(|outer| self.smallest_centerline_radius_of(outer))
            .collect()
    }

    fn smallest_centerline_radius_of(&self, outer: f64) -> Option<f64> {
        let limit = self.bend_limit.mm(2.0 * outer)?;
        Some(self.bend_limit.measured.of_centerline(limit, outer))
    }
}
