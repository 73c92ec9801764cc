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

#[test]
fn everything_that_can_be_clicked_has_a_name() {
    let mut window = real(demo::demo("control-unit").expect("the demo"));
    let mut found = BTreeSet::new();
    let mut number = nameless(&window, "start", &mut found);
    for menu in ["File", "Edit", "View", "Help"] {
        choose(&mut window, &[menu]);
        number += nameless(&window, menu, &mut found);
        window.key_press(Key::Escape);
        window.run_steps(3);
    }
    for tool in [Key::W, Key::E, Key::M, Key::H, Key::N, Key::B] {
        window.key_press(tool);
        window.run_steps(3);
        number += nameless(&window, &format!("tool {tool:?}"), &mut found);
        window.key_press(Key::Escape);
        window.run_steps(3);
    }
    let scene = window.state().document().scene();
    let mut things: Vec<String> = scene
        .cables
        .iter()
        .take(1)
        .map(|c| c.name.clone())
        .collect();
    things.extend(scene.parts.iter().take(1).map(|p| p.name.clone()));
    things.extend(scene.junctions.iter().take(1).map(|j| j.name.clone()));
    for thing in things {
        window
            .get_all_by_label(&thing)
            .next()
            .expect("in the tree")
            .click();
        window.run_steps(4);
        number += nameless(&window, &thing, &mut found);
    }
    choose(&mut window, &["View", "Plots, contacts and log"]);
    let pages = [
        "Bend radius",
        "Contacts and violations",
        "Findings",
        "Lengths",
        "Log",
    ];
    for page in pages {
        window
            .get_all_by_label(page)
            .last()
            .expect("a page")
            .click();
        window.run_steps(4);
        number += nameless(&window, page, &mut found);
    }
    for (name, key) in [("palette", Key::P), ("export", Key::E), ("import", Key::I)] {
        window.key_press_modifiers(Modifiers::COMMAND, key);
        window.run_steps(4);
        number += nameless(&window, name, &mut found);
        window.key_press(Key::Escape);
        window.run_steps(3);
    }
    println!("{number} looked at");
    assert!(number > 200, "{number}");
    let all: Vec<String> = found.into_iter().collect();
    assert!(all.is_empty(), "without a name:\n{}", all.join("\n"));
}
