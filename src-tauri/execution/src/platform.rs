//! What running programs needs from the operating system. Apart from [`crate::runs`], whose guardian exists on Unix only, nothing else in
//! this package has a `cfg` for one. Linux is what is tested.

#[cfg(not(unix))]
mod not_unix;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use not_unix::{begin, end_group, is_ours, link, outputs};
#[cfg(unix)]
pub(crate) use unix::{become_reaper, begin, end_group, is_ours, link, outputs};
