//! Reading a state file, and how the plugin reads the same bytes.

pub(crate) mod ambiguous;
pub(crate) mod comments;
pub(crate) mod extra;
pub(crate) mod front_matter;
pub(crate) mod hook;
pub(crate) mod lineage;
pub(crate) mod lines;
pub(crate) mod links;
pub(crate) mod shell_value;
pub(crate) mod state;
