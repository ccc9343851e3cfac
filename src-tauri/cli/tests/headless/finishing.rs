//! `changes`, `comment` and `finish`: the way of a loop's work out of Loopdeck, by the real program and real git.

use crate::place::{Answer, Place, answer};
use loopdeck_tests::live::ROOT;
use loopdeck_tests::tiny_project;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use xtask::child::bound_command;

fn git(folder: &Path, args: &[&str]) -> String {
    let mut command = bound_command("git");
    let done = answer(command.arg("-C").arg(folder).args(args).env("LC_ALL", "C"));
    assert_eq!(done.code, 0, "{args:?}: {done:?}");
    done.out.trim_end().to_owned()
}

/// The tiny project in a repository, after an agent of the shell worked there.
fn worked(agent: &str) -> (Place, String) {
    let place = Place::empty();
    let at = place.workspace();
    tiny_project::lay_out(&at);
    place.write("kept.txt", "one\ntwo\nthree\nfour\nfive\nsix\n");
    place.write(".gitignore", ".workflow\nignored\n");
    git(&at, &["init", "-q", "-b", "main"]);
    git(&at, &["config", "user.name", "Ana"]);
    git(&at, &["config", "user.email", "ana@example.org"]);
    git(&at, &["add", "."]);
    git(&at, &["commit", "-qm", "x"]);
    place.write("mine.txt", "before\n");
    let made = place.json("new", &["--goal", "Fix it", "--shell", agent, "--test", "true"]);
    let id = made["id"].as_str().unwrap().to_owned();
    place.run("run", &[&id, "--yes-trust", "--json"]);
    (place, id)
}

/// Writes the same each time it runs, and never says a word.
const AGENT: &str = "printf 'one\\nTWO\\nthree\\nfour\\nfive\\nSIX\\n' >kept.txt; echo new >new.txt; \
                     printf 'before\\nmore\\n' >mine.txt; echo x >ignored";

fn paths(changes: &Value) -> Vec<(&str, &str)> {
    let files = changes["files"].as_array().unwrap().iter();
    files.map(|file| (file["path"].as_str().unwrap(), file["kind"].as_str().unwrap())).collect()
}

#[test]
fn what_a_loop_changed_is_listed_viewed_put_back_and_committed() {
    let (place, id) = worked(AGENT);
    let at = place.workspace();
    place.refused("changes", &[&id], "run_untrusted");
    let changes = place.json("changes", &[&id, "--yes-trust"]);
    place.documents("changes", &changes);
    place.documents("changes", &changes["files"][0]);
    let found = paths(&changes);
    for expected in [("kept.txt", "changed"), ("mine.txt", "changed"), ("new.txt", "added")] {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
    assert!(found.iter().all(|(path, _)| *path != "ignored" && !path.starts_with(".workflow")), "{found:?}");
    let file = |name: &str| {
        let files = place.json("changes", &[&id, "--yes-trust"])["files"].as_array().unwrap().clone();
        files.into_iter().find(|file| file["path"] == name).unwrap_or_default()
    };
    assert_eq!(
        file("mine.txt")["lines"]["added"],
        1,
        "what was not committed before is no change of the loop"
    );
    are_told_by_iteration(&place, &id, &changes, &file("kept.txt"));

    let texts = place.json("changes", &[&id, "kept.txt", "--viewed", "--yes-trust"]);
    place.documents("changes", &texts);
    assert_eq!((&texts["before"][1], &texts["after"][1]), (&json!("two"), &json!("TWO")));
    assert_eq!(file("kept.txt")["viewed"], true);
    let lines = ["--file", "kept.txt", "--lines", "2+1", "2+1"];
    place.json("finish", &[&[id.as_str(), "--yes-trust", "revert"], &lines[..]].concat());
    assert_eq!(place.read("kept.txt"), "one\ntwo\nthree\nfour\nfive\nSIX\n", "the other part stays");
    assert_eq!(file("kept.txt")["viewed"], false, "it is another version now");
    place.json("finish", &[&id, "--yes-trust", "revert", "--file", "new.txt"]);
    assert!(!at.join("new.txt").exists());
    let undone = place.json("finish", &[&id, "--yes-trust", "revert", "--undo"]);
    assert_eq!((undone["files"][0].as_str(), place.read("new.txt").as_str()), (Some("new.txt"), "new\n"));

    let state = place.json("finish", &[&id, "--yes-trust"]);
    place.promises(
        "finish",
        &state,
        &["branch", "worktree", "open", "hooks", "draft", "remote", "base", "reverted", "finished"],
    );
    assert_eq!((&state["branch"], &state["draft"]["title"]), (&json!("main"), &json!("Fix it")));
    let done = place.json("finish", &[&id, "--yes-trust", "commit", "-m", "- a dash", "--file", "kept.txt"]);
    assert_eq!((&done["outcome"], &done["files"]), (&json!("done"), &json!(1)), "{done}");
    assert_eq!(git(&at, &["log", "-1", "--format=%an %s", "--name-only"]), "Ana - a dash\n\nkept.txt");
    fs::write(at.join(".git/hooks/pre-commit"), "#!/bin/sh\necho no >&2; exit 1\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(at.join(".git/hooks/pre-commit"), mode).unwrap();
    let refused = place.run("finish", &[&id, "--yes-trust", "commit", "-m", "x"]);
    assert_eq!((refused.code, refused.err.as_str()), (3, ""), "{refused:?}");
    assert!(refused.out.contains("no"), "{refused:?}");
    assert_eq!(place.json("finish", &[&id, "--yes-trust"])["finished"]["how"], "committed");
}

/// Files are told apart by the runs that changed them.
fn are_told_by_iteration(place: &Place, id: &str, changes: &Value, kept: &Value) {
    let runs = &changes["runs"];
    assert_eq!((&kept["run"], &kept["changed_by"]), (&runs[0]["id"], &json!([0])), "{changes}");
    place.documents("changes", &runs[0]);
    for (iteration, expected) in [("1", true), ("9", false)] {
        let in_it = place.json("changes", &[id, "--yes-trust", "--iteration", iteration]);
        assert_eq!(paths(&in_it).contains(&("kept.txt", "changed")), expected, "{in_it}");
        assert_eq!(in_it["totals"]["lines"]["added"] == 0, !expected, "{in_it}");
    }
}

#[test]
fn a_run_is_put_back_only_as_long_as_nothing_changed_since() {
    let (place, id) = worked(AGENT);
    let changes = place.json("changes", &[&id, "--yes-trust"]);
    let files = changes["files"].as_array().unwrap();
    let run = files.iter().find(|file| file["path"] == "new.txt").unwrap()["run"].as_str().unwrap();
    let kept = place.read("kept.txt");
    place.write("mine.txt", "somebody else\n");
    place.refused("finish", &[&id, "--yes-trust", "revert", "--run", run], "shown_changed");
    assert_eq!(place.read("kept.txt"), kept);
    place.write("mine.txt", "before\nmore\n");
    place.json("finish", &[&id, "--yes-trust", "revert", "--run", run]);
    assert_eq!(place.read("mine.txt"), "before\n");
    assert!(!place.workspace().join("new.txt").exists());
    place.json("finish", &[&id, "--yes-trust", "revert", "--undo"]);
    assert_eq!((place.read("mine.txt"), place.read("kept.txt")), ("before\nmore\n".into(), kept));
    place.refused("finish", &[&id, "--yes-trust", "revert", "--undo"], "nothing_to_undo");
}

#[test]
fn comments_are_kept_and_become_tasks() {
    let (place, id) = worked("true");
    let say = ["--file", "kept.txt", "--line", "2", "-m", "Why two?"];
    assert_eq!(place.json("comment", &[&[id.as_str()], &say[..]].concat())["id"], 1);
    place.json("comment", &[&id, "-m", "And the tests?"]);
    place.refused("comment", &[&id, "--file", "../x", "-m", "no"], "bad_form");
    place.refused("comment", &[&id, "-m", " "], "bad_form");
    place.refused("comment", &[&id, "--remove", "7"], "unknown_comment");
    let listed = place.json("comment", &[&id]);
    place.documents("comment", &listed[0]);
    place.documents("comment", &listed[0]["comment"]);
    assert_eq!(listed[0]["comment"]["quote"], "two");
    let taken = place.json("comment", &[&id, "--take-up", "1"]);
    assert_eq!(taken, json!({ "count": 1, "taken_as": "task", "waits": false }));
    place.documents("comment", &taken);
    let tasks = place.read(&format!("{ROOT}/{id}.tasks.jsonl"));
    assert!(tasks.contains("kept.txt:2: Why two?") && !tasks.contains("And the tests"), "{tasks}");
    place.json("stop", &[&id]);
    let said = place.run("comment", &[&id, "--take-up"]).out;
    assert!(
        said.starts_with("1 comment is a task now.") && said.contains(" --reopen "),
        "the other one: {said}"
    );
    assert_eq!(place.json("comment", &[&id, "--take-up"])["count"], 0, "each once");
    place.json("comment", &[&id, "--remove", "2"]);
    assert_eq!(place.json("comment", &[&id]).as_array().unwrap().len(), 1);
}

#[test]
fn a_message_waits_for_an_agent_and_is_withdrawn() {
    let (place, id) = worked("true");
    place.refused("say", &[&id, "-m", " "], "bad_form");
    assert_eq!(place.json("say", &[&id, "-m", "Mind the gap"])["id"], 1);
    let told = place.json("say", &[&id]);
    place.documents("say", &told[0]);
    assert_eq!((&told[0]["text"], &told[0]["run"]), (&json!("Mind the gap"), &json!(null)));
    assert_eq!(place.json("say", &[&id, "--withdraw", "1"])["withdrawn"], 1);
    place.refused("say", &[&id, "--withdraw", "1"], "unknown_message");
    assert_eq!(place.json("say", &[&id]), json!([]));
}

/// A `gh` that notes how it is called and answers as recorded.
const GH: &str = r#"#!/bin/sh
echo "$PWD|$*" >>"$(dirname "$0")/asked"
case "$1 $2" in
"pr create") for one; do case $one in --body-file=*) cat "${one#--body-file=}" >"$(dirname "$0")/body";; esac; done
  echo https://github.com/o/r/pull/7;;
"pr view") cat "$(dirname "$0")/pull.json";;
"issue view") echo '{"number":12,"title":"Fix the cart","body":"It adds up wrongly.","url":"https://github.com/o/r/issues/12"}';;
"api --hostname=github.com") echo '[{"id":5,"user":{"login":"ana"},"path":"kept.txt","line":2,"body":"Why $(touch /tmp/never)?"}]';;
*) echo "not signed in" >&2; exit 4;;
esac
"#;

const PULL: &str = r#"{"number":7,"url":"https://github.com/o/r/pull/7","title":"Fix it","state":"OPEN","isDraft":true,
  "reviewDecision":"","latestReviews":[],"statusCheckRollup":[{"__typename":"CheckRun","conclusion":"FAILURE","name":"build",
  "status":"COMPLETED","detailsUrl":"https://github.com/o/r/actions/runs/1","workflowName":"CI"}]}"#;

/// A `tea` that does the same: it passes on what the server said.
const TEA: &str = r#"#!/bin/sh
cd "$(dirname "$0")" || exit
echo "$*" >>asked
for last; do case $last in body=@*) cat "${last#body=@}" >body;; esac; done
case "$1 $last" in
"logins json") echo '[{"name":"me","url":"https://git.example.com:3000","ssh_host":"git.example.com","user":"ana","default":"true"}]';;
"api repos/o/r") echo '{"id":1,"default_branch":"trunk"}';;
"api repos/o/r/pulls") echo '{"id":70,"number":7,"html_url":"https://git.example.com/o/r/pulls/7"}';;
"api repos/o/r/pulls/7") echo '{"id":70,"number":7,"html_url":"https://git.example.com/o/r/pulls/7","title":"WIP: Fix it",
  "state":"open","draft":true,"merged":false,"head":{"ref":"fix","sha":"0123abc"}}';;
"api repos/o/r/commits/0123abc/status") echo '{"state":"failure","statuses":[{"context":"CI / build","status":"failure"}]}';;
"api repos/o/r/pulls/7/reviews") echo '[{"id":3,"user":{"login":"ana"},"state":"COMMENT","body":"","comments_count":1}]';;
"api repos/o/r/pulls/7/reviews/3/comments") echo '[{"id":5,"user":{"login":"ana"},"path":"kept.txt","position":2,"body":"Why?"}]';;
*) echo '{"message":"not found","url":"https://git.example.com/api/swagger"}';;
esac
"#;

/// The folder below `home` with these files, which can be run.
fn scripted(home: &Path, files: &[(&str, &str)]) -> PathBuf {
    let bin = home.join(".local/bin");
    fs::create_dir_all(&bin).unwrap();
    for (name, text) in files {
        fs::write(bin.join(name), text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(bin.join(name), mode).unwrap();
    }
    bin
}

/// The program with the person's own programs of that home.
fn run_with(place: &Place, home: &Path, verb: &str, rest: &[&str]) -> Answer {
    let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.arg("--data-dir").arg(place.data()).arg(verb).arg(place.workspace()).args(rest).arg("--json");
    let others = std::env::var_os("PATH").unwrap();
    let all = [home.join(".local/bin")].into_iter().chain(std::env::split_paths(&others));
    answer(command.env("HOME", home).env("PATH", std::env::join_paths(all).unwrap()).env_remove("DISPLAY"))
}

#[test]
fn a_pull_request_of_gitea_goes_by_tea_when_the_person_is_signed_in_there() {
    let (place, id) = worked(AGENT);
    let (at, home) = (place.workspace(), place.folder.path().join("home"));
    let bin = scripted(&home, &[("tea", TEA)]);
    let good = |verb: &str, rest: &[&str]| {
        let done = run_with(&place, &home, verb, rest);
        assert_eq!(done.code, 0, "{verb} {rest:?}: {done:?}");
        done.json()
    };
    git(&at, &["checkout", "-qb", "fix"]);
    git(&at, &["remote", "add", "origin", "ssh://git@elsewhere.example:2222/o/r.git"]);
    let refused = run_with(&place, &home, "pr", &[&id, "--yes-trust", "create"]);
    assert!(refused.code == 2 && refused.err.contains("no_forge"), "signed in elsewhere: {refused:?}");
    git(&at, &["remote", "set-url", "origin", "ssh://git@git.example.com:2222/o/r.git"]);
    assert_eq!(good("finish", &[&id, "--yes-trust"])["base"], Value::Null, "only the server knows it");
    git(&at, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/dev/trunk"]);
    assert_eq!(good("finish", &[&id, "--yes-trust"])["base"], "dev/trunk");
    let create = [id.as_str(), "--yes-trust", "create", "--draft", "--reviewer", "ana", "--body", "Done."];
    let made = good("pr", &create);
    let check = &made["checks"][0];
    assert_eq!(
        (&made["number"], &made["state"], &check["name"], &check["state"]),
        (&json!(7), &json!("draft"), &json!("CI / build"), &json!("failed")),
        "{made}"
    );
    assert_eq!(fs::read_to_string(bin.join("body")).unwrap(), "Done.");
    let asked = fs::read_to_string(bin.join("asked")).unwrap();
    for part in
        ["--login me", "title=WIP: Fix it", "head=fix", "base=trunk", "reviewers=[\"ana\"]", "-X POST"]
    {
        assert!(asked.contains(part), "{part} in {asked}");
    }
    assert!(!asked.contains(&*at.to_string_lossy()), "in the workspace: {asked}");
    assert_eq!(good("pr", &[&id, "--yes-trust", "take-in"]), json!({ "checks": 1, "reviews": 1 }));
    let of_line = &good("comment", &[&id])[1]["comment"];
    assert_eq!((&of_line["path"], &of_line["line"]), (&json!("kept.txt"), &json!(2)));
    let missing = ["--from-issue", "12", "--yes-trust", "--shell", "true", "--test", "true"];
    let refused = run_with(&place, &home, "new", &missing);
    assert!(refused.code == 2 && refused.err.contains("not found"), "{refused:?}");
}

#[test]
fn a_pull_request_is_made_looked_at_and_its_failures_taken_in_by_the_persons_own_program() {
    let (place, id) = worked(AGENT);
    let at = place.workspace();
    let (home, shared) = (place.folder.path().join("home"), place.folder.path().join("shared.git"));
    let bin = scripted(&home, &[("gh", GH), ("pull.json", PULL)]);
    let run = |verb: &str, rest: &[&str]| run_with(&place, &home, verb, rest);
    let good = |verb: &str, rest: &[&str]| {
        let done = run(verb, rest);
        assert_eq!(done.code, 0, "{verb} {rest:?}: {done:?}");
        done.json()
    };
    let refused = run("pr", &[&id, "--yes-trust", "create"]);
    assert!(refused.code == 2 && refused.err.contains("no_forge"), "{refused:?}");
    git(place.folder.path(), &["init", "-q", "--bare", "shared.git"]);
    git(&at, &["remote", "add", "origin", "https://ana:secret@github.com/o/r.git"]);
    git(&at, &["config", "remote.origin.pushurl", &shared.to_string_lossy()]);
    assert_eq!(good("pr", &[&id, "--yes-trust"]), Value::Null);
    good("finish", &[&id, "--yes-trust", "branch", "fix"]);
    good("finish", &[&id, "--yes-trust", "commit", "-m", "Fix"]);
    let made = good(
        "pr",
        &[&id, "--yes-trust", "create", "--push", "--draft", "--reviewer", "ana", "--body", "Done."],
    );
    place.documents("pr", &made);
    assert_eq!(
        (&made["number"], &made["state"], &made["checks"][0]["state"]),
        (&json!(7), &json!("draft"), &json!("failed"))
    );
    let listed = &good("list", &[])[0];
    let seen = &listed["pull_request"];
    let short = [&seen["number"], &seen["state"], &seen["failed"], &seen["passed"]];
    assert_eq!(short, [&json!(7), &json!("draft"), &json!(1), &json!(0)], "{listed}");
    assert!(seen["seen"].as_f64().is_some_and(|at| at > 0.0), "with its age: {seen}");
    let told = place.run("show", &[&id]).out;
    assert!(told.contains("Pull request #7 (draft): 0 checks passed, 1 failed"), "{told}");
    assert_eq!(git(&shared, &["log", "-1", "--format=%s", "fix"]), "Fix");
    assert_eq!(fs::read_to_string(bin.join("body")).unwrap(), "Done.");
    let asked = fs::read_to_string(bin.join("asked")).unwrap();
    for part in ["--head=fix", "--draft", "--reviewer=ana", "--title=Fix it", "--repo=github.com/o/r"] {
        assert!(asked.contains(part), "{part} in {asked}");
    }
    assert!(
        !asked.contains("secret") && !asked.contains(&*at.to_string_lossy()),
        "in the workspace: {asked}"
    );
    let taken = good("pr", &[&id, "--yes-trust", "take-in"]);
    assert_eq!(taken, json!({ "checks": 1, "reviews": 1 }));
    let again = good("pr", &[&id, "--yes-trust", "take-in"]);
    assert_eq!(again, json!({ "checks": 0, "reviews": 0 }), "each once");
    let of_review = &good("comment", &[&id])[1]["comment"];
    assert_eq!((&of_review["path"], &of_review["line"]), (&json!("kept.txt"), &json!(2)));
    assert!(!Path::new("/tmp/never").exists());
    let new = good("new", &["--from-issue", "#12", "--yes-trust", "--shell", "true", "--test", "true"]);
    assert_eq!(new["title"], "Fix the cart");
    let other = new["id"].as_str().unwrap();
    assert_eq!(good("finish", &[other, "--yes-trust"])["draft"]["closes"], 12);
    good("pr", &[other, "--yes-trust", "create", "--body", "Once more"]);
    assert_eq!(fs::read_to_string(bin.join("body")).unwrap(), "Once more\n\nCloses #12\n");
}
