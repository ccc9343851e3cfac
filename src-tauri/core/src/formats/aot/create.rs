//! The first text of an AoT loop (AoT contract §1, §4): complete, valid and pending, in the canonical layout that the
//! plugin's hook and scripts read.

pub mod draft_by_agent;
pub(crate) mod first_atoms;
pub(crate) mod gate;
use super::forms::{USUAL_ITERATIONS, USUAL_LIMIT};
use crate::checklist::wanted::BaseCase;
use crate::control::Situation;
use crate::format::FileFacts;
use crate::formats::aot::edit::base_case::text_of;
use crate::formats::aot::edit::lengths::within;
use crate::formats::aot::edit::operation::NewAtom;
use crate::formats::aot::edit::written::{MAX_TEXT, Written, one_line};
use crate::problem::Severity;
use crate::refusal::{Refusal, RefusalCode};
use crate::status::StatusWord;
use crate::times::Timestamp;
use crate::view::LoopDetail;
use serde::{Deserialize, Serialize};
use specta::Type;

/// A person's input for a new AoT loop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewAotLoop {
    /// What should be true at the end; one line in the file, in full in the body.
    pub goal: String,
    /// What decides that it is done.
    pub base_case: Option<BaseCase>,
    /// At least 1; 20 when `None`.
    pub max_iterations: Option<u32>,
    /// The rest.
    pub work: AotWork,
}

/// The parts that only an AoT loop has: the rest of its objective, its limits and its first atoms.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(default)]
pub struct AotWork {
    /// Why; the goal if blank.
    pub background_intent: String,
    /// The results; the goal if blank.
    pub deliverables: String,
    /// When it is done; named after the check if blank.
    pub definition_of_done: String,
    /// In scope.
    pub in_scope: Vec<String>,
    /// Out of scope.
    pub out_of_scope: Vec<String>,
    /// The first atoms; if empty, one that is the goal itself. `A<n>` if no id is given. The first choice of
    /// an OR group is selected.
    pub atoms: Vec<NewAtom>,
    /// At least 1; 3 when `None`.
    pub max_parallel_agents: Option<u32>,
    /// At least 1; 3 when `None`.
    pub max_stall_count: Option<u32>,
}

/// The whole file. Blank parts of the objective are derived from other parts; the gate ([`gate::missing`])
/// asks for them.
///
/// # Errors
/// A refusal that names the field, like the gate's.
pub fn create(new: &NewAotLoop, now: Timestamp) -> Result<String, Refusal> {
    let work = &new.work;
    let texts = [
        ("goal", &new.goal),
        ("background_intent", &work.background_intent),
        ("deliverables", &work.deliverables),
        ("definition_of_done", &work.definition_of_done),
    ];
    let atoms = work.atoms.iter().map(|atom| ("atoms", &atom.description));
    texts.into_iter().chain(atoms).try_for_each(|(field, text)| within(field, text, MAX_TEXT))?;
    if let Some(missing) = gate::missing(new).into_iter().find(|missing| !missing.can_be_derived()) {
        return Err(missing.refusal());
    }
    checked_text(text(new, now), now)
}

/// The first atoms as shown while they are being typed: incomplete ones are shown unchanged.
#[must_use]
pub fn draft(atoms: &[NewAtom]) -> LoopDetail {
    let work = AotWork { atoms: atoms.to_vec(), ..AotWork::default() };
    let text = text(&NewAotLoop { work, ..NewAotLoop::default() }, Timestamp::from_millis(0));
    let facts = FileFacts { stem: STEM, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) };
    let situation = Situation { shown: StatusWord::NotStarted, now: Timestamp::from_millis(0) };
    super::detail(text.as_bytes(), &facts, &situation)
}

pub(super) const STEM: &str = "aot-loop-state";

/// The file, even if parts of it are missing.
pub(super) fn text(new: &NewAotLoop, now: Timestamp) -> String {
    let goal = one_line(&new.goal, MAX_TEXT);
    let work = &new.work;
    let or = |text: &str, otherwise: &str| {
        if text.trim().is_empty() { Written::text(otherwise) } else { Written::text(text) }
    };
    let line = |key: &str, value: &Written| format!("  {key}: {}\n", value.yaml(4, "\n"));
    let mut text = "---\nobjective:\n".to_owned();
    text.push_str(&line("goal", &Written::text(&goal)));
    // Anything that cannot be written is left out: the gate has reported it.
    text.push_str(&new.base_case.as_ref().and_then(|check| text_of(check, "  ").ok()).unwrap_or_default());
    text.push_str(&line("background_intent", &or(&work.background_intent, &goal)));
    text.push_str(&line("deliverables", &or(&work.deliverables, &goal)));
    text.push_str(&line("definition_of_done", &or(&work.definition_of_done, DONE)));
    text.push_str(&scope(work));
    text.push_str(&limits(new));
    text.push_str(CONTROL);
    text.push_str(&first_atoms::sections(&goal, &work.atoms, now));
    text.push_str(&body(&new.goal));
    text
}

const DONE: &str = "Every check of base_case passes.";
const CONTROL: &str = "\ncontrol:\n  status: pending\n  iteration: 0\n  stall_count: 0\n  prev_pending_count: -1\n  \
                       stop_requested: false\n  redirect_requested: false\n  stop_reason: null\n";

/// As written by `/align-goal` (§1.2); empty when nothing is given.
fn scope(work: &AotWork) -> String {
    let lists = [("in_scope", &work.in_scope), ("out_of_scope", &work.out_of_scope)];
    if lists.iter().all(|(_, list)| list.is_empty()) {
        return String::new();
    }
    let line = |(key, list): &(&str, &Vec<String>)| {
        let list = Written::texts(list.iter().map(String::as_str).filter(|entry| !entry.trim().is_empty()));
        format!("    {key}: {}\n", list.yaml(4, "\n"))
    };
    format!("  scope:\n{}", lists.iter().map(line).collect::<String>())
}

fn limits(new: &NewAotLoop) -> String {
    let iterations = new.max_iterations.unwrap_or(USUAL_ITERATIONS);
    let agents = new.work.max_parallel_agents.unwrap_or(USUAL_LIMIT);
    let stalls = new.work.max_stall_count.unwrap_or(USUAL_LIMIT);
    format!(
        "  constraints:\n    max_iterations: {iterations}\n    max_parallel_agents: {agents}\n    \
         max_stall_count: {stalls}\n"
    )
}

/// The person's words in full. Lines that the plugin would take for its own are altered (L10, L12).
fn body(goal: &str) -> String {
    let line = |line: &str| {
        let line = line.trim_end();
        let own = line.strip_prefix("  ").is_some_and(|rest| {
            KEYS_OF_THE_HOOK
                .iter()
                .any(|key| rest.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
        });
        match line {
            _ if line.trim_start().starts_with("- id:") => format!("> {line}\n"),
            _ if own => format!(" {line}\n"),
            // A line of three dashes would look like the end of something.
            "---" => "\\---\n".to_owned(),
            _ => format!("{line}\n"),
        }
    };
    let text: String = goal.trim().lines().map(line).collect();
    format!("# Original Prompt\n\n{text}")
}

const KEYS_OF_THE_HOOK: [&str; 7] = [
    "status",
    "iteration",
    "stall_count",
    "prev_pending_count",
    "stop_reason",
    "stop_requested",
    "redirect_requested",
];

/// The text, provided it reads back as a valid loop.
fn checked_text(text: String, now: Timestamp) -> Result<String, Refusal> {
    let facts = FileFacts { stem: STEM, modified: now, now };
    let summary = super::summary(text.as_bytes(), &facts);
    let error = summary.problems.iter().find(|problem| problem.severity == Severity::Error);
    match error {
        None => Ok(text),
        Some(problem) => Err(Refusal::new(RefusalCode::BadValue)
            .with("field", "goal")
            .with("problem", problem.code.name())),
    }
}

#[cfg(test)]
#[path = "create_tests.rs"]
mod tests;
