//! Reading a Loop-B: the master and its workers' reports.

pub(crate) mod output;
pub mod report;
pub(crate) mod reported;
pub(crate) mod state;
