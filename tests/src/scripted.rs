//! The script of `scripted_agent`, a program that behaves like an agent, or like a bad one.
//!
//! It reads its prompt from standard input, takes the first rule that matches the action and the task,
//! carries out the rule's steps and ends with the rule's answer. The script is the file named by [`SCRIPT`],
//! or [`IN_WORKSPACE`] in its current folder. Without one it works on the tiny project as in
//! [`crate::tiny_project::script`].

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// The environment variable with the script's file.
pub const SCRIPT: &str = "LOOPDECK_SCRIPTED_AGENT";

/// The script's file when the environment names none.
pub const IN_WORKSPACE: &str = ".scripted-agent.json";

/// Why its AoT plugin failed, for a [`Rule`] that lacks skills.
pub const NO_PLUGIN: &str = "Plugin not found in marketplace";

/// The agent's behaviour, by action.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scripted {
    /// Its output format.
    pub output: Output,
    /// In order; the first that matches. Without a match it ends with exit code 3.
    pub rules: Vec<Rule>,
}

/// The agent's output format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// Lines for people.
    #[default]
    Text,
    /// The stream of Claude Code, in both directions: with `--input-format stream-json` it takes its prompt
    /// as a line, asks and can be interrupted.
    ClaudeJsonl,
}

/// The behaviour for some prompts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// `init`, `develop`, `debug`; absent: any. From the prompt, else from `LOOPDECK_ACTION`.
    pub action: Option<String>,
    /// Id of the task; absent: any.
    pub task: Option<String>,
    /// How many starts it is for, before later rules get their turn; absent: all.
    pub times: Option<usize>,
    /// Only for starts that should resume a conversation: the agent does not know it, and says so like Claude
    /// Code.
    pub forgets: bool,
    /// Claude's stream only: the slash commands of the loops' skills are missing from its list at the start,
    /// and it reports that the AoT plugin failed.
    pub lacks_skills: bool,
    /// SIGTERM and SIGINT are ignored from the start.
    pub ignore_signals: bool,
    /// In order.
    pub steps: Vec<Step>,
    /// Last words; the answer follows in a block of JSON.
    pub says: String,
    /// The answer; `null` for none.
    pub answer: Value,
    /// Exit code.
    pub exit: i32,
    /// Claude's stream only: members of the last event that differ from those of a success.
    pub result: Value,
}

/// One action of the agent.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A line on standard output.
    Say(String),
    /// A line on standard error.
    Complain(String),
    /// The text of a file, relative to the current folder.
    Write {
        /// Where.
        path: PathBuf,
        /// What.
        text: String,
    },
    /// `old` in a file becomes `new`; if it is missing, the agent fails with exit code 4.
    Edit {
        /// Where.
        path: PathBuf,
        /// The existing text.
        old: String,
        /// The new text.
        new: String,
    },
    /// A command of the shell; its exit code does not matter.
    Shell(String),
    /// Waits until a file exists: the gate of a test.
    WaitFor(PathBuf),
    /// This many lines, as fast as possible.
    Spam {
        /// How many.
        lines: u64,
        /// Each one, after its number.
        text: String,
    },
    /// Raw bytes, without a line end; for broken lines.
    Raw(String),
    /// Does nothing, forever.
    Hang,
    /// Ends by SIGABRT, without a last word.
    Crash,
    /// Ends immediately with this code, without a last word.
    Exit(i32),
    /// Leaves a process behind.
    Spawn(Spawn),
    /// Asks for permission to use a tool; if denied, skips the remaining steps. Claude's stream only.
    Ask {
        /// Name of the tool.
        tool: String,
        /// Its input.
        input: Value,
    },
}

/// A process that outlives its parent.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Spawn {
    /// How long it sleeps.
    pub seconds: u32,
    /// In its own session, and no longer a child of the agent.
    pub own_session: bool,
    /// Without the run's marker in its environment.
    pub without_environment: bool,
    /// Keeps the agent's standard output open.
    pub holds_output: bool,
    /// Its process id is written here.
    pub pid_file: Option<PathBuf>,
}

impl Scripted {
    /// Writes the script to the folder of a workspace.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn put_into(&self, workspace: &Path) {
        let text = serde_json::to_string_pretty(self).expect("JSON");
        fs::write(workspace.join(IN_WORKSPACE), text).expect("written");
    }

    /// The tiny project, repaired: three tasks and a round of debugging.
    #[must_use]
    pub fn tiny_project(output: Output) -> Self {
        Self { output, rules: crate::tiny_project::rules() }
    }

    /// The same, with `rule` before the others.
    #[must_use]
    pub fn first(mut self, rule: Rule) -> Self {
        self.rules.insert(0, rule);
        self
    }
}

impl Rule {
    /// A rule for an action.
    #[must_use]
    pub fn on(action: &str) -> Self {
        Self { action: Some(action.into()), ..Self::default() }
    }

    /// The same, for one task.
    #[must_use]
    pub fn task(mut self, id: &str) -> Self {
        self.task = Some(id.into());
        self
    }

    /// The same, for this many starts.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = Some(times);
        self
    }

    /// The same, with one more step.
    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The same, with this answer.
    #[must_use]
    pub fn answers(mut self, answer: Value) -> Self {
        self.answer = answer;
        self
    }
}
