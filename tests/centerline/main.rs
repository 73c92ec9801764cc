//! Centerline extraction: against swept tubes, against truth from a CAD kernel, and against itself.

mod property;
mod random;
mod reference;
mod sweep;
mod tubes;
