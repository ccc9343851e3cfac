//! What the texts next to a loop show about its API fields (the CCW contract §16), for Loop v2 and Loop-B.

use crate::format::FileFacts;
use crate::formats::ccw::progress_docs::debug::{self, DebugDoc};
use crate::formats::ccw::progress_docs::develop::{self, DevelopDoc};
use crate::formats::ccw::progress_docs::one_line;
use crate::formats::ccw::progress_docs::summary::{self, SummaryDoc};
use crate::formats::ccw::progress_docs::validate::{self, ValidateDoc};
use crate::formats::ccw::read::values::saturated;
use crate::formats::ccw::read::words;
use crate::formats::ccw::recover::{CcwSources, Proposal, is_number, is_text};
use crate::status::FileStatus;
use crate::times;
use crate::view::CompanionKind;
use loopdeck_text::json_span::json::Json;

/// The texts next to a loop, read once.
#[derive(Debug, Default)]
pub(crate) struct RecoveryTexts {
    pub(crate) develop: DevelopDoc,
    pub(crate) debug: Option<DebugDoc>,
    pub(crate) validate: Option<ValidateDoc>,
    pub(crate) summary: Option<SummaryDoc>,
}

impl RecoveryTexts {
    pub(crate) fn read(sources: &CcwSources<'_>) -> Self {
        Self {
            develop: sources.bytes(CompanionKind::DevelopDoc).map(develop::read).unwrap_or_default(),
            debug: sources.bytes(CompanionKind::DebugDoc).map(debug::read),
            validate: sources.bytes(CompanionKind::ValidateDoc).map(validate::read),
            summary: sources.bytes(CompanionKind::SummaryDoc).map(summary::read),
        }
    }

    /// The task as a whole, from the first text that names it.
    fn task(&self) -> Option<(&str, &'static str)> {
        let texts = [
            (Some(&self.develop.head), "develop.md"),
            (self.validate.as_ref().map(|doc| &doc.head), "validate.md"),
            (self.summary.as_ref().map(|doc| &doc.head), "summary.md"),
        ];
        let named = texts.into_iter().filter_map(|(head, file)| Some((head?.task.as_deref()?, file)));
        named.into_iter().find(|(task, _)| !task.trim().is_empty())
    }

    /// A lower bound for the iterations, from the one source that says most: the timeline by its entries, or the highest
    /// number that a text gives its last iteration. The sources count the same iterations, so they aren't added up.
    fn iterations(&self) -> usize {
        const MOST: u32 = 10_000;
        let rounds = self.debug.as_ref().map(|doc| doc.rounds.as_slice()).unwrap_or_default();
        let entries =
            self.develop.entries.len() + rounds.iter().filter(|round| round.iteration.is_some()).count();
        let worked = self.develop.entries.iter().filter_map(|entry| entry.iteration);
        let judged = rounds.iter().filter_map(|round| round.iteration);
        let tested = self.validate.as_ref().and_then(|doc| doc.iteration);
        let named = worked.chain(judged).chain(tested).filter(|number| *number <= MOST).max();
        entries.max(usize::try_from(named.unwrap_or_default()).unwrap_or_default())
    }

    /// When the loop was completed, unless a text records later work.
    fn completed_at(&self) -> Option<&str> {
        let end = self.summary.as_ref()?.completed_at.as_deref()?;
        let ended = times::parse(end)?;
        let worked = self.develop.entries.iter().filter_map(|entry| entry.time.as_deref());
        let judged = self.debug.as_ref().and_then(|doc| doc.last_analysis.as_deref());
        let tested = self.validate.as_ref().and_then(|doc| doc.head.time.as_deref());
        let mut work = worked.chain(judged).chain(tested).filter_map(times::parse);
        work.all(|time| time <= ended).then_some(end)
    }

    /// Id and words.
    pub(crate) fn top(&self, proposal: &mut Proposal, sources: &CcwSources<'_>, facts: &FileFacts<'_>) {
        proposal.put("loop_id", (Json::text(facts.stem), "stem"));
        let task = self.task();
        let title = task.map(|(task, file)| {
            let title: String = one_line(task).chars().take(100).collect();
            (Json::text(title), file)
        });
        let title = sources.master(&["title"], is_text).or(title);
        proposal.put("title", title.unwrap_or_else(|| (Json::text(facts.stem), "proposed")));
        let description = sources.master(&["description"], |json| json.as_text().is_some());
        let description = description.or_else(|| task.map(|(task, file)| (Json::text(task), file)));
        proposal.put("description", description.unwrap_or_else(|| (Json::text(""), "missing")));
    }

    /// A status word of the format: completed when the summary was written last, otherwise paused, because
    /// nothing continues until a person says so.
    pub(crate) fn status(&self, sources: &CcwSources<'_>) -> (Json, &'static str) {
        let known =
            |json: &Json| json.as_text().is_some_and(|word| words::status(word, None) != FileStatus::Unknown);
        let proposed = if self.completed_at().is_some() { "completed" } else { "paused" };
        sources.master(&["status"], known).unwrap_or_else(|| (Json::text(proposed), "proposed"))
    }

    /// `current_iteration`, or its lower bound.
    pub(crate) fn iteration(&self, sources: &CcwSources<'_>) -> (Json, &'static str) {
        let found = sources.master(&["current_iteration"], |json| is_number(json, 0.0));
        found.unwrap_or_else(|| (Json::count(saturated(self.iterations())), "proposed"))
    }

    /// `created_at`, `updated_at`, and the end of a completed loop.
    pub(crate) fn stamps(&self, proposal: &mut Proposal, sources: &CcwSources<'_>, facts: &FileFacts<'_>) {
        let is_time = |json: &Json| json.as_text().is_some_and(|text| times::parse(text).is_some());
        let now = Json::text(times::to_iso_millis(sources.now));
        let summary = self.summary.as_ref().and_then(|doc| doc.head.time.clone());
        let told = [
            (summary, "summary.md"),
            (stamp(facts.stem), "stem"),
            (self.develop.head.time.clone(), "develop.md"),
        ];
        let told = told.into_iter().filter_map(|(text, source)| Some((Json::text(text?), source)));
        let told = told.into_iter().find(|(time, _)| is_time(time));
        let created = sources.master(&["created_at"], is_time).or(told);
        proposal.put("created_at", created.unwrap_or_else(|| (now.clone(), "proposed")));
        let updated = sources.master(&["updated_at"], is_time);
        proposal.put("updated_at", updated.unwrap_or((now, "proposed")));
        let is_completed = proposal.get("status").and_then(Json::as_text) == Some("completed");
        let end = sources.master(&["completed_at"], is_time);
        let end = end.or_else(|| self.completed_at().map(|time| (Json::text(time), "summary.md")));
        if let Some(end) = end.filter(|_| is_completed) {
            proposal.put("completed_at", end);
        }
    }
}

/// `max_iterations`.
pub(crate) fn limit(sources: &CcwSources<'_>) -> (Json, &'static str) {
    let found = sources.master(&["max_iterations"], |json| is_number(json, 1.0));
    found.unwrap_or_else(|| (Json::count(10), "proposed"))
}

/// The time in an id, `loop-v2-20260122T020000-3fa91c0e`, in the format of the file's own times.
fn stamp(stem: &str) -> Option<String> {
    let (date, time) = stem.split('-').find_map(|part| part.split_once('T'))?;
    let digits =
        |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(date, 8) || !digits(time, 6) {
        return None;
    }
    let text = format!(
        "{}-{}-{}T{}:{}:{}.000Z",
        &date[..4],
        &date[4..6],
        &date[6..],
        &time[..2],
        &time[2..4],
        &time[4..]
    );
    times::parse(&text).map(|_| text)
}
