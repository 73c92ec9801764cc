//! The verbs of the command line, described in `docs/cli.md`.
//!
//! Every verb returns an outcome or an error. The exit code is 0 when the result is good, 1 when there is one but
//! it is not good, 2 when there is none: bad input, or a file that cannot be written.

mod apply;
mod args;
mod bench;
mod bench_window;
mod check;
mod console;
mod demo;
mod estimate;
mod export;
mod extract;
mod fit_length;
mod flexibilise;
mod import;
mod import_routes;
mod input;
mod lengths;
mod open;
mod outputs;
mod pack;
mod picture;
mod replay;
mod report;
mod samples;
mod scene_picture;
mod script;
mod simulate;
mod solve;
mod study;
mod update;
mod verify;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Verb};
use console::Console;

/// How good the result of a verb is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// As asked for.
    Good,
    /// There is a result, but it is not converged or a handle is blocked.
    NotGood,
}

/// Reads the arguments, runs the verb, shows errors; returns the exit code. Never panics.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        console::complain(&format!(
            "internal error: {panic}\nThis is a bug of Loomwright; please report it with the input."
        ));
    }));
    let args = match Args::try_parse() {
        Ok(args) => args,
        // Help and version arrive here too, with code 0. A closed pipe is no reason to complain.
        Err(error) => {
            let _ = error.print();
            return exit_code(error.exit_code());
        }
    };
    match catch_unwind(AssertUnwindSafe(|| run(args))) {
        Ok(Ok(Outcome::Good)) => ExitCode::SUCCESS,
        Ok(Ok(Outcome::NotGood)) => ExitCode::from(1),
        Ok(Err(error)) => {
            console::complain(&format!("error: {error:#}"));
            ExitCode::from(2)
        }
        // The hook has said why.
        Err(_) => ExitCode::from(2),
    }
}

fn run(args: Args) -> anyhow::Result<Outcome> {
    let console = &mut Console::new(args.json);
    match args.verb {
        None => open::verb(open::Args::default()),
        Some(Verb::Open(args)) => open::verb(args),
        Some(Verb::Import(args)) => import::verb(args, console),
        Some(Verb::ImportRoutes(args)) => import_routes::verb(args, console),
        Some(Verb::Extract(args)) => extract::verb(args, console),
        Some(Verb::Flexibilise(args)) => flexibilise::verb(args, console),
        Some(Verb::Apply(args)) => apply::verb(args, console),
        Some(Verb::Pack(args)) => pack::verb(args, console),
        Some(Verb::Solve(args)) => solve::verb(args, console),
        Some(Verb::FitLength(args)) => fit_length::verb(args, console),
        Some(Verb::Study(args)) => study::verb(args, console),
        Some(Verb::Simulate(args)) => simulate::verb(args, console),
        Some(Verb::Update(args)) => update::verb(args, console),
        Some(Verb::Lengths(args)) => lengths::verb(args, console),
        Some(Verb::Check(args)) => check::verb(args, console),
        Some(Verb::Replay(args)) => replay::verb(args, console),
        Some(Verb::Export(args)) => export::verb(args, console),
        Some(Verb::Verify(args)) => verify::verb(args, console),
        Some(Verb::Demo(args)) => demo::verb(args, console),
        Some(Verb::Picture(args)) => scene_picture::verb(args, console),
        Some(Verb::Bench(args)) => bench::verb(args, console),
    }
}

fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(2))
}
