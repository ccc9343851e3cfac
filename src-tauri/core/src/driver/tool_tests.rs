//! Which agent a task gets: tool × mode × what the person allowed × what is installed × their answers.

use super::*;
use crate::driver::{Reply, ReplyCode};
use Level::{EditFiles, FullAccess, LookOnly};

fn task(tool: &str, mode: &str) -> TaskContext {
    TaskContext { id: "task-001".into(), tool: tool.into(), mode: mode.into(), ..TaskContext::default() }
}

fn allowed(level: Option<Level>, further: &[(AgentId, Option<Level>)]) -> Allowed {
    let agent = if level.is_some() { AgentId::Claude } else { AgentId::Shell };
    Allowed { agent, level, further: further.to_vec() }
}

fn own(id: &str) -> AgentId {
    AgentId::Custom { id: id.to_owned() }
}

/// Codex, Gemini, the shell with a command and the person's `mine` are available; `mine` has no look-only
/// level.
fn here(way: &AgentWithLevel) -> Option<AgentLack> {
    match &way.agent {
        AgentId::Claude | AgentId::Codex | AgentId::Gemini | AgentId::Shell => None,
        AgentId::Custom { id } if id == "mine" => (way.level == Some(LookOnly)).then_some(AgentLack::Level),
        _ => Some(AgentLack::Program),
    }
}

fn chosen(task: &TaskContext, allowed: &Allowed) -> Result<(AgentId, Option<Level>), QuestionCode> {
    let way = choose_agent(Some(task), allowed, &Memory::default(), here);
    way.map(|way| (way.agent, way.level)).map_err(|question| question.code)
}

#[test]
fn tool_and_mode_choose_among_what_is_allowed_and_never_more() {
    use AgentId::{Claude, Codex, Gemini, Shell};
    use QuestionCode as Q;
    let further = [(Codex, Some(FullAccess)), (Gemini, Some(LookOnly)), (own("mine"), None), (Shell, None)];
    let table = [
        // The plan's agent, named or not.
        ("", "write", Ok((Claude, Some(EditFiles)))),
        ("claude", "write", Ok((Claude, Some(EditFiles)))),
        ("Claude", "", Ok((Claude, Some(EditFiles)))),
        ("claude", "moon", Ok((Claude, Some(EditFiles)))),
        ("claude", "analysis", Ok((Claude, Some(LookOnly)))),
        ("claude", "Review", Ok((Claude, Some(LookOnly)))),
        // Others: at most what the plan's agent may do, and at most their own.
        ("codex", "write", Ok((Codex, Some(EditFiles)))),
        ("codex", "analysis", Ok((Codex, Some(LookOnly)))),
        ("gemini", "write", Ok((Gemini, Some(LookOnly)))),
        ("mine", "write", Ok((own("mine"), Some(EditFiles)))),
        ("custom:mine", "write", Ok((own("mine"), Some(EditFiles)))),
        ("bash", "write", Ok((Shell, None))),
        ("bash", "analysis", Ok((Shell, None))),
        // A person decides.
        ("mine", "analysis", Err(Q::ToolHasNoLevel)),
        ("qwen", "write", Err(Q::ToolMissing)),
        ("/bin/sh -c evil", "write", Err(Q::ToolMissing)),
    ];
    for (tool, mode, expected) in table {
        assert_eq!(chosen(&task(tool, mode), &allowed(Some(EditFiles), &further)), expected, "{tool} {mode}");
    }
    let none = allowed(Some(FullAccess), &[]);
    assert_eq!(chosen(&task("codex", "write"), &none), Err(Q::ToolNotAllowed));
    assert_eq!(chosen(&task("bash", "write"), &none), Err(Q::ToolNotAllowed));
    assert_eq!(chosen(&task("claude", "write"), &none), Ok((Claude, Some(FullAccess))));
    // The person's own command has no levels, so it bounds no other agent; an agent without a bound can at
    // most change files.
    let shell = allowed(None, &[(Codex, None), (Gemini, Some(FullAccess))]);
    assert_eq!(chosen(&task("bash", "analysis"), &shell), Ok((Shell, None)));
    assert_eq!(chosen(&task("codex", "write"), &shell), Ok((Codex, Some(EditFiles))));
    assert_eq!(chosen(&task("gemini", "write"), &shell), Ok((Gemini, Some(FullAccess))));
    // A run without a task is the plan's agent's.
    let way = choose_agent(None, &none, &Memory::default(), here);
    assert_eq!(way, Ok(AgentWithLevel { agent: Claude, level: Some(FullAccess) }));
}

#[test]
fn a_shell_without_a_command_is_asked_about() {
    let lacks = |way: &AgentWithLevel| (way.agent == AgentId::Shell).then_some(AgentLack::Command);
    let allowed = allowed(Some(EditFiles), &[(AgentId::Shell, None)]);
    let asked = choose_agent(Some(&task("bash", "write")), &allowed, &Memory::default(), lacks).unwrap_err();
    assert_eq!((asked.code, asked.replies), (QuestionCode::ToolHasNoCommand, vec![ReplyCode::GoOn]));
}

#[test]
fn each_question_names_task_and_tool_and_what_can_be_answered() {
    use ReplyCode::{Allow, GoOn, TryAgain};
    for (tool, mode, further, replies) in [
        ("codex", "write", vec![], vec![GoOn, Allow]),
        ("qwen", "write", vec![], vec![GoOn, Allow]),
        ("qwen", "write", vec![(AgentId::Qwen, None)], vec![GoOn, TryAgain]),
        ("mine", "analysis", vec![(own("mine"), None)], vec![GoOn, TryAgain]),
    ] {
        let allowed = allowed(Some(EditFiles), &further);
        let asked = choose_agent(Some(&task(tool, mode)), &allowed, &Memory::default(), here).unwrap_err();
        assert_eq!((asked.about.as_str(), asked.text.as_str()), ("task-001", tool));
        assert_eq!(asked.replies, replies, "{tool} {mode}");
    }
}

#[test]
fn who_chose_the_plans_agent_is_not_asked_again() {
    let plan = allowed(Some(EditFiles), &[]);
    let mut memory = Memory::default();
    let ask = |memory: &Memory, tool| choose_agent(Some(&task(tool, "write")), &plan, memory, here);
    for tool in ["codex", "qwen"] {
        memory.question = Some(ask(&memory, tool).unwrap_err());
        memory.reply(&Reply::TryAgain);
        assert!(ask(&memory, tool).is_err(), "nothing was chosen");
        memory.question = Some(ask(&memory, tool).unwrap_err());
        memory.reply(&Reply::GoOn);
        let plans = AgentWithLevel { agent: AgentId::Claude, level: Some(EditFiles) };
        assert_eq!(ask(&memory, tool), Ok(plans));
        assert!(memory.notes.is_empty() && memory.left.is_empty());
    }
    assert!(ask(&memory, "gemini").is_err(), "another tool is another question");
    let text = serde_json::to_string(&memory).unwrap();
    let kept: Memory = serde_json::from_str(&text).unwrap();
    assert_eq!(kept, memory);
}

#[test]
fn a_plans_agent_that_cannot_only_look_is_asked_about_once() {
    let plan = Allowed { agent: own("mine"), level: Some(EditFiles), further: Vec::new() };
    let looks = task("mine", "analysis");
    let mut memory = Memory::default();
    let asked = choose_agent(Some(&looks), &plan, &memory, here).unwrap_err();
    assert_eq!(asked.code, QuestionCode::ToolHasNoLevel);
    memory.policy.tool = "mine".into();
    memory.question = Some(asked);
    memory.reply(&Reply::GoOn);
    assert_eq!(
        choose_agent(Some(&looks), &plan, &memory, here),
        Ok(AgentWithLevel { agent: own("mine"), level: plan.level })
    );
}

#[test]
fn an_answer_gives_no_more_than_the_plan_and_never_full_access() {
    for (plans, given) in [
        (Some(LookOnly), Some(LookOnly)),
        (Some(EditFiles), Some(EditFiles)),
        (Some(FullAccess), Some(EditFiles)),
        (None, Some(EditFiles)),
    ] {
        assert_eq!(level_by_answer(&AgentId::Codex, plans), given);
        assert_eq!(level_by_answer(&AgentId::Shell, plans), None);
    }
}
