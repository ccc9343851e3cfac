//! The answer of a Loop-B worker.

use super::check::{Check, at};
use super::fields;
use super::fields::STATUSES;
use super::{AnswerErrorCode as E, MOST_HYPOTHESES, MOST_REMARKS, MOST_TASKS, WorkerAnswer};
use crate::answers::records::Confidence;
use crate::answers::records::WorkerHypothesis;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use std::collections::BTreeSet;

const LONGEST_DETAIL: usize = 20_000;
/// Characters of a suggestion, an issue, a finding.
const LONGEST_REMARK: usize = 1_000;

pub(super) fn worker(check: &mut Check, node: &Node<'_>) -> WorkerAnswer {
    let status = check.status(node);
    let needs = fields::needs(check, node, status);
    let hypotheses = hypotheses(check, node);
    let metrics = node.get("metrics");
    WorkerAnswer {
        status,
        summary: fields::summary(check, node, needs.as_deref()),
        files_changed: check.files(node, "", "files_changed"),
        completed_tasks: completed_tasks(check, node),
        suggestions: remarks(check, node, "suggestions"),
        issues_found: remarks(check, node, "issues_found"),
        findings: remarks(check, node, "findings"),
        confirmed: confirmed(check, node, &hypotheses),
        hypotheses,
        fixed: check.optional_flag(node, "fixed"),
        lines_added: lines(node, "lines_added").or_else(|| lines(metrics, "lines_added")),
        lines_removed: lines(node, "lines_removed").or_else(|| lines(metrics, "lines_removed")),
        next_suggestion: fields::action(node, "next_suggestion"),
        loop_back_to: fields::action(node, "loop_back_to"),
        detailed_output: fields::bounded(node.get("detailed_output"), LONGEST_DETAIL),
        needs,
    }
}

fn completed_tasks(check: &mut Check, node: &Node<'_>) -> Vec<String> {
    let finished = check.list(node, "", "completed_tasks", MOST_TASKS * 10);
    let mut ids: Vec<String> = Vec::new();
    for id in finished.iter().filter_map(|item| item.text().or_else(|| item.get("id").text())) {
        if !ids.iter().any(|known| known == id) {
            ids.push(shorten(id, 100));
        }
    }
    ids
}

/// Sentences, each once. If an agent gives objects instead, they are kept as JSON text.
fn remarks(check: &mut Check, node: &Node<'_>, key: &str) -> Vec<String> {
    let mut remarks: Vec<String> = Vec::new();
    for item in check.list(node, "", key, MOST_REMARKS) {
        let text = item.shown(LONGEST_REMARK).unwrap_or_default();
        let text = shorten(text.trim(), LONGEST_REMARK);
        if !text.is_empty() && !remarks.contains(&text) {
            remarks.push(text);
        }
    }
    remarks
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
fn lines(node: &Node<'_>, key: &str) -> Option<u32> {
    node.get(key).lenient_number().filter(|lines| *lines >= 0.0).map(|lines| lines as u32)
}

fn hypotheses(check: &mut Check, node: &Node<'_>) -> Vec<WorkerHypothesis> {
    let items = check.list(node, "", "hypotheses", MOST_HYPOTHESES);
    let mut ids = BTreeSet::new();
    items.iter().enumerate().map(|(index, item)| hypothesis(check, index, item, &mut ids)).collect()
}

/// Also accepts the words of Loop v2, which agents know from its skill.
fn hypothesis(
    check: &mut Check,
    index: usize,
    node: &Node<'_>,
    ids: &mut BTreeSet<String>,
) -> WorkerHypothesis {
    let place = format!("hypotheses[{index}]");
    let id = check.required(node, &place, "id");
    if !id.is_empty() {
        fields::id_ok(check, &at(&place, "id"), &id, ids);
    }
    let written = Check::prose(node, "status").to_lowercase();
    let status = if written.is_empty() { "pending".to_owned() } else { written };
    if !STATUSES.contains(&status.as_str()) {
        check.wrong(E::UnknownWord, at(&place, "status"), &status);
    }
    let testable = Check::optional(node, "testable").or_else(|| Check::optional(node, "testable_condition"));
    WorkerHypothesis {
        id,
        description: Check::prose(node, "description"),
        confidence: Confidence::from_word(&Check::prose(node, "confidence")),
        testable: testable.unwrap_or_default(),
        mechanism: Check::prose(node, "mechanism"),
        status,
        evidence: Check::optional(node, "evidence"),
        verdict_reason: Check::optional(node, "verdict_reason"),
    }
}

/// The root cause: the one named, or the only confirmed one. One listed with another verdict does not count.
fn confirmed(check: &mut Check, node: &Node<'_>, hypotheses: &[WorkerHypothesis]) -> Option<String> {
    let named = Check::optional(node, "confirmed");
    let other = |id: &String| hypotheses.iter().any(|known| known.id == *id && known.status != "confirmed");
    if let Some(id) = named.as_ref().filter(|id| other(id)) {
        check.wrong(E::NotConfirmed, "confirmed", id);
    }
    let mut judged = hypotheses.iter().filter(|known| known.status == "confirmed");
    named.or_else(|| judged.next().filter(|_| judged.next().is_none()).map(|only| only.id.clone()))
}
