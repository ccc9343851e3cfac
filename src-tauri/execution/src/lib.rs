//! Running loops: what a person chose for one, what is happening in it, and what it needs from them.
//!
//! The pure drivers (core) say what is next. The [`scheduler`] carries it out in turns ([`driver_context`]): the [`launcher`] starts
//! agents and tests, each under a guardian ([`runs`]); the [`run_monitor`] listens to each in a thread of its own;
//! [`completion`] says what follows from its end, [`reattach`] from what an earlier Loopdeck left; [`needs`] asks the person.
//! Loops are read, changed and shown through the one port to their [`store`]. Nothing here knows a rule of a format, the
//! journal's database or the catalog.

pub mod agents;
mod apart;
pub mod brief;
pub mod changes;
pub mod completion;
pub mod driver_context;
pub mod event;
pub mod evidence;
pub mod forge;
pub mod git;
pub mod launcher;
pub mod limits;
pub mod mask;
mod messages;
pub mod needs;
pub mod needs_board;
pub mod output;
mod own_tool;
pub mod package;
mod path_checks;
pub mod person;
mod platform;
pub mod plugin;
pub mod preferences;
pub mod reattach;
pub mod records;
mod retention;
pub mod rows;
pub mod run;
pub mod run_event;
pub mod run_monitor;
pub mod runs;
pub mod scheduler;
pub mod shown;
pub mod store;
mod tasks;
mod tools;
pub mod tries;
mod verify;
pub mod weakened;
pub mod work;
pub mod worktrees;
