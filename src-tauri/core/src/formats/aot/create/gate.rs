//! The gate before the start of a new loop (AoT contract §8): everything that is missing, by field of the
//! form. Pure: checks that depend on the folder (trust, owner, agent) are made where folders are known.

use super::first_atoms;
use crate::checklist::wanted::{BaseCase, Check, CheckItem, CheckPart, Quality};
use crate::format::FileFacts;
use crate::formats::aot::check::{lint, rules, validator as checks};
use crate::formats::aot::create::{self, NewAotLoop};
use crate::formats::aot::edit::operation::NewAtom;
use crate::formats::aot::edit::written::MAX_TEXT;
use crate::formats::aot::edit::{base_case, quality};
use crate::formats::aot::forms::{ITERATIONS, MAX_ATOMS, STEPS};
use crate::formats::aot::read::state;
use crate::problem::Severity;
use crate::refusal::{Refusal, RefusalCode};
use crate::times::Timestamp;
use std::collections::{BTreeMap, HashSet};

/// One thing that is missing or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Field: `goal`, `background_intent`, `in_scope`, `base_case`, `base_case.0.2` (the third item within the first),
    /// `atoms`, `atoms.1`, `max_stall_count`, …
    pub field: String,
    /// What is wrong. Words: catalogue `form_problem.<code>`.
    pub code: &'static str,
    /// Named values.
    pub args: BTreeMap<String, String>,
}

/// Texts of the objective that are derived when left blank.
const DERIVED: [&str; 3] = ["background_intent", "deliverables", "definition_of_done"];

impl Missing {
    fn new(field: impl Into<String>, code: &'static str) -> Self {
        Self { field: field.into(), code, args: BTreeMap::new() }
    }

    fn with(mut self, name: &str, value: impl std::fmt::Display) -> Self {
        self.args.insert(name.to_owned(), value.to_string());
        self
    }

    /// A blank text that can be derived.
    pub(crate) fn can_be_derived(&self) -> bool {
        self.code == "blank" && DERIVED.contains(&self.field.as_str())
    }

    /// As a refusal.
    pub(crate) fn refusal(self) -> Refusal {
        let refusal = Refusal::new(RefusalCode::BadValue).with("field", self.field).with("code", self.code);
        self.args.into_iter().fold(refusal, |refusal, (name, value)| refusal.with(&name, value))
    }
}

/// Everything that is missing before `new` can start, in the order of the form.
#[must_use]
pub fn missing(new: &NewAotLoop) -> Vec<Missing> {
    let mut found = Vec::new();
    objective(new, &mut found);
    match &new.base_case {
        None => found.push(Missing::new("base_case", "blank")),
        Some(base_case) => checklist(base_case, &mut found),
    }
    atoms(&new.work.atoms, &mut found);
    limits(new, &mut found);
    if found.iter().all(Missing::can_be_derived) {
        found.extend(unsound(new));
    }
    found
}

fn objective(new: &NewAotLoop, found: &mut Vec<Missing>) {
    let work = &new.work;
    let texts = [
        ("goal", &new.goal),
        ("background_intent", &work.background_intent),
        ("deliverables", &work.deliverables),
        ("definition_of_done", &work.definition_of_done),
    ];
    for (field, text) in texts {
        if text.trim().is_empty() {
            found.push(Missing::new(field, "blank"));
        } else {
            length(field, text, found);
        }
    }
    for (field, list) in [("in_scope", &work.in_scope), ("out_of_scope", &work.out_of_scope)] {
        if let Some(entry) = list.iter().find(|entry| is_too_long(entry)) {
            length(field, entry, found);
        }
    }
}

fn is_too_long(text: &str) -> bool {
    text.trim().chars().nth(MAX_TEXT).is_some()
}

/// Texts are never cut: the person has to shorten one that is too long.
fn length(field: &str, text: &str, found: &mut Vec<Missing>) {
    if is_too_long(text) {
        found.push(Missing::new(field, "too_long").with("limit", MAX_TEXT));
    }
}

fn checklist(base_case: &BaseCase, found: &mut Vec<Missing>) {
    match base_case {
        BaseCase::Single(check) => found.extend(check_flaw("base_case", check)),
        BaseCase::Quality(quality) => found.extend(quality_flaw("base_case", quality)),
        BaseCase::Checklist(list) => items("base_case", list, 0, found),
    }
}

fn items(path: &str, list: &[CheckItem], depth: usize, found: &mut Vec<Missing>) {
    if list.is_empty() {
        return found.push(Missing::new(path, "no_items"));
    }
    if depth > base_case::MAX_DEPTH {
        return found.push(Missing::new(path, "too_deep").with("limit", base_case::MAX_DEPTH));
    }
    for (index, item) in list.iter().enumerate() {
        let path = format!("{path}.{index}");
        if item.item.trim().is_empty() {
            found.push(Missing::new(&path, "unnamed"));
        } else if item.item.contains('"') {
            found.push(Missing::new(&path, "quote_in_name"));
        } else {
            length(&path, &item.item, found);
        }
        match &item.part {
            CheckPart::Check(check) => found.extend(check_flaw(&path, check)),
            CheckPart::Quality(quality) => found.extend(quality_flaw(&path, quality)),
            CheckPart::Group(list) | CheckPart::AnyOf(list) => items(&path, list, depth + 1, found),
        }
    }
}

fn check_flaw(path: &str, check: &Check) -> Option<Missing> {
    if !check.kind.is_in_files() {
        return Some(Missing::new(path, "not_writable"));
    }
    if check.value.trim().is_empty() {
        return Some(Missing::new(path, "blank"));
    }
    let written = base_case::check_value(&check.value, check.kind.is_shell());
    let code = if check.kind.is_shell() { "command_not_writable" } else { "not_writable" };
    written.is_none().then(|| Missing::new(path, code))
}

fn quality_flaw(path: &str, quality: &Quality) -> Option<Missing> {
    quality::flaw(quality).map(|code| Missing::new(path, code))
}

fn atoms(atoms: &[NewAtom], found: &mut Vec<Missing>) {
    if atoms.len() > MAX_ATOMS {
        return found.push(Missing::new("atoms", "too_many").with("limit", MAX_ATOMS));
    }
    let ids = first_atoms::ids(atoms, std::iter::empty());
    let known: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let mut used = HashSet::new();
    let before = found.len();
    for (index, (atom, id)) in atoms.iter().zip(&ids).enumerate() {
        let path = format!("atoms.{index}");
        if atom.description.trim().is_empty() {
            found.push(Missing::new(&path, "blank"));
        }
        length(&path, &atom.description, found);
        if !lint::is_plain_id(id) {
            found.push(Missing::new(&path, "bad_id").with("id", id));
        } else if !used.insert(id) {
            found.push(Missing::new(&path, "id_taken").with("id", id));
        }
        if let Some(group) = first_atoms::group(atom).filter(|group| !lint::is_plain_id(group)) {
            found.push(Missing::new(&path, "bad_group").with("group", group));
        }
        if let Some(unknown) = atom.depends_on.iter().find(|need| !known.contains(need.trim())) {
            found.push(Missing::new(&path, "unknown_atom").with("id", unknown));
        }
    }
    if found.len() == before {
        found.extend(cycle(atoms));
    }
}

/// Work that would wait for itself (§10, V7), directly or through the selected choice.
fn cycle(atoms: &[NewAtom]) -> Option<Missing> {
    let work = create::AotWork { atoms: atoms.to_vec(), ..create::AotWork::default() };
    let text = create::text(&NewAotLoop { work, ..NewAotLoop::default() }, Timestamp::from_millis(0));
    let document = state::read(text.as_bytes()).ok()?;
    let cycle = checks::graph(&document.state).cycles(1).into_iter().next()?;
    Some(Missing::new("atoms", "cycle").with("cycle", cycle.join(" → ")))
}

fn limits(new: &NewAotLoop, found: &mut Vec<Missing>) {
    if new.max_iterations.is_some_and(|limit| !ITERATIONS.accepts(limit)) {
        found.push(Missing::new("max_iterations", "out_of_range"));
    }
    let others = [
        ("max_parallel_agents", new.work.max_parallel_agents),
        ("max_stall_count", new.work.max_stall_count),
    ];
    for (field, limit) in others {
        if limit.is_some_and(|limit| limit < STEPS.least_limit) {
            found.push(Missing::new(field, "out_of_range"));
        }
    }
}

/// Reasons to refuse the file itself; none are known that the checks above do not find.
fn unsound(new: &NewAotLoop) -> Option<Missing> {
    let text = create::text(new, Timestamp::from_millis(0));
    let facts =
        FileFacts { stem: create::STEM, modified: Timestamp::from_millis(0), now: Timestamp::from_millis(0) };
    let summary = crate::formats::aot::summary(text.as_bytes(), &facts);
    if let Some(error) = summary.problems.iter().find(|problem| problem.severity == Severity::Error) {
        return Some(Missing::new("goal", "unsound").with("problem", error.code.name()));
    }
    let refusal = rules::gate(&summary)?;
    let field = refusal.args.get("field").map_or("goal", String::as_str);
    let field = field.strip_prefix("objective.").unwrap_or(field);
    let top = field.split(['.', '[']).next().unwrap_or(field);
    Some(Missing::new(top, if top == "atoms" { "nothing_ready" } else { "blank" }))
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;
