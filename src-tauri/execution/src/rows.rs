//! What goes to a window about runs: the runs of a loop, their output, what they need of the person, agents, the form.

use std::collections::BTreeMap;

mod agents;
mod form;
mod needs;
mod output;
mod runs;

pub use agents::{AgentKind, AgentReadiness, AgentRow, AgentState, CustomAgentForm, NodeFacts};
pub use form::{
    FolderFacts, FolderPlan, FormDraft, FormProblem, FormTry, StartReview, StopFacts, TestProposal, Tried,
    TriedEnd, TriedLine, TryKind, UnreadAdvice, UnreadTool,
};
pub use needs::{Extension, LeftHow, Need, NeedAnswer, NeedAnswerKind, NeedKind, NeedReason, Needs};
pub use output::{OutputKind, OutputPage, OutputRow, OutputSearch};
pub use runs::{LeftProcessView, LoopRun, Resumed, RunView, StopView, WorkerNow};

/// A mistake in a field of the form.
pub fn problem(field: &str, code: &str, blocks: bool) -> FormProblem {
    FormProblem { field: field.to_owned(), code: code.to_owned(), args: BTreeMap::new(), blocks }
}
