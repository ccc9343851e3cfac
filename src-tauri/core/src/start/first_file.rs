//! The files of a new loop.

use serde::Serialize;
use specta::Type;

/// A new loop's state file, and what is written next to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct FirstFile {
    /// Relative to the workspace, `/` between the parts.
    pub file: String,
    /// Its whole text.
    pub text: String,
    /// Written before it, so that a loop is whole once it is seen.
    pub beside: Vec<FirstText>,
}

/// A file next to a new loop's state file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct FirstText {
    /// Relative to the workspace, `/` between the parts.
    pub file: String,
    /// Its whole text.
    pub text: String,
}

impl FirstFile {
    /// A state file with nothing next to it.
    pub(crate) fn alone(file: String, text: String) -> Self {
        Self { file, text, beside: Vec::new() }
    }
}
