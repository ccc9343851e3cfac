//! Checks that every CCW format shares.

pub mod controls;
pub(crate) mod errors;
pub mod leftovers;
pub mod lost_update;
pub mod rules;
pub(crate) mod steps;
