//! Whether a completion check passes: pass, fail, or not known yet (AoT contract §11).

use super::{CheckType, ItemKind, MAX_ROWS};
use crate::view::ChecklistRow;
use serde::{Deserialize, Serialize};
use specta::Type;

/// The result of one check or of a whole list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It passes.
    Pass,
    /// It fails, or it is invalid and can never pass.
    Fail,
    /// Not run, not judged or not confirmed yet.
    #[default]
    Unknown,
}

/// The result of one check, and whether anything mentions it. Words: catalogue `check_result.<result>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Type)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It passes.
    Pass,
    /// It fails, or it is invalid and can never pass.
    Fail,
    /// The file mentions it, but it was not judged.
    Unknown,
    /// Nothing in the file mentions it.
    #[default]
    None,
}

impl CheckResult {
    /// For a check with this verdict; `told`: something in the file mentions it.
    #[must_use]
    pub fn from_verdict(verdict: Verdict, told: bool) -> Self {
        match verdict {
            Verdict::Pass => Self::Pass,
            Verdict::Fail => Self::Fail,
            Verdict::Unknown if told => Self::Unknown,
            Verdict::Unknown => Self::None,
        }
    }

    /// Only the verdict: a mention in the file is not one.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Pass => Verdict::Pass,
            Self::Fail => Verdict::Fail,
            Self::Unknown | Self::None => Verdict::Unknown,
        }
    }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// With this exit code.
    Exit(i32),
    /// By a signal.
    Signal,
    /// It took too long.
    TimedOut,
    /// It could not be started.
    NotStarted,
}

impl CommandEnd {
    /// Whether the command itself did not run: a `not_command` that passes this way deserves a warning.
    #[must_use]
    pub fn could_not_run(self) -> bool {
        matches!(self, Self::Exit(126 | 127) | Self::Signal | Self::NotStarted)
    }
}

/// `command` passes with exit 0, `not_command` with any other result of a command that was started and ended
/// in time.
#[must_use]
pub fn command_verdict(not_command: bool, end: CommandEnd) -> Verdict {
    let pass = match end {
        CommandEnd::Exit(code) => (code == 0) != not_command,
        CommandEnd::Signal => not_command,
        CommandEnd::TimedOut | CommandEnd::NotStarted => false,
    };
    if pass { Verdict::Pass } else { Verdict::Fail }
}

/// The verdict on the whole list: all of its items.
///
/// `results` match `rows` by index; those of lists are ignored, missing ones are unknown.
#[must_use]
pub fn verdict(rows: &[ChecklistRow], results: &[Verdict]) -> Verdict {
    let verdicts = verdicts(rows, results);
    let top = rows.iter().zip(&verdicts).filter(|(row, _)| row.depth == 0).map(|(_, verdict)| *verdict);
    let whole = all_of(top);
    // A truncated list has items that were not judged.
    if rows.len() >= MAX_ROWS && whole == Verdict::Pass { Verdict::Unknown } else { whole }
}

/// The verdict on every row, lists included.
#[must_use]
pub fn verdicts(rows: &[ChecklistRow], results: &[Verdict]) -> Vec<Verdict> {
    let mut judged = vec![Verdict::Fail; rows.len()];
    // From the end: the items of a list come after it, so they are judged before it.
    let mut waiting: Vec<usize> = Vec::new();
    for (at, row) in rows.iter().enumerate().rev() {
        let own = waiting.iter().rposition(|item| rows[*item].depth <= row.depth).map_or(0, |last| last + 1);
        let items = waiting.split_off(own);
        let items = items.iter().filter(|item| rows[**item].depth == row.depth + 1).map(|item| judged[*item]);
        judged[at] = match row.kind {
            ItemKind::Group => all_of(items),
            ItemKind::AnyOf => any_of(items),
            ItemKind::Check | ItemKind::Nothing => leaf(row, results.get(at).copied().unwrap_or_default()),
        };
        waiting.push(at);
    }
    judged
}

fn all_of(items: impl Iterator<Item = Verdict>) -> Verdict {
    join(items, Verdict::Fail, Verdict::Pass)
}

fn any_of(items: impl Iterator<Item = Verdict>) -> Verdict {
    join(items, Verdict::Pass, Verdict::Fail)
}

/// One `decisive` item decides, then one unknown item, then the rest; an empty list fails.
fn join(items: impl Iterator<Item = Verdict>, decisive: Verdict, rest: Verdict) -> Verdict {
    let mut seen = None;
    for item in items {
        if item == decisive {
            return decisive;
        }
        let unknown = item == Verdict::Unknown || seen == Some(Verdict::Unknown);
        seen = Some(if unknown { Verdict::Unknown } else { rest });
    }
    seen.unwrap_or(Verdict::Fail)
}

/// A check can pass only if it is valid.
fn leaf(row: &ChecklistRow, result: Verdict) -> Verdict {
    let Some(check_type) = row.check_type else { return Verdict::Fail };
    let value = row.value.as_deref().is_some_and(|value| !value.trim().is_empty());
    match check_type {
        CheckType::Other => Verdict::Fail,
        CheckType::TestsKept => result,
        CheckType::Quality => scored(row, value, result),
        _ if value => result,
        _ => Verdict::Fail,
    }
}

/// A score needs criteria, valid weights and a threshold.
fn scored(row: &ChecklistRow, has_criteria: bool, result: Verdict) -> Verdict {
    let rubric = &row.rubric;
    let weightless = !rubric.is_empty() && rubric.iter().all(|criterion| criterion.weight <= 0.0);
    match (weightless, has_criteria || !rubric.is_empty(), row.pass_threshold) {
        (true, ..) | (_, false, _) => Verdict::Fail,
        (_, _, Some(_)) => result,
        (_, _, None) => Verdict::Unknown,
    }
}
