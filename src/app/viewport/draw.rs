//! Draws the view with three-d into a cached picture, and the picture into egui's window.
//!
//! With its buffers, the only place with `f32` and the GPU. Each thing is uploaded relative to a point of its own,
//! so that a part far from the world's origin keeps its detail.

use std::sync::Arc;

use eframe::egui_glow;
use three_d::core::{
    Blend, ClearState, Context, CoreError, DepthTest, DepthTexture2D, Interpolation, Program,
    RenderStates, RenderTarget, RenderTargetMultisample, ScissorBox, Texture2D, VertexBuffer,
    Viewport as PixelViewport, Wrapping, WriteMask,
};
use three_d::{Mat4, Vec2, Vec3 as Vec3f, Vec4};

use super::buffers::{LineBuffers, PartBuffers, TubeBuffers, to_f32};
use super::camera::{Camera, Projection};
use super::picture::{Look, Picture};
use super::section::Section;
use super::shaders;
use crate::app::selection::Thing;
use crate::geom::{Aabb, Pose, Vec3};

/// Samples per pixel once nothing moves.
const SAMPLES: u32 = 4;
/// Width of feature edges and grid lines, pixels.
const LINE_WIDTH: f32 = 1.1;
/// How much of a part is seen when parts are see-through.
const VEIL: f32 = 0.28;

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
    tube: Program,
    line: Program,
    sky: Program,
    copy: Program,
    behind: Program,
    screen: VertexBuffer<Vec2>,
    parts: Vec<PartBuffers>,
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
            tube: program(shaders::TUBE_VERTEX, shaders::TUBE_FRAGMENT)?,
            line: program(shaders::LINE_VERTEX, shaders::LINE_FRAGMENT)?,
            sky: program(shaders::SCREEN_VERTEX, shaders::SKY_FRAGMENT)?,
            copy: program(shaders::SCREEN_VERTEX, shaders::COPY_FRAGMENT)?,
            behind: program(shaders::SCREEN_VERTEX, shaders::BACKDROP_FRAGMENT)?,
            screen: VertexBuffer::new_with_data(&context, &corners),
            parts: Vec::new(),
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
            // A camera that moves needs all of it anew; one that rests while a cable moves does not.
            let rests = self.last_camera.replace(picture.camera) == Some(picture.camera);
            let layered =
                key.look.moving && rests && !key.look.see_through && key.look.carried.is_none();
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
        let mut old = std::mem::take(&mut self.parts);
        for part in &picture.parts {
            let known = old.iter().position(|p| Arc::ptr_eq(&p.model, &part.model));
            self.parts.push(match known {
                Some(index) => old.swap_remove(index),
                None => PartBuffers::new(&self.context, part.model.clone()),
            });
        }
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
            drawn
        } else {
            let known = self.depth.take();
            let depth = known
                .filter(|t| [t.width(), t.height()] == size)
                .unwrap_or_else(|| {
                    let wrap = Wrapping::ClampToEdge;
                    DepthTexture2D::new::<f32>(&self.context, width, height, wrap, wrap)
                });
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

    /// Always succeeds; the result is what three-d's targets ask of a drawing.
    #[allow(clippy::unnecessary_wraps)]
    fn draw(&self, picture: &Picture, [width, height]: [u32; 2]) -> Result<(), CoreError> {
        let viewport = PixelViewport::new_at_origo(width, height);
        let look = &picture.look;
        self.draw_sky(picture, viewport);
        if !look.see_through {
            self.draw_parts(picture, 1.0, RenderStates::default(), viewport);
        }
        self.draw_tubes(picture, viewport);
        self.draw_grid(picture, viewport);
        if look.see_through {
            // Over everything and in any order: the cables shine through.
            let states = RenderStates {
                write_mask: WriteMask::COLOR,
                blend: Blend::TRANSPARENCY,
                ..RenderStates::default()
            };
            self.draw_parts(picture, VEIL, states, viewport);
        }
        self.draw_edges(picture, viewport);
        Ok(())
    }

    /// All but the cables.
    #[allow(clippy::unnecessary_wraps)]
    fn draw_backdrop(&self, picture: &Picture, [width, height]: [u32; 2]) -> Result<(), CoreError> {
        let viewport = PixelViewport::new_at_origo(width, height);
        self.draw_sky(picture, viewport);
        self.draw_parts(picture, 1.0, RenderStates::default(), viewport);
        self.draw_grid(picture, viewport);
        self.draw_edges(picture, viewport);
        Ok(())
    }

    /// The cables over what stands behind them.
    #[allow(clippy::unnecessary_wraps)]
    fn draw_over(
        &self,
        backdrop: &Backdrop,
        picture: &Picture,
        [width, height]: [u32; 2],
    ) -> Result<(), CoreError> {
        let viewport = PixelViewport::new_at_origo(width, height);
        let states = RenderStates {
            depth_test: DepthTest::Always,
            ..RenderStates::default()
        };
        self.behind.use_texture("picture", &backdrop.color);
        self.behind.use_depth_texture("depth", &backdrop.depth);
        self.behind.use_vertex_attribute("position", &self.screen);
        self.behind.draw_arrays(states, viewport, 3);
        // Depths compare only where they are counted in the same box.
        let same_box = Picture {
            aabb: backdrop.aabb,
            ..picture.clone()
        };
        self.draw_tubes(&same_box, viewport);
        Ok(())
    }

    fn draw_sky(&self, picture: &Picture, viewport: PixelViewport) {
        let look = &picture.look;
        self.sky.use_uniform("top", rgb(look.palette.sky[0]));
        self.sky.use_uniform("bottom", rgb(look.palette.sky[1]));
        self.sky.use_vertex_attribute("position", &self.screen);
        self.sky.draw_arrays(flat(), viewport, 3);
    }

    fn draw_tubes(&self, picture: &Picture, viewport: PixelViewport) {
        let look = &picture.look;
        for (tube, drawn) in self.tubes.iter().zip(&picture.tubes) {
            if tube.elements.count() == 0 {
                continue;
            }
            let program = &self.tube;
            place(program, picture, &tube.origin, None);
            let color = look.shade(Thing::Cable(drawn.cable), drawn.color, false);
            program.use_uniform("color", rgb(color));
            program.use_uniform("tinted", if tube.tinted { 1.0_f32 } else { 0.0 });
            program.use_vertex_attribute("tint", &tube.tints);
            program.use_vertex_attribute("position", &tube.positions);
            program.use_vertex_attribute("normal", &tube.normals);
            program.use_vertex_attribute("around", &tube.around);
            program.draw_elements(RenderStates::default(), viewport, &tube.elements);
        }
    }

    fn draw_grid(&self, picture: &Picture, viewport: PixelViewport) {
        let ink = rgb(picture.look.palette.ink).extend(0.13);
        self.draw_lines(picture, &self.grid, ink, Cut::default(), viewport);
    }

    fn draw_edges(&self, picture: &Picture, viewport: PixelViewport) {
        for (part, drawn) in self.parts.iter().zip(&picture.parts) {
            let ink = (rgb(drawn.color) * 0.45).extend(0.85);
            let cut = Cut {
                section: picture.look.section,
                moved: drawn.moved,
            };
            self.draw_lines(picture, &part.edges, ink, cut, viewport);
        }
    }

    fn draw_parts(
        &self,
        picture: &Picture,
        opacity: f32,
        states: RenderStates,
        viewport: PixelViewport,
    ) {
        let program = &self.surface;
        for (part, drawn) in self.parts.iter().zip(&picture.parts) {
            place(program, picture, &part.origin, drawn.moved);
            cut(program, picture.look.section, &part.origin, drawn.moved);
            program.use_uniform("color", rgb(drawn.color).extend(opacity));
            program.use_vertex_attribute("position", &part.positions);
            program.use_vertex_attribute("normal", &part.normals);
            program.draw_elements(states, viewport, &part.elements);
        }
    }

    fn draw_lines(
        &self,
        picture: &Picture,
        lines: &LineBuffers,
        color: Vec4,
        Cut { section, moved }: Cut,
        viewport: PixelViewport,
    ) {
        let n_lines = lines.starts.instance_count();
        if n_lines == 0 {
            return;
        }
        let program = &self.line;
        place(program, picture, &lines.origin, moved);
        cut(program, section, &lines.origin, moved);
        let points = viewport.height as f32 / picture.viewport.height as f32;
        program.use_uniform("width", LINE_WIDTH * points);
        program.use_uniform(
            "size",
            Vec2::new(viewport.width as f32, viewport.height as f32),
        );
        program.use_uniform("color", color);
        program.use_instance_attribute("start", &lines.starts);
        program.use_instance_attribute("end", &lines.ends);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::LessOrEqual,
            blend: Blend::TRANSPARENCY,
            ..RenderStates::default()
        };
        program.draw_arrays_instanced(states, viewport, 6, n_lines);
    }
}

/// What of something is cut away, and how it is moved.
#[derive(Clone, Copy, Default)]
struct Cut {
    section: Option<Section>,
    moved: Option<Pose>,
}

/// Tells a program where the camera is, as seen from `origin` of a thing that is moved by a hand.
fn place(program: &Program, picture: &Picture, origin: &Vec3, moved: Option<Pose>) {
    let camera = &picture.camera;
    let moved = moved.unwrap_or_else(Pose::identity);
    let (origin, turn) = (moved.transform(origin), moved.rotation);
    let clip =
        camera.clip_from_world(picture.viewport, &picture.aabb, &origin) * turn.to_homogeneous();
    let clip: [[f32; 4]; 4] = clip.cast::<f32>().into();
    program.use_uniform("clip", Mat4::from(clip));
    let back = turn.inverse();
    let eye = match camera.projection {
        Projection::Perspective => to_f32(&(back * (camera.eye() - origin))).extend(1.0),
        Projection::Orthographic => to_f32(&(back * camera.back() * camera.distance())).extend(0.0),
    };
    program.use_uniform("eye", eye);
}

/// Tells a program what is cut away, as seen from `origin`: beyond `plane.xyz . p = plane.w`.
fn cut(program: &Program, section: Option<Section>, origin: &Vec3, moved: Option<Pose>) {
    let moved = moved.unwrap_or_else(Pose::identity);
    let plane = section.map_or(Vec4::new(0.0, 0.0, 0.0, 1.0), |section| {
        let (normal, d) = section.plane();
        let local = moved.rotation.inverse() * normal;
        to_f32(&local).extend((d - normal.dot(&moved.transform(origin))) as f32)
    });
    program.use_uniform("plane", plane);
}

/// Colour only, over whatever is there.
fn flat() -> RenderStates {
    RenderStates {
        write_mask: WriteMask::COLOR,
        depth_test: DepthTest::Always,
        ..RenderStates::default()
    }
}

fn rgb(color: egui::Color32) -> Vec3f {
    let [r, g, b, _] = color.to_array().map(|c| f32::from(c) / 255.0);
    Vec3f::new(r, g, b)
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
