//! The answers of an AoT loop: a worker's result for its atom, and a judge's scores for a check.

use super::LONGEST_RESULT;
use super::check::{Check, at};
use super::{
    AnswerErrorCode as E, AtomAnswer, AtomStatus, ChildAtom, CriterionScore, JudgeAnswer, LONGEST_PROSE,
    MOST_ARTIFACTS, MOST_CRITERIA, MOST_TASKS, ProbeAnswer,
};
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::shorten;
use std::collections::BTreeSet;

/// Characters of an artifact, which is a name to show.
const LONGEST_ARTIFACT: usize = 500;
/// Characters of a child's description: the file's limit, less the mark of a cut.
const LONGEST_DESCRIPTION: usize = 19_999;
/// Characters of the evidence for one score.
const LONGEST_EVIDENCE: usize = 1_000;
/// Ids that one child may name.
const MOST_NEEDS: usize = 100;

pub(super) fn atom(check: &mut Check, node: &Node<'_>) -> AtomAnswer {
    let status = status(check, node);
    let reason = Check::optional(node, "reason");
    let needs = Check::optional(node, "needs").filter(|_| status == AtomStatus::NeedsInput);
    // Not shortened, because later atoms build on the result; a long one gets its own file.
    let summary = Check::text(node, "summary", LONGEST_RESULT - 1); // room for the mark of a cut
    let said = !summary.is_empty() || reason.is_some();
    match status {
        AtomStatus::Resolved if summary.is_empty() => check.wrong(E::Missing, "summary", ""),
        AtomStatus::NeedsInput if needs.is_none() && !said => check.wrong(E::Missing, "needs", ""),
        _ => {}
    }
    let children = if status == AtomStatus::Decomposed { children(check, node) } else { Vec::new() };
    let needs = needs.or_else(|| {
        let asked = reason.clone().or_else(|| Some(summary.clone()).filter(|text| !text.is_empty()));
        asked.filter(|_| status == AtomStatus::NeedsInput)
    });
    AtomAnswer { status, summary, artifacts: artifacts(check, node), children, reason, needs }
}

/// `resolved`, `failed`, `decomposed`, `needs_input`, and their variants.
fn status(check: &mut Check, node: &Node<'_>) -> AtomStatus {
    let written = Check::prose(node, "status");
    match written.to_lowercase().replace([' ', '-'], "_").as_str() {
        "decomposed" | "decompose" | "split" => return AtomStatus::Decomposed,
        "resolved" => return AtomStatus::Resolved,
        _ => {}
    }
    match check.status(node) {
        super::WorkStatus::Completed => AtomStatus::Resolved,
        super::WorkStatus::Failed => AtomStatus::Failed,
        super::WorkStatus::NeedsInput => AtomStatus::NeedsInput,
    }
}

/// Names to show, each once.
fn artifacts(check: &mut Check, node: &Node<'_>) -> Vec<String> {
    let mut artifacts: Vec<String> = Vec::new();
    for item in check.list(node, "", "artifacts", MOST_ARTIFACTS) {
        let text = item.text().or_else(|| item.get("path").text()).unwrap_or_default();
        let clean: String = text.chars().filter(|c| !c.is_control()).collect();
        let name = shorten(clean.trim(), LONGEST_ARTIFACT);
        if !name.is_empty() && !artifacts.contains(&name) {
            artifacts.push(name);
        }
    }
    artifacts
}

fn children(check: &mut Check, node: &Node<'_>) -> Vec<ChildAtom> {
    let items = check.list(node, "", "children", MOST_TASKS);
    if items.is_empty() {
        check.wrong(E::Missing, "children", "");
    }
    let mut ids = BTreeSet::new();
    items.iter().enumerate().map(|(index, item)| child(check, index, item, &mut ids)).collect()
}

fn child(check: &mut Check, index: usize, node: &Node<'_>, ids: &mut BTreeSet<String>) -> ChildAtom {
    let place = format!("children[{index}]");
    if let Some(text) = node.text() {
        let description = shorten(text.trim(), LONGEST_DESCRIPTION);
        if description.is_empty() {
            check.wrong(E::Missing, place, "");
        }
        return ChildAtom { description, ..ChildAtom::default() };
    }
    let id = Check::optional(node, "id").map(|id| shorten(&id, 100));
    if let Some(id) = &id
        && !ids.insert(id.clone())
    {
        check.wrong(E::RepeatedId, at(&place, "id"), id);
    }
    if Check::prose(node, "description").is_empty() {
        check.wrong(E::Missing, at(&place, "description"), "");
    }
    let description = Check::text(node, "description", LONGEST_DESCRIPTION);
    let needs = check.list(node, &place, "depends_on", MOST_NEEDS);
    let depends_on = needs.iter().filter_map(Node::text).map(|id| shorten(id.trim(), 100));
    ChildAtom { id, description, depends_on: depends_on.filter(|id| !id.is_empty()).collect() }
}

pub(super) fn judge(check: &mut Check, node: &Node<'_>) -> JudgeAnswer {
    let items = check.list(node, "", "scores", MOST_CRITERIA);
    if items.is_empty() && check.errors.is_empty() {
        check.wrong(E::Missing, "scores", "");
    }
    let score = |(index, item): (usize, &Node<'_>)| score(check, index, item);
    JudgeAnswer { scores: items.iter().enumerate().map(score).collect() }
}

/// It counts even without a reason.
pub(super) fn probe(check: &mut Check, node: &Node<'_>) -> ProbeAnswer {
    let feasible = check.optional_flag(node, "feasible");
    if feasible.is_none() && check.errors.is_empty() {
        check.wrong(E::Missing, "feasible", "");
    }
    let reason = shorten(&Check::prose(node, "reason"), LONGEST_PROSE);
    ProbeAnswer { feasible: feasible.unwrap_or(true), reason }
}

fn score(check: &mut Check, index: usize, node: &Node<'_>) -> CriterionScore {
    let place = format!("scores[{index}]");
    let given = node.get("score");
    let score = given.lenient_number();
    match score {
        None if given.is_null() => check.wrong(E::Missing, at(&place, "score"), ""),
        None => check.wrong(E::WrongType, at(&place, "score"), &given.json(None, 100)),
        Some(number) if !(1.0..=5.0).contains(&number) => {
            check.wrong(E::OutOfRange, at(&place, "score"), &given.json(None, 100));
        }
        Some(_) => {}
    }
    let evidence = check.required(node, &place, "evidence");
    CriterionScore {
        criterion: shorten(&Check::prose(node, "criterion"), LONGEST_PROSE),
        score: score.unwrap_or_default(),
        evidence: shorten(&evidence, LONGEST_EVIDENCE),
    }
}
