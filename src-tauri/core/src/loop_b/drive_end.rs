//! What the end of a worker or of the tests means for a Loop-B.

use super::merge;
use super::operate::{Operation, WorkerOutput, operate};
use super::state::State;
use crate::answer::{self, Answer, AnswerError, AnswerErrorCode, WorkStatus, WorkerAnswer};
use crate::ccw::driver::{
    self, Action, AgentTask, Conclusion, DriverQuestion, EndReason, Ended, FailureClass, Memory,
    QuestionCode, TestsEnd, WorkerEnd, changed_files, situation_at_end, stand_at_end,
};
use crate::ccw::progress_docs::records::{PlannedTask, TestResult, ValidationRun};
use crate::ccw_v2::drive_matter::{MOST_FAILURES, counted};
use crate::format::{FileFacts, Format};
use crate::json_span::json::Json;
use crate::json_span::tree::Node;
use crate::prompt::FailedTest;

type Concluded = Conclusion<Operation>;
type File<'a> = (&'a [u8], &'a FileFacts<'a>);

/// One worker of a parallel round.
#[derive(Clone, Copy, Debug)]
pub struct ParallelEnd<'a> {
    /// What it was asked to do.
    pub task: &'a AgentTask<Operation>,
    /// How it ended.
    pub ended: Ended<'a>,
    /// Files it changed, when the runtime can tell them from those of the others.
    pub seen: Option<&'a [String]>,
}

/// What follows from the end of an agent. `seen`: files that changed meanwhile, when the runtime could tell; they win
/// over what the agent claims. `bytes`: the file as it is now.
pub fn conclude(
    task: &AgentTask<Operation>,
    ended: &Ended<'_>,
    seen: Option<&[String]>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> Concluded {
    let answer = match *ended {
        Ended::Failed { class, message } => {
            return driver::interrupted(class, message, memory)
                .unwrap_or_else(|| failed(task, message, seen, (bytes, facts), memory));
        }
        Ended::Asks { text } => return driver::waits_for_answer(task.action.word(), text, memory),
        Ended::Answered { text, structured, plain } => {
            match answer::read_structured(task.answer, structured, text) {
                Ok(reading) => reading.answer,
                Err(_) if plain => by_default(task, text),
                Err(errors) => return driver::unreadable(task, &errors, memory),
            }
        }
    };
    if let (Answer::Init(_), Some(asked)) = (&answer, answer.needs()) {
        memory.ended();
        return memory.conclude_asking(DriverQuestion::new(QuestionCode::AgentAsks, "init", asked));
    }
    match (answer, &task.action) {
        (Answer::Init(answer), Action::Init) => planned(answer.tasks, (bytes, facts), memory),
        (Answer::Worker(answer), Action::Worker { worker }) => {
            worked(worker, answer, seen, (bytes, facts), memory)
        }
        _ => driver::unreadable(task, &[AnswerError::new(AnswerErrorCode::NoObject, "", "")], memory),
    }
}

/// The operation, once the file takes it.
fn written(operation: Operation, (bytes, facts): File<'_>, memory: &mut Memory) -> Concluded {
    memory.ended();
    let summary = match stand_at_end(bytes, Format::LoopB, facts) {
        Ok(summary) => summary,
        Err(end) => return Conclusion::End(end),
    };
    match operate(bytes, facts, &operation, &situation_at_end(&summary, facts)) {
        Ok(_) => Conclusion::Write(vec![operation]),
        Err(refusal) => Conclusion::End(EndReason::Refused { refusal }),
    }
}

fn by_default(task: &AgentTask<Operation>, output: &str) -> Answer {
    match &task.action {
        Action::Init => Answer::Init(answer::plain_init(task.matter.goal())),
        action => {
            let pending = task.matter.tasks.iter().filter(|task| task.status != "completed");
            let ids: Vec<String> = pending.map(|task| task.id.clone()).collect();
            let finished: &[String] = if action.word() == "develop" { &ids } else { &[] };
            Answer::Worker(answer::plain_worker(output, finished))
        }
    }
}

fn planned(tasks: Vec<PlannedTask>, file: File<'_>, memory: &mut Memory) -> Concluded {
    let summary = format!("Planned {}", counted(tasks.len(), "task"));
    let output = WorkerOutput {
        action: "init".to_owned(),
        status: "success".to_owned(),
        summary: summary.clone(),
        next_suggestion: Some("develop".to_owned()),
        ..WorkerOutput::default()
    };
    memory.summarise("init", &summary);
    memory.worker = Some(WorkerEnd { action: "init".to_owned(), next: "develop".to_owned() });
    written(Operation::Planned { output, tasks }, file, memory)
}

/// A worker of auto or interactive mode ended.
fn worked(
    worker: &str,
    answer: WorkerAnswer,
    seen: Option<&[String]>,
    file: File<'_>,
    memory: &mut Memory,
) -> Concluded {
    let needs = answer.needs.clone();
    let output = output(worker, answer, seen, file.0);
    let next = after(worker, &output, needs.is_some(), file.0, memory);
    memory.worker = Some(WorkerEnd { action: worker.to_owned(), next });
    let written = written(Operation::WorkerDone { output }, file, memory);
    if let Some(asked) = needs {
        memory.question = Some(DriverQuestion::new(QuestionCode::AgentAsks, worker, &asked));
    }
    written
}

/// The output as it is written: status in the skill's words, finished tasks only where the file knows them.
fn output(worker: &str, answer: WorkerAnswer, seen: Option<&[String]>, bytes: &[u8]) -> WorkerOutput {
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let state = State::new(&root);
    let tasks = || state.pending.iter().chain(state.completed);
    let known = |id: &String| tasks().any(|task| task.get("id").text() == Some(id));
    let status = match answer.status {
        WorkStatus::Completed => "success",
        WorkStatus::Failed => "failed",
        WorkStatus::NeedsInput => "needs_input",
    };
    WorkerOutput {
        action: worker.to_owned(),
        status: status.to_owned(),
        summary: answer.summary,
        files_changed: changed_files(&answer.files_changed, seen),
        next_suggestion: answer.next_suggestion,
        loop_back_to: answer.loop_back_to,
        detailed_output: answer.detailed_output,
        completed_tasks: answer.completed_tasks.into_iter().filter(known).collect(),
    }
}

/// The action after a worker, and what is remembered of it. `asks`: it waits for a person, and is done again.
fn after(worker: &str, output: &WorkerOutput, asks: bool, bytes: &[u8], memory: &mut Memory) -> String {
    memory.summarise(worker, &output.summary);
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let state = State::new(&root);
    let finished = |task: &&Node<'_>| {
        task.get("id").text().is_some_and(|id| output.completed_tasks.iter().any(|done| done == id))
    };
    let moved = state.pending.iter().filter(finished).count();
    let left = state.pending.len() - moved > 0 && !memory.left.contains("develop");
    let stuck = worker == "develop" && left && moved == 0 && output.loop_back_to.is_none();
    if asks {
        return worker.to_owned();
    }
    if output.status == "failed" || stuck {
        let why = if stuck { "No task was finished" } else { output.summary.as_str() };
        memory.failed_again(worker, why);
        return worker.to_owned();
    }
    memory.failures.remove(worker);
    let back = output.loop_back_to.as_deref().filter(|to| can_follow(worker, to, left));
    match (worker, back) {
        (_, Some(to)) => to,
        ("develop", None) if left => "develop",
        ("develop", None) => "debug",
        _ => "validate",
    }
    .to_owned()
}

/// Whether a worker can lead to an action by its own word: never to the end, and to develop only with work left.
fn can_follow(worker: &str, to: &str, left: bool) -> bool {
    let goes = super::operate::follows(worker, to);
    goes && to != "complete" && (to != "develop" || left)
}

fn failed(
    task: &AgentTask<Operation>,
    message: &str,
    seen: Option<&[String]>,
    file: File<'_>,
    memory: &mut Memory,
) -> Concluded {
    let Action::Worker { worker } = &task.action else { return driver::failed(task, message, memory) };
    worked(worker, failure(message), seen, file, memory)
}

fn failure(message: &str) -> WorkerAnswer {
    let summary = answer::plain_summary(message);
    WorkerAnswer { status: WorkStatus::Failed, summary, ..WorkerAnswer::default() }
}

/// What follows from a run of the tests. `bytes`: the file as it is now.
pub fn conclude_tests(
    ended: TestsEnd,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> Concluded {
    memory.run_again = false;
    let run = match ended {
        TestsEnd::Ran { run, .. } => run,
        TestsEnd::CouldNotRun { why } => {
            memory.ended();
            let question = DriverQuestion::new(QuestionCode::TestsCannotRun, "validate", &why);
            return memory.conclude_asking(question);
        }
    };
    let output = tested(&run);
    memory.summarise("validate", &output.summary);
    remember_failures(&run, memory);
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let left = !State::new(&root).pending.is_empty() && !memory.left.contains("develop");
    let next = match (run.is_pass(), left) {
        (_, true) => "develop",
        (true, false) => "complete",
        (false, false) => "debug",
    };
    memory.worker = Some(WorkerEnd { action: "validate".to_owned(), next: next.to_owned() });
    let written = written(Operation::WorkerDone { output }, (bytes, facts), memory);
    if !run.is_pass() {
        memory.question = question_after(&run, memory);
    }
    written
}

fn question_after(run: &ValidationRun, memory: &mut Memory) -> Option<DriverQuestion> {
    if run.failed == 0 {
        // Nothing failed and nothing passed: run again, unless a person completes without tests.
        memory.worker = None;
        return Some(DriverQuestion::new(QuestionCode::NoTests, "validate", ""));
    }
    let names: Vec<&str> = memory.failing.iter().map(|test| test.name.as_str()).collect();
    let question = DriverQuestion::new(QuestionCode::TestsKeepFailing, "validate", &names.join("\n"));
    (memory.same_failures >= memory.policy.same_failures).then(|| question.counted(memory.same_failures))
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
    let same = !failing.is_empty() && names(&failing) == names(&memory.failing);
    memory.same_failures = match (same, failing.is_empty()) {
        (true, _) => memory.same_failures.saturating_add(1),
        (false, empty) => u32::from(!empty),
    };
    memory.failing = failing;
}

fn failed_test(test: &TestResult) -> FailedTest {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let message = [text(&test.error_message), text(&test.stack_trace)].join("\n");
    let message = crate::problem::shorten(message.trim(), 4_000);
    FailedTest { name: test.name.clone(), suite: test.suite.clone(), message }
}

/// The output of a test run, in the words of a worker.
fn tested(run: &ValidationRun) -> WorkerOutput {
    let counts =
        [("total", run.total()), ("passed", run.passed), ("failed", run.failed), ("skipped", run.skipped)];
    let counts = counts.map(|(name, count)| (name, Json::count(count))).to_vec();
    let coverage = run.coverage.and_then(|figures| figures.statements.or(figures.lines));
    let detail = vec![
        ("test_results", Json::object(counts)),
        ("failed_tests", Json::texts(&run.failed_tests())),
        ("coverage", coverage.map_or(Json::Null, Json::number)),
    ];
    WorkerOutput {
        action: "validate".to_owned(),
        status: if run.is_pass() { "success" } else { "failed" }.to_owned(),
        summary: format!("{} of {} passed", run.passed, counted(run.total() as usize, "test")),
        loop_back_to: (run.failed > 0).then(|| "debug".to_owned()),
        detailed_output: Json::object(detail),
        ..WorkerOutput::default()
    }
}

/// What follows from a parallel round: all results side by side. An answer that cannot be read is kept as raw text with
/// the status `unknown`, as the coordinator does it; nobody runs again for it.
pub fn conclude_parallel(
    ends: &[ParallelEnd<'_>],
    tests: &TestsEnd,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> Concluded {
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
        let (output, asked) = parallel_output(end, bytes);
        let worker = end.task.action.word();
        after(worker, &output, asked.is_some(), bytes, memory);
        questions.extend(asked.map(|asked| DriverQuestion::new(QuestionCode::AgentAsks, worker, &asked)));
        outputs.push(output);
    }
    outputs.push(match tests {
        TestsEnd::Ran { run, .. } => {
            remember_failures(run, memory);
            memory.same_failures = 0; // it ran beside the work
            tested(run)
        }
        TestsEnd::CouldNotRun { why } => WorkerOutput {
            action: "validate".to_owned(),
            status: "unknown".to_owned(),
            summary: crate::problem::shorten(why, 2_000),
            ..WorkerOutput::default()
        },
    });
    questions.extend(conflicts(&outputs));
    memory.worker = Some(WorkerEnd { action: "merge".to_owned(), next: "validate".to_owned() });
    let written = written(Operation::Merge { outputs }, (bytes, facts), memory);
    memory.question = questions.into_iter().next();
    written
}

fn parallel_output(end: &ParallelEnd<'_>, bytes: &[u8]) -> (WorkerOutput, Option<String>) {
    let worker = end.task.action.word();
    let answer = match end.ended {
        Ended::Failed { message, .. } | Ended::Asks { text: message } => failure(message),
        Ended::Answered { text, structured, plain } => {
            match answer::read_structured(end.task.answer, structured, text) {
                Ok(reading) => into_worker(reading.answer),
                Err(_) if plain => into_worker(by_default(end.task, text)),
                Err(_) => {
                    let raw = answer::plain_summary(text);
                    let unread = WorkerAnswer {
                        summary: "The answer could not be read".to_owned(),
                        detailed_output: Json::text(raw),
                        ..WorkerAnswer::default()
                    };
                    let output = output(worker, unread, end.seen, bytes);
                    return (WorkerOutput { status: "unknown".to_owned(), ..output }, None);
                }
            }
        }
    };
    let asked = answer.needs.clone();
    (output(worker, answer, end.seen, bytes), asked)
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
