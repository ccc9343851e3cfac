//! Which conversation is continued, depending on how its run ended and what came after it.

use super::*;
use crate::driver::Action;
use loopdeck_agents::OutputKind;
use loopdeck_agents::answers::AnswerKind;
use loopdeck_agents::facts::{Facts, Final};
use loopdeck_agents::outcome::{Asked, ExitHow, judge};
use loopdeck_agents::prompts::{PromptContext, TaskContext, WorkerKind};

const ID: &str = "6f1c2d3e-4a5b-4c6d-8e7f-901234567890";
const OTHER: &str = "0e5f6a10-0000-4000-8000-0123456789ab";

/// A verdict as it is judged, with this outcome.
fn verdict(outcome: Outcome) -> Verdict {
    let judged = judge(OutputKind::CodexJsonl, &Facts::default(), ExitHow::Code(0), Some(Asked::Stop));
    Verdict { outcome, ..judged }
}

fn ended<'a>(action: &'a str, task: Option<&'a str>, verdict: &'a Verdict) -> EndedRun<'a> {
    EndedRun { action, task, agent: Some("codex"), conversation: Some(ID), verdict, beside: false }
}

fn develop(id: &str) -> AgentTask {
    let task = TaskContext { id: id.into(), description: "Add a form".into(), ..TaskContext::default() };
    AgentTask {
        action: Action::Develop { task_id: id.into() },
        prompt: "the whole prompt".into(),
        answer: Some(AnswerKind::Develop),
        context: PromptContext { task: Some(task), iteration: 2, limit: 9, ..PromptContext::default() },
    }
}

fn worker(worker: WorkerKind) -> AgentTask {
    AgentTask {
        action: Action::Worker { worker },
        context: PromptContext::default(),
        answer: Some(AnswerKind::Worker),
        ..develop("x")
    }
}

/// The id of the conversation that a run continues.
fn conversation_start(task: &AgentTask, memory: &Memory) -> Option<String> {
    match task.conversation_start(memory, &AgentId::Codex, &[]) {
        ConversationStart::GoOn { id, .. } => Some(id),
        ConversationStart::New => None,
    }
}

#[test]
fn an_action_that_was_cut_off_goes_on_and_any_other_begins_anew() {
    for (outcome, goes_on) in [
        (Outcome::Cancelled, true),
        (Outcome::Limit, true),
        (Outcome::Auth, true),
        (Outcome::Budget, true),
        (Outcome::Crashed, true),
        (Outcome::Ok, false),
        (Outcome::TaskFailed, false),
        (Outcome::Unknown, false),
    ] {
        let mut memory = Memory::default();
        memory.run_ended(&ended("develop", Some("T1"), &verdict(outcome)));
        assert_eq!(
            conversation_start(&develop("T1"), &memory).as_deref(),
            goes_on.then_some(ID),
            "{outcome:?}"
        );
        assert_eq!(conversation_start(&develop("T2"), &memory), None, "another task");
        assert_eq!(
            conversation_start(&worker(WorkerKind::Develop), &memory),
            None,
            "an action without a task"
        );
        let claude = develop("T1").conversation_start(&memory, &AgentId::Claude, &[]);
        assert_eq!(claude, ConversationStart::New, "another agent");
    }
}

#[test]
fn an_agent_that_cannot_resume_begins_anew() {
    let cancelled = verdict(Outcome::Cancelled);
    for (name, agent) in [("shell", AgentId::Shell), ("custom:own", AgentId::Custom { id: "own".into() })] {
        let mut memory = Memory::default();
        memory.run_ended(&EndedRun { agent: Some(name), ..ended("develop", Some("T1"), &cancelled) });
        assert_eq!(develop("T1").conversation_start(&memory, &agent, &[]), ConversationStart::New, "{name}");
    }
    let mut memory = Memory::default();
    memory.run_ended(&EndedRun { conversation: None, ..ended("develop", Some("T1"), &cancelled) });
    assert_eq!(conversation_start(&develop("T1"), &memory), None, "it never named one");
}

#[test]
fn what_came_after_a_conversation_makes_it_past() {
    let (cancelled, ok) = (verdict(Outcome::Cancelled), verdict(Outcome::Ok));
    let mut memory = Memory::default();
    memory.run_ended(&ended("develop", Some("T1"), &cancelled));
    let tests = EndedRun { agent: None, conversation: None, ..ended("validate", None, &ok) };
    memory.run_ended(&tests);
    assert_eq!(conversation_start(&develop("T1"), &memory), None);
    memory.run_ended(&ended("develop", Some("T1"), &cancelled));
    memory.run_ended(&ended("develop", Some("T1"), &ok));
    assert_eq!(conversation_start(&develop("T1"), &memory), None, "the action came to its end");
}

#[test]
fn a_conversation_that_crashes_twice_in_a_row_is_left() {
    let crashed = verdict(Outcome::Crashed);
    let cancelled = verdict(Outcome::Cancelled);
    let mut memory = Memory::default();
    let run = ended("develop", Some("T1"), &crashed);
    memory.run_ended(&run);
    assert!(conversation_start(&develop("T1"), &memory).is_some());
    memory.run_ended(&EndedRun { verdict: &cancelled, ..run });
    memory.run_ended(&run);
    assert!(conversation_start(&develop("T1"), &memory).is_some(), "not in a row");
    memory.run_ended(&run);
    assert_eq!(conversation_start(&develop("T1"), &memory), None);
    memory.run_ended(&EndedRun { conversation: Some(OTHER), ..run });
    assert_eq!(
        conversation_start(&develop("T1"), &memory).as_deref(),
        Some(OTHER),
        "a new one has its own tries"
    );
}

#[test]
fn workers_side_by_side_go_on_each_with_its_own() {
    let (cancelled, ok) = (verdict(Outcome::Cancelled), verdict(Outcome::Ok));
    let mut memory = Memory::default();
    memory.run_ended(&EndedRun { beside: true, ..ended("debug", None, &ok) });
    memory.run_ended(&EndedRun { agent: None, beside: true, ..ended("validate", None, &cancelled) });
    let develop = EndedRun { conversation: Some(OTHER), beside: true, ..ended("develop", None, &cancelled) };
    memory.run_ended(&develop);
    assert_eq!(conversation_start(&worker(WorkerKind::Develop), &memory).as_deref(), Some(OTHER));
    assert_eq!(
        conversation_start(&worker(WorkerKind::Debug), &memory).as_deref(),
        Some(ID),
        "its round is done again"
    );
    memory.run_ended(&EndedRun { agent: None, ..ended("validate", None, &ok) });
    assert_eq!(memory.conversations, [], "the next step was taken");
}

#[test]
fn a_question_is_answered_in_the_conversation_that_asked_it() {
    let last = Final { reason: Some("tool_deferred".into()), error: Some(false), ..Final::default() };
    let facts = Facts { started: true, last: Some(last), ..Facts::default() };
    let asks = judge(OutputKind::ClaudeJsonl, &facts, ExitHow::Code(0), None);
    let mut memory = Memory::default();
    memory.run_ended(&ended("develop", Some("T1"), &asks));
    let mut task = develop("T1");
    task.context.notes = vec![super::super::Note { about: "Which one?".into(), text: "The blue one".into() }];
    let ConversationStart::GoOn { prompt, .. } = task.conversation_start(&memory, &AgentId::Codex, &[])
    else {
        panic!("it continues")
    };
    assert!(prompt.contains("To \"Which one?\": The blue one"), "{prompt}");
}

#[test]
fn the_prompt_says_what_the_state_is_and_what_to_give_back() {
    let mut memory = Memory::default();
    memory.run_ended(&ended("develop", Some("T1"), &verdict(Outcome::Cancelled)));
    let ConversationStart::GoOn { prompt, .. } =
        develop("T1").conversation_start(&memory, &AgentId::Codex, &[])
    else {
        panic!("it continues")
    };
    for part in [
        "loop: DEVELOP.",
        "interrupted you",
        "round 2 of at most 9",
        "Task T1",
        "Add a form",
        "\"task_id\": \"T1\"",
    ] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    assert!(!prompt.contains("## Rules"), "it was told the rules");
}

#[test]
fn a_memory_of_an_earlier_version_has_none() {
    let memory: Memory = serde_json::from_str("{\"interrupted\":true}").unwrap_or_default();
    assert!(memory.interrupted && memory.conversations.is_empty());
}
