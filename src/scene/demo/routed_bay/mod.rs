//! An engine bay with its harness routed: the scene of the first start.
//!
//! x to the left side of the car, y to the back (firewall at y = 380), z up, mm.

mod battery;
mod body;
mod branches;
mod cooling;
mod engine;
mod fittings;
mod intake;
mod route;
mod unit;

use super::aabb;
use super::shapes::{along, at_all, bolt, rounded_box};
use crate::geom::{Pose, Vec3};
use crate::mesh::TriMesh;
use crate::scene::{Finish, NamedView, Part, Scene};

/// Colours by what a thing is made of.
const CAST: [u8; 3] = [163, 168, 174];
const DARK_CAST: [u8; 3] = [104, 110, 118];
const STEEL: [u8; 3] = [186, 189, 193];
const BODY: [u8; 3] = [126, 150, 172];
const BLACK: [u8; 3] = [52, 55, 60];
const GREY: [u8; 3] = [88, 92, 98];
const WHITE: [u8; 3] = [226, 226, 214];
const LOOM: [u8; 3] = [34, 36, 41];
const GROUND: [u8; 3] = [150, 98, 52];

/// The scene. The control unit can be dragged out of its place; its ground cable is the first to become too short.
pub fn routed_bay() -> Scene {
    let mut scene = Scene {
        parts: body::body(),
        ..Scene::default()
    };
    scene.parts.extend(engine::engine());
    scene.parts.extend(intake::intake());
    scene.parts.extend(cooling::cooling());
    scene.parts.extend(battery::battery());
    scene.parts.extend(unit::control_unit());
    route::route(&mut scene);
    scene.views.push(NamedView {
        name: "overview".to_owned(),
        focus: Vec3::new(-20.0, -90.0, 320.0),
        to_eye: Vec3::new(-0.62, -1.0, 0.95).normalize() * 2620.0,
        up: Vec3::z(),
        orthographic: false,
    });
    scene
}

/// A part of a group with its colour and finish.
fn made(group: &str, name: &str, mesh: TriMesh, color: [u8; 3], finish: Finish) -> Part {
    let mut part = Part::new(name, mesh);
    part.group = vec![group.to_owned()];
    part.color = Some(color);
    part.finish = finish;
    part
}

fn boxed(min: [f64; 3], max: [f64; 3], radius: f64) -> TriMesh {
    rounded_box(&aabb(min, max), radius, 2)
}

/// Bolts that stand on a level face.
fn bolts(diameter: f64, at: &[[f64; 3]]) -> TriMesh {
    let poses: Vec<Pose> = at.iter().map(|p| along(*p, [0.0, 0.0, 1.0])).collect();
    at_all(&bolt(diameter), &poses)
}
