//! `loopdeck export` and `loopdeck import`: what Loopdeck keeps about loops, as a file.

use std::path::Path;

use super::complaint::Complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// The file that was written.
pub(super) fn export(workspace: &Workspace, output: &Path) -> Result<Answer, Complaint> {
    let lines = workspace.runtime.export_history(&workspace.id(), output)?;
    let shown = output.display().to_string();
    let written = text::sentence("headless", "exported", [("path", &*shown), ("lines", &*lines.to_string())]);
    Answer::new(&serde_json::json!({ "file": shown, "lines": lines }), vec![text::plain(&written)])
}

/// What was taken in.
pub(super) fn import(workspace: &Workspace, file: &Path) -> Result<Answer, Complaint> {
    let imported = workspace.runtime.import_history(&workspace.id(), file)?;
    let [notes, loops, known] =
        [imported.notes, imported.loops, imported.known].map(|count| count.to_string());
    let slots = [("notes", &*notes), ("loops", &*loops), ("known", &*known)];
    Answer::new(&imported, vec![text::plain(&text::sentence("headless", "imported", slots))])
}
