//! A link leads only into folders that the person has opened, whoever sends it.

use loopdeck_core::control::Verb;
use loopdeck_runtime::runtime::LinkTarget;
use loopdeck_runtime::views::{FailureKind, VerbOptions};
use loopdeck_tests::live::{Live, ROOT, loop_v2};
use std::fs;
use std::path::{Path, PathBuf};

const ID: &str = "loop-v2-20261120T042421-d8ff7e62";

/// A workspace at `folder` with one loop; its state file.
fn shop(folder: &Path) -> PathBuf {
    fs::create_dir_all(folder.join(ROOT)).unwrap();
    let file = folder.join(ROOT).join(format!("{ID}.json"));
    fs::write(&file, loop_v2(ID, "paused")).unwrap();
    file
}

fn key(live: &Live, file: &Path) -> String {
    match live.runtime.follow_link(file) {
        Ok(LinkTarget::Loop(key)) => key,
        other => panic!("no loop: {other:?}"),
    }
}

fn refused(live: &Live, path: &Path) -> FailureKind {
    live.runtime.follow_link(path).unwrap_err().kind
}

#[test]
fn a_link_into_a_workspace_within_another_leads_to_the_inner_one() {
    let live = Live::new();
    let file = shop(&live.workspace.join("packages/shop"));
    // Only the outer one is open, so the inner one gets opened.
    let found = key(&live, &file);
    assert_eq!(live.runtime.open_loop(&found).unwrap().row.id, ID);
    // Both are open, the outer one first.
    assert_eq!(key(&live, &file), found);
    live.runtime.act(&found, Verb::Resume, VerbOptions::default()).unwrap();
    assert!(fs::read_to_string(&file).unwrap().contains("\"running\""));
}

#[test]
fn a_folder_that_was_never_opened_is_not_opened_by_a_link() {
    let live = Live::new();
    let other = tempfile::tempdir().unwrap();
    let other = other.path().canonicalize().unwrap();
    let file = shop(&other);
    for path in [&file, &other, &other.join("nowhere"), Path::new("/")] {
        assert_eq!(refused(&live, path), FailureKind::UnknownLink, "{path:?}");
    }
    // Neither do detours.
    let climbing = live.workspace.join("..").join("..").join(file.strip_prefix("/").unwrap());
    assert_eq!(refused(&live, &climbing), FailureKind::UnknownLink);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&other, live.workspace.join("detour")).unwrap();
        let through = live.workspace.join("detour").join(file.strip_prefix(&other).unwrap());
        assert_eq!(refused(&live, &through), FailureKind::UnknownLink);
    }
    assert_eq!(live.runtime.changes(0).workspaces.len(), 1, "nothing was opened");
    assert_eq!(live.runtime.recent(), [], "and nothing is remembered");
}

#[test]
fn a_link_opens_a_folder_again_that_was_closed() {
    let live = Live::new();
    let file = shop(&live.workspace);
    let open = |path: &Path| live.runtime.follow_link(path).unwrap();
    let LinkTarget::Workspace(id) = open(&live.workspace) else { panic!("not the workspace") };
    live.runtime.close_workspace(&id).unwrap();
    assert_eq!(live.runtime.open_loop(&key(&live, &file)).unwrap().row.id, ID);
    live.runtime.close_workspace(&id).unwrap();
    // A folder in it leads to the workspace itself.
    assert_eq!(open(&live.workspace.join(".workflow")), LinkTarget::Workspace(id));
    assert_eq!(refused(&live, &live.workspace.join("gone.json")), FailureKind::UnknownLoop);
}

#[test]
fn following_a_link_starts_nothing() {
    let live = Live::with(|workspace| drop(shop(workspace)));
    let file = shop(&live.workspace);
    let before = fs::read(&file).unwrap();
    let found = key(&live, &file);
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(live.runtime.stop_facts(&found).unwrap().runs, 0);
}
