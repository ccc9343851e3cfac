//! `loopdeck comment DIR ID`: comments on the changes of a loop, and how they become its work.

use loopdeck_core::control::Verb;
use loopdeck_runtime::views::{CommentView, NewComment};
use serde_json::json;

use super::complaint::Complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// The comments on the loop that `id` names.
pub(super) fn list(workspace: &Workspace, id: &str) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let comments = workspace.runtime.comments(&row.key)?;
    let mut lines: Vec<String> = comments.iter().map(line).collect();
    if lines.is_empty() {
        lines.push(text::sentence("headless", "comments_none", []));
    }
    Answer::new(&comments, lines)
}

fn line(view: &CommentView) -> String {
    let comment = &view.comment;
    let place = match (&comment.path, comment.line) {
        (Some(path), Some(line)) => format!("{path}:{line}: "),
        (Some(path), None) => format!("{path}: "),
        (None, _) => String::new(),
    };
    let author = comment.author.as_ref().map(|author| format!("{author}: ")).unwrap_or_default();
    let taken = comment.taken_as.map(|how| format!("  [{}]", text::name(how))).unwrap_or_default();
    let answered = view.answered_in.map(|iteration| format!("  #{iteration}")).unwrap_or_default();
    let said = comment.text.lines().next().unwrap_or_default();
    text::plain(&format!("{:>3}  {place}{author}{said}{taken}{answered}", view.id))
}

/// Keeps a new one.
pub(super) fn add(workspace: &Workspace, id: &str, comment: &NewComment) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let number = workspace.runtime.add_comment(&row.key, comment)?;
    let shown = number.to_string();
    let line = text::sentence("headless", "comment_added", [("id", &*shown)]);
    Answer::new(&json!({ "id": number }), vec![line])
}

/// Forgets one.
pub(super) fn remove(workspace: &Workspace, id: &str, number: u32) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    workspace.runtime.remove_comment(&row.key, number)?;
    let shown = number.to_string();
    let line = text::sentence("headless", "comment_removed", [("id", &*shown)]);
    Answer::new(&json!({ "removed": number }), vec![line])
}

/// Makes them work of the loop.
pub(super) fn take_up(workspace: &Workspace, id: &str, numbers: &[u32]) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let taken =
        workspace.runtime.take_up(&row.key, numbers).map_err(|failure| workspace.refused(&failure, row))?;
    let count = taken.count.to_string();
    let how = taken.taken_as.map(text::name).unwrap_or_default();
    let code =
        if taken.count == 0 { "comments_none_left".to_owned() } else { format!("comments_taken_{how}") };
    let mut lines = vec![text::counted("headless", &code, [("count", &*count)])];
    lines.extend(taken.waits.then(|| text::sentence("headless", "comments_wait", [])));
    if taken.count > 0 && row.verbs.contains(&Verb::Reopen) {
        let command = workspace.command("run", &row.id);
        let line = text::sentence("headless", "comments_reopen", [("command", &*command)]);
        lines.push(text::plain(&line));
    }
    Answer::new(&taken, lines)
}
