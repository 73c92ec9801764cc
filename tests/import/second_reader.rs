//! Well-formed files read by other people's code: the same triangles.

use std::fmt::Write;
use std::io::Cursor;

use loomwright::geom::Vec3;
use loomwright::mesh::import::import_bytes;

use super::files;

/// Corners of all triangles, in the file's order.
fn ours(bytes: &[u8], name: &str) -> Vec<[Vec3; 3]> {
    let file = import_bytes(bytes, name).unwrap();
    let mesh = &file.parts[0].mesh;
    (0..mesh.triangles().len())
        .map(|t| mesh.corners(t))
        .collect()
}

fn assert_same(ours: &[[Vec3; 3]], theirs: &[[[f32; 3]; 3]]) {
    assert_eq!(ours.len(), theirs.len());
    assert!(!ours.is_empty());
    for (a, b) in ours.iter().flatten().zip(theirs.iter().flatten()) {
        let b = Vec3::new(b[0].into(), b[1].into(), b[2].into());
        assert!((a - b).norm() < 1e-4, "{a} and {b}");
    }
}

/// A text STL such as the crate takes: one solid, with a name, in small letters.
fn tidy_stl() -> String {
    let body = files::body();
    let mut text = String::from("solid body\n");
    for t in 0..body.triangles().len() {
        text += "facet normal 0 0 1\nouter loop\n";
        for v in body.corners(t) {
            writeln!(text, "vertex {} {} {}", v.x, v.y, v.z).unwrap();
        }
        text += "endloop\nendfacet\n";
    }
    text + "endsolid body\n"
}

#[test]
fn stl_io_finds_the_same_triangles() {
    for bytes in [files::stl_binary(), tidy_stl().into_bytes()] {
        let mut cursor = Cursor::new(&bytes);
        let reader = stl_io::create_stl_reader(&mut cursor)
            .unwrap()
            .map(|t| t.unwrap().vertices.map(|v| [v[0], v[1], v[2]]));
        let theirs: Vec<[[f32; 3]; 3]> = reader.collect();
        assert_same(&ours(&bytes, "body.stl"), &theirs);
    }
}

#[test]
fn obj_rs_finds_the_same_triangles() {
    let body = files::body();
    let mut text = String::from("o body\n");
    for v in body.vertices() {
        writeln!(text, "v {} {} {}", v.x, v.y, v.z).unwrap();
    }
    for t in body.triangles() {
        writeln!(text, "f {} {} {}", t[0] + 1, t[1] + 1, t[2] + 1).unwrap();
    }
    let theirs: obj::Obj<obj::Position, u32> = obj::load_obj(text.as_bytes()).unwrap();
    let corner = |&i: &u32| theirs.vertices[i as usize].position;
    let triangles: Vec<[[f32; 3]; 3]> = theirs
        .indices
        .chunks_exact(3)
        .map(|t| [corner(&t[0]), corner(&t[1]), corner(&t[2])])
        .collect();
    assert_same(&ours(text.as_bytes(), "body.obj"), &triangles);
}
