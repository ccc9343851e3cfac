//! An invisible display: Xvfb and its own session bus.

use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::child::{Owned, bound_command, named};
use crate::workspace::root;

/// A rectangle of a display, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    /// Distance from the left edge.
    pub x: i32,
    /// Distance from the upper edge.
    pub y: i32,
    /// Extent to the right.
    pub width: u32,
    /// Extent downwards.
    pub height: u32,
}

/// A running virtual display; dropping it ends its processes.
#[derive(Debug)]
pub struct VirtualDisplay {
    display: String,
    bus: String,
    // Drop order: the bus first, so that its services do not complain about a lost display.
    _bus_process: Owned,
    _xvfb: Owned,
}

impl VirtualDisplay {
    /// Starts a display of `width` × `height` pixels on a free number.
    pub fn start(width: u32, height: u32) -> io::Result<Self> {
        let (xvfb, number) = start_and_read_line(
            bound_command("Xvfb")
                .args(["-displayfd", "1", "-nolisten", "tcp", "-noreset", "-screen", "0"])
                .arg(format!("{width}x{height}x24")),
        )?;
        let (bus_process, bus) = start_and_read_line(
            bound_command("dbus-daemon")
                .args(["--nofork", "--nopidfile", "--print-address=1", "--config-file"])
                .arg(root().join("xtask/src/bus.conf")),
        )?;
        Ok(Self { display: format!(":{number}"), bus, _bus_process: bus_process, _xvfb: xvfb })
    }

    /// Its name, for the variable `DISPLAY`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.display
    }

    /// Address of its session bus.
    #[must_use]
    pub fn bus(&self) -> &str {
        &self.bus
    }

    /// Makes `command` appear on this display only.
    pub fn put<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .env("DISPLAY", &self.display)
            .env("DBUS_SESSION_BUS_ADDRESS", &self.bus)
            .env("GDK_BACKEND", "x11")
            .env("NO_AT_BRIDGE", "1") // no accessibility bus: it would outlive the display
            .env("LIBGL_ALWAYS_SOFTWARE", "1")
            .env_remove("WAYLAND_DISPLAY")
    }

    /// Writes a picture of `area` to `file` (PNG).
    pub fn screenshot(&self, area: Area, file: &Path) -> io::Result<()> {
        let Area { x, y, width, height } = area;
        let mut command = Command::new("import");
        command.args([
            "-silent",
            "-window",
            "root",
            "-crop",
            &format!("{width}x{height}{x:+}{y:+}"),
            "+repage",
        ]);
        command.arg(file);
        let status = self.put(&mut command).status().map_err(|error| named(&error, &command))?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("import: {status}"))) }
    }
}

/// Starts a server that reports on its first line of output that it is ready, and how to reach it.
fn start_and_read_line(command: &mut Command) -> io::Result<(Owned, String)> {
    let mut owned = Owned::spawn(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()))?;
    let mut line = String::new();
    if let Some(stdout) = owned.child().stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    if line.trim().is_empty() {
        let name = named(&io::Error::other("it ended without an answer"), command);
        return Err(name);
    }
    Ok((owned, line.trim().to_owned()))
}
