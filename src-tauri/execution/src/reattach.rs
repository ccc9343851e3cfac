//! Runs that an earlier Loopdeck started, and their results.

pub(crate) mod again;
pub(crate) mod found;
