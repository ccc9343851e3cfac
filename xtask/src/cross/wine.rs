//! Wine, and a Windows that begins anew for each run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use xtask::Failure;
use xtask::child::{Owned, bound_command, end_tree};

use super::tools::{Tools, debian, link, script};
use crate::steps;

const PACKAGES: &[&str] = &[
    "wine64",
    "libwine",
    "libz-mingw-w64",
    // What it doesn't start without.
    "libcapi20-3",
    "libexif12",
    "libgphoto2-6",
    "libgphoto2-port12",
    "libpcap0.8",
    "libusb-1.0-0",
    "ocl-icd-libopencl1",
];

/// A Windows. Its programs end with it: its server is ours.
pub(super) struct Wine {
    /// Runs a program of Windows.
    pub(super) program: PathBuf,
    prefix: PathBuf,
    _server: Owned,
}

impl Wine {
    /// Lays out what is missing and starts.
    pub(super) fn start(tools: &Tools) -> Result<Self, Failure> {
        let state = &tools.state;
        let folder = debian(state, "wine", PACKAGES)?;
        let server = folder.join("usr/lib/wine/wineserver64");
        // A script with paths of an installed Wine.
        link(&server, &folder.join("usr/lib/wine/wineserver"))?;
        let program = state.join("bin/wine64");
        script(&program, include_str!("wine64.sh"))?;
        let prefix = state.join("prefix");
        end_programs_in(&prefix); // of a run that was interrupted
        if prefix.exists() {
            fs::remove_dir_all(&prefix)?;
        }
        let system = prefix.join("drive_c/windows/system32");
        fs::create_dir_all(&system)?;
        // Without it, the libraries of the desktop are not loaded.
        fs::copy(folder.join("usr/x86_64-w64-mingw32/lib/zlib1.dll"), system.join("zlib1.dll"))?;
        let source = state.join("bcryptprimitives.c");
        fs::write(&source, include_str!("bcryptprimitives.c"))?;
        let mut compile = Command::new(state.join("bin/x86_64-w64-mingw32-gcc"));
        compile.args(["-shared", "-s", "-o"]).arg(system.join("bcryptprimitives.dll")).arg(source);
        steps::run("bcryptprimitives.dll", compile.arg("-ladvapi32"))?;
        let mut serve = bound_command(server);
        serve.args(["--foreground", "--persistent"]).env("WINEPREFIX", &prefix).stdin(Stdio::null());
        let wine = Self { program, prefix, _server: Owned::spawn_group(&mut serve)? };
        steps::run("wineboot", Command::new(&wine.program).args(["wineboot", "--init"]))?;
        Ok(wine)
    }
}

impl Wine {
    /// What its programs call `C:`.
    pub(super) fn drive(&self) -> PathBuf {
        self.prefix.join("drive_c")
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        end_programs_in(&self.prefix);
    }
}

/// Ends the programs of a Windows. Its services lead sessions of their own, and not all of them end with its server.
fn end_programs_in(prefix: &Path) {
    let wanted = format!("WINEPREFIX={}", prefix.display());
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        let is_in_it = environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes());
        if let (true, Ok(pid)) = (is_in_it, entry.file_name().to_string_lossy().parse()) {
            end_tree(pid);
        }
    }
}
