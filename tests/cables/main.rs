//! Cables that touch each other, and themselves: pushed, crossed, pulled closed.

mod crossing;
mod friction;
mod islands;
mod random;
mod scenes;
