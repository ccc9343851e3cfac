//! What a person does with the work of a loop, in real repositories.

use super::super::tests::{commit as commit_all, opened, repository, run};
use super::super::{Repository, add_worktree, since};
use super::*;
use crate::changes::ChangeKind;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// A repository whose own configuration says who the person is.
fn of_person() -> tempfile::TempDir {
    let dir = repository();
    run(dir.path(), &["config", "user.name", "Ana"]);
    run(dir.path(), &["config", "user.email", "ana@example.org"]);
    dir
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn hook(folder: &Path, name: &str, script: &str) {
    write(folder, name, &format!("#!/bin/sh\n{script}\n"));
    fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o755)).unwrap();
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn done(committed: &Committed) -> &str {
    let Committed::Done { commit, .. } = committed else { panic!("{committed:?}") };
    commit
}

#[test]
fn a_commit_of_all_has_the_state_only_of_loops_whose_evidence_is_kept() {
    let dir = of_person();
    let at = dir.path();
    let kept = ["x.evidence.jsonl", "x.json", "x.tasks.jsonl"].map(|name| format!(".workflow/.loop/{name}"));
    let aot = [".claude/aot-loop-state.evidence.jsonl", ".claude/aot-loop-state.md"].map(str::to_owned);
    for name in kept.iter().chain(&aot) {
        write(at, name, "{}");
    }
    for name in ["y.json", "x-2.json", "xy.json", ".evidence.jsonl.d/z.json"] {
        write(at, &format!(".workflow/.loop/{name}"), "{}");
    }
    write(at, "work.txt", "done");
    let made = commit(&opened(at), &[], "All").unwrap();
    let names = run(at, &["show", "--format=", "--name-only", done(&made)]);
    let expected: Vec<&str> = aot.iter().chain(&kept).map(String::as_str).chain(["work.txt"]).collect();
    assert_eq!(names.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn a_commit_has_the_chosen_files_and_what_else_is_staged_stays_staged() {
    let dir = of_person();
    let at = dir.path();
    write(at, ".gitignore", "ignored\n");
    write(at, "gone.txt", "1\n");
    run(at, &["add", "."]);
    commit_all(at);
    write(at, "staged.txt", "staged\n");
    run(at, &["add", "staged.txt"]);
    write(at, "staged.txt", "staged, and changed\n");
    write(at, "ignored", "theirs");
    write(at, "new [é].txt", "new\n");
    write(at, "new e.txt", "another that a pattern would mean\n");
    write(at, "a b.txt", "changed\n");
    write(at, ".loop/x.json", "{}");
    fs::remove_file(at.join("gone.txt")).unwrap();
    let made =
        commit(&opened(at), &owned(&["new [é].txt", "gone.txt", "a b.txt"]), "Three\n\nof them").unwrap();
    let log = run(at, &["log", "-1", "--format=%an <%ae> %cn %B", "--name-status", "-z"]);
    assert!(log.starts_with("Ana <ana@example.org> Ana Three\n\nof them"), "{log}");
    for line in ["M\0a b.txt", "D\0gone.txt", "A\0new [é].txt"] {
        assert!(log.contains(line), "{line} in {log:?}");
    }
    assert_eq!(log.matches(".txt").count(), 3, "{log:?}");
    assert_eq!(done(&made), run(at, &["rev-parse", "HEAD"]));
    let status = run(at, &["status", "--porcelain", "-uall"]);
    assert_eq!(status, "AM staged.txt\n?? .loop/x.json\n?? \"new e.txt\"", "as it was before");
    let made = commit(&opened(at), &[], "The rest").unwrap();
    assert_eq!(made, Committed::Done { commit: done(&made).to_owned(), files: 2 });
    assert_eq!(
        run(at, &["status", "--porcelain", "-uall"]),
        "?? .loop/x.json",
        "the state of a loop is no work"
    );
    assert_eq!(run(at, &["show", "HEAD:staged.txt"]), "staged, and changed");
    assert_eq!(commit(&opened(at), &[], "x").unwrap(), Committed::Nothing);
    for name in ["ignored", "a b.txt", "../x", "no such file"] {
        assert_eq!(commit(&opened(at), &owned(&[name]), "x").unwrap(), Committed::NotOpen(name.into()));
    }
}

#[test]
fn the_first_commit_of_a_repository_and_one_in_a_folder_of_it() {
    let dir = tempfile::tempdir().unwrap();
    run(dir.path(), &["init", "-q", "-b", "main"]);
    run(dir.path(), &["config", "user.name", "Ana"]);
    run(dir.path(), &["config", "user.email", "ana@example.org"]);
    write(dir.path(), "in/a.txt", "1\n");
    write(dir.path(), "outside.txt", "1\n");
    done(&commit(&opened(&dir.path().join("in")), &[], "first").unwrap());
    assert_eq!(run(dir.path(), &["ls-tree", "-r", "--name-only", "HEAD"]), "in/a.txt");
    assert_eq!(run(dir.path(), &["status", "--porcelain"]), "?? outside.txt");
}

#[test]
fn hooks_run_for_a_commit_and_what_they_refuse_is_told() {
    let dir = of_person();
    let at = dir.path();
    let mark = dir.path().join(".git/ran");
    let ran = || fs::remove_file(&mark).is_ok();
    let leaves_mark = format!("echo ran >> {}", mark.display());
    hook(at, ".git/hooks/pre-commit", &format!("{leaves_mark}; git diff --cached --name-only"));
    hook(at, ".git/hooks/commit-msg", "echo 'Signed-off-by: Ana' >> \"$1\"");
    hook(at, ".git/hooks/reference-transaction", &leaves_mark);
    write(at, "new.txt", "1\n");
    done(&commit(&opened(at), &[], "with hooks").unwrap());
    assert!(ran());
    assert_eq!(run(at, &["log", "-1", "--format=%B"]), "with hooks\nSigned-off-by: Ana");
    let _ = ran();
    branch_here(&opened(at), "other").unwrap();
    assert!(!ran(), "nothing but a commit runs hooks");
    hook(at, ".git/hooks/pre-commit", "echo 'no tabs, please' >&2; exit 1");
    write(at, "new.txt", "\t\n");
    let head = run(at, &["rev-parse", "HEAD"]);
    let refused = commit(&opened(at), &[], "x").unwrap();
    assert_eq!(refused, Committed::RefusedByHook { said: "no tabs, please".into() });
    assert_eq!(run(at, &["rev-parse", "HEAD"]), head);
    assert_eq!(run(at, &["status", "--porcelain"]), "M new.txt", "nothing is staged by a commit that failed");
}

#[test]
fn a_setting_names_the_folder_of_hooks_only_where_the_person_trusts_it() {
    let (dir, outside) = (of_person(), tempfile::tempdir().unwrap());
    let at = dir.path();
    let mark = at.join(".git/ran");
    let script = format!("echo ran > {}", mark.display());
    hook(outside.path(), "pre-commit", &script);
    hook(at, ".githooks/pre-commit", &script);
    run(at, &["add", "."]);
    commit_all(at);
    for (place, runs) in [(outside.path().to_string_lossy().into_owned(), false), (".githooks".into(), true)]
    {
        run(at, &["config", "core.hooksPath", &place]);
        write(at, "new.txt", &place);
        done(&commit(&opened(at), &[], "x").unwrap());
        assert_eq!(fs::remove_file(&mark).is_ok(), runs, "{place}");
    }
}

#[test]
fn a_merge_that_is_not_finished_is_left_to_the_person() {
    let dir = of_person();
    write(dir.path(), "new.txt", "1\n");
    let head = run(dir.path(), &["rev-parse", "HEAD"]);
    write(dir.path(), ".git/MERGE_HEAD", &head);
    let error = commit(&opened(dir.path()), &[], "x").unwrap_err();
    assert!(error.to_string().contains("merge is not finished"), "{error}");
}

/// A repository, and a worktree of it with one commit.
fn with_worktree(place: &Path) -> (tempfile::TempDir, Repository) {
    let dir = of_person();
    write(dir.path(), "lines.txt", "1\n2\n3\n4\n5\n6\n7\n");
    run(dir.path(), &["add", "."]);
    commit_all(dir.path());
    let made = add_worktree(&opened(dir.path()), "loopdeck/mend", &place.join("mend")).unwrap();
    write(made.top(), "lines.txt", "one\n2\n3\n4\n5\n6\n7\n");
    write(made.top(), "new.txt", "new\n");
    done(&commit(&made, &[], "Mend").unwrap());
    (dir, made)
}

#[test]
fn a_branch_is_merged_back_beside_changes_that_are_not_committed() {
    let place = tempfile::tempdir().unwrap();
    let (dir, _) = with_worktree(place.path());
    let at = dir.path();
    write(at, "a b.txt", "not committed\n");
    let merged = merge_back(&opened(at), "loopdeck/mend").unwrap();
    assert!(matches!(&merged, MergedBack::Done { files: 2, .. }), "{merged:?}");
    assert_eq!(fs::read_to_string(at.join("new.txt")).unwrap(), "new\n");
    assert_eq!(run(at, &["status", "--porcelain"]), "M \"a b.txt\"", "and that stays");
    assert_eq!(merge_back(&opened(at), "loopdeck/mend").unwrap(), MergedBack::Nothing);
    assert_eq!(run(at, &["log", "--format=%s", "--merges"]), "", "there was nothing to join");
}

#[test]
fn branches_that_went_apart_are_joined_by_a_commit_of_the_person() {
    let place = tempfile::tempdir().unwrap();
    let (dir, _) = with_worktree(place.path());
    let at = dir.path();
    write(at, "lines.txt", "1\n2\n3\n4\n5\n6\nseven\n");
    commit_all(at);
    assert!(matches!(merge_back(&opened(at), "loopdeck/mend").unwrap(), MergedBack::Done { .. }));
    assert_eq!(fs::read_to_string(at.join("lines.txt")).unwrap(), "one\n2\n3\n4\n5\n6\nseven\n");
    assert_eq!(run(at, &["log", "-1", "--format=%an %s", "--merges"]), "Ana Merge branch 'loopdeck/mend'");
    assert_eq!(run(at, &["status", "--porcelain"]), "");
}

#[test]
fn a_conflict_and_what_is_in_the_way_are_named_and_nothing_is_done() {
    let place = tempfile::tempdir().unwrap();
    let (dir, _) = with_worktree(place.path());
    let at = dir.path();
    write(at, "new.txt", "mine\n");
    let before = run(at, &["rev-parse", "HEAD"]);
    let in_the_way = MergedBack::InTheWay(owned(&["new.txt"]));
    assert_eq!(merge_back(&opened(at), "loopdeck/mend").unwrap(), in_the_way);
    write(at, "lines.txt", "uno\n2\n3\n4\n5\n6\n7\n");
    run(at, &["add", "lines.txt"]);
    run(at, &["commit", "-qm", "theirs"]);
    let conflict = MergedBack::Conflict(owned(&["lines.txt"]));
    assert_eq!(merge_back(&opened(at), "loopdeck/mend").unwrap(), conflict);
    assert_eq!(run(at, &["rev-parse", "HEAD^"]), before);
    assert_eq!(fs::read_to_string(at.join("new.txt")).unwrap(), "mine\n");
}

#[test]
fn a_branch_with_commits_of_its_own_outlives_its_worktree() {
    let place = tempfile::tempdir().unwrap();
    let (dir, made) = with_worktree(place.path());
    let of = opened(dir.path());
    assert_eq!(own_commits(&of, "loopdeck/mend").unwrap(), 1);
    let left = leave_worktree(&of, &made).unwrap();
    assert_eq!((left.kept.as_deref(), made.top().exists()), (Some("loopdeck/mend"), false));
    assert_eq!(run(dir.path(), &["worktree", "list"]).lines().count(), 1);
    let made = add_worktree(&of, "empty", &place.path().join("empty")).unwrap();
    assert_eq!(leave_worktree(&of, &made).unwrap().kept, None);
    assert_eq!(run(dir.path(), &["branch", "--list", "empty"]), "");
}

#[test]
fn a_branch_is_made_here_with_every_change() {
    let dir = of_person();
    write(dir.path(), "a b.txt", "changed\n");
    branch_here(&opened(dir.path()), "loop/work").unwrap();
    let said = run(dir.path(), &["status", "--porcelain", "--branch"]);
    assert_eq!(said, "## loop/work\n M \"a b.txt\"");
    for name in ["loop/work", "a..b", "--force", "", "x y"] {
        assert!(branch_here(&opened(dir.path()), name).is_err(), "{name}");
    }
}

#[test]
fn a_branch_is_sent_and_never_by_force() {
    let (dir, shared) = (of_person(), tempfile::tempdir().unwrap());
    run(shared.path(), &["init", "-q", "--bare"]);
    assert_eq!(push(&opened(dir.path())).unwrap_err().kind(), io::ErrorKind::NotFound);
    run(dir.path(), &["remote", "add", "origin", &shared.path().to_string_lossy()]);
    let sent = push(&opened(dir.path())).unwrap();
    assert_eq!((sent.branch.as_str(), sent.remote.name.as_str()), ("main", "origin"));
    let head = run(dir.path(), &["rev-parse", "HEAD"]);
    assert_eq!(run(shared.path(), &["rev-parse", "main"]), head);
    assert_eq!(run(dir.path(), &["rev-parse", "origin/main"]), head, "it is known to be there");
    run(dir.path(), &["commit", "-q", "--amend", "-m", "another"]);
    let error = push(&opened(dir.path())).unwrap_err();
    assert_eq!(run(shared.path(), &["rev-parse", "main"]), head, "{error}");
    run(dir.path(), &["config", "remote.origin.url", "ext::sh -c 'touch /tmp/never'"]);
    assert_eq!(opened(dir.path()).remote().unwrap(), None);
}

#[test]
fn what_changed_since_a_loop_began_is_listed_by_file() {
    let dir = of_person();
    let at = dir.path();
    let long: String = (0..40).map(|line| format!("line {line}\n")).collect();
    for (name, text) in [("in/moved.txt", long.as_str()), ("gone.txt", "1\n2\n"), ("out.txt", "1\n")] {
        write(at, name, text);
    }
    write(at, ".gitignore", "ignored\n");
    run(at, &["add", "."]);
    commit_all(at);
    write(at, "dirty.txt", "before it began\n");
    let base = since::begin(&opened(at), "x").unwrap();
    assert_eq!(run(at, &["rev-parse", "refs/loopdeck-begin/x"]), base);
    assert_eq!(since::files_since(&opened(at), Some(&base)).unwrap(), []);
    run(at, &["mv", "in/moved.txt", "in/to é.txt"]);
    commit_all(at);
    write(at, "in/to é.txt", &format!("{long}one more\n"));
    fs::remove_file(at.join("gone.txt")).unwrap();
    write(at, "dirty.txt", "before it began\nafter\n");
    write(at, "new\tfile", "a\nb\nc");
    write(at, "ignored", "x");
    write(at, ".loop/a.json", "{}");
    fs::write(at.join("image.bin"), [0, 1, 2]).unwrap();
    let row = |file: &since::FileSince| {
        let lines = file.lines.map(|lines| (lines.added, lines.removed));
        (file.path.clone(), file.from.clone(), file.kind, lines)
    };
    let rows: Vec<_> = since::files_since(&opened(at), Some(&base)).unwrap().iter().map(row).collect();
    assert_eq!(
        rows,
        [
            ("dirty.txt".into(), None, ChangeKind::Changed, Some((1, 0))),
            ("gone.txt".into(), None, ChangeKind::Removed, Some((0, 2))),
            ("image.bin".into(), None, ChangeKind::Added, None),
            ("in/to é.txt".into(), Some("in/moved.txt".into()), ChangeKind::Changed, Some((1, 0))),
            ("new\tfile".into(), None, ChangeKind::Added, Some((3, 0))),
        ]
    );
    let inner = opened(&at.join("in"));
    let rows: Vec<_> = since::files_since(&inner, Some(&base)).unwrap().iter().map(row).collect();
    assert_eq!(rows.len(), 1, "of this folder only: {rows:?}");
    assert_eq!(since::bytes_in(&inner, &base, "moved.txt").unwrap(), Some(long.into_bytes()));
    assert_eq!(since::bytes_in(&opened(at), &base, "dirty.txt").unwrap().unwrap(), b"before it began\n");
    assert_eq!(since::bytes_in(&opened(at), &base, "new\tfile").unwrap(), None);
    assert!(since::bytes_in(&opened(at), &base, "../x").is_err());
    assert_eq!(run(at, &["status", "--porcelain", "image.bin"]), "?? image.bin", "the index is as it was");
}

#[test]
fn a_submodule_is_one_line_and_is_not_asked() {
    let (dir, other) = (of_person(), repository());
    let at = dir.path();
    let add = ["-c", "protocol.file.allow=always", "submodule", "add", "-q"];
    run(at, &[&add[..], &[&*other.path().to_string_lossy(), "sub"]].concat());
    commit_all(at);
    let base = since::begin(&opened(at), "x").unwrap();
    write(&at.join("sub"), "new.txt", "1\n");
    run(&at.join("sub"), &["add", "."]);
    commit_all(&at.join("sub"));
    let files = since::files_since(&opened(at), Some(&base)).unwrap();
    let [file] = &files[..] else { panic!("{files:?}") };
    assert_eq!((file.path.as_str(), file.is_submodule, file.lines), ("sub", true, None));
    done(&commit(&opened(at), &owned(&["sub"]), "x").unwrap());
    assert_eq!(run(at, &["status", "--porcelain"]), "");
}
