//! Handing a loop over to the plugin, whose own command sets it to running (AoT contract §2, §6.1).
//!
//! `/enter-recursion` starts a `pending` loop and continues a `stopped` one. For a running or completed loop
//! it asks what to do, and without a terminal nobody answers.

use super::draft::PendingChanges;
use super::operation::AotOperation;
use super::written::Written;
use crate::control::Situation;
use crate::format::FileFacts;
use crate::formats::aot::read::hook::HookView;
use crate::formats::aot::read::state::{self, AotState};
use crate::refusal::Refusal;
use crate::times::Timestamp;

/// What has to be written before the plugin can take over the loop; `None` when its file is ready.
///
/// # Errors
/// Like [`crate::formats::aot::operate`].
pub fn hand_over(
    bytes: &[u8],
    facts: &FileFacts<'_>,
    raise_limit_to: Option<u32>,
    situation: &Situation,
) -> Result<Option<AotOperation>, Refusal> {
    let operation = AotOperation::HandOver { raise_limit_to };
    let edits = crate::formats::aot::operate(bytes, facts, &operation, situation)?;
    let changes = edits.iter().any(|edit| bytes.get(edit.range.clone()) != Some(edit.text.as_bytes()));
    Ok(changes.then_some(operation))
}

/// Whether a person is about to redirect the loop, so that nothing may be started.
#[must_use]
pub fn is_held(bytes: &[u8]) -> bool {
    state::read(bytes).is_ok_and(|document| document.state.control.redirect_requested)
}

/// Whether the plugin's hook finds the file's status and atoms. What it cannot find, it can neither continue
/// nor stop.
#[must_use]
pub fn is_read_by_plugin(bytes: &[u8]) -> bool {
    let (Ok(document), Some(view)) = (state::read(bytes), HookView::from_bytes(bytes)) else { return false };
    let state = &document.state;
    let counted = |word: &str| state.atoms.iter().filter(|atom| atom.word.starts_with(word)).count();
    view.control("status") == Some(state.control.status.as_bytes())
        && ["pending", "in_progress", "resolved"].iter().all(|word| view.count(word) == counted(word))
}

impl PendingChanges<'_> {
    /// The control fields with which the plugin takes over a loop; atoms in progress wait again.
    pub(crate) fn hand_over(
        &mut self,
        state: &AotState<'_>,
        raise_limit_to: Option<u32>,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        match &*state.control.status {
            "pending" => {}
            "completed" => {
                self.control("status", &Written::word("pending"))?;
                self.control("iteration", &Written::word("0"))?;
            }
            _ => self.control("status", &Written::word("stopped"))?,
        }
        self.control("stall_count", &Written::word("0"))?;
        self.control("prev_pending_count", &Written::word("-1"))?;
        self.control("stop_requested", &Written::word("false"))?;
        self.control("stop_reason", &Written::word("null"))?;
        self.control("redirect_requested", &Written::word("false"))?;
        self.release_atoms(&state.atoms)?;
        match raise_limit_to {
            Some(limit) => self.raise_limit(state.objective.max_iterations, i64::from(limit), now),
            None => Ok(()),
        }
    }
}
