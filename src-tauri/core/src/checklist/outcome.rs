//! Results of a completion check (AoT contract §11), and how each is made. They are kept in the journal.

use super::coverage::{self, CoverageFloor};
use super::{
    CheckResult, CheckType, CommandCheck, CommandEnd, CommandResult, FileCheck, FileFound, ItemKind, SHOWN,
    TestsRan, Verdict, command_verdict, total, verdicts,
};
use crate::driver::QuestionLineCode;
use crate::times::Timestamp;
use crate::view::{ChecklistRow, LoopDetail};
use loopdeck_text::shorten;
use serde::{Deserialize, Serialize};
use specta::Type;

/// Characters of stdout and stderr that are kept (§11).
const STDOUT: usize = 5_000;
const STDERR: usize = 2_000;
/// Paths that are kept as evidence.
const MOST_PATHS: usize = 20;

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
    /// It failed, and passed when it was run once more on the same files. `evidence` has both.
    #[serde(default)]
    pub flaky: bool,
    /// The tests that its command ran, where they could be counted.
    #[serde(default)]
    #[specta(skip)]
    pub tests: Option<TestsRan>,
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
    /// The report of the coverage is older than the work.
    Stale,
    /// There is no report of the coverage that can be read, or it names no file of the folder.
    NoReport,
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
            Self::Stale => "The report is older than the work.",
            Self::NoReport => {
                "It is no coverage report that can be read, or it names no file of this folder."
            }
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
            // An AoT file has no such check.
            Self::Stale | Self::NoReport => QuestionLineCode::NoResult,
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

/// Why a valid check cannot have a result.
pub(crate) fn unknowable(row: &ChecklistRow) -> Option<UnknownWhy> {
    let too_long = |text: &str| text.chars().count() > SHOWN;
    match row.check_type? {
        CheckType::Quality if row.pass_threshold.is_none() => Some(UnknownWhy::NoThreshold),
        // A truncated command must not be run.
        CheckType::Command
        | CheckType::NotCommand
        | CheckType::File
        | CheckType::NotFile
        | CheckType::Coverage
            if row.value.as_deref().is_some_and(too_long) =>
        {
            Some(UnknownWhy::TooLong)
        }
        _ => None,
    }
}

/// Whether it can have a result.
pub(crate) fn is_asked(row: &ChecklistRow) -> bool {
    let all_pass = verdicts(std::slice::from_ref(row), &[Verdict::Pass]);
    row.kind == ItemKind::Check && unknowable(row).is_none() && all_pass == [Verdict::Pass]
}

pub(crate) fn command_check(row: usize, check: &ChecklistRow) -> CommandCheck {
    let not = check.check_type == Some(CheckType::NotCommand);
    CommandCheck { row, item: label(check), command: check.value.clone().unwrap_or_default(), not }
}

pub(crate) fn file_check(row: usize, check: &ChecklistRow) -> FileCheck {
    let not = check.check_type == Some(CheckType::NotFile);
    let tests = check.check_type == Some(CheckType::TestsKept);
    // One of tests has no value to be named after.
    let item = if tests { shorten(check.item.trim(), LONGEST_LABEL) } else { label(check) };
    FileCheck { row, item, pattern: check.value.clone().unwrap_or_default(), not, tests, floor: None }
}

/// The coverage report to look up for a check; none when its value is no floor. `since`: when the work began that it is about.
pub(crate) fn coverage_check(row: usize, check: &ChecklistRow, since: Timestamp) -> Option<FileCheck> {
    let (hundredths, report) = coverage::read(check.value.as_deref()?)?;
    let (pattern, floor) = (report.to_owned(), Some(CoverageFloor { hundredths, since }));
    Some(FileCheck { row, item: label(check), pattern, not: false, tests: false, floor })
}

/// The result of a command of a check.
pub(crate) fn command_outcome(check: &CommandCheck, result: &CommandResult<'_>) -> CheckOutcome {
    CheckOutcome {
        row: check.row,
        item: check.item.clone(),
        verdict: command_verdict(check.not, result.end),
        evidence: said_by(check, result),
        exit_code: if let CommandEnd::Exit(code) = result.end { Some(code) } else { None },
        could_not_run: result.end.could_not_run(),
        took_ms: Some(result.took_ms),
        tests: result.tests,
        ..CheckOutcome::default()
    }
}

/// The result of looking a file of a check up.
pub(crate) fn file_outcome(check: &FileCheck, found: &FileFound) -> CheckOutcome {
    let why = match found {
        FileFound::Outside => Some(UnknownWhy::Outside),
        FileFound::TooMany => Some(UnknownWhy::TooMany),
        FileFound::Stale(_) => Some(UnknownWhy::Stale),
        FileFound::NoReport => Some(UnknownWhy::NoReport),
        _ => None,
    };
    let said = || why.map(UnknownWhy::sentence).unwrap_or_default().to_owned();
    let (is_true, evidence) = match (found, check.floor) {
        (FileFound::Found(paths), _) => (Some(!check.not), listed(paths)),
        (FileFound::Nothing, Some(_)) => (Some(false), format!("There is no report {}.", check.pattern)),
        (FileFound::Nothing, None) => (Some(check.not), "Nothing was found.".to_owned()),
        (FileFound::Covered(percent), floor) => {
            let wanted = floor.map_or(100.0, CoverageFloor::percent);
            let said = format!("{percent} % of the code is covered; {wanted} % is required.");
            (Some(*percent >= wanted), said)
        }
        (FileFound::Weakened(lines), _) => {
            (Some(false), format!("These changes weaken tests:\n{}", listed(lines)))
        }
        (FileFound::TestsKept, _) => (Some(true), "No change weakens a test.".to_owned()),
        (FileFound::NotCompared(why), _) => (None, shorten(why, STDERR)),
        (FileFound::Stale(Some(file)), _) => (None, format!("{} It is older than {file}.", said())),
        (FileFound::Outside | FileFound::TooMany | FileFound::Stale(None) | FileFound::NoReport, _) => {
            (None, said())
        }
    };
    let verdict = match is_true {
        None => Verdict::Unknown,
        Some(true) => Verdict::Pass,
        Some(false) => Verdict::Fail,
    };
    CheckOutcome {
        row: check.row,
        item: check.item.clone(),
        verdict,
        evidence,
        why,
        ..CheckOutcome::default()
    }
}

/// How it ended, in words, with the start of its output.
fn said_by(check: &CommandCheck, result: &CommandResult<'_>) -> String {
    let ended = match result.end {
        CommandEnd::Exit(126) => "exit code 126: the command is not executable".to_owned(),
        CommandEnd::Exit(127) => "exit code 127: the command was not found".to_owned(),
        CommandEnd::Exit(code) => format!("exit code {code}"),
        CommandEnd::Signal => "ended by a signal".to_owned(),
        CommandEnd::TimedOut => "it took too long".to_owned(),
        CommandEnd::NotStarted => "it could not be started".to_owned(),
    };
    let passes = check.not && command_verdict(true, result.end) == Verdict::Pass;
    let warned = if passes && result.end.could_not_run() {
        "\nWarning: passed because the command could not run"
    } else {
        ""
    };
    let mut text = format!("{ended}{warned}");
    for (name, output, most) in [("stdout", result.stdout, STDOUT), ("stderr", result.stderr, STDERR)] {
        if !output.trim().is_empty() {
            text += &format!("\n{name}:\n{}", shorten(output.trim_end(), most));
        }
    }
    text
}

fn listed(paths: &[String]) -> String {
    let mut shown: Vec<String> = paths.iter().take(MOST_PATHS).map(|path| shorten(path, 500)).collect();
    if paths.len() > shown.len() {
        shown.push(format!("and {} more", paths.len() - shown.len()));
    }
    shown.join("\n")
}

/// Characters of a name.
const LONGEST_LABEL: usize = 200;

/// The name of a check, or its value when it has none.
pub(crate) fn label(row: &ChecklistRow) -> String {
    let name = if row.item.trim().is_empty() { row.value.as_deref().unwrap_or_default() } else { &row.item };
    let name = match (name.trim(), row.rubric.first()) {
        ("", _) if row.check_type == Some(CheckType::TestsKept) => "No test is weakened",
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
    let judged = verdicts(&detail.checklist, &by_row(&detail.checklist, &found.results));
    for (row, verdict) in detail.checklist.iter_mut().zip(judged) {
        row.result = CheckResult::from_verdict(verdict, !row.evidence.is_empty());
    }
    let completed = detail.checklist_total.is_some_and(|total| total.completed);
    detail.checklist_total = total(&detail.checklist, completed);
}
