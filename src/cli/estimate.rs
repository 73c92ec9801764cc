//! The error bars of `solve --verify`, in words and for machines.

use serde_json::{Value, json};

use super::console::Console;
use super::report::status_key;
use crate::scene::refine::Estimate;
use crate::solve::Status;

/// The error bars in words, and a warning where they do not hold.
pub fn show(e: &Estimate, console: &mut Console) -> anyhow::Result<()> {
    console.line(format_args!(
        "  error         shape +-{:.4} mm, forces +-{:.3e} N ({:.3} %), moments +-{:.3e} N mm ({:.3} %), by {} edges{}",
        e.shape,
        e.force,
        e.force_percent,
        e.moment,
        e.moment_percent,
        e.n_edges,
        if e.second_opinion.is_some() {
            " and by discrete elastic rods"
        } else {
            ""
        }
    ))?;
    if let Some(o) = e.second_opinion.filter(|o| o.converged) {
        console.line(format_args!(
            "  second model  differs by {:.2e} mm, {:.2e} N, {:.2e} N mm",
            o.shape, o.force, o.moment
        ))?;
    }
    if e.other_branch {
        console.warn(format_args!(
            "cable \"{}\" ends in another shape on the finer grid, {:.1} mm away: the error is not that of the grid. Give it \
             more edges (refine_cable), or look which of the shapes is meant",
            e.cable, e.shape
        ));
    }
    if !matches!(e.status, Status::Converged | Status::Blocked) {
        console.warn(format_args!(
            "cable \"{}\" found no equilibrium on the finer grid: the error is not known",
            e.cable
        ));
    }
    if e.second_opinion.is_some_and(|o| !o.converged) {
        console.warn(format_args!(
            "discrete elastic rods found no equilibrium of cable \"{}\" near this one: they say nothing of its error",
            e.cable
        ));
    }
    Ok(())
}

/// The error bars for machines.
pub fn document(e: &Estimate) -> Value {
    let mut document = json!({
        "n_edges": e.n_edges,
        "shape": e.shape,
        "force": e.force,
        "force_percent": e.force_percent,
        "moment": e.moment,
        "moment_percent": e.moment_percent,
        "status": status_key(e.status),
        "other_branch": e.other_branch,
        "holds": e.holds(),
    });
    if let Some(o) = e.second_opinion {
        document["second_model"] = json!({
            "shape": o.shape,
            "force": o.force,
            "moment": o.moment,
            "converged": o.converged,
        });
    }
    document
}
