//! Tubes swept along lines and arcs, with the line that they are swept along.

use loomwright::geom::Vec3;
use loomwright::mesh::TriMesh;

/// Triangles before they are a mesh.
#[derive(Clone, Default)]
pub struct Soup {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

impl Soup {
    pub fn mesh(self) -> TriMesh {
        TriMesh::new(self.vertices, self.triangles).unwrap()
    }

    pub fn add(&mut self, other: Self) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        let moved = other.triangles.iter().map(|t| t.map(|v| v + first));
        self.triangles.extend(moved);
    }
}

/// A place on a path: position and unit tangent.
pub type Station = (Vec3, Vec3);

/// A straight run, a quarter circle of `bend` mm radius to the side, and a straight run; a ring each `degrees` of the
/// bend and none on the straight runs but at their ends, as CAD does it.
pub fn bent_path(run: f64, bend: f64, degrees: f64) -> Vec<Station> {
    let mut path = vec![(Vec3::zeros(), Vec3::x())];
    let n = (90.0 / degrees).round() as usize;
    for i in 0..=n {
        let angle = std::f64::consts::FRAC_PI_2 * i as f64 / n as f64;
        let (sin, cos) = angle.sin_cos();
        let position = Vec3::new(run + bend * sin, bend * (1.0 - cos), 0.0);
        path.push((position, Vec3::new(cos, sin, 0.0)));
    }
    path.push((
        Vec3::new(run + bend, bend + run, 0.0),
        Vec3::new(0.0, 1.0, 0.0),
    ));
    path
}

/// A tube of `n_sides` round a path, closed by flat caps.
pub fn tube(path: &[Station], radius: impl Fn(usize) -> f64, n_sides: usize) -> Soup {
    let mut soup = Soup::default();
    let n = n_sides as u32;
    for (i, (center, tangent)) in path.iter().enumerate() {
        let u = Vec3::z();
        let v = tangent.cross(&u);
        for k in 0..n_sides {
            let angle = std::f64::consts::TAU * k as f64 / n_sides as f64;
            let around = u * angle.cos() + v * angle.sin();
            soup.vertices.push(center + around * radius(i));
        }
        if i > 0 {
            let base = (i as u32 - 1) * n;
            for k in 0..n {
                let (a, b) = (base + k, base + (k + 1) % n);
                soup.triangles.push([a, b, b + n]);
                soup.triangles.push([a, b + n, a + n]);
            }
        }
    }
    let last = (path.len() as u32 - 1) * n;
    for k in 1..n - 1 {
        soup.triangles.push([0, k + 1, k]);
        soup.triangles.push([last, last + k, last + k + 1]);
    }
    soup
}

/// A ball of rings.
pub fn ball(radius: f64) -> TriMesh {
    let path: Vec<Station> = (1..24)
        .map(|i| {
            let angle = std::f64::consts::PI * f64::from(i) / 24.0;
            (Vec3::x() * (-radius * angle.cos()), Vec3::x())
        })
        .collect();
    let wide = |i: usize| radius * (std::f64::consts::PI * (i + 1) as f64 / 24.0).sin();
    tube(&path, wide, 32).mesh()
}
