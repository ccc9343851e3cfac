//! The path of a Loop-B through its phases (the diagram of seed 003; the CCW contract §8).
//!
//! No file records it. It is derived from the traces of workers and rounds, the list of finished workers, and
//! the file's current phase.

use crate::formats::loop_b::create::WorkMode;
use crate::phase::CcwPhase;
use crate::view::{
    EventKind, EventView, Heading, PhaseResult, PhaseView, Transition, VisitView, WayView, Wish, WorkerView,
};

/// The sources of the path.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Traces<'t> {
    /// `mode` as written.
    pub(crate) mode: Option<&'t str>,
    /// `skill_state.phase` as written.
    pub(crate) phase: Option<&'t str>,
    /// `skill_state.workers_completed`.
    pub(crate) completed: &'t [String],
    /// Oldest first.
    pub(crate) events: &'t [EventView],
    /// The workers' outputs.
    pub(crate) workers: &'t [WorkerView],
    /// Whether the results of parallel workers are merged in the file.
    pub(crate) merged: bool,
}

/// The path.
pub(crate) fn way(traces: &Traces<'_>) -> WayView {
    let mode = traces.mode.and_then(WorkMode::from_word);
    let parallel = mode == Some(WorkMode::Parallel);
    let here = traces.phase.and_then(CcwPhase::from_word);
    let stays = with_listed(stays(traces.events), traces.completed);
    let last = stays.last().map(|(phase, _)| *phase);
    let reached = |phase: CcwPhase| {
        let by_worker = traces.workers.iter().any(|worker| worker.phase == Some(phase));
        here == Some(phase) || by_worker || stays.iter().any(|(stay, _)| *stay == phase)
    };
    let visits = if parallel { Vec::new() } else { visits(stays.clone(), here, traces.workers) };
    let phases = CcwPhase::ALL.map(|phase| phase_view(phase, reached(phase), &visits, traces.workers));
    let taken = if parallel { at_once(&phases, traces.merged) } else { in_turn(&visits) };
    let passed = |line: &Transition| matches!(line, Transition::CheckDevelop | Transition::CheckComplete);
    WayView {
        mode,
        mode_word: traces.mode.unwrap_or_default().to_owned(),
        fork_passed: if parallel { traces.merged } else { taken.iter().any(passed) },
        phases: phases.to_vec(),
        visits,
        here,
        taken,
        wish: last
            .filter(|last| !parallel && here == Some(*last))
            .and_then(|last| wish(traces.workers, last)),
    }
}

type Stay<'t> = (CcwPhase, Option<&'t EventView>);

/// Phases that left a trace, oldest first; consecutive repeats count as one stay.
fn stays(events: &[EventView]) -> Vec<Stay<'_>> {
    let mut stays: Vec<Stay<'_>> = Vec::new();
    for event in events {
        let phase = phase_of(event);
        if let Some(phase) = phase.filter(|phase| stays.last().is_none_or(|(last, _)| last != phase)) {
            stays.push((phase, Some(event)));
        }
    }
    stays
}

fn phase_of(event: &EventView) -> Option<CcwPhase> {
    match event.kind {
        EventKind::Worker => event.subject.as_deref().and_then(CcwPhase::from_word),
        EventKind::DevelopEntry => Some(CcwPhase::Develop),
        EventKind::DebugEntry => Some(CcwPhase::Debug),
        EventKind::ValidateEntry => Some(CcwPhase::Validate),
        EventKind::SummaryEntry => Some(CcwPhase::Complete),
        EventKind::ChangeLog
        | EventKind::DebugLog
        | EventKind::Error
        | EventKind::Trail
        | EventKind::Correction
        | EventKind::Decomposition
        | EventKind::PlanLog => None,
    }
}

/// Adds workers that are listed as done but left no trace: the first goes first, the last one last.
fn with_listed<'t>(mut stays: Vec<Stay<'t>>, completed: &[String]) -> Vec<Stay<'t>> {
    let lacks = |phase: CcwPhase| {
        let listed = completed.iter().any(|word| CcwPhase::from_word(word) == Some(phase));
        listed && !stays.iter().any(|(stay, _)| *stay == phase)
    };
    let (first, last) = (lacks(CcwPhase::Init), lacks(CcwPhase::Complete));
    stays.splice(0..0, first.then_some((CcwPhase::Init, None)));
    stays.extend(last.then_some((CcwPhase::Complete, None)));
    stays
}

/// Where the loop stands now it has not left a trace yet: that is the newest step. At the start nothing was gone.
fn visits(mut stays: Vec<Stay<'_>>, here: Option<CcwPhase>, workers: &[WorkerView]) -> Vec<VisitView> {
    let begun = !stays.is_empty() || workers.iter().any(|worker| worker.phase.is_some());
    let moved = here.filter(|here| {
        let stands_still = stays.last().is_some_and(|(last, _)| last == here);
        // Some coordinators leave the phase at init for ever.
        let is_left_behind = *here == CcwPhase::Init && begun;
        !(stands_still || is_left_behind)
    });
    stays.extend(moved.map(|here| (here, None)));
    let before = std::iter::once(None).chain(stays.iter().map(|(phase, _)| Some(*phase)));
    let visit = |(&(phase, event), before): (&Stay<'_>, Option<CcwPhase>)| VisitView {
        phase,
        time: event.and_then(|event| event.time.clone()),
        heading: before.map_or(Heading::On, |before| heading(before, phase)),
    };
    stays.iter().zip(before).map(visit).collect()
}

fn heading(from: CcwPhase, to: CcwPhase) -> Heading {
    if lines(from, to).contains(&Transition::CheckDevelop) { Heading::Back } else { Heading::On }
}

/// The lines between two phases; none where the diagram knows no way.
fn lines(from: CcwPhase, to: CcwPhase) -> &'static [Transition] {
    use CcwPhase::{Complete, Debug, Develop, Init, Validate};
    use Transition as Line;
    match (from, to) {
        (Init, Develop) => &[Line::InitDevelop],
        (Develop, Debug) => &[Line::DevelopDebug],
        (Develop, Validate) => &[Line::DevelopValidate],
        (Validate, Debug) => &[Line::ValidateDebug],
        (Debug, Validate) => &[Line::DebugValidate],
        (Debug, Develop) => &[Line::DebugCheck, Line::CheckDevelop],
        (Debug, Complete) => &[Line::DebugCheck, Line::CheckComplete],
        (Validate, Develop) => &[Line::ValidateCheck, Line::CheckDevelop],
        (Validate, Complete) => &[Line::ValidateCheck, Line::CheckComplete],
        _ => &[],
    }
}

fn in_turn(visits: &[VisitView]) -> Vec<Transition> {
    let steps = visits.windows(2).flat_map(|step| lines(step[0].phase, step[1].phase));
    once(steps.copied())
}

/// Parallel workers: the lines to an existing result, and from it into the merge.
fn at_once(phases: &[PhaseView], merged: bool) -> Vec<Transition> {
    use Transition as Line;
    let mut taken = Vec::new();
    for (phase, to, from) in [
        (CcwPhase::Develop, Line::InitDevelop, Line::DevelopMerge),
        (CcwPhase::Debug, Line::InitDebug, Line::DebugMerge),
        (CcwPhase::Validate, Line::InitValidate, Line::ValidateMerge),
    ] {
        if phases.iter().any(|one| one.phase == phase && one.result == PhaseResult::HandedIn) {
            taken.push(to);
            taken.extend(merged.then_some(from));
        }
    }
    let complete = phases.iter().find(|one| one.phase == CcwPhase::Complete);
    let ended = merged && complete.is_some_and(|one| one.result != PhaseResult::NotReached);
    taken.extend(ended.then_some(Line::MergeComplete));
    taken
}

fn once(lines: impl Iterator<Item = Transition>) -> Vec<Transition> {
    let mut taken: Vec<Transition> = lines.collect();
    taken.sort_unstable();
    taken.dedup();
    taken
}

fn phase_view(phase: CcwPhase, reached: bool, visits: &[VisitView], workers: &[WorkerView]) -> PhaseView {
    let worker = workers.iter().rposition(|worker| worker.phase == Some(phase));
    let result = match (worker, reached) {
        (Some(_), _) => PhaseResult::HandedIn,
        (None, true) => PhaseResult::Missing,
        (None, false) => PhaseResult::NotReached,
    };
    let times = visits.iter().filter(|visit| visit.phase == phase).count();
    PhaseView {
        phase,
        result,
        times: u32::try_from(times).unwrap_or(u32::MAX),
        worker: worker.and_then(|at| u32::try_from(at).ok()),
    }
}

/// What the worker of the last phase asks for; going back is asked for before what is next.
fn wish(workers: &[WorkerView], last: CcwPhase) -> Option<Wish> {
    let worker = workers.iter().find(|worker| worker.phase == Some(last))?;
    let heading = if worker.back.is_some() { Heading::Back } else { Heading::On };
    let to = worker.back.or(worker.next).filter(|to| *to != last)?;
    Some(Wish { from: last, to, heading, lines: lines(last, to).to_vec() })
}

#[cfg(test)]
#[path = "phases_tests.rs"]
mod tests;
