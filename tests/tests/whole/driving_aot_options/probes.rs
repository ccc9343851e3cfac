//! Atoms are probed before a worker starts.

use super::*;

fn probed(atom: &str, feasible: bool, reason: &str) -> Rule {
    Rule::on("probe").task(atom).answers(json!({ "feasible": feasible, "reason": reason }))
}

fn does(atom: &str) -> Rule {
    let step = Step::Write { path: format!("{atom}.txt").into(), text: "done".into() };
    Rule::on("atom").task(atom).then(step).answers(answer("resolved"))
}

fn probes(driven: &Driven, probes: Probes) -> RunPlan {
    RunPlan { probes, ..driven.plan("custom:scripted") }
}

#[test]
fn an_alternative_that_is_not_feasible_gives_way_before_a_worker_starts() {
    let group = "\n  way:\n    choices: [A2, A1]\n    selected: A2\n    failed: []\n";
    let alternatives = text_of("pending", "null")
        .replace("or_groups: {}\n", &format!("or_groups:{group}"))
        .replace("    depends_on: []\n", "    depends_on: []\n    or_group: way\n");
    let mut driven = lay_out(&alternatives);
    let rules = vec![probed("A2", false, "The library is gone"), probed("A1", true, ""), does("A1")];
    driven.script(&Scripted { output: Output::Text, rules });
    launch(&driven, probes(&driven, Probes::Alternatives));
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(driven.ran(AOT), ["probe A2 ok", "probe A1 ok", "atom A1 ok"]);
    for line in ["    selected: A1", "    failed: [A2]", "  iteration: 1"] {
        has(&driven, line);
    }
    assert!(text(&driven).contains("A2 failed (Not feasible: The library is gone)"), "{}", text(&driven));
    let runs = driven.live.runtime.runs(&driven.live.key(AOT)).unwrap();
    let levels: Vec<_> = runs.iter().map(|run| (run.action.as_str(), run.level)).collect();
    assert!(levels.contains(&("probe", Some(Level::LookOnly))), "{levels:?}");
    assert!(levels.contains(&("atom", Some(Level::FullAccess))), "{levels:?}");
    driven.all_gone();
}

#[test]
fn of_an_atom_without_an_alternative_the_person_is_asked() {
    let mut driven = lay_out(&text_of("pending", "null"));
    let rules =
        vec![probed("A1", false, "There is no database"), probed("A2", true, "fine"), does("A1"), does("A2")];
    driven.script(&Scripted { output: Output::Text, rules });
    launch(&driven, probes(&driven, Probes::All));
    let need = driven.wait_for_need(AOT, NeedKind::Question);
    assert_eq!((need.args["question"].as_str(), need.args["about"].as_str()), ("not_feasible", "A1"));
    assert_eq!(need.text, "There is no database");
    assert_eq!(driven.ran(AOT), ["probe A1 ok"], "nothing was begun");
    assert_eq!(text(&driven).matches("    status: pending").count(), 2);
    driven.answer(&need, NeedAnswer::Say { text: "Make one".into() });
    driven.wait_for_word(AOT, StatusWord::Completed);
    let mut ran = driven.ran(AOT);
    ran.sort();
    assert_eq!(ran, ["atom A1 ok", "atom A2 ok", "probe A1 ok", "probe A2 ok"]);
}

#[test]
fn a_probe_that_comes_to_nothing_holds_nothing_up() {
    let mut driven = lay_out(&text_of("pending", "null"));
    let fails = Rule { exit: 3, ..Rule::on("probe").task("A1") };
    let says = Rule { says: "Looks fine".into(), ..Rule::on("probe") };
    driven.script(&Scripted { output: Output::Text, rules: vec![fails, says, does("A1"), does("A2")] });
    launch(&driven, probes(&driven, Probes::All));
    driven.wait_for_word(AOT, StatusWord::Completed);
    assert_eq!(driven.ran(AOT)[..2], ["probe A1 task_failed", "probe A2 ok"]);
}
