//! Draws the view with three-d into a cached picture, and the picture into egui's window.
//!
//! With its buffers, the only place with `f32` and the GPU. Each thing is uploaded relative to a point of its own,
//! so that a part far from the world's origin keeps its detail.

mod cut;
mod passes;
mod shadow;

use std::sync::Arc;

use eframe::egui_glow;
use three_d::Vec2;
use three_d::core::{
    ClearState, Context, CoreError, DepthTexture2D, Interpolation, Program, RenderTarget,
    RenderTargetMultisample, ScissorBox, Texture2D, VertexBuffer, Viewport as PixelViewport,
    Wrapping,
};

use super::buffers::{LineBuffers, PartBuffers, TubeBuffers};
use super::camera::Camera;
use super::picture::{DrawnPart, Look, Picture};
use super::shaders;
use crate::geom::Aabb;
use cut::CutPart;
use passes::flat;
use shadow::Shadow;

/// Samples per pixel once nothing moves.
const SAMPLES: u32 = 4;

/// What the cached picture was drawn from.
#[derive(Clone, Copy, PartialEq)]
struct Key {
    camera: Camera,
    size: [u32; 2],
    revision: u64,
    look: Look,
}

/// Sky, parts and grid while the camera rests: a cable that moves is drawn over them.
struct Backdrop {
    key: Key,
    /// The box that its depth was made for.
    aabb: Aabb,
    color: Texture2D,
    depth: DepthTexture2D,
}

/// The GPU's side of the view.
pub struct Renderer {
    context: Context,
    surface: Program,
    cap: Program,
    tube: Program,
    outline: Program,
    line: Program,
    sky: Program,
    copy: Program,
    behind: Program,
    contact: Program,
    shadow: Shadow,
    screen: VertexBuffer<Vec2>,
    parts: Vec<PartBuffers>,
    swept: Vec<PartBuffers>,
    /// Of each part, while there is a section plane.
    cut_parts: Vec<CutPart>,
    tubes: Vec<TubeBuffers>,
    grid: LineBuffers,
    uploaded: Option<u64>,
    cached: Option<(Key, Texture2D)>,
    backdrop: Option<Backdrop>,
    /// Where the last picture was taken from.
    last_camera: Option<Camera>,
    depth: Option<DepthTexture2D>,
    multisample: Option<RenderTargetMultisample<[u8; 4], f32>>,
}

impl Renderer {
    /// Compiles the shaders in egui's GL context.
    pub fn new(gl: Arc<eframe::glow::Context>) -> Result<Self, CoreError> {
        let context = Context::from_gl_context(gl)?;
        let program = |vertex, fragment| Program::from_source(&context, vertex, fragment);
        let corners = [
            Vec2::new(-1.0, -1.0),
            Vec2::new(3.0, -1.0),
            Vec2::new(-1.0, 3.0),
        ];
        Ok(Self {
            surface: program(shaders::SURFACE_VERTEX, shaders::SURFACE_FRAGMENT)?,
            cap: program(shaders::CAP_VERTEX, shaders::CAP_FRAGMENT)?,
            tube: program(shaders::TUBE_VERTEX, shaders::TUBE_FRAGMENT)?,
            outline: program(shaders::OUTLINE_VERTEX, shaders::OUTLINE_FRAGMENT)?,
            line: program(shaders::LINE_VERTEX, shaders::LINE_FRAGMENT)?,
            sky: program(shaders::SCREEN_VERTEX, shaders::SKY_FRAGMENT)?,
            copy: program(shaders::SCREEN_VERTEX, shaders::COPY_FRAGMENT)?,
            behind: program(shaders::SCREEN_VERTEX, shaders::BACKDROP_FRAGMENT)?,
            contact: program(shaders::SCREEN_VERTEX, shaders::CONTACT_FRAGMENT)?,
            shadow: Shadow::new(&context)?,
            screen: VertexBuffer::new_with_data(&context, &corners),
            parts: Vec::new(),
            swept: Vec::new(),
            cut_parts: Vec::new(),
            tubes: Vec::new(),
            grid: LineBuffers::new(&context, &[]),
            uploaded: None,
            cached: None,
            backdrop: None,
            last_camera: None,
            depth: None,
            multisample: None,
            context,
        })
    }

    /// Shows the picture in its place of the window; draws it only if it differs from the cached one.
    pub fn paint(&mut self, picture: &Picture, info: &egui::PaintCallbackInfo) {
        let place = info.viewport_in_pixels();
        let size = [place.width_px.max(1) as u32, place.height_px.max(1) as u32];
        let key = Key {
            camera: picture.camera,
            size,
            revision: picture.revision,
            look: picture.look,
        };
        // A smooth picture of the same thing is good enough while something else moves.
        let mut smooth = key;
        smooth.look.moving = false;
        let fresh =
            (self.cached.as_ref()).is_some_and(|(cached, _)| *cached == key || *cached == smooth);
        if !fresh {
            self.upload(picture);
            self.find_caps(picture);
            // A camera that moves needs all of it anew; one that rests while a cable moves does not.
            let rests = self.last_camera.replace(picture.camera) == Some(picture.camera);
            let solid = !key.look.see_through && picture.swept.is_empty();
            let layered = key.look.moving && rests && solid && !key.look.carrying;
            self.backdrop = if layered {
                Some(self.backdrop_of(picture, key))
            } else {
                None
            };
            let texture = self.render(picture, size, !key.look.moving);
            self.cached = Some((key, texture));
        }
        let Some((_, texture)) = &self.cached else {
            return;
        };
        let clip = info.clip_rect_in_pixels();
        let scissor = ScissorBox {
            x: clip.left_px,
            y: clip.from_bottom_px,
            width: clip.width_px.max(1) as u32,
            height: clip.height_px.max(1) as u32,
        };
        let viewport = PixelViewport {
            x: place.left_px,
            y: place.from_bottom_px,
            width: size[0],
            height: size[1],
        };
        let window = info.screen_size_px;
        let target = RenderTarget::screen(&self.context, window[0], window[1]);
        let copied = target.write_partially::<CoreError>(scissor, || {
            self.copy.use_texture("picture", texture);
            self.copy.use_vertex_attribute("position", &self.screen);
            self.copy.draw_arrays(flat(), viewport, 3);
            Ok(())
        });
        debug_assert!(copied.is_ok());
    }

    fn upload(&mut self, picture: &Picture) {
        if self.uploaded == Some(picture.revision) {
            return;
        }
        upload_parts(&self.context, &mut self.parts, &picture.parts);
        upload_parts(&self.context, &mut self.swept, &picture.swept);
        self.tubes.truncate(picture.tubes.len());
        for (i, tube) in picture.tubes.iter().enumerate() {
            match self.tubes.get_mut(i) {
                Some(buffers) => buffers.fill(tube),
                None => (self.tubes).push(TubeBuffers::new(&self.context, tube)),
            }
        }
        self.grid = LineBuffers::new(&self.context, &picture.grid);
        self.uploaded = Some(picture.revision);
    }

    /// Sky, parts and grid: those of the last picture, where they are still right.
    fn backdrop_of(&mut self, picture: &Picture, key: Key) -> Backdrop {
        let key = Key {
            revision: picture.backdrop,
            ..key
        };
        let known = self.backdrop.take();
        let holds = |b: &Backdrop| {
            b.key == key && b.aabb.min <= picture.aabb.min && b.aabb.max >= picture.aabb.max
        };
        if let Some(known) = known.filter(holds) {
            return known;
        }
        let size = picture.aabb.max - picture.aabb.min;
        let aabb = picture.aabb.inflated(0.25 * size.norm());
        let wider = Picture {
            aabb,
            ..picture.clone()
        };
        let [width, height] = key.size;
        let color = self.new_texture(key.size);
        let wrap = Wrapping::ClampToEdge;
        let depth = DepthTexture2D::new::<f32>(&self.context, width, height, wrap, wrap);
        let clear = ClearState::color_and_depth(1.0, 1.0, 1.0, 1.0, 1.0);
        let drawn = RenderTarget::new(color.as_color_target(None), depth.as_depth_target())
            .clear(clear)
            .write(|| self.draw_backdrop(&wider, key.size))
            .map(|_| ());
        debug_assert!(drawn.is_ok());
        Backdrop {
            key,
            aabb,
            color,
            depth,
        }
    }

    fn new_texture(&self, [width, height]: [u32; 2]) -> Texture2D {
        Texture2D::new_empty::<[u8; 4]>(
            &self.context,
            width,
            height,
            Interpolation::Nearest,
            Interpolation::Nearest,
            None,
            Wrapping::ClampToEdge,
            Wrapping::ClampToEdge,
        )
    }

    /// Draws the picture offscreen.
    fn render(&mut self, picture: &Picture, size: [u32; 2], smooth: bool) -> Texture2D {
        let [width, height] = size;
        let texture = match self.cached.take() {
            Some((key, texture)) if key.size == size => texture,
            _ => self.new_texture(size),
        };
        let clear = ClearState::color_and_depth(1.0, 1.0, 1.0, 1.0, 1.0);
        if smooth {
            self.cast_shadow(picture);
        }
        let shaded = smooth && !picture.look.see_through;
        if shaded {
            self.draw_depth(picture, &texture, size);
        }
        let drawn = if smooth {
            let known = self.multisample.take();
            let target = known
                .filter(|t| [t.width(), t.height()] == size)
                .unwrap_or_else(|| {
                    RenderTargetMultisample::new(&self.context, width, height, SAMPLES)
                });
            let drawn = target
                .clear(clear)
                .write(|| self.draw(picture, size))
                .map(|_| ());
            target.resolve_color_to(&texture.as_color_target(None));
            self.multisample = Some(target);
            if shaded {
                self.shade_contacts(picture, &texture, size);
            }
            drawn
        } else {
            let depth = self.depth_of(size);
            let drawn = RenderTarget::new(texture.as_color_target(None), depth.as_depth_target())
                .clear(clear)
                .write(|| match &self.backdrop {
                    Some(backdrop) => self.draw_over(backdrop, picture, size),
                    None => self.draw(picture, size),
                })
                .map(|_| ());
            self.depth = Some(depth);
            drawn
        };
        debug_assert!(drawn.is_ok());
        texture
    }
}

impl Renderer {
    /// A depth buffer of that size: the last one, where it fits.
    fn depth_of(&mut self, size: [u32; 2]) -> DepthTexture2D {
        let known = self.depth.take();
        let known = known.filter(|t| [t.width(), t.height()] == size);
        known.unwrap_or_else(|| {
            let wrap = Wrapping::ClampToEdge;
            DepthTexture2D::new::<f32>(&self.context, size[0], size[1], wrap, wrap)
        })
    }

    /// The depth of parts and cables, for the contact shading; what is in the picture is lost.
    fn draw_depth(&mut self, picture: &Picture, texture: &Texture2D, size: [u32; 2]) {
        let depth = self.depth_of(size);
        let clear = ClearState::color_and_depth(1.0, 1.0, 1.0, 1.0, 1.0);
        let drawn = RenderTarget::new(texture.as_color_target(None), depth.as_depth_target())
            .clear(clear)
            .write(|| self.draw_solids(picture, size, self.detail(false)))
            .map(|_| ());
        debug_assert!(drawn.is_ok());
        self.depth = Some(depth);
    }

    /// Darkens the picture where surfaces come close to each other.
    fn shade_contacts(&self, picture: &Picture, texture: &Texture2D, size: [u32; 2]) {
        let Some(depth) = &self.depth else { return };
        let drawn = (texture.as_color_target(None))
            .write(|| self.draw_contacts(picture, depth, size))
            .map(|_| ());
        debug_assert!(drawn.is_ok());
    }

    /// The picture at its best, row by row from the top.
    pub fn pixels(&mut self, picture: &Picture, size: [u32; 2]) -> Vec<[u8; 4]> {
        self.upload(picture);
        self.find_caps(picture);
        let texture = self.render(picture, size, true);
        texture.as_color_target(None).read()
    }
}

/// Uploads what is not known yet, and forgets what is not shown any more.
fn upload_parts(context: &Context, known: &mut Vec<PartBuffers>, parts: &[DrawnPart]) {
    let mut old = std::mem::take(known);
    for part in parts {
        let index = old.iter().position(|p| Arc::ptr_eq(&p.model, &part.model));
        known.push(match index {
            Some(index) => old.swap_remove(index),
            None => PartBuffers::new(context, part.model.clone()),
        });
    }
}

/// The callback that paints `picture` when egui draws the window.
pub fn callback(
    renderer: &Arc<std::sync::Mutex<Renderer>>,
    picture: Picture,
) -> egui_glow::CallbackFn {
    let renderer = renderer.clone();
    egui_glow::CallbackFn::new(move |info, _painter| {
        let mut renderer = renderer
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        renderer.paint(&picture, &info);
    })
}
