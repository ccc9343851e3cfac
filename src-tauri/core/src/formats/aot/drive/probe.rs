//! Checking whether an atom is feasible before a worker starts: a short read-only run.
//!
//! If it is not, an alternative gives way to the next one as if its worker had failed; for any other atom the
//! person is asked. A probe without a result holds nothing up.

use super::batch::{BatchWrite, WorkerResult};
use super::look::AotView;
use super::{AotNext, check_drivable, prompt_context};
use crate::driver::{self, Action, AgentTask, Conclusion, DriverQuestion, Ended, Memory, QuestionCode};
use crate::format::FileFacts;
use crate::formats::aot::check::validator as checks;
use crate::formats::aot::drive::verification::Probes;
use crate::formats::aot::edit::operation::AotOperation;
use crate::formats::aot::read::state;
use crate::formats::aot::summary;
use loopdeck_agents::answers::{Answer, ProbeAnswer};

impl AotView<'_> {
    /// The first atom of a batch that has to be probed.
    pub(super) fn probe(&self, batch: &[usize]) -> Option<AotNext> {
        let at = batch.iter().copied().find(|at| self.wants_probe(*at))?;
        Some(AotNext::agent(prompt_context::probe_task(self, at)))
    }

    fn wants_probe(&self, at: usize) -> bool {
        let id = self.graph.id(at);
        let chosen = match self.memory.policy.probes {
            Probes::Never => false,
            Probes::Alternatives => self.graph.group_name(at).is_some(),
            Probes::All => true,
        };
        chosen && !self.memory.aot.probed.contains(id) && !self.memory.failures.contains_key(id)
    }
}

/// What follows from the agent's answer. `bytes`: the current file.
pub fn conclude_probe(
    task: &AgentTask,
    ended: &Ended<'_>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> Conclusion<AotOperation> {
    let Action::Probe { id } = &task.action else { return Conclusion::Write(Vec::new()) };
    if let Ended::Failed { class, message } = *ended
        && let Some(concluded) = driver::interrupted(class, message, memory)
    {
        return concluded;
    }
    memory.ended_asking();
    memory.aot.probed.insert(id.clone());
    match probe_answer(task, ended) {
        Some(ProbeAnswer { feasible: false, reason }) => not_feasible(id, &reason, bytes, facts, memory),
        _ => Conclusion::Write(Vec::new()),
    }
}

fn probe_answer(task: &AgentTask, ended: &Ended<'_>) -> Option<ProbeAnswer> {
    let Ended::Answered { text, structured, .. } = *ended else { return None };
    match task.read(structured, text).ok()?.answer {
        Answer::Probe(answer) => Some(answer),
        _ => None,
    }
}

fn not_feasible(
    id: &str,
    reason: &str,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> Conclusion<AotOperation> {
    if let Err(end) = check_drivable(&summary(bytes, facts)) {
        return Conclusion::End(end);
    }
    if !is_alternative(id, bytes) {
        return memory.conclude_asking(DriverQuestion::new(QuestionCode::NotFeasible, id, reason));
    }
    let mut taking = BatchWrite::on(bytes, facts, memory);
    if taking.apply(AotOperation::StartAtoms { ids: vec![id.to_owned()] }) {
        taking.take_result(id, WorkerResult::Failed { why: format!("Not feasible: {reason}") });
    }
    // Nobody has worked in this round yet: the next alternative does.
    taking.took = false;
    taking.finish()
}

/// Whether another choice of its OR group may replace it.
fn is_alternative(id: &str, bytes: &[u8]) -> bool {
    state::read(bytes).is_ok_and(|document| {
        let graph = checks::graph(&document.state);
        graph.find(id).is_some_and(|at| graph.group_name(at).is_some())
    })
}
