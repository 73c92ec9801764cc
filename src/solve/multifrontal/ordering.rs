//! In which order the blocks of a sparse matrix are eliminated.

/// Which blocks are coupled: for each its neighbours, without itself and without order, in one list.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    begins: Vec<usize>,
    neighbours: Vec<usize>,
}

impl Graph {
    /// Of `n` blocks with these couplings; each may be named more than once.
    pub fn new(n: usize, pairs: &[(usize, usize)]) -> Self {
        let mut lists = vec![Vec::new(); n];
        for &(a, b) in pairs {
            if a != b {
                lists[a].push(b);
                lists[b].push(a);
            }
        }
        let mut graph = Self {
            begins: vec![0],
            neighbours: Vec::with_capacity(2 * pairs.len()),
        };
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            graph.neighbours.extend(list);
            graph.begins.push(graph.neighbours.len());
        }
        graph
    }

    /// How many blocks.
    pub fn order(&self) -> usize {
        self.begins.len() - 1
    }

    /// What a block is coupled to.
    pub fn neighbours(&self, block: usize) -> &[usize] {
        &self.neighbours[self.begins[block]..self.begins[block + 1]]
    }

    fn degree(&self, block: usize) -> usize {
        self.begins[block + 1] - self.begins[block]
    }
}

/// Approximate minimum degree: for trees, crossings and breakouts. `None` when it refuses.
pub fn minimum_degree(graph: &Graph) -> Option<Vec<usize>> {
    let to_i32 = |k: &usize| i32::try_from(*k).ok();
    // With the diagonal, which changes nothing in the order: without it the crate's own checks overflow on a pattern
    // that has fewer entries than rows.
    let mut begins = vec![0];
    let mut rows = Vec::with_capacity(graph.neighbours.len() + graph.order());
    for block in 0..graph.order() {
        rows.push(to_i32(&block)?);
        for neighbour in graph.neighbours(block) {
            rows.push(to_i32(neighbour)?);
        }
        begins.push(to_i32(&rows.len())?);
    }
    let n = to_i32(&graph.order())?;
    let (order, _, _) = amd::order(n, &begins, &rows, &amd::Control::default()).ok()?;
    order.into_iter().map(|k| usize::try_from(k).ok()).collect()
}

/// Reverse Cuthill-McKee: for rods side by side, along all of them at once.
pub fn reverse_cuthill_mckee(graph: &Graph) -> Vec<usize> {
    let n = graph.order();
    let mut order = Vec::with_capacity(n);
    let mut seen = vec![false; n];
    let mut level = vec![0; n];
    for seed in 0..n {
        if seen[seed] {
            continue;
        }
        let start = peripheral(graph, seed, &mut level);
        let mut at = order.len();
        order.push(start);
        seen[start] = true;
        while at < order.len() {
            let from = order.len();
            for &next in graph.neighbours(order[at]) {
                if !seen[next] {
                    seen[next] = true;
                    order.push(next);
                }
            }
            order[from..].sort_by_key(|&b| (graph.degree(b), b));
            at += 1;
        }
    }
    order.reverse();
    order
}

/// A block at the far end of its connected piece, by breadth-first searches back and forth.
fn peripheral(graph: &Graph, seed: usize, level: &mut [usize]) -> usize {
    const ROUNDS: usize = 4;
    let (mut from, mut depth) = (seed, 0);
    for _ in 0..ROUNDS {
        let mut queue = vec![from];
        let mut at = 0;
        level.fill(usize::MAX);
        level[from] = 0;
        while at < queue.len() {
            let block = queue[at];
            for &next in graph.neighbours(block) {
                if level[next] == usize::MAX {
                    level[next] = level[block] + 1;
                    queue.push(next);
                }
            }
            at += 1;
        }
        let deepest = queue.last().map_or(0, |&b| level[b]);
        if deepest <= depth {
            break;
        }
        depth = deepest;
        let last = queue.into_iter().filter(|&b| level[b] == deepest);
        from = last.min_by_key(|&b| (graph.degree(b), b)).unwrap_or(from);
    }
    from
}
