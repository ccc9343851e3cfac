//! What is wrong with a file, which actions are legal, and what the plugin reads differently.

pub(crate) mod counts;
pub(crate) mod lint;
pub(crate) mod lint_checks;
pub(crate) mod lint_lists;
pub(crate) mod rules;
pub(crate) mod steps;
pub(crate) mod undone;
pub(crate) mod validator;
pub(crate) mod warnings;
