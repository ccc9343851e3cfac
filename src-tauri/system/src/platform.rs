//! What differs between operating systems. Nothing else in this package has a `cfg` for one.
//!
//! Only Linux is built and tested. The code for other Unix systems and Windows has never been compiled.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(unix))]
mod not_unix;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(target_os = "linux")]
#[path = "platform/linux_processes.rs"]
pub(crate) mod processes;
#[cfg(not(target_os = "linux"))]
#[path = "platform/other_processes.rs"]
pub(crate) mod processes;
#[cfg(unix)]
mod unix;

#[cfg(target_os = "linux")]
pub use linux::memory;
#[cfg(target_os = "linux")]
pub(crate) use linux::{exchange, reserve, since_boot, spread_folders};
#[cfg(not(unix))]
pub use not_unix::{SHELL, is_root, own_group, private_file, private_folder, shell_command, variables};
#[cfg(not(unix))]
pub use not_unix::{file_number, make_private, modified_ns};
#[cfg(not(unix))]
pub(crate) use not_unix::{keep_owner, share};
#[cfg(not(target_os = "linux"))]
pub use other::memory;
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{exchange, reserve, since_boot, spread_folders};
#[cfg(unix)]
pub use unix::{SHELL, is_root, own_group, private_file, private_folder, shell_command, variables};
#[cfg(unix)]
pub use unix::{file_number, make_private, modified_ns};
#[cfg(unix)]
pub(crate) use unix::{keep_owner, share};
