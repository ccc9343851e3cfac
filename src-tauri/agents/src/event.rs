//! One stream of events for all agents (the table of the agents' contract §5). Every text in it is untrusted.

use super::usage::UsageView;
use super::{Clip, Stream};
use serde::{Deserialize, Serialize};
use specta::Type;

/// What an agent did, from one line of its output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentEvent {
    /// The agent has started.
    Started(Box<Started>),
    /// Something it says; a line of text output or of stderr.
    Text {
        /// The text.
        text: Clip,
        /// The tool call of the subagent that says it.
        parent: Option<String>,
        /// A piece that continues the one before.
        delta: bool,
        /// Which pipe.
        stream: Stream,
    },
    /// Its reasoning.
    Reasoning {
        /// The text.
        text: Clip,
        /// The tool call of the subagent that says it.
        parent: Option<String>,
    },
    /// A tool starts.
    ToolStart {
        /// Pairs with [`AgentEvent::ToolEnd`].
        id: String,
        /// Name in the agent's words.
        name: String,
        /// JSON text, or the command itself.
        input: Clip,
        /// The tool call of the subagent that uses it.
        parent: Option<String>,
    },
    /// A tool ended.
    ToolEnd {
        /// Pairs with [`AgentEvent::ToolStart`].
        id: String,
        /// Whether the agent counts it as success.
        ok: bool,
        /// Its result.
        output: Clip,
        /// Exit code of a command, if reported.
        exit_code: Option<i32>,
        /// The tool call of the subagent that used it.
        parent: Option<String>,
    },
    /// The agent is waiting to retry its provider. A state, not silence.
    Retry {
        /// Which attempt, from 1.
        n: Option<u32>,
        /// Attempts in all.
        of: Option<u32>,
        /// Milliseconds until it.
        wait_ms: Option<f64>,
        /// HTTP status that made it necessary.
        status: Option<u32>,
        /// In the agent's words.
        cause: Clip,
    },
    /// Worth showing, but irrelevant to the outcome.
    Warning {
        /// The agent's word for it.
        code: Option<String>,
        /// The text.
        text: Clip,
    },
    /// How much of the provider's allowance is left. Informational; `allowed` is not a limit.
    Allowance {
        /// The provider's word: `allowed`, `allowed_warning`, `rejected`.
        status: String,
        /// Which window.
        window: Option<String>,
        /// When it resets: milliseconds since 1970 UTC.
        resets_at_ms: Option<f64>,
    },
    /// The agent waits for an answer.
    PermissionRequest(Box<PermissionRequest>),
    /// The agent no longer waits for this answer.
    PermissionWithdrawn {
        /// [`PermissionRequest::id`].
        id: String,
    },
    /// The agent answers one of our control requests.
    ControlAnswer {
        /// The id we gave it.
        id: String,
        /// Whether it was accepted.
        ok: bool,
        /// Why not.
        error: Option<Clip>,
    },
    /// An action was not allowed.
    Denied(Denied),
    /// The usage that the agent reports.
    Usage {
        /// As reported, for the run or for the conversation ([`super::usage`]).
        usage: UsageView,
    },
    /// The final event. Whether the run succeeded is judged together with its exit ([`super::outcome`]).
    Finished {
        /// The agent calls it an error.
        error: bool,
        /// Its word for the result.
        word: Option<String>,
        /// Answer or message.
        text: Clip,
    },
    /// A line that is not an event of this agent, or an unknown one.
    Other {
        /// The original line.
        raw: Clip,
    },
}

/// See [`AgentEvent::Started`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct Started {
    /// Conversation, for resuming.
    pub session: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// Tools on offer; at most [`Started::LISTED`].
    pub tools: Vec<String>,
    /// Permission mode in the agent's words.
    pub mode: Option<String>,
    /// Version of the agent.
    pub version: Option<String>,
    /// Slash commands on offer; at most [`Started::LISTED`].
    pub commands: Vec<String>,
    /// Plugins in use; at most [`Started::LISTED`].
    pub plugins: Vec<String>,
    /// Plugins that failed, each with the reason if given; at most [`Started::LISTED`].
    pub plugin_errors: Vec<String>,
}

impl Started {
    /// Names kept of each list.
    pub const LISTED: usize = 500;
}

/// A question from the agent, open until answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct PermissionRequest {
    /// Pairs the answer; several may be open.
    pub id: String,
    /// Which tool.
    pub tool: String,
    /// The tool call, as in [`AgentEvent::ToolStart`].
    pub tool_use_id: Option<String>,
    /// JSON text for display.
    pub input: Clip,
    /// Why it asks.
    pub reason: Option<Clip>,
    /// The line was too long to keep. It is unknown what would be allowed in full, so it can only be denied.
    pub is_cut: bool,
    /// The exact JSON text, for the answer. Neither stored nor sent to the page: it comes from the log.
    #[serde(skip)]
    pub exact_input: String,
    /// Rules that the agent proposes to remember, exact JSON text. Sent back only when a person ticked
    /// "always".
    #[serde(skip)]
    pub suggestions: Option<String>,
}

/// An action that was not allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct Denied {
    /// Which tool.
    pub tool: String,
    /// The tool call.
    pub id: Option<String>,
    /// Why, in the agent's words.
    pub reason: Option<Clip>,
    /// What it wanted to do, JSON text.
    pub input: Option<Clip>,
}
