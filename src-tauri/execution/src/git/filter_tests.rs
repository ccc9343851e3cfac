//! Filters of large files. The one that the person's own configuration names runs wherever files are taken in or put out; a repository
//! that names another program under the same name has it run nowhere. What a configuration says is read from the environment of a
//! program, so this one is started again, with one of its own.

use super::tests::{commit, opened, repository, run};
use super::{apart, bundle};
use crate::brief::{Question, ask};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const STAGE: &str = "LOOPDECK_TEST_FILTERS";
const THIS: &str = "git::filter_tests::the_persons_own_filter_runs_and_none_of_a_repository";
const SAID: &str = "the filters were seen";

/// A filter as `git-lfs` is one: it marks what it took in, and leaves a line for each start.
const FILTER: &str = r#"#!/bin/sh
echo "$1" >> "$(dirname "$0")/ran"
packet() {
    length=$(dd bs=1 count=4 2>/dev/null)
    [ -n "$length" ] || exit 0
    [ "$length" != 0000 ] || return 1
    text=$(dd bs=1 count=$((0x$length - 4)) 2>/dev/null)
}
list() {
    all= last=
    while packet; do all="$all $text" last="$text"; done
}
say() { printf '%04x%s\n' $((${#1} + 5)) "$1"; }
end() { printf 0000; }
case "$1" in
clean) sed 's/^/taken in: /' ;;
smudge) sed 's/^taken in: //' ;;
filter-process)
    list
    say git-filter-server; say version=2; end
    list
    say capability=clean; say capability=smudge; end
    while :; do
        list; command="$all"
        list
        say status=success; end
        case "$command" in
        *command=clean*) say "taken in: $last" ;;
        *) say "${last#taken in: }" ;;
        esac
        end; end
    done
    ;;
esac
"#;

/// How the person has the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    /// One program for each file.
    Each,
    /// One program for all files.
    Process,
    /// As `git lfs install --local` writes it into the repository: under its name on PATH.
    Local,
}

const COMMANDS: [(&str, &str); 3] =
    [("clean", "clean -- %f"), ("smudge", "smudge -- %f"), ("process", "filter-process")];

/// Writes the filter `lfs` of `program` into a configuration.
fn configure(file: &Path, program: &str, own: Own) {
    for (key, args) in &COMMANDS[..if own == Own::Each { 2 } else { 3 }] {
        let (key, value) = (format!("filter.lfs.{key}"), format!("{program} {args}"));
        git_config(file, &key, &value);
    }
    git_config(file, "filter.lfs.required", "true");
}

fn git_config(file: &Path, key: &str, value: &str) {
    let above = file.parent().unwrap();
    run(above, &["config", "--file", &file.to_string_lossy(), key, value]);
}

fn program(folder: &Path) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let path = folder.join("git-lfs");
    fs::write(&path, FILTER).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// Which commands of a filter were started since this was asked last.
fn ran(program: &Path) -> Vec<String> {
    let mark = program.with_file_name("ran");
    let text = fs::read_to_string(&mark).unwrap_or_default();
    let _ = fs::remove_file(mark); // it may not have run
    text.lines().map(str::to_owned).collect()
}

#[test]
fn the_persons_own_filter_runs_and_none_of_a_repository() {
    if let Some(stage) = std::env::var_os(STAGE) {
        let stage = PathBuf::from(stage);
        let own = [Own::Each, Own::Process, Own::Local];
        let own = own.into_iter().find(|own| stage.ends_with(format!("{own:?}"))).unwrap();
        see(&stage, own);
        println!("{SAID}");
        return;
    }
    for own in [Own::Each, Own::Process, Own::Local] {
        let dir = tempfile::tempdir().unwrap();
        let stage = dir.path().join(format!("{own:?}"));
        let mine = program(&stage.join("mine"));
        let global = stage.join("gitconfig");
        fs::write(&global, "").unwrap();
        if own != Own::Local {
            configure(&global, &mine.to_string_lossy(), own);
        }
        let path = std::env::var_os("PATH").unwrap();
        let folders = [stage.join("mine")].into_iter().chain(std::env::split_paths(&path));
        let path = if own == Own::Local { std::env::join_paths(folders).unwrap() } else { path.clone() };
        let mut environment: Vec<(OsString, OsString)> = std::env::vars_os().collect();
        environment.retain(|(name, _)| name != "PATH");
        environment.extend([
            (STAGE.into(), stage.clone().into_os_string()),
            ("GIT_CONFIG_GLOBAL".into(), global.into_os_string()),
            ("HOME".into(), stage.clone().into_os_string()),
            ("PATH".into(), path),
        ]);
        let answer = ask(&Question {
            program: &std::env::current_exe().unwrap(),
            args: ["--exact", THIS, "--nocapture"].map(OsStr::new).to_vec(),
            folder: None,
            environment: Some(&environment),
            also: &[],
            limit: Duration::from_secs(60),
        })
        .unwrap();
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        let wrong = String::from_utf8_lossy(&answer.stderr);
        assert!(answer.code == Some(0) && said.contains(SAID), "{own:?}: {said}{wrong}");
    }
}

fn see(stage: &Path, own: Own) {
    let (mine, theirs) = (stage.join("mine/git-lfs"), program(&stage.join("theirs")));
    let started = |command: &str| {
        let command = if own == Own::Each { command } else { "filter-process" };
        ran(&mine).iter().any(|known| known == command)
    };
    let dir = repository();
    let (folder, large) = (dir.path(), dir.path().join("large.bin"));
    let config = folder.join(".git/config");
    if own == Own::Local {
        configure(&config, "git-lfs", own);
    }
    fs::write(folder.join(".gitattributes"), "*.bin filter=lfs\n").unwrap();
    fs::write(&large, "one\n").unwrap();
    run(folder, &["add", "."]);
    commit(folder);
    assert!(!ran(&mine).is_empty(), "the filter works");
    let blob = |of: &str| run(folder, &["cat-file", "-p", &format!("{of}:large.bin")]);
    assert_eq!(blob("HEAD").trim_end(), "taken in: one");
    if own != Own::Local {
        // The trap is one for somebody who runs git as it is.
        configure(&config, &theirs.to_string_lossy(), Own::Process);
        fs::write(&large, "other\n").unwrap();
        run(folder, &["add", "."]);
        assert_eq!(ran(&theirs), ["filter-process"], "the trap works");
        ran(&mine);
    }

    let of = opened(folder);
    let place = tempfile::tempdir().unwrap();
    fs::write(&large, "two\n").unwrap();
    let state = apart::snapshot(&of, None).unwrap();
    assert!(started("clean"), "taken in");
    let made = apart::add(&of, &state, &place.path().join("apart")).unwrap();
    assert!(started("smudge"), "put out");
    let there = made.folder().join("large.bin");
    assert_eq!(fs::read_to_string(&there).unwrap(), "two\n");
    assert_eq!(blob(&state).trim_end(), "taken in: two");
    fs::write(&there, "three\n").unwrap();
    let kept = apart::keep(&made, "w/a").unwrap().unwrap();
    assert_eq!(blob(&kept.commit).trim_end(), "taken in: three");
    assert!(started("clean"), "taken in from a worktree");
    fs::write(&there, "four\n").unwrap();
    let result = bundle::result(&made, &state, ("x", 1)).unwrap().unwrap();
    assert_eq!(blob(&result).trim_end(), "taken in: four");
    assert_eq!(ran(&theirs), [""; 0], "nothing that the repository names was run");
    apart::remove(std::slice::from_ref(&of), made.top());
}
