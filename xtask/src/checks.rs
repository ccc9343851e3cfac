//! `cargo xtask test`: everything that must hold, cheapest failures first.

use std::fs;
use std::path::Path;
use std::process::Command;

use xtask::Failure;
use xtask::workspace::{app_program, cargo, root, target_dir};

use crate::packages::Purpose;
use crate::tally::Tally;
use crate::{agents, app, cross, debian, dependencies, nats, package, steps, system, ui};
use serde_json::Value;

/// Only there, the web view can be driven.
const HAS_WINDOW_TESTS: bool = cfg!(target_os = "linux");

/// A part that can be run alone with `--only`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Part {
    Fmt,
    Ui,
    Dependencies,
    Clippy,
    Cross,
    /// Unit tests alone, which every system can run.
    Units,
    Rust,
    Window,
}

impl Part {
    /// Every part of a whole run.
    pub(crate) const ALL: [Self; 7] =
        [Self::Fmt, Self::Ui, Self::Dependencies, Self::Clippy, Self::Cross, Self::Rust, Self::Window];

    /// The part that `--only` calls `name`.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "fmt" => Some(Self::Fmt),
            "clippy" => Some(Self::Clippy),
            "ui" => Some(Self::Ui),
            "dependencies" => Some(Self::Dependencies),
            "cross" => Some(Self::Cross),
            "units" => Some(Self::Units),
            "rust" => Some(Self::Rust),
            "window" => Some(Self::Window),
            _ => None,
        }
    }
}

/// Runs `parts` and counts. Errors only when the machine cannot be set up.
pub(crate) fn run(parts: &[Part]) -> Result<Tally, Failure> {
    if [Part::Ui, Part::Dependencies, Part::Window].iter().any(|part| parts.contains(part)) {
        ui::check_node()?;
    }
    system::ensure(&[Purpose::Build, Purpose::Headless, Purpose::WindowTests])?;
    let target = target_dir()?;
    let mut total = Tally::default();
    let mut in_order = parts.to_vec();
    in_order.sort();
    in_order.dedup();
    for part in in_order {
        total += match part {
            Part::Fmt => formatting(),
            Part::Ui => page(&target.join("xtask")),
            Part::Dependencies => dependencies(&target.join("xtask")),
            Part::Clippy => lints(),
            Part::Cross => other_systems(),
            Part::Units => units(),
            Part::Rust => rust(&target, HAS_WINDOW_TESTS && parts.contains(&Part::Window)),
            Part::Window if HAS_WINDOW_TESTS && parts.contains(&Part::Rust) => Tally::default(), // done above
            Part::Window => window(&target),
        };
    }
    Ok(total)
}

/// Installs the real agents and runs their tests.
pub(crate) fn real_agents() -> Result<Tally, Failure> {
    ui::check_node()?;
    system::ensure(&[Purpose::Build])?;
    let folder = agents::install(&target_dir()?.join("xtask"))?;
    let mut command = cargo();
    command.args(["test", "--workspace", "--test", "whole", "--no-fail-fast"]);
    command.args(["real_agents::", "--", "--include-ignored", "--test-threads=2"]);
    Ok(cargo_test("Real agents", command.env("LOOPDECK_REAL_AGENTS", folder)))
}

/// Lets everything go wrong between the machines of a team, for so long.
pub(crate) fn chaos(minutes: u32) -> Result<Tally, Failure> {
    system::ensure(&[Purpose::Build])?;
    nats::install(&target_dir()?.join("xtask"))?;
    let mut command = cargo();
    command.args([
        "test",
        "--workspace",
        "--test",
        "whole",
        "team_chaos::",
        "--",
        "--nocapture",
        "--ignored",
    ]);
    let seconds = u64::from(minutes) * 60;
    Ok(cargo_test("A team in disorder", command.env("LOOPDECK_CHAOS_SECONDS", seconds.to_string())))
}

/// Makes the package and installs it in a fresh Debian.
pub(crate) fn installed() -> Result<Tally, Failure> {
    ui::check_node()?;
    debian::only_root()?; // before minutes of building
    system::ensure(&[Purpose::Headless, Purpose::WindowTests, Purpose::FreshSystem])?;
    system::ensure_window_driver()?;
    let package = package::run()?.ok_or("there is no .deb to test on this system")?;
    let fresh = debian::lay_out(&target_dir()?.join("xtask"), &package)?;
    let mut command = cargo();
    command.args(["test", "--workspace", "--features", "loopdeck-tests/window", "--test", "window"]);
    command.args(["installed::", "--", "--include-ignored"]);
    let command = command.env("LOOPDECK_DEB", package).env("LOOPDECK_FRESH_DEBIAN", fresh);
    Ok(cargo_test("The installed program", command))
}

fn formatting() -> Tally {
    add_component("fmt", "rustfmt");
    let mut total = check("rustfmt", cargo().args(["fmt", "--all", "--check"]));
    let mut targets = cargo();
    targets.args(["fmt", "--check"]).current_dir(root().join("fuzz"));
    total += check("rustfmt of the fuzz targets", &mut targets);
    total
}

fn lints() -> Tally {
    add_component("clippy", "clippy");
    check(
        "clippy",
        cargo().args(["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"]),
    )
}

/// Everything compiles for Windows and macOS.
fn other_systems() -> Tally {
    cross::check_if_possible().unwrap_or_else(|error| Tally::of("Windows and macOS", &Err(error)))
}

fn dependencies(state: &Path) -> Tally {
    let mut total = Tally::of("UI packages", &ui::install(state));
    for (title, check) in dependencies::CHECKS {
        steps::heading(title);
        total += Tally::of(title, &check(state));
    }
    total
}

fn page(state: &Path) -> Tally {
    let mut total = Tally::of("UI packages", &ui::install(state));
    if total.failed > 0 {
        return total; // each next step would only fail the same way
    }
    // Each keeps one core busy.
    let checks =
        [("UI format", "format"), ("UI lint", "lint"), ("UI types", "check")].map(|(title, script)| {
            let mut command = ui::npm();
            command.args(["run", script]);
            (title, command)
        });
    for (title, result) in steps::together(checks) {
        total += Tally::of(title, &result);
    }
    total += page_tests(state);
    total += page_build(state);
    total
}

fn page_build(state: &Path) -> Tally {
    steps::heading("UI build");
    Tally::of("UI build", &ui::build(state))
}

fn page_tests(state: &Path) -> Tally {
    steps::heading("UI tests");
    let file = state.join("vitest.json");
    let unhandled = state.join("vitest-unhandled.json");
    for earlier in [&file, &unhandled] {
        let _ = fs::remove_file(earlier); // a report of an earlier run must not count
    }
    let mut command = ui::npm();
    command.args([
        "test",
        "--",
        "--reporter=default",
        "--reporter=./scripts/unhandled.mjs",
        "--reporter=json",
    ]);
    command.arg(format!("--outputFile={}", file.display())).env("LOOPDECK_UNHANDLED", &unhandled);
    match steps::status("UI tests", &mut command) {
        Ok(status) => {
            let mut total = Tally::from_vitest(&read_json(&file));
            total += Tally::from_unhandled(&read_json(&unhandled));
            total.with_status("UI tests", status.success())
        }
        Err(error) => Tally::of("UI tests", &Err(error)),
    }
}

fn read_json(file: &Path) -> Value {
    fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// The tests of Rust; with those of the window in the same build, when they are wanted too.
fn rust(target: &Path, windows: bool) -> Tally {
    if let Err(error) = nats::install(&target.join("xtask")) {
        return Tally::of("nats-server", &Err(error));
    }
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]).env("RUST_TEST_THREADS", test_threads());
    let prepared = if windows { prepare_window(target) } else { Ok(()) };
    if let Err(error) = prepared {
        let mut total = Tally::of("Window tests", &Err(error));
        total += cargo_test("Rust tests", &mut command);
        return total;
    }
    if windows {
        // Cargo builds the app for the tests of its own package.
        command.args(["--features", "loopdeck-tests/window"]).env("LOOPDECK_APP", app_program(target, false));
    }
    cargo_test(if windows { "Rust and window tests" } else { "Rust tests" }, &mut command)
}

/// Most tests wait for processes and servers: with one thread for each core, the cores are idle for most of the time.
fn test_threads() -> String {
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    (4 * cores).to_string()
}

fn window(target: &Path) -> Tally {
    if !HAS_WINDOW_TESTS {
        steps::heading("Window tests: only on Linux, where the web view can be driven");
        return Tally::default();
    }
    let prepared = nats::install(&target.join("xtask")).and_then(|_| prepare_window(target));
    let built = prepared.and_then(|()| {
        steps::heading("App for the window tests");
        steps::run("cargo build", &mut app::cargo_build())
    });
    if let Err(error) = built {
        return Tally::of("Window tests", &Err(error));
    }
    let mut command = cargo();
    command.args(["test", "--workspace", "--features", "loopdeck-tests/window", "--no-fail-fast"]);
    command.args(["--test", "window"]).env("RUST_TEST_THREADS", test_threads());
    cargo_test("Window tests", command.env("LOOPDECK_APP", app_program(target, false)))
}

/// A page and a driver.
fn prepare_window(target: &Path) -> Result<(), Failure> {
    let state = target.join("xtask");
    ui::install(&state)?;
    ui::build(&state)?;
    system::ensure_window_driver()
}

/// The unit tests of all packages without a window.
fn units() -> Tally {
    let mut command = cargo();
    command.args(["test", "--lib", "--workspace", "--exclude", "loopdeck", "--no-fail-fast"]);
    cargo_test("Unit tests", &mut command)
}

fn cargo_test(title: &str, command: &mut Command) -> Tally {
    // A build machine has no person in its environment: a test that needs one fails here too.
    command.env_remove("USER").env_remove("USERNAME");
    steps::heading(title);
    match steps::status_and_output(title, command) {
        Ok((status, output)) => Tally::from_cargo(&output).with_status(title, status.success()),
        Err(error) => Tally::of(title, &Err(error)),
    }
}

/// A program that passes or fails as a whole.
fn check(title: &str, command: &mut Command) -> Tally {
    steps::heading(title);
    Tally::of(title, &steps::run(title, command))
}

/// rustup's minimal profile has no rustfmt and clippy. If this fails, the check itself says why.
fn add_component(subcommand: &str, component: &str) {
    let works = cargo().args([subcommand, "--version"]).output().is_ok_and(|output| output.status.success());
    if !works {
        let _ = steps::run("rustup", Command::new("rustup").args(["component", "add", component]));
    }
}
