//! `loopdeck changes DIR ID`: what changed since a loop began. `loopdeck finish DIR ID`: what is done with it.

use std::path::Path;

use loopdeck_core::times::{Timestamp, to_iso_millis};
use loopdeck_runtime::views::{
    CommitView, Failure, FailureKind, FinishState, LoopChanges, LoopFileRow, LoopFileTexts, LoopRow,
    MergeView, RevertWanted, Reverted,
};
use serde_json::json;

use super::complaint::Complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// Exit code when a hook, a conflict or files in the way kept it from being done.
const NOT_NOW: u8 = 3;

/// What is to be done with the work of a loop.
#[derive(Debug, PartialEq)]
pub(super) enum FinishWord {
    Commit { message: String, files: Vec<String> },
    Branch { name: String },
    Merge,
    Keep,
    Discard,
    Revert(RevertWanted),
    UndoRevert,
}

/// Which of the changes are asked for.
#[derive(Debug, PartialEq)]
pub(super) struct ChangesWanted {
    pub(super) path: Option<String>,
    pub(super) unviewed: bool,
    pub(super) iteration: Option<u32>,
    pub(super) viewed: bool,
}

/// What changed since the loop that `id` names began.
pub(super) fn changes(workspace: &Workspace, id: &str, wanted: &ChangesWanted) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let refused = |failure: Failure| complaint(workspace, row, &failure);
    let Some(path) = wanted.path.as_deref() else {
        let mut changes = workspace.runtime.loop_changes(&row.key).map_err(refused)?;
        changes.keep_only(|runs, file| {
            let mut by = file.changed_by.iter().filter_map(|at| runs.get(usize::try_from(*at).ok()?));
            let is_in = wanted.iteration.is_none_or(|wanted| by.any(|run| run.iteration == wanted));
            is_in && !(wanted.unviewed && file.viewed)
        });
        return Answer::new(&changes, lines_of(&changes));
    };
    let texts = workspace.runtime.loop_change(&row.key, path).map_err(refused)?;
    if wanted.viewed {
        let fingerprint = Some(texts.fingerprint.clone());
        workspace.runtime.mark_viewed(&row.key, path, fingerprint).map_err(refused)?;
    }
    Answer::new(&texts, difference(path, &texts))
}

#[allow(clippy::cast_possible_truncation)] // milliseconds since 1970 are exact in f64
fn lines_of(changes: &LoopChanges) -> Vec<String> {
    if changes.files.is_empty() {
        return vec![text::sentence("headless", "changes_none", [])];
    }
    let added = changes.totals.lines.added.to_string();
    let removed = changes.totals.lines.removed.to_string();
    let (count, since) = (changes.files.len().to_string(), changes.since);
    let at = since.map(|at| to_iso_millis(Timestamp::from_millis(at as i64))).unwrap_or_default();
    let code = if since.is_some() { "changes_since" } else { "changes_since_commit" };
    let args = [("count", &*count), ("at", &at), ("added", &added), ("removed", &removed)];
    let head = text::counted("headless", code, args);
    std::iter::once(head).chain(changes.files.iter().map(row_line)).collect()
}

fn row_line(file: &LoopFileRow) -> String {
    let kind = text::name(file.kind);
    let mark = kind.chars().next().unwrap_or(' ').to_ascii_uppercase();
    let lines = file.lines.map_or("-".to_owned(), |lines| format!("+{} -{}", lines.added, lines.removed));
    let from = file.from.as_ref().map(|from| format!("{from} => ")).unwrap_or_default();
    let seen = if file.viewed { "*" } else { " " };
    let by = file.iteration.map(|iteration| format!("  #{iteration}")).unwrap_or_default();
    text::plain(&format!("{seen} {mark} {lines:>11}  {from}{}{by}", file.path))
}

/// The lines that differ, between those that both versions begin and end with.
fn difference(path: &str, texts: &LoopFileTexts) -> Vec<String> {
    if !texts.has_text {
        return vec![text::plain(&text::sentence("headless", "changes_no_text", [("file", path)]))];
    }
    let (before, after) = (&texts.before, &texts.after);
    let start = before.iter().zip(after).take_while(|(old, new)| old == new).count();
    let shorter = before.len().min(after.len()) - start;
    let ends = before.iter().rev().zip(after.iter().rev()).take(shorter);
    let end = ends.take_while(|(old, new)| old == new).count();
    let part = |lines: &[String], mark: &str| -> Vec<String> {
        lines[start..lines.len() - end].iter().map(|line| text::plain(&format!("{mark}{line}"))).collect()
    };
    let place = format!("@@ {} @@", start + 1);
    [vec![place], part(before, "-"), part(after, "+")].concat()
}

/// What can be done with the work of the loop that `id` names.
pub(super) fn state(workspace: &Workspace, id: &str) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let state =
        workspace.runtime.finish_state(&row.key).map_err(|failure| complaint(workspace, row, &failure))?;
    Answer::new(&state, state_lines(&state))
}

fn state_lines(state: &FinishState) -> Vec<String> {
    let say = |code: &str, args: &[(&str, &str)]| {
        text::plain(&text::sentence("headless", code, args.iter().copied()))
    };
    let mut lines = Vec::new();
    if let Some(branch) = &state.branch {
        lines.push(say("finish_branch", &[("branch", branch)]));
    }
    if let Some(worktree) = &state.worktree {
        let count = worktree.own_commits.to_string();
        lines.push(say("finish_worktree", &[("path", &worktree.main), ("count", &count)]));
    }
    if let Some(remote) = &state.remote {
        lines.push(say("finish_remote", &[("address", remote)]));
    }
    if !state.hooks.is_empty() {
        lines.push(say("finish_hooks", &[("hooks", &state.hooks.join(", "))]));
    }
    let count = state.open.len().to_string();
    lines.push(say(if state.open.is_empty() { "finish_clean" } else { "finish_open" }, &[("count", &count)]));
    lines.extend(state.open.iter().map(|file| text::plain(&format!("  {}", file.path))));
    lines
}

/// Does it.
pub(super) fn answer(workspace: &mut Workspace, id: &str, word: FinishWord) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?.clone();
    let runtime = &workspace.runtime;
    let refused = |failure: Failure| complaint(workspace, &row, &failure);
    let said = |code: &str, args: &[(&str, &str)]| {
        vec![text::plain(&text::sentence("headless", code, args.iter().copied()))]
    };
    match word {
        FinishWord::Commit { message, files } => {
            committed(&runtime.commit_work(&row.key, &files, &message).map_err(refused)?)
        }
        FinishWord::Branch { name } => {
            runtime.branch_work(&row.key, &name).map_err(refused)?;
            Answer::new(&json!({ "branch": name }), said("finish_branch", &[("branch", &name)]))
        }
        FinishWord::Merge => merged(&runtime.merge_work(&row.key).map_err(refused)?),
        FinishWord::Keep => {
            runtime.keep_work(&row.key).map_err(refused)?;
            Answer::new(&json!({ "kept": row.id }), said("finish_kept", &[]))
        }
        FinishWord::Discard => {
            let discarded = runtime.discard_work(&row.key).map_err(refused)?;
            let mut lines = match &discarded.branch {
                Some(branch) => said("finish_discarded_but", &[("branch", branch)]),
                None => said("finish_discarded", &[]),
            };
            lines.extend(discarded.files.iter().map(|file| text::plain(&format!("  {file}"))));
            Answer::new(&discarded, lines)
        }
        FinishWord::Revert(wanted) => {
            let wanted = as_it_is_now(workspace, &row, wanted)?;
            reverted(&runtime.revert(&row.key, &wanted).map_err(refused)?)
        }
        FinishWord::UndoRevert => reverted(&runtime.undo_revert(&row.key).map_err(refused)?),
    }
}

/// The version that a command means is that of this moment.
fn as_it_is_now(
    workspace: &Workspace,
    row: &LoopRow,
    wanted: RevertWanted,
) -> Result<RevertWanted, Complaint> {
    let now = |path: &str| {
        let texts = workspace.runtime.loop_change(&row.key, path);
        texts.map(|texts| texts.fingerprint).map_err(|failure| complaint(workspace, row, &failure))
    };
    Ok(match wanted {
        RevertWanted::File { path, .. } => RevertWanted::File { fingerprint: now(&path)?, path },
        RevertWanted::Hunk { path, before, after, .. } => {
            RevertWanted::Hunk { fingerprint: now(&path)?, path, before, after }
        }
        run @ RevertWanted::Run { .. } => run,
    })
}

fn committed(view: &CommitView) -> Result<Answer, Complaint> {
    let (line, code) = match view {
        CommitView::Done { commit, files } => {
            let (short, count) = (commit.chars().take(10).collect::<String>(), files.to_string());
            (text::counted("headless", "finish_committed", [("commit", &*short), ("count", &count)]), 0)
        }
        CommitView::RefusedByHook { said } => {
            (text::sentence("headless", "finish_hook_refused", [("reason", &**said)]), NOT_NOW)
        }
        CommitView::Nothing => (text::sentence("headless", "finish_nothing", []), 0),
    };
    let lines = line.lines().map(text::plain).collect();
    Ok(Answer::new(view, lines)?.with_code(code))
}

fn merged(view: &MergeView) -> Result<Answer, Complaint> {
    let say = |code: &str, args: &[(&str, &str)]| text::sentence("headless", code, args.iter().copied());
    let none: &[String] = &[];
    let (line, files, code) = match view {
        MergeView::Done { commit, files } => {
            let (short, count) = (commit.chars().take(10).collect::<String>(), files.to_string());
            let args = [("commit", &*short), ("count", &count)];
            (text::counted("headless", "finish_merged", args), none, 0)
        }
        MergeView::Nothing => (say("finish_nothing_to_merge", &[]), none, 0),
        MergeView::NotCommitted { files } => (say("finish_not_committed", &[]), &files[..], NOT_NOW),
        MergeView::Conflict { files } => (say("finish_conflict", &[]), &files[..], NOT_NOW),
        MergeView::InTheWay { files } => (say("finish_in_the_way", &[]), &files[..], NOT_NOW),
    };
    let files = files.iter().map(|file| text::plain(&format!("  {file}")));
    Ok(Answer::new(view, std::iter::once(line).chain(files).collect())?.with_code(code))
}

fn reverted(reverted: &Reverted) -> Result<Answer, Complaint> {
    let head = text::sentence("headless", "finish_reverted", []);
    let files = reverted.files.iter().map(|file| text::plain(&format!("  {file}")));
    Answer::new(reverted, std::iter::once(head).chain(files).collect())
}

/// Why it was not done; how a folder is trusted for one command is said with it.
pub(super) fn complaint(workspace: &Workspace, row: &LoopRow, failure: &Failure) -> Complaint {
    match failure.kind {
        FailureKind::Untrusted => Complaint::untrusted(failure),
        FailureKind::RepositoryChanged => Complaint::changed(failure),
        _ => workspace.refused(failure, row),
    }
}

/// Trusts the folder for this command, when the person says so.
pub(super) fn trust(workspace: &Workspace, dir: &Path, trust: bool) -> Result<(), Complaint> {
    if trust {
        workspace.runtime.trust(&dir.to_string_lossy(), true)?;
    }
    Ok(())
}
