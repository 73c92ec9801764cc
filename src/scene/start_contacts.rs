//! Where cables start too near to parts: inside a margin, touching, or inside a part.

use super::Simulation;

/// A cable that starts nearer to a part than the margin it is to keep.
#[derive(Clone, Debug, PartialEq)]
pub struct InsideMargin {
    /// Name of the cable.
    pub cable: String,
    /// Name of the part.
    pub part: String,
    /// The margin it should keep, mm.
    pub margin: f64,
    /// The least that it keeps now, mm.
    pub kept: f64,
}

impl Simulation {
    /// Cables that are nearer to a part than its margin: they keep what there is until they have left.
    pub fn inside_margins(&self) -> Vec<InsideMargin> {
        let mut inside: Vec<InsideMargin> = Vec::new();
        for (cable, solver) in self.scene().cables.iter().zip(self.solvers()) {
            let margins = solver.margins();
            let mut last = None;
            // In the order of the parts.
            for reduced in margins.reduced() {
                let part = reduced.obstacle as usize;
                if last.replace(part) == Some(part) {
                    if let Some(same) = inside.last_mut() {
                        same.kept = same.kept.min(reduced.margin);
                    }
                    continue;
                }
                inside.push(InsideMargin {
                    cable: cable.name.clone(),
                    part: self.scene().parts[part].name.clone(),
                    margin: margins.full(part),
                    kept: reduced.margin,
                });
            }
        }
        inside
    }
}
