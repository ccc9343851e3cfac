//! What the end of a worker or of the tests means for a Loop-B.

use crate::driver::{
    self, Action, AgentTask, ChangedLines, Checked, Conclusion, DriverQuestion, EndReason, Ended,
    FailureClass, Memory, ObservedFiles, QuestionCode, TestsEnd, Touched, WorkerEnd,
};
use crate::format::{FileFacts, Format};
use crate::formats::ccw::drive::{situation_at_end, stand_at_end};
use crate::formats::ccw::progress_docs::records::{PlannedTask, TestResult, ValidationRun};
use crate::formats::ccw_v2::drive::prompt_context::{MOST_FAILURES, counted};
use crate::formats::loop_b::drive::next::{KnownEnd, after};
use crate::formats::loop_b::drive::output::{ObservedChanges, output, tested, untested};
use crate::formats::loop_b::operate::{WorkerOutput, merge, operate};
use crate::formats::loop_b::operation::LoopBOperation;
use crate::formats::loop_b::read::report;
use crate::formats::loop_b::read::state::LoopBState;
use crate::phase::CcwPhase;
use loopdeck_agents::answers::{self, Answer, AnswerError, AnswerErrorCode, WorkStatus, WorkerAnswer};
use loopdeck_agents::prompts::{FailedTest, WorkerKind};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;

type LoopBConclusion = Conclusion<LoopBOperation>;
type LoopBFile<'a> = (&'a [u8], &'a FileFacts<'a>);

/// One worker of a parallel round.
#[derive(Clone, Copy, Debug)]
pub struct ParallelEnd<'a> {
    /// What it was asked to do.
    pub task: &'a AgentTask,
    /// How it ended.
    pub ended: Ended<'a>,
    /// The files it changed, if the runtime can tell them from those of the others.
    pub seen: Option<&'a [String]>,
}

impl ParallelEnd<'_> {
    fn observed_changes(&self, memory: &Memory) -> ObservedChanges {
        ObservedChanges { files: ObservedFiles::from_run(self.task, self.seen, memory), lines: None }
    }
}

/// What follows from the end of an agent. `seen`: observed changes, `lines`: their number of lines, if known
/// to the runtime; both win over the agent's claims. `bytes`: the current file.
pub fn conclude(
    task: &AgentTask,
    ended: &Ended<'_>,
    seen: Option<&[String]>,
    lines: Option<ChangedLines>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> LoopBConclusion {
    let sight = ObservedChanges { files: ObservedFiles::from_run(task, seen, memory), lines };
    memory.touch(&task.action, seen);
    let answer = match *ended {
        Ended::Failed { class, message } => {
            return driver::interrupted(class, message, memory)
                .unwrap_or_else(|| failed(task, message, &sight, (bytes, facts), memory));
        }
        Ended::Asks { text } => return driver::waits_for_answer(task.action.word(), text, memory),
        Ended::Answered { text, structured, plain } => match task.read(structured, text) {
            Ok(reading) => reading.answer,
            Err(_) if plain => by_default(task, text),
            Err(errors) => return driver::unreadable(task, &errors, memory),
        },
    };
    if let (Answer::Init(_), Some(asked)) = (&answer, answer.needs()) {
        memory.ended_asking();
        return memory.conclude_asking(DriverQuestion::new(
            QuestionCode::AgentAsks,
            CcwPhase::Init.word(),
            asked,
        ));
    }
    match (answer, &task.action) {
        (Answer::Init(answer), Action::Init) => planned(answer.tasks, (bytes, facts), memory),
        (Answer::Worker(answer), Action::Worker { worker }) => {
            worked((*worker).into(), answer, &sight, (bytes, facts), memory)
        }
        _ => driver::unreadable(task, &[AnswerError::new(AnswerErrorCode::NoObject, "", "")], memory),
    }
}

/// Claims of an answer that the disk contradicts. `memory`: from before [`conclude`].
#[must_use]
pub fn check(task: &AgentTask, ended: &Ended<'_>, changed: Option<&[String]>, memory: &Memory) -> Checked {
    driver::check(task, ended, changed, false, memory)
}

/// The operation, provided the file accepts it.
fn written(operation: LoopBOperation, (bytes, facts): LoopBFile<'_>, memory: &mut Memory) -> LoopBConclusion {
    memory.note_end();
    memory.touched = Touched::default();
    let summary = match stand_at_end(bytes, Format::LoopB, facts) {
        Ok(summary) => summary,
        Err(end) => return Conclusion::End(end),
    };
    match operate(bytes, facts, &operation, &situation_at_end(&summary, facts)) {
        Ok(_) => Conclusion::Write(vec![operation]),
        Err(refusal) => Conclusion::End(EndReason::Refused { refusal }),
    }
}

fn by_default(task: &AgentTask, output: &str) -> Answer {
    match &task.action {
        Action::Init => Answer::Init(answers::plain_init(task.context.goal())),
        action => {
            let pending = task.context.tasks.iter().filter(|task| task.status != "completed");
            let ids: Vec<String> = pending.map(|task| task.id.clone()).collect();
            let develops = matches!(action, Action::Worker { worker: WorkerKind::Develop });
            let finished: &[String] = if develops { &ids } else { &[] };
            Answer::Worker(answers::plain_worker(output, finished))
        }
    }
}

fn planned(tasks: Vec<PlannedTask>, file: LoopBFile<'_>, memory: &mut Memory) -> LoopBConclusion {
    let summary = format!("Planned {}", counted(tasks.len(), "task"));
    let output = WorkerOutput {
        action: CcwPhase::Init.word().to_owned(),
        status: "success".to_owned(),
        summary: summary.clone(),
        next_suggestion: Some(CcwPhase::Develop.word().to_owned()),
        detailed_output: report::noted(Json::Null),
        report: Some(Box::default()),
        ..WorkerOutput::default()
    };
    memory.summarise(CcwPhase::Init.word(), &summary);
    memory.b.worker = Some(WorkerEnd::after(CcwPhase::Init, CcwPhase::Develop));
    written(LoopBOperation::Planned { output, tasks }, file, memory)
}

/// A worker of auto or interactive mode ended.
fn worked(
    worker: CcwPhase,
    answer: WorkerAnswer,
    seen: &ObservedChanges,
    file: LoopBFile<'_>,
    memory: &mut Memory,
) -> LoopBConclusion {
    let needs = answer.needs.clone();
    let known = KnownEnd { asks: needs.is_some(), fixed: answer.fixed, untouched: seen.files.is_nothing() };
    let mut output = output(worker, answer, seen, file.0, memory);
    if known.is_claim(worker) {
        "failed".clone_into(&mut output.status);
    }
    let next = after(worker, &output, known, file.0, memory);
    memory.b.worker = Some(WorkerEnd::after(worker, next));
    let (chosen, touched) = (memory.chosen, memory.touched.clone());
    let written = written(LoopBOperation::WorkerDone { output }, file, memory);
    if needs.is_some() || memory.failures.contains_key(worker.word()) {
        memory.touched = touched; // another try may only say what this one did
    }
    if let Some(asked) = needs {
        memory.chosen = chosen; // it is done again with the answer
        memory.question = Some(DriverQuestion::new(QuestionCode::AgentAsks, worker.word(), &asked));
    }
    written
}

fn failed(
    task: &AgentTask,
    message: &str,
    seen: &ObservedChanges,
    file: LoopBFile<'_>,
    memory: &mut Memory,
) -> LoopBConclusion {
    let Action::Worker { worker } = &task.action else { return driver::failed(task, message, memory) };
    worked((*worker).into(), failure(message), seen, file, memory)
}

fn failure(message: &str) -> WorkerAnswer {
    let summary = answers::plain_summary(message);
    WorkerAnswer { status: WorkStatus::Failed, summary, ..WorkerAnswer::default() }
}

/// What follows from a run of the tests. `bytes`: the current file.
pub fn conclude_tests(
    ended: TestsEnd,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> LoopBConclusion {
    memory.run_again = false;
    let (run, files) = match ended {
        TestsEnd::Ran { run, files } => (run, files),
        TestsEnd::CouldNotRun { why } => {
            memory.note_end();
            let question = DriverQuestion::new(QuestionCode::TestsCannotRun, CcwPhase::Validate.word(), &why);
            return memory.conclude_asking(question);
        }
    };
    remember_failures(&run, memory);
    memory.b.passed = run.is_pass();
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let left = !LoopBState::new(&root).pending.is_empty() && !memory.left.contains(CcwPhase::Develop.word());
    // What debugging found and nobody fixed is work too, whatever the tests say (seed 003: "needs fix?").
    let is_open = !memory.b.issues.is_empty() && !memory.left.contains(CcwPhase::Develop.word());
    let next = match (run.is_pass(), left) {
        (_, true) => CcwPhase::Develop,
        (true, false) if is_open => CcwPhase::Develop,
        (true, false) => CcwPhase::Complete,
        (false, false) => CcwPhase::Debug,
    };
    // Without a single test, nothing is known about the work.
    let output = tested(&run, &files, Some(next).filter(|_| run.passed + run.failed > 0));
    memory.summarise(CcwPhase::Validate.word(), &output.summary);
    memory.b.worker = Some(WorkerEnd::after(CcwPhase::Validate, next));
    let written = written(LoopBOperation::WorkerDone { output }, (bytes, facts), memory);
    if !run.is_pass() {
        memory.question = question_after(&run, memory);
    }
    written
}

fn question_after(run: &ValidationRun, memory: &mut Memory) -> Option<DriverQuestion> {
    if run.failed == 0 {
        // Nothing failed and nothing passed: run again, unless a person completes without tests.
        memory.b.worker = None;
        // What was skipped may say why.
        let skipped = run.tests.iter().filter(|test| test.status == "skipped").take(5);
        let names: Vec<&str> = skipped.map(|test| test.name.as_str()).collect();
        let validate = CcwPhase::Validate.word();
        return Some(DriverQuestion::new(QuestionCode::NoTests, validate, &names.join("\n")));
    }
    let names: Vec<&str> = memory.b.failing.iter().map(|test| test.name.as_str()).collect();
    let question =
        DriverQuestion::new(QuestionCode::TestsKeepFailing, CcwPhase::Validate.word(), &names.join("\n"));
    (memory.b.same_failures >= memory.policy.same_failures).then(|| question.counted(memory.b.same_failures))
}

fn remember_failures(run: &ValidationRun, memory: &mut Memory) {
    let failed = run.tests.iter().filter(|test| test.status == "failed").take(MOST_FAILURES);
    let mut failing: Vec<FailedTest> = failed.map(failed_test).collect();
    if failing.is_empty() && run.failed > 0 {
        failing.push(FailedTest { name: counted(run.failed as usize, "test"), ..FailedTest::default() });
    }
    let names = |tests: &[FailedTest]| {
        let mut names: Vec<String> =
            tests.iter().map(|test| format!("{}\n{}", test.suite, test.name)).collect();
        names.sort();
        names
    };
    let same = !failing.is_empty() && names(&failing) == names(&memory.b.failing);
    memory.b.same_failures = match (same, failing.is_empty()) {
        (true, _) => memory.b.same_failures.saturating_add(1),
        (false, empty) => u32::from(!empty),
    };
    memory.b.failing = failing;
}

fn failed_test(test: &TestResult) -> FailedTest {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let message = [text(&test.error_message), text(&test.stack_trace)].join("\n");
    let message = loopdeck_text::shorten(message.trim(), 4_000);
    FailedTest { name: test.name.clone(), suite: test.suite.clone(), message }
}

/// What follows from a parallel round: all results side by side. An unreadable answer is kept as raw text
/// with the status `unknown`, as the coordinator does; it is not retried.
pub fn conclude_parallel(
    ends: &[ParallelEnd<'_>],
    tests: &TestsEnd,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> LoopBConclusion {
    for end in ends {
        if let Ended::Failed { class, message } = end.ended
            && class != FailureClass::Work
            && let Some(concluded) = driver::interrupted(class, message, memory)
        {
            return concluded;
        }
        if let Ended::Asks { text } = end.ended {
            return driver::waits_for_answer(end.task.action.word(), text, memory);
        }
    }
    let mut questions = Vec::new();
    let mut outputs: Vec<WorkerOutput> = Vec::new();
    for end in ends {
        let seen = end.observed_changes(memory);
        let (output, asked, fixed) = parallel_output(end, &seen, bytes, memory);
        let Action::Worker { worker } = end.task.action else { continue };
        let worker = CcwPhase::from(worker);
        let known = KnownEnd { asks: asked.is_some(), fixed, untouched: seen.files.is_nothing() };
        after(worker, &output, known, bytes, memory);
        questions
            .extend(asked.map(|asked| DriverQuestion::new(QuestionCode::AgentAsks, worker.word(), &asked)));
        outputs.push(output);
    }
    outputs.push(match tests {
        TestsEnd::Ran { run, files } => {
            remember_failures(run, memory);
            memory.b.same_failures = 0; // it ran beside the work
            tested(run, files, None)
        }
        TestsEnd::CouldNotRun { why } => untested(why),
    });
    memory.b.passed = false;
    questions.extend(conflicts(&outputs));
    memory.b.worker = Some(WorkerEnd::merged());
    let written = written(LoopBOperation::Merge { outputs }, (bytes, facts), memory);
    memory.question = questions.into_iter().next();
    written
}

/// The output, the worker's question, and whether it reports a fix.
fn parallel_output(
    end: &ParallelEnd<'_>,
    seen: &ObservedChanges,
    bytes: &[u8],
    memory: &mut Memory,
) -> (WorkerOutput, Option<String>, Option<bool>) {
    let worker = match end.task.action {
        Action::Worker { worker } => worker.into(),
        _ => CcwPhase::Init,
    };
    let answer = match end.ended {
        Ended::Failed { message, .. } | Ended::Asks { text: message } => failure(message),
        Ended::Answered { text, structured, plain } => match end.task.read(structured, text) {
            Ok(reading) => into_worker(reading.answer),
            Err(_) if plain => into_worker(by_default(end.task, text)),
            Err(_) => {
                let raw = answers::plain_summary(text);
                let unread = WorkerAnswer {
                    summary: "The answer could not be read".to_owned(),
                    detailed_output: Json::text(raw),
                    ..WorkerAnswer::default()
                };
                let output = output(worker, unread, seen, bytes, memory);
                return (WorkerOutput { status: "unknown".to_owned(), ..output }, None, None);
            }
        },
    };
    let (asked, fixed) = (answer.needs.clone(), answer.fixed);
    (output(worker, answer, seen, bytes, memory), asked, fixed)
}

fn into_worker(answer: Answer) -> WorkerAnswer {
    if let Answer::Worker(answer) = answer { answer } else { WorkerAnswer::default() }
}

fn conflicts(outputs: &[WorkerOutput]) -> Option<DriverQuestion> {
    let named: Vec<(&str, Vec<String>)> =
        outputs.iter().map(|output| (output.action.as_str(), output.files_changed.clone())).collect();
    let files: Vec<String> = merge::conflicts(&named).into_iter().map(|conflict| conflict.file).collect();
    (!files.is_empty()).then(|| DriverQuestion::new(QuestionCode::Conflicts, "merge", &files.join("\n")))
}
