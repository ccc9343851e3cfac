//! BMAD: epics and stories of a sprint, counted a second time.

use crate::common::{assert_counts, assert_only_marks_change, codes, finding, ids, plan_of, read};
use loopdeck_plans::{FactValue, FindingCode, Item, ItemState, Plan, PlanKind, ReadError, Source};
use proptest::prelude::*;

const KIND: PlanKind = PlanKind::Bmad;
const FILE: &str = "_bmad-output/implementation-artifacts/sprint-status.yaml";

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/bmad/", $name)).as_slice()
    };
}

fn plan(bytes: &[u8]) -> Plan {
    plan_of(KIND, FILE, bytes, &[])
}

fn item<'p>(plan: &'p Plan, id: &str) -> &'p Item {
    plan.items.iter().find(|item| item.id == id).unwrap_or_else(|| panic!("{id} in {:?}", ids(&plan.items)))
}

fn next(plan: &Plan) -> Vec<&str> {
    KIND.format().next(plan).into_iter().map(|at| plan.items[at].id.as_str()).collect()
}

/// Stories of the lines below `development_status` with the words that count as done and as given up, by their lines alone.
fn counted(bytes: &[u8]) -> (usize, usize) {
    let text = std::str::from_utf8(bytes).unwrap();
    let lines = text.lines().skip_while(|line| !line.starts_with("development_status:")).skip(1);
    let lines = lines.take_while(|line| !line.starts_with(|first: char| first.is_alphabetic()));
    let stories: Vec<&str> = lines
        .filter(|line| line.starts_with("  ") && !line.starts_with("   ") && !line.trim().starts_with('#'))
        .filter_map(|line| line.trim().split_once(':'))
        .filter(|(key, _)| !key.starts_with("epic-") && !key.ends_with("-retrospective"))
        .map(|(_, rest)| rest.split('#').next().unwrap().trim())
        .collect();
    let is = |word: &&&str, begins: &[&str]| {
        let word = word.to_lowercase().replace(['✅', '"', '\''], "");
        begins.iter().any(|begin| word.trim().starts_with(begin))
    };
    let dropped = stories.iter().filter(|word| is(word, &["deferred", "superseded"])).count();
    (stories.len() - dropped, stories.iter().filter(|word| is(word, &["done", "completed"])).count())
}

fn assert_second_count(bytes: &[u8], all: usize, done: usize) {
    assert_counts(&plan(bytes), all, done);
    assert_eq!(counted(bytes), (all, done));
}

#[test]
fn stories_count_and_epics_hold_them() {
    assert_second_count(fixture!("sprint.yaml"), 7, 1);
    assert_second_count(fixture!("words.yaml"), 13, 4);
    assert_second_count(fixture!("bom_crlf.yaml"), 2, 1);
    assert_second_count(fixture!("repeated.yaml"), 3, 1);
    let plan = plan(fixture!("sprint.yaml"));
    assert_eq!((plan.items.len(), plan.title.as_deref()), (11, Some("Tea shop")));
    let names: Vec<&str> = plan.facts.iter().map(|fact| fact.name).collect();
    assert_eq!(names, ["generated", "last_updated", "tracking_system", "story_location", "action_items"]);
    assert_eq!(plan.facts[0].value, FactValue::Time("05-06-2026 21:30".to_owned()));
    assert_eq!(plan.facts[4].value, FactValue::List(vec!["Buy a scale (Ada)".to_owned()]));
    let leaves = item(&plan, "1-1-buy-leaves");
    assert_eq!((leaves.text.as_str(), leaves.details.as_str()), ("buy leaves", "3 points - reviewed"));
    assert_eq!(
        (leaves.parent.as_deref(), leaves.group.as_deref()),
        (Some("epic-1"), Some("Epic 1: Leaves & pots"))
    );
    assert_eq!((leaves.line, item(&plan, "2-2-paint-counter").line), (19, 29));
    assert!(item(&plan, "epic-1").optional && item(&plan, "epic-1-retrospective").optional);
    assert!(item(&plan, "epic-1-retrospective").mark.is_none());
    assert!(plan.findings.is_empty(), "{:?}", plan.findings);
}

#[test]
fn words_that_the_format_does_not_have_are_told_once_each() {
    use ItemState::{Active, Blocked, Done, Dropped, Failed, Open, Unknown};
    let plan = plan(fixture!("words.yaml"));
    let states: Vec<ItemState> = plan.items.iter().map(|item| item.state).collect();
    let first = [Active, Done, Done, Active, Active, Dropped, Blocked, Unknown, Done, Done, Dropped];
    assert_eq!(states[..11], first);
    assert_eq!(states[11..], [Unknown, Open, Open, Failed, Unknown, Done]);
    let told: Vec<&str> = plan.findings.iter().map(|finding| finding.args[1].1.as_str()).collect();
    let first = [
        "Done",
        "completed",
        "In progress",
        "in_progress",
        "deferred",
        "blocked",
        "checked",
        "✅ done (merged)",
    ];
    assert_eq!(told[..8], first);
    assert_eq!(told[8..], ["done - shipped", "superseded", "reivew", "failed"]);
    assert!(codes(&plan).iter().all(|code| *code == FindingCode::UnknownWord));
    assert!(item(&plan, "1-12-l").mark.is_none());
}

#[test]
fn every_key_finds_its_epic() {
    let plan = plan(fixture!("keys.yaml"));
    assert_counts(&plan, 11, 2);
    let parents: Vec<(&str, Option<&str>)> = plan
        .items
        .iter()
        .filter(|item| !item.optional)
        .map(|item| (item.id.as_str(), item.parent.as_deref()))
        .collect();
    assert_eq!(
        parents,
        [
            ("7-5-string", Some("epic-7-kites")),
            ("7-5-1-paper", Some("epic-7-5-tails")),
            ("7-2-late", Some("epic-7-kites")),
            ("2-1-first", Some("epic-2")),
            ("2.5-1-between", Some("epic-2.5")),
            ("4-5-1-below", Some("epic-4-5")),
            ("a1-1-letters", Some("epic-a1")),
            ("pm-01", Some("epic-a1")),
            ("4-5-not-of-the-other", Some("epic-4")),
            ("9-1-no-epic", None),
            ("quoted: key", Some("epic-4")),
            ("12", None),
        ]
    );
    assert_eq!(item(&plan, "pm-01").group.as_deref(), Some("EPIC A1 - Letters"));
    assert_eq!(next(&plan)[..4], ["pm-01", "2.5-1-between", "4-5-1-below", "4-5-not-of-the-other"]);
}

#[test]
fn a_value_may_be_a_map() {
    let plan = plan(fixture!("maps.yaml"));
    assert_counts(&plan, 6, 2);
    assert_eq!(plan.title.as_deref(), Some("Maps"));
    let draw = item(&plan, "1-1-draw");
    assert_eq!((draw.details.as_str(), draw.group.as_deref()), ("Two colours.", Some("Signs")));
    assert_eq!(item(&plan, "1-2-hang").text, "Hang it up");
    assert_eq!((item(&plan, "1-3-light").word.as_str(), item(&plan, "1-3-light").mark.clone()), ("", None));
    assert_eq!(item(&plan, "2-1-hinge").parent.as_deref(), Some("epic-2"));
    assert_eq!(item(&plan, "3-1-window").state, ItemState::Active);
}

#[test]
fn a_fault_of_one_line_leaves_the_others() {
    let plan = plan(fixture!("broken.yaml"));
    let words: Vec<(&str, &str)> =
        plan.items.iter().map(|item| (item.id.as_str(), item.word.as_str())).collect();
    assert_eq!(
        words,
        [
            ("epic-1", "in-progress"),
            ("1-1-fine", "done"),
            ("1-2-colon", "done: see the notes"),
            ("1-3-anchor", "*nowhere"),
            ("1-4-tab", "backlog"),
            ("1-5-open", "\"in-progress"),
            ("1-6-after", "backlog"),
        ]
    );
    assert_eq!(
        (item(&plan, "1-2-colon").state, item(&plan, "1-5-open").state),
        (ItemState::Done, ItemState::Active)
    );
    let lines: Vec<Option<u32>> = plan
        .findings
        .iter()
        .filter(|found| found.code == FindingCode::Corrected)
        .map(|found| found.line)
        .collect();
    assert_eq!(lines, [Some(2), Some(8)]);
    let marked: Vec<&str> =
        plan.items.iter().filter(|item| item.mark.is_some()).map(|item| item.id.as_str()).collect();
    assert_eq!(marked, ["epic-1", "1-1-fine", "1-4-tab", "1-6-after"]);
}

#[test]
fn a_done_epic_with_open_stories_and_repeated_keys_are_told() {
    let plan = plan(fixture!("repeated.yaml"));
    assert_eq!(codes(&plan), [FindingCode::RepeatedId, FindingCode::DoneWithOpenParts]);
    assert_eq!(finding(&plan, FindingCode::DoneWithOpenParts).args[1].1, "2");
}

#[test]
fn what_is_not_its_own_is_left_alone() {
    assert_eq!(read(KIND, FILE, fixture!("other_tool.yaml"), &[]), Ok(None));
    assert_eq!(read(KIND, FILE, b"{\"development_status\": {}}", &[]), Ok(None));
    assert_counts(&plan(b"development_status: {1-1-a: done,\n  1-2-b: backlog}\n"), 2, 1);
    assert_counts(&plan(b"'development_status': # list\n  - 1-1-a: done\n  - 1-2-b: backlog\n"), 2, 1);
    assert_eq!(read(KIND, FILE, b"hello", &[]), Ok(None));
    assert_eq!(read(KIND, FILE, b" \n", &[]), Err(ReadError::Empty));
    assert_eq!(read(KIND, FILE, b"a: \xff", &[]), Err(ReadError::NotText { offset: 3 }));
    for empty in [
        "development_status:\n",
        "development_status: {}\n",
        "development_status: none",
        "development_status: []",
    ] {
        assert_eq!(codes(&plan(empty.as_bytes())), [FindingCode::NoItems], "{empty}");
    }
}

#[test]
fn the_files_of_open_stories_say_more() {
    let names = KIND.format().named(fixture!("sprint.yaml"));
    assert_eq!(names[..2], ["1-2-wash-pots.md", "spec-1-2-wash-pots.md"]);
    assert_eq!(names.len(), 12);
    let beside: [(&str, &[u8]); 2] = [
        ("1-2-wash-pots.md", fixture!("1-2-wash-pots.md")),
        ("spec-1-10-label-tins.md", fixture!("1-10-label-tins.md")),
    ];
    let plan = plan_of(KIND, FILE, fixture!("sprint.yaml"), &beside);
    let pots = item(&plan, "1-2-wash-pots");
    assert_eq!(
        (pots.text.as_str(), pots.word.as_str(), pots.state),
        ("Wash the pots", "in-progress", ItemState::Blocked)
    );
    assert_eq!(plan.needs, ["1-2-wash-pots: which pots, `all` of them?"]);
    assert_eq!(item(&plan, "1-10-label-tins").text, "Label the tins: all of them");
    assert_eq!(codes(&plan), [FindingCode::SourcesDisagree, FindingCode::SourcesDisagree]);
    let args: Vec<&str> = plan.findings[1].args.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(args, ["1-10-label-tins", "review", "ready-for-dev", "spec-1-10-label-tins.md"]);
    assert!(!next(&plan).contains(&"1-2-wash-pots"));
    // Quotes with a comment behind them are the tool's own template; it has no heading of its own.
    let args: Vec<&str> = plan.findings[0].args.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(args, ["1-2-wash-pots", "blocked", "in-progress", "1-2-wash-pots.md"]);
    let spec =
        b"---\ntitle: 'Weigh: all leaves'\nstatus: 'in-review' # draft | in-review\n---\n\n## Intent\n";
    let blank = b"---\ntitle: '{title}'\nstatus: 'draft' # draft\n---\n\n## Intent\n";
    for (file, title, found) in [
        (&spec[..], "Weigh: all leaves", vec![("found", "in-review".to_owned())]),
        (blank, "weigh leaves", vec![]),
    ] {
        let plan = plan_of(KIND, FILE, fixture!("sprint.yaml"), &[("spec-1-3-weigh-leaves.md", file)]);
        assert_eq!(item(&plan, "1-3-weigh-leaves").text, title);
        let told = plan.findings.iter().filter(|finding| finding.code == FindingCode::SourcesDisagree);
        let told: Vec<_> =
            told.flat_map(|finding| finding.args.clone()).filter(|(key, _)| *key == "found").collect();
        assert_eq!(told, found);
    }
}

#[test]
fn stories_are_taken_in_the_order_of_the_tool() {
    let plan = plan(fixture!("sprint.yaml"));
    assert_eq!(
        next(&plan),
        [
            "1-2-wash-pots",
            "1-2a-dry-pots",
            "1-10-label-tins",
            "2-2-paint-counter",
            "1-3-weigh-leaves",
            "2-1-build-counter",
        ]
    );
    let source = Source { file: FILE, bytes: b"", beside: &[], modified: 0, now: 0 };
    let command = KIND.format().command(&source, &plan).unwrap();
    assert_eq!(command, ["claude", "-p", "/bmad-build-auto 1-2-wash-pots"]);
    assert_eq!(KIND.format().command(&source, &Plan::default()), None);
}

#[test]
fn hostile_keys_are_neither_files_nor_arguments() {
    let plan = plan(fixture!("hostile.yaml"));
    let names = KIND.format().named(fixture!("hostile.yaml"));
    assert!(names.iter().all(|name| !name.contains("..") && !name.contains([';', ' ', ':'])), "{names:?}");
    assert!(names.contains(&"stories/1-2-fine.md".to_owned()) && !names.contains(&"-rf.md".to_owned()));
    assert!(item(&plan, "1-3-tag").mark.is_none() && item(&plan, "1-4-block").mark.is_none());
    assert!(item(&plan, "1-5-long").mark.is_none());
    let source = Source { file: FILE, bytes: b"", beside: &[], modified: 0, now: 0 };
    let only =
        |id: &str| Plan { items: vec![Item { id: id.to_owned(), ..Item::default() }], ..Plan::default() };
    for id in ["../x", "1..2", "-rf", "1-1-a; reboot", "", &"a".repeat(200)] {
        assert_eq!(KIND.format().command(&source, &only(id)), None, "{id}");
    }
}

#[test]
fn a_new_word_changes_no_other_byte() {
    assert_only_marks_change(KIND, FILE, fixture!("sprint.yaml"));
    assert_only_marks_change(KIND, FILE, fixture!("words.yaml"));
    assert_only_marks_change(KIND, FILE, fixture!("keys.yaml"));
    assert_only_marks_change(KIND, FILE, fixture!("maps.yaml"));
    assert_only_marks_change(KIND, FILE, fixture!("broken.yaml"));
    assert_only_marks_change(KIND, FILE, fixture!("bom_crlf.yaml"));
    assert_only_marks_change(KIND, FILE, fixture!("repeated.yaml"));
    assert_only_marks_change(KIND, FILE, fixture!("hostile.yaml"));
}

#[test]
fn a_large_file_is_read() {
    let mut text = "development_status:\n".to_owned();
    for epic in 0..200 {
        text.push_str(&format!("  # Epic {epic}: some words\n  epic-{epic}: backlog\n"));
        text.extend(
            (0..100).map(|story| format!("  {epic}-{story}-{}: backlog # a note\n", "a-b".repeat(40))),
        );
    }
    for fault in ["", "  1-1-x: a: b\n"] {
        let text = format!("{text}{fault}");
        let plan = plan(text.as_bytes());
        assert!(plan.items.len() >= 20_200 && next(&plan).len() >= 20_000);
    }
}

/// A file made of the format's pieces.
fn pieces() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "epic-1",
        "epic-a",
        "1-1-one",
        "1-2-two",
        "a-1-x",
        "2.5-1-y",
        "epic-1-retrospective",
        "'q'",
        "é-1-z",
        "pm",
    ]);
    let value = prop::sample::select(vec![
        "done",
        " \"done\"",
        "'in-progress'",
        "backlog # note",
        "In progress",
        "",
        "~",
        "&a done",
        "*a",
        "!!str done",
        "a: b",
        "[x",
        "|\n    done",
        "{status: review}",
        "\n    status: done\n    title: t",
        "done\n    more",
        "é",
        "- x",
        "\"a\\\"b\"",
    ]);
    let line = (key, value).prop_map(|(key, value)| format!("  {key}: {value}"));
    let other =
        prop::sample::select(vec!["  # Epic 1: x", "", "x: 1", "\t", "  no key", "---", "  - 1-1-a: done"])
            .prop_map(str::to_owned);
    let end = prop::sample::select(vec!["\n", "\r\n"]);
    (prop::collection::vec(prop_oneof![4 => line, 1 => other], 0..12), end)
        .prop_map(|(lines, end)| format!("project: p{end}development_status:{end}{}{end}", lines.join(end)))
}

proptest! {
    #[test]
    fn no_bytes_are_too_much(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let text = [b"development_status:\n  1-1-a: done\n", bytes.as_slice()].concat();
        drop(read(KIND, FILE, &text, &[("1-1-a.md", &bytes)]));
        drop(read(KIND, FILE, &bytes, &[]));
        KIND.format().named(&bytes);
    }

    #[test]
    fn marks_are_where_they_say(text in pieces()) {
        let plan = plan(text.as_bytes());
        for (at, item) in plan.items.iter().enumerate() {
            let Some(range) = item.mark.clone() else { continue };
            let written = text[range.clone()].trim_matches(['"', '\'']).replace("\\\"", "\"");
            prop_assert_eq!(if written == "~" { "" } else { &written }, &item.word);
            let mut edited = text.clone();
            edited.replace_range(range.clone(), "backlog");
            let after = plan_of(KIND, FILE, edited.as_bytes(), &[]);
            prop_assert_eq!(ids(&after.items), ids(&plan.items));
            prop_assert_eq!(after.items[at].state, ItemState::Open);
            for (other, before) in after.items.iter().zip(&plan.items).enumerate().filter(|(other, _)| *other != at).map(|(_, pair)| pair) {
                prop_assert_eq!(&other.word, &before.word);
            }
        }
    }
}
