//! One pass of drawing after the other: sky, parts, cables, grid, edges.

use three_d::core::{
    Blend, CoreError, Cull, DepthTest, DepthTexture2D, Program, RenderStates,
    Viewport as PixelViewport, WriteMask,
};
use three_d::{Mat4, Vec2, Vec3 as Vec3f, Vec4};

use super::super::buffers::{LineBuffers, PartBuffers, TubeBuffers, to_f32};
use super::super::camera::Projection;
use super::super::picture::{DrawnPart, Picture};
use super::cut::Cut;
use super::{Backdrop, Renderer};
use crate::app::selection::Thing;
use crate::app::theme;
use crate::geom::{Pose, Vec3};
use crate::scene::Finish;

/// Width of feature edges and grid lines, pixels.
const LINE_WIDTH: f32 = 1.1;
/// Width of the outline of a selected cable, points.
const OUTLINE: f32 = 2.5;
/// Distance of the lines on cut faces, points.
const HATCH: f32 = 7.0;
/// How much of a part is seen when parts are see-through.
const VEIL: f32 = 0.28;
/// How far contact shading reaches, as a share of the height of the view.
const CONTACT_REACH: f64 = 0.016;
/// From so many triangles on, a picture that moves has fewer of them.
const MANY: usize = 300_000;

/// How finely parts are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    Fine,
    Coarse,
}

impl Renderer {
    /// Always succeeds; the result is what three-d's targets ask of a drawing.
    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn draw(
        &self,
        picture: &Picture,
        [width, height]: [u32; 2],
    ) -> Result<(), CoreError> {
        let viewport = PixelViewport::new_at_origo(width, height);
        let look = &picture.look;
        self.draw_sky(picture, viewport);
        // All of it comes back as soon as nothing moves.
        let detail = self.detail(look.moving);
        if !look.see_through {
            self.draw_parts(picture, 1.0, RenderStates::default(), detail, viewport);
        }
        self.draw_tubes(picture, viewport);
        self.draw_shadow(picture, viewport);
        self.draw_grid(picture, viewport);
        // Drawn last, over everything: cables stay visible behind them.
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            blend: Blend::TRANSPARENCY,
            ..RenderStates::default()
        };
        if look.see_through {
            self.draw_veils(picture, (states, detail), viewport);
        }
        let swept = self.swept.iter().zip(&picture.swept);
        swept.for_each(|s| self.draw_part(picture, s, VEIL, (states, detail), viewport));
        self.draw_edges(picture, viewport);
        Ok(())
    }

    /// Parts and cables alone.
    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn draw_solids(
        &self,
        picture: &Picture,
        [width, height]: [u32; 2],
        detail: Detail,
    ) -> Result<(), CoreError> {
        let viewport = PixelViewport::new_at_origo(width, height);
        let states = RenderStates::default();
        self.draw_parts(picture, 1.0, states, detail, viewport);
        self.draw_tubes(picture, viewport);
        Ok(())
    }

    /// What is close before something else darkens it.
    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn draw_contacts(
        &self,
        picture: &Picture,
        depth: &DepthTexture2D,
        [width, height]: [u32; 2],
    ) -> Result<(), CoreError> {
        let viewport = PixelViewport::new_at_origo(width, height);
        let camera = &picture.camera;
        let (near, far) = camera.depth_range(&picture.aabb);
        let parallel = camera.projection == Projection::Orthographic;
        // Pixels of a mm: at depth 1 in perspective, at any depth in a parallel view.
        let pixels = f64::from(height) / camera.height;
        let pixels = if parallel {
            pixels
        } else {
            pixels * camera.distance()
        };
        // A share of what is seen, so that it does not matter how near one looks.
        let reach = CONTACT_REACH * camera.height;
        let parallel = if parallel { 1.0 } else { 0.0 };
        let program = &self.contact;
        let range = Vec4::new(near as f32, far as f32, parallel, reach as f32);
        program.use_uniform("range", range);
        let scale = Vec3f::new(pixels as f32, width as f32, height as f32);
        program.use_uniform("scale", scale);
        program.use_depth_texture("depth", depth);
        program.use_vertex_attribute("position", &self.screen);
        let states = RenderStates {
            blend: Blend::TRANSPARENCY,
            ..flat()
        };
        program.draw_arrays(states, viewport, 3);
        Ok(())
    }

    /// All but the cables.
    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn draw_backdrop(
        &self,
        picture: &Picture,
        [width, height]: [u32; 2],
    ) -> Result<(), CoreError> {
        let viewport = PixelViewport::new_at_origo(width, height);
        self.draw_sky(picture, viewport);
        self.draw_parts(
            picture,
            1.0,
            RenderStates::default(),
            Detail::Fine,
            viewport,
        );
        self.draw_shadow(picture, viewport);
        self.draw_grid(picture, viewport);
        self.draw_edges(picture, viewport);
        Ok(())
    }

    /// The cables over what stands behind them.
    #[allow(clippy::unnecessary_wraps)]
    pub(super) fn draw_over(
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
            if drawn.selected {
                self.draw_outline(picture, tube, viewport);
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

    /// A rim around a cable, which leaves no depth: the cable, drawn next, covers all of it but the rim.
    fn draw_outline(&self, picture: &Picture, tube: &TubeBuffers, viewport: PixelViewport) {
        let program = &self.outline;
        place(program, picture, &tube.origin, None);
        let points = viewport.height as f32 / picture.viewport.height as f32;
        program.use_uniform("width", OUTLINE * points);
        let size = Vec2::new(viewport.width as f32, viewport.height as f32);
        program.use_uniform("size", size);
        program.use_uniform("color", rgb(theme::SELECTED));
        program.use_vertex_attribute("position", &tube.positions);
        program.use_vertex_attribute("normal", &tube.normals);
        let states = RenderStates {
            write_mask: WriteMask::COLOR,
            depth_test: DepthTest::LessOrEqual,
            ..RenderStates::default()
        };
        program.draw_elements(states, viewport, &tube.elements);
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
                own: None,
                moved: drawn.moved,
            };
            self.draw_lines(picture, &part.edges, ink, cut, viewport);
        }
        for (cut, drawn) in self.cut_parts.iter().zip(&picture.parts) {
            let ink = (rgb(drawn.color) * 0.3).extend(1.0);
            for (own, cap) in cut.caps() {
                let by_others = Cut {
                    section: picture.look.section,
                    own: Some(own),
                    moved: drawn.moved,
                };
                self.draw_lines(picture, &cap.outline, ink, by_others, viewport);
            }
        }
    }

    /// How finely parts are drawn: where there are many triangles, fewer will do for what need not be seen well.
    pub(super) fn detail(&self, quick: bool) -> Detail {
        let parts = self.parts.iter();
        let n_triangles: usize = parts.map(|p| p.model.surface.triangles.len()).sum();
        if quick && n_triangles > MANY {
            Detail::Coarse
        } else {
            Detail::Fine
        }
    }

    fn draw_parts(
        &self,
        picture: &Picture,
        opacity: f32,
        states: RenderStates,
        detail: Detail,
        viewport: PixelViewport,
    ) {
        for part in self.parts.iter().zip(&picture.parts) {
            self.draw_part(picture, part, opacity, (states, detail), viewport);
        }
        self.draw_caps(picture, opacity, states, viewport);
    }

    /// Parts that one can look through, from the back to the front, and the far side of each before its near one: what is
    /// in front looks it.
    fn draw_veils(
        &self,
        picture: &Picture,
        (states, detail): (RenderStates, Detail),
        viewport: PixelViewport,
    ) {
        let back = picture.camera.back();
        let all = self.parts.iter().zip(&picture.parts);
        let mut all: Vec<_> = all
            .map(|(part, drawn)| {
                let moved = drawn.moved.unwrap_or_else(Pose::identity);
                let middle = moved.transform(&part.model.aabb.center());
                (middle.dot(&back), (part, drawn))
            })
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, part) in all {
            for cull in [Cull::Front, Cull::Back] {
                let states = RenderStates { cull, ..states };
                self.draw_part(picture, part, VEIL, (states, detail), viewport);
            }
        }
        self.draw_caps(picture, VEIL, states, viewport);
    }

    /// The cut faces of the parts; neighbours are hatched in different directions.
    fn draw_caps(
        &self,
        picture: &Picture,
        opacity: f32,
        states: RenderStates,
        viewport: PixelViewport,
    ) {
        let points = viewport.height as f32 / picture.viewport.height as f32;
        let parts = self.cut_parts.iter().zip(&self.parts).zip(&picture.parts);
        for (k, ((cut, part), drawn)) in parts.enumerate() {
            let slope = if k % 2 == 0 { 1.0 } else { -1.0 };
            for (own, cap) in cut.caps() {
                let program = &self.cap;
                place(program, picture, &part.origin, drawn.moved);
                let by_others = Cut {
                    section: picture.look.section,
                    own: Some(own),
                    moved: drawn.moved,
                };
                by_others.tell(program, &part.origin);
                program.use_uniform("color", rgb(drawn.color).extend(opacity));
                program.use_uniform("hatch", Vec2::new(HATCH * points, slope));
                program.use_vertex_attribute("position", &cap.positions);
                program.draw_elements(states, viewport, &cap.elements);
            }
        }
    }

    fn draw_part(
        &self,
        picture: &Picture,
        (part, drawn): (&PartBuffers, &DrawnPart),
        opacity: f32,
        (states, detail): (RenderStates, Detail),
        viewport: PixelViewport,
    ) {
        let program = &self.surface;
        place(program, picture, &part.origin, drawn.moved);
        let cut = Cut {
            section: picture.look.section,
            own: None,
            moved: drawn.moved,
        };
        cut.tell(program, &part.origin);
        program.use_uniform("color", rgb(drawn.color).extend(opacity));
        program.use_uniform("finish", glint(drawn.finish));
        let coarse = part.coarse.as_ref().filter(|_| detail == Detail::Coarse);
        let buffers = coarse.unwrap_or(&part.surface);
        program.use_vertex_attribute("position", &buffers.positions);
        program.use_vertex_attribute("normal", &buffers.normals);
        program.draw_elements(states, viewport, &buffers.elements);
    }

    fn draw_lines(
        &self,
        picture: &Picture,
        lines: &LineBuffers,
        color: Vec4,
        cut: Cut,
        viewport: PixelViewport,
    ) {
        let n_lines = lines.starts.instance_count();
        if n_lines == 0 {
            return;
        }
        let program = &self.line;
        place(program, picture, &lines.origin, cut.moved);
        cut.tell(program, &lines.origin);
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

/// Tells a program where the camera is, as seen from `origin` of a thing that is moved by a hand.
pub(super) fn place(program: &Program, picture: &Picture, origin: &Vec3, moved: Option<Pose>) {
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
    program.use_uniform_if_required("eye", eye);
    // Over the viewer's left shoulder.
    let key = camera.rotation * Vec3::new(-0.5, 0.72, 0.48).normalize();
    program.use_uniform_if_required("key", to_f32(&(back * key)));
}

/// Strength and sharpness of a highlight, and how much of it has the colour of the part.
fn glint(finish: Finish) -> Vec3f {
    match finish {
        Finish::Paint => Vec3f::new(0.07, 24.0, 0.0),
        Finish::Metal => Vec3f::new(0.34, 14.0, 0.55),
        Finish::Plastic => Vec3f::new(0.16, 48.0, 0.0),
        Finish::Rubber => Vec3f::new(0.0, 1.0, 0.0),
    }
}

/// Colour only, over whatever is there.
pub(super) fn flat() -> RenderStates {
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
