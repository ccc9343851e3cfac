//! The built-in agents as data: one entry each. Every flag is a default for the versions it was checked with
//! ([`super::versions`]), never a constant of nature.
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

/// Names of a surrounding agent that a child must not see: some versions refuse to start, or believe to be a part of it.
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
    /// Arguments that every run begins with.
    pub base: &'static [&'static str],
    /// Arguments of the levels, in the order of [`Level::ALL`].
    pub levels: [LevelArgs; 3],
    /// Full access where the agent refuses its own for an administrator.
    pub full_as_root: Option<&'static [&'static str]>,
    /// A channel on which it asks; with the tools of the level as its ceiling.
    pub asking: Option<Asking>,
    /// Flag that names the folder; without one, the working directory says it.
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
    /// How the shape of the answer is asked for.
    pub schema: Schema,
    /// Arguments for a run without the person's plugins, hooks and servers.
    pub clean: Option<&'static [&'static str]>,
    /// Arguments for a run without hooks, whoever set them.
    pub without_hooks: Option<&'static [&'static str]>,
    /// Last arguments.
    pub tail: &'static [&'static str],
    /// Environment that every run gets.
    pub env: &'static [(&'static str, &'static str)],
    /// What is true of every run, beside what its level says.
    pub notes: &'static [LaunchNote],
    /// Flags that extra arguments may not repeat: they would change level, session, output or prompt.
    pub reserved: &'static [&'static str],
    /// Which configuration keys `-c KEY=VALUE` may not set, by their beginnings.
    pub reserved_keys: &'static [&'static str],
    /// Flags that runs use, and the versions that have them.
    pub flags: &'static [Flag],
    /// The version everything here was checked with.
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

/// A channel on which an agent asks before it acts.
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

/// How the shape of an answer is asked for.
#[derive(Clone, Copy, Debug)]
pub enum Schema {
    /// A flag followed by the JSON schema.
    Text(&'static str),
    /// A flag followed by the path of a file with it.
    File(&'static str),
    /// Only in the words of the prompt.
    Prompt,
}

/// Where the credentials of an agent lie. Data for the doctor, which looks.
#[derive(Clone, Copy, Debug)]
pub struct SignIn {
    /// Files below the agent's own folder; one that exists is a sign of being signed in.
    pub files: &'static [&'static str],
    /// The agent's own folder, relative to the home folder.
    pub folder: &'static str,
    /// Environment that names another folder than `folder`.
    pub folder_env: &'static str,
    /// What the named folder holds: `folder`'s content, or `folder` itself.
    pub folder_env_is_home: bool,
    /// Environment that signs in by itself when set.
    pub env: &'static [&'static str],
    /// Whether macOS keeps the credentials in its keychain instead.
    pub keychain: bool,
    /// What a person types to sign in.
    pub command: &'static [&'static str],
}

/// How an agent is installed.
#[derive(Clone, Copy, Debug)]
pub struct Install {
    /// The package of npm.
    pub npm: &'static str,
    /// Major version of Node.js that the package declares.
    pub node: u32,
    /// The program inside is native: it runs without Node.js.
    pub native: bool,
}

impl Agent {
    /// The arguments and notes of a level.
    #[must_use]
    pub fn level(&self, level: Level) -> &LevelArgs {
        &self.levels[level as usize]
    }
}

/// The entry of a built-in agent; none for the shell and for a person's own.
#[must_use]
pub fn agent(id: &AgentId) -> Option<&'static Agent> {
    [&claude::CLAUDE, &codex::CODEX, &gemini::GEMINI, &qwen::QWEN].into_iter().find(|agent| agent.id == *id)
}

/// A flag whose first version is not known.
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

/// A flag that Loopdeck uses. The version that it was last seen to work with is [`Agent::checked`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flag {
    /// As written.
    pub name: &'static str,
    /// The first version known to have it; `None`: not known, the checked one has it.
    pub first: Option<Version>,
    /// Every ordinary run uses it, not only those with an option.
    pub needed: bool,
}

/// What a person should know before a run. Words: catalogue `launch_note.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LaunchNote {
    /// Runs any command as the person; is told to work in the folder, nothing stops it from reaching outside.
    NotConfined,
    /// Cannot run commands, so cannot run tests either.
    NoCommands,
    /// Runs commands; what they write outside of the folder fails.
    CommandsConfined,
    /// Is not asked before it writes files outside of the folder either.
    WritesAnywhere,
    /// May still write files with its plans.
    PlanFiles,
    /// Actions that were not allowed cannot be counted.
    DenialsNotReported,
    /// Says nothing while it waits for its provider.
    SilentRetries,
    /// As an administrator: its own full access is refused, a list of tools stands for it.
    RootToolList,
    /// Asks before it acts.
    AsksFirst,
    /// Uses the person's plugins, hooks and servers.
    InheritsConfig,
    /// A run without them is not possible.
    CleanNotPossible,
    /// The agent chooses the id of the conversation.
    SessionByAgent,
    /// The conversation is stored, there is no way without.
    SessionStored,
    /// The action that was cut off goes on in its conversation.
    GoesOn,
    /// The agent knows no limit of turns.
    TurnsByApp,
    /// The agent knows no limit of money.
    MoneyByApp,
    /// The shape of the answer has to be asked for in the prompt.
    SchemaByPrompt,
    /// A model, conversation, folder or limit means nothing to a shell, and it runs with the person's rights.
    RunsAsYou,
}
