//! What the end of an agent or of the tests means for a Loop v2: operations, a retry, a question.

use crate::driver::{
    self, Action, AgentTask, Checked, Conclusion, DriverQuestion, Ended, Memory, NOTHING_CHANGED,
    ObservedFiles, ObservedRun, QuestionCode, TestsEnd, Touched, about, changed_files,
};
use crate::format::{FileFacts, Format};
use crate::formats::ccw::drive::{situation_at_end, stand_at_end};
use crate::formats::ccw::progress_docs::records::{CcwRecord, Hypothesis, PlannedTask};
use crate::formats::ccw::read::debug_log::{DebugLog, is_from_log};
use crate::formats::ccw::read::state::{CcwState, Home};
use crate::formats::ccw_v2::forms::TASKS;
use crate::formats::ccw_v2::operate::operate;
use crate::formats::ccw_v2::operation::{Debugged, Developed, LoopV2Operation};
use crate::phase::CcwPhase;
use crate::view::TaskMode;
use loopdeck_agents::AgentId;
use loopdeck_agents::answers::{
    self, Answer, AnswerError, AnswerErrorCode, DebugAnswer, DevelopAnswer, InitAnswer, WorkStatus,
};
use loopdeck_text::json_span::json::Json;
use loopdeck_text::json_span::tree::Node;
use loopdeck_text::text_edit;

type LoopV2Conclusion = Conclusion<LoopV2Operation>;

/// What follows from the end of an agent. `seen`: observed changes, which win over the agent's claims.
/// `bytes`: the current file.
pub fn conclude(
    task: &AgentTask,
    ended: &Ended<'_>,
    seen: ObservedRun<'_>,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> LoopV2Conclusion {
    let sight = ObservedFiles::from_run(task, seen.changed, memory);
    memory.touch(&task.action, seen.changed);
    let answer = match *ended {
        Ended::Failed { class, message } => {
            return driver::interrupted(class, message, memory)
                .unwrap_or_else(|| failed(task, message, &sight, (bytes, facts), memory));
        }
        Ended::Asks { text } => return driver::waits_for_answer(about(&task.action), text, memory),
        Ended::Answered { text, structured, plain } => match task.read(structured, text) {
            Ok(reading) => reading.answer,
            Err(_) if plain => by_default(task, text, seen.changed),
            Err(errors) => return unreadable(task, &errors, facts, memory),
        },
    };
    answered(task, answer, (&sight, seen.log), (bytes, facts), memory)
}

/// Claims of an answer that the disk contradicts. `memory`: from before [`conclude`].
#[must_use]
pub fn check(
    task: &AgentTask,
    ended: &Ended<'_>,
    changed: Option<&[String]>,
    bytes: &[u8],
    memory: &Memory,
) -> Checked {
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let state = CcwState::new(&root, Home::SkillState);
    let is_it = |node: &&Node<'_>| node.get("id").text() == Some(about(&task.action));
    let mode = state.tasks.iter().find(is_it).and_then(|task| task.get("mode").text());
    driver::check(task, ended, changed, mode.is_none_or(|mode| mode.eq_ignore_ascii_case("write")), memory)
}

/// Failures that the file does not have yet, once it can accept them.
#[must_use]
pub fn unwritten(bytes: &[u8], facts: &FileFacts<'_>, memory: &Memory) -> Option<LoopV2Operation> {
    let operation = LoopV2Operation::Failed { errors: memory.v2.errors.clone() };
    let summary = stand_at_end(bytes, Format::LoopV2, facts).ok().filter(|_| !memory.v2.errors.is_empty())?;
    operate(bytes, facts, &operation, &situation_at_end(&summary, facts)).ok().map(|_| operation)
}

/// An unreadable answer: a failed attempt at its action.
fn unreadable(
    task: &AgentTask,
    errors: &[AnswerError],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> LoopV2Conclusion {
    let wrong: Vec<String> = errors.iter().take(10).map(ToString::to_string).collect();
    let message = format!("The answer could not be used: {}", wrong.join("; "));
    memory.v2.error(task.action.word(), &message, facts.now);
    driver::unreadable(task, errors, memory)
}

fn answered(
    task: &AgentTask,
    answer: Answer,
    (sight, log): (&ObservedFiles, Option<&DebugLog>),
    file: (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> LoopV2Conclusion {
    if let Some(asked) = answer.needs() {
        let question = DriverQuestion::new(QuestionCode::AgentAsks, about(&task.action), asked);
        memory.ended_asking();
        return memory.conclude_asking(question);
    }
    let operation = match (answer, &task.action) {
        (Answer::Init(answer), Action::Init) => Ok(init(answer, memory)),
        (Answer::Develop(answer), Action::Develop { task_id }) => develop(task_id, answer, sight, memory),
        (Answer::Debug(answer), Action::Debug { .. }) => debug(task, answer, (sight, log), file, memory),
        _ => Err(vec![AnswerError::new(AnswerErrorCode::NoObject, "", "")]),
    };
    match operation {
        Ok(operation) => written(operation, file, memory),
        Err(errors) => unreadable(task, &errors, file.1, memory),
    }
}

/// The operation, provided the file accepts it.
fn written(
    operation: LoopV2Operation,
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> LoopV2Conclusion {
    memory.note_end();
    memory.touched = Touched::default();
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

fn by_default(task: &AgentTask, output: &str, seen: Option<&[String]>) -> Answer {
    let context = &task.context;
    match task.action {
        Action::Init => Answer::Init(answers::plain_init(context.goal())),
        Action::Debug { .. } => {
            let changed = seen.is_some_and(|files| !changed_files(&[], Some(files)).is_empty());
            let test = context.failed_tests.first().map(|test| test.name.as_str());
            Answer::Debug(answers::plain_debug(output, &context.hypotheses, test, changed))
        }
        Action::Develop { .. }
        | Action::Worker { .. }
        | Action::Atom { .. }
        | Action::Judge { .. }
        | Action::Probe { .. }
        | Action::Iterate { .. } => Answer::Develop(answers::plain_develop(output)),
    }
}

/// Of an agent's proposals, only those that the person allowed; otherwise the plan's agent, and changing
/// files.
fn init(answer: InitAnswer, memory: &Memory) -> LoopV2Operation {
    let policy = &memory.policy;
    let tool = |proposed: &str| {
        let named = AgentId::of_tool(proposed).map(|agent| agent.tool());
        let allowed = named.filter(|tool| policy.tools.contains(tool));
        allowed.unwrap_or_else(|| policy.tool.clone())
    };
    let mode = |proposed: &str| {
        let known = TaskMode::from_word(proposed) == Some(TaskMode::Analysis);
        if known { "analysis" } else { TASKS.first_mode }.to_owned()
    };
    let task = |task: PlannedTask| PlannedTask { tool: tool(&task.tool), mode: mode(&task.mode), ..task };
    LoopV2Operation::Init { mode: policy.mode, tasks: answer.tasks.into_iter().map(task).collect() }
}

fn develop(
    task_id: &str,
    answer: DevelopAnswer,
    sight: &ObservedFiles,
    memory: &mut Memory,
) -> Result<LoopV2Operation, Vec<AnswerError>> {
    if let Some(other) = answer.task_id.as_ref().filter(|id| *id != task_id) {
        return Err(vec![AnswerError::new(AnswerErrorCode::WrongTask, "task_id", other)]);
    }
    let files = sight.changed(&answer.files_changed);
    memory.v2.untested |= !sight.is_nothing();
    let failure = (answer.status == WorkStatus::Failed).then(|| answer.summary.clone());
    match &failure {
        Some(why) => drop(memory.failed_again(task_id, why)),
        None => {
            memory.failures.remove(task_id);
            memory.summarise(task_id, &answer.summary);
        }
    }
    // The work has changed: what was known of the tests is old.
    (memory.v2.fixed, memory.v2.debug_rounds) = (None, 0);
    let summary = if failure.is_some() { String::new() } else { answer.summary };
    Ok(LoopV2Operation::Develop(Developed {
        task_id: task_id.to_owned(),
        summary,
        files_changed: files,
        failure,
    }))
}

fn debug(
    task: &AgentTask,
    answer: DebugAnswer,
    (sight, log): (&ObservedFiles, Option<&DebugLog>),
    (bytes, facts): (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> Result<LoopV2Operation, Vec<AnswerError>> {
    let root = Node::parse(bytes).unwrap_or_else(|_| Node::null());
    let state = CcwState::new(&root, Home::SkillState);
    let known: Vec<Hypothesis> = state.hypotheses.iter().map(Hypothesis::from_node).collect();
    let read = |hypothesis| with_evidence(filled(hypothesis, &known), &known, log);
    let hypotheses: Vec<Hypothesis> = answer.hypotheses.into_iter().map(read).collect();
    let errors = contradictions(&hypotheses, answer.confirmed.as_deref(), &known);
    if !errors.is_empty() {
        return Err(errors);
    }
    // Whether a fix holds is for the tests to say; that there is one, for the disk. What an earlier round changed counts
    // until it was tested. A change alone is no fix: it may be a log statement.
    memory.v2.untested |= !sight.is_nothing();
    let is_claim = answer.fixed && !memory.v2.untested;
    if is_claim {
        memory.failed_again(CcwPhase::Debug.word(), NOTHING_CHANGED);
        memory.v2.error(CcwPhase::Debug.word(), NOTHING_CHANGED, facts.now);
    } else {
        memory.failures.remove(CcwPhase::Debug.word());
    }
    memory.v2.fixed = Some(answer.fixed && !is_claim);
    memory.v2.debug_rounds = memory.v2.debug_rounds.saturating_add(1);
    let files = sight.changed(&answer.files_changed);
    let told = if files.is_empty() { String::new() } else { format!(" Files changed: {}", files.join(", ")) };
    memory.summarise(
        &format!("debugging, round {}", round(&task.action)),
        &format!("{}{told}", answer.understanding),
    );
    Ok(LoopV2Operation::Debug(Debugged {
        active_bug: task.context.failed_tests.first().map(|test| test.name.clone()),
        hypotheses,
        confirmed: answer.confirmed,
        understanding: answer.understanding,
        files_changed: files,
        fixed: memory.v2.fixed,
    }))
}

/// If an agent gives no evidence, the output of its log statements is used (the CCW contract §2); evidence it
/// gave earlier stays.
fn with_evidence(new: Hypothesis, known: &[Hypothesis], log: Option<&DebugLog>) -> Hypothesis {
    let said = known.iter().find(|old| old.id == new.id).is_some_and(|old| !is_from_log(&old.evidence));
    let logged = log.filter(|_| new.evidence == Json::Null && !said).map(|log| log.evidence(&new.id));
    Hypothesis { evidence: logged.unwrap_or_else(|| new.evidence.clone()), ..new }
}

fn round(action: &Action) -> u32 {
    if let Action::Debug { round } = action { *round } else { 0 }
}

/// Fields that an agent leaves out of a known hypothesis stay unchanged.
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

/// New hypotheses need content, and the root cause must be a confirmed one.
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

/// The agent did not finish: for a task, that is a failed attempt; other actions are retried.
fn failed(
    task: &AgentTask,
    message: &str,
    sight: &ObservedFiles,
    file: (&[u8], &FileFacts<'_>),
    memory: &mut Memory,
) -> LoopV2Conclusion {
    let Action::Develop { task_id } = &task.action else {
        let why = answers::plain_summary(message);
        memory.v2.error(
            task.action.word(),
            if message.trim().is_empty() { "The agent failed." } else { &why },
            file.1.now,
        );
        return driver::failed(task, message, memory);
    };
    let why = answers::plain_summary(message);
    let answer = DevelopAnswer { status: WorkStatus::Failed, summary: why, ..DevelopAnswer::default() };
    match develop(task_id, answer, sight, memory) {
        Ok(operation) => written(operation, file, memory),
        Err(errors) => unreadable(task, &errors, file.1, memory),
    }
}

/// What follows from a run of the tests. `bytes`: the current file.
pub fn conclude_tests(
    ended: TestsEnd,
    bytes: &[u8],
    facts: &FileFacts<'_>,
    memory: &mut Memory,
) -> LoopV2Conclusion {
    (memory.run_again, memory.v2.fixed, memory.v2.debug_rounds) = (false, None, 0);
    memory.failures.remove(CcwPhase::Debug.word());
    match ended {
        TestsEnd::Ran { run, files } => {
            memory.v2.untested = false;
            written(LoopV2Operation::Validate { run, files }, (bytes, facts), memory)
        }
        TestsEnd::CouldNotRun { why } => {
            memory.note_end();
            let message = if why.trim().is_empty() { "No test command is set." } else { why.trim() };
            memory.v2.error(CcwPhase::Validate.word(), message, facts.now);
            memory.conclude_asking(DriverQuestion::new(
                QuestionCode::TestsCannotRun,
                CcwPhase::Validate.word(),
                &why,
            ))
        }
    }
}
