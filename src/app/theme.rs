//! Colours and type of the window: light and dark, after the system unless the user chose one.

use crate::scene::Scene;
use egui::{Color32, CornerRadius, FontFamily, FontId, Stroke, TextStyle, Theme, Visuals};

const fn rgb(hex: u32) -> Color32 {
    Color32::from_rgb((hex >> 16) as u8, (hex >> 8) as u8, hex as u8)
}

/// The colours that differ between light and dark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// Selection, links, what is active.
    pub accent: Color32,
    /// All is well.
    pub good: Color32,
    /// Look at this.
    pub warn: Color32,
    /// Behind a warning.
    pub warn_fill: Color32,
    /// This went wrong.
    pub bad: Color32,
    /// Behind an error.
    pub bad_fill: Color32,
    /// Lines and text.
    pub ink: Color32,
    /// Remarks.
    pub weak: Color32,
    /// Contacts in the view.
    pub contact: Color32,
    /// The rim around a ball in the view.
    pub rim: Color32,
    /// Directions d1, d2, d3, and X, Y, Z of the triad.
    pub axes: [Color32; 3],
    /// Top and bottom of the view's background.
    pub sky: [Color32; 2],
    /// Behind words over the view.
    pub plate: Color32,
    panel: Color32,
    selection: Color32,
    line: Color32,
}

static LIGHT: Palette = Palette {
    accent: rgb(0x1f_6f_b8),
    good: rgb(0x2b_7a_4b),
    warn: rgb(0x9a_62_00),
    warn_fill: rgb(0xfd_f4_e0),
    bad: rgb(0xb3_2d_2d),
    bad_fill: rgb(0xfb_ec_ec),
    ink: rgb(0x2b_33_3d),
    weak: rgb(0x5a_65_72),
    contact: rgb(0xc2_1f_5b),
    rim: Color32::WHITE,
    axes: [rgb(0xc2_3b_3b), rgb(0x33_8a_3e), rgb(0x2a_62_c4)],
    sky: [rgb(0xf7_f9_fb), rgb(0xdc_e3_ea)],
    panel: rgb(0xf4_f6_f8),
    plate: Color32::WHITE,
    selection: rgb(0xcb_e0_f4),
    line: rgb(0xd3_da_e1),
};

static DARK: Palette = Palette {
    accent: rgb(0x6c_b0_f0),
    good: rgb(0x6f_c9_8e),
    warn: rgb(0xe8_b0_4a),
    warn_fill: rgb(0x3d_32_1a),
    bad: rgb(0xf0_83_83),
    bad_fill: rgb(0x44_23_25),
    ink: rgb(0xdd_e3_ea),
    weak: rgb(0x9a_a6_b4),
    contact: rgb(0xff_4f_8f),
    rim: rgb(0xe8_ec_f0),
    axes: [rgb(0xe8_6a_6a), rgb(0x6c_c4_76), rgb(0x74_a2_f4)],
    // Light enough that black harnesses stand out.
    sky: [rgb(0x5a_65_72), rgb(0x36_3e_48)],
    panel: rgb(0x24_29_30),
    plate: rgb(0x2c_32_3a),
    selection: rgb(0x2b_4d_6e),
    line: rgb(0x3c_44_4e),
};

/// Room for the scroll bar of a panel, which lies over what is there, points.
pub const BAR: f32 = 8.0;

/// Ends and junctions of a harness.
pub const JUNCTION: Color32 = rgb(0x2e_a0_43);
/// Branches of a harness that have no colour of their own.
pub const HARNESS: Color32 = rgb(0x2b_2e_35);
/// The outline of selected cables: no cable has this colour unasked.
pub const SELECTED: Color32 = rgb(0x00_b4_d8);
/// A grip under the cursor or in hand.
pub const HOT: Color32 = rgb(0xf2_b1_1c);

const PARTS: [Color32; 6] = [
    rgb(0x9f_b0_c2),
    rgb(0xad_bd_a3),
    rgb(0xc9_ba_9f),
    rgb(0xb0_ac_c8),
    rgb(0x9c_bd_bd),
    rgb(0xc6_ab_a8),
];
const CABLES: [Color32; 4] = [
    rgb(0xd9_69_24),
    rgb(0x2d_78_c8),
    rgb(0x36_93_5a),
    rgb(0x86_54_b8),
];

/// The colours of the theme that is on now.
pub fn palette(ctx: &egui::Context) -> &'static Palette {
    of(ctx.theme())
}

/// Colour of a part.
pub fn part(number: usize) -> Color32 {
    PARTS[number % PARTS.len()]
}

/// Colour of a cable.
pub fn cable(number: usize) -> Color32 {
    CABLES[number % CABLES.len()]
}

/// Colour of a cable of a scene: its own, or one of ours.
pub fn cable_color(scene: &Scene, number: usize) -> Color32 {
    let Some(own) = scene.cables.get(number) else {
        return cable(number);
    };
    match own.color {
        Some([r, g, b]) => Color32::from_rgb(r, g, b),
        // A harness is one thing, and no part has its colour.
        None if scene.harness_of(&own.name).is_some() => HARNESS,
        None => cable(number),
    }
}

/// Colour of a part of a scene: its own, or one of ours.
pub fn part_color(scene: &Scene, number: usize) -> Color32 {
    let own = scene.parts.get(number).and_then(|p| p.color);
    own.map_or_else(|| part(number), |[r, g, b]| Color32::from_rgb(r, g, b))
}

/// Sets colours and type of the whole window. Where the system does not say, it is light.
pub fn apply(ctx: &egui::Context) {
    ctx.options_mut(|options| options.fallback_theme = Theme::Light);
    for theme in [Theme::Light, Theme::Dark] {
        ctx.style_mut_of(theme, |style| {
            style.visuals = visuals(theme);
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
}

/// The colours of a theme.
pub fn of(theme: Theme) -> &'static Palette {
    match theme {
        Theme::Light => &LIGHT,
        Theme::Dark => &DARK,
    }
}

fn visuals(theme: Theme) -> Visuals {
    let palette = of(theme);
    let mut visuals = theme.default_visuals();
    visuals.panel_fill = palette.panel;
    visuals.window_fill = palette.plate;
    visuals.override_text_color = Some(palette.ink);
    visuals.selection.bg_fill = palette.selection;
    visuals.selection.stroke = Stroke::new(1.0, palette.accent);
    visuals.hyperlink_color = palette.accent;
    visuals.weak_text_color = Some(palette.weak);
    visuals.widgets.noninteractive.bg_stroke = Stroke::new(1.0, palette.line);
    for widget in [
        &mut visuals.widgets.inactive,
        &mut visuals.widgets.hovered,
        &mut visuals.widgets.active,
        &mut visuals.widgets.open,
    ] {
        widget.corner_radius = CornerRadius::same(3);
        widget.bg_stroke = Stroke::new(1.0, palette.line);
    }
    visuals
}
