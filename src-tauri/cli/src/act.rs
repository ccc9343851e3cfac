//! `loopdeck pause DIR ID` and the other verbs: one guarded change of one loop.

use loopdeck_core::control::{Control, Verb};
use loopdeck_runtime::clock;
use loopdeck_runtime::views::{LoopRow, VerbOptions};

use super::complaint::Complaint;
use super::done::{self, DoneRequest};
use super::ending;
use super::output::Answer;
use super::text;
use super::watch;
use super::workspace::Workspace;

/// Exit code when another program has overwritten the requested change.
pub(super) const OVERWRITTEN: u8 = 3;

/// Exit code when a stop left processes, or it is unknown whether any are left; as of `loopdeck run`.
const NOT_ALL_GONE: u8 = 7;

/// Carries out `verb` on the loop that `id` names; the answer is the content of the file after watching it
/// for a moment.
pub(super) fn answer(
    workspace: &mut Workspace,
    id: &str,
    verb: Verb,
    options: VerbOptions,
) -> Result<Answer, Complaint> {
    let before = workspace.find(id)?.clone();
    let control = control(workspace, &before, verb);
    let since = clock::now();
    workspace
        .runtime
        .act(&before.key, verb, options)
        .map_err(|failure| workspace.refused(&failure, &before))?;
    let lasted = watch::watch(&workspace.runtime, &before.key, verb)?;
    if lasted.overwritten {
        workspace.runtime.end_overwritten(&before.key)?;
    }
    let stopped = match verb {
        Verb::Stop => ending::wait(workspace, &before, since)?,
        _ => None,
    };
    let is_left = stopped.as_ref().is_some_and(ending::is_left);
    let did = DoneRequest {
        word: text::name(verb),
        verb: Some((verb, control)),
        lasted: Some(lasted),
        stopped,
        ..DoneRequest::default()
    };
    let answer = done::answer(workspace, &before.file, &did)?;
    Ok(answer.with_code(match lasted.overwritten {
        true => OVERWRITTEN,
        false if is_left => NOT_ALL_GONE,
        false => 0,
    }))
}

/// The window's offer of the verb before the click.
fn control(workspace: &Workspace, row: &LoopRow, verb: Verb) -> Option<Control> {
    let controls = workspace.runtime.controls(&row.key).unwrap_or_default();
    controls.into_iter().find(|control| control.verb == verb)
}
