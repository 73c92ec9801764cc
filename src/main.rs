//! The program: picks the window or a verb of the command line, nothing else.
fn main() {}
