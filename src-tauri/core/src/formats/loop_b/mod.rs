//! CCW Loop-B: a coordinator with workers (the CCW contract §8).
//!
//! Its verbs and errors are those of Loop v2; its own are the phases, the worker outputs and the parallel merge.

pub mod create;
pub mod drive;
pub mod edit;
pub mod forms;
pub mod operate;
pub mod operation;
pub mod read;
pub mod recover;
pub mod view;

pub use crate::formats::ccw::check::controls::controls;
pub use crate::formats::ccw::check::rules::{refuse, standing};
pub use edit::edit;
pub use view::{detail, test_rows};
