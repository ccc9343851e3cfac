//! Agents described by a person. They are in the person's settings, never in a repository: a cloned
//! repository must not bring programs along.
//!
//! A placeholder is a whole argument and becomes one argument: no shell, no splitting, no patterns.

use super::{AgentId, Level, OutputKind};
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::BTreeMap;

/// Placeholders for a whole argument.
pub const PLACEHOLDERS: [&str; 4] = ["{model}", "{session}", "{dir}", "{prompt_file}"];

/// How an agent gets its prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum PromptBy {
    /// On standard input.
    #[default]
    Stdin,
    /// In a file, named by `{prompt_file}`.
    File,
}

/// A custom agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct CustomAgent {
    /// Stable name of the record: lower-case letters, digits, `-`; at most 40.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// An absolute path, or a name to be looked up on the PATH.
    pub program: String,
    /// Arguments of every run.
    #[serde(default)]
    pub args: Vec<String>,
    /// How it gets its prompt.
    #[serde(default)]
    pub prompt: PromptBy,
    /// What it writes.
    pub output: OutputKind,
    /// Arguments of [`Level::LookOnly`]; absent: that level is not offered.
    #[serde(default)]
    pub look_only: Option<Vec<String>>,
    /// Arguments of [`Level::EditFiles`]; absent: that level is not offered.
    #[serde(default)]
    pub edit_files: Option<Vec<String>>,
    /// Arguments of [`Level::FullAccess`]; absent: that level is not offered.
    #[serde(default)]
    pub full_access: Option<Vec<String>>,
    /// Arguments that resume a conversation; absent: it cannot.
    #[serde(default)]
    pub resume: Option<Vec<String>>,
    /// Arguments that ask for its version.
    #[serde(default)]
    pub version_args: Vec<String>,
    /// More environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
}

/// What is wrong with a field. Words: catalogue `custom_agent.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CustomProblemCode {
    /// Nothing there.
    Empty,
    /// Longer than any real one.
    TooLong,
    /// Not a usable id, or the name of a built-in agent.
    BadId,
    /// A path that depends on where the app was started.
    RelativeProgram,
    /// A character that neither arguments nor the environment can contain.
    BadCharacter,
    /// A placeholder that does not exist.
    UnknownPlaceholder,
    /// A placeholder within an argument: it has to be the whole argument.
    PartialPlaceholder,
    /// No level has arguments: nothing could be started.
    NoLevel,
    /// The prompt comes in a file that no argument names.
    PromptFileUnused,
    /// An argument names the prompt file, but the prompt comes on standard input.
    PromptFileMissing,
    /// Resuming without an id would take over the latest conversation, whichever that is.
    ResumeWithoutSession,
    /// Not a valid name for the environment, or one that Loopdeck sets itself.
    BadEnvName,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
pub struct CustomProblem {
    /// Field of the record; `args[2]` for a list item.
    pub field: String,
    /// What.
    pub code: CustomProblemCode,
    /// The value. Untrusted text.
    pub value: Option<String>,
}

impl CustomAgent {
    /// The arguments of a level; none when it is not defined.
    #[must_use]
    pub fn level(&self, level: Level) -> Option<&[String]> {
        let list = match level {
            Level::LookOnly => &self.look_only,
            Level::EditFiles => &self.edit_files,
            Level::FullAccess => &self.full_access,
        };
        list.as_deref()
    }

    /// Every list of arguments, with the name of its field.
    fn lists(&self) -> impl Iterator<Item = (&'static str, &[String])> {
        let lists = [
            ("args", Some(&self.args)),
            ("look_only", self.look_only.as_ref()),
            ("edit_files", self.edit_files.as_ref()),
            ("full_access", self.full_access.as_ref()),
            ("resume", self.resume.as_ref()),
            ("version_args", Some(&self.version_args)),
        ];
        lists.into_iter().filter_map(|(field, list)| Some((field, list?.as_slice())))
    }

    /// Everything that is wrong with the record.
    #[must_use]
    pub fn problems(&self) -> Vec<CustomProblem> {
        let mut found = Findings::default();
        self.check_names(&mut found);
        self.check_lists(&mut found);
        for (name, value) in &self.env {
            let field = "env";
            let word = |next: char| next.is_ascii_alphanumeric() || next == '_';
            let starts = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
            if !starts || !name.chars().all(word) || name.to_ascii_uppercase().starts_with("LOOPDECK_") {
                found.add(field, CustomProblemCode::BadEnvName, name);
            }
            if value.contains('\0') {
                found.add(field, CustomProblemCode::BadCharacter, name);
            }
        }
        found.0
    }

    fn check_names(&self, found: &mut Findings) {
        use CustomProblemCode as Code;
        let id = self.id.as_str();
        if !is_id(id) {
            found.add("id", Code::BadId, id);
        }
        for (field, text, limit) in [("name", &self.name, 80), ("program", &self.program, 4096)] {
            if text.trim().is_empty() {
                found.add(field, Code::Empty, "");
            } else if text.chars().count() > limit {
                found.add(field, Code::TooLong, "");
            }
            if text.contains(char::is_control) {
                found.add(field, Code::BadCharacter, text);
            }
        }
        let program = self.program.as_str();
        let drive = program.as_bytes().get(1) == Some(&b':');
        let absolute = program.starts_with(['/', '\\']) || drive;
        if program.starts_with(['-', '~']) || (program.contains(['/', '\\']) && !absolute) {
            found.add("program", Code::RelativeProgram, program);
        }
        if Level::ALL.into_iter().all(|level| self.level(level).is_none()) {
            found.add("look_only", Code::NoLevel, "");
        }
    }

    fn check_lists(&self, found: &mut Findings) {
        use CustomProblemCode as Code;
        for (field, list) in self.lists() {
            for (at, arg) in list.iter().enumerate() {
                let field = format!("{field}[{at}]");
                if arg.contains('\0') {
                    found.add(&field, Code::BadCharacter, arg);
                } else if is_placeholder(arg) && !PLACEHOLDERS.contains(&arg.as_str()) {
                    found.add(&field, Code::UnknownPlaceholder, arg);
                } else if PLACEHOLDERS.iter().any(|known| arg.contains(known) && arg != known) {
                    found.add(&field, Code::PartialPlaceholder, arg);
                }
            }
        }
        let names = |name: &str, list: &[String]| list.iter().any(|arg| arg == name);
        if self.resume.as_ref().is_some_and(|list| !names("{session}", list)) {
            found.add("resume", Code::ResumeWithoutSession, "");
        }
        let in_levels = |level: Level| self.level(level).is_none_or(|list| names("{prompt_file}", list));
        let named = names("{prompt_file}", &self.args) || Level::ALL.into_iter().all(in_levels);
        let anywhere = self.lists().any(|(_, list)| names("{prompt_file}", list));
        match self.prompt {
            PromptBy::File if !named => found.add("args", Code::PromptFileUnused, ""),
            PromptBy::Stdin if anywhere => found.add("prompt", Code::PromptFileMissing, ""),
            _ => {}
        }
    }
}

/// Whether a custom agent can have this id.
#[must_use]
pub fn is_id(id: &str) -> bool {
    let plain = |next: char| next.is_ascii_lowercase() || next.is_ascii_digit() || next == '-';
    id.chars().all(plain) && (1..=40).contains(&id.len()) && AgentId::parse(id).is_none()
}

/// `{word}` and nothing else. JSON and shell patterns do not look like it.
pub(crate) fn is_placeholder(arg: &str) -> bool {
    let inner = arg.strip_prefix('{').and_then(|arg| arg.strip_suffix('}'));
    let word = |next: char| next.is_ascii_alphanumeric() || matches!(next, '_' | '-');
    inner.is_some_and(|inner| !inner.is_empty() && inner.chars().all(word))
}

#[derive(Default)]
struct Findings(Vec<CustomProblem>);

impl Findings {
    fn add(&mut self, field: &str, code: CustomProblemCode, value: &str) {
        let value = (!value.is_empty()).then(|| loopdeck_text::shorten(value, 200));
        self.0.push(CustomProblem { field: field.to_owned(), code, value });
    }
}
