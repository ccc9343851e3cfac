//! GSD: debug sessions made after the oddities of real ones, counted a second time line by line.

use crate::common::{NOW, finding, plan_of, read};
use loopdeck_plans::{
    FactValue, FindingCode, ItemState, Plan, PlanKind, PlanStatus, ReadError, Source, Verdict,
};
use proptest::prelude::*;

macro_rules! fixture {
    ($name:literal) => {
        (
            concat!(".planning/debug/", $name),
            include_bytes!(concat!("../fixtures/gsd_debug/", $name)).as_slice(),
        )
    };
}

fn plan_at((file, bytes): (&str, &[u8])) -> Plan {
    plan_of(PlanKind::GsdDebug, file, bytes, &[])
}

/// Ids, texts, verdicts, and how much evidence there is.
fn board(plan: &Plan) -> Vec<(&str, &str, Verdict, usize)> {
    let line = |text: &'_ str| text.len();
    assert!(plan.hypotheses.iter().all(|one| line(&one.text) > 0));
    plan.hypotheses
        .iter()
        .map(|one| (one.id.as_str(), one.text.as_str(), one.verdict, one.evidence.len()))
        .collect()
}

fn fact<'p>(plan: &'p Plan, name: &str) -> Option<&'p str> {
    plan.facts.iter().find(|fact| fact.name == name).and_then(|fact| match &fact.value {
        FactValue::Text(text) | FactValue::Code(text) | FactValue::Time(text) => Some(text.as_str()),
        _ => None,
    })
}

fn command_of((file, bytes): (&str, &[u8])) -> Option<Vec<String>> {
    let source = Source { file, bytes, beside: &[], modified: NOW, now: NOW };
    let plan = PlanKind::GsdDebug.read(&source).unwrap().unwrap();
    PlanKind::GsdDebug.format().command(&source, &plan)
}

/// Entries of a section by its lines alone.
fn count_entries(text: &str, section: &str) -> usize {
    let below = text.lines().skip_while(|line| !line.starts_with(section)).skip(1);
    below.take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("- ")).count()
}

#[test]
fn what_is_suspected_what_was_eliminated_and_what_was_found() {
    let fixture = fixture!("lamp-flickers.md");
    let plan = plan_at(fixture);
    let expected = [
        ("current", "the plug is wet", Verdict::Pending, 2),
        ("eliminated-1", "the bulb is loose", Verdict::Rejected, 1),
        ("eliminated-2", "the switch is worn", Verdict::Rejected, 1),
    ];
    assert_eq!(board(&plan), expected);
    assert_eq!(plan.hypotheses[0].test, "dry the plug\nno flicker for an hour");
    assert_eq!(plan.hypotheses[0].evidence[1], "drops on it\nNOTE: it rained\nmaybe water");
    assert_eq!(plan.hypotheses[2].evidence, ["bridged it:\nstill flickers"]);
    let text = std::str::from_utf8(fixture.1).unwrap();
    assert_eq!(
        (count_entries(text, "## Eliminated"), count_entries(text, "## Evidence")),
        (2, plan.events.len())
    );
    assert_eq!(
        (plan.events[0].time.as_str(), plan.events[0].text.as_str()),
        ("2026-05-01T09:20:00Z", "the bulb")
    );
    assert_eq!(plan.goal.as_deref(), Some("the lamp \"flickers\" when it rains"));
    assert_eq!((plan.title.as_deref(), plan.status), (Some("lamp-flickers"), Some(PlanStatus::Running)));
    assert_eq!((fact(&plan, "next_action"), fact(&plan, "bug_class")), (Some("dry it"), Some("heisenbug")));
    // `none` is no error, and an empty field has no value.
    assert_eq!([fact(&plan, "errors"), fact(&plan, "fix"), fact(&plan, "verification")], [None; 3]);
    assert_eq!(fact(&plan, "started"), Some("last week"));
    assert!(plan.items.is_empty() && plan.findings.is_empty() && plan.needs.is_empty());
}

#[test]
fn what_was_found_may_stand_behind_its_time() {
    let text = "---\nstatus: investigating\n---\n\n## Current Focus\n\nhypothesis: it rusts\n\n## Evidence\n\n\
        - timestamp: 2026-05-02 — Red dust\n  on the hinge\n- timestamp: 2026-05-03\n";
    let plan = plan_at((".planning/debug/gate.md", text.as_bytes()));
    assert_eq!(plan.hypotheses[0].evidence, ["Red dust\non the hinge"]);
    assert_eq!(plan.events.len(), 1);
    let event = &plan.events[0];
    assert_eq!((event.time.as_str(), event.text.as_str()), ("2026-05-02", "Red dust on the hinge"));
}

#[test]
fn a_resolved_session_has_its_cause() {
    let plan = plan_at(fixture!("door-sticks.md"));
    let expected = [
        ("current", "CONFIRMED - the hinge is bent", Verdict::Confirmed, 0),
        ("root_cause", "The hinge was bent,\nso the door touched the frame.", Verdict::Confirmed, 1),
    ];
    assert_eq!(board(&plan), expected);
    assert_eq!(plan.status, Some(PlanStatus::Completed));
    assert_eq!(fact(&plan, "fix"), Some("New hinge.\n- verification: not a field here"));
    assert_eq!(fact(&plan, "verification"), Some("opened it ten times"));
    let changed = plan.facts.iter().find(|fact| fact.name == "files_changed").unwrap();
    assert_eq!(changed.value, FactValue::List(vec!["hinge.scad".to_owned(), "frame.scad".to_owned()]));
}

#[test]
fn a_diagnosed_session_rests() {
    let plan = plan_at(fixture!("gate-squeaks.md"));
    let expected = [
        ("current", "Dew on the hinge\neach morning", Verdict::Pending, 0),
        ("eliminated-1", "cold metal", Verdict::Rejected, 1),
        ("root_cause", "Dew.\n\nFix: oil would help", Verdict::Confirmed, 2),
    ];
    assert_eq!(board(&plan), expected);
    assert_eq!((plan.word.as_str(), plan.status), ("diagnosed", Some(PlanStatus::Paused)));
    let found = plan_at((".planning/debug/a.md", b"---\nstatus: root_cause_found\n---\n"));
    assert_eq!((found.status, found.findings.len()), (Some(PlanStatus::Paused), 0));
    assert_eq!(plan.goal.as_deref(), Some("the gate squeaks in the morning"));
    assert_eq!(plan.title.as_deref(), Some("Debug Session: gate"));
    assert!(plan.needs.is_empty());
}

#[test]
fn a_session_waits_for_a_person() {
    let plan = plan_at(fixture!("clock-stops.md"));
    assert_eq!(
        (plan.status, plan.needs.as_slice()),
        (Some(PlanStatus::Paused), ["Watch it for a day".to_owned()].as_slice())
    );
    let expected = [
        ("current", "battery is weak", Verdict::Pending, 0),
        ("root_cause", "A weak battery", Verdict::Confirmed, 2),
    ];
    assert_eq!(board(&plan), expected);
    assert_eq!(
        plan.events.iter().map(|event| event.text.as_str()).collect::<Vec<_>>(),
        ["voltage", "contacts"]
    );
}

#[test]
fn a_cause_may_be_a_section() {
    let plan = plan_at(fixture!("radio-silent.md"));
    assert_eq!(board(&plan).len(), 1);
    assert!(plan.hypotheses[0].text.starts_with("The fuse was blown."));
    assert_eq!((plan.status, fact(&plan, "fix")), (Some(PlanStatus::Completed), None));
}

#[test]
fn an_empty_cause_takes_no_other_line() {
    let plan = plan_at(fixture!("empty-cause.md"));
    assert_eq!(board(&plan), []);
    assert_eq!((fact(&plan, "fix"), plan.goal.as_deref()), (Some("tightened it"), None));
}

#[test]
fn other_words_and_places_are_told() {
    let plan = plan_at(fixture!("tap-drips.md"));
    assert_eq!(plan.status, Some(PlanStatus::Unknown));
    let told = finding(&plan, FindingCode::UnknownWord);
    assert_eq!((told.line, told.args[1].1.as_str()), (Some(2), "On_Hold"));
    assert_eq!(board(&plan), [("current", "REJECTED: worn seal", Verdict::Rejected, 0)]);
    let (_, bytes) = fixture!("moved-too-soon.md");
    let moved = plan_at((".planning/debug/resolved/moved-too-soon.md", bytes));
    assert_eq!(finding(&moved, FindingCode::SourcesDisagree).args[2].1, "resolved");
    assert_eq!(board(&moved), [("current", "a", Verdict::Pending, 0)]);
    assert!(plan_at((".planning/debug/moved-too-soon.md", bytes)).findings.is_empty());
}

#[test]
fn what_is_no_session_is_none() {
    for (file, bytes) in
        [fixture!("knowledge-base.md"), fixture!("note.md"), fixture!("other-front-matter.md")]
    {
        assert_eq!(read(PlanKind::GsdDebug, file, bytes, &[]), Ok(None), "{file}");
    }
    assert_eq!(read(PlanKind::GsdDebug, "a.md", b" \n", &[]), Err(ReadError::Empty));
    assert_eq!(read(PlanKind::GsdDebug, "a.md", b"---\n\xff", &[]), Err(ReadError::NotText { offset: 4 }));
}

#[test]
fn a_running_session_is_continued_by_its_name() {
    let (_, bytes) = fixture!("lamp-flickers.md");
    let command = |file: &str| command_of((file, bytes));
    let expected = ["claude", "-p", "/gsd-debug continue lamp-flickers"];
    assert_eq!(command(".planning/debug/lamp-flickers.md").unwrap(), expected);
    for file in ["a b.md", "-p.md", "$(x).md", ".md", "x;y.md"] {
        assert_eq!(command(&format!(".planning/debug/{file}")), None, "{file}");
    }
    for fixture in [fixture!("door-sticks.md"), fixture!("gate-squeaks.md"), fixture!("clock-stops.md")] {
        assert_eq!(command_of(fixture), None);
    }
    let format = PlanKind::GsdDebug.format();
    assert!(
        format.mark(ItemState::Done).is_none()
            && format.next(&plan_at(fixture!("door-sticks.md"))).is_empty()
    );
}

fn line() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "## Current Focus",
        "## Eliminated",
        "## Evidence",
        "## Resolution",
        "### H1",
        "hypothesis: a",
        "- hypothesis: b",
        "  evidence: c",
        "- found: |",
        "    deep",
        "root_cause:",
        "root_cause: cause",
        "fix: >-",
        "```",
        "<!-- c",
        "-->",
        "- x",
        "",
        "status: é",
        "- **Checked:** d",
        "tdd_checkpoint: null",
    ]);
    prop_oneof![5 => pieces.prop_map(str::to_owned), 1 => ".{0,20}"]
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300), text in "(?s).{0,200}") {
        let text = format!("---\nstatus: fixing\n---\n## Evidence\n- found:\n{text}").into_bytes();
        let mut front = b"---\nstatus: fixing\n---\n## Evidence\n".to_vec();
        front.extend(&bytes);
        for bytes in [&bytes, &front, &text] {
            let _ = read(PlanKind::GsdDebug, ".planning/debug/a.md", bytes, &[]);
        }
    }

    #[test]
    fn every_word_that_is_said_is_in_the_file(lines in prop::collection::vec(line(), 0..40)) {
        let text = format!("---\nstatus: verifying\n---\n{}", lines.join("\n"));
        let plan = plan_of(PlanKind::GsdDebug, ".planning/debug/a.md", text.as_bytes(), &[]);
        for one in &plan.hypotheses {
            for line in one.text.lines().chain(one.evidence.iter().flat_map(|text| text.lines())) {
                prop_assert!(text.contains(line), "{line:?}");
            }
        }
        prop_assert!(plan.hypotheses.iter().filter(|one| one.id == "root_cause").count() <= 1);
    }
}
