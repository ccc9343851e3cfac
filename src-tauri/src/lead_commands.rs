//! The commands of the page for a lead: all loops with their facts.
#![allow(clippy::needless_pass_by_value, reason = "Tauri hands its arguments over by value")]

use crate::commands::{Shared, off_main};
use crate::outside::cannot_open;
use loopdeck_core::facts::{AttentionRule, TrendQuery, Trends};
use loopdeck_core::side_by_side::SideBySide;
use loopdeck_core::times::Timestamp;
use loopdeck_reports::Options;
use loopdeck_runtime::Runtime;
use loopdeck_runtime::runtime::ComparedMoment;
use loopdeck_runtime::views::{
    Failure, ImportedHistory, LoopNotes, LoopReport, LoopSummary, MarkedLoop, Overview, ReportTexts,
    RuleTrial, SearchAnswer,
};
use std::path::Path;
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt as _;

/// All loops by what a lead has to know first, at most `most` of each section.
#[tauri::command]
#[specta::specta]
pub(crate) async fn overview(runtime: Shared<'_>, most: u32) -> Result<Overview, Failure> {
    off_main(runtime, move |runtime| runtime.overview(most)).await
}

/// The person has looked at the overview.
#[tauri::command]
#[specta::specta]
pub(crate) async fn visit_overview(runtime: Shared<'_>) -> Result<(), Failure> {
    off_main(runtime, Runtime::visit_overview).await
}

/// One loop as a lead sees it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn loop_report(runtime: Shared<'_>, key: String) -> Result<LoopReport, Failure> {
    off_main(runtime, move |runtime| runtime.loop_report(&key)).await
}

/// What happened in a loop, at any moment of it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn loop_summary(runtime: Shared<'_>, key: String) -> Result<LoopSummary, Failure> {
    off_main(runtime, move |runtime| runtime.loop_summary(&key)).await
}

/// A report about the loops `keys`, or all loops, that changed at or after `since` (ms since 1970 UTC).
#[tauri::command]
#[specta::specta]
pub(crate) async fn report(
    runtime: Shared<'_>,
    keys: Option<Vec<String>>,
    since: Option<f64>,
    options: Options,
) -> Result<ReportTexts, Failure> {
    off_main(runtime, move |runtime| {
        let since = since.map(Timestamp::from_number);
        runtime.report_texts((keys.as_deref(), since), &options)
    })
    .await
}

/// The loops that have all words of `text`, from the `from`th one that may have them.
#[tauri::command]
#[specta::specta]
pub(crate) async fn search(runtime: Shared<'_>, text: String, from: u32) -> Result<SearchAnswer, Failure> {
    off_main(runtime, move |runtime| runtime.search(&text, from)).await
}

/// Note and labels of a loop.
#[tauri::command]
#[specta::specta]
pub(crate) async fn loop_notes(runtime: Shared<'_>, key: String) -> Result<LoopNotes, Failure> {
    off_main(runtime, move |runtime| runtime.notes(&key)).await
}

/// Keeps them in the place of those before.
#[tauri::command]
#[specta::specta]
pub(crate) async fn keep_notes(runtime: Shared<'_>, key: String, notes: LoopNotes) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.keep_notes(&key, notes)).await
}

/// Keeps how the person keeps loops in the list, of all of them or of none. Answers with what was before, for the way back.
#[tauri::command]
#[specta::specta]
pub(crate) async fn keep_list_marks(
    runtime: Shared<'_>,
    wanted: Vec<MarkedLoop>,
) -> Result<Vec<MarkedLoop>, Failure> {
    off_main(runtime, move |runtime| runtime.keep_list_marks(wanted)).await
}

/// The person's attention rules.
#[tauri::command]
#[specta::specta]
pub(crate) async fn attention_rules(runtime: Shared<'_>) -> Result<Vec<AttentionRule>, Failure> {
    off_main(runtime, |runtime| Ok(runtime.attention_rules())).await
}

/// Keeps rules in the place of those before.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_attention_rules(
    runtime: Shared<'_>,
    rules: Vec<AttentionRule>,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.save_attention_rules(rules)).await
}

/// What a rule would have done in the last week.
#[tauri::command]
#[specta::specta]
pub(crate) async fn try_attention_rule(
    runtime: Shared<'_>,
    rule: AttentionRule,
) -> Result<RuleTrial, Failure> {
    off_main(runtime, move |runtime| runtime.try_attention_rule(&rule)).await
}

/// Trends over days.
#[tauri::command]
#[specta::specta]
pub(crate) async fn trends(runtime: Shared<'_>, query: TrendQuery) -> Result<Trends, Failure> {
    off_main(runtime, move |runtime| runtime.trends(&query)).await
}

/// Two loops, or two moments of one, side by side.
#[tauri::command]
#[specta::specta]
pub(crate) async fn compare(
    runtime: Shared<'_>,
    left: ComparedMoment,
    right: ComparedMoment,
) -> Result<SideBySide, Failure> {
    off_main(runtime, move |runtime| runtime.compare(&left, &right)).await
}

/// The endings of an export.
const LINES: [&str; 1] = ["jsonl"];

/// Asks where to save journal, notes and labels of a workspace; answers how many lines were written, or nothing when the person
/// cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn export_history(
    app: AppHandle,
    runtime: Shared<'_>,
    id: String,
) -> Result<Option<u32>, Failure> {
    off_main(runtime, move |runtime| {
        let dialog =
            app.dialog().file().set_file_name("loopdeck-history.jsonl").add_filter("JSON Lines", &LINES);
        let Some(chosen) = dialog.blocking_save_file() else { return Ok(None) };
        let path = chosen.into_path().map_err(|error| cannot_open(Path::new(""), &error))?;
        let lines = runtime.export_history(&id, &path)?;
        Ok(Some(u32::try_from(lines).unwrap_or(u32::MAX)))
    })
    .await
}

/// Asks for an export and takes it in; nothing when the person cancels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn import_history(
    app: AppHandle,
    runtime: Shared<'_>,
    id: String,
) -> Result<Option<ImportedHistory>, Failure> {
    off_main(runtime, move |runtime| {
        let dialog = app.dialog().file().add_filter("JSON Lines", &LINES);
        let Some(chosen) = dialog.blocking_pick_file() else { return Ok(None) };
        let path = chosen.into_path().map_err(|error| cannot_open(Path::new(""), &error))?;
        runtime.import_history(&id, &path).map(Some)
    })
    .await
}
