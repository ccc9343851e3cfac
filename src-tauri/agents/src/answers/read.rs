//! The answers, member by member.

use super::check::{Check, at};
use super::fields::{STATUSES, bounded, id_ok, needs, summary};
use super::{
    Answer, AnswerError, AnswerErrorCode as E, AnswerKind, CheckedAnswer, DebugAnswer, DevelopAnswer,
    InitAnswer, MOST_HYPOTHESES, MOST_TASKS, atom, worker,
};
use crate::answers::records::{Hypothesis, PlannedTask};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::{Node, Value};
use loopdeck_text::shorten;
use std::collections::BTreeSet;

pub(super) fn from_json(kind: AnswerKind, node: &Node<'_>) -> Result<CheckedAnswer, Vec<AnswerError>> {
    let mut check = Check::default();
    let answer = match kind {
        AnswerKind::Init => Answer::Init(init(&mut check, node)),
        AnswerKind::Develop => Answer::Develop(develop(&mut check, node)),
        AnswerKind::Debug => Answer::Debug(debug(&mut check, node)),
        AnswerKind::Worker => Answer::Worker(worker::worker(&mut check, node)),
        AnswerKind::Atom => Answer::Atom(atom::atom(&mut check, node)),
        AnswerKind::Judge => Answer::Judge(atom::judge(&mut check, node)),
        AnswerKind::Probe => Answer::Probe(atom::probe(&mut check, node)),
    };
    if check.errors.is_empty() {
        Ok(CheckedAnswer { answer, dropped: check.dropped, corrections: Vec::new() })
    } else {
        Err(check.errors)
    }
}

fn init(check: &mut Check, node: &Node<'_>) -> InitAnswer {
    let needs = Check::optional(node, "needs");
    let items = check.list(node, "", "tasks", MOST_TASKS);
    if items.is_empty() && needs.is_none() && check.errors.is_empty() {
        check.wrong(E::Missing, "tasks", "");
    }
    let mut ids = BTreeSet::new();
    let task = |(index, item): (usize, &Node<'_>)| task(check, index, item, &mut ids);
    InitAnswer { tasks: items.iter().enumerate().map(task).collect(), needs }
}

fn task(check: &mut Check, index: usize, node: &Node<'_>, ids: &mut BTreeSet<String>) -> PlannedTask {
    let place = format!("tasks[{index}]");
    let described = |node: &Node<'_>, check: &mut Check| match node.text() {
        Some(text) => shorten(text.trim(), super::LONGEST_PROSE),
        None => check.required(node, &place, "description"),
    };
    let description = described(node, check);
    if description.is_empty() && node.text().is_some() {
        check.wrong(E::Missing, place.as_str(), "");
    }
    let given = Check::prose(node, "id");
    let id = if given.is_empty() { free_id(ids, index) } else { given };
    id_ok(check, &at(&place, "id"), &id, ids);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
    let priority = node.get("priority").lenient_number().map(|number| number.clamp(1.0, 99.0) as u32);
    let place_in_list = u32::try_from(index + 1).unwrap_or(u32::MAX);
    let files = check.files(node, &place, "files");
    PlannedTask {
        id,
        description,
        priority: priority.unwrap_or(place_in_list),
        files,
        tool: word(node, "tool"),
        mode: word(node, "mode"),
    }
}

/// A short word; the driver cannot use anything longer.
fn word(node: &Node<'_>, key: &str) -> String {
    shorten(&Check::optional(node, key).unwrap_or_default(), 100)
}

fn free_id(ids: &BTreeSet<String>, index: usize) -> String {
    let name = |number: usize| format!("task-{number:03}");
    (index + 1..).map(name).find(|id| !ids.contains(id)).unwrap_or_default()
}

fn develop(check: &mut Check, node: &Node<'_>) -> DevelopAnswer {
    let status = check.status(node);
    let needs = needs(check, node, status);
    DevelopAnswer {
        task_id: Check::optional(node, "task_id"),
        status,
        summary: summary(check, node, needs.as_deref()),
        files_changed: check.files(node, "", "files_changed"),
        needs,
    }
}

fn debug(check: &mut Check, node: &Node<'_>) -> DebugAnswer {
    let items = check.list(node, "", "hypotheses", MOST_HYPOTHESES);
    let mut ids = BTreeSet::new();
    let read = |(index, item): (usize, &Node<'_>)| hypothesis(check, index, item, &mut ids);
    let hypotheses: Vec<Hypothesis> = items.iter().enumerate().map(read).collect();
    let confirmed = confirmed(check, node, &hypotheses);
    let needs = Check::optional(node, "needs");
    let understanding = Check::prose(node, "understanding");
    if hypotheses.is_empty() && understanding.is_empty() && needs.is_none() && check.errors.is_empty() {
        check.wrong(E::Missing, "hypotheses", "");
    }
    DebugAnswer {
        hypotheses,
        understanding,
        confirmed,
        fixed: check.flag(node, "fixed"),
        files_changed: check.files(node, "", "files_changed"),
        needs,
    }
}

fn hypothesis(check: &mut Check, index: usize, node: &Node<'_>, ids: &mut BTreeSet<String>) -> Hypothesis {
    let place = format!("hypotheses[{index}]");
    let id = check.required(node, &place, "id");
    if !id.is_empty() {
        id_ok(check, &at(&place, "id"), &id, ids);
    }
    let written = Check::prose(node, "status").to_lowercase();
    let status = if written.is_empty() { "pending".to_owned() } else { written };
    if !STATUSES.contains(&status.as_str()) {
        check.wrong(E::UnknownWord, at(&place, "status"), &status);
    }
    let criteria = node.get("evidence_criteria");
    let either = |key: &str| Some(Check::prose(node, key)).filter(|text| !text.is_empty());
    let likelihood = node.get("likelihood").lenient_number().map(|number| number.clamp(1.0, 99.0));
    Hypothesis {
        id,
        description: Check::prose(node, "description"),
        testable_condition: Check::prose(node, "testable_condition"),
        logging_point: Check::prose(node, "logging_point"),
        confirm: either("confirm").unwrap_or_else(|| Check::prose(criteria, "confirm")),
        reject: either("reject").unwrap_or_else(|| Check::prose(criteria, "reject")),
        likelihood,
        status,
        evidence: evidence(node.get("evidence")),
        verdict_reason: Check::optional(node, "verdict_reason"),
    }
}

/// Evidence of any shape. A text that contains JSON is parsed, because a strict schema allows only texts.
fn evidence(node: &Node<'_>) -> Json {
    let nothing = |text: &str| ["null", "none", "n/a"].iter().any(|no| text.trim().eq_ignore_ascii_case(no));
    match &node.value {
        Value::Text(text) if nothing(text) => Json::Null,
        Value::Text(text) => match Node::parse(text.trim().as_bytes()) {
            Ok(said) if matches!(said.value, Value::Object(_) | Value::List(_)) => {
                bounded(&said, super::LONGEST_PROSE)
            }
            _ => bounded(node, super::LONGEST_PROSE),
        },
        _ => bounded(node, super::LONGEST_PROSE),
    }
}

/// The root cause: the one named, or the only confirmed one. Its validity for the file is checked later.
fn confirmed(check: &mut Check, node: &Node<'_>, hypotheses: &[Hypothesis]) -> Option<String> {
    let named = Check::optional(node, "confirmed").or_else(|| Check::optional(node, "confirmed_hypothesis"));
    let listed = |id: &String| hypotheses.iter().find(|known| known.id == *id);
    if let Some(id) = &named
        && listed(id).is_some_and(|known| known.status != "confirmed")
    {
        check.wrong(E::NotConfirmed, "confirmed", id);
    }
    let mut judged = hypotheses.iter().filter(|known| known.status == "confirmed");
    named.or_else(|| judged.next().filter(|_| judged.next().is_none()).map(|only| only.id.clone()))
}
