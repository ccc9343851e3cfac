//! Where loops live and who works on them: files, watcher, catalog, journal. Knows no window.
//!
//! - [`store`]: what is kept of loops and the one way to change them.
//! - [`observe`]: what is seen of them.
//! - [`coordinator`]: the threads that do it. Each workspace has an owner in a thread of its own; the coordinator only routes.
//!
//! [`Runtime`] is the door: it answers from the catalog, or asks the owner. Windows pull [`views`] and get a tick when there is something
//! newer.

mod atom_results;
pub mod coordinator;
pub mod cores;
pub mod data_dir;
pub mod drivers;
pub mod editor;
pub mod elsewhere;
mod facts_cache;
mod last_work;
pub mod log;
mod loop_reader;
pub mod observe;
mod overview;
pub mod path_lookup;
mod per_workspace;
mod platform;
pub mod remembered;
mod rules;
pub mod runtime;
pub mod sample;
mod search;
pub mod store;
mod tables;
pub mod terminal;
mod timeline;
mod trends;
pub mod views;

// What the shell needs of the packages below it, by one name.
pub use loopdeck_execution::{agents, brief, forge, git, package, runs};
pub use loopdeck_results::unread;
pub use loopdeck_system::{clock, dirs, fence, files, fingerprint, kept, logged, processes};
pub use runtime::{Options, Runtime, Traces, Verified, WorkedOn, trust_repository};
