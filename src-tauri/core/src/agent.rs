//! What agents are and say (agent command lines reference).

use serde::{Deserialize, Serialize};
use specta::Type;

/// What an agent may do, in three plain levels. Words: catalogue `level.<name>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Reads files; changes and runs nothing.
    LookOnly,
    /// Changes files; runs nothing where the agent can tell the two apart.
    EditFiles,
    /// Runs any command as the person.
    FullAccess,
}
