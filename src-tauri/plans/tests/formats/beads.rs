//! Beads: the export of its issues, counted a second time.

use crate::common::{NOW, assert_counts, codes, finding, ids, plan_of, read};
use loopdeck_plans::{
    Beside, FactValue, FindingCode, Item, ItemState, Plan, PlanKind, PlanStatus, ReadError, Request, Source,
};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

const FILE: &str = ".beads/issues.jsonl";

macro_rules! fixture {
    ($name:literal) => {
        include_bytes!(concat!("../fixtures/beads/", $name)).as_slice()
    };
}

fn plan(bytes: &[u8]) -> Plan {
    plan_of(PlanKind::Beads, FILE, bytes, &[])
}

fn next(plan: &Plan) -> Vec<&str> {
    PlanKind::Beads.format().next(plan).into_iter().map(|at| plan.items[at].id.as_str()).collect()
}

fn item<'p>(plan: &'p Plan, id: &str) -> &'p Item {
    plan.items.iter().find(|item| item.id == format!("kit-{id}")).unwrap()
}

/// Issues, closed ones, edges that block between issues that are there, and parents, by the lines that are JSON.
fn counted(bytes: &[u8]) -> (usize, usize, usize, usize) {
    let text = std::str::from_utf8(bytes).unwrap().trim_start_matches('\u{feff}');
    let rows = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let issues: Vec<_> = rows
        .filter(|row| row["title"].as_str().is_some_and(|title| !title.is_empty()))
        .filter(|row| row["_type"] != "memory" && row["status"] != "tombstone")
        .collect();
    let known: HashSet<_> = issues.iter().map(|issue| issue["id"].as_str().unwrap()).collect();
    let dependencies = issues.iter().filter_map(|issue| issue["dependencies"].as_array()).flatten();
    let there =
        dependencies.filter(|edge| known.contains(edge["depends_on_id"].as_str().unwrap_or_default()));
    let (mut edges, mut parents) = (0, 0);
    for edge in there {
        match edge["type"].as_str().unwrap() {
            "blocks" | "conditional-blocks" => edges += 1,
            "parent-child" => parents += 1,
            _ => {}
        }
    }
    (issues.len(), issues.iter().filter(|issue| issue["status"] == "closed").count(), edges, parents)
}

fn count(plan: &Plan) -> (usize, usize, usize, usize) {
    let done = plan.items.iter().filter(|item| item.state == ItemState::Done).count();
    let parents = plan.items.iter().filter(|item| item.parent.is_some()).count();
    (plan.items.len(), done, plan.items.iter().map(|item| item.depends_on.len()).sum(), parents)
}

#[test]
fn only_some_dependencies_block() {
    let plan = plan(fixture!("plain.jsonl"));
    assert_eq!(count(&plan), counted(fixture!("plain.jsonl")));
    assert_counts(&plan, 7, 1);
    assert_eq!(next(&plan), ["kit-b", "kit-e"]);
    assert_eq!(item(&plan, "c").depends_on, ["kit-b"]);
    assert_eq!(item(&plan, "f").depends_on, ["kit-c"]);
    let warm = item(&plan, "b");
    assert_eq!(
        (warm.done_when.as_slice(), warm.details.as_str()),
        (["It is warm".to_owned()].as_slice(), "Round")
    );
    assert_eq!((warm.priority.as_deref(), warm.line, &warm.mark), (Some("0"), 2, &None));
    assert_eq!(plan.shown_status(), PlanStatus::Running);
}

#[test]
fn it_is_always_told_to_be_an_export_with_its_age() {
    let plan = plan(fixture!("plain.jsonl"));
    assert_eq!(codes(&plan), [FindingCode::ExportOnly]);
    let fact = |name: &str| plan.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.clone());
    assert_eq!(fact("updated_at"), Some(FactValue::Time("2026-11-02T10:00:00Z".to_owned())));
    // From 2 November at 10:00 to 29 November at 12:00.
    assert_eq!(fact("age_hours"), Some(FactValue::Number(650.0)));
    let event = &plan.events[0];
    assert_eq!((event.time.as_str(), event.text.as_str()), ("2026-11-03T12:00:00+02:00", "Cooked"));
    assert_eq!(event.item.as_deref(), Some("kit-a"));
}

#[test]
fn a_blocked_epic_holds_its_parts_back() {
    let plan = plan(fixture!("epics.jsonl"));
    let (issues, done, edges, parents) = counted(fixture!("epics.jsonl"));
    // Two more parts are known by their dots.
    assert_eq!(count(&plan), (issues, done, edges, parents + 2));
    assert_eq!(item(&plan, "top.2").parent.as_deref(), Some("kit-top"));
    assert_eq!(item(&plan, "deep").parent.as_deref(), Some("kit-part"));
    assert_eq!(next(&plan), ["kit-top", "kit-top.2", "kit-free"]);
}

#[test]
fn tombstones_memories_and_headers_are_no_issues() {
    let plan = plan(fixture!("deleted.jsonl"));
    assert_eq!(ids(&plan.items), ["kit-a", "kit-c"]);
    assert_eq!(count(&plan), counted(fixture!("deleted.jsonl")));
    // A deleted blocker doesn't block.
    assert_eq!(next(&plan), ["kit-a", "kit-c"]);
    let fact = |name: &str| plan.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.clone());
    assert_eq!(fact("memories"), Some(FactValue::Number(2.0)));
    assert_eq!(fact("tombstones"), Some(FactValue::Number(1.0)));
    let deleted = self::plan(b"{\"id\":\"a-1\",\"title\":\"x\",\"status\":\"tombstone\"}\n");
    assert!(deleted.items.is_empty());
}

#[test]
fn missing_blockers_odd_words_and_wrong_types() {
    let plan = plan(fixture!("odd.jsonl"));
    assert_eq!(ids(&plan.items), ["kit-a", "kit-b", "kit-c", "kit-d", "kit-f"]);
    assert_eq!(count(&plan), counted(fixture!("odd.jsonl")));
    assert!(item(&plan, "a").depends_on.is_empty());
    assert_eq!(item(&plan, "b").state, ItemState::Unknown);
    assert_eq!(finding(&plan, FindingCode::UnknownWord).args[1].1, "in-review");
    assert_eq!(next(&plan), ["kit-a", "kit-c", "kit-f", "kit-d"]);
    assert_eq!(item(&plan, "f").line, 6);
}

#[test]
fn waiting_for_parts_is_waiting_for_those_that_are_open() {
    let plan = plan(fixture!("waits.jsonl"));
    assert_eq!(item(&plan, "all").depends_on, ["kit-k2"]);
    assert!(item(&plan, "any").depends_on.is_empty() && item(&plan, "idle").depends_on.is_empty());
    assert_eq!(next(&plan), ["kit-spawn", "kit-k2", "kit-any", "kit-empty", "kit-idle"]);
}

#[test]
fn what_is_deferred_pinned_or_no_work_is_not_ready() {
    let plan = plan(fixture!("states.jsonl"));
    assert_eq!(next(&plan), ["kit-past", "kit-onpin"]);
    for (id, state) in [
        ("later", ItemState::Blocked),
        ("kid", ItemState::Blocked),
        ("hook", ItemState::Active),
        ("ice", ItemState::Blocked),
        ("onice", ItemState::Open),
        ("pin", ItemState::Open),
    ] {
        assert_eq!(item(&plan, id).state, state, "{id}");
    }
    let optional: Vec<_> =
        plan.items.iter().filter(|item| item.optional).map(|item| item.id.as_str()).collect();
    assert_eq!(optional, ["kit-pin", "kit-gate", "kit-ev", "kit-tmp"]);
    assert_counts(&plan, 8, 0);
    assert_eq!(plan.needs, ["May we open?"]);
}

#[test]
fn a_file_in_the_middle_of_a_merge_is_read() {
    let plan = plan(fixture!("conflict.jsonl"));
    assert_eq!(ids(&plan.items), ["kit-a", "kit-b", "kit-b", "kit-c"]);
    assert_eq!(count(&plan), counted(fixture!("conflict.jsonl")));
    let faults: Vec<_> =
        plan.findings.iter().filter(|finding| finding.code == FindingCode::Corrected).collect();
    assert_eq!(
        faults.iter().map(|finding| finding.line).collect::<Vec<_>>(),
        [Some(2), Some(4), Some(6), Some(7)]
    );
    finding(&plan, FindingCode::RepeatedId);
}

#[test]
fn circles_end_and_open_parts_of_a_closed_epic_are_told() {
    let plan = plan(fixture!("circle.jsonl"));
    assert_eq!(count(&plan), counted(fixture!("circle.jsonl")));
    assert_eq!(next(&plan), ["kit-p1", "kit-p2", "kit-left"]);
    let never = plan.findings.iter().filter(|finding| finding.code == FindingCode::NeverReady).count();
    assert_eq!(never, 2);
    assert_eq!(finding(&plan, FindingCode::DoneWithOpenParts).args[0].1, "kit-done");
}

#[test]
fn other_files_are_left_alone() {
    for bytes in [fixture!("other.jsonl"), b"{}", b"[1]\n", b"words\n"] {
        assert_eq!(read(PlanKind::Beads, FILE, bytes, &[]), Ok(None));
    }
    let empty = read(PlanKind::Beads, FILE, b"\n", &[]).unwrap().unwrap();
    assert_eq!((empty.items.len(), codes(&empty)), (0, vec![FindingCode::ExportOnly, FindingCode::NoItems]));
    assert_eq!(read(PlanKind::Beads, FILE, b"{}\xc3", &[]), Err(ReadError::NotText { offset: 2 }));
}

#[test]
fn a_backup_has_its_dependencies_in_a_file_of_its_own_and_yields_to_an_export() {
    let file = ".beads/backup/issues.jsonl";
    let (issues, edges) = (fixture!("backup.jsonl"), fixture!("backup_dependencies.jsonl"));
    let plan = plan_of(PlanKind::Beads, file, issues, &[("dependencies.jsonl", edges)]);
    let rows = |bytes: &[u8], word: &str| std::str::from_utf8(bytes).unwrap().matches(word).count();
    // One edge leads to an issue that isn't there.
    let edges_there = rows(edges, "\"blocks\"") - rows(edges, "kit-gone");
    let parents = rows(edges, "parent-child");
    assert_eq!(count(&plan), (4, rows(issues, "\"closed\""), edges_there, parents));
    assert_eq!(next(&plan), ["kit-a"]);
    assert_eq!(item(&plan, "b").depends_on, ["kit-a"]);
    assert!(item(&plan, "p").optional, "pinned, as a number");
    assert_eq!(codes(&plan), [FindingCode::ExportOnly]);
    let beside = |export: &[u8]| read(PlanKind::Beads, file, issues, &[("../issues.jsonl", export)]);
    assert_eq!(beside(fixture!("plain.jsonl")), Ok(None));
    assert_eq!(beside(b"\n").unwrap().unwrap().items.len(), 4);
    // A file of that name next to an export is another one.
    let other = plan_of(PlanKind::Beads, FILE, issues, &[("dependencies.jsonl", edges)]);
    assert_eq!(count(&other), (4, 1, 0, 0));
}

#[test]
fn nothing_is_changed_but_by_the_tool() {
    let format = PlanKind::Beads.format();
    let plan = plan(fixture!("plain.jsonl"));
    let source = Source { file: FILE, bytes: b"", beside: &[], modified: NOW, now: NOW };
    assert_eq!(format.command(&source, &plan).unwrap(), ["bd", "ready", "--json"]);
    for state in [ItemState::Open, ItemState::Active, ItemState::Done, ItemState::Failed] {
        assert_eq!(format.mark(state), None);
    }
    assert_eq!(format.request(&source, &plan, Request::Stop), None);
    assert!(plan.items.iter().all(|item| item.mark.is_none()));
}

/// What `bd ready` says of random issues, by following every rule until nothing changes.
fn ready_again(plan: &Plan) -> Vec<usize> {
    let at_id: HashMap<&str, usize> =
        plan.items.iter().enumerate().map(|(at, item)| (item.id.as_str(), at)).collect();
    let mut blocked = vec![false; plan.items.len()];
    loop {
        let before = blocked.clone();
        for (at, item) in plan.items.iter().enumerate().filter(|(_, item)| item.state != ItemState::Done) {
            let by = |id: &String| plan.items[at_id[id.as_str()]].state != ItemState::Done;
            let with = item.parent.as_ref().is_some_and(|id| before[at_id[id.as_str()]]);
            blocked[at] = item.depends_on.iter().any(by) || with;
        }
        if blocked == before {
            break;
        }
    }
    (0..blocked.len()).filter(|at| !blocked[*at] && plan.items[*at].state == ItemState::Open).collect()
}

fn issues() -> impl Strategy<Value = String> {
    let edge =
        (0..12_usize, prop_oneof![Just("blocks"), Just("parent-child"), Just("related"), Just("waits-for")]);
    let issue =
        (prop_oneof![Just("open"), Just("closed"), Just("in_progress")], prop::collection::vec(edge, 0..3));
    prop::collection::vec(issue, 1..12).prop_map(|issues| {
        type Edges<'e> = [(usize, &'e str)];
        let line = |at: usize, status: &str, edges: &Edges<'_>| {
            // No circles of parents: nobody has them, and they end with the order of the rules.
            let edges = edges.iter().filter(|(on, kind)| *kind != "parent-child" || *on < at);
            let edge = |(on, kind): &(usize, &str)| serde_json::json!({"depends_on_id": format!("i-{on}"), "type": kind});
            let edges: Vec<_> = edges.map(edge).collect();
            let id = format!("i-{at}");
            let issue = serde_json::json!({"id": id, "title": "x", "issue_type": "task", "status": status, "dependencies": edges});
            issue.to_string() + "\n"
        };
        issues.into_iter().enumerate().map(|(at, (status, edges))| line(at, status, &edges)).collect()
    })
}

proptest! {
    #[test]
    fn no_bytes_break_it(bytes: Vec<u8>, text: String) {
        for bytes in [bytes.as_slice(), text.as_bytes()] {
        let beside = [Beside { file: "x", bytes }];
        let source = Source { file: FILE, bytes, beside: &beside, modified: 0, now: NOW };
        if let Ok(Some(plan)) = PlanKind::Beads.read(&source) {
            PlanKind::Beads.format().next(&plan);
        }
        }
    }

    #[test]
    fn what_is_ready_follows_the_rules(text in issues()) {
        let plan = plan(text.as_bytes());
        prop_assert_eq!(PlanKind::Beads.format().next(&plan), ready_again(&plan));
    }
}

#[test]
fn an_id_without_end_is_none() {
    let issue = |length| format!(r#"{{"id":"{}","title":"x","issue_type":"task"}}"#, "i".repeat(length));
    assert_eq!(plan(issue(255).as_bytes()).items.len(), 1);
    assert_eq!(read(PlanKind::Beads, FILE, issue(256).as_bytes(), &[]), Ok(None));
}

#[test]
fn five_megabytes_are_read() {
    let line = |at: usize| {
        format!(
            "{{\"id\":\"i-{at}\",\"title\":\"T\",\"description\":\"{}\",\"status\":\"open\",\"priority\":2,\"issue_type\":\"task\",\
             \"dependencies\":[{{\"depends_on_id\":\"i-{}\",\"type\":\"parent-child\"}},{{\"depends_on_id\":\"i-0\",\"type\":\"waits-for\"}}]}}\n",
            "d".repeat(2_400),
            at.saturating_sub(1)
        )
    };
    let text: String = (0..2_000).map(line).collect();
    assert!(text.len() > 5_000_000);
    let plan = plan(text.as_bytes());
    assert_eq!(plan.items.len(), 2_000);
    // The first one waits for the second one, which waits for itself.
    assert!(next(&plan).is_empty());
    finding(&plan, FindingCode::NeverReady);
}
