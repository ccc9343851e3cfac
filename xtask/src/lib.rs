//! What a person or CI does with the repository, in plain Rust so that it needs nothing but Rust.
//!
//! The window tests share the library half with the commands: a virtual display, and children that never
//! outlive their owner.
#![allow(
    clippy::disallowed_methods,
    reason = "the ban protects the app's users; here starting programs is the job"
)]
#![allow(clippy::print_stdout, reason = "these are command line tools")]

pub mod child;
pub mod display;
pub mod fresh;
pub mod workspace;

/// What went wrong, as a sentence for the person at the terminal.
pub type Failure = Box<dyn std::error::Error>;
