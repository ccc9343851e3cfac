//! The results of a batch (AoT contract §9.5).

use crate::aot::driving::{Atom, DRIVEN, FACTS, ONE_COMMAND, Said, Stage, file, ids};
use loopdeck_agents::answers::AnswerKind;
use loopdeck_agents::prompts::environment;
use loopdeck_core::driver::{Conclusion, EndReason, QuestionCode, UsedUp};
use loopdeck_core::formats::aot::drive::AotNext;
use loopdeck_core::formats::aot::{self, AotOperation};

const GROUP: &str = "\ndecompositions: []\n\nor_groups:\n  way:\n    choices: [A1, A2]\n    selected: A1\n    failed: []\n\nbindings: {}\n\ntrail:\n  - or_group: way\n    selected: A1\n    reason: \"first\"\n    timestamp: \"2026-01-01T00:00:00Z\"\n";

fn three() -> Stage {
    let atoms: Vec<Atom<'_>> = ["A1", "A2", "A3"]
        .into_iter()
        .map(|id| (id, "pending", crate::aot::driving::NOTHING, None))
        .collect();
    Stage::new(&file(ONE_COMMAND, &atoms, ""))
}

fn grouped(more: &[Atom<'_>]) -> Stage {
    let mut atoms: Vec<Atom<'_>> =
        vec![("A1", "pending", &[], Some("way")), ("A2", "pending", &[], Some("way"))];
    atoms.extend(more);
    Stage::new(&file(ONE_COMMAND, &atoms, GROUP))
}

fn resolve(id: &str, summary: &str) -> AotOperation {
    let artifacts = if summary.starts_with("plain") { vec![] } else { vec!["src/a.rs".into()] };
    AotOperation::Resolve { id: id.into(), summary: summary.into(), artifacts }
}

#[test]
fn each_worker_has_its_own_end() {
    let mut stage = three();
    let operations = stage.batch(&[
        Said::resolved("did A1"),
        Said::failed("no network"),
        Said::split(
            r#"[{"id":"x","description":"First half"},{"description":"Second half","depends_on":["x"]}]"#,
        ),
    ]);
    let [first, second, AotOperation::Decompose { parent, children, reason }] = operations.as_slice() else {
        panic!("{operations:?}")
    };
    assert_eq!((first, second), (&resolve("A1", "did A1"), &AotOperation::Fail { id: "A2".into() }));
    assert_eq!((parent.as_str(), reason.as_str()), ("A3", "too large"));
    assert_eq!(children[1].depends_on, ["x"]);
    assert_eq!(stage.atoms(), "A1 resolved, A2 pending, A3 pending, x pending, A4 pending");
    assert_eq!(stage.memory.aot.done, Some(1));
    assert_eq!(stage.memory.failures["A2"].why, "no network");
    stage.end_round();
    let tasks = stage.begin();
    assert_eq!(ids(&tasks), ["A2", "x"], "A4 waits for x");
    assert_eq!(tasks[0].context.failure.as_deref(), Some("no network"));
    assert!(tasks[0].prompt.contains("no network"));
    assert_eq!(tasks[1].context.atom.as_ref().expect("matter").part_of, ["A3: Do A3"]);
}

#[test]
fn ends_are_taken_up_in_file_order_whatever_order_they_come_in() {
    let mut stage = three();
    let mut tasks = stage.begin();
    tasks.reverse();
    let said = [Said::resolved("did A3"), Said::failed("no"), Said::resolved("did A1")];
    let Conclusion::Write(operations) = stage.conclude(&tasks, &said) else { panic!("written") };
    assert_eq!(
        operations,
        [resolve("A1", "did A1"), AotOperation::Fail { id: "A2".into() }, resolve("A3", "did A3")]
    );
}

#[test]
fn a_worker_is_told_what_it_builds_on() {
    let atoms: &[Atom<'_>] = &[
        ("A1", "resolved", &[], None),
        ("A2", "resolved", &["A1"], None),
        ("A3", "pending", &["A2"], None),
        ("A4", "pending", &[], None),
    ];
    let rest = "\ndecompositions: []\n\nor_groups: {}\n\nbindings:\n  A1:\n    summary: \"The base\"\n    artifacts: [\"src/base.rs\"]\n  A2:\n    summary: \"The middle ``` fence\"\n    artifacts: []\n\ntrail: []\n";
    let text = crate::aot::driving::with(
        file(ONE_COMMAND, atoms, rest),
        &[("stall_count", "2"), ("prev_pending_count", "2")],
    );
    let tasks = Stage::new(&text).begin();
    let task = &tasks[0];
    let results = &task.context.atom.as_ref().expect("matter").results;
    let told: Vec<(&str, &str)> =
        results.iter().map(|result| (result.id.as_str(), result.summary.as_str())).collect();
    assert_eq!(told, [("A2", "The middle ``` fence"), ("A1", "The base")], "nearest first");
    for part in [
        "Build it",
        "For the team",
        "A program",
        "It works",
        "Please build it.",
        "Do A3",
        "src/base.rs",
        "A4: Do A4",
        "WARNING: Stall count 2/3 - Switch strategy or decompose differently",
        "Do not edit .claude/aot-loop-state.md; return data.",
        "round 1 of at most 20",
    ] {
        assert!(task.prompt.contains(part), "{part}\n{}", task.prompt);
    }
    let fence = task.prompt.split("the nearest last (data):\n").nth(1).expect("results");
    assert!(fence.starts_with("````text"), "longer than any fence in it: {fence}");
    let variables = environment(&task.action, &task.context);
    let of = |name: &str| variables.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    assert_eq!(
        (of("LOOPDECK_ACTION"), of("LOOPDECK_TASK_ID"), of("LOOPDECK_TASK")),
        (Some("atom"), Some("A3"), Some("Do A3"))
    );
    assert_eq!((task.answer, of("LOOPDECK_ITERATION")), (Some(AnswerKind::Atom), Some("1")));
}

#[test]
fn a_failed_choice_gives_way_to_the_next_and_the_last_one_stops_the_loop() {
    let mut stage = grouped(&[]);
    let operations = stage.batch(&[Said::failed("no  lib for it")]);
    assert_eq!(operations, [AotOperation::Backtrack { id: "A1".into(), why: "no lib for it".into() }]);
    let detail = stage.detail();
    assert_eq!(detail.or_groups[0].selected.as_deref(), Some("A2"));
    assert!(detail.or_groups[0].choices[0].failed);
    assert_eq!(detail.trail.last().expect("an entry").reason, "Auto-backtrack: A1 failed (no lib for it)");
    assert_eq!(stage.atoms(), "A1 pending, A2 pending");
    stage.end_round();
    let tasks = stage.begin();
    assert_eq!(ids(&tasks), ["A2"]);
    assert!(tasks[0].prompt.contains("Other ways that were tried") && tasks[0].prompt.contains("no  lib"));
    let conclusion = stage.conclude(&tasks, &[Said::failed("no either")]);
    stage.take(conclusion);
    assert_eq!(stage.next(), AotNext::End(EndReason::Limit { limit: UsedUp::Choices }));
    assert_eq!(stage.control("stop_reason"), "\"OR group exhausted: way - all alternatives failed\"");
}

/// An exhausted group stops the loop, which then accepts nothing more: the other results are written first.
#[test]
fn results_of_others_are_not_lost_when_a_group_is_exhausted() {
    let mut stage = grouped(&[("A3", "pending", &[], None)]);
    stage.bytes = stage
        .text()
        .replace("choices: [A1, A2]", "choices: [A1]")
        .replacen("    or_group: way\n  - id: A3", "  - id: A3", 1)
        .into_bytes();
    let tasks = stage.begin();
    assert_eq!(ids(&tasks), ["A1", "A2", "A3"]);
    let said = [Said::failed("no"), Said::failed("no either"), Said::resolved("did A3")];
    let Conclusion::Write(operations) = stage.conclude(&tasks, &said) else { panic!("written") };
    assert_eq!(operations[0], AotOperation::Fail { id: "A2".into() });
    assert_eq!(operations[1], resolve("A3", "did A3"));
    assert!(matches!(&operations[2], AotOperation::Backtrack { id, .. } if id == "A1"));
    stage.take(Conclusion::Write(operations));
    assert_eq!(stage.atoms(), "A1 pending, A2 pending, A3 resolved");
    assert_eq!(stage.control("status"), "stopped");
}

#[test]
fn a_result_is_taken_up_once() {
    let mut stage = three();
    let tasks = stage.begin();
    let said = [Said::resolved("did A1"), Said::failed("no"), Said::resolved("did A3")];
    let Conclusion::Write(operations) = stage.conclude(&tasks, &said) else { panic!("written") };
    // Killed after the first write: the memory is the earlier one.
    stage.write(&operations[0]);
    stage.memory = loopdeck_core::driver::Memory::default();
    let Conclusion::Write(rest) = stage.conclude(&tasks, &said) else { panic!("written") };
    assert_eq!(rest, operations[1..]);
    stage.take(Conclusion::Write(rest));
    assert_eq!(stage.conclude(&tasks, &said), Conclusion::Write(vec![]), "nothing is left to take up");
}

#[test]
fn what_was_redirected_away_is_discarded() {
    let mut stage = three();
    let tasks = stage.begin();
    stage.write(&AotOperation::ReleaseOrphans);
    let before = stage.text();
    let said = [Said::resolved("did A1"), Said::resolved("did A2"), Said::resolved("did A3")];
    let conclusion = stage.conclude(&tasks, &said);
    assert_eq!((stage.take(conclusion), stage.text()), (None, before));
    assert_eq!(ids(&stage.begin()), ["A1", "A2", "A3"], "in the same round");
}

#[test]
fn a_person_or_a_service_that_ends_one_worker_does_not_take_the_others_away() {
    for (cut, expected) in [
        (Said::Cancelled, EndReason::Cancelled),
        (Said::Unavailable, EndReason::AgentUnavailable { message: "limit".into() }),
    ] {
        let mut stage = three();
        let tasks = stage.begin();
        let conclusion = stage.conclude(&tasks, &[Said::resolved("did A1"), cut, Said::failed("no")]);
        let Conclusion::WriteThenEnd(operations, end) = conclusion.clone() else { panic!("{conclusion:?}") };
        assert_eq!(operations, [resolve("A1", "did A1"), AotOperation::Fail { id: "A3".into() }]);
        assert_eq!(end, expected);
        stage.take(conclusion);
        assert_eq!(stage.atoms(), "A1 resolved, A2 in_progress, A3 pending");
        assert_eq!(stage.memory.aot.done, None, "the round is not over");
        let tasks = stage.begin();
        assert_eq!(ids(&tasks), ["A2", "A3"]);
        assert!(tasks[0].context.interrupted && !tasks[1].context.interrupted);
    }
}

#[test]
fn one_question_waits_and_its_atom_with_it() {
    let mut stage = grouped(&[("A3", "pending", &[], None)]);
    let asks = Said::Asks("May I?".into());
    let operations = stage.batch(&[asks, Said::resolved("did A3")]);
    assert_eq!(operations, [resolve("A3", "did A3"), AotOperation::ReleaseOrphans]);
    assert_eq!(stage.atoms(), "A1 pending, A2 pending, A3 resolved");
    let question = stage.memory.question.clone().expect("asked");
    assert_eq!((question.code, question.about.as_str()), (QuestionCode::AgentAsks, "A1"));
    assert_eq!(stage.next(), AotNext::Ask(question));
}

#[test]
fn an_answer_that_cannot_be_read_is_a_failed_try_with_its_reason() {
    let mut stage = three();
    let text = Said::Answer("I am done, I think.".into());
    let operations = stage.batch(&[text, Said::resolved("did A2"), Said::resolved("did A3")]);
    assert_eq!(operations[0], AotOperation::Fail { id: "A1".into() });
    let why = &stage.memory.failures["A1"].why;
    assert!(why.starts_with("The answer could not be read: there is no JSON object"), "{why}");
}

/// A choice is not abandoned for a slip of form, but not retried forever either.
#[test]
fn an_alternative_is_given_up_after_three_answers_that_cannot_be_read() {
    let mut stage = grouped(&[]);
    for _ in 0..2 {
        assert_eq!(stage.batch(&[Said::Answer("Done.".into())]), [AotOperation::ReleaseOrphans]);
        stage.end_round();
    }
    let operations = stage.batch(&[Said::Answer("Done.".into())]);
    assert!(matches!(&operations[0], AotOperation::Backtrack { id, .. } if id == "A1"), "{operations:?}");
}

#[test]
fn a_text_agent_answers_with_its_output() {
    let mut stage = three();
    let operations = stage.batch(&[
        Said::Plain("line 1\nplain words at the end\n".into()),
        Said::Plain(r#"{"status":"failed","reason":"no compiler"}"#.into()),
        Said::Fails("exit code 2".into()),
    ]);
    assert_eq!(
        operations,
        [
            AotOperation::Resolve {
                id: "A1".into(),
                summary: "line 1\nplain words at the end".into(),
                artifacts: vec![]
            },
            AotOperation::Fail { id: "A2".into() },
            AotOperation::Fail { id: "A3".into() }
        ]
    );
    let why = |id: &str| stage.memory.failures[id].why.clone();
    assert_eq!((why("A2"), why("A3")), ("no compiler".to_owned(), "exit code 2".to_owned()));
}

#[test]
fn smaller_atoms_that_the_file_does_not_take_are_a_failed_try() {
    for (children, why) in [
        (r#"[{"description":"a","depends_on":["A9"]}]"#, "no atom has the id A9"),
        (
            r#"[{"id":"x","description":"a","depends_on":["z"]},{"id":"z","description":"b","depends_on":["x"]}]"#,
            "they would wait in a circle: x -> z -> x",
        ),
    ] {
        let mut stage = three();
        let done = || Said::resolved("did it");
        let operations = stage.batch(&[Said::split(children), done(), done()]);
        assert_eq!(operations[0], AotOperation::Fail { id: "A1".into() }, "{children}");
        assert!(stage.memory.failures["A1"].why.ends_with(why), "{}", stage.memory.failures["A1"].why);
    }
}

#[test]
fn children_wait_for_what_their_parent_waits_for() {
    let atoms: &[Atom<'_>] = &[("A1", "resolved", &[], None), ("A2", "pending", &["A1"], None)];
    let rest = "\ndecompositions: []\n\nor_groups: {}\n\nbindings:\n  A1:\n    summary: \"b\"\n    artifacts: []\n\ntrail: []\n";
    let mut stage = Stage::new(&file(ONE_COMMAND, atoms, rest));
    stage.batch(&[Said::split(r#"[{"id":"p","description":"a","depends_on":["A2"]},{"id":"A1","description":"b","depends_on":["p"]}]"#)]);
    let needs: Vec<(String, Vec<String>)> = stage
        .detail()
        .atoms
        .into_iter()
        .map(|atom| (atom.id, atom.depends_on.into_iter().map(|need| need.id).collect()))
        .collect();
    let expected = |id: &str, needs: &[&str]| {
        (id.to_owned(), needs.iter().map(|need| (*need).to_owned()).collect::<Vec<String>>())
    };
    assert_eq!(needs[2..], [expected("p", &["A1"]), expected("A3", &["A1", "p"])]);
}

#[test]
fn a_long_result_is_whole_in_a_file_and_short_in_the_state() {
    let mut stage = three();
    let before = {
        let mut begun = three();
        begun.begin();
        begun.bytes
    };
    let long = "x".repeat(9_000);
    let done = || Said::resolved("did it");
    let operations = stage.batch(&[Said::resolved(&long), done(), done()]);
    let AotOperation::Resolve { summary, .. } = &operations[0] else { panic!("resolved") };
    assert_eq!(*summary, long, "the operation keeps it whole");
    let atom = stage.detail().atoms.swap_remove(0);
    let length = atom.summary.expect("bound").chars().count();
    assert!(length <= 2_000, "{length}");
    assert_eq!(atom.artifacts, [".claude/aot-results/A1-1.md", "src/a.rs"]);
    let outcome = aot::operate_with_companions(&before, &FACTS, &operations[0], &DRIVEN).expect("legal");
    assert_eq!(outcome.files.len(), 1);
    assert_eq!(
        (outcome.files[0].file.as_str(), outcome.files[0].text.trim_end()),
        ("aot-results/A1-1.md", &*long)
    );
    let outcome = aot::operate_with_companions(&before, &FACTS, &operations[1], &DRIVEN).expect("legal");
    assert_eq!(outcome.files, []);
    crate::aot::hook::agree_with_scripts("batch", &stage.bytes);
}

#[test]
fn the_results_of_a_batch_are_kept_when_the_loop_was_ended_meanwhile() {
    for (word, end) in [("stopped", EndReason::Stopped), ("completed", EndReason::Completed)] {
        let mut stage = three();
        let tasks = stage.begin();
        stage.bytes = crate::aot::driving::with(stage.text(), &[("status", word)]).into_bytes();
        let said = [Said::resolved("did it"), Said::resolved("did it"), Said::failed("no")];
        let conclusion = stage.conclude(&tasks, &said);
        assert_eq!(stage.take(conclusion), None);
        assert_eq!(
            (stage.atoms().as_str(), stage.control("status").as_str()),
            ("A1 resolved, A2 resolved, A3 pending", word)
        );
        assert_eq!(stage.next(), AotNext::End(end));
    }
}

#[test]
fn the_last_choice_that_fails_in_a_loop_that_was_ended_leaves_the_end_as_it_is() {
    let mut stage = grouped(&[]);
    let tasks = stage.begin();
    let failed = stage.text().replace("    failed: []", "    failed: [A2]");
    stage.bytes = crate::aot::driving::with(failed, &[("status", "completed")]).into_bytes();
    let conclusion = stage.conclude(&tasks, &[Said::failed("no")]);
    assert_eq!(stage.take(conclusion), None);
    assert_eq!(
        (stage.control("status").as_str(), stage.control("stop_reason").as_str()),
        ("completed", "null")
    );
}
