//! Plans, task lists and loops that other tools keep in a repository, read into one model.
//!
//! A format is a file in [`formats`] that implements [`PlanFormat`]: where its files are, what they say, and which words an item of
//! work may get. Everything else is made from the [`Plan`], once, by whoever shows, searches, compares or runs it.
//!
//! The files belong to other programs. Nothing here writes one: a change is bytes to replace
//! ([`PlanFormat::mark`], [`PlanFormat::request`]). No path in a
//! file is followed; files next to it have the names that the format asks for. Pure: bytes and times in, a plan out.

mod boxes;
mod changes;
mod contract;
mod fields;
mod finding;
mod format;
pub mod formats;
mod front_matter;
mod json;
mod known;
mod moment;
mod order;
mod plan;
mod records;
mod yaml_parts;

pub use changes::{ItemChange, edits, is_meant, lines_of};
pub use contract::{ContractFault, contract_faults};
pub use finding::{Finding, FindingCode};
pub use format::{Beside, Change, Found, Layout, PlanFormat, ReadError, Request, Source, Wanted};
pub use formats::PlanKind;
pub use known::{Advice, KNOWN, KnownTool, Sign, known_tools};
pub use order::{ready, waits_in_circle};
pub use plan::{Event, Fact, FactValue, Hypothesis, Item, ItemState, Mark, Plan, PlanStatus, Verdict};
