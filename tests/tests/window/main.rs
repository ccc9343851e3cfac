//! The real window, driven as a person does, one module a subject. `cargo xtask test` runs them one after the other.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must stop loudly")]

mod about;
mod aot;
mod changes;
mod closing;
mod composition;
mod editor;
mod harness;
mod installed;
mod leading;
mod loops;
mod pages;
mod put_aside;
mod runs;
mod runs_asking;
mod runs_control;
mod runs_failing;
mod runs_form;
mod runs_many;
mod runs_survive;
mod smoke;
mod team;
mod team_runs;
mod updates;
mod views;
mod way_out;
