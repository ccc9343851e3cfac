//! GSD: projects made after the oddities of real ones, counted a second time by the names of their files and the lines of their roadmap.

use crate::common::{NOW, assert_counts, codes, finding, ids};
use crate::gsd_order::{carry_out, project};
use loopdeck_plans::{
    Beside, FactValue, FindingCode, Item, ItemState, Plan, PlanKind, PlanStatus, Request, Source, ready,
};
use proptest::prelude::*;
use std::path::Path;

pub(crate) type Files = Vec<(String, Vec<u8>)>;

/// The files of a fixture, sorted by their names.
fn files(case: &str) -> Files {
    fn walk(root: &Path, folder: &Path, found: &mut Files) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
                found.push((name, std::fs::read(&path).unwrap()));
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/gsd").join(case);
    let mut found = Vec::new();
    walk(&root, &root, &mut found);
    found.sort();
    found
}

/// Reads a project, and what its next items and its command are.
pub(crate) fn with<T>(file: &str, files: &Files, then: impl Fn(&Source<'_>, Option<Plan>) -> T) -> T {
    let is_beside = |name: &str| name != "STATE.md";
    let beside: Vec<Beside<'_>> = files
        .iter()
        .filter(|(name, _)| is_beside(name))
        .map(|(file, bytes)| Beside { file, bytes })
        .collect();
    let state = files.iter().find(|(name, _)| name == "STATE.md").unwrap();
    let source = Source { file, bytes: &state.1, beside: &beside, modified: NOW, now: NOW };
    let plan = PlanKind::Gsd.read(&source).unwrap();
    then(&source, plan)
}

pub(crate) const STATE: &str = ".planning/STATE.md";

fn plan(case: &str) -> Plan {
    with(STATE, &files(case), |_, plan| plan.unwrap())
}

pub(crate) fn next(plan: &Plan) -> Vec<&str> {
    PlanKind::Gsd.format().next(plan).into_iter().map(|at| plan.items[at].id.as_str()).collect()
}

fn command(case: &str) -> Option<Vec<String>> {
    with(STATE, &files(case), |source, plan| PlanKind::Gsd.format().command(source, &plan.unwrap()))
}

pub(crate) fn item<'p>(plan: &'p Plan, id: &str) -> &'p Item {
    plan.items.iter().find(|item| item.id == id).unwrap_or_else(|| panic!("{id} in {:?}", ids(&plan.items)))
}

fn fact<'p>(plan: &'p Plan, name: &str) -> Option<&'p FactValue> {
    plan.facts.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
}

fn code(text: &str) -> Option<FactValue> {
    Some(FactValue::Code(text.to_owned()))
}

/// What disagrees: item, what the file says, what was expected, file.
fn disagreements(plan: &Plan) -> Vec<[&str; 4]> {
    let of = |args: &'_ [(&'static str, String)], name: &str| {
        args.iter().position(|(key, _)| *key == name).unwrap()
    };
    let found = plan.findings.iter().filter(|finding| finding.code == FindingCode::SourcesDisagree);
    found
        .map(|finding| {
            ["item", "found", "expected", "file"].map(|name| finding.args[of(&finding.args, name)].1.as_str())
        })
        .collect()
}

/// Plans and summaries by the names of the files alone.
fn count_files(files: &Files) -> (usize, usize) {
    let names = files.iter().filter(|(name, _)| name.starts_with("phases/"));
    let names: Vec<&str> = names.map(|(name, _)| name.rsplit('/').next().unwrap()).collect();
    let is_other = |name: &str| ["OUTLINE", "REVIEW", "NOTES"].iter().any(|word| name.contains(word));
    let plans =
        names.iter().filter(|name| name.contains("PLAN") && !name.contains("SUMMARY") && !is_other(name));
    (plans.count(), names.iter().filter(|name| name.contains("SUMMARY") && !name.contains("FIX")).count())
}

#[test]
fn phases_and_plans_with_waves_dependencies_and_files() {
    let plan = plan("waves");
    assert_eq!((plan.items.len(), count_files(&files("waves"))), (17, (12, 5)));
    let of_files =
        plan.items.iter().filter(|item| item.file.as_deref().is_some_and(|file| file.starts_with("phases/")));
    assert_eq!(of_files.count(), 12);
    assert_counts(&plan, 12, 4);
    assert_eq!(plan.items.iter().map(|item| item.depends_on.len()).sum::<usize>(), 16);
    assert_eq!(item(&plan, "3").depends_on, ["1", "2", "2.1"]);
    assert_eq!(item(&plan, "1").depends_on, [""; 0]);
    assert_eq!(item(&plan, "2.1").depends_on, ["2"]);
    assert_eq!(item(&plan, "02-05").depends_on, ["02-01"]);
    assert_eq!(item(&plan, "03-02").depends_on, ["03-01", "2"]);
    let states = ["1", "2", "2.1", "3", "4", "02-02", "02-06", "03-01"].map(|id| item(&plan, id).state);
    use ItemState::{Active, Blocked, Done, Dropped, Open};
    assert_eq!(states, [Done, Active, Blocked, Active, Open, Blocked, Dropped, Open]);
    assert_eq!(item(&plan, "02-02").word, "halted");
    assert_eq!(
        item(&plan, "1").done_when,
        ["The board answers", "It sleeps when nobody asks, also at night"]
    );
    let stored = item(&plan, "02-03");
    assert_eq!(stored.done_when, ["A number survives a restart", "None is lost: ever"]);
    assert_eq!(stored.files, ["src/store.ts", "src/beds.ts"]);
    assert_eq!((stored.text.as_str(), stored.parallel), ("Store them", true));
    assert_eq!(stored.group.as_deref(), Some("Phase 2: Readings · Wave 2"));
    assert_eq!(item(&plan, "02.1-01").group.as_deref(), Some("Phase 2.1: Rain fix"));
    assert_eq!(item(&plan, "02-07").text, "Build part 07.");
    assert_eq!((item(&plan, "4").line, item(&plan, "4").file.as_deref()), (9, Some("ROADMAP.md")));
    assert_eq!(plan.events.len(), 5);
    assert_eq!(
        (plan.events[0].time.as_str(), plan.events[0].text.as_str()),
        ("2026-05-01", "Board soldered")
    );
}

#[test]
fn what_is_next_waits_for_plans_phases_and_halted_ones() {
    let plan = plan("waves");
    let ready: Vec<&str> = ready(&plan).into_iter().map(|at| plan.items[at].id.as_str()).collect();
    assert_eq!(ready, ["02-03", "02-04", "02-05", "03-01"]);
    assert_eq!(next(&plan), ["02-03", "02-04", "02-05"]);
    assert_eq!(command("waves").unwrap(), ["claude", "-p", "/gsd-execute-phase 2"]);
    let questions =
        ["2.1: Pour water on it", "2.1: Drop it", "2.1: Leave it out over night", "02-05: Ask a person"];
    assert_eq!(plan.needs, questions);
    assert_eq!(fact(&plan, "checkpoints"), Some(&FactValue::List(vec!["02-05".to_owned()])));
}

#[test]
fn plans_of_one_wave_that_change_one_file_are_told() {
    let plan = plan("waves");
    let conflict = finding(&plan, FindingCode::FileConflict);
    let args: Vec<&str> = conflict.args.iter().map(|(_, value)| value.as_str()).collect();
    assert_eq!(args, ["02-03", "02-04", "src/store.ts"]);
    assert_eq!(codes(&plan).iter().filter(|code| **code == FindingCode::FileConflict).count(), 1);
    assert_eq!(finding(&plan, FindingCode::FileMissing).args[1].1, "09-99");
}

#[test]
fn state_roadmap_and_summaries_are_all_told() {
    let counts = plan("waves");
    let told = ["completed_plans", "roadmap_plans", "summaries"].map(|name| fact(&counts, name).cloned());
    assert_eq!(told, [code("5/11"), code("6/11"), code("5/11")]);
    let expected = [
        ["roadmap_plans", "6/11", "5/11", "ROADMAP.md"],
        ["completed_phases", "1", "2", "STATE.md"],
        ["03-01", "[x]", "[ ]", "ROADMAP.md"],
    ];
    assert_eq!(disagreements(&counts), expected);
    let plan = plan("disagree");
    let expected = [
        ["completed_plans", "4/4", "3/4", "STATE.md"],
        ["roadmap_plans", "2/4", "3/4", "ROADMAP.md"],
        ["1", "[x]", "1/2", "ROADMAP.md"],
        ["2", "[ ]", "2/2", "ROADMAP.md"],
        ["01-02", "[x]", "[ ]", "ROADMAP.md"],
        ["02-01", "[ ]", "[x]", "ROADMAP.md"],
        ["02-02", "[ ]", "[x]", "ROADMAP.md"],
    ];
    assert_eq!(disagreements(&plan), expected);
    assert_eq!(finding(&plan, FindingCode::DoneWithOpenParts).args[0].1, "1");
    assert_eq!(next(&plan), [""; 0], "the box of the phase is believed");
    assert_eq!((plan.title.as_deref(), plan.status), (Some("Toy"), Some(PlanStatus::Running)));
    assert_counts(&plan, 4, 3);
}

#[test]
fn an_old_state_has_no_front_matter_and_boxes_have_other_marks() {
    let plan = plan("old");
    assert_eq!((plan.word.as_str(), plan.status), ("In progress", Some(PlanStatus::Running)));
    assert_eq!((plan.title.as_deref(), plan.goal.as_deref()), (Some("Lamp"), Some("One button, one lamp")));
    assert_eq!(plan.reason.as_deref(), Some("the second wire"));
    assert_eq!(fact(&plan, "current_plan"), Some(&FactValue::Text("1 of 2".to_owned())));
    assert_eq!(ids(&plan.items), ["1", "01-01", "2", "02-01", "02-02", "3", "4"]);
    let states: Vec<ItemState> = plan.items.iter().map(|item| item.state).collect();
    use ItemState::{Active, Done, Dropped, Open, Unknown};
    assert_eq!(states, [Done, Done, Active, Active, Open, Dropped, Unknown]);
    assert_counts(&plan, 4, 1);
    assert_eq!(codes(&plan), [FindingCode::UnknownWord]);
    assert_eq!(next(&plan), ["02-02"]);
    // It isn't written yet.
    assert_eq!(command("old").unwrap()[2], "/gsd-plan-phase 2");
    let boxes = files("old").iter().find(|(name, _)| name == "ROADMAP.md").unwrap().1.clone();
    let boxes = String::from_utf8(boxes).unwrap();
    let outside = boxes.split("```").step_by(2).flat_map(str::lines);
    assert_eq!(outside.filter(|line| line.starts_with("- [")).count(), plan.items.len());
}

#[test]
fn only_the_milestone_that_the_work_is_at_counts() {
    let plan = plan("milestones");
    assert_eq!(ids(&plan.items), ["3", "03-01", "4", "04-01", "4.1"]);
    assert_counts(&plan, 3, 1);
    assert_eq!(item(&plan, "4").depends_on, ["3"]);
    assert_eq!(item(&plan, "4").group.as_deref(), Some("🚧 v1.1 Boats (In Progress)"));
    assert_eq!(fact(&plan, "other_phases"), Some(&FactValue::List(vec!["5 Mast".to_owned()])));
    assert_eq!(next(&plan), ["04-01", "4.1"]);
    let shipped = self::plan("shipped");
    assert_eq!((ids(&shipped.items), shipped.status), (vec!["1", "2"], Some(PlanStatus::Completed)));
    assert_eq!((shipped.items[0].text.as_str(), shipped.items[1].text.as_str()), ("Cast", "Hang"));
    assert_counts(&shipped, 2, 2);
    assert_eq!(command("shipped"), None);
}

#[test]
fn a_milestone_goes_on_until_the_next_one_and_a_phase_is_none() {
    let roadmap = "# Roadmap\n\n## ✅ v1.0 Seeds — SHIPPED\n- [x] **Phase 1: Old**\n- [x] **Phase 9: Older**\n\n\
        ## v1.1 Plants\n\n## Phases\n- [ ] **Phase 1: New**\n- [ ] **Phase 2: v3.0 closeout**\n\n\
        ## Details\n### Phase 2: v3.0 closeout\n- [ ] 02-01: a\n### Phase 2.1: Inserted\n\n\
        ## v1.2 Fruit\n## More\n- [ ] **Phase 3: Later**\n";
    let mut files = files("foreign");
    files[0].1 = b"---\ngsd_state_version: '1.0'\nmilestone: v1.1\n---\n".to_vec();
    files.push(("ROADMAP.md".to_owned(), roadmap.as_bytes().to_vec()));
    // The folder of a phase that was shipped stays.
    files.push(("phases/09-older/09-01-PLAN.md".to_owned(), b"---\nwave: 1\n---\n".to_vec()));
    let plan = with(STATE, &files, |_, plan| plan.unwrap());
    assert_eq!(ids(&plan.items), ["1", "2", "02-01", "2.1"]);
    assert_eq!((item(&plan, "1").text.as_str(), item(&plan, "1").state), ("New", ItemState::Open));
    assert_eq!(fact(&plan, "other_phases"), Some(&FactValue::List(vec!["3 Later".to_owned()])));
}

#[test]
fn an_open_fold_is_no_shipped_milestone() {
    let mut files = files("folds");
    let plan = with(STATE, &files, |_, plan| plan.unwrap());
    assert_eq!(ids(&plan.items), ["4", "5", "05-01", "05-02", "6", "06-01"]);
    let states = ["4", "5", "6"].map(|id| item(&plan, id).state);
    assert_eq!(states, [ItemState::Done, ItemState::Done, ItemState::Open]);
    assert_eq!(count_files(&files), (3, 2));
    assert_counts(&plan, 4, 3);
    assert_eq!(next(&plan), ["06-01"]);
    assert_eq!((plan.status, codes(&plan)), (None, vec![]), "plans of one phase are listed, and no others");
    assert_eq!(fact(&plan, "current_phase"), None, "the head of a table");
    assert_eq!(fact(&plan, "blockers"), Some(&FactValue::List(vec!["Rain".to_owned()])));
    // A closed one is the current milestone where its summary says so, and no heading does.
    let roadmap = files.iter_mut().find(|(name, _)| name == "ROADMAP.md").unwrap();
    roadmap.1 = String::from_utf8(roadmap.1.clone()).unwrap().replace("<details open>", "<details>").into();
    let folded = with(STATE, &files, |_, plan| plan.unwrap());
    assert_eq!(ids(&folded.items), ids(&plan.items)[1..]);
}

#[test]
fn what_happened_is_the_heading_of_a_summary() {
    let mut files = project(&[("01-one/01-01", "wave: 1", "", "a")]);
    carry_out(&mut files, "01-one/01-01", "# Dependency graph\nrequires: []\ncompleted: 2026-05-01");
    let plan = with(STATE, &files, |_, plan| plan.unwrap());
    assert_eq!((plan.events[0].text.as_str(), plan.events[0].time.as_str()), ("Done", "2026-05-01"));
}

#[test]
fn plans_have_many_names() {
    let plan = plan("names");
    assert_eq!(count_files(&files("names")), (10, 3));
    let mut found = ids(&plan.items);
    found.sort_unstable();
    let expected = [
        "01-01",
        "01-02",
        "01-03",
        "02-01",
        "02-PLAN",
        "03-01",
        "03-02",
        "03-04",
        "1",
        "12A",
        "12A-01",
        "12A-01b",
        "12A-2026-photos",
        "2",
        "3",
        "999.1",
        "999.1-01",
    ];
    assert_eq!(found, expected);
    assert_counts(&plan, 11, 3);
    assert_eq!(item(&plan, "01-02").depends_on, ["01-01"]);
    assert_eq!(item(&plan, "12A-01b").depends_on, ["12A-01"]);
    assert_eq!((item(&plan, "01-02").text.as_str(), item(&plan, "01-03").text.as_str()), ("linked", "bold"));
    assert_eq!(item(&plan, "03-01").file.as_deref(), Some("phases/03-nested/plans/PLAN-01-setup.md"));
    assert_eq!(next(&plan), ["01-03", "02-01", "02-PLAN", "03-02", "03-04", "12A-01", "12A-2026-photos"]);
}

#[test]
fn a_handoff_says_what_a_person_has_to_do() {
    let plan = plan("paused");
    assert_eq!((plan.word.as_str(), plan.status), ("executing", Some(PlanStatus::Paused)));
    assert_eq!(plan.reason.as_deref(), Some("It rained"));
    assert_eq!(plan.needs, ["Buy cloth", "Ask the neighbour", "No cloth in the shop", "7"]);
    assert_eq!(fact(&plan, "resume_with"), Some(&FactValue::Text("Cut the cloth".to_owned())));
    // One from before the last change was forgotten.
    let mut files = files("paused");
    let handoff = files.iter_mut().find(|(name, _)| name == "HANDOFF.json").unwrap();
    handoff.1 =
        String::from_utf8(handoff.1.clone()).unwrap().replace("2026-06-01", "2026-05-30").into_bytes();
    let plan = with(STATE, &files, |_, plan| plan.unwrap());
    assert_eq!((plan.status, plan.needs.len()), (Some(PlanStatus::Running), 0));
}

#[test]
fn odd_files_are_read_and_nothing_of_them_is_followed() {
    let mut files = files("odd");
    files.push(("phases/..-evil; rm -rf/..-PLAN.md".to_owned(), b"---\nwave: 1\n---\n".to_vec()));
    let plan = with(STATE, &files, |_, plan| plan.unwrap());
    assert_eq!(plan.status, None, "a word that nobody defined says nothing");
    let found = codes(&plan);
    for code in
        [FindingCode::UnknownWord, FindingCode::RepeatedId, FindingCode::NeverReady, FindingCode::FileMissing]
    {
        assert!(found.contains(&code), "{code:?} in {found:?}");
    }
    assert_eq!(found.iter().filter(|code| **code == FindingCode::NeverReady).count(), 2, "a circle of two");
    assert_eq!(item(&plan, "01-01").files, ["../../etc/passwd", "C:\\\\x", "/abs"]);
    assert_eq!(item(&plan, "01-05").state, ItemState::Done);
    let command = |files: &Files| {
        with(STATE, files, |source, plan| PlanKind::Gsd.format().command(source, &plan.unwrap()))
    };
    assert_eq!(command(&files).unwrap()[2], "/gsd-execute-phase 1");
    // The folder with the odd name alone: a command has nothing of it.
    files.retain(|(name, _)| !name.contains("/01-a/"));
    assert_eq!(command(&files), None);
    assert!(PlanKind::Gsd.format().named(b"---\nresume: ../x\n---\n").is_empty());
}

#[test]
fn a_workstream_has_its_name_and_its_flag() {
    let read = |file: &str| {
        with(file, &files("stream"), |source, plan| {
            let plan = plan.unwrap();
            (PlanKind::Gsd.format().command(source, &plan), plan)
        })
    };
    let (command, plan) = read(".planning/workstreams/paint/STATE.md");
    assert_eq!((plan.title.as_deref(), plan.status), (Some("paint"), Some(PlanStatus::Running)));
    assert_eq!((ids(&plan.items), plan.items[0].state), (vec!["7", "07-01", "07-02"], ItemState::Active));
    assert_eq!(command.unwrap(), ["claude", "-p", "/gsd-execute-phase 7 --ws paint"]);
    assert_eq!(read(".planning/workstreams/a b; c/STATE.md").0, None);
}

#[test]
fn files_of_other_tools_are_none_and_nothing_is_written() {
    assert!(with(STATE, &files("foreign"), |_, plan| plan.is_none()));
    let by_hand = vec![("STATE.md".to_owned(), b"# State\n\n## Current position\n".to_vec())];
    assert!(with(STATE, &by_hand, |_, plan| plan.is_some()));
    let format = PlanKind::Gsd.format();
    with(STATE, &files("waves"), |source, plan| {
        let plan = plan.unwrap();
        assert!(plan.items.iter().all(|item| item.mark.is_none()));
        for request in [Request::Pause, Request::Resume, Request::Stop] {
            assert_eq!(format.request(source, &plan, request), None);
        }
    });
    assert_eq!(format.mark(ItemState::Done), None);
}

#[test]
fn a_phase_whose_plans_were_all_given_up_is_over() {
    let mut files = files("foreign");
    files[0].1 = b"---\ngsd_state_version: '1.0'\n---\n".to_vec();
    let text = b"---\nstatus: Superseded\n---\n".to_vec();
    files.push(("phases/01-a/01-01-PLAN.md".to_owned(), text));
    let plan = with(STATE, &files, |_, plan| plan.unwrap());
    assert_eq!((item(&plan, "1").state, item(&plan, "01-01").state), (ItemState::Done, ItemState::Dropped));
    assert_counts(&plan, 0, 0);
}

/// Two thousand plans in forty phases that change the same files.
#[test]
fn many_plans_are_read() {
    let mut files = files("foreign");
    files[0].1 = b"---\ngsd_state_version: '1.0'\n---\n".to_vec();
    for number in 0..2_000 {
        let (phase, plan) = (number / 50 + 1, number % 50);
        let name = format!("phases/{phase:02}-a/{phase:02}-{plan:02}-PLAN.md");
        let text = format!("---\nwave: 1\ndepends_on: [\"{phase:02}-00\"]\nfiles_modified: [a, b, c]\n---\n");
        files.push((name, text.into_bytes()));
    }
    let plan = with(STATE, &files, |_, plan| plan.unwrap());
    assert_eq!((plan.items.len(), plan.progress()), (2_040, (0, 2_000)));
}

fn roadmap_line() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "- [ ] **Phase 1: A**",
        "- [x] Phase 02.1 — B",
        "- [~] **Phase 3 (x): C** - d",
        "### Phase 1: A",
        "## Phase 2.1: B",
        "- [ ] 01-01-PLAN.md — text",
        "- [x] 02.1-03: text",
        "- [ ] [01-02-PLAN.md](x) - y",
        "<details>",
        "</details>",
        "## v1.0 ✅ SHIPPED",
        "### 🚧 v1.1",
        "**Depends on**: Phase 1, 2-4 (x)",
        "**Success Criteria**:",
        "  1. is true",
        "```",
        "",
        "<!--",
        "-->",
        "- [ ] ~~Phase 9: Z~~",
        "**Goal**: é",
    ]);
    prop_oneof![4 => pieces.prop_map(str::to_owned), 1 => ".{0,20}"]
}

fn front_line() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "depends_on: [01-02,",
        "\"01-03\"]",
        "depends_on:",
        "  - 01-02",
        "- phase-01",
        "",
        "files_modified: [a, 'b']",
        "files_modified:",
        "    - x: \"y",
        "wave: 2",
        "autonomous: false",
        "status: superseded",
        "---",
        "# note",
        "must_haves:",
        "  truths:",
        "    - \"é\" # c",
        "]",
    ]);
    prop_oneof![6 => pieces.prop_map(str::to_owned), 1 => ".{0,20}"]
}

proptest! {
    #[test]
    fn plans_with_any_front_matter_are_read(lines in prop::collection::vec(front_line(), 0..20)) {
        let text = format!("---\n{}\n---\n", lines.join("\n"));
        let beside = ["phases/01-a/01-01-PLAN.md", "phases/01-a/01-02-PLAN.md", "phases/01-a/01-03-PLAN.md"];
        let beside = beside.map(|file| Beside { file, bytes: text.as_bytes() });
        let source = Source { file: STATE, bytes: b"# Project State\n", beside: &beside, modified: NOW, now: NOW };
        let plan = PlanKind::Gsd.read(&source).unwrap().unwrap();
        prop_assert_eq!(ids(&plan.items), ["1", "01-01", "01-02", "01-03"]);
        for item in &plan.items {
            prop_assert!(item.depends_on.iter().all(|id| *id != item.id && ids(&plan.items).contains(&id.as_str())));
        }
        for at in PlanKind::Gsd.format().next(&plan) {
            prop_assert_eq!(plan.items[at].state, ItemState::Open);
        }
    }

    #[test]
    fn any_bytes_are_read(state in prop::collection::vec(any::<u8>(), 0..200), file in prop::collection::vec(any::<u8>(), 0..200), name in ".{0,30}") {
        let mut front = b"---\ngsd_state_version: 1\n".to_vec();
        front.extend(&state);
        let beside = ["ROADMAP.md".to_owned(), "HANDOFF.json".to_owned(), format!("phases/01-a/{name}-PLAN.md"), format!("phases/{name}/01-01-SUMMARY.md")];
        let beside: Vec<Beside<'_>> = beside.iter().map(|name| Beside { file: name, bytes: &file }).collect();
        for bytes in [&state, &front] {
            let source = Source { file: STATE, bytes, beside: &beside, modified: NOW, now: NOW };
            if let Ok(Some(plan)) = PlanKind::Gsd.read(&source) {
                PlanKind::Gsd.format().next(&plan);
                PlanKind::Gsd.format().command(&source, &plan);
            }
        }
    }

    #[test]
    fn what_the_roadmap_has_is_at_its_line(lines in prop::collection::vec(roadmap_line(), 0..40)) {
        let text = lines.join("\n");
        let beside = [Beside { file: "ROADMAP.md", bytes: text.as_bytes() }];
        let bytes = b"---\ngsd_state_version: 1\nmilestone: v1.1\n---\n";
        let source = Source { file: STATE, bytes, beside: &beside, modified: NOW, now: NOW };
        let plan = PlanKind::Gsd.read(&source).unwrap().unwrap();
        let lines: Vec<&str> = text.split('\n').collect();
        for item in &plan.items {
            let line = lines[item.line as usize - 1].to_lowercase();
            let number = item.id.rsplit('-').next().unwrap().trim_start_matches('0').to_lowercase();
            prop_assert!(line.contains(&number), "{} at {:?}", item.id, line);
            prop_assert!(item.parent.is_none() || line.contains("- ["));
            prop_assert!(item.mark.is_none());
        }
    }
}
