//! The rod against solutions that any correct rod model reproduces. docs/validation.md lists the cases.

mod common;
mod contact;
mod elastica;
mod estimate;
mod friction;
mod handles;
mod reference;
mod shapes;
mod sliding;
mod twist;
