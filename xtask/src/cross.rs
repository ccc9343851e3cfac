//! `cargo xtask cross`: Loopdeck for Windows and macOS, compiled here. Everything that this needs is laid out in
//! `target/xtask/cross`; nothing is installed.

mod command_line;
mod tools;
mod wine;

use std::process::Command;

use xtask::Failure;
use xtask::workspace::{cargo, target_dir};

use crate::steps;
use crate::tally::Tally;
use tools::{Compiler, Tools};

const WINDOWS: &str = "x86_64-pc-windows-gnu";
const MACOS: &str = "aarch64-apple-darwin";

/// The packages whose unit tests run under Wine. The desktop's need a window, those of the team a server, and those of the command line
/// what drives the window.
const TESTED: [&str; 11] = [
    "text",
    "graph",
    "plans",
    "results",
    "agents",
    "core",
    "reports",
    "search",
    "system",
    "execution",
    "runtime",
];

/// Checks the types of everything that is installed, for each system. The tests themselves and the fuzzer's checks start programs
/// and scripts of Unix: they are not checked.
pub(crate) fn check() -> Result<Tally, Failure> {
    let tools = Tools::lay_out(&target_dir()?.join("xtask/cross"), &[WINDOWS, MACOS])?;
    let mut total = Tally::default();
    for target in [WINDOWS, MACOS] {
        let mut command = build(&tools, "check", target);
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

/// Runs unit tests and the command line of Windows under Wine.
pub(crate) fn test() -> Result<Tally, Failure> {
    let state = target_dir()?.join("xtask/cross");
    let tools = Tools::lay_out(&state, &[WINDOWS])?;
    let wine = wine::Wine::start(&tools)?;
    let mut command = build(&tools, "test", WINDOWS);
    command.args(["--lib", "--no-fail-fast"]);
    for package in TESTED {
        command.arg("--package").arg(format!("loopdeck-{package}"));
    }
    steps::heading("Unit tests under Wine");
    let (status, output) = steps::status_and_output("Unit tests under Wine", wine.of(&mut command))?;
    let mut total = Tally::from_cargo(&output).with_status("Unit tests under Wine", status.success());
    steps::heading("The command line under Wine");
    let mut command = build(&tools, "build", WINDOWS);
    steps::run("cargo build", command.args(["--package", "loopdeck-cli"]))?;
    total += command_line::table(&wine, &tools.build.join(WINDOWS).join("debug/loopdeck.exe"), &state)?;
    Ok(total)
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
    match steps::run(title, command) {
        Ok(()) => Tally::passed(),
        Err(error) => Tally::failed(title, &error.to_string()),
    }
}
