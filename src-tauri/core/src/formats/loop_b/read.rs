//! Reading of a Loop-B: the master and what its workers report.

pub(crate) mod output;
pub mod report;
pub(crate) mod reported;
pub(crate) mod state;
