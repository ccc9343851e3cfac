//! What agents and git get from our environment. A process reads its environment once, so each test is a
//! separate process.
#![allow(clippy::disallowed_methods, reason = "the environment of a process is read once")]

use loopdeck_core::status::StatusWord;
use loopdeck_runtime::drivers::choices::KeptChoices;
use loopdeck_runtime::git;
use loopdeck_runtime::views::FailureKind;
use loopdeck_tests::driving::{Driven, PASSING, develops, small};
use loopdeck_tests::programs::{copy_program, write_program};
use loopdeck_tests::scripted::{Output, Step};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Names the folder of a test in its own process.
const FOLDER: &str = "LOOPDECK_TEST_ENVIRONMENT";

/// Variables set by an agent from which Loopdeck itself was started.
const OF_AN_AGENT: [&str; 4] = ["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "GEMINI_CLI", "QWEN_CODE"];

fn driven() -> Driven {
    Driven::new(env!("CARGO_BIN_EXE_guardian"), env!("CARGO_BIN_EXE_scripted_agent"))
}

/// Runs `play` in a process whose environment `change` prepared, with a folder for both.
fn alone(name: &str, change: impl FnOnce(&mut Command, &Path), play: impl FnOnce(&Path)) {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return play(Path::new(&folder));
    }
    let folder = tempfile::tempdir().unwrap();
    let mut again = Command::new(std::env::current_exe().unwrap());
    again
        .args(["--exact", &format!("agent_environment::{name}"), "--nocapture"])
        .env(FOLDER, folder.path())
        .env("SHELL", "/bin/true");
    change(&mut again, folder.path());
    let output = again.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// Names in the environment of the process that wrote `file`.
fn names_in(driven: &Driven, file: &str) -> BTreeSet<String> {
    let text = std::fs::read(driven.live.workspace.join(file)).unwrap();
    let names = text.split(|byte| *byte == 0).filter_map(|entry| entry.split(|byte| *byte == b'=').next());
    names.filter(|name| !name.is_empty()).map(|name| String::from_utf8_lossy(name).into_owned()).collect()
}

#[test]
fn an_agent_gets_what_the_form_lists_and_nothing_of_the_agent_that_loopdeck_was_started_from() {
    let change = |again: &mut Command, _: &Path| {
        again.envs(OF_AN_AGENT.map(|name| (name, "1"))).env("CI", "ours").env("KEPT_FOR_AGENTS", "1");
    };
    alone(
        "an_agent_gets_what_the_form_lists_and_nothing_of_the_agent_that_loopdeck_was_started_from",
        change,
        |_| {
            let mut driven = driven();
            let tells = develops("task-001").then(Step::Shell("cat /proc/$PPID/environ > agent.env".into()));
            driven.script(&small(Output::Text, vec![tells]));
            let mut form = driven.small_form("custom:scripted");
            form.plan.test_command = format!("cat /proc/$$/environ > tests.env; {PASSING}");
            let review = driven.live.runtime.review_start(&form);
            let inherited: BTreeSet<String> = review.inherited.iter().cloned().collect();
            assert_eq!(inherited.len(), review.inherited.len(), "each name once");
            assert!(inherited.contains("KEPT_FOR_AGENTS") && inherited.contains("PATH"), "{inherited:?}");
            let name = driven.start(&form);
            driven.wait_for_word(&name, StatusWord::Completed);
            let agent = names_in(&driven, "agent.env");
            let added: BTreeSet<String> = review.environment.keys().cloned().collect();
            let listed: BTreeSet<String> = inherited.union(&added).cloned().collect();
            // The values of an action's variables may be missing: the form shows those of the first one.
            let of_action = |name: &&String| !name.starts_with("LOOPDECK_");
            assert_eq!(
                agent.iter().filter(of_action).collect::<Vec<_>>(),
                listed.iter().filter(of_action).collect::<Vec<_>>()
            );
            let tests = names_in(&driven, "tests.env");
            for name in OF_AN_AGENT {
                assert!(!agent.contains(name) && !inherited.contains(name), "{name}");
                assert!(!tests.contains(name), "{name}");
                assert!(review.removed.iter().any(|removed| removed == name), "{name} is shown as removed");
            }
            assert!(tests.contains("CI") && tests.contains("NO_COLOR") && tests.contains("KEPT_FOR_AGENTS"));
        },
    );
}

/// A repository in `folder/repository`, created before git is removed.
fn repository(folder: &Path) {
    let repository = folder.join("repository");
    std::fs::create_dir(&repository).unwrap();
    std::fs::write(repository.join("a"), "").unwrap();
    for args in [&["init", "-q", "-b", "main"][..], &["add", "."], &["commit", "-qm", "x"]] {
        let git = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@t"])
            .args(args)
            .current_dir(&repository)
            .output();
        assert!(git.unwrap().status.success(), "{args:?}");
    }
}

/// Where programs that are not on PATH are searched.
const KNOWN: &str = "/usr/local/bin /opt/homebrew/bin /home/linuxbrew/.linuxbrew/bin";

/// An empty folder of programs, as the only one on PATH and in place of every known one. The process gets its
/// own mounts, which needs root and fails loudly without.
fn without_programs(again: &mut Command, folder: &Path) {
    repository(folder);
    std::fs::create_dir(folder.join("bare")).unwrap();
    std::fs::create_dir(folder.join("home")).unwrap();
    let hide = format!(
        "for known in {KNOWN}; do [ ! -d $known ] || /usr/bin/mount --bind \"$0\" $known || exit 1; done; exec \"$@\""
    );
    let mut hidden = Command::new("/usr/bin/unshare");
    hidden.args(["--mount", "--propagation", "private", "/bin/sh", "-c", &hide]).arg(folder.join("bare"));
    hidden.arg(again.get_program()).args(again.get_args());
    for (name, value) in again.get_envs() {
        hidden.env(name, value.unwrap_or_default());
    }
    hidden.env("PATH", folder.join("bare")).env("HOME", folder.join("home"));
    *again = hidden;
}

#[test]
fn a_git_that_is_not_on_the_path_is_used_where_it_lies() {
    let change = |again: &mut Command, folder: &Path| {
        without_programs(again, folder);
        let path = std::env::var_os("PATH").unwrap();
        let git = std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file());
        std::fs::create_dir(folder.join("home/bin")).unwrap();
        copy_program(&git.unwrap(), &folder.join("home/bin/git"));
    };
    alone("a_git_that_is_not_on_the_path_is_used_where_it_lies", change, |folder| {
        let repository = folder.join("repository");
        assert!(git::is_there());
        let repository = trusted(folder).repository(&repository).unwrap();
        assert_eq!(git::uncommitted(&repository), Some(0));
        let made = git::add_worktree(&repository, "mend", &folder.join("mend")).unwrap();
        assert_eq!(git::branch(made.top()).as_deref(), Some("mend"));
    });
}

#[test]
fn no_program_of_a_workspace_passes_for_git() {
    let change = |again: &mut Command, folder: &Path| {
        without_programs(again, folder);
        // The current folder, in all the ways in which PATH can name it.
        again.env("PATH", format!(".::{}:bin", folder.join("bare").display()));
        std::fs::create_dir(folder.join("repository/bin")).unwrap();
        for trap in ["repository/git", "repository/bin/git"] {
            write_program(&folder.join(trap), &format!("#!/bin/sh\n: > {}/ran\n", folder.display()));
        }
        again.current_dir(folder.join("repository"));
    };
    alone("no_program_of_a_workspace_passes_for_git", change, |folder| {
        assert!(!git::is_there());
        assert!(trusted(folder).repository(&folder.join("repository")).is_err());
        assert!(!folder.join("ran").exists());
    });
}

/// What a person chose who trusts the repository in `folder`.
fn trusted(folder: &Path) -> KeptChoices {
    let (choices, _) = KeptChoices::load(folder.join("choices.json"), false);
    choices.change(|choices| choices.trust(&folder.join("repository"), true)).unwrap();
    choices
}

#[test]
fn nothing_of_git_runs_before_the_folder_is_trusted() {
    let change = |again: &mut Command, folder: &Path| {
        repository(folder);
        std::fs::create_dir(folder.join("bin")).unwrap();
        let mark = format!("#!/bin/sh\necho \"$@\" >> {}/ran\nexit 1\n", folder.display());
        write_program(&folder.join("bin/git"), &mark);
        let path = std::env::var_os("PATH").unwrap();
        let path = std::iter::once(folder.join("bin")).chain(std::env::split_paths(&path));
        again.env("PATH", std::env::join_paths(path).unwrap());
    };
    alone("nothing_of_git_runs_before_the_folder_is_trusted", change, |folder| {
        let driven = driven();
        let runtime = &driven.live.runtime;
        let mut form = driven.small_form("custom:scripted");
        form.folder = folder.join("repository").to_string_lossy().into_owned();
        form.worktree = "loops/mend".into();
        assert_eq!(runtime.folder_facts(&form.folder).branch.as_deref(), Some("main"));
        let _ = runtime.review_start(&form);
        assert_eq!(runtime.start_loop(&form).unwrap_err().kind, FailureKind::BadForm);
        assert_eq!(runtime.repository(Path::new(&form.folder)).unwrap_err().kind, FailureKind::Untrusted);
        assert!(!folder.join("ran").exists());
        runtime.trust(&form.folder, true).unwrap();
        assert!(folder.join("ran").exists(), "it would have been seen");
    });
}

#[test]
fn without_git_a_worktree_is_a_problem_of_the_form_and_loops_run() {
    alone("without_git_a_worktree_is_a_problem_of_the_form_and_loops_run", without_programs, |_| {
        let mut driven = driven();
        let edits = develops("task-001").then(Step::Write { path: "made.txt".into(), text: "1".into() });
        driven.script(&small(Output::Text, vec![edits]));
        let mut form = driven.small_form("custom:scripted");
        assert_eq!(driven.live.runtime.folder_facts(&form.folder).uncommitted, None);
        form.worktree = "loops/mend".into();
        let problems = driven.live.runtime.review_start(&form).problems;
        let found = problems.iter().find(|problem| problem.field == "worktree");
        let found = found.unwrap_or_else(|| panic!("{problems:?}"));
        assert_eq!((found.code.as_str(), found.blocks), ("no_git", true));
        let failure = driven.live.runtime.start_loop(&form).unwrap_err();
        let named = (failure.args["field"].as_str(), failure.args["code"].as_str());
        assert_eq!((failure.kind, named), (FailureKind::BadForm, ("worktree", "no_git")));
        form.worktree = String::new();
        let name = driven.start(&form);
        driven.wait_for_word(&name, StatusWord::Completed);
        let task = driven.state(&name)["skill_state"]["develop"]["tasks"][0].clone();
        let changed = task["files_changed"].as_array().unwrap();
        assert!(changed.contains(&"made.txt".into()), "told apart without git: {task}");
    });
}
