//! One process that Loopdeck started for a loop. The journal keeps it as a record of its own, windows get a
//! [`RunView`](crate::rows::RunView).

use crate::changes::ChangeTotals;
use crate::preferences::plan::RunPlan;
use crate::rows::{Resumed, StopView};
use loopdeck_agents::Level;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::driver::{Action, Checked};
use loopdeck_core::phase::CcwPhase;
use loopdeck_core::times::Timestamp;
use loopdeck_results::unread::UnreadReport;

/// A run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Names it in every command.
    pub id: String,
    /// What it is for.
    pub action: RunAction,
    /// The task, the atom or the check that it works on.
    pub task: Option<String>,
    /// Iteration of the loop that it belongs to, from 1.
    pub iteration: u32,
    /// Display name of the agent; empty for a test command.
    pub agent: String,
    /// The agent as a plan names it; empty for a test command, and of runs that an earlier version kept.
    pub agent_id: String,
    /// What it may do; `None` for the shell, a test command, and runs that an earlier version kept.
    pub level: Option<Level>,
    /// The git worktree in which it worked apart from others; `None` when it worked in the folder.
    pub worktree: Option<String>,
    /// Model as the agent reported it.
    pub model: Option<String>,
    /// When it started.
    pub started: Timestamp,
    /// When it ended; `None` while it lasts.
    pub ended: Option<Timestamp>,
    /// Its outcome, once known.
    pub outcome: Option<Outcome>,
    /// What the agent itself said of its end, or a command last on standard error. Untrusted text.
    pub message: Option<String>,
    /// Actions that were not allowed; `None` while it lasts, and for agents that do not report them.
    pub denied: Option<u32>,
    /// Tokens of all kinds, where reported.
    pub tokens: Option<u64>,
    /// US dollars, where reported.
    pub cost_usd: Option<f64>,
    /// Exit code.
    pub exit_code: Option<i32>,
    /// The exact command line.
    pub argv: Vec<String>,
    /// Folder it ran in, for display.
    pub folder: String,
    /// Names of the variables that were added to its environment.
    pub environment: Vec<String>,
    /// Conversation of the agent.
    pub session: Option<String>,
    /// The conversation that it was to continue; `None` for a new one.
    pub resumed: Option<Resumed>,
    /// Process number.
    pub pid: Option<u32>,
    /// How it was ended, when it was.
    pub stop: Option<StopView>,
    /// It ended without being stopped, and its result is not in the loop's file yet: no Loopdeck was there, or its round continues.
    pub unconcluded: bool,
    /// How many rows of output.
    pub rows: u32,
    /// What it changed in the files of its folder; `None` when that is not known, or others worked in the folder at the same time.
    pub changes: Option<ChangeTotals>,
    /// What the disk says, where that differs from what the agent says.
    pub checked: Option<Checked>,
    /// Of a test command: reports that were found and not read, or not to their end.
    pub unread: Vec<UnreadReport>,
}

impl Run {
    /// The agent as a plan names it; of an earlier version's run that of its loop's plan.
    pub fn agent_of<'r>(&'r self, plan: &'r RunPlan) -> &'r str {
        if self.agent_id.is_empty() { &plan.agent } else { &self.agent_id }
    }

    /// Whether it is a run of the test command.
    #[must_use]
    pub fn is_tests(&self) -> bool {
        self.action == RunAction::Phase(CcwPhase::Validate) && self.agent.is_empty()
    }
}

/// What a run is for. Words: catalogue `action.<word>`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunAction {
    /// An action of a CCW loop; `validate` is the test command.
    Phase(CcwPhase),
    /// A worker on an atom.
    Atom,
    /// A judge of a check.
    Judge,
    /// Looking whether an atom is feasible.
    Probe,
    /// An iteration of a Ralph loop.
    Iterate,
    /// A command of a completion check.
    Check,
    /// A skill that runs the loop without Loopdeck's steps.
    Skill,
    /// The own tool of a plan.
    OwnTool,
    /// A word of another version.
    Other(String),
}

impl RunAction {
    /// The action of this name.
    #[must_use]
    pub fn from_word(word: &str) -> Self {
        match word {
            "atom" => Self::Atom,
            "judge" => Self::Judge,
            "probe" => Self::Probe,
            "iterate" => Self::Iterate,
            "check" => Self::Check,
            "skill" => Self::Skill,
            "own_tool" => Self::OwnTool,
            _ => {
                let phase = CcwPhase::ALL.into_iter().find(|phase| phase.word() == word);
                phase.map_or_else(|| Self::Other(word.to_owned()), Self::Phase)
            }
        }
    }

    /// Its name in records, views and the memory of drivers.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Phase(phase) => phase.word(),
            Self::Atom => "atom",
            Self::Judge => "judge",
            Self::Probe => "probe",
            Self::Iterate => "iterate",
            Self::Check => "check",
            Self::Skill => "skill",
            Self::OwnTool => "own_tool",
            Self::Other(word) => word,
        }
    }
}

impl Default for RunAction {
    fn default() -> Self {
        Self::Other(String::new())
    }
}

impl From<&Action> for RunAction {
    fn from(action: &Action) -> Self {
        match action {
            Action::Init => Self::Phase(CcwPhase::Init),
            Action::Develop { .. } => Self::Phase(CcwPhase::Develop),
            Action::Debug { .. } => Self::Phase(CcwPhase::Debug),
            Action::Worker { worker } => Self::Phase((*worker).into()),
            Action::Atom { .. } => Self::Atom,
            Action::Judge { .. } => Self::Judge,
            Action::Probe { .. } => Self::Probe,
            Action::Iterate { .. } => Self::Iterate,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopdeck_core::driver::WorkerKind;

    #[test]
    fn an_action_is_read_back_by_its_name_and_agents_have_theirs() {
        let words = [
            "init", "develop", "debug", "validate", "complete", "atom", "judge", "probe", "iterate", "check",
            "skill", "own_tool",
        ];
        for word in words {
            let action = RunAction::from_word(word);
            assert_eq!((action.word(), matches!(action, RunAction::Other(_))), (word, false));
        }
        assert_eq!(RunAction::from_word("of_a_later_version").word(), "of_a_later_version");
        let id = String::from("x");
        for action in [
            Action::Init,
            Action::Develop { task_id: id.clone() },
            Action::Debug { round: 1 },
            Action::Worker { worker: WorkerKind::Develop },
            Action::Worker { worker: WorkerKind::Debug },
            Action::Atom { id: id.clone() },
            Action::Judge { row: 0, item: id.clone() },
            Action::Probe { id: id.clone() },
            Action::Iterate { list: id, unclear: Vec::new(), next: Vec::new() },
        ] {
            assert_eq!(RunAction::from(&action).word(), action.word());
        }
    }
}
