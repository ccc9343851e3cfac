//! Checks that every CCW format shares.

pub(crate) mod errors;
pub mod leftovers;
pub mod lost_update;
pub(crate) mod steps;
