//! Hoses: the fluid in them and its pressure, their twist, and the straight length behind a fitting.

use serde::{Deserialize, Serialize};

use super::findings::{Finding, FindingKind, Severity};
use super::shortest::{LengthError, alone};
use super::{Cable, HandlePlace, Material, MaterialKind, Scene, Simulation};
use crate::geom::{Pose, Rotation, Vec3};
use crate::solve::CancelToken;

/// Twist from end to end from which a hose is pointed out, degrees. Makers say that 7 degrees take most of the life of a
/// pressure hose.
pub const MOST_TWIST: f64 = 5.0;
/// Turn of the direction up to which a stretch counts as straight, degrees.
pub const STRAIGHT: f64 = 3.0;
/// Times that the end is turned to take the twist out.
const ROUNDS: usize = 8;
/// Twist that is none, radians.
const NO_TWIST: f64 = 1e-4;

/// Pressure of what is in a hose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pressure {
    /// Over that of the surroundings, bar.
    pub bar: f64,
    /// How much longer the flexible hose is under it, percent: by the maker's table, or as typed. Negative for shorter.
    #[serde(default)]
    pub length_change: f64,
}

impl Pressure {
    /// The first number that makes no sense: its name, what it must be, what it is.
    pub fn bad_number(&self) -> Option<(&'static str, &'static str, f64)> {
        let Self { bar, length_change } = *self;
        if !(0.0..=1e4).contains(&bar) {
            Some(("pressure.bar", "between 0 and 10000 bar", bar))
        } else if !(-50.0..=50.0).contains(&length_change) {
            let must = "between -50 and 50 percent";
            Some(("pressure.length_change", must, length_change))
        } else {
            None
        }
    }
}

impl Material {
    /// Change of length of a hose of it at that pressure, percent: linear between the rows of the maker's table and from
    /// nothing at no pressure; beyond the last row as in it.
    pub fn length_change_at(&self, bar: f64) -> f64 {
        let mut last = [0.0, 0.0];
        for row in &self.length_change {
            if bar <= row[0] {
                return last[1] + (row[1] - last[1]) * (bar - last[0]) / (row[0] - last[0]);
            }
            last = *row;
        }
        last[1]
    }
}

impl Scene {
    /// A pressure in a cable: its change of length is the material's, or the one that was typed over it.
    pub fn pressure_of(&self, cable: &Cable, bar: f64) -> Pressure {
        let material = cable.material.as_deref().and_then(|m| self.material(m));
        let of_table = |bar: f64| material.as_ref().map_or(0.0, |m| m.length_change_at(bar));
        let typed = cable.pressure.map(|p| (p.length_change, of_table(p.bar)));
        let length_change = match typed {
            Some((typed, of_material)) if (typed - of_material).abs() > 1e-9 => typed,
            _ => of_table(bar),
        };
        Pressure { bar, length_change }
    }

    /// The moment with which pressure straightens a bend, at most, N mm: an estimate, and shown only.
    ///
    /// A round tube encloses as much when it is bent, so that pressure does not straighten it as such; but it stretches the
    /// wall, and a wall that only bears tension resists bending until its inside is slack, at pi p r^3 / 2 with the inner
    /// radius r (Stein and Hedgepeth 1961). What a real hose does is between nothing and this.
    pub fn straightening_moment(&self, cable: &Cable) -> Option<f64> {
        let bar = cable.pressure?.bar;
        // 1 bar is 0.1 N/mm^2.
        let r = 0.5 * self.bore(cable);
        Some(0.5 * std::f64::consts::PI * 0.1 * bar * r.powi(3))
    }

    /// Inner diameter of a cable, mm: its own, or that of its material; 0 where it is solid or nobody knows.
    pub fn bore(&self, cable: &Cable) -> f64 {
        let of_material = || {
            let material = self.material(cable.material.as_deref()?)?;
            Some(material.inner_diameter(cable.diameter()))
        };
        cable.inner_diameter.or_else(of_material).unwrap_or(0.0)
    }

    /// Mass per length of what is in a hose, kg/m: density times pi d^2 / 4.
    pub fn fluid_mass_kg_m(&self, cable: &Cable) -> f64 {
        let Some(density) = cable.fluid_kg_m3 else {
            return 0.0;
        };
        let bore = self.bore(cable);
        density * std::f64::consts::FRAC_PI_4 * bore * bore * 1e-6
    }

    /// Whether a cable is a hose, by its material or by what is in it.
    pub fn is_hose(&self, cable: &Cable) -> bool {
        let material = cable.material.as_deref().and_then(|m| self.material(m));
        let filled = cable.fluid_kg_m3.is_some() || cable.pressure.is_some();
        filled || material.is_some_and(|m| m.kind == MaterialKind::Hose)
    }
}

/// The pose of the handle at the end of a cable for which the cable is not twisted, where all its handles are.
pub fn untwisted_end(
    scene: &Scene,
    cable: &str,
    cancel: &CancelToken,
) -> Result<Pose, LengthError> {
    let not_held = || LengthError::NotHeld(cable.to_owned());
    let mut scene = alone(scene, cable).ok_or_else(not_held)?;
    let handles = &mut scene.cables[0].handles;
    let end = handles
        .iter()
        .position(|h| h.place == HandlePlace::End)
        .ok_or_else(not_held)?;
    handles[end].turns = 0;
    let unsolvable = |e: &dyn std::fmt::Display| LengthError::Unsolvable(e.to_string());
    let mut simulation = Simulation::new(scene).map_err(|e| unsolvable(&e))?;
    for _ in 0..ROUNDS {
        simulation.solve_quietly(cancel);
        let solved = simulation.scene().cables[0].clone();
        let pose = solved.handles[end].pose;
        let twist = solved.shape.as_ref().map_or(0.0, super::Shape::total_twist);
        if twist.abs() < NO_TWIST {
            return Ok(pose);
        }
        let back = Rotation::from_scaled_axis(Vec3::z() * -twist);
        let turned = pose.rotation * back;
        let command = super::Command::MoveHandle {
            cable: cable.to_owned(),
            handle: solved.handles[end].name.clone(),
            position: None,
            rotation: Some([turned.w, turned.i, turned.j, turned.k]),
        };
        simulation.apply(&command).map_err(|e| unsolvable(&e))?;
    }
    Err(LengthError::Unsolvable(format!(
        "the twist of cable \"{cable}\" did not go away in {ROUNDS} rounds"
    )))
}

/// A hose is twisted: by its makers' word it may not be.
pub fn twisted(scene: &Scene, cable: &Cable) -> Option<Finding> {
    if !scene.is_hose(cable) {
        return None;
    }
    let degrees = cable.shape.as_ref()?.total_twist().to_degrees();
    if degrees.abs() <= MOST_TWIST {
        return None;
    }
    let what = format!(
        "hose \"{}\" is twisted by {degrees:.1} degrees from end to end, limit {MOST_TWIST:.0}",
        cable.name
    );
    let finding = Finding::of(FindingKind::Twist, Severity::Error, cable, what);
    let finding = finding.measured(degrees.abs(), Some(MOST_TWIST), "degrees");
    Some(finding.mend("Take the twist out: the button or command zero_twist turns its end"))
}

/// A hose has more pressure than the table of its maker goes to.
pub fn beyond_table(scene: &Scene, cable: &Cable) -> Option<Finding> {
    let bar = cable.pressure?.bar;
    let material = scene.material(cable.material.as_deref()?)?;
    let last = material.length_change.last()?[0];
    if bar <= last {
        return None;
    }
    let what = format!(
        "hose \"{}\" has {bar:.0} bar, the table of material \"{}\" ends at {last:.0} bar",
        cable.name, material.name
    );
    let finding = Finding::of(FindingKind::Pressure, Severity::Warning, cable, what);
    let finding = finding.measured(bar, Some(last), "bar");
    Some(finding.mend("Lower the pressure, choose another hose, or type the change of length in"))
}

/// A cable bends nearer to an end than it may: the straight length that its fitting asks for.
pub fn not_straight(cable: &Cable) -> Vec<Finding> {
    let Some(shape) = &cable.shape else {
        return Vec::new();
    };
    let lengths = cable.edge_lengths();
    let ends = [("start", false), ("end", true)];
    let found = ends.into_iter().enumerate().filter_map(|(k, (word, is_end))| {
        let required = cable.straight_ends[k];
        if required <= 0.0 {
            return None;
        }
        let edge = |i: usize| if is_end { lengths.len() - 1 - i } else { i };
        let first = shape.clamps[k].map_or(shape.frames[edge(0)], |clamp| clamp.rotation);
        let direction = first * Vec3::z();
        let mut straight = 0.0;
        for i in 0..lengths.len() {
            let along = shape.frames[edge(i)] * Vec3::z();
            if along.angle(&direction) > STRAIGHT.to_radians() {
                break;
            }
            straight += lengths[edge(i)];
        }
        if straight >= required {
            return None;
        }
        let what = format!(
            "cable \"{}\" is straight for {straight:.1} mm behind its {word}, required are {required:.1} mm",
            cable.name
        );
        let kind = FindingKind::StraightLength;
        let at = if is_end { cable.length - straight } else { straight };
        let finding = Finding::of(kind, Severity::Error, cable, what)
            .at(cable, at)
            .measured(straight, Some(required), "mm");
        Some(finding.mend("Turn the fixing at that end towards where the cable goes, or make the cable longer"))
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::demo::demo;

    #[test]
    fn the_fluid_of_a_hose_weighs_and_fills_its_bore() {
        let mut scene = demo("box").unwrap();
        let cable = &mut scene.cables[0];
        cable.radius = 12.0;
        cable.material = Some("EPDM coolant hose".to_owned());
        cable.fluid_kg_m3 = Some(1050.0);
        let cable = scene.cables[0].clone();
        let bore: f64 = 0.7 * 24.0;
        assert!((scene.bore(&cable) - bore).abs() < 1e-12);
        let mass = 1050.0 * std::f64::consts::PI * bore * bore / 4.0 * 1e-6;
        assert!((scene.fluid_mass_kg_m(&cable) / mass - 1.0).abs() < 1e-12);
        let simulation = Simulation::new(scene).unwrap();
        let rod = simulation.solvers()[0].problem().rod.section().mass_kg_m;
        assert!((rod - cable.section.mass_kg_m - mass).abs() < 1e-12);
    }

    /// A hose of a material with a table of two rows.
    fn hydraulic() -> (Scene, String) {
        let mut scene = demo("box").unwrap();
        let mut material = crate::scene::material::built_in().remove(0);
        "hydraulic".clone_into(&mut material.name);
        material.kind = MaterialKind::Hose;
        material.length_change = vec![[100.0, 1.0], [300.0, -3.0]];
        scene.materials = vec![material];
        let name = scene.cables[0].name.clone();
        scene.cables[0].inner_diameter = Some(5.0);
        let set = crate::scene::Command::SetMaterial {
            cable: name.clone(),
            material: "hydraulic".to_owned(),
        };
        set.apply(&mut scene).unwrap();
        (scene, name)
    }

    #[test]
    fn pressure_changes_the_length_by_the_makers_table() {
        let (mut scene, name) = hydraulic();
        let table = |bar: f64| scene.materials[0].length_change_at(bar);
        for (bar, percent) in [
            (0.0, 0.0),
            (50.0, 0.5),
            (100.0, 1.0),
            (200.0, -1.0),
            (400.0, -3.0),
        ] {
            assert!((table(bar) - percent).abs() < 1e-12, "{bar}");
        }
        let change = crate::scene::CableChange {
            pressure_bar: Some(200.0),
            ..crate::scene::CableChange::of(&name)
        };
        let pressed = crate::scene::Command::from(change.clone());
        pressed.apply(&mut scene).unwrap();
        let length = scene.cables[0].length;
        let rod = |scene: &Scene| {
            let simulation = Simulation::new(scene.clone()).unwrap();
            simulation.solvers()[0].problem().rod.length()
        };
        assert!((rod(&scene) / (0.99 * length) - 1.0).abs() < 1e-12);
        assert_eq!(scene.cables[0].seat_to_seat(), length, "what is cut stays");
        // Typed over, it stays when the pressure changes; none is none.
        let typed = crate::scene::CableChange {
            length_change_percent: Some(2.0),
            ..crate::scene::CableChange::of(&name)
        };
        crate::scene::Command::from(typed.clone())
            .apply(&mut scene)
            .unwrap();
        let more = crate::scene::CableChange {
            pressure_bar: Some(350.0),
            ..change.clone()
        };
        crate::scene::Command::from(more).apply(&mut scene).unwrap();
        let pressure = scene.cables[0].pressure.unwrap();
        assert_eq!((pressure.bar, pressure.length_change), (350.0, 2.0));
        assert!((rod(&scene) / (1.02 * length) - 1.0).abs() < 1e-12);
        let beyond = beyond_table(&scene, &scene.cables[0]).unwrap();
        assert_eq!((beyond.value, beyond.limit), (Some(350.0), Some(300.0)));
        let none = crate::scene::CableChange {
            pressure_bar: Some(-1.0),
            ..change
        };
        crate::scene::Command::from(none).apply(&mut scene).unwrap();
        assert_eq!(scene.cables[0].pressure, None);
        assert!((rod(&scene) - length).abs() < 1e-9);
        let refused = crate::scene::Command::from(typed).apply(&mut scene);
        assert!(refused.unwrap_err().to_string().contains("pressure_bar"));
    }

    #[test]
    fn a_pressurised_hose_is_solved_and_bent_as_long_as_it_is() {
        let (mut scene, _) = hydraulic();
        scene.cables[0].shape = None;
        let mut by_hand = scene.clone();
        scene.cables[0].pressure = Some(Pressure {
            bar: 10.0,
            length_change: -3.0,
        });
        by_hand.cables[0].length *= 0.97;
        let solved = |scene: Scene| {
            let mut simulation = Simulation::new(scene).unwrap();
            simulation.solve_quietly(&CancelToken::default());
            simulation.scene().cables[0].clone()
        };
        let (pressed, shorter) = (solved(scene), solved(by_hand));
        let points = |cable: &Cable| cable.shape.as_ref().unwrap().points.clone();
        let pairs = points(&pressed).into_iter().zip(points(&shorter));
        let apart = pairs.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        assert!(apart < 1e-6, "{apart}");
        let radius = |cable: &Cable| cable.worst_bend().unwrap().centerline;
        assert!((radius(&pressed) / radius(&shorter) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn the_straightening_moment_is_the_slack_limit_of_a_wall_under_tension() {
        let (mut scene, _) = hydraulic();
        assert_eq!(scene.straightening_moment(&scene.cables[0]), None);
        scene.cables[0].pressure = Some(Pressure {
            bar: 100.0,
            length_change: 0.0,
        });
        // 10 N/mm^2 in a bore of 5 mm.
        let expected = 0.5 * std::f64::consts::PI * 10.0 * 2.5_f64.powi(3);
        let moment = scene.straightening_moment(&scene.cables[0]).unwrap();
        assert!((moment / expected - 1.0).abs() < 1e-12);
    }

    #[test]
    fn zero_twist_turns_the_end_until_the_hose_is_not_twisted() {
        let mut scene = demo("box").unwrap();
        scene.cables[0].material = Some("EPDM coolant hose".to_owned());
        let name = scene.cables[0].name.clone();
        let end = scene.cables[0]
            .handles
            .iter()
            .position(|h| h.place == HandlePlace::End);
        let handle = &mut scene.cables[0].handles[end.unwrap()];
        // Out of the plane of the other end, and rolled.
        handle.pose.position.y += 120.0;
        handle.pose.rotation *= Rotation::from_scaled_axis(Vec3::new(0.3, 0.2, 0.8));
        let solved = |scene: &Scene| {
            let mut simulation = Simulation::new(scene.clone()).unwrap();
            for _ in 0..4 {
                simulation.solve_quietly(&CancelToken::default());
            }
            simulation.scene().clone()
        };
        scene = solved(&scene);
        let before = twisted(&scene, &scene.cables[0]);
        assert!(before.unwrap().value.unwrap() > 20.0);
        let command = crate::scene::Command::ZeroTwist { cable: name };
        command.apply(&mut scene).unwrap();
        let scene = solved(&scene);
        assert_eq!(twisted(&scene, &scene.cables[0]), None);
        let twist = scene.cables[0].shape.as_ref().unwrap().total_twist();
        assert!(twist.to_degrees().abs() < 1.0, "{}", twist.to_degrees());
    }

    #[test]
    fn a_bend_right_behind_a_fitting_is_found() {
        let mut scene = demo("box").unwrap();
        let mut simulation = Simulation::new(scene.clone()).unwrap();
        simulation.solve_quietly(&CancelToken::default());
        scene = simulation.scene().clone();
        let cable = &mut scene.cables[0];
        cable.straight_ends = [1e4, 0.0];
        let found = not_straight(cable);
        assert_eq!(found.len(), 1);
        let straight = found[0].value.unwrap();
        for (required, is_bad) in [(straight + 1.0, true), (straight - 1e-6, false)] {
            cable.straight_ends = [required, 0.0];
            assert_eq!(!not_straight(cable).is_empty(), is_bad && required > 0.0);
        }
    }
}
