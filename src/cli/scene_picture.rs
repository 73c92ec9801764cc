//! `picture`: a scene drawn into a PNG file, without a window or a display.

use std::path::{Path, PathBuf};

use super::Outcome;
use super::console::Console;

/// What can be typed behind the verb.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The scene file.
    scene: PathBuf,
    /// The picture.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Its size in pixels.
    #[arg(long, value_name = "WIDTHxHEIGHT", default_value = "1920x1080", value_parser = size)]
    size: [u32; 2],
    /// A view that is kept in the scene, or front, top and so on; the first kept one, or isometric, when left out.
    #[arg(long, value_name = "NAME")]
    view: Option<String>,
    /// On a dark background.
    #[arg(long)]
    dark: bool,
}

/// Runs the verb.
pub fn verb(args: Args, console: &mut Console) -> anyhow::Result<Outcome> {
    let Args {
        scene,
        output,
        size,
        view,
        dark,
    } = args;
    let wanted = Wanted { size, view, dark };
    run(&scene, &output, &wanted, console)
}

/// What is asked for beside the files.
#[cfg_attr(
    not(feature = "gui"),
    expect(dead_code, reason = "there is nothing that draws")
)]
pub struct Wanted {
    /// Width and height, pixels.
    pub size: [u32; 2],
    /// Name of a view.
    pub view: Option<String>,
    /// On a dark background.
    pub dark: bool,
}

/// The size of a picture, as it is typed: `1920x1080`.
pub fn size(text: &str) -> Result<[u32; 2], String> {
    let must = "must be WIDTHxHEIGHT in pixels, each from 16 to 8192, such as 1920x1080";
    let sides = text.split_once(['x', 'X']).ok_or(must)?;
    let side = |side: &str| side.parse().ok().filter(|n| (16..=8192).contains(n));
    match (side(sides.0), side(sides.1)) {
        (Some(width), Some(height)) => Ok([width, height]),
        _ => Err(must.into()),
    }
}

/// Draws it.
#[cfg(feature = "gui")]
pub fn run(
    path: &Path,
    output: &Path,
    wanted: &Wanted,
    console: &mut Console,
) -> anyhow::Result<Outcome> {
    use crate::app::{files::save_picture, viewport::offscreen};
    use crate::scene::Simulation;
    use crate::solve::CancelToken;
    use anyhow::{Context, anyhow};

    let mut scene = super::input::scene(path, console)?;
    super::outputs::Files::default()
        .input("the scene", path)
        .meshes(&scene)
        .output("the picture", Some(output))
        .check()?;
    if scene.cables.iter().any(|c| c.shape.is_none()) {
        console.progress("solving cables that have no shape yet");
        let mut simulation = Simulation::new(scene)?;
        simulation.solve_quietly(&CancelToken::default());
        scene = simulation.scene().clone();
        console.end_progress();
    }
    let camera = camera(&scene, wanted)?;
    let theme = if wanted.dark {
        egui::Theme::Dark
    } else {
        egui::Theme::Light
    };
    console.progress("drawing");
    let image = offscreen::draw(&scene, &camera, wanted.size, theme);
    console.end_progress();
    let image = image.map_err(|e| anyhow!(e))?;
    save_picture(&image, output)
        .map_err(|e| anyhow!(e))
        .context("the picture was drawn, but not written")?;
    console.line(output.display())?;
    console.document(serde_json::json!({ "picture": output, "size": wanted.size }))?;
    Ok(Outcome::Good)
}

/// Where it is seen from: a kept view, a standard one, or the first that there is.
#[cfg(feature = "gui")]
fn camera(
    scene: &crate::scene::Scene,
    wanted: &Wanted,
) -> anyhow::Result<crate::app::viewport::camera::Camera> {
    use crate::app::choices::StandardView;
    use crate::app::viewport::camera::{Camera, Viewport};
    use crate::geom::Aabb;

    let kept = match &wanted.view {
        None => scene.views.first(),
        Some(name) => scene.views.iter().find(|v| v.name == *name),
    };
    if let Some(kept) = kept {
        return Ok(Camera::of_view(kept));
    }
    let mut camera = Camera::default();
    if let Some(name) = &wanted.view {
        let named = |v: &&StandardView| v.name().eq_ignore_ascii_case(name);
        let Some(standard) = StandardView::ALL.iter().find(named) else {
            let kept = scene.views.iter().map(|v| v.name.clone());
            let standard = StandardView::ALL.iter().map(|v| v.name().to_lowercase());
            let known: Vec<String> = kept.chain(standard).collect();
            anyhow::bail!(
                "the scene has no view \"{name}\"; there are: {}",
                known.join(", ")
            );
        };
        camera.look_from(*standard);
    }
    let mut aabb = Aabb::empty();
    for part in scene.parts.iter().filter(|p| p.visible) {
        aabb.merge(&part.mesh().aabb());
    }
    for shape in scene.cables.iter().filter_map(|c| c.shape.as_ref()) {
        aabb.merge(&Aabb::of_points(&shape.points));
    }
    let [width, height] = wanted.size.map(f64::from);
    camera.fit(&aabb, Viewport { width, height });
    Ok(camera)
}

/// See above: there is nothing that draws in this program.
#[cfg(not(feature = "gui"))]
pub fn run(
    _path: &Path,
    _output: &Path,
    _wanted: &Wanted,
    _console: &mut Console,
) -> anyhow::Result<Outcome> {
    anyhow::bail!(
        "this program was built without the window (feature \"gui\"), which draws pictures"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_others_refused() {
        assert_eq!(size("1920x1080"), Ok([1920, 1080]));
        for bad in ["", "1920", "0x100", "100x99999", "axb", "-5x20"] {
            let error = size(bad).unwrap_err();
            assert!(error.contains("WIDTHxHEIGHT"), "{bad}: {error}");
        }
    }
}
