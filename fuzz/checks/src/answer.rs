//! Agents' answers, and what our drivers do with them.

use crate::door;
use loopdeck_agents::answers::{
    Answer, AnswerKind, CheckedAnswer, MOST_FILES, MOST_HYPOTHESES, MOST_TASKS, plain_summary, read,
    relative_path,
};
use loopdeck_agents::prompts::{self, MOST_BYTES};
use loopdeck_core::control::Situation;
use loopdeck_core::driver::{Conclusion, EndReason, Ended, Memory, ObservedRun, TestsEnd};
use loopdeck_core::format::FileFacts;
use loopdeck_core::formats::ccw::progress_docs::records::ValidationRun;
use loopdeck_core::formats::ccw_v2::{self, operation};
use loopdeck_core::formats::loop_b;
use loopdeck_core::status::StatusWord;
use loopdeck_text::text_edit;

const V2: &str = "loop-v2-20261120T042421-d8ff7e62";
const B: &str = "loop-b-20261120T042421-d8ff7e62";

/// As an answer: read within its bounds or refused with a reason, and everything that follows from it can be
/// written. As a state file: everything offered can be written.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for kind in AnswerKind::ALL {
        match read(kind, &text) {
            Ok(reading) => bounded(&reading),
            Err(errors) => {
                assert!(!errors.is_empty());
                assert!(prompts::again(&text, kind, &errors).len() <= text.len() + MOST_BYTES);
            }
        }
    }
    assert!(plain_summary(&text).chars().count() <= 2_000);
    for plain in [false, true] {
        let ended = Ended::Answered { text: &text, structured: None, plain };
        for skill in ["null", &v2_skill("pending"), &v2_skill("completed")] {
            play_v2(master(V2, "", skill).into_bytes(), &ended);
        }
        for (mode, phase) in [("auto", "init"), ("auto", "debug"), ("parallel", "init")] {
            let skill = format!(
                r#"{{"phase":"{phase}","pending_tasks":[{{"id":"T1","description":"x","status":"pending"}}],"completed_tasks":[]}}"#
            );
            play_b(master(B, &format!("\"mode\":\"{mode}\","), &skill).into_bytes(), &ended);
        }
    }
    let ended = Ended::Answered { text: "{}", structured: None, plain: true };
    play_v2(bytes.to_vec(), &ended);
    play_b(bytes.to_vec(), &ended);
}

fn master(stem: &str, mode: &str, skill: &str) -> String {
    format!(
        r#"{{"loop_id":"{stem}","title":"T",{mode}"status":"running","current_iteration":1,"max_iterations":9,"created_at":"2026-11-20T04:20:21.870Z","updated_at":"2026-11-20T04:20:21.870Z","skill_state":{skill}}}"#
    )
}

/// With nothing pending, the tests have failed and debugging is next.
fn v2_skill(status: &str) -> String {
    format!(
        r#"{{"last_action":"VALIDATE","develop":{{"tasks":[{{"id":"T1","description":"x","status":"{status}"}}]}},"debug":{{"hypotheses":[{{"id":"H1","description":"x","status":"confirmed"}}],"confirmed_hypothesis":"H1"}},"validate":{{"passed":false,"failed_tests":["t"],"test_results":[{{"iteration":1,"summary":{{"total":1,"passed":0,"failed":1}}}}]}}}}"#
    )
}

fn bounded(reading: &CheckedAnswer) {
    let files: &[String] = match &reading.answer {
        Answer::Init(answer) => {
            assert!(answer.tasks.len() <= MOST_TASKS);
            answer.tasks.iter().flat_map(|task| &task.files).for_each(inside);
            &[]
        }
        Answer::Develop(answer) => &answer.files_changed,
        Answer::Debug(answer) => {
            assert!(answer.hypotheses.len() <= MOST_HYPOTHESES);
            &answer.files_changed
        }
        Answer::Worker(answer) => &answer.files_changed,
        Answer::Atom(_) | Answer::Judge(_) | Answer::Probe(_) => &[],
    };
    assert!(files.len() <= MOST_FILES);
    files.iter().for_each(inside);
}

fn inside(path: &String) {
    assert_eq!(relative_path(path).as_ref(), Ok(path), "a path that was taken stays as it is");
    assert!(!path.starts_with('/') && path.split('/').all(|part| part != ".."));
}

/// The bytes after an operation that must be legal.
fn v2(bytes: &[u8], facts: &FileFacts<'_>, operation: &operation::LoopV2Operation) -> Vec<u8> {
    let situation = Situation { shown: StatusWord::Running, now: door::NOW };
    let outcome = ccw_v2::operate::operate(bytes, facts, operation, &situation).expect("offered and refused");
    text_edit::apply(bytes, &outcome.edits).expect("edits do not overlap")
}

fn play_v2(mut bytes: Vec<u8>, ended: &Ended<'_>) {
    use ccw_v2::drive::{LoopV2Next, conclude, conclude_tests, next};
    let facts = door::facts(V2);
    let mut memory = Memory::default();
    for _ in 0..6 {
        let concluded = match next(&bytes, &facts, &memory) {
            LoopV2Next::End(_) | LoopV2Next::Ask(_) => return,
            LoopV2Next::Menu(choices) => {
                let Some(choice) = choices.first() else { return };
                memory.choose(*choice);
                continue;
            }
            LoopV2Next::Write(operation) => {
                bytes = v2(&bytes, &facts, &operation);
                continue;
            }
            LoopV2Next::Tests { begin } => {
                bytes = v2(&bytes, &facts, &begin);
                let run = ValidationRun { failed: 1, ..ValidationRun::default() };
                conclude_tests(TestsEnd::Ran { run, files: vec![] }, &bytes, &facts, &mut memory)
            }
            LoopV2Next::Agent { begin, task } => {
                assert!(task.prompt.len() <= MOST_BYTES);
                if let Some(begin) = &begin {
                    bytes = v2(&bytes, &facts, begin);
                }
                conclude(&task, ended, ObservedRun::default(), &bytes, &facts, &mut memory)
            }
            other => panic!("not of a Loop v2: {other:?}"),
        };
        match concluded {
            Conclusion::Write(operations) => {
                operations.iter().for_each(|operation| bytes = v2(&bytes, &facts, operation));
            }
            Conclusion::End(EndReason::Refused { .. }) | Conclusion::Retry { .. } => {}
            Conclusion::Ask(_) | Conclusion::End(_) | Conclusion::WriteThenEnd(..) => return,
        }
    }
}

/// Like [`v2`].
fn b(bytes: &[u8], facts: &FileFacts<'_>, operation: &loop_b::operation::LoopBOperation) -> Vec<u8> {
    let situation = Situation { shown: StatusWord::Running, now: door::NOW };
    let outcome = loop_b::operate::operate(bytes, facts, operation, &situation).expect("offered and refused");
    text_edit::apply(bytes, &outcome.edits).expect("edits do not overlap")
}

fn play_b(mut bytes: Vec<u8>, ended: &Ended<'_>) {
    use loop_b::drive::{LoopBNext, ParallelEnd, conclude, conclude_parallel, conclude_tests, next};
    let facts = door::facts(B);
    let mut memory = Memory::default();
    let tests =
        || TestsEnd::Ran { run: ValidationRun { passed: 1, ..ValidationRun::default() }, files: vec![] };
    for _ in 0..6 {
        let concluded = match next(&bytes, &facts, &memory) {
            LoopBNext::End(_) | LoopBNext::Ask(_) => return,
            LoopBNext::Menu(choices) => {
                memory.choose(choices[0]);
                continue;
            }
            LoopBNext::Write(operation) => {
                bytes = b(&bytes, &facts, &operation);
                continue;
            }
            LoopBNext::Tests { begin } => {
                bytes = b(&bytes, &facts, &begin);
                conclude_tests(tests(), &bytes, &facts, &mut memory)
            }
            LoopBNext::Parallel(tasks) => {
                let ends: Vec<_> =
                    tasks.iter().map(|task| ParallelEnd { task, ended: *ended, seen: None }).collect();
                conclude_parallel(&ends, &tests(), &bytes, &facts, &mut memory)
            }
            LoopBNext::Agent { begin, task } => {
                if let Some(begin) = &begin {
                    bytes = b(&bytes, &facts, begin);
                }
                conclude(&task, ended, None, None, &bytes, &facts, &mut memory)
            }
            other => panic!("not of a Loop-B: {other:?}"),
        };
        match concluded {
            Conclusion::Write(operations) => {
                operations.iter().for_each(|operation| bytes = b(&bytes, &facts, operation));
            }
            Conclusion::End(EndReason::Refused { .. }) | Conclusion::Retry { .. } => {}
            Conclusion::Ask(_) | Conclusion::End(_) | Conclusion::WriteThenEnd(..) => return,
        }
    }
}
