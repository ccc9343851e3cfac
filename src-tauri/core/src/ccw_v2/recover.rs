//! A Loop v2 rebuilt from what is left of it (the CCW contract §16). Of masters the damaged file's own prefix comes
//! first, then the last good copy; sections that are gone come from the progress files.

use super::initial;
use super::recover_sections as sections;
use crate::ccw;
use crate::ccw::progress_docs::develop::{self, DevelopDoc};
use crate::ccw::progress_docs::one_line;
use crate::ccw::recover::{Proposal, Recovery, Sources, is_number, is_text};
use crate::ccw::words;
use crate::format::{FileFacts, Format};
use crate::json_span::json::Json;
use crate::problem::Severity;
use crate::status::FileStatus;
use crate::times;
use crate::view::{Companion, CompanionKind};

/// Keys of other kinds: with them the file would not be read as what it is.
pub(crate) const FOREIGN: &[&str] = &["mode", "cli_sequence", "target_skill", "session_id", "task_id"];

/// The proposed master; always a valid Loop v2 of this name.
#[must_use]
pub fn recover(
    damaged: &[u8],
    last_good: Option<&[u8]>,
    companions: &[Companion],
    facts: &FileFacts<'_>,
) -> Recovery {
    let recovery = propose(&Sources::new(damaged, last_good, companions, facts.now), facts);
    if is_valid(&recovery, Format::LoopV2, facts) {
        return recovery;
    }
    propose(&Sources::new(b"", None, companions, facts.now), facts)
}

/// Whether a proposal is a loop of this format without errors.
pub(crate) fn is_valid(recovery: &Recovery, format: Format, facts: &FileFacts<'_>) -> bool {
    ccw::summary(recovery.text.as_bytes(), facts).is_some_and(|summary| {
        let errors = summary.problems.iter().any(|problem| problem.severity == Severity::Error);
        summary.format == format && !errors
    })
}

fn propose(sources: &Sources<'_>, facts: &FileFacts<'_>) -> Recovery {
    let develop = sources.bytes(CompanionKind::DevelopDoc).map(develop::read).unwrap_or_default();
    let mut proposal = Proposal::new("");
    top(&mut proposal, sources, &develop, facts);
    proposal.put("max_iterations", limit(sources));
    proposal.put("status", status(sources));
    proposal.put("current_iteration", iteration(sources, &develop));
    stamps(&mut proposal, sources, &develop);
    let mut left_out = FOREIGN.to_vec();
    left_out.push("skill_state");
    proposal.others(sources, &[], &left_out);
    if let Some(skill) = skill_state(sources, &develop) {
        proposal.nest("skill_state", skill);
    }
    proposal.finish()
}

/// Id and words; shared with Loop-B.
pub(crate) fn top(
    proposal: &mut Proposal,
    sources: &Sources<'_>,
    develop: &DevelopDoc,
    facts: &FileFacts<'_>,
) {
    proposal.put("loop_id", (Json::text(facts.stem), "stem"));
    let task = develop.head.task.as_deref().filter(|task| !task.trim().is_empty());
    let title = task.map(|task| {
        let title: String = one_line(task).chars().take(100).collect();
        (Json::text(title), "develop.md")
    });
    let title = sources.master(&["title"], is_text).or(title);
    proposal.put("title", title.unwrap_or_else(|| (Json::text(facts.stem), "proposed")));
    let description = sources.master(&["description"], |json| json.as_text().is_some());
    let description = description.or_else(|| task.map(|task| (Json::text(task), "develop.md")));
    proposal.put("description", description.unwrap_or_else(|| (Json::text(""), "missing")));
}

/// `max_iterations`; shared with Loop-B.
pub(crate) fn limit(sources: &Sources<'_>) -> (Json, &'static str) {
    let found = sources.master(&["max_iterations"], |json| is_number(json, 1.0));
    found.unwrap_or_else(|| (Json::count(10), "proposed"))
}

/// A word of the format, or paused: nothing goes on before a person says so. Shared with Loop-B.
pub(crate) fn status(sources: &Sources<'_>) -> (Json, &'static str) {
    let known =
        |json: &Json| json.as_text().is_some_and(|word| words::status(word, None) != FileStatus::Unknown);
    sources.master(&["status"], known).unwrap_or_else(|| (Json::text("paused"), "proposed"))
}

/// `current_iteration`; the entries of the timeline are its lower bound. Shared with Loop-B.
pub(crate) fn iteration(sources: &Sources<'_>, develop: &DevelopDoc) -> (Json, &'static str) {
    let found = sources.master(&["current_iteration"], |json| is_number(json, 0.0));
    let entries = super::state::saturated(develop.entries.len());
    found.unwrap_or_else(|| (Json::count(entries), "proposed"))
}

/// `created_at` and `updated_at`; shared with Loop-B.
pub(crate) fn stamps(proposal: &mut Proposal, sources: &Sources<'_>, develop: &DevelopDoc) {
    let is_time = |json: &Json| json.as_text().is_some_and(|text| times::parse(text).is_some());
    let now = Json::text(times::to_iso_millis(sources.now));
    let started = develop.head.time.as_deref().map(Json::text).filter(is_time);
    let started = started.map(|time| (time, "develop.md"));
    let created = sources.master(&["created_at"], is_time).or(started);
    proposal.put("created_at", created.unwrap_or_else(|| (now.clone(), "proposed")));
    let updated = sources.master(&["updated_at"], is_time);
    proposal.put("updated_at", updated.unwrap_or((now, "proposed")));
}

/// The skill state; `None` when nothing says that there was one.
fn skill_state(sources: &Sources<'_>, develop: &DevelopDoc) -> Option<Proposal> {
    let is_object = |json: &Json| matches!(json, Json::Object(_));
    let masters = [&sources.prefix, &sources.last_good];
    let known = masters.iter().any(|salvage| salvage.left(&["skill_state"]).is_some_and(is_object));
    let kinds = [
        CompanionKind::DevelopDoc,
        CompanionKind::DebugDoc,
        CompanionKind::ValidateDoc,
        CompanionKind::Hypotheses,
        CompanionKind::TestResults,
        CompanionKind::ChangesLog,
    ];
    if !known && !kinds.into_iter().any(|kind| sources.bytes(kind).is_some()) {
        return None;
    }
    let mut skill = Proposal::new("skill_state.");
    let is_word = |json: &Json| matches!(json, Json::Text(_) | Json::Null);
    let is_list = |json: &Json| matches!(json, Json::List(_));
    for (key, fallback) in [
        ("current_action", Json::Null),
        ("last_action", Json::Null),
        ("completed_actions", Json::List(vec![])),
        ("mode", Json::text("auto")),
    ] {
        let good = |json: &Json| if key == "completed_actions" { is_list(json) } else { is_word(json) };
        let found = sources.master(&["skill_state", key], good);
        skill.put(key, found.unwrap_or((fallback, "proposed")));
    }
    section(&mut skill, sources, "develop", &sections::develop(sources, develop), &initial::develop(vec![]));
    section(&mut skill, sources, "debug", &sections::debug(sources), &initial::debug());
    section(&mut skill, sources, "validate", &sections::validate(sources), &initial::validate());
    if skill_has_results(sources) {
        skill.lose("validate.test_results"); // only the latest run is kept beside the master
    }
    let errors = sources.master(&["skill_state", "errors"], is_list);
    skill.put("errors", errors.unwrap_or_else(|| (Json::List(vec![]), "missing")));
    skill.others(sources, &["skill_state"], &[]);
    Some(skill)
}

fn skill_has_results(sources: &Sources<'_>) -> bool {
    let path = ["skill_state", "validate", "test_results"];
    let rebuilt = sources.master(&path, |json| matches!(json, Json::List(_))).is_none();
    let kinds = [CompanionKind::TestResults, CompanionKind::ValidateDoc];
    rebuilt && kinds.into_iter().any(|kind| sources.bytes(kind).is_some())
}

/// A section field by field: whole in the prefix, else from companions, else from the last good copy, else as it begins.
fn section(
    skill: &mut Proposal,
    sources: &Sources<'_>,
    name: &str,
    rebuilt: &[(&'static str, Json, &'static str)],
    initial: &Json,
) {
    let mut section = Proposal::new(&format!("skill_state.{name}."));
    for (key, fallback) in initial.members() {
        let path = ["skill_state", name, key];
        let prefix = sources.prefix.whole(&path).map(|json| (json.clone(), "prefix"));
        let beside = rebuilt.iter().find(|(rebuilt, _, _)| rebuilt == key);
        let beside = beside.map(|(_, json, source)| (json.clone(), *source));
        let last_good = sources.last_good.whole(&path).map(|json| (json.clone(), "last_good"));
        let left = sources.prefix.left(&path).filter(|json| matches!(json, Json::List(_)));
        let left = left.map(|json| (json.clone(), "prefix"));
        let found = prefix.or(beside).or(last_good).or(left);
        section.put(key, found.unwrap_or_else(|| (fallback.clone(), "missing")));
    }
    section.others(sources, &["skill_state", name], &[]);
    skill.nest(name, section);
}

#[cfg(test)]
#[path = "recover_tests.rs"]
mod tests;
