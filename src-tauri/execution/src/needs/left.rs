//! Processes that a stop left: the person is told, and can have them ended.

use crate::driver_context::DriverContext;
use crate::event::ExecutionEvent;
use crate::person::by_person;
use crate::rows::{NeedAnswerKind as K, NeedKind};
use crate::runs::{FoundRun, RunNotice, StopReport, attach, end_leftovers};
use crate::work::{NeedSubject, stop_view};
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::loop_id::LoopId;
use loopdeck_system::clock;
use loopdeck_system::failure::{Failure, FailureKind};
use loopdeck_system::logged::Logged as _;
use std::path::{Path, PathBuf};

impl DriverContext<'_> {
    pub(crate) fn need_left(&mut self, key: &LoopId, runs: Vec<PathBuf>) {
        let report = self.scheduler().works.get(key).and_then(|work| work.stop.clone());
        self.need_left_of(key, report, runs);
    }

    pub(crate) fn need_left_of(&mut self, key: &LoopId, report: Option<StopReport>, runs: Vec<PathBuf>) {
        let (processes, why) = match report {
            Some(StopReport::Left { processes, .. }) => (processes, String::new()),
            Some(StopReport::Unknown { why }) => (Vec::new(), why),
            _ => return,
        };
        let answers = [K::EndLeft, K::Dismiss];
        self.need(key, NeedKind::LeftOver, &why, NeedSubject::Left(runs), &answers, |need| {
            need.processes = processes.iter().map(Into::into).collect();
        });
    }

    /// Ends what a stop left. Takes a few seconds at worst, in a thread of its own.
    pub(super) fn end_left(&mut self, key: &LoopId, id: &str) -> Result<(), Failure> {
        let waiting = self.take_need(key, id).ok_or_else(|| Failure::new(FailureKind::UnknownNeed))?;
        let NeedSubject::Left(runs) = waiting.about else {
            return Err(Failure::new(FailureKind::UnknownNeed));
        };
        let (inbox, key) = (self.scheduler().workshop.inbox.clone(), key.clone());
        let end = move || {
            let reports: Vec<StopReport> = runs.iter().map(|run| end_run(run)).collect();
            inbox.send(ExecutionEvent::LeftEnded(key, runs, reports));
        };
        let started = crate::tasks::start(end);
        self.tell_needs();
        started.map(drop).map_err(Failure::own_data)
    }

    /// What became of it.
    pub(crate) fn on_left_ended(&mut self, key: &LoopId, runs: Vec<PathBuf>, reports: &[StopReport]) {
        let report = StopReport::of_all(reports);
        let is_left = !report.is_all_gone();
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return };
        work.stop = Some(report);
        let of = work.loop_key();
        for mut run in self.journal().runs((&of).into(), 50).unwrap_or_default() {
            if runs.iter().any(|folder| folder.ends_with(&run.id)) {
                run.stop = self.scheduler().works.get(key).and_then(|work| work.stop.as_ref()).map(stop_view);
                if run.ended.is_none() {
                    run.ended = Some(clock::now());
                    run.outcome = Some(Outcome::Cancelled);
                }
                self.journal().keep_run((&of).into(), &run).logged("a run is not recorded");
            }
        }
        if is_left {
            self.need_left(key, runs);
        }
        self.show_work(key);
    }
}

/// Ends a run for certain, whether its guardian lives or not. Takes as long as that takes.
fn end_run(run: &Path) -> StopReport {
    if let Ok(FoundRun::Alive(attached)) = attach(run) {
        let events = attached.events();
        if attached.stop(by_person(), true).is_ok() {
            let ended = events.iter().find_map(|notice| match notice {
                RunNotice::Ended(report) => Some(report),
                _ => None,
            });
            if let Some(report) = ended {
                return report;
            }
        }
    }
    end_leftovers(run)
}
