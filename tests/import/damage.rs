//! Damaged files of every format: an error that says where, or a mesh; never a panic, never much memory.

use std::fmt::Write as _;

use fastrand::Rng;
use loomwright::mesh::import::{ImportError, ImportedFile, import_bytes};

use crate::counting::peak;
use crate::files;
use crate::mutate::damaged;

/// Damaged copies of every format; more when the environment asks for them.
const N_COPIES: usize = 2500;

fn n_copies() -> usize {
    let asked = std::env::var("LOOMWRIGHT_DAMAGED_COPIES").ok();
    asked.map_or(N_COPIES, |n| n.parse().unwrap())
}

/// What an import may take, however small the file.
const MAX_BYTES: usize = 1 << 30;
/// What a damaged copy of a file of a few kB takes at most: room for a few buffers.
const MAX_BYTES_SMALL: usize = 64 << 20;

/// A damaged copy of the file called `name`; those in a container are damaged inside of it half of the time.
fn copy(name: &str, whole: &[u8], random: &mut Rng) -> Vec<u8> {
    match name {
        "model.3mf" if random.bool() => {
            let xml = damaged(files::model_xml().as_bytes(), random);
            files::three_mf(&String::from_utf8_lossy(&xml))
        }
        "binary.glb" if random.bool() => {
            let json = damaged(files::gltf_json(None).as_bytes(), random);
            files::glb(&String::from_utf8_lossy(&json), &files::gltf_data())
        }
        _ => damaged(whole, random),
    }
}

/// Whether the error tells where in the file it happened, or is about the file as a whole.
fn tells_where(error: &ImportError) -> bool {
    match error {
        ImportError::EmptyFile
        | ImportError::OtherFormat { .. }
        | ImportError::UnknownFormat
        | ImportError::Truncated { .. }
        | ImportError::NoTriangles => true,
        ImportError::Damaged { place, .. }
        | ImportError::NotSupported { place, .. }
        | ImportError::UnfoldsTooFar { place, .. }
        | ImportError::BadCoordinate { place, .. } => !place.to_string().is_empty(),
        ImportError::EndsInFacet { line }
        | ImportError::NotATriangle { line, .. }
        | ImportError::UnexpectedWord { line, .. }
        | ImportError::NotANumber { line, .. }
        | ImportError::BadFace { line, .. } => *line > 0,
        // Nothing was asked of the operating system, and nobody cancelled.
        _ => false,
    }
}

fn check(name: &str, result: Result<ImportedFile, ImportError>) -> bool {
    match result {
        Ok(file) => {
            for part in &file.parts {
                let cleaning = &part.report.cleaning;
                let n_dropped = cleaning.degenerate + cleaning.duplicate;
                assert_eq!(cleaning.triangles_kept + n_dropped, cleaning.triangles_read);
                assert_eq!(part.mesh.triangles().len(), cleaning.triangles_kept);
                assert!(part.mesh.vertices().len() <= cleaning.vertices_read);
            }
            true
        }
        Err(error) => {
            let text = error.to_string();
            assert!(text.ends_with(&format!(": {name}")), "{text}");
            let ImportError::InFile { error, .. } = error else {
                panic!("{text} names no file");
            };
            assert!(tells_where(&error), "{text}");
            // A reason, and something to try.
            assert!(error.to_string().len() > 20, "{text}");
            false
        }
    }
}

#[test]
fn damaged_files_are_refused_or_read() {
    let names = [
        "a.stl", "a.obj", "a.ply", "a.gltf", "a.glb", "a.3mf", "a.wrl", "a.iv", "a", "",
    ];
    let n_copies = n_copies();
    for (k, (format, whole)) in files::all().into_iter().enumerate() {
        assert!(import_bytes(&whole, format).is_ok());
        let mut random = Rng::with_seed(k as u64 + 1);
        let mut n_read = 0;
        let mut most = 0;
        for _ in 0..n_copies {
            let bytes = copy(format, &whole, &mut random);
            // The name is wrong as often as it is right.
            let name = if random.bool() {
                format
            } else {
                names[random.usize(..names.len())]
            };
            let (result, n_bytes) = peak(|| import_bytes(&bytes, name));
            most = most.max(n_bytes);
            n_read += usize::from(check(name, result));
        }
        println!("{format}: {n_read} of {n_copies} read, at most {most} bytes");
        assert!(most < MAX_BYTES_SMALL, "{format} took {most} bytes");
        // Damage that is always noticed, or never, would be no test.
        assert!(
            n_read > n_copies / 50 && n_read < n_copies * 49 / 50,
            "{n_read}"
        );
    }
}

#[test]
fn every_beginning_of_a_file_is_refused_or_read() {
    for (name, whole) in files::all() {
        for n in 0..whole.len() {
            check(name, import_bytes(&whole[..n], name));
        }
    }
}

#[test]
fn noise_is_refused() {
    let mut random = Rng::with_seed(77);
    for (name, whole) in files::all() {
        for n in 0..500 {
            // A good beginning and noise after it.
            let mut bytes = whole[..random.usize(..whole.len().min(300))].to_vec();
            bytes.extend((0..n).map(|_| random.u8(..)));
            check(name, import_bytes(&bytes, name));
        }
    }
}

/// Reads a file that is made to harm; returns the error.
fn refused(bytes: &[u8], name: &str) -> String {
    let (result, n_bytes) = peak(|| import_bytes(bytes, name));
    assert!(n_bytes < MAX_BYTES, "{name} took {n_bytes} bytes");
    result
        .err()
        .map_or_else(|| panic!("{name} was read"), |e| e.to_string())
}

#[test]
fn trees_that_unfold_without_end_are_refused() {
    // Every level uses the one before ten times.
    let mut vrml = files::vrml();
    let mut xml_objects = String::new();
    let mut gltf_nodes = r#"{"mesh":0}"#.to_owned();
    let mut inner = "box".to_owned();
    for level in 0..12 {
        let uses = format!("USE {inner} ").repeat(10);
        inner = format!("level{level}");
        let _ = writeln!(vrml, "DEF {inner} Group {{ children [ {uses} ] }}");
        let uses = format!(r#"<component objectid="{}"/>"#, level + 2).repeat(10);
        let _ = write!(
            xml_objects,
            r#"<object id="{}"><components>{uses}</components></object>"#,
            level + 3
        );
        let _ = write!(
            gltf_nodes,
            r#",{{"children":[{}]}}"#,
            format!("{level},").repeat(9) + &level.to_string()
        );
    }
    let error = refused(vrml.as_bytes(), "a.wrl");
    assert!(error.contains("unfolds"), "{error}");
    let xml = files::model_xml()
        .replace("</resources>", &format!("{xml_objects}</resources>"))
        .replace(r#"<item objectid="2""#, r#"<item objectid="14""#);
    let error = refused(&files::three_mf(&xml), "a.3mf");
    assert!(error.contains("unfolds"), "{error}");
    let json = files::gltf_json(None);
    let (start, rest) = json.split_once(r#""nodes":[{"name""#).unwrap();
    let (_, end) = rest.split_once("],\n\"meshes\"").unwrap();
    let json = format!("{start}\"nodes\":[{gltf_nodes}],\"meshes\"{end}")
        .replace("\"nodes\":[0]", "\"nodes\":[12]");
    let error = refused(&files::glb(&json, &files::gltf_data()), "a.glb");
    assert!(error.contains("unfolds"), "{error}");
}

#[test]
fn a_node_inside_itself_is_refused() {
    let json = files::gltf_json(None).replace("\"children\":[1,2,3]", "\"children\":[1,0]");
    let error = refused(&files::glb(&json, &files::gltf_data()), "a.glb");
    assert!(error.contains("inside itself"), "{error}");
    let xml = files::model_xml().replace(
        r#"<component objectid="1"/>"#,
        r#"<component objectid="2"/>"#,
    );
    let error = refused(&files::three_mf(&xml), "a.3mf");
    assert!(error.contains("inside itself"), "{error}");
}

#[test]
fn an_archive_that_unpacks_to_gigabytes_is_refused() {
    use std::io::Write as _;

    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("3D/3dmodel.model", options).unwrap();
    archive.write_all(b"<model><resources>").unwrap();
    let blanks = vec![b' '; 1 << 20];
    for _ in 0..400 {
        archive.write_all(&blanks).unwrap();
    }
    let bytes = archive.finish().unwrap().into_inner();
    assert!(bytes.len() < 1 << 20);
    let error = refused(&bytes, "a.3mf");
    assert!(error.contains("far more than its size"), "{error}");
}
