//! What the drivers need of the loops' store, and nothing more: [`LoopStore`] reads, commits and observes loops,
//! [`RunJournal`] keeps leases, what drivers remember, and runs.

use super::records::{LoopMessage, LoopRef, RecordedRun, Spent};
use super::shown::WorkFacts;
use crate::preferences::plan::RunPlan;
use crate::rows::LoopRun;
use crate::run::Run;
use loopdeck_core::control::{Intent, Situation, Verb};
use loopdeck_core::located::Candidate;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::loops::drive::Verification;
use loopdeck_core::status::{Program, StatusWord};
use loopdeck_core::summary::Summary;
use loopdeck_core::times::Timestamp;
use loopdeck_core::view::{ClaimCounts, Companion, CompanionKind};
use loopdeck_system::failure::Failure;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A loop as it was read last.
#[derive(Clone, Debug)]
pub struct LoopNow {
    /// Its name.
    pub key: LoopId,
    /// Its folder.
    pub candidate: Candidate,
    /// What it says.
    pub summary: Summary,
    /// The word that is shown.
    pub word: StatusWord,
    /// A control request under way or just landed.
    pub request: Option<Verb>,
    /// It is as our last write left it.
    pub is_ours: bool,
}

impl LoopNow {
    /// Its name.
    #[must_use]
    pub fn key(&self) -> LoopId {
        self.key.clone()
    }

    /// What a verb's legality depends on.
    #[must_use]
    pub fn situation(&self, now: Timestamp) -> Situation {
        Situation { shown: self.word, now }
    }
}

/// Loops: what they say, and the one way to change them.
pub trait LoopStore {
    /// The loop as it was read last.
    ///
    /// # Errors
    /// `UnknownLoop`.
    fn read(&self, key: &str) -> Result<LoopNow, Failure>;

    /// The workspace of a loop.
    ///
    /// # Errors
    /// `UnknownLoop`; `NotAFolder` when the workspace is gone.
    fn root_of(&self, key: &str) -> Result<PathBuf, Failure>;

    /// The files of these kinds next to a loop, as they are now.
    fn beside(&self, key: &str, kinds: &[CompanionKind]) -> Vec<Companion>;

    /// What the state file said when it was last seen whole, also when it is gone.
    fn last_words(&mut self, key: &str) -> Option<Arc<[u8]>>;

    /// Writes under guard what `intent` makes of the loop; a request is guarded from then on. The drivers hear of what
    /// landed as of anybody else's change.
    ///
    /// # Errors
    /// A refusal when it is not legal now; a failure when the journal or the disk refuse. Nothing is half done.
    fn commit(&mut self, key: &str, intent: &Intent) -> Result<(), Failure>;

    /// Reads the state file again now.
    fn observe(&mut self, key: &str);

    /// The verb of the person's request that is guarded.
    fn guarded_verb(&self, key: &str) -> Option<Option<Verb>>;

    /// The loop is no longer worked on: its guard decides alone. False when there is none.
    fn leave_to_guard(&mut self, key: &str) -> bool;

    /// A request that was answered is no longer shown.
    fn forget_request(&mut self, key: &LoopId);

    /// Shows what is known of the work, apart from the loop's file.
    fn show(&mut self, key: &str, run: LoopRun, work: WorkFacts);

    /// Shows what the work claims and what of it is proven.
    fn show_claims(&mut self, key: &LoopId, claims: Option<ClaimCounts>);

    /// Tells the windows that something else waits for the person.
    fn needs_changed(&mut self);

    /// The other living Loopdeck that runs the loop, also one with another data folder.
    fn runs_elsewhere(&mut self, key: &str) -> Option<Program>;

    /// Marks a loop as run by this process, for a Loopdeck with another data folder. The program of another one that was
    /// faster; then it is not marked.
    ///
    /// # Errors
    /// The program that runs it.
    fn mark_running(&mut self, key: &str) -> Result<(), Program>;

    /// Takes the mark away.
    fn unmark_running(&mut self, key: &str);

    /// State files of loops of the workspace that another living Loopdeck runs.
    fn run_by_others(&mut self, key: &str) -> Vec<String>;

    /// Whether a lock next to the plan in this file of the workspace names a living process.
    fn is_tool_alive(&self, root: &Path, plan: &str) -> bool;

    /// Who on another machine asks for what happens now; `None` when nobody does, and it is the person here.
    fn asked_by(&self) -> Option<String>;

    /// Whether work on the loop with this state file is ours to look after.
    fn is_in_scope(&self, file: &str) -> bool;

    /// Whether this process is there for one loop only: a person who starts it wants that loop to run on, whoever began.
    fn is_for_one_loop(&self) -> bool;
}

/// Which of several Loopdecks drives a loop.
pub trait Leases {
    /// Takes or renews the lease on a loop that `holder` runs; false when another holder's still lasts.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn hold_to_run(
        &mut self,
        of: LoopRef<'_>,
        holder: (&str, Program),
        now: Timestamp,
    ) -> Result<bool, Failure>;

    /// `holder` keeps the lease, and no longer runs the loop.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn end_running(&mut self, of: LoopRef<'_>, holder: &str) -> Result<(), Failure>;

    /// Whether `holder` has the lease; a look only.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn has_lease(&mut self, of: LoopRef<'_>, holder: &str) -> Result<bool, Failure>;

    /// Gives the lease back.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn give_lease_back(&mut self, of: LoopRef<'_>, holder: &str) -> Result<(), Failure>;

    /// Leaves the lease for the next holder.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn leave_lease(&mut self, of: LoopRef<'_>, holder: &str) -> Result<(), Failure>;

    /// State files of a workspace whose lease was left.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn left_leases(&mut self, workspace: &str) -> Result<Vec<String>, Failure>;
}

/// What is kept of how a loop is driven.
pub trait SavedState {
    /// Keeps how a loop is run.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn keep_plan(&mut self, of: LoopRef<'_>, plan: &RunPlan, now: Timestamp) -> Result<(), Failure>;

    /// How a loop was run last.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn plan_of(&mut self, of: LoopRef<'_>) -> Result<Option<RunPlan>, Failure>;

    /// Keeps what a driver remembers; there must be a plan.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn keep_memory(&mut self, of: LoopRef<'_>, memory: Option<&str>) -> Result<(), Failure>;

    /// What a driver remembered.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn memory(&mut self, of: LoopRef<'_>) -> Result<Option<String>, Failure>;

    /// Messages to the agents of a loop, oldest first; the newest 30.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn messages(&mut self, of: LoopRef<'_>) -> Result<Vec<LoopMessage>, Failure>;

    /// Records that `run` has the messages up to the number `newest` in its prompt.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn note_delivered(
        &mut self,
        of: LoopRef<'_>,
        newest: i64,
        run: &str,
        now: Timestamp,
    ) -> Result<(), Failure>;

    /// The commit of the working state in which a loop began here; `None` when that is not known.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn beginning(&mut self, of: LoopRef<'_>) -> Result<Option<String>, Failure>;

    /// Records the result of a completion check.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn keep_verification(&mut self, of: LoopRef<'_>, found: &Verification) -> Result<(), Failure>;
}

/// Runs as they are recorded.
pub trait RunRecords {
    /// Keeps a run as it is now.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn keep_run(&mut self, of: LoopRef<'_>, run: &Run) -> Result<(), Failure>;

    /// Keeps which files a run changed, also when its folder is gone.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn keep_changed_files(&mut self, of: LoopRef<'_>, run: &str, paths: &[String]) -> Result<(), Failure>;

    /// The result of a run is in the loop's file, or is given up.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn conclude_run(&mut self, id: &str) -> Result<(), Failure>;

    /// Runs of a loop, newest first.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn runs(&mut self, of: LoopRef<'_>, limit: u32) -> Result<Vec<Run>, Failure>;

    /// Runs of any loop whose end was not seen, or whose result is not in the loop's file yet.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn open_runs(&mut self) -> Result<Vec<RecordedRun>, Failure>;

    /// Runs below a workspace that ended, but not so that nothing was left for certain.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn left_runs(&mut self, workspace: &str) -> Result<Vec<RecordedRun>, Failure>;

    /// What all runs of a loop used together.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn spent(&mut self, of: LoopRef<'_>) -> Result<Spent, Failure>;

    /// Keeps what an agent reported last for a conversation.
    ///
    /// # Errors
    /// When the journal cannot be written.
    fn keep_used(&mut self, agent: &str, session: &str, usage: &str) -> Result<(), Failure>;

    /// What it reported before.
    ///
    /// # Errors
    /// When the journal cannot be read.
    fn used(&mut self, agent: &str, session: &str) -> Result<Option<String>, Failure>;
}

/// The part of the journal that drivers use.
pub trait RunJournal: Leases + SavedState + RunRecords {}

impl<T: Leases + SavedState + RunRecords> RunJournal for T {}
