//! The boulder of oh-my-openagent and its plan, counted a second time.

use crate::common::{assert_counts, codes, finding, ids, plan_of, read};
use crate::open_spec::assert_boxes;
use loopdeck_plans::{
    Beside, Fact, FactValue, FindingCode, ItemState, Plan, PlanKind, PlanStatus, ReadError, Request, Source,
    ready,
};
use proptest::prelude::*;

const KIND: PlanKind = PlanKind::Boulder;
const FILE: &str = ".omo/boulder.json";

const V1: &[u8] = include_bytes!("../fixtures/boulder/v1.json");
const V2: &[u8] = include_bytes!("../fixtures/boulder/v2.json");
const CAMEL: &[u8] = include_bytes!("../fixtures/boulder/camel.json");
const WINDOWS: &[u8] = include_bytes!("../fixtures/boulder/windows.json");
const NONE_ACTIVE: &[u8] = include_bytes!("../fixtures/boulder/none_active.json");
const HOSTILE: &[u8] = include_bytes!("../fixtures/boulder/hostile.json");
const SEED: &[u8] = include_bytes!("../fixtures/boulder/seed.json");
const LISTED: &[u8] = include_bytes!("../fixtures/boulder/listed.json");
const OTHER_TOOL: &[u8] = include_bytes!("../fixtures/boulder/other_tool.json");
const KITES: &[u8] = include_bytes!("../fixtures/boulder/kites.md");
const SUFFIX: &[u8] = include_bytes!("../fixtures/boulder/suffix.md");
const SIMPLE: &[u8] = include_bytes!("../fixtures/boulder/simple.md");
const STRICT: &[u8] = include_bytes!("../fixtures/boulder/strict.md");
const LETTERED: &[u8] = include_bytes!("../fixtures/boulder/lettered.md");
const BOM_CRLF: &[u8] = include_bytes!("../fixtures/boulder/bom_crlf.md");

/// The plan of a boulder with a text as its plan file.
fn plan(bytes: &[u8], file: &str, text: &[u8]) -> Plan {
    plan_of(KIND, FILE, bytes, &[(file, text)])
}

fn kites(text: &[u8]) -> Plan {
    plan(V1, "plans/kites.md", text)
}

fn fact<'p>(plan: &'p Plan, name: &str) -> Option<&'p FactValue> {
    plan.facts.iter().find(|fact: &&Fact| fact.name == name).map(|fact| &fact.value)
}

fn with_source<R>(bytes: &[u8], text: &[u8], ask: impl Fn(&Source<'_>, &Plan) -> R) -> R {
    let beside =
        [Beside { file: "plans/drums.md", bytes: text }, Beside { file: "plans/kites.md", bytes: text }];
    let source = Source { file: FILE, bytes, beside: &beside, modified: 0, now: 0 };
    let plan = KIND.read(&source).unwrap().unwrap();
    ask(&source, &plan)
}

/// Boxes in the first column outside of fences, counted line by line: all, and those with an x. With sections, only numbered ones in
/// them; `is_exact` doesn't let the heading of a section go on.
fn count(text: &[u8], is_exact: bool) -> (usize, usize) {
    let text = std::str::from_utf8(text).unwrap().trim_start_matches('\u{feff}').to_lowercase();
    let names = ["## todos", "## final verification wave"];
    let section = |line: &str| {
        let at = names.iter().position(|name| line.starts_with(name))?;
        let rest = &line[names[at].len()..];
        (if is_exact { rest.is_empty() } else { !rest.starts_with(char::is_alphanumeric) }).then_some(at)
    };
    let is_structured = text.lines().any(|line| section(line).is_some());
    let (mut fence, mut at, mut all, mut done) = (None, None, 0, 0);
    for line in text.lines() {
        let sign = ["```", "~~~"].into_iter().find(|sign| line.trim_start().starts_with(sign));
        if fence.is_some() || sign.is_some() {
            fence = if fence.is_none() { sign } else { fence.filter(|_| fence != sign) };
            continue;
        }
        if line.starts_with("## ") {
            at = section(line);
        }
        let Some((mark, rest)) = line.strip_prefix(['-', '*']).and_then(|line| line.split_once(']')) else {
            continue;
        };
        let Some(mark) = mark.trim_start().strip_prefix('[').map(str::trim) else { continue };
        let Some(rest) = rest.strip_prefix(' ').filter(|_| matches!(mark, "" | "x" | "~" | "?")) else {
            continue;
        };
        let digits = if at == Some(1) { rest.strip_prefix('f').unwrap_or("-") } else { rest };
        let digits = digits.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
        let is_numbered = digits < rest.len() && rest[rest.len() - digits..].starts_with(". ");
        let is_seen = !is_exact || matches!(mark, "" | "x");
        if !rest.is_empty() && (!is_structured || at.is_some() && is_numbered) && is_seen {
            all += 1;
            done += usize::from(mark == "x");
        }
    }
    (all, done)
}

#[test]
fn both_counts_agree() {
    for (text, all, done) in [(KITES, 5, 1), (SUFFIX, 6, 3), (SIMPLE, 5, 2), (BOM_CRLF, 2, 1)] {
        let plan = kites(text);
        assert_counts(&plan, all, done);
        assert_eq!(count(text, false), (all, done));
        assert_boxes(std::str::from_utf8(text).unwrap(), &plan.items);
        assert!(plan.items.iter().all(|item| item.file.as_deref() == Some("plans/kites.md")));
    }
}

#[test]
fn the_first_version_names_its_plan() {
    let plan = kites(KITES);
    assert_eq!(ids(&plan.items), ["1", "2", "3", "F1", "F2"]);
    assert_eq!((plan.word.as_str(), plan.status), ("", None));
    assert_eq!(plan.shown_status(), PlanStatus::Running);
    assert_eq!(plan.title.as_deref(), Some("Kites for the harbour"));
    assert_eq!(plan.goal.as_deref(), Some("Build three kites that fly in light wind."));
    assert_eq!(fact(&plan, "agent"), Some(&FactValue::Code("atlas".into())));
    assert_eq!(fact(&plan, "session_count"), Some(&FactValue::Number(2.0)));
    assert_eq!(fact(&plan, "plan_file"), Some(&FactValue::Code("plans/kites.md".into())));
    assert_eq!(fact(&plan, "tool_progress"), None);
    assert!(plan.findings.is_empty(), "{:?}", plan.findings);
}

#[test]
fn a_task_says_what_it_waits_for_and_when_it_is_done() {
    let plan = kites(KITES);
    let [first, second, third, flight, _] = &plan.items[..] else { panic!("five tasks") };
    assert_eq!(first.done_when, ["Four sticks of 80 cm", "None of them cracked"]);
    assert!(first.parallel && !second.parallel);
    assert_eq!((first.text.as_str(), first.line), ("Split the bamboo", 18));
    assert_eq!(third.group.as_deref(), Some("Wave 2"));
    let waits: Vec<_> = plan.items.iter().map(|item| item.depends_on.join(" ")).collect();
    assert_eq!(waits, ["", "1", "2", "", "1 2 3"]);
    assert_eq!(first.files, ["evidence/task-1-sticks.txt"]);
    assert_eq!(second.files, ["evidence/task-2-sail.md"]);
    assert_eq!(flight.details, "Fly each for 5 minutes.");
    // The final wave comes when all else is done.
    assert_eq!(ready(&plan), [1, 3]);
    assert_eq!(KIND.format().next(&plan), [1]);
}

#[test]
fn the_second_version_has_works_of_which_one_is_active() {
    let beside: [(&str, &[u8]); 2] = [("plans/kites.md", KITES), ("evidence/task-2-sail.md", b"seen")];
    let plan = plan_of(KIND, FILE, V2, &beside);
    assert_eq!((plan.word.as_str(), plan.status), ("active", Some(PlanStatus::Running)));
    assert_eq!(fact(&plan, "other_works"), Some(&FactValue::List(vec!["drums (completed)".into()])));
    assert_eq!(fact(&plan, "evidence"), Some(&FactValue::List(vec!["evidence/task-2-sail.md".into()])));
    let events: Vec<_> =
        plan.events.iter().map(|event| (event.text.as_str(), event.item.as_deref())).collect();
    let told = [("completed: **Split** the bamboo", Some("1")), ("completed: Cut the sail", Some("2"))];
    assert_eq!(events[..2], told);
    assert_eq!(events[2], ("running", Some("F1")));
    // A session says that the second task is done, its box doesn't.
    assert_eq!(codes(&plan), [FindingCode::SourcesDisagree]);
    assert_eq!(plan.findings[0].args[0], ("item", "2".to_owned()));
}

#[test]
fn a_work_in_progress_is_active() {
    let text = r#"{"active_plan":"plans/kites.md","plan_name":"kites","status":"in_progress"}"#;
    let plan = plan(text.as_bytes(), "plans/kites.md", KITES);
    assert_eq!((plan.word.as_str(), plan.status), ("in_progress", Some(PlanStatus::Running)));
    assert_eq!(codes(&plan), [FindingCode::UnknownWord]);
}

#[test]
fn a_heading_may_go_on_and_the_counter_of_the_tool_does_not_see_it() {
    let plan = kites(SUFFIX);
    assert_eq!(ids(&plan.items), ["0", "1", "2", "3", "F1", "F2"]);
    let states: Vec<_> = plan.items.iter().map(|item| item.state).collect();
    use ItemState::{Blocked, Done, Open, Unknown};
    assert_eq!(states, [Done, Done, Blocked, Unknown, Done, Open]);
    assert_eq!(plan.needs, ["Buy the glue that only the owner can pay"]);
    assert_eq!(codes(&plan), [FindingCode::UnknownWord]);
    // Without its headings it sees every box in the first column but the two with other marks.
    assert_eq!(count(SUFFIX, true), (7, 3));
    assert_eq!(fact(&plan, "tool_progress"), Some(&FactValue::Code("3/7".into())));
}

/// What `oh-my-opencode boulder` 4.19.4 counted in a plan of this shape.
#[test]
fn the_counter_of_the_tool_skips_tasks_that_are_written_less_strictly() {
    let plan = kites(STRICT);
    assert_eq!(ids(&plan.items), ["1", "2", "3", "04", "5", "6", "7", "F1", "F2", "F03"]);
    assert_counts(&plan, 10, 3);
    assert_eq!(fact(&plan, "tool_progress"), Some(&FactValue::Code("3/5".into())));
}

#[test]
fn numbers_may_have_a_letter_a_word_or_stars_where_a_section_has_no_plain_ones() {
    let plan = kites(LETTERED);
    assert_eq!(ids(&plan.items), ["1", "2", "3", "4", "F1"]);
    assert_counts(&plan, 5, 1);
    assert_eq!(fact(&plan, "tool_progress"), Some(&FactValue::Code("0/0".into())));
    let texts: Vec<_> = plan.items.iter().map(|item| item.text.as_str()).collect();
    let expected = [
        "Soak the willow",
        "Weave the base (by hand)",
        "Weave the sides",
        "Bend the handles",
        "Carry a stone in each",
    ];
    assert_eq!(texts, expected);
    let waits: Vec<_> = plan.items.iter().map(|item| item.depends_on.join(" ")).collect();
    assert_eq!(waits, ["", "1", "1 2", "1 3", "1 2 3 4"]);
    assert_eq!(KIND.format().next(&plan), [1]);
    assert_boxes(std::str::from_utf8(LETTERED).unwrap(), &plan.items);

    let of = |boxes: &str| {
        let plan = kites(format!("## TODOs\n{boxes}").as_bytes());
        let told = plan.items.iter().map(|item| {
            let waits = item.depends_on.iter().map(|id| format!(" < {id}")).collect::<String>();
            format!("{} {}{waits}", item.id, item.text)
        });
        told.collect::<Vec<_>>()
    };
    let below = "- [ ] T1. A\n- [x] T2. B\n  Blocked by: 1\n- [ ] Task 0.3: C\n  Blocked by: [T1, T2]\n- [ ] 1A. D\n  Blocked by: 0.3.\n";
    assert_eq!(of(below), ["T1 A", "T2 B < T1", "0.3 C < T1 < T2", "1A D < 0.3"]);
    // One number as upstream wants it, and the others are notes.
    assert_eq!(of("- [ ] 1. A\n- [ ] T2. B\n- [ ] **3. C**\n"), ["1 A"]);
    for note in
        ["8 tools", "F1-F4 agree", "v1.2 is out", "Task: x", "T. x", "AB1. x", "1.", "1..2. x", "**1**"]
    {
        assert!(of(&format!("- [ ] {note}\n")).is_empty(), "{note}");
    }
}

#[test]
fn without_sections_every_box_in_the_first_column_counts() {
    let plan = kites(SIMPLE);
    let texts: Vec<_> = plan.items.iter().map(|item| item.text.as_str()).collect();
    assert_eq!(texts, ["Skin", "Empty brackets", "Wide brackets", "No blank", "7. Tie it"]);
    assert_eq!(ids(&plan.items), ["#1", "#2", "#3", "#4", "#5"]);
    assert_eq!(plan.items[0].done_when, ["its edge"]);
    assert_eq!(fact(&plan, "tool_progress"), None);
}

#[test]
fn line_ends_and_a_byte_order_mark_shift_nothing() {
    let plan = kites(BOM_CRLF);
    assert_eq!(plan.items[0].mark, Some(18..19));
    assert_eq!((plan.items[0].text.as_str(), plan.items[0].details.as_str()), ("Größe", "- [ ] gemessen"));
    assert_eq!((plan.items[1].line, plan.items[1].state), (5, ItemState::Done));
    assert_eq!(kites("\u{feff}- [ ] First\n".as_bytes()).items[0].mark, Some(6..7));
}

#[test]
fn names_are_plain_and_never_a_path() {
    let named = |bytes: &[u8]| KIND.format().named(bytes);
    let pads = ["learnings", "issues", "decisions", "problems"].map(|pad| format!("notepads/kites/{pad}.md"));
    assert_eq!(named(V1)[..2], ["plans/kites.md", "drafts/kites.md"]);
    assert_eq!(named(V1)[2..], pads);
    assert_eq!(named(WINDOWS), named(V1));
    assert_eq!(named(CAMEL)[0], "plans/drums.md");
    assert_eq!(named(br#"{"activePlan": "C:\\x\\flutes.md"}"#)[0], "plans/flutes.md");
    assert_eq!(named(NONE_ACTIVE)[0], "plans/drums.md");
    assert_eq!(named(LISTED)[0], "plans/drums.md");
    for bytes in [HOSTILE, SEED, OTHER_TOOL, b"[".as_slice(), b""] {
        assert_eq!(named(bytes), [""; 0]);
    }
    for name in ["..", "../x/..", ".git", "a\\u0000b", "a:b", "", "x.md.", "  ", &"n".repeat(151)] {
        let bytes = format!(r#"{{"plan_name": "{name}", "active_plan": "{name}"}}"#);
        assert_eq!(named(bytes.as_bytes()), [""; 0], "{name}");
    }
    assert_eq!(named("{\"plan_name\": \"凧 v0.1\"}".as_bytes())[0], "plans/凧 v0.1.md");
}

#[test]
fn a_plan_counts_before_a_draft_and_a_missing_one_is_told() {
    let both: [(&str, &[u8]); 2] = [("drafts/kites.md", SIMPLE), ("plans/kites.md", KITES)];
    assert_counts(&plan_of(KIND, FILE, V1, &both), 5, 1);
    let draft = plan(V1, "drafts/kites.md", SUFFIX);
    assert_counts(&draft, 6, 3);
    assert_eq!(draft.items[0].file.as_deref(), Some("drafts/kites.md"));
    let none = plan(V1, "plans/other.md", KITES);
    assert_eq!(finding(&none, FindingCode::FileMissing).args, [("file", "plans/kites.md".to_owned())]);
    assert!(none.items.is_empty() && none.title.as_deref() == Some("kites"));
    assert_eq!(codes(&kites(b"Only text\n")), [FindingCode::NoItems]);
    assert_eq!(codes(&plan(SEED, "plans/kites.md", KITES)), [FindingCode::NoItems]);
}

#[test]
fn other_spellings_are_read_and_told() {
    let camel = plan(CAMEL, "plans/drums.md", SUFFIX);
    assert_eq!((camel.word.as_str(), camel.status), ("IN_PROGRESS", Some(PlanStatus::Running)));
    assert_eq!(fact(&camel, "started_at"), Some(&FactValue::Time("2026-03-01T00:00:00Z".into())));
    assert_eq!(camel.findings[0].args[1], ("found", "IN_PROGRESS".to_owned()));
    let windows = plan(WINDOWS, "plans/kites.md", KITES);
    assert_eq!(codes(&windows), [FindingCode::Corrected]);
    let listed = plan(LISTED, "plans/drums.md", SIMPLE);
    assert_eq!(listed.events.len(), 2);
    assert_eq!(codes(&listed), [FindingCode::UnknownWord]);
    let hostile = plan(HOSTILE, "plans/kites.md", KITES);
    assert_eq!((hostile.status, codes(&hostile)), (None, vec![FindingCode::NoItems]));
}

#[test]
fn without_an_active_work_the_newest_counts() {
    let plan = plan(NONE_ACTIVE, "plans/drums.md", SIMPLE);
    assert_eq!((plan.word.as_str(), plan.items.len()), ("paused", 5));
    assert_eq!(plan.status, Some(PlanStatus::Paused));
}

#[test]
fn the_status_and_the_boxes_may_disagree() {
    let with = |word: &str, text: &[u8]| {
        let bytes = format!(r#"{{"plan_name": "kites", "status": "{word}"}}"#);
        plan(bytes.as_bytes(), "plans/kites.md", text)
    };
    let told = with("completed", KITES);
    let told = finding(&told, FindingCode::SourcesDisagree);
    assert_eq!(told.args[1], ("expected", "1/5".to_owned()));
    assert_eq!(codes(&with("active", b"- [x] All\n")), [FindingCode::StaleRunning]);
    assert!(codes(&with("completed", b"- [x] All\n")).is_empty());
    assert_eq!(with("abandoned", KITES).status, Some(PlanStatus::Stopped));
}

#[test]
fn notepads_are_shown_from_their_ends() {
    let long = format!("{}\nThe last line é\n", "An early line\n".repeat(600));
    let beside: [(&str, &[u8]); 2] =
        [("notepads/kites/issues.md", b"\n"), ("notepads/kites/learnings.md", long.as_bytes())];
    let plan = plan_of(KIND, FILE, V1, &beside);
    let Some(FactValue::Text(text)) = fact(&plan, "learnings") else { panic!("learnings") };
    assert!(text.len() <= 4000 && text.starts_with("An early line\n") && text.ends_with("The last line é"));
    assert_eq!(fact(&plan, "issues"), None);
}

#[test]
fn a_file_of_another_tool_is_none_and_a_broken_one_is_refused() {
    assert_eq!(read(KIND, FILE, OTHER_TOOL, &[]), Ok(None));
    assert_eq!(read(KIND, FILE, b"{}", &[]), Ok(None));
    assert_eq!(read(KIND, FILE, b"", &[]), Err(ReadError::Empty));
    assert!(matches!(read(KIND, FILE, b"no json", &[]), Err(ReadError::NotParsed { .. })));
}

#[test]
fn a_mark_changes_its_box_and_no_other_byte() {
    for text in [KITES, SUFFIX, SIMPLE, BOM_CRLF] {
        assert_marks_change(text);
    }
}

/// As for a plan's own file: each box can get each state that has a mark, and nothing else changes.
fn assert_marks_change(text: &[u8]) {
    let before = kites(text);
    for (at, item) in before.items.iter().enumerate() {
        for to in [ItemState::Open, ItemState::Done, ItemState::Blocked] {
            let (mark, range) = (KIND.format().mark(to).unwrap(), item.mark.clone().unwrap());
            let mut changed = text.to_vec();
            changed.splice(range.clone(), mark.bytes());
            let after = kites(&changed);
            assert_eq!(after.items[at].state, to);
            assert_eq!(ids(&after.items), ids(&before.items));
            let others = |plan: &Plan| -> Vec<_> {
                plan.items
                    .iter()
                    .enumerate()
                    .filter(|(other, _)| *other != at)
                    .map(|(_, item)| item.state)
                    .collect()
            };
            assert_eq!(others(&after), others(&before));
        }
    }
}

#[test]
fn a_request_is_a_word_of_the_status_wherever_it_is_written() {
    let asked = |bytes: &[u8], request| {
        with_source(bytes, KITES, |source, plan| KIND.format().request(source, plan, request)).map(|change| {
            assert!(change.create.is_none());
            let changed = applied(bytes, &change.edits);
            (change.edits.len(), changed)
        })
    };
    let (edits, paused) = asked(V2, Request::Pause).unwrap();
    assert_eq!(edits, 2);
    let expected =
        std::str::from_utf8(V2).unwrap().replace("\"status\": \"active\"", "\"status\": \"paused\"");
    assert_eq!(paused, expected);
    assert_eq!(asked(paused.as_bytes(), Request::Resume).unwrap().1.as_bytes(), V2);
    assert!(asked(V2, Request::Stop).unwrap().1.contains("abandoned"));
    assert_eq!(asked(V2, Request::Resume), None);
    // The edition for Codex goes on with what is paused, so there is nothing to ask it for.
    let codex = std::str::from_utf8(V2).unwrap().replace("opencode:", "codex:");
    assert_eq!(asked(codex.as_bytes(), Request::Pause), None);
    // No status, and a file that isn't JSON.
    assert_eq!(asked(V1, Request::Pause), None);
    assert_eq!(asked(WINDOWS, Request::Pause), None);
}

/// A text after these edits.
fn applied(bytes: &[u8], edits: &[loopdeck_text::text_edit::TextEdit]) -> String {
    String::from_utf8(loopdeck_text::text_edit::apply(bytes, edits).unwrap()).unwrap()
}

#[test]
fn the_command_names_the_plan_if_its_name_is_plain() {
    let command = |bytes: &[u8], text: &[u8]| {
        with_source(bytes, text, |source, plan| KIND.format().command(source, plan)).unwrap_or_default()
    };
    assert_eq!(command(V1, KITES), ["opencode", "run", "/start-work kites"]);
    assert_eq!(command(V1, b"- [x] All\n"), [""; 0]);
    assert_eq!(command(V1, b"none"), [""; 0]);
    for name in ["-x", "a b", "$(x)", "凧"] {
        let bytes = format!(r#"{{"plan_name": "{name}", "active_plan": "{name}"}}"#);
        let beside = [Beside { file: &format!("plans/{name}.md"), bytes: KITES }];
        let source = Source { file: FILE, bytes: bytes.as_bytes(), beside: &beside, modified: 0, now: 0 };
        let plan = KIND.read(&source).unwrap().unwrap();
        assert_eq!(plan.items.len(), 5);
        assert_eq!(KIND.format().command(&source, &plan), None, "{name}");
    }
}

#[test]
fn many_tasks_are_read() {
    let task = "- [ ] 7. A task\n  - **Blocked By**: 1-6, 9\n  ```\n  code\n  ```\n  - [ ] evidence/a.md\n";
    let text = format!("## TODOs (all)\n{}", task.repeat(20_000));
    assert_eq!(kites(text.as_bytes()).items.len(), 20_000);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _ = read(KIND, FILE, &bytes, &[("plans/kites.md", &bytes)]);
        let _ = read(KIND, FILE, V1, &[("plans/kites.md", &bytes), ("notepads/kites/issues.md", &bytes)]);
    }

    #[test]
    fn any_name_gives_plain_names(name in "\\PC{0,20}", folder in "[./\\\\a-c]{0,8}") {
        let written = serde_json::json!({ "plan_name": name, "active_plan": format!("{folder}{name}") }).to_string();
        for file in KIND.format().named(written.as_bytes()) {
            prop_assert!(!file.contains('\\') && file.split('/').all(|part| !part.is_empty() && !part.starts_with('.')));
            prop_assert!(file.starts_with("plans/") || file.starts_with("drafts/") || file.starts_with("notepads/"));
        }
    }

    #[test]
    fn marks_are_where_they_are_said_to_be(
        pieces in proptest::collection::vec(prop_oneof![
            Just("- [ ] "), Just("* [x] "), Just("  - [~] "), Just("-[]\t"), Just("1. "), Just("F1. "), Just("ä✓\n"), Just("\n"),
            Just("\r\n"), Just("## TODOs\n"), Just("## Final Verification Wave (x)\n"), Just("# A\n"), Just("```\n"), Just("  "),
            Just("  **Blocked By**: 1-3, F1 ("), Just("evidence/a.b "), Just("~~~~\n"), Just("\u{feff}"), Just("text\n"),
        ], 0..60)
    ) {
        let text = pieces.concat();
        if !text.trim().is_empty() {
            assert_boxes(&text, &kites(text.as_bytes()).items);
            assert_marks_change(text.as_bytes());
        }
    }
}
