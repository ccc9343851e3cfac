//! Ralph-claude-code: its plan with its run, counted a second time.

use crate::common::{NOW, assert_counts, assert_only_marks_change, codes, finding, ids, plan_of, read};
use loopdeck_plans::{
    Beside, FactValue, FindingCode, Found, ItemState, Plan, PlanKind, PlanStatus, ReadError, Request, Source,
};
use proptest::prelude::*;

const PLAN: &str = ".ralph/fix_plan.md";

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/frankbria/", $name)).as_slice()
    };
}

fn plan(bytes: &[u8], beside: &[(&str, &[u8])]) -> Plan {
    plan_of(PlanKind::Frankbria, PLAN, bytes, beside)
}

/// What the tool itself counts: ticked ones anywhere, open ones outside of sections with these titles.
fn counted(text: &str, optional: &[&str]) -> (usize, usize) {
    let (mut done, mut open, mut depth) = (0, 0, None);
    for line in text.trim_start_matches('\u{feff}').lines().map(str::trim) {
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if level > 0 && line[level..].starts_with(' ') {
            if depth.is_some_and(|depth| level <= depth) {
                depth = None;
            }
            if optional.contains(&line[level..].trim().to_lowercase().as_str()) {
                depth = Some(level);
            }
        }
        done += usize::from(line.starts_with("- [x]") || line.starts_with("- [X]"));
        open += usize::from(line.starts_with("- [ ]") && depth.is_none());
    }
    (done, done + open)
}

const DEFAULT: [&str; 4] = ["optional", "future", "future enhancements", "nice to have"];

#[test]
fn boxes_below_their_headings_count_as_the_tool_counts_them() {
    for (bytes, all, done) in [
        (fixture!("priorities.md"), 6, 3),
        (fixture!("optional.md"), 4, 2),
        (fixture!("bom_crlf.md"), 3, 1),
        (fixture!("old_root.md"), 2, 0),
    ] {
        let plan = plan(bytes, &[]);
        assert_counts(&plan, all, done);
        assert_eq!(plan.progress(), counted(std::str::from_utf8(bytes).unwrap(), &DEFAULT));
    }
}

#[test]
fn priorities_are_in_the_headings() {
    let plan = plan(fixture!("priorities.md"), &[]);
    assert_eq!(plan.title.as_deref(), Some("Ralph Fix Plan"));
    let priorities: Vec<_> = plan.items.iter().map(|item| item.priority.as_deref().unwrap()).collect();
    assert_eq!(priorities, ["High", "High", "High", "Medium", "Medium", "Low"]);
    assert_eq!(plan.items[3].group.as_deref(), Some("Medium Priority — week 2"));
    let next = PlanKind::Frankbria.format().next(&plan);
    assert_eq!(next, [2, 3, 5]);
    assert_eq!(plan.shown_status(), PlanStatus::Running);
    assert!(plan.findings.is_empty());
}

#[test]
fn only_an_exact_title_makes_a_section_optional() {
    let plan = plan(fixture!("optional.md"), &[]);
    let optional: Vec<_> =
        plan.items.iter().filter(|item| item.optional).map(|item| item.text.as_str()).collect();
    assert_eq!(optional, ["Paint it", "Paint it twice", "A bell"]);
}

#[test]
fn the_settings_may_name_other_sections() {
    let settings = fixture!("ralphrc.txt");
    let plan = plan(fixture!("optional.md"), &[("../.ralphrc", settings)]);
    let text = std::str::from_utf8(fixture!("optional.md")).unwrap();
    assert_eq!(plan.progress(), counted(text, &["must", "discussion (not auto-loopable)"]));
    assert_counts(&plan, 6, 2);
    for unclear in ["OPTIONAL_SECTIONS=\"$(cat x)\"\n", "OPTIONAL_SECTIONS=\n", "OPTIONAL_SECTIONS=\"", "x"] {
        let plan = self::plan(fixture!("optional.md"), &[("../.ralphrc", unclear.as_bytes())]);
        assert_counts(&plan, 4, 2);
    }
}

#[test]
fn a_plan_without_boxes_is_not_complete() {
    let plan = plan(fixture!("no_boxes.md"), &[]);
    assert_eq!(codes(&plan), [FindingCode::NoItems]);
    assert_eq!(plan.shown_status(), PlanStatus::NotStarted);
}

#[test]
fn parts_marks_and_bullets() {
    let plan = plan(fixture!("nested.md"), &[]);
    assert_eq!(ids(&plan.items), ["1", "2", "3", "4", "5", "6", "7", "8", "9"]);
    let parents: Vec<_> = plan.items.iter().map(|item| item.parent.as_deref().unwrap_or("-")).collect();
    assert_eq!(parents, ["-", "1", "1", "3", "-", "5", "-", "-", "-"]);
    assert_eq!(plan.items[6].state, ItemState::Unknown);
    assert_eq!(finding(&plan, FindingCode::UnknownWord).line, Some(10));
    assert_eq!(finding(&plan, FindingCode::DoneWithOpenParts).args[0].1, "5");
    // The mark `~` counts nowhere.
    assert_counts(&plan, 8, 2);
    assert_eq!(plan.items[0].priority.as_deref(), Some("HIGH"));
    // A box is no part of one above another heading.
    let apart = self::plan(b"- [ ] a\n\n## More\n  - [ ] b\n", &[]);
    assert_eq!(apart.items[1].parent, None);
}

#[test]
fn code_and_comments_have_no_tasks_and_lines_below_are_details() {
    let fenced = plan(fixture!("fenced.md"), &[]);
    assert_counts(&fenced, 2, 1);
    let plan = plan(fixture!("bom_crlf.md"), &[]);
    assert!(plan.items[1].details.contains("As a cook") && plan.items[1].details.contains("AC: it boils"));
    assert!(plan.items[2].details.is_empty());
    assert_eq!(plan.items[2].line, 8);
}

#[test]
fn the_run_is_told_from_the_files_next_to_it() {
    let plan = plan(
        fixture!("priorities.md"),
        &[
            ("status.json", fixture!("status_running.json")),
            ("progress.json", fixture!("progress_escapes.json")),
            (".claude_session_id", br#"{"session_id":"ab-12","timestamp":"x"}"#),
            ("PROMPT.md", b"Cook what fix_plan.md says.\n"),
        ],
    );
    assert_eq!(
        (plan.status, plan.iteration, plan.word.as_str()),
        (Some(PlanStatus::Running), Some(7), "running")
    );
    assert_eq!(plan.reason, None);
    assert_eq!(plan.prompt.as_deref(), Some("Cook what fix_plan.md says.\n"));
    let fact = |name: &str| plan.facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value);
    assert_eq!(fact("last_output"), Some(&FactValue::Text("Built the soup".to_owned())));
    assert_eq!(fact("elapsed_seconds"), Some(&FactValue::Number(130.0)));
    assert_eq!(fact("max_calls_per_hour"), Some(&FactValue::Number(100.0)));
    assert_eq!(fact("session_id"), Some(&FactValue::Code("ab-12".to_owned())));
    assert_eq!(fact("tokens_used_this_hour"), None);
}

#[test]
fn statuses_that_end_a_run() {
    let with = |status: &[u8]| plan(fixture!("priorities.md"), &[("status.json", status)]);
    let completed = with(fixture!("status_completed.json"));
    assert_eq!(completed.status, Some(PlanStatus::Completed));
    assert_eq!(completed.iteration, Some(12));
    let disagree = finding(&completed, FindingCode::SourcesDisagree);
    assert!(disagree.args.contains(&("expected", "3/6".to_owned())));
    assert_eq!(with(fixture!("status_limit.json")).status, Some(PlanStatus::LimitReached));
    assert_eq!(with(br#"{"loop_count":1,"status":"stopped"}"#).status, Some(PlanStatus::Stopped));
    assert_eq!(with(br#"{"loop_count":1,"status":"error"}"#).status, Some(PlanStatus::Failed));
    let cut = with(fixture!("status_cut.json"));
    assert_eq!((cut.status, cut.iteration), (Some(PlanStatus::Failed), Some(4)));
    let unknown = with(br#"{"loop_count":1,"status":"dancing"}"#);
    assert_eq!(codes(&unknown), [FindingCode::UnknownWord]);
}

#[test]
fn a_status_file_of_another_tool_says_nothing() {
    let plan = plan(
        fixture!("priorities.md"),
        &[
            ("status.json", fixture!("status_other.json")),
            (".circuit_breaker_state", b"{\"state\":\"half\"}"),
        ],
    );
    assert_eq!((plan.status, plan.iteration), (None, None));
    assert!(plan.facts.is_empty() && plan.findings.is_empty());
}

#[test]
fn an_open_breaker_needs_a_person_and_shows_that_nothing_runs() {
    let plan = plan(
        fixture!("priorities.md"),
        &[
            ("status.json", fixture!("status_running.json")),
            (".circuit_breaker_state", fixture!("breaker_open.json")),
            (".circuit_breaker_history", fixture!("history.json")),
        ],
    );
    assert_eq!(plan.needs, ["Three rounds without a change"]);
    assert_eq!(codes(&plan), [FindingCode::StaleRunning]);
    let events: Vec<_> = plan.events.iter().map(|event| event.text.as_str()).collect();
    assert_eq!(events, ["Slow", "OPEN"]);
}

#[test]
fn places_and_what_shows_whose_file_it_is() {
    let at = |file: &str, beside: &[(&str, &[u8])]| {
        read(PlanKind::Frankbria, file, fixture!("old_root.md"), beside).unwrap().is_some()
    };
    assert!(at("@fix_plan.md", &[]) && at(".ralph/@fix_plan.md", &[]));
    assert!(!at("fix_plan.md", &[]));
    assert!(!at("fix_plan.md", &[("PROMPT.md", b"Be nice.")]));
    for (file, bytes) in
        [("PROMPT.md", b"Work off fix_plan.md".as_slice()), (".ralphrc", b""), ("@AGENT.md", b"x")]
    {
        assert!(at("fix_plan.md", &[(file, bytes)]), "{file}");
    }
    // The newer name wins where both are there.
    assert!(!at(".ralph/@fix_plan.md", &[("fix_plan.md", b"- [ ] x")]));
    assert_eq!(PlanKind::Frankbria.format().found().len(), 4);
    assert!(PlanKind::Frankbria.format().found().contains(&Found::File(PLAN)));
}

#[test]
fn the_command_is_for_the_place_that_the_tool_takes() {
    let format = PlanKind::Frankbria.format();
    let plan = plan(fixture!("priorities.md"), &[]);
    let source = |file| Source { file, bytes: b"", beside: &[], modified: NOW, now: NOW };
    assert_eq!(format.command(&source(PLAN), &plan), Some(vec!["ralph".to_owned()]));
    assert_eq!(format.command(&source("@fix_plan.md"), &plan), None);
    for request in [Request::Pause, Request::Resume, Request::Stop] {
        assert_eq!(format.request(&source(PLAN), &plan, request), None);
    }
}

#[test]
fn a_tick_changes_its_box_and_no_other_byte() {
    for bytes in [
        fixture!("priorities.md"),
        fixture!("optional.md"),
        fixture!("bom_crlf.md"),
        fixture!("nested.md"),
        fixture!("fenced.md"),
    ] {
        assert_only_marks_change(PlanKind::Frankbria, PLAN, bytes);
    }
}

#[test]
fn what_is_no_text_is_told() {
    assert_eq!(read(PlanKind::Frankbria, PLAN, b" \n", &[]), Err(ReadError::Empty));
    assert_eq!(read(PlanKind::Frankbria, PLAN, b"- [ ] \xff", &[]), Err(ReadError::NotText { offset: 6 }));
}

#[test]
fn long_headings_and_settings_take_no_time() {
    let boxes = "- [ ] a\n  - [x] b\n".repeat(20_000);
    let text = format!("# Optional\n## {}\n{boxes}", "long ".repeat(200_000));
    let settings = format!("OPTIONAL_SECTIONS=\"{}optional\"\n", "a,".repeat(200_000));
    let plan = plan(text.as_bytes(), &[("../.ralphrc", settings.as_bytes())]);
    assert_counts(&plan, 20_000, 20_000);
    assert_eq!(plan.items[39_999].parent.as_deref(), Some("39999"));
    assert_eq!(plan.items[0].group.as_ref().unwrap().chars().count(), 201);
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# Plan\n"),
        Just("## High Priority\r\n"),
        Just("## Optional\n"),
        Just("### priority\n"),
        Just("- [ ] one\n"),
        Just("  - [x] two\n"),
        Just("* [~] three\r\n"),
        Just("\t- [ ] tab é\n"),
        Just("```\n"),
        Just("> - [ ] quoted\n"),
        Just("<!-- "),
        Just("-->\n"),
        Just("\u{feff}"),
        Just("\n"),
        Just("text [x]\n"),
    ];
    prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn no_bytes_break_it(bytes: Vec<u8>, other: Vec<u8>, text: String, more: String) {
        for (bytes, beside) in [(bytes.as_slice(), other.as_slice()), (text.as_bytes(), more.as_bytes())] {
        for file in [PLAN, "fix_plan.md"] {
            let files = ["status.json", "progress.json", ".circuit_breaker_state", ".circuit_breaker_history", "../.ralphrc"];
            let beside = files.map(|file| Beside { file, bytes: beside });
            let source = Source { file, bytes, beside: &beside, modified: 0, now: NOW };
            let _ = PlanKind::Frankbria.read(&source);
        }
        }
    }

    #[test]
    fn marks_are_where_they_say(text in pieces()) {
        let Ok(Some(plan)) = read(PlanKind::Frankbria, PLAN, text.as_bytes(), &[]) else { return Ok(()) };
        for item in &plan.items {
            let range = item.mark.clone().unwrap();
            prop_assert_eq!(&text[range.clone()], item.word.as_str());
            prop_assert!(text[..range.start].ends_with('[') && text[range.end..].starts_with(']'));
        }
        if plan.items.iter().any(|item| item.mark.is_some()) {
            assert_only_marks_change(PlanKind::Frankbria, PLAN, text.as_bytes());
        }
    }
}
