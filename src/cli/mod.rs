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
mod lengths;
mod outputs;
mod pack;
mod picture;
mod replay;
mod report;
mod scene_picture;
mod script;
mod simulate;
mod solve;
mod study;
mod update;
mod verify;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, StudyVerb, Verb};
use console::Console;

use crate::exchange::Convention;
use crate::mesh::import::ImportOptions;
use crate::scene::flexibilise::RestChoice;

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
    let mut console = Console::new(args.json);
    match args.verb {
        None => open(Vec::new(), None),
        Some(Verb::Open { files, demo }) => open(files, demo),
        Some(Verb::Import {
            files,
            units,
            up,
            split,
            chord_error,
            angle,
            output,
        }) => {
            let usual = ImportOptions::default();
            let options = ImportOptions {
                units,
                up,
                split_components: split,
                chord_error: chord_error.unwrap_or(usual.chord_error),
                angle: angle.unwrap_or(usual.angle),
                ..usual
            };
            import::run(&files, options, output.as_deref(), &mut console)
        }
        Some(Verb::ImportRoutes {
            files,
            scene,
            unit,
            axes,
            diameter,
            material,
            keep_shape,
            output,
        }) => {
            let wanted = import_routes::Wanted {
                scene,
                convention: Convention {
                    unit: export::unit(unit.as_deref()).unwrap_or_default(),
                    axes: export::axes(axes.as_deref()).unwrap_or_default(),
                },
                diameter,
                material,
                keep_shape,
            };
            import_routes::run(&files, &wanted, &output, &mut console)
        }
        Some(Verb::Extract {
            mesh,
            units,
            output,
            picture,
            time_limit,
        }) => {
            let written = extract::Written {
                graph: output.as_deref(),
                picture: picture.as_deref(),
            };
            extract::run(&mesh, units, time_limit, &written, &mut console)
        }
        Some(Verb::Flexibilise {
            scene,
            part,
            group,
            role,
            all,
            rest,
            branch,
            from,
            to,
            materials,
            material,
            time_limit,
            output,
        }) => {
            let wanted = flexibilise::Wanted {
                parts: part,
                groups: group,
                role,
                all,
                rest: match rest.as_str() {
                    "as-designed" => RestChoice::AsDesigned,
                    "straight" => RestChoice::Straight,
                    _ => RestChoice::Preformed,
                },
                branches: branch,
                from,
                to,
                materials,
                material,
                time_limit,
            };
            flexibilise::run(&scene, wanted, &output, &mut console)
        }
        Some(Verb::Apply {
            scene,
            commands,
            output,
        }) => apply::run(&scene, &commands, &output, &mut console),
        Some(Verb::Pack { scene, output }) => pack::run(&scene, &output, &mut console),
        Some(Verb::Solve {
            scene,
            output,
            result,
            verify,
            model,
            settle,
            clearance,
        }) => solve::run(
            &scene,
            &solve::Options {
                output: output.as_deref(),
                result: result.as_deref(),
                verify: verify || model.is_some(),
                second_model: model.is_some(),
                settle,
                clearance,
            },
            &mut console,
        ),
        Some(Verb::FitLength {
            scene,
            cable,
            round,
            output,
        }) => fit_length::run(
            &scene,
            cable.as_deref(),
            round,
            output.as_deref(),
            &mut console,
        ),
        Some(Verb::Study {
            what:
                StudyVerb::Path {
                    scene,
                    path,
                    parts,
                    step,
                    table,
                    envelope,
                    output,
                },
        }) => {
            let options = study::Options {
                parts: &parts,
                step,
                table: table.as_deref(),
                envelope: envelope.as_deref(),
                output: output.as_deref(),
            };
            study::run(&scene, &path, &options, &mut console)
        }
        Some(Verb::Simulate {
            scene,
            seconds,
            every,
            step,
            adaptive,
            order,
            drag,
            damping,
            path,
            parts,
            commands,
            states,
            table,
            envelope,
            output,
        }) => {
            let options = simulate::Options {
                seconds,
                every,
                motion: simulate::motion(step, adaptive, order, drag, damping),
                path: path.as_deref(),
                parts: &parts,
                commands: commands.as_deref(),
                states: states.as_deref(),
                table: table.as_deref(),
                envelope: envelope.as_deref(),
                output: output.as_deref(),
            };
            simulate::run(&scene, &options, &mut console)
        }
        Some(Verb::Update {
            scene,
            mesh,
            ignore_new,
            delete_gone,
            output,
        }) => update::run(
            &scene,
            &mesh,
            [ignore_new, delete_gone],
            output.as_deref(),
            &mut console,
        ),
        Some(Verb::Lengths { scene, csv }) => lengths::run(&scene, csv, &mut console),
        Some(Verb::Check { scene }) => check::run(&scene, &mut console),
        Some(Verb::Replay {
            scene,
            script,
            trace,
            states,
        }) => replay::run(
            &scene,
            &script,
            trace.as_deref(),
            states.as_deref(),
            &mut console,
        ),
        Some(Verb::Export {
            scene,
            format,
            output,
            cables,
            unit,
            axes,
            chord_error,
            no_certificate,
            certificate: _,
            allow_findings,
            flexible_only,
            form,
            tolerance,
            min_radius,
        }) => {
            let switches = export::Switches {
                certificate: !no_certificate,
                flexible_only,
                allow_findings,
            };
            let choice = export::choice(
                format.as_deref(),
                &output,
                unit.as_deref(),
                axes.as_deref(),
                chord_error,
                &switches,
                export::form(&form, tolerance, min_radius)?,
            )?;
            export::run(&scene, &output, &cables, choice, &mut console)
        }
        Some(Verb::Verify {
            file,
            scene,
            report_only,
            allow_findings,
        }) => verify::run(
            &file,
            scene.as_deref(),
            report_only,
            allow_findings,
            &mut console,
        ),
        Some(Verb::Demo { name, directory }) => demo::run(&name, &directory, &mut console),
        Some(Verb::Picture {
            scene,
            output,
            size,
            view,
            dark,
        }) => {
            let wanted = scene_picture::Wanted { size, view, dark };
            scene_picture::run(&scene, &output, &wanted, &mut console)
        }
        Some(Verb::Bench {
            window: true,
            file,
            minutes,
            ..
        }) => bench_window::run(file.as_deref(), minutes.unwrap_or(0.0), &mut console),
        Some(Verb::Bench { scene, repeat, .. }) => {
            bench::run(scene.as_deref(), repeat.get(), &mut console)
        }
    }
}

#[cfg(feature = "gui")]
fn open(files: Vec<PathBuf>, demo: Option<String>) -> anyhow::Result<Outcome> {
    use crate::app::{FIRST_DEMO, Start};
    let demo = demo.or_else(|| files.is_empty().then(|| FIRST_DEMO.to_owned()));
    crate::app::run(demo.map_or(Start::Files(files), Start::Demo))?;
    Ok(Outcome::Good)
}

#[cfg(not(feature = "gui"))]
fn open(_files: Vec<PathBuf>, _demo: Option<String>) -> anyhow::Result<Outcome> {
    anyhow::bail!(
        "this program was built without the window (feature \"gui\"); \
         use its verbs instead: loomwright --help"
    )
}

fn exit_code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(2))
}
