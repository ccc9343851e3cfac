//! `loopdeck new --format aot`: everything that the window's form accepts.

use crate::AOT;
use crate::place::Place;
use serde_json::{Value, json};

const BASE: [&str; 6] = ["--goal", "Add login", "--format", "aot", "--check", "npm test"];

/// All options of the format, but for the last atom's place.
const OPTIONS: [[&str; 2]; 22] = [
    ["--name", "Tests pass"],
    ["--check-fails", "grep -r \"TODO\" src"],
    ["--check-file", "dist/*"],
    ["--check-no-file", "*.map"],
    ["--check-person", "It feels quick"],
    ["--check-quality", "Readable"],
    ["--threshold", "4.25"],
    ["--background", "People wait"],
    ["--deliverables", "A page"],
    ["--done", "All can log in"],
    ["--in-scope", "login"],
    ["--in-scope", "passwords"],
    ["--out-of-scope", "single sign-on"],
    ["--max-parallel", "2"],
    ["--max-stalls", "5"],
    ["--max-iterations", "7"],
    ["--atom", "Design"],
    ["--atom", "Use JWT"],
    ["--after", "A1"],
    ["--group", "token"],
    ["--atom", "Use sessions"],
    ["--atom-id", "session"],
];

fn made(place: &Place, more: &[&str]) -> Value {
    place.json("new", &[&BASE, more].concat());
    place.json("show", &["aot-loop-state"])["detail"].take()
}

#[test]
fn an_aot_loop_is_written_with_everything_that_is_said_of_it() {
    let place = Place::empty();
    let options = [OPTIONS.as_flattened(), &["--after=A1", "--group", "token"]].concat();
    let detail = made(&place, &options);
    assert_eq!(detail["problems"], json!([]));
    assert_eq!(
        detail["objective"],
        json!({
            "goal": "Add login", "background_intent": "People wait", "deliverables": "A page",
            "definition_of_done": "All can log in", "clarifications": [],
            "in_scope": ["login", "passwords"], "out_of_scope": ["single sign-on"],
            "max_iterations": 7, "max_parallel_agents": 2, "max_stall_count": 5,
        })
    );
    let check = |kind: &str, value: &str| json!({ "part": "check", "of": { "kind": kind, "value": value } });
    let item = |name: &str, part: Value| json!({ "item": name, "part": part });
    let quality = json!({ "part": "quality", "of": {
        "criteria": { "shape": "text", "of": "Readable" }, "pass_threshold": 425, "scope": null,
    } });
    assert_eq!(
        detail["present_checks"]["base_case"],
        json!({ "shape": "checklist", "of": [
            item("Tests pass", check("command", "npm test")),
            item("grep -r 'TODO' src", check("not_command", "grep -r \"TODO\" src")),
            item("dist/*", check("file", "dist/*")),
            item("*.map", check("not_file", "*.map")),
            item("It feels quick", check("assertion", "It feels quick")),
            item("Readable", quality),
        ] })
    );
    let atoms: Vec<(&str, &str, usize)> = detail["atoms"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|atom| {
            Some((atom["id"].as_str()?, atom["state"].as_str()?, atom["depends_on"].as_array()?.len()))
        })
        .collect();
    assert_eq!(atoms, [("A1", "ready", 0), ("A2", "blocked", 1), ("session", "inactive", 1)]);
    assert_eq!(detail["trail"][0]["selected"], "A2");
}

#[test]
fn a_list_in_lists_comes_as_json() {
    let place = Place::empty();
    let list = json!({ "shape": "checklist", "of": [{ "item": "One of", "part": { "part": "any_of", "of": [
        { "item": "a", "part": { "part": "check", "of": { "kind": "file", "value": "a" } } },
    ] } }] });
    let options = ["--goal", "g", "--format", "aot", "--checks", &list.to_string()];
    place.json("new", &options);
    let text = place.read(AOT);
    assert!(text.contains("      - item: \"One of\"\n        any_of:\n          - item: \"a\"\n"), "{text}");
}

#[test]
fn what_is_missing_is_named_by_option_and_place() {
    let place = Place::empty();
    let refused = |more: &[&str], said: &[&str]| {
        let refused = place.refused("new", &[&BASE, more].concat(), "bad_value_of");
        for said in said {
            assert!(refused.err.contains(said), "{more:?}: {refused:?}");
        }
    };
    refused(&["--check-fails", "a: 'b' \"c\""], &["--check 2:", "script"]);
    refused(&["--check-quality", "x", "--threshold", "1"], &["--check 2:", "at most 5"]);
    refused(&["--atom", "a", "--atom", " "], &["--atom 2:", "empty"]);
    refused(&["--atom", "a", "--after", "A9"], &["--atom 1:", "A9"]);
    refused(&["--atom", "a", "--after", "A2", "--atom", "b", "--after", "A1"], &["--atom:", "A1"]);
    refused(&["--max-stalls", "0"], &["--max-stalls:"]);
    for (options, said) in [
        (&["--goal", "g", "--format", "aot"][..], "--check"),
        (&["--goal", "g", "--format", "aot", "--checks", "{"], "--checks"),
        (&["--goal", "g", "--format", "aot", "--name", "x"], "--name"),
        (&["--goal", "g", "--format", "aot", "--after", "A1"], "--after"),
        (&["--goal", "g", "--atom", "x"], "aot"),
        (&["--goal", "g", "--replace"], "aot"),
    ] {
        let refused = place.run("new", options);
        assert!(refused.code == 2 && refused.err.contains(said), "{options:?}: {refused:?}");
    }
}

#[test]
fn a_loop_that_is_replaced_is_kept_and_comes_back() {
    let place = Place::empty();
    made(&place, &[]);
    let old = place.read(AOT);
    place.refused("new", &BASE, "exists");
    // Another program has just written that it is running.
    place.write(AOT, &old.replace("status: pending\n  iteration: 0", "status: running\n  iteration: 1"));
    let new = ["--goal", "Another goal", "--format", "aot", "--check", "true", "--replace"];
    place.refused("new", &new, "running");
    // It has been idle for an hour.
    let left = place.read(AOT);
    place.age(AOT);
    place.json("new", &new);
    let text = place.read(AOT);
    assert!(text.contains("goal: \"Another goal\"") && text.contains("status: pending"), "{text}");
    let history = place.json("history", &["aot-loop-state"]);
    assert_eq!(history[0]["cause"], "new_loop", "{history}");
    place.json("undo", &["aot-loop-state"]);
    assert_eq!(place.read(AOT), left);
}

#[test]
fn a_damaged_file_is_replaced_and_kept_too() {
    let place = Place::empty();
    place.write(AOT, "---\nobjective: [\n");
    let new = ["--goal", "g", "--format", "aot", "--check", "true", "--replace"];
    place.json("new", &new);
    assert!(place.read(AOT).contains("goal: \"g\""));
    place.json("undo", &["aot-loop-state"]);
    assert_eq!(place.read(AOT), "---\nobjective: [\n");
}
