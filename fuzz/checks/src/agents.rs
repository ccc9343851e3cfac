//! Agent output, agent versions, and command lines with anything a person might type.

use loopdeck_agents::custom::CustomAgent;
use loopdeck_agents::decode::Feed;
use loopdeck_agents::event::AgentEvent;
use loopdeck_agents::facts::Facts;
use loopdeck_agents::launch::{Launch, Session, Stdin, command_line};
use loopdeck_agents::outcome::{ExitHow, Outcome, judge};
use loopdeck_agents::{AgentId, Level, OutputKind, Stream, control, versions};

/// Chunk boundaries change nothing, only an explicit success is ok, and no prompt becomes an argument.
pub fn check(bytes: &[u8]) {
    for kind in OutputKind::ALL {
        let (events, facts) = read(kind, bytes, usize::MAX);
        let size = bytes.first().map_or(1, |first| 1 + usize::from(*first) % 61);
        assert_eq!(read(kind, bytes, size), (events.clone(), facts.clone()), "{kind:?} in chunks of {size}");
        verdicts(kind, &facts);
        questions(&events);
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = versions::parse(&text);
    launches(&text);
    custom(bytes);
}

fn read(kind: OutputKind, bytes: &[u8], size: usize) -> (Vec<AgentEvent>, Facts) {
    let (mut feed, mut events) = (Feed::new(kind), Vec::new());
    for chunk in bytes.chunks(size.min(bytes.len()).max(1)) {
        events.extend(feed.push(Stream::Stdout, chunk));
    }
    events.extend(feed.end());
    (events, feed.facts().clone())
}

fn verdicts(kind: OutputKind, facts: &Facts) {
    for exit in
        [ExitHow::Code(0), ExitHow::Code(53), ExitHow::Signal(9), ExitHow::StillRunning, ExitHow::Unseen]
    {
        let verdict = judge(kind, facts, exit, None);
        let said = facts.last.as_ref().and_then(|last| last.error) == Some(false);
        let text = kind == OutputKind::Text && exit == ExitHow::Code(0);
        assert!(verdict.outcome != Outcome::Ok || said || text, "{kind:?} {exit:?}: {verdict:?}");
    }
}

/// Every question can be answered, on one line of JSON.
fn questions(events: &[AgentEvent]) {
    for event in events {
        let AgentEvent::PermissionRequest(request) = event else { continue };
        let deny = control::deny_line(&request.id, &request.tool);
        let allow = control::allow_line(&request.id, &request.exact_input, request.suggestions.as_deref());
        for line in allow.into_iter().chain([deny]) {
            assert_eq!(line.find('\n'), Some(line.len() - 1), "{line}");
        }
    }
}

fn launches(text: &str) {
    let mut lines = text.lines().map(str::to_owned);
    let (model, id) = (lines.next(), lines.next().unwrap_or_default());
    let extra_args: Vec<String> = lines.take(20).collect();
    for agent in AgentId::BUILT_IN {
        let mut launch = Launch::new(agent, text, "/work/shop");
        launch.level = Level::FullAccess;
        launch.session = Session::Resume(id.clone());
        launch.model.clone_from(&model);
        launch.extra_args.clone_from(&extra_args);
        let Ok(line) = command_line(&launch, &[]) else { continue };
        assert_eq!(line.stdin, Stdin::Text(text.to_owned()));
        assert!(extra_args.first().is_none_or(|first| first.starts_with('-')), "{extra_args:?}");
        assert!(line.args.iter().all(|arg| !arg.contains('\0')));
    }
}

fn custom(bytes: &[u8]) {
    let Ok(agent) = serde_json::from_slice::<CustomAgent>(bytes) else { return };
    let sound = agent.problems().is_empty();
    let mut launch = Launch::new(AgentId::Custom { id: agent.id.clone() }, "Do it", "/work/shop");
    launch.model = Some("m".to_owned());
    launch.prompt_file = Some("/data/prompt".to_owned());
    launch.session = Session::New("6f1c2d3e-4a5b-4c6d-8e7f-901234567890".to_owned());
    let defined = Level::ALL.into_iter().filter(|level| agent.level(*level).is_some());
    for level in defined {
        launch.level = level;
        let made = command_line(&launch, std::slice::from_ref(&agent));
        assert!(!sound || made.is_ok(), "a sound record starts: {made:?}");
    }
}
