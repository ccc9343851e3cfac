//! CCW Loop-B: a coordinator with workers (the CCW contract §8).
//!
//! It shares its verbs and errors with Loop v2; the phases, the worker outputs and the parallel merge are its
//! own.

pub mod create;
pub mod drive;
pub mod edit;
pub(crate) mod format;
pub mod forms;
pub mod operate;
pub mod operation;
pub mod read;
pub mod recover;
pub mod view;

pub use crate::formats::ccw::check::controls::controls;
pub use crate::formats::ccw::check::rules::{refuse, request_standing};
pub use edit::edit;
pub use view::{detail, test_rows};
