//! Reading CCW files: the quick read for lists, and the common part of every full read.

pub(crate) mod clock;
pub mod debug_log;
pub(crate) mod docs;
pub(crate) mod events;
pub(crate) mod facts;
pub(crate) mod lineage;
pub(crate) mod master;
pub(crate) mod related;
pub(crate) mod runs;
pub(crate) mod shares;
pub(crate) mod skill;
pub(crate) mod state;
pub(crate) mod values;
pub(crate) mod words;
