//! A second cable or part like one that is there: moved, or mirrored.

use serde::{Deserialize, Serialize};

use super::CommandError;
use super::names::{Kind, no_such};
use crate::geom::{Pose, Rotation, Vec3};
use crate::mesh::TriMesh;
use crate::scene::{Cable, Part, RestShape, Scene};

/// A plane to mirror in: across one of the world's axes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mirror {
    /// 0, 1, 2: across x, y, z.
    pub axis: usize,
    /// Where on that axis the plane is, mm.
    #[serde(default)]
    pub at: f64,
}

impl Mirror {
    fn point(self, p: &Vec3) -> Vec3 {
        let mut p = *p;
        p[self.axis] = 2.0 * self.at - p[self.axis];
        p
    }

    /// The frame whose d2 and d3 are mirrored: its d1 is turned round, so that it stays right-handed.
    fn frame(self, frame: &Rotation) -> Rotation {
        let across = |v: Vec3| {
            let mut v = v;
            v[self.axis] = -v[self.axis];
            v
        };
        let (d2, d3) = (across(frame * Vec3::y()), across(frame * Vec3::z()));
        let matrix = nalgebra::Matrix3::from_columns(&[d2.cross(&d3), d2, d3]);
        Rotation::from_matrix(&matrix)
    }

    fn pose(self, pose: &Pose) -> Pose {
        Pose {
            position: self.point(&pose.position),
            rotation: self.frame(&pose.rotation),
        }
    }
}

/// Adds the second one, under a free name: moved by `by`, then mirrored.
pub fn duplicate(
    scene: &mut Scene,
    kind: Kind,
    name: &str,
    by: Vec3,
    mirror: Option<Mirror>,
) -> Result<(), CommandError> {
    if mirror.is_some_and(|m| m.axis > 2 || !m.at.is_finite())
        || !by.iter().all(|c| c.is_finite() && c.abs() <= 1e7)
    {
        return Err(CommandError::Impossible(
            "a copy must be moved by at most 10 km, and mirrored across axis 0, 1 or 2".to_owned(),
        ));
    }
    match kind {
        Kind::Cable => {
            let Some(cable) = scene.cable(name) else {
                let known: Vec<String> = scene.cables.iter().map(|c| c.name.clone()).collect();
                return Err(no_such(kind, name, &known));
            };
            let mut copy = cable.clone();
            copy.name = scene.free_cable_name(name);
            move_cable(&mut copy, by);
            if let Some(mirror) = mirror {
                mirror_cable(&mut copy, mirror);
            }
            scene.cables.push(copy);
        }
        Kind::Part => {
            let Some(part) = scene.part(name) else {
                let known: Vec<String> = scene.parts.iter().map(|p| p.name.clone()).collect();
                return Err(no_such(kind, name, &known));
            };
            let copy = copy_of_part(part, scene.free_part_name(name), by, mirror)
                .map_err(|e| CommandError::Impossible(e.to_string()))?;
            scene.parts.push(copy);
        }
        _ => {
            return Err(CommandError::Impossible(format!(
                "a {kind} cannot be duplicated; cables and parts can"
            )));
        }
    }
    Ok(())
}

fn copy_of_part(
    part: &Part,
    name: String,
    by: Vec3,
    mirror: Option<Mirror>,
) -> Result<Part, crate::mesh::MeshError> {
    let mut copy = part.clone();
    copy.name = name;
    let placement = *part.placement();
    copy.place(Pose {
        position: placement.position + by,
        ..placement
    })?;
    let Some(mirror) = mirror else {
        return Ok(copy);
    };
    // A mirrored body is another one: it has no file, and its triangles are turned round.
    let vertices = copy.mesh().vertices().iter().map(|p| mirror.point(p));
    let triangles = copy.mesh().triangles().iter().map(|&[a, b, c]| [a, c, b]);
    let mesh = TriMesh::new(vertices.collect(), triangles.collect())?;
    let mut own = Part::new(copy.name, mesh);
    own.visible = copy.visible;
    own.role = copy.role;
    own.color = copy.color;
    own.finish = copy.finish;
    own.margin = copy.margin;
    own.hazard = copy.hazard;
    own.required_clearance = copy.required_clearance;
    own.group = copy.group;
    Ok(own)
}

/// A copy holds on to nothing: where its handles were attached, others are.
fn move_cable(cable: &mut Cable, by: Vec3) {
    for handle in &mut cable.handles {
        handle.pose.position += by;
        handle.attached_to = None;
        handle.reference_changed = false;
    }
    if let Some(shape) = &mut cable.shape {
        shape.points.iter_mut().for_each(|p| *p += by);
        for clamp in shape.clamps.iter_mut().flatten() {
            clamp.position += by;
        }
        // It remembers contacts of another place.
        shape.memory = None;
    }
}

fn mirror_cable(cable: &mut Cable, mirror: Mirror) {
    for handle in &mut cable.handles {
        handle.pose = mirror.pose(&handle.pose);
        handle.turns = -handle.turns;
    }
    if let RestShape::Moulded { curvatures, .. } = &mut cable.rest {
        // Bends about the direction that was turned round stay, the others and the twist change their sign.
        for [_, b, twist] in curvatures {
            (*b, *twist) = (-*b, -*twist);
        }
    }
    // Its original surface would be turned inside out.
    cable.skin = None;
    if let Some(shape) = &mut cable.shape {
        for p in &mut shape.points {
            *p = mirror.point(p);
        }
        for frame in &mut shape.frames {
            *frame = mirror.frame(frame);
        }
        for clamp in shape.clamps.iter_mut().flatten() {
            *clamp = mirror.pose(clamp);
        }
        shape.turns.iter_mut().for_each(|t| *t = -*t);
        shape.rolls.values_mut().for_each(|roll| *roll = -*roll);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;
    use crate::scene::{Command, Simulation};
    use crate::solve::CancelToken;

    fn copied(scene: &Scene, kind: Kind, name: &str, mirror: Option<Mirror>) -> Scene {
        let mut scene = scene.clone();
        let by = [0.0, 300.0, 0.0];
        let name = name.to_owned();
        let copy = Command::Duplicate {
            kind,
            name,
            by,
            mirror,
        };
        copy.apply(&mut scene).unwrap();
        scene
    }

    #[test]
    fn a_mirrored_cable_hangs_as_its_image() {
        // Formed and twisted, in a pose along no axis.
        let mut scene = demo("routed-bay").unwrap();
        scene.parts.clear();
        scene.junctions.clear();
        scene.harnesses.clear();
        scene.cables.retain(|c| c.name == "battery");
        for handle in &mut scene.cables[0].handles {
            handle.attached_to = None;
        }
        let turned = Rotation::from_axis_angle(&Vec3::z_axis(), 0.8);
        let end = &mut scene.cables[0].handles[1];
        end.pose.rotation *= turned;
        for axis in 0..3 {
            // Gravity is mirrored too.
            let mut scene = scene.clone();
            scene.gravity = Vec3::new(2.0, -1.0, -8.0);
            let mirror = Mirror { axis, at: 20.0 };
            let mut image = copied(&scene, Kind::Cable, "battery", Some(mirror));
            image.cables.remove(0);
            image.gravity[axis] = -image.gravity[axis];
            let solved = |scene: Scene| {
                let mut simulation = Simulation::new(scene).unwrap();
                simulation.solve_quietly(&CancelToken::default());
                simulation.solvers()[0].state().positions.clone()
            };
            let (own, other) = (solved(scene), solved(image));
            let by = Vec3::y() * 300.0;
            let apart = own
                .iter()
                .zip(&other)
                .map(|(a, b)| (mirror.point(&(a + by)) - b).norm());
            let apart = apart.fold(0.0, f64::max);
            assert!(apart < 1e-3, "axis {axis}: {apart} mm");
        }
    }

    #[test]
    fn copies_have_names_of_their_own_and_parts_look_outwards() {
        let scene = demo("box").unwrap();
        let volume = |mesh: &TriMesh| -> f64 {
            let of = |t: usize| {
                let [a, b, c] = mesh.corners(t);
                a.dot(&b.cross(&c)) / 6.0
            };
            (0..mesh.triangles().len()).map(of).sum()
        };
        for mirror in [None, Some(Mirror { axis: 0, at: 0.0 })] {
            let now = copied(&scene, Kind::Part, "box", mirror);
            assert_eq!(now.parts.len(), 2);
            assert_ne!(now.parts[0].name, now.parts[1].name);
            let [a, b] = [0, 1].map(|k| volume(now.parts[k].mesh()));
            assert!((a - b).abs() < 1e-6 * a, "{a} {b}");
            let now = copied(&scene, Kind::Cable, "cable", mirror);
            assert_eq!(now.cables.len(), 2);
            assert!(Simulation::new(now).is_ok());
        }
        let missing = Command::Duplicate {
            kind: Kind::Part,
            name: "no such".to_owned(),
            by: [0.0; 3],
            mirror: None,
        };
        assert!(missing.apply(&mut scene.clone()).is_err());
    }
}
