//! Rods treated badly: long jumps, push-through, pulls beyond the length, jitter, odd numbers, random drags.
//!
//! Whatever is asked for, the status is true, every number is finite, and the loop ends. The series of random drags
//! is short by default; `LOOMWRIGHT_ROD_DRAGS=10000` makes it as long as docs/validation.md states it.

mod commands;
#[path = "../validation/common.rs"]
#[allow(dead_code, reason = "shared with the validation, which uses all of it")]
mod common;
mod drags;
mod jumps;
mod odd;
