//! Events in the files of a loop, as timeline entries.

use super::draft::{CountedBy, Draft, Ids, length};
use super::entry::{EntryContent, EntryKind, EntryPart, TestOutcome};
use crate::view::{EventKind, EventSays, EventView, HistoryView};
use std::collections::{HashMap, HashSet};

/// One entry for each event; one for two events when two files record the same.
pub(super) fn events(events: &[EventView], ids: &mut Ids) -> Vec<Draft> {
    let mut drafts: Vec<Draft> = Vec::new();
    let mut first: HashMap<EventIdentity<'_>, (usize, &str)> = HashMap::new();
    for view in events {
        let draft = draft(view, ids);
        match first.get(&identity_of(view)) {
            Some((at, file)) if *file != view.file => join(&mut drafts[*at], draft),
            known => {
                if known.is_none() {
                    first.insert(identity_of(view), (drafts.len(), &view.file));
                }
                drafts.push(draft);
            }
        }
    }
    drafts
}

/// Steps of the v1 engine.
pub(super) fn steps(history: &[HistoryView], ids: &mut Ids) -> Vec<Draft> {
    let one = |step: &HistoryView| {
        let content = EntryContent::Step { tool: step.tool.clone(), exit_code: step.exit_code };
        let written = step.time.as_ref().map_or("", |time| &time.text);
        let id = ids.unique(format!("step:{written}:{}", step.step));
        let mut draft = Draft::new(id, EntryKind::Work, step.time.clone(), content);
        draft.entry.took_ms = length(step.duration_ms);
        draft.entry.said_iteration = step.iteration;
        draft.entry.subject = Some(step.step.clone());
        draft.counted = step.iteration.map_or(CountedBy::Nothing, CountedBy::ByEngine);
        draft
    };
    history.iter().map(one).collect()
}

/// What identifies an event recorded in two files: time, subject and text.
type EventIdentity<'a> = (Option<&'a str>, Option<&'a str>, &'a str);

fn identity_of(view: &EventView) -> EventIdentity<'_> {
    (view.time.as_ref().map(|time| time.text.as_str()), view.subject.as_deref(), &view.text)
}

/// Merges the record of another file: each may have its own details.
fn join(one: &mut Draft, other: Draft) {
    if one.entry.said_iteration.is_none() {
        one.entry.said_iteration = other.entry.said_iteration;
        one.counted = other.counted;
    }
    let known: HashSet<String> = one.entry.files.iter().cloned().collect();
    one.entry.files.extend(other.entry.files.into_iter().filter(|file| !known.contains(file)));
    one.entry.sources.extend(other.entry.sources);
}

fn draft(view: &EventView, ids: &mut Ids) -> Draft {
    let written = view.time.as_ref().map_or("", |time| &time.text);
    let subject = view.subject.as_deref().unwrap_or_default();
    let id = ids.unique(format!("{}:{written}:{subject}", word(view.kind)));
    let mut draft = Draft::new(id, EntryKind::from_event(view.kind), view.time.clone(), content(view));
    draft.entry.took_ms = match view.says {
        EventSays::TestRun { duration_ms, .. } => length(duration_ms),
        EventSays::Text | EventSays::Correction { .. } => None,
    };
    draft.entry.said_iteration = view.iteration;
    draft.entry.subject.clone_from(&view.subject);
    draft.entry.part = part(view.kind);
    draft.entry.files.clone_from(&view.files);
    draft.entry.sources.extend(Some(view.file.clone()).filter(|file| !file.is_empty()));
    // Rounds of debugging have their own count.
    let counts = view.iteration.filter(|_| view.kind != EventKind::DebugEntry);
    draft.counted = counts.map_or(CountedBy::Nothing, CountedBy::ByDocument);
    draft
}

fn content(view: &EventView) -> EntryContent {
    match &view.says {
        EventSays::Text => EntryContent::Event { event: view.kind, text: view.text.clone() },
        EventSays::TestRun { passed, total, .. } => {
            let outcome = TestOutcome::from_counts(*passed, *total);
            EntryContent::TestRun { passed: *passed, total: *total, outcome }
        }
        EventSays::Correction { kind, word, description } => {
            EntryContent::Correction { kind: *kind, word: word.clone(), text: description.clone() }
        }
    }
}

/// Where the subject of an event is shown.
fn part(kind: EventKind) -> Option<EntryPart> {
    match kind {
        EventKind::ChangeLog
        | EventKind::DevelopEntry
        | EventKind::Worker
        | EventKind::Trail
        | EventKind::Decomposition
        | EventKind::PlanLog => Some(EntryPart::Work),
        EventKind::DebugLog | EventKind::DebugEntry => Some(EntryPart::Debug),
        EventKind::ValidateEntry => Some(EntryPart::Tests),
        EventKind::SummaryEntry | EventKind::Error | EventKind::Correction => None,
    }
}

/// The word of a kind in ids. It must never change, because links contain it.
fn word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::ChangeLog => "change_log",
        EventKind::DebugLog => "debug_log",
        EventKind::DevelopEntry => "develop_entry",
        EventKind::DebugEntry => "debug_entry",
        EventKind::ValidateEntry => "validate_entry",
        EventKind::SummaryEntry => "summary_entry",
        EventKind::Error => "error",
        EventKind::Worker => "worker",
        EventKind::Trail => "trail",
        EventKind::Correction => "correction",
        EventKind::Decomposition => "decomposition",
        EventKind::PlanLog => "plan_log",
    }
}
