//! What the whole-behaviour tests share.
#![allow(clippy::disallowed_methods, reason = "tests start programs; the ban protects the app's users")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on must stop loudly")]

pub mod faults;
pub mod hostile;
pub mod live;
pub mod random;
#[cfg(unix)]
pub mod recorder;
pub mod steps;
#[cfg(feature = "window")]
pub mod window;
