//! Repositories whose own settings name a program, each in its way, under everything that we ask git. Each trap is first seen to work for
//! somebody who runs git as it is.

use super::apart::{self, Merged};
use super::tests::{commit, look, opened, repository, run};
use super::{Repository, bundle, changed_in, finish, since};
use crate::brief::{Question, ask};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A repository with two commits, and a program that leaves a mark.
struct Stage {
    dir: tempfile::TempDir,
    outside: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        let stage = Self { dir: repository(), outside: tempfile::tempdir().unwrap() };
        let script = format!(
            "#!/bin/sh\necho \"$0 $@\" >> {}\ncase \"$*\" in *upload-pack*|quit) exit 1;; esac\ncat\n",
            stage.mark().display()
        );
        let hooks = stage.outside.path().join("hooks");
        fs::create_dir(&hooks).unwrap();
        for path in [stage.program(), hooks.join("post-index-change"), hooks.join("reference-transaction")] {
            fs::write(&path, &script).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        fs::write(stage.at("b.txt"), "b\n").unwrap();
        run(stage.dir.path(), &["add", "."]);
        commit(stage.dir.path());
        stage
    }

    fn at(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn program(&self) -> PathBuf {
        self.outside.path().join("evil")
    }

    fn mark(&self) -> PathBuf {
        self.outside.path().join("ran")
    }

    fn set(&self, key: &str, value: &str) {
        run(self.dir.path(), &["config", key, value]);
    }

    fn set_to_program(&self, key: &str) {
        self.set(key, &self.program().to_string_lossy());
    }

    fn attributes(&self, text: &str) {
        fs::write(self.at(".git/info/attributes"), format!("* {text}\n")).unwrap();
        fs::write(self.at(".gitattributes"), format!("* {text}\n")).unwrap();
    }

    /// Whether git as it is springs the trap. It may fail.
    fn works(&self, args: &[&str]) -> bool {
        let _ = fs::remove_file(self.mark());
        let name = ["-c", "user.name=t", "-c", "user.email=t@t"];
        let _ = ask(&Question {
            program: Path::new("git"),
            args: name.iter().chain(args).map(OsStr::new).collect(),
            folder: Some(self.dir.path()),
            environment: None,
            also: &[],
            limit: Duration::from_secs(20),
        });
        fs::remove_file(self.mark()).is_ok()
    }
}

#[test]
fn an_index_that_git_did_not_write_names_no_file_outside() {
    let dir = tempfile::tempdir().unwrap();
    let top = dir.path().join("top");
    fs::create_dir_all(top.join("zz")).unwrap();
    fs::write(dir.path().join("secret.txt"), "secret").unwrap();
    fs::write(top.join("zz/secret.txt"), "a").unwrap();
    run(&top, &["init", "-q", "-b", "main"]);
    run(&top, &["add", "."]);
    commit(&top);
    fs::remove_dir_all(top.join("zz")).unwrap();
    fs::write(top.join("new.txt"), "new").unwrap();
    let mut index = fs::read(top.join(".git/index")).unwrap();
    let at = index.windows(3).position(|name| name == b"zz/").unwrap();
    index[at..at + 2].copy_from_slice(b"..");
    fs::write(top.join(".git/index"), index).unwrap();
    let said = run(&top, &["status", "--porcelain=v1", "-z"]);
    assert!(said.contains("../secret.txt"), "git does not believe it: {said}");

    let seen = look(&top);
    assert!(seen.by_git);
    assert_eq!(seen.files.keys().collect::<Vec<_>>(), ["new.txt"]);
    assert_eq!(seen.contents.keys().collect::<Vec<_>>(), ["new.txt"], "a file outside was read");
}

/// Everything that we ask git; none of it has to come off.
fn everything(of: &Repository, place: &Path) {
    let folder = of.folder();
    let before = super::snapshot(folder, Some(of.clone()));
    fs::write(folder.join("a b.txt"), "changed\n").unwrap();
    let changed = super::changed_since(folder, &before).unwrap_or_default();
    let _ = super::changes_since(folder, &before, &changed);
    let _ = super::lines_since(folder, &before, &["a b.txt".to_owned()]);
    let _ = before.left_out(&["a b.txt".to_owned()]);
    let _ = super::uncommitted(of);
    if super::add_worktree(of, "mend", &place.join("mend")).is_ok() {
        super::remove_worktree(of, "mend", &place.join("mend"));
    }
    let _ = (bundle::origin(of), bundle::tips(of), bundle::checkpoint(of, &["b.txt".to_owned()]));
    let Ok(base) = apart::snapshot(of, None) else { return };
    let Ok(made) = apart::add(of, &base, &place.join("apart")) else { return };
    fs::write(made.folder().join("b.txt"), "theirs\n").unwrap();
    if let Ok(Some(kept)) = apart::keep(&made, "w/a") {
        fs::write(folder.join("b.txt"), "mine\n").unwrap();
        let _ = (apart::merge(of, &kept, false), apart::merge(of, &kept, true));
        apart::forget(of, &kept.reference);
    }
    if let Ok(Some(commit)) = bundle::result(&made, &base, ("x", 1)) {
        let at = place.join("x.bundle");
        let _ = (bundle::pack(of, &commit, &[], &at), bundle::unpack(of, &commit, &at));
        let _ = bundle::make_branch(of, "loopdeck/x", &commit);
        let _ = bundle::restore(&made, &commit);
        bundle::forget(of, &commit);
    }
    apart::remove(std::slice::from_ref(of), made.top());
    let _ = (since::begin(of, "x"), since::files_since(of, Some(&base)), since::bytes_in(of, &base, "b.txt"));
    let _ = (finish::branch_here(of, "loop/work"), finish::own_commits(of, "loop/work"), finish::push(of));
    if let Ok(made) = super::add_worktree(of, "back", &place.join("back")) {
        let _ = (finish::merge_back(of, "back"), finish::leave_worktree(of, &made));
    }
}

type Trap = (&'static str, fn(&Stage), &'static [&'static str]);

const TRAPS: &[Trap] = &[
    ("core.fsmonitor", |stage| stage.set_to_program("core.fsmonitor"), &["status"]),
    (
        "core.hooksPath",
        |stage| stage.set("core.hooksPath", &stage.outside.path().join("hooks").to_string_lossy()),
        &["update-ref", "refs/heads/x", "HEAD"],
    ),
    (
        ".git/hooks",
        |stage| {
            let hook = stage.at(".git/hooks/reference-transaction");
            fs::create_dir_all(hook.parent().unwrap()).unwrap();
            fs::copy(stage.program(), hook).unwrap();
        },
        &["update-ref", "refs/heads/x", "HEAD"],
    ),
    (
        "filter clean",
        |stage| {
            stage.attributes("filter=x");
            stage.set_to_program("filter.x.clean");
            fs::write(stage.at("b.txt"), "other\n").unwrap();
        },
        &["add", "--all"],
    ),
    (
        "filter smudge",
        |stage| {
            stage.attributes("filter=x");
            stage.set_to_program("filter.x.smudge");
            fs::remove_file(stage.at("b.txt")).unwrap();
        },
        &["checkout", "--", "b.txt"],
    ),
    (
        "filter process",
        |stage| {
            stage.attributes("filter=lfs");
            stage.set_to_program("filter.lfs.process");
            fs::write(stage.at("b.txt"), "other\n").unwrap();
        },
        &["add", "--all"],
    ),
    (
        "diff.external",
        |stage| {
            stage.set_to_program("diff.external");
            fs::write(stage.at("b.txt"), "other\n").unwrap();
        },
        &["diff"],
    ),
    (
        "diff textconv",
        |stage| {
            stage.attributes("diff=x");
            stage.set_to_program("diff.x.textconv");
            fs::write(stage.at("b.txt"), "other\n").unwrap();
        },
        &["diff"],
    ),
    (
        "diff command",
        |stage| {
            stage.attributes("diff=x");
            stage.set_to_program("diff.x.command");
            fs::write(stage.at("b.txt"), "other\n").unwrap();
        },
        &["diff"],
    ),
    (
        "merge driver",
        |stage| {
            stage.attributes("merge=x");
            stage.set("merge.x.driver", &format!("{} %O %A %B", stage.program().display()));
            run(stage.dir.path(), &["checkout", "-q", "-b", "other"]);
            fs::write(stage.at("b.txt"), "other\n").unwrap();
            commit(stage.dir.path());
            run(stage.dir.path(), &["checkout", "-q", "main"]);
            fs::write(stage.at("b.txt"), "main\n").unwrap();
            commit(stage.dir.path());
        },
        &["merge-tree", "--write-tree", "main", "other"],
    ),
    (
        "gpg.program",
        |stage| {
            stage.set_to_program("gpg.program");
            stage.set("commit.gpgSign", "true");
        },
        &["commit", "--allow-empty", "-qm", "x"],
    ),
    ("core.editor", |stage| stage.set_to_program("core.editor"), &["commit", "--allow-empty"]),
    (
        "core.sshCommand of a partial clone",
        |stage| {
            stage.set("remote.origin.url", "ssh://nobody@localhost/x");
            lacks_a_file(stage);
            stage.set_to_program("core.sshCommand");
        },
        &["cat-file", "-p", "HEAD:b.txt"],
    ),
    (
        "ext:: of a partial clone",
        |stage| {
            stage.set("remote.origin.url", &format!("ext::{} quit", stage.program().display()));
            stage.set("protocol.ext.allow", "always");
            lacks_a_file(stage);
        },
        &["cat-file", "-p", "HEAD:b.txt"],
    ),
    (
        "core.alternateRefsCommand",
        |stage| {
            let (other, bundle) = (stage.outside.path().join("other"), stage.outside.path().join("a.bundle"));
            run(stage.dir.path(), &["clone", "-q", ".", &other.to_string_lossy()]);
            run(&other, &["commit", "--allow-empty", "-qm", "more"]);
            run(&other, &["bundle", "create", "-q", &bundle.to_string_lossy(), "main"]);
            let objects = other.join(".git/objects");
            fs::write(stage.at(".git/objects/info/alternates"), format!("{}\n", objects.display())).unwrap();
            fs::rename(&bundle, stage.at("a.bundle")).unwrap();
            stage.set_to_program("core.alternateRefsCommand");
        },
        &["fetch", "-q", "a.bundle", "main"],
    ),
    (
        "include.path",
        |stage| {
            let included = stage.outside.path().join("included");
            fs::write(&included, format!("[core]\n\tfsmonitor = {}\n", stage.program().display())).unwrap();
            stage.set("include.path", &included.to_string_lossy());
        },
        &["status"],
    ),
    (
        "config.worktree",
        |stage| {
            stage.set("extensions.worktreeConfig", "true");
            let text = format!("[core]\n\tfsmonitor = {}\n", stage.program().display());
            fs::write(stage.at(".git/config.worktree"), text).unwrap();
        },
        &["status"],
    ),
    (
        "a submodule",
        |stage| {
            let sub = stage.at("sub");
            fs::create_dir(&sub).unwrap();
            run(&sub, &["init", "-q"]);
            run(&sub, &["commit", "--allow-empty", "-qm", "x"]);
            run(stage.dir.path(), &["-c", "advice.addEmbeddedRepo=false", "add", "sub"]);
            commit(stage.dir.path());
            let program = stage.program().to_string_lossy().into_owned();
            run(&sub, &["config", "core.fsmonitor", &program]);
            run(&sub, &["config", "filter.x.clean", &program]);
        },
        &["status"],
    ),
];

/// As in a partial clone, where a file was never fetched.
fn lacks_a_file(stage: &Stage) {
    stage.set("remote.origin.promisor", "true");
    stage.set("extensions.partialClone", "origin");
    let object = run(stage.dir.path(), &["rev-parse", "HEAD:b.txt"]);
    let (folder, name) = object.split_at(2);
    fs::remove_file(stage.at(&format!(".git/objects/{folder}/{name}"))).unwrap();
}

#[test]
fn no_setting_of_a_repository_runs_a_program() {
    let mut ran = Vec::new();
    for (name, set, springs) in TRAPS {
        let stage = Stage::new();
        set(&stage);
        assert!(stage.works(springs), "{name}: the trap does nothing");
        let place = tempfile::tempdir().unwrap();
        everything(&opened(stage.dir.path()), place.path());
        if let Ok(told) = fs::read_to_string(stage.mark()) {
            ran.push(format!("{name}: {told}"));
        }
    }
    assert_eq!(ran, Vec::<String>::new());
}

#[test]
fn all_of_it_comes_off_where_nothing_is_wrong() {
    let (stage, place) = (Stage::new(), tempfile::tempdir().unwrap());
    // What a setting of the repository says of its files holds.
    stage.set("core.autocrlf", "true");
    let of = opened(stage.dir.path());
    fs::write(stage.at("b.txt"), "b\r\n").unwrap();
    let base = apart::snapshot(&of, None).unwrap();
    let made = apart::add(&of, &base, &place.path().join("apart")).unwrap();
    assert_eq!(fs::read_to_string(made.folder().join("b.txt")).unwrap(), "b\r\n");
    fs::write(made.folder().join("b.txt"), "theirs\r\n").unwrap();
    let kept = apart::keep(&made, "w/a").unwrap().unwrap();
    assert_eq!(apart::merge(&of, &kept, false).unwrap(), Merged::Done);
    everything(&of, place.path());
}

#[test]
fn a_file_whose_filter_is_missing_is_not_kept_as_what_it_is_not() {
    let stage = Stage::new();
    stage.attributes("filter=x");
    stage.set_to_program("filter.x.clean");
    stage.set("filter.x.required", "true");
    fs::write(stage.at("b.txt"), "secret\n").unwrap();
    let error = apart::snapshot(&opened(stage.dir.path()), None).unwrap_err();
    assert!(error.to_string().contains("clean filter 'x' failed"), "{error}");
    assert!(!stage.mark().exists());
}

#[test]
fn the_commit_of_a_submodule_is_noted_without_asking_it() {
    let stage = Stage::new();
    let sub = stage.at("sub");
    fs::create_dir(&sub).unwrap();
    run(&sub, &["init", "-q"]);
    run(&sub, &["commit", "--allow-empty", "-qm", "x"]);
    run(stage.dir.path(), &["-c", "advice.addEmbeddedRepo=false", "add", "sub"]);
    commit(stage.dir.path());
    run(&sub, &["commit", "--allow-empty", "-qm", "more"]);
    let of = opened(stage.dir.path());
    assert_eq!(super::uncommitted(&of), Some(1));
    let state = apart::snapshot(&of, None).unwrap();
    let noted = run(stage.dir.path(), &["rev-parse", &format!("{state}:sub")]);
    assert_eq!(noted, run(&sub, &["rev-parse", "HEAD"]));
}

#[test]
fn a_repository_that_changed_is_not_asked() {
    let stage = Stage::new();
    let of = opened(stage.dir.path());
    let before = super::snapshot(stage.dir.path(), Some(of.clone()));
    let refused = |what: &str| {
        let error = bundle::head(&of).unwrap_err();
        assert_eq!(changed_in(&error), Some(what), "{error}");
        assert_eq!(super::failure(of.folder(), &error).args["what"], what);
        assert_eq!(super::changed_since(stage.dir.path(), &before), None);
        assert!(Repository::open(stage.dir.path(), Some(of.pin())).is_err(), "nor when it is opened again");
    };
    run(stage.dir.path(), &["config", "branch.main.remote", "origin"]);
    run(stage.dir.path(), &["config", "remote.origin.url", "/nowhere"]);
    bundle::head(&of).expect("what ordinary work writes is no change");
    for key in ["core.fsmonitor", "filter.x.clean", "include.path"] {
        stage.set(key, "/nowhere/x");
        refused(key);
        run(stage.dir.path(), &["config", "--unset", key]);
        bundle::head(&of).expect("it is as it was");
    }
    let (real, moved) = (stage.at(".git"), stage.outside.path().join("moved"));
    fs::rename(&real, &moved).unwrap();
    refused(".git");
    fs::write(&real, format!("gitdir: {}\n", moved.display())).unwrap();
    assert!(bundle::head(&of).is_err(), "a file that leads to another folder");
    assert!(Repository::open(stage.dir.path(), None).is_err(), "one that does not say that it belongs here");
    assert_eq!(super::branch(stage.dir.path()), None);
    run(&moved, &["--git-dir", ".", "config", "core.worktree", &stage.dir.path().to_string_lossy()]);
    refused(".git");
    opened(stage.dir.path()); // trusted again, as it is now
}

#[test]
fn a_worktree_belongs_to_the_repository_that_made_it() {
    let (stage, other, place) = (Stage::new(), Stage::new(), tempfile::tempdir().unwrap());
    let (of, another) = (opened(stage.dir.path()), opened(other.dir.path()));
    let base = bundle::head(&of).unwrap();
    let at = ["one", "two"].map(|name| place.path().join(name));
    let [one, _two] = at.each_ref().map(|at| apart::add(&of, &base, at).unwrap());
    assert!(apart::at(&of, &at[0]).is_ok() && apart::at(&another, &at[0]).is_err());
    for leads_to in [at[1].join(".git"), other.at(".git")] {
        let text = match fs::read_to_string(&leads_to) {
            Ok(text) => text,
            Err(_) => format!("gitdir: {}\n", leads_to.display()),
        };
        fs::write(at[0].join(".git"), text).unwrap();
        assert!(bundle::head(&one).is_err(), "{}", leads_to.display());
        assert!(apart::at(&of, &at[0]).is_err(), "{}", leads_to.display());
    }
    apart::remove(std::slice::from_ref(&of), &at[0]);
    assert!(!at[0].exists());
    assert_eq!(run(stage.dir.path(), &["worktree", "list"]).lines().count(), 2);
}
