//! What is known of one loop, the word that it is shown under, and its row in a window.

use crate::observe::roots::Candidate;
use crate::store::runner::Runner;
use crate::views::{ListMarks, LoopRow, PullRequestFacts, RequestState, RequestView};
use loopdeck_core::checklist::Verdict;
use loopdeck_core::control::{Situation, Verb};
use loopdeck_core::formats::aot::drive::Verification;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops;
use loopdeck_core::past::WriteCause;
use loopdeck_core::phase::Phase;
use loopdeck_core::problem::{Problem, ProblemCode, Severity};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::{self, Facts, FileStatus, Holder, Lease, Pending, Shown, StatusWord};
use loopdeck_core::summary::{StopFlag, Summary};
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_core::view::ClaimCounts;
use loopdeck_execution::rows::LoopRun;
use loopdeck_execution::shown::WorkFacts;
use loopdeck_system::fingerprint::Fingerprint;
use std::sync::Arc;

/// What is known of one loop.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Id of its workspace.
    pub workspace: Arc<str>,
    /// Its place.
    pub candidate: Candidate,
    /// Which version was read; `None` when it could not be read at all.
    pub stamp: Option<Fingerprint>,
    /// What it says.
    pub summary: Summary,
    /// When another program last changed it or its progress files.
    pub foreign_change: Timestamp,
    /// When its progress files or worker outputs last changed; 0 when that was not checked.
    pub companion_change: Timestamp,
    /// What is shown.
    pub shown: Shown,
    /// A control request under way or just landed.
    pub request: Option<RequestView>,
    /// An earlier version that is ahead of this one: an older state was restored.
    pub ahead: Option<Arc<[u8]>>,
    /// What of our last redirect or hold is undone.
    pub undone: Option<Problem>,
    /// Files that a change of ours which was cut short did not come to.
    pub unfinished: Option<Arc<str>>,
    /// AoT: the last verification of a completed loop that we know of.
    pub verified: Option<Arc<Verification>>,
    /// What it claims and what of it is proven, where its plan has checks.
    pub claims: Option<ClaimCounts>,
    /// The pull request of its work.
    pub pull_request: Option<PullRequestFacts>,
    /// What we run for it.
    pub run: Option<LoopRun>,
    /// What the status function needs to know of that.
    pub work: WorkFacts,
    /// The process that its own lock names.
    pub(crate) holder: Holder,
    /// The other Loopdeck that runs it.
    pub(crate) runner: Option<Runner>,
    /// Of the catalog, when it was put in.
    pub(super) revision: u32,
}

impl Entry {
    /// A new entry; its revision is set when it enters the catalog.
    #[must_use]
    pub fn new(
        workspace: Arc<str>,
        candidate: Candidate,
        stamp: Option<Fingerprint>,
        summary: Summary,
        foreign_change: Timestamp,
    ) -> Self {
        let shown = status::show(&Facts::of_file(summary.status, TimeDelta::zero(), false));
        Self {
            workspace,
            candidate,
            stamp,
            summary,
            foreign_change,
            companion_change: Timestamp::from_millis(0),
            shown,
            request: None,
            ahead: None,
            undone: None,
            unfinished: None,
            verified: None,
            claims: None,
            pull_request: None,
            run: None,
            work: WorkFacts::default(),
            holder: Holder::Unknown,
            runner: None,
            revision: 0,
        }
    }

    /// Its key.
    #[must_use]
    pub fn key(&self) -> LoopId {
        LoopId::new(&self.workspace, &self.candidate.file)
    }

    /// When its state file last changed; of one that could not be read, when anything of it did.
    #[must_use]
    pub fn changed(&self) -> Timestamp {
        self.stamp.map_or(self.foreign_change, Fingerprint::modified)
    }

    /// The shown word at `now`.
    #[must_use]
    pub fn shown_at(&self, now: Timestamp, fresh_within: TimeDelta) -> Shown {
        let age = now - self.foreign_change;
        let work = self.work.after_foreign_change(self.foreign_change);
        let requested = self.request.as_ref().filter(|request| request.state == RequestState::Requested);
        let is_beside = self.runner.is_some() && !self.work.alive;
        // Its Loopdeck knows more than the flag in the file.
        let flagged = match self.summary.stop_requested {
            Some(StopFlag::Stop) => Pending::Stop,
            Some(StopFlag::Pause) => Pending::Pause,
            _ => Pending::None,
        };
        let pending = match requested.map(|request| request.verb) {
            _ if self.work.ending => Pending::Stop,
            Some(WriteCause::Stop) => Pending::Stop,
            Some(WriteCause::Pause) => Pending::Pause,
            _ if is_beside => flagged,
            _ => Pending::None,
        };
        status::show(&Facts {
            fresh_within,
            lease: if is_beside { Lease::Other } else { work.lease },
            process: work.process(now),
            pending: if self.work.alive || is_beside { pending } else { Pending::None },
            question: self.work.question,
            usage_limit: self.work.usage_limit,
            stop_report: self.work.stop_report,
            since_final: self.work.since_final(now),
            derived: self.summary.status_is_derived,
            asks: self.summary.asks_person,
            holder: self.holder,
            // An agent starts, whatever it continues.
            ..Facts::of_file(
                if work.handed_over { FileStatus::NotStarted } else { self.summary.status },
                age,
                self.summary.at_limit(),
            )
        })
    }

    /// Takes in that a companion changed at `at`: a sign of life. False when that was known.
    pub fn note_companion(&mut self, at: Timestamp, now: Timestamp) -> bool {
        let at = at.min(now);
        if at <= self.companion_change {
            return false;
        }
        self.companion_change = at;
        self.foreign_change = self.foreign_change.max(at);
        true
    }

    /// What it claims and what of it is proven, by the checks of its plan or by those of its file.
    #[must_use]
    pub fn claim_counts(&self) -> Option<ClaimCounts> {
        let by_file = || {
            let Phase::Atoms { resolved, .. } = self.summary.phase.as_ref()? else { return None };
            let found = self.verified.as_ref().filter(|_| *resolved > 0)?;
            let is_current = self.summary.made_of.as_ref() == Some(&found.made_of);
            let proves = is_current && found.verdict == Verdict::Pass;
            Some(ClaimCounts { claimed: *resolved, proven: if proves { *resolved } else { 0 } })
        };
        self.claims.or_else(by_file)
    }

    /// What a verb's legality depends on.
    #[must_use]
    pub fn situation(&self, now: Timestamp) -> Situation {
        Situation { shown: self.shown.word, now }
    }

    /// The verbs of the primary action. A list that is completed and has open items, as when a person added some, is reopened.
    fn primary(&self) -> &'static [Verb] {
        let is_open = |problem: &Problem| problem.code == ProblemCode::R6_completed_open;
        match self.shown.word {
            StatusWord::Completed | StatusWord::CompletedWithWarnings
                if self.summary.problems.iter().any(is_open) =>
            {
                &[Verb::Reopen]
            }
            word => primary(word),
        }
    }

    /// The row a window draws, but for labels and marks, which the catalog has.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // milliseconds since 1970 are exact in f64
    pub fn row(&self, now: Timestamp) -> LoopRow {
        let summary = &self.summary;
        let situation = self.situation(now);
        // A used-up limit is no dead end: the verb is offered and asks for a new limit.
        let legal = |verb: &Verb| {
            loops::refuse(summary, *verb, &situation)
                .is_none_or(|refusal| refusal.code == RefusalCode::LimitReached)
        };
        let verbs: Vec<Verb> = Verb::ALL.into_iter().filter(legal).collect();
        let errors = summary.problems.iter().filter(|problem| problem.severity == Severity::Error);
        LoopRow {
            key: self.key().to_string(),
            workspace: self.workspace.to_string(),
            id: self.candidate.stem().to_owned(),
            format: summary.format,
            handling: summary.format.handling(),
            file: self.candidate.file.clone(),
            title: summary.title.clone(),
            word: self.shown.word,
            group: self.shown.group,
            until_opened: self.shown.word.is_until_opened()
                && self.run.as_ref().is_none_or(|run| run.needs == 0),
            agent: self.shown.agent,
            file_word: summary.status_word.clone(),
            reason: summary.reason.clone(),
            limit: summary.limit,
            phase: summary.phase.clone(),
            iteration: summary.iteration,
            claims: self.claim_counts(),
            pull_request: self.pull_request,
            mode: summary.mode.clone(),
            priority: summary.priority.clone(),
            tags: summary.tags.clone(),
            labels: Vec::new(),
            marks: ListMarks::default(),
            changed: self.changed().number(),
            created: summary.created.map(Timestamp::number),
            errors: u32::try_from(errors.clone().count()).unwrap_or(u32::MAX),
            problem: errors.clone().next().cloned(),
            primary: self.primary().iter().copied().find(|verb| verbs.contains(verb)),
            verbs,
            request: self.request.clone(),
            run: self.run.clone(),
            runner: self.runner.as_ref().filter(|_| !self.work.alive).map(Runner::view),
        }
    }
}

/// The single primary action of each shown word (the status contract §2), the first legal one of these.
fn primary(word: StatusWord) -> &'static [Verb] {
    use StatusWord as W;
    match word {
        W::Running | W::Starting | W::Silent | W::RunningElsewhere => &[Verb::Pause],
        W::Stopping | W::Pausing | W::EndedStillRunning => &[Verb::Stop],
        W::LimitReached
        | W::Interrupted
        | W::AgentUnknown
        | W::Paused
        | W::Stopped
        | W::Failed
        | W::LeftByUser => &[Verb::Resume, Verb::Reopen],
        W::NotStarted => &[Verb::Start],
        W::UsageLimit => &[Verb::Resume],
        W::CannotRead
        | W::NeedsYou
        | W::NotFullyStopped
        | W::Finishing
        | W::Completed
        | W::CompletedWithWarnings
        | W::Unknown => &[],
    }
}
