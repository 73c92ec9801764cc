//! Contact of cables with parts, in whole scenes.

mod drag;
mod margin;
mod winding;
