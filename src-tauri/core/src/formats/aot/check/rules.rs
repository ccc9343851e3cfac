//! Which control verbs are legal and what each will do (AoT contract §6, §8).

use crate::control::{Control, EffectCode, Situation, Standing, Verb};
use crate::formats::aot::read::state::AotState;
use crate::phase::{LimitKind, Phase};
use crate::problem::{Problem, ProblemCode, Severity};
use crate::refusal::{Refusal, RefusalCode};
use crate::status::{FileStatus, StatusWord};
use crate::summary::{StopFlag, Summary};
use std::collections::BTreeMap;

/// The reason that makes a stop a pause (§6).
pub(crate) const PAUSE_REASON: &str = "Paused by user";
/// The default reason for a stop (§6).
pub(crate) const STOP_REASON: &str = "Manual stop requested";
/// The reason written over a run that ended without one (§6).
pub(crate) const INTERRUPTED_REASON: &str = "Interrupted";
/// What a person types in the agent to continue.
pub(crate) const COMMAND: &str = "/enter-recursion";

/// Who is working on the loop, according to the shown status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// An agent of ours.
    Ours,
    /// Another program.
    Elsewhere,
    /// Nobody, as far as is known.
    Nobody,
}

/// Derives the owner from the shown status.
pub(crate) fn owner(shown: StatusWord) -> Owner {
    match shown {
        StatusWord::RunningElsewhere => Owner::Elsewhere,
        StatusWord::NeedsYou
        | StatusWord::NotFullyStopped
        | StatusWord::Stopping
        | StatusWord::Pausing
        | StatusWord::UsageLimit
        | StatusWord::Silent
        | StatusWord::Starting
        | StatusWord::Running
        | StatusWord::Finishing
        | StatusWord::EndedStillRunning => Owner::Ours,
        _ => Owner::Nobody,
    }
}

/// The limit that a `stop_reason` names: by prefix, in any case (§3).
pub(crate) fn limit_of(reason: &str) -> Option<LimitKind> {
    let reason = reason.trim().to_lowercase();
    let classes = [
        ("max iterations reached", LimitKind::Iterations),
        ("max stall count", LimitKind::Stalls),
        ("max_stall_count", LimitKind::Stalls),
        ("or group exhausted", LimitKind::Alternatives),
        ("all or branches exhausted", LimitKind::Alternatives),
        ("no atoms in work graph", LimitKind::NoAtoms),
    ];
    classes.into_iter().find(|(prefix, _)| reason.starts_with(prefix)).map(|(_, kind)| kind)
}

/// The meaning of the status word (§3, §6).
pub(crate) fn file_status(word: &str, reason: Option<&str>) -> (FileStatus, Option<LimitKind>) {
    match word {
        "pending" => (FileStatus::NotStarted, None),
        "running" => (FileStatus::Running, None),
        "completed" => (FileStatus::Completed, None),
        "stopped" if reason == Some(PAUSE_REASON) => (FileStatus::Paused, None),
        "stopped" => match reason.and_then(limit_of) {
            Some(limit) => (FileStatus::LimitReached, Some(limit)),
            None => (FileStatus::StoppedByUser, None),
        },
        _ => (FileStatus::Unknown, None),
    }
}

/// A refusal based on the control section.
pub(crate) fn because(code: RefusalCode, state: &AotState<'_>) -> Refusal {
    let control = &state.control;
    let (status, _) = file_status(&control.status, control.stop_reason.as_deref());
    Refusal::while_at(code, status, &control.status)
}

/// Why `verb` is not legal now; `None` when it is.
pub(crate) fn refuse(summary: &Summary, verb: Verb, situation: &Situation) -> Option<Refusal> {
    let owner = owner(situation.shown);
    let because = |code| Refusal::because(code, summary);
    let refusal = match verb {
        Verb::EditMetadata => Some(because(RefusalCode::NotInFormat)),
        Verb::Delete => (owner != Owner::Nobody).then(|| because(RefusalCode::Running)),
        // The plugin runs it, whatever else is wrong with the file.
        Verb::Stop | Verb::Pause if runs_unread(summary) => None,
        _ => damage(summary, verb).or_else(|| by_state(summary, verb, owner)),
    };
    refusal.map(|refusal| refusal.in_words_of(situation.shown))
}

/// Whether only the plugin's hook can read the file, and takes it for a running loop.
fn runs_unread(summary: &Summary) -> bool {
    summary.status == FileStatus::Unreadable && summary.status_word == "running"
}

/// Errors refuse everything except stop and pause, and the verb that patches a status line that is still safe
/// to patch (§6).
fn damage(summary: &Summary, verb: Verb) -> Option<Refusal> {
    let mut errors = summary.problems.iter().filter(|problem| problem.severity == Severity::Error);
    let runs = summary.status == FileStatus::Running;
    if runs && matches!(verb, Verb::Stop | Verb::Pause) {
        return None;
    }
    let rescue = verb == Verb::Finalise && runs;
    let first = if rescue { errors.find(|error| blocks_rescue(error)) } else { errors.next() }?;
    let only_unknown_word = first.code == ProblemCode::V3_unknown_status
        && first.path == "control.status"
        && errors.next().is_none();
    let code = if only_unknown_word { RefusalCode::UnknownStatus } else { RefusalCode::DamagedFile };
    Some(Refusal::because(code, summary).with("problem", first.code.name()))
}

fn blocks_rescue(error: &Problem) -> bool {
    match error.code {
        // About the content of the work, not the lines that a stop writes.
        ProblemCode::V3_unknown_status
        | ProblemCode::V4_bad_number
        | ProblemCode::V4_shell_value
        | ProblemCode::V5_bad_id
        | ProblemCode::V7_cycle => false,
        ProblemCode::V2_missing_section => error.path == "control",
        ProblemCode::V6_ambiguous_field => error.path.starts_with("control."),
        _ => true,
    }
}

fn by_state(summary: &Summary, verb: Verb, owner: Owner) -> Option<Refusal> {
    let (file, live) = (summary.status, owner != Owner::Nobody);
    let code = match verb {
        Verb::Start => return start(summary, live),
        Verb::Stop | Verb::Pause if file != FileStatus::Running || !live => Some(RefusalCode::NotRunning),
        Verb::Pause if summary.stop_requested == Some(StopFlag::Pause) => Some(RefusalCode::AlreadyPaused),
        Verb::Resume => return resume(summary, live),
        Verb::Finalise => match (file, owner) {
            (FileStatus::Running, Owner::Nobody) => None,
            (FileStatus::Running, Owner::Elsewhere) => Some(RefusalCode::ForeignOwner),
            (FileStatus::Running, Owner::Ours) => Some(RefusalCode::Running),
            _ => Some(RefusalCode::NotRunning),
        },
        Verb::Reopen => match file {
            FileStatus::Completed => live.then_some(RefusalCode::Running),
            FileStatus::Running => Some(RefusalCode::AlreadyRunning),
            _ => Some(RefusalCode::NotFinished),
        },
        Verb::Stop | Verb::Pause | Verb::EditMetadata | Verb::Delete => None,
    };
    code.map(|code| Refusal::because(code, summary))
}

/// Start: only `pending`, and only through the gate (§8).
fn start(summary: &Summary, live: bool) -> Option<Refusal> {
    let code = match summary.status {
        FileStatus::NotStarted if live => RefusalCode::AlreadyRunning,
        FileStatus::NotStarted => return gate(summary),
        FileStatus::Running => RefusalCode::AlreadyRunning,
        FileStatus::Completed => RefusalCode::Finished,
        FileStatus::Unknown => RefusalCode::UnknownStatus,
        _ => RefusalCode::AlreadyPaused,
    };
    Some(Refusal::because(code, summary))
}

/// The part of the gate that the file itself does not meet.
pub(crate) fn gate(summary: &Summary) -> Option<Refusal> {
    let unmet = |field: &str| Some(Refusal::new(RefusalCode::GateNotMet).with("field", field));
    let objective = summary.problems.iter().find(|problem| {
        matches!(problem.code, ProblemCode::V8_blank_objective | ProblemCode::V8_bad_base_case)
    });
    if let Some(problem) = objective {
        return unmet(&problem.path);
    }
    match summary.phase {
        Some(Phase::Atoms { resolved, total, ready }) if ready > 0 || (total > 0 && resolved == total) => {
            None
        }
        _ => unmet("atoms"),
    }
}

fn resume(summary: &Summary, live: bool) -> Option<Refusal> {
    let refusal = |code| Some(Refusal::because(code, summary));
    match summary.status {
        FileStatus::Running if live => return refusal(RefusalCode::AlreadyRunning),
        FileStatus::Running | FileStatus::Paused | FileStatus::StoppedByUser | FileStatus::LimitReached => {}
        FileStatus::Completed => return refusal(RefusalCode::Finished),
        FileStatus::Unknown => return refusal(RefusalCode::UnknownStatus),
        _ => return refusal(RefusalCode::NotPaused),
    }
    if live {
        return refusal(RefusalCode::Running);
    }
    // Without a new choice, the first round would end the same way (§6.1, 5).
    let nothing_to_do =
        summary.in_progress == 0 && matches!(summary.phase, Some(Phase::Atoms { ready: 0, .. }));
    if summary.limit == Some(LimitKind::Alternatives) && nothing_to_do {
        return Some(Refusal::new(RefusalCode::GateNotMet).with("field", "or_groups"));
    }
    if summary.at_limit() {
        let bar = summary.iteration.map_or((0.0, 0.0), |bar| (bar.current, bar.limit));
        return Some(Refusal::new(RefusalCode::LimitReached).with("iteration", bar.0).with("limit", bar.1));
    }
    None
}

/// All verbs with their sentences and reasons.
pub(crate) fn controls(summary: &Summary, situation: &Situation) -> Vec<Control> {
    let control = |verb: Verb| {
        let (effect, args) = effect(summary, verb);
        Control {
            verb,
            refusal: refuse(summary, verb, situation),
            effect,
            args,
            confirm: matches!(verb, Verb::Stop | Verb::Reopen | Verb::Delete),
            takes_reason: verb == Verb::Stop,
            notice: None,
        }
    };
    Verb::ALL.into_iter().map(control).collect()
}

fn effect(summary: &Summary, verb: Verb) -> (EffectCode, BTreeMap<String, String>) {
    let bar = summary.iteration;
    let iteration = match verb {
        Verb::Resume => bar.map_or(1.0, |bar| bar.current.max(1.0)),
        _ => 1.0,
    };
    let mut args = BTreeMap::new();
    if matches!(verb, Verb::Start | Verb::Resume | Verb::Reopen) {
        args.insert("iteration".to_owned(), iteration.to_string());
        args.insert("limit".to_owned(), bar.map_or(0.0, |bar| bar.limit).to_string());
        args.insert("command".to_owned(), COMMAND.to_owned());
    }
    let resets = summary.in_progress > 0;
    let all_done = matches!(summary.phase, Some(Phase::Atoms { resolved, total, .. }) if resolved == total);
    let effect = match verb {
        Verb::Start => EffectCode::StartByHand,
        Verb::Pause => EffectCode::PauseAfterIteration,
        Verb::Resume if resets => {
            args.insert("count".to_owned(), summary.in_progress.to_string());
            EffectCode::ResumeByHandResetsAtoms
        }
        Verb::Resume => EffectCode::ResumeByHand,
        Verb::Stop => EffectCode::StopAfterIteration,
        Verb::Reopen if all_done => EffectCode::ReopenNothingToDo,
        Verb::Reopen => EffectCode::ReopenByHand,
        Verb::Finalise => EffectCode::Finalise,
        Verb::EditMetadata => EffectCode::EditMetadata,
        Verb::Delete => EffectCode::Delete,
    };
    (effect, args)
}

/// Whether a guarded verb still holds in the current file. The agent's own words win.
pub(crate) fn request_standing(summary: &Summary, verb: Verb) -> Standing {
    let file = summary.status;
    if file == FileStatus::Unreadable {
        // Half a file says nothing: the guard neither ends nor writes until the next read.
        return Standing::Holds;
    }
    match verb {
        Verb::Pause => flag_standing(summary, StopFlag::Pause, FileStatus::Paused),
        Verb::Stop => flag_standing(summary, StopFlag::Stop, FileStatus::StoppedByUser),
        Verb::Start | Verb::Resume | Verb::Reopen => resume_standing(summary),
        Verb::Finalise => match file {
            FileStatus::StoppedByUser | FileStatus::Paused => Standing::Holds,
            _ => Standing::Answered,
        },
        Verb::EditMetadata | Verb::Delete => Standing::Answered,
    }
}

/// A raised flag is newer than our request; a status from before it is a stale copy (the guard of a resume is
/// short).
fn resume_standing(summary: &Summary) -> Standing {
    match (summary.status, summary.stop_requested) {
        (FileStatus::Running, None) => Standing::Holds,
        (FileStatus::Paused | FileStatus::StoppedByUser | FileStatus::NotStarted, _) => Standing::Undone,
        _ => Standing::Answered,
    }
}

fn flag_standing(summary: &Summary, flag: StopFlag, end: FileStatus) -> Standing {
    match (summary.status, summary.stop_requested) {
        (FileStatus::Running, Some(found)) if found == flag => Standing::Holds,
        // Only Loopdeck pauses, and a newer pause of ours ends the guard of the stop, so this is an older
        // copy.
        (FileStatus::Running, Some(StopFlag::Pause)) => Standing::Undone,
        // Any tool can stop, and a stop is the stronger request.
        (FileStatus::Running, Some(StopFlag::Stop)) => Standing::Answered,
        (FileStatus::Running, None) => Standing::Undone,
        (found, _) if found == end => Standing::Holds,
        _ => Standing::Answered,
    }
}
