//! What this package needs of the operating system. Linux is what is tested.

#[cfg(not(target_os = "macos"))]
mod listed_trash;
#[cfg(target_os = "macos")]
mod macos;

#[cfg(not(target_os = "macos"))]
pub(crate) use listed_trash::{CAN_RESTORE, restore};
#[cfg(target_os = "macos")]
pub(crate) use macos::{CAN_RESTORE, restore};
