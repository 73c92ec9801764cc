//! Colours and type of the window: light and dark, after the system unless the user chose one.

use crate::scene::{Finish, Hazard, Part, PartRole, Scene};
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
    /// Pictures of fixings, where the light falls on them.
    pub fixing: Color32,
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
    fixing: rgb(0x9c_aa_b8),
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
    fixing: rgb(0xc4_d0_dc),
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

/// Colours of parts by what they are, and of cables: told apart also by people who are colour-blind.
const PARTS: [(Kind, Color32); 9] = [
    (Kind::Role(PartRole::Connector), rgb(0xe3_cf_8e)),
    (Kind::Role(PartRole::Harness), rgb(0xb0_7a_4a)),
    (Kind::Role(PartRole::Background), rgb(0xd5_dc_e2)),
    (Kind::Hazard(Hazard::Hot), rgb(0xd9_9a_7e)),
    (Kind::Hazard(Hazard::Moving), rgb(0x86_ad_d6)),
    (Kind::Finish(Finish::Metal), rgb(0xc3_c2_bb)),
    (Kind::Finish(Finish::Plastic), rgb(0x7f_8c_99)),
    (Kind::Finish(Finish::Rubber), rgb(0x55_58_5c)),
    (Kind::Finish(Finish::Paint), rgb(0xa9_b8_c8)),
];
const CABLES: [Color32; 4] = [
    rgb(0xd9_69_24),
    rgb(0x2d_78_c8),
    rgb(0x45_b5_93),
    rgb(0xa8_4f_8c),
];
/// How light parts of one kind are, by their names: neighbours are told from each other, whatever their order.
const SHADES: [f32; 3] = [0.92, 1.0, 1.06];

/// What gives a part its colour: the first that fits.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Role(PartRole),
    Hazard(Hazard),
    Finish(Finish),
}

impl Kind {
    fn fits(self, part: &Part) -> bool {
        match self {
            Self::Role(role) => part.role == role,
            Self::Hazard(hazard) => part.hazard == hazard,
            Self::Finish(finish) => part.finish == finish,
        }
    }
}

/// The colours of the theme that is on now.
pub fn palette(ctx: &egui::Context) -> &'static Palette {
    of(ctx.theme())
}

/// Colour of a part that has none of its own: by what it is.
fn part(part: &Part) -> Color32 {
    let kind = PARTS.iter().find(|(kind, _)| kind.fits(part));
    let base = kind.map_or(Color32::GRAY, |(_, color)| *color);
    let hash = part.name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |h, b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3)
    });
    let shade = SHADES[(hash % SHADES.len() as u64) as usize];
    let [r, g, b, _] = base
        .to_array()
        .map(|c| (f32::from(c) * shade).min(255.0) as u8);
    Color32::from_rgb(r, g, b)
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
    let Some(own) = scene.parts.get(number) else {
        return Color32::GRAY;
    };
    let color = own.color.map(|[r, g, b]| Color32::from_rgb(r, g, b));
    color.unwrap_or_else(|| part(own))
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

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    /// Linear light of a colour.
    fn linear(color: Color32) -> Vector3<f64> {
        let [r, g, b, _] = color.to_array().map(|c| f64::from(c) / 255.0);
        Vector3::new(r, g, b).map(|c| {
            if c <= 0.04045 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    /// CIE L*a*b* of linear light, D65.
    fn lab(light: &Vector3<f64>) -> Vector3<f64> {
        let to_xyz = Matrix3::new(
            0.412_456, 0.357_576, 0.180_438, 0.212_673, 0.715_152, 0.072_175, 0.019_334, 0.119_192,
            0.950_304,
        );
        let t = (to_xyz * light).component_div(&Vector3::new(0.950_47, 1.0, 1.088_83));
        let f = t.map(|t| {
            if t > 0.008_856 {
                t.cbrt()
            } else {
                7.787 * t + 16.0 / 116.0
            }
        });
        Vector3::new(116.0 * f.y - 16.0, 500.0 * (f.x - f.y), 200.0 * (f.y - f.z))
    }

    /// How people see colours to whom one kind of cone is missing, and those to whom none is: Machado, Oliveira and
    /// Fernandes (2009), severity 1.
    fn eyes() -> [Matrix3<f64>; 4] {
        [
            Matrix3::identity(),
            Matrix3::new(
                0.152_286, 1.052_583, -0.204_868, 0.114_503, 0.786_281, 0.099_216, -0.003_882,
                -0.048_116, 1.051_998,
            ),
            Matrix3::new(
                0.367_322, 0.860_646, -0.227_968, 0.280_085, 0.672_501, 0.047_413, -0.011_820,
                0.042_940, 0.968_881,
            ),
            Matrix3::new(
                1.255_528, -0.076_749, -0.178_779, -0.078_411, 0.930_809, 0.147_602, 0.004_733,
                0.691_367, 0.303_900,
            ),
        ]
    }

    /// The smallest distance of two colours to any eye.
    fn nearest(colors: &[Color32]) -> f64 {
        let mut least = f64::INFINITY;
        for eye in eyes() {
            let seen = |c: &Color32| lab(&(eye * linear(*c)).map(|c| c.clamp(0.0, 1.0)));
            for (k, a) in colors.iter().enumerate() {
                for b in &colors[k + 1..] {
                    least = least.min((seen(a) - seen(b)).norm());
                }
            }
        }
        least
    }

    #[test]
    fn colours_are_told_apart_by_people_who_are_colour_blind() {
        // 2.3 is a difference that is just seen side by side; the pair of blue and violet, which cables had once, has 7.5.
        let violet = [rgb(0x2d_78_c8), rgb(0x86_54_b8)];
        assert!(nearest(&violet) < 8.0);
        assert!(nearest(&CABLES) > 20.0, "{}", nearest(&CABLES));
        let parts = PARTS.map(|(_, color)| color);
        assert!(nearest(&parts) > 10.0, "{}", nearest(&parts));
    }

    #[test]
    fn parts_are_coloured_by_what_they_are_and_not_by_their_order() {
        let mut scene = crate::scene::demo::demo("drag").unwrap();
        let color_of = |scene: &Scene, name: &str| {
            let number = scene.parts.iter().position(|p| p.name == name).unwrap();
            part_color(scene, number)
        };
        let before = color_of(&scene, "block");
        scene.parts.reverse();
        assert_eq!(color_of(&scene, "block"), before);
        let block = scene.parts.iter_mut().find(|p| p.name == "block").unwrap();
        block.role = PartRole::Connector;
        let connector = color_of(&scene, "block");
        assert_ne!(connector, before);
        let block = scene.parts.iter_mut().find(|p| p.name == "block").unwrap();
        block.color = Some([1, 2, 3]);
        assert_eq!(color_of(&scene, "block"), Color32::from_rgb(1, 2, 3));
    }
}
