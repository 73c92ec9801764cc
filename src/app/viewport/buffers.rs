//! Parts, cables and lines in the GPU's memory, each relative to a point of its own.

use std::sync::Arc;

use three_d::Vec3 as Vec3f;
use three_d::core::{Context, ElementBuffer, InstanceBuffer, VertexBuffer};

use super::cap::Cap;
use super::model::PartModel;
use super::picture::Tube;
use super::tube::TubeMesh;
use crate::geom::Vec3;

/// A part: shaded triangles and feature edges.
pub struct PartBuffers {
    /// What was uploaded.
    pub model: Arc<PartModel>,
    /// The point all positions are relative to.
    pub origin: Vec3,
    /// All its triangles.
    pub surface: SurfaceBuffers,
    /// Fewer of them, where there are many.
    pub coarse: Option<SurfaceBuffers>,
    /// Sharp edges and borders.
    pub edges: LineBuffers,
}

/// Shaded triangles.
pub struct SurfaceBuffers {
    /// Vertices.
    pub positions: VertexBuffer<Vec3f>,
    /// Their normals.
    pub normals: VertexBuffer<Vec3f>,
    /// Triangles.
    pub elements: ElementBuffer<u32>,
}

impl SurfaceBuffers {
    fn new(
        context: &Context,
        positions: impl Iterator<Item = Vec3>,
        normals: &[Vec3],
        triangles: &[[u32; 3]],
    ) -> Self {
        let positions: Vec<Vec3f> = positions.map(|p| to_f32(&p)).collect();
        let normals: Vec<Vec3f> = normals.iter().map(to_f32).collect();
        Self {
            positions: VertexBuffer::new_with_data(context, &positions),
            normals: VertexBuffer::new_with_data(context, &normals),
            elements: ElementBuffer::new_with_data(context, triangles.as_flattened()),
        }
    }
}

/// The cut face of a part.
pub struct CapBuffers {
    /// Vertices, relative to the middle of their part.
    pub positions: VertexBuffer<Vec3f>,
    /// Triangles.
    pub elements: ElementBuffer<u32>,
    /// Its outline.
    pub outline: LineBuffers,
}

/// A cable.
pub struct TubeBuffers {
    /// What was uploaded.
    mesh: Option<Arc<TubeMesh>>,
    /// The point all positions are relative to.
    pub origin: Vec3,
    /// Vertices.
    pub positions: VertexBuffer<Vec3f>,
    /// Their normals.
    pub normals: VertexBuffer<Vec3f>,
    /// Where around the tube they are.
    pub around: VertexBuffer<f32>,
    /// Their colours, where the cable has more than one.
    pub tints: VertexBuffer<Vec3f>,
    /// Whether it has.
    pub tinted: bool,
    /// Triangles.
    pub elements: ElementBuffer<u32>,
}

/// Line segments, an instance each.
pub struct LineBuffers {
    /// The point all positions are relative to.
    pub origin: Vec3,
    /// Where they start.
    pub starts: InstanceBuffer<Vec3f>,
    /// Where they end.
    pub ends: InstanceBuffer<Vec3f>,
}

impl PartBuffers {
    /// Uploads a part.
    pub fn new(context: &Context, model: Arc<PartModel>) -> Self {
        let origin = model.aabb.center();
        let vertices = model.mesh.vertices();
        let surface = &model.surface;
        let places = surface
            .vertices
            .iter()
            .map(|v| vertices[*v as usize] - origin);
        let coarse = model.coarse.as_ref().map(|c| {
            let places = c.positions.iter().map(|p| p - origin);
            SurfaceBuffers::new(context, places, &c.normals, &c.triangles)
        });
        let lines = (model.edges.iter())
            .map(|edge| edge.map(|v| vertices[v as usize]))
            .collect::<Vec<_>>();
        Self {
            origin,
            surface: SurfaceBuffers::new(context, places, &surface.normals, &surface.triangles),
            coarse,
            edges: LineBuffers::new(context, &lines),
            model,
        }
    }
}

impl CapBuffers {
    /// Uploads the cut face of a part whose middle is `origin`.
    pub fn new(context: &Context, cap: &Cap, origin: &Vec3) -> Self {
        let positions: Vec<Vec3f> = cap.points.iter().map(|p| to_f32(&(p - origin))).collect();
        Self {
            positions: VertexBuffer::new_with_data(context, &positions),
            elements: ElementBuffer::new_with_data(context, cap.triangles.as_flattened()),
            outline: LineBuffers::new(context, &cap.outline),
        }
    }
}

impl TubeBuffers {
    /// Uploads a cable.
    pub fn new(context: &Context, tube: &Tube) -> Self {
        let mut buffers = Self {
            mesh: None,
            origin: Vec3::zeros(),
            positions: VertexBuffer::new(context),
            normals: VertexBuffer::new(context),
            around: VertexBuffer::new(context),
            tints: VertexBuffer::new(context),
            tinted: false,
            elements: ElementBuffer::new(context),
        };
        buffers.fill(tube);
        buffers
    }

    /// Uploads the cable's new shape in place of the old.
    pub fn fill(&mut self, tube: &Tube) {
        let mesh = &tube.mesh;
        self.tinted = tube.tints.is_some();
        match &tube.tints {
            Some(tints) => {
                let tints = tints.iter().map(|[r, g, b]| Vec3f::new(*r, *g, *b));
                self.tints.fill(&tints.collect::<Vec<_>>());
            }
            // The shader reads as many as there are vertices, even where it does not use them.
            None if self.tints.vertex_count() as usize != mesh.positions.len() => {
                let plain = vec![Vec3f::new(0.0, 0.0, 0.0); mesh.positions.len()];
                self.tints.fill(&plain);
            }
            None => {}
        }
        if self.mesh.as_ref().is_some_and(|m| Arc::ptr_eq(m, mesh)) {
            return;
        }
        self.mesh = Some(mesh.clone());
        self.origin = mesh.positions.first().copied().unwrap_or_default();
        let positions = mesh.positions.iter().map(|p| to_f32(&(p - self.origin)));
        self.positions.fill(&positions.collect::<Vec<_>>());
        self.normals
            .fill(&mesh.normals.iter().map(to_f32).collect::<Vec<_>>());
        self.around
            .fill(&mesh.around.iter().map(|a| *a as f32).collect::<Vec<_>>());
        self.elements.fill(&mesh.indices);
    }
}

impl LineBuffers {
    /// Uploads lines.
    pub fn new(context: &Context, lines: &[[Vec3; 2]]) -> Self {
        let origin = lines.first().map_or_else(Vec3::zeros, |line| line[0]);
        let ends = |k: usize| {
            let local = lines.iter().map(|line| to_f32(&(line[k] - origin)));
            InstanceBuffer::new_with_data(context, &local.collect::<Vec<_>>())
        };
        Self {
            origin,
            starts: ends(0),
            ends: ends(1),
        }
    }
}

/// The GPU's numbers.
pub fn to_f32(v: &Vec3) -> Vec3f {
    Vec3f::new(v.x as f32, v.y as f32, v.z as f32)
}
