//! What the end of an agent or of the tests means for a Loop v2: operations, another try, a question.

use super::forms::InitMode;
use super::operate::{Debugged, Developed, Operation, operate};
use super::state::{Home, State};
use crate::answer::{
    self, Answer, AnswerError, AnswerErrorCode, DebugAnswer, DevelopAnswer, InitAnswer, WorkStatus,
};
use crate::ccw::driver::{
    self, Action, AgentTask, Conclusion, DriverQuestion, Ended, Memory, QuestionCode, TestsEnd,
    changed_files, situation_at_end, stand_at_end,
};
use crate::ccw::progress_docs::records::{Hypothesis, PlannedTask};
use crate::format::{FileFacts, Format};
use crate::json_span::tree::Node;
use crate::text_edit;

type Concluded = Conclusion<Operation>;

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
        Ended::Asks { text } => return driver::waits_for_answer(key(&task.action), text, memory),
        Ended::Answered { text, structured, plain } => {
            match answer::read_structured(task.answer, structured, text) {
                Ok(reading) => reading.answer,
                Err(_) if plain => by_default(task, text, seen),
                Err(errors) => return driver::unreadable(task, &errors, memory),
            }
        }
    };
    answered(task, answer, seen, (bytes, facts), memory)
}

fn answered(
    task: &AgentTask<Operation>,
    answer: Answer,
    seen: Option<&[String]>,
    file: (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    if let Some(asked) = answer.needs() {
        let question = DriverQuestion::new(QuestionCode::AgentAsks, key(&task.action), asked);
        memory.ended();
        return memory.conclude_asking(question);
    }
    let operation = match (answer, &task.action) {
        (Answer::Init(answer), Action::Init) => Ok(init(answer, memory)),
        (Answer::Develop(answer), Action::Develop { task_id }) => develop(task_id, answer, seen, memory),
        (Answer::Debug(answer), Action::Debug { .. }) => debug(task, answer, seen, file.0, memory),
        _ => Err(vec![AnswerError::new(AnswerErrorCode::NoObject, "", "")]),
    };
    match operation {
        Ok(operation) => written(operation, file, memory),
        Err(errors) => driver::unreadable(task, &errors, memory),
    }
}

/// The operation, once the file takes it.
fn written(operation: Operation, (bytes, facts): (&[u8], &FileFacts<'_>), memory: &mut Memory) -> Concluded {
    memory.ended();
    let summary = match stand_at_end(bytes, Format::LoopV2, facts) {
        Ok(summary) => summary,
        Err(end) => return Conclusion::End(end),
    };
    let situation = situation_at_end(&summary, facts);
    let outcome = operate(bytes, facts, &operation, &situation);
    match outcome.map(|outcome| text_edit::apply(bytes, &outcome.edits)) {
        Ok(_) => Conclusion::Write(vec![operation]),
        Err(refusal) => Conclusion::End(driver::EndReason::Refused { refusal }),
    }
}

/// What a question or a failure is about.
fn key(action: &Action) -> &str {
    if let Action::Develop { task_id } = action { task_id } else { action.word() }
}

fn by_default(task: &AgentTask<Operation>, output: &str, seen: Option<&[String]>) -> Answer {
    let matter = &task.matter;
    match task.action {
        Action::Init => Answer::Init(answer::plain_init(matter.goal())),
        Action::Debug { .. } => {
            let changed = seen.is_some_and(|files| !changed_files(&[], Some(files)).is_empty());
            let test = matter.failed_tests.first().map(|test| test.name.as_str());
            Answer::Debug(answer::plain_debug(output, &matter.hypotheses, test, changed))
        }
        Action::Develop { .. } | Action::Worker { .. } => Answer::Develop(answer::plain_develop(output)),
    }
}

fn init(answer: InitAnswer, memory: &Memory) -> Operation {
    let tool = &memory.policy.tool;
    let task = |task: PlannedTask| PlannedTask { tool: tool.clone(), mode: "write".to_owned(), ..task };
    Operation::Init { mode: InitMode::Auto, tasks: answer.tasks.into_iter().map(task).collect() }
}

fn develop(
    task_id: &str,
    answer: DevelopAnswer,
    seen: Option<&[String]>,
    memory: &mut Memory,
) -> Result<Operation, Vec<AnswerError>> {
    if let Some(other) = answer.task_id.as_ref().filter(|id| *id != task_id) {
        return Err(vec![AnswerError::new(AnswerErrorCode::WrongTask, "task_id", other)]);
    }
    let files = changed_files(&answer.files_changed, seen);
    let failure = (answer.status == WorkStatus::Failed).then(|| answer.summary.clone());
    match &failure {
        Some(why) => drop(memory.failed_again(task_id, why)),
        None => {
            memory.failures.remove(task_id);
            memory.summarise(task_id, &answer.summary);
        }
    }
    // The work has changed: what was known of the tests is old.
    (memory.fixed, memory.debug_rounds) = (None, 0);
    let summary = if failure.is_some() { String::new() } else { answer.summary };
    Ok(Operation::Develop(Developed { task_id: task_id.to_owned(), summary, files_changed: files, failure }))
}

fn debug(
    task: &AgentTask<Operation>,
    answer: DebugAnswer,
    seen: Option<&[String]>,
    bytes: &[u8],
    memory: &mut Memory,
) -> Result<Operation, Vec<AnswerError>> {
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let state = State::new(&root, Home::SkillState);
    let known: Vec<Hypothesis> = state.hypotheses.iter().map(Hypothesis::of).collect();
    let hypotheses: Vec<Hypothesis> =
        answer.hypotheses.into_iter().map(|hypothesis| filled(hypothesis, &known)).collect();
    let errors = contradictions(&hypotheses, answer.confirmed.as_deref(), &known);
    if !errors.is_empty() {
        return Err(errors);
    }
    // The claim is enough: whether it holds is for the tests to say. An observed change alone may be a log statement.
    memory.fixed = Some(answer.fixed);
    memory.debug_rounds = memory.debug_rounds.saturating_add(1);
    let files = changed_files(&answer.files_changed, seen);
    let told = if files.is_empty() { String::new() } else { format!(" Files changed: {}", files.join(", ")) };
    memory.summarise(
        &format!("debugging, round {}", round(&task.action)),
        &format!("{}{told}", answer.understanding),
    );
    Ok(Operation::Debug(Debugged {
        active_bug: task.matter.failed_tests.first().map(|test| test.name.clone()),
        hypotheses,
        confirmed: answer.confirmed,
        understanding: answer.understanding,
    }))
}

fn round(action: &Action) -> u32 {
    if let Action::Debug { round } = action { *round } else { 0 }
}

/// What an agent leaves out of a hypothesis that is known stays as it is.
fn filled(new: Hypothesis, known: &[Hypothesis]) -> Hypothesis {
    let Some(old) = known.iter().find(|old| old.id == new.id).cloned() else { return new };
    let or = |new: String, old: String| if new.is_empty() { old } else { new };
    Hypothesis {
        description: or(new.description, old.description),
        testable_condition: or(new.testable_condition, old.testable_condition),
        logging_point: or(new.logging_point, old.logging_point),
        confirm: or(new.confirm, old.confirm),
        reject: or(new.reject, old.reject),
        likelihood: new.likelihood.or(old.likelihood),
        verdict_reason: new.verdict_reason.or(old.verdict_reason),
        ..new
    }
}

/// New hypotheses say something, and the root cause is one that is confirmed.
fn contradictions(new: &[Hypothesis], confirmed: Option<&str>, known: &[Hypothesis]) -> Vec<AnswerError> {
    let blank = new.iter().enumerate().filter(|(_, hypothesis)| hypothesis.description.is_empty());
    let mut errors: Vec<AnswerError> = blank
        .map(|(index, _)| {
            AnswerError::new(AnswerErrorCode::Missing, format!("hypotheses[{index}].description"), "")
        })
        .collect();
    if let Some(id) = confirmed {
        let latest = new.iter().chain(known).find(|hypothesis| hypothesis.id == id);
        if latest.is_none_or(|hypothesis| hypothesis.status != "confirmed") {
            errors.push(AnswerError::new(AnswerErrorCode::NotConfirmed, "confirmed", id));
        }
    }
    errors
}

/// The agent came to no end: a task takes it as a failed try; other actions are tried again.
fn failed(
    task: &AgentTask<Operation>,
    message: &str,
    seen: Option<&[String]>,
    file: (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Concluded {
    let Action::Develop { task_id } = &task.action else { return driver::failed(task, message, memory) };
    let why = answer::plain_summary(message);
    let answer = DevelopAnswer { status: WorkStatus::Failed, summary: why, ..DevelopAnswer::default() };
    match develop(task_id, answer, seen, memory) {
        Ok(operation) => written(operation, file, memory),
        Err(errors) => driver::unreadable(task, &errors, memory),
    }
}

/// What follows from a run of the tests. `bytes`: the file as it is now.
pub fn conclude_tests(
    ended: TestsEnd,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> Concluded {
    (memory.run_again, memory.fixed, memory.debug_rounds) = (false, None, 0);
    match ended {
        TestsEnd::Ran { run, files } => written(Operation::Validate { run, files }, (bytes, facts), memory),
        TestsEnd::CouldNotRun { why } => {
            memory.ended();
            memory.conclude_asking(DriverQuestion::new(QuestionCode::TestsCannotRun, "validate", &why))
        }
    }
}
