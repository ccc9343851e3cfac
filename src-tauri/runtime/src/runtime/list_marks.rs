//! The door of what a person pins, archives and snoozes.

use super::Runtime;
use crate::views::{Failure, MarkedLoop};
use loopdeck_core::loop_id::workspace_of;
use std::collections::BTreeMap;

impl Runtime {
    /// Keeps the marks of loops in the place of those before, of all loops of a workspace or of none. Answers with those before: to keep
    /// them again is the way back. The rows arrive as a change.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when they cannot be kept.
    pub fn keep_list_marks(&self, wanted: Vec<MarkedLoop>) -> Result<Vec<MarkedLoop>, Failure> {
        let mut by_workspace: BTreeMap<String, Vec<MarkedLoop>> = BTreeMap::new();
        for one in wanted {
            by_workspace.entry(workspace_of(&one.key).to_owned()).or_default().push(one);
        }
        let asked: Vec<_> = by_workspace
            .into_iter()
            .map(|(id, wanted)| {
                let root = self.workspace_path(&id);
                self.coordinator.ask(&id, move |owner| owner.store.keep_list_marks(&root?, &wanted))
            })
            .collect();
        let answers: Vec<Result<Vec<MarkedLoop>, Failure>> =
            asked.into_iter().map(crate::coordinator::Asked::wait).collect();
        let before: Result<Vec<Vec<MarkedLoop>>, Failure> = answers.into_iter().collect();
        Ok(before?.concat())
    }
}
