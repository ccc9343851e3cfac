//! What to start: the command line of one run. A list of arguments, never a shell line; the prompt never among them, because
//! arguments are limited in length, quoted differently everywhere and visible in process lists.

use super::custom::CustomAgent;
use super::table::{self, Agent, Resume, Schema};
use super::{AgentId, Level, OutputKind, control, extra_args};
use crate::json_span::tree::Node;
use crate::problem::shorten;
use serde::{Deserialize, Serialize};
use specta::Type;

/// Which conversation a run belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum Session {
    /// A new one of this id (a UUID). Where the agent chooses itself, it says so when it starts.
    New(String),
    /// One that exists, by its id. Never "the latest": that may be the person's own.
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
    pub fn here() -> Self {
        if cfg!(windows) { Shell::Cmd } else { Shell::Posix }
    }
}

/// What is wanted of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    /// Which agent.
    pub agent: AgentId,
    /// The program as found; `None`: its name, looked up on the PATH.
    pub program: Option<String>,
    /// What it may do. The shell has no levels: it runs with the person's rights.
    pub level: Level,
    /// Ask before acting, over standard input (Claude only). The level's tools stay the ceiling.
    pub ask: bool,
    /// What it is told. Not for the shell.
    pub prompt: String,
    /// Model, in the agent's words.
    pub model: Option<String>,
    /// More arguments, checked by [`extra_args`].
    pub extra_args: Vec<String>,
    /// Conversation.
    pub session: Session,
    /// Where it works: absolute. The working directory of the process too.
    pub folder: String,
    /// Further folders: absolute.
    pub extra_folders: Vec<String>,
    /// Limit of turns, from 1. Where the agent has none, the app counts ([`LaunchNote::TurnsByApp`]).
    pub max_turns: Option<u32>,
    /// Limit of US dollars, above 0. Where the agent has none, the app counts ([`LaunchNote::MoneyByApp`]).
    pub budget_usd: Option<f64>,
    /// JSON schema of the answer. Where the agent takes none, the prompt has to say it ([`LaunchNote::SchemaByPrompt`]).
    pub answer_schema: Option<String>,
    /// Where the caller wrote `answer_schema`: Codex reads it from a file.
    pub schema_file: Option<String>,
    /// Where the caller wrote `prompt`: for agents of the person that read it from a file.
    pub prompt_file: Option<String>,
    /// Without the person's plugins, hooks and servers.
    pub clean: bool,
    /// The app runs as an administrator of a Unix system.
    pub as_root: bool,
    /// The command of [`AgentId::Shell`].
    pub shell_command: Option<String>,
    /// What runs it.
    pub shell: Shell,
}

impl Launch {
    /// A run with nothing but the necessary: look only, nothing stored.
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
            as_root: false,
            shell_command: None,
            shell: Shell::here(),
        }
    }
}

/// What a process reads from standard input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "kind", content = "text", rename_all = "snake_case")]
pub enum Stdin {
    /// The null device: an open, silent input makes agents wait.
    Null,
    /// This, then the end.
    Text(String),
    /// This line, then it stays open for the lines of [`control`].
    Stream(String),
}

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct CommandLine {
    /// Program: as found, or a name to be looked up.
    pub program: String,
    /// Arguments.
    pub args: Vec<String>,
    /// Standard input.
    pub stdin: Stdin,
    /// Environment to add, after `env_remove`. The runtime adds `LOOPDECK_RUN_ID`.
    pub env_add: Vec<(String, String)>,
    /// Environment to take away.
    pub env_remove: Vec<String>,
    /// What it writes.
    pub output: OutputKind,
    /// What a person should know before it starts.
    pub notes: Vec<LaunchNote>,
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
    /// The agent knows no limit of turns.
    TurnsByApp,
    /// The agent knows no limit of money.
    MoneyByApp,
    /// The shape of the answer has to be asked for in the prompt.
    SchemaByPrompt,
    /// A model, conversation, folder or limit means nothing to a shell, and it runs with the person's rights.
    RunsAsYou,
}

/// Why nothing is started. Words: catalogue `launch_problem.<code>`, with `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum LaunchProblemCode {
    /// No such agent (`value`: its id).
    UnknownAgent,
    /// The level is not defined for this agent.
    LevelNotDefined,
    /// This agent cannot ask.
    CannotAsk,
    /// Nothing to do was said.
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
    /// A placeholder that has no value in this run.
    EmptyPlaceholder,
    /// A character that no argument can hold.
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

/// The command line of a run. `custom` are the person's own agents.
///
/// # Errors
/// Everything that is wrong with it.
pub fn command_line(launch: &Launch, custom: &[CustomAgent]) -> Result<CommandLine, Vec<LaunchProblem>> {
    let mut problems = common_problems(launch);
    let made = match &launch.agent {
        AgentId::Shell => shell(launch),
        AgentId::Custom { id } => match custom.iter().find(|agent| agent.id == *id) {
            Some(agent) => agent.command_line(launch),
            None => Err(vec![LaunchProblem::new(LaunchProblemCode::UnknownAgent, id)]),
        },
        built_in => match table::agent(built_in) {
            Some(agent) => Builder::new(agent, launch).build(),
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

/// What is wrong whatever the agent.
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

/// As text, on any system: this may describe a run elsewhere.
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
fn is_uuid(id: &str) -> bool {
    let dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    id.len() == 36
        && id.bytes().enumerate().all(|(at, byte)| match dash(at) {
            true => byte == b'-',
            false => byte.is_ascii_hexdigit(),
        })
}

fn shell(launch: &Launch) -> Result<CommandLine, Vec<LaunchProblem>> {
    let mut problems = Vec::new();
    let command = launch.shell_command.as_deref().filter(|command| !command.trim().is_empty());
    if command.is_none() {
        problems.push(LaunchProblem::new(LaunchProblemCode::NoCommand, ""));
    }
    if launch.ask {
        problems.push(LaunchProblem::new(LaunchProblemCode::CannotAsk, ""));
    }
    if let Some(arg) = launch.extra_args.first() {
        problems.push(LaunchProblem::new(LaunchProblemCode::PositionalArgument, arg));
    }
    let Some(command) = command.filter(|_| problems.is_empty()) else { return Err(problems) };
    let (program, args): (_, &[&str]) = match launch.shell {
        Shell::Posix => ("/bin/sh", &["-c"]),
        Shell::Cmd => ("cmd.exe", &["/d", "/s", "/c"]),
        Shell::PowerShell => ("powershell.exe", &["-NoProfile", "-NonInteractive", "-Command"]),
    };
    let args = args.iter().copied().chain([command]).map(str::to_owned).collect();
    Ok(CommandLine {
        program: launch.program.clone().unwrap_or_else(|| program.to_owned()),
        args,
        stdin: Stdin::Null,
        env_add: Vec::new(),
        env_remove: removed(),
        output: OutputKind::Text,
        notes: vec![LaunchNote::RunsAsYou],
    })
}

/// Names that no child inherits.
pub(crate) fn removed() -> Vec<String> {
    table::ENV_REMOVED.iter().map(|name| (*name).to_owned()).collect()
}

/// Makes the command line of a built-in agent from its entry in the table.
struct Builder<'a> {
    agent: &'static Agent,
    launch: &'a Launch,
    args: Vec<String>,
    env: Vec<(String, String)>,
    notes: Vec<LaunchNote>,
    problems: Vec<LaunchProblem>,
}

impl<'a> Builder<'a> {
    fn new(agent: &'static Agent, launch: &'a Launch) -> Self {
        let (args, env, notes, problems) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { agent, launch, args, env, notes, problems }
    }

    fn build(mut self) -> Result<CommandLine, Vec<LaunchProblem>> {
        let (agent, launch) = (self.agent, self.launch);
        self.add(agent.base);
        self.add_env(agent.env);
        self.level();
        self.folders();
        if let Some(model) = &launch.model {
            self.pair(agent.model, model);
        }
        self.limits();
        self.schema();
        self.clean();
        self.problems.extend(extra_args::problems(agent, &launch.extra_args));
        self.new_session();
        self.args.extend_from_slice(&launch.extra_args);
        self.resume();
        self.add(agent.tail);
        self.notes.extend(agent.notes);
        let stdin = match launch.ask {
            true => Stdin::Stream(control::user_line(&launch.prompt)),
            false => Stdin::Text(launch.prompt.clone()),
        };
        if !self.problems.is_empty() {
            return Err(self.problems);
        }
        Ok(CommandLine {
            program: launch.program.clone().unwrap_or_else(|| agent.program.to_owned()),
            args: self.args,
            stdin,
            env_add: self.env,
            env_remove: removed(),
            output: agent.output,
            notes: self.notes,
        })
    }

    fn add(&mut self, args: &[&str]) {
        self.args.extend(args.iter().map(|arg| (*arg).to_owned()));
    }

    fn pair(&mut self, flag: &str, value: &str) {
        self.add(&[flag, value]);
    }

    fn add_env(&mut self, env: &[(&str, &str)]) {
        self.env.extend(env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    }

    fn refuse(&mut self, code: LaunchProblemCode, value: &str) {
        self.problems.push(LaunchProblem::new(code, value));
    }

    fn level(&mut self) {
        let (agent, launch) = (self.agent, self.launch);
        let level = agent.level(launch.level);
        self.notes.extend(level.notes);
        if launch.ask {
            let Some(asking) = agent.asking else {
                return self.refuse(LaunchProblemCode::CannotAsk, agent.name);
            };
            self.notes.push(LaunchNote::AsksFirst);
            self.add(asking.args);
            return self.add(asking.levels[launch.level as usize]);
        }
        match agent.full_as_root {
            Some(args) if launch.as_root && launch.level == Level::FullAccess => {
                self.notes.push(LaunchNote::RootToolList);
                self.add(args);
            }
            _ => {
                self.add(level.args);
                self.add_env(level.env);
            }
        }
    }

    fn folders(&mut self) {
        let (agent, launch) = (self.agent, self.launch);
        if let Some(flag) = agent.folder {
            self.pair(flag, &launch.folder);
        }
        for folder in &launch.extra_folders {
            self.pair(agent.extra_folder, folder);
        }
    }

    fn limits(&mut self) {
        let (agent, launch) = (self.agent, self.launch);
        if let Some(turns) = launch.max_turns {
            match agent.max_turns {
                Some(flag) => self.pair(flag, &turns.to_string()),
                None => self.notes.push(LaunchNote::TurnsByApp),
            }
        }
        if let Some(budget) = launch.budget_usd {
            match agent.max_money {
                Some(flag) => self.pair(flag, &budget.to_string()),
                None => self.notes.push(LaunchNote::MoneyByApp),
            }
        }
    }

    fn schema(&mut self) {
        let Some(schema) = &self.launch.answer_schema else { return };
        match (self.agent.schema, &self.launch.schema_file) {
            (Schema::Text(flag), _) => self.pair(flag, schema),
            (Schema::File(flag), Some(file)) if is_absolute(file) => self.pair(flag, file),
            (Schema::File(flag), _) => self.refuse(LaunchProblemCode::FileMissing, flag),
            (Schema::Prompt, _) => self.notes.push(LaunchNote::SchemaByPrompt),
        }
    }

    fn clean(&mut self) {
        match self.agent.clean.filter(|_| self.launch.clean) {
            Some(args) => self.add(args),
            None if self.launch.clean => self.notes.push(LaunchNote::CleanNotPossible),
            None => self.notes.push(LaunchNote::InheritsConfig),
        }
    }

    fn new_session(&mut self) {
        let agent = self.agent;
        match &self.launch.session {
            Session::New(id) if !is_uuid(id) => self.refuse(LaunchProblemCode::BadSession, id),
            Session::New(id) => match agent.new_session {
                Some(flag) => self.pair(flag, id),
                None => self.notes.push(LaunchNote::SessionByAgent),
            },
            Session::None => match agent.no_session {
                Some(args) => self.add(args),
                None => self.notes.push(LaunchNote::SessionStored),
            },
            Session::Resume(_) => {}
        }
    }

    fn resume(&mut self) {
        let Session::Resume(id) = &self.launch.session else { return };
        if !is_uuid(id) {
            return self.refuse(LaunchProblemCode::BadSession, id);
        }
        match self.agent.resume {
            Resume::Flag(word) | Resume::Word(word) => self.pair(word, id),
        }
    }
}
