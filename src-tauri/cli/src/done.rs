//! The answer of commands that change a loop: the request, and the content of the file, read again.

use loopdeck_core::control::{Control, EffectCode, NoticeCode, Verb};
use loopdeck_core::format::Format;
use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::plan::Driver;
use loopdeck_runtime::drivers::rows::StopView;
use loopdeck_runtime::views::{LoopRow, RequestState, RunnerView};
use serde::Serialize;
use serde_json::Value;

use super::complaint::Complaint;
use super::list::written;
use super::output::Answer;
use super::text;
use super::watch::WatchedResult;
use super::workspace::Workspace;

/// What was asked.
#[derive(Debug, Default)]
pub(super) struct DoneRequest {
    /// Its word for people.
    pub(super) word: String,
    /// For a control verb: which one, and the window's offer before the click.
    pub(super) verb: Option<(Verb, Option<Control>)>,
    /// For a control verb: its result a moment later.
    pub(super) lasted: Option<WatchedResult>,
    /// For a stop of a loop that another program ran: what that left, once it ended.
    pub(super) stopped: Option<StopView>,
    /// For anything else: the change in the form that `loopdeck change` accepts.
    pub(super) change: Option<Value>,
    /// The file that was written, where it isn't the loop's own; below the workspace.
    pub(super) file: Option<String>,
    /// Whether it found everything as it was to be, so that nothing was written.
    pub(super) nothing_changed: bool,
    /// Where a damaged file was set aside, below the workspace.
    pub(super) aside: Option<String>,
    /// The task list's new location, if it moved; relative to the loop's root.
    pub(super) moved_to: Option<String>,
}

/// What was done, for scripts. The names are a promise: `words/help/act.txt` and `changed.txt` document them.
#[derive(Debug, Serialize)]
struct Done<'a> {
    id: &'a str,
    format: Format,
    file: &'a str,
    verb: Option<Verb>,
    effect: Option<EffectCode>,
    command: Option<&'a str>,
    notice: Option<NoticeCode>,
    change: Option<&'a Value>,
    aside: Option<&'a str>,
    moved_to: Option<&'a str>,
    request: Option<RequestState>,
    overwritten: Option<bool>,
    written_again: Option<u32>,
    stop: Option<&'a StopView>,
    status_as_written: Option<String>,
    shown_status: StatusWord,
    runner: Option<RunnerView>,
    iteration: Option<f64>,
    limit: Option<f64>,
}

/// The answer about the loop in `file`, read again.
pub(super) fn answer(workspace: &mut Workspace, file: &str, did: &DoneRequest) -> Result<Answer, Complaint> {
    workspace.look_again_for(file)?;
    let row = workspace.find(file)?;
    let control = did.verb.as_ref().and_then(|(_, control)| control.as_ref());
    let command = control.and_then(|control| control.args.get("command").cloned());
    // What Loopdeck itself runs needs no skill.
    let is_ours = command.is_some() && runs_it_itself(workspace, row);
    let command = if is_ours { Some(workspace.command("run", &row.id)) } else { command };
    let done = Done {
        id: &row.id,
        format: row.format,
        file: &row.file,
        verb: did.verb.as_ref().map(|(verb, _)| *verb),
        effect: control.map(|control| control.effect),
        command: command.as_deref(),
        notice: control.and_then(|control| control.notice.as_ref()).map(|notice| notice.code),
        change: did.change.as_ref(),
        aside: did.aside.as_deref(),
        moved_to: did.moved_to.as_deref(),
        request: row.request.as_ref().map(|request| request.state),
        overwritten: did.lasted.map(|lasted| lasted.overwritten),
        written_again: did.lasted.map(|lasted| lasted.again),
        stop: did.stopped.as_ref(),
        status_as_written: written(row),
        shown_status: row.word,
        runner: row.runner,
        iteration: row.iteration.map(|bar| bar.current),
        limit: row.iteration.map(|bar| bar.limit),
    };
    let check = workspace.command("check", &row.id);
    Answer::new(&done, lines(did, &done, row, if is_ours { "run_it" } else { "command" }, &check))
}

/// Whether a plan is kept with which Loopdeck runs the loop, such as a shell agent.
fn runs_it_itself(workspace: &Workspace, row: &LoopRow) -> bool {
    let plan = workspace.runtime.plan_of(&row.key);
    plan.is_ok_and(|plan| plan.driver == Driver::Loopdeck && !plan.agent.is_empty())
}

/// `how`: the sentence about the command that continues the loop; `check`: the command that checks it.
fn lines(did: &DoneRequest, done: &Done<'_>, row: &LoopRow, how: &str, check: &str) -> Vec<String> {
    let written = done.status_as_written.as_deref().unwrap_or_default();
    let shown = text::status(row);
    let args = [
        ("verb", &*did.word),
        ("file", did.file.as_deref().unwrap_or(done.file)),
        ("written", written),
        ("shown", &shown),
    ];
    let times = done.written_again.unwrap_or_default().to_string();
    let args = args.into_iter().chain([("times", &*times)]);
    let sentence = match did.lasted {
        Some(WatchedResult { overwritten: true, .. }) => "overwritten",
        Some(WatchedResult { again: 1.., .. }) => "written_again",
        _ if did.nothing_changed => "nothing_changed",
        _ => "done",
    };
    let mut lines = vec![text::plain(&text::sentence("headless", sentence, args))];
    let further = [
        ("set_aside", "path", done.aside),
        ("moved_to", "path", done.moved_to),
        (how, "command", done.command),
    ];
    let further = further.into_iter().filter_map(|(code, name, value)| Some((code, name, value?)));
    lines.extend(
        further.map(|(code, name, value)| text::plain(&text::sentence("headless", code, [(name, value)]))),
    );
    lines.extend(did.stopped.as_ref().map(|stop| text::plain(&left(stop))));
    let notice = did.verb.as_ref().and_then(|(_, control)| control.as_ref()?.notice.as_ref());
    lines.extend(notice.map(text::notice));
    if did.verb.is_none() && did.lasted.is_some() {
        lines.push(text::plain(&text::sentence("headless", "guarded", [("command", check)])));
    }
    let is_told = did.lasted.is_some_and(|lasted| lasted.overwritten);
    lines.extend(text::overruled(row).filter(|_| !is_told));
    lines
}

/// What a stop left, in the words of `loopdeck run`.
fn left(stop: &StopView) -> String {
    match stop {
        StopView::AllGone { ended } => {
            text::sentence("headless", "run_stopped", [("count", &*ended.to_string())])
        }
        StopView::Left { processes, .. } => {
            let left: Vec<String> =
                processes.iter().map(|one| format!("{} ({})", one.name, one.pid)).collect();
            text::sentence("headless", "run_not_all_gone", [("left", &*left.join(", "))])
        }
        StopView::Unknown { why } => text::sentence("headless", "run_not_all_gone", [("left", &**why)]),
    }
}
