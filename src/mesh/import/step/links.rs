//! Representations that are placed in others by a relationship alone, without a use of a product.
//!
//! What such a one shows belongs to the product of the other; what is a product itself stands in it like a part; and
//! a product whose other side belongs to none stands where the relationship puts it.

use std::collections::{BTreeMap, HashMap};

use super::super::tree::Affine;
use super::product::{Child, Products};

/// Relationships behind each other that are followed.
const DEEPEST: usize = 32;

/// Relationships that are followed from one product, on all ways up.
const MOST_STEPS: usize = 10_000;

/// A relationship upwards: the other representation, and where the lower one stands in it.
type Lift = (u64, Option<Affine>);

/// What relationships without a use place.
#[derive(Default)]
pub struct Links {
    /// Products in each product.
    children: BTreeMap<u64, Vec<Child>>,
    /// Places of products that stand in none.
    places: BTreeMap<u64, Vec<Option<Affine>>>,
    /// Representations of no product in each product.
    parts: BTreeMap<u64, Vec<(u64, Affine)>>,
}

impl Links {
    /// Follows every relationship that no use of a product claims.
    pub fn new(products: &Products) -> Self {
        let mut this = Self::default();
        let loose = products.loose();
        if loose.is_empty() {
            return this;
        }
        let mut owners: HashMap<u64, u64> = HashMap::new();
        let definitions: Vec<u64> = products.with_shape().collect();
        for &definition in &definitions {
            for representation in products.representations(definition) {
                owners.entry(representation).or_insert(definition);
            }
        }
        let mut lifts: BTreeMap<u64, Vec<Lift>> = BTreeMap::new();
        for relation in loose {
            if let Some([lower, upper]) = products.sides(relation)
                && lower != upper
            {
                let place = products.place(relation, &[lower]);
                lifts.entry(lower).or_default().push((upper, place));
            }
        }
        let climb = Climb {
            products,
            owners: &owners,
            lifts: &lifts,
        };
        for &definition in &definitions {
            for (owner, place) in climb.tops(products.representations(definition)) {
                match owner {
                    Some(owner) if owner == definition => {}
                    Some(owner) => {
                        let child = Child { definition, place };
                        this.children.entry(owner).or_default().push(child);
                    }
                    None => this.places.entry(definition).or_default().push(place),
                }
            }
        }
        for &lower in lifts.keys().filter(|r| !owners.contains_key(r)) {
            for (owner, place) in climb.tops(vec![lower]) {
                // What has no place is left, and named by those who look for what was not reached.
                if let (Some(owner), Some(place)) = (owner, place) {
                    let shown = products.alike(vec![lower]).into_iter();
                    let parts = this.parts.entry(owner).or_default();
                    parts.extend(shown.map(|r| (r, place)));
                }
            }
        }
        this
    }

    /// Products that stand in a product.
    pub fn children(&self, definition: u64) -> &[Child] {
        self.children.get(&definition).map_or(&[], Vec::as_slice)
    }

    /// All products that stand in another.
    pub fn inner(&self) -> impl Iterator<Item = u64> + '_ {
        self.children.values().flatten().map(|c| c.definition)
    }

    /// Where a product stands that is in none.
    pub fn places(&self, definition: u64) -> &[Option<Affine>] {
        self.places.get(&definition).map_or(&[], Vec::as_slice)
    }

    /// Representations of no product that a product shows, and where.
    pub fn parts(&self, definition: u64) -> &[(u64, Affine)] {
        self.parts.get(&definition).map_or(&[], Vec::as_slice)
    }
}

/// The way up from representations to the next product, or to where there is no more.
struct Climb<'a> {
    products: &'a Products<'a>,
    owners: &'a HashMap<u64, u64>,
    lifts: &'a BTreeMap<u64, Vec<Lift>>,
}

impl Climb<'_> {
    /// The products above and the place in each; none for the product where it ends in no product.
    fn tops(&self, from: Vec<u64>) -> Vec<(Option<u64>, Option<Affine>)> {
        let mut found = Vec::new();
        self.climb(from, Some(Affine::identity()), 0, &mut 0, &mut found);
        found
    }

    fn climb(
        &self,
        from: Vec<u64>,
        place: Option<Affine>,
        depth: usize,
        n_steps: &mut usize,
        found: &mut Vec<(Option<u64>, Option<Affine>)>,
    ) {
        let mut is_top = true;
        for representation in self.products.alike(from) {
            for (upper, step) in self.lifts.get(&representation).into_iter().flatten() {
                is_top = false;
                *n_steps += 1;
                if depth >= DEEPEST || *n_steps > MOST_STEPS {
                    return;
                }
                let place = step.zip(place).map(|(step, place)| step.of(&place));
                match self.owners.get(upper) {
                    Some(owner) => found.push((Some(*owner), place)),
                    None => self.climb(vec![*upper], place, depth + 1, n_steps, found),
                }
            }
        }
        if is_top && depth > 0 {
            found.push((None, place));
        }
    }
}
