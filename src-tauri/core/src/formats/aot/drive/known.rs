//! What a batch needs to know about the atoms in progress, owned, because it outlives the bytes it was read
//! from.

use crate::formats::aot::check::validator as checks;
use crate::formats::aot::read::state::{AotState, Document};
use loopdeck_graph::work_graph::WorkGraph;
use std::collections::HashMap;

/// One version of the file.
#[derive(Debug, Default)]
pub(super) struct KnownVersion {
    pub(super) iteration: i64,
    /// Atoms in progress, by id.
    pub(super) in_progress: HashMap<String, BranchPlace>,
}

/// Where an atom is among the branches of OR groups.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BranchPlace {
    /// Its failure makes an alternative fail: it is one, or part of one that is still pursued.
    pub(super) fails_an_alternative: bool,
    /// It is not itself an alternative.
    pub(super) is_part: bool,
    /// The alternative it is part of was abandoned earlier, perhaps by this batch.
    pub(super) is_abandoned: bool,
    /// Its failure leaves no choice in its group or in any group above.
    pub(super) exhausts: bool,
}

impl KnownVersion {
    pub(super) fn from_document(document: &Document<'_>) -> Self {
        let state = &document.state;
        let graph = checks::graph(state);
        let atoms = state.atoms.iter().filter(|atom| atom.word == "in_progress");
        let placed = atoms.filter_map(|atom| {
            let at = graph.find(&atom.id)?;
            Some((atom.id.clone().into_owned(), BranchPlace::find(state, &graph, at)))
        });
        Self { iteration: state.control.iteration, in_progress: placed.collect() }
    }
}

impl BranchPlace {
    fn find(state: &AotState<'_>, graph: &WorkGraph<'_>, at: usize) -> Self {
        let (alternative, is_abandoned) = (graph.alternative(at), graph.is_abandoned(at));
        Self {
            fails_an_alternative: alternative.is_some() && !is_abandoned,
            is_part: alternative != Some(at),
            is_abandoned,
            exhausts: exhausts(state, graph, at),
        }
    }
}

/// Whether the failure of unit `at` leaves no choice in its group or in any group above.
fn exhausts(state: &AotState<'_>, graph: &WorkGraph<'_>, at: usize) -> bool {
    let mut failing: Vec<usize> = Vec::new();
    let mut next = graph.alternative(at);
    while let Some(alternative) = next.filter(|next| !failing.contains(next)) {
        failing.push(alternative);
        let name = graph.group_name(alternative).unwrap_or_default();
        let Some(group) = state.or_groups.iter().find(|group| group.name == name) else { return false };
        let id = graph.id(alternative);
        let is_left = |choice: &str| {
            choice != id
                && !group.failed.iter().any(|failed| failed == choice)
                && graph.find(choice).is_some()
        };
        if group.choices.iter().any(|choice| is_left(choice)) {
            return false;
        }
        next = graph.alternative_above(alternative);
    }
    !failing.is_empty()
}
