//! Runs with arbitrary answers, on files in any state.

use super::runs_tests::{Bench, run};
use super::tests::{FACTS, master, skill};
use super::*;
use crate::driver::{Conclusion, Ended, FailureClass, ObservedRun, Reply, TestsEnd};
use proptest::prelude::*;

/// Answers of every kind, and some that are not answers.
fn answer() -> impl Strategy<Value = String> {
    let status = prop_oneof!["completed", "failed", "needs_input", "odd"];
    let id = prop_oneof!["task-001", "T1", "H1", "H2", "H 3"];
    let verdict = prop_oneof!["pending", "confirmed", "rejected", "inconclusive"];
    prop_oneof![
        "\\PC{0,40}",
        Just(r#"{"tasks":["a","b"]}"#.to_owned()),
        (status, id.clone()).prop_map(|(status, id)| format!(r#"{{"task_id":"{id}","status":"{status}","summary":"s","needs":"q?"}}"#)),
        prop_oneof!["completed", "failed"].prop_map(|status| format!(r#"{{"status":"{status}","summary":"s"}}"#)),
        (id.clone(), verdict, id, any::<bool>()).prop_map(|(id, verdict, confirmed, fixed)| format!(
            r#"{{"hypotheses":[{{"id":"{id}","description":"d","status":"{verdict}"}}],"understanding":"u","confirmed":"{confirmed}","fixed":{fixed}}}"#
        )),
        (prop_oneof!["H1", "H2"], any::<bool>()).prop_map(|(id, fixed)| format!(
            r#"{{"hypotheses":[{{"id":"{id}","description":"d","status":"confirmed"}}],"understanding":"u","fixed":{fixed}}}"#
        )),
    ]
}

/// The events of a step: an answer, how the agent ends, how the tests end, what a person replies.
type Event = (String, u8, (u32, u32), u8);

fn event() -> impl Strategy<Value = Event> {
    (answer(), 0u8..12, (0u32..3, 0u32..3), 0u8..4)
}

fn reply(which: u8) -> Reply {
    match which {
        0 => Reply::TryAgain,
        1 => Reply::Text { text: "x".into() },
        _ => Reply::GoOn,
    }
}

/// One step of a run; returns whether it continues.
fn play(bench: &mut Bench, (answer, ending, (passed, failed), replied): &Event) -> bool {
    match bench.next() {
        other @ (LoopV2Next::Parallel(_)
        | LoopV2Next::Batch { .. }
        | LoopV2Next::Command(_)
        | LoopV2Next::Files(_)
        | LoopV2Next::Take(_)
        | LoopV2Next::Hold) => panic!("not of a Loop v2: {other:?}"),
        LoopV2Next::End(_) => return false,
        LoopV2Next::Ask(question) => {
            bench.memory.question = Some(question);
            bench.memory.reply(&reply(*replied));
        }
        LoopV2Next::Menu(choices) => {
            let choice = choices[usize::from(*replied + *passed as u8 * 4 + *failed as u8) % choices.len()];
            bench.memory.choose(choice);
        }
        LoopV2Next::Write(operation) => bench.write(&operation),
        LoopV2Next::Tests { begin } => {
            bench.write(&begin);
            let names: Vec<String> = (0..*failed).map(|at| format!("t{at}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let ended = match ending {
                0 => TestsEnd::CouldNotRun { why: "x".into() },
                _ => TestsEnd::Ran { run: run(*passed, &names), files: vec![] },
            };
            let concluded = conclude_tests(ended, bench.text.as_bytes(), &FACTS, &mut bench.memory);
            bench.apply(&concluded);
        }
        LoopV2Next::Agent { begin, task } => {
            if let Some(begin) = &begin {
                bench.write(begin);
            }
            let ended = match ending {
                0 => Ended::Failed { class: FailureClass::Work, message: "x" },
                1 => Ended::Failed { class: FailureClass::Unavailable, message: "x" },
                2 => Ended::Answered { text: answer, structured: None, plain: true },
                _ => Ended::Answered { text: answer, structured: None, plain: false },
            };
            let concluded = conclude(
                &task,
                &ended,
                ObservedRun::default(),
                bench.text.as_bytes(),
                &FACTS,
                &mut bench.memory,
            );
            assert!(!matches!(concluded, Conclusion::End(EndReason::Refused { .. })), "{concluded:?}");
            bench.apply(&concluded);
        }
    }
    true
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// For any answers: no operation is refused (`write` panics), and a run without questions ends after at
    /// most its rounds, each with a few attempts.
    #[test]
    fn any_answers_end(events in prop::collection::vec(event(), 120), ask in any::<bool>(), by_menu in any::<bool>()) {
        let mut bench = Bench::new();
        bench.memory.policy.ask = ask;
        if by_menu {
            bench.memory.policy.mode = InitMode::Interactive;
        }
        let mut steps = 0;
        let mut asked = 0;
        for event in events.iter().cycle().take(400) {
            asked += u32::from(matches!(bench.next(), LoopV2Next::Ask(_) | LoopV2Next::Menu(_)));
            if !play(&mut bench, event) {
                break;
            }
            steps += 1;
        }
        let unavailable = events.iter().filter(|event| event.1 == 1).count();
        if !ask && !by_menu {
            prop_assert!(steps <= 11 * 3 + 3 * unavailable * 4 + 5, "{steps} steps");
        }
        // Each reply allows a few more attempts, and each round is written.
        prop_assert!(steps < 400 || asked > 20, "{steps} steps, {asked} questions");
    }

    /// Foreign files in any state: everything offered can be written, and what cannot be written is not
    /// offered.
    #[test]
    fn any_state_offers_what_it_takes(
        tasks in prop::collection::vec(prop_oneof!["pending", "in_progress", "completed", "failed", "odd"], 0..4),
        last in prop_oneof!["", "INIT", "DEVELOP", "debug", "action-validate-with-file", "COMPLETE", "x"],
        run in prop::option::of((0u32..3, 0u32..3)),
        iteration in 0u32..12,
        events in prop::collection::vec(event(), 30),
    ) {
        let tasks: Vec<&str> = tasks.iter().map(String::as_str).collect();
        let mut bench = Bench::new();
        bench.text = master("running", iteration, &skill(&tasks, &last, run));
        for event in &events {
            if !play(&mut bench, event) {
                break;
            }
        }
    }
}
