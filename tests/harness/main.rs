//! Harnesses whose junctions find their own place, and what hangs on cables.

mod bodies;
mod cuts;
mod document;
mod drag;
mod junctions;
mod net;
mod parts;
mod reference;
mod shells;
mod stretches;
