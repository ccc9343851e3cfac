//! Comparing an agent's claims with the disk: observed changes win over named files.

use super::{Action, AgentTask, Ended, Memory, changed_files};
use crate::formats::ccw::read::debug_log::DebugLog;
use loopdeck_agents::answers::{Answer, WorkStatus};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeSet;

/// What the runtime observed of a run, apart from the agent's claims.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObservedRun<'a> {
    /// Files that changed meanwhile, relative to the folder; `None` when that is unknown.
    pub changed: Option<&'a [String]>,
    /// `debug.log` after the run.
    pub log: Option<&'a DebugLog>,
}

/// Changes during the runs of one action: it may take several, and a later one may only report what an
/// earlier one did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Touched {
    /// Id of the task, or the word of the action.
    pub about: String,
    /// Files that were seen to change.
    pub files: BTreeSet<String>,
    /// For at least one run the changes are unknown.
    pub unknown: bool,
}

/// Why a round of debugging failed although its answer says `fixed`.
pub(crate) const NOTHING_CHANGED: &str = "The answer says that the cause was removed, but no file changed.";

/// Where the disk contradicts an agent's claims about its run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename = "CheckedRun")]
pub struct Checked {
    /// Files named in the answer that did not change.
    pub unchanged: Vec<String>,
    /// The answer reports work, but no file changed.
    pub nothing_changed: bool,
    /// Files that still contain log statements of debugging.
    pub instrumented: Vec<String>,
    /// DEBUG: entries of `debug.log` that name a hypothesis.
    pub log_entries: u32,
    /// DEBUG: lines of `debug.log` that are not entries.
    pub log_foreign: u32,
}

/// Files of an action: all that were observed, and whether any may have been missed.
pub(crate) struct ObservedFiles {
    files: Vec<String>,
    is_whole: bool,
}

impl ObservedFiles {
    /// Of a run that ended just now, with those before it in the same action.
    pub(crate) fn from_run(task: &AgentTask, changed: Option<&[String]>, memory: &Memory) -> Self {
        let before = Some(&memory.touched).filter(|touched| touched.about == about(&task.action));
        let earlier = before.into_iter().flat_map(|touched| &touched.files);
        let files = earlier.chain(changed.unwrap_or_default()).cloned().collect();
        // The changes of an interrupted run may not have been observed.
        let unknown = before.is_some_and(|touched| touched.unknown) || task.context.interrupted;
        Self { files, is_whole: changed.is_some() && !unknown }
    }

    /// Files to record: if any may have been missed, the named ones count too.
    pub(crate) fn changed(&self, claimed: &[String]) -> Vec<String> {
        if self.is_whole {
            return changed_files(claimed, Some(&self.files));
        }
        changed_files(&[&self.files, claimed].concat(), None)
    }

    /// It is certain that no file changed.
    pub(crate) fn is_nothing(&self) -> bool {
        self.is_whole && self.changed(&[]).is_empty()
    }

    fn unchanged(&self, claimed: &[String]) -> Vec<String> {
        let known: BTreeSet<String> = self.changed(&[]).into_iter().collect();
        let named = changed_files(claimed, None).into_iter();
        if self.is_whole { named.filter(|file| !known.contains(file)).collect() } else { Vec::new() }
    }
}

impl Memory {
    /// A run of an action ended: its changes count for later runs until the action is over.
    pub(crate) fn touch(&mut self, action: &Action, changed: Option<&[String]>) {
        if self.touched.about != about(action) {
            self.touched = Touched { about: about(action).to_owned(), ..Touched::default() };
        }
        self.touched.unknown |= changed.is_none();
        self.touched.files.extend(changed.unwrap_or_default().iter().cloned());
    }
}

/// Compares the answer of a run with what changed. `writes`: its task is there to change files.
pub(crate) fn check(
    task: &AgentTask,
    ended: &Ended<'_>,
    changed: Option<&[String]>,
    writes: bool,
    memory: &Memory,
) -> Checked {
    let Ended::Answered { text, structured, .. } = *ended else { return Checked::default() };
    let Ok(reading) = task.read(structured, text) else {
        return Checked::default();
    };
    let (claimed, does) = match &reading.answer {
        Answer::Init(_) | Answer::Atom(_) | Answer::Judge(_) | Answer::Probe(_) => return Checked::default(),
        Answer::Develop(answer) => (&answer.files_changed, writes && answer.status == WorkStatus::Completed),
        Answer::Debug(answer) => (&answer.files_changed, answer.fixed),
        Answer::Worker(answer) => (&answer.files_changed, answer.fixed == Some(true)),
    };
    let sight = ObservedFiles::from_run(task, changed, memory);
    // What an earlier round changed is tested now.
    let is_untested = memory.v2.untested && matches!(task.action, Action::Debug { .. });
    Checked {
        unchanged: sight.unchanged(claimed),
        nothing_changed: does && reading.answer.needs().is_none() && sight.is_nothing() && !is_untested,
        ..Checked::default()
    }
}

/// What an action is about: the id of its task, or its own word.
pub(crate) fn about(action: &Action) -> &str {
    if let Action::Develop { task_id } = action { task_id } else { action.word() }
}
