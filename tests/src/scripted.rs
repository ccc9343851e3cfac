//! The script of `scripted_agent`, a program that behaves as an agent does, or as one should not.
//!
//! It reads its prompt from standard input, takes the first rule that fits the action and the task, does the rule's steps and
//! ends with the rule's answer. The script is the file named by [`SCRIPT`], or [`IN_WORKSPACE`] in its current folder; without
//! one it does the tiny project as [`crate::tiny_project::script`] has it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Names the script's file in the environment.
pub const SCRIPT: &str = "LOOPDECK_SCRIPTED_AGENT";

/// The script's file when the environment names none.
pub const IN_WORKSPACE: &str = ".scripted-agent.json";

/// Why its AoT plugin failed, of a [`Rule`] that lacks skills.
pub const NO_PLUGIN: &str = "Plugin not found in marketplace";

/// What the agent does, by action.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scripted {
    /// How it speaks.
    pub output: Output,
    /// In order; the first that fits. When none fits it ends with exit code 3.
    pub rules: Vec<Rule>,
}

/// How the agent speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Output {
    /// Lines for people.
    #[default]
    Text,
    /// The stream of Claude Code, both ways: with `--input-format stream-json` it takes its prompt as a line, asks and is
    /// interrupted.
    ClaudeJsonl,
}

/// What is done for some prompts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rule {
    /// `init`, `develop`, `debug`; absent: any. From the prompt, else from `LOOPDECK_ACTION`.
    pub action: Option<String>,
    /// Id of the task; absent: any.
    pub task: Option<String>,
    /// How many starts it is for, before later rules get their turn; absent: all.
    pub times: Option<usize>,
    /// Only for starts that are to go on with a conversation: the agent does not know it, and says so as Claude Code does.
    pub forgets: bool,
    /// Claude's stream only: the slash commands of the loops' skills are not among those that it lists when it begins, and it
    /// says that the AoT plugin failed.
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
    /// Claude's stream only: members of the last event that are to be other than those of a success.
    pub result: Value,
}

/// One thing that the agent does.
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
    /// `old` in a file becomes `new`; when it is not there the agent fails with exit code 4.
    Edit {
        /// Where.
        path: PathBuf,
        /// What is there.
        old: String,
        /// What comes.
        new: String,
    },
    /// A command of the shell; its exit code does not matter.
    Shell(String),
    /// Waits until a file is there: the gate of a test.
    WaitFor(PathBuf),
    /// So many lines, as fast as it goes.
    Spam {
        /// How many.
        lines: u64,
        /// Each one, behind its number.
        text: String,
    },
    /// Bytes as they are, without a line end; for broken lines.
    Raw(String),
    /// Does nothing for ever.
    Hang,
    /// Ends by SIGABRT, without a last word.
    Crash,
    /// Ends at once with this code, without a last word.
    Exit(i32),
    /// Leaves a process behind.
    Spawn(Spawn),
    /// Asks whether it may use a tool; denied, it leaves out the steps that remain. Claude's stream only.
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
    /// In a session of its own, and no longer a child of the agent.
    pub own_session: bool,
    /// Without the run's marker in its environment.
    pub without_environment: bool,
    /// Keeps the agent's standard output open.
    pub holds_output: bool,
    /// Its process id is written here.
    pub pid_file: Option<PathBuf>,
}

impl Scripted {
    /// Puts the script into the folder of a workspace.
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

    /// The same, for so many starts.
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
