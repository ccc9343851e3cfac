//! What to start: the command line of one run. A list of arguments, never a shell line. The prompt is never
//! an argument, because arguments are limited in length, quoted differently everywhere and visible in process
//! lists.

mod build;
mod custom;

use super::custom::CustomAgent;
use super::table::LaunchNote;
use super::{AgentId, Level, OutputKind, table};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use specta::Type;

/// Which conversation a run belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum Session {
    /// A new one with this id (a UUID). If the agent picks its own id, it reports that when it starts.
    New(String),
    /// An existing one, by its id. Never "the latest": that may be the person's own.
    Resume(String),
    /// One that is not stored.
    None,
}

/// Which shell runs a plain command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Shell {
    /// `/bin/sh`.
    Posix,
    /// `cmd.exe`.
    Cmd,
    /// Windows PowerShell.
    PowerShell,
}

impl Shell {
    /// The one of this system.
    #[must_use]
    pub fn of_this_system() -> Self {
        if cfg!(windows) { Shell::Cmd } else { Shell::Posix }
    }
}

/// The request for a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Which agent.
    pub agent: AgentId,
    /// The detected program; `None`: its name, looked up on the PATH.
    pub program: Option<String>,
    /// What it may do. The shell has no levels: it runs with the person's rights.
    pub level: Level,
    /// Ask before acting, over stdin (Claude only). The level's tools stay the upper bound.
    pub ask: bool,
    /// The prompt. Not for the shell.
    pub prompt: String,
    /// Model, in the agent's words.
    pub model: Option<String>,
    /// More arguments, checked by [`super::extra_args`].
    pub extra_args: Vec<String>,
    /// Conversation.
    pub session: Session,
    /// Where it works: absolute. Also the working directory of the process.
    pub folder: String,
    /// Further folders: absolute.
    pub extra_folders: Vec<String>,
    /// Limit of turns, from 1. Where the agent has none, the app counts ([`LaunchNote::TurnsByApp`]).
    pub max_turns: Option<u32>,
    /// Limit of US dollars, above 0. Where the agent has none, the app counts ([`LaunchNote::MoneyByApp`]).
    pub budget_usd: Option<f64>,
    /// JSON schema of the answer. Where the agent does not support one, the prompt has to describe it
    /// ([`LaunchNote::SchemaByPrompt`]).
    pub answer_schema: Option<String>,
    /// Where the caller wrote `answer_schema`, because Codex reads it from a file.
    pub schema_file: Option<String>,
    /// Where the caller wrote `prompt`, for custom agents that read it from a file.
    pub prompt_file: Option<String>,
    /// Without the person's plugins, hooks and servers.
    pub clean: bool,
    /// Without hooks: those of the AoT plugin would allow every tool in the folder of a running loop (AoT contract §12).
    pub without_hooks: bool,
    /// The app runs as root.
    pub as_root: bool,
    /// The command of [`AgentId::Shell`].
    pub shell_command: Option<String>,
    /// What runs it.
    pub shell: Shell,
}

impl Launch {
    /// A minimal run: look only, nothing stored.
    #[must_use]
    pub fn new(agent: AgentId, prompt: &str, folder: &str) -> Self {
        Self {
            agent,
            program: None,
            level: Level::LookOnly,
            ask: false,
            prompt: prompt.to_owned(),
            model: None,
            extra_args: Vec::new(),
            session: Session::None,
            folder: folder.to_owned(),
            extra_folders: Vec::new(),
            max_turns: None,
            budget_usd: None,
            answer_schema: None,
            schema_file: None,
            prompt_file: None,
            clean: false,
            without_hooks: false,
            as_root: false,
            shell_command: None,
            shell: Shell::of_this_system(),
        }
    }
}

/// What a process gets on standard input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", content = "text", rename_all = "snake_case")]
pub enum Stdin {
    /// The null device: an open, silent stdin makes agents wait.
    Null,
    /// This text, then end of file.
    Text(String),
    /// This line, then it stays open for the lines of [`super::control`].
    Stream(String),
}

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct CommandLine {
    /// Program: as detected, or a name to be looked up.
    pub program: String,
    /// Arguments.
    pub args: Vec<String>,
    /// Standard input.
    pub stdin: Stdin,
    /// Environment to add, after `env_remove`. The runtime adds `LOOPDECK_RUN_ID`.
    pub env_add: Vec<(String, String)>,
    /// Environment to remove.
    pub env_remove: Vec<String>,
    /// What it writes.
    pub output: OutputKind,
    /// What a person should know before it starts.
    pub notes: Vec<LaunchNote>,
}

/// Why nothing is started. Words: catalogue `launch_problem.<code>`, with `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LaunchProblemCode {
    /// No such agent (`value`: its id).
    UnknownAgent,
    /// This agent does not have the level.
    LevelNotDefined,
    /// This agent cannot ask.
    CannotAsk,
    /// The prompt is empty.
    NoPrompt,
    /// No command was given.
    NoCommand,
    /// Not a name of a model.
    BadModel,
    /// Not an id of a conversation.
    BadSession,
    /// This agent cannot resume.
    CannotResume,
    /// Not an absolute path.
    BadFolder,
    /// Not a limit.
    BadLimit,
    /// Not a JSON schema.
    BadSchema,
    /// The schema or the prompt has to be in a file first.
    FileMissing,
    /// An argument that would change what was chosen.
    ReservedFlag,
    /// Several flags in one argument.
    BundledFlags,
    /// An argument that belongs to no flag.
    PositionalArgument,
    /// A placeholder without a value in this run.
    EmptyPlaceholder,
    /// A character that no argument can contain.
    BadCharacter,
}

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct LaunchProblem {
    /// Why.
    pub code: LaunchProblemCode,
    /// What. Untrusted text.
    pub value: Option<String>,
}

impl LaunchProblem {
    pub(crate) fn new(code: LaunchProblemCode, value: &str) -> Self {
        Self { code, value: (!value.is_empty()).then(|| shorten(value, 200)) }
    }
}

/// A level for a card of the form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct LevelOffer {
    /// Which.
    pub level: Level,
    /// Whether the agent has it.
    pub defined: bool,
    /// What a person should know before choosing it.
    pub notes: Vec<LaunchNote>,
}

/// The levels of an agent; none for the shell and for an unknown agent.
#[must_use]
pub fn levels(agent: &AgentId, custom: &[CustomAgent]) -> Vec<LevelOffer> {
    let offer = |level: Level| {
        if let Some(agent) = table::agent(agent) {
            return Some(LevelOffer { level, defined: true, notes: agent.level(level).notes.to_vec() });
        }
        let AgentId::Custom { id } = agent else { return None };
        let agent = custom.iter().find(|agent| agent.id == *id)?;
        let full = level == Level::FullAccess;
        let notes = full.then_some(LaunchNote::NotConfined).into_iter().collect();
        Some(LevelOffer { level, defined: agent.level(level).is_some(), notes })
    };
    Level::ALL.into_iter().filter_map(offer).collect()
}

/// The command line of a run. `custom` are the custom agents.
///
/// # Errors
/// Everything that is wrong with it.
pub fn command_line(launch: &Launch, custom: &[CustomAgent]) -> Result<CommandLine, Vec<LaunchProblem>> {
    let mut problems = common_problems(launch);
    let made = match &launch.agent {
        AgentId::Shell => build::shell(launch),
        AgentId::Custom { id } => match custom.iter().find(|agent| agent.id == *id) {
            Some(agent) => custom::command_line(agent, launch),
            None => Err(vec![LaunchProblem::new(LaunchProblemCode::UnknownAgent, id)]),
        },
        built_in => match table::agent(built_in) {
            Some(agent) => build::Builder::new(agent, launch).build(),
            None => Err(vec![LaunchProblem::new(LaunchProblemCode::UnknownAgent, "")]),
        },
    };
    match made {
        Ok(line) => {
            let texts = line.args.iter().chain([&line.program]);
            let bad = texts.filter(|text| text.contains('\0'));
            problems.extend(bad.map(|text| LaunchProblem::new(LaunchProblemCode::BadCharacter, text)));
            if problems.is_empty() { Ok(line) } else { Err(problems) }
        }
        Err(more) => {
            problems.extend(more);
            Err(problems)
        }
    }
}

/// Problems that do not depend on the agent.
fn common_problems(launch: &Launch) -> Vec<LaunchProblem> {
    let mut problems = Vec::new();
    let mut add = |code, value: &str| problems.push(LaunchProblem::new(code, value));
    for folder in launch.extra_folders.iter().chain([&launch.folder]) {
        if !is_absolute(folder) {
            add(LaunchProblemCode::BadFolder, folder);
        }
    }
    if let Some(model) = launch.model.as_deref().filter(|model| !is_model(model)) {
        add(LaunchProblemCode::BadModel, model);
    }
    if launch.max_turns == Some(0) {
        add(LaunchProblemCode::BadLimit, "0");
    }
    if let Some(budget) = launch.budget_usd.filter(|budget| !(budget.is_finite() && *budget > 0.0)) {
        add(LaunchProblemCode::BadLimit, &budget.to_string());
    }
    if let Some(schema) = &launch.answer_schema
        && !Node::parse(schema.as_bytes()).is_ok_and(|node| node.is_object())
    {
        add(LaunchProblemCode::BadSchema, schema);
    }
    if launch.agent != AgentId::Shell && launch.prompt.trim().is_empty() {
        add(LaunchProblemCode::NoPrompt, "");
    }
    problems
}

/// By its text, for any system: this may describe a run elsewhere.
fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    let drive = bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':';
    path.starts_with('/') || path.starts_with(r"\\") || (drive && matches!(bytes[2], b'/' | b'\\'))
}

fn is_model(model: &str) -> bool {
    let bad = |next: char| next.is_control() || next.is_whitespace();
    !model.is_empty() && model.len() <= 200 && !model.starts_with('-') && !model.contains(bad)
}

/// Built-in agents know their conversations by UUID. Anything else could mean "the latest", or be a flag.
pub(crate) fn is_uuid(id: &str) -> bool {
    let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match dash(at) {
            true => byte == b'-',
            false => byte.is_ascii_hexdigit(),
        })
}

/// Names that no child inherits.
pub(crate) fn removed() -> Vec<String> {
    table::ENV_REMOVED.iter().map(|name| (*name).to_owned()).collect()
}

/// An id that cannot be a flag, an index or a word for the latest conversation.
pub(crate) fn is_session(id: &str) -> bool {
    let plain = |next: char| next.is_ascii_alphanumeric() || matches!(next, '-' | '_' | '.' | ':');
    let index = id.chars().all(|next| next.is_ascii_digit());
    (8..=200).contains(&id.len()) && !index && !id.starts_with('-') && id.chars().all(plain)
}
