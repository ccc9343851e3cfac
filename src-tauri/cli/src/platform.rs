//! What differs between operating systems. Nothing else in this package has a `cfg` for one; Windows is only compiled.

#[cfg(not(unix))]
mod not_unix;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use not_unix::{become_program, on_interrupt};
#[cfg(unix)]
pub(crate) use unix::{become_program, on_interrupt};
