//! The rod against solutions that any correct rod model reproduces. docs/validation.md lists the cases.

mod elastica;
mod friction;
mod reference;
