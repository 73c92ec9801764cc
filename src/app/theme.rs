//! Colours and type: light, calm, readable.

use egui::{Color32, CornerRadius, FontFamily, FontId, Stroke, TextStyle, Visuals};

/// Selection, links, what is active.
pub const ACCENT: Color32 = Color32::from_rgb(0x1f, 0x6f, 0xb8);
/// All is well.
pub const GOOD: Color32 = Color32::from_rgb(0x2b, 0x7a, 0x4b);
/// Look at this.
pub const WARN: Color32 = Color32::from_rgb(0x9a, 0x62, 0x00);
/// This went wrong.
pub const BAD: Color32 = Color32::from_rgb(0xb3, 0x2d, 0x2d);
/// Lines and text in the view.
pub const INK: Color32 = Color32::from_rgb(0x2b, 0x33, 0x3d);
/// Remarks.
pub const WEAK: Color32 = Color32::from_rgb(0x5a, 0x65, 0x72);
/// Contacts in the view.
pub const CONTACT: Color32 = Color32::from_rgb(0xc2, 0x1f, 0x5b);
/// A grip under the cursor or in hand.
pub const HOT: Color32 = Color32::from_rgb(0xf2, 0xb1, 0x1c);
/// Directions d1, d2, d3, and X, Y, Z of the triad.
pub const AXES: [Color32; 3] = [
    Color32::from_rgb(0xc2, 0x3b, 0x3b),
    Color32::from_rgb(0x33, 0x8a, 0x3e),
    Color32::from_rgb(0x2a, 0x62, 0xc4),
];
/// Top and bottom of the view's background.
pub const SKY: [Color32; 2] = [
    Color32::from_rgb(0xf7, 0xf9, 0xfb),
    Color32::from_rgb(0xdc, 0xe3, 0xea),
];

const PARTS: [Color32; 6] = [
    Color32::from_rgb(0x9f, 0xb0, 0xc2),
    Color32::from_rgb(0xad, 0xbd, 0xa3),
    Color32::from_rgb(0xc9, 0xba, 0x9f),
    Color32::from_rgb(0xb0, 0xac, 0xc8),
    Color32::from_rgb(0x9c, 0xbd, 0xbd),
    Color32::from_rgb(0xc6, 0xab, 0xa8),
];
const CABLES: [Color32; 4] = [
    Color32::from_rgb(0xd9, 0x69, 0x24),
    Color32::from_rgb(0x2d, 0x78, 0xc8),
    Color32::from_rgb(0x36, 0x93, 0x5a),
    Color32::from_rgb(0x86, 0x54, 0xb8),
];

/// Colour of a part.
pub fn part(number: usize) -> Color32 {
    PARTS[number % PARTS.len()]
}

/// Colour of a cable.
pub fn cable(number: usize) -> Color32 {
    CABLES[number % CABLES.len()]
}

/// Sets colours and type of the whole window.
pub fn apply(ctx: &egui::Context) {
    ctx.set_theme(egui::Theme::Light);
    ctx.style_mut_of(egui::Theme::Light, |style| {
        style.visuals = visuals();
        style.spacing.item_spacing = egui::vec2(8.0, 5.0);
        style.spacing.button_padding = egui::vec2(8.0, 3.0);
        for (text, size) in [
            (TextStyle::Body, 13.5),
            (TextStyle::Button, 13.5),
            (TextStyle::Small, 11.5),
            (TextStyle::Heading, 15.0),
        ] {
            let font = FontId::new(size, FontFamily::Proportional);
            style.text_styles.insert(text, font);
        }
    });
}

fn visuals() -> Visuals {
    let mut visuals = Visuals::light();
    visuals.panel_fill = Color32::from_rgb(0xf4, 0xf6, 0xf8);
    visuals.window_fill = Color32::WHITE;
    visuals.override_text_color = Some(INK);
    visuals.selection.bg_fill = Color32::from_rgb(0xcb, 0xe0, 0xf4);
    visuals.selection.stroke = Stroke::new(1.0, ACCENT);
    visuals.hyperlink_color = ACCENT;
    visuals.weak_text_color = Some(WEAK);
    visuals.widgets.noninteractive.bg_stroke =
        Stroke::new(1.0, Color32::from_rgb(0xd3, 0xda, 0xe1));
    for widget in [
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
        &mut visuals.widgets.open,
    ] {
        widget.corner_radius = CornerRadius::same(3);
    }
    visuals
}
