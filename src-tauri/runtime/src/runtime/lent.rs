//! Workspaces that are lent to this computer: worktrees for work that another machine asked for.

use crate::runtime::Runtime;
use crate::runtime::start_form::{create_files, remove_checked_out};
use crate::views::{Failure, FailureKind, LoopRow};
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::start::FirstFile;
use loopdeck_execution::git::{self, Repository, bundle};
use loopdeck_execution::preferences::choices::KeptChoices;
use loopdeck_system::dirs::Dirs;
use loopdeck_system::fence::Fence;
use loopdeck_system::{clock, dirs};
use std::path::{Path, PathBuf};

impl Runtime {
    /// Until when this computer may work on `folder`, which is canonical.
    #[must_use]
    pub fn fence(&self, folder: &Path) -> Fence {
        Fence::new(self.dirs(), &dirs::id_of(folder))
    }

    /// Opens a worktree of the trusted folder `of`, and answers the key of the loop in it. `begins`: its files are made. A loop that is in the repository under the same name
    /// is not the one that begins; the commit keeps it.
    ///
    /// # Errors
    /// `Untrusted` when `of` is not trusted; `Disk`; those of [`Runtime::open_workspace`].
    pub fn open_lent(
        &self,
        folder: &Path,
        of: &Path,
        (first, begins): (&FirstFile, bool),
    ) -> Result<String, Failure> {
        if !self.choices.read(|choices| choices.trusts(of)) {
            return Err(Failure::new(FailureKind::Untrusted).with("path", dirs::shown(of)));
        }
        if begins {
            for file in first.beside.iter().map(|beside| &beside.file).chain([&first.file]) {
                remove_checked_out(folder, file);
            }
            create_files(folder, first)?;
        }
        self.trust_worktree(folder, of)?;
        let id = self.open_workspace(folder)?;
        // It may have been open.
        let sweep = self.coordinator.ask(&id, |owner| {
            owner.sweep();
            Ok(())
        });
        sweep.wait()?;
        Ok(format!("{id}:{}", first.file))
    }

    /// Closes a lent workspace, and trusts it no longer. Its files stay.
    ///
    /// # Errors
    /// `OwnData`; `UnknownWorkspace` when it is not open.
    pub fn close_lent(&self, folder: &Path) -> Result<(), Failure> {
        self.trust(&folder.to_string_lossy(), false)?;
        self.close_workspace(&dirs::id_of(folder))
    }

    /// The row of a loop; `None` when it is not known.
    #[must_use]
    pub fn row(&self, key: &str) -> Option<LoopRow> {
        let key = LoopId::from(key);
        self.read(|catalog| catalog.get(&key).map(|entry| catalog.row(entry, clock::now())))
    }

    /// Whether the person lets programs of a folder be run.
    #[must_use]
    pub fn trusts(&self, folder: &Path) -> bool {
        self.choices.read(|choices| choices.trusts(folder))
    }

    /// Takes up what the person has trusted elsewhere since this program was started.
    pub fn take_up_trust(&self) {
        self.choices.take_up_trust();
    }

    /// The git repository of a folder that the person trusts.
    ///
    /// # Errors
    /// `Untrusted`; `RepositoryChanged` when it is not what it was then; `GitRefused` when there is none.
    pub fn repository(&self, folder: &Path) -> Result<Repository, Failure> {
        self.choices.repository(folder)
    }

    /// Folder of our own for worktrees.
    #[must_use]
    pub fn worktrees(&self) -> PathBuf {
        self.dirs().worktrees()
    }
}

/// Trusts the repository of `folder` for good, for every program with these data. A folder without one stays as it was.
///
/// # Errors
/// `GitRefused` without a repository that names where it came from; `NewerData`, `SetAside`; `OwnData` when it cannot be saved.
pub fn trust_repository(data: &Path, folder: &Path) -> Result<(), Failure> {
    let choices = Dirs { data: data.to_owned() }.choices();
    let (choices, damaged) = KeptChoices::load(choices, false);
    damaged.map_or(Ok(()), Err)?;
    let before = choices.read(|choices| choices.trusts(folder));
    // Git is asked in trusted folders only.
    choices.change(|choices| choices.trust(folder, true))?;
    let origin = |repository| bundle::origin(&repository).map_err(|error| git::failure(folder, &error));
    choices.repository(folder).and_then(origin).map(drop).or_else(|failure| {
        choices.change(|choices| choices.trust(folder, before))?;
        Err(failure)
    })
}
