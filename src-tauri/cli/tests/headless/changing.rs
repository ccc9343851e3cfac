//! `redirect`, `repair`, `change`, `undo`, `history` and `restore`.

use crate::place::{Answer, Place, difference, everything};
use crate::{AOT, ID};
use loopdeck_core::control::Verb;
use loopdeck_runtime::views::VerbOptions;
use loopdeck_tests::live::{ROOT, aot, loop_v2};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use xtask::child::bound_command;

pub(crate) const DONE_KEYS: [&str; 19] = [
    "id",
    "format",
    "file",
    "verb",
    "effect",
    "command",
    "change",
    "aside",
    "moved_to",
    "notice",
    "request",
    "overwritten",
    "written_again",
    "stop",
    "status_as_written",
    "shown_status",
    "runner",
    "iteration",
    "limit",
];
const V2: &str = "loop-v2-20260122T020000-3fa91c0e";

/// A running AoT loop with OR group, decomposition and trail that is no longer worked on.
fn left_alone() -> Place {
    let place = Place::with_fixture("aot/sample-04-running-or-backtracked", "");
    place.age(AOT);
    place
}

/// A paused Loop v2 loop whose counter says seven of four tasks.
fn miscounted() -> (Place, String) {
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/1-paused-mid-develop", ROOT);
    let file = format!("{ROOT}/{V2}.json");
    let wrong = place.read(&file).replacen("\"completed\": 2", "\"completed\":  7", 1);
    place.write(&file, &wrong);
    (place, wrong)
}

fn lines(text: &[&str]) -> Vec<String> {
    text.iter().map(|line| (*line).to_owned()).collect()
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}

/// The lines of a correction of this kind.
fn correction(kind: &str, cleared: bool) -> Vec<String> {
    lines(&[
        "corrections:",
        "  - timestamp: \"TIME\"",
        &format!("    type: {kind}"),
        "    description: \"Ops: said so\"",
        &format!("    trail_cleared: {cleared}"),
    ])
}

/// The lines that a change of the graph brings, with these.
fn graph(new: &[&str]) -> Vec<String> {
    let new = [&["  prev_pending_count: -1"], new].concat();
    [lines(&new), correction("dag_adjustment", false)].concat()
}

/// The lines that it takes away, with these.
fn gone(more: &[&str]) -> Vec<String> {
    lines(&[&["  prev_pending_count: 6", "    status: in_progress"], more, &["corrections: []"]].concat())
}

/// Options of a redirect, and the lines that go and come.
fn redirects() -> [(&'static [&'static str], Vec<String>, Vec<String>); 4] {
    [
        (
            &["--max-stalls", "5"][..],
            lines(&["    max_stall_count: 3", "    status: in_progress", "corrections: []"]),
            [
                lines(&["    max_stall_count: 5", "    status: pending"]),
                correction("constraint_change", false),
            ]
            .concat(),
        ),
        (
            &["--add-atom", "Measure", "--atom-id", "A9", "--after", "A4,A5"],
            gone(&[]),
            graph(&[
                "    status: pending",
                "  - id: A9",
                "    description: \"Measure\"",
                "    status: pending",
                "    depends_on: [A4, A5]",
            ]),
        ),
        (
            &["--delete-atom", "A5"],
            // Its `pending` stays as that of the atom that was in progress.
            gone(&["  - id: A5", "    description: \"Restart integration test\"", "    depends_on: [A4]"]),
            graph(&[]),
        ),
        (
            &["--choose", "storage_method=A3_files"],
            gone(&["    selected: A3_postgres"]),
            graph(&[
                "    status: pending",
                "    selected: A3_files",
                "  - or_group: storage_method",
                "    selected: A3_files",
                "    reason: \"Ops: said so\"",
                "    timestamp: \"TIME\"",
            ]),
        ),
    ]
}

#[test]
fn a_redirect_writes_the_change_and_its_correction_and_nothing_else() {
    for (options, gone, new) in redirects() {
        let place = left_alone();
        let before = place.read(AOT);
        let done = place.json("redirect", &[&["aot-loop-state", "--why", "Ops: said so"], options].concat());
        let (was, is) = difference(&before, &place.read(AOT));
        assert_eq!((sorted(was), sorted(is)), (sorted(gone), sorted(new)), "{options:?}");
        place.promises("redirect", &done, &DONE_KEYS);
        place.promises("pause", &done, &DONE_KEYS);
        assert_eq!(done["change"]["operation"]["step"]["op"], "redirect", "{done}");
        assert_eq!((&done["verb"], &done["request"]), (&Value::Null, &Value::Null));
    }
}

#[test]
fn a_new_objective_and_work_to_be_redone_clear_what_was_built_on_the_old() {
    let place = left_alone();
    place.json("redirect", &["aot-loop-state", "--goal", "Keep \"jobs\"", "--why", "Narrower"]);
    let text = place.read(AOT);
    assert!(text.contains("\n  goal: \"Keep \\\"jobs\\\"\"\n") && text.contains("\ntrail: []\n"), "{text}");
    assert!(text.contains("    type: objective_change\n"), "{text}");
    place.json("redirect", &["aot-loop-state", "--redo", "A1", "--why", "Wrong record"]);
    let text = place.read(AOT);
    assert!(text.contains("\nbindings: {}\n") && !text.contains("status: resolved"), "{text}");
    let shown = place.json("show", &["aot-loop-state"]);
    assert_eq!(shown["detail"]["corrections"].as_array().unwrap().len(), 2);
}

#[test]
fn a_loop_at_work_holds_before_it_is_redirected() {
    let place = Place::empty();
    place.write(AOT, &aot("running", 3));
    let redirect = ["aot-loop-state", "--max-iterations", "30", "--why", "Slow"];
    place.refused("redirect", &redirect, "running");
    place.json("redirect", &["aot-loop-state", "--hold"]);
    let held = aot("running", 3).replace("redirect_requested: false", "redirect_requested: true");
    assert_eq!(place.read(AOT), held);
    place.refused("redirect", &["aot-loop-state", "--hold"], "already_paused");
    place.json("redirect", &["aot-loop-state", "--release"]);
    assert_eq!(place.read(AOT), aot("running", 3), "the direction stays, and the loop goes on as it was");
    place.refused("redirect", &["aot-loop-state", "--release"], "not_paused");
    place.json("redirect", &["aot-loop-state", "--hold"]);
    place.json("redirect", &redirect);
    let text = place.read(AOT);
    assert!(text.contains("redirect_requested: false") && text.contains("max_iterations: 30"), "{text}");
}

#[test]
fn a_dry_run_says_what_a_redirect_would_do_and_writes_nothing() {
    let place = left_alone();
    let before = everything(&place.workspace());
    let redo = ["aot-loop-state", "--redo", "A1", "--dry-run"];
    let told = place.json("redirect", &redo);
    place.promises("redirect", &told, &["id", "file", "change", "effects", "refusal", "after_hold"]);
    place.documents("redirect", &told["effects"]);
    let effects = &told["effects"];
    let ids = |list: &Value| -> Vec<String> {
        let atom = |one: &Value| one["atom"]["id"].as_str().or(one["id"].as_str()).unwrap().to_owned();
        list.as_array().unwrap().iter().map(atom).collect()
    };
    assert_eq!(ids(&effects["reset"]), ["A1"]);
    assert_eq!(ids(&effects["discarded"]), ["A1"]);
    assert_eq!(ids(&effects["interrupted"]), ["A3_postgres"]);
    assert_eq!((&told["refusal"], &effects["stall_forgiven"]), (&Value::Null, &json!(true)));
    let said = place.run("redirect", &redo).out;
    for line in ["To redo: A1 · Describe the job record", "Can start: A1 ·", "Nothing was written."] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let circle = ["aot-loop-state", "--edit-atom", "A4", "--after", "A5", "--dry-run"];
    let refused = place.refused("redirect", &circle, "would_cycle");
    assert!(refused.err.contains("A4 -> A5 -> A4"), "{refused:?}");
    assert_eq!(everything(&place.workspace()), before);
}

#[test]
fn a_dry_run_says_when_the_loop_has_to_hold_first() {
    let place = Place::empty();
    place.write(AOT, &aot("running", 3));
    let told = place.json("redirect", &["aot-loop-state", "--max-iterations", "30", "--dry-run"]);
    assert_eq!((&told["refusal"]["code"], &told["after_hold"]), (&json!("running"), &json!(true)));
    assert_eq!(told["effects"]["limits"][0]["after"], 30);
    assert_eq!(place.read(AOT), aot("running", 3));
}

#[test]
fn illegal_changes_are_refused_with_their_reason() {
    let place = left_alone();
    let id = "aot-loop-state";
    place.refused("redirect", &[id, "--delete-atom", "A4", "--why", "w"], "atom_in_use");
    place.refused("redirect", &[id, "--delete-atom", "A1", "--why", "w"], "atom_resolved");
    place.refused("redirect", &[id, "--add-atom", "x", "--atom-id", "A1", "--why", "w"], "id_taken");
    place.refused("redirect", &[id, "--choose", "storage_method=A1", "--why", "w"], "not_a_choice");
    place.refused("redirect", &[id, "--redo", "A77", "--why", "w"], "unknown_atom");
    place.refused("redirect", &[id, "--edit-atom", "A1", "--text", "x", "--why", "w"], "atom_resolved");
    place.refused("redirect", &[id, "--edit-atom", "A4", "--after", "A5", "--why", "w"], "would_cycle");
    place.refused("redirect", &[id, "--decompose", "A1", "--child", "x", "--why", "w"], "atom_resolved");
    place.refused("redirect", &[id, "--max-stalls", "0", "--why", "w"], "bad_value");
    place.refused("redirect", &[id, "--goal", "g", "--why", " "], "bad_value");
    place.refused("change", &[id, "--json-change", "{\"kind\":"], "bad_change");
    place.refused("change", &[id, "--json-change", "{\"kind\":\"everything\"}"], "bad_change");
    let tasks = json!({ "kind": "edit_tasks", "edit": { "edit": "delete", "id": "t" } }).to_string();
    place.refused("change", &[id, "--json-change", &tasks], "not_in_format");
    place.refused("repair", &[id, "recount"], "not_in_format");
    place.refused("undo", &[id], "nothing_to_undo");
    place.refused("restore", &[id, "7"], "unknown_version");
    place.refused("undo", &["nobody"], "unknown_id");
}

#[test]
fn a_repair_is_offered_done_undone_and_found_in_the_history() {
    let (place, wrong) = miscounted();
    let file = format!("{ROOT}/{V2}.json");
    let before = everything(place.folder.path());
    let offers = place.json("repair", &[V2]);
    assert_eq!((&offers[0]["code"], &offers[0]["ends"]), (&json!("recount"), &json!(["W1_counters"])));
    place.promises("repair", &offers[0], &["code", "ends", "args", "refusal"]);
    assert_eq!(place.json("show", &[V2])["detail"]["repairs"], offers);
    assert!(place.run("repair", &[V2]).out.contains("recount: fixes W1_counters\n"));
    assert_eq!(everything(place.folder.path()), before);

    let done = place.json("repair", &[V2, "recount"]);
    assert_eq!(done["change"], json!({ "kind": "repair", "repair": "recount" }));
    let right = place.read(&file);
    let (gone, new) = difference(&wrong, &right);
    assert_eq!(gone, ["      \"completed\":  7,"]);
    assert_eq!(new, ["      \"completed\":  2,"]);
    place.refused("repair", &[V2, "recount"], "nothing_to_repair");

    assert_eq!(place.json("undo", &[V2])["change"], json!({ "kind": "undo" }));
    assert_eq!(place.read(&file), wrong);
    place.json("undo", &[V2]);
    assert_eq!(place.read(&file), right);
    let history = place.json("history", &[V2]);
    let said: Vec<(&Value, bool)> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|version| (&version["cause"], version["current"].as_bool().unwrap()))
        .collect();
    let (undo, repair) = (json!("undo"), json!("repair"));
    assert_eq!(said, [(&undo, true), (&undo, false), (&repair, false), (&Value::Null, false)]);
    let promised = ["id", "at", "who", "cause", "size", "current", "readable", "asker"];
    place.promises("history", &history[0], &promised);
    let text = place.run("history", &[V2]).out;
    assert!(text.lines().count() == 4 && text.lines().next().unwrap().ends_with("(current)"), "{text}");

    let oldest = history[3]["id"].to_string();
    let restored = place.json("restore", &[V2, &oldest]);
    assert_eq!(restored["change"], json!({ "kind": "restore", "version": history[3]["id"] }));
    assert_eq!(place.read(&file), wrong);
    // Another program's word is in the file.
    place.write(&file, &right);
    place.refused("undo", &[V2], "changed_since");
}

#[test]
fn the_history_is_looked_at_without_a_trace() {
    let (place, _) = miscounted();
    assert_eq!(place.json("history", &[V2]), json!([]));
    assert!(!place.data().exists());
    place.json("repair", &[V2, "recount"]);
    let before = everything(place.folder.path());
    for (verb, rest) in [("history", &[V2][..]), ("list", &[]), ("show", &[V2]), ("repair", &[V2])] {
        place.json(verb, rest);
        assert_eq!(everything(place.folder.path()), before, "{verb}");
    }
}

#[test]
fn list_and_show_say_what_is_asked_of_a_loop() {
    let place = Place::with(ID, &loop_v2(ID, "running"));
    place.json("pause", &[ID]);
    let request = place.json("list", &[])[0]["request"].clone();
    place.promises("list", &request, &["verb", "at", "state", "sent_again", "overruled_at", "asker"]);
    // No agent is working on it: after a while without a write it is in effect, possibly before the next
    // check.
    let going = [json!("requested"), json!("in_effect")];
    assert_eq!(request["verb"], "pause");
    assert!(going.contains(&request["state"]), "{request}");
    let mut shown = place.json("show", &[ID])["request"].clone();
    assert!(going.contains(&shown["state"]), "{shown}");
    shown["state"] = request["state"].clone();
    assert_eq!(shown, request);
    // An open window uses the same journal.
    let window = place.window();
    let key = window.changes(0).rows[0].key.clone();
    window.act(&key, Verb::Stop, VerbOptions::default()).unwrap();
    assert_eq!(place.json("list", &[])[0]["request"]["verb"], "stop");
    window.undo(&key).unwrap();
    assert_eq!(place.json("list", &[])[0]["request"], Value::Null);
    drop(window);
    place.write(&format!("{ROOT}/{ID}.json"), &loop_v2(ID, "running"));
    place.json("pause", &[ID]);
    // Another writer undoes it: a check reports that and does not write it again.
    let file = place.write(&format!("{ROOT}/{ID}.json"), &loop_v2(ID, "running"));
    let before = everything(place.folder.path());
    assert_eq!(place.json("list", &[])[0]["request"]["verb"], "pause");
    assert_eq!(everything(place.folder.path()), before);
    assert!(fs::read_to_string(file).unwrap().contains("\"running\""));
}

#[test]
fn any_change_comes_as_json_from_an_argument_or_from_stdin() {
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/1-paused-mid-develop", ROOT);
    let master = place.read(&format!("{ROOT}/{V2}.json"));
    let task = json!({
        "description": "Look \u{1b}[31m again", "tool": "bash", "mode": "review", "prompt_template": "",
        "command": null, "on_error": null,
    });
    let add = |id: &str| json!({ "kind": "edit_tasks", "edit": { "edit": "add", "id": id, "task": task } });
    let done = place.json("change", &[V2, "--json-change", &add("task-one").to_string()]);
    assert_eq!(done["change"], add("task-one"));
    let piped = with_input(&place, &["change", V2, "--json-change", "-"], &add("task-two").to_string());
    assert_eq!((piped.code, piped.err.as_str()), (0, ""), "{piped:?}");
    let list = format!("{ROOT}/{V2}.tasks.jsonl");
    let both = place.read(&list);
    assert_eq!(both.lines().count(), 2, "{both}");
    assert_eq!(place.read(&format!("{ROOT}/{V2}.json")), master);
    place.refused("change", &[V2, "--json-change", &add("task-two").to_string()], "bad_value");
    let delete = json!({ "kind": "edit_tasks", "edit": { "edit": "delete", "id": "task-one" } });
    place.json("change", &[V2, "--json-change", &delete.to_string()]);
    assert_eq!(place.read(&list), both.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>());
    place.json("undo", &[V2]);
    assert_eq!(place.read(&list), both);
    // An answer of the command can be passed back to it.
    let again = place.json("change", &[V2, "--json-change", &delete.to_string()])["change"].to_string();
    place.refused("change", &[V2, "--json-change", &again], "no_such_task");
}

#[test]
fn a_task_list_stays_where_it_is() {
    let place = Place::with_fixture("ccw/codex-ccw-loop-synth/1-paused-mid-develop", ROOT);
    let [near, below] = [format!("{ROOT}/{V2}.tasks.jsonl"), format!("{ROOT}/{V2}/tasks.jsonl")];
    let first = "{\"task_id\":\"a\",\"description\":\"A\"}\n";
    place.write(&near, first);
    let task = json!({ "description": "B", "tool": "bash", "mode": "write", "prompt_template": "" });
    let add = json!({ "kind": "edit_tasks", "edit": { "edit": "add", "id": "b", "task": task } }).to_string();
    assert_eq!(place.json("change", &[V2, "--json-change", &add])["moved_to"], Value::Null);
    assert!(place.read(&near).starts_with(first) && !place.workspace().join(&below).exists());
    assert!(place.read(&near).contains("\"b\""));
    place.json("undo", &[V2]);
    assert!(place.read(&near) == first && !place.workspace().join(&below).exists());
}

fn with_input(place: &Place, words: &[&str], input: &str) -> Answer {
    let mut command = bound_command(env!("CARGO_BIN_EXE_loopdeck"));
    command.arg("--data-dir").arg(place.data()).arg(words[0]).arg(place.workspace()).args(&words[1..]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    crate::place::said(&child.wait_with_output().unwrap())
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect()
}

#[test]
fn the_help_of_change_names_every_type_field_and_word_of_every_change() {
    let help = Place::empty().run("change", &["--help"]);
    assert_eq!((help.code, help.err.as_str()), (0, ""));
    // The types exchanged with the page; another test keeps them equal to the program's.
    let bindings = include_str!("../../../../ui/src/host/bindings.ts");
    let types: BTreeMap<&str, &str> = bindings
        .split("\nexport type ")
        .skip(1)
        .filter_map(|rest| Some((rest.split_once(" = ")?.0, rest.split(";\n\n").next()?)))
        .collect();
    let code = |name: &str| -> String {
        let is_comment = |line: &&str| line.trim_start().starts_with(['/', '*']);
        let lines = types[name].lines().filter(|line| !is_comment(line));
        lines.map(|line| format!("{line}\n")).collect()
    };
    let (mut open, mut known) = (vec!["LoopChange"], BTreeSet::new());
    while let Some(name) = open.pop() {
        if known.insert(name) {
            open.extend(types.keys().filter(|other| words(&code(name)).contains(**other)));
        }
    }
    for name in [
        "Operation",
        "AotStep",
        "LoopV2Step",
        "LoopBStep",
        "Debugged",
        "WorkerOutput",
        "TaskEdit",
        "Supplied",
    ] {
        assert!(known.contains(name), "{name} is part of a change: {known:?}");
    }
    for name in known {
        let code = code(name);
        let missing: Vec<&str> = words(&code).difference(&words(&help.out)).copied().collect();
        assert!(missing.is_empty(), "the help lacks {missing:?} of {name}");
    }
}
