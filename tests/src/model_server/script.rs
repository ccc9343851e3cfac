//! The model's behaviour, as data: by words in the prompt, the tools it calls and its last word.

use serde::Deserialize;

/// Rules in order; the first that matches a prompt decides.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// Tried in this order.
    #[serde(default)]
    pub rules: Vec<Rule>,
    /// For prompts without a matching rule.
    #[serde(default = "Script::one_command")]
    pub otherwise: Rule,
}

/// The behaviour for matching prompts.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Words that must all be in the prompt.
    #[serde(default)]
    pub when: Vec<String>,
    /// How many prompts it may answer completely, before later rules get their turn; absent: all.
    #[serde(default)]
    pub times: Option<usize>,
    /// Tools called, one per request, before the last word. Tools that are not offered are left out.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// The last word.
    #[serde(default)]
    pub answer: String,
    /// Answer with this HTTP status instead.
    #[serde(default)]
    pub fail: Option<u16>,
}

/// One call of a tool, independent of the tool's own format.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A command of the shell.
    Shell(String),
    /// The whole text of a file. Paths are absolute, because some tools accept no others.
    Write {
        /// Where.
        path: String,
        /// What.
        text: String,
    },
    /// The first `old` in a file becomes `new`; the file should have been read.
    Edit {
        /// Where.
        path: String,
        /// The existing text.
        old: String,
        /// The new text.
        new: String,
    },
    /// Reads a file.
    Read {
        /// Which.
        path: String,
    },
    /// A tool by its own name with its own input, whether or not it is offered.
    Raw {
        /// Name of the tool.
        name: String,
        /// Its input.
        input: serde_json::Value,
    },
}

/// In a prompt: makes the model run a command that takes a minute.
pub const SLOW: &str = "LOOPDECK_SLOW_TOOL";

impl Script {
    /// The default: a command when a shell is offered, then a sentence; [`SLOW`] in the prompt makes the command slow.
    #[must_use]
    pub fn plain() -> Self {
        let slow = Rule {
            when: vec![SLOW.into()],
            steps: vec![Step::Shell("echo slow tool began; sleep 60; echo slow tool ended".into())],
            answer: "The slow tool has ended.".into(),
            ..Rule::default()
        };
        Self { rules: vec![slow], otherwise: Self::one_command() }
    }

    /// Rules before those of [`Script::plain`].
    #[must_use]
    pub fn with(rules: Vec<Rule>) -> Self {
        let mut script = Self::plain();
        script.rules.splice(0..0, rules);
        script
    }

    fn one_command() -> Rule {
        Rule {
            steps: vec![Step::Shell("echo loopback tool ran".into())],
            answer: "The loopback model is done.".into(),
            ..Rule::default()
        }
    }

    /// The rule for `prompt` and its number; `spent` returns how many prompts a rule has answered.
    pub(super) fn rule(&self, prompt: &str, spent: impl Fn(usize) -> usize) -> (Option<usize>, &Rule) {
        let fits = |number: usize, rule: &Rule| {
            rule.when.iter().all(|word| prompt.contains(word.as_str()))
                && rule.times.is_none_or(|times| spent(number) < times)
        };
        let found = self.rules.iter().enumerate().find(|(number, rule)| fits(*number, rule));
        found.map_or((None, &self.otherwise), |(number, rule)| (Some(number), rule))
    }
}

impl Rule {
    /// A rule for prompts with all these words.
    #[must_use]
    pub fn when(words: &[&str]) -> Self {
        Self { when: words.iter().map(ToString::to_string).collect(), ..Self::default() }
    }

    /// The same, with one more tool called.
    #[must_use]
    pub fn then(mut self, step: Step) -> Self {
        self.steps.push(step);
        self
    }

    /// The same, with a shell command called.
    #[must_use]
    pub fn shell(self, command: &str) -> Self {
        self.then(Step::Shell(command.into()))
    }

    /// The same, with this last word.
    #[must_use]
    pub fn says(mut self, answer: impl Into<String>) -> Self {
        self.answer = answer.into();
        self
    }

    /// The same, for this many prompts only.
    #[must_use]
    pub fn times(mut self, times: usize) -> Self {
        self.times = Some(times);
        self
    }

    /// The same, answered with an HTTP status.
    #[must_use]
    pub fn fails(mut self, status: u16) -> Self {
        self.fail = Some(status);
        self
    }
}
