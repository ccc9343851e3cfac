//! Options of the rounds: workers in worktrees whose changes could not be merged, and probes.

use crate::aot::driving::{Atom, FACTS, ONE_COMMAND, Said, Stage, file, ids};
use loopdeck_core::driver::{
    Action, AgentTask, Conclusion, DriverQuestion, EndReason, QuestionCode, Reply, ReplyCode,
};
use loopdeck_core::formats::aot::drive::{self, AotNext, BatchEnd, LeftApart};
use loopdeck_core::formats::aot::{AotOperation, Probes};

const TWO: &[Atom<'_>] = &[("A1", "pending", &[], None), ("A2", "pending", &[], None)];
const WAYS: &[Atom<'_>] = &[("A1", "pending", &[], Some("way")), ("A2", "pending", &[], Some("way"))];
const GROUP: &str = "\ndecompositions: []\n\nor_groups:\n  way:\n    choices: [A1, A2]\n    selected: A1\n    failed: []\n\nbindings: {}\n\ntrail: []\n";

fn left(files: &[&str]) -> LeftApart {
    let files = files.iter().map(|file| (*file).to_owned()).collect();
    LeftApart { files, base: "b".into(), commit: "c".into(), reference: "refs/loopdeck/x".into() }
}

/// A bench on which both workers resolved their atoms; the second one's changes are not in the folder.
fn conflict(files: &[&str]) -> Stage {
    let stage = conflicts(TWO, &[None, Some(left(files))]);
    assert_eq!(stage.atoms(), "A1 resolved, A2 pending");
    stage
}

/// A bench on which all workers resolved their atoms; none of their changes are in the folder.
fn conflicts(atoms: &[Atom<'_>], left: &[Option<LeftApart>]) -> Stage {
    let mut stage = Stage::new(&file(ONE_COMMAND, atoms, ""));
    let tasks = stage.begin();
    assert_eq!(tasks.len(), left.len());
    let said = Said::resolved("did it");
    let ends: Vec<BatchEnd<'_>> = tasks
        .iter()
        .zip(left)
        .map(|(task, left)| BatchEnd { task, ended: said.ended(), left: left.as_ref() })
        .collect();
    assert!(ends.iter().all(drive::resolves));
    let concluded = drive::conclude_batch(&ends, &stage.bytes, &FACTS, &mut stage.memory);
    assert_eq!(stage.take(concluded), None);
    stage
}

#[test]
fn what_cannot_be_merged_is_asked_and_the_atom_waits() {
    let stage = conflict(&["a.rs", "b.rs"]);
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!((question.code, question.about.as_str()), (QuestionCode::MergeConflict, "A2"));
    assert_eq!(question.text, "a.rs\nb.rs\n\nrefs/loopdeck/x");
    assert_eq!(question.replies, [ReplyCode::TryAgain, ReplyCode::GoOn]);

    let mut again = stage.clone();
    again.memory.reply(&Reply::TryAgain);
    let tasks = again.begin();
    assert_eq!(ids(&tasks), ["A2"], "in the same round");
    for told in ["others changed a.rs, b.rs too", "refs/loopdeck/x"] {
        assert!(tasks[0].prompt.contains(told), "{told}");
    }
}

#[test]
fn the_workers_version_is_taken_and_resolves_the_atom() {
    let mut stage = conflict(&["a.rs"]);
    stage.memory.reply(&Reply::GoOn);
    let AotNext::Take(unmerged) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!((unmerged.atom.as_str(), unmerged.left.clone()), ("A2", left(&["a.rs"])));
    let mut failed = stage.clone();
    let concluded = drive::conclude_taken(Ok(()), &stage.bytes, &FACTS, &mut stage.memory);
    stage.take(concluded);
    assert_eq!(stage.atoms(), "A1 resolved, A2 resolved");
    assert!(stage.text().contains("  A2:\n    summary: \"did it\"\n"), "{}", stage.text());

    let concluded =
        drive::conclude_taken(Err("The disk is full."), &failed.bytes, &FACTS, &mut failed.memory);
    assert_eq!(concluded, Conclusion::Write(vec![]));
    let tasks = failed.begin();
    assert!(ids(&tasks) == ["A2"] && tasks[0].prompt.contains("The disk is full."), "{}", tasks[0].prompt);
}

#[track_caller]
fn asks_about(stage: &Stage, atom: &str) -> DriverQuestion {
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!((question.code, question.about.as_str()), (QuestionCode::MergeConflict, atom));
    question
}

#[test]
fn of_several_conflicts_each_is_asked_about() {
    let three =
        [("A1", "pending", &[][..], None), ("A2", "pending", &[], None), ("A3", "pending", &[], None)];
    let stage = conflicts(&three, &[None, Some(left(&["a.rs"])), Some(left(&["b.rs"]))]);
    asks_about(&stage, "A2");

    // The first one is taken, and the next one is asked about before anything else starts.
    let mut taken = stage.clone();
    taken.memory.reply(&Reply::GoOn);
    let AotNext::Take(unmerged) = taken.next() else { panic!("{:?}", taken.next()) };
    assert_eq!(unmerged.atom, "A2");
    let concluded = drive::conclude_taken(Ok(()), &taken.bytes, &FACTS, &mut taken.memory);
    taken.take(concluded);
    taken.memory.question = Some(asks_about(&taken, "A3"));
    taken.memory.reply(&Reply::GoOn);
    let AotNext::Take(unmerged) = taken.next() else { panic!("{:?}", taken.next()) };
    assert_eq!((unmerged.atom.as_str(), unmerged.left.clone()), ("A3", left(&["b.rs"])));
    assert_eq!(taken.memory.aot.done, None, "the round goes on");
    let concluded = drive::conclude_taken(Ok(()), &taken.bytes, &FACTS, &mut taken.memory);
    taken.take(concluded);
    assert_eq!(taken.atoms(), "A1 resolved, A2 resolved, A3 resolved");
    assert!(taken.memory.aot.done.is_some(), "it has ended");

    // Both are redone, and each only because the person says so.
    let mut refused = stage;
    refused.memory.reply(&Reply::TryAgain);
    refused.memory.question = Some(asks_about(&refused, "A3"));
    refused.memory.reply(&Reply::TryAgain);
    assert_eq!(ids(&refused.begin()), ["A2", "A3"]);
    assert_eq!(refused.memory.aot.conflicts, []);
}

#[test]
fn work_that_is_somewhere_else_is_done_again_without_a_question() {
    let mut stage = conflict(&[]);
    stage.end_round();
    assert_eq!(ids(&stage.begin()), ["A2"]);
    let mut stage = conflict(&["a.rs"]);
    stage.memory.start_again();
    assert_eq!(ids(&stage.begin()), ["A2"], "a new start asks nothing of before");
}

fn probed(atoms: &[Atom<'_>], rest: &str, probes: Probes) -> Stage {
    let mut stage = Stage::new(&file(ONE_COMMAND, atoms, rest));
    stage.memory.policy.probes = probes;
    stage
}

fn probe(stage: &Stage) -> AgentTask {
    let AotNext::Agent { begin: None, task } = stage.next() else { panic!("no probe: {:?}", stage.next()) };
    assert!(matches!(task.action, Action::Probe { .. }), "{:?}", task.action);
    *task
}

fn answers(stage: &mut Stage, said: &Said) -> Conclusion<AotOperation> {
    let task = probe(stage);
    drive::conclude_probe(&task, &said.ended(), &stage.bytes, &FACTS, &mut stage.memory)
}

fn not_feasible() -> Said {
    Said::Answer(r#"{"feasible":false,"reason":"Nobody has it"}"#.into())
}

#[test]
fn only_atoms_that_the_person_chose_are_probed_and_each_once() {
    for (atoms, rest, probes, first) in [
        (TWO, "", Probes::Never, None),
        (TWO, "", Probes::Alternatives, None),
        (TWO, "", Probes::All, Some("A1")),
        (WAYS, GROUP, Probes::Alternatives, Some("A1")),
        (WAYS, GROUP, Probes::Never, None),
    ] {
        let stage = probed(atoms, rest, probes);
        let found = match stage.next() {
            AotNext::Agent { task, .. } if matches!(task.action, Action::Probe { .. }) => {
                Some(ids(&[*task])[0].clone())
            }
            _ => None,
        };
        assert_eq!(found.as_deref(), first, "{probes:?}");
    }
    let mut stage = probed(TWO, "", Probes::All);
    assert!(probe(&stage).prompt.contains("change no file"));
    for said in [Said::Answer(r#"{"feasible":true,"reason":""}"#.into()), Said::Plain("Hm.".into())] {
        assert_eq!(answers(&mut stage, &said), Conclusion::Write(vec![]));
    }
    assert_eq!(ids(&stage.begin()), ["A1", "A2"]);
}

#[test]
fn an_alternative_that_is_not_feasible_gives_way_in_the_same_round() {
    let mut stage = probed(WAYS, GROUP, Probes::Alternatives);
    let concluded = answers(&mut stage, &not_feasible());
    assert_eq!(stage.take(concluded), None);
    assert!(stage.text().contains("    selected: A2\n    failed: [A1]\n"), "{}", stage.text());
    assert!(stage.text().contains("Auto-backtrack: A1 failed (Not feasible: Nobody has it)"));
    assert_eq!((stage.control("iteration").as_str(), ids(&[probe(&stage)])), ("1", vec!["A2".to_owned()]));
    let concluded = answers(&mut stage, &not_feasible());
    stage.take(concluded);
    assert_eq!(stage.control("status"), "stopped", "none is left");
}

#[test]
fn of_any_other_atom_the_person_is_asked() {
    let mut stage = probed(TWO, "", Probes::All);
    let Conclusion::Ask(question) = answers(&mut stage, &not_feasible()) else { panic!("no question") };
    assert_eq!((question.code, question.text.as_str()), (QuestionCode::NotFeasible, "Nobody has it"));
    assert_eq!(stage.atoms(), "A1 pending, A2 pending");
    stage.memory.reply(&Reply::GoOn);
    assert_eq!(ids(&[probe(&stage)]), ["A2"]);
    let concluded = answers(&mut stage, &Said::Cancelled);
    assert_eq!(concluded, Conclusion::End(EndReason::Cancelled));
    assert_eq!(ids(&[probe(&stage)]), ["A2"], "one that was cut off is done again");
}
