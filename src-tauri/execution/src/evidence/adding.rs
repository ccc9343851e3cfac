//! Evidence of a driven loop: what was found is added before anything else starts, with what the folder holds then.
//!
//! Hashing a large folder takes long, so a thread of its own does it. The loop waits meanwhile: no agent changes the files that the checks
//! saw.

use super::add;
use crate::driver_context::DriverContext;
use crate::event::ExecutionEvent as Event;
use crate::git::{self, Repository};
use crate::rows::{NeedAnswerKind, NeedReason};
use crate::run::RunAction;
use crate::runs::spec::new_run_id;
use crate::work::{Activity, Execution, NeedSubject};
use loopdeck_core::evidence::EvidenceRecord;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::{self, LoopNext};
use loopdeck_core::times::to_iso_seconds;
use loopdeck_system::clock;
use loopdeck_system::failure::Failure;
use std::path::Path;

impl DriverContext<'_> {
    /// Begins to add what was found since the last time, where the person wants that; false when there is nothing to add. `next`: what
    /// follows; further checks are waited for.
    pub(crate) fn adds_evidence(&mut self, key: &LoopId, next: &LoopNext) -> bool {
        let checks_follow = matches!(next, LoopNext::Command(_) | LoopNext::Files(_));
        let wants = |work: &&Execution| work.plan.keep_evidence && !checks_follow;
        let Some(work) = self.scheduler().works.get(key).filter(wants) else { return false };
        let format = work.format;
        let beside = self.store.beside(key, drive::reads(format));
        let found = self.with_file(key, |work, bytes, facts| {
            drive::found_now(format, (bytes, facts), &beside, &work.memory)
        });
        // The step that follows tells of a file that cannot be read.
        let Ok(found) = found else { return false };
        let (choices, inbox) =
            (self.scheduler().workshop.choices.clone(), self.scheduler().workshop.inbox.clone());
        let Some(work) = self.scheduler_mut().works.get_mut(key) else { return false };
        let mut records = work.evidence.take_new(found);
        let is_found_again = std::mem::take(&mut work.evidence.is_found_again);
        if records.is_empty() {
            return false;
        }
        for accepted in records.iter_mut().filter_map(|record| record.accepted.as_mut()) {
            accepted.by.clone_from(&work.evidence.accepted_by);
        }
        let id = new_run_id();
        (work.doing, work.action) = (Activity::Runs(Vec::new()), Some(RunAction::Check));
        work.evidence.adding = Some(id.clone());
        let (root, file, of) = (work.root.clone(), work.loop_key().file, key.clone());
        self.show_work(key);
        let add_all = move || {
            let repository = (!is_found_again).then(|| choices.repository(&root));
            let failure = add_with_content(&root, &file, records, repository).err();
            inbox.send(Event::EvidenceAdded(of, id, failure));
        };
        let began = crate::tasks::start(add_all);
        if let Err(error) = &began {
            self.tell_evidence_lost(key, &Failure::own_data(error));
        }
        began.is_ok()
    }

    /// The evidence is added, or is not: the loop continues either way.
    pub(crate) fn evidence_added(&mut self, key: &LoopId, id: &str, failure: Option<&Failure>) {
        if let Some(failure) = failure {
            self.tell_evidence_lost(key, failure);
        }
        let is_awaited = |work: &&mut Execution| work.evidence.adding.as_deref() == Some(id);
        let Some(work) = self.scheduler_mut().works.get_mut(key).filter(is_awaited) else { return };
        work.evidence.adding = None;
        if work.is_on() {
            self.go_on(key);
        }
    }

    fn tell_evidence_lost(&mut self, key: &LoopId, failure: &Failure) {
        tracing::warn!(%key, ?failure, "the evidence of a loop is not whole");
        let reason = NeedReason::EvidenceNotWhole;
        let is_told = |work: &Execution| work.needs.iter().any(|waiting| waiting.reason == Some(reason));
        if self.scheduler().works.get(key).is_none_or(is_told) {
            return;
        }
        let said = ["reason", "what", "path"].into_iter().find_map(|name| failure.args.get(name));
        let said = said.cloned().unwrap_or_default();
        self.need_because(key, reason, &said, NeedSubject::Kept, &[NeedAnswerKind::Dismiss], |_| {});
        self.show_work(key);
    }
}

/// Adds results about what the folder holds now. Without a hash where it is not known what they are about, and where git has none, which is
/// told.
fn add_with_content(
    root: &Path,
    file: &str,
    mut records: Vec<EvidenceRecord>,
    repository: Option<Result<Repository, Failure>>,
) -> Result<(), Failure> {
    let repository = repository.transpose();
    let hash = |repository: &Repository| {
        git::content_hash(repository, &[file]).map_err(|error| git::failure(root, &error))
    };
    let (content, commit) = match &repository {
        // It may have no commit yet.
        Ok(Some(repository)) => (hash(repository).map(Some), git::bundle::head(repository).ok()),
        Ok(None) => (Ok(None), None),
        Err(failure) => (Err(failure.clone()), None),
    };
    let now = to_iso_seconds(clock::now());
    for record in &mut records {
        file.clone_into(&mut record.file);
        record.content = content.as_ref().ok().cloned().flatten();
        record.commit.clone_from(&commit);
        if record.accepted.is_some() {
            record.at.clone_from(&now);
        }
    }
    add(root, file, &records)?;
    content.map(drop)
}
