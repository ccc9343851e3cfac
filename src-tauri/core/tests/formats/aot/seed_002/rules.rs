//! §4.1 (when a check passes), §5 and §7: decisions and the driver.

use super::{Row, after, atoms, errors, page, problems, refused, seed, with};
use crate::aot::driving::{Atom, Said, Stage, file};
use crate::aot::{carry_out, resume, stop, summary};
use loopdeck_core::checklist::{CommandEnd, Verdict, quality_verdict, weighted};
use loopdeck_core::control::Intent;
use loopdeck_core::driver::{EndReason, QuestionCode, Reply};
use loopdeck_core::formats::aot::drive::{AotNext, FileFound};
use loopdeck_core::formats::aot::{AotOperation, Decision, EndCause, decide};
use loopdeck_core::refusal::RefusalCode;
use loopdeck_core::status::{FileStatus, StatusWord};

const DONE: &[Atom<'_>] = &[("A1", "resolved", &[], None)];
const BOUND: &str = "\ndecompositions: []\n\nor_groups: {}\n\nbindings:\n  A1:\n    summary: \"Did it\"\n    artifacts: []\n\ntrail: []\n";

/// All work is done, and one check is left.
fn checked(kind: &str) -> Stage {
    Stage::new(&file(&format!("    type: {kind}\n    value: \"x\"\n"), DONE, BOUND))
}

fn completes(stage: &mut Stage) -> bool {
    stage.settle() == AotNext::End(EndReason::Completed)
}

fn by_command(kind: &str, end: CommandEnd) -> bool {
    let mut stage = checked(kind);
    let AotNext::Command(check) = stage.settle() else { panic!("{:?}", stage.next()) };
    stage.command(&check, end, "");
    completes(&mut stage)
}

fn by_file(kind: &str, found: &FileFound) -> bool {
    let mut stage = checked(kind);
    let AotNext::Files(files) = stage.settle() else { panic!("{:?}", stage.next()) };
    let found: Vec<_> = files.into_iter().map(|file| (file, found.clone())).collect();
    stage.files(&found);
    completes(&mut stage)
}

fn by_person(reply: &Reply) -> bool {
    let mut stage = checked("assertion");
    stage.files(&[]);
    let AotNext::Ask(question) = stage.settle() else { panic!("{:?}", stage.next()) };
    assert_eq!(question.code, QuestionCode::ConfirmAssertion);
    stage.memory.question = Some(question);
    stage.memory.reply(reply);
    completes(&mut stage)
}

/// The verdict on a list of two commands with these exit codes.
fn by_two(kind: &str, ends: [i32; 2]) -> bool {
    let item = |name: &str| {
        format!(
            "          - item: \"{name}\"\n            check:\n              type: command\n              value: \"{name}\"\n"
        )
    };
    let check =
        format!("    checklist:\n      - item: \"Both\"\n        {kind}:\n{}{}", item("a"), item("b"));
    let mut stage = Stage::new(&file(&check, DONE, BOUND));
    for end in ends {
        let AotNext::Command(check) = stage.settle() else { panic!("{:?}", stage.next()) };
        stage.command(&check, CommandEnd::Exit(end), "");
    }
    stage.files(&[]);
    completes(&mut stage)
}

fn score(scores: &[f64]) -> f64 {
    let row = super::check(&seed("s4-1-rubric"), "Code Quality");
    weighted(&row.rubric, scores).expect("a score")
}

fn start(ids: &[&str]) -> AotOperation {
    AotOperation::StartAtoms { ids: ids.iter().map(|id| (*id).to_owned()).collect() }
}

fn resolve(id: &str) -> AotOperation {
    AotOperation::Resolve { id: id.into(), summary: "Did it".into(), artifacts: vec![] }
}

fn status_after(text: &str, intent: &Intent, shown: StatusWord) -> FileStatus {
    let after = carry_out(text.as_bytes(), intent, shown).expect("legal");
    summary(&after).status
}

/// The initial state with a valid objective, so that it can start.
fn startable() -> String {
    with("s8-1", &[])
}

fn running(status: &str) -> String {
    with("s6-1-before", &[("  status: running\n", &format!("  status: {status}\n"))])
}

fn decision(replacements: &[(&str, &str)]) -> Decision {
    decide(with("s6-1-before", replacements).as_bytes()).expect("decided").decision
}

/// Every rule, by subject.
pub(super) const ROWS: &[&[Row]] = &[CHECKS, ROUNDS, STATES, READY];

/// §4.1: when a check passes.
#[rustfmt::skip] // one row a line, next to the seed
const CHECKS: &[Row] = &[
    Row("§4.1", "command passes with exit code 0", || assert!(by_command("command", CommandEnd::Exit(0)) && !by_command("command", CommandEnd::Exit(1)))),
    Row("§4.1", "not_command passes with another exit code", || assert!(by_command("not_command", CommandEnd::Exit(1)) && !by_command("not_command", CommandEnd::Exit(0)))),
    Row("§4.1", "a command that takes too long † fails for both types (reference §11)", || assert!(!by_command("command", CommandEnd::TimedOut) && !by_command("not_command", CommandEnd::TimedOut))),
    Row("§4.1", "file passes when it exists", || assert!(by_file("file", &FileFound::Found(vec!["x".into()])) && !by_file("file", &FileFound::Nothing))),
    Row("§4.1", "not_file passes when it does not exist", || assert!(by_file("not_file", &FileFound::Nothing) && !by_file("not_file", &FileFound::Found(vec!["x".into()])))),
    Row("§4.1", "assertion: judged by the agent † confirmed by the person (reference §11)", || assert!(by_person(&Reply::Confirm) && !by_person(&Reply::Deny { text: None }))),
    Row("§4.1", "group: all must pass", || assert!(by_two("group", [0, 0]) && !by_two("group", [0, 1]))),
    Row("§4.1", "any_of: one is enough", || assert!(by_two("any_of", [1, 0]) && !by_two("any_of", [1, 1]))),
    Row("§4.1", "quality: the weighted average † divided by the sum of the weights (reference §14)", || assert!((score(&[4.0, 4.0]) - 4.0).abs() < 1e-9)),
    Row("§4.1", "quality: each criterion by its weight", || assert!((score(&[5.0, 2.0]) - 3.5).abs() < 1e-9)),
    Row("§4.1", "quality passes at its threshold or above", || {
        assert_eq!(quality_verdict(3.5, 3.5), Verdict::Pass);
        assert_eq!(quality_verdict(3.49, 3.5), Verdict::Fail);
    }),
    Row("§4.1", "quality: the judge is asked, and reads the scope", || {
        let text = with("s4-1-rubric", &[("  status: pending", "  status: running"), ("  iteration: 0", "  iteration: 1"), ("    status: pending", "    status: resolved")]);
        let mut stage = Stage::new(&text.replace("bindings: {}", "bindings:\n  A1:\n    summary: \"s\"\n    artifacts: []"));
        stage.files(&[]);
        let AotNext::Agent { task, .. } = stage.settle() else { panic!("{:?}", stage.next()) };
        assert!(task.prompt.contains("Readability") && task.prompt.contains("src/**/*.ts"));
    }),
];

/// §4.1 and §4.2: what ends a round or the loop.
#[rustfmt::skip] // one row a line, next to the seed
const ROUNDS: &[Row] = &[
    Row("§4.2", "stop_requested ends the loop at the end of the round", || assert_eq!(decision(&[("stop_requested: false", "stop_requested: true")]), Decision::End(EndCause::Requested))),
    Row("§4.2", "redirect_requested holds the loop", || assert_eq!(decision(&[("redirect_requested: false", "redirect_requested: true")]), Decision::Hold)),
    Row("§4.2", "iteration: one more each round", || assert_eq!(decision(&[]), Decision::Continue { iteration: 6 })),
    Row("§4.1", "max_iterations ends the loop", || assert_eq!(decision(&[("iteration: 5", "iteration: 20")]), Decision::End(EndCause::MaxIterations))),
    Row("§4.2", "stall_count rises without progress", || {
        let stalled = with("s6-1-before", &[("prev_pending_count: 3", "prev_pending_count: 1")]);
        assert_eq!(decide(stalled.as_bytes()).expect("decided").stalls, 1);
        assert_eq!(decide(seed("s6-1-before").as_bytes()).expect("decided").stalls, 0, "1 is less than 3");
    }),
    Row("§4.1", "max_stall_count ends the loop", || {
        assert_eq!(decision(&[("prev_pending_count: 3", "prev_pending_count: 1"), ("stall_count: 0", "stall_count: 2")]), Decision::End(EndCause::MaxStalls));
    }),
    Row("§4.2", "prev_pending_count: unresolved atoms of the round before", || {
        assert!(after(&seed("s6-1-before"), &AotOperation::EndRound).contains("  prev_pending_count: 1\n"));
    }),
];

/// §5: what always holds, and which state follows which.
#[rustfmt::skip] // one row a line, next to the seed
const STATES: &[Row] = &[
    Row("§5.1", "at least one atom", || assert_eq!(refused(&seed("s8-1").replace("  status: pending\n  iteration", "  status: running\n  iteration"), &AotOperation::Redirect { change: loopdeck_core::formats::aot::Correction::DeleteAtom { id: "A1".into() }, description: "d".into() }), RefusalCode::GateNotMet)),
    Row("§5.1", "ids are unique", || assert_eq!(errors(&with("s6-1-before", &[("- id: A2", "- id: A1")])), ["V5_bad_id atoms[1].id"])),
    Row("§5.1", "depends_on is explicit on decomposition", || {
        let text = with("s6-4-before", &[("    depends_on: [A1]             # Explicitly copy dependencies\n", "    depends_on: []\n")]);
        assert_eq!(problems(&text, "V12"), ["decompositions[0].children"]);
        assert!(problems(&seed("s6-4-before"), "V12").is_empty());
    }),
    Row("§5.1", "no circular dependencies", || assert_eq!(errors(&with("s6-1-before", &[("    status: resolved\n    depends_on: []", "    status: pending\n    depends_on: [A2]")])), ["V7_cycle atoms"])),
    Row("§5.1", "depends_on names atoms † an unknown one is a warning and never satisfied (reference §10, V9)", || {
        let text = with("s6-1-before", &[("depends_on: [A1]", "depends_on: [A9]")]);
        assert_eq!(problems(&text, "V9"), ["atoms[1].depends_on"]);
        assert!(page(&text).batch.is_empty());
    }),
    Row("§5.1", "a decomposed parent is pending", || {
        let text = with("s6-1-after", &[("    status: pending", "    status: in_progress")]);
        assert_eq!(problems(&text, "V11"), ["decompositions[0].parent"]);
        assert!(problems(&seed("s6-1-after"), "V11").is_empty());
    }),
    Row("§5.1", "a parent is not resolved before its children", || {
        let text = with("s6-1-after", &[("    status: pending", "    status: resolved")]);
        assert!(problems(&text, "V11").contains(&"decompositions[0].children".to_owned()));
    }),
    Row("§5.2", "atom: pending → in_progress", || assert_eq!(atoms(&after(&seed("s6-1-before"), &start(&["A2"]))), "A1 resolved, A2 in_progress")),
    Row("§5.2", "atom: in_progress → resolved", || {
        let begun = after(&seed("s6-1-before"), &start(&["A2"]));
        assert_eq!(atoms(&after(&begun, &resolve("A2"))), "A1 resolved, A2 resolved");
    }),
    Row("§5.2", "atom: not pending → resolved", || assert_eq!(refused(&seed("s6-1-before"), &resolve("A2")), RefusalCode::AtomNotInProgress)),
    Row("§5.2", "atom: resolved does not begin again", || assert_eq!(refused(&seed("s6-1-before"), &start(&["A1"])), RefusalCode::AtomResolved)),
    Row("§5.2", "atom: a failure resets it to pending", || {
        let begun = after(&seed("s6-1-before"), &start(&["A2"]));
        assert_eq!(after(&begun, &AotOperation::Fail { id: "A2".into() }), seed("s6-1-before"));
    }),
    Row("§5.2", "control: pending → running", || assert_eq!(status_after(&startable(), &Intent::Start, StatusWord::NotStarted), FileStatus::Running)),
    Row("§5.2", "control: running → stopped, at the end of the round", || {
        let asked = carry_out(running("running").as_bytes(), &stop("enough"), StatusWord::RunningElsewhere).expect("legal");
        assert_eq!(summary(&asked).status, FileStatus::Running);
        assert_eq!(summary(after(&String::from_utf8(asked).expect("utf-8"), &AotOperation::EndRound).as_bytes()).status, FileStatus::StoppedByUser);
    }),
    Row("§5.2", "control: running → completed", || {
        let text = with("s6-2-after", &[]);
        assert_eq!(summary(after(&text, &AotOperation::Complete).as_bytes()).status, FileStatus::Completed);
    }),
    Row("§5.2", "control: one-way † a person resumes a stopped loop (reference §6)", || {
        assert_eq!(status_after(&running("stopped"), &resume(), StatusWord::Stopped), FileStatus::Running);
        assert!(carry_out(running("stopped").as_bytes(), &Intent::Start, StatusWord::Stopped).is_err());
    }),
    Row("§5.2", "control: one-way, no operation of a driver on a stopped loop", || assert_eq!(refused(&running("stopped"), &start(&["A2"])), RefusalCode::NotRunning)),
    Row("§5.3", "bindings of the failed atom are deleted", || {
        let text = after(&seed("s6-3-before"), &AotOperation::Backtrack { id: "A4".into(), why: "JWT failed".into() });
        assert!(text.contains("bindings: {}") && !text.contains("Attempted JWT"));
    }),
    Row("§5.3", "the switch is recorded in the trail, in the same write", || {
        let trail = page(&after(&seed("s6-3-before"), &AotOperation::Backtrack { id: "A4".into(), why: "JWT failed".into() })).trail;
        let told: Vec<&str> = trail.iter().map(|entry| entry.selected.as_str()).collect();
        assert_eq!(told, ["A4", "A4_alt"]);
    }),
];

/// §7: which atoms are begun.
#[rustfmt::skip] // one row a line, next to the seed
const READY: &[Row] = &[
    Row("§7", "ready: pending atoms with resolved dependencies", || {
        assert_eq!(page(&seed("s6-1-before")).batch, ["A2"]);
        assert_eq!(page(&seed("s6-1-after")).batch, ["A3", "A4"]);
    }),
    Row("§7", "ready: not while a dependency is unresolved", || {
        let text = with("s6-1-before", &[("    status: resolved", "    status: in_progress")]);
        assert!(page(&text).batch.is_empty());
    }),
    Row("§7", "ready: not in progress, not resolved", || {
        let text = with("s6-1-before", &[("    status: pending", "    status: in_progress")]);
        assert!(page(&text).batch.is_empty());
    }),
    Row("§7", "ready: the first max_parallel_agents", || {
        let text = with("s6-1-after", &[("max_parallel_agents: 3", "max_parallel_agents: 1")]);
        assert_eq!(page(&text).batch, ["A3"]);
    }),
    Row("§7", "ready: A2 and no container † a container is never executed (reference §9.3, §9.6)", || {
        assert!(page(&seed("s3")).batch.is_empty());
        assert!(page(&with("s3", &[("status: in_progress", "status: resolved")])).batch == ["A5"]);
    }),
    Row("§7", "ready: all choices † only the selected one (reference §9.3)", || {
        let text = with("s6-3-before", &[("    status: in_progress", "    status: pending")]);
        assert_eq!(page(&text).batch, ["A4"]);
    }),
    Row("§7", "all of the batch run at once, begun with one write", || {
        let mut stage = Stage::new(&seed("s6-1-after"));
        let AotNext::Batch { begin, tasks } = stage.settle() else { panic!("{:?}", stage.next()) };
        assert_eq!((begin, tasks.len()), (start(&["A3", "A4"]), 2));
    }),
    Row("§7", "a result is taken up by the driver", || {
        let mut stage = Stage::new(&seed("s6-1-before"));
        stage.batch(&[Said::resolved("did A2")]);
        assert_eq!(stage.atoms(), "A1 resolved, A2 resolved");
    }),
    Row("§7", "readiness is not recorded in the file", || assert!(!after(&seed("s6-1-before"), &start(&["A2"])).contains("ready"))),
];
