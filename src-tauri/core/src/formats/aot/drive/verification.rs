//! What the driver remembers of a round. None of it is stored in the file.

use crate::checklist::{CheckOutcome, CheckedBy, Verdict, Verification};
use crate::driver::{DriverQuestion, QuestionCode, Reply};
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a person's remark on a check.
const LONGEST_WORDS: usize = 2_000;

/// What the driver remembers of its rounds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RoundMemory {
    /// The iteration whose batch or verification has ended; if it is the file's, the round has to be closed.
    pub done: Option<i64>,
    /// The latest completion check.
    pub verification: Option<Verification>,
    /// A fingerprint of the atoms and objective its results apply to; with any others they are stale.
    pub verified: String,
    /// Atoms whose worker was interrupted, for the next worker's prompt.
    pub cut_off: BTreeSet<String>,
    /// Unreadable answers in a row, by atom.
    pub unread: BTreeMap<String, u32>,
    /// A fingerprint of the completion check's commands that the person agreed to by starting the loop.
    pub agreed_commands: Option<String>,
    /// Workers' changes that could not be merged: the person is asked about one after the other.
    pub conflicts: Vec<Unmerged>,
    /// Atoms that an agent has already probed.
    pub probed: BTreeSet<String>,
}

/// Which atoms an agent checks for feasibility before a worker starts. Words: catalogue
/// `start.probes.<which>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Probes {
    /// None.
    #[default]
    Never,
    /// Alternatives: if one is not feasible, the next one is tried.
    Alternatives,
    /// Every atom, before its first attempt.
    All,
}

/// A result from a worker's worktree that could not be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unmerged {
    /// Its atom.
    pub atom: String,
    /// Its result. Untrusted text.
    pub summary: String,
    /// Files it reports as made. Untrusted text.
    pub artifacts: Vec<String>,
    /// Where its changes are.
    pub left: LeftApart,
    /// The person takes the worker's version.
    pub is_taken: bool,
}

/// Changes of a worker that are not in the folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LeftApart {
    /// Files that others changed too; empty if a merge was not attempted.
    pub files: Vec<String>,
    /// The commit the worker started from.
    pub base: String,
    /// The commit of its changes.
    pub commit: String,
    /// The git reference that keeps it, or the folder with the changes.
    pub reference: String,
}

impl RoundMemory {
    /// A new start verifies again, and restarts its round.
    pub(crate) fn start_again(&mut self) {
        (self.done, self.verification) = (None, None);
        self.conflicts.clear();
        self.verified.clear();
        self.probed.clear();
    }

    /// The person's reply to a question; what any other format asks changes nothing.
    pub(crate) fn answered(&mut self, question: &DriverQuestion, reply: &Reply) {
        let goes_on = *reply == Reply::GoOn;
        match (question.code, reply) {
            (QuestionCode::ConfirmAssertion, Reply::Confirm) => self.confirmed(question, true, ""),
            (QuestionCode::ConfirmAssertion, Reply::Deny { text }) => {
                self.confirmed(question, false, text.as_deref().unwrap_or_default());
            }
            (QuestionCode::ChecksChanged, Reply::GoOn) => {
                self.agreed_commands = Some(question.about.clone());
            }
            (QuestionCode::VerificationUnknown, _) => self.forget_unknown(),
            (QuestionCode::MergeConflict, _) => self.take_unmerged(&question.about, goes_on),
            _ => {}
        }
    }

    /// The person said whether an assertion is true, and perhaps why.
    fn confirmed(&mut self, question: &DriverQuestion, is_true: bool, why: &str) {
        self.record(CheckOutcome {
            row: question.count as usize,
            item: question.about.clone(),
            verdict: if is_true { Verdict::Pass } else { Verdict::Fail },
            evidence: shorten(why.trim(), LONGEST_WORDS),
            by: CheckedBy::Person,
            ..CheckOutcome::default()
        });
    }

    /// The person takes the worker's version, or its atom is redone.
    pub(crate) fn take_unmerged(&mut self, atom: &str, is_taken: bool) {
        self.conflicts.retain(|conflict| is_taken || conflict.atom != atom);
        for conflict in self.conflicts.iter_mut().filter(|conflict| conflict.atom == atom) {
            conflict.is_taken = true;
        }
    }

    /// Checks without a result are run again.
    pub(crate) fn forget_unknown(&mut self) {
        if let Some(verification) = &mut self.verification {
            verification.results.retain(|outcome| outcome.verdict != Verdict::Unknown);
        }
    }

    /// Adds a result; an earlier one of the same check is replaced.
    pub(crate) fn record(&mut self, outcome: CheckOutcome) {
        let Some(verification) = &mut self.verification else { return };
        verification.results.retain(|known| known.row != outcome.row);
        verification.results.push(outcome);
    }
}
