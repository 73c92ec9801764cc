//! Cables that touch each other, and themselves: pushed, crossed, pulled closed.

mod crossing;
mod random;
mod scenes;
