//! Bodies of clusters that go their way by themselves.

use super::{Bodies, Link, Member};
use crate::solve::clusters::Clusters;

impl Bodies {
    /// The bodies of each cluster: all rods of one are in the same.
    pub fn split(&self, clusters: &Clusters) -> Vec<Self> {
        let mut parts = vec![Self::default(); clusters.len()];
        for body in &self.all {
            let links = &self.links[body.links.clone()];
            let Some((cluster, _)) = clusters.place(links[0].rod) else {
                continue;
            };
            let part = &mut parts[cluster];
            let first = part.links.len();
            part.links.extend(links.iter().map(|link| Link {
                rod: clusters.place(link.rod).map_or(link.rod, |(_, r)| r),
                ..link.clone()
            }));
            part.all.push(Member {
                links: first..part.links.len(),
                ..body.clone()
            });
        }
        parts
    }

    /// Takes back the bodies of a cluster, whose rods these are, in rising order.
    pub fn rejoin(&mut self, part: Self, members: &[usize]) {
        let mut part = part.all.into_iter();
        for body in &mut self.all {
            let rod = self.links[body.links.start].rod;
            if members.binary_search(&rod).is_err() {
                continue;
            }
            if let Some(moved) = part.next() {
                *body = Member {
                    links: body.links.clone(),
                    ..moved
                };
            }
        }
    }
}
