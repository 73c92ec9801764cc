//! The equilibrium of a rod under handles, gravity and contact.

mod report;

pub use report::{Blocker, CancelToken, ContactReport, HandleReport, Report, Status};
