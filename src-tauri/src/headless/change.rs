//! `loopdeck change`, `redirect`, `repair`, `undo` and `restore`: one guarded change beyond the control verbs.

use std::io;

use loopdeck_runtime::rows::LoopChange;
use serde_json::{Value, json};

use super::complaint::Complaint;
use super::done::{self, Did};
use super::output::Answer;
use super::workspace::Workspace;
use super::{Asked, recover};

/// Stands for stdin.
const STDIN: &str = "-";

/// What is to be done to a loop.
#[derive(Debug)]
pub(super) enum Wanted {
    This(Box<LoopChange>),
    Undo,
    Restore(u32),
}

/// Understands what was asked; JSON may come from stdin.
pub(super) fn wanted(asked: Asked) -> Result<Wanted, Complaint> {
    Ok(match asked {
        Asked::This(change) => Wanted::This(change),
        Asked::Undo => Wanted::Undo,
        Asked::Restore(version) => Wanted::Restore(version),
        Asked::Json(text) if text == STDIN => {
            Wanted::This(Box::new(parsed(&io::read_to_string(io::stdin()))?))
        }
        Asked::Json(text) => Wanted::This(Box::new(parsed(&Ok(text))?)),
    })
}

fn parsed(text: &io::Result<String>) -> Result<LoopChange, Complaint> {
    let complaint = |reason: String| Complaint::own("bad_change", &[("reason", &reason)]);
    let text = text.as_ref().map_err(|error| complaint(error.to_string()))?;
    serde_json::from_str(text).map_err(|error| complaint(error.to_string()))
}

/// Does it to the loop that `id` names; the answer is what the file says after it was read again.
pub(super) fn answer(workspace: &mut Workspace, id: &str, wanted: Wanted) -> Result<Answer, Complaint> {
    let before = workspace.find(id)?.clone();
    let change = shown(&wanted);
    let recovers = matches!(&wanted, Wanted::This(change) if matches!(**change, LoopChange::Recover { .. }));
    let (runtime, key) = (&workspace.runtime, &before.key);
    let complaint = |failure| Complaint::of(&failure, Some(&before));
    let path = runtime.state_file(key).map_err(complaint)?;
    let older = recover::set_aside(&path);
    let done = match wanted {
        Wanted::This(change) => runtime.change(key, *change),
        Wanted::Undo => runtime.undo(key),
        Wanted::Restore(version) => runtime.restore(key, version),
    };
    done.map_err(complaint)?;
    let aside = recovers.then(|| recover::newest(&older, &recover::set_aside(&path), &before.file));
    let did = Did { word: word(&change), change: Some(change), aside: aside.flatten(), verb: None };
    done::answer(workspace, &before.file, &did)
}

/// Undo and restore look like changes, so that a script finds all of them in one place.
fn shown(wanted: &Wanted) -> Value {
    match wanted {
        Wanted::This(change) => serde_json::to_value(change).unwrap_or_default(),
        Wanted::Undo => json!({ "kind": "undo" }),
        Wanted::Restore(version) => json!({ "kind": "restore", "version": version }),
    }
}

/// What is said of it: a repair and a recovery by its name, a step of the work by its own word, the rest by its kind.
fn word(change: &Value) -> String {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match change["kind"].as_str() {
        Some("operate") => text(&change["operation"]["step"]["op"]),
        Some("recover") => format!("recover {}", text(&change["way"])),
        Some("repair") => format!("repair {}", text(&change["repair"])),
        kind => kind.unwrap_or_default().to_owned(),
    }
}
