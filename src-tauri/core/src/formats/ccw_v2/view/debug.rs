//! The debug section as a person sees it: the master's hypotheses, or else those of the files next to it,
//! with their log.

use crate::formats::ccw::progress_docs::debug::DebugDoc;
use crate::formats::ccw::progress_docs::ndjson::DebugLogLine;
use crate::formats::ccw::progress_docs::records::Hypothesis;
use crate::formats::ccw::read::clock::Clock;
use crate::formats::ccw::read::docs::Docs;
use crate::formats::ccw::read::events;
use crate::formats::ccw::read::facts::{LONG, SHORT, optional, text};
use crate::formats::ccw::read::state::CcwState;
use crate::formats::ccw::read::values::{either, saturated};
use crate::formats::ccw_v2::read::companions::Side;
use crate::place::logging_point;
use crate::view::{DebugView, HypothesisVerdict, HypothesisView, LogEntryView, RankView, RankedBy};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::{Node, Value};
use loopdeck_text::shorten;
use std::collections::HashMap;

/// Most log entries shown for one hypothesis, the newest.
const MOST_LOG: usize = 200;
/// Most hypotheses shown of a hostile file.
const MOST_HYPOTHESES: usize = 500;

/// The section; from the side files when the master has lost its hypotheses (the CCW contract §16).
pub(crate) fn debug(state: &CcwState<'_>, clock: &Clock, side: &Side<'_>) -> Option<DebugView> {
    let listed = if state.hypotheses.is_empty() { side.hypotheses() } else { state.hypotheses };
    if !state.debug.is_object() && listed.is_empty() {
        return of_docs(&side.docs, clock);
    }
    let mut hypotheses: Vec<_> = listed.iter().filter(|node| node.is_object()).map(hypothesis).collect();
    if hypotheses.is_empty() {
        hypotheses = in_text(&side.docs);
    }
    Some(DebugView {
        active_bug: either(state.debug, "active_bug", "current_bug").shown(LONG),
        iteration: state.debug.get("iteration").lenient_number(),
        confirmed: state.confirmed().map(|id| shorten(id, SHORT)),
        last_analysis: state.debug.get("last_analysis_at").text().map(|text| clock.skill(text)),
        ..with_log(hypotheses, &side.docs)
    })
}

/// The section from `debug.md`; none without that file.
pub(crate) fn of_docs(docs: &Docs<'_>, clock: &Clock) -> Option<DebugView> {
    let says = &docs.debug.as_ref()?.says;
    Some(DebugView {
        active_bug: says.head.task.as_deref().map(|task| shorten(task, LONG)),
        iteration: says.iteration.map(f64::from),
        confirmed: says.confirmed.as_deref().map(|id| shorten(id, SHORT)),
        last_analysis: says.last_analysis.as_deref().map(|text| clock.skill(text)),
        ..with_log(in_text(docs), docs)
    })
}

fn in_text(docs: &Docs<'_>) -> Vec<HypothesisView> {
    let Some(says) = docs.debug.as_ref().map(|doc| &doc.says) else { return Vec::new() };
    says.hypotheses.iter().map(|record| recorded(record, says)).collect()
}

/// By likelihood, otherwise by confidence; each with its log entries.
fn with_log(mut hypotheses: Vec<HypothesisView>, docs: &Docs<'_>) -> DebugView {
    rank(&mut hypotheses);
    let mut by_id: HashMap<&str, Vec<&DebugLogLine>> = HashMap::new();
    for entry in docs.log.iter().flat_map(|doc| &doc.says.entries) {
        by_id.entry(&entry.hid).or_default().push(entry);
    }
    for hypothesis in &mut hypotheses {
        if let Some(entries) = by_id.get_mut(hypothesis.id.as_str()) {
            add_log(hypothesis, entries);
        }
    }
    let understanding = docs.debug.as_ref().map(|doc| shorten(&doc.says.understanding, LONG));
    DebugView {
        hypotheses,
        understanding: understanding.filter(|text| !text.is_empty()),
        log_foreign: docs.log.as_ref().map_or(0, |doc| doc.says.foreign),
        ..DebugView::default()
    }
}

/// Most likely first; those without a rank come last.
fn rank(hypotheses: &mut Vec<HypothesisView>) {
    let number = |view: &HypothesisView| view.rank.map_or(f64::MAX, |rank| rank.by.number());
    hypotheses.sort_by(|left, right| number(left).total_cmp(&number(right)));
    hypotheses.truncate(MOST_HYPOTHESES);
    let (mut order, mut before) = (0, None);
    for rank in hypotheses.iter_mut().filter_map(|view| view.rank.as_mut()) {
        let number = rank.by.number();
        order += u32::from(before != Some(number));
        before = Some(number);
        rank.order = order;
    }
}

/// Before the first one until all are known.
fn unordered(by: RankedBy) -> RankView {
    RankView { order: 0, by }
}

fn add_log(hypothesis: &mut HypothesisView, entries: &mut [&DebugLogLine]) {
    // Entries of several processes may be out of order; those without a time come first.
    entries.sort_by(|left, right| left.ts.unwrap_or(f64::MIN).total_cmp(&right.ts.unwrap_or(f64::MIN)));
    let newest = entries.iter().skip(entries.len().saturating_sub(MOST_LOG));
    hypothesis.log = newest.map(|entry| log_entry(entry)).collect();
    hypothesis.log_total = saturated(entries.len());
}

fn log_entry(entry: &DebugLogLine) -> LogEntryView {
    let values = if entry.data == Json::Null { String::new() } else { entry.data.compact() };
    LogEntryView {
        time: events::moment(entry.ts),
        location: shorten(&entry.func, SHORT),
        message: shorten(events::message(entry), 1_000),
        values: shorten(&values, 2_000),
    }
}

fn hypothesis(node: &Node<'_>) -> HypothesisView {
    let (criteria, evidence) = (node.get("evidence_criteria"), node.get("evidence"));
    let (point, status) = (text(node, "logging_point"), text(node, "status"));
    let likelihood = node.get("likelihood").lenient_number();
    HypothesisView {
        id: text(node, "id"),
        description: text(node, "description"),
        testable_condition: text(node, "testable_condition"),
        place: logging_point(&point),
        logging_point: point,
        confirm: text(criteria, "confirm"),
        reject: text(criteria, "reject"),
        likelihood,
        rank: RankedBy::choose(likelihood, None).map(unordered),
        verdict: HypothesisVerdict::from_word(&status),
        status,
        evidence_count: match &evidence.value {
            Value::Null => 0,
            Value::List(items) => saturated(items.len()),
            _ => 1,
        },
        evidence: (!evidence.is_null()).then(|| evidence.json(Some(2), LONG)),
        verdict_reason: optional(node, "verdict_reason"),
        ..HypothesisView::default()
    }
}

/// A hypothesis of `debug.md`.
fn recorded(record: &Hypothesis, says: &DebugDoc) -> HypothesisView {
    let long = |text: &str| shorten(text, LONG);
    let confidence = says.confidences.get(&record.id).copied();
    HypothesisView {
        id: shorten(&record.id, SHORT),
        description: long(&record.description),
        testable_condition: long(&record.testable_condition),
        place: logging_point(&record.logging_point),
        logging_point: long(&record.logging_point),
        confirm: long(&record.confirm),
        reject: long(&record.reject),
        likelihood: record.likelihood,
        rank: RankedBy::choose(record.likelihood, confidence).map(unordered),
        mechanism: says.mechanisms.get(&record.id).map(|text| long(text)),
        verdict: HypothesisVerdict::from_word(&record.status),
        status: record.status.clone(),
        evidence_count: match &record.evidence {
            Json::Null => 0,
            Json::List(items) => saturated(items.len()),
            _ => 1,
        },
        evidence: (record.evidence != Json::Null).then(|| long(&record.evidence.pretty())),
        verdict_reason: record.verdict_reason.as_deref().map(long),
        ..HypothesisView::default()
    }
}
