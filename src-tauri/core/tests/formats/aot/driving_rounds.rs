//! Rounds of the driver: what comes first, and the sequences of AoT contract §5.

use crate::aot::driving::{Atom, ONE_COMMAND, Said, Stage, file, ids, with};
use loopdeck_core::driver::{
    Action, Conclusion, DriverQuestion, EndReason, Memory, QuestionCode, Reply, ReplyCode, UsedUp,
};
use loopdeck_core::formats::aot::AotOperation;
use loopdeck_core::formats::aot::drive::AotNext;

const TWO: &[Atom<'_>] = &[("A1", "pending", &[], None), ("A2", "pending", &["A1"], None)];
const GROUP: &str = "\ndecompositions: []\n\nor_groups:\n  way:\n    choices: [A1, A2]\n    selected: null\n    failed: []\n\nbindings: {}\n\ntrail: []\n";
const CONTAINER: &str = "\ndecompositions:\n  - parent: A1\n    children: [A2]\n    reason: \"r\"\n\nor_groups: {}\n\nbindings:\n  A2:\n    summary: \"Did it\"\n    artifacts: []\n\ntrail: []\n";

fn next(text: &str) -> AotNext {
    Stage::new(text).next()
}

fn one(status: &str) -> String {
    file(ONE_COMMAND, &[("A1", status, &[], None)], "")
}

#[test]
fn a_loop_that_does_not_run_ends_the_driver_with_its_reason() {
    let limit = |limit| EndReason::Limit { limit };
    for (status, reason, end) in [
        ("pending", "null", EndReason::NotStarted),
        ("completed", "null", EndReason::Completed),
        ("stopped", "\"Paused by user\"", EndReason::Paused),
        ("stopped", "\"Manual stop requested\"", EndReason::Stopped),
        ("stopped", "null", EndReason::Stopped),
        ("stopped", "\"Max iterations reached\"", limit(UsedUp::Iterations)),
        ("stopped", "\"Max stall count reached\"", limit(UsedUp::Stalls)),
        ("stopped", "\"OR group exhausted: way - all alternatives failed\"", limit(UsedUp::Choices)),
        ("stopped", "\"No atoms in Work Graph\"", EndReason::Stopped),
        ("paused", "null", EndReason::Damaged),
    ] {
        let text = with(file(ONE_COMMAND, TWO, ""), &[("status", status), ("stop_reason", reason)]);
        assert_eq!(next(&text), AotNext::End(end), "{status} {reason}");
    }
    assert_eq!(next("no loop at all"), AotNext::End(EndReason::Damaged));
    let twice = file(ONE_COMMAND, &[("A1", "pending", &[], None), ("A1", "pending", &[], None)], "");
    assert_eq!(next(&twice), AotNext::End(EndReason::Damaged));
}

/// Row by row: what holds a round back, in order of precedence.
#[test]
fn the_first_reason_wins() {
    let asked = DriverQuestion {
        code: QuestionCode::AgentAsks,
        about: "A1".into(),
        text: "Which?".into(),
        count: 0,
        replies: vec![ReplyCode::Text],
        wrong: vec![],
        lines: Box::default(),
    };
    let both = [("stop_requested", "true"), ("redirect_requested", "true")];
    let in_progress = file(ONE_COMMAND, &[("A1", "in_progress", &[], None)], "");
    let circle = file(ONE_COMMAND, &[("A1", "pending", &["A2"], None), ("A2", "pending", &["A1"], None)], "");

    let mut stage = Stage::new(&with(in_progress.clone(), &both));
    stage.memory.question = Some(asked.clone());
    stage.memory.used_up = Some(UsedUp::Money);
    assert_eq!(stage.next(), AotNext::End(EndReason::Limit { limit: UsedUp::Money }));
    stage.memory.used_up = None;
    assert_eq!(stage.next(), AotNext::Ask(asked.clone()));
    stage.memory.policy.ask = false;
    assert_eq!(stage.next(), AotNext::End(EndReason::Stalled { question: asked }));
    stage.memory = Memory::default();
    assert_eq!(stage.next(), AotNext::Hold, "hold beats stop");

    let stop = [("stop_requested", "true")];
    assert_eq!(next(&with(in_progress.clone(), &stop)), AotNext::Write(AotOperation::EndRound));
    assert_eq!(next(&with(circle.clone(), &stop)), AotNext::Write(AotOperation::EndRound));
    let AotNext::Ask(question) = next(&circle) else { panic!("a circle is asked about") };
    assert_eq!(question.code, QuestionCode::Blocked);
    assert_eq!(question.text, "A1 waits for A2, A2 waits for A1: a circle");
    assert_eq!(next(&in_progress), AotNext::Write(AotOperation::ReleaseOrphans));
    assert!(matches!(next(&one("pending")), AotNext::Batch { .. }));
    assert!(matches!(next(&one("resolved")), AotNext::Command(_)));
}

#[test]
fn a_stop_of_a_loop_that_waits_in_a_circle_is_written() {
    let circle = file(ONE_COMMAND, &[("A1", "pending", &["A2"], None), ("A2", "pending", &["A1"], None)], "");
    let mut stage = Stage::new(&with(circle, &[("stop_requested", "true"), ("stop_reason", "\"enough\"")]));
    assert_eq!(stage.settle(), AotNext::End(EndReason::Stopped));
    assert_eq!(
        (stage.control("status"), stage.control("stop_reason")),
        ("stopped".into(), "\"enough\"".into())
    );
}

#[test]
fn a_group_without_a_choice_gets_its_first_one_with_a_trail_entry() {
    let atoms: &[Atom<'_>] = &[
        ("A1", "pending", &[], Some("way")),
        ("A2", "pending", &[], Some("way")),
        ("A3", "pending", &["A1"], None),
    ];
    for (selected, failed, expected) in
        [("null", "[]", "A1"), ("null", "[A1]", "A2"), ("A1", "[A1]", "A2"), ("A9", "[]", "A1")]
    {
        let rest = GROUP
            .replace("selected: null", &format!("selected: {selected}"))
            .replace("failed: []", &format!("failed: {failed}"));
        let mut stage = Stage::new(&file(ONE_COMMAND, atoms, &rest));
        let AotNext::Write(AotOperation::Select { group, id: None, .. }) = stage.next() else {
            panic!("{selected} {failed}: {:?}", stage.next())
        };
        assert_eq!(group, "way");
        assert_eq!(ids(&stage.begin()), [expected], "{selected} {failed}");
        let trail = stage.detail().trail;
        assert_eq!(trail.last().map(|entry| entry.selected.clone()).as_deref(), Some(expected));
    }
}

#[test]
fn containers_are_resolved_before_anything_begins_and_before_a_round_is_closed() {
    let atoms: &[Atom<'_>] =
        &[("A1", "pending", &[], None), ("A2", "resolved", &[], None), ("A3", "pending", &["A1"], None)];
    let stage = Stage::new(&file(ONE_COMMAND, atoms, CONTAINER));
    assert_eq!(stage.next(), AotNext::Write(AotOperation::ResolveContainers));
    let mut over = stage.clone();
    over.memory.aot.done = Some(1);
    assert_eq!(over.next(), AotNext::Write(AotOperation::ResolveContainers));
    let mut begun = stage;
    assert_eq!(ids(&begun.begin()), ["A3"]);
    assert_eq!(begun.atoms(), "A1 resolved, A2 resolved, A3 in_progress");
}

#[test]
fn a_batch_is_the_first_ready_atoms_of_the_file_and_begins_with_one_write() {
    let atoms: Vec<Atom<'_>> = ["A1", "A2", "A3", "A4", "A5"]
        .into_iter()
        .map(|id| (id, "pending", crate::aot::driving::NOTHING, None))
        .collect();
    let stage = Stage::new(&file(ONE_COMMAND, &atoms, ""));
    let AotNext::Batch { begin, tasks } = stage.next() else { panic!("a batch") };
    assert_eq!(begin, AotOperation::StartAtoms { ids: vec!["A1".into(), "A2".into(), "A3".into()] });
    assert_eq!(tasks.len(), 3);
    for (task, id) in tasks.iter().zip(["A1", "A2", "A3"]) {
        assert_eq!(task.action, Action::Atom { id: id.into() });
        assert_eq!(task.context.others.len(), 2, "each knows the other two");
    }
    let lone = with(stage.text(), &[("max_parallel_agents", "1")]);
    assert_eq!(ids(&Stage::new(&lone).begin()), ["A1"]);
}

#[test]
fn a_deadlock_names_every_atom_with_what_blocks_it() {
    let atoms: &[Atom<'_>] = &[
        ("A1", "pending", &["A9"], None),
        ("A2", "pending", &["A1", "A4"], None),
        ("A3", "pending", &[], Some("way")),
        ("A4", "pending", &[], None),
        ("A5", "pending", &["A1"], None),
    ];
    let rest = "\ndecompositions:\n  - parent: A4\n    children: [A5]\n    reason: \"r\"\n\nor_groups:\n  way:\n    choices: [A3]\n    selected: A3\n    failed: [A3]\n\nbindings: {}\n\ntrail: []\n";
    let mut stage = Stage::new(&file(ONE_COMMAND, atoms, rest));
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!((question.code, question.count), (QuestionCode::Blocked, 5));
    assert_eq!(question.replies, [ReplyCode::TryAgain]);
    assert_eq!(
        question.text,
        "A1: depends on A9, which does not exist\n\
         A2: waits for A1; waits for A4\n\
         A3: failed as a choice of way, which has no other\n\
         A4: waits for A5, a part of it\n\
         A5: waits for A1"
    );
    // The person gives A1 what it needs, and replies.
    stage.memory.question = Some(question);
    stage.bytes = stage.text().replace("depends_on: [A9]", "depends_on: []").into_bytes();
    assert!(matches!(stage.next(), AotNext::Ask(_)), "as long as nobody answers");
    stage.memory.reply(&Reply::TryAgain);
    assert_eq!(ids(&stage.begin()), ["A1"]);
}

/// Sequences of §5: rounds whose workers all fail.
#[test]
fn rounds_without_progress_end_as_the_table_says() {
    for (most, stalls) in [("3", &["0", "1", "2"][..]), ("1", &["0"]), ("2", &["0", "1"])] {
        let mut stage = Stage::new(&with(one("pending"), &[("max_stall_count", most)]));
        for (round, stall) in stalls.iter().enumerate() {
            assert_eq!(stage.batch(&[Said::failed("no")]), [AotOperation::Fail { id: "A1".into() }]);
            stage.end_round();
            assert_eq!(stage.control("stall_count"), *stall);
            assert_eq!(stage.control("iteration"), (round + 2).to_string());
        }
        stage.batch(&[Said::failed("no")]);
        stage.end_round();
        assert_eq!(stage.next(), AotNext::End(EndReason::Limit { limit: UsedUp::Stalls }));
        assert_eq!(stage.control("stop_reason"), "\"Max stall count reached\"");
        assert_eq!(
            stage.control("iteration"),
            (stalls.len() + 1).to_string(),
            "the last round is not counted on"
        );
    }
}

#[test]
fn a_decomposition_is_scored_as_a_stall() {
    let mut stage = Stage::new(&with(one("pending"), &[("prev_pending_count", "1")]));
    stage.batch(&[Said::split(r#"[{"id":"x","description":"one"},{"id":"y","description":"two"}]"#)]);
    stage.end_round();
    assert_eq!((stage.control("stall_count"), stage.control("prev_pending_count")), ("1".into(), "3".into()));
}

#[test]
fn a_loop_takes_exactly_as_many_rounds_as_it_may() {
    let mut stage = Stage::new(&with(file(ONE_COMMAND, TWO, ""), &[("max_iterations", "1")]));
    assert_eq!(stage.batch(&[Said::resolved("did A1")]).len(), 1);
    stage.end_round();
    assert_eq!(stage.next(), AotNext::End(EndReason::Limit { limit: UsedUp::Iterations }));
    assert_eq!(stage.control("iteration"), "1");
    // A person lowered the limit while it ran: no further batch.
    let lowered = with(file(ONE_COMMAND, TWO, ""), &[("iteration", "5"), ("max_iterations", "4")]);
    assert_eq!(next(&lowered), AotNext::Write(AotOperation::EndRound));
}

#[test]
fn at_the_limit_a_stop_stops_without_the_reason_of_the_limit() {
    let fields = [("iteration", "20"), ("stop_requested", "true"), ("stop_reason", "\"Paused by user\"")];
    let mut stage = Stage::new(&with(one("pending"), &fields));
    assert_eq!(stage.settle(), AotNext::End(EndReason::Paused));
    assert_eq!(stage.control("iteration"), "20");
}

#[test]
fn a_stop_waits_for_the_end_of_the_batch() {
    let mut stage = Stage::new(&file(ONE_COMMAND, TWO, ""));
    let tasks = stage.begin();
    stage.bytes =
        with(stage.text(), &[("stop_requested", "true"), ("stop_reason", "\"enough\"")]).into_bytes();
    let conclusion = stage.conclude(&tasks, &[Said::resolved("did A1")]);
    assert_eq!(stage.take(conclusion), None);
    assert_eq!(stage.settle(), AotNext::End(EndReason::Stopped));
    assert_eq!(stage.atoms(), "A1 resolved, A2 pending");
}

/// Rule (a): completion is checked before the decision, even when a stop was requested.
#[test]
fn a_stop_at_the_end_of_the_last_round_does_not_undo_its_completion() {
    for (exit, end) in [(0, EndReason::Completed), (1, EndReason::Stopped)] {
        let mut stage = Stage::new(&one("pending"));
        stage.batch(&[Said::resolved("did A1")]);
        stage.bytes =
            with(stage.text(), &[("stop_requested", "true"), ("stop_reason", "\"x\"")]).into_bytes();
        stage.verify(exit);
        assert_eq!(stage.settle(), AotNext::End(end), "{exit}");
    }
}

/// A round is closed once, whenever the driver is killed.
#[test]
fn a_closed_round_is_not_closed_again() {
    let mut stage = Stage::new(&file(ONE_COMMAND, TWO, ""));
    stage.batch(&[Said::failed("no")]);
    let before = stage.clone();
    stage.end_round();
    let mut killed = Stage { memory: before.memory.clone(), ..stage.clone() };
    assert_eq!(ids(&killed.begin()), ["A1"], "the next round begins");
    // Killed before the write: it is still to be written.
    assert_eq!(before.next(), AotNext::Write(AotOperation::EndRound));
    // A lost memory costs a batch, but no round is skipped.
    let mut lost = Stage { memory: Memory::default(), ..before };
    assert_eq!(ids(&lost.begin()), ["A1"]);
    assert_eq!(lost.control("iteration"), "1");
}

#[test]
fn a_new_start_begins_its_round_again() {
    let mut stage = Stage::new(&one("pending"));
    stage.batch(&[Said::failed("no way")]);
    stage.memory.start_again();
    let tasks = stage.begin();
    assert_eq!(tasks[0].context.failure.as_deref(), Some("no way"), "why it failed is still known");
}

/// A layout that the plugin does not read cannot be decided on: the driver reports it instead of looping.
#[test]
fn a_round_that_cannot_be_closed_is_refused() {
    let mut stage = Stage::new(&one("pending").replace("  status: running\n", "  \"status\": running\n"));
    stage.memory.aot.done = Some(1);
    let AotNext::End(EndReason::Refused { refusal }) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!(refusal.args["field"], "status");
}

#[test]
fn an_answer_of_the_person_is_no_round_without_progress() {
    let mut stage = Stage::new(&one("pending"));
    let asks = Said::Answer(r#"{"status":"needs_input","needs":"Which colour?"}"#.into());
    assert_eq!(stage.batch(&[asks]), [AotOperation::ReleaseOrphans]);
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!(
        (question.code, question.about.as_str(), question.text.as_str()),
        (QuestionCode::AgentAsks, "A1", "Which colour?")
    );
    stage.memory.reply(&Reply::Text { text: "Blue".into() });
    let tasks = stage.begin();
    assert!(tasks[0].prompt.contains("Blue") && tasks[0].prompt.contains("Which colour?"));
    assert_eq!(stage.control("iteration"), "1");
    let conclusion = stage.conclude(&tasks, &[Said::resolved("blue")]);
    assert!(matches!(conclusion, Conclusion::Write(operations) if operations.len() == 1));
}
