//! The referee: checks that a person chose for a loop of any format. They run whenever its work claims something, and a loop is
//! completed only when all of them pass, or when a person accepts it as it is.
//!
//! An AoT loop has its checks in its file (`formats/aot/drive/verify.rs`). Those of all others are in our own data, where no program of the
//! workspace can change them.

mod claims;
mod judge;
#[cfg(test)]
mod judge_tests;
mod rows;
#[cfg(test)]
mod tests;

pub use claims::{Claim, add_claims, claims_of};
pub(crate) use judge::conclude as conclude_judge;
pub use rows::{flaw, rows_of};

use crate::checklist::outcome::{
    by_row, command_check, command_outcome, coverage_check, file_check, file_outcome, is_asked, label,
};
use crate::checklist::{
    self, CheckOutcome, CheckType, CheckedBy, CommandCheck, CommandResult, FileCheck, FileFound, Verdict,
    Verification,
};
use crate::driver::{Conclusion, DriverQuestion, Memory, Next, QuestionCode, Reply, ReplyCode};
use crate::format::Format;
use crate::formats::loop_format::{KnownFile, LoopConclusion, LoopNext, LoopStep};
use crate::stable_hash::StableHasher;
use crate::times::Timestamp;
use crate::view::{ChecklistRow, ClaimedItem, Companion};
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How often the work is sent back before a person is asked.
const MOST_SENT_BACK: u32 = 3;
/// Characters of a reason.
const LONGEST_REASON: usize = 2_000;
/// Characters of what an agent is told of one check.
const LONGEST_TOLD: usize = 1_500;

/// What the referee remembers of a loop. None of it is in a state file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RefereeMemory {
    /// What the work claims now.
    claims: Vec<Claim>,
    /// Every item of the work is claimed.
    is_all_claimed: bool,
    /// The iteration in which it was looked at last.
    iteration: i64,
    /// When that was, in milliseconds since 1970 UTC.
    looked_at: f64,
    /// When the newest work of an agent began, in milliseconds since 1970 UTC; 0 before there was any.
    worked_since: f64,
    /// The newest run of the checks on these claims; gone as soon as an agent has worked since.
    verification: Option<Verification>,
    /// Checks that failed once and are run again, by row.
    failed_once: BTreeMap<usize, CheckOutcome>,
    /// What became of each claim.
    items: Vec<ClaimedItem>,
    /// How often in a row the finished work failed.
    sent_back: u32,
    /// Why a person accepts the work as it is; what is claimed later is checked again.
    accepted: Option<String>,
    /// Who accepts it; empty when the system did not say.
    accepted_by: String,
}

impl RefereeMemory {
    /// Whether it has nothing to remember yet.
    pub(crate) fn is_new(&self) -> bool {
        *self == Self::default()
    }

    /// The newest run of the checks.
    #[must_use]
    pub fn verification(&self) -> Option<&Verification> {
        self.verification.as_ref()
    }

    /// What the work claimed when it was looked at last.
    #[must_use]
    pub fn claims(&self) -> &[Claim] {
        &self.claims
    }

    /// The iteration in which that was.
    #[must_use]
    pub fn iteration(&self) -> i64 {
        self.iteration
    }

    /// Why a person accepts the work as it is.
    #[must_use]
    pub fn accepted(&self) -> Option<&str> {
        self.accepted.as_deref()
    }

    /// A new start checks again.
    pub(crate) fn start_again(&mut self) {
        self.forget_results();
        (self.sent_back, self.accepted) = (0, None);
    }

    /// An agent has worked since it was looked at last.
    pub(crate) fn note_work(&mut self) {
        self.worked_since = self.looked_at;
        self.forget_results();
    }

    /// The file that a check looks up. A floor that can't be read finds no file, and so fails; no form takes one.
    fn looked_up(&self, row: usize, check: &ChecklistRow) -> FileCheck {
        let floor = (check.check_type == Some(CheckType::Coverage))
            .then(|| coverage_check(row, check, Timestamp::from_number(self.worked_since)));
        floor.flatten().unwrap_or_else(|| file_check(row, check))
    }

    /// What was found before is not about the work as it is now.
    pub(crate) fn forget_results(&mut self) {
        self.verification = None;
        self.failed_once.clear();
    }

    /// The person's reply to a question; what others ask changes nothing.
    pub(crate) fn answer(&mut self, question: &DriverQuestion, reply: &Reply, rows: &[ChecklistRow]) {
        match (question.code, reply) {
            (QuestionCode::ConfirmAssertion, Reply::Confirm) => self.confirm(question, true, "", rows),
            (QuestionCode::ConfirmAssertion, Reply::Deny { text }) => {
                self.confirm(question, false, text.as_deref().unwrap_or_default(), rows);
            }
            (QuestionCode::NotProven, Reply::Accept { reason, by }) => {
                self.accepted = Some(shorten(reason.trim(), LONGEST_REASON));
                self.accepted_by.clone_from(by);
                self.accept_items();
            }
            (QuestionCode::NotProven, Reply::TryAgain) => self.start_again(),
            (QuestionCode::NotProven, _) => self.sent_back = 0,
            _ => {}
        }
    }

    fn confirm(&mut self, question: &DriverQuestion, is_true: bool, why: &str, rows: &[ChecklistRow]) {
        let outcome = CheckOutcome {
            row: question.count as usize,
            item: question.about.clone(),
            verdict: if is_true { Verdict::Pass } else { Verdict::Fail },
            evidence: shorten(why.trim(), LONGEST_REASON),
            by: CheckedBy::Person,
            ..CheckOutcome::default()
        };
        if !rows.is_empty() {
            self.open(rows, self.looked_at);
            self.record(outcome, rows);
        }
    }

    /// Takes a result in. A command that fails is run once more: one that then passes changes its mind by itself.
    fn take(&mut self, mut outcome: CheckOutcome, rows: &[ChecklistRow], now: Timestamp) {
        let may_change =
            outcome.verdict == Verdict::Fail && !outcome.could_not_run && outcome.exit_code.is_some();
        match self.failed_once.remove(&outcome.row) {
            None if may_change => {
                self.failed_once.insert(outcome.row, outcome);
                return;
            }
            Some(first) if outcome.verdict == Verdict::Pass => {
                outcome.flaky = true;
                outcome.evidence = format!("{}\n\nThe first time:\n{}", outcome.evidence, first.evidence);
            }
            _ => {}
        }
        let at = moment(now);
        self.open(rows, at);
        self.record(CheckOutcome { at: Some(at), ..outcome }, rows);
    }

    fn open(&mut self, rows: &[ChecklistRow], started: f64) {
        let made_of = made_of(rows, &self.claims);
        let iteration = self.iteration;
        self.verification.get_or_insert_with(|| Verification {
            iteration,
            started,
            made_of,
            ..Verification::default()
        });
    }

    fn record(&mut self, outcome: CheckOutcome, rows: &[ChecklistRow]) {
        let Some(verification) = &mut self.verification else { return };
        verification.results.retain(|known| known.row != outcome.row);
        verification.results.push(outcome);
        verification.verdict = checklist::verdict(rows, &by_row(rows, &verification.results));
        let verdict = verification.verdict;
        if self.open_check(rows, true).is_none() {
            self.conclude_claims(verdict);
        }
    }

    /// Every check that needs neither judge nor person has a result.
    fn conclude_claims(&mut self, verdict: Verdict) {
        self.note_verdict(verdict);
        match verdict {
            Verdict::Pass => self.sent_back = 0,
            Verdict::Fail if self.is_all_claimed => self.sent_back = self.sent_back.saturating_add(1),
            Verdict::Fail | Verdict::Unknown => {}
        }
    }

    /// The first check without a result, in the order commands, files, judge, person. `native_only`: those that need a judge or a person
    /// are left out.
    fn open_check<'r>(
        &self,
        rows: &'r [ChecklistRow],
        native_only: bool,
    ) -> Option<(usize, &'r ChecklistRow)> {
        let results = self.verification.as_ref().map_or(&[][..], |verification| &verification.results);
        let is_open = |row: &usize| !results.iter().any(|outcome| outcome.row == *row);
        let of = |kinds: &[CheckType]| {
            let mut found = rows.iter().enumerate();
            found.find(|(row, check)| {
                is_asked(check) && is_open(row) && check.check_type.is_some_and(|kind| kinds.contains(&kind))
            })
        };
        let native = of(&[CheckType::Command, CheckType::NotCommand]).or_else(|| {
            of(&[CheckType::File, CheckType::NotFile, CheckType::TestsKept, CheckType::Coverage])
        });
        let asked = || of(&[CheckType::Quality]).or_else(|| of(&[CheckType::Assertion]));
        if native_only { native } else { native.or_else(asked) }
    }

    /// What an agent is told of checks that failed on the work that it continues.
    pub(crate) fn unproven(&self) -> Option<String> {
        let verification = self.verification.as_ref().filter(|found| found.verdict == Verdict::Fail)?;
        let failed = verification.results.iter().filter(|outcome| outcome.verdict == Verdict::Fail);
        let lines: Vec<String> = failed.map(|outcome| shorten(&told(outcome), LONGEST_TOLD)).collect();
        (!lines.is_empty()).then(|| lines.join("\n\n"))
    }
}

/// A result as an agent or a person reads it.
fn told(outcome: &CheckOutcome) -> String {
    let CheckOutcome { item, evidence, .. } = outcome;
    if item.is_empty() { evidence.clone() } else { format!("{item}: {evidence}") }
}

#[allow(clippy::cast_precision_loss)] // exact until the year 287396
fn moment(time: Timestamp) -> f64 {
    time.number()
}

/// A fingerprint of checks and claims: a verdict holds while both stay.
#[must_use]
pub fn made_of(rows: &[ChecklistRow], claims: &[Claim]) -> String {
    let mut hasher = StableHasher::default();
    for row in rows {
        hasher.text(&format!("{:?}", row.check_type));
        hasher.text(row.value.as_deref().unwrap_or_default());
        if row.check_type == Some(CheckType::Quality) {
            hasher.text(&format!("{:?}{:?}{:?}", row.rubric, row.pass_threshold, row.scope));
        }
    }
    for claim in claims {
        hasher.text(&claim.id);
        hasher.text(&claim.text);
    }
    format!("{:016x}", hasher.finish())
}

/// Whether the referee decides on loops of this format, and has anything to check.
fn decides(format: Format, memory: &Memory) -> bool {
    !memory.policy.checks.is_empty() && !format.traits().has_completion_check
}

/// Notes what the work claims now; to be asked before [`crate::loops::drive::step`].
pub fn note_claims(format: Format, file: KnownFile<'_>, beside: &[Companion], memory: &mut Memory) {
    if !decides(format, memory) {
        return;
    }
    // A file that is being written says nothing.
    let Some((claims, is_all_claimed, iteration)) = claims::read(format, file, beside) else { return };
    let referee = &mut memory.referee;
    if referee.claims != claims {
        referee.forget_results();
        referee.accepted = None;
    }
    (referee.claims, referee.is_all_claimed, referee.iteration) = (claims, is_all_claimed, iteration);
    referee.looked_at = moment(file.1.now);
}

/// The step of the format's driver, or the check that has to come before it.
pub(crate) fn before(
    step: LoopStep,
    format: Format,
    file: KnownFile<'_>,
    memory: &Memory,
    beside: &[Companion],
) -> LoopStep {
    if !decides(format, memory) {
        return step;
    }
    let (referee, rows) = (&memory.referee, rows_of(&memory.policy.checks));
    let ends = step.next.operation().is_some_and(crate::step::Operation::completes);
    let goes_on = matches!(step.next, Next::Agent { .. } | Next::Parallel(_) | Next::Menu(_));
    let is_due = if ends { referee.accepted.is_none() } else { goes_on && referee.has_new_claims() };
    if !is_due {
        return step;
    }
    let verdict = referee.verification.as_ref().map(|found| found.verdict);
    // What has failed already needs nobody's word.
    if let Some((row, check)) = referee.open_check(&rows, !ends || verdict == Some(Verdict::Fail)) {
        return run(format, file, memory, beside, (row, check)).into();
    }
    match verdict {
        Some(Verdict::Pass) => step,
        _ if !ends => step,
        Some(Verdict::Fail) if referee.sent_back < MOST_SENT_BACK => format
            .rules()
            .driver()
            .send_back(file, memory, beside)
            .unwrap_or_else(|| ask(memory, &rows))
            .into(),
        _ => ask(memory, &rows).into(),
    }
}

fn run(
    format: Format,
    file: KnownFile<'_>,
    memory: &Memory,
    beside: &[Companion],
    (row, check): (usize, &ChecklistRow),
) -> LoopNext {
    match check.check_type {
        Some(CheckType::Command | CheckType::NotCommand) => LoopNext::Command(command_check(row, check)),
        Some(CheckType::File | CheckType::NotFile | CheckType::TestsKept | CheckType::Coverage) => {
            LoopNext::Files(vec![memory.referee.looked_up(row, check)])
        }
        Some(CheckType::Quality) => LoopNext::agent(judge::task(format, file, memory, beside, (row, check))),
        _ => {
            let sentence = check.value.as_deref().unwrap_or_default();
            let count = u32::try_from(row).unwrap_or(u32::MAX);
            let question = DriverQuestion::new(QuestionCode::ConfirmAssertion, &label(check), sentence);
            LoopNext::ask(memory, question.counted(count))
        }
    }
}

/// The person decides: the checks have no result, or the agents cannot make them pass.
fn ask(memory: &Memory, rows: &[ChecklistRow]) -> LoopNext {
    let results = memory.referee.verification.as_ref().map_or(&[][..], |found| &found.results);
    let missing = |outcome: &&CheckOutcome| outcome.verdict != Verdict::Pass;
    let mut lines: Vec<String> =
        results.iter().filter(missing).map(|outcome| shorten(&told(outcome), 600)).collect();
    let without = rows.iter().enumerate().filter(|(row, check)| {
        check.kind == checklist::ItemKind::Check && !results.iter().any(|outcome| outcome.row == *row)
    });
    lines.extend(without.map(|(_, check)| label(check)));
    let mut question = DriverQuestion::new(QuestionCode::NotProven, "", &lines.join("\n"));
    // Without a failure there is nothing to send back.
    if memory.referee.unproven().is_none() {
        question.replies.retain(|reply| *reply != ReplyCode::Text);
    }
    LoopNext::ask(memory, question.counted(memory.referee.sent_back))
}

fn is_command(row: &ChecklistRow) -> bool {
    matches!(row.check_type, Some(CheckType::Command | CheckType::NotCommand))
}

/// What the end of a command means: its result is remembered.
pub(crate) fn conclude_command(
    check: &CommandCheck,
    result: &CommandResult<'_>,
    (_, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    let rows = rows_of(&memory.policy.checks);
    let is_it = |row: &ChecklistRow| is_command(row) && command_check(check.row, row) == *check;
    if rows.get(check.row).is_some_and(is_it) {
        memory.referee.take(command_outcome(check, result), &rows, facts.now);
    }
    Conclusion::Write(Vec::new())
}

/// What the files found mean: the results are remembered.
pub(crate) fn conclude_files(
    found: &[(FileCheck, FileFound)],
    (_, facts): KnownFile<'_>,
    memory: &mut Memory,
) -> LoopConclusion {
    let rows = rows_of(&memory.policy.checks);
    for (check, found) in found {
        let is_it =
            |row: &ChecklistRow| !is_command(row) && memory.referee.looked_up(check.row, row) == *check;
        if rows.get(check.row).is_some_and(is_it) {
            memory.referee.take(file_outcome(check, found), &rows, facts.now);
        }
    }
    Conclusion::Write(Vec::new())
}
