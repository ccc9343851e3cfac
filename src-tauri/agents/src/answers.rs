//! Reading an agent's answer to one action: strict about its consequences, tolerant about its form.
//!
//! An answer is a JSON object: structured output, or the last object of the text that has the wanted form; failing that,
//! the blocks of the upstream skills (the CCW contract §6, §8). Almost JSON counts, with a list of what was corrected.
//! Claims are checked: ids, counts, paths, sizes. An agent cannot say whether tests passed; such members are not even
//! read.

use serde::{Deserialize, Serialize};
use specta::Type;
use thiserror::Error;

mod atom;
mod block;
mod check;
mod fields;
mod find;
mod paths;
mod plain;
mod read;
pub mod records;
mod schema;
mod worker;

use crate::answers::records::WorkerHypothesis;
use crate::answers::records::{Hypothesis, PlannedTask};
use loopdeck_text::almost_json::Correction;
use loopdeck_text::json_span::json::Json;

pub use find::{LastObject, last_object};
pub use paths::relative_path;
pub use plain::{plain_debug, plain_develop, plain_init, plain_summary, plain_worker};
pub use schema::schema;

/// Tasks of one plan.
pub const MOST_TASKS: usize = 20;
/// Hypotheses of one round.
pub const MOST_HYPOTHESES: usize = 20;
/// Suggestions, issues or findings of one worker.
pub const MOST_REMARKS: usize = 50;
/// Files of one action.
pub const MOST_FILES: usize = 500;
/// Artifacts of one atom.
pub const MOST_ARTIFACTS: usize = 50;
/// Scores of one judge.
pub const MOST_CRITERIA: usize = 100;
/// Characters of a prose member; longer ones are cut.
pub const LONGEST_PROSE: usize = 8_000;
/// Bytes of an answer that are read, from its end.
pub const MOST_BYTES: usize = 256 * 1024;

/// Which answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    /// A plan.
    Init,
    /// The result of a task.
    Develop,
    /// A round of debugging.
    Debug,
    /// The work of a Loop-B worker.
    Worker,
    /// AoT: a worker's result for its atom.
    Atom,
    /// AoT: scores of a quality check.
    Judge,
    /// AoT: whether an atom is feasible.
    Probe,
}

impl AnswerKind {
    /// All of them.
    pub const ALL: [AnswerKind; 7] = [
        AnswerKind::Init,
        AnswerKind::Develop,
        AnswerKind::Debug,
        AnswerKind::Worker,
        AnswerKind::Atom,
        AnswerKind::Judge,
        AnswerKind::Probe,
    ];
}

/// A parsed answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// See [`AnswerKind::Init`].
    Init(InitAnswer),
    /// See [`AnswerKind::Develop`].
    Develop(DevelopAnswer),
    /// See [`AnswerKind::Debug`].
    Debug(DebugAnswer),
    /// See [`AnswerKind::Worker`].
    Worker(WorkerAnswer),
    /// See [`AnswerKind::Atom`].
    Atom(AtomAnswer),
    /// See [`AnswerKind::Judge`].
    Judge(JudgeAnswer),
    /// See [`AnswerKind::Probe`].
    Probe(ProbeAnswer),
}

impl Answer {
    /// The agent's question to a person, when it cannot continue without an answer.
    #[must_use]
    pub fn needs(&self) -> Option<&str> {
        match self {
            Answer::Init(answer) => answer.needs.as_deref(),
            Answer::Develop(answer) => answer.needs.as_deref(),
            Answer::Debug(answer) => answer.needs.as_deref(),
            Answer::Worker(answer) => answer.needs.as_deref(),
            Answer::Atom(answer) => answer.needs.as_deref(),
            Answer::Judge(_) | Answer::Probe(_) => None,
        }
    }
}

/// A plan. The ids of its tasks are unique words; `tool` and `mode` are proposals, and the driver uses only
/// what the person allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InitAnswer {
    /// 1 to [`MOST_TASKS`]; empty only with `needs`.
    pub tasks: Vec<PlannedTask>,
    /// A question to a person.
    pub needs: Option<String>,
}

/// Whether work was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WorkStatus {
    /// It was.
    #[default]
    Completed,
    /// It could not be.
    Failed,
    /// A person has to answer first.
    NeedsInput,
}

/// The result of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DevelopAnswer {
    /// The task, when the answer names it.
    pub task_id: Option<String>,
    /// Done or not.
    pub status: WorkStatus,
    /// In a few sentences.
    pub summary: String,
    /// Relative paths, claimed.
    pub files_changed: Vec<String>,
    /// A question to a person.
    pub needs: Option<String>,
}

/// A round of debugging.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugAnswer {
    /// New and changed ones; unique ids.
    pub hypotheses: Vec<Hypothesis>,
    /// The current understanding.
    pub understanding: String,
    /// Id of the root cause.
    pub confirmed: Option<String>,
    /// Whether this round removed the cause.
    pub fixed: bool,
    /// Relative paths, claimed.
    pub files_changed: Vec<String>,
    /// A question to a person.
    pub needs: Option<String>,
}

/// The work of a Loop-B worker (seed 003, "Worker Output Structure" and "Parallel Results Schema").
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WorkerAnswer {
    /// Done or not.
    pub status: WorkStatus,
    /// In a few sentences.
    pub summary: String,
    /// Relative paths, claimed.
    pub files_changed: Vec<String>,
    /// Ids of tasks it finished.
    pub completed_tasks: Vec<String>,
    /// What else could be done, one suggestion each.
    pub suggestions: Vec<String>,
    /// Problems that were not fixed, one each.
    pub issues_found: Vec<String>,
    /// What everyone working on the loop should know, one discovery each.
    pub findings: Vec<String>,
    /// From a debug worker: new and changed ones; unique ids.
    pub hypotheses: Vec<WorkerHypothesis>,
    /// Id of the root cause.
    pub confirmed: Option<String>,
    /// From a debug worker: whether this run removed the cause; `None` when it does not say.
    pub fixed: Option<bool>,
    /// Lines added, claimed.
    pub lines_added: Option<u32>,
    /// Lines removed, claimed.
    pub lines_removed: Option<u32>,
    /// An action: `develop`, `debug`, `validate`, `complete`.
    pub next_suggestion: Option<String>,
    /// An action to go back to.
    pub loop_back_to: Option<String>,
    /// Text, or an object.
    pub detailed_output: Json,
    /// A question to a person.
    pub needs: Option<String>,
}

/// The result of an atom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AtomStatus {
    /// It is done.
    #[default]
    Resolved,
    /// It could not be done.
    Failed,
    /// It should be done as smaller atoms.
    Decomposed,
    /// A person has to answer first.
    NeedsInput,
}

/// A worker's result for its atom.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtomAnswer {
    /// Done or not.
    pub status: AtomStatus,
    /// The result; may be empty for an atom that is not resolved.
    pub summary: String,
    /// Files, globs and links to show, claimed.
    pub artifacts: Vec<String>,
    /// For a decomposition, 1 to [`MOST_TASKS`].
    pub children: Vec<ChildAtom>,
    /// Why it failed or was decomposed.
    pub reason: Option<String>,
    /// A question to a person.
    pub needs: Option<String>,
}

/// A smaller atom, proposed by the worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChildAtom {
    /// The worker's name for it.
    pub id: Option<String>,
    /// What to do.
    pub description: String,
    /// Other children by the worker's names, or atoms of the loop.
    pub depends_on: Vec<String>,
}

/// Scores of a quality check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JudgeAnswer {
    /// One per criterion.
    pub scores: Vec<CriterionScore>,
}

/// Whether an atom is feasible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeAnswer {
    /// It can be done this way.
    pub feasible: bool,
    /// Why, or why not.
    pub reason: String,
}

/// The score of one criterion, with evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CriterionScore {
    /// Its name.
    pub criterion: String,
    /// 1 to 5.
    pub score: f64,
    /// What the agent saw.
    pub evidence: String,
}

/// An answer, and the parts left out because they are not credible (paths outside the folder).
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedAnswer {
    /// The parsed answer.
    pub answer: Answer,
    /// Left out.
    pub dropped: Vec<AnswerError>,
    /// What was not JSON in it and could be read all the same.
    pub corrections: Vec<Correction>,
}

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Type, Error)]
#[error("{}{}{code}{}", on(.line), before(.place), after(.found))]
pub struct AnswerError {
    /// What.
    pub code: AnswerErrorCode,
    /// Where: `tasks[2].id`; empty for the whole answer.
    pub place: String,
    /// The value found, cut to 100 characters. Untrusted text.
    pub found: String,
    /// 1-based line of the answer, when there is one.
    #[serde(default)]
    pub line: Option<u32>,
}

/// Kinds of errors in answers. Words: catalogue `answer_error.<code>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type, Error)]
#[serde(rename_all = "snake_case")]
pub enum AnswerErrorCode {
    /// No JSON object in the text.
    #[error("there is no JSON object in the answer")]
    NoObject,
    /// A block that begins like JSON and is none.
    #[error("this is not valid JSON")]
    NotJson,
    /// A member that must be there is not, or is blank.
    #[error("this member is missing or empty")]
    Missing,
    /// A value of another type.
    #[error("this value has the wrong type")]
    WrongType,
    /// A word outside its list.
    #[error("this word is not allowed here")]
    UnknownWord,
    /// More items than allowed.
    #[error("there are too many items")]
    TooMany,
    /// An id that is no plain word.
    #[error("an id must be one word of at most 100 characters without * ` / \\ :")]
    BadId,
    /// An id that stands there twice.
    #[error("this id is used twice")]
    RepeatedId,
    /// A path that is absolute or leads out of the folder.
    #[error("a path must be relative to the folder, without ..")]
    BadPath,
    /// The answer is about another task.
    #[error("this is not the task that was given")]
    WrongTask,
    /// The root cause is no hypothesis with the verdict `confirmed`.
    #[error("the confirmed hypothesis must be listed with the status confirmed")]
    NotConfirmed,
    /// A number that is too small or too large.
    #[error("a score must be a number from 1 to 5")]
    OutOfRange,
}

impl AnswerError {
    /// An error at `place`, with the value found there, cut to 100 characters.
    pub fn new(code: AnswerErrorCode, place: impl Into<String>, found: &str) -> Self {
        Self { code, place: place.into(), found: loopdeck_text::shorten(found, 100), line: None }
    }
}

fn on(line: &Option<u32>) -> String {
    line.map(|line| format!("line {line}: ")).unwrap_or_default()
}

fn before(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}

fn after(found: &str) -> String {
    if found.is_empty() { String::new() } else { format!(" (found: {})", found.escape_debug()) }
}

/// Reads an answer of `kind` from a text of an agent: the last object of that form, or a block of the skills.
///
/// # Errors
/// What is wrong when nothing is usable, with its lines; never empty.
pub fn read(kind: AnswerKind, text: &str) -> Result<CheckedAnswer, Vec<AnswerError>> {
    match last_object(text, |node| read::from_json(kind, node)) {
        Ok(LastObject { value, corrections }) => Ok(CheckedAnswer { corrections, ..value }),
        Err(errors) => block::reading(kind, text).ok_or(errors),
    }
}

/// Like [`read`], for an answer that the program reports separately from its text; the text is used when that
/// one is unusable.
///
/// # Errors
/// Like [`read`].
pub fn read_structured(
    kind: AnswerKind,
    structured: Option<&str>,
    text: &str,
) -> Result<CheckedAnswer, Vec<AnswerError>> {
    match structured.filter(|structured| !structured.trim().is_empty()) {
        Some(structured) => read(kind, structured).or_else(|errors| read(kind, text).map_err(|_| errors)),
        None => read(kind, text),
    }
}

/// Which of an agent's messages is its answer: the last one that can be read as one of `kind`; of messages without one,
/// the last that has an object, or else the last. A closing remark does not hide an answer.
#[must_use]
pub fn among(kind: Option<AnswerKind>, messages: &[String]) -> &str {
    let last = |wanted: &dyn Fn(&str) -> bool| {
        messages
            .iter()
            .rev()
            .map(String::as_str)
            .find(|message| !message.trim().is_empty() && wanted(message))
    };
    let answer = kind.and_then(|kind| last(&|message| read(kind, message).is_ok()));
    let like_one = || kind.and_then(|_| last(&|message| last_object(message, |_| Ok(())).is_ok()));
    answer.or_else(like_one).or_else(|| last(&|_| true)).unwrap_or_default()
}

/// Characters kept of a result.
pub const LONGEST_RESULT: usize = 200_000;

/// Ids are used in headings and bold labels of progress texts, so they must be a single word there.
#[must_use]
pub fn is_id(id: &str) -> bool {
    let plain = |c: char| !c.is_control() && !c.is_whitespace() && !matches!(c, '*' | '`' | '/' | '\\' | ':');
    !id.is_empty() && id.chars().count() <= 100 && id.chars().all(plain)
}

#[cfg(test)]
#[path = "answers/tests.rs"]
mod tests;
