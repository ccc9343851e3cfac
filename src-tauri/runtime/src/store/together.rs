//! Requests on several loops at once: recorded in one transaction and written together, so that they wait for the disk once. Each is
//! guarded and answered like one that came alone.

use crate::cores::on_all_cores;
use crate::observe::catalog::{Entry, LoopId};
use crate::store::commit::{self, Unwritten, Written};
use crate::store::draft::{self, Change, Draft, WriteFault};
use crate::store::journal::{Plan, Planned, RequestLink};
use crate::store::requests;
use crate::store::workspace_store::{Moment, WorkspaceStore};
use crate::views::Failure;
use loopdeck_core::control::{Intent, Situation};
use loopdeck_system::clock;
use loopdeck_system::files::{BatchReplace, NewVersion, ReplaceFault, Replaced};
use loopdeck_system::fingerprint::Fingerprint;
use loopdeck_system::logged::Logged as _;
use std::path::{Path, PathBuf};

/// So many files wait for the disk together.
pub(crate) const MOST: usize = 32;

/// A request that is legal as far as its row tells.
struct LegalRequest<'a> {
    /// Among those that were asked.
    place: usize,
    intent: &'a Intent,
    entry: Entry,
    root: PathBuf,
    situation: Situation,
    moment: Moment,
}

impl LegalRequest<'_> {
    /// Its new bytes; nothing when it is to be carried out alone, as whatever is refused or fails.
    fn draft(&self) -> Option<Draft> {
        let change = Change::Carry(self.intent, RequestLink::New(self.intent));
        let draft = draft::draft(&self.root, &self.entry, &change, &self.situation, None).ok()?;
        draft.beside.is_empty().then_some(draft)
    }
}

/// A request whose new bytes are known.
type DraftedRequest<'a> = (LegalRequest<'a>, Draft);

/// What became of each write.
type Replacements = Vec<Result<Replaced, ReplaceFault>>;

/// A write that is in its file, and not yet noted as such.
type LandedWrite = (Planned, Fingerprint);

impl WorkspaceStore {
    /// Carries out requests on different loops; at most [`MOST`]. An answer for each, in their order.
    ///
    /// # Errors
    /// For each as if it had come alone.
    pub(crate) fn act_together(&mut self, asked: &[(LoopId, Intent)]) -> Vec<Result<(), Failure>> {
        let beside: Vec<Option<Failure>> =
            asked.iter().map(|(key, _)| self.refuse_beside(key).err()).collect();
        let here = |place: &usize| beside[*place].is_none();
        let legal: Vec<LegalRequest<'_>> = match asked {
            [_] => Vec::new(),
            asked => (0..asked.len())
                .filter(here)
                .filter_map(|place| self.prepare_legal(place, &asked[place]))
                .collect(),
        };
        let drafts = on_all_cores(&legal, 1, LegalRequest::draft);
        let drafts: Vec<DraftedRequest<'_>> =
            legal.into_iter().zip(drafts).filter_map(|(legal, draft)| Some((legal, draft?))).collect();
        let places: Vec<usize> = drafts.iter().map(|(legal, _)| legal.place).collect();
        let mut answers: Vec<Option<Result<(), Failure>>> =
            beside.into_iter().map(|refused| refused.map(Err)).collect();
        for (place, answer) in places.into_iter().zip(self.write_together(drafts)) {
            answers[place] = answer;
        }
        let each = asked.iter().zip(answers);
        each.map(|((key, intent), answer)| answer.unwrap_or_else(|| self.act(key, intent))).collect()
    }

    fn prepare_legal<'a>(
        &mut self,
        place: usize,
        (key, intent): &'a (LoopId, Intent),
    ) -> Option<LegalRequest<'a>> {
        let entry = self.entry(key).ok().filter(|_| intent.is_request())?;
        let root = self.root_of(key).ok()?;
        let moment = self.moment();
        let situation = entry.situation(moment.at);
        let legal = requests::refusal_for(&entry, intent, &situation).is_none();
        legal.then_some(LegalRequest { place, intent, entry, root, situation, moment })
    }

    /// Records and writes all of them. No answer for those that are to be carried out alone, because nothing was recorded.
    fn write_together(&mut self, drafts: Vec<DraftedRequest<'_>>) -> Vec<Option<Result<(), Failure>>> {
        let may_write = !self.forgotten.is_cancelled();
        let root = drafts.first().map(|(first, _)| first.root.clone()).filter(|_| may_write);
        let root = root.filter(|root| self.check_fence(root).is_ok());
        let recorded = root.and_then(|root| self.record_and_replace(&root, &drafts));
        let Some((planned, replaced)) = recorded else { return drafts.iter().map(|_| None).collect() };
        let (mut landed, mut written) = (Vec::new(), Vec::new());
        for ((one, planned), replaced) in drafts.into_iter().zip(planned).zip(replaced) {
            written.push(self.take_in_written(one, planned, replaced, &mut landed));
        }
        let landed: Vec<(&Planned, Fingerprint)> =
            landed.iter().map(|(planned, stamp)| (planned, *stamp)).collect();
        // Should the note fail, the bytes in the files tell the next look.
        self.journal.mark_all_landed(&landed).logged("writes that landed are not recorded as such");
        let requests = written.iter().filter_map(|(.., written)| written.as_ref().ok()?.request.as_ref());
        self.take_leases(requests, clock::now());
        let follow = |(entry, intent, moment, written): (Entry, &Intent, Moment, _)| {
            Some(self.follow_write(&entry, intent, written, moment.at))
        };
        written.into_iter().map(follow).collect()
    }

    /// Both versions of each go into the journal, durably, before the first file is touched. Nothing when they could not be recorded.
    fn record_and_replace(
        &mut self,
        root: &Path,
        drafts: &[DraftedRequest<'_>],
    ) -> Option<(Vec<Planned>, Replacements)> {
        let paths: Vec<PathBuf> =
            drafts.iter().map(|(one, _)| root.join(one.entry.candidate.on_disk())).collect();
        let versions = paths.iter().zip(drafts).map(|(path, (_, draft))| NewVersion {
            path,
            expected: &draft.before,
            new: &draft.after,
        });
        let workspace = root.to_string_lossy();
        let changes: Vec<Change<'_>> =
            drafts.iter().map(|(one, _)| Change::Carry(one.intent, RequestLink::New(one.intent))).collect();
        let plan = |((one, draft), change)| {
            let one: &LegalRequest<'_> = one;
            commit::plan_of(&workspace, &one.entry, change, draft, one.moment)
        };
        let plans: Vec<Plan<'_>> =
            drafts.iter().map(|(one, draft)| (one, draft)).zip(&changes).map(plan).collect();
        let (several, planned) =
            BatchReplace::while_recording(root, versions.collect(), || self.journal.plan_all(&plans));
        Some((planned.ok()?, several.replace()))
    }

    /// Takes in what became of one write; one that another program came before is made again on the newer bytes.
    fn take_in_written<'a>(
        &mut self,
        (one, draft): DraftedRequest<'a>,
        mut planned: Planned,
        replaced: Result<Replaced, ReplaceFault>,
        landed: &mut Vec<LandedWrite>,
    ) -> (Entry, &'a Intent, Moment, Result<Written, Unwritten>) {
        let LegalRequest { intent, entry, situation, moment, .. } = one;
        let change = Change::Carry(intent, RequestLink::New(intent));
        let request = planned.request.take();
        let written = match self.take_in_replaced(&entry, &change, draft, &planned, replaced) {
            Ok(stamp) => {
                landed.push((planned, stamp));
                Ok(Written { stamp, request, beside: Vec::new(), step: None })
            }
            Err(WriteFault::Again | WriteFault::Missing(_)) => {
                self.write_for(&entry, &change, &situation, moment.group, request)
            }
            Err(WriteFault::Failed(failure)) => Err(Unwritten { failure, request: request.map(Box::new) }),
        };
        (entry, intent, moment, written)
    }
}
