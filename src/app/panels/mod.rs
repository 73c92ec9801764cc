//! Everything around the view. Panels read the document and push actions.

pub mod context;
pub mod dialogs;
pub mod drawer;
pub mod export;
mod findings;
pub mod hints;
pub mod import;
pub mod inspector;
mod lengths;
pub mod menu;
pub mod messages;
pub mod motion;
mod over;
pub mod palette;
pub mod player;
pub mod revision;
pub mod sheets;
pub mod shortcuts;
mod starts;
pub mod status_bar;
pub mod study;
pub mod toolbar;
pub mod tree;
