//! How a loop is run: what the person chose in the start form. Own data, kept in the journal; nothing of it ever goes into
//! a state file, and nothing of it is ever read from a workspace.

use loopdeck_agents::{AgentId, Level};
use loopdeck_core::checklist::wanted::CheckItem;
use loopdeck_core::driver::{InitMode, Probes};
use loopdeck_core::start::{NewTask, NewWork, Recipe};
use serde::{Deserialize, Serialize};
use specta::Type;

/// How a loop is run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct RunPlan {
    /// `claude`, `codex`, `gemini`, `qwen`, `shell`, or `custom:<id>`.
    pub agent: String,
    /// Passed on as it is; the agent's own default when blank.
    pub model: String,
    /// More arguments; those that would change the level or the output are refused.
    pub extra_args: Vec<String>,
    /// What the shell agent runs for each action.
    pub shell_command: String,
    /// What the agent may do; `None` until the person chose.
    pub level: Option<Level>,
    /// The agent asks in the window instead of being refused, where it can.
    pub ask: bool,
    /// Without the person's own plugins, hooks and servers, where the agent can.
    pub clean: bool,
    /// Who decides the next action.
    pub driver: Driver,
    /// What VALIDATE runs, a shell line; asked for when blank.
    pub test_command: String,
    /// Where the command leaves its results, relative to the workspace; may be empty.
    pub results: Vec<String>,
    /// Ends a run that lasts longer, all actions together.
    pub minutes: Option<u32>,
    /// Ends the run when so much is spent, where the agent reports it.
    pub money_usd: Option<f64>,
    /// Ends the run when so many tokens were used, read and written, where the agent reports them: counted after each
    /// agent run, so the last one may go beyond.
    pub tokens: Option<u32>,
    /// Ends an agent run after so many turns, where the agent can; each run has its own.
    pub turns: Option<u32>,
    /// Waits until the provider's limit resets; at most twice.
    pub wait_for_limit: bool,
    /// A Loopdeck that starts after another was closed or crashed takes up what ran meanwhile, and continues the loop.
    pub keep_going: bool,
    /// Tasks that INIT takes instead of planning some.
    pub tasks: Vec<NewTask>,
    /// How INIT of a Loop v2 lets the loop continue. Once it is initialised its file says that.
    pub mode: InitMode,
    /// Further agents that tasks may name as their tool.
    pub further: Vec<FurtherAgent>,
    /// AoT: workers of one round work in git worktrees of their own, and what they did is merged.
    pub worktrees: bool,
    /// AoT: the atoms that an agent first probes for feasibility.
    pub probes: Probes,
    /// What proves that the work is done, beside the tests. An AoT loop has its checks in its file, and none here.
    pub checks: Vec<CheckItem>,
    /// Seconds that one command of the checks may take; 120 when `None`.
    pub check_seconds: Option<u32>,
    /// What the checks say is also kept in the repository, next to the loop (docs/spec/evidence.md).
    pub keep_evidence: bool,
    /// The kind of work that its start form said; `None` for a loop that was not made here, or before this was kept.
    pub recipe: Option<Recipe>,
}

impl RunPlan {
    /// Whether it can be run by it: the agent of a new loop may be named later.
    #[must_use]
    pub fn names_agent(&self) -> bool {
        !self.agent.is_empty()
    }

    /// The command of a plan's own tool that runs it.
    #[must_use]
    pub fn own_tool(&self) -> Option<&[String]> {
        if let Driver::OwnTool { command } = &self.driver { Some(command) } else { None }
    }

    /// Whether the shell works for it, which has no levels.
    #[must_use]
    pub fn is_by_shell(&self) -> bool {
        AgentId::parse(&self.agent) == Some(AgentId::Shell)
    }
}

/// An agent that tasks may use in addition to the plan's own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct FurtherAgent {
    /// As [`RunPlan::agent`].
    pub agent: String,
    /// The most that it may do, and never more than the plan's agent; as that one when `None`.
    pub level: Option<Level>,
}

/// Who decides the next action. Words: catalogue `driver.<name>`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Driver {
    /// Loopdeck, one agent run per action; needs nothing installed.
    #[default]
    Loopdeck,
    /// The CCW skill that is installed in the agent, or a slash command with `{id}` and `{file}`.
    Skill {
        /// Blank for the skill's own name.
        command: String,
    },
    /// The own tool of a plan, by its documented command. It is never chosen in a form: a person confirms the command each time.
    OwnTool {
        /// Program first, as the person confirmed it.
        command: Vec<String>,
    },
}

/// Everything that the start form holds; kept as draft and as template.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct StartForm {
    /// The work.
    pub work: NewWork,
    /// Folder it is done in, as the person chose it.
    pub folder: String,
    /// Branch of a git worktree that is made for it; none when blank.
    pub worktree: String,
    /// How it is run.
    pub plan: RunPlan,
    /// Which page of the form is open; 0 is the first.
    pub page: u32,
    /// The AoT loop that the folder has may be replaced; its file is kept.
    #[serde(default)]
    pub replace: bool,
}

/// A form that was saved under a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct Template {
    /// As the person named it; unique.
    pub name: String,
    /// What it fills in.
    pub form: StartForm,
}
