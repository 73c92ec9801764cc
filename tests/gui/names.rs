//! Whatever can be clicked or typed into has a name, for those who hear the window instead of seeing it.

use std::collections::BTreeSet;

use egui::accesskit::Role;
use egui_kittest::kittest::NodeT as _;
use loomwright::scene::demo;

use super::tools::{choose, real};
use super::*;

/// What is clicked, dragged or typed into.
const ROLES: [Role; 9] = [
    Role::Button,
    Role::CheckBox,
    Role::RadioButton,
    Role::SpinButton,
    Role::TextInput,
    Role::MultilineTextInput,
    Role::ComboBox,
    Role::Slider,
    Role::Link,
];

/// What has no name in the window as it is: role and place, under the name of the state.
fn nameless(window: &Window, state: &str, found: &mut BTreeSet<String>) -> usize {
    let nodes = window.root().children_recursive();
    let nodes: Vec<_> = nodes
        .filter(|node| ROLES.contains(&node.accesskit_node().role()))
        .collect();
    for node in &nodes {
        let node = node.accesskit_node();
        let named = node.label().is_some_and(|label| {
            // A glyph of the icon font says nothing to a reader.
            label.chars().any(char::is_alphanumeric)
        });
        if !named {
            let place = node.bounding_box();
            let place = place.map(|b| (b.x0 as i32, b.y0 as i32, b.x1 as i32, b.y1 as i32));
            found.insert(format!(
                "{state}: {:?} at {place:?}, \"{}\"",
                node.role(),
                node.label().unwrap_or_default()
            ));
        }
    }
    nodes.len()
}

/// Goes through what the window can show, and has each state looked at: menus, tools, the inspector of each kind of thing,
/// the pages of the drawer, dialogs.
pub fn walk(window: &mut Window, look: &mut dyn FnMut(&mut Window, &str)) {
    look(window, "start");
    for menu in ["File", "Edit", "View", "Help"] {
        choose(window, &[menu]);
        look(window, menu);
        window.key_press(Key::Escape);
        window.run_steps(3);
    }
    let tools = [Key::X, Key::A, Key::B, Key::C, Key::W, Key::E, Key::M];
    for tool in tools {
        window.key_press(tool);
        window.run_steps(3);
        look(window, &format!("tool {tool:?}"));
        window.key_press(Key::Escape);
        window.run_steps(3);
    }
    window.key_press(Key::K);
    window.run_steps(3);
    look(window, "section");
    window.key_press(Key::K);
    let scene = window.state().document().scene();
    let mut things: Vec<String> = scene
        .cables
        .iter()
        .take(1)
        .map(|c| c.name.clone())
        .collect();
    things.extend(scene.parts.iter().take(1).map(|p| p.name.clone()));
    things.extend(scene.junctions.iter().take(1).map(|j| j.name.clone()));
    things.extend(
        scene.cables[0]
            .handles
            .iter()
            .take(1)
            .map(|h| h.name.clone()),
    );
    for thing in things {
        let Some(entry) = window.query_all_by_label(&thing).next() else {
            continue;
        };
        entry.click();
        window.run_steps(4);
        look(window, &thing);
    }
    choose(window, &["View", "Plots, contacts and log"]);
    let pages = ["Bend radius", "Contacts", "Findings", "Lengths", "Log"];
    for page in pages {
        window
            .get_all_by_label(page)
            .last()
            .expect("a page")
            .click();
        window.run_steps(4);
        look(window, page);
    }
    for (name, key) in [("palette", Key::P), ("export", Key::E), ("import", Key::I)] {
        window.key_press_modifiers(Modifiers::COMMAND, key);
        window.run_steps(4);
        look(window, name);
        window.key_press(Key::Escape);
        window.run_steps(3);
    }
}

#[test]
fn everything_that_can_be_clicked_has_a_name() {
    let mut window = real(demo::demo("control-unit").expect("the demo"));
    let mut found = BTreeSet::new();
    let mut number = 0;
    walk(&mut window, &mut |window, state| {
        number += nameless(window, state, &mut found);
    });
    println!("{number} looked at");
    assert!(number > 200, "{number}");
    let all: Vec<String> = found.into_iter().collect();
    assert!(all.is_empty(), "without a name:\n{}", all.join("\n"));
}

/// Numbers that have no unit: counts, shares and coefficients.
const WITHOUT_UNIT: [&str; 6] = [
    "Friction",
    "How many",
    "Extra twist",
    "Straightness",
    "Edges",
    "Poisson's ratio",
];

#[test]
fn every_number_field_has_a_unit_a_range_and_a_tooltip() {
    let mut window = real(demo::demo("control-unit").expect("the demo"));
    // So high that the whole inspector is seen.
    window.set_size(Vec2::new(1280.0, 1600.0));
    window.run_steps(3);
    let mut bad = BTreeSet::new();
    let mut known = BTreeSet::new();
    walk(&mut window, &mut |window, state| {
        let root = window.root();
        let fields: Vec<_> = root
            .children_recursive()
            .filter(|node| node.accesskit_node().role() == Role::SpinButton)
            .map(|node| {
                let node = node.accesskit_node();
                let label = node.label().unwrap_or_default();
                let value = node.value().unwrap_or_default();
                let has_unit = value
                    .chars()
                    .any(|c| c.is_alphabetic() || "%\u{b0}".contains(c));
                let ranged =
                    node.min_numeric_value().is_some() && node.max_numeric_value().is_some();
                let place = node.bounding_box();
                let place = place.map(|b| [0.5 * (b.x0 + b.x1), 0.5 * (b.y0 + b.y1)]);
                (label, value, has_unit, ranged, place)
            })
            .collect();
        for (label, value, has_unit, ranged, place) in fields {
            // Behind a menu or a dialog there is what was there before.
            let at = place.map(|p| p.map(|c| c.round() as i64));
            if !known.insert((label.clone(), at)) {
                continue;
            }
            if !has_unit && !WITHOUT_UNIT.contains(&label.as_str()) {
                bad.insert(format!("{state}: \"{label}\" has no unit: {value}"));
            }
            if !ranged {
                bad.insert(format!("{state}: \"{label}\" has no range"));
            }
            // A tooltip is more text than there was.
            let texts = |window: &Window| {
                let nodes = window.root().children_recursive();
                nodes
                    .filter(|n| n.accesskit_node().role() == Role::Label)
                    .count()
            };
            let Some(place) = place else { continue };
            window.hover_at(Pos2::new(640.0, 1.0));
            window.run_steps(3);
            let before = texts(window);
            window.hover_at(Pos2::new(place[0] as f32, place[1] as f32));
            window.run_steps(5);
            if texts(window) <= before && place[1] < 1540.0 {
                bad.insert(format!("{state}: \"{label}\" has no tooltip"));
            }
        }
    });
    println!("{} fields looked at", known.len());
    assert!(known.len() > 20, "{}", known.len());
    let all: Vec<String> = bad.into_iter().collect();
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// What the menus call otherwise than the palette does.
const OTHER_WORDS: [(&str, &str); 6] = [
    ("Run or pause Space", "simulation paused"),
    // The steps of the list one by one.
    ("Undo list", "undo"),
    ("Recent", "open path"),
    ("Demo scenes", "demo scene:"),
    ("Hide the first steps", "first steps"),
    ("Snap while dragging", "snap to surfaces"),
];

#[test]
fn every_entry_of_the_menus_is_found_in_the_palette_or_has_a_key() {
    use loomwright::window::panels::palette;
    let mut window = real(demo::demo("control-unit").expect("the demo"));
    let labels = |window: &Window| -> BTreeSet<String> {
        let nodes = window.root().children_recursive();
        let nodes = nodes.filter(|n| ROLES.contains(&n.accesskit_node().role()));
        nodes.filter_map(|n| n.accesskit_node().label()).collect()
    };
    let mut missing = BTreeSet::new();
    let mut number = 0;
    // With something selected, so that nothing is greyed out.
    let cable = window.state().document().scene().cables[0].name.clone();
    window
        .get_all_by_label(&cable)
        .next()
        .expect("in the tree")
        .click();
    window.run_steps(3);
    for menu in ["File", "Edit", "View", "Help"] {
        let before = labels(&window);
        choose(&mut window, &[menu]);
        let entries = palette::entries(&window.ctx, window.state().document().scene());
        for label in labels(&window).difference(&before) {
            number += 1;
            let plain = label
                .replace("...", "")
                .replace(['\u{25b6}', '\u{23f5}'], "");
            let plain = plain.trim().to_lowercase();
            let other = OTHER_WORDS
                .iter()
                .find(|(words, _)| words.to_lowercase() == plain);
            let words = other.map_or(plain.as_str(), |(_, words)| words);
            let has_key = ["ctrl+", "shift+", " f1", " f2"]
                .iter()
                .any(|k| plain.contains(k));
            if !has_key && palette::found(&entries, words).is_empty() {
                missing.insert(format!("{menu} > {label}"));
            }
        }
        window.key_press(Key::Escape);
        window.run_steps(3);
    }
    println!("{number} entries looked at");
    assert!(number > 30, "{number}");
    let all: Vec<String> = missing.into_iter().collect();
    assert!(
        all.is_empty(),
        "neither key nor palette:\n{}",
        all.join("\n")
    );
}
