//! How a run ended, in the words of the record, of the row and of the pure driver.

use crate::run::Run;
use crate::run_event::RunEnd;
use crate::runs::{Exit, StopReason, StopReport};
use crate::work::{Purpose, RunSlot, stop_view};
use loopdeck_agents::OutputKind;
use loopdeck_agents::answers;
use loopdeck_agents::outcome::{Asked, ExitHow, Outcome, Verdict, judge};
use loopdeck_core::driver::{Ended, FailureClass};
use loopdeck_results::Reading;
use loopdeck_system::clock;

/// How a run ended, judged from typed fields only.
pub(crate) fn verdict_of(slot: &RunSlot, end: &RunEnd, asked: Option<Asked>) -> Verdict {
    let by_rule = match &end.stopped_by {
        Some(StopReason::WallLimit) => Some(Asked::Timeout),
        // The system ends everything at a logout: that is not a failure of the run.
        Some(
            StopReason::Person { .. } | StopReason::System | StopReason::AppEnded | StopReason::Rule { .. },
        ) => Some(Asked::Stop),
        Some(StopReason::Lingered) | None => None,
    };
    let asked = asked.or(by_rule);
    let mut verdict = judge(slot.kind, &end.facts, exit_how(end), asked);
    verdict.resolve_reset(end.at.millis(), &clock::zone());
    if let Some(why) = end.not_started.as_ref().filter(|_| asked.is_none()) {
        verdict.message = Some(why.clone());
    }
    verdict
}

/// How those of these runs ended that are over, each with its id.
pub(crate) fn verdicts_of(slots: &[RunSlot], asked: Option<Asked>) -> impl Iterator<Item = (&str, Verdict)> {
    slots.iter().filter_map(move |slot| {
        slot.end.as_ref().map(|end| (slot.run.id.as_str(), verdict_of(slot, end, asked)))
    })
}

/// How its process ended.
pub(crate) fn exit_how(end: &RunEnd) -> ExitHow {
    let lingered = matches!(end.stopped_by, Some(StopReason::Lingered));
    match (exit_code(end.exit.as_ref()), &end.exit) {
        _ if lingered => ExitHow::StillRunning,
        (Some(code), _) => ExitHow::Code(code),
        (None, Some(Exit::Signal { signal })) => ExitHow::Signal(*signal),
        (None, _) => ExitHow::Unseen,
    }
}

/// The same in the words of the pure driver.
pub(crate) fn ended_of<'e>(slot: &RunSlot, end: &'e RunEnd, verdict: &'e Verdict) -> Ended<'e> {
    let message = verdict.message.as_deref().unwrap_or_default();
    match verdict.outcome {
        // Nothing was tried: the same command line fails again.
        outcome if end.not_started.is_some() && outcome != Outcome::Cancelled => {
            Ended::Failed { class: FailureClass::Unavailable, message }
        }
        _ if verdict.needs_answer => Ended::Asks { text: message },
        Outcome::Ok => {
            let plain = slot.kind == OutputKind::Text;
            let text = if plain { &end.tail } else { answer(slot, end) };
            Ended::Answered { text, structured: end.facts.structured.as_deref(), plain }
        }
        Outcome::Limit | Outcome::Auth => Ended::Failed { class: FailureClass::Unavailable, message },
        Outcome::Cancelled => Ended::Failed { class: FailureClass::Cancelled, message },
        // A flag that it does not have, a program that is gone: the same command line fails again.
        Outcome::Unknown if never_began(slot, end) => {
            Ended::Failed { class: FailureClass::Unavailable, message }
        }
        _ if slot.kind == OutputKind::Text && message.is_empty() => {
            Ended::Failed { class: FailureClass::Work, message: last_lines(&end.tail) }
        }
        _ => Ended::Failed { class: FailureClass::Work, message },
    }
}

/// An agent that reports its start did not.
fn never_began(slot: &RunSlot, end: &RunEnd) -> bool {
    slot.kind != OutputKind::Text && !end.facts.started && end.exit.is_some()
}

/// The message that is the answer.
fn answer<'e>(slot: &RunSlot, end: &'e RunEnd) -> &'e str {
    let kind = match &slot.what {
        Purpose::Agent(task) => task.answer,
        _ => None,
    };
    answers::among(kind, &end.facts.messages)
}

pub(crate) fn last_lines(text: &str) -> &str {
    let start = text.len().saturating_sub(2_000);
    let start = (start..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text[start..].trim()
}

/// Its exit code; of a program that could not be started that of a shell.
pub(crate) fn exit_code(exit: Option<&Exit>) -> Option<i32> {
    match exit? {
        Exit::Code { code } => Some(*code),
        Exit::NotStarted { missing, .. } => Some(if *missing { 127 } else { 126 }),
        Exit::Signal { .. } => None,
    }
}

pub(crate) fn note_end(row: &mut Run, kind: OutputKind, end: &RunEnd, verdict: &Verdict) {
    row.ended = Some(end.at);
    row.outcome = Some(verdict.outcome);
    row.message = verdict.message.clone().map(|message| message.chars().take(2_000).collect());
    let tells = !matches!(kind, OutputKind::Text | OutputKind::CodexJsonl);
    row.denied = (tells || verdict.denied > 0).then_some(verdict.denied);
    row.exit_code = exit_code(end.exit.as_ref());
    row.unread = end.tests.as_ref().map(Reading::unread).unwrap_or_default();
    row.session = end.facts.session.clone().or(row.session.take());
    row.model = end.facts.model.clone().or(row.model.take());
    row.stop = end.stopped_by.is_some().then(|| stop_view(&end.report)).or(match end.report {
        StopReport::AllGone { .. } => None,
        _ => Some(stop_view(&end.report)),
    });
}

/// Whether a process succeeded.
pub(crate) fn is_good(slot: &RunSlot, asked: Option<Asked>) -> bool {
    slot.end.as_ref().is_some_and(|end| match slot.what {
        // Tests that fail ran well.
        Purpose::Tests | Purpose::Check(_) => {
            matches!(end.exit, Some(Exit::Code { .. })) && end.stopped_by.is_none()
        }
        _ => verdict_of(slot, end, asked).outcome == Outcome::Ok,
    })
}

/// Whether a run finished. Tests that fail did.
pub(crate) fn has_finished(slot: &RunSlot) -> bool {
    if !slot.run.is_tests() {
        return is_good(slot, None);
    }
    slot.end
        .as_ref()
        .is_some_and(|end| matches!(end.exit, Some(Exit::Code { .. })) && end.stopped_by.is_none())
}

/// Whether a round cannot be concluded because of it, although it did not fail: its service is missing, or it asks.
pub(crate) fn holds_up(slot: &RunSlot) -> bool {
    let Some(end) = slot.end.as_ref().filter(|_| matches!(slot.what, Purpose::Agent(_))) else {
        return false;
    };
    match ended_of(slot, end, &verdict_of(slot, end, None)) {
        Ended::Failed { class, .. } => class != FailureClass::Work,
        Ended::Asks { .. } => true,
        Ended::Answered { .. } => false,
    }
}
