//! Runs on other machines: asked for, taken by a node, reported, brought back.
//!
//! ```text
//! asking ── job ──▶ queue ──▶ taking ──▶ carrying: lease, worktree, loop, checkpoints
//!    ◀── result as a branch ── report ◀────────┘
//! ```
//!
//! The queue hands a job out at least once; the lease decides who has it. A fence on the machine that has it closes before the
//! lease ends, so that two machines never work on one loop.

pub(crate) mod asked;
pub(crate) mod asking;
mod carrying;
pub(crate) mod job;
mod lease;
pub(crate) mod lent;
pub(crate) mod node;
pub(crate) mod offer;
mod offering;
mod parcel;
pub(crate) mod places;
pub(crate) mod report;
mod reporting;
pub(crate) mod rules;
mod slots;
pub(crate) mod sweeping;
pub(crate) mod taking;
