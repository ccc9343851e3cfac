//! Counts of atoms, by what can be done with them (AoT contract §9.4).

use super::validator as checks;
use crate::formats::aot::read::state::AotState;
use loopdeck_graph::work_graph::{Progress, WorkGraph};

/// Counts over all atoms (AoT contract §9.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct AtomCounts {
    /// All atoms.
    pub(crate) total: u32,
    /// `resolved`.
    pub(crate) resolved: u32,
    /// `pending` or `in_progress`, the way the plugin counts.
    pub(crate) raw_unresolved: u32,
    /// Unresolved alternatives that are not selected, and unresolved parts of them.
    pub(crate) inactive: u32,
    /// `in_progress`.
    pub(crate) in_progress: u32,
    /// Could start now.
    pub(crate) ready: u32,
}

impl AtomCounts {
    /// Counts a state.
    pub(crate) fn count(state: &AotState<'_>, graph: &WorkGraph<'_>) -> Self {
        let mut counts = Self::default();
        for (at, atom) in state.atoms.iter().enumerate() {
            let progress = checks::progress(&atom.word);
            let unresolved = matches!(progress, Progress::Pending | Progress::InProgress);
            counts.total += 1;
            counts.resolved += u32::from(progress == Progress::Resolved);
            counts.raw_unresolved += u32::from(unresolved);
            counts.inactive += u32::from(unresolved && graph.is_idle(at));
            counts.in_progress += u32::from(progress == Progress::InProgress);
            counts.ready += u32::from(graph.is_ready(at));
        }
        counts
    }

    /// Unresolved atoms that really have to be done.
    pub(crate) fn unresolved(self) -> u32 {
        self.raw_unresolved - self.inactive
    }
}
