//! What the CCW formats share: telling them apart, the fast read for lists, words, times.
//!
//! Implements the CCW contract §1.1 (kinds), §4 (status words), §14 (errors) and §15 (times).

pub mod check;
pub mod drive;
pub(crate) mod files;
pub(crate) mod format;
pub(crate) mod outline;
pub mod progress_docs;
pub mod read;
pub mod recover;

use crate::format::{FileFacts, Format};
use crate::formats::ccw::read::clock::{Clock, Stamps};
use crate::formats::ccw::read::master::{Master, Name};
use crate::phase::{CcwPhase, IterationBar, LimitKind, Phase};
use crate::problem::{Problem, ProblemCode};
use crate::status::FileStatus;
use crate::summary::Summary;
use crate::times::Timestamp;
use loopdeck_text::json_span::scan::{Fault, RawText, ScanError};
use loopdeck_text::shorten;
use loopdeck_text::text_edit::line_of;

/// Reads what a list shows of a `.json` file in a CCW root; `None` when it is not a loop.
///
/// A damaged file is listed if it has the name of a loop, so that it does not disappear.
#[must_use]
pub fn summary(bytes: &[u8], facts: &FileFacts<'_>) -> Option<Summary> {
    if is_never_a_loop(facts.stem) {
        return None;
    }
    let named = facts.stem.starts_with("loop-");
    match Master::read(bytes) {
        Err(error) => named.then(|| unreadable(facts, problem_of(&error, bytes))),
        Ok(master) => match master.tail {
            Some(tail) => named.then(|| cut_off(&master, facts, bytes, tail)),
            None => kind(&master, facts.stem).map(|format| summarise(&master, format, facts, bytes)),
        },
    }
}

/// The list's view of a legacy session's `state.json` (§9): always listed, because its location identifies
/// it.
pub(crate) fn legacy_summary(bytes: &[u8], facts: &FileFacts<'_>) -> Summary {
    let unreadable = |problem| Summary::unreadable(Format::Legacy, facts.stem, problem);
    match Master::read(bytes) {
        Err(error) => unreadable(problem_of(&error, bytes)),
        Ok(Master { tail: Some(tail), .. }) => {
            unreadable(Problem::new(ProblemCode::E1_trailing_garbage, "").at_line(line_of(bytes, tail)))
        }
        Ok(master) => summarise(&master, Format::Legacy, facts, bytes),
    }
}

/// The format of an object: by content, then by name (§1.1).
pub(crate) fn kind(master: &Master<'_>, stem: &str) -> Option<Format> {
    if master.has(Name::TargetSkill) {
        return None;
    }
    let named_b = stem.starts_with("loop-b-");
    if master.has(Name::Mode) && (master.skill.has_phase || named_b) {
        return Some(Format::LoopB);
    }
    if master.has(Name::CliSequence) {
        return (master.has(Name::TaskId) || stem.starts_with("loop-")).then_some(Format::V1);
    }
    let titled = master.has(Name::Title) || master.has(Name::Description);
    match stem {
        _ if named_b => Some(Format::LoopB), // the mode may be missing (§18)
        _ if titled && master.has(Name::Status) => Some(Format::LoopV2),
        _ if stem.starts_with("loop-v2-") => Some(Format::LoopV2),
        _ if stem.starts_with("loop-") && master.has(Name::TaskId) => Some(Format::V1),
        _ if stem.starts_with("loop-") => Some(Format::Unknown),
        _ => None,
    }
}

/// The list's view of a parsed master.
pub(crate) fn summarise(master: &Master<'_>, format: Format, facts: &FileFacts<'_>, bytes: &[u8]) -> Summary {
    let word = master.text(Name::Status).unwrap_or_default();
    let failure = master.text(Name::FailureReason);
    let status = read::words::status(&word, failure.as_deref());
    let ended = !matches!(status, FileStatus::Running | FileStatus::NotStarted | FileStatus::Completed);
    let mut summary = Summary::empty(format, facts.stem, status);
    summary.status_word = shorten(&word, 40);
    summary.reason = failure.filter(|reason| ended && !reason.is_empty()).map(|reason| shorten(&reason, 200));
    if let Some(title) = title(master) {
        summary.title = title;
    }
    summary.iteration = iteration(master);
    if status == FileStatus::Running && summary.at_limit() {
        summary.limit = Some(LimitKind::Iterations);
    }
    summary.phase = phase(master, format, status);
    summary.mode = mode(master);
    summary.priority = master.text(Name::Priority).map(|priority| shorten(&priority, 40));
    summary.tags = master.tags.iter().map(|tag| shorten(tag, 40)).collect();
    summary.created = created(master, facts);
    summary.in_progress = master.skill.tasks.in_progress;
    summary.nothing_left = status == FileStatus::Completed
        && master.skill.passed == Some(true)
        && master.skill.tasks.pending == 0;
    summary.problems = check::errors::errors(master, format, facts.stem, bytes);
    summary
}

/// Files of the root that are never loops, whatever they contain (§1.1, §16).
fn is_never_a_loop(stem: &str) -> bool {
    stem == "prep-package" || stem == "undefined" || stem.ends_with(".output")
}

fn unreadable(facts: &FileFacts<'_>, problem: Problem) -> Summary {
    Summary::unreadable(format_by_name(facts.stem), facts.stem, problem)
}

/// The format of a file by its name alone.
pub(crate) fn format_by_name(stem: &str) -> Format {
    match stem {
        stem if stem.starts_with("loop-b-") => Format::LoopB,
        stem if stem.starts_with("loop-v2-") => Format::LoopV2,
        _ => Format::Unknown,
    }
}

/// A complete object followed by the tail of an older version (§16): damaged, but its title is known.
fn cut_off(master: &Master<'_>, facts: &FileFacts<'_>, bytes: &[u8], tail: usize) -> Summary {
    let problem = Problem::new(ProblemCode::E1_trailing_garbage, "").at_line(line_of(bytes, tail));
    let mut summary = unreadable(facts, problem);
    if let Some(title) = title(master) {
        summary.title = title;
    }
    summary
}

/// The problem for a document that cannot be scanned.
pub(crate) fn problem_of(error: &ScanError, bytes: &[u8]) -> Problem {
    let line = line_of(bytes, error.offset);
    match error.fault {
        Fault::Empty => Problem::new(ProblemCode::F5_being_written, ""),
        Fault::NotUtf8 => {
            Problem::new(ProblemCode::F6_not_utf8, "").at_line(line).with("offset", error.offset)
        }
        Fault::TooDeep => Problem::new(ProblemCode::F7_too_deep, "")
            .at_line(line)
            .with("limit", loopdeck_text::json_span::scan::MAX_DEPTH),
        Fault::TrailingGarbage => Problem::new(ProblemCode::E1_trailing_garbage, "").at_line(line),
        Fault::UnexpectedEnd | Fault::Syntax(_) => {
            Problem::new(ProblemCode::E1_not_json, "").at_line(line).with("reason", error.fault.reason())
        }
    }
}

fn title(master: &Master<'_>) -> Option<String> {
    [Name::Title, Name::TaskDescription, Name::Description]
        .into_iter()
        .filter_map(|name| master.text(name))
        .find(|text| !text.trim().is_empty())
        .map(|text| shorten(text.trim(), 200))
}

fn iteration(master: &Master<'_>) -> Option<IterationBar> {
    let current = master.number(Name::CurrentIteration).or_else(|| master.number(Name::IterationCount))?;
    Some(IterationBar { current, limit: master.number(Name::MaxIterations)? })
}

fn mode(master: &Master<'_>) -> Option<String> {
    let own = master.text(Name::Mode).or_else(|| master.skill.mode.map(RawText::decode));
    own.map(|mode| shorten(&mode, 40))
}

fn created(master: &Master<'_>, facts: &FileFacts<'_>) -> Option<Timestamp> {
    let created = master.text(Name::CreatedAt)?;
    let updated = master.text(Name::UpdatedAt);
    let sections: Vec<_> = master.skill.times.iter().flatten().map(|raw| raw.decode()).collect();
    let stamps = Stamps { created: Some(&created), updated: updated.as_deref() };
    let view = Clock::new(facts, sections.iter().map(|time| &**time), stamps).created(&created);
    view.ms.map(Timestamp::from_number)
}

fn phase(master: &Master<'_>, format: Format, status: FileStatus) -> Option<Phase> {
    let skill = &master.skill;
    match format {
        Format::LoopB => skill.phase.map(|phase| {
            let phase = phase.decode();
            Phase::Workers {
                known: CcwPhase::from_word(&phase),
                phase: shorten(&phase, 40),
                done: skill.completed_tasks,
                total: skill.completed_tasks.saturating_add(skill.pending_tasks),
            }
        }),
        Format::V1 => Some(steps(master)),
        Format::LoopV2 | Format::Legacy => {
            let initialised = matches!(
                master.field(Name::SkillState).map(|field| field.value),
                Some(read::master::Scalar::Object)
            );
            if format == Format::LoopV2 && !initialised {
                return Some(Phase::NotInitialised);
            }
            Some(if status == FileStatus::Completed { Phase::Complete } else { working_phase(master) })
        }
        _ => None,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates: absurd counts stay absurd
fn working_phase(master: &Master<'_>) -> Phase {
    let skill = &master.skill;
    let current = skill.current_action.map(RawText::decode);
    let last = skill.last_action.map(RawText::decode).or_else(|| master.text(Name::LastAction));
    match read::words::stands_at(current.as_deref(), last.as_deref()) {
        CcwPhase::Init => Phase::Init,
        CcwPhase::Develop => {
            let counted = skill.tasks.total > 0;
            let total = skill.develop_total.map_or(skill.tasks.total, |total| total as u32);
            let stored = skill.develop_completed.unwrap_or_default() as u32;
            Phase::Develop { done: if counted { skill.tasks.completed } else { stored }, total }
        }
        CcwPhase::Debug => Phase::Debug {
            judged: skill.judged,
            total: skill.hypotheses,
            confirmed: skill.confirmed.map(|id| shorten(&id.decode(), 40)).filter(|id| !id.is_empty()),
        },
        CcwPhase::Validate => {
            let run = skill.latest_run.unwrap_or_default();
            Phase::Validate { passed: run.passed, total: run.total }
        }
        CcwPhase::Complete => Phase::Complete,
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // saturates
fn steps(master: &Master<'_>) -> Phase {
    let step = master.number(Name::CurrentCliStep).unwrap_or_default() as u32;
    Phase::Steps { current: step.saturating_add(1).min(master.steps.max(1)), total: master.steps }
}

#[cfg(test)]
#[path = "ccw/summary_tests.rs"]
mod tests;
