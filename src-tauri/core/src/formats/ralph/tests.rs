use super::format::Ralph;
use super::*;
use crate::control::{EffectCode, Intent, MetadataPatch, Situation, Standing, Verb};
use crate::driver::{AgentTask, Conclusion, EndReason, Ended, FailureClass, Memory, Reply, UsedUp};
use crate::format::{FileFacts, Format};
use crate::formats::list::operation::ListOperation;
use crate::formats::list::{self, ListNext};
use crate::lineage::{Descent, JudgementInputs, Lineage, Version};
use crate::loops::{self, Place};
use crate::phase::{IterationBar, LimitKind, Phase};
use crate::problem::ProblemCode;
use crate::recovery::{self, Remains};
use crate::refusal::{Refusal, RefusalCode};
use crate::start::{NewFormat, NewWork, Recipe};
use crate::status::{FileStatus, StatusWord};
use crate::step::Operation;
use crate::summary::Summary;
use crate::times::Timestamp;
use crate::view::{Companion, CompanionKind, TaskState};

const NOW: Timestamp = Timestamp::from_millis(1_795_148_661_870);
const FACTS: FileFacts<'_> = FileFacts { stem: "shop", modified: NOW, now: NOW };
const LIST: &str = "<!-- loop: status=running iteration=3 owner=anna max=20 -->\r\n# The shop\r\n\r\n- [x] one\r\n- [ ] two\r\n";

fn summary(bytes: &[u8], facts: &FileFacts<'_>) -> Summary {
    loops::summary(Place::RalphList, bytes, facts).unwrap()
}

fn at(shown: StatusWord) -> Situation {
    Situation { shown, now: NOW }
}

fn shown(text: &str) -> Situation {
    at(match summary(text.as_bytes(), &FACTS).status {
        FileStatus::Running => StatusWord::Interrupted,
        status => status.word().unwrap_or(StatusWord::Unknown),
    })
}

fn carried(text: &str, intent: &Intent, situation: &Situation) -> Result<String, RefusalCode> {
    let summary = summary(text.as_bytes(), &FACTS);
    let carried = loops::carry_out(&summary, text.as_bytes(), &FACTS, intent, situation);
    carried.map(|carried| String::from_utf8(carried.bytes).unwrap()).map_err(|refusal: Refusal| refusal.code)
}

fn operated(text: &str, step: ListOperation, shown: StatusWord) -> Result<String, RefusalCode> {
    carried(text, &Intent::Operate(Box::new(Operation::List { step })), &at(shown))
}

fn with(status: &str) -> String {
    LIST.replace("status=running", &format!("status={status}"))
}

fn prompt_of(text: &str) -> [Companion; 1] {
    [Companion { kind: CompanionKind::Prompt, file: PROMPT_FILE.into(), bytes: text.into(), cut: false }]
}

fn next(text: &str, memory: &Memory) -> ListNext {
    list::next(&Ralph, (text.as_bytes(), &FACTS), memory, Some(&prompt_of("Do it.")))
}

fn task(text: &str, memory: &Memory) -> AgentTask {
    match next(text, memory) {
        ListNext::Agent { task, begin: None } => *task,
        next => panic!("{next:?}"),
    }
}

#[test]
fn a_list_tells_its_status_its_progress_and_its_limit() {
    let shop = summary(LIST.as_bytes(), &FACTS);
    assert_eq!((shop.format, shop.title.as_str()), (Format::Ralph, "The shop"));
    assert_eq!((shop.status, shop.status_word.as_str()), (FileStatus::Running, "running"));
    assert_eq!(shop.phase, Some(Phase::Todo { done: 1, total: 2 }));
    assert_eq!(shop.iteration, Some(IterationBar { current: 3.0, limit: 20.0 }));
    assert_eq!((shop.problems.len(), shop.limit), (0, None));
    let used = LIST.replace("max=20", "max=3");
    assert_eq!(summary(used.as_bytes(), &FACTS).limit, Some(LimitKind::Iterations));
    let bare = summary(b"* [ ] alone", &FACTS);
    assert_eq!((bare.status, bare.title.as_str()), (FileStatus::NotStarted, "shop"));
    assert_eq!(bare.iteration, Some(IterationBar { current: 0.0, limit: 20.0 }));
}

#[test]
fn what_is_wrong_with_a_status_line_is_named_and_nothing_is_written() {
    for (from, to, code, refused) in [
        ("status=running", "status=busy", ProblemCode::E4_unknown_status, RefusalCode::UnknownStatus),
        ("iteration=3", "iteration=-1", ProblemCode::E6_bad_iteration, RefusalCode::DamagedFile),
        ("max=20", "max=0", ProblemCode::E6_bad_iteration, RefusalCode::DamagedFile),
        ("max=20", "max=99999999999", ProblemCode::E6_bad_iteration, RefusalCode::DamagedFile),
        ("owner=anna", "max=2", ProblemCode::E8_duplicate_key, RefusalCode::NotEditable),
        (
            "- [x]",
            "<!-- loop: status=paused -->\r\n- [x]",
            ProblemCode::E8_duplicate_key,
            RefusalCode::NotEditable,
        ),
    ] {
        let text = LIST.replace(from, to);
        let problems = summary(text.as_bytes(), &FACTS).problems;
        assert_eq!(problems.iter().map(|problem| problem.code).collect::<Vec<_>>(), [code], "{to}");
        assert!(problems[0].line.is_some());
        assert_eq!(carried(&text, &Intent::Pause, &at(StatusWord::Interrupted)), Err(refused), "{to}");
        assert_eq!(next(&text, &Memory::default()), ListNext::End(EndReason::Damaged), "{to}");
    }
    let unreadable = summary(b"- [ ] \xff", &FACTS);
    assert_eq!(
        (unreadable.status, unreadable.problems[0].code),
        (FileStatus::Unreadable, ProblemCode::F6_not_utf8)
    );
    let good = |last_good: Option<&'static str>| {
        let remains =
            Remains { damaged: b"\xff", last_good: last_good.map(str::as_bytes), ..Remains::default() };
        recovery::proposals(Format::Ralph, &remains, &FACTS)
            .into_iter()
            .map(|(_, good)| good.text)
            .collect::<Vec<_>>()
    };
    assert_eq!(good(Some(LIST)), [LIST]);
    assert!(good(Some("<!-- loop: status=odd -->")).is_empty() && good(None).is_empty());
}

#[test]
fn a_verb_changes_its_values_and_no_other_byte() {
    for (from, intent, to) in [
        ("pending", Intent::Start, "running"),
        ("running", Intent::Pause, "paused"),
        ("paused", Intent::Resume { raise_limit_to: None }, "running"),
        ("running", Intent::Stop { reason: Some("x".into()) }, "stopped"),
        ("stopped", Intent::Reopen { raise_limit_to: None }, "running"),
        ("FAILED", Intent::Reopen { raise_limit_to: None }, "running"),
        ("running", Intent::LaunchFailed { why: "gone".into() }, "failed"),
    ] {
        let text = with(from);
        assert_eq!(carried(&text, &intent, &shown(&text)), Ok(with(to)), "{intent:?}");
    }
    let paused = with("paused").replace("iteration=3", "iteration=20");
    let resume = |raise_limit_to| carried(&paused, &Intent::Resume { raise_limit_to }, &shown(&paused));
    assert_eq!(resume(None), Err(RefusalCode::LimitReached));
    let raised = paused.replace("paused", "running").replace("max=20", "max=25");
    assert_eq!(resume(Some(25)), Ok(raised));
    assert_eq!(resume(Some(5_000)), Err(RefusalCode::BadValue));
    let edit = |patch| carried(&paused, &Intent::EditMetadata(patch), &shown(&paused));
    let limit = MetadataPatch { max_iterations: Some(30), ..MetadataPatch::default() };
    assert_eq!(edit(limit), Ok(paused.replace("max=20", "max=30")));
    let title = MetadataPatch { title: Some("x".into()), ..MetadataPatch::default() };
    assert_eq!(edit(title), Err(RefusalCode::NotInFormat));
}

#[test]
fn a_step_of_another_format_is_refused_with_the_status() {
    let summary = summary(LIST.as_bytes(), &FACTS);
    let step = crate::formats::ccw_v2::operation::LoopV2Operation::PauseExit;
    let intent = Intent::Operate(Box::new(Operation::LoopV2 { step }));
    let refusal =
        loops::carry_out(&summary, LIST.as_bytes(), &FACTS, &intent, &at(StatusWord::Running)).unwrap_err();
    assert_eq!((refusal.code, refusal.args["status"].as_str()), (RefusalCode::NotInFormat, "running"));
}

#[test]
fn a_list_without_a_status_line_gets_one_where_it_breaks_nothing() {
    let line = "<!-- loop: status=running iteration=0 max=20 -->";
    for (text, expected) in [
        ("- [ ] a\n", format!("{line}\n- [ ] a\n")),
        ("\u{feff}# T\r\n- [ ] a", format!("\u{feff}{line}\r\n# T\r\n- [ ] a")),
        ("---\nk: v\n---\n- [ ] a\n", format!("---\nk: v\n---\n{line}\n- [ ] a\n")),
        ("<!-- loop: -->\n- [ ] a\n", "<!-- loop: status=running -->\n- [ ] a\n".to_owned()),
    ] {
        assert_eq!(carried(text, &Intent::Start, &at(StatusWord::NotStarted)), Ok(expected), "{text:?}");
    }
}

#[test]
fn the_page_has_the_boxes_as_tasks_and_says_when_the_prompt_is_missing() {
    let detail = loops::detail(Format::Ralph, LIST.as_bytes(), &FACTS, &shown(LIST), &prompt_of("Do it."));
    let tasks: Vec<_> =
        detail.tasks.iter().map(|task| (task.id.as_str(), task.description.as_str(), task.state)).collect();
    assert_eq!(tasks, [("1", "one", TaskState::Completed), ("2", "two", TaskState::Pending)]);
    assert_eq!(detail.iteration(), Some(3.0));
    assert_eq!((detail.prompt.as_deref(), detail.problems), (Some("Do it."), Vec::new()));
    for beside in [&[][..], &prompt_of(" \n")] {
        let detail = loops::detail(Format::Ralph, LIST.as_bytes(), &FACTS, &shown(LIST), beside);
        assert_eq!(detail.problems[0].code, ProblemCode::R1_no_prompt);
    }
    let done = with("completed").replace("[ ]", "[x]");
    let reopen = loops::controls(&summary(done.as_bytes(), &FACTS), &FACTS, &shown(&done));
    let reopen = reopen.iter().find(|control| control.verb == Verb::Reopen).unwrap();
    assert_eq!((reopen.effect, &reopen.refusal), (EffectCode::ReopenNothingToDo, &None));
}

#[test]
fn the_driver_iterates_until_every_box_is_ticked() {
    let memory = Memory::default();
    let first = task(LIST, &memory);
    assert!(
        first.prompt.starts_with("Do it.\n") && first.prompt.contains(".ralph/shop/TODO.md"),
        "{}",
        first.prompt
    );
    assert_eq!((first.context.iteration, first.context.limit, first.answer), (4, 20, None));
    let done = LIST.replace("[ ]", "[X]");
    assert_eq!(next(&done, &memory), ListNext::Write(ListOperation::Complete));
    // Also in the last iteration.
    let last = done.replace("iteration=3", "iteration=20");
    assert_eq!(next(&last, &memory), ListNext::Write(ListOperation::Complete));
    let used = LIST.replace("iteration=3", "iteration=20");
    let limit = ListNext::End(EndReason::Limit { limit: UsedUp::Iterations });
    assert_eq!(next(&used, &memory), limit);
    for (status, end) in [
        ("pending", EndReason::NotStarted),
        ("paused", EndReason::Paused),
        ("stopped", EndReason::Stopped),
        ("failed", EndReason::Failed),
        ("completed", EndReason::Completed),
    ] {
        assert_eq!(next(&with(status), &memory), ListNext::End(end));
    }
    // A list without boxes is not done: the agent may be about to write it.
    let empty = "<!-- loop: status=running -->\n# Plan\n";
    assert!(matches!(next(empty, &memory), ListNext::Agent { .. }));
}

#[test]
fn no_agent_is_started_without_a_whole_prompt() {
    let refused = |beside: &[Companion]| match list::next(
        &Ralph,
        (LIST.as_bytes(), &FACTS),
        &Memory::default(),
        Some(beside),
    ) {
        ListNext::End(EndReason::Refused { refusal }) => (refusal.code, refusal.args["field"].clone()),
        next => panic!("{next:?}"),
    };
    let field = || PROMPT_FILE.to_owned();
    assert_eq!(refused(&[]), (RefusalCode::GateNotMet, field()));
    assert_eq!(refused(&prompt_of("")), (RefusalCode::GateNotMet, field()));
    let long = "x".repeat(list::LONGEST_PROMPT + 1);
    assert_eq!(refused(&prompt_of(&long)), (RefusalCode::TooLong, field()));
}

#[test]
fn an_iteration_counts_whatever_it_did_unless_it_was_cut_off() {
    let mut memory = Memory::default();
    let four = task(LIST, &memory);
    let count = |iteration| Conclusion::Write(vec![ListOperation::Iterated { iteration, max: 20 }]);
    let answered = Ended::Answered { text: "All done!", structured: None, plain: false };
    assert_eq!(list::conclude(&four, &answered, &mut memory), count(4));
    let failed = |class| Ended::Failed { class, message: "boom" };
    for class in [FailureClass::Cancelled, FailureClass::Unavailable] {
        assert!(matches!(list::conclude(&four, &failed(class), &mut memory), Conclusion::End(_)));
        assert!(memory.interrupted, "it is done again");
    }
    assert_eq!(list::conclude(&four, &failed(FailureClass::Work), &mut memory), count(4));
    assert!(task(LIST, &memory).prompt.contains("boom"), "the next one knows");
    // Twice in a row: a person is asked, once it is counted.
    assert_eq!(list::conclude(&four, &failed(FailureClass::Work), &mut memory), count(4));
    assert!(matches!(next(LIST, &memory), ListNext::Ask(_)));
    memory.reply(&Reply::Text { text: "Use tabs".into() });
    assert!(task(LIST, &memory).prompt.contains("Use tabs"));
    list::conclude(&four, &answered, &mut memory);
    assert_eq!(task(LIST, &memory).context.failure, None, "what failed is past");
}

#[test]
fn the_driver_writes_its_count_over_what_others_wrote_meanwhile() {
    let step = || ListOperation::Iterated { iteration: 4, max: 20 };
    let four = |status: &str| with(status).replace("iteration=3", "iteration=4");
    assert_eq!(operated(LIST, step(), StatusWord::Running), Ok(four("running")));
    assert_eq!(operated(&with("paused"), step(), StatusWord::Pausing), Ok(four("paused")));
    assert_eq!(operated(&with("paused"), step(), StatusWord::Paused), Err(RefusalCode::NotRunning));
    assert_eq!(operated(&with("stopped"), step(), StatusWord::Stopping), Err(RefusalCode::Finished));
    assert_eq!(operated(LIST, step(), StatusWord::RunningElsewhere), Err(RefusalCode::ForeignOwner));
    // An agent wrote the whole list again and dropped the line.
    let dropped = "# The shop\n- [x] one\n";
    let line = "<!-- loop: status=running iteration=4 max=20 -->\n";
    assert_eq!(operated(dropped, step(), StatusWord::NotStarted), Ok(format!("{line}{dropped}")));
    assert_eq!(operated(LIST, ListOperation::Complete, StatusWord::Running), Err(RefusalCode::WrongStep));
    let done = LIST.replace("[ ]", "[x]");
    let completed = done.replace("status=running", "status=completed");
    assert_eq!(operated(&done, ListOperation::Complete, StatusWord::Running), Ok(completed));
}

#[test]
fn a_pause_survives_the_whole_list_of_an_agent() {
    assert_eq!(
        loops::request_standing(&summary(with("paused").as_bytes(), &FACTS), Verb::Pause),
        Standing::Holds
    );
    let version = |text: &str| Version::from_bytes(Format::Ralph, text.as_bytes()).unwrap();
    let lineage = Lineage { before: vec![version(LIST)], since: vec![version(&with("paused"))] };
    let seen = JudgementInputs { verb: Verb::Pause, now: NOW, our_agent: true };
    // From a copy of before, with a box ticked since.
    let ticked = LIST.replace("- [ ] two", "- [x] two");
    assert_eq!(loops::request_standing(&summary(ticked.as_bytes(), &FACTS), Verb::Pause), Standing::Undone);
    assert_eq!(lineage.descent(&version(&ticked), &seen), Descent::AgentsWork);
    assert_eq!(lineage.descent(&version(LIST), &seen), Descent::Stale);
    let dropped = "# The shop\r\n\r\n- [x] one\r\n- [x] two\r\n";
    assert!(lineage.descent(&version(dropped), &seen).is_answered());
    // Also in the first iteration, when no count tells.
    let early = |text: &str| version(&text.replace("iteration=3", "iteration=0"));
    let lineage = Lineage { before: vec![early(LIST)], since: vec![early(&with("paused"))] };
    assert_eq!(lineage.descent(&version(dropped), &seen), Descent::AgentsWork);
}

#[test]
fn a_form_becomes_a_folder_with_both_files() {
    let mut work = NewWork {
        recipe: Recipe::BuildFeature,
        format: Some(NewFormat::Ralph),
        mode: None,
        goal: "Fix the cart\n\nIt counts wrong.".into(),
        title: String::new(),
        max_iterations: Some(7),
        tasks: vec!["Count right".into()],
        base_case: None,
        follow_up: None,
        plan: None,
        aot: crate::formats::aot::AotWork::default(),
    };
    let first = work.first_file(NOW, 0x2a).unwrap();
    assert_eq!(first.file, ".ralph/fix-the-cart-002a/TODO.md");
    let prompt = &first.beside[0];
    assert_eq!(prompt.file, ".ralph/fix-the-cart-002a/PROMPT.md");
    assert!(prompt.text.contains("It counts wrong."));
    let summary = loops::summary(Place::RalphList, first.text.as_bytes(), &FACTS).unwrap();
    assert_eq!(
        (summary.status, summary.phase),
        (FileStatus::NotStarted, Some(Phase::Todo { done: 0, total: 1 }))
    );
    let task = first.first_task(NewFormat::Ralph, NOW, Vec::new()).unwrap();
    assert!(task.prompt.starts_with(&prompt.text) && task.prompt.contains(&first.file), "{}", task.prompt);
    work.max_iterations = Some(0);
    assert_eq!(work.first_file(NOW, 0).unwrap_err().args["field"], "max_iterations");
}

#[test]
fn a_person_adds_an_item_to_a_list_in_any_state() {
    let added = |text: &str, shown| {
        let step = ListOperation::Add { text: "  One\nmore [x] ".into() };
        operated(text, step, shown)
    };
    for (text, expected) in [
        ("- [x] a\n- [ ] b\n", "- [x] a\n- [ ] b\n- [ ] One more [x]\n"),
        (
            "# T\n* [X] a\n  more of it\n  * [ ] part\n\nEnd.\n",
            "# T\n* [X] a\n  more of it\n  * [ ] part\n* [ ] One more [x]\n\nEnd.\n",
        ),
        ("9. [ ] a\r\n", "9. [ ] a\r\n10. [ ] One more [x]\r\n"),
        ("- [ ] a", "- [ ] a\n- [ ] One more [x]"),
    ] {
        for (status, shown) in [("completed", StatusWord::Completed), ("running", StatusWord::Running)] {
            let line = format!("<!-- loop: status={status} iteration=1 max=9 -->\n");
            let after = added(&format!("{line}{text}"), shown);
            assert_eq!(after, Ok(format!("{line}{expected}")), "{text:?}");
        }
    }
    let elsewhere = added(LIST, StatusWord::RunningElsewhere);
    assert_eq!(elsewhere, Err(RefusalCode::ForeignOwner));
    assert_eq!(added("Nothing here\n", StatusWord::NotStarted), Err(RefusalCode::NotEditable));
    let linked = "<!-- loop: plan=specs/001-shop/tasks.md -->\n- [ ] a\n";
    assert_eq!(added(linked, StatusWord::NotStarted), Err(RefusalCode::NotEditable));
}
