//! The program: hands over to the command line, which opens the window when no verb is given.

use std::process::ExitCode;

fn main() -> ExitCode {
    loomwright::cli::main()
}
