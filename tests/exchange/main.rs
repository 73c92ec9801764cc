//! Routes to CAD and back: every shape through every format, random routes, and what must be refused.

mod arcs;
mod command;
mod curves;
mod errors;
mod findings;
mod formats;
mod import;
mod lengths;
mod moved;
mod property;
mod roundtrip;
mod shapes;
mod shown;
mod solved;
