//! Running loops: what their owners are asked, and what waits for the person.

use super::Runtime;
use crate::coordinator::owner::Owner;
use crate::views::{Failure, FailureKind};
use loopdeck_core::control::Verb;
use loopdeck_core::follow_up::FollowUp;
use loopdeck_core::loops;
use loopdeck_execution::agents::environment;
use loopdeck_execution::launcher::workshop::Outputs;
use loopdeck_execution::needs_board::NeedsWatcher;
use loopdeck_execution::preferences::plan::RunPlan;
use loopdeck_execution::rows::{NeedAnswer, Needs};
use loopdeck_system::dirs::Dirs;
use std::path::Path;

impl Runtime {
    pub(crate) fn dirs(&self) -> &Dirs {
        &self.dirs
    }

    pub(crate) fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    /// What waits for the person, of all loops.
    #[must_use]
    pub fn needs(&self) -> Needs {
        self.needs.all()
    }

    /// Loops of a workspace with work of ours.
    pub(crate) fn count_running(&self, workspace: &str) -> u32 {
        let on = self.read(|catalog| {
            let of =
                |entry: &&crate::observe::catalog::Entry| &*entry.workspace == workspace && entry.work.alive;
            catalog.entries().map(|(_, entry)| entry).filter(of).count()
        });
        u32::try_from(on).unwrap_or(u32::MAX)
    }

    /// Whether an agent works on a loop, so that it may be neither deleted nor replaced. Unknown, and so false, for one that is not open.
    pub(crate) fn is_live(&self, key: &str) -> bool {
        self.read(|catalog| {
            catalog.get(key).is_some_and(|entry| {
                let situation = entry.situation(loopdeck_system::clock::now());
                loops::refuse(&entry.summary, Verb::Delete, &situation).is_some()
            })
        })
    }

    /// Tells `watcher` whenever something begins or ends to wait for the person, or to run.
    pub fn watch_needs(&self, watcher: NeedsWatcher) {
        self.needs.watch(watcher);
    }

    /// Ends all runs of ours, because the app does. Answers when each was told.
    ///
    /// # Errors
    /// `OwnData` when the runtime has ended.
    pub fn stop_all(&self) -> Result<(), Failure> {
        self.ask_running(|owner| owner.store.driver_context().stop_all())
    }

    /// Notes that the person closed the window and kept the runs going: after a crash, the next Loopdeck continues their
    /// loops. It lasts until each loop is started again.
    ///
    /// # Errors
    /// `OwnData` when the runtime has ended.
    pub fn keep_going(&self) -> Result<(), Failure> {
        self.ask_running(|owner| owner.store.driver_context().keep_going())
    }

    /// Asks every workspace but those that do not answer and run nothing: they must not keep the app from ending.
    fn ask_running(
        &self,
        work: impl Fn(&mut Owner) -> Result<(), Failure> + Clone + Send + 'static,
    ) -> Result<(), Failure> {
        let asked: Vec<_> =
            self.open_ids().into_iter().map(|id| (self.coordinator.ask(&id, work.clone()), id)).collect();
        let answers: Vec<_> = asked.into_iter().map(|(asked, id)| (asked.wait(), id)).collect();
        let hangs_idle = |failure: &Failure, id: &str| {
            failure.kind == FailureKind::FolderDoesNotAnswer && self.count_running(id) == 0
        };
        answers
            .into_iter()
            .find_map(|(answer, id)| answer.err().filter(|failure| !hangs_idle(failure, &id)))
            .map_or(Ok(()), Err)
    }

    /// The loop that waits under this name.
    fn waiting_loop(&self, id: &str) -> Result<String, Failure> {
        self.needs.loop_of(id).ok_or_else(|| Failure::new(FailureKind::UnknownNeed))
    }

    /// Starts the agent of a loop: first start, resume or reopen, whichever is legal now.
    ///
    /// # Errors
    /// `Refused` with `already_running` when it runs; `NoPlan` when no plan is given and none with an agent is kept; `Untrusted`,
    /// `NoAgent`, `CannotStart`; `RepositoryChanged` since its folder was trusted; those of [`Runtime::act`].
    pub fn launch(
        &self,
        key: &str,
        plan: Option<RunPlan>,
        raise_limit_to: Option<u32>,
    ) -> Result<(), Failure> {
        self.refuse_changed(&self.find(key)?.root)?;
        self.note_beginning(key);
        let _ = environment::environment(); // waited for here, not by the owner of all loops
        self.ask_change(key, move |owner, key| owner.store.driver_context().launch(key, plan, raise_limit_to))
    }

    /// Starts the own tool of a plan in its folder. `confirmed`: the command as the person saw it, word by word.
    ///
    /// # Errors
    /// `Refused` with `command_changed` when the file leads to another one by now, with `already_running`, `plan_taken` or
    /// `plan_tool_runs` when somebody works on the plan; `ProgramMissing`; `Untrusted`; `RepositoryChanged` since its folder was trusted.
    pub fn run_own_tool(&self, key: &str, confirmed: Vec<String>) -> Result<(), Failure> {
        self.refuse_changed(&self.find(key)?.root)?;
        self.note_beginning(key);
        let _ = environment::environment(); // waited for here, not by the owner of all loops
        self.ask_change(key, move |owner, key| owner.store.driver_context().start_own_tool(key, &confirmed))
    }

    /// Refuses to start anything in a repository that changed since its folder was trusted: the person decides. Runs that have
    /// already started continue without git.
    pub(crate) fn refuse_changed(&self, folder: &Path) -> Result<(), Failure> {
        match self.repository(folder) {
            Err(failure) if failure.kind == FailureKind::RepositoryChanged => Err(failure),
            _ => Ok(()),
        }
    }

    /// The person answers.
    ///
    /// # Errors
    /// `UnknownNeed` when it no longer waits; those of [`Runtime::launch`].
    pub fn answer(&self, id: &str, answer: NeedAnswer) -> Result<(), Failure> {
        if matches!(answer, NeedAnswer::Resume | NeedAnswer::Extend { .. }) {
            let _ = environment::environment(); // as above
        }
        let key = self.waiting_loop(id)?;
        if matches!(answer, NeedAnswer::Resume | NeedAnswer::Extend { .. }) {
            self.refuse_changed(&self.find(&key)?.root)?;
        }
        if self.hand_answer_on(id, &key, &answer)? {
            return Ok(());
        }
        let id = id.to_owned();
        self.ask(&key, move |owner, _| owner.store.driver_context().answer_need(&id, answer))
    }

    /// The whole input of a permission whose card has only its beginning. The permission can be given from now on.
    ///
    /// # Errors
    /// `UnknownNeed` when it no longer waits.
    pub fn need_input(&self, id: &str) -> Result<String, Failure> {
        let id = id.to_owned();
        self.ask_change(&self.waiting_loop(&id)?, move |owner, _| {
            owner.store.driver_context().hand_out_input(&id)
        })
    }

    pub(crate) fn ask_keep_plan(&self, key: &str, plan: &RunPlan) -> Result<(), Failure> {
        let plan = plan.clone();
        self.ask_change(key, move |owner, key| owner.store.driver_context().keep_plan(key, &plan))
    }

    pub(crate) fn ask_keep_follow_up(&self, key: &str, follow_up: &FollowUp) -> Result<(), Failure> {
        let follow_up = follow_up.clone();
        self.ask_change(key, move |owner, key| owner.store.keep_follow_up(key, &follow_up))
    }

    pub(crate) fn ask_plan(&self, key: &str) -> Result<Option<RunPlan>, Failure> {
        self.ask(key, |owner, key| owner.store.driver_context().plan_of(key))
    }
}
