//! CCW Loop v2, Claude and Codex flavours (the CCW contract §2 to §7).
//!
//! [`edit`] also serves Loop-B, which has the same verbs; `view` also serves legacy sessions, which have the
//! same sections.

pub mod check;
pub mod create;
pub mod drive;
pub mod edit;
pub(crate) mod format;
pub mod forms;
pub mod operate;
pub mod operation;
pub(crate) mod read;
pub mod recover;
pub mod view;

pub use crate::formats::ccw::check::controls::controls;
pub use crate::formats::ccw::check::rules::{refuse, request_standing};
pub use edit::edit;
pub use view::{detail, test_runs};
