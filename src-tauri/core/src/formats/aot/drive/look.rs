//! The driver's view of the loop, and which results of the completion check still apply to it.

use crate::checklist::Checklist;
use crate::checklist::Verification;
use crate::driver::Memory;
use crate::formats::aot::read::state::{AotState, Document};
use crate::stable_hash::StableHasher;
use loopdeck_graph::work_graph::WorkGraph;

/// A readable file with the driver's memory.
pub(super) struct AotView<'l> {
    pub(super) bytes: &'l [u8],
    pub(super) document: &'l Document<'l>,
    pub(super) graph: &'l WorkGraph<'l>,
    pub(super) checklist: &'l Checklist,
    pub(super) memory: &'l Memory,
}

impl<'l> AotView<'l> {
    pub(super) fn state(&self) -> &'l AotState<'l> {
        &self.document.state
    }

    pub(super) fn iteration(&self) -> i64 {
        self.state().control.iteration
    }

    /// The text after the front matter: the original request.
    pub(super) fn body(&self) -> String {
        String::from_utf8_lossy(&self.bytes[self.document.front.body.clone()]).into_owned()
    }

    /// Whether any work is really left (AoT contract §9.4); unselected alternatives do not count.
    pub(super) fn has_work(&self) -> bool {
        (0..self.graph.len()).any(|at| self.is_open(at))
    }

    /// Unresolved, and neither an alternative that is not selected nor a part of one.
    pub(super) fn is_open(&self, at: usize) -> bool {
        self.graph.is_unresolved(at) && !self.graph.is_idle(at)
    }

    /// The completion check so far, on exactly this state and in this round.
    pub(super) fn verified(&self) -> Option<&'l Verification> {
        let verification = self.memory.aot.verification.as_ref()?;
        let is_it = verification.iteration == self.iteration()
            && self.memory.aot.verified == print_of(self.state(), self.checklist);
        is_it.then_some(verification)
    }

    /// The completion check of this round on the current objective, even if atoms changed since.
    pub(super) fn verified_objective(&self) -> Option<&'l Verification> {
        let verification = self.memory.aot.verification.as_ref()?;
        let objective = objective(self.state(), self.checklist);
        let is_it =
            verification.iteration == self.iteration() && self.memory.aot.verified.starts_with(&objective);
        is_it.then_some(verification)
    }
}

/// A fingerprint of what results apply to: the objective, then the work.
pub(in crate::formats::aot) fn print_of(state: &AotState<'_>, checklist: &Checklist) -> String {
    let mut work = StableHasher::default();
    for atom in &state.atoms {
        work.text(&atom.id).text(&atom.description).text(&atom.word).texts(&atom.depends_on);
        work.maybe(atom.or_group.as_deref()).maybe(atom.decomposed_from.as_deref());
    }
    for record in &state.decompositions {
        work.text(&record.parent).texts(&record.children);
    }
    for group in &state.or_groups {
        work.text(&group.name).texts(&group.choices).maybe(group.selected.as_deref()).texts(&group.failed);
    }
    for binding in &state.bindings {
        work.text(&binding.id).text(&binding.summary).texts(&binding.artifacts);
    }
    format!("{}{:016x}", objective(state, checklist), work.finish())
}

fn objective(state: &AotState<'_>, checklist: &Checklist) -> String {
    let mut hasher = StableHasher::default();
    let objective = &state.objective;
    hasher.text(&objective.goal).text(&objective.background_intent);
    hasher.text(&objective.deliverables).text(&objective.definition_of_done);
    hasher.text(&serde_json::to_string(&checklist.rows).unwrap_or_default());
    format!("{:016x}-", hasher.finish())
}
