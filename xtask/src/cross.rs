//! `cargo xtask cross`: Loopdeck for Windows and macOS, compiled here. Everything that this needs is laid out in
//! `target/xtask/cross`; nothing is installed.

mod installers;
mod signing;
mod tools;
mod wine;

use std::process::Command;

use xtask::Failure;
use xtask::workspace::{cargo, target_dir};

use crate::tally::Tally;
use crate::{nats, steps};
use tools::{Compiler, Tools};
use wine::Wine;

const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";

/// The packages whose unit tests run under Wine.
const TESTED: [&str; 14] = [
    "text",
    "graph",
    "plans",
    "results",
    "agents",
    "core",
    "reports",
    "search",
    "windows",
    "system",
    "execution",
    "runtime",
    "team",
    "cli",
];

/// They write hundreds of megabytes, which takes Wine minutes.
const TOO_SLOW: [&str; 2] = ["memory_is_bounded_as_the_disk_is", "the_oldest_segments_go_and_numbers_stay"];

/// [`check`] as a part of each test run: where the tools cannot be laid out, a line says so, and nothing has failed.
pub(crate) fn check_if_possible() -> Result<Tally, Failure> {
    match lay_out() {
        Ok(tools) => check_with(&tools),
        Err(error) => {
            steps::heading(&format!("Windows and macOS are not checked: {error}"));
            Ok(Tally::default())
        }
    }
}

fn lay_out() -> Result<Tools, Failure> {
    Tools::lay_out(&target_dir()?.join("xtask/cross"), &[WINDOWS, MACOS])
}

/// Checks the types of everything that is installed, for each system. The tests themselves and the fuzzer's checks start programs
/// and scripts of Unix: they are not checked.
pub(crate) fn check() -> Result<Tally, Failure> {
    check_with(&lay_out()?)
}

fn check_with(tools: &Tools) -> Result<Tally, Failure> {
    let mut total = Tally::default();
    for target in [WINDOWS, MACOS] {
        let mut command = build(tools, "check", target);
        command.args(["--workspace", "--keep-going"]);
        for package in ["loopdeck-tests", "loopdeck-fuzz-checks"] {
            command.args(["--exclude", package]);
        }
        // A warning is an error, as for clippy.
        command.args(["-Zwarnings", "--config", "build.warnings='deny'"]);
        total += passes(target, &mut command);
    }
    Ok(total)
}

/// Tests of whole behaviour: programs that are killed while they write, two that change the same, and a team on a server. Not
/// `hostile_writers`: Wine's `ReplaceFileW` leaves a moment without a file, and refuses one that another program writes to.
const WHOLE: [&str; 6] = [
    "killed::",
    "killed_steps::",
    "killed_together::",
    "controlling_together::",
    "journal_shared::",
    "team::",
];

/// What ends like a name above; what nats-server for Windows can't do under Wine: reading its configuration again is a signal, and a
/// cluster removes files that are open; and what counts files, as Wine keeps the name of a removed one that is open.
const NOT_WHOLE: [&str; 4] =
    ["team_killed::", "revoked_credential", "leader_of_three_servers", "each_is_written_recorded_and_undone"];

/// Runs under Wine: unit tests, runs of agents under a guardian, whole loops by the program, and [`WHOLE`].
pub(crate) fn test() -> Result<Tally, Failure> {
    let tools = Tools::lay_out(&target_dir()?.join("xtask/cross"), &[WINDOWS])?;
    let wine = Wine::start(&tools)?;
    let mut command = build(&tools, "test", WINDOWS);
    command.args(["--lib", "--no-fail-fast"]);
    for package in TESTED {
        command.arg("--package").arg(format!("loopdeck-{package}"));
    }
    command.arg("--");
    command.args(TOO_SLOW.iter().flat_map(|name| ["--skip", name]));
    let mut total = tested("Unit tests under Wine", &wine, &mut command)?;
    let mut runs = build(&tools, "test", WINDOWS);
    runs.args(["--package", "loopdeck-execution", "--test", "own_program"]);
    total += tested("Runs under Wine", &wine, &mut runs)?;
    let mut agent = build(&tools, "build", WINDOWS);
    agent.args(["--package", "loopdeck-tests", "--bin", "scripted_agent"]);
    steps::run("scripted_agent.exe", &mut agent)?;
    let mut loops = build(&tools, "test", WINDOWS);
    loops.args(["--package", "loopdeck-cli", "--test", "headless", "anywhere::"]);
    total += tested("Loops under Wine", &wine, &mut loops)?;
    let mut whole = build(&tools, "test", WINDOWS);
    whole.args(["--package", "loopdeck-tests", "--test", "whole", "--no-fail-fast", "--"]);
    whole.args(WHOLE).args(NOT_WHOLE.iter().flat_map(|name| ["--skip", name]));
    // Two hundred writes, of which the last of each start is cut.
    whole.env("LOOPDECK_KILLS", "100");
    whole.env("LOOPDECK_NATS_SERVER", nats::install_for_windows(&target_dir()?.join("xtask"))?);
    total += tested("Writes and a team under Wine", &wine, &mut whole)?;
    Ok(total)
}

/// Makes the installers of Windows in `target/package/windows`, and tries them under Wine.
pub(crate) fn package(optimised: bool) -> Result<Tally, Failure> {
    crate::ui::check_node()?;
    let (target, state) = (target_dir()?, target_dir()?.join("xtask"));
    let tools = Tools::lay_out(&state.join("cross"), &[WINDOWS])?;
    crate::ui::install(&state)?;
    steps::heading("UI");
    crate::ui::build(&state)?;
    steps::heading("Programs for Windows");
    let mut command = build(&tools, "build", WINDOWS);
    command.args(["--workspace", "--bin", "loopdeck", "--bin", "loopdeck-desktop"]);
    command.args(optimised.then_some("--release"));
    steps::run("cargo build", &mut command)?;
    let programs = tools.build.join(WINDOWS).join(if optimised { "release" } else { "debug" });
    let version = env!("CARGO_PKG_VERSION");
    steps::heading("Installers");
    let made = installers::make(&tools, &programs, version, &target.join("package/windows"))?;
    println!("{}\n{}", made.setup.display(), made.msi.display());
    let wine = Wine::start(&tools)?;
    let mut total = Tally::of("Installers under Wine", &installers::try_out(&wine, &made, version));
    let signed = signing::try_out(&tools, &[&programs.join("loopdeck.exe"), &made.setup, &made.msi]);
    total += Tally::of("Signatures", &signed);
    Ok(total)
}

/// Runs tests.
fn tested(title: &str, wine: &Wine, command: &mut Command) -> Result<Tally, Failure> {
    steps::heading(title);
    command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUNNER", &wine.program);
    let (status, output) = steps::status_and_output(title, command)?;
    Ok(Tally::from_cargo(&output).with_status(title, status.success()))
}

/// Cargo with the tools, for `target`.
fn build(tools: &Tools, what: &str, target: &str) -> Command {
    let mut command = cargo();
    command.args([what, "--locked", "--target", target, "--target-dir"]).arg(&tools.build);
    // What is unstable is asked for by name.
    command.env("RUSTC_BOOTSTRAP", "1").env("PATH", &tools.path);
    if let Compiler::Laid { rustc, rustdoc, libraries } = &tools.compiler {
        command.arg("-Zbuild-std").env("RUSTC", rustc).env("RUSTDOC", rustdoc);
        command.env("LD_LIBRARY_PATH", libraries);
    }
    let [gcc, ar] = ["gcc", "ar"].map(|tool| format!("x86_64-w64-mingw32-{tool}"));
    command.env("CC_x86_64_pc_windows_gnu", &gcc).env("AR_x86_64_pc_windows_gnu", &ar);
    command.env("CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER", &gcc);
    command.env("CC_aarch64_apple_darwin", "zig-cc").env("AR_aarch64_apple_darwin", &ar);
    command
}

/// A program that passes or fails as a whole.
fn passes(title: &str, command: &mut Command) -> Tally {
    steps::heading(title);
    Tally::of(title, &steps::run(title, command))
}
