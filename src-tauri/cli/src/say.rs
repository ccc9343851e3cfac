//! `loopdeck say DIR ID`: messages to the agents of a loop.

use loopdeck_runtime::views::MessageView;
use serde_json::json;

use super::complaint::Complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// The messages to the loop that `id` names.
pub(super) fn list(workspace: &Workspace, id: &str) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let messages = workspace.runtime.messages(&row.key)?;
    let mut lines: Vec<String> = messages.iter().map(line).collect();
    if lines.is_empty() {
        lines.push(text::sentence("headless", "messages_none", []));
    }
    Answer::new(&messages, lines)
}

fn line(view: &MessageView) -> String {
    let state = if view.run.is_some() { "message_delivered" } else { "message_waits" };
    let about = if view.about.is_empty() { String::new() } else { format!("{}: ", view.about) };
    let said = view.text.lines().next().unwrap_or_default();
    text::plain(&format!("{:>3}  {about}{said}  [{}]", view.id, text::sentence("headless", state, [])))
}

/// Adds one.
pub(super) fn add(workspace: &Workspace, id: &str, said: &str) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let number =
        workspace.runtime.add_message(&row.key, said).map_err(|failure| workspace.refused(&failure, row))?;
    let shown = number.to_string();
    let line = text::sentence("headless", "message_added", [("id", &*shown)]);
    Answer::new(&json!({ "id": number }), vec![line])
}

/// Withdraws one that is not delivered.
pub(super) fn withdraw(workspace: &Workspace, id: &str, number: u32) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    workspace.runtime.withdraw_message(&row.key, number)?;
    let shown = number.to_string();
    let line = text::sentence("headless", "message_withdrawn", [("id", &*shown)]);
    Answer::new(&json!({ "withdrawn": number }), vec![line])
}
