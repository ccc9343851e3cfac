//! What the operating system provides, made safe to use: workspace files, processes by pid and start time,
//! the time. Also [`failure`], what a person is told when it refuses. Knows no running loops and no journal.

pub mod clock;
pub mod dirs;
pub mod failure;
pub mod fence;
pub mod files;
pub mod fingerprint;
pub mod hash;
pub mod kept;
pub mod logged;
pub mod marks;
pub mod platform;
pub mod processes;
pub mod words;
