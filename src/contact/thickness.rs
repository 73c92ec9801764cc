//! How thick a rod is along its length.

/// How much thicker each edge of a rod is than the rod is where it is thinnest, mm.
///
/// A rod is all of its edges together, each a capsule with a radius of its own: at a node the larger one of the two counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Thickness<'a>(&'a [f64]);

impl<'a> Thickness<'a> {
    /// From one number for each edge; none at all for a rod of one radius.
    pub fn new(of_edges: &'a [f64]) -> Self {
        Self(of_edges)
    }

    /// Of an edge.
    #[inline]
    pub fn of_edge(&self, edge: usize) -> f64 {
        self.0.get(edge).copied().unwrap_or(0.0)
    }

    /// The most of an edge and its neighbours: what its nodes have at most.
    #[inline]
    pub fn around(&self, edge: usize) -> f64 {
        if self.0.is_empty() {
            return 0.0;
        }
        let own = self.of_edge(edge).max(self.of_edge(edge + 1));
        edge.checked_sub(1)
            .map_or(own, |before| own.max(self.of_edge(before)))
    }

    /// The most of all edges.
    pub fn most(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// Whether the first node of an edge is a sample of that edge, and the last one: a node belongs to the thicker one of
    /// its two edges, of equal ones to that which it starts; the last node of `n_edges` to the last edge.
    pub fn owns_ends(&self, edge: usize, n_edges: usize) -> [bool; 2] {
        let own = self.of_edge(edge);
        let first = edge == 0 || self.of_edge(edge - 1) <= own;
        [first, edge + 1 == n_edges || self.of_edge(edge + 1) < own]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::pair::{Chain, NearPairs, PairSettings, find_pair_contacts, pair_term};
    use crate::contact::{
        Candidates, ContactSettings, Obstacle, Sticky, Sweep, contact_term, find_contacts,
    };
    use crate::geom::{Aabb, Vec3};
    use crate::mesh::primitives;

    /// Four edges of 10 mm along x, of which two are 2 mm thicker than the 4 mm of the rest.
    const THICKER: [f64; 4] = [0.0, 2.0, 2.0, 0.0];
    const LENGTHS: [f64; 4] = [10.0; 4];

    fn settings() -> ContactSettings {
        ContactSettings::new(4.0, 0.01, 0.2)
    }

    /// The top of a box is the plane z = 0.
    fn below() -> [Obstacle; 1] {
        let (min, max) = (Vec3::new(-90.0, -90.0, -9.0), Vec3::new(90.0, 90.0, 0.0));
        [Obstacle::new(&primitives::cuboid(&Aabb { min, max }))]
    }

    /// A chain that goes up and down by some hundredths.
    fn chain(height: f64, rng: &mut fastrand::Rng) -> Vec<Vec3> {
        let mut wave = || 0.1 * (rng.f64() - 0.5);
        (0..5)
            .map(|i| Vec3::new(10.0 * f64::from(i) - 20.0, wave(), height + wave()))
            .collect()
    }

    /// Energy of a chain against the box, its gradient, and the nodes and edges that touch it, by twice their places.
    fn on_box(
        obstacles: &[Obstacle],
        points: &[Vec3],
        thicker: &[f64],
    ) -> (f64, Vec<Vec3>, Vec<u32>) {
        let settings = settings();
        let mut candidates = Candidates::new(points.len() - 1);
        candidates.set_thickness(thicker);
        let mut contacts = Vec::new();
        let sticky = Sticky::default();
        find_contacts(
            obstacles,
            &mut candidates,
            points,
            &LENGTHS,
            &settings,
            &sticky,
            &mut contacts,
        );
        let (mut energy, mut gradient) = (0.0, vec![Vec3::zeros(); points.len()]);
        for contact in &contacts {
            let i = contact.edge as usize;
            let term = contact_term(contact, &points[i], &points[i + 1], &settings, true);
            energy += term.energy;
            gradient[i] += term.gradient.fixed_rows::<3>(0);
            gradient[i + 1] += term.gradient.fixed_rows::<3>(3);
        }
        let place = |c: &crate::contact::Contact| 2 * c.edge + (2.0 * c.s).round() as u32;
        (energy, gradient, contacts.iter().map(place).collect())
    }

    fn assert_is_gradient(points: &[Vec3], gradient: &[Vec3], energy: impl Fn(&[Vec3]) -> f64) {
        let size: f64 = gradient.iter().map(Vec3::norm).sum();
        assert!(size > 1e-3, "a test on zeros proves nothing");
        for (i, expected) in gradient.iter().enumerate() {
            for k in 0..3 {
                let moved = |by: f64| {
                    let mut points = points.to_vec();
                    points[i][k] += by;
                    energy(&points)
                };
                let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                assert!(
                    (slope - expected[k]).abs() < 1e-5 * (1.0 + size),
                    "{slope} {expected}"
                );
            }
        }
    }

    #[test]
    fn the_thick_edges_with_their_nodes_touch_first_and_push_by_the_gradient_of_their_energy() {
        let obstacles = below();
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..20 {
            // Within the barrier of 0.4 mm for a radius of 6 mm, far from it for one of 4 mm.
            let points = chain(6.2, &mut rng);
            let (_, gradient, places) = on_box(&obstacles, &points, &THICKER);
            assert_eq!(
                places,
                [2, 3, 4, 5, 6],
                "the nodes 1 to 3 and the two edges between"
            );
            let energy = |points: &[Vec3]| on_box(&obstacles, points, &THICKER).0;
            assert_is_gradient(&points, &gradient, energy);
            assert!(on_box(&obstacles, &points, &[]).2.is_empty());
        }
    }

    #[test]
    fn all_edges_thicker_is_the_thicker_rod() {
        let obstacles = below();
        let points = chain(6.2, &mut fastrand::Rng::with_seed(4));
        let (thick, _, _) = on_box(&obstacles, &points, &[2.0; 4]);
        let lowered: Vec<Vec3> = points.iter().map(|p| p - Vec3::z() * 2.0).collect();
        let (thin, _, _) = on_box(&obstacles, &lowered, &[]);
        assert!(
            thin > 0.0 && (thick / thin - 1.0).abs() < 1e-9,
            "{thick} {thin}"
        );
    }

    #[test]
    fn a_jump_stops_where_the_thickest_edge_would_touch() {
        let obstacles = below();
        let points: Vec<Vec3> = (0..5)
            .map(|i| Vec3::new(10.0 * f64::from(i), 0.0, 20.0))
            .collect();
        let height = |thicker: &[f64], held: bool| {
            let mut candidates = Candidates::new(4);
            candidates.set_thickness(thicker);
            let settings = settings();
            let sweep = Sweep {
                obstacles: &obstacles,
                points: &points,
                motion: &[Vec3::z() * -100.0; 5],
                held: &[false, held, false, false, false],
                settings: &settings,
                rigid: &[],
                moving: None,
            };
            20.0 - 100.0 * sweep.limit(&mut candidates).fraction
        };
        // A tenth of the barrier distance is left of an edge, three tenths of a held node, of its thicker edge.
        assert!((height(&[], false) - 4.04).abs() < 1e-9);
        assert!((height(&THICKER, false) - 6.04).abs() < 1e-9);
        assert!((height(&THICKER, true) - 6.12).abs() < 1e-9);
    }

    #[test]
    fn rods_that_cross_touch_by_the_radii_of_the_edges_that_meet() {
        let settings = settings();
        let pair = PairSettings::new(&settings, &settings);
        let find = |own: &[Vec3], other: &[Vec3], thicker: [&[f64]; 2]| {
            let chain = |k: usize| Chain {
                points: if k == 0 { own } else { other },
                motion: &[],
                held: &[false; 5],
                lengths: &LENGTHS,
                settings: &settings,
                thickness: Thickness::new(thicker[k]),
                sees_itself: false,
                awake: true,
            };
            let mut contacts = Vec::new();
            let chains = [chain(0), chain(1)];
            let inside = find_pair_contacts(&chains, &mut NearPairs::default(), &mut contacts);
            assert_eq!(inside, 0);
            let (mut energy, mut gradient) = (0.0, vec![Vec3::zeros(); 5]);
            for contact in &contacts {
                let edges = contact.edges.map(|i| i as usize);
                let points = contact.rods.map(|r| if r == 0 { own } else { other });
                let nodes = [0, 1].map(|k| [&points[k][edges[k]], &points[k][edges[k] + 1]]);
                let nodes = [nodes[0][0], nodes[0][1], nodes[1][0], nodes[1][1]];
                let term = pair_term(contact, &nodes, &pair, false);
                energy += term.energy;
                for side in (0..2).filter(|&side| contact.rods[side] == 0) {
                    for end in 0..2 {
                        gradient[edges[side] + end] +=
                            term.gradient.fixed_rows::<3>(6 * side + 3 * end);
                    }
                }
            }
            (energy, gradient, contacts)
        };
        let mut rng = fastrand::Rng::with_seed(8);
        for _ in 0..20 {
            let own = chain(12.2, &mut rng);
            // Across, a little beside the middle, so that no edge ends where they meet.
            let across = chain(0.0, &mut rng);
            let across: Vec<Vec3> = across
                .iter()
                .map(|p| Vec3::new(4.0 + p.y, p.x + 3.0, p.z))
                .collect();
            let (_, gradient, contacts) = find(&own, &across, [&THICKER, &THICKER]);
            assert!(contacts.iter().any(|c| c.crossing));
            assert!(contacts.iter().all(|c| c.radii == 12.0), "{contacts:?}");
            assert_is_gradient(&own, &gradient, |own| {
                find(own, &across, [&THICKER, &THICKER]).0
            });
            assert!(find(&own, &across, [&THICKER, &[]]).2.is_empty());
        }
    }

    #[test]
    fn each_node_is_a_sample_of_one_edge_and_that_is_the_thicker_one() {
        let of_edges = [0.0, 2.0, 2.0, 0.0, 1.0];
        for of_edges in [&of_edges[..], &[]] {
            let thickness = Thickness::new(of_edges);
            let mut owners = vec![Vec::new(); 6];
            for edge in 0..5 {
                let owns = thickness.owns_ends(edge, 5);
                for (k, _) in owns.iter().enumerate().filter(|(_, owns)| **owns) {
                    owners[edge + k].push(edge);
                }
            }
            let owner = |node: usize| owners[node][0];
            assert!(owners.iter().all(|o| o.len() == 1), "{owners:?}");
            for node in 1..5 {
                let most = thickness.of_edge(node - 1).max(thickness.of_edge(node));
                assert_eq!(thickness.of_edge(owner(node)), most);
            }
        }
        let thickness = Thickness::new(&of_edges);
        assert_eq!([0, 3, 4].map(|i| thickness.around(i)), [2.0, 2.0, 1.0]);
        assert_eq!(thickness.most(), 2.0);
    }
}
