//! What is seen of loops: which folders are watched, what is read in them, and the rows that are made of it.
//!
//! [`watch`] says that paths may have changed, [`reconcile`] finds what it missed, [`scan`] reads many files, `ingest` takes one
//! in, and [`catalog`] keeps the rows with rising revisions.

pub mod catalog;
pub(crate) mod companions;
pub(crate) mod glimpses;
pub(crate) mod holders;
pub mod orphans;
pub(crate) mod readers;
pub mod reconcile;
pub mod roots;
pub mod scan;
pub mod watch;
