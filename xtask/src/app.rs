//! `cargo xtask run`: from a fresh clone to the window.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use xtask::Failure;
use xtask::child::{Owned, TICK, bound_command};
use xtask::display::{Area, VirtualDisplay};
use xtask::workspace::{app_program, cargo, cli_program, target_dir};

use crate::packages::Purpose;
use crate::{steps, system, ui};

/// How long the first paint may take on a slow machine before we give up on a screenshot.
const PAINT_PATIENCE: Duration = Duration::from_secs(60);

/// The window as it first opens: without a window manager it sits in the corner.
const WINDOW: Area = Area { x: 0, y: 0, width: 1280, height: 800 };

/// How to run the app.
#[derive(Debug, Default)]
pub(crate) struct Options {
    /// Optimised build.
    pub(crate) release: bool,
    /// Without a display: keep running after the screenshot.
    pub(crate) stay: bool,
    /// Arguments for the app.
    pub(crate) args: Vec<OsString>,
}

/// Installs what is missing, builds, and opens the window.
pub(crate) fn run(options: &Options) -> Result<ExitCode, Failure> {
    ui::check_node()?; // before minutes of installing
    let has_display = has_display();
    let purposes: &[Purpose] =
        if has_display { &[Purpose::Build] } else { &[Purpose::Build, Purpose::Headless] };
    system::ensure(purposes)?;
    let program = build(options.release)?.desktop;
    if has_display { in_window(&program, options) } else { in_memory(&program, options) }
}

/// The two programs, built: [`build`].
pub(crate) struct Programs {
    /// Opens the window.
    pub(crate) desktop: PathBuf,
    /// Runs commands.
    pub(crate) cli: PathBuf,
}

/// Builds UI, desktop and command line.
pub(crate) fn build(release: bool) -> Result<Programs, Failure> {
    let target = target_dir()?;
    let state = target.join("xtask");
    ui::install(&state)?;
    steps::heading("UI");
    ui::build(&state)?;
    steps::heading("App");
    let mut command = cargo_build();
    if release {
        command.arg("--release");
    }
    steps::run("cargo build", &mut command)?;
    Ok(Programs { desktop: app_program(&target, release), cli: cli_program(&target, release) })
}

/// `cargo build` of both programs.
pub(crate) fn cargo_build() -> Command {
    let mut command = cargo();
    // Building the whole workspace fixes the features of shared crates, so the tests reuse this build.
    command.args(["build", "--workspace", "--bin", "loopdeck-desktop", "--bin", "loopdeck"]);
    command
}

fn has_display() -> bool {
    let is_set = |variable: &str| env::var_os(variable).is_some_and(|value| !value.is_empty());
    !cfg!(target_os = "linux") || is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")
}

fn in_window(program: &Path, options: &Options) -> Result<ExitCode, Failure> {
    steps::heading("Loopdeck");
    let mut app = Owned::spawn(Command::new(program).args(&options.args))?;
    Ok(exit_code(app.child().wait()?))
}

fn in_memory(program: &Path, options: &Options) -> Result<ExitCode, Failure> {
    steps::heading("Loopdeck under a virtual display");
    println!(
        "This machine has no display (DISPLAY and WAYLAND_DISPLAY are not set): the window opens in memory."
    );
    let folder = target_dir()?.join("xtask");
    fs::create_dir_all(&folder)?;
    let marker = folder.join(format!("painted-{}", std::process::id()));
    let display = VirtualDisplay::start(WINDOW.width, WINDOW.height)?;
    let mut command = bound_command(program);
    let command = display.put(command.args(&options.args)).env("LOOPDECK_PAINTED_FILE", &marker);
    let mut app = Owned::spawn(command)?;
    let painted = wait_for_paint(&mut app, &marker)?;
    let _ = fs::remove_file(&marker); // may not exist
    if let Paint::Ended(status) = painted {
        println!("The app ended before it painted anything ({status})."); // with `--help` or a wrong argument
        return Ok(exit_code(status));
    }
    let screenshot = folder.join("screenshot.png");
    display.screenshot(WINDOW, &screenshot)?;
    println!("Screenshot: {}", screenshot.display());
    if let Paint::Late = painted {
        return Err(format!("no first paint within {} s", PAINT_PATIENCE.as_secs()).into());
    }
    if options.stay { Ok(exit_code(app.child().wait()?)) } else { Ok(ExitCode::SUCCESS) }
}

/// The result of waiting for the first paint.
enum Paint {
    Done,
    Late,
    Ended(ExitStatus),
}

fn wait_for_paint(app: &mut Owned, marker: &Path) -> io::Result<Paint> {
    let deadline = Instant::now() + PAINT_PATIENCE;
    while !marker.exists() {
        if let Some(status) = app.child().try_wait()? {
            return Ok(Paint::Ended(status));
        }
        if Instant::now() > deadline {
            return Ok(Paint::Late);
        }
        thread::sleep(TICK);
    }
    Ok(Paint::Done)
}

fn exit_code(status: ExitStatus) -> ExitCode {
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
