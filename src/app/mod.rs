//! The window: a thin face of the library. The solver runs in a thread of its own and the window never waits for it.
//!
//! Panels and the view read the [`document`] and push an [`action`]; [`window`] carries it out, in one place.
//! Edits go to the [`worker`], whose results come back as shapes and reports.

pub mod action;
pub mod angles;
pub mod choices;
pub mod curve;
pub mod document;
pub mod engine;
pub mod files;
mod icon;
mod jobs;
mod lock;
pub mod mailbox;
pub mod motion;
pub mod panels;
pub mod playback;
pub mod selection;
pub mod settings;
pub mod status;
pub mod support;
mod theme;
pub mod tools;
pub mod trace;
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

/// What the window shows first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The demo scene of that name.
    Demo(String),
    /// Scene and mesh files.
    Files(Vec<PathBuf>),
}

/// The demo of the first start: a routed harness to drag.
pub const FIRST_DEMO: &str = "routed-bay";

/// From where a demo is seen first.
pub fn demo_view(name: &str) -> Vec3 {
    match name {
        // From the front, over the battery: strap, harness and the hole in the firewall are in sight.
        "engine-bay" => Vec3::new(0.75, -1.0, 0.8),
        // From the front, over the radiator: the harness from the firewall to the control unit is in sight.
        "routed-bay" => Vec3::new(-0.62, -1.0, 0.95),
        // The end handle before the sheet, the pocket open to the eye.
        _ => Vec3::new(-0.5, -1.0, 0.75),
    }
}

/// Opens the window; returns when it is closed.
pub fn run(start: Start) -> Result<(), AppError> {
    if !has_display() {
        return Err(AppError::NoDisplay);
    }
    let (demo, files) = match start {
        Start::Demo(name) => (Some(name), Vec::new()),
        Start::Files(files) => (None, files),
    };
    let scene = demo.as_deref().and_then(crate::scene::demo::demo);
    let scene = scene.unwrap_or_default();
    show(move |cc| {
        let mut app = LoomApp::new(cc, scene, files, engine::simulation_factory())?;
        app.remember_in(settings::folder(), &cc.egui_ctx);
        if let Some(name) = &demo {
            app.look_along(&demo_view(name));
        }
        Ok(Box::new(app))
    })
}

/// Shows a window until it is closed.
fn show(
    make: impl FnOnce(
        &eframe::CreationContext<'_>,
    ) -> Result<Box<dyn eframe::App>, Box<dyn std::error::Error + Send + Sync>>
    + 'static,
) -> Result<(), AppError> {
    if !has_display() {
        return Err(AppError::NoDisplay);
    }
    let options = eframe::NativeOptions {
        renderer: eframe::Renderer::Glow,
        viewport: egui::ViewportBuilder::default()
            .with_app_id("loomwright")
            .with_inner_size([1280.0, 800.0])
            .with_min_inner_size([720.0, 480.0])
            .with_drag_and_drop(true),
        ..eframe::NativeOptions::default()
    };
    eframe::run_native("Loomwright", options, Box::new(make)).map_err(|error| AppError::NoWindow {
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
