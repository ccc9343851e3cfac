//! What the operating system gives, made safe to use: files of workspaces, processes by pid and start time, the time.
//! And [`failure`], what a person is told when it refuses. Knows no loop that runs and no journal.

pub mod clock;
pub mod dirs;
pub mod failure;
pub mod files;
pub mod hash;
pub mod logged;
pub mod platform;
pub mod processes;
pub mod stamp;
pub mod words;
