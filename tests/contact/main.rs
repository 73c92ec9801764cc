//! Contact of cables with parts, in whole scenes.

mod drag;
mod grommet;
mod margin;
mod push;
mod winding;
