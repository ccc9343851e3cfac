//! Runs: an agent or a test command at work. The only module that starts processes.
//!
//! Each run has a *guardian*: this program once more, in its own session (on Windows: in a job), which owns the run's process tree, writes what
//! it says to disk, ends it for certain and writes down how it ended. The app may die meanwhile; it finds the guardian
//! again through the run's folder, which is all there is to know:
//!
//! | file | what |
//! |---|---|
//! | `run.json` | the [`RunRecord`]; written before the start, afterwards by the guardian only |
//! | `stdin.txt` | what the agent is told on stdin |
//! | `log/` | what it says, as framed bytes ([`log`]) |
//! | `tree.json` | its processes as last seen, for the case that the guardian is killed |
//! | `lock` | held by the guardian as long as it lives |
//! | `socket` | where apps talk to the guardian; on Windows that is a named pipe with the id of the run |
//! | `guardian.log` | what the guardian itself had to say, usually nothing |
//!
//! Values of environment variables are in none of them: they go to the guardian through a pipe.
//!
//! What is absent: no process is signalled by its pid alone (a pid is used again, a pid with its start time is not); no
//! end of a run is concluded from an end of its output; no report says that all processes are gone unless that was seen.

pub mod attach;
mod folder;
pub mod guardian;
mod launch;
pub mod leftovers;
pub mod log;
pub mod record;
pub mod report;
pub mod spec;
mod wire;

pub use attach::{Attached, FoundRun, GuardianProgram, RunNotice, attach, spawn};
pub use folder::folder_of;
pub use guardian::guardian_main;
pub use leftovers::{end_leftovers, leftovers};
pub use loopdeck_system::processes::RUN_ID_VARIABLE;
pub use record::RunRecord;
pub use report::Leftovers;
pub use report::{Exit, LeftProcess, StepName, StepTaken, StopReason, StopReport};
pub use spec::{IfAppEnds, KeptSpec, Limits, LoopKey, Pace, RunSpec, StdinKind, StopHow};
