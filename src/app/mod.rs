//! The window: a thin face of the library. The solver runs in a thread of its own and the window never waits for it.
//!
//! Panels and the view read the [`document`] and push an [`action`]; [`window`] carries it out, in one place.
//! Edits go to the [`worker`], whose results come back as shapes and reports.

pub mod action;
pub mod angles;
pub mod document;
pub mod engine;
pub mod files;
mod jobs;
pub mod mailbox;
pub mod panels;
pub mod selection;
pub mod settings;
pub mod status;
mod theme;
pub mod tools;
pub mod viewport;
pub mod window;
pub mod worker;

use std::path::PathBuf;

use crate::geom::Vec3;

pub use window::LoomApp;

/// Why the window could not be shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppError {
    /// There is no desktop to open a window on.
    #[error(
        "no display found (DISPLAY and WAYLAND_DISPLAY are not set): start it in a desktop session, or use the command-line verbs (loomwright --help)"
    )]
    NoDisplay,
    /// The desktop or the graphics driver refused.
    #[error(
        "the window could not be opened: {reason}; check that the display and OpenGL 3.3 work, or use the command-line verbs (loomwright --help)"
    )]
    NoWindow {
        /// What the system said.
        reason: String,
    },
}

/// From where the demo is seen first: the end handle before the sheet, the pocket open to the eye.
const DEMO_VIEW: Vec3 = Vec3::new(-0.5, -1.0, 0.75);

/// Opens the window with the given scene and mesh files, or with the demo scene; returns when it is closed.
pub fn run(files: Vec<PathBuf>) -> Result<(), AppError> {
    if !has_display() {
        return Err(AppError::NoDisplay);
    }
    let scene = if files.is_empty() {
        crate::scene::demo::demo("drag").unwrap_or_default()
    } else {
        crate::scene::Scene::default()
    };
    let options = eframe::NativeOptions {
        renderer: eframe::Renderer::Glow,
        viewport: egui::ViewportBuilder::default()
            .with_app_id("loomwright")
            .with_inner_size([1280.0, 800.0])
            .with_min_inner_size([720.0, 480.0])
            .with_drag_and_drop(true),
        ..eframe::NativeOptions::default()
    };
    eframe::run_native(
        "Loomwright",
        options,
        Box::new(|cc| {
            let is_demo = files.is_empty();
            let mut app = LoomApp::new(cc, scene, files, engine::simulation_factory())?;
            app.remember_in(settings::folder(), &cc.egui_ctx);
            if is_demo {
                app.look_along(&DEMO_VIEW);
            }
            Ok(Box::new(app))
        }),
    )
    .map_err(|error| AppError::NoWindow {
        reason: reason(&error),
    })
}

/// What the system said; without the place in winit's source that it puts in front.
fn reason(error: &eframe::Error) -> String {
    let text = error.to_string();
    match (error, text.rsplit_once(": ")) {
        (eframe::Error::Winit(_) | eframe::Error::WinitEventLoop(_), Some((_, said))) => {
            said.into()
        }
        _ => text,
    }
}

/// Whether there is a desktop; Windows and macOS always have one.
fn has_display() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !cfg!(all(unix, not(target_os = "macos"))) || set("DISPLAY") || set("WAYLAND_DISPLAY")
}
