//! The identity of a loop: its workspace and its state file, as one name.
//!
//! Windows, links, scripts and the parts of the runtime name a loop by its [`LoopId`]. Text from outside is taken apart here and
//! looked up in the catalog; it never becomes a path. The journal outlives ids of workspaces and names a loop by the path of its
//! workspace instead.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Names a loop: `<workspace>:<state file>`. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LoopId(Arc<str>);

impl LoopId {
    /// The loop with this state file, a path below the workspace with `/`.
    #[must_use]
    pub fn new(workspace: &str, file: &str) -> Self {
        Self([workspace, ":", file].concat().into())
    }

    /// The same as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Id of the workspace that a loop's name begins with; empty when it has none.
#[must_use]
pub fn workspace_of(id: &str) -> &str {
    split(id).map_or("", |(workspace, _)| workspace)
}

/// State file that a loop's name ends with; all of it when it names no workspace.
#[must_use]
pub fn file_of(id: &str) -> &str {
    split(id).map_or(id, |(_, file)| file)
}

/// Workspace and state file that text names; nothing when it is not the name of a loop.
#[must_use]
pub fn split(id: &str) -> Option<(&str, &str)> {
    id.split_once(':')
}

impl From<&str> for LoopId {
    fn from(id: &str) -> Self {
        Self(id.into())
    }
}

impl Deref for LoopId {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for LoopId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LoopId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_a_workspace_and_a_file_which_may_contain_colons() {
        let id = LoopId::new("3f2a", ".workflow/.loop/a:b.json");
        assert_eq!((workspace_of(&id), file_of(&id)), ("3f2a", ".workflow/.loop/a:b.json"));
        assert_eq!(LoopId::from(id.as_str()), id);
        assert_eq!((workspace_of("x.json"), file_of("x.json"), split("x.json")), ("", "x.json", None));
    }
}
