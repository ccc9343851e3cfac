//! The sections of `skill_state`, merged from all remains: the damaged file, progress and side files, the
//! last good copy (the CCW contract §16). Of two sources the newer one counts, and the other one fills its
//! gaps.

use super::parts::SectionParts;
use crate::formats::ccw::read::values::saturated;
use crate::formats::ccw::recover::CcwSources;
use crate::formats::ccw::recover::docs::RecoveryTexts;
use crate::formats::ccw_v2::recover::{
    hypotheses as recover_hypotheses, runs as recover_runs, tasks as recover_tasks,
};
use crate::times;
use loopdeck_text::json_span::json::Json;

/// Whether the task list next to the loop has tasks.
pub(crate) fn is_listed(sources: &CcwSources<'_>) -> bool {
    !crate::formats::ccw_v2::read::task_list::read(sources.companions, &mut Vec::new()).is_empty()
}

/// Names the items that a counter of the damaged file includes but the list lacks.
fn missing(sources: &CcwSources<'_>, path: &[&str], list: &str, found: usize, lost: &mut Vec<String>) {
    const MOST: usize = 20;
    let Some(Json::Number(text)) = sources.prefix.complete_value(path) else { return };
    let counted: usize = text.parse().unwrap_or_default();
    lost.extend((found..counted).take(MOST).map(|index| format!("{list}[{index}]")));
}

/// Tasks, their counters, and the time of the last work on them.
pub(crate) fn develop(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> SectionParts {
    let mut section = SectionParts::default();
    let path = ["skill_state", "develop", "tasks"];
    if matches!(sources.prefix.complete_value(&path), Some(Json::List(_))) {
        return section;
    }
    let tasks = recover_tasks::tasks(sources, docs);
    let known = sources.prefix.value_at(&path[..2]).is_some();
    if tasks.items.is_empty() && !known {
        return section;
    }
    section.recounted = true;
    missing(sources, &["skill_state", "develop", "total"], "tasks", tasks.items.len(), &mut section.lost);
    let has = |task: &Json, word: &str| task.get("status").and_then(Json::as_text) == Some(word);
    let done = tasks.items.iter().filter(|task| has(task, "completed")).count();
    let from: &[&'static str] = if tasks.items.is_empty() { &["missing"] } else { &tasks.from };
    section.put("total", Json::count(saturated(tasks.items.len())), from);
    section.put("completed", Json::count(saturated(done)), from);
    let current = sources.last_good.complete_value(&["skill_state", "develop", "current_task"]).cloned();
    let current = current.filter(|own| {
        let is_it = |task: &Json| task.get("id") == Some(own) || task.get("description") == Some(own);
        tasks.items.iter().any(|task| is_it(task) && has(task, "in_progress"))
    });
    let source = if current.is_some() { "last_good" } else { "missing" };
    section.put("current_task", current.unwrap_or_default(), &[source]);
    let last = recover_tasks::last_progress(docs, sources);
    let older = sources.last_good.complete_value(&["skill_state", "develop", "last_progress_at"]);
    if let Some((time, source)) = later(last, older.and_then(Json::as_text)) {
        section.put("last_progress_at", Json::text(time), &[source]);
    }
    section.put("tasks", Json::List(tasks.items), from);
    section
}

/// The later of two times; an unreadable one counts only alone.
fn later(told: Option<(String, &'static str)>, older: Option<&str>) -> Option<(String, &'static str)> {
    match (told, older) {
        (Some((told, _)), Some(older)) if times::parse(older) > times::parse(&told) => {
            Some((older.to_owned(), "last_good"))
        }
        (Some(told), _) => Some(told),
        (None, older) => older.map(|older| (older.to_owned(), "last_good")),
    }
}

/// Hypotheses, their number, the confirmed one, and the time of the last analysis.
pub(crate) fn debug(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> SectionParts {
    let mut section = SectionParts::default();
    let path = ["skill_state", "debug", "hypotheses"];
    let whole = matches!(sources.prefix.complete_value(&path), Some(Json::List(_)));
    let mut found = recover_hypotheses::HypothesisSources::read(sources, docs);
    let known = sources.prefix.value_at(&path[..2]).is_some();
    if whole || found.is_empty() && !known {
        return section;
    }
    section.recounted = true;
    let hypotheses = found.hypotheses(sources);
    let count = hypotheses.items.len();
    missing(sources, &["skill_state", "debug", "hypotheses_count"], "hypotheses", count, &mut section.lost);
    let from: &[&'static str] = if hypotheses.items.is_empty() { &["missing"] } else { &hypotheses.from };
    let confirmed = found.confirmed(&hypotheses.items);
    section.put("hypotheses_count", Json::count(saturated(count)), from);
    section.put("confirmed_hypothesis", Json::optional(confirmed.as_deref()), from);
    section.put("hypotheses", Json::List(hypotheses.items), from);
    for (key, value) in [
        ("active_bug", found.bug()),
        ("iteration", found.iteration()),
        ("last_analysis_at", found.last_analysis()),
    ] {
        if let Some((value, source)) = value {
            section.put(key, value, &[source]);
        }
    }
    section
}

/// The remaining runs, and the result of the last one.
pub(crate) fn validate(sources: &CcwSources<'_>, docs: &RecoveryTexts) -> SectionParts {
    let mut section = SectionParts::default();
    let path = ["skill_state", "validate", "test_results"];
    if matches!(sources.prefix.complete_value(&path), Some(Json::List(_))) {
        return section;
    }
    let (runs, lost) = recover_runs::runs(sources, docs);
    let Some(latest) = runs.items.last() else { return section };
    let figures = recover_runs::Figures::read(latest);
    let is_older = sources.older(&path).last() == Some(latest);
    let from = if is_older { vec!["last_good"] } else { runs.from.clone() };
    for (key, value) in figures.fields() {
        // The last good copy had the same value in its own spelling.
        let older = sources.last_good.complete_value(&["skill_state", "validate", key]).filter(|_| is_older);
        section.put(key, older.cloned().unwrap_or(value), &from);
    }
    if lost {
        section.lost.push("test_results".to_owned());
    }
    let from = runs.from.clone();
    section.put("test_results", Json::List(runs.items), &from);
    section
}
