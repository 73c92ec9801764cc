//! Import of mesh files of every format: what they mean, what they cost, and what damaged ones do.

mod axes;
mod bounds;
mod counting;
mod damage;
mod files;
mod formats;
mod memory;
#[path = "../fixtures/mutate.rs"]
mod mutate;
mod options;
mod second_reader;
mod step;
