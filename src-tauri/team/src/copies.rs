//! Copies of what others share, as the runtime shows them: opened, read again, closed.

use crate::context::{Context, run_blocking};
use crate::mirror::Mirrors;
use crate::place::{FilePlace, SharePlace};
use crate::seat::Seat;
use crate::share::Scope;
use crate::state::SharedFolder;
use loopdeck_core::loop_id::LoopId;
use loopdeck_runtime::elsewhere::{Elsewhere, RemoteRun};
use loopdeck_runtime::views::RequestView;
use loopdeck_system::failure::Failure;
use loopdeck_system::logged::Logged as _;
use loopdeck_system::{clock, dirs};
use std::path::Path;

impl Context {
    /// Shares that are known.
    pub(crate) fn known_shares(&self) -> Vec<SharePlace> {
        self.state.lock().folders.keys().cloned().collect()
    }

    /// Opens the copy of a share, or updates what is shown of its machine.
    pub(crate) fn show_copy(&self, share: &SharePlace) {
        let known = {
            let state = self.state.lock();
            let since = state.unreachable_since(share, clock::now());
            state.folders.get(share).cloned().map(|folder| (folder, since))
        };
        let Some((SharedFolder { name, steering, scope }, unreachable_since)) = known else { return };
        let elsewhere = Elsewhere {
            member: share.seat.member().to_owned(),
            machine: share.seat.machine().to_owned(),
            name,
            unreachable_since,
            steerable: steering.allows(self.invitation.role),
            rows_only: !scope.has_texts(),
            output: scope == Scope::Output,
        };
        if self.state.lock().copies.get(share) == Some(&elsewhere) {
            return;
        }
        let folder = self.home.copy_of(share);
        match run_blocking(|| self.runtime.open_copy(&folder, elsewhere.clone())) {
            Ok(_) => drop(self.state.lock().copies.insert(share.clone(), elsewhere)),
            Err(failure) => tracing::warn!(?failure, "a folder of another machine is not shown"),
        }
        self.tell_screen();
    }

    /// What the runtime calls the copy of a share.
    pub(crate) fn copy_id(&self, share: &SharePlace) -> String {
        dirs::id_of(&self.home.copy_of(share))
    }

    /// Names the copy of a loop of another machine.
    pub(crate) fn copy_key(&self, place: &FilePlace) -> LoopId {
        LoopId::new(&self.copy_id(&place.share), &place.file)
    }

    /// Reads a changed file of an open copy again.
    pub(crate) fn read_copied_again(&self, place: &FilePlace) {
        if self.is_open(&place.share) {
            let path = self.home.copy_of(&place.share).join(&place.file);
            self.runtime.note_copied(&self.copy_id(&place.share), path);
        }
    }

    /// Reads again what changed in an open copy.
    pub(crate) fn check_copy(&self, share: &SharePlace) {
        if self.is_open(share) {
            self.runtime.check_copy(&self.copy_id(share));
        }
    }

    fn is_open(&self, share: &SharePlace) -> bool {
        self.state.lock().copies.contains_key(share)
    }

    /// The share whose copy a folder is.
    pub(crate) fn share_of(&self, copy: &Path) -> Option<SharePlace> {
        let mut names = copy.strip_prefix(self.home.mirrors()).ok()?.iter();
        let seat = Seat::parse(names.next()?.to_str()?)?;
        Some(SharePlace { seat, id: names.next()?.to_str()?.to_owned() })
    }

    /// Runs of a loop of another machine, newest first. None unless its owner shares their output.
    ///
    /// # Errors
    /// `TeamUnreachable`, `TeamNotSetUp`.
    pub(crate) fn remote_runs(&self, place: &FilePlace) -> Result<Vec<RemoteRun>, Failure> {
        let is_shared = |folder: &SharedFolder| folder.scope == Scope::Output;
        if !self.state.lock().folders.get(&place.share).is_some_and(is_shared) {
            return Ok(Vec::new());
        }
        let (heard, is_new) = self.heard.ask(place, &self.home.heard_output());
        if is_new {
            self.output_asked.notify_one();
        }
        heard.runs().unwrap_or_else(|| Err(self.state.lock().why_unreachable(&self.invitation.servers)))
    }

    /// Tells windows that runs of a loop of another machine changed.
    pub(crate) fn note_remote_runs(&self, place: &FilePlace) {
        if self.is_open(&place.share) {
            run_blocking(|| self.runtime.note_remote_runs(&self.copy_id(&place.share), &place.file));
        }
    }

    /// Shows the request for a loop of another machine.
    pub(crate) fn show_remote_request(&self, place: &FilePlace, request: Option<RequestView>) {
        let copy = self.copy_id(&place.share);
        run_blocking(|| self.runtime.show_remote_request(&copy, &place.file, request));
    }

    /// Closes the copy of a share.
    pub(crate) fn close_copy(&self, share: &SharePlace) {
        self.state.lock().copies.remove(share);
        run_blocking(|| self.runtime.close_copy(&self.copy_id(share)))
            .logged("a folder of another machine is not closed");
        self.tell_screen();
    }

    /// Shows which machines fell silent, or are there again.
    pub(crate) fn show_reachability(&self) {
        for share in self.known_shares() {
            self.show_copy(&share);
        }
        let silent = self.state.lock().silent_machines(clock::now());
        self.note_if_new(|state| &mut state.silent, silent);
    }

    /// Shows what is known from the last time, before any server answers.
    pub(crate) fn show_kept_copies(&self) {
        for (share, folder) in Mirrors::new(self.home.mirrors()).kept_shares() {
            self.state.lock().folders.insert(share.clone(), folder);
            self.show_copy(&share);
        }
    }
}
