//! Events recorded in the files of a CCW loop, for the timeline.

use super::clock::Clock;
use super::docs::Docs;
use super::facts::SHORT;
use crate::formats::ccw::progress_docs::ndjson::DebugLogLine;
use crate::timeline::{EVENT_FILES, EVENT_TEXT, Timeline};
use crate::times::TimeView;
use crate::view::{ErrorView, EventKind, EventSays, EventView, RunView, WorkerView};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::shorten;

/// All events in the texts and logs next to the loop.
pub(crate) fn of_docs(docs: &Docs<'_>, clock: &Clock, timeline: &mut Timeline) {
    if let Some(doc) = &docs.develop {
        timeline.add(doc.says.entries.iter().map(|entry| EventView {
            iteration: entry.iteration.map(f64::from),
            subject: entry.task_id.as_deref().map(id),
            files: files(&entry.files),
            ..event(
                EventKind::DevelopEntry,
                doc.file,
                skill(clock, entry.time.as_deref()),
                &entry.description,
            )
        }));
    }
    if let Some(doc) = &docs.changes {
        timeline.add(doc.says.entries.iter().map(|change| EventView {
            subject: Some(id(&change.task_id)),
            files: files(&change.files_changed),
            ..event(
                EventKind::ChangeLog,
                doc.file,
                skill(clock, Some(&change.timestamp)),
                &change.description,
            )
        }));
    }
    if let Some(doc) = &docs.debug {
        timeline.add(doc.says.rounds.iter().map(|round| EventView {
            iteration: round.iteration.map(f64::from),
            ..event(EventKind::DebugEntry, doc.file, skill(clock, round.time.as_deref()), &round.title)
        }));
    }
    if let Some(doc) = &docs.log {
        timeline.add(doc.says.entries.iter().map(|entry| EventView {
            subject: Some(id(&entry.hid)),
            ..event(EventKind::DebugLog, doc.file, moment(entry.ts), &log_text(entry))
        }));
    }
    if let Some(doc) = &docs.summary {
        let time = doc.says.generated_at.as_deref().or(doc.says.completed_at.as_deref());
        timeline.add([event(EventKind::SummaryEntry, doc.file, skill(clock, time), &doc.says.executive)]);
    }
}

/// Validation runs; `file` is empty when they are in the master.
pub(crate) fn of_runs(runs: &[RunView], file: &str, timeline: &mut Timeline) {
    timeline.add(runs.iter().map(|run| EventView {
        iteration: run.iteration,
        says: EventSays::TestRun { passed: run.passed, total: run.total, duration_ms: run.duration_ms },
        ..event(EventKind::ValidateEntry, file, run.time.clone(), &format!("{}/{}", run.passed, run.total))
    }));
}

/// `skill_state.errors`.
pub(crate) fn of_errors(errors: &[ErrorView], timeline: &mut Timeline) {
    timeline.add(errors.iter().map(|error| EventView {
        subject: Some(id(&error.action)).filter(|action| !action.is_empty()),
        ..event(EventKind::Error, "", error.time.clone(), &error.message)
    }));
}

/// Loop-B worker outputs.
pub(crate) fn of_workers(workers: &[WorkerView], timeline: &mut Timeline) {
    for worker in workers {
        let file = if worker.source == "parallel_results" { "" } else { &worker.source };
        let text = if worker.summary.is_empty() { &worker.status } else { &worker.summary };
        timeline.add([EventView {
            subject: Some(id(&worker.action)),
            files: files(&worker.files_changed),
            ..event(EventKind::Worker, file, worker.time.clone(), text)
        }]);
    }
}

/// `ts` of the debug log: correct UTC, kept as written.
pub(crate) fn moment(ms: Option<f64>) -> Option<TimeView> {
    ms.map(|ms| TimeView { text: ms.to_string(), ms: Some(ms), shifted: false })
}

/// The message of a log entry, if the program wrote one.
pub(crate) fn message(entry: &DebugLogLine) -> &str {
    ["message", "msg"].iter().find_map(|key| entry.entry.get(key).and_then(Json::as_text)).unwrap_or_default()
}

fn log_text(entry: &DebugLogLine) -> String {
    let data = if entry.data == Json::Null { String::new() } else { entry.data.compact() };
    [entry.func.as_str(), message(entry), &data]
        .iter()
        .filter(|part| !part.is_empty())
        .copied()
        .collect::<Vec<_>>()
        .join(" ")
}

fn event(kind: EventKind, file: &str, time: Option<TimeView>, text: &str) -> EventView {
    EventView { time, kind, text: shorten(text, EVENT_TEXT), file: file.to_owned(), ..EventView::default() }
}

fn skill(clock: &Clock, text: Option<&str>) -> Option<TimeView> {
    text.filter(|text| !text.is_empty()).map(|text| clock.skill(text))
}

fn id(text: &str) -> String {
    shorten(text, 200)
}

fn files(files: &[String]) -> Vec<String> {
    files.iter().take(EVENT_FILES).map(|file| shorten(file, SHORT)).collect()
}
