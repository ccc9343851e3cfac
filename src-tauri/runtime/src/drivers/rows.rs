//! What goes to a window about runs: the runs of a loop, their output, what they need of the person, agents, the form.

use loopdeck_core::agent::Level;
use loopdeck_core::agent::launch::LaunchNote;
use loopdeck_core::answer::AnswerError;
use loopdeck_core::start::FirstFile;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

// --- runs ---------------------------------------------------------------------------------------------------------

/// What the list shows of the work of ours on a loop.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct LoopRun {
    /// Display name of the agent.
    pub agent: String,
    /// What it may do.
    pub level: Option<Level>,
    /// Whether a process of ours is alive, or about to be.
    pub alive: bool,
    /// The present action: `init`, `develop`, `debug`, `validate`, `complete`, `skill`.
    pub action: Option<String>,
    /// Last output, ms since 1970 UTC.
    pub last_output: Option<f64>,
    /// Money spent on this loop by our runs, in US dollars; `None` when no run reported any.
    pub cost_usd: Option<f64>,
    /// Tokens of all kinds of our runs on this loop; `None` when no run reported any.
    pub tokens: Option<f64>,
    /// What the last stop left behind.
    pub stop: Option<StopView>,
    /// Open questions of this loop.
    pub needs: u32,
}

/// One process that Loopdeck started for a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct RunRow {
    /// Names it in every command.
    pub id: String,
    /// `init`, `develop`, `debug`, `validate` (the test command), `complete`, `skill`, or a worker's action.
    pub action: String,
    /// The task it works on.
    pub task: Option<String>,
    /// Iteration of the loop that it belongs to, from 1.
    pub iteration: u32,
    /// Display name of the agent; empty for a test command.
    pub agent: String,
    /// Model as the agent reported it.
    pub model: Option<String>,
    /// ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub started: f64,
    /// ms since 1970 UTC; `None` while it lasts.
    pub ended: Option<f64>,
    /// Its outcome, once known. Words: catalogue `outcome.<name>`.
    pub outcome: Option<String>,
    /// What the agent itself said of its end. Untrusted text.
    pub message: Option<String>,
    /// Actions that were not allowed; `None` while it lasts, and of agents that tell nobody.
    pub denied: Option<u32>,
    /// Tokens of all kinds, where reported.
    pub tokens: Option<f64>,
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
    /// The conversation that it was to go on with; `None` for one that began anew.
    pub resumed: Option<Resumed>,
    /// Process number.
    pub pid: Option<u32>,
    /// How it was ended, when it was.
    pub stop: Option<StopView>,
    /// How many rows of output.
    pub rows: u32,
    /// The raw output on disk, for display.
    pub log: String,
}

/// A conversation that was cut off, and what became of it. Words: catalogue `note.<how>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Resumed {
    /// The run goes on with it.
    GoesOn {
        /// Its id.
        session: String,
    },
    /// The agent did not know it any more, so the run began a new one.
    BeganAnew {
        /// Id of the old one.
        session: String,
    },
}

impl Resumed {
    /// The conversation that the run goes on with.
    #[must_use]
    pub fn goes_on(&self) -> Option<&str> {
        if let Resumed::GoesOn { session } = self { Some(session) } else { None }
    }

    /// The note that the run's output begins with: its name and what it tells.
    pub(crate) fn note(&self) -> (&'static str, &str) {
        match self {
            Resumed::GoesOn { session } => ("goes_on", session),
            Resumed::BeganAnew { session } => ("began_anew", session),
        }
    }
}

/// What a stop ended and what it left. Words: catalogue `stop.<result>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum StopView {
    /// Nothing is left.
    AllGone {
        /// How many processes ended.
        ended: u32,
    },
    /// Some are.
    Left {
        /// How many ended.
        ended: u32,
        /// Number and name of each that is left.
        processes: Vec<LeftProcess>,
    },
    /// Nobody can tell.
    Unknown {
        /// Why.
        why: String,
    },
}

/// A process that would not end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct LeftProcess {
    /// Number.
    pub pid: u32,
    /// Name.
    pub name: String,
}

// --- output -------------------------------------------------------------------------------------------------------

/// What a row of output is. Words: catalogue `output.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum OutputKind {
    /// The agent began; `text` says model, mode and version.
    Started,
    /// What the agent says, or a line of a command.
    Text,
    /// What it thinks.
    Thinking,
    /// It uses a tool; `name` and `text` say which and how.
    ToolStart,
    /// What came of it.
    ToolEnd,
    /// It changes a file; `name` is the file.
    Edit,
    /// A line of the error channel.
    Stderr,
    /// The agent warns.
    Warning,
    /// The agent tries again.
    Retry,
    /// It asks whether it may do something.
    Permission,
    /// It may not.
    Denied,
    /// Tokens and money.
    Usage,
    /// It ended.
    Finished,
    /// Something that is not known; kept as it came.
    Other,
    /// Loopdeck itself says something (action began, stop requested, log cut).
    Note,
}

/// A row of output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Type)]
pub struct OutputRow {
    /// ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub at: f64,
    /// What it is.
    pub kind: OutputKind,
    /// Tool, file, or what a note is about (`note.<name>`).
    pub name: String,
    /// At most 4 kB. Untrusted text; may have escape sequences for colours.
    pub text: String,
    /// There is more than was cut here: bytes in all.
    pub cut: Option<u32>,
    /// Whether a tool succeeded.
    pub ok: Option<bool>,
    /// 1 for what a sub-agent says.
    pub depth: u32,
}

/// A window over the output of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct OutputPage {
    /// The run it is of; empty when the loop has none.
    pub run: String,
    /// How many rows there are now.
    pub total: u32,
    /// The first row of this page.
    pub first: u32,
    /// Rows that were dropped at the beginning because the log is bounded.
    pub dropped: u32,
    /// At most 64 kB of them.
    pub rows: Vec<OutputRow>,
    /// Whether more may come.
    pub alive: bool,
}

/// What to look for in the output of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct OutputSearch {
    /// Text, whatever its case; any row when blank.
    pub text: String,
    /// Only errors: error channel, failed tools, denials, warnings, a failed end.
    pub errors: bool,
    /// Begin at this row.
    pub from: u32,
    /// Towards the beginning.
    pub backwards: bool,
}

// --- what it needs ------------------------------------------------------------------------------------------------

/// What a loop needs of the person. Words: catalogue `need.<kind>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// The agent wants to use a tool.
    Permission,
    /// The agent or the driver has a question.
    Question,
    /// Loop-B interactive: which action is next.
    Menu,
    /// Iterations, time, money, tokens or turns are used up.
    LimitReached,
    /// The provider's limit; `until` says when it is over.
    UsageLimit,
    /// The agent is not signed in.
    SignIn,
    /// A run failed, with what the agent said.
    Failed,
    /// Processes are left after a stop.
    LeftOver,
    /// Found at the start of Loopdeck: the run ended, or goes on, without it.
    Interrupted,
}

/// Something that waits for the person.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Need {
    /// Names it in the answer.
    pub id: String,
    /// The loop.
    pub key: String,
    /// The run that it stems from; `None` when it stems from none, or from several.
    pub run: Option<String>,
    /// Its title. Untrusted text.
    pub title: String,
    /// What kind.
    pub kind: NeedKind,
    /// Since when, ms since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub since: f64,
    /// Display name of the agent.
    pub agent: String,
    /// Tool that it wants to use.
    pub tool: Option<String>,
    /// Exact input, at most 16,000 characters. Untrusted text.
    pub input: Option<String>,
    /// How many characters the whole input has, when `input` is only its beginning. It can be allowed only after the whole
    /// one was asked for.
    pub cut_from: Option<u32>,
    /// Folder, for display.
    pub folder: String,
    /// The question, the agent's own message, or why it asks. Untrusted text.
    pub text: String,
    /// Named values for the sentence of its kind (`limit`, `used`, `action`, `code`).
    pub args: BTreeMap<String, String>,
    /// Choices of a menu or a question, in the order shown.
    pub choices: Vec<String>,
    /// When a provider's limit is over, ms since 1970 UTC.
    pub until: Option<f64>,
    /// What can be answered: names of [`NeedAnswer`].
    pub answers: Vec<String>,
    /// Processes that are left.
    pub processes: Vec<LeftProcess>,
    /// What is wrong with an answer that cannot be read; `text` has it in English then.
    pub wrong: Vec<AnswerError>,
}

/// What the person answers.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, Type)]
#[serde(tag = "answer", rename_all = "snake_case")]
pub enum NeedAnswer {
    /// This once.
    AllowOnce,
    /// This tool until the run ends.
    AllowForRun,
    /// No, with a note for the agent.
    Deny {
        /// May be blank.
        note: String,
    },
    /// Text for the agent.
    Say {
        /// Not blank.
        text: String,
    },
    /// The same once more.
    TryAgain,
    /// Go on without.
    GoOn,
    /// One of the choices.
    Choose {
        /// Its place, from 0.
        index: u32,
    },
    /// Raise a limit and go on.
    Extend {
        /// So many iterations more.
        iterations: Option<u32>,
        /// So many minutes more.
        minutes: Option<u32>,
        /// So much money more.
        money_usd: Option<f64>,
        /// So many tokens more.
        tokens: Option<u32>,
        /// So many turns for each agent run.
        turns: Option<u32>,
    },
    /// Start the agent again where it was.
    Resume,
    /// Stop the loop.
    Stop,
    /// End what is left.
    EndLeft,
    /// Put back what the state file said last.
    Restore,
    /// Do not show it any more; nothing else happens.
    Dismiss,
}

/// All that waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct Needs {
    /// Oldest first, at most 200.
    pub needs: Vec<Need>,
    /// Loops with a live process of ours.
    pub running: u32,
}

// --- agents -------------------------------------------------------------------------------------------------------

/// What the doctor found of one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct AgentRow {
    /// As in [`super::plan::RunPlan::agent`].
    pub id: String,
    /// Display name.
    pub name: String,
    /// The program that is used, for display.
    pub program: Option<String>,
    /// Every place where one was found, the used one first.
    pub found: Vec<String>,
    /// Places that were looked at.
    pub looked: Vec<String>,
    /// Version as it was printed.
    pub version: Option<String>,
    /// Whether it can be used, or why not. Words: catalogue `agent_state.<state>`, with a way to mend it.
    pub state: AgentState,
    /// Whether it is signed in; `None` when nobody can tell. Words: catalogue `sign_in.<state>`.
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
    /// More arguments to go on with a conversation; it cannot when empty.
    pub resume: Vec<String>,
    /// Arguments that make it print its version.
    pub version: Vec<String>,
    /// Added to its environment.
    pub environment: BTreeMap<String, String>,
}

// --- the form -----------------------------------------------------------------------------------------------------

/// What is known of a folder that a loop is to be started in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Type)]
pub struct FolderFacts {
    /// Absolute path.
    pub path: String,
    /// For display.
    pub shown: String,
    /// Whether it is there and a folder.
    pub exists: bool,
    /// Whether the person trusts it: programs in it may be run.
    pub trusted: bool,
    /// Checked-out branch.
    pub branch: Option<String>,
    /// Files that are not committed; `None` without git, or before the folder is trusted.
    pub uncommitted: Option<u32>,
    /// Test commands that fit what lies there, best first.
    pub tests: Vec<TestProposal>,
    /// An AoT loop lies there already.
    pub has_aot: bool,
    /// Loops of ours that run there now.
    pub running: u32,
    /// Loopdeck runs as root: some agents refuse full access then.
    pub as_root: bool,
}

/// A test command that fits a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct TestProposal {
    /// Shell line.
    pub command: String,
    /// Where its results will be, relative to the folder.
    pub results: Vec<String>,
    /// What it was found by: `Cargo.toml`, `package.json`.
    pub because: String,
}

/// A command of the form that is to be run once.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Type)]
pub struct FormTry {
    /// Names it when it is to be stopped; chosen by the page.
    pub id: String,
    /// Folder it runs in, which must be trusted.
    pub folder: String,
    /// Shell line.
    pub command: String,
    /// What it is.
    pub kind: TryKind,
    /// Of a test command: where it leaves its results, relative to the folder.
    pub results: Vec<String>,
}

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TryKind {
    /// A check that passes when the command succeeds.
    Command,
    /// A check that passes when the command fails.
    NotCommand,
    /// The test command.
    Tests,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct Tried {
    /// Whether it passes now; `None` when it was stopped before it could tell.
    pub passes: Option<bool>,
    /// The command itself did not run: a check that passes by failing says nothing then.
    pub could_not_run: bool,
    /// How it ended. Words: catalogue `triedEnd.<end>`.
    pub end: TriedEnd,
    /// Exit code.
    pub code: Option<i32>,
    /// Milliseconds.
    #[specta(type = u32)] // a finite number in TypeScript
    pub took_ms: f64,
    /// The first of what it printed. Untrusted text.
    pub lines: Vec<TriedLine>,
    /// There is more.
    pub cut: bool,
    /// Of a test command: the tests that could be read; `None` when none could.
    pub tests: Option<TriedTests>,
    /// What is still there of it, when not everything is gone.
    pub left: Option<StopView>,
}

/// How a try ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TriedEnd {
    /// With an exit code.
    Exited,
    /// By a signal that nobody here sent.
    Signal,
    /// It took too long.
    TimedOut,
    /// It could not be started.
    NotStarted,
    /// A person stopped it.
    Stopped,
}

/// A line that it printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct TriedLine {
    /// At most 400 characters; may have escape sequences for colours.
    pub text: String,
    /// On the error channel.
    pub error: bool,
}

/// Tests that were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
pub struct TriedTests {
    /// So many passed.
    pub passed: u32,
    /// So many failed.
    pub failed: u32,
    /// So many were skipped.
    pub skipped: u32,
}

/// What a stop would end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct StopFacts {
    /// Who is in front of the screen, as the system names them; empty when it does not.
    pub person: String,
    /// Agents and test commands at work.
    pub runs: u32,
    /// Their processes, those included; `None` when nobody can tell.
    pub processes: Option<u32>,
}

/// A mistake in the form, or something to know. Words: catalogue `form_problem.<code>`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct FormProblem {
    /// Field: `goal`, `title`, `folder`, `agent`, `level`, `test_command`, `max_iterations`, `base_case`, …
    pub field: String,
    /// What is wrong: `blank`, `too_long`, `out_of_range`, `not_found`, `not_trusted`, `no_tests_at_level`, …
    pub code: String,
    /// Named values.
    pub args: BTreeMap<String, String>,
    /// Nothing can be started; otherwise it is advice.
    pub blocks: bool,
}

/// What Start would do, exactly.
#[derive(Clone, Debug, PartialEq, Serialize, Type)]
pub struct StartReview {
    /// What is wrong or worth knowing.
    pub problems: Vec<FormProblem>,
    /// The state file, when the work is complete enough.
    pub file: Option<FirstFile>,
    /// Folder it goes to, for display.
    pub folder: String,
    /// The command line of the first run.
    pub argv: Vec<String>,
    /// What the agent is told first.
    pub prompt: String,
    /// Variables that are added to the environment, with values of ours only.
    pub environment: BTreeMap<String, String>,
    /// Variables that are taken out of it.
    pub removed: Vec<String>,
    /// Names of the variables that are passed on as they are, in order.
    pub inherited: Vec<String>,
    /// What a person should know before it starts. Words: catalogue `launchNote.<code>`.
    pub notes: Vec<LaunchNote>,
    /// Whether it can be run in this version; AoT files are written and wait.
    pub runs: bool,
}
