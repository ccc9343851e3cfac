//! Stop and pause in any layout, and never a running loop that the plugin cannot read (AoT contract §4, §6).

use crate::aot::hook::{agree, hook};
use crate::aot::{FACTS, NOW, carry_out, detail, resume, stop, summary, text};
use loopdeck_core::control::{Intent, NoticeCode, Situation, Verb};
use loopdeck_core::formats::aot;
use loopdeck_core::loops;
use loopdeck_core::problem::ProblemCode;
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::{FileStatus, StatusWord};

/// As `yaml.dump` writes it: sorted, lists not indented.
const STOCK: &str = "---\natoms:\n- depends_on: []\n  description: Do it\n  id: A1\n  status: in_progress\n- depends_on:\n  - A1\n  \
                     description: Then this\n  id: A2\n  status: pending\nbindings: {}\ncontrol:\n  iteration: 2\n  prev_pending_count: 1\n  \
                     redirect_requested: false\n  stall_count: 0\n  status: running\n  stop_reason: null\n  stop_requested: false\ncorrections: []\n\
                     decompositions: []\nobjective:\n  background_intent: Because\n  base_case:\n    type: command\n    value: npm test\n  \
                     constraints:\n    max_iterations: 20\n    max_parallel_agents: 3\n    max_stall_count: 3\n  definition_of_done: It works\n  \
                     deliverables: A thing\n  goal: Ship it\nor_groups: {}\ntrail: []\n---\n\n# Original Prompt\n\nShip it.\n";

const CONTROL: &str = "control:\n  status: running\n  iteration: 9\n  stall_count: 1\n  prev_pending_count: 6\n  stop_requested: false\n  stop_reason: null\n  redirect_requested: false\n";

/// The good file with one thing changed.
fn with(from: &str, to: &str) -> Vec<u8> {
    let good = text("sample-04-running-or-backtracked");
    assert!(good.contains(from), "{from}");
    good.replacen(from, to, 1).into_bytes()
}

fn control(lines: &str) -> Vec<u8> {
    with(CONTROL, lines)
}

/// As `yaml.dump` writes it without sorting: sections in their order, lists not indented.
fn unsorted_stock() -> String {
    let (atoms, rest) = STOCK["---\n".len()..].split_once("bindings: {}\n").expect("atoms first");
    let (control, rest) = rest.split_once("corrections: []\n").expect("control");
    format!("---\n{control}{atoms}bindings: {{}}\ncorrections: []\n{rest}")
}

/// Each is a running loop, for any YAML reader or for the plugin's hook.
fn layouts() -> Vec<(&'static str, Vec<u8>)> {
    [of_the_file(), of_the_control()].concat()
}

/// The file as a whole is laid out in another way.
fn of_the_file() -> Vec<(&'static str, Vec<u8>)> {
    let good = text("sample-04-running-or-backtracked");
    let latin = with("description: \"", "description: \"caf\u{e9} ");
    let latin = String::from_utf8(latin).expect("utf-8").replace('\u{e9}', "\u{1}");
    let latin: Vec<u8> = latin.bytes().map(|byte| if byte == 1 { 0xe9 } else { byte }).collect();
    vec![
        ("stock dump", STOCK.into()),
        ("stock dump, unsorted", unsorted_stock().into()),
        ("extra section before", with("control:\n", "meta:\n  status: draft\ncontrol:\n")),
        ("extra section behind", with("\ntrail:", "\nlast_round:\n  status: done\ntrail:")),
        ("extra section with the flag", with("control:\n", "meta:\n  stop_requested: false\ncontrol:\n")),
        ("section twice", with("\ntrail:", "\nnotes: []\nnotes: []\ntrail:")),
        ("Latin-1", latin),
        ("three dots", with("corrections: []\n---\n", "corrections: []\n...\n")),
        ("CRLF", good.replace('\n', "\r\n").into_bytes()),
        ("BOM", format!("\u{feff}{good}").into_bytes()),
        ("quotes not escaped", with("description: \"", "description: \"say \"hi\" and ")),
        ("no YAML", with("    depends_on: [A1]\n", "    depends_on: [A1\n")),
        (
            "not closed",
            good.split("\n---\n").next().map(|front| format!("{front}\n")).expect("front").into_bytes(),
        ),
        ("YAML directive", format!("%YAML 1.2\n{good}").into_bytes()),
        ("text before it", format!("# Notes\n\nAn aside.\n{good}").into_bytes()),
        ("BOM and directive", format!("\u{feff}%YAML 1.2\n{good}").into_bytes()),
        ("directive, no flags", {
            let file = control("control:\n  status: running\n  iteration: 9\n");
            [b"%YAML 1.2\n".to_vec(), file].concat()
        }),
        (
            "circle",
            with(
                "  - id: A1\n",
                "  - id: A0\n    description: \"x\"\n    status: pending\n    depends_on: [A0]\n  - id: A1\n",
            ),
        ),
    ]
}

/// The section `control` is laid out in another way.
fn of_the_control() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        (
            "flag twice",
            control(
                &CONTROL
                    .replace("  stop_requested: false\n", "  stop_requested: false\n  stop_requested: no\n"),
            ),
        ),
        (
            "status twice",
            control(&CONTROL.replace("  status: running\n", "  status: running\n  status: running\n")),
        ),
        (
            "quoted keys",
            control(
                &CONTROL
                    .replace("  stop_requested:", "  \"stop_requested\":")
                    .replace("  status:", "  'status':"),
            ),
        ),
        ("space before the colon", control(&CONTROL.replace("stop_requested:", "stop_requested :"))),
        ("one CRLF line", control(&CONTROL.replace("stop_requested: false\n", "stop_requested: false\r\n"))),
        ("deeper", control(&CONTROL.replace("\n  ", "\n      "))),
        (
            "flow",
            control("control: {status: running, iteration: 9, stop_requested: false, stop_reason: null}\n"),
        ),
        ("comment on the status", control(&CONTROL.replace("status: running", "status: running # now"))),
        (
            "text block as reason",
            control(&CONTROL.replace("stop_reason: null", "stop_reason: |\n    two\n    lines")),
        ),
        (
            "anchors",
            control(
                &CONTROL
                    .replace("stop_requested: false", "stop_requested: &no false")
                    .replace("redirect_requested: false", "redirect_requested: *no"),
            ),
        ),
        ("no flags", control("control:\n  status: running\n  iteration: 9\n")),
        ("number that is none", control(&CONTROL.replace("iteration: 9", "iteration: 08"))),
    ]
}

fn shown(file: &[u8]) -> StatusWord {
    match summary(file).status {
        FileStatus::Unreadable => StatusWord::CannotRead,
        _ => StatusWord::RunningElsewhere,
    }
}

#[test]
fn a_loop_that_the_plugin_runs_is_stopped_and_paused_in_every_layout() {
    for (name, file) in layouts() {
        let shown = shown(&file);
        for (verb, intent, reason) in
            [(Verb::Stop, stop("enough"), "enough"), (Verb::Pause, Intent::Pause, "Paused by user")]
        {
            let situation = Situation { shown, now: NOW };
            assert_eq!(loops::refuse(&summary(&file), verb, &situation), None, "{name}: {verb:?}");
            let after =
                carry_out(&file, &intent, shown).unwrap_or_else(|refusal| panic!("{name}: {refusal:?}"));
            let read = hook(&after);
            let said = [&read["status"], &read["stop_requested"], &read["stop_reason"]];
            assert_eq!(
                said,
                ["running", "true", reason],
                "{name}: {verb:?}\n{}",
                String::from_utf8_lossy(&after)
            );
            if shown != StatusWord::CannotRead {
                assert!(summary(&after).stop_requested.is_some(), "{name}: YAML says so too");
                let atoms = |file: &[u8]| {
                    let atoms = detail(file, shown).atoms.into_iter();
                    atoms.map(|atom| (atom.id, atom.description, atom.status)).collect::<Vec<_>>()
                };
                assert_eq!(atoms(&after), atoms(&file), "{name}: the work stays");
            }
        }
    }
}

#[test]
fn what_the_layout_adds_is_said_before_the_click() {
    let notice = |file: &[u8], verb: Verb| {
        let controls = detail(file, shown(file)).controls;
        let control = controls.into_iter().find(|control| control.verb == verb).expect("listed");
        assert_eq!(control.refusal, None, "{verb:?}");
        control.notice.map(|notice| notice.code)
    };
    for (name, file) in layouts() {
        let expected = match name {
            "comment on the status"
            | "space before the colon"
            | "one CRLF line"
            | "quoted keys"
            | "text block as reason"
            | "no flags"
            | "number that is none"
            | "circle"
            | "three dots"
            | "extra section behind"
            | "status twice"
            | "section twice"
            | "stock dump, unsorted" => None,
            "flag twice"
            | "Latin-1"
            | "quotes not escaped"
            | "no YAML"
            | "not closed"
            | "YAML directive"
            | "text before it"
            | "BOM and directive"
            | "directive, no flags" => Some(NoticeCode::WritesLinesOnly),
            _ => Some(NoticeCode::RepairsLayout),
        };
        assert_eq!(notice(&file, Verb::Stop), expected, "{name}");
    }
}

#[test]
fn a_flag_is_written_in_the_one_form_that_the_hook_reads() {
    for spelling in [
        "\"stop_requested\": no",
        "'stop_requested' : false",
        "stop_requested :   false # c",
        "stop_requested: false\r",
    ] {
        let file = control(&CONTROL.replace("stop_requested: false", spelling));
        let after = carry_out(&file, &stop("x"), StatusWord::RunningElsewhere).expect("legal");
        let expected = control(
            &CONTROL
                .replace("stop_requested: false", "stop_requested: true")
                .replace("stop_reason: null", "stop_reason: \"x\""),
        );
        assert_eq!(String::from_utf8(after), String::from_utf8(expected), "{spelling}");
    }
}

#[test]
fn running_is_never_written_into_a_layout_that_the_hook_cannot_read() {
    let mut resumed = 0;
    for (name, file) in layouts() {
        let file = String::from_utf8_lossy(&file).replace("running", "stopped").into_bytes();
        let Ok(after) = carry_out(&file, &resume(), StatusWord::Stopped) else { continue };
        resumed += 1;
        assert_eq!(hook(&after)["status"], "running", "{name}");
        assert_eq!(hook(&after)["stop_requested"], "false", "{name}");
        agree(name, &after);
    }
    assert!(resumed >= 12, "only {resumed}");
    // An item whose meaning only the file knows.
    let tagged = control("control: {status: stopped, iteration: 9, x: !!int 9}\n");
    let refused = carry_out(&tagged, &resume(), StatusWord::Stopped).expect_err("no readable layout");
    assert_eq!(refused.code, RefusalCode::NotEditable);
}

/// A JSON document is YAML too, and programs that read it as JSON still can. The hook can't, so no verb makes it run; the repair
/// of its layout, which a person asks for, makes it a document that the hook reads.
#[test]
fn json_front_matter_never_runs_and_stays_json_until_it_is_repaired() {
    let json = |status: &str| {
        format!(
            r#"---
{{
  "objective": {{"goal": "Ship it", "base_case": {{"type": "command", "value": "true # x"}}, "background_intent": "b", "deliverables": "d",
    "definition_of_done": "x", "constraints": {{"max_iterations": 20, "max_parallel_agents": 3, "max_stall_count": 3}}}},
  "control": {{"status": "{status}", "iteration": 4, "stall_count": 0, "stop_reason": "Manual stop requested", "stop_requested": true}},
  "atoms": [{{"id": "A1", "description": "Do", "status": "pending", "depends_on": []}}],
  "decompositions": [], "or_groups": {{}}, "bindings": {{}}, "trail": [], "corrections": []
}}
---

# Original Prompt

Ship it.
"#
        )
    };
    for (status, shown, verb, intent) in [
        ("pending", StatusWord::NotStarted, Verb::Start, Intent::Start),
        ("stopped", StatusWord::Stopped, Verb::Resume, resume()),
        ("running", StatusWord::Interrupted, Verb::Resume, resume()),
        ("completed", StatusWord::Completed, Verb::Reopen, Intent::Reopen { raise_limit_to: None }),
    ] {
        let file = json(status);
        let refused = carry_out(file.as_bytes(), &intent, shown).expect_err(status);
        assert_eq!(refused.code, RefusalCode::UnreadLayout, "{status}");
        assert!(refused.args["rules"].contains("L3"), "{refused:?}");
        let controls = detail(file.as_bytes(), shown).controls;
        let control = controls.into_iter().find(|control| control.verb == verb).expect("listed");
        assert_eq!(control.refusal.map(|refusal| refusal.code), Some(RefusalCode::UnreadLayout), "{status}");
        let edits = aot::repair(file.as_bytes(), ProblemCode::V20_layout, NOW).expect("repairable");
        let repaired = loopdeck_text::text_edit::apply(file.as_bytes(), &edits).expect("sound edits");
        let after = carry_out(&repaired, &intent, shown).expect(status);
        assert_eq!(hook(&after)["status"], "running", "{status}");
        agree(status, &after);
    }
    // What starts no work stays JSON.
    let file = json("running");
    let after = carry_out(file.as_bytes(), &Intent::Finalise, StatusWord::Interrupted).expect("legal");
    let after = String::from_utf8(after).expect("utf-8");
    let front = after.split("---\n").nth(1).expect("front matter");
    let value: serde_json::Value =
        serde_json::from_str(front).unwrap_or_else(|error| panic!("{error}: {front}"));
    assert_eq!(value["control"]["status"], "stopped");
    let controls = detail(file.as_bytes(), StatusWord::Interrupted).controls;
    let control = controls.into_iter().find(|control| control.verb == Verb::Finalise).expect("listed");
    assert_eq!(control.notice.map(|notice| notice.code), Some(NoticeCode::HiddenFromTools));
}

/// A step of any kind with a text that is too long is refused with the limit.
#[test]
fn texts_are_written_whole_or_not_at_all() {
    let file = text("sample-04-running-or-backtracked");
    let long = "x".repeat(20_001);
    let operate = |operation: &aot::AotOperation| {
        let situation = Situation { shown: StatusWord::Running, now: NOW };
        aot::operate(file.as_bytes(), &FACTS, operation, &situation).expect_err("too long")
    };
    let id = detail(file.as_bytes(), StatusWord::Running)
        .atoms
        .into_iter()
        .find(|atom| atom.status == "in_progress")
        .expect("one works")
        .id;
    // A long result gets its own file.
    let summary = "x".repeat(200_001);
    let refused = operate(&aot::AotOperation::Resolve { id, summary, artifacts: Vec::new() });
    assert_eq!((refused.code, refused.args["field"].as_str()), (RefusalCode::TooLong, "summary"));
    assert_eq!((refused.args["limit"].as_str(), refused.args["length"].as_str()), ("200000", "200001"));
    let stopped =
        carry_out(file.as_bytes(), &stop(&"x".repeat(501)), StatusWord::Running).expect_err("too long");
    assert_eq!((stopped.code, stopped.args["limit"].as_str()), (RefusalCode::TooLong, "500"));
    let goal = aot::ObjectivePatch { goal: Some(long), ..aot::ObjectivePatch::default() };
    let redirect = aot::AotOperation::Redirect {
        change: aot::Correction::Objective(goal),
        description: "why".to_owned(),
    };
    let held = file.replacen("redirect_requested: false", "redirect_requested: true", 1);
    let situation = Situation { shown: StatusWord::Running, now: NOW };
    let refused = aot::operate(held.as_bytes(), &FACTS, &redirect, &situation).expect_err("too long");
    assert_eq!(refused.args["field"], "goal");
    let exact = "y".repeat(500);
    let after = carry_out(file.as_bytes(), &stop(&exact), StatusWord::Running).expect("exactly the limit");
    assert!(String::from_utf8(after).expect("utf-8").contains(&exact));
}
