//! What the readers of all formats say of files made after real ones, counted a second time.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)] // tests

mod beads;
mod bmad;
mod boulder;
mod changes;
mod common;
mod frankbria;
mod goals;
mod gsd;
mod gsd_debug;
mod gsd_order;
mod maestro;
mod open_spec;
mod orchestrator;
mod pi_ralph;
mod prd;
mod ralph_loop;
mod schedules;
mod spec_kit;
mod spec_kit_run;
mod task_master;
