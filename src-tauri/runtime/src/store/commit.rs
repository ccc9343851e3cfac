//! One guarded, undoable write: read the newest bytes, make the new ones, record both, replace, note that it landed.

use crate::observe::catalog::Entry;
use crate::store::companion_writes;
use crate::store::draft::{Change, Draft, WriteFault, draft};
use crate::store::journal::{
    self, LoopRef, Plan, PlanFault, Planned, RemainingWrites, RequestLink, UndoGroup,
};
use crate::store::judging::RepeatedRequest;
use crate::store::replaced_versions::{Exchanged, LATE};
use crate::store::workspace_store::{Moment, NEVER, WorkspaceStore};
use crate::views::{Failure, FailureKind};
use loopdeck_core::control::{Intent, Situation};
use loopdeck_core::formats::aot;
use loopdeck_core::outcome::FileWrite;
use loopdeck_core::refusal::{Refusal, RefusalCode};
use loopdeck_core::step::Operation;
use loopdeck_core::times::{TimeDelta, Timestamp};
use loopdeck_execution::work::PreparedStep;
use loopdeck_system::dirs;
use loopdeck_system::files::{self, Prepared, ReplaceFault, Replaced, TakenBack};
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::logged::Logged as _;
use std::path::Path;
use std::time::Duration;

/// A file that changes under every try is reported, not fought for ever.
const TRIES: u32 = 5;
/// A file that has been empty for so long is not being written.
const EMPTY_AFTER: TimeDelta = TimeDelta::seconds(1);

/// A write that landed.
pub(crate) struct Written {
    /// Which version of the file it is.
    pub(crate) stamp: Fingerprint,
    /// The request that caused it, when it was a new one.
    pub(crate) request: Option<journal::RecordedRequest>,
    /// What is to be written next to it now.
    pub(crate) beside: Vec<FileWrite>,
    /// In the journal, what is to be written next to it; ended by the process that writes it.
    pub(crate) step: Option<i64>,
}

/// A write that did not.
pub(crate) struct Unwritten {
    pub(crate) failure: Failure,
    /// The request that caused it, when it was a new one and is recorded.
    pub(crate) request: Option<Box<journal::RecordedRequest>>,
}

impl From<Failure> for Unwritten {
    fn from(failure: Failure) -> Self {
        Self { failure, request: None }
    }
}

impl From<journal::Error> for Failure {
    fn from(error: journal::Error) -> Self {
        match error {
            journal::Error::Newer => Self::new(FailureKind::NewerData),
            error => Self::own_data(error),
        }
    }
}

impl From<PlanFault> for Failure {
    fn from(fault: PlanFault) -> Self {
        match fault {
            PlanFault::NotRecorded(error) => error.into(),
            PlanFault::NoSnapshot(error) => Self::new(FailureKind::NoUndo).with("reason", error),
        }
    }
}

/// A write that is in the file.
struct Landed {
    stamp: Fingerprint,
    beside: Vec<FileWrite>,
    step: Option<i64>,
}

impl WorkspaceStore {
    /// Makes `change`; again on the newer bytes when another program writes in between.
    pub(crate) fn write(
        &mut self,
        entry: &Entry,
        change: &Change<'_>,
        situation: &Situation,
        group: UndoGroup,
    ) -> Result<Written, Unwritten> {
        self.write_for(entry, change, situation, group, None)
    }

    /// The same for a `request` that an attempt before this one has recorded.
    pub(super) fn write_for(
        &mut self,
        entry: &Entry,
        change: &Change<'_>,
        situation: &Situation,
        group: UndoGroup,
        mut request: Option<journal::RecordedRequest>,
    ) -> Result<Written, Unwritten> {
        let root = match self.root_of(&entry.key()) {
            Ok(root) => root,
            Err(failure) => return Err(Unwritten { failure, request: request.map(Box::new) }),
        };
        let moment = Moment { at: situation.now, group };
        let mut missing = None;
        for attempt in 0..TRIES {
            match self.write_once(&root, entry, change, (situation, moment), &mut request) {
                Err(WriteFault::Again) => std::thread::sleep(Duration::from_millis(1 << attempt)),
                Err(WriteFault::Missing(failure)) => {
                    missing = Some(failure);
                    std::thread::sleep(Duration::from_millis(1 << attempt));
                }
                Err(WriteFault::Failed(failure)) => {
                    return Err(Unwritten { failure, request: request.map(Box::new) });
                }
                Ok(Landed { stamp, beside, step }) => return Ok(Written { stamp, request, beside, step }),
            }
        }
        let failure = missing.unwrap_or_else(|| {
            let path = root.join(entry.candidate.on_disk());
            // One that was emptied just now is being written.
            let stays_empty = files::read(&root, &path, &mut Vec::new()).is_err_and(|fault| {
                let emptied = fault.stamp.filter(|_| fault.is_empty()).map(Fingerprint::modified);
                emptied.is_some_and(|at| situation.now.since(at) > EMPTY_AFTER)
            });
            let kind = if stays_empty { FailureKind::EmptyFile } else { FailureKind::Contended };
            Failure::new(kind).with("path", &entry.candidate.file)
        });
        Err(Unwritten { failure, request: request.map(Box::new) })
    }

    fn write_once(
        &mut self,
        root: &Path,
        entry: &Entry,
        change: &Change<'_>,
        (situation, moment): (&Situation, Moment),
        request: &mut Option<journal::RecordedRequest>,
    ) -> Result<Landed, WriteFault> {
        let made = self.prepared_step_for(entry, change);
        let mut draft = draft(root, entry, change, situation, made)?;
        self.check_fence(root)?;
        if self.forgotten.is_cancelled() {
            // The file may have been waited for until after the workspace was closed.
            return Err(Failure::new(FailureKind::UnknownWorkspace).into());
        }
        if completes_aot(change) && !self.is_verified_now(&entry.key()) {
            let refusal = Refusal::new(RefusalCode::NotDone).with("field", "base_case");
            return Err(Failure::from(refusal).into());
        }
        let is_step = matches!(change, Change::Carry(_, RequestLink::None));
        if let Some(stamp) = draft.stamp.filter(|_| is_step && draft.changes_nothing()) {
            return Ok(Landed { stamp, beside: Vec::new(), step: None });
        }
        let texts = companion_writes::check_all(root, entry, &draft.beside, situation.now)?;
        let rest = (!texts.is_empty()).then_some(RemainingWrites::Write { texts });
        let known = request.as_ref().map(|request| request.id);
        let path = root.join(entry.candidate.on_disk());
        let (prepared, planned) = Prepared::while_recording(root, &path, &draft.after, || {
            self.plan(root, entry, change, &draft, (known, rest.as_ref()), moment)
        });
        let mut planned = planned?;
        *request = planned.request.take().or(request.take());
        let replaced = prepared.and_then(|prepared| prepared.replace(&draft.before, &draft.after));
        let (beside, step) = (std::mem::take(&mut draft.beside), planned.step);
        let stamp = self.take_in_replaced(entry, change, draft, &planned, replaced)?;
        // Should the note fail, the bytes in the file tell the next look.
        self.journal.mark_landed(&planned, stamp).logged("a write that landed is not recorded as such");
        Ok(Landed { stamp, beside, step })
    }

    /// Takes in what became of a planned write; that it landed is still to be noted.
    pub(super) fn take_in_replaced(
        &mut self,
        entry: &Entry,
        change: &Change<'_>,
        draft: Draft,
        planned: &Planned,
        replaced: Result<Replaced, ReplaceFault>,
    ) -> Result<Fingerprint, WriteFault> {
        match replaced {
            Ok(Replaced { stamp, former }) => {
                let exchanged = Exchanged { former, old: draft.before, new: draft.after };
                self.replaced.keep(&entry.key(), &change.intents(), exchanged);
                self.own_writes.note(&entry.key(), stamp, last_foreign_life(entry, change));
                Ok(stamp)
            }
            Err(ReplaceFault::Changed(taken_back)) => {
                // Ours was in place for a moment: another program may have opened it.
                if let Some(TakenBack { file, there }) = taken_back {
                    let exchanged = Exchanged { former: file, old: draft.after, new: there };
                    self.replaced.keep(&entry.key(), &[], exchanged);
                }
                self.journal.mark_lost(planned).logged("a write that was lost is not recorded as such");
                Err(WriteFault::Again)
            }
            Err(ReplaceFault::Io(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                self.journal.mark_lost(planned).logged("a write that was lost is not recorded as such");
                Err(WriteFault::Again) // it was removed since it was read
            }
            Err(ReplaceFault::Io(error)) => {
                // It may be in place and only the folder could not be synchronised.
                if let Ok(root) = self.root_of(&entry.key()) {
                    self.resolve_writes(&root);
                }
                let failure = Failure::new(FailureKind::Disk).with("path", &entry.candidate.file);
                Err(failure.with("reason", error).into())
            }
        }
    }

    /// A workspace that is lent to this machine is written only while its time lasts. A fence closes well before the lease
    /// ends, so that a write that begins here is over by then.
    pub(crate) fn check_fence(&self, root: &Path) -> Result<(), Failure> {
        if self.scheduler.fence().is_open() {
            return Ok(());
        }
        Err(Failure::new(FailureKind::LeaseLost).with("path", dirs::shown(root)))
    }

    /// What the driver has worked out already for exactly this change.
    fn prepared_step_for(&mut self, entry: &Entry, change: &Change<'_>) -> Option<PreparedStep> {
        let Change::Carry(Intent::Operate(operation), _) = change else { return None };
        let made = self.scheduler.take_prepared_step(&entry.key())?;
        (made.operation == **operation).then_some(made)
    }

    fn plan(
        &mut self,
        root: &Path,
        entry: &Entry,
        change: &Change<'_>,
        draft: &Draft,
        (known, rest): (Option<i64>, Option<&RemainingWrites>),
        moment: Moment,
    ) -> Result<Planned, Failure> {
        let workspace = root.to_string_lossy();
        let mut plan = plan_of(&workspace, entry, change, draft, moment);
        plan.ask = known.map_or(plan.ask, RequestLink::Known);
        let step = rest.map(|rest| (rest, self.holder.as_str()));
        self.journal.plan_step(&plan, step).map_err(Failure::from)
    }
}

/// A change, as the journal records it before it is made.
pub(super) fn plan_of<'a>(
    workspace: &'a str,
    entry: &'a Entry,
    change: &'a Change<'_>,
    draft: &'a Draft,
    moment: Moment,
) -> Plan<'a> {
    let (word, ask, readable) = match change {
        Change::Carry(intent, ask) => (journal::intent_word(intent), *ask, draft.stays_readable),
        Change::Again(again) => {
            (journal::intent_word(again.intent), RequestLink::Known(again.request), draft.stays_readable)
        }
        Change::PutBack(put) => {
            (put.word, if put.ends { RequestLink::End } else { RequestLink::None }, put.readable)
        }
        Change::Late(_) => (LATE, RequestLink::None, true),
    };
    Plan {
        of: LoopRef { workspace, file: &entry.candidate.file },
        word,
        ask,
        before: (&draft.before, draft.modified, draft.readable),
        after: (&draft.after, readable),
        life: last_foreign_life(entry, change),
        at: moment.at,
        group: moment.group,
    }
}

/// Whether it says that an AoT loop is complete: that needs a passing completion check (AoT contract §11).
fn completes_aot(change: &Change<'_>) -> bool {
    let Change::Carry(Intent::Operate(operation), _) = change else { return false };
    matches!(&**operation, Operation::Aot { step: aot::AotOperation::Complete })
}

/// The last sign of life of anybody else, after the change: what was before a start of ours is past.
fn last_foreign_life(entry: &Entry, change: &Change<'_>) -> Timestamp {
    match change {
        Change::Carry(intent, _) | Change::Again(RepeatedRequest { intent, .. }) if intent.starts_work() => {
            NEVER
        }
        _ => entry.foreign_change,
    }
}
