//! Who else runs loops of a workspace, as it was seen last.

use crate::views::RunnerView;
use loopdeck_core::status::Program;
use loopdeck_core::times::Timestamp;
use loopdeck_system::marks::Mark;
use std::collections::{BTreeMap, HashMap};

/// A living Loopdeck that runs a loop, and is not this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Runner {
    /// Which program it is.
    pub(crate) program: Program,
    /// Since when it runs the loop.
    pub(crate) since: Timestamp,
    /// Its name in leases; nothing when it has another data folder.
    pub(crate) holder: Option<String>,
}

impl Runner {
    /// As windows and scripts see it.
    pub(crate) fn view(&self) -> RunnerView {
        RunnerView { program: self.program, since: self.since.number() }
    }
}

/// Who runs loops of a workspace.
#[derive(Debug, Default)]
pub(crate) struct Runners {
    /// Others, by state file.
    pub(crate) others: BTreeMap<String, Runner>,
    /// Marks of ours, by state file; nothing where none could be made.
    pub(crate) marks: HashMap<String, Option<Mark>>,
    /// What the journal said of its version when the others were looked for last.
    pub(crate) seen: Option<i64>,
}
