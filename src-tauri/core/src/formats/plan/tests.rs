use super::*;
use crate::control::{Intent, Situation, Verb};
use crate::format::Place;
use crate::formats::plan::operation::PlanOperation;
use crate::loops;
use crate::outcome::FileWrite;
use crate::refusal::RefusalCode;
use crate::status::StatusWord;
use crate::step::{Operation, RepairCode};
use crate::times::Timestamp;
use crate::view::TaskState;

const TASKS: &str = "# Tasks: Cart\r\n\r\n## Phase 1: Setup\r\n\r\n- [x] T001 Model\r\n- [ ] T002 Page (depends on T001)\r\n\
                     - [ ] T003 Total (depends on T002)\r\n";
const FILE: &str = "specs/001-cart/tasks.md";

fn facts(stem: &str) -> FileFacts<'_> {
    let now = Timestamp::from_millis(1_795_953_600_000);
    FileFacts { stem, modified: now, now }
}

fn at(shown: StatusWord) -> Situation {
    Situation { shown, now: facts("").now }
}

fn row(kind: PlanKind, text: &str, stem: &str) -> Summary {
    loops::summary(Place::Plan(kind), text.as_bytes(), &facts(stem)).expect("a plan")
}

/// The text after a task got another state, or why not.
fn marked(text: &str, at_index: u32, of: &str, to: TaskState) -> Result<String, RefusalCode> {
    let summary = row(PlanKind::SpecKit, text, FILE);
    let step = PlanOperation::Mark { at: at_index, text: of.to_owned(), to };
    let intent = Intent::Operate(Box::new(Operation::Plan { step }));
    let carried =
        loops::carry_out(&summary, text.as_bytes(), &facts(FILE), &intent, &at(StatusWord::Interrupted));
    carried.map(|carried| String::from_utf8(carried.bytes).unwrap()).map_err(|refusal| refusal.code)
}

#[test]
fn every_format_of_plans_has_a_name_of_its_own_and_rules() {
    for kind in PlanKind::ALL {
        let format = Format::from(kind);
        assert_eq!(format.plan(), Some(kind));
        assert_eq!(rules(kind).0, kind);
        assert!(!rules(kind).found().is_empty(), "{kind:?}");
    }
    assert_eq!(Format::Aot.plan(), None);
}

#[test]
fn a_plan_without_a_status_has_the_one_that_its_items_show() {
    let summary = row(PlanKind::SpecKit, TASKS, FILE);
    assert_eq!(summary.phase, Some(Phase::Todo { done: 1, total: 3 }));
    assert!(summary.status == FileStatus::Running && summary.status_is_derived);
    let done = TASKS.replace("[ ]", "[x]");
    assert_eq!(row(PlanKind::SpecKit, &done, FILE).status, FileStatus::Completed);
    let new = TASKS.replace("[x]", "[ ]");
    assert_eq!(row(PlanKind::SpecKit, &new, FILE).status, FileStatus::NotStarted);
}

#[test]
fn a_page_has_headings_and_what_is_ready() {
    let detail =
        loops::detail(Format::SpecKit, TASKS.as_bytes(), &facts(FILE), &at(StatusWord::Interrupted), &[]);
    let ready: Vec<_> = detail.tasks.iter().filter(|task| task.ready).map(|task| task.id.as_str()).collect();
    assert_eq!(ready, ["T002"]);
    assert_eq!(detail.tasks[2].depends_on, ["T002"]);
    assert!(detail.tasks.iter().all(|task| task.group.as_deref() == Some("Phase 1: Setup")));
    let units = detail.work.expect("tasks wait for each other").units;
    assert_eq!(units.iter().map(|unit| unit.needed_by.len()).collect::<Vec<_>>(), [1, 1, 0]);
    assert!(detail.controls.iter().all(|control| control.refusal.is_some()), "its files have no verbs");
}

#[test]
fn a_mark_changes_its_bytes_and_no_others() {
    let ticked = TASKS.replace("- [ ] T002", "- [x] T002");
    assert_eq!(marked(TASKS, 1, "Page (depends on T001)", TaskState::Completed), Ok(ticked.clone()));
    assert_eq!(marked(&ticked, 1, "Page (depends on T001)", TaskState::Pending).as_deref(), Ok(TASKS));
    for (index, text, to, code) in [
        (1, "Another text", TaskState::Completed, RefusalCode::NoSuchTask),
        (9, "Page (depends on T001)", TaskState::Completed, RefusalCode::NoSuchTask),
        (0, "Model", TaskState::Completed, RefusalCode::NothingChanges),
        (1, "Page (depends on T001)", TaskState::Failed, RefusalCode::NotEditable),
        (1, "Page (depends on T001)", TaskState::Other, RefusalCode::NotEditable),
    ] {
        assert_eq!(marked(TASKS, index, text, to), Err(code), "{index} {text} {to:?}");
    }
}

#[test]
fn what_a_tool_understands_as_a_pause_is_offered_and_nothing_else() {
    let file = ".claude/ralph-loop.local.md";
    let text = "---\nactive: true\niteration: 3\nmax_iterations: 9\ncompletion_promise: null\n---\nDo it.\n";
    let summary = row(PlanKind::RalphLoop, text, file);
    let running = at(StatusWord::RunningElsewhere);
    let refused = |verb| loops::refuse(&summary, verb, &running).map(|refusal| refusal.code);
    assert_eq!(refused(Verb::Pause), None);
    assert_eq!(
        (refused(Verb::Start), refused(Verb::Stop)),
        (Some(RefusalCode::NotInFormat), Some(RefusalCode::NotInFormat))
    );
    assert_eq!(refused(Verb::Delete), None, "without its file it ends");
    let paused = loops::carry_out(&summary, text.as_bytes(), &facts(file), &Intent::Pause, &running).unwrap();
    assert_eq!(paused.bytes, text.replace("max_iterations: 9", "max_iterations: 3").into_bytes());
}

#[test]
fn a_stop_can_be_a_file_next_to_the_plan() {
    let file = ".ralph/agent/tasks.jsonl";
    let task = r#"{"id":"task-1-a","title":"Do it","status":"open","priority":1,"blocked_by":[],"created":"2026-06-01T10:00:00Z"}"#;
    let lock = Companion {
        kind: CompanionKind::Plan,
        file: "../loop.lock".to_owned(),
        bytes: br#"{"pid":1,"started":"2026-06-01T10:00:00Z","prompt":"x"}"#.to_vec(),
        cut: false,
    };
    let summary = loops::summary_with(
        Place::Plan(PlanKind::Orchestrator),
        task.as_bytes(),
        &facts(file),
        std::slice::from_ref(&lock),
    )
    .expect("a plan");
    assert!(summary.lock.is_some(), "what is shown follows from the process of the lock");
    let refused = |shown| loops::refuse(&summary, Verb::Stop, &at(shown)).map(|refusal| refusal.code);
    assert_eq!(refused(StatusWord::RunningElsewhere), None, "its tasks say nothing yet");
    assert_eq!(refused(StatusWord::NotStarted), Some(RefusalCode::NotRunning));
    let intent = Intent::Stop { reason: None };
    let carried = loops::carry_out_with_companions(
        &summary,
        task.as_bytes(),
        &facts(file),
        &intent,
        &at(StatusWord::RunningElsewhere),
        &[lock],
    );
    let carried = carried.unwrap();
    assert_eq!(carried.beside, [FileWrite::replace("../stop-requested".to_owned(), String::new())]);
    assert_eq!(carried.bytes, task.as_bytes());
}

#[test]
fn a_tick_is_of_the_tag_that_the_loop_is() {
    let path = ".taskmaster/tasks/tasks.json";
    let text = r#"{"master":{"tasks":[{"id":1,"title":"Same","status":"pending"}]},"ui":{"tasks":[{"id":1,"title":"Same","status":"pending"}]}}"#;
    let file = format!("{path}#ui");
    assert_eq!(layout::parts(Place::Plan(PlanKind::TaskMaster), path, text.as_bytes()), [file.as_str()]);
    let ticked = |file: &str| {
        let step = PlanOperation::Mark { at: 0, text: "Same".to_owned(), to: TaskState::Completed };
        String::from_utf8(stepped(PlanKind::TaskMaster, (file, text), step, &[]).unwrap().bytes).unwrap()
    };
    assert_eq!(ticked(path), text.replacen("pending", "done", 1));
    assert_eq!(ticked(&file), text.replacen("pending", "done", 2).replacen("done", "pending", 1));
}

/// A link to the plan in `file`, which says `text`.
fn linked_to(file: &str, text: &str) -> linked::PlanLink {
    let mut link = linked::PlanLink::to(file).unwrap();
    let plan = Companion {
        kind: CompanionKind::Linked,
        file: format!("/{file}"),
        bytes: text.as_bytes().to_vec(),
        cut: false,
    };
    link.read(&[plan], &facts("cart"));
    link
}

#[test]
fn what_was_begun_and_left_is_next_before_what_can_be_begun() {
    let text = r#"{"master":{"tasks":[{"id":1,"title":"New","status":"pending"},{"id":2,"title":"Left","status":"in-progress"}]}}"#;
    let file = ".taskmaster/tasks/tasks.json";
    let link = linked_to(file, text);
    assert_eq!(link.next(), ["2 Left", "1 New"]);
    assert_eq!(link.told(), file);
    assert!(linked::PlanLink::to("src/main.rs").is_none(), "only places of plans are read");
}

#[test]
fn an_agent_is_told_which_tag_it_works_on() {
    let text = r#"{"master":{"tasks":[]},"a \"b\"":{"tasks":[{"id":1,"title":"New","status":"pending"}]}}"#;
    let file = ".taskmaster/tasks/tasks.json#a%20%22b%22";
    let link = linked_to(file, text);
    assert_eq!(link.next(), ["1 New"]);
    assert_eq!(link.told(), r#".taskmaster/tasks/tasks.json, and there only the tag "a \"b\"""#);
}

/// What a step writes, or why not: the plan's own file and those beside it.
fn stepped(
    kind: PlanKind,
    (file, text): (&str, &str),
    step: PlanOperation,
    beside: &[Companion],
) -> Result<loops::Carried, RefusalCode> {
    let summary = row(kind, text, file);
    let intent = Intent::Operate(Box::new(Operation::Plan { step }));
    let situation = at(StatusWord::Interrupted);
    let carried = loops::carry_out_with_companions(
        &summary,
        text.as_bytes(),
        &facts(file),
        &intent,
        &situation,
        beside,
    );
    carried.map_err(|refusal| refusal.code)
}

#[test]
fn an_item_is_worded_moved_and_added_in_its_place() {
    let of = |index: usize| ["Model", "Page (depends on T001)", "Total (depends on T002)"][index].to_owned();
    let carried = |step| {
        let carried = stepped(PlanKind::SpecKit, (FILE, TASKS), step, &[])?;
        Ok(String::from_utf8(carried.bytes).unwrap())
    };
    let reword = |to: &str| PlanOperation::Reword { at: 0, text: of(0), to: to.to_owned() };
    assert_eq!(carried(reword(" The\nmodel ")), Ok(TASKS.replace("T001 Model", "T001 The model")));
    let add = |new: &str| PlanOperation::Add { at: 1, text: of(1), new: new.to_owned() };
    let added = TASKS.replace("- [ ] T003", "- [ ] T004 Test it\r\n- [ ] T003");
    assert_eq!(carried(add("Test it")), Ok(added));
    let moved = |before| PlanOperation::Move { at: 2, text: of(2), before };
    let first =
        "- [ ] T003 Total (depends on T002)\r\n- [x] T001 Model\r\n- [ ] T002 Page (depends on T001)\r\n";
    let head = &TASKS[..TASKS.find("- [x]").unwrap()];
    assert_eq!(carried(moved(Some(0))), Ok(format!("{head}{first}")));
    for step in [moved(None), moved(Some(9)), reword(" "), reword("[P] Model"), add("")] {
        let refused = carried(step.clone());
        // A label would be taken for one: read back, and refused.
        assert_eq!(refused, Err(RefusalCode::NotEditable), "{step:?}");
    }
}

#[test]
fn an_item_of_a_file_beside_is_written_there_and_only_over_what_was_read() {
    let file = ".omo/boulder.json";
    let text = r#"{"active_plan": "/x/.omo/plans/cart.md", "plan_name": "cart", "session_ids": ["s"], "started_at": "2026-06-01T10:00:00Z"}"#;
    let plan = "# Cart\n\n- [x] 1. Model\n- [ ] 2. Page\n";
    let beside = Companion {
        kind: CompanionKind::Plan,
        file: "plans/cart.md".to_owned(),
        bytes: plan.as_bytes().to_vec(),
        cut: false,
    };
    let detail = loops::detail(
        Format::Boulder,
        text.as_bytes(),
        &facts(file),
        &at(StatusWord::Interrupted),
        std::slice::from_ref(&beside),
    );
    let task = &detail.tasks[1];
    assert!(task.settable.contains(&TaskState::Completed) && task.editable);
    let step = PlanOperation::Mark { at: 1, text: task.description.clone(), to: TaskState::Completed };
    let carried = stepped(PlanKind::Boulder, (file, text), step.clone(), &[beside]).unwrap();
    let ticked = plan.replace("[ ] 2", "[x] 2");
    let write = FileWrite::replace_only("plans/cart.md".to_owned(), plan.to_owned(), ticked);
    assert_eq!((carried.bytes, carried.beside), (text.as_bytes().to_vec(), vec![write]));
    assert_eq!(stepped(PlanKind::Boulder, (file, text), step, &[]), Err(RefusalCode::NoSuchTask));
}

#[test]
fn a_repair_is_offered_with_its_finding_and_ends_it() {
    let file = ".claude/ralph-loop.local.md";
    let text = "---\nactive: true\niteration:3\nmax_iterations: 0\ncompletion_promise: null\nsession_id: s\n---\nDo it.\n";
    let codes = |text: &str| {
        let detail = loops::detail(
            Format::RalphLoop,
            text.as_bytes(),
            &facts(file),
            &at(StatusWord::RunningElsewhere),
            &[],
        );
        detail.repairs.iter().map(|offer| offer.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(text), [RepairCode::PlanCounter, RepairCode::PlanLimit]);
    let mut repaired = text.to_owned();
    for code in [RepairCode::PlanCounter, RepairCode::PlanLimit] {
        let summary = row(PlanKind::RalphLoop, &repaired, file);
        let situation = at(StatusWord::RunningElsewhere);
        let intent = Intent::Repair(code);
        let carried =
            loops::carry_out(&summary, repaired.as_bytes(), &facts(file), &intent, &situation).unwrap();
        repaired = String::from_utf8(carried.bytes).unwrap();
        let again = loops::carry_out(
            &row(PlanKind::RalphLoop, &repaired, file),
            repaired.as_bytes(),
            &facts(file),
            &intent,
            &situation,
        );
        assert_eq!(again.map_err(|refusal| refusal.code), Err(RefusalCode::NothingChanges), "{code:?}");
    }
    let expected =
        text.replace("iteration:3", "iteration: 3").replace("max_iterations: 0", "max_iterations: 23");
    assert_eq!((codes(&repaired), repaired), (vec![], expected));
}

#[test]
fn an_agent_is_told_how_the_plan_says_that_an_item_is_done() {
    for kind in PlanKind::ALL {
        let format = Format::from(kind);
        let has_words = kind.format().when_done().is_some();
        assert_eq!(format.traits().is_worked_off, has_words, "{format:?}");
        assert!(has_words || kind.format().mark(ItemState::Done).is_none(), "{format:?}");
    }
    assert!(Format::Gsd.traits().is_worked_off && !Format::Beads.traits().is_worked_off);
    assert!(PlanKind::Gsd.format().when_done().is_some_and(|done| done.contains("SUMMARY.md")));
}
