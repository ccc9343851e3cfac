//! Ralph loop: the same prompt again and again in a new conversation, until every box of a list is ticked (the Ralph contract).
//!
//! The smallest format that Loopdeck runs, and the example of what a new one needs.

pub(crate) mod create;
pub(crate) mod format;
pub mod forms;
mod outline;
mod read;
mod write;

/// Where each loop has a folder of its own.
pub const ROOT: &str = ".ralph";
/// The state file, in the loop's folder.
pub const LIST: &str = "TODO.md";
/// The file next to it that each agent is given.
pub const PROMPT_FILE: &str = "PROMPT.md";

/// The state file of the loop with this name, below the workspace.
#[must_use]
pub fn list_file(name: &str) -> String {
    format!("{ROOT}/{name}/{LIST}")
}

/// The prompt of the loop with this name, below the workspace.
#[must_use]
pub fn prompt_file(name: &str) -> String {
    format!("{ROOT}/{name}/{PROMPT_FILE}")
}

#[cfg(test)]
mod tests;
