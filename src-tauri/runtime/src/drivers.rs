//! Running loops: what a person chose for it, what goes on in it, and what it needs of them.
//!
//! The pure drivers (core) say what is next; [`go`] carries it out as part of the owner, [`running`] starts processes,
//! [`listen`] reads what they say in a thread each, [`ended`] says what follows, [`needs`] asks the person. Nothing here knows a rule of a format.

mod again;
mod apart;
mod control;
mod door;
mod ended;
pub mod event;
mod form;
mod found;
mod go;
mod goes_on;
mod keeping;
pub mod limits;
mod listen;
mod mask;
mod needs;
mod of_format;
mod output;
mod path_checks;
mod person;
mod plugin;
pub mod records;
mod retention;
mod round;
mod run_event;
mod running;
mod said;
pub mod scheduler;
mod shown;
mod starting;
pub mod store;
mod test_run;
mod tools;
mod tries;
pub mod turn;
mod verdicts;
mod verify;
pub(crate) mod work;
mod workshop;
mod worktrees;

pub use loopdeck_execution::preferences::{choices, custom, plan};
pub use loopdeck_execution::rows;
pub use shown::WorkFacts;
pub(crate) use tries::Tries;
pub use workshop::NeedsWatcher;
pub(crate) use workshop::{Outputs, Workshop};
