//! `loopdeck edit DIR ID`: changes title, limits and tags. `loopdeck delete DIR ID`: moves a loop to the trash.

use loopdeck_core::control::MetadataPatch;
use serde::Serialize;
use serde_json::json;

use super::complaint::Complaint;
use super::done::{self, DoneRequest};
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// What to change.
#[derive(clap::Args, Debug, Default, PartialEq)]
pub(super) struct EditOptions {
    /// 1 to 100 characters
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// 1 to 100 (AoT: 1 to 10,000)
    #[arg(long, value_name = "N")]
    max_iterations: Option<u32>,
    /// A tag; repeat for several. They replace all tags; --tag '' alone removes them
    #[arg(long = "tag", value_name = "TEXT")]
    tags: Option<Vec<String>>,
    /// low, medium, high; '' removes it
    #[arg(long, value_name = "WORD")]
    priority: Option<String>,
    /// Notes; '' removes them
    #[arg(long, value_name = "TEXT")]
    notes: Option<String>,
}

impl EditOptions {
    /// The given values; `None` when there are none.
    pub(super) fn patch(self) -> Option<MetadataPatch> {
        let Self { title, description, max_iterations, tags, priority, notes } = self;
        let tags = tags.map(|tags| tags.into_iter().filter(|tag| !tag.is_empty()).collect());
        let patch = MetadataPatch { title, description, max_iterations, tags, priority, notes };
        (patch != MetadataPatch::default()).then_some(patch)
    }
}

/// Changes the loop that `id` names.
pub(super) fn answer(workspace: &mut Workspace, id: &str, patch: MetadataPatch) -> Result<Answer, Complaint> {
    let before = workspace.find(id)?.clone();
    let change = json!({ "kind": "edit", "fields": given(&patch) });
    workspace
        .runtime
        .edit_metadata(&before.key, patch)
        .map_err(|failure| workspace.refused(&failure, &before))?;
    let did = DoneRequest { word: "edit".to_owned(), change: Some(change), ..DoneRequest::default() };
    done::answer(workspace, &before.file, &did)
}

/// The fields that are changed.
fn given(patch: &MetadataPatch) -> serde_json::Value {
    let mut all = serde_json::to_value(patch).unwrap_or_default();
    if let Some(fields) = all.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    all
}

/// What went to the trash, for scripts. The names are a promise: `words/help/delete.txt` documents them.
#[derive(Debug, Serialize)]
struct Deleted<'a> {
    id: &'a str,
    file: &'a str,
    files: Vec<String>,
}

/// Moves the loop that `id` names to the trash, with the files next to it.
pub(super) fn delete(workspace: &mut Workspace, id: &str) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?.clone();
    let deletion =
        workspace.runtime.delete_loop(&row.key).map_err(|failure| workspace.refused(&failure, &row))?;
    let say = |code: &str, file: &str| text::plain(&text::sentence("headless", code, [("file", file)]));
    let lines = std::iter::once(say("deleted", &row.file))
        .chain(deletion.files.iter().filter(|file| **file != row.file).map(|file| say("deleted_file", file)))
        .collect();
    Answer::new(&Deleted { id: &row.id, file: &row.file, files: deletion.files }, lines)
}
