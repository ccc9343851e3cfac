//! What Loopdeck asks of Windows and no safe crate gives. The only package with unsafe code: each block makes one call and says why it
//! is sound. Empty on other systems.
#![cfg(windows)]

mod call;
pub mod console;
pub mod files;
pub mod job;
pub mod machine;
pub mod pipe;
pub mod processes;
mod user;
