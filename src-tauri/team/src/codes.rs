//! Codes of kinds and refusals, as messages and catalogues have them.

use serde::Serialize;

/// The code of a kind; empty for what is more than a word.
pub(crate) fn code_of(kind: &impl Serialize) -> String {
    serde_json::to_value(kind).ok().and_then(|code| code.as_str().map(str::to_owned)).unwrap_or_default()
}
