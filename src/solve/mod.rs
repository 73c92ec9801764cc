//! The equilibrium of a rod under handles, gravity and contact.

pub mod banded;
mod report;

pub use report::{Blocker, CancelToken, ContactReport, HandleReport, Report, Status};
