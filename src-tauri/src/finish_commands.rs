//! The page's commands for what became of a loop's files and what a person does with them. Listed in `bindings` like all others.
#![allow(clippy::needless_pass_by_value, reason = "Tauri hands its arguments over by value")]

use crate::commands::{Shared, off_main};
use loopdeck_runtime::forge::{Issue, PullRequest};
use loopdeck_runtime::views::{
    CommentView, CommitView, Discarded, Failure, FinishState, LoopChanges, LoopFileTexts, MergeView,
    MessageView, NewComment, PullRequestWanted, RevertWanted, Reverted, SentView, TakenIn, TakenUp,
    WeakenedTests,
};
use std::path::Path;

/// Everything that changed in a loop's folder since the loop began.
#[tauri::command]
#[specta::specta]
pub(crate) async fn loop_changes(runtime: Shared<'_>, key: String) -> Result<LoopChanges, Failure> {
    off_main(runtime, move |runtime| runtime.loop_changes(&key)).await
}

/// What weakens tests in these changes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn weakened_tests(runtime: Shared<'_>, key: String) -> Result<WeakenedTests, Failure> {
    off_main(runtime, move |runtime| runtime.weakened_tests(&key)).await
}

/// The two versions of one of these files.
#[tauri::command]
#[specta::specta]
pub(crate) async fn loop_change(
    runtime: Shared<'_>,
    key: String,
    path: String,
) -> Result<LoopFileTexts, Failure> {
    off_main(runtime, move |runtime| runtime.loop_change(&key, &path)).await
}

/// Marks a file as viewed in the version with this fingerprint, or no longer.
#[tauri::command]
#[specta::specta]
pub(crate) async fn mark_viewed(
    runtime: Shared<'_>,
    key: String,
    path: String,
    fingerprint: Option<String>,
) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.mark_viewed(&key, &path, fingerprint)).await
}

/// Comments on a loop's changes.
#[tauri::command]
#[specta::specta]
pub(crate) async fn comments(runtime: Shared<'_>, key: String) -> Result<Vec<CommentView>, Failure> {
    off_main(runtime, move |runtime| runtime.comments(&key)).await
}

/// Keeps a comment; answers its number.
#[tauri::command]
#[specta::specta]
pub(crate) async fn add_comment(
    runtime: Shared<'_>,
    key: String,
    comment: NewComment,
) -> Result<u32, Failure> {
    off_main(runtime, move |runtime| runtime.add_comment(&key, &comment)).await
}

/// Forgets a comment.
#[tauri::command]
#[specta::specta]
pub(crate) async fn remove_comment(runtime: Shared<'_>, key: String, id: u32) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.remove_comment(&key, id)).await
}

/// Makes comments work of their loop: these, or all that are not yet.
#[tauri::command]
#[specta::specta]
pub(crate) async fn take_up(runtime: Shared<'_>, key: String, ids: Vec<u32>) -> Result<TakenUp, Failure> {
    off_main(runtime, move |runtime| runtime.take_up(&key, &ids)).await
}

/// What can be done with the work of a loop.
#[tauri::command]
#[specta::specta]
pub(crate) async fn finish_state(runtime: Shared<'_>, key: String) -> Result<FinishState, Failure> {
    off_main(runtime, move |runtime| runtime.finish_state(&key)).await
}

/// Commits files of a loop's folder: these, or all but the state of loops.
#[tauri::command]
#[specta::specta]
pub(crate) async fn commit_work(
    runtime: Shared<'_>,
    key: String,
    files: Vec<String>,
    message: String,
) -> Result<CommitView, Failure> {
    off_main(runtime, move |runtime| runtime.commit_work(&key, &files, &message)).await
}

/// Makes a branch in a loop's folder and checks it out there.
#[tauri::command]
#[specta::specta]
pub(crate) async fn branch_work(runtime: Shared<'_>, key: String, name: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.branch_work(&key, &name)).await
}

/// Merges a loop's worktree into the folder that it was made from.
#[tauri::command]
#[specta::specta]
pub(crate) async fn merge_work(runtime: Shared<'_>, key: String) -> Result<MergeView, Failure> {
    off_main(runtime, move |runtime| runtime.merge_work(&key)).await
}

/// Notes that the person keeps the work as it is.
#[tauri::command]
#[specta::specta]
pub(crate) async fn keep_work(runtime: Shared<'_>, key: String) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.keep_work(&key)).await
}

/// Gives a loop's worktree up; what is not committed goes to the trash.
#[tauri::command]
#[specta::specta]
pub(crate) async fn discard_work(runtime: Shared<'_>, key: String) -> Result<Discarded, Failure> {
    off_main(runtime, move |runtime| runtime.discard_work(&key)).await
}

/// Puts a file, some lines of it, or the files of a run back to how they were.
#[tauri::command]
#[specta::specta]
pub(crate) async fn revert(
    runtime: Shared<'_>,
    key: String,
    wanted: RevertWanted,
) -> Result<Reverted, Failure> {
    off_main(runtime, move |runtime| runtime.revert(&key, &wanted)).await
}

/// Takes the last revert of a loop back.
#[tauri::command]
#[specta::specta]
pub(crate) async fn undo_revert(runtime: Shared<'_>, key: String) -> Result<Reverted, Failure> {
    off_main(runtime, move |runtime| runtime.undo_revert(&key)).await
}

/// Sends the branch of a loop's folder to its remote. Only after the person confirmed it.
#[tauri::command]
#[specta::specta]
pub(crate) async fn push_work(runtime: Shared<'_>, key: String) -> Result<SentView, Failure> {
    off_main(runtime, move |runtime| runtime.push_work(&key)).await
}

/// Makes a pull request of the branch of a loop's folder, which was sent.
#[tauri::command]
#[specta::specta]
pub(crate) async fn create_pull_request(
    runtime: Shared<'_>,
    key: String,
    wanted: PullRequestWanted,
) -> Result<PullRequest, Failure> {
    off_main(runtime, move |runtime| runtime.create_pull_request(&key, &wanted)).await
}

/// The pull request of a loop as it was last seen, or, with `look`, as it is now.
#[tauri::command]
#[specta::specta]
pub(crate) async fn pull_request(
    runtime: Shared<'_>,
    key: String,
    look: bool,
) -> Result<Option<PullRequest>, Failure> {
    off_main(runtime, move |runtime| runtime.pull_request(&key, look)).await
}

/// Takes failed checks and what reviewers said in as comments, each once.
#[tauri::command]
#[specta::specta]
pub(crate) async fn take_in_review(runtime: Shared<'_>, key: String) -> Result<TakenIn, Failure> {
    off_main(runtime, move |runtime| runtime.take_in_review(&key)).await
}

/// An issue of the repository of a folder, by its number or its address, for the start form.
#[tauri::command]
#[specta::specta]
pub(crate) async fn issue(runtime: Shared<'_>, folder: String, named: String) -> Result<Issue, Failure> {
    off_main(runtime, move |runtime| runtime.issue(Path::new(&folder), &named)).await
}

/// Remembers the issue that a loop came from.
#[tauri::command]
#[specta::specta]
pub(crate) async fn keep_issue(runtime: Shared<'_>, key: String, issue: Issue) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.keep_issue(&key, &issue)).await
}

/// The messages to the agents of a loop.
#[tauri::command]
#[specta::specta]
pub(crate) async fn messages(runtime: Shared<'_>, key: String) -> Result<Vec<MessageView>, Failure> {
    off_main(runtime, move |runtime| runtime.messages(&key)).await
}

/// Keeps a message for the next agent of a loop; answers its number.
#[tauri::command]
#[specta::specta]
pub(crate) async fn add_message(runtime: Shared<'_>, key: String, text: String) -> Result<u32, Failure> {
    off_main(runtime, move |runtime| runtime.add_message(&key, &text)).await
}

/// Forgets a message that is not delivered.
#[tauri::command]
#[specta::specta]
pub(crate) async fn withdraw_message(runtime: Shared<'_>, key: String, id: u32) -> Result<(), Failure> {
    off_main(runtime, move |runtime| runtime.withdraw_message(&key, id)).await
}
