//! The page's commands for running loops. Listed in `bindings` like all others.
#![allow(clippy::needless_pass_by_value, reason = "Tauri hands its arguments over by value")]

use crate::closing;
use crate::commands::{Shared, off_main};
use loopdeck_core::formats::aot::NewAtom;
use loopdeck_core::formats::aot::create::draft_by_agent::DraftedLoop;
use loopdeck_core::formats::aot::drive::Verification;
use loopdeck_core::start::prefill::{self, Prefill};
use loopdeck_core::work_drawing::{self, DraftedWork};
use loopdeck_graph::layout::Direction;
use loopdeck_runtime::drivers::plan::{RunPlan, StartForm, Template};
use loopdeck_runtime::drivers::rows::{
    AgentRow, CustomAgentForm, FolderFacts, FormDraft, FormProblem, FormTry, NeedAnswer, Needs, OutputPage,
    OutputSearch, RunView, StartReview, StopFacts, Tried,
};
use loopdeck_runtime::views::{ChangedFileRow, ChangedTexts, ClosingAnswer, Failure, RecentFolder};
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt as _;

/// Exactly what Start would do.
#[tauri::command]
#[specta::specta]
pub(crate) async fn review_start(runtime: Shared<'_>, form: StartForm) -> Result<StartReview, Failure> {
    off_main(runtime, move |runtime| Ok(runtime.review_start(&form))).await
}

/// Writes the state file of a new loop and starts its agent; returns its key.
#[tauri::command]
#[specta::specta]
pub(crate) async fn start_loop(runtime: Shared<'_>, form: StartForm) -> Result<String, Failure> {
    off_main(runtime, move |runtime| runtime.start_loop(&form)).await
}

/// What is known about the folder of a new loop.
#[tauri::command]
#[specta::specta]
pub(crate) async fn folder_facts(runtime: Shared<'_>, path: String) -> Result<FolderFacts, Failure> {
    off_main(runtime, move |runtime| Ok(runtime.folder_facts(&path))).await
}

/// The form values found in a pasted issue or task list.
#[tauri::command]
#[specta::specta]
pub(crate) async fn prefill_form(runtime: Shared<'_>, text: String) -> Result<Prefill, Failure> {
    off_main(runtime, move |_runtime| Ok(prefill::prefill(&text))).await
}

/// The drawing of a new AoT loop's first atoms, updated as they are typed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn draft_work(
    runtime: Shared<'_>,
    atoms: Vec<NewAtom>,
    direction: Direction,
) -> Result<DraftedWork, Failure> {
    off_main(runtime, move |_runtime| Ok(work_drawing::drafted(&atoms, direction))).await
}

/// The form that would make a loop like this one.
#[tauri::command]
#[specta::specta]
pub(crate) async fn form_of(runtime: Shared<'_>, key: String) -> Result<StartForm, Failure> {
    off_main(runtime, move |runtime| runtime.form_of(&key)).await
}

/// The unfinished form.
#[tauri::command]
#[specta::specta]
pub(crate) async fn draft(runtime: Shared<'_>) -> Result<Option<StartForm>, Failure> {
    off_main(runtime, move |runtime| Ok(runtime.draft())).await
}

/// Saves the unfinished form, or discards it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_draft(runtime: Shared<'_>, form: Option<StartForm>) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.save_draft(form)).await
}

/// Forms saved under a name.
#[tauri::command]
#[specta::specta]
pub(crate) async fn templates(runtime: Shared<'_>) -> Result<Vec<Template>, Failure> {
    off_main(runtime, move |runtime| Ok(runtime.templates())).await
}

/// Saves a form under a name and replaces one of the same name.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_template(runtime: Shared<'_>, template: Template) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.save_template(template)).await
}

/// Deletes a saved form.
#[tauri::command]
#[specta::specta]
pub(crate) async fn delete_template(runtime: Shared<'_>, name: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.delete_template(&name)).await
}

/// Allows programs in a folder to run, or withdraws that.
#[tauri::command]
#[specta::specta]
pub(crate) async fn trust(runtime: Shared<'_>, path: String, trusted: bool) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.trust(&path, trusted)).await
}

/// Folders that the person trusts.
#[tauri::command]
#[specta::specta]
pub(crate) async fn trusted(runtime: Shared<'_>) -> Result<Vec<RecentFolder>, Failure> {
    off_main(runtime, move |runtime| Ok(runtime.trusted())).await
}

/// How a loop was last run, or would be.
#[tauri::command]
#[specta::specta]
pub(crate) async fn plan_of(runtime: Shared<'_>, key: String) -> Result<RunPlan, Failure> {
    off_main(runtime, move |runtime| runtime.plan_of(&key)).await
}

/// What launching a loop would do, and what to know about it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn review_launch(
    runtime: Shared<'_>,
    key: String,
    plan: RunPlan,
) -> Result<StartReview, Failure> {
    off_main(runtime, move |runtime| runtime.review_launch(&key, &plan)).await
}

/// Starts the agent of a loop: first start, resume or reopen, whichever is legal now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn launch(
    runtime: Shared<'_>,
    key: String,
    plan: Option<RunPlan>,
    raise_limit_to: Option<u32>,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.launch(&key, plan, raise_limit_to)).await
}

/// Starts a plan's own tool by the command that the person confirmed, word by word.
#[tauri::command]
#[specta::specta]
pub(crate) async fn run_own_tool(
    runtime: Shared<'_>,
    key: String,
    confirmed: Vec<String>,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.run_own_tool(&key, confirmed)).await
}

/// Pauses without waiting: interrupts the current action.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pause_now(runtime: Shared<'_>, key: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.pause_now(&key)).await
}

/// Ends our processes of a loop at once.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_now(runtime: Shared<'_>, key: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.stop_now(&key)).await
}

/// What stopping a loop would end.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_facts(runtime: Shared<'_>, key: String) -> Result<StopFacts, Failure> {
    off_main(runtime, move |runtime| runtime.stop_facts(&key)).await
}

/// Runs one command of the form once; returns when it has ended.
#[tauri::command]
#[specta::specta]
pub(crate) async fn try_command(runtime: Shared<'_>, wanted: FormTry) -> Result<Tried, Failure> {
    off_main(runtime, move |runtime| runtime.try_command(&wanted)).await
}

/// Has an agent draft an AoT loop from a paragraph; returns when it has ended. Cancelled like a trial run.
#[tauri::command]
#[specta::specta]
pub(crate) async fn draft_loop(runtime: Shared<'_>, wanted: FormDraft) -> Result<DraftedLoop, Failure> {
    off_main(runtime, move |runtime| runtime.draft_loop(&wanted)).await
}

/// Cancels a trial run or a draft.
#[tauri::command]
#[specta::specta]
pub(crate) async fn stop_try(runtime: Shared<'_>, id: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| {
        runtime.stop_try(&id);
        Ok(())
    })
    .await
}

/// What Loopdeck started for a loop, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn runs(runtime: Shared<'_>, key: String) -> Result<Vec<RunView>, Failure> {
    off_main(runtime, move |runtime| runtime.runs(&key)).await
}

/// Results of an AoT loop's completion check, newest first.
#[tauri::command]
#[specta::specta]
pub(crate) async fn verifications(runtime: Shared<'_>, key: String) -> Result<Vec<Verification>, Failure> {
    off_main(runtime, move |runtime| runtime.verifications(&key)).await
}

/// Rows of a run's output; of the newest run when none is named.
#[tauri::command]
#[specta::specta]
pub(crate) async fn output(
    runtime: Shared<'_>,
    key: String,
    run: Option<String>,
    first: u32,
    count: u32,
) -> Result<OutputPage, Failure> {
    off_main(runtime, move |runtime| runtime.output(&key, run.as_deref(), first, count)).await
}

/// The whole text of a row, at most 1 MB.
#[tauri::command]
#[specta::specta]
pub(crate) async fn output_text(
    runtime: Shared<'_>,
    key: String,
    run: String,
    row: u32,
) -> Result<String, Failure> {
    off_main(runtime, move |runtime| runtime.output_text(&key, &run, row)).await
}

/// The files that a run changed.
#[tauri::command]
#[specta::specta]
pub(crate) async fn run_changes(runtime: Shared<'_>, run: String) -> Result<Vec<ChangedFileRow>, Failure> {
    off_main(runtime, move |runtime| runtime.run_changes(&run)).await
}

/// The two versions of one of them.
#[tauri::command]
#[specta::specta]
pub(crate) async fn run_change(runtime: Shared<'_>, run: String, file: u32) -> Result<ChangedTexts, Failure> {
    off_main(runtime, move |runtime| runtime.run_change(&run, file)).await
}

/// The next matching row.
#[tauri::command]
#[specta::specta]
pub(crate) async fn find_output(
    runtime: Shared<'_>,
    key: String,
    run: String,
    search: OutputSearch,
) -> Result<Option<u32>, Failure> {
    off_main(runtime, move |runtime| runtime.find_output(&key, &run, &search)).await
}

/// Everything waiting for the person, in all loops.
#[tauri::command]
#[specta::specta]
pub(crate) async fn needs(runtime: Shared<'_>) -> Result<Needs, Failure> {
    off_main(runtime, move |runtime| Ok(runtime.needs())).await
}

/// The whole input of a permission request whose card shows only its start. From now on, permission can be
/// given.
#[tauri::command]
#[specta::specta]
pub(crate) async fn need_input(runtime: Shared<'_>, id: String) -> Result<String, Failure> {
    off_main(runtime, move |runtime| runtime.need_input(&id)).await
}

/// The person answers.
#[tauri::command]
#[specta::specta]
pub(crate) async fn answer(runtime: Shared<'_>, id: String, answer: NeedAnswer) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.answer(&id, answer)).await
}

/// Detected agents, and what is wrong with them.
#[tauri::command]
#[specta::specta]
pub(crate) async fn agents(runtime: Shared<'_>, again: bool) -> Result<Vec<AgentRow>, Failure> {
    off_main(runtime, move |runtime| runtime.agents(again)).await
}

/// Saves a custom agent, or reports what is wrong with it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn save_agent(
    runtime: Shared<'_>,
    agent: CustomAgentForm,
) -> Result<Vec<FormProblem>, Failure> {
    off_main(runtime, move |runtime| runtime.save_agent(agent)).await
}

/// Deletes a custom agent.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_agent(runtime: Shared<'_>, id: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.remove_agent(&id)).await
}

/// Sets the program of an agent; detects it when none is named.
#[tauri::command]
#[specta::specta]
pub(crate) async fn set_program(
    runtime: Shared<'_>,
    id: String,
    program: Option<String>,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.set_program(&id, program)).await
}

/// What happens to the runs, and to the closing window.
#[tauri::command]
#[specta::specta]
pub(crate) fn close_window(app: AppHandle, how: ClosingAnswer) {
    closing::answered(&app, how);
}

/// Asks for a folder with the system's dialog, without opening it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_folder(app: AppHandle, runtime: Shared<'_>) -> Result<Option<String>, Failure> {
    off_main(runtime, move |_| {
        let picked = app.dialog().file().blocking_pick_folder().and_then(|folder| folder.into_path().ok());
        Ok(picked.map(|path| path.to_string_lossy().into_owned()))
    })
    .await
}

/// Asks for a program with the system's dialog.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pick_program(app: AppHandle, runtime: Shared<'_>) -> Result<Option<String>, Failure> {
    off_main(runtime, move |_| {
        let picked = app.dialog().file().blocking_pick_file().and_then(|file| file.into_path().ok());
        Ok(picked.map(|path| path.to_string_lossy().into_owned()))
    })
    .await
}
