//! `loopdeck history DIR ID`: the versions of a loop that the journal keeps.

use loopdeck_core::times::{Timestamp, to_iso_millis};
use loopdeck_runtime::views::{VersionView, VersionWriter};

use super::complaint::Complaint;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// The runtime returns no more.
const LIMIT: u32 = 1_000;

/// The versions, newest first. Changes nothing, so the current content is included only if it was kept
/// before.
pub(super) fn answer(workspace: &Workspace, id: &str) -> Result<Answer, Complaint> {
    let row = workspace.find(id)?;
    let versions = workspace.runtime.history(&row.key, LIMIT)?;
    let mut lines: Vec<String> = versions.iter().map(line).collect();
    if lines.is_empty() {
        lines.push(text::sentence("headless", "no_versions", []));
    }
    Answer::new(&versions, lines)
}

#[allow(clippy::cast_possible_truncation)] // milliseconds since 1970 are exact in f64
fn line(version: &VersionView) -> String {
    let who = match version.cause {
        Some(cause) => text::name(cause),
        None if version.who == VersionWriter::Ours => "loopdeck".to_owned(),
        None => text::name(version.who),
    };
    let (id, at) = (version.id.to_string(), to_iso_millis(Timestamp::from_millis(version.at as i64)));
    let size = version.size.to_string();
    let args = [("id", &*id), ("at", &at), ("who", &who), ("size", &size)];
    let line = text::sentence("headless", if version.current { "version_now" } else { "version" }, args);
    match &version.asker {
        Some(asker) => {
            text::sentence("headless", "version_asked", [("line", &*line), ("asker", &asker.to_string())])
        }
        None => line,
    }
}
