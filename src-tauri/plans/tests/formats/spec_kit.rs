//! Spec Kit: tasks of a feature, counted a second time.

use crate::common::{assert_counts, assert_only_marks_change, codes, finding, ids, plan_of, read};
use loopdeck_plans::{FactValue, FindingCode, Item, ItemState, Plan, PlanKind, ReadError, ready};
use proptest::prelude::*;
use std::fmt::Write as _;

const FILE: &str = "specs/001-cart/tasks.md";
const PHASES: &str = include_str!("../fixtures/spec_kit/phases.md");
const WAYS: &str = include_str!("../fixtures/spec_kit/ways.md");
const BOLD: &str = include_str!("../fixtures/spec_kit/bold.md");
const LEGEND: &str = include_str!("../fixtures/spec_kit/legend.md");
const REPEATED: &str = include_str!("../fixtures/spec_kit/repeated.md");
const NESTED: &str = include_str!("../fixtures/spec_kit/nested.md");
const HOSTILE: &str = include_str!("../fixtures/spec_kit/hostile.md");
const STORIES: &str = include_str!("../fixtures/spec_kit/stories.md");
const NO_IDS: &str = include_str!("../fixtures/spec_kit/no_ids.md");
const SPEC: &str = include_str!("../fixtures/spec_kit/spec.md");

fn plan(text: &str) -> Plan {
    plan_of(PlanKind::SpecKit, FILE, text.as_bytes(), &[])
}

fn item<'p>(plan: &'p Plan, id: &str) -> &'p Item {
    plan.items.iter().find(|item| item.id == id).unwrap_or_else(|| panic!("{id} in {:?}", ids(&plan.items)))
}

fn named(plan: &Plan, places: &[usize]) -> Vec<String> {
    places.iter().map(|at| plan.items[*at].id.clone()).collect()
}

/// Boxes with an id outside of fences and comments, and those that are ticked: by lines, without Markdown.
fn counted(text: &str) -> (usize, usize) {
    let (mut all, mut done, mut hidden) = (0, 0, false);
    for line in text.lines().map(|line| line.trim_start_matches('\u{feff}').trim()) {
        hidden ^= line.starts_with("```") || line.starts_with("<!--") || line.starts_with("-->");
        let bullet = ["- [", "* [", "1. ["].iter().find_map(|bullet| line.strip_prefix(bullet));
        let Some((mark, rest)) = bullet.and_then(|rest| rest.split_once("] ")) else { continue };
        let word = rest.split_whitespace().find(|word| !matches!(*word, "[P]" | "[US-8]" | "✅"));
        let word = word.unwrap_or_default().trim_start_matches(['*', '~', '[']);
        let id = word.strip_prefix("T").map(|id| id.trim_start_matches('-'));
        if !hidden && id.is_some_and(|id| id.starts_with(|digit: char| digit.is_ascii_digit())) {
            all += 1;
            done += usize::from(mark.eq_ignore_ascii_case("x"));
        }
    }
    (all, done)
}

#[test]
fn a_second_count_says_the_same() {
    for text in [PHASES, WAYS, BOLD, LEGEND, REPEATED, NESTED, HOSTILE, STORIES] {
        let plan = plan(text);
        let done = plan.items.iter().filter(|item| item.state == ItemState::Done).count();
        assert_eq!((plan.items.len(), done), counted(text), "{text}");
        for item in &plan.items {
            let line = text.lines().nth(item.line as usize - 1).unwrap();
            assert!(line.contains(&item.id), "{}: {line}", item.id);
        }
    }
}

#[test]
fn tasks_phases_and_dependencies() {
    let plan = plan(PHASES);
    assert_counts(&plan, 6, 2);
    assert_eq!(plan.title.as_deref(), Some("Shopping cart"));
    assert_eq!(plan.items[3].depends_on, ["T002"]);
    assert!(plan.items[2].parallel && plan.items[2].files == ["src/cart/model.ts"]);
    assert_eq!(plan.items[0].group.as_deref(), Some("Phase 1: Setup"));
    assert_eq!(plan.items[2].priority.as_deref(), Some("P1"));
    assert_eq!(named(&plan, &ready(&plan)), ["T003", "T004", "T005"]);
    assert_eq!(plan.items[5].state, ItemState::Unknown);
    assert_eq!(finding(&plan, FindingCode::UnknownWord).line, plan.items[5].line.into());
    assert_eq!(plan.facts[0].value, FactValue::List(vec!["The story works alone".to_owned()]));
}

#[test]
fn dependencies_in_every_way() {
    let plan = plan(WAYS);
    assert_counts(&plan, 14, 3);
    for (id, expected) in [
        ("T001", &[][..]),
        ("T003", &["T001"]),
        ("T004", &["T001", "T002", "T003"]),
        ("T005", &["T002", "T003"]),
        ("T006", &["T004", "T005"]),
        ("T007", &["T004", "T005", "T006"]),
        ("T008", &["T007"]),
        ("T009", &["T008"]),
        ("T010", &[]),
        ("T011", &["T008", "T009"]),
        ("T012", &[]),
        ("T013", &["T007"]),
        ("T014", &["T009", "T013"]),
    ] {
        assert_eq!(item(&plan, id).depends_on, expected, "{id}");
    }
    assert_eq!(plan.items.iter().map(|item| item.depends_on.len()).sum::<usize>(), 18);
    assert_eq!(named(&plan, &ready(&plan)), ["T004", "T005", "T010", "T012"]);
    assert_eq!(
        item(&plan, "T006").text,
        "Keep parcels in `src/parcels.ts` with their history (depends on T004, T005)"
    );
    assert_eq!(item(&plan, "T008").files, ["src/page.ts", "src/page.css"]);
    assert!(item(&plan, "T008").details.starts_with("- **Depends on**"));
    assert_eq!(codes(&plan), []);
}

#[test]
fn ids_may_be_bold_in_brackets_and_behind_tags() {
    let plan = plan(BOLD);
    assert_counts(&plan, 6, 2);
    assert_eq!(ids(&plan.items), ["T-001", "T-002", "T-003", "T-004", "T-005", "T-006"]);
    assert_eq!(plan.items[0].text, "Till tests - Define what the till does | deps: none");
    assert_eq!(plan.items[1].depends_on, ["T-001"]);
    assert_eq!(plan.items[2].depends_on, ["T-002"], "spelled in another way");
    assert_eq!(plan.items[3].depends_on, ["T-002"]);
    assert!(plan.items[2].parallel && plan.items[4].parallel && !plan.items[5].parallel);
    assert_eq!(plan.title.as_deref(), Some("001-cart"), "a path is no title");
    assert_eq!(plan.items[4].group.as_deref(), Some("Tasks"));
}

#[test]
fn legends_and_templates_are_no_tasks() {
    let plan = plan(LEGEND);
    assert_eq!(ids(&plan.items), ["T001", "T002", "T003", "T004", "T005", "T006", "T007", "T008"]);
    assert_counts(&plan, 4, 1);
    assert_eq!(plan.title.as_deref(), Some("Stock list"));
    assert_eq!(item(&plan, "T002").state, ItemState::Dropped);
    assert_eq!((item(&plan, "T002").mark.clone(), &*item(&plan, "T002").text), (None, "Ask the printer"));
    assert_eq!(item(&plan, "T003").state, ItemState::Unknown);
    let optional: Vec<&str> =
        plan.items.iter().filter(|item| item.optional).map(|item| item.id.as_str()).collect();
    assert_eq!(optional, ["T004", "T005", "T007"], "tests that are there are work");
    let last = item(&plan, "T008");
    assert_eq!(last.done_when, ["It counts to ten", "It counts to a hundred"]);
    assert_eq!(
        (last.text.as_str(), last.priority.as_deref()),
        ("[owner: Ana] Count in `src/count.rs`", Some("P2"))
    );
    assert_eq!(item(&plan, "T006").priority.as_deref(), Some("P1"));
    let checkpoints = ["The list is there", "Everything counts"].map(str::to_owned).to_vec();
    assert_eq!(plan.facts[0].value, FactValue::List(checkpoints));
    assert_eq!(plan.facts[0].name, "checkpoints");
}

#[test]
fn repeated_ids_are_two_items() {
    let plan = plan(REPEATED);
    assert_counts(&plan, 13, 5);
    assert_eq!(plan.items.iter().filter(|item| item.id == "T001").count(), 2);
    assert_eq!(item(&plan, "T001b").depends_on, ["T001a"]);
    assert_eq!(item(&plan, "T002.2").depends_on, ["T002.1"]);
    // T004 waits for both that have the id, and one of them is open.
    assert_eq!(named(&plan, &ready(&plan)), ["T001b", "T002.2", "T010-test", "T001"]);
    use FindingCode::{NeverReady, RepeatedId};
    assert_eq!(codes(&plan), [RepeatedId, NeverReady, NeverReady, NeverReady]);
}

#[test]
fn parts_have_their_parents() {
    let plan = plan(NESTED);
    assert_counts(&plan, 8, 3);
    let parents: Vec<_> = plan.items.iter().map(|item| item.parent.as_deref().unwrap_or("-")).collect();
    assert_eq!(parents, ["-", "T001", "T001", "-", "T002", "T002", "-", "-"]);
    assert_eq!(codes(&plan), [FindingCode::DoneWithOpenParts]);
    assert_eq!(item(&plan, "T002.1").depends_on, ["T001"]);
    assert_eq!(item(&plan, "T002.1").done_when, ["A criterion"]);
    assert_eq!(named(&plan, &ready(&plan)), ["T001.2", "T003", "T004", "T005"]);
    assert!(plan.items.iter().all(|item| item.group.is_none()));
}

#[test]
fn files_of_other_tools_are_none() {
    for text in [
        include_str!("../fixtures/spec_kit/numbers.md"),
        include_str!("../fixtures/spec_kit/headings.md"),
        "# Tasks\n\n- [ ] Write it\n- T001 no box\n",
        "T001 [US1] no box\n",
    ] {
        assert_eq!(read(PlanKind::SpecKit, FILE, text.as_bytes(), &[]), Ok(None), "{text}");
    }
    assert_eq!(read(PlanKind::SpecKit, FILE, b" \r\n", &[]), Err(ReadError::Empty));
    let broken = read(PlanKind::SpecKit, FILE, b"- [ ] T001 \xff", &[]);
    assert_eq!(broken, Err(ReadError::NotText { offset: 11 }));
}

#[test]
fn boxes_without_ids_are_tasks_where_the_specification_is() {
    let with_spec = |text: &str| read(PlanKind::SpecKit, FILE, text.as_bytes(), &[("spec.md", b"# Table")]);
    let plan = with_spec(NO_IDS).unwrap().unwrap();
    let expected = ["#1", "T-001.1", "T-001.2", "T-001.3", "T-003.1", "T-003.2", "#7"];
    assert_eq!(ids(&plan.items), expected);
    assert_counts(&plan, 5, 2);
    assert_eq!(plan.items[3].parent.as_deref(), Some("T-001.2"));
    assert_eq!((plan.items[4].state, plan.items[5].optional), (ItemState::Dropped, true));
    assert_eq!((plan.items[0].text.as_str(), plan.items[0].parallel), ("Draw it in `plans/table.svg`", true));
    assert_eq!(plan.items[0].files, ["plans/table.svg"]);
    assert_eq!(plan.items[1].group.as_deref(), Some("Phase 1: Wood"));
    assert_eq!(named(&plan, &ready(&plan)), ["#1", "T-001.3", "#7"]);
    assert_eq!(codes(&plan), [FindingCode::DoneWithOpenParts]);
    assert_eq!(read(PlanKind::SpecKit, FILE, NO_IDS.as_bytes(), &[]), Ok(None), "of another tool");
    // One id is enough, and the others are what they are in such a file.
    let one = with_spec(&NO_IDS.replace("Put out", "T004 Put out")).unwrap().unwrap();
    assert_eq!(ids(&one.items), ["T004"]);
    // Where rows or headings are the tasks, boxes are something else.
    assert_eq!(with_spec(&format!("{NO_IDS}\n| **T001** | Saw |\n")), Ok(None));
    assert_eq!(
        with_spec(&format!("{NO_IDS}\n### T-004\n### T-005\n### T-006\n")).map(|plan| plan.is_some()),
        Ok(false)
    );
}

#[test]
fn what_is_next_follows_the_phases() {
    let format = PlanKind::SpecKit.format();
    let next = |text: &str| {
        let plan = plan(text);
        named(&plan, &format.next(&plan))
    };
    // Both stories, of each what is [P], what says that it waits, and else the first.
    assert_eq!(next(STORIES), ["T004", "T005", "T007", "T008"]);
    let base = STORIES.replace("[x] T003", "[ ] T003");
    assert_eq!(next(&base), ["T003"]);
    let done = STORIES.replace("- [ ] T00", "- [x] T00");
    assert_eq!(next(&done), ["T010"]);
    // What can never be begun holds nobody up.
    assert_eq!(next("## Phase 1\n- [ ] T001 (depends on T9)\n## Phase 2\n- [ ] T002 x\n"), ["T002"]);
}

#[test]
fn the_specification_names_and_explains_it() {
    let plan = plan_of(PlanKind::SpecKit, FILE, PHASES.as_bytes(), &[("spec.md", SPEC.as_bytes())]);
    assert_eq!(plan.title.as_deref(), Some("Parcel tracking for shops"));
    assert_eq!(plan.goal.as_deref(), Some("Customers want to see where their parcel is"));
    assert_eq!(plan.needs, ["mail or text message?"]);
    assert_eq!((plan.word.as_str(), plan.status), ("", None), "its items say how far it is");
    let facts: Vec<_> = plan.facts.iter().map(|fact| (fact.name, fact.value.clone())).collect();
    assert_eq!(facts[0], ("branch", FactValue::Code("001-parcels".to_owned())));
    assert_eq!(facts[1], ("spec_status", FactValue::Code("Draft".to_owned())));
    assert_eq!(facts[2], ("created", FactValue::Time("2026-03-04".to_owned())));
    let blank = include_bytes!("../fixtures/spec_kit/blank_spec.md");
    let plan = plan_of(PlanKind::SpecKit, FILE, PHASES.as_bytes(), &[("spec.md", blank)]);
    assert_eq!((plan.title.as_deref(), plan.goal.as_deref()), (Some("Shopping cart"), None));
    assert_eq!((plan.needs.len(), plan.facts.len()), (0, 1));
    // What the tool's own template has before anybody filled it in.
    let template = "# Feature Specification: [FEATURE NAME]\n\n**Feature Branch**: `[###-feature-name]`\n\n**Created**: [DATE]\n";
    let plan = plan_of(PlanKind::SpecKit, FILE, PHASES.as_bytes(), &[("spec.md", template.as_bytes())]);
    assert!(plan.facts.iter().all(|fact| fact.name == "checkpoints"), "{:?}", plan.facts);
    let crlf = SPEC.replace("2026-03-04", "`2026-03-04`").replace('\n', "\r\n");
    let plan = plan_of(PlanKind::SpecKit, FILE, PHASES.as_bytes(), &[("spec.md", crlf.as_bytes())]);
    assert_eq!(plan.facts[0].value, FactValue::Code("001-parcels".to_owned()));
    assert_eq!(plan.facts[2].value, FactValue::Time("2026-03-04".to_owned()));
}

#[test]
fn hostile_texts_stay_texts() {
    let plan = plan(HOSTILE);
    assert_eq!(plan.title.as_deref(), Some("001-cart"), "a placeholder is no title");
    assert_eq!(plan.items[0].files, ["../../../etc/passwd.txt"], "shown, never opened");
    assert_eq!(plan.items[1].files, ["C:\\Users\\a\\b.exe"]);
    assert_eq!(plan.items[4].depends_on, ["T001"]);
    assert_eq!(finding(&plan, FindingCode::NeverReady).args[0].1, "T003");
    let format = PlanKind::SpecKit.format();
    assert_eq!(format.named(HOSTILE.as_bytes()), [""; 0]);
}

#[test]
fn a_tick_changes_its_box_and_no_other_byte() {
    let crlf = ["\u{feff}", &WAYS.replace('\n', "\r\n")].concat();
    let (one, other) = (plan(WAYS), plan(&crlf));
    assert_eq!(ids(&one.items), ids(&other.items));
    for (one, other) in one.items.iter().zip(&other.items) {
        assert_eq!((&one.text, &one.depends_on, one.line), (&other.text, &other.depends_on, other.line));
    }
    for text in [PHASES, WAYS, &crlf, BOLD, LEGEND, REPEATED, NESTED, HOSTILE, STORIES] {
        assert_only_marks_change(PlanKind::SpecKit, FILE, text.as_bytes());
    }
}

#[test]
fn a_large_file_is_read() {
    let mut text = "# Tasks: Large\n\n## Phase 1: All\n\n".to_owned();
    for number in 1..=2000 {
        writeln!(text, "- [ ] T{number:04} [P] Do it in src/{number}.rs (depends on T0001-T0200, T9-T4)")
            .unwrap();
    }
    text.push_str(&"depends on T1, ".repeat(200_000));
    let plan = plan(&text);
    assert_eq!(plan.items.len(), 2000);
    // Generous for a build that isn't optimized; a loop in a loop would take minutes.
}

/// Lines that a file is made of.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("## Phase 1: Setup\n".to_owned()),
        Just("**Checkpoint**: ready\r\n".to_owned()),
        Just("\n".to_owned()),
        Just("```\n".to_owned()),
        Just("  - **Depends on**: T001–T003, T1.2\n".to_owned()),
        (
            "( |  |    )",
            "(-|\\*|1\\.)",
            "(\\[ \\]|\\[x\\]|\\[X\\]|\\[~\\]|\\[é\\])",
            "(\\*\\*|~~|\\[P\\] |\\[|✅ )?",
            0..9_u8,
            "[ -~é、]{0,20}"
        )
            .prop_map(|(indent, bullet, mark, sign, number, text)| {
                format!("{indent}{bullet} {mark} {sign}T00{number} {text}\n")
            }),
        "[a-zT0-9 \\[\\]()*~–,.-]{0,30}\n",
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(PlanKind::SpecKit, FILE, &bytes, &[("spec.md", &bytes)]);
    }

    #[test]
    fn any_text_behind_a_box_is_read_without_a_panic(text in "\\PC{0,80}") {
        let text = format!("- [ ] T001 depends on {text}\n- [ ] {text}\n  {text}");
        let spec = format!("**Input**: {text}\n[NEEDS CLARIFICATION: {text}");
        let _ = read(PlanKind::SpecKit, FILE, text.as_bytes(), &[("spec.md", spec.as_bytes())]);
    }

    #[test]
    fn marks_are_where_they_say(pieces in proptest::collection::vec(piece(), 0..30)) {
        let text = pieces.concat();
        let Ok(Some(before)) = read(PlanKind::SpecKit, FILE, text.as_bytes(), &[]) else { return Ok(()) };
        for (at, item) in before.items.iter().enumerate() {
            let Some(mark) = item.mark.clone() else { continue };
            prop_assert_eq!(&text[mark.clone()], &item.word);
            prop_assert_eq!(text[..mark.start].matches('\n').count() + 1, item.line as usize);
            let ticked = [&text[..mark.start], "x", &text[mark.end..]].concat();
            let after = read(PlanKind::SpecKit, FILE, ticked.as_bytes(), &[]).unwrap().unwrap();
            prop_assert_eq!(ids(&after.items), ids(&before.items));
            prop_assert_eq!(after.items[at].state, ItemState::Done);
        }
    }
}
