//! What differs between operating systems. Nothing else in this package has a `cfg` for one.
//!
//! Linux is what is tested. The others are compiled (`cargo xtask cross check`), and Windows' files are tested under Wine.

use std::io;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(unix))]
mod not_unix;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(target_os = "linux")]
#[path = "platform/linux_processes.rs"]
pub(crate) mod processes;
#[cfg(windows)]
#[path = "platform/windows_processes.rs"]
pub(crate) mod processes;
#[cfg(not(any(target_os = "linux", windows)))]
#[path = "platform/other_processes.rs"]
pub(crate) mod processes;
#[cfg(unix)]
mod unix;

#[cfg(target_os = "linux")]
pub use linux::memory;
#[cfg(target_os = "linux")]
pub(crate) use linux::{exchange, reserve, since_boot, spread_folders};
#[cfg(not(unix))]
pub(crate) use not_unix::exchange;
#[cfg(not(unix))]
pub use not_unix::{SHELL, is_root, own_group, private_file, private_folder, shell_command, variables};
#[cfg(not(unix))]
pub(crate) use not_unix::{
    canonical, hold, is_held, keep_owner, open_no_follow, open_to_append, put_over, read_whole,
    seen_in_folder, seen_open, set_executable, share, sync_folder,
};
#[cfg(not(unix))]
pub use not_unix::{is_executable, make_private, modified_ns, rename_over, seen_at, variable_name};
#[cfg(all(unix, not(target_os = "linux")))]
pub(crate) use other::exchange;
#[cfg(not(target_os = "linux"))]
pub use other::memory;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{reserve, since_boot, spread_folders};
#[cfg(unix)]
pub use unix::{SHELL, is_root, own_group, private_file, private_folder, shell_command, variables};
#[cfg(unix)]
pub(crate) use unix::{
    canonical, hold, is_held, keep_owner, open_no_follow, open_to_append, put_over, read_whole,
    seen_in_folder, seen_open, set_executable, share, sync_folder,
};
#[cfg(unix)]
pub use unix::{is_executable, make_private, modified_ns, rename_over, seen_at, variable_name};

/// In the name of a temporary file, before the name that its file had until a moment ago. Files are exchanged in two steps where the system
/// has no single one.
pub(crate) const IN_PLACE_OF: &str = "=";

/// Why a file was not opened, with what the system says.
#[derive(Debug)]
pub(crate) enum OpenFault {
    /// It is a link.
    Link(io::Error),
    /// There is none.
    Gone(io::Error),
    /// It is a socket.
    #[cfg_attr(not(unix), expect(dead_code, reason = "a file on Unix only"))]
    Socket(io::Error),
    /// Anything else.
    Other(io::Error),
}

impl From<OpenFault> for io::Error {
    fn from(fault: OpenFault) -> Self {
        match fault {
            OpenFault::Link(error)
            | OpenFault::Gone(error)
            | OpenFault::Socket(error)
            | OpenFault::Other(error) => error,
        }
    }
}
