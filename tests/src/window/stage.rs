//! The surroundings of one window test: its place, its display, its folders, its app.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use xtask::child::bound_command;
use xtask::display::VirtualDisplay;
use xtask::workspace::{app_program, root, target_dir};

use super::desk::{Desk, Has};
use super::driver::Driver;
#[cfg(target_os = "linux")]
use super::fresh_system::FreshSystem;
use super::page::Page;
use super::place::Place;

/// The surroundings of one test. The app's data survives closing it, so a test can open it again.
#[derive(Debug)]
pub struct Stage {
    name: String,
    pictures: PathBuf,
    program: PathBuf,
    display: VirtualDisplay,
    folder: TempDir,
    _place: Place, // last: the next test starts when everything above has ended
}

impl Stage {
    /// Waits until there is room for one more window, then prepares an empty stage.
    pub fn new(name: &str) -> Self {
        let target = target_dir().expect("a target folder");
        let pictures = target.join("window-tests");
        let place = Place::take(&pictures);
        Self {
            name: name.to_owned(),
            pictures,
            program: program(&target),
            display: VirtualDisplay::start(1920, 1200).expect("a virtual display"),
            folder: TempDir::with_prefix("loopdeck-").expect("a temporary folder"),
            _place: place,
        }
    }

    /// A folder that is removed after the test.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The app's data folder in this test.
    pub fn data_dir(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// Copies the folder `from` (relative to the repository) to the stage as a workspace called `name`.
    pub fn copy_workspace(&self, from: &Path, name: &str) -> PathBuf {
        let to = self.folder().join(name);
        copy_tree(&root().join(from), &to).unwrap_or_else(|error| panic!("{}: {error}", from.display()));
        to
    }

    /// The desktop around the window, which can close it and receives its notifications.
    pub fn desk(&self, has: Has) -> Desk {
        Desk::new(self.display.name(), self.display.bus(), has)
    }

    /// Processes of the app and of its runs: those with its data folder among their arguments.
    #[cfg(unix)]
    pub fn processes(&self) -> Vec<u32> {
        let data_dir = self.data_dir();
        crate::runs::with_argument(|argument| argument.starts_with(data_dir.as_os_str().as_encoded_bytes()))
    }

    /// Whether the app itself is open, with or without a window.
    #[cfg(unix)]
    pub fn is_open(&self) -> bool {
        let data_dir = self.data_dir();
        !crate::runs::with_argument(|argument| argument == data_dir.as_os_str().as_encoded_bytes()).is_empty()
    }

    /// Opens the app with `args` and takes control of its window.
    pub fn open(&self, args: &[&OsStr]) -> App<'_> {
        self.open_in(&self.data_dir(), args, &[])
    }

    /// The same with a separate data folder: an independent Loopdeck on the same display.
    pub fn open_next_to_it(&self, data_dir: &str, args: &[&OsStr]) -> App<'_> {
        self.open_in(&self.folder().join(data_dir), args, &[])
    }

    /// The same with more variables in its environment.
    pub fn open_with(&self, args: &[&OsStr], environment: &[(&str, OsString)]) -> App<'_> {
        self.open_in(&self.data_dir(), args, environment)
    }

    fn open_in(&self, data_dir: &Path, args: &[&OsStr], environment: &[(&str, OsString)]) -> App<'_> {
        let driver = Driver::start(|command| {
            let more = environment.iter().map(|(name, value)| (name, value));
            self.display.put(command).env("HOME", self.folder()).envs(more);
        });
        let args: Vec<String> =
            with_data_dir(data_dir, args).map(|arg| arg.to_string_lossy().into_owned()).collect();
        let session = driver.open(&self.program.to_string_lossy(), &args);
        App { page: Page::new(driver, session), stage: self }
    }

    /// Opens another program than the app, with these arguments and no others.
    pub fn open_program(&self, program: &Path, args: &[&OsStr]) -> App<'_> {
        let driver = Driver::start(|command| {
            self.display.put(command).env("HOME", self.folder());
        });
        let args: Vec<String> = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let session = driver.open(&program.to_string_lossy(), &args);
        App { page: Page::new(driver, session), stage: self }
    }

    /// The app's program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Opens a program that is installed in `system`, with the data folder of a person whose home is `home` there.
    #[cfg(target_os = "linux")]
    pub fn open_installed(&self, system: &FreshSystem, program: &str, home: &str) -> App<'_> {
        let native_driver = system.driver();
        let driver = Driver::start(|command| {
            self.display.put(command).env("HOME", home).arg("--native-driver").arg(native_driver);
        });
        let session = driver.open(program, &[]);
        App { page: Page::new(driver, session), stage: self }
    }

    /// Starts the app again while it is open and waits for the second one to exit, as a person may do by
    /// accident.
    pub fn start_again(&self, args: &[&OsStr]) -> Output {
        self.start(&self.program, args)
    }

    /// The same through the command line, which finds the app next to itself.
    pub fn start_by_command_line(&self, args: &[&OsStr]) -> Output {
        self.start(&self.program.with_file_name("loopdeck"), args)
    }

    /// Starts `program`, the app or the command line next to it, where it can open no window: `change` takes its display away.
    pub fn start_without_display(&self, program: &Path, change: impl FnOnce(&mut Command)) -> Output {
        let mut command = self.command(program, &[]);
        self.display.put(&mut command);
        change(&mut command);
        command.output().expect("the program starts")
    }

    fn start(&self, program: &Path, args: &[&OsStr]) -> Output {
        let mut command = self.command(program, args);
        self.display.put(&mut command).output().expect("the app starts")
    }

    fn command(&self, program: &Path, args: &[&OsStr]) -> Command {
        let mut command = bound_command(program);
        command
            .args(with_data_dir(&self.data_dir(), args))
            .current_dir(self.folder())
            .env("HOME", self.folder());
        command
    }
}

/// The open app; dropping it closes the window and ends the driver.
#[derive(Debug)]
pub struct App<'a> {
    /// The page in its window.
    pub page: Page,
    stage: &'a Stage,
}

impl App<'_> {
    /// Saves a picture as `target/window-tests/<test>-<step>.png`.
    ///
    /// Taken from the display, not through WebDriver: with the DMABUF renderer off, as the app runs,
    /// WebKitWebDriver never answers. It is also what a person would see.
    pub fn screenshot(&self, step: &str) -> PathBuf {
        let file = self.stage.pictures.join(format!("{}-{step}.png", self.stage.name));
        let area = self.page.painted_area();
        self.stage
            .display
            .screenshot(area, &file)
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        file
    }
}

impl Drop for App<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // What the person would have seen. The window may be gone; then there is nothing to see.
            let look = std::panic::AssertUnwindSafe(|| self.screenshot("failed"));
            let _ = std::panic::catch_unwind(look);
        }
        self.page.close();
    }
}

fn with_data_dir<'a>(data_dir: &Path, args: &'a [&OsStr]) -> impl Iterator<Item = OsString> + use<'a> {
    let data_dir = ["--data-dir".into(), data_dir.as_os_str().to_owned()];
    data_dir.into_iter().chain(args.iter().map(|arg| (*arg).to_owned()))
}

fn program(target: &Path) -> PathBuf {
    let named = std::env::var_os("LOOPDECK_APP").map(PathBuf::from);
    let program = named.unwrap_or_else(|| app_program(target, false));
    assert!(program.is_file(), "{} is not built; run: cargo xtask test --only window", program.display());
    program
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
