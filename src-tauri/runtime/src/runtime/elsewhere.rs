//! Loops of other machines: their copies are opened like folders, and what is asked of them is handed on.

use super::Runtime;
use crate::coordinator::owner::Owner;
use crate::elsewhere::{Elsewhere, Messenger, RemoteChange, RemoteLoop, RemoteRequest, RemoteRun};
use crate::observe::catalog::{LoopId, Workspace};
use crate::store::asking::Behalf;
use crate::store::handing::{Handed, Wanted};
use crate::store::journal::CommandProgress;
use crate::store::workspace_store::WorkspaceStore;
use crate::views::{Failure, FailureKind, RequestView};
use loopdeck_core::control::{Intent, Verb};
use loopdeck_core::loop_id::{file_of, workspace_of};
use loopdeck_core::past::{Asker, WriteCause};
use loopdeck_execution::agents::environment;
use loopdeck_execution::mask::Mask;
use loopdeck_execution::rows::{Need, NeedAnswer};
use loopdeck_system::dirs;
use loopdeck_system::logged::Logged as _;
use parking_lot::RwLock;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Who carries requests to other machines; nobody without a team.
#[derive(Default)]
pub(super) struct MessengerSlot(RwLock<Option<Arc<dyn Messenger>>>);

impl std::fmt::Debug for MessengerSlot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MessengerSlot")
    }
}

impl Runtime {
    /// Opens a copy of a folder of another machine, or updates whose it is. Not remembered for the next start.
    ///
    /// # Errors
    /// `OwnData` when the runtime has ended.
    pub fn open_copy(&self, path: &Path, elsewhere: Elsewhere) -> Result<String, Failure> {
        let id = dirs::id_of(path);
        if self.read(|catalog| catalog.workspace(&id).is_none()) {
            let mut workspace = Workspace::new(&id, path.to_owned(), false);
            workspace.elsewhere = Some(elsewhere);
            let opened = id.clone();
            return self.coordinator.open(workspace, move |owner| Ok((owner.open(), opened).1)).wait();
        }
        self.coordinator.change_catalog(|catalog| {
            catalog.set_elsewhere(&id, elsewhere);
        });
        Ok(id)
    }

    /// Reads a file of a copy again, after it was written or removed. Copies have no watcher.
    pub fn note_copied(&self, id: &str, path: PathBuf) {
        self.coordinator.tell(id, |owner| owner.note_copied(path));
    }

    /// Reads again what changed in a copy.
    pub fn check_copy(&self, id: &str) {
        self.coordinator.tell(id, Owner::sweep);
    }

    /// Closes a copy.
    ///
    /// # Errors
    /// `UnknownWorkspace`.
    pub fn close_copy(&self, id: &str) -> Result<(), Failure> {
        self.show_remote_needs(id, Vec::new());
        self.coordinator.ask(id, Owner::close).wait()?;
        self.coordinator.forget(id);
        Ok(())
    }

    /// Has requests for loops of other machines carried by `messenger` from now on.
    pub fn deliver_by(&self, messenger: Option<Arc<dyn Messenger>>) {
        *self.messenger_slot.0.write() = messenger;
    }

    /// Shows how far a request to another machine is. A loop that is gone is left alone.
    pub fn show_remote_request(&self, workspace: &str, file: &str, request: Option<RequestView>) {
        let key = LoopId::new(workspace, file);
        self.coordinator.change_catalog(|catalog| {
            if let Some(mut entry) = catalog.get(&key).cloned().filter(|entry| entry.request != request) {
                entry.request = request;
                catalog.put(entry);
            }
        });
    }

    /// Requests under way or just landed in a folder of this computer, by state file.
    #[must_use]
    pub fn requests_in(&self, folder: &Path) -> Vec<(String, RequestView)> {
        let id = dirs::id_of(folder);
        self.read(|catalog| {
            let here = catalog.entries().map(|(_, entry)| entry).filter(|entry| *entry.workspace == *id);
            here.filter_map(|entry| Some((entry.candidate.file.clone(), entry.request.clone()?))).collect()
        })
    }

    /// Workspaces with loops that changed or went after the revision `since`, and the newest revision.
    #[must_use]
    pub fn changed_workspaces(&self, since: u32) -> (u32, HashSet<Arc<str>>) {
        self.read(|catalog| (catalog.revision(), catalog.changed_workspaces(since)))
    }

    /// Folders of this computer that are open, the samples left out.
    #[must_use]
    pub fn own_folders(&self) -> Vec<PathBuf> {
        self.read(|catalog| {
            let own = catalog.workspaces.iter().filter(|known| known.elsewhere.is_none() && !known.sample);
            own.map(|known| known.path.clone()).collect()
        })
    }

    /// Hides secrets that this computer knows, in text that leaves it.
    #[must_use]
    pub fn mask(&self) -> Mask {
        self.choices.read(Mask::of_all)
    }

    /// Whose loop it is; `None` for one of this computer.
    #[must_use]
    pub fn elsewhere(&self, key: &str) -> Option<Elsewhere> {
        self.read(|catalog| catalog.workspace(workspace_of(key))?.elsewhere.clone())
    }

    /// Refuses what only the machine of a loop can do.
    ///
    /// # Errors
    /// `OnAnotherMachine` (`member`, `machine`).
    pub(super) fn refuse_elsewhere(&self, key: &str) -> Result<(), Failure> {
        let Some(elsewhere) = self.elsewhere(key) else { return Ok(()) };
        Err(Failure::new(FailureKind::OnAnotherMachine)
            .with("member", elsewhere.member)
            .with("machine", elsewhere.machine))
    }

    /// Runs of a loop of another machine, newest first. None where its owner does not share their output.
    ///
    /// # Errors
    /// As [`Messenger::output`].
    pub(super) fn remote_runs(&self, of: &RemoteLoop) -> Result<Vec<RemoteRun>, Failure> {
        let messenger = self.messenger_slot.0.read().clone();
        messenger.map_or_else(|| Ok(Vec::new()), |messenger| messenger.output(of))
    }

    /// Hands a change on to the machine that owns the loop. False for a loop of this computer.
    ///
    /// # Errors
    /// `OnAnotherMachine` for what is not handed on, or when its owner does not let this machine steer.
    pub(super) fn hand_on(
        &self,
        key: &str,
        change: impl FnOnce() -> Option<RemoteChange>,
    ) -> Result<bool, Failure> {
        let Some(elsewhere) = self.elsewhere(key) else { return Ok(false) };
        let allowed = change().filter(|change| match change {
            RemoteChange::Verb { verb, .. } => elsewhere.takes(*verb),
            RemoteChange::Redirect { .. } | RemoteChange::Answer { .. } => !elsewhere.rows_only,
        });
        let asked = allowed.and_then(|change| Some((change.cause()?, change)));
        let messenger = self.messenger_slot.0.read().clone().filter(|_| elsewhere.steerable);
        let (Some(messenger), Some((cause, change))) = (messenger, asked) else {
            return self.refuse_elsewhere(key).map(|()| true);
        };
        let Some(of) = self.remote(key)? else { return Ok(false) };
        let asker = messenger.request(RemoteRequest { of, change })?;
        self.ask(key, move |owner, key| owner.store.note_asked(key, cause, (&asker, None)))
            .logged("a request to another machine is not recorded here"); // it is under way all the same
        Ok(true)
    }

    /// Records what the machine of a loop answered to a command of `asker`, who is on this one: why not, or that it did it. Once.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when it cannot be recorded.
    pub fn note_remote_answer(
        &self,
        key: &str,
        (cause, refused): (WriteCause, Option<String>),
        (asker, command): (&Asker, &str),
    ) -> Result<(), Failure> {
        let (asker, command) = (asker.clone(), command.to_owned());
        self.ask(key, move |owner, key| {
            owner.store.note_answered(key, (cause, refused.as_deref()), (&asker, &command))
        })
    }

    /// How far a command of another machine had come when Loopdeck ended in the middle of it.
    ///
    /// # Errors
    /// `UnknownLoop`; `OwnData` when the journal cannot be read.
    pub fn progress_of(&self, key: &str, command: &str) -> Result<CommandProgress, Failure> {
        let command = command.to_owned();
        self.ask(key, move |owner, key| owner.store.progress_of(key, &command))
    }

    /// Carries out what `asker` asks from another machine, by the command of this id, as if it were asked here; both are
    /// recorded with it.
    ///
    /// # Errors
    /// `NotAllowed` for what no machine does for another; `UnknownNeed` when that no longer waits; those of what is asked.
    pub fn carry_out(
        &self,
        key: &str,
        change: RemoteChange,
        (asker, command): (&Asker, &str),
    ) -> Result<(), Failure> {
        let forbidden = || Failure::new(FailureKind::OnAnotherMachine);
        let cause = change.cause().ok_or_else(forbidden)?;
        self.refuse_elsewhere(key)?;
        let behalf = Behalf { asker: asker.clone(), cause, command: command.to_owned() };
        match change {
            RemoteChange::Verb { verb: Verb::Pause, .. } => self.change_for(key, behalf, Wanted::Pause),
            RemoteChange::Verb { verb: Verb::Stop, options } => {
                self.change_for(key, behalf, Wanted::Stop { reason: options.reason })
            }
            // Never a file that says running without an agent: it is launched as it was here.
            RemoteChange::Verb { verb: Verb::Start | Verb::Resume | Verb::Reopen, options } => {
                let _ = environment::environment(); // waited for here, not by the owner of all loops
                self.ask(key, move |owner, key| {
                    owner.store.on_behalf(key, &behalf, |store| {
                        store.driver_context().launch(key, None, options.raise_limit_to)
                    })
                })
            }
            RemoteChange::Verb { .. } => Err(forbidden()),
            RemoteChange::Redirect { operation } => {
                self.change_for(key, behalf, Wanted::from_intent(Intent::Operate(operation)))
            }
            RemoteChange::Answer { need, since, answer } => {
                self.check_need(key, &need, since)?;
                let _ = environment::environment(); // as above
                self.ask(key, move |owner, key| {
                    let answered =
                        |store: &mut WorkspaceStore| store.driver_context().answer_need(&need, answer);
                    owner.store.on_behalf(key, &behalf, answered)
                })
            }
        }
    }

    fn change_for(&self, key: &str, behalf: Behalf, wanted: Wanted) -> Result<(), Failure> {
        self.change_loop_for(key, &Handed { wanted, behalf: Some(behalf) })
    }

    /// What waits under this name is what it was when somebody elsewhere saw it.
    fn check_need(&self, key: &str, id: &str, since: f64) -> Result<(), Failure> {
        let waiting = self.needs().needs;
        let same = |need: &&Need| need.id == id && need.key == key && need.since.total_cmp(&since).is_eq();
        waiting.iter().find(same).map(drop).ok_or_else(|| Failure::new(FailureKind::UnknownNeed))
    }

    /// What waits for a person in a folder of this computer, by state file.
    #[must_use]
    pub fn needs_in(&self, folder: &Path) -> BTreeMap<String, Vec<Need>> {
        let id = dirs::id_of(folder);
        let mut found = BTreeMap::<String, Vec<Need>>::new();
        for need in self.needs().needs.into_iter().filter(|need| workspace_of(&need.key) == id) {
            found.entry(file_of(&need.key).to_owned()).or_default().push(need);
        }
        found
    }

    /// Shows what waits for a person in the copy with this id; names are those on the machine of the loops.
    pub fn show_remote_needs(&self, workspace: &str, needs: Vec<(String, Need)>) {
        let shown = |(file, need): (String, Need)| {
            let key = LoopId::new(workspace, &file).to_string();
            Need { id: format!("{}{BETWEEN}{workspace}", need.id), key, ..need }
        };
        let needs = needs.into_iter().map(shown).collect();
        self.needs.update_copy(workspace, needs, || {
            self.coordinator.change_catalog(|catalog| {
                catalog.needs += 1;
                catalog.touch();
            });
        });
    }

    /// Hands an answer on to the machine of the loop that waits. False for a loop of this computer.
    ///
    /// # Errors
    /// As [`Runtime::hand_on`]; `UnknownNeed` when it no longer waits.
    pub(super) fn hand_answer_on(&self, id: &str, key: &str, answer: &NeedAnswer) -> Result<bool, Failure> {
        let Some((need, _)) = id.split_once(BETWEEN) else { return Ok(false) };
        let waiting = self.needs().needs.into_iter().find(|need| need.id == id);
        let offered = waiting.filter(|need| need.answers.contains(&answer.kind()));
        let since = offered.ok_or_else(|| Failure::new(FailureKind::UnknownNeed))?.since;
        let need = need.to_owned();
        self.hand_on(key, || Some(RemoteChange::Answer { need, since, answer: answer.clone() }))
    }
}

/// Between the name of what waits on its own machine and the copy in which it is shown.
const BETWEEN: char = '@';
