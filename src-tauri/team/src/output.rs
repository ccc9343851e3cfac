//! The output of runs, where a folder's owner shares it: sent in pages of rows while they run, kept on the server in a ring of
//! places for each loop, and followed on another machine only while somebody looks at it.

pub(crate) mod heard;
pub(crate) mod hearing;
pub(crate) mod sending;

use crate::message::SharedRun;
use loopdeck_execution::mask::Mask;
use loopdeck_execution::rows::RunView;

impl SharedRun {
    /// What leaves the machine of a run.
    fn of(run: &RunView, mask: &Mask) -> Self {
        Self {
            id: run.id.clone(),
            action: run.action.clone(),
            task: run.task.clone(),
            iteration: run.iteration,
            agent: run.agent.clone(),
            agent_id: run.agent_id.clone(),
            model: run.model.clone(),
            started: run.started,
            ended: run.ended,
            outcome: run.outcome,
            message: run.message.clone().map(|text| mask.hide(text)),
            denied: run.denied,
            tokens: run.tokens,
            cost_usd: run.cost_usd,
            exit_code: run.exit_code,
        }
    }

    /// As a window shows it, with `rows` rows.
    fn view(&self, rows: u32) -> RunView {
        RunView {
            id: self.id.clone(),
            action: self.action.clone(),
            task: self.task.clone(),
            iteration: self.iteration,
            agent: self.agent.clone(),
            agent_id: self.agent_id.clone(),
            model: self.model.clone(),
            started: self.started,
            ended: self.ended,
            outcome: self.outcome,
            message: self.message.clone(),
            denied: self.denied,
            tokens: self.tokens,
            cost_usd: self.cost_usd,
            exit_code: self.exit_code,
            rows,
            ..RunView::default()
        }
    }
}
