//! A cable in the inspector.

use egui::{ComboBox, RichText, Ui};

use super::field::{self, Number};
use super::{spans, title};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::app::selection::Thing;
use crate::app::theme;
use crate::scene::{Cable, CableSection, Command, RestShape, material};

/// The panel of the cable of that number.
pub fn show(ui: &mut Ui, document: &Document, number: usize, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let cable = &scene.cables[number];
    let thing = Thing::Cable(number);
    title(ui, "Cable", &cable.name);
    field::grid(ui, "cable", |ui| {
        field::name(ui, &cable.name, actions, |to| {
            thing.rename_command(scene, to)
        });
        let color = theme::cable_color(scene, number);
        field::color(ui, color, actions, |rgb| Some(change(cable).color(rgb)));
        ui.label("Shown");
        let mut visible = cable.visible;
        if ui.checkbox(&mut visible, "in the view").changed() {
            actions.extend(thing.show_command(scene, visible).map(Action::Edit));
        }
        ui.end_row();
    });
    show_length(ui, document, cable, actions);
    show_bend(ui, document, cable, actions);
    show_material(ui, document, cable, actions);
    ui.add_space(8.0);
    ui.horizontal(|ui| {
        let rigid = ui.button("Make rigid");
        if rigid
            .on_hover_text("Freezes the cable in the shape it has now, as a part")
            .clicked()
        {
            actions.push(Action::RigidifySelected);
        }
        if ui.button("Delete cable").clicked() {
            actions.push(Action::DeleteSelected);
        }
    });
}

fn show_length(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    field::heading(ui, "Length");
    let mode = show_modes(ui, cable, actions);
    field::grid(ui, "length", |ui| {
        if let (Mode::Free, Some(straightness)) = (mode, cable.free_length) {
            Number {
                label: "Straightness",
                unit: "",
                range: (0.1, 1000.0),
                speed: 0.05,
                decimals: 2,
                tip: "How straight the cable pulls itself: 1 is hardly more than hanging, larger is straighter.",
            }
            .show(ui, straightness, actions, |s| {
                Some(free_length(cable, Some(s)))
            });
        }
        if mode == Mode::Whole {
            whole_length(ui, cable, actions);
        } else {
            let tip = "Length of the cable without load";
            field::fact(ui, "Length", format!("{:.2} mm", cable.length), tip);
        }
        let more = cable.length - cable.basis_length;
        let percent = 100.0 * more / cable.basis_length;
        let words = format!("{more:+.2} mm ({percent:+.2} %)");
        let tip = "Against the length that it was imported or made with";
        field::fact(ui, "Difference", words, tip);
        field::fact(ui, "Basis", format!("{:.2} mm", cable.basis_length), tip);
        if let Some(report) = document.report(&cable.name) {
            let tip = "Length of the centerline in its present shape";
            field::fact(ui, "Found", format!("{:.2} mm", report.length), tip);
        }
    });
    if cable.length != cable.basis_length && ui.button("Back to basis").clicked() {
        actions.push(Action::Edit(Command::SetLength {
            cable: cable.name.clone(),
            length: cable.basis_length,
        }));
    }
    spans::show(ui, cable, mode == Mode::Stretches, actions);
}

/// What decides the length of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The whole is set.
    Whole,
    /// Each stretch between two handles is set.
    Stretches,
    /// It finds its own.
    Free,
}

fn free_length(cable: &Cable, straightness: Option<f64>) -> Command {
    Command::SetFreeLength {
        cable: cable.name.clone(),
        straightness,
    }
}

/// The choice between the modes. Whether the whole or its stretches are typed is a matter of the panel alone.
fn show_modes(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) -> Mode {
    let key = egui::Id::unique(("length by stretches", &cable.name));
    let by_stretches = ui.data(|d| d.get_temp(key).unwrap_or(false));
    let now = match cable.free_length {
        Some(_) => Mode::Free,
        None if by_stretches => Mode::Stretches,
        None => Mode::Whole,
    };
    ui.horizontal_wrapped(|ui| {
        for (mode, name, tip) in [
            (
                Mode::Whole,
                "Whole",
                "The length of the whole cable is set; stretches that are not locked share the change",
            ),
            (
                Mode::Stretches,
                "By stretches",
                "Each stretch between two handles has its own length; the whole is their sum",
            ),
            (
                Mode::Free,
                "Free",
                "The cable finds its own length, and keeps it when another mode is chosen",
            ),
        ] {
            let button = ui.selectable_label(now == mode, name);
            if !button.on_hover_text(tip).clicked() || now == mode {
                continue;
            }
            ui.data_mut(|d| d.insert_temp(key, mode == Mode::Stretches));
            match (mode, cable.free_length) {
                (Mode::Free, _) => actions.push(Action::Edit(free_length(cable, Some(1.0)))),
                (_, Some(_)) => actions.push(Action::Edit(free_length(cable, None))),
                (_, None) => {}
            }
        }
    });
    now
}

fn whole_length(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) {
    Number {
        label: "Length",
        unit: " mm",
        range: (1.0, 1e6),
        speed: 1.0,
        decimals: 2,
        tip: "Length of the cable without load. The shape follows when it changes.",
    }
    .show(ui, cable.length, actions, |length| {
        Some(Command::SetLength {
            cable: cable.name.clone(),
            length,
        })
    });
}

fn show_bend(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    field::heading(ui, "Bend radius");
    let found = document.report(&cable.name).map(|r| r.smallest_bend_radius);
    field::grid(ui, "bend", |ui| {
        Number {
            label: "Allowed",
            unit: " mm",
            range: (0.0, 1e5),
            speed: 0.5,
            decimals: 1,
            tip: "Smallest bend radius allowed for the centerline; 0 for no limit.",
        }
        .show(ui, cable.min_bend_radius.unwrap_or(0.0), actions, |r| {
            let mut command = change(cable);
            command.set_min_bend_radius(r);
            Some(command.command)
        });
        let palette = theme::palette(ui.ctx());
        let words = match (found, cable.min_bend_radius) {
            (None, _) => RichText::new("not solved").color(palette.weak),
            (Some(r), _) if r > 1e5 => RichText::new("straight"),
            (Some(r), Some(limit)) if r < limit => {
                RichText::new(format!("{r:.1} mm, too sharp")).color(palette.bad)
            }
            (Some(r), Some(_)) => RichText::new(format!("{r:.1} mm, allowed")).color(palette.good),
            (Some(r), None) => RichText::new(format!("{r:.1} mm")),
        };
        let tip = "Smallest bend radius in the present shape";
        field::fact(ui, "Smallest", words, tip);
    });
}

fn show_material(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    let scene = document.scene();
    field::heading(ui, "Material and section");
    field::grid(ui, "material", |ui| {
        let label = ui.label("Material");
        let now = cable.material.as_deref();
        ComboBox::from_id_salt("material")
            .width(130.0)
            .selected_text(now.unwrap_or("by numbers"))
            .show_ui(ui, |ui| {
                let own = scene.materials.iter().cloned();
                for material in own.chain(material::built_in()) {
                    let mut words = material.name.clone();
                    if !material.calibrated {
                        words += "   (uncalibrated)";
                    }
                    let chosen = now == Some(material.name.as_str());
                    let response = ui.selectable_label(chosen, words);
                    if response.on_hover_text(&material.source).clicked() {
                        actions.push(Action::Edit(Command::SetMaterial {
                            cable: cable.name.clone(),
                            material: material.name,
                        }));
                    }
                }
            })
            .response
            .labelled_by(label.id);
        ui.end_row();
        Number {
            label: "Diameter",
            unit: " mm",
            range: (0.1, 1000.0),
            speed: 0.1,
            decimals: 2,
            tip: "Outer diameter: the one that collides. Stiffness and mass stay as they are.",
        }
        .show(ui, 2.0 * cable.radius, actions, |d| {
            let mut command = change(cable);
            command.set_radius(0.5 * d);
            Some(command.command)
        });
        let section = cable.section;
        let stiffness = |label, unit, tip, value: f64| Number {
            label,
            unit,
            range: (1e-6, 1e12),
            speed: (0.01 * value.abs()).max(1e-4),
            decimals: 2,
            tip,
        };
        let tip = "Bending stiffness";
        stiffness("EI", " N·mm²", tip, section.bending).show(
            ui,
            section.bending,
            actions,
            |bending| Some(with_section(cable, CableSection { bending, ..section })),
        );
        if let Some(second) = section.bending2 {
            let tip = "Bending stiffness about the second direction of a flat cable";
            stiffness("EI 2", " N·mm²", tip, second).show(ui, second, actions, |b| {
                let bending2 = Some(b);
                let changed = CableSection {
                    bending2,
                    ..section
                };
                Some(with_section(cable, changed))
            });
        }
        let tip = "Torsional stiffness";
        stiffness("GJ", " N·mm²", tip, section.torsion).show(
            ui,
            section.torsion,
            actions,
            |torsion| Some(with_section(cable, CableSection { torsion, ..section })),
        );
        let tip = "Axial stiffness";
        stiffness("EA", " N", tip, section.axial).show(ui, section.axial, actions, |axial| {
            Some(with_section(cable, CableSection { axial, ..section }))
        });
        Number {
            label: "Mass",
            unit: " kg/m",
            range: (0.0, 1000.0),
            speed: 0.001,
            decimals: 4,
            tip: "Mass per length",
        }
        .show(ui, section.mass_kg_m, actions, |mass_kg_m| {
            let changed = CableSection {
                mass_kg_m,
                ..section
            };
            Some(with_section(cable, changed))
        });
        if let RestShape::Moulded { share, .. } = cable.rest {
            Number {
                label: "Keeps its form",
                unit: " %",
                range: (0.0, 100.0),
                speed: 1.0,
                decimals: 0,
                tip: "How much of its imported form the cable has without load: 100 % all of it, 0 % is straight",
            }
            .show(ui, 100.0 * share, actions, |percent| {
                Some(Command::SetRestShare {
                    cable: cable.name.clone(),
                    share: 0.01 * percent,
                })
            });
        }
        let tip = "Pieces that the cable is computed in";
        field::fact(ui, "Resolution", format!("{} edges", cable.n_edges), tip);
        if let Some(report) = document.report(&cable.name) {
            let tip = "Axial strain of the most stretched piece";
            let strain = format!("{:.3} %", 100.0 * report.largest_strain);
            field::fact(ui, "Strain", strain, tip);
        }
    });
    let material = cable.material.as_deref().and_then(|m| scene.material(m));
    match material {
        Some(material) if !material.calibrated => {
            field::warning(ui, format!("Uncalibrated: {}", material.source));
        }
        Some(material) => {
            ui.label(RichText::new(format!("Measured: {}", material.source)).small());
        }
        None => {}
    }
}

fn with_section(cable: &Cable, section: CableSection) -> Command {
    let mut change = change(cable);
    if let Command::ChangeCable { section: new, .. } = &mut change.command {
        *new = Some(section);
    }
    change.command
}

/// A change of a cable to be filled in.
struct Change {
    command: Command,
}

fn change(cable: &Cable) -> Change {
    Change {
        command: Command::ChangeCable {
            cable: cable.name.clone(),
            radius: None,
            section: None,
            min_bend_radius: None,
            visible: None,
            color: None,
        },
    }
}

impl Change {
    fn color(mut self, rgb: [u8; 3]) -> Command {
        if let Command::ChangeCable { color, .. } = &mut self.command {
            *color = Some(rgb);
        }
        self.command
    }

    fn set_radius(&mut self, r: f64) {
        if let Command::ChangeCable { radius, .. } = &mut self.command {
            *radius = Some(r);
        }
    }

    fn set_min_bend_radius(&mut self, r: f64) {
        if let Command::ChangeCable {
            min_bend_radius, ..
        } = &mut self.command
        {
            *min_bend_radius = Some(r);
        }
    }
}
