//! Agents on this computer, and those that the person added.

use loopdeck_agents::Level;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// What the doctor found of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct AgentRow {
    /// As `agent` of a plan.
    pub id: String,
    /// As the form of a task names it in its `tool`.
    pub tool: String,
    /// Where it comes from.
    pub kind: AgentKind,
    /// Whether a loop can be started with it as it is.
    pub readiness: AgentReadiness,
    /// It is ready, but nothing of it was tested: a person's own agent, or a program without a version.
    pub untested: bool,
    /// The person chose its program, and can let Loopdeck look for it again.
    pub chosen: bool,
    /// Display name.
    pub name: String,
    /// The program that is used, for display.
    pub program: Option<String>,
    /// Every place where one was found, the used one first.
    pub found: Vec<String>,
    /// Places that were searched.
    pub looked: Vec<String>,
    /// Version as it was printed.
    pub version: Option<String>,
    /// Whether it can be used, or why not. Words: catalogue `agent_state.<state>`, with a way to fix it.
    pub state: AgentState,
    /// Whether it is signed in; `None` when unknown. Words: catalogue `sign_in.<state>`.
    pub signed_in: Option<bool>,
    /// The Node.js that it needs, and the one that is there, when that is not enough to install or run it.
    pub node: Option<NodeFacts>,
    /// The command that installs or signs in, to copy.
    pub fix: Option<String>,
    /// Levels it has.
    pub levels: Vec<Level>,
    /// It can ask in the window.
    pub asks: bool,
    /// It reports money.
    pub reports_cost: bool,
    /// It reports tokens.
    pub reports_tokens: bool,
    /// It takes a limit of turns.
    pub limits_turns: bool,
    /// Levels at which it can run the tests that a recipe needs.
    pub runs_commands: Vec<Level>,
    /// Whether an own CCW skill was found in it.
    pub skill: bool,
    /// The person's own record, for custom agents.
    pub custom: Option<CustomAgentForm>,
}

/// Where an agent comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AgentKind {
    /// Loopdeck knows it.
    BuiltIn,
    /// The plain shell: always there, without levels, and it does nothing unasked.
    Shell,
    /// The person added it.
    Custom,
}

/// Whether a loop can be started with an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AgentReadiness {
    /// It can.
    Usable,
    /// Its program would start, but it is signed out: as good as none.
    SignedOut,
    /// Its program would not start: see [`AgentRow::state`].
    Unusable,
}

impl AgentRow {
    /// The row with what follows from what was found.
    #[must_use]
    pub fn with_readiness(self) -> Self {
        let starts = matches!(self.state, AgentState::Ready | AgentState::Newer);
        let readiness = match (starts, self.signed_in) {
            (false, _) => AgentReadiness::Unusable,
            (true, Some(false)) => AgentReadiness::SignedOut,
            (true, _) => AgentReadiness::Usable,
        };
        let unknown = self.kind == AgentKind::Custom || self.version.is_none();
        Self { readiness, untested: self.state == AgentState::Ready && unknown, ..self }
    }
}

/// A Node.js that is not enough.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct NodeFacts {
    /// Major version that is needed.
    pub needed: u32,
    /// Version that was found, as it was printed.
    pub found: Option<String>,
}

/// Whether an agent can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// As tested.
    Ready,
    /// A newer version than was tested; allowed.
    Newer,
    /// Too old for what Loopdeck needs.
    TooOld,
    /// Not found.
    Missing,
    /// Found, but it does not start or print its version.
    Broken,
    /// It needs a newer Node.js than was found: see [`AgentRow::node`].
    NodeTooOld,
    /// It runs in Node.js, and none was found: see [`AgentRow::node`].
    NodeMissing,
}

/// A custom agent as the form has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct CustomAgentForm {
    /// Letters, digits, `-`; unique.
    pub id: String,
    /// Display name.
    pub name: String,
    /// Absolute path or a name on PATH.
    pub program: String,
    /// Whole-element placeholders `{model}`, `{session}`, `{dir}`, `{prompt_file}`.
    pub args: Vec<String>,
    /// Prompt in a file instead of standard input.
    pub prompt_in_file: bool,
    /// `text`, `claude-jsonl`, `codex-jsonl`, `gemini-jsonl`.
    pub output: String,
    /// More arguments for *Look only*; `None`: the agent has no such level.
    pub look_only: Option<Vec<String>>,
    /// More arguments for *Edit files*.
    pub edit_files: Option<Vec<String>>,
    /// More arguments for *Full access*.
    pub full_access: Option<Vec<String>>,
    /// More arguments to continue a conversation; when empty, it cannot.
    pub resume: Vec<String>,
    /// Arguments that make it print its version.
    pub version: Vec<String>,
    /// Added to its environment.
    pub environment: BTreeMap<String, String>,
}
