//! From an intent to text edits (AoT contract §6, and §4 for the layout of the written bytes).
//!
//! Each edit is made twice: in the bytes and in the tree. Afterwards the new bytes are parsed and must match
//! the changed tree exactly; otherwise nothing is written.

pub(crate) mod atom;
pub(crate) mod base_case;
pub(crate) mod canonical;
pub(crate) mod collection;
pub(crate) mod draft;
pub(crate) mod flag_lines;
pub(crate) mod guard;
pub(crate) mod hand_over;
pub(crate) mod lengths;
pub(crate) mod long_result;
pub(crate) mod normalise;
pub(crate) mod operate;
pub(crate) mod operation;
pub(crate) mod quality;
pub(crate) mod redirect;
pub(crate) mod repaired;
pub(crate) mod work;
pub(crate) mod written;
use crate::control::{Intent, Situation};
use crate::formats::aot::check::rules::{INTERRUPTED_REASON, PAUSE_REASON, STOP_REASON};
use crate::formats::aot::edit::draft::{MapPlace, PendingChanges};
use crate::formats::aot::edit::written::{MAX_REASON, Written, one_line};
use crate::formats::aot::read::state::Document;
use crate::refusal::{Refusal, RefusalCode};
use crate::times::Timestamp;
use loopdeck_text::text_edit::TextEdit;

/// The edits that carry out `intent` in the existing layout; legality has already been checked.
pub(super) fn edits(
    bytes: &[u8],
    document: Document<'_>,
    intent: &Intent,
    situation: &Situation,
) -> Result<Vec<TextEdit>, Refusal> {
    let Document { front, tree, state, .. } = document;
    let control = &state.control;
    let mut draft = PendingChanges::new(bytes, front, tree.root);
    match intent {
        Intent::Start => draft.run(1)?,
        Intent::Pause => draft.request_stop(PAUSE_REASON)?,
        Intent::Stop { reason } => draft.request_stop(&stop_reason(reason.as_deref()))?,
        Intent::Finalise => {
            let kept = control.stop_requested.then_some(control.stop_reason.as_deref()).flatten();
            let reason = if control.stop_requested { STOP_REASON } else { INTERRUPTED_REASON };
            draft.control("status", &Written::word("stopped"))?;
            if kept.is_none() {
                draft.control("stop_reason", &Written::reason(reason))?;
            }
        }
        Intent::Resume { raise_limit_to } | Intent::Reopen { raise_limit_to } => {
            let first = if matches!(intent, Intent::Reopen { .. }) { 1 } else { control.iteration.max(1) };
            draft.run(first)?;
            draft.release_atoms(&state.atoms)?;
            if let Some(limit) = raise_limit_to {
                draft.raise_limit(state.objective.max_iterations, i64::from(*limit), situation.now)?;
            }
        }
        Intent::EditMetadata(_) | Intent::Repair(_) | Intent::Operate(_) | Intent::LaunchFailed { .. } => {
            return Err(Refusal::new(RefusalCode::NotInFormat));
        }
    }
    draft.finish()
}

/// The reason that a stop writes.
pub(super) fn stop_reason(reason: Option<&str>) -> String {
    // A reason with no text left on one line counts as none.
    let reason = reason.map(|reason| one_line(reason, MAX_REASON)).filter(|reason| !reason.trim().is_empty());
    match reason {
        // Exactly this reason would make the stop a pause.
        Some(reason) if reason == PAUSE_REASON => format!("{STOP_REASON}: {reason}"),
        Some(reason) => reason,
        None => STOP_REASON.to_owned(),
    }
}

impl PendingChanges<'_> {
    /// The control fields of a running loop (§6, §6.1), in canonical order so that missing ones line up.
    fn run(&mut self, iteration: i64) -> Result<(), Refusal> {
        self.control("status", &Written::word("running"))?;
        self.control("iteration", &Written::number(iteration))?;
        self.control("stall_count", &Written::word("0"))?;
        self.control("prev_pending_count", &Written::word("-1"))?;
        self.control("stop_requested", &Written::word("false"))?;
        self.control("stop_reason", &Written::word("null"))?;
        self.control("redirect_requested", &Written::word("false"))
    }

    fn request_stop(&mut self, reason: &str) -> Result<(), Refusal> {
        // It already says running; a hook that cannot read the line would not check the flag. A repeated
        // status is left alone.
        let _ = self.control("status", &Written::word("running"));
        self.control("stop_requested", &Written::word("true"))?;
        self.control("stop_reason", &Written::reason(reason))
    }

    /// Raises the limit and records it in `corrections`, in one write (§6.1, 4).
    pub(super) fn raise_limit(&mut self, from: i64, to: i64, now: Timestamp) -> Result<(), Refusal> {
        if from == to {
            return Ok(());
        }
        self.set(MapPlace::Limits, "max_iterations", &Written::number(to))?;
        let description = format!("max_iterations raised from {from} to {to}");
        self.correction("constraint_change", &description, false, now);
        Ok(())
    }
}
