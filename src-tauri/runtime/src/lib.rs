//! Where loops live and who works on them: files, watcher, catalog, journal. Knows no window.
//!
//! One task owns every loop ([`owner`]): only it changes the catalog, only [`files`] touches state files. Windows pull
//! [`rows`] from the catalog and are told when there is something newer.

mod act;
pub mod agents;
mod beside;
pub mod brief;
pub mod catalog;
pub mod clock;
mod companions;
pub mod data_dir;
pub mod delete;
pub mod dirs;
pub mod drivers;
pub mod editor;
pub mod files;
pub mod git;
pub mod guard;
mod guarding;
pub mod journal;
mod judging;
pub mod last_good;
mod last_work;
mod looking;
pub mod orphans;
mod overtaken;
pub mod owner;
pub mod package;
mod page;
mod past;
mod recovery;
mod redirects;
mod replace;
pub mod roots;
pub mod rows;
pub mod runs;
pub mod runtime;
pub mod sample;
pub mod scan;
pub mod sight;
pub mod stamp;
mod steps;
pub mod store;
pub mod sweep;
mod tables;
mod tasks;
mod timeline;
mod undo;
pub mod watch;
mod write;

pub use runtime::{Options, Runtime, Traces};
