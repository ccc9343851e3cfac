//! CCW Loop v2, Claude and Codex flavours (the CCW contract §2 to §7).
//!
//! [`rules`] and [`edit`] also serve Loop-B, whose verbs are the same; `state` and `view` also serve legacy sessions,
//! whose sections are.

pub(crate) mod companions;
pub mod controls;
pub mod create;
pub(crate) mod debug_view;
pub(crate) mod disagree;
pub mod drive;
mod drive_end;
pub(crate) mod drive_matter;
pub mod edit;
pub mod forms;
pub(crate) mod hints;
pub(crate) mod initial;
pub mod listed;
pub mod operate;
mod operate_errors;
mod operate_files;
pub mod recover;
mod recover_hypotheses;
mod recover_runs;
mod recover_sections;
mod recover_summary;
mod recover_tasks;
pub mod repair;
pub mod rules;
pub(crate) mod state;
mod summary_doc;
pub mod task_edit;
pub(crate) mod task_list;
pub mod task_recover;
pub(crate) mod validation_view;
pub mod view;
pub(crate) mod warnings;

pub use controls::controls;
pub use edit::edit;
pub use rules::{refuse, standing};
pub use view::{detail, test_runs};
