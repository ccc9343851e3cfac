//! Which verb is legal now (the CCW contract §5.2), for Loop v2 and Loop-B.

use crate::control::{Intent, Situation, Standing, Verb};
use crate::format::Format;
use crate::problem::{ProblemCode, Severity};
use crate::refusal::{Refusal, RefusalCode};
use crate::status::{FileStatus, StatusWord};
use crate::summary::Summary;

/// The rows of §5.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ControlRow {
    Created,
    /// Running with an agent of ours, or any status with an agent that has not ended yet.
    Alive,
    Elsewhere,
    /// Running, with no known agent: interrupted, limit reached, agent unknown.
    Left,
    Paused,
    /// Failed, stopped, completed, left by the user.
    Ended,
}

/// Why `verb` is not legal now; `None` when it is.
#[must_use]
pub fn refuse(summary: &Summary, verb: Verb, situation: &Situation) -> Option<Refusal> {
    code(summary, verb, situation)
        .or_else(|| (launches(verb) && summary.at_limit()).then_some(RefusalCode::LimitReached))
        .map(|code| Refusal::because(code, summary).in_words_of(situation.shown))
}

/// Like [`refuse`], for an intent that may raise the limit in the same write.
pub(crate) fn refuse_intent(summary: &Summary, intent: &Intent, situation: &Situation) -> Option<Refusal> {
    if matches!(intent, Intent::LaunchFailed { .. }) && summary.status != FileStatus::Running {
        return Some(Refusal::because(RefusalCode::NotRunning, summary));
    }
    let refusal = refuse(summary, intent.verb()?, situation)?;
    let raised = match intent {
        Intent::Resume { raise_limit_to } | Intent::Reopen { raise_limit_to } => *raise_limit_to,
        _ => None,
    };
    let lifts =
        raised.zip(summary.iteration).is_some_and(|(limit, iteration)| f64::from(limit) > iteration.current);
    (refusal.code != RefusalCode::LimitReached || !lifts).then_some(refusal)
}

/// Whether a guarded verb still holds in the current file. The agent's own final words win (§5.3).
#[must_use]
pub fn request_standing(summary: &Summary, verb: Verb) -> Standing {
    use FileStatus as F;
    match (verb, summary.status) {
        (Verb::Pause, F::Paused)
        | (Verb::Stop, F::StoppedByUser)
        | (Verb::Resume | Verb::Start | Verb::Reopen, F::Running) => Standing::Holds,
        (Verb::Pause, F::Completed | F::UserExit | F::Failed | F::StoppedByUser)
        | (Verb::Stop, F::Completed | F::UserExit) => Standing::Answered,
        (Verb::Pause | Verb::Stop, _)
        // A stale copy from before: a person's newer pause is recognised by its time, and the guard of a
        // resume is short.
        | (Verb::Resume | Verb::Start | Verb::Reopen, F::Paused | F::StoppedByUser | F::NotStarted) => Standing::Undone,
        _ => Standing::Answered,
    }
}

/// Whether an agent is known to be working, ours or another's.
pub(crate) fn is_at_work(situation: &Situation) -> bool {
    is_ours_alive(situation) || situation.shown == StatusWord::RunningElsewhere
}

/// Whether an agent of ours is working, or has just ended and its result is being taken up.
pub(crate) fn is_ours_alive(situation: &Situation) -> bool {
    use StatusWord as W;
    matches!(
        situation.shown,
        W::Running
            | W::Starting
            | W::Silent
            | W::NeedsYou
            | W::Pausing
            | W::Stopping
            | W::UsageLimit
            | W::Finishing
            | W::EndedStillRunning
    )
}

/// Whether the result of an action is still written to a loop with this status: it was paused, or another tool ended it, while the action
/// ran. A stop ends the action itself.
pub(crate) fn takes_result(status: FileStatus) -> bool {
    use FileStatus as F;
    matches!(status, F::Running | F::Paused | F::Completed | F::Failed | F::UserExit)
}

fn launches(verb: Verb) -> bool {
    matches!(verb, Verb::Start | Verb::Resume | Verb::Reopen)
}

fn code(summary: &Summary, verb: Verb, situation: &Situation) -> Option<RefusalCode> {
    if verb == Verb::Finalise {
        return Some(RefusalCode::NotInFormat);
    }
    if let Some(code) = damage(summary) {
        // Moving a damaged file to the trash concerns files, not loops.
        return (verb != Verb::Delete || is_at_work(situation)).then_some(match verb {
            Verb::Delete => RefusalCode::Running,
            _ => code,
        });
    }
    let row = row(summary, situation);
    match verb {
        Verb::Pause if cannot_pause(summary, row) => Some(RefusalCode::ParallelCannotPause),
        Verb::Pause => pause(summary, row),
        Verb::Stop => (row == ControlRow::Ended || is_ended(summary)).then_some(RefusalCode::Finished),
        Verb::Start => start(row),
        Verb::Resume if row == ControlRow::Created => Some(RefusalCode::NotPaused),
        Verb::Resume => start(row),
        Verb::Reopen => reopen(row),
        Verb::Delete => matches!(row, ControlRow::Alive | ControlRow::Elsewhere | ControlRow::Left)
            .then_some(RefusalCode::Running),
        Verb::EditMetadata => {
            matches!(row, ControlRow::Alive | ControlRow::Elsewhere).then_some(RefusalCode::Running)
        }
        Verb::Finalise => None,
    }
}

/// Errors refuse everything that writes. The code names what a person has to check.
pub(crate) fn damage(summary: &Summary) -> Option<RefusalCode> {
    let error = summary.problems.iter().find(|problem| problem.severity == Severity::Error);
    match (summary.status, error.map(|error| error.code)) {
        (FileStatus::Unreadable, _) => Some(RefusalCode::DamagedFile),
        (_, Some(ProblemCode::E5_id_mismatch | ProblemCode::E5_id_is_path)) => Some(RefusalCode::IdMismatch),
        (_, Some(ProblemCode::E4_unknown_status)) => Some(RefusalCode::UnknownStatus),
        (_, Some(ProblemCode::E8_duplicate_key)) => Some(RefusalCode::NotEditable),
        (_, Some(_)) => Some(RefusalCode::DamagedFile),
        (FileStatus::Unknown, None) => Some(RefusalCode::UnknownStatus),
        (_, None) => None,
    }
}

fn row(summary: &Summary, situation: &Situation) -> ControlRow {
    if is_ours_alive(situation) {
        return ControlRow::Alive;
    }
    match summary.status {
        FileStatus::NotStarted => ControlRow::Created,
        FileStatus::Paused => ControlRow::Paused,
        FileStatus::Running => match situation.shown {
            StatusWord::Interrupted
            | StatusWord::LimitReached
            | StatusWord::AgentUnknown
            | StatusWord::NotFullyStopped => ControlRow::Left,
            // Elsewhere; or the file has become `running` since the status was shown, so it was just started.
            _ => ControlRow::Elsewhere,
        },
        _ => ControlRow::Ended,
    }
}

fn is_ended(summary: &Summary) -> bool {
    use FileStatus as F;
    matches!(summary.status, F::Failed | F::StoppedByUser | F::Completed | F::UserExit)
}

/// In parallel mode, Loop-B does not check for a pause after its start (§8).
fn cannot_pause(summary: &Summary, row: ControlRow) -> bool {
    summary.format == Format::LoopB
        && summary.status == FileStatus::Running
        && matches!(row, ControlRow::Alive | ControlRow::Elsewhere)
        && summary.mode.as_deref().is_some_and(|mode| mode.eq_ignore_ascii_case("parallel"))
}

fn pause(summary: &Summary, row: ControlRow) -> Option<RefusalCode> {
    match (summary.status, row) {
        (FileStatus::Paused, _) => Some(RefusalCode::AlreadyPaused),
        _ if is_ended(summary) => Some(RefusalCode::Finished),
        (_, ControlRow::Created) => Some(RefusalCode::NotRunning),
        _ => None,
    }
}

/// Start, and resume where it means the same. While a pause is pending the agent is still running: wait for
/// its end.
fn start(row: ControlRow) -> Option<RefusalCode> {
    match row {
        ControlRow::Created | ControlRow::Left | ControlRow::Paused => None,
        ControlRow::Alive => Some(RefusalCode::AlreadyRunning),
        ControlRow::Elsewhere => Some(RefusalCode::ForeignOwner),
        ControlRow::Ended => Some(RefusalCode::Finished),
    }
}

fn reopen(row: ControlRow) -> Option<RefusalCode> {
    match row {
        ControlRow::Ended => None,
        ControlRow::Alive => Some(RefusalCode::AlreadyRunning),
        ControlRow::Elsewhere => Some(RefusalCode::ForeignOwner),
        ControlRow::Created | ControlRow::Left | ControlRow::Paused => Some(RefusalCode::NotFinished),
    }
}

#[cfg(test)]
#[path = "rules_table.rs"]
mod table;
