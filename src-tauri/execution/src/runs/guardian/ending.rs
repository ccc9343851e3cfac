//! Ends the tree for certain: a ladder whose rungs are climbed when time is up, and left when no process is left.

use crate::platform::{Family, Proof};
use crate::runs::report::{LeftProcess, StepName, StopReport};
use crate::runs::spec::{KeptSpec, Pace};
use loopdeck_system::processes::{CannotTell, Process, ProcessId, SignalKind};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// How often the tree is read while it ends.
const LOOK: Duration = Duration::from_millis(25);
const KILL_ROUNDS: u8 = 3;

/// An ending under way.
pub(crate) struct Ending {
    rung: StepName,
    until: Instant,
    next_look: Instant,
    /// Every process seen since the ending began.
    seen: BTreeMap<ProcessId, String>,
    /// What was told to end one by one, on this rung.
    told: BTreeSet<ProcessId>,
    round: u8,
    terminate: Duration,
    interrupt_first: bool,
    pace: Pace,
}

/// The state of the tree.
pub(crate) enum TreeState {
    /// Continue.
    Same,
    /// This rung was reached.
    Rung(StepName),
    /// It is over.
    Over(StopReport),
}

impl Ending {
    /// Begins on `rung`.
    pub(crate) fn begin(rung: StepName, plan: &KeptSpec, final_seen: bool) -> Self {
        let pace = &plan.pace;
        let terminate = if final_seen { pace.terminate_after_final_ms } else { pace.terminate_ms };
        let now = Instant::now();
        let mut ending = Self {
            rung,
            until: now,
            next_look: now,
            seen: BTreeMap::new(),
            told: BTreeSet::new(),
            round: 0,
            terminate: Duration::from_millis(terminate),
            interrupt_first: plan.stop.interrupt_first,
            pace: pace.clone(),
        };
        ending.climb(rung);
        ending
    }

    pub(crate) fn rung(&self) -> StepName {
        self.rung
    }

    pub(crate) fn next_look(&self) -> Instant {
        self.next_look
    }

    /// Goes to `rung`; what belongs to it is sent by [`Self::look`] and the caller.
    pub(crate) fn climb(&mut self, rung: StepName) {
        let ms = Duration::from_millis;
        let patience = match rung {
            StepName::Settle => ms(self.pace.settle_ms),
            StepName::Ask => ms(self.pace.ask_ms),
            StepName::Interrupt => ms(self.pace.interrupt_ms),
            StepName::Terminate => self.terminate,
            StepName::Kill | StepName::Over => ms(self.pace.kill_ms),
        };
        self.round += u8::from(rung == StepName::Kill);
        self.rung = rung;
        self.told.clear();
        self.next_look = Instant::now();
        self.until = self.next_look + patience;
    }

    /// How many are alive; takes them into the count of this ending.
    pub(crate) fn count(&mut self, family: &Family) -> Option<u32> {
        let living = family.processes_below().ok()?;
        self.remember(&living);
        Some(saturating_u32(living.len()))
    }

    /// Reads the tree and does what the rung asks for.
    pub(crate) fn advance(&mut self, family: &mut Family, exited: bool) -> TreeState {
        let now = Instant::now();
        self.next_look = now + LOOK;
        let living = self.all_processes(family, exited);
        match &living {
            Ok(living) if living.is_empty() && exited => {
                if let Proof::None = family.proof() {
                    return TreeState::Over(StopReport::AllGone { ended: saturating_u32(self.seen.len()) });
                }
            }
            Ok(living) => self.signal_each(living, exited),
            Err(_) if self.rung == StepName::Kill => family.signal_group(SignalKind::Kill),
            Err(_) => {}
        }
        if now < self.until {
            return TreeState::Same;
        }
        self.time_is_up(family, living, exited)
    }

    fn time_is_up(
        &self,
        family: &mut Family,
        living: Result<Vec<Process>, CannotTell>,
        exited: bool,
    ) -> TreeState {
        match self.rung {
            StepName::Ask if self.interrupt_first && !exited => TreeState::Rung(StepName::Interrupt),
            StepName::Settle | StepName::Ask | StepName::Interrupt => TreeState::Rung(StepName::Terminate),
            StepName::Terminate => TreeState::Rung(StepName::Kill),
            StepName::Kill if self.round < KILL_ROUNDS => TreeState::Rung(StepName::Kill),
            StepName::Kill | StepName::Over => TreeState::Over(self.give_up(family, living, exited)),
        }
    }

    fn give_up(
        &self,
        family: &mut Family,
        living: Result<Vec<Process>, CannotTell>,
        exited: bool,
    ) -> StopReport {
        // Where the kernel gives us all orphans, having no child proves that no process is left, even without reading the tree.
        let none = exited && matches!(family.proof(), Proof::None);
        match living {
            Ok(left) if !left.is_empty() => {
                let is_left = |id: &ProcessId| left.iter().any(|process| process.id == *id);
                let ended = saturating_u32(self.seen.keys().filter(|id| !is_left(id)).count());
                StopReport::Left { ended, processes: left.iter().map(as_left).collect() }
            }
            _ if none => StopReport::AllGone { ended: saturating_u32(self.seen.len()) },
            Ok(_) => StopReport::Unknown { why: "there are processes that cannot be seen".to_owned() },
            Err(cannot) => StopReport::Unknown { why: cannot.0 },
        }
    }

    /// The living below us; when there are none, those elsewhere that carry the marker.
    fn all_processes(&mut self, family: &Family, exited: bool) -> Result<Vec<Process>, CannotTell> {
        let mut living = family.processes_below()?;
        if exited && (living.is_empty() || self.rung == StepName::Kill) {
            let known: BTreeSet<ProcessId> = living.iter().map(|process| process.id).collect();
            living.extend(
                family.processes_elsewhere()?.into_iter().filter(|process| !known.contains(&process.id)),
            );
        }
        self.remember(&living);
        Ok(living)
    }

    /// Processes that no signal to the child or its group reaches get one each.
    fn signal_each(&mut self, living: &[Process], exited: bool) {
        let kind = match self.rung {
            StepName::Kill => SignalKind::Kill,
            StepName::Terminate if exited => SignalKind::Terminate,
            _ => return,
        };
        for process in living {
            if kind == SignalKind::Kill || self.told.insert(process.id) {
                Family::signal(process, kind);
            }
        }
    }

    fn remember(&mut self, living: &[Process]) {
        self.seen.extend(living.iter().map(|process| (process.id, process.name.clone())));
    }
}

fn as_left(process: &Process) -> LeftProcess {
    LeftProcess { pid: process.id.pid, name: process.name.clone() }
}

fn saturating_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
