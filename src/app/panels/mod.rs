//! Everything around the view. Panels read the document and push actions.

pub mod dialogs;
pub mod menu;
pub mod messages;
pub mod status_bar;
pub mod tree;
