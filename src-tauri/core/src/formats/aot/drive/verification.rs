//! What came of the completion check (AoT contract §11), and what the driver remembers of a round. The file stores none of it.

use crate::checklist::{Checklist, Verdict};
use crate::driver::{DriverQuestion, QuestionCode, QuestionLineCode, Reply};
use crate::view::ChecklistRow;
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use specta::Type;
use std::collections::{BTreeMap, BTreeSet};

/// Characters of what a person says about a check.
const LONGEST_WORDS: usize = 2_000;

/// One run of the whole completion check, finished or under way; for the journal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
#[serde(rename = "AotVerification")]
pub struct Verification {
    /// The round in which it ran.
    #[specta(type = u32)] // a whole number in TypeScript
    pub iteration: i64,
    /// When its first result came: milliseconds since 1970 UTC.
    #[specta(type = u32)] // a finite number in TypeScript
    pub started: f64,
    /// On the whole list; unknown as long as results are missing.
    pub verdict: Verdict,
    /// One for each check that has a result, in the order in which they came.
    pub results: Vec<CheckOutcome>,
    /// The atoms, checks and objective that it is about, as a fingerprint; empty in records of older versions.
    #[serde(default)]
    #[specta(skip)]
    pub made_of: String,
    /// Atoms, checks and objective are still the same: the verdict is about the file as it is now. Filled in when it is
    /// shown; see [`crate::formats::aot::drive::is_current`].
    #[serde(default)]
    pub current: bool,
}

/// What came of one check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, Type)]
pub struct CheckOutcome {
    /// Its row in the checklist, from 0.
    #[specta(type = u32)] // a whole number in TypeScript
    pub row: usize,
    /// Its name as written; its value when it has none. Untrusted text.
    pub item: String,
    /// Pass, fail, or not known.
    pub verdict: Verdict,
    /// What was seen: output, paths, reasons of the judge, words of the person. Untrusted text.
    pub evidence: String,
    /// Of a command that ran to its end.
    pub exit_code: Option<i32>,
    /// The command itself did not run: not found, not executable, ended by a signal (§11).
    pub could_not_run: bool,
    /// Milliseconds that the command took.
    #[specta(type = Option<u32>)] // a finite number in TypeScript
    pub took_ms: Option<f64>,
    /// Quality: the weighted score, 1 to 5.
    #[specta(type = Option<u32>)] // a finite number in TypeScript
    pub score: Option<f64>,
    /// When: milliseconds since 1970 UTC; `None` for an answer of the person, which the driver gets without a time.
    #[specta(type = Option<u32>)] // a finite number in TypeScript
    pub at: Option<f64>,
    /// Who says so.
    pub by: CheckedBy,
    /// Why there is no result, where Loopdeck knows it; `evidence` has it in English then.
    #[serde(default)]
    pub why: Option<UnknownWhy>,
}

/// Why a check has no result. Words: catalogue `check_unknown.<why>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum UnknownWhy {
    /// A quality check without a threshold.
    NoThreshold,
    /// Its value is longer than is run.
    TooLong,
    /// Its path leads out of the folder of the loop.
    Outside,
    /// Nothing was found, and the folder has more entries than are looked through.
    TooMany,
    /// The judge gave no usable scores; `evidence` says what was wrong with them.
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

/// Who says whether a check passes. Words: catalogue `checked_by.<who>`.
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
    /// The iteration whose batch or verification has ended; equal to the file's, the round is to be closed.
    pub done: Option<i64>,
    /// The completion check: the newest one.
    pub verification: Option<Verification>,
    /// Of which atoms and which objective its results speak; with any other they are stale.
    pub verified: String,
    /// Atoms whose worker was cut off: the next one is told.
    pub cut_off: BTreeSet<String>,
    /// Answers in a row that could not be read, by atom.
    pub unread: BTreeMap<String, u32>,
    /// The commands of the completion check that the person agreed to by starting the loop, as a fingerprint.
    pub agreed_commands: Option<String>,
    /// The work of workers that could not be merged: the person is asked about one after the other.
    pub conflicts: Vec<Unmerged>,
    /// Atoms of which an agent has looked whether they are feasible.
    pub probed: BTreeSet<String>,
}

/// Of which atoms an agent looks, before a worker starts, whether they are feasible. Words: catalogue `start.probes.<which>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Probes {
    /// Of none.
    #[default]
    Never,
    /// Of alternatives: where one is not feasible, the next one is tried.
    Alternatives,
    /// Of every atom, before its first try.
    All,
}

/// What a worker resolved apart from the others and could not be merged.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Unmerged {
    /// Its atom.
    pub atom: String,
    /// What it came to. Untrusted text.
    pub summary: String,
    /// What it says that it made. Untrusted text.
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
    /// Files that others changed too; empty when it was not tried to merge them.
    pub files: Vec<String>,
    /// The commit with which the worker began.
    pub base: String,
    /// The commit of its changes.
    pub commit: String,
    /// The git reference that keeps it, or the folder in which the changes are.
    pub reference: String,
}

impl RoundMemory {
    /// A new start verifies again, and begins its round again.
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

    /// The person takes the worker's version, or its atom is done again.
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

/// The name of a check; its value when it has none.
pub(crate) fn label(row: &ChecklistRow) -> String {
    let name = if row.item.trim().is_empty() { row.value.as_deref().unwrap_or_default() } else { &row.item };
    let name = match (name.trim(), row.rubric.first()) {
        ("", Some(criterion)) => criterion.criterion.trim(),
        (name, _) => name,
    };
    shorten(&name.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST_LABEL)
}

/// One verdict for each row; without a result it is unknown.
pub(crate) fn by_row(checklist: &Checklist, results: &[CheckOutcome]) -> Vec<Verdict> {
    let mut verdicts = vec![Verdict::Unknown; checklist.rows.len()];
    for outcome in results {
        if let Some(verdict) = verdicts.get_mut(outcome.row) {
            *verdict = outcome.verdict;
        }
    }
    verdicts
}
