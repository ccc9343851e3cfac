//! Where loops began: a commit of the working state of their folder before the first run, which a reference of git keeps as long as
//! the loop is there.

use super::Runtime;
use super::loop_in_git::LoopInGit;
use crate::store::journal::{BEGAN, Began, LoopRef};
use crate::views::Failure;
use loopdeck_core::layout;
use loopdeck_core::loop_id::LoopId;
use loopdeck_core::stable_hash::stable_hash;
use loopdeck_core::times::TimeDelta;
use loopdeck_execution::git::Repository;
use loopdeck_execution::git::since::{begin_within, forget};
use loopdeck_system::clock;
use loopdeck_system::dirs;
use loopdeck_system::logged::Logged as _;
use std::path::Path;
use std::time::Duration;

/// A run doesn't wait longer for a folder that git needs so long for.
const WAIT: Duration = Duration::from_secs(20);
/// The beginning of a loop whose file is gone is kept so long.
const KEPT: TimeDelta = TimeDelta::days(30);

impl Runtime {
    /// Notes the working state of the folder as the beginning of a loop, once. Without a repository there is none. When git takes too
    /// long, the changes of the loop are those since the last commit, and are said to be.
    pub(crate) fn note_beginning(&self, key: &str) {
        let Ok(of) = self.loop_in_git(key) else { return };
        if !matches!(self.began(key), Ok(None)) {
            return;
        }
        self.forget_old_beginnings(key, &of);
        let began = begin_within(of.repository.clone(), name_of(key), WAIT);
        if let Err(error) = &began {
            tracing::warn!(%error, "where a loop began is not kept: its changes are compared with the last commit");
        }
        let began = Began { commit: began.ok(), at: clock::now().number() };
        let kept = self.in_journal(key, move |journal, of| journal.keep_fact(of, BEGAN, &began));
        kept.logged("where a loop began is not recorded");
    }

    /// Another loop has this name from now on.
    pub(crate) fn forget_way(&self, key: &str) {
        if let Ok(of) = self.loop_in_git(key) {
            self.forget_beginning(key, &of);
        }
        let forgotten = self.ask(key, |owner, key| owner.store.forget_way(key));
        forgotten.logged("what was kept of an earlier loop of this name stays");
    }

    /// The loop is gone, or another one has its name.
    pub(super) fn forget_beginning(&self, key: &str, of: &LoopInGit) {
        forget(&of.repository, &name_of(key));
        let forgotten = self.in_journal(key, |journal, of| journal.forget_fact(of, BEGAN));
        forgotten.logged("where a loop began is still recorded");
    }

    pub(super) fn began(&self, key: &str) -> Result<Option<Began>, Failure> {
        self.in_journal(key, |journal, of| journal.fact(of, BEGAN))
    }

    /// Forgets the beginnings of loops of this folder whose file another program removed some time ago.
    fn forget_old_beginnings(&self, key: &str, of: &LoopInGit) {
        let known = self.in_journal(key, |journal, of| journal.facts::<Began>(of.workspace, BEGAN));
        let known = match known {
            Ok(known) => known,
            Err(failure) => {
                return Err::<(), _>(failure).logged("old beginnings of loops are not looked for");
            }
        };
        let before = clock::now() - KEPT;
        for (file, _) in known.into_iter().filter(|(_, began)| began.timestamp() < before) {
            if of.root.join(layout::on_disk(&file)).symlink_metadata().is_ok() {
                continue;
            }
            forget_gone(&of.repository, &of.root, &file);
            let forgotten = self.in_journal(key, move |journal, of| {
                journal.forget_fact(LoopRef { file: &file, ..of }, BEGAN)
            });
            forgotten.logged("where a loop began is still recorded");
        }
    }
}

/// Removes the reference to the beginning of a loop whose file is gone.
pub(super) fn forget_gone(repository: &Repository, root: &Path, file: &str) {
    forget(repository, &name_of(&LoopId::new(&dirs::id_of(root), file)));
}

/// The name of a reference that the loop named `key` has for itself.
fn name_of(key: &str) -> String {
    format!("{:016x}", stable_hash(key.as_bytes()))
}
