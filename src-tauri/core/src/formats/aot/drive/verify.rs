//! The completion check (AoT contract §11): all checks are run, regardless of the others' results.

use super::look::{AotView, print_of};
use super::{AotNext, asked, prompt_context};
use crate::checklist::outcome::{
    by_row, command_check, command_outcome, file_check, file_outcome, is_asked, label, unknowable,
};
use crate::checklist::{
    self, CheckOutcome, CheckType, Checklist, CommandCheck, CommandResult, FileCheck, FileFound, ItemKind,
    ItemRemark, UnknownWhy, Verdict, Verification,
};
use crate::driver::{Conclusion, DriverQuestion, Memory, QuestionCode, QuestionLine, QuestionLineCode};
use crate::format::FileFacts;
use crate::formats::aot::checklist_of;
use crate::formats::aot::edit::operation::AotOperation;
use crate::formats::aot::read::state;
use crate::stable_hash::StableHasher;
use crate::view::ChecklistRow;
use loopdeck_text::shorten;

pub(super) type AotConclusion = Conclusion<AotOperation>;

impl AotView<'_> {
    /// The next check without a result, in the order commands, files, judges, person; then what follows from all.
    pub(super) fn verify(&self) -> AotNext {
        let rows = &self.checklist.rows;
        if !self.checklist.can_pass() {
            return AotNext::ask(self.memory, never_passes(self.checklist));
        }
        let verification = self.verified();
        let results = verification.map(|verification| verification.results.as_slice()).unwrap_or_default();
        let known = |row: usize| results.iter().any(|outcome| outcome.row == row);
        let open: Vec<(usize, &ChecklistRow)> =
            rows.iter().enumerate().filter(|(row, check)| is_asked(check) && !known(*row)).collect();
        let of = |kinds: &'static [CheckType]| {
            let is_it = |check: &ChecklistRow| check.check_type.is_some_and(|kind| kinds.contains(&kind));
            open.iter().copied().filter(move |(_, check)| is_it(check))
        };
        if let Some((row, check)) = of(&[CheckType::Command, CheckType::NotCommand]).next() {
            if self.memory.aot.agreed_commands.as_ref().is_some_and(|agreed| *agreed != print(rows)) {
                return AotNext::ask(self.memory, checks_changed(rows));
            }
            return AotNext::Command(command_check(row, check));
        }
        let files: Vec<FileCheck> =
            of(&[CheckType::File, CheckType::NotFile]).map(|(row, check)| file_check(row, check)).collect();
        if !files.is_empty() || verification.is_none() {
            return AotNext::Files(files);
        }
        if let Some((row, check)) = of(&[CheckType::Quality]).next() {
            return AotNext::agent(prompt_context::judge_task(self, row, check));
        }
        if let Some((row, check)) = of(&[CheckType::Assertion]).next() {
            return AotNext::ask(self.memory, assertion(row, check));
        }
        self.verified_whole(results)
    }

    fn verified_whole(&self, results: &[CheckOutcome]) -> AotNext {
        match verdict_of(self.checklist, results) {
            Verdict::Pass => AotNext::Write(AotOperation::Complete),
            Verdict::Unknown => AotNext::ask(self.memory, unknown(self.checklist, results)),
            Verdict::Fail => {
                let atoms = asked::atoms(self, results);
                // Work for every failed check already exists, as an unselected alternative.
                let step =
                    if atoms.is_empty() { AotOperation::EndRound } else { AotOperation::AddAtoms { atoms } };
                AotNext::Write(step)
            }
        }
    }

    /// The verdict of a verification once nothing is left to check; `None` before that.
    pub(super) fn verdict(&self, verification: &Verification) -> Option<Verdict> {
        let rows = self.checklist.rows.iter().enumerate().filter(|(_, check)| is_asked(check));
        let known = |row: usize| verification.results.iter().any(|outcome| outcome.row == row);
        let is_whole = rows.into_iter().all(|(row, _)| known(row));
        is_whole.then(|| verdict_of(self.checklist, &verification.results))
    }
}

fn verdict_of(checklist: &Checklist, results: &[CheckOutcome]) -> Verdict {
    checklist::verdict(&checklist.rows, &by_row(&checklist.rows, results))
}

fn assertion(row: usize, check: &ChecklistRow) -> DriverQuestion {
    let sentence = check.value.as_deref().unwrap_or_default();
    let row = u32::try_from(row).unwrap_or(u32::MAX);
    DriverQuestion::new(QuestionCode::ConfirmAssertion, &label(check), sentence).counted(row)
}

/// The commands that a verification runs, in order.
fn commands(rows: &[ChecklistRow]) -> impl Iterator<Item = &str> {
    let runs =
        |row: &&ChecklistRow| matches!(row.check_type, Some(CheckType::Command | CheckType::NotCommand));
    rows.iter().filter(runs).filter_map(|row| row.value.as_deref())
}

/// A fingerprint of a set of commands.
fn print(rows: &[ChecklistRow]) -> String {
    let mut hasher = StableHasher::default();
    for command in commands(rows) {
        hasher.text(command);
    }
    format!("{:016x}", hasher.finish())
}

/// What a person agrees to by starting the loop in `bytes`: if a program changes the commands afterwards,
/// that is not the person's choice (AoT contract §12). `None`: the file is unreadable.
#[must_use]
pub fn commands_print(bytes: &[u8]) -> Option<String> {
    let document = state::read(bytes).ok()?;
    Some(print(&checklist_of(&document).rows))
}

fn checks_changed(rows: &[ChecklistRow]) -> DriverQuestion {
    let shown: Vec<&str> = commands(rows).take(40).collect();
    DriverQuestion::new(QuestionCode::ChecksChanged, &print(rows), &shown.join("\n"))
}

/// The list is invalid: no work can make it pass.
fn never_passes(checklist: &Checklist) -> DriverQuestion {
    let flaws = checklist.flaws.iter().take(40);
    let mut lines: Vec<String> = flaws
        .map(|flaw| {
            let place = if flaw.path.is_empty() { "base_case" } else { &flaw.path };
            format!("{place}: {}", flaw.reason.replace('_', " "))
        })
        .collect();
    lines.insert(0, "It can never pass:".to_owned());
    let question = DriverQuestion::new(QuestionCode::VerificationUnknown, "", &lines.join("\n"));
    let line = |flaw: &ItemRemark| {
        let args = [("about", flaw.path.as_str()), ("reason", flaw.reason)];
        QuestionLine::new(QuestionLineCode::NeverPasses, &args)
    };
    question.in_lines(checklist.flaws.iter().take(40).map(line).collect())
}

fn unknown(checklist: &Checklist, results: &[CheckOutcome]) -> DriverQuestion {
    let verdicts = checklist::verdicts(&checklist.rows, &by_row(&checklist.rows, results));
    let leaves = checklist.rows.iter().zip(&verdicts).enumerate();
    let open =
        leaves.filter(|(_, (check, verdict))| check.kind == ItemKind::Check && **verdict == Verdict::Unknown);
    let (mut words, mut lines) = (Vec::new(), Vec::new());
    for (row, (check, _)) in open.take(40) {
        let about = label(check);
        let seen = results.iter().find(|outcome| outcome.row == row);
        let why = unknowable(check).or(seen.and_then(|outcome| outcome.why));
        let evidence = seen.map(|outcome| outcome.evidence.as_str());
        let said = unknowable(check).map(UnknownWhy::sentence).or(evidence).unwrap_or("It has no result.");
        words.push(format!("{about}: {}", shorten(said, 500)));
        let code = why.map_or(QuestionLineCode::NoResult, UnknownWhy::line);
        lines.push(QuestionLine::new(code, &[("about", &about)]));
    }
    let count = u32::try_from(words.len()).unwrap_or(u32::MAX);
    let question = DriverQuestion::new(QuestionCode::VerificationUnknown, "", &words.join("\n"));
    question.counted(count).in_lines(lines)
}

/// The verification for the state in `bytes`, ready for a result. An unreadable file accepts none.
pub(super) struct VerificationDesk<'d> {
    checklist: Checklist,
    facts: &'d FileFacts<'d>,
    memory: &'d mut Memory,
}

impl<'d> VerificationDesk<'d> {
    /// Results for another state or another round are discarded.
    pub(super) fn open(bytes: &[u8], facts: &'d FileFacts<'d>, memory: &'d mut Memory) -> Option<Self> {
        let document = state::read(bytes).ok()?;
        let checklist = checklist_of(&document);
        let (print, iteration) = (print_of(&document.state, &checklist), document.state.control.iteration);
        let known = memory.aot.verification.as_ref().is_some_and(|known| known.iteration == iteration);
        if !known || memory.aot.verified != print {
            let started = moment(facts);
            let made_of = print.clone();
            memory.aot.verification =
                Some(Verification { iteration, started, made_of, ..Verification::default() });
            memory.aot.verified = print;
        }
        Some(Self { checklist, facts, memory })
    }

    /// Records a result, provided the check is still the requested one.
    pub(super) fn take_result(
        &mut self,
        outcome: CheckOutcome,
        is_it: impl Fn(usize, &ChecklistRow) -> bool,
    ) {
        let row = outcome.row;
        if self.checklist.rows.get(row).is_some_and(|check| is_it(row, check)) {
            self.memory.aot.record(CheckOutcome { at: Some(moment(self.facts)), ..outcome });
        }
    }

    /// Checks that cannot have a result are recorded with the others, and the verdict covers all of them.
    pub(super) fn close(self) -> AotConclusion {
        let unknowable = self.checklist.rows.iter().enumerate().filter_map(|(row, check)| {
            let why = unknowable(check)?;
            let item = label(check);
            let evidence = why.sentence().to_owned();
            Some(CheckOutcome { row, item, evidence, why: Some(why), ..CheckOutcome::default() })
        });
        for outcome in unknowable {
            self.memory.aot.record(CheckOutcome { at: Some(moment(self.facts)), ..outcome });
        }
        if let Some(verification) = &mut self.memory.aot.verification {
            verification.verdict = verdict_of(&self.checklist, &verification.results);
        }
        Conclusion::Write(Vec::new())
    }
}

#[allow(clippy::cast_precision_loss)] // exact until the year 287396
fn moment(facts: &FileFacts<'_>) -> f64 {
    facts.now.number()
}

/// What follows from the end of a command: its result is remembered. `bytes`: the current file.
pub fn conclude_command(
    check: &CommandCheck,
    result: &CommandResult<'_>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> AotConclusion {
    let Some(mut desk) = VerificationDesk::open(bytes, facts, memory) else {
        return Conclusion::Write(Vec::new());
    };
    let outcome = command_outcome(check, result);
    desk.take_result(outcome, |row, now| is_asked(now) && command_check(row, now) == *check);
    desk.close()
}

/// What follows from the files found: the results are remembered. `bytes`: the current file.
pub fn conclude_files(
    found: &[(FileCheck, FileFound)],
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> AotConclusion {
    let Some(mut desk) = VerificationDesk::open(bytes, facts, memory) else {
        return Conclusion::Write(Vec::new());
    };
    for (check, found) in found {
        let outcome = file_outcome(check, found);
        desk.take_result(outcome, |row, now| is_asked(now) && file_check(row, now) == *check);
    }
    desk.close()
}

/// The completion check so far, with the verdict on the whole list. The journal records it once finished,
/// before the next step is written.
#[must_use]
pub fn verification(bytes: &[u8], memory: &Memory) -> Option<Verification> {
    let verification = memory.aot.verification.as_ref()?;
    let Ok(document) = state::read(bytes) else { return Some(verification.clone()) };
    let checklist = checklist_of(&document);
    let print = print_of(&document.state, &checklist);
    if memory.aot.verified != print {
        return Some(verification.clone());
    }
    let verdict = verdict_of(&checklist, &verification.results);
    Some(Verification { verdict, ..verification.clone() })
}

/// The completion check so far, when it is about the current file in its current round.
#[must_use]
pub fn verified<'m>(bytes: &[u8], memory: &'m Memory) -> Option<&'m Verification> {
    let document = state::read(bytes).ok()?;
    let print = print_of(&document.state, &checklist_of(&document));
    let found = memory.aot.verification.as_ref()?;
    let is_it = found.iteration == document.state.control.iteration && memory.aot.verified == print;
    is_it.then_some(found)
}

/// Whether a verification applies to the current file: no atom, check or text of the objective has changed
/// since.
#[must_use]
pub fn is_current(bytes: &[u8], verification: &Verification) -> bool {
    let Ok(document) = state::read(bytes) else { return false };
    !verification.made_of.is_empty()
        && verification.made_of == print_of(&document.state, &checklist_of(&document))
}
