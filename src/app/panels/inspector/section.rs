//! Material and section of a cable: its diameters, and the stiffness and mass that follow from them.

use egui::{ComboBox, RichText, Ui};

use super::field::{self, Number};
use crate::app::action::Action;
use crate::app::document::Document;
use crate::scene::{
    Cable, CableChange, CableSection, Command, Material, RestShape, SectionNumber, flexibilise,
    material,
};

/// The panel of a cable.
pub fn show(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    let scene = document.scene();
    let material = cable.material.as_deref().and_then(|m| scene.material(m));
    field::heading(ui, "Material and section");
    field::grid(ui, "material", |ui| {
        choose(ui, document, cable, actions);
        outline(ui, cable, material.as_ref(), actions);
        if let Some(material) = &material {
            facts(ui, material);
        }
        stiffness(ui, cable, actions);
        form(ui, cable, actions);
        let tip = "Pieces that the cable is computed in";
        field::fact(ui, "Resolution", format!("{} edges", cable.n_edges), tip);
        if let Some(report) = document.report(&cable.name) {
            let tip = "Axial strain of the most stretched piece";
            let strain = format!("{:.3} %", 100.0 * report.largest_strain);
            field::fact(ui, "Strain", strain, tip);
        }
    });
    if let Some(material) = &material {
        typed_over(ui, cable, material, actions);
        source(ui, cable, material);
    } else {
        let words = "No material: these numbers are typed, and do not follow the diameter.";
        ui.label(RichText::new(words).small());
    }
}

fn choose(ui: &mut Ui, document: &Document, cable: &Cable, actions: &mut Vec<Action>) {
    let label = ui.label("Material");
    let now = cable.material.as_deref();
    ComboBox::from_id_salt("material")
        .width(130.0)
        .selected_text(now.unwrap_or("by numbers"))
        .show_ui(ui, |ui| {
            let own = document.scene().materials.iter().cloned();
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
}

/// Diameters of a round cable, and the sides of a flat one.
fn outline(ui: &mut Ui, cable: &Cable, material: Option<&Material>, actions: &mut Vec<Action>) {
    let diameter = Number {
        label: "Diameter",
        unit: " mm",
        range: (0.1, 1000.0),
        speed: 0.1,
        decimals: 2,
        tip: "Outer diameter: the one that collides. Stiffness and mass follow the material, but for what was typed over.",
    };
    diameter.show(ui, cable.diameter(), actions, |d| {
        let change = CableChange {
            radius: Some(0.5 * d),
            ..CableChange::of(&cable.name)
        };
        Some(change.into())
    });
    let is_product = material.is_some_and(|m| m.product_diameter().is_some());
    if cable.flat.is_none() && !is_product {
        let of_material = material.map_or(0.0, |m| m.inner_diameter(cable.diameter()));
        let inner = Number {
            label: "Inner diameter",
            unit: " mm",
            range: (0.0, 0.999 * cable.diameter()),
            speed: 0.1,
            decimals: 2,
            tip: "Of a hose or tube; 0 for solid. The wall counts for stiffness and mass.",
        };
        let now = cable.inner_diameter.unwrap_or(of_material);
        inner.show(ui, now, actions, |d| {
            let change = CableChange {
                inner_diameter: Some(d),
                ..CableChange::of(&cable.name)
            };
            Some(change.into())
        });
    }
    ui.label("Flat");
    let mut is_flat = cable.flat.is_some();
    let tip =
        "A flat cable bends easily about its width; it collides as a round one of its diameter";
    let check = ui.checkbox(&mut is_flat, "width x height");
    if check.on_hover_text(tip).changed() {
        let flat = if is_flat {
            [cable.diameter(), 0.2 * cable.diameter()]
        } else {
            [0.0, 0.0]
        };
        actions.push(Action::Edit(with_flat(cable, flat)));
    }
    ui.end_row();
    for (k, label) in ["Width", "Height"].into_iter().enumerate() {
        let Some(flat) = cable.flat else { break };
        let side = Number {
            label,
            unit: " mm",
            range: (0.01, 1000.0),
            speed: 0.05,
            decimals: 2,
            tip: "Of the flat cable; stiffness and mass follow",
        };
        side.show(ui, flat[k], actions, |mm| {
            let mut changed = flat;
            changed[k] = mm;
            Some(with_flat(cable, changed))
        });
    }
}

fn with_flat(cable: &Cable, flat: [f64; 2]) -> Command {
    let change = CableChange {
        flat: Some(flat),
        ..CableChange::of(&cable.name)
    };
    change.into()
}

/// What the material is made of, and the formulas that join it with the section.
fn facts(ui: &mut Ui, material: &Material) {
    let moduli = material.moduli();
    let tip = "Effective modulus of bending: EI = E π (D⁴ - d⁴) / 64; of a flat cable E w h³ / 12";
    field::fact(ui, "E", format!("{} MPa", digits(moduli.bending)), tip);
    let tip = "Effective modulus of pulling: EA = E π (D² - d²) / 4; of a flat cable E w h";
    field::fact(ui, "E pull", format!("{} MPa", digits(moduli.axial)), tip);
    let tip = "Poisson's ratio that the torsion stands for: GJ = EI / (1 + nu) of a round section";
    field::fact(ui, "nu", digits(moduli.poisson()), tip);
    let tip = "Mass per length = density x area of the section";
    field::fact(
        ui,
        "Density",
        format!("{} kg/m³", digits(moduli.density)),
        tip,
    );
}

/// Three significant digits, and all those before the point.
fn digits(x: f64) -> String {
    format!("{x:.*}", decimals(x))
}

/// Digits behind the point so that three count.
fn decimals(x: f64) -> usize {
    if x == 0.0 || !x.is_finite() {
        return 0;
    }
    (2 - x.abs().log10().floor() as i32).clamp(0, 12) as usize
}

fn stiffness(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) {
    let section = cable.section;
    let edit = |changed: CableSection| {
        let change = CableChange {
            section: Some(changed),
            ..CableChange::of(&cable.name)
        };
        Some(change.into())
    };
    let number = |label, unit, tip, value: f64| Number {
        label,
        unit,
        range: (1e-6, 1e12),
        speed: (0.01 * value.abs()).max(1e-4),
        decimals: decimals(value).max(2),
        tip,
    };
    let tip = "Bending stiffness";
    number("EI", " N·mm²", tip, section.bending).show(ui, section.bending, actions, |bending| {
        edit(CableSection { bending, ..section })
    });
    if let Some(second) = section.bending2 {
        let tip = "Bending stiffness about the second direction of a flat cable";
        number("EI 2", " N·mm²", tip, second).show(ui, second, actions, |b| {
            let bending2 = Some(b);
            edit(CableSection {
                bending2,
                ..section
            })
        });
    }
    let tip = "Torsional stiffness";
    number("GJ", " N·mm²", tip, section.torsion).show(ui, section.torsion, actions, |torsion| {
        edit(CableSection { torsion, ..section })
    });
    let tip = "Axial stiffness";
    number("EA", " N", tip, section.axial).show(ui, section.axial, actions, |axial| {
        edit(CableSection { axial, ..section })
    });
    let grams = 1e3 * section.mass_kg_m;
    Number {
        range: (0.0, 1e6),
        ..number("Mass", " g/m", "Mass per length", grams)
    }
    .show(ui, grams, actions, |grams| {
        edit(CableSection {
            mass_kg_m: 1e-3 * grams,
            ..section
        })
    });
}

fn form(ui: &mut Ui, cable: &Cable, actions: &mut Vec<Action>) {
    let RestShape::Moulded { share, .. } = cable.rest else {
        return;
    };
    if let Some(remark) = flexibilise::as_designed::remark(cable) {
        ui.horizontal_wrapped(|ui| ui.weak(remark));
    }
    Number {
        label: "Preformed",
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

/// The numbers that are not the material's, each with the way back.
fn typed_over(ui: &mut Ui, cable: &Cable, material: &Material, actions: &mut Vec<Action>) {
    let of_material = material.section_of(cable);
    for number in cable.section.typed_over(&of_material) {
        let (value, unit) = match number {
            SectionNumber::Bending => (of_material.bending, "N·mm²"),
            SectionNumber::Torsion => (of_material.torsion, "N·mm²"),
            SectionNumber::Axial => (of_material.axial, "N"),
            SectionNumber::Mass => (1e3 * of_material.mass_kg_m, "g/m"),
        };
        let name = number.words();
        ui.horizontal_wrapped(|ui| {
            let words = format!("{name} typed over; material: {} {unit}", digits(value));
            field::warning(ui, words);
            let tip = "Takes the number of the material again; it then follows the diameter";
            let button = ui.small_button(format!("Reset {name}"));
            if button.on_hover_text(tip).clicked() {
                let change = CableChange {
                    reset: vec![number],
                    ..CableChange::of(&cable.name)
                };
                actions.push(Action::Edit(change.into()));
            }
        });
    }
}

fn source(ui: &mut Ui, cable: &Cable, material: &Material) {
    if let Some(own) = material.product_diameter()
        && (cable.diameter() / own - 1.0).abs() > 1e-6
    {
        let words = format!(
            "Numbers of a product of {} mm diameter, scaled to this one as a solid rod.",
            digits(own)
        );
        field::warning(ui, words);
    }
    if material.calibrated {
        ui.label(RichText::new(format!("Measured: {}", material.source)).small());
    } else {
        field::warning(ui, format!("Uncalibrated: {}", material.source));
    }
    if material.limits_uncalibrated {
        let words = "Its bend limit is from memory, too: take that of the maker's table.";
        field::warning(ui, words.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_that_count() {
        assert_eq!(digits(0.012_345), "0.0123");
        assert_eq!(digits(152_779.4), "152779");
        assert_eq!(digits(9.876), "9.88");
        assert_eq!(digits(0.0), "0");
    }
}
