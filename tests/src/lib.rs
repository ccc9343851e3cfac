//! What the whole-behaviour tests share.
#![allow(clippy::disallowed_methods, reason = "tests start programs; the ban protects the app's users")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on must stop loudly")]

pub mod alone;
pub mod atoms;
#[cfg(unix)]
pub mod bounded;
pub mod driving;
pub mod examples;
pub mod faults;
pub mod hostile;
pub mod live;
pub mod model_server;
#[cfg(target_os = "linux")]
pub mod mount;
pub mod ports;
#[cfg(unix)]
pub mod programs;
pub mod proxy;
pub mod random;
pub mod raw_member;
#[cfg(target_os = "linux")]
pub mod real_agents;
#[cfg(unix)]
pub mod recorder;
pub mod repository;
#[cfg(unix)]
pub mod runs;
pub mod scripted;
pub mod steps;
pub mod team;
pub mod tiny_project;
pub mod waiting;
#[cfg(feature = "window")]
pub mod window;
