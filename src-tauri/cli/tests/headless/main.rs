//! The commands from outside: the real program, without a display, on real and on hostile files.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

mod acting;
mod anywhere;
#[cfg(unix)]
mod beside;
mod changing;
#[cfg(target_os = "linux")]
mod clocks;
mod creating;
#[cfg(unix)]
mod damaged;
#[cfg(unix)]
mod finishing;
#[cfg(unix)]
mod hostile;
mod looking;
mod marking;
#[cfg(unix)]
mod noding;
mod place;
#[cfg(unix)]
mod plans;
mod recovering;
mod reporting;
mod run_losing;
mod running;
#[cfg(unix)]
mod starting;
#[cfg(unix)]
mod teaming;
mod verifying;

/// The Loop v2 loop in most tests.
const ID: &str = "loop-v2-20261120T042421-d8ff7e62";
const AOT: &str = ".claude/aot-loop-state.md";
