//! Small files of every format, made here: a box of 100 x 60 x 40 mm with its corner at the origin.

use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine as _;
use loomwright::geom::{Aabb, Vec3};
use loomwright::mesh::TriMesh;
use loomwright::mesh::primitives::cuboid;

/// The box that most files hold.
pub fn body() -> TriMesh {
    cuboid(&Aabb {
        min: Vec3::zeros(),
        max: Vec3::new(100.0, 60.0, 40.0),
    })
}

/// A file of every format, by name. Text and container formats have their text beside, so that it can be damaged
/// before it is packed.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("binary.stl", stl_binary()),
        ("text.stl", stl_text().into_bytes()),
        ("text.obj", obj().into_bytes()),
        ("text.ply", ply_text().into_bytes()),
        ("little.ply", ply_binary(false)),
        ("big.ply", ply_binary(true)),
        ("text.gltf", gltf_text().into_bytes()),
        ("binary.glb", glb(&gltf_json(None), &gltf_data())),
        ("model.3mf", three_mf(&model_xml())),
        ("world.wrl", vrml().into_bytes()),
        ("tree.iv", inventor().into_bytes()),
    ]
}

pub fn stl_binary() -> Vec<u8> {
    let body = body();
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((body.triangles().len() as u32).to_le_bytes());
    for t in 0..body.triangles().len() {
        bytes.extend([0; 12]);
        for c in body.corners(t).iter().flatten() {
            bytes.extend((*c as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

pub fn stl_text() -> String {
    let body = body();
    let mut text = String::new();
    for name in ["", " lid"] {
        let _ = writeln!(text, "solid{name}");
        for t in 0..body.triangles().len() {
            text += "facet normal 0 0 1\n outer loop\n";
            for p in body.corners(t) {
                let _ = writeln!(text, "  vertex {} {} {:e}", p.x, p.y, p.z);
            }
            text += " endloop\nendfacet\n";
        }
        let _ = writeln!(text, "endsolid{name}");
    }
    text
}

pub fn obj() -> String {
    let mut text = "# a box of polygons\no box\n".to_owned();
    for p in body().vertices() {
        let _ = writeln!(text, "v {} {} {}", p.x, p.y, p.z);
    }
    text += "vn 0 0 1\ng bottom\nf 4//1 3//1 2//1 1//1\ng walls\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 \\\n 8\n";
    text + "g top\nusemtl red\nf -4/1/1 -3 -2 -1\n"
}

fn ply_header(format: &str) -> String {
    let body = body();
    format!(
        "ply\nformat {format} 1.0\ncomment made here\nelement vertex {}\nproperty float x\nproperty float y\n\
         property double z\nproperty uchar red\nelement face {}\nproperty list uchar int vertex_indices\n\
         property short flags\nelement extra 1\nproperty list ushort float numbers\nend_header\n",
        body.vertices().len(),
        body.triangles().len() - 1
    )
}

/// Faces of the box: a quad for the first two triangles, and the others as they are.
fn ply_faces() -> Vec<Vec<i32>> {
    let body = body();
    let triangles: Vec<[i32; 3]> = body
        .triangles()
        .iter()
        .map(|t| t.map(|v| v as i32))
        .collect();
    // A quad is cut from its first corner: [a, b, c] and [a, c, d].
    let mut faces = vec![vec![
        triangles[0][0],
        triangles[0][1],
        triangles[0][2],
        triangles[1][2],
    ]];
    faces.extend(triangles[2..].iter().map(|t| t.to_vec()));
    faces
}

pub fn ply_text() -> String {
    let mut text = ply_header("ascii");
    for p in body().vertices() {
        let _ = writeln!(text, "{} {} {} 200", p.x, p.y, p.z);
    }
    for face in ply_faces() {
        let words: Vec<String> = face.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "{} {} 7", face.len(), words.join(" "));
    }
    text + "2 0.5 1.5\n"
}

pub fn ply_binary(big: bool) -> Vec<u8> {
    let format = if big { "big" } else { "little" };
    let mut bytes = ply_header(&format!("binary_{format}_endian")).into_bytes();
    let mut put = |number: &[u8]| {
        let mut number = number.to_vec();
        if big {
            number.reverse();
        }
        bytes.extend(number);
    };
    for p in body().vertices() {
        put(&(p.x as f32).to_le_bytes());
        put(&(p.y as f32).to_le_bytes());
        put(&p.z.to_le_bytes());
        put(&[200]);
    }
    for face in ply_faces() {
        put(&[face.len() as u8]);
        for v in face {
            put(&v.to_le_bytes());
        }
        put(&7_i16.to_le_bytes());
    }
    put(&2_u16.to_le_bytes());
    put(&0.5_f32.to_le_bytes());
    put(&1.5_f32.to_le_bytes());
    bytes
}

/// The box in metres and Y up: its vertices as `f32`, then its triangles as `u16`.
pub fn gltf_data() -> Vec<u8> {
    let body = body();
    let mut data = Vec::new();
    for p in body.vertices() {
        for c in [p.x, p.z, -p.y] {
            data.extend((c as f32 / 1000.0).to_le_bytes());
        }
    }
    for &v in body.triangles().iter().flatten() {
        data.extend((v as u16).to_le_bytes());
    }
    data
}

/// An assembly 1 m up, with the box, its mirror image, and one turned upside down by a matrix.
pub fn gltf_json(uri: Option<&str>) -> String {
    let (n_vertices, n_indices) = (8, 36);
    let data_length = 12 * n_vertices + 2 * n_indices;
    let uri = uri.map_or_else(String::new, |uri| format!("\"uri\":\"{uri}\","));
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
"nodes":[{{"name":"assembly","translation":[0,1,0],"children":[1,2,3]}},
{{"name":"box","mesh":0}},
{{"name":"mirrored","mesh":0,"scale":[-1,1,1]}},
{{"name":"turned","mesh":0,"matrix":[1,0,0,0,0,-1,0,0,0,0,-1,0,0,0,0,1]}}],
"meshes":[{{"name":"box mesh","primitives":[{{"attributes":{{"POSITION":0}},"indices":1,"material":0}}]}}],
"materials":[{{"pbrMetallicRoughness":{{"baseColorFactor":[1,0,0.21404,1]}}}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{n_vertices},"type":"VEC3"}},
{{"bufferView":1,"componentType":5123,"count":{n_indices},"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":{},"byteStride":12}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],
"buffers":[{{{uri}"byteLength":{data_length}}}]}}"#,
        12 * n_vertices,
        12 * n_vertices,
        2 * n_indices,
    )
}

pub fn gltf_text() -> String {
    let data = base64::engine::general_purpose::STANDARD.encode(gltf_data());
    gltf_json(Some(&format!(
        "data:application/octet-stream;base64,{data}"
    )))
}

pub fn glb(json: &str, data: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut data = data.to_vec();
    data.resize(data.len().next_multiple_of(4), 0);
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(((28 + json.len() + data.len()) as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", &json), (b"BIN\0", &data)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

/// The box in inches, and an assembly of two of them, one mirrored; built 10 inches along x.
pub fn model_xml() -> String {
    let body = body();
    let mut text = r##"<?xml version="1.0" encoding="UTF-8"?>
<model unit="inch" xmlns="http://schemas.microsoft.com/3dmanufacturing/core/2015/02">
<resources><basematerials id="5"><base name="red" displaycolor="#FF000080"/></basematerials>
<object id="1" name="box &amp; lid" type="model" pid="5" pindex="0"><mesh><vertices>
"##
    .to_owned();
    for p in body.vertices() {
        let [x, y, z] = [p.x / 25.4, p.y / 25.4, p.z / 25.4];
        let _ = writeln!(text, r#"<vertex x="{x}" y="{y}" z="{z}"/>"#);
    }
    text += "</vertices><triangles>\n";
    for [a, b, c] in body.triangles() {
        let _ = writeln!(text, r#"<triangle v1="{a}" v2="{b}" v3="{c}"/>"#);
    }
    text + r#"</triangles></mesh></object>
<object id="2" name="pair"><components><component objectid="1"/>
<component objectid="1" transform="-1 0 0 0 1 0 0 0 1 0 0 2"/></components></object></resources>
<build><item objectid="2" transform="1 0 0 0 1 0 0 0 1 10 0 0"/></build></model>
"#
}

pub fn three_mf(model: &str) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated);
    let relations = r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Target="/3D/part.model" Id="r" Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
</Relationships>"#;
    for (name, text) in [("_rels/.rels", relations), ("3D/part.model", model)] {
        archive.start_file(name, options).unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

fn points_in_metres() -> String {
    let words: Vec<String> = body()
        .vertices()
        .iter()
        .map(|p| format!("{} {} {}", p.x / 1e3, p.z / 1e3, -p.y / 1e3))
        .collect();
    words.join(", ")
}

/// Six quads, the last without its -1.
const QUADS: &str = "3 2 1 0 -1, 0 1 5 4 -1, 1 2 6 5 -1, 2 3 7 6 -1, 3 0 4 7 -1, 4 5 6 7";

pub fn vrml() -> String {
    let points = points_in_metres();
    format!(
        "#VRML V2.0 utf8\n# made here\nPROTO Unused [ field SFNode x NULL ] {{ Group {{ }} }}\n\
         WorldInfo {{ title \"a {{ title\" }}\nDEF assembly Transform {{\n translation 0 1 0 children [\n\
         DEF box Shape {{ appearance Appearance {{ material Material {{ diffuseColor 1 0.5 0 transparency 0.5 }} }}\n\
         geometry IndexedFaceSet {{ coord DEF c Coordinate {{ point [ {points} ] }} coordIndex [ {QUADS} ] }} }}\n\
         Transform {{ center 0.01 0 0 scale -1 1 1 children USE box }}\n\
         DEF turned Transform {{ rotation 0 1 0 1.5707963267948966 children [ Shape {{ geometry IndexedFaceSet {{\n\
         coord USE c ccw FALSE coordIndex [ {QUADS} ] }} }} Sphere {{ radius 2 }} ] }}\n ] }}\n\
         ROUTE a.b TO c.d\n"
    )
}

pub fn inventor() -> String {
    let points: Vec<String> = body()
        .vertices()
        .iter()
        .map(|p| format!("{} {} {}", p.x / 10.0, p.y / 10.0, p.z / 10.0))
        .collect();
    // Walls as one strip, bottom and top as strips of two triangles.
    let strips = "0 4 1 5 2 6 3 7 0 4 -1 0 1 3 2 -1 4 7 5 6 -1";
    format!(
        "#Inventor V2.1 ascii\nSeparator {{\n Units {{ units CENTIMETERS }}\n Material {{ diffuseColor [ 0 1 0 ] }}\n\
         Coordinate3 {{ point [ {} ] }}\n ShapeHints {{ vertexOrdering CLOCKWISE faceType UNKNOWN }}\n\
         DEF strips Separator {{ IndexedTriangleStripSet {{ coordIndex [ {strips} ] }} }}\n\
         ShapeHints {{ vertexOrdering COUNTERCLOCKWISE }}\n\
         DEF faces Separator {{ MatrixTransform {{ matrix 0 1 0 0 -1 0 0 0 0 0 1 0 0 0 7 1 }}\n\
         Translation {{ translation 5 0 0 }}\n Cone {{ parts (SIDES | BOTTOM) }}\n\
         IndexedFaceSet {{ coordIndex [ {QUADS} ] }} }}\n}}\n",
        points.join(",\n")
    )
}
