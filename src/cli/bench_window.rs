//! `bench --window`: redraws of the real window, timed while a script moves the mouse.

use std::path::Path;
#[cfg(feature = "gui")]
use std::time::Duration;

use anyhow::bail;
#[cfg(feature = "gui")]
use serde_json::json;

use super::Outcome;
use super::console::Console;
#[cfg(feature = "gui")]
use crate::app::trace::{self, Measured, quantile};
use crate::geom::{Aabb, Vec3};
use crate::mesh::import::{ImportOptions, extensions, import_file};
use crate::scene::{Part, Scene, demo, file};

/// Measures the window on one scene.
#[cfg(feature = "gui")]
pub fn run(file: Option<&Path>, minutes: f64, console: &mut Console) -> anyhow::Result<Outcome> {
    if !(0.0..=1e4).contains(&minutes) {
        bail!("--minutes must be between 0 and 10000, but is {minutes}");
    }
    let (name, scene) = match file {
        None => (demo::names()[0].to_owned(), demo::demo(demo::names()[0])),
        Some(file) => (file.display().to_string(), Some(scene_of(file)?)),
    };
    let Some(scene) = scene else {
        bail!("the demo is not there");
    };
    let n_triangles: usize = (scene.parts.iter())
        .map(|p| p.mesh().triangles().len())
        .sum();
    let measured = trace::measure(scene, Duration::from_secs_f64(60.0 * minutes))?;
    if !measured.complete {
        bail!("the window was closed before all was measured");
    }
    show(&name, n_triangles, &measured, console)?;
    Ok(Outcome::Good)
}

/// See above: there is no window in this program.
#[cfg(not(feature = "gui"))]
pub fn run(file: Option<&Path>, _minutes: f64, _console: &mut Console) -> anyhow::Result<Outcome> {
    if let Some(file) = file {
        scene_of(file)?;
    }
    bail!("this program was built without the window (feature \"gui\")")
}

/// A scene, or a mesh with a cable over it to drag.
fn scene_of(path: &Path) -> anyhow::Result<Scene> {
    let ending = path.extension().unwrap_or_default().to_string_lossy();
    if !extensions().iter().any(|e| ending.eq_ignore_ascii_case(e)) {
        return Ok(file::load(path)?.0);
    }
    let imported = import_file(path)?;
    let mut scene = demo::demo("drag").unwrap_or_default();
    let options = ImportOptions::default();
    let parts = imported.parts.iter();
    scene.parts = parts
        .map(|named| Part::of_file(named, path, &options, &imported))
        .collect();
    let mut aabb = Aabb::empty();
    for part in &scene.parts {
        aabb.merge(&part.mesh().aabb());
    }
    // Over the middle; the demo's cable hangs from z = 440 down to about 170, between x = 0 and 560.
    let center = aabb.center();
    let by = Vec3::new(center.x - 280.0, center.y, aabb.max.z - 100.0);
    for cable in &mut scene.cables {
        for handle in &mut cable.handles {
            handle.pose.position += by;
        }
        if let Some(shape) = &mut cable.shape {
            shape.points.iter_mut().for_each(|p| *p += by);
            for clamp in shape.clamps.iter_mut().flatten() {
                clamp.position += by;
            }
        }
    }
    Ok(scene)
}

#[cfg(feature = "gui")]
fn show(
    name: &str,
    n_triangles: usize,
    measured: &Measured,
    console: &mut Console,
) -> anyhow::Result<()> {
    console.line(format_args!("{name}: {n_triangles} triangles"))?;
    let mut motions = Vec::new();
    for (motion, laps) in [("orbiting", &measured.orbit), ("dragging", &measured.drag)] {
        let of = |k: usize| laps.iter().map(|lap| lap[k]).collect::<Vec<f64>>();
        let (wall, cpu) = (of(0), of(1));
        let row = [(&wall, 0.5), (&wall, 0.95), (&cpu, 0.5), (&cpu, 0.95)];
        let [w50, w95, c50, c95] = row.map(|(values, share)| quantile(values, share));
        console.line(format_args!(
            "{motion}: {w50:.1} ms a redraw in the median, {w95:.1} ms at 95 %; CPU of all threads {c50:.1} and {c95:.1} ms; {} redraws",
            wall.len()
        ))?;
        motions.push(
            json!({ "motion": motion, "redraws": wall.len(), "median_ms": w50, "p95_ms": w95,
            "median_cpu_ms": c50, "p95_cpu_ms": c95 }),
        );
    }
    let redraws: Vec<f64> = measured
        .redraws_to_solved
        .iter()
        .map(|n| *n as f64)
        .collect();
    let [median, p95, most] = [0.5, 0.95, 1.0].map(|share| quantile(&redraws, share));
    let ms = quantile(&measured.ms_to_solved, 0.5);
    console.line(format_args!(
        "from the motion of a handle to its solved cable: {median} redraws in the median, {p95} at 95 %, {most} at most; {ms:.1} ms in the median; {} motions",
        redraws.len()
    ))?;
    console.line(format_args!(
        "start, until drawn and solved: {:.2} s of CPU; idle: {:.2} % of a core",
        measured.start_cpu_secs,
        100.0 * measured.idle_share
    ))?;
    show_memory(measured, console)?;
    console.document(json!({
        "scene": name,
        "triangles": n_triangles,
        "motions": motions,
        "redraws_to_solved": { "median": median, "p95": p95, "worst": most, "median_ms": ms },
        "start_cpu_secs": measured.start_cpu_secs,
        "idle_share": measured.idle_share,
        "memory": measured.memory,
    }))?;
    Ok(())
}

/// What a long drag did to the memory.
#[cfg(feature = "gui")]
fn show_memory(measured: &Measured, console: &Console) -> anyhow::Result<()> {
    let (Some(first), Some(last)) = (measured.memory.first(), measured.memory.last()) else {
        return Ok(());
    };
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let most = measured.memory.iter().map(|(_, bytes)| *bytes).max();
    console.line(format_args!(
        "memory: {:.1} MiB after {:.0} s of dragging, {:.1} MiB after {:.0} s ({:+.1} %), {:.1} MiB at most",
        mib(first.1),
        first.0,
        mib(last.1),
        last.0,
        100.0 * (last.1 as f64 / first.1 as f64 - 1.0),
        mib(most.unwrap_or(last.1)),
    ))?;
    Ok(())
}
