//! `cargo xtask …`: the commands a person or CI needs. `cargo xtask help` lists them.
#![allow(
    clippy::disallowed_methods,
    reason = "the ban protects the app's users; here starting programs is the job"
)]
#![allow(clippy::print_stdout, reason = "a command line tool")]

mod agents;
mod app;
mod checks;
#[cfg(target_os = "linux")]
mod cross;
#[cfg(not(target_os = "linux"))]
#[path = "cross/elsewhere.rs"]
mod cross;
mod debian;
mod dependencies;
mod fuzz;
mod nats;
mod package;
mod packages;
mod pip;
mod release;
mod steps;
mod system;
mod tally;
mod ui;

use std::process::{Command, ExitCode};

use lexopt::prelude::{Long, Short, Value, ValueExt};
use xtask::Failure;
use xtask::workspace::{cargo, target_dir};

use checks::Part;
use tally::Tally;

const HELP: &str = "\
Usage: cargo xtask COMMAND

  run [--release] [--stay] [-- ARGS]   Install what is missing, build, open the window; ARGS go to the app.
                                       Without a display: print the path of a screenshot (and --stay running).
  test [--only PART]...                Everything CI checks; PART: fmt, ui, dependencies, clippy, cross, rust, window,
                                       or units: unit tests alone, which Windows and macOS can run too
  test --real-agents                   Only the real Claude Code, Codex, Gemini CLI and Qwen Code, in pinned versions that
                                       npm installs (into LOOPDECK_REAL_AGENTS, or below target), alone and driven by
                                       Loopdeck, against a model server on loopback: no account, no network after that.
                                       With LOOPDECK_RECORD=1 what they say is kept as fixtures.
  test --package                       Only the packages, as root: installs the .deb in a fresh Debian, drives the installed program,
                                       uninstalls it, and finds nothing left but the person's data; then cross package
  test --cross                         Only the other systems: cross check, then cross test
  cross check                          Checks the types for Windows and macOS, as every test does, with tools in target/xtask/cross:
                                       Debian's packages are unpacked there, not installed. Or with the usual compiler, once
                                       rustup target add x86_64-pc-windows-gnu aarch64-apple-darwin was run.
  cross test                           Under Wine: unit tests, guarded writes, whole loops, a team
  cross package [--debug]              Both installers of Windows in target/package/windows, installed, run and removed under Wine
  package                              Release builds of both programs as .deb and .rpm in target/package, checked and weighed;
                                       AppImage and .dmg where they can be made
  bench [-- ARGS]                      Measure, each number beside its limit
  fuzz --minutes N [TARGET]            Byte soup against every reader and editor, N minutes each; TARGET: a file of
                                       fuzz/fuzz_targets. Fails on a crash and leaves its input.
  chaos [--minutes N]                  A team of machines while servers are killed, disks are full, networks are cut and programs
                                       are closed, N minutes, 10 without it. Fails when anything is lost, done twice or stuck.
  screenshots [ARGS]                   Pictures of every view with small, typical and extreme data, in each theme and
                                       language, into target/screenshots; renews those of the README.
                                       --to FOLDER, --only AMOUNT/LOOK, --view PART, --readme (those alone)
  third-party                          Write the list of others' packages and their licences that the window shows
  release-notes TAG                    Print the changes of the version that TAG names, and fail when this is another version";

fn main() -> ExitCode {
    match dispatch() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch() -> Result<ExitCode, Failure> {
    let mut parser = lexopt::Parser::from_env();
    let command = match parser.next()? {
        Some(Value(command)) => command.string()?,
        Some(Long("help") | Short('h')) | None => "help".into(),
        Some(other) => return Err(other.unexpected().into()),
    };
    match command.as_str() {
        "run" => app::run(&run_options(&mut parser)?),
        "test" => test(&mut parser),
        "fuzz" => fuzz(&mut parser),
        "chaos" => chaos(&mut parser),
        "package" => package(&mut parser),
        "cross" => cross(&mut parser),
        "bench" => run_bin("bench", &["guardian", "scripted_agent"], &mut parser),
        "third-party" => third_party(),
        "release-notes" => release_notes(&mut parser),
        "screenshots" => run_bin("screenshots", &["scripted_agent"], &mut parser),
        "help" => {
            println!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        other => Err(format!("no command {other}\n{HELP}").into()),
    }
}

fn run_options(parser: &mut lexopt::Parser) -> Result<app::Options, lexopt::Error> {
    let mut options = app::Options::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("release") => options.release = true,
            Long("stay") => options.stay = true,
            Value(first) => {
                // lexopt swallows `--`: everything from the first value on belongs to the app.
                options.args.push(first);
                options.args.extend(parser.raw_args()?);
            }
            other => return Err(other.unexpected()),
        }
    }
    Ok(options)
}

fn test(parser: &mut lexopt::Parser) -> Result<ExitCode, Failure> {
    let mut parts = Vec::new();
    while let Some(arg) = parser.next()? {
        match arg {
            Long("only") => {
                let name = parser.value()?.string()?;
                parts.push(Part::named(&name).ok_or_else(|| format!("no part {name}\n{HELP}"))?);
            }
            Long("real-agents") => return finish(&checks::real_agents()?),
            Long("package") => {
                let mut total = checks::installed()?;
                total += cross::package(true)?;
                return finish(&total);
            }
            Long("cross") => {
                let mut total = cross::check()?;
                total += cross::test()?;
                return finish(&total);
            }
            other => return Err(other.unexpected().into()),
        }
    }
    finish(&checks::run(if parts.is_empty() { &Part::ALL } else { &parts })?)
}

fn finish(total: &Tally) -> Result<ExitCode, Failure> {
    print!("\n{}", total.failures); // here a person looks first
    println!("\n{total}"); // the last line, because CI reads it
    Ok(if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the changes of the version that a tag names.
fn release_notes(parser: &mut lexopt::Parser) -> Result<ExitCode, Failure> {
    println!("{}", release::notes(&parser.value()?.string()?)?);
    Ok(ExitCode::SUCCESS)
}

/// Writes the list of licences that the window shows.
fn third_party() -> Result<ExitCode, Failure> {
    ui::check_node()?;
    ui::install(&target_dir()?.join("xtask"))?;
    dependencies::third_party::write()?;
    Ok(ExitCode::SUCCESS)
}

fn fuzz(parser: &mut lexopt::Parser) -> Result<ExitCode, Failure> {
    let (mut minutes, mut target) = (None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            Long("minutes") => minutes = Some(parser.value()?.parse()?),
            Value(name) if target.is_none() => target = Some(name.string()?),
            other => return Err(other.unexpected().into()),
        }
    }
    // libFuzzer treats 0 as unlimited.
    let minutes = minutes.filter(|minutes| *minutes > 0);
    let minutes = minutes.ok_or_else(|| format!("--minutes is needed, at least 1\n{HELP}"))?;
    let total = fuzz::run(minutes, target.as_deref())?;
    println!("{total}");
    Ok(if total.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn chaos(parser: &mut lexopt::Parser) -> Result<ExitCode, Failure> {
    let mut minutes = 10;
    while let Some(arg) = parser.next()? {
        match arg {
            Long("minutes") => minutes = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    finish(&checks::chaos(minutes)?)
}

fn cross(parser: &mut lexopt::Parser) -> Result<ExitCode, Failure> {
    match parser.value()?.string()?.as_str() {
        "check" => finish(&cross::check()?),
        "test" => finish(&cross::test()?),
        "package" => match parser.next()? {
            None => finish(&cross::package(true)?),
            Some(Long("debug")) => finish(&cross::package(false)?),
            Some(other) => Err(other.unexpected().into()),
        },
        other => Err(format!("no command cross {other}\n{HELP}").into()),
    }
}

fn package(parser: &mut lexopt::Parser) -> Result<ExitCode, Failure> {
    if let Some(arg) = parser.next()? {
        return Err(arg.unexpected().into());
    }
    package::run()?;
    Ok(ExitCode::SUCCESS)
}

/// Programs of the test package that are not tests: optimised, with the app built the same way and the
/// programs they start in `beside`.
fn run_bin(name: &str, beside: &[&str], parser: &mut lexopt::Parser) -> Result<ExitCode, Failure> {
    ui::check_node()?;
    system::ensure(&[packages::Purpose::Build, packages::Purpose::Headless, packages::Purpose::WindowTests])?;
    if cfg!(target_os = "linux") {
        system::ensure_window_driver()?;
    }
    let programs = app::build(true)?;
    steps::heading(name);
    // The whole workspace, as for the app: the features of what they share stay the same, and nothing is built twice.
    let mut build = cargo();
    build.args(["build", "--release", "--workspace", "--features", "loopdeck-tests/window"]);
    for program in [name].iter().chain(beside) {
        build.args(["--bin", program]);
    }
    steps::run(name, &mut build)?;
    let program = programs.desktop.with_file_name(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let mut command = Command::new(program);
    command.args(parser.raw_args()?.skip_while(|arg| arg == "--"));
    steps::run(name, command.env("LOOPDECK_APP", programs.desktop).env("LOOPDECK_CLI", programs.cli))?;
    Ok(ExitCode::SUCCESS)
}
