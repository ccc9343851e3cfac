//! Runs with arbitrary answers of workers and replies of a person.

use super::tests::{Bench, FACTS, PLAN, answered, run, worked};
use super::*;
use crate::driver::{Conclusion, Ended, FailureClass, Reply, TestsEnd};
use proptest::prelude::*;

fn answer() -> impl Strategy<Value = String> {
    let status = prop_oneof!["success", "failed", "needs_input", "odd"];
    let back = prop_oneof!["develop", "debug", "validate", "complete", "init", "null"];
    prop_oneof![
        "\\PC{0,40}",
        Just(PLAN.to_owned()),
        (status, prop_oneof!["T1", "T2", "T9"], back).prop_map(|(status, id, back)| format!(
            r#"{{"status":"{status}","summary":"s","completed_tasks":["{id}"],"loop_back_to":"{back}","needs":"q?","files_changed":["{id}"]}}"#
        )),
        Just(worked("success", &["T1", "T2"], None)),
    ]
}

type Event = (String, String, u8, (u32, u32), u8);

fn event() -> impl Strategy<Value = Event> {
    (answer(), answer(), 0u8..12, (0u32..3, 0u32..2), 0u8..5)
}

fn ended<'a>(text: &'a str, ending: u8) -> Ended<'a> {
    match ending {
        0 => Ended::Failed { class: FailureClass::Work, message: "x" },
        1 => Ended::Failed { class: FailureClass::Unavailable, message: "x" },
        2 => Ended::Answered { text, structured: None, plain: true },
        _ => answered(text),
    }
}

/// One step of a run; returns whether it continues.
fn play(bench: &mut Bench, event: &Event) -> bool {
    let (_, _, _, _, replied) = event;
    match bench.next() {
        other @ (LoopBNext::Batch { .. }
        | LoopBNext::Command(_)
        | LoopBNext::Files(_)
        | LoopBNext::Take(_)
        | LoopBNext::Hold) => {
            panic!("not of a Loop-B: {other:?}")
        }
        LoopBNext::End(_) => return false,
        LoopBNext::Ask(question) => {
            bench.memory.question = Some(question);
            let reply = match replied {
                0 => Reply::TryAgain,
                1 => Reply::Text { text: "x".into() },
                _ => Reply::GoOn,
            };
            bench.memory.reply(&reply);
        }
        LoopBNext::Menu(choices) => {
            let choice = choices[usize::from(*replied) % choices.len()];
            bench.memory.choose(choice);
        }
        LoopBNext::Write(operation) => bench.write(&operation),
        work @ (LoopBNext::Tests { .. } | LoopBNext::Parallel(_) | LoopBNext::Agent { .. }) => {
            let concluded = work_ends(bench, work, event);
            assert!(
                !matches!(concluded, Conclusion::End(EndReason::Refused { .. })),
                "{concluded:?}\n{}",
                bench.text
            );
            bench.apply(&concluded);
        }
    }
    true
}

/// Workers and tests that end as the event has it.
fn work_ends(bench: &mut Bench, work: LoopBNext, event: &Event) -> Conclusion<LoopBOperation> {
    let (first, second, ending, (passed, failed), _) = event;
    let names: Vec<String> = (0..*failed).map(|at| format!("t{at}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let tests = match ending {
        0 => TestsEnd::CouldNotRun { why: "x".into() },
        _ => TestsEnd::Ran { run: run(*passed, &names), files: vec![] },
    };
    match work {
        LoopBNext::Tests { begin } => {
            bench.write(&begin);
            conclude_tests(tests, bench.text.as_bytes(), &FACTS, &mut bench.memory)
        }
        LoopBNext::Parallel(tasks) => {
            let ends: Vec<ParallelEnd<'_>> = tasks
                .iter()
                .zip([first, second])
                .map(|(task, text)| ParallelEnd { task, ended: ended(text, *ending), seen: None })
                .collect();
            conclude_parallel(&ends, &tests, bench.text.as_bytes(), &FACTS, &mut bench.memory)
        }
        LoopBNext::Agent { begin, task } => {
            if let Some(begin) = &begin {
                bench.write(begin);
            }
            let text = bench.text.clone();
            conclude(&task, &ended(first, *ending), None, None, text.as_bytes(), &FACTS, &mut bench.memory)
        }
        other => panic!("no work: {other:?}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// For any answers of workers: no operation is refused (`write` panics), nothing that would be refused is
    /// offered, and a run without questions ends after at most its rounds, each with a few attempts.
    #[test]
    fn any_answers_end(
        events in prop::collection::vec(event(), 90),
        mode in prop_oneof!["auto", "parallel", "interactive"],
        ask in any::<bool>(),
    ) {
        let mut bench = Bench::new(&mode);
        bench.memory.policy.ask = ask;
        let (mut steps, mut asked) = (0, 0);
        for event in events.iter().cycle().take(300) {
            let next = bench.next();
            prop_assert!(!matches!(next, LoopBNext::End(EndReason::Refused { .. })), "{next:?}\n{}", bench.text);
            asked += u32::from(matches!(next, LoopBNext::Ask(_) | LoopBNext::Menu(_)));
            if !play(&mut bench, event) {
                break;
            }
            steps += 1;
        }
        let unavailable = events.iter().filter(|event| event.2 == 1).count();
        if !ask && mode != "interactive" {
            prop_assert!(steps <= 13 * 3 + unavailable * 4 + 5, "{steps} steps");
        }
        prop_assert!(steps < 300 || asked > 20, "{steps} steps, {asked} questions");
    }
}
