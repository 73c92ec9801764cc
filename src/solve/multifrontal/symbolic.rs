//! What the factors of a sparse matrix look like, before any number is known.

use super::ordering::{Graph, minimum_degree, reverse_cuthill_mckee};

/// Zeros that a front may have, over its entries, when columns are put into one.
const MOST_ZEROS: f64 = 0.15;
/// Columns up to which fronts are filled up with zeros: wider ones gain nothing more.
const WIDE: usize = 8;

/// Columns that are eliminated together.
#[derive(Clone, Debug)]
pub struct Front {
    /// The first of its columns, by their place in the order of elimination, and how many.
    pub first: usize,
    pub width: usize,
    /// Rows below its own columns, in their order.
    pub rows: Vec<usize>,
    /// Where the panel of its columns begins among all numbers.
    pub panel: usize,
    /// The front that its update goes to, and for each of its rows the place in that one.
    pub parent: Option<usize>,
    pub in_parent: Vec<usize>,
    /// How many fronts send theirs here.
    pub n_children: usize,
    /// Whether it is an odd number of fronts below its root.
    pub odd: bool,
}

impl Front {
    /// Blocks of a column of the panel.
    pub fn height(&self) -> usize {
        self.width + self.rows.len()
    }
}

/// The order of elimination and the fronts.
#[derive(Clone, Debug, Default)]
pub struct Symbolic {
    /// How the order was found.
    pub kind: Kind,
    /// Place in the order of elimination of each block.
    pub place: Vec<usize>,
    /// Which front a place belongs to.
    pub front_of: Vec<usize>,
    pub fronts: Vec<Front>,
    /// Numbers of all panels.
    pub n_numbers: usize,
    /// Multiplications of blocks, about.
    pub work: f64,
}

/// A kind of order of elimination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// Reverse Cuthill-McKee: along all rods at once.
    #[default]
    Along,
    /// Minimum degree.
    Least,
}

impl Symbolic {
    /// By the better of two orders.
    pub fn new(graph: &Graph) -> Self {
        let along = Elimination::new(graph, &reverse_cuthill_mckee(graph));
        let least = minimum_degree(graph).map(|order| Elimination::new(graph, &order));
        match least {
            Some(least) if least.work() < along.work() => least.into_fronts(Kind::Least),
            _ => along.into_fronts(Kind::Along),
        }
    }

    /// By an order of that kind.
    pub fn of_kind(graph: &Graph, kind: Kind) -> Self {
        let order = match kind {
            Kind::Least => minimum_degree(graph),
            Kind::Along => None,
        };
        match order {
            Some(order) => Elimination::new(graph, &order).into_fronts(kind),
            None => Elimination::new(graph, &reverse_cuthill_mckee(graph)).into_fronts(Kind::Along),
        }
    }

    /// Front, column and row in its panel (in blocks) of the entry of two places; `None` where the factors have none.
    pub fn entry(&self, a: usize, b: usize) -> Option<(usize, usize, usize)> {
        let (column, row) = (a.min(b), a.max(b));
        let number = self.front_of[column];
        let front = &self.fronts[number];
        let local = if row < front.first + front.width {
            row - front.first
        } else {
            front.width + front.rows.binary_search(&row).ok()?
        };
        Some((number, column - front.first, local))
    }
}

/// The elimination tree and the structure of each column.
struct Elimination {
    /// Place in the order of each block.
    place: Vec<usize>,
    parent: Vec<usize>,
    /// Rows below the diagonal of each column, in their order.
    columns: Vec<Vec<usize>>,
}

impl Elimination {
    fn new(graph: &Graph, order: &[usize]) -> Self {
        let n = order.len();
        let mut place = vec![0; n];
        for (at, &block) in order.iter().enumerate() {
            place[block] = at;
        }
        let parent = tree(graph, order, &place);
        // After its children, each: the tree's own order leaves the structure as it is and keeps updates together.
        let after = postorder(&parent);
        let mut renumbered = vec![0; n];
        for (new, &old) in after.iter().enumerate() {
            renumbered[old] = new;
        }
        let mut sorted = vec![usize::MAX; n];
        for (new, &old) in after.iter().enumerate() {
            sorted[new] = parent[old]
                .checked_add(1)
                .map_or(usize::MAX, |_| renumbered[parent[old]]);
        }
        for at in &mut place {
            *at = renumbered[*at];
        }
        let mut block_at = vec![0; n];
        for (block, &at) in place.iter().enumerate() {
            block_at[at] = block;
        }
        let mut children = vec![Vec::new(); n];
        for (j, &p) in sorted.iter().enumerate() {
            if p != usize::MAX {
                children[p].push(j);
            }
        }
        let mut columns: Vec<Vec<usize>> = Vec::with_capacity(n);
        let mut mark = vec![usize::MAX; n];
        for j in 0..n {
            let mut rows = Vec::new();
            mark[j] = j;
            let own = graph.neighbours(block_at[j]).iter().map(|&b| place[b]);
            let below = children[j].iter().flat_map(|&c| columns[c].iter().copied());
            for row in own.chain(below) {
                if row > j && mark[row] != j {
                    mark[row] = j;
                    rows.push(row);
                }
            }
            rows.sort_unstable();
            columns.push(rows);
        }
        Self {
            place,
            parent: sorted,
            columns,
        }
    }

    fn work(&self) -> f64 {
        let squares = self
            .columns
            .iter()
            .map(|rows| (rows.len() as f64 + 1.0).powi(2));
        squares.sum()
    }

    /// Puts columns with nearly the same rows together.
    fn into_fronts(self, kind: Kind) -> Symbolic {
        let n = self.columns.len();
        let work = self.work();
        let mut symbolic = Symbolic {
            kind,
            front_of: vec![0; n],
            work,
            ..Symbolic::default()
        };
        let entries = |width: usize, rows: usize| width * (width + 1) / 2 + width * rows;
        let mut first = 0;
        while first < n {
            let mut width = 1;
            let mut filled = entries(1, self.columns[first].len());
            while first + width < n && self.parent[first + width - 1] == first + width {
                let rows = self.columns[first + width].len();
                let all = entries(width + 1, rows);
                let own = filled + 1 + rows;
                let same = self.columns[first + width - 1].len() == rows + 1;
                let few = (all - own) as f64 <= MOST_ZEROS * all as f64;
                if !(same || width < WIDE && few) {
                    break;
                }
                width += 1;
                filled = own;
            }
            let rows = self.columns[first + width - 1].clone();
            let number = symbolic.fronts.len();
            symbolic.front_of[first..first + width].fill(number);
            symbolic.fronts.push(Front {
                first,
                width,
                panel: symbolic.n_numbers,
                parent: None,
                in_parent: Vec::new(),
                n_children: 0,
                odd: false,
                rows,
            });
            let front = &symbolic.fronts[number];
            symbolic.n_numbers += 9 * front.height() * width;
            first += width;
        }
        for number in 0..symbolic.fronts.len() {
            let Some(&next) = symbolic.fronts[number].rows.first() else {
                continue;
            };
            let parent = symbolic.front_of[next];
            let above = &symbolic.fronts[parent];
            let own = above.first..above.first + above.width;
            let mut at = 0;
            let in_parent = symbolic.fronts[number].rows.iter().map(|&row| {
                if own.contains(&row) {
                    return row - own.start;
                }
                while above.rows[at] < row {
                    at += 1;
                }
                above.width + at
            });
            let in_parent = in_parent.collect();
            symbolic.fronts[parent].n_children += 1;
            let front = &mut symbolic.fronts[number];
            (front.parent, front.in_parent) = (Some(parent), in_parent);
        }
        for number in (0..symbolic.fronts.len()).rev() {
            let parent = symbolic.fronts[number].parent;
            symbolic.fronts[number].odd = parent.is_some_and(|p| !symbolic.fronts[p].odd);
        }
        symbolic.place = self.place;
        symbolic
    }
}

/// Parent of each place in the elimination tree; `usize::MAX` for a root.
fn tree(graph: &Graph, order: &[usize], place: &[usize]) -> Vec<usize> {
    let n = order.len();
    let mut parent = vec![usize::MAX; n];
    let mut ancestor = vec![usize::MAX; n];
    for j in 0..n {
        for &block in graph.neighbours(order[j]) {
            let mut i = place[block];
            // Up from what was eliminated before, with shortcuts.
            while i < j {
                let next = ancestor[i];
                ancestor[i] = j;
                if next == usize::MAX {
                    parent[i] = j;
                    break;
                }
                i = next;
            }
        }
    }
    parent
}

/// Places of a forest, children before their parents, those of one parent one after the other.
fn postorder(parent: &[usize]) -> Vec<usize> {
    let n = parent.len();
    let mut first_child = vec![usize::MAX; n];
    let mut sibling = vec![usize::MAX; n];
    let mut roots = Vec::new();
    for j in (0..n).rev() {
        match parent[j] {
            usize::MAX => roots.push(j),
            p => {
                sibling[j] = first_child[p];
                first_child[p] = j;
            }
        }
    }
    let mut order = Vec::with_capacity(n);
    let mut stack = Vec::new();
    for &root in roots.iter().rev() {
        stack.push(root);
        while let Some(&j) = stack.last() {
            let child = first_child[j];
            if child == usize::MAX {
                order.push(j);
                stack.pop();
            } else {
                first_child[j] = sibling[child];
                stack.push(child);
            }
        }
    }
    order
}
