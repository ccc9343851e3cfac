//! CCW Loop-B: a coordinator with workers (the CCW contract §8).
//!
//! Its verbs and errors are those of Loop v2; its own are the phases, the worker outputs and the parallel merge.

mod conflicts;
pub mod create;
pub mod drive;
mod drive_end;
mod drive_matter;
mod drive_next;
mod drive_output;
pub mod edit;
pub mod forms;
pub mod merge;
pub mod operate;
mod operate_files;
mod output;
pub mod recover;
mod recover_tasks;
pub mod report;
pub(crate) mod state;
pub mod view;
mod way;

pub use crate::formats::ccw_v2::controls::controls;
pub use crate::formats::ccw_v2::rules::{refuse, standing};
pub use edit::edit;
pub use view::{detail, test_rows};
