//! The commands the page may call. Each is listed in `bindings`, which types it for the page.
//!
//! A command returns only ok or an error; the new state arrives as a change. Those that wait for a disk or for an owner are `async`, and
//! run off the main thread; the others answer from memory, on it.
#![allow(clippy::needless_pass_by_value, reason = "Tauri hands its arguments over by value")]

use crate::attention::Attention;
use crate::damaged::Damaged;
use crate::first_paint::FirstPaint;
use crate::open::Windows;
use crate::updates::Updates;
use loopdeck_core::control::{Control, MetadataPatch, Verb};
use loopdeck_core::formats::aot::{Correction, Effects};
use loopdeck_core::test_table::{TestQuery, TestTablePage};
use loopdeck_core::view::{TestView, WorkChange};
use loopdeck_graph::layout::{Direction, Drawing};
use loopdeck_runtime::Runtime;
use loopdeck_runtime::views::{
    Changes, Deletion, Failure, LoopChange, LoopPage, PastChange, Push, RecoveryPage, Settings, SourcePage,
    Startup, TimelinePage, VerbOptions, VersionPage, VersionView, WorkPart,
};
use std::path::Path;
use std::sync::Arc;
use tauri::ipc::Channel;
use tauri::{AppHandle, Manager as _, State};

pub(crate) type Shared<'a> = State<'a, Arc<Runtime>>;

/// Runs `work` where waiting for the disk is fine.
pub(crate) async fn off_main<T: Send + 'static>(
    runtime: Shared<'_>,
    work: impl FnOnce(&Runtime) -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let runtime = Arc::clone(&runtime);
    let done = tauri::async_runtime::spawn_blocking(move || work(&runtime)).await;
    done.unwrap_or_else(|error| Err(Failure::own_data(error)))
}

/// The page is on screen. It calls this once, after its first paint.
#[tauri::command]
#[specta::specta]
pub(crate) fn painted(
    app: AppHandle,
    first_paint: State<'_, FirstPaint>,
    runtime: Shared<'_>,
) -> Result<(), Failure> {
    runtime.warm_up();
    first_paint.report(&app).map_err(Failure::own_data)
}

/// What the window needs before its first paint.
#[tauri::command]
#[specta::specta]
pub(crate) fn startup(
    runtime: Shared<'_>,
    first_paint: State<'_, FirstPaint>,
    updates: State<'_, Updates>,
    damaged: State<'_, Damaged>,
) -> Startup {
    first_paint.at_work();
    Startup {
        version: env!("CARGO_PKG_VERSION").into(),
        platform: std::env::consts::OS.into(),
        settings: runtime.settings(),
        recent: runtime.recent(),
        newer: runtime.newer_data(),
        damaged: [runtime.damaged_data(), damaged.all()].concat(),
        updates: updates.are_on(),
        open: None,
    }
}

/// Tells the page about changes and about folders opened from outside, as long as it lives.
#[tauri::command]
#[specta::specta]
pub(crate) fn subscribe(runtime: Shared<'_>, windows: State<'_, Windows>, channel: Channel<Push>) {
    windows.listen(channel.clone());
    runtime.subscribe(Box::new(move |tick| channel.send(Push::Tick(tick)).is_ok()));
}

/// Changes since the page's revision.
#[tauri::command]
#[specta::specta]
pub(crate) async fn changes(runtime: Shared<'_>, since: u32) -> Result<Changes, Failure> {
    off_main(runtime, move |runtime| Ok(runtime.changes(since))).await
}

/// Rechecks every file now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn rescan(runtime: Shared<'_>) -> Result<(), Failure> {
    off_main(runtime, Runtime::rescan).await
}

/// The whole loop.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_loop(runtime: Shared<'_>, key: String) -> Result<LoopPage, Failure> {
    off_main(runtime, move |runtime| runtime.open_loop(&key)).await
}

/// The loop, without the graph of a large one.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_outline(runtime: Shared<'_>, key: String) -> Result<LoopPage, Failure> {
    off_main(runtime, move |runtime| runtime.open_outline(&key)).await
}

/// The graph that an outline leaves out; nothing when the page should load all of it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn work_part(
    runtime: Shared<'_>,
    key: String,
    revision: u32,
) -> Result<Option<WorkPart>, Failure> {
    off_main(runtime, move |runtime| runtime.work_part(&key, revision)).await
}

/// Lines of the state file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn source(
    runtime: Shared<'_>,
    key: String,
    first: u32,
    count: u32,
) -> Result<SourcePage, Failure> {
    off_main(runtime, move |runtime| runtime.source(&key, first, count)).await
}

/// Lines of a document next to the loop.
#[tauri::command]
#[specta::specta]
pub(crate) async fn document(
    runtime: Shared<'_>,
    key: String,
    name: String,
    first: u32,
    count: u32,
) -> Result<SourcePage, Failure> {
    off_main(runtime, move |runtime| runtime.document(&key, &name, first, count)).await
}

/// The whole result of an atom, of which the page may have only the beginning.
#[tauri::command]
#[specta::specta]
pub(crate) async fn atom_summary(
    runtime: Shared<'_>,
    key: String,
    id: String,
) -> Result<Option<String>, Failure> {
    off_main(runtime, move |runtime| runtime.atom_summary(&key, &id)).await
}

/// Kept versions of a document, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn document_history(
    runtime: Shared<'_>,
    key: String,
    name: String,
    limit: u32,
) -> Result<Vec<VersionView>, Failure> {
    off_main(runtime, move |runtime| runtime.document_history(&key, &name, limit)).await
}

/// Lines of one kept version of a document.
#[tauri::command]
#[specta::specta]
pub(crate) async fn document_version(
    runtime: Shared<'_>,
    key: String,
    name: String,
    id: u32,
    first: u32,
    count: u32,
) -> Result<SourcePage, Failure> {
    off_main(runtime, move |runtime| runtime.document_version(&key, &name, id, first, count)).await
}

/// Changes of hypotheses between kept versions of the progress text, where only that text has them.
#[tauri::command]
#[specta::specta]
pub(crate) async fn hypothesis_changes(
    runtime: Shared<'_>,
    key: String,
    limit: u32,
) -> Result<Vec<PastChange>, Failure> {
    off_main(runtime, move |runtime| runtime.hypothesis_changes(&key, limit)).await
}

/// Lines of the table of one test run.
#[tauri::command]
#[specta::specta]
pub(crate) async fn tests(
    runtime: Shared<'_>,
    key: String,
    query: TestQuery,
) -> Result<TestTablePage, Failure> {
    off_main(runtime, move |runtime| runtime.tests(&key, &query)).await
}

/// One test with message and stack.
#[tauri::command]
#[specta::specta]
pub(crate) async fn test(
    runtime: Shared<'_>,
    key: String,
    run: u32,
    index: u32,
) -> Result<Option<TestView>, Failure> {
    off_main(runtime, move |runtime| runtime.test(&key, run, index)).await
}

/// Where the work of a loop is drawn.
#[tauri::command]
#[specta::specta]
pub(crate) async fn drawing(
    runtime: Shared<'_>,
    key: String,
    direction: Direction,
    collapsed: Vec<String>,
) -> Result<Drawing, Failure> {
    off_main(runtime, move |runtime| runtime.drawing(&key, direction, collapsed)).await
}

/// Changes in a large graph; nothing when the page should reload all of it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn work_changes(
    runtime: Shared<'_>,
    key: String,
    since: u32,
) -> Result<Option<WorkChange>, Failure> {
    off_main(runtime, move |runtime| runtime.work_changes(&key, since)).await
}

/// Verbs with their sentences and reasons.
#[tauri::command]
#[specta::specta]
pub(crate) async fn controls(runtime: Shared<'_>, key: String) -> Result<Vec<Control>, Failure> {
    off_main(runtime, move |runtime| runtime.controls(&key)).await
}

/// Carries out a control verb.
#[tauri::command]
#[specta::specta]
pub(crate) async fn act(
    runtime: Shared<'_>,
    key: String,
    verb: Verb,
    options: VerbOptions,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.act(&key, verb, options)).await
}

/// Changes title, limits or labels.
#[tauri::command]
#[specta::specta]
pub(crate) async fn edit_metadata(
    runtime: Shared<'_>,
    key: String,
    patch: MetadataPatch,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.edit_metadata(&key, patch)).await
}

/// Carries out any other change: a repair, a step of the work, the task list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn change(runtime: Shared<'_>, key: String, change: LoopChange) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.change(&key, change)).await
}

/// The effects of a change of direction, before it is written.
#[tauri::command]
#[specta::specta]
pub(crate) async fn redirect_effects(
    runtime: Shared<'_>,
    key: String,
    change: Correction,
) -> Result<Effects, Failure> {
    off_main(runtime, move |runtime| runtime.redirect_effects(&key, &change)).await
}

/// What can replace an unreadable state file.
#[tauri::command]
#[specta::specta]
pub(crate) async fn recovery(runtime: Shared<'_>, key: String) -> Result<RecoveryPage, Failure> {
    off_main(runtime, move |runtime| runtime.recovery(&key)).await
}

/// Kept versions of a loop, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn history(
    runtime: Shared<'_>,
    key: String,
    limit: u32,
) -> Result<Vec<VersionView>, Failure> {
    off_main(runtime, move |runtime| runtime.history(&key, limit)).await
}

/// What each kept version changed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn past_changes(
    runtime: Shared<'_>,
    key: String,
    limit: u32,
) -> Result<Vec<PastChange>, Failure> {
    off_main(runtime, move |runtime| runtime.past_changes(&key, limit)).await
}

/// What happened to a loop, oldest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn timeline(runtime: Shared<'_>, key: String) -> Result<TimelinePage, Failure> {
    off_main(runtime, move |runtime| runtime.timeline(&key)).await
}

/// The loop in one of its kept versions.
#[tauri::command]
#[specta::specta]
pub(crate) async fn version(runtime: Shared<'_>, key: String, id: u32) -> Result<VersionPage, Failure> {
    off_main(runtime, move |runtime| runtime.version(&key, id)).await
}

/// Lines of the state file in one of its kept versions.
#[tauri::command]
#[specta::specta]
pub(crate) async fn version_source(
    runtime: Shared<'_>,
    key: String,
    id: u32,
    first: u32,
    count: u32,
) -> Result<SourcePage, Failure> {
    off_main(runtime, move |runtime| runtime.version_source(&key, id, first, count)).await
}

/// Writes a kept version, after the person agreed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restore(runtime: Shared<'_>, key: String, id: u32) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.restore(&key, id)).await
}

/// Undoes our last write, unless another program has written since; undoing twice redoes it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn undo(runtime: Shared<'_>, key: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.undo(&key)).await
}

/// What a deletion would move to the trash.
#[tauri::command]
#[specta::specta]
pub(crate) async fn deletion(runtime: Shared<'_>, key: String) -> Result<Deletion, Failure> {
    off_main(runtime, move |runtime| runtime.deletion(&key)).await
}

/// Moves a loop to the system trash.
#[tauri::command]
#[specta::specta]
pub(crate) async fn delete_loop(runtime: Shared<'_>, key: String) -> Result<Deletion, Failure> {
    off_main(runtime, move |runtime| runtime.delete_loop(&key)).await
}

/// Restores a loop that was deleted since Loopdeck started, from the trash.
#[tauri::command]
#[specta::specta]
pub(crate) async fn restore_deleted(runtime: Shared<'_>, key: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.restore_deleted(&key)).await
}

/// Opens the folder at `path` and returns its id.
#[tauri::command]
#[specta::specta]
pub(crate) async fn add_workspace(runtime: Shared<'_>, path: String) -> Result<String, Failure> {
    off_main(runtime, move |runtime| runtime.open_workspace(Path::new(&path))).await
}

/// Closes a workspace; its files stay.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_workspace(runtime: Shared<'_>, id: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.close_workspace(&id)).await
}

/// Opens the sample workspace and returns its id.
#[tauri::command]
#[specta::specta]
pub(crate) async fn open_sample(runtime: Shared<'_>) -> Result<String, Failure> {
    off_main(runtime, Runtime::open_sample).await
}

/// Saves settings.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_settings(
    app: AppHandle,
    runtime: Shared<'_>,
    settings: Settings,
) -> Result<(), Failure> {
    let saved = off_main(runtime, move |runtime| runtime.save_settings(settings)).await;
    app.state::<Attention>().settings_changed(); // they apply even if they could not be saved
    saved
}

/// The diagnostics that a person copies into a problem report.
#[tauri::command]
#[specta::specta]
pub(crate) async fn diagnostics(runtime: Shared<'_>) -> Result<String, Failure> {
    let web_view = tauri::webview_version().unwrap_or_else(|error| error.to_string());
    let program = format!("Loopdeck {}\nWeb view: {web_view}", env!("CARGO_PKG_VERSION"));
    off_main(runtime, move |runtime| Ok(runtime.diagnostics(&program))).await
}
