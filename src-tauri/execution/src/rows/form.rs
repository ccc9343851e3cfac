//! The start form: what is known of a folder, what Start would do, and trying a command.

use super::StopView;
use crate::preferences::plan::RunPlan;
use loopdeck_agents::table::LaunchNote;
use loopdeck_core::checklist::TestsRan;
use loopdeck_core::format::Format;
use loopdeck_core::start::{FirstFile, NewFormat};
use loopdeck_results::unread::UnreadReport;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

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
    /// Test commands that fit the folder, best first.
    pub tests: Vec<TestProposal>,
    /// Formats of which a folder can have one loop, and it has one.
    pub taken: Vec<NewFormat>,
    /// Those among them whose loop an agent works on.
    pub live: Vec<NewFormat>,
    /// Plans of other tools that are there and not done, those changed last first.
    pub plans: Vec<FolderPlan>,
    /// Other tools that keep plans there in a form that Loopdeck doesn't read.
    pub unread: Vec<UnreadTool>,
    /// Loops of ours that run there now.
    pub running: u32,
    /// Loopdeck runs as root: some agents refuse full access then.
    pub as_root: bool,
}

/// A plan of another tool that a new loop can work off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct FolderPlan {
    /// Its file, below the folder.
    pub file: String,
    /// Whose it is.
    pub format: Format,
    /// Its name. Untrusted text.
    pub title: String,
    /// Items that are said to be done.
    pub done: u32,
    /// All that count.
    pub total: u32,
    /// What the loop would be for, as the form offers it.
    pub goal: String,
    /// The format of a loop that works it off.
    pub run_as: NewFormat,
}

/// A tool that keeps plans in a form that Loopdeck doesn't read. Words: catalogue `start.unreadAdvice`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct UnreadTool {
    /// Its name.
    pub name: String,
    /// What was found, below the folder.
    pub file: String,
    /// What a person can do.
    pub advice: UnreadAdvice,
}

/// What a person can do about a plan that isn't read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum UnreadAdvice {
    /// Its state is in a database; its own tool shows it.
    Database,
    /// Its state is with a service.
    Cloud,
    /// Its own tool shows how far it is.
    Elsewhere,
    /// A later version could read it.
    NotYet,
    /// There are only prompts and definitions.
    Definitions,
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
    /// Shell line; of a file check its path or pattern.
    pub command: String,
    /// What it is.
    pub kind: TryKind,
    /// Of a test command: where it leaves its results, relative to the folder.
    pub results: Vec<String>,
}

/// What an agent is asked to draft.
#[derive(Clone, Debug, PartialEq, Deserialize, Type)]
pub struct FormDraft {
    /// Names it when it is to be stopped, as a try; chosen by the page.
    pub id: String,
    /// Folder that the agent reads, which must be trusted.
    pub folder: String,
    /// What the person wants, in a paragraph.
    pub paragraph: String,
    /// Which agent, and how; it may only look, whatever the plan allows.
    pub plan: RunPlan,
}

/// What is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TryKind {
    /// A check that passes when the command succeeds.
    Command,
    /// A check that passes when the command fails.
    NotCommand,
    /// A check that passes when there is such a file.
    File,
    /// A check that passes when there is none.
    NotFile,
    /// The test command.
    Tests,
    /// A coverage report that has to say so much, such as `80:coverage/lcov.info`.
    Coverage,
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
    /// The first of what it printed; of a file check what was found. Untrusted text.
    pub lines: Vec<TriedLine>,
    /// There is more.
    pub cut: bool,
    /// Of a test command: the tests that could be read; `None` when none could.
    pub tests: Option<TestsRan>,
    /// Of a test command: reports that were found and not read, or not to their end.
    pub unread: Vec<UnreadReport>,
    /// Of a file check: how many files and folders were found.
    pub found: Option<u32>,
    /// Of a coverage report: how many percent it says are covered.
    pub covered: Option<f64>,
    /// What is still there of it, when not everything is gone.
    pub left: Option<StopView>,
}

impl Tried {
    /// Stopped before it began.
    #[must_use]
    pub fn stopped() -> Self {
        Self {
            passes: None,
            could_not_run: false,
            end: TriedEnd::Stopped,
            code: None,
            took_ms: 0.0,
            lines: Vec::new(),
            cut: false,
            tests: None,
            unread: Vec::new(),
            found: None,
            covered: None,
            left: None,
        }
    }
}

/// How a try ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum TriedEnd {
    /// With an exit code.
    Exited,
    /// By a signal that we did not send.
    Signal,
    /// It took too long.
    TimedOut,
    /// It could not be started.
    NotStarted,
    /// A person stopped it.
    Stopped,
    /// A file check: it was looked for.
    Looked,
    /// A file check: its path leads out of the folder, so it was not checked.
    Outside,
    /// A file check: there are too many files to look through.
    TooMany,
    /// A coverage report was read: see `covered`.
    Read,
    /// There is no coverage report that can be read, or it names no file of the folder.
    NoReport,
    /// A coverage report is older than the file in `lines`.
    Stale,
}

/// A line that it printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct TriedLine {
    /// At most 400 characters; may have escape sequences for colours.
    pub text: String,
    /// On the error channel.
    pub error: bool,
}

/// What a stop would end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Type)]
pub struct StopFacts {
    /// Who is in front of the screen, as the system names them; empty when it does not.
    pub person: String,
    /// Agents and test commands at work.
    pub runs: u32,
    /// Number of their processes, including those; `None` when unknown.
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
    /// The agent's first instructions.
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
