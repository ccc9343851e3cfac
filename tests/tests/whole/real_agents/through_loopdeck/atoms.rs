//! AoT loops: atoms in parallel, a choice that fails, and a judge.

use super::*;
use loopdeck_agents::outcome::Outcome;
use loopdeck_core::checklist::Verdict;
use loopdeck_tests::atoms::{loop_with, text};
use loopdeck_tests::live::AOT;
use serde_json::Value;

const CHECKS: &str = "    checklist:\n      - item: \"Its tests pass\"\n        check:\n          type: command\n          \
    value: \"sh test.sh\"\n      - item: \"Readable\"\n        check:\n          type: quality\n          \
    criteria: \"Functions are short\"\n          pass_threshold: 3\n";
const GROUPS: &str = "\n  way:\n    choices: [A3, A4]\n    selected: A3\n    failed: []";

fn said(answer: &Value) -> String {
    format!("Done.\n```json\n{answer}\n```")
}

/// A worker on an atom, with its result.
fn worker(atom: &str, steps: Vec<Step>, status: &str) -> Rule {
    let reason = (status == "failed").then_some("There is no such library");
    let answer = json!({
        "status": status, "summary": format!("Worked on {atom}"), "artifacts": [], "children": [], "reason": reason,
        "needs": null,
    });
    steps.into_iter().fold(Rule::when(&[&format!("Atom {atom}:\n")]), Rule::then).says(said(&answer))
}

fn edit(folder: &Path, file: &str, (old, new): (&str, &str)) -> Vec<Step> {
    let path = folder.join(file).display().to_string();
    vec![Step::Read { path: path.clone() }, Step::Edit { path, old: old.into(), new: new.into() }]
}

fn judge() -> Rule {
    let scores = json!({ "scores": [{ "criterion": "Functions are short", "score": 4, "evidence": "src/money.sh: one line" }] });
    Rule::when(&["Judge the work as it is"]).shell("ls src").says(said(&scores))
}

/// Writes the loop to the workspace and waits until it is listed.
fn laid_out(played: &mut Played, atoms: &[(&str, &str, &str)], groups: &str) {
    let folder = played.driven.live.workspace.join(".claude");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(played.driven.live.workspace.join(AOT), loop_with(CHECKS, atoms, groups)).unwrap();
    played.wait(AOT, "it is listed", |_| true);
}

fn launch(played: &Played) {
    let plan = played.form(Level::FullAccess).plan;
    played.driven.live.runtime.launch(&played.driven.live.key(AOT), Some(plan), None).unwrap();
}

/// Two atoms in parallel, a choice that fails and its replacement, a command and a judge.
pub(super) fn to_the_verdict(scene: Scene<'_>) {
    let script = |folder: &Path| {
        Script::with(vec![
            worker("A1", edit(folder, "src/money.sh", tiny_project::MONEY), "resolved"),
            worker("A2", vec![Step::Shell("ls src".into())], "resolved"),
            worker("A3", vec![Step::Shell("ls src".into())], "failed"),
            worker("A4", edit(folder, "src/cart.sh", (tiny_project::CUT, tiny_project::RIGHT)), "resolved"),
            judge(),
        ])
    };
    let stage = scene.play(script, |played| {
        let atoms = [("A1", "", ""), ("A2", "", ""), ("A3", "A1, A2", "way"), ("A4", "A1, A2", "way")];
        laid_out(played, &atoms, GROUPS);
        launch(played);
        played.wait_for_word(AOT, StatusWord::Completed);
        let runs = played.runs(AOT);
        let mut did: Vec<&str> = of_the_agent(&runs).iter().filter_map(|run| run.task.as_deref()).collect();
        did[..2].sort_unstable();
        assert_eq!(did[..4], ["A1", "A2", "A3", "A4"], "{}", played.told(AOT));
        let file = text(&played.driven);
        assert!(file.contains("Auto-backtrack: A3 failed (There is no such library)"), "{file}");
        assert_eq!(played.driven.live.detail(AOT).problems, [], "{file}");
        let verifications = played.driven.live.runtime.verifications(&played.driven.live.key(AOT)).unwrap();
        assert_eq!(verifications[0].verdict, Verdict::Pass, "{}", played.told(AOT));
        played.nothing_is_left(AOT);
    });
    if let Some(stage) = stage {
        only_the_stages_key(&stage);
    }
}

/// *Stop* while two workers are in a tool that would take minutes: both are ended, and nothing is left.
pub(super) fn stopped_in_parallel(scene: Scene<'_>) {
    let slow = |atom: &str| vec![Step::Shell(format!("echo began > {atom}.txt; sleep 300"))];
    let script = |_: &Path| {
        Script::with(vec![
            worker("A1", slow("A1"), "resolved"),
            worker("A2", slow("A2"), "resolved"),
            judge(),
        ])
    };
    scene.play(script, |played| {
        laid_out(played, &[("A1", "", ""), ("A2", "", "")], " {}");
        launch(played);
        played.wait_for_file(AOT, "A1.txt");
        played.wait_for_file(AOT, "A2.txt");
        let key = played.driven.live.key(AOT);
        played.driven.live.runtime.stop_now(&key).unwrap();
        played.wait_for_word(AOT, StatusWord::Stopped);
        let runs = played.runs(AOT);
        assert_eq!(runs.len(), 2, "{}", played.told(AOT));
        assert!(runs.iter().all(|run| run.outcome == Some(Outcome::Cancelled)), "{}", played.told(AOT));
        let row = played.driven.live.row(AOT).unwrap().run.clone().unwrap();
        assert!(matches!(row.stop, Some(StopView::AllGone { ended }) if ended > 2), "{}", played.told(AOT));
        assert!(played.driven.live.runtime.needs().needs.is_empty(), "{}", played.told(AOT));
        played.nothing_is_left(AOT);
    });
}
