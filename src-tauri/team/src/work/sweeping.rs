//! Worktrees of jobs that ended long ago.

use crate::context::Context;
use crate::work::lent::{self, LentJob};
use loopdeck_execution::git::{Repository, apart};
use loopdeck_system::logged::Logged as _;
use std::path::Path;

/// Removes worktrees of jobs that ended long ago.
pub(crate) fn remove_old_worktrees(context: &Context) {
    for (lent, path) in lent::ended_long_ago(&context.home.lent_jobs()) {
        if let Some(folder) = &lent.folder {
            context.drop_share(folder).logged("the worktree of an ended job is still shared");
            let _ = context.runtime.close_lent(folder); // one of an older Loopdeck may be open
            context.runtime.fence(folder).remove().logged("the fence of an ended job stays");
        }
        // Which repository it is a worktree of, only that repository says.
        let folders = context.node.rules.lock().clone().folders;
        let of: Vec<Repository> =
            folders.iter().filter_map(|folder| context.runtime.repository(&folder.path).ok()).collect();
        remove_worktree(&lent, &of, &path);
    }
}

fn remove_worktree(lent: &LentJob, of: &[Repository], path: &Path) {
    if let Some(top) = &lent.top {
        apart::remove(of, top);
        let _ = top.parent().map(std::fs::remove_dir); // an empty folder
    }
    std::fs::remove_file(path).logged("an ended job is still remembered");
}
