//! Rebuilding a Loop v2 from its remains (the CCW contract §16). The damaged file comes first, then the last
//! good copy; truncated lists are completed from the progress files and the last good copy.

pub(crate) mod hypotheses;
pub(crate) mod parts;
pub(crate) mod runs;
pub(crate) mod sections;
pub(crate) mod summary;
pub mod task_list;
pub(crate) mod tasks;
use crate::format::{FileFacts, Format};
use crate::formats::ccw;
use crate::formats::ccw::recover::docs::{RecoveryTexts, limit};
use crate::formats::ccw::recover::{CcwSources, OwnBytes, Proposal, Recovery};
use crate::formats::ccw_v2::create::initial;
use crate::formats::ccw_v2::recover::summary as recover_summary;
use crate::problem::Severity;
use crate::view::{Companion, CompanionKind};
use loopdeck_text::json_span::json::Json;
use parts::FoundField;

/// Keys of other formats: with them the file would be taken for one of those.
pub(crate) const FOREIGN: &[&str] = &["mode", "cli_sequence", "target_skill", "session_id", "task_id"];

/// The proposed master; always a valid Loop v2 of this name.
#[must_use]
pub fn recover(
    damaged: &[u8],
    last_good: Option<&[u8]>,
    companions: &[Companion],
    facts: &FileFacts<'_>,
) -> Recovery {
    rebuild(OwnBytes::damaged(damaged), last_good, companions, facts)
}

/// [`recover`] with a master that may come from elsewhere.
pub(crate) fn rebuild(
    own: OwnBytes<'_>,
    last_good: Option<&[u8]>,
    companions: &[Companion],
    facts: &FileFacts<'_>,
) -> Recovery {
    let recovery = propose(&CcwSources::new(own, last_good, companions, facts), facts);
    if is_valid(&recovery, Format::LoopV2, facts) {
        return recovery;
    }
    propose(&CcwSources::new(OwnBytes::damaged(b""), None, companions, facts), facts)
}

/// Whether a proposal is a loop of this format without errors.
pub(crate) fn is_valid(recovery: &Recovery, format: Format, facts: &FileFacts<'_>) -> bool {
    ccw::summary(recovery.text.as_bytes(), facts).is_some_and(|summary| {
        let errors = summary.problems.iter().any(|problem| problem.severity == Severity::Error);
        summary.format == format && !errors
    })
}

fn propose(sources: &CcwSources<'_>, facts: &FileFacts<'_>) -> Recovery {
    let docs = RecoveryTexts::read(sources);
    let mut proposal = Proposal::new("");
    docs.top(&mut proposal, sources, facts);
    proposal.put("max_iterations", limit(sources));
    proposal.put("status", docs.status(sources));
    proposal.put("current_iteration", docs.iteration(sources));
    docs.stamps(&mut proposal, sources, facts);
    let mut left_out = FOREIGN.to_vec();
    left_out.push("skill_state");
    proposal.others(sources, &[], &left_out);
    let is_completed = proposal.get("status").and_then(Json::as_text) == Some("completed");
    match skill_state(sources, &docs, is_completed) {
        Some(skill) => proposal.nest("skill_state", skill),
        // The file breaks off before the position where it would be.
        None if !sources.is_complete() && !is_created(sources) => proposal.lose("skill_state"),
        None => {}
    }
    proposal.finish()
}

/// A loop that was never started has no work to restore.
fn is_created(sources: &CcwSources<'_>) -> bool {
    sources.master(&["status"], |json| json.as_text() == Some("created")).is_some()
}

/// The skill state; `None` when there is no sign that it existed.
fn skill_state(sources: &CcwSources<'_>, docs: &RecoveryTexts, is_completed: bool) -> Option<Proposal> {
    let is_object = |json: &Json| matches!(json, Json::Object(_));
    let masters = [&sources.prefix, &sources.last_good];
    let known = masters.iter().any(|salvage| salvage.value_at(&["skill_state"]).is_some_and(is_object));
    let kinds = [
        CompanionKind::DevelopDoc,
        CompanionKind::DebugDoc,
        CompanionKind::ValidateDoc,
        CompanionKind::SummaryDoc,
        CompanionKind::Hypotheses,
        CompanionKind::TestResults,
        CompanionKind::ChangesLog,
    ];
    let is_told = kinds.into_iter().any(|kind| sources.bytes(kind).is_some());
    let is_listed = || !is_created(sources) && sections::is_listed(sources);
    if !known && (sources.is_complete() || !is_told && !is_listed()) {
        return None;
    }
    let mut skill = Proposal::new("skill_state.");
    let is_word = |json: &Json| matches!(json, Json::Text(_) | Json::Null);
    let is_list = |json: &Json| matches!(json, Json::List(_));
    for (key, fallback) in [
        ("current_action", (Json::Null, "proposed")),
        ("last_action", recover_summary::last_action(docs)),
        ("completed_actions", (Json::List(vec![]), "proposed")),
        ("mode", (Json::text("auto"), "proposed")),
    ] {
        let good = |json: &Json| if key == "completed_actions" { is_list(json) } else { is_word(json) };
        let found = sources.master(&["skill_state", key], good);
        let found = found.or_else(|| if key == "completed_actions" { longer(sources, key) } else { None });
        skill.put(key, found.unwrap_or(fallback));
    }
    section(&mut skill, sources, "develop", &sections::develop(sources, docs), &initial::develop(vec![]));
    section(&mut skill, sources, "debug", &sections::debug(sources, docs), &initial::debug());
    section(&mut skill, sources, "validate", &sections::validate(sources, docs), &initial::validate());
    let errors = sources.prefix.complete_value(&["skill_state", "errors"]).filter(|json| is_list(json));
    let errors = errors.map(|json| (json.clone(), sources.own)).or_else(|| longer(sources, "errors"));
    skill.put("errors", errors.unwrap_or_else(|| (Json::List(vec![]), "missing")));
    let summary = recover_summary::summary(sources, docs);
    match summary {
        Some((summary, from)) => {
            skill.put_together("summary", summary, &from);
            if from.contains(&"summary.md") {
                skill.lose("summary.iterations");
            }
        }
        None if is_completed && !sources.is_complete() => skill.lose("summary"),
        None => {}
    }
    skill.others(sources, &["skill_state"], &[]);
    Some(skill)
}

/// Of two versions of a list that only grows, the longer one.
fn longer(sources: &CcwSources<'_>, key: &str) -> Option<(Json, &'static str)> {
    let path = ["skill_state", key];
    let (begun, older) = (sources.complete_items(&path), sources.older(&path));
    let (items, source) = if older.len() > begun.len() { (older, "last_good") } else { (begun, sources.own) };
    (!items.is_empty()).then(|| (Json::List(items.to_vec()), source))
}

/// A section field by field: complete in the damaged file, otherwise merged, otherwise from the last good
/// copy, otherwise its initial value. Counters of a merged list are recomputed.
fn section(
    skill: &mut Proposal,
    sources: &CcwSources<'_>,
    name: &str,
    rebuilt: &parts::SectionParts,
    initial: &Json,
) {
    let mut section = Proposal::new(&format!("skill_state.{name}."));
    for (key, fallback) in initial.members() {
        let path = ["skill_state", name, key];
        let counted = rebuilt.recounted && matches!(&**key, "total" | "completed" | "hypotheses_count");
        let prefix = sources.prefix.complete_value(&path).filter(|_| !counted);
        let found = rebuilt.fields.iter().find(|field| field.key == key);
        match (prefix, found, sources.last_good.complete_value(&path)) {
            (Some(json), _, _) => section.put(key, (json.clone(), sources.own)),
            (None, Some(FoundField { value, from, .. }), _) => section.put_together(key, value.clone(), from),
            (None, None, Some(json)) => section.put(key, (json.clone(), "last_good")),
            (None, None, None) => section.put(key, (fallback.clone(), "missing")),
        }
    }
    for path in &rebuilt.lost {
        section.lose(path);
    }
    section.others(sources, &["skill_state", name], &[]);
    skill.nest(name, section);
}

#[cfg(test)]
#[path = "recover_tests.rs"]
mod tests;
