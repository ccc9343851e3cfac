//! The rules of the diagram, one by one.

use super::*;
use crate::driver::LoopBMemory;
use crate::formats::ccw::progress_docs::loop_b::WorkerHypothesis;
use crate::formats::loop_b::operate::DebugFindings;
use crate::formats::loop_b::read::report::WorkerReport;
use loopdeck_agents::prompts::FailedTest;

/// A loop with this many tasks pending; T1 is the first.
fn master(pending: usize) -> String {
    let tasks: Vec<String> = (1..=pending).map(|at| format!("{{\"id\":\"T{at}\"}}")).collect();
    format!("{{\"skill_state\":{{\"pending_tasks\":[{}]}}}}", tasks.join(","))
}

#[derive(Clone, Default)]
struct Case {
    worker: &'static str,
    pending: usize,
    done: &'static [&'static str],
    files: &'static [&'static str],
    back: Option<&'static str>,
    next: Option<&'static str>,
    issues: &'static [&'static str],
    cause: bool,
    known: KnownEnd,
    /// Before.
    passed: bool,
    failing: bool,
    fixing: bool,
    left: bool,
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

fn play(case: &Case) -> (String, Memory) {
    let cause = WorkerHypothesis { id: "H1".into(), description: "it leaks".into(), ..Default::default() };
    let debugged = DebugFindings { hypotheses: vec![cause], confirmed: Some("H1".into()), bug: None };
    let output = WorkerOutput {
        action: case.worker.into(),
        status: "success".into(),
        summary: "s".into(),
        files_changed: texts(case.files),
        next_suggestion: case.next.map(str::to_owned),
        loop_back_to: case.back.map(str::to_owned),
        completed_tasks: texts(case.done),
        report: Some(Box::new(WorkerReport { issues_found: texts(case.issues), ..WorkerReport::default() })),
        debugged: case.cause.then(|| Box::new(debugged)),
        ..WorkerOutput::default()
    };
    let mut memory =
        Memory { b: LoopBMemory { passed: case.passed, ..LoopBMemory::default() }, ..Memory::default() };
    if case.failing {
        memory.b.failing = vec![FailedTest { name: "refund".into(), ..FailedTest::default() }];
    }
    if case.fixing {
        memory.b.issues = texts(&["leak"]);
    }
    if case.left {
        memory.left.insert("develop".into());
    }
    let worker = CcwPhase::from_word(case.worker).expect("a phase");
    let next = after(worker, &output, case.known, master(case.pending).as_bytes(), &mut memory);
    (next.word().to_owned(), memory)
}

const UNTOUCHED: KnownEnd = KnownEnd { asks: false, fixed: None, untouched: true };

fn develop() -> Case {
    Case { worker: "develop", pending: 2, done: &["T1", "T2"], files: &["a"], ..Case::default() }
}

fn debug() -> Case {
    Case { worker: "debug", known: UNTOUCHED, ..Case::default() }
}

#[test]
fn a_suggestion_is_followed_where_the_diagram_has_an_arrow() {
    for (next, expected) in [
        (None, "debug"),
        (Some("debug"), "debug"),
        (Some("validate"), "validate"),
        (Some("complete"), "debug"), // no arrow
        (Some("develop"), "debug"),  // nothing to do there
        (Some("init"), "debug"),
    ] {
        assert_eq!(play(&Case { next, ..develop() }).0, expected, "{next:?}");
        let back = Case { next, back: Some("validate"), ..develop() };
        assert_eq!(play(&back).0, "validate", "going back comes first: {next:?}");
    }
    let some = Case { done: &["T1"], ..develop() };
    assert_eq!(play(&some).0, "develop", "a task is pending");
    assert_eq!(play(&Case { next: Some("validate"), ..some }).0, "validate");
    for (next, expected) in
        [("develop", "validate"), ("debug", "validate"), ("validate", "validate"), ("complete", "validate")]
    {
        assert_eq!(play(&Case { next: Some(next), ..debug() }).0, expected, "{next}: nothing was tested yet");
    }
    assert_eq!(play(&Case { next: Some("develop"), pending: 1, ..debug() }).0, "develop");
}

#[test]
fn the_fork_after_debug_asks_whether_a_fix_is_needed() {
    let fixed = |fixed: bool, untouched: bool| KnownEnd { asks: false, fixed: Some(fixed), untouched };
    let passed = Case { passed: true, ..debug() };
    for (expected, case) in [
        // The tests decide about changes.
        ("validate", Case { known: fixed(true, false), issues: &["leak"], ..debug() }),
        ("validate", Case { files: &["a"], known: KnownEnd::default(), issues: &["leak"], ..debug() }),
        ("validate", Case { files: &["a"], known: KnownEnd::default(), ..passed.clone() }),
        // A fix is needed.
        ("develop", Case { issues: &["leak"], ..debug() }),
        ("develop", Case { issues: &["leak"], ..passed.clone() }),
        ("develop", Case { cause: true, ..debug() }),
        ("develop", Case { failing: true, known: fixed(false, true), ..debug() }),
        // Logs and caches are not a fix.
        ("develop", Case { cause: true, files: &["log"], known: fixed(false, false), ..debug() }),
        ("validate", Case { files: &["log"], known: fixed(false, false), ..passed.clone() }),
        // "Fixed", but no file changed: a retry.
        ("debug", Case { cause: true, known: fixed(true, true), ..debug() }),
        ("debug", Case { next: Some("validate"), known: fixed(true, true), ..passed.clone() }),
        ("validate", Case { issues: &["leak"], left: true, ..debug() }), // develop was skipped
        // No fix is needed.
        ("complete", passed.clone()),
        ("complete", Case { next: Some("complete"), ..passed.clone() }),
        ("validate", Case { next: Some("validate"), ..passed.clone() }),
        ("validate", debug()), // unknown whether the tests pass
        ("validate", Case { failing: true, ..debug() }),
        ("validate", Case { known: KnownEnd::default(), ..passed.clone() }), // a file may have changed
        ("validate", Case { pending: 1, ..passed }),
    ] {
        assert_eq!(play(&case).0, expected, "{:?} {:?} {}", case.issues, case.known, case.passed);
    }
}

#[test]
fn what_debugging_found_is_work_for_develop_until_it_is_done() {
    let (next, memory) = play(&Case { issues: &["leak", "race"], cause: true, ..debug() });
    assert_eq!(
        (next.as_str(), memory.b.issues.join("|").as_str()),
        ("develop", "leak|race|Root cause H1: it leaks")
    );
    let (_, memory) =
        play(&Case { failing: true, known: KnownEnd { fixed: Some(false), ..UNTOUCHED }, ..debug() });
    assert_eq!(memory.b.issues, ["Failed test: refund"]);
    let fixing = Case { pending: 0, done: &[], fixing: true, ..develop() };
    let (next, memory) = play(&fixing);
    assert_eq!(
        (next.as_str(), memory.b.issues.len()),
        ("validate", 0),
        "and then the tests say whether it is fixed"
    );
    let (next, memory) =
        play(&Case { fixing: true, known: KnownEnd { fixed: Some(true), ..KnownEnd::default() }, ..debug() });
    assert_eq!((next.as_str(), memory.b.issues.len()), ("validate", 0), "debugging removed it");
    let text = &memory.summaries[0].text;
    assert_eq!(text, "s");
    let (_, memory) = play(&Case { issues: &["leak", "race"], ..debug() });
    assert_eq!(memory.summaries[0].text, "s\nIssues found: leak; race");
}

#[test]
fn a_worker_that_is_not_done_runs_again() {
    let asks = KnownEnd { asks: true, ..KnownEnd::default() };
    assert_eq!(play(&Case { known: asks, next: Some("validate"), ..develop() }).0, "develop");
    let stuck = Case { done: &[], next: Some("validate"), ..develop() };
    let (next, memory) = play(&stuck);
    assert_eq!((next.as_str(), memory.failures["develop"].tries), ("develop", 1));
    assert_eq!(play(&Case { back: Some("debug"), ..stuck }).0, "debug");
    assert!(!play(&Case { passed: true, ..develop() }).1.b.passed, "what passed before says nothing now");
}
