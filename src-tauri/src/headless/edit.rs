//! `loopdeck edit DIR ID`: changes title, limits and labels. `loopdeck delete DIR ID`: moves a loop to the trash.

use lexopt::prelude::ValueExt as _;
use loopdeck_core::control::MetadataPatch;
use serde::Serialize;
use serde_json::json;

use super::complaint::Complaint;
use super::done::{self, Did};
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// What to change.
#[derive(Debug, Default, PartialEq)]
pub(super) struct EditOptions {
    patch: MetadataPatch,
}

impl EditOptions {
    /// Every option it takes.
    pub(super) const OPTIONS: &'static [&'static str] =
        &["title", "description", "max-iterations", "tag", "priority", "notes"];

    /// Reads the value of one of [`EditOptions::OPTIONS`].
    pub(super) fn take(&mut self, option: &str, parser: &mut lexopt::Parser) -> Result<(), lexopt::Error> {
        let value = parser.value()?;
        let patch = &mut self.patch;
        match option {
            "title" => patch.title = Some(value.string()?),
            "description" => patch.description = Some(value.string()?),
            "max-iterations" => patch.max_iterations = Some(value.parse()?),
            "priority" => patch.priority = Some(value.string()?),
            "notes" => patch.notes = Some(value.string()?),
            _ => {
                let tag = value.string()?;
                patch.tags.get_or_insert_with(Vec::new).extend(Some(tag).filter(|tag| !tag.is_empty()));
            }
        }
        Ok(())
    }

    /// What was given; `None` when nothing was.
    pub(super) fn patch(self) -> Option<MetadataPatch> {
        (self.patch != MetadataPatch::default()).then_some(self.patch)
    }
}

/// Changes the loop that `id` names.
pub(super) fn answer(workspace: &mut Workspace, id: &str, patch: MetadataPatch) -> Result<Answer, Complaint> {
    let before = workspace.find(id)?.clone();
    let change = json!({ "kind": "edit", "fields": given(&patch) });
    workspace
        .runtime
        .edit_metadata(&before.key, patch)
        .map_err(|failure| Complaint::of(&failure, Some(&before)))?;
    let did = Did { word: "edit".to_owned(), change: Some(change), ..Did::default() };
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
        workspace.runtime.delete_loop(&row.key).map_err(|failure| Complaint::of(&failure, Some(&row)))?;
    let say = |code: &str, file: &str| text::plain(&text::sentence("headless", code, [("file", file)]));
    let lines = std::iter::once(say("deleted", &row.file))
        .chain(deletion.files.iter().filter(|file| **file != row.file).map(|file| say("deleted_file", file)))
        .collect();
    Answer::new(&Deleted { id: &row.id, file: &row.file, files: deletion.files }, lines)
}
