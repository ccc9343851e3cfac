//! `loopdeck change`, `redirect`, `repair`, `undo` and `restore`: one guarded change beyond the control verbs.

use std::collections::BTreeSet;
use std::io;

use loopdeck_core::formats::aot::AotOperation;
use loopdeck_core::step::{Operation, StepCode, StepOffer};
use loopdeck_runtime::Runtime;
use loopdeck_runtime::views::{Failure, LoopChange, LoopRow};
use serde::Deserialize as _;
use serde_json::{Value, json};

use super::act::OVERWRITTEN;
use super::complaint::Complaint;
use super::done::{self, DoneRequest};
use super::output::Answer;
use super::workspace::Workspace;
use super::{Asked, aside, watch};

/// Means stdin.
const STDIN: &str = "-";

/// The requested action on a loop.
#[derive(Debug)]
pub(super) enum WantedChange {
    This(Box<LoopChange>),
    Undo,
    Restore(u32),
}

/// Parses the request; JSON may come from stdin.
pub(super) fn parse_change(asked: Asked) -> Result<WantedChange, Complaint> {
    Ok(match asked {
        Asked::This(change) => WantedChange::This(change),
        Asked::Undo => WantedChange::Undo,
        Asked::Restore(version) => WantedChange::Restore(version),
        Asked::Json(text) if text == STDIN => {
            WantedChange::This(Box::new(parsed(&io::read_to_string(io::stdin()))?))
        }
        Asked::Json(text) => WantedChange::This(Box::new(parsed(&Ok(text))?)),
    })
}

fn parsed(text: &io::Result<String>) -> Result<LoopChange, Complaint> {
    let complaint = |reason: String| Complaint::own("bad_change", &[("reason", &reason)]);
    let text = text.as_ref().map_err(|error| complaint(error.to_string()))?;
    let given: Value = serde_json::from_str(text).map_err(|error| complaint(error.to_string()))?;
    let change = LoopChange::deserialize(&given).map_err(|error| complaint(error.to_string()))?;
    let taken = serde_json::to_value(&change).unwrap_or_default();
    match unknown(&given, &taken, "") {
        // A mistyped name would silently leave something out of the change.
        Some(field) => Err(Complaint::own("unknown_field", &[("field", &field)])),
        None => Ok(change),
    }
}

/// The first field of `given` that is missing from `taken`, the parsed form.
fn unknown(given: &Value, taken: &Value, path: &str) -> Option<String> {
    match (given, taken) {
        (Value::Object(given), Value::Object(taken)) => given.iter().find_map(|(name, value)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match taken.get(name) {
                Some(taken) => unknown(value, taken, &path),
                None => (!value.is_null()).then_some(path),
            }
        }),
        (Value::Array(given), Value::Array(taken)) => given
            .iter()
            .zip(taken)
            .enumerate()
            .find_map(|(index, (given, taken))| unknown(given, taken, &format!("{path}[{index}]"))),
        _ => None,
    }
}

/// Carries it out on the loop that `id` names; the answer is the content of the file, read again.
pub(super) fn answer(workspace: &mut Workspace, id: &str, wanted: WantedChange) -> Result<Answer, Complaint> {
    let before = workspace.find(id)?.clone();
    let change = change_json(&wanted);
    let is_redirect = matches!(&wanted, WantedChange::This(change) if redirects(change));
    let recovers =
        matches!(&wanted, WantedChange::This(change) if matches!(**change, LoopChange::Recover { .. }));
    let (runtime, key) = (&workspace.runtime, &before.key);
    let complaint = |failure| workspace.refused(&failure, &before);
    let path = runtime.state_file(key).map_err(complaint)?;
    let lists = |change: &Value| {
        if change["kind"] == "edit_tasks" { task_lists(runtime, key) } else { BTreeSet::new() }
    };
    let old_lists = lists(&change);
    let was = contents(runtime, key);
    let older = aside::set_aside(&path);
    let held = match &wanted {
        WantedChange::This(change) => hold_first(runtime, &before, change).map_err(complaint)?,
        _ => false,
    };
    let done = match wanted {
        WantedChange::This(change) => runtime.change(key, *change),
        WantedChange::Undo => runtime.undo(key),
        WantedChange::Restore(version) => runtime.restore(key, version),
    };
    let done = done.map_err(|failure| release(runtime, key, held, failure));
    done.map_err(complaint)?;
    let lasted = if is_redirect { Some(watch::watch_redirect(runtime, key)?) } else { None };
    let aside = recovers.then(|| aside::newest(&older, &aside::set_aside(&path), &before.file));
    let moved_to = moved(&old_lists, &lists(&change));
    let (word, aside) = (word(&change), aside.flatten());
    let file = lists(&change).into_iter().next();
    let nothing_changed = was.is_some() && was == contents(runtime, key);
    let did = DoneRequest {
        word,
        change: Some(change),
        lasted,
        aside,
        moved_to,
        file,
        nothing_changed,
        ..DoneRequest::default()
    };
    let overwritten = lasted.is_some_and(|lasted| lasted.overwritten);
    Ok(done::answer(workspace, &before.file, &did)?.with_code(if overwritten { OVERWRITTEN } else { 0 }))
}

/// A redirect of a loop that another program runs: that one holds first, so that no worker loses what it does. Whether it
/// was asked to. A redirect that would be refused all the same asks for nothing.
fn hold_first(runtime: &Runtime, row: &LoopRow, change: &LoopChange) -> Result<bool, Failure> {
    let LoopChange::Operate { operation: Operation::Aot { step: AotOperation::Redirect { change, .. } } } =
        change
    else {
        return Ok(false);
    };
    if row.runner.is_none() {
        return Ok(false);
    }
    let steps = runtime.read_loop(&row.key)?.detail.steps;
    let holds = |offer: &&StepOffer| offer.step == StepCode::AotRedirect && offer.refusal.is_some();
    if !steps.iter().find(holds).is_some_and(|offer| offer.after_hold) {
        return Ok(false);
    }
    runtime.redirect_effects(&row.key, change)?;
    runtime.change(&row.key, step(AotOperation::HoldForRedirect))?;
    Ok(true)
}

/// Nobody waits for a redirect that was not written.
fn release(runtime: &Runtime, key: &str, held: bool, failure: Failure) -> Failure {
    if held {
        // What is wrong with the redirect is what there is to say.
        let _ = runtime.change(key, step(AotOperation::ReleaseHold));
    }
    failure
}

fn step(step: AotOperation) -> LoopChange {
    LoopChange::Operate { operation: Operation::Aot { step } }
}

/// Whether it is guarded like a control verb.
fn redirects(change: &LoopChange) -> bool {
    matches!(change, LoopChange::Operate { operation } if operation.is_redirect())
}

/// What is read of the loop, its task list included, and which version of its file that is.
fn contents(runtime: &Runtime, key: &str) -> Option<(Value, f64)> {
    let page = runtime.read_loop(key).ok()?;
    Some((serde_json::to_value(&page.detail).ok()?, page.row.changed))
}

/// The files of the task list, relative to the loop's root.
fn task_lists(runtime: &Runtime, key: &str) -> BTreeSet<String> {
    let page = runtime.read_loop(key).ok();
    page.into_iter().flat_map(|page| page.detail.task_list).map(|task| task.file).collect()
}

/// The list's new location, if it moved.
fn moved(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Option<String> {
    let elsewhere = !old.is_empty() && old.is_disjoint(new);
    new.first().filter(|_| elsewhere).cloned()
}

/// Undo and restore look like changes, so that a script finds all of them in one place.
fn change_json(wanted: &WantedChange) -> Value {
    match wanted {
        WantedChange::This(change) => serde_json::to_value(change).unwrap_or_default(),
        WantedChange::Undo => json!({ "kind": "undo" }),
        WantedChange::Restore(version) => json!({ "kind": "restore", "version": version }),
    }
}

/// Its word in the output: a repair or a recovery by its name, a step of the work by its own word, anything
/// else by its kind.
fn word(change: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match change["kind"].as_str() {
        Some("operate") => text(&change["operation"]["step"]["op"]),
        Some("recover") => format!("recover {}", text(&change["way"])),
        Some("repair") => format!("repair {}", text(&change["repair"])),
        kind => kind.unwrap_or_default().to_owned(),
    }
}
