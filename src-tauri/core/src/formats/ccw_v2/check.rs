//! What is wrong with a Loop v2, and which verbs are legal.

pub(crate) mod disagree;
pub(crate) mod hints;
pub(crate) mod warnings;
