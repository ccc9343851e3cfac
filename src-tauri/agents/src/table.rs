//! The built-in agents as data: one entry each. Every flag is a default for the versions it was checked with
//! ([`super::versions`]), not a given.
//!
//! Checked with Claude Code 2.1.328, Codex 0.169.0, Gemini CLI 0.61.0, Qwen Code 0.24.4.

mod claude;
mod codex;
mod gemini;
mod qwen;

use super::{AgentId, Level, OutputKind};
use serde::Deserialize;
use serde::Serialize;
use specta::Type;
use std::fmt;

/// Variables of a surrounding agent that a child must not see: some versions refuse to start, or believe that
/// they are part of it.
pub const ENV_REMOVED: [&str; 4] = ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "GEMINI_CLI", "QWEN_CODE"];

/// One built-in agent.
#[derive(Debug)]
pub struct Agent {
    /// Which.
    pub id: AgentId,
    /// The product's name; the same in every language.
    pub name: &'static str,
    /// The program's name on a PATH.
    pub program: &'static str,
    /// What it writes.
    pub output: OutputKind,
    /// First arguments of every run.
    pub base: &'static [&'static str],
    /// Arguments of the levels, in the order of [`Level::ALL`].
    pub levels: [LevelArgs; 3],
    /// Full access where the agent refuses its own when run as root.
    pub full_as_root: Option<&'static [&'static str]>,
    /// A channel for permission requests; the tools of the level are the upper bound.
    pub asking: Option<Asking>,
    /// Flag that names the folder; without one, the working directory does.
    pub folder: Option<&'static str>,
    /// Flag of a further folder, once per folder.
    pub extra_folder: &'static str,
    /// Flag of the model.
    pub model: &'static str,
    /// Flag that chooses the id of a new conversation.
    pub new_session: Option<&'static str>,
    /// How a conversation is resumed.
    pub resume: Resume,
    /// Arguments for a conversation that is not stored.
    pub no_session: Option<&'static [&'static str]>,
    /// Flag that limits the turns.
    pub max_turns: Option<&'static str>,
    /// Flag that limits the money, in US dollars.
    pub max_money: Option<&'static str>,
    /// How the shape of the answer is requested.
    pub schema: Schema,
    /// Arguments for a run without the person's plugins, hooks and servers.
    pub clean: Option<&'static [&'static str]>,
    /// Arguments for a run without any hooks.
    pub without_hooks: Option<&'static [&'static str]>,
    /// Last arguments.
    pub tail: &'static [&'static str],
    /// Environment of every run.
    pub env: &'static [(&'static str, &'static str)],
    /// Notes on every run, in addition to those of its level.
    pub notes: &'static [LaunchNote],
    /// Flags that extra arguments may not repeat: they would change level, session, output or prompt.
    pub reserved: &'static [&'static str],
    /// Prefixes of the configuration keys that `-c KEY=VALUE` may not set.
    pub reserved_keys: &'static [&'static str],
    /// Flags that runs use, and the versions that have them.
    pub flags: &'static [Flag],
    /// The version that everything here was checked with.
    pub checked: Version,
    /// How it is signed in.
    pub sign_in: SignIn,
    /// How it is installed.
    pub install: Install,
}

/// One level.
#[derive(Clone, Copy, Debug)]
pub struct LevelArgs {
    /// Its arguments.
    pub args: &'static [&'static str],
    /// Environment that goes with it.
    pub env: &'static [(&'static str, &'static str)],
    /// What a person should know before choosing it.
    pub notes: &'static [LaunchNote],
}

/// A channel on which an agent asks for permission.
#[derive(Clone, Copy, Debug)]
pub struct Asking {
    /// Arguments that open it.
    pub args: &'static [&'static str],
    /// Arguments of the levels instead of [`Agent::levels`].
    pub levels: [&'static [&'static str]; 3],
}

/// How a conversation is resumed: always by its id, never "the latest", which may be the person's own.
#[derive(Clone, Copy, Debug)]
pub enum Resume {
    /// A flag followed by the id.
    Flag(&'static str),
    /// A command followed by the id, after all flags: it accepts few of them itself.
    Word(&'static str),
}

/// How the shape of an answer is requested.
#[derive(Clone, Copy, Debug)]
pub enum Schema {
    /// A flag followed by the JSON schema.
    Text(&'static str),
    /// A flag followed by the path of a file with it.
    File(&'static str),
    /// Only in the prompt.
    Prompt,
}

/// Where the credentials of an agent are. Data for the doctor, which checks.
#[derive(Clone, Copy, Debug)]
pub struct SignIn {
    /// Files in the agent's own folder; any that exists indicates that the person is signed in.
    pub files: &'static [&'static str],
    /// The agent's own folder, relative to the home folder.
    pub folder: &'static str,
    /// Environment variable that overrides `folder`.
    pub folder_env: &'static str,
    /// Whether that folder contains `folder` or replaces it.
    pub folder_env_is_home: bool,
    /// Environment variables that are enough to sign in.
    pub env: &'static [&'static str],
    /// Whether macOS keeps the credentials in its keychain instead.
    pub keychain: bool,
    /// What a person types to sign in.
    pub command: &'static [&'static str],
}

/// How an agent is installed.
#[derive(Clone, Copy, Debug)]
pub struct Install {
    /// The npm package.
    pub npm: &'static str,
    /// Major version of Node.js that the package requires.
    pub node: u32,
    /// The program in the package is native and runs without Node.js.
    pub native: bool,
}

impl Agent {
    /// The arguments and notes of a level.
    #[must_use]
    pub fn level(&self, level: Level) -> &LevelArgs {
        &self.levels[level as usize]
    }
}

/// The entry of a built-in agent; none for the shell and for custom agents.
#[must_use]
pub fn agent(id: &AgentId) -> Option<&'static Agent> {
    [&claude::CLAUDE, &codex::CODEX, &gemini::GEMINI, &qwen::QWEN].into_iter().find(|agent| agent.id == *id)
}

/// A flag whose first version is unknown.
const fn checked(name: &'static str) -> Flag {
    Flag { name, first: None, needed: false }
}

/// A flag that only some runs use.
const fn since(name: &'static str, first: Version) -> Flag {
    Flag { name, first: Some(first), needed: false }
}

/// Major, minor, patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
pub struct Version(pub u32, pub u32, pub u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// A flag that Loopdeck uses. [`Agent::checked`] is the last version it is known to work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// As written.
    pub name: &'static str,
    /// The first version known to have it; `None`: unknown, but the checked version has it.
    pub first: Option<Version>,
    /// Every ordinary run uses it, not only those with an option.
    pub needed: bool,
}

/// What a person should know before a run. Words: catalogue `launch_note.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LaunchNote {
    /// Runs any command as the person; told to work in the folder, but not confined to it.
    NotConfined,
    /// Cannot run commands, so it cannot run tests either.
    NoCommands,
    /// Runs commands; they cannot write outside of the folder.
    CommandsConfined,
    /// Writes files outside of the folder without asking, too.
    WritesAnywhere,
    /// May still write plan files.
    PlanFiles,
    /// Denied actions cannot be counted.
    DenialsNotReported,
    /// Prints nothing while it waits for its provider.
    SilentRetries,
    /// As root: the agent refuses its own full access, so a list of tools replaces it.
    RootToolList,
    /// Asks before it acts.
    AsksFirst,
    /// Uses the person's plugins, hooks and servers.
    InheritsConfig,
    /// A run without them is not possible.
    CleanNotPossible,
    /// The agent chooses the id of the conversation.
    SessionByAgent,
    /// The conversation is always stored.
    SessionStored,
    /// The interrupted action continues in its conversation.
    GoesOn,
    /// The agent has no limit of turns.
    TurnsByApp,
    /// The agent has no limit of money.
    MoneyByApp,
    /// The shape of the answer has to be requested in the prompt.
    SchemaByPrompt,
    /// A model, conversation, folder or limit means nothing to a shell, and it runs with the person's rights.
    RunsAsYou,
}
