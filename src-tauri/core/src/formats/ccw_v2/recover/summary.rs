//! `skill_state.summary` and the last action, from the texts next to a loop (the CCW contract §16, §17).

use crate::formats::ccw::progress_docs::summary::SummaryDoc;
use crate::formats::ccw::recover::CcwSources;
use crate::formats::ccw::recover::docs::RecoveryTexts;
use crate::formats::ccw::recover::fill::fill;
use crate::times;
use loopdeck_text::json_span::json::Json;

/// A value and its sources.
type FoundValue = (Json, Vec<&'static str>);

/// The summary of the masters, completed from `summary.md`; `None` if none was written.
pub(crate) fn summary(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> Option<FoundValue> {
    let path = ["skill_state", "summary"];
    let is_object = |json: &&Json| matches!(json, Json::Object(members) if !members.is_empty());
    if let Some(whole) = sources.prefix.complete_value(&path).filter(is_object) {
        return Some((whole.clone(), vec![sources.own]));
    }
    let begun = sources.prefix.value_at(&path).filter(is_object).map(|json| (json.clone(), sources.own));
    let told = docs.summary.as_ref().map(|doc| (figures_of(doc), "summary.md"));
    let older =
        sources.last_good.complete_value(&path).filter(is_object).map(|json| (json.clone(), "last_good"));
    let mut layers = [begun, older, told].into_iter().flatten();
    let (mut found, source) = layers.next()?;
    let mut from = vec![source];
    for (layer, source) in layers {
        if fill(&mut found, &layer) {
            from.push(source);
        }
    }
    Some((found, from))
}

/// The figures of `summary.md` under the master's names. The number of iterations is not in it.
fn figures_of(doc: &SummaryDoc) -> Json {
    let count = |number: Option<u32>| number.map_or(Json::Null, Json::count);
    let rate = match (doc.total_tasks, doc.completed_tasks) {
        (Some(0), _) => Json::count(0),
        (Some(total), Some(done)) => Json::text(format!("{:.1}", f64::from(done) / f64::from(total) * 100.0)),
        _ => Json::Null,
    };
    let flag = |flag: Option<bool>| flag.map_or(Json::Null, Json::Bool);
    let milliseconds = |seconds: u64| Json::Number(seconds.saturating_mul(1_000).to_string());
    Json::object(vec![
        ("duration", doc.duration_s.map_or(Json::Null, milliseconds)),
        (
            "develop",
            Json::object(vec![
                ("total_tasks", count(doc.total_tasks)),
                ("completed_tasks", count(doc.completed_tasks)),
                ("completion_rate", rate),
            ]),
        ),
        (
            "debug",
            Json::object(vec![
                ("iterations", count(doc.iterations)),
                ("hypotheses_tested", count(doc.hypotheses_tested)),
                ("root_cause_found", flag(doc.root_cause_found)),
            ]),
        ),
        (
            "validate",
            Json::object(vec![
                ("runs", count(doc.test_runs)),
                ("passed", flag(doc.passed)),
                ("coverage", doc.coverage.map_or(Json::Null, Json::number)),
                ("failed_tests", count(doc.failed_tests)),
            ]),
        ),
    ])
}

/// The action of the text that was written last.
pub(crate) fn last_action(docs: &RecoveryTexts) -> (Json, &'static str) {
    let worked = docs.develop.entries.last().and_then(|entry| entry.time.as_deref());
    let judged = docs.debug.as_ref().and_then(|doc| doc.last_analysis.as_deref());
    let tested = docs.validate.as_ref().and_then(|doc| doc.head.time.as_deref());
    let ended = docs.summary.as_ref().and_then(|doc| doc.completed_at.as_deref());
    let told = [
        (worked, "DEVELOP", "develop.md"),
        (judged, "DEBUG", "debug.md"),
        (tested, "VALIDATE", "validate.md"),
        (ended, "COMPLETE", "summary.md"),
    ];
    let timed =
        told.into_iter().filter_map(|(time, action, file)| Some((times::parse(time?)?, action, file)));
    let last = timed.max_by_key(|(time, _, _)| *time);
    last.map_or((Json::Null, "proposed"), |(_, action, file)| (Json::text(action), file))
}
