//! Views of the list that a person saved.

use serde::{Deserialize, Serialize};
use specta::Type;

/// What the list shows, by a name that the person gave it. No two have the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct SavedView {
    /// Its name.
    pub name: String,
    /// The filter, as it is typed.
    pub filter: String,
    /// How it is arranged: `status` in groups; across them `changed`, `title`, `iteration`.
    pub sort: String,
}
