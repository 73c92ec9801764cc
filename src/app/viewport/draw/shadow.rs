//! The soft shadow on the ground: as under a cloudy sky, it tells what stands there from what hangs above.
//!
//! It does not depend on the camera: it is made when the view rests, and stays while that is turned.

use three_d::Vec2;
use three_d::core::{
    Blend, ClearState, Context, CoreError, DepthTest, DepthTexture2D, Interpolation, Program,
    RenderStates, Texture2D, VertexBuffer, Viewport as PixelViewport, Wrapping, WriteMask,
};

use super::super::camera::{Camera, Projection, Viewport};
use super::super::picture::Picture;
use super::super::shaders;
use super::Renderer;
use super::passes::{flat, place};
use crate::app::choices::StandardView;
use crate::geom::Vec3;

/// Side of the picture from above, pixels, and of the shadow.
const FROM_ABOVE: u32 = 512;
const SIDE: u32 = 256;
/// How far it is blurred, as a share of the larger side of what stands there.
const BLUR: f64 = 0.07;
/// What is higher than this share of that side casts none.
const HIGH: f64 = 0.45;

/// The shadow on the ground.
pub(super) struct Shadow {
    on_ground: Program,
    blur: Program,
    square: VertexBuffer<Vec2>,
    depth: DepthTexture2D,
    texture: Texture2D,
    /// What it was made from: the revision of the picture, the middle of the square and its side.
    made: Option<(u64, Vec3, f64)>,
}

impl Shadow {
    pub(super) fn new(context: &Context) -> Result<Self, CoreError> {
        let program = |vertex, fragment| Program::from_source(context, vertex, fragment);
        let corner = |x: f32, y: f32| Vec2::new(x - 0.5, y - 0.5);
        let (a, b) = (corner(0.0, 0.0), corner(1.0, 1.0));
        let (c, d) = (corner(1.0, 0.0), corner(0.0, 1.0));
        let edge = Wrapping::ClampToEdge;
        Ok(Self {
            on_ground: program(shaders::GROUND_VERTEX, shaders::GROUND_FRAGMENT)?,
            blur: program(shaders::SCREEN_VERTEX, shaders::SHADOW_FRAGMENT)?,
            square: VertexBuffer::new_with_data(context, &[a, c, b, a, b, d]),
            depth: DepthTexture2D::new::<f32>(context, FROM_ABOVE, FROM_ABOVE, edge, edge),
            texture: Texture2D::new_empty::<[u8; 4]>(
                context,
                SIDE,
                SIDE,
                Interpolation::Linear,
                Interpolation::Linear,
                None,
                edge,
                edge,
            ),
            made: None,
        })
    }
}

impl Renderer {
    /// Makes the shadow anew where something changed.
    pub(super) fn cast_shadow(&mut self, picture: &Picture) {
        if (self.shadow.made).is_some_and(|(revision, ..)| revision == picture.revision) {
            return;
        }
        self.shadow.made = None;
        let Some(ground) = picture.grid.first().map(|line| line[0].z) else {
            return;
        };
        let size = picture.solid.max - picture.solid.min;
        let extent = size.x.max(size.y);
        if picture.solid.is_empty() || extent <= 0.0 {
            return;
        }
        let mut middle = picture.solid.center();
        middle.z = ground;
        let side = extent * (1.0 + 2.0 * BLUR);
        let mut camera = Camera {
            focus: middle,
            height: side,
            projection: Projection::Orthographic,
            ..picture.camera
        };
        camera.look_from(StandardView::Top);
        let viewport = Viewport {
            width: f64::from(FROM_ABOVE),
            height: f64::from(FROM_ABOVE),
        };
        let from_above = Picture {
            camera,
            viewport,
            ..picture.clone()
        };
        let shadow = &self.shadow;
        let drawn = (shadow.depth.as_depth_target())
            .clear(ClearState::depth(1.0))
            .write(|| self.draw_solids(&from_above, [FROM_ABOVE; 2], self.detail(true)))
            .map(|_| ());
        debug_assert!(drawn.is_ok());
        let (near, far) = camera.depth_range(&picture.aabb);
        let base = [camera.eye().z - near - ground, far - near].map(|mm| mm as f32);
        let drawn = (shadow.texture.as_color_target(None))
            .write::<CoreError>(|| {
                let program = &shadow.blur;
                program.use_uniform("base", Vec2::new(base[0], base[1]));
                program.use_uniform("high", (HIGH * extent) as f32);
                program.use_uniform("reach", (BLUR * extent / side) as f32);
                program.use_depth_texture("depth", &shadow.depth);
                program.use_vertex_attribute("position", &self.screen);
                program.draw_arrays(flat(), PixelViewport::new_at_origo(SIDE, SIDE), 3);
                Ok(())
            })
            .map(|_| ());
        debug_assert!(drawn.is_ok());
        self.shadow.made = Some((picture.revision, middle, side));
    }

    /// The shadow on the ground, seen from above it.
    pub(super) fn draw_shadow(&self, picture: &Picture, viewport: PixelViewport) {
        let Some((_, middle, side)) = self.shadow.made else {
            return;
        };
        let ground = picture.grid.first().map(|line| line[0].z);
        if ground != Some(middle.z) || picture.camera.eye().z <= middle.z {
            return;
        }
        let program = &self.shadow.on_ground;
        place(program, picture, &middle, None);
        program.use_uniform("side", side as f32);
        program.use_texture("shadow", &self.shadow.texture);
        program.use_vertex_attribute("position", &self.shadow.square);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::LessOrEqual,
            blend: Blend::TRANSPARENCY,
            ..RenderStates::default()
        };
        program.draw_arrays(states, viewport, 6);
    }
}
