//! Cables that touch each other, and themselves: pushed, crossed, pulled closed.

mod crossing;
mod friction;
mod random;
mod scenes;
