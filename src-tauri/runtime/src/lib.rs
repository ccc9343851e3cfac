//! Where loops live and who works on them: files, watcher, catalog, journal. Knows no window.
//!
//! One task owns every loop ([`owner`]): only it changes the catalog, only [`files`] touches state files. Windows pull
//! [`rows`] from the catalog and are told when there is something newer.

mod act;
mod beside;
pub mod catalog;
mod companions;
pub mod data_dir;
pub mod delete;
pub mod drivers;
mod driving;
pub mod editor;
mod follow_ups;
pub mod guard;
mod guarding;
pub mod journal;
mod judging;
pub mod last_good;
mod last_work;
pub mod log;
mod looking;
pub mod orphans;
mod overtaken;
pub mod owner;
mod page;
mod past;
mod recovery;
mod redirects;
mod replace;
pub mod roots;
pub mod rows;
pub mod runtime;
pub mod sample;
pub mod scan;
pub mod sight;
mod steps;
pub mod store;
pub mod sweep;
mod tables;
mod tasks;
mod timeline;
mod undo;
mod verified;
pub mod watch;
mod write;

// What the shell needs of the packages below it, by one name.
pub use loopdeck_execution::{agents, brief, git, package, runs};
pub use loopdeck_system::{clock, dirs, files, logged, processes, stamp};
pub use runtime::{Options, Runtime, Traces};
