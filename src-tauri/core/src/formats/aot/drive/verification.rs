//! Results of the completion check (AoT contract §11), and what the driver remembers of a round. None of it
//! is stored in the file.

use crate::checklist::{self, CheckResult, Verdict};
use crate::driver::{DriverQuestion, QuestionCode, QuestionLineCode, Reply};
use crate::view::{ChecklistRow, LoopDetail};
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of a person's remark on a check.
const LONGEST_WORDS: usize = 2_000;

/// One run of the whole completion check, finished or in progress; for the journal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename = "AotVerification")]
pub struct Verification {
    /// Its round.
    #[specta(type = u32)] // a whole number in TypeScript
    pub iteration: i64,
    /// The time of its first result: milliseconds since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub started: f64,
    /// For the whole list; unknown as long as results are missing.
    pub verdict: Verdict,
    /// One for each check with a result, in order of arrival.
    pub results: Vec<CheckOutcome>,
    /// A fingerprint of the atoms, checks and objective it is about; empty in records of older versions.
    #[serde(default)]
    #[specta(skip)]
    pub made_of: String,
    /// Atoms, checks and objective are unchanged, so the verdict applies to the current file. Filled in for
    /// display; see [`crate::formats::aot::drive::is_current`].
    #[serde(default)]
    pub current: bool,
}

/// The result of one check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct CheckOutcome {
    /// Its row in the checklist, from 0.
    #[specta(type = u32)] // a whole number in TypeScript
    pub row: usize,
    /// Its name as written, or its value when it has none. Untrusted text.
    pub item: String,
    /// Pass, fail, or unknown.
    pub verdict: Verdict,
    /// The evidence: output, paths, the judge's reasons, the person's words. Untrusted text.
    pub evidence: String,
    /// The exit code, if the command ran to its end.
    pub exit_code: Option<i32>,
    /// The command itself did not run: not found, not executable, ended by a signal (§11).
    pub could_not_run: bool,
    /// Milliseconds that the command took.
    #[specta(type = Option<u32>)] // a finite number in TypeScript
    pub took_ms: Option<f64>,
    /// Quality: the weighted score, 1 to 5.
    #[specta(type = Option<u32>)] // a finite number in TypeScript
    pub score: Option<f64>,
    /// When: milliseconds since 1970 UTC; `None` for a person's answer, which the driver gets without a time.
    #[specta(type = Option<u32>)] // a finite number in TypeScript
    pub at: Option<f64>,
    /// Who decided it.
    pub by: CheckedBy,
    /// Why there is no result, if Loopdeck knows; `evidence` then has it in English.
    #[serde(default)]
    pub why: Option<UnknownWhy>,
}

/// Why a check has no result. Words: catalogue `check_unknown.<why>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum UnknownWhy {
    /// A quality check without a threshold.
    NoThreshold,
    /// Its value is too long to run.
    TooLong,
    /// Its path is outside of the loop's folder.
    Outside,
    /// Nothing was found, and the folder has more entries than are searched.
    TooMany,
    /// The judge gave no usable scores; `evidence` has the reason.
    NotJudged,
}

impl UnknownWhy {
    /// In English, for logs and prompts.
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            Self::NoThreshold => "It has no pass_threshold.",
            Self::TooLong => "It is longer than 4,000 characters.",
            Self::Outside => "The path leads out of the folder of the loop.",
            Self::TooMany => "The folder has too many files to look through.",
            Self::NotJudged => "The judge gave no usable scores",
        }
    }

    /// Its line below a question.
    pub(crate) fn line(self) -> QuestionLineCode {
        match self {
            Self::NoThreshold => QuestionLineCode::NoThreshold,
            Self::TooLong => QuestionLineCode::TooLong,
            Self::Outside => QuestionLineCode::Outside,
            Self::TooMany => QuestionLineCode::TooMany,
            Self::NotJudged => QuestionLineCode::NotJudged,
        }
    }
}

/// Who decided whether a check passes. Words: catalogue `checked_by.<who>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CheckedBy {
    /// Loopdeck, which ran the command or looked the file up.
    #[default]
    Native,
    /// An agent as judge.
    Judge,
    /// The person.
    Person,
}

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

/// Characters of a name.
const LONGEST_LABEL: usize = 200;

/// The name of a check, or its value when it has none.
pub(crate) fn label(row: &ChecklistRow) -> String {
    let name = if row.item.trim().is_empty() { row.value.as_deref().unwrap_or_default() } else { &row.item };
    let name = match (name.trim(), row.rubric.first()) {
        ("", Some(criterion)) => criterion.criterion.trim(),
        (name, _) => name,
    };
    shorten(&name.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST_LABEL)
}

/// One verdict per row; unknown without a result.
pub(crate) fn by_row(rows: &[ChecklistRow], results: &[CheckOutcome]) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Unknown; rows.len()];
    for outcome in results {
        if let Some(verdict) = verdicts.get_mut(outcome.row) {
            *verdict = outcome.verdict;
        }
    }
    verdicts
}

/// Adds to the checks of `detail` what a verification of the same file found, and to their total.
pub fn add_results(detail: &mut LoopDetail, found: &Verification) {
    let judged = checklist::verdicts(&detail.checklist, &by_row(&detail.checklist, &found.results));
    for (row, verdict) in detail.checklist.iter_mut().zip(judged) {
        row.result = CheckResult::from_verdict(verdict, !row.evidence.is_empty());
    }
    let completed = detail.checklist_total.is_some_and(|total| total.completed);
    detail.checklist_total = checklist::total(&detail.checklist, completed);
}
