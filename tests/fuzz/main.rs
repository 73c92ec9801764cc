//! The fuzz targets for a bounded time: the corpus, and mutated copies of good files. More with `LOOMWRIGHT_FUZZ`.

#[path = "../import/files.rs"]
mod files;
#[path = "../fixtures/mutate.rs"]
mod mutate;
#[path = "../../fuzz/targets.rs"]
mod targets;

use std::path::Path;

use fastrand::Rng;
use loomwright::exchange::{
    Carries, ExportOptions, Format, Network, Route, RouteOptions, export, network_of,
};
use loomwright::geom::Vec3;
use loomwright::mesh::primitives;
use loomwright::scene::{Part, Scene, demo, file};
use mutate::damaged;

/// Mutated copies of all seeds of a target together, where the environment asks for no other number.
const USUAL: usize = 60;
/// What one input may take, seconds of CPU; judged only where more than the usual number is asked for.
const MOST_SECONDS: f64 = 10.0;

/// How many mutated copies this target gets, and whether it was asked for.
fn n_copies() -> (usize, bool) {
    match std::env::var("LOOMWRIGHT_FUZZ") {
        Ok(n) => (n.parse::<usize>().expect("a number") / 4, true),
        Err(_) => (USUAL, false),
    }
}

/// What is in the corpus of a target.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target);
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

/// Runs a target on its corpus, on good files, and on mutated copies of both.
fn run(target: &str, good: Vec<Vec<u8>>, take: impl Fn(&[u8], &Path)) {
    let folder = tempfile::tempdir().unwrap();
    let (n, asked) = n_copies();
    let mut seeds = corpus(target);
    seeds.extend(good);
    let mut slowest = (0.0, String::new());
    let mut one = |bytes: &[u8], what: String| {
        let start = cpu_time::ProcessTime::now();
        // What breaks is found here.
        std::fs::write(folder.path().join("input"), bytes).unwrap();
        take(bytes, folder.path());
        let seconds = start.elapsed().as_secs_f64();
        if asked && seconds > MOST_SECONDS {
            let kept = std::env::temp_dir().join(format!("slow-{target}"));
            std::fs::write(&kept, bytes).unwrap();
            panic!("{what}: {seconds:.1} s, kept in {}", kept.display());
        }
        if seconds > slowest.0 {
            slowest = (seconds, what);
        }
    };
    for (i, seed) in seeds.iter().enumerate() {
        one(seed, format!("seed {i}"));
    }
    let mut random = Rng::with_seed(23);
    for k in 0..n {
        let i = random.usize(..seeds.len());
        one(
            &damaged(&seeds[i], &mut random),
            format!("copy {k} of seed {i}"),
        );
    }
    println!(
        "{target}: {} seeds, {n} copies, slowest {slowest:?}",
        seeds.len()
    );
}

/// A small scene with a part, a cable over it and a second one.
fn scene() -> Scene {
    let mut scene = demo::demo("drag").unwrap();
    scene.parts.truncate(1);
    let points: Vec<Vec3> = (0..4).map(|i| Vec3::x() * f64::from(i)).collect();
    scene
        .parts
        .push(Part::new("tube", primitives::tube(&points, 0.5, 5)));
    scene
}

/// Two routes of a scene: all that a file may hold of a harness is in the corpus.
fn network() -> Network<Route> {
    let mut network = network_of(&scene(), &[], &RouteOptions::default()).unwrap();
    network.segments.truncate(2);
    network
}

/// The bytes of a file of each exchange format that holds something of a kind.
fn exports(kinds: &[Carries]) -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let network = network();
    let write = |format: Format| {
        let path = folder.path().join("a").with_extension(format.extension());
        let report = export(&network, format, &path, &ExportOptions::default()).unwrap();
        std::fs::read(&report.files[0].path).unwrap()
    };
    let formats = Format::ALL.into_iter();
    formats
        .filter(|format| kinds.contains(&format.carries()))
        .map(write)
        .collect()
}

#[test]
fn meshes() {
    let pins = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/step/pins.stp");
    let mut good = exports(&[Carries::Mesh]);
    good.push(std::fs::read(pins).unwrap());
    good.extend(files::all().into_iter().map(|(_, bytes)| bytes));
    run("meshes", good, |bytes, _| targets::meshes(bytes));
}

#[test]
fn routes() {
    let good = exports(&[Carries::Curve, Carries::Points]);
    run("routes", good, targets::routes);
}

#[test]
fn scenes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.scene.json");
    file::save(&scene().packed(), &path).unwrap();
    run(
        "scenes",
        vec![std::fs::read(path).unwrap()],
        targets::scenes,
    );
}

#[test]
fn commands() {
    run("commands", Vec::new(), targets::commands);
}
