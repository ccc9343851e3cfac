//! The thread of the guardian that decides.

use super::apps::Apps;
use super::ending::{Ending, TreeState};
use super::{Message, Started};
use crate::platform::{Channel, Listener};
use crate::runs::leftovers::write_tree;
use crate::runs::report::{Ended, Exit, StepName, StepTaken, StopReason, StopReport, StopRequest};
use crate::runs::spec::IfAppEnds;
use crate::runs::wire::{Event, Request, RunStatus};
use loopdeck_system::clock;
use loopdeck_system::fence::Fence;
use loopdeck_system::processes::{ProcessId, SignalKind};
use std::collections::BTreeSet;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often apps are told at most that there is more.
const MORE_APART: Duration = Duration::from_millis(50);
/// How often the tree is read while the run works; less often where reading is slow.
const TREE_APART: Duration = Duration::from_secs(1);
/// How often a fence is looked at.
const FENCE_APART: Duration = Duration::from_millis(250);
/// So many times what a look costs passes before the next.
const TREE_SHARE: u32 = 100;

pub(crate) struct Watch {
    run: Started,
    apps: Apps,
    phase: Phase,
    exited: bool,
    wall: Option<Instant>,
    grace: Option<Instant>,
    more_at: Option<Instant>,
    last_more: Option<Instant>,
    tree_at: Instant,
    tree: BTreeSet<ProcessId>,
    fence: Option<Fence>,
    fence_at: Option<Instant>,
}

enum Phase {
    Working,
    Ending(Ending),
    /// No process is left, or nothing more can be done: the rest of the output is read.
    Draining(StopReport, Instant),
}

impl Watch {
    pub(crate) fn new(run: Started, apps: Apps) -> Self {
        let now = Instant::now();
        let fence = run.record.plan.fence.clone().map(Fence::at);
        let wall = run.record.plan.limits.wall_ms.map(|ms| now + Duration::from_millis(ms));
        Self {
            run,
            apps,
            phase: Phase::Working,
            exited: false,
            wall,
            grace: None,
            more_at: None,
            last_more: None,
            tree_at: now,
            tree: BTreeSet::new(),
            fence_at: fence.is_some().then_some(now),
            fence,
        }
    }

    /// Until the run has ended.
    pub(crate) fn run(mut self, messages: &Receiver<Message>) -> io::Result<()> {
        loop {
            let patience = self.next_time().saturating_duration_since(Instant::now());
            match messages.recv_timeout(patience) {
                Ok(message) => self.handle(message),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::BrokenPipe.into()),
            }
            if let Some(report) = self.look_at_the_clock() {
                return self.finish(report);
            }
        }
    }

    fn next_time(&self) -> Instant {
        let fence = self.fence_at.filter(|_| matches!(self.phase, Phase::Working));
        let times = [self.wall, self.grace, self.more_at, fence, self.app_deadline(), self.stdin_deadline()];
        let phase = match &self.phase {
            Phase::Working => self.tree_at,
            Phase::Ending(ending) => ending.next_look(),
            Phase::Draining(..) if self.run.pipes == 0 => return Instant::now(),
            Phase::Draining(_, until) => *until,
        };
        times.into_iter().flatten().fold(phase, Instant::min)
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Exited(exit) => self.child_exited(exit),
            Message::More => {
                self.more_at = Some(self.last_more.map_or_else(Instant::now, |at| at + MORE_APART));
            }
            Message::OutputEnded => self.run.pipes -= 1,
            Message::Connected(stream) => self.connect(stream),
            Message::Disconnected(app) => self.apps.remove(app),
            Message::Asked(app, request) => self.carry_out_request(app, request),
            Message::Terminate => self.stop(StopReason::System, true),
        }
    }

    /// A new app is sent the state first.
    pub(crate) fn connect(&mut self, app: Channel) {
        if let Some(app) = self.apps.add(app) {
            self.apps.send(app, &Event::Status(self.status()));
        }
    }

    fn carry_out_request(&mut self, app: u32, request: Request) {
        match request {
            Request::Stop { by, ask_first } => self.stop(by, ask_first),
            Request::Interrupt => self.run.family.interrupt(),
            Request::Stdin { text } => {
                if let Some(feed) = &self.run.feed {
                    feed.send(text);
                }
            }
            Request::CloseStdin => self.close_stdin(),
            Request::FinalSeen => self.final_seen(),
            Request::Status => {
                let processes = self.run.family.processes_below().ok();
                let processes = processes.and_then(|living| u32::try_from(living.len()).ok());
                self.apps.send(app, &Event::Status(RunStatus { processes, ..self.status() }));
            }
            Request::Seen => self.apps.note_seen(app),
        }
    }

    fn status(&self) -> RunStatus {
        RunStatus {
            log_end: self.run.drain.end(),
            exit: self.run.record.exit.clone(),
            ending: !matches!(self.phase, Phase::Working),
            apps: self.apps.count(),
            processes: None, // a caller that starts a run must not wait for the tree to be read
        }
    }

    fn child_exited(&mut self, exit: Exit) {
        self.exited = true;
        (self.wall, self.grace) = (None, None);
        self.run.record.exit = Some(exit.clone());
        self.run.record.exited_at = Some(clock::now());
        self.close_stdin();
        match &mut self.phase {
            Phase::Working => self.begin(StepName::Settle),
            // Asking is over; remaining processes get the moment to settle that a normal exit would give.
            Phase::Ending(ending) if matches!(ending.rung(), StepName::Ask | StepName::Interrupt) => {
                ending.climb(StepName::Settle);
                self.note_step(StepName::Settle);
            }
            _ => self.run.write_record(),
        }
        self.apps.tell_all(&Event::Exited { exit });
    }

    fn final_seen(&mut self) {
        if self.run.record.final_seen_at.is_some() || self.exited {
            return;
        }
        self.run.record.final_seen_at = Some(clock::now());
        self.run.write_record();
        self.close_stdin();
        // What it was limited for is done; the grace alone ends it now.
        self.wall = None;
        self.grace = Some(Instant::now() + Duration::from_millis(self.run.record.plan.pace.final_grace_ms));
    }

    /// Writes the request down, then begins the ending. A second request, without asking, skips the asking.
    fn stop(&mut self, by: StopReason, ask_first: bool) {
        if self.run.record.stop_request.is_none() && !self.exited {
            self.run.record.stop_request = Some(StopRequest { by, at: clock::now() });
            self.run.write_record();
        }
        let plan = &self.run.record.plan;
        let can_ask = ask_first && self.run.record.final_seen_at.is_none();
        let stdin_open = self.run.feed.as_ref().is_some_and(super::pipes::StdinWriter::is_open);
        let first = match &plan.stop {
            how if can_ask && how.ask.is_some() && stdin_open => StepName::Ask,
            how if can_ask && how.interrupt_first => StepName::Interrupt,
            _ => StepName::Terminate,
        };
        (self.wall, self.grace) = (None, None);
        match &mut self.phase {
            Phase::Working => self.begin(first),
            Phase::Ending(ending)
                if !ask_first
                    && matches!(ending.rung(), StepName::Ask | StepName::Interrupt | StepName::Settle) =>
            {
                ending.climb(StepName::Terminate);
                self.reached(StepName::Terminate);
            }
            _ => {}
        }
    }

    fn begin(&mut self, rung: StepName) {
        let final_seen = self.run.record.final_seen_at.is_some();
        self.phase = Phase::Ending(Ending::begin(rung, &self.run.record.plan, final_seen));
        self.reached(rung);
    }

    /// The snapshot and its record come before the signal.
    fn reached(&mut self, rung: StepName) {
        self.note_step(rung);
        match rung {
            StepName::Ask => {
                if let (Some(feed), Some(ask)) = (&self.run.feed, &self.run.record.plan.stop.ask) {
                    feed.send(format!("{}\n", ask.trim_end_matches('\n')));
                }
            }
            StepName::Interrupt => self.run.family.interrupt(),
            StepName::Terminate => self.run.family.signal_group(SignalKind::Terminate),
            StepName::Kill => self.run.family.signal_group(SignalKind::Kill),
            StepName::Settle | StepName::Over => {}
        }
    }

    fn note_step(&mut self, step: StepName) {
        let alive = match &mut self.phase {
            Phase::Ending(ending) => ending.count(&self.run.family),
            _ => None,
        };
        let taken = StepTaken { step, at: clock::now(), alive };
        self.run.record.steps.push(taken.clone());
        self.run.write_record();
        self.apps.tell_all(&Event::Step { step: taken });
    }

    /// Does what is due; the report when the run is over.
    fn look_at_the_clock(&mut self) -> Option<StopReport> {
        let now = Instant::now();
        let due = |at: Option<Instant>| at.is_some_and(|at| at <= now);
        if due(self.more_at) {
            self.pass_on_more(now);
        }
        if due(self.stdin_deadline()) {
            self.close_stdin();
        }
        if due(self.wall) {
            self.stop(StopReason::WallLimit, true);
        }
        if due(self.grace) {
            self.stop(StopReason::Lingered, false);
        }
        if due(self.app_deadline()) {
            self.stop(StopReason::AppEnded, true);
        }
        if due(self.fence_at) {
            self.look_at_the_fence(now);
        }
        match &mut self.phase {
            Phase::Working if self.tree_at <= now => self.keep_tree(),
            Phase::Working => {}
            Phase::Ending(ending) if ending.next_look() <= now => self.look_at_the_tree(),
            Phase::Ending(_) => {}
            Phase::Draining(report, until) if *until <= now || self.run.pipes == 0 => {
                return Some(report.clone());
            }
            Phase::Draining(..) => {}
        }
        None
    }

    /// Whoever else may work on this now must find nobody at it: there is no time to ask.
    fn look_at_the_fence(&mut self, now: Instant) {
        if self.fence.as_ref().is_none_or(Fence::is_open) {
            self.fence_at = Some(now + FENCE_APART);
        } else {
            self.fence_at = None;
            self.stop(StopReason::Rule { word: "fence".to_owned() }, false);
        }
    }

    fn look_at_the_tree(&mut self) {
        let Phase::Ending(ending) = &mut self.phase else { return };
        match ending.advance(&mut self.run.family, self.exited) {
            TreeState::Same => {}
            TreeState::Rung(rung) => {
                // After the child's exit only those are asked to terminate that it left.
                ending.climb(rung);
                self.reached(rung);
            }
            TreeState::Over(report) => {
                self.note_step(StepName::Over);
                let drain = Duration::from_millis(self.run.record.plan.pace.drain_ms);
                self.phase = Phase::Draining(report, Instant::now() + drain);
            }
        }
    }

    fn app_deadline(&self) -> Option<Instant> {
        match (self.run.record.plan.if_app_ends, &self.phase) {
            (IfAppEnds::End { after_ms }, Phase::Working) => {
                Some(self.apps.alone_since? + Duration::from_millis(after_ms))
            }
            _ => None,
        }
    }

    /// An agent that waits on its stdin gets no answer when no app is left.
    fn stdin_deadline(&self) -> Option<Instant> {
        self.run.feed.as_ref().filter(|feed| feed.is_open())?;
        Some(self.apps.alone_since? + Duration::from_millis(self.run.record.plan.pace.orphaned_stdin_ms))
    }

    fn close_stdin(&mut self) {
        if let Some(feed) = &mut self.run.feed {
            feed.close();
        }
    }

    fn pass_on_more(&mut self, now: Instant) {
        (self.more_at, self.last_more) = (None, Some(now));
        self.run.drain.passed_on();
        self.apps.tell_grown();
    }

    /// Writes down which processes there are, for the case that this guardian is killed.
    fn keep_tree(&mut self) {
        let began = Instant::now();
        if let Ok(living) = self.run.family.processes_below() {
            let tree: BTreeSet<ProcessId> = living.iter().map(|process| process.id).collect();
            if tree != self.tree && write_tree(&self.run.dir.0, &tree).is_ok() {
                self.tree = tree;
            }
        }
        self.tree_at = Instant::now() + TREE_APART.max(began.elapsed() * TREE_SHARE);
    }

    fn finish(mut self, report: StopReport) -> io::Result<()> {
        self.run.drain.sync();
        self.pass_on_more(Instant::now());
        let ended = Ended { at: clock::now(), report: report.clone(), by_guardian: true };
        self.run.record.ended = Some(ended);
        self.run.record.log_lost = self.run.drain.lost();
        let written = self.run.record.write(&self.run.dir.0);
        Listener::remove_address();
        let by = self.run.record.stop_request.as_ref().map(|request| request.by.clone());
        self.apps.tell_all(&Event::Ended { report, by });
        written
    }
}
