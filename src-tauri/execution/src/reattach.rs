//! Runs that an earlier Loopdeck started, and what they came to.

pub(crate) mod again;
pub(crate) mod found;
