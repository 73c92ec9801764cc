//! The table of cases.

/// What a case does; the number is mm a step where it drags.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Cold,
    Free(f64),
    /// P2: the U-bend hose, dragged.
    Hose(f64),
    /// P3: the arch without gravity, its end rolled by so many degrees a step.
    Roll(f64),
    Over(&'static str),
    /// Cylinder and box, one beside the other.
    OverBoth,
    /// The same over time, a time step for each step of the handle.
    MovingOverBoth,
    /// The thin sheet, with the handle thrown about.
    Thrown,
    /// The hole that is hardly wider than the cable.
    Grommet,
    /// A cable raised against another that crosses over it, and moved along it.
    Crossing,
    /// Loops of a cable that are pulled closed.
    Loops,
    /// A box that is moved under the cable.
    Push,
    /// The engine bay, each side of its triangles in so many pieces.
    Bay(usize),
    /// The engine bay over time, a time step for each step of the handle.
    MovingBay,
    /// The engine bay, the handles sent to random places.
    RandomBay,
    /// The engine bay with its harness flexible, each of its open ends dragged.
    BayHarness,
    /// A cable twisted until it winds round itself.
    Twisted,
    /// So many cables side by side: the first one dragged, or all from the first guess.
    Bundle(usize),
    ColdBundle(usize),
    /// One of so many cables dragged, the others asleep; another one may be held short of its target.
    Beside(usize),
    BesideBlocked(usize),
    /// A harness of a car: thin cables from the first guess, true radii from the first guess, a clip dragged.
    ColdThinHarness,
    ColdHarness,
    Harness,
    /// A tree of so many cables with free junctions, one end dragged.
    Tree(usize),
}

/// One row of the table of cases.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub name: &'static str,
    pub description: &'static str,
    pub n_edges: usize,
    pub kind: Kind,
}

const fn row(name: &'static str, description: &'static str, n_edges: usize, kind: Kind) -> Row {
    Row {
        name,
        description,
        n_edges,
        kind,
    }
}

pub(super) const ROWS: [Row; 43] = [
    row(
        "p1-1mm",
        "P1 free, handle moved 1 mm a step",
        100,
        Kind::Free(1.0),
    ),
    row(
        "p1-5mm",
        "P1 free, handle moved 5 mm a step",
        100,
        Kind::Free(5.0),
    ),
    row(
        "p1-cold",
        "P1 from the first guess to rest",
        100,
        Kind::Cold,
    ),
    row(
        "p2-5mm",
        "P2 free, handle moved 5 mm a step",
        100,
        Kind::Hose(5.0),
    ),
    row(
        "p3-roll",
        "P3 without gravity, end rolled 5 degrees a step",
        100,
        Kind::Roll(5.0),
    ),
    row(
        "free-200",
        "P1 free, handle moved 5 mm a step",
        200,
        Kind::Free(5.0),
    ),
    row(
        "free-500",
        "P1 free, handle moved 5 mm a step",
        500,
        Kind::Free(5.0),
    ),
    row(
        "free-1000",
        "P1 free, handle moved 5 mm a step",
        1000,
        Kind::Free(5.0),
    ),
    row(
        "free-2000",
        "P1 free, handle moved 5 mm a step",
        2000,
        Kind::Free(5.0),
    ),
    row(
        "cylinder-100",
        "dragged over a cylinder, friction 0.2",
        100,
        Kind::Over("cylinder"),
    ),
    row(
        "box-100",
        "dragged over a box, friction 0.2",
        100,
        Kind::Over("box"),
    ),
    row(
        "cylinder-500",
        "dragged over a cylinder, friction 0.2",
        500,
        Kind::Over("cylinder"),
    ),
    row(
        "box-500",
        "dragged over a box, friction 0.2",
        500,
        Kind::Over("box"),
    ),
    row(
        "both-100",
        "dragged over a cylinder and a box, friction 0.2",
        100,
        Kind::OverBoth,
    ),
    row(
        "moving-100",
        "the same over time, implicit Euler, 5 ms a step",
        100,
        Kind::MovingOverBoth,
    ),
    row(
        "both-500",
        "dragged over a cylinder and a box, friction 0.2",
        500,
        Kind::OverBoth,
    ),
    row(
        "sheet-fast",
        "thrown over a thin sheet, up to 150 mm a step",
        100,
        Kind::Thrown,
    ),
    row(
        "grommet",
        "threaded through a hole 0.2 mm wider, 5 mm a step",
        100,
        Kind::Grommet,
    ),
    row(
        "crossing",
        "raised against another cable, 5 mm a step",
        100,
        Kind::Crossing,
    ),
    row(
        "loops",
        "three loops pulled closed, 3 mm a step",
        120,
        Kind::Loops,
    ),
    row(
        "push",
        "a box lifts the cable and turns, 5 mm or 1 degree a step",
        100,
        Kind::Push,
    ),
    row(
        "bay-50k",
        "dragged in the engine bay, 50 000 triangles",
        100,
        Kind::Bay(1),
    ),
    row(
        "bay-1m",
        "the same, each triangle cut into 25",
        100,
        Kind::Bay(5),
    ),
    row(
        "moving-bay",
        "dragged in the engine bay over time, implicit Euler, 5 ms a step",
        100,
        Kind::MovingBay,
    ),
    row(
        "bay-random",
        "engine bay, handles sent to random places, up to 200 mm",
        100,
        Kind::RandomBay,
    ),
    row(
        "twisted",
        "its end rolled by 8 turns, 20 degrees a step",
        274,
        Kind::Twisted,
    ),
    row(
        "bundle-4",
        "4 cables side by side, one dragged 5 mm a step",
        100,
        Kind::Bundle(4),
    ),
    row(
        "bundle-8",
        "8 cables side by side, one dragged 5 mm a step",
        100,
        Kind::Bundle(8),
    ),
    row(
        "bundle-16",
        "16 cables side by side, one dragged 5 mm a step",
        100,
        Kind::Bundle(16),
    ),
    row(
        "bundle-4-cold",
        "4 cables side by side from the first guess",
        100,
        Kind::ColdBundle(4),
    ),
    row(
        "bundle-8-cold",
        "8 cables side by side from the first guess",
        100,
        Kind::ColdBundle(8),
    ),
    row(
        "bundle-16-cold",
        "16 cables side by side from the first guess",
        100,
        Kind::ColdBundle(16),
    ),
    row(
        "beside-1",
        "one cable dragged 5 mm a step",
        100,
        Kind::Beside(1),
    ),
    row(
        "beside-42",
        "the same among 41 that sleep",
        100,
        Kind::Beside(42),
    ),
    row(
        "beside-200",
        "the same among 199 that sleep",
        100,
        Kind::Beside(200),
    ),
    row(
        "beside-blocked",
        "as beside-42, one of them held short of its target",
        100,
        Kind::BesideBlocked(42),
    ),
    row(
        "harness-thin",
        "180 thin cables, 51 junctions, from the first guess",
        0,
        Kind::ColdThinHarness,
    ),
    row(
        "harness-cold",
        "the same with true radii",
        0,
        Kind::ColdHarness,
    ),
    row(
        "harness-clip",
        "the same, a clip dragged 5 mm a step",
        0,
        Kind::Harness,
    ),
    row(
        "tree-4",
        "4 cables at a free junction, an end dragged 5 mm a step",
        50,
        Kind::Tree(4),
    ),
    row(
        "tree-20",
        "20 cables, free junctions, an end dragged 5 mm a step",
        50,
        Kind::Tree(20),
    ),
    row(
        "bay-harness",
        "harness of the engine bay, each open end dragged out along the axes and back, 5 mm a step",
        0,
        Kind::BayHarness,
    ),
    row(
        "tree-200",
        "200 cables, free junctions, an end dragged 5 mm a step",
        50,
        Kind::Tree(200),
    ),
];
