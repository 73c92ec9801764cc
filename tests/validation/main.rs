//! The rod against solutions that any correct rod model reproduces. docs/validation.md lists the cases.

mod cold;
mod common;
mod contact;
mod der;
mod der_motion;
mod elastica;
mod error_bars;
mod estimate;
mod friction;
mod gallery;
mod gallery_scenes;
mod gallery_soler;
mod handles;
mod motion;
mod reference;
mod shapes;
mod sliding;
mod twist;
