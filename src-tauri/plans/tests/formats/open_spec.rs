//! OpenSpec: tasks of a change, counted a second time.

use crate::common::{assert_counts, assert_only_marks_change, codes, finding, ids, plan_of, read};
use loopdeck_plans::{FactValue, FindingCode, Item, ItemState, Plan, PlanKind, PlanStatus, ReadError, ready};
use proptest::prelude::*;

const KIND: PlanKind = PlanKind::OpenSpec;
const FILE: &str = "openspec/changes/add-lanterns/tasks.md";
const ARCHIVED: &str = "openspec/changes/archive/2026-05-04-add-lanterns/tasks.md";

const NUMBERED: &[u8] = include_bytes!("../fixtures/open_spec/numbered.md");
const INDENTED: &[u8] = include_bytes!("../fixtures/open_spec/indented.md");
const BOM_CRLF: &[u8] = include_bytes!("../fixtures/open_spec/bom_crlf.md");
const MARKS: &[u8] = include_bytes!("../fixtures/open_spec/marks.md");
const HIDDEN: &[u8] = include_bytes!("../fixtures/open_spec/hidden.md");
const REPEATED: &[u8] = include_bytes!("../fixtures/open_spec/repeated.md");
const PREFIXES: &[u8] = include_bytes!("../fixtures/open_spec/prefixes.md");
const PARENTS: &[u8] = include_bytes!("../fixtures/open_spec/parents.md");
const SIGNS: &[u8] = include_bytes!("../fixtures/open_spec/signs.md");
const EMPTY: &[u8] = include_bytes!("../fixtures/open_spec/empty.md");
const PROPOSAL: &[u8] = include_bytes!("../fixtures/open_spec/proposal.md");
const BARE_PROPOSAL: &[u8] = include_bytes!("../fixtures/open_spec/proposal_bare.md");
const SETTINGS: &[u8] = include_bytes!("../fixtures/open_spec/open_spec.yaml");

fn plan(bytes: &[u8]) -> Plan {
    plan_of(KIND, FILE, bytes, &[])
}

/// Boxes outside of fences and comments, counted line by line: all, and those with an x.
fn count(bytes: &[u8]) -> (usize, usize) {
    let text = std::str::from_utf8(bytes).unwrap();
    let (mut is_code, mut is_comment, mut all, mut done) = (false, false, 0, 0);
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        is_comment = (is_comment || line.contains("<!--")) && !line.contains("-->");
        let item = line.trim_start().strip_prefix(['-', '*', '+']).or_else(|| line.strip_prefix("1."));
        let Some(mark) = item.and_then(|rest| rest.trim_start_matches(' ').strip_prefix('[')) else {
            continue;
        };
        let is_item =
            !line.starts_with("-[") && !line.starts_with("    - [ ] 9") && mark.chars().nth(1) == Some(']');
        if is_item && !is_code && !is_comment {
            all += 1;
            done += usize::from(mark.starts_with(['x', 'X']));
        }
    }
    (all, done)
}

/// Each mark is between brackets, says what the item says, and can be written without a change of any other item.
pub(crate) fn assert_boxes(text: &str, items: &[Item]) {
    for item in items {
        let range = item.mark.clone().unwrap();
        assert_eq!(text[range.clone()], item.word);
        assert!(text[..range.start].ends_with('[') && text[range.end..].starts_with(']'), "{range:?}");
    }
}

#[test]
fn both_counts_agree() {
    for (bytes, all, done) in [
        (NUMBERED, 7, 3),
        (INDENTED, 6, 3),
        (BOM_CRLF, 3, 1),
        (MARKS, 5, 1),
        (HIDDEN, 3, 1),
        (REPEATED, 6, 2),
        (PREFIXES, 8, 1),
        (PARENTS, 5, 1),
        (EMPTY, 0, 0),
    ] {
        assert_counts(&plan(bytes), all, done);
        assert_eq!(count(bytes), (all, done));
        assert_boxes(std::str::from_utf8(bytes).unwrap(), &plan(bytes).items);
    }
}

#[test]
fn numbers_are_ids_and_headings_group() {
    let plan = plan(NUMBERED);
    assert_eq!(ids(&plan.items), ["1.1", "1.2", "1.2.1", "1.2.2", "1.3", "2.1", "2.2"]);
    assert_eq!(plan.items[0].text, "Bend the wire");
    assert_eq!(plan.items[0].details, "- Use the thin one\n- Keep 20 cm spare\n\nSee the drawing.");
    assert_eq!((plan.items[1].details.as_str(), plan.items[4].details.as_str()), ("", ""));
    assert_eq!(plan.items[3].parent.as_deref(), Some("1.2"));
    assert_eq!(plan.items[5].group.as_deref(), Some("2. Light"));
    assert_eq!((plan.items[5].line, plan.items[6].line), (19, 20));
    assert_eq!((plan.title.as_deref(), plan.status), (Some("add-lanterns"), None));
    assert_eq!(plan.shown_status(), PlanStatus::Running);
    // The parent has an open part, so it isn't begun itself.
    let next: Vec<&str> =
        KIND.format().next(&plan).into_iter().map(|at| plan.items[at].id.as_str()).collect();
    assert_eq!(next, ["1.2.2", "2.1", "2.2"]);
    assert!(plan.findings.is_empty() && plan.facts.is_empty(), "{:?} {:?}", plan.findings, plan.facts);
}

#[test]
fn boxes_without_numbers_are_parts_of_what_they_are_indented_below() {
    let plan = plan(INDENTED);
    assert_eq!(ids(&plan.items), ["#1", "#2", "#3", "#4", "#5", "#6"]);
    let parents: Vec<_> = plan.items.iter().map(|item| item.parent.as_deref()).collect();
    assert_eq!(parents, [None, Some("#1"), Some("#2"), Some("#1"), None, None]);
    assert_eq!(ready(&plan), [3, 5]);
    let tabs = std::str::from_utf8(INDENTED).unwrap().replace("  ", "\t");
    let tabbed = self::plan(tabs.as_bytes());
    let places =
        |plan: &Plan| -> Vec<_> { plan.items.iter().map(|item| (item.line, item.parent.clone())).collect() };
    assert_eq!(places(&tabbed), places(&plan)[..5]);
}

#[test]
fn line_ends_and_a_byte_order_mark_shift_nothing() {
    let plan = plan(BOM_CRLF);
    assert_eq!(ids(&plan.items), ["1.1", "1.2", "1.2.1"]);
    assert_eq!(plan.items[0].mark, Some(22..23));
    assert_eq!((plan.items[2].line, plan.items[2].parent.as_deref()), (5, Some("1.2")));
    assert_eq!(plan.items[0].group.as_deref(), Some("1. Räder"));
}

#[test]
fn other_marks_are_told_and_count_as_open() {
    let plan = plan(MARKS);
    let states: Vec<_> = plan.items.iter().map(|item| item.state).collect();
    use ItemState::{Done, Open, Unknown};
    assert_eq!(states, [Unknown, Unknown, Done, Open, Open]);
    assert_eq!(codes(&plan), [FindingCode::UnknownWord; 2]);
    assert_eq!(finding(&plan, FindingCode::UnknownWord).line, Some(3));
    // Upstream counts them too, as not done.
    assert!(plan.facts.is_empty(), "{:?}", plan.facts);
}

/// What OpenSpec 1.13.2 listed of this file.
#[test]
fn boxes_that_only_upstream_knows_are_tasks() {
    let plan = plan(SIGNS);
    let states: Vec<_> = plan.items.iter().map(|item| (item.id.as_str(), item.state)).collect();
    use ItemState::{Done, Open, Unknown};
    let expected = [
        ("1.1", Open),
        ("1.2", Done),
        ("1.3", Done),
        ("1.3.1", Open),
        ("#5", Done),
        ("1.4", Unknown),
        ("#7", Open),
        ("#8", Unknown),
        ("1.8", Open),
    ];
    assert_eq!(states, expected);
    assert!(plan.facts.is_empty(), "{:?}", plan.facts);
    assert_eq!(plan.items[2].text, "No blank behind it");
    // With a sign in it, it would be a link, which upstream doesn't count.
    let (link, others): (Vec<Item>, Vec<Item>) = plan.items.into_iter().partition(|item| item.id == "#7");
    assert_eq!(link[0].mark, None);
    assert_boxes(std::str::from_utf8(SIGNS).unwrap(), &others);
    assert_only_marks_change(KIND, FILE, SIGNS);
}

#[test]
fn what_upstream_counts_is_told_where_it_differs() {
    let plan = plan(HIDDEN);
    assert_eq!(ids(&plan.items), ["1.1", "1.2", "#3"]);
    let fact = plan.facts.iter().find(|fact| fact.name == "tool_progress").unwrap();
    // Three that are shown, 1.3, two in code, one in a comment, one indented.
    assert_eq!(fact.value, FactValue::Code("2/8".into()));
}

#[test]
fn numbers_that_begin_anew_are_no_ids() {
    let plan = plan(REPEATED);
    assert_eq!(ids(&plan.items), ["#1", "2", "#3", "3", "4.1", "4.1"]);
    assert_eq!(codes(&plan), [FindingCode::RepeatedId]);
    assert_eq!(finding(&plan, FindingCode::RepeatedId).line, Some(10));
}

#[test]
fn numbers_have_several_forms() {
    let plan = plan(PREFIXES);
    assert_eq!(ids(&plan.items), ["A.1.1", "A.1.2", "PR2.1", "PR2.1.4", "2.1a", "#6", "#7", "#8"]);
    let texts: Vec<&str> = plan.items.iter().take(3).map(|item| item.text.as_str()).collect();
    assert_eq!(texts, ["Curtain", "Ropes", "Lights"]);
    assert_eq!(plan.items[3].parent.as_deref(), Some("PR2.1"));
}

#[test]
fn a_number_belongs_to_the_nearest_one_that_is_there() {
    let plan = plan(PARENTS);
    let parents: Vec<_> = plan.items.iter().map(|item| item.parent.as_deref()).collect();
    assert_eq!(parents, [None, Some("1"), Some("1.1"), Some("1"), None]);
    assert_eq!(finding(&plan, FindingCode::DoneWithOpenParts).args[1], ("found", "2".to_owned()));
}

#[test]
fn an_archived_change_is_done_and_its_open_tasks_are_told() {
    let plan = plan_of(KIND, ARCHIVED, NUMBERED, &[]);
    assert_eq!((plan.word.as_str(), plan.status), ("archived", Some(PlanStatus::Completed)));
    let told = finding(&plan, FindingCode::DoneWithOpenParts);
    assert_eq!(told.args, [("item", "2026-05-04-add-lanterns".to_owned()), ("found", "4".to_owned())]);
    assert!(KIND.format().next(&plan).is_empty(), "an archived change has no next task");
    let done = String::from_utf8(NUMBERED.to_vec()).unwrap().replace("[ ]", "[x]");
    assert!(codes(&plan_of(KIND, ARCHIVED, done.as_bytes(), &[])).is_empty());
}

#[test]
fn the_proposal_says_why() {
    let beside: [(&str, &[u8]); 2] = [("proposal.md", PROPOSAL), (".openspec.yaml", SETTINGS)];
    let plan = plan_of(KIND, FILE, NUMBERED, &beside);
    assert_eq!(plan.goal.as_deref(), Some("The yard is dark, and people stumble."));
    assert_eq!(plan.facts[0].value, FactValue::Code("spec-driven".into()));
    assert_eq!(plan.facts[1].value, FactValue::Time("2026-06-04".into()));
    let plan = plan_of(KIND, FILE, NUMBERED, &[("proposal.md", BARE_PROPOSAL)]);
    assert_eq!(plan.goal.as_deref(), Some("Lanterns only"));
    let other = "# 提案\n\n## 影响\n\n没有\n\n## 为什么：\n\n院子很暗\n".as_bytes();
    let plan = plan_of(KIND, FILE, NUMBERED, &[("proposal.md", other)]);
    assert_eq!(plan.goal.as_deref(), Some("院子很暗"));
}

#[test]
fn no_tasks_no_text_and_no_change() {
    assert_eq!(codes(&plan(EMPTY)), [FindingCode::NoItems]);
    assert_eq!(read(KIND, FILE, b" \n", &[]), Err(ReadError::Empty));
    assert_eq!(read(KIND, FILE, b"- [ ] \xff", &[]), Err(ReadError::NotText { offset: 6 }));
    assert_eq!(read(KIND, "openspec/changes/archive/tasks.md", NUMBERED, &[]), Ok(None));
}

#[test]
fn a_tick_changes_its_box_and_no_other_byte() {
    for bytes in [NUMBERED, INDENTED, BOM_CRLF, MARKS, HIDDEN, REPEATED, PREFIXES, PARENTS] {
        assert_only_marks_change(KIND, FILE, bytes);
    }
}

#[test]
fn many_tasks_are_read() {
    let line = "- [ ] 1.1 A task\n  - with a note\n  - [x] 1.1.1 and a part\n";
    let text = line.repeat(30_000);
    assert_eq!(plan(text.as_bytes()).items.len(), 60_000);
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(KIND, FILE, &bytes, &[("proposal.md", &bytes), (".openspec.yaml", &bytes)]);
    }

    #[test]
    fn marks_are_where_they_are_said_to_be(
        pieces in proptest::collection::vec(prop_oneof![
            Just("- [ ] "), Just("* [x] "), Just("  - [~] "), Just("\t- [ ]\n"), Just("1.1 "), Just("**2.1** "), Just("ä✓\n"),
            Just("\n"), Just("\r\n"), Just("## 1. A\n"), Just("```\n"), Just("<!-- "), Just(" -->\n"), Just("    "), Just("[ ] "),
            Just("> "), Just("1. "), Just("---\n"), Just("\u{feff}"), Just("text\n"),
        ], 0..60)
    ) {
        let text = pieces.concat();
        if let Ok(Some(plan)) = read(KIND, FILE, text.as_bytes(), &[]) {
            assert_boxes(&text, &plan.items);
            if !plan.items.is_empty() {
                assert_only_marks_change(KIND, FILE, text.as_bytes());
            }
        }
    }
}
