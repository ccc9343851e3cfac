//! What is kept of loops, and the one way to change them: requests, guarded writes, the journal, undo and history.
//!
//! A request is recorded and written ([`requests`]), guarded until the loop answers ([`guard`], `guarding`, `judging`), and can be
//! undone. Every write goes through `commit`, which records both versions in the [`journal`] before a file is touched.

pub(crate) mod asking;
pub(crate) mod commit;
pub(crate) mod companion_writes;
pub mod delete;
pub(crate) mod draft;
mod ended;
pub(crate) mod execution_port;
pub(crate) mod finishing;
pub(crate) mod follow_ups;
pub mod guard;
pub(crate) mod guarding;
pub(crate) mod handing;
pub(crate) mod history;
pub(crate) mod ingest;
pub mod journal;
pub(crate) mod judging;
mod keeping;
pub mod last_good;
pub(crate) mod list_marks;
pub(crate) mod notes;
mod own_writes;
pub(crate) mod pull_requests;
pub(crate) mod recovery;
mod redirect_guards;
pub(crate) mod redirects;
pub(crate) mod replaced_versions;
pub(crate) mod replacement;
pub(crate) mod requests;
pub(crate) mod restoring;
pub(crate) mod runner;
pub(crate) mod runners;
mod second_looks;
pub(crate) mod steps;
pub(crate) mod tasks;
pub(crate) mod together;
pub(crate) mod undo;
pub(crate) mod verified;
pub mod workspace_store;
