//! Workers of one round work in worktrees, and what they did is merged or kept.

use super::*;

const LINES: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

/// The loop in a repository with one commit; `lines.txt` is not committed.
fn in_repository(rules: Vec<Rule>) -> Driven {
    under_version_control(lay_out(&text_of("pending", "null")), rules)
}

fn under_version_control(driven: Driven, rules: Vec<Rule>) -> Driven {
    let folder = &driven.live.workspace;
    git(folder, &["init", "-q", "-b", "main"]);
    fs::write(folder.join(".gitignore"), "*.runs\n*.gate\n").unwrap();
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "x"]);
    fs::write(folder.join("lines.txt"), LINES).unwrap();
    driven.script(&Scripted { output: Output::Text, rules });
    driven
}

fn worktrees(driven: &Driven) -> RunPlan {
    RunPlan { worktrees: true, ..driven.plan("custom:scripted") }
}

/// A worker that changes a line, records that in its own file, waits for a gate in the workspace, and
/// resolves its atom.
fn changes(atom: &str, line: &str, to: &str) -> Rule {
    Rule::on("atom")
        .task(atom)
        .then(Step::Edit { path: "lines.txt".into(), old: line.into(), new: to.into() })
        .then(Step::Write { path: format!("{atom}.txt").into(), text: "done".into() })
        .answers(answer("resolved"))
}

fn lines(driven: &Driven) -> String {
    fs::read_to_string(driven.live.workspace.join("lines.txt")).unwrap()
}

fn references(driven: &Driven) -> Vec<String> {
    let listed = git(&driven.live.workspace, &["for-each-ref", "--format=%(refname)", "refs/loopdeck"]);
    listed.lines().map(str::to_owned).collect()
}

/// Checks that the workers' worktrees are removed.
fn are_removed(driven: &Driven) {
    eventually("the worktrees are removed", || {
        let listed = git(&driven.live.workspace, &["worktree", "list"]);
        (listed.lines().count() == 1).then_some(())
    });
}

#[test]
fn workers_work_in_worktrees_and_what_they_did_is_merged() {
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), changes("A2", "9\n", "nine\n")]);
    let before = git(&driven.live.workspace, &["status", "--porcelain", "lines.txt"]);
    launch(&driven, worktrees(&driven));
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(lines(&driven), "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    assert!(["A1.txt", "A2.txt"].iter().all(|file| driven.live.workspace.join(file).exists()));
    let runs = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    let places: Vec<&String> = runs.iter().filter_map(|run| run.worktree.as_ref()).collect();
    let apart = driven.live.data().apart();
    assert!(places.len() == 2 && places[0] != places[1], "{places:?}");
    assert!(places.iter().all(|place| Path::new(place).starts_with(&apart)), "{places:?}");
    are_removed(&driven);
    assert_eq!(references(&driven), Vec::<String>::new());
    assert_eq!(
        git(&driven.live.workspace, &["status", "--porcelain", "lines.txt"]),
        before,
        "nothing is staged"
    );
    // Not at once: Loopdeck starts programs of its own here, which are no agents.
    eventually("nothing works here", || driven.processes().is_empty().then_some(()));
}

#[test]
fn a_conflict_is_the_persons_who_takes_the_workers_version() {
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), changes("A2", "1\n", "uno\n")]);
    launch(&driven, worktrees(&driven));
    let need = driven.wait_for_need(AOT, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.args["about"].as_str()), ("merge_conflict", "A2"));
    assert!(need.text.starts_with("lines.txt\n"), "{}", need.text);
    let [kept] = references(&driven).try_into().unwrap();
    assert!(need.text.ends_with(&kept), "{} {kept}", need.text);
    assert!(lines(&driven).starts_with("one\n"));
    assert!(!driven.live.workspace.join("A2.txt").exists(), "all of it or nothing");
    assert_eq!(text(&driven).matches("    status: pending").count(), 1);
    are_removed(&driven);
    driven.answer(&need, NeedAnswer::GoOn);
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert!(lines(&driven).starts_with("uno\n") && driven.live.workspace.join("A2.txt").exists());
    assert_eq!(driven.ran(AOT).iter().filter(|ran| ran.starts_with("atom")).count(), 2);
}

#[test]
fn of_two_conflicts_in_one_round_the_person_is_asked_about_each() {
    let text_of = text_of("pending", "null").replace("max_parallel_agents: 2", "max_parallel_agents: 3");
    let third =
        "  - id: A3\n    description: \"Do A3\"\n    status: pending\n    depends_on: []\n\ndecompositions";
    let driven = lay_out(&text_of.replace("\ndecompositions", third));
    let rules =
        vec![changes("A1", "1\n", "one\n"), changes("A2", "1\n", "uno\n"), changes("A3", "1\n", "eins\n")];
    let mut driven = under_version_control(driven, rules);
    launch(&driven, worktrees(&driven));
    for atom in ["A2", "A3"] {
        driven.wait(AOT, "it asks", |row| row.word == StatusWord::NeedsYou);
        let need = eventually("the question about it", || {
            let mut needs = driven.live.runtime.needs().needs.into_iter();
            needs.find(|need| need.args.get("about").is_some_and(|about| about == atom))
        });
        assert_eq!(need.args["question"], "merge_conflict");
        driven.answer(&need, NeedAnswer::GoOn);
    }
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert!(lines(&driven).starts_with("eins\n"), "{}", lines(&driven));
    assert!(["A2.txt", "A3.txt"].iter().all(|file| driven.live.workspace.join(file).exists()));
    let mut ran = driven.ran(AOT);
    ran.sort();
    assert_eq!(ran, ["atom A1 ok", "atom A2 ok", "atom A3 ok"], "nothing is done twice");
}

#[test]
fn a_conflict_can_be_answered_by_doing_the_atom_again() {
    let again = Rule::on("atom").task("A2").answers(answer("resolved"));
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), changes("A2", "1\n", "uno\n")]);
    launch(&driven, worktrees(&driven));
    let need = driven.wait_for_need(AOT, NeedKind::Question);
    driven.script(&Scripted { output: Output::Text, rules: vec![again] });
    driven.answer(&need, NeedAnswer::TryAgain);
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert!(lines(&driven).starts_with("one\n"));
    assert_eq!(references(&driven).len(), 1, "it is kept all the same");
    let runs = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    let last = runs.iter().find(|run| run.action == "atom").unwrap();
    assert_eq!(last.worktree, None, "one alone works in the folder");
    let told = fs::read_to_string(driven.live.data().runs().join(&last.id).join("stdin.txt")).unwrap();
    assert!(told.contains("others changed lines.txt too"), "{told}");
}

#[test]
fn what_a_stopped_worker_did_is_kept_and_the_person_is_told_where() {
    let mut hangs = changes("A2", "9\n", "nine\n");
    hangs.steps.push(Step::Hang);
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), hangs]);
    launch(&driven, worktrees(&driven));
    eventually("A1 has ended", || driven.ran(AOT).contains(&"atom A1 ok".to_owned()).then_some(()));
    let at = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    let at =
        at.iter().find(|run| run.task.as_deref() == Some("A2")).and_then(|run| run.worktree.clone()).unwrap();
    eventually("A2 has begun", || Path::new(&at).join("A2.txt").exists().then_some(()));
    driven.live.runtime.stop_now(&driven.live.key(AOT)).unwrap();
    driven.wait_for_word(AOT, StatusWord::Stopped);
    assert_eq!(lines(&driven), "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
    let need = driven.wait_for_need(AOT, NeedKind::Failed);
    assert_eq!(need.args["code"], "work_kept");
    let [kept] = references(&driven).try_into().unwrap();
    assert_eq!(need.text, kept);
    assert!(git(&driven.live.workspace, &["show", &format!("{kept}:lines.txt")]).ends_with("nine"));
    are_removed(&driven);
}

#[test]
fn a_limit_in_a_worktree_keeps_what_others_merged_in_the_file() {
    let hangs = Rule { steps: vec![Step::Hang], ..changes("A1", "1\n", "one\n") };
    let driven = lay_out_with(&text_of("pending", "null"), |options| options.minute = Duration::from_secs(6));
    let mut driven = under_version_control(driven, vec![hangs, changes("A2", "9\n", "nine\n")]);
    launch(&driven, RunPlan { minutes: Some(1), ..worktrees(&driven) });
    let need = driven.wait_for_need(AOT, NeedKind::LimitReached);
    assert!(lines(&driven).ends_with("nine\n"), "it is merged");
    has(&driven, "    status: resolved");
    has(&driven, "    status: in_progress");
    are_removed(&driven);
    driven.script(&Scripted { output: Output::Text, rules: vec![changes("A1", "1\n", "one\n")] });
    driven.answer(&need, more("time", 100));
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(lines(&driven), "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
    let mut ran = driven.ran(AOT);
    ran[..2].sort();
    assert_eq!(ran, ["atom A1 budget", "atom A2 ok", "atom A1 ok"]);
}

#[test]
fn what_a_crash_left_in_a_worktree_is_kept() {
    let mut driven = in_repository(vec![changes("A1", "1\n", "one\n"), changes("A2", "9\n", "nine\n")]);
    let id = driven.live.key(AOT).split(':').next().unwrap().to_owned();
    let left = driven.live.data().apart().join(id).join("round/1-A1");
    fs::create_dir_all(left.parent().unwrap()).unwrap();
    git(&driven.live.workspace, &["worktree", "add", "-q", "--detach", left.to_str().unwrap()]);
    fs::write(left.join("left.txt"), "left").unwrap();
    launch(&driven, worktrees(&driven));
    driven.wait_for_word(AOT, StatusWord::Completed);
    let need = driven.wait_for_need(AOT, NeedKind::Failed);
    assert_eq!(need.args["code"], "work_kept");
    assert_eq!(git(&driven.live.workspace, &["show", &format!("{}:left.txt", need.text)]), "left");
    are_removed(&driven);
}

#[test]
fn without_a_repository_there_are_no_worktrees_and_nothing_starts() {
    let mut driven = lay_out(&text_of("pending", "null"));
    driven.script(&Scripted { output: Output::Text, rules: vec![changes("A1", "1", "one")] });
    launch(&driven, worktrees(&driven));
    let need = driven.wait_for_need(AOT, NeedKind::Failed);
    assert_eq!(need.args["code"], "no_worktrees");
    assert!(driven.ran(AOT).is_empty());
}
