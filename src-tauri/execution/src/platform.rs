//! What running programs needs from the operating system. Nothing else in this package has a `cfg` for one.
//!
//! On Unix, a run is a session below a guardian that inherits all orphans, and apps talk to it through a socket. On Windows, a run is a job with
//! the guardian in it, which ends with the guardian and lists its processes, and apps talk to it through a named pipe. Linux is what
//! is tested; Windows is tested under Wine.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod windows;

#[cfg(unix)]
pub(crate) use unix::{
    Channel, Family, Leader, Listener, Proof, begin, block_of, command, end_group, is_ours, last_resort,
    link, on_termination, outputs, tell_exit, variables_in,
};
#[cfg(not(unix))]
pub(crate) use windows::{
    Channel, Family, Leader, Listener, Proof, begin, block_of, command, end_group, is_ours, last_resort,
    link, on_termination, outputs, tell_exit, variables_in,
};
