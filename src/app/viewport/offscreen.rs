//! A picture of a scene without a window or a display: drawn by a graphics context that has no surface.

use std::sync::Arc;
use std::time::Duration;

use super::camera::{Camera, Viewport};
use super::content::{Content, Marks};
use super::draw::Renderer;
use super::picture::Look;
use crate::app::selection::Selection;
use crate::app::theme;
use crate::scene::Scene;

/// Each pixel of the picture is the mean of so many squared.
const FINER: u32 = 2;

/// Draws the scene as `camera` sees it.
pub fn draw(
    scene: &Scene,
    camera: &Camera,
    size: [u32; 2],
    theme: egui::Theme,
) -> Result<egui::ColorImage, String> {
    let (context, gl) = gl::context()?;
    let mut renderer = Renderer::new(Arc::new(gl))
        .map_err(|e| format!("the graphics driver is too old for a picture: {e}"))?;
    let egui = egui::Context::default();
    let mut content = Content::default();
    content.show(scene, &egui);
    while content.n_pending() > 0 {
        std::thread::sleep(Duration::from_millis(2));
        content.poll();
    }
    let look = Look {
        moving: false,
        see_through: false,
        lit: None,
        carrying: false,
        section: None,
        palette: theme::of(theme),
    };
    let marks = Marks {
        selection: &Selection::default(),
        heat: None,
    };
    let viewport = Viewport {
        width: f64::from(size[0]),
        height: f64::from(size[1]),
    };
    let picture = content.picture(scene, (camera, viewport), look, &marks);
    let fine = renderer.pixels(&picture, size.map(|n| n * FINER));
    drop(renderer);
    drop(context);
    Ok(mean_of(&fine, size))
}

/// Makes one pixel of each square of them.
fn mean_of(fine: &[[u8; 4]], [width, height]: [u32; 2]) -> egui::ColorImage {
    let n = FINER as usize;
    let (width, height) = (width as usize, height as usize);
    let pixel = |at: usize| {
        let (x, y) = (at % width, at / width);
        let mut sum = [0_usize; 3];
        for k in 0..n * n {
            let row = (y * n + k / n) * (width * n);
            let [r, g, b, _] = fine[row + x * n + k % n];
            for (sum, value) in sum.iter_mut().zip([r, g, b]) {
                *sum += usize::from(value);
            }
        }
        let [r, g, b] = sum.map(|s| (s / (n * n)) as u8);
        egui::Color32::from_rgb(r, g, b)
    };
    let pixels = (0..width * height).map(pixel).collect();
    egui::ColorImage::new([width, height], pixels)
}

#[cfg(all(unix, not(target_os = "macos")))]
mod gl {
    use std::ffi::CString;

    use eframe::glow;
    use glutin::api::egl::{context::PossiblyCurrentContext, device::Device, display::Display};
    use glutin::config::{Api, ConfigSurfaceTypes, ConfigTemplateBuilder};
    use glutin::context::{ContextApi, ContextAttributesBuilder, Version};
    use glutin::display::GlDisplay;
    use glutin::prelude::PossiblyCurrentGlContext;

    /// A context of the first device that gives one, made current in this thread, and its functions.
    pub fn context() -> Result<(PossiblyCurrentContext, glow::Context), String> {
        let refused = |what: &str, e: &dyn std::fmt::Display| {
            format!(
                "no picture can be drawn without a display here: {what} ({e}); install EGL and a driver (libegl1, Mesa), \
                 or take a screenshot in the window"
            )
        };
        let devices = Device::query_devices().map_err(|e| refused("EGL lists no device", &e))?;
        let mut last = String::from("no device");
        for device in devices {
            match context_of(&device) {
                Ok(made) => return Ok(made),
                Err(error) => last = error.to_string(),
            }
        }
        Err(refused("no device of EGL draws offscreen", &last))
    }

    #[expect(
        unsafe_code,
        reason = "the graphics driver is foreign code: a device that EGL listed, and names of its own functions"
    )]
    fn context_of(
        device: &Device,
    ) -> Result<(PossiblyCurrentContext, glow::Context), glutin::error::Error> {
        let template = ConfigTemplateBuilder::new()
            .with_surface_type(ConfigSurfaceTypes::empty())
            .with_api(Api::OPENGL)
            .build();
        let wanted = ContextAttributesBuilder::new()
            .with_context_api(ContextApi::OpenGl(Some(Version::new(3, 3))))
            .build(None);
        // SAFETY: no window system is named that could go away before the context does.
        let (display, context) = unsafe {
            let display = Display::with_device(device, None)?;
            let config = display
                .find_configs(template)?
                .next()
                .ok_or_else(|| glutin::error::Error::from(glutin::error::ErrorKind::BadConfig))?;
            let context = display.create_context(&config, &wanted)?;
            (display, context)
        };
        let context = context.make_current_surfaceless()?;
        debug_assert!(context.is_current());
        // SAFETY: the context is current in this thread, and the addresses are those of its own display.
        let gl = unsafe {
            glow::Context::from_loader_function(|name| {
                CString::new(name).map_or(std::ptr::null(), |name| display.get_proc_address(&name))
            })
        };
        Ok((context, gl))
    }
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
mod gl {
    /// There is none.
    pub fn context() -> Result<((), eframe::glow::Context), String> {
        Err("pictures without a display are drawn on Linux only so far; take a screenshot in the window".into())
    }
}
