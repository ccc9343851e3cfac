//! A coordinator round (AoT contract §5, §9.3, §9.5): how it starts, and how it is closed.

use super::look::AotView;
use super::{AotNext, blocked, prompt_context};
use crate::checklist::Verdict;
use crate::formats::aot::edit::operation::AotOperation;
use crate::formats::aot::read::state::OrGroup;

/// Most atoms in one batch, whatever the file allows.
const MOST_AGENTS: usize = 1_000;
/// The trail's reason for a branch that nobody had selected.
const FIRST_CHOICE: &str = "First choice of the group";
/// The reason when the selected choice cannot be worked on.
const NEXT_CHOICE: &str = "The selected choice has failed or does not exist";

impl AotView<'_> {
    pub(super) fn choose(&self, has_cycle: bool) -> AotNext {
        let control = &self.state().control;
        if control.redirect_requested {
            return AotNext::Hold;
        }
        let is_over = self.is_over();
        if control.stop_requested && (has_cycle || !is_over) {
            return AotNext::Write(AotOperation::EndRound);
        }
        if has_cycle {
            return AotNext::ask(self.memory, blocked::by_cycle(self.graph));
        }
        // More rounds than allowed: the limit was lowered on purpose.
        if is_over || control.iteration > self.state().objective.max_iterations {
            return self.close();
        }
        self.begin()
    }

    /// Whether the batch or the verification of the current round has ended.
    fn is_over(&self) -> bool {
        self.memory.aot.done == Some(self.iteration()) || self.has_failed()
    }

    /// A verification of this round failed, and the resulting work is in the file.
    fn has_failed(&self) -> bool {
        let of_this_state = self.verified().is_some();
        let failed = |verification| self.verdict(verification) == Some(Verdict::Fail);
        !of_this_state && self.verified_objective().is_some_and(failed)
    }

    fn begin(&self) -> AotNext {
        if let Some(step) = self.tidied().or_else(|| self.selected()).or_else(|| self.resolved()) {
            return step;
        }
        if !self.has_work() {
            return self.verify();
        }
        if let Some(step) = self.conflict() {
            return step;
        }
        let limit = usize::try_from(self.state().objective.max_parallel_agents).unwrap_or(0).min(MOST_AGENTS);
        let batch: Vec<usize> = self.graph.batch(limit).collect();
        if batch.is_empty() {
            return AotNext::ask(self.memory, blocked::by_work(self));
        }
        if let Some(probe) = self.probe(&batch) {
            return probe;
        }
        let ids = batch.iter().map(|at| self.graph.id(*at).to_owned()).collect();
        let tasks = batch.iter().map(|at| prompt_context::atom_task(self, *at, &batch)).collect();
        AotNext::Batch { begin: AotOperation::StartAtoms { ids }, tasks }
    }

    /// The end of a round: completion is checked before deciding whether another round follows (§5, rule a).
    fn close(&self) -> AotNext {
        if let Some(step) = self.tidied().or_else(|| self.resolved()) {
            return step;
        }
        if self.has_work() { AotNext::Write(AotOperation::EndRound) } else { self.verify() }
    }

    /// Atoms in progress have lost their worker: the next step is never requested while one is working.
    fn tidied(&self) -> Option<AotNext> {
        let orphaned = self.state().atoms.iter().any(|atom| atom.word == "in_progress");
        orphaned.then_some(AotNext::Write(AotOperation::ReleaseOrphans))
    }

    fn resolved(&self) -> Option<AotNext> {
        let mut all = 0..self.graph.len();
        all.any(|at| self.graph.ready_to_resolve(at))
            .then_some(AotNext::Write(AotOperation::ResolveContainers))
    }

    /// An OR group with work in it whose choice is missing or useless gets its first usable choice (§9.1).
    fn selected(&self) -> Option<AotNext> {
        let group = self.state().or_groups.iter().find(|group| self.needs_choice(group))?;
        let reason = if group.selected.is_none() { FIRST_CHOICE } else { NEXT_CHOICE };
        let step =
            AotOperation::Select { group: group.name.clone().into(), id: None, reason: reason.to_owned() };
        Some(AotNext::Write(step))
    }

    fn needs_choice(&self, group: &OrGroup<'_>) -> bool {
        // A group inside an abandoned alternative needs no choice.
        let unresolved = |id: &str| {
            let at = self.graph.find(id).filter(|at| !self.graph.is_abandoned(*at));
            at.is_some_and(|at| self.graph.is_unresolved(at))
        };
        let has_failed = |id: &str| group.failed.iter().any(|failed| failed == id);
        let useless = group
            .selected
            .as_deref()
            .is_none_or(|id| self.graph.find(id).is_none() || (has_failed(id) && unresolved(id)));
        let mut choices = group.choices.iter();
        useless
            && choices.clone().any(|id| unresolved(id))
            && choices.any(|id| self.graph.find(id).is_some() && !has_failed(id))
    }
}
