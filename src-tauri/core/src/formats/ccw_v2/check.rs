//! What is wrong with a Loop v2, and which verbs are legal.

pub mod controls;
pub(crate) mod disagree;
pub(crate) mod hints;
pub mod rules;
pub(crate) mod warnings;
