//! `loopdeck pause DIR ID` and the other verbs: one guarded change of one loop.

use loopdeck_core::control::{Control, EffectCode, Verb};
use loopdeck_core::format::Format;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::rows::{LoopRow, RequestState, VerbOptions};
use serde::Serialize;

use super::complaint::Complaint;
use super::list::written;
use super::output::Answer;
use super::text;
use super::workspace::Workspace;

/// What was done, for scripts. The names are a promise: `words/help/act.txt` documents them.
#[derive(Debug, Serialize)]
struct Done {
    id: String,
    format: Format,
    file: String,
    verb: Verb,
    effect: Option<EffectCode>,
    command: Option<String>,
    request: Option<RequestState>,
    status_as_written: Option<String>,
    shown_status: StatusWord,
    iteration: Option<f64>,
    limit: Option<f64>,
}

/// Carries out `verb` on the loop that `id` names; the answer is what the file says after it was read again.
pub(super) fn answer(
    workspace: &mut Workspace,
    id: &str,
    verb: Verb,
    options: VerbOptions,
) -> Result<Answer, Complaint> {
    let before = workspace.find(id)?.clone();
    let control = control(workspace, &before, verb);
    workspace
        .runtime
        .act(&before.key, verb, options)
        .map_err(|failure| Complaint::of(&failure, Some(&before)))?;
    workspace.look_again()?;
    let row = workspace.find(&before.file)?;
    let done = Done {
        id: row.id.clone(),
        format: row.format,
        file: row.file.clone(),
        verb,
        effect: control.as_ref().map(|control| control.effect),
        command: control.and_then(|control| control.args.get("command").cloned()),
        request: row.request.as_ref().map(|request| request.state),
        status_as_written: written(row),
        shown_status: row.word,
        iteration: row.iteration.map(|bar| bar.current),
        limit: row.iteration.map(|bar| bar.limit),
    };
    Answer::new(&done, lines(&done, row))
}

/// What the window would say about the verb before the click.
fn control(workspace: &Workspace, row: &LoopRow, verb: Verb) -> Option<Control> {
    let controls = workspace.runtime.controls(&row.key).unwrap_or_default();
    controls.into_iter().find(|control| control.verb == verb)
}

fn lines(done: &Done, row: &LoopRow) -> Vec<String> {
    let (verb, shown) = (text::name(done.verb), text::status(row));
    let written = done.status_as_written.as_deref().unwrap_or_default();
    let args = [("verb", &*verb), ("file", &done.file), ("written", written), ("shown", &shown)];
    let mut lines = vec![text::plain(&text::sentence("headless", "done", args))];
    let command = done.command.as_deref();
    lines.extend(command.map(|command| text::sentence("headless", "command", [("command", command)])));
    lines
}
